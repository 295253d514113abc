//! Records of matches of either kind.

use std::io::Read;

use ludex_gdl::Dialect;
use serde::Deserialize;

use super::{MatchRecord, RecordError, TimedRecord};

/// A record of a match, in steps or in real time.
#[derive(Clone, Debug, PartialEq)]
pub enum AnyRecord {
    /// In steps.
    InSteps(Box<MatchRecord>),
    /// In real time.
    InTime(Box<TimedRecord>),
}

/// What tells the kind of a record.
#[derive(Deserialize)]
struct Kind {
    dialect: Option<String>,
}

/// Of which kind a record is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordKind {
    /// In steps.
    InSteps,
    /// In real time.
    InTime,
}

impl From<Kind> for RecordKind {
    fn from(kind: Kind) -> Self {
        let dialect = kind.dialect.as_deref().and_then(Dialect::named);
        if dialect.is_some_and(Dialect::is_timed) { Self::InTime } else { Self::InSteps }
    }
}

impl AnyRecord {
    /// Reads a record; those in real time say so by their language.
    ///
    /// ```
    /// use ludex_match::AnyRecord;
    ///
    /// assert!(matches!(AnyRecord::read(r#"{"matchId": "m1"}"#)?, AnyRecord::InSteps(_)));
    /// # Ok::<(), ludex_match::RecordError>(())
    /// ```
    ///
    /// # Errors
    /// [`RecordError`] where the text is not a JSON object with fields of the right kinds.
    pub fn read(text: &str) -> Result<Self, RecordError> {
        // What is no record is found out where it is read as one.
        let kind = serde_json::from_str::<Kind>(text).map_or(RecordKind::InSteps, Kind::into);
        Ok(match kind {
            RecordKind::InTime => Self::InTime(Box::new(TimedRecord::read(text)?)),
            RecordKind::InSteps => Self::InSteps(Box::new(MatchRecord::read(text)?)),
        })
    }

    /// Of which kind a record is that is read from somewhere. It is read to its end, and not kept.
    ///
    /// # Errors
    /// [`RecordError`] where it is not a JSON object.
    pub fn kind_of_reader(reader: impl Read) -> Result<RecordKind, RecordError> {
        Ok(serde_json::from_reader::<_, Kind>(reader)?.into())
    }

    /// That of a match in steps.
    pub fn in_steps(self) -> Option<MatchRecord> {
        match self {
            Self::InSteps(record) => Some(*record),
            Self::InTime(_) => None,
        }
    }

    /// That of a match in real time.
    pub fn in_time(self) -> Option<TimedRecord> {
        match self {
            Self::InSteps(_) => None,
            Self::InTime(record) => Some(*record),
        }
    }

    /// The record as one line of JSON, without a line end.
    pub fn write(&self) -> String {
        match self {
            Self::InSteps(record) => record.write(),
            Self::InTime(record) => record.write(),
        }
    }
}
