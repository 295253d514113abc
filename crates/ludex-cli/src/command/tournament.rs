//! `ludex tournament`: how strong players are.

mod journal;
mod report;

use std::collections::{BTreeMap, VecDeque};
use std::io::Write;
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::channel;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use ludex::logic::{Budget, LimitError};
use ludex::tournament::{
    Fixture, FixtureOptions, MatchResult, Standings, Tournament, TournamentGame, play_fixture,
};
use ludex::{Game, MatchRecord};

use crate::Context;
use crate::engine_arguments::EngineArguments;
use crate::failure::{Failure, say};
use crate::limits::{duration, size};
use crate::player_text::player_text;
use crate::rulesheet::{ReadArguments, load_game, reason};
use journal::{Journal, Terms};

/// Arguments of `tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex tournament --players uct,random --games nim,connect-four --clock 200ms
  ludex tournament -p uct:c=0.4,uct -g my.kif -r 10 --threads 4 --out t.jsonl
  ludex tournament -p uct:c=0.4,uct -g my.kif -r 20 --threads 4 --resume t.jsonl

PLAYER is a strategy that `ludex players` lists, with options if need be:
NAME:OPTION=VALUE. In each round every pair of players meets in every game on every
seating: with two seats twice; with more, each of the two has each seat alone once,
the other the rest. Games with one seat are played alone, and players are compared
by what they got in the same round.

The share of a match is own goals / (own + opponent's), one half where both are 0;
goals on several seats count by their mean. Intervals of shares are Wilson's score
intervals of 95 % with shares as fractional wins. Ratings are those of the model of
Bradley and Terry by the MM algorithm (Hunter 2004), in units of Elo with mean 0,
with one drawn match against an average player added for each; their intervals come
from the observed information. Matches that end early count in no share.

--out writes each match when it is finished, as a line of JSON, so that a tournament
may be stopped at any time; --resume goes on with it, with more players, games or
rounds if wanted.
--json: an object with setup, matches, players, pairings, games and methods.
Exit code 1 if not all matches were played.")]
pub struct TournamentArguments {
    /// The players, at least two
    #[arg(long, short, value_name = "PLAYER,...", required = true, value_delimiter = ',',
          value_parser = player_text)]
    players: Vec<String>,

    /// Rulesheets or names of bundled games
    #[arg(long, short, value_name = "FILE,...", required = true, value_delimiter = ',')]
    games: Vec<String>,

    /// How often every pairing is played on every seating
    #[arg(long, short, value_name = "N", default_value_t = 1)]
    rounds: u32,

    /// The time for each move
    #[arg(long, short, value_name = "TIME", default_value = "1s", value_parser = duration)]
    clock: Duration,

    /// The time to get ready; ten times that for a move where it is not given
    #[arg(long, value_name = "TIME", value_parser = duration)]
    start_clock: Option<Duration>,

    /// How many matches are played at once; each player searches on one thread
    #[arg(long, short, value_name = "N", default_value_t = 1,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: u16,

    /// Decides all chances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The memory of each player for trees and tables (512M, 4G)
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    memory: usize,

    /// Stop a match after so many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    step_limit: u32,

    /// Write each finished match to this new file
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    out: Option<String>,

    /// Go on with the tournament in this file
    #[arg(long, value_name = "FILE")]
    resume: Option<String>,

    /// Write the record of each match to this folder
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,
}

impl TournamentArguments {
    fn options(&self) -> FixtureOptions {
        FixtureOptions {
            start_clock: self.start_clock.unwrap_or(self.clock.saturating_mul(10)),
            play_clock: self.clock,
            step_limit: self.step_limit,
            memory: self.memory,
        }
    }
}

