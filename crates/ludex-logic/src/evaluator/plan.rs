//! From a rule to flat operations over registers.
//!
//! Registers hold values; constants live in registers of their own that are set once. An operation
//! either lets the next one run or goes back to the last generator before it.

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{Literal, Rule};
use super::order::order;
use super::statistics::Expected;
use super::table::{IndexSpec, KEY_LIMIT, Shape, TableId};
use crate::binding::{HasVariables, Variables, key_of};
use crate::ids::{Id, IdVec, SymbolId, TermId, VariableId};
use crate::program::{Atom, Pattern};

crate::define_id!(
    /// A place for a value while a plan is worked through.
    pub(crate) Register
);

pub(crate) type PlannedAtom = Atom<TableId>;
pub(crate) type PlannedLiteral = Literal<TableId>;
pub(crate) type PlannedRule = Rule<TableId>;

/// No generator to go back to.
pub(crate) const NOWHERE: u32 = u32::MAX;

/// One operation.
#[derive(Clone, Debug)]
pub(crate) enum Op {
    /// All rows of a table; with `delta`, only those added since this cursor last ran.
    Scan { table: TableId, take: Take, cursor: u32, delta: Option<u32> },
    /// The rows with this key.
    Probe { table: TableId, index: u32, key: Box<[Register]>, take: Take, cursor: u32 },
    /// Whether a row is there, by row number: `base` plus the parts of the columns in registers.
    TestNumber { table: TableId, base: u32, parts: Box<[(u32, Register)]>, negated: bool },
    /// Whether a row is there, by value.
    TestRow { table: TableId, row: Box<[Register]>, negated: bool },
    /// Whether two values are (not) the same.
    Compare { left: Register, right: Register, equal: bool },
    /// Copies a value.
    Copy { from: Register, to: Register },
    /// Whether the value is a constant.
    Constant { value: Register },
    /// Takes a functional term apart.
    Match { from: Register, functor: SymbolId, arity: usize, take: Take },
    /// Makes a functional term.
    Build { functor: SymbolId, args: Box<[Register]>, to: Register },
    /// Whether some alternative holds (or none).
    Block { alternatives: Box<[Code]>, negated: bool },
    /// Demands all rows of a demand-driven relation with this key, and computes them now.
    DemandNow { table: TableId, key: Box<[Register]> },
    /// Notes that rows with this key are demanded; they are computed later in the same fixpoint.
    DemandLater { table: TableId, key: Box<[Register]> },
    /// The head holds.
    Emit { row: Box<[Register]> },
    /// The alternative of a block holds.
    Succeed,
}

/// What to do with the columns of a row: store in registers, then compare with registers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Take {
    pub store: Box<[(u32, Register)]>,
    pub compare: Box<[(u32, Register)]>,
}

/// Operations with where each goes back to when it fails.
#[derive(Clone, Debug, Default)]
pub(crate) struct Code {
    pub ops: Vec<Op>,
    pub back: Vec<u32>,
}

/// What the planner knows of a relation.
#[derive(Clone, Debug)]
pub(crate) struct PlannedTable {
    pub shape: Shape,
    pub domains: Vec<Option<Vec<u32>>>,
    pub expected: Expected,
    /// The key columns, when the relation is demand-driven.
    pub adornment: Option<Box<[u32]>>,
    pub component: u32,
}

/// Registers, cursors and indexes, shared by all plans of an evaluator.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    /// The initial content of all registers.
    pub registers: Vec<u32>,
    constants: FxHashMap<u32, Register>,
    pub cursors: u32,
    pub deltas: u32,
    /// The indexes wanted of each table.
    pub indexes: IdVec<TableId, Vec<IndexSpec>>,
}

impl Resources {
    pub(crate) fn new(tables: usize) -> Self {
        Self { indexes: vec![Vec::new(); tables].into(), ..Self::default() }
    }

    fn constant(&mut self, value: u32) -> Register {
        *self.constants.entry(value).or_insert_with(|| {
            self.registers.push(value);
            Register::from_index(self.registers.len() - 1)
        })
    }

