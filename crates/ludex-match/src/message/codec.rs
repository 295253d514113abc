//! What is said to and by a seat, in its own words.

use std::sync::Arc;

use ludex_gdl::{LineColumn, Notation, Renaming, Rulesheet, Source, convert, parse, print, scramble};
use rustc_hash::FxHashMap;

use super::{Given, Last, News, Request, Response, Shared};
use crate::blind::renamed_percept;
use crate::referee::SeatSetup;

/// Why a seat cannot be spoken to.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CodecError {
    /// Its own rulesheet has a syntax error.
    #[error("the rulesheet for the player `{player}` cannot be read: {position}: {message}")]
    Rulesheet {
        /// Whose it is.
        player: String,
        /// Where the first error is.
        position: LineColumn,
        /// What is wrong there.
        message: String,
    },
    /// What the seats are told of the game takes too much, because many of them have rules or words of their own.
    #[error(
        "what the seats of the match are told of the game would take more than {limit} bytes: \
         fewer seats with rules of their own or scrambled words are possible, or shorter rules"
    )]
    TooMuch {
        /// The most bytes there may be ([`SEATS_TEXT_LIMIT`]).
        limit: u64,
    },
}

/// The most bytes that what the seats of a match are told of the game may take in memory (64 MiB), by an estimate:
/// rulesheets, each both as a text and as it is sent, words that are exchanged for others, and introductions.
/// What several seats are told alike counts once.
pub const SEATS_TEXT_LIMIT: u64 = 64 << 20;

/// For each byte of a rulesheet: itself, and itself as it is sent.
const OF_TEXT: u64 = 2;
/// For each byte of a rulesheet in other words: the same, and its words there and back.
const OF_SCRAMBLED: u64 = 4;
/// For each pair of name and value.
const OF_PAIR: u64 = 64;

/// Makes the codecs of the seats of a match. Those that are told the same rules hold them together.
pub(crate) struct SeatCodecs<'a> {
    rulesheet: &'a Rulesheet,
    texts: FxHashMap<(bool, Option<&'a str>), Shared<String>>,
    /// What players are told that are told no rules.
    without_rules: Vec<Shared<String>>,
    bytes: u64,
}

impl<'a> SeatCodecs<'a> {
    pub(crate) fn new(rulesheet: &'a Rulesheet) -> Self {
        Self { rulesheet, texts: FxHashMap::default(), without_rules: Vec::new(), bytes: 0 }
    }

    /// The codec of the next seat.
    pub(crate) fn codec(&mut self, seat: &'a SeatSetup) -> Result<SeatCodec, CodecError> {
        let notation = Notation::from(seat.notation);
        let key = (notation == Notation::Prefix, seat.rulesheet.as_deref());
        if let Some(rules) = self.texts.get(&key).filter(|_| seat.scramble.is_none()) {
            return Ok(SeatCodec { notation, given: Given::Rules, rules: rules.clone(), renaming: None });
        }
        let own = seat.rulesheet.as_deref().map(|text| read_own(text, &seat.player)).transpose()?;
        let shown = own.as_ref().unwrap_or(self.rulesheet);
        // Before it is made: there may be thousands of seats.
        let each = if seat.scramble.is_some() { OF_SCRAMBLED } else { OF_TEXT };
        self.charge(each.saturating_mul(shown.source.text().len() as u64))?;
        let renaming = seat.scramble.map(|seed| renaming(self.rulesheet, own.as_ref(), seed));
        let rules: Shared<String> = match &renaming {
            Some(renaming) => convert(&renaming.scramble_rules(shown), notation).source.text().to_owned(),
            None if shown.notation == notation => shown.source.text().to_owned(),
            None => print(shown, notation),
        }
        .into();
        if renaming.is_none() {
            self.texts.insert(key, rules.clone());
        }
        Ok(SeatCodec { notation, given: Given::Rules, rules, renaming })
    }

    /// The codec of the next seat, that of a player that is told no rules but this text, all words of which
    /// `renamed` can exchange for others.
    pub(crate) fn codec_without_rules(
        &mut self,
        seat: &SeatSetup,
        text: &Shared<String>,
        renamed: impl FnOnce(&dyn Fn(&str) -> String) -> String,
    ) -> Result<SeatCodec, CodecError> {
        let (notation, given) = (Notation::from(seat.notation), seat.given);
        let Some(seed) = seat.scramble else {
            if self.without_rules.iter().all(|known| !known.is_same(text)) {
                self.charge(OF_TEXT.saturating_mul(text.len() as u64))?;
                self.without_rules.push(text.clone());
            }
            return Ok(SeatCodec { notation, given, rules: text.clone(), renaming: None });
        };
        let size = text.len().max(self.rulesheet.source.text().len());
        self.charge(OF_SCRAMBLED.saturating_mul(size as u64))?;
        let mut codec = SeatCodec {
            notation,
            given,
            rules: Shared::default(),
            renaming: Some(renaming(self.rulesheet, None, seed)),
        };
        codec.rules = renamed(&|term| codec.to_seat(term)).into();
        Ok(codec)
    }

