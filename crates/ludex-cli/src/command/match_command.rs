//! `ludex match`: a match between programs over HTTP, without a server.

mod curve;
mod episodes;
mod in_time;
mod line_file;
mod opponent;
mod screen;
mod sheets;
mod terms;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use ludex::logic::Clock as _;
use ludex::matches::records::records_text;
use ludex::matches::referee::{Patience, Referee, RefereeSetup};
use ludex::{Game, MatchStatus, Playable};
use ludex_server::driver::{Driver, DriverOptions, MatchFailure, MatchJob, RunningMatch};
use ludex_server::journal::{FileJournal, Journal, JournalError, KeptEntry, NoJournal, match_entries};
use serde::de::DeserializeOwned;

use crate::Context;
use crate::command::learn::read_all;
use crate::command::shown::Shown;
use crate::failure::{FAULTY, Failure};
use crate::limits::duration;
use crate::output::write_file;
use crate::picture::Picture;
use crate::rulesheet::{LoadArguments, notation, reason};
use crate::time_arguments::TimeArguments;
use opponent::{Opponent, opponent};
use screen::{Look, Seen};
use sheets::{Sheet, sheet};

/// Arguments of `match`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex match tic-tac-toe --players localhost:9147,localhost:9148
  ludex match connect-four --players http://player.example:9147,ludex --record match.json
  ludex match checkers --players host:9147,uct --bank 5m --increment 2s
  ludex match checkers --players host:9147,uct --journal match.jsonl
  ludex match checkers --players host:9147,uct --journal match.jsonl --resume
  ludex match rapid-connect-four --players host:9147,ludex --play-clock 1s
  ludex match lights-in-sentences --players ludex --sheet robot=lights-alike
  ludex match tic-tac-toe --players ludex,ludex --records matches.jsonl --learners white
  ludex match buttons-and-lights --blind --players random --episodes 100 --svg curve.svg

