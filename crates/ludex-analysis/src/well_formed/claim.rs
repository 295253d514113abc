//! What a course of a game can show, and whether it does: nothing is given out that was not checked on
//! the rules.

use ludex_game::{Answer, GameError, Goal, MoveError, Position, RoleId, Rules};
use ludex_logic::TermId;

use super::goal_values::goal_fault;
use crate::finding::Witness;

/// The goal of a role that has won.
pub(super) const WIN: Goal = 100;

/// What the end of a course shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Claim {
    /// The last state has been there before, so one can go round for ever.
    Loops,
    /// The game is not over, and two roles have a choice.
    Together,
    /// The role has no legal move although the game is not over.
    Stuck(RoleId),
    /// The game is over, and the role has no goal value.
    NoGoal(RoleId),
    /// The game is over, and the role has several goal values.
    SeveralGoals(RoleId),
    /// The game is over, and the role's goal is above 100.
    OutOfRange(RoleId),
    /// The last step lowered what the state is worth to the role.
    Falls(RoleId),
    /// The game is over, and the role has won.
    Wins(RoleId),
    /// The state gives the role the goal of who has won, whether or not the game is over.
    Worth(RoleId),
    /// The game is over, and the goals of the players add up to something else than this.
    OtherSum(u64),
}

impl Claim {
    /// Whether a course shows it.
    ///
    /// # Errors
    /// What the machine answers. A course that does not replay shows nothing.
    pub(crate) fn is_shown_by(self, witness: &Witness, rules: &Rules) -> Answer<bool> {
        let Some(end) = replay(witness, rules)? else { return Ok(false) };
        match self {
            Claim::Loops => Ok(!end.terminal()? && loop_start(&end).is_some()),
            Claim::Together => {
                let mut choosers = 0;
                for role in rules.seats() {
                    choosers += usize::from(end.legal(role)?.len() > 1);
                }
                Ok(!end.terminal()? && choosers > 1)
            }
            Claim::Stuck(role) => Ok(!end.terminal()? && end.legal(role)?.is_empty()),
            Claim::Falls(role) => {
                let before = Witness { steps: witness.steps[..witness.steps.len().max(1) - 1].to_vec() };
                let Some(before) = replay(&before, rules)?.filter(|_| !witness.steps.is_empty()) else {
                    return Ok(false);
                };
                let goal = |position: &Position| Ok::<_, GameError>(position.goals()?[role.index()]);
                Ok(matches!((goal(&before)?, goal(&end)?), (Some(was), Some(is)) if is < was))
            }
            Claim::Worth(role) => Ok(end.goals()?[role.index()] == Some(WIN)),
            _ if !end.terminal()? => Ok(false),
            Claim::NoGoal(role) | Claim::SeveralGoals(role) => {
                Ok(end.goals()?[role.index()].is_none() && goal_fault(rules, end.state(), role) == Some(self))
            }
            Claim::OutOfRange(role) => Ok(end.goals()?[role.index()].is_some_and(|goal| goal > WIN)),
            Claim::Wins(role) => Ok(end.goals()?[role.index()] == Some(WIN)),
            Claim::OtherSum(usual) => Ok(sum(&end.goals()?, &rules.seats()).is_some_and(|sum| sum != usual)),
        }
    }
}

/// What the goals of the players add up to, where each has one.
pub(super) fn sum(goals: &[Option<Goal>], seats: &[RoleId]) -> Option<u64> {
    seats.iter().map(|role| goals[role.index()].map(u64::from)).sum()
}

/// The step at which the state of a position was there before, the last time if there are several.
pub(super) fn loop_start(position: &Position) -> Option<usize> {
    let history = position.history();
    let last = position.state();
    (0..position.step()).rev().find(|&step| history.state_at(step) == Some(last))
}

fn replay(witness: &Witness, rules: &Rules) -> Answer<Option<Position>> {
    match witness.replay(rules) {
        Ok(end) => Ok(Some(end)),
        Err(MoveError::Game(error)) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Whether along a course all roles but this one have but one move each time, so that its moves lead
/// to the end whatever the others do; then these moves.
///
/// # Errors
/// What the machine answers.
pub(super) fn own_moves_if_others_are_bound(
    witness: &Witness,
    role: RoleId,
    rules: &Rules,
) -> Answer<Option<Vec<TermId>>> {
    let mut position = rules.start();
    let mut own = Vec::with_capacity(witness.steps.len());
    for joint in &witness.steps {
        for other in rules.roles().filter(|&other| other != role) {
            if position.legal(other)?.len() != 1 {
                return Ok(None);
            }
        }
        match position.advance(joint) {
            Ok(()) => own.push(joint[role.index()]),
            Err(MoveError::Game(error)) => return Err(error),
            Err(_) => return Ok(None),
        }
    }
    Ok(Some(own))
}
