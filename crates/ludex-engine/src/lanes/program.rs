//! A stream prepared for lanes, shared by all threads that run it.

use std::sync::{Arc, Mutex, PoisonError};

use ludex_game::{
    ActionId, Answer, BatchOptions, DecisiveMoves, GameError, RoleId, Runner, Signature, State,
};
use ludex_logic::Budget;
use ludex_propnet::Circuit;

use super::decisive_moves::DecisiveProgram;
use super::engine::LaneEngine;
use super::executor::{Backend, Executor, LaneWidth};
use super::role_moves::{Group, RoleMoves};
use super::runner::LaneRunner;
use super::specialising::LaneRounds;
use super::vector::Detected;
use crate::native::{NativeError, NativeStream};
use crate::stream::{InputLayout, Order, Phase, Step, Stream};

/// How lanes are run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct LaneOptions {
    /// How many lanes; the default of [`LaneWidth`] if `None`.
    pub width: Option<LaneWidth>,
    /// What computes them.
    pub backend: Backend,
}

/// A game ready to run in lanes. Shared by threads; each runs its own [`LaneEngine`].
///
/// A state is the bits of the stored bases in order: bit `i % 64` of word `i / 64` is base `i`.
#[derive(Debug)]
pub struct LaneProgram {
    pub(super) stream: Arc<Stream>,
    pub(super) signature: Arc<Signature>,
    pub(super) actions: Vec<Vec<ActionId>>,
    /// Per role and action its position among the role's moves, plus 1; 0 for none.
    positions: Vec<Vec<u32>>,
    pub(super) roles: Vec<RoleMoves>,
    pub(super) executor: Executor,
    pub(super) set: Detected,
    pub(super) costs: Costs,
    width: LaneWidth,
    backend: Backend,
    refusal: Option<NativeError>,
    /// What the lanes were made of, to look ahead with.
    circuit: Option<Arc<Circuit>>,
    /// The decisive moves that was last asked for.
    decisive_moves: Mutex<Option<(DecisiveMoves, Option<Arc<DecisiveProgram>>)>>,
    /// How playouts go round.
    rounds: Option<LaneRounds>,
}

/// What the parts of a step cost, in operations on blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Costs {
    /// Deciding, choosing and advancing.
    pub step: u64,
    /// Evaluating the goals and starting anew.
    pub assess: u64,
    /// Deciding alone.
    pub decide: u64,
}

impl LaneProgram {
    /// Prepares the lanes of a circuit, whose moves the signature knows, with programs for the turns of a
    /// round where that pays. The order of operations is the one that suits the backend.
    pub fn of_circuit(circuit: &Arc<Circuit>, signature: &Arc<Signature>, options: LaneOptions) -> Self {
        let actions =
            circuit.moves.iter().map(|moves| moves.iter().map(|&m| signature.action_id(m)).collect());
        let made = Self::laid_out(circuit, None, (actions.collect(), signature), options);
        let made = Self { circuit: Some(Arc::clone(circuit)), ..made };
        let rounds = LaneRounds::new(&made, circuit);
        Self { rounds, ..made }
    }

    /// Prepares the lanes of a circuit whose inputs lie where they are told to, if they are.
    pub(super) fn laid_out(
        circuit: &Circuit,
        layout: Option<&InputLayout>,
        (actions, signature): (Vec<Vec<ActionId>>, &Arc<Signature>),
        options: LaneOptions,
    ) -> Self {
        let new = |stream, options| Self::new(stream, actions.clone(), Arc::clone(signature), options);
        let interpreted = |options| new(Arc::new(Stream::laid_out(circuit, Order::Runs, layout)), options);
        if !options.backend.is_native() {
            return interpreted(options);
        }
        let stream = Arc::new(Stream::laid_out(circuit, Order::DepthFirst, layout));
        let options_without = LaneOptions { backend: Backend::Avx512, ..options };
        if options.backend == Backend::Auto && !NativeStream::pays_for(&stream) {
            // Parts of the circuit may be small enough.
            return Self { backend: options.backend, ..interpreted(options_without) };
        }
        let native = new(stream, options);
        if native.is_native() {
            return native;
        }
        Self { refusal: native.refusal, ..interpreted(options_without) }
    }

