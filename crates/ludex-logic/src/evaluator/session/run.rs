//! Working through one plan.

use super::{Cursor, Limited, Session};
use crate::evaluator::compile::Compiled;
use crate::evaluator::plan::{Code, NOWHERE, Op, Register, Take};
use crate::evaluator::table::{Inserted, KEY_LIMIT, TableId};
use crate::ids::{Id, TermId};
use crate::terms::TermView;

/// So many rows are passed over in the time of one step of inference.
const PASSED: u32 = 16;

impl Session {
    /// Works through a plan. The result says whether the alternative of a block holds.
    pub(super) fn run(&mut self, compiled: &Compiled, code: &Code, head: TableId) -> Limited<bool> {
        let mut at = 0usize;
        let mut again = false;
        loop {
            self.meter.spend(1)?;
            let holds = match &code.ops[at] {
                Op::Scan { table, take, cursor, delta } => {
                    if !again {
                        self.ensure(compiled, *table)?;
                        let end = self.table(compiled, *table).len();
                        let start = delta.map_or(0, |d| std::mem::replace(&mut self.deltas[d as usize], end));
                        self.cursors[*cursor as usize] = Cursor { at: start, end };
                    }
                    self.scan(compiled, *table, take, *cursor)?
                }
                Op::Probe { table, index, key, take, cursor } => {
                    if !again {
                        self.ensure(compiled, *table)?;
                        self.start_probe(compiled, *table, *index, key, *cursor);
                    }
                    self.probe(compiled, *table, *index, key, take, *cursor)?
                }
                Op::TestNumber { table, base, parts, negated } => {
                    self.ensure(compiled, *table)?;
                    let shape = &compiled.relations[*table].shape;
                    let mut number = *base;
                    for &(column, register) in parts {
                        number += shape.part(column as usize, self.registers[register.index()]);
                    }
                    self.table(compiled, *table).contains_number(number) != *negated
                }
                Op::TestRow { table, row, negated } => {
                    self.ensure(compiled, *table)?;
                    self.contains(compiled, *table, row) != *negated
                }
                Op::Compare { left, right, equal } => {
                    (self.registers[left.index()] == self.registers[right.index()]) == *equal
                }
                Op::Copy { from, to } => {
                    self.registers[to.index()] = self.registers[from.index()];
                    true
                }
                Op::Constant { value } => {
                    let term = compiled.values.term(self.registers[value.index()]);
                    matches!(self.made.view(compiled, term), TermView::Constant(_))
                }
                Op::Match { from, functor, arity, take } => {
                    let term = compiled.values.term(self.registers[from.index()]);
                    match self.made.view(compiled, term) {
                        TermView::Compound(f, args) if f == *functor && args.len() == *arity => {
                            take_terms(compiled, &mut self.registers, args, take)
                        }
                        _ => false,
                    }
                }
                Op::Build { functor, args, to } => {
                    let args: smallvec::SmallVec<[TermId; 8]> =
                        args.iter().map(|&r| compiled.values.term(self.registers[r.index()])).collect();
                    let term = self.make(compiled, *functor, &args)?;
                    self.registers[to.index()] = compiled.values.number(term);
                    true
                }
                Op::Block { alternatives, negated } => {
                    let mut any = false;
                    for alternative in alternatives {
                        if self.run(compiled, alternative, head)? {
                            any = true;
                            break;
                        }
                    }
                    any != *negated
                }
                Op::DemandNow { table, key } => {
                    self.demand(compiled, *table, key)?;
                    true
                }
                Op::DemandLater { table, key } => {
                    if let Some(demand) = compiled.relations[*table].demand {
                        self.insert_demand(compiled, demand, key)?;
                    }
                    true
                }
                Op::Emit { row } => {
                    let inserted = self.insert_registers(compiled, head, row)?;
                    debug_assert_ne!(inserted, Inserted::Outside, "{}", compiled.relation_text(head));
                    false
                }
                Op::Succeed => return Ok(true),
            };
            if holds {
                at += 1;
                again = false;
            } else {
                let back = code.back[at];
                // A generator that has run dry goes on before itself.
                if back == NOWHERE {
                    return Ok(false);
                }
                at = back as usize;
                again = true;
            }
        }
    }

