use std::path::PathBuf;
use std::sync::Arc;

use proptest::prelude::*;

use crate::convert::{convert, to_gdl_ii};
use crate::dialect::detect;
use crate::game_program::Dialect;
use crate::parse::{parse, parse_term};
use crate::print::{fmt, print, print_clauses, print_term, same_rules};
use crate::scramble::{scramble, unscramble};
use crate::source::Source;
use crate::tests::corpus;
use crate::tree::{Notation, Rulesheet};

fn read(text: &str, notation: Notation) -> Rulesheet {
    let (sheet, errors) = parse(Arc::new(Source::new("test", text)), Some(notation));
    assert_eq!(errors, [], "{text}");
    sheet
}

fn corpus_files() -> Vec<PathBuf> {
    let Some(corpus) = corpus() else { return Vec::new() };
    let folders = ["gdl", "gdl-ii", "gdl-tests/ggp-base-tests", "gdl-tests/libgdl-parser-tests"];
    let mut files: Vec<PathBuf> = folders
        .iter()
        .flat_map(|f| std::fs::read_dir(corpus.join(f)).unwrap())
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

fn assert_idempotent(sheet: &Rulesheet, what: &str) {
    let once = fmt(sheet);
    let again = read(&once, sheet.notation);
    assert!(same_rules(sheet, &again), "{what}");
    assert_eq!(sheet.comments.len(), again.comments.len(), "{what}");
    assert_eq!(fmt(&again), once, "{what}");
}

#[test]
fn tidy_prefix() {
    let before = "\n; head\n( Role  a )   ; who\n\n\n(<= (p ?X) ;one\n  ; two\n (q\n?X) (or (r a) b) ; three\n);four\nend";
    let after = "; head\n(Role a) ; who\n\n(<= (p ?X) ;one\n    ; two\n    (q ?X)\n    (or (r a) b)) ; three\n;four\nend";
    let sheet = read(before, Notation::Prefix);
    assert_eq!(fmt(&sheet), after);
    assert_idempotent(&sheet, before);
}

#[test]
fn tidy_infix() {
    let before =
        "role( a )  role(b) % two\np(X) :- q(X,not) , (a∨b)&(not c) ∧ X≠1\n\n\nr :- ; why\n s & % x\n t. u";
    let before = before.replace("not)", "n)");
    let after = "role(a)\nrole(b) % two\np(X) :- q(X,n) & (a | b) & ~c & distinct(X,1)\n\nr :- ; why\n  s & % x\n  t\nu";
    let sheet = read(&before, Notation::Infix);
    assert_eq!(fmt(&sheet), after);
    assert_idempotent(&sheet, &before);
}

#[test]
fn both_ways_nothing_but_layout_is_lost() {
    let text = "(p |A b| not ?x++ ?x-- ++ -1 12 ?|Q r| left-of |it's| || ?)\n(<= (q) (and r s))\n(<= t (or a b))\n\
        (<= t (and (or a b) (and c d) (not (not e)) (or) (and f) (not g h)))\n(<= u)\n(not w)\n(distinct a b)\n\
        (<= (true a) b)\n((<=) z)";
    let text = &text[..text.rfind('\n').unwrap()].replace(" ?)", ")");
    let sheet = read(text, Notation::Prefix);
    let infix = convert(&sheet, Notation::Infix);
    assert!(same_rules(&sheet, &read(infix.source.text(), Notation::Infix)), "{}", infix.source.text());
    let back = convert(&infix, Notation::Prefix);
    assert!(same_rules(&sheet, &back), "{}", back.source.text());

    let sheet = read("p('Ab','x y',Xy,XY,é) :- 'Not'(Xy) | ~(a & '<=')", Notation::Infix);
    let there = print(&sheet, Notation::Prefix);
    assert_eq!(there, "(<= (p |Ab| |x y| ?xy ?xy_2 é)\n    (or (|Not| ?xy) (not (and a |<=|))))\n");
    assert!(same_rules(&sheet, &read(&there, Notation::Prefix)));
}

#[test]
fn comments_get_the_marks_of_the_notation() {
    let sheet = read("%% a\np % b\n; c", Notation::Infix);
    assert_eq!(print(&sheet, Notation::Prefix), ";; a\np ; b\n; c\n");
}

#[test]
fn terms_are_printed_in_both_notations() {
    let (tree, node) = parse_term("(mark 1 |X|)", None).unwrap();
    assert_eq!(print_term(&tree, node, Notation::Prefix, Notation::Infix), "mark(1,'X')");
    assert_eq!(print_term(&tree, node, Notation::Prefix, Notation::Prefix), "(mark 1 |X|)");
}

#[test]
fn deep_terms_are_printed() {
    let n = 1_000_000;
    let text = format!("{}b{}", "(a ".repeat(n), ")".repeat(n));
    let sheet = read(&text, Notation::Prefix);
    let infix = convert(&sheet, Notation::Infix);
    assert!(same_rules(&sheet, &infix));
    assert_eq!(fmt(&sheet), text);
    assert!(same_rules(&sheet, &scramble(&sheet, 1).0) == (n == 0));
}

#[test]
fn what_other_formatters_make() {
    let Some(folder) = corpus_files().first().map(|f| f.ancestors().nth(2).unwrap().to_owned()) else {
        return;
    };
    let folder = folder.join("gdl-tests/gdl-validation-testgames");
    for name in ["formatter1", "formatter2"] {
        let text = |part: &str| std::fs::read_to_string(folder.join(format!("{name}{part}.kif"))).unwrap();
        let (before, after) = (text("Before"), text("After"));
        assert_eq!(fmt(&parse(Arc::new(Source::new("", before)), Some(Notation::Prefix)).0), after, "{name}");
    }
}

#[test]
fn the_corpus_goes_there_and_back() {
    for path in corpus_files() {
        let what = path.display().to_string();
        let sheet = read(&std::fs::read_to_string(&path).unwrap(), Notation::Prefix);
        assert_idempotent(&sheet, &what);
        let infix = convert(&sheet, Notation::Infix);
        let again = read(infix.source.text(), Notation::Infix);
        assert!(same_rules(&sheet, &again), "{what}");
        assert_eq!(sheet.comments.len(), again.comments.len(), "{what}");
        assert_idempotent(&again, &what);
        assert!(same_rules(&sheet, &convert(&again, Notation::Prefix)), "{what}");
        for sheet in [sheet, again] {
            let (scrambled, renaming) = scramble(&sheet, 7);
            assert_eq!(scramble(&sheet, 7).0.source, scrambled.source, "{what}");
            assert!(!same_rules(&sheet, &scrambled), "{what}");
            assert!(same_rules(&sheet, &unscramble(&scrambled, &renaming)), "{what}");
            assert_eq!(detect(&sheet).0, detect(&scrambled).0, "{what}");
            let roles =
                |s: &Rulesheet| s.items.iter().filter(|i| s.tree.head(i.head) == Some(("role", 1))).count();
            assert_eq!(roles(&sheet), roles(&scrambled), "{what}");
        }
    }
}

#[test]
fn moves_are_renamed_forth_and_back() {
    let sheet = read("(role white) (init (cell 1 b)) (legal ?r (mark 1 ?x))", Notation::Prefix);
    let (scrambled, renaming) = scramble(&sheet, 3);
    let there = renaming.scramble_terms("(mark 1 b) noop", Notation::Prefix).unwrap();
    assert!(!there.contains("mark") && there.contains(" 1 ") && there.ends_with("noop"), "{there}");
    assert_eq!(renaming.unscramble_terms(&there, Notation::Prefix).unwrap(), "(mark 1 b) noop");
    assert!(!scrambled.source.text().contains("white"));
    assert_ne!(scramble(&sheet, 4).1, renaming);
}

#[test]
fn everybody_sees_all_moves() {
    for notation in [Notation::Prefix, Notation::Infix] {
        let text = "(role random) (role a) (<= (legal ?r (sees 1)) (role ?r))";
        let sheet = convert(&read(text, Notation::Prefix), notation);
        let wider = to_gdl_ii(&sheet);
        assert_eq!(detect(&wider).0, Dialect::GdlII);
        assert_eq!(wider.items.len(), sheet.items.len() + 1);
        let plain = convert(&wider, Notation::Prefix);
        let expected = "(role random_2) (role a) (<= (legal ?r (sees_2 1)) (role ?r))\n\
            (<= (sees ?p (move ?q ?m)) (role ?p) (does ?q ?m))";
        assert!(same_rules(&plain, &read(expected, Notation::Prefix)), "{}", plain.source.text());
        assert!(same_rules(&wider, &to_gdl_ii(&wider)));
    }
}

/// Pieces that make interesting texts.
fn soup() -> impl Strategy<Value = String> {
    let pieces = [
        "(",
        ")",
        "(<= ",
        "p",
        "(q ?x)",
        "X",
        "?x",
        " ",
        "\n",
        ";c\n",
        "%d\r\n",
        "'a b'",
        "'",
        "|B|",
        "|",
        "\\",
        ":-",
        "&",
        ",",
        "~",
        "not ",
        "or",
        "(or a b)",
        ".",
        "=",
        "!=",
        "≠",
        "⇐",
        "AX:",
        "=>",
        "é",
        "\u{feff}",
        "-1",
        "+",
        "p(",
        "q(a)",
        "true(a)",
        "∀",
        "()",
        "(not ",
        "<=>",
        "EX:",
        "(?x ?y)",
        "(forall (?x) ",
        "(exists ",
        "(=> ",
        "(/= ",
        "?y ",
    ];
    prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..40).prop_map(|v| v.concat())
}

