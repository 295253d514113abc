//! Clause bodies as lists of goals, with disjunctions as calls of nameless procedures.

use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::error::DeriveError;
use super::facts::ground_fact;
use crate::ids::{ClauseId, Id, RelationId, VariableId};
use crate::program::{Formula, Pattern, Program};

/// Formulas nested deeper than this are refused with [`DeriveError::TooDeep`].
pub const MAX_NESTING: usize = 600;

pub(super) type ProcedureId = usize;
pub(super) type RuleId = usize;

/// What a call can be answered by: a relation, a disjunction inside a clause, or the query.
pub(super) struct Procedure {
    pub relation: Option<RelationId>,
    pub rules: Vec<RuleId>,
    /// For a disjunction: whether every alternative gives this argument a value.
    pub binds: Vec<bool>,
    pub tables: FxHashMap<Box<[super::solve::Value]>, usize>,
}

/// A rule with variables numbered from 0 in its own scope.
pub(super) struct Rule {
    /// The clause; `None` for the query.
    pub clause: Option<ClauseId>,
    /// The clause's variable for each variable of the rule.
    pub variables: Vec<VariableId>,
    pub head: Box<[Pattern]>,
    pub goals: Vec<Goal>,
}

pub(super) enum Test {
    Distinct,
    Equal,
}

pub(super) struct Goal {
    pub kind: GoalKind,
    /// The part of the clause this goal is, in the clause's variables.
    pub source: Formula,
    /// The rule's variables in the goal, ascending.
    pub variables: Vec<usize>,
}

pub(super) enum GoalKind {
    /// `guarded` goals stand under two negations: they test and never bind.
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
    pub procedures: Vec<Procedure>,
    pub rules: Vec<Arc<Rule>>,
    by_relation: Vec<Option<ProcedureId>>,
    clauses_by_head: Vec<Vec<ClauseId>>,
    uncompiled: Vec<RelationId>,
}

impl Code {
    pub fn new(program: &Program) -> Self {
        Self {
            procedures: Vec::new(),
            rules: Vec::new(),
            by_relation: vec![None; program.relations.len()],
            clauses_by_head: program.clauses_by_head().iter().cloned().collect(),
            uncompiled: Vec::new(),
        }
    }

    /// The clauses of a relation in order.
    pub fn clauses(&self, relation: RelationId) -> &[ClauseId] {
        &self.clauses_by_head[relation.index()]
    }

    /// The procedure of a relation with its rules, and all it may call.
    pub fn relation(&mut self, program: &Program, relation: RelationId) -> Result<ProcedureId, DeriveError> {
        let procedure = self.reference(relation);
        self.compile_pending(program)?;
        Ok(procedure)
    }

    fn reference(&mut self, relation: RelationId) -> ProcedureId {
        if let Some(id) = self.by_relation[relation.index()] {
            return id;
        }
        let id = self.procedures.len();
        self.procedures.push(Procedure {
            relation: Some(relation),
            rules: Vec::new(),
            binds: Vec::new(),
            tables: FxHashMap::default(),
        });
        self.by_relation[relation.index()] = Some(id);
        self.uncompiled.push(relation);
        id
    }

