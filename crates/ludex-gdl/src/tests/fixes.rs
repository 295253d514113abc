//! Every fix leaves a rulesheet in which its finding is gone, and that has no new error.

use std::sync::Arc;

use crate::{Checked, LoadOptions, Severity, Source, load};

fn read(text: &str) -> Checked {
    load(Arc::new(Source::new("game", text)), &LoadOptions::default())
}

fn errors(checked: &Checked) -> Vec<String> {
    let errors = checked.diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.message.clone()).collect()
}

/// Applies the first fix for a finding with this code; the text then.
fn fixed(code: &str, text: &str) -> String {
    let before = read(text);
    let of_code = |checked: &Checked| {
        checked.diagnostics.iter().filter(|d| d.code.to_string() == code).cloned().collect::<Vec<_>>()
    };
    let found = of_code(&before);
    let Some((finding, fix)) = found.iter().find_map(|d| Some((d, d.fix.as_ref()?))) else {
        panic!("no fix for {code} in {text}\n{:?}", before.diagnostics)
    };
    let new = fix.apply(text);
    let after = read(&new);
    let left = of_code(&after);
    assert!(left.len() < found.len(), "`{}` is still there in\n{new}\n{left:?}", finding.message);
    let was = errors(&before);
    let is_syntax = finding.code == crate::SYNTAX || code == "L003";
    let more: Vec<String> = errors(&after).into_iter().filter(|e| !was.contains(e)).collect();
    assert!(is_syntax || more.is_empty(), "{more:?} in\n{new}");
    new
}

const GAME: &str = "(role you)\n(init (at 1))\n(<= (legal you go) (true (at 1)))\n(<= (next (at 2)) (does you go))\n\
                    (<= terminal (true (at 2)))\n(goal you 100)\n";
const INFIX: &str = "role(you)\ninit(at(1))\nlegal(you,go) :- true(at(1))\nnext(at(2)) :- does(you,go)\n\
                     terminal :- true(at(2))\ngoal(you,100)\n";

#[test]
fn names() {
    let new = fixed(
        "L050",
        &GAME
            .replace("(true (at 1))", "(true (at 1)) (walable) (not walable)")
            .replace("(goal", "(walkable)\n(goal"),
    );
    assert!(new.contains("(walkable) (not walkable)") || new.contains("walkable"), "{new}");
    let new = fixed(
        "L050",
        &INFIX.replace("true(at(1))", "true(at(1)) & ~walable(1)").replace("goal(", "walkable(2)\ngoal("),
    );
    assert!(new.contains("~walkable(1)"), "{new}");
    fixed("L049", &GAME.replace("role you", "role player").replace("you", "playr"));
    fixed("L046", &GAME.replace("terminal", "terminl"));
    fixed("L055", &GAME.replacen("you", "You", 1));
}

#[test]
fn clauses_that_are_too_many() {
    assert_eq!(fixed("L053", &format!("{GAME}(role you)\n")), GAME);
    assert_eq!(fixed("L053", &format!("{INFIX}role(you)\n")), INFIX);
    assert_eq!(fixed("L051", &format!("{GAME}(p 1)\n(p 2) ; two\n")), format!("{GAME}; two\n"));
    assert_eq!(fixed("L051", &format!("p(1).\n{INFIX}")), INFIX);
}

#[test]
fn clauses_that_are_missing() {
    for word in ["role", "legal", "goal", "terminal"] {
        for game in [GAME, INFIX] {
            let lines: Vec<&str> = game.lines().filter(|line| !line.contains(word)).collect();
            fixed("L046", &lines.join("\n"));
        }
    }
    let with_base = format!("(base (at 1))\n{GAME}");
    assert!(fixed("L056", &with_base).contains("(base (at 2))"));
    let rule = GAME.replace("(next (at 2)) (does", "(next (on ?x)) (place ?x) (does");
    let with_rule = format!("(place 3)\n(base (at 1))\n(base (at 2))\n{rule}");
    assert!(fixed("L056", &with_rule).contains("(<= (base (on ?x)) (place ?x))"));
    let infix = format!("base(at(1)) .\n{}", INFIX.replace('\n', ".\n"));
    assert!(fixed("L056", &infix).contains("base(at(2))"));
}

#[test]
fn forms() {
    assert!(fixed("L027", &GAME.replace("terminal", "(terminal)")).contains("(<= terminal"));
    assert!(fixed("L027", &INFIX.replace("terminal", "terminal()")).contains("terminal :-"));
    assert!(
        fixed("L035", &GAME.replace("(goal you 100)", "(<= (goal you 100))")).contains("\n(goal you 100)")
    );
    let negated = GAME.replace("(true (at 1))", "(true (at ?x)) (not (distinct ?x 1))");
    assert!(fixed("L029", &negated).contains("(<= (legal you go) (true (at 1)))"));
    let negated = INFIX.replace("true(at(1))", "~distinct(1,X) & true(at(X))");
    assert!(fixed("L029", &negated).contains("legal(you,go) :- true(at(1))"));
    assert!(
        fixed("L050", &INFIX.replace("true(at(1))", "true(at(X)) & '!='(X,2)")).contains("distinct(X,2)")
    );
}

#[test]
fn syntax() {
    assert!(fixed("L001", &GAME.replacen("(role you)", "(role you", 1)).contains("(role you)\n"));
    fixed("L001", &GAME.replace("(true (at 2)))", "(true (at 2)"));
    assert_eq!(fixed("L001", &GAME.replace("100)", "100)))")), GAME);
    fixed("L001", &INFIX.replace("true(at(2))", "true(at(2)"));
    fixed("L001", &INFIX.replace("true(at(2))", "true(at(2))\n  true(at(1))"));
    fixed("L001", &INFIX.replace("legal(you,go)", "legal(you go)"));
}

#[test]
fn notations() {
    let new = fixed("L003", &format!("{GAME}terminal :- true(at(3))\n"));
    assert!(new.contains("(<= terminal") && new.contains("(true (at 3))"), "{new}");
    let new = fixed("L003", &format!("{INFIX}(<= terminal (true (at 3)))\n"));
    assert!(new.contains("terminal :- true(at(3))"), "{new}");
}

#[test]
fn hostile_texts_have_fixes_in_time() {
    for text in [")".repeat(300_000), "(".repeat(300_000), "(a\n".repeat(100_000), "p(".repeat(300_000)] {
        for diagnostic in read(&text).diagnostics {
            diagnostic.fix.map(|fix| fix.apply(&text));
        }
    }
}
