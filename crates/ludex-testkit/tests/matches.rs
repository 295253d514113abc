//! Matches and plans of other programs, replayed.

use std::path::Path;

use ludex_game::{Machine, Question, Runner, find_term, verify};
use ludex_logic::Budget;
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::{Configuration, MatchTrace, machine_of, program_of, read_dresden, read_match_json};

fn replay(machine: &dyn Machine, record: &MatchTrace, path: &Path) {
    assert!(!record.trace.steps.is_empty(), "{}", path.display());
    let report = verify(machine, &record.trace, &Budget::unlimited());
    assert_eq!(report.steps, record.trace.steps.len() as u64);
    assert_eq!(report.mismatches, [], "{}", path.display());
    let mut runner = machine.runner(&Budget::unlimited());
    for step in &record.trace.steps {
        if let Some(joint) = &step.joint {
            make(machine, &mut *runner, joint);
        }
    }
    assert!(runner.terminal().unwrap(), "{}", path.display());
    let goals: Vec<_> = machine.signature().role_ids().map(|r| runner.goal(r).unwrap()).collect();
    let expected: Vec<_> = record.final_goals.iter().map(|&g| Some(g)).collect();
    assert_eq!(goals, expected, "{}", path.display());
}

/// Makes the moves, each of which must be legal.
fn make(machine: &dyn Machine, runner: &mut dyn Runner, joint: &[String]) {
    let signature = machine.signature();
    let mut actions = Vec::new();
    for (role, text) in signature.role_ids().zip(joint) {
        let legal = runner.legal(role).unwrap().to_vec();
        let term = find_term(signature.terms(), &text.to_lowercase()).unwrap();
        let action = term.and_then(|t| signature.find_action(t));
        let action = action.filter(|a| legal.contains(a)).unwrap_or_else(|| panic!("{text} is not legal"));
        actions.push(action);
    }
    runner.step(&actions).unwrap();
}

#[test]
fn matches_in_json() {
    let Some(corpus) = Corpus::find("the JSON matches") else { return };
    let records = corpus.files("matches/ggp-json", ".json");
    assert_eq!(records.len(), 72);
    for kif in corpus.files("matches/ggp-json", ".kif") {
        let machine = machine_of(&kif).unwrap();
        let game = format!("{}.", stem(&kif));
        let of_game = records
            .iter()
            .filter(|r| r.file_name().is_some_and(|name| name.to_string_lossy().starts_with(game.as_str())));
        let mut count = 0;
        for path in of_game {
            replay(&*machine, &read_match_json(path).unwrap(), path);
            count += 1;
        }
        assert_eq!(count, 6, "{game}");
    }
}

#[test]
fn traces_of_the_dresden_game_controller() {
    let Some(corpus) = Corpus::find("the Dresden traces") else { return };
    let files = corpus.files("matches/dresden", ".trace.xml");
    assert_eq!(files.len(), 4);
    for path in files {
        let kif = Path::new(&path.to_string_lossy().replace(".trace.xml", ".kif")).to_owned();
        let machine = machine_of(&kif).unwrap();
        let terms = machine.signature().terms();
        let roles: Vec<_> = machine.signature().roles().iter().map(|&r| terms.prefix(r)).collect();
        let record = read_dresden(&path, &roles).unwrap();
        assert!(record.trace.steps.len() >= 10);
        assert_eq!(record.final_goals.len(), roles.len());
        if stem(&kif) == "othello-fourway-teamswitch" {
            flounders(&kif, &*machine, &record);
            continue;
        }
        replay(&*machine, &record, &path);
    }
}

/// This rulesheet keeps a piece's colour by `(not (onaline ... ?x ?y ...)) (coordinate ?x) (coordinate ?y)`:
/// for *some* x and y. The controller tested the negation before x and y had values, as if for *no* x and
/// y, and so lost the old colour of flipped pieces. By the semantics both colours stay, which top-down
/// derivation confirms; everything else of the trace agrees.
fn flounders(kif: &Path, machine: &dyn Machine, record: &MatchTrace) {
    let report = verify(machine, &record.trace, &Budget::unlimited());
    for mismatch in &report.mismatches {
        let kept = mismatch.found.trim_matches(['(', ')']).split(") (").all(|f| f.starts_with("cell "));
        assert!(mismatch.what == Question::State && mismatch.expected.is_empty() && kept, "{mismatch:?}");
    }
    let mut opening = record.trace.clone();
    opening.steps.truncate(3);
    let ours = verify(machine, &opening, &Budget::unlimited());
    let other = Configuration::TopDown.machine(&program_of(kif).unwrap()).unwrap();
    assert_eq!(ours, verify(&*other, &opening, &Budget::unlimited()));
    assert_eq!(ours.mismatches.len(), 1);
}

#[test]
fn every_plan_reaches_its_goal() {
    let Some(corpus) = Corpus::find("the plans") else { return };
    let plans = corpus.plans().unwrap();
    assert_eq!(plans.len(), 34);
    for plan in plans {
        let machine = machine_of(&corpus.path("gdl").join(format!("{}.kif", plan.game))).unwrap();
        let mut runner = machine.runner(&Budget::unlimited());
        for (step, action) in plan.plan.iter().enumerate() {
            assert!(!runner.terminal().unwrap(), "{} ended before move {step}", plan.game);
            make(&*machine, &mut *runner, std::slice::from_ref(action));
        }
        assert!(runner.terminal().unwrap(), "{}", plan.game);
        let role = machine.signature().role_ids().next().unwrap();
        assert_eq!(runner.goal(role).unwrap(), Some(plan.goal), "{}", plan.game);
    }
}
