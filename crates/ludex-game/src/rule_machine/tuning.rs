//! Choosing plans by a sample of states.

use ludex_gdl::GameProgram;
use ludex_logic::evaluator::{Preparation, Statistics};
use ludex_logic::{Budget, LimitError};

use super::runner::RuleRunner;
use super::{RuleMachine, RuleMachineOptions, unrunnable};
use crate::error::{Answer, GameError};
use crate::machine::{Machine, Runner};
use crate::rng::Rng;
use crate::signature::ActionId;

/// Random games played to see how large relations are.
const GAMES: u64 = 4;
/// States looked at per game; they lie ever further apart.
const STATES: u32 = 12;
/// Steps of inference for one question of the sample; a question that takes more is given up.
const QUESTION: u64 = 1_000_000;
/// Steps of inference for one sample.
const SAMPLE: u64 = 2_000_000;
/// Steps of inference for the static relations while there are other ways left to try.
const STATIC: u64 = 2_000_000;
/// A machine that takes fewer steps of inference per state than this is fast enough to stop looking.
const CHEAP: f64 = 4_000.0;
/// Relations with more possible rows than this are demand-driven, from the most careful choice on.
const THRESHOLDS: [f64; 5] = [f64::INFINITY, 1e6, 1e5, 1e4, 500.0];
/// A first state and step that take fewer steps of inference than this are not worth another look.
const QUICK: u64 = 100_000;
/// Steps of inference that each choice may take at a glance, for the static relations and for each
/// question; the larger limit where no choice keeps to the smaller one.
const GLANCES: [u64; 2] = [2_000_000, 20_000_000];
/// Bytes of terms that choices may make at a glance before no other is tried.
const SPARE_TERMS: usize = 128 << 20;

/// What a sample says of a machine.
struct Sample {
    statistics: Statistics,
    /// Steps of inference per state.
    cost: f64,
}

/// The machine with the least work per state over a few random games: join orders come from what was
/// seen there, and so does the choice which relations are demand-driven rather than computed whole. One state
/// would not do: an order that is good at the beginning can be very bad later.
pub(super) fn tuned(
    game: &GameProgram,
    options: &RuleMachineOptions,
    preparation: &Preparation,
) -> Answer<RuleMachine> {
    let mut best: Option<(RuleMachine, f64)> = None;
    let mut last_count = None;
    for (number, &threshold) in THRESHOLDS.iter().enumerate() {
        let is_last = number + 1 == THRESHOLDS.len();
        let limited = if is_last && best.is_none() {
            options.budget.clone()
        } else {
            options.budget.clone().with_work(STATIC.min(options.budget.work()))
        };
        let count = preparation.demand_driven_count(threshold, &options.budget).map_err(unrunnable(game))?;
        if last_count.replace(count) == Some(count) {
            continue;
        }
        let least = best.as_ref().map(|(_, cost)| *cost);
        match candidate(game, options, preparation, threshold, &limited, least) {
            Ok(None) => {}
            Ok(Some((machine, cost))) => {
                let better = best.as_ref().is_none_or(|(_, least)| cost < *least);
                if better {
                    best = Some((machine, cost));
                }
                if cost < CHEAP {
                    break;
                }
            }
            Err(GameError::Limit(LimitError::Work { .. } | LimitError::Memory { .. })) => {}
            Err(error) => return Err(error),
        }
    }
    match best {
        Some((mut machine, cost)) => {
            machine.work = Some(cost);
            Ok(machine)
        }
        // Nothing could be prepared within the limits of one try: do it plainly within the caller's.
        None => plain(game, options, preparation),
    }
}

/// Every relation is computed whole.
fn plain(game: &GameProgram, options: &RuleMachineOptions, preparation: &Preparation) -> Answer<RuleMachine> {
    let evaluator = preparation.evaluator(f64::INFINITY, &options.budget);
    RuleMachine::over(game, evaluator.map_err(unrunnable(game))?, options)
}

/// The machine by which the initial state and a step from it take least work, or the first by which they
/// take little. Join orders are left as they are: one state says too little of later ones.
pub(super) fn glanced(
    game: &GameProgram,
    options: &RuleMachineOptions,
    preparation: &Preparation,
) -> Answer<RuleMachine> {
    let (allowed, held) = (options.budget.work(), game.program.terms.bytes());
    let rounds = GLANCES.iter().enumerate().filter(|&(round, _)| round == 0 || GLANCES[round - 1] < allowed);
    for (_, &limit) in rounds {
        let mut limit = limit.min(allowed);
        let mut best: Option<RuleMachine> = None;
        let mut last_count = None;
        for threshold in THRESHOLDS {
            let count =
                preparation.demand_driven_count(threshold, &options.budget).map_err(unrunnable(game))?;
            if last_count.replace(count) == Some(count) {
                continue;
            }
            // Whoever needs more work than the best so far need not be watched any longer.
            match glance(game, options, preparation, threshold, limit) {
                Ok((machine, work)) => {
                    if work < QUICK {
                        return Ok(machine);
                    }
                    limit = limit.min(work);
                    best = Some(machine);
                }
                Err(GameError::Limit(LimitError::Work { .. } | LimitError::Memory { .. })) => {
                    // The terms of a choice that builds ever larger ones stay in the table of all.
                    if game.program.terms.bytes().saturating_sub(held) > SPARE_TERMS {
                        return best.map_or_else(|| plain(game, options, preparation), Ok);
                    }
                }
                Err(error) => return Err(error),
            }
        }
        if let Some(machine) = best {
            return Ok(machine);
        }
    }
    // Whatever takes so long, whoever asks for it is told within the limits of the question.
    plain(game, options, preparation)
}

