//! From rules to a circuit.

use ludex_game::GameError;
use ludex_gdl::{GameProgram, Notation};
use ludex_logic::ground::{GroundOptions, ground};
use ludex_logic::{Budget, LimitError};
use ludex_propnet::passes::{Pass, PassReport, PassSet, optimise, optimise_with};
use ludex_propnet::{Circuit, Effort, InvariantStatistics, Invariants, NetStatistics, Propnet};

use super::build::Layout;
use super::circuit_selection;
use super::error::NetMachineError;

/// How a net machine is prepared.
#[derive(Clone, Debug)]
pub struct NetOptions {
    /// Limits on preparing the machine.
    pub budget: Budget,
    /// How to ground; its budget is replaced by the one here.
    pub grounding: GroundOptions,
    /// The passes that shrink the circuit. Those that make gates for shared parts of other gates are
    /// always made for lanes, but for one state at a time only where that saves work in random games.
    pub passes: PassSet,
    /// How hard to look for what always holds, for the passes to use; `None` for not at all. Circuits
    /// with more than [`NetOptions::invariant_operations`] operations are not searched.
    pub invariants: Option<Effort>,
    /// See [`NetOptions::invariants`]: above this size proofs take long and seldom succeed.
    pub invariant_operations: usize,
    /// How terms are written for people.
    pub notation: Notation,
}

impl Default for NetOptions {
    fn default() -> Self {
        Self {
            budget: Budget::unlimited(),
            grounding: GroundOptions::optimised(),
            passes: PassSet::all(),
            invariants: Some(Effort::default()),
            invariant_operations: 40_000,
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
    /// What was proved to hold always, where that was looked for.
    pub invariants: Option<InvariantStatistics>,
    /// Counters and bits of the layout for running.
    pub slots: usize,
    /// Bytes of the layout for running.
    pub bytes: usize,
    /// Counted work of a step in random games; two for each operand that a gate is told of.
    pub work: u64,
}

/// The circuits of a game.
pub(super) struct Prepared {
    /// For one state at a time.
    pub(super) circuit: Circuit,
    pub(super) layout: Layout,
    /// For lanes, where that is another one.
    pub(super) shared: Option<Circuit>,
    pub(super) setup: NetSetup,
}

/// The optimised circuits of a game. The budget hears of each stage.
pub(super) fn circuit(game: &GameProgram, options: &NetOptions) -> Result<Prepared, NetMachineError> {
    GameError::refuse_real_time(game.dialect)?;
    let budget = &options.budget;
    let grounding = ground(&game.program, &options.grounding.clone().with_budget(budget.clone()))?;
    budget.report("making the net", 0, None);
    // Some stages have no measure of their work, so the limits on time are looked at in between.
    let meter = || budget.meter();
    meter().check()?;
    let net = Propnet::new(game, &grounding)?;
    meter().check()?;
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
    meter().check()?;
    budget.report("shrinking the circuit", 0, None);
    let passes = options.passes.without(Pass::Factors).without(Pass::CommonPairs);
    setup.passes = optimise(&mut circuit, &passes, budget)?;
    let uses_invariants = passes.has(Pass::Exclusive) || passes.has(Pass::EqualBases);
    if let Some(effort) = options.invariants.as_ref().filter(|_| uses_invariants)
        && circuit.operation_count() <= options.invariant_operations
    {
        budget.report("proving invariants", 0, None);
        match Invariants::find(&circuit, effort, budget) {
            Ok(invariants) => {
                let further = optimise_with(&mut circuit, &invariants, &passes, budget)?;
                setup.passes.extend(further);
                setup.invariants = Some(invariants.statistics);
            }
            // The circuit is as good without them.
            Err(LimitError::Work { .. }) => {}
            Err(limit) => return Err(limit.into()),
        }
    }
    circuit.check()?;
    meter().check()?;
    budget.report("sharing parts of gates", 0, None);
    let mut shared = circuit.clone();
    let report = match optimise(&mut shared, &sharing(options.passes), budget) {
        Ok(report) => Some(report),
        // The circuit runs without these gates, too; in lanes as well.
        Err(LimitError::Work { .. }) => {
            shared = circuit.clone();
            None
        }
        Err(limit) => return Err(limit.into()),
    };
    let cheaper = circuit_selection::cheaper(&shared, &circuit);
    setup.work = cheaper.work;
    let layout = cheaper.layout;
    if cheaper.is_second {
        return Ok(Prepared { circuit, layout, shared: Some(shared), setup });
    }
    report.into_iter().for_each(|report| setup.passes.extend(report));
    Ok(Prepared { circuit: shared, layout, shared: None, setup })
}

/// Those of the passes that make gates for shared parts of other gates.
fn sharing(passes: PassSet) -> PassSet {
    let all = [Pass::Factors, Pass::CommonPairs, Pass::HashConsing, Pass::Flatten, Pass::DeadCones];
    let shared = all.into_iter().filter(|&pass| passes.has(pass));
    shared.fold(PassSet::none(), PassSet::with)
}
