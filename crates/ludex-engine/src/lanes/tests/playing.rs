//! Playouts in lanes against what is known of the games.

use ludex_game::{
    AtLimit, BatchOptions, DecisiveMoves, Machine, Outcomes, PlayoutFault, Policy, Rng, RoleId, Stakes,
    Start, State, Tally, one_by_one,
};

use super::games::{CONNECT_FOUR, STUCK, TIC_TAC_TOE, WALK, lanes, machine, program};
use crate::lanes::{Backend, LaneWidth};

const WIDTHS: [LaneWidth; 3] = [LaneWidth::W64, LaneWidth::W256, LaneWidth::W512];

fn uniform(step_limit: u32) -> Policy {
    Policy::uniform(step_limit)
}

/// Random games last 5, 6, 7, 8 or 9 steps with likelihood 9.52, 8.81, 26.43, 20.00 and 35.24 percent;
/// the first player wins 58.49 percent of them and 12.70 percent are drawn.
#[test]
fn tic_tac_toe_ends_as_often_as_it_should() {
    for (width, playouts) in
        [(LaneWidth::W512, 400_000), (LaneWidth::W256, 100_000), (LaneWidth::W64, 50_000)]
    {
        let lanes = lanes(TIC_TAC_TOE, width, Backend::Auto);
        let out = lanes.play(playouts, &uniform(20), 1, false);
        let tally = &out.tallies[0];
        let near = |found: f64, expected: f64, spread: f64| {
            let allowed = 4.0 * spread / f64::from(playouts).sqrt();
            assert!((found - expected).abs() < allowed, "{found} is not {expected}, {width:?}");
        };
        assert_eq!((tally.playouts(), tally.finished), (playouts, playouts));
        let length = tally.steps as f64 / f64::from(playouts);
        near(tally.mean_goal(RoleId(0)).unwrap(), 64.84, 45.0);
        near(length, 7.626, 1.4);
        let variance = tally.squared_steps as f64 / f64::from(playouts) - length * length;
        near(variance, 1.6865, 4.0);
    }
}

/// Lengths are geometric: lanes that start anew must not prefer short walks.
#[test]
fn short_games_are_not_preferred() {
    for width in WIDTHS {
        let lanes = lanes(WALK, width, Backend::Auto);
        let playouts = 60_000;
        let out = lanes.play(playouts, &uniform(1000), 5, true);
        let mut counts = [0u32; 12];
        for record in &out.records {
            counts[(record.steps as usize).min(12) - 1] += 1;
            let even = record.steps % 2 == 0;
            assert_eq!(record.goals, [even.then_some(100), Some(if even { 90 } else { 10 })]);
        }
        let mut statistic = 0.0;
        for (at, &count) in counts.iter().enumerate() {
            let share = (2.0f64 / 3.0).powi(at as i32) / if at == 11 { 1.0 } else { 3.0 };
            let expected = share * f64::from(playouts);
            statistic += (f64::from(count) - expected).powi(2) / expected;
        }
        assert!(statistic < 31.3, "{counts:?}: {statistic} of 11 degrees");
        assert_tallies_are_of_records(&out, 2);
    }
}

fn assert_tallies_are_of_records(out: &Outcomes, roles: usize) {
    let mut tallies = vec![Tally::default(); out.tallies.len()];
    for record in &out.records {
        tallies[record.start as usize].add(record.steps, record.fault, &record.goals);
    }
    assert_eq!(tallies, out.tallies);
    assert!(out.records.is_sorted_by_key(|r| r.start));
    assert!(out.records.iter().all(|r| r.goals.len() == if r.fault.is_some() { 0 } else { roles }));
}

#[test]
fn the_way_results_are_gathered_changes_nothing() {
    for text in [TIC_TAC_TOE, WALK, STUCK] {
        let lanes = lanes(text, LaneWidth::W256, Backend::Auto);
        let plain = lanes.play(3000, &uniform(9), 3, false);
        let recorded = lanes.play(3000, &uniform(9), 3, true);
        assert_eq!(plain.tallies, recorded.tallies);
        assert_eq!(recorded.records.len(), 3000);
        assert_tallies_are_of_records(&recorded, 2);
    }
}

#[test]
fn one_seed_one_result_on_every_backend() {
    for text in [TIC_TAC_TOE, CONNECT_FOUR, STUCK] {
        let machine = machine(text);
        for width in WIDTHS {
            let decisive_moves =
                DecisiveMoves { stakes: vec![Some(Stakes { win: 100, loss: 0 }); 2], retries: 5 };
            let uniform = Policy::uniform(60);
            let decisive = Policy { decisive_moves: Some(decisive_moves), ..uniform.clone() };
            let noted = Policy { notes_moves: true, ..uniform.clone() };
            let noted_decisive = Policy { notes_moves: true, ..decisive.clone() };
            for policy in [uniform, decisive, noted, noted_decisive] {
                let mut first = None;
                for (backend, _) in Backend::NAMES {
                    let program = program(&machine, width, backend);
                    let lanes = super::games::Lanes { machine: super::games::machine(text), program };
                    let out = lanes.play(1500, &policy, 11, true);
                    let expected = first.get_or_insert_with(|| out.clone());
                    assert_eq!(expected, &out, "{backend} {width:?}");
                }
            }
        }
    }
}

