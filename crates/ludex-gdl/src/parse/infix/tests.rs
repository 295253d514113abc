use std::sync::Arc;

use crate::diagnostic::Diagnostic;
use crate::parse::{parse, parse_term, parse_terms};
use crate::source::Source;
use crate::tree::{NodeId, NodeKind, Notation, Rulesheet, Tree};

fn read(text: &str) -> (Rulesheet, Vec<Diagnostic>) {
    parse(Arc::new(Source::new("test", text)), Some(Notation::Infix))
}

fn errors(text: &str) -> Vec<(usize, usize)> {
    read(text).1.iter().map(|d| (d.span.start as usize, d.span.end as usize)).collect()
}

/// The node in prefix, for comparing.
fn show(tree: &Tree, node: NodeId) -> String {
    match &tree.node(node).kind {
        NodeKind::Constant(name) => tree.name(*name).into(),
        NodeKind::Variable(name) => format!("?{}", tree.name(*name)),
        NodeKind::Compound { name, .. } => {
            let args: Vec<_> = tree.children(node).iter().map(|&c| format!(" {}", show(tree, c))).collect();
            format!("({}{})", tree.name(*name), args.concat())
        }
        NodeKind::Error => "ERROR".into(),
    }
}

fn clauses(text: &str) -> Vec<String> {
    let (sheet, errors) = read(text);
    assert_eq!(errors, [], "{text}");
    show_items(&sheet)
}

fn show_items(sheet: &Rulesheet) -> Vec<String> {
    let one = |item: &crate::tree::Item| match &item.body {
        None => show(&sheet.tree, item.head),
        Some(body) => {
            let body: Vec<_> = body.iter().map(|&b| format!(" {}", show(&sheet.tree, b))).collect();
            format!("(<= {}{})", show(&sheet.tree, item.head), body.concat())
        }
    };
    sheet.items.iter().map(one).collect()
}

#[test]
fn the_notation_of_the_book() {
    assert_eq!(
        clauses(
            "role(white)  role(black) % two\nopen\nnext(cell(M,N,W)) :-\n  true(cell(M,N,W)) &\n  distinct(W,b)\nterminal :- ~open\np.q(-1)."
        ),
        [
            "(role white)",
            "(role black)",
            "open",
            "(<= (next (cell ?M ?N ?W)) (true (cell ?M ?N ?W)) (distinct ?W b))",
            "(<= terminal (not open))",
            "p",
            "(q -1)"
        ]
    );
}

#[test]
fn connectives_and_their_signs() {
    assert_eq!(
        clauses(
            "p ⇐ q ∧ ¬r ∨ X ≠ a\np <= not q(X), (a | b) & ~(c & d)\np :- ~a & b | c\np :- not(q)\np()\np :-."
        ),
        [
            "(<= p (or (and q (not r)) (distinct ?X a)))",
            "(<= p (not (q ?X)) (or a b) (not (and c d)))",
            "(<= p (or (and (not a) b) c))",
            "(<= p (not q))",
            "(p)",
            "(<= p)"
        ]
    );
}

#[test]
fn names_with_other_characters() {
    let (tree, node) = parse_term(r"p('A b','it\'s','not',left-of,'?x',1/2)", None).unwrap();
    assert_eq!(show(&tree, node), "(p A b it's not left-of ?x 1/2)");
}

#[test]
fn a_missing_conjunction_is_reported_at_the_gap() {
    // Problem 2.1 as it is printed.
    let text = "role(white)      next(p) :- does(white,a) ~true(p)\nrole(black)      next(q) :- a\n";
    assert_eq!(errors(text), [(41, 42)]);
    assert_eq!(
        show_items(&read(text).0),
        ["(role white)", "(<= (next p) (does white a) (not (true p)))", "(role black)", "(<= (next q) a)"]
    );
    let text = "next(c(J)) :-\n  does(W,mark(J))\n  true(c(b)) & true(d)\nnext(x) :- true(x)";
    assert_eq!(errors(text), [(31, 31)]);
    assert_eq!(read(text).0.items.len(), 2);
    // A trailing `&`.
    assert_eq!(errors("d(X) :-\n  t(X) &\n\nterminal :- l(x)\n"), [(16, 16)]);
    assert_eq!(read("d(X) :-\n  t(X) &\n\nterminal :- l(x)\n").0.items.len(), 2);
}

#[test]
fn broken_brackets() {
    assert_eq!(errors("role(white\nrole(black)"), [(4, 5)]);
    assert_eq!(errors("role(white))\nrole(black)"), [(11, 12)]);
    assert_eq!(errors("p :- q(a & r\ns :- t"), [(6, 7)]);
    assert_eq!(errors("p :- q(a,\ns(b) :- t"), [(6, 7)]);
    assert_eq!(errors("legal(robot,stack(X,Y) :- clear(X)"), [(5, 6)]);
    assert_eq!(errors("p(a,)"), [(4, 5)]);
    assert_eq!(errors("p(a b)"), [(3, 4)]);
    assert_eq!(errors("p :- ()"), [(5, 7)]);
    assert_eq!(read("role(white\nrole(black)").0.items.len(), 2);
}

#[test]
fn every_error_is_reported_once() {
    let text = ":- r\np :- & q\n s :- t :- u\nX(a)\nv(T + 1)\nw('a)\nx :- ~\n";
    let found: Vec<_> = errors(text).iter().map(|&(a, b)| (a, text[a..b].to_owned())).collect();
    let expected = [(0, ":-"), (10, "&"), (19, ""), (27, "X"), (36, "+"), (42, "("), (43, "'"), (53, "")];
    assert_eq!(found, expected.map(|(at, text)| (at, text.to_owned())));
}

#[test]
fn sentences_of_incomplete_descriptions_are_read() {
    assert_eq!(
        clauses("AX:EY:(p(X) & q(Y) => r)\ntrue(p) <=> ~X=Y"),
        ["(A: ?X (E: ?Y (=> (and (p ?X) (q ?Y)) r)))", "(<=> (true p) (not (= ?X ?Y)))"]
    );
}

#[test]
fn several_terms() {
    let (tree, nodes) = parse_terms("mark(1,2), noop, ~p(X) q", Some(Notation::Infix)).unwrap();
    let shown: Vec<_> = nodes.iter().map(|&n| show(&tree, n)).collect();
    assert_eq!(shown, ["(mark 1 2)", "noop", "(not (p ?X))", "q"]);
}

#[test]
fn a_million_brackets() {
    let n = 1_000_000;
    assert_eq!(errors(&format!("{}b{}", "a(".repeat(n), ")".repeat(n))), []);
    assert_eq!(errors(&format!("p :- {}b{}", "(".repeat(n), ")".repeat(n))), []);
    assert_eq!(errors(&format!("p :- {}b", "~".repeat(n))), []);
    assert_eq!(errors(&"a(".repeat(n)).len(), 1);
    assert!(!errors(&"(".repeat(n)).is_empty());
}

#[test]
fn looking_ahead_takes_no_more_than_its_time() {
    // Each `a(` leads its line and might be the head of a rule: the bracket's end is far away.
    let text = format!("f(b{}{}", "\n b\n a(b".repeat(100_000), ")".repeat(100_001));
    assert!(!read(&text).1.is_empty());
}
