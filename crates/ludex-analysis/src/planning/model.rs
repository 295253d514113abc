//! The circuit that is searched.

use std::sync::Arc;

use ludex_logic::ground::{GroundOptions, ground};
use ludex_logic::{Budget, LimitError, TermId};
use ludex_propnet::passes::{Pass, PassSet, optimise, optimise_with};
use ludex_propnet::{Circuit, Effort, Invariants, Propnet};

use crate::{Faithful, Subject, SubjectError};

/// Above so many operations nothing is proved of a circuit's states: it takes long and seldom succeeds.
const PROVABLE: usize = 40_000;

/// Which rules a circuit was made from, and so what its proofs are about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Clause by clause the rules as they were written.
    Faithful,
    /// Rules that were split, restricted to what is asked for and simplified, and a circuit that passes
    /// made smaller: what engines run.
    Optimised,
    /// No circuit: the game's machine was asked about every state that can be reached.
    States,
}

impl Form {
    /// One word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            Form::Faithful => "faithful",
            Form::Optimised => "optimised",
            Form::States => "states",
        }
    }
}

/// A circuit with what is known of its states. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Model {
    source: Source,
    invariants: Arc<Invariants>,
}

#[derive(Clone, Debug)]
enum Source {
    Faithful(Arc<Faithful>),
    Optimised(Arc<Circuit>),
}

impl Model {
    /// The game as it was written.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn faithful(subject: &Subject, budget: &Budget) -> Result<Self, SubjectError> {
        let faithful = subject.faithful(budget)?;
        let invariants = if faithful.circuit.operation_count() <= PROVABLE {
            faithful.invariants(budget)?.clone()
        } else {
            Invariants::default()
        };
        Ok(Self { source: Source::Faithful(faithful), invariants: Arc::new(invariants) })
    }

    /// The game as engines run it. Gates stay wide: what passes make for shared parts of gates is of no
    /// use to a solver.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn optimised(subject: &Subject, budget: &Budget) -> Result<Self, SubjectError> {
        let program = subject.rules().program();
        let grounding = ground(&program.program, &GroundOptions::optimised().with_budget(budget.clone()))?;
        let mut circuit = Circuit::from_net(&Propnet::new(program, &grounding)?);
        drop(grounding);
        let passes = PassSet::all().without(Pass::Factors).without(Pass::CommonPairs);
        optimise(&mut circuit, &passes, budget)?;
        let mut invariants = Invariants::default();
        if circuit.operation_count() <= PROVABLE {
            let found = proved(&circuit, budget)?;
            optimise_with(&mut circuit, &found, &passes, budget)?;
            // The passes number bases anew, and what they used is no longer there to be found.
            invariants = proved(&circuit, budget)?;
        }
        Ok(Self { source: Source::Optimised(Arc::new(circuit)), invariants: Arc::new(invariants) })
    }

    /// The circuit of somebody who has one, with what is known of its states.
    pub fn of_circuit(circuit: Arc<Circuit>, invariants: Invariants) -> Self {
        Self { source: Source::Optimised(circuit), invariants: Arc::new(invariants) }
    }

    /// Which rules it was made from.
    pub fn form(&self) -> Form {
        match self.source {
            Source::Faithful(_) => Form::Faithful,
            Source::Optimised(_) => Form::Optimised,
        }
    }

    /// The circuit.
    pub fn circuit(&self) -> &Circuit {
        match &self.source {
            Source::Faithful(faithful) => &faithful.circuit,
            Source::Optimised(circuit) => circuit,
        }
    }

    /// What holds in all reachable states.
    pub fn invariants(&self) -> &Invariants {
        &self.invariants
    }

    /// A course of the circuit (per step and role a position in [`Circuit::moves`]) as terms.
    pub(super) fn terms(&self, steps: &[Vec<u32>]) -> Vec<Vec<TermId>> {
        let moves = &self.circuit().moves;
        let term = |(role, &number): (usize, &u32)| moves[role][number as usize];
        steps.iter().map(|step| step.iter().enumerate().map(term).collect()).collect()
    }
}

/// What can be proved of the states; nothing where that takes too much work.
fn proved(circuit: &Circuit, budget: &Budget) -> Result<Invariants, LimitError> {
    match Invariants::find(circuit, &Effort::default(), budget) {
        Err(LimitError::Work { .. }) => Ok(Invariants::default()),
        found => found,
    }
}
