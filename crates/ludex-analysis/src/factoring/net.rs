//! The circuit written anew for factoring: what is known is evaluated away, recursion is written out,
//! equal gates are one, and each gate knows which bases it depends on.

use ludex_game::Goal;
use ludex_logic::{LimitError, Meter};
use ludex_propnet::{Circuit, Edge, Gate, GateBuilder, GateId, Stage, normalise, ternary_and};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::finding::Reason;

/// Operands of operands are taken in up to this number.
const LOOK_INTO: usize = 256;
/// The most words that say what gates depend on.
const MOST_WORDS: usize = 1 << 26;
/// The most gates that recursion may be written out to.
const MOST_ROUND_GATES: usize = 1 << 20;

/// And-gates with complemented edges, without recursion.
#[derive(Debug)]
pub(super) struct Net {
    builder: GateBuilder,
    /// Per base its next value; none for bases that are known.
    pub(super) next: Vec<Option<Edge>>,
    pub(super) legal: Vec<Vec<Edge>>,
    pub(super) goals: Vec<Vec<(Goal, Edge)>>,
    pub(super) terminal: Edge,
    words: usize,
    support: Vec<u64>,
    reads_input: Vec<bool>,
}

impl Net {
    /// The circuit with what `lasts` known, per gate.
    pub(super) fn new(circuit: &Circuit, lasts: &[Option<bool>], meter: &mut Meter) -> Result<Self, Reason> {
        let mut net = Self {
            builder: GateBuilder::new(true),
            next: Vec::new(),
            legal: Vec::new(),
            goals: Vec::new(),
            terminal: Edge::FALSE,
            words: circuit.bases.len().div_ceil(64).max(1),
            support: Vec::new(),
            reads_input: Vec::new(),
        };
        let mut map = vec![Edge::FALSE; circuit.gates.len()];
        for stage in circuit.schedule() {
            match stage {
                Stage::Gate(gate) => map[gate.index()] = net.copy(circuit, lasts, &map, gate, meter)?,
                Stage::Loop { number, gates } => {
                    net.write_out(circuit, lasts, &mut map, number, &gates, meter)?;
                }
            }
        }
        let to = |edge: Edge| edge.mapped(&map);
        for base in &circuit.bases {
            let gate = circuit.values[base.proposition as usize].gate();
            net.next.push(lasts[gate.index()].is_none().then(|| to(base.next)));
        }
        net.legal = circuit.legal.iter().map(|list| list.iter().map(|&edge| to(edge)).collect()).collect();
        let goals = |list: &Vec<(Goal, Edge)>| list.iter().map(|&(v, edge)| (v, to(edge))).collect();
        net.goals = circuit.goals.iter().map(goals).collect();
        net.terminal = to(circuit.terminal);
        net.find_support(meter)?;
        Ok(net)
    }

    fn copy(
        &mut self,
        circuit: &Circuit,
        lasts: &[Option<bool>],
        map: &[Edge],
        gate: GateId,
        meter: &mut Meter,
    ) -> Result<Edge, LimitError> {
        if let Some(value) = lasts[gate.index()] {
            return Ok(Edge::FALSE.complement_if(value));
        }
        match &circuit.gates[gate.index()] {
            Gate::False | Gate::Feedback(_) => Ok(Edge::FALSE),
            Gate::And(edges) => {
                meter.spend(edges.len() as u64)?;
                Ok(self.and(edges.iter().map(|edge| edge.mapped(map)).collect()))
            }
            source => Ok(self.builder.source(source.clone())),
        }
    }

