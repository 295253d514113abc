//! A board: spots in the plane and the facts that say what stands on them.

use ludex_logic::{TermId, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::directions::Mover;
use super::kinds::{Kind, Row};
use super::labels::Sign;
use super::search::project;

/// How the spots of a board lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardShape {
    /// Rows and columns of squares.
    Grid,
    /// Cells with six neighbours.
    Hexagonal,
    /// One row.
    Line,
    /// Things that stand on one another, as blocks or discs do.
    Towers,
    /// Things at places, on one another by size, as discs on pegs.
    Stacks,
    /// Amounts, as the heaps of Nim.
    Heaps,
    /// Cells that lie in the plane without filling it, such as those of a ring.
    Network,
}

/// A place on a board. Two steps across are one cell, so that hexagons can stand half a cell aside.
#[derive(Clone, Debug)]
pub(crate) struct Spot {
    pub panel: usize,
    pub x: i32,
    pub y: i32,
    /// Whether anything can ever be here.
    pub possible: bool,
    /// What the spot is called, when there are no axes to tell.
    pub name: String,
}

/// One of several boards of the same form.
#[derive(Clone, Debug, Default)]
pub(crate) struct Panel {
    pub title: String,
    /// The names of the columns, by `x`.
    pub columns: Vec<(i32, String)>,
    /// The names of the rows, by `y`.
    pub rows: Vec<(i32, String)>,
}

/// What the facts of a layer do.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Use {
    /// They say what stands on a spot.
    Content(FxHashMap<Vec<TermId>, Sign>),
    /// They mark a spot.
    Mark(Sign),
    /// They mark the spot whose key is this name and then their columns.
    Named(TermId, Sign),
    /// They put a wall between a spot and the next one along a coordinate.
    Wall(usize),
    /// They put a wall at a side of a spot: as many steps across and down.
    Side(i32, i32),
    /// They put a wall at the side of a spot that a column says.
    Sides(usize, FxHashMap<TermId, (i32, i32)>),
    /// They join two spots.
    Line,
}

/// The facts of one kind on a board.
#[derive(Clone, Debug)]
pub(crate) struct Layer {
    pub kind: usize,
    /// The columns that make the spot, in the order of the board's keys.
    pub columns: Vec<usize>,
    /// The columns that make the content.
    pub content: Vec<usize>,
    pub used_as: Use,
    /// Of several facts on a spot only the last by this column, in this order, is shown: the top of a
    /// stack.
    pub height: Option<(usize, Vec<TermId>)>,
}

/// A board of a game: where its facts are drawn.
#[derive(Clone, Debug)]
pub struct Board {
    pub(crate) name: String,
    pub(crate) shape: BoardShape,
    pub(crate) spots: Vec<Spot>,
    pub(crate) places: FxHashMap<Row, usize>,
    pub(crate) panels: Vec<Panel>,
    /// Cells across and down between lines, for boards of boards.
    pub(crate) blocks: Option<(i32, i32)>,
    pub(crate) layers: Vec<Layer>,
    /// The coordinate columns of `places` with their values in order, for walls.
    pub(crate) axes: Vec<Vec<TermId>>,
    /// Kinds drawn as towers or heaps use no spots; `places` has their things by number.
    pub(crate) pile: Option<Pile>,
    /// What the rules call spots beside their coordinates, as the numbers of squares.
    pub(crate) aliases: FxHashMap<TermId, usize>,
    /// Neighbours that belong to different parts of the board, such as the boxes of Sudoku.
    pub(crate) parted: Vec<(usize, usize)>,
    /// Things that go where moves say.
    pub(crate) movers: Vec<Mover>,
    /// Spots that the rules link, where that is drawn.
    pub(crate) links: Vec<(usize, usize)>,
    /// What stands on spots that no fact says anything of, such as lights that are off.
    pub(crate) idle: FxHashMap<usize, Sign>,
    /// What lies on spots for one card each, where it is not known which one.
    pub(crate) back: Option<Sign>,
}

/// Facts without spots: towers and heaps.
#[derive(Clone, Debug)]
pub(crate) struct Pile {
    pub kind: usize,
    /// The column of the thing above, or of the heap.
    pub upper: usize,
    /// The column of the thing below, or of the amount.
    pub lower: usize,
    /// The things from the smallest to the largest, where they have sizes.
    pub sizes: Vec<TermId>,
}

/// What is on the spots of a board in one state.
pub(crate) struct Filled<'a> {
    /// The signs on each spot, in the order of the layers.
    pub signs: Vec<Vec<&'a Sign>>,
    /// Walls and lines between two spots.
    pub walls: Vec<(usize, usize)>,
    pub lines: Vec<(usize, usize)>,
    /// Walls at the edge of the board: a spot, and how many steps across and down they are.
    pub edges: Vec<(usize, (i32, i32))>,
}

