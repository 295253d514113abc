//! Mobility and focus by the number of actions (book 7.3).

use ludex_game::{Answer, RoleId, State};
use rustc_hash::FxHashSet;

use super::{Feature, Whose};
use crate::explorer::{Explorer, Joints, OpenedState};
use crate::strategy::Arena;

/// States looked at for one score, when looking ahead.
const STATES: usize = 64;

/// The share of all feasible actions that is legal, now or some steps away. Its inverse is focus.
///
/// Feasible are the actions that the machine knows beforehand, of all roles together; where it knows
/// none, as many as were ever legal at once. Some steps away, it is the mean over the states that are
/// exactly so many joint moves away, the first ones where there are very many; a state in which the game
/// is over has no legal action.
#[derive(Clone, Debug)]
pub struct Mobility {
    whose: Whose,
    steps: u32,
    is_inverse: bool,
    feasible: usize,
    most_seen: usize,
}

impl Mobility {
    /// Mobility so many steps away; 0 for the state itself.
    pub fn new(whose: Whose, steps: u32) -> Self {
        Self { whose, steps, is_inverse: false, feasible: 0, most_seen: 1 }
    }

    /// Focus: 100 less the mobility.
    #[must_use]
    pub fn inverse(self) -> Self {
        Self { is_inverse: true, ..self }
    }

    fn share(&mut self, count: usize) -> f64 {
        self.most_seen = self.most_seen.max(count);
        let feasible = if self.feasible > 0 { self.feasible } else { self.most_seen };
        (count as f64 / feasible as f64 * 100.0).min(100.0)
    }
}

impl Feature for Mobility {
    fn sit(&mut self, arena: &Arena) {
        self.feasible = arena.signature().known_actions();
    }

    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64> {
        let whose = self.whose;
        let ahead;
        let reached = if self.steps == 0 {
            std::slice::from_ref(position)
        } else {
            ahead = positions_after(explorer, position, self.steps)?;
            &ahead[..]
        };
        let mobility = whose.mean(explorer, role, |_, role| {
            let shares: f64 = reached.iter().map(|after| self.share(after.legal[role.index()].len())).sum();
            Ok(shares / reached.len().max(1) as f64)
        })?;
        Ok(if self.is_inverse { 100.0 - mobility } else { mobility })
    }
}

/// The states exactly so many joint moves away.
fn positions_after(explorer: &mut Explorer<'_>, from: &OpenedState, steps: u32) -> Answer<Vec<OpenedState>> {
    let mut level = vec![from.clone()];
    for _ in 0..steps {
        let mut next = Vec::new();
        let mut known: FxHashSet<State> = FxHashSet::default();
        'level: for position in &level {
            let mut joints = Joints::all(position);
            while let Some(joint) = joints.next() {
                let state = explorer.successor(&position.state, joint)?;
                if known.insert(state.clone()) {
                    next.push(explorer.open(&state)?);
                }
                if next.len() >= STATES {
                    break 'level;
                }
            }
        }
        level = next;
        if level.is_empty() {
            break;
        }
    }
    Ok(level)
}
