//! Running plans: one thread's tables and registers.

mod run;
mod scratch;

use std::sync::Arc;

use super::compile::Compiled;
use super::plan::{Op, Register};
use super::statistics::TableStatistics;
use super::table::{Inserted, Table, TableId};
use crate::budget::{Budget, LimitError, Meter};
use crate::ids::{Id, IdVec};
pub use scratch::SCRATCH_BYTES;
use scratch::{Local, Made};

/// One thread's view of a program: the given facts of the moment and everything computed from them.
///
/// Relations are computed when they are first asked for and kept until a given relation changes that
/// they depend on. The terms that are made on the way are the session's own ([`Session::is_passing`]).
pub struct Session {
    compiled: Arc<Compiled>,
    /// Tables that are not static, by id less the number of static ones.
    tables: Vec<Table>,
    ready: Vec<bool>,
    registers: Vec<u32>,
    cursors: Vec<Cursor>,
    deltas: Vec<u32>,
    /// Computed components by level, to be cleared when a given relation of that level changes.
    computed: Vec<Vec<u32>>,
    meter: Meter,
    budget: Budget,
    bytes: usize,
    /// Bytes that whoever asks the questions holds for this session.
    outside: usize,
    row: Vec<u32>,
    /// Where it makes terms.
    made: Made,
    /// The largest relation of the component that reached a limit, which is cleared then.
    stopped: Option<(TableId, u32)>,
    /// Whether a fixpoint tells how far it is.
    reports: bool,
}

#[derive(Clone, Copy, Default)]
struct Cursor {
    at: u32,
    end: u32,
}

/// What is found within the limits of the budget.
type Limited<T> = Result<T, LimitError>;

impl Session {
    /// A session that makes terms in a scratch, which may hold `spare` bytes before it looks what is still
    /// wanted.
    pub(crate) fn with_scratch(compiled: Arc<Compiled>, budget: &Budget, spare: usize) -> Self {
        let made = Made::InScratch(Box::new(Local::new(&compiled, spare)));
        Self { made, ..Self::new(compiled, budget) }
    }

    /// A session that makes all terms in the table: for tables that are kept.
    pub(crate) fn new(compiled: Arc<Compiled>, budget: &Budget) -> Self {
        let relations = &compiled.relations.as_slice()[compiled.static_count..];
        let indexes = &compiled.indexes.as_slice()[compiled.static_count..];
        let tables: Vec<Table> = relations
            .iter()
            .zip(indexes)
            .map(|(relation, indexes)| Table::new(&relation.shape, indexes))
            .collect();
        let bytes = tables.iter().map(Table::bytes).sum();
        Self {
            ready: relations.iter().map(|r| r.is_given).collect(),
            tables,
            registers: compiled.registers.clone(),
            cursors: vec![Cursor::default(); compiled.cursors as usize],
            stopped: None,
            reports: false,
            deltas: vec![0; compiled.deltas as usize],
            computed: vec![Vec::new(); compiled.levels as usize],
            meter: budget.meter(),
            budget: budget.clone(),
            bytes,
            outside: 0,
            row: Vec::new(),
            made: Made::InTable,
            compiled,
        }
    }

    /// Sets new limits and starts counting afresh.
    pub fn set_budget(&mut self, budget: &Budget) {
        self.budget = budget.clone();
        self.meter = budget.meter();
    }

    /// Starts counting afresh against the same limits.
    #[inline]
    pub fn restart_meter(&mut self) {
        self.meter.restart();
    }

    /// Looks at the clock and the cancel flag now. Questions too small to look by themselves need this
    /// when many of them make one piece of work.
    ///
    /// # Errors
    /// When the deadline has passed or somebody cancelled.
    pub fn check_limits(&mut self) -> Result<(), LimitError> {
        self.meter.check()
    }

    /// Counts memory that is held outside of the session for its sake towards its limit.
    ///
    /// # Errors
    /// When all together is over the limit.
    pub fn account(&mut self, bytes: usize) -> Result<(), LimitError> {
        self.outside = bytes;
        let others = bytes + self.made.bytes() + self.compiled.terms.bytes();
        if self.bytes + others <= self.budget.memory() {
            return Ok(());
        }
        self.bytes = self.tables.iter().map(Table::bytes).sum();
        let all = self.bytes + others;
        self.meter.check_memory(all, || "states".into())
    }

    /// Steps of inference spent since counting started.
    pub fn spent(&self) -> u64 {
        self.meter.spent()
    }

