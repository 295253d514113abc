//! States as SVG documents.

use std::fmt::Write as _;

use ludex_logic::{TermId, escape};

use super::picture::{Meaning, Picture, PictureStyle};
use super::spots::SpotName;
use super::{colour_of, list, text, words};
use crate::structure::{Board, BoardShape, Filled, Row, Sign, Spot, Structure};

/// The side of a square.
const CELL: f64 = 40.0;
/// Room for the names of rows and columns.
const AXIS: f64 = 26.0;
/// Room around a board and between two.
const GAP: f64 = 24.0;
/// Room around boards where a page has its own.
const TIGHT: f64 = 2.0;
/// Boards go into one row up to this width.
const PAGE: f64 = 960.0;
/// The distance of two lines of text.
const LINE: f64 = 18.0;

const INK: &str = "#2b2b2b";
/// Four and a half times as bright as the page, so that it can be read.
const FAINT: &str = "#6b655b";
const SQUARE: &str = "#f7ecd8";
const DARK_SQUARE: &str = "#e3cba4";
const EDGE: &str = "#c9b48c";
const WOOD: &str = "#a5824c";

/// A finished part of the page.
struct Part {
    width: f64,
    height: f64,
    body: String,
}

/// What is drawn of a state.
struct Drawn<'a> {
    parts: Vec<Part>,
    /// Signs that do not speak for themselves, by name.
    legend: Vec<&'a Sign>,
    groups: Vec<(String, Vec<String>)>,
}

impl<'a> Drawn<'a> {
    /// A board alone needs no title where `alone` says so.
    fn new(structure: &'a Structure, facts: &[TermId], style: &PictureStyle, alone: bool) -> Self {
        let panels: usize = structure.boards.iter().map(|board| board.panels.len().max(1)).sum();
        let titled = panels > 1 || !alone;
        let (rows, _) = structure.rows(facts);
        let mut rest = Vec::new();
        let mut parts = Vec::new();
        let mut legend: Vec<&Sign> = Vec::new();
        for (number, board) in structure.boards.iter().enumerate() {
            if board.pile.is_some() {
                parts.extend(pile(structure, board, &rows));
                continue;
            }
            let filled = board.fill(&rows, &mut rest);
            for sign in filled.signs.iter().flatten().copied() {
                if text::needs_legend(sign) && !legend.iter().any(|l| l.name == sign.name) {
                    legend.push(sign);
                }
            }
            parts.extend(
                (0..board.panels.len()).map(|panel| grid(board, (number, panel), &filled, style, titled)),
            );
        }
        legend.sort_by(|a, b| a.name.cmp(&b.name));
        let groups = list::grouped(structure, &text::unlisted(structure, facts, &rest));
        Self { parts, legend, groups }
    }
}

/// See [`Structure::draw_svg`].
pub(crate) fn draw(structure: &Structure, facts: &[TermId]) -> String {
    let drawn = Drawn::new(structure, facts, &PictureStyle::default(), false);
    page(&drawn.parts, &drawn.legend, &drawn.groups)
}

/// See [`Structure::picture`].
pub(crate) fn picture(structure: &Structure, facts: &[TermId], style: &PictureStyle) -> Picture {
    let drawn = Drawn::new(structure, facts, style, true);
    let (body, width, height) = side_by_side(&drawn.parts, TIGHT);
    Picture {
        boards: if drawn.parts.is_empty() { String::new() } else { document(width, height, &body) },
        width: width.ceil() as u32,
        legend: drawn.legend.into_iter().map(meaning).collect(),
        words: words::of(structure, facts),
        facts: drawn.groups,
    }
}

/// A sign on a small square.
fn meaning(sign: &Sign) -> Meaning {
    let mut body = String::new();
    square(&mut body, (1.0, 1.0), 22.0, SQUARE);
    if !sign.glyph.is_empty() {
        piece(&mut body, sign, 12.0, 12.0, 20.0);
    }
    Meaning { sign: document(24.0, 24.0, &body), name: sign.name.clone() }
}

/// An SVG document without a background.
fn document(width: f64, height: f64, body: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"DejaVu Sans, Verdana, sans-serif\">\
         {body}</svg>\n"
    )
}

