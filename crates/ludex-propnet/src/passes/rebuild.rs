//! Writes a circuit anew, gate by gate. Every pass is a [`Rewrite`] that says what becomes of an
//! and-gate, given what became of its operands.

use ludex_logic::{LimitError, Meter};

use crate::circuit::GateBuilder;
use crate::{Circuit, Edge, Feedback, Gate, GateId, Loop};

/// What stands for a gate that has not been visited.
const UNSEEN: Edge = Edge::FALSE;

/// Where the writing has got to.
pub(super) struct Site<'a> {
    /// The circuit as it was.
    pub(super) old: &'a Circuit,
    /// What became of the old gates visited so far (the operands of a gate come before it).
    pub(super) map: &'a [Edge],
    /// The new gates.
    pub(super) builder: &'a mut GateBuilder,
    /// Limits.
    pub(super) meter: &'a mut Meter,
}

impl Site<'_> {
    /// What became of an old edge.
    pub(super) fn mapped(&self, edge: Edge) -> Edge {
        edge.mapped(self.map)
    }
}

/// One pass, gate by gate.
pub(super) trait Rewrite {
    /// Another edge of the old circuit to take for this old gate; a base whose gate has one leaves the
    /// state.
    ///
    /// Following these must not lead around in a circle.
    fn instead(&self, _gate: GateId) -> Option<Edge> {
        None
    }

    /// Whether nothing but its one reader asks for this and-gate, and the reader takes it apart.
    fn is_inlined(&self, _gate: GateId) -> bool {
        false
    }

    /// The new edge for an old and-gate, whose operands' new edges are in `edges`.
    fn and(&mut self, site: &mut Site<'_>, _gate: GateId, edges: &mut Vec<Edge>) -> Result<Edge, LimitError> {
        Ok(site.builder.and(edges))
    }
}

/// Takes other edges for some gates.
pub(super) struct Replacement {
    /// Per gate the edge that stands for it.
    pub(super) instead: Vec<Option<Edge>>,
}

impl Rewrite for Replacement {
    fn instead(&self, gate: GateId) -> Option<Edge> {
        self.instead[gate.index()]
    }
}

/// Changes nothing but what the builder simplifies.
pub(super) struct Copy;

impl Rewrite for Copy {}

/// The new numbers of the bases; `None` for those that left.
pub(super) type BaseNumbers = Vec<Option<u32>>;

/// Writes `circuit` anew. Gates and loops that no output needs disappear.
pub(super) fn rebuild(
    circuit: &mut Circuit,
    rewrite: &mut impl Rewrite,
    share: bool,
    meter: &mut Meter,
) -> Result<BaseNumbers, LimitError> {
    let numbers = base_numbers(circuit, rewrite);
    let order = needed(circuit, rewrite, &numbers, meter)?;
    let loops = LoopNumbers::new(circuit, &order, rewrite);
    let mut builder = GateBuilder::new(share);
    let mut map = vec![UNSEEN; circuit.gates.len()];
    let mut edges = Vec::new();
    for &gate in &order {
        meter.spend(1)?;
        let new = if let Some(other) = rewrite.instead(gate) {
            other.mapped(&map)
        } else {
            match &circuit.gates[gate.index()] {
                Gate::False => Edge::FALSE,
                Gate::Base(number) => match numbers.get(*number as usize).copied().flatten() {
                    Some(new) => builder.source(Gate::Base(new)),
                    None => Edge::FALSE,
                },
                input @ Gate::Input(..) => builder.source(input.clone()),
                Gate::Feedback(_) => match loops.number_of(gate) {
                    Some(number) => builder.feedback(number),
                    // Nothing ever makes a variable without definition true.
                    None => Edge::FALSE,
                },
                Gate::And(_) if rewrite.is_inlined(gate) => continue,
                Gate::And(operands) => {
                    meter.spend(operands.len() as u64)?;
                    edges.clear();
                    edges.extend(operands.iter().map(|e| e.mapped(&map)));
                    let mut site = Site { old: circuit, map: &map, builder: &mut builder, meter };
                    rewrite.and(&mut site, gate, &mut edges)?
                }
            }
        };
        map[gate.index()] = new;
    }
    circuit.gates = builder.finish();
    circuit.loops = loops.left;
    circuit.redirect(&map);
    let mut kept = numbers.iter();
    circuit.bases.retain(|_| kept.next().is_some_and(Option::is_some));
    Ok(numbers)
}