    /// The number of rows of a table, computed if need be.
    ///
    /// # Errors
    /// When a limit is reached.
    pub fn count(&mut self, table: TableId) -> Result<u32, LimitError> {
        let compiled = Arc::clone(&self.compiled);
        self.ensure(&compiled, table)?;
        Ok(self.table(&compiled, table).len())
    }

    /// The rows of a table that is given or was computed, one after the other.
    pub fn known_rows(&self, table: TableId) -> &[u32] {
        self.table(&self.compiled, table).rows()
    }

    /// The same, row by row; of a table without columns, the empty row where it holds.
    pub fn each_known_row(&self, table: TableId) -> impl Iterator<Item = &[u32]> {
        let arity = self.compiled.relations[table].shape.arity;
        let table = self.table(&self.compiled, table);
        (0..table.len()).map(move |number| table.row(arity, number))
    }

    /// The number of rows of a table that is given or was computed.
    pub fn known_count(&self, table: TableId) -> u32 {
        self.table(&self.compiled, table).len()
    }

    /// Adds a row to a given relation; false when a value is outside of its column's domain. The row is that
    /// of an atom ([`Evaluator::encode`](super::Evaluator::encode)), or of this session.
    ///
    /// # Errors
    /// When the memory limit is reached.
    pub fn insert_row(&mut self, relation: TableId, row: &[u32]) -> Result<bool, LimitError> {
        let compiled = Arc::clone(&self.compiled);
        let info = &compiled.relations[relation];
        let outside = |(domain, value): (&Option<Vec<u32>>, &u32)| {
            domain.as_ref().is_some_and(|d| d.binary_search(value).is_err())
        };
        if info.domains.iter().zip(row).any(outside) {
            return Ok(false);
        }
        let local = self.localised(&compiled, row)?;
        self.insert(&compiled, relation, local.as_deref().unwrap_or(row))?;
        Ok(true)
    }

    /// Forgets all facts of a given relation and everything that was computed from them.
    pub(crate) fn clear_given(&mut self, relations: &[TableId], level: u32) {
        let compiled = Arc::clone(&self.compiled);
        for &relation in relations {
            let at = compiled.at(relation);
            self.tables[at].clear(&compiled.relations[relation].shape);
        }
        self.forget_state(&compiled, level);
    }

    /// After given relations of this level have changed.
    fn forget_state(&mut self, compiled: &Compiled, level: u32) {
        self.clear_computed(compiled, level);
        if level <= FIRST_LEVEL && self.has_large_scratch() {
            self.tidy(compiled);
        }
    }

    /// Forgets everything that depends on given relations of this level or above.
    pub(crate) fn clear_computed(&mut self, compiled: &Compiled, level: u32) {
        for level in level as usize..self.computed.len() {
            while let Some(component) = self.computed[level].pop() {
                self.clear_component(compiled, component);
            }
        }
    }

    fn clear_component(&mut self, compiled: &Compiled, component: u32) {
        let component = &compiled.components[component as usize];
        for &relation in &component.tables {
            let at = compiled.at(relation);
            self.tables[at].clear(&compiled.relations[relation].shape);
            self.ready[at] = false;
        }
        for &(_, _, delta) in &component.repeated {
            self.deltas[delta as usize] = 0;
        }
    }

    /// Turns the rows of each first relation into those of the second, and forgets the rest of the
    /// state. The first relations must have been computed.
    pub(crate) fn advance(&mut self, moves: &[(Option<TableId>, TableId)], level: u32) {
        let compiled = Arc::clone(&self.compiled);
        for &(from, to) in moves {
            let shape = &compiled.relations[to].shape;
            match from {
                Some(from) if compiled.is_static(from) => {
                    // What holds in every next state whatever the moves is static: copy it.
                    let to = &mut self.tables[compiled.at(to)];
                    to.clear(shape);
                    to.copy(shape, &compiled.static_tables[from.index()]);
                }
                Some(from) => {
                    let (a, b) = pair(&mut self.tables, compiled.at(from), compiled.at(to));
                    a.exchange(b, shape.arity);
                }
                None => self.tables[compiled.at(to)].clear(shape),
            }
        }
        self.forget_state(&compiled, level);
    }

    #[inline(always)]
    fn table<'a>(&'a self, compiled: &'a Compiled, relation: TableId) -> &'a Table {
        if compiled.is_static(relation) {
            &compiled.static_tables[relation.index()]
        } else {
            &self.tables[compiled.at(relation)]
        }
    }

