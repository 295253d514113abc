//! What can be switched in the tree search.

use super::aim::AimOption;
use super::horizon::Horizon;
use super::judging::JudgingOption;
use super::sighting::Sighting;

/// How the tree search works.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct TreeOptions {
    /// The weight of exploration in the UCT formula, for values from 0 to 1.
    pub exploration: f64,
    /// Explore less where the values of leaves differ little.
    pub relative: bool,
    /// How urgent untried moves are: one counts as tried so often, to the power of -1/2.
    pub urgency: f64,
    /// How much a descent under way counts as one that brought nothing, beside being a visit.
    pub virtual_loss: f64,
    /// Leaves that are worked on at once, at most.
    pub leaves: usize,
    /// Playouts from each new leaf; `None` for as many as the lanes have time for.
    pub probes: Option<u32>,
    /// Stop after so many playouts in a turn.
    pub playouts: u64,
    /// Playouts end after so many steps.
    pub step_limit: u32,
    /// Playouts end here and bring what the goals are there.
    pub horizon: Horizon,
    /// Prove values in the tree.
    pub solver: bool,
    /// The part of the time for a search for proofs beside the tree.
    pub proving: f64,
    /// Look at all successors of new leaves for ends of the game.
    pub look_ahead: bool,
    /// Play from all successors of a new leaf instead of from the leaf.
    pub spread: bool,
    /// The weight of exploration where the successors were played from.
    pub guided: f64,
    /// As so many visits counts what was played from the successor that a move leads to.
    pub prior: f64,
    /// A move is worth what its successor is worth over all ways that lead there, not over those alone that went by
    /// the move.
    pub merge: bool,
    /// Let what was learned of facts count beside playouts.
    pub judging: JudgingOption,
    /// Keep the tree from move to move.
    pub reuse: bool,
    /// What the player plays for.
    pub aim: AimOption,
    /// Playouts see one move ahead.
    pub sighting: Sighting,
}

impl Default for TreeOptions {
    fn default() -> Self {
        Self {
            exploration: 0.3,
            relative: true,
            urgency: 1.2,
            virtual_loss: 0.3,
            leaves: 128,
            probes: None,
            playouts: u64::MAX,
            step_limit: 2000,
            horizon: Horizon::Auto,
            solver: true,
            proving: 0.4,
            look_ahead: true,
            spread: true,
            guided: 0.15,
            prior: 0.5,
            merge: true,
            judging: JudgingOption::Auto,
            reuse: true,
            aim: AimOption::Auto,
            sighting: Sighting::Auto,
        }
    }
}
