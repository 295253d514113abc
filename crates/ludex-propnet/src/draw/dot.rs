//! The DOT language.

use std::fmt::Write as _;

use ludex_gdl::Notation;
use ludex_logic::escape;

use super::TRUE;
use crate::net::{NodeKind, Propnet};
use crate::simulate::Marking;

/// See [`Propnet::draw_dot`].
pub(super) fn draw(net: &Propnet, notation: Notation, marking: Option<&Marking>) -> String {
    let mut out = String::from("digraph propnet {\n  rankdir=LR;\n  node [fontname=\"DejaVu Sans\"];\n");
    if marking.is_some() {
        out.push_str("  label=\"filled: true\"; fontname=\"DejaVu Sans\";\n");
    }
    let latches = net.game_bases().len()..net.bases().len();
    for node in net.nodes() {
        let (shape, label, more) = match net.kind(node) {
            NodeKind::Input => ("ellipse", None, ", style=filled, fillcolor=\"#dbe9f6\""),
            NodeKind::Base if latches.contains(&node.index()) => {
                ("ellipse", None, ", style=filled, fillcolor=\"#e6e6e6\"")
            }
            NodeKind::Base => ("ellipse", None, ", style=filled, fillcolor=\"#fbe3c0\""),
            NodeKind::View if net.name(node).is_none() => ("point", Some(""), ""),
            NodeKind::View => ("ellipse", None, ""),
            NodeKind::Negation => ("invtriangle", Some("not"), ", orientation=90"),
            NodeKind::Conjunction => ("cds", Some("and"), ""),
            NodeKind::Disjunction => ("egg", Some("or"), ", orientation=90"),
            NodeKind::Transition => ("box", Some("\u{25b7}"), ""),
        };
        let more = match (marking.map(|marking| marking.is_true(node)), net.kind(node)) {
            (None, _) => more.to_owned(),
            (Some(is_true), kind) => {
                let turned = if more.contains("orientation") { ", orientation=90" } else { "" };
                // A point is filled whatever is said.
                let fill = match (is_true, kind) {
                    (true, _) => format!(", style=filled, fillcolor=\"{TRUE}\""),
                    (false, NodeKind::View) if shape == "point" => ", fillcolor=white".to_owned(),
                    (false, _) => String::new(),
                };
                format!("{turned}{fill}")
            }
        };
        let label = label.map_or_else(|| net.text(node, notation), str::to_owned);
        let _ = writeln!(out, "  n{} [shape={shape}, label=\"{}\"{more}];", node.0, escape::dot(&label));
    }
    for node in net.nodes() {
        let back = if net.kind(node) == NodeKind::Base { " [constraint=false]" } else { "" };
        for source in net.sources(node) {
            let _ = writeln!(out, "  n{} -> n{}{back};", source.0, node.0);
        }
    }
    out.push_str("}\n");
    out
}
