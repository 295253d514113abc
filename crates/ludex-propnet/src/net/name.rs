//! Nodes as text.

use ludex_gdl::Notation;
use ludex_logic::{GroundAtom, Id, TermId};

use super::{NodeId, NodeKind, Propnet};

impl Propnet {
    /// What to call a node in figures and tables: a base by its proposition, an input by its move
    /// (with `does` and the role where there are several roles), any other proposition by its atom.
    /// Empty for nodes without a name.
    pub fn text(&self, node: NodeId, notation: Notation) -> String {
        let Some(name) = self.name(node) else { return String::new() };
        let short = match self.kind(node) {
            NodeKind::Input => self.roles.len() == 1,
            NodeKind::Base => true,
            _ => false,
        };
        match self.term(node) {
            Some(term) if short => self.term_text(term, notation),
            _ => self.atom_text(name, notation),
        }
    }

    /// The whole name of a node, `true(p)` or `does(r,a)` included; empty for nodes without a name.
    pub fn full_text(&self, node: NodeId, notation: Notation) -> String {
        self.name(node).map_or_else(String::new, |name| self.atom_text(name, notation))
    }

    /// A term in a notation, cut where it is long ([`ludex_logic::SHOWN_TEXT`]).
    pub fn term_text(&self, term: TermId, notation: Notation) -> String {
        self.terms.shown_in(term, notation)
    }

    fn atom_text(&self, atom: &GroundAtom, notation: Notation) -> String {
        let relation = self.relation_names.get(atom.relation.index()).map_or("", |&n| self.terms.name(n));
        let args: Vec<String> = atom.args.iter().map(|&a| self.term_text(a, notation)).collect();
        notation.sentence(relation, &args)
    }
}