/// Boards in rows with so much room around them: what is drawn, its width and its height.
fn side_by_side(parts: &[Part], margin: f64) -> (String, f64, f64) {
    let mut body = String::new();
    let (mut x, mut y, mut row_height, mut width) = (margin, margin, 0.0f64, 0.0f64);
    for part in parts {
        if x > margin && x + part.width > PAGE {
            x = margin;
            y += row_height + GAP;
            row_height = 0.0;
        }
        let _ = write!(body, "<g transform=\"translate({x:.0} {y:.0})\">{}</g>", part.body);
        width = width.max(x + part.width + margin);
        x += part.width + GAP;
        row_height = row_height.max(part.height);
    }
    (body, width, y + row_height + margin)
}

/// Puts the parts together: boards in rows, then the legend, then the list.
fn page(parts: &[Part], legend: &[&Sign], groups: &[(String, Vec<String>)]) -> String {
    let (mut body, width, mut y) = side_by_side(parts, GAP);
    let mut width = width.max(320.0);
    if parts.is_empty() {
        y = GAP;
    }
    if !legend.is_empty() {
        let mut x = GAP;
        for sign in legend {
            let length = 34.0 + 8.2 * sign.name.chars().count() as f64 + 14.0;
            if x > GAP && x + length > width {
                x = GAP;
                y += 28.0;
            }
            if sign.glyph.is_empty() {
                square(&mut body, (x + 2.0, y - 9.0), 18.0, SQUARE);
            } else {
                piece(&mut body, sign, x + 11.0, y, 22.0);
            }
            label(&mut body, x + 28.0, y + 5.0, "start", Tone::Ink, &sign.name);
            x += length;
        }
        y += 30.0;
    }
    let lines = list::lines(groups, ((width - 2.0 * GAP) / 8.0).max(40.0) as usize);
    for line in &lines {
        y += LINE;
        let indent = if line.starts_with("  ") { 16.0 } else { 0.0 };
        label(&mut body, GAP + indent, y - 4.0, "start", Tone::Ink, line.trim_start());
        width = width.max(2.0 * GAP + indent + 8.0 * line.chars().count() as f64);
    }
    let paper = "<rect width=\"100%\" height=\"100%\" fill=\"#fffdf8\"/>";
    document(width, y + GAP / 2.0, &format!("{paper}{body}"))
}

