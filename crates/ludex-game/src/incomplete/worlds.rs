//! The states that are possible, one by one, with what can come of each.

use std::sync::Arc;

use ludex_logic::relational::{Edge, Moment, Reasoner};
use ludex_logic::sat::Literal;
use ludex_logic::{AtomId, Budget, Id, LimitError, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::game::{IncompleteError, IncompleteGame};

ludex_logic::define_id!(
    /// A world of one [`Worlds`].
    pub WorldId
);

/// All that matters for how a game goes on: the facts of a state, and how the things are that the rules leave open
/// and that stay as they are. Where steps are arguments, also all that was before.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct World {
    step: u32,
    /// The values of [`Worlds::memory`].
    values: Box<[bool]>,
}

/// What a world can look like to a role before anybody moves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Aspect {
    /// Whether the game is over.
    pub is_terminal: bool,
    /// Which percepts the role has, as numbers; none where they are told after the moves.
    pub sees: Box<[u32]>,
}

/// What can come of a world.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Development {
    /// Which percepts the role has of its move, as numbers; none where they are told before moves.
    pub sees: Box<[u32]>,
    /// The world at the next step.
    pub world: WorldId,
}

/// Possible worlds, and a solver that says what can come of them.
#[derive(Debug)]
pub struct Worlds {
    game: Arc<IncompleteGame>,
    reasoner: Reasoner,
    moment: Moment,
    most: usize,
    fixed: Vec<Edge>,
    worlds: Vec<World>,
    numbers: FxHashMap<World, WorldId>,
    possible: FxHashMap<WorldId, bool>,
}

impl Worlds {
    /// No world yet. No question may lead to more than `most` worlds.
    ///
    /// # Errors
    /// A limit.
    pub fn new(game: Arc<IncompleteGame>, most: usize, budget: &Budget) -> Result<Self, IncompleteError> {
        let (mut reasoner, premises) = game.reasoner(budget);
        let moment = reasoner.add_moment(&game.grounding)?;
        // Where steps are arguments, all are demanded at once, each in case that the game comes to it.
        let mut comes_to = reasoner.solver().truth();
        for step in &game.steps {
            game.demand_step(&mut reasoner, &premises, (moment, comes_to), step)?;
            let terminal = reasoner.literal(&game.grounding, moment, step.terminal)?;
            comes_to = reasoner.solver().conjunction(&[comes_to, !terminal])?;
        }
        let fixed = lasting(&game);
        let (worlds, numbers, possible) = (Vec::new(), FxHashMap::default(), FxHashMap::default());
        Ok(Self { game, reasoner, moment, most, fixed, worlds, numbers, possible })
    }

    /// The game.
    pub fn game(&self) -> &Arc<IncompleteGame> {
        &self.game
    }

    /// The step of a world, counted from 0.
    pub fn step(&self, world: WorldId) -> usize {
        self.worlds[world.index()].step as usize
    }

    /// The facts that hold in a world.
    pub fn facts(&self, world: WorldId) -> Vec<TermId> {
        let World { values, .. } = &self.worlds[world.index()];
        let facts = self.game.facts();
        // The facts of the state come last.
        let state = &values[values.len() - facts.len()..];
        facts.iter().zip(state).filter(|(_, held)| **held).map(|(&fact, _)| fact).collect()
    }

    fn intern(&mut self, world: World) -> WorldId {
        if let Some(&known) = self.numbers.get(&world) {
            return known;
        }
        let id = WorldId::from_index(self.worlds.len());
        self.worlds.push(world.clone());
        self.numbers.insert(world, id);
        id
    }

    fn literals(&mut self, edges: &[Edge]) -> Result<Vec<Literal>, LimitError> {
        edges.iter().map(|&edge| self.reasoner.literal(&self.game.grounding, self.moment, edge)).collect()
    }

