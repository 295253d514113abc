//! Small open games in which roles choose at the same time, solved as a whole.
//!
//! Where everybody sees everything, what was before a state does not matter: what the states after it are worth makes
//! a [`MatrixGame`] of it, and they are solved from the ends of the game to its beginning (backward induction; for
//! games of this kind Bošanský, Lisý, Lanctot, Čermák and Winands, Algorithms for computing strategies in two-player
//! simultaneous move games, 2016). That is as much work as there are joint moves in all states, where the sequence
//! form has a leaf for each course of the game.
//!
//! Where several strategies are as good as each other, the one is taken that gains most where roles err a little now
//! and then (Selten, Reexamination of the perfectness concept for equilibrium points in extensive games, 1975).

use std::sync::Arc;

use ludex_game::{Answer, GameError, Machine, RoleId, State};
use ludex_logic::{Budget, LimitError};

use super::matrix_game::MatrixGame;
use super::stage_graph::{Payoffs, StageGraph, StageSearch};

/// Roles are taken to make so many moves by mistake, any move as likely as another.
const MISTAKES: f64 = 1e-5;
/// What solving a matrix counts as, in steps of inference, for each of its entries.
const ENTRY_COST: u64 = 16;

/// How large a game may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SolutionLimits {
    /// The most states.
    pub states: usize,
    /// The most joint moves in all states.
    pub joint_moves: usize,
    /// The most bytes.
    pub bytes: usize,
}

impl SolutionLimits {
    /// What is left of this where a machine has no lanes.
    pub(super) fn one_by_one(self) -> Self {
        const TIMES: usize = 16;
        Self { states: self.states / TIMES, joint_moves: self.joint_moves / TIMES, ..self }
    }
}

/// Why a game is not solved as a whole.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum Unsolved {
    /// Not two roles play, or chance does, too.
    #[error("it is not for two roles alone")]
    Roles,
    /// The goals of the two roles do not add up to the same in all terminal states.
    #[error("goals do not add up to the same everywhere")]
    NotConstantSum,
    /// A terminal state gives a role no goal, or several.
    #[error("a role has no goal, or several, at an end of the game")]
    NoGoal,
    /// A role cannot move in a state that is not terminal.
    #[error("a role cannot move")]
    Stuck,
    /// A state can come again.
    #[error("states can come again")]
    Repeats,
    /// There are too many states, or joint moves in them.
    #[error("it has more than {states} states, or too many joint moves in them")]
    TooLarge {
        /// How many states there may be.
        states: usize,
    },
    /// The machine has no answer, or a limit was reached.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl From<LimitError> for Unsolved {
    fn from(limit: LimitError) -> Self {
        Self::Game(GameError::Limit(limit))
    }
}

/// What a state is worth to the first role.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Worth {
    /// Where both err a little.
    value: f64,
    /// What the first role gets at least by its strategies.
    least: f64,
    /// What it gets at most where the second role plays its own.
    most: f64,
}

/// A game of two roles, solved from a state on.
pub(crate) struct StateSolution {
    machine: Arc<dyn Machine>,
    graph: StageGraph,
    worths: Vec<Worth>,
}

/// What a role does in a state by the solution.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SolvedState {
    /// The part of each of its legal moves, in their order.
    pub strategy: Vec<f64>,
    /// What each of them brings against the strategy of the other role, on average.
    pub values: Vec<f64>,
    /// What the role gets by the solution.
    pub value: f64,
    /// How much the role and the other one could gain at most by playing otherwise, on average over both.
    pub exploitability: f64,
}

impl StateSolution {
    /// Solves a game from a state on, where ends of it are worth what `payoffs` makes of their goals.
    ///
    /// # Errors
    /// [`Unsolved`]: what games are not solved, what the machine answers, a limit.
    pub fn new(
        machine: &Arc<dyn Machine>,
        root: &State,
        payoffs: Payoffs<'_>,
        limits: SolutionLimits,
        budget: &Budget,
    ) -> Result<Self, Unsolved> {
        let signature = machine.signature();
        if signature.roles().len() != 2 || signature.random().is_some() {
            return Err(Unsolved::Roles);
        }
        let graph = StageSearch::new(&**machine, payoffs, limits, budget).run(root)?;
        let order = graph.backwards().ok_or(Unsolved::Repeats)?;
        let worths = vec![Worth::default(); graph.stages.len()];
        let mut solution = Self { machine: Arc::clone(machine), graph, worths };
        let mut meter = budget.meter();
        for state in order {
            meter.spend(ENTRY_COST * solution.graph.successors(state).len() as u64)?;
            solution.worths[state as usize] = solution.worth(state);
        }
        Ok(solution)
    }

    /// How many states were solved.
    pub fn states(&self) -> usize {
        self.worths.len()
    }

    /// What a role does in a state of a machine by the solution; `None` where the state was not foreseen.
    ///
    /// # Errors
    /// Where the machine that the game was solved by does not know a fact of the state.
    pub fn of_state(
        &self,
        machine: &Arc<dyn Machine>,
        state: &State,
        role: RoleId,
    ) -> Answer<Option<SolvedState>> {
        let found = if Arc::ptr_eq(machine, &self.machine) {
            self.graph.stages.find(state.words())
        } else {
            let mut facts = Vec::new();
            machine.facts(state, &mut facts);
            self.graph.stages.find(self.machine.state_of(&facts)?.words())
        };
        Ok(found.map(|state| self.solved_state(state, role)))
    }

    fn solved_state(&self, state: u32, role: RoleId) -> SolvedState {
        let solved = self.erring(state).solve();
        let fair = self.matrix(state, |worth| (worth.least + worth.most) / 2.0);
        let worth = self.worths[state as usize];
        let sum = f64::from(self.graph.sum);
        let value = (worth.least + worth.most) / 2.0;
        let exploitability = (worth.most - worth.least) / 2.0;
        if role == RoleId(0) {
            let values = fair.row_values(&solved.columns);
            return SolvedState { strategy: solved.rows, values, value, exploitability };
        }
        let values = fair.column_values(&solved.rows).into_iter().map(|value| sum - value).collect();
        SolvedState { strategy: solved.columns, values, value: sum - value, exploitability }
    }

    /// What the pairs of moves in a state come to.
    fn matrix(&self, state: u32, part: impl Fn(Worth) -> f64) -> MatrixGame {
        let columns = self.graph.stages.value(state).counts[1] as usize;
        let values = self.graph.successors(state).iter().map(|&next| part(self.worths[next as usize]));
        MatrixGame::new(values.collect(), columns)
    }

    fn erring(&self, state: u32) -> MatrixGame {
        self.matrix(state, |worth| worth.value).with_mistakes(MISTAKES)
    }

    /// What a state is worth by what those after it are worth.
    fn worth(&self, state: u32) -> Worth {
        let stage = self.graph.stages.value(state);
        if stage.counts[0] == 0 {
            let goal = f64::from(stage.goal);
            return Worth { value: goal, least: goal, most: goal };
        }
        let solved = self.erring(state).solve();
        let least = self.matrix(state, |worth| worth.least).column_values(&solved.rows);
        let most = self.matrix(state, |worth| worth.most).row_values(&solved.columns);
        Worth {
            value: solved.value,
            least: least.into_iter().fold(f64::INFINITY, f64::min),
            most: most.into_iter().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}
