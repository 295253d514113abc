//! A circuit prepared for the builder: constants and single operands resolved, loops with their bodies.

use ludex_logic::scc::components;
use ludex_propnet::{Circuit, Edge, Gate, GateId};

/// No loop.
const NONE: u32 = u32::MAX;

/// A recursion with everything that is run again and again.
///
/// Loops that depend on each other count as one.
pub(super) struct Recursion {
    /// Variables with their definitions, resolved.
    pub feedback: Vec<(GateId, Edge)>,
    /// The and-gates of the body in topological order.
    pub body: Vec<GateId>,
    /// The gates that have to be known before: each once.
    pub outside: Vec<GateId>,
}

/// A circuit without constants and gates of one operand.
pub(super) struct Network {
    /// What each gate is equal to: itself, or a simpler gate or a constant.
    resolved: Vec<Edge>,
    /// The operands of all and-gates, one gate after the other; those that need most slots first.
    operands: Vec<Edge>,
    /// Where the operands of each gate start in `operands`; one more entry than there are gates.
    starts: Vec<u32>,
    /// Per gate the recursion it belongs to, or `NONE`.
    recursion_of: Vec<u32>,
    /// The recursions.
    pub recursions: Vec<Recursion>,
}

impl Network {
    /// Prepares a circuit.
    pub fn new(circuit: &Circuit) -> Self {
        let count = circuit.gates.len();
        let mut network = Self {
            resolved: Vec::with_capacity(count),
            operands: Vec::new(),
            starts: vec![0],
            recursion_of: vec![NONE; count],
            recursions: Vec::new(),
        };
        let mut needs: Vec<u32> = Vec::with_capacity(count);
        for (index, gate) in circuit.gates.iter().enumerate() {
            let need = network.add(GateId(index as u32), gate, &needs);
            needs.push(need);
        }
        network.find_recursions(circuit);
        network
    }

    /// Adds the next gate; gives how many slots it takes to compute it, if nothing is shared (Sethi
    /// and Ullman's numbers).
    fn add(&mut self, id: GateId, gate: &Gate, needs: &[u32]) -> u32 {
        let start = self.operands.len();
        let mut need = 0;
        let mut equal = Edge::new(id, false);
        match gate {
            Gate::False => equal = Edge::FALSE,
            Gate::Base(_) | Gate::Input(..) | Gate::Feedback(_) => {}
            Gate::And(edges) => {
                let mut kept: Vec<Edge> = edges.iter().map(|&e| self.resolve(e)).collect();
                kept.retain(|&e| e != Edge::TRUE);
                kept.sort_unstable();
                kept.dedup();
                let contradiction = kept.windows(2).any(|pair| pair[0] == !pair[1]);
                if contradiction || kept.first() == Some(&Edge::FALSE) {
                    equal = Edge::FALSE;
                } else if kept.len() < 2 {
                    equal = kept.first().copied().unwrap_or(Edge::TRUE);
                } else {
                    let need_of = |e: &Edge| needs.get(e.gate().index()).copied().unwrap_or(0);
                    kept.sort_by_key(|e| std::cmp::Reverse(need_of(e)));
                    need = kept.iter().take(2).zip(0..).map(|(e, held)| need_of(e) + held).max().unwrap_or(0);
                    self.operands.append(&mut kept);
                }
                debug_assert!(self.operands[start..].iter().all(|e| e.gate() < id));
            }
        }
        self.resolved.push(equal);
        self.starts.push(self.operands.len() as u32);
        need
    }

    /// The number of gates.
    pub fn gate_count(&self) -> usize {
        self.recursion_of.len()
    }

    /// The simplest edge equal to `edge`. An edge to a later gate is left as it is.
    pub fn resolve(&self, edge: Edge) -> Edge {
        let equal = self.resolved.get(edge.gate().index()).copied();
        equal.map_or(edge, |e| e.complement_if(edge.is_complemented()))
    }

    /// The operands of an and-gate: two or more; none of other gates.
    pub fn operands(&self, gate: GateId) -> &[Edge] {
        let at = gate.index();
        &self.operands[self.starts[at] as usize..self.starts[at + 1] as usize]
    }

    /// The recursion whose variable or body a gate is.
    pub fn recursion_of(&self, gate: GateId) -> Option<usize> {
        let number = self.recursion_of[gate.index()];
        (number != NONE).then_some(number as usize)
    }

    /// Finds the bodies: the variables of a loop are chained to one ring, so that the ring and
    /// everything between variables and definitions is one strongly connected component.
    fn find_recursions(&mut self, circuit: &Circuit) {
        if circuit.loops.is_empty() {
            return;
        }
        let mut definitions: Vec<Option<(Edge, GateId)>> = vec![None; self.gate_count()];
        for cycle in &circuit.loops {
            for (at, variable) in cycle.feedback.iter().enumerate() {
                let following = cycle.feedback[(at + 1) % cycle.feedback.len()].gate;
                definitions[variable.gate.index()] = Some((self.resolve(variable.definition), following));
            }
        }
        let found = components(self.gate_count(), |gate| match definitions[gate] {
            Some((definition, following)) => vec![definition.gate().index(), following.index()],
            None => self.operands(GateId(gate as u32)).iter().map(|e| e.gate().index()).collect(),
        });
        for members in found {
            if !members.iter().any(|&m| definitions[m].is_some()) {
                continue;
            }
            let number = self.recursions.len() as u32;
            members.iter().for_each(|&m| self.recursion_of[m] = number);
            let mut recursion = Recursion { feedback: Vec::new(), body: Vec::new(), outside: Vec::new() };
            for &member in &members {
                let gate = GateId(member as u32);
                match definitions[member] {
                    Some((definition, _)) => {
                        recursion.feedback.push((gate, definition));
                        recursion.outside.push(definition.gate());
                    }
                    None => {
                        recursion.body.push(gate);
                        recursion.outside.extend(self.operands(gate).iter().map(|e| e.gate()));
                    }
                }
            }
            recursion.outside.retain(|g| self.recursion_of[g.index()] != number);
            recursion.outside.sort_unstable();
            recursion.outside.dedup();
            self.recursions.push(recursion);
        }
    }
}
