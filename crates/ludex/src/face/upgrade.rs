//! Nets for players of games that the rule machine referees.

use std::sync::{Arc, Mutex, PoisonError};

use ludex_engine::{LaneOptions, NetMachine, NetMachineError, NetOptions};
use ludex_game::Machine;
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_players::Upgrade;

use super::GameOptions;

/// Steps of inference that each part of the work of a net may take where a clock runs: minutes. What comes that late is
/// rarely worth the thread that it takes from the search.
const CLOCKED_WORK: u64 = 4_000_000_000;

/// Makes a net machine once, for all who play the game.
pub(super) struct NetUpgrade {
    program: Arc<GameProgram>,
    options: GameOptions,
    notation: Notation,
    made: Mutex<Option<Result<Arc<NetMachine>, String>>>,
}

impl NetUpgrade {
    pub(super) fn new(program: &Arc<GameProgram>, options: &GameOptions, notation: Notation) -> Self {
        Self { program: Arc::clone(program), options: options.clone(), notation, made: Mutex::default() }
    }

    /// What may be spent: as much memory as the automatic choice of an engine may. Where a clock runs, the player
    /// knows how much time there is; elsewhere it is as much work, too.
    fn limits(&self, budget: &Budget) -> Budget {
        let auto = self.options.auto_budget();
        let most = if budget.clock().is_some() { CLOCKED_WORK } else { auto.work() };
        let (work, memory) = (budget.work().min(most), budget.memory().min(auto.memory()));
        budget.clone().with_work(work).with_memory(memory)
    }
}

impl Upgrade for NetUpgrade {
    fn make(&self, budget: &Budget) -> Result<Arc<dyn Machine>, String> {
        // Those who come while it is being made wait for it.
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*made {
            return made.clone().map(|machine| machine as Arc<dyn Machine>);
        }
        let options = NetOptions {
            budget: self.limits(budget),
            passes: self.options.passes,
            notation: self.notation,
            ..NetOptions::default()
        };
        match NetMachine::new(&self.program, &options) {
            Ok(machine) => {
                let machine = Arc::new(machine);
                // Players think in lanes, and had otherwise to make them in a turn.
                machine.lanes(LaneOptions::default());
                *made = Some(Ok(Arc::clone(&machine)));
                Ok(machine)
            }
            Err(error) => {
                let why = error.to_string();
                if !is_cancelled(&error) {
                    *made = Some(Err(why.clone()));
                }
                Err(why)
            }
        }
    }
}

/// Whether somebody with more time could have gone on.
fn is_cancelled(error: &NetMachineError) -> bool {
    let mut cause: Option<&dyn std::error::Error> = Some(error);
    while let Some(error) = cause {
        if let Some(limit) = error.downcast_ref::<ludex_logic::LimitError>() {
            return matches!(limit, ludex_logic::LimitError::Cancelled | ludex_logic::LimitError::Deadline);
        }
        cause = error.source();
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Engine, Game};
    use ludex_logic::Clock;
    use std::time::Duration;

    struct Stopped;

    impl Clock for Stopped {
        fn now(&self) -> Duration {
            Duration::ZERO
        }
    }

    /// How many steps a net takes says nothing of whether there is time for it.
    #[test]
    fn where_a_clock_runs_the_time_decides_and_elsewhere_the_work() {
        let few = Some(Budget::unlimited().with_work(10));
        let options = GameOptions { engine: Engine::Rules, net_budget: few, ..GameOptions::default() };
        let game = Game::bundled("tic-tac-toe", &options).unwrap();
        let upgrade = || NetUpgrade::new(game.program(), &options, Notation::Prefix);
        let why = upgrade().make(&Budget::unlimited()).err();
        assert!(why.is_some_and(|why| why.contains("10 steps of inference")));
        let timed = Budget::unlimited().with_time(Arc::new(Stopped), Duration::from_secs(10));
        assert!(upgrade().make(&timed).is_ok());
        assert!(upgrade().make(&timed.clone().without_deadline()).is_ok(), "beyond the start clock, too");
        assert!(upgrade().make(&timed.with_work(10)).is_err(), "a player counts what it likes");
    }

    /// What a player is given is ready to be played with: nothing large is left to be made in a turn.
    #[test]
    fn a_net_for_players_has_lanes() {
        let options = GameOptions { engine: Engine::Rules, ..GameOptions::default() };
        let game = Game::bundled("tic-tac-toe", &options).unwrap();
        let upgrade = NetUpgrade::new(game.program(), &options, Notation::Prefix);
        upgrade.make(&Budget::unlimited()).unwrap();
        let made = upgrade.made.lock().unwrap();
        assert!(made.as_ref().unwrap().as_ref().unwrap().has_lanes());
    }
}
