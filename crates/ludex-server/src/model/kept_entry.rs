//! An entry as it is kept.

use serde::de::{DeserializeOwned, Error as _};
use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

/// An entry of a match as it is kept: JSON text. What it says is for the referee of its match, in steps
/// ([`Entry`](ludex::matches::referee::Entry)) or in real time
/// ([`TimedEntry`](ludex::matches::referee::real_time::TimedEntry)); what both have in common is known here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeptEntry(String);

/// What journals of both kinds say in the same words.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum CommonEntry {
    Ended {
        #[serde(rename = "aborted")]
        _aborted: Option<String>,
    },
    #[serde(untagged)]
    Other(serde::de::IgnoredAny),
}

impl KeptEntry {
    /// An entry to be kept.
    ///
    /// # Errors
    /// It cannot be written as JSON, which is so of no entry of a referee.
    pub fn of(entry: &impl Serialize) -> Result<Self, serde_json::Error> {
        serde_json::to_string(entry).map(Self)
    }

    /// An entry that was kept.
    pub fn from_text(text: String) -> Self {
        Self(text)
    }

    /// The JSON text, on one line.
    pub fn text(&self) -> &str {
        &self.0
    }

    /// The entry as its referee wrote it.
    ///
    /// # Errors
    /// It is none of this kind.
    pub fn read<E: DeserializeOwned>(&self) -> Result<E, serde_json::Error> {
        serde_json::from_str(&self.0)
    }

    /// Whether it only says that the match was gone on with.
    pub fn is_resumption(&self) -> bool {
        self.0 == "\"resumed\""
    }

    /// Whether it says that the match is over.
    pub fn is_end(&self) -> bool {
        matches!(self.read(), Ok(CommonEntry::Ended { .. }))
    }
}

impl Serialize for KeptEntry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(S::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for KeptEntry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer).map_err(D::Error::custom)?;
        Ok(Self(raw.get().to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use ludex::matches::referee::Entry;
    use ludex::matches::referee::real_time::TimedEntry;

    use super::*;

    #[test]
    fn both_kinds_of_matches_end_and_go_on_in_the_same_words() {
        let texts = |aborted: Option<String>| {
            let ends = [
                KeptEntry::of(&Entry::Ended { aborted: aborted.clone(), settled: None }).unwrap(),
                KeptEntry::of(&TimedEntry::Ended { aborted }).unwrap(),
            ];
            assert_eq!(ends[0], ends[1]);
            assert!(ends[0].is_end() && !ends[0].is_resumption());
        };
        [None, Some("ended".to_owned())].into_iter().for_each(texts);
        let resumed = [KeptEntry::of(&Entry::Resumed).unwrap(), KeptEntry::of(&TimedEntry::Resumed).unwrap()];
        assert_eq!(resumed[0], resumed[1]);
        assert!(resumed[0].is_resumption() && !resumed[0].is_end());
        let ready = KeptEntry::of(&Entry::Ready { faults: vec![], times: vec![] }).unwrap();
        assert!(!ready.is_end() && !ready.is_resumption());
    }
}
