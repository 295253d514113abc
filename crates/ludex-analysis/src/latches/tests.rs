use ludex_game::{Goal, Rng, RoleId, Rules};
use ludex_logic::{Budget, TermId};
use ludex_testkit::corpus::Corpus;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{playable, playable_bundled, playable_file, rounds, seeds};

use super::{Hold, LatchEffort, Latches, Removal, Setting};
use crate::{Finding, Subject};

fn latches(rules: &Rules) -> Latches {
    let found = Latches::find(&Subject::new(rules), &LatchEffort::default(), &Budget::unlimited()).unwrap();
    assert_eq!(found.stopped(), None);
    found
}

fn texts(latches: &Latches, terms: &[TermId]) -> Vec<String> {
    latches.rules().texts(terms)
}

fn setting(latches: &Latches, text: &str, value: bool) -> Setting {
    let signature = latches.rules().signature();
    let found = signature.propositions().into_iter().find(|&term| signature.text(term) == text);
    Setting { proposition: found.unwrap(), value }
}

#[test]
fn the_latches_of_tic_tac_toe_are_those_of_the_text() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let found = latches(&rules);
    let mut marks = Vec::new();
    let mut blanks = Vec::new();
    for (m, n) in (1..=3).flat_map(|m| (1..=3).map(move |n| (m, n))) {
        let text = |z: &str| match rules.signature().notation() {
            ludex_gdl::Notation::Infix => format!("cell({m},{n},{z})"),
            ludex_gdl::Notation::Prefix => format!("(cell {m} {n} {z})"),
        };
        marks.extend([text("o"), text("x")]);
        blanks.push(text("b"));
    }
    // Once a square is marked it keeps its mark; once it is not blank it never is again (12.2).
    assert_eq!(sorted(texts(&found, &found.positive())), sorted(marks));
    assert_eq!(sorted(texts(&found, &found.negative())), sorted(blanks));
    // A cell is blank, then one of the marks for ever; control goes to and fro.
    let successions = found.successions();
    assert_eq!(successions.len(), 9);
    for succession in successions {
        assert_eq!(succession.stages.len(), 3);
        assert_eq!(succession.stages[0].next, [1, 2]);
    }
}

fn sorted(mut list: Vec<String>) -> Vec<String> {
    list.sort();
    list
}

/// Book, exercise 16.1.
#[test]
fn step_1_is_a_negative_latch_in_buttons_and_lights_and_no_light_is_a_latch() {
    for name in ["buttons-and-lights", "buttons-and-lights-copy"] {
        let rules = playable_bundled(name).unwrap();
        let found = latches(&rules);
        let step = |n: u32| match rules.signature().notation() {
            ludex_gdl::Notation::Infix => format!("step({n})"),
            ludex_gdl::Notation::Prefix => format!("(step {n})"),
        };
        let first = setting(&found, &step(1), false);
        assert_eq!(found.keeps(first), Some(Finding::Proved(())));
        assert_eq!(texts(&found, &found.negative()), [step(1)]);
        assert_eq!(texts(&found, &found.positive()), [step(7)]);
        for light in ["p", "q", "r"] {
            for value in [true, false] {
                let keeps = found.keeps(setting(&found, light, value)).unwrap();
                let witness = keeps.witness().expect("random games turn every light on and off");
                let end = witness.replay(&rules).unwrap();
                let (before, after) = (witness.steps.len() - 1, witness.steps.len());
                let holds = |step: usize| {
                    let state = end.history().state_at(step).unwrap();
                    rules.fact_texts(state).iter().any(|fact| fact == light)
                };
                assert_eq!((holds(before), holds(after)), (value, !value), "{name} {light}");
            }
        }
        // The counter as a group: seven stages in a row.
        let [counter] = &found.successions()[..] else { panic!() };
        assert_eq!(counter.stages.len(), 7);
        for (number, stage) in counter.stages.iter().enumerate() {
            assert_eq!(texts(&found, &stage.members), [step(number as u32 + 1)]);
            let next: Vec<usize> = (number < 6).then_some(number + 1).into_iter().collect();
            assert_eq!(stage.next, next);
        }
    }
}

