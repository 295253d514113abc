//! From columns that look like coordinates to boards.

use ludex_gdl::GameProgram;
use ludex_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Sampled;
use super::board::{Board, BoardShape, Layer, Panel, Spot, Use};
use super::directions::Directions;
use super::dressing::dress;
use super::figures::{Count, Figure};
use super::finish::is_wall;
use super::hints::Hints;
use super::kinds::{Kind, Kinds, Row, complete};
use super::labels::{Sides, Sign, blank, signs};
use super::lattice::Neighbours;
use super::order::{Evidence, Successors};
use super::orientation::orientation;
use super::placing::lay_out;
use super::references::References;
use super::search::{Grid, Seen, grid, project};

/// More boards than this are not drawn but listed.
pub(super) const BOARDS: usize = 8;
/// Contents to tell apart by signs on one layer.
const CONTENTS: usize = 400;

/// What the search needs at every turn.
pub(super) struct Finder<'a> {
    pub game: &'a GameProgram,
    pub terms: &'a Terms,
    pub kinds: &'a Kinds,
    pub seen: Seen,
    /// The facts of the sampled states, as rows by kind, all together.
    pub possible: Vec<Vec<Row>>,
    pub sides: Sides,
    pub neighbours: Neighbours<'a>,
    pub steps: Successors,
    directions: Directions,
    pub references: &'a References,
    pub hints: &'a Hints,
    /// The moves that are known from the beginning.
    pub moves: Vec<TermId>,
    /// What the rules call cards.
    pub cards: Vec<TermId>,
}

/// All boards of a game.
pub(crate) fn boards(
    game: &GameProgram,
    sampled: Sampled,
    kinds: &Kinds,
    neighbours: Neighbours<'_>,
    references: &References,
    hints: &Hints,
) -> Vec<Board> {
    let Sampled { terms, propositions, states, directions, moves, .. } = sampled;
    let terms: &Terms = &terms;
    let mut possible = vec![Vec::new(); kinds.list().len()];
    let mut row = Row::new();
    for &fact in propositions.iter().chain(states.iter().flatten()) {
        if let Some(kind) = kinds.row(terms, fact, &mut row) {
            possible[kind].push(row.clone());
        }
    }
    for rows in &mut possible {
        rows.sort_unstable();
        rows.dedup();
        // Where only what was met is known, a few that are missing among all are taken to be possible.
        if propositions.is_empty() {
            complete(rows);
        }
    }
    let roles: Vec<String> = game.roles.iter().map(|&r| terms.shown(r)).collect();
    let cards = neighbours.called("card");
    let finder = Finder {
        game,
        terms,
        kinds,
        seen: Seen::new(terms, kinds, &states),
        possible,
        sides: Sides::new(&roles),
        neighbours,
        steps: Successors::of(game),
        directions,
        references,
        hints,
        moves,
        cards,
    };
    finder.boards()
}

