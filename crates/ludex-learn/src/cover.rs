//! Few short conjunctions that hold of all examples of one side and of none of the other.
//!
//! One after the other (R. S. Michalski, AQ, 1969): of an example that is not covered yet, those tests that hold are
//! put together, the best of some ten conjunctions at a time, until one holds of no example of the other side; the
//! measure is that of FOIL (J. R. Quinlan, Learning logical definitions from relations, 1990).

use ludex_game::Rng;
use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashSet;

use crate::bits::Bits;

/// So many conjunctions are gone on with.
const BEAM: usize = 30;
/// They are so long at most.
const LONGEST: usize = 8;
/// So many examples are tried to begin with, for each conjunction.
const SEEDS: usize = 4;
/// After so many examples for which none was found, no more are tried.
const FAILURES: usize = 8;
/// What one unit of cost is worth, in examples.
const COST: f32 = 0.3;
/// How much more conjunctions may be expected to cost in the end than they may, before they are given up.
const PATIENCE: f32 = 1.25;
/// Where conjunctions may cost so much together, half as many are gone on with.
const CHEAP: f32 = 16.0;
/// So many steps are put in order at most.
const MOST_STEPS: usize = 4000;

/// Examples that atoms hold of, and examples that they do not hold of: a part of each side.
pub(crate) type Sides = [Bits; 2];

/// The tests that can be put together, each with the examples of both sides of which it holds.
#[derive(Debug)]
pub(crate) struct Tests {
    pub holds: Vec<Sides>,
    pub costs: Vec<f32>,
    /// How many examples each side has.
    pub sizes: [usize; 2],
    /// How many examples of the first side are like one of the other.
    pub alike: usize,
    /// What share of examples may be wrong.
    pub noise: f32,
}

/// A conjunction of tests.
#[derive(Clone, Debug)]
pub(crate) struct Conjunction {
    pub tests: Vec<usize>,
    pub holds: Sides,
    pub cost: f32,
}

/// What was found.
#[derive(Clone, Debug)]
pub(crate) struct Cover {
    pub conjunctions: Vec<Conjunction>,
    /// How many examples no conjunction tells from those of the other side, but for those that may be wrong.
    pub missed: usize,
    /// Whether it was looked for to the end, and not given up because it would cost too much.
    pub is_whole: bool,
}

impl Cover {
    /// What all conjunctions cost together.
    pub fn cost(&self) -> f32 {
        total_cost(&self.conjunctions)
    }
}

/// What is to be covered: examples of a side, apart from those of the other.
pub(crate) struct Question<'a> {
    pub side: usize,
    pub all: &'a Bits,
    /// The examples of the other side of which no conjunction may hold.
    pub against: &'a Bits,
    /// What conjunctions may cost together.
    pub most: f32,
    /// Conjunctions that were found before, of which some may be right.
    pub known: Vec<Conjunction>,
}

impl Tests {
    /// Conjunctions that together hold of the examples in question and of none that they are asked against; some of them
    /// only, where all would cost too much. Where the budget ends, what was found until then.
    pub fn cover(&self, question: &Question<'_>, rng: &mut Rng, meter: &mut Meter) -> Cover {
        let Question { side, all, against, most, .. } = *question;
        let mut search = Search { open: all.clone(), chosen: Vec::new(), found: Vec::new(), cost: 0.0 };
        for it in &question.known {
            if self.may_be(it.holds[1 - side].count_and(against), it.holds[side].count_and(all)) {
                search.found.push(it.clone());
                if it.holds[side].count_and(&search.open) > 0 {
                    search.take(it.clone(), side);
                }
            }
        }
        let total = all.count() as f32;
        let mut failures = 0;
        let mut is_whole = true;
        let ignored = (self.noise * total) as usize;
        while search.open.count() > ignored && failures < FAILURES && meter.check().is_ok() {
            // What is found first holds of the most, so that what is left costs more for each example.
            let covered = search.chosen.iter().fold(Bits::none_like(all), |mut covered, it| {
                covered.add(&it.holds[side]);
                covered
            });
            let expected = search.cost * total / covered.count_and(all).max(1) as f32;
            if search.cost > 0.0 && (search.cost >= most || expected > PATIENCE * most) {
                is_whole = false;
                break;
            }
            failures += self.cover_more(&mut search, question, rng, meter);
        }
        is_whole &= search.cost < most;
        let Search { chosen: mut conjunctions, found, .. } = search;
        let missed = conjunctions.iter().fold(all.clone(), |missed, it| missed.without(&it.holds[side]));
        drop_needless(&mut conjunctions, side, all);
        if is_whole {
            let cheaper = cheapest(&found, side, &all.without(&missed), rng);
            if total_cost(&cheaper) < total_cost(&conjunctions) {
                conjunctions = cheaper;
            }
        }
        Cover { conjunctions, missed: missed.count().saturating_sub(ignored), is_whole }
    }

