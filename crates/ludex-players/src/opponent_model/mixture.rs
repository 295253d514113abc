//! What somebody does next: a mixture of predictors by contexts.
//!
//! Each predictor counts what was done behind each context that it tells apart, and expects it in proportion to the
//! counts (Dirichlet; Krichevsky and Trofimov, 1981). Predictors count by how likely they held what was done (Bayes), and
//! get a small part of the whole back at each step, so that the mixture follows whoever changes its ways (fixed share:
//! Herbster and Warmuth, Tracking the best expert, 1998).

use ludex_game::Rng;
use rustc_hash::FxHashMap;
use smallvec::SmallVec;

/// A move, numbered by its text: the same for all roles, so that copying can be seen.
pub(crate) type MoveNumber = u16;

/// What was done before, as whoever is predicted sees it: its own moves, and those of all others.
#[derive(Clone, Debug, Default)]
pub(crate) struct Past {
    own: Vec<MoveNumber>,
    others: Vec<u64>,
}

impl Past {
    /// One more step: what it did, and what the others did, in the order of their roles.
    pub fn push(&mut self, own: MoveNumber, others: impl Iterator<Item = MoveNumber>) {
        self.own.push(own);
        self.others.push(others.fold(1, |all, one| (all << 16) ^ u64::from(one) ^ (all >> 48)));
    }

    /// Forgets all steps but the first ones.
    pub fn truncate(&mut self, steps: usize) {
        self.own.truncate(steps);
        self.others.truncate(steps);
    }

    /// How many steps there were.
    pub fn len(&self) -> usize {
        self.own.len()
    }
}

/// What a predictor looks at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Context {
    /// So many of its own last moves, and so many of the others'.
    Last { own: u8, others: u8 },
    /// The number of the step.
    Step,
    /// Its rest by a period.
    Period(u8),
}

/// The predictors, with how likely each is held at first.
const PREDICTORS: &[(Context, f64)] = &[
    (Context::Last { own: 0, others: 0 }, 2.0),
    (Context::Last { own: 0, others: 1 }, 2.0),
    (Context::Last { own: 1, others: 0 }, 1.0),
    (Context::Last { own: 1, others: 1 }, 2.0),
    (Context::Last { own: 2, others: 0 }, 0.5),
    (Context::Last { own: 0, others: 2 }, 0.5),
    (Context::Last { own: 3, others: 0 }, 0.5),
    (Context::Last { own: 2, others: 2 }, 0.5),
    (Context::Step, 0.25),
    (Context::Period(2), 0.25),
    (Context::Period(3), 0.25),
    (Context::Period(4), 0.25),
    (Context::Period(5), 0.25),
];

/// What is counted for each move before anything is seen: most programs do the same behind the same context.
const BEFORE: f64 = 0.25;
/// The part of the whole that is shared out anew at each step.
const SHARED: f64 = 0.01;
/// A predictor never counts for less, so that it can come back.
const LEAST: f64 = 1e-9;

impl Context {
    /// What stands for the context behind a past; `None` where that is too short.
    fn key(self, past: &Past) -> Option<u64> {
        let mut key = 0xcbf2_9ce4_8422_2325u64;
        let mut add = |word: u64| key = (key ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        match self {
            Self::Last { own, others } => {
                let (own, others) = (usize::from(own), usize::from(others));
                if past.len() < own.max(others) {
                    return None;
                }
                past.own[past.len() - own..].iter().for_each(|&made| add(u64::from(made)));
                past.others[past.len() - others..].iter().for_each(|&made| add(made));
            }
            Self::Step => add(past.len() as u64),
            Self::Period(period) => add((past.len() % usize::from(period)) as u64),
        }
        Some(key)
    }
}

/// How often each move was made behind a context.
type Counts = SmallVec<[(MoveNumber, f64); 4]>;

#[derive(Clone, Debug, Default)]
struct Predictor {
    /// By context; behind a past that is too short for one, by its length.
    counts: FxHashMap<u64, Counts>,
}

/// What a predictor counted behind a context, and how that is called.
fn key(context: Context, past: &Past) -> u64 {
    context.key(past).unwrap_or(past.len() as u64)
}

/// What somebody does next.
#[derive(Clone, Debug)]
pub(crate) struct Mixture {
    predictors: Vec<Predictor>,
    /// How likely each predictor is held; 1 in all.
    weights: Vec<f64>,
}

impl Default for Mixture {
    fn default() -> Self {
        let whole: f64 = PREDICTORS.iter().map(|(_, weight)| weight).sum();
        Self {
            predictors: vec![Predictor::default(); PREDICTORS.len()],
            weights: PREDICTORS.iter().map(|(_, weight)| weight / whole).collect(),
        }
    }
}

impl Mixture {
    /// Sees what was done, where these moves were legal.
    pub fn see(&mut self, past: &Past, legal: &[MoveNumber], made: MoveNumber) {
        if legal.len() < 2 || !legal.contains(&made) {
            return;
        }
        let mut sum = 0.0;
        for (number, (context, _)) in PREDICTORS.iter().enumerate() {
            let counts = self.predictors[number].counts.entry(key(*context, past)).or_default();
            self.weights[number] = (self.weights[number] * expected(counts, legal, made)).max(LEAST);
            sum += self.weights[number];
            match counts.iter_mut().find(|(known, _)| *known == made) {
                Some((_, count)) => *count += 1.0,
                None => counts.push((made, 1.0)),
            }
        }
        let whole: f64 = PREDICTORS.iter().map(|(_, weight)| weight).sum();
        for (weight, (_, before)) in self.weights.iter_mut().zip(PREDICTORS) {
            *weight = (1.0 - SHARED) * *weight / sum + SHARED * before / whole;
        }
    }

