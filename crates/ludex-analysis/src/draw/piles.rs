//! Towers, discs on pegs and heaps in pictures.

use std::fmt::Write as _;

use ludex_logic::{TermId, escape};

use super::picture::PictureStyle;
use super::spots::SpotName;
use super::svg::{INK, Part, Tone, label};
use crate::structure::{Board, BoardShape, Row, Structure};

const WOOD: &str = "#a5824c";
/// The height of a block or disc, with the gap over it.
const LEVEL: f64 = 30.0;
/// The widths of the smallest disc and of the largest one.
const DISCS: (f64, f64) = (44.0, 150.0);

/// A pile that is being drawn.
struct Drawing<'a> {
    structure: &'a Structure,
    board: &'a Board,
    number: usize,
    style: &'a PictureStyle,
    body: String,
    /// What can be clicked lies over all else.
    spots: String,
}

/// The board of towers or heaps with this number.
pub(super) fn pile(
    structure: &Structure,
    (number, board): (usize, &Board),
    rows: &[(usize, Row)],
    style: &PictureStyle,
) -> Option<Part> {
    let mut drawing = Drawing { structure, board, number, style, body: String::new(), spots: String::new() };
    label(&mut drawing.body, 0.0, 14.0, "start", Tone::Ink, board.name());
    let (width, height) = match board.shape {
        BoardShape::Towers | BoardShape::Stacks => drawing.towers(rows)?,
        _ => drawing.heaps(rows)?,
    };
    drawing.body.push_str(&drawing.spots);
    Some(Part { width, height, body: drawing.body })
}

