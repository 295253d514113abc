//! Things that stand on one another: towers, and discs on pegs; heaps, and rows of cells.

use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, BoardShape, Pile, Spot};
use super::kinds::Row;

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

    /// One column that tells places apart; the other an amount (heaps) or a content (a row). So many facts must have
    /// been seen in some state.
    pub(super) fn row_or_heaps(&self, kind: usize, least: usize) -> Option<Board> {
        let list = self.kind(kind);
        let most = self.seen.most(kind);
        if !(1..=3).contains(&list.arity) || most < least {
            return None;
        }
        if list.arity == 1 {
            let alike =
                self.kinds.list().iter().filter(|k| k.arity == 1 && k.domains == list.domains).count();
            if alike < 2 || list.domains[0].len() < 5 {
                return None;
            }
        }
        let is_role = |d: &[TermId]| d.iter().any(|t| self.game.roles.contains(t));
        let key = (0..list.arity).find(|&c| {
            (3..=26).contains(&list.domains[c].len()) && self.seen.spread(kind, &[c]).functional
        })?;
        let domain = &list.domains[key];
        if is_role(domain) {
            return None;
        }
        let numbers = |d: &[TermId]| d.iter().all(|&t| self.terms.integer(t).is_some());
        if list.arity == 2 && numbers(&list.domains[1 - key]) && list.domains[1 - key].len() > 2 {
            let mut board = self.empty_board(kind, BoardShape::Heaps);
            board.pile = Some(Pile { kind, upper: key, lower: 1 - key, sizes: Vec::new() });
            return Some(board);
        }
        let order = self.steps.order(self.terms, domain).map_or_else(|| domain.clone(), |o| o.0);
        // Longer rows are easier to read as a list.
        let width: usize = order.iter().map(|&t| self.terms.shown(t).chars().count()).max().unwrap_or(0);
        if order.len() * (width + 1) > 78 {
            return None;
        }
        let mut board = self.empty_board(kind, BoardShape::Line);
        for (at, &value) in order.iter().enumerate() {
            let x = 2 * at as i32;
            board.places.insert(Row::from_slice(&[value]), at);
            let name = self.terms.shown(value);
            board.panels[0].columns.push((x, name.clone()));
            board.spots.push(Spot { panel: 0, x, y: 0, possible: true, name });
        }
        board.axes = vec![order];
        board.layers.push(self.layer(kind, vec![key]));
        Some(board)
    }
}