    fn register(&mut self) -> Register {
        self.registers.push(0);
        Register::from_index(self.registers.len() - 1)
    }

    fn index(&mut self, table: &PlannedTable, id: TableId, columns: &[u32]) -> u32 {
        let specs = &mut self.indexes[id];
        if let Some(found) = specs.iter().position(|s| &*s.columns == columns) {
            return found as u32;
        }
        let domains: Vec<Option<&[u32]>> =
            columns.iter().map(|&c| table.domains[c as usize].as_deref()).collect();
        specs.push(IndexSpec { columns: columns.into(), keys: Shape::new(&domains) });
        specs.len() as u32 - 1
    }
}

/// What all plans of one evaluator are made with.
pub(crate) struct Planner<'a> {
    pub tables: &'a IdVec<TableId, PlannedTable>,
    pub value_of: &'a dyn Fn(TermId) -> u32,
    pub resources: &'a mut Resources,
    /// Bytes of the plans so far, by internal accounting.
    pub bytes: usize,
    /// Set when a rule turned out to have a variable that nothing binds.
    pub is_unsafe: bool,
}

/// How a rule is to be run.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Variant {
    /// The body literal that ranges over new rows only.
    pub delta: Option<usize>,
    /// The component the rule belongs to: demand-driven relations in it are computed later.
    pub component: u32,
}

impl Planner<'_> {
    /// The code of a rule, and the delta cursor it uses if any.
    pub(crate) fn rule(&mut self, rule: &PlannedRule, variant: Variant) -> (Code, Option<u32>) {
        let mut writer = Writer::new(self, variant);
        writer.conjunction(&rule.body, variant.delta);
        let row = writer.operands(&rule.head.args);
        writer.ops.push(Op::Emit { row });
        let delta = writer.delta;
        (writer.finish(), delta)
    }
}

struct Writer<'a, 'b> {
    planner: &'a mut Planner<'b>,
    variant: Variant,
    variables: FxHashMap<VariableId, Register>,
    ops: Vec<Op>,
    delta: Option<u32>,
}

impl<'a, 'b> Writer<'a, 'b> {
    fn new(planner: &'a mut Planner<'b>, variant: Variant) -> Self {
        Self { planner, variant, variables: FxHashMap::default(), ops: Vec::new(), delta: None }
    }

    fn finish(self) -> Code {
        let back = back_targets(&self.ops);
        Code { ops: self.ops, back }
    }

    fn conjunction(&mut self, body: &[PlannedLiteral], delta: Option<usize>) {
        let bound: Variables = self.variables.keys().copied().collect();
        let steps = order(self.planner.tables, body, &bound, delta, self.variant.component);
        self.planner.is_unsafe |= steps.len() < body.len();
        for literal in steps {
            match &body[literal] {
                Literal::Positive(atom) => self.positive(atom, delta == Some(literal)),
                Literal::Negative(atom) => self.test(atom, true),
                Literal::Distinct(a, b) => self.compare(a, b, false),
                Literal::Equal(a, b) => self.equal(a, b),
                Literal::Constant(v) => {
                    if let Some(&value) = self.variables.get(v) {
                        self.ops.push(Op::Constant { value });
                    }
                }
                Literal::Block { negated, alternatives } => self.block(*negated, alternatives),
            }
        }
    }

    fn is_bound(&self, pattern: &Pattern) -> bool {
        let mut bound = true;
        pattern.each_variable(&mut |v| bound &= self.variables.contains_key(&v));
        bound
    }

    /// The register that holds a pattern all of whose variables are bound.
    fn operand(&mut self, pattern: &Pattern) -> Register {
        match pattern {
            Pattern::Ground(term) => {
                let value = (self.planner.value_of)(*term);
                self.planner.resources.constant(value)
            }
            Pattern::Variable(v) => match self.variables.get(v) {
                Some(&register) => register,
                None => {
                    self.planner.is_unsafe = true;
                    self.planner.resources.register()
                }
            },
            Pattern::Compound(functor, args) => {
                let args = self.operands(args);
                let to = self.planner.resources.register();
                self.ops.push(Op::Build { functor: *functor, args, to });
                to
            }
        }
    }

