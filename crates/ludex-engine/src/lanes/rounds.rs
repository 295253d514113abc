//! Programs for the turns of a round: lanes that are all at the same turn compute only what that turn
//! leaves open ([`ludex_propnet::Rounds`]).
//!
//! Where white and black move in turn, the lanes are kept in step: all of them are at a state in which
//! white moves, or all at one in which black does. A lane whose game is over waits with the next one until
//! the turn of its start comes round.

use std::sync::Arc;

use ludex_game::ActionId;
use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Circuit, Edge, Gate, GateId, RoundFacts};

use super::program::{Costs, LaneOptions, LaneProgram};
use super::role_moves::RoleMoves;
use crate::stream::InputLayout;

/// What lanes run in playouts: a program for each turn of a round, and one for the goals.
#[derive(Debug)]
pub(super) struct RoundProgram {
    /// The programs of the turns, over the same bases. Their inputs lie apart from each other.
    pub turns: Vec<Arc<LaneProgram>>,
    /// Computes the goals of any state, with its phase `assess` alone.
    pub goals: Arc<LaneProgram>,
    /// What the states of each turn have in common.
    known: Vec<Known>,
    /// How many slots the programs need at most.
    pub slots: usize,
}

/// Bases whose values are known.
#[derive(Debug)]
struct Known {
    mask: Vec<u64>,
    value: Vec<u64>,
}

impl Known {
    fn new(bases: &[Option<bool>]) -> Self {
        let words = |is: &dyn Fn(Option<bool>) -> bool| {
            let word = |bits: &[Option<bool>]| bits.iter().rev().fold(0, |w, &b| w << 1 | u64::from(is(b)));
            bases.chunks(64).map(word).collect()
        };
        Self { mask: words(&|value| value.is_some()), value: words(&|value| value == Some(true)) }
    }

    fn fits(&self, words: &[u64]) -> bool {
        words.iter().zip(self.mask.iter().zip(&self.value)).all(|(word, (mask, value))| word & mask == *value)
    }
}

impl RoundProgram {
    /// The programs of the turns, made of the circuit of `program`.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        program: &LaneProgram,
        circuit: &Circuit,
        facts: &RoundFacts,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let circuits = (0..facts.turns()).map(|turn| facts.specialise(circuit, turn, meter));
        let circuits: Vec<Circuit> = circuits.collect::<Result<_, _>>()?;
        let layouts = layouts(program, &circuits);
        let options = LaneOptions { width: Some(program.width()), backend: program.backend() };
        let mut made = |circuit: &Circuit, layout: &InputLayout| -> Result<LaneProgram, LimitError> {
            meter.check()?;
            let names: (Vec<Vec<ActionId>>, _) = (program.actions.clone(), &program.signature);
            Ok(LaneProgram::laid_out(circuit, Some(layout), names, options))
        };
        let turns = circuits
            .iter()
            .zip(&layouts)
            .map(|(circuit, layout)| made(circuit, layout).map(|program| Arc::new(only_possible(program))));
        let turns = turns.collect::<Result<Vec<_>, _>>()?;
        let none = circuit.moves.iter().map(|moves| vec![false; moves.len()]).collect();
        // Goals are looked at between deciding and choosing: the slots of both programs lie apart.
        let of_turns = turns.iter().map(|turn| turn.stream.slots + 1).max().unwrap_or(0);
        let after = of_turns.saturating_sub(program.stream.bases.len() as u32);
        let apart = InputLayout { has_slot: none, before: 0, after };
        let goals = Arc::new(made(&only_goals(circuit), &apart)?);
        let slots = turns.iter().chain([&goals]).map(|program| program.stream.slots as usize + 1).max();
        let known = (0..facts.turns()).map(|turn| Known::new(&facts.bases(circuit, turn))).collect();
        Ok(Self { turns, goals, known, slots: slots.unwrap_or(0) })
    }

    /// What a step costs, on average over the turns.
    pub fn step_cost(&self) -> u64 {
        self.turns.iter().map(|turn| turn.costs.step).sum::<u64>() / (self.turns.len() as u64).max(1)
    }

    /// The turn of a state; nothing where the programs cannot play from it.
    pub fn turn_of(&self, words: &[u64]) -> Option<usize> {
        self.known.iter().position(|known| known.fits(words))
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        self.turns.iter().chain([&self.goals]).map(|program| program.bytes()).sum()
    }
}

/// Where the inputs of the circuits lie, one after the other.
fn layouts(program: &LaneProgram, circuits: &[Circuit]) -> Vec<InputLayout> {
    let mut layouts: Vec<InputLayout> = Vec::with_capacity(circuits.len());
    let mut inputs = 0;
    for made in circuits {
        let possible = program.stream.inputs.iter().zip(&made.legal).map(|(slots, legal)| {
            slots.iter().zip(legal).map(|(slot, &edge)| slot.is_some() && edge != Edge::FALSE).collect()
        });
        let layout = InputLayout { has_slot: possible.collect(), before: inputs, after: 0 };
        inputs += layout.count();
        layouts.push(layout);
    }
    for layout in &mut layouts {
        layout.after = inputs - layout.before - layout.count();
    }
    layouts
}

/// Leaves out the moves that are never legal.
fn only_possible(mut program: LaneProgram) -> LaneProgram {
    let stream = Arc::clone(&program.stream);
    let roles = stream.legal.iter().zip(&stream.inputs);
    program.roles = roles.map(|(legal, inputs)| RoleMoves::possible(legal, inputs, stream.slots)).collect();
    let count = |role: &RoleMoves| role.groups.iter().map(|group| group.length as u64).sum::<u64>();
    program.costs = Costs::of(&stream, program.roles.iter().map(count).sum());
    program
}

/// A circuit over the same bases that computes the goals and nothing else.
fn only_goals(circuit: &Circuit) -> Circuit {
    let mut made = circuit.clone();
    made.legal.iter_mut().for_each(Vec::clear);
    made.percepts.iter_mut().for_each(Vec::clear);
    made.terminal = Edge::FALSE;
    for (gate, computes) in (0..).zip(&circuit.gates) {
        if let Gate::Base(base) = computes {
            made.bases[*base as usize].next = Edge::new(GateId(gate), false);
        }
    }
    made
}
