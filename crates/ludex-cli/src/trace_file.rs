//! Traces from files: the lines of `record`ed playouts, match JSON, the XML of the Dresden Game
//! Controller; plain or compressed with gzip; and match JSON in tables of Parquet.

use std::path::Path;

use ludex::game::Trace;
use ludex::{AnyRecord, MatchRecord, RecordError, TimedRecord};

use crate::failure::Failure;
use crate::input::{is_parquet_file, read_recorded};
use crate::limits::Limits;
use crate::parquet::{RecordRow, read_records};

/// Something recorded that a game can be compared with.
pub enum Recorded {
    /// States in order.
    Trace(Trace),
    /// The same, but the roles are in no particular order.
    Unordered(Trace),
    /// A match.
    Match(Box<MatchRecord>),
    /// A match in real time.
    Timed(Box<TimedRecord>),
}

impl Recorded {
    /// The name of the game, and of its rulesheet where that is known.
    pub fn game(&self) -> (String, Option<String>) {
        match self {
            Self::Trace(trace) | Self::Unordered(trace) => {
                (trace.header.game.clone(), trace.header.file.clone())
            }
            Self::Match(record) => {
                let from_url = |url: &String| {
                    let mut parts = url.rsplit('/').filter(|part| !part.is_empty());
                    // Versions such as v0 follow the name.
                    let version = |p: &str| p.strip_prefix('v').is_some_and(|v| v.parse::<u32>().is_ok());
                    parts.find(|part| !version(part)).map(str::to_owned)
                };
                let name = record.game_name.clone().filter(|name| !name.is_empty());
                let name = name.or_else(|| record.game_meta_url.as_ref().and_then(from_url));
                (name.unwrap_or_default(), None)
            }
            Self::Timed(record) => (record.game_name.clone(), None),
        }
    }

    /// The rulesheet itself.
    pub fn rulesheet(&self) -> Option<&str> {
        match self {
            Self::Trace(_) | Self::Unordered(_) => None,
            Self::Match(record) => record.rulesheet.as_deref(),
            Self::Timed(record) => Some(&record.rulesheet),
        }
    }

    /// The name of the match; empty where it has none.
    pub fn match_name(&self) -> &str {
        match self {
            Self::Trace(_) | Self::Unordered(_) => "",
            Self::Match(record) => &record.match_id,
            Self::Timed(record) => &record.match_id,
        }
    }

    /// Whether it is of a match that was aborted before anything was played.
    pub fn is_empty(&self) -> bool {
        matches!(self, Self::Match(record) if is_unplayed(record))
    }

    /// The digest of the rulesheet.
    pub fn sha256(&self) -> Option<&str> {
        match self {
            Self::Trace(trace) | Self::Unordered(trace) => trace.header.sha256.as_deref(),
            Self::Match(record) => record.rulesheet_sha256.as_deref(),
            Self::Timed(record) => Some(&record.rulesheet_sha256),
        }
    }
}

/// What is in a file, each with what to call it.
pub type Traces = Box<dyn Iterator<Item = Result<(String, Recorded), Failure>>>;

/// Reads a file of any of these formats. Only match records come several in a file, one on each line or in each row
/// of a table, which is read as it is asked for.
///
/// # Errors
/// It cannot be read, or is of none of them.
pub fn read(file: &str, limits: &Limits) -> Result<Traces, Failure> {
    if is_parquet_file(file) {
        let file = file.to_owned();
        let rows = read_records(&file, limits)?;
        return Ok(Box::new(rows.map(move |row| read_row(&file, row?))));
    }
    Ok(Box::new(read_texts(file, limits)?.into_iter().map(Ok)))
}

/// Reads a match in a row of a table.
fn read_row(file: &str, RecordRow { name, record }: RecordRow) -> Result<(String, Recorded), Failure> {
    let wrong = |what: &dyn std::fmt::Display| Failure::input(format!("`{file}`, match `{name}`: {what}"));
    let recorded = whole(read_match(&record).map_err(|error| wrong(&error))?).map_err(|what| wrong(&what))?;
    Ok((format!("{file}#{name}"), recorded))
}

