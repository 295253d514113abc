//! What people can know who play games in which they do not see everything: found out for their seats alone.

use std::sync::Arc;

use super::error::ManagerError;
use super::in_turn::in_turn;
use super::options::ManagerOptions;
use crate::cache::Cache;
use crate::gate::Gate;
use crate::preparation::{KnowWish, Known, Preparation, Rulesheet, WorkLimits};

/// How many may wait until it is found out what they know.
const WAITING: usize = 16;
/// Bytes of what was found out lately.
const KEPT: usize = 4 << 20;

/// What was asked: the match, the seat, and how many steps it was told of.
type KnownKey = (String, u32, usize);

/// Who finds out what seats know. This has a process of its own, since somebody waits for it who plays.
#[derive(Debug)]
pub(super) struct Knowing {
    pub(super) preparation: Preparation,
    gate: Gate,
    kept: Cache<KnownKey, Known>,
}

impl Knowing {
    pub(super) fn new(options: &ManagerOptions, limits: WorkLimits) -> Self {
        Self {
            preparation: Preparation::of_one_process(options.preparation.clone(), limits, WAITING),
            gate: Gate::new(1, WAITING),
            kept: Cache::new(KEPT, Known::bytes),
        }
    }

    /// What a seat knows: as it was found out before, or now.
    pub(super) fn known(
        &self,
        key: KnownKey,
        ask: impl FnOnce() -> (Rulesheet, KnowWish),
    ) -> Result<Arc<Known>, ManagerError> {
        in_turn((&self.gate, "what others know"), &self.kept, key, || {
            let (rules, wish) = ask();
            Ok(self.preparation.know(rules, wish)?)
        })
    }
}
