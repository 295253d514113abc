//! The instances of a body: in which order its literals are looked at, and the search for values.

use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashMap;

use super::super::text::ProgramTextError;
use super::super::text::syntax::{AtomText, Comparison, Literal, Place, Term};
use super::values::{Shape, Value, Values};

/// The values of a rule's variables, as far as they are known.
pub(super) type Bindings = Vec<Option<Value>>;

/// An atom's relation and its arguments.
pub(super) type Row = (u32, Box<[Value]>);

/// The atoms of one relation that may be true.
#[derive(Debug, Default)]
pub(super) struct Relation {
    pub(super) rows: Vec<Box<[Value]>>,
    ids: FxHashMap<Box<[Value]>, u32>,
    /// Per row whether it is true in any case.
    pub(super) is_fact: Vec<bool>,
    /// Per argument and value the rows that have it, ascending.
    index: Vec<FxHashMap<Value, Vec<u32>>>,
}

impl Relation {
    pub(super) fn find(&self, row: &[Value]) -> Option<u32> {
        self.ids.get(row).copied()
    }

    pub(super) fn insert(&mut self, row: Box<[Value]>, is_fact: bool) {
        if let Some(known) = self.find(&row) {
            self.is_fact[known as usize] |= is_fact;
            return;
        }
        let number = self.rows.len() as u32;
        self.index.resize_with(row.len().max(self.index.len()), FxHashMap::default);
        for (index, &value) in self.index.iter_mut().zip(&row) {
            index.entry(value).or_default().push(number);
        }
        self.ids.insert(row.clone(), number);
        self.rows.push(row);
        self.is_fact.push(is_fact);
    }
}

/// One literal of a body, when those before it are done.
#[derive(Clone, Debug)]
pub(super) enum Step {
    /// Rows of a relation from some row on.
    Scan {
        relation: u32,
        arguments: Vec<Term>,
        is_new: bool,
    },
    /// A variable gets the value of a term, or the values of an interval.
    Assign {
        variable: u32,
        term: Term,
    },
    Test {
        comparison: Comparison,
        terms: Box<[Term; 2]>,
    },
    /// A term's value is in an interval.
    Within {
        term: Term,
        range: Term,
    },
}

/// The order in which a body's literals are looked at; that of number `first`, which is a positive atom, is
/// the first one, and new rows of it are looked at only. `bound` says which variables are known before.
pub(super) fn order(
    body: &[Literal],
    first: Option<usize>,
    mut bound: Vec<bool>,
    relation: &mut dyn FnMut(&AtomText) -> u32,
) -> Result<Vec<Step>, Vec<bool>> {
    let mut left: Vec<usize> = (0..body.len()).collect();
    left.retain(|&at| !matches!(body[at], Literal::Negative(_)));
    let mut steps = Vec::new();
    // What is reckoned with in the new atom may have to be known from others.
    let mut next =
        first.filter(|&at| matches!(&body[at], Literal::Positive(atom) if can_match(atom, &bound)));
    while !left.is_empty() {
        let chosen = next.take().or_else(|| best(body, &left, &bound));
        let Some(chosen) = chosen else { return Err(bound) };
        left.retain(|&at| at != chosen);
        match &body[chosen] {
            Literal::Positive(atom) => {
                for argument in &atom.arguments {
                    bind(argument, &mut bound);
                }
                let (relation, arguments) = (relation(atom), atom.arguments.clone());
                steps.push(Step::Scan { relation, arguments, is_new: first == Some(chosen) });
            }
            Literal::Compare(comparison, terms, _) => {
                let step = compared(*comparison, terms, &bound);
                if let Step::Assign { variable, .. } = &step {
                    bound[*variable as usize] = true;
                }
                steps.push(step);
            }
            Literal::Negative(_) => {}
        }
    }
    Ok(steps)
}

/// How a comparison is made whose variables are known, all but one.
fn compared(comparison: Comparison, terms: &[Term; 2], bound: &[bool]) -> Step {
    let [one, other] = terms;
    match (comparison, one, other) {
        (Comparison::Equal, Term::Variable(v), term) | (Comparison::Equal, term, Term::Variable(v))
            if !bound[*v as usize] =>
        {
            Step::Assign { variable: *v, term: term.clone() }
        }
        (Comparison::Equal, term, range @ Term::Range(_)) => {
            Step::Within { term: term.clone(), range: range.clone() }
        }
        _ => Step::Test { comparison, terms: Box::new(terms.clone()) },
    }
}

/// The variables that a term gives values to where it is matched: not those that are reckoned with.
fn bind(term: &Term, bound: &mut [bool]) {
    match term {
        Term::Variable(variable) => bound[*variable as usize] = true,
        Term::Function(_, parts) => parts.iter().for_each(|part| bind(part, bound)),
        _ => {}
    }
}

