//! The values that can occur in each column, and their numbering.

use rustc_hash::{FxHashMap, FxHashSet};

use super::body::{FlatId, FlatLiteral, FlatRule, Literal};
use super::flat::{Flat, FlatKey};
use crate::budget::{LimitError, Meter};
use crate::ids::{Id, IdVec, TermId, VariableId};
use crate::program::{Pattern, Program};
use crate::terms::{TermView, Terms};

/// The values of a column.
#[derive(Clone, Debug, Default)]
struct Domain {
    /// Some value may be a term that is not known beforehand.
    open: bool,
    members: FxHashSet<TermId>,
}

/// More functional terms than this, built in one column, make it open.
const BUILT_LIMIT: usize = 1024;

/// What one value of one column takes, here and later.
const MEMBER_BYTES: usize = 32;
/// So many arguments of a body are looked at in the time of one step of inference.
const LOOKED_AT: u64 = 16;

/// The domains of all columns. Columns of relations that feed each other are one.
pub(crate) struct Columns {
    start: IdVec<FlatId, usize>,
    class: Vec<usize>,
    domains: Vec<Domain>,
}

impl Columns {
    /// Follows facts and rules until nothing is added; for every relation that is fed, variants of
    /// what it is fed by are made first.
    pub(crate) fn new(program: &Program, flat: &mut Flat, meter: &mut Meter) -> Result<Self, LimitError> {
        let classes = feed_variants(program, flat);
        let mut count = 0;
        let mut first = |key: &FlatKey| {
            count += key.arity();
            count - key.arity()
        };
        let start: IdVec<FlatId, usize> = flat.keys.iter().map(&mut first).collect();
        let mut class = Vec::with_capacity(count);
        for (id, key) in flat.keys.entries() {
            class.extend((0..key.arity()).map(|column| start[classes[id]] + column));
        }
        let mut columns = Self { domains: vec![Domain::default(); class.len()], start, class };
        columns.open_given(program, flat);
        for (relation, row) in &flat.facts {
            meter.spend(1)?;
            for (column, &term) in row.iter().enumerate() {
                columns.domain_mut(*relation, column).members.insert(term);
            }
        }
        columns.propagate(&program.terms, &flat.rules, meter)?;
        Ok(columns)
    }

    /// The class of a column.
    pub(crate) fn class(&self, relation: FlatId, column: usize) -> usize {
        self.class[self.start[relation] + column]
    }

    fn domain_mut(&mut self, relation: FlatId, column: usize) -> &mut Domain {
        let class = self.class(relation, column);
        &mut self.domains[class]
    }

    /// Given relations that nothing feeds may hold anything.
    fn open_given(&mut self, program: &Program, flat: &Flat) {
        for (id, key) in flat.keys.entries() {
            let fed = program.interface.feeds.iter().any(|f| f.to == key.relation);
            if !fed && program.is_given(key.relation) {
                for column in 0..key.arity() {
                    self.domain_mut(id, column).open = true;
                }
            }
        }
    }

    fn propagate(&mut self, terms: &Terms, rules: &[FlatRule], meter: &mut Meter) -> Result<(), LimitError> {
        let mut readers: FxHashMap<usize, Vec<usize>> = FxHashMap::default();
        for (number, rule) in rules.iter().enumerate() {
            for literal in &rule.body {
                if let Literal::Positive(atom) = literal {
                    for column in 0..atom.args.len() {
                        let list = readers.entry(self.class(atom.relation, column)).or_default();
                        if list.last() != Some(&number) {
                            list.push(number);
                        }
                    }
                }
            }
        }
        let mut queue: Vec<usize> = (0..rules.len()).rev().collect();
        let mut queued = vec![true; rules.len()];
        let mut built: FxHashMap<usize, usize> = FxHashMap::default();
        let arguments: Vec<u64> = rules.iter().map(|r| arguments(&r.body)).collect();
        let mut bytes: usize = self.domains.iter().map(|d| d.members.len() * MEMBER_BYTES).sum();
        while let Some(number) = queue.pop() {
            queued[number] = false;
            let rule = &rules[number];
            for (column, arg) in rule.head.args.iter().enumerate() {
                let class = self.class(rule.head.relation, column);
                if self.domains[class].open {
                    continue;
                }
                let addition = self.pattern_domain(terms, arg, &rule.body);
                meter.spend(1 + addition.members.len() as u64 + arguments[number] / LOOKED_AT)?;
                let domain = &mut self.domains[class];
                let before = domain.members.len();
                domain.members.extend(addition.members);
                let added = domain.members.len() - before;
                bytes += added * MEMBER_BYTES;
                meter.check_memory(bytes, || "the values of the columns".into())?;
                if matches!(arg, Pattern::Compound(..)) {
                    let count = built.entry(class).or_default();
                    *count += added;
                    domain.open |= *count > BUILT_LIMIT;
                }
                domain.open |= addition.open;
                if added > 0 || domain.open {
                    for &reader in readers.get(&class).into_iter().flatten() {
                        if !std::mem::replace(&mut queued[reader], true) {
                            queue.push(reader);
                        }
                    }
                }
            }
        }
        Ok(())
    }

