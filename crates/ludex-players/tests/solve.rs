//! Solving games whose values are known.

use std::fmt::Write;

use crate::matches::Game;
use ludex_game::State;
use ludex_logic::Budget;
use ludex_players::{Opponents, Solution, SolveOptions, Values, solve};
use ludex_testkit::seeds;

fn solved_as(game: &Game, opponents: Opponents) -> Solution {
    let options = SolveOptions { opponents, memory: 1 << 26, ..SolveOptions::default() };
    solve(&game.machine, game.machine.initial(), &options, &Budget::unlimited()).unwrap()
}

fn solved(game: &Game) -> Solution {
    solved_as(game, Opponents::Paranoid)
}

/// What the principal variation ends with.
fn end_of_line(game: &Game, solution: &Solution) -> Vec<f64> {
    let mut runner = game.machine.runner(&Budget::unlimited());
    for joint in &solution.variation {
        runner.step(joint).unwrap();
    }
    assert!(runner.terminal().unwrap());
    let roles = game.machine.signature().role_ids();
    roles.map(|role| f64::from(runner.goal(role).unwrap().unwrap())).collect()
}

/// The numbers from 0 or 1 as facts of a successor relation.
fn successors(last: usize) -> String {
    (0..last).fold(String::new(), |mut text, n| {
        let _ = write!(text, "(succ {n} {}) ", n + 1);
        text
    })
}

/// In turn, two roles drop pieces into columns; three in a row win.
fn connect_three(columns: usize, rows: usize) -> String {
    let columns_text: String = (1..=columns).map(|x| format!("(column {x}) ")).collect();
    format!(
        "(role red) (role yellow) (init (control red)) {columns_text} {}
        (opponent red yellow) (opponent yellow red)
        (<= (base (cell ?x ?y ?p)) (column ?x) (succ ?z ?y) (role ?p))
        (<= (base (control ?p)) (role ?p))
        (<= (input ?p (drop ?x)) (role ?p) (column ?x)) (<= (input ?p noop) (role ?p))
        (<= (legal ?p (drop ?x)) (true (control ?p)) (column ?x) (not (filled ?x {rows})))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (filled ?x ?y) (true (cell ?x ?y ?p)))
        (<= (filled ?x 0) (column ?x))
        (<= (next (cell ?x ?s ?p)) (does ?p (drop ?x)) (filled ?x ?y) (succ ?y ?s) (not (filled ?x ?s)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)))
        (<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
        (<= (three ?p) (true (cell ?x ?a ?p)) (succ ?a ?b) (true (cell ?x ?b ?p)) (succ ?b ?d)
            (true (cell ?x ?d ?p)))
        (<= (three ?p) (true (cell ?a ?y ?p)) (succ ?a ?b) (true (cell ?b ?y ?p)) (succ ?b ?d)
            (true (cell ?d ?y ?p)))
        (<= (three ?p) (true (cell ?a ?y ?p)) (succ ?a ?b) (succ ?y ?s) (true (cell ?b ?s ?p))
            (succ ?b ?d) (succ ?s ?t) (true (cell ?d ?t ?p)))
        (<= (three ?p) (true (cell ?a ?y ?p)) (succ ?a ?b) (succ ?s ?y) (true (cell ?b ?s ?p))
            (succ ?b ?d) (succ ?t ?s) (true (cell ?d ?t ?p)))
        (<= open (column ?x) (not (filled ?x {rows})))
        (<= won (three ?p))
        (<= terminal won) (<= terminal (not open))
        (<= (goal ?p 100) (three ?p))
        (<= (goal ?p 0) (opponent ?p ?q) (three ?q))
        (<= (goal ?p 50) (role ?p) (not won))",
        successors(columns.max(rows))
    )
}

