//! What players can use of the proofs about goals, without the rest of the report.

use ludex_logic::Budget;

use super::claim::Claim;
use super::induction::{Induction, Proof};
use super::ranking::ranking;
use super::sample::Sampler;
use crate::finding::Reason;
use crate::subject::Subject;

/// Random games that refute what need not be asked.
const GAMES: u32 = 20;
/// The longest courses that the solver looks at.
const MOST_STEPS: usize = 2;

/// What is proved of the goals of terminal states.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct GoalProofs {
    /// Per role whether it has exactly one goal value in every terminal state.
    pub(crate) one_goal: Vec<bool>,
    /// What the goals of all players add up to in every terminal state where each has exactly one.
    pub(crate) sum: Option<u64>,
    /// Whether every role has a legal move in every state that is not terminal.
    pub(crate) playable: bool,
    /// Whether every course ends.
    pub(crate) ends: bool,
}

/// Proves what it can by short inductions.
///
/// # Errors
/// Where there is no net, or the budget is spent before anything was asked.
pub(crate) fn prove_goals(subject: &Subject, budget: &Budget) -> Result<GoalProofs, Reason> {
    let rules = subject.rules();
    let faithful = subject.faithful(budget)?;
    let mut sampler = Sampler::new(rules, 1, budget);
    // Games that could not be played to their ends refute less; what is proved is proved all the same.
    let _ = sampler.play(GAMES);
    let shown = std::mem::take(&mut sampler.shown);
    let seats = rules.seats();
    let mut claims: Vec<Claim> = Vec::new();
    for &role in &seats {
        if shown.not_one_goal.get(role.index()).is_some_and(Vec::is_empty) {
            claims.extend([Claim::NoGoal(role), Claim::SeveralGoals(role)]);
        }
    }
    if let (1, Some((&sum, _))) = (shown.sums.len(), shown.sums.first_key_value()) {
        claims.push(Claim::OtherSum(sum));
    }
    let mut proofs = GoalProofs { one_goal: vec![false; rules.roles().len()], ..GoalProofs::default() };
    claims.extend(rules.roles().map(Claim::Stuck));
    let mut induction = Induction::new(&faithful, &seats, claims, budget)?;
    for _ in 0..=MOST_STEPS {
        // What was proved before a limit counts all the same.
        if !matches!(induction.deepen(), Ok(true)) {
            break;
        }
    }
    let mut stuck = rules.roles().len();
    let mut faults = vec![2; stuck];
    for (claim, proof) in induction.proofs() {
        match (claim, proof) {
            (Claim::Stuck(_), Proof::Never(_)) => stuck -= 1,
            (Claim::NoGoal(role) | Claim::SeveralGoals(role), Proof::Never(_)) => {
                faults[role.index()] -= 1;
                proofs.one_goal[role.index()] = faults[role.index()] == 0;
            }
            (Claim::OtherSum(sum), Proof::Never(_)) => proofs.sum = Some(sum),
            _ => {}
        }
    }
    proofs.playable = stuck == 0;
    if shown.around.is_none() {
        // What was proved before a limit counts all the same.
        proofs.ends = matches!(ranking(&faithful, budget), Ok(Some(_)));
    }
    Ok(proofs)
}
