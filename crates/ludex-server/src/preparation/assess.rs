//! The work itself: what positions of a match are worth.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use ludex::game::{GameError, RoleId};
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
/// depend on the time unless that is over. Where nothing at all is found in a share, the game is slow: then fewer
/// positions are searched, each by what can be done in its time.
pub(super) fn assess_positions(
    game: &Game,
    wish: &AssessWish,
    limits: WorkLimits,
) -> Result<Assessed, String> {
    let clock = RealClock::start();
    let all = wish.positions.len();
    let mut positions = Vec::with_capacity(all);
    let (mut stride, mut is_slow) = (1, false);
    for (number, position) in wish.positions.iter().enumerate() {
        // Of a match each position goes with the next one.
        let is_wanted = |number: &usize| (number / 2).is_multiple_of(stride);
        if !is_wanted(&number) {
            positions.push(PositionAssessed { cut_short: true, ..PositionAssessed::default() });
            continue;
        }
        let left = wish.time.saturating_sub(clock.now());
        let open = (number..all).filter(is_wanted).count();
        let share = left / u32::try_from(open).unwrap_or(u32::MAX).max(1);
        let search = Search { game, wish, position, memory: limits.memory };
        let (mut found, mut rest) = (None, share);
        if !is_slow {
            let counted = search.counted(share.mul_f64(COUNTED));
            let is_short = ended_early(&counted);
            found = told_if_found(&search, counted)?;
            is_slow = found.is_none() && is_short;
            rest = share.mul_f64(1.0 - COUNTED);
        }
        if found.is_none() && is_slow {
            let most = usize::try_from(left.as_millis() / SLOW.as_millis()).unwrap_or(usize::MAX);
            stride = stride.max(open.div_ceil(most.max(1)));
            found = told_if_found(&search, search.timed(rest.max(SLOW.min(left))))?;
        }
        positions.push(found.unwrap_or(PositionAssessed { cut_short: true, ..PositionAssessed::default() }));
    }
    Ok(Assessed { roles: game.role_names(), positions })
}

/// The part of a share in which no more than is counted is done.
const COUNTED: f64 = 0.6;
/// The time of a position of a slow game at least.
const SLOW: Duration = Duration::from_millis(1500);
/// Fewer random games say nothing.
const FEW_PLAYOUTS: u64 = 50;

/// Whether there was no time for all of a search.
fn ended_early(found: &Result<Assessment, AssessmentError>) -> bool {
    match found {
        Ok(found) => found.is_cut_short,
        Err(error) => matches!(error, AssessmentError::Game(GameError::Limit(_))),
    }
}

/// What was found of a position, in texts; nothing where that is nothing. There may have been no time even to look at it,
/// or a net does not know it: others may be found out.
fn told_if_found(
    search: &Search<'_>,
    found: Result<Assessment, AssessmentError>,
) -> Result<Option<PositionAssessed>, String> {
    match found {
        Ok(found) => {
            let is_proved = found.values.iter().flatten().any(|value| value.proven.is_some());
            // Games of one player are not searched by random games.
            let is_searched = found.values.len() == 1 || found.playouts >= FEW_PLAYOUTS;
            let is_found = !found.is_cut_short || is_proved || is_searched;
            let has_value = found.values.iter().any(Option::is_some);
            Ok((is_found && has_value).then(|| told(search.game, &found, search.position)))
        }
        Err(AssessmentError::Game(_)) => Ok(None),
        Err(error) => Err(error.to_string()),
    }
}

/// The search of a position.
struct Search<'s> {
    game: &'s Game,
    wish: &'s AssessWish,
    position: &'s PositionWish,
    memory: usize,
}

impl Search<'_> {
    /// What is counted, called off after so long.
    fn counted(&self, time: Duration) -> Result<Assessment, AssessmentError> {
        let budget = Budget::unlimited().with_memory(self.memory).with_own_cancel_flag();
        called_off_after(time, &budget, || self.assess(&budget))
    }

    /// As much of it as there is time for, which the search shares out: what it finds depends on the time.
    fn timed(&self, time: Duration) -> Result<Assessment, AssessmentError> {
        let budget = Budget::unlimited().with_memory(self.memory).with_own_cancel_flag();
        let budget = budget.with_time(Arc::new(RealClock::start()), time);
        // What goes on without a deadline, such as the first look at a position, has to end, too.
        let found = called_off_after(2 * time, &budget, || self.assess(&budget))?;
        Ok(Assessment { is_cut_short: !found.is_over, ..found })
    }

    fn assess(&self, budget: &Budget) -> Result<Assessment, AssessmentError> {
        let game = self.game;
        let facts: Vec<TermId> =
            self.position.facts.iter().filter_map(|fact| game.read_term(fact).ok()).collect();
        let state = game.state_of(&facts).map_err(AssessmentError::Game)?;
        let AssessWish { playouts, seed, .. } = *self.wish;
        let options = AssessmentOptions { playouts, memory: MEMORY, seed };
        assess(game.machine(), game.program(), &state, &options, budget)
    }
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