/// Breakthrough with two rows of pawns each.
fn breakthrough(columns: usize, rows: usize) -> String {
    let columns_text: String = (1..=columns).map(|x| format!("(column {x}) ")).collect();
    let inner = rows - 1;
    format!(
        "(role white) (role black) (init (control white)) {columns_text} {}
        (opponent white black) (opponent black white)
        (<= (base (cell ?x ?y ?p)) (column ?x) (row ?y) (role ?p))
        (<= (base (control ?p)) (role ?p))
        (<= (row ?y) (succ ?z ?y) (at_most ?y {rows}))
        (at_most {rows} {rows}) (<= (at_most ?y {rows}) (succ ?y ?z) (at_most ?z {rows}))
        (<= (input ?p (move ?x ?y ?u ?v)) (forward ?p ?y ?v) (near ?x ?u))
        (<= (input ?p noop) (role ?p))
        (<= (near ?x ?x) (column ?x)) (<= (near ?x ?u) (beside ?x ?u))
        (<= (beside ?x ?u) (succ ?x ?u) (column ?x) (column ?u))
        (<= (beside ?x ?u) (succ ?u ?x) (column ?x) (column ?u))
        (<= (forward white ?y ?v) (succ ?y ?v) (row ?y) (row ?v))
        (<= (forward black ?y ?v) (succ ?v ?y) (row ?y) (row ?v))
        (<= (init (cell ?x 1 white)) (column ?x)) (<= (init (cell ?x 2 white)) (column ?x))
        (<= (init (cell ?x {inner} black)) (column ?x)) (<= (init (cell ?x {rows} black)) (column ?x))
        (<= (legal ?p (move ?x ?y ?x ?v)) (true (control ?p)) (true (cell ?x ?y ?p)) (forward ?p ?y ?v)
            (not (occupied ?x ?v)))
        (<= (legal ?p (move ?x ?y ?u ?v)) (true (control ?p)) (true (cell ?x ?y ?p)) (forward ?p ?y ?v)
            (beside ?x ?u) (not (true (cell ?u ?v ?p))))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (occupied ?x ?y) (true (cell ?x ?y ?p)))
        (<= (next (cell ?u ?v ?p)) (does ?p (move ?x ?y ?u ?v)))
        (<= (next (cell ?x ?y ?p)) (true (cell ?x ?y ?p)) (not (changed ?x ?y)))
        (<= (changed ?x ?y) (does ?p (move ?x ?y ?u ?v)))
        (<= (changed ?u ?v) (does ?p (move ?x ?y ?u ?v)))
        (<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
        (<= terminal (won ?p))
        (<= (won white) (true (cell ?x {rows} white))) (<= (won black) (true (cell ?x 1 black)))
        (<= (won ?p) (opponent ?p ?q) (not (alive ?q)))
        (<= (alive ?p) (true (cell ?x ?y ?p)))
        (<= (goal ?p 100) (won ?p)) (<= (goal ?p 0) (role ?p) (not (won ?p)))",
        successors(columns.max(rows))
    )
}

/// Nim: who takes the last one wins.
fn nim(heaps: &[usize]) -> String {
    let most = heaps.iter().copied().max().unwrap_or(0);
    let mut facts = successors(most);
    for (heap, size) in heaps.iter().enumerate() {
        let _ = write!(facts, "(init (heap h{heap} {size})) (heap_name h{heap}) ");
    }
    for (after, before) in (0..=most).flat_map(|after| (after + 1..=most).map(move |before| (after, before)))
    {
        let _ = write!(facts, "(less {after} {before}) ");
    }
    format!(
        "(role white) (role black) (init (control white)) {facts} (size 0)
        (opponent white black) (opponent black white)
        (<= (size ?n) (succ ?m ?n))
        (<= (base (heap ?h ?n)) (heap_name ?h) (size ?n)) (<= (base (control ?p)) (role ?p))
        (<= (input ?p (leave ?h ?n)) (role ?p) (heap_name ?h) (size ?n)) (<= (input ?p noop) (role ?p))
        (<= (legal ?p (leave ?h ?m)) (true (control ?p)) (true (heap ?h ?n)) (less ?m ?n))
        (<= (legal ?p noop) (opponent ?p ?q) (true (control ?q)))
        (<= (next (heap ?h ?m)) (does ?p (leave ?h ?m)))
        (<= (next (heap ?h ?n)) (true (heap ?h ?n)) (does ?p (leave ?g ?m)) (distinct ?h ?g))
        (<= (next (control ?p)) (opponent ?p ?q) (true (control ?q)))
        (<= left (true (heap ?h ?n)) (distinct ?n 0))
        (<= terminal (not left))
        (<= (goal ?p 100) (opponent ?p ?q) (true (control ?q)))
        (<= (goal ?p 0) (true (control ?p)))"
    )
}

