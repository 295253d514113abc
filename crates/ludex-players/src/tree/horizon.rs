//! When playouts end before the game does: where goals say long before the end who is ahead, the rest of a
//! random game tells less than it costs.

use ludex_game::{Answer, AtLimit, Batch, Outcomes, PlayoutFault, PlayoutRecord, Policy, Rng, RoleId, Start};
use ludex_logic::Budget;

use super::objective::Objective;
use super::utility::mean_steps;
use crate::strategy::Turn;

/// Horizons that are tried, in steps. Sooner, most of what is under way is not over yet.
const CANDIDATES: [u32; 5] = [16, 24, 32, 48, 64];
/// States that playouts are compared from...
const STATES: usize = 48;
/// ... and playouts from each of them.
const EACH: u32 = 16;
/// The states are as far from the present one as this part of a random game, at most.
const FARTHEST: f64 = 0.6;
/// Playouts are compared at the time that so many whole ones take.
const WHOLE: f64 = 8.0;
/// Shortened playouts are to tell so much of what whole ones do, however many are made: what they do not tell, no
/// search corrects.
const TOLD: f64 = 0.8;
/// With a horizon the error is to be less than this part of that without.
const WORTH: f64 = 0.7;

/// What playouts to one horizon say about the states.
struct Sample {
    /// The mean value of each state.
    means: Vec<f64>,
    /// The variance between playouts from the same state.
    noise: f64,
    /// Steps of a playout.
    steps: f64,
    /// Whether the goals of states that are no ends differ.
    has_goals: bool,
}

impl Sample {
    /// The variance of what the states are worth, without that of the playouts.
    fn signal(&self) -> f64 {
        covariance(&self.means, &self.means) - self.noise / f64::from(EACH)
    }

    /// How much of what states are worth to the end can be told by playouts like these, however many they are: the
    /// square of the correlation, 0 to 1.
    fn told(&self, whole: &Self) -> f64 {
        let shared = covariance(&self.means, &whole.means).max(0.0).powi(2);
        (shared / (self.signal() * whole.signal())).min(1.0)
    }

    /// The variance of what remains unknown of what a state is worth to the end, as a part of all of it, when
    /// playouts like these are made from it for so many steps: what they cannot say however many they are, and
    /// the chance in them.
    fn error(&self, whole: &Self, steps: f64) -> Option<f64> {
        let (signal, truth) = (self.signal(), whole.signal());
        if signal <= 0.0 || truth <= 0.0 {
            return None;
        }
        let told = self.told(whole);
        Some((1.0 - told) + told * self.noise * self.steps / (steps * signal))
    }
}

/// The mean product of how far two lists are from their means.
pub(super) fn covariance(a: &[f64], b: &[f64]) -> f64 {
    let count = a.len().max(1) as f64;
    let (mean_a, mean_b) = (a.iter().sum::<f64>() / count, b.iter().sum::<f64>() / count);
    a.iter().zip(b).map(|(a, b)| (a - mean_a) * (b - mean_b)).sum::<f64>() / count
}

/// The horizon that lets playouts tell most in the same time about what states are worth to the player, by
/// regression of whole random games on shortened ones from the same states. `None` where whole games are best,
/// or goals say nothing before the end. `budget` is that of the batch.
///
/// # Errors
/// A limit, or what the machine answers.
pub(super) fn find(
    turn: &Turn<'_>,
    batch: &mut dyn Batch,
    budget: &Budget,
    ends: &[PlayoutRecord],
    objective: Objective,
    longest: u32,
) -> Answer<Option<u32>> {
    let length = mean_steps(ends);
    let candidates = CANDIDATES.iter().copied().filter(|&steps| f64::from(2 * steps) <= length);
    let candidates: Vec<u32> = candidates.collect();
    if candidates.is_empty() {
        return Ok(None);
    }
    let starts = starts(turn, (FARTHEST * length) as u32, budget)?;
    let role = turn.arena.role;
    let mut played = |steps| sample(batch, &starts, steps, (role, objective), turn.seed ^ u64::from(steps));
    // The shortest first: most games show there that goals say nothing.
    let first = played(candidates[0])?;
    if !first.has_goals {
        return Ok(None);
    }
    let whole = played(longest)?;
    let time = WHOLE * whole.steps;
    let Some(error_of_whole) = whole.error(&whole, time) else { return Ok(None) };
    let mut best = (WORTH * error_of_whole, None);
    let mut consider = |steps, sample: &Sample| match sample.error(&whole, time) {
        Some(error) if error < best.0 && sample.told(&whole) >= TOLD => best = (error, Some(steps)),
        _ => {}
    };
    consider(candidates[0], &first);
    for &steps in &candidates[1..] {
        consider(steps, &played(steps)?);
    }
    Ok(best.1)
}

