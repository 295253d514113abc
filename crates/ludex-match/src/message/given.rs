//! What a player is told of a game.

use std::sync::Arc;

use ludex_gdl::{Notation, split};
use serde::{Deserialize, Serialize};

use super::error::Flaw;
use super::piece::Piece;
use super::term::in_notation;
use super::write::{list, rules_argument};
use super::{Request, Shared, StartMessage};

/// What a player is told of a game when a match begins. Each has a message of its own, of one form.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Given {
    /// The rules: `START`.
    #[default]
    Rules,
    /// Records of matches ([`records`](crate::records)), from which the player learns rules (book 20.3): `LEARN`.
    Records,
    /// What there is to do and to perceive ([`Structure`](crate::blind::Structure)), and nothing else (book 20.4):
    /// `BLIND`.
    Structure,
}

impl Given {
    /// All there are.
    pub const ALL: [Self; 3] = [Self::Rules, Self::Records, Self::Structure];

    /// The message that begins such a match, in capitals.
    pub fn keyword(self) -> &'static str {
        match self {
            Self::Rules => "START",
            Self::Records => "LEARN",
            Self::Structure => "BLIND",
        }
    }

    /// Whether the player is told the rules.
    pub fn is_rules(&self) -> bool {
        *self == Self::Rules
    }

    /// What is given as it stands in a message. The first time this takes a while where it is long.
    pub(super) fn argument(self, text: &Shared<String>, notation: Notation) -> Arc<str> {
        match self {
            Self::Rules => rules_argument(text, notation),
            Self::Records | Self::Structure => text.written(notation, |text| terms_list(text, notation)),
        }
    }

    /// Reads that again.
    pub(super) fn read(self, piece: Piece<'_>) -> Result<String, Flaw> {
        match self {
            Self::Rules => super::request::rules_text(piece),
            Self::Records => Ok(piece.terms("records")?.join("\n")),
            Self::Structure => Ok(piece.terms("roles, actions and percepts")?.join("\n")),
        }
    }
}

impl Request {
    /// The message that begins a match.
    pub fn start(start: StartMessage) -> Self {
        Self::Start(Box::new(start))
    }
}

/// Terms in prefix notation as a list. What cannot be told apart is one name.
fn terms_list(text: &str, notation: Notation) -> String {
    let Ok(parts) = split(text, Notation::Prefix) else {
        return list(&[in_notation(text, notation)], notation);
    };
    let terms: Vec<String> =
        parts.into_iter().map(|part| in_notation(&text[part.span.range()], notation)).collect();
    list(&terms, notation)
}
