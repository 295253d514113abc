//! Matches against what was learned in the first part of the time.

use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;

use ludex::players::TrainedEvaluation;
use ludex::tournament::{
    FixtureOptions, Format, RunningTest, RunningTournament, SequentialReport, SequentialTest, Tournament,
    TournamentEvent, TournamentGame, TournamentSetup, Verdict, elo_of_share,
};
use ludex::{Game, Playable};

use super::TrainArguments;
use crate::Context;
use crate::command::tournament::matches::{MatchSettings, play_all};
use crate::failure::Failure;
use crate::player_text::registry;

/// The two players: work is counted, so that the machine does not matter.
const PLAYERS: [&str; 2] = ["ludex:leaves=500:trained=now", "ludex:leaves=500:trained=before"];
/// The rest is to be worth so much, or nothing.
const WORTH: (f64, f64) = (0.0, 50.0);
/// It may be wrong in so many cases, where one of the two holds exactly.
const WRONG: f64 = 0.05;
/// The test ends undecided after so many rounds.
const ROUNDS: u32 = 200;
/// Matches begin with so many random joint moves.
const OPENING: u32 = 4;
/// Nobody needs so long for the leaves of a move.
const CLOCK: Duration = Duration::from_secs(600);
const STEP_LIMIT: u32 = 1000;

/// Lets what was learned play against what was known before, until a sequential test is decided.
pub fn test(
    game: &Game,
    [now, before]: [Arc<TrainedEvaluation>; 2],
    arguments: &TrainArguments,
    context: &Context,
) -> Result<SequentialReport, Failure> {
    let find = move |name: &str| Ok(vec![Arc::clone(if name == "now" { &now } else { &before })]);
    let registry = registry().clone().with_trained(find);
    let tournament = Tournament {
        players: PLAYERS.map(str::to_owned).to_vec(),
        games: vec![TournamentGame { name: game.short_name().to_owned(), seats: game.seats().len() }],
        rounds: ROUNDS,
        seed: arguments.seed,
    };
    let setup = TournamentSetup {
        attempts: NonZeroU32::MIN,
        per_player: NonZeroU32::MAX,
        ..TournamentSetup::new(tournament.clone(), Format::RoundRobin)
    };
    let mut competition = RunningTournament::new(setup).map_err(|error| Failure::input(error.to_string()))?;
    let options = FixtureOptions {
        setting: None,
        start_clock: CLOCK,
        play_clock: CLOCK,
        bank: None,
        time_cost: None,
        step_limit: STEP_LIMIT,
        memory: context.limits.memory_of_players(None, game.seats().len()),
        opening: OPENING,
    };
    let games = [Playable::InSteps(game.clone())];
    let settings = MatchSettings {
        introduces: false,
        tournament: &tournament,
        games: &games,
        options: &options,
        registry: &registry,
        threads: arguments.threads,
        records: None,
        context,
    };
    let (lower, upper) = WORTH;
    let sprt = SequentialTest { lower, upper, error: WRONG };
    let mut test = Some(RunningTest::new(sprt, &tournament, 1));
    let stopped = play_all(&mut competition, &settings, &mut test, &mut |competition, result, _| {
        let applied = competition.apply(&TournamentEvent::Finished(result));
        applied.map_err(|error| Failure::input(error.to_string()))?;
        let played = competition.results_as_they_came().len() as u64;
        context.limits.budget().report("matches", played, Some(played + competition.open_matches() as u64));
        Ok(())
    })?;
    let Some(test) = test.filter(|_| stopped.is_none()) else {
        return Err(stopped.map_or_else(|| Failure::input("the test was not played".to_owned()), Into::into));
    };
    Ok(test.report())
}

/// What the test says, in a sentence.
pub fn text(test: &SequentialReport) -> String {
    let verdict = match test.verdict {
        Verdict::Open => "not decided",
        Verdict::Accepted => "stronger",
        Verdict::Rejected => "not stronger",
    };
    format!(
        "{verdict} than after a tenth of the time: {:.1} % ± {:.1} of {} rounds ({:+.0} Elo)",
        100.0 * test.share,
        100.0 * test.share_error,
        test.pairs,
        elo_of_share(test.share.clamp(0.0, 1.0))
    )
}
