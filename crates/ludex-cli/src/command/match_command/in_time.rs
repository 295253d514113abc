//! Matches in real time.

use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, Sender};

use ludex::MatchStatus;
use ludex::game::{RoleId, TimedEvent, TimedRules, TimedState};
use ludex::gdl::GameTime;
use ludex::logic::Clock as _;
use ludex::matches::referee::SeatNumber;
use ludex::matches::referee::real_time::{TimedReferee, TimedSetup, Verdict};
use ludex_server::driver::{MatchJob, Watcher};
use ludex_server::journal::Journal;

use super::{MatchArguments, Stop, driver, interruption, opponent, taken_up, terms, watch, write_record};
use crate::Context;
use crate::failure::{FAULTY, Failure};
use crate::timed_text::{TimedPicture, event_text, goals_text, role_text};

/// Something to be shown.
enum Seen {
    /// What happened, and the state after all that the referee made known with it.
    Event(Box<TimedEvent>, TimedState),
    /// A move that was refused: when, and of which seat.
    Refused(GameTime, SeatNumber, String),
}

/// Looks over the referee's shoulder, and passes on what is new.
struct Look {
    out: Sender<Seen>,
    events: usize,
    moves: usize,
}

impl Look {
    /// Somebody who has seen what is there so far.
    fn new(referee: &TimedReferee) -> (Self, Receiver<Seen>) {
        let (out, seen) = mpsc::channel();
        let course = referee.course();
        (Self { out, events: course.events().len(), moves: course.arrivals().len() }, seen)
    }
}

impl Watcher<TimedReferee> for Look {
    fn changed(&mut self, referee: &TimedReferee) {
        let course = referee.course();
        for came in course.arrivals().iter().skip(self.moves) {
            if let Verdict::Refused(fault) = &came.verdict {
                // Whoever is not interested any more need not be told.
                let _ = self.out.send(Seen::Refused(came.time, came.seat, fault.to_string()));
            }
        }
        for event in course.events().iter().skip(self.events) {
            let _ = self.out.send(Seen::Event(Box::new(event.clone()), course.state().clone()));
        }
        (self.events, self.moves) = (course.events().len(), course.arrivals().len());
    }
}

/// Runs a match in real time.
///
/// # Errors
/// The terms make no match, somebody cannot be seated, or the match ends early.
pub fn run(arguments: &MatchArguments, rules: &TimedRules, context: &mut Context) -> Result<(), Failure> {
    let setup = terms::agreed_in_time(arguments, rules)?;
    let (referee, journal) = referee(arguments, rules, setup)?;
    let picture = (!arguments.json && !arguments.quiet).then(|| TimedPicture::new(rules, context));
    if let Some(picture) = &picture {
        show_begin(rules, &referee, picture, context)?;
    }
    let seats = opponent::seated(arguments, &referee.setup().seats, referee.setup().seed)?;
    let driver = driver(journal)?;
    let (look, seen) = Look::new(&referee);
    let players = seats.iter().map(|seat| Arc::clone(&seat.correspondent)).collect();
    let interrupted = interruption(&driver);
    let longest = arguments.play_clock.saturating_mul(arguments.step_limit);
    let longest = longest.saturating_add(arguments.start_clock).saturating_add(arguments.grace);
    let running = driver.run(MatchJob { referee, players, watcher: Box::new(look) });
    let stop = Stop {
        interrupted,
        resumable: arguments.journal.is_some(),
        until: context.limits.clock.now().checked_add(longest),
    };
    let mut show = |seen: Seen, context: &mut Context| {
        picture.as_ref().map_or(Ok(()), |picture| show(rules, &seen, picture, context))
    };
    let referee = watch(running, &seen, &stop, &mut show, context)?;
    finish(arguments, &referee, context)
}

/// A referee of a new match, or of the one in the journal.
fn referee(
    arguments: &MatchArguments,
    rules: &TimedRules,
    setup: TimedSetup,
) -> Result<(TimedReferee, Box<dyn Journal>), Failure> {
    let begun = taken_up(arguments)?;
    let referee = match &begun.entries[..] {
        [] => TimedReferee::new(rules.clone(), setup),
        entries => TimedReferee::resume(rules.clone(), entries),
    };
    let referee = referee.map_err(|error| Failure::input(error.to_string()))?;
    Ok((referee, begun.journal(arguments)?))
}

fn show_begin(
    rules: &TimedRules,
    referee: &TimedReferee,
    picture: &TimedPicture,
    context: &mut Context,
) -> Result<(), Failure> {
    let (setup, machine) = (referee.setup(), &**rules.machine());
    let seats = rules.seats().into_iter().zip(&setup.seats);
    let seats: Vec<String> =
        seats.map(|(role, seat)| format!("{} {}", role_text(machine, role), seat.player)).collect();
    let console = &mut context.console;
    let (name, id, seed) = (console.bold(rules.short_name()), &setup.id, setup.seed);
    writeln!(console, "{name}: {} (match {id}, seed {seed})", seats.join(", "))?;
    let course = referee.course();
    if course.now() > GameTime::ZERO {
        writeln!(console, "at {}", course.now())?;
    }
    let state = picture.updated(machine, course.state(), console);
    console.write_all(state.as_bytes())?;
    Ok(console.flush()?)
}

fn show(
    rules: &TimedRules,
    seen: &Seen,
    picture: &TimedPicture,
    context: &mut Context,
) -> Result<(), Failure> {
    let (machine, console) = (&**rules.machine(), &mut context.console);
    match seen {
        Seen::Event(event, state) => {
            writeln!(console, "\n{}", console.bold(&event_text(machine, event)))?;
            let state = picture.updated(machine, state, console);
            console.write_all(state.as_bytes())?;
        }
        Seen::Refused(time, seat, why) => {
            let role = rules.seats().get(seat.0 as usize).copied().unwrap_or(RoleId(0));
            writeln!(console, "at {time}: {}: {why}", role_text(machine, role))?;
        }
    }
    Ok(())
}

fn finish(arguments: &MatchArguments, referee: &TimedReferee, context: &mut Context) -> Result<(), Failure> {
    let record = referee.record();
    let text = record.write();
    write_record(arguments, &text)?;
    let course = referee.course();
    let console = &mut context.console;
    if arguments.json {
        writeln!(console, "{text}")?;
    } else {
        let gap = if arguments.quiet { "" } else { "\n" };
        let goals = goals_text(&**course.rules().machine(), course.goals());
        match course.status() {
            MatchStatus::Aborted(why) => {
                writeln!(console, "{gap}The match was ended at {}: {why}", course.now())?
            }
            _ => writeln!(console, "{gap}The game is over at {}: {goals}", course.now())?,
        }
    }
    let is_refused = |verdict: &Verdict| matches!(verdict, Verdict::Refused(_));
    let faulty = course.start_faults().iter().any(Option::is_some)
        || course.arrivals().iter().any(|came| is_refused(&came.verdict));
    match course.status() {
        MatchStatus::Aborted(_) => Err(Failure::Reported),
        _ if faulty => Err(Failure::Code(FAULTY)),
        _ => Ok(()),
    }
}
