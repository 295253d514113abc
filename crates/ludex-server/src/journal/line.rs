//! An entry with the match it belongs to, as a line of text.

use ludex::matches::referee::EntryNumber;
use serde::{Deserialize, Serialize};

use super::{JournalError, KeptEntry};

/// An entry of a match among those of other matches.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalLine {
    /// The match.
    #[serde(rename = "match")]
    pub match_id: String,
    /// Which entry of the match.
    pub number: EntryNumber,
    /// The entry.
    pub entry: KeptEntry,
}

/// The entries of each match, in the order in which the matches began. An entry that is there twice in
/// the same words counts once.
///
/// # Errors
/// [`JournalError::Order`] where an entry is missing, or there are two of the same number.
pub fn match_entries(
    lines: impl IntoIterator<Item = JournalLine>,
) -> Result<Vec<(String, Vec<KeptEntry>)>, JournalError> {
    let mut matches: Vec<(String, Vec<KeptEntry>)> = Vec::new();
    let mut places = std::collections::BTreeMap::new();
    for JournalLine { match_id, number: EntryNumber(found), entry } in lines {
        let place = *places.entry(match_id.clone()).or_insert_with(|| {
            matches.push((match_id.clone(), Vec::new()));
            matches.len() - 1
        });
        let entries = &mut matches[place].1;
        let expected = entries.len() as u64;
        if found == expected {
            entries.push(entry);
        } else if usize::try_from(found).ok().and_then(|number| entries.get(number)) != Some(&entry) {
            return Err(JournalError::Order { match_id, expected, found });
        }
    }
    Ok(matches)
}

#[cfg(test)]
mod tests {
    use ludex::matches::referee::Entry;

    use super::*;

    fn line(id: &str, number: u64, cause: &str) -> JournalLine {
        let entry = KeptEntry::of(&Entry::Ended { aborted: Some(cause.to_owned()), settled: None }).unwrap();
        JournalLine { match_id: id.to_owned(), number: EntryNumber(number), entry }
    }

    #[test]
    fn entries_are_sorted_by_match() {
        let lines = [line("b", 0, "x"), line("a", 0, "y"), line("b", 1, "z"), line("b", 1, "z")];
        let matches = match_entries(lines).unwrap();
        let counts: Vec<(&str, usize)> = matches.iter().map(|(id, e)| (id.as_str(), e.len())).collect();
        assert_eq!(counts, [("b", 2), ("a", 1)]);
    }

    #[test]
    fn a_gap_or_a_second_history_is_an_error() {
        for lines in [[line("a", 0, "x"), line("a", 2, "y")], [line("a", 0, "x"), line("a", 0, "y")]] {
            assert!(matches!(match_entries(lines), Err(JournalError::Order { expected: 1, .. })));
        }
        assert!(matches!(match_entries([line("a", 1, "x")]), Err(JournalError::Order { .. })));
    }
}
