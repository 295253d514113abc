//! Learning what a relation follows from.

use ludex_game::Rng;
use ludex_logic::{Budget, LimitError, Meter};
use rustc_hash::FxHashMap;

use crate::bits::Bits;
use crate::columns::Columns;
use crate::cover::{Conjunction, Cover, Question, Sides, Tests};
use crate::examples::{Distinct, Examples, FEW, chance, first_examples, marked_examples};
use crate::hypothesis::{Learned, Rule, Score, TOGETHER};
use crate::language::{Language, REACHES, Reach, Test};
use crate::moves_made::{Kinds, Moves, denied, first_moves, kinds, written};
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
    /// What share of what was recorded is wrong, from 0 to 1: rules need not explain so much.
    pub noise: f64,
}

impl Default for LearnOptions {
    fn default() -> Self {
        Self { seed: 1, examples: 5_000, noise: 0.0 }
    }
}

/// One state in so many is kept for the choice of the language.
const HELD_OUT: u64 = 4;
/// So many examples are compared with rules at most.
const MOST_ROWS: usize = 1 << 20;
/// How often examples of which the rules are wrong are learned from, too.
const CORRECTIONS: usize = 16;
/// So many of them at a time, and so many of one state.
const CORRECTED: usize = 300;
const CORRECTED_OF_STATE: usize = 6;
/// How many of the facts that a fact follows from, and itself, may be what was recorded wrongly.
const SPREAD: f64 = 3.0;
/// What a positive example costs that no rule explains.
const MISSED: f32 = 10.0;
/// What rules may cost: all languages are tried with one before the next. The first is for the smallest languages alone.
const LIMITS: [f32; 3] = [14.0, 32.0, 80.0];
/// So many languages are tried where it is known only which moves were made, that of sums not counted.
const MOVES: usize = 4;
/// So many languages are small, that of sums not counted.
const SMALL: usize = 3;
/// What is said of exceptions costs more than what is said at once.
const EXCEPTION: f32 = 1.6;
/// Where more than one example in so many is like one of which the atom does not hold, another language is tried.
const ALIKE: f32 = 200.0;
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

/// Rules in one language, and what they are learned from.
struct Attempt {
    learned: Learned,
    examples: Examples,
    found: Found,
    /// Rules for some of the examples.
    partial: Vec<Rule>,
    /// Whether examples that differ in what holds differ in this language.
    can_tell: bool,
}

/// Conjunctions that were found before, each as tests of the language.
#[derive(Default)]
struct Found {
    plain: Vec<Vec<usize>>,
    /// By what they are exceptions from.
    exceptions: FxHashMap<Vec<usize>, Vec<Vec<usize>>>,
}

/// How learning in one language ended.
enum Ended {
    /// With rules that explain all that was learned from.
    Explained,
    /// With rules that do not.
    Wrong,
    /// Without, since there are none in it that cost so little.
    Without,
}

/// The best rules so far.
struct Best {
    attempt: usize,
    rules: Vec<Rule>,
    held_out: Score,
    /// What they say wrongly of what they were learned from and of what was held out: a share of each.
    wrong: f64,
    cost: f32,
}