impl Finder<'_> {
    fn boards(&self) -> Vec<Board> {
        let mut boards: Vec<Board> = Vec::new();
        let mut free: Vec<usize> = Vec::new();
        let mut grids: Vec<Grid> = Vec::new();
        let mut held: Vec<usize> = Vec::new();
        for kind in 0..self.kinds.list().len() {
            let found = self.towers(kind).or_else(|| self.stacks(kind)).or_else(|| self.compass(kind));
            if let Some(board) = found {
                boards.push(board);
                continue;
            }
            free.push(kind);
            grids.extend(grid(self.terms, self.kinds, &self.seen, &self.steps, &self.game.roles, kind));
        }
        // The largest grid first, then the fullest: others are laid over it.
        let weight = |g: &Grid| {
            let area = g.orders[g.pair[0]].len() * g.orders[g.pair[1]].len();
            let links = self.is_links(g.kind) && !self.joins_neighbours(g);
            // What says of every cell what is there comes before what only marks some.
            let full = self.seen.of(g.kind).iter().all(|rows| rows.len() == area);
            (!links, area, full, self.seen.most(g.kind), usize::MAX - g.kind)
        };
        grids.sort_by_key(|g| std::cmp::Reverse(weight(g)));
        for grid in &grids {
            if boards.len() >= BOARDS || boards.iter().any(|b| b.kinds().any(|k| k == grid.kind)) {
                continue;
            }
            let loose = self.is_links(grid.kind) && !self.joins_neighbours(grid);
            let loose = loose || self.repeats(&boards, grid);
            if self.lay_over(&mut boards, grid.kind)
                || loose
                || self.seen.most(grid.kind) < 2
                || grid.score < 4.0
            {
                continue;
            }
            boards.push(self.grid_board(grid));
        }
        for &kind in &free {
            if !boards.iter().any(|b| b.kinds().any(|k| k == kind)) && !self.lay_over(&mut boards, kind) {
                if boards.len() >= BOARDS {
                    break;
                }
                let things =
                    boards.iter().filter_map(|b| b.pile.as_ref()).map(|p| &self.kind(p.kind).domains);
                let on_towers = |d: &Vec<TermId>| {
                    let mut all = things.clone().flatten();
                    d.iter().all(|t| all.clone().any(|tower| tower.contains(t))) && all.next().is_some()
                };
                if grids.iter().any(|g| g.kind == kind && self.repeats(&boards, g)) {
                    continue;
                }
                if self.kind(kind).arity == 1 && on_towers(&self.kind(kind).domains[0]) {
                    continue;
                }
                let found = self.places(kind).or_else(|| self.named_cells(kind));
                let found = found.or_else(|| self.row_or_heaps(kind, 3));
                let found = found.or_else(|| self.cells_in_rows(kind));
                let hand = if found.is_none() { self.hands(kind) } else { None };
                held.extend(hand.is_some().then_some(boards.len()));
                boards.extend(found.or(hand));
            }
        }
        self.supplies(&mut boards);
        // Where there is more than hands and heaps, all else is better in a list.
        let is_table = |(at, board): (usize, &Board)| held.contains(&at) || board.shape == BoardShape::Heaps;
        if boards.iter().enumerate().all(is_table) {
            self.trays(&mut boards);
        }
        for board in &mut boards {
            self.find_walls(board);
            self.finish(board);
            name_marks(self.kinds, self.terms, board);
            self.show_lamps(board);
            self.hints.dress(self.terms, board);
        }
        boards
    }

    /// Whether a grid only adds numbers to a board that is there already, such as which group of
    /// stones a stone belongs to: easier to read as a list.
    fn repeats(&self, boards: &[Board], grid: &Grid) -> bool {
        let list = self.kind(grid.kind);
        let [i, j] = grid.pair;
        let rest = (0..list.arity).filter(|c| *c != i && *c != j);
        let contents: usize = rest.map(|c| list.domains[c].len()).product();
        let axes = [grid.orders[i].clone(), grid.orders[j].clone()];
        contents > 30 && boards.iter().any(|b| b.axes == axes)
    }

    /// Whether facts name two cells each: two pairs of columns with the same values.
    fn is_links(&self, kind: usize) -> bool {
        let domains = &self.kind(kind).domains;
        domains.len() == 4 && domains[0].len() > 3 && domains[0] == domains[2] && domains[1] == domains[3]
    }

    /// Whether the two cells are always side by side: lines between dots.
    fn joins_neighbours(&self, grid: &Grid) -> bool {
        let at = |c: usize, t: TermId| grid.orders[c].iter().position(|v| *v == t).unwrap_or(usize::MAX / 2);
        let mut rows = self.seen.of(grid.kind).iter().flatten().peekable();
        rows.peek().is_some()
            && grid.orders.iter().all(|o| !o.is_empty())
            && rows.all(|r| at(0, r[0]).abs_diff(at(0, r[2])) + at(1, r[1]).abs_diff(at(1, r[3])) == 1)
    }

    pub(super) fn kind(&self, kind: usize) -> &Kind {
        &self.kinds.list()[kind]
    }

    fn name(&self, kind: usize) -> String {
        self.terms.name(self.kind(kind).functor).to_owned()
    }

    /// A grid, or a board of hexagons where the rules link its cells so.
    fn grid_board(&self, grid: &Grid) -> Board {
        let list = self.kind(grid.kind);
        let links = self.is_links(grid.kind) && self.joins_neighbours(grid);
        let dots = Grid { pair: [0, 1], outer: None, panel: None, ..grid.clone() };
        let grid = if links { &dots } else { grid };
        let [i, j] = grid.pair;
        let (first, second) = (&grid.orders[i], &grid.orders[j]);
        let turned = orientation(self.game, self.terms, list.functor, grid.pair, first, second);
        let (turned, movers) = self.directions.turn(self.terms, self.kinds, [first, second], turned);
        let turned = self.hints.orientation(&self.name(grid.kind), grid.pair).unwrap_or(turned);
        let mut pairs = [(grid.outer.map(|o| o[0]), i), (grid.outer.map(|o| o[1]), j)];
        if grid.outer.is_some() && self.neighbours.interleaved(list.functor) {
            // Each coordinate is written with two columns, as in Sudoku.
            pairs = [(Some(0), 1), (Some(2), 3)];
        }
        let axis = |(outer, inner): (Option<usize>, usize)| -> Vec<(Row, String)> {
            let inners = &grid.orders[inner];
            match outer {
                None => inners.iter().map(|&t| (Row::from_slice(&[t]), self.terms.shown(t))).collect(),
                Some(outer) => grid.orders[outer]
                    .iter()
                    .flat_map(|&o| inners.iter().map(move |&t| (o, t)))
                    .map(|(o, t)| {
                        let label = format!("{}{}", self.terms.shown(o), self.terms.shown(t));
                        (Row::from_slice(&[o, t]), label)
                    })
                    .collect(),
            }
        };
        let axes = [axis(pairs[0]), axis(pairs[1])];
        let columns_of = |(outer, inner): (Option<usize>, usize)| outer.into_iter().chain([inner]);
        let mut columns: Vec<usize> = columns_of(pairs[0]).chain(columns_of(pairs[1])).collect();
        let titles: Vec<(Row, String)> = match grid.panel {
            Some(panel) => {
                columns.push(panel);
                let title = |&t: &TermId| {
                    (Row::from_slice(&[t]), format!("{} {}", self.name(grid.kind), self.terms.shown(t)))
                };
                grid.orders[panel].iter().map(title).collect()
            }
            None => vec![(Row::new(), self.name(grid.kind))],
        };
        let blocks = grid.outer.is_some().then(|| {
            let (across, down) = if turned.first_across { (0, 1) } else { (1, 0) };
            let inner = |axis: usize| grid.orders[pairs[axis].1].len() as i32;
            (inner(across), inner(down))
        });
        let mut board = Board {
            name: self.name(grid.kind),
            shape: BoardShape::Grid,
            spots: Vec::new(),
            places: FxHashMap::default(),
            panels: Vec::new(),
            blocks,
            layers: Vec::new(),
            axes: columns.iter().map(|&c| grid.orders[c].clone()).collect(),
            pile: None,
            aliases: FxHashMap::default(),
            parted: Vec::new(),
            links: Vec::new(),
            movers: Vec::new(),
            idle: FxHashMap::default(),
            back: None,
        };
        board.movers = movers;
        lay_out(&mut board, &axes, &titles, turned);
        self.put_together(&mut board, (first.len() as i32, second.len() as i32), turned);
        if links {
            board.spots.iter_mut().for_each(|s| s.possible = true);
            let used_as = Use::Line;
            let columns = vec![0, 1, 2, 3];
            board.layers.push(Layer { kind: grid.kind, columns, content: Vec::new(), used_as, height: None });
            return board;
        }
        if grid.outer.is_none() && grid.panel.is_none() {
            self.try_hexagons(&mut board, &self.possible[grid.kind], &columns, &axes);
        }
        let layer = self.layer(grid.kind, columns);
        self.mark_possible(&mut board, &layer);
        board.layers.push(layer);
        // Rows and columns without any cell need no name.
        let spots = &board.spots;
        for (panel, frame) in board.panels.iter_mut().enumerate() {
            let here = |s: &&Spot| s.panel == panel && s.possible;
            frame.rows.retain(|(y, _)| spots.iter().filter(here).any(|s| s.y == *y));
            frame.columns.retain(|(x, _)| spots.iter().filter(here).any(|s| s.x == *x));
        }
        board
    }

    /// The layer of a kind whose coordinates are known: all other columns are what stands there.
    pub(super) fn layer(&self, kind: usize, columns: Vec<usize>) -> Layer {
        let list = self.kind(kind);
        let mut content: Vec<usize> = (0..list.arity).filter(|c| !columns.contains(c)).collect();
        let spread = self.seen.spread(kind, &columns);
        let mut height = None;
        if spread.facts_per_cell > 1.0 && content.len() > 1 {
            // Several things on a cell, told apart by a number: a stack of which the top is seen.
            height = content.iter().copied().find_map(|c| {
                let (order, evidence) = self.steps.order(self.terms, &list.domains[c])?;
                let mut with = columns.clone();
                with.push(c);
                let told = self.seen.spread(kind, &with).functional && evidence == Evidence::Rules;
                (told && order.len() > 2).then_some((c, order))
            });
            if let Some((c, _)) = &height {
                content.retain(|other| other != c);
            }
        }
        let used_as = if content.is_empty() {
            Use::Mark(Sign::of_mark(self.name(kind)))
        } else {
            Use::Content(self.signs(kind, &columns, &content))
        };
        Layer { kind, columns, content, used_as, height }
    }

    /// The signs of what stands in some columns.
    pub(super) fn signs(
        &self,
        kind: usize,
        columns: &[usize],
        content: &[usize],
    ) -> FxHashMap<Vec<TermId>, Sign> {
        let mut contents: Vec<Vec<TermId>> =
            self.possible[kind].iter().map(|row| project(row, content).into_vec()).collect();
        contents.sort_unstable_by(|a, b| self.terms.compare_lists(a, b));
        contents.dedup();
        contents.truncate(CONTENTS);
        let initial = self.seen.of(kind).first().map_or(&[][..], Vec::as_slice);
        let cells: FxHashSet<Row> = initial.iter().map(|r| project(r, columns)).collect();
        let possible: FxHashSet<Row> = self.possible[kind].iter().map(|r| project(r, columns)).collect();
        // What is usual means an empty cell only where a board says of every cell what is on it.
        let steady = self.seen.of(kind).iter().all(|rows| rows.len() == initial.len());
        let full = steady && cells.len() * 10 >= possible.len() * 9;
        let share = |wanted: &[TermId]| {
            let those = initial.iter().filter(|r| project(r, content).as_slice() == wanted).count();
            if full { those as f64 / cells.len().max(1) as f64 } else { 0.0 }
        };
        let blank = blank(self.terms, &contents, share);
        let counts = self.counts(kind, content);
        let mut signs = signs(self.terms, &contents, &self.sides, blank.as_deref(), &counts);
        let initial = |content: &[TermId]| counts.get(content).map_or(0, |count| count.initial);
        dress(self.terms, self.terms.name(self.kind(kind).functor), &mut signs, initial);
        signs
    }

    /// How often contents are on the board.
    fn counts(&self, kind: usize, content: &[usize]) -> FxHashMap<Vec<TermId>, Count> {
        let mut counts: FxHashMap<Vec<TermId>, Count> = FxHashMap::default();
        let mut first: FxHashMap<Vec<TermId>, FxHashSet<&Row>> = FxHashMap::default();
        for (at, rows) in self.seen.of(kind).iter().enumerate() {
            let mut here: FxHashMap<Vec<TermId>, FxHashSet<&Row>> = FxHashMap::default();
            for row in rows {
                here.entry(project(row, content).into_vec()).or_default().insert(row);
            }
            for (content, rows) in here {
                let count = counts.entry(content.clone()).or_default();
                count.most = count.most.max(rows.len());
                if at == 0 {
                    (count.initial, count.steady) = (rows.len(), true);
                    first.insert(content, rows);
                } else {
                    count.steady &= first.get(&content) == Some(&rows);
                }
            }
        }
        counts
    }

    /// Spots on which nothing can ever be are holes in the board.
    pub(super) fn mark_possible(&self, board: &mut Board, layer: &Layer) {
        // On a board that says of every cell what is on it, cells never mentioned do not exist.
        let says_all = matches!(&layer.used_as, Use::Content(signs) if signs.values().any(|s| s.glyph.is_empty()))
            && self.seen.of(layer.kind).iter().all(|rows| rows.len() == self.seen.most(layer.kind));
        let seen = self.seen.of(layer.kind).first().filter(|_| says_all);
        for row in seen.unwrap_or(&self.possible[layer.kind]) {
            if let Some(&spot) = board.places.get(&project(row, &layer.columns)) {
                board.spots[spot].possible = true;
            }
        }
    }

    pub(super) fn empty_board(&self, kind: usize, shape: BoardShape) -> Board {
        Board {
            name: self.name(kind),
            shape,
            spots: Vec::new(),
            places: FxHashMap::default(),
            panels: vec![Panel { title: self.name(kind), ..Panel::default() }],
            blocks: None,
            layers: Vec::new(),
            axes: Vec::new(),
            pile: None,
            aliases: FxHashMap::default(),
            parted: Vec::new(),
            links: Vec::new(),
            movers: Vec::new(),
            idle: FxHashMap::default(),
            back: None,
        }
    }

    /// Draws a kind on a board that has the same coordinates, if it does not hide what is there.
    fn lay_over(&self, boards: &mut [Board], kind: usize) -> bool {
        boards.iter_mut().any(|board| self.lay_over_one(board, kind))
    }

    fn lay_over_one(&self, board: &mut Board, kind: usize) -> bool {
        let list = self.kind(kind);
        let axes = board.axes.len();
        let piled = board.pile.is_some();
        if piled || axes == 0 || list.arity < axes || self.possible[kind].is_empty() {
            return false;
        }
        // One axis fits too much by chance: there, only kinds of the same form share a row.
        let first = board.layers.first().map(|l| (l.kind, l.columns.clone()));
        let alike = first.is_some_and(|(k, columns)| {
            self.kind(k).arity == list.arity
                && columns.iter().all(|&c| self.kind(k).domains[c] == list.domains[c])
        });
        if axes == 1 && !alike {
            return false;
        }
        let fits = |columns: &[usize], axes: &[Vec<TermId>]| {
            columns.iter().zip(axes).all(|(&c, axis)| list.domains[c].iter().all(|v| axis.contains(v)))
        };
        let starts = 0..=list.arity - axes;
        let Some(columns) =
            starts.map(|s| (s..s + axes).collect::<Vec<usize>>()).find(|columns| fits(columns, &board.axes))
        else {
            return false;
        };
        let rows = self.seen.of(kind);
        if list.arity == 2 * axes && columns[0] == 0 {
            let both: Vec<usize> = (0..2 * axes).collect();
            if board.shape == BoardShape::Grid && fits(&both[axes..], &board.axes) {
                let layer =
                    Layer { kind, columns: both, content: Vec::new(), used_as: Use::Line, height: None };
                let joins = |row: &Row| {
                    let at = |half: &[TermId]| board.places.get(half).copied();
                    matches!((at(&row[..axes]), at(&row[axes..])), (Some(a), Some(b)) if board.adjacent(a, b))
                };
                if rows.iter().flatten().next().is_some() && rows.iter().flatten().all(joins) {
                    board.layers.push(layer);
                    return true;
                }
                return false;
            }
        }
        let layer = self.layer(kind, columns);
        let distinct = match &layer.used_as {
            Use::Content(signs) => signs.len(),
            _ => 0,
        };
        let area: usize = layer.columns.iter().map(|&c| list.domains[c].len()).product();
        let parallel = board.layers.iter().any(|other| {
            let theirs = self.kind(other.kind);
            let same = |(a, b): (&usize, &usize)| list.domains[*a] == theirs.domains[*b];
            let cells = |l: &Layer| -> FxHashSet<Row> {
                self.possible[l.kind].iter().map(|row| project(row, &l.columns)).collect()
            };
            !layer.content.is_empty()
                && other.content.len() == layer.content.len()
                && layer.content.iter().zip(&other.content).all(same)
                && !cells(&layer).is_disjoint(&cells(other))
        });
        let full = self.seen.spread(kind, &layer.columns).cells * 10.0 >= 9.0 * area as f64;
        let marks_sparsely = layer.content.is_empty() && !full;
        if !marks_sparsely && (full || parallel || distinct > 12 || self.hides(board, &layer)) {
            return false;
        }
        self.mark_possible(board, &layer);
        board.layers.push(layer);
        true
    }

    /// Whether more than half of a layer's facts fall on spots that the board's layers have filled.
    fn hides(&self, board: &Board, layer: &Layer) -> bool {
        let (mut clashes, mut all) = (0usize, 0usize);
        for state in 0..self.seen.of(layer.kind).len() {
            let rows: Vec<(usize, Row)> = board
                .layers
                .iter()
                .flat_map(|l| self.seen.of(l.kind)[state].iter().map(|r| (l.kind, r.clone())))
                .collect();
            let mut rest = Vec::new();
            let filled = board.fill(&rows, &mut rest);
            for row in &self.seen.of(layer.kind)[state] {
                all += 1;
                if let Some(&spot) = board.places.get(&project(row, &layer.columns)) {
                    clashes += usize::from(filled.signs[spot].iter().any(|s| !s.glyph.is_empty()));
                }
            }
        }
        clashes * 2 > all
    }

    /// Two kinds of marks that never change, one of which can never be on the last value of the first
    /// coordinate and the other never on that of the second, are walls between neighbours.
    fn find_walls(&self, board: &mut Board) {
        if board.shape != BoardShape::Grid || board.axes.len() != 2 {
            return;
        }
        let last = [board.axes[0].last().copied(), board.axes[1].last().copied()];
        let excluded = |layer: &Layer| -> Option<usize> {
            if !matches!(layer.used_as, Use::Mark(_)) {
                return None;
            }
            let states = self.seen.of(layer.kind);
            let steady = states.iter().all(|rows| rows.len() == states[0].len()) && !states[0].is_empty();
            let without = |axis: usize| {
                let domain = &self.kind(layer.kind).domains[layer.columns[axis]];
                last[axis].is_some_and(|l| !domain.contains(&l))
            };
            match (without(0), without(1), steady) {
                (true, false, true) => Some(0),
                (false, true, true) => Some(1),
                _ => None,
            }
        };
        let found: Vec<Option<usize>> = board.layers.iter().map(excluded).collect();
        if found.contains(&Some(0)) && found.contains(&Some(1)) {
            for (layer, axis) in board.layers.iter_mut().zip(found) {
                if let Some(axis) = axis {
                    layer.used_as = Use::Wall(axis);
                }
            }
        }
    }
}