    /// What a world at a step consists of; the facts of the state come last.
    fn memory(&self, step: usize) -> Vec<Edge> {
        let mut memory = self.fixed.clone();
        if self.game.step_count().is_some() {
            for (number, before) in self.game.steps.iter().enumerate().take(step) {
                memory.extend(&before.truth);
                memory.extend(before.does.iter().chain(&before.sees).chain(&before.legal).flatten());
                memory.extend(&self.game.views[number]);
            }
        }
        if let Some(now) = self.game.step(step) {
            memory.extend(&now.truth);
        }
        memory
    }

    /// What makes a world certain.
    fn assumptions(&mut self, world: WorldId) -> Result<Vec<Literal>, LimitError> {
        let World { step, values } = self.worlds[world.index()].clone();
        let literals = self.literals(&self.memory(step as usize))?;
        let pairs = literals.into_iter().zip(&values);
        Ok(pairs.map(|(literal, &value)| if value { literal } else { !literal }).collect())
    }

    /// All worlds that are possible at the first step.
    ///
    /// # Errors
    /// [`IncompleteError::TooManyWorlds`]; a limit.
    pub fn initial(&mut self) -> Result<Vec<WorldId>, IncompleteError> {
        let memory = match self.game.step_count() {
            Some(_) => self.memory(0),
            None => self.fixed.iter().chain(&self.game.init).copied().collect(),
        };
        let found = self.all(&memory, &[])?;
        let mut worlds = Vec::new();
        for values in found {
            let world = self.intern(World { step: 0, values });
            if self.is_possible(world)? {
                worlds.push(world);
            }
        }
        Ok(worlds)
    }

    /// Whether the sentences allow for a world: what they say of any state they say of its state, too.
    fn is_possible(&mut self, world: WorldId) -> Result<bool, IncompleteError> {
        if let Some(&known) = self.possible.get(&world) {
            return Ok(known);
        }
        let assumptions = self.assumptions(world)?;
        let possible = self.reasoner.is_possible(&assumptions)?;
        self.possible.insert(world, possible);
        Ok(possible)
    }

    fn all(&mut self, of: &[Edge], assumptions: &[Literal]) -> Result<Vec<Box<[bool]>>, IncompleteError> {
        let literals = self.literals(of)?;
        let mut found: Vec<Box<[bool]>> = Vec::new();
        let complete = self.reasoner.combinations(&literals, assumptions, self.most, |values| {
            found.push(values.into());
        })?;
        if !complete {
            return Err(IncompleteError::TooManyWorlds { limit: self.most });
        }
        // In an order that does not depend on the solver.
        found.sort_unstable();
        Ok(found)
    }

    /// Whether there is no step after that of a world: where steps are arguments, the last one ends the game, whatever holds.
    fn is_last(&self, world: WorldId) -> bool {
        self.game.step(self.step(world)).is_some_and(|step| step.is_last)
    }

    /// What a world can look like to a role before anybody moves.
    ///
    /// # Errors
    /// A limit.
    pub fn aspects(&mut self, world: WorldId, role: usize) -> Result<Vec<Aspect>, IncompleteError> {
        let game = Arc::clone(&self.game);
        let Some(step) = game.step(self.step(world)) else { return Err(IncompleteError::LastStep) };
        let assumptions = self.assumptions(world)?;
        let mut of = vec![step.terminal];
        if !game.percepts_follow_moves() {
            of.extend(&step.sees[role]);
        }
        let found = self.all(&of, &assumptions)?;
        let is_last = self.is_last(world);
        let aspect =
            |values: Box<[bool]>| Aspect { is_terminal: values[0] || is_last, sees: chosen(&values[1..]) };
        Ok(found.into_iter().map(aspect).collect())
    }

