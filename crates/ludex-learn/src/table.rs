//! Which tests hold of which examples: a bit for each.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::language::{Language, LinePattern, Operand, Source, Test};
use crate::observations::{Facts, Observations};
use crate::vocabulary::{Constant, Part, RelationId, Tuple, Vocabulary};

/// A value that is not there.
const NOTHING: Constant = Constant::MAX;

/// An example: a state, and the number of an atom of the target.
pub(crate) type Row = (usize, u32);

/// What is asked of examples, and of what.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub vocabulary: &'a Vocabulary,
    pub observed: &'a Observations,
    pub language: &'a Language,
    pub atoms: &'a [Tuple],
}

/// Facts by some of their columns, looked at as they are asked for.
struct Lookups<'a> {
    facts: &'a Facts,
    by: FxHashMap<(RelationId, u32), FxHashMap<u128, Tuple>>,
}

/// The values of a key as one number: not the same for two keys of up to three values, and of longer ones only by an
/// accident of 1 in 2^100.
fn packed(values: impl Iterator<Item = Constant>) -> u128 {
    const BASE: u128 = (1 << 32) + 15;
    values.fold(0, |packed, value| packed.wrapping_mul(BASE).wrapping_add(u128::from(value) + 1))
}

impl<'a> Lookups<'a> {
    fn new(facts: &'a Facts) -> Self {
        Self { facts, by: FxHashMap::default() }
    }

    /// The facts of a relation, by those of its columns that `columns` has as bits; one of each key.
    fn by(&mut self, relation: RelationId, columns: u32) -> &FxHashMap<u128, Tuple> {
        self.by.entry((relation, columns)).or_insert_with(|| {
            let key = |fact: &Tuple| {
                packed((0..fact.len()).filter(|column| columns >> column & 1 == 1).map(|column| fact[column]))
            };
            self.facts.of(relation).iter().map(|fact| (key(fact), fact.clone())).collect()
        })
    }

    /// One step on or back in an order, or none.
    fn step(&mut self, order: RelationId, from: Constant, by: i8) -> Option<Constant> {
        let from = packed(std::iter::once(from));
        match by {
            1 => self.by(order, 1).get(&from).map(|step| step[1]),
            _ => self.by(order, 2).get(&from).map(|step| step[0]),
        }
    }
}

impl Asked<'_> {
    /// For each of these tests, of which rows it holds. The rows are in the order of their states.
    pub fn answers(&self, tests: &[&Test], rows: &[Row]) -> Vec<Bits> {
        let mut answers = vec![Bits::none(rows.len()); tests.len()];
        let needed = self.language.links_of_tests(tests.iter().copied());
        let single = self.language.single();
        let of_state: Vec<bool> =
            tests.iter().map(|test| test.variables().iter().all(|&v| single[v])).collect();
        let mut statics = Lookups::new(&self.observed.statics);
        let mut from = 0;
        let mut values = vec![Vec::new(); self.language.variables.len()];
        while from < rows.len() {
            let state = rows[from].0;
            let here = &rows[from..];
            let here = &here[..here.iter().take_while(|row| row.0 == state).count()];
            for (variable, values) in values.iter_mut().enumerate() {
                values.clear();
                match self.language.variables[variable].source {
                    Source::Head(column) => {
                        values.extend(here.iter().map(|row| self.atoms[row.1 as usize][column]));
                    }
                    Source::Link(..) => values.resize(here.len(), NOTHING),
                }
            }
            let facts = Lookups::new(&self.observed.states[state]);
            let mut one = State {
                asked: self,
                facts,
                statics: &mut statics,
                lines: FxHashMap::default(),
                boards: FxHashMap::default(),
            };
            for &link in &needed {
                one.look_up(link, &single, &mut values);
            }
            for (place, test) in tests.iter().enumerate() {
                let rows = if of_state[place] { 0..1 } else { 0..here.len() };
                let bits = &mut answers[place];
                one.each(test, rows, &values, |row| match of_state[place] {
                    true => (0..here.len()).for_each(|row| bits.insert(from + row)),
                    false => bits.insert(from + row),
                });
            }
            from += here.len();
        }
        answers
    }
}

/// One state while its examples are looked at.
struct State<'a, 's> {
    asked: &'a Asked<'a>,
    facts: Lookups<'a>,
    statics: &'s mut Lookups<'a>,
    /// Per pattern: the contents of which there is a line.
    lines: FxHashMap<usize, Vec<Constant>>,
    boards: FxHashMap<(RelationId, [usize; 2]), Board>,
}

/// What stands on cells, by their two places.
type Board = FxHashMap<[Constant; 2], Constant>;

impl State<'_, '_> {
    /// Facts of a relation by the columns that are given.
    fn by(&mut self, relation: RelationId, given: &[Option<Operand>]) -> &FxHashMap<u128, Tuple> {
        let columns =
            given.iter().enumerate().filter(|(_, it)| it.is_some()).map(|(column, _)| 1 << column).sum();
        match self.asked.vocabulary.get(relation).part {
            Part::Static => self.statics.by(relation, columns),
            _ => self.facts.by(relation, columns),
        }
    }

