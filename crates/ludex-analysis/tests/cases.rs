//! Cases on all bundled games: what one engine says is as expected on the others.

use std::path::Path;
use std::sync::Arc;

use ludex_analysis::cases::{Case, CaseFile, CaseOptions, CaseReport, Verdict, blessed, run_case};
use ludex_analysis::property::PropertyOptions;
use ludex_game::{RuleMachine, RuleMachineOptions, Rules};
use ludex_gdl::Source;
use ludex_logic::Budget;
use ludex_testkit::{bundled, check_text, one_part_of, playable, program};

fn file_of(text: &str) -> CaseFile {
    CaseFile::read(Arc::new(Source::new("x.cases", text)))
        .unwrap_or_else(|errors| panic!("{errors:?}\n{text}"))
}

fn reports(file: &CaseFile, rules: &Rules) -> Vec<CaseReport> {
    let property = PropertyOptions { games: 20, ..PropertyOptions::default() };
    let options = CaseOptions { property, ..CaseOptions::default() };
    let run = |case: &Case| run_case(file, case, rules, &options, &Budget::unlimited());
    file.cases.iter().map(run).collect()
}

/// What is not as expected.
fn faults(file: &CaseFile, reports: &[CaseReport]) -> Vec<String> {
    let outcomes = reports.iter().flat_map(|report| &report.outcomes);
    let faults = outcomes.filter(|outcome| outcome.verdict != Verdict::Passed);
    faults.map(|outcome| format!("{}: {outcome:?}", file.source.slice(outcome.span))).collect()
}

/// A random game as cases in which all values are to be filled in.
fn skeleton(rules: &Rules, seed: u64) -> Option<String> {
    let trace = rules.record_playouts(1, seed, 3).ok()?;
    let mut text = String::from("# To be blessed.\ncase a random game\n");
    let roles = rules.role_names();
    for step in &trace.steps {
        text.push_str("  all true ?\n  not terminal\n  perft 1 ?\n");
        for role in &roles {
            text.push_str(&format!("  all legal {role} ?\n  all sees {role} ?\n  goal {role} ?\n"));
        }
        if let Some(joint) = &step.joint {
            let joint = joint.join(" ");
            text.push_str(&format!("  does {joint}\n  all next ?\n  moves {joint}\n"));
        }
    }
    Some(text)
}

/// The rules of a text, as they are written.
fn by_rules(name: &str, text: &str) -> Option<Rules> {
    let program = Arc::new(program(name, text, None).ok()?);
    let mut checked = check_text(name, text, None);
    checked.game = None;
    let notation = checked.rulesheet.notation;
    let options = RuleMachineOptions { tune: false, notation, ..RuleMachineOptions::default() };
    let machine = Arc::new(RuleMachine::new(&program, &options).ok()?);
    Some(Rules::new(checked, program, machine, "rules", Budget::unlimited()))
}

#[test]
fn what_one_engine_says_of_random_games_is_so_on_the_others() {
    let mut tried = 0;
    for path in one_part_of(4, bundled()) {
        let (name, text) = (path.display().to_string(), std::fs::read_to_string(&path).unwrap());
        let Some(rules) = by_rules(&name, &text) else { continue };
        let Some(open) = skeleton(&rules, 5) else { continue };
        let file = file_of(&open);
        let corrected = blessed(&file, &reports(&file, &rules));
        assert!(!corrected.contains(" ?"), "{name}\n{corrected}");
        assert!(corrected.starts_with("# To be blessed.\n"), "comments stay");
        let file = file_of(&corrected);
        assert_eq!(faults(&file, &reports(&file, &rules)), Vec::<String>::new(), "{name}");
        let other = playable(&name, &text).unwrap();
        assert_eq!(
            faults(&file, &reports(&file, &other)),
            Vec::<String>::new(),
            "{name}: {}",
            other.engine_name()
        );
        tried += 1;
    }
    assert!(tried > 15, "{tried}");
}

