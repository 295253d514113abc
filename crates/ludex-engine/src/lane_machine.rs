//! A game whose single states are run in lanes, too.

use std::sync::Arc;

use ludex_game::{Answer, Batch, BatchOptions, CourseSolver, Machine, Runner, Signature, State};
use ludex_logic::{Budget, TermId};

use crate::{LaneOptions, LaneProgram, NetMachine};

/// A net machine of which everything is computed in lanes.
///
/// A [`Runner`] of it is one lane, while the other lanes play at random: slow, and the way to verify
/// lanes with what was recorded of single games. [`Machine::batch`] is a
/// [`LaneEngine`](crate::LaneEngine) with the options that were chosen.
///
/// ```
/// use ludex_engine::{LaneMachine, LaneOptions, LaneWidth, NetMachine};
/// use ludex_game::{Machine, RoleId};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (<= (next (at 2)) (true (at 1)))
/// #     (<= (next (at 3)) (true (at 2))) (<= terminal (true (at 3))) (goal you 50)";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let net = NetMachine::new(&game, &Default::default())?;
/// let options = LaneOptions { width: Some(LaneWidth::W64), ..LaneOptions::default() };
/// let machine = LaneMachine::new(net, options, 1);
/// assert_eq!(machine.batch(&Default::default()).width(), 64);
/// let mut lane = machine.runner(&Default::default());
/// let go = lane.legal(RoleId(0))?[0];
/// lane.step(&[go])?;
/// lane.step(&[go])?;
/// assert!(lane.terminal()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct LaneMachine {
    net: Arc<NetMachine>,
    lanes: Arc<LaneProgram>,
    seed: u64,
}

impl LaneMachine {
    /// Runs a game in lanes; `seed` decides how the other lanes of a runner play.
    pub fn new(net: impl Into<Arc<NetMachine>>, options: LaneOptions, seed: u64) -> Self {
        let net = net.into();
        Self { lanes: net.lanes(options), net, seed }
    }

    /// The net machine, which has the same states.
    pub fn net(&self) -> &Arc<NetMachine> {
        &self.net
    }

    /// The net machine, to be run in other lanes.
    pub fn into_net(self) -> Arc<NetMachine> {
        self.net
    }

    /// What the lanes run.
    pub fn lanes(&self) -> &Arc<LaneProgram> {
        &self.lanes
    }
}

impl Machine for LaneMachine {
    fn signature(&self) -> &Arc<Signature> {
        self.net.signature()
    }

    fn initial(&self) -> &State {
        self.net.initial()
    }

    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_> {
        self.net.charged(self.lanes.runner(budget, self.seed))
    }

    fn batch(&self, options: &BatchOptions) -> Box<dyn Batch + '_> {
        Box::new(self.lanes.engine(options))
    }

    fn facts(&self, state: &State, out: &mut Vec<TermId>) {
        self.net.facts(state, out);
    }

    fn state_of(&self, facts: &[TermId]) -> Answer<State> {
        self.net.state_of(facts)
    }

    fn course_solver(&self, seed: Option<u64>, budget: &Budget) -> Option<Box<dyn CourseSolver + '_>> {
        self.net.course_solver(seed, budget)
    }
}
