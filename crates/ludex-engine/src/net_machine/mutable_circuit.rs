//! A circuit on its way to run-time form: gates that may still be rewritten.

use ludex_logic::scc;
use ludex_propnet::{Circuit, Edge, Gate, GateId};

/// No gate has more operands than this: operands that are not satisfied are counted in one byte.
pub(super) const WIDEST: usize = 255;

/// What a gate of a mutable computes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// False.
    False,
    /// A stored base.
    Base(u32),
    /// Whether a role makes a move, by its position among the role's moves.
    Input(u32, u32),
    /// A variable of a recursion, and what it is to be equal to.
    Feedback(Edge),
    /// All of these are true.
    And(Vec<Edge>),
}

/// The gates. Operands of an and-gate come before it; definitions of feedback gates lie anywhere.
#[derive(Clone, Debug)]
pub(super) struct MutableCircuit {
    pub(super) nodes: Vec<Node>,
}

/// What is asked of a circuit.
#[derive(Clone, Debug, Default)]
pub(super) struct Outputs {
    /// Per role and move.
    pub(super) legal: Vec<Vec<Edge>>,
    /// Whether the state is terminal.
    pub(super) terminal: Vec<Edge>,
    /// Per role and goal value.
    pub(super) goals: Vec<Vec<Edge>>,
    /// Per stored base.
    pub(super) next: Vec<Edge>,
    /// Per role and percept.
    pub(super) percepts: Vec<Vec<Edge>>,
    /// Per proposition.
    pub(super) values: Vec<Edge>,
}

impl Outputs {
    fn of(circuit: &Circuit) -> Self {
        let second = |list: &Vec<(_, Edge)>| list.iter().map(|&(_, edge)| edge).collect();
        Self {
            legal: circuit.legal.clone(),
            terminal: vec![circuit.terminal],
            goals: circuit.goals.iter().map(|list| list.iter().map(|&(_, edge)| edge).collect()).collect(),
            next: circuit.bases.iter().map(|base| base.next).collect(),
            percepts: circuit.percepts.iter().map(second).collect(),
            values: circuit.values.clone(),
        }
    }

    fn lists_mut(&mut self) -> impl Iterator<Item = &mut Vec<Edge>> {
        let nested = self.legal.iter_mut().chain(&mut self.goals).chain(&mut self.percepts);
        nested.chain([&mut self.terminal, &mut self.next, &mut self.values])
    }
}

impl MutableCircuit {
    /// The gates and outputs of a circuit. Wide and-gates become trees.
    pub(super) fn of(circuit: &Circuit) -> (Self, Outputs) {
        let mut mutable = Self { nodes: Vec::with_capacity(circuit.gates.len()) };
        let mut definitions = vec![Edge::FALSE; circuit.gates.len()];
        for feedback in circuit.loops.iter().flat_map(|l| &l.feedback) {
            definitions[feedback.gate.index()] = feedback.definition;
        }
        let mut to = Vec::with_capacity(circuit.gates.len());
        for (gate, definition) in circuit.gates.iter().zip(&definitions) {
            let edge = match gate {
                Gate::False => mutable.push(Node::False),
                Gate::Base(base) => mutable.push(Node::Base(*base)),
                Gate::Input(role, position) => mutable.push(Node::Input(*role, *position)),
                Gate::Feedback(_) => mutable.push(Node::Feedback(*definition)),
                Gate::And(edges) => mutable.push_and(edges.iter().map(|&e| follow(&to, e)).collect()),
            };
            to.push(edge);
        }
        for node in &mut mutable.nodes {
            if let Node::Feedback(definition) = node {
                *definition = follow(&to, *definition);
            }
        }
        let mut outputs = Outputs::of(circuit);
        outputs.lists_mut().flatten().for_each(|edge| *edge = follow(&to, *edge));
        (mutable, outputs)
    }

    fn push(&mut self, node: Node) -> Edge {
        self.nodes.push(node);
        Edge::new(GateId(self.nodes.len() as u32 - 1), false)
    }

    fn push_and(&mut self, mut edges: Vec<Edge>) -> Edge {
        while edges.len() > WIDEST {
            edges = edges.chunks(WIDEST).map(|part| self.push(Node::And(part.to_vec()))).collect();
        }
        self.push(Node::And(edges))
    }

