//! Playing one match of a tournament.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{GameError, Rng, TimeBank};
use ludex_logic::{Budget, Clock, LimitError};
use ludex_match::{Fault, Match, MatchSetting, MatchSetup, Reply};
use ludex_players::{Registry, Resources, StrategyError};

use super::{Fixture, Tournament};
use crate::face::Game;
use crate::introductions::introductions;
use crate::table::{Table, TableError};

/// What holds for every match of a tournament.
#[derive(Clone, Debug, PartialEq)]
pub struct FixtureOptions {
    /// The time to get ready.
    pub start_clock: Duration,
    /// The time for each move.
    pub play_clock: Duration,
    /// The time for all moves of a match together, if that is limited, too; not in real time.
    pub bank: Option<TimeBank>,
    /// Points of the goal that a second of thinking costs, if it costs something; not in real time.
    pub time_cost: Option<f64>,
    /// The match is aborted after this many steps.
    pub step_limit: u32,
    /// The memory of each player in bytes.
    pub memory: usize,
    /// How many random joint moves are made before the players choose; fewer where the game would be over. They are
    /// the same in all matches of a game in a round, as far as chance does not decide.
    pub opening: u32,
    /// What the match is part of, where the players are told; they are then told each other's names, too.
    pub setting: Option<MatchSetting>,
}

/// Why a match cannot even begin.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FixtureError {
    /// A player's text names no strategy.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The game has other seats than the tournament says, or the machine does not know the initial state.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The time of the budget was over, or it was called off, before the match came to an end.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Plays a match with players of the registry made anew, each with one thread to search on. A match that the machine
/// cannot go on with is aborted. Clocks of the match are parts of a budget that is a
/// [whole](Budget::as_whole).
///
/// # Errors
/// [`FixtureError`] where it cannot begin, or not be played to an end within the budget.
pub fn play_fixture(
    tournament: &Tournament,
    fixture: &Fixture,
    game: &Game,
    options: &FixtureOptions,
    registry: &Registry,
    clock: Arc<dyn Clock>,
    budget: &Budget,
) -> Result<Match, FixtureError> {
    let names = tournament.seated(fixture);
    let setup = MatchSetup {
        id: format!("{}.{}.{}", game.short_name(), fixture.round, fixture.seed),
        seed: fixture.seed,
        start_clock: Some(options.start_clock),
        play_clock: Some(options.play_clock),
        bank: options.bank,
        time_cost: options.time_cost,
        step_limit: Some(options.step_limit),
        start_time: None,
        player_names: names.clone(),
    };
    let mut players = Vec::new();
    for (role, name) in game.seats().into_iter().zip(&names) {
        let resources =
            Resources { seed: setup.player_seed(role), memory: options.memory, ..Resources::default() };
        players.push(registry.create(name, &resources)?);
    }
    let opening = opening(game, &setup, options.opening, tournament.opening_seed(fixture))?;
    let introductions = match &options.setting {
        Some(setting) => introductions(game, &names, Some(setting)),
        None => Vec::new(),
    };
    let table = Table::new(game, setup, players, Some(clock), budget.clone())?;
    let mut table = table.with_introductions(introductions);
    table.prepare();
    for replies in &opening {
        // An error ends the match, and the match says so.
        let _ = table.make(replies);
    }
    while !table.referee().is_over() {
        budget.meter().check()?;
        // Any other error ends the match, and the match says so.
        if let Err(GameError::Limit(limit @ (LimitError::Deadline | LimitError::Cancelled))) = table.step() {
            return Err(limit.into());
        }
    }
    Ok(table.into_match())
}

/// Random moves of all roles, step by step, after which the match goes on.
fn opening(game: &Game, setup: &MatchSetup, steps: u32, seed: u64) -> Result<Vec<Vec<Reply>>, TableError> {
    let mut opening = Vec::new();
    if steps == 0 {
        return Ok(opening);
    }
    let mut rng = Rng::from_seed(seed);
    let mut trial = Match::new(game.rules().clone(), setup.clone())?;
    for _ in 0..steps {
        let reply = |role| rng.pick(trial.legal(role)).copied().ok_or(Fault::Timeout);
        let replies: Vec<Reply> = game.rules().roles().map(reply).collect();
        // What ends the match, or breaks the rules, is left for the players to find.
        if trial.submit(&replies, None).is_err() || trial.is_over() {
            break;
        }
        opening.push(replies);
    }
    Ok(opening)
}
