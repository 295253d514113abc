//! Playouts from records of any size, of which as many are kept as fit.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read};
use std::path::Path;

use flate2::bufread::MultiGzDecoder;
use ludex::game::{Trace, TraceHeader, TraceStep};

use crate::Context;
use crate::failure::Failure;
use crate::input::is_parquet_file;
use crate::limits::grouped;
use crate::rulesheet::reason;
use crate::trace_file::{Recorded, read, read_line};

/// A line of a file of lines is so long at most.
const LONGEST_LINE: u64 = 1 << 28;
/// Lines may be broken where noise is expected, but no more than so many times as often.
const TWICE: f64 = 2.0;

/// A playout, and what to call it.
pub struct Playout {
    /// The file, and which one of it.
    pub name: String,
    /// Its steps.
    pub trace: Trace,
}

/// Playouts that are kept: every one, or where there are more states than asked for, every second, fourth, eighth...
pub struct Sample {
    /// Those that are kept, in order.
    pub playouts: Vec<Playout>,
    /// How many playouts there are.
    pub all_playouts: u64,
    /// How many states there are.
    pub all_states: u64,
    /// How many lines could not be read.
    pub broken: u64,
    /// How many states were left out of playouts that are longer than all that is kept.
    cut: u64,
    lines: u64,
    every: u64,
    states: usize,
    most: usize,
    noise: f64,
}

impl Sample {
    /// Reads files, and in place of folders the files in them, and keeps playouts of so many states at most. Lines of
    /// traces may be broken as often as there is noise.
    ///
    /// # Errors
    /// A file cannot be read or is none of records, or more lines are broken than expected.
    pub fn read(files: &[String], most: usize, noise: f64, context: &Context) -> Result<Self, Failure> {
        let mut sample = Self {
            playouts: Vec::new(),
            all_playouts: 0,
            all_states: 0,
            broken: 0,
            cut: 0,
            lines: 0,
            every: 1,
            states: 0,
            most: most.max(1),
            noise,
        };
        for file in files_of(files)? {
            if !sample.read_lines(&file, context)? {
                for recorded in read(&file, &context.limits)? {
                    let (name, recorded) = recorded?;
                    sample.add_recorded(name, recorded)?;
                }
            }
            context.limits.budget().report("playouts read", sample.all_playouts, None);
        }
        if sample.broken as f64 > TWICE * noise * sample.lines as f64 {
            return Err(Failure::input(format!(
                "{} of {} lines cannot be read, which is more than --noise {noise} expects",
                grouped(sample.broken.into()),
                grouped(sample.lines.into())
            )));
        }
        Ok(sample)
    }

    /// The playouts as traces.
    pub fn traces(&self) -> Vec<Trace> {
        self.playouts.iter().map(|playout| playout.trace.clone()).collect()
    }

