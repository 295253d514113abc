//! Symmetries of a game: exchanging roles, propositions and moves without changing the rules.
//!
//! They come from the ground rules (as a coloured graph whose automorphisms are found by
//! [`automorphism`](crate::automorphism)), so they do not depend on how the rules are written: all eight
//! of the board of tic-tac-toe are found, where the rule graph (book 14.7.2, [`rule_graph`](crate::rule_graph))
//! shows four. States that a symmetry which fixes the roles takes to each other are worth the same to
//! everybody, so a search may keep one of them ([`Representatives`]); where roles are exchanged, so are
//! the values.

mod counts;
mod cycles;
mod decisions;
mod game_graph;
mod ground_rules;
mod merge;
#[cfg(test)]
mod tests;
mod unfold;

use ludex_game::Rules;
use ludex_logic::{Budget, LimitError, Meter, TermId};
use rustc_hash::FxHashMap;

pub(crate) use game_graph::{GameGraph, GameVertex, MEANING_COLOURS, colour_text};
pub use merge::{MergedRow, Representatives, merged_states, perft_of_classes};

use crate::automorphism::{GroupOrder, Permutation, automorphisms};
use crate::finding::Reason;
use crate::subject::{Faithful, Subject};
use ground_rules::GroundRules;

/// What a symmetry has to keep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// The rules and the initial state: symmetries of the game.
    Game,
    /// The rules alone: states are worth the same whether or not one of them comes first.
    Rules,
}

/// One symmetry of a game.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Symmetry {
    roles: Vec<u32>,
    facts: FxHashMap<TermId, TermId>,
    moves: FxHashMap<(u32, TermId), TermId>,
    percepts: FxHashMap<(u32, TermId), TermId>,
}

impl Symmetry {
    fn of(graph: &GameGraph, permutation: &Permutation, roles: usize) -> Self {
        let mut symmetry = Self { roles: (0..roles as u32).collect(), ..Self::default() };
        for &(from, to) in permutation.moved() {
            match (graph.vertices[from as usize], graph.vertices[to as usize]) {
                (GameVertex::Role(from), GameVertex::Role(to)) => symmetry.roles[from as usize] = to,
                (GameVertex::Fact(from), GameVertex::Fact(to)) => {
                    symmetry.facts.insert(from, to);
                }
                // The role of a move goes where its role goes.
                (GameVertex::Move(role, from), GameVertex::Move(_, to)) => {
                    symmetry.moves.insert((role, from), to);
                }
                (GameVertex::Percept(role, from), GameVertex::Percept(_, to)) => {
                    symmetry.percepts.insert((role, from), to);
                }
                _ => {}
            }
        }
        symmetry
    }

    /// The role that takes the place of a role, both by number.
    pub fn role(&self, role: usize) -> usize {
        self.roles.get(role).map_or(role, |&image| image as usize)
    }

    /// Whether each role stays itself.
    pub fn fixes_roles(&self) -> bool {
        self.roles.iter().enumerate().all(|(role, &image)| role == image as usize)
    }

    /// The proposition that takes the place of one.
    pub fn fact(&self, fact: TermId) -> TermId {
        self.facts.get(&fact).copied().unwrap_or(fact)
    }

    /// The move that takes the place of a role's move; it belongs to the role's image.
    pub fn action(&self, role: usize, action: TermId) -> TermId {
        self.moves.get(&(role as u32, action)).copied().unwrap_or(action)
    }

    /// The percept that takes the place of one that a role sees; it belongs to the role's image.
    pub fn percept(&self, role: usize, percept: TermId) -> TermId {
        self.percepts.get(&(role as u32, percept)).copied().unwrap_or(percept)
    }

    /// A state, by its facts.
    pub fn state(&self, facts: &[TermId]) -> Vec<TermId> {
        facts.iter().map(|&fact| self.fact(fact)).collect()
    }