    /// The goal values that a role can have in a world where the game is over, as numbers: those that hold together
    /// count together, and none is a result of its own.
    ///
    /// # Errors
    /// A limit.
    pub fn goals(&mut self, world: WorldId, role: usize) -> Result<Vec<Box<[u32]>>, IncompleteError> {
        let game = Arc::clone(&self.game);
        let Some(step) = game.step(self.step(world)) else { return Err(IncompleteError::LastStep) };
        let mut assumptions = self.assumptions(world)?;
        if !self.is_last(world) {
            assumptions.extend(self.literals(&[step.terminal])?);
        }
        let found = self.all(&step.goal[role], &assumptions)?;
        Ok(found.iter().map(|values| chosen(values)).collect())
    }

    /// Whether a move of a role is surely legal in a world, if the game is not over.
    ///
    /// # Errors
    /// A limit.
    pub fn is_surely_legal(
        &mut self,
        world: WorldId,
        role: usize,
        number: usize,
    ) -> Result<bool, IncompleteError> {
        let game = Arc::clone(&self.game);
        let Some(step) = game.step(self.step(world)) else { return Err(IncompleteError::LastStep) };
        let mut assumptions = self.assumptions(world)?;
        let [terminal, legal] = [step.terminal, step.legal[role][number]];
        let literals = self.literals(&[terminal, legal])?;
        assumptions.extend([!literals[0], !literals[1]]);
        Ok(!self.reasoner.is_possible(&assumptions)?)
    }

    /// What can come of a world when a role makes a move: by what the others do, and by what the rules leave open. It
    /// is empty where the role cannot make the move, or the game is surely over.
    ///
    /// # Errors
    /// [`IncompleteError::LastStep`] where steps are arguments and there is none after this one; a limit.
    pub fn developments(
        &mut self,
        world: WorldId,
        role: usize,
        number: usize,
    ) -> Result<Vec<Development>, IncompleteError> {
        let game = Arc::clone(&self.game);
        let at = self.step(world);
        let Some(step) = game.step(at) else { return Err(IncompleteError::LastStep) };
        let mut assumptions = self.assumptions(world)?;
        let literals = self.literals(&[step.terminal, step.does[role][number]])?;
        assumptions.extend([!literals[0], literals[1]]);
        let sees: &[Edge] = if game.percepts_follow_moves() { &step.sees[role] } else { &[] };
        let memory = match game.step_count() {
            Some(_) if self.is_last(world) => return Err(IncompleteError::LastStep),
            Some(_) => self.memory(at + 1),
            None => self.fixed.iter().chain(&step.next).copied().collect(),
        };
        let of: Vec<Edge> = sees.iter().chain(&memory).copied().collect();
        let found = self.all(&of, &assumptions)?;
        let step = at as u32 + 1;
        let mut developments = Vec::new();
        for values in found {
            let (seen, values) = values.split_at(sees.len());
            let world = self.intern(World { step, values: values.into() });
            if self.is_possible(world)? {
                developments.push(Development { sees: chosen(seen), world });
            }
        }
        Ok(developments)
    }
}

/// The numbers of those that are true.
fn chosen(values: &[bool]) -> Box<[u32]> {
    values.iter().enumerate().filter(|(_, value)| **value).map(|(number, _)| number as u32).collect()
}

/// What stays as it is and matters for how a game goes on: atoms that stand in one formula with others that change.
/// All others only restrict these.
fn lasting(game: &IncompleteGame) -> Vec<Edge> {
    let formulas = &game.grounding.formulas;
    let mut lasting: FxHashSet<AtomId> = FxHashSet::default();
    let is_lasting = |atom: &AtomId| game.is_lasting(*atom);
    for root in &game.grounding.roots {
        let atoms = formulas.atoms_in([root.edge]);
        let kept = atoms.iter().filter(|atom| is_lasting(atom)).count();
        if kept < atoms.len() {
            lasting.extend(atoms.into_iter().filter(is_lasting));
        }
    }
    let mut atoms: Vec<AtomId> = lasting.into_iter().collect();
    atoms.sort_unstable();
    atoms.into_iter().filter_map(|atom| formulas.find_atom(atom)).collect()
}
