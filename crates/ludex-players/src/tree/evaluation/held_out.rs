//! How much of what came of games can be told from their states: by what was learned, and by random games.

use ludex_game::{Answer, AtLimit, Batch, GameError, Outcomes, Policy, Start};

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
    let (roles, mut outcomes) = (turn.arena.signature().roles().len(), Outcomes::default());
    let mut played: Vec<f64> = Vec::with_capacity(starts.len() * roles);
    // In parts, so that a slow game shows something in time.
    for part in starts.chunks(ENOUGH) {
        match batch.playouts(part, &policy, turn.seed ^ (played.len() / roles.max(1)) as u64, &mut outcomes) {
            Ok(()) => {
                for start in 0..outcomes.tallies.len() {
                    let begun = played.len();
                    played.resize(begun + roles, 0.0);
                    objective.mean_values(&outcomes, start, &mut played[begun..]);
                }
            }
            Err(GameError::Limit(_)) => break,
            Err(error) => return Err(error),
        }
    }
    if played.len() < ENOUGH * roles {
        return Ok(None);
    }
    let signature = turn.arena.signature();
    let mut moments = vec![Moments::default(); signature.roles().len()];
    for (example, values) in examples.zip(played.chunks_exact(roles.max(1))) {
        for (role, moments) in moments.iter_mut().enumerate() {
            moments.note(values[role], example.said[role], example.value[role]);
        }
    }
    let roles = signature.role_ids().filter(|&role| Some(role) != signature.random());
    let all = roles.fold(Covariances::default(), |all, role| all.plus(moments[role.index()].covariances()));
    Ok(Some(all.held_out()))
}