    /// Recursion, round by round, until nothing changes.
    fn write_out(
        &mut self,
        circuit: &Circuit,
        lasts: &[Option<bool>],
        map: &mut [Edge],
        number: u32,
        gates: &[GateId],
        meter: &mut Meter,
    ) -> Result<(), Reason> {
        let feedback = &circuit.loops[number as usize].feedback;
        let mut values = vec![Edge::FALSE; feedback.len()];
        for round in 0..=feedback.len() {
            if round.saturating_mul(gates.len()) > MOST_ROUND_GATES {
                let reason =
                    format!("a recursive definition of {} propositions is too large", feedback.len());
                return Err(Reason::Method(reason));
            }
            for (variable, &value) in feedback.iter().zip(&values) {
                map[variable.gate.index()] = value;
            }
            for &gate in gates {
                if matches!(circuit.gates[gate.index()], Gate::And(_)) {
                    map[gate.index()] = self.copy(circuit, lasts, map, gate, meter)?;
                }
            }
            let next: Vec<Edge> = feedback.iter().map(|f| f.definition.mapped(map)).collect();
            if next == values {
                break;
            }
            values = next;
        }
        Ok(())
    }

    /// The gates, in topological order.
    pub(super) fn gates(&self) -> &[Gate] {
        self.builder.gates()
    }

    /// What a gate computes.
    pub(super) fn gate(&self, gate: GateId) -> &Gate {
        self.builder.gate(gate)
    }

    /// The value of a base, if anything reads it.
    pub(super) fn own_value(&self, base: u32) -> Option<Edge> {
        self.builder.find_source(&Gate::Base(base))
    }

    /// What a gate reads, if it is an and-gate.
    pub(super) fn operands(&self, gate: GateId) -> &[Edge] {
        self.gate(gate).operands()
    }

    /// The gates that an edge depends on, each after what it reads; without those that are `known` and what
    /// only these read.
    pub(super) fn cone(&self, edge: Edge, known: impl Fn(GateId) -> bool) -> Vec<GateId> {
        let mut seen = FxHashSet::default();
        let mut open = vec![edge.gate()];
        while let Some(gate) = open.pop() {
            if !known(gate) && seen.insert(gate) {
                open.extend(self.operands(gate).iter().map(|e| e.gate()));
            }
        }
        let mut cone: Vec<GateId> = seen.into_iter().collect();
        cone.sort_unstable();
        cone
    }

    /// A conjunction, flat, and simplified by what each operand says about the others.
    pub(super) fn and(&mut self, edges: Vec<Edge>) -> Edge {
        let mut flat = Vec::with_capacity(edges.len());
        for edge in edges {
            let inner = if edge.is_complemented() { &[][..] } else { self.operands(edge.gate()) };
            if inner.is_empty() || inner.len() > LOOK_INTO { flat.push(edge) } else { flat.extend(inner) }
        }
        for _ in 0..4 {
            if let Some(simple) = normalise(&mut flat) {
                return simple;
            }
            if flat.len() > LOOK_INTO {
                break;
            }
            let shorter: Vec<Edge> = flat.iter().map(|&edge| self.shorten(edge, &flat)).collect();
            if shorter == flat {
                break;
            }
            flat = shorter;
        }
        self.builder.and(&mut flat)
    }

    /// An operand as far as the others do not say it already: `not (y and z)` beside `y` is `not z`.
    fn shorten(&mut self, edge: Edge, all: &[Edge]) -> Edge {
        let inner = self.operands(edge.gate());
        if !edge.is_complemented() || inner.is_empty() || inner.len() > LOOK_INTO {
            return edge;
        }
        if inner.iter().any(|&part| self.follows(!part, all, edge)) {
            return Edge::TRUE;
        }
        let mut left: Vec<Edge> =
            inner.iter().copied().filter(|&part| !self.follows(part, all, edge)).collect();
        if left.len() == inner.len() { edge } else { !self.builder.and(&mut left) }
    }

    /// Whether an operand other than `but` makes this edge true: it is one, or a disjunction with one.
    fn follows(&self, edge: Edge, all: &[Edge], but: Edge) -> bool {
        let is_given = |edge: Edge| edge != but && all.binary_search(&edge).is_ok();
        let inner = self.operands(edge.gate());
        is_given(edge)
            || (edge.is_complemented()
                && inner.len() <= LOOK_INTO
                && inner.iter().any(|&part| is_given(!part)))
    }

