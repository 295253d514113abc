//! States as SVG documents.

use std::fmt::Write as _;

use ludex_logic::{TermId, escape};

use super::figures::piece;
use super::picture::{Meaning, Picture, PictureStyle};
use super::piles::pile;
use super::{list, panel, text, words};
use crate::structure::{Sign, Structure};

/// The side of a square.
pub(super) const CELL: f64 = 40.0;
/// Room for the names of rows and columns.
pub(super) const AXIS: f64 = 26.0;
/// Room around a board and between two.
const GAP: f64 = 24.0;
/// Room around boards where a page has its own.
const TIGHT: f64 = 2.0;
/// Boards go into one row up to this width.
const PAGE: f64 = 960.0;
/// The distance of two lines of text.
const LINE: f64 = 18.0;

pub(super) const INK: &str = "#2b2b2b";
/// Four and a half times as bright as the page, so that it can be read.
pub(super) const FAINT: &str = "#6b655b";
pub(super) const SQUARE: &str = "#f7ecd8";
pub(super) const DARK_SQUARE: &str = "#e3cba4";
pub(super) const EDGE: &str = "#c9b48c";

/// A finished part of the page.
pub(super) struct Part {
    pub width: f64,
    pub height: f64,
    pub body: String,
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
        let (possible, _) = structure.rows(&style.possible);
        let mut rest = Vec::new();
        let mut parts = Vec::new();
        let mut legend: Vec<&Sign> = Vec::new();
        for (number, board) in structure.boards.iter().enumerate() {
            if board.pile.is_some() {
                parts.extend(pile(structure, (number, board), &rows, style));
                continue;
            }
            let mut filled = board.fill(&rows, &mut rest);
            board.cover(&possible, &mut filled);
            for sign in filled.signs.iter().flatten().copied() {
                if text::needs_legend(sign) && !legend.iter().any(|l| l.name == sign.name) {
                    legend.push(sign);
                }
            }
            // Walls at the sides of spots say by directions where they are, and stay as they are.
            let turned = (style.turned && filled.edges.is_empty()).then(|| board.turned());
            let board = turned.as_ref().unwrap_or(board);
            parts.extend(
                (0..board.panels.len())
                    .map(|panel| panel::draw(board, (number, panel), &filled, style, titled)),
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

pub(super) fn square(body: &mut String, (left, upper): (f64, f64), side: f64, fill: &str) {
    let _ = write!(
        body,
        "<rect x=\"{left:.1}\" y=\"{upper:.1}\" width=\"{side}\" height=\"{side}\" fill=\"{fill}\" \
         stroke=\"{EDGE}\"/>"
    );
}

pub(super) fn hexagon(body: &mut String, x: f64, y: f64) {
    let cell = outline(true, x, y, CELL);
    let _ = write!(body, "{cell} fill=\"{SQUARE}\" stroke=\"{EDGE}\"/>");
}

/// The beginning of an element that has the form of a cell so wide.
pub(super) fn outline(hexagonal: bool, x: f64, y: f64, width: f64) -> String {
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

pub(super) fn stroke(body: &mut String, x1: f64, y1: f64, x2: f64, y2: f64) {
    let _ = write!(
        body,
        "<line x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\" stroke=\"{INK}\" \
         stroke-width=\"4\" stroke-linecap=\"round\"/>"
    );
}

/// Colours that go well on the board.
pub(super) fn paint(colour: &str) -> &'static str {
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

/// How a text stands out. On the page itself it has a class, so that a style sheet can say otherwise.
#[derive(Clone, Copy)]
pub(super) enum Tone {
    /// On the page.
    Ink,
    /// On the page, and less important.
    Faint,
    /// On a thing that has its own colour.
    OnThing,
}

pub(super) fn label(body: &mut String, x: f64, y: f64, anchor: &str, tone: Tone, text: &str) {
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
