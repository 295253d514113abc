//! Playouts on several threads, and where their time goes.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ludex_game::{
    Batch, BatchOptions, GameError, Machine, Outcomes, PlayoutFault, Policy, Rng, Start, State,
};
use ludex_logic::{Budget, Clock};

use super::games::{CONNECT_FOUR, Lanes, STUCK, TIC_TAC_TOE, lanes};
use crate::lanes::{Backend, LanePart, LaneWidth};

const UNIFORM: Policy = Policy::uniform(100);

fn on_threads(lanes: &Lanes, from: &[Start], policy: &Policy, threads: usize, records: bool) -> Outcomes {
    let options = BatchOptions { records, ..BatchOptions::default() };
    let mut out = Outcomes::default();
    let threads = NonZeroUsize::new(threads).unwrap();
    lanes.program.playouts_on_threads((from, policy, 9), &options, threads, &mut out).unwrap();
    out
}

fn start(state: &State, playouts: u32) -> Start {
    Start { state: state.clone(), playouts }
}

#[test]
fn the_number_of_threads_changes_nothing() {
    let lanes = lanes(CONNECT_FOUR, LaneWidth::W64, Backend::Auto);
    let mut rng = Rng::from_seed(4);
    let mut runner = lanes.machine.runner(&Budget::unlimited());
    let mut from = vec![start(lanes.machine.initial(), 5000)];
    for number in 0..60 {
        runner.set(lanes.machine.initial()).unwrap();
        runner.playout(&mut rng, number % 20).unwrap();
        let mut state = State::default();
        runner.save(&mut state);
        from.push(start(&state, [0, 3, 700, 0][number as usize % 4]));
    }
    let noted = Policy { notes_moves: true, ..UNIFORM };
    let one = on_threads(&lanes, &from, &noted, 1, true);
    for threads in [2, 3, 16] {
        assert_eq!(on_threads(&lanes, &from, &noted, threads, true), one);
    }
    assert!((0..from.len()).all(|number| one.moves.playouts(number) == from[number].playouts));
    assert_eq!(on_threads(&lanes, &from, &UNIFORM, 2, false).tallies, one.tallies);
    for (start, tally) in from.iter().zip(&one.tallies) {
        assert_eq!((tally.playouts(), tally.finished), (start.playouts, start.playouts));
        let by_goal: u32 = tally.goals.first().into_iter().flatten().map(|&(_, times)| times).sum();
        assert_eq!(by_goal, start.playouts);
    }
    let mut tallies = vec![ludex_game::Tally::default(); from.len()];
    for record in &one.records {
        tallies[record.start as usize].add(record.steps, None, &record.goals);
    }
    assert_eq!(tallies, one.tallies);
}

#[test]
fn threads_play_different_games_of_the_same_distribution() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W64, Backend::Auto);
    let from = [start(lanes.machine.initial(), 100_000)];
    let out = on_threads(&lanes, &from, &UNIFORM, 2, false);
    let tally = &out.tallies[0];
    let length = tally.steps as f64 / 100_000.0;
    assert!((length - 7.626).abs() < 4.0 * 1.3 / 316.0, "{length}");
    let goal = tally.mean_goal(ludex_game::RoleId(0)).unwrap();
    assert!((goal - 64.84).abs() < 4.0 * 45.0 / 316.0, "{goal}");
    // Portions with one seed would repeat each other.
    let records = on_threads(&lanes, &from, &UNIFORM, 2, true).records;
    let portion = 100_000 / 64;
    let steps = |number: usize| -> Vec<u32> {
        records[number * portion..][..200].iter().map(|record| record.steps).collect()
    };
    assert_ne!(steps(0), steps(1));
}

#[test]
fn faults_are_counted_over_all_threads() {
    let lanes = lanes(STUCK, LaneWidth::W64, Backend::Auto);
    let policy = Policy::uniform(4);
    let out = on_threads(&lanes, &[start(lanes.machine.initial(), 4000)], &policy, 3, true);
    let over = out.records.iter().filter(|r| r.fault == Some(PlayoutFault::OverLimit)).count();
    assert_eq!((out.tallies[0].playouts(), out.tallies[0].over_limit as usize), (4000, over));
}

#[test]
fn nothing_to_do_is_done_and_limits_stop_all_threads() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W64, Backend::Auto);
    assert_eq!(on_threads(&lanes, &[], &UNIFORM, 2, true), Outcomes::default());
    let budget = Budget::unlimited().with_work(100_000);
    let options = BatchOptions { budget, records: false };
    let from = [start(lanes.machine.initial(), u32::MAX)];
    let two = NonZeroUsize::new(2).unwrap();
    let found =
        lanes.program.playouts_on_threads((&from, &UNIFORM, 1), &options, two, &mut Outcomes::default());
    assert!(matches!(found, Err(GameError::Limit(_))), "{found:?}");
}

/// A clock that goes on by one nanosecond each time it is looked at.
#[derive(Default)]
struct Ticks(AtomicU64);

impl Clock for Ticks {
    fn now(&self) -> Duration {
        Duration::from_nanos(self.0.fetch_add(1, Ordering::Relaxed))
    }
}

#[test]
fn a_profile_plays_the_same_games_and_accounts_for_all_time() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W256, Backend::Auto);
    let from = [start(lanes.machine.initial(), 3000)];
    let (mut plain, mut profiled) = (Outcomes::default(), Outcomes::default());
    lanes.engine(false).playouts(&from, &UNIFORM, 5, &mut plain).unwrap();
    let clock = Ticks::default();
    let profile = lanes.engine(false).profile(&from, &UNIFORM, 5, &clock, &mut profiled).unwrap();
    assert_eq!(plain, profiled);
    assert_eq!(profile.state_changes, plain.tallies[0].steps);
    assert_eq!(profile.total(), clock.now() - Duration::from_nanos(1));
    let rounds = profile.visits(LanePart::Decide);
    assert!(rounds * 256 >= profile.state_changes);
    assert_eq!(profile.visits(LanePart::End), rounds);
    assert_eq!(profile.visits(LanePart::Choose), profile.visits(LanePart::Advance));
    assert!(profile.visits(LanePart::Assess) < rounds);
    assert!(LanePart::ALL.iter().enumerate().all(|(at, &part)| part as usize == at));
}