    /// Finds out what gates depend on.
    pub(super) fn find_support(&mut self, meter: &mut Meter) -> Result<(), Reason> {
        let count = self.gates().len();
        if count.saturating_mul(self.words) > MOST_WORDS {
            return Err(Reason::Method("the net is too large to be taken apart".to_owned()));
        }
        meter.check_memory(count * self.words * 8, || "what gates depend on".to_owned())?;
        self.support = vec![0; count * self.words];
        self.reads_input = vec![false; count];
        for (at, gate) in self.builder.gates().iter().enumerate() {
            let (before, rest) = self.support.split_at_mut(at * self.words);
            match gate {
                Gate::Base(base) => rest[*base as usize / 64] |= 1 << (base % 64),
                Gate::Input(..) => self.reads_input[at] = true,
                Gate::And(edges) => {
                    meter.spend((edges.len() * self.words) as u64)?;
                    for edge in edges {
                        let from = edge.gate().index();
                        self.reads_input[at] |= self.reads_input[from];
                        for word in 0..self.words {
                            rest[word] |= before[from * self.words + word];
                        }
                    }
                }
                Gate::False | Gate::Feedback(_) => {}
            }
        }
        Ok(())
    }

    /// The bases that an edge of the game depends on (not of gates made since).
    pub(super) fn support(&self, edge: Edge) -> impl Iterator<Item = u32> + '_ {
        let row = &self.support[edge.gate().index() * self.words..][..self.words];
        row.iter().enumerate().flat_map(|(at, &word)| {
            let mut left = word;
            std::iter::from_fn(move || {
                let bit = left.trailing_zeros();
                (left != 0).then(|| {
                    left &= left - 1;
                    at as u32 * 64 + bit
                })
            })
        })
    }

    /// What an edge asks of the rest of the game beside conditions on the clock: of "solved, or the twelfth
    /// step" it is "solved".
    pub(super) fn without_clock(&self, mut edge: Edge, clock: &[bool]) -> Edge {
        loop {
            let on_clock = |edge: Edge| self.support(edge).all(|base| clock[base as usize]);
            let mut rest = self.operands(edge.gate()).iter().filter(|operand| !on_clock(**operand));
            match (rest.next(), rest.next()) {
                (Some(&only), None) => edge = only.complement_if(edge.is_complemented()),
                _ => return edge,
            }
        }
    }

    /// Whether a base keeps its value as long as no role makes a move, whatever the other bases are.
    pub(super) fn stays_alone(&self, base: u32, meter: &mut Meter) -> Result<bool, Reason> {
        let Some(next) = self.next[base as usize] else { return Ok(true) };
        let cone = self.cone(next, |_| false);
        meter.spend(cone.len() as u64)?;
        Ok([true, false].into_iter().all(|value| {
            let mut known: FxHashMap<GateId, bool> = FxHashMap::default();
            for &gate in &cone {
                let now = match self.gate(gate) {
                    Gate::Base(other) => (*other == base).then_some(value),
                    Gate::And(edges) => ternary_and(edges, |gate| known.get(&gate).copied()),
                    Gate::False | Gate::Input(..) | Gate::Feedback(_) => Some(false),
                };
                known.extend(now.map(|now| (gate, now)));
            }
            ternary_and(&[next], |gate| known.get(&gate).copied()) == Some(value)
        }))
    }

    /// Whether an edge of the game depends on a move.
    pub(super) fn reads_input(&self, edge: Edge) -> bool {
        self.reads_input[edge.gate().index()]
    }

    /// The value of an edge, given those of some gates; whatever is not given must be an and-gate.
    pub(super) fn evaluate(&self, edge: Edge, given: &mut FxHashMap<GateId, bool>) -> bool {
        for gate in self.cone(edge, |gate| given.contains_key(&gate)) {
            let value = ternary_and(self.operands(gate), |gate| given.get(&gate).copied());
            given.insert(gate, matches!(self.gate(gate), Gate::And(_)) && value == Some(true));
        }
        given.get(&edge.gate()).copied().unwrap_or(false) != edge.is_complemented()
    }
}
