//! The moves a player may choose from by what it knows of the state.

use ludex_game::{Belief, BeliefError, GameError, MoveModel};
use ludex_logic::{Budget, LimitError, TermId};

use crate::player::PlayerError;
use crate::report::Report;

/// The part of the play clock that finding the possible states may take in GDL-II.
const BELIEF_SHARE: f64 = 0.4;

/// The moves a player may choose from: those legal in all states that it holds possible, or where
/// there is no such move, those that are likeliest to be legal. Also says how much the player knows.
///
/// Where the state is known the clock does not stop it: without a move nothing can be answered. In
/// GDL-II the search for states takes a share of the time.
pub(crate) fn moves_to_choose_from(
    belief: &mut Belief,
    model: Option<&dyn MoveModel>,
    budget: &Budget,
) -> Result<(Vec<TermId>, Report), PlayerError> {
    let patient = budget.clone().without_deadline();
    let is_known = belief.is_exact() && belief.states().len() == 1;
    let limits = if is_known { patient.clone() } else { budget.clone().with_share_of_time(BELIEF_SHARE) };
    match belief.update_by(model, &limits) {
        Ok(()) | Err(BeliefError::Game(GameError::Limit(LimitError::Deadline))) => {}
        Err(error) => return Err(error.into()),
    }
    let mut moves = belief.legal_in_all(&patient)?;
    let mut report = Report::default();
    if belief.states().len() != 1 || !belief.is_exact() {
        report = report.with("possible states", belief.states().len());
        report = report.with("all of them", if belief.is_exact() { "yes" } else { "no" });
    }
    if moves.is_empty() {
        moves = belief.likeliest_legal(&patient)?;
        report = report.with("no move is surely legal", "the likeliest is taken");
    }
    if belief.contradictions() > 0 {
        report = report.with("steps that contradict the rules", belief.contradictions());
    }
    Ok((moves, report))
}