impl Drawing<'_> {
    fn towers(&mut self, rows: &[(usize, Row)]) -> Option<(f64, f64)> {
        let towers = self.board.towers(self.structure.kinds.list(), rows);
        let tallest = towers.iter().map(Vec::len).max()?;
        let sized = !self.sizes().is_empty();
        // Pegs are as high as all discs on one another.
        let ground = if sized {
            40.0 + LEVEL * (self.sizes().len() + 1) as f64
        } else {
            30.0 + LEVEL * tallest as f64
        };
        let mut left = 0.0;
        for tower in &towers {
            let width = if sized { self.peg(tower, left, ground) } else { self.tower(tower, left, ground) };
            left += width + 16.0;
        }
        let (y, right) = (ground + 2.0, left - 16.0);
        let _ = write!(
            self.body,
            "<line class=\"ink-line\" x1=\"0\" y1=\"{y:.1}\" x2=\"{right:.1}\" y2=\"{y:.1}\" \
             stroke=\"{INK}\" stroke-width=\"4\" stroke-linecap=\"round\"/>"
        );
        Some((left, ground + if sized { 26.0 } else { 8.0 }))
    }

    fn sizes(&self) -> &[TermId] {
        self.board.pile.as_ref().map_or(&[], |pile| &pile.sizes)
    }

    /// Blocks on one another; how wide they are.
    fn tower(&mut self, tower: &[TermId], left: f64, ground: f64) -> f64 {
        let names: Vec<String> = tower.iter().map(|&thing| self.structure.text(thing)).collect();
        let width = 9.0 * names.iter().map(|n| n.chars().count()).max().unwrap_or(1) as f64 + 18.0;
        for (level, (&thing, name)) in tower.iter().zip(&names).enumerate() {
            let y = ground - LEVEL * (level + 1) as f64;
            let _ = write!(
                self.body,
                "<rect x=\"{left:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"28\" rx=\"4\" \
                 fill=\"#f7ecd8\" stroke=\"#a08a5f\"/>"
            );
            label(&mut self.body, left + width / 2.0, y + 19.0, "middle", Tone::OnThing, name);
            self.spot(thing, name, (left, y, width, 28.0));
        }
        width
    }

    /// A peg with its discs; how wide it is.
    fn peg(&mut self, tower: &[TermId], left: f64, ground: f64) -> f64 {
        let (least, most) = DISCS;
        let middle = left + most / 2.0;
        let count = self.sizes().len();
        let base = tower.first().copied().filter(|thing| !self.sizes().contains(thing));
        if let Some(base) = base {
            let (top, height) = (30.0, ground - 30.0);
            let name = self.structure.text(base);
            let _ = write!(
                self.body,
                "<rect x=\"{:.1}\" y=\"{top:.1}\" width=\"10\" height=\"{height:.1}\" rx=\"4\" \
                 fill=\"#8d6f3e\"/>",
                middle - 5.0
            );
            label(&mut self.body, middle, ground + 20.0, "middle", Tone::Ink, &name);
            let on = tower.iter().skip(1).map(|&thing| self.structure.text(thing));
            let on: Vec<String> = on.collect();
            let said =
                if on.is_empty() { format!("{name}, empty") } else { format!("{name}, {}", on.join(", ")) };
            self.spot(base, &said, (left, top, most, height));
        }
        for (level, &thing) in tower.iter().skip(usize::from(base.is_some())).enumerate() {
            let rank = self.sizes().iter().position(|&size| size == thing).unwrap_or(0);
            let width = least + (most - least) * (rank as f64 + 1.0) / count.max(1) as f64;
            let width = width.min(most);
            let (x, y) = (middle - width / 2.0, ground - LEVEL * (level + 1) as f64);
            let name = self.structure.text(thing);
            let _ = write!(
                self.body,
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"28\" rx=\"12\" \
                 fill=\"#dcb877\" stroke=\"#8d6f3e\" stroke-width=\"1.5\"/>"
            );
            label(&mut self.body, middle, y + 19.0, "middle", Tone::OnThing, &name);
            self.spot(thing, &name, (x, y, width, 28.0));
        }
        most
    }

    fn heaps(&mut self, rows: &[(usize, Row)]) -> Option<(f64, f64)> {
        let heaps = self.board.heaps(&self.structure.terms, rows);
        let text = |heap: TermId| self.structure.text(heap);
        let margin = 9.0 * heaps.iter().map(|h| text(h.0).chars().count()).max()? as f64 + 8.0;
        let largest = heaps.iter().map(|heap| heap.1.min(40)).max()?;
        let full = margin + 20.0 * largest as f64 + 44.0;
        for (at, &(heap, amount)) in heaps.iter().enumerate() {
            let y = 40.0 + 26.0 * at as f64;
            let name = self.structure.text(heap);
            label(&mut self.body, margin - 8.0, y + 5.0, "end", Tone::Ink, &name);
            let shown = amount.min(40);
            for number in 0..shown {
                let x = margin + 10.0 + 20.0 * number as f64;
                let _ = write!(
                    self.body,
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" fill=\"{WOOD}\" stroke=\"#6d542c\"/>"
                );
            }
            let end = margin + 20.0 * shown as f64 + 4.0;
            label(&mut self.body, end, y + 5.0, "start", Tone::Faint, &amount.to_string());
            self.spot(heap, &format!("{name}, {amount}"), (0.0, y - 12.0, full, 24.0));
        }
        Some((full, 40.0 + 26.0 * heaps.len() as f64))
    }

    /// Marks the place of a thing and lets it be clicked, as the style asks for.
    fn spot(&mut self, thing: TermId, said: &str, (x, y, width, height): (f64, f64, f64, f64)) {
        let Some(&spot) = self.board.places.get(&[thing][..]) else { return };
        let name = SpotName { board: self.number, spot };
        let outline =
            format!("<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" rx=\"4\"");
        if self.style.marked.contains(&name) {
            let _ = write!(
                self.body,
                "{outline} class=\"marked\" fill=\"#2f6fb7\" fill-opacity=\"0.25\" stroke=\"#2f6fb7\" \
                 stroke-width=\"2\"/>"
            );
        }
        if self.style.spots {
            let said = escape::xml(said);
            let _ = write!(
                self.spots,
                "{outline} class=\"spot\" data-spot=\"{name}\" fill=\"transparent\" aria-label=\"{said}\"/>"
            );
        }
    }
}