    /// Prepares a stream; `actions` are the actions of each role's moves, in the order of the stream.
    pub fn new(
        stream: Arc<Stream>,
        actions: Vec<Vec<ActionId>>,
        signature: Arc<Signature>,
        options: LaneOptions,
    ) -> Self {
        super::unoptimised::warn();
        let width = options.width.unwrap_or_default();
        let (executor, refusal) = Executor::new(&stream, options.backend, width);
        let roles = stream.legal.iter().zip(&stream.inputs);
        let roles: Vec<RoleMoves> =
            roles.map(|(legal, inputs)| RoleMoves::new(legal, inputs, stream.slots)).collect();
        let positions = actions.iter().map(|actions| positions(actions)).collect();
        Self {
            costs: Costs::of(&stream, stream.legal.iter().map(|moves| moves.len() as u64).sum()),
            set: Detected::at_most(executor.set()),
            stream,
            signature,
            actions,
            positions,
            roles,
            executor,
            width,
            backend: options.backend,
            refusal,
            circuit: None,
            decisive_moves: Mutex::new(None),
            rounds: None,
        }
    }

    /// The same without programs for the turns of a round and for what can no longer change: everything is
    /// computed for every state. For comparisons: playouts are as good, and other ones with the same seed.
    #[must_use]
    pub fn unspecialised(self) -> Self {
        Self { rounds: None, ..self }
    }

    /// The same with other prices of specialising.
    #[cfg(test)]
    pub(super) fn with_prices(self, prices: super::specialising::Prices) -> Self {
        let rounds = self.rounds.map(|rounds| rounds.with_prices(prices));
        Self { rounds, ..self }
    }

    /// The number of lanes.
    pub fn width(&self) -> LaneWidth {
        self.width
    }

    /// What was asked to compute the lanes.
    pub(super) fn backend(&self) -> Backend {
        self.backend
    }

    /// What the lanes were made of.
    pub(super) fn circuit(&self) -> Option<&Circuit> {
        self.circuit.as_deref()
    }

    /// How playouts go round, where the lanes were made of a circuit.
    pub(super) fn rounds(&self) -> Option<&LaneRounds> {
        self.rounds.as_ref()
    }