/// Book 12.4, with the corrected numbers: 4^0 + .. + 4^7 nodes in the tree.
#[test]
fn untwisty_corridor_shrinks_to_eight_states() {
    let rules = playable_bundled("untwisty-corridor").unwrap();
    let nodes: u128 = rules.perft(7, &Budget::unlimited()).unwrap().iter().map(|row| row.paths).sum();
    assert_eq!(nodes, 21_845);
    let found = latches(&rules);
    let player = RoleId(0);
    assert_eq!(removal(&found, player), Removal { states: 36, live: 8, left: 8 });
    // p is a latch, and it blocks the goal and all lights but the first.
    let p = setting(&found, "p", true);
    assert_eq!(found.keeps(p), Some(Finding::Proved(())));
    let goal = found.goal_inhibitors().into_iter().find(|g| g.by == p && g.value == 100).unwrap();
    assert_eq!((goal.latched, goal.hold, goal.role), (true, Hold::Blocks, player));
    let inhibitor = found.inhibitors().into_iter().find(|i| i.by == p).unwrap();
    let lights: Vec<String> = (2..=8).map(|n| format!("q({n})")).collect();
    assert_eq!(texts(&found, &inhibitor.blocks), lights);
    // The state test, both ways, and the moves to keep off.
    let mut position = rules.start();
    let mut meter = Budget::unlimited().meter();
    let legal = position.legal(player).unwrap();
    let dead = found.dead_moves(&found.bits(&position.facts()), player, 100, &legal, &mut meter).unwrap();
    assert_eq!(texts(&found, &dead), ["a", "b", "c"]);
    position.play(&["b"]).unwrap();
    let bits = found.bits(&position.facts());
    assert_eq!(found.out_of_reach(&bits, &position.goals().unwrap()), [[100]]);
    assert_eq!(found.forecast(&bits, &mut meter).unwrap().possible(player), [0]);
}

/// The same corridor without the counter, as a graph of states: 15 of them.
#[test]
fn untwisty_corridor_has_fifteen_states_without_the_counter() {
    let rules = playable_bundled("untwisty-corridor").unwrap();
    let text = rules.source().text();
    let without: Vec<&str> = text.lines().filter(|line| !line.contains("step(")).collect();
    let text = format!("{}\nterminal :- true(q(8))\n", without.join("\n"));
    let rules = playable("corridor.gdl", &text).unwrap();
    assert_eq!(removal(&latches(&rules), RoleId(0)), Removal { states: 15, live: 8, left: 8 });
}

/// What there is to lose of goal 100.
fn removal(found: &Latches, role: RoleId) -> Removal {
    let all = found.all_states(10_000, &Budget::unlimited()).unwrap();
    found.removals(&all, &[(role, 100)], &Budget::unlimited()).unwrap()[0]
}

/// Of the dead states latches show only some: those in which marks of the other block all lines.
#[test]
fn dead_states_are_counted_and_not_only_those_that_latches_show() {
    let found = latches(&playable_bundled("tic-tac-toe").unwrap());
    let (white, black) = (removal(&found, RoleId(0)), removal(&found, RoleId(1)));
    assert_eq!(white, Removal { states: 5_478, live: 4_758, left: 5_066 });
    assert_eq!(black, Removal { states: 5_478, live: 3_894, left: 4_596 });
    assert_eq!((white.dead(), white.removed()), (720, 412));
}

#[test]
fn only_what_really_excludes_something_is_listed() {
    let rules = playable_bundled("untwisty-corridor").unwrap();
    let found = latches(&rules);
    // q(8) is the goal, and after step(8) there is nothing to exclude anything from.
    let goals: Vec<(String, Goal, Hold)> = found
        .goal_inhibitors()
        .into_iter()
        .filter(|goal| goal.latched)
        .map(|goal| (rules.text(goal.by.proposition), goal.value, goal.hold))
        .collect();
    assert_eq!(goals, [("p".to_owned(), 100, Hold::Blocks), ("q(8)".to_owned(), 0, Hold::Bars)]);
    let inhibitors = found.inhibitors();
    let latched: Vec<String> = inhibitors
        .iter()
        .filter(|found| found.latched)
        .map(|found| format!("{} {}", rules.text(found.by.proposition), found.by.value))
        .collect();
    assert_eq!(latched, ["p true", "step(1) false"]);
    // The first step never comes back, whatever holds.
    let first = setting(&found, "step(1)", true).proposition;
    assert!(inhibitors.iter().all(|found| !found.excludes.contains(&first)));
}

