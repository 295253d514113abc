//! The translation in the hands of clingo, where it is installed, and as text.

use std::io::Write;
use std::process::{Command, Stdio};

use ludex_game::Rules;
use ludex_testkit::{playable, playable_bundled};

use super::super::*;
use super::games::{buttons, buttons_until_lit};

/// The atoms of each model, or `None` where there is no clingo.
fn models(program: &str) -> Option<Vec<Vec<String>>> {
    let started = Command::new("clingo")
        .args(["--models=0", "--verbose=0", "--time-limit=60", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn();
    let Ok(mut child) = started else {
        eprintln!("skipped: clingo is not installed");
        return None;
    };
    child.stdin.take().unwrap().write_all(program.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(errors, "", "{program}");
    let text = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    let is_end = |line: &&str| ["SATISFIABLE", "UNSATISFIABLE"].contains(line);
    assert!(lines.last().is_some_and(is_end), "{text}");
    let words = |line: &&str| line.split_whitespace().map(str::to_owned).collect();
    Some(lines[..lines.len() - 1].iter().map(words).collect())
}

/// The number of models of a request; every one is a plan by the rules.
fn count(rules: &Rules, request: &Request) -> Option<usize> {
    let translation = translate(rules, request).unwrap();
    let found = models(&translation.text)?;
    for model in &found {
        let steps = translation.plan(rules, model).unwrap();
        check_plan(rules, request, &steps).unwrap();
    }
    Some(found.len())
}

#[test]
fn clingo_finds_the_same_numbers() {
    let swap = playable_bundled("buttons-and-lights").unwrap();
    let coins = playable_bundled("coins").unwrap();
    let as_printed = |rules: &Rules, horizon| (rules.clone(), Request::plan(rules, horizon).as_printed());
    let refined = |rules: &Rules, horizon| (rules.clone(), Request::plan(rules, horizon));
    let mut asked = Vec::new();
    for (horizon, (plain, lit)) in (4..).zip([(0, 0), (0, 3), (0, 21), (87, 87)]) {
        asked.push((as_printed(&buttons(), horizon), plain));
        asked.push((as_printed(&buttons_until_lit(), horizon), lit));
    }
    asked.push((refined(&buttons(), 7), 29));
    asked.push((refined(&swap, 6), 0));
    asked.push((refined(&swap, 7), 2));
    asked.push((refined(&coins, 4), 0));
    asked.push((refined(&coins, 5), 16));
    asked.push((as_printed(&coins, 5), 0));
    for ((rules, request), expected) in asked {
        let Some(found) = count(&rules, &request) else { return };
        assert_eq!(found, expected, "{} {request:?}", rules.name());
    }
}

/// A game with everything that has to be written differently.
const ODD: &str = "
    (role white-player) (role white_player)
    (init (cell 1 time)) (init (step 0))
    (succ 0 1) (succ 1 2) (succ 2 99999999999)
    (horizon time) (odd f-x (g 007)) (p a b) (p a b c)
    (<= (base ?x) (init ?x))
    (<= (input ?r (go ?t)) (role ?r) (succ ?t ?t2))
    (<= (legal ?r (go ?t)) (role ?r) (succ ?t ?x+) (true (step ?t)))
    (<= (legal white_player 5) (true (step ?t)) (not (p ?t ?t)))
    (<= (p ?t ?t) (true (step ?t)) (distinct ?t 1))
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (next (lamp ?n)) (true (step ?n))
        (or (does white-player (go ?n)) (true (lamp ?n)) (and (distinct ?n 0) (does white_player 5))))
    (<= (next (lamp ?n)) (true (lamp ?n)) (not (or (p b b) (and (succ ?n ?n) (true (lamp ?n))))))
    (<= (next (dark ?n)) (true (step ?n)) (not (and (does white-player (go ?n)) (does white_player 5))))
    (<= (next both) (or (true (step 0)) (true (step 1))) (or (true both) (distinct 1 1) (does white_player 5)))
    (<= terminal (true (step 2)))
    (<= (goal ?r 100) (role ?r) (true (lamp 0)) (true both))
    (<= (goal ?r 0) (role ?r) (not (true both)))";

#[test]
fn odd_names_and_nested_bodies_are_read_by_clingo_and_back() {
    let rules = playable("odd.kif", ODD).unwrap();
    let request = Request::plan(&rules, 3);
    let Some(found) = count(&rules, &request) else { return };
    let unrolled = unroll(&crate::Subject::new(&rules), &request, &ludex_logic::Budget::unlimited()).unwrap();
    let own = unrolled.program.models(usize::MAX, &ludex_logic::Budget::unlimited());
    assert_eq!(found, own.models.len());
    assert!(found > 0);
}

#[test]
fn translations_of_bundled_games_are_read_by_clingo() {
    // Large rulesheets take long to be made a net where nothing is optimised.
    let most = 2_500 * ludex_testkit::rounds(1);
    let mut read = 0;
    for path in ludex_testkit::bundled() {
        if std::fs::metadata(&path).is_ok_and(|file| file.len() > most) {
            continue;
        }
        // Some are there to show what is wrong with them.
        let Ok(rules) = ludex_testkit::playable_file(&path) else { continue };
        let translation = translate(&rules, &Request::plan(&rules, 1)).unwrap();
        let again = translate(&rules, &Request::plan(&rules, 1)).unwrap();
        assert_eq!(translation.text, again.text);
        if models(&translation.text).is_none() {
            return;
        }
        read += 1;
    }
    assert!(read > 20, "{read} translations were read");
}

#[test]
fn moves_given_have_one_model_and_the_facts_of_the_rules() {
    let rules = buttons();
    let moves: Vec<_> = ["a", "b", "c"].map(|word| vec![rules.find_term(word).unwrap().unwrap()]).to_vec();
    let request = Request::evolution(&rules, moves.clone());
    let translation = translate(&rules, &request).unwrap();
    let Some(found) = models(&translation.text) else { return };
    assert_eq!(found.len(), 1);
    assert_eq!(translation.plan(&rules, &found[0]), Ok(moves));
    for atom in ["true(p,4)", "true(r,4)", "true(step(4),4)", "true(q,3)"] {
        assert!(found[0].iter().any(|found| found == atom), "{atom}");
    }
    assert!(!found[0].iter().any(|found| found == "true(q,4)"));
}

#[test]
fn the_translation_of_15_2_and_15_3() {
    let text = "role(white)
        light(1)
        light(2)
        base(on(X)) :- light(X)
        input(white,press(X)) :- light(X)
        legal(white,press(X)) :- light(X) & ~true(on(X))
        init(step(1))
        next(on(X)) :- true(on(X))
        next(on(X)) :- does(white,press(X))
        next(step(N)) :- true(step(M)) & successor(M,N)
        successor(1,2)
        successor(2,3)
        dark :- light(X) & ~true(on(X))
        terminal :- ~dark
        terminal :- true(step(3))
        goal(white,100) :- ~dark
        goal(white,0) :- dark";
    let rules = playable("lights.gdl", text).unwrap();
    let translation = translate(&rules, &Request::plan(&rules, 3)).unwrap();
    insta::assert_snapshot!(translation.text);
    let printed = translate(&rules, &Request::plan(&rules, 3).as_printed()).unwrap().text;
    for line in [
        "1 { does(R,M,T) : input(R,M) } 1 :- role(R), time(T).",
        ":- does(R,M,T), not legal(R,M,T).",
        ":- 0 { terminal(T) : time(T) } 0.",
        ":- terminal(T), not won(T).",
    ] {
        assert!(printed.lines().any(|found| found == line), "{line}\n{printed}");
    }
}

#[test]
fn atoms_that_are_no_moves_are_refused() {
    let rules = buttons();
    let translation = translate(&rules, &Request::plan(&rules, 7)).unwrap();
    let read = |atoms: &[&str]| translation.plan(&rules, atoms);
    assert_eq!(read(&["does(white,b,2)", "does(white,a,1)", "does(white,a,4)"]).unwrap().len(), 2);
    assert_eq!(read(&["true(p,1)", "other"]).unwrap().len(), 0);
    for wrong in [
        "does(white,a)",
        "does(white,a,1",
        "does(white,zzz,1)",
        "does(a,a,1)",
        "does(white,a,p)",
        "does(,)",
        "does(white,a(,1)",
    ] {
        assert!(read(&[wrong]).is_err(), "{wrong}");
    }
    assert_eq!(
        read(&["does(white,a,1)", "does(white,b,1)"]),
        Err(ReadPlanError::Twice("does(white,b,1)".to_owned()))
    );
}
