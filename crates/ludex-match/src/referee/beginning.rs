//! What a match can begin with.

use ludex_game::Rules;

use super::error::RefereeError;
use super::seat::excerpt;
use super::setup::{Patience, RefereeSetup};
use crate::course::{Match, MatchSetup};

/// That a match can be played on these terms.
pub(super) fn check(rules: &Rules, setup: &RefereeSetup) -> Result<(), RefereeError> {
    check_names(&setup.id, rules.seats().len(), setup.seats.len())?;
    if matches!(setup.patience, Patience::Replace(0) | Patience::Abort(0)) {
        return Err(RefereeError::Patience);
    }
    match setup.time_cost {
        Some(points) if !points.is_finite() || points < 0.0 => {
            Err(RefereeError::TimeCost { points: points.to_string() })
        }
        _ => Ok(()),
    }
}

/// That a match can have this name, and so many seats.
pub(super) fn check_names(id: &str, roles: usize, seats: usize) -> Result<(), RefereeError> {
    let mut letters = id.chars();
    let begins_well = letters.next().is_some_and(|first| first.is_ascii_lowercase());
    if !begins_well || !letters.all(|c| c.is_ascii_alphanumeric()) {
        return Err(RefereeError::Id { id: excerpt(id) });
    }
    if roles == seats { Ok(()) } else { Err(RefereeError::Seats { roles, seats }) }
}

/// Whether everybody knows all that happens. Only then can a match begin with moves, or go back.
pub(super) fn has_no_secrets(rules: &Rules) -> bool {
    !rules.dialect().has_percepts() && !rules.program().has_opening
}

/// A match as it begins: with the moves that are given.
pub(super) fn begun(rules: Rules, setup: &RefereeSetup) -> Result<Match, RefereeError> {
    let mut course = Match::new(rules, match_setup(setup))?;
    if !setup.given.is_empty() && !has_no_secrets(course.rules()) {
        return Err(RefereeError::Given);
    }
    for joint in &setup.given {
        course.submit_given(joint, setup.start_time).map_err(|error| RefereeError::GivenMove { error })?;
    }
    Ok(course)
}

fn match_setup(setup: &RefereeSetup) -> MatchSetup {
    MatchSetup {
        id: setup.id.clone(),
        seed: setup.seed,
        start_clock: Some(setup.clocks.start),
        play_clock: Some(setup.clocks.play),
        bank: setup.clocks.bank,
        time_cost: setup.time_cost,
        step_limit: setup.step_limit,
        start_time: setup.start_time,
        player_names: setup.seats.iter().map(|seat| seat.player.clone()).collect(),
    }
}
