//! Nodes of the tree of what may happen.

use ludex_game::{Moment, RoleId};
use ludex_gdl::GameTime;
use ludex_logic::TermId;
use rustc_hash::FxHashMap;

/// A moment at which roles decide.
#[derive(Debug, Default)]
pub(super) struct Node {
    /// By role that may decide here.
    pub choices: Vec<RoleChoices>,
    pub children: FxHashMap<ChildKey, u32>,
    /// How long it is until the next node where all wait.
    pub wait: GameTime,
    pub since_root: GameTime,
    /// Where everything is seen: the moment, and what it is worth if it is over.
    pub moment: Option<Moment>,
    pub values: Option<Vec<f64>>,
    /// Whether roles and moves were looked up.
    pub is_open: bool,
}

/// What tells the children of a node apart: the decision of each role that is told apart, and what was heard.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct ChildKey {
    pub moves: Vec<(RoleId, TermId)>,
    pub told: u64,
}

/// What a role tried at a node.
#[derive(Debug)]
pub(super) struct RoleChoices {
    pub role: RoleId,
    /// `None` is to wait.
    pub options: Vec<Choice>,
}

/// One thing that a role may do.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice {
    pub action: Option<TermId>,
    pub visits: u64,
    pub sum: f64,
    /// How often it could have been chosen.
    pub available: u64,
}

impl RoleChoices {
    pub fn new(role: RoleId) -> Self {
        Self { role, options: Vec::new() }
    }

    /// Takes note of what may be done, which need not be the same in each descent.
    pub fn meet(&mut self, action: Option<TermId>) {
        if !self.options.iter().any(|choice| choice.action == action) {
            self.options.push(Choice { action, visits: 0, sum: 0.0, available: 0 });
        }
    }

    /// The place of the option to try: the highest upper confidence bound among those that may be done now.
    pub fn select(
        &mut self,
        may: impl Fn(Option<TermId>) -> bool,
        exploration: f64,
        tie: u64,
    ) -> Option<usize> {
        let mut best: Option<(f64, usize)> = None;
        let count = self.options.len();
        for turn in 0..count {
            let place = (turn + tie as usize) % count;
            let choice = &mut self.options[place];
            if !may(choice.action) {
                continue;
            }
            choice.available += 1;
            let bound = if choice.visits == 0 {
                f64::INFINITY
            } else {
                let visits = choice.visits as f64;
                choice.sum / visits + exploration * ((choice.available as f64).ln() / visits).sqrt()
            };
            if best.is_none_or(|(known, _)| bound > known) {
                best = Some((bound, place));
            }
        }
        best.map(|(_, place)| place)
    }
}
