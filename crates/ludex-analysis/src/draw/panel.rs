//! Boards with spots in pictures, panel by panel.

use std::fmt::Write as _;

use ludex_logic::escape;

use super::figures::{self, piece};
use super::picture::PictureStyle;
use super::spots::SpotName;
use super::svg::{
    AXIS, CELL, DARK_SQUARE, EDGE, INK, Part, SQUARE, Tone, hexagon, label, outline, square, stroke,
};
use super::words;
use crate::structure::{Board, BoardShape, Filled, Sign, Spot};

/// Names of cells up to this length are written into them.
const SHORT: usize = 4;
/// Room between the boards of a board of boards.
const BLOCK: f64 = 6.0;

/// A panel of a board while it is drawn.
struct Panel<'a> {
    board: &'a Board,
    number: usize,
    panel: usize,
    filled: &'a Filled<'a>,
    style: &'a PictureStyle,
    title: &'a str,
    /// Room left of the first column and above the first row.
    margin: f64,
    top: f64,
    row_height: f64,
    /// Whether lines join spots, which are dots then.
    joined: bool,
}

/// A panel of a board, both by their numbers.
pub(super) fn draw(
    board: &Board,
    (number, panel): (usize, usize),
    filled: &Filled<'_>,
    style: &PictureStyle,
    titled: bool,
) -> Part {
    let frame = &board.panels[panel];
    let longest = frame.rows.iter().map(|(_, l)| l.chars().count()).max().unwrap_or(0);
    let title = if titled { frame.title.as_str() } else { "" };
    let drawing = Panel {
        board,
        number,
        panel,
        filled,
        style,
        title,
        margin: if longest == 0 { 0.0 } else { AXIS.max(9.0 * longest as f64 + 6.0) },
        top: if title.is_empty() { 0.0 } else { 24.0 } + if frame.columns.is_empty() { 0.0 } else { AXIS },
        row_height: if board.shape == BoardShape::Hexagonal { CELL * 0.866 } else { CELL },
        joined: board.layers.iter().any(|l| l.joins()),
    };
    let (width, height) = drawing.size();
    let mut body = String::new();
    drawing.names(&mut body);
    drawing.cells(&mut body, width, height);
    drawing.marks(&mut body);
    drawing.parts(&mut body);
    drawing.things(&mut body);
    drawing.walls(&mut body);
    drawing.spots(&mut body);
    Part { width: width.max(8.5 * title.chars().count() as f64), height, body }
}