    fn compile_pending(&mut self, program: &Program) -> Result<(), DeriveError> {
        while let Some(relation) = self.uncompiled.pop() {
            let procedure = self.reference(relation);
            for id in self.clauses_by_head[relation.index()].clone() {
                if ground_fact(program, id).is_some() {
                    continue;
                }
                let clause = &program.clauses[id];
                let rule = self.rule(Some(id), &clause.head.args, &[(&clause.body, false)], false);
                match rule {
                    Ok(rule) => self.procedures[procedure].rules.push(rule),
                    Err(error) => {
                        // Compiled in part it would give wrong answers later.
                        self.procedures[procedure].rules.clear();
                        self.by_relation[relation.index()] = None;
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
        let rule = self.rule(None, &head, &[(formula, false)], false)?;
        self.compile_pending(program)?;
        let id = self.procedures.len();
        self.procedures.push(Procedure {
            relation: None,
            rules: vec![rule],
            binds: vec![true; variables.len()],
            tables: FxHashMap::default(),
        });
        Ok(id)
    }

    /// Compiles one rule; each part of the body comes with whether it is negated.
    fn rule(
        &mut self,
        clause: Option<ClauseId>,
        head: &[Pattern],
        body: &[(&Formula, bool)],
        guarded: bool,
    ) -> Result<RuleId, DeriveError> {
        let mut scope = Scope { clause, numbers: FxHashMap::default(), variables: Vec::new() };
        let head = head.iter().map(|p| scope.pattern(p)).collect();
        let mut goals = Vec::new();
        for &(part, negated) in body {
            self.goals(&mut scope, part, negated, guarded, 0, &mut goals)?;
        }
        self.rules.push(Arc::new(Rule { clause, variables: scope.variables, head, goals }));
        Ok(self.rules.len() - 1)
    }

    fn goals(
        &mut self,
        scope: &mut Scope,
        formula: &Formula,
        negated: bool,
        guarded: bool,
        depth: usize,
        out: &mut Vec<Goal>,
    ) -> Result<(), DeriveError> {
        if depth > MAX_NESTING {
            return Err(DeriveError::TooDeep { clause: scope.clause });
        }
        match formula {
            Formula::Atom(atom) => {
                let procedure = self.reference(atom.relation);
                let args: Box<[Pattern]> = atom.args.iter().map(|p| scope.pattern(p)).collect();
                let kind = if negated {
                    GoalKind::Not { procedure, args }
                } else {
                    GoalKind::Call { procedure, args, guarded }
                };
                out.push(scope.goal(kind, formula, negated));
            }
            Formula::Distinct(a, b) => {
                let test = if negated { Test::Equal } else { Test::Distinct };
                let kind = GoalKind::Test(test, scope.pattern(a), scope.pattern(b));
                out.push(scope.goal(kind, formula, negated));
            }
            // What stands under a negation is only a test: its variables need values first.
            Formula::Not(inner) => self.goals(scope, inner, !negated, true, depth + 1, out)?,
            Formula::And(parts) if !negated => {
                for part in parts {
                    self.goals(scope, part, negated, guarded, depth + 1, out)?;
                }
            }
            Formula::Or(parts) if negated => {
                for part in parts {
                    self.goals(scope, part, negated, guarded, depth + 1, out)?;
                }
            }
            Formula::And(parts) | Formula::Or(parts) => {
                out.push(self.disjunction(scope, formula, parts, negated, guarded)?);
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
    ) -> Result<Goal, DeriveError> {
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
            let id = self.rule(scope.clause, &head, &[(part, negated)], guarded)?;
            rules.push(id);
            let bound = self.bound_by(&self.rules[id]);
            binds.iter_mut().zip(bound).for_each(|(b, now)| *b &= now);
        }
        let procedure = self.procedures.len();
        self.procedures.push(Procedure { relation: None, rules, binds, tables: FxHashMap::default() });
        let args = head.iter().map(|p| scope.pattern(p)).collect();
        Ok(scope.goal(GoalKind::Call { procedure, args, guarded }, formula, negated))
    }

    /// The variables that the goals of a rule give a value.
    fn bound_by(&self, rule: &Rule) -> Vec<bool> {
        let mut bound = vec![false; rule.variables.len()];
        for goal in &rule.goals {
            self.bind(goal, &mut bound);
        }
        bound
    }

    fn bind(&self, goal: &Goal, bound: &mut [bool]) {
        let GoalKind::Call { procedure, args, .. } = &goal.kind else { return };
        let procedure = &self.procedures[*procedure];
        for (i, arg) in args.iter().enumerate() {
            if procedure.relation.is_some() || procedure.binds.get(i).copied().unwrap_or(true) {
                arg.variables(&mut |v| bound[v.index()] = true);
            }
        }
    }

    /// The order in which a rule's goals are tried: from left to right, but tests wait until their
    /// variables have values (book 13.6).
    pub fn order(&self, rule: &Rule, call: &[bool]) -> Arc<[usize]> {
        let mut bound = vec![false; rule.variables.len()];
        for (arg, _) in rule.head.iter().zip(call).filter(|(_, known)| **known) {
            arg.variables(&mut |v| bound[v.index()] = true);
        }
        let mut waiting: Vec<usize> = (0..rule.goals.len()).collect();
        let mut order = Vec::with_capacity(waiting.len());
        while !waiting.is_empty() {
            let known = |pattern: &Pattern| {
                let mut known = true;
                pattern.variables(&mut |v| known &= bound[v.index()]);
                known
            };
            let ready = |&i: &usize| {
                let goal = &rule.goals[i];
                if goal.variables.iter().all(|&v| bound[v]) {
                    return true;
                }
                let GoalKind::Call { procedure, args, guarded: false } = &goal.kind else { return false };
                // A disjunction waits for the variables that one of its alternatives only tests.
                let called = &self.procedures[*procedure];
                let binds = |i: usize| called.binds.get(i).copied().unwrap_or(true);
                called.relation.is_some() || args.iter().enumerate().all(|(i, arg)| binds(i) || known(arg))
            };
            // Where nothing is ready the first is tried anyway and reported if it is reached.
            let chosen = waiting.iter().position(ready).unwrap_or(0);
            let goal = waiting.remove(chosen);
            self.bind(&rule.goals[goal], &mut bound);
            order.push(goal);
        }
        order.into()
    }
}

struct Scope {
    clause: Option<ClauseId>,
    numbers: FxHashMap<VariableId, usize>,
    variables: Vec<VariableId>,
}

impl Scope {
    fn pattern(&mut self, pattern: &Pattern) -> Pattern {
        // A pattern holds a clause's own nesting only; ground terms of any depth are one id.
        match pattern {
            Pattern::Ground(term) => Pattern::Ground(*term),
            Pattern::Variable(variable) => {
                let next = self.variables.len();
                let number = *self.numbers.entry(*variable).or_insert(next);
                if number == next {
                    self.variables.push(*variable);
                }
                Pattern::Variable(VariableId::from_index(number))
            }
            Pattern::Compound(functor, args) => {
                Pattern::Compound(*functor, args.iter().map(|a| self.pattern(a)).collect())
            }
        }
    }

    fn goal(&self, kind: GoalKind, source: &Formula, negated: bool) -> Goal {
        let mut variables = Vec::new();
        source.variables(&mut |v| variables.extend(self.numbers.get(&v)));
        variables.sort_unstable();
        variables.dedup();
        let source = source.clone();
        let source = if negated { Formula::Not(Box::new(source)) } else { source };
        Goal { kind, source, variables }
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
