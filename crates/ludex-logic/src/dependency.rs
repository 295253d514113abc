//! The dependency graph, its strongly connected components and strata.
//!
//! Specification Def. 7 and 8, book 2.2, appendix A.1. An edge runs from a relation in a body to
//! the relation in the head. In Def. 12 "starting at r" must read "ending at r".

use crate::ids::{ClauseId, Id, IdVec, RelationId};
use crate::program::Program;
use crate::scc::components;

/// One way in which a head depends on a relation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Edge {
    /// The relation in the body.
    pub body: RelationId,
    /// The relation in the head.
    pub head: RelationId,
    /// Whether the body atom stands under an odd number of negations.
    pub negative: bool,
    /// The first clause that makes this edge.
    pub clause: ClauseId,
}

/// The dependency graph of a program with what follows from it.
#[derive(Clone, Debug)]
pub struct Dependencies {
    edges: Vec<Edge>,
    /// Per head relation, the range of its edges in `edges`.
    incoming: IdVec<RelationId, std::ops::Range<usize>>,
    component: IdVec<RelationId, usize>,
    components: Vec<Vec<RelationId>>,
    recursive: Vec<bool>,
}

impl Dependencies {
    /// The dependency graph of all clauses.
    pub fn new(program: &Program) -> Self {
        let mut edges = Vec::new();
        for (id, clause) in program.clauses.entries() {
            let head = clause.head.relation;
            clause.body.atoms(&mut |atom, negative| {
                edges.push(Edge { body: atom.relation, head, negative, clause: id });
            });
        }
        edges.sort_by_key(|e| (e.head, e.body, e.negative, e.clause));
        edges.dedup_by_key(|e| (e.head, e.body, e.negative));
        let mut incoming: IdVec<RelationId, _> = program.relations.iter().map(|_| 0..0).collect();
        let mut start = 0;
        for group in edges.chunk_by(|a, b| a.head == b.head) {
            incoming[group[0].head] = start..start + group.len();
            start += group.len();
        }
        let mut graph = Self {
            edges,
            incoming,
            component: program.relations.iter().map(|_| usize::MAX).collect(),
            components: Vec::new(),
            recursive: Vec::new(),
        };
        graph.find_components();
        graph
    }

    /// All edges, ordered by head, body and sign.
    pub fn edges(&self) -> &[Edge] {
        &self.edges
    }

    /// The edges into a relation: what its clauses ask for.
    pub fn uses(&self, head: RelationId) -> &[Edge] {
        &self.edges[self.incoming[head].clone()]
    }

    /// The strongly connected components; each comes after all it depends on.
    pub fn components(&self) -> &[Vec<RelationId>] {
        &self.components
    }

    /// The position of the relation's component in [`Dependencies::components`].
    pub fn component(&self, relation: RelationId) -> usize {
        self.component[relation]
    }

    /// Whether the relation depends on itself.
    pub fn is_recursive(&self, relation: RelationId) -> bool {
        self.recursive[self.component[relation]]
    }

    fn find_components(&mut self) {
        let found = components(self.incoming.len(), |node| {
            self.uses(RelationId::from_index(node)).iter().map(|e| e.body.index()).collect()
        });
        for (number, members) in found.into_iter().enumerate() {
            let members: Vec<_> = members.into_iter().map(RelationId::from_index).collect();
            members.iter().for_each(|&m| self.component[m] = number);
            self.recursive.push(members.len() > 1);
            self.components.push(members);
        }
        for edge in &self.edges {
            if edge.body == edge.head {
                self.recursive[self.component[edge.head]] = true;
            }
        }
    }

    /// The negative edges inside a component: the program is stratified exactly when there are none
    /// (specification Def. 8).
    pub fn unstratified(&self) -> impl Iterator<Item = &Edge> {
        self.edges.iter().filter(|e| e.negative && self.component[e.body] == self.component[e.head])
    }

    /// The stratum of each relation: the most negative edges on any path ending there (Def. 12).
    /// Negative edges within a component, which have no meaning, are not counted.
    pub fn strata(&self) -> IdVec<RelationId, usize> {
        let mut by_component = vec![0usize; self.components.len()];
        for (number, members) in self.components.iter().enumerate() {
            for edge in members.iter().flat_map(|&m| self.uses(m)) {
                let below = self.component[edge.body];
                if below != number {
                    let stratum = by_component[below] + usize::from(edge.negative);
                    by_component[number] = by_component[number].max(stratum);
                }
            }
        }
        self.component.iter().map(|&c| by_component[c]).collect()
    }

    /// Every relation that can be reached from `start` by going from body to head; `start` included.
    pub fn dependents(&self, start: impl IntoIterator<Item = RelationId>) -> IdVec<RelationId, bool> {
        let mut reached: IdVec<RelationId, bool> = self.incoming.iter().map(|_| false).collect();
        for relation in start {
            reached[relation] = true;
        }
        // Components come in dependency order, so one pass suffices.
        for members in &self.components {
            let hit = members.iter().any(|&m| reached[m] || self.uses(m).iter().any(|e| reached[e.body]));
            if hit {
                for &member in members {
                    // A component of one relation that was reached by nothing but itself stays as it is.
                    reached[member] = true;
                }
            }
        }
        reached
    }

    /// Every relation that `start` depends on; `start` included.
    pub fn requirements(&self, start: impl IntoIterator<Item = RelationId>) -> IdVec<RelationId, bool> {
        let mut reached: IdVec<RelationId, bool> = self.incoming.iter().map(|_| false).collect();
        let mut queue: Vec<RelationId> = start.into_iter().collect();
        while let Some(relation) = queue.pop() {
            if !std::mem::replace(&mut reached[relation], true) {
                queue.extend(self.uses(relation).iter().map(|e| e.body));
            }
        }
        reached
    }

    /// A shortest path of edges from `from` (in bodies) to `to` (in heads); empty when there is none.
    pub fn path(&self, from: RelationId, to: RelationId) -> Vec<Edge> {
        let mut via: IdVec<RelationId, Option<Edge>> = self.incoming.iter().map(|_| None).collect();
        let mut queue = std::collections::VecDeque::from([to]);
        while let Some(relation) = queue.pop_front() {
            for edge in self.uses(relation) {
                if edge.body == from {
                    let mut path = vec![*edge];
                    let mut at = edge.head;
                    while at != to {
                        let Some(step) = via[at] else { break };
                        path.push(step);
                        at = step.head;
                    }
                    return path;
                }
                if edge.body != to && via[edge.body].is_none() {
                    via[edge.body] = Some(*edge);
                    queue.push_back(edge.body);
                }
            }
        }
        Vec::new()
    }
}
