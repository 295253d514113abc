//! Random games in real time, recorded: what traces are for games that go step by step.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::TimedRules;
use ludex_gdl::GameTime;
use ludex_logic::Clock;
use ludex_match::{MatchSetup, TimedRecord, TimedRecordTerms};
use ludex_players::real_time::{TimedPlayer, TimedRandomPlayer};

use crate::table::TableError;
use crate::timed_table::{TimedTable, TimedTableOptions};

/// Of players that do not look at it.
struct NoClock;

impl Clock for NoClock {
    fn now(&self) -> Duration {
        Duration::ZERO
    }
}

/// Records games between random players, who wait half a unit on the average, with the seeds `seed`, `seed + 1`..., each of at most so many units of game time.
///
/// [`verify_timed_match`](crate::verify_timed_match) compares any engine with them, as
/// [`Game::verify`](crate::Game::verify) does with the traces of games that go step by step. What a record does not hold,
/// such as states, follows from its events.
///
/// ```
/// use ludex::game::TimedRules;
/// use ludex::gdl::{GameTime, LoadOptions, Source, load};
/// use ludex::{Engine, library, record_timed_playouts, timed_rules, verify_timed_match};
///
/// let game = library::find("timed-tic-tac-toe").expect("a bundled game");
/// let checked = load(std::sync::Arc::new(Source::new(game.file, game.text)), &LoadOptions::default());
/// let by = |engine| timed_rules(checked.clone(), engine, &Default::default(), &Default::default());
/// let records = record_timed_playouts(&by(Engine::Rules)?, 3, 1, GameTime::MAX)?;
/// let net: TimedRules = by(Engine::Net)?;
/// for record in &records {
///     assert_eq!(verify_timed_match(&net, record).mismatches, []);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// As [`TimedTable::new`] and [`TimedTable::play`].
pub fn record_timed_playouts(
    rules: &TimedRules,
    playouts: u32,
    seed: u64,
    longest: GameTime,
) -> Result<Vec<TimedRecord>, TableError> {
    let clock: Arc<dyn Clock> = Arc::new(NoClock);
    let seats = rules.seats();
    let unit = Duration::from_secs(1);
    let mean = GameTime::from_units(GameTime::ONE.units() / 2).unwrap_or(GameTime::ONE);
    let player = |seed| Box::new(TimedRandomPlayer::new(seed, mean)) as Box<dyn TimedPlayer>;
    let play = |playout: u32| {
        let seed = seed.wrapping_add(u64::from(playout));
        let setup = MatchSetup { seed, ..MatchSetup::default() };
        let players: Vec<Box<dyn TimedPlayer>> =
            seats.iter().map(|&role| player(setup.player_seed(role))).collect();
        let options = TimedTableOptions {
            seed,
            delay: GameTime::ZERO,
            longest,
            unit,
            clock: Arc::clone(&clock),
            start_clock: Duration::ZERO,
            slice: TimedTableOptions::usual_slice(unit),
            budget: rules.question_budget().clone(),
        };
        let result = TimedTable::new(rules, players, options)?.play(&mut |_, _| {})?;
        let terms = TimedRecordTerms {
            id: format!("{}.{seed}", rules.short_name()),
            seed,
            players: vec!["random".to_owned(); seats.len()],
            play_clock: unit,
            ..TimedRecordTerms::default()
        };
        Ok(result.record(rules, terms))
    };
    (0..playouts).map(play).collect()
}
