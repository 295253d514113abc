//! Common pairs: two operands that many and-gates have become a gate of their own, which these read.
//!
//! First operands that always occur together become one gate. Then, greedily, the pair that most gates
//! have, again and again, as in the extraction of common cubes (Rajski and Vasudevamurthy, "The
//! testability-preserving concurrent decomposition and factorization of Boolean expressions", 1992)
//! with cubes of two literals. Each extraction of a pair that `n` gates have saves `n - 1` operations.
//!
//! In wide gates only operands that are close to each other are paired, so the pairs looked at are at
//! most [`MOST_PAIRS`], or a few per operand.

use std::ops::Range;

use ludex_logic::{Csr, LimitError, Meter};
use rustc_hash::FxHashMap;

use super::rebuild::{Copy, rebuild};
use crate::{Circuit, Edge, Gate, GateId};

/// The number of pairs that are counted, if that leaves each operand with a few.
const MOST_PAIRS: usize = 4_000_000;

/// Gives common pairs of operands a gate of their own.
pub(super) fn run(circuit: &mut Circuit, share: bool, meter: &mut Meter) -> Result<(), LimitError> {
    // In between, gates are not in topological order; a limit must not leave them so.
    let mut sketch = circuit.clone();
    merge_companions(&mut sketch, meter)?;
    let mut work = Pairs::new(&sketch, meter)?;
    work.extract_all(meter)?;
    work.write_back(&mut sketch);
    rebuild(&mut sketch, &mut Copy, share, meter)?;
    *circuit = sketch;
    Ok(())
}

/// The and-gates that have each edge as an operand, by [`Edge::index`].
fn occurrences(circuit: &Circuit, meter: &mut Meter) -> Result<Csr<GateId>, LimitError> {
    meter.spend(circuit.operand_count() as u64)?;
    Ok(Csr::from_pairs(circuit.gates.len() * 2, || {
        let gates = (0..).map(GateId).zip(&circuit.gates);
        gates.flat_map(|(id, gate)| gate.operands().iter().map(move |edge| (edge.index(), id)))
    }))
}

/// Gives operands that occur in the same two or more gates a gate of their own.
fn merge_companions(circuit: &mut Circuit, meter: &mut Meter) -> Result<(), LimitError> {
    let occurrences = occurrences(circuit, meter)?;
    let several = (0..circuit.gates.len() * 2).map(Edge::at).filter(|e| occurrences[e.index()].len() >= 2);
    let mut several: Vec<(u64, Edge)> = several.map(|e| (fingerprint(&occurrences[e.index()]), e)).collect();
    several.sort_unstable();
    let mut instead: Vec<Option<Edge>> = vec![None; circuit.gates.len() * 2];
    for similar in several.chunk_by(|a, b| a.0 == b.0) {
        let (_, leader) = similar[0];
        let same = |e: &Edge| occurrences[e.index()] == occurrences[leader.index()];
        let companions: Box<[Edge]> = similar.iter().map(|(_, e)| *e).filter(same).collect();
        if companions.len() < 2 {
            continue;
        }
        let merged = Edge::new(GateId(circuit.gates.len() as u32), false);
        companions.iter().for_each(|e| instead[e.index()] = Some(merged));
        circuit.gates.push(Gate::And(companions));
    }
    let old = instead.len() / 2;
    for gate in &mut circuit.gates[..old] {
        if let Gate::And(edges) = gate
            && edges.iter().any(|e| instead[e.index()].is_some())
        {
            meter.spend(edges.len() as u64)?;
            let mut new: Vec<Edge> = edges.iter().map(|e| instead[e.index()].unwrap_or(*e)).collect();
            new.sort_unstable();
            new.dedup();
            *edges = new.into();
        }
    }
    Ok(())
}

/// A hash of a list of gates.
fn fingerprint(gates: &[GateId]) -> u64 {
    // FxHash's multiplier, with a rotation so that the order matters.
    gates.iter().fold(gates.len() as u64, |hash, gate| {
        (hash.rotate_left(23) ^ u64::from(gate.0)).wrapping_mul(0x517c_c1b7_2722_0a95)
    })
}

/// The operands of one gate, sorted. Operands that have left stay as marked places for a while.
#[derive(Default)]
struct Operands {
    edges: Vec<Edge>,
    has_left: Vec<bool>,
    left: usize,
}

