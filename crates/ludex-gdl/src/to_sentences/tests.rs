//! What sentences become of rules.

use std::sync::Arc;

use super::*;
use crate::load::{Checked, LoadOptions, load};

fn read(text: &str) -> Rulesheet {
    let (sheet, errors) = parse(Arc::new(Source::new("test", text)), None);
    assert_eq!(errors, [], "{text}");
    sheet
}

fn converted(text: &str, forget: &[&str]) -> Result<Completion, ToIgdlError> {
    let forget: Vec<String> = forget.iter().map(|&what| what.to_owned()).collect();
    to_igdl(&read(text), &forget)
}

/// The sentences about a relation.
fn said(text: &str, forget: &[&str], relation: &str) -> String {
    let sentences = converted(text, forget).unwrap().rulesheet;
    let text = sentences.source.text();
    let closure = format!("=> ~{relation}(");
    let about =
        |block: &&str| block.trim_start_matches('~').starts_with(relation) || block.contains(&closure);
    text.split("\n\n").filter(about).collect::<Vec<_>>().join("\n\n").trim_end().to_owned()
}

fn checked(text: &str, forget: &[&str]) -> Checked {
    load(converted(text, forget).unwrap().rulesheet.source, &LoadOptions::default())
}

const LAMP: &str = "role(you)\ninit(off)\nlegal(you,press)\nlegal(you,wait) :- true(off)\nnext(on) :- does(you,press)\n\
    next(off) :- does(you,wait)\nterminal :- true(on)\ngoal(you,100) :- true(on)\ngoal(you,0) :- ~true(on)\n";

fn with_lamp(rules: &str) -> String {
    format!("{LAMP}{rules}\n")
}

#[test]
fn a_whole_game() {
    let text = format!("% A lamp.\n% It is off.\n\n% Rules.\n{LAMP}");
    let expected = "% A lamp.\n% It is off.\n%\n\
        % In sentences: all that the rules say, and that nothing else is so (their completion).\n\n\
        role(you)\nX!=you => ~role(X)\n\n\
        init(off)\nX!=off => ~init(X)\n\n\
        legal(you,press)\nlegal(you,wait) <=> true(off)\nX!=you | Y!=press & Y!=wait => ~legal(X,Y)\n\n\
        next(on) <=> does(you,press)\nnext(off) <=> does(you,wait)\nX!=on & X!=off => ~next(X)\n\n\
        terminal <=> true(on)\n\n\
        goal(you,100) <=> true(on)\ngoal(you,0) <=> ~true(on)\nX!=you | Y!=100 & Y!=0 => ~goal(X,Y)\n";
    let completion = converted(&text, &[]).unwrap();
    assert_eq!(completion.rulesheet.source.text(), expected);
    assert_eq!(completion.recursive, [] as [&str; 0]);
    let checked = checked(&text, &[]);
    assert_eq!((checked.diagnostics, checked.dialect), (vec![], Dialect::Igdl));
    assert!(checked.game.is_some());
}

#[test]
fn heads_with_common_instances_are_one_equivalence() {
    let rules = "next(at(M,N,x)) :- does(you,press) & true(at(M,N,b))\nnext(at(M,N,W)) :- true(at(M,N,W)) & distinct(W,b)\n\
        next(at(M,N,b)) :- true(at(M,N,W)) & true(at(K,K,x))";
    let expected = "next(on) <=> does(you,press)\nnext(off) <=> does(you,wait)\nnext(at(M,N,W)) <=>\n  \
        W=x & does(you,press) & true(at(M,N,b)) |\n  true(at(M,N,W)) & W!=b |\n  \
        EW2:EK:(W=b & true(at(M,N,W2)) & true(at(K,K,x)))\n\
        X!=on & X!=off & AM:AN:AI:X!=at(M,N,I) => ~next(X)";
    assert_eq!(said(&with_lamp(rules), &[], "next"), expected);
    // Repeated variables are equations; what the shape of two heads joins is joined to all that it meets.
    let pairs = "p(X,X) :- true(X)\np(f(Y),a) :- true(Y)\nterminal :- p(A,B)";
    assert_eq!(
        said(&with_lamp(pairs), &[], "p("),
        "p(X,Y) <=> Y=X & true(X) | EY2:(X=f(Y2) & Y=a & true(Y2))"
    );
    let joined = "p(a,X) :- true(X)\np(Y,b) :- true(Y)\np(c,d) :- true(on)\nterminal :- p(A,B)";
    let expected = "p(Y,X) <=> Y=a & true(X) | X=b & true(Y) | Y=c & X=d & true(on)";
    assert_eq!(said(&with_lamp(joined), &[], "p("), expected);
}

