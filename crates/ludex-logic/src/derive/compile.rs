//! Clause bodies as lists of subgoals, with disjunctions as calls of nameless procedures.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::DeriveError;
use super::facts::ground_fact;
use super::solve::{CallTableId, Justification, Value};
use crate::binding::{Binding, Variables};
use crate::ids::{ClauseId, Id, IdVec, RelationId, VariableId};
use crate::program::{Formula, Pattern, Program};

/// Formulas nested deeper than this are refused with [`DeriveError::TooDeep`].
pub const MAX_NESTING: usize = 600;

crate::define_id!(
    /// What a call can be answered by.
    pub(super) ProcedureId
);
crate::define_id!(
    /// A rule of a procedure.
    pub(super) RuleId
);

/// What a call can be answered by: a relation, a disjunction inside a clause, or the query.
pub(super) struct Procedure {
    pub relation: Option<RelationId>,
    pub rules: Vec<RuleId>,
    /// For a disjunction: whether every alternative gives this argument a value.
    pub binds: Vec<bool>,
    pub tables: FxHashMap<Box<[Value]>, CallTableId>,
    /// The first derivation of each answer.
    pub justifications: FxHashMap<Box<[Value]>, Justification>,
}

impl Procedure {
    fn new(relation: Option<RelationId>, rules: Vec<RuleId>, binds: Vec<bool>) -> Self {
        let (tables, justifications) = (FxHashMap::default(), FxHashMap::default());
        Self { relation, rules, binds, tables, justifications }
    }

    /// Whether an answer gives this argument a value.
    fn binds(&self, argument: usize) -> bool {
        self.relation.is_some() || self.binds.get(argument).copied().unwrap_or(true)
    }
}

/// A rule with variables numbered from 0 in its own scope.
pub(super) struct Rule {
    /// The clause; `None` for the query.
    pub clause: Option<ClauseId>,
    /// The clause's variable for each variable of the rule.
    pub variables: Vec<VariableId>,
    pub head: Box<[Pattern]>,
    pub subgoals: Vec<Subgoal>,
}

pub(super) enum Test {
    Distinct,
    Equal,
}

pub(super) struct Subgoal {
    pub kind: SubgoalKind,
    /// The part of the clause this subgoal is, in the clause's variables.
    pub source: Formula,
    /// The rule's variables in the subgoal, ascending.
    pub variables: Vec<VariableId>,
}

pub(super) enum SubgoalKind {
    /// `guarded` subgoals stand under two negations: they test and never bind.
    Call {
        procedure: ProcedureId,
        args: Box<[Pattern]>,
        guarded: bool,
    },
    Not {
        procedure: ProcedureId,
        args: Box<[Pattern]>,
    },
    Test(Test, Pattern, Pattern),
}

/// The compiled part of a program: relations are compiled when they are first called.
pub(super) struct Code {
    pub procedures: IdVec<ProcedureId, Procedure>,
    pub rules: IdVec<RuleId, Arc<Rule>>,
    by_relation: IdVec<RelationId, Option<ProcedureId>>,
    clauses_by_head: IdVec<RelationId, Vec<ClauseId>>,
    uncompiled: Vec<RelationId>,
}

impl Code {
    pub fn new(program: &Program) -> Self {
        Self {
            procedures: IdVec::new(),
            rules: IdVec::new(),
            by_relation: program.relations.iter().map(|_| None).collect(),
            clauses_by_head: program.clauses_by_head(),
            uncompiled: Vec::new(),
        }
    }

    /// The clauses of a relation in order.
    pub fn clauses(&self, relation: RelationId) -> &[ClauseId] {
        &self.clauses_by_head[relation]
    }

    /// The procedure of a relation with its rules, and all it may call.
    pub fn relation(&mut self, program: &Program, relation: RelationId) -> Result<ProcedureId, DeriveError> {
        let procedure = self.reference(relation);
        self.compile_pending(program)?;
        Ok(procedure)
    }

    fn reference(&mut self, relation: RelationId) -> ProcedureId {
        if let Some(id) = self.by_relation[relation] {
            return id;
        }
        let id = self.procedures.push(Procedure::new(Some(relation), Vec::new(), Vec::new()));
        self.by_relation[relation] = Some(id);
        self.uncompiled.push(relation);
        id
    }

