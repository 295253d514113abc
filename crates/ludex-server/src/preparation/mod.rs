//! Work on rules that somebody has brought: preparing them, describing them, drawing their states.
//!
//! Rules can be made to need more memory, stack or time than there is, whatever is counted. So a server has
//! this work done by processes of its own that are limited from outside: one that does not answer in time is
//! ended, and one that needs too much memory is ended by the system; whoever asked is told so, and the server
//! stands. A process answers many questions, one a line, and keeps a few games ready. The program is an option,
//! as that of built-in players is; where there is none, as in tests, the same work is done in this process.

mod answer;
mod assess;
mod bundled_features;
mod explore;
mod explore_in_time;
mod failures;
mod guide;
mod held;
mod in_time;
mod know;
mod late;
mod playability;
mod pool;
mod process;
mod question;
mod short;

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

pub(crate) use answer::{game_options, seat_roles, timed_seat_roles};
pub(crate) use bundled_features::{BundledFeatures, bundled_features};
pub(crate) use guide::{Guide, GuidePart};
pub(crate) use pool::{Preparation, PreparationFailure};
pub(crate) use question::{
    About, AssessWish, Assessed, Description, ExploreStep, ExploreWish, Explored, ExploredState, FactGroup,
    KnowWish, Known, KnownOutcome, LegalAsked, MoveAssessed, MoveShown, PositionAssessed, PositionWish,
    Reasons, RoleMoves, Rulesheet, ShowWish, Shown, StatePicture, ToldStep, ToldWish, WorkLimits,
};

pub(crate) use held::held_bytes;
pub(crate) use late::is_late;

use answer::Bench;

/// How the processes are run that work on rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreparationOptions {
    /// The program: `ludex`. Its arguments are `preparation --most-memory BYTES`; it reads questions and writes
    /// answers, one a line, as [`work`] does.
    pub program: PathBuf,
    /// How many bytes of memory a process may have in all: what is counted while rules are prepared
    /// ([`GameLimits::memory`](crate::manager::GameLimits::memory)) and what is not.
    pub memory: u64,
    /// How long a process may take for an answer before it is ended, and whoever asked is told to try again: what is
    /// too much is counted, and takes less.
    pub patience: Duration,
    /// How many processes there may be.
    pub processes: usize,
    /// How many questions may wait for a process. More are refused.
    pub waiting: usize,
    /// How long it is remembered that a question had no answer. Until then there is no work on the same question
    /// again, nor on any about rules for which a process had to be ended.
    pub failures: Duration,
    /// How long a process may have nothing to do before it is ended.
    pub idle: Duration,
}

impl PreparationOptions {
    /// This program; 1.5 GiB, 2 minutes, 2 processes, 256 waiting, a minute for failures and without work.
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            memory: 3 << 29,
            patience: Duration::from_secs(120),
            processes: 2,
            waiting: 256,
            failures: FAILURES,
            idle: Duration::from_secs(60),
        }
    }
}

/// How long failures are remembered unless that is said otherwise.
const FAILURES: Duration = Duration::from_secs(60);

/// The stack of threads that work on rules: rulesheets nest.
pub(crate) const STACK: usize = 16 << 20;

/// What a process of a preparation does: answers questions until its input ends, and then ends at once, whatever
/// it is at. Returns where the output is closed.
///
/// # Errors
/// What the system says where there is no thread to be had.
pub fn work(mut output: impl Write + Send + 'static) -> std::io::Result<()> {
    let (asked, questions) = mpsc::channel::<String>();
    std::thread::Builder::new().name("questions".into()).spawn(move || {
        for line in std::io::stdin().lock().lines() {
            let Ok(line) = line else { break };
            if asked.send(line).is_err() {
                break;
            }
        }
        // Whoever asked is gone. What is being worked on is wanted by nobody.
        std::process::exit(0);
    })?;
    let bench = std::thread::Builder::new().name("bench".into()).stack_size(STACK).spawn(move || {
        let bench = Bench::default();
        for line in questions {
            let answer = bench.answer_line(&line);
            if writeln!(output, "{answer}").and_then(|()| output.flush()).is_err() {
                break;
            }
        }
    })?;
    if bench.join().is_err() {
        return Err(std::io::Error::other("the rules could not be worked on"));
    }
    Ok(())
}
