//! What a player is told about a match.

use ludex_game::RoleId;

use super::Last;
use super::term::term_text;
use crate::blind::{made, percepts};
use crate::course::{Match, Told};

impl Last {
    /// What the player of a role is told about the last step of a match.
    pub fn of(game: &Match, role: RoleId) -> Self {
        let terms = game.rules().signature().terms();
        let turn = turn(game);
        let is_first = turn == 0;
        match game.told(role) {
            Some(Told::Joint(joint)) => {
                Last::Joint(joint.into_iter().map(|action| term_text(terms, action)).collect())
            }
            Some(Told::Percepts { action, percepts }) => Last::Percepts {
                turn,
                action: (!is_first).then(|| term_text(terms, action)),
                percepts: percepts.into_iter().map(|percept| term_text(terms, percept)).collect(),
            },
            None if game.rules().dialect().has_percepts() => {
                Last::Percepts { turn: 0, action: None, percepts: Vec::new() }
            }
            None => Last::Nothing,
        }
    }

    /// What the player of a role is told about the last step of a match without rules: what it did, and what it
    /// [perceives](crate::blind::percepts) now, of the first state, too.
    pub fn of_blind(game: &Match, role: RoleId) -> Self {
        let turn = turn(game);
        Last::Percepts { turn, action: made(game, role).filter(|_| turn > 0), percepts: percepts(game, role) }
    }

    /// As [`Last::of`], for several roles: what all are told alike is held once.
    pub fn of_each(game: &Match, roles: impl Iterator<Item = RoleId>) -> impl Iterator<Item = Self> {
        let mut common = None;
        roles.map(move |role| {
            if let Some(last) = &common {
                return Self::clone(last);
            }
            let last = Self::of(game, role);
            common = (!matches!(last, Last::Percepts { .. })).then(|| last.clone());
            last
        })
    }
}

/// How many steps were made; the step before the first one is none that players know of.
fn turn(game: &Match) -> u32 {
    let before = u32::from(game.rules().program().has_opening);
    u32::try_from(game.steps().len()).unwrap_or(u32::MAX).saturating_sub(before)
}
