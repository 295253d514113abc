//! From gates of many operands to operations of two, over values that are written once.
//!
//! A gate's value is stored as it is or complemented, whichever needs no operation of its own: with
//! operands stored as p or complemented as n, p & p is `And`, p & n is `AndNot`, and n & n is the
//! complement of `Or`. So every gate takes one operation less than it has operands.

use ludex_propnet::{Edge, Gate, GateId};

use super::Operator;
use super::network::Network;

/// Something computed once; what is in a slot for a while.
pub(super) type Value = u32;

/// Always all zero.
pub(super) const ZERO: Value = 0;
/// Always all one.
pub(super) const ONES: Value = 1;

/// A value or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Literal {
    pub value: Value,
    pub complemented: bool,
}

impl Literal {
    fn complement_if(self, complemented: bool) -> Self {
        Self { complemented: self.complemented ^ complemented, ..self }
    }
}

/// `to = a operator b`, where nothing else writes `to`.
#[derive(Clone, Copy, Debug)]
pub(super) struct ValueOperation {
    pub operator: Operator,
    pub to: Value,
    pub a: Value,
    pub b: Value,
}

/// A recursion over values.
#[derive(Clone, Debug, Default)]
pub(super) struct ValueFixpoint {
    pub feedback: Vec<(Value, Literal)>,
    pub body: Vec<ValueOperation>,
    /// The values from outside that the body reads, each once.
    pub reads: Vec<Value>,
}

/// What is scheduled as a whole.
#[derive(Clone, Debug)]
pub(super) enum Unit {
    Operation(ValueOperation),
    Fixpoint(Box<ValueFixpoint>),
}

impl Unit {
    /// The values it reads, each once.
    pub fn reads(&self) -> impl Iterator<Item = Value> + '_ {
        let (pair, list): ([Option<Value>; 2], &[Value]) = match self {
            Self::Operation(o) => ([Some(o.a), (o.a != o.b).then_some(o.b)], &[]),
            Self::Fixpoint(f) => ([None, None], &f.reads),
        };
        pair.into_iter().flatten().chain(list.iter().copied())
    }

    /// The values it gives.
    pub fn writes(&self) -> impl Iterator<Item = Value> + '_ {
        let (one, fixpoint) = match self {
            Self::Operation(o) => (Some(o.to), None),
            Self::Fixpoint(f) => (None, Some(f)),
        };
        let inner = fixpoint.into_iter().flat_map(|f| {
            f.feedback.iter().map(|&(variable, _)| variable).chain(f.body.iter().map(|o| o.to))
        });
        one.into_iter().chain(inner)
    }
}

/// What the depth-first search has begun.
enum Frame {
    /// An and-gate, the operands done, and where its partial results start.
    Gate { gate: GateId, done: usize, partial: usize },
    /// A recursion and the outside gates done.
    Recursion { number: usize, done: usize },
}

/// Makes operations for gates as they are demanded, each gate once.
#[derive(Clone)]
pub(super) struct Expander<'n> {
    network: &'n Network,
    /// Where the value of each gate is, once it is known.
    literals: Vec<Option<Literal>>,
    values: u32,
    /// What was made since this was last taken, in depth-first order.
    pub units: Vec<Unit>,
    /// Partial conjunctions of all begun gates, with the logarithm of the number of operands.
    partials: Vec<(Literal, u32)>,
}

impl<'n> Expander<'n> {
    /// An expander that knows the values of some gates.
    pub fn new(network: &'n Network, known: &[(GateId, Value)], values: u32) -> Self {
        let mut literals = vec![None; network.circuit.gates.len()];
        for &(gate, value) in known {
            literals[gate.index()] = Some(Literal { value, complemented: false });
        }
        Self { network, literals, values, units: Vec::new(), partials: Vec::new() }
    }

    /// The number of values so far.
    pub fn values(&self) -> u32 {
        self.values
    }

    /// Leaves values before this one to others.
    pub fn skip_to(&mut self, values: u32) {
        self.values = self.values.max(values);
    }

    /// A value nobody has written yet.
    pub fn fresh(&mut self) -> Value {
        self.values += 1;
        self.values - 1
    }

    /// Makes an operation.
    pub fn push(&mut self, operator: Operator, a: Value, b: Value) -> Value {
        let to = self.fresh();
        self.units.push(Unit::Operation(ValueOperation { operator, to, a, b }));
        to
    }

    /// The operation among the units that writes a value.
    pub fn operation_of(&self, value: Value) -> Option<usize> {
        // Units are made in the order of the values they write.
        let after = self.units.partition_point(|unit| unit.writes().next().is_some_and(|v| v <= value));
        let unit = after.checked_sub(1)?;
        matches!(self.units.get(unit), Some(Unit::Operation(o)) if o.to == value).then_some(unit)
    }

