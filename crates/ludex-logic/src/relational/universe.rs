//! What variables range over.
//!
//! The constants of a theory are sorted by where they stand: an argument of a relation or function, a variable, and
//! the other side of an equation stand for things of one sort, and two of them have the same sort where a variable
//! stands in both (a domain graph read without direction, book 14.3). A variable ranges over the terms that are met in
//! its sort. One that meets none, or stands in equations only, ranges over all constants, as in 19.2. So the rows of a board are not asked whether
//! they are goals, and sentences that say "and no others" mean others of the sort.
//!
//! A function with a variable in it stands for all terms made of the things of its arguments' sorts. Where such a
//! function is inside itself, there would be no end of terms.

use rustc_hash::{FxHashMap, FxHashSet};

use super::{GroundingError, SentenceId, StatedSentence, Theory};
use crate::budget::Meter;
use crate::ids::{Id, RelationId, SymbolId, TermId, VariableId};
use crate::program::Pattern;
use crate::terms::{TermView, Terms};
use crate::union_find::UnionFind;

/// A place that has a sort.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Place {
    /// An argument of a relation.
    Relation(RelationId, usize),
    /// An argument of a function with so many.
    Function(SymbolId, usize, usize),
    /// A variable of a sentence.
    Variable(SentenceId, VariableId),
}

/// What a sort is made of.
#[derive(Clone, Default)]
struct Members {
    /// Constants, and compound terms that stand there as a whole.
    terms: Vec<TermId>,
    /// Functions with variables in them, and their numbers of arguments.
    functions: Vec<(SymbolId, usize)>,
}

/// The finite universe of a theory, by sorts.
#[derive(Clone, Debug)]
pub struct Universe {
    sorts: FxHashMap<RelationId, Vec<u32>>,
    variables: Vec<Vec<u32>>,
    elements: FxHashMap<u32, Vec<TermId>>,
    everything: Vec<TermId>,
}

impl Universe {
    /// The universe of a theory; `questions` are sentences whose terms belong to it, too, and are numbered after
    /// those of the theory.
    ///
    /// # Errors
    /// [`GroundingError::Endless`] where functions are inside themselves; a limit.
    pub fn new(
        theory: &Theory,
        questions: &[StatedSentence],
        meter: &mut Meter,
        memory: usize,
    ) -> Result<Self, GroundingError> {
        let mut sorting = Sorting::new(&theory.terms);
        for (number, stated) in theory.sentences.iter().chain(questions).enumerate() {
            sorting.stated(SentenceId::from_index(number), stated);
        }
        for [(one, at), (other, there)] in &theory.same_things {
            let pair = [Place::Relation(*one, *at), Place::Relation(*other, *there)];
            let [one, other] = pair.map(|place| sorting.place(place));
            sorting.sets.join(one, other);
        }
        let count = theory.sentences.len() + questions.len();
        let stated = theory.sentences.iter().chain(questions);
        let variables = stated.map(|stated| stated.variables.len()).collect();
        sorting.universe(theory, count, variables, meter, memory)
    }

    /// What an argument of a relation, counted from 0, can be.
    pub fn of_argument(&self, relation: RelationId, argument: usize) -> &[TermId] {
        let sort = self.sorts.get(&relation).and_then(|sorts| sorts.get(argument));
        sort.map_or(&self.everything, |sort| self.of_sort(*sort))
    }

    /// What is met as an argument of a relation, counted from 0, or as something of its sort; it may be nothing.
    pub fn met(&self, relation: RelationId, argument: usize) -> &[TermId] {
        let sort = self.sorts.get(&relation).and_then(|sorts| sorts.get(argument));
        sort.and_then(|sort| self.elements.get(sort)).map_or(&[], |elements| elements)
    }

    /// What a variable of a sentence ranges over.
    pub fn of_variable(&self, sentence: SentenceId, variable: VariableId) -> &[TermId] {
        self.of_sort(self.variables[sentence.index()][variable.index()])
    }

    /// Whether two arguments stand for things of one sort.
    pub fn is_same_sort(&self, one: (RelationId, usize), other: (RelationId, usize)) -> bool {
        let sort = |(relation, at): (RelationId, usize)| self.sorts.get(&relation).and_then(|s| s.get(at));
        sort(one).is_some() && sort(one) == sort(other)
    }

