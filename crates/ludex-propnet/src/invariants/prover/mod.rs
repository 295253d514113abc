//! Answers whether a step can do something, by propagation over the circuit and case splits.
//!
//! A literal that is asked for is propagated through and-gates in both directions, through the rules
//! of a step and through the facts assumed. What is left open by that is the false and-gates none of
//! whose edges is known to be false; the first of them is split on (the justification frontier of
//! test generation for circuits), so that only the part of the circuit that matters is touched.
//! After a conflict the splits that had no part in it are skipped.

mod propagate;

use crate::{Edge, Gate};

use super::fact::Question;
use super::rules::{Constraint, Kind, Rules};
use propagate::Conflict;

/// Why a literal is true.
#[derive(Clone, Copy, Debug)]
enum Reason {
    /// It is asked whether it can be, or a unit constraint says so.
    Given,
    Decision(u32),
    /// The gate is false, as this edge is.
    FalseEdge(Edge),
    /// The gate is true, as all its edges are.
    AllEdges,
    /// An edge of this true gate.
    EdgeOfTrue(u32),
    /// The only edge left to make this gate false.
    LastEdge(u32),
    /// The only literal left of this constraint.
    LastOf(u32),
    /// Another literal of this constraint is true.
    OtherOf(u32, Edge),
    /// Its complement was refuted under the decisions with this number.
    Refuted(u32),
    /// The only one left of the literals asked for.
    LastAsked,
}

/// An answer to a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Answer {
    /// It cannot happen.
    No,
    /// Nothing speaks against it that the prover can see.
    Open,
}

struct Level {
    trail: usize,
    decision: Edge,
    frontier: usize,
    refutations: usize,
}

/// The prover over one circuit and one set of assumed facts.
pub(super) struct Prover<'r, 'c> {
    rules: &'r Rules<'c>,
    constraints: Vec<Constraint>,
    enabled: Vec<bool>,
    /// Per gate the gates that read it, complemented as they do.
    readers: Lists,
    /// Per literal the constraints that contain it.
    containing: Lists,
    /// Per variable: 0 unknown, 1 false, 2 true.
    value: Vec<u8>,
    reason: Vec<Reason>,
    /// Per gate how many of its edges are true.
    true_edges: Vec<u32>,
    /// Per constraint how many of its literals are false.
    false_literals: Vec<u32>,
    trail: Vec<Edge>,
    /// Position in the trail of what is not propagated yet.
    head: usize,
    conflict: Option<Conflict>,
    /// The conflict between rules and facts, if no step can be made at all.
    root_conflict: Option<Conflict>,
    /// End of what holds without any question.
    root: usize,
    levels: Vec<Level>,
    refutations: Vec<Vec<Edge>>,
    asked: Vec<Edge>,
    /// Stamps of variables during analysis, and of facts for the answer at work.
    seen: Vec<u32>,
    stamp: u32,
    fact_seen: Vec<u32>,
    fact_stamp: u32,
    relied: Vec<u32>,
    steps: u64,
}

/// Lists of numbers, end to end.
struct Lists {
    starts: Vec<u32>,
    items: Vec<u32>,
}

impl Lists {
    fn new(count: usize, pairs: impl Iterator<Item = (usize, u32)> + Clone) -> Self {
        let mut starts = vec![0u32; count + 1];
        pairs.clone().for_each(|(list, _)| starts[list + 1] += 1);
        for at in 0..count {
            starts[at + 1] += starts[at];
        }
        let mut filled = starts.clone();
        let mut items = vec![0; starts[count] as usize];
        for (list, item) in pairs {
            items[filled[list] as usize] = item;
            filled[list] += 1;
        }
        Self { starts, items }
    }

    fn range(&self, list: usize) -> std::ops::Range<usize> {
        self.starts[list] as usize..self.starts[list + 1] as usize
    }
}

fn index(literal: Edge) -> usize {
    literal.gate().index() * 2 + usize::from(literal.is_complemented())
}

impl<'r, 'c> Prover<'r, 'c> {
    /// A prover that assumes the facts whose constraints are given, once `restart` enables them.
    /// `count` is more than the number of any fact; `steps` were spent before.
    pub(super) fn new(rules: &'r Rules<'c>, facts: Vec<Constraint>, count: usize, steps: u64) -> Self {
        let gates = &rules.circuit.gates;
        let edges = gates.iter().enumerate().flat_map(|(at, gate)| {
            let edges: &[Edge] = if let Gate::And(edges) = gate { edges } else { &[] };
            edges.iter().map(move |e| (e.gate().index(), (at as u32) << 1 | u32::from(e.is_complemented())))
        });
        let readers = Lists::new(rules.variables, edges);
        let mut constraints = rules.general.clone();
        constraints.extend(rules.of_role.iter().flatten().cloned());
        constraints.extend(facts);
        let members = constraints
            .iter()
            .enumerate()
            .flat_map(|(at, c)| c.literals.iter().map(move |&literal| (index(literal), at as u32)));
        let containing = Lists::new(rules.variables * 2, members);
        Self {
            rules,
            enabled: vec![true; constraints.len()],
            readers,
            containing,
            value: vec![0; rules.variables],
            reason: vec![Reason::Given; rules.variables],
            true_edges: vec![0; gates.len()],
            false_literals: vec![0; constraints.len()],
            constraints,
            trail: Vec::new(),
            head: 0,
            conflict: None,
            root_conflict: None,
            root: 0,
            levels: Vec::new(),
            refutations: Vec::new(),
            asked: Vec::new(),
            seen: vec![0; rules.variables],
            stamp: 0,
            fact_seen: vec![0; count],
            fact_stamp: 0,
            relied: Vec::new(),
            steps,
        }
    }

