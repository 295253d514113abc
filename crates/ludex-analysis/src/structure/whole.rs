//! Several boards that are parts of one, as the quadrants of a board that can be turned: a static relation says of each of
//! their cells where it is on the whole.

use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, Panel};
use super::kinds::Row;
use super::orientation::Orientation;

/// In which order the relation may have the columns of a key: two coordinates and the number of the board.
const ORDERS: [[usize; 3]; 4] = [[2, 0, 1], [0, 1, 2], [2, 1, 0], [1, 0, 2]];

impl Finder<'_> {
    /// Puts the boards of a board of several together, if the rules say how; `inner` is how many cells each of them has
    /// along both coordinates.
    pub(super) fn put_together(&self, board: &mut Board, inner: (i32, i32), turned: Orientation) {
        let parts = board.panels.len();
        if parts < 2 || board.places.keys().any(|key| key.len() != 3) {
            return;
        }
        for rows in self.neighbours.tables(5) {
            for order in ORDERS {
                if let Some(whole) = self.whole(board, &rows, order) {
                    lay_out_whole(board, &whole, turned, |value| self.terms.shown(value));
                    let (across, down) = if turned.first_across { inner } else { (inner.1, inner.0) };
                    board.blocks = Some((across, down));
                    return;
                }
            }
        }
    }

    /// Where each spot is on the whole, by both coordinates with their values in order.
    fn whole(&self, board: &Board, rows: &[Row], order: [usize; 3]) -> Option<Whole> {
        if rows.len() != board.places.len() {
            return None;
        }
        let mut of: FxHashMap<Row, (TermId, TermId)> = FxHashMap::default();
        for row in rows {
            // The key has the number of the board last.
            let mut key = Row::from_slice(&row[..3]);
            order.iter().zip(&row[..3]).for_each(|(&at, &value)| key[at] = value);
            of.insert(key, (row[3], row[4]));
        }
        let axis = |of: &mut dyn Iterator<Item = TermId>| {
            let mut values: Vec<TermId> = of.collect();
            values.sort_unstable_by(|&a, &b| self.terms.compare(a, b));
            values.dedup();
            self.steps.order(self.terms, &values).map(|(values, _)| values)
        };
        let first = axis(&mut rows.iter().map(|row| row[3]))?;
        let second = axis(&mut rows.iter().map(|row| row[4]))?;
        let at = |axis: &[TermId], value: TermId| axis.iter().position(|&other| other == value);
        let place = |(key, &spot): (&Row, &usize)| {
            let &(i, j) = of.get(key)?;
            Some((spot, (at(&first, i)?, at(&second, j)?)))
        };
        let places: FxHashMap<usize, (usize, usize)> =
            board.places.iter().map(place).collect::<Option<_>>()?;
        let distinct: FxHashSet<&(usize, usize)> = places.values().collect();
        (distinct.len() == board.places.len() && distinct.len() == first.len() * second.len())
            .then_some(Whole { first, second, places })
    }
}

/// Both coordinates of the whole, and where on them each spot is.
struct Whole {
    first: Vec<TermId>,
    second: Vec<TermId>,
    places: FxHashMap<usize, (usize, usize)>,
}

fn lay_out_whole(board: &mut Board, whole: &Whole, turned: Orientation, shown: impl Fn(TermId) -> String) {
    let (across, down) =
        if turned.first_across { (&whole.first, &whole.second) } else { (&whole.second, &whole.first) };
    let y_of = |at: usize| (if turned.upwards { down.len() - 1 - at } else { at }) as i32;
    for (&spot, &(i, j)) in &whole.places {
        let (x, y) = if turned.first_across { (i, j) } else { (j, i) };
        let spot = &mut board.spots[spot];
        (spot.panel, spot.x, spot.y) = (0, 2 * x as i32, y_of(y));
    }
    let columns = across.iter().enumerate().map(|(at, &value)| (2 * at as i32, shown(value))).collect();
    let mut rows: Vec<(i32, String)> =
        down.iter().enumerate().map(|(at, &value)| (y_of(at), shown(value))).collect();
    rows.sort_by_key(|row| row.0);
    board.panels = vec![Panel { title: board.name.clone(), columns, rows }];
}
