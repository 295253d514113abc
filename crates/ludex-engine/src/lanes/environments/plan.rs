//! Where things are in the slots of a block of environments.

use std::collections::BTreeMap;
use std::sync::Arc;

use ludex_game::{EnvironmentError, EnvironmentLayout, EnvironmentOptions, Place, RoleId};
use ludex_propnet::{Circuit, Edge, Gate, GateId};

use super::super::program::LaneProgram;
use crate::stream::{Output, Slot, Stream};

/// An action of a role.
#[derive(Clone, Copy, Debug)]
pub(super) struct RoleAction {
    pub legal: Output,
    /// Where it is made; where nothing reads it, a slot that nothing reads.
    pub input: u32,
}

/// A role that somebody plays.
#[derive(Debug)]
pub(super) struct SeatPlan {
    pub role: usize,
    /// By number of the action; `None` for those that the role never has.
    pub actions: Vec<Option<RoleAction>>,
    /// Moves with which the role waits.
    pub waits: Vec<Output>,
    /// Whether a move is made: the inputs that something reads, with when it is legal.
    pub inputs: Vec<(Output, u32)>,
}

/// The value of a fact that is no stored base: all of these hold.
#[derive(Debug)]
pub(super) struct FactGate {
    pub operands: Vec<Output>,
    pub slot: u32,
}

/// What is the same for all blocks.
#[derive(Debug)]
pub(super) struct Plan {
    pub program: Arc<LaneProgram>,
    pub options: EnvironmentOptions,
    pub layout: EnvironmentLayout,
    pub seats: Arc<Vec<SeatPlan>>,
    /// The role that moves at random.
    pub chance: Option<usize>,
    pub gates: Arc<Vec<FactGate>>,
    /// What is observed, bit by bit.
    pub observed: Arc<Vec<Output>>,
    /// Percepts that are observed, with slots that keep them: they are gone once moves are decided.
    pub percepts: Arc<Vec<(Output, u32)>>,
    /// Where one player moves at a time: the first of the slots for what is legal, one for each action.
    pub mask: u32,
    /// Slots in all.
    pub slots: usize,
    pub initial: Vec<u64>,
}

/// Makes slots beyond those of the stream.
struct Slots(u32);

impl Slots {
    fn next(&mut self) -> u32 {
        self.0 += 1;
        self.0 - 1
    }
}

impl Plan {
    /// The plan, if all that is observed can be computed.
    pub fn new(
        program: &Arc<LaneProgram>,
        options: EnvironmentOptions,
    ) -> Result<Option<Self>, EnvironmentError> {
        let signature = &program.signature;
        let roles: Vec<RoleId> =
            signature.role_ids().filter(|&role| Some(role) != signature.random()).collect();
        let layout = EnvironmentLayout::new(signature, &options)?;
        let mut slots = Slots(program.stream.slots + 1);
        let seats = roles.iter().map(|&role| seat(program, &options, &layout, role)).collect();
        let Some(observing) = Observing::new(program, &options.observed, &mut slots) else { return Ok(None) };
        let mask = slots.0;
        let slots = mask as usize + layout.actions;
        // A slot takes as much for fewer lanes, and there are twice as many blocks of bases: those that are kept.
        let block = (slots + program.stream.bases.len()) * 64;
        let each = 8 * (layout.rows() * layout.actions.div_ceil(64) + layout.observed.div_ceil(64));
        let blocks = layout.count.div_ceil(program.width().lanes());
        options
            .check_memory(blocks.saturating_mul(block).saturating_add(layout.count.saturating_mul(each)))?;
        let chance = signature.random().map(RoleId::index);
        let initial = program.initial_words();
        let (program, seats) = (Arc::clone(program), Arc::new(seats));
        let Observing { gates, observed, percepts, .. } = observing;
        let (gates, observed, percepts) = (Arc::new(gates), Arc::new(observed), Arc::new(percepts));
        Ok(Some(Self {
            program,
            options,
            layout,
            seats,
            chance,
            gates,
            observed,
            percepts,
            mask,
            slots,
            initial,
        }))
    }

    /// The plan of so many environments that do not begin anew.
    pub fn of_others(&self, count: usize) -> Self {
        Self {
            program: Arc::clone(&self.program),
            options: EnvironmentOptions { count, begins_anew: false, ..self.options.clone() },
            layout: EnvironmentLayout { count, ..self.layout.clone() },
            seats: Arc::clone(&self.seats),
            chance: self.chance,
            gates: Arc::clone(&self.gates),
            observed: Arc::clone(&self.observed),
            percepts: Arc::clone(&self.percepts),
            mask: self.mask,
            slots: self.slots,
            initial: self.initial.clone(),
        }
    }

