//! The ways of running a game that are compared.

use std::fmt;
use std::sync::Arc;

use ludex_engine::{Backend, LaneMachine, LaneOptions, LaneWidth, NetMachine, NetMachineError, NetOptions};
use ludex_game::{Answer, GameError, Machine, Rng, RuleMachine, RuleMachineOptions};
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_logic::evaluator::{EvaluatorError, SCRATCH_BYTES};
use ludex_logic::ground::{GroundError, GroundOptions, ground};
use ludex_propnet::passes::{Pass, PassSet};
use ludex_propnet::{NetOracle, Propagation, Propnet};

use crate::reference::oracle_machine;
use crate::top_down::top_down_machine;

/// A way of running a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// The rule machine: bottom-up, per state only what the question needs.
    Rules,
    /// The rule machine as it comes, without tuning.
    Untuned,
    /// The rule machine without tuning that looks at every step which of the terms it made are still wanted.
    Tidied,
    /// As [`Configuration::Tidied`], but it asks every relation it can with bound arguments.
    Asked,
    /// Derivations, top-down.
    TopDown,
    /// The oracle: models by enumeration.
    Oracle,
    /// The book's subroutines on the propositional net.
    Book(Propagation, Transforms),
    /// The net machine: one state at a time.
    Net(PassSet, Transforms),
    /// One lane, while the others play at random.
    Lanes {
        /// What computes the lanes.
        backend: Backend,
        /// How many lanes there are.
        width: LaneWidth,
        /// How the circuit is shrunk.
        passes: PassSet,
        /// How the rules are grounded.
        transforms: Transforms,
    },
}

/// Which transforms grounding uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transforms {
    /// Rules are split.
    pub split: bool,
    /// Relations are grounded on demand.
    pub demand: bool,
    /// What is always or never true is evaluated away.
    pub simplify: bool,
}

impl Transforms {
    /// None: the faithful grounding.
    pub const NONE: Self = Self { split: false, demand: false, simplify: false };
    /// All of them.
    pub const ALL: Self = Self { split: true, demand: true, simplify: true };

    /// All eight combinations, [`Transforms::NONE`] first.
    pub fn combinations() -> [Self; 8] {
        std::array::from_fn(|bits| Self {
            split: bits & 1 != 0,
            demand: bits & 2 != 0,
            simplify: bits & 4 != 0,
        })
    }

    /// As options of the grounder within a budget.
    pub fn options(self, budget: Budget) -> GroundOptions {
        GroundOptions { budget, split: self.split, demand: self.demand, simplify: self.simplify }
    }
}

impl fmt::Display for Transforms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named = [(self.split, "split"), (self.demand, "demand"), (self.simplify, "simplify")];
        let names: Vec<&str> = named.iter().filter(|(on, _)| *on).map(|&(_, name)| name).collect();
        f.write_str(if names.is_empty() { "faithful".to_owned() } else { names.join("+") }.as_str())
    }
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Configuration::Rules => f.write_str("rule machine"),
            Configuration::Untuned => f.write_str("untuned rule machine"),
            Configuration::Tidied => f.write_str("rule machine that tidies"),
            Configuration::Asked => f.write_str("rule machine that asks"),
            Configuration::TopDown => f.write_str("top-down"),
            Configuration::Oracle => f.write_str("oracle"),
            Configuration::Book(propagation, transforms) => {
                write!(f, "book's net, {propagation:?}, {transforms}")
            }
            Configuration::Net(passes, transforms) => {
                write!(f, "net machine, passes {passes}, {transforms}")
            }
            Configuration::Lanes { backend, width, passes, transforms } => {
                write!(f, "{} lanes, {backend}, passes {passes}, {transforms}", width.lanes())
            }
        }
    }
}

/// What one question, or preparing a machine, may cost in a comparison.
const WORK: u64 = 3_000_000;

impl Configuration {
    /// Those that run the rules themselves.
    pub const BY_RULES: [Configuration; 6] = [
        Configuration::Rules,
        Configuration::Untuned,
        Configuration::Tidied,
        Configuration::Asked,
        Configuration::TopDown,
        Configuration::Oracle,
    ];

    /// The rule machine, then one of each kind of net engine, as it is used by default.
    pub fn engines() -> Vec<Configuration> {
        let (passes, transforms) = (PassSet::all(), Transforms::ALL);
        let (backend, width) = (Backend::Auto, LaneWidth::W64);
        vec![
            Configuration::Untuned,
            Configuration::Book(Propagation::Backward, transforms),
            Configuration::Net(passes, transforms),
            Configuration::Lanes { backend, width, passes, transforms },
        ]
    }

