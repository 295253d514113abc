//! A factor as a game of its own.

use std::collections::BTreeMap;

use ludex_logic::TermId;
use ludex_propnet::{Circuit, Edge, Gate, GateBuilder, GateId, StoredBase};
use rustc_hash::FxHashMap;

use super::Factors;
use super::partition::Class;

/// A factor alone: its propositions and the clock, and one move for each class. The other factors stay
/// as they are in the state in which the game was taken apart.
#[derive(Clone, Debug)]
pub struct FactorGame {
    /// The game, to be run like any other circuit; its bases begin as they are in that state.
    pub circuit: Circuit,
    /// Per role and move of the circuit the moves of the whole game that it stands for.
    pub moves: Vec<Vec<Vec<TermId>>>,
    /// Per base of the circuit the base of the whole game.
    pub(super) bases: Vec<u32>,
    /// What was asked of the factor besides, as edges of the circuit.
    pub(super) asked: Vec<Edge>,
    /// Per role and move the ways in which it is made, of which one at a time is legal.
    pub(super) ways: Vec<Vec<Vec<Way>>>,
}

/// A class of moves in one phase of the game.
#[derive(Clone, Debug)]
pub(super) struct Way {
    pub(super) phase: usize,
    pub(super) class: Class,
    /// Its moves, by position in the circuit of the whole game.
    pub(super) numbers: Vec<u32>,
    /// When it is legal, as an edge of the factor's circuit.
    pub(super) legal: Edge,
}

impl Factors {
    /// A factor alone; none where there is none at this position of [`Factors::factors`].
    pub fn game(&self, factor: usize) -> Option<FactorGame> {
        (factor < self.bases.len()).then(|| self.game_with(factor, &[]))
    }

    pub(super) fn game_with(&self, factor: usize, asked: &[Edge]) -> FactorGame {
        let whole = &self.faithful.circuit;
        let mut bases: Vec<u32> = self.bases[factor].iter().chain(&self.clock).copied().collect();
        bases.sort_unstable();
        let mut ways = self.ways(self.partition.parts.root(self.bases[factor][0]));
        let mut copy = Copy::new(self, &bases, &ways);
        let mut circuit = Circuit {
            terms: whole.terms.clone(),
            gates: Vec::new(),
            loops: Vec::new(),
            propositions: bases.iter().map(|&base| self.faithful.base_term(base)).collect(),
            values: (0..bases.len()).map(|at| Edge::new(GateId(at as u32 + 1), false)).collect(),
            bases: Vec::new(),
            moves: Vec::new(),
            legal: Vec::new(),
            goals: Vec::new(),
            terminal: copy.edge(self.net.terminal),
            percepts: vec![Vec::new(); whole.moves.len()],
        };
        for (proposition, &base) in (0u32..).zip(&bases) {
            // Bases of factors and of the clock have a next value.
            let next = self.net.next[base as usize].map_or(Edge::FALSE, |next| copy.edge(next));
            circuit.bases.push(StoredBase { proposition, initial: self.state[base as usize], next });
        }
        let mut moves = Vec::new();
        for (role, list) in ways.iter_mut().enumerate() {
            let term = |number: u32| whole.moves[role][number as usize];
            let mut legal = Vec::with_capacity(list.len());
            for way in list.iter_mut().flatten() {
                let clock = &self.partition.phases[way.phase].clock;
                way.legal = copy.all(clock.iter().chain(&way.class.1));
            }
            legal.extend(list.iter().map(|ways| copy.any(ways.iter().map(|way| way.legal))));
            circuit.legal.push(legal);
            circuit.moves.push(list.iter().map(|ways| term(ways[0].numbers[0])).collect());
            let all = |ways: &Vec<Way>| {
                let mut numbers: Vec<u32> = ways.iter().flat_map(|way| way.numbers.clone()).collect();
                numbers.sort_unstable();
                numbers.dedup();
                numbers.into_iter().map(term).collect()
            };
            moves.push(list.iter().map(all).collect());
        }
        for list in &self.net.goals {
            circuit.goals.push(list.iter().map(|&(value, edge)| (value, copy.edge(edge))).collect());
        }
        let asked = asked.iter().map(|&edge| copy.edge(edge)).collect();
        circuit.gates = copy.builder.finish();
        FactorGame { circuit, moves, bases, asked, ways }
    }

