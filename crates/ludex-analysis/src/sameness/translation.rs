//! Roles, moves and propositions of one game as those of another.

use ludex_game::Rules;
use ludex_logic::TermId;

use crate::symmetry::{GameGraph, GameVertex};

/// What the roles, moves and propositions of one game are in another. Roles are numbers, everything else
/// is a term of its game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translation {
    /// By role of the first game the role of the second one.
    pub roles: Vec<usize>,
    /// Each role's moves with the moves of its counterpart, in canonical order.
    pub moves: Vec<(usize, TermId, TermId)>,
    /// The propositions, in canonical order.
    pub facts: Vec<(TermId, TermId)>,
    /// Each role's percepts, in canonical order.
    pub percepts: Vec<(usize, TermId, TermId)>,
}

impl Translation {
    pub(super) fn of(one: &GameGraph, other: &GameGraph, images: &[u32], rules: &Rules) -> Self {
        let mut translation = Self { roles: vec![0; rules.roles().len()], ..Self::default() };
        for (&vertex, &image) in one.vertices.iter().zip(images) {
            match (vertex, other.vertices[image as usize]) {
                (GameVertex::Role(role), GameVertex::Role(there)) => {
                    translation.roles[role as usize] = there as usize;
                }
                (GameVertex::Fact(fact), GameVertex::Fact(there)) => translation.facts.push((fact, there)),
                (GameVertex::Move(role, action), GameVertex::Move(_, there)) => {
                    translation.moves.push((role as usize, action, there));
                }
                (GameVertex::Percept(role, percept), GameVertex::Percept(_, there)) => {
                    translation.percepts.push((role as usize, percept, there));
                }
                _ => {}
            }
        }
        let terms = rules.signature().terms();
        translation.facts.sort_by(|a, b| terms.compare(a.0, b.0));
        for list in [&mut translation.moves, &mut translation.percepts] {
            list.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| terms.compare(a.1, b.1)));
        }
        translation
    }

    /// What a role's move is in the other game; `None` for one that the rules never mention.
    pub fn action(&self, role: usize, action: TermId) -> Option<TermId> {
        self.moves.iter().find(|found| (found.0, found.1) == (role, action)).map(|found| found.2)
    }

    /// What a proposition is in the other game; `None` for one that the rules never mention.
    pub fn fact(&self, fact: TermId) -> Option<TermId> {
        self.facts.iter().find(|found| found.0 == fact).map(|found| found.1)
    }
}
