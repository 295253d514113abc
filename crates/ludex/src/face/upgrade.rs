//! Nets for players of games that the rule machine referees.

use std::sync::{Arc, Mutex, PoisonError};

use ludex_engine::{LaneOptions, NetMachine, NetMachineError, NetOptions};
use ludex_game::Machine;
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_players::Upgrade;

use super::GameOptions;

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

    /// What may be spent: what the automatic choice of an engine may, apart from time, which is the
    /// player's.
    fn limits(&self, budget: &Budget) -> Budget {
        let auto = self.options.auto_budget();
        let (work, memory) = (budget.work().min(auto.work()), budget.memory().min(auto.memory()));
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
