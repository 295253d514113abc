//! Things on a board as shapes.

use std::fmt::Write as _;

use ludex_logic::escape;

use super::colour_of;
use super::svg::{FAINT, INK, SQUARE, paint};
use crate::structure::{Chessman, Figure, Sign, suit_of};

/// What things are filled with that belong to nobody.
const STONE: &str = "#5b5348";
const WOOD: &str = "#a5824c";
const GOLD: &str = "#e0a920";

/// The shapes below are drawn on a square of 100, with the middle at 0, 0.
const SHAPE: f64 = 100.0;

/// Draws a thing around a place, on a square so wide.
pub(super) fn piece(body: &mut String, sign: &Sign, x: f64, y: f64, size: f64) {
    let side = sign.owner.as_ref().map(|owner| paint(colour_of(owner)));
    let fill = side.unwrap_or(INK);
    match sign.figure {
        Figure::Letters => letters(body, &sign.glyph, fill, (x, y), size),
        Figure::Tile => {
            block(body, (x, y), size * 0.98, "#dcb877", " stroke=\"#8d6f3e\" stroke-width=\"1.5\"");
            letters(body, &sign.glyph, INK, (x, y), size * 0.85);
        }
        Figure::Token => {
            disc(body, (x, y), size * 0.45, fill);
            letters(body, &sign.glyph.trim_end_matches('*').to_uppercase(), over(fill), (x, y), size * 0.72);
        }
        Figure::Die(number) => die(body, number, side.unwrap_or("#ffffff"), (x, y), size),
        // The colour of a card says what it is, where it is called by that.
        Figure::Card if sign.owner.as_ref().is_some_and(|owner| owner.name == sign.name) => {
            card_of(body, fill, (x, y), size);
        }
        Figure::Card => card(body, &sign.glyph, fill, (x, y), size),
        Figure::CardBack => card_back(body, (x, y), size),
        Figure::Button => {
            let line = format!(" stroke=\"{INK}\" stroke-width=\"1.5\"");
            block(body, (x, y), size * 0.92, "#d8dee6", &line);
            letters(body, &sign.glyph, INK, (x, y), size * 0.72);
        }
        Figure::Counter => {
            disc(body, (x, y), size * 0.48, GOLD);
            letters(body, &sign.glyph, INK, (x, y), size * 0.66);
        }
        Figure::Block => block(body, (x, y), size * 0.9, side.unwrap_or(STONE), ""),
        figure => {
            let scale = size / SHAPE;
            let _ = write!(body, "<g transform=\"translate({x:.1} {y:.1}) scale({scale:.3})\">");
            shape(body, figure, side);
            body.push_str("</g>");
        }
    }
}