#[test]
fn tic_tac_toe_is_a_draw() {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let solution = solved(&game);
    assert_eq!(solution.values, Values::ZeroSum(vec![50.0, 50.0]));
    assert_eq!(end_of_line(&game, &solution), [50.0, 50.0]);
    assert_eq!(solution.variation.len(), 9);
    assert!(solution.table_len > 100 && solution.nodes < 5_478, "{solution:?}");
    assert_eq!(solved_as(&game, Opponents::MaxN).values, Values::MaxN(vec![50.0, 50.0]));
    assert_eq!(solved_as(&game, Opponents::Coalition).values, Values::AgainstCoalition(vec![50.0, 50.0]));
}

#[test]
fn nim_follows_the_rule_of_the_exclusive_or() {
    assert_eq!(solved(&Game::bundled("gdl/nim.kif")).values, Values::ZeroSum(vec![0.0, 100.0]));
    for a in 0..4 {
        for b in a..5 {
            for c in [0, 1, 3] {
                if a + b + c == 0 {
                    continue;
                }
                let game = Game::from_rules(&nim(&[a, b, c]));
                let first = if a ^ b ^ c == 0 { 0.0 } else { 100.0 };
                let solution = solved(&game);
                assert_eq!(solution.values, Values::ZeroSum(vec![first, 100.0 - first]), "{a} {b} {c}");
                assert_eq!(end_of_line(&game, &solution)[0], first);
            }
        }
    }
}

#[test]
fn whoever_begins_connect_three_wins() {
    for (columns, rows) in [(4, 4), (5, 4)] {
        let game = Game::from_rules(&connect_three(columns, rows));
        let solution = solved(&game);
        println!("connect three {columns}x{rows}: {} nodes", solution.nodes);
        assert_eq!(solution.values, Values::ZeroSum(vec![100.0, 0.0]));
        assert_eq!(end_of_line(&game, &solution), [100.0, 0.0]);
    }
}

#[test]
fn whoever_begins_a_small_breakthrough_loses() {
    for (columns, rows) in [(2, 5), (3, 5)] {
        let game = Game::from_rules(&breakthrough(columns, rows));
        let solution = solved(&game);
        println!("breakthrough {columns}x{rows}: {} nodes", solution.nodes);
        assert_eq!(solution.values, Values::ZeroSum(vec![0.0, 100.0]));
        assert_eq!(end_of_line(&game, &solution), [0.0, 100.0]);
    }
}

/// Each hand is beaten by one; and defecting brings 2 a round whatever the other does.
#[test]
fn of_simultaneous_moves_the_guaranteed_values_are_found() {
    let hands = solved(&Game::bundled("gdl/rock-paper-scissors.kif"));
    assert_eq!(hands.values, Values::Guaranteed(vec![0.0, 0.0]));
    let prisoners = Game::bundled("gdl/prisoners-dilemma.kif");
    assert_eq!(solved(&prisoners).values, Values::Guaranteed(vec![20.0, 20.0]));
    assert_eq!(solved_as(&prisoners, Opponents::MaxN).values, Values::MaxN(vec![20.0, 20.0]));
}

