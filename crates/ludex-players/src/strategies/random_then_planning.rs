//! The strategy `random-then-planning`.

use ludex_game::{Answer, Rng};

use crate::registry::{BuiltIn, OptionInfo};
use crate::strategies::deliberation::{NEEDED, deliberate};
use crate::strategies::planning::Method;
use crate::strategies::sequential_planning::Planner;
use crate::strategy::{Arena, Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "random-then-planning",
    description: "random moves until the game tree is small, then sequential planning (5.4)",
    options: &[OptionInfo {
        name: "nodes",
        default: "20000",
        description: "how many different states a small tree has at most",
    }],
    make: |options, resources| {
        let strategy =
            RandomThenPlanning { nodes: options.get("nodes")?, planner: Planner::new(Method::BreadthFirst) };
        Ok(Box::new(StrategyPlayer::new(strategy, resources)))
    },
};

/// Plays at random until the tree is small, then the best plan (book 5.4).
///
/// The states below are counted breadth-first. If the count comes to an end, or to a plan to 100,
/// within `nodes` states, it has found an optimal plan by the way. Where other roles have a choice, a
/// tree is small if deliberation opens no more than `nodes` states of it.
#[derive(Debug)]
struct RandomThenPlanning {
    nodes: u64,
    planner: Planner,
}

impl Strategy for RandomThenPlanning {
    fn sit(&mut self, _arena: &Arena) {
        self.planner.forget();
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Some(&random) = Rng::from_seed(turn.seed).pick(turn.legal) else { return Ok(()) };
        turn.advise(random);
        if !self.planner.is_contested() {
            if !self.planner.follow(turn)? {
                self.planner.forget();
                let root = turn.state;
                self.planner.search(turn, root, self.nodes)?;
            }
            if self.planner.is_optimal() {
                self.planner.tell(turn);
                return Ok(());
            }
        }
        if self.planner.is_contested() {
            let result = deliberate(turn, NEEDED, self.nodes);
            if matches!(result, Ok(true)) {
                return Ok(());
            }
            turn.forget_ratings();
            turn.advise(random);
            result?;
        }
        turn.note("plan", "none yet: a random move");
        Ok(())
    }
}
