//! The normal form: conjunctions of at least two different operands, none of them a constant or the
//! complement of another, and loops as small as they can be.

use ludex_logic::scc::components;

use super::{Circuit, Edge, Feedback, Gate, GateId, Loop};

/// Sorts the operands of a conjunction and drops what is double or true; the value if it needs no gate:
/// one operand, none, or two that contradict each other.
pub fn normalise(edges: &mut Vec<Edge>) -> Option<Edge> {
    edges.sort_unstable();
    edges.dedup();
    if edges.first() == Some(&Edge::FALSE) {
        return Some(Edge::FALSE);
    }
    edges.retain(|&e| e != Edge::TRUE);
    // An edge and its complement are neighbours in the order of edges.
    if edges.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Some(Edge::FALSE);
    }
    match edges.as_slice() {
        [] => Some(Edge::TRUE),
        &[only] => Some(only),
        _ => None,
    }
}

impl Circuit {
    /// Brings the circuit into normal form. Gates keep their numbers: one that turns out to be a constant
    /// or equal to another edge stays where it is, but no output and no gate in use reads it any more.
    ///
    /// Afterwards each loop is one strongly connected component of the gates, or one variable.
    pub fn fold(&mut self) {
        let mut map: Vec<Edge> = Vec::with_capacity(self.gates.len());
        let mut folded = Vec::new();
        for (number, gate) in (0..).zip(&mut self.gates) {
            let mut equal = Edge::new(GateId(number), false);
            if let Gate::And(edges) = gate {
                folded.clear();
                folded.extend(edges.iter().map(|edge| edge.mapped(&map)));
                match normalise(&mut folded) {
                    Some(simple) => equal = simple,
                    None if **edges == *folded => {}
                    None => *edges = folded.as_slice().into(),
                }
            }
            map.push(equal);
        }
        self.redirect(&map);
        self.split_loops();
    }

    /// Lets outputs and loops read what became of the gates they read.
    pub fn redirect(&mut self, map: &[Edge]) {
        self.outputs_mut().for_each(|edge| *edge = edge.mapped(map));
        for variable in self.loops.iter_mut().flat_map(|l| &mut l.feedback) {
            variable.gate = map[variable.gate.index()].gate();
            variable.definition = variable.definition.mapped(map);
        }
    }

    /// Makes a loop of each strongly connected component with variables.
    fn split_loops(&mut self) {
        if self.loops.is_empty() {
            return;
        }
        let definitions = self.definitions();
        let found = components(self.gates.len(), |gate| {
            let reads = self.gates[gate].operands().iter().chain(&definitions[gate]);
            reads.map(|edge| edge.gate().index()).collect()
        });
        self.loops.clear();
        for members in found {
            let variable =
                |&at: &usize| Some(Feedback { gate: GateId(at as u32), definition: definitions[at]? });
            let feedback: Vec<Feedback> = members.iter().filter_map(variable).collect();
            if feedback.is_empty() {
                continue;
            }
            let number = self.loops.len() as u32;
            feedback.iter().for_each(|f| self.gates[f.gate.index()] = Gate::Feedback(number));
            self.loops.push(Loop { feedback });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    #[test]
    fn gates_keep_their_numbers_and_lose_what_says_nothing() {
        let mut sketch = CircuitSketch::new(false);
        let [a, b] = [false, true].map(|initial| sketch.base(initial));
        let mut circuit = sketch.finish();
        let mut add = |edges: &[Edge]| {
            circuit.gates.push(Gate::And(edges.into()));
            Edge::new(GateId(circuit.gates.len() as u32 - 1), false)
        };
        let same = add(&[a, Edge::TRUE]);
        let never = add(&[same, !a]);
        let both = add(&[b, same, !never, a]);
        circuit.bases[0].next = both;
        circuit.bases[1].next = !never;
        circuit.terminal = !same;
        circuit.fold();
        assert_eq!(circuit.gates[both.gate().index()], Gate::And([a, b].into()));
        assert_eq!((circuit.bases[0].next, circuit.bases[1].next), (both, Edge::TRUE));
        assert_eq!(circuit.terminal, !a);
        assert_eq!(circuit.check(), Ok(()));
    }

    #[test]
    fn loops_that_fall_apart_are_split() {
        let mut sketch = CircuitSketch::new(true);
        let a = sketch.base(false);
        let [x, y, z] = [0; 3].map(|number| sketch.builder.feedback(number));
        let (to_x, to_y) = (sketch.or(&[y, a]), sketch.and(&[x, a]));
        let definitions = [(x, to_x), (y, to_y), (z, to_x)];
        let feedback = definitions.map(|(v, definition)| Feedback { gate: v.gate(), definition });
        sketch.circuit.loops.push(Loop { feedback: feedback.to_vec() });
        sketch.next(0, z);
        let mut circuit = sketch.finish();
        circuit.fold();
        let sizes: Vec<usize> = circuit.loops.iter().map(|l| l.feedback.len()).collect();
        assert_eq!(sizes, [2, 1]);
        assert_eq!(circuit.check(), Ok(()));
    }
}