/// The shapes without letters, around 0, 0.
fn shape(body: &mut String, figure: Figure, side: Option<&str>) {
    let fill = side.unwrap_or(INK);
    match figure {
        Figure::Disc => circle(body, (0.0, 0.0), 42.0, side.unwrap_or(STONE), 3.5),
        Figure::Crowned => {
            circle(body, (0.0, 0.0), 42.0, fill, 3.5);
            let line = over(fill);
            let crown = "M-24,16 L-27,-14 L-12,0 L0,-22 L12,0 L27,-14 L24,16 Z";
            let _ = write!(body, "<path d=\"{crown}\" fill=\"{line}\" stroke=\"none\"/>");
        }
        Figure::Chess(man) => chessman(body, man, fill),
        Figure::Cross => {
            let colour = side.unwrap_or("#2f6fb7");
            path(body, "M-28,-28 L28,28 M28,-28 L-28,28", "none", colour, 13.0);
        }
        Figure::Ring => {
            let colour = side.unwrap_or("#c8372d");
            let _ = write!(body, "<circle r=\"29\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"12\"/>");
        }
        Figure::Dot => circle(body, (0.0, 0.0), 15.0, side.unwrap_or(WOOD), 2.0),
        Figure::Gem => path(body, "M0,34 L-34,-6 L-18,-28 H18 L34,-6 Z M-34,-6 H34", GOLD, INK, 3.0),
        Figure::Bomb => {
            path(body, "M14,-22 C22,-40 34,-36 36,-26", "none", INK, 5.0);
            circle(body, (-4.0, 8.0), 30.0, side.unwrap_or("#222222"), 3.0);
        }
        Figure::Fire => {
            let flame = "M0,40 C-30,40 -34,10 -18,-8 C-16,4 -8,4 -8,-4 C-10,-18 -2,-30 8,-40 C6,-22 34,-12 \
                         28,16 C25,32 14,40 0,40 Z";
            path(body, flame, "#e2832b", "#b4521b", 3.0);
        }
        Figure::Crate => {
            path(body, "M-36,-36 H36 V36 H-36 Z M-36,-36 L36,36 M36,-36 L-36,36", WOOD, INK, 4.0)
        }
        Figure::Door => path(body, "M-24,40 V-18 C-24,-46 24,-46 24,-18 V40 Z M12,4 V6", "#9fc3a6", INK, 4.0),
        Figure::Person => {
            path(body, "M-26,38 C-26,-2 26,-2 26,38 Z", fill, INK, 3.5);
            circle(body, (0.0, -20.0), 18.0, fill, 3.5);
        }
        Figure::Coins(number) => {
            for level in 0..number.min(5) {
                let y = 16.0 - 14.0 * f64::from(level);
                let _ = write!(
                    body,
                    "<ellipse cy=\"{y:.0}\" rx=\"34\" ry=\"18\" fill=\"{GOLD}\" stroke=\"#7d5d0c\" \
                     stroke-width=\"4\"/>"
                );
            }
        }
        Figure::Lamp(is_on) => lamp(body, is_on),
        Figure::Built(bits) => built(body, bits),
        // Drawn by `piece`, with letters or without an outline of its own.
        Figure::Letters
        | Figure::Tile
        | Figure::Token
        | Figure::Die(_)
        | Figure::Card
        | Figure::CardBack
        | Figure::Button
        | Figure::Counter
        | Figure::Block => {}
    }
}

/// The six men of chess.
fn chessman(body: &mut String, man: Chessman, fill: &str) {
    const BASE: &str = "M-24,38 V30 C-20,24 20,24 24,30 V38 Z";
    let figure = match man {
        Chessman::Pawn => "M-9,-6 H9 C9,8 13,18 18,27 H-18 C-13,18 -9,8 -9,-6 Z",
        Chessman::Rook => {
            "M-24,-36 H-13 V-27 H-6 V-36 H6 V-27 H13 V-36 H24 V-17 L15,-9 V18 L20,27 H-20 L-15,18 V-9 L-24,-17 Z"
        }
        Chessman::Bishop => {
            "M0,-34 C20,-20 20,-4 9,6 L15,27 H-15 L-9,6 C-20,-4 -20,-20 0,-34 Z M0,-20 V-8 M-6,-14 H6"
        }
        Chessman::Knight => {
            "M-16,27 C-16,10 0,6 -1,-7 C-9,-4 -14,4 -22,3 C-30,1 -28,-8 -23,-13 C-18,-20 -15,-28 -6,-31 L-4,-40 \
             L4,-32 C22,-28 26,-4 19,27 Z"
        }
        Chessman::Queen => {
            "M-32,-24 L-20,12 L-18,27 H18 L20,12 L32,-24 L15,-4 L11,-34 L0,-7 L-11,-34 L-15,-4 Z M-20,12 H20"
        }
        Chessman::King => {
            "M-3,-44 H3 V-38 H9 V-32 H3 V-20 C12,-30 34,-24 28,-4 C25,8 18,12 17,27 H-17 C-18,12 -25,8 -28,-4 \
             C-34,-24 -12,-30 -3,-20 V-32 H-9 V-38 H-3 Z"
        }
    };
    path(body, figure, fill, over_line(fill), 3.0);
    path(body, BASE, fill, over_line(fill), 3.0);
    match man {
        Chessman::Pawn => circle(body, (0.0, -18.0), 14.0, fill, 3.0),
        Chessman::Bishop => circle(body, (0.0, -36.0), 5.0, fill, 3.0),
        Chessman::Knight => circle(body, (-9.0, -18.0), 2.5, over(fill), 0.0),
        _ => {}
    }
}

