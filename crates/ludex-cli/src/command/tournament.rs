//! `ludex tournament`: how strong players are.

mod course;
mod journal;
pub(super) mod matches;
mod report;
mod tables;
mod tree;

use std::io::Write;
use std::num::{NonZero, NonZeroU32};
use std::path::PathBuf;
use std::time::Duration;

use ludex::Playable;
use ludex::logic::LimitError;
use ludex::tournament::{
    FixtureOptions, Format, MatchResult, RunningTest, RunningTournament, SequentialTest, Tournament,
    TournamentEvent, TournamentGame, TournamentSetup,
};

use crate::Context;
use crate::failure::{Failure, say};
use crate::limits::{Limits, duration, size, thread_count};
use crate::player_text::player_text;
use crate::remembering::registry_with_memory;
use crate::rulesheet::{LoadArguments, reason};
use crate::time_arguments::TimeArguments;
use journal::{Journal, Terms};
use matches::{MatchSettings, play_all};
use report::Outcome;
use tables::TableFolder;

/// Arguments of `tournament`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex tournament --players uct,random --games nim,connect-four --clock 200ms
  ludex tournament -p uct:c=0.4,uct -g my.kif -r 10 --threads 4 --out t.jsonl
  ludex tournament -p uct:c=0.4,uct -g my.kif -r 20 --threads 4 --resume t.jsonl
  ludex tournament -p ludex,uct,legal,random -g connect-four --format double
  ludex tournament -p uct:c=0.4,uct -g connect-four --sprt 0,50 --out test.jsonl
  ludex tournament -p uct,random -g nim -r 10 --parquet tables
  ludex tournament -p ludex,uct -g connect-four -r 10 --bank 5s --increment 50ms

PLAYER is a strategy that `ludex players` lists, with options if need be:
NAME:OPTION=VALUE. FORMAT is one of
  round-robin  In each round every pair of players meets in every game on every
               seating: with two seats twice; with more, each of the two has each
               seat alone once, the other the rest. Games with one seat are played
               alone, and players are compared by what they got in the same round.
  cumulative   In each round every player has each seat of each game once, with
               others in turn; goals are added up.
  swiss        In each round everybody meets one other player who has about as many
               points, and nobody twice if it can be avoided; an odd player has a
               bye. Tie breaks: Buchholz, Sonneborn-Berger.
  single       A bracket in the order of the players: who loses is out.
  double       Who loses twice is out.
In the last three, games take turns from round to round; two players meet in so many
--legs, changing seats, and whoever got more in all of them wins; with more than two
seats they share the seats, every other one. In brackets a draw is played again, and
after --replays the lot decides.