/// 12.2: neither is a latch, both together are.
const EITHER: &str = "role(robot) base(p) base(q) base(r) base(s)
    input(robot,start) input(robot,swap) input(robot,both) input(robot,turn)
    init(r)
    legal(robot,start) :- true(r)
    legal(robot,swap) :- ~true(r)
    legal(robot,both) :- ~true(r)
    legal(robot,turn)
    next(r) :- true(r) & ~does(robot,start)
    next(p) :- does(robot,start)
    next(p) :- does(robot,swap) & true(q)
    next(q) :- does(robot,swap) & true(p)
    next(p) :- does(robot,both)
    next(q) :- does(robot,both)
    next(p) :- does(robot,turn) & true(q)
    next(q) :- does(robot,turn) & true(p) & ~true(q)
    next(s) :- does(robot,turn) & ~true(s)
    goal(robot,100) :- true(q)
    goal(robot,0) :- ~true(q)
    terminal :- true(p) & true(q) & true(s)";

#[test]
fn propositions_may_latch_together_though_none_does_alone() {
    let found = latches(&playable("either.gdl", EITHER).unwrap());
    assert_eq!(texts(&found, &found.positive()), [] as [&str; 0]);
    let groups: Vec<(Vec<String>, bool)> =
        found.disjunctions().iter().map(|group| (texts(&found, &group.members), group.always)).collect();
    assert_eq!(groups, [(vec!["p".to_owned(), "q".to_owned()], false)]);
    // Whose turn it is holds from the beginning, and of a succession the members that go round.
    let found = latches(&playable_bundled("tic-tac-toe").unwrap());
    let groups = found.disjunctions();
    let [turn] = &groups[..] else { panic!("{groups:?}") };
    assert_eq!(
        (texts(&found, &turn.members), turn.always),
        (vec!["control(black)".to_owned(), "control(white)".to_owned()], true)
    );
    let ring = "role(robot) base(at(X)) :- place(X)
        place(0) place(1) place(2) place(3)
        input(robot,on) init(at(0)) legal(robot,on) next(at(Y)) :- true(at(X)) & after(X,Y)
        after(0,1) after(1,2) after(2,3) after(3,1) terminal :- true(at(9))
        goal(robot,100)";
    let found = latches(&playable("ring.gdl", ring).unwrap());
    let groups: Vec<Vec<String>> =
        found.disjunctions().iter().map(|group| texts(&found, &group.members)).collect();
    assert_eq!(groups, [["at(1)", "at(2)", "at(3)"]]);
}

fn disjunctions(found: &Latches) -> Vec<(String, bool)> {
    let named = |group: &super::Disjunction| (texts(found, &group.members).join(" "), group.always);
    found.disjunctions().iter().map(named).collect()
}

/// Whose turn it is, of three roles: exactly one of three, and none of them is ever left for good.
#[test]
fn three_that_always_go_round_latch_together() {
    let three = "role(a) role(b) role(c) init(turn(a)) base(over) some(stop) some(on)
        base(turn(R)) :- role(R)
        input(R,M) :- role(R) & some(M)
        legal(R,stop) :- true(turn(R)) legal(R,on) :- role(R)
        next(turn(b)) :- true(turn(a)) next(turn(c)) :- true(turn(b)) next(turn(a)) :- true(turn(c))
        next(over) :- does(R,stop) terminal :- true(over) goal(R,100) :- role(R)";
    let found = latches(&playable("three.gdl", three).unwrap());
    assert_eq!(disjunctions(&found), [("turn(a) turn(b) turn(c)".to_owned(), true)]);
    assert!(found.successions().is_empty());
}

