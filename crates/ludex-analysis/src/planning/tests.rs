//! The puzzles of the book and the bundled ones.

use ludex_game::RoleId;
use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::*;
use crate::Subject;
use crate::sat::{Origin, Unrolling, Verdict};

fn bundled(name: &str) -> Subject {
    Subject::new(&playable_bundled(name).unwrap())
}

fn first_role(subject: &Subject) -> RoleId {
    subject.rules().roles().next().unwrap()
}

/// The moves of the only role, with blanks between them.
fn words(subject: &Subject, plan: &crate::Witness) -> String {
    plan.texts(subject.rules()).concat().join(" ")
}

fn ask(subject: &Subject, options: &PlanOptions) -> PlanReport {
    plan(subject, first_role(subject), options, &Budget::unlimited())
}

fn found(report: &PlanReport) -> &Plan {
    match &report.outcome {
        Outcome::Found(plan) => plan,
        other => panic!("no plan: {other:?}"),
    }
}

fn all_plans(subject: &Subject, least: u32, length: usize) -> Vec<String> {
    let role = first_role(subject);
    let all = plans(subject, role, least, length, Others::Forced, 1_000, &Budget::unlimited()).unwrap();
    assert!(all.are_all);
    all.plans.iter().map(|plan| words(subject, plan)).collect()
}

#[test]
fn the_exchanging_buttons_have_two_solutions_of_six_presses() {
    let subject = bundled("buttons-and-lights");
    let report = ask(&subject, &PlanOptions::default());
    let plan = found(&report);
    assert_eq!((plan.witness.steps.len(), plan.goal, plan.is_shortest, plan.is_best), (6, 100, true, true));
    assert_eq!(all_plans(&subject, 100, 6), ["a b a c b a", "a b c a b a"]);
    for length in 0..6 {
        assert_eq!(all_plans(&subject, 0, length), [""; 0], "the game ends after six steps");
    }
    assert_eq!(all_plans(&subject, 0, 6).len(), 729);
}

#[test]
fn the_copying_buttons_have_29_solutions() {
    let subject = bundled("buttons-and-lights-copy");
    assert_eq!(found(&ask(&subject, &PlanOptions::default())).witness.steps.len(), 6);
    assert_eq!(all_plans(&subject, 100, 6).len(), 29);
}

/// The copying game of 15.2, where the game is over, too, when all lights are on.
fn copying_until_lit() -> Subject {
    let rules = playable_bundled("buttons-and-lights-copy").unwrap();
    let text = rules.source().text().replace(
        "terminal :- true(step(7))",
        "terminal :- true(step(7))\nterminal :- true(p) & true(q) & true(r)",
    );
    Subject::new(&playable("copy-until-lit.gdl", &text).unwrap())
}

/// The models of the answer set program of 15.3 with times 1 to `last`: a legal move at each of them,
/// terminal at one of them at least, and worth 100 at each of these.
fn models(subject: &Subject, last: usize) -> usize {
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let circuit = &faithful.circuit;
    let won = circuit.goals[0].iter().find(|(value, _)| *value == 100).unwrap().1;
    let mut unrolling = Unrolling::new(circuit, Origin::Initial, Budget::unlimited().meter());
    let mut ends = Vec::new();
    for frame in 0..last {
        let terminal = unrolling.literal(frame, circuit.terminal).unwrap();
        let won = unrolling.literal(frame, won).unwrap();
        unrolling.solver().clause([!terminal, won]).unwrap();
        ends.push(terminal);
        unrolling.demand_moves(frame).unwrap();
        unrolling.add_frame();
    }
    unrolling.solver().clause(ends).unwrap();
    let mut count = 0;
    while unrolling.solve(&[], u64::MAX).unwrap() == Verdict::Satisfiable {
        count += 1;
        let steps = unrolling.joint_moves(last);
        let others = steps.iter().enumerate().map(|(t, step)| !unrolling.made(t, 0, step[0] as usize));
        let others: Vec<_> = others.collect();
        unrolling.solver().clause(others).unwrap();
    }
    count
}

#[test]
fn the_models_of_15_3_are_as_many_as_they_should_be() {
    let printed = bundled("buttons-and-lights-copy");
    let counts: Vec<usize> = (1..=7).map(|last| models(&printed, last)).collect();
    assert_eq!(counts, [0, 0, 0, 0, 0, 0, 87]);
    let until_lit = copying_until_lit();
    let counts: Vec<usize> = (1..=7).map(|last| models(&until_lit, last)).collect();
    assert_eq!(counts, [0, 0, 0, 0, 3, 21, 87]);
    // The three models at 5 are the one plan, with any move after the end.
    assert_eq!(all_plans(&until_lit, 100, 4), ["a b c b"]);
    assert_eq!(found(&ask(&until_lit, &PlanOptions::default())).witness.steps.len(), 4);
}

/// Exercises 13.1(b) and 15.3.
#[test]
fn sixteen_of_86_ways_to_jump_over_coins_win() {
    let subject = bundled("coins");
    assert_eq!(found(&ask(&subject, &PlanOptions::default())).witness.steps.len(), 4);
    assert_eq!(all_plans(&subject, 100, 4).len(), 16);
    let all: usize = (0..=4).map(|length| all_plans(&subject, 0, length).len()).sum();
    assert_eq!(all, 86);
}

#[test]
fn the_8_puzzle_of_5_2_takes_four_moves() {
    let subject = bundled("8-puzzle");
    let report = ask(&subject, &PlanOptions::default());
    let plan = found(&report);
    assert_eq!(words(&subject, &plan.witness), "right down right down");
    assert!(plan.is_shortest && plan.is_best);
    assert_eq!(report.refuted, Some(3));
}

