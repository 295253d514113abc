//! How the players of chapter 5 play.

use ludex_game::{Goal, Machine, Rng, RoleId, State};
use ludex_logic::Budget;
use ludex_players::Resources;
use ludex_testkit::rounds;

use super::game::{Conduct, Game, Played, play};

const PLANNERS: [&str; 4] =
    ["plan-depth-first", "plan-breadth-first", "plan-iterative-deepening", "plan-best-first"];
const ALL: [&str; 7] = [
    "deliberation",
    "plan-depth-first",
    "plan-breadth-first",
    "plan-iterative-deepening",
    "plan-best-first",
    "random-then-planning",
    "random-then-planning:nodes=50",
];

/// The best that can be had, by plain recursion; for games that end.
fn reference(machine: &dyn Machine, state: &State) -> Goal {
    let mut runner = machine.runner(&Budget::unlimited());
    runner.set(state).expect("a state");
    if runner.terminal().expect("an answer") {
        return runner.goal(RoleId(0)).expect("an answer").unwrap_or(0);
    }
    let legal = runner.legal(RoleId(0)).expect("an answer").to_vec();
    let values = legal.into_iter().map(|action| {
        runner.set(state).expect("a state");
        runner.step(&[action]).expect("a step");
        let mut next = State::default();
        runner.save(&mut next);
        reference(machine, &next)
    });
    values.max().unwrap_or(0)
}

// Problem 5.2: the picture of the state is missing, so the questions are asked of the board of 5.2 with
// two steps left. By hand: reward 40; the best of the six ends is right, down with 60; the tree has
// 1 + 2 + 6 nodes, and 1 + 2 + 5 different states, since right, left and down, up lead to the same.
#[test]
fn problem_5_2_two_steps_left() {
    let game = Game::changed_puzzle("init(step(1))", "init(step(7))");
    assert_eq!(game.check("").reward, Some(40));
    let deliberation = play(&game, &Conduct::of("deliberation"));
    assert_eq!(deliberation.goals, [Some(60)]);
    assert_eq!(deliberation.choices[0].report.entry("nodes"), Some("9"));
    let planned = play(&game, &Conduct::of("plan-breadth-first"));
    assert_eq!(planned.goals, [Some(60)]);
    assert_eq!(planned.choices[0].report.entry("nodes of the plan"), Some("8"));
    assert_eq!(planned.choices[0].report.entry("plan"), Some("optimal"));
}

#[test]
fn planners_solve_puzzles() {
    for name in ["8-puzzle.gdl", "buttons-and-lights.gdl", "blocks-world.gdl", "hanoi.gdl"] {
        let game = Game::bundled(name);
        for strategy in PLANNERS {
            let played = play(&game, &Conduct::of(strategy));
            assert_eq!((played.completed, &played.goals[..]), (true, &[Some(100)][..]), "{strategy}, {name}");
            let first = &played.choices[0].report;
            assert_eq!(first.entry("plan"), Some("optimal"), "{strategy}, {name}");
            assert_eq!(first.entry("expected goal"), Some("100"));
            assert_eq!(first.entry("plan length"), Some(played.choices.len().to_string().as_str()));
            assert_eq!(first.variation.len(), played.choices.len());
        }
    }
}

#[test]
fn deliberation_solves_small_puzzles() {
    for name in ["8-puzzle.gdl", "buttons-and-lights.gdl", "blocks-world.gdl"] {
        let game = Game::bundled(name);
        assert_eq!(play(&game, &Conduct::of("deliberation")).goals, [Some(100)], "{name}");
        assert_eq!(play(&game, &Conduct::of("random-then-planning")).goals, [Some(100)], "{name}");
    }
}

#[test]
fn breadth_first_and_deepening_find_shortest_plans() {
    for (name, length) in [("8-puzzle.gdl", 4), ("blocks-world.gdl", 3), ("hanoi.gdl", 31)] {
        let game = Game::bundled(name);
        for strategy in ["plan-breadth-first", "plan-iterative-deepening"] {
            assert_eq!(play(&game, &Conduct::of(strategy)).choices.len(), length, "{strategy}, {name}");
        }
    }
}

#[test]
fn iterations_are_counted() {
    let game = Game::bundled("8-puzzle.gdl");
    let played = play(&game, &Conduct::of("plan-iterative-deepening"));
    let report = &played.choices[0].report;
    let counts = report.entry("nodes per iteration").expect("counts");
    let counts: Vec<u64> = counts.split(' ').map(|count| count.parse().expect("a number")).collect();
    // The first board, its two successors, and their five: see problem 5.2.
    assert_eq!((counts.len(), counts[0], counts[1]), (4, 3, 8));
    assert_eq!(report.entry("nodes of the plan"), Some(counts.iter().sum::<u64>().to_string().as_str()));
}