The share of a match is own goals / (own + opponent's), one half where both are 0;
goals on several seats count by their mean. Intervals of shares are Wilson's score
intervals of 95 % with shares as fractional wins. Ratings are those of the model of
Bradley and Terry by the MM algorithm (Hunter 2004), in units of Elo with mean 0,
with one drawn match against an average player added for each; their intervals come
from the observed information. Matches that end early count in no share.
With --time-cost F a match brings each player its goal less F for each second of its
thinking, and never less than 0. These rewards count in place of goals, and a share is
one half and as much as the player is ahead, of 200 points.

--sprt LOW,HIGH is a sequential test (Wald, 1945): the first player is stronger than the
second by HIGH Elo or more, or by LOW or less. The matches of a round have the same
opening of random moves on all seatings and count together; as soon as one statement is
19 times as likely by the results as the other, no more matches are begun, and a wrong
decision has a likelihood of 5 %. --rounds is the most that are played, 1000 where it is
not given. So that results do not depend on the machine, give players counts of work
(playouts=N) and a --clock that they never need.

--out writes each match when it is finished, as a line of JSON, so that a tournament
may be stopped at any time; --resume goes on with it, in a round robin with more
players, games or rounds if wanted.
--parquet writes tables for pandas, Polars and DuckDB when the command ends:
records.parquet (match, game, sha256, seed, completed, steps, record), seats.parquet
(match, game, role, player, goal), steps.parquet (match, step, role, move, seconds) and
players.parquet (player, matches, share, rating and more). `ludex verify` reads the
records. Until then each match is a line of unfinished.jsonl; where the command is
stopped, --resume with the same folder goes on with these, too.
--json: an object with setup, matches, players, pairings, games and methods; in other
formats also ranking and, in the last three, encounters.
Exit code 1 if not all matches were played.")]
pub struct TournamentArguments {
    /// The players, at least two
    #[arg(long, short, value_name = "PLAYER,...", required = true, value_delimiter = ',',
          value_parser = player_text)]
    players: Vec<String>,

    /// Rulesheets or names of bundled games
    #[arg(long, short, value_name = "FILE,...", required = true, value_delimiter = ',')]
    games: Vec<String>,

    /// Who meets whom
    #[arg(long, short, value_enum, default_value_t = FormatName::RoundRobin)]
    format: FormatName,

    /// How many rounds are played; 1, or in swiss enough for one to be ahead of all
    #[arg(long, short, value_name = "N")]
    rounds: Option<u32>,

    /// How many matches two players have when they meet; 1 in swiss, 2 in single and double
    #[arg(long, value_name = "N")]
    legs: Option<NonZeroU32>,

    /// How often they meet again in single and double before the lot decides; 2
    #[arg(long, value_name = "N")]
    replays: Option<u32>,

    /// How often a match is begun that ends early, before it counts as nothing
    #[arg(long, value_name = "N", default_value = "1")]
    attempts: NonZeroU32,

    /// The time for each move; 1s, or as long as --bank where that is given
    #[arg(long, short, value_name = "TIME", value_parser = duration)]
    clock: Option<Duration>,

    /// The time to get ready; ten times --clock where it is not given, or 10s
    #[arg(long, value_name = "TIME", value_parser = duration)]
    start_clock: Option<Duration>,

    /// How many matches are played at once; each player searches on one thread
    #[arg(long, short, value_name = "N", default_value_t = 1,
          value_parser = thread_count())]
    threads: u16,

    /// Decides all chances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// The memory of each player for trees and tables (512M, 4G); 1G where it is not given, and less where
    /// more than a few play in a match
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,

    /// Tell players who plays, how the tournament is held and how it stands; some play for what counts in it
    #[arg(long)]
    introduce: bool,

    /// Let players remember in this file what they learn of games and of each other; see `ludex memory`
    #[arg(long, value_name = "FILE")]
    memory_file: Option<String>,

    /// Stop a match after so many steps
    #[arg(long, value_name = "N", default_value_t = 1000)]
    step_limit: u32,

    /// Test whether the first of two players is stronger by HIGH Elo or more, or by LOW or less, and stop as soon
    /// as that is decided
    #[arg(long, value_name = "LOW,HIGH", allow_hyphen_values = true)]
    sprt: Option<SequentialTest>,

    /// Begin each match with so many random joint moves, the same on all seatings of a round; 0, or 4 with --sprt
    #[arg(long, value_name = "N")]
    opening: Option<u32>,

    /// Write each finished match to this new file
    #[arg(long, value_name = "FILE", conflicts_with = "resume")]
    out: Option<String>,

    /// Go on with the tournament in this file
    #[arg(long, value_name = "FILE")]
    resume: Option<String>,

    /// Write the record of each match to this folder
    #[arg(long, value_name = "DIR")]
    record: Option<PathBuf>,

    /// Write tables of all matches to this folder, as Parquet files
    #[arg(long, value_name = "FOLDER")]
    parquet: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    time: TimeArguments,

    #[command(flatten)]
    load: LoadArguments,
}

/// The formats as they are written in commands. The variants have no documentation of their own: it would
/// stretch `--help`, which explains them at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum FormatName {
    RoundRobin,
    Swiss,
    Single,
    Double,
    Cumulative,
}

impl From<FormatName> for Format {
    fn from(name: FormatName) -> Self {
        match name {
            FormatName::RoundRobin => Self::RoundRobin,
            FormatName::Swiss => Self::Swiss,
            FormatName::Single => Self::SingleElimination,
            FormatName::Double => Self::DoubleElimination,
            FormatName::Cumulative => Self::Cumulative,
        }
    }
}