/// One role that chooses among three ways; two of three that share what the first gives up; chance.
#[test]
fn one_role_three_roles_and_chance_have_values() {
    let one = "(role you) (init start) (legal you a) (legal you b)
        (<= (next (end ?a)) (does you ?a)) (<= terminal (true (end ?a)))
        (<= (goal you 30) (true (end a))) (<= (goal you 70) (true (end b))) (<= (goal you 0) (true start))";
    assert_eq!(solved(&Game::from_rules(one)).values, Values::Best(70.0));
    // The second role prefers b, which is worse for the first than c; the third has no say.
    let three = "(role first) (role second) (role third) (init start)
        (legal first noop) (legal third noop) (legal second a) (legal second b) (legal second c)
        (<= (next (end ?a)) (does second ?a)) (<= terminal (true (end ?a)))
        (pays first a 0) (pays second a 10) (pays third a 0)
        (pays first b 40) (pays second b 50) (pays third b 0)
        (pays first c 60) (pays second c 20) (pays third c 80)
        (<= (goal ?p ?n) (true (end ?a)) (pays ?p ?a ?n)) (<= (goal ?p 0) (role ?p) (true start))";
    let game = Game::from_rules(three);
    assert_eq!(solved(&game).values, Values::Guaranteed(vec![0.0, 50.0, 0.0]));
    assert_eq!(solved_as(&game, Opponents::MaxN).values, Values::MaxN(vec![40.0, 50.0, 0.0]));
    let coalition = solved_as(&game, Opponents::Coalition).values;
    assert_eq!(coalition, Values::AgainstCoalition(vec![60.0, 50.0, 0.0]));
    let dice = "(role you) (role random) (init start) (legal you keep) (legal you roll)
        (legal random 1) (legal random 2) (legal random 3) (legal random 4)
        (<= (next (end ?a ?d)) (does you ?a) (does random ?d)) (<= terminal (true (end ?a ?d)))
        (sees you nothing)
        (<= (goal you 40) (true (end keep ?d))) (<= (goal you 100) (true (end roll 1)))
        (<= (goal you 90) (true (end roll 2))) (<= (goal you 0) (true (end roll 3)))
        (<= (goal you 0) (true (end roll 4))) (<= (goal ?p 0) (role ?p) (true start))
        (<= (goal random 0) (true (end ?a ?d)))";
    assert_eq!(solved(&Game::from_rules(dice)).values, Values::Guaranteed(vec![47.5, 0.0]));
}

#[test]
fn what_a_limit_stops_is_undecided() {
    let game = Game::bundled("gdl/connect-four.kif");
    let budget = Budget::unlimited().with_work(20_000);
    let options = SolveOptions { memory: 1 << 20, ..SolveOptions::default() };
    let solution = solve(&game.machine, game.machine.initial(), &options, &budget).unwrap();
    assert_eq!(solution.values, Values::Undecided(vec![None, None]));
    assert!(solution.nodes > 0 && solution.variation.is_empty());
}

/// A table far too small changes nothing but the work.
#[test]
fn little_memory_gives_the_same_values() {
    let game = Game::from_rules(&nim(&[2, 3, 4]));
    for memory in [0, 500, 3_000] {
        let options = SolveOptions { memory, ..SolveOptions::default() };
        let solution = solve(&game.machine, game.machine.initial(), &options, &Budget::unlimited()).unwrap();
        assert_eq!(solution.values, Values::ZeroSum(vec![100.0, 0.0]));
        assert!(solution.table_bytes <= memory);
    }
}

/// From any state of random play the solver says what the rule says.
#[test]
fn states_in_the_middle_of_nim_are_solved() {
    let game = Game::bundled("gdl/nim.kif");
    let heaps = |state: &State| {
        let mut facts = Vec::new();
        game.machine.facts(state, &mut facts);
        let text = |fact| game.machine.signature().text(fact);
        facts.into_iter().map(text).collect::<Vec<String>>()
    };
    for seed in seeds(8) {
        let mut rng = ludex_game::Rng::from_seed(seed);
        let mut runner = game.machine.runner(&Budget::unlimited());
        for _ in 0..1 + seed % 3 {
            let joint: Vec<_> = game
                .machine
                .signature()
                .role_ids()
                .map(|role| *rng.pick(runner.legal(role).unwrap()).unwrap())
                .collect();
            runner.step(&joint).unwrap();
        }
        let mut state = State::default();
        runner.save(&mut state);
        let facts = heaps(&state);
        let size = |fact: &String| fact.rsplit(' ').next()?.trim_end_matches(')').parse::<u32>().ok();
        let sum = facts.iter().filter(|f| f.contains("heap")).filter_map(size).fold(0, |xor, n| xor ^ n);
        let whites_turn = facts.iter().any(|fact| fact == "(control white)");
        let white = if (sum != 0) == whites_turn { 100.0 } else { 0.0 };
        let options = SolveOptions::default();
        let solution = solve(&game.machine, &state, &options, &Budget::unlimited()).unwrap();
        assert_eq!(solution.values, Values::ZeroSum(vec![white, 100.0 - white]), "{facts:?}");
    }
}
