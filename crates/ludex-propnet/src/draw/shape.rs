//! The shapes of nodes.

use std::fmt::Write as _;

use ludex_gdl::Notation;
use ludex_logic::escape;

use super::TRUE;
use crate::net::{NodeId, NodeKind, Propnet};

const INK: &str = "#2b2b2b";
const PAPER: &str = "#fffdf8";
/// Names up to this width, in points, stand in a circle, longer ones in a rounded bar.
const CIRCLE: f64 = 30.0;

/// A node as it is drawn.
#[derive(Clone, Debug)]
pub(super) struct Shape {
    kind: NodeKind,
    label: String,
    title: String,
    fill: &'static str,
    is_answer: bool,
    pub(super) width: f64,
    pub(super) height: f64,
}

impl Shape {
    /// How a node looks; `mark` says whether it is true, where that is drawn.
    pub(super) fn new(
        net: &Propnet,
        node: NodeId,
        answers: &[bool],
        notation: Notation,
        mark: Option<bool>,
    ) -> Self {
        let kind = net.kind(node);
        let label = net.text(node, notation);
        let text = text_width(&label);
        let ports = net.sources(node).len() as f64;
        let is_answer = answers[node.index()];
        let (width, height) = match kind {
            NodeKind::View if label.is_empty() => (8.0, 8.0),
            _ if kind.is_proposition() && text <= CIRCLE => (38.0, 38.0),
            _ if kind.is_proposition() => (text + 26.0, 30.0),
            NodeKind::Negation => (34.0, 28.0),
            NodeKind::Transition => (30.0, 34.0),
            _ => (40.0, (10.0 * ports + 10.0).clamp(32.0, 240.0)),
        };
        let fill = match kind {
            _ if mark == Some(true) => TRUE,
            _ if mark == Some(false) => PAPER,
            NodeKind::Input => "#dbe9f6",
            NodeKind::Base if node.index() < net.game_bases().len() => "#fbe3c0",
            NodeKind::Base => "#ececec",
            _ => PAPER,
        };
        let what = match kind {
            NodeKind::Input => "input",
            NodeKind::Base => "base",
            NodeKind::View => "view",
            NodeKind::Negation => "inverter",
            NodeKind::Conjunction => "and-gate",
            NodeKind::Disjunction => "or-gate",
            NodeKind::Transition => "transition",
        };
        let name = net.full_text(node, notation);
        let mut title = if name.is_empty() { what.to_owned() } else { format!("{what} {name}") };
        if let Some(mark) = mark {
            title.push_str(if mark { ": true" } else { ": false" });
        }
        Self { kind, label, title, fill, is_answer, width, height }
    }

    /// How far above or below the middle a wire ends, as number `at` of `count` from the top.
    pub(super) fn port(&self, at: usize, count: usize) -> f64 {
        let room = if self.kind.is_proposition() { 0.0 } else { self.height - 12.0 };
        let step = (room / count.max(1) as f64).min(14.0);
        ((at as f64) - (count as f64 - 1.0) / 2.0) * step
    }

    /// How far right of the left edge a wire ends that comes in so far above or below the middle.
    pub(super) fn inset(&self, offset: f64) -> f64 {
        match self.kind {
            // The curved back of an or-gate.
            NodeKind::Disjunction => {
                let t = 0.5 + offset / self.height;
                0.5 * self.width * t * (1.0 - t)
            }
            _ => 0.0,
        }
    }

    /// Appends the shape with its centre here.
    pub(super) fn draw(&self, x: f64, y: f64, out: &mut String) {
        let _ = write!(out, "<g><title>{}</title>", escape::xml(&self.title));
        let (left, right) = (x - self.width / 2.0, x + self.width / 2.0);
        let (top, bottom) = (y - self.height / 2.0, y + self.height / 2.0);
        let style = format!("fill=\"{}\" stroke=\"{INK}\" stroke-width=\"1.3\"", self.fill);
        let (w, h) = (self.width, self.height);
        let _ = match self.kind {
            NodeKind::View if self.label.is_empty() => {
                write!(out, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" {style}/>")
            }
            NodeKind::Input | NodeKind::Base | NodeKind::View => self.draw_proposition(x, y, &style, out),
            NodeKind::Negation => {
                let tip = right - 8.0;
                write!(
                    out,
                    "<path d=\"M{left:.1} {top:.1}L{tip:.1} {y:.1}L{left:.1} {bottom:.1}Z\" {style}/>\
                     <circle cx=\"{:.1}\" cy=\"{y:.1}\" r=\"4\" {style}/>",
                    tip + 4.0
                )
            }
            NodeKind::Conjunction => {
                let (middle, radius) = (left + 0.5 * w, 0.5 * w);
                write!(
                    out,
                    "<path d=\"M{left:.1} {top:.1}H{middle:.1}A{radius:.1} {:.1} 0 0 1 {middle:.1} {bottom:.1}\
                     H{left:.1}Z\" {style}/>",
                    h / 2.0
                )
            }
            NodeKind::Disjunction => {
                let (bow, back) = (left + 0.62 * w, left + 0.25 * w);
                write!(
                    out,
                    "<path d=\"M{left:.1} {top:.1}Q{bow:.1} {top:.1} {right:.1} {y:.1}Q{bow:.1} {bottom:.1} \
                     {left:.1} {bottom:.1}Q{back:.1} {y:.1} {left:.1} {top:.1}Z\" {style}/>"
                )
            }
            NodeKind::Transition => {
                write!(
                    out,
                    "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" {style}/>\
                     <path d=\"M{left:.1} {:.1}L{:.1} {y:.1}L{left:.1} {:.1}\" fill=\"none\" stroke=\"{INK}\" \
                     stroke-width=\"1.3\"/>",
                    y - 7.0,
                    left + 11.0,
                    y + 7.0
                )
            }
        };
        out.push_str("</g>");
    }

    fn draw_proposition(&self, x: f64, y: f64, style: &str, out: &mut String) -> std::fmt::Result {
        let bar = |out: &mut String, shrink: f64, style: &str| {
            let (w, h) = (self.width - 2.0 * shrink, self.height - 2.0 * shrink);
            write!(
                out,
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{w:.1}\" height=\"{h:.1}\" rx=\"{:.1}\" {style}/>",
                x - w / 2.0,
                y - h / 2.0,
                h / 2.0
            )
        };
        bar(out, 0.0, style)?;
        if self.is_answer {
            bar(out, 3.0, &format!("fill=\"none\" stroke=\"{INK}\" stroke-width=\"0.8\""))?;
        }
        write!(
            out,
            "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" font-size=\"12\" fill=\"{INK}\">{}</text>",
            y + 4.2,
            escape::xml(&self.label)
        )
    }
}

/// About how wide a text is in 12 points.
fn text_width(text: &str) -> f64 {
    7.4 * text.chars().count() as f64
}
