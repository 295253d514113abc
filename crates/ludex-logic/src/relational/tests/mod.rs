//! Reasoning compared with the definitions: all truth assignments, one after the other.

mod random;

use std::sync::Arc;

use random::Random;

use super::{
    Answer, Assignment, Grounding, GroundingError, GroundingOptions, PremiseId, Reasoner, Sentence,
    StatedSentence, Theory,
};
use crate::budget::Budget;
use crate::ids::{Id, IdVec, RelationId, TermId, VariableId};
use crate::program::{Atom, Pattern};
use crate::terms::Terms;

/// Objects a and b, relations p and q of one and two arguments, all of one sort: the language of 19.2.
struct Language {
    theory: Theory,
    objects: Vec<TermId>,
    p: RelationId,
    q: RelationId,
}

impl Language {
    fn new() -> Self {
        let terms = Arc::new(Terms::new());
        let mut theory = Theory::new(Arc::clone(&terms));
        let p = theory.relation(terms.symbol("p"), 1);
        let q = theory.relation(terms.symbol("q"), 2);
        theory.same_things = vec![[(p, 0), (q, 0)], [(p, 0), (q, 1)]];
        let objects = ["a", "b"].map(|name| terms.constant(name)).to_vec();
        let mut language = Self { theory, objects, p, q };
        // Both objects are met, whatever else is said.
        for object in language.objects.clone() {
            let atom = language.p(Pattern::Ground(object));
            let tautology = Sentence::Or(vec![atom.clone(), Sentence::Not(Box::new(atom))]);
            language.state(tautology, 0, Vec::new());
        }
        language
    }

    fn p(&self, of: Pattern) -> Sentence {
        Sentence::Atom(Atom { relation: self.p, args: Box::new([of]) })
    }

    fn q(&self, one: Pattern, other: Pattern) -> Sentence {
        Sentence::Atom(Atom { relation: self.q, args: Box::new([one, other]) })
    }

    fn stated(&self, sentence: Sentence, variables: usize, free: Vec<VariableId>) -> StatedSentence {
        let names = (0..variables).map(|number| self.theory.terms.symbol(&format!("X{number}")));
        StatedSentence { sentence, variables: names.collect(), free }
    }

    fn state(&mut self, sentence: Sentence, variables: usize, free: Vec<VariableId>) {
        let stated = self.stated(sentence, variables, free);
        self.theory.sentences.push(stated);
    }

    /// All ground atoms.
    fn atoms(&self) -> Vec<(RelationId, Vec<TermId>)> {
        let mut atoms: Vec<_> = self.objects.iter().map(|&object| (self.p, vec![object])).collect();
        for &one in &self.objects {
            atoms.extend(self.objects.iter().map(|&other| (self.q, vec![one, other])));
        }
        atoms
    }

    /// All truth assignments that satisfy the theory.
    fn models(&self) -> Vec<Assignment> {
        let atoms = self.atoms();
        let mut models = Vec::new();
        for chosen in 0..1u32 << atoms.len() {
            let mut assignment = Assignment { objects: self.objects.clone(), ..Assignment::default() };
            for (at, (relation, args)) in atoms.iter().enumerate() {
                if chosen >> at & 1 == 1 {
                    assignment.set(*relation, args);
                }
            }
            if self.theory.sentences.iter().all(|stated| assignment.satisfies(&self.theory.terms, stated)) {
                models.push(assignment);
            }
        }
        models
    }
}

fn options(each_alone: bool) -> GroundingOptions {
    GroundingOptions { each_alone, budget: Budget::unlimited() }
}

fn variable(number: usize) -> Pattern {
    Pattern::Variable(VariableId::from_index(number))
}

/// The assignment of 19.2.
fn assignment_of_the_book(language: &Language) -> Assignment {
    let [a, b] = [language.objects[0], language.objects[1]];
    let mut assignment = Assignment { objects: language.objects.clone(), ..Assignment::default() };
    assignment.set(language.p, &[a]);
    assignment.set(language.q, &[a, a]);
    assignment.set(language.q, &[b, a]);
    assignment
}

