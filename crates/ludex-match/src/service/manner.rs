//! How a manager writes, so that it is answered in the same way.

use std::collections::BTreeMap;

use ludex_gdl::Notation;

use crate::message::{Response, write_response};

/// How one message was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Manner {
    pub(super) notation: Notation,
    /// Whether its keyword was in capitals.
    capitals: bool,
}

impl Manner {
    pub(super) fn of(text: &str, notation: Notation) -> Self {
        let first = text.chars().find(|c| c.is_alphabetic());
        Self { notation, capitals: notation == Notation::Prefix && first.is_some_and(char::is_uppercase) }
    }

    /// A word of the protocol: `READY` to who wrote `START`.
    pub(super) fn write(self, response: &Response) -> String {
        let text = write_response(response, self.notation);
        match response {
            Response::Available(_) | Response::Move(_) => text,
            _ if self.capitals => text.to_uppercase(),
            _ => text.to_lowercase(),
        }
    }

    /// A move, spelled as the rules were.
    pub(super) fn write_move(self, action: &str, spelling: &Spelling) -> String {
        match self.notation {
            Notation::Prefix => spelling.spell(&self.write(&Response::Move(action.to_owned()))),
            Notation::Infix => self.write(&Response::Move(action.to_owned())),
        }
    }
}

/// How a rulesheet in prefix notation, where capitals do not matter, spells its words.
///
/// Some managers compare what they get letter by letter with the rules they sent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Spelling(BTreeMap<String, String>);

impl Spelling {
    /// The first spelling of each word with capitals.
    pub(super) fn of(rules: &str, notation: Notation) -> Self {
        let mut words = BTreeMap::new();
        if notation == Notation::Infix || !rules.contains(char::is_uppercase) {
            return Self(words);
        }
        // A word that is spelled in two ways is spelled as it was first, be that in small letters.
        for line in rules.lines() {
            for word in line.split(';').next().unwrap_or_default().split(is_between) {
                let small = word.to_lowercase();
                if !small.is_empty() && !words.contains_key(&small) {
                    words.insert(small, word.to_owned());
                }
            }
        }
        words.retain(|small, word| small != word);
        Self(words)
    }

    /// A term in prefix notation, with its words spelled so.
    fn spell(&self, text: &str) -> String {
        // A word between bars is meant as it stands.
        if self.0.is_empty() || text.contains('|') {
            return text.to_owned();
        }
        text.split_inclusive(is_between)
            .map(|piece| {
                let word = piece.trim_end_matches(is_between);
                match self.0.get(&word.to_lowercase()) {
                    Some(spelled) => format!("{spelled}{}", &piece[word.len()..]),
                    None => piece.to_owned(),
                }
            })
            .collect()
    }
}

fn is_between(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | ')')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_spelled_as_the_rules_were() {
        let rules = "(ROLE White) (role noop) ; The Mark\n(<= (legal White (Mark ?X ?y)) (TRUE (cell ?x)))";
        let spelling = Spelling::of(rules, Notation::Prefix);
        assert_eq!(spelling.spell("(mark 1 (white noop))"), "(Mark 1 (White noop))");
        assert_eq!(spelling.spell("white"), "White");
        assert_eq!(Spelling::of("legal(X) :- true(Y)", Notation::Infix), Spelling::default());
        assert_eq!(Spelling::of("(role white)", Notation::Prefix), Spelling::default());
    }

    #[test]
    fn capitals_are_answered_with_capitals() {
        let loud = Manner::of(" ( START M1", Notation::Prefix);
        assert_eq!(loud.write(&Response::Ready).trim(), "READY");
        let soft = Manner::of("(start M1", Notation::Prefix);
        assert_eq!(soft.write(&Response::Ready).trim(), "ready");
    }
}
