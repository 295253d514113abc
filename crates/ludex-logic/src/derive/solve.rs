//! All answers of a call, top-down with tables.
//!
//! Every call has one table. A rule that needs the answers of a call waits at its table and is
//! resumed once for each answer, so recursion of any kind ends as soon as no new answer appears.
//! A negative literal waits until its table can get no more answers: when nothing else is left to
//! do, the tables that do not depend on a waiting negation are complete.
//!
//! Arguments of a call are either ground or open: a partly known term is left open and compared
//! when the answer comes. That makes calls more general, never fewer answers.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::hash::BuildHasher;
use std::sync::Arc;

use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use super::compile::{Code, ProcedureId, Rule, RuleId, Subgoal, SubgoalKind, Test};
use super::error::DeriveError;
use super::facts::Facts;
use super::instance::{Maker, build, ground, known, matches_row, substitute};
use super::writer::{Names, Writer};
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, IdVec, RelationId, TermId, VariableId};
use crate::program::{Formula, Pattern, Program};
use crate::terms::Notation;

/// A term, or nothing yet.
pub(super) type Value = Option<TermId>;
crate::define_id!(
    /// The table of a call.
    pub(super) CallTableId
);

const HASHER: FxBuildHasher = FxBuildHasher;
/// Rough bytes of bookkeeping per table, answer and continuation.
const TABLE_BYTES: usize = 240;
const ANSWER_BYTES: usize = 80;
const CONTINUATION_BYTES: usize = 80;

pub(super) struct CallTable {
    pub procedure: ProcedureId,
    call: Box<[Value]>,
    pub answers: Vec<Box<[Value]>>,
    seen: HashTable<usize>,
    consumers: Vec<Arc<Continuation>>,
    is_complete: bool,
}

impl CallTable {
    /// Says that there are no other answers.
    fn complete(&mut self) {
        self.is_complete = true;
        self.consumers = Vec::new();
    }
}

/// A rule in the middle of its subgoals.
#[derive(Clone)]
pub(super) struct Continuation {
    table: CallTableId,
    rule: RuleId,
    pub order: Arc<[usize]>,
    pub position: usize,
    pub values: Box<[Value]>,
}

enum Task {
    Start(CallTableId, RuleId),
    Run(Continuation),
    /// A waiting continuation and one answer of the table it waits at.
    Resume(Arc<Continuation>, CallTableId, usize),
}

/// The first way in which an atom was derived; its premises were all derived before.
pub(super) struct Justification {
    pub rule: RuleId,
    pub values: Box<[Value]>,
    /// The position among all first derivations; premises come earlier.
    pub sequence: usize,
}

type Orders = FxHashMap<Box<[bool]>, Arc<[usize]>>;

/// For each rule that applies to a call, the first of the continuations that get furthest.
pub(super) type Attempts = FxHashMap<RuleId, Continuation>;

/// The tables of one program and one set of facts.
pub(super) struct Solver<'p> {
    pub program: &'p Program,
    pub code: Code,
    pub facts: Facts,
    pub tables: IdVec<CallTableId, CallTable>,
    /// The order of each rule's subgoals for each set of known arguments.
    orders: FxHashMap<RuleId, Orders>,
    tasks: Vec<Task>,
    /// Continuations that wait for a table to be complete and empty.
    waiting: Vec<(Arc<Continuation>, CallTableId)>,
    incomplete: Vec<CallTableId>,
    /// How far rules get towards the call of one table, while that is asked.
    watched: Option<(CallTableId, Attempts)>,
    derived: usize,
    bytes: usize,
    terms_before: usize,
    /// How large the table of terms may get for whoever asks.
    term_limit: usize,
}

impl<'p> Solver<'p> {
    pub fn new(program: &'p Program, facts: Facts) -> Self {
        Self {
            program,
            code: Code::new(program),
            bytes: facts.bytes(),
            facts,
            tables: IdVec::new(),
            orders: FxHashMap::default(),
            tasks: Vec::new(),
            waiting: Vec::new(),
            incomplete: Vec::new(),
            watched: None,
            derived: 0,
            terms_before: program.terms.bytes(),
            term_limit: usize::MAX,
        }
    }

