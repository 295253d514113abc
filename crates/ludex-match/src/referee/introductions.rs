//! What players are told with the start message beside rules and clocks.

use ludex_game::{RoleId, Rules};
use ludex_gdl::{Notation, spell_constant};

use super::seat::seconds;
use super::setup::{RefereeSetup, SeatSetup};
use crate::message::{CodecError, SeatCodec, SeatCodecs, Shared, term_text};

/// Pairs of name and value, terms in prefix notation.
type Pairs = Vec<(String, String)>;

/// What every player is told beside rules and clocks (book 20.5), in the words of the match. Seats that use those
/// hold it together.
pub(super) struct Introductions {
    /// The roles with their players.
    players: Pairs,
    clocks: Pairs,
    told: Pairs,
    common: Shared<Pairs>,
}

impl Introductions {
    /// What is told in a match where these roles are played; nothing where nobody is told anything.
    pub(super) fn new(rules: &Rules, setup: &RefereeSetup) -> Self {
        let mut clocks = Pairs::new();
        if let (Some(bank), Some(_)) = (setup.clocks.bank, &setup.told) {
            clocks.push(("time_bank".into(), seconds(bank.total).to_string()));
            clocks.push(("time_increment".into(), seconds(bank.increment).to_string()));
        }
        let signature = rules.signature();
        let role_text = |role: RoleId| term_text(signature.terms(), signature.roles()[role.index()]);
        let roles = rules.seats().into_iter().map(role_text);
        Self::of(roles, &setup.seats, clocks, setup.told.as_deref())
    }

    /// The same of the texts of the roles that are played.
    pub(super) fn of(
        roles: impl Iterator<Item = String>,
        seats: &[SeatSetup],
        clocks: Pairs,
        told: Option<&[(String, String)]>,
    ) -> Self {
        let mut players = Pairs::new();
        if told.is_some() {
            // The names of players are no words of the game, even where they look the same.
            let names = seats.iter().map(|seat| spell_constant(&seat.player, Notation::Prefix));
            players = roles.zip(names).collect();
        }
        let told = told.map(<[_]>::to_vec).unwrap_or_default();
        let common = pairs(&players, &clocks, &told, str::to_owned).into();
        Self { players, clocks, told, common }
    }

    /// Takes into account what this takes for the seats that have words of their own, and once for all others.
    pub(super) fn charge(&self, codecs: &mut SeatCodecs<'_>, scrambled: usize) -> Result<(), CodecError> {
        codecs.introduce(scrambled + 1, &self.common)
    }

    /// In the words of a seat.
    pub(super) fn to(&self, codec: &SeatCodec) -> Shared<Pairs> {
        if !codec.is_scrambled() {
            return self.common.clone();
        }
        pairs(&self.players, &self.clocks, &self.told, |text| codec.to_seat(text)).into()
    }
}

fn pairs(players: &Pairs, clocks: &Pairs, told: &Pairs, words: impl Fn(&str) -> String) -> Pairs {
    let players = players.iter().map(|(role, name)| (format!("(player {})", words(role)), name.clone()));
    let told = told.iter().map(|(name, value)| (name.clone(), words(value)));
    players.chain(clocks.iter().cloned()).chain(told).collect()
}