#[test]
fn bundled_puzzles_are_solved_both_ways() {
    for (name, length) in [("blocks-world", 3), ("untwisty-corridor", 7), ("knights-tour", 24)] {
        let subject = bundled(name);
        for search in [Search::Shortest, Search::Any] {
            let report = ask(&subject, &PlanOptions { search, ..PlanOptions::default() });
            let plan = found(&report);
            assert_eq!((plan.goal, plan.witness.steps.len()), (100, length), "{name} {search:?}");
            assert_eq!(plan.is_shortest, search == Search::Shortest);
        }
    }
    let report = ask(&bundled("hanoi"), &PlanOptions::default());
    assert_eq!(found(&report).witness.steps.len(), 31);
}

#[test]
fn a_sudoku_takes_as_many_steps_as_it_has_empty_cells() {
    let subject = bundled("sudoku");
    let model = Model::optimised(&subject, &Budget::unlimited()).unwrap();
    let cells = bound::fewest_steps(&model, 0, 100, Budget::unlimited().meter());
    let Ok(cells) = cells else { panic!("no bound") };
    let report = ask(&subject, &PlanOptions::default());
    assert_eq!(found(&report).witness.steps.len(), cells);
    assert!(cells > 40);
}

#[test]
fn where_there_is_no_plan_that_is_proved_of_the_faithful_circuit() {
    let subject = bundled("buttons-and-lights");
    for search in [Search::Shortest, Search::Any] {
        let too_much = PlanOptions { target: Target::AtLeast(101), search, ..PlanOptions::default() };
        let report = ask(&subject, &too_much);
        assert_eq!((report.outcome, report.form), (Outcome::None(NoPlan::NoSuchGoal), Form::Faithful));
    }
    // Two lights that are always switched together are never both off and on as wanted.
    let pair = playable(
        "pair.kif",
        "(role you) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4)
        (legal you press) (legal you wait)
        (<= (next p) (does you press) (not (true p))) (<= (next p) (does you wait) (true p))
        (<= (next q) (does you press) (not (true q))) (<= (next q) (does you wait) (true q))
        (<= (next (step ?m)) (true (step ?n)) (succ ?n ?m))
        (<= terminal (true (step 4)))
        (<= (goal you 100) (true p) (not (true q)))
        (<= (goal you 50) (true p) (true q))
        (<= (goal you 0) (not (true p)))",
    );
    let subject = Subject::new(&pair.unwrap());
    for search in [Search::Shortest, Search::Any] {
        let report = ask(&subject, &PlanOptions { search, ..PlanOptions::default() });
        assert!(matches!(report.outcome, Outcome::None(_)), "{:?}", report.outcome);
        let best = PlanOptions { target: Target::Best, search, ..PlanOptions::default() };
        let report = ask(&subject, &best);
        let plan = found(&report);
        assert_eq!((plan.goal, plan.witness.steps.len(), plan.is_best), (50, 4, true));
    }
}

/// A counter that goes round for ever and never ends the game.
const ROUND: &str = "(role you) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 0)
    (legal you on) (legal you stay)
    (<= (next (at ?n)) (true (at ?m)) (does you on) (succ ?m ?n))
    (<= (next (at ?n)) (true (at ?n)) (does you stay))
    (<= terminal (true (at 2)) (true (at 1)))
    (<= terminal (true (at 2)) (true never))
    (<= (next never) (true never))
    (<= (goal you 100) (true (at 2))) (<= (goal you 0) (not (true (at 2))))";

#[test]
fn courses_that_go_round_are_no_reason_to_look_at_longer_ones() {
    let subject = Subject::new(&playable("round.kif", ROUND).unwrap());
    for search in [Search::Shortest, Search::Any] {
        let report = ask(&subject, &PlanOptions { search, ..PlanOptions::default() });
        assert_eq!(report.outcome, Outcome::None(NoPlan::States { states: 3 }), "{search:?}");
        assert_eq!(report.form, Form::States);
        assert!(report.work.frames < 40, "{}", report.work.frames);
    }
    let report =
        plan(&subject, first_role(&subject), &PlanOptions::default(), &Budget::unlimited().with_work(100));
    assert!(matches!(report.outcome, Outcome::Undecided(_)));
}

/// What the solver says of courses that go round, where the states are not looked at.
#[test]
fn the_solver_sees_that_all_courses_of_some_length_come_back() {
    let subject = Subject::new(&playable("round.kif", ROUND).unwrap());
    let model = Model::faithful(&subject, &Budget::unlimited()).unwrap();
    let mut recurrence = recurrence::Recurrence::new();
    let meter = Budget::unlimited().meter();
    let mut courses = courses::Courses::new(&model, 0, Others::Forced, meter);
    for length in 0..4 {
        let Ok((comes_back, _)) = recurrence.holds(&mut courses, &[]) else { panic!("no limit was set") };
        // There are three states: a course of two steps can see each of them once.
        assert_eq!(comes_back, length > 2, "{length} steps");
        assert!(courses.extend().is_ok());
    }
}

#[test]
fn other_roles_leave_the_choice_to_the_planner_or_help() {
    let subject = bundled("tic-tac-toe");
    let x = first_role(&subject);
    let alone = plan(&subject, x, &PlanOptions::default(), &Budget::unlimited());
    assert!(matches!(alone.outcome, Outcome::None(_)), "the other one has a choice");
    let options = PlanOptions { others: Others::Helping, ..PlanOptions::default() };
    let together = plan(&subject, x, &options, &Budget::unlimited());
    assert_eq!(found(&together).witness.steps.len(), 5);
}