/// Whether letters for a mark are still to be found: lights are as they are, and what is empty has none.
fn is_open(sign: &Sign) -> bool {
    !sign.glyph.is_empty() && !matches!(sign.figure, Figure::Lamp(_))
}

/// Gives several kinds of marks on one board different signs.
fn name_marks(kinds: &Kinds, terms: &Terms, board: &mut Board) {
    let over = board.layers.iter().any(|l| matches!(l.used_as, Use::Content(_)));
    let names: Vec<Vec<TermId>> = board
        .layers
        .iter()
        .filter(|l| matches!(&l.used_as, Use::Mark(sign) if is_open(sign)))
        .map(|l| vec![terms.constant_of(kinds.list()[l.kind].functor)])
        .collect();
    if !over && names.len() < 2 {
        return;
    }
    let sides = Sides::new(&[]);
    let empty = blank(terms, &names, |_| 0.0).filter(|_| !over);
    let given = signs(terms, &names, &sides, empty.as_deref(), &FxHashMap::default());
    let mut over_signs = ["*", "+", "^", "~"].iter();
    for layer in &mut board.layers {
        if let Use::Mark(sign) = &mut layer.used_as
            && is_open(sign)
        {
            let name = vec![terms.constant_of(kinds.list()[layer.kind].functor)];
            match over_signs.next().filter(|_| over) {
                Some(glyph) => {
                    (*glyph).clone_into(&mut sign.glyph);
                    // What stands on the spot is to be seen as well.
                    if sign.figure == Figure::Block && !is_wall(&sign.name) {
                        // Several kinds of dots could not be told apart.
                        sign.figure = if *glyph == "*" { Figure::Dot } else { Figure::Letters };
                    }
                }
                None => {
                    if let Some(other) = given.get(&name) {
                        *sign = Sign { mark: sign.mark, figure: sign.figure, ..other.clone() };
                    }
                }
            }
        }
    }
}