    /// The untuned rule machine, then net engines drawn by a seed, so that a few seeds together cover
    /// every engine, backend, width, pass and transform: the book's net on the faithful grounding and
    /// on a drawn one, net machines with all passes, with none, with one left out, with a drawn set,
    /// and three kinds of lanes.
    pub fn sample(seed: u64) -> Vec<Configuration> {
        let mut rng = Rng::from_seed(seed ^ 0x6e65_7473);
        let combinations = Transforms::combinations();
        let mut transforms = || combinations[rng.below(8) as usize];
        let drawn: [Transforms; 5] = std::array::from_fn(|_| transforms());
        let some = Pass::ALL.into_iter().filter(|_| rng.below(2) == 0).fold(PassSet::none(), PassSet::with);
        let left_out = Pass::ALL[rng.below(Pass::ALL.len() as u64) as usize];
        let ways = [Propagation::Forward, Propagation::Backward];
        let (one, other) = if rng.below(2) == 0 { (0, 1) } else { (1, 0) };
        let mut found = vec![
            Configuration::Untuned,
            Configuration::Book(ways[one], Transforms::NONE),
            Configuration::Book(ways[other], drawn[0]),
            Configuration::Net(PassSet::all(), Transforms::ALL),
            Configuration::Net(PassSet::none(), drawn[1]),
            Configuration::Net(PassSet::all().without(left_out), drawn[2]),
            Configuration::Net(some, drawn[3]),
        ];
        let widths = [LaneWidth::W64, LaneWidth::W256, LaneWidth::W512];
        let sets = [PassSet::all(), some, PassSet::none()];
        for (passes, transforms) in sets.into_iter().zip([Transforms::ALL, drawn[4], drawn[1]]) {
            let (backend, _) = Backend::NAMES[rng.below(Backend::NAMES.len() as u64) as usize];
            let width = widths[rng.below(3) as usize];
            found.push(Configuration::Lanes { backend, width, passes, transforms });
        }
        found
    }

    /// Whether it runs a net; a net engine may refuse rules that the others run.
    pub fn is_net(self) -> bool {
        matches!(self, Self::Book(..) | Self::Net(..) | Self::Lanes { .. })
    }

    /// The game as a machine.
    ///
    /// # Errors
    /// [`GameError`] where this engine cannot run it.
    pub fn machine(self, game: &GameProgram) -> Answer<Box<dyn Machine>> {
        Ok(match self {
            Configuration::Rules => crate::rule_machine(game)?,
            Configuration::Untuned => untuned(game, f64::INFINITY, SCRATCH_BYTES)?,
            Configuration::Tidied => untuned(game, f64::INFINITY, 0)?,
            Configuration::Asked => untuned(game, 0.0, 0)?,
            Configuration::TopDown => Box::new(top_down_machine(game, &budget())?),
            Configuration::Oracle => Box::new(oracle_machine(game, WORK)?),
            Configuration::Book(propagation, transforms) => {
                let grounding = ground(&game.program, &transforms.options(budget())).map_err(no_grounding)?;
                let net = Propnet::new(game, &grounding).map_err(|error| unrunnable(&error))?;
                Box::new(NetOracle::new(game, Arc::new(net), propagation, Notation::Prefix))
            }
            Configuration::Net(passes, transforms) => Box::new(net_machine(game, passes, transforms)?),
            Configuration::Lanes { backend, width, passes, transforms } => {
                let options = LaneOptions { backend, width: Some(width) };
                Box::new(LaneMachine::new(net_machine(game, passes, transforms)?, options, 1))
            }
        })
    }
}

fn untuned(game: &GameProgram, demand_threshold: f64, scratch: usize) -> Answer<Box<dyn Machine>> {
    let options = RuleMachineOptions {
        tune: false,
        demand_threshold: Some(demand_threshold),
        budget: budget(),
        scratch,
        ..RuleMachineOptions::default()
    };
    Ok(Box::new(RuleMachine::new(game, &options)?))
}

fn net_machine(game: &GameProgram, passes: PassSet, transforms: Transforms) -> Answer<NetMachine> {
    let grounding = transforms.options(budget());
    let options = NetOptions { budget: budget(), grounding, passes, ..NetOptions::default() };
    NetMachine::new(game, &options).map_err(no_net)
}

/// What a net engine's refusal means for a comparison.
pub(crate) fn no_net(error: NetMachineError) -> GameError {
    match error {
        NetMachineError::Grounding(error) => no_grounding(error),
        NetMachineError::Limit(limit) => GameError::Limit(limit),
        error => unrunnable(&error),
    }
}

fn no_grounding(error: GroundError) -> GameError {
    match error {
        GroundError::Limit { limit, .. } | GroundError::Evaluator(EvaluatorError::Limit(limit)) => {
            GameError::Limit(limit)
        }
        error @ GroundError::Evaluator(_) => unrunnable(&error),
    }
}

fn unrunnable(error: &dyn fmt::Display) -> GameError {
    GameError::Unrunnable { reason: error.to_string() }
}

/// The limits of a comparison.
pub(crate) fn budget() -> Budget {
    Budget::unlimited().with_work(WORK).with_memory(1 << 28)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seeds_cover_all_backends_widths_passes_and_transforms() {
        let found: Vec<Configuration> = (0..60).flat_map(Configuration::sample).collect();
        for (backend, _) in Backend::NAMES {
            for width in [LaneWidth::W64, LaneWidth::W256, LaneWidth::W512] {
                let same = |c: &Configuration| matches!(*c, Configuration::Lanes { backend: b, width: w, .. } if (b, w) == (backend, width));
                assert!(found.iter().any(same), "{backend} {width:?}");
            }
        }
        for pass in Pass::ALL {
            let without = Configuration::Net(PassSet::all().without(pass), Transforms::ALL);
            let same = |c: &Configuration| matches!((*c, without), (Configuration::Net(a, _), Configuration::Net(b, _)) if a == b);
            assert!(found.iter().any(same), "{pass} left out");
        }
        for transforms in Transforms::combinations() {
            let same = |c: &Configuration| matches!(*c, Configuration::Net(_, t) if t == transforms);
            assert!(found.iter().any(same), "{transforms}");
        }
    }
}
