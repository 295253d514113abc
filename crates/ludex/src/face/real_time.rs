//! What runs a game in real time.

use std::sync::Arc;

use ludex_engine::TimedNetMachine;
use ludex_game::{TimedMachine, TimedRuleMachine, TimedRuleMachineOptions};
use ludex_gdl::GameProgram;
use ludex_propnet::TimedNetError;

use crate::engine::Engine;

/// A machine for a game in real time: with [`Engine::Auto`] the net machine where the rules can be made a net within
/// `net_budget`, or else the rule machine. There are no lanes in real time; [`Engine::Lanes`] stands for the net.
///
/// ```
/// use ludex::game::RoleId;
/// use ludex::gdl::{Source, load};
/// use ludex::{Engine, timed_machine};
///
/// let game = ludex::library::find("cheshire-cat").unwrap();
/// let checked = load(std::sync::Arc::new(Source::new(game.file, game.text)), &Default::default());
/// let machine = timed_machine(&checked.game.unwrap(), Engine::Auto, &Default::default(), &Default::default())?;
/// assert!(machine.runner(&Default::default()).legal(RoleId(0))?.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`TimedNetError::Timed`] where the game cannot be run at all. With [`Engine::Net`], why it has no net.
pub fn timed_machine(
    program: &GameProgram,
    engine: Engine,
    options: &TimedRuleMachineOptions,
    net_budget: &ludex_logic::Budget,
) -> Result<Arc<dyn TimedMachine>, TimedNetError> {
    let net_options = TimedRuleMachineOptions { budget: net_budget.clone(), ..options.clone() };
    let net = |options: &TimedRuleMachineOptions| TimedNetMachine::new(program, options).map(Arc::new);
    let rules = || TimedRuleMachine::new(program, options).map(Arc::new);
    Ok(match engine {
        Engine::Net | Engine::Lanes => net(options)?,
        Engine::Rules => rules()?,
        Engine::Auto => match net(&net_options) {
            Ok(net) => net,
            Err(_) => rules()?,
        },
    })
}