/// No name says that a, b and c belong together, and with `x` no invariant says that they exclude each other.
#[test]
fn propositions_of_different_names_latch_together_as_well() {
    let rules = |begin: &str| {
        let mut text = format!(
            "role(w) init({begin}) init(n(1)) legal(w,stay) legal(w,on)
             next(a) :- true(x) & does(w,on)
             next(b) :- true(a) & does(w,on)
             next(c) :- true(b) & does(w,on)
             next(a) :- true(c) & does(w,on)
             next(X) :- does(w,stay) & true(X) & distinct(X,n(1)) & one(X)
             one(x) one(a) one(b) one(c)
             terminal :- true(n(8)) goal(w,100) :- true(c) goal(w,0) :- ~true(c)\n"
        );
        (1..8).for_each(|n| text += &format!("next(n({})) :- true(n({n}))\n", n + 1));
        playable("names.gdl", &text).unwrap()
    };
    assert_eq!(disjunctions(&latches(&rules("a"))), [("a b c".to_owned(), true)]);
    assert_eq!(disjunctions(&latches(&rules("x"))), [("a b c".to_owned(), false)]);
}

/// The goal of 12.4 as it has to be for q and r to inhibit it.
#[test]
fn a_latch_that_the_goal_forbids_bars_it() {
    let rules = playable(
        "bars.gdl",
        "role(white) base(q) base(r) input(white,go) input(white,stay)
         legal(white,go) legal(white,stay)
         next(q) :- true(q)
         next(q) :- does(white,go)
         next(r) :- does(white,stay) & ~true(r)
         next(r) :- true(q) & true(r)
         goal(white,100) :- ~true(q) & ~true(r)
         goal(white,50) :- true(q) & ~true(r)
         goal(white,0) :- true(r)
         terminal :- true(q) & true(r)",
    )
    .unwrap();
    let found = latches(&rules);
    assert_eq!(texts(&found, &found.positive()), ["q"]);
    let bars = |text: &str| {
        let by = setting(&found, text, true);
        let all = found.goal_inhibitors().into_iter().filter(|g| g.by == by && g.hold == Hold::Bars);
        all.map(|g| (g.value, g.latched)).collect::<Vec<_>>()
    };
    assert_eq!(bars("q"), [(100, true)]);
    assert_eq!(bars("r"), [(50, false), (100, false)]);
}

#[test]
fn a_spent_budget_keeps_what_was_proved_and_says_why_it_stopped() {
    let rules = playable_bundled("tic-tac-toe").unwrap();
    let subject = Subject::new(&rules);
    // The net and the invariants are there before, so that the budget is spent on latches alone.
    subject.faithful(&Budget::unlimited()).unwrap().invariants(&Budget::unlimited()).unwrap();
    let all = latches(&rules);
    let mut ends = (0, 0);
    for work in [10, 1_000, 5_000, 10_000, 15_000, 20_000, 30_000, 40_000] {
        match Latches::find(&subject, &LatchEffort::default(), &Budget::unlimited().with_work(work)) {
            Ok(some) => {
                ends.0 += u32::from(some.stopped().is_some());
                assert!(some.positive().iter().all(|term| all.positive().contains(term)));
                assert!(some.goal_inhibitors().iter().all(|goal| all.goal_inhibitors().contains(goal)));
            }
            Err(_) => ends.1 += 1,
        }
    }
    assert!(ends.0 > 0 && ends.1 > 0, "{ends:?}");
}

/// Every claim about random games is compared with many of their courses.
#[test]
fn what_is_claimed_of_random_games_holds_in_their_courses() {
    let mut claims = 0;
    for seed in seeds(40) {
        let text = generate(seed, &Knobs::from_seed(seed)).to_string();
        let Ok(rules) = playable("random.kif", &text) else { continue };
        let effort = LatchEffort { playouts: 3, ..LatchEffort::default() };
        let Ok(found) = Latches::find(&Subject::new(&rules), &effort, &Budget::unlimited()) else { continue };
        for playout in 0..12 {
            claims += check_course(&found, seed * 100 + playout);
        }
    }
    assert!(claims > 1_000, "only {claims} claims were put to the test");
}

