//! Reading and writing programs.

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
        error("a.\nb :- C."),
        "line 2: `C` is a variable, and only programs without variables are read"
    );
    assert_eq!(error("a.\n\n1 {a; b :- c."), "line 3: expected `;` or `}`, found `:-`");
    assert_eq!(error("a :- not not b."), "line 1: expected an atom, found `not`");
    assert_eq!(error("p(a"), "expected `)` at the end");
    assert_eq!(error("p(1..3)."), "line 1: expected an atom, found `.`");
    assert_eq!(error("1 a."), "line 1: expected `{`, found `a`");
    assert_eq!(error("a :- "), "expected an atom at the end");
    assert!(matches!(Program::read("("), Err(ProgramTextError::Unexpected { line: 1, .. })));
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
    assert!(Program::read(&deep).is_ok());
}
