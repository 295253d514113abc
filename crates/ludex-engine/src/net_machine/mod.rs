//! The net machine: a game as a circuit, one state at a time, for tree search.
//!
//! Preparing: [`ground`](ludex_logic::ground::ground), [`Propnet`], [`Circuit`], passes; then the
//! circuit is laid out for running. Running is event-driven: all values of the current state are kept,
//! and a step costs what it changes.
//!
//! What keeps a change small:
//!
//! - Gates are and-gates of any width that count the operands that are not satisfied, so that a flip
//!   costs one addition for each gate that reads it ([`marking`]).
//! - Each gate flips at most once in a step, because gates are visited in topological order.
//! - A gate counts the operands with which it costs least in random games, and reads the others when those
//!   hold. Most count what seldom holds, such as a move, and hear nothing of the rest ([`upkeep`]).
//! - Gates that need one move and otherwise the state alone can be listed by move. They count nothing and
//!   are not visited: making a move goes through its list.
//! - Gates that were told of nothing are passed over by thousands ([`Marking::told`]).
//! - What a whole group of moves needs is tested once when legal moves are read ([`guards`]).
//! - Goals are worked out when they are asked for.
//! - Recursions keep their least fixpoint, and start anew only when something they were derived from
//!   is gone.

mod build;
mod charged;
mod circuit_selection;
mod courses;
mod error;
mod guards;
mod marking;
mod narrow;
mod prepare;
mod runner;
mod states;
#[cfg(test)]
mod tests;
mod timed;
mod upkeep;
mod wiring;

use std::fmt;
use std::sync::{Arc, OnceLock};

use ludex_game::{Answer, Batch, BatchOptions, CourseSolver, GameError, Machine, Runner, Signature, State};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::{Budget, TEXT_LIMIT, TermId};
use ludex_propnet::{Circuit, Stage, StoredBase};

use crate::lanes::{LaneOptions, LaneProgram};
use crate::stream::Stream;
use courses::NetCourses;
use marking::Marking;
use runner::NetRunner;
use wiring::Wiring;

pub use error::NetMachineError;
pub use prepare::{NetOptions, NetSetup};
pub use timed::TimedNetMachine;

/// A game as a circuit, ready to run.
///
/// ```
/// use ludex_engine::{LaneOptions, NetMachine, NetOptions};
/// use ludex_game::{Batch, BatchOptions, Machine, Outcomes, Policy, Start};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
/// #     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (<= (goal you 50) (true (at 2)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let net = NetMachine::new(&game, &NetOptions::default())?;
/// assert!(net.circuit().bases.len() <= 2);
/// let start = Start { state: net.initial().clone(), playouts: 1_000 };
/// let mut outcomes = Outcomes::default();
/// let mut lanes = net.lanes(LaneOptions::default()).engine(&BatchOptions::default());
/// lanes.playouts(&[start], &Policy::uniform(100), 1, &mut outcomes)?;
/// assert_eq!((outcomes.tallies[0].finished, lanes.width()), (1_000, 512));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// The circuit may rely on moves being legal. A state that the game cannot reach need not be representable; see
/// [`state_of`](Machine::state_of).
pub struct NetMachine {
    circuit: Arc<Circuit>,
    signature: Arc<Signature>,
    wiring: Wiring,
    /// The marking of the initial state.
    start: Marking,
    initial: State,
    /// What tells the values of propositions from the stored bases.
    fact_stages: Vec<Stage>,
    /// Per role and known action its position among the role's moves.
    positions: Vec<Vec<u32>>,
    /// Per role and position the action.
    actions: Vec<Vec<ludex_game::ActionId>>,
    setup: NetSetup,
    /// Whether a state, or the legal moves or percepts of a role, can be too long to be written.
    is_charged: bool,
    most_facts: charged::MostFacts,
    /// The circuit with gates for shared parts, for lanes, where that is another one.
    shared: Option<Arc<Circuit>>,
    stream: OnceLock<Arc<Stream>>,
    /// Lanes with the default options.
    lanes: OnceLock<Arc<LaneProgram>>,
}

