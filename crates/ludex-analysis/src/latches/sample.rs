//! Steps of random games, to refute wrong guesses with before a solver is asked.

use ludex_game::{ActionId, GameError, Rng, Rules, Runner, State};
use ludex_logic::{LimitError, Meter, TermId};
use rustc_hash::FxHashMap;

use super::LatchEffort;
use crate::{Faithful, Witness};

/// A step of a sampled course: which course, and how many steps come before it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Moment {
    course: u32,
    step: u32,
}

/// Sampled steps of the game, with the states before and after as rows of bits.
#[derive(Debug)]
pub(super) struct Samples {
    words: usize,
    before: Vec<u64>,
    after: Vec<u64>,
    /// Per base the first step in which it went from true to false, and from false to true.
    falls: Vec<Option<Moment>>,
    rises: Vec<Option<Moment>>,
    /// Per course its joint moves.
    courses: Vec<Vec<Vec<ActionId>>>,
}

impl Samples {
    /// Plays random games by the rules, until one of the limits of `effort` is reached. A game that
    /// cannot go on, for whatever reason but the budget, ends there.
    pub(super) fn draw(
        rules: &Rules,
        faithful: &Faithful,
        effort: &LatchEffort,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let count = faithful.circuit.bases.len();
        let mut samples = Self {
            words: count.div_ceil(64),
            before: Vec::new(),
            after: Vec::new(),
            falls: vec![None; count],
            rises: vec![None; count],
            courses: Vec::new(),
        };
        let numbers = faithful.base_numbers();
        let mut rng = Rng::from_seed(effort.seed);
        let mut runner = rules.runner();
        for _ in 0..effort.playouts {
            if samples.steps() >= effort.sample_steps as usize {
                break;
            }
            match samples.play(rules, &mut *runner, &numbers, &mut rng, effort, meter) {
                Ok(()) => {}
                Err(GameError::Limit(limit)) => return Err(limit),
                Err(_) => runner = rules.runner(),
            }
        }
        Ok(samples)
    }

    /// The number of steps that were sampled.
    pub(super) fn steps(&self) -> usize {
        self.before.len().checked_div(self.words).unwrap_or(0)
    }

    /// One random game.
    fn play(
        &mut self,
        rules: &Rules,
        runner: &mut dyn Runner,
        numbers: &FxHashMap<TermId, u32>,
        rng: &mut Rng,
        effort: &LatchEffort,
        meter: &mut Meter,
    ) -> Result<(), GameError> {
        runner.set(rules.initial())?;
        self.courses.push(Vec::new());
        let mut facts = Vec::new();
        let mut state = State::default();
        let mut row = |runner: &dyn Runner, words: usize, meter: &mut Meter| {
            runner.save(&mut state);
            rules.machine().facts(&state, &mut facts);
            meter.spend(facts.len() as u64 + words as u64)?;
            let mut row = vec![0u64; words];
            for base in facts.iter().filter_map(|fact| numbers.get(fact)) {
                row[*base as usize / 64] |= 1 << (base % 64);
            }
            Ok::<_, LimitError>(row)
        };
        let mut before = row(runner, self.words, meter)?;
        for _ in 0..effort.sample_steps {
            if runner.terminal()? || self.steps() >= effort.sample_steps as usize {
                return Ok(());
            }
            let mut joint = Vec::new();
            for role in rules.roles() {
                match rng.pick(runner.legal(role)?) {
                    Some(&action) => joint.push(action),
                    None => return Ok(()),
                }
            }
            runner.step_legal(&joint)?;
            let after = row(runner, self.words, meter)?;
            self.note(&before, &after, joint);
            before = after;
        }
        Ok(())
    }

    fn note(&mut self, before: &[u64], after: &[u64], joint: Vec<ActionId>) {
        let number = self.courses.len() - 1;
        let course = &mut self.courses[number];
        let moment = Moment { course: number as u32, step: course.len() as u32 };
        course.push(joint);
        for (word, (&was, &is)) in before.iter().zip(after).enumerate() {
            for (changed, list) in [(was & !is, &mut self.falls), (is & !was, &mut self.rises)] {
                let mut left = changed;
                while left != 0 {
                    let base = word * 64 + left.trailing_zeros() as usize;
                    list[base].get_or_insert(moment);
                    left &= left - 1;
                }
            }
        }
        self.before.extend_from_slice(before);
        self.after.extend_from_slice(after);
    }