    /// Finds the variables of a link in all rows.
    fn look_up(&mut self, number: usize, single: &[bool], values: &mut [Vec<Constant>]) {
        let language = self.asked.language;
        let link = &language.links[number];
        let first = language.first_variable(number);
        let found = self.by(link.relation, &link.keys);
        let rows = values.first().map_or(0, Vec::len);
        let is_single = single.get(first).is_some_and(|&single| single);
        let columns: Vec<usize> =
            (0..link.keys.len()).filter(|&column| link.keys[column].is_none()).collect();
        for row in 0..if is_single { rows.min(1) } else { rows } {
            if let Some(fact) = key(&link.keys, values, row).and_then(|key| found.get(&key)) {
                for (place, &column) in columns.iter().enumerate() {
                    values[first + place][row] = fact[column];
                }
            }
        }
        if is_single {
            for place in 0..columns.len() {
                let value = values[first + place].first().copied().unwrap_or(NOTHING);
                values[first + place].fill(value);
            }
        }
    }

    /// Tells each of these rows of which a test holds.
    fn each(
        &mut self,
        test: &Test,
        rows: Range<usize>,
        values: &[Vec<Constant>],
        mut tell: impl FnMut(usize),
    ) {
        match test {
            Test::Equal(variable, operand) => {
                let first = &values[*variable];
                let is_it =
                    |&row: &usize| first[row] != NOTHING && value(*operand, values, row) == Some(first[row]);
                rows.filter(is_it).for_each(tell);
            }
            Test::Differ(variable, operand) => {
                let first = &values[*variable];
                let differs = |&row: &usize| {
                    first[row] != NOTHING
                        && value(*operand, values, row).is_some_and(|second| second != first[row])
                };
                rows.filter(differs).for_each(tell);
            }
            Test::Holds(relation, given) | Test::HoldsNot(relation, given) => {
                let is_asked = matches!(test, Test::Holds(..));
                let facts = self.by(*relation, given);
                let is_it = |&row: &usize| {
                    key(given, values, row).is_some_and(|key| facts.contains_key(&key) == is_asked)
                };
                rows.filter(is_it).for_each(tell);
            }
            Test::All { relation, column, value, is_so } => {
                let facts = self.facts.facts.of(*relation);
                if facts.iter().all(|fact| fact[*column] == *value) == *is_so {
                    rows.for_each(tell);
                }
            }
            Test::Line { pattern, value: operand, is_there } => {
                let lines = self.lines_of(*pattern);
                for row in rows {
                    if value(*operand, values, row)
                        .is_some_and(|content| lines.contains(&content) == *is_there)
                    {
                        tell(row);
                    }
                }
            }
        }
    }

    fn lines_of(&mut self, number: usize) -> &[Constant] {
        if !self.lines.contains_key(&number) {
            let language = self.asked.language;
            let contents = self.find_lines(&language.patterns[number]);
            self.lines.insert(number, contents);
        }
        &self.lines[&number]
    }

    /// The contents of which there is a line in one of the directions.
    fn find_lines(&mut self, pattern: &LinePattern) -> Vec<Constant> {
        let facts = self.facts.facts.of(pattern.relation).iter();
        let cells = self.boards.entry((pattern.relation, pattern.places)).or_insert_with(|| {
            facts.map(|cell| (pattern.places.map(|place| cell[place]), cell[pattern.content])).collect()
        });
        let mut found = Vec::new();
        for (&start, &content) in &*cells {
            let is_line = |direction: &(i8, i8)| {
                let mut at = start;
                (1..pattern.length).all(|_| {
                    let steps = [direction.0, direction.1];
                    for place in 0..2 {
                        if steps[place] != 0 {
                            let next = self.statics.step(pattern.orders[place], at[place], steps[place]);
                            let Some(next) = next else { return false };
                            at[place] = next;
                        }
                    }
                    cells.get(&at) == Some(&content)
                })
            };
            if !found.contains(&content) && pattern.directions.iter().any(is_line) {
                found.push(content);
            }
        }
        found
    }
}

/// What is given, as one number; `None` where a value is not there.
fn key(given: &[Option<Operand>], values: &[Vec<Constant>], row: usize) -> Option<u128> {
    let mut found = Some(0);
    let constants = given.iter().flatten().map_while(|operand| {
        let it = value(*operand, values, row);
        if it.is_none() {
            found = None;
        }
        it
    });
    let packed = packed(constants);
    found.map(|_: u128| packed)
}

fn value(operand: Operand, values: &[Vec<Constant>], row: usize) -> Option<Constant> {
    match operand {
        Operand::Constant(constant) => Some(constant),
        Operand::Variable(variable) => Some(values[variable][row]).filter(|&value| value != NOTHING),
    }
}