impl Operands {
    fn new(edges: Vec<Edge>) -> Self {
        Self { has_left: vec![false; edges.len()], edges, left: 0 }
    }

    fn find(&self, edge: Edge) -> Option<usize> {
        self.edges.binary_search(&edge).ok().filter(|at| !self.has_left[*at])
    }

    fn has_both(&self, (a, b): (Edge, Edge)) -> bool {
        self.find(a).is_some() && self.find(b).is_some()
    }

    fn live(&self) -> impl DoubleEndedIterator<Item = Edge> {
        self.edges.iter().zip(&self.has_left).filter(|(_, left)| !**left).map(|(edge, _)| *edge)
    }

    /// The last few operands.
    fn last(&self, window: usize) -> impl Iterator<Item = Edge> {
        let far = self.edges.len().saturating_sub(window.saturating_mul(4));
        let places = self.edges[far..].iter().zip(&self.has_left[far..]).rev();
        places.filter(|(_, left)| !**left).map(|(edge, _)| *edge).take(window)
    }

    fn remove(&mut self, edge: Edge) {
        if let Some(at) = self.find(edge) {
            self.has_left[at] = true;
            self.left += 1;
        }
        if self.left * 2 > self.edges.len() {
            self.edges = self.live().collect();
            self.has_left = vec![false; self.edges.len()];
            self.left = 0;
        }
    }

    /// Adds an edge that is larger than all others.
    fn push(&mut self, edge: Edge) {
        self.edges.push(edge);
        self.has_left.push(false);
    }
}

/// A pair with the gates that had it when they were listed: a range of [`Pairs::lists`].
#[derive(Clone, Copy, Default)]
struct Entry {
    /// How many gates have the pair, as far as is known; with a window it can be too few.
    count: u32,
    begin: u32,
    listed: u32,
}

impl Entry {
    /// Lists a gate. Room for all of them is made with the first.
    fn list(&mut self, lists: &mut Vec<u32>, all: u32, gate: u32) {
        if self.listed == 0 {
            *self = Self { count: all, begin: lists.len() as u32, listed: 0 };
            lists.resize(lists.len() + all as usize, gate);
        }
        lists[(self.begin + self.listed) as usize] = gate;
        self.listed += 1;
    }

    fn range(&self) -> Range<usize> {
        self.begin as usize..(self.begin + self.listed) as usize
    }
}

/// Pairs by a number of gates. Those of most gates come first, and of equally many the smallest, then what was
/// added since.
#[derive(Default)]
struct Queue {
    /// Per number of gates its pairs, what comes first at the end.
    pairs: Vec<Vec<(Edge, Edge)>>,
    /// The number of gates whose pairs were put in order.
    sorted: usize,
}

impl Queue {
    fn push(&mut self, count: u32, pair: (Edge, Edge)) {
        let count = count as usize;
        if self.pairs.len() <= count {
            self.pairs.resize_with(count + 1, Vec::new);
        }
        self.pairs[count].push(pair);
    }

    fn pop(&mut self) -> Option<(u32, (Edge, Edge))> {
        while self.pairs.last()?.is_empty() {
            self.pairs.pop();
        }
        let count = self.pairs.len() - 1;
        let first = self.pairs.last_mut()?;
        if self.sorted != count {
            first.sort_unstable_by(|a, b| b.cmp(a));
            self.sorted = count;
        }
        Some((count as u32, first.pop()?))
    }
}

struct Pairs {
    /// Per gate its operands, as far as they occur in several gates.
    operands: Vec<Operands>,
    /// Per gate the operands that occur nowhere else.
    alone: Vec<Vec<Edge>>,
    /// The number of operands after an operand that it is paired with.
    window: usize,
    /// The smaller edge of each pair comes first.
    entries: FxHashMap<(Edge, Edge), Entry>,
    lists: Vec<u32>,
    /// Pairs by the number of gates when they were added or last looked at, which never is too small.
    queue: Queue,
    /// The gates made: pairs.
    made: Vec<(Edge, Edge)>,
    /// Per edge how often it stands beside the edge whose pairs are being counted, and its entry with that edge.
    /// Zero in between.
    beside: Vec<u32>,
    found: Vec<Entry>,
}