#[test]
fn the_start_clock_saves_work_in_the_first_play_clock() {
    let game = Game::bundled("hanoi.gdl");
    for strategy in PLANNERS {
        let count = |played: &Played, name| -> u64 {
            played.choices[0].report.entry(name).expect("a count").parse().expect("a number")
        };
        let stopped = Conduct { start: Budget::unlimited().with_work(64 * 30), ..Conduct::of(strategy) };
        let played = play(&game, &stopped);
        assert_eq!(played.goals, [Some(100)], "{strategy}");
        let (rest, all) = (count(&played, "nodes"), count(&played, "nodes of the plan"));
        assert!(rest > 0 && (25..=30).contains(&(all - rest)), "{strategy}: {rest} of {all}");
    }
}

#[test]
fn plans_are_mended_after_substituted_moves() {
    let puzzle = Game::bundled("8-puzzle.gdl");
    let hanoi = Game::bundled("hanoi.gdl");
    for strategy in PLANNERS {
        let once = Conduct { substitutes: &[(0, "down")], ..Conduct::of(strategy) };
        let played = play(&puzzle, &once);
        assert_eq!(played.goals, [Some(100)], "{strategy}");
        if played.choices[0].action != puzzle.term("down") {
            assert!(played.choices[1].report.entry("plan mended").is_some(), "{strategy}");
        }
        // A depth-first plan may leave no steps for errors; these three are as short as can be, or
        // nearly so.
        if strategy != "plan-depth-first" {
            let twice =
                Conduct { substitutes: &[(0, "move(a,b)"), (1, "move(a,c)")], ..Conduct::of(strategy) };
            assert_eq!(play(&hanoi, &twice).goals, [Some(100)], "{strategy}");
        }
    }
}

#[test]
fn what_is_left_of_a_plan_is_used_again() {
    // Three lights need a press each, in any order; there is time for four, and the fourth button does
    // nothing. So a press of it leaves a plan whose moves still lead to the end.
    let game = Game::inline(
        "role(you) light(1) light(2) light(3) init(step(0)) legal(you,press(4))
         succ(0,1) succ(1,2) succ(2,3) succ(3,4) base(step(0)) input(you,press(4))
         base(step(N)) :- succ(M,N)
         base(lit(X)) :- light(X)
         input(you,press(X)) :- light(X)
         legal(you,press(X)) :- light(X)
         next(lit(X)) :- true(lit(X))
         next(lit(X)) :- does(you,press(X))
         next(step(N)) :- true(step(M)) & succ(M,N)
         all :- true(lit(1)) & true(lit(2)) & true(lit(3))
         terminal :- all
         terminal :- true(step(4))
         goal(you,100) :- all
         goal(you,0) :- ~all",
    );
    for strategy in PLANNERS {
        let played = play(&game, &Conduct { substitutes: &[(0, "press(4)")], ..Conduct::of(strategy) });
        assert_eq!(played.goals, [Some(100)], "{strategy}");
        let second = &played.choices[1].report;
        assert_eq!(second.entry("plan mended"), Some("yes"), "{strategy}");
        assert_eq!(second.entry("nodes"), None, "{strategy} searched again");
    }
}

#[test]
fn a_step_leads_back_to_the_plan() {
    // The way is 0, 1, 2, 3; the referee goes to 4, which is a step from 2 as well.
    let game = Game::inline(
        "role(you) init(at(0)) place(0) place(1) place(2) place(3) place(4)
         edge(0,1) edge(0,4) edge(1,0) edge(1,2) edge(2,1) edge(2,3) edge(4,0) edge(4,2)
         base(at(X)) :- place(X)
         input(you,go(X)) :- place(X)
         legal(you,go(Y)) :- true(at(X)) & edge(X,Y)
         next(at(Y)) :- does(you,go(Y))
         terminal :- true(at(3))
         goal(you,100) :- true(at(3))
         goal(you,0) :- ~true(at(3))",
    );
    for strategy in PLANNERS {
        let played = play(&game, &Conduct { substitutes: &[(0, "go(4)")], ..Conduct::of(strategy) });
        assert_eq!((played.choices.len(), &played.goals[..]), (3, &[Some(100)][..]), "{strategy}");
        let second = &played.choices[1].report;
        assert_eq!(second.entry("plan mended"), Some("yes"), "{strategy}");
        assert_eq!(second.entry("nodes"), None, "{strategy} searched again");
        // Back where the plan has been, it goes on from there without more ado.
        let back = [(1, "go(0)")];
        let played = play(&game, &Conduct { substitutes: &back, ..Conduct::of(strategy) });
        assert_eq!((played.choices.len(), &played.goals[..]), (5, &[Some(100)][..]), "{strategy}");
        assert_eq!(played.choices[2].report.entry("plan mended"), None, "{strategy}");
    }
}