    /// Chooses one conjunction more; how many examples had none.
    fn cover_more(
        &self,
        search: &mut Search,
        question: &Question<'_>,
        rng: &mut Rng,
        meter: &mut Meter,
    ) -> usize {
        let (side, mut failures) = (question.side, 0);
        let left: Vec<usize> = search.open.iter().collect();
        let mut best: Option<(f32, Conjunction)> = None;
        for _ in 0..SEEDS.min(left.len()) {
            let seed = left[rng.below(left.len() as u64) as usize];
            let only = Bits::of_one(&search.open, seed);
            if !self.is_told_apart(seed, question) {
                search.open = search.open.without(&only);
                continue;
            }
            let Ok(several) = self.conjunctions(seed, &search.open, question, meter) else { break };
            if several.is_empty() {
                failures += 1;
                search.open = search.open.without(&only);
            }
            for it in several {
                let holds = &it.holds[side];
                let all = holds.count_and(question.all) as f32;
                let worth = holds.count_and(&search.open) as f32 + 0.1 * all.sqrt() - COST * it.cost;
                if best.as_ref().is_none_or(|(known, _)| worth > *known) {
                    best = Some((worth, it.clone()));
                }
                if !search.found.iter().any(|known| known.tests == it.tests) {
                    search.found.push(it);
                }
            }
        }
        if let Some((_, it)) = best {
            search.take(it, side);
        }
        failures
    }

    /// The conjunction of these tests.
    pub fn conjunction(&self, tests: Vec<usize>) -> Conjunction {
        let holds = [0, 1].map(|side| self.all_hold(&tests, side, &Bits::of(self.sizes[side], |_| true)));
        Conjunction { cost: tests.iter().map(|&test| self.costs[test]).sum(), holds, tests }
    }

    /// Whether what holds of so many examples of the other side and of so many of its own may be right.
    fn may_be(&self, wrong: usize, right: usize) -> bool {
        wrong as f32 <= self.noise * right as f32
    }

    /// Whether there is no example that it is asked against of which all tests hold that hold of this one.
    fn is_told_apart(&self, seed: usize, question: &Question<'_>) -> bool {
        if self.noise > 0.0 {
            return true;
        }
        let usable = self.holds.iter().filter(|holds| holds[question.side].contains(seed));
        let mut left = question.against.clone();
        for holds in usable {
            left.keep(&holds[1 - question.side]);
            if left.is_empty() {
                break;
            }
        }
        left.is_empty()
    }