impl Pairs {
    fn new(circuit: &Circuit, meter: &mut Meter) -> Result<Self, LimitError> {
        let occurrences = occurrences(circuit, meter)?;
        let mut all = Vec::with_capacity(circuit.gates.len());
        let mut alone = Vec::with_capacity(circuit.gates.len());
        for gate in &circuit.gates {
            let (mut several, one): (Vec<Edge>, Vec<Edge>) =
                gate.operands().iter().copied().partition(|e| occurrences[e.index()].len() >= 2);
            several.sort_unstable();
            all.push(Operands::new(several));
            alone.push(one);
        }
        let edges = circuit.gates.len() * 2;
        let mut this = Self {
            window: window(&all),
            operands: all,
            alone,
            entries: FxHashMap::default(),
            lists: Vec::new(),
            queue: Queue::default(),
            made: Vec::new(),
            beside: vec![0; edges],
            found: vec![Entry::default(); edges],
        };
        this.count_all(meter)?;
        Ok(this)
    }

    /// Counts the pairs of all gates, for one first operand after the other: what stands after it fits in a row
    /// of counters, where a table of all pairs would be looked up in a new place for each. Most pairs occur
    /// once and are never written down.
    fn count_all(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        let Self { operands, entries, lists, window, beside, found, queue, .. } = self;
        let places = Csr::from_pairs(beside.len(), || {
            let gates = (0u32..).zip(operands.iter());
            gates.flat_map(|(gate, operands)| {
                (0u32..).zip(&operands.edges).map(move |(at, edge)| (edge.index(), (gate, at)))
            })
        });
        let after = |&(gate, at): &(u32, u32)| {
            let near = &operands[gate as usize].edges[at as usize + 1..];
            &near[..near.len().min(*window)]
        };
        for first in 0..beside.len() {
            let gates = &places[first];
            for place in gates {
                let near = after(place);
                meter.spend(near.len() as u64)?;
                near.iter().for_each(|edge| beside[edge.index()] += 1);
            }
            for place in gates {
                for edge in after(place).iter().filter(|edge| beside[edge.index()] >= 2) {
                    found[edge.index()].list(lists, beside[edge.index()], place.0);
                }
            }
            for edge in gates.iter().flat_map(after) {
                beside[edge.index()] = 0;
                let entry = std::mem::take(&mut found[edge.index()]);
                if entry.count > 0 {
                    let pair = (Edge::at(first), *edge);
                    entries.insert(pair, entry);
                    queue.push(entry.count, pair);
                }
            }
        }
        Ok(())
    }

    fn extract_all(&mut self, meter: &mut Meter) -> Result<(), LimitError> {
        while let Some((count, pair)) = self.queue.pop() {
            let Some(entry) = self.entries.get_mut(&pair) else { continue };
            if entry.count >= count {
                // What is listed and what is counted may differ, if other pairs took operands away.
                let range = entry.range();
                meter.spend(range.len() as u64)?;
                let listed = self.lists[range].iter().copied();
                let gates: Vec<u32> =
                    listed.filter(|gate| self.operands[*gate as usize].has_both(pair)).collect();
                entry.count = gates.len() as u32;
                if entry.count == count {
                    self.entries.remove(&pair);
                    self.extract(pair, &gates, meter)?;
                    continue;
                }
            }
            if entry.count >= 2 {
                self.queue.push(entry.count, pair);
            } else {
                self.entries.remove(&pair);
            }
        }
        Ok(())
    }

    /// Makes a gate of the pair that these gates have, and counts the pairs of the new edge.
    fn extract(&mut self, pair: (Edge, Edge), gates: &[u32], meter: &mut Meter) -> Result<(), LimitError> {
        let new = Edge::new(GateId((self.operands.len() + self.made.len()) as u32), false);
        self.made.push(pair);
        self.beside.resize(new.index() + 2, 0);
        self.found.resize(new.index() + 2, Entry::default());
        for &gate in gates {
            let operands = &mut self.operands[gate as usize];
            operands.remove(pair.0);
            operands.remove(pair.1);
            for edge in operands.last(self.window) {
                meter.spend(1)?;
                self.beside[edge.index()] += 1;
            }
        }
        for &gate in gates {
            for edge in self.operands[gate as usize].last(self.window) {
                let times = self.beside[edge.index()];
                if times >= 2 {
                    self.found[edge.index()].list(&mut self.lists, times, gate);
                }
            }
        }
        let mut near = Vec::new();
        for &gate in gates {
            for edge in self.operands[gate as usize].last(self.window) {
                let times = std::mem::take(&mut self.beside[edge.index()]);
                if times > 0 {
                    near.push((edge, times, std::mem::take(&mut self.found[edge.index()])));
                }
            }
        }
        for (edge, times, entry) in near {
            self.enter(pair, (edge, new), times, entry);
        }
        for &gate in gates {
            self.operands[gate as usize].push(new);
        }
        Ok(())
    }

