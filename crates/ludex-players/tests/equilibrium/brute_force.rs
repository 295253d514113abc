//! Small random games: what strategies are worth by walking through the game, and best responses by trying all pure
//! strategies.

use std::collections::BTreeMap;
use std::fmt::Write;

use ludex_game::{JointMoves, Rng, RoleId, Runner, State};
use ludex_logic::{Budget, TermId};
use ludex_players::News;
use ludex_players::equilibrium::{BehaviourStrategy, InformationSets, best_response};
use ludex_testkit::seeds;

use super::{assert_near, of_rules, solved};
use crate::matches::Game;

/// A game of two roles and chance in a random tree: how many moves there are depends on the step alone, and what is
/// seen and won on the node. Some branches end early.
fn random_game(seed: u64) -> String {
    let mut rng = Rng::from_seed(seed);
    let depth = 1 + rng.below(3);
    let mut text = "(role a) (role random) (role b) (init (at n)) (init (step 0))
        (<= (legal ?r (move ?m)) (true (step ?s)) (choice ?r ?s ?m))
        (<= (next (step ?t)) (true (step ?s)) (after ?s ?t))
        (<= (next (at ?k)) (true (at ?n)) (does a (move ?x)) (does random (move ?y)) (does b (move ?z))
            (edge ?n ?x ?y ?z ?k))
        (<= (sees ?r ?p) (true (at ?n)) (does a (move ?x)) (does random (move ?y)) (does b (move ?z))
            (edge ?n ?x ?y ?z ?k) (shows ?k ?r ?p))
        (<= terminal (true (at ?n)) (worth ?n ?g ?h))
        (<= (goal a ?g) (true (at ?n)) (worth ?n ?g ?h)) (<= (goal b ?h) (true (at ?n)) (worth ?n ?g ?h))
        (<= (percept ?r ?p) (shows ?k ?r ?p))\n"
        .to_owned();
    let mut nodes = vec!["n".to_owned()];
    for step in 0..depth {
        let counts = ["a", "random", "b"].map(|role| {
            let count = 1 + rng.below(2) + u64::from(depth == 1);
            (0..count).for_each(|m| write!(text, "(choice {role} {step} {m}) ").unwrap());
            count
        });
        write!(text, "(after {step} {})", step + 1).unwrap();
        let mut next = Vec::new();
        for node in &nodes {
            for number in 0..counts.iter().product() {
                let [x, y, z] =
                    [number % counts[0], number / counts[0] % counts[1], number / counts[0] / counts[1]];
                let child = format!("{node}{number}");
                writeln!(text, "(edge {node} {x} {y} {z} {child})").unwrap();
                for role in ["a", "b"] {
                    if rng.below(2) == 0 {
                        writeln!(text, "(shows {child} {role} light)").unwrap();
                    }
                }
                if step + 1 == depth || rng.below(6) == 0 {
                    let goal = rng.below(5) * 25;
                    writeln!(text, "(worth {child} {goal} {})", 100 - goal).unwrap();
                } else {
                    next.push(child);
                }
            }
        }
        nodes = next;
    }
    text
}

/// What a role was told: its own moves and percepts.
type Told = Vec<Vec<TermId>>;

/// Probabilities of moves by what a role was told, where it has a choice.
type Table = BTreeMap<Told, Vec<f64>>;

fn told_of(news: Vec<News>) -> Told {
    let flat = |news| match news {
        News::Percepts { action, percepts } => [vec![action], percepts].concat(),
        News::Joint(_) => unreachable!("the games are in GDL-II"),
    };
    news.into_iter().map(flat).collect()
}

fn table(sets: &InformationSets, strategy: &BehaviourStrategy) -> Table {
    sets.ids().map(|set| (told_of(sets.news(set)), strategy.of(sets, set).to_vec())).collect()
}

