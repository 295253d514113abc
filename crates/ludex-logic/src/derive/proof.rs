//! Proofs of atoms that follow, and refutations of atoms that do not.

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::compile::{ProcedureId, Rule, SubgoalKind, Test};
use super::error::DeriveError;
use super::facts::Reason;
use super::instance::{Maker, build, ground};
use super::solve::{Continuation, Value};
use super::{Derivations, Query};
use crate::budget::Meter;
use crate::ids::{ClauseId, TermId, VariableId};
use crate::program::{Formula, GroundAtom, Pattern};

/// How far refutations are followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExplainOptions {
    /// How many refutations may be nested in each other; deeper ones say only what fails.
    pub refutations: usize,
}

impl Default for ExplainOptions {
    fn default() -> Self {
        Self { refutations: 4 }
    }
}

/// Something a proof rests on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Premise {
    /// An atom that follows: a [`Node::Holds`].
    Holds(usize),
    /// An atom that does not follow: a [`Node::Fails`].
    Fails(usize),
    /// Two different terms.
    Distinct(TermId, TermId),
    /// One term twice, required not to be distinct.
    Equal(TermId, TermId),
}

/// How far a rule gets towards an atom that does not follow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// The rule; `None` for the query itself and the alternatives of its disjunctions.
    pub clause: Option<ClauseId>,
    /// The values of the clause's variables in the attempt that got furthest.
    pub bindings: Vec<(VariableId, TermId)>,
    /// The literal that fails, with the values put in, in the clause's variables; `None` when the
    /// head does not fit the atom.
    pub literal: Option<Formula>,
    /// Why it fails: a refutation of an atom or disjunction, or a proof of a negated atom.
    pub because: Option<usize>,
}

/// A part of an explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// The atom follows.
    Holds {
        /// The atom.
        atom: GroundAtom,
        /// The rule or fact.
        reason: Reason,
        /// What the rule rests on, in the order of its body.
        premises: Vec<Premise>,
    },
    /// The atom (or disjunction) does not follow.
    Fails {
        /// What fails.
        formula: Formula,
        /// The clause whose variables are in it; `None` for the query's.
        scope: Option<ClauseId>,
        /// One attempt for each rule, or each alternative of a disjunction.
        attempts: Vec<Attempt>,
        /// Whether the attempts were looked for; not so beyond [`ExplainOptions::refutations`].
        expanded: bool,
    },
}

/// Why something follows or not. Each atom that follows is one node, however often it is used, and
/// its premises never lead back to it; refutations of recursive relations may.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// All parts.
    pub nodes: Vec<Node>,
    /// The proof of each answer, or the one refutation.
    pub roots: Vec<usize>,
}

impl Explanation {
    /// Whether the query has an answer.
    pub fn holds(&self) -> bool {
        self.roots.first().is_some_and(|&r| matches!(self.nodes[r], Node::Holds { .. }))
    }

    /// The clauses that the explanation speaks of.
    pub fn clauses(&self) -> BTreeSet<ClauseId> {
        let mut used = BTreeSet::new();
        for node in &self.nodes {
            match node {
                Node::Holds { reason: Reason::Clause(clause), .. } => {
                    used.insert(*clause);
                }
                Node::Holds { .. } => {}
                Node::Fails { attempts, .. } => {
                    used.extend(attempts.iter().filter_map(|attempt| attempt.clause));
                }
            }
        }
        used
    }
}

/// What a node that is not filled in yet is about.
enum Pending {
    Proof(usize, GroundAtom),
    Refutation { node: usize, procedure: ProcedureId, call: Box<[Value]>, level: usize },
}

/// A rule with the values of its variables.
type Derived = (Arc<Rule>, Box<[Value]>);

struct Explainer {
    nodes: Vec<Node>,
    proofs: FxHashMap<GroundAtom, usize>,
    refutations: FxHashMap<(ProcedureId, Box<[Value]>, Formula), usize>,
    pending: Vec<Pending>,
}

