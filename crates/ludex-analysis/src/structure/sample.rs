//! A few states of a game, to see which facts hold together.

use ludex_game::{Machine, Rng, State, TimedMachine, TimedState, Timeline, TimelineOptions};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashSet;

/// Random games to look at.
const GAMES: u64 = 2;
/// Steps of each game.
const STEPS: usize = 16;
/// Inference for all of them together; games that need more are judged by fewer states.
const WORK: u64 = 4_000_000;
/// Facts in all states together.
const FACTS: usize = 40_000;

/// The facts of the initial state and of states along a few seeded random games, as far as the budget
/// allows; the initial state comes first.
pub(crate) fn sample(machine: &dyn Machine, budget: &Budget) -> Vec<Vec<TermId>> {
    let mut facts = Vec::new();
    machine.facts(machine.initial(), &mut facts);
    let mut states = vec![facts];
    let budget = budget.clone().with_total_work(WORK);
    for game in 0..GAMES {
        let mut runner = machine.runner(&budget);
        let mut rng = Rng::from_seed(game);
        let mut state = State::default();
        if runner.set(machine.initial()).is_err() {
            break;
        }
        for _ in 0..STEPS {
            let held: usize = states.iter().map(Vec::len).sum();
            if held > FACTS || !matches!(runner.terminal(), Ok(false)) {
                break;
            }
            let mut joint = Vec::new();
            for role in machine.signature().role_ids() {
                if let Ok(moves) = runner.legal(role)
                    && let Some(&action) = rng.pick(moves)
                {
                    joint.push(action);
                }
            }
            if joint.len() != machine.signature().roles().len() || runner.step_legal(&joint).is_err() {
                return states;
            }
            runner.save(&mut state);
            let mut facts = Vec::new();
            machine.facts(&state, &mut facts);
            states.push(facts);
        }
    }
    states
}

/// Random games in real time to look at, after how many of them that brought nothing new it is enough, and how much may
/// happen in each: what facts there can be is not known without having met them.
const GAMES_IN_TIME: u64 = 200;
const ENOUGH: usize = 12;
const EVENTS: usize = 60;
/// Inference for each of these games.
const WORK_IN_TIME: u64 = 2_000_000;

/// As [`sample`], for a game in real time: somebody moves, or time passes until something expires.
pub(crate) fn sample_in_time(machine: &dyn TimedMachine, budget: &Budget) -> Vec<Vec<TermId>> {
    let facts = |state: &TimedState| state.facts().iter().map(|&(_, fact)| fact).collect::<Vec<_>>();
    let mut states = vec![facts(machine.initial())];
    let budget = budget.clone().with_work(budget.work().min(WORK_IN_TIME));
    let mut met: FxHashSet<TermId> = states[0].iter().copied().collect();
    let mut vain = 0;
    for seed in 0..GAMES_IN_TIME {
        if vain >= ENOUGH {
            break;
        }
        vain += 1;
        let options = TimelineOptions { seed, budget: budget.clone(), ..TimelineOptions::default() };
        let Ok(mut timeline) = Timeline::new(machine, &options) else { break };
        let mut rng = Rng::from_seed(seed);
        for _ in 0..EVENTS {
            let held: usize = states.iter().map(Vec::len).sum();
            if held > FACTS || timeline.is_over() || happen(&mut timeline, &mut rng).is_none() {
                break;
            }
            let state = facts(timeline.state());
            // One that shows nothing new says little about how facts lie together.
            let is_new = state.iter().filter(|&&fact| met.insert(fact)).count() > 0;
            if is_new {
                vain = 0;
            }
            if is_new || seed < GAMES {
                states.push(state);
            }
        }
    }
    states
}

/// Lets something happen at random; `None` where nothing can.
fn happen(timeline: &mut Timeline<'_>, rng: &mut Rng) -> Option<()> {
    let mut moves = Vec::new();
    for role in timeline.machine().seats() {
        moves.extend(timeline.legal(role).ok()?.iter().map(|&action| (role, action)));
    }
    let next = timeline.next_event();
    // Waiting may end the game.
    match rng.pick(&moves).copied().filter(|_| next.is_none() || rng.below(8) > 0) {
        Some(made) => timeline.submit(&[made]).ok(),
        None => timeline.advance_to(next?).ok(),
    }
}
