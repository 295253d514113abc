//! Who has the seats of a match, and what each is told of the game.

use ludex_game::{RoleId, Rules, Trace};

use super::error::RefereeError;
use super::introductions::Introductions;
use super::seat::Seat;
use super::setup::{RefereeSetup, SeatSetup};
use crate::blind::Structure;
use crate::message::{Given, SeatCodec, SeatCodecs, Shared};
use crate::records::{read_records, records_text, records_text_in};

/// The seats of a match, where what they are told of the game does not take too much.
pub(super) fn seats(rules: &Rules, setup: &RefereeSetup) -> Result<Vec<Seat>, RefereeError> {
    let mut codecs = SeatCodecs::new(rules.rulesheet());
    Introductions::new(rules, setup).charge(&mut codecs, &setup.seats)?;
    let mut records: Option<Records> = None;
    let mut structures = Structures { rules, known: Vec::new() };
    let mut seats = Vec::with_capacity(setup.seats.len());
    for (role, seat) in rules.seats().into_iter().zip(&setup.seats) {
        if !seat.given.is_rules() && seat.rulesheet.is_some() {
            return Err(RefereeError::RulesOfItsOwn { player: seat.player.clone() });
        }
        let codec = match seat.given {
            Given::Rules => codecs.codec(seat)?,
            Given::Structure => structures.codec(role, seat, &mut codecs)?,
            Given::Records => {
                if records.is_none() {
                    records = Some(Records::of(rules, setup, &seat.player)?);
                }
                // It was just made where it was not there.
                let Some(records) = &records else { continue };
                let words = |words: &dyn Fn(&str) -> String| records_text_in(&records.traces, words);
                codecs.codec_without_rules(seat, &records.text, words)?
            }
        };
        seats.push(Seat::new(role, codec, seat, &setup.clocks));
    }
    Ok(seats)
}

/// What players are told that learn from records: all the same.
struct Records {
    traces: Vec<Trace>,
    text: Shared<String>,
}

impl Records {
    fn of(rules: &Rules, setup: &RefereeSetup, player: &str) -> Result<Self, RefereeError> {
        let wrong = |cause: String| RefereeError::Records { player: player.to_owned(), cause };
        if rules.dialect().has_percepts() {
            return Err(wrong("nobody knows what others do and see in the game".to_owned()));
        }
        let text = setup.records.as_deref().ok_or_else(|| wrong("there are none".to_owned()))?;
        let traces = read_records(text).map_err(|error| wrong(error.to_string()))?;
        let terms = rules.signature().terms();
        let roles: Vec<String> = rules.signature().roles().iter().map(|&role| terms.prefix(role)).collect();
        match traces.iter().find(|trace| trace.header.roles != roles) {
            Some(other) => {
                let (other, own) = (other.header.roles.join(", "), roles.join(", "));
                Err(wrong(format!("they are of a game of {other}, and not of {own}")))
            }
            None => Ok(Self { text: records_text(&traces).into(), traces }),
        }
    }
}

/// What players without rules are told: in games without secrets all the same.
struct Structures<'a> {
    rules: &'a Rules,
    known: Vec<(RoleId, Structure, Shared<String>)>,
}

impl Structures<'_> {
    fn codec(
        &mut self,
        role: RoleId,
        seat: &SeatSetup,
        codecs: &mut SeatCodecs<'_>,
    ) -> Result<SeatCodec, RefereeError> {
        let has_percepts = self.rules.dialect().has_percepts();
        let place = match self.known.iter().position(|(of, ..)| !has_percepts || *of == role) {
            Some(place) => place,
            None => {
                let structure =
                    Structure::of(self.rules, role, self.rules.question_budget()).map_err(|error| {
                        RefereeError::Structure { player: seat.player.clone(), cause: error.to_string() }
                    })?;
                let text = structure.text().into();
                self.known.push((role, structure, text));
                self.known.len() - 1
            }
        };
        let (_, structure, text) = &self.known[place];
        Ok(codecs.codec_without_rules(seat, text, |words| structure.renamed(words).text())?)
    }
}
