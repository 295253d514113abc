//! What a line expected and what was found, in words.

use super::{Quantity, Subject};

/// So many terms of a list are named.
const SHOWN: usize = 12;

/// Terms as a list that fits on a few lines.
pub(super) fn listed(texts: &[String]) -> String {
    if texts.is_empty() {
        return "nothing".to_owned();
    }
    let shown = texts.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
    let more = texts.len().saturating_sub(SHOWN);
    if more > 0 { format!("{shown}, and {more} more") } else { shown }
}

/// What a line speaks of, as `legal moves of white`.
pub(super) fn called(subject: &Subject) -> String {
    match subject {
        Subject::Legal(role) => format!("legal moves of {}", role.text),
        Subject::Facts => "facts".to_owned(),
        Subject::Next => "facts of the next position".to_owned(),
        Subject::Percepts(role) => format!("what {} is told", role.text),
    }
}

/// What was expected of terms, and what is so in place of it; `None` where it is as expected.
///
/// Both lists are in canonical order of the texts they are compared by.
pub(super) fn compared(
    subject: &Subject,
    quantity: Quantity,
    wanted: &[String],
    present: &[String],
) -> Option<(String, String)> {
    let is_in = |list: &[String], text: &String| list.contains(text);
    let missing: Vec<String> = wanted.iter().filter(|text| !is_in(present, text)).cloned().collect();
    let there: Vec<String> = wanted.iter().filter(|text| is_in(present, text)).cloned().collect();
    let name = called(subject);
    match quantity {
        Quantity::Some if missing.is_empty() => None,
        Quantity::Some => Some((
            format!("{} among the {name}", listed(&missing)),
            format!("the {name}: {}", listed(present)),
        )),
        Quantity::None if there.is_empty() => None,
        Quantity::None => Some((
            format!("none of {} among the {name}", listed(wanted)),
            format!("{} among them", listed(&there)),
        )),
        Quantity::All => {
            let others: Vec<String> = present.iter().filter(|text| !is_in(wanted, text)).cloned().collect();
            if missing.is_empty() && others.is_empty() {
                return None;
            }
            let mut found = Vec::new();
            if !missing.is_empty() {
                found.push(format!("{} missing", listed(&missing)));
            }
            if !others.is_empty() {
                found.push(format!("{} as well", listed(&others)));
            }
            Some((format!("the {name}: {}", listed(wanted)), found.join("; ")))
        }
    }
}