/// A machine for one threshold, and the work that the initial state and a step from it take.
fn glance(
    game: &GameProgram,
    options: &RuleMachineOptions,
    preparation: &Preparation,
    threshold: f64,
    limit: u64,
) -> Answer<(RuleMachine, u64)> {
    let limited = options.budget.clone().with_work(limit);
    let evaluator = preparation.evaluator(threshold, &limited).map_err(unrunnable(game))?;
    let machine = RuleMachine::over(
        game,
        evaluator,
        &RuleMachineOptions { budget: limited.clone(), ..options.clone() },
    )?;
    let mut work = 0;
    match machine.look(&limited, &mut work) {
        // A stuck role or a move without effect is for whoever plays to find out.
        Ok(()) | Err(GameError::NoLegalMove { .. } | GameError::UnknownAction { .. }) => {}
        Err(error) => return Err(error),
    }
    if work > limit {
        return Err(LimitError::Work { limit }.into());
    }
    Ok((machine, work))
}

/// A machine for one threshold with its cost; `None` when it is far from the least cost so far.
fn candidate(
    game: &GameProgram,
    options: &RuleMachineOptions,
    preparation: &Preparation,
    threshold: f64,
    limited: &Budget,
    least: Option<f64>,
) -> Answer<Option<(RuleMachine, f64)>> {
    let evaluator = preparation.evaluator(threshold, limited).map_err(unrunnable(game))?;
    let mut machine = RuleMachine::over(game, evaluator, options)?;
    let first = machine.sample(&options.budget)?;
    let evaluator = machine.evaluator.with_statistics(&first.statistics, &options.budget);
    machine.set_evaluator(evaluator.map_err(unrunnable(game))?);
    if first.cost < CHEAP {
        return Ok(Some((machine, first.cost)));
    }
    if least.is_some_and(|least| first.cost > 4.0 * least) {
        return Ok(None);
    }
    let second = machine.sample(&options.budget)?;
    Ok(Some((machine, second.cost)))
}

impl RuleMachine {
    fn sample(&self, budget: &Budget) -> Answer<Sample> {
        let mut sample = Sample { statistics: self.evaluator.statistics(), cost: 0.0 };
        let limited = budget.clone().with_work(QUESTION.min(budget.work()));
        let (mut work, mut states) = (0u64, 0u64);
        for seed in 0..GAMES {
            let done = self.sample_game(seed, &limited, &mut sample.statistics, &mut work, &mut states);
            match done {
                Ok(()) => {}
                Err(GameError::Limit(LimitError::Work { .. })) => {
                    work += 10 * QUESTION;
                    states += 1;
                    break;
                }
                // A stuck role, a move without effect or what is too long to be written is for whoever plays
                // to find out.
                Err(
                    GameError::NoLegalMove { .. }
                    | GameError::UnknownAction { .. }
                    | GameError::Limit(LimitError::Text { .. }),
                ) => {}
                Err(error) => return Err(error),
            }
            if work > SAMPLE {
                break;
            }
        }
        sample.cost = work as f64 / states.max(1) as f64;
        Ok(sample)
    }

    /// Computes the initial state and what a random step makes of it; counts the work.
    fn look(&self, budget: &Budget, work: &mut u64) -> Answer<()> {
        let mut rng = Rng::from_seed(0);
        let mut runner = self.new_runner(budget);
        if runner.terminal()? {
            return Ok(());
        }
        *work += runner.session().spent();
        let Some(joint) = self.random_joint(&mut runner, &mut rng)? else { return Ok(()) };
        *work += runner.session().spent();
        runner.prepare_step(&joint)?;
        runner.compute_all()?;
        *work += runner.session().spent();
        Ok(())
    }

    fn sample_game(
        &self,
        seed: u64,
        budget: &Budget,
        statistics: &mut Statistics,
        work: &mut u64,
        states: &mut u64,
    ) -> Answer<()> {
        let mut rng = Rng::from_seed(seed);
        let mut runner = self.new_runner(budget);
        let (mut step, mut next_look, mut looks) = (0u32, 0u32, 0u32);
        while looks < STATES && *work <= SAMPLE && !runner.terminal()? {
            *work += runner.session().spent();
            let Some(joint) = self.random_joint(&mut runner, &mut rng)? else { return Ok(()) };
            *work += runner.session().spent();
            if step == next_look {
                runner.prepare_step(&joint)?;
                runner.compute_all()?;
                self.evaluator.sample(runner.session(), statistics);
                *work += runner.session().spent();
                *states += 1;
                looks += 1;
                next_look += 1 + step / 3;
                runner.go()?;
            } else {
                runner.step_legal(&joint)?;
                *work += runner.session().spent();
                *states += 1;
            }
            step += 1;
        }
        Ok(())
    }

    /// A joint move at random; `None` where a role has no move.
    fn random_joint(&self, runner: &mut RuleRunner<'_>, rng: &mut Rng) -> Answer<Option<Vec<ActionId>>> {
        self.signature().role_ids().map(|role| Ok(rng.pick(runner.legal(role)?).copied())).collect()
    }
}