    /// Conjunctions that hold of an example and of none that it is asked against: the best one of each length, as far as
    /// it is looked for.
    fn conjunctions(
        &self,
        seed: usize,
        open: &Bits,
        question: &Question<'_>,
        meter: &mut Meter,
    ) -> Result<Vec<Conjunction>, LimitError> {
        let (here, there) = (question.side, 1 - question.side);
        let usable: Vec<usize> =
            (0..self.holds.len()).filter(|&test| self.holds[test][here].contains(seed)).collect();
        let total = (open.count() as f32, question.against.count() as f32);
        let base = (total.0 / (total.0 + total.1)).log2();
        let whole =
            Candidate { tests: Vec::new(), left: open.clone(), right: question.against.clone(), cost: 0.0 };
        let (mut beam, mut known, mut found) = (vec![whole], f32::NEG_INFINITY, Vec::new());
        // Where little may be paid, what is worth it is soon found.
        let width = if question.most <= CHEAP { BEAM / 2 } else { BEAM };
        if question.against.is_empty() {
            return Ok(vec![self.shortened(Vec::new(), question)]);
        }
        for _ in 0..LONGEST {
            let mut next: Vec<Step> = Vec::new();
            let mut best = None::<(f32, Vec<usize>)>;
            for (from, candidate) in beam.iter().enumerate() {
                meter.spend((usable.len() * (1 + candidate.right.words() / 16)) as u64)?;
                let before = candidate.right.count();
                for &test in &usable {
                    let right = candidate.right.count_and(&self.holds[test][there]);
                    if right == before {
                        continue;
                    }
                    let left = candidate.left.count_and(&self.holds[test][here]) as f32;
                    let cost = candidate.cost + self.costs[test];
                    let is_right = self.may_be(right, left as usize);
                    let (worth, right) = (left - COST * cost, right as f32);
                    if is_right && best.as_ref().is_none_or(|(known, _)| worth > *known) {
                        best = Some((worth, candidate.tests.iter().copied().chain([test]).collect()));
                    } else if !is_right && worth - COST > known {
                        let score = left * ((left / (left + right)).log2() - base) - 0.2 * cost;
                        next.push(Step { score, from, test, cost });
                    }
                }
            }
            let order = |a: &Step, b: &Step| {
                let score = b.score.total_cmp(&a.score).then(a.cost.total_cmp(&b.cost));
                score.then(a.test.cmp(&b.test)).then(a.from.cmp(&b.from))
            };
            if next.len() > MOST_STEPS {
                next.select_nth_unstable_by(MOST_STEPS, order);
                next.truncate(MOST_STEPS);
            }
            next.sort_unstable_by(order);
            if let Some((worth, tests)) = best {
                known = known.max(worth);
                found.push(self.shortened(tests, question));
            }
            beam = self.chosen(&beam, &next, here, known, width);
            if beam.is_empty() {
                break;
            }
        }
        Ok(found)
    }

    /// The best of these, and none that holds of the same examples as one before.
    fn chosen(
        &self,
        beam: &[Candidate],
        next: &[Step],
        here: usize,
        known: f32,
        most: usize,
    ) -> Vec<Candidate> {
        let mut met = FxHashSet::default();
        let mut chosen = Vec::new();
        for step in next {
            let (from, holds) = (&beam[step.from], &self.holds[step.test]);
            let (left, right) = (from.left.and(&holds[here]), from.right.and(&holds[1 - here]));
            if left.count() as f32 - COST * (step.cost + 1.0) > known
                && met.insert((left.clone(), right.clone()))
            {
                let tests = from.tests.iter().copied().chain([step.test]).collect();
                chosen.push(Candidate { tests, left, right, cost: step.cost });
                if chosen.len() == most {
                    break;
                }
            }
        }
        chosen
    }

    /// Without tests that are not needed, the costliest first.
    fn shortened(&self, mut tests: Vec<usize>, question: &Question<'_>) -> Conjunction {
        let there = 1 - question.side;
        let mut order = tests.clone();
        order.sort_by(|&a, &b| self.costs[b].total_cmp(&self.costs[a]));
        for test in order {
            let fewer: Vec<usize> = tests.iter().copied().filter(|&other| other != test).collect();
            let wrong = self.all_hold(&fewer, there, question.against).count();
            if wrong == 0 || self.may_be(wrong, self.all_hold(&fewer, question.side, question.all).count()) {
                tests = fewer;
            }
        }
        let mut holds =
            [question.all, question.against].map(|bits| self.all_hold(&tests, question.side, bits));
        holds[1] = Bits::none_like(question.against);
        if question.side == 1 {
            holds.swap(0, 1);
        }
        Conjunction { cost: tests.iter().map(|&test| self.costs[test]).sum(), holds, tests }
    }

