//! A game as analyses see it: its rules and, made when first needed, its faithful net.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ludex_game::{Rules, Signature};
use ludex_logic::ground::{GroundError, GroundOptions, Grounding, ground};
use ludex_logic::{Budget, LimitError, Program, TermId};
use ludex_propnet::{Circuit, Effort, Invariants, NetError, Propnet};
use rustc_hash::FxHashMap;

use crate::finding::Reason;

/// Why there is no faithful net of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SubjectError {
    /// The rules cannot be grounded within the budget.
    #[error("the rules cannot be grounded: {0}")]
    Ground(#[from] GroundError),
    /// The ground rules are no net.
    #[error("the rules are no net: {0}")]
    Net(#[from] NetError),
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

impl From<SubjectError> for Reason {
    fn from(error: SubjectError) -> Self {
        match error {
            SubjectError::Limit(limit) => Reason::Limit(limit),
            other => Reason::NoNet(other.to_string()),
        }
    }
}

/// What proofs, figures, rule graphs and answer sets are made from: the rules without variables, clause
/// by clause, as a grounding, a named net and a circuit.
#[derive(Debug)]
pub struct Faithful {
    /// One ground rule for each instance of a clause that can ever apply; or of the parts of clauses, where
    /// whole clauses have millions of instances.
    pub grounding: Grounding,
    /// The net of these rules.
    pub net: Propnet,
    /// The net as gates: every proposition that can hold is stored, and no pass was made. Bases are
    /// those of `net.game_bases()`, in the same order.
    pub circuit: Circuit,
    invariants: OnceLock<Invariants>,
}

impl Faithful {
    /// What holds in all reachable states, proved by induction; found once.
    ///
    /// # Errors
    /// When the budget is spent; nothing is known then.
    pub fn invariants(&self, budget: &Budget) -> Result<&Invariants, LimitError> {
        if let Some(found) = self.invariants.get() {
            return Ok(found);
        }
        let found = Invariants::find(&self.circuit, &Effort::default(), budget)?;
        Ok(self.invariants.get_or_init(|| found))
    }

    /// The proposition of a base.
    pub fn base_term(&self, base: u32) -> TermId {
        self.circuit.propositions[self.circuit.bases[base as usize].proposition as usize]
    }

    /// The bases by their propositions.
    pub(crate) fn base_numbers(&self) -> FxHashMap<TermId, u32> {
        (0..self.circuit.bases.len() as u32).map(|base| (self.base_term(base), base)).collect()
    }

    /// The joint moves of a course of the circuit (per step and role a position in
    /// [`Circuit::moves`]) as terms.
    pub fn joint_terms(&self, steps: &[Vec<u32>]) -> Vec<Vec<TermId>> {
        let term = |(role, &number): (usize, &u32)| self.circuit.moves[role][number as usize];
        steps.iter().map(|step| step.iter().enumerate().map(term).collect()).collect()
    }
}

/// A game to analyse: cheap to clone, shared by threads. All analyses of one game share one subject, so
/// that its net is made once.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::well_formed::{WellFormed, WellFormedOptions};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let subject = Subject::new(&rules);
/// let found = WellFormed::find(&subject, &WellFormedOptions::default(), &Default::default());
/// assert_eq!(found.is_well_formed(), Some(true));
/// assert!(found.constant_sum.finding.is_proved());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct Subject(Arc<SubjectParts>);

struct SubjectParts {
    rules: Rules,
    faithful: Mutex<Option<Arc<Faithful>>>,
}

impl std::fmt::Debug for Subject {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Subject").field("rules", &self.0.rules).finish_non_exhaustive()
    }
}

impl Subject {
    /// A game to analyse.
    pub fn new(rules: &Rules) -> Self {
        Self(Arc::new(SubjectParts { rules: rules.clone(), faithful: Mutex::new(None) }))
    }

    /// The rules with the machine that runs them.
    pub fn rules(&self) -> &Rules {
        &self.0.rules
    }

    /// Roles, moves and propositions of the machine.
    pub fn signature(&self) -> &Arc<Signature> {
        self.0.rules.signature()
    }

    /// The faithful net, made by whoever asks first; others wait for it. After a failure the next one
    /// who asks tries again with its own budget.
    ///
    /// # Errors
    /// [`SubjectError`].
    pub fn faithful(&self, budget: &Budget) -> Result<Arc<Faithful>, SubjectError> {
        // What is stored is complete or absent, so a panic elsewhere leaves nothing broken.
        let mut place = self.0.faithful.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = &*place {
            return Ok(Arc::clone(found));
        }
        let program = self.0.rules.program();
        let grounding = grounded(&program.program, budget)?;
        let net = Propnet::new(program, &grounding)?;
        let mut meter = budget.meter();
        meter.spend(net.node_count() as u64)?;
        meter.check()?;
        let circuit = Circuit::from_net(&net);
        let made = Arc::new(Faithful { grounding, net, circuit, invariants: OnceLock::new() });
        *place = Some(Arc::clone(&made));
        Ok(made)
    }
}

/// Steps of inference for all instances of whole clauses (a million or so) before parts are tried.
const FOR_CLAUSES: u64 = 5_000_000;
/// Steps of inference for the parts before it is whole clauses whatever they cost.
const FOR_PARTS: u64 = 60_000_000;

/// The rules without variables, clause by clause. A clause over many variables that have little to do with
/// each other, as one about the moves of two roles on two boards, may have millions of instances, but few
/// in parts that say the same.
fn grounded(program: &Program, budget: &Budget) -> Result<Grounding, GroundError> {
    let allowed = budget.work();
    let within = |split, work: u64| {
        let budget = budget.clone().with_work(work.min(allowed));
        ground(program, &GroundOptions { split, ..GroundOptions::faithful() }.with_budget(budget))
    };
    for (split, work) in [(false, FOR_CLAUSES), (true, FOR_PARTS)] {
        match within(split, work) {
            Err(error) if error.is_work_limit() && work < allowed => {}
            done => return done,
        }
    }
    within(false, allowed)
}
