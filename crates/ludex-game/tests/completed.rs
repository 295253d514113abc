//! Games of GDL and GDL-II as sentences (book 19.5): what the sentences define is the game that the rules are.

use std::sync::Arc;

use ludex_game::{Machine, Rng, RuleMachine, perft};
use ludex_gdl::{Checked, Dialect, LoadOptions, Rulesheet, Severity, Source, load, parse, to_igdl};
use ludex_logic::Budget;

/// A bundled rulesheet of rules.
fn bundled(file: &str) -> Rulesheet {
    let path = format!("{}/../../games/{file}", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    parse(Arc::new(Source::new(file, text)), None).0
}

/// The sentences of a rulesheet, read again.
fn completed(rules: &Rulesheet, forget: &[&str]) -> Checked {
    let forget: Vec<String> = forget.iter().map(|&what| what.to_owned()).collect();
    let sentences = to_igdl(rules, &forget).unwrap().rulesheet;
    load(sentences.source, &LoadOptions::default())
}

fn machine(checked: &Checked) -> RuleMachine {
    let errors = checked.diagnostics.iter().any(|found| found.severity == Severity::Error);
    let text = ludex_gdl::report::plain(&checked.rulesheet.source, &checked.diagnostics);
    assert!(!errors, "{text}");
    let game = checked.game.clone().unwrap_or_else(|| panic!("{text}\n{}", checked.rulesheet.source.text()));
    RuleMachine::new(&Arc::new(game), &Default::default()).unwrap()
}

/// Paths, different states and ends by depth.
fn counts(machine: &RuleMachine, depth: u32) -> Vec<(u128, u64, u128)> {
    let rows = perft(machine, depth, &Default::default()).unwrap();
    rows.iter().map(|row| (row.paths, row.distinct, row.terminals)).collect()
}

/// A game played at random, as texts: the facts of each state, legal moves, goals, percepts and the end.
fn playthrough(machine: &RuleMachine, seed: u64, steps: usize) -> Vec<String> {
    let signature = machine.signature();
    let terms = signature.terms();
    let mut runner = machine.runner(&Budget::unlimited());
    let mut rng = Rng::from_seed(seed);
    let mut state = machine.initial().clone();
    let mut lines = Vec::new();
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts.join(" ")
    };
    for _ in 0..steps {
        let mut facts = Vec::new();
        machine.facts(&state, &mut facts);
        lines.push(sorted(facts.iter().map(|&fact| terms.prefix(fact)).collect()));
        runner.set(&state).unwrap();
        for role in signature.role_ids() {
            lines.push(format!("{:?}", runner.goal(role).unwrap()));
        }
        if runner.terminal().unwrap() {
            lines.push("terminal".into());
            break;
        }
        let mut joint = Vec::new();
        for role in signature.role_ids() {
            let legal = runner.legal(role).unwrap().to_vec();
            lines.push(
                legal
                    .iter()
                    .map(|&action| terms.prefix(signature.action(action)))
                    .collect::<Vec<_>>()
                    .join(" "),
            );
            joint.push(legal[rng.below(legal.len() as u64) as usize]);
        }
        runner.step(&joint).unwrap();
        for role in signature.role_ids() {
            lines.push(sorted(runner.percepts(role).iter().map(|&percept| terms.prefix(percept)).collect()));
        }
        runner.save(&mut state);
    }
    lines
}

/// The sentences of a game are in order, and define the same game, to a depth and along random playthroughs.
fn agrees(file: &str, depth: u32) {
    let rules = bundled(file);
    let source = Arc::clone(&rules.source);
    let sentences = completed(&rules, &[]);
    assert_eq!(sentences.diagnostics, [], "{file}");
    assert_eq!(sentences.rulesheet.notation, rules.notation);
    let one = load(source, &LoadOptions::default());
    let expected = if one.dialect == Dialect::Gdl { Dialect::Igdl } else { Dialect::IgdlII };
    assert_eq!(sentences.dialect, expected, "{file}");
    let [one, other] = [&one, &sentences].map(machine);
    assert_eq!(counts(&other, depth), counts(&one, depth), "{file}");
    for seed in 0..20 {
        assert_eq!(playthrough(&other, seed, 60), playthrough(&one, seed, 60), "{file}");
    }
}

#[test]
fn puzzles_are_what_their_rules_say() {
    for (file, depth) in [
        ("gdl/buttons-and-lights.gdl", 6),
        ("gdl/buttons-and-lights.kif", 6),
        ("gdl/buttons-and-lights-copy.gdl", 6),
        ("gdl/best-buttons-and-lights.gdl", 6),
        ("gdl/8-puzzle.gdl", 8),
        ("gdl/blocks-world.gdl", 3),
        ("gdl/coins.gdl", 4),
        ("gdl/hanoi.gdl", 6),
        ("gdl/problem-2-1.gdl", 4),
        ("gdl/untwisty-corridor.gdl", 8),
    ] {
        agrees(file, depth);
    }
}

#[test]
fn games_of_several_players_are_what_their_rules_say() {
    for (file, depth) in [
        ("gdl/tic-tac-toe.gdl", 5),
        ("gdl/tic-tac-toe.kif", 4),
        ("gdl/nim.kif", 4),
        ("gdl/chomp.kif", 4),
        ("gdl/connect-four.kif", 4),
        ("gdl/rock-paper-scissors.kif", 3),
        ("gdl/prisoners-dilemma.kif", 3),
    ] {
        agrees(file, depth);
    }
}

#[test]
fn games_of_incomplete_information_are_what_their_rules_say() {
    for (file, depth) in [
        ("gdl-ii/monty-hall.gdl", 5),
        ("gdl-ii/exploding-bomb.gdl", 3),
        ("gdl-ii/kuhn-poker.gdl", 5),
        ("gdl-ii/blind-tic-tac-toe.gdl", 2),
    ] {
        agrees(file, depth);
    }
}

#[test]
fn what_is_forgotten_is_all_that_is_open() {
    let lights = bundled("gdl/buttons-and-lights.gdl");
    for (forget, open) in [
        (&["init(p)", "init(q)", "init(r)"][..], "`init(p)`, `init(q)`, `init(r)`"),
        (&["next(step(1))"], "`next(step(1))`"),
        (&["goal(white,0)", "terminal"], "`terminal`, `goal(white,0)`"),
    ] {
        let checked = completed(&lights, forget);
        assert_eq!(checked.diagnostics.len(), 1, "{forget:?}");
        let message = format!("the sentences leave open {open}");
        assert_eq!(checked.diagnostics[0].message, message);
    }
}

#[test]
fn nearly_all_bundled_games_are_games_as_sentences() {
    // Rules with an error; terms without end; more than may be looked through when a rulesheet is read.
    let left_out = [
        "figure-9-3.gdl",
        "checkers.kif",
        "reversi.kif",
        "high-card-stakes.gdl",
        "repeated-prisoners-dilemma.kif",
    ];
    for folder in ["gdl", "gdl-ii"] {
        let path = format!("{}/../../games/{folder}", env!("CARGO_MANIFEST_DIR"));
        for entry in std::fs::read_dir(path).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            // What `ludex test` runs is no rulesheet.
            if !name.ends_with(".cases") && !left_out.contains(&name.as_str()) {
                let checked = completed(&bundled(&format!("{folder}/{name}")), &[]);
                assert_eq!(checked.diagnostics, [], "{name}");
                assert!(checked.game.is_some(), "{name}");
            }
        }
    }
}