/// The outline of a figure: dark ones have a light one, so that their parts can be told.
fn over_line(fill: &str) -> &'static str {
    if fill == "#222222" || fill == INK { "#f7ecd8" } else { INK }
}

/// What can be read on a colour.
fn over(fill: &str) -> &'static str {
    if matches!(fill, "#ffffff" | "#f2c230" | "#e58fb1") { INK } else { "#ffffff" }
}

fn path(body: &mut String, figure: &str, fill: &str, line: &str, width: f64) {
    let _ = write!(
        body,
        "<path d=\"{figure}\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"{width}\" \
         stroke-linejoin=\"round\" stroke-linecap=\"round\"/>"
    );
}

fn circle(body: &mut String, (x, y): (f64, f64), radius: f64, fill: &str, line: f64) {
    let _ = write!(
        body,
        "<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"{line}\"/>"
    );
}

fn disc(body: &mut String, (x, y): (f64, f64), radius: f64, fill: &str) {
    let _ = write!(
        body,
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\" fill=\"{fill}\" stroke=\"{INK}\" \
         stroke-width=\"1.5\"/>"
    );
}

fn block(body: &mut String, (x, y): (f64, f64), side: f64, fill: &str, more: &str) {
    let (left, top) = (x - side / 2.0, y - side / 2.0);
    let _ = write!(
        body,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{side:.1}\" height=\"{side:.1}\" rx=\"3\" \
         fill=\"{fill}\"{more}/>"
    );
}

/// A die from 1 to 6; other numbers are written on it.
fn die(body: &mut String, number: u8, fill: &str, (x, y): (f64, f64), size: f64) {
    block(body, (x, y), size * 0.86, fill, &format!(" stroke=\"{INK}\" stroke-width=\"1.5\""));
    let spots: &[(i32, i32)] = match number {
        1 => &[(0, 0)],
        2 => &[(-1, -1), (1, 1)],
        3 => &[(-1, -1), (0, 0), (1, 1)],
        4 => &[(-1, -1), (1, -1), (-1, 1), (1, 1)],
        5 => &[(-1, -1), (1, -1), (0, 0), (-1, 1), (1, 1)],
        6 => &[(-1, -1), (1, -1), (-1, 0), (1, 0), (-1, 1), (1, 1)],
        _ => return letters(body, &number.to_string(), over(fill), (x, y), size * 0.8),
    };
    let colour = over(fill);
    for &(across, down) in spots {
        let (cx, cy) = (x + f64::from(across) * size * 0.23, y + f64::from(down) * size * 0.23);
        let radius = size * 0.075;
        let _ = write!(body, "<circle cx=\"{cx:.1}\" cy=\"{cy:.1}\" r=\"{radius:.1}\" fill=\"{colour}\"/>");
    }
}

/// A card with its rank over its suit, or with the letters of what it is.
fn card(body: &mut String, text: &str, fill: &str, (x, y): (f64, f64), size: f64) {
    card_of(body, "#ffffff", (x, y), size);
    let Some(suit) = suit_of(text) else {
        return letters(body, text, if fill == "#ffffff" { INK } else { fill }, (x, y), size * 0.66);
    };
    let colour = if matches!(suit, '♥' | '♦') { "#c8372d" } else { INK };
    letters(body, text.trim_end_matches(suit), colour, (x, y - size * 0.2), size * 0.52);
    letters(body, &suit.to_string(), colour, (x, y + size * 0.22), size * 0.58);
}