/// Plays and compares.
pub fn run(arguments: &TournamentArguments, context: &mut Context) -> Result<(), Failure> {
    let mut games = Vec::new();
    for file in &arguments.games {
        games.push(load_game(file, &arguments.read, &arguments.engine, false, context)?);
    }
    let entry =
        |game: &Game| TournamentGame { name: game.short_name().to_owned(), seats: game.seats().len() };
    let tournament = Tournament {
        players: arguments.players.clone(),
        games: games.iter().map(entry).collect(),
        rounds: arguments.rounds,
        seed: arguments.seed,
    };
    let fixtures = tournament.schedule().map_err(|e| Failure::Usage(e.to_string()))?;
    let options = arguments.options();
    let terms = Terms::new(&tournament, &games, &options);
    let (mut journal, before) = match (&arguments.out, &arguments.resume) {
        (_, Some(file)) => Journal::resume(file, &terms)?,
        (Some(file), None) => (Journal::create(file, &terms)?, Vec::new()),
        (None, None) => (Journal::none(), Vec::new()),
    };
    if let Some(folder) = &arguments.record {
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::input(format!("cannot make the folder `{}`: {}", folder.display(), reason(&e)))
        })?;
    }
    let places: BTreeMap<u64, usize> = fixtures.iter().map(|f| f.seed).zip(0..).collect();
    let place = |result: &MatchResult| {
        let place = places.get(&result.seed).copied()?;
        fixtures.get(place).is_some_and(|fixture| result.is_of(&tournament, fixture)).then_some(place)
    };
    let mut results: Vec<Option<MatchResult>> = vec![None; fixtures.len()];
    for result in before {
        if let Some(place) = place(&result) {
            results[place] = Some(result);
        }
    }
    let left = fixtures.iter().zip(&results).filter(|(_, result)| result.is_none());
    let left: VecDeque<&Fixture> = left.map(|(fixture, _)| fixture).collect();
    warn_of_crowding(arguments.threads);
    let (mut done, total) = (fixtures.len() - left.len(), fixtures.len() as u64);
    let desk = Desk { tournament: &tournament, games: &games, options: &options, context };
    let stopped = play_all(left, &desk, arguments, &mut |result| {
        journal.add(&result)?;
        if let Some(place) = place(&result) {
            results[place] = Some(result);
        }
        done += 1;
        desk.context.limits.budget().report("matches", done as u64, Some(total));
        Ok(())
    })?;
    let results: Vec<MatchResult> = results.into_iter().flatten().collect();
    let game_names: Vec<String> = tournament.games.iter().map(|game| game.name.clone()).collect();
    let standings = Standings::of(&tournament.players, &game_names, &results);
    let outcome =
        report::Outcome { terms: &terms, fixtures: fixtures.len(), results: &results, standings: &standings };
    if arguments.json {
        writeln!(context.console, "{}", serde_json::to_string_pretty(&outcome.json())?)?;
    } else {
        let text = outcome.text(&context.console);
        context.console.write_all(text.as_bytes())?;
    }
    match stopped {
        None => Ok(()),
        Some(limit) => {
            context.console.flush()?;
            let rest = fixtures.len() - results.len();
            let file = arguments.out.as_ref().or(arguments.resume.as_ref());
            let failure =
                Failure::input(format!("{limit}: {rest} of {} matches were not played", fixtures.len()));
            Err(match file {
                Some(file) => failure.hint(format!("`--resume {file}` plays them")),
                None => failure.hint("`--out FILE` makes a tournament that `--resume FILE` can go on with"),
            })
        }
    }
}

/// Players who share a core get less than their clock says.
fn warn_of_crowding(threads: u16) {
    let cores = std::thread::available_parallelism().map_or(1, NonZero::get);
    if usize::from(threads) > cores {
        say(&format!(
            "{threads} matches at once are more than the {cores} cores here: players get less than their time"
        ));
    }
}

/// What every match is played with.
struct Desk<'d> {
    tournament: &'d Tournament,
    games: &'d [Game],
    options: &'d FixtureOptions,
    context: &'d Context,
}

impl Desk<'_> {
    /// Plays a match.
    fn play(&self, fixture: &Fixture) -> (MatchResult, Option<MatchRecord>) {
        let Some(game) = self.games.get(fixture.game) else {
            return (MatchResult::failed(self.tournament, fixture, "there is no such game"), None);
        };
        let clock = self.context.limits.clock.clone();
        // Progress is told of matches, not of what happens in them.
        let budget = Budget::unlimited().with_memory(self.context.limits.budget().memory());
        match play_fixture(self.tournament, fixture, game, self.options, clock, &budget) {
            Ok(played) => (MatchResult::of(self.tournament, fixture, &played), Some(played.record())),
            Err(error) => (MatchResult::failed(self.tournament, fixture, error.to_string()), None),
        }
    }
}

/// Plays matches, some at once, and passes on each result as it comes. Gives the limit that was reached
/// before all were played.
fn play_all(
    left: VecDeque<&Fixture>,
    desk: &Desk<'_>,
    arguments: &TournamentArguments,
    finished: &mut dyn FnMut(MatchResult) -> Result<(), Failure>,
) -> Result<Option<LimitError>, Failure> {
    let left = Mutex::new(left);
    let budget = desk.context.limits.budget();
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    let (sender, receiver) = channel();
    std::thread::scope(|scope| {
        for _ in 0..arguments.threads {
            let sender = sender.clone();
            scope.spawn(move || {
                while budget.meter().check().is_ok()
                    && let Some(fixture) = next()
                {
                    if sender.send((fixture, desk.play(fixture))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        for (fixture, (result, record)) in receiver {
            if let (Some(folder), Some(record)) = (&arguments.record, record) {
                write_record(folder, fixture, &result, &record)?;
            }
            finished(result)?;
        }
        Ok::<(), Failure>(())
    })?;
    let all = left.lock().unwrap_or_else(PoisonError::into_inner).is_empty();
    Ok(if all { None } else { budget.meter().check().err() })
}

/// Writes a record under a name that says who played what.
fn write_record(
    folder: &Path,
    fixture: &Fixture,
    result: &MatchResult,
    record: &MatchRecord,
) -> Result<(), Failure> {
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_alphanumeric() || "-_.=+".contains(c) { c } else { '_' }).collect()
    };
    let players: Vec<String> = result.players.iter().map(|player| safe(player)).collect();
    let mut name = format!("{}.round-{}.{}", safe(&result.game), fixture.round, players.join("."));
    // File names have an end; the seed tells apart what was cut off.
    name.truncate(name.char_indices().nth(200).map_or(name.len(), |(at, _)| at));
    let path = folder.join(format!("{name}.{}.json", fixture.seed));
    std::fs::write(&path, format!("{}\n", record.write()))
        .map_err(|e| Failure::input(format!("cannot write `{}`: {}", path.display(), reason(&e))))
}