/// Random games by the rule machine make each move as often, and win as often with it.
#[test]
fn moves_are_made_as_often_as_one_state_at_a_time() {
    for text in [TIC_TAC_TOE, CONNECT_FOUR] {
        let lanes = lanes(text, LaneWidth::W512, Backend::Auto);
        let policy = Policy { notes_moves: true, ..uniform(60) };
        let many = lanes.play(40_000, &policy, 3, false);
        let start = Start { state: lanes.machine.initial().clone(), playouts: 4000 };
        let mut few = Outcomes::default();
        one_by_one(&lanes.machine, &BatchOptions::default())
            .playouts(&[start], &policy, 3, &mut few)
            .unwrap();
        assert_eq!((many.moves.playouts(0), few.moves.playouts(0)), (40_000, 4000));
        let mut seen = 0;
        for role in [RoleId(0), RoleId(1)] {
            let all = many.moves.counts(0, role).iter().zip(many.moves.sums(0, role).chunks(2));
            let some = few.moves.counts(0, role).iter().zip(few.moves.sums(0, role).chunks(2));
            // Moves that the rules do not read are not noted in lanes: to wait.
            for ((&many, many_sums), (&few, few_sums)) in all.zip(some).filter(|((many, _), _)| **many > 0) {
                let (often, rarely) = (f64::from(many) / 40_000.0, f64::from(few) / 4000.0);
                assert!((often - rarely).abs() < 0.04, "{often} {rarely}");
                for (&more, &less) in many_sums.iter().zip(few_sums) {
                    let (worth, other) =
                        (f64::from(more) / f64::from(many), f64::from(less) / f64::from(few));
                    assert!((worth - other).abs() < 6.0, "{worth} {other}");
                }
                seen += 1;
            }
        }
        assert!(seen >= 14, "nine cells or seven columns for either role: {seen}");
    }
}

#[test]
fn each_move_of_a_playout_counts_once_with_its_goals() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W64, Backend::Auto);
    // One playout from each start: what is counted there is that playout.
    let from: Vec<_> = (0..300).map(|_| (lanes.machine.initial().clone(), 1)).collect();
    let policy = Policy { notes_moves: true, ..uniform(20) };
    let out = lanes.play_from(&from, &policy, 4, true);
    for (start, record) in out.records.iter().enumerate() {
        let (mut made, goals) = (0, record.goals.iter().map(|goal| goal.unwrap()).collect::<Vec<_>>());
        for role in [RoleId(0), RoleId(1)] {
            let counts = out.moves.counts(start, role);
            for (&count, sums) in counts.iter().zip(out.moves.sums(start, role).chunks(2)) {
                assert!(count <= 1);
                assert_eq!(sums, if count == 1 { &goals[..] } else { &[0, 0] });
                made += count;
            }
        }
        assert_eq!(made, record.steps, "one cell is marked in each step");
    }
    assert!(lanes.play_from(&from, &uniform(20), 4, true).moves.is_empty(), "nobody asked");
}

#[test]
fn playouts_without_goals_count_for_no_move() {
    // Some walks are given up at the limit, and in some the first role has no goal.
    let lanes = lanes(WALK, LaneWidth::W256, Backend::Auto);
    let policy = Policy { notes_moves: true, ..uniform(3) };
    let out = lanes.play(5000, &policy, 6, true);
    let counted = out
        .records
        .iter()
        .filter(|record| record.fault.is_none() && record.goals.iter().all(Option::is_some));
    let counted = counted.count() as u32;
    let tally = &out.tallies[0];
    assert!(tally.over_limit > 0 && counted > 0 && counted < tally.finished);
    assert_eq!(out.moves.playouts(0), counted);
    let most =
        [RoleId(0), RoleId(1)].map(|role| out.moves.counts(0, role).iter().max().copied().unwrap_or(0));
    assert!(most.iter().all(|&most| most <= counted) && most.iter().any(|&most| most > 0), "{most:?}");
}

#[test]
fn many_starts_each_get_their_playouts() {
    let lanes = lanes(CONNECT_FOUR, LaneWidth::W512, Backend::Auto);
    let mut rng = Rng::from_seed(2);
    let mut runner = lanes.machine.runner(&ludex_logic::Budget::unlimited());
    let mut from: Vec<(State, u32)> = Vec::new();
    for number in 0..100 {
        runner.set(lanes.machine.initial()).unwrap();
        runner.playout(&mut rng, number % 30).unwrap();
        let mut state = State::default();
        runner.save(&mut state);
        from.push((state, [0, 1, 7, 40][number as usize % 4]));
    }
    let out = lanes.play_from(&from, &uniform(50), 3, true);
    for ((state, playouts), tally) in from.iter().zip(&out.tallies) {
        assert_eq!(tally.playouts(), *playouts);
        runner.set(state).unwrap();
        let over = runner.terminal().unwrap();
        assert_eq!(over && *playouts > 0, *playouts > 0 && tally.steps == 0);
        if over && *playouts > 0 {
            let goals: Vec<_> =
                (0..2).map(|r| vec![(runner.goal(RoleId(r)).unwrap().unwrap(), *playouts)]).collect();
            assert_eq!(tally.goals, goals);
        }
    }
    assert_tallies_are_of_records(&out, 2);
    assert_eq!(out.tallies, lanes.play_from(&from, &uniform(50), 3, false).tallies);
}