    fn compile_pending(&mut self, program: &Program) -> Result<(), DeriveError> {
        while let Some(relation) = self.uncompiled.pop() {
            let procedure = self.reference(relation);
            for id in self.clauses_by_head[relation].clone() {
                if ground_fact(program, id).is_some() {
                    continue;
                }
                let clause = &program.clauses[id];
                let rule = self.rule(Some(id), &clause.head.args, &clause.body, false, false);
                match rule {
                    Ok(rule) => self.procedures[procedure].rules.push(rule),
                    Err(error) => {
                        // Compiled in part it would give wrong answers later.
                        self.procedures[procedure].rules.clear();
                        self.by_relation[relation] = None;
                        return Err(error);
                    }
                }
            }
        }
        Ok(())
    }

    /// A procedure for a query whose arguments are `variables`.
    pub fn query(
        &mut self,
        program: &Program,
        formula: &Formula,
        variables: &[VariableId],
    ) -> Result<ProcedureId, DeriveError> {
        let head: Vec<Pattern> = variables.iter().map(|&v| Pattern::Variable(v)).collect();
        let rule = self.rule(None, &head, formula, false, false)?;
        self.compile_pending(program)?;
        Ok(self.procedures.push(Procedure::new(None, vec![rule], vec![true; variables.len()])))
    }

    /// Compiles one rule; its body may be negated.
    fn rule(
        &mut self,
        clause: Option<ClauseId>,
        head: &[Pattern],
        body: &Formula,
        negated: bool,
        guarded: bool,
    ) -> Result<RuleId, DeriveError> {
        let mut scope = Scope { clause, numbers: FxHashMap::default(), variables: Vec::new() };
        let head = head.iter().map(|p| scope.pattern(p)).collect();
        let mut subgoals = Vec::new();
        self.subgoals(&mut scope, body, negated, guarded, 0, &mut subgoals)?;
        Ok(self.rules.push(Arc::new(Rule { clause, variables: scope.variables, head, subgoals })))
    }

    fn subgoals(
        &mut self,
        scope: &mut Scope,
        formula: &Formula,
        negated: bool,
        guarded: bool,
        depth: usize,
        out: &mut Vec<Subgoal>,
    ) -> Result<(), DeriveError> {
        if depth > MAX_NESTING {
            return Err(DeriveError::TooDeep { clause: scope.clause });
        }
        match formula {
            Formula::Atom(atom) => {
                let procedure = self.reference(atom.relation);
                let args: Box<[Pattern]> = atom.args.iter().map(|p| scope.pattern(p)).collect();
                let kind = if negated {
                    SubgoalKind::Not { procedure, args }
                } else {
                    SubgoalKind::Call { procedure, args, guarded }
                };
                out.push(scope.subgoal(kind, formula, negated));
            }
            Formula::Distinct(a, b) => {
                let test = if negated { Test::Equal } else { Test::Distinct };
                let kind = SubgoalKind::Test(test, scope.pattern(a), scope.pattern(b));
                out.push(scope.subgoal(kind, formula, negated));
            }
            // What stands under a negation is only a test: its variables need values first.
            Formula::Not(inner) => self.subgoals(scope, inner, !negated, true, depth + 1, out)?,
            Formula::And(parts) | Formula::Or(parts) => {
                // A negated disjunction says that none of its parts holds.
                if matches!(formula, Formula::And(_)) == negated {
                    out.push(self.disjunction(scope, formula, parts, negated, guarded)?);
                    return Ok(());
                }
                for part in parts {
                    self.subgoals(scope, part, negated, guarded, depth + 1, out)?;
                }
            }
        }
        Ok(())
    }

    fn disjunction(
        &mut self,
        scope: &mut Scope,
        formula: &Formula,
        parts: &[Formula],
        negated: bool,
        guarded: bool,
    ) -> Result<Subgoal, DeriveError> {
        if nesting(formula) > MAX_NESTING {
            return Err(DeriveError::TooDeep { clause: scope.clause });
        }
        let mut occurring = Vec::new();
        formula.variables(&mut |v| {
            if !occurring.contains(&v) {
                occurring.push(v);
            }
        });
        let head: Vec<Pattern> = occurring.iter().map(|&v| Pattern::Variable(v)).collect();
        let mut rules = Vec::new();
        let mut binds = vec![true; occurring.len()];
        for part in parts {
            let id = self.rule(scope.clause, &head, part, negated, guarded)?;
            rules.push(id);
            let bound = self.bound_by(&self.rules[id]);
            binds.iter_mut().zip(bound).for_each(|(b, now)| *b &= now);
        }
        let procedure = self.procedures.push(Procedure::new(None, rules, binds));
        let args = head.iter().map(|p| scope.pattern(p)).collect();
        Ok(scope.subgoal(SubgoalKind::Call { procedure, args, guarded }, formula, negated))
    }