    /// Forgets all tables, so that an unfinished piece of work leaves no trace.
    pub fn forget(&mut self) {
        self.code = Code::new(self.program);
        self.tables = IdVec::new();
        self.orders.clear();
        self.tasks.clear();
        self.waiting.clear();
        self.incomplete.clear();
        self.watched = None;
        self.bytes = self.facts.bytes();
        self.terms_before = self.program.terms.bytes();
    }

    /// The complete table of a call.
    pub fn solve(
        &mut self,
        procedure: ProcedureId,
        call: &[Value],
        meter: &mut Meter,
    ) -> Result<CallTableId, DeriveError> {
        self.term_limit = meter.budget().memory();
        let table = self.table(procedure, call, meter)?;
        self.run(meter)?;
        Ok(table)
    }

    /// The complete table of a relation's call.
    pub fn solve_relation(
        &mut self,
        relation: RelationId,
        call: &[Value],
        meter: &mut Meter,
    ) -> Result<CallTableId, DeriveError> {
        let procedure = self.code.relation(self.program, relation)?;
        self.solve(procedure, call, meter)
    }

    /// How far the rules of a procedure get towards a call. The call is answered once more, from the complete
    /// tables of its subgoals, and so in the order of the rules and of their answers.
    pub fn attempts(
        &mut self,
        procedure: ProcedureId,
        call: &[Value],
        meter: &mut Meter,
    ) -> Result<Attempts, DeriveError> {
        self.solve(procedure, call, meter)?;
        let table = self.begin(procedure, call, meter)?;
        self.watched = Some((table, Attempts::default()));
        self.run(meter)?;
        Ok(self.watched.take().map(|(_, attempts)| attempts).unwrap_or_default())
    }

    pub fn grow(&mut self, bytes: usize, meter: &Meter) -> Result<(), LimitError> {
        self.bytes += bytes;
        let interned = self.program.terms.bytes().saturating_sub(self.terms_before);
        meter.check_memory(self.bytes + interned, || "the tables of a derivation".into())
    }

    /// The table of a call, begun where it is not there yet.
    pub fn table(
        &mut self,
        procedure: ProcedureId,
        call: &[Value],
        meter: &mut Meter,
    ) -> Result<CallTableId, DeriveError> {
        if let Some(&id) = self.code.procedures[procedure].tables.get(call) {
            return Ok(id);
        }
        let id = self.begin(procedure, call, meter)?;
        self.code.procedures[procedure].tables.insert(call.into(), id);
        Ok(id)
    }

    fn begin(
        &mut self,
        procedure: ProcedureId,
        call: &[Value],
        meter: &mut Meter,
    ) -> Result<CallTableId, DeriveError> {
        self.grow(TABLE_BYTES + 24 * call.len(), meter)?;
        let id = self.tables.push(CallTable {
            procedure,
            call: call.into(),
            answers: Vec::new(),
            seen: HashTable::new(),
            consumers: Vec::new(),
            is_complete: false,
        });
        self.incomplete.push(id);
        if let Some(relation) = self.code.procedures[procedure].relation {
            self.add_facts(id, relation, meter)?;
        }
        for &rule in self.code.procedures[procedure].rules.iter().rev() {
            self.tasks.push(Task::Start(id, rule));
        }
        Ok(id)
    }

    fn add_facts(
        &mut self,
        table: CallTableId,
        relation: RelationId,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let call = self.tables[table].call.clone();
        if let Some(row) = ground(&call) {
            if self.facts.of(relation).find(&row).is_some() {
                self.answer(table, call, meter)?;
            }
            return Ok(());
        }
        // Known arguments as patterns, open ones as variables that have no value.
        let args: Vec<Pattern> = call
            .iter()
            .map(|v| v.map_or(Pattern::Variable(VariableId::from_index(0)), Pattern::Ground))
            .collect();
        for number in self.facts.of_mut(relation).candidates(&self.program.terms, &args, Pattern::ground) {
            meter.spend(1)?;
            let row = &self.facts.of(relation).rows[number];
            if call.iter().zip(row).all(|(c, t)| c.is_none_or(|c| c == *t)) {
                let answer = row.iter().map(|&t| Some(t)).collect();
                self.answer(table, answer, meter)?;
            }
        }
        Ok(())
    }

