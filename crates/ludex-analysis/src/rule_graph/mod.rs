//! The rule graph (book 14.6, Def. 14.2): the structure of the clauses, without their names.
//!
//! Two rulesheets with isomorphic rule graphs are the same rules under other names, and an automorphism
//! of a rule graph is a symmetry of the game (14.7). Three things differ from the definition. Goal values
//! have colours of their own, since a symmetry must not exchange winning with losing; the definition
//! colours 0 and 100 alike. The two arguments of `distinct` can be exchanged, since that means the same.
//! And symbols that name roles, like `random`, have colours, which takes nothing away: `role` and the
//! rules of GDL-II tell them apart anyway.

mod build;
mod draw;
mod names;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_gdl::GameProgram;
use ludex_logic::{ClauseId, LimitError, Meter, RelationId, SymbolId, Terms, VariableId};

use crate::automorphism::{
    Automorphisms, ColouredGraph, Comparison, Permutation, automorphisms, isomorphism,
};

pub use draw::DrawingStep;
pub use names::Names;

/// What a vertex of a [`RuleGraph`] stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleVertex {
    /// A symbol of the rulesheet that is no keyword of the language.
    Symbol(SymbolId),
    /// One of the argument positions of a symbol, `cell[2]`: those of one symbol with several arities
    /// are told apart.
    Argument {
        /// The symbol.
        symbol: SymbolId,
        /// The number of its arguments.
        arity: usize,
        /// Which of them, from 0.
        index: usize,
    },
    /// A connective in a clause.
    Connective(Connective),
    /// A relation with a meaning in the language, where it occurs.
    Keyword(RelationId),
    /// `distinct`, where it occurs.
    Distinct,
    /// Another relation, where it occurs.
    Predicate(SymbolId),
    /// A function or an object constant, where it occurs.
    Function(SymbolId),
    /// A variable, where it occurs.
    VariableOccurrence(ClauseId, VariableId),
    /// A variable of a clause.
    Variable(ClauseId, VariableId),
}

/// What joins formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Connective {
    /// From body to head, `:-`.
    If,
    /// All of these, `&`.
    And,
    /// One of these, `|`.
    Or,
    /// Negation, `~`.
    Not,
}

/// The rule graph of a game.
#[derive(Clone, Debug)]
pub struct RuleGraph {
    terms: Arc<Terms>,
    keywords: Vec<(RelationId, &'static str)>,
    vertices: Vec<RuleVertex>,
    graph: ColouredGraph,
    /// By clause: the names of its variables.
    variables: Vec<Vec<SymbolId>>,
}

/// Vertices up to here can be exchanged and stand for names: roles, symbols, arguments.
const NAME_COLOURS: u32 = 3;
const ROLE_COLOUR: u32 = 0;
const SYMBOL_COLOUR: u32 = 1;
const ARGUMENT_COLOUR: u32 = 2;

impl RuleGraph {
    /// The graph of all clauses of a game.
    ///
    /// # Errors
    /// When the budget is spent: each vertex costs work, and a term without variables can be very large.
    pub fn new(game: &GameProgram, meter: &mut Meter) -> Result<Self, LimitError> {
        build::build(game, meter)
    }

    /// The vertices in order, each with what it stands for.
    pub fn vertices(&self) -> &[RuleVertex] {
        &self.vertices
    }

    /// The graph with its colours, by number of vertex.
    pub fn graph(&self) -> &ColouredGraph {
        &self.graph
    }

    /// The symmetries that the rule graph shows: automorphisms, told apart by how they exchange symbols
    /// and arguments (variables and the places where names occur follow).
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn symmetries(&self, meter: &mut Meter) -> Result<Automorphisms, LimitError> {
        automorphisms(&self.graph, NAME_COLOURS, meter)
    }