    fn pattern_domain(&self, terms: &Terms, pattern: &Pattern, body: &[FlatLiteral]) -> Domain {
        match pattern {
            Pattern::Ground(term) => Domain { open: false, members: FxHashSet::from_iter([*term]) },
            Pattern::Variable(v) => self.variable_domain(terms, *v, body),
            Pattern::Compound(functor, args) => {
                let parts: Vec<Domain> = args.iter().map(|a| self.pattern_domain(terms, a, body)).collect();
                let product = parts
                    .iter()
                    .try_fold(1usize, |n, p| Some(n.saturating_mul(p.members.len())).filter(|_| !p.open));
                if product.is_none_or(|n| n > BUILT_LIMIT) {
                    return Domain { open: true, members: FxHashSet::default() };
                }
                let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
                for part in &parts {
                    let mut members: Vec<TermId> = part.members.iter().copied().collect();
                    members.sort_unstable();
                    tuples = tuples
                        .iter()
                        .flat_map(|t| members.iter().map(move |&m| [t.as_slice(), &[m]].concat()))
                        .collect();
                }
                let members = tuples.iter().map(|t| terms.compound(*functor, t)).collect();
                Domain { open: false, members }
            }
        }
    }

    /// The values a variable can take: those in all its positive occurrences.
    fn variable_domain(&self, terms: &Terms, variable: VariableId, body: &[FlatLiteral]) -> Domain {
        let mut found: Vec<FxHashSet<TermId>> = Vec::new();
        let mut borrowed: Vec<&FxHashSet<TermId>> = Vec::new();
        for literal in body {
            let Literal::Positive(atom) = literal else { continue };
            for (column, arg) in atom.args.iter().enumerate() {
                let domain = &self.domains[self.class(atom.relation, column)];
                match arg {
                    _ if domain.open => {}
                    Pattern::Variable(v) if *v == variable => borrowed.push(&domain.members),
                    Pattern::Compound(..) => inner_values(terms, arg, &domain.members, variable, &mut found),
                    _ => {}
                }
            }
        }
        borrowed.extend(found.iter());
        let Some(smallest) = borrowed.iter().min_by_key(|s| s.len()) else {
            return Domain { open: true, members: FxHashSet::default() };
        };
        let members = smallest.iter().filter(|t| borrowed.iter().all(|s| s.contains(t))).copied().collect();
        Domain { open: false, members }
    }

    /// Numbers all values of finite columns and all ground terms of the rules, in canonical order.
    pub(crate) fn values(&self, terms: &Terms, rules: &[FlatRule]) -> Values {
        let mut known: FxHashSet<TermId> = FxHashSet::default();
        for domain in self.domains.iter() {
            known.extend(&domain.members);
        }
        let mut note = |pattern: &Pattern| ground_parts(pattern, &mut known);
        for rule in rules {
            rule.head.args.iter().for_each(&mut note);
            ground_terms(&rule.body, &mut note);
        }
        let terms_in_order = in_order(terms, known);
        let mut numbers = vec![u32::MAX; terms_in_order.iter().map(|t| t.index() + 1).max().unwrap_or(0)];
        for (number, term) in terms_in_order.iter().enumerate() {
            numbers[term.index()] = number as u32;
        }
        Values { known: terms_in_order, numbers }
    }

    /// The values of a column in ascending order; `None` for an open one.
    pub(crate) fn domain(&self, values: &Values, relation: FlatId, column: usize) -> Option<Vec<u32>> {
        let domain = &self.domains[self.class(relation, column)];
        if domain.open {
            return None;
        }
        let mut numbers: Vec<u32> = domain.members.iter().map(|&t| values.number(t)).collect();
        numbers.sort_unstable();
        Some(numbers)
    }
}

