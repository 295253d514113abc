//! Rule graphs in the DOT language, in the four steps of figures 14.4 to 14.7.

use std::fmt::Write as _;

use ludex_logic::escape;

use super::{RuleGraph, RuleVertex};

/// How far a drawing goes (Def. 14.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum DrawingStep {
    /// What occurs in the clauses, with its parts (figure 14.4).
    Occurrences,
    /// With argument positions and the order of arguments (figure 14.5).
    Arguments,
    /// With the symbols themselves (figure 14.6).
    Symbols,
    /// With colours (figure 14.7).
    Colours,
}

impl DrawingStep {
    /// All steps in order.
    pub const ALL: [DrawingStep; 4] =
        [DrawingStep::Occurrences, DrawingStep::Arguments, DrawingStep::Symbols, DrawingStep::Colours];
}

impl RuleGraph {
    /// The vertices and arcs there are after a step.
    pub fn drawn(&self, step: DrawingStep) -> (Vec<u32>, Vec<(u32, u32)>) {
        let is_drawn = |vertex: u32| self.step_of(vertex) <= step;
        let vertices = (0..self.vertices.len() as u32).filter(|&vertex| is_drawn(vertex)).collect();
        let arcs = self.graph.arcs().map(|(from, to, _)| (from, to));
        let is_early = |from: u32, to: u32| step > DrawingStep::Occurrences || !self.is_order(from, to);
        let arcs = arcs.filter(|&(from, to)| is_drawn(from) && is_drawn(to) && is_early(from, to));
        (vertices, arcs.collect())
    }

    /// The graph in the DOT language, as it is after a step.
    pub fn dot(&self, step: DrawingStep) -> String {
        let (vertices, arcs) = self.drawn(step);
        let mut out = String::from("digraph rules {\n  node [fontname=\"DejaVu Sans\"];\n");
        for vertex in vertices {
            let (shape, colour) = look(self.vertices[vertex as usize]);
            let label = escape::dot(&self.name(vertex));
            let _ = write!(out, "  v{vertex} [shape={shape}, label=\"{label}\"");
            if step == DrawingStep::Colours {
                let _ = write!(out, ", style=filled, fillcolor=\"{colour}\"");
            }
            out.push_str("];\n");
        }
        for (from, to) in arcs {
            let more = if self.is_order(from, to) { " [style=dashed]" } else { "" };
            let _ = writeln!(out, "  v{from} -> v{to}{more};");
        }
        out.push_str("}\n");
        out
    }

    fn step_of(&self, vertex: u32) -> DrawingStep {
        match self.vertices[vertex as usize] {
            RuleVertex::Symbol(_) | RuleVertex::Variable(..) => DrawingStep::Symbols,
            RuleVertex::Argument { .. } => DrawingStep::Arguments,
            _ => DrawingStep::Occurrences,
        }
    }

    /// Whether the arc says that one argument of a keyword or of `:-` comes before the other: both have
    /// an arc from the same vertex.
    fn is_order(&self, from: u32, to: u32) -> bool {
        let is_part = |vertex: u32| self.step_of(vertex) == DrawingStep::Occurrences;
        let parents = |vertex: u32| {
            let ends = self.graph.ends(vertex).iter();
            ends.filter(|(_, kind)| kind % 2 == 1).map(|&(parent, _)| parent).filter(|&p| is_part(p))
        };
        is_part(from) && is_part(to) && parents(from).any(|parent| parents(to).any(|other| other == parent))
    }
}

/// The shape and the colour of a vertex, by what it stands for.
fn look(vertex: RuleVertex) -> (&'static str, &'static str) {
    match vertex {
        RuleVertex::Connective(_) => ("diamond", "#e6e6e6"),
        RuleVertex::Keyword(_) | RuleVertex::Distinct => ("box", "#d0d0d0"),
        RuleVertex::Predicate(_) => ("box", "#dbe9f6"),
        RuleVertex::Function(_) => ("ellipse", "#d9efd9"),
        RuleVertex::VariableOccurrence(..) => ("circle", "#fbe3c0"),
        RuleVertex::Argument { .. } => ("hexagon", "#eadcf4"),
        RuleVertex::Variable(..) => ("doublecircle", "#f7c978"),
        RuleVertex::Symbol(_) => ("doubleoctagon", "#9cc2e5"),
    }
}