    /// Adds an answer and wakes those who wait for it.
    fn answer(&mut self, id: CallTableId, row: Box<[Value]>, meter: &mut Meter) -> Result<bool, DeriveError> {
        let table = &mut self.tables[id];
        let hash = HASHER.hash_one(&row);
        if table.seen.find(hash, |&i| table.answers[i] == row).is_some() {
            return Ok(false);
        }
        let number = table.answers.len();
        let answers = &mut table.answers;
        answers.push(row);
        table.seen.insert_unique(hash, number, |&i| HASHER.hash_one(&answers[i]));
        let bytes = ANSWER_BYTES + 8 * table.call.len() + 32 * table.consumers.len();
        for consumer in &table.consumers {
            self.tasks.push(Task::Resume(Arc::clone(consumer), id, number));
        }
        if table.call.iter().all(Option::is_some) {
            // A ground call has no other answer.
            table.complete();
        }
        self.grow(bytes, meter)?;
        Ok(true)
    }

    /// Works until every table is complete.
    pub fn run(&mut self, meter: &mut Meter) -> Result<(), DeriveError> {
        loop {
            while let Some(task) = self.tasks.pop() {
                meter.spend(1)?;
                match task {
                    Task::Start(table, rule) => self.start(table, rule, meter)?,
                    Task::Run(continuation) => self.advance(continuation, meter)?,
                    Task::Resume(continuation, table, number) => {
                        self.resume(&continuation, table, number, meter)?
                    }
                }
            }
            if self.waiting.is_empty() {
                for id in std::mem::take(&mut self.incomplete) {
                    self.tables[id].complete();
                }
                return Ok(());
            }
            self.settle_negations(meter)?;
        }
    }

    /// Nothing moves but for negations: decides those whose tables cannot change any more.
    fn settle_negations(&mut self, meter: &mut Meter) -> Result<(), DeriveError> {
        let tables = &self.tables;
        self.waiting.retain(|(continuation, _)| !tables[continuation.table].is_complete);
        let mut blocked: IdVec<CallTableId, bool> = vec![false; self.tables.len()].into();
        let mut queue: VecDeque<CallTableId> =
            self.waiting.iter().map(|(continuation, _)| continuation.table).collect();
        while let Some(id) = queue.pop_front() {
            if !std::mem::replace(&mut blocked[id], true) {
                meter.spend(1)?;
                queue.extend(self.tables[id].consumers.iter().map(|f| f.table));
            }
        }
        let before = self.waiting.len();
        let mut progress = before == 0;
        for (continuation, target) in std::mem::take(&mut self.waiting) {
            if !self.tables[target].answers.is_empty() {
                progress = true;
            } else if !blocked[target] {
                progress = true;
                self.tasks.push(Task::Run(continuation.after()));
            } else {
                self.waiting.push((continuation, target));
            }
        }
        self.incomplete.retain(|&id| {
            if !blocked[id] {
                self.tables[id].complete();
            }
            blocked[id]
        });
        if progress {
            return Ok(());
        }
        let relation =
            self.waiting.iter().find_map(|&(_, t)| self.code.procedures[self.tables[t].procedure].relation);
        Err(DeriveError::Unstratified { relation })
    }

    fn start(&mut self, table: CallTableId, rule_id: RuleId, meter: &mut Meter) -> Result<(), DeriveError> {
        let rule = Arc::clone(&self.code.rules[rule_id]);
        let mut values: Box<[Value]> = vec![None; rule.variables.len()].into();
        let call = &self.tables[table].call;
        if !matches_row(&self.program.terms, &rule.head, call.iter().copied(), &mut values, meter)? {
            return Ok(());
        }
        let known: Box<[bool]> = call.iter().map(Option::is_some).collect();
        let orders = self.orders.entry(rule_id).or_default();
        let order = match orders.get(&known) {
            Some(order) => Arc::clone(order),
            None => {
                let order = self.code.order(&rule, &known);
                orders.insert(known, Arc::clone(&order));
                order
            }
        };
        self.advance(Continuation { table, rule: rule_id, order, position: 0, values }, meter)
    }

