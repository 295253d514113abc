//! What was learned of a relation: rules, and what they say of other states.

use crate::bits::Bits;
use crate::language::{Language, Test};
use crate::observations::{Observations, Target};
use crate::table::{Asked, Row};
use crate::vocabulary::{RelationId, Vocabulary};

/// A rule: the atom holds where all tests hold and no exception does.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub tests: Vec<Test>,
    pub exceptions: Vec<Vec<Test>>,
    /// How long it is.
    pub cost: f32,
    /// Of how many examples that were learned from it says that the atom holds.
    pub support: usize,
}

/// What was learned of one relation.
#[derive(Debug)]
pub struct Learned {
    pub(crate) relation: RelationId,
    pub(crate) language: Language,
    pub(crate) rules: Vec<Rule>,
}

/// How often what was learned says the right thing.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Score {
    /// Atoms that held and are said to hold.
    pub true_positives: u64,
    /// Atoms that held and are not said to.
    pub false_negatives: u64,
    /// Atoms that did not hold and are not said to.
    pub true_negatives: u64,
    /// Atoms that did not hold and are said to.
    pub false_positives: u64,
}

impl Score {
    /// The mean of two shares: of what held, how much is said to hold; of what did not, how much is not said to. A
    /// share of nothing is whole.
    pub fn balanced_accuracy(&self) -> f64 {
        let share = |right: u64, wrong: u64| match right + wrong {
            0 => 1.0,
            all => right as f64 / all as f64,
        };
        let held = share(self.true_positives, self.false_negatives);
        f64::midpoint(held, share(self.true_negatives, self.false_positives))
    }

    /// Whether nothing is said wrongly.
    pub fn is_perfect(&self) -> bool {
        self.false_negatives + self.false_positives == 0
    }

    /// Both together.
    pub fn add(&mut self, other: Self) {
        self.true_positives += other.true_positives;
        self.false_negatives += other.false_negatives;
        self.true_negatives += other.true_negatives;
        self.false_positives += other.false_positives;
    }

    /// One atom more, that held or did not, and is said to or not.
    pub(crate) fn count(&mut self, held: bool, said: bool) {
        *match (held, said) {
            (true, true) => &mut self.true_positives,
            (true, false) => &mut self.false_negatives,
            (false, false) => &mut self.true_negatives,
            (false, true) => &mut self.false_positives,
        } += 1;
    }
}

/// So many examples are looked at together.
pub(crate) const TOGETHER: usize = 1 << 14;

impl Learned {
    /// Of which rows the atom is said to hold. The rows are in the order of their states.
    pub(crate) fn holds(&self, asked: Asked<'_>, rows: &[Row]) -> Bits {
        let mut tests: Vec<&Test> = Vec::new();
        for rule in &self.rules {
            for test in rule.tests.iter().chain(rule.exceptions.iter().flatten()) {
                if !tests.contains(&test) {
                    tests.push(test);
                }
            }
        }
        let answers = asked.answers(&tests, rows);
        let all = Bits::of(rows.len(), |_| true);
        let conjunction = |of: &[Test]| {
            of.iter().fold(all.clone(), |holds, test| match tests.iter().position(|&known| known == test) {
                Some(place) => holds.and(&answers[place]),
                None => holds,
            })
        };
        let mut holds = Bits::none(rows.len());
        for rule in &self.rules {
            let exceptions = rule.exceptions.iter();
            holds.add(&exceptions.fold(conjunction(&rule.tests), |left, it| left.without(&conjunction(it))));
        }
        holds
    }

    /// Compares what is said of states with what held in them; `wrong` is told each example of which it is wrong.
    pub(crate) fn compare(
        &self,
        observed: &Observations,
        target: &Target,
        vocabulary: &Vocabulary,
        states: impl Iterator<Item = usize>,
        mut wrong: impl FnMut(Row, bool),
    ) -> Score {
        let asked = Asked { vocabulary, observed, language: &self.language, atoms: &target.atoms };
        let mut score = Score::default();
        let mut rows: Vec<Row> = Vec::new();
        let mut held: Vec<bool> = Vec::new();
        let mut flush = |rows: &mut Vec<Row>, held: &mut Vec<bool>| {
            let said = self.holds(asked, rows);
            for (place, (&row, &held)) in rows.iter().zip(held.iter()).enumerate() {
                score.count(held, said.contains(place));
                if held != said.contains(place) {
                    wrong(row, held);
                }
            }
            rows.clear();
            held.clear();
        };
        for number in states {
            let (state, positive) = &target.seen[number];
            // Of moves made, it is not known what else was legal.
            if target.is_whole {
                for atom in 0..target.atoms.len() as u32 {
                    rows.push((*state, atom));
                    held.push(positive.binary_search(&atom).is_ok());
                }
            } else {
                rows.extend(positive.iter().map(|&atom| (*state, atom)));
                held.resize(rows.len(), true);
            }
            if rows.len() >= TOGETHER {
                flush(&mut rows, &mut held);
            }
        }
        for (state, atoms) in &target.denied {
            rows.extend(atoms.iter().map(|&atom| (*state, atom)));
            held.resize(rows.len(), false);
        }
        flush(&mut rows, &mut held);
        score
    }

    /// How often it says the right thing of other states of the same game.
    pub fn score(&self, observed: &Observations, target: &Target, vocabulary: &Vocabulary) -> Score {
        self.compare(observed, target, vocabulary, 0..target.seen.len(), |_, _| {})
    }

    /// How long the rules are: what stands in them, counted.
    pub fn cost(&self) -> f32 {
        self.rules.iter().map(|rule| rule.cost).sum()
    }

    /// The relation that it was learned of.
    pub fn relation(&self) -> RelationId {
        self.relation
    }

    /// Of how many examples that were learned from each rule says that the atom holds.
    pub fn support(&self) -> impl Iterator<Item = usize> + '_ {
        self.rules.iter().map(|rule| rule.support)
    }

    /// How many rules there are.
    pub fn rules(&self) -> usize {
        self.rules.len()
    }
}
