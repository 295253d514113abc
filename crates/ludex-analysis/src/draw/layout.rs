//! Where the cells of a board go on a canvas of characters.

use super::text::glyphs;
use crate::structure::{Board, BoardShape, Filled, Spot};

/// The layout of one panel in one state.
pub(crate) struct Layout {
    /// The characters of one cell.
    pub width: usize,
    /// The characters of one cell with the space after it.
    pitch: usize,
    /// The first column that belongs to cells.
    pub margin: usize,
    /// The first line that belongs to cells.
    pub top: usize,
    /// The part of the panel that is shown, by `x` and by `y`, ends included.
    pub across: (i32, i32),
    pub down: (i32, i32),
    /// Whether a line is left between two rows, for walls.
    between_rows: bool,
    blocks: Option<(i32, i32)>,
}

impl Layout {
    /// The layout of a panel that should not be wider than `room`.
    pub fn new(board: &Board, panel: usize, filled: &Filled<'_>, room: usize) -> Self {
        let frame = &board.panels[panel];
        let here = || board.spots.iter().enumerate().filter(|(_, s)| s.panel == panel);
        let joined = board.layers.iter().any(|l| l.joins());
        let longest = |labels: &[(i32, String)]| labels.iter().map(|(_, l)| l.chars().count()).max();
        let widest = here().map(|(at, _)| glyphs(&filled.signs[at]).1).max().unwrap_or(1);
        let names = longest(&frame.columns).unwrap_or(1);
        let names = if board.shape == BoardShape::Line { names } else { names.min(6) };
        let mut layout = Self {
            width: widest.max(names).max(if joined { 2 } else { 1 }),
            pitch: 0,
            margin: longest(&frame.rows).map_or(0, |w| w + 1),
            top: 1 + usize::from(!frame.columns.is_empty()),
            across: (0, here().map(|(_, s)| s.x).max().unwrap_or(0)),
            down: (0, here().map(|(_, s)| s.y).max().unwrap_or(0)),
            between_rows: board.layers.iter().any(|l| l.is_wall()),
            blocks: board.blocks,
        };
        let hexagonal = board.shape == BoardShape::Hexagonal;
        layout.fit(hexagonal);
        if layout.end() > room && names > widest {
            // Names of columns written downwards leave the cells narrow.
            layout.width = widest.max(1);
            layout.top = 1 + names;
            layout.fit(hexagonal);
        }
        if layout.end() > room && !hexagonal && board.blocks.is_none() {
            layout.crop(here().filter(|(at, _)| glyphs(&filled.signs[*at]).1 > 0).map(|(_, s)| s));
        }
        layout
    }

    /// Hexagons stand half a cell aside, so a cell and its space must have two halves.
    fn fit(&mut self, hexagonal: bool) {
        if hexagonal && self.width.is_multiple_of(2) {
            self.width += 1;
        }
        self.pitch = self.width + 1;
    }

    fn end(&self) -> usize {
        self.column(self.across.1) + self.width
    }

    /// Shows only what is near the occupied cells.
    fn crop<'a>(&mut self, occupied: impl Iterator<Item = &'a Spot>) {
        let mut area: Option<(i32, i32, i32, i32)> = None;
        for spot in occupied {
            let (left, right, top, bottom) = area.unwrap_or((spot.x, spot.x, spot.y, spot.y));
            area = Some((left.min(spot.x), right.max(spot.x), top.min(spot.y), bottom.max(spot.y)));
        }
        let Some((left, right, top, bottom)) = area else { return };
        self.across = ((left - 2).max(0), (right + 2).min(self.across.1));
        self.down = ((top - 1).max(0), (bottom + 1).min(self.down.1));
    }

    /// Whether names of columns are written downwards.
    pub fn is_upright(&self) -> bool {
        self.top > 2
    }

    /// Whether a place is in the part that is shown.
    pub fn shows(&self, x: i32, y: i32) -> bool {
        (self.across.0..=self.across.1).contains(&x) && (self.down.0..=self.down.1).contains(&y)
    }

    /// The first character of a cell.
    pub fn column(&self, x: i32) -> usize {
        let x = (x - self.across.0).max(0) as usize;
        let block = self.blocks.map_or(0, |(across, _)| x / 2 / across.max(1) as usize * 2);
        self.margin + x * self.pitch / 2 + block
    }

    /// The line of a row.
    pub fn line(&self, y: i32) -> usize {
        let y = (y - self.down.0).max(0) as usize;
        let block = self.blocks.map_or(0, |(_, down)| y / down.max(1) as usize);
        self.top + if self.between_rows { 2 * y } else { y } + block
    }
}