    fn resume(
        &mut self,
        continuation: &Continuation,
        table: CallTableId,
        number: usize,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let rule = Arc::clone(&self.code.rules[continuation.rule]);
        let SubgoalKind::Call { args, .. } = &rule.subgoals[continuation.order[continuation.position]].kind
        else {
            return Ok(());
        };
        let mut next = continuation.after();
        let answer = self.tables[table].answers[number].iter().copied();
        if !matches_row(&self.program.terms, args, answer, &mut next.values, meter)? {
            return Ok(());
        }
        self.advance(next, meter)
    }

    fn advance(&mut self, mut continuation: Continuation, meter: &mut Meter) -> Result<(), DeriveError> {
        let rule = Arc::clone(&self.code.rules[continuation.rule]);
        loop {
            meter.spend(1)?;
            if self.tables[continuation.table].is_complete {
                return Ok(());
            }
            if let Some((watched, attempts)) = &mut self.watched
                && *watched == continuation.table
                && attempts.get(&continuation.rule).is_none_or(|best| best.position < continuation.position)
            {
                attempts.insert(continuation.rule, continuation.clone());
            }
            let Some(&number) = continuation.order.get(continuation.position) else {
                return self.emit(continuation, &rule, meter);
            };
            let subgoal = &rule.subgoals[number];
            match &subgoal.kind {
                SubgoalKind::Test(test, a, b) => {
                    let a = self.value(a, &continuation.values)?;
                    let b = self.value(b, &continuation.values)?;
                    let (Some(a), Some(b)) = (a, b) else {
                        return Err(self.floundering(&rule, subgoal, &continuation.values));
                    };
                    if (a == b) != matches!(test, Test::Equal) {
                        return Ok(());
                    }
                }
                SubgoalKind::Call { procedure, args, guarded } => {
                    if *guarded && subgoal.variables.iter().any(|v| continuation.values[v.index()].is_none())
                    {
                        return Err(self.floundering(&rule, subgoal, &continuation.values));
                    }
                    if let Some(relation) = self.facts_only(*procedure) {
                        match self.call(args, &continuation.values)? {
                            call if call.iter().all(Option::is_some) => {
                                let row: Box<[TermId]> = call.iter().flatten().copied().collect();
                                if self.facts.of(relation).find(&row).is_none() {
                                    return Ok(());
                                }
                            }
                            _ => return self.branch_over_facts(relation, args, &continuation, meter),
                        }
                    } else {
                        let call = self.call(args, &continuation.values)?;
                        return self.wait_for_answers(*procedure, &call, continuation, meter);
                    }
                }
                SubgoalKind::Not { procedure, args } => {
                    let call = self.call(args, &continuation.values)?;
                    let Some(row) = ground(&call) else {
                        return Err(self.floundering(&rule, subgoal, &continuation.values));
                    };
                    if let Some(relation) = self.facts_only(*procedure) {
                        if self.facts.of(relation).find(&row).is_some() {
                            return Ok(());
                        }
                    } else {
                        let table = self.table(*procedure, &call, meter)?;
                        if !self.tables[table].answers.is_empty() {
                            return Ok(());
                        }
                        if !self.tables[table].is_complete {
                            self.grow(CONTINUATION_BYTES + 8 * continuation.values.len(), meter)?;
                            self.waiting.push((Arc::new(continuation), table));
                            return Ok(());
                        }
                    }
                }
            }
            continuation.position += 1;
        }
    }

    /// The relation of a procedure that has only ground facts: it needs no table.
    fn facts_only(&self, procedure: ProcedureId) -> Option<RelationId> {
        let procedure = &self.code.procedures[procedure];
        if procedure.rules.is_empty() { procedure.relation } else { None }
    }

    fn branch_over_facts(
        &mut self,
        relation: RelationId,
        args: &[Pattern],
        continuation: &Continuation,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let terms = Arc::clone(&self.program.terms);
        let value = |p: &Pattern| known(p, &continuation.values);
        let candidates = self.facts.of_mut(relation).candidates(&terms, args, value);
        for number in candidates.into_iter().rev() {
            meter.spend(1)?;
            let mut next = continuation.after();
            let row = &self.facts.of(relation).rows[number];
            if matches_row(&terms, args, row.iter().map(|&term| Some(term)), &mut next.values, meter)? {
                self.tasks.push(Task::Run(next));
            }
        }
        Ok(())
    }

