//! How many turns a round may have.

use super::{Rounds, Target};
use crate::{Circuit, Edge, Gate, GateId};

/// The longest round that is looked for.
const LONGEST: usize = 8;

/// How many times over a round must be seen.
const SEEN: usize = 3;

impl Rounds {
    /// The lengths of rounds, from 2 turns on, in which a base comes round that depends on no move, in
    /// ascending order. That a round begins again for ever is for [`Rounds::facts`] to prove.
    pub fn periods(&self, circuit: &Circuit) -> Vec<usize> {
        let moving = self.moving(circuit);
        let steps = SEEN * LONGEST;
        let mut state: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        let mut courses: Vec<Vec<bool>> = vec![Vec::with_capacity(steps); circuit.bases.len()];
        let mut values = vec![false; circuit.gates.len()];
        for _ in 0..steps {
            for (at, gate) in circuit.gates.iter().enumerate() {
                if moving[at] {
                    continue;
                }
                let of = |edge: &Edge| values[edge.gate().index()] != edge.is_complemented();
                values[at] = match gate {
                    Gate::Base(base) => state[*base as usize],
                    Gate::And(edges) => edges.iter().all(of),
                    Gate::False | Gate::Input(..) | Gate::Feedback(_) => false,
                };
            }
            for ((course, value), base) in courses.iter_mut().zip(&mut state).zip(&circuit.bases) {
                course.push(*value);
                *value = values[base.next.gate().index()] != base.next.is_complemented();
            }
        }
        let still =
            self.bases.iter().zip(&courses).filter(|(gate, _)| gate.is_some_and(|g| !moving[g.index()]));
        let mut found: Vec<usize> = still.filter_map(|(_, course)| period(course)).collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    /// Per gate whether it depends on moves, now or in earlier states, or on a loop.
    fn moving(&self, circuit: &Circuit) -> Vec<bool> {
        let mut moving = vec![false; circuit.gates.len()];
        let mut open: Vec<GateId> =
            (0..).map(GateId).zip(&circuit.gates).filter(is_source).map(|s| s.0).collect();
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut moving[gate.index()], true) {
                continue;
            }
            for reading in &self.readers[gate.index()] {
                match reading.target {
                    Target::And(gate) | Target::Base(gate) | Target::Variable(gate) => open.push(gate),
                    Target::Legal(..) => {}
                }
            }
        }
        moving
    }
}

fn is_source(gate: &(GateId, &Gate)) -> bool {
    matches!(gate.1, Gate::Input(..) | Gate::Feedback(_))
}

/// The shortest period of a course, if it has one and is not constant.
fn period(course: &[bool]) -> Option<usize> {
    let repeats = |period: &usize| course.iter().zip(&course[*period..]).all(|(a, b)| a == b);
    (1..=LONGEST).find(repeats).filter(|&period| period > 1)
}