    /// What it takes to play with this decisive moves; nothing where the lanes cannot look ahead.
    ///
    /// # Errors
    /// A limit of the budget, which it takes when a decisive moves is asked for that is not the last one.
    pub(super) fn decisive_moves(
        &self,
        decisive_moves: &DecisiveMoves,
        budget: &Budget,
    ) -> Answer<Option<Arc<DecisiveProgram>>> {
        let Some(circuit) = &self.circuit else { return Ok(None) };
        let mut last = self.decisive_moves.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, program)) = &*last
            && known == decisive_moves
        {
            return Ok(program.clone());
        }
        let program = DecisiveProgram::new(self, circuit, decisive_moves, budget)?.map(Arc::new);
        *last = Some((decisive_moves.clone(), program.clone()));
        Ok(program)
    }

    /// Takes it that the lanes cannot look ahead with this decisive moves, as there is no time to prepare for it.
    pub(super) fn give_up_decisive_moves(&self, decisive_moves: &DecisiveMoves) {
        *self.decisive_moves.lock().unwrap_or_else(PoisonError::into_inner) =
            Some((decisive_moves.clone(), None));
    }

    /// The instructions that the interpreter uses.
    pub fn instruction_set(&self) -> crate::InstructionSet {
        self.executor.set()
    }

    /// Whether machine code runs, and not the interpreter.
    pub fn is_native(&self) -> bool {
        self.executor.is_native()
    }

    /// Why there is no machine code, where it was asked for.
    pub fn refusal(&self) -> Option<&NativeError> {
        self.refusal.as_ref()
    }

    /// What is run.
    pub fn stream(&self) -> &Arc<Stream> {
        &self.stream
    }

    /// Bytes held, without the terms of the game.
    pub fn bytes(&self) -> usize {
        let groups: usize = self.roles.iter().map(|role| role.groups.capacity()).sum();
        let actions: usize = self.actions.iter().map(Vec::capacity).sum();
        let positions: usize = self.positions.iter().map(Vec::capacity).sum();
        self.stream.bytes()
            + self.executor.bytes()
            + groups * size_of::<Group>()
            + actions * size_of::<ActionId>()
            + positions * size_of::<u32>()
            + self.rounds.as_ref().map_or(0, LaneRounds::bytes)
    }

    /// Lanes of one thread.
    pub fn engine(self: &Arc<Self>, options: &BatchOptions) -> LaneEngine {
        LaneEngine::new(Arc::clone(self), options)
    }

    /// A runner whose state is one lane among others that play at random, to verify lanes with.
    pub fn runner(self: &Arc<Self>, budget: &Budget, seed: u64) -> Box<dyn Runner> {
        let program = Arc::clone(self);
        match self.width {
            LaneWidth::W64 => Box::new(LaneRunner::<1>::new(program, budget, seed)),
            LaneWidth::W256 => Box::new(LaneRunner::<4>::new(program, budget, seed)),
            LaneWidth::W512 => Box::new(LaneRunner::<8>::new(program, budget, seed)),
        }
    }

    /// The words of the initial state.
    pub(super) fn initial_words(&self) -> Vec<u64> {
        let initial = &self.stream.initial;
        let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
        initial.chunks(64).map(word).collect()
    }

    /// The words of a state.
    pub(super) fn words<'s>(&self, state: &'s State) -> Answer<&'s [u64]> {
        self.signature.check_state(state)?;
        self.check_words(state.words())
    }

    /// The words, if they can be a state of this machine.
    pub(super) fn check_words<'s>(&self, words: &'s [u64]) -> Answer<&'s [u64]> {
        let bases = self.stream.bases.len();
        let rest = if bases.is_multiple_of(64) { 0 } else { u64::MAX << (bases % 64) };
        if words.len() != bases.div_ceil(64) || words.last().is_some_and(|last| last & rest != 0) {
            return Err(GameError::ForeignState);
        }
        Ok(words)
    }

    /// The positions of a joint move among the moves of the roles.
    pub(super) fn positions_of(&self, joint: &[ActionId], out: &mut Vec<usize>) -> Answer<()> {
        out.clear();
        for role in 0..self.positions.len() {
            out.push(self.position_of(role, joint)?);
        }
        Ok(())
    }

    /// The position of a role's part of a joint move among the moves of the role.
    #[inline]
    pub(super) fn position_of(&self, role: usize, joint: &[ActionId]) -> Answer<usize> {
        let Some(&action) = joint.get(role) else {
            return Err(GameError::MoveCount { roles: self.positions.len(), moves: joint.len() });
        };
        self.position(RoleId(role as u32), action)
    }

    /// The position of an action among the moves of a role.
    #[inline]
    pub(super) fn position(&self, role: RoleId, action: ActionId) -> Answer<usize> {
        match self.positions[role.index()].get(action.index()) {
            Some(&at) if at > 0 => Ok(at as usize - 1),
            _ => Err(self.signature.not_legal(role, action)),
        }
    }

    /// The name of a role.
    pub(super) fn role_text(&self, role: RoleId) -> String {
        let name = self.signature.roles().get(role.index());
        name.map_or_else(|| format!("role {}", role.0), |&name| self.signature.text(name))
    }
}

fn positions(actions: &[ActionId]) -> Vec<u32> {
    let mut positions = vec![0; actions.iter().map(|a| a.index() + 1).max().unwrap_or(0)];
    for (at, action) in (1..).zip(actions) {
        positions[action.index()] = at;
    }
    positions
}

impl Costs {
    /// The costs where there are so many moves to choose from.
    pub fn of(stream: &Stream, moves: u64) -> Self {
        let bases = stream.bases.len() as u64;
        let goals: u64 = stream.goals.iter().map(|goals| goals.len() as u64).sum();
        let decide = operations(&stream.decide);
        Self {
            decide,
            step: Self::of_step(decide + operations(&stream.advance), moves, bases),
            assess: operations(&stream.assess) + bases + 20 * goals + 100,
        }
    }

    /// The cost of a step with so many operations, moves to choose from, and bases.
    pub fn of_step(operations: u64, moves: u64, bases: u64) -> u64 {
        operations + 8 * moves + 2 * bases + 100
    }
}

/// Operations of a phase, with two rounds for each recursion.
fn operations(phase: &Phase) -> u64 {
    let steps = phase.steps.iter().map(|step| match step {
        Step::Straight(operations) => operations.len() as u64,
        Step::Fixpoint(recursion) => 2 * (recursion.body.len() + recursion.feedback.len()) as u64,
    });
    steps.sum()
}
