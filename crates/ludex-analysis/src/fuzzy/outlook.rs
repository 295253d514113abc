//! What a state is worth, and what the moves made in it are worth (book 16.4).

use ludex_game::{Answer, GameError, JointMoves, RoleId, Rules, State};
use ludex_logic::{Budget, LimitError, TermId};

use super::{FuzzyGoals, FuzzyScratch};

/// What the states after a move are worth, over all moves that the others can make beside it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NextMove {
    /// The move.
    pub action: TermId,
    /// The least, from 0 to 100.
    pub least: f64,
    /// The most.
    pub most: f64,
}

/// What a state is worth, and what the states after it are.
#[derive(Clone, Debug, PartialEq)]
pub struct Outlook {
    /// The value of the state, from 0 to 100.
    pub worth: f64,
    /// The role's legal moves there in canonical order; none in a terminal state.
    pub moves: Vec<NextMove>,
    /// Why moves are missing, or were not tried beside all moves of the others, where that is so.
    pub stopped: Option<LimitError>,
}

impl FuzzyGoals {
    /// Evaluates a state of the game and all states that follow it, by the moves of the role whose goals
    /// these are. Where a limit ends that, what was evaluated is kept.
    ///
    /// # Errors
    /// What the machine answers, limits aside; [`GameError::NoLegalMove`] where a role is stuck.
    pub fn outlook(&self, rules: &Rules, state: &State, role: RoleId, budget: &Budget) -> Answer<Outlook> {
        let mut outlook = Outlook { worth: 0.0, moves: Vec::new(), stopped: None };
        match self.look(rules, state, role, budget, &mut outlook) {
            Err(GameError::Limit(limit)) => outlook.stopped = Some(limit),
            other => other?,
        }
        outlook.moves.retain(|made| made.least <= made.most);
        Ok(outlook)
    }

    fn look(
        &self,
        rules: &Rules,
        state: &State,
        role: RoleId,
        budget: &Budget,
        outlook: &mut Outlook,
    ) -> Answer<()> {
        let (machine, signature) = (rules.machine(), rules.signature());
        let mut meter = budget.meter();
        let mut scratch = FuzzyScratch::default();
        let mut facts = Vec::new();
        let mut worth = |state: &State| {
            facts.clear();
            machine.facts(state, &mut facts);
            self.evaluate(&facts, &mut scratch)
        };
        outlook.worth = worth(state);
        let mut runner = machine.runner(budget);
        runner.set(state)?;
        if runner.terminal()? {
            return Ok(());
        }
        let legal = runner.legal(role)?.to_vec();
        let untried = |&action| NextMove {
            action: signature.action(action),
            least: f64::INFINITY,
            most: f64::NEG_INFINITY,
        };
        outlook.moves = legal.iter().map(untried).collect();
        let mut joints = JointMoves::new(&mut *runner, signature)?;
        let mut after = State::default();
        while let Some(joint) = joints.next() {
            meter.spend(self.size() as u64)?;
            meter.check()?;
            runner.set(state)?;
            runner.step_legal(joint)?;
            runner.save(&mut after);
            let value = worth(&after);
            let made = legal.iter().position(|action| Some(action) == joint.get(role.index()));
            if let Some(made) = made.and_then(|made| outlook.moves.get_mut(made)) {
                made.least = made.least.min(value);
                made.most = made.most.max(value);
            }
        }
        Ok(())
    }
}
