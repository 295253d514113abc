//! Sentences over a universe as propositional formulas.
//!
//! A quantifier is a conjunction or disjunction over the things that its variable ranges over. Values are put in one
//! variable after the other, and as soon as a sentence is decided by what is known (equations, and atoms that other
//! sentences fix by themselves, such as `step(1)`), its other instances are not looked at.

use rustc_hash::FxHashMap;

use super::{Edge, Formulas, Sentence, SentenceId, StatedSentence, Theory, Universe};
use crate::budget::{Budget, LimitError, Meter};
use crate::ids::{AtomId, Id, IdVec, RelationId, TermId, VariableId};
use crate::program::{Atom, GroundAtom, Pattern};
use crate::terms::{TermView, Terms};

/// Bytes that an atom costs beside its arguments, with its place in the table.
const BYTES_PER_ATOM: usize = 80;

/// Why there is no grounding.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundingError {
    /// A function with a variable in it is inside itself.
    #[error("there is no end of terms: `{functor}` can stand inside itself")]
    Endless {
        /// The function.
        functor: String,
    },
    /// The work is over a limit.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// How to ground.
#[derive(Clone, Debug)]
pub struct GroundingOptions {
    /// Every sentence is grounded as if it stood alone, so that what follows can be told sentence by sentence.
    pub each_alone: bool,
    /// Limits.
    pub budget: Budget,
}

/// An instance of a sentence.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Root {
    /// The sentence.
    pub sentence: SentenceId,
    /// What it demands.
    pub edge: Edge,
    /// The atom on the left of the equivalence that the instance is, perhaps under antecedents: what it defines, if the
    /// other side is another atom.
    pub left: Option<AtomId>,
}

/// A question with values for its free variables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Instance {
    /// The values, in the order of the free variables.
    pub values: Box<[TermId]>,
    /// What is asked.
    pub edge: Edge,
}

/// A theory as propositional formulas over ground atoms.
#[derive(Clone, Debug)]
pub struct Grounding {
    /// The universe that variables range over.
    pub universe: Universe,
    /// The atoms that occur in formulas.
    pub atoms: IdVec<AtomId, GroundAtom>,
    /// The formulas.
    pub formulas: Formulas,
    /// What the sentences demand.
    pub roots: Vec<Root>,
    /// The instances of each question.
    pub questions: Vec<Vec<Instance>>,
    known: Vec<Option<bool>>,
    by_atom: FxHashMap<GroundAtom, AtomId>,
}

impl Grounding {
    /// Grounds a theory and some questions about it, whose terms belong to the universe, too.
    ///
    /// # Errors
    /// [`GroundingError`].
    pub fn new(
        theory: &Theory,
        questions: &[StatedSentence],
        options: &GroundingOptions,
    ) -> Result<Self, GroundingError> {
        let mut meter = options.budget.meter();
        let memory = options.budget.memory();
        let universe = Universe::new(theory, questions, &mut meter, memory)?;
        let mut grounder = Grounder {
            terms: &theory.terms,
            universe: &universe,
            atoms: Atoms::default(),
            formulas: Formulas::default(),
            known: Vec::new(),
            each_alone: options.each_alone,
            binding: Vec::new(),
            sentence: SentenceId::from_index(0),
            meter,
            memory,
        };
        let roots = grounder.theory(theory)?;
        let mut asked = Vec::with_capacity(questions.len());
        for (number, question) in questions.iter().enumerate() {
            grounder.begin(SentenceId::from_index(theory.sentences.len() + number), question);
            let mut instances = Vec::new();
            grounder.each(&question.free, question, &mut instances)?;
            asked.push(instances);
        }
        let Grounder { atoms, formulas, known, .. } = grounder;
        let Atoms { atoms, by_atom } = atoms;
        Ok(Self { universe, atoms, formulas, roots, questions: asked, known, by_atom })
    }

    /// The id of an atom, if it occurs.
    pub fn find(&self, atom: &GroundAtom) -> Option<AtomId> {
        self.by_atom.get(atom).copied()
    }

    /// An atom as a formula: a constant where a sentence alone fixes its value. One that does not occur is added; then
    /// no sentence says anything about it.
    pub fn edge(&mut self, relation: RelationId, args: &[TermId]) -> Edge {
        let atom = GroundAtom { relation, args: args.into() };
        let id = match self.by_atom.get(&atom) {
            Some(&id) => id,
            None => {
                self.known.push(None);
                let id = self.atoms.push(atom.clone());
                self.by_atom.insert(atom, id);
                id
            }
        };
        match self.known[id.index()] {
            Some(value) => Edge::constant(value),
            None => self.formulas.atom(id),
        }
    }

