//! What new leaves are worth to each role, and which of their moves look good before any was tried. The search asks a
//! [`LeafEvaluation`] and does not know which one it is.
//!
//! - [`playouts`]: random games from the leaves.
//! - [`successors`]: random games from the successors of the leaves.
//! - [`learned`]: what facts are worth, beside random games.
//! - [`held_out`]: how much each of the two tells of games.

mod held_out;
mod learned;
mod playouts;
mod successors;

use std::ops::Range;
use std::time::Duration;

use ludex_game::{Answer, Batch, Expansion, Goal, MachineTag, MovesMade, Policy};

use super::graph::Bounds;
use super::objective::Objective;

pub(super) use held_out::held_out;
pub(crate) use learned::LearnedOption;
pub(super) use learned::{LearnedEvaluation, LearnedLeaves, Learning};
pub(super) use playouts::RandomGames;
pub(super) use successors::{SuccessorPlayouts, WIDEST};

/// Says what leaves are worth.
pub(super) trait LeafEvaluation {
    /// Evaluates leaves that are no ends of the game, with so many playouts where it makes any.
    ///
    /// # Errors
    /// What the batch answers, limits among it; what was found then is worth nothing.
    fn evaluate(
        &mut self,
        leaves: &Leaves<'_>,
        playouts: &Playouts,
        batch: &mut dyn Batch,
        found: &mut Evaluations,
    ) -> Answer<()>;
}

/// Leaves that are evaluated at once; none of them is an end of the game.
pub(super) struct Leaves<'l> {
    pub leaves: Vec<Leaf<'l>>,
    /// The states of those that were not known before.
    pub states: &'l Expansion,
    /// Successors of the leaves, as far as they were looked at.
    pub looked: &'l Expansion,
    /// Whose states they are.
    pub tag: MachineTag,
    pub roles: usize,
    /// What values are values of.
    pub objective: Objective,
}

/// A leaf that is to be evaluated.
pub(super) struct Leaf<'l> {
    /// The words of its state.
    pub words: &'l [u64],
    /// Its number in [`Leaves::states`], where it was not known before.
    pub number: Option<usize>,
    /// All its successors, in [`Leaves::looked`], in the order of the moves of the role that chooses; empty where they
    /// were not looked at.
    pub successors: Range<usize>,
    /// The role that chooses among them.
    pub chooser: usize,
}

/// How many playouts to make, and how.
#[derive(Clone, Debug)]
pub(super) struct Playouts {
    /// From each leaf at least.
    pub each: u32,
    /// In all at least.
    pub fill: u32,
    pub policy: Policy,
    pub seed: u64,
}

impl Playouts {
    /// From each of so many leaves.
    fn for_each_leaf(&self, leaves: usize) -> u32 {
        self.each.max(self.fill.div_ceil(leaves.max(1) as u32)).max(1)
    }
}

/// What leaves are worth.
#[derive(Debug, Default)]
pub(super) struct Evaluations {
    roles: usize,
    values: Vec<f64>,
    priors: Vec<f32>,
    /// Which moves were made in playouts, by start, where that was wanted; and per leaf its starts.
    moves: MovesMade,
    starts: Vec<Range<usize>>,
    /// Playouts made, and their steps.
    pub playouts: u64,
    pub steps: u64,
    /// The time that playouts took, if there is a clock.
    pub playing: Duration,
}

impl Evaluations {
    /// Makes room for what is found out of some leaves.
    pub fn begin(&mut self, leaves: &Leaves<'_>) {
        self.roles = leaves.roles;
        self.values.clear();
        self.values.resize(leaves.leaves.len() * leaves.roles, 0.0);
        self.priors.clear();
        self.priors.resize(leaves.looked.len(), f32::NAN);
        self.moves = MovesMade::default();
        self.starts.clear();
        (self.playouts, self.steps, self.playing) = (0, 0, Duration::ZERO);
    }

    /// What a leaf is worth per role, 0 to 1.
    pub fn values(&self, leaf: usize) -> &[f64] {
        &self.values[leaf * self.roles..][..self.roles]
    }

    fn values_mut(&mut self, leaf: usize) -> &mut [f64] {
        &mut self.values[leaf * self.roles..][..self.roles]
    }

    /// Nothing but which moves playouts made, from the starts of one leaf.
    #[cfg(test)]
    pub fn with_moves(moves: MovesMade, starts: Range<usize>) -> Self {
        Self { moves, starts: std::iter::once(starts).collect(), ..Self::default() }
    }

    /// Per start of a leaf, which moves playouts from there made; `None` where that was not noted.
    pub fn moves_made(&self, leaf: usize) -> Option<(&MovesMade, Range<usize>)> {
        let starts = self.starts.get(leaf).filter(|_| !self.moves.is_empty())?;
        Some((&self.moves, starts.clone()))
    }

    /// What a successor that was looked at seems to be worth to the role that chooses it, 0 to 1; not a number where
    /// nothing is said of it.
    pub fn prior(&self, look: usize) -> f32 {
        self.priors[look]
    }
}

/// The goals of an end of the game, 0 to 1 per role, as values of an objective.
pub(super) fn terminal_values(goals: &[Option<Goal>], objective: Objective, out: &mut [f64]) {
    for (value, goal) in out.iter_mut().zip(objective.goals(goals)) {
        *value = f64::from(Bounds::exact(goal.unwrap_or(0)).lower) / 100.0;
    }
}
