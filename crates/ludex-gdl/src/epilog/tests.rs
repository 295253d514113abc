//! Small sheets, each for one thing that Epilog does.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::load::{Checked, LoadOptions, load};
use crate::print::{print, same_rules};
use crate::source::Source;
use crate::tree::Notation;

fn read(text: &str) -> Checked {
    let options = LoadOptions { dialect: Some(Dialect::Epilog), ..LoadOptions::default() };
    load(Arc::new(Source::new("sheet.hrf", text)), &options)
}

/// The rules of GDL that a sheet becomes, in infix; facts and the frame are left out.
fn rules(text: &str) -> Vec<String> {
    let (sheet, errors) = crate::parse::parse(Arc::new(Source::new("sheet.hrf", text)), None);
    assert_eq!(errors, []);
    let in_gdl = super::in_gdl(&sheet);
    let wrong: Vec<_> = in_gdl.diagnostics.iter().filter(|found| found.severity == Severity::Error).collect();
    assert!(wrong.is_empty(), "{wrong:?}");
    let printed = crate::print::print_clauses(&in_gdl.rulesheet);
    let is_frame =
        |rule: &String| rule.starts_with("next(") && rule.contains(":- true(") && !rule.contains("does(");
    printed.into_iter().filter(|rule| rule.contains(":-") && !is_frame(rule)).collect()
}

fn codes(text: &str) -> Vec<(String, Severity)> {
    read(text).diagnostics.iter().map(|found: &Diagnostic| (found.code.to_string(), found.severity)).collect()
}

const GAME: &str = "role(a) role(b) init(control(a)) init(p) legal(go)\n\
    go :: control(a) ==> ~control(a) & control(b)\ngo :: control(b) ==> over\ngoal(a,100) goal(b,0) terminal :- over\n";

/// Whether a sheet becomes these rules, among others.
fn has(text: &str, expected: &[&str]) {
    let rules = rules(text);
    for rule in expected {
        assert!(rules.iter().any(|known| known == rule), "{rule}\nis not among\n{}", rules.join("\n"));
    }
}

#[test]
fn bare_facts_are_about_the_state_and_moves_have_the_role_in_control() {
    let expected = [
        "legal(R,go) :- true(control(R))",
        "deleted(control(a)) :- does(a,go) & true(control(a))",
        "next(control(b)) :- does(a,go) & true(control(a))",
        "next(over) :- does(b,go) & true(control(b))",
        "terminal :- true(over)",
        "legal(R,noop) :- role(R) & ~true(control(R))",
    ];
    has(GAME, &expected);
    assert_eq!(rules(GAME).len(), expected.len());
    assert_eq!(codes(GAME), []);
    let game = read(GAME).game.unwrap();
    assert_eq!(game.waiting.map(|term| game.program.terms.infix(term)), Some("noop".to_owned()));
}

#[test]
fn a_move_of_the_sheet_that_is_called_noop_is_no_waiting() {
    let text = GAME.replace("go", "noop");
    has(&text, &["legal(R,noop) :- true(control(R))", "legal(R,wait) :- role(R) & ~true(control(R))"]);
}

#[test]
fn what_is_deleted_and_added_stays() {
    let text = format!("{GAME}go :: ~p & p\ngo :: q(X) ==> ~q(X)\ninit(q(1))");
    let (sheet, _) = crate::parse::parse(Arc::new(Source::new("", text.as_str())), None);
    let printed = print(&super::in_gdl(&sheet).rulesheet, Notation::Infix);
    for rule in [
        "deleted(p) :- does(R,go)\n",
        "next(p) :- does(R,go)\n",
        "deleted(q(X)) :- does(R,go) & true(q(X))\n",
        "next(p) :- true(p) & ~deleted(p)\n",
        "next(q(X1)) :- true(q(X1)) & ~deleted(q(X1))\n",
    ] {
        assert!(printed.contains(rule), "{rule}{printed}");
    }
}

#[test]
fn effects_that_are_moves_stand_for_their_effects() {
    let text = format!("{GAME}go :: tick(1) & r\ntick(N) :: s(N,M) ==> tick(M) & at(M)\ns(1,2) s(2,3)");
    has(
        &text,
        &[
            "made(tick(1)) :- does(R,go)",
            "next(r) :- does(R,go)",
            "made(tick(M)) :- made(tick(N)) & s(N,M)",
            "next(at(M)) :- made(tick(N)) & s(N,M)",
        ],
    );
    // What no operation is about is a fact, even where it has the name of one.
    let text = format!("{GAME}go :: put(1) & put(2)\nput(1) :: r");
    has(&text, &["made(put(1)) :- does(R,go)", "next(put(2)) :- does(R,go)", "next(r) :- made(put(1))"]);
    let text = format!("{GAME}go :: q(X) ==> put(X)\nput(1) :: r\ninit(q(1)) init(q(2))");
    let expected = [
        "made(put(X)) :- does(R,go) & true(q(X))",
        "next(put(X)) :- does(R,go) & true(q(X)) & distinct(X,1)",
    ];
    has(&text, &expected);
}