    /// How likely each of these moves is.
    pub fn predict(&self, past: &Past, legal: &[MoveNumber]) -> Vec<f64> {
        let mut parts = vec![0.0; legal.len()];
        let none = Counts::new();
        for ((predictor, weight), (context, _)) in self.predictors.iter().zip(&self.weights).zip(PREDICTORS) {
            let counts = predictor.counts.get(&key(*context, past)).unwrap_or(&none);
            for (part, &made) in parts.iter_mut().zip(legal) {
                *part += weight * expected(counts, legal, made);
            }
        }
        parts
    }

    /// One way that it may be, drawn by how likely it is: a predictor, which is then asked for one course of the game.
    pub fn draw(&self, rng: &mut Rng) -> usize {
        rng.weighted(self.weights.iter().copied()).unwrap_or(0)
    }

    /// What it does if it is as this predictor says: drawn by what was counted, where what is unknown of a context is
    /// drawn once for each course (`drawn`), so that a course tells what it finds out.
    pub fn draw_move(
        &self,
        predictor: usize,
        past: &Past,
        legal: &[MoveNumber],
        drawn: &mut FxHashMap<u64, u64>,
        rng: &mut Rng,
    ) -> MoveNumber {
        let Some(&first) = legal.first() else { return 0 };
        let Some((context, _)) = PREDICTORS.get(predictor) else { return first };
        let key = key(*context, past);
        let none = Counts::new();
        let counts = self.predictors[predictor].counts.get(&key).unwrap_or(&none);
        let seed = *drawn.entry(key).or_insert_with(|| rng.bits());
        let weights = sampled_weights(counts, legal, &mut Rng::from_seed(seed));
        rng.weighted(weights.iter().copied()).map_or(first, |place| legal[place])
    }

