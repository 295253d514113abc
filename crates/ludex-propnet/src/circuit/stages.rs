//! The bodies of loops, and an order in which a circuit can be worked out.

use ludex_logic::scc::components;

use super::{Circuit, Gate, GateId};

/// What is worked out at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Stage {
    /// One gate that is in no loop.
    Gate(GateId),
    /// A whole loop.
    Loop {
        /// Its position in [`Circuit::loops`].
        number: u32,
        /// Its variables and its body, in ascending order.
        gates: Vec<GateId>,
    },
}

impl Stage {
    /// The gates of the stage, in ascending order.
    pub fn gates(&self) -> &[GateId] {
        match self {
            Stage::Gate(gate) => std::slice::from_ref(gate),
            Stage::Loop { gates, .. } => gates,
        }
    }

    /// The loop, if it is one.
    pub fn loop_number(&self) -> Option<u32> {
        match self {
            Stage::Gate(_) => None,
            Stage::Loop { number, .. } => Some(*number),
        }
    }
}

impl Circuit {
    /// The body of each loop (see [`Loop`](super::Loop)), without its variables, in ascending order.
    /// The time is linear for each 64 loops.
    pub fn bodies(&self) -> Vec<Vec<GateId>> {
        let mut bodies = vec![Vec::new(); self.loops.len()];
        for start in (0..self.loops.len()).step_by(64) {
            let end = self.loops.len().min(start + 64);
            let is_here = |number: u32| (start..end).contains(&(number as usize));
            // Bit `n`: the gate depends on a variable of loop `start + n`; a definition depends on it.
            let mut reads = vec![0u64; self.gates.len()];
            let mut needed = vec![0u64; self.gates.len()];
            for (at, gate) in self.gates.iter().enumerate() {
                reads[at] = match gate {
                    Gate::Feedback(number) if is_here(*number) => 1 << (*number as usize - start),
                    Gate::And(edges) => edges.iter().fold(0, |all, e| all | reads[e.gate().index()]),
                    _ => 0,
                };
            }
            for (number, found) in self.loops[start..end].iter().enumerate() {
                found.feedback.iter().for_each(|f| needed[f.definition.gate().index()] |= 1 << number);
            }
            for (at, gate) in self.gates.iter().enumerate().rev() {
                if let Gate::And(edges) = gate {
                    edges.iter().for_each(|e| needed[e.gate().index()] |= needed[at]);
                }
            }
            for (at, gate) in self.gates.iter().enumerate() {
                let mut both = if matches!(gate, Gate::And(_)) { reads[at] & needed[at] } else { 0 };
                while both != 0 {
                    bodies[start + both.trailing_zeros() as usize].push(GateId(at as u32));
                    both &= both - 1;
                }
            }
        }
        bodies
    }

    /// All gates, each stage after the stages it reads: an order for whoever wants to know each gate's
    /// final value.
    pub fn schedule(&self) -> Vec<Stage> {
        self.stages().0
    }

    /// The schedule, and whether no loop waits for itself through another one.
    pub(super) fn stages(&self) -> (Vec<Stage>, bool) {
        const OUTSIDE: u32 = u32::MAX;
        let mut members = self.bodies();
        let mut loop_of = vec![OUTSIDE; self.gates.len()];
        for (number, (body, found)) in (0u32..).zip(members.iter_mut().zip(&self.loops)) {
            body.extend(found.feedback.iter().map(|f| f.gate));
            body.sort_unstable();
            body.iter().for_each(|gate| loop_of[gate.index()] = number);
        }
        let unit = |gate: GateId| match loop_of[gate.index()] {
            OUTSIDE => self.loops.len() + gate.index(),
            number => number as usize,
        };
        let mut stages = Vec::new();
        let mut acyclic = true;
        let count = self.loops.len() + self.gates.len();
        for units in components(count, |at| self.read_by(at, &members).into_iter().map(unit).collect()) {
            acyclic &= units.len() == 1;
            for at in units {
                match at.checked_sub(self.loops.len()) {
                    None => stages.push(Stage::Loop { number: at as u32, gates: members[at].clone() }),
                    Some(gate) if loop_of[gate] == OUTSIDE => stages.push(Stage::Gate(GateId(gate as u32))),
                    // The gate is worked out with its loop.
                    Some(_) => {}
                }
            }
        }
        (stages, acyclic)
    }

    /// The gates that a unit reads: units are the loops, then the gates.
    fn read_by(&self, unit: usize, members: &[Vec<GateId>]) -> Vec<GateId> {
        let edges_of = |gate: usize| match &self.gates[gate] {
            Gate::And(edges) => &**edges,
            _ => &[],
        };
        match unit.checked_sub(self.loops.len()) {
            Some(gate) => edges_of(gate).iter().map(|e| e.gate()).collect(),
            None => {
                let edges = members[unit].iter().flat_map(|gate| edges_of(gate.index()));
                let definitions = self.loops[unit].feedback.iter().map(|f| &f.definition);
                edges.chain(definitions).map(|e| e.gate()).collect()
            }
        }
    }
}
