//! How far apart the steps of a rule are: differences and their bounds.

use ludex_logic::{Atom, Pattern, RelationId, TermId, VariableId};
use rustc_hash::FxHashMap;

use super::chain::{Chain, Facts};
use super::rule::Rule;
use super::step_arguments::StepArguments;

/// What stands for a step in a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum StepTerm {
    Variable(VariableId),
    Ground(TermId),
}

impl StepTerm {
    pub fn of(pattern: &Pattern) -> Option<Self> {
        match pattern {
            Pattern::Variable(variable) => Some(Self::Variable(*variable)),
            Pattern::Ground(term) => Some(Self::Ground(*term)),
            Pattern::Compound(..) => None,
        }
    }
}

/// At least and at most.
pub(super) type Bounds = (i64, i64);

/// The places of some steps, as far as they are known: the difference bounds of each two of them. Number 0 is the first
/// step of the game, the others are those of a [`StepTerms`], from 1 on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Distances {
    count: usize,
    /// `most[a * count + b]`: how much later b is than a, at most.
    most: Vec<i64>,
}

impl Distances {
    /// Steps of which nothing is known but that they are on a chain.
    pub fn new(terms: usize, last: i64) -> Self {
        let count = terms + 1;
        let mut most = vec![last; count * count];
        for at in 0..count {
            most[at * count + at] = 0;
            most[at * count] = 0;
        }
        Self { count, most }
    }

    /// How much later `b` is than `a`.
    pub fn difference(&self, a: usize, b: usize) -> Bounds {
        (-self.most[b * self.count + a], self.most[a * self.count + b])
    }

    /// Says that `b` is so much later than `a`; whether that is possible.
    pub fn restrict(&mut self, a: usize, b: usize, (least, most): Bounds) -> bool {
        let up = &mut self.most[a * self.count + b];
        *up = most.min(*up);
        let down = &mut self.most[b * self.count + a];
        *down = (-least).min(*down);
        self.close()
    }

    /// Shortest paths, by Floyd and Warshall; whether there is no contradiction.
    fn close(&mut self) -> bool {
        let n = self.count;
        for via in 0..n {
            for from in 0..n {
                for to in 0..n {
                    let path = self.most[from * n + via] + self.most[via * n + to];
                    if path < self.most[from * n + to] {
                        self.most[from * n + to] = path;
                    }
                }
            }
        }
        (0..n).all(|at| self.most[at * n + at] >= 0)
    }
}

/// The steps in a rule.
#[derive(Clone, Debug, Default)]
pub(super) struct StepTerms {
    pub all: Vec<StepTerm>,
    /// So many of them, the first ones, are those that atoms speak of. The others only relate these to one another.
    pub spoken_of: usize,
}

impl StepTerms {
    /// Those of the head and of the body, without repetition.
    pub fn of(rule: &Rule<'_>, order: &Order<'_>) -> Self {
        let mut terms = Self::default();
        let mut note = |atom: &Atom| {
            for &place in order.arguments.all(atom.relation) {
                if let Some(term) = atom.args.get(place).and_then(StepTerm::of)
                    && !terms.all.contains(&term)
                {
                    terms.all.push(term);
                }
            }
        };
        note(rule.head());
        rule.atoms(&mut |atom, _, _| note(atom));
        terms.spoken_of = terms.all.len();
        terms.add_between(rule, order);
        terms
    }

    /// Adds the variables that only subgoals which no state decides have, where all that they can be is a step.
    fn add_between(&mut self, rule: &Rule<'_>, order: &Order<'_>) {
        loop {
            let known = self.all.len();
            rule.atoms(&mut |atom, _, need_not_hold| {
                let is_related = atom.args.iter().any(|arg| self.number_of(arg).is_some());
                if need_not_hold || order.arguments.is_dynamic(atom.relation) || !is_related {
                    return;
                }
                let rows = order.facts.rows(atom.relation);
                for (place, arg) in atom.args.iter().enumerate() {
                    if let Pattern::Variable(variable) = arg
                        && self.number_of(arg).is_none()
                        && !rows.is_empty()
                        && rows.iter().all(|row| order.chain.place(row[place]).is_some())
                    {
                        self.all.push(StepTerm::Variable(*variable));
                    }
                }
            });
            if self.all.len() == known {
                return;
            }
        }
    }

    /// Whether an atom speaks of the step with this number, or only relates it to others.
    pub fn is_spoken_of(&self, number: usize) -> bool {
        number <= self.spoken_of
    }

    /// The number of a step in [`Distances`].
    pub fn number(&self, term: StepTerm) -> Option<usize> {
        self.all.iter().position(|known| *known == term).map(|at| at + 1)
    }

    /// The number of the step that an atom speaks of.
    pub fn current(&self, atom: &Atom, order: &Order<'_>) -> Option<usize> {
        self.number_of(&atom.args[order.arguments.current(atom.relation)?])
    }

    /// The number of a pattern.
    pub fn number_of(&self, pattern: &Pattern) -> Option<usize> {
        self.number(StepTerm::of(pattern)?)
    }
}

/// What is known of relations with several steps: by argument that is one, how much earlier it is than the current step. Nothing
/// holds of those that are missing.
pub(super) type Lags = FxHashMap<RelationId, Vec<Bounds>>;

/// All that bounds of steps are worked out from.
pub(super) struct Order<'a> {
    pub arguments: &'a StepArguments,
    pub facts: &'a Facts,
    pub chain: &'a Chain,
}