/// Whether rows can be matched with an atom: what is reckoned with is known before, or comes from the atom
/// itself.
fn can_match(atom: &AtomText, bound: &[bool]) -> bool {
    let mut after = bound.to_vec();
    atom.arguments.iter().for_each(|argument| bind(argument, &mut after));
    atom.arguments.iter().flat_map(Term::variables).all(|variable| after[variable as usize])
}

/// The literal to look at next: one that only tests or gives a value, else the atom with the most arguments
/// that are known.
fn best(body: &[Literal], left: &[usize], bound: &[bool]) -> Option<usize> {
    let is_known = |term: &Term| term.variables().iter().all(|&variable| bound[variable as usize]);
    let is_ready = |literal: &Literal| match literal {
        Literal::Compare(Comparison::Equal, terms, _) => match &**terms {
            [Term::Variable(_), term] | [term, Term::Variable(_)] if is_known(term) => true,
            [one, other] => is_known(one) && is_known(other),
        },
        Literal::Compare(_, terms, _) => terms.iter().all(is_known),
        _ => false,
    };
    if let Some(&ready) = left.iter().find(|&&at| is_ready(&body[at])) {
        return Some(ready);
    }
    let score = |&&at: &&usize| {
        let Literal::Positive(atom) = &body[at] else { return None };
        can_match(atom, bound)
            .then(|| 1 + atom.arguments.iter().filter(|argument| is_known(argument)).count())
    };
    left.iter()
        .filter(|at| score(at).is_some())
        .max_by_key(|at| (score(at), std::cmp::Reverse(**at)))
        .copied()
}

/// What a search looks at.
pub(super) struct Joiner<'j> {
    pub(super) relations: &'j [Relation],
    /// Per relation the first row that is new.
    pub(super) new_from: &'j [u32],
    pub(super) constants: &'j FxHashMap<Box<str>, Value>,
    pub(super) values: &'j mut Values,
    pub(super) meter: &'j mut Meter,
    pub(super) place: Place,
}