    /// Where the value of an edge is, if it has been computed.
    fn literal(&self, edge: Edge) -> Option<Literal> {
        self.literals[edge.gate().index()].map(|l| l.complement_if(edge.is_complemented()))
    }

    /// Computes an edge and everything it needs.
    pub fn demand(&mut self, edge: Edge) -> Literal {
        let network = self.network;
        let mut frames = Vec::new();
        self.enter(edge.gate(), &mut frames);
        while let Some(frame) = frames.last_mut() {
            let missing = match frame {
                Frame::Gate { gate, done, partial } => {
                    self.take_known(network.circuit.gates[gate.index()].operands(), done, *partial)
                }
                Frame::Recursion { number, done } => {
                    let outside = &network.outside[*number];
                    while outside.get(*done).is_some_and(|g| self.literals[g.index()].is_some()) {
                        *done += 1;
                    }
                    outside.get(*done).copied()
                }
            };
            if let Some(gate) = missing {
                self.enter(gate, &mut frames);
            } else if let Some(frame) = frames.pop() {
                self.finish(frame);
            }
        }
        // The search has ended, so the gate is finished and its value known.
        self.literal(edge).unwrap_or(Literal { value: ZERO, complemented: false })
    }

    /// Begins a gate, if it is not known.
    fn enter(&self, gate: GateId, frames: &mut Vec<Frame>) {
        if self.literals[gate.index()].is_none() {
            frames.push(match self.network.loops.loop_of(gate) {
                Some(number) => Frame::Recursion { number, done: 0 },
                None => Frame::Gate { gate, done: 0, partial: self.partials.len() },
            });
        }
    }

    /// Takes operands into the partial results as long as they are known; gives the first that is not.
    fn take_known(&mut self, operands: &[Edge], done: &mut usize, partial: usize) -> Option<GateId> {
        while let Some(&edge) = operands.get(*done) {
            let Some(literal) = self.literal(edge) else { return Some(edge.gate()) };
            self.partials.push((literal, 0));
            *done += 1;
            while let [.., (a, first), (b, second)] = self.partials[partial..]
                && first == second
            {
                let both = (self.both(a, b), first + 1);
                self.partials.truncate(self.partials.len() - 2);
                self.partials.push(both);
            }
        }
        None
    }

    /// Ends a gate or recursion all of whose operands are known.
    fn finish(&mut self, frame: Frame) {
        match frame {
            Frame::Gate { gate, partial, .. } => {
                while let [.., (a, _), (b, rank)] = self.partials[partial..] {
                    let both = (self.both(a, b), rank);
                    self.partials.truncate(self.partials.len() - 2);
                    self.partials.push(both);
                }
                self.literals[gate.index()] = self.partials.pop().map(|(literal, _)| literal);
            }
            Frame::Recursion { number, .. } => self.finish_recursion(number),
        }
    }

    fn finish_recursion(&mut self, number: usize) {
        let network = self.network;
        let variables = &network.circuit.loops[number].feedback;
        for variable in variables {
            let value = self.fresh();
            self.literals[variable.gate.index()] = Some(Literal { value, complemented: false });
        }
        let before = self.units.len();
        let first_inner = self.values - variables.len() as u32;
        for &gate in network.loops.members(number) {
            let Gate::And(operands) = &network.circuit.gates[gate.index()] else { continue };
            let partial = self.partials.len();
            let unknown = self.take_known(operands, &mut 0, partial);
            debug_assert!(unknown.is_none(), "a body is in topological order");
            self.finish(Frame::Gate { gate, done: 0, partial });
        }
        let mut fixpoint = ValueFixpoint::default();
        for unit in self.units.drain(before..) {
            if let Unit::Operation(operation) = unit {
                fixpoint.reads.extend([operation.a, operation.b]);
                fixpoint.body.push(operation);
            }
        }
        for variable in variables {
            if let (Some(variable), Some(definition)) =
                (self.literals[variable.gate.index()], self.literal(variable.definition))
            {
                fixpoint.reads.push(definition.value);
                fixpoint.feedback.push((variable.value, definition));
            }
        }
        fixpoint.reads.retain(|&v| v < first_inner);
        fixpoint.reads.sort_unstable();
        fixpoint.reads.dedup();
        self.units.push(Unit::Fixpoint(Box::new(fixpoint)));
    }

    /// The conjunction of two.
    fn both(&mut self, a: Literal, b: Literal) -> Literal {
        let (operator, a, b, complemented) = match (a.complemented, b.complemented) {
            (false, false) => (Operator::And, a, b, false),
            (false, true) => (Operator::AndNot, a, b, false),
            (true, false) => (Operator::AndNot, b, a, false),
            (true, true) => (Operator::Or, a, b, true),
        };
        Literal { value: self.push(operator, a.value, b.value), complemented }
    }
}
