//! Boards whose cells have names of their own: laid out by what the rules and the names say.

use ludex_logic::{TermId, TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, BoardShape};
use super::kinds::Row;
use super::placing::place_freely;
use super::search::project;

/// The most cells of a board of this kind, and of one that is no more than its cells one after the other.
const CELLS: usize = 400;
const ROWS: usize = 64;
/// Cells in one row where nothing says how they lie.
const ACROSS: usize = 8;
/// The most links of one cell.
const LINKS: usize = 6;

/// Pairs of cells that are joined.
type Links = Vec<(usize, usize)>;
/// Where cells lie, and which are joined, where that is not left to the rules.
type Ring = (Vec<(i32, i32)>, Option<Links>);

/// The points of the compass, clockwise from the north, with the steps across and down.
const COMPASS: [(&[&str], (i32, i32)); 8] = [
    (&["n", "north"], (0, -1)),
    (&["ne", "northeast"], (1, -1)),
    (&["e", "east"], (1, 0)),
    (&["se", "southeast"], (1, 1)),
    (&["s", "south"], (0, 1)),
    (&["sw", "southwest"], (-1, 1)),
    (&["w", "west"], (-1, 0)),
    (&["nw", "northwest"], (-1, -1)),
];

/// Names of rings from the innermost to the outermost.
const RINGS: [&str; 6] = ["centre", "center", "inner", "inside", "middle", "outer"];

