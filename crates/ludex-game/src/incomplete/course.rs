//! What sentences say of a course, step after step.

use ludex_logic::relational::{Answer, Edge, Moment, Reasoner};
use ludex_logic::sat::Literal;
use ludex_logic::{AtomId, Budget, GroundAtom, LimitError, TermId};

use super::game::{Axiom, IncompleteError, IncompleteGame, Premises};

/// A course of a game as far as somebody knows it: what was done and seen, step after step.
///
/// All questions are about all courses that are still possible.
#[derive(Debug)]
pub struct Course<'g> {
    game: &'g IncompleteGame,
    reasoner: Reasoner,
    premises: Premises,
    moments: Vec<Moment>,
    now: usize,
}

impl<'g> Course<'g> {
    /// A course at its first step.
    ///
    /// # Errors
    /// A limit.
    pub fn new(game: &'g IncompleteGame, budget: &Budget) -> Result<Self, IncompleteError> {
        let (reasoner, premises) = game.reasoner(budget);
        let mut course = Self { game, reasoner, premises, moments: Vec::new(), now: 0 };
        course.begin_step()?;
        let moment = course.moments[0];
        let start = course.premises.of(Axiom::Start);
        let first = &game.steps[0];
        for (&truth, &init) in first.truth.iter().zip(&game.init) {
            let [truth, init] = [course.at(moment, truth)?, course.at(moment, init)?];
            course.reasoner.solver().equal_if(start, truth, init)?;
        }
        Ok(course)
    }

