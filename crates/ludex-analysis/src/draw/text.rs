//! States as lines of text.

use ludex_logic::TermId;

use super::canvas::{Canvas, FAINT, ansi};
use super::layout::Layout;
use super::{TextStyle, colour_of, list};
use crate::structure::{Board, BoardShape, Filled, Row, Sign, Spot, Structure};

/// Characters between two boards.
const BETWEEN: usize = 4;
/// The least room for a list beside the boards.
const BESIDE: usize = 22;

/// See [`Structure::draw_text`].
pub(crate) fn draw(structure: &Structure, facts: &[TermId], style: &TextStyle) -> String {
    let (rows, _) = structure.rows(facts);
    let mut pictures: Vec<Canvas> = Vec::new();
    let mut legend: Vec<(String, String, Option<&'static str>)> = Vec::new();
    let mut rest = Vec::new();
    for board in &structure.boards {
        match board.pile {
            Some(_) => pictures.extend(pile(structure, board, &rows)),
            None => {
                let filled = board.fill(&rows, &mut rest);
                let meanings = filled.signs.iter().flatten().filter(|s| needs_legend(s));
                for sign in meanings {
                    let glyph = if sign.glyph.is_empty() { "." } else { &sign.glyph };
                    let entry = (glyph.to_owned(), sign.name.clone(), colour(sign));
                    if !legend.contains(&entry) {
                        legend.push(entry);
                    }
                }
                for panel in 0..board.panels.len() {
                    pictures.push(grid(board, panel, &filled, style.width));
                }
            }
        }
    }
    legend.sort_by(|a, b| (&a.1, &a.0).cmp(&(&b.1, &b.0)));
    let drawn = unlisted(structure, facts, &rest);
    let groups = list::grouped(structure, &drawn);
    arrange(&pictures, &legend, &groups, style)
}

/// Whether a sign has to be explained.
pub(crate) fn needs_legend(sign: &Sign) -> bool {
    match sign.glyph.as_str() {
        "" => !sign.is_named_empty(),
        glyph => glyph.to_lowercase() != sign.name.replace(' ', "").to_lowercase(),
    }
}

/// The facts that no board shows.
pub(crate) fn unlisted(structure: &Structure, facts: &[TermId], rest: &[usize]) -> Vec<TermId> {
    let mut row = Row::new();
    let mut rows = 0;
    let mut listed = Vec::new();
    for &fact in facts {
        let Some(kind) = structure.kinds.row(&structure.terms, fact, &mut row) else {
            listed.push(fact);
            continue;
        };
        let on_board = structure.boards.iter().any(|b| b.kinds().any(|k| k == kind));
        if !on_board || rest.contains(&rows) {
            listed.push(fact);
        }
        rows += 1;
    }
    listed
}

fn colour(sign: &Sign) -> Option<&'static str> {
    sign.owner.as_ref().map(|o| ansi(colour_of(o)))
}