A PLAYER is a program that plays by HTTP, as host:port or URL, or the name of a strategy
that `ludex players` lists, with options if need be: that one is started for the match.
There is one for each role, in the order of the rules, but none for `random`.
What a player does not answer in time, or wrongly, is replaced by a random legal move, and
the record says what was wrong.
With --journal, each step is on the disk before anybody is told of it; after a crash
--resume goes on, under the terms of the journal, and sends the last messages once more.
--sheet gives a player another description than the manager's, as in chapter 19.7 of the
book: sentences that may leave things open. They must be true in the game: each is proved
from the rules, or looked at in random games.
With --time-cost F each role gets its goal less F for each second of its thinking, and
never less than 0.
--blind tells players no rules, but what they can do, what they perceive and what that
is worth to them (chapter 20.4). What they do that is not legal is replaced, which is
how they learn of it, and no fault. The players stay from one of the --episodes to the
next; episode N has the seed --seed + N - 1. --record has a record on each line then.
--records tells players matches of the game in place of its rules (chapter 20.3); the
players learn within the start clock.
--json: the match record alone, as --record writes it. With --blind: an object with
game, rulesheet_sha256, seed, blind (roles), players (by role), episodes (a list of
match_id, seed, steps, completed, utilities, refused and faults by role), summary (by
role: first_tenth, last_tenth, best, refused_first_tenth, refused_last_tenth) and
stopped (null, or why there are fewer).
Exit codes: 0 played to the end without a fault, 1 ended early or the input is bad, 2 the
command line is bad, 3 played to the end, but a player failed.")]
pub struct MatchArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "GAME")]
    file: String,

    /// Who plays, one for each role
    #[arg(long, short, value_name = "PLAYER,...", required = true, value_delimiter = ',',
          value_parser = opponent)]
    players: Vec<Opponent>,

    /// What the players are called in messages and records [default: as in --players]
    #[arg(long, value_name = "NAME,...", value_delimiter = ',', conflicts_with = "resume")]
    names: Vec<String>,

    /// The time to get ready; players are told whole seconds
    #[arg(long, value_name = "TIME", default_value = "30s", value_parser = duration)]
    start_clock: Duration,

    /// The time for each move; players are told whole seconds. In real time, how long one unit of
    /// game time lasts, which they are told exactly
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    play_clock: Duration,

    /// How much longer an answer is waited for because the network takes time, too
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration,
          help_heading = "Terms of the match")]
    grace: Duration,

    /// What is done with a player that fails in N steps in a row: keep, replace:N (it is not
    /// asked any more), abort:N
    #[arg(long, value_name = "WHAT", default_value = "keep", value_parser = terms::patience,
          help_heading = "Terms of the match")]
    patience: Patience,

    /// Stop after so many steps, or units of game time in real time
    #[arg(long, value_name = "N", default_value_t = 10_000, help_heading = "Terms of the match")]
    step_limit: u32,

    /// Decides all chances; another number each time where it is not given
    #[arg(long, value_name = "N", help_heading = "Terms of the match")]
    seed: Option<u64>,

    /// Give each player other words for everything in the rules
    #[arg(long, help_heading = "Terms of the match")]
    scramble: bool,

    /// Give a role this description of the game in place of the rules, in sentences that may leave things
    /// open (IGDL): ROLE=FILE
    #[arg(long = "sheet", value_name = "ROLE=FILE", value_parser = sheet, help_heading = "Terms of the match")]
    sheets: Vec<Sheet>,

    /// Tell the players who plays what, with the start message
    #[arg(long, help_heading = "Terms of the match")]
    introduce: bool,

    /// The notation of messages, for all players or one for each: prefix or infix
    #[arg(long, value_name = "NOTATION,...", default_value = "prefix", value_delimiter = ',',
          value_parser = notation, help_heading = "Terms of the match")]
    messages: Vec<ludex::gdl::Notation>,

    /// Let players that are started for the match remember in this file what they learn of games
    /// and opponents; see `ludex memory`
    #[arg(long, value_name = "FILE")]
    memory_file: Option<String>,

    /// Tell all players, or those of these roles, no rules
    #[arg(long, value_name = "ROLE,...", num_args = 0..=1, require_equals = true,
          default_missing_value = "", conflicts_with_all = ["journal", "sheets"], help_heading = "Without rules")]
    blind: Option<String>,

    /// Tell players records of matches in place of the rules: a file or a folder; they learn
    #[arg(long, value_name = "RECORDS", conflicts_with = "sheets", help_heading = "Without rules")]
    records: Vec<String>,

    /// Who is told records [default: all who are not blind]
    #[arg(
        long,
        value_name = "ROLE,...",
        value_delimiter = ',',
        requires = "records",
        help_heading = "Without rules"
    )]
    learners: Vec<String>,

    /// Play so many matches one after the other between the same players
    #[arg(long, value_name = "N", default_value_t = 1, requires = "blind", help_heading = "Without rules",
          value_parser = clap::value_parser!(u32).range(1..))]
    episodes: u32,

    /// Draw what the episodes are worth
    #[arg(long, value_name = "FILE", requires = "blind", help_heading = "Without rules")]
    svg: Option<String>,

    /// Keep each step in this file before it is told
    #[arg(long, value_name = "FILE")]
    journal: Option<String>,

    /// Go on with the match in the journal
    #[arg(long, requires = "journal")]
    resume: bool,

    /// Write the match record to this file
    #[arg(long, value_name = "FILE")]
    record: Option<String>,

    /// Print the result only
    #[arg(long, short)]
    quiet: bool,

    /// Print the match record alone
    #[arg(long, conflicts_with = "quiet")]
    json: bool,

    #[command(flatten)]
    time: TimeArguments,

    #[command(flatten)]
    load: LoadArguments,
}