    /// In so many gates an edge now stands beside a new edge, and no longer beside those of a pair.
    fn enter(&mut self, pair: (Edge, Edge), new: (Edge, Edge), times: u32, entry: Entry) {
        for part in [pair.0, pair.1] {
            if let Some(entry) = self.entries.get_mut(&(new.0.min(part), new.0.max(part))) {
                entry.count = entry.count.saturating_sub(times);
            }
        }
        if times >= 2 {
            self.entries.insert(new, entry);
            self.queue.push(times, new);
        }
    }

    /// Appends the new gates, which the rewriting that follows puts in order.
    fn write_back(self, circuit: &mut Circuit) {
        for ((gate, operands), alone) in circuit.gates.iter_mut().zip(&self.operands).zip(&self.alone) {
            if let Gate::And(edges) = gate {
                *edges = operands.live().chain(alone.iter().copied()).collect();
            }
        }
        circuit.gates.extend(self.made.into_iter().map(|(a, b)| Gate::And([a, b].into())));
    }
}

/// How many operands after it each operand is paired with, so that there are not too many pairs.
fn window(all: &[Operands]) -> usize {
    let pairs = |window: usize| -> usize {
        let of = |n: usize| if n <= window { n * n.saturating_sub(1) / 2 } else { n * window };
        all.iter().map(|o| of(o.edges.len())).fold(0, usize::saturating_add)
    };
    [1 << 20, 256, 128, 64, 32, 16, 8].into_iter().find(|w| pairs(*w) <= MOST_PAIRS).unwrap_or(4)
}

#[cfg(test)]
mod tests {
    use ludex_logic::Budget;

    use super::*;
    use crate::passes::tests::random::CircuitSketch;

    /// Operations after the pass, for gates of these operands.
    fn operations(bases: usize, gates: &[&[usize]]) -> usize {
        let mut sketch = CircuitSketch::new(true);
        let sources: Vec<Edge> = (0..bases).map(|_| sketch.base(false)).collect();
        for operands in gates {
            let edges: Vec<Edge> = operands.iter().map(|at| sources[*at]).collect();
            let gate = sketch.and(&edges);
            sketch.proposition(gate);
        }
        let mut circuit = sketch.finish();
        run(&mut circuit, true, &mut Budget::unlimited().meter()).unwrap();
        assert_eq!(circuit.check(), Ok(()));
        circuit.operation_count()
    }

    #[test]
    fn operands_that_occur_together_are_joined_once() {
        assert_eq!(operations(6, &[&[0, 1, 2, 3], &[0, 1, 2, 4], &[0, 1, 2, 5]]), 5);
    }

    #[test]
    fn the_pair_of_most_gates_comes_first() {
        // 1 and 2 in three gates, 0 and 1 in two.
        assert_eq!(operations(6, &[&[0, 1, 2], &[0, 1, 3], &[1, 2, 4], &[1, 2, 5]]), 6);
    }

    #[test]
    fn a_gate_inside_of_another_is_used_by_it() {
        assert_eq!(operations(4, &[&[0, 1], &[0, 1, 2], &[0, 1, 2, 3]]), 3);
    }

    #[test]
    fn wide_gates_are_shared_in_a_window() {
        let all: Vec<usize> = (0..4000).collect();
        let gates: Vec<&[usize]> = (0..10).map(|at| &all[at * 100..at * 100 + 3000]).collect();
        let before: usize = gates.iter().map(|g| g.len() - 1).sum();
        assert!(operations(4000, &gates) < before / 6);
    }
}
