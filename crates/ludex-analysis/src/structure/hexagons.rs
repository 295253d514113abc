//! Boards of hexagons.

use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, BoardShape};
use super::kinds::Row;
use super::lattice::by_directions;
use super::placing::place_freely;
use super::search::project;

impl Finder<'_> {
    /// Lays a grid out as hexagons, where the rules link its cells so.
    pub(super) fn try_hexagons(
        &self,
        board: &mut Board,
        rows: &[Row],
        columns: &[usize],
        axes: &[Vec<(Row, String)>; 2],
    ) {
        // Only cells that exist take part: a hexagonal board is a part of a grid.
        let mut keys: Vec<Row> = rows.iter().map(|r| project(r, columns)).collect();
        let rank = |key: &Row| {
            let at =
                |axis: usize, t: TermId| axes[axis].iter().position(|(v, _)| v.contains(&t)).unwrap_or(0);
            (key.first().map_or(0, |&t| at(0, t)), key.get(1).map_or(0, |&t| at(1, t)))
        };
        keys.sort_by_key(rank);
        keys.dedup();
        let cells: FxHashMap<Row, usize> = keys.iter().cloned().enumerate().map(|(i, k)| (k, i)).collect();
        let Some(places) = self.neighbours.hexagons(&cells, columns.len()) else { return };
        board.shape = BoardShape::Hexagonal;
        place_freely(board, self.terms, &keys, &places);
    }

    /// A board whose cells are single names that the rules link as hexagons.
    pub(super) fn places(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let most = self.seen.most(kind);
        if list.arity == 0 || list.arity > 3 || most < 2 {
            return None;
        }
        for columns in [vec![0], vec![1], vec![2], vec![0, 1], vec![1, 2]] {
            if columns.iter().any(|&c| c >= list.arity) || !self.seen.spread(kind, &columns).functional {
                continue;
            }
            let mut keys: Vec<Row> = self.possible[kind].iter().map(|row| project(row, &columns)).collect();
            keys.sort_by(|a, b| self.terms.compare_lists(a, b));
            keys.dedup();
            if !(7..=400).contains(&keys.len()) {
                continue;
            }
            let number = |keys: &[Row]| -> FxHashMap<Row, usize> {
                keys.iter().cloned().enumerate().map(|(i, k)| (k, i)).collect()
            };
            let mut found = self.neighbours.hexagons(&number(&keys), columns.len());
            if found.is_none() && columns.len() == 1 {
                // Cells that no direction leads to or from are never reached.
                let links = self.steps.links(&number(&keys));
                let linked: FxHashSet<usize> = links.iter().flatten().flat_map(|&(a, b)| [a, b]).collect();
                let mut at = 0..;
                keys.retain(|_| at.next().is_some_and(|i| linked.contains(&i)));
                found = by_directions(keys.len(), &self.steps.links(&number(&keys)));
            }
            let Some(places) = found else { continue };
            let mut board = self.empty_board(kind, BoardShape::Hexagonal);
            board.axes = columns.iter().map(|&c| list.domains[c].clone()).collect();
            place_freely(&mut board, self.terms, &keys, &places);
            let layer = self.layer(kind, columns);
            self.mark_possible(&mut board, &layer);
            board.layers.push(layer);
            return Some(board);
        }
        None
    }
}
