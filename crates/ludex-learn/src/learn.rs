//! Learning what a relation follows from.

use std::hash::{Hash, Hasher};

use ludex_game::Rng;
use ludex_logic::{Budget, LimitError, Meter};
use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::bits::Bits;
use crate::columns::Columns;
use crate::cover::{Conjunction, Cover, Sides, Tests};
use crate::hypothesis::{Learned, Rule, Score};
use crate::language::{Language, REACHES, Reach, Test};
use crate::observations::{Observations, Target};
use crate::table::{Asked, Row};
use crate::vocabulary::Vocabulary;

/// How is learned.
#[derive(Clone, Copy, Debug)]
pub struct LearnOptions {
    /// Decides all chances.
    pub seed: u64,
    /// So many examples are learned from at a time.
    pub examples: usize,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self { seed: 1, examples: 5_000 }
    }
}

/// One state in so many is kept for the choice of the language.
const HELD_OUT: u64 = 4;
/// So many examples are compared with rules at most.
const MOST_ROWS: usize = 1 << 20;
/// How often examples of which the rules are wrong are learned from, too.
const CORRECTIONS: usize = 8;
/// So many of them at a time.
const CORRECTED: usize = 1500;
/// What a positive example costs that no rule explains.
const MISSED: f32 = 10.0;
/// Rules that cost so much are simple enough to need no other language where they are right.
const SIMPLE: f32 = 28.0;
/// Rules that would cost more are given up where there is another language to try.
const COSTLIEST: f32 = 80.0;
/// What is said of exceptions costs more than what is said at once.
const EXCEPTION: f32 = 1.6;
/// Where more than one example in so many is like one of which the atom does not hold, another language is tried.
const ALIKE: usize = 200;
/// So many tests are tried as what rules have exceptions from.
const GUARDS: usize = 3;

/// What was learned, and how it fits.
#[derive(Debug)]
pub struct Fit {
    /// The rules.
    pub learned: Learned,
    /// What they say of all that was observed, or where that is very much, of states at even distances.
    pub score: Score,
    /// What rules in the same language, from three states of four, say of the fourth.
    pub held_out: Score,
    /// Why learning ended before it was done, where it did.
    pub stopped: Option<LimitError>,
}

/// Learns what a relation follows from.
///
/// The language of rules grows until rules in it that were learned of three states of four are right about the
/// fourth. Then they are learned of all; where there are too many examples for that, of some, and of those of which
/// the rules are wrong.
pub(crate) fn learn(
    observed: &Observations,
    target: &Target,
    vocabulary: &Vocabulary,
    columns: &Columns,
    options: LearnOptions,
    budget: &Budget,
) -> Fit {
    let learner = Learner { observed, target, vocabulary, columns, options };
    learner.learn(&mut budget.meter())
}

struct Learner<'a> {
    observed: &'a Observations,
    target: &'a Target,
    vocabulary: &'a Vocabulary,
    columns: &'a Columns,
    options: LearnOptions,
}

/// Rules in a language, and how they fit.
struct Tried {
    reach: Reach,
    learned: Learned,
    held_out: Score,
    /// What they say wrongly of what they were learned from and of what was held out: a share of each.
    wrong: f64,
}

/// Rows with what is known of them.
#[derive(Clone, Default)]
struct Examples {
    rows: Vec<Row>,
    held: Vec<bool>,
}