    fn operands(&mut self, patterns: &[Pattern]) -> Box<[Register]> {
        patterns.iter().map(|pattern| self.operand(pattern)).collect()
    }

    fn positive(&mut self, atom: &PlannedAtom, delta: bool) {
        let tables = self.planner.tables;
        let table = &tables[atom.relation];
        if !delta && let Some(columns) = &table.adornment {
            let key = self.operands(&key_of(atom, columns));
            self.ops.push(if table.component == self.variant.component {
                Op::DemandLater { table: atom.relation, key }
            } else {
                Op::DemandNow { table: atom.relation, key }
            });
        }
        if !delta && atom.args.iter().all(|a| self.is_bound(a)) {
            self.test(atom, false);
            return;
        }
        let mut key = Vec::new();
        let mut compare = Vec::new();
        for (column, arg) in atom.args.iter().enumerate() {
            if self.is_bound(arg) {
                let register = self.operand(arg);
                if !delta && key.len() < KEY_LIMIT {
                    key.push((column as u32, register));
                } else {
                    compare.push((column as u32, register));
                }
            }
        }
        let bound: Vec<bool> = atom.args.iter().map(|a| self.is_bound(a)).collect();
        let (take, matches) = self.take(&atom.args, &bound, compare);
        let cursor = self.planner.resources.cursors;
        self.planner.resources.cursors += 1;
        if key.is_empty() {
            let delta = delta.then(|| {
                let number = self.planner.resources.deltas;
                self.planner.resources.deltas += 1;
                self.delta = Some(number);
                number
            });
            self.ops.push(Op::Scan { table: atom.relation, take, cursor, delta });
        } else {
            let columns: Vec<u32> = key.iter().map(|&(c, _)| c).collect();
            let index = self.planner.resources.index(table, atom.relation, &columns);
            let key = key.into_iter().map(|(_, r)| r).collect();
            self.ops.push(Op::Probe { table: atom.relation, index, key, take, cursor });
        }
        for (pattern, from) in matches {
            self.match_pattern(&pattern, from);
        }
    }

    /// Stores the unbound columns in registers; functional patterns are taken apart afterwards.
    fn take(
        &mut self,
        args: &[Pattern],
        bound: &[bool],
        mut compare: Vec<(u32, Register)>,
    ) -> (Take, Vec<(Pattern, Register)>) {
        let mut store = Vec::new();
        let mut matches = Vec::new();
        for (column, arg) in args.iter().enumerate() {
            if bound[column] {
                continue;
            }
            match arg {
                Pattern::Variable(v) => match self.variables.get(v) {
                    Some(&register) => compare.push((column as u32, register)),
                    None => {
                        let register = self.planner.resources.register();
                        self.variables.insert(*v, register);
                        store.push((column as u32, register));
                    }
                },
                Pattern::Compound(..) => {
                    let register = self.planner.resources.register();
                    store.push((column as u32, register));
                    matches.push((arg.clone(), register));
                }
                Pattern::Ground(_) => {}
            }
        }
        (Take { store: store.into(), compare: compare.into() }, matches)
    }

    fn match_pattern(&mut self, pattern: &Pattern, from: Register) {
        match pattern {
            Pattern::Compound(functor, args) if !self.is_bound(pattern) => {
                let bound: Vec<bool> = args.iter().map(|a| self.is_bound(a)).collect();
                let mut compare = Vec::new();
                for (i, arg) in args.iter().enumerate() {
                    if bound[i] {
                        compare.push((i as u32, self.operand(arg)));
                    }
                }
                let (take, matches) = self.take(args, &bound, compare);
                self.ops.push(Op::Match { from, functor: *functor, arity: args.len(), take });
                for (pattern, from) in matches {
                    self.match_pattern(&pattern, from);
                }
            }
            _ => {
                let right = self.operand(pattern);
                self.ops.push(Op::Compare { left: from, right, equal: true });
            }
        }
    }