    /// The game.
    pub fn game(&self) -> &'g IncompleteGame {
        self.game
    }

    /// The present step, counted from 0.
    pub fn now(&self) -> usize {
        self.now
    }

    fn at(&mut self, moment: Moment, edge: Edge) -> Result<Literal, LimitError> {
        self.reasoner.literal(&self.game.grounding, moment, edge)
    }

    /// The literal of a formula at a step that the course has come to.
    fn literal(&mut self, step: usize, edge: Edge) -> Result<Literal, LimitError> {
        let moment = self.moments[if self.game.step_count().is_some() { 0 } else { step }];
        self.at(moment, edge)
    }

    /// Gets the present step ready.
    fn begin_step(&mut self) -> Result<(), IncompleteError> {
        if self.game.step_count().is_none() || self.moments.is_empty() {
            self.moments.push(self.reasoner.add_moment(&self.game.grounding)?);
        }
        let moment = self.moments[self.moments.len() - 1];
        let step = self.game.step(self.now).ok_or(IncompleteError::LastStep)?;
        let truth = self.reasoner.solver().truth();
        self.game.demand_step(&mut self.reasoner, &self.premises, (moment, truth), step)?;
        Ok(())
    }

    /// A role made a move at the present step.
    ///
    /// # Errors
    /// A limit.
    pub fn does(&mut self, role: usize, number: usize) -> Result<(), IncompleteError> {
        let Some(step) = self.game.step(self.now) else { return Err(IncompleteError::LastStep) };
        let literal = self.literal(self.now, step.does[role][number])?;
        let told = self.premises.of(Axiom::Told);
        Ok(self.reasoner.solver().clause([!told, literal])?)
    }

    /// A role sees exactly these percepts at a step.
    ///
    /// # Errors
    /// A limit.
    pub fn sees(&mut self, at: usize, role: usize, percepts: &[TermId]) -> Result<(), IncompleteError> {
        let Some(step) = self.game.step(at) else { return Err(IncompleteError::LastStep) };
        let told = self.premises.of(Axiom::Told);
        for (&percept, &edge) in self.game.percepts(role).iter().zip(&step.sees[role]) {
            let literal = self.literal(at, edge)?;
            let literal = if percepts.contains(&percept) { literal } else { !literal };
            self.reasoner.solver().clause([!told, literal])?;
        }
        // What nobody can see was not seen.
        if percepts.iter().any(|percept| !self.game.percepts(role).contains(percept)) {
            self.reasoner.solver().clause([!told])?;
        }
        Ok(())
    }

    /// The game goes on to the next step.
    ///
    /// # Errors
    /// [`IncompleteError::LastStep`]; a limit.
    pub fn advance(&mut self) -> Result<(), IncompleteError> {
        let game = self.game;
        let before = game.step(self.now).ok_or(IncompleteError::LastStep)?;
        let after = game.step(self.now + 1).ok_or(IncompleteError::LastStep)?;
        let terminal = self.literal(self.now, before.terminal)?;
        let goes_on = self.premises.of(Axiom::GoesOn);
        self.reasoner.solver().clause([!goes_on, !terminal])?;
        self.now += 1;
        self.begin_step()?;
        if game.step_count().is_none() {
            let update = self.premises.of(Axiom::Update);
            for (&next, &truth) in before.next.iter().zip(&after.truth) {
                let [next, truth] = [self.literal(self.now - 1, next)?, self.literal(self.now, truth)?];
                self.reasoner.solver().equal_if(update, next, truth)?;
            }
        }
        Ok(())
    }

    /// What the sentences say of a formula at a step.
    ///
    /// # Errors
    /// A limit.
    pub fn ask(&mut self, step: usize, edge: Edge) -> Result<Answer, IncompleteError> {
        let literal = self.literal(step, edge)?;
        Ok(self.reasoner.answer(literal, &[])?)
    }

    /// Whether any course is possible.
    ///
    /// # Errors
    /// A limit.
    pub fn is_possible(&mut self) -> Result<bool, IncompleteError> {
        Ok(self.reasoner.is_possible(&[])?)
    }

    /// The sentences (by number) and axioms from which a formula follows at a step, none of which can be left out;
    /// `None` where it does not follow. Only a game whose sentences are grounded each alone can tell them all.
    ///
    /// # Errors
    /// A limit.
    pub fn reasons(
        &mut self,
        step: usize,
        edge: Edge,
    ) -> Result<Option<Vec<Result<usize, Axiom>>>, IncompleteError> {
        let literal = self.literal(step, !edge)?;
        self.why_not(&[literal])
    }

    /// The sentences (by number) and axioms that contradict each other and what was told, none of which can be left
    /// out; `None` where a course is possible.
    ///
    /// # Errors
    /// A limit.
    pub fn contradiction(&mut self) -> Result<Option<Vec<Result<usize, Axiom>>>, IncompleteError> {
        self.why_not(&[])
    }

    fn why_not(
        &mut self,
        assumptions: &[Literal],
    ) -> Result<Option<Vec<Result<usize, Axiom>>>, IncompleteError> {
        let needed = self.reasoner.contradiction(assumptions)?;
        Ok(needed.map(|needed| needed.into_iter().map(|premise| self.game.premise(premise)).collect()))
    }

    /// Calls `visit` with the facts of every state that is possible at a step, at most `most` times; whether those
    /// were all.
    ///
    /// # Errors
    /// A limit.
    pub fn states(
        &mut self,
        step: usize,
        most: usize,
        mut visit: impl FnMut(Vec<TermId>),
    ) -> Result<bool, IncompleteError> {
        let game = self.game;
        let truth = &game.step(step).ok_or(IncompleteError::LastStep)?.truth;
        let literals: Vec<Literal> =
            truth.iter().map(|&edge| self.literal(step, edge)).collect::<Result<_, _>>()?;
        let complete = self.reasoner.combinations(&literals, &[], most, |values| {
            let held = game.facts().iter().zip(values).filter(|(_, held)| **held);
            visit(held.map(|(&fact, _)| fact).collect());
        })?;
        Ok(complete)
    }

    /// What is the same at all steps and not known: atoms of relations that are no keywords.
    fn open(&mut self) -> Result<Vec<(AtomId, Literal)>, LimitError> {
        let game = self.game;
        let mut open = Vec::new();
        for (id, atom) in game.grounding.atoms.entries() {
            if !game.is_lasting(id) || game.sentences.is_keyword(atom.relation) {
                continue;
            }
            let Some(edge) = game.grounding.formulas.find_atom(id) else { continue };
            let literal = self.at(self.moments[0], edge)?;
            if self.reasoner.answer(literal, &[])? == Answer::Unknown {
                open.push((id, literal));
            }
        }
        Ok(open)
    }

    /// A possible course in which a formula has a value at a step: the facts and moves of each step so far, and what
    /// holds of all that is not known and stays as it is. `None` where there is none.
    ///
    /// # Errors
    /// A limit.
    pub fn example(
        &mut self,
        step: usize,
        edge: Edge,
        value: bool,
    ) -> Result<Option<Example>, IncompleteError> {
        let literal = self.literal(step, if value { edge } else { !edge })?;
        let open = self.open()?;
        // Every literal that is read must be there before the model is.
        let mut steps = Vec::new();
        for number in 0..=self.now {
            let Some(edges) = self.game.step(number) else { break };
            let mut all = |edges: &[Edge]| -> Result<Vec<Literal>, LimitError> {
                edges.iter().map(|&edge| self.literal(number, edge)).collect()
            };
            let truth = all(&edges.truth)?;
            let does = edges.does.iter().map(|does| all(does)).collect::<Result<Vec<_>, _>>()?;
            steps.push((truth, does));
        }
        if !self.reasoner.is_possible(&[literal])? {
            return Ok(None);
        }
        let game = self.game;
        let solver = self.reasoner.solver();
        let held = |things: &[TermId], literals: &[Literal]| -> Vec<TermId> {
            let pairs = things.iter().zip(literals);
            pairs.filter(|(_, literal)| solver.value(**literal)).map(|(&thing, _)| thing).collect()
        };
        let stays = open.iter().filter(|(_, literal)| solver.value(*literal));
        let stays = stays.map(|(id, _)| game.grounding.atoms[*id].clone()).collect();
        let read = steps.iter().map(|(truth, does)| ExampleStep {
            facts: held(game.facts(), truth),
            moves: does
                .iter()
                .enumerate()
                .map(|(role, does)| held(game.moves(role), does).first().copied())
                .collect(),
        });
        Ok(Some(Example { stays, steps: read.collect() }))
    }

    /// The number of the move of a role that is this term.
    pub fn move_number(&self, role: usize, term: TermId) -> Option<usize> {
        self.game.moves(role).iter().position(|&known| known == term)
    }
}

/// A course that is possible.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Example {
    /// What holds of that which is not known and is the same at all steps.
    pub stays: Vec<GroundAtom>,
    /// Its steps so far.
    pub steps: Vec<ExampleStep>,
}

/// A step of a course that is possible.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExampleStep {
    /// The facts that hold.
    pub facts: Vec<TermId>,
    /// By role, the move that it makes; none at the end.
    pub moves: Vec<Option<TermId>>,
}