    /// A joint move, indexed by role.
    pub fn joint(&self, joint: &[TermId]) -> Vec<TermId> {
        let mut image = joint.to_vec();
        for (role, &action) in joint.iter().enumerate() {
            if let Some(place) = image.get_mut(self.role(role)) {
                *place = self.action(role, action);
            }
        }
        image
    }

    /// Values by role, as they are after the exchange.
    pub fn values<T: Clone>(&self, values: &[T]) -> Vec<T> {
        let mut image = values.to_vec();
        for (role, value) in values.iter().enumerate() {
            if let Some(place) = image.get_mut(self.role(role)) {
                *place = value.clone();
            }
        }
        image
    }
}

/// The symmetries of a game, as a group with generators.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::symmetry::{Scope, Symmetries};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let found = Symmetries::find(&Subject::new(&rules), Scope::Game, &Default::default())?;
/// assert_eq!(found.fixing_order().value(), Some(8), "a square can be turned and reflected");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct Symmetries {
    scope: Scope,
    generators: Vec<Symmetry>,
    order: GroupOrder,
    fixing_order: GroupOrder,
    /// So many generators, the first ones, make those that fix the roles.
    fixing: usize,
    vertices: usize,
    arcs: usize,
}

impl Symmetries {
    /// Finds the symmetries of a game. Each generator was checked: it takes the set of ground rules to
    /// itself, where a view that only counts how many of some atoms hold is the same however its rules
    /// count them.
    ///
    /// # Errors
    /// Why they are not known: the rules cannot be grounded, or the budget is spent.
    pub fn find(subject: &Subject, scope: Scope, budget: &Budget) -> Result<Self, Reason> {
        let faithful = subject.faithful(budget)?;
        let mut meter = budget.meter();
        Ok(Self::of(subject.rules(), &faithful, scope, &mut meter)?)
    }

    fn of(rules: &Rules, faithful: &Faithful, scope: Scope, meter: &mut Meter) -> Result<Self, LimitError> {
        let ground = GroundRules::new(rules.program(), &faithful.grounding, true, meter)?;
        let graph = GameGraph::new(rules.program(), &ground, scope == Scope::Game, meter)?;
        let found = automorphisms(&graph.graph, MEANING_COLOURS, meter)?;
        let is_role = |vertex: u32| matches!(graph.vertices[vertex as usize], GameVertex::Role(_));
        let role_points = found.base().iter().take_while(|point| is_role(point.vertex)).count();
        let roles = rules.roles().len();
        let symmetry = |generator: &Permutation| Symmetry::of(&graph, generator, roles);
        // The deepest generators come first, so those that fix the roles are the first ones.
        Ok(Self {
            scope,
            generators: found.generators().map(symmetry).collect(),
            order: found.order(),
            fixing_order: found.stabiliser_order(role_points),
            fixing: found.stabiliser(role_points).count(),
            vertices: graph.graph.vertex_count(),
            arcs: graph.graph.arc_count(),
        })
    }

    /// What the symmetries keep.
    pub fn scope(&self) -> Scope {
        self.scope
    }

    /// Symmetries of which all others are made.
    pub fn generators(&self) -> &[Symmetry] {
        &self.generators
    }

    /// Symmetries of which all those are made that fix every role.
    pub fn fixing_roles(&self) -> &[Symmetry] {
        &self.generators[..self.fixing]
    }

    /// How many symmetries there are, the identity among them.
    pub fn order(&self) -> &GroupOrder {
        &self.order
    }

    /// How many of them fix every role.
    pub fn fixing_order(&self) -> &GroupOrder {
        &self.fixing_order
    }

    /// The vertices and arcs of the graph they were found in.
    pub fn graph_size(&self) -> (usize, usize) {
        (self.vertices, self.arcs)
    }
}

/// The graph of the ground rules of a game as they are.
pub(crate) fn game_graph(
    rules: &Rules,
    faithful: &Faithful,
    meter: &mut Meter,
) -> Result<GameGraph, LimitError> {
    let ground = GroundRules::new(rules.program(), &faithful.grounding, false, meter)?;
    GameGraph::new(rules.program(), &ground, true, meter)
}
