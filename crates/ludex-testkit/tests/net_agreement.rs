//! Random, changed and mutated games through the net engines, which say what the rule machine says.

use ludex_game::{playthrough, record_playouts, verify};
use ludex_gdl::{GameProgram, Notation, scramble};
use ludex_logic::Budget;
use ludex_testkit::generate::{Knobs, generate};
use ludex_testkit::{
    Agreement, Configuration, Rules, agree, bundled_rules, check_text, program, rename_trace, rounds,
    rule_machine, seeds,
};

const STEPS: u32 = 12;

fn prefix(rules: &Rules) -> Result<GameProgram, String> {
    program("generated", &rules.to_string(), Some(Notation::Prefix))
}

/// How engines differ on a rulesheet; one that is not accepted is no difference.
fn differ(rules: &Rules, engines: &[Configuration], seed: u64, steps: u32) -> Option<String> {
    let game = prefix(rules).ok()?;
    agree(&game, engines, seed, steps).err().map(|d| d.to_string())
}

/// Says how engines differ, on as little of the rulesheet as shows it.
fn fail(name: &str, rules: &Rules, engines: &[Configuration], seed: u64, steps: u32) -> ! {
    let difference = differ(rules, engines, seed, steps).unwrap_or_default();
    let small = rules.shrink(|r| differ(r, engines, seed, steps).is_some());
    let again = differ(&small, engines, seed, steps).unwrap_or_default();
    panic!("{name}, seed {seed}: {difference}\nshrunk: {again}\n{small}");
}

#[test]
fn nets_agree_on_random_games() {
    let (mut decided, count) = (0, rounds(60));
    for seed in seeds(60) {
        let rules = generate(seed, &Knobs::from_seed(seed));
        let game = prefix(&rules).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{rules}"));
        let engines = Configuration::sample(seed);
        match agree(&game, &engines, seed, STEPS) {
            Ok(Agreement::Same(_)) => decided += 1,
            Ok(Agreement::Undecided(_)) => {}
            Ok(Agreement::Stuck(error) | Agreement::Refused(error)) => {
                panic!("seed {seed}: {error}\n{rules}")
            }
            Err(_) => fail("random game", &rules, &engines, seed, STEPS),
        }
    }
    assert!(decided * 10 >= count * 8, "only {decided} of {count} within the limits");
}

#[test]
fn nets_agree_on_bundled_games_or_refuse_with_a_reason() {
    let games = bundled_rules();
    let (mut decided, mut tried) = (0, 0);
    for seed in seeds(games.len() as u64) {
        let (name, rules) = &games[(seed % games.len() as u64) as usize];
        let game = prefix(rules).unwrap_or_else(|e| panic!("{name}: {e}"));
        let engines = Configuration::sample(seed);
        tried += 1;
        match agree(&game, &engines, seed, 6) {
            Ok(Agreement::Same(_)) => decided += 1,
            Ok(Agreement::Undecided(_)) => {}
            Ok(Agreement::Stuck(error) | Agreement::Refused(error)) => panic!("{name}: {error}"),
            Err(difference) => panic!("{name}, seed {seed}: {difference}"),
        }
    }
    assert!(decided * 10 >= tried * 7, "only {decided} of {tried} within the limits");
}

#[test]
fn nets_refuse_mutated_games_or_agree() {
    let games = bundled_rules();
    let small: Vec<_> = games.iter().filter(|(_, rules)| rules.0.len() < 60).collect();
    assert!(!small.is_empty());
    let (mut played, mut refused, mut undecided) = (0, 0, 0);
    for seed in seeds(80) {
        let (name, rules) = small[seed as usize % small.len()];
        let mutant = rules.mutated(seed);
        let Ok(game) = prefix(&mutant) else { continue };
        let engines = Configuration::sample(seed);
        match agree(&game, &engines, seed, 4) {
            Ok(Agreement::Same(_) | Agreement::Stuck(_)) => played += 1,
            Ok(Agreement::Refused(_)) => refused += 1,
            Ok(Agreement::Undecided(_)) => undecided += 1,
            Err(_) => fail(name, &mutant, &engines, seed, 4),
        }
    }
    let all = played + refused + undecided;
    assert!(all > 10 && played * 10 >= all * 7, "{played} played, {refused} refused, {undecided} undecided");
}

/// Rulesheets for the changes that must not matter: random ones and small bundled ones.
fn samples() -> Vec<(String, Rules)> {
    let random = seeds(15)
        .map(|seed| 2_000 + seed)
        .map(|seed| (format!("random game {seed}"), generate(seed, &Knobs::from_seed(seed))));
    bundled_rules().into_iter().filter(|(_, rules)| rules.0.len() < 60).chain(random).collect()
}

#[test]
fn the_order_of_clauses_and_literals_does_not_matter_to_nets() {
    let engines = Configuration::engines();
    let (mut decided, mut tried) = (0, 0);
    for (name, rules) in samples() {
        let machine = rule_machine(&prefix(&rules).unwrap()).unwrap();
        let expected = playthrough(&*machine, 7, STEPS, &Budget::unlimited()).unwrap();
        let shuffled = rules.shuffled(5);
        tried += 1;
        match agree(&prefix(&shuffled).unwrap(), &engines, 7, STEPS) {
            Ok(Agreement::Same(found)) => {
                assert_eq!(found, expected, "{name}\n{shuffled}");
                decided += 1;
            }
            Ok(Agreement::Undecided(_)) => {}
            other => panic!("{name}: {other:?}\n{shuffled}"),
        }
    }
    assert!(decided * 10 >= tried * 9, "only {decided} of {tried} within the limits");
}

#[test]
fn scrambling_does_not_matter_to_nets() {
    let (mut decided, mut tried) = (0, 0);
    for (seed, (name, rules)) in samples().into_iter().enumerate() {
        let checked = check_text(&name, &rules.to_string(), Some(Notation::Prefix));
        let machine = rule_machine(&checked.game.unwrap()).unwrap();
        let trace = record_playouts(&*machine, &name, 1, 3, STEPS, &Budget::unlimited()).unwrap();
        let (scrambled, renaming) = scramble(&checked.rulesheet, seed as u64);
        let rename = |word: &str| renaming.new_name(word).unwrap_or(word).to_owned();
        let text = scrambled.source.text();
        let game = program(&name, text, Some(Notation::Prefix)).unwrap();
        let trace = rename_trace(&trace, &rename);
        for engine in Configuration::engines().into_iter().filter(|engine| engine.is_net()) {
            tried += 1;
            let Ok(machine) = engine.machine(&game) else { continue };
            decided += 1;
            let report = verify(&*machine, &trace, &Budget::unlimited());
            assert_eq!(report.mismatches, [], "{name}, {engine}\n{text}");
        }
    }
    assert!(decided * 10 >= tried * 9, "only {decided} of {tried} within the limits");
}