    /// Those of these examples of a side of which all tests hold.
    fn all_hold(&self, tests: &[usize], side: usize, of: &Bits) -> Bits {
        tests.iter().fold(of.clone(), |holds, &test| holds.and(&self.holds[test][side]))
    }
}

fn total_cost(conjunctions: &[Conjunction]) -> f32 {
    conjunctions.iter().map(|conjunction| 1.0 + conjunction.cost).sum()
}

/// So often is a cheap cover looked for.
const TRIES: usize = 60;

/// Some of these conjunctions that together hold of all these examples, as cheap as was found: taken one after the
/// other by what they add for their price, with some luck in it, many times over (T. Feo, M. Resende, Greedy randomized
/// adaptive search, 1995).
fn cheapest(found: &[Conjunction], side: usize, all: &Bits, rng: &mut Rng) -> Vec<Conjunction> {
    let mut best: Option<(f32, Vec<Conjunction>)> = None;
    for number in 0..TRIES {
        let mut open = all.clone();
        let mut chosen: Vec<Conjunction> = Vec::new();
        // From what adds most to what costs least.
        let power = 0.5 + 2.0 * number as f32 / TRIES as f32;
        while !open.is_empty() {
            let mut next: Option<(f32, &Conjunction)> = None;
            for it in found {
                let new = it.holds[side].count_and(&open) as f32;
                let luck = 0.7 + 0.3 * rng.fraction() as f32;
                let worth = luck * new / (1.0 + it.cost).powf(power);
                if new > 0.0 && next.is_none_or(|(known, _)| worth > known) {
                    next = Some((worth, it));
                }
            }
            let Some((_, it)) = next else { break };
            open = open.without(&it.holds[side]);
            chosen.push(it.clone());
        }
        drop_needless(&mut chosen, side, all);
        let cost = total_cost(&chosen);
        if open.is_empty() && best.as_ref().is_none_or(|(known, _)| cost < *known) {
            best = Some((cost, chosen));
        }
    }
    best.map_or_else(|| found.to_vec(), |(_, chosen)| chosen)
}

/// Leaves out what others together cover, the costliest first.
fn drop_needless(conjunctions: &mut Vec<Conjunction>, side: usize, all: &Bits) {
    let mut order: Vec<usize> = (0..conjunctions.len()).collect();
    order.sort_by(|&a, &b| conjunctions[b].cost.total_cmp(&conjunctions[a].cost));
    let mut kept = vec![true; order.len()];
    for &one in &order {
        let mut left = conjunctions[one].holds[side].and(all);
        for (other, it) in conjunctions.iter().enumerate() {
            if other != one && kept[other] {
                left = left.without(&it.holds[side]);
            }
        }
        kept[one] = !left.is_empty();
    }
    let mut kept = kept.into_iter();
    conjunctions.retain(|_| kept.next().unwrap_or(true));
}

/// Conjunctions while more are looked for.
struct Search {
    /// The examples of which none of them holds.
    open: Bits,
    chosen: Vec<Conjunction>,
    /// All that were met, those that were chosen among them.
    found: Vec<Conjunction>,
    cost: f32,
}

impl Search {
    fn take(&mut self, it: Conjunction, side: usize) {
        self.open = self.open.without(&it.holds[side]);
        self.cost += 1.0 + it.cost;
        self.chosen.push(it);
    }
}

/// A conjunction that is gone on with.
struct Candidate {
    tests: Vec<usize>,
    /// The examples that are to be covered, as far as it holds of them.
    left: Bits,
    /// The examples that are not to be.
    right: Bits,
    cost: f32,
}

/// One test more for a candidate.
struct Step {
    score: f32,
    from: usize,
    test: usize,
    cost: f32,
}
