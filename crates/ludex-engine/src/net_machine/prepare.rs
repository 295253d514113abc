//! From rules to a circuit.

use ludex_gdl::{GameProgram, Notation};
use ludex_logic::Budget;
use ludex_logic::ground::{GroundOptions, ground};
use ludex_propnet::passes::{Pass, PassReport, PassSet, optimise};
use ludex_propnet::{Circuit, NetStatistics, Propnet};

use super::error::NetMachineError;

/// How a net machine is prepared.
#[derive(Clone, Debug)]
pub struct NetOptions {
    /// Limits on preparing the machine.
    pub budget: Budget,
    /// How to ground; its budget is replaced by the one here.
    pub grounding: GroundOptions,
    /// The passes that shrink the circuit. Those that make gates for shared parts of other gates are
    /// made for the stream only: a step of one state is cheaper with fewer, wider gates.
    pub passes: PassSet,
    /// How terms are written for people.
    pub notation: Notation,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self {
            budget: Budget::unlimited(),
            grounding: GroundOptions::optimised(),
            passes: PassSet::all(),
            notation: Notation::Prefix,
        }
    }
}

/// How a net machine came about, stage by stage.
#[derive(Clone, Debug, Default)]
pub struct NetSetup {
    /// Atoms of the ground program.
    pub atoms: usize,
    /// Ground rules.
    pub rules: usize,
    /// Literals in the bodies of the ground rules.
    pub literals: usize,
    /// The size of the propositional net.
    pub net: Option<NetStatistics>,
    /// What the passes did to the circuit.
    pub passes: PassReport,
    /// Counters and bits of the layout for running.
    pub slots: usize,
    /// Bytes of the layout for running.
    pub bytes: usize,
}

/// The optimised circuit of a game. The budget hears of each stage.
pub(super) fn circuit(
    game: &GameProgram,
    options: &NetOptions,
) -> Result<(Circuit, NetSetup), NetMachineError> {
    let budget = &options.budget;
    game.program.terms.set_byte_limit(budget.memory());
    let grounding = ground(&game.program, &options.grounding.clone().with_budget(budget.clone()))?;
    budget.report("making the net", 0, None);
    let net = Propnet::new(game, &grounding)?;
    let mut setup = NetSetup {
        atoms: grounding.atom_count(),
        rules: grounding.rule_count(),
        literals: grounding.literal_count(),
        net: Some(net.statistics()),
        ..NetSetup::default()
    };
    drop(grounding);
    let mut circuit = Circuit::from_net(&net);
    drop(net);
    budget.report("shrinking the circuit", 0, None);
    let passes = options.passes.without(Pass::Factors).without(Pass::CommonPairs);
    setup.passes = optimise(&mut circuit, &passes, budget)?;
    Ok((circuit, setup))
}

/// Those of the passes that make gates for shared parts of other gates.
pub(super) fn sharing(passes: PassSet) -> PassSet {
    let shared = [Pass::Factors, Pass::CommonPairs].into_iter().filter(|&pass| passes.has(pass));
    shared.fold(PassSet::none(), PassSet::with)
}