/// States that random games come to within so many steps.
fn starts(turn: &Turn<'_>, farthest: u32, budget: &Budget) -> Answer<Vec<Start>> {
    let mut rng = Rng::from_seed(turn.seed);
    let mut meter = budget.meter();
    let mut runner = turn.arena.machine.runner(budget);
    let roles = turn.arena.signature().roles().len() as u32;
    let mut starts = Vec::new();
    let mut joint = Vec::new();
    for _ in 0..STATES {
        meter.check()?;
        runner.set(turn.state)?;
        let mut state = turn.state.clone();
        for _ in 0..rng.below(u64::from(farthest) + 1) {
            meter.spend(1)?;
            joint.clear();
            for role in (0..roles).map(RoleId) {
                joint.extend(rng.pick(runner.legal(role)?).copied());
            }
            if joint.len() < roles as usize {
                break;
            }
            runner.step_legal(&joint)?;
            if runner.terminal()? {
                break;
            }
            runner.save(&mut state);
        }
        starts.push(Start { state, playouts: EACH });
    }
    Ok(starts)
}

/// Plays from states to a horizon. Playouts that fail, and ends without a goal, bring nothing.
fn sample(
    batch: &mut dyn Batch,
    starts: &[Start],
    horizon: u32,
    (role, objective): (RoleId, Objective),
    seed: u64,
) -> Answer<Sample> {
    let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(horizon) };
    let mut outcomes = Outcomes::default();
    batch.playouts(starts, &policy, seed, &mut outcomes)?;
    let value = |record: &PlayoutRecord| {
        let goal = objective.goals(&record.goals).get(role.index()).copied().flatten();
        f64::from(goal.unwrap_or(0))
    };
    let (mut means, mut noise, mut early) = (Vec::new(), 0.0, (f64::INFINITY, f64::NEG_INFINITY));
    for records in outcomes.records.chunk_by(|a, b| a.start == b.start) {
        let count = records.len() as f64;
        let mean = records.iter().map(value).sum::<f64>() / count;
        noise += records.iter().map(|record| (value(record) - mean).powi(2)).sum::<f64>() / (count - 1.0);
        means.push(mean);
        for record in records.iter().filter(|record| record.fault == Some(PlayoutFault::OverLimit)) {
            early = (early.0.min(value(record)), early.1.max(value(record)));
        }
    }
    noise /= means.len() as f64;
    let steps = mean_steps(&outcomes.records);
    Ok(Sample { means, noise, steps, has_goals: early.0 < early.1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(means: &[f64], noise: f64, steps: f64) -> Sample {
        Sample { means: means.to_vec(), noise, steps, has_goals: true }
    }

    #[test]
    fn short_games_that_say_the_same_are_better_and_others_are_not() {
        let truth: Vec<f64> = (0..48).map(|n| f64::from(n * 7 % 48)).collect();
        let whole = sample(&truth, 1600.0, 100.0);
        let halved: Vec<f64> = truth.iter().map(|value| value / 2.0).collect();
        let short = sample(&halved, 100.0, 10.0);
        // The variance of 0..47 is (48² - 1) / 12, and that of the means holds a 16th of the noise.
        let signal = (48.0f64.powi(2) - 1.0) / 12.0 - 100.0;
        let error = whole.error(&whole, 400.0).unwrap();
        assert!((error - 1600.0 * 100.0 / (400.0 * signal)).abs() < 1e-9);
        assert!(short.error(&whole, 400.0).unwrap() < 0.2 * error);
        // How far from the middle it is says nothing about on which side.
        let unrelated: Vec<f64> = truth.iter().map(|value| (value - 23.5).powi(2)).collect();
        assert!(sample(&unrelated, 0.1, 10.0).error(&whole, 400.0).unwrap() > 0.9);
        let opposite: Vec<f64> = truth.iter().map(|value| -value).collect();
        assert!(sample(&opposite, 0.1, 10.0).error(&whole, 400.0).unwrap() > 0.99);
        assert_eq!(sample(&[1.0; 48], 0.0, 10.0).error(&whole, 400.0), None);
    }
}