    #[inline(always)]
    fn ensure(&mut self, compiled: &Compiled, relation: TableId) -> Limited<()> {
        if compiled.is_static(relation) || self.ready[compiled.at(relation)] {
            return Ok(());
        }
        self.evaluate(compiled, compiled.relations[relation].component)
    }

    #[inline(never)]
    fn evaluate(&mut self, compiled: &Compiled, component: u32) -> Limited<()> {
        let info = &compiled.components[component as usize];
        if info.height > NESTED && info.below.iter().any(|&below| self.is_pending(compiled, below)) {
            // Bottom-up instead of by need, so that a long chain of rules cannot overflow our stack.
            for below in compiled.requirements(component) {
                if self.is_pending(compiled, below) {
                    self.evaluate_here(compiled, below)?;
                }
            }
        }
        self.evaluate_here(compiled, component)
    }

    /// Whether a component can be computed beforehand and was not.
    fn is_pending(&self, compiled: &Compiled, component: u32) -> bool {
        let info = &compiled.components[component as usize];
        let is_ready = |t: TableId| compiled.is_static(t) || self.ready[compiled.at(t)];
        !info.is_demand_driven && info.tables.first().is_some_and(|&t| !is_ready(t))
    }

    fn evaluate_here(&mut self, compiled: &Compiled, component: u32) -> Limited<()> {
        let info = &compiled.components[component as usize];
        self.open(compiled, component);
        let done = self.fixpoint(compiled, component);
        if done.is_err() {
            let sizes = info.tables.iter().map(|&table| (table, self.table(compiled, table).len()));
            self.stopped = self.stopped.into_iter().chain(sizes).max_by_key(|&(_, rows)| rows);
            self.clear_component(compiled, component);
            let level = &mut self.computed[info.level as usize];
            level.retain(|&c| c != component);
        }
        done
    }

    /// From now on the component's tables are taken as they are.
    fn open(&mut self, compiled: &Compiled, component: u32) {
        let info = &compiled.components[component as usize];
        for &relation in &info.tables {
            self.ready[compiled.at(relation)] = true;
        }
        self.computed[info.level as usize].push(component);
    }

    fn fixpoint(&mut self, compiled: &Compiled, component: u32) -> Limited<()> {
        let info = &compiled.components[component as usize];
        for (head, code) in &info.once {
            let decided = compiled.relations[*head].shape.arity == 0 && self.table(compiled, *head).len() > 0;
            if !decided {
                self.run(compiled, code, *head)?;
            }
        }
        self.repeat(compiled, component)
    }

    fn repeat(&mut self, compiled: &Compiled, component: u32) -> Limited<()> {
        let info = &compiled.components[component as usize];
        loop {
            let mut changed = false;
            for (head, code, delta) in &info.repeated {
                let Some(Op::Scan { table, .. }) = code.ops.first() else { continue };
                if self.deltas[*delta as usize] < self.table(compiled, *table).len() {
                    changed = true;
                    self.run(compiled, code, *head)?;
                }
            }
            if !changed {
                return Ok(());
            }
            if self.reports {
                let rows: u64 = info.tables.iter().map(|&t| u64::from(self.table(compiled, t).len())).sum();
                self.budget.report("atoms that can hold", rows, None);
            }
        }
    }

    /// Makes the rows of a demand-driven relation with this key available.
    fn demand(&mut self, compiled: &Compiled, relation: TableId, key: &[Register]) -> Limited<()> {
        let info = &compiled.relations[relation];
        let component = info.component;
        let Some(demand) = info.demand else { return self.ensure(compiled, relation) };
        if !self.ready[compiled.at(relation)] {
            self.open(compiled, component);
        }
        if self.insert_demand(compiled, demand, key)? == Inserted::New {
            let done = self.repeat(compiled, component);
            if done.is_err() {
                self.clear_component(compiled, component);
                let level = compiled.components[component as usize].level;
                self.computed[level as usize].retain(|&c| c != component);
            }
            done?;
        }
        Ok(())
    }

    /// Notes a key that is demanded. A key outside of the columns' domains has no rows.
    fn insert_demand(&mut self, compiled: &Compiled, demand: TableId, key: &[Register]) -> Limited<Inserted> {
        let info = &compiled.relations[demand];
        let known = |(domain, &register): (&Option<Vec<u32>>, &Register)| match domain {
            Some(domain) => domain.binary_search(&self.registers[register.index()]).is_ok(),
            None => true,
        };
        if info.shape.size.is_none() && !info.domains.iter().zip(key).all(known) {
            return Ok(Inserted::Outside);
        }
        self.insert_registers(compiled, demand, key)
    }