#[test]
fn effects_may_have_conditions_of_their_own() {
    let text = format!("{GAME}go :: r & (p ==> ~p) & (q(X) & ~p ==> s(X))\ninit(q(1))");
    let expected = [
        "next(r) :- does(R,go)",
        "deleted(p) :- does(R,go) & true(p)",
        "next(s(X)) :- does(R,go) & true(q(X)) & ~true(p)",
    ];
    has(&text, &expected);
}

#[test]
fn a_variable_without_a_value_under_a_negation_is_any() {
    let text = format!(
        "{GAME}init(cell(1,b))\nterminal :- ~cell(X,b)\ngoal(b,50) :- role(Y) & ~cell(Y,X)\nr :- ~cell(X,b)\nterminal :- r"
    );
    let expected = [
        "some_cell :- true(cell(X,b))",
        "terminal :- ~some_cell",
        "some_cell_2(Y) :- true(cell(Y,X))",
        "goal(b,50) :- role(Y) & ~some_cell_2(Y)",
        "r :- ~some_cell",
    ];
    has(&text, &expected);
    let late = format!("{GAME}init(cell(1,b))\nterminal :- ~cell(X,w) & cell(X,b)");
    has(&late, &["terminal :- ~some_cell & true(cell(X,b))"]);
    assert!(codes(&late).contains(&("L095".into(), Severity::Warning)));
}

#[test]
fn lone_underscores_are_variables_of_their_own() {
    let text = format!("{GAME}init(cell(1,b))\nterminal :- cell(_,_) & cell(_,X)");
    has(&text, &["terminal :- true(cell(Any1,Any2)) & true(cell(Any3,X))"]);
}

#[test]
fn what_a_relation_means_depends_on_how_it_is_asked() {
    let text = format!(
        "{GAME}init(cell(1,b)) index(1) index(2)\nempty(X) :- ~cell(X,b) & index(X)\n\
         terminal :- index(X) & empty(X)\ngoal(b,50) :- empty(X)"
    );
    let rules = rules(&text);
    let asked = |rule: &str| rules.iter().any(|known| known == rule);
    assert!(
        asked("empty(X) :- ~some_cell & index(X)") || asked("empty_open(X) :- ~some_cell & index(X)"),
        "{rules:?}"
    );
    assert!(
        asked("empty(X) :- ~true(cell(X,b)) & index(X)")
            || asked("empty_given(X) :- ~true(cell(X,b)) & index(X)")
    );
    // The role of a goal has a value.
    let text = format!("{GAME}init(lost(a))\ngoal(R,50) :- ~lost(R)");
    has(&text, &["goal(R,50) :- role(R) & ~true(lost(R))"]);
}

#[test]
fn a_relation_that_is_only_asked_with_values_need_not_find_them() {
    let text = format!(
        "{GAME}init(cell(1,b)) index(1) index(2)\nempty(X) :- ~cell(X,b) & ~cell(X,w)\nequal(X,X)\n\
         terminal :- index(X) & empty(X) & index(Y) & ~equal(X,Y)\n\
         legal(put(X)) :- index(X) & empty(X)\nput(X) :: index(Y) & equal(X,Y) & ~empty(Y) ==> cell(Y,b)\n\
         put(X) :: next_to(X,Y) & empty(Y) ==> cell(Y,w)\nnext_to(1,2)"
    );
    has(
        &text,
        &[
            "asked_empty(X) :- index(X)",
            "empty(X) :- asked_empty(X) & ~true(cell(X,b)) & ~true(cell(X,w))",
            "equal(X,X) :- asked_equal(X,X)",
            "asked_equal(X,Y) :- index(X) & index(Y)",
            "asked_empty_in_move(Y) :- next_to(X,Y)",
        ],
    );
    let errors: Vec<_> =
        read(&text).diagnostics.into_iter().filter(|d| d.severity == Severity::Error).collect();
    assert_eq!(errors, []);
    let free = format!("{GAME}empty(X) :- ~cell(X,b)\nterminal :- empty(X)\ninit(cell(1,b))");
    assert!(codes(&free).contains(&("L030".into(), Severity::Error)));
}

