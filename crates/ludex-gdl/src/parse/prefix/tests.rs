use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::parse::{parse, parse_term, parse_terms};
use crate::source::Source;
use crate::tests::corpus;
use crate::tree::{NodeKind, Notation, Rulesheet};

fn read(text: &str) -> (Rulesheet, Vec<Diagnostic>) {
    parse(Arc::new(Source::new("test.kif", text)), Some(Notation::Prefix))
}

fn errors(text: &str) -> Vec<(usize, usize)> {
    read(text).1.iter().map(|d| (d.span.start as usize, d.span.end as usize)).collect()
}

#[test]
fn clauses_are_facts_and_rules() {
    let text = "(role White) ; who\nopen\n(<= (Next (cell ?X b)) terminal (not (true (q ?x))))\n(<= p)";
    let (sheet, errors) = read(text);
    assert_eq!(errors, []);
    assert_eq!(sheet.items.len(), 4);
    assert_eq!(sheet.source.slice(sheet.comments[0].span), "; who");
    let tree = &sheet.tree;
    assert_eq!(tree.head(sheet.items[0].head), Some(("role", 1)));
    let white = tree.children(sheet.items[0].head)[0];
    assert_eq!(tree.head(white), Some(("white", 0)));
    assert_eq!(sheet.source.slice(tree.span(white)), "White");
    assert_eq!(sheet.items[1].body, None);
    assert_eq!(sheet.items[2].body.as_ref().map(Vec::len), Some(2));
    assert_eq!(sheet.items[3].body, Some(vec![]));
    assert_eq!(tree.find_name("X"), None);
}

#[test]
fn a_name_in_bars_keeps_case_and_blanks() {
    let (tree, node) = parse_term(r"(p |A b| |x\|y\\z\n| ?|Q r|)", Some(Notation::Prefix)).unwrap();
    let names: Vec<_> = tree
        .children(node)
        .iter()
        .map(|&c| match &tree.node(c).kind {
            NodeKind::Constant(name) | NodeKind::Variable(name) => tree.name(*name),
            other => panic!("{other:?}"),
        })
        .collect();
    assert_eq!(names, ["A b", "x|y\\z\n", "Q r"]);
    assert_eq!(errors("(p |a b)\n(q c)"), [(0, 1), (3, 4)]);
}

#[test]
fn line_ends_marks_and_foreign_blanks() {
    for text in ["\u{feff}(p a)\r\n(q b)", "(p a) ;x\r(q b)\r", "(p\u{a0}a)\u{2028}(q\u{3000}b)"] {
        let (sheet, errors) = read(text);
        assert_eq!(errors, [], "{text:?}");
        assert_eq!(sheet.items.len(), 2, "{text:?}");
    }
}

#[test]
fn unclosed_lists_are_found_where_they_open() {
    // A fact without its end; the next fact starts in the margin.
    assert_eq!(errors("(role a)\n(init (cell 1 1)\n(init (cell 1 2))\n(role b)\n"), [(9, 10)]);
    // Indentation shows which list of the rule it is.
    let text = "(<= (next a)\n    (true (b c)\n    (does d e))\n(<= p q)\n(<= r (s t)\n(<= u v)";
    assert_eq!(errors(text), [(17, 18), (55 - 1, 55)]);
    assert_eq!(read(text).0.items.len(), 4);
    // Subgoals in the margin are usual in real rulesheets.
    assert_eq!(errors("(<= (p a)\n(q b)\n(r c)\n)\n(s d"), [(24, 25)]);
}

#[test]
fn every_error_is_reported_once() {
    assert_eq!(
        errors("(p a))\n(q ())\n(?x b)\n(<=)\n<= q\n((r) s)"),
        [(5, 6), (10, 12), (15, 17), (21, 25), (26, 28), (32, 33)]
    );
    assert_eq!(errors("(p (<= a b))\n(q a)"), [(3, 6)]);
    assert_eq!(errors("(p ?)"), [(3, 4)]);
}

#[test]
fn terms_of_a_user() {
    let (tree, nodes) = parse_terms("(mark 1 2) noop ?x", None).unwrap();
    assert_eq!(nodes.len(), 3);
    assert_eq!(tree.head(nodes[0]), Some(("mark", 2)));
    assert!(parse_term("(a", None).is_err());
    assert!(parse_term("(a) (b)", None).is_err());
    assert!(parse_term(" ", None).is_err());
    assert!(parse_term("(<= a b)", None).is_err());
}

#[test]
fn a_million_parentheses() {
    let n = 1_000_000;
    let text = format!("{}b{}", "(a ".repeat(n), ")".repeat(n));
    assert_eq!(errors(&text), []);
    assert_eq!(errors(&"(".repeat(n)).len(), 2);
    // Looking for the end of each would take quadratic time: after some of them the rest is one error.
    assert!((2..20).contains(&errors(&"(a\n".repeat(n)).len()));
    assert_eq!(errors(&")".repeat(n)).len(), 1);
}

#[test]
fn positions_that_other_tools_agree_on() {
    let Some(corpus) = corpus() else { return };
    let folder = corpus.join("gdl-tests/gdl-validation-testgames");
    for (file, expected) in [
        ("ticTacToe", vec![]),
        ("badparens1", vec![(4, 5)]),
        ("badparens2", vec![(8, 9)]),
        ("badparens3", vec![(16, 17)]),
        ("badparens4", vec![(3, 4)]),
        ("badparens5", vec![(2, 3)]),
        ("commentEof", vec![]),
        ("emptyDisjunction", vec![]),
        ("formatter1Before", vec![]),
    ] {
        let text = std::fs::read_to_string(folder.join(file).with_extension("kif")).unwrap();
        assert_eq!(errors(&text), expected, "{file}");
    }
    let text = std::fs::read_to_string(folder.join("badparens3.kif")).unwrap().replace('\n', "\r\n");
    assert_eq!(errors(&text), [(17, 18)]);
}

#[test]
fn the_corpus_has_no_syntax_errors() {
    let Some(corpus) = corpus() else { return };
    let mut count = 0;
    for folder in ["gdl", "gdl-ii", "gdl-tests/ggp-base-tests", "gdl-tests/libgdl-parser-tests"] {
        for entry in std::fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let (sheet, errors) = parse(Arc::new(Source::new(path.to_string_lossy(), text)), None);
            assert_eq!(sheet.notation, Notation::Prefix, "{}", path.display());
            assert_eq!(errors, [], "{}", path.display());
            assert!(!sheet.items.is_empty());
            count += 1;
        }
    }
    assert!(count >= 194 + 17 + 24, "{count}");
}