    /// As [`Grounding::edge`], of an atom that occurs.
    pub fn find_edge(&self, atom: &GroundAtom) -> Option<Edge> {
        let id = self.find(atom)?;
        match self.known[id.index()] {
            Some(value) => Some(Edge::constant(value)),
            None => self.formulas.find_atom(id),
        }
    }

    /// The atoms of a relation.
    pub fn of_relation(&self, relation: RelationId) -> impl Iterator<Item = (AtomId, &[TermId])> {
        let atoms = self.atoms.entries().filter(move |(_, atom)| atom.relation == relation);
        atoms.map(|(id, atom)| (id, &*atom.args))
    }
}

#[derive(Default)]
struct Atoms {
    atoms: IdVec<AtomId, GroundAtom>,
    by_atom: FxHashMap<GroundAtom, AtomId>,
}

struct Grounder<'a> {
    terms: &'a Terms,
    universe: &'a Universe,
    atoms: Atoms,
    formulas: Formulas,
    /// The value of each atom that sentences fix.
    known: Vec<Option<bool>>,
    each_alone: bool,
    binding: Vec<Option<TermId>>,
    sentence: SentenceId,
    meter: Meter,
    memory: usize,
}

impl Grounder<'_> {
    /// Sentences with one atom come first, and of the others those with few variables: they say what is fixed.
    fn theory(&mut self, theory: &Theory) -> Result<Vec<Root>, GroundingError> {
        let mut order: Vec<SentenceId> = theory.sentences.ids().collect();
        order.sort_by_cached_key(|&sentence| {
            let stated = &theory.sentences[sentence];
            let mut atoms = 0;
            stated.sentence.atoms(&mut |_| atoms += 1);
            (atoms > 1, stated.variables.len())
        });
        let mut roots = Vec::new();
        for sentence in order {
            let stated = &theory.sentences[sentence];
            self.begin(sentence, stated);
            let mut instances = Vec::new();
            self.every(&stated.free, &stated.sentence, &mut instances)?;
            for (edge, left) in instances {
                self.fix(edge);
                roots.push(Root { sentence, edge, left });
            }
        }
        Ok(roots)
    }

    /// The atom on the left of an equivalence all of whose free variables have values.
    fn left(&self, mut sentence: &Sentence) -> Result<Option<AtomId>, GroundingError> {
        while let Sentence::Implies(_, consequent) = sentence {
            sentence = consequent;
        }
        let Sentence::Iff(one, _) = sentence else { return Ok(None) };
        let Sentence::Atom(atom) = &**one else { return Ok(None) };
        Ok(self.instance(atom)?.and_then(|atom| self.atoms.by_atom.get(&atom).copied()))
    }

    fn begin(&mut self, sentence: SentenceId, stated: &StatedSentence) {
        self.sentence = sentence;
        self.binding.clear();
        self.binding.resize(stated.variables.len(), None);
    }

    /// What is demanded is known from now on, where it is an atom or its negation. A contradiction stays for the solver.
    fn fix(&mut self, edge: Edge) {
        if self.each_alone {
            return;
        }
        if let Some((atom, value)) = self.formulas.literal(edge) {
            self.known[atom.index()].get_or_insert(value);
        }
    }

    /// Adds what every instance demands, with the atom on its left.
    fn every(
        &mut self,
        variables: &[VariableId],
        sentence: &Sentence,
        demands: &mut Vec<(Edge, Option<AtomId>)>,
    ) -> Result<(), GroundingError> {
        match self.value(sentence)? {
            Some(true) => return Ok(()),
            Some(false) if variables.is_empty() => {
                demands.push((Edge::FALSE, None));
                return Ok(());
            }
            _ => {}
        }
        let Some((&first, rest)) = variables.split_first() else {
            let edge = self.ground(sentence)?;
            if edge != Edge::TRUE {
                demands.push((edge, self.left(sentence)?));
            }
            return Ok(());
        };
        let universe = self.universe;
        for &thing in universe.of_variable(self.sentence, first) {
            self.binding[first.index()] = Some(thing);
            self.every(rest, sentence, demands)?;
            if demands.last().is_some_and(|demand| demand.0 == Edge::FALSE) {
                break;
            }
        }
        self.binding[first.index()] = None;
        Ok(())
    }

    /// Adds every instance of a question.
    fn each(
        &mut self,
        variables: &[VariableId],
        question: &StatedSentence,
        instances: &mut Vec<Instance>,
    ) -> Result<(), GroundingError> {
        let Some((&first, rest)) = variables.split_first() else {
            let edge = self.ground(&question.sentence)?;
            let values = question.free.iter().filter_map(|variable| self.binding[variable.index()]);
            instances.push(Instance { values: values.collect(), edge });
            let bytes = instances.len() * (size_of::<Instance>() + size_of::<TermId>() * question.free.len());
            self.meter.check_memory(bytes, || "instances of a question".to_owned())?;
            return Ok(());
        };
        let universe = self.universe;
        for &thing in universe.of_variable(self.sentence, first) {
            self.binding[first.index()] = Some(thing);
            self.each(rest, question, instances)?;
        }
        self.binding[first.index()] = None;
        Ok(())
    }

    /// The value of a sentence, some of whose variables may have no value yet, where what is known decides it.
    fn value(&mut self, sentence: &Sentence) -> Result<Option<bool>, GroundingError> {
        self.meter.spend(1)?;
        Ok(match sentence {
            Sentence::Atom(atom) => self.known_value(atom)?,
            Sentence::Equal(one, other) => self.equal(one, other),
            Sentence::Not(part) => self.value(part)?.map(|value| !value),
            Sentence::And(parts) => self.value_of_all(parts, true)?,
            Sentence::Or(parts) => self.value_of_all(parts, false)?,
            Sentence::Implies(one, other) => match self.value(one)? {
                Some(false) => Some(true),
                Some(true) => self.value(other)?,
                None => self.value(other)?.filter(|&value| value),
            },
            Sentence::Iff(one, other) => match self.value(one)? {
                None => None,
                Some(value) => self.value(other)?.map(|other| value == other),
            },
            Sentence::ForAll(variable, scope) | Sentence::Exists(variable, scope) => {
                let all = self.universe.of_variable(self.sentence, *variable);
                if all.is_empty() { None } else { self.value(scope)? }
            }
        })
    }

    /// The value of a conjunction (`unit` is true) or disjunction (`unit` is false).
    fn value_of_all(&mut self, parts: &[Sentence], unit: bool) -> Result<Option<bool>, GroundingError> {
        let mut all_known = true;
        for part in parts {
            match self.value(part)? {
                Some(value) if value != unit => return Ok(Some(!unit)),
                Some(_) => {}
                None => all_known = false,
            }
        }
        Ok(all_known.then_some(unit))
    }

    fn known_value(&mut self, atom: &Atom) -> Result<Option<bool>, GroundingError> {
        if self.each_alone {
            return Ok(None);
        }
        let Some(atom) = self.instance(atom)? else { return Ok(None) };
        let known = self.atoms.by_atom.get(&atom);
        Ok(known.and_then(|id| self.known[id.index()]))
    }

    fn instance(&self, atom: &Atom) -> Result<Option<GroundAtom>, GroundingError> {
        let mut args = Vec::with_capacity(atom.args.len());
        for arg in &atom.args {
            match self.term(arg)? {
                Some(term) => args.push(term),
                None => return Ok(None),
            }
        }
        Ok(Some(GroundAtom { relation: atom.relation, args: args.into() }))
    }

    fn term(&self, pattern: &Pattern) -> Result<Option<TermId>, LimitError> {
        match pattern {
            Pattern::Ground(term) => Ok(Some(*term)),
            Pattern::Variable(variable) => Ok(self.binding[variable.index()]),
            Pattern::Compound(functor, args) => {
                let mut terms = Vec::with_capacity(args.len());
                for arg in args {
                    match self.term(arg)? {
                        Some(term) => terms.push(term),
                        None => return Ok(None),
                    }
                }
                self.terms.try_compound(*functor, &terms, self.memory).map(Some)
            }
        }
    }

    /// Whether two terms are the same, where that is decided. They differ as soon as parts of them differ that have
    /// values, whatever the others are; so an instance of `X=cell(M,N)` is given up at the first wrong `M`.
    fn equal(&self, one: &Pattern, other: &Pattern) -> Option<bool> {
        match (self.value_of(one), self.value_of(other)) {
            (Some(term), _) => self.is_term(other, term),
            (_, Some(term)) => self.is_term(one, term),
            (None, None) => match (one, other) {
                (Pattern::Compound(functor, args), Pattern::Compound(other, others)) => {
                    if functor != other || args.len() != others.len() {
                        return Some(false);
                    }
                    all_equal(args.iter().zip(others).map(|(one, other)| self.equal(one, other)))
                }
                _ => (one == other).then_some(true),
            },
        }
    }

    /// The value of a variable that has one, or of a term without variables.
    fn value_of(&self, pattern: &Pattern) -> Option<TermId> {
        match pattern {
            Pattern::Ground(term) => Some(*term),
            Pattern::Variable(variable) => self.binding[variable.index()],
            Pattern::Compound(..) => None,
        }
    }

    /// Whether a pattern stands for a term, where that is decided.
    fn is_term(&self, pattern: &Pattern, term: TermId) -> Option<bool> {
        let Pattern::Compound(functor, args) = pattern else {
            return self.value_of(pattern).map(|value| value == term);
        };
        match self.terms.view(term) {
            TermView::Compound(own, parts) if own == *functor && parts.len() == args.len() => {
                all_equal(args.iter().zip(parts).map(|(arg, &part)| self.is_term(arg, part)))
            }
            _ => Some(false),
        }
    }

    fn ground(&mut self, sentence: &Sentence) -> Result<Edge, GroundingError> {
        self.meter.spend(1)?;
        Ok(match sentence {
            Sentence::Atom(atom) => self.atom(atom)?,
            // All variables have values here, as below in an atom.
            Sentence::Equal(one, other) => Edge::constant(self.equal(one, other) == Some(true)),
            Sentence::Not(part) => !self.ground(part)?,
            Sentence::And(parts) => {
                let parts = parts.iter().map(|part| self.ground(part)).collect::<Result<_, _>>()?;
                self.formulas.and(parts)
            }
            Sentence::Or(parts) => {
                let parts = parts.iter().map(|part| self.ground(part)).collect::<Result<_, _>>()?;
                self.formulas.or(parts)
            }
            Sentence::Implies(one, other) => {
                let (one, other) = (self.ground(one)?, self.ground(other)?);
                self.formulas.or(vec![!one, other])
            }
            Sentence::Iff(one, other) => {
                let (one, other) = (self.ground(one)?, self.ground(other)?);
                self.formulas.iff(one, other)
            }
            Sentence::ForAll(variable, scope) => {
                let parts = self.instances(*variable, scope, true)?;
                self.formulas.and(parts)
            }
            Sentence::Exists(variable, scope) => {
                let parts = self.instances(*variable, scope, false)?;
                self.formulas.or(parts)
            }
        })
    }

    /// The instances of a scope that matter: in a conjunction (`unit` is true) those that may be false, in a
    /// disjunction those that may be true.
    fn instances(
        &mut self,
        variable: VariableId,
        scope: &Sentence,
        unit: bool,
    ) -> Result<Vec<Edge>, GroundingError> {
        let universe = self.universe;
        let mut parts = Vec::new();
        for &thing in universe.of_variable(self.sentence, variable) {
            self.binding[variable.index()] = Some(thing);
            match self.value(scope)? {
                Some(value) if value == unit => {}
                Some(value) => {
                    parts.clear();
                    parts.push(Edge::constant(value));
                    break;
                }
                None => parts.push(self.ground(scope)?),
            }
        }
        self.binding[variable.index()] = None;
        Ok(parts)
    }

    fn atom(&mut self, atom: &Atom) -> Result<Edge, GroundingError> {
        // All variables have values here: free ones and those of the quantifiers around.
        let Some(atom) = self.instance(atom)? else { return Ok(Edge::FALSE) };
        let id = match self.atoms.by_atom.get(&atom) {
            Some(&id) => id,
            None => {
                let bytes = self.atoms.atoms.len() * BYTES_PER_ATOM + self.formulas.bytes();
                self.meter.check_memory(bytes, || "ground sentences".to_owned())?;
                self.known.push(None);
                let id = self.atoms.atoms.push(atom.clone());
                self.atoms.by_atom.insert(atom, id);
                id
            }
        };
        Ok(match self.known[id.index()] {
            Some(value) => Edge::constant(value),
            None => self.formulas.atom(id),
        })
    }
}

/// Whether all pairs are equal, where that is decided: one that is not decides it.
fn all_equal(pairs: impl Iterator<Item = Option<bool>>) -> Option<bool> {
    let mut equal = Some(true);
    for pair in pairs {
        match pair {
            Some(false) => return pair,
            Some(true) => {}
            None => equal = None,
        }
    }
    equal
}
