//! The builder: phases, what they compute, and what outlives them.

use ludex_propnet::{Circuit, Edge, Gate, GateId};
use rustc_hash::FxHashSet;

use super::allocate::{Allocator, NO_SLOT};
use super::expand::{Expander, Literal, ONES, Value, ZERO};
use super::network::Network;
use super::schedule::{Placed, Task, schedule};
use super::{Operator, Order, Output, Slot, Stream};

/// The value of the first base.
const FIRST_BASE: Value = 2;

/// Where the inputs of several streams over the same bases lie, so that none of them overwrites those of
/// another.
#[derive(Clone, Debug, Default)]
pub(crate) struct InputLayout {
    /// Per role and move whether it has a slot; all inputs that the stream reads must have one.
    pub has_slot: Vec<Vec<bool>>,
    /// Slots of inputs of other streams before those of this one.
    pub before: u32,
    /// The same after those of this one.
    pub after: u32,
}

impl InputLayout {
    /// How many inputs have a slot.
    pub fn count(&self) -> u32 {
        self.has_slot.iter().flatten().map(|&has| u32::from(has)).sum()
    }

    /// The slots of constants and leaves, with the number of slots that are not scratch.
    fn fixed_slots(&self, leaves: &Leaves) -> (Vec<u32>, u32) {
        let first_input = FIRST_BASE + leaves.bases;
        let mut slots: Vec<u32> = (0..first_input).collect();
        let mut next = first_input + self.before;
        slots.extend(self.has_slot.iter().flatten().map(|&has| {
            next += u32::from(has);
            if has { next - 1 } else { NO_SLOT }
        }));
        (slots, next + self.after)
    }
}

/// Where the leaves of a circuit are among the values.
struct Leaves {
    /// The value of each base and input gate, and of gate 0.
    known: Vec<(GateId, Value)>,
    /// The number of bases.
    bases: u32,
    /// Per role, the value of its first input; then the value after all inputs.
    inputs: Vec<Value>,
}

impl Leaves {
    fn new(circuit: &Circuit) -> Self {
        let bases = circuit.bases.len() as u32;
        let mut inputs = vec![FIRST_BASE + bases];
        let mut end = FIRST_BASE + bases;
        for moves in &circuit.moves {
            end += moves.len() as u32;
            inputs.push(end);
        }
        let mut known = vec![(GateId(0), ZERO)];
        for (index, gate) in circuit.gates.iter().enumerate() {
            let id = GateId(index as u32);
            match *gate {
                Gate::Base(base) => known.push((id, FIRST_BASE + base)),
                Gate::Input(role, number) => known.push((id, inputs[role as usize] + number)),
                Gate::False | Gate::Feedback(_) | Gate::And(_) => {}
            }
        }
        Self { known, bases, inputs }
    }

    /// Per role and move the slot of the input, if it has one.
    fn slots(&self, fixed: &[u32]) -> Vec<Vec<Option<Slot>>> {
        let slot = |value: Value| fixed.get(value as usize).filter(|&&s| s != NO_SLOT).map(|&s| Slot(s));
        self.inputs.windows(2).map(|pair| (pair[0]..pair[1]).map(slot).collect()).collect()
    }

    /// The value after all leaves.
    fn end(&self) -> Value {
        self.inputs.last().copied().unwrap_or(FIRST_BASE + self.bases)
    }
}

/// The units of one phase in order, and the values that whoever runs the phases reads after it.
struct Ordered {
    units: Vec<Placed>,
    outputs: Vec<Literal>,
}

impl Stream {
    /// The stream of a circuit, ordered for the interpreter.
    ///
    /// Every gate is computed once per state: `assess` and `advance` go on with what `decide` has
    /// computed. Gates are visited depth first, the operand that takes most slots first (Sethi and
    /// Ullman, "The generation of optimal code for arithmetic expressions", 1970); slots are given by
    /// linear scan (Poletto and Sarkar, "Linear scan register allocation", 1999). Takes time near
    /// linear in the number of operations.
    pub fn new(circuit: &Circuit) -> Self {
        Self::with_order(circuit, Order::Runs)
    }

    /// The stream of a circuit, ordered as asked for.
    pub fn with_order(circuit: &Circuit, order: Order) -> Self {
        Self::laid_out(circuit, order, None)
    }

