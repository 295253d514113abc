//! Analyses of matches that are over: which positions are searched, with how much, one at a time; and what follows
//! from what was found.

use std::sync::Arc;
use std::time::Duration;

use ludex::AnyRecord;
use ludex::matches::view::{StateView, StepView, Viewer};

use super::error::ManagerError;
use super::excerpt::seen_step;
use super::in_turn::in_turn;
use super::options::ManagerOptions;
use crate::cache::Cache;
use crate::gate::Gate;
use crate::model::{CoursePoint, MatchAnalysis, MoveAnalysis, PositionAnalysis, RoleAnalysis, TurningPoint};
use crate::preparation::{
    AssessWish, Assessed, MoveAssessed, PositionAssessed, PositionWish, Preparation, PreparationOptions,
    WorkLimits,
};

/// Positions of a match that are searched at most: half as many steps, each with the position behind it, where a match
/// has more.
pub(super) const MOST_POSITIONS: usize = 80;
/// Bytes of the facts of all positions that are searched for a match; where there are more, there are fewer positions.
const MOST_BYTES: usize = 4 << 20;
/// Random games for a position that somebody asks for, and for each position of a match.
const PLAYOUTS: (u64, u64) = (30_000, 3_000);
/// The time for a position that somebody asks for, and for all positions of a match.
const TIME: (Duration, Duration) = (Duration::from_secs(5), Duration::from_secs(20));
/// The time to prepare a game for searches.
const PREPARING: Duration = Duration::from_secs(15);
/// After so long a process that searches is ended, whatever it is at.
const PATIENCE: Duration = Duration::from_secs(60);
/// Equal questions have equal answers.
const SEED: u64 = 1;
/// How many may wait for an analysis; each of them keeps a thread.
const WAITING: usize = 3;
/// What others wait for.
const WORK: &str = "other analyses";
/// Bytes of the analyses that are kept, of each kind.
const KEPT: usize = 4 << 20;

/// Who analyses matches. Searches have a process of their own, so that nobody who only looks waits for them.
#[derive(Debug)]
pub(super) struct Analyses {
    pub(super) preparation: Preparation,
    gate: Gate,
    positions: Cache<(String, usize), PositionAnalysis>,
    matches: Cache<String, MatchAnalysis>,
}

impl Analyses {
    pub(super) fn new(options: &ManagerOptions, limits: WorkLimits) -> Self {
        let patient = |options: PreparationOptions| PreparationOptions {
            patience: options.patience.max(PATIENCE),
            ..options
        };
        let limits = WorkLimits { time: limits.time.min(PREPARING), ..limits };
        Self {
            preparation: Preparation::of_one_process(
                options.preparation.clone().map(patient),
                limits,
                WAITING,
            ),
            gate: Gate::new(1, WAITING),
            positions: Cache::new(KEPT, position_bytes),
            matches: Cache::new(KEPT, match_bytes),
        }
    }

    /// The analysis of a position: one that was made before, or what `make` makes of it in its turn.
    pub(super) fn position(
        &self,
        key: (String, usize),
        make: impl FnOnce() -> Result<PositionAnalysis, ManagerError>,
    ) -> Result<Arc<PositionAnalysis>, ManagerError> {
        in_turn((&self.gate, WORK), &self.positions, key, make)
    }

    /// The same for a whole match.
    pub(super) fn whole(
        &self,
        id: &str,
        make: impl FnOnce() -> Result<MatchAnalysis, ManagerError>,
    ) -> Result<Arc<MatchAnalysis>, ManagerError> {
        in_turn((&self.gate, WORK), &self.matches, id.to_owned(), make)
    }
}

/// What is wanted to know of these positions of a match.
pub(super) fn wish(positions: Vec<PositionWish>, of_match: bool) -> AssessWish {
    let (playouts, time) = if of_match { (PLAYOUTS.1, TIME.1) } else { (PLAYOUTS.0, TIME.0) };
    AssessWish { positions, playouts, seed: SEED, time }
}