impl Derivations<'_> {
    /// Explains a query: a proof for each answer, or why there is none.
    ///
    /// # Errors
    /// As [`Derivations::answers`]; [`DeriveError::Malformed`] when the query has answers and is not an atom.
    pub fn explain(
        &mut self,
        query: &Query,
        options: &ExplainOptions,
        meter: &mut Meter,
    ) -> Result<Explanation, DeriveError> {
        let result = self.explain_query(query, options, meter);
        self.forget_after_error(result)
    }

    fn explain_query(
        &mut self,
        query: &Query,
        options: &ExplainOptions,
        meter: &mut Meter,
    ) -> Result<Explanation, DeriveError> {
        self.check_query(query)?;
        let answers = self.answers(query, meter)?;
        let mut explainer = Explainer {
            nodes: Vec::new(),
            proofs: FxHashMap::default(),
            refutations: FxHashMap::default(),
            pending: Vec::new(),
        };
        let mut roots = Vec::new();
        for row in &answers.rows {
            let Formula::Atom(atom) = &query.formula else { return Err(DeriveError::Malformed) };
            let value = |v: VariableId| {
                answers.variables.iter().position(|&w| w == v).and_then(|i| row.get(i).copied())
            };
            let mut args = Vec::with_capacity(atom.args.len());
            for pattern in &atom.args {
                args.extend(build(Maker::new(&self.program().terms, meter), pattern, value)?);
            }
            roots.push(explainer.proof(GroundAtom { relation: atom.relation, args: args.into() }));
        }
        if roots.is_empty() {
            let (code, program) = (&mut self.solver.code, self.solver.program);
            let (procedure, call) = match &query.formula {
                Formula::Atom(atom) => {
                    (code.relation(program, atom.relation)?, self.solver.call_open(&atom.args)?)
                }
                // Nothing is asked for but whether there is an answer.
                formula => (code.query(program, formula, &[])?, Box::default()),
            };
            roots.push(explainer.refutation(procedure, call, query.formula.clone(), None, 0));
        }
        while let Some(pending) = explainer.pending.pop() {
            meter.spend(1)?;
            match pending {
                Pending::Proof(node, atom) => self.prove(&mut explainer, node, atom, meter)?,
                Pending::Refutation { node, procedure, call, level } => {
                    if level < options.refutations {
                        self.refute(&mut explainer, node, procedure, &call, level, meter)?;
                    }
                }
            }
        }
        Ok(Explanation { nodes: explainer.nodes, roots })
    }

    /// The fact or rule that an atom was first derived by.
    pub(super) fn reason(
        &mut self,
        atom: &GroundAtom,
        meter: &mut Meter,
    ) -> Result<Option<Reason>, DeriveError> {
        let facts = self.solver.facts.of(atom.relation);
        if let Some(number) = facts.find(&atom.args) {
            return Ok(Some(facts.reasons[number]));
        }
        if !self.holds(atom, meter)? {
            return Ok(None);
        }
        let justification = self.justification(atom)?;
        Ok(justification.and_then(|(rule, _)| rule.clause).map(Reason::Clause))
    }

    /// The values of a clause's variables in the first derivation of its head's instance.
    pub(super) fn clause_values(
        &mut self,
        clause: ClauseId,
        row: Option<&[TermId]>,
        meter: &mut Meter,
    ) -> Result<Option<Vec<(VariableId, TermId)>>, DeriveError> {
        let Some(row) = row else { return Ok(None) };
        let atom = GroundAtom { relation: self.program().clauses[clause].head.relation, args: row.into() };
        if !self.holds(&atom, meter)? {
            return Ok(None);
        }
        let justification = self.justification(&atom)?;
        Ok(justification.filter(|(rule, _)| rule.clause == Some(clause)).map(|(rule, values)| {
            rule.variables.iter().zip(&values).filter_map(|(&v, &t)| Some((v, t?))).collect()
        }))
    }

    fn justification(&mut self, atom: &GroundAtom) -> Result<Option<Derived>, DeriveError> {
        let procedure = self.solver.code.relation(self.solver.program, atom.relation)?;
        let row: Box<[Value]> = atom.args.iter().map(|&t| Some(t)).collect();
        let found = self.solver.code.procedures[procedure].justifications.get(&row);
        Ok(found.map(|j| (Arc::clone(&self.solver.code.rules[j.rule]), j.values.clone())))
    }

    fn prove(
        &mut self,
        explainer: &mut Explainer,
        node: usize,
        atom: GroundAtom,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        // The placeholder already says it; what is missing are the reason and the premises.
        let Some(found) = self.reason(&atom, meter)? else { return Err(DeriveError::Malformed) };
        let mut list = Vec::new();
        if self.solver.facts.of(atom.relation).find(&atom.args).is_none()
            && let Some((rule, values)) = self.justification(&atom)?
        {
            let mut stack = vec![(rule, values, 0usize)];
            while let Some((rule, values, next)) = stack.last_mut() {
                let Some(subgoal) = rule.subgoals.get(*next) else {
                    stack.pop();
                    continue;
                };
                *next += 1;
                meter.spend(1)?;
                let ground_args = |args: &[Pattern]| self.solver.call(args, values);
                match &subgoal.kind {
                    SubgoalKind::Call { procedure, args, .. } => {
                        let call = ground_args(args)?;
                        match (self.solver.code.procedures[*procedure].relation, ground(&call)) {
                            (Some(relation), Some(args)) => {
                                list.push(Premise::Holds(explainer.proof(GroundAtom { relation, args })));
                            }
                            _ => {
                                if let Some(inner) = self.disjunct(*procedure, &call) {
                                    stack.push(inner);
                                }
                            }
                        }
                    }
                    SubgoalKind::Not { procedure, args } => {
                        let call = ground_args(args)?;
                        let relation = self.solver.code.procedures[*procedure].relation;
                        if let (Some(relation), Some(args)) = (relation, ground(&call)) {
                            let formula = Query::ground(&GroundAtom { relation, args }).formula;
                            let failed = explainer.refutation(*procedure, call, formula, None, 1);
                            list.push(Premise::Fails(failed));
                        }
                    }
                    SubgoalKind::Test(test, a, b) => {
                        let pair = (self.solver.value(a, values)?, self.solver.value(b, values)?);
                        if let (Some(a), Some(b)) = pair {
                            list.push(match test {
                                Test::Distinct => Premise::Distinct(a, b),
                                Test::Equal => Premise::Equal(a, b),
                            });
                        }
                    }
                }
            }
        }
        if let Node::Holds { reason, premises, .. } = &mut explainer.nodes[node] {
            *reason = found;
            *premises = list;
        }
        Ok(())
    }

    /// The alternative by which a disjunction was first derived.
    fn disjunct(&self, procedure: ProcedureId, call: &[Value]) -> Option<(Arc<Rule>, Box<[Value]>, usize)> {
        let by_row = &self.solver.code.procedures[procedure].justifications;
        // Variables that an alternative leaves open got their values elsewhere.
        let fits = |row: &[Value]| row.iter().zip(call).all(|(r, c)| r.is_none() || r == c);
        let first = by_row.iter().filter(|(row, _)| fits(row)).min_by_key(|(_, j)| j.sequence)?.1;
        Some((Arc::clone(&self.solver.code.rules[first.rule]), first.values.clone(), 0))
    }

    fn refute(
        &mut self,
        explainer: &mut Explainer,
        node: usize,
        procedure: ProcedureId,
        call: &[Value],
        level: usize,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let reached = self.solver.attempts(procedure, call, meter)?;
        let mut found = Vec::new();
        for rule_id in self.solver.code.procedures[procedure].rules.clone() {
            let rule = Arc::clone(&self.solver.code.rules[rule_id]);
            let clause = rule.clause;
            let mut attempt = Attempt { clause, bindings: Vec::new(), literal: None, because: None };
            let Some(Continuation { order, position, values, .. }) = reached.get(&rule_id) else {
                found.push(attempt);
                continue;
            };
            attempt.bindings =
                rule.variables.iter().zip(values).filter_map(|(&v, &t)| Some((v, t?))).collect();
            // A rule that succeeds does so for other arguments than those that were asked for.
            if let Some(&subgoal) = order.get(*position) {
                let subgoal = &rule.subgoals[subgoal];
                let literal = self.solver.instance(&rule, &subgoal.source, values);
                attempt.because = match &subgoal.kind {
                    SubgoalKind::Call { procedure, args, .. } => {
                        let call = self.solver.call(args, values)?;
                        Some(explainer.refutation(*procedure, call, literal.clone(), clause, level + 1))
                    }
                    SubgoalKind::Not { procedure, args } => {
                        let call = self.solver.call(args, values)?;
                        match (self.solver.code.procedures[*procedure].relation, ground(&call)) {
                            (Some(relation), Some(args)) => {
                                Some(explainer.proof(GroundAtom { relation, args }))
                            }
                            _ => None,
                        }
                    }
                    SubgoalKind::Test(..) => None,
                };
                attempt.literal = Some(literal);
            }
            found.push(attempt);
        }
        if let Node::Fails { attempts, expanded, .. } = &mut explainer.nodes[node] {
            *attempts = found;
            *expanded = true;
        }
        Ok(())
    }
}

impl Explainer {
    fn proof(&mut self, atom: GroundAtom) -> usize {
        if let Some(&node) = self.proofs.get(&atom) {
            return node;
        }
        let node = self.nodes.len();
        self.proofs.insert(atom.clone(), node);
        self.nodes.push(Node::Holds { atom: atom.clone(), reason: Reason::Given(0), premises: Vec::new() });
        self.pending.push(Pending::Proof(node, atom));
        node
    }

    fn refutation(
        &mut self,
        procedure: ProcedureId,
        call: Box<[Value]>,
        formula: Formula,
        scope: Option<ClauseId>,
        level: usize,
    ) -> usize {
        let key = (procedure, call.clone(), formula.clone());
        if let Some(&node) = self.refutations.get(&key) {
            return node;
        }
        let node = self.nodes.len();
        self.refutations.insert(key, node);
        self.nodes.push(Node::Fails { formula, scope, attempts: Vec::new(), expanded: false });
        self.pending.push(Pending::Refutation { node, procedure, call, level });
        node
    }
}
