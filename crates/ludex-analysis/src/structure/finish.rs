//! What is added to a board once its spots and layers are known: walls at the sides of cells, other names of
//! spots, parts such as boxes, and where it ends.

use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::assemble::Finder;
use super::board::{Board, BoardShape, Use};
use super::kinds::Row;
use super::search::project;

/// The sides of a cell by their names, with the steps across and down.
const SIDES: [(&[&str], (i32, i32)); 4] = [
    (&["north", "up", "top", "n", "u"], (0, -1)),
    (&["south", "down", "bottom", "s", "d"], (0, 1)),
    (&["east", "right", "e", "r"], (1, 0)),
    (&["west", "left", "w", "l"], (-1, 0)),
];
/// What names of walls have in them.
const WALLS: [&str; 6] = ["wall", "block", "barrier", "border", "fence", "closed"];
/// A board is cropped where so many times as many cells are drawn as anything was seen on.
const CROPPED: usize = 3;
/// Boards of so many cells are looked at as they are.
const SMALL: usize = 400;

/// Whether facts that are called so are walls.
pub(super) fn is_wall(name: &str) -> bool {
    let name = name.to_lowercase();
    WALLS.iter().any(|wall| name.contains(wall))
}

fn side(name: &str) -> Option<(i32, i32)> {
    SIDES.iter().find(|(names, _)| names.contains(&name)).map(|(_, step)| *step)
}

impl Finder<'_> {
    /// See the module.
    pub(super) fn finish(&self, board: &mut Board) {
        if board.pile.is_some() {
            board.number_things(self.kinds.list());
            return;
        }
        self.sides(board);
        self.crop(board);
        self.aliases(board);
        self.part(board);
    }

    /// Facts that are called walls and say a side of a cell, or have it in their name.
    fn sides(&self, board: &mut Board) {
        if board.shape != BoardShape::Grid {
            return;
        }
        for layer in &mut board.layers {
            let list = &self.kinds.list()[layer.kind];
            let name = self.terms.name(list.functor).to_lowercase();
            if !is_wall(&name) {
                continue;
            }
            match (&layer.used_as, layer.content.as_slice()) {
                (Use::Mark(_), []) => {
                    let long = SIDES
                        .iter()
                        .find(|(names, _)| names.iter().any(|side| side.len() > 1 && name.ends_with(side)));
                    if let Some((_, (across, down))) = long {
                        layer.used_as = Use::Side(*across, *down);
                    }
                }
                (Use::Content(_), &[column]) => {
                    let ways = list.domains[column].iter();
                    let ways: Option<FxHashMap<TermId, (i32, i32)>> =
                        ways.map(|&way| Some((way, side(&self.terms.shown(way).to_lowercase())?))).collect();
                    if let Some(ways) = ways {
                        layer.used_as = Use::Sides(column, ways);
                    }
                }
                _ => {}
            }
        }
    }

    /// Leaves away rows and columns that the rules allow for and that nothing ever was near.
    fn crop(&self, board: &mut Board) {
        if board.shape != BoardShape::Grid || board.blocks.is_some() || board.panels.len() != 1 {
            return;
        }
        if board.spots.len() <= SMALL {
            return;
        }
        let mut area: Option<(i32, i32, i32, i32)> = None;
        let mut include = |x: i32, y: i32, margin: i32| {
            let (left, right, top, bottom) = area.unwrap_or((x, x, y, y));
            let (across, down) = (2 * margin, margin);
            area =
                Some((left.min(x - across), right.max(x + across), top.min(y - down), bottom.max(y + down)));
        };
        for layer in &board.layers {
            let states = self.seen.of(layer.kind);
            let first: FxHashSet<&Row> = states.first().into_iter().flatten().collect();
            let steady =
                states.iter().all(|rows| rows.len() == first.len() && rows.iter().all(|r| first.contains(r)));
            for row in states.iter().flatten() {
                let key = project(row, &layer.columns);
                let Some(spot) = board.places.get(&key).and_then(|&at| board.spots.get(at)) else { continue };
                // What changes may go one step further than it was seen.
                include(spot.x, spot.y, i32::from(!steady && layer.content.is_empty()));
            }
        }
        let Some((left, right, top, bottom)) = area else { return };
        let inside = |x: i32, y: i32| (left..=right).contains(&x) && (top..=bottom).contains(&y);
        let kept = board.spots.iter().filter(|s| inside(s.x, s.y)).count();
        if kept == 0 || kept * CROPPED > board.spots() {
            return;
        }
        let outside: Vec<bool> = board.spots.iter().map(|s| !inside(s.x, s.y)).collect();
        board.places.retain(|_, spot| !outside[*spot]);
        for (spot, outside) in board.spots.iter_mut().zip(outside) {
            spot.possible &= !outside;
        }
        self.renumber(board);
    }

    /// Drops the spots that no place has any longer, and begins rows and columns at 0.
    fn renumber(&self, board: &mut Board) {
        let used: FxHashSet<usize> = board.places.values().copied().collect();
        let mut numbers: FxHashMap<usize, usize> = FxHashMap::default();
        let mut spots = Vec::new();
        for (at, spot) in board.spots.iter().enumerate().filter(|(at, _)| used.contains(at)) {
            numbers.insert(at, spots.len());
            spots.push(spot.clone());
        }
        board.spots = spots;
        for spot in board.places.values_mut() {
            if let Some(&number) = numbers.get(spot) {
                *spot = number;
            }
        }
        let left = board.spots.iter().map(|s| s.x).min().unwrap_or(0);
        let top = board.spots.iter().map(|s| s.y).min().unwrap_or(0);
        for spot in &mut board.spots {
            spot.x -= left;
            spot.y -= top;
        }
        let spots = &board.spots;
        for panel in &mut board.panels {
            panel.columns.iter_mut().for_each(|(x, _)| *x -= left);
            panel.rows.iter_mut().for_each(|(y, _)| *y -= top);
            panel.columns.retain(|(x, _)| spots.iter().any(|s| s.x == *x));
            panel.rows.retain(|(y, _)| spots.iter().any(|s| s.y == *y));
        }
    }

    /// The names that a static relation gives to spots, one each, such as the numbers of squares.
    fn aliases(&self, board: &mut Board) {
        let width = board.axes.len();
        if width < 2 {
            return;
        }
        for rows in self.neighbours.tables(width + 1) {
            for name in [0, width] {
                let mut named: FxHashMap<TermId, usize> = FxHashMap::default();
                let mut spots: FxHashSet<usize> = FxHashSet::default();
                let of = |row: &Row| {
                    let key: Row =
                        row.iter().enumerate().filter(|(at, _)| *at != name).map(|(_, t)| *t).collect();
                    board.places.get(&key).copied().filter(|&spot| board.is_place(spot))
                };
                let one_each = rows.iter().all(|row| {
                    of(row).is_some_and(|spot| named.insert(row[name], spot).is_none() && spots.insert(spot))
                });
                if one_each && named.len() >= 4 && named.len() * 2 >= board.spots() {
                    board.aliases = named;
                    return;
                }
            }
        }
    }

    /// The parts of a board that a static relation gathers cells into, where each of them is in one piece
    /// and they are no rows or columns.
    fn part(&self, board: &mut Board) {
        if board.shape != BoardShape::Grid || board.blocks.is_some() || board.axes.len() != 2 {
            return;
        }
        for rows in self.neighbours.tables(3) {
            for name in [2, 0] {
                let mut group: FxHashMap<usize, TermId> = FxHashMap::default();
                for row in &rows {
                    let key: Row =
                        row.iter().enumerate().filter(|(at, _)| *at != name).map(|(_, t)| *t).collect();
                    if let Some(&spot) = board.places.get(&key)
                        && group.insert(spot, row[name]).is_some_and(|other| other != row[name])
                    {
                        group.clear();
                        break;
                    }
                }
                if group.len() == board.spots() && is_partition(board, &group) {
                    board.parted = borders(board, &group);
                    return;
                }
            }
        }
    }
}