fn base_numbers(circuit: &Circuit, rewrite: &impl Rewrite) -> BaseNumbers {
    let mut leaves = vec![false; circuit.bases.len()];
    for (gate, computes) in (0..).map(GateId).zip(&circuit.gates) {
        if let Gate::Base(base) = computes
            && let Some(leaves) = leaves.get_mut(*base as usize)
        {
            *leaves = rewrite.instead(gate).is_some();
        }
    }
    let mut new = 0..;
    leaves.into_iter().map(|leaves| if leaves { None } else { new.next() }).collect()
}

/// The gates that outputs need, in topological order: depth first from the outputs, so that gates
/// stand close to their readers.
fn needed(
    circuit: &Circuit,
    rewrite: &impl Rewrite,
    numbers: &BaseNumbers,
    meter: &mut Meter,
) -> Result<Vec<GateId>, LimitError> {
    let definitions = circuit.definitions();
    let mut walk = Walk { seen: vec![false; circuit.gates.len()], order: vec![], pending: vec![] };
    walk.enter(GateId(0));
    walk.order.push(GateId(0));
    let next = circuit.bases.iter().zip(numbers).filter(|(_, new)| new.is_some()).map(|(b, _)| b.next);
    let percepts = circuit.percepts.iter().flatten().map(|&(_, edge)| edge);
    for edge in circuit.state_outputs().chain(next).chain(percepts) {
        walk.from(circuit, rewrite, &definitions, edge.gate(), meter)?;
        while let Some(definition) = walk.pending.pop() {
            walk.from(circuit, rewrite, &definitions, definition.gate(), meter)?;
        }
    }
    Ok(walk.order)
}

struct Walk {
    seen: Vec<bool>,
    order: Vec<GateId>,
    /// Definitions of variables that were met.
    pending: Vec<Edge>,
}

impl Walk {
    fn enter(&mut self, gate: GateId) -> bool {
        !std::mem::replace(&mut self.seen[gate.index()], true)
    }

    fn from(
        &mut self,
        circuit: &Circuit,
        rewrite: &impl Rewrite,
        definitions: &[Option<Edge>],
        root: GateId,
        meter: &mut Meter,
    ) -> Result<(), LimitError> {
        let mut stack = Vec::new();
        if self.enter(root) {
            stack.push((root, 0));
        }
        while let Some((gate, at)) = stack.pop() {
            meter.spend(1)?;
            let child = if let Some(other) = rewrite.instead(gate) {
                (at == 0).then(|| other.gate())
            } else if let Gate::And(edges) = &circuit.gates[gate.index()] {
                edges.get(at).map(|e| e.gate())
            } else {
                self.pending.extend(definitions[gate.index()]);
                None
            };
            let Some(child) = child else {
                self.order.push(gate);
                continue;
            };
            stack.push((gate, at + 1));
            if self.enter(child) {
                stack.push((child, 0));
            }
        }
        Ok(())
    }
}

/// The loops that are left, with their variables.
struct LoopNumbers {
    left: Vec<Loop>,
    number: Vec<Option<u32>>,
}

impl LoopNumbers {
    fn new(circuit: &Circuit, order: &[GateId], rewrite: &impl Rewrite) -> Self {
        let mut stays = vec![false; circuit.gates.len()];
        for gate in order {
            stays[gate.index()] = rewrite.instead(*gate).is_none();
        }
        let mut numbers = Self { left: Vec::new(), number: vec![None; circuit.gates.len()] };
        for each in &circuit.loops {
            let feedback: Vec<Feedback> =
                each.feedback.iter().filter(|f| stays[f.gate.index()]).copied().collect();
            if feedback.is_empty() {
                continue;
            }
            for variable in &feedback {
                numbers.number[variable.gate.index()] = Some(numbers.left.len() as u32);
            }
            numbers.left.push(Loop { feedback });
        }
        numbers
    }

    fn number_of(&self, gate: GateId) -> Option<u32> {
        self.number[gate.index()]
    }
}
