//! Small games of two roles whose values are known.

use std::fmt::Write;

use ludex_logic::Budget;
use ludex_testkit::{playable, playable_bundled};

use super::*;

/// The numbers from 0 as facts of a successor relation.
fn successors(last: usize) -> String {
    (0..last).fold(String::new(), |mut text, n| {
        let _ = write!(text, "(succ {n} {}) ", n + 1);
        text
    })
}

/// Pieces dropped into columns in turn; three in a row win.
fn connect_three(columns: usize, rows: usize) -> String {
    let columns_text: String = (1..=columns).map(|x| format!("(column {x}) ")).collect();
    let line = |name: &str, first: &str, second: &str, third: &str| {
        format!(
            "(<= (three ?p) (true (cell {first} ?p)) {name} (true (cell {second} ?p)) (true (cell {third} ?p)))"
        )
    };
    format!(
        "(role red) (role yellow) (opponent red yellow) (opponent yellow red) (init (control red))
        {columns_text} {} {} {} {} {}
        (<= (taken ?x ?y) (true (cell ?x ?y ?p))) (<= (taken ?x 0) (column ?x))
        (<= (legal ?p (drop ?x)) (true (control ?p)) (column ?x) (not (taken ?x {rows})))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (next (cell ?x ?z ?p)) (does ?p (drop ?x)) (taken ?x ?y) (succ ?y ?z) (not (taken ?x ?z)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
        (<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
        (<= open (column ?x) (not (taken ?x {rows})))
        (<= won (three ?p)) (<= terminal won) (<= terminal (not open))
        (<= (goal ?p 100) (three ?p))
        (<= (goal ?p 0) (opponent ?p ?q) (three ?q))
        (<= (goal ?p 50) (role ?p) (not won))",
        successors(columns.max(rows)),
        line("(succ ?y ?b) (succ ?b ?c)", "?x ?y", "?x ?b", "?x ?c"),
        line("(succ ?x ?b) (succ ?b ?c)", "?x ?y", "?b ?y", "?c ?y"),
        line("(succ ?x ?b) (succ ?b ?c) (succ ?y ?d) (succ ?d ?e)", "?x ?y", "?b ?d", "?c ?e"),
        line("(succ ?x ?b) (succ ?b ?c) (succ ?d ?y) (succ ?e ?d)", "?x ?y", "?b ?d", "?c ?e"),
    )
}

/// Breakthrough with two rows of pawns each.
fn breakthrough(columns: usize, rows: usize) -> String {
    let list = |name: &str, last: usize| -> String { (1..=last).map(|n| format!("({name} {n}) ")).collect() };
    format!(
        "(role white) (role black) (opponent white black) (opponent black white) (init (control white))
        {} {} {}
        (<= (init (cell ?x 1 white)) (column ?x)) (<= (init (cell ?x 2 white)) (column ?x))
        (<= (init (cell ?x {rows} black)) (column ?x)) (<= (init (cell ?x {} black)) (column ?x))
        (<= (ahead white ?y ?v) (succ ?y ?v) (row ?y) (row ?v))
        (<= (ahead black ?y ?v) (succ ?v ?y) (row ?y) (row ?v))
        (<= (beside ?x ?u) (succ ?x ?u) (column ?x) (column ?u))
        (<= (beside ?x ?u) (succ ?u ?x) (column ?x) (column ?u))
        (<= (occupied ?x ?y) (true (cell ?x ?y ?p)))
        (<= (legal ?p (move ?x ?y ?x ?v))
            (true (control ?p)) (true (cell ?x ?y ?p)) (ahead ?p ?y ?v) (not (occupied ?x ?v)))
        (<= (legal ?p (move ?x ?y ?u ?v))
            (true (control ?p)) (true (cell ?x ?y ?p)) (ahead ?p ?y ?v) (beside ?x ?u)
            (not (true (cell ?u ?v ?p))))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
        (<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))
        (<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (changed ?x ?y)))
        (<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
        (<= (won white) (true (cell ?x {rows} white))) (<= (won black) (true (cell ?x 1 black)))
        (<= (alive ?p) (true (cell ?x ?y ?p)))
        (<= (won ?p) (opponent ?p ?q) (not (alive ?q)))
        (<= terminal (won ?p))
        (<= (goal ?p 100) (won ?p)) (<= (goal ?p 0) (role ?p) (not (won ?p)))",
        list("column", columns),
        list("row", rows),
        successors(columns.max(rows)),
        rows - 1,
    )
}

fn game(text: &str) -> Subject {
    Subject::new(&playable("small.kif", text).unwrap())
}

/// Whether each role can force to win, and in how many steps.
fn winners(subject: &Subject, horizon: usize) -> Vec<Option<u32>> {
    let roles = subject.rules().roles();
    roles
        .map(|role| {
            let wanted = Target::AtLeast(100);
            let by_solver = force_by_solver(subject, role, wanted, horizon, &Budget::unlimited());
            let by_states = force(subject, role, wanted, horizon, &Budget::unlimited());
            assert!(by_states.work.all && !by_solver.work.all);
            let within = [by_solver, by_states].map(|report| match report.outcome {
                ForceOutcome::Forced { strategy, .. } => Some(strategy.nodes[0].within),
                ForceOutcome::Never => None,
                other => panic!("{other:?}"),
            });
            assert_eq!(within[0], within[1]);
            within[0]
        })
        .collect()
}

#[test]
fn whoever_begins_connect_three_can_force_to_win() {
    assert_eq!(winners(&game(&connect_three(4, 4)), 16), [Some(9), None]);
}

#[test]
fn on_three_columns_nobody_can() {
    assert_eq!(winners(&game(&connect_three(3, 3)), 16), [None, None]);
}

#[test]
fn the_second_player_wins_a_small_breakthrough() {
    assert_eq!(winners(&game(&breakthrough(2, 5)), 100), [None, Some(10)]);
}

#[test]
fn steps_are_a_limit_and_what_is_refuted_is_said() {
    let subject = game(&connect_three(4, 4));
    let red = subject.rules().roles().next().unwrap();
    for force in [force, force_by_solver] {
        let report = force(&subject, red, Target::AtLeast(100), 8, &Budget::unlimited());
        assert_eq!(report.outcome, ForceOutcome::NotWithin { steps: 8 });
        assert_eq!(report.refuted, Some(8));
    }
    let report = force(&subject, red, Target::AtLeast(100), 16, &Budget::unlimited().with_work(200_000));
    assert!(matches!(report.outcome, ForceOutcome::Undecided(Reason::Limit(_))));
}

#[test]
fn moves_at_once_are_answered_by_those_who_see_them() {
    let subject = Subject::new(&playable_bundled("rock-paper-scissors").unwrap());
    assert_eq!(winners(&subject, 9), [None, None]);
}

#[test]
fn the_most_that_can_be_forced() {
    let best = |subject: &Subject| -> Vec<Option<Goal>> {
        let of_role = |role| match force(subject, role, Target::Best, 100, &Budget::unlimited()).outcome {
            ForceOutcome::Forced { goal, .. } => Some(goal),
            ForceOutcome::Never => None,
            other => panic!("{other:?}"),
        };
        subject.rules().roles().map(of_role).collect()
    };
    assert_eq!(best(&game(&connect_three(3, 3))), [Some(50), Some(50)]);
    let hands = Subject::new(&playable_bundled("rock-paper-scissors").unwrap());
    assert_eq!(best(&hands), [Some(0), Some(0)]);
}

/// A counter that two roles can move up or leave, and that only moves on when both agree; nobody has to.
const ROUND: &str = "(role you) (role other) (init (at 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 0)
    (legal you on) (legal you stay) (legal other on) (legal other stay)
    (<= (next (at ?n)) (true (at ?m)) (does you on) (does other on) (succ ?m ?n))
    (<= (next (at ?n)) (true (at ?n)) (does ?r stay))
    (<= terminal (true (at 3)) (true never))
    (<= (next never) (true never))
    (<= (goal ?r 100) (role ?r) (true (at 3))) (<= (goal ?r 0) (role ?r) (not (true (at 3))))";

#[test]
fn games_that_go_round_are_decided_by_their_states() {
    let subject = game(ROUND);
    let you = subject.rules().roles().next().unwrap();
    let report = force(&subject, you, Target::AtLeast(100), 10_000, &Budget::unlimited());
    assert_eq!((report.outcome, report.work.states), (ForceOutcome::Never, 4));
    assert_eq!(report.work.questions, 0);
    // The solver alone does not know when to end.
    let report = force_by_solver(&subject, you, Target::AtLeast(100), 20, &Budget::unlimited());
    assert_eq!(report.outcome, ForceOutcome::NotWithin { steps: 20 });
}

/// A guess at a coin. Who sees it guesses right; who does not can force nothing.
const COIN: &str = "(role you) (role other) (init (time 1)) (succ 1 2) (succ 2 3) (side heads) (side tails)
    (<= (legal other (lay ?s)) (side ?s) (true (time 1))) (<= (legal other noop) (true (time 2)))
    (<= (legal you noop) (true (time 1))) (<= (legal you (guess ?s)) (side ?s) (true (time 2)))
    (<= (next (coin ?s)) (does other (lay ?s))) (<= (next (coin ?s)) (true (coin ?s)))
    (<= (next right) (does you (guess ?s)) (true (coin ?s)))
    (<= (next (time ?n)) (true (time ?m)) (succ ?m ?n)) (<= terminal (true (time 3)))
    (<= (goal you 100) (true right)) (<= (goal you 0) (not (true right)))
    (<= (goal other 0) (true right)) (<= (goal other 100) (not (true right)))";

/// Whatever the state is worth to who knows it: by states and by the solver, for one value and for the best.
#[test]
fn nothing_is_said_where_roles_do_not_see_everything() {
    let seen = game(COIN);
    let you = seen.rules().roles().next().unwrap();
    let report = force(&seen, you, Target::Best, 10, &Budget::unlimited());
    assert!(matches!(report.outcome, ForceOutcome::Forced { goal: 100, .. }), "{:?}", report.outcome);
    let hidden = game(&format!("{COIN} (<= (sees ?r (made ?m)) (does ?r ?m))"));
    for target in [Target::AtLeast(100), Target::Best] {
        let report = force(&hidden, you, target, 10, &Budget::unlimited());
        let ForceOutcome::Undecided(Reason::Method(why)) = &report.outcome else {
            panic!("{:?}", report.outcome)
        };
        assert!(why.contains("do not see everything"), "{why}");
        assert_eq!((report.refuted, report.work), (None, ForceWork::default()), "nothing was looked at");
    }
}