    /// A step in which the base left this value.
    pub(super) fn leaving(&self, base: u32, value: bool) -> Option<Moment> {
        if value { self.falls[base as usize] } else { self.rises[base as usize] }
    }

    /// The course up to and including a step.
    pub(super) fn witness(&self, rules: &Rules, moment: Moment) -> Witness {
        let signature = rules.signature();
        let steps = &self.courses[moment.course as usize][..=moment.step as usize];
        let terms = |joint: &Vec<ActionId>| joint.iter().map(|&action| signature.action(action)).collect();
        Witness { steps: steps.iter().map(terms).collect() }
    }

    /// Per base what was true after every step in which the base fell: rows of bits, all of them set for a
    /// base that never fell.
    pub(super) fn kept_by(&self, meter: &mut Meter) -> Result<Vec<Vec<u64>>, LimitError> {
        let mut kept = vec![vec![u64::MAX; self.words]; self.falls.len()];
        let words = self.words.max(1);
        for (before, after) in self.before.chunks_exact(words).zip(self.after.chunks_exact(words)) {
            meter.spend(words as u64)?;
            for (word, (&was, &is)) in before.iter().zip(after).enumerate() {
                let mut fell = was & !is;
                while fell != 0 {
                    let base = word * 64 + fell.trailing_zeros() as usize;
                    kept[base].iter_mut().zip(after).for_each(|(kept, &is)| *kept &= is);
                    fell &= fell - 1;
                }
            }
        }
        Ok(kept)
    }

    /// Per base what was true together with it in some state, for these bases; rows of bits, none of them
    /// set for others.
    pub(super) fn beside(&self, bases: &[u32], meter: &mut Meter) -> Result<Vec<Vec<u64>>, LimitError> {
        let mut beside = vec![vec![0u64; self.words]; self.falls.len()];
        for row in
            self.before.chunks_exact(self.words.max(1)).chain(self.after.chunks_exact(self.words.max(1)))
        {
            for &base in bases.iter().filter(|base| row[**base as usize / 64] >> (**base % 64) & 1 == 1) {
                meter.spend(self.words as u64)?;
                beside[base as usize].iter_mut().zip(row).for_each(|(all, &held)| *all |= held);
            }
        }
        Ok(beside)
    }

    /// What was true after the first step before which one of these was, and none after it: a row of bits.
    pub(super) fn loss(&self, members: &[u32], meter: &mut Meter) -> Result<Option<&[u64]>, LimitError> {
        let one = |row: &[u64]| members.iter().any(|&base| row[base as usize / 64] >> (base % 64) & 1 == 1);
        meter.spend((self.steps() * members.len()) as u64)?;
        let words = self.words.max(1);
        let mut steps = self.before.chunks_exact(words).zip(self.after.chunks_exact(words));
        Ok(steps.find(|(before, after)| one(before) && !one(after)).map(|(_, after)| after))
    }

    /// What was true after some step before which the base had this value: a row of bits.
    pub(super) fn following(
        &self,
        base: u32,
        value: bool,
        gained: bool,
        meter: &mut Meter,
    ) -> Result<Vec<u64>, LimitError> {
        let mut row = vec![0u64; self.words];
        let (word, bit) = (base as usize / 64, base % 64);
        for (before, after) in
            self.before.chunks_exact(self.words.max(1)).zip(self.after.chunks_exact(self.words.max(1)))
        {
            if (before[word] >> bit & 1 == 1) == value {
                meter.spend(self.words as u64)?;
                for ((row, &after), &before) in row.iter_mut().zip(after).zip(before) {
                    *row |= if gained { after & !before } else { after };
                }
            }
        }
        Ok(row)
    }
}