    /// Per role the classes of a part, by their first moves; classes of several phases that begin with the
    /// same move are one move of the factor. When they are legal is left open.
    fn ways(&self, part: u32) -> Vec<Vec<Vec<Way>>> {
        // Moves of circuits are in canonical order, which is that of their numbers.
        let mut all: Vec<BTreeMap<u32, Vec<Way>>> = vec![BTreeMap::new(); self.faithful.circuit.moves.len()];
        for (number, phase) in self.partition.phases.iter().enumerate() {
            let mut places: FxHashMap<(u32, &Class), usize> = FxHashMap::default();
            let mut found: Vec<(u32, Way)> = Vec::new();
            let empty = Class::default();
            for taken in &phase.moves {
                let class = taken.classes.get(&part).unwrap_or(&empty);
                let place = *places.entry((taken.role, class)).or_insert(found.len());
                if place == found.len() {
                    let (class, numbers) = (class.clone(), Vec::new());
                    found.push((taken.role, Way { phase: number, class, numbers, legal: Edge::FALSE }));
                }
                found[place].1.numbers.push(taken.number);
            }
            for (role, way) in found {
                all[role as usize].entry(way.numbers[0]).or_default().push(way);
            }
        }
        all.into_iter().map(|ways| ways.into_values().collect()).collect()
    }
}

/// Copies what a factor needs.
struct Copy<'f> {
    factors: &'f Factors,
    builder: GateBuilder,
    map: FxHashMap<GateId, Edge>,
    bases: FxHashMap<u32, u32>,
    inputs: FxHashMap<(u32, u32), u32>,
}

impl<'f> Copy<'f> {
    fn new(factors: &'f Factors, bases: &[u32], ways: &[Vec<Vec<Way>>]) -> Self {
        let mut builder = GateBuilder::new(false);
        for base in 0..bases.len() as u32 {
            builder.source(Gate::Base(base));
        }
        let mut inputs = FxHashMap::default();
        for (role, list) in (0u32..).zip(ways) {
            for (place, ways) in (0u32..).zip(list) {
                inputs.insert((role, ways[0].numbers[0]), place);
            }
        }
        let bases = (0u32..).zip(bases).map(|(new, &base)| (base, new)).collect();
        Self { factors, builder, map: FxHashMap::default(), bases, inputs }
    }

    fn edge(&mut self, edge: Edge) -> Edge {
        for gate in self.factors.net.cone(edge, |gate| self.map.contains_key(&gate)) {
            let new = self.copied(gate);
            self.map.insert(gate, new);
        }
        self.map[&edge.gate()].complement_if(edge.is_complemented())
    }

    fn copied(&mut self, gate: GateId) -> Edge {
        match self.factors.net.gate(gate) {
            Gate::False | Gate::Feedback(_) => Edge::FALSE,
            Gate::Base(base) => match self.bases.get(base) {
                Some(&new) => self.builder.source(Gate::Base(new)),
                None => Edge::FALSE.complement_if(self.factors.state[*base as usize]),
            },
            Gate::Input(role, number) => match self.inputs.get(&(*role, *number)) {
                Some(&place) => self.builder.source(Gate::Input(*role, place)),
                None => Edge::FALSE,
            },
            Gate::And(edges) => {
                let to = |e: &Edge| self.map[&e.gate()].complement_if(e.is_complemented());
                self.builder.and(&mut edges.iter().map(to).collect())
            }
        }
    }

    /// What all of some edges of the whole net come to.
    fn all<'e>(&mut self, edges: impl Iterator<Item = &'e Edge>) -> Edge {
        let mut edges = edges.map(|&edge| self.edge(edge)).collect();
        self.builder.and(&mut edges)
    }

    /// Whether any of these holds.
    fn any(&mut self, edges: impl Iterator<Item = Edge>) -> Edge {
        !self.builder.and(&mut edges.map(|edge| !edge).collect())
    }
}
