//! Work on rules that somebody has brought: preparing them, describing them, drawing their states.
//!
//! Rules can be made to need more memory, stack or time than there is, whatever is counted. So a server has
//! this work done by processes of its own that are limited from outside: one that does not answer in time is
//! ended, and one that needs too much memory is ended by the system; whoever asked is told so, and the server
//! stands. A process answers many questions, one a line, and keeps a few games ready. The program is an option,
//! as that of built-in players is; where there is none, as in tests, the same work is done in this process.

mod answer;
mod assess;
mod failures;
mod in_time;
mod know;
mod pool;
mod process;
mod question;

use std::io::{BufRead, Write};
use std::path::PathBuf;
use std::sync::mpsc;
use std::time::Duration;

pub(crate) use answer::{game_options, seat_roles, timed_seat_roles};
pub(crate) use pool::{Preparation, PreparationFailure};
pub(crate) use question::{
    About, AssessWish, Assessed, Description, FactGroup, KnowWish, Known, KnownOutcome, MoveAssessed,
    MoveShown, PositionAssessed, PositionWish, Rulesheet, ShowWish, Shown, StatePicture, ToldStep, ToldWish,
    WorkLimits,
};

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
    /// How long a process may take for an answer before it is ended.
    pub patience: Duration,
    /// How many processes there may be.
    pub processes: usize,
    /// How many questions may wait for a process. More are refused.
    pub waiting: usize,
    /// How long it is remembered that a question had no answer. Until then there is no work on the same question
    /// again, nor on any about rules for which a process had to be ended.
    pub failures: Duration,
}

impl PreparationOptions {
    /// This program; 1.5 GiB, 30 seconds, 2 processes, 256 waiting, a minute for failures.
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            memory: 3 << 29,
            patience: Duration::from_secs(30),
            processes: 2,
            waiting: 256,
            failures: FAILURES,
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
