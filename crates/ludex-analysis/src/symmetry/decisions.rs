//! Boolean functions as reduced ordered decision diagrams (Bryant, 1986).

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

/// A function.
pub(super) type Node = u32;
/// The function that never holds.
pub(super) const NEVER: Node = 0;
/// The function that always holds.
pub(super) const ALWAYS: Node = 1;

/// Functions with more variables are not used: operations go as deep as two functions have variables.
pub(super) const MOST_VARIABLES: u32 = 400;

/// Variables, and whether a function holds when none, one, two... of them do.
pub(super) type Counting = (Vec<u32>, Vec<bool>);

/// Why an operation has no result.
#[derive(Debug)]
pub(super) enum Stop {
    /// The budget is spent.
    Limit(LimitError),
    /// It takes more steps than it is worth.
    Steps,
}

impl From<LimitError> for Stop {
    fn from(limit: LimitError) -> Self {
        Stop::Limit(limit)
    }
}

/// Functions that share their nodes. Variables with larger numbers are looked at first.
#[derive(Debug)]
pub(super) struct Decisions {
    /// Variable, function where it is false, function where it is true.
    nodes: Vec<(u32, Node, Node)>,
    /// By node the variables on the longest way down.
    depths: Vec<u32>,
    unique: FxHashMap<(u32, Node, Node), Node>,
    known: FxHashMap<(bool, Node, Node), Node>,
    opposites: FxHashMap<Node, Node>,
    steps: u64,
}

impl Decisions {
    pub(super) fn new() -> Self {
        Self {
            nodes: vec![(0, NEVER, NEVER), (0, ALWAYS, ALWAYS)],
            depths: vec![0, 0],
            unique: FxHashMap::default(),
            known: FxHashMap::default(),
            opposites: FxHashMap::default(),
            steps: 0,
        }
    }

    /// Allows so many steps from now on.
    pub(super) fn allow(&mut self, steps: u64) {
        self.steps = steps;
    }

    /// The steps that are left.
    pub(super) fn steps_left(&self) -> u64 {
        self.steps
    }

    /// The most variables on a way to the end of the function.
    pub(super) fn depth(&self, node: Node) -> u32 {
        self.depths[node as usize]
    }

    fn step(&mut self, meter: &mut Meter) -> Result<(), Stop> {
        self.steps = self.steps.checked_sub(1).ok_or(Stop::Steps)?;
        Ok(meter.spend(1)?)
    }

    /// The variable that is looked at first, and what is left of the function with it false and true.
    pub(super) fn branch(&self, node: Node) -> Option<(u32, Node, Node)> {
        (node > ALWAYS).then(|| self.nodes[node as usize])
    }

    /// The function that holds when the variable does.
    pub(super) fn variable(&mut self, variable: u32) -> Node {
        self.node(variable, NEVER, ALWAYS)
    }

    fn node(&mut self, variable: u32, low: Node, high: Node) -> Node {
        if low == high {
            return low;
        }
        let next = self.nodes.len() as Node;
        let node = *self.unique.entry((variable, low, high)).or_insert(next);
        if node == next {
            self.nodes.push((variable, low, high));
            self.depths.push(1 + self.depth(low).max(self.depth(high)));
        }
        node
    }

    /// Negation.
    pub(super) fn not(&mut self, node: Node, meter: &mut Meter) -> Result<Node, Stop> {
        if node <= ALWAYS {
            return Ok(1 - node);
        }
        if let Some(&found) = self.opposites.get(&node) {
            return Ok(found);
        }
        self.step(meter)?;
        let (variable, low, high) = self.nodes[node as usize];
        // At most as deep as there are variables; so is the next one.
        let (low, high) = (self.not(low, meter)?, self.not(high, meter)?);
        let found = self.node(variable, low, high);
        self.opposites.insert(node, found);
        Ok(found)
    }

    /// Conjunction, or disjunction.
    pub(super) fn join(&mut self, and: bool, a: Node, b: Node, meter: &mut Meter) -> Result<Node, Stop> {
        let (zero, one) = if and { (NEVER, ALWAYS) } else { (ALWAYS, NEVER) };
        if a == zero || b == zero {
            return Ok(zero);
        }
        if a == one || a == b {
            return Ok(b);
        }
        if b == one {
            return Ok(a);
        }
        let key = (and, a.min(b), a.max(b));
        if let Some(&found) = self.known.get(&key) {
            return Ok(found);
        }
        self.step(meter)?;
        let ((first, low_a, high_a), (other, low_b, high_b)) =
            (self.nodes[a as usize], self.nodes[b as usize]);
        let top = first.max(other);
        let (low_a, high_a) = if first == top { (low_a, high_a) } else { (a, a) };
        let (low_b, high_b) = if other == top { (low_b, high_b) } else { (b, b) };
        let low = self.join(and, low_a, low_b, meter)?;
        let high = self.join(and, high_a, high_b, meter)?;
        let found = self.node(top, low, high);
        self.known.insert(key, found);
        Ok(found)
    }

    /// If the function depends only on how many of its variables hold: the variables, the first one looked
    /// at first, and whether it holds when none, one, two... of them do.
    pub(super) fn symmetric(&self, node: Node, meter: &mut Meter) -> Result<Option<Counting>, LimitError> {
        let mut variables = Vec::new();
        // By how many of the variables so far hold, what is left of the function.
        let mut states = vec![node];
        loop {
            meter.spend(states.len() as u64)?;
            let Some(top) = states.iter().filter_map(|&state| self.branch(state)).map(|(v, ..)| v).max()
            else {
                let table = states.into_iter().map(|state| state == ALWAYS).collect();
                return Ok(Some((variables, table)));
            };
            variables.push(top);
            let mut next: Vec<Option<Node>> = vec![None; states.len() + 1];
            for (count, &state) in states.iter().enumerate() {
                let (low, high) = match self.branch(state) {
                    Some((variable, low, high)) if variable == top => (low, high),
                    _ => (state, state),
                };
                for (place, left) in [(count, low), (count + 1, high)] {
                    if *next[place].get_or_insert(left) != left {
                        return Ok(None);
                    }
                }
            }
            states = next.into_iter().flatten().collect();
        }
    }
}