#[test]
fn a_stuck_role_and_the_step_limit_are_faults_of_their_playouts() {
    let lanes = lanes(STUCK, LaneWidth::W512, Backend::Auto);
    let out = lanes.play(20_000, &uniform(4), 6, true);
    let tally = &out.tallies[0];
    assert_eq!(tally.finished, 0);
    // Fewer than two of four fair steps lead on in five games of sixteen. A game that reaches the
    // third state with the last step is over the limit before its role is found stuck: 3 of 16.
    let share = f64::from(tally.over_limit) / 20_000.0;
    assert!((share - 0.5).abs() < 0.015, "{share}");
    for record in &out.records {
        match record.fault {
            Some(PlayoutFault::OverLimit) => assert_eq!(record.steps, 4),
            Some(PlayoutFault::Stuck(role)) => {
                assert_eq!(role, RoleId(1));
                assert!((2..4).contains(&record.steps));
            }
            None => panic!("{record:?}"),
        }
    }
    assert_tallies_are_of_records(&out, 2);
}

#[test]
fn nothing_to_do_is_done() {
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W64, Backend::Portable);
    assert_eq!(lanes.play_from(&[], &uniform(9), 1, true), Outcomes::default());
    assert_eq!(lanes.play(0, &uniform(9), 1, true).tallies, [Tally::default()]);
    let none = lanes.play(70, &uniform(0), 1, false);
    assert_eq!((none.tallies[0].over_limit, none.tallies[0].steps), (70, 0));
}

#[test]
fn an_engine_forgets_earlier_calls() {
    use ludex_game::{Batch, Start};
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W256, Backend::Auto);
    let mut engine = lanes.engine(true);
    let start = [Start { state: lanes.machine.initial().clone(), playouts: 500 }];
    let (mut first, mut second) = (Outcomes::default(), Outcomes::default());
    engine.playouts(&start, &uniform(20), 1, &mut first).unwrap();
    engine.playouts(&start, &uniform(3), 2, &mut second).unwrap();
    engine.playouts(&start, &uniform(20), 1, &mut second).unwrap();
    assert_eq!(first, second);
}

#[test]
fn a_budget_stops_playouts() {
    use ludex_game::{Batch, BatchOptions, Start};
    let lanes = lanes(TIC_TAC_TOE, LaneWidth::W256, Backend::Auto);
    let budget = ludex_logic::Budget::unlimited().with_work(100_000);
    let mut engine = lanes.program.engine(&BatchOptions { budget, records: false });
    let start = [Start { state: lanes.machine.initial().clone(), playouts: u32::MAX }];
    let found = engine.playouts(&start, &uniform(20), 1, &mut Outcomes::default());
    assert!(matches!(found, Err(ludex_game::GameError::Limit(_))), "{found:?}");
}

/// A playout that is cut off is worth the goals of the state it came to.
#[test]
fn goals_at_the_step_limit_count_where_they_are_asked_for() {
    for width in WIDTHS {
        let lanes = lanes(WALK, width, Backend::Auto);
        let cut = |at_limit| lanes.play(4000, &Policy { at_limit, ..uniform(2) }, 8, true);
        let (faults, goals) = (cut(AtLimit::Fault), cut(AtLimit::Goals));
        assert_tallies_are_of_records(&faults, 2);
        let (fault, goal) = (&faults.tallies[0], &goals.tallies[0]);
        assert!(fault.over_limit > 1500 && fault.finished > 1500, "{fault:?}");
        assert_eq!(goal.playouts(), 4000);
        let mut again = Tally::default();
        for record in &goals.records {
            again.add(record.steps, record.fault, &record.goals);
            match record.fault {
                // After two steps the walk is where it began.
                Some(fault) => {
                    assert_eq!((fault, record.steps), (PlayoutFault::OverLimit, 2));
                    assert_eq!(record.goals, [Some(100), Some(90)]);
                }
                None => assert!(record.steps <= 2),
            }
        }
        assert_eq!(&again, goal);
        let plain = lanes.play(4000, &Policy { at_limit: AtLimit::Goals, ..uniform(2) }, 8, false);
        assert_eq!(plain.tallies, goals.tallies);
        let [first, second] = [(RoleId(0), 100.0), (RoleId(1), 90.0)].map(|(role, at_limit)| {
            let none = lanes.play(50, &Policy { at_limit: AtLimit::Goals, ..uniform(0) }, 1, false);
            assert_eq!((none.tallies[0].over_limit, none.tallies[0].steps), (50, 0));
            none.tallies[0].mean_goal(role) == Some(at_limit)
        });
        assert!(first && second);
    }
}