/// A panel of a board, both by their numbers.
fn grid(
    board: &Board,
    (number, panel): (usize, usize),
    filled: &Filled<'_>,
    style: &PictureStyle,
    titled: bool,
) -> Part {
    let frame = &board.panels[panel];
    let mut body = String::new();
    let longest = frame.rows.iter().map(|(_, l)| l.chars().count()).max().unwrap_or(0);
    let margin = if longest == 0 { 0.0 } else { AXIS.max(9.0 * longest as f64 + 6.0) };
    let title = if titled { frame.title.as_str() } else { "" };
    let top = if title.is_empty() { 0.0 } else { 24.0 } + if frame.columns.is_empty() { 0.0 } else { AXIS };
    let hexagonal = board.shape == BoardShape::Hexagonal;
    let row_height = if hexagonal { CELL * 0.866 } else { CELL };
    let centre = |spot: &Spot| {
        let blocks = board.blocks.map_or((0.0, 0.0), |(across, down)| {
            (f64::from(spot.x / 2 / across.max(1)) * 6.0, f64::from(spot.y / down.max(1)) * 6.0)
        });
        let x = margin + f64::from(spot.x) * CELL / 2.0 + CELL / 2.0 + blocks.0;
        (x, top + f64::from(spot.y) * row_height + row_height / 2.0 + blocks.1)
    };
    let here = || board.spots.iter().enumerate().filter(|(_, s)| s.panel == panel);
    let (mut width, mut height) = (margin, top);
    for (_, spot) in here() {
        let (x, y) = centre(spot);
        width = width.max(x + CELL / 2.0);
        height = height.max(y + CELL / 2.0);
    }
    if !title.is_empty() {
        label(&mut body, margin, 14.0, "start", Tone::Ink, title);
    }
    let at = |x: i32, y: i32| centre(&Spot { panel, x, y, possible: true, name: String::new() });
    for (x, text) in &frame.columns {
        label(&mut body, at(*x, 0).0, top - 8.0, "middle", Tone::Faint, text);
    }
    for (y, text) in &frame.rows {
        label(&mut body, margin - 8.0, at(0, *y).1 + 5.0, "end", Tone::Faint, text);
    }
    let joined = board.layers.iter().any(|l| l.joins());
    let pieces_only =
        filled.signs.iter().flatten().all(|s| s.glyph.is_empty() || s.owner.is_some() || s.is_mark());
    let checkered = pieces_only && here().count() >= 16 && board.blocks.is_none();
    if joined {
        let (wide, high) = (width - margin, height - top);
        let _ = write!(
            body,
            "<rect x=\"{margin:.1}\" y=\"{top:.1}\" width=\"{wide:.1}\" height=\"{high:.1}\" rx=\"8\" \
             fill=\"{SQUARE}\" stroke=\"{EDGE}\"/>"
        );
    }
    let lowest = here().map(|(_, s)| s.y).max().unwrap_or(0);
    for (_, spot) in here().filter(|(_, s)| s.possible && !joined) {
        let (x, y) = centre(spot);
        if hexagonal {
            hexagon(&mut body, x, y);
        } else {
            // As on a chess board, the corner at the bottom left is dark.
            let dark = checkered && (spot.x / 2 + lowest - spot.y) % 2 == 0;
            let fill = if dark { DARK_SQUARE } else { SQUARE };
            square(&mut body, (x - CELL / 2.0, y - CELL / 2.0), CELL, fill);
        }
    }
    let is_marked = |at: usize| style.marked.contains(&SpotName { board: number, spot: at });
    for (_, spot) in here().filter(|(at, _)| is_marked(*at)) {
        let (x, y) = centre(spot);
        let cell = outline(hexagonal, x, y, CELL - 3.0);
        let _ = write!(
            body,
            "{cell} class=\"marked\" fill=\"#2f6fb7\" fill-opacity=\"0.25\" stroke=\"#2f6fb7\" \
             stroke-width=\"2\"/>"
        );
    }
    for &(a, b) in filled.lines.iter().filter(|w| board.spots[w.0].panel == panel) {
        let ((x1, y1), (x2, y2)) = (centre(&board.spots[a]), centre(&board.spots[b]));
        stroke(&mut body, x1, y1, x2, y2);
    }
    for (at, spot) in here() {
        let (x, y) = centre(spot);
        if joined {
            let _ = write!(body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"{INK}\"/>");
        }
        let shown: Vec<&&Sign> = filled.signs[at].iter().filter(|s| !s.glyph.is_empty()).collect();
        let size = if shown.len() > 1 { CELL * 0.55 } else { CELL * 0.86 };
        for (number, sign) in shown.iter().take(4).enumerate() {
            let (dx, dy) = match (shown.len(), number) {
                (1, _) => (0.0, 0.0),
                (2, n) => (if n == 0 { -9.5 } else { 9.5 }, 0.0),
                (_, n) => (if n % 2 == 0 { -9.5 } else { 9.5 }, if n < 2 { -9.5 } else { 9.5 }),
            };
            // A box between dots stands right of and below its dot.
            let aside = if joined { CELL / 2.0 } else { 0.0 };
            piece(&mut body, sign, x + dx + aside, y + dy - aside, size);
        }
    }
    for &(a, b) in filled.walls.iter().filter(|w| board.spots[w.0].panel == panel) {
        let ((x1, y1), (x2, y2)) = (centre(&board.spots[a]), centre(&board.spots[b]));
        let (x, y) = ((x1 + x2) / 2.0, (y1 + y2) / 2.0);
        let (dx, dy) = if (y1 - y2).abs() < 1.0 { (0.0, CELL / 2.0) } else { (CELL / 2.0, 0.0) };
        stroke(&mut body, x - dx, y - dy, x + dx, y + dy);
    }
    if style.spots {
        for (at, spot) in here().filter(|(_, spot)| spot.possible) {
            let (x, y) = centre(spot);
            let name = escape::xml(&words::spot(board, at, &filled.signs[at]));
            let cell = outline(hexagonal, x, y, CELL);
            let _ = write!(
                body,
                "{cell} class=\"spot\" data-spot=\"{number}-{at}\" fill=\"transparent\" aria-label=\"{name}\"/>"
            );
        }
    }
    Part { width: width.max(8.5 * title.chars().count() as f64), height, body }
}