    /// How many of the symmetries fix all roles: those that fix the first base points, so many.
    pub fn role_points(&self, symmetries: &Automorphisms) -> usize {
        let is_role = |vertex: u32| self.graph.colour(vertex) == ROLE_COLOUR;
        symmetries.base().iter().take_while(|point| is_role(point.vertex)).count()
    }

    /// What an automorphism exchanges, as cycles of names: `1 -> 3 -> 1` is `["1", "3"]`.
    pub fn cycles(&self, automorphism: &Permutation) -> Vec<Vec<String>> {
        let is_name = |vertex: u32| self.graph.colour(vertex) < NAME_COLOURS;
        let cycles = automorphism.cycles().into_iter().filter(|cycle| is_name(cycle[0]));
        cycles.map(|cycle| cycle.into_iter().map(|vertex| self.name(vertex)).collect()).collect()
    }

    /// The names of this game in another one, or why there are none.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn compare(&self, other: &Self, meter: &mut Meter) -> Result<Result<Names, Comparison>, LimitError> {
        Ok(match isomorphism(&self.graph, &other.graph, meter)? {
            Comparison::Same(images) => Ok(Names::of(self, other, &images)),
            difference => Err(difference),
        })
    }

    /// What vertices of a colour stand for, in the plural.
    pub fn colour_text(&self, colour: u32) -> String {
        let Some(&vertex) =
            self.vertices.iter().zip(self.graph.colours()).find(|(_, c)| **c == colour).map(|(v, _)| v)
        else {
            return "others".to_owned();
        };
        match vertex {
            RuleVertex::Symbol(_) if colour == ROLE_COLOUR => "roles".to_owned(),
            RuleVertex::Symbol(_) if colour == SYMBOL_COLOUR => "names".to_owned(),
            RuleVertex::Symbol(symbol) => format!("constants `{}`", self.terms.name(symbol)),
            RuleVertex::Argument { .. } => "arguments of names".to_owned(),
            RuleVertex::Connective(Connective::If) => "rules".to_owned(),
            RuleVertex::Connective(connective) => format!("`{}`", connective.text()),
            RuleVertex::Keyword(relation) => format!("literals of `{}`", self.keyword(relation)),
            RuleVertex::Distinct => "literals of `distinct`".to_owned(),
            RuleVertex::Predicate(_) => "other literals".to_owned(),
            RuleVertex::Function(_) => "terms".to_owned(),
            RuleVertex::VariableOccurrence(..) => "occurrences of variables".to_owned(),
            RuleVertex::Variable(..) => "variables".to_owned(),
        }
    }

    fn keyword(&self, relation: RelationId) -> &'static str {
        self.keywords.iter().find(|(keyword, _)| *keyword == relation).map_or("", |(_, name)| *name)
    }

    /// What a vertex is called.
    fn name(&self, vertex: u32) -> String {
        match self.vertices[vertex as usize] {
            RuleVertex::Symbol(symbol) | RuleVertex::Predicate(symbol) | RuleVertex::Function(symbol) => {
                self.terms.name(symbol).to_owned()
            }
            RuleVertex::Argument { symbol, index, .. } => {
                format!("{}[{}]", self.terms.name(symbol), index + 1)
            }
            RuleVertex::Connective(connective) => connective.text().to_owned(),
            RuleVertex::Keyword(relation) => self.keyword(relation).to_owned(),
            RuleVertex::Distinct => "distinct".to_owned(),
            RuleVertex::VariableOccurrence(clause, variable) | RuleVertex::Variable(clause, variable) => {
                use ludex_logic::Id;
                let names = &self.variables[clause.index()];
                names.get(variable.index()).map_or("", |&symbol| self.terms.name(symbol)).to_owned()
            }
        }
    }
}

impl Connective {
    /// As infix notation writes it.
    pub fn text(self) -> &'static str {
        match self {
            Connective::If => ":-",
            Connective::And => "&",
            Connective::Or => "|",
            Connective::Not => "~",
        }
    }
}