/// Games of the corpus that have latches of all kinds: marks, wins that are remembered, walls, coins.
#[test]
fn what_is_claimed_of_real_games_holds_in_their_courses() {
    let Some(corpus) = Corpus::find("latches of real games") else { return };
    let names = ["ticTicToe", "buttons", "lightsOnParallel", "haystack", "wallmaze", "doubletictactoe"];
    for name in &names[..rounds(3).min(names.len() as u64) as usize] {
        let rules = playable_file(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
        let budget = Budget::unlimited().with_work(20_000_000);
        let found = Latches::find(&Subject::new(&rules), &LatchEffort::default(), &budget).unwrap();
        assert!(!found.negative().is_empty(), "{name} has a counter or a board that fills");
        let claims: usize = (0..5).map(|seed| check_course(&found, seed)).sum();
        assert!(claims > 0, "{name}");
    }
}

/// Plays a random game and compares each state with what was claimed in those before it.
fn check_course(found: &Latches, seed: u64) -> usize {
    let rules = found.rules();
    let mut rng = Rng::from_seed(seed);
    let mut position = rules.start();
    let mut meter = Budget::unlimited().meter();
    let mut courses: Vec<(Vec<bool>, super::Forecast, Vec<Vec<u32>>)> = Vec::new();
    let mut claims = 0;
    let (inhibitors, goal_inhibitors) = (found.inhibitors(), found.goal_inhibitors());
    let groups = found.disjunctions();
    for _ in 0..30 {
        let facts = position.facts();
        let (bits, goals) = (found.bits(&facts), position.goals().unwrap());
        let circuit = &found.faithful().circuit;
        let bit = |bits: &[bool], term: TermId| bits[found.numbers[&term] as usize];
        for (earlier, forecast, lost) in &courses {
            for (base, stored) in circuit.bases.iter().enumerate() {
                if let Some(value) = forecast.value(circuit.values[stored.proposition as usize]) {
                    assert_eq!(bits[base], value);
                    claims += 1;
                }
                for value in [true, false] {
                    if earlier[base] == value && found.stays(base as u32, value) {
                        assert_eq!(bits[base], value);
                        claims += 1;
                    }
                }
            }
            for (role, goal) in (0..).zip(&goals) {
                if let Some(goal) = goal {
                    assert!(forecast.possible(RoleId(role)).contains(goal));
                    assert!(!lost[role as usize].contains(goal));
                }
            }
        }
        for group in &groups {
            let holds = |bits: &[bool]| group.members.iter().any(|&term| bit(bits, term));
            if group.always || courses.last().is_some_and(|(before, ..)| holds(before)) {
                assert!(holds(&bits));
                claims += 1;
            }
        }
        if let Some((before, ..)) = courses.last() {
            for found in &inhibitors {
                if bit(before, found.by.proposition) == found.by.value {
                    assert!(found.excludes.iter().all(|&term| !bit(&bits, term)));
                    assert!(found.blocks.iter().all(|&term| bit(before, term) || !bit(&bits, term)));
                    claims += found.excludes.len() + found.blocks.len();
                }
            }
        }
        for found in goal_inhibitors.iter().filter(|found| found.hold == Hold::Bars) {
            if bit(&bits, found.by.proposition) == found.by.value {
                assert_ne!(goals[found.role.index()], Some(found.value));
                claims += 1;
            }
        }
        let forecast = found.forecast(&bits, &mut meter).unwrap();
        let lost = found.out_of_reach(&bits, &goals);
        courses.push((bits, forecast, lost));
        if position.terminal().unwrap() {
            break;
        }
        let joint: Option<Vec<TermId>> =
            rules.roles().map(|role| rng.pick(&position.legal(role).unwrap()).copied()).collect();
        let Some(joint) = joint else { break };
        position.advance(&joint).unwrap();
    }
    claims
}