impl Finder<'_> {
    /// Rings of cells that are called by the points of the compass, as those of nine men's morris.
    pub(super) fn compass(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        let most = self.seen.most(kind);
        if !(2..=4).contains(&list.arity) || most < 4 {
            return None;
        }
        let step = |value: TermId| {
            let name = self.terms.shown(value).to_lowercase();
            COMPASS.iter().find(|(names, _)| names.contains(&name.as_str())).map(|(_, step)| *step)
        };
        let points = (0..list.arity)
            .find(|&c| list.domains[c].len() >= 4 && list.domains[c].iter().all(|&v| step(v).is_some()))?;
        let rings = [points.checked_sub(1), Some(points + 1)].into_iter().flatten().find(|&c| {
            c < list.arity
                && (1..=6).contains(&list.domains[c].len())
                && self.seen.spread(kind, &[points.min(c), points.max(c)]).functional
        })?;
        let columns = vec![points.min(rings), points.max(rings)];
        let order = self.rings(&list.domains[rings])?;
        let keys = self.keys(kind, &columns);
        let widest = order.len() as i32;
        let place = |key: &Row| {
            let (ring, point) = if rings < points { (key[0], key[1]) } else { (key[1], key[0]) };
            let radius = order.iter().position(|&other| other == ring)? as i32 + 1;
            let (across, down) = step(point)?;
            Some((2 * (widest + radius * across), widest + radius * down))
        };
        let places: Vec<(i32, i32)> = keys.iter().map(place).collect::<Option<_>>()?;
        Some(self.network(kind, columns, &keys, &places))
    }

    /// Rings from the innermost to the outermost: by their names, or as the rules order them.
    fn rings(&self, domain: &[TermId]) -> Option<Vec<TermId>> {
        let rank = |value: &TermId| {
            let name = self.terms.shown(*value).to_lowercase();
            RINGS.iter().position(|ring| name.starts_with(ring))
        };
        if domain.iter().all(|value| rank(value).is_some()) {
            let mut values = domain.to_vec();
            values.sort_by_key(rank);
            return Some(values);
        }
        self.steps.order(self.terms, domain).map(|(values, _)| values)
    }

    /// A board whose cells are single names.
    pub(super) fn named_cells(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        if !(2..=3).contains(&list.arity) || self.seen.most(kind) < 3 {
            return None;
        }
        for column in 0..list.arity {
            let domain = &list.domains[column];
            let is_role = domain.iter().any(|t| self.game.roles.contains(t));
            let crowded = self.seen.spread(kind, &[column]).facts_per_cell > 2.5;
            if is_role || crowded || !(4..=CELLS).contains(&domain.len()) {
                continue;
            }
            let keys = self.all_keys(kind, column);
            let found = self
                .by_table(&keys)
                .or_else(|| self.by_letters(&keys))
                .map(|places| (places, None))
                .or_else(|| self.by_ring(&keys).filter(|_| self.named_by_moves(kind, column)));
            if let Some((places, links)) = found {
                let mut board = self.network(kind, vec![column], &keys, &places);
                board.links = links.unwrap_or(board.links);
                return Some(board);
            }
        }
        None
    }

    /// The cells of a kind with names of their own one after the other, in rows: better than a list where
    /// moves name them.
    pub(super) fn cells_in_rows(&self, kind: usize) -> Option<Board> {
        let list = self.kind(kind);
        if list.arity != 2 || self.seen.most(kind) < 4 {
            return None;
        }
        let column = (0..2).find(|&column| {
            let domain = &list.domains[column];
            (4..=ROWS).contains(&domain.len())
                && self.seen.spread(kind, &[column]).functional
                && !domain.iter().any(|t| self.game.roles.contains(t))
                && self.named_by_moves(kind, column)
        })?;
        let keys = self.keys(kind, &[column]);
        let places: Vec<(i32, i32)> =
            (0..keys.len()).map(|at| (2 * (at % ACROSS) as i32, (at / ACROSS) as i32)).collect();
        Some(self.network(kind, vec![column], &keys, &places))
    }

    pub(super) fn named_by_moves(&self, kind: usize, column: usize) -> bool {
        let list = self.kind(kind);
        self.references.names((list.functor, list.arity, column))
    }

    fn keys(&self, kind: usize, columns: &[usize]) -> Vec<Row> {
        let mut keys: Vec<Row> = self.possible[kind].iter().map(|row| project(row, columns)).collect();
        keys.sort_by(|a, b| self.terms.compare_lists(a, b));
        keys.dedup();
        keys
    }

    /// The cells that facts were seen on, or where they are not all of a static relation, its members.
    fn all_keys(&self, kind: usize, column: usize) -> Vec<Row> {
        let keys = self.keys(kind, &[column]);
        let mut tables = self.neighbours.tables(1);
        tables.retain(|rows| rows.len() <= CELLS && keys.iter().all(|key| rows.contains(key)));
        let Some(mut rows) = tables.into_iter().min_by_key(Vec::len) else { return keys };
        rows.sort_by(|a, b| self.terms.compare_lists(a, b));
        rows.dedup();
        rows
    }

    fn network(&self, kind: usize, columns: Vec<usize>, keys: &[Row], places: &[(i32, i32)]) -> Board {
        let mut board = self.empty_board(kind, BoardShape::Network);
        let list = self.kind(kind);
        board.axes = columns.iter().map(|&c| list.domains[c].clone()).collect();
        place_freely(&mut board, self.terms, keys, places);
        // Cells say what they are called themselves.
        board.panels[0].rows.clear();
        board.panels[0].columns.clear();
        board.links = self.neighbours.links(&board.places, columns.len(), LINKS).unwrap_or_default();
        let layer = self.layer(kind, columns);
        board.layers.push(layer);
        board
    }

    /// By a static relation that says of each cell its column and its row.
    fn by_table(&self, keys: &[Row]) -> Option<Vec<(i32, i32)>> {
        self.neighbours.tables(3).iter().find_map(|rows| {
            [[0, 1, 2], [2, 0, 1]].into_iter().find_map(|[name, first, second]| {
                let axis = |column: usize| {
                    let mut values: Vec<TermId> = rows.iter().map(|row| row[column]).collect();
                    values.sort_unstable_by(|&a, &b| self.terms.compare(a, b));
                    values.dedup();
                    self.steps.order(self.terms, &values).map(|(values, _)| values)
                };
                let named: FxHashMap<TermId, &Row> = rows.iter().map(|row| (row[name], row)).collect();
                if named.len() != rows.len() || keys.iter().any(|key| !named.contains_key(&key[0])) {
                    return None;
                }
                let (across, down) = (axis(first)?, axis(second)?);
                let at = |axis: &[TermId], value| axis.iter().position(|&v| v == value).map(|at| at as i32);
                let place = |key: &Row| {
                    let row = named.get(&key[0])?;
                    Some((2 * at(&across, row[first])?, at(&down, row[second])?))
                };
                distinct(keys.iter().map(place).collect::<Option<_>>()?)
            })
        })
    }

    /// By names that are a letter and a number, or a letter alone.
    fn by_letters(&self, keys: &[Row]) -> Option<Vec<(i32, i32)>> {
        let parts = |key: &Row| {
            let TermView::Constant(symbol) = self.terms.view(key[0]) else { return None };
            let name = self.terms.name(symbol);
            let letter = name.chars().next().filter(char::is_ascii_lowercase)?;
            let number = &name[1..];
            let digits = number.len() <= 2 && number.bytes().all(|b| b.is_ascii_digit());
            let number: u32 = if number.is_empty() { 0 } else { number.parse().ok().filter(|_| digits)? };
            Some((letter, number))
        };
        let named: Vec<(char, u32)> = keys.iter().map(parts).collect::<Option<_>>()?;
        let mut letters: Vec<char> = named.iter().map(|n| n.0).collect();
        letters.sort_unstable();
        letters.dedup();
        let mut numbers: Vec<u32> = named.iter().map(|n| n.1).collect();
        numbers.sort_unstable();
        numbers.dedup();
        let is_grid =
            letters.len() >= 2 && numbers.len() >= 2 && 2 * keys.len() > letters.len() * numbers.len();
        let place = |(letter, number): &(char, u32)| {
            let across = letters.iter().position(|other| other == letter)? as i32;
            let down = numbers.iter().rev().position(|other| other == number)? as i32;
            Some((2 * across, down))
        };
        distinct(named.iter().map(place).collect::<Option<_>>()?).filter(|_| is_grid)
    }

    /// Around a ring, where some relation of the rules leads from each cell to the next.
    fn by_ring(&self, keys: &[Row]) -> Option<Ring> {
        let number: FxHashMap<Row, usize> = keys.iter().cloned().enumerate().map(|(i, k)| (k, i)).collect();
        let links = self.steps.links(&number);
        let ring = links.iter().filter(|pairs| pairs.len() == keys.len()).find_map(|pairs| {
            let next: FxHashMap<usize, usize> = pairs.iter().copied().collect();
            let mut ring = vec![0];
            let mut seen: FxHashSet<usize> = ring.iter().copied().collect();
            while let Some(&at) = next.get(ring.last()?) {
                if !seen.insert(at) {
                    break;
                }
                ring.push(at);
            }
            (ring.len() == keys.len()).then_some(ring)
        })?;
        let around = perimeter(ring.len());
        let mut places = vec![(0, 0); keys.len()];
        ring.iter().zip(around).for_each(|(&cell, place)| places[cell] = place);
        let around = ring.iter().copied().zip(ring.iter().copied().cycle().skip(1)).collect();
        Some((places, Some(around)))
    }
}

