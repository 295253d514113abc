//! Games over time: the table of 15.2, and the plans of 15.3 with the numbers that the ground program,
//! the circuit and plain search all give.

use ludex_game::Rules;
use ludex_logic::{Budget, TermId};
use ludex_testkit::{playable, playable_bundled};

use super::super::*;
use crate::Subject;
use crate::sat::{Origin, Unrolling, Verdict};

/// Buttons and Lights of 15.2, which ends after six moves.
pub fn buttons() -> Rules {
    playable_bundled("buttons-and-lights-copy").unwrap()
}

/// The same, but it ends once all lights are on, too.
pub fn buttons_until_lit() -> Rules {
    let text = format!("{}\nterminal :- true(p) & true(q) & true(r)\n", buttons().source().text());
    playable("buttons-until-lit.gdl", &text).unwrap()
}

/// The plans that the ground program has, as texts, sorted.
fn plans(rules: &Rules, request: &Request) -> Vec<String> {
    let budget = Budget::unlimited();
    let unrolled = unroll(&Subject::new(rules), request, &budget).unwrap();
    let found = unrolled.program.models(usize::MAX, &budget);
    assert_eq!(found.end, End::All);
    let text = |steps: &Vec<Vec<TermId>>| {
        let joint = |step: &Vec<TermId>| rules.texts(step).join("+");
        steps.iter().map(joint).collect::<Vec<_>>().join(" ")
    };
    let mut plans = Vec::new();
    for model in &found.models {
        let steps = unrolled.plan(model);
        check_plan(rules, request, &steps).unwrap();
        plans.push(text(&steps));
    }
    plans.sort();
    plans
}

/// The numbers of plans for each of some horizons.
fn counts(rules: &Rules, horizons: std::ops::RangeInclusive<u32>, printed: bool) -> Vec<usize> {
    let request = |horizon| {
        let request = Request::plan(rules, horizon);
        if printed { request.as_printed() } else { request }
    };
    horizons.map(|horizon| plans(rules, &request(horizon)).len()).collect()
}

/// The least number of moves that win by the circuit as a formula.
fn shortest_by_circuit(rules: &Rules, most: usize) -> Option<usize> {
    let subject = Subject::new(rules);
    let faithful = subject.faithful(&Budget::unlimited()).unwrap();
    let mut unrolling = Unrolling::new(&faithful.circuit, Origin::Initial, Budget::unlimited().meter());
    let won = faithful.circuit.goals[0].iter().find(|(value, _)| *value == 100)?.1;
    for frame in 0..=most {
        let over = unrolling.literal(frame, faithful.circuit.terminal).unwrap();
        let won = unrolling.literal(frame, won).unwrap();
        if unrolling.solve(&[over, won], u64::MAX) == Ok(Verdict::Satisfiable) {
            return Some(frame);
        }
        unrolling.demand_moves(frame).unwrap();
        unrolling.add_frame();
    }
    None
}

/// The winning sequences of moves, by trying all.
fn winning_sequences(rules: &Rules) -> Vec<String> {
    let role = rules.roles().next().unwrap();
    let mut open = vec![(rules.initial().clone(), Vec::new())];
    let mut found = Vec::new();
    while let Some((state, moves)) = open.pop() {
        if rules.terminal(&state).unwrap() {
            if rules.goals(&state).unwrap()[0] == Some(100) {
                found.push(moves.join(" "));
            }
            continue;
        }
        for action in rules.legal(&state, role).unwrap() {
            let moves: Vec<String> = moves.iter().cloned().chain([rules.text(action)]).collect();
            open.push((rules.successor(&state, &[action]).unwrap().state, moves));
        }
    }
    found.sort();
    found
}

#[test]
fn buttons_and_lights_as_printed_has_87_models_at_horizon_7_and_none_before() {
    let rules = buttons();
    assert_eq!(counts(&rules, 1..=7, true), [0, 0, 0, 0, 0, 0, 87]);
    assert_eq!(plans(&rules, &Request::plan(&rules, 7)), winning_sequences(&rules));
    assert_eq!(winning_sequences(&rules).len(), 29);
    assert_eq!(shortest_by_circuit(&rules, 9), Some(6));
}

#[test]
fn with_all_lights_on_as_an_end_the_numbers_are_3_21_and_87() {
    let rules = buttons_until_lit();
    assert_eq!(counts(&rules, 1..=7, true), [0, 0, 0, 0, 3, 21, 87]);
    assert_eq!(plans(&rules, &Request::plan(&rules, 5)), ["a b c b"]);
    assert_eq!(shortest_by_circuit(&rules, 9), Some(4));
}

#[test]
fn the_swap_game_has_two_plans_of_six_moves() {
    let rules = playable_bundled("buttons-and-lights").unwrap();
    assert_eq!(counts(&rules, 1..=6, false), [0; 6]);
    assert_eq!(plans(&rules, &Request::plan(&rules, 7)), ["a b a c b a", "a b c a b a"]);
}