impl Board {
    /// The name of the relation that gives the board its contents.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How its spots lie.
    pub fn shape(&self) -> BoardShape {
        self.shape
    }

    /// The number of spots on which anything can be; 0 for towers and heaps.
    pub fn spots(&self) -> usize {
        self.spots.iter().filter(|s| s.possible).count()
    }

    /// The kinds of facts that it draws.
    pub(crate) fn kinds(&self) -> impl Iterator<Item = usize> + '_ {
        self.layers.iter().map(|l| l.kind).chain(self.pile.as_ref().map(|p| p.kind))
    }

    /// Puts facts on the spots; `rest` gets the rows that have no spot or no sign.
    pub(crate) fn fill<'a>(&'a self, rows: &[(usize, Row)], rest: &mut Vec<usize>) -> Filled<'a> {
        let mut filled = Filled {
            signs: vec![Vec::new(); self.spots.len()],
            walls: Vec::new(),
            lines: Vec::new(),
            edges: Vec::new(),
        };
        for layer in &self.layers {
            let mut tops: FxHashMap<usize, (usize, &Sign)> = FxHashMap::default();
            for (at, (_, row)) in rows.iter().enumerate().filter(|(_, (kind, _))| *kind == layer.kind) {
                let key = project(row, &layer.columns);
                let placed = match &layer.used_as {
                    Use::Line => self.line(&key).map(|line| filled.lines.push(line)),
                    Use::Wall(axis) => self.wall(&key, *axis).map(|wall| filled.walls.push(wall)),
                    Use::Side(across, down) => self.side(&key, (*across, *down), &mut filled),
                    Use::Sides(column, ways) => row
                        .get(*column)
                        .and_then(|way| ways.get(way))
                        .and_then(|&step| self.side(&key, step, &mut filled)),
                    Use::Mark(sign) => self.places.get(&key).map(|&spot| filled.signs[spot].push(sign)),
                    Use::Named(name, sign) => {
                        let whole: Row = std::iter::once(*name).chain(key.iter().copied()).collect();
                        self.places.get(&whole).map(|&spot| filled.signs[spot].push(sign))
                    }
                    Use::Content(signs) => {
                        self.content(layer, signs, row, &key).map(|(spot, sign)| match &layer.height {
                            Some((column, order)) => {
                                let level = order.iter().position(|v| *v == row[*column]).unwrap_or(0);
                                let top = tops.entry(spot).or_insert((level, sign));
                                if level >= top.0 {
                                    *top = (level, sign);
                                }
                            }
                            None => filled.signs[spot].push(sign),
                        })
                    }
                };
                if placed.is_none() {
                    rest.push(at);
                }
            }
            let mut tops: Vec<(usize, &Sign)> = tops.into_iter().map(|(s, (_, sign))| (s, sign)).collect();
            tops.sort_unstable_by_key(|t| t.0);
            for (spot, sign) in tops {
                filled.signs[spot].push(sign);
            }
        }
        for (&spot, sign) in &self.idle {
            if let Some(signs) = filled.signs.get_mut(spot).filter(|signs| signs.is_empty()) {
                signs.push(sign);
            }
        }
        filled
    }

    /// Puts cards face down where one may be and it is not known which.
    pub(crate) fn cover<'a>(&'a self, possible: &[(usize, Row)], filled: &mut Filled<'a>) {
        let Some(back) = &self.back else { return };
        let hidden = self.fill(possible, &mut Vec::new());
        for (signs, hidden) in filled.signs.iter_mut().zip(hidden.signs) {
            if signs.is_empty() && !hidden.is_empty() {
                signs.push(back);
            }
        }
    }

    fn content<'a>(
        &self,
        layer: &Layer,
        signs: &'a FxHashMap<Vec<TermId>, Sign>,
        row: &Row,
        key: &Row,
    ) -> Option<(usize, &'a Sign)> {
        let spot = *self.places.get(key)?;
        let content: Vec<TermId> = project(row, &layer.content).into_vec();
        Some((spot, signs.get(&content)?))
    }

    /// What a fact says stands on a spot of this board, if it says that.
    pub(crate) fn content_of(&self, kind: usize, row: &Row) -> Option<&Sign> {
        self.layers.iter().filter(|layer| layer.kind == kind).find_map(|layer| match &layer.used_as {
            Use::Content(signs) => {
                self.content(layer, signs, row, &project(row, &layer.columns)).map(|(_, sign)| sign)
            }
            _ => None,
        })
    }

    fn line(&self, key: &Row) -> Option<(usize, usize)> {
        let half = key.len() / 2;
        let a = *self.places.get(&key[..half])?;
        let b = *self.places.get(&key[half..])?;
        self.adjacent(a, b).then_some((a, b))
    }

    fn wall(&self, key: &Row, axis: usize) -> Option<(usize, usize)> {
        let values = self.axes.get(axis)?;
        let at = values.iter().position(|v| *v == key[axis])?;
        let mut beyond = key.clone();
        beyond[axis] = *values.get(at + 1)?;
        Some((*self.places.get(key)?, *self.places.get(&beyond)?))
    }

    /// A wall at the side of a spot: between it and its neighbour, or at the edge.
    fn side(&self, key: &Row, (across, down): (i32, i32), filled: &mut Filled<'_>) -> Option<()> {
        let at = *self.places.get(key)?;
        let spot = &self.spots[at];
        let beyond = |s: &Spot| (s.panel, s.x, s.y) == (spot.panel, spot.x + 2 * across, spot.y + down);
        match self.spots.iter().position(|other| other.possible && beyond(other)) {
            Some(other) => filled.walls.push((at.min(other), at.max(other))),
            None => filled.edges.push((at, (across, down))),
        }
        Some(())
    }

    /// Whether there are no names of columns that tell cells apart.
    pub(crate) fn is_named_by_cells(&self, panel: usize) -> bool {
        self.shape != BoardShape::Hexagonal && self.panels[panel].columns.is_empty()
    }

    /// Whether a spot, or a thing of a pile, can be named by moves.
    pub(crate) fn is_place(&self, spot: usize) -> bool {
        self.pile.is_some() || self.spots.get(spot).is_some_and(|spot| spot.possible)
    }

    /// Numbers the things of a pile, so that moves can name them.
    pub(crate) fn number_things(&mut self, kinds: &[Kind]) {
        let Some(pile) = &self.pile else { return };
        let domains = &kinds[pile.kind].domains;
        let mut things = domains[pile.upper].clone();
        if self.shape != BoardShape::Heaps {
            things.extend(domains[pile.lower].iter().filter(|t| !domains[pile.upper].contains(t)));
        }
        let numbered = things.into_iter().enumerate();
        self.places = numbered.map(|(at, thing)| (Row::from_slice(&[thing]), at)).collect();
    }

    /// Whether two spots are side by side.
    pub fn adjacent(&self, a: usize, b: usize) -> bool {
        let (a, b) = (&self.spots[a], &self.spots[b]);
        let apart = ((a.x - b.x).abs(), (a.y - b.y).abs());
        a.panel == b.panel && (apart == (2, 0) || apart == (0, 1))
    }
}