proptest! {
    #[test]
    fn nothing_panics(text in prop_oneof![soup(), ".{0,60}"]) {
        for notation in [None, Some(Notation::Prefix), Some(Notation::Infix)] {
            let (sheet, errors) = parse(Arc::new(Source::new("", text.as_str())), notation);
            for error in &errors {
                prop_assert!(text.get(error.span.range()).is_some(), "{error:?}");
            }
            let _ = detect(&sheet);
            let tidy = fmt(&sheet);
            let other = if sheet.notation == Notation::Prefix { Notation::Infix } else { Notation::Prefix };
            let there = convert(&sheet, other);
            if errors.is_empty() {
                let (again, errors) = parse(Arc::new(Source::new("", tidy.as_str())), Some(sheet.notation));
                prop_assert_eq!(errors, []);
                prop_assert!(same_rules(&sheet, &again), "{}", tidy);
                prop_assert_eq!(fmt(&again), tidy);
                prop_assert!(same_rules(&sheet, &there), "{}", there.source.text());
                let (scrambled, renaming) = scramble(&sheet, 5);
                prop_assert!(same_rules(&sheet, &unscramble(&scrambled, &renaming)));
            }
        }
    }
}

#[test]
fn clauses_come_one_a_line() {
    let prefix = "(ROLE |White X|) ; a comment\n(<= (Next (p ?x)) ; why\n  (or (q ?x)\n  (r ?x)) (s))(<= t)";
    let expected = ["(ROLE |White X|)", "(<= (Next (p ?x)) (or (q ?x) (r ?x)) (s))", "(<= t)"];
    assert_eq!(print_clauses(&read(prefix, Notation::Prefix)), expected);
    let infix = "role('White X'). p(X) :- (q(X) | r(X)) & % why\n  ~s(X).\nt :-.\ntrue(u).";
    let expected = ["role('White X')", "p(X) :- (q(X) | r(X)) & ~s(X)", "t", "true(u)"];
    assert_eq!(print_clauses(&read(infix, Notation::Infix)), expected);
}
