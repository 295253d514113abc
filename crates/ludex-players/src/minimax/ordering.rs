//! Which moves to try first: those that cut elsewhere.

use ludex_game::{ActionId, RoleId};
use smallvec::SmallVec;

/// Levels beyond this share the memory of the last one.
const REMEMBERED_LEVELS: usize = 256;

/// Killer moves (those that cut at the same level last) and how often each move cut (history heuristic:
/// Schaeffer, 1983).
#[derive(Debug, Default)]
pub(super) struct Ordering {
    /// Per level and role, the two that cut last.
    killers: Vec<SmallVec<[[Option<ActionId>; 2]; 2]>>,
    /// Per role and move.
    cuts: Vec<Vec<u32>>,
}

impl Ordering {
    /// Puts moves in order: the table's, the killers, then by cuts; else they stay as they are.
    pub(super) fn sort(&self, moves: &mut [ActionId], role: RoleId, level: u32, known: &[Option<ActionId>]) {
        let killers = self.killers.get(Self::place(level)).and_then(|roles| roles.get(role.index()));
        let killers = killers.copied().unwrap_or_default();
        let cuts = self.cuts.get(role.index());
        moves.sort_by_cached_key(|&action| {
            let rank = if known.contains(&Some(action)) {
                0
            } else if killers.contains(&Some(action)) {
                1
            } else {
                2
            };
            let cut = cuts.and_then(|cuts| cuts.get(action.index())).copied().unwrap_or(0);
            (rank, u32::MAX - cut)
        });
    }

    /// Learns that a move made all others of its role unnecessary.
    pub(super) fn learn(&mut self, action: ActionId, role: RoleId, level: u32) {
        let place = Self::place(level);
        if self.killers.len() <= place {
            self.killers.resize(place + 1, SmallVec::new());
        }
        let roles = &mut self.killers[place];
        if roles.len() <= role.index() {
            roles.resize(role.index() + 1, [None; 2]);
        }
        let killers = &mut roles[role.index()];
        if killers[0] != Some(action) {
            *killers = [Some(action), killers[0]];
        }
        if self.cuts.len() <= role.index() {
            self.cuts.resize(role.index() + 1, Vec::new());
        }
        let cuts = &mut self.cuts[role.index()];
        if cuts.len() <= action.index() {
            cuts.resize(action.index() + 1, 0);
        }
        cuts[action.index()] = cuts[action.index()].saturating_add(1);
    }

    fn place(level: u32) -> usize {
        (level as usize).min(REMEMBERED_LEVELS - 1)
    }
}
