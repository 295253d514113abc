//! Playing cards by their names: ranks, suits, and cards that lie face down.

use ludex_logic::{TermId, Terms};
use rustc_hash::FxHashMap;

use super::figures::Figure;
use super::labels::{COLOURS, Sides, Sign};

/// The names of ranks, with what is written on the card.
const RANKS: [(&str, &str); 13] = [
    ("ace", "A"),
    ("king", "K"),
    ("queen", "Q"),
    ("jack", "J"),
    ("ten", "10"),
    ("nine", "9"),
    ("eight", "8"),
    ("seven", "7"),
    ("six", "6"),
    ("five", "5"),
    ("four", "4"),
    ("three", "3"),
    ("two", "2"),
];
/// The names of suits, with their signs.
const SUITS: [(&str, char); 4] = [("spade", '♠'), ("heart", '♥'), ("diamond", '♦'), ("club", '♣')];
/// Names of cards of which only the back is seen.
const BACKS: [&str; 7] = ["hidden", "unknown", "back", "facedown", "face_down", "covered", "concealed"];
/// What relations are called that hold of who has which card.
const HOLDING: [&str; 12] =
    ["hand", "holds", "hold", "holding", "has", "have", "card", "cards", "deck", "owns", "dealt", "held"];

/// Whether facts that are called so say who has what.
pub(super) fn is_holding(name: &str) -> bool {
    let name = name.to_lowercase();
    name.split(['_', '-']).any(|part| HOLDING.contains(&part))
}

/// The suit that is the last sign of a card, as in `Q♠`.
pub(crate) fn suit_of(glyph: &str) -> Option<char> {
    glyph.chars().last().filter(|last| SUITS.iter().any(|(_, sign)| sign == last))
}

fn rank(word: &str) -> Option<String> {
    let number = || word.parse::<u8>().ok().filter(|number| (1..=13).contains(number));
    RANKS
        .iter()
        .find(|(name, _)| *name == word)
        .map(|(_, sign)| (*sign).to_owned())
        .or_else(|| number().map(|number| number.to_string()))
}

fn suit(word: &str) -> Option<char> {
    SUITS.iter().find(|(name, _)| word.strip_suffix('s').unwrap_or(word) == *name).map(|(_, sign)| *sign)
}

/// What is written on a card with this name, such as `queen`, `queen spades` or `ten_of_hearts`.
fn written(name: &str) -> Option<String> {
    let mut words = name.split(['_', '-', ' ']).filter(|word| !word.is_empty() && *word != "of");
    match (words.next(), words.next(), words.next()) {
        (Some(only), None, None) => rank(only),
        (Some(first), Some(second), None) => {
            let both = rank(first).zip(suit(second)).or_else(|| rank(second).zip(suit(first)));
            both.map(|(rank, suit)| format!("{rank}{suit}"))
        }
        _ => None,
    }
}

/// Whether things with these names are playing cards: all have a rank or are hidden, and some have a suit or are such
/// as only cards are. Kings and queens alone may be men of chess.
pub(super) fn are_cards(names: &[String]) -> bool {
    let sure = |name: &str| {
        written(name).is_some_and(|text| suit_of(&text).is_some() || ["A", "J"].contains(&text.as_str()))
    };
    names.iter().all(|name| written(name).is_some() || BACKS.contains(&name.as_str()))
        && names.iter().any(|name| sure(name))
}

/// The sign of a card; other things that are held are cards that say what they are.
pub(super) fn sign(name: &str) -> Sign {
    let is_back = BACKS.contains(&name);
    let figure = if is_back { Figure::CardBack } else { Figure::Card };
    let glyph = match written(name) {
        _ if is_back => "?".to_owned(),
        Some(text) => text,
        None => name.chars().take(6).collect(),
    };
    Sign { name: name.to_owned(), glyph, owner: None, disc: false, mark: false, figure }
}

/// The signs of cards, each a list of columns such as rank and suit. Cards that are called by colours have them.
pub(super) fn signs(terms: &Terms, sides: &Sides, contents: &[Vec<TermId>]) -> FxHashMap<Vec<TermId>, Sign> {
    let of = |content: &Vec<TermId>| {
        let name = name(terms, content);
        let owner = sides.owner(&name).filter(|owner| COLOURS.contains(&owner.name.as_str()));
        (content.clone(), Sign { owner, ..sign(&name) })
    };
    contents.iter().map(of).collect()
}

/// The name of a content of several columns.
pub(super) fn name(terms: &Terms, content: &[TermId]) -> String {
    let words: Vec<String> = content.iter().map(|&term| terms.shown(term)).collect();
    words.join(" ").to_lowercase()
}

/// From the lowest card to the highest, suit after suit; things that are no cards stay as they are.
pub(super) fn sort(terms: &Terms, contents: &mut [Vec<TermId>]) {
    let place = |content: &Vec<TermId>| {
        let text = written(&name(terms, content)).unwrap_or_default();
        let suit = suit_of(&text);
        let rank = text.trim_end_matches(|c: char| Some(c) == suit);
        let height = match RANKS.iter().rev().position(|(_, sign)| *sign == rank) {
            Some(at) => at + 2,
            None => rank.parse().unwrap_or(0),
        };
        (SUITS.iter().position(|(_, sign)| Some(*sign) == suit), height)
    };
    contents.sort_by_key(place);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_cards_are_read() {
        let glyph = |name: &str| sign(name).glyph;
        assert_eq!(glyph("queen"), "Q");
        assert_eq!(glyph("queen spades"), "Q♠");
        assert_eq!(glyph("ten_of_hearts"), "10♥");
        assert_eq!(glyph("diamond 7"), "7♦");
        assert_eq!((glyph("hidden"), sign("hidden").figure), ("?".to_owned(), Figure::CardBack));
        assert_eq!(glyph("cheese"), "cheese");
    }

    #[test]
    fn cards_are_not_men_of_chess_or_numbers() {
        let all = |names: &[&str]| are_cards(&names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>());
        assert!(all(&["jack", "queen", "king"]));
        assert!(all(&["2", "3", "10", "ace"]));
        assert!(all(&["seven_of_clubs", "hidden"]));
        assert!(!all(&["king", "queen"]), "men of chess");
        assert!(!all(&["1", "2", "3"]), "numbers");
        assert!(!all(&["king", "queen", "rook", "jack"]));
    }
}