#[test]
fn comparisons_fail_where_a_value_is_missing() {
    let text =
        format!("{GAME}init(q(1))\nterminal :- distinct(X,1) & q(X)\ngoal(b,0) :- distinct(f(X),g) & q(X)");
    let rules = rules(&text);
    assert!(rules.iter().any(|rule| rule == "goal(b,0) :- true(q(X))"), "{rules:?}");
    assert_eq!(rules.iter().filter(|rule| rule.starts_with("terminal")).count(), 1);
    assert_eq!(codes(&text), [("L095".into(), Severity::Warning)]);
    let text = format!("{GAME}init(q(1))\nterminal :- plus(X,1,Y) & q(X)");
    assert_eq!(codes(&text), [("L095".into(), Severity::Warning)]);
}

#[test]
fn nothing_is_true_while_init_is_worked_out() {
    let text = format!("{GAME}init(r) :- p\ninit(s) :- ~p & free\nfree :- ~p\nterminal :- free");
    let rules = rules(&text);
    assert!(!rules.iter().any(|rule| rule.starts_with("init(r)")), "{rules:?}");
    assert!(
        rules.iter().any(|rule| rule == "init(s) :- free" || rule == "init(s) :- free_at_start"),
        "{rules:?}"
    );
    assert_eq!(codes(&text), []);
}

#[test]
fn a_name_that_the_sheet_defines_is_not_looked_up_in_the_state() {
    let text = format!("{GAME}hasmove :- legal(X)\nterminal :- hasmove(a)\nterminal :- ~hasmove");
    let rules = rules(&text);
    for rule in
        ["hasmove :- legal_move(X)", "legal(R,M) :- true(control(R)) & legal_move(M)", "terminal :- ~hasmove"]
    {
        assert!(rules.iter().any(|known| known == rule), "{rule}: {rules:?}");
    }
    assert_eq!(rules.iter().filter(|rule| rule.starts_with("terminal")).count(), 2);
    assert_eq!(codes(&text), [("L050".into(), Severity::Warning)]);
    // Control can be a fact of the sheet, and keywords of GDL are words like any other.
    let text = "role(a) control(a) init(p) legal(go) go :: next(1,2) & q\nnext(1,2) next(p) :- does(a,go)\n\
        goal(a,100) :- next(X,2)\nterminal :- q";
    has(text, &["legal(R,go) :- control(R)", "goal(a,100) :- next_relation(X,2)", "terminal :- true(q)"]);
    assert_eq!(codes(text), [("L051".into(), Severity::Warning)]);
}

#[test]
fn a_move_without_an_operation_becomes_a_fact() {
    let text = format!("{GAME}legal(rest(X)) :- index(X)\nrest(1) :: r\nindex(1) index(2)");
    has(&text, &["next(rest(X)) :- does(R,rest(X)) & distinct(X,1)", "next(r) :- does(R,rest(1))"]);
    assert_eq!(codes(&text), [("L092".into(), Severity::Warning)]);
}

#[test]
fn arithmetic_is_a_table_of_the_numbers_that_turn_up() {
    let table = |text: &str| -> Vec<String> {
        let (sheet, errors) = crate::parse::parse(Arc::new(Source::new("", text)), None);
        assert_eq!(errors, []);
        let printed = crate::print::print_clauses(&super::in_gdl(&sheet).rulesheet);
        printed.into_iter().filter(|rule| rule.starts_with("plus(") || rule.starts_with("leq(")).collect()
    };
    let counter = format!(
        "{GAME}init(step(1))\ngo :: step(N) & plus(N,1,M) ==> ~step(N) & step(M)\nterminal :- step(4)"
    );
    assert_eq!(table(&counter), ["plus(1,1,2)", "plus(2,1,3)", "plus(3,1,4)"]);
    assert_eq!(codes(&counter), []);
    let bounded =
        format!("{GAME}init(step(0.5))\ngo :: step(N) & leq(N,2) & plus(N,1,M) ==> ~step(N) & step(M)");
    assert_eq!(table(&bounded), ["leq(0.5,2)", "leq(1.5,2)", "plus(0.5,1,1.5)", "plus(1.5,1,2.5)"]);
    let without_end = format!("{GAME}init(step(1))\ngo :: step(N) & plus(N,1,M) ==> ~step(N) & step(M)");
    assert_eq!(
        (table(&without_end).len(), codes(&without_end)),
        (1001, vec![("L093".into(), Severity::Warning)])
    );
    let explodes = format!("{GAME}p2(1)\np2(Z) :- p2(X) & p2(Y) & plus(X,Y,Z)\nterminal :- p2(7)");
    assert!(codes(&explodes).contains(&("L093".into(), Severity::Error)));
    assert!(read(&explodes).game.is_none());
}

