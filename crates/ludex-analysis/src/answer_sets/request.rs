//! What is asked of a game as an answer set program, and whether an answer is one.

use ludex_game::{MoveError, RoleId, Rules};
use ludex_logic::TermId;

use crate::finding::Witness;

/// What an answer set program about a game asks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Task {
    /// What these joint moves lead to (book 15.2). The moves need not be legal. There is one model.
    Evolution(Vec<Vec<TermId>>),
    /// A plan, as 15.3 prints it: a legal move at every time, even once the game is over; the game ends,
    /// and wherever it is over the goal holds.
    PlanAsPrinted,
    /// A plan, with the refinement of exercise 15.2: moves are made until the game is over, and the goal
    /// holds where it is over for the first time.
    Plan,
}

/// A question about a game over a number of time points.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Request {
    /// What is asked.
    pub task: Task,
    /// The number of time points; the initial state is at time 1, so a plan of `n` moves ends at time
    /// `n + 1`.
    pub horizon: u32,
    /// The role whose goal it is. All roles, `random` too, move as it suits that goal.
    pub role: RoleId,
    /// The least goal value that will do.
    pub least_goal: u32,
}

impl Request {
    /// A plan that is worth 100 to the first role that somebody plays.
    pub fn plan(rules: &Rules, horizon: u32) -> Self {
        let role = rules.seats().first().copied().or_else(|| rules.roles().next());
        // Every game has a role; a request for one that is not there would have no answer.
        Self { task: Task::Plan, horizon, role: role.unwrap_or(RoleId(0)), least_goal: 100 }
    }

    /// The same with a plan as 15.3 prints it.
    #[must_use]
    pub fn as_printed(mut self) -> Self {
        self.task = Task::PlanAsPrinted;
        self
    }

    /// What joint moves lead to; there is a time point for each.
    pub fn evolution(rules: &Rules, moves: Vec<Vec<TermId>>) -> Self {
        let horizon = u32::try_from(moves.len()).unwrap_or(u32::MAX);
        Self { task: Task::Evolution(moves), ..Self::plan(rules, horizon) }
    }
}

/// Why moves are no plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    /// A move cannot be made.
    #[error("step {step}: {error}")]
    Move {
        /// The step, from 1.
        step: usize,
        /// Why not.
        error: MoveError,
    },
    /// The game goes on after the last move.
    #[error("the game is not over after {steps} steps")]
    Open {
        /// How many moves there are.
        steps: usize,
    },
    /// The game ends with another value.
    #[error("the game ends with the goal value {}", .goal.map_or_else(|| "none".to_owned(), |goal| goal.to_string()))]
    Goal {
        /// The value; `None` where the rules give none or several.
        goal: Option<u32>,
    },
    /// The engine has no answer.
    #[error("{0}")]
    Game(#[from] ludex_game::GameError),
}

/// Plays a plan by the rules: whether the game ends with a goal value that will do. Moves after the end
/// are left out of the answer.
///
/// # Errors
/// [`PlanError`]: it is no such plan.
pub fn check_plan(rules: &Rules, request: &Request, steps: &[Vec<TermId>]) -> Result<Witness, PlanError> {
    let mut position = rules.start();
    let mut made = 0;
    while !position.terminal()? {
        let step = steps.get(made).ok_or(PlanError::Open { steps: made })?;
        position.advance(step).map_err(|error| PlanError::Move { step: made + 1, error })?;
        made += 1;
    }
    let goal = position.goals()?.get(request.role.index()).copied().flatten();
    if goal.is_some_and(|goal| goal >= request.least_goal) {
        Ok(Witness { steps: steps[..made].to_vec() })
    } else {
        Err(PlanError::Goal { goal })
    }
}
