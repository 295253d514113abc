//! What the logic program of a rulesheet tells: domains of arguments, strata, what changes.

use std::sync::Arc;
use std::time::Duration;

use ludex::SystemClock;
use ludex::gdl::{Checked, GameProgram};
use ludex::logic::dependency::Dependencies;
use ludex::logic::domain::{Arguments, DomainGraph, Edges, Vertex, VertexId};
use ludex::logic::{IdVec, RelationId};

/// How long the domains may take.
const TIME: Duration = Duration::from_millis(500);

/// A place for a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place<'a> {
    /// An argument of a relation, by its name, its number of arguments, and its position from 0.
    Relation(&'a str, usize, usize),
    /// An argument of a function.
    Function(&'a str, usize, usize),
}

/// What can stand in a place: names in their order, constants before functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Values {
    /// Names without arguments.
    pub constants: Vec<String>,
    /// Functions with their numbers of arguments.
    pub functions: Vec<(String, usize)>,
}

impl Values {
    /// Those that both have.
    pub fn common(&self, other: &Self) -> Self {
        let constants = self.constants.iter().filter(|c| other.constants.contains(c)).cloned().collect();
        let functions = self.functions.iter().filter(|f| other.functions.contains(f)).cloned().collect();
        Self { constants, functions }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.constants.is_empty() && self.functions.is_empty()
    }

    /// A few of them, and how many more there are: `1, 2, 3 and 5 more`.
    pub fn shown(&self, most: usize) -> String {
        let constants = self.constants.iter().cloned();
        let functions = self.functions.iter().map(|(name, arity)| format!("{name}/{arity}"));
        let all: Vec<String> = constants.chain(functions).collect();
        if all.is_empty() {
            return "nothing".to_owned();
        }
        let more = all.len().saturating_sub(most);
        let few = all[..all.len() - more].join(", ");
        if more > 0 { format!("{few} and {more} more") } else { few }
    }
}

/// What depends on what changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Change {
    /// Nothing: it is the same in every state.
    Static,
    /// The state.
    State,
    /// The moves.
    Moves,
}

/// What is known of a program.
#[derive(Debug)]
pub struct Knowledge {
    checked: Arc<Checked>,
    graph: Option<DomainGraph>,
    strata: IdVec<RelationId, usize>,
    on_state: IdVec<RelationId, bool>,
    on_moves: IdVec<RelationId, bool>,
    is_recursive: IdVec<RelationId, bool>,
}

impl Knowledge {
    /// Finds out what there is to know within a limit; nothing where there is no program. Domains take the longest.
    pub fn of(checked: &Arc<Checked>, with_domains: bool) -> Option<Self> {
        let game = checked.game.as_ref()?;
        let program = &game.program;
        let dependencies = Dependencies::new(program);
        let v = &game.vocabulary;
        let budget = SystemClock::limit(TIME);
        let graph = with_domains
            .then(|| DomainGraph::new(program, Edges::Extended, Arguments::Shared, &mut budget.meter()).ok())
            .flatten();
        let mut is_recursive = IdVec::new();
        for (relation, _) in program.relations.entries() {
            is_recursive.push(dependencies.is_recursive(relation));
        }
        Some(Self {
            checked: Arc::clone(checked),
            graph,
            strata: dependencies.strata(),
            on_state: dependencies.dependents([v.truth, v.does].into_iter().chain(v.expired)),
            on_moves: dependencies.dependents([v.does]),
            is_recursive,
        })
    }

    fn game(&self) -> Option<&GameProgram> {
        self.checked.game.as_ref()
    }

    /// Whether the domains could be found.
    pub fn has_domains(&self) -> bool {
        self.graph.is_some()
    }

    /// A relation by its name and its number of arguments.
    pub fn relation(&self, name: &str, arity: usize) -> Option<RelationId> {
        let program = &self.game()?.program;
        let mut all = program.relations.entries();
        all.find(|(id, relation)| relation.arity == arity && program.relation_name(*id) == name)
            .map(|(id, _)| id)
    }

    /// The stratum of a relation, from 0.
    pub fn stratum(&self, relation: RelationId) -> Option<usize> {
        self.strata.get(relation).copied()
    }

    /// Whether the relation depends on itself.
    pub fn is_recursive(&self, relation: RelationId) -> bool {
        self.is_recursive.get(relation).copied().unwrap_or_default()
    }

    /// What the relation depends on.
    pub fn change(&self, relation: RelationId) -> Change {
        let is = |flags: &IdVec<RelationId, bool>| flags.get(relation).copied().unwrap_or_default();
        match (is(&self.on_moves), is(&self.on_state)) {
            (true, _) => Change::Moves,
            (_, true) => Change::State,
            _ => Change::Static,
        }
    }

    /// What can stand in a place; nothing where that is not known.
    pub fn values(&self, place: Place<'_>) -> Option<Values> {
        let (graph, game) = (self.graph.as_ref()?, self.game()?);
        let vertex = self.vertex(graph, game, place)?;
        let name = |symbol| game.program.terms.name(symbol).to_owned();
        Some(Values {
            constants: graph.constants(vertex).map(name).collect(),
            functions: graph.functions(vertex).map(|(symbol, arity)| (name(symbol), arity)).collect(),
        })
    }

    fn vertex(&self, graph: &DomainGraph, game: &GameProgram, place: Place<'_>) -> Option<VertexId> {
        match place {
            Place::Relation(name, arity, index) => {
                // Without its step a relation has an argument less, and facts of Epilog are terms.
                let less =
                    || game.dialect.has_steps().then(|| self.relation(name, arity.checked_sub(1)?)).flatten();
                match self.relation(name, arity).or_else(less) {
                    Some(relation) => graph.argument(relation, index),
                    None => self.vertex(graph, game, Place::Function(name, arity, index)),
                }
            }
            Place::Function(name, arity, index) => {
                let function = game.program.terms.find_symbol(name)?;
                graph.find(Vertex::FunctionArgument { function, arity, index, within: None })
            }
        }
    }
}