impl Panel<'_> {
    /// The spots of the panel with their numbers.
    fn here(&self) -> Vec<(usize, &Spot)> {
        self.board.spots.iter().enumerate().filter(|(_, spot)| spot.panel == self.panel).collect()
    }

    fn is_here(&self, spot: usize) -> bool {
        self.board.spots[spot].panel == self.panel
    }

    fn centre_of(&self, x: i32, y: i32) -> (f64, f64) {
        let blocks = self.board.blocks.map_or((0.0, 0.0), |(across, down)| {
            (f64::from(x / 2 / across.max(1)) * BLOCK, f64::from(y / down.max(1)) * BLOCK)
        });
        let left = self.margin + f64::from(x) * CELL / 2.0 + CELL / 2.0 + blocks.0;
        (left, self.top + f64::from(y) * self.row_height + self.row_height / 2.0 + blocks.1)
    }

    fn centre(&self, spot: usize) -> (f64, f64) {
        let spot = &self.board.spots[spot];
        self.centre_of(spot.x, spot.y)
    }

    fn size(&self) -> (f64, f64) {
        self.here().iter().fold((self.margin, self.top), |(width, height), (at, _)| {
            let (x, y) = self.centre(*at);
            (width.max(x + CELL / 2.0), height.max(y + CELL / 2.0))
        })
    }

    /// The title, and the names of rows and columns.
    fn names(&self, body: &mut String) {
        let frame = &self.board.panels[self.panel];
        if !self.title.is_empty() {
            label(body, self.margin, 14.0, "start", Tone::Ink, self.title);
        }
        for (x, text) in &frame.columns {
            let (x, _) = self.centre_of(*x, 0);
            label(body, x, self.top - 8.0, "middle", Tone::Faint, text);
        }
        for (y, text) in &frame.rows {
            let (_, y) = self.centre_of(0, *y);
            label(body, self.margin - 8.0, y + 5.0, "end", Tone::Faint, text);
        }
    }

    fn cells(&self, body: &mut String, width: f64, height: f64) {
        if self.joined {
            let (x, y, wide, high) = (self.margin, self.top, width - self.margin, height - self.top);
            let _ = write!(
                body,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"8\" \
                 fill=\"{SQUARE}\" stroke=\"{EDGE}\"/>"
            );
            return;
        }
        for &(a, b) in self.board.links.iter().filter(|(a, _)| self.is_here(*a)) {
            let ((x1, y1), (x2, y2)) = (self.centre(a), self.centre(b));
            let _ = write!(
                body,
                "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{EDGE}\" \
                 stroke-width=\"4\"/>"
            );
        }
        let here = self.here();
        let board = self.board;
        let mut signs = self.filled.signs.iter().flatten();
        let pieces_only = signs.all(|s| s.glyph.is_empty() || s.owner.is_some() || s.is_mark());
        let whole = board.blocks.is_none() && board.parted.is_empty() && board.shape == BoardShape::Grid;
        let checkered = pieces_only && here.len() >= 16 && whole;
        let lowest = here.iter().map(|(_, s)| s.y).max().unwrap_or(0);
        for (at, spot) in here.into_iter().filter(|(_, s)| s.possible) {
            let (x, y) = self.centre(at);
            match board.shape {
                BoardShape::Hexagonal => hexagon(body, x, y),
                BoardShape::Network => {
                    let _ = write!(
                        body,
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"18\" fill=\"{SQUARE}\" stroke=\"{EDGE}\"/>"
                    );
                }
                _ => {
                    // As on a chess board, the corner at the bottom left is dark.
                    let dark = checkered && (spot.x / 2 + lowest - spot.y) % 2 == 0;
                    let fill = if dark { DARK_SQUARE } else { SQUARE };
                    square(body, (x - CELL / 2.0, y - CELL / 2.0), CELL, fill);
                }
            }
            // Where no axes tell what a cell is called, it says so itself while it is empty.
            let empty = self.filled.signs[at].iter().all(|sign| sign.glyph.is_empty());
            if empty && spot.name.chars().count() <= SHORT && board.is_named_by_cells(self.panel) {
                figures::small(body, &spot.name, (x, y + 4.0));
            }
        }
    }

    /// The spots that the style marks.
    fn marks(&self, body: &mut String) {
        for (at, _) in self.here() {
            if self.style.marked.contains(&SpotName { board: self.number, spot: at }) {
                let cell = self.outline(at, CELL - 3.0);
                let _ = write!(
                    body,
                    "{cell} class=\"marked\" fill=\"#2f6fb7\" fill-opacity=\"0.25\" stroke=\"#2f6fb7\" \
                     stroke-width=\"2\"/>"
                );
            }
        }
    }

    fn outline(&self, spot: usize, width: f64) -> String {
        let (x, y) = self.centre(spot);
        outline(self.board.shape == BoardShape::Hexagonal, x, y, width)
    }

    /// Lines between the parts of a board, such as the boxes of Sudoku.
    fn parts(&self, body: &mut String) {
        for &(a, b) in self.board.parted.iter().filter(|(a, _)| self.is_here(*a)) {
            let ((x1, y1), (x2, y2)) = self.between(a, b);
            let _ = write!(
                body,
                "<line class=\"part\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" \
                 stroke=\"#7a6236\" stroke-width=\"2.5\" stroke-linecap=\"square\"/>"
            );
        }
    }

    /// The side that two neighbours share.
    fn between(&self, a: usize, b: usize) -> ((f64, f64), (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (self.centre(a), self.centre(b));
        let (x, y) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
        let (dx, dy) = if (y1 - y2).abs() < 1.0 { (0.0, CELL / 2.0) } else { (CELL / 2.0, 0.0) };
        ((x - dx, y - dy), (x + dx, y + dy))
    }

    /// What stands on the spots; of many things the first four.
    fn things(&self, body: &mut String) {
        for &(a, b) in self.filled.lines.iter().filter(|w| self.board.spots[w.0].panel == self.panel) {
            let ((x1, y1), (x2, y2)) = (self.centre(a), self.centre(b));
            stroke(body, x1, y1, x2, y2);
        }
        for (at, _) in self.here() {
            let (x, y) = self.centre(at);
            if self.joined {
                let _ = write!(body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{INK}\"/>");
            }
            let shown: Vec<&&Sign> = self.filled.signs[at].iter().filter(|s| !s.glyph.is_empty()).collect();
            let size = if shown.len() > 1 { CELL * 0.55 } else { CELL * 0.86 };
            for (number, sign) in shown.iter().take(4).enumerate() {
                let (dx, dy) = match (shown.len(), number) {
                    (1, _) => (0.0, 0.0),
                    (2, n) => (if n == 0 { -9.5 } else { 9.5 }, 0.0),
                    (_, n) => (if n % 2 == 0 { -9.5 } else { 9.5 }, if n < 2 { -9.5 } else { 9.5 }),
                };
                // A box between dots stands right of and below its dot.
                let aside = if self.joined { CELL / 2.0 } else { 0.0 };
                piece(body, sign, x + dx + aside, y + dy - aside, size);
            }
        }
    }

    fn walls(&self, body: &mut String) {
        for &(a, b) in self.filled.walls.iter().filter(|(a, _)| self.is_here(*a)) {
            let ((x1, y1), (x2, y2)) = self.between(a, b);
            stroke(body, x1, y1, x2, y2);
        }
        for &(at, (across, down)) in self.filled.edges.iter().filter(|(at, _)| self.is_here(*at)) {
            let (x, y) = self.centre(at);
            let half = CELL / 2.0;
            let (x, y) = (x + f64::from(across) * half, y + f64::from(down) * half);
            let (dx, dy) = if across == 0 { (half, 0.0) } else { (0.0, half) };
            stroke(body, x - dx, y - dy, x + dx, y + dy);
        }
    }

    /// What can be clicked, over all else.
    fn spots(&self, body: &mut String) {
        if !self.style.spots {
            return;
        }
        for (at, _) in self.here().into_iter().filter(|(_, spot)| spot.possible) {
            let name = escape::xml(&words::spot(self.board, at, &self.filled.signs[at]));
            let cell = self.outline(at, CELL);
            let _ = write!(
                body,
                "{cell} class=\"spot\" data-spot=\"{}-{at}\" fill=\"transparent\" aria-label=\"{name}\"/>",
                self.number
            );
        }
    }
}
