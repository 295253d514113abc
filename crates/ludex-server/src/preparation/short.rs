//! Moves in short, on pages.

use std::collections::BTreeMap;

use super::question::MoveShown;

/// Shows offered moves in short, as far as that tells them apart; `short` says how a move reads then.
pub(super) fn shorten(moves: &mut [MoveShown], short: impl Fn(&str) -> Option<String>) {
    let texts: Vec<Option<String>> = moves.iter().map(|offered| short(&offered.text)).collect();
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for text in texts.iter().flatten() {
        *counts.entry(text).or_default() += 1;
    }
    for (offered, text) in moves.iter_mut().zip(&texts) {
        if let Some(text) = text.as_ref().filter(|text| counts.get(text.as_str()) == Some(&1)) {
            offered.shown.clone_from(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_read_the_same_stays_whole() {
        let offered = |text: &str| MoveShown {
            text: text.to_owned(),
            shown: format!("({text})"),
            spots: String::new(),
            any: false,
        };
        let mut moves = ["move a b", "take a b", "move a c", "?"].map(offered);
        shorten(&mut moves, |text| text.split_once(' ').map(|(_, spots)| spots.replace(' ', "-")));
        assert_eq!(moves.map(|offered| offered.shown), ["(move a b)", "(take a b)", "a-c", "(?)"]);
    }
}