/// The time for each move where nothing else is said.
const USUAL_CLOCK: Duration = Duration::from_secs(1);
/// A sequential test ends undecided after so many rounds.
const TEST_ROUNDS: u32 = 1000;
/// So many random joint moves make most matches of a test different.
const TEST_OPENING: u32 = 4;

/// Two legs let both players have both seats.
const BRACKET_LEGS: NonZeroU32 = NonZeroU32::new(2).unwrap();
const BRACKET_REPLAYS: u32 = 2;

impl TournamentArguments {
    /// What was agreed; an option that the format has no use for is an error.
    fn setup(&self, games: &[Playable]) -> Result<TournamentSetup, Failure> {
        let format = Format::from(self.format);
        let useless = [
            ("--rounds", self.rounds.is_some() && format.is_elimination()),
            ("--legs", self.legs.is_some() && !format.has_encounters()),
            ("--replays", self.replays.is_some() && !format.is_elimination()),
        ];
        if let Some((option, _)) = useless.into_iter().find(|(_, useless)| *useless) {
            return Err(Failure::Usage(format!("{format} has no use for {option}")));
        }
        if self.sprt.is_some() && (self.players.len() != 2 || format != Format::RoundRobin) {
            return Err(Failure::Usage("--sprt compares two players in a round robin".to_owned()));
        }
        let rounds = match format {
            Format::Swiss => TournamentSetup::swiss_rounds(self.players.len()),
            _ if self.sprt.is_some() => TEST_ROUNDS,
            _ => 1,
        };
        let entry =
            |game: &Playable| TournamentGame { name: game.short_name().to_owned(), seats: game.seats() };
        let tournament = Tournament {
            players: self.players.clone(),
            games: games.iter().map(entry).collect(),
            rounds: self.rounds.unwrap_or(rounds),
            seed: self.seed,
        };
        let (legs, replays) =
            if format.is_elimination() { (BRACKET_LEGS, BRACKET_REPLAYS) } else { (NonZeroU32::MIN, 0) };
        Ok(TournamentSetup {
            legs: self.legs.unwrap_or(legs),
            replays: self.replays.unwrap_or(replays),
            attempts: self.attempts,
            // Players are made anew for each match, so that any number of matches can go on at once.
            per_player: NonZeroU32::MAX,
            ..TournamentSetup::new(tournament, format)
        })
    }

    fn options(&self, games: &[Playable], limits: &Limits) -> FixtureOptions {
        // Of one match: what comes of it shall not depend on how many are played at once, as long as the system gives
        // the process enough.
        let players = games.iter().map(Playable::seats).max().unwrap_or(1);
        let memory = limits.memory_of_players(self.memory, players);
        let clock = self.clock.unwrap_or(USUAL_CLOCK);
        let at_once = players.saturating_mul(usize::from(self.threads));
        FixtureOptions {
            start_clock: self.start_clock.unwrap_or(clock.saturating_mul(10)),
            play_clock: self.clock.or(self.time.bank).unwrap_or(clock),
            bank: self.time.bank(),
            time_cost: self.time.time_cost,
            step_limit: self.step_limit,
            memory: if self.memory.is_some() { memory } else { limits.memory_of_each(memory, at_once) },
            opening: self.opening.unwrap_or(if self.sprt.is_some() { TEST_OPENING } else { 0 }),
            setting: None,
        }
    }
}