fn square(body: &mut String, (left, upper): (f64, f64), side: f64, fill: &str) {
    let _ = write!(
        body,
        "<rect x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{side}\" height=\"{side}\" fill=\"{fill}\" \
         stroke=\"{EDGE}\"/>"
    );
}

fn hexagon(body: &mut String, x: f64, y: f64) {
    let cell = outline(true, x, y, CELL);
    let _ = write!(body, "{cell} fill=\"{SQUARE}\" stroke=\"{EDGE}\"/>");
}

/// The beginning of an element that has the form of a cell so wide.
fn outline(hexagonal: bool, x: f64, y: f64, width: f64) -> String {
    if !hexagonal {
        let (left, upper) = (x - width / 2.0, y - width / 2.0);
        return format!("<rect x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{width}\" height=\"{width}\"");
    }
    let radius = width / 1.732;
    let corners: Vec<String> = (0..6)
        .map(|corner| {
            let angle = std::f64::consts::PI * (f64::from(corner) / 3.0 + 0.5);
            format!("{:.1},{:.1}", x + radius * angle.cos(), y + radius * angle.sin())
        })
        .collect();
    format!("<polygon points=\"{}\"", corners.join(" "))
}

fn stroke(body: &mut String, x1: f64, y1: f64, x2: f64, y2: f64) {
    let _ = write!(
        body,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{INK}\" \
         stroke-width=\"4\" stroke-linecap=\"round\"/>"
    );
}

/// A disc for a side, a figure for a chessman, else letters.
fn piece(body: &mut String, sign: &Sign, x: f64, y: f64, size: f64) {
    let fill = sign.owner.as_ref().map(|o| paint(colour_of(o)));
    if sign.disc && sign.name.chars().count() > 1 {
        let radius = size * 0.42;
        let fill = fill.unwrap_or(INK);
        let _ = write!(
            body,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" stroke=\"{INK}\" \
             stroke-width=\"1.5\"/>"
        );
        return;
    }
    if sign.is_mark() && sign.glyph == "#" {
        let (half, side) = (size * 0.36, size * 0.72);
        let (left, top) = (x - half, y - half);
        let _ = write!(
            body,
            "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" rx=\"3\" \
             fill=\"#5b5348\"/>"
        );
        return;
    }
    let (text, scale) = match figure(sign) {
        Some(figure) => (figure, 0.95),
        None => {
            let text = sign.glyph.as_str();
            let length = text.chars().count().max(1) as f64;
            (text, 0.72f64.min(1.45 / length))
        }
    };
    let fill = fill.unwrap_or(INK);
    let light = matches!(fill, "#ffffff" | "#f2c230");
    let outline = if light {
        format!(" stroke=\"{INK}\" stroke-width=\"1.4\" paint-order=\"stroke\"")
    } else {
        String::new()
    };
    let baseline = y + size * scale * 0.36;
    let font = size * scale;
    let _ = write!(
        body,
        "<text x=\"{x:.1}\" y=\"{baseline:.1}\" font-size=\"{font:.1}\" font-weight=\"bold\" \
         text-anchor=\"middle\" fill=\"{fill}\"{outline}>{}</text>",
        escape::xml(text)
    );
}

/// The figure for a chessman, known by its name.
fn figure(sign: &Sign) -> Option<&'static str> {
    sign.owner.as_ref()?;
    let figures =
        [("king", "♚"), ("queen", "♛"), ("rook", "♜"), ("bishop", "♝"), ("knight", "♞"), ("pawn", "♟")];
    figures.iter().find(|(name, _)| sign.name.ends_with(name)).map(|(_, figure)| *figure)
}