impl fmt::Debug for NetMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("NetMachine").field("setup", &self.setup).finish_non_exhaustive()
    }
}

impl NetMachine {
    /// Prepares a game to run.
    ///
    /// # Errors
    /// [`NetMachineError`] says at which stage it failed. The rule machine may be able to run the game
    /// nevertheless.
    pub fn new(game: &GameProgram, options: &NetOptions) -> Result<Self, NetMachineError> {
        let prepare::Prepared { circuit, layout, shared, setup } = prepare::circuit(game, options)?;
        let mut machine = Self::of_layout(game, circuit, layout, options.notation)?;
        machine.shared = shared.map(Arc::new);
        machine.setup = NetSetup { slots: machine.setup.slots, bytes: machine.setup.bytes, ..setup };
        let held = machine.bytes();
        options.budget.meter().check_memory(held, || "the net machine".to_owned())?;
        Ok(machine)
    }

    /// Makes a circuit of a game ready to run.
    fn of_layout(
        game: &GameProgram,
        circuit: Circuit,
        (wiring, blank): build::Layout,
        notation: Notation,
    ) -> Result<Self, NetMachineError> {
        circuit.check()?;
        let actions = circuit.moves.iter().flatten().copied().collect();
        let bits: Vec<TermId> =
            circuit.bases.iter().map(|base| circuit.propositions[base.proposition as usize]).collect();
        let signature = Signature::new(game, notation, actions, circuit.propositions.clone());
        let signature = Arc::new(signature.with_encoding(&bits));
        let all = signature.actions();
        let mut machine = Self {
            fact_stages: fact_stages(&circuit),
            positions: vec![vec![wiring::NONE; all.len()]; circuit.moves.len()],
            actions: Vec::with_capacity(circuit.moves.len()),
            setup: NetSetup::default(),
            is_charged: charged::can_be_too_long(&circuit)?,
            most_facts: charged::MostFacts::new(&circuit),
            shared: None,
            stream: OnceLock::new(),
            lanes: OnceLock::new(),
            initial: State::default(),
            start: blank.clone(),
            wiring,
            signature,
            circuit: Arc::new(circuit),
        };
        for (moves, positions) in machine.circuit.moves.iter().zip(&mut machine.positions) {
            let mut actions = Vec::with_capacity(moves.len());
            for (position, &term) in (0u32..).zip(moves) {
                // All moves were given to the signature.
                let action = machine.signature.action_id(term);
                positions[action.index()] = position;
                actions.push(action);
            }
            machine.actions.push(actions);
        }
        let words = state_words(&machine.circuit, |base| base.initial);
        machine.initial = State::new(machine.signature.tag(), &words);
        machine.charge_state(&machine.initial)?;
        let mut start = blank;
        start.go_to(&machine.wiring, &words);
        machine.start = start;
        machine.setup.slots = machine.wiring.slots;
        machine.setup.bytes = machine.wiring.bytes() + machine.start.bytes();
        Ok(machine)
    }

    /// The circuit that is run.
    pub fn circuit(&self) -> &Arc<Circuit> {
        &self.circuit
    }

    /// How the machine was prepared.
    pub fn setup(&self) -> &NetSetup {
        &self.setup
    }

    /// The circuit that lanes run: with gates for the shared parts of other gates. A step of one state
    /// is better without them in some games.
    pub fn lane_circuit(&self) -> &Arc<Circuit> {
        self.shared.as_ref().unwrap_or(&self.circuit)
    }

    /// The circuit as a stream for the interpreter, made when first asked for.
    pub fn stream(&self) -> &Arc<Stream> {
        self.stream.get_or_init(|| Arc::new(Stream::new(self.lane_circuit())))
    }

    /// The game ready to run in lanes. With the default options it is made once and shared.
    pub fn lanes(&self, options: LaneOptions) -> Arc<LaneProgram> {
        let make = || Arc::new(LaneProgram::of_circuit(self.lane_circuit(), &self.signature, options));
        if options == LaneOptions::default() { Arc::clone(self.lanes.get_or_init(make)) } else { make() }
    }

