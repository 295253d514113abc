//! Reading and writing programs.

use ludex_logic::Budget;

use super::super::{Program, ProgramTextError};

#[test]
fn both_notations_are_read_and_what_is_written_reads_again() {
    let book = Program::read("p(1, f(a)) :- q & ~r 2 { s ; t } 3 :- p(1,f(a)) { u } :- q % so\n").unwrap();
    let solver = Program::read("p(1,f(a)) :- q, not r. 2 {s; t} 3 :- p(1,f(a)). {u}. :- q.").unwrap();
    assert_eq!(solver.to_string(), "p(1,f(a)) :- q, not r.\n2 {s; t} 3 :- p(1,f(a)).\n{u}.\n:- q.\n");
    assert_eq!(book.rules()[..2], solver.rules()[..2]);
    let again = Program::read(&solver.to_string()).unwrap();
    assert_eq!(again.rules(), solver.rules());
}

#[test]
fn errors_name_the_line_and_what_was_expected() {
    let error = |text: &str| Program::read(text).unwrap_err().to_string();
    assert_eq!(
        error("a.\nb(C) :- a."),
        "line 2, column 1: no positive atom of the body has the variable `C`"
    );
    assert_eq!(error("a.\n\n1 {a; b :- c."), "line 3, column 9: expected `;` or `}`, found `:-`");
    assert_eq!(error("a :- not not b."), "line 1, column 10: expected an atom, found `not`");
    assert_eq!(error("p(a"), "expected `)` at the end");
    assert_eq!(error("p(a b)"), "line 1, column 5: expected `)`, found `b`");
    assert_eq!(error("1 a."), "line 1, column 3: expected `{`, found `a`");
    assert_eq!(error("a :- C."), "line 1, column 6: expected an atom, found `C`");
    assert_eq!(
        error("p(1).\nq(X+a) :- p(X)."),
        "line 2, column 1: only numbers can be reckoned with, and none that are too large"
    );
    assert_eq!(
        error("#minimize { 1 : a }."),
        "line 1, column 1: `#minimize` is not read, only `#const`, `#show` and `#defined`"
    );
    let endless = Program::read_within("p(0). p(X+1) :- p(X).", &Budget::unlimited().with_work(9_000));
    assert_eq!(endless.unwrap_err().to_string(), "stopped after 9000 steps of inference");
    assert_eq!(error("a :- "), "expected an atom at the end");
    assert!(matches!(Program::read("("), Err(ProgramTextError::Unexpected { .. })));
}

#[test]
fn no_text_is_too_odd() {
    for text in [
        "",
        "%",
        ".",
        "}",
        "1",
        ":-",
        ":- .",
        "a(((((",
        "a))",
        "__",
        "é :- ~ö",
        "a(é)",
        "{;}",
        "9".repeat(50).as_str(),
    ] {
        let _ = Program::read(text);
    }
    let deep = format!("a{}1{}.", "(f".repeat(50_000), ")".repeat(50_000));
    assert!(matches!(Program::read(&deep), Err(ProgramTextError::Deep { .. })));
    let minus = format!("a({}1).", "-".repeat(50_000));
    assert!(matches!(Program::read(&minus), Err(ProgramTextError::Deep { .. })));
    let long = format!("a(X) :- b(X){}.", ", b(X)".repeat(50_000));
    assert!(matches!(Program::read(&long), Err(ProgramTextError::Long { .. })));
    let ground = format!("a :- b{}.", ", b".repeat(50_000));
    assert!(Program::read(&ground).is_ok());
}
