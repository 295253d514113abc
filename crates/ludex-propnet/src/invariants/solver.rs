//! Answers the questions that the prover leaves open, by a solver for propositional formulas with
//! clause learning (BatSat, a MiniSat in Rust).
//!
//! Gates are encoded when a question first needs them (Tseitin's clauses); the rules of a step come
//! with the first question. Each fact has a selector,
//! so that one solver serves all rounds of induction, and the selectors in the core of a refutation
//! are the facts it relies on.

use batsat::{Callbacks, ClauseKind, Lit, Solver as BatSat, SolverInterface, SolverOpts, Var, lbool};
use ludex_logic::{LimitError, Meter};

use crate::{Edge, Gate, GateId};

use super::fact::{Fact, Question};
use super::rules::{Constraint, Kind, Rules};

/// Groups up to this size are encoded by pairs.
const PAIRS: usize = 5;

/// Counts conflicts and stops a question that meets too many.
#[derive(Default)]
struct Limiter {
    conflicts: u64,
    limit: u64,
}

impl Callbacks for Limiter {
    fn on_new_clause(&mut self, _literals: &[Lit], kind: ClauseKind) {
        self.conflicts += u64::from(kind == ClauseKind::Learnt);
    }

    fn stop(&self) -> bool {
        self.conflicts >= self.limit
    }
}

/// An answer of the solver.
pub(super) enum Verdict {
    /// It cannot happen; the facts this relies on.
    No(Vec<u32>),
    /// It can happen.
    Yes(Witness),
    /// Too hard.
    Unknown,
}

/// A state and a joint move in which what was asked for happens.
pub(super) struct Witness {
    /// Per base.
    pub(super) bases: Vec<bool>,
    /// Per role and move.
    pub(super) inputs: Vec<Vec<bool>>,
}

/// The solver over one circuit.
pub(super) struct Solver<'r, 'c> {
    rules: &'r Rules<'c>,
    solver: BatSat<Limiter>,
    variables: Vec<Option<Var>>,
    /// Per variable whether what it means is encoded.
    meant: Vec<bool>,
    /// Per fact its selector.
    selectors: Vec<Lit>,
    queries: u64,
    encoded: u64,
    answered: u64,
    work_limit: u64,
}

impl<'r, 'c> Solver<'r, 'c> {
    pub(super) fn new(rules: &'r Rules<'c>, conflicts_per_query: u64, work_limit: u64) -> Self {
        let limiter = Limiter { conflicts: 0, limit: conflicts_per_query };
        Self {
            rules,
            solver: BatSat::new(SolverOpts::default(), limiter),
            variables: vec![None; rules.variables],
            meant: vec![false; rules.variables],
            selectors: Vec::new(),
            queries: 0,
            encoded: 0,
            answered: 0,
            work_limit,
        }
    }

    pub(super) fn queries(&self) -> u64 {
        self.queries
    }

    pub(super) fn conflicts(&self) -> u64 {
        self.solver.num_conflicts()
    }

    pub(super) fn work(&self) -> u64 {
        self.encoded + self.answered + self.solver.num_propagations()
    }

    /// Whether there is a step as asked for from a state in which the assumed facts hold.
    pub(super) fn ask(
        &mut self,
        question: &Question,
        facts: &[Fact],
        assumed: impl Fn(u32) -> bool,
        meter: &mut Meter,
    ) -> Result<Verdict, LimitError> {
        if self.work() >= self.work_limit {
            return Ok(Verdict::Unknown);
        }
        let before = self.work();
        self.queries += 1;
        if self.queries == 1 {
            let rules = self.rules.general.iter().chain(self.rules.of_role.iter().flatten());
            rules.for_each(|constraint| self.add(constraint, None));
        }
        for (number, fact) in facts.iter().enumerate().skip(self.selectors.len()) {
            self.add_fact(number as u32, fact);
        }
        let selectors = self.selectors.iter().enumerate().filter(|&(number, _)| assumed(number as u32));
        let mut assumptions: Vec<Lit> = selectors.map(|(_, &selector)| selector).collect();
        self.answered += assumptions.len() as u64;
        for &edge in &question.all {
            assumptions.push(self.literal(edge));
        }
        let asked = (!question.any.is_empty()).then(|| Lit::new(self.solver.new_var_default(), true));
        if let Some(asked) = asked {
            let mut clause: Vec<Lit> = question.any.iter().map(|&edge| self.literal(edge)).collect();
            clause.push(!asked);
            self.solver.add_clause_reuse(&mut clause);
            assumptions.push(asked);
        }
        meter.spend(self.work() - before)?;
        if self.work() >= self.work_limit {
            return Ok(Verdict::Unknown);
        }
        let verdict = self.solve(&assumptions);
        if let Some(asked) = asked {
            self.solver.add_clause_reuse(&mut vec![!asked]);
        }
        meter.spend(self.work() - before)?;
        Ok(verdict)
    }