    fn of_sort(&self, sort: u32) -> &[TermId] {
        self.elements.get(&sort).filter(|elements| !elements.is_empty()).unwrap_or(&self.everything)
    }
}

struct Sorting<'a> {
    terms: &'a Terms,
    places: FxHashMap<Place, u32>,
    sets: UnionFind,
    members: Vec<Members>,
    everything: Vec<TermId>,
}

impl<'a> Sorting<'a> {
    fn new(terms: &'a Terms) -> Self {
        Self {
            terms,
            places: FxHashMap::default(),
            sets: UnionFind::new(0),
            members: Vec::new(),
            everything: Vec::new(),
        }
    }

    fn place(&mut self, place: Place) -> u32 {
        if let Some(&number) = self.places.get(&place) {
            return number;
        }
        let number = self.fresh();
        self.places.insert(place, number);
        number
    }

    /// A place without a name.
    fn fresh(&mut self) -> u32 {
        self.members.push(Members::default());
        self.sets.add()
    }

    fn stated(&mut self, sentence: SentenceId, stated: &StatedSentence) {
        use super::Sentence::{Atom, Equal};
        stated.sentence.visit(&mut |part| match part {
            Atom(atom) => {
                for (at, arg) in atom.args.iter().enumerate() {
                    let place = self.place(Place::Relation(atom.relation, at));
                    self.pattern(sentence, arg, place);
                }
            }
            Equal(one, other) => {
                let place = self.fresh();
                self.pattern(sentence, one, place);
                self.pattern(sentence, other, place);
            }
            _ => {}
        });
    }

    /// A term stands in a place.
    fn pattern(&mut self, sentence: SentenceId, pattern: &Pattern, place: u32) {
        match pattern {
            Pattern::Variable(variable) => {
                let variable = self.place(Place::Variable(sentence, *variable));
                self.sets.join(variable, place);
            }
            Pattern::Ground(term) => self.term(*term, place),
            Pattern::Compound(functor, args) => {
                self.members[place as usize].functions.push((*functor, args.len()));
                for (at, arg) in args.iter().enumerate() {
                    let inner = self.place(Place::Function(*functor, args.len(), at));
                    self.pattern(sentence, arg, inner);
                }
            }
        }
    }

    fn term(&mut self, term: TermId, place: u32) {
        let mut open = vec![(term, place)];
        let mut seen = FxHashSet::default();
        while let Some((term, place)) = open.pop() {
            if !seen.insert((term, place)) {
                continue;
            }
            self.members[place as usize].terms.push(term);
            let terms = self.terms;
            match terms.view(term) {
                TermView::Constant(_) => self.everything.push(term),
                TermView::Compound(functor, args) => {
                    for (at, &arg) in args.iter().enumerate() {
                        open.push((arg, self.place(Place::Function(functor, args.len(), at))));
                    }
                }
            }
        }
    }

    fn universe(
        mut self,
        theory: &Theory,
        count: usize,
        variable_counts: Vec<usize>,
        meter: &mut Meter,
        memory: usize,
    ) -> Result<Universe, GroundingError> {
        let terms = self.terms;
        self.everything.sort_unstable_by(|&one, &other| terms.compare(one, other));
        self.everything.dedup();
        let mut variables = Vec::with_capacity(count);
        for (sentence, count) in variable_counts.into_iter().enumerate() {
            let sentence = SentenceId::from_index(sentence);
            let place = |variable| self.place(Place::Variable(sentence, VariableId::from_index(variable)));
            variables.push((0..count).map(place).collect::<Vec<u32>>());
        }
        let mut sorts: FxHashMap<RelationId, Vec<u32>> = FxHashMap::default();
        for (relation, shape) in theory.relations.entries() {
            let places = (0..shape.arity).map(|at| self.place(Place::Relation(relation, at)));
            let places: Vec<u32> = places.collect();
            sorts.insert(relation, places.into_iter().map(|place| self.sets.root(place)).collect());
        }
        for sort in variables.iter_mut().flatten() {
            *sort = self.sets.root(*sort);
        }
        let elements = Elements::of(&self, meter, memory)?;
        Ok(Universe { sorts, variables, elements, everything: self.everything })
    }
}

/// Works out the elements of all sorts, those of a function's arguments before the function's.
struct Elements<'s, 'a> {
    sorting: &'s Sorting<'a>,
    members: FxHashMap<u32, Members>,
    done: FxHashMap<u32, Vec<TermId>>,
    open: FxHashSet<u32>,
}