    /// The variables that the subgoals of a rule give a value.
    fn bound_by(&self, rule: &Rule) -> Vec<bool> {
        let mut bound = Variables::default();
        rule.subgoals.iter().for_each(|subgoal| self.bind(subgoal, &mut bound));
        (0..rule.variables.len()).map(|v| bound.contains(&VariableId::from_index(v))).collect()
    }

    fn bind(&self, subgoal: &Subgoal, bound: &mut Variables) {
        let SubgoalKind::Call { procedure, args, .. } = &subgoal.kind else { return };
        let procedure = &self.procedures[*procedure];
        for (_, arg) in args.iter().enumerate().filter(|(at, _)| procedure.binds(*at)) {
            bound.bind(arg);
        }
    }

    /// The order in which a rule's subgoals are tried: from left to right, but tests wait until their
    /// variables have values (book 13.6).
    pub fn order(&self, rule: &Rule, call: &[bool]) -> Arc<[usize]> {
        let mut bound = Variables::default();
        for (arg, _) in rule.head.iter().zip(call).filter(|(_, known)| **known) {
            bound.bind(arg);
        }
        let mut waiting: Vec<usize> = (0..rule.subgoals.len()).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            // Where nothing is ready the first is tried anyway and reported if it is reached.
            let ready = |&at: &usize| self.is_ready(&rule.subgoals[at], &bound);
            let chosen = waiting.iter().position(ready).unwrap_or(0);
            let subgoal = waiting.remove(chosen);
            self.bind(&rule.subgoals[subgoal], &mut bound);
            order.push(subgoal);
        }
        order.into()
    }

    fn is_ready(&self, subgoal: &Subgoal, bound: &Variables) -> bool {
        if subgoal.variables.iter().all(|v| bound.contains(v)) {
            return true;
        }
        let SubgoalKind::Call { procedure, args, guarded: false } = &subgoal.kind else { return false };
        // A disjunction waits for the variables that one of its alternatives only tests.
        let procedure = &self.procedures[*procedure];
        args.iter().enumerate().all(|(at, arg)| procedure.binds(at) || bound.binds(arg))
    }
}

struct Scope {
    clause: Option<ClauseId>,
    numbers: FxHashMap<VariableId, VariableId>,
    variables: Vec<VariableId>,
}

impl Scope {
    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        // A pattern holds a clause's own nesting only; ground terms of any depth are one id.
        match pattern {
            Pattern::Ground(term) => Pattern::Ground(*term),
            Pattern::Variable(variable) => {
                let next = VariableId::from_index(self.variables.len());
                let number = *self.numbers.entry(*variable).or_insert(next);
                if number == next {
                    self.variables.push(*variable);
                }
                Pattern::Variable(number)
            }
            Pattern::Compound(functor, args) => {
                Pattern::Compound(*functor, args.iter().map(|a| self.pattern(a)).collect())
            }
        }
    }

    fn subgoal(&self, kind: SubgoalKind, source: &Formula, negated: bool) -> Subgoal {
        let mut variables = Vec::new();
        source.variables(&mut |v| variables.extend(self.numbers.get(&v)));
        variables.sort_unstable();
        variables.dedup();
        let source = source.clone();
        let source = if negated { Formula::Not(Box::new(source)) } else { source };
        Subgoal { kind, source, variables }
    }
}

/// How deeply a formula is nested, found without recursion.
pub(super) fn nesting(formula: &Formula) -> usize {
    let mut deepest = 0;
    let mut stack = vec![(formula, 1)];
    while let Some((formula, depth)) = stack.pop() {
        deepest = deepest.max(depth);
        match formula {
            Formula::Not(inner) => stack.push((inner, depth + 1)),
            Formula::And(parts) | Formula::Or(parts) => stack.extend(parts.iter().map(|p| (p, depth + 1))),
            Formula::Atom(_) | Formula::Distinct(..) => {}
        }
    }
    deepest
}
