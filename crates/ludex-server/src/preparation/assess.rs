//! The work itself: what positions of a match are worth.

use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use ludex::game::RoleId;
use ludex::logic::{Budget, Clock, TermId};
use ludex::players::{Assessment, AssessmentError, AssessmentOptions, MoveRating, assess};
use ludex::{Game, GameOptions, Playable};

use super::answer::game_options;
use super::late::Trouble;
use super::question::{
    AssessWish, Assessed, MoveAssessed, PositionAssessed, PositionWish, Rulesheet, ValueAssessed, WorkLimits,
};
use crate::clock::RealClock;

/// So many moves of a role are told, the best ones.
const MOVES: usize = 12;
/// Bytes for the tree of a search.
const MEMORY: usize = 64 << 20;
/// The part of the time to prepare a game that a net of it may take.
const NET_SHARE: f64 = 0.7;

/// A game that is to be searched: many questions will come, so a net is worth its while.
pub(super) fn game_to_search(rules: &Rulesheet, limits: WorkLimits) -> Result<Game, Trouble> {
    let options = GameOptions { hasty: false, net_share: NET_SHARE, ..game_options(limits) };
    match Playable::parse(&rules.name, &rules.text, &options)? {
        Playable::InSteps(game) => Ok(game),
        Playable::InTime(_) => {
            Err(Trouble::TooMuch("in a game in real time no single position can be searched".to_owned()))
        }
    }
}

/// Searches positions one after the other. Each has an equal share of the time that is left, and what it finds does not
/// depend on the time unless that is over.
pub(super) fn assess_positions(
    game: &Game,
    wish: &AssessWish,
    limits: WorkLimits,
) -> Result<Assessed, String> {
    let clock = RealClock::start();
    let mut positions = Vec::with_capacity(wish.positions.len());
    for (number, position) in wish.positions.iter().enumerate() {
        let left = wish.time.saturating_sub(clock.now());
        let share = left / u32::try_from(wish.positions.len() - number).unwrap_or(u32::MAX);
        let options = AssessmentOptions { playouts: wish.playouts, memory: MEMORY, seed: wish.seed };
        let budget = Budget::unlimited().with_memory(limits.memory).with_own_cancel_flag();
        let found = called_off_after(share, &budget, || {
            let facts: Vec<TermId> =
                position.facts.iter().filter_map(|fact| game.read_term(fact).ok()).collect();
            let state = game.state_of(&facts).map_err(AssessmentError::Game)?;
            assess(game.machine(), game.program(), &state, &options, &budget)
        });
        positions.push(match found {
            Ok(found) => told(game, &found, position),
            // There was no time even to look at the position, or it is none that a net knows: others may be found out.
            Err(AssessmentError::Game(_)) => {
                PositionAssessed { cut_short: true, ..PositionAssessed::default() }
            }
            Err(error) => return Err(error.to_string()),
        });
    }
    Ok(Assessed { roles: game.role_names(), positions })
}

/// Does something that is called off after so long. The time is no limit of the budget: searches measure the time that
/// they have, and what they find would depend on it.
pub(super) fn called_off_after<T>(time: Duration, budget: &Budget, work: impl FnOnce() -> T) -> T {
    let flag = budget.cancel_flag();
    let (done, is_done) = mpsc::channel::<()>();
    std::thread::scope(|scope| {
        let watch = move || {
            if is_done.recv_timeout(time) == Err(mpsc::RecvTimeoutError::Timeout) {
                flag.store(true, Ordering::Relaxed);
            }
        };
        if std::thread::Builder::new().name("watch".into()).spawn_scoped(scope, watch).is_err() {
            // Without anybody to call it off there is no time for it.
            budget.cancel_flag().store(true, Ordering::Relaxed);
        }
        let result = work();
        drop(done);
        result
    })
}

/// What was found, in texts.
fn told(game: &Game, found: &Assessment, position: &PositionWish) -> PositionAssessed {
    let terms = game.signature().terms();
    let rated = |rating: &MoveRating| MoveAssessed {
        text: terms.prefix(rating.action),
        shown: game.text(rating.action),
        value: rating.value.map(rounded),
        proved: rating.proven,
        visits: rating.visits,
    };
    let value = |value: &Option<ludex::players::RoleValue>| {
        value.as_ref().map(|value| ValueAssessed { value: rounded(value.value), proved: value.proven })
    };
    let made = game.roles().map(|role: RoleId| {
        let made = game.read_term(position.made.get(role.index())?.as_ref()?).ok()?;
        let known = found.moves.get(role.index())?.iter().find(|rating| rating.action == made);
        let unknown = MoveRating { action: made, value: None, visits: 0, proven: None };
        Some(rated(known.unwrap_or(&unknown)))
    });
    PositionAssessed {
        over: found.is_over,
        values: found.values.iter().map(value).collect(),
        moves: found.moves.iter().map(|moves| moves.iter().take(MOVES).map(rated).collect()).collect(),
        made: made.collect(),
        choices: found.choices.clone(),
        playouts: found.playouts,
        states: found.states,
        cut_short: found.is_cut_short,
    }
}

/// A value as it is told: to a tenth of a point.
fn rounded(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}