/// A position of a match that is recorded, as it is searched; nothing where the record has no such position, or none
/// that anybody may see whole.
pub(super) fn position_of(record: &AnyRecord, step: usize) -> Option<PositionWish> {
    let AnyRecord::InSteps(record) = record else { return None };
    let (state, made): (StateView, Option<StepView>) = seen_step(record, Viewer::Spectator, step)?;
    let made = made.map(|step| step.moves).unwrap_or_default();
    Some(PositionWish { facts: state.facts.filter(|facts| !facts.is_empty())?, made })
}

/// The positions of a match of so many steps that are searched: all, or where that are more than so many, some that
/// are evenly spread, each with the one behind it.
pub(super) fn steps_to_search(steps: usize, most: usize) -> Vec<usize> {
    if steps < most {
        return (0..=steps).collect();
    }
    let pairs = (most / 2).max(1);
    let begin = |pair: usize| pair * (steps - 1) / (pairs - 1).max(1);
    let mut found: Vec<usize> = (0..pairs).map(begin).flat_map(|step| [step, step + 1]).collect();
    found.dedup();
    found
}

/// The positions of a match that are searched, with their steps; fewer where they are large.
pub(super) fn positions_of(record: &AnyRecord, steps: usize) -> Vec<(usize, PositionWish)> {
    let mut most = MOST_POSITIONS;
    loop {
        let mut bytes = 0;
        let wanted = steps_to_search(steps, most).into_iter();
        let found: Vec<_> = wanted
            .filter_map(|step| Some((step, position_of(record, step)?)))
            .take_while(|(_, position)| {
                bytes += position.facts.iter().map(String::len).sum::<usize>();
                bytes <= MOST_BYTES
            })
            .collect();
        if bytes <= MOST_BYTES || most <= 2 {
            return found;
        }
        most /= 2;
    }
}

fn move_found(found: &MoveAssessed) -> MoveAnalysis {
    let MoveAssessed { text, shown, value, proved, visits } = found.clone();
    MoveAnalysis { action: text, name: shown, value, proved, visits }
}

/// What was found of a position; `roles` are those of the match.
pub(super) fn position_found(
    step: usize,
    roles: &[String],
    names: &[String],
    found: &PositionAssessed,
) -> PositionAnalysis {
    let of = |number: usize| {
        let value = found.values.get(number).copied().flatten();
        Some(RoleAnalysis {
            role: roles.get(number)?.clone(),
            name: names.get(number)?.clone(),
            value: value.map(|value| value.value),
            proved: value.and_then(|value| value.proved),
            choices: found.choices.get(number).copied().unwrap_or(0),
            moves: found.moves.get(number)?.iter().map(move_found).collect(),
            made: found.made.get(number)?.as_ref().map(move_found),
        })
    };
    PositionAnalysis {
        step,
        over: found.over,
        roles: (0..found.values.len()).map_while(of).collect(),
        playouts: found.playouts,
        states: found.states,
        cut_short: found.cut_short,
    }
}

/// What was found of a match of so many steps, of these of its positions.
pub(super) fn match_found(steps: usize, roles: &[String], at: &[usize], found: &Assessed) -> MatchAnalysis {
    let positions: Vec<PositionAnalysis> = at
        .iter()
        .zip(&found.positions)
        .map(|(&step, position)| position_found(step, roles, &found.roles, position))
        .collect();
    let point = |position: &PositionAnalysis| CoursePoint {
        step: position.step,
        values: position.roles.iter().map(|role| role.value).collect(),
        proved: position.roles.iter().map(|role| role.proved).collect(),
    };
    MatchAnalysis {
        steps,
        roles: roles.to_vec(),
        names: found.roles.clone(),
        turn: turning_point(&positions),
        course: positions.iter().map(point).collect(),
        complete: positions.len() == steps + 1,
        playouts: positions.iter().map(|position| position.playouts).sum(),
        cut_short: positions.iter().any(|position| position.cut_short),
    }
}

/// The move that cost most ([`TurningPoint`]), among those whose positions before and after were searched.
fn turning_point(positions: &[PositionAnalysis]) -> Option<TurningPoint> {
    let next = positions.iter().zip(positions.iter().skip(1)).filter(|(a, b)| a.step + 1 == b.step);
    let costs = next.flat_map(|(before, after)| {
        (0..before.roles.len()).filter_map(move |role| cost_of_move(before, after, role))
    });
    let dear = costs.filter(|turn| turn.cost() >= TurningPoint::LEAST);
    dear.reduce(|most, turn| if turn.cost() >= most.cost() { turn } else { most })
}

