//! What first moves are worth (book 16.4).

use ludex_game::{Answer, JointMoves, RoleId, Rules, State};
use ludex_logic::{Budget, TermId};

use super::{FuzzyGoals, FuzzyScratch};

/// What the states after a first move are worth, over all moves that the others can make beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstMove {
    /// The move.
    pub action: TermId,
    /// The least, from 0 to 100.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// What the initial state is worth, and what the states after it are.
#[derive(Clone, Debug, PartialEq)]
pub struct Opening {
    /// The value of the initial state, from 0 to 100.
    pub initial: f64,
    /// The role's legal moves there in canonical order; none in a terminal state.
    pub moves: Vec<FirstMove>,
}

impl FuzzyGoals {
    /// Evaluates the initial state of the game and all states that follow it, by the moves of the role
    /// whose goals these are.
    ///
    /// # Errors
    /// When the budget is spent; what the machine answers.
    pub fn opening(&self, rules: &Rules, role: RoleId, budget: &Budget) -> Answer<Opening> {
        let (machine, signature) = (rules.machine(), rules.signature());
        let mut meter = budget.meter();
        let mut scratch = FuzzyScratch::default();
        let mut facts = Vec::new();
        let mut worth = |state: &State| {
            facts.clear();
            machine.facts(state, &mut facts);
            self.evaluate(&facts, &mut scratch)
        };
        let initial = worth(rules.initial());
        let mut runner = rules.runner();
        if runner.terminal()? {
            return Ok(Opening { initial, moves: Vec::new() });
        }
        let legal = runner.legal(role)?.to_vec();
        let untried = |&action| FirstMove {
            action: signature.action(action),
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        let mut moves: Vec<FirstMove> = legal.iter().map(untried).collect();
        let mut joints = JointMoves::new(&mut *runner, signature)?;
        let mut state = State::default();
        while let Some(joint) = joints.next() {
            meter.spend(self.size() as u64)?;
            runner.set(rules.initial())?;
            runner.step(joint)?;
            runner.save(&mut state);
            let value = worth(&state);
            let made = legal.iter().position(|action| Some(action) == joint.get(role.index()));
            if let Some(made) = made.and_then(|made| moves.get_mut(made)) {
                made.least = made.least.min(value);
                made.most = made.most.max(value);
            }
        }
        Ok(Opening { initial, moves })
    }
}