#[test]
fn the_cases_of_bundled_games_are_as_expected_in_both_notations() {
    let mut tried = 0;
    for path in bundled() {
        let cases = path.with_extension("cases");
        let Ok(text) = std::fs::read_to_string(&cases) else { continue };
        let file = file_of(&text);
        let rules = playable(&path.display().to_string(), &std::fs::read_to_string(&path).unwrap()).unwrap();
        assert_eq!(faults(&file, &reports(&file, &rules)), Vec::<String>::new(), "{}", path.display());
        tried += 1;
    }
    assert!(tried >= 5, "{tried}");
}

fn tic_tac_toe() -> Rules {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games/gdl/tic-tac-toe.kif");
    playable("tic-tac-toe.kif", &std::fs::read_to_string(path).unwrap()).unwrap()
}

#[test]
fn what_is_not_so_is_found() {
    let rules = tic_tac_toe();
    for (line, expected) in [
        ("terminal", "the game is over"),
        ("legal white noop", "noop among the legal moves of white"),
        ("not legal black noop", "none of noop among the legal moves of black"),
        ("all legal black mark(1,1)", "the legal moves of black: (mark 1 1)"),
        ("not true cell(1,1,b)", "none of (cell 1 1 b) among the facts"),
        ("goal white 100", "goal of white: 100"),
        ("perft 2 73", "73 sequences of 2 joint moves"),
        ("wins white mark(1,1); mark(2,2)", "the moves end the game with goal 100 for white"),
        ("never terminal", "so in no position that can come"),
        ("always ~terminal", "so in every position that can come"),
        ("after does(white,mark(M,N)) : true(cell(M,N,o))", "so after every such move"),
    ] {
        let file = file_of(&format!("case a\n  {line}\n"));
        let reports = reports(&file, &rules);
        let Verdict::Failed { expected: said, .. } = &reports[0].outcomes[0].verdict else {
            panic!("{line}: {reports:?}")
        };
        assert_eq!(said, expected);
    }
}

#[test]
fn lines_that_say_nothing_of_the_game_are_refused() {
    let rules = tic_tac_toe();
    for (line, message) in [
        ("legal wite noop", "there is no role `wite`"),
        ("moves mark(1,1) mark(1,1)", "`mark(1,1)` is not a legal move of `black`"),
        ("moves mark(1,1); mark(1,1)", "`mark(1,1)` is not a legal move of `black`"),
        ("moves wite=noop", "there is no role `wite`"),
        ("next cell(1,1,x)", "`next` is about a move, and none is looked at"),
        ("true cell(M,1,x)", "`cell(M,1,x)` has the variable `M`"),
        ("facts nothing(1)", "`(nothing 1)` cannot hold"),
        ("never lien(x)", "`lien`"),
        ("never true(cell(1,1", ""),
    ] {
        let file = file_of(&format!("case a\n  {line}\n  terminal\n"));
        let reports = reports(&file, &rules);
        let Verdict::Refused(diagnostic) = &reports[0].outcomes[0].verdict else {
            panic!("{line}: {reports:?}")
        };
        assert!(diagnostic.message.contains(message), "{line}: {}", diagnostic.message);
        let slice = file.source.slice(diagnostic.span);
        assert!(!slice.is_empty() && line.contains(slice), "{line}: {slice}");
    }
}

#[test]
fn blessing_keeps_comments_and_what_is_right() {
    let text = "# Mine.\ncase a\n  goal   white 7\n  # Two.\n  all legal black ?\n  perft 1   8\n  terminal\n  legal white noop\n";
    let file = file_of(text);
    let after = blessed(&file, &reports(&file, &tic_tac_toe()));
    assert_eq!(
        after,
        "# Mine.\ncase a\n  goal   white 50\n  # Two.\n  all legal black noop\n  perft 1   9\n  not terminal\n  legal white noop\n"
    );
}

#[test]
fn positions_by_facts() {
    let text = "case one mark is missing\n  facts cell(1,1,x), cell(1,2,x), cell(1,3,b), control(white)\n  all legal white mark(1,3)\n  wins white mark(1,3) noop\n";
    let file = file_of(text);
    assert_eq!(faults(&file, &reports(&file, &tic_tac_toe())), Vec::<String>::new());
}
