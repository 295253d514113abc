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
                    other => other.operands().iter().fold(0, |all, e| all | reads[e.gate().index()]),
                };
            }
            for (number, found) in self.loops[start..end].iter().enumerate() {
                found.feedback.iter().for_each(|f| needed[f.definition.gate().index()] |= 1 << number);
            }
            for (at, gate) in self.gates.iter().enumerate().rev() {
                gate.operands().iter().for_each(|e| needed[e.gate().index()] |= needed[at]);
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
        let gates = (0..self.gates.len() as u32).map(GateId);
        if self.loops.is_empty() {
            return (gates.map(Stage::Gate).collect(), true);
        }
        let loops = LoopMembers::new(self);
        let unit = |gate: GateId| loops.loop_of(gate).unwrap_or(self.loops.len() + gate.index());
        // Units are the loops, then the gates.
        let read_by = |at: usize| -> Vec<usize> {
            match at.checked_sub(self.loops.len()) {
                None => loops.reads(self, at).map(unit).collect(),
                Some(gate) => self.gates[gate].operands().iter().map(|e| unit(e.gate())).collect(),
            }
        };
        let mut stages = Vec::new();
        let mut acyclic = true;
        for units in components(self.loops.len() + self.gates.len(), read_by) {
            acyclic &= units.len() == 1;
            for at in units {
                match at.checked_sub(self.loops.len()).map(|gate| GateId(gate as u32)) {
                    None => stages.push(Stage::Loop { number: at as u32, gates: loops.members(at).to_vec() }),
                    Some(gate) if loops.loop_of(gate).is_none() => stages.push(Stage::Gate(gate)),
                    // The gate is worked out with its loop.
                    Some(_) => {}
                }
            }
        }
        (stages, acyclic)
    }
}

/// The loops of a circuit with all gates that are worked out again and again.
#[derive(Clone, Debug, Default)]
pub struct LoopMembers {
    /// Per gate; empty without loops.
    loop_of: Vec<Option<u32>>,
    members: Vec<Vec<GateId>>,
}

impl LoopMembers {
    /// The loops of a circuit; the other functions are to be given the same one.
    pub fn new(circuit: &Circuit) -> Self {
        if circuit.loops.is_empty() {
            return Self::default();
        }
        let mut members = circuit.bodies();
        let mut loop_of = vec![None; circuit.gates.len()];
        for (number, (body, found)) in (0..).zip(members.iter_mut().zip(&circuit.loops)) {
            body.extend(found.feedback.iter().map(|f| f.gate));
            body.sort_unstable();
            body.iter().for_each(|gate| loop_of[gate.index()] = Some(number));
        }
        Self { loop_of, members }
    }

    /// The position of the loop whose variable or body a gate is.
    pub fn loop_of(&self, gate: GateId) -> Option<usize> {
        self.loop_of.get(gate.index()).copied().flatten().map(|number| number as usize)
    }

    /// The variables and the body of a loop, in ascending order.
    pub fn members(&self, number: usize) -> &[GateId] {
        &self.members[number]
    }

    /// The gates outside of a loop that its body reads or its variables are defined by, as often as they
    /// do.
    pub fn reads<'a>(&'a self, circuit: &'a Circuit, number: usize) -> impl Iterator<Item = GateId> + 'a {
        let operands = self.members[number].iter().flat_map(|gate| circuit.gates[gate.index()].operands());
        let definitions = circuit.loops[number].feedback.iter().map(|f| &f.definition);
        let all = operands.chain(definitions).map(|edge| edge.gate());
        all.filter(move |&gate| self.loop_of(gate) != Some(number))
    }
}