    /// Propagates constants and replaces gates of one operand by it.
    pub(super) fn fold(&mut self, outputs: &mut Outputs) {
        let mut to = Vec::with_capacity(self.nodes.len());
        for at in 0..self.nodes.len() {
            let own = Edge::new(GateId(at as u32), false);
            let edge = match &mut self.nodes[at] {
                Node::And(edges) => {
                    edges.iter_mut().for_each(|e| *e = follow(&to, *e));
                    fold_operands(edges).unwrap_or(own)
                }
                _ => own,
            };
            to.push(edge);
        }
        for node in &mut self.nodes {
            if let Node::Feedback(definition) = node {
                *definition = follow(&to, *definition);
            }
        }
        outputs.lists_mut().flatten().for_each(|edge| *edge = follow(&to, *edge));
    }

    /// The operands of an and-gate; nothing for other gates.
    pub(super) fn operands(&self, gate: usize) -> &[Edge] {
        match &self.nodes[gate] {
            Node::And(edges) => edges,
            _ => &[],
        }
    }

    /// Groups of gates such that each comes after all it depends on. Groups of more than one gate
    /// are recursions.
    pub(super) fn components(&self) -> Vec<Vec<usize>> {
        scc::components(self.nodes.len(), |gate| match &self.nodes[gate] {
            Node::And(edges) => edges.iter().map(|e| e.gate().index()).collect(),
            Node::Feedback(definition) => vec![definition.gate().index()],
            Node::False | Node::Base(_) | Node::Input(..) => Vec::new(),
        })
    }

    /// Marks these edges' gates and all they depend on.
    pub(super) fn mark(&self, roots: impl IntoIterator<Item = Edge>, marked: &mut [bool]) {
        let mut stack: Vec<usize> = roots.into_iter().map(|e| e.gate().index()).collect();
        while let Some(gate) = stack.pop() {
            if std::mem::replace(&mut marked[gate], true) {
                continue;
            }
            match &self.nodes[gate] {
                Node::And(edges) => stack.extend(edges.iter().map(|e| e.gate().index())),
                Node::Feedback(definition) => stack.push(definition.gate().index()),
                Node::False | Node::Base(_) | Node::Input(..) => {}
            }
        }
    }

    /// The value of each gate, by brute force: `source` says what bases and inputs are.
    pub(super) fn evaluate(&self, components: &[Vec<usize>], source: impl Fn(&Node) -> bool) -> Vec<bool> {
        let mut values = vec![false; self.nodes.len()];
        for component in components {
            // Variables only rise, so this ends.
            loop {
                for &gate in component {
                    values[gate] = match &self.nodes[gate] {
                        Node::And(edges) => edges.iter().all(|&e| read(&values, e)),
                        Node::Feedback(_) => values[gate],
                        Node::False => false,
                        other => source(other),
                    };
                }
                let mut changed = false;
                for &gate in component {
                    if let Node::Feedback(definition) = &self.nodes[gate]
                        && !values[gate]
                        && read(&values, *definition)
                    {
                        values[gate] = true;
                        changed = true;
                    }
                }
                if !changed {
                    break;
                }
            }
        }
        values
    }

    /// The value of each gate where no role has made a move, whatever the state; `None` where it
    /// depends on the state.
    pub(super) fn quiet(&self) -> Vec<Option<bool>> {
        let mut values: Vec<Option<bool>> = Vec::with_capacity(self.nodes.len());
        for node in &self.nodes {
            let value = match node {
                Node::False | Node::Input(..) => Some(false),
                Node::Base(_) | Node::Feedback(_) => None,
                Node::And(edges) => {
                    let mut all = Some(true);
                    for edge in edges {
                        match values[edge.gate().index()].map(|v| v != edge.is_complemented()) {
                            Some(false) => {
                                all = Some(false);
                                break;
                            }
                            Some(true) => {}
                            None => all = None,
                        }
                    }
                    all
                }
            };
            values.push(value);
        }
        values
    }
}

/// The value of an edge.
pub(super) fn read(values: &[bool], edge: Edge) -> bool {
    values[edge.gate().index()] != edge.is_complemented()
}

fn follow(to: &[Edge], edge: Edge) -> Edge {
    to[edge.gate().index()].complement_if(edge.is_complemented())
}

/// Sorts operands and drops those that say nothing; what the gate equals where it is no gate.
fn fold_operands(edges: &mut Vec<Edge>) -> Option<Edge> {
    edges.retain(|&e| e != Edge::TRUE);
    edges.sort_unstable();
    edges.dedup();
    if edges.contains(&Edge::FALSE) || edges.windows(2).any(|pair| pair[0] == !pair[1]) {
        return Some(Edge::FALSE);
    }
    match edges[..] {
        [] => Some(Edge::TRUE),
        [only] => Some(only),
        _ => None,
    }
}