fn read_texts(file: &str, limits: &Limits) -> Result<Vec<(String, Recorded)>, Failure> {
    let text = read_recorded(file, limits)?;
    let wrong = |what: &dyn std::fmt::Display| Failure::input(format!("`{file}` is not a trace: {what}"));
    let one = |recorded| vec![(file.to_owned(), recorded)];
    let start = text.trim_start();
    if start.starts_with('<') {
        return Trace::read_dresden(&text).map(Recorded::Unordered).map(one).map_err(|e| wrong(&e));
    }
    let first = start.lines().next().unwrap_or_default();
    let is_trace = first.contains("\"roles\"") && !first.contains("\"moves\"") && first.ends_with('}');
    if start.starts_with('{') && !is_trace {
        // A record of its own may well have several lines.
        return match read_match(&text) {
            Ok(record) => Ok(one(whole(record).map_err(|what| wrong(&what))?)),
            Err(_) if read_match(first).is_ok() => read_matches(file, &text),
            Err(error) => Err(wrong(&error)),
        };
    }
    let mut trace = Trace::read(text.lines()).map_err(|e| wrong(&e))?;
    if trace.header.game.is_empty() {
        trace.header.game = stem(file);
    }
    Ok(one(Recorded::Trace(trace)))
}

/// Match records, one on each line.
fn read_matches(file: &str, text: &str) -> Result<Vec<(String, Recorded)>, Failure> {
    let wrong = |what: &dyn std::fmt::Display| Failure::input(format!("`{file}` is not a trace: {what}"));
    let lines = (1..).zip(text.lines()).filter(|(_, text)| !text.trim().is_empty());
    let records = (1..).zip(lines).map(|(number, (line, text)): (usize, (usize, &str))| {
        let record = read_match(text).map_err(|error| wrong(&format!("line {line}: {error}")))?;
        let recorded = whole(record).map_err(|what| wrong(&format!("match {number}: {what}")))?;
        Ok((format!("{file}#{number}"), recorded))
    });
    records.collect()
}

/// Reads a match record that is one line of a file.
///
/// # Errors
/// It is none, or says what cannot be.
pub fn read_line(file: &str, line: u64, text: &str) -> Result<Recorded, Failure> {
    let wrong = |what: &dyn std::fmt::Display| {
        Failure::input(format!("`{file}` is not a trace: line {line}: {what}"))
    };
    whole(read_match(text).map_err(|error| wrong(&error))?).map_err(|what| wrong(&what))
}

/// Reads a record of a match of either kind.
fn read_match(text: &str) -> Result<Recorded, RecordError> {
    Ok(match AnyRecord::read(text)? {
        AnyRecord::InSteps(record) => Recorded::Match(record),
        AnyRecord::InTime(record) => Recorded::Timed(record),
    })
}

/// Whether a match was aborted before anything was played.
fn is_unplayed(record: &MatchRecord) -> bool {
    record.is_aborted && record.states.is_empty() && record.moves.is_empty() && record.goal_values.is_none()
}

/// Refuses a record of a match that says nothing, or what cannot be.
fn whole(recorded: Recorded) -> Result<Recorded, String> {
    let contradiction = match &recorded {
        // A match that was aborted before anything was played has nothing to compare, and that is no fault.
        Recorded::Match(record)
            if !is_unplayed(record) && (record.roles.is_empty() || record.states.is_empty()) =>
        {
            return Err("there are no roles or states in it".to_owned());
        }
        Recorded::Match(record) => record.contradiction(),
        Recorded::Timed(record) => record.contradiction(),
        Recorded::Trace(_) | Recorded::Unordered(_) => None,
    };
    contradiction.map_or(Ok(recorded), |contradiction| Err(contradiction.to_string()))
}

/// The name of a file without folders and endings.
pub fn stem(file: &str) -> String {
    let name = Path::new(file).file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned());
    name.split('.').next().unwrap_or_default().to_owned()
}
