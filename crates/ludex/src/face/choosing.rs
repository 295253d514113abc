//! Which engine runs a game.

use std::sync::Arc;

use ludex_engine::{LaneMachine, LaneOptions, LaneProgram, NetMachine, NetMachineError, NetOptions};
use ludex_game::{GameError, Machine, RuleMachine, RuleMachineOptions};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;

use super::{Game, GameOptions, LoadError};
use crate::engine::{Engine, EngineChoice};

/// Steps of inference that [`Engine::Auto`] spends on each part of the work of making a net at most.
const AUTO_WORK: u64 = 60_000_000;
/// Steps of inference that [`Engine::Auto`] spends on a net at most: some seconds.
const AUTO_TOTAL: u64 = 4 * AUTO_WORK;
/// Bytes that a net may take to be chosen by [`Engine::Auto`].
const AUTO_MEMORY: usize = 1 << 30;

const ASKED: &str = "it was asked for";
const FEW_QUESTIONS: &str = "a few questions are not worth making a net";
const IS_NET: &str = "the rules could be made a net";

impl GameOptions {
    /// The limits within which [`Engine::Auto`] tries to make a net: [`GameOptions::net_budget`], or
    /// [`GameOptions::budget`] with at most 60 million steps of inference for each part of the work, 240
    /// million for all of it, 1 GiB, and [`GameOptions::net_share`] of the time.
    pub fn auto_budget(&self) -> Budget {
        self.net_budget.clone().unwrap_or_else(|| {
            let budget = self.budget.clone();
            let (work, memory) = (budget.work().min(AUTO_WORK), budget.memory().min(AUTO_MEMORY));
            let budget = budget.with_work(work).with_total_work(AUTO_TOTAL).with_memory(memory);
            budget.with_share_of_time(self.net_share)
        })
    }

    fn net_options(&self, budget: Budget, notation: Notation) -> NetOptions {
        NetOptions { budget, passes: self.passes, notation, ..NetOptions::default() }
    }
}

/// A machine, and why it is this one.
pub(super) struct Chosen {
    pub(super) machine: Arc<dyn Machine>,
    /// The machine that has its states, where that is a net machine.
    pub(super) net: Option<Arc<NetMachine>>,
    pub(super) choice: EngineChoice,
}

/// Makes the machine that the options ask for.
pub(super) fn choose(
    name: &str,
    program: &GameProgram,
    notation: Notation,
    options: &GameOptions,
) -> Result<Chosen, LoadError> {
    GameError::refuse_real_time(program.dialect)
        .map_err(|cause| LoadError::Machine { name: name.to_owned(), cause })?;
    let asked = options.engine;
    let made = |machine: Arc<dyn Machine>, engine, reason: &str, net: Option<Arc<NetMachine>>| {
        let setup = net.as_ref().map(|net| net.setup().clone());
        let choice = EngineChoice { asked, engine, reason: reason.to_owned(), setup };
        Chosen { machine, net, choice }
    };
    let rules = |reason: &str| {
        let rule_options = RuleMachineOptions {
            budget: options.budget.clone(),
            tune: !options.hasty,
            notation,
            ..RuleMachineOptions::default()
        };
        let machine = RuleMachine::new(program, &rule_options);
        let machine = machine.map_err(|cause| LoadError::Machine { name: name.to_owned(), cause })?;
        Ok(made(Arc::new(machine), Engine::Rules, reason, None))
    };
    let net = |budget: Budget| NetMachine::new(program, &options.net_options(budget, notation)).map(Arc::new);
    let net_asked = || {
        let machine = net(options.budget.clone());
        machine.map_err(|cause| LoadError::Net { name: name.to_owned(), cause: Box::new(cause) })
    };
    match asked {
        Engine::Rules => rules(ASKED),
        Engine::Auto if options.hasty => rules(FEW_QUESTIONS),
        Engine::Net => {
            let net = net_asked()?;
            Ok(made(net.clone(), Engine::Net, ASKED, Some(net)))
        }
        Engine::Lanes => {
            let net = net_asked()?;
            let machine = LaneMachine::new(Arc::clone(&net), options.lanes, LANE_SEED);
            Ok(made(Arc::new(machine), Engine::Lanes, ASKED, Some(net)))
        }
        Engine::Auto => match net(options.auto_budget()) {
            Ok(net) => Ok(made(net.clone(), Engine::Net, IS_NET, Some(net))),
            Err(cause) => rules(&cause.to_string()),
        },
    }
}

/// Decides how the lanes beside a runner's play; which games these are does not matter.
const LANE_SEED: u64 = 1;

impl Game {
    /// Which engine runs the game, and why.
    pub fn choice(&self) -> &EngineChoice {
        &self.0.choice
    }

    /// Tries to make a net of the game within the limits of [`GameOptions::auto_budget`]: what
    /// [`Engine::Auto`] would run it with if many questions were to come.
    pub fn auto_choice(&self, options: &GameOptions) -> EngineChoice {
        let net = self.net_machine(&GameOptions { budget: options.auto_budget(), ..options.clone() });
        let (engine, reason, setup) = match net {
            Ok(machine) => (Engine::Net, IS_NET.to_owned(), Some(machine.setup().clone())),
            Err(cause) => (Engine::Rules, cause.to_string(), None),
        };
        EngineChoice { asked: Engine::Auto, engine, reason, setup }
    }

    /// Lanes of the game, where a net runs it. Their states are the game's.
    pub fn lanes(&self, options: LaneOptions) -> Option<Arc<LaneProgram>> {
        self.0.net.as_ref().map(|net| net.lanes(options))
    }

    /// A net machine of the game, whatever runs the game itself. Its states and ids are its own.
    ///
    /// # Errors
    /// [`NetMachineError`] where there is none within [`GameOptions::budget`].
    pub fn net_machine(&self, options: &GameOptions) -> Result<NetMachine, NetMachineError> {
        NetMachine::new(self.program(), &options.net_options(options.budget.clone(), self.notation()))
    }
}