    fn wait_for_answers(
        &mut self,
        procedure: ProcedureId,
        call: &[Value],
        continuation: Continuation,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let id = self.table(procedure, call, meter)?;
        let table = &self.tables[id];
        let count = table.answers.len();
        if count == 0 && table.is_complete {
            return Ok(());
        }
        let continuation = Arc::new(continuation);
        for number in (0..count).rev() {
            self.tasks.push(Task::Resume(Arc::clone(&continuation), id, number));
        }
        if !self.tables[id].is_complete {
            let bytes = CONTINUATION_BYTES + 8 * continuation.values.len();
            self.tables[id].consumers.push(continuation);
            self.grow(bytes, meter)?;
        }
        Ok(())
    }

    /// All subgoals of a rule hold: its head is an answer.
    fn emit(
        &mut self,
        continuation: Continuation,
        rule: &Rule,
        meter: &mut Meter,
    ) -> Result<(), DeriveError> {
        let row = self.call(&rule.head, &continuation.values)?;
        let procedure = self.tables[continuation.table].procedure;
        let disjunction = self.code.procedures[procedure].relation.is_none() && rule.clause.is_some();
        if !disjunction && row.iter().any(Option::is_none) {
            let head = self.head_text(rule, &continuation.values);
            return Err(DeriveError::NotGround { clause: rule.clause, head });
        }
        if self.answer(continuation.table, row.clone(), meter)? {
            let by_row = &mut self.code.procedures[procedure].justifications;
            let bytes = ANSWER_BYTES + 8 * (row.len() + continuation.values.len());
            if let Entry::Vacant(entry) = by_row.entry(row) {
                self.derived += 1;
                let sequence = self.derived;
                entry.insert(Justification {
                    rule: continuation.rule,
                    values: continuation.values,
                    sequence,
                });
                self.grow(bytes, meter)?;
            }
        }
        Ok(())
    }

    fn maker(&self) -> Maker<'p> {
        Maker { terms: &self.program.terms, limit: self.term_limit }
    }

    pub fn value(&self, pattern: &Pattern, values: &[Value]) -> Result<Value, LimitError> {
        build(self.maker(), pattern, |v| values[v.index()])
    }

    pub fn call(&self, args: &[Pattern], values: &[Value]) -> Result<Box<[Value]>, LimitError> {
        args.iter().map(|p| self.value(p, values)).collect()
    }

    /// A call from arguments whose variables have no values.
    pub fn call_open(&self, args: &[Pattern]) -> Result<Box<[Value]>, LimitError> {
        args.iter().map(|p| build(self.maker(), p, |_| None)).collect()
    }

    fn floundering(&self, rule: &Rule, subgoal: &Subgoal, values: &[Value]) -> DeriveError {
        let literal = self.text(rule, &subgoal.source, values);
        DeriveError::Floundering { clause: rule.clause, literal }
    }

    fn head_text(&self, rule: &Rule, values: &[Value]) -> String {
        match rule.clause {
            Some(clause) => {
                self.text(rule, &Formula::Atom(self.program.clauses[clause].head.clone()), values)
            }
            None => "the query".into(),
        }
    }

    fn text(&self, rule: &Rule, formula: &Formula, values: &[Value]) -> String {
        let names = Names::Clause(rule.clause);
        let writer = Writer { program: self.program, notation: Notation::Infix, names };
        writer.literal(&self.instance(rule, formula, values))
    }

    /// A part of a clause with the values of the rule's variables put in.
    pub fn instance(&self, rule: &Rule, formula: &Formula, values: &[Value]) -> Formula {
        let value = |v: VariableId| {
            rule.variables.iter().position(|&w| w == v).and_then(|i| values.get(i).copied().flatten())
        };
        substitute(self.maker(), formula, &value)
    }
}

impl Continuation {
    fn after(&self) -> Continuation {
        Continuation { position: self.position + 1, ..self.clone() }
    }
}
