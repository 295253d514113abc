//! Mobility and focus by the number of distinct states (book 7.3: all roads lead to Rome).

use ludex_game::{Answer, RoleId, State};
use rustc_hash::FxHashSet;

use super::{Feature, Whose};
use crate::explorer::{Explorer, Joints, OpenedState};
use crate::strategy::Arena;

/// States that count as all there are, when looking more than one step ahead.
const STATES: usize = 256;

/// How many distinct states a role can reach within some steps, the others making their first legal
/// moves all the time.
///
/// Within one step it is a share of the actions that the machine knows beforehand, as mobility is;
/// within several, or where none are known, of 256 states.
#[derive(Clone, Debug)]
pub struct Reach {
    whose: Whose,
    steps: u32,
    is_inverse: bool,
    feasible: usize,
}

impl Reach {
    /// Within so many steps, at least one.
    pub fn new(whose: Whose, steps: u32) -> Self {
        Self { whose, steps: steps.max(1), is_inverse: false, feasible: 0 }
    }

    /// 100 less the reach.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { is_inverse: true, ..self }
    }

    /// Counts the distinct states, up to a limit.
    fn count(
        &self,
        explorer: &mut Explorer<'_>,
        from: &OpenedState,
        role: RoleId,
        limit: usize,
    ) -> Answer<usize> {
        let mut known: FxHashSet<State> = FxHashSet::default();
        let mut level = vec![from.clone()];
        for step in 1..=self.steps {
            let mut next = Vec::new();
            for mut position in level {
                for (other, list) in explorer.roles().zip(&mut position.legal) {
                    list.truncate(if other == role { usize::MAX } else { 1 });
                }
                let mut joints = Joints::all(&position);
                while let Some(joint) = joints.next() {
                    let state = explorer.successor(&position.state, joint)?;
                    if known.contains(&state) {
                        continue;
                    }
                    if step < self.steps {
                        next.push(explorer.open(&state)?);
                    }
                    known.insert(state);
                    if known.len() >= limit {
                        return Ok(limit);
                    }
                }
            }
            level = next;
        }
        Ok(known.len())
    }
}

impl Feature for Reach {
    fn sit(&mut self, arena: &Arena) {
        self.feasible = arena.signature().known_actions();
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let all = if self.steps == 1 && self.feasible > 0 { self.feasible } else { STATES };
        let reach = self.whose.mean(explorer, role, |explorer, role| {
            Ok(self.count(explorer, position, role, all)? as f64 / all as f64 * 100.0)
        })?;
        Ok(if self.is_inverse { 100.0 - reach } else { reach })
    }
}
