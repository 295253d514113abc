//! The trace format: one JSON object a line.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::signature::Goal;

/// One value for each role, in order; a JSON object from role to value.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct ByRole<T>(pub Vec<(String, T)>);

impl<T> ByRole<T> {
    /// The value of this role.
    pub fn get(&self, role: &str) -> Option<&T> {
        self.0.iter().find(|(name, _)| name == role).map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for ByRole<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (role, value) in &self.0 {
            map.serialize_entry(role, value)?;
        }
        map.end()
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for ByRole<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Entries<T>(PhantomData<T>);
        impl<'de, T: Deserialize<'de>> Visitor<'de> for Entries<T> {
            type Value = ByRole<T>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object with one entry for each role")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<ByRole<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(ByRole(entries))
            }
        }
        deserializer.deserialize_map(Entries(PhantomData))
    }
}

/// The first line of a trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceHeader {
    /// The name of the game.
    pub game: String,
    /// The rulesheet it was recorded with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The digest of that rulesheet.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sha256: Option<String>,
    /// The roles in order.
    pub roles: Vec<String>,
}

/// One state of a playout, with everything that was asked about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TraceStep {
    /// Which playout, from 0.
    pub playout: u32,
    /// How many joint moves were made before.
    pub step: u32,
    /// The facts that hold, sorted as texts.
    pub state: Vec<String>,
    /// Whether the state is terminal.
    pub terminal: bool,
    /// The legal moves of each role, sorted as texts; given in terminal states too.
    pub legals: ByRole<Vec<String>>,
    /// The goal value of each role, where there is exactly one.
    pub goals: ByRole<Option<Goal>>,
    /// The moves made next, in the order of the roles, each empty where a role only waits; absent at the end of a playout.
    #[serde(default, skip_serializing_if = "Option::is_none", deserialize_with = "moves")]
    pub joint: Option<Vec<String>>,
}

/// Moves of roles; `null` stands for no move, where moves have no roles (Epilog).
fn moves<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Vec<String>>, D::Error> {
    let moves: Option<Vec<Option<String>>> = Deserialize::deserialize(deserializer)?;
    Ok(moves.map(|moves| moves.into_iter().map(Option::unwrap_or_default).collect()))
}

/// A record of playouts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trace {
    /// What was played.
    pub header: TraceHeader,
    /// The states in order.
    pub steps: Vec<TraceStep>,
}

/// Why a text is not a trace. Lines count from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// There is no first line.
    #[error("the trace is empty")]
    Empty,
    /// A line is not the JSON object it should be.
    #[error("line {line}: {cause}")]
    Line {
        /// The line.
        line: usize,
        /// What is wrong with it.
        cause: serde_json::Error,
    },
}

impl Trace {
    /// Reads a trace from its lines; blank lines are passed over.
    ///
    /// # Errors
    /// [`TraceError`] where a line cannot be read.
    pub fn read<T: AsRef<str>>(lines: impl IntoIterator<Item = T>) -> Result<Self, TraceError> {
        let mut header = None;
        let mut steps = Vec::new();
        for (number, line) in lines.into_iter().enumerate() {
            let text = line.as_ref().trim();
            if text.is_empty() {
                continue;
            }
            let at = |cause| TraceError::Line { line: number + 1, cause };
            if header.is_none() {
                header = Some(serde_json::from_str(text).map_err(at)?);
            } else {
                steps.push(serde_json::from_str(text).map_err(at)?);
            }
        }
        Ok(Self { header: header.ok_or(TraceError::Empty)?, steps })
    }

    /// The lines of the trace, without line ends.
    pub fn lines(&self) -> impl Iterator<Item = String> + '_ {
        // Plain data with text keys: JSON can always hold it.
        let header = serde_json::to_string(&self.header).unwrap_or_default();
        let steps = self.steps.iter().map(|step| serde_json::to_string(step).unwrap_or_default());
        std::iter::once(header).chain(steps)
    }

    /// The number of playouts.
    pub fn playouts(&self) -> usize {
        self.steps.chunk_by(|a, b| a.playout == b.playout).count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: [&str; 3] = [
        r#"{"game":"g","file":"g.kif","sha256":"00","roles":["x","o"]}"#,
        r#"{"playout":0,"step":0,"state":["(c 1)"],"terminal":false,"legals":{"x":["a","b"],"o":["a"]},"goals":{"x":null,"o":50},"joint":["a","a"]}"#,
        r#"{"playout":0,"step":1,"state":[],"terminal":true,"legals":{"x":[],"o":[]},"goals":{"x":0,"o":100}}"#,
    ];

    #[test]
    fn reading_and_writing_gives_the_same_lines() {
        let trace = Trace::read(LINES).unwrap();
        assert_eq!(trace.lines().collect::<Vec<_>>(), LINES);
        assert_eq!(trace.steps[0].goals.get("o"), Some(&Some(50)));
        assert_eq!(trace.playouts(), 1);
    }

    #[test]
    fn a_bad_line_is_named() {
        assert!(matches!(Trace::read([""]), Err(TraceError::Empty)));
        let error = Trace::read([LINES[0], "", "{}"]).unwrap_err();
        assert!(error.to_string().starts_with("line 3: missing field `playout`"), "{error}");
    }
}