impl Order<'_> {
    /// What the subgoals of a rule that have to hold say of its steps; `None` where they contradict one another.
    pub fn distances(&self, rule: &Rule<'_>, terms: &StepTerms, lags: &Lags) -> Option<Distances> {
        let mut distances = Distances::new(terms.all.len(), self.chain.last());
        let mut possible = true;
        for term in &terms.all {
            if let (StepTerm::Ground(step), Some(number)) = (*term, terms.number(*term)) {
                let place = self.chain.place(step)?;
                possible &= distances.restrict(0, number, (place, place));
            }
        }
        rule.atoms(&mut |atom, _, need_not_hold| {
            if need_not_hold || !possible {
                return;
            }
            possible &= if self.arguments.is_dynamic(atom.relation) {
                self.by_lags(atom, terms, lags, &mut distances)
            } else {
                self.by_facts(atom, terms, &mut distances)
            };
        });
        possible.then_some(distances)
    }

    fn by_lags(&self, atom: &Atom, terms: &StepTerms, lags: &Lags, distances: &mut Distances) -> bool {
        let places = self.arguments.all(atom.relation);
        if places.len() < 2 {
            return true;
        }
        let Some(lags) = lags.get(&atom.relation) else { return false };
        let Some(current) = terms.current(atom, self) else { return true };
        places.iter().zip(lags).all(|(&place, &lag)| {
            let Some(number) = terms.number_of(&atom.args[place]) else { return true };
            number == current || distances.restrict(number, current, lag)
        })
    }

    fn by_facts(&self, atom: &Atom, terms: &StepTerms, distances: &mut Distances) -> bool {
        let numbers: Vec<Option<usize>> = atom.args.iter().map(|arg| terms.number_of(arg)).collect();
        if numbers.iter().all(Option::is_none) || !self.facts.is_known(atom.relation) {
            return true;
        }
        let mut bounds: Vec<Vec<Option<Bounds>>> = vec![vec![None; numbers.len() + 1]; numbers.len() + 1];
        let mut any = false;
        for row in self.facts.rows(atom.relation) {
            let Some(places) = self.places(row, atom, &numbers) else { continue };
            any = true;
            for (a, &from) in places.iter().enumerate() {
                for (b, &to) in places.iter().enumerate() {
                    if let (Some(from), Some(to)) = (from, to) {
                        let difference = to - from;
                        let (least, most) = bounds[a][b].get_or_insert((difference, difference));
                        (*least, *most) = ((*least).min(difference), (*most).max(difference));
                    }
                }
            }
        }
        if !any {
            return false;
        }
        let with_origin: Vec<Option<usize>> = std::iter::once(Some(0)).chain(numbers).collect();
        for (a, from) in with_origin.iter().enumerate() {
            for (b, to) in with_origin.iter().enumerate().skip(a + 1) {
                if let (Some(from), Some(to), Some(found)) = (*from, *to, bounds[a][b])
                    && from != to
                    && !distances.restrict(from, to, found)
                {
                    return false;
                }
            }
        }
        true
    }

    /// The places of the steps in a row, the origin's first, if the row fits an atom.
    fn places(&self, row: &[TermId], atom: &Atom, numbers: &[Option<usize>]) -> Option<Vec<Option<i64>>> {
        let mut places = vec![Some(0)];
        for ((&term, arg), number) in row.iter().zip(&*atom.args).zip(numbers) {
            if matches!(arg, Pattern::Ground(wanted) if *wanted != term) {
                return None;
            }
            places.push(match number {
                Some(_) => Some(self.chain.place(term)?),
                None => None,
            });
        }
        Some(places)
    }

    /// What follows from the rules about how much earlier the other steps of a relation are than its current one: the least
    /// fixpoint of bounds, widened where it grows slowly.
    pub fn lags(&self, rules: &[Rule<'_>]) -> Lags {
        let mut lags = Lags::default();
        let last = self.chain.last();
        for round in 0.. {
            let mut changed = false;
            for rule in rules {
                let relation = rule.head().relation;
                let places = self.arguments.all(relation);
                if places.len() < 2 {
                    continue;
                }
                let Some(new) = self.lags_of(rule, &lags) else { continue };
                let old = lags.get(&relation);
                let joined: Vec<Bounds> = match old {
                    None => new,
                    Some(old) => old
                        .iter()
                        .zip(&new)
                        .map(|(&(least, most), &(new_least, new_most))| {
                            let widened = round > 3;
                            let least = if new_least >= least {
                                least
                            } else if widened {
                                -last
                            } else {
                                new_least
                            };
                            let most = if new_most <= most {
                                most
                            } else if widened {
                                last
                            } else {
                                new_most
                            };
                            (least, most)
                        })
                        .collect(),
                };
                if old != Some(&joined) {
                    lags.insert(relation, joined);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
        lags
    }

    fn lags_of(&self, rule: &Rule<'_>, lags: &Lags) -> Option<Vec<Bounds>> {
        let terms = StepTerms::of(rule, self);
        let distances = self.distances(rule, &terms, lags)?;
        let head = rule.head();
        let current = terms.current(head, self)?;
        let lag = |&place: &usize| {
            let number = terms.number_of(&head.args[place]);
            number.map_or((-self.chain.last(), self.chain.last()), |number| {
                distances.difference(number, current)
            })
        };
        Some(self.arguments.all(head.relation).iter().map(lag).collect())
    }
}
