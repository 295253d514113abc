//! Games in real time with what runs them.

use std::sync::Arc;

use ludex_engine::TimedNetMachine;
use ludex_game::{TimedError, TimedMachine, TimedRuleMachine, TimedRuleMachineOptions, TimedRules};
use ludex_gdl::{Checked, GameProgram};
use ludex_logic::Budget;

use crate::engine::Engine;

/// Why a game in real time cannot be run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TimedLoadError {
    /// Its rules have errors.
    #[error("the rules have errors, so they cannot be run")]
    Rejected(Box<Checked>),
    /// The engine that was asked for cannot run it.
    #[error("the engine `{engine}` cannot run this game in real time: {cause}")]
    Engine {
        /// The engine.
        engine: Engine,
        /// Why not.
        cause: String,
    },
    /// No machine can be made of the rules.
    #[error(transparent)]
    Machine(#[from] TimedError),
}

/// A game in real time with the machine of this engine; by itself it is a net with clocks, or the rules where there is
/// none within `net_budget` (as where what is left of a lifetime becomes part of a term).
///
/// ```
/// use ludex::gdl::{LoadOptions, Source, load};
/// use ludex::{Engine, library};
///
/// let game = |name: &str| {
///     let game = library::find(name).unwrap();
///     load(std::sync::Arc::new(Source::new(game.file, game.text)), &LoadOptions::default())
/// };
/// let rules = |name| ludex::timed_rules(game(name), Engine::Auto, &Default::default(), &Default::default());
/// assert_eq!(rules("chicken")?.engine_name(), "net");
/// assert_eq!(rules("chess-clock")?.engine_name(), "rules");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TimedLoadError`].
pub fn timed_rules(
    checked: Checked,
    engine: Engine,
    budget: &Budget,
    net_budget: &Budget,
) -> Result<TimedRules, TimedLoadError> {
    let Some(game) = checked.game.as_ref().filter(|_| !checked.has_errors()) else {
        return Err(TimedLoadError::Rejected(Box::new(checked)));
    };
    let options = TimedRuleMachineOptions { budget: budget.clone(), notation: checked.rulesheet.notation };
    let (machine, name) = machine(game, engine, &options, net_budget)?;
    Ok(TimedRules::new(checked, machine, name, budget.clone()))
}

fn machine(
    game: &GameProgram,
    engine: Engine,
    options: &TimedRuleMachineOptions,
    net_budget: &Budget,
) -> Result<(Arc<dyn TimedMachine>, &'static str), TimedLoadError> {
    match engine {
        Engine::Rules => {}
        Engine::Lanes => {
            return Err(TimedLoadError::Engine { engine, cause: "lanes know no lifetimes".to_owned() });
        }
        Engine::Net => {
            let net = TimedNetMachine::new(game, options);
            let net = net.map_err(|error| TimedLoadError::Engine { engine, cause: error.to_string() })?;
            return Ok((Arc::new(net), "net"));
        }
        Engine::Auto => {
            let options = TimedRuleMachineOptions { budget: net_budget.clone(), ..options.clone() };
            if let Ok(net) = TimedNetMachine::new(game, &options) {
                return Ok((Arc::new(net), "net"));
            }
        }
    }
    Ok((Arc::new(TimedRuleMachine::new(game, options)?), "rules"))
}
