//! From the named net to gates.

use std::sync::Arc;

use super::{Circuit, Edge, Feedback, Gate, GateBuilder, GateId, Loop, StoredBase};
use crate::net::{NodeId, NodeKind, Propnet};

/// No gate yet.
const NONE: u32 = u32::MAX;

struct Translation<'n> {
    net: &'n Propnet,
    gates: GateBuilder,
    loops: Vec<Loop>,
    /// Per node its edge.
    edges: Vec<Option<Edge>>,
    /// The component of each node, or [`NONE`]; empty if there is none.
    component: Vec<u32>,
    /// Where a node of a component stands in the search for variables.
    place: Vec<Place>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Unseen,
    /// On the way from the root of the search, so that an arc to it closes a cycle.
    Open,
    /// The same, and it has a variable.
    Variable(GateId),
    Done,
}

impl Circuit {
    /// The circuit of a net, gate by gate: nothing is shared or simplified but constants. Every
    /// proposition that can be true is stored.
    ///
    /// A recursive component becomes a loop; its variables are the nodes that a depth-first search
    /// comes back to. Moves that are never legal are never made. Where `legal`, `goal` or `terminal`
    /// depend on moves, against the rules of the language (book 9.3), they are asked with none made.
    pub fn from_net(net: &Propnet) -> Circuit {
        let mut translation = Translation::new(net);
        let sources = translation.add_sources();
        translation.add_nodes(&vec![true; net.node_count()]);
        let next = |t: &Translation<'_>, base: NodeId| {
            net.sources(base).first().map_or(Edge::FALSE, |&transition| t.edge(transition))
        };
        let of_base = |(proposition, &base): (u32, &NodeId)| StoredBase {
            proposition,
            initial: net.initial().get(base.index()).copied().unwrap_or(false),
            next: next(&translation, base),
        };
        let bases = (0..).zip(net.game_bases()).map(of_base).collect();
        let percepts = net
            .percepts()
            .iter()
            .map(|list| list.iter().map(|&(term, node)| (term, translation.edge(node))).collect::<Vec<_>>());
        let percepts = percepts.collect();
        translation.forget_moves(&sources);
        let term = |list: &[NodeId]| list.iter().filter_map(|&n| net.term(n)).collect::<Vec<_>>();
        let legal = |list: &Vec<NodeId>| list.iter().map(|&n| translation.edge(n)).collect();
        let goals = net.rewards().iter().map(|list| {
            list.iter().map(|&(value, node)| (value, translation.edge(node))).collect::<Vec<_>>()
        });
        let circuit = Circuit {
            terms: Arc::clone(net.terms()),
            propositions: term(net.game_bases()),
            values: net.game_bases().iter().map(|&base| translation.edge(base)).collect(),
            bases,
            moves: net.legal_inputs().iter().map(|list| term(list)).collect(),
            legal: net.legals().iter().map(legal).collect(),
            goals: goals.collect(),
            terminal: translation.edge(net.terminal()),
            percepts,
            gates: translation.gates.finish(),
            loops: translation.loops,
        };
        debug_assert_eq!(circuit.check(), Ok(()));
        circuit
    }
}

impl<'n> Translation<'n> {
    fn new(net: &'n Propnet) -> Self {
        let mut component = Vec::new();
        if !net.recursive().is_empty() {
            component = vec![NONE; net.node_count()];
            for (number, range) in (0..).zip(net.recursive()) {
                net.order()[range.clone()].iter().for_each(|m| component[m.index()] = number);
            }
        }
        Self {
            net,
            gates: GateBuilder::new(false),
            loops: Vec::new(),
            edges: vec![None; net.node_count()],
            place: vec![Place::Unseen; component.len()],
            component,
        }
    }

    fn edge(&self, node: NodeId) -> Edge {
        self.edges[node.index()].unwrap_or(Edge::FALSE)
    }

    /// Bases, latches and inputs. Answers which nodes are moves.
    fn add_sources(&mut self) -> Vec<NodeId> {
        let net = self.net;
        for (number, base) in (0..).zip(net.game_bases()) {
            self.edges[base.index()] = Some(self.gates.source(Gate::Base(number)));
        }
        net.latches().iter().for_each(|latch| self.edges[latch.index()] = Some(Edge::TRUE));
        let all: Vec<NodeId> = net.inputs().iter().flatten().copied().collect();
        all.iter().for_each(|input| self.edges[input.index()] = Some(Edge::FALSE));
        for (role, list) in (0..).zip(net.legal_inputs()) {
            for (number, input) in (0..).zip(list) {
                self.edges[input.index()] = Some(self.gates.source(Gate::Input(role, number)));
            }
        }
        all
    }

