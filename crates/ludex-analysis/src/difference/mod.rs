//! Whether two versions of a game play alike, under the same names.
//!
//! 1. `clauses`: which clauses were added, left out and changed, whatever their order, layout, notation and variables.
//!    Where there is none, the games are the same.
//! 2. `play`: both games are played side by side: all pairs of states, breadth first, as long as these are few, so that
//!    the first difference is a nearest one and none is a proof; then random games.
//!
//! What is compared is what players can notice: roles, legal moves, the end, goals and percepts. How versions keep
//! their states is their own business, unless one asks. Whether two games are the same under *other* names is the
//! question of [`sameness`](crate::sameness).

mod canonical;
mod clauses;
mod play;
mod side;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use ludex_game::{Answer, Goal, RoleId, Rules};
use ludex_logic::{Budget, LimitError, TermId};

pub use clauses::{ClauseChanges, clause_changes};

use play::Play;

/// Names of the first game that are others in the second one: of roles, moves, or anything else.
pub type NameMap = BTreeMap<String, String>;

/// How two games are compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DifferenceOptions {
    /// The seed of random games.
    pub seed: u64,
    /// How many random games are played, where there are too many states to go through.
    pub games: u32,
    /// The most pairs of states that are gone through one by one.
    pub most_states: usize,
    /// The most joint moves that are made for that.
    pub most_moves: usize,
    /// Whether facts are compared as well.
    pub facts: bool,
    /// Whether goals are compared in terminal states only.
    pub final_goals: bool,
    /// Names that are others in the second game.
    pub names: NameMap,
}

impl Default for DifferenceOptions {
    fn default() -> Self {
        Self {
            seed: 1,
            games: 100,
            most_states: 100_000,
            most_moves: 1_000_000,
            facts: false,
            final_goals: false,
            names: NameMap::new(),
        }
    }
}

/// Something that differs. Roles are those of the first game, terms those of the game they are said of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Aspect {
    /// The roles, or their order.
    Roles,
    /// The moves of a role.
    Legal {
        /// The role.
        role: RoleId,
        /// The moves that only the first game has.
        first: Vec<TermId>,
        /// The moves that only the second game has.
        second: Vec<TermId>,
    },
    /// One of the games is over.
    Terminal {
        /// Whether it is the first one.
        first: bool,
    },
    /// What the state is worth to a role.
    Goal {
        /// The role.
        role: RoleId,
        /// Its goal value in the first game, if there is one.
        first: Option<Goal>,
        /// Its goal value in the second game.
        second: Option<Goal>,
    },
    /// What the last step let a role see.
    Sees {
        /// The role.
        role: RoleId,
        /// What it sees in the first game only.
        first: Vec<TermId>,
        /// What it sees in the second game only.
        second: Vec<TermId>,
    },
    /// The facts.
    Facts {
        /// Those of the first game only.
        first: Vec<TermId>,
        /// Those of the second game only.
        second: Vec<TermId>,
    },
}

/// A sequence of joint moves after which two games differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// The joint moves, in terms of the first game and in the order of its roles.
    pub first: Vec<Vec<TermId>>,
    /// The same joint moves, in terms of the second game and in the order of its roles.
    pub second: Vec<Vec<TermId>>,
    /// What differs then.
    pub aspects: Vec<Aspect>,
    /// Whether no shorter sequence shows a difference.
    pub is_shortest: bool,
}

/// What comparing two games in play comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Behaviour {
    /// They are alike in all states that can be reached, of which there are so many pairs.
    Alike {
        /// How many.
        states: usize,
    },
    /// They differ.
    Differs(Divergence),
    /// No difference was found.
    NotFound {
        /// Pairs of states that were gone through, breadth first.
        states: usize,
        /// Random games that were played.
        games: u32,
        /// What ended it before its time.
        limit: Option<LimitError>,
    },
}

/// Plays two games side by side. At a limit, what was found until then is the answer.
///
/// ```
/// use ludex_analysis::difference::{Aspect, Behaviour, DifferenceOptions, compare_play};
///
/// let text = "(role you) (init (at 1)) (<= (legal you (go ?n)) (true (at ?m)) (way ?m ?n)) (way 1 2) (way 2 3) (way 2 1)
///     (<= (next (at ?n)) (does you (go ?n))) (<= terminal (true (at 3))) (goal you 50)";
/// # let playable = |text: &str| ludex_testkit::playable("walk.kif", text);
/// let (first, second) = (playable(text)?, playable(&text.replace("(way 2 1)", ""))?);
/// let found = compare_play(&first, &second, &DifferenceOptions::default(), &Default::default())?;
/// let Behaviour::Differs(found) = found else { panic!("one way less") };
/// assert!(found.first.len() == 1 && matches!(found.aspects[..], [Aspect::Legal { .. }]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// One of the games cannot be run, or not even its initial state can be looked at within the limits.
pub fn compare_play(
    first: &Rules,
    second: &Rules,
    options: &DifferenceOptions,
    budget: &Budget,
) -> Answer<Behaviour> {
    match Play::new(first, second, options, budget) {
        Ok(mut play) => play.compare(),
        Err(different) => Ok(Behaviour::Differs(different)),
    }
}

/// Replays a sequence of joint moves of the first game in both and says what differs after it, if anything; `None`
/// where not all of its moves can be made in both.
///
/// # Errors
/// A limit.
pub fn differs_after(
    first: &Rules,
    second: &Rules,
    moves: &[Vec<TermId>],
    options: &DifferenceOptions,
    budget: &Budget,
) -> Answer<Option<Vec<Aspect>>> {
    match Play::new(first, second, options, budget) {
        Ok(mut play) => play.aspects_after(moves),
        Err(different) => Ok(moves.is_empty().then_some(different.aspects)),
    }
}