/// Places around a rectangle, clockwise from the top left corner.
fn perimeter(count: usize) -> Vec<(i32, i32)> {
    let half = count.div_ceil(2) as i32;
    let width = (half + 2) / 2;
    let height = half + 2 - width;
    let mut places: Vec<(i32, i32)> = (0..width).map(|x| (2 * x, 0)).collect();
    places.extend((1..height - 1).map(|y| (2 * (width - 1), y)));
    places.extend((0..width).rev().map(|x| (2 * x, height - 1)));
    places.extend((1..height - 1).rev().map(|y| (0, y)));
    // An odd ring has one place too many, on its left side or at a corner.
    places.truncate(count);
    places
}

fn distinct(places: Vec<(i32, i32)>) -> Option<Vec<(i32, i32)>> {
    let set: FxHashSet<(i32, i32)> = places.iter().copied().collect();
    (set.len() == places.len()).then_some(places)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_has_a_place_for_each_cell() {
        for count in 5..40 {
            let places = perimeter(count);
            assert_eq!(places.len(), count);
            assert!(distinct(places).is_some(), "{count}");
        }
        assert_eq!(perimeter(8), [(0, 0), (2, 0), (4, 0), (4, 1), (4, 2), (2, 2), (0, 2), (0, 1)]);
    }
}