    /// Works out the nodes that are `wanted` (a component as a whole or not at all).
    fn add_nodes(&mut self, wanted: &[bool]) {
        let net = self.net;
        let mut recursive = net.recursive().iter().peekable();
        let mut at = 0;
        while at < net.order().len() {
            let node = net.order()[at];
            if let Some(range) = recursive.next_if(|r| r.start == at) {
                if wanted[node.index()] {
                    self.add_loop(&net.order()[range.clone()]);
                }
                at = range.end;
                continue;
            }
            if wanted[node.index()] && !matches!(net.kind(node), NodeKind::Base | NodeKind::Input) {
                let edge = self.combine(node, |t, source| t.edge(source));
                self.edges[node.index()] = Some(edge);
            }
            at += 1;
        }
    }

    fn combine(&mut self, node: NodeId, edge: impl Fn(&Self, NodeId) -> Edge) -> Edge {
        let sources = self.net.sources(node);
        let only = |t: &Self| sources.first().map_or(Edge::FALSE, |&source| edge(t, source));
        match self.net.kind(node) {
            NodeKind::Negation => !only(self),
            NodeKind::Conjunction => {
                let mut edges = sources.iter().map(|&source| edge(self, source)).collect();
                self.gates.and(&mut edges)
            }
            NodeKind::Disjunction => {
                let mut edges = sources.iter().map(|&source| !edge(self, source)).collect();
                !self.gates.and(&mut edges)
            }
            NodeKind::Base | NodeKind::Input | NodeKind::View | NodeKind::Transition => only(self),
        }
    }

    fn is_with(&self, node: NodeId, number: u32) -> bool {
        self.component.get(node.index()) == Some(&number)
    }

    /// A component as a loop. Each node comes after its sources, but for the nodes that the search
    /// was still at when it met them again: these get a variable.
    fn add_loop(&mut self, members: &[NodeId]) {
        let net = self.net;
        let number = self.component[members[0].index()];
        let loop_number = self.loops.len() as u32;
        let mut feedback = Vec::new();
        members.iter().for_each(|m| self.place[m.index()] = Place::Unseen);
        let mut calls: Vec<(NodeId, usize)> = Vec::new();
        for &root in members {
            if self.place[root.index()] != Place::Unseen {
                continue;
            }
            self.place[root.index()] = Place::Open;
            calls.push((root, 0));
            while let Some((node, at)) = calls.last_mut() {
                let node = *node;
                if let Some(&source) = net.sources(node).get(*at) {
                    *at += 1;
                    if self.is_with(source, number) {
                        self.visit(source, loop_number, &mut calls);
                    }
                    continue;
                }
                calls.pop();
                let edge = self.combine(node, |t, source| match t.place.get(source.index()) {
                    Some(&Place::Variable(gate)) if t.is_with(source, number) => Edge::new(gate, false),
                    _ => t.edge(source),
                });
                if let Place::Variable(gate) = self.place[node.index()] {
                    feedback.push(Feedback { gate, definition: edge });
                }
                self.place[node.index()] = Place::Done;
                self.edges[node.index()] = Some(edge);
            }
        }
        self.loops.push(Loop { feedback });
    }

    fn visit(&mut self, source: NodeId, loop_number: u32, calls: &mut Vec<(NodeId, usize)>) {
        match self.place[source.index()] {
            Place::Unseen => {
                self.place[source.index()] = Place::Open;
                calls.push((source, 0));
            }
            Place::Open => {
                let gate = self.gates.feedback(loop_number).gate();
                self.place[source.index()] = Place::Variable(gate);
            }
            Place::Variable(_) | Place::Done => {}
        }
    }

    /// Works out once more, with no move made, what a question about the state needs and what
    /// depends on moves.
    fn forget_moves(&mut self, inputs: &[NodeId]) {
        let net = self.net;
        let mut moves = vec![false; net.node_count()];
        inputs.iter().for_each(|n| moves[n.index()] = true);
        self.spread_moves(&mut moves);
        let mut wanted = vec![false; net.node_count()];
        let mut open = vec![net.terminal()];
        open.extend(net.legals().iter().flatten());
        open.extend(net.rewards().iter().flatten().map(|&(_, node)| node));
        while let Some(node) = open.pop() {
            if moves[node.index()] && !wanted[node.index()] {
                wanted[node.index()] = true;
                open.extend(net.sources(node));
            }
        }
        if wanted.contains(&true) {
            inputs.iter().for_each(|n| self.edges[n.index()] = Some(Edge::FALSE));
            self.add_nodes(&wanted);
        }
    }

    /// Completes the nodes that depend on moves.
    fn spread_moves(&self, moves: &mut [bool]) {
        let net = self.net;
        let mut recursive = net.recursive().iter().peekable();
        let mut at = 0;
        while at < net.order().len() {
            let end = recursive.next_if(|r| r.start == at).map_or(at + 1, |r| r.end);
            let members = &net.order()[at..end];
            // A base is what it is, whatever its transition reads.
            let computed = members.iter().filter(|&&m| net.kind(m) != NodeKind::Base);
            if computed.flat_map(|&m| net.sources(m)).any(|s| moves[s.index()]) {
                members.iter().for_each(|m| moves[m.index()] = true);
            }
            at = end;
        }
    }
}
