//! What comes from the referee's thread to the screen.

use std::sync::mpsc::{self, Receiver, Sender};

use std::io::Write;

use ludex::game::{RoleId, State};
use ludex::matches::referee::Referee;
use ludex::{Fault, Game, MatchStep};
use ludex_server::driver::Watcher;

use crate::Context;
use crate::command::shown::Shown;
use crate::failure::Failure;

/// Something to be shown.
pub enum Seen {
    /// What went wrong before the first move.
    NotReady(RoleId, Fault),
    /// A step: its number from 1, and the state after it.
    Step(usize, Box<MatchStep>, State),
}

impl Seen {
    /// Shows it.
    pub fn show(&self, game: &Game, shown: &Shown, context: &mut Context) -> Result<(), Failure> {
        match self {
            Self::NotReady(role, fault) => {
                if shown.picture.is_some() {
                    let what = not_ready(fault);
                    writeln!(context.console, "{} {what}", game.role_name(*role))?;
                }
                Ok(())
            }
            Self::Step(number, step, state) => {
                shown.moves(game.rules(), *number, step, context)?;
                shown.state(game.rules(), state, context)
            }
        }
    }
}

fn not_ready(fault: &Fault) -> String {
    match fault {
        Fault::Timeout => "did not say in time that it is ready".to_owned(),
        Fault::Illegal(sent) | Fault::Malformed(sent) => format!("is not ready: it sent `{sent}`"),
        Fault::Failed(cause) => format!("is not ready: {cause}"),
        Fault::Replaced => "was not asked whether it is ready".to_owned(),
    }
}

/// Looks over the referee's shoulder, and passes on what is new.
pub struct Look {
    out: Sender<Seen>,
    ready: bool,
    steps: usize,
}

impl Look {
    /// Somebody who has seen what is there so far.
    pub fn new(referee: &Referee) -> (Self, Receiver<Seen>) {
        let (out, seen) = mpsc::channel();
        (Self { out, ready: false, steps: referee.course().steps().len() }, seen)
    }
}

impl Watcher for Look {
    fn changed(&mut self, referee: &Referee) {
        let course = referee.course();
        let faults = course.start_faults();
        if !self.ready && faults.iter().any(Option::is_some) {
            self.ready = true;
            for (role, fault) in course.rules().roles().zip(faults) {
                if let Some(fault) = fault {
                    let _ = self.out.send(Seen::NotReady(role, fault.clone()));
                }
            }
        }
        for (number, step) in (1..).zip(course.steps()).skip(self.steps) {
            if let Some(state) = course.history().state_at(number) {
                // Whoever is not interested any more need not be told.
                let _ = self.out.send(Seen::Step(number, Box::new(step.clone()), state.clone()));
            }
        }
        self.steps = course.steps().len();
    }
}