impl Joiner<'_> {
    /// Calls `each` with the values of the variables for every instance of the steps.
    pub(super) fn run(
        &mut self,
        steps: &[Step],
        bindings: &mut Bindings,
        each: &mut dyn FnMut(&mut Self, &mut Bindings) -> Result<(), ProgramTextError>,
    ) -> Result<(), ProgramTextError> {
        self.meter.spend(1)?;
        let Some((step, rest)) = steps.split_first() else { return each(self, bindings) };
        match step {
            Step::Test { comparison, terms } => {
                let (one, other) = (self.value(&terms[0], bindings)?, self.value(&terms[1], bindings)?);
                if self.values.holds(*comparison, one, other) {
                    self.run(rest, bindings, each)
                } else {
                    Ok(())
                }
            }
            Step::Within { term, range } => {
                let value = self.value(term, bindings)?;
                let (from, to) = self.interval(range, bindings)?;
                match self.values.number(value).is_some_and(|number| (from..=to).contains(&number)) {
                    true => self.run(rest, bindings, each),
                    false => Ok(()),
                }
            }
            Step::Assign { variable, term: range @ Term::Range(_) } => {
                let (from, to) = self.interval(range, bindings)?;
                for number in from..=to {
                    bindings[*variable as usize] = Some(self.values.of(Shape::Number(number)));
                    self.run(rest, bindings, each)?;
                }
                bindings[*variable as usize] = None;
                Ok(())
            }
            Step::Assign { variable, term } => {
                bindings[*variable as usize] = Some(self.value(term, bindings)?);
                self.run(rest, bindings, each)?;
                bindings[*variable as usize] = None;
                Ok(())
            }
            Step::Scan { relation, arguments, is_new } => {
                let from = if *is_new { self.new_from[*relation as usize] } else { 0 };
                let relations = self.relations;
                let found = &relations[*relation as usize];
                match self.candidates(found, arguments, bindings)? {
                    Some(rows) => {
                        for &row in rows.iter().filter(|&&row| row >= from) {
                            self.try_row(&found.rows[row as usize], arguments, bindings, rest, each)?;
                        }
                    }
                    None => {
                        for row in &found.rows[from as usize..] {
                            self.try_row(row, arguments, bindings, rest, each)?;
                        }
                    }
                }
                Ok(())
            }
        }
    }

    fn try_row(
        &mut self,
        row: &[Value],
        arguments: &[Term],
        bindings: &mut Bindings,
        rest: &[Step],
        each: &mut dyn FnMut(&mut Self, &mut Bindings) -> Result<(), ProgramTextError>,
    ) -> Result<(), ProgramTextError> {
        self.meter.spend(1 + row.len() as u64)?;
        let mut bound: Vec<u32> = Vec::new();
        if self.matches(row, arguments, bindings, &mut bound)? {
            self.run(rest, bindings, each)?;
        }
        bound.iter().for_each(|&variable| bindings[variable as usize] = None);
        Ok(())
    }

    /// The rows that have the value of one of the arguments that are known, the fewest; none where nothing is
    /// known.
    fn candidates<'r>(
        &mut self,
        relation: &'r Relation,
        arguments: &[Term],
        bindings: &Bindings,
    ) -> Result<Option<&'r [u32]>, ProgramTextError> {
        let mut fewest: Option<&[u32]> = None;
        for (at, argument) in arguments.iter().enumerate() {
            if !argument.variables().iter().all(|&variable| bindings[variable as usize].is_some()) {
                continue;
            }
            let value = self.value(argument, bindings)?;
            let rows = relation.index.get(at).and_then(|index| index.get(&value));
            let rows: &[u32] = rows.map_or(&[], Vec::as_slice);
            if fewest.is_none_or(|known| rows.len() < known.len()) {
                fewest = Some(rows);
            }
        }
        Ok(fewest)
    }

    /// Whether a row fits; the variables that get values by that are added.
    fn matches(
        &mut self,
        row: &[Value],
        arguments: &[Term],
        bindings: &mut Bindings,
        bound: &mut Vec<u32>,
    ) -> Result<bool, ProgramTextError> {
        let mut open: Vec<(&Term, Value)> = arguments.iter().zip(row.iter().copied()).rev().collect();
        // What is reckoned with comes last, when all variables have values.
        let mut reckoned = Vec::new();
        while let Some((term, value)) = open.pop() {
            match term {
                Term::Variable(variable) => match bindings[*variable as usize] {
                    Some(known) if known != value => return Ok(false),
                    Some(_) => {}
                    None => {
                        bindings[*variable as usize] = Some(value);
                        bound.push(*variable);
                    }
                },
                Term::Function(name, parts) => match self.values.shape(value) {
                    Shape::Function(other, values) if other == name && values.len() == parts.len() => {
                        open.extend(parts.iter().zip(values.iter().copied()));
                    }
                    _ => return Ok(false),
                },
                Term::Operation(..) => reckoned.push((term, value)),
                _ => {
                    if self.value(term, bindings)? != value {
                        return Ok(false);
                    }
                }
            }
        }
        for (term, value) in reckoned {
            if self.value(term, bindings)? != value {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The value of a term whose variables have values.
    pub(super) fn value(&mut self, term: &Term, bindings: &Bindings) -> Result<Value, ProgramTextError> {
        let wrong = ProgramTextError::Arithmetic { place: self.place };
        match term {
            Term::Number(number) => Ok(self.values.of(Shape::Number(*number))),
            Term::Name(name) => match self.constants.get(name) {
                Some(&value) => Ok(value),
                None => Ok(self.values.of(Shape::Function(name.clone(), Box::new([])))),
            },
            // The order of steps gives values to variables before they are asked for.
            Term::Variable(variable) => bindings[*variable as usize].ok_or(wrong),
            Term::Function(name, parts) => {
                let parts: Result<Box<[Value]>, _> =
                    parts.iter().map(|part| self.value(part, bindings)).collect();
                let shape = Shape::Function(name.clone(), parts?);
                Ok(self.values.of(shape))
            }
            Term::Operation(operation, parts) => {
                let (one, other) = (self.value(&parts[0], bindings)?, self.value(&parts[1], bindings)?);
                self.values.reckon(*operation, one, other).ok_or(wrong)
            }
            Term::Range(_) => Err(wrong),
        }
    }

    fn interval(&mut self, range: &Term, bindings: &Bindings) -> Result<(i64, i64), ProgramTextError> {
        let wrong = ProgramTextError::Arithmetic { place: self.place };
        let Term::Range(ends) = range else { return Err(wrong) };
        let (from, to) = (self.value(&ends[0], bindings)?, self.value(&ends[1], bindings)?);
        match (self.values.number(from), self.values.number(to)) {
            (Some(from), Some(to)) => Ok((from, to)),
            _ => Err(wrong),
        }
    }

    /// The row of an atom whose variables have values.
    pub(super) fn row(
        &mut self,
        atom: &AtomText,
        bindings: &Bindings,
    ) -> Result<Box<[Value]>, ProgramTextError> {
        atom.arguments.iter().map(|argument| self.value(argument, bindings)).collect()
    }
}

/// What searching took, if it is too much.
pub(super) fn check_memory(relations: &[Relation], values: &Values, meter: &Meter) -> Result<(), LimitError> {
    let rows: usize = relations.iter().map(|relation| relation.rows.len()).sum();
    // An atom has a row, a place in a table, and one in the index of each argument.
    meter.check_memory(rows * 160 + values.len() * 96, || "atoms of the program".to_owned())
}