    /// Whether lanes with the default options were made: making them takes a while where the net is large.
    pub fn has_lanes(&self) -> bool {
        self.lanes.get().is_some()
    }

    /// Bytes held, without the terms of the game and the circuit.
    pub fn bytes(&self) -> usize {
        self.wiring.bytes() + self.start.bytes() + self.signature.bytes()
    }

    /// The state's words, if this machine can have made them.
    fn words<'s>(&self, state: &'s State) -> Answer<&'s [u64]> {
        self.signature.check_state(state)?;
        let words = state.words();
        let bases = self.circuit.bases.len();
        let rest = if bases.is_multiple_of(64) { 0 } else { u64::MAX << (bases % 64) };
        if words.len() != bases.div_ceil(64) || words.last().is_some_and(|last| last & rest != 0) {
            return Err(GameError::ForeignState);
        }
        Ok(words)
    }

    /// Per proposition whether it holds in the state with these words.
    fn propositions(&self, words: &[u64]) -> impl Iterator<Item = bool> {
        let base = |number: u32| words[number as usize / 64] >> (number % 64) & 1 == 1;
        let values = self.circuit.evaluate(&self.fact_stages, base, |_, _| false);
        self.circuit.values.iter().map(move |&edge| values.get(edge))
    }
}

/// The words of the state in which these bases hold.
fn state_words(circuit: &Circuit, holds: impl Fn(&StoredBase) -> bool) -> Vec<u64> {
    let mut words = vec![0; circuit.bases.len().div_ceil(64)];
    for (number, base) in circuit.bases.iter().enumerate() {
        words[number / 64] |= u64::from(holds(base)) << (number % 64);
    }
    words
}

/// The stages that the values of propositions need.
fn fact_stages(circuit: &Circuit) -> Vec<Stage> {
    let needed = circuit.cone(circuit.values.iter().copied());
    let stages = circuit.schedule().into_iter();
    stages.filter(|stage| stage.gates().iter().any(|gate| needed[gate.index()])).collect()
}

impl Machine for NetMachine {
    fn signature(&self) -> &Arc<Signature> {
        &self.signature
    }

    fn initial(&self) -> &State {
        &self.initial
    }

    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        self.charged(if self.wiring.recursions.is_empty() {
            Box::new(NetRunner::<false>::new(self, budget))
        } else {
            Box::new(NetRunner::<true>::new(self, budget))
        })
    }

    /// In lanes, with the default options.
    fn batch(&self, options: &BatchOptions) -> Box<dyn Batch + '_> {
        Box::new(self.lanes(LaneOptions::default()).engine(options))
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        out.clear();
        let Ok(words) = self.words(state) else { return };
        let values = self.propositions(words);
        let held = self.circuit.propositions.iter().zip(values).filter(|&(_, holds)| holds);
        out.extend(held.map(|(&term, _)| term));
    }

    /// The state in which exactly these facts hold.
    ///
    /// The passes drop bits that follow from others in all states the game can reach, so facts that
    /// cannot hold together in any of these may be refused.
    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.signature.terms().charge_text("the state", facts.iter().copied(), TEXT_LIMIT)?;
        let unknown = |fact| GameError::UnknownFact { fact: self.signature.terms().shown(fact) };
        let propositions = &self.circuit.propositions;
        let mut wanted = vec![false; propositions.len()];
        for &fact in facts {
            // Propositions are numbered in the order of the circuit's list.
            let id = self.signature.find_proposition(fact).filter(|id| id.index() < wanted.len());
            wanted[id.ok_or_else(|| unknown(fact))?.index()] = true;
        }
        let words = state_words(&self.circuit, |base| wanted[base.proposition as usize]);
        let values = self.propositions(&words);
        match values.zip(wanted).zip(propositions).find(|((value, wanted), _)| value != wanted) {
            Some((_, &fact)) => Err(unknown(fact)),
            None => Ok(self.initial.with_words(&words)),
        }
    }

    fn course_solver(&self, seed: Option<u64>, budget: &Budget) -> Option<Box<dyn CourseSolver + '_>> {
        Some(Box::new(NetCourses::new(self, seed, budget)))
    }
}