#[test]
fn the_sentences_of_the_book_have_its_truth_values() {
    let language = Language::new();
    let assignment = assignment_of_the_book(&language);
    let [x, y] = [VariableId::from_index(0), VariableId::from_index(1)];
    let implies = |one, other| Sentence::Implies(Box::new(one), Box::new(other));
    let diagonal = implies(language.p(variable(0)), language.q(variable(0), variable(0)));
    let holds =
        |sentence, free| assignment.satisfies(&language.theory.terms, &language.stated(sentence, 2, free));
    // AX:(p(X) => q(X,X)), and the same with a free variable.
    assert!(holds(Sentence::ForAll(x, Box::new(diagonal.clone())), vec![]));
    assert!(holds(diagonal, vec![x]));
    // AX:EY:q(X,Y), but not EY:AX:q(X,Y) with b for Y, nor AX:p(X).
    let q = language.q(variable(0), variable(1));
    let some = Sentence::Exists(y, Box::new(q.clone()));
    assert!(holds(Sentence::ForAll(x, Box::new(some)), vec![]));
    assert!(!holds(Sentence::ForAll(x, Box::new(Sentence::ForAll(y, Box::new(q)))), vec![]));
    assert!(!holds(language.p(variable(0)), vec![x]));
    assert!(holds(Sentence::Exists(x, Box::new(language.p(variable(0)))), vec![]));
}

/// Every answer about random sentences is that of all their models.
#[test]
fn answers_are_those_of_all_models() {
    let mut contradictory = 0;
    for seed in 0..400 {
        let mut random = Random::new(seed);
        let mut language = Language::new();
        for _ in 0..1 + random.below(4) {
            let (sentence, variables, free) = random.sentence(&language, 4);
            language.state(sentence, variables, free);
        }
        let (sentence, variables, free) = random.sentence(&language, 4);
        let question = language.stated(sentence, variables, free);
        let models = language.models();
        let holding =
            models.iter().filter(|model| model.satisfies(&language.theory.terms, &question)).count();
        let expected = match (holding, models.len()) {
            (_, 0) => Answer::Contradictory,
            (0, _) => Answer::Refuted,
            (holding, all) if holding == all => Answer::Entailed,
            _ => Answer::Unknown,
        };
        contradictory += usize::from(models.is_empty());
        for each_alone in [false, true] {
            check(&language, &question, each_alone, expected, models.len(), seed);
        }
    }
    assert!(contradictory > 20, "{contradictory}");
}

fn check(
    language: &Language,
    question: &StatedSentence,
    each_alone: bool,
    expected: Answer,
    models: usize,
    seed: u64,
) {
    let theory = &language.theory;
    let mut grounding = Grounding::new(theory, std::slice::from_ref(question), &options(each_alone)).unwrap();
    let edges: Vec<_> =
        language.atoms().iter().map(|(relation, args)| grounding.edge(*relation, args)).collect();
    let instances = grounding.questions[0].iter().map(|instance| instance.edge).collect();
    let all = grounding.formulas.and(instances);
    let meter = Budget::unlimited().meter();
    let mut reasoner = Reasoner::new(&grounding, theory.sentences.len(), |_| false, meter);
    let moment = reasoner.add_moment(&grounding).unwrap();
    let asked = reasoner.literal(&grounding, moment, all).unwrap();
    assert_eq!(reasoner.answer(asked, &[]).unwrap(), expected, "seed {seed}, each alone: {each_alone}");
    let literals: Vec<_> =
        edges.iter().map(|&edge| reasoner.literal(&grounding, moment, edge).unwrap()).collect();
    let mut found = 0;
    assert!(reasoner.combinations(&literals, &[], 64, |_| found += 1).unwrap());
    assert_eq!(found, models, "seed {seed}, each alone: {each_alone}");
    // Once more: what was found is not forbidden for ever.
    assert_eq!(reasoner.answer(asked, &[]).unwrap(), expected);
    if each_alone && expected == Answer::Contradictory {
        let needed = reasoner.contradiction(&[]).unwrap().unwrap();
        minimal(language, &needed, seed);
    }
}

