//! Which engine runs a game.

use std::sync::Arc;

use ludex_engine::{
    LaneMachine, LaneOptions, LaneProgram, LaneWidth, NetMachine, NetMachineError, NetOptions,
};
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

/// Counted work of a step with a net by which no rules are quicker.
const QUICK_NET: u64 = 400;
/// Nanoseconds of a unit of this work; of a step of a game by rules, and of each step of inference of it: within a
/// factor of two in fifteen games of all sizes, on one machine.
const NET_WORK: f64 = 2.2;
const STEP_BY_RULES: f64 = 600.0;
const INFERENCE: f64 = 20.0;
/// Nanoseconds of an operation of a net for as many states as there are lanes.
const LANE_OPERATION: f64 = 1.0;
/// Where lanes change so many states in the time that the rules take for one, they are worth a slower step.
const MANY_STATES: f64 = 8.0;

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
    let rule_machine = || {
        let rule_options = RuleMachineOptions {
            budget: options.budget.clone(),
            tune: !options.hasty,
            notation,
            ..RuleMachineOptions::default()
        };
        let machine = RuleMachine::new(program, &rule_options);
        machine.map_err(|cause| LoadError::Machine { name: name.to_owned(), cause })
    };
    let rules = |reason: &str| Ok(made(Arc::new(rule_machine()?), Engine::Rules, reason, None));
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
        Engine::Auto => {
            let net = match net(options.auto_budget()) {
                Ok(net) => net,
                Err(cause) => return rules(&cause.to_string()),
            };
            if net.setup().work > QUICK_NET
                && let Ok(rules) = rule_machine()
                && let Some(reason) = why_rules(&rules, &net)
            {
                return Ok(made(Arc::new(rules), Engine::Rules, &reason, None));
            }
            Ok(made(net.clone(), Engine::Net, IS_NET, Some(net)))
        }
    }
}

/// Why the rule machine is better than the net, if it is: it makes more steps from one state, and lanes not many
/// more. Work was counted when both were made, so that the choice is always the same.
fn why_rules(rules: &RuleMachine, net: &NetMachine) -> Option<String> {
    let inference = rules.work_of_step()?;
    let of_rules = STEP_BY_RULES + inference * INFERENCE;
    let lanes = LaneWidth::W512.lanes() as f64;
    let of_lane = net.lane_circuit().operation_count() as f64 * LANE_OPERATION / lanes;
    let work = net.setup().work;
    let is_better = of_rules < work as f64 * NET_WORK && of_rules < of_lane * MANY_STATES;
    is_better
        .then(|| format!("a step takes {inference:.0} steps of inference, and {work} updates of the net"))
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
        let options = GameOptions { engine: Engine::Auto, hasty: false, ..options.clone() };
        let chosen = choose(self.name(), self.program(), self.notation(), &options);
        chosen.map(|chosen| chosen.choice).unwrap_or_else(|error| EngineChoice {
            asked: Engine::Auto,
            engine: Engine::Rules,
            reason: error.to_string(),
            setup: None,
        })
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