    fn insert_registers(
        &mut self,
        compiled: &Compiled,
        relation: TableId,
        row: &[Register],
    ) -> Limited<Inserted> {
        let mut buffer = [0u32; 16];
        if row.len() <= buffer.len() {
            for (slot, &register) in buffer.iter_mut().zip(row) {
                *slot = self.registers[register.index()];
            }
            return self.insert(compiled, relation, &buffer[..row.len()]);
        }
        let mut long = std::mem::take(&mut self.row);
        long.clear();
        long.extend(row.iter().map(|&r| self.registers[r.index()]));
        let inserted = self.insert(compiled, relation, &long);
        self.row = long;
        inserted
    }

    #[inline(always)]
    fn insert(&mut self, compiled: &Compiled, relation: TableId, row: &[u32]) -> Limited<Inserted> {
        let shape = &compiled.relations[relation].shape;
        let table = &mut self.tables[compiled.at(relation)];
        if table.is_full(shape.arity) {
            self.make_room(compiled, relation)?;
        }
        Ok(self.tables[compiled.at(relation)].insert(shape, row))
    }

    /// Lets a table grow if that stays within the limit on memory.
    #[cold]
    fn make_room(&mut self, compiled: &Compiled, relation: TableId) -> Limited<()> {
        let at = compiled.at(relation);
        let arity = compiled.relations[relation].shape.arity;
        let growth = self.tables[at].growth(arity);
        // Members and indexes grow unseen: whenever the running total would be too much, count afresh.
        let others = growth + self.outside + self.made.bytes() + compiled.terms.bytes();
        if self.bytes + others > self.budget.memory() {
            self.bytes = self.tables.iter().map(Table::bytes).sum();
            let wanted = self.bytes + others;
            self.meter.check_memory(wanted, || compiled.relation_text(relation))?;
        }
        self.bytes += growth;
        self.tables[at].grow(arity);
        Ok(())
    }

    /// Adds the sizes of everything that was computed to the statistics.
    pub(crate) fn collect(&self, statistics: &mut IdVec<TableId, TableStatistics>) {
        for (at, table) in self.tables.iter().enumerate() {
            if self.ready[at] {
                let id = TableId::from_index(at + self.compiled.static_count);
                statistics[id].add_table(table, self.compiled.relations[id].shape.arity);
            }
        }
    }

    /// The tables, for a program all of whose relations are static.
    pub(crate) fn into_tables(self) -> Vec<Table> {
        self.tables
    }

    /// Lets each round of a fixpoint report how many rows there are: for long computations.
    pub(crate) fn report_rounds(&mut self) {
        self.reports = true;
    }

    /// How many rows each relation has at the moment, and had when a limit was reached.
    pub(crate) fn sizes(&self) -> Vec<(TableId, u32)> {
        let ids = self.compiled.relations.ids().skip(self.compiled.static_count);
        ids.zip(self.tables.iter().map(Table::len)).chain(self.stopped).collect()
    }

    /// Lets a relation that nothing reads be computed without looking for rows that it already has:
    /// whoever asks for this knows that its rules never find a row twice. [`Session::release`] ends it.
    pub(crate) fn expect_no_row_twice(&mut self, relation: TableId) {
        let at = self.compiled.at(relation);
        self.bytes = self.bytes.saturating_sub(self.tables[at].bytes());
        self.tables[at] = Table::unsought();
    }

    /// Gives back the memory of a relation that was computed; it is computed again when asked for.
    pub(crate) fn release(&mut self, relation: TableId) {
        let compiled = Arc::clone(&self.compiled);
        let info = &compiled.relations[relation];
        let component = &compiled.components[info.component as usize];
        self.clear_component(&compiled, info.component);
        self.computed[component.level as usize].retain(|&c| c != info.component);
        let table = &mut self.tables[compiled.at(relation)];
        self.bytes = self.bytes.saturating_sub(table.bytes());
        *table = Table::new(&info.shape, &compiled.indexes[relation]);
        self.bytes += table.bytes();
    }
}

/// The level of what depends on the given relations that come first, such as the facts of a state.
const FIRST_LEVEL: u32 = 1;

/// A component above this height is computed bottom-up.
const NESTED: u32 = 100;

fn pair<T>(items: &mut [T], a: usize, b: usize) -> (&mut T, &mut T) {
    if a < b {
        let (left, right) = items.split_at_mut(b);
        (&mut left[a], &mut right[0])
    } else {
        let (left, right) = items.split_at_mut(a);
        (&mut right[0], &mut left[b])
    }
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Session").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}