/// Whether groups of cells are in one piece each, several, and not all in rows or columns.
fn is_partition(board: &Board, group: &FxHashMap<usize, TermId>) -> bool {
    let mut members: FxHashMap<TermId, Vec<usize>> = FxHashMap::default();
    for (&spot, &of) in group {
        members.entry(of).or_default().push(spot);
    }
    let straight = |cells: &Vec<usize>, across: bool| {
        let at = |spot: usize| if across { board.spots[spot].y } else { board.spots[spot].x };
        cells.iter().all(|&cell| at(cell) == at(cells[0]))
    };
    let whole = |cells: &Vec<usize>| {
        let mut open = vec![cells[0]];
        let mut reached: FxHashSet<usize> = open.iter().copied().collect();
        while let Some(at) = open.pop() {
            for &cell in cells {
                if board.adjacent(at, cell) && reached.insert(cell) {
                    open.push(cell);
                }
            }
        }
        reached.len() == cells.len()
    };
    members.len() >= 2
        && members.values().all(|cells| (2..=64).contains(&cells.len()) && whole(cells))
        && !members.values().all(|cells| straight(cells, true))
        && !members.values().all(|cells| straight(cells, false))
}

/// The neighbours that are in different groups.
fn borders(board: &Board, group: &FxHashMap<usize, TermId>) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    for a in 0..board.spots.len() {
        for b in a + 1..board.spots.len() {
            if board.adjacent(a, b) && group.get(&a) != group.get(&b) {
                found.push((a, b));
            }
        }
    }
    found
}