    /// Propagation steps spent so far.
    pub(super) fn steps(&self) -> u64 {
        self.steps
    }

    /// Starts anew with the facts for which `assumed` says so.
    pub(super) fn restart(&mut self, assumed: impl Fn(u32) -> bool) {
        self.root = 0;
        self.undo(0);
        for at in 0..self.constraints.len() {
            let constraint = &self.constraints[at];
            self.enabled[at] = constraint.fact.is_none_or(&assumed);
            if self.enabled[at] && constraint.kind == Kind::AnyOf {
                match *constraint.literals {
                    [] => self.conflict = Some(Conflict { reason: Reason::LastOf(at as u32), literal: None }),
                    [only] => self.assign(only, Reason::LastOf(at as u32)),
                    _ => {}
                }
            }
        }
        self.propagate();
        self.root = self.trail.len();
        self.root_conflict = self.conflict;
    }

    /// Forgets what earlier answers relied on.
    pub(super) fn begin(&mut self) {
        self.fact_stamp += 1;
        self.relied.clear();
    }

    /// The facts that answers since `begin` rely on, without repetition.
    pub(super) fn relied(&self) -> &[u32] {
        &self.relied
    }

    /// Whether there is a step as asked for, as far as the prover can see.
    pub(super) fn ask(&mut self, question: &Question, limit: u64) -> Answer {
        let answer = self.search(question, self.steps.saturating_add(limit));
        self.undo(self.root);
        self.conflict = self.root_conflict;
        answer
    }

    fn search(&mut self, question: &Question, limit: u64) -> Answer {
        self.asked.clone_from(&question.any);
        for &literal in &question.all {
            self.assign(literal, Reason::Given);
        }
        let mut frontier = self.root;
        loop {
            self.propagate();
            if self.conflict.is_none() {
                self.look_at_asked();
                if self.conflict.is_none() && self.head < self.trail.len() {
                    continue;
                }
            }
            if let Some(conflict) = self.conflict {
                let decisions = self.analyse(conflict);
                let Some(&last) = decisions.iter().max() else { return Answer::No };
                frontier = self.flip(last, &decisions);
                continue;
            }
            if self.steps > limit {
                return Answer::Open;
            }
            let Some(literal) = self.choose(&mut frontier) else { return Answer::Open };
            let level = self.levels.len() as u32;
            self.levels.push(Level {
                trail: self.trail.len(),
                decision: literal,
                frontier,
                refutations: self.refutations.len(),
            });
            self.assign(literal, Reason::Decision(level));
        }
    }

    /// Takes back the decision of a level, whose complement follows from the other decisions.
    fn flip(&mut self, level: u32, decisions: &[u32]) -> usize {
        let others = decisions.iter().filter(|&&d| d != level);
        let others = others.map(|&d| self.levels[d as usize].decision).collect();
        let Level { trail, decision, frontier, refutations } = self.levels.swap_remove(level as usize);
        self.levels.truncate(level as usize);
        self.undo(trail);
        self.refutations.truncate(refutations);
        self.refutations.push(others);
        self.assign(!decision, Reason::Refuted(self.refutations.len() as u32 - 1));
        frontier
    }

    /// At least one literal asked for has to be true.
    fn look_at_asked(&mut self) {
        if self.asked.is_empty() {
            return;
        }
        let mut open = None;
        for &literal in &self.asked {
            self.steps += 1;
            match self.literal(literal) {
                Some(true) => return,
                Some(false) => {}
                None if open.is_some() => return,
                None => open = Some(literal),
            }
        }
        match open {
            Some(literal) => self.assign(literal, Reason::LastAsked),
            None => self.conflict = Some(Conflict { reason: Reason::LastAsked, literal: None }),
        }
    }

    /// What to suppose next: that a false gate is false by its first open edge; when all false gates
    /// are so by some edge, that the first literal asked for is true.
    fn choose(&mut self, frontier: &mut usize) -> Option<Edge> {
        while let Some(&literal) = self.trail.get(*frontier) {
            if literal.is_complemented()
                && let Some(Gate::And(edges)) = self.rules.circuit.gates.get(literal.gate().index())
            {
                let mut open = None;
                let mut justified = false;
                for &edge in edges {
                    self.steps += 1;
                    match self.literal(edge) {
                        Some(false) => {
                            justified = true;
                            break;
                        }
                        None if open.is_none() => open = Some(!edge),
                        _ => {}
                    }
                }
                if !justified && open.is_some() {
                    return open;
                }
            }
            *frontier += 1;
        }
        if self.asked.iter().any(|&literal| self.literal(literal) == Some(true)) {
            return None;
        }
        self.asked.iter().copied().find(|&literal| self.literal(literal).is_none())
    }
}