impl Learner<'_> {
    fn learn(&self, meter: &mut Meter) -> Fit {
        // Where states or atoms are very many, states at even distances stand for all.
        let most = (MOST_ROWS / self.target.atoms.len().max(1)).max(1);
        let all: Vec<usize> =
            (0..self.target.seen.len()).step_by(self.target.seen.len().div_ceil(most).max(1)).collect();
        let is_held_out =
            |&number: &usize| chance(self.options.seed, number as u64, 0).is_multiple_of(HELD_OUT);
        let (test, train): (Vec<usize>, Vec<usize>) = all.iter().copied().partition(is_held_out);
        if !self.target.is_whole {
            return self.learn_from_moves(&all, &test, meter);
        }
        let mut attempts: Vec<Attempt> = Vec::new();
        let (best, mut stopped) = self.choose_language(&mut attempts, &train, &test, meter);
        let Some(best) = best else { return self.partial(attempts, &all, &test, stopped) };
        let mut attempt = attempts.swap_remove(best.attempt);
        attempt.learned.rules = best.rules;
        let mut score = self.compare(&attempt.learned, &all);
        if stopped.is_none() && !score.is_perfect() {
            let before = attempt.learned.rules.clone();
            stopped = self.improve(&mut attempt, &all, f32::INFINITY, meter).err();
            let again = self.compare(&attempt.learned, &all);
            if errors(&again) <= errors(&score) {
                score = again;
            } else {
                attempt.learned.rules = before;
            }
        }
        self.count_support(&mut attempt.learned, &all);
        Fit { learned: attempt.learned, score, held_out: best.held_out, stopped }
    }

    /// Counts how much of what was observed each rule explains, where that is not too much: the rules know it of what
    /// they were learned from.
    fn count_support(&self, learned: &mut Learned, states: &[usize]) {
        let rules = std::mem::take(&mut learned.rules);
        let is_soon_done = rules.len() * states.len() * self.target.atoms.len() <= 2 * MOST_ROWS;
        let counted = rules.iter().map(|rule| {
            learned.rules = vec![rule.clone()];
            let support =
                if is_soon_done { self.compare(learned, states).true_positives as usize } else { 0 };
            Rule { support: support.max(rule.support), ..rule.clone() }
        });
        let counted = counted.collect();
        learned.rules = counted;
    }

    /// Rules for moves of which it is known that they were made, and nothing of others: in the language in which the
    /// fewest bits tell them.
    fn learn_from_moves(&self, states: &[usize], test: &[usize], meter: &mut Meter) -> Fit {
        let mut best: Option<(f32, Learned)> = None;
        let mut stopped = None;
        for reach in self.reaches(MOVES) {
            let mut attempt = self.attempt(reach);
            match self.kinds_of_moves(&mut attempt, states, meter) {
                Ok(bits) if best.as_ref().is_none_or(|(known, _)| bits < *known) => {
                    best = Some((bits, attempt.learned));
                }
                Ok(_) => {}
                Err(limit) => {
                    stopped = Some(limit);
                    break;
                }
            }
        }
        let mut learned = best.map_or_else(|| self.attempt(REACHES[0]).learned, |(_, learned)| learned);
        self.count_support(&mut learned, states);
        let [score, held_out] = [states, test].map(|states| self.compare(&learned, states));
        Fit { learned, score, held_out, stopped }
    }

    /// Learns rules for moves made in one language; how many bits tell those moves then.
    fn kinds_of_moves(
        &self,
        attempt: &mut Attempt,
        states: &[usize],
        meter: &mut Meter,
    ) -> Result<f32, LimitError> {
        let mut more = first_moves(self.target, states, self.options.seed);
        let mut told = f32::INFINITY;
        for round in 0..CORRECTIONS as u64 {
            if !self.add(attempt, more, meter)? {
                break;
            }
            let distinct = attempt.examples.distinct(&attempt.learned.language, true, 0.0);
            let moves = Moves::new(self.target, &attempt.examples);
            let Kinds { rules, bits } = kinds(&distinct, &moves, meter)?;
            told = bits;
            let rule = |rule: &Vec<usize>| {
                let it = distinct.tests.conjunction(rule.clone());
                Rule {
                    tests: written(&distinct, &attempt.learned.language.tests, rule),
                    exceptions: Vec::new(),
                    cost: 1.0 + it.cost,
                    support: it.holds[0].count(),
                }
            };
            attempt.learned.rules = rules.iter().map(rule).collect();
            let (wrong, share) = self.wrong(&attempt.learned, states, round);
            // Whatever the records say, a move that was made cannot be made impossible.
            more = if share <= self.noise() { Vec::new() } else { wrong };
        }
        Ok(told)
    }

    /// What was found when time ended and nothing was done: it explains a part.
    fn partial(
        &self,
        attempts: Vec<Attempt>,
        all: &[usize],
        test: &[usize],
        stopped: Option<LimitError>,
    ) -> Fit {
        let mut best: Option<Fit> = None;
        let learned = attempts.into_iter().map(|mut attempt| {
            attempt.learned.rules = attempt.partial;
            attempt.learned
        });
        for learned in learned.filter(|learned| !learned.rules.is_empty()) {
            let score = self.compare(&learned, all);
            if best.as_ref().is_none_or(|best| errors(&score) < errors(&best.score)) {
                let held_out = Score::default();
                best = Some(Fit { learned, score, held_out, stopped: stopped.clone() });
            }
        }
        let mut fit = best.unwrap_or_else(|| {
            let learned = self.attempt(REACHES[0]).learned;
            let score = self.compare(&learned, all);
            Fit { learned, score, held_out: Score::default(), stopped }
        });
        fit.held_out = self.compare(&fit.learned, test);
        fit
    }

    /// Learns in one language after the other, what costs little first, until rules that were learned of some states
    /// are right about others; and why no more were tried, where there were more.
    fn choose_language(
        &self,
        attempts: &mut Vec<Attempt>,
        train: &[usize],
        test: &[usize],
        meter: &mut Meter,
    ) -> (Option<Best>, Option<LimitError>) {
        let mut best: Option<Best> = None;
        let reaches = self.reaches(REACHES.len());
        let small = (0..self.reaches(SMALL).len()).map(|number| (LIMITS[0], number));
        let count = reaches.len();
        let all = LIMITS[1..].iter().flat_map(|&most| (0..count).map(move |number| (most, number)));
        let last = [(f32::INFINITY, count - 1)];
        let is_few = (train.len() + test.len()) * self.target.atoms.len() <= FEW;
        for (most, number) in small.chain(all).chain(last) {
            if most == f32::INFINITY && best.is_some() {
                break;
            }
            if number == attempts.len() {
                attempts.push(self.attempt(reaches[number]));
            }
            let attempt = &mut attempts[number];
            if !attempt.can_tell && most < f32::INFINITY {
                continue;
            }
            let ended = self.improve(attempt, train, most, meter);
            let stopped = ended.as_ref().err().cloned().or_else(|| meter.check().err());
            // What was found when time ended is better than nothing.
            if !matches!(ended, Ok(Ended::Without)) && (stopped.is_none() || best.is_none()) {
                let learned = &attempt.learned;
                let held_out = self.compare(learned, test);
                // What cannot even be said of what was learned from is no language for it.
                let is_explained = matches!(ended, Ok(Ended::Explained));
                let explained = if is_explained { 0.0 } else { errors(&self.compare(learned, train)) };
                let (wrong, cost) = (errors(&held_out) + explained, learned.cost());
                if best.as_ref().is_none_or(|before| (wrong, cost) < (before.wrong, 0.8 * before.cost)) {
                    let rules = learned.rules.clone();
                    best = Some(Best { attempt: number, rules, held_out, wrong, cost });
                }
            }
            // Of few examples, long rules may be an accident that is right about those held out, too.
            let may_be_shorter = is_few && most == LIMITS[2] && number + 1 < count;
            let is_right = best.as_ref().is_some_and(|best| best.wrong <= f64::from(self.noise()));
            if stopped.is_some() || is_right && !may_be_shorter {
                return (best, stopped);
            }
        }
        (best, None)
    }

    /// So many languages, the smallest first, and among them that of sums, where there are any.
    fn reaches(&self, most: usize) -> Vec<Reach> {
        let has_sums = self.columns.may_be_sums(self.target.relation, self.vocabulary);
        let all = REACHES.into_iter().filter(|reach| has_sums || !reach.sums);
        all.take(most + usize::from(has_sums)).collect()
    }

    fn attempt(&self, reach: Reach) -> Attempt {
        let language = Language::new(self.target.relation, self.columns, self.vocabulary, reach);
        Attempt {
            learned: Learned { relation: self.target.relation, language, rules: Vec::new() },
            examples: Examples::default(),
            found: Found::default(),
            partial: Vec::new(),
            can_tell: true,
        }
    }

    fn compare(&self, learned: &Learned, states: &[usize]) -> Score {
        learned.compare(self.observed, self.target, self.vocabulary, states.iter().copied(), |_, _| {})
    }

    /// Learns from some examples of these states, and from more of which the rules are wrong.
    fn improve(
        &self,
        attempt: &mut Attempt,
        states: &[usize],
        most: f32,
        meter: &mut Meter,
    ) -> Result<Ended, LimitError> {
        if attempt.examples.rows.is_empty() {
            let mut first = first_examples(self.target, states, self.options.seed);
            first.extend(denied(self.target));
            first.extend(marked_examples(self.target, &self.observed.marked, self.options.seed));
            self.add(attempt, first, meter)?;
        }
        for round in 0..=CORRECTIONS {
            let Some(rules) = self.rules(attempt, most, meter)? else { return Ok(Ended::Without) };
            attempt.learned.rules = rules;
            let (wrong, share) = self.wrong(&attempt.learned, states, round as u64);
            if share <= self.noise() {
                return Ok(Ended::Explained);
            }
            meter.check()?;
            if round == CORRECTIONS
                || attempt.examples.rows.len() >= self.options.examples
                || !self.add(attempt, wrong, meter)?
            {
                break;
            }
        }
        Ok(Ended::Wrong)
    }

    /// Adds examples; whether there were new ones.
    fn add(
        &self,
        attempt: &mut Attempt,
        more: Vec<(Row, bool)>,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        let language = &attempt.learned.language;
        meter.spend((more.len() * language.tests.len() / 64) as u64)?;
        let asked = Asked {
            vocabulary: self.vocabulary,
            observed: self.observed,
            language,
            atoms: &self.target.atoms,
        };
        Ok(attempt.examples.add(more, asked))
    }

    /// What share of examples rules may be wrong about: what is recorded wrongly may be what a fact follows from, too.
    fn noise(&self) -> f32 {
        (SPREAD * self.options.noise.clamp(0.0, 1.0)) as f32
    }

    /// Some examples of which rules are wrong, from many states; and what share they are of what held.
    fn wrong(&self, learned: &Learned, states: &[usize], round: u64) -> (Vec<(Row, bool)>, f32) {
        let seed = self.options.seed;
        let mut order = states.to_vec();
        order.sort_by_key(|&number| (chance(seed, 3 + round, number as u64), number));
        let together = (TOGETHER / self.target.atoms.len().max(1)).max(1);
        let mut found: Vec<(Row, bool)> = Vec::new();
        let (mut all, mut held) = (0, 0);
        for some in order.chunks(together) {
            let mut wrong: Vec<(Row, bool)> = Vec::new();
            held += some.iter().map(|&number| self.target.seen[number].1.len()).sum::<usize>();
            let some = some.iter().copied();
            learned.compare(self.observed, self.target, self.vocabulary, some, |row, held| {
                wrong.push((row, held));
            });
            all += wrong.len();
            wrong.sort_by_key(|&(row, held)| (row.0, chance(seed, round, u64::from(row.1)), row, held));
            for of_state in wrong.chunk_by(|a, b| a.0.0 == b.0.0) {
                found.extend(of_state.iter().take(CORRECTED_OF_STATE));
            }
            if found.len() >= CORRECTED {
                break;
            }
        }
        found.sort_by_key(|&(row, held)| (chance(seed, row.0 as u64, u64::from(row.1)), row, held));
        found.truncate(CORRECTED);
        (found, all as f32 / held.max(1) as f32)
    }

    /// Rules for the examples, none where they would cost more than `most`.
    fn rules(
        &self,
        attempt: &mut Attempt,
        most: f32,
        meter: &mut Meter,
    ) -> Result<Option<Vec<Rule>>, LimitError> {
        meter.check()?;
        let language = &attempt.learned.language;
        let distinct = attempt.examples.distinct(language, self.noise() > 0.0, self.noise());
        let positive = distinct.tests.sizes[0] as f32;
        attempt.can_tell = distinct.tests.alike as f32 <= positive / ALIKE + self.noise() * positive;
        if !attempt.can_tell && most < f32::INFINITY {
            return Ok(None);
        }
        let rules = self.with_exceptions(&distinct, &mut attempt.found, most, meter);
        let written = |it: &Conjunction| {
            it.tests
                .iter()
                .map(|&test| language.tests[distinct.places[test]].0.clone())
                .collect::<Vec<Test>>()
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
        if rules.is_none() {
            let plain = distinct.known(&attempt.found.plain).into_iter();
            let plain = plain.filter(|it| it.holds[1].is_empty());
            attempt.partial = plain.map(|it| rule((it, Vec::new()))).collect();
        }
        Ok(rules.map(|rules| rules.into_iter().map(rule).collect()))
    }

    /// Conjunctions that cover the positive examples, or, where that is shorter, one with exceptions and conjunctions
    /// for the rest; none where all would cost more than `most`.
    fn with_exceptions(
        &self,
        distinct: &Distinct,
        found: &mut Found,
        most: f32,
        meter: &mut Meter,
    ) -> Option<Vec<(Conjunction, Vec<Conjunction>)>> {
        let tests = &distinct.tests;
        let mut rng = Rng::from_seed(self.options.seed);
        let all = tests.sizes.map(|size| Bits::of(size, |_| true));
        let known = distinct.known(&found.plain);
        let plain = Question { side: 0, all: &all[0], against: &all[1], most, known };
        let plain = tests.cover(&plain, &mut rng, meter);
        found.plain = distinct.remembered(&plain.conjunctions);
        let price = |cover: &Cover| cover.cost() + MISSED * cover.missed as f32;
        let alone =
            |cover: Cover| cover.conjunctions.into_iter().map(|it| (it, Vec::new())).collect::<Vec<_>>();
        let is_short = plain.is_whole && plain.conjunctions.len() <= 2 && plain.missed == 0;
        let mut best_price = if plain.is_whole { price(&plain) } else { most };
        let mut best = plain.is_whole.then(|| alone(plain));
        if is_short {
            return best;
        }
        let columns = self.vocabulary.columns(self.target.relation);
        for guard in guards(tests, &all, columns as f32) {
            let key: Vec<usize> = guard.tests.iter().map(|&test| distinct.places[test]).collect();
            let known = found.exceptions.get(&key).map_or_else(Vec::new, |known| distinct.known(known));
            let exceptions = Question {
                side: 1,
                all: &guard.holds[1],
                against: &guard.holds[0],
                most: (best_price - guard.cost) / EXCEPTION,
                known,
            };
            let exceptions = tests.cover(&exceptions, &mut rng, meter);
            found.exceptions.insert(key, distinct.remembered(&exceptions.conjunctions));
            if exceptions.missed > 0 {
                continue;
            }
            let left = best_price - EXCEPTION * exceptions.cost() - guard.cost;
            let rest = all[0].without(&guard.holds[0]);
            let known = distinct.known(&found.plain);
            let rest = Question { side: 0, all: &rest, against: &all[1], most: left, known };
            let rest = tests.cover(&rest, &mut rng, meter);
            let together = 1.0 + guard.cost + EXCEPTION * exceptions.cost() + price(&rest);
            if rest.is_whole && together < best_price {
                best_price = together;
                let rules = best.insert(vec![(guard, exceptions.conjunctions)]);
                rules.extend(alone(rest));
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

/// What is wrong: balanced.
fn errors(score: &Score) -> f64 {
    1.0 - score.balanced_accuracy()
}
