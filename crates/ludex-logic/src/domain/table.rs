//! Domains as trees and tables (book tables 14.1 and 14.2) and the graph as DOT.

use super::{DomainGraph, Vertex, VertexId};
use crate::ids::{RelationId, SymbolId};
use crate::program::Program;

/// The most values written down for one position.
const LARGEST_TREE: usize = 20_000;

/// What can stand at an argument position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Domain {
    /// In canonical order: numbers, other constants, functions.
    pub values: Vec<DomainValue>,
}

/// One kind of value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DomainValue {
    /// A constant.
    Constant(SymbolId),
    /// A function with the domains of its arguments.
    Function(SymbolId, Vec<Domain>),
    /// A function that stands inside itself: terms can grow without bound. Also stands for what is
    /// left out of a very large tree.
    Unbounded(SymbolId),
}

impl Domain {
    /// As in the book's tables, `{cell({1,2,3}×{b,x,o}),noop}`.
    pub fn text(&self, program: &Program) -> String {
        let mut out = String::from("{");
        for (i, value) in self.values.iter().enumerate() {
            if i > 0 {
                out.push(',');
            }
            match value {
                DomainValue::Constant(symbol) => out.push_str(program.terms.name(*symbol)),
                DomainValue::Unbounded(symbol) => {
                    out.push_str(program.terms.name(*symbol));
                    out.push_str("(...)");
                }
                DomainValue::Function(symbol, args) => {
                    out.push_str(program.terms.name(*symbol));
                    out.push('(');
                    out.push_str(&product(args, program));
                    out.push(')');
                }
            }
        }
        out.push('}');
        out
    }
}

/// The deepest tree that is written down: it is built by recursion.
const DEEPEST_TREE: usize = 60;

fn product(domains: &[Domain], program: &Program) -> String {
    domains.iter().map(|d| d.text(program)).collect::<Vec<_>>().join("×")
}

impl DomainGraph {
    /// What can stand at an argument of a relation, from 0.
    pub fn domain(&self, relation: RelationId, index: usize) -> Option<Domain> {
        let position = self.argument(relation, index)?;
        Some(self.tree(position, &mut Vec::new(), &mut 0))
    }

    /// What can stand at any argument position.
    pub fn domain_of(&self, position: VertexId) -> Domain {
        self.tree(position, &mut Vec::new(), &mut 0)
    }

    /// The argument positions below one another are different, so the depth is bounded by
    /// [`DEEPEST_TREE`] and the number of functions.
    fn tree(&self, position: VertexId, above: &mut Vec<VertexId>, size: &mut usize) -> Domain {
        let mut values: Vec<DomainValue> = self.constants(position).map(DomainValue::Constant).collect();
        *size += 1 + values.len();
        above.push(position);
        for (function, arity) in self.functions(position) {
            let inner: Vec<VertexId> =
                (0..arity).filter_map(|i| self.inner(position, function, arity, i)).collect();
            let grows = inner.iter().any(|v| above.contains(v));
            if grows || *size > LARGEST_TREE || above.len() > DEEPEST_TREE {
                values.push(DomainValue::Unbounded(function));
            } else {
                let args = inner.into_iter().map(|v| self.tree(v, above, size)).collect();
                values.push(DomainValue::Function(function, args));
            }
        }
        above.pop();
        Domain { values }
    }

    /// The domain of a relation as a row of the book's tables, `{1,2,3}×{b,x,o}`.
    pub fn row(&self, program: &Program, relation: RelationId) -> String {
        let arity = program.relations[relation].arity;
        let domains: Vec<Domain> = (0..arity).filter_map(|i| self.domain(relation, i)).collect();
        product(&domains, program)
    }

    /// The domain of a function as a row of the book's tables; `None` when the program does not
    /// have it or its uses are kept separate.
    pub fn function_row(&self, program: &Program, function: SymbolId, arity: usize) -> Option<String> {
        let position = |index| self.find(Vertex::FunctionArgument { function, arity, index, within: None });
        let domains: Option<Vec<Domain>> = (0..arity).map(|i| Some(self.domain_of(position(i)?))).collect();
        Some(product(&domains?, program))
    }

    /// The name of a vertex as the book writes it, with arguments counted from 1: `cell[3]`.
    pub fn name(&self, program: &Program, id: VertexId) -> String {
        let mut parts = Vec::new();
        let mut next = Some(id);
        while let Some(at) = next.take() {
            let terms = &program.terms;
            parts.push(match self.vertex(at) {
                Vertex::Constant(symbol) | Vertex::Function(symbol, _) => terms.name(symbol).to_string(),
                Vertex::Relation(relation) => program.relation_name(relation).to_string(),
                Vertex::RelationArgument(relation, index) => {
                    format!("{}[{}]", program.relation_name(relation), index + 1)
                }
                Vertex::FunctionArgument { function, index, within, .. } => {
                    next = within;
                    format!("{}[{}]", terms.name(function), index + 1)
                }
            });
        }
        parts.reverse();
        parts.join("/")
    }

    /// The graph in the DOT language; relations and functions without edges are left out.
    pub fn dot(&self, program: &Program) -> String {
        let mut used = vec![false; self.vertices.len()];
        for &(from, to) in self.edges() {
            used[crate::ids::Id::index(from)] = true;
            used[crate::ids::Id::index(to)] = true;
        }
        let mut out = String::from("digraph domains {\n  rankdir=LR;\n");
        for (id, vertex) in self.vertices() {
            let number = crate::ids::Id::index(id);
            if used[number] {
                let shape = match vertex {
                    Vertex::Constant(_) => "plaintext",
                    Vertex::Function(..) | Vertex::Relation(_) => "ellipse",
                    Vertex::RelationArgument(..) | Vertex::FunctionArgument { .. } => "box",
                };
                let name = crate::escape::dot(&self.name(program, id));
                out.push_str(&format!("  v{number} [label=\"{name}\",shape={shape}];\n"));
            }
        }
        for &(from, to) in self.edges() {
            let (from, to) = (crate::ids::Id::index(from), crate::ids::Id::index(to));
            out.push_str(&format!("  v{from} -> v{to};\n"));
        }
        out.push_str("}\n");
        out
    }
}