impl Learner<'_> {
    fn learn(&self, meter: &mut Meter) -> Fit {
        // Where states or atoms are very many, states at even distances stand for all.
        let most = (MOST_ROWS / self.target.atoms.len().max(1)).max(1);
        let all: Vec<usize> =
            (0..self.target.seen.len()).step_by(self.target.seen.len().div_ceil(most).max(1)).collect();
        let is_held_out = |&number: &usize| self.chance(number as u64, 0).is_multiple_of(HELD_OUT);
        let (test, train): (Vec<usize>, Vec<usize>) = all.iter().copied().partition(is_held_out);
        let (best, stopped) = self.choose_language(&train, &test, meter);
        let Some(Tried { reach, learned: first, held_out, .. }) = best else {
            let learned = self.nothing();
            let [score, held_out] = [&all, &test].map(|states| self.compare(&learned, states));
            return Fit { learned, score, held_out, stopped };
        };
        let score = self.compare(&first, &all);
        let mut fit = Fit { learned: first, score, held_out, stopped };
        if fit.stopped.is_none() {
            match self.learn_within(reach, &all, true, meter) {
                Ok(again) => {
                    let again = again.map(|again| (self.compare(&again, &all), again));
                    if let Some((score, again)) =
                        again.filter(|(score, _)| errors(score) <= errors(&fit.score))
                    {
                        (fit.score, fit.learned) = (score, again);
                    }
                }
                Err(limit) => fit.stopped = Some(limit),
            }
        }
        fit
    }

    /// The language in which rules that were learned of some states are right about others, with these rules; and why
    /// no more were tried, where there were more.
    fn choose_language(
        &self,
        train: &[usize],
        test: &[usize],
        meter: &mut Meter,
    ) -> (Option<Tried>, Option<LimitError>) {
        let mut best: Option<Tried> = None;
        let mut stopped = None;
        for (number, reach) in REACHES.into_iter().enumerate() {
            let is_last = number + 1 == REACHES.len() && best.is_none();
            let learned = match self.learn_within(reach, train, is_last, meter) {
                Ok(None) => continue,
                Ok(Some(learned)) => learned,
                Err(limit) => {
                    stopped = Some(limit);
                    break;
                }
            };
            stopped = meter.check().err();
            let held_out = self.compare(&learned, test);
            // What cannot even be said of what was learned from is no language for it.
            let wrong = errors(&held_out) + errors(&self.compare(&learned, train));
            let price = learned.cost();
            let is_better = best
                .as_ref()
                .is_none_or(|before| (wrong, price) < (before.wrong, 0.8 * before.learned.cost()));
            if is_better {
                best = Some(Tried { reach, learned, held_out, wrong });
            }
            if stopped.is_some() || wrong == 0.0 && price <= SIMPLE {
                break;
            }
        }
        (best, stopped)
    }

    fn nothing(&self) -> Learned {
        let language = Language::new(self.target.relation, self.columns, self.vocabulary, REACHES[0]);
        Learned { relation: self.target.relation, language, rules: Vec::new() }
    }

    fn compare(&self, learned: &Learned, states: &[usize]) -> Score {
        learned.compare(self.observed, self.target, self.vocabulary, states.iter().copied(), |_, _| {})
    }

    /// A number that depends on these and the seed.
    fn chance(&self, first: u64, second: u64) -> u64 {
        let mut hasher = FxHasher::default();
        (self.options.seed, first, second).hash(&mut hasher);
        hasher.finish() >> 20
    }

    /// Rules in one language from these states, and from those examples of them of which they are wrong at first.
    fn learn_within(
        &self,
        reach: Reach,
        states: &[usize],
        is_last: bool,
        meter: &mut Meter,
    ) -> Result<Option<Learned>, LimitError> {
        let language = Language::new(self.target.relation, self.columns, self.vocabulary, reach);
        let mut learned = Learned { relation: self.target.relation, language, rules: Vec::new() };
        let mut examples = self.choose(states);
        for round in 0..=CORRECTIONS {
            let Some(rules) = self.rules(&learned.language, &examples, is_last, meter)? else {
                return Ok(None);
            };
            learned.rules = rules;
            if round == CORRECTIONS || meter.check().is_err() {
                break;
            }
            let mut wrong = Vec::new();
            let states = states.iter().copied();
            learned.compare(self.observed, self.target, self.vocabulary, states, |row, held| {
                if wrong.len() < CORRECTED {
                    wrong.push((row, held));
                }
            });
            if !examples.add(wrong) {
                break;
            }
        }
        Ok(Some(learned))
    }

    /// Positive and negative examples, so many that they can be learned from together.
    fn choose(&self, states: &[usize]) -> Examples {
        let most = self.options.examples as u64;
        let positive: u64 = states.iter().map(|&number| self.target.seen[number].1.len() as u64).sum();
        let negative = (states.len() * self.target.atoms.len()) as u64 - positive;
        let kept = (most / 3).max(most.saturating_sub(negative));
        let mut examples = Examples::default();
        for &number in states {
            let (state, held) = &self.target.seen[number];
            for atom in 0..self.target.atoms.len() as u32 {
                let is_held = held.binary_search(&atom).is_ok();
                let (room, of) = if is_held {
                    (kept, positive)
                } else {
                    (most.saturating_sub(kept.min(positive)), negative)
                };
                if of <= room || self.chance(1 + *state as u64, u64::from(atom)) % of < room {
                    examples.rows.push((*state, atom));
                    examples.held.push(is_held);
                }
            }
        }
        examples
    }

    fn rules(
        &self,
        language: &Language,
        examples: &Examples,
        is_last: bool,
        meter: &mut Meter,
    ) -> Result<Option<Vec<Rule>>, LimitError> {
        let asked = Asked {
            vocabulary: self.vocabulary,
            observed: self.observed,
            language,
            atoms: &self.target.atoms,
        };
        let all: Vec<&Test> = language.tests.iter().map(|(test, _)| test).collect();
        meter.spend((examples.rows.len() * all.len() / 64) as u64)?;
        let answers = asked.answers(&all, &examples.rows);
        let (tests, places) = self.tests(language, &answers, &examples.held);
        drop(answers);
        if !is_last && tests.alike > tests.sizes[0] / ALIKE {
            return Ok(None);
        }
        let found = self.with_exceptions(&tests, if is_last { f32::INFINITY } else { COSTLIEST }, meter);
        let written = |it: &Conjunction| {
            it.tests.iter().map(|&test| language.tests[places[test]].0.clone()).collect::<Vec<Test>>()
        };
        let rule = |(it, exceptions): (Conjunction, Vec<Conjunction>)| Rule {
            cost: 1.0 + it.cost + exceptions.iter().map(|it| 1.0 + it.cost).sum::<f32>(),
            support: exceptions
                .iter()
                .fold(it.holds[0].clone(), |left, one| left.without(&one.holds[0]))
                .count(),
            tests: written(&it),
            exceptions: exceptions.iter().map(written).collect(),
        };
        Ok(Some(found.into_iter().map(rule).collect()))
    }

    /// The tests that differ, the cheapest of those that hold of the same examples, on the examples that differ; and
    /// which of the language they are.
    fn tests(&self, language: &Language, answers: &[Bits], held: &[bool]) -> (Tests, Vec<usize>) {
        let mut cheapest: FxHashMap<&Bits, usize> = FxHashMap::default();
        for (place, bits) in answers.iter().enumerate() {
            let known = cheapest.entry(bits).or_insert(place);
            if language.tests[place].1 < language.tests[*known].1 {
                *known = place;
            }
        }
        let mut places: Vec<usize> = cheapest.into_values().collect();
        places.retain(|&place| !answers[place].is_empty() && answers[place].count() < held.len());
        places.sort_unstable();
        // Examples of which the same tests hold are one.
        let mut looks = vec![0_u64; held.len()];
        for (number, &place) in places.iter().enumerate() {
            let mark = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mark = (mark ^ mark >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            answers[place].iter().for_each(|row| looks[row] = looks[row].wrapping_add(mark));
        }
        let mut met = FxHashSet::default();
        let sides = [true, false].map(|side| {
            // How many there are is what tells a rule from an accident, so those of which atoms hold are all kept.
            let is_one = |&row: &usize| held[row] == side && (side || met.insert(looks[row]));
            (0..held.len()).filter(is_one).collect::<Vec<usize>>()
        });
        let alike = sides[0].iter().filter(|&&row| met.contains(&looks[row])).count();
        let of = |place: usize| {
            [&sides[0], &sides[1]].map(|rows| Bits::of(rows.len(), |row| answers[place].contains(rows[row])))
        };
        let holds = places.iter().map(|&place| of(place)).collect();
        let costs = places.iter().map(|&place| language.tests[place].1).collect();
        (Tests { holds, costs, sizes: [sides[0].len(), sides[1].len()], alike }, places)
    }

    /// Conjunctions that cover the positive examples, or, where that is shorter, one with exceptions and conjunctions
    /// for the rest.
    fn with_exceptions(
        &self,
        tests: &Tests,
        most: f32,
        meter: &mut Meter,
    ) -> Vec<(Conjunction, Vec<Conjunction>)> {
        let mut rng = Rng::from_seed(self.options.seed);
        let all = tests.sizes.map(|size| Bits::of(size, |_| true));
        let plain = tests.cover(0, &all[0], &all[1], most, &mut rng, meter);
        let price = |cover: &Cover| cover.cost() + MISSED * cover.missed as f32;
        let is_whole = plain.cost() < most;
        let mut best_price = if is_whole { price(&plain) } else { most };
        let alone =
            |cover: Cover| cover.conjunctions.into_iter().map(|it| (it, Vec::new())).collect::<Vec<_>>();
        let is_short = is_whole && plain.conjunctions.len() <= 2 && plain.missed == 0;
        let mut best = alone(plain);
        if is_short {
            return best;
        }
        let columns = self.vocabulary.columns(self.target.relation);
        for guard in guards(tests, &all, columns as f32) {
            let exceptions =
                tests.cover(1, &guard.holds[1], &guard.holds[0], best_price - guard.cost, &mut rng, meter);
            if exceptions.missed > 0 || EXCEPTION * exceptions.cost() + guard.cost >= best_price {
                continue;
            }
            let left = best_price - EXCEPTION * exceptions.cost() - guard.cost;
            let rest = tests.cover(0, &all[0].without(&guard.holds[0]), &all[1], left, &mut rng, meter);
            let together = 1.0 + guard.cost + EXCEPTION * exceptions.cost() + price(&rest);
            if together < best_price {
                best_price = together;
                best = vec![(guard, exceptions.conjunctions)];
                best.extend(alone(rest));
            }
        }
        best
    }
}

