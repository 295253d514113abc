//! How much of what came of games can be told from their states: by what was learned, and by random games.

use ludex_game::{Answer, AtLimit, Batch, GameError, Outcomes, Policy, Start};

use super::mean_values;
use crate::learned_evaluation::{Covariances, Example, HeldOut, Moments};
use crate::strategy::Turn;
use crate::tree::objective::Objective;

/// Playouts from each state.
const PLAYOUTS: u32 = 32;
/// Fewer states say nothing.
const ENOUGH: usize = 128;

/// Plays from the states of examples, as far as there is time; `None` where there are too few. Playouts end after
/// `horizon` steps.
///
/// # Errors
/// What the batch answers, other than limits.
pub(crate) fn held_out<'e>(
    examples: impl ExactSizeIterator<Item = &'e Example> + Clone,
    turn: &Turn<'_>,
    batch: &mut dyn Batch,
    objective: Objective,
    horizon: u32,
) -> Answer<Option<HeldOut>> {
    if examples.len() < ENOUGH {
        return Ok(None);
    }
    let start =
        |example: &Example| Start { state: turn.state.with_words(&example.words), playouts: PLAYOUTS };
    let starts: Vec<Start> = examples.clone().map(start).collect();
    let policy = Policy { at_limit: AtLimit::Goals, ..Policy::uniform(horizon) };
    let (mut outcomes, mut tallies) = (Outcomes::default(), Vec::new());
    // In parts, so that a slow game shows something in time.
    for part in starts.chunks(ENOUGH) {
        match batch.playouts(part, &policy, turn.seed ^ tallies.len() as u64, &mut outcomes) {
            Ok(()) => tallies.append(&mut outcomes.tallies),
            Err(GameError::Limit(_)) => break,
            Err(error) => return Err(error),
        }
    }
    if tallies.len() < ENOUGH {
        return Ok(None);
    }
    let signature = turn.arena.signature();
    let mut moments = vec![Moments::default(); signature.roles().len()];
    let mut values = vec![0.0; moments.len()];
    for (example, tally) in examples.zip(&tallies) {
        mean_values(tally, objective, &mut values);
        for (role, moments) in moments.iter_mut().enumerate() {
            moments.note(values[role], example.said[role], example.value[role]);
        }
    }
    let roles = signature.role_ids().filter(|&role| Some(role) != signature.random());
    let all = roles.fold(Covariances::default(), |all, role| all.plus(moments[role.index()].covariances()));
    Ok(Some(all.held_out()))
}