#[test]
fn answers_are_counted() {
    let text = format!(
        "{GAME}init(on(1)) index(1) index(2) index(3)\nlegal(put(X)) :- index(X)\nput(X) :: on(X)\n\
        goal(b,N) :- countofall(X,on(X),N)"
    );
    has(
        &text,
        &[
            "goal(b,N) :- count(N)",
            "counted(X) :- true(on(X))",
            "count_tally(1,0) :- ~counted(1)",
            "count_tally(W,M) :- count_tally(V,N) & count_after(V,W) & counted(W) & count_one_more(N,M)",
            "count(N) :- count_tally(3,N)",
        ],
    );
    assert_eq!(codes(&text), []);
}

#[test]
fn what_has_no_meaning_is_refused_at_its_place() {
    for (statement, code) in [
        ("X :: p", "L021"),
        ("go :: p | q", "L089"),
        ("go :: q(X)", "L090"),
        ("terminal :- evaluate(1,2)", "L091"),
        ("terminal :- p ==> q", "L089"),
        ("terminal :- distinct(a)", "L023"),
        ("terminal :- X", "L021"),
        ("distinct(a,b)", "L021"),
        ("init(cell(X))", "L030"),
        ("terminal :- p &", "L001"),
        ("go :: p ==>", "L001"),
        ("go :: p ==> q ==> )", "L001"),
        ("go(", "L001"),
    ] {
        let text = format!("{GAME}{statement}");
        let checked = read(&text);
        let found = checked.diagnostics.iter().find(|found| found.code.to_string() == code);
        let found = found.unwrap_or_else(|| panic!("{statement}: {:?}", checked.diagnostics));
        assert_eq!(found.severity, Severity::Error, "{statement}");
        assert!(found.span.start as usize >= GAME.len() - 1, "{statement}: {:?}", found.span);
    }
    assert!(codes(&format!("{GAME}go :: ~q(X)")).contains(&("L090".into(), Severity::Warning)));
}

#[test]
fn a_missing_sign_cuts_a_rule_in_two() {
    let text = format!("{GAME}init(q)\nterminal :- over\n  q &\n  p\ngo :: p ==> ~p");
    let found = codes(&text);
    assert_eq!(found, [("L094".into(), Severity::Warning), ("L089".into(), Severity::Warning)]);
    assert!(read(&text).game.is_some());
}

#[test]
fn sheets_are_printed_and_read_again() {
    let text = "% A sheet.\nrole(a)\n\nlegal(go(X)) :- index(X) & ~on(X)\n\n\
        go(X) ::\n  control(R) &\n  (on(X) | ~off(X)) &\n  a_long_condition_that_takes_the_line_far_to_the_right(R,X)\n  ==> ~on(X) & control(R)\n\
        go(X) :: p ==> ~p & q\ngo(X) :: r\ngo(X) :: (p ==> q) & ~r\n";
    let (sheet, errors) = crate::parse::parse(Arc::new(Source::new("", text)), None);
    assert_eq!(errors, []);
    assert_eq!(crate::print::fmt(&sheet), text);
    let prefix = crate::convert::convert(&sheet, Notation::Prefix);
    assert!(
        prefix.source.text().contains("(:: (go ?x) (==> p (and (not p) q)))"),
        "{}",
        prefix.source.text()
    );
    let back = crate::convert::convert(&prefix, Notation::Infix);
    assert!(same_rules(&sheet, &back));
    assert_eq!(crate::dialect::detect(&prefix).0, Dialect::Epilog);
}

#[test]
fn hostile_sheets_come_to_an_end() {
    let deep = format!("{GAME}go :: {}p{}", "(p ==> ".repeat(10_000), ")".repeat(10_000));
    assert!(codes(&deep).contains(&("L022".into(), Severity::Error)));
    let nots = format!("{GAME}terminal :- {}p", "~".repeat(100_000));
    assert!(codes(&nots).contains(&("L022".into(), Severity::Error)));
    let term = format!("{GAME}init({}a{})", "s(".repeat(200_000), ")".repeat(200_000));
    assert!(read(&term).game.is_some());
    let endless = format!("{GAME}go :: again(1)\nagain(N) :: again(N) & again(s(N))");
    assert!(!read(&endless).diagnostics.is_empty());
    let loops = format!("{GAME}go :: left\nleft :: right\nright :: left");
    assert_eq!(codes(&loops), []);
    let arguments: Vec<String> = (0..3_000).map(|number| format!("X{number}")).collect();
    let wide =
        format!("{GAME}r({0}) :- ~p & s({0})\ns({0}) :- r({0})\nterminal :- s({0})", arguments.join(","));
    read(&wide);
}
