//! A plain evaluator for small circuits.

use crate::{Circuit, Edge, Gate};

/// The values of all gates of one state and joint move (`None`: no move is made).
pub(crate) struct Values(Vec<bool>);

impl Values {
    pub(crate) fn new(circuit: &Circuit, bases: &[bool], joint: Option<&[usize]>) -> Self {
        let mut values = Self(vec![false; circuit.gates.len()]);
        values.pass(circuit, bases, joint);
        // A loop reads those before it.
        for each in &circuit.loops {
            loop {
                let new: Vec<bool> = each.feedback.iter().map(|f| values.of(f.definition)).collect();
                let mut changed = false;
                for (variable, new) in each.feedback.iter().zip(new) {
                    changed |= std::mem::replace(&mut values.0[variable.gate.index()], new) != new;
                }
                if !changed {
                    break;
                }
                values.pass(circuit, bases, joint);
            }
        }
        values
    }

    fn pass(&mut self, circuit: &Circuit, bases: &[bool], joint: Option<&[usize]>) {
        for (index, gate) in circuit.gates.iter().enumerate() {
            self.0[index] = match gate {
                Gate::False => false,
                Gate::Base(base) => bases[*base as usize],
                Gate::Input(role, action) => joint.is_some_and(|j| j[*role as usize] == *action as usize),
                Gate::Feedback(_) => self.0[index],
                Gate::And(edges) => {
                    assert!(edges.len() >= 2 && edges.iter().all(|e| e.gate().index() < index));
                    edges.iter().all(|e| self.of(*e))
                }
            };
        }
    }

    pub(crate) fn of(&self, edge: Edge) -> bool {
        self.0[edge.gate().index()] != edge.is_complemented()
    }
}

/// What can be seen of a state.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) legal: Vec<Vec<bool>>,
    pub(crate) terminal: bool,
    pub(crate) goals: Vec<Vec<bool>>,
    pub(crate) values: Vec<bool>,
}

pub(crate) fn see(circuit: &Circuit, bases: &[bool]) -> Seen {
    let gates = Values::new(circuit, bases, None);
    Seen {
        legal: circuit.legal.iter().map(|m| m.iter().map(|e| gates.of(*e)).collect()).collect(),
        terminal: gates.of(circuit.terminal),
        goals: circuit.goals.iter().map(|m| m.iter().map(|(_, e)| gates.of(*e)).collect()).collect(),
        values: circuit.values.iter().map(|e| gates.of(*e)).collect(),
    }
}

/// The next state and the percepts.
pub(crate) fn step(circuit: &Circuit, bases: &[bool], joint: &[usize]) -> (Vec<bool>, Vec<Vec<bool>>) {
    let gates = Values::new(circuit, bases, Some(joint));
    (
        circuit.bases.iter().map(|b| gates.of(b.next)).collect(),
        circuit.percepts.iter().map(|m| m.iter().map(|(_, e)| gates.of(*e)).collect()).collect(),
    )
}

pub(crate) fn initial(circuit: &Circuit) -> Vec<bool> {
    circuit.bases.iter().map(|b| b.initial).collect()
}