/// Plays and compares.
pub fn run(arguments: &TournamentArguments, context: &mut Context) -> Result<(), Failure> {
    let mut games = Vec::new();
    for file in &arguments.games {
        games.push(arguments.load.playable(file, false, context)?);
    }
    if games.iter().any(|game| matches!(game, Playable::InTime(_))) {
        arguments.time.refuse_in_time()?;
    }
    let setup = arguments.setup(&games)?;
    let mut competition = RunningTournament::new(setup).map_err(|e| Failure::Usage(e.to_string()))?;
    let options = arguments.options(&games, &context.limits);
    let told_and_kept = (arguments.introduce, arguments.memory_file.is_some());
    let terms = Terms::new(competition.setup(), &games, &options, told_and_kept);
    let (mut journal, mut tables) = begin_files(arguments, &mut competition, &terms, &context.limits)?;
    if let Some(folder) = &arguments.record {
        std::fs::create_dir_all(folder).map_err(|e| {
            Failure::input(format!("cannot make the folder `{}`: {}", folder.display(), reason(&e)))
        })?;
    }
    warn_of_crowding(arguments.threads);
    let registry = registry_with_memory(arguments.memory_file.as_deref())?;
    let tournament = competition.tournament().clone();
    let settings = MatchSettings {
        tournament: &tournament,
        games: &games,
        options: &options,
        registry: &registry,
        threads: arguments.threads,
        introduces: arguments.introduce,
        records: arguments.record.as_deref(),
        context,
    };
    let attempts = competition.setup().attempts.get();
    let mut test = arguments.sprt.map(|sprt| RunningTest::new(sprt, &tournament, attempts));
    if let Some(test) = &mut test {
        competition.results_as_they_came().for_each(|result| test.add(result));
    }
    let stopped = play_all(&mut competition, &settings, &mut test, &mut |competition, result, record| {
        // The record comes first: a match without result is played again, and then has another one.
        if let (Some(tables), Some(record)) = (&mut tables, record) {
            tables.add(record)?;
        }
        journal.add(&result)?;
        competition.apply(&TournamentEvent::Finished(result)).map_err(|e| Failure::input(e.to_string()))?;
        let played = competition.results_as_they_came().len() as u64;
        // Brackets and Swiss rounds have matches to come that nobody can name yet.
        let total = played + competition.open_matches() as u64;
        settings.context.limits.budget().report("matches", played, Some(total));
        Ok(())
    })?;
    if let Some(tables) = tables {
        let ranking = (competition.setup().format != Format::RoundRobin).then(|| competition.ranking());
        tables.finish(&competition.standings().players, ranking.as_deref())?;
    }
    let outcome = Outcome::new(&terms, &competition, test.map(|test| test.report()));
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
            Err(stopped_early(limit, &competition, arguments))
        }
    }
}

/// The files in which matches are kept, with the matches that are in them taken in.
fn begin_files(
    arguments: &TournamentArguments,
    competition: &mut RunningTournament,
    terms: &Terms,
    limits: &Limits,
) -> Result<(Journal, Option<TableFolder>), Failure> {
    let tables = arguments.parquet.as_deref();
    if let Some(file) = &arguments.resume {
        let (journal, before) = Journal::resume(file, terms, limits)?;
        go_on(competition, before, file)?;
        let resume = |folder| TableFolder::resume(folder, competition.results_as_they_came(), limits);
        return Ok((journal, tables.map(resume).transpose()?));
    }
    let tables = tables.map(|folder| TableFolder::create(folder, limits)).transpose()?;
    let journal = match &arguments.out {
        Some(file) => Journal::create(file, terms)?,
        None => Journal::none(),
    };
    Ok((journal, tables))
}

/// Takes in the results of a file. A round robin and a cumulative score pass over those of players, games
/// and rounds that there are no more; in other formats who meets whom depends on every result.
fn go_on(
    competition: &mut RunningTournament,
    before: Vec<(usize, MatchResult)>,
    file: &str,
) -> Result<(), Failure> {
    let chained = competition.setup().format.has_encounters();
    for (line, result) in before {
        let applied = competition.apply(&TournamentEvent::Finished(result));
        if let (Err(error), true) = (applied, chained) {
            return Err(Failure::input(format!("`{file}`, line {line}: {error}"))
                .hint("the same options go on with it; `--out FILE` begins another"));
        }
    }
    Ok(())
}

/// Says how much was not played, and how it can be.
fn stopped_early(
    limit: LimitError,
    competition: &RunningTournament,
    arguments: &TournamentArguments,
) -> Failure {
    let (played, rest) = (competition.results_as_they_came().len(), competition.open_matches());
    let what = if competition.setup().format.has_encounters() {
        format!("{limit}: the tournament is not over, {rest} matches or more were not played")
    } else {
        format!("{limit}: {rest} of {} matches were not played", played + rest)
    };
    match arguments.out.as_ref().or(arguments.resume.as_ref()) {
        Some(file) => Failure::input(what).hint(format!("`--resume {file}` plays them")),
        None => {
            Failure::input(what).hint("`--out FILE` makes a tournament that `--resume FILE` can go on with")
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
