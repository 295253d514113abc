//! The questions every engine answers.

use std::sync::Arc;

use ludex_logic::{Budget, TermId};

use crate::batch::{Batch, BatchOptions, OneByOne};
use crate::courses::CourseSolver;
use crate::error::{Answer, GameError};
use crate::rng::Rng;
use crate::signature::{ActionId, Goal, RoleId, Signature};
use crate::state::State;

/// One move for each role, indexed by role.
pub type Joint<'a> = &'a [ActionId];

/// How a random game went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Playout {
    /// The number of joint moves made.
    pub steps: u32,
    /// Whether the last state is terminal; otherwise the step limit was reached.
    pub terminal: bool,
    /// What the last state is worth to each role, where the rules say exactly one value.
    pub goals: Vec<Option<Goal>>,
}

/// The rules of a game, ready to run. Shared by threads; each thread runs its own [`Runner`].
///
/// ```
/// use ludex_game::{Machine, RuleMachine, RuleMachineOptions};
///
/// # let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
/// #     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (<= (goal you 50) (true (at 2)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &RuleMachineOptions::default())?;
/// let mut facts = Vec::new();
/// machine.facts(machine.initial(), &mut facts);
/// assert_eq!(machine.signature().text(facts[0]), "(at 1)");
/// assert_eq!(&machine.state_of(&facts)?, machine.initial());
/// # Ok::<(), ludex_game::GameError>(())
/// ```
pub trait Machine: Send + Sync {
    /// Roles, moves and propositions as terms.
    fn signature(&self) -> &Arc<Signature>;
    /// The initial state.
    fn initial(&self) -> &State;
    /// A runner in the initial state, with limits that hold for each single question put to it.
    fn runner(&self, budget: &Budget) -> Box<dyn Runner + '_>;
    /// What plays and expands many states at once: on this machine's own terms where it has a way that
    /// is faster than one state after the other.
    fn batch(&self, options: &BatchOptions) -> Box<dyn Batch + '_> {
        let runner = self.runner(&options.budget);
        Box::new(OneByOne::new(runner, Arc::clone(self.signature()), options))
    }
    /// The facts that hold in a state, in canonical order; none for a state of another machine.
    fn facts(&self, state: &State, out: &mut Vec<TermId>);
    /// The state in which exactly these facts hold.
    ///
    /// # Errors
    /// [`GameError::UnknownFact`](crate::GameError::UnknownFact) for a fact that no state can hold.
    fn state_of(&self, facts: &[TermId]) -> Answer<State>;
    /// What finds courses that fit what a role was told, by a solver over the rules; `None` on a machine that has no
    /// such thing. With a seed, the courses that are found differ by it, and among each other.
    fn course_solver(&self, _seed: Option<u64>, _budget: &Budget) -> Option<Box<dyn CourseSolver + '_>> {
        None
    }
}

/// One current state and the scratch to compute with (book 4.2: findlegals, findnext, findreward,
/// findterminalp).
///
/// ```
/// use ludex_game::{ActionId, GameError, Machine, RoleId, RuleMachine, Runner};
///
/// let text = "(role you) (init (at 1)) (legal you go) (next (at 2)) (<= terminal (true (at 2))) (goal you 50)";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &Default::default())?;
/// let mut runner = machine.runner(&Default::default());
/// let go = runner.legal(RoleId(0))?[0];
/// assert!(matches!(runner.step(&[ActionId(go.0 + 1)]), Err(GameError::UnknownAction { .. })));
/// runner.step(&[go])?;
/// assert_eq!((runner.terminal()?, runner.goal(RoleId(0))?), (true, Some(50)));
/// assert_eq!(runner.step(&[go]), Err(GameError::Over));
/// runner.set(machine.initial())?;
/// assert!(!runner.terminal()?);
/// # Ok::<(), GameError>(())
/// ```
pub trait Runner {
    /// Roles and moves as terms: those of its machine.
    fn signature(&self) -> &Signature;
    /// Makes `state` the current state.
    ///
    /// # Errors
    /// [`GameError::ForeignState`](crate::GameError::ForeignState) for a state of another machine; a limit.
    fn set(&mut self, state: &State) -> Answer<()>;
    /// Copies the current state to `out`.
    fn save(&self, out: &mut State);
    /// Whether the current state is terminal.
    fn terminal(&mut self) -> Answer<bool>;
    /// The legal moves of a role, in canonical term order.
    fn legal(&mut self, role: RoleId) -> Answer<&[ActionId]>;
    /// What the current state is worth to a role; `None` where the rules give no value or several.
    fn goal(&mut self, role: RoleId) -> Answer<Option<Goal>>;
    /// Makes a joint move: for each role one of its legal moves, indexed by role.
    ///
    /// # Errors
    /// The same on every machine, and the state is then as before: [`GameError::Over`] where it is terminal,
    /// [`GameError::MoveCount`] where there is not one move for each role, [`GameError::UnknownAction`] for a number
    /// that stands for no move, [`GameError::IllegalMove`] for a move that its role may not make. Else a limit.
    fn step(&mut self, joint: Joint<'_>) -> Answer<()> {
        if self.terminal()? {
            return Err(GameError::Over);
        }
        let roles = self.signature().roles().len();
        if joint.len() != roles {
            return Err(GameError::MoveCount { roles, moves: joint.len() });
        }
        for (role, &action) in (0..).map(RoleId).zip(joint) {
            if !self.legal(role)?.contains(&action) {
                return Err(self.signature().not_legal(role, action));
            }
        }
        self.step_legal(joint)
    }
    /// Makes a joint move that is known to be legal, in a state that is known not to be terminal: as
    /// [`Runner::step`], without looking. For searches, which have just asked what is legal. What other moves come
    /// to differs between machines: an error, or some state.
    ///
    /// # Errors
    /// A limit.
    fn step_legal(&mut self, joint: Joint<'_>) -> Answer<()>;
    /// What the last step let a role see (GDL-II), in canonical order.
    fn percepts(&self, role: RoleId) -> &[TermId];
    /// Plays on at random from the current state, at most `limit` steps. Each role draws with equal
    /// likelihood among its legal moves in canonical order, roles in order, one draw each.
    ///
    /// # Errors
    /// [`GameError::NoLegalMove`](crate::GameError::NoLegalMove) when a role is stuck.
    fn playout(&mut self, rng: &mut Rng, limit: u32) -> Answer<Playout>;
}