    /// What is missing, to be told.
    pub fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.cut > 0 {
            notes.push(format!(
                "playouts are longer than --states {}: {} of their states are left out",
                self.most,
                grouped(self.cut.into())
            ));
        }
        if self.every > 1 {
            notes.push(format!(
                "the records have {} states, more than --states {}: {} of {} playouts are learned from",
                grouped(self.all_states.into()),
                self.most,
                grouped(self.playouts.len() as u128),
                grouped(self.all_playouts.into())
            ));
        }
        if self.broken > 0 {
            notes.push(format!(
                "{} of {} lines of the records could not be read",
                grouped(self.broken.into()),
                grouped(self.lines.into())
            ));
        }
        notes
    }

    fn add_recorded(&mut self, name: String, recorded: Recorded) -> Result<(), Failure> {
        if recorded.is_empty() {
            return Ok(());
        }
        match recorded {
            Recorded::Match(record) => self.add(&name, record.to_trace()),
            Recorded::Trace(trace) | Recorded::Unordered(trace) => {
                let Trace { header, steps } = trace;
                for playout in steps.chunk_by(|a, b| a.playout == b.playout) {
                    let name = format!("{name}, playout {}", playout[0].playout);
                    self.add(&name, Trace { header: header.clone(), steps: playout.to_vec() });
                }
            }
            Recorded::Timed(_) => {
                return Err(Failure::input(format!(
                    "`{name}` is of a match in real time, of which nothing is learned"
                )));
            }
        }
        Ok(())
    }

    fn add(&mut self, name: &str, mut trace: Trace) {
        self.cut += trace.steps.len().saturating_sub(self.most) as u64;
        trace.steps.truncate(self.most);
        let number = self.all_playouts;
        self.all_playouts += 1;
        self.all_states += trace.steps.len() as u64;
        if !number.is_multiple_of(self.every) {
            return;
        }
        self.states += trace.steps.len();
        self.playouts.push(Playout { name: name.to_owned(), trace });
        while self.states > self.most && self.playouts.len() > 1 {
            self.every *= 2;
            let mut place = 0;
            self.playouts.retain(|_| {
                place += 1;
                place % 2 == 1
            });
            self.states = self.playouts.iter().map(|playout| playout.trace.steps.len()).sum();
        }
    }

    /// Reads a file of lines, one after the other, whatever its length; whether it is one.
    fn read_lines(&mut self, file: &str, context: &Context) -> Result<bool, Failure> {
        if is_parquet_file(file) || !Path::new(file).is_file() {
            return Ok(false);
        }
        let wrong =
            |error: std::io::Error| Failure::input(format!("cannot read `{file}`: {}", reason(&error)));
        let mut plain = BufReader::new(File::open(file).map_err(wrong)?);
        let is_compressed = plain.fill_buf().map_err(wrong)?.starts_with(&[0x1f, 0x8b]);
        let mut lines: Box<dyn BufRead> = if is_compressed {
            Box::new(BufReader::new(MultiGzDecoder::new(plain)))
        } else {
            Box::new(plain)
        };
        let mut header: Option<TraceHeader> = None;
        let mut steps: Vec<TraceStep> = Vec::new();
        let mut is_first = true;
        for number in 1_u64.. {
            let Some(line) = next_line(&mut lines).map_err(wrong)? else { break };
            let text = String::from_utf8_lossy(&line);
            let text = text.trim();
            if text.is_empty() {
                continue;
            }
            if std::mem::take(&mut is_first) {
                let is_trace = text.contains("\"roles\"") && !text.contains("\"moves\"");
                header = serde_json::from_str(text).ok().filter(|_| is_trace && text.ends_with('}'));
                // A record of its own may well have several lines.
                if header.is_none() && read_line(file, number, text).is_err() {
                    return Ok(false);
                }
                if header.is_some() {
                    continue;
                }
            }
            self.lines += 1;
            let Some(header) = &header else {
                match read_line(file, number, text) {
                    Ok(recorded) => self.add_recorded(format!("{file}#{number}"), recorded)?,
                    Err(_) if self.noise > 0.0 => self.broken += 1,
                    Err(error) => return Err(error),
                }
                continue;
            };
            match serde_json::from_str::<TraceStep>(text) {
                Ok(step) => {
                    if steps.first().is_some_and(|first| first.playout != step.playout) {
                        self.add_steps(file, header, &mut steps);
                        context.limits.budget().report("playouts read", self.all_playouts, None);
                    }
                    if steps.len() < self.most {
                        steps.push(step);
                    } else {
                        self.cut += 1;
                    }
                }
                Err(_) if self.noise > 0.0 => self.broken += 1,
                Err(error) => {
                    return Err(Failure::input(format!("`{file}` is not a trace: line {number}: {error}")));
                }
            }
        }
        if let Some(header) = &header {
            self.add_steps(file, header, &mut steps);
        }
        Ok(!is_first)
    }

    fn add_steps(&mut self, file: &str, header: &TraceHeader, steps: &mut Vec<TraceStep>) {
        if let Some(first) = steps.first() {
            let name = format!("{file}, playout {}", first.playout);
            self.add(&name, Trace { header: header.clone(), steps: std::mem::take(steps) });
        }
    }
}

/// The next line with its end, or none.
fn next_line(lines: &mut dyn BufRead) -> std::io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    lines.take(LONGEST_LINE).read_until(b'\n', &mut line)?;
    if line.len() as u64 == LONGEST_LINE {
        return Err(std::io::Error::other("a line is longer than 256 MB"));
    }
    Ok((!line.is_empty()).then_some(line))
}

/// These files, and in place of a folder the files in it, by name.
fn files_of(names: &[String]) -> Result<Vec<String>, Failure> {
    let mut files = Vec::new();
    for name in names {
        if !Path::new(name).is_dir() {
            files.push(name.clone());
            continue;
        }
        let wrong =
            |error: std::io::Error| Failure::input(format!("cannot read `{name}`: {}", reason(&error)));
        let mut inside = Vec::new();
        for entry in fs::read_dir(name).map_err(wrong)? {
            let path = entry.map_err(wrong)?.path();
            if path.is_file() {
                inside.push(path.to_string_lossy().into_owned());
            }
        }
        inside.sort();
        files.append(&mut inside);
    }
    Ok(files)
}