#[test]
fn an_unfinished_search_plays_the_best_so_far() {
    // Four states do not show the end, but a move to a higher goal value than the first state's 40.
    let game = Game::bundled("8-puzzle.gdl");
    let budget = Budget::unlimited().with_work(64 * 4);
    let start = Budget::unlimited().with_work(0);
    let played = play(&game, &Conduct { start, play: budget, ..Conduct::of("plan-best-first") });
    let report = &played.choices[0].report;
    assert_eq!(report.entry("plan"), Some("beginning"));
    let expected: Goal = report.entry("expected goal").expect("a goal").parse().expect("a number");
    assert!(expected > 40, "{expected}");
    assert!(played.completed);
}

#[test]
fn pondering_finishes_the_search() {
    let game = Game::bundled("hanoi.gdl");
    for strategy in PLANNERS {
        let conduct = Conduct {
            start: Budget::unlimited().with_work(0),
            play: Budget::unlimited().with_work(64 * 20),
            ponder: Some(Budget::unlimited()),
            ..Conduct::of(strategy)
        };
        let played = play(&game, &conduct);
        let (first, second) = (&played.choices[0].report, &played.choices[1].report);
        assert_ne!(first.entry("plan"), Some("optimal"), "{strategy}");
        assert_eq!(second.entry("plan"), Some("optimal"), "{strategy}");
        assert_eq!(second.entry("nodes"), None, "{strategy} searched again");
        assert_eq!(played.goals, [Some(100)], "{strategy}");
    }
}

/// A game on a random graph, with a step counter or with ways in circles.
fn graph_game(rng: &mut Rng, nodes: u64, steps: Option<u64>) -> String {
    let mut text = String::from(
        "role(you) init(at(0))
         base(at(X)) :- node(X)
         input(you,go(X)) :- node(X)
         legal(you,go(Y)) :- true(at(X)) & edge(X,Y)
         next(at(Y)) :- does(you,go(Y))
         terminal :- true(at(X)) & final(X)
         goal(you,V) :- true(at(X)) & worth(X,V)\n",
    );
    for node in 0..nodes {
        text += &format!("node({node}) worth({node},{}) ", rng.below(10) * 10);
        for _ in 0..=rng.below(3) {
            text += &format!("edge({node},{}) ", rng.below(nodes));
        }
    }
    text += &format!("edge(0,{}) final({}) ", nodes - 1, nodes - 1);
    for _ in 0..rng.below(3) {
        text += &format!("final({}) ", 1 + rng.below(nodes - 1));
    }
    if let Some(steps) = steps {
        text += "base(step(0)) init(step(0)) base(step(N)) :- succ(M,N)\n";
        text += &format!("terminal :- true(step({steps}))\n next(step(N)) :- true(step(M)) & succ(M,N)\n");
        for step in 0..steps {
            text += &format!("succ({step},{}) ", step + 1);
        }
    }
    text
}

/// The best end that can be reached, where ways may go in circles.
fn reachable(machine: &dyn Machine) -> Goal {
    let mut seen = vec![machine.initial().clone()];
    let mut best = 0;
    let mut next = 0;
    while let Some(state) = seen.get(next).cloned() {
        next += 1;
        let mut runner = machine.runner(&Budget::unlimited());
        runner.set(&state).expect("a state");
        if runner.terminal().expect("an answer") {
            best = best.max(runner.goal(RoleId(0)).expect("an answer").unwrap_or(0));
            continue;
        }
        for action in runner.legal(RoleId(0)).expect("an answer").to_vec() {
            runner.set(&state).expect("a state");
            runner.step(&[action]).expect("a step");
            let mut child = State::default();
            runner.save(&mut child);
            if !seen.contains(&child) {
                seen.push(child);
            }
        }
    }
    best
}

#[test]
fn planners_are_admissible_on_random_graphs() {
    let mut rng = Rng::from_seed(5);
    for round in 0..rounds(30) {
        let steps = (round % 2 == 0).then_some(5);
        let text = graph_game(&mut rng, 4 + round % 5, steps);
        let game = Game::inline(&text);
        let machine = game.machine.as_ref();
        let best = if steps.is_some() { reference(machine, machine.initial()) } else { reachable(machine) };
        for strategy in PLANNERS {
            let played = play(&game, &Conduct::of(strategy));
            assert!(played.completed, "{strategy}: {text}");
            assert_eq!(played.goals, [Some(best)], "{strategy}: {text}");
        }
        if steps.is_some() {
            assert_eq!(play(&game, &Conduct::of("deliberation")).goals, [Some(best)], "{text}");
        }
    }
}