    fn test(&mut self, atom: &PlannedAtom, negated: bool) {
        let table = &self.planner.tables[atom.relation];
        if negated && let Some(columns) = &table.adornment {
            let key = self.operands(&key_of(atom, columns));
            self.ops.push(Op::DemandNow { table: atom.relation, key });
        }
        if table.shape.size.is_none() || atom.args.is_empty() {
            let row = self.operands(&atom.args);
            self.ops.push(Op::TestRow { table: atom.relation, row, negated });
            return;
        }
        let (mut base, mut parts) = (0u32, Vec::new());
        for (column, arg) in atom.args.iter().enumerate() {
            match arg {
                // A constant outside the domain makes the number too large for any row.
                Pattern::Ground(term) => base += table.shape.part(column, (self.planner.value_of)(*term)),
                _ => parts.push((column as u32, self.operand(arg))),
            }
        }
        self.ops.push(Op::TestNumber { table: atom.relation, base, parts: parts.into(), negated });
    }

    fn compare(&mut self, a: &Pattern, b: &Pattern, equal: bool) {
        let (left, right) = (self.operand(a), self.operand(b));
        self.ops.push(Op::Compare { left, right, equal });
    }

    fn equal(&mut self, a: &Pattern, b: &Pattern) {
        let (known, other) = if self.is_bound(a) { (a, b) } else { (b, a) };
        if self.is_bound(other) {
            self.compare(known, other, true);
            return;
        }
        let from = self.operand(known);
        match other {
            Pattern::Variable(v) => {
                let to = self.planner.resources.register();
                self.variables.insert(*v, to);
                self.ops.push(Op::Copy { from, to });
            }
            _ => self.match_pattern(other, from),
        }
    }

    fn block(&mut self, negated: bool, alternatives: &[Vec<PlannedLiteral>]) {
        let mut codes = Vec::new();
        for alternative in alternatives {
            let mut inner = Writer {
                planner: &mut *self.planner,
                variant: self.variant,
                variables: self.variables.clone(),
                ops: Vec::new(),
                delta: None,
            };
            inner.conjunction(alternative, None);
            inner.ops.push(Op::Succeed);
            codes.push(inner.finish());
        }
        self.ops.push(Op::Block { alternatives: codes.into(), negated });
    }
}

/// Where each operation goes back to. An emitted row sends the search back to the last generator
/// that the row depends on: what was found after that changes nothing.
fn back_targets(ops: &[Op]) -> Vec<u32> {
    let mut last = NOWHERE;
    let mut back = Vec::with_capacity(ops.len());
    for (at, op) in ops.iter().enumerate() {
        back.push(match op {
            Op::Emit { row } => emit_target(&ops[..at], row),
            _ => last,
        });
        if matches!(op, Op::Scan { .. } | Op::Probe { .. }) {
            last = at as u32;
        }
    }
    back
}

fn emit_target(ops: &[Op], row: &[Register]) -> u32 {
    let mut needed: FxHashSet<Register> = row.iter().copied().collect();
    for (at, op) in ops.iter().enumerate().rev() {
        let stores = |take: &Take| take.store.iter().any(|(_, r)| needed.contains(r));
        match op {
            Op::Scan { take, .. } | Op::Probe { take, .. } if stores(take) => return at as u32,
            // Rows of a delta must all be seen, or they would count as done.
            Op::Scan { delta: Some(_), .. } => return at as u32,
            // A demand made on the way to a row must be made for every way.
            Op::DemandLater { .. } => {
                let generator =
                    ops[..at].iter().rposition(|o| matches!(o, Op::Scan { .. } | Op::Probe { .. }));
                return generator.map_or(NOWHERE, |g| g as u32);
            }
            Op::Match { from, take, .. } if stores(take) => {
                needed.insert(*from);
            }
            Op::Build { args, to, .. } if needed.contains(to) => needed.extend(args.iter().copied()),
            Op::Copy { from, to } if needed.contains(to) => {
                needed.insert(*from);
            }
            _ => {}
        }
    }
    NOWHERE
}