/// A step of the walk: a sort is entered, or all that it needs is there.
enum Visit {
    Enter(u32),
    Leave(u32),
}

impl Elements<'_, '_> {
    fn of(
        sorting: &Sorting<'_>,
        meter: &mut Meter,
        memory: usize,
    ) -> Result<FxHashMap<u32, Vec<TermId>>, GroundingError> {
        let mut members: FxHashMap<u32, Members> = FxHashMap::default();
        for (place, its) in sorting.members.iter().enumerate() {
            let sort = members.entry(sorting.sets.root(place as u32)).or_default();
            sort.terms.extend_from_slice(&its.terms);
            sort.functions.extend_from_slice(&its.functions);
        }
        let arguments = sorting.places.iter().filter(|(place, _)| !matches!(place, Place::Variable(..)));
        let arguments: FxHashSet<u32> = arguments.map(|(_, &place)| sorting.sets.root(place)).collect();
        members.retain(|sort, _| arguments.contains(sort));
        let mut sorts: Vec<u32> = members.keys().copied().collect();
        sorts.sort_unstable();
        for its in members.values_mut() {
            its.functions.sort_unstable();
            its.functions.dedup();
        }
        let mut elements =
            Elements { sorting, members, done: FxHashMap::default(), open: FxHashSet::default() };
        for sort in sorts {
            elements.visit(sort, meter, memory)?;
        }
        Ok(elements.done)
    }

    fn visit(&mut self, sort: u32, meter: &mut Meter, memory: usize) -> Result<(), GroundingError> {
        let mut visits = vec![Visit::Enter(sort)];
        while let Some(visit) = visits.pop() {
            match visit {
                Visit::Enter(sort) => {
                    if self.done.contains_key(&sort) {
                        continue;
                    }
                    let functions = self.members.get(&sort).map_or(&[][..], |its| &its.functions);
                    if !self.open.insert(sort) {
                        let functor = functions.first().map(|&(functor, _)| functor);
                        let name = functor.map_or("", |functor| self.sorting.terms.name(functor));
                        return Err(GroundingError::Endless { functor: name.to_owned() });
                    }
                    visits.push(Visit::Leave(sort));
                    for &(functor, arity) in functions {
                        visits.extend(self.arguments(functor, arity).into_iter().map(Visit::Enter));
                    }
                }
                Visit::Leave(sort) => {
                    let elements = self.elements(sort, meter, memory)?;
                    self.open.remove(&sort);
                    self.done.insert(sort, elements);
                }
            }
        }
        Ok(())
    }

    /// The sorts of a function's arguments.
    fn arguments(&self, functor: SymbolId, arity: usize) -> Vec<u32> {
        let place = |at| self.sorting.places.get(&Place::Function(functor, arity, at));
        (0..arity).filter_map(|at| place(at).map(|&place| self.sorting.sets.root(place))).collect()
    }

    fn elements(&self, sort: u32, meter: &mut Meter, memory: usize) -> Result<Vec<TermId>, GroundingError> {
        let Some(its) = self.members.get(&sort) else { return Ok(Vec::new()) };
        let mut elements = its.terms.clone();
        for &(functor, arity) in &its.functions {
            let mut tuples: Vec<Vec<TermId>> = vec![Vec::new()];
            for sort in self.arguments(functor, arity) {
                let known = self.done.get(&sort).filter(|known| !known.is_empty());
                let things = known.unwrap_or(&self.sorting.everything);
                let size = tuples.len().saturating_mul(things.len());
                meter.spend(size as u64)?;
                let bytes = size.saturating_mul(size_of::<TermId>() * (arity + 6));
                meter.check_memory(bytes, || format!("terms of {}", self.sorting.terms.name(functor)))?;
                let longer = |tuple: &Vec<TermId>| {
                    let tuple = tuple.clone();
                    things.iter().map(move |&thing| tuple.iter().copied().chain([thing]).collect())
                };
                tuples = tuples.iter().flat_map(longer).collect();
            }
            for tuple in tuples {
                elements.push(self.sorting.terms.try_compound(functor, &tuple, memory)?);
            }
        }
        elements.sort_unstable_by(|&one, &other| self.sorting.terms.compare(one, other));
        elements.dedup();
        Ok(elements)
    }
}