/// Boards side by side as far as they fit, what signs mean under them, the list beside or below.
fn arrange(
    pictures: &[Canvas],
    legend: &[(String, String, Option<&'static str>)],
    groups: &[(String, Vec<String>)],
    style: &TextStyle,
) -> String {
    let mut page = Canvas::default();
    let (mut x, mut y, mut below) = (0, 0, 0);
    for picture in pictures {
        if x > 0 && x + BETWEEN + picture.width() > style.width {
            y = below + 1;
            x = 0;
        }
        let left = if x == 0 { 0 } else { x + BETWEEN };
        page.draw(left, y, picture);
        x = left + picture.width();
        below = below.max(y + picture.height());
    }
    let one_row = y == 0 && !pictures.is_empty();
    let mut width = 0;
    if !legend.is_empty() {
        below += 1;
    }
    for (glyph, name, colour) in legend {
        let length = glyph.chars().count() + 1 + name.chars().count();
        if width > 0 && width + 3 + length > style.width.min(if one_row { x.max(40) } else { usize::MAX }) {
            below += 1;
            width = 0;
        }
        let left = if width == 0 { 0 } else { width + 3 };
        page.put(left, below, glyph, *colour);
        page.put(left + glyph.chars().count() + 1, below, name, None);
        width = left + length;
    }
    if !legend.is_empty() {
        below += 1;
    }
    let room = style.width.saturating_sub(page.width() + BETWEEN);
    if one_row && room >= BESIDE {
        let left = page.width() + BETWEEN;
        let lines = list::lines(groups, room);
        if lines.len() <= below.max(6) {
            for (at, line) in lines.iter().enumerate() {
                page.put(left, at, line, None);
            }
            return page.text(style.colour);
        }
    }
    if !pictures.is_empty() && !groups.is_empty() {
        below += 1;
    }
    for (at, line) in list::lines(groups, style.width).iter().enumerate() {
        page.put(0, below + at, line, None);
    }
    page.text(style.colour)
}

/// One panel of a board.
fn grid(board: &Board, panel: usize, filled: &Filled<'_>, room: usize) -> Canvas {
    let mut canvas = Canvas::default();
    let frame = &board.panels[panel];
    let layout = Layout::new(board, panel, filled, room);
    let joined = board.layers.iter().any(|l| l.joins());
    canvas.put(0, 0, &frame.title, None);
    for (x, label) in frame.columns.iter().filter(|(x, _)| layout.shows(*x, layout.down.0)) {
        let end = layout.column(*x) + layout.width;
        if layout.is_upright() {
            for (up, c) in label.chars().rev().enumerate().take(layout.top - 1) {
                let mut buffer = [0; 4];
                canvas.put_right(end, layout.top - 1 - up, c.encode_utf8(&mut buffer), Some(FAINT));
            }
        } else {
            let short: String = label.chars().take(layout.width).collect();
            canvas.put_right(end, 1, &short, Some(FAINT));
        }
    }
    for (y, label) in frame.rows.iter().filter(|(y, _)| layout.shows(layout.across.0, *y)) {
        canvas.put_right(layout.margin - 1, layout.line(*y), label, Some(FAINT));
    }
    let shown = |spot: &Spot| spot.panel == panel && layout.shows(spot.x, spot.y);
    for (at, spot) in board.spots.iter().enumerate().filter(|(_, s)| shown(s)) {
        let end = layout.column(spot.x) + layout.width;
        let y = layout.line(spot.y);
        let (text, length) = glyphs(&filled.signs[at]);
        if length == 0 {
            if spot.possible {
                canvas.put_right(end, y, if joined { "+" } else { "." }, Some(FAINT));
            }
            continue;
        }
        let mut left = end - length;
        for (glyph, colour) in text {
            canvas.put(left, y, &glyph, colour);
            left += glyph.chars().count();
        }
    }
    for (pairs, wall) in [(&filled.walls, true), (&filled.lines, false)] {
        for &(a, b) in pairs {
            let ends = (&board.spots[a], &board.spots[b]);
            if shown(ends.0) && shown(ends.1) {
                draw_between(&mut canvas, ends, &layout, wall);
            }
        }
    }
    if let Some(blocks) = board.blocks {
        draw_blocks(&mut canvas, blocks, &layout);
    }
    canvas
}

/// A wall between two neighbouring spots, or a line that joins them.
fn draw_between(canvas: &mut Canvas, (a, b): (&Spot, &Spot), layout: &Layout, wall: bool) {
    let beside = a.y == b.y;
    let (x, y) = (layout.column(a.x.min(b.x)), layout.line(a.y.min(b.y)));
    let width = layout.width;
    match (beside, wall) {
        (true, true) => canvas.put(x + width, y, "│", None),
        (true, false) => canvas.put(x + width, y, &"─".repeat(width), None),
        (false, true) => canvas.put(x, y + 1, &"─".repeat(width), None),
        (false, false) => canvas.put(x + width - 1, y + 1, "│", None),
    }
}

/// Lines between the boards of a board of boards.
fn draw_blocks(canvas: &mut Canvas, (across, down): (i32, i32), layout: &Layout) {
    let (columns, rows) = (layout.across.1 / 2 + 1, layout.down.1 + 1);
    let right = canvas.width();
    let left = layout.column(0);
    for row in (down.max(1)..rows).step_by(down.max(1) as usize) {
        canvas.put(left, layout.line(row) - 1, &"─".repeat(right.saturating_sub(left)), Some(FAINT));
    }
    for column in (across.max(1)..columns).step_by(across.max(1) as usize) {
        for y in layout.line(0)..=layout.line(rows - 1) {
            canvas.put(layout.column(2 * column) - 2, y, "│", Some(FAINT));
        }
    }
}

type Coloured = (String, Option<&'static str>);

/// What to write on a spot, and how long that is; of many things the first two and a plus.
pub(crate) fn glyphs(signs: &[&Sign]) -> (Vec<Coloured>, usize) {
    let shown: Vec<&&Sign> = signs.iter().filter(|s| !s.glyph.is_empty()).collect();
    let mut text: Vec<Coloured> = shown.iter().take(3).map(|s| (s.glyph.clone(), colour(s))).collect();
    if shown.len() > 3 {
        text.truncate(2);
        text.push(("+".to_owned(), None));
    }
    let length = text.iter().map(|(t, _)| t.chars().count()).sum();
    (text, length)
}

/// Towers and heaps.
pub(crate) fn pile(structure: &Structure, board: &Board, rows: &[(usize, Row)]) -> Option<Canvas> {
    let mut canvas = Canvas::default();
    canvas.put(0, 0, board.name(), None);
    match board.shape {
        BoardShape::Towers | BoardShape::Stacks => {
            let towers = board.towers(structure.kinds.list(), rows);
            let height = towers.iter().map(Vec::len).max()?;
            let mut left = 0;
            for tower in &towers {
                let names: Vec<String> = tower.iter().map(|&t| structure.text(t)).collect();
                let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0);
                for (level, name) in names.iter().enumerate() {
                    let indent = (width - name.chars().count()) / 2;
                    canvas.put(left + indent, height - level, name, None);
                }
                canvas.put(left, height + 1, &"─".repeat(width), Some(FAINT));
                left += width + 2;
            }
        }
        _ => {
            let heaps = board.heaps(&structure.terms, rows);
            let margin = heaps.iter().map(|h| structure.text(h.0).chars().count()).max()?;
            for (at, &(heap, amount)) in heaps.iter().enumerate() {
                canvas.put_right(margin, at + 1, &structure.text(heap), None);
                let bar = if amount <= 40 {
                    "●".repeat(amount as usize)
                } else {
                    format!("{}...", "●".repeat(37))
                };
                let space = if amount == 0 { "" } else { " " };
                canvas.put(margin + 1, at + 1, &format!("{bar}{space}{amount}"), None);
            }
        }
    }
    Some(canvas)
}