#[test]
fn the_coin_game_has_16_plans_and_needs_the_refinement() {
    let rules = playable_bundled("coins").unwrap();
    assert_eq!(counts(&rules, 1..=4, false), [0; 4]);
    let found = plans(&rules, &Request::plan(&rules, 5));
    assert_eq!(found.len(), 16);
    assert_eq!(found, winning_sequences(&rules));
    // Whoever is stuck cannot move, as 15.3 demands at every time.
    assert_eq!(counts(&rules, 5..=6, true), [0, 0]);
    assert_eq!(shortest_by_circuit(&rules, 5), Some(4));
}

#[test]
fn plans_can_be_worth_less_and_for_all_roles_together() {
    let rules = playable(
        "two.kif",
        "(role a) (role b) (init (step 0)) (legal a x) (legal a y) (legal b x) (legal b y)
         (<= (next (step 1)) (true (step 0)))
         (<= (next both) (does a x) (does b x))
         (<= (next one) (or (does a x) (does b x)) (not (and (does a x) (does b x))))
         (<= terminal (true (step 1)))
         (<= (goal a 50) (true one)) (<= (goal a 100) (true both)) (<= (goal a 0) (not (true one)) (not (true both)))
         (<= (goal b 0) (not (true one))) (<= (goal b 100) (true one))",
    )
    .unwrap();
    let mut request = Request::plan(&rules, 2);
    assert_eq!(plans(&rules, &request), ["x+x"]);
    request.least_goal = 50;
    assert_eq!(plans(&rules, &request), ["x+x", "x+y", "y+x"]);
    request.role = rules.roles().nth(1).unwrap();
    request.least_goal = 100;
    assert_eq!(plans(&rules, &request), ["x+y", "y+x"]);
}

#[test]
fn what_is_no_plan_is_told_apart() {
    let rules = buttons();
    let request = Request::plan(&rules, 7);
    let check = |text: &str| {
        let term = |word: &str| vec![rules.find_term(word).unwrap().unwrap()];
        let steps: Vec<Vec<TermId>> = text.split(' ').map(term).collect();
        check_plan(&rules, &request, &steps)
    };
    assert_eq!(check("a b c b a a a").unwrap().steps.len(), 6);
    assert_eq!(check("a b c b").unwrap_err().to_string(), "the game is not over after 4 steps");
    assert_eq!(check("a a a a a a").unwrap_err().to_string(), "the game ends with the goal value 0");
    assert!(matches!(check("a p").unwrap_err(), PlanError::Move { step: 2, .. }));
}

#[test]
fn a_spent_budget_ends_unrolling() {
    let subject = Subject::new(&buttons());
    subject.faithful(&Budget::unlimited()).unwrap();
    let request = Request::plan(subject.rules(), 1_000_000);
    assert!(unroll(&subject, &request, &Budget::unlimited().with_work(10_000)).is_err());
    assert!(unroll(&subject, &request, &Budget::unlimited().with_memory(100_000)).is_err());
}

fn joints(rules: &Rules, moves: &str) -> Vec<Vec<TermId>> {
    moves.split(' ').map(|word| vec![rules.find_term(word).unwrap().unwrap()]).collect()
}

#[test]
fn the_table_of_15_2() {
    let rules = buttons();
    let course = evolution(&rules, &joints(&rules, "a b c")).unwrap();
    insta::assert_snapshot!(course.text(&rules), @r"
    time            1  2  3  4
    legal(white,a)  x  x  x  x
    legal(white,b)  x  x  x  x
    legal(white,c)  x  x  x  x
    does(white,a)   x
    does(white,b)      x
    does(white,c)         x
    true(step(1))   x
    true(p)            x  x  x
    true(step(2))      x
    true(q)               x
    true(step(3))         x
    true(r)                  x
    true(step(4))            x
    goal(white,0)   x  x  x  x
    ");
}

#[test]
fn the_ground_program_evolves_as_the_rules_do() {
    for (name, moves) in [("buttons-and-lights-copy", "a b c"), ("coins", "jump(4,7) jump(6,8)")] {
        let rules = playable_bundled(name).unwrap();
        let moves = joints(&rules, moves);
        let course = evolution(&rules, &moves).unwrap();
        let request = Request::evolution(&rules, moves.clone());
        let unrolled = unroll(&Subject::new(&rules), &request, &Budget::unlimited()).unwrap();
        let found = unrolled.program.models(2, &Budget::unlimited());
        assert_eq!((found.models.len(), found.end), (1, End::All), "{name}");
        assert_eq!(unrolled.plan(&found.models[0]), moves);
        let holds = unrolled.program.names(&found.models[0]);
        let of = |relation: &str| {
            let prefix = format!("{relation}(");
            holds.iter().filter(move |name| name.starts_with(&prefix)).map(|name| (*name).to_owned())
        };
        let mut expected = Vec::new();
        for (atom, times) in course.rows(&rules) {
            for time in (1..=times.len()).filter(|&time| times[time - 1]) {
                // Only `true` goes one step beyond the horizon.
                if time <= moves.len() || atom.starts_with("true(") {
                    let open = atom.strip_suffix(')');
                    expected.push(open.map_or_else(|| format!("{atom}({time})"), |o| format!("{o},{time})")));
                }
            }
        }
        expected.sort();
        let mut seen: Vec<String> =
            ["true", "does", "legal", "goal", "terminal"].into_iter().flat_map(of).collect();
        seen.sort();
        assert_eq!(seen, expected, "{name}");
    }
}