/// Runs a match.
pub fn run(arguments: &MatchArguments, context: &mut Context) -> Result<(), Failure> {
    let game = match arguments.load.playable(&arguments.file, true, context)? {
        Playable::InSteps(game) => game,
        Playable::InTime(rules) => return in_time::run(arguments, &rules, context),
    };
    let sheets = sheets::texts(&arguments.sheets, &game, context)?;
    let records = records(arguments, context)?;
    let setup = RefereeSetup { records, ..terms::agreed(arguments, &game, sheets)? };
    if arguments.blind.is_some() {
        return episodes::run(arguments, &game, setup, context);
    }
    let (referee, journal) = referee(arguments, &game, setup)?;
    let picture =
        (!arguments.json && !arguments.quiet).then(|| Arc::new(Picture::new(game.rules(), context)));
    let shown = Shown { picture, alone: true };
    if shown.picture.is_some() {
        show_begin(&game, &referee, &shown, context)?;
    }
    let seats = opponent::seated(arguments, &referee.setup().seats, referee.setup().seed)?;
    let driver = driver(journal)?;
    let (look, seen) = Look::new(&referee);
    let players = seats.iter().map(|seat| Arc::clone(&seat.correspondent)).collect();
    let interrupted = interruption(&driver);
    let running = driver.run(MatchJob { referee, players, watcher: Box::new(look) });
    let stop = Stop { interrupted, resumable: arguments.journal.is_some(), until: None };
    let mut show = |seen: Seen, context: &mut Context| seen.show(&game, &shown, context);
    let referee = watch(running, &seen, &stop, &mut show, context)?;
    finish(arguments, &referee, &shown, context)
}

/// What is told of matches in place of rules.
fn records(arguments: &MatchArguments, context: &Context) -> Result<Option<String>, Failure> {
    if arguments.records.is_empty() {
        return Ok(None);
    }
    Ok(Some(records_text(&read_all(&arguments.records, context)?)))
}

/// What runs the match.
fn driver(journal: Box<dyn Journal>) -> Result<Driver, Failure> {
    Driver::start(journal, DriverOptions::default())
        .map_err(|error| Failure::input(format!("no match can be run: {}", reason(&error))))
}

/// A referee of a new match, or of the one in the journal.
fn referee(
    arguments: &MatchArguments,
    game: &Game,
    setup: RefereeSetup,
) -> Result<(Referee, Box<dyn Journal>), Failure> {
    let rules = game.rules().clone();
    let begun = taken_up(arguments)?;
    let referee = match &begun.entries[..] {
        [] => Referee::new(rules, setup),
        entries => Referee::resume(rules, entries),
    };
    let referee = referee.map_err(|error| Failure::input(error.to_string()))?;
    Ok((referee, begun.journal(arguments)?))
}

/// What there is of a match already: nothing, where it begins.
struct Begun<E> {
    entries: Vec<E>,
    /// The journal that the entries are in.
    journal: Option<FileJournal>,
}

/// Reads the journal of a match that is to go on.
fn taken_up<E: DeserializeOwned>(arguments: &MatchArguments) -> Result<Begun<E>, Failure> {
    let Some(file) = arguments.journal.as_ref().filter(|_| arguments.resume) else {
        return Ok(Begun { entries: Vec::new(), journal: None });
    };
    let unreadable = |error: JournalError| Failure::input(error.to_string());
    let (journal, lines) = FileJournal::open(file).map_err(unreadable)?;
    let entries = match &match_entries(lines).map_err(unreadable)?[..] {
        // A crash may have come before the first entry: then the match begins.
        [] => Vec::new(),
        [(_, entries)] => entries.iter().map(KeptEntry::read).collect::<Result<_, _>>().map_err(|error| {
            Failure::input(format!("`{file}` is no journal of a match of this game: {error}"))
        })?,
        matches => {
            let message = format!("`{file}` is a journal of {} matches", matches.len());
            return Err(Failure::input(message).hint("`ludex match` goes on with a journal of its own"));
        }
    };
    Ok(Begun { entries, journal: Some(journal) })
}

impl<E> Begun<E> {
    /// Where the match is written: to be called when it is known that there can be one.
    fn journal(self, arguments: &MatchArguments) -> Result<Box<dyn Journal>, Failure> {
        let Some(file) = &arguments.journal else { return Ok(Box::new(NoJournal)) };
        if let Some(journal) = self.journal {
            return Ok(Box::new(journal));
        }
        let journal = FileJournal::create(file).map_err(|error| match error {
            error @ JournalError::Exists { .. } => {
                Failure::input(error.to_string()).hint("`--resume` goes on with the match in it")
            }
            error => Failure::input(error.to_string()),
        })?;
        Ok(Box::new(journal))
    }
}