    fn solve(&mut self, assumptions: &[Lit]) -> Verdict {
        self.solver.cb_mut().conflicts = 0;
        let result = self.solver.solve_limited(assumptions);
        if result == lbool::TRUE {
            self.answered += u64::from(self.solver.num_vars());
            let value = |gate: &GateId| {
                self.variables[gate.index()].map(|variable| self.solver.value_var(variable) == lbool::TRUE)
            };
            // What no encoded gate reads keeps its initial value.
            let bases = self.rules.bases.iter().zip(&self.rules.circuit.bases);
            let bases = bases.map(|(gate, base)| value(gate).unwrap_or(base.initial)).collect();
            let inputs = self.rules.inputs.iter();
            let inputs =
                inputs.map(|moves| moves.iter().map(|gate| value(gate) == Some(true)).collect()).collect();
            return Verdict::Yes(Witness { bases, inputs });
        }
        if result != lbool::FALSE {
            return Verdict::Unknown;
        }
        // Without a core the clauses contradict each other, so that no fact is needed.
        let used = |selector: &Lit| self.solver.unsat_core_contains_var(selector.var());
        let numbers = self.selectors.iter().enumerate().filter(|(_, selector)| used(selector));
        Verdict::No(numbers.map(|(number, _)| number as u32).collect())
    }

    /// Adds a fact under a new selector.
    fn add_fact(&mut self, number: u32, fact: &Fact) {
        let selector = Lit::new(self.solver.new_var_default(), true);
        self.selectors.push(selector);
        for constraint in self.rules.of_fact(number, fact) {
            self.add(&constraint, Some(selector));
        }
    }

    /// Adds a constraint that holds if its selector does.
    fn add(&mut self, constraint: &Constraint, selector: Option<Lit>) {
        for &edge in &constraint.literals {
            self.encode(edge.gate());
        }
        let literals: Vec<Lit> = constraint.literals.iter().map(|&edge| self.known(edge)).collect();
        let unless = selector.map(|s| !s);
        match constraint.kind {
            Kind::AnyOf => self.clause(literals.into_iter().chain(unless)),
            Kind::AtMostOne if literals.len() <= PAIRS => {
                for (at, &one) in literals.iter().enumerate() {
                    for &other in &literals[at + 1..] {
                        self.clause([!one, !other].into_iter().chain(unless));
                    }
                }
            }
            Kind::AtMostOne => {
                // `some` is true if one of the literals so far is.
                let mut some: Option<Lit> = None;
                for &literal in &literals {
                    let more = Lit::new(self.solver.new_var_default(), true);
                    self.clause([!literal, more].into_iter());
                    if let Some(some) = some {
                        self.clause([!some, more].into_iter());
                        self.clause([!some, !literal].into_iter().chain(unless));
                    }
                    some = Some(more);
                }
            }
        }
    }

    fn clause(&mut self, literals: impl Iterator<Item = Lit>) {
        let mut literals: Vec<Lit> = literals.collect();
        self.encoded += literals.len() as u64;
        self.solver.add_clause_reuse(&mut literals);
    }

    /// The literal of an edge; its gate and whatever that reads is encoded.
    fn literal(&mut self, edge: Edge) -> Lit {
        self.encode(edge.gate());
        self.known(edge)
    }

    fn known(&mut self, edge: Edge) -> Lit {
        let solver = &mut self.solver;
        let variable = *self.variables[edge.gate().index()].get_or_insert_with(|| solver.new_var_default());
        Lit::new(variable, !edge.is_complemented())
    }

    /// Encodes a gate and whatever it reads.
    fn encode(&mut self, gate: GateId) {
        let circuit = self.rules.circuit;
        let mut open = vec![gate];
        while let Some(gate) = open.pop() {
            if std::mem::replace(&mut self.meant[gate.index()], true) {
                continue;
            }
            match circuit.gates.get(gate.index()) {
                Some(Gate::And(edges)) => {
                    let output = self.known(Edge::new(gate, false));
                    let inputs: Vec<Lit> = edges.iter().map(|&edge| self.known(edge)).collect();
                    inputs.iter().for_each(|&input| self.clause([!output, input].into_iter()));
                    self.clause(inputs.iter().map(|&input| !input).chain([output]));
                    open.extend(edges.iter().map(|edge| edge.gate()));
                }
                _ => {
                    self.known(Edge::new(gate, false));
                }
            }
        }
    }
}