/// Colours that go well on the board.
fn paint(colour: &str) -> &'static str {
    match colour {
        "white" => "#ffffff",
        "black" => "#222222",
        "red" => "#c8372d",
        "blue" => "#2f6fb7",
        "green" => "#3a8f4d",
        "yellow" => "#f2c230",
        "orange" => "#e2832b",
        "teal" => "#1f9c9c",
        "magenta" => "#b43b94",
        "pink" => "#e58fb1",
        "purple" => "#6d4aa0",
        _ => INK,
    }
}

/// Towers and heaps.
fn pile(structure: &Structure, board: &Board, rows: &[(usize, Row)]) -> Option<Part> {
    let mut body = String::new();
    label(&mut body, 0.0, 14.0, "start", Tone::Ink, board.name());
    let (width, height) = match board.shape {
        BoardShape::Towers => towers(&mut body, structure, board, rows)?,
        _ => heaps(&mut body, structure, board, rows)?,
    };
    Some(Part { width, height, body })
}

fn towers(
    body: &mut String,
    structure: &Structure,
    board: &Board,
    rows: &[(usize, Row)],
) -> Option<(f64, f64)> {
    let towers = board.towers(structure.kinds.list(), rows);
    let tallest = towers.iter().map(Vec::len).max()?;
    let ground = 30.0 + 30.0 * tallest as f64;
    let mut left = 0.0;
    for tower in &towers {
        let names: Vec<String> = tower.iter().map(|&t| structure.text(t)).collect();
        let width = 9.0 * names.iter().map(|n| n.chars().count()).max().unwrap_or(1) as f64 + 18.0;
        for (level, name) in names.iter().enumerate() {
            let y = ground - 30.0 * (level + 1) as f64;
            let _ = write!(
                body,
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"28\" rx=\"4\" \
                 fill=\"#f7ecd8\" stroke=\"#a08a5f\"/>"
            );
            label(body, left + width / 2.0, y + 19.0, "middle", Tone::OnThing, name);
        }
        left += width + 16.0;
    }
    let (y, right) = (ground + 2.0, left - 16.0);
    let _ = write!(
        body,
        "<line class=\"ink-line\" x1=\"0\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" stroke=\"{INK}\" \
         stroke-width=\"4\" stroke-linecap=\"round\"/>"
    );
    Some((left, ground + 8.0))
}

fn heaps(
    body: &mut String,
    structure: &Structure,
    board: &Board,
    rows: &[(usize, Row)],
) -> Option<(f64, f64)> {
    let heaps = board.heaps(&structure.terms, rows);
    let margin = 9.0 * heaps.iter().map(|h| structure.text(h.0).chars().count()).max()? as f64 + 8.0;
    let mut width = margin;
    for (at, &(heap, amount)) in heaps.iter().enumerate() {
        let y = 40.0 + 26.0 * at as f64;
        label(body, margin - 8.0, y + 5.0, "end", Tone::Ink, &structure.text(heap));
        let shown = amount.min(40);
        for number in 0..shown {
            let x = margin + 10.0 + 20.0 * number as f64;
            let _ = write!(body, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" fill=\"{WOOD}\"/>");
        }
        let end = margin + 20.0 * shown as f64 + 4.0;
        label(body, end, y + 5.0, "start", Tone::Faint, &amount.to_string());
        width = width.max(end + 40.0);
    }
    Some((width, 40.0 + 26.0 * heaps.len() as f64))
}

/// How a text stands out. On the page itself it has a class, so that a style sheet can say otherwise.
#[derive(Clone, Copy)]
enum Tone {
    /// On the page.
    Ink,
    /// On the page, and less important.
    Faint,
    /// On a thing that has its own colour.
    OnThing,
}

fn label(body: &mut String, x: f64, y: f64, anchor: &str, tone: Tone, text: &str) {
    let tone = match tone {
        Tone::Ink => format!("class=\"ink\" fill=\"{INK}\""),
        Tone::Faint => format!("class=\"faint\" fill=\"{FAINT}\""),
        Tone::OnThing => format!("fill=\"{INK}\""),
    };
    let _ = write!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"14\" text-anchor=\"{anchor}\" {tone}>{}</text>",
        escape::xml(text)
    );
}
