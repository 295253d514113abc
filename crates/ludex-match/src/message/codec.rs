//! What is said to and by a seat, in its own words.

use std::sync::Arc;

use ludex_gdl::{Notation, Position, Renaming, Rulesheet, Source, convert, parse, print, scramble};

use super::{Last, Request, Response};
use crate::referee::SeatSetup;

/// Why a seat cannot be spoken to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// Its own rulesheet has a syntax error.
    #[error("the rulesheet for the player `{player}` cannot be read: {position}: {message}")]
    Rulesheet {
        /// Whose it is.
        player: String,
        /// Where the first error is.
        position: Position,
        /// What is wrong there.
        message: String,
    },
}

/// Between the words of a match and those of a seat: its notation, its own rulesheet where it has one, and
/// other names for everything where it is scrambled. Nothing else is changed.
#[derive(Clone, Debug)]
pub struct SeatCodec {
    notation: Notation,
    rules: String,
    renaming: Option<Renaming>,
}

impl SeatCodec {
    /// The codec of a seat of a match with this rulesheet.
    ///
    /// # Errors
    /// [`CodecError`] where the seat has a rulesheet of its own that cannot be read.
    pub fn new(rulesheet: &Rulesheet, seat: &SeatSetup) -> Result<Self, CodecError> {
        let notation = Notation::from(seat.notation);
        let own = seat.rulesheet.as_deref().map(|text| read_own(text, &seat.player)).transpose()?;
        let shown = own.as_ref().unwrap_or(rulesheet);
        let renaming = seat.scramble.map(|seed| renaming(rulesheet, own.as_ref(), seed));
        let rules = match &renaming {
            Some(renaming) => convert(&renaming.scramble_rules(shown), notation).source.text().to_owned(),
            None if shown.notation == notation => shown.source.text().to_owned(),
            None => print(shown, notation),
        };
        Ok(Self { notation, rules, renaming })
    }

    /// The notation of messages to the seat.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// The rulesheet that the seat is sent.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// A term of the match as the seat calls it; both in prefix notation.
    pub fn to_seat(&self, term: &str) -> String {
        let renamed = self.renaming.as_ref().and_then(|r| r.scramble_terms(term, Notation::Prefix).ok());
        renamed.unwrap_or_else(|| term.to_owned())
    }

    /// A term of the seat as the match calls it; both in prefix notation. Words that the seat was not told
    /// stay as they are.
    pub fn from_seat(&self, term: &str) -> String {
        let renamed = self.renaming.as_ref().and_then(|r| r.unscramble_terms(term, Notation::Prefix).ok());
        renamed.unwrap_or_else(|| term.to_owned())
    }

    /// A message to the seat. The rules in it become those of the seat; where it is scrambled, so do all
    /// words of the game, in values of what else the player is told, too.
    pub fn outgoing(&self, request: Request) -> Request {
        match request {
            Request::Start(mut start) => {
                start.role = self.to_seat(&start.role);
                start.rules.clone_from(&self.rules);
                for (_, value) in &mut start.more {
                    *value = self.to_seat(value);
                }
                Request::Start(start)
            }
            Request::Play { id, last } => Request::Play { id, last: self.last(last) },
            Request::Stop { id, last } => Request::Stop { id, last: self.last(last) },
            Request::Preview { clock, .. } => Request::Preview { rules: self.rules.clone(), clock },
            Request::Info | Request::Abort { .. } => request,
        }
    }

    /// An answer of the seat.
    pub fn incoming(&self, response: Response) -> Response {
        match response {
            Response::Move(action) => Response::Move(self.from_seat(&action)),
            other => other,
        }
    }

    fn last(&self, last: Last) -> Last {
        let all = |terms: Vec<String>| terms.iter().map(|term| self.to_seat(term)).collect();
        match last {
            Last::Nothing => Last::Nothing,
            Last::Joint(joint) => Last::Joint(all(joint)),
            Last::Percepts { turn, action, percepts } => Last::Percepts {
                turn,
                action: action.map(|action| self.to_seat(&action)),
                percepts: all(percepts),
            },
        }
    }
}

fn read_own(text: &str, player: &str) -> Result<Rulesheet, CodecError> {
    let (rulesheet, diagnostics) = parse(Arc::new(Source::new(player, text)), None);
    match diagnostics.first() {
        None => Ok(rulesheet),
        Some(first) => Err(CodecError::Rulesheet {
            player: player.to_owned(),
            position: rulesheet.source.position(first.span.start as usize),
            message: first.message.clone(),
        }),
    }
}

/// New names for the words of the game, and for those that only the seat's own rulesheet has: the moves
/// of others may have words that the seat's rules lack, and those tell about the game as well.
fn renaming(rulesheet: &Rulesheet, own: Option<&Rulesheet>, seed: u64) -> Renaming {
    let Some(own) = own else { return scramble(rulesheet, seed).1 };
    let both = print(rulesheet, Notation::Prefix) + &print(own, Notation::Prefix);
    let (both, _) = parse(Arc::new(Source::new("", both)), Some(Notation::Prefix));
    scramble(&both, seed).1
}