#[test]
fn tiny_budgets_still_play_legal_moves() {
    let names = ["8-puzzle.gdl", "hanoi.gdl", "rock-paper-scissors.kif", "tic-tac-toe.kif", "reversi.kif"];
    for name in names {
        let game = Game::bundled(name);
        for strategy in ALL {
            for work in [0, 64, 200, 1_000, 20_000] {
                let budget = Budget::unlimited().with_work(work);
                let played = play(&game, &Conduct { limit: 8, ..Conduct::of(strategy).budget(&budget) });
                assert!(!played.choices.is_empty());
            }
        }
    }
}

#[test]
fn tiny_memory_still_plays_legal_moves() {
    let game = Game::bundled("8-puzzle.gdl");
    let rock = Game::bundled("rock-paper-scissors.kif");
    for strategy in ALL {
        for memory in [0, 300, 5_000] {
            let resources = Resources { memory, ..Resources::default() };
            let played = play(&game, &Conduct { resources: resources.clone(), ..Conduct::of(strategy) });
            assert!(played.completed, "{strategy} in {memory} bytes");
            play(&rock, &Conduct { resources, ..Conduct::of(strategy) });
        }
    }
    // Without any memory a planner still sees what a move leads to.
    let near = Game::changed_puzzle("init(step(1))", "init(step(8))");
    for strategy in PLANNERS {
        let resources = Resources { memory: 0, ..Resources::default() };
        assert_eq!(
            play(&near, &Conduct { resources, ..Conduct::of(strategy) }).goals,
            [Some(50)],
            "{strategy}"
        );
    }
}

#[test]
fn roles_without_choice_do_not_disturb_plans() {
    // The clock can only tick; the player climbs to three in three steps or stays below.
    let game = Game::inline(
        "role(player) role(clock)
         base(height(N)) :- number(N)
         base(time(N)) :- number(N)
         number(0) number(1) number(2) number(3) succ(0,1) succ(1,2) succ(2,3)
         input(player,climb) input(player,stay) input(clock,tick) init(height(0)) init(time(0))
         legal(player,climb) legal(player,stay) legal(clock,tick)
         next(height(N)) :- true(height(M)) & does(player,climb) & succ(M,N)
         next(height(N)) :- true(height(N)) & does(player,stay)
         next(time(N)) :- true(time(M)) & succ(M,N) & does(clock,tick)
         terminal :- true(time(3))
         goal(clock,0) goal(player,100) :- true(height(3))
         goal(player,0) :- ~true(height(3))",
    );
    for strategy in PLANNERS {
        let played = play(&game, &Conduct::of(strategy));
        assert_eq!(played.goals[0], Some(100), "{strategy}");
        let report = &played.choices[0].report;
        assert_eq!(report.entry("plan"), Some("optimal"));
        assert_eq!(report.variation.len(), 3);
        assert!(report.variation.iter().all(|joint| joint.len() == 2));
    }
}

#[test]
fn deliberation_ends_in_games_that_do_not() {
    // One can walk in a circle for ever; the second step to the left wins.
    let game = Game::inline(
        "role(you) base(at(X)) :- place(X)
         place(0) place(1) place(2) init(at(0)) input(you,left) input(you,right)
         legal(you,left) legal(you,right) next(at(0)) :- does(you,right)
         next(at(1)) :- does(you,left) & true(at(0))
         next(at(2)) :- does(you,left) & true(at(1))
         terminal :- true(at(2))
         goal(you,100) :- true(at(2))
         goal(you,0) :- ~true(at(2))",
    );
    for (memory, work) in [(20_000, u64::MAX), (1 << 30, 64 * 5_000)] {
        let resources = Resources { memory, ..Resources::default() };
        let budget = Budget::unlimited().with_work(work);
        let conduct = Conduct { resources, ..Conduct::of("deliberation").budget(&budget) };
        let played = play(&game, &conduct);
        assert_eq!((played.choices.len(), &played.goals[..]), (2, &[Some(100)][..]));
    }
}

#[test]
fn deliberation_expects_the_worst_of_others() {
    // The bold move brings 100 or 0, as the other likes, the safe one 30.
    let game = Game::inline(
        "role(player) role(other) base(done) value(0) value(30) value(100)
         base(worth(V)) :- value(V)
         input(player,bold) input(player,safe) input(other,help) input(other,harm)
         legal(player,bold) legal(player,safe) legal(other,help) legal(other,harm)
         next(done)
         next(worth(100)) :- does(player,bold) & does(other,help)
         next(worth(0)) :- does(player,bold) & does(other,harm)
         next(worth(30)) :- does(player,safe)
         terminal :- true(done)
         goal(other,50) goal(player,V) :- true(worth(V))",
    );
    for strategy in ALL {
        let played = play(&game, &Conduct::of(strategy));
        assert_eq!(game.text(played.choices[0].action), "safe", "{strategy}");
        let best = &played.choices[0].report.moves[0];
        assert_eq!((best.value, best.proven), (Some(30.0), Some(30)), "{strategy}");
    }
}