    #[inline(always)]
    fn scan(&mut self, compiled: &Compiled, relation: TableId, take: &Take, cursor: u32) -> Limited<bool> {
        let arity = compiled.relations[relation].shape.arity;
        let table = if compiled.is_static(relation) {
            &compiled.static_tables[relation.index()]
        } else {
            &self.tables[compiled.at(relation)]
        };
        let Cursor { mut at, end } = self.cursors[cursor as usize];
        let start = at;
        while at < end {
            let row = table.row(arity, at);
            at += 1;
            if take_row(&mut self.registers, row, take) {
                self.cursors[cursor as usize].at = at;
                return self.spend_passed(at - start, true);
            }
        }
        self.spend_passed(at - start, false)
    }

    /// Spends for rows that were passed over, so that a large table costs something.
    #[inline(always)]
    fn spend_passed(&mut self, rows: u32, holds: bool) -> Limited<bool> {
        if rows >= PASSED {
            self.meter.spend(u64::from(rows / PASSED))?;
        }
        Ok(holds)
    }

    #[inline(always)]
    fn start_probe(
        &mut self,
        compiled: &Compiled,
        relation: TableId,
        index: u32,
        key: &[Register],
        cursor: u32,
    ) {
        let mut buffer = [0u32; KEY_LIMIT];
        for (slot, &register) in buffer.iter_mut().zip(key) {
            *slot = self.registers[register.index()];
        }
        let key = &buffer[..key.len()];
        let table = if compiled.is_static(relation) {
            &compiled.static_tables[relation.index()]
        } else {
            let table = &mut self.tables[compiled.at(relation)];
            table.refresh(compiled.relations[relation].shape.arity, index as usize);
            table
        };
        self.cursors[cursor as usize].at = table.first(index as usize, key);
    }

    #[inline(always)]
    fn probe(
        &mut self,
        compiled: &Compiled,
        relation: TableId,
        index: u32,
        key: &[Register],
        take: &Take,
        cursor: u32,
    ) -> Limited<bool> {
        let arity = compiled.relations[relation].shape.arity;
        let spec = &compiled.indexes[relation][index as usize];
        let exact = spec.keys.size.is_some();
        let table = if compiled.is_static(relation) {
            &compiled.static_tables[relation.index()]
        } else {
            &self.tables[compiled.at(relation)]
        };
        let mut at = self.cursors[cursor as usize].at;
        let mut passed = 0;
        while at != 0 {
            let number = at - 1;
            let row = table.row(arity, number);
            at = table.next(index as usize, number);
            let same = exact
                || spec.columns.iter().zip(key).all(|(&c, &r)| row[c as usize] == self.registers[r.index()]);
            if same && take_row(&mut self.registers, row, take) {
                self.cursors[cursor as usize].at = at;
                return self.spend_passed(passed, true);
            }
            passed += 1;
        }
        self.spend_passed(passed, false)
    }

    fn contains(&mut self, compiled: &Compiled, relation: TableId, row: &[Register]) -> bool {
        let shape = &compiled.relations[relation].shape;
        let mut buffer = [0u32; 16];
        if row.len() <= buffer.len() {
            for (slot, &register) in buffer.iter_mut().zip(row) {
                *slot = self.registers[register.index()];
            }
            return self.table(compiled, relation).contains(shape, &buffer[..row.len()]);
        }
        let values: Vec<u32> = row.iter().map(|&r| self.registers[r.index()]).collect();
        self.table(compiled, relation).contains(shape, &values)
    }
}

fn take_terms(compiled: &Compiled, registers: &mut [u32], args: &[TermId], take: &Take) -> bool {
    for &(column, register) in &take.store {
        registers[register.index()] = compiled.values.number(args[column as usize]);
    }
    take.compare.iter().all(|&(c, r)| compiled.values.number(args[c as usize]) == registers[r.index()])
}

#[inline(always)]
fn take_row(registers: &mut [u32], row: &[u32], take: &Take) -> bool {
    for &(column, register) in &take.store {
        registers[register.index()] = row[column as usize];
    }
    take.compare.iter().all(|&(column, register)| row[column as usize] == registers[register.index()])
}