/// What the move of a role cost it that led from a position to the next.
fn cost_of_move(before: &PositionAnalysis, after: &PositionAnalysis, role: usize) -> Option<TurningPoint> {
    // An estimate by next to nothing says nothing of a move.
    let is_sound = |position: &PositionAnalysis| {
        let is_proved = position.roles.get(role).is_some_and(|own| own.proved.is_some());
        is_proved || !position.cut_short || position.playouts >= LEAST_PLAYOUTS || position.roles.len() == 1
    };
    let own = before.roles.get(role).filter(|own| own.choices > 1)?;
    if !is_sound(before) || !is_sound(after) {
        return None;
    }
    let made = own.made.clone()?;
    // Chance has no value, and no move of its own that could cost it anything.
    let value = own.value?;
    let (left, left_proved) = if before.is_simultaneous() {
        // What is hardly tried is not known.
        let is_known = made.proved.is_some() || made.visits >= LEAST_VISITS;
        (made.value.filter(|_| is_known)?, made.proved)
    } else {
        let next = after.roles.get(role)?;
        (next.value?, next.proved)
    };
    Some(TurningPoint {
        step: after.step,
        role: own.role.clone(),
        name: own.name.clone(),
        best: own.moves.first().filter(|best| best.action != made.action).cloned(),
        made,
        before: value,
        after: left,
        proved: own.proved.is_some() && left_proved.is_some(),
    })
}

/// An estimate of a search that was cut short counts from so many random games on.
const LEAST_PLAYOUTS: u64 = 300;
/// What a search says of a move alone counts where it was tried so often.
const LEAST_VISITS: u64 = 30;

/// What a text takes beside its letters, by rule of thumb.
const OVERHEAD: usize = 64;

fn move_bytes(of: &MoveAnalysis) -> usize {
    of.action.len() + of.name.len() + OVERHEAD
}

fn position_bytes(position: &PositionAnalysis) -> usize {
    let of = |role: &RoleAnalysis| {
        let moves = role.moves.iter().chain(&role.made).map(move_bytes);
        role.role.len() + role.name.len() + OVERHEAD + moves.sum::<usize>()
    };
    position.roles.iter().map(of).sum()
}

