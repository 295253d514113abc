//! Things that stand on one another: towers, and discs on pegs.

use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, BoardShape, Pile};

/// Places that things are stacked on.
const PLACES: usize = 8;
/// Discs of different sizes.
const DISCS: usize = 20;

impl Finder<'_> {
    /// Things on things: a relation between members of overlapping sets in which, in every state, all
    /// have at most one above and one below, and nothing stands on itself.
    pub(super) fn towers(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        if list.arity != 2 || self.seen.most(kind) == 0 {
            return None;
        }
        let numbers = |d: &[TermId]| d.iter().all(|&t| self.terms.integer(t).is_some());
        let (above, below) = (&list.domains[0], &list.domains[1]);
        let shared = above.iter().filter(|t| below.contains(t)).count();
        if shared * 2 < above.len() || shared < 2 || numbers(above) || above.len() > 40 {
            return None;
        }
        for rows in self.seen.of(kind) {
            let mut on: FxHashMap<TermId, TermId> = FxHashMap::default();
            let mut under: FxHashSet<TermId> = FxHashSet::default();
            for row in rows {
                if on.insert(row[0], row[1]).is_some() || !under.insert(row[1]) {
                    return None;
                }
            }
            for &start in on.keys() {
                let mut at = start;
                let mut height = 0;
                while let Some(&down) = on.get(&at) {
                    at = down;
                    height += 1;
                    if height > on.len() {
                        return None;
                    }
                }
            }
        }
        // Two facts that never meet could be any pairs of names: `on` must have built a tower.
        let mut board = self.empty_board(kind, BoardShape::Towers);
        let sizes = self.sizes(kind);
        board.pile = Some(Pile { kind, upper: 0, lower: 1, sizes });
        Some(board)
    }

    /// The things of a tower that have sizes, from the smallest to the largest: those that are numbered, if in
    /// all states what is on another is smaller.
    fn sizes(&self, kind: usize) -> Vec<TermId> {
        let above = &self.kind(kind).domains[0];
        let Some((order, _)) = self.steps.order(self.terms, above).filter(|_| above.len() >= 3) else {
            return Vec::new();
        };
        let size = |thing: TermId| order.iter().position(|&other| other == thing);
        let mut both = 0;
        let sorted = self.seen.of(kind).iter().flatten().all(|row| match (size(row[0]), size(row[1])) {
            (Some(upper), Some(lower)) => {
                both += 1;
                upper < lower
            }
            _ => true,
        });
        if sorted && both >= 3 { order } else { Vec::new() }
    }

    /// Numbered things at few places that moves name, as discs on pegs: each is at one place all the time, and
    /// several may be at one.
    pub(super) fn stacks(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        if list.arity != 2 || !(3..=DISCS).contains(&self.seen.most(kind)) {
            return None;
        }
        let column = (0..2).find(|&column| {
            let (things, places) = (&list.domains[column], &list.domains[1 - column]);
            let all = self.seen.of(kind).iter().all(|rows| rows.len() == things.len());
            let is_role = |t: &TermId| self.game.roles.contains(t);
            all && (2..=PLACES).contains(&places.len())
                && self.seen.spread(kind, &[column]).functional
                && !self.seen.spread(kind, &[1 - column]).functional
                && !things.iter().chain(places).any(is_role)
                && self.named_by_moves(kind, 1 - column)
                && !self.named_by_moves(kind, column)
        })?;
        let (sizes, _) = self.steps.order(self.terms, &list.domains[column])?;
        let mut board = self.empty_board(kind, BoardShape::Stacks);
        board.pile = Some(Pile { kind, upper: column, lower: 1 - column, sizes });
        Some(board)
    }
}