impl Layer {
    /// Whether the facts are lines that join spots.
    pub fn joins(&self) -> bool {
        self.used_as == Use::Line
    }

    /// Whether the layer is drawn between spots.
    pub fn is_wall(&self) -> bool {
        matches!(self.used_as, Use::Wall(_) | Use::Side(..) | Use::Sides(..) | Use::Line)
    }
}

impl Board {
    /// The towers of a state, each from the bottom up; things on nothing stand for themselves.
    pub(crate) fn towers(&self, kinds: &[Kind], rows: &[(usize, Row)]) -> Vec<Vec<TermId>> {
        let Some(pile) = &self.pile else { return Vec::new() };
        let domains = &kinds[pile.kind].domains;
        if self.shape == BoardShape::Stacks {
            let of = |place: &TermId| {
                let on = rows.iter().filter(|(kind, row)| *kind == pile.kind && row[pile.lower] == *place);
                let mut things: Vec<TermId> = on.map(|(_, row)| row[pile.upper]).collect();
                let size = |thing: &TermId| pile.sizes.iter().position(|other| other == thing);
                things.sort_unstable_by_key(|thing| std::cmp::Reverse(size(thing)));
                std::iter::once(*place).chain(things).collect()
            };
            return domains[pile.lower].iter().map(of).collect();
        }
        let mut things = domains[pile.lower].clone();
        things.extend(domains[pile.upper].iter().filter(|t| !domains[pile.lower].contains(t)));
        let mut above: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut lifted: FxHashSet<TermId> = FxHashSet::default();
        for (_, row) in rows.iter().filter(|(kind, _)| *kind == pile.kind) {
            above.insert(row[pile.lower], row[pile.upper]);
            lifted.insert(row[pile.upper]);
        }
        let grounded = things.iter().copied().filter(|t| !lifted.contains(t));
        let tower = |base| {
            let mut tower = vec![base];
            let mut at = base;
            while let Some(&next) = above.get(&at).filter(|_| tower.len() <= things.len()) {
                tower.push(next);
                at = next;
            }
            tower
        };
        grounded.map(tower).collect()
    }

    /// The heaps of a state with their amounts.
    pub(crate) fn heaps(&self, terms: &Terms, rows: &[(usize, Row)]) -> Vec<(TermId, u64)> {
        let Some(pile) = &self.pile else { return Vec::new() };
        rows.iter()
            .filter(|(kind, _)| *kind == pile.kind)
            .map(|(_, row)| (row[pile.upper], terms.integer(row[pile.lower]).unwrap_or(0)))
            .collect()
    }
}
