//! What players are told with the start message beside rules and clocks.

use ludex_game::{RoleId, Rules, TimeBank};
use ludex_gdl::{Notation, spell_constant};

use super::beginning::has_no_secrets;
use super::setup::{RefereeSetup, SeatSetup};
use crate::course::{Match, MatchStep};
use crate::message::{CodecError, SeatCodec, SeatCodecs, Shared, made_move, term_text, time_pairs};
use crate::setting::MatchSetting;

/// Pairs of name and value, terms in prefix notation.
type Pairs = Vec<(String, String)>;

/// What every player is told beside rules and clocks (book 20.5), in the words of the match. Seats that use those
/// hold it together.
pub(super) struct Introductions {
    /// The roles with their players.
    players: Pairs,
    clocks: Pairs,
    time_cost: Option<f64>,
    told: Pairs,
    /// The moves with which the match begins.
    moves: Vec<MoveMade>,
    common: Shared<Pairs>,
}

/// A move with which a match begins, as terms in prefix notation.
struct MoveMade {
    /// The number of its step, from 1.
    step: usize,
    role: String,
    action: String,
}

impl Introductions {
    /// What is told in a match where these roles are played; nothing where nobody is told anything.
    pub(super) fn new(rules: &Rules, setup: &RefereeSetup) -> Self {
        let clocks = time_pairs(setup.clocks.bank, setup.time_cost);
        let signature = rules.signature();
        let role_text = |role: RoleId| term_text(signature.terms(), signature.roles()[role.index()]);
        let roles = rules.seats().into_iter().map(role_text);
        let introduced = Self::of(roles, &setup.seats, clocks, setup.told.as_deref());
        Self { time_cost: setup.time_cost, ..introduced }
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
        let introduced =
            Self { players, clocks, time_cost: None, told, moves: Vec::new(), common: Pairs::new().into() };
        Self { common: introduced.pairs(str::to_owned).into(), ..introduced }
    }

    /// The same, with the moves that were made already: whoever gets ready in the middle of a match has to know them.
    /// Nothing in the protocol says so otherwise; a player of others that does not understand these pairs takes the match
    /// to be at its beginning.
    pub(super) fn with_moves(self, course: &Match) -> Self {
        if course.steps().is_empty() || !has_no_secrets(course.rules()) {
            return self;
        }
        let signature = course.rules().signature();
        let text = |term| term_text(signature.terms(), term);
        let roles: Vec<String> = signature.roles().iter().map(|&role| text(role)).collect();
        let steps = (1..).zip(course.steps());
        let of_step = |(step, made): (usize, &MatchStep)| {
            let each = roles.iter().zip(&made.joint);
            each.map(|(role, &action)| MoveMade { step, role: role.clone(), action: text(action) })
                .collect::<Vec<_>>()
        };
        let moved = Self { moves: steps.flat_map(of_step).collect(), ..self };
        Self { common: moved.pairs(str::to_owned).into(), ..moved }
    }

    /// Takes into account what this takes for the seats that have words or clocks of their own, and once for all others.
    pub(super) fn charge(&self, codecs: &mut SeatCodecs<'_>, seats: &[SeatSetup]) -> Result<(), CodecError> {
        // What is left on cumulative clocks differs once moves were made.
        let is_apart =
            |seat: &&SeatSetup| seat.scramble.is_some() || !self.clocks.is_empty() || seat.clocks.is_some();
        codecs.introduce(seats.iter().filter(is_apart).count() + 1, &self.common)
    }

    /// In the words of a seat, with what is left on its cumulative clock.
    pub(super) fn to(&self, codec: &SeatCodec, bank: Option<TimeBank>) -> Shared<Pairs> {
        let clocks = time_pairs(bank, self.time_cost);
        if !codec.is_scrambled() && clocks == self.clocks {
            return self.common.clone();
        }
        self.pairs_with(&clocks, |text| codec.to_seat(text)).into()
    }

    fn pairs(&self, words: impl Fn(&str) -> String) -> Pairs {
        self.pairs_with(&self.clocks, words)
    }

    fn pairs_with(&self, clocks: &Pairs, words: impl Fn(&str) -> String) -> Pairs {
        let player = |(role, name): &(String, String)| (format!("(player {})", words(role)), name.clone());
        let told = self.told.iter().map(|(name, value)| {
            // What is said of a tournament are no words of the game, even where they look the same.
            let value = if MatchSetting::has_pair(name) { value.clone() } else { words(value) };
            (name.clone(), value)
        });
        let moved = |made: &MoveMade| made_move(made.step, &words(&made.role), words(&made.action));
        let moves = self.moves.iter().map(moved);
        self.players.iter().map(player).chain(clocks.iter().cloned()).chain(told).chain(moves).collect()
    }
}
