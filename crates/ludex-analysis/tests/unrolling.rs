//! Games unrolled into formulas.

use ludex_analysis::sat::{Origin, Solver, UnrollError, Unrolling, Verdict};
use ludex_analysis::{Subject, Witness};
use ludex_logic::Budget;
use ludex_testkit::playable;

/// Three lamps in a row with a switch each; current comes from the left, by a recursive relation.
const LAMPS: &str = "
    (role robot)
    (init (off 1)) (init (off 2)) (init (off 3)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 3)
    (wire 1 2) (wire 2 3) (wire 3 2) (wire 2 1)
    (<= (legal robot (press ?n)) (true (off ?n)))
    (legal robot wait)
    (<= (next (on ?n)) (does robot (press ?n)))
    (<= (next (on ?n)) (true (on ?n)))
    (<= (next (off ?n)) (true (off ?n)) (not (does robot (press ?n))))
    (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
    (<= (lit 1) (true (on 1)))
    (<= (lit ?m) (lit ?n) (wire ?n ?m) (true (on ?m)))
    (<= terminal (true (step 3)))
    (<= (goal robot 100) (lit 3))
    (<= (goal robot 0) (not (lit 3)))";

fn subject(text: &str) -> Subject {
    Subject::new(&playable("test.kif", text).unwrap())
}

#[test]
fn a_plan_is_found_as_soon_as_there_is_one_and_replays() {
    let subject = subject(LAMPS);
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let circuit = &faithful.circuit;
    assert!(!circuit.loops.is_empty(), "`lit` is recursive");
    let mut unrolling = Unrolling::new(circuit, Origin::Initial, Budget::unlimited().meter());
    let won = circuit.goals[0].iter().find(|(value, _)| *value == 100).unwrap().1;
    for horizon in 0..3 {
        let goal = unrolling.literal(horizon, won).unwrap();
        assert_eq!(unrolling.solve(&[goal], u64::MAX), Ok(Verdict::Unsatisfiable), "after {horizon} steps");
        unrolling.demand_moves(horizon).unwrap();
        unrolling.add_frame();
    }
    let goal = unrolling.literal(3, won).unwrap();
    assert_eq!(unrolling.solve(&[goal], u64::MAX), Ok(Verdict::Satisfiable));
    let steps = faithful.joint_terms(&unrolling.joint_moves(3));
    let position = Witness { steps }.replay(subject.rules()).unwrap();
    assert!(position.terminal().unwrap());
    assert_eq!(position.goals().unwrap(), [Some(100)]);
}

#[test]
fn all_courses_of_three_steps_are_models() {
    let subject = subject(LAMPS);
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let mut unrolling = Unrolling::new(&faithful.circuit, Origin::Initial, Budget::unlimited().meter());
    for _ in 0..3 {
        unrolling.demand_moves(unrolling.frame_count() - 1).unwrap();
        unrolling.add_frame();
    }
    let mut courses = 0;
    while unrolling.solve(&[], u64::MAX).unwrap() == Verdict::Satisfiable {
        courses += 1;
        let made = unrolling.joint_moves(3);
        let other = made.iter().enumerate().map(|(t, step)| !unrolling.made(t, 0, step[0] as usize));
        let other: Vec<_> = other.collect();
        unrolling.solver().clause(other).unwrap();
    }
    // Counted by the rule machine: three presses in some order and waits between.
    let perft = subject.rules().perft(3, &Budget::unlimited()).unwrap();
    assert_eq!(courses, perft.last().unwrap().paths);
}

#[test]
fn from_any_state_the_state_is_free() {
    let subject = subject(LAMPS);
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let circuit = &faithful.circuit;
    let mut unrolling = Unrolling::new(circuit, Origin::Any, Budget::unlimited().meter());
    let won = circuit.goals[0].iter().find(|(value, _)| *value == 100).unwrap().1;
    let won = unrolling.literal(0, won).unwrap();
    assert_eq!(unrolling.solve(&[won], u64::MAX), Ok(Verdict::Satisfiable));
    let state = unrolling.first_state();
    let on = |text: &str| {
        let base =
            (0..circuit.bases.len() as u32).find(|&b| circuit.terms.prefix(faithful.base_term(b)) == text);
        state[base.unwrap() as usize]
    };
    assert!(on("(on 1)") && on("(on 2)") && on("(on 3)"));
}

#[test]
fn a_spent_budget_ends_the_question() {
    let subject = subject(LAMPS);
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let mut unrolling =
        Unrolling::new(&faithful.circuit, Origin::Initial, Budget::unlimited().with_work(20).meter());
    let demanded = (0..3).try_for_each(|frame| {
        unrolling.demand_moves(frame)?;
        unrolling.add_frame();
        Ok::<_, UnrollError>(())
    });
    assert!(demanded.is_err());
}

#[test]
fn two_of_is_true_where_at_least_two_are() {
    let mut solver = Solver::new(Budget::unlimited().meter());
    let literals: Vec<_> = (0..4).map(|_| solver.variable()).collect();
    let two = solver.two_of(&literals).unwrap();
    for bits in 0u32..16 {
        let chosen = literals.iter().enumerate();
        let mut assumed: Vec<_> =
            chosen.map(|(at, &literal)| if bits >> at & 1 == 1 { literal } else { !literal }).collect();
        assumed.push(two);
        let expected = if bits.count_ones() > 1 { Verdict::Satisfiable } else { Verdict::Unsatisfiable };
        assert_eq!(solver.solve(&assumed, u64::MAX), Ok(expected), "{bits:b}");
    }
    assert_eq!(solver.two_of(&[]).map(|none| solver.as_constant(none)), Ok(Some(false)));
}
