//! A few states of a game, to see which facts hold together.

use ludex_game::{Machine, Rng, State};
use ludex_logic::{Budget, TermId};

/// Random games to look at.
const GAMES: u64 = 2;
/// Steps of each game.
const STEPS: usize = 16;
/// Inference for one question to the machine; games that need more are judged by fewer states.
const WORK: u64 = 60_000;
/// Facts in all states together.
const FACTS: usize = 40_000;

/// The facts of the initial state and of states along a few seeded random games, as far as the budget
/// allows; the initial state comes first.
pub(crate) fn sample(machine: &dyn Machine, budget: &Budget) -> Vec<Vec<TermId>> {
    let mut facts = Vec::new();
    machine.facts(machine.initial(), &mut facts);
    let mut states = vec![facts];
    let budget = budget.clone().with_work(budget.work().min(WORK));
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