fn card_back(body: &mut String, (x, y): (f64, f64), size: f64) {
    card_of(body, "#2f6fb7", (x, y), size);
    let (half, high) = (size * 0.22, size * 0.34);
    let _ = write!(
        body,
        "<path d=\"M{:.1},{y:.1} L{x:.1},{:.1} L{:.1},{y:.1} L{x:.1},{:.1} Z\" fill=\"none\" stroke=\"#ffffff\" \
         stroke-width=\"2\"/>",
        x - half,
        y - high,
        x + half,
        y + high
    );
}

fn card_of(body: &mut String, fill: &str, (x, y): (f64, f64), size: f64) {
    let (width, height) = (size * 0.72, size * 0.98);
    let (left, top) = (x - width / 2.0, y - height / 2.0);
    let _ = write!(
        body,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\" \
         fill=\"{fill}\" stroke=\"{INK}\" stroke-width=\"1.2\"/>"
    );
}

/// A piece by its attributes: large or small, round or square, dark or light, with a hole or without.
fn built(body: &mut String, bits: u8) {
    let has = |bit: u8| bits & bit != 0;
    let radius = if has(0b1000) { 42.0 } else { 27.0 };
    let fill = if has(0b0010) { STONE } else { "#fff6e0" };
    if has(0b0100) {
        circle(body, (0.0, 0.0), radius, fill, 4.0);
    } else {
        path(body, &format!("M-{radius},-{radius} H{radius} V{radius} H-{radius} Z"), fill, INK, 4.0);
    }
    if has(0b0001) {
        circle(body, (0.0, 0.0), radius * 0.42, SQUARE, 4.0);
    }
}

/// A bulb in its socket, with rays where it is on.
fn lamp(body: &mut String, is_on: bool) {
    if is_on {
        let rays = "M-44,-10 H-35 M35,-10 H44 M-33,-42 L-26,-35 M33,-42 L26,-35 M0,-48 V-42";
        path(body, rays, "none", "#d98f00", 5.0);
    }
    let glass = "M-11,22 C-11,12 -26,8 -26,-10 C-26,-44 26,-44 26,-10 C26,8 11,12 11,22 Z";
    path(body, glass, if is_on { "#ffd84a" } else { "#8f8a80" }, INK, 3.0);
    path(body, "M-11,24 H11 V34 L5,40 H-5 L-11,34 Z", "#b9b4aa", INK, 3.0);
}

/// Letters in a colour, so large that they fit.
pub(super) fn letters(body: &mut String, text: &str, fill: &str, (x, y): (f64, f64), size: f64) {
    let length = text.chars().count().max(1) as f64;
    let font = size * 0.72f64.min(1.45 / length);
    let light = matches!(fill, "#ffffff" | "#f2c230") && size > 30.0;
    let outline = if light {
        format!(" stroke=\"{INK}\" stroke-width=\"1.4\" paint-order=\"stroke\"")
    } else {
        String::new()
    };
    let baseline = y + font * 0.36;
    let _ = write!(
        body,
        "<text x=\"{x:.1}\" y=\"{baseline:.1}\" font-size=\"{font:.1}\" font-weight=\"bold\" \
         text-anchor=\"middle\" fill=\"{fill}\"{outline}>{}</text>",
        escape::xml(text)
    );
}

/// The name of an empty cell, small and faint.
pub(super) fn small(body: &mut String, text: &str, (x, y): (f64, f64)) {
    let length = text.chars().count().max(1) as f64;
    let font = 12.0f64.min(52.0 / length);
    let _ = write!(
        body,
        "<text x=\"{x:.1}\" y=\"{y:.1}\" font-size=\"{font:.1}\" text-anchor=\"middle\" fill=\"{FAINT}\">{}</text>",
        escape::xml(text)
    );
}
