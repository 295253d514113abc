//! An installed clingo, asked for one model.

use std::io::{self, Read, Write};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use ludex::logic::Budget;
use serde_json::Value;

/// What clingo answers.
pub enum Answer {
    /// The shown atoms of a model.
    Model(Vec<String>),
    /// There is no model.
    None,
    /// Why it does not say.
    Undecided(String),
}

/// How often the limits are looked at while clingo works.
const LOOK: Duration = Duration::from_millis(50);
/// More than this of an answer is not read.
const MOST_BYTES: u64 = 64 << 20;

/// What the installed clingo says of its version; `None` where there is none.
pub fn version() -> Option<String> {
    let output = Command::new("clingo").arg("--version").stdin(Stdio::null()).output().ok()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    output.status.success().then(|| text.lines().next().unwrap_or_default().to_owned())
}

/// Has clingo look for a model. It is ended when a limit is reached.
pub fn ask(program: &str, budget: &Budget) -> Answer {
    let started = Command::new("clingo")
        .args(["--outf=2", "--models=1", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let mut child = match started {
        Ok(child) => child,
        Err(error) => return Answer::Undecided(format!("clingo does not start: {error}")),
    };
    let answer = converse(&mut child, program, budget);
    // It may have ended by itself; then there is nothing to kill.
    let _ = child.kill();
    let _ = child.wait();
    answer
}

fn converse(child: &mut Child, program: &str, budget: &Budget) -> Answer {
    let (Some(mut input), Some(output), Some(errors)) =
        (child.stdin.take(), child.stdout.take(), child.stderr.take())
    else {
        return Answer::Undecided("clingo cannot be talked to".to_owned());
    };
    let program = program.as_bytes().to_owned();
    // Where clingo stops listening, its answer says why.
    let writing = thread::Builder::new().spawn(move || input.write_all(&program));
    let begun = writing.and_then(|_| Ok((read(output)?, read(errors)?)));
    let (output, errors) = match begun {
        Ok(begun) => begun,
        Err(error) => return Answer::Undecided(format!("no thread can be begun to talk to clingo: {error}")),
    };
    let mut meter = budget.meter();
    let text = loop {
        match output.recv_timeout(LOOK) {
            Ok(text) => break text,
            Err(RecvTimeoutError::Disconnected) => break String::new(),
            Err(RecvTimeoutError::Timeout) => {}
        }
        if let Err(limit) = meter.check() {
            return Answer::Undecided(limit.to_string());
        }
    };
    understand(&text).unwrap_or_else(|| {
        let said = errors.recv_timeout(LOOK).unwrap_or_default();
        let first = said.lines().find(|line| !line.trim().is_empty()).unwrap_or("no answer");
        Answer::Undecided(format!("clingo: {}", first.trim()))
    })
}

/// All that a pipe says, once it is closed.
fn read(pipe: impl Read + Send + 'static) -> io::Result<Receiver<String>> {
    let (said, heard) = mpsc::channel();
    thread::Builder::new().spawn(move || {
        let mut bytes = Vec::new();
        // What was read until something failed is all there is.
        let _ = pipe.take(MOST_BYTES).read_to_end(&mut bytes);
        let _ = said.send(String::from_utf8_lossy(&bytes).into_owned());
    })?;
    Ok(heard)
}

/// Clingo's answer as JSON (`--outf=2`); `None` where it is none.
fn understand(text: &str) -> Option<Answer> {
    let object: Value = serde_json::from_str(text).ok()?;
    match object.get("Result")?.as_str()? {
        "UNSATISFIABLE" => Some(Answer::None),
        "SATISFIABLE" | "OPTIMUM FOUND" => {
            let atoms = object.pointer("/Call/0/Witnesses/0/Value")?.as_array()?;
            let texts: Option<Vec<String>> =
                atoms.iter().map(|atom| atom.as_str().map(str::to_owned)).collect();
            texts.map(Answer::Model)
        }
        other => Some(Answer::Undecided(format!("clingo answers {}", other.to_lowercase()))),
    }
}