#[test]
fn what_is_always_so_is_listed() {
    let rules = "n(1)\nn(2)\nn(3)\nsucc(1,2)\nsucc(2,3)\nlit\nless(M,N) :- succ(M,N)\n\
        less(M,N) :- succ(M,K) & less(K,N)\neven(X) :- n(X) & distinct(X,X)\n\
        terminal :- lit & less(L,K) & ~even(1) & none(L,K,1)";
    let text = with_lamp(rules);
    let said = |relation| said(&text, &[], relation);
    assert_eq!(said("n("), "n(1)\nn(2)\nn(3)\nX!=1 & X!=2 & X!=3 => ~n(X)");
    assert_eq!(said("succ("), "succ(M,N) <=> M=1 & N=2 | M=2 & N=3");
    assert_eq!(said("less("), "less(K,N) <=> K=1 & N=2 | K=1 & N=3 | K=2 & N=3");
    assert_eq!(
        (said("lit"), said("even"), said("none")),
        ("lit".into(), "~even(X)".into(), "~none(X,Y,Z)".into())
    );
    assert_eq!(checked(&text, &[]).diagnostics, []);
}

#[test]
fn definitions_that_use_themselves_are_named() {
    let rules = "linked(X,Y) :- true(link(X,Y))\nlinked(X,Z) :- linked(X,Y) & linked(Y,Z)\nterminal :- linked(a,b)\n\
        next(link(a,b))\nnext(link(b,a))";
    let completion = converted(&with_lamp(rules), &[]).unwrap();
    assert_eq!(completion.recursive, ["linked"]);
    let checked = load(completion.rulesheet.source, &LoadOptions::default());
    assert!(checked.game.is_none());
    assert!(checked.diagnostics[0].message.contains("it is defined by itself"), "{:?}", checked.diagnostics);
}

#[test]
fn what_is_forgotten_is_left_open() {
    let said = |forget: &[&str], relation| said(LAMP, forget, relation);
    assert_eq!(said(&["init"], "init"), "");
    assert_eq!(said(&["init(X)"], "init"), "");
    assert_eq!(said(&["init(on)"], "init"), "init(off)\nX!=off & X!=on => ~init(X)");
    assert_eq!(said(&["(init off)"], "init"), "X!=off => ~init(X)");
    assert_eq!(said(&["next(on)"], "next"), "next(off) <=> does(you,wait)\nX!=on & X!=off => ~next(X)");
    assert_eq!(said(&["terminal"], "terminal"), "");
    assert_eq!(
        said(&["legal(R,wait)"], "legal"),
        "legal(you,press)\n(X!=you | Y!=press & Y!=wait) & Y!=wait => ~legal(X,Y)"
    );
    let open = checked(LAMP, &["init(on)", "legal"]);
    let message = open.not_runnable.unwrap().message;
    assert!(message.ends_with("leave open `init(on)`, `legal(you,press)`, `legal(you,wait)`"), "{message}");
    let text = open.rulesheet.source.text();
    assert!(text.contains("% Nothing is said of init(on), legal.\n"), "{text}");
}

#[test]
fn definitions_have_exceptions() {
    let board = "next(at(M,N,W)) :- true(at(M,N,W))\nstep(1)\ninit(at(1,1,x))\ninit(at(2,1,o))\n\
        terminal :- step(1) & true(at(1,1,x))";
    let next = |forget: &str| {
        let all = said(&with_lamp(board), &[forget], "next");
        all.lines().filter(|line| line.contains("at(")).collect::<Vec<_>>().join("\n")
    };
    let closure = "X!=on & X!=off & AM:AN:AI:X!=at(M,N,I) => ~next(X)";
    let exception = |except: &str| format!("{except} => next(at(M,N,W)) <=> true(at(M,N,W))\n{closure}");
    assert_eq!(next("next(at(X,1,Y))"), exception("N!=1"));
    assert_eq!(next("next(at(1,X,o))"), exception("M!=1 | W!=o"));
    assert_eq!(next("next(at(X,X,Y))"), exception("N!=M"));
    assert_eq!(next("next(at(X,Y,Z))"), closure);
    assert_eq!(next("next(at(2,1,x))"), exception("M!=2 | N!=1 | W!=x"));
}