fn match_bytes(found: &MatchAnalysis) -> usize {
    let names = found.roles.iter().chain(&found.names).map(|name| name.len() + OVERHEAD);
    let turn =
        found.turn.iter().map(|turn| move_bytes(&turn.made) + turn.best.as_ref().map_or(0, move_bytes));
    names.sum::<usize>() + turn.sum::<usize>() + found.course.len() * (OVERHEAD + 32 * found.roles.len())
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

    use super::*;
    use crate::gate::Counts;

    #[test]
    fn of_long_matches_some_positions_are_searched_each_with_the_next() {
        assert_eq!(steps_to_search(0, 80), [0]);
        assert_eq!(steps_to_search(79, 80), (0..=79).collect::<Vec<_>>());
        for steps in [80, 81, 100, 159, 160, 1_000, 10_000] {
            let found = steps_to_search(steps, 80);
            assert!(found.len() >= 40 && found.len() <= 80, "{steps}: {}", found.len());
            assert!(found.is_sorted_by(|a, b| a < b), "{steps}: {found:?}");
            assert_eq!((found[0], found[found.len() - 1]), (0, steps));
            let has_next = |step: &usize| found.contains(&(step + 1));
            assert!(found.iter().filter(|step| has_next(step)).count() >= 40, "{steps}: {found:?}");
        }
        assert_eq!(steps_to_search(10, 2), [0, 1]);
    }

    /// A position in which so many roles have two moves each, and made a move of these visits and value.
    fn position(step: usize, values: [f64; 2], choices: [usize; 2], made: (u64, f64)) -> PositionAnalysis {
        let role = |number: usize| RoleAnalysis {
            role: format!("r{number}"),
            value: Some(values[number]),
            choices: choices[number],
            made: Some(MoveAnalysis {
                action: "made".into(),
                value: Some(made.1),
                visits: made.0,
                ..MoveAnalysis::default()
            }),
            moves: vec![MoveAnalysis { action: "best".into(), ..MoveAnalysis::default() }],
            ..RoleAnalysis::default()
        };
        PositionAnalysis { step, roles: vec![role(0), role(1)], ..PositionAnalysis::default() }
    }

    /// Many want something at once: one is at work, so many wait, and who would wait behind them is sent away. What was
    /// found is kept for all who want the same.
    #[test]
    fn one_analysis_is_made_at_a_time_and_few_wait() {
        let options = ManagerOptions::default();
        let analyses = Analyses::new(&options, options.games.for_work());
        let (made, open) = (AtomicUsize::new(0), AtomicBool::new(false));
        let find = |step: usize| {
            analyses.position(("m".to_owned(), step), || {
                made.fetch_add(1, Ordering::SeqCst);
                while !open.load(Ordering::SeqCst) {
                    std::thread::yield_now();
                }
                Ok(position(step, [0.0; 2], [1; 2], (0, 0.0)))
            })
        };
        std::thread::scope(|scope| {
            let find = &find;
            let asked: Vec<_> =
                [1, 2, 1, 2].into_iter().map(|step| scope.spawn(move || find(step))).collect();
            while analyses.gate.counts() != (Counts { inside: 1, waiting: WAITING }) {
                std::thread::yield_now();
            }
            assert!(matches!(find(3), Err(ManagerError::Crowded { .. })));
            assert!(made.load(Ordering::SeqCst) == 1);
            open.store(true, Ordering::SeqCst);
            asked.into_iter().for_each(|asked| assert!(asked.join().unwrap().is_ok()));
        });
        assert_eq!(find(1).unwrap().step, 1);
        assert_eq!(made.load(Ordering::SeqCst), 2, "each of the two once");
    }

    fn turn_of(positions: &[PositionAnalysis]) -> Option<(usize, String, f64)> {
        turning_point(positions).map(|turn| (turn.step, turn.role.clone(), turn.cost()))
    }

    #[test]
    fn a_match_turns_with_the_move_that_cost_its_role_most() {
        let own = [2, 1];
        let others = [1, 2];
        let none = (0, 0.0);
        let course = [
            position(0, [100.0, 0.0], own, none),
            position(1, [50.0, 50.0], others, none),
            position(2, [60.0, 40.0], own, none),
            position(3, [55.0, 45.0], others, none),
        ];
        assert_eq!(turn_of(&course), Some((1, "r0".into(), 50.0)));
        // What others do costs nobody anything, and neither does a better surprise.
        assert_eq!(
            turn_of(&[position(0, [10.0, 90.0], own, none), position(1, [90.0, 10.0], own, none)]),
            None
        );
        assert_eq!(turn_of(&course[2..]), None, "too little");
        // Of equal moves the last one decided.
        let twice = [course[0].clone(), course[1].clone(), position(2, [100.0, 0.0], own, none)];
        assert_eq!(turn_of(&twice), Some((2, "r1".into(), 50.0)));
        // What was cut short after next to nothing is no reason to blame anybody.
        let short = |position: &PositionAnalysis| PositionAnalysis { cut_short: true, ..position.clone() };
        assert_eq!(turn_of(&[short(&course[0]), course[1].clone()]), None);
        let searched = PositionAnalysis { playouts: 300, ..short(&course[0]) };
        assert_eq!(turn_of(&[searched, course[1].clone()]), Some((1, "r0".into(), 50.0)));
        // Nothing is said across steps that were not looked at.
        assert_eq!(turn_of(&[course[0].clone(), position(2, [0.0, 100.0], own, none)]), None);
    }

    #[test]
    fn where_several_choose_a_move_costs_what_it_alone_does() {
        let both =
            |made| [position(0, [50.0, 50.0], [2, 2], made), position(1, [0.0, 100.0], [1, 1], (0, 0.0))];
        assert_eq!(turn_of(&both((100, 48.0))), None, "bad luck is no mistake");
        assert_eq!(turn_of(&both((100, 20.0))), Some((1, "r1".into(), 30.0)));
        assert_eq!(turn_of(&both((3, 20.0))), None, "it was hardly tried");
    }
}