/// The first role's expected goal, by walking through all courses.
fn walk(game: &Game, runner: &mut dyn Runner, state: &State, told: &[Told; 2], tables: [&Table; 2]) -> f64 {
    let signature = game.machine.signature();
    let players: Vec<RoleId> = signature.role_ids().filter(|&r| Some(r) != signature.random()).collect();
    runner.set(state).unwrap();
    if runner.terminal().unwrap() {
        return f64::from(runner.goal(players[0]).unwrap().unwrap());
    }
    let mut joints = JointMoves::new(runner, signature).unwrap();
    let draws = runner.legal(signature.random().unwrap()).unwrap().len();
    let lists: Vec<_> = players.iter().map(|&role| runner.legal(role).unwrap().to_vec()).collect();
    let mut sum = 0.0;
    while let Some(joint) = joints.next() {
        let mut weight = 1.0 / draws as f64;
        for (at, &role) in players.iter().enumerate() {
            let place = lists[at].iter().position(|&action| action == joint[role.index()]).unwrap();
            weight *= tables[at].get(&told[at]).map_or(1.0, |probabilities| probabilities[place]);
        }
        if weight == 0.0 {
            continue;
        }
        runner.set(state).unwrap();
        runner.step(joint).unwrap();
        let mut next = State::default();
        runner.save(&mut next);
        let mut heard = told.clone();
        for (heard, &role) in heard.iter_mut().zip(&players) {
            let own = signature.action(joint[role.index()]);
            heard.push([&[own], runner.percepts(role)].concat());
        }
        sum += weight * walk(game, runner, &next, &heard, tables);
    }
    sum
}

/// All strategies that choose for sure, as long as there are not too many.
fn pure_strategies(sets: &InformationSets) -> Option<Vec<Table>> {
    let mut all = vec![Table::new()];
    for set in sets.ids() {
        let (told, count) = (told_of(sets.news(set)), sets.moves(set).len());
        let with = |table: &Table, place: usize| {
            let mut table = table.clone();
            table.insert(told.clone(), (0..count).map(|other| f64::from(other == place)).collect());
            table
        };
        all = all.iter().flat_map(|table| (0..count).map(move |place| with(table, place))).collect();
        if all.len() > 300 {
            return None;
        }
    }
    Some(all)
}

#[test]
fn best_responses_and_equilibria_of_random_games_agree_with_brute_force() {
    let (mut compared, mut mixed) = (0, 0);
    for seed in seeds(60) {
        let (game, form) = of_rules(&random_game(seed));
        let found = solved(&form, 0.01);
        let tables = [0, 1].map(|role| table(&form.roles()[role], &found.strategies[role]));
        let mut runner = game.machine.runner(&Budget::unlimited());
        let mut value = |first: &Table, second: &Table| {
            walk(&game, &mut *runner, game.machine.initial(), &Default::default(), [first, second])
        };
        assert_near(value(&tables[0], &tables[1]), found.values[0], 1e-9);
        let uniform = [0, 1].map(|role| BehaviourStrategy::uniform(&form.roles()[role]));
        let plain = [0, 1].map(|role| table(&form.roles()[role], &uniform[role]));
        let mean = value(&plain[0], &plain[1]);
        assert_near(form.values(&uniform)[0], mean, 1e-9);
        for role in [0, 1] {
            let Some(pure) = pure_strategies(&form.roles()[role]) else { continue };
            for (other, strategies) in
                [(&tables[1 - role], &found.strategies), (&plain[1 - role], &uniform.to_vec())]
            {
                let mut own = |own: &Table| match role {
                    0 => value(own, other),
                    _ => 100.0 - value(other, own),
                };
                let best = pure.iter().map(&mut own).fold(f64::NEG_INFINITY, f64::max);
                let response = best_response(&form, role, Some(&strategies[1 - role]));
                assert_near(response.value, best, 1e-9);
                assert_near(own(&table(&form.roles()[role], &response.strategy)), best, 1e-9);
            }
            compared += 1;
        }
        let is_mixed = |table: &Table| table.values().flatten().any(|&p| (0.05..0.95).contains(&p));
        mixed += u32::from(tables.iter().any(is_mixed));
    }
    assert!(compared > 60 && mixed > 20, "{compared} compared, {mixed} mixed");
}
