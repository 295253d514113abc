//! Libraries put into rulesheets that are there.

use ludex::gdl::Source;
use ludex::rule_library::{Inserted, RuleLibraryError, Selection, insert as insert_into};

fn insert(text: &str, selection: &Selection) -> Result<Inserted, RuleLibraryError> {
    insert_into(&Source::new("game.kif", text), selection)
}

fn selection(library: &str, parts: &[&str], set: &[(&str, &str)]) -> Selection {
    let mut selection = Selection::new();
    for (name, value) in set {
        selection.set(name, value).unwrap();
    }
    selection.add(library, parts).unwrap();
    selection
}

const OWN: &str = "; mine\r\n(role you)   ; alone\n\n(<= (legal you go)\n    (less 1 2))\n";

#[test]
fn what_is_there_is_left_as_it_is() {
    let inserted = insert(OWN, &selection("numbers", &["less"], &[("max", "4")])).unwrap();
    assert!(inserted.text.starts_with(OWN) && inserted.added == ["numbers"] && inserted.replaced.is_empty());
    // Once more changes nothing.
    let again = insert(&inserted.text, &selection("numbers", &["less"], &[("max", "4")])).unwrap();
    assert!(again.text == inserted.text && again.added.is_empty() && again.replaced.is_empty());
    // What stands behind a section stays, too.
    let behind = inserted.text.clone() + "(goal you 0)";
    let larger = insert(&behind, &selection("numbers", &["sum"], &[("max", "6")])).unwrap();
    assert!(larger.text.starts_with(OWN) && larger.text.ends_with("(goal you 0)"));
    assert_eq!((larger.added.len(), larger.replaced), (0, vec!["numbers"]));
    assert!(larger.text.contains("(succ 5 6)") && larger.text.contains("(less ?l ?n)"));
    assert!(larger.text.contains("(<= (sum ?m 0 ?m)"));
}

#[test]
fn what_libraries_need_comes_along_once_and_fits() {
    let lines = selection("lines", &["has_line"], &[("width", "7"), ("height", "6"), ("length", "4")]);
    let first = insert("role(white) % one\n", &lines).unwrap();
    assert_eq!(first.added, ["numbers", "board", "lines"]);
    assert!(
        first.text.contains("\nrow(6)\n")
            && first.text.contains("succ(6,7)")
            && !first.text.contains("succ(7,8)")
    );
    // A chain is on the board that is there.
    let second = insert(&first.text, &selection("chains", &[], &[])).unwrap();
    assert_eq!((second.added, second.replaced), (vec!["chains"], vec!["board"]));
    assert_eq!(second.text.matches("rules: numbers").count(), 2);
    assert!(second.text.contains("\ncolumn(7)\n"));
    // Another size is that of all.
    let third = insert(&second.text, &selection("lines", &["line"], &[("width", "4")])).unwrap();
    assert!(
        third.text.contains("board height=6 width=4")
            && third.text.contains("lines directions=8 height=6 length=4 width=4")
    );
    // Fewer numbers than a board needs are none.
    let fourth = insert(&third.text, &selection("numbers", &[], &[("max", "2")])).unwrap();
    assert!(fourth.text.contains("succ(5,6)") && !fourth.text.contains("succ(6,7)"), "{}", fourth.text);
}

#[test]
fn second_definitions_and_broken_texts_are_refused() {
    let numbers = selection("numbers", &[], &[]);
    let error = insert("(role you)\n(succ 1 2)\n", &numbers).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 2: `succ/2` is defined here, and the library `numbers` defines it, too"
    );
    // Another number of arguments is another relation.
    assert!(insert("(succ 1 2 3)\n", &numbers).is_ok());
    assert!(matches!(insert("(role you", &numbers), Err(RuleLibraryError::Syntax { line: 1, .. })));
    for (text, line) in [
        ("(a)\n; ---- rules: numbers max=3\n(b)\n", 2),
        ("; ---- end of rules: numbers\n", 1),
        ("; ---- rules: trees\n", 1),
        ("; ---- rules: numbers max=0\n; ---- end of rules: numbers\n", 1),
        ("; ---- rules: numbers\n; ---- rules: board\n; ---- end of rules: board\n", 2),
    ] {
        match insert(text, &numbers) {
            Err(RuleLibraryError::Section { line: found, .. }) => assert_eq!(found, line, "{text}"),
            other => panic!("{text}: {other:?}"),
        }
    }
    // An empty text takes a library.
    assert!(insert("", &numbers).unwrap().text.starts_with("; ---- rules: numbers"));
}
