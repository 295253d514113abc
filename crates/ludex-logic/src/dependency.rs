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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clause_text::program;

    /// The relations of a list by name.
    fn names(program: &Program, relations: impl IntoIterator<Item = RelationId>) -> Vec<String> {
        relations.into_iter().map(|r| program.relation_name(r).to_string()).collect()
    }

    fn find(program: &Program, name: &str) -> RelationId {
        let found = program.relations.ids().find(|&r| program.relation_name(r) == name);
        found.unwrap_or_else(|| panic!("no relation {name}"))
    }

    fn path(program: &Program, graph: &Dependencies, from: &str, to: &str) -> String {
        let edges = graph.path(find(program, from), find(program, to));
        let mut text: Vec<String> = names(program, edges.first().map(|e| e.body));
        text.extend(names(program, edges.iter().map(|e| e.head)));
        text.join(" ")
    }

    #[test]
    fn an_edge_for_each_relation_and_sign_definition_7() {
        let p = program("p(X) :- q(X) & r(X) & ~r(X) & ~~s(X) p(X) :- ~(q(X) | ~t(X)) & u(X) p(X) :- q(X)");
        let graph = Dependencies::new(&p);
        let mut edges: Vec<String> = graph
            .uses(find(&p, "p"))
            .iter()
            .map(|e| {
                format!(
                    "{}{} {}",
                    if e.negative { "~" } else { "" },
                    p.relation_name(e.body),
                    e.clause.index()
                )
            })
            .collect();
        edges.sort();
        // Each with the first clause that makes it; two negations cancel.
        assert_eq!(edges, ["q 0", "r 0", "s 0", "t 1", "u 1", "~q 1", "~r 0"]);
        assert_eq!(graph.edges().len(), 7);
        assert!(graph.uses(find(&p, "q")).is_empty());
    }

    #[test]
    fn the_specification_s_unstratified_examples_definition_8() {
        for (text, edge) in [("p(X) :- q(X) & ~p(X)", "p p"), ("p(X) :- q(X) q(X) :- r(X) & ~p(X)", "p q")] {
            let p = program(text);
            let graph = Dependencies::new(&p);
            let found: Vec<String> =
                graph.unstratified().map(|e| names(&p, [e.body, e.head]).join(" ")).collect();
            assert_eq!(found, [edge]);
        }
        let stratified = program("p(X) :- q(X) & ~r(X) q(X) :- p(X) r(X) :- s(X) & ~t(X)");
        assert_eq!(Dependencies::new(&stratified).unstratified().count(), 0);
        // The cycle has no negation, though there is one beside it in the same clause.
        let beside = program("p(X) :- q(X) & ~r(X) & p(X)");
        assert_eq!(Dependencies::new(&beside).unstratified().count(), 0);
    }

    #[test]
    fn components_come_after_what_they_need() {
        let p = program(
            "a(X) :- b(X) b(X) :- c(X) c(X) :- a(X) & d(X) d(X) :- e(X) e(X) :- d(X) e(X) :- f(X)
             g(X) :- a(X) & h(X) h(X) :- h(X) f(1)",
        );
        let graph = Dependencies::new(&p);
        let mut components: Vec<Vec<String>> =
            graph.components().iter().map(|c| names(&p, c.iter().copied())).collect();
        let place = |name: &str| graph.component(find(&p, name));
        assert!(place("f") < place("d") && place("d") < place("a") && place("a") < place("g"));
        components.retain(|c| c[0].len() == 1);
        components.iter_mut().for_each(|c| c.sort());
        components.sort();
        let expected: [&[&str]; 5] = [&["a", "b", "c"], &["d", "e"], &["f"], &["g"], &["h"]];
        assert_eq!(components, expected);
        let recursive: Vec<bool> =
            "abcdefgh".chars().map(|c| graph.is_recursive(find(&p, &c.to_string()))).collect();
        assert_eq!(recursive, [true, true, true, true, true, false, false, true]);
    }

    #[test]
    fn strata_count_negations_on_the_worst_path_definition_12() {
        let p = program(
            "a(1) b(X) :- a(X) & ~z(X) c(X) :- b(X) d(X) :- a(X) & ~c(X) d(X) :- e(X) e(X) :- d(X)
             f(X) :- ~~b(X) & a(X) g(X) :- a(X) & ~(b(X) | ~d(X))",
        );
        let strata = Dependencies::new(&p).strata();
        let of = |name: &str| strata[find(&p, name)];
        assert_eq!(["a", "z", "b", "c", "d", "e", "f", "g"].map(of), [0, 0, 1, 1, 2, 2, 1, 2]);
    }

    #[test]
    fn paths_are_shortest_and_may_be_cycles() {
        let p =
            program("b(X) :- a(X) c(X) :- b(X) d(X) :- c(X) d(X) :- a(X) & e(X) e(X) :- d(X) a(X) :- c(X)");
        let graph = Dependencies::new(&p);
        assert_eq!(path(&p, &graph, "a", "d"), "a d");
        assert_eq!(path(&p, &graph, "b", "e"), "b c d e");
        assert_eq!(path(&p, &graph, "a", "a"), "a b c a");
        assert_eq!(path(&p, &graph, "e", "e"), "e d e");
        assert_eq!(path(&p, &graph, "e", "a"), "");
        assert_eq!(path(&p, &graph, "legal", "a"), "");
    }

    #[test]
    fn what_depends_on_what() {
        let p = program("b(X) :- a(X) c(X) :- b(X) b(X) :- c(X) d(X) :- c(X) & e(X) f(X) :- e(X)");
        let graph = Dependencies::new(&p);
        let on = |reached: IdVec<RelationId, bool>| {
            let mut list = names(&p, reached.entries().filter(|(_, r)| **r).map(|(id, _)| id));
            list.sort();
            list.concat()
        };
        assert_eq!(on(graph.dependents([find(&p, "a")])), "abcd");
        assert_eq!(on(graph.dependents([find(&p, "e")])), "def");
        assert_eq!(on(graph.requirements([find(&p, "d")])), "abcde");
        assert_eq!(on(graph.requirements([find(&p, "a"), find(&p, "f")])), "aef");
        assert_eq!(on(graph.dependents([])), "");
    }

    #[test]
    fn a_chain_of_a_hundred_thousand_rules_needs_no_stack() {
        let terms = std::sync::Arc::new(crate::Terms::new());
        let mut builder = crate::ProgramBuilder::new(std::sync::Arc::clone(&terms));
        let relations: Vec<RelationId> =
            (0..100_000).map(|i| builder.relation(terms.symbol(&format!("r{i}")), 0)).collect();
        let atom = |relation| crate::Atom { relation, args: [].into() };
        for pair in relations.windows(2) {
            let body = crate::Formula::Not(Box::new(crate::Formula::Atom(atom(pair[0]))));
            builder.clause(atom(pair[1]), body, IdVec::new(), None);
        }
        let graph = Dependencies::new(&builder.finish());
        assert_eq!(graph.strata()[relations[99_999]], 99_999);
        assert_eq!(graph.path(relations[0], relations[99_999]).len(), 99_999);
    }
}
