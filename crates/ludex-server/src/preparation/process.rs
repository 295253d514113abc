//! A process that works on rules.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::time::Instant;

use super::PreparationOptions;
use crate::clock::now;

/// The longest answer, in bytes.
const ANSWER: u64 = 64 << 20;

/// A process that works on rules. It ends with this.
#[derive(Debug)]
pub(super) struct Process {
    child: Child,
    input: ChildStdin,
    answers: Receiver<String>,
    /// The hash of the rules that it was asked about last: it has that game ready.
    pub(super) knows: String,
    /// When it was asked last.
    pub(super) used: Instant,
}

/// Why there is no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Silence {
    /// It had ended before it was asked.
    Gone,
    /// It ended while it worked on the answer.
    Died,
    /// It took too long.
    Late,
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Process {
    pub(super) fn start(options: &PreparationOptions) -> std::io::Result<Self> {
        let mut command = Command::new(&options.program);
        command.args(["preparation", "--most-memory", &options.memory.to_string()]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn()?;
        let closed = || std::io::Error::other("a process has no input and output");
        let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or_else(closed)?;
        let (said, answers) = mpsc::channel();
        std::thread::Builder::new().name("answers".into()).spawn(move || {
            let mut output = BufReader::new(output);
            let mut line = String::new();
            // What is too long has no end, and is none.
            while output.by_ref().take(ANSWER).read_line(&mut line).is_ok_and(|length| length > 0) {
                if !line.ends_with('\n') || said.send(std::mem::take(&mut line)).is_err() {
                    break;
                }
            }
        })?;
        Ok(Self { child, input, answers, knows: String::new(), used: now() })
    }

    /// Asks and waits for the answer. Where there is none, the process is of no more use.
    pub(super) fn ask(&mut self, line: &str, options: &PreparationOptions) -> Result<String, Silence> {
        self.used = now();
        if !matches!(self.child.try_wait(), Ok(None)) {
            return Err(Silence::Gone);
        }
        // It reads at all times; an error means that it has ended, which the answer says, too.
        let _ = self.input.write_all(line.as_bytes()).and_then(|()| self.input.write_all(b"\n"));
        match self.answers.recv_timeout(options.patience) {
            Ok(answer) => Ok(answer),
            Err(RecvTimeoutError::Timeout) => Err(Silence::Late),
            Err(RecvTimeoutError::Disconnected) => Err(Silence::Died),
        }
    }
}