    /// The stream of a circuit whose inputs lie where they are told to, if they are.
    pub(crate) fn laid_out(circuit: &Circuit, order: Order, layout: Option<&InputLayout>) -> Self {
        let network = Network::new(circuit);
        let circuit = &network.circuit;
        let leaves = Leaves::new(circuit);
        let mut expander = Expander::new(&network, &leaves.known, leaves.end());
        let decide = decide(circuit, &mut expander, order);
        // What only `assess` computes is not there for `advance`, as `assess` need not run.
        let mut aside = expander.clone();
        let assess = assess(circuit, &mut aside, order);
        expander.skip_to(aside.values());
        let (advance, values) = advance(circuit, &mut expander, &leaves, order);

        let (fixed, scratch) = match layout {
            Some(layout) => layout.fixed_slots(&leaves),
            None => fixed_slots(&leaves, &[&decide, &advance, &assess]),
        };
        let mut allocator = Allocator::new(&fixed, FIRST_BASE, scratch, values);
        let chosen_from: Vec<Literal> = [&decide, &assess].iter().flat_map(|o| &o.outputs).copied().collect();
        allocator.note_reads(&[
            (&decide.units, &[]),
            (&assess.units, &chosen_from),
            (&advance.units, &advance.outputs),
        ]);
        let decide_phase = allocator.phase(&decide.units, &[]);
        let assess_phase = allocator.phase(&assess.units, &chosen_from);
        let advance_phase = allocator.phase(&advance.units, &advance.outputs);

        let [mut decided, mut advanced, mut assessed] =
            [&decide, &advance, &assess].map(|o| o.outputs.iter().map(|&l| allocator.output(l)));
        let nothing = Output { slot: Self::ZERO, complemented: false };
        let bases: Vec<Slot> = (0..leaves.bases).map(|base| Slot(FIRST_BASE + base)).collect();
        Self {
            slots: allocator.count(),
            next: bases.iter().map(|&slot| Output { slot, complemented: false }).collect(),
            bases,
            initial: circuit.bases.iter().map(|b| b.initial).collect(),
            inputs: leaves.slots(&fixed),
            decide: decide_phase,
            advance: advance_phase,
            assess: assess_phase,
            terminal: decided.next().unwrap_or(nothing),
            legal: circuit.legal.iter().map(|edges| decided.by_ref().take(edges.len()).collect()).collect(),
            percepts: named(&circuit.percepts, &mut advanced),
            goals: named(&circuit.goals, &mut assessed),
        }
    }
}

/// The outputs that come with names, role by role.
fn named<T: Copy>(
    names: &[Vec<(T, Edge)>],
    outputs: &mut impl Iterator<Item = Output>,
) -> Vec<Vec<(T, Output)>> {
    names.iter().map(|list| list.iter().map(|&(name, _)| name).zip(&mut *outputs).collect()).collect()
}

/// Termination, then the legal moves.
fn decide(circuit: &Circuit, expander: &mut Expander, order: Order) -> Ordered {
    let edges = std::iter::once(&circuit.terminal).chain(circuit.legal.iter().flatten());
    let outputs = edges.map(|&edge| expander.demand(edge)).collect();
    Ordered { outputs, units: ordered(expander, order) }
}

/// The goals.
fn assess(circuit: &Circuit, expander: &mut Expander, order: Order) -> Ordered {
    let outputs = circuit.goals.iter().flatten().map(|&(_, edge)| expander.demand(edge)).collect();
    Ordered { outputs, units: ordered(expander, order) }
}

/// The percepts, then the next state; with the number of values there are then.
fn advance(circuit: &Circuit, expander: &mut Expander, leaves: &Leaves, order: Order) -> (Ordered, u32) {
    let is_base = |value: Value| (FIRST_BASE..FIRST_BASE + leaves.bases).contains(&value);
    let mut outputs = Vec::new();
    for &(_, edge) in circuit.percepts.iter().flatten() {
        let mut literal = expander.demand(edge);
        if is_base(literal.value) {
            // It will be overwritten before anybody reads the percept.
            literal.value = expander.push(Operator::And, literal.value, literal.value);
        }
        outputs.push(literal);
    }
    let mut landing = Vec::new();
    let mut taken = FxHashSet::default();
    for (base, stored) in (0..).zip(&circuit.bases) {
        let Literal { value, complemented } = expander.demand(stored.next);
        if value == FIRST_BASE + base && !complemented {
            continue;
        }
        let unit = match expander.operation_of(value) {
            Some(unit) if !complemented && taken.insert(unit) => unit,
            _ => {
                let (operator, first) =
                    if complemented { (Operator::AndNot, ONES) } else { (Operator::And, value) };
                expander.push(operator, first, value);
                expander.units.len() - 1
            }
        };
        landing.push((unit, base));
    }
    let task = Task {
        units: std::mem::take(&mut expander.units),
        landing,
        first_base: FIRST_BASE,
        bases: leaves.bases,
        values: expander.values(),
    };
    let (units, values) = schedule(task, order.window());
    (Ordered { units, outputs }, values)
}

/// What the expander has made since the last phase, in order.
fn ordered(expander: &mut Expander, order: Order) -> Vec<Placed> {
    let units = std::mem::take(&mut expander.units);
    let values = expander.values();
    schedule(Task { units, landing: Vec::new(), first_base: FIRST_BASE, bases: 0, values }, order.window()).0
}

/// The slots of constants and leaves, where inputs have one only if they are read; with the number of
/// these slots.
fn fixed_slots(leaves: &Leaves, phases: &[&Ordered]) -> (Vec<u32>, u32) {
    let first_input = FIRST_BASE + leaves.bases;
    let mut slots: Vec<u32> = (0..first_input).collect();
    slots.resize(leaves.end() as usize, NO_SLOT);
    for phase in phases {
        let read =
            phase.units.iter().flat_map(|p| p.unit.reads()).chain(phase.outputs.iter().map(|o| o.value));
        for value in read.filter(|v| (first_input..leaves.end()).contains(v)) {
            slots[value as usize] = 0;
        }
    }
    let mut count = first_input;
    for slot in slots.iter_mut().skip(first_input as usize).filter(|s| **s != NO_SLOT) {
        *slot = count;
        count += 1;
    }
    (slots, count)
}