#[test]
fn what_there_is_not_cannot_be_forgotten() {
    let error = |what: &str| converted(LAMP, &[what]).unwrap_err().to_string();
    assert_eq!(error("init(dim)"), "`init(dim)` stands for nothing: argument 1 can be `off`, `on`");
    let unknown = error("lamp(off)");
    assert!(
        unknown.starts_with("no sentence says what holds of `lamp(off)`: there are `role` (1), "),
        "{unknown}"
    );
    assert!(error("true(off)").starts_with("no sentence says"));
    for what in ["~init(off)", "", "init(off", "init(on) init(off)", "p :- q", "X"] {
        assert!(error(what).contains("is neither the name of a relation nor an atom"), "{what}");
    }
}

#[test]
fn only_rules_in_order_become_sentences() {
    let error = |text: &str| converted(text, &[]).unwrap_err();
    assert_eq!(error("init(1,p)\nterminal :- expired(p)"), ToIgdlError::NotGdl { dialect: Dialect::RtGdl });
    assert_eq!(error("role(a)\n~p(X)"), ToIgdlError::NotGdl { dialect: Dialect::Igdl });
    assert!(matches!(error("role(a)"), ToIgdlError::Wrong { .. }));
    let endless = with_lamp("n(0)\nn(s(X)) :- n(X)\nterminal :- n(a)");
    assert!(matches!(error(&endless), ToIgdlError::Wrong { .. } | ToIgdlError::Static(_)));
}

#[test]
fn percepts_make_it_igdl_ii_and_words_that_mean_nothing_keep_that() {
    let seen = checked(&with_lamp("sees(you,light) :- true(on)"), &[]);
    assert_eq!((seen.dialect, seen.diagnostics), (Dialect::IgdlII, vec![]));
    let unseen = checked(&with_lamp("terminal :- sees(you,light)"), &[]);
    assert_eq!((unseen.dialect, unseen.game.is_some()), (Dialect::Igdl, true));
    let text = with_lamp("'forall'(X,Y) :- true(X) & true(Y)\nterminal :- 'forall'(on,off)");
    let prefix = crate::convert::convert(&read(&text), Notation::Prefix);
    let checked = load(to_igdl(&prefix, &[]).unwrap().rulesheet.source, &LoadOptions::default());
    assert_eq!((checked.rulesheet.notation, checked.diagnostics), (Notation::Prefix, vec![]));
    assert!(checked.game.is_some());
}

#[test]
fn large_and_deep_rules_are_answered() {
    let list = |count: usize, item: &dyn Fn(usize) -> String, join: &str| {
        (0..count).map(item).collect::<Vec<_>>().join(join)
    };
    let many = |count| {
        let body = list(count, &|number| format!("true(v(X{number}))"), " & ");
        with_lamp(&format!("terminal :- {body}"))
    };
    assert!(converted(&many(100), &[]).is_ok());
    assert_eq!(converted(&many(2000), &[]).unwrap_err(), ToIgdlError::TooLarge);
    let wide = list(3000, &|number| format!("a{number}"), ",");
    assert!(converted(&with_lamp(&format!("wide({wide})\nterminal :- wide({wide})")), &[]).is_ok());
    let deep = format!("{}a{}", "s(".repeat(50_000), ")".repeat(50_000));
    let text = with_lamp(&format!("next({deep}) :- true(on)\nnext(s(s(X))) :- true(X)"));
    assert!(converted(&text, &[]).is_ok());
    let nested = format!("{}true(on){}", "~(".repeat(480), ")".repeat(480));
    assert!(converted(&with_lamp(&format!("terminal :- {nested}")), &[]).is_ok());
}

#[test]
fn names_of_any_kind_are_kept() {
    let rules = "next('A b\\n''.c'(_x,É)) :- true(f(_x,É,_y,Ey,A))\n'5'(1.5,-2) :- true(on)\nterminal :- '5'(N,A)\n'Lit'\n\
        terminal :- 'Lit' & ~'E:'\n'E:' :- true(off)";
    for notation in [Notation::Infix, Notation::Prefix] {
        let sheet = crate::convert::convert(&read(&with_lamp(&rules.replace("''", "\\'"))), notation);
        let sentences = to_igdl(&sheet, &[]).unwrap().rulesheet;
        let checked = load(Arc::clone(&sentences.source), &LoadOptions::default());
        assert_eq!(checked.diagnostics, [], "{}", sentences.source.text());
        let program = checked.game.unwrap().program;
        assert!(
            ["5", "Lit"]
                .iter()
                .all(|name| program.relations.iter().any(|r| program.terms.name(r.name) == *name))
        );
    }
}
