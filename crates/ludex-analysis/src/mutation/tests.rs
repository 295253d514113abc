use ludex_game::playthrough;
use ludex_logic::Budget;

use super::*;
use crate::property::PropertyOptions;

fn limits() -> MutantLimits {
    let property = PropertyOptions { games: 5, most_states: 500, most_moves: 2_000, most_steps: 0, seed: 1 };
    let options = CaseOptions { property, ..CaseOptions::default() };
    MutantLimits { budget: Budget::unlimited().with_work(20_000_000), options }
}

fn cases(text: &str) -> CaseFile {
    CaseFile::read(Arc::new(Source::new("x.cases", text))).unwrap()
}

const WALK: &str = "(role you) (init (at 1)) (succ 1 2) (succ 2 3)
(<= (legal you go) (or (true (at 1)) (and (true (at 2)) (not (true (at 9))))))
(<= (next (at ?n)) (does you go) (true (at ?m)) (succ ?m ?n))
(<= terminal (true (at 3)))
(goal you 50)";

#[test]
fn each_part_is_left_out_once() {
    let rules = ludex_testkit::playable("walk.kif", WALK).unwrap();
    let all = mutations(rules.rulesheet());
    let said: Vec<String> =
        all.iter().map(|m| format!("{} {}", m.dropped.word(), rules.source().slice(m.span))).collect();
    assert_eq!(said.len(), 11, "{said:#?}");
    assert_eq!(said.iter().filter(|text| text.starts_with("alternative")).count(), 2);
    assert!(said.contains(&"literal (not (true (at 9)))".to_owned()));
    for mutation in &all {
        let text = mutation.text(rules.rulesheet());
        assert!(text.len() < print(rules.rulesheet(), rules.notation()).len(), "{text}");
    }
}

#[test]
fn what_no_case_speaks_of_survives() {
    let rules = ludex_testkit::playable("walk.kif", WALK).unwrap();
    let fates = |text: &str| {
        let cases = cases(text);
        let all = mutations(rules.rulesheet());
        all.iter()
            .filter(|mutation| try_mutant(mutation, &rules, &cases, &limits()) == Ok(Fate::Survived))
            .map(|mutation| rules.source().slice(mutation.span).to_owned())
            .collect::<Vec<_>>()
    };
    let weak = fates("case a\n legal you go\n");
    assert!(weak.contains(&"(<= terminal (true (at 3)))".to_owned()), "{weak:?}");
    let strong = fates(
        "case a\n not terminal\n all legal you go\n moves go\n all legal you go\n all true (at 2)\n moves go\n terminal\n all legal you\n",
    );
    // These change nothing: the move is the only one, and nobody is ever at 9.
    assert_eq!(strong, ["(not (true (at 9)))", "(does you go)"]);
}

#[test]
fn a_mutant_that_changes_a_trace_is_noticed_by_cases_of_that_trace() {
    let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
    let trace = rules.record_playouts(2, 3, 20).unwrap();
    let mut text = String::new();
    for step in &trace.steps {
        if step.step == 0 {
            text.push_str(&format!("case game {}\n", step.playout));
        }
        let (state, roles) = (step.state.join(" "), rules.role_names());
        text.push_str(&format!(
            "  all true {state}\n  {}terminal\n",
            if step.terminal { "" } else { "not " }
        ));
        for role in &roles {
            text.push_str(&format!("  all legal {role} {}\n", step.legals.get(role).unwrap().join(" ")));
            let goal = step.goals.get(role).unwrap().map_or("none".to_owned(), |goal| goal.to_string());
            text.push_str(&format!("  goal {role} {goal}\n"));
        }
        if let Some(joint) = &step.joint {
            text.push_str(&format!("  moves {}\n", joint.join(" ")));
        }
    }
    let cases = cases(&text);
    let budget = Budget::unlimited();
    let hash = |rules: &Rules| {
        let seen =
            [3, 4].map(|seed| playthrough(&**rules.machine(), seed, 20, &budget).map(|seen| seen.hash));
        seen.map(Result::ok)
    };
    let mut changed = 0;
    for mutation in mutations(rules.rulesheet()) {
        let text = mutation.text(rules.rulesheet());
        let Some(mutant) = mutant_rules("x", text, rules.notation(), rules.dialect(), &limits()) else {
            continue;
        };
        let fate = try_mutant(&mutation, &rules, &cases, &limits()).unwrap();
        let differs = hash(&mutant) != hash(&rules);
        assert_eq!(matches!(fate, Fate::Noticed(_)), differs, "{}", rules.source().slice(mutation.span));
        changed += usize::from(differs);
    }
    assert!(changed > 10, "{changed}");
}

#[test]
fn at_the_end_of_the_time_nothing_is_said_of_mutants() {
    let rules = ludex_testkit::playable("walk.kif", WALK).unwrap();
    let cases = cases("case a\n legal you go\n");
    let mutation = mutations(rules.rulesheet())[0];
    let over = MutantLimits { budget: Budget::unlimited(), ..limits() };
    over.budget.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(try_mutant(&mutation, &rules, &cases, &over), Err(LimitError::Cancelled));
    assert_eq!(cases_within_limits(&rules, &cases, &over), Err(LimitError::Cancelled));
}

#[test]
fn cases_that_need_more_than_a_mutant_may_use_are_left_out() {
    let text = "(role you) (init p) (legal you a) (legal you b) (<= (next p) (true p)) (<= terminal (not (true p))) (goal you 0)";
    let rules = ludex_testkit::playable("choices.kif", text).unwrap();
    let cases = cases("case small\n legal you a\ncase large\n perft 7 128\ncase wrong\n terminal\n");
    let kept = |work: u64| {
        let budget = Budget::unlimited().with_work(work);
        let kept = cases_within_limits(&rules, &cases, &MutantLimits { budget, ..limits() }).unwrap();
        kept.cases.into_iter().map(|case| case.name).collect::<Vec<_>>()
    };
    assert_eq!(kept(1_000_000), ["small", "large"]);
    let few: Vec<Vec<String>> = (1..200).map(kept).collect();
    assert!(few.contains(&Vec::new()) && few.contains(&vec!["small".to_owned()]), "{few:?}");
}