fn show_begin(game: &Game, referee: &Referee, shown: &Shown, context: &mut Context) -> Result<(), Failure> {
    let setup = referee.setup();
    let names = setup.seats.iter().map(|seat| &seat.player);
    let seats = game.seats().into_iter().zip(names);
    let seats: Vec<String> = seats.map(|(role, name)| format!("{} {name}", game.role_name(role))).collect();
    let console = &mut context.console;
    let (name, id, seed) = (console.bold(game.short_name()), &setup.id, setup.seed);
    writeln!(console, "{name}: {} (match {id}, seed {seed})", seats.join(", "))?;
    let course = referee.course();
    if !course.steps().is_empty() {
        writeln!(console, "after step {}", course.steps().len())?;
    }
    shown.state(game.rules(), course.history().state(), context)?;
    context.console.flush()?;
    Ok(())
}

/// What ends the match from this side.
struct Stop {
    /// Somebody has pressed Ctrl-C.
    interrupted: Arc<AtomicBool>,
    /// The match has a journal: then it is not over, whatever happens here.
    resumable: bool,
    /// When the match has lasted as long as it may, by the clock of the command.
    until: Option<Duration>,
}

/// Says when the command is interrupted. Who does so twice is not kept waiting.
fn interruption(driver: &Driver) -> Arc<AtomicBool> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    driver.on_interrupt(move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(INTERRUPTED);
        }
    });
    interrupted
}

/// The exit code of commands that were interrupted, by custom.
const INTERRUPTED: i32 = 130;

/// How often the limits of the command are looked at.
const GLANCE: Duration = Duration::from_millis(200);

/// Shows the match while it lasts.
fn watch<R, S>(
    running: RunningMatch<R>,
    seen: &mpsc::Receiver<S>,
    stop: &Stop,
    show: &mut dyn FnMut(S, &mut Context) -> Result<(), Failure>,
    context: &mut Context,
) -> Result<Box<R>, Failure> {
    let mut stopped = false;
    loop {
        match seen.recv_timeout(GLANCE) {
            Ok(seen) => {
                show(seen, context)?;
                context.console.flush()?;
            }
            Err(RecvTimeoutError::Timeout) => {}
            Err(RecvTimeoutError::Disconnected) => break,
        }
        if stop.until.is_some_and(|until| context.limits.clock.now() >= until)
            && !std::mem::replace(&mut stopped, true)
        {
            running.abort("it has lasted as long as it may");
        }
        let why = match context.limits.budget().meter().check() {
            _ if stop.interrupted.load(Ordering::Relaxed) => "it was interrupted".to_owned(),
            Err(limit) => limit.to_string(),
            Ok(()) => continue,
        };
        if stop.resumable {
            let failure = Failure::input(format!("the match is cut off: {why}"));
            return Err(failure.hint("`--resume` goes on with the match in the journal"));
        }
        if !std::mem::replace(&mut stopped, true) {
            running.abort(why);
        }
    }
    running.wait().map_err(|failure| {
        let input = Failure::input(failure.to_string());
        match failure {
            MatchFailure::Journal(_) => {
                input.hint("what is in the journal was told; `--resume` goes on from there")
            }
            MatchFailure::Panicked | MatchFailure::Stopped => input,
        }
    })
}

fn write_record(arguments: &MatchArguments, text: &str) -> Result<(), Failure> {
    let Some(file) = &arguments.record else { return Ok(()) };
    write_file(file, &format!("{text}\n"))
}

fn finish(
    arguments: &MatchArguments,
    referee: &Referee,
    shown: &Shown,
    context: &mut Context,
) -> Result<(), Failure> {
    let record = referee.record();
    let text = record.write();
    write_record(arguments, &text)?;
    if arguments.json {
        writeln!(context.console, "{text}")?;
    } else {
        shown.result(referee.course(), false, context)?;
    }
    let faulty = record.errors.iter().flatten().any(|error| !error.is_empty());
    let steps = referee.course().steps().len();
    match referee.status() {
        MatchStatus::Aborted(_) if steps < arguments.step_limit as usize => Err(Failure::Reported),
        _ if faulty => Err(Failure::Code(FAULTY)),
        _ => Ok(()),
    }
}
