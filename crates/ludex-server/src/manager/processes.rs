//! Built-in players: each a process of its own, asked over the same wire as all players.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ludex::gdl::Notation;
use ludex::matches::message::Request;

use super::options::BuiltInOptions;
use crate::clock::now;
use crate::driver::{Asking, Correspondent, HttpClient, HttpPlayer, NoAnswer, PlayerAddress};
use crate::lock::lock;

/// The processes of built-in players.
#[derive(Debug)]
pub(super) struct Processes {
    options: Option<BuiltInOptions>,
    slots: Mutex<BTreeMap<ProcessName, Slot>>,
}

/// Which process it is. Players of one strategy share a process, but a process plays one seat of a match only:
/// the messages of a match say to whom they are by its name and not by the seat.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ProcessName {
    /// The strategy with its options.
    pub(super) strategy: String,
    /// How many seats before it have the same strategy in the match.
    pub(super) copy: usize,
}

/// A place for a process; locked while it starts.
type Slot = Arc<Mutex<Option<Process>>>;

#[derive(Debug)]
struct Process {
    child: Child,
    /// Kept open, so that the process can write to it.
    _output: BufReader<ChildStdout>,
    address: PlayerAddress,
    used: Instant,
}

/// The process ends with this.
impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Processes {
    pub(super) fn new(options: Option<BuiltInOptions>) -> Self {
        Self { options, slots: Mutex::default() }
    }

    /// Whether there can be any.
    pub(super) fn are_possible(&self) -> bool {
        self.options.is_some()
    }

    /// How many there are.
    pub(super) fn len(&self) -> usize {
        let slots: Vec<Slot> = lock(&self.slots).values().cloned().collect();
        slots.iter().filter(|slot| slot.try_lock().is_ok_and(|process| process.is_some())).count()
    }

    /// Where a strategy plays. Starts its process, if there is none or it has died.
    pub(super) fn address(&self, name: &ProcessName) -> Result<PlayerAddress, String> {
        let options = self.options.as_ref().ok_or("this manager runs no built-in players")?;
        let slot = Arc::clone(lock(&self.slots).entry(name.clone()).or_default());
        let strategy = &name.strategy;
        let mut process = lock(&slot);
        if let Some(running) = &mut *process {
            if matches!(running.child.try_wait(), Ok(None)) {
                running.used = now();
                return Ok(running.address.clone());
            }
            tracing::warn!(strategy, "the process of a built-in player has died, and is started again");
            *process = None;
        }
        self.make_room(options, name)?;
        let started = start(options, strategy)?;
        tracing::info!(strategy, address = %started.address, "a built-in player");
        Ok(process.insert(started).address.clone())
    }

    /// Ends the process that is idle for longest, if there are too many.
    fn make_room(&self, options: &BuiltInOptions, name: &ProcessName) -> Result<(), String> {
        let others = lock(&self.slots).clone();
        let others: Vec<Slot> =
            others.into_iter().filter(|(other, _)| other != name).map(|(_, slot)| slot).collect();
        // One that is locked starts just now, so it is not idle.
        let used = |slot: &Slot| slot.try_lock().ok().and_then(|process| Some(process.as_ref()?.used));
        let running: Vec<(Instant, &Slot)> =
            others.iter().filter_map(|slot| Some((used(slot)?, slot))).collect();
        if running.len() < options.processes.max(1) {
            return Ok(());
        }
        let oldest = running.into_iter().min_by_key(|(used, _)| *used);
        match oldest {
            Some((used, slot)) if used.elapsed() >= BUSY => {
                *lock(slot) = None;
                Ok(())
            }
            _ => Err(format!("there are {} built-in players at work already", options.processes)),
        }
    }

    /// Ends processes that nobody has used for long.
    pub(super) fn tidy(&self) {
        let Some(options) = &self.options else { return };
        let slots: Vec<Slot> = lock(&self.slots).values().cloned().collect();
        for slot in slots {
            if let Ok(mut process) = slot.try_lock()
                && process.as_ref().is_some_and(|process| process.used.elapsed() >= options.idle)
            {
                *process = None;
            }
        }
    }

    /// Ends all processes.
    pub(super) fn stop(&self) {
        let slots = std::mem::take(&mut *lock(&self.slots));
        for slot in slots.into_values() {
            *lock(&slot) = None;
        }
    }
}

/// A process that was asked something so recently is not ended for another.
const BUSY: Duration = Duration::from_secs(30);

/// Starts a process and waits until it says where it is.
fn start(options: &BuiltInOptions, strategy: &str) -> Result<Process, String> {
    let mut command = Command::new(&options.program);
    command.args(["player", "--port", "0", "--matches", "64", "--log", "off", "--strategy", strategy]);
    // It shares the machine with those that it would think against.
    command.args(["--ponder", "off"]);
    // Its input ends with this process, however that comes about, and so does it.
    command.arg("--until-input-ends");
    command.args(&options.arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| {
        // What is told stands in the records of matches; where programs are is nobody's business.
        tracing::error!(program = %options.program.display(), %error, "a built-in player does not start");
        format!("the player `{strategy}` does not start")
    })?;
    let Some(output) = child.stdout.take() else { return Err("a built-in player has no output".to_owned()) };
    let (said, heard) = mpsc::channel();
    let listening = std::thread::Builder::new().spawn(move || {
        let mut output = BufReader::new(output);
        let found = read_address(&mut output);
        // Nobody may wait any longer.
        let _ = said.send(found.map(|address| (address, output)));
    });
    let failed = match listening.map(|_| heard.recv_timeout(options.start)) {
        Err(error) => format!("no thread can be begun to hear the player `{strategy}`: {error}"),
        Ok(Ok(Some((address, output)))) => {
            return Ok(Process { child, _output: output, address, used: now() });
        }
        Ok(Ok(None)) => format!("the player `{strategy}` ended at once"),
        Ok(Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected)) => {
            format!("the player `{strategy}` did not start within {:?}", options.start)
        }
    };
    let _ = child.kill();
    let _ = child.wait();
    Err(failed)
}

/// How much a process may say before its address.
const PREFACE: u64 = 4096;

/// The address that a process says on a line of its own when it can be reached.
fn read_address(output: &mut impl BufRead) -> Option<PlayerAddress> {
    let mut lines = output.take(PREFACE);
    let mut line = String::new();
    while lines.read_line(&mut line).ok()? > 0 {
        if line.starts_with("http://") {
            return line.trim().parse().ok();
        }
        line.clear();
    }
    None
}

/// A seat of a built-in player.
#[derive(Clone, Debug)]
pub(super) struct BuiltInSeat {
    pub(super) processes: Arc<Processes>,
    pub(super) client: Arc<HttpClient>,
    pub(super) name: String,
    pub(super) process: ProcessName,
    pub(super) notation: Notation,
}

impl Correspondent for BuiltInSeat {
    fn ask(&self, request: &Request) -> Asking {
        let (seat, request) = (self.clone(), request.clone());
        Box::pin(async move {
            let Self { processes, client, name, process, notation } = seat;
            let found = tokio::task::spawn_blocking(move || processes.address(&process)).await;
            let found = found.map_err(|_| NoAnswer("the player could not be started".to_owned()))?;
            let address = found.map_err(NoAnswer)?;
            HttpPlayer { client, address, name, notation, secret: None }.ask(&request).await
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_is_not_there_is_not_told_by_its_place() {
        let failed = start(&BuiltInOptions::of("/home/organiser/no-such-program"), "legal").map(drop);
        assert_eq!(failed.unwrap_err(), "the player `legal` does not start");
    }
}