/// The tests, or nothing at all at a price, of which the most positive examples and rather few negative ones are left.
fn guards(tests: &Tests, all: &Sides, unguarded: f32) -> Vec<Conjunction> {
    let [positive, negative] = all.each_ref().map(|bits| bits.count() as f32);
    let base = positive / (positive + negative).max(1.0);
    let gain = |test: usize| {
        let [p, n] = tests.holds[test].each_ref().map(|bits| bits.count() as f32);
        if p == 0.0 { 0.0 } else { p * ((p / (p + n)).log2() - base.log2()) - tests.costs[test] }
    };
    let mut guards: Vec<(f32, usize)> = (0..tests.holds.len()).map(|test| (gain(test), test)).collect();
    guards.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let one = |&(_, test): &(f32, usize)| Conjunction {
        tests: vec![test],
        holds: tests.holds[test].clone(),
        cost: tests.costs[test],
    };
    let nothing = Conjunction { tests: Vec::new(), holds: all.clone(), cost: unguarded };
    guards.iter().take(GUARDS).map(one).chain([nothing]).collect()
}

impl Examples {
    /// Adds examples; whether there are any that were not there.
    fn add(&mut self, more: Vec<(Row, bool)>) -> bool {
        let before = self.rows.len();
        let mut both: Vec<(Row, bool)> =
            self.rows.iter().copied().zip(self.held.iter().copied()).chain(more).collect();
        both.sort_unstable();
        both.dedup();
        (self.rows, self.held) = both.into_iter().unzip();
        self.rows.len() > before
    }
}

/// What is wrong: balanced.
fn errors(score: &Score) -> f64 {
    1.0 - score.balanced_accuracy()
}