    /// Words of a row of legal actions.
    pub fn legal_words(&self) -> usize {
        self.layout.actions.div_ceil(64)
    }
}

fn seat(
    program: &LaneProgram,
    options: &EnvironmentOptions,
    layout: &EnvironmentLayout,
    role: RoleId,
) -> SeatPlan {
    let stream = &program.stream;
    let at = role.index();
    let mut seat =
        SeatPlan { role: at, actions: vec![None; layout.actions], waits: Vec::new(), inputs: Vec::new() };
    let moves = program.actions[at].iter().zip(&stream.legal[at]).zip(&stream.inputs[at]);
    for ((&action, &legal), input) in moves {
        seat.actions[action.index()] =
            Some(RoleAction { legal, input: input.map_or(stream.slots, |slot| slot.0) });
        seat.inputs.extend(input.map(|slot| (legal, slot.0)));
        if options.turns.as_ref().is_some_and(|turns| turns.waits(role, action)) {
            seat.waits.push(legal);
        }
    }
    seat
}

/// Finds out how to compute what is observed.
struct Observing<'c> {
    circuit: &'c Circuit,
    stream: &'c Stream,
    known: BTreeMap<GateId, Output>,
    gates: Vec<FactGate>,
    observed: Vec<Output>,
    percepts: Vec<(Output, u32)>,
}

impl<'c> Observing<'c> {
    fn new(program: &'c LaneProgram, places: &[Place], slots: &mut Slots) -> Option<Self> {
        let circuit = program.circuit()?;
        let mut observing = Self {
            circuit,
            stream: &program.stream,
            known: BTreeMap::new(),
            gates: Vec::new(),
            observed: Vec::new(),
            percepts: Vec::new(),
        };
        let numbers: BTreeMap<_, usize> = circuit.propositions.iter().copied().zip(0..).collect();
        let zero = Output { slot: Stream::ZERO, complemented: false };
        for place in places {
            let output = match *place {
                Place::Nothing => zero,
                Place::Fact(number) => match numbers.get(&program.signature.proposition(number)) {
                    Some(&at) => observing.output(circuit.values[at], slots)?,
                    None => zero,
                },
                Place::Percept(role, percept) => {
                    let known = program.stream.percepts.get(role.index())?;
                    match known.iter().find(|&&(term, _)| term == percept) {
                        Some(&(_, output)) => observing.keep(output, slots),
                        None => zero,
                    }
                }
            };
            observing.observed.push(output);
        }
        Some(observing)
    }

    /// A slot that keeps a percept.
    fn keep(&mut self, output: Output, slots: &mut Slots) -> Output {
        let slot = slots.next();
        self.percepts.push((output, slot));
        Output { slot: Slot(slot), complemented: false }
    }

    /// Where the value of an edge is, with the gates that it takes.
    fn output(&mut self, edge: Edge, slots: &mut Slots) -> Option<Output> {
        // Operands come before the gates that read them.
        let mut needed = std::collections::BTreeSet::from([edge.gate()]);
        let mut open = vec![edge.gate()];
        while let Some(gate) = open.pop() {
            if self.known.contains_key(&gate) {
                continue;
            }
            for operand in self.circuit.gates[gate.index()].operands() {
                if needed.insert(operand.gate()) {
                    open.push(operand.gate());
                }
            }
        }
        for gate in needed {
            if self.known.contains_key(&gate) {
                continue;
            }
            let slot = match &self.circuit.gates[gate.index()] {
                Gate::False => Stream::ZERO,
                Gate::Base(base) => *self.stream.bases.get(*base as usize)?,
                // Facts are facts of the state alone.
                Gate::Input(..) | Gate::Feedback(_) => return None,
                Gate::And(edges) => {
                    let operands = edges.iter().map(|&edge| self.at(edge)).collect::<Option<_>>()?;
                    let slot = slots.next();
                    self.gates.push(FactGate { operands, slot });
                    Slot(slot)
                }
            };
            self.known.insert(gate, Output { slot, complemented: false });
        }
        self.at(edge)
    }

    /// Where the value of an edge is whose gate is known.
    fn at(&self, edge: Edge) -> Option<Output> {
        let of = self.known.get(&edge.gate())?;
        Some(Output { slot: of.slot, complemented: of.complemented != edge.is_complemented() })
    }
}