/// Those sentences contradict each other, and no longer if one of them is left out.
fn minimal(language: &Language, needed: &[PremiseId], seed: u64) {
    let only = |keep: &dyn Fn(usize) -> bool| {
        let mut fewer = Language::new();
        let theory = &language.theory;
        let sentences = theory.sentences.entries().filter(|(id, _)| keep(id.index()));
        fewer.theory = Theory {
            sentences: IdVec::from(sentences.map(|(_, s)| s.clone()).collect::<Vec<_>>()),
            ..theory.clone()
        };
        fewer.objects.clone_from(&language.objects);
        fewer.models().len()
    };
    let needed: Vec<usize> = needed.iter().map(|premise| premise.index()).collect();
    assert_eq!(only(&|number| needed.contains(&number)), 0, "seed {seed}");
    for left_out in &needed {
        assert_ne!(only(&|number| needed.contains(&number) && number != *left_out), 0, "seed {seed}");
    }
}

#[test]
fn functions_inside_themselves_have_no_end() {
    let mut language = Language::new();
    let successor = language.theory.terms.symbol("s");
    let next = Pattern::Compound(successor, Box::new([variable(0)]));
    let grows = Sentence::Implies(Box::new(language.p(variable(0))), Box::new(language.p(next)));
    language.state(grows, 1, vec![VariableId::from_index(0)]);
    let error = Grounding::new(&language.theory, &[], &options(false)).unwrap_err();
    assert_eq!(error, GroundingError::Endless { functor: "s".into() });
}

#[test]
fn limits_hold() {
    let mut language = Language::new();
    let names: Vec<VariableId> = (0..20).map(VariableId::from_index).collect();
    let parts = names.iter().map(|&v| language.q(Pattern::Variable(v), Pattern::Variable(v))).collect();
    let mut sentence = Sentence::Or(parts);
    for &name in &names {
        sentence = Sentence::Exists(name, Box::new(sentence));
    }
    language.state(sentence, 20, Vec::new());
    let options = GroundingOptions { each_alone: true, budget: Budget::unlimited().with_work(10_000) };
    let error = Grounding::new(&language.theory, &[], &options).unwrap_err();
    assert!(matches!(error, GroundingError::Limit(_)), "{error}");
}

#[test]
fn a_term_is_compared_with_a_function_argument_by_argument() {
    let terms = Arc::new(Terms::new());
    let mut theory = Theory::new(Arc::clone(&terms));
    let held = theory.relation(terms.symbol("held"), 1);
    let cell = terms.symbol("cell");
    let atom = |of: Pattern| Sentence::Atom(Atom { relation: held, args: Box::new([of]) });
    let mut state = |sentence: Sentence, names: usize, free: usize| {
        let variables = (0..names).map(|number| terms.symbol(&format!("X{number}"))).collect();
        let free = (0..free).map(VariableId::from_index).collect();
        theory.sentences.push(StatedSentence { sentence, variables, free });
    };
    const SIDE: usize = 40;
    for number in 0..SIDE {
        let place = terms.constant(&number.to_string());
        state(atom(Pattern::Ground(terms.compound(cell, &[place, place]))), 0, 0);
    }
    state(atom(Pattern::Ground(terms.constant("other"))), 0, 0);
    // What is no cell is not held: `AM:AN:X!=cell(M,N) => ~held(X)`.
    let [x, m, n] = [0, 1, 2].map(VariableId::from_index);
    let pattern = Pattern::Compound(cell, Box::new([Pattern::Variable(m), Pattern::Variable(n)]));
    let unequal = Sentence::Not(Box::new(Sentence::Equal(Pattern::Variable(x), pattern)));
    let every = Sentence::ForAll(m, Box::new(Sentence::ForAll(n, Box::new(unequal))));
    let denied = Sentence::Not(Box::new(atom(Pattern::Variable(x))));
    state(Sentence::Implies(Box::new(every), Box::new(denied)), 3, 1);
    // Each of 1600 cells is compared with 40 columns and 40 rows, not with 1600 cells.
    let budget = Budget::unlimited().with_work(2_000_000);
    let options = GroundingOptions { each_alone: false, budget };
    let grounding = Grounding::new(&theory, &[], &options).unwrap();
    // The sentence about no cell contradicts the fact.
    assert_eq!(grounding.universe.of_argument(held, 0).len(), SIDE * SIDE + 1);
    assert_eq!(grounding.roots.iter().filter(|root| root.edge == super::Edge::FALSE).count(), 1);
}