    /// The predictor that is held likeliest, for people, with how likely.
    pub fn likeliest(&self) -> (String, f64) {
        let best = (0..self.weights.len()).max_by(|&a, &b| self.weights[a].total_cmp(&self.weights[b]));
        let best = best.unwrap_or(0);
        let text = match PREDICTORS[best].0 {
            Context::Last { own: 0, others: 0 } => "how often it makes each move".to_owned(),
            Context::Last { own, others: 0 } => format!("its last moves ({own})"),
            Context::Last { own: 0, others } => format!("the others' last moves ({others})"),
            Context::Last { own, others } => format!("its last moves ({own}) and the others' ({others})"),
            Context::Step => "the number of the step".to_owned(),
            Context::Period(period) => format!("the step within {period}"),
        };
        (text, self.weights[best])
    }
}

/// How likely a move is by counts.
fn expected(counts: &Counts, legal: &[MoveNumber], made: MoveNumber) -> f64 {
    let count =
        |made: MoveNumber| counts.iter().find(|(known, _)| *known == made).map_or(0.0, |&(_, count)| count);
    let sum: f64 = legal.iter().map(|&made| count(made) + BEFORE).sum();
    (count(made) + BEFORE) / sum
}

/// Parts of moves drawn from what counts leave possible: a draw from a Dirichlet distribution.
fn sampled_weights(counts: &Counts, legal: &[MoveNumber], rng: &mut Rng) -> SmallVec<[f64; 8]> {
    let count =
        |made: MoveNumber| counts.iter().find(|(known, _)| *known == made).map_or(0.0, |&(_, count)| count);
    legal.iter().map(|&made| gamma(count(made) + BEFORE, rng)).collect()
}

/// A draw from a gamma distribution (Marsaglia and Tsang, A simple method for generating gamma variables, 2000).
fn gamma(shape: f64, rng: &mut Rng) -> f64 {
    if shape < 1.0 {
        let lift = rng.fraction().max(f64::MIN_POSITIVE).powf(1.0 / shape);
        return gamma(shape + 1.0, rng) * lift;
    }
    let d = shape - 1.0 / 3.0;
    let c = 1.0 / (9.0 * d).sqrt();
    loop {
        // A draw from a normal distribution (Box and Muller, 1958).
        let radius = (-2.0 * rng.fraction().max(f64::MIN_POSITIVE).ln()).sqrt();
        let normal = radius * (std::f64::consts::TAU * rng.fraction()).cos();
        let cube = (1.0 + c * normal).powi(3);
        if cube > 0.0 {
            let bound = 0.5 * normal * normal + d - d * cube + d * cube.ln();
            if rng.fraction().max(f64::MIN_POSITIVE).ln() < bound {
                return d * cube;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LEGAL: [MoveNumber; 3] = [0, 1, 2];

    /// What is thought of somebody's last move after so many steps against moves by chance.
    fn held_likely(steps: usize, next: impl Fn(&[(MoveNumber, MoveNumber)]) -> MoveNumber) -> f64 {
        let (mut mixture, mut past, mut rng) = (Mixture::default(), Past::default(), Rng::from_seed(7));
        let mut joints = Vec::new();
        let mut last = 0.0;
        for _ in 0..steps {
            let (made, other) = (next(&joints), rng.below(3) as MoveNumber);
            last = mixture.predict(&past, &LEGAL)[usize::from(made)];
            mixture.see(&past, &LEGAL, made);
            past.push(made, std::iter::once(other));
            joints.push((made, other));
        }
        last
    }

    #[test]
    fn simple_programs_are_seen_through() {
        assert!(held_likely(15, |_| 1) > 0.9, "always the same");
        assert!(held_likely(30, |joints| joints.last().map_or(0, |last| last.1)) > 0.85, "copies");
        assert!(held_likely(30, |joints| [0, 0, 1, 2][joints.len() % 4]) > 0.8, "a pattern");
        assert!(
            held_likely(40, |joints| joints.last().map_or(0, |&(own, other)| (own + other) % 3)) > 0.7,
            "both"
        );
        assert!(
            held_likely(60, |joints| if joints.len() < 30 { 0 } else { 1 }) > 0.7,
            "who changes its ways"
        );
    }

    #[test]
    fn predictions_are_probabilities() {
        let (mut mixture, mut past, mut rng) = (Mixture::default(), Past::default(), Rng::from_seed(3));
        for _ in 0..200 {
            let parts = mixture.predict(&past, &LEGAL);
            assert!((parts.iter().sum::<f64>() - 1.0).abs() < 1e-9 && parts.iter().all(|&part| part > 0.0));
            let made = rng.below(3) as MoveNumber;
            mixture.see(&past, &LEGAL, made);
            past.push(made, std::iter::once(rng.below(3) as MoveNumber));
            assert!((mixture.weights.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        // Of chance nothing much is held likely.
        assert!(mixture.predict(&past, &LEGAL).iter().all(|&part| part < 0.75));
        mixture.see(&past, &LEGAL, 9);
        mixture.see(&past, &[], 0);
        assert!(mixture.predict(&past, &[]).is_empty());
    }

    #[test]
    fn draws_of_moves_go_by_counts() {
        let (mut mixture, past) = (Mixture::default(), Past::default());
        (0..50).for_each(|_| mixture.see(&past, &LEGAL, 2));
        let mut rng = Rng::from_seed(11);
        let mut twos = 0;
        for _ in 0..200 {
            let predictor = mixture.draw(&mut rng);
            twos += usize::from(
                mixture.draw_move(predictor, &past, &LEGAL, &mut FxHashMap::default(), &mut rng) == 2,
            );
        }
        assert!(twos > 180, "{twos}");
    }
}