    /// Takes into account that so many seats are told pairs of name and value each in words of its own.
    pub(crate) fn introduce(&mut self, seats: usize, pairs: &[(String, String)]) -> Result<(), CodecError> {
        let bytes: u64 =
            pairs.iter().map(|(name, value)| (name.len() + value.len()) as u64 * OF_TEXT + OF_PAIR).sum();
        self.charge(bytes.saturating_mul(seats as u64))
    }

    fn charge(&mut self, bytes: u64) -> Result<(), CodecError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes > SEATS_TEXT_LIMIT {
            Err(CodecError::TooMuch { limit: SEATS_TEXT_LIMIT })
        } else {
            Ok(())
        }
    }
}

/// Between the words of a match and those of a seat: its notation, its own rulesheet where it has one, and
/// other names for everything where it is scrambled. Nothing else is changed.
#[derive(Clone, Debug)]
pub struct SeatCodec {
    notation: Notation,
    given: Given,
    rules: Shared<String>,
    renaming: Option<Renaming>,
}

impl SeatCodec {
    /// The codec of a seat of a match with this rulesheet.
    ///
    /// # Errors
    /// [`CodecError`] where the seat has a rulesheet of its own that cannot be read, or it is too long.
    pub fn new(rulesheet: &Rulesheet, seat: &SeatSetup) -> Result<Self, CodecError> {
        SeatCodecs::new(rulesheet).codec(seat)
    }

    /// The notation of messages to the seat.
    pub fn notation(&self) -> Notation {
        self.notation
    }

    /// What the seat is told of the game.
    pub fn given(&self) -> Given {
        self.given
    }

    /// The rulesheet that the seat is sent, or what it is sent in its place.
    pub fn rules(&self) -> &str {
        &self.rules
    }

    /// The same, as all seats have it that are sent it.
    pub(crate) fn shared_rules(&self) -> Shared<String> {
        self.rules.clone()
    }

    /// Whether the seat is told everything in other words than those of the match.
    pub(crate) fn is_scrambled(&self) -> bool {
        self.renaming.is_some()
    }

    /// Writes the rules as they are sent, so that whoever sends them need not.
    pub(crate) fn write_rules(&self) {
        self.given.argument(&self.rules, self.notation);
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
                start.given = self.given;
                start.rules.clone_from(&self.rules);
                start.more = self.pairs(start.more);
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

    /// Names of what is told, which are no words of the game, and values, which may be.
    fn pairs(&self, pairs: Shared<Vec<(String, String)>>) -> Shared<Vec<(String, String)>> {
        if !self.is_scrambled() {
            return pairs;
        }
        pairs.iter().map(|(name, value)| (name.clone(), self.to_seat(value))).collect()
    }

    fn last(&self, last: Last) -> Last {
        if !self.is_scrambled() {
            return last;
        }
        let all = |terms: &[String]| terms.iter().map(|term| self.to_seat(term)).collect::<Vec<_>>();
        match last {
            Last::Nothing => Last::Nothing,
            Last::Joint(joint) => Last::Joint(all(&joint).into()),
            Last::Percepts { turn, action, percepts } => Last::Percepts {
                turn,
                action: action.map(|action| self.to_seat(&action)),
                percepts: match self.given {
                    Given::Structure => percepts
                        .iter()
                        .map(|seen| renamed_percept(seen, &|term| self.to_seat(term)))
                        .collect(),
                    Given::Rules | Given::Records => all(&percepts),
                },
            },
            Last::InTime { time, news } => {
                let own = |term: String| self.to_seat(&term);
                let news = match news {
                    News::Nothing => News::Nothing,
                    News::Moves(moves) => {
                        News::Moves(moves.iter().map(|made| made.clone().map(own)).collect())
                    }
                    News::Percepts { turn, action, percepts } => News::Percepts {
                        turn,
                        action: action.map(own),
                        percepts: percepts.map(|percepts| all(&percepts)),
                    },
                };
                Last::InTime { time, news }
            }
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