/// The canonical order of [`Terms::compare`], with the keys of constants looked up once.
fn in_order(terms: &Terms, known: FxHashSet<TermId>) -> Vec<TermId> {
    let mut constants = Vec::new();
    let mut compounds = Vec::new();
    for term in known {
        match terms.view(term) {
            TermView::Constant(symbol) => {
                let number = terms.number(symbol);
                constants.push((number.is_none(), number, terms.name(symbol), term));
            }
            TermView::Compound(..) => compounds.push(term),
        }
    }
    constants.sort_unstable();
    compounds.sort_unstable_by(|&a, &b| terms.compare(a, b));
    constants.into_iter().map(|c| c.3).chain(compounds).collect()
}

/// Gives every fed relation the variants of what feeds it, and finds which relations share columns.
fn feed_variants(program: &Program, flat: &mut Flat) -> IdVec<FlatId, FlatId> {
    let feeds = &program.interface.feeds;
    let mut at = 0;
    while let Some(key) = flat.keys.get(FlatId::from_index(at)).cloned() {
        for feed in feeds.iter().filter(|feed| feed.from == key.relation) {
            flat.relation(FlatKey { relation: feed.to, slots: key.slots.clone() });
        }
        at += 1;
    }
    let fed = |(id, key): (FlatId, &FlatKey)| {
        let mut fed = feeds.iter().filter(|f| f.from == key.relation);
        let variant = fed.find_map(|f| flat.ids.get(&FlatKey { relation: f.to, slots: key.slots.clone() }));
        variant.copied().unwrap_or(id)
    };
    flat.keys.entries().map(fed).collect()
}

/// The values a variable takes inside a pattern that is matched against these terms.
fn inner_values(
    terms: &Terms,
    pattern: &Pattern,
    members: &FxHashSet<TermId>,
    variable: VariableId,
    found: &mut Vec<FxHashSet<TermId>>,
) {
    let Pattern::Compound(functor, args) = pattern else { return };
    for (i, arg) in args.iter().enumerate() {
        let inner = || {
            members
                .iter()
                .filter_map(|&t| match terms.view(t) {
                    TermView::Compound(f, a) if f == *functor && a.len() == args.len() => Some(a[i]),
                    _ => None,
                })
                .collect::<FxHashSet<TermId>>()
        };
        match arg {
            Pattern::Variable(v) if *v == variable => found.push(inner()),
            Pattern::Compound(..) => inner_values(terms, arg, &inner(), variable, found),
            _ => {}
        }
    }
}

/// How many arguments the literals have that are not in blocks.
fn arguments(body: &[FlatLiteral]) -> u64 {
    let count = |l: &FlatLiteral| if let Literal::Positive(a) = l { a.args.len() + 1 } else { 1 };
    body.iter().map(count).sum::<usize>() as u64
}

fn ground_terms(body: &[FlatLiteral], note: &mut dyn FnMut(&Pattern)) {
    for literal in body {
        match literal {
            Literal::Positive(atom) | Literal::Negative(atom) => {
                atom.args.iter().for_each(&mut *note);
            }
            Literal::Distinct(a, b) | Literal::Equal(a, b) => {
                note(a);
                note(b);
            }
            Literal::Constant(_) => {}
            Literal::Block { alternatives, .. } => {
                alternatives.iter().for_each(|a| ground_terms(a, note));
            }
        }
    }
}

fn ground_parts(pattern: &Pattern, known: &mut FxHashSet<TermId>) {
    match pattern {
        Pattern::Ground(term) => {
            known.insert(*term);
        }
        Pattern::Variable(_) => {}
        Pattern::Compound(_, args) => args.iter().for_each(|a| ground_parts(a, known)),
    }
}

/// The numbering of values: known terms in canonical order first, so that comparing numbers compares
/// terms; any other term is its id past those.
#[derive(Clone, Debug, Default)]
pub(crate) struct Values {
    known: Vec<TermId>,
    numbers: Vec<u32>,
}

impl Values {
    /// How many terms are known.
    pub(crate) fn known(&self) -> u32 {
        self.known.len() as u32
    }

    /// The value of a term.
    #[inline]
    pub(crate) fn number(&self, term: TermId) -> u32 {
        match self.numbers.get(term.index()) {
            Some(&number) if number != u32::MAX => number,
            _ => self.known() + term.index() as u32,
        }
    }

    /// The term of a value.
    #[inline]
    pub(crate) fn term(&self, value: u32) -> TermId {
        match self.known.get(value as usize) {
            Some(&term) => term,
            None => TermId::from_index((value - self.known()) as usize),
        }
    }

    /// The least value that stands for a term in the scratch of a session.
    #[inline]
    pub(crate) fn least_of_scratch(&self) -> u32 {
        self.number(TermId::LEAST_OF_SCRATCH)
    }
}
