use super::{LIGHTS, NIM, NIM_LINES, TIC_TAC_TOE, TRAPPED};
use crate::budget::{Budget, LimitError};
use crate::clause_text::{program, query};
use crate::derive::{
    DerivationTree, Derivations, NegationStyle, NodeKind, Numbering, RootKind, Style, TreeOptions,
};
use crate::ids::Id;
use crate::program::Program;
use crate::terms::Notation;

fn tree(program: &Program, text: &str) -> DerivationTree {
    let mut meter = Budget::unlimited().with_work(5_000_000).meter();
    let mut derivations = Derivations::new(program, &[]).unwrap();
    derivations.tree(&query(program, text), &TreeOptions::default(), &mut meter).unwrap()
}

fn style<'p>(program: &'p Program, lines: &[usize]) -> Style<'p> {
    let numbering = Numbering::new(program, |c| lines.get(c.index()).copied().unwrap_or(99));
    Style { numbering, ..Style::new(program) }
}

/// The derivations of the query as text without blanks and line ends.
fn linear(tree: &DerivationTree, style: &Style<'_>) -> Vec<String> {
    let leaves = tree.leaves(tree.roots[0].node);
    leaves.into_iter().map(|leaf| squeeze(&tree.linear_text(leaf, style))).collect()
}

fn squeeze(text: &str) -> String {
    text.split_whitespace().collect()
}

/// The book prints rule 6 for `succ(1,2)` in the first derivation; by figure 13.1 it is rule 7.
#[test]
fn the_derivations_of_13_4() {
    let p = program(NIM);
    let found = linear(&tree(&p, "legal(white,L)"), &style(&p, &NIM_LINES));
    let start = "legal(white,L)      rule 1 with {P/white,L/reduce(X,N)}
        ⇒ true(control(white))  & true(heap(X,M)) & smaller(N,M)   rule 15 with {}";
    let first = format!(
        "{start}
        ⇒ true(heap(X,M)) & smaller(N,M)  rule 12 with {{X/a,M/2}}
        ⇒ smaller(N,2)      copy of rule 4 with {{X'/N,Y'/2}}
        ⇒ succ(N,2)         rule 7 with {{N/1}}
        ⇒ □
        Answer: {{L/reduce(a,1)}}"
    );
    let second = format!(
        "{start}
        ⇒ true(heap(X,M)) & smaller(N,M)  rule 12 with {{X/a,M/2}}
        ⇒ smaller(N,2)      copy of rule 5 with {{X'/N,Y'/2}}
        ⇒ succ(N,Z') & smaller(Z',2)      rule 6 with {{N/0,Z'/1}}
        ⇒ smaller(1,2)      copy of rule 4 with {{X''/1,Y''/2}}
        ⇒ succ(1,2)         rule 7 with {{}}
        ⇒ □
        Answer: {{L/reduce(a,0)}}"
    );
    let failed = format!(
        "{start}
        ⇒ true(heap(X,M)) & smaller(N,M)  rule 13 with {{X/b,M/0}}
        ⇒ smaller(N,0)      copy of rule 4 with {{X'/N,Y'/0}}
        ⇒ succ(N,0)
        ⇒ failure"
    );
    assert_eq!(found[0], squeeze(&first));
    assert_eq!(found[1], squeeze(&second));
    assert!(found.contains(&squeeze(&failed)), "{found:#?}");
}

#[test]
fn the_trees_of_13_5() {
    let p = program(TIC_TAC_TOE);
    let lines: Vec<usize> = (1..=10).chain([12, 13, 14]).collect();
    let style = style(&p, &lines);
    let white = tree(&p, "legal(white,L)");
    let answers = |t: &DerivationTree| -> Vec<String> {
        t.leaves(0).into_iter().filter_map(|leaf| t.answer_text(leaf, &style)).collect()
    };
    assert_eq!(answers(&white), ["{L/mark(1,3)}", "{L/mark(3,1)}", "{L/mark(3,3)}"]);
    // The rule for noop asks for black's turn and fails.
    let kinds: Vec<_> = white.leaves(0).into_iter().map(|l| white.nodes[l].kind).collect();
    use NodeKind::{Failure, Success};
    assert_eq!(kinds, [Success, Success, Success, Failure]);
    let black = tree(&p, "legal(black,L)");
    assert_eq!(answers(&black), ["{L/noop}"]);
    let kinds: Vec<_> = black.leaves(0).into_iter().map(|l| black.nodes[l].kind).collect();
    assert_eq!(kinds, [Failure, Failure, Failure, Success]);
    let dot = black.dot(&style);
    assert!(dot.contains("label=\"legal(black,L)\"") && dot.contains("label=\"□ {L/noop}\""), "{dot}");
    assert_eq!(dot.matches("label=\"failure\"").count(), 3);
    let expected = "
legal(black,L)
├─ [rule 12 with {W/black,L/mark(X,Y)}] true(cell(X,Y,b)) & true(control(black))
│  ├─ [rule 3 with {X/1,Y/3}] true(control(black))  failure
│  ├─ [rule 7 with {X/3,Y/1}] true(control(black))  failure
│  └─ [rule 9 with {X/3,Y/3}] true(control(black))  failure
└─ [rule 14 with {L/noop}] true(control(white))
   └─ [rule 10 with {}] □  {L/noop}
";
    assert_eq!(black.text(&style).trim(), expected.trim());
}

#[test]
fn loops_are_cut_and_every_answer_keeps_a_derivation() {
    let with_16 = format!("{NIM} smaller(X,Y) :- smaller(X,Y)");
    let left = NIM.replace("succ(X,Z) & smaller(Z,Y)", "smaller(Z,Y) & succ(X,Z)");
    for text in [with_16, left] {
        let p = program(&text);
        let style = style(&p, &NIM_LINES);
        let tree = tree(&p, "legal(white,L)");
        assert!(tree.nodes.iter().any(|n| n.kind == NodeKind::Loop));
        assert!(!tree.truncated);
        let mut answers: Vec<String> = tree
            .roots
            .iter()
            .flat_map(|r| tree.leaves(r.node))
            .filter_map(|leaf| tree.answer_text(leaf, &style))
            .collect();
        answers.sort();
        answers.dedup();
        assert_eq!(answers.len(), 7, "{answers:?}");
    }
    let left = program(&NIM.replace("succ(X,Z) & smaller(Z,Y)", "smaller(Z,Y) & succ(X,Z)"));
    let tree = tree(&left, "smaller(N,2)");
    let style = style(&left, &NIM_LINES);
    let root = tree.roots.iter().find(|r| r.kind == RootKind::Answer).unwrap();
    let leaf = tree.leaves(root.node)[0];
    let expected = "smaller(N,2)  rule 5 with {X/N,Y/2}
        ⇒ smaller(Z,2) & succ(N,Z)  copy of rule 4 with {X'/Z,Y'/2}
        ⇒ succ(Z,2) & succ(N,Z)  rule 7 with {Z/1}
        ⇒ succ(N,1)  rule 6 with {N/0}
        ⇒ □
        Answer: {N/0}";
    assert_eq!(squeeze(&tree.linear_text(leaf, &style)), squeeze(expected));
}

#[test]
fn the_reordering_of_13_6() {
    let p = program(LIGHTS);
    let mut style = style(&p, &[1, 2, 3, 4, 6]);
    style.negations = NegationStyle::Inline;
    let found = linear(&tree(&p, "next(p(Z))"), &style);
    let expected = |rule: usize, light: usize| {
        squeeze(&format!(
            "next(p(Z))   rule 6 with {{X/Z}}
            ⇒ true(p(Z)) & ~does(white,a(Z))  rule {rule} with {{Z/{light}}}
            ⇒ ~does(white,a({light}))  query does(white,a({light})) fails
            ⇒ □
            Answer: {{Z/{light}}}"
        ))
    };
    assert_eq!(found.len(), 3);
    assert_eq!(found[0], expected(1, 1));
    assert!(found[1].ends_with(&squeeze("query does(white,a(2)) succeeds ⇒ failure")));
    assert_eq!(found[2], expected(3, 3));
}

#[test]
fn the_nested_derivations_of_13_6() {
    let p = program(TRAPPED);
    let mut style = style(&p, &[1, 2, 3, 5, 7, 8]);
    style.empty_unifiers = false;
    let blue = "goal(blue,100)   rule 8 with {W/blue}
        ⇒ role(blue) & ~trapped(blue)   rule 2
        ⇒ ~trapped(blue)   sub-derivation †
        ⇒ □
        † trapped(blue)  rule 7 with {R/blue}
        ⇒ role(blue) & ~true(free(blue))  rule 2
        ⇒ ~true(free(blue))   sub-derivation ‡
        ⇒ failure
        ‡ true(free(blue))  rule 5
        ⇒ □";
    let red = "goal(red,100)   rule 8 with {W/red}
        ⇒ role(red) & ~trapped(red)   rule 1
        ⇒ ~trapped(red)   sub-derivation †
        ⇒ failure
        † trapped(red)  rule 7 with {R/red}
        ⇒ role(red) & ~true(free(red))  rule 1
        ⇒ ~true(free(red))   sub-derivation ‡
        ⇒ □
        ‡ true(free(red))
        ⇒ failure";
    assert_eq!(linear(&tree(&p, "goal(blue,100)"), &style), [squeeze(blue)]);
    assert_eq!(linear(&tree(&p, "goal(red,100)"), &style), [squeeze(red)]);
    let green = linear(&tree(&p, "goal(green,100)"), &style);
    assert_eq!(green, [squeeze(&red.replace("red", "green").replace("rule 1", "rule 3"))]);
}

#[test]
fn distinct_disjunctions_and_prefix() {
    let p = program(
        "p(1) p(2) q(2) r(f(1))
         either(X) :- distinct(X,1) & p(X) & (q(X) | r(f(X)))
         both(X,Y) :- ~(p(X) & q(Y)) & p(X) & p(Y)",
    );
    let style = Style { notation: Notation::Prefix, ..style(&p, &[1, 2, 3, 4, 5, 6]) };
    let found = linear(&tree(&p, "either(X)"), &style);
    let last = "(either ?X) rule 5 with {?X'/?X}
        ⇒ (p ?X) & (distinct ?X 1) & (or (q ?X) (r (f ?X)))   rule 2 with {?X/2}
        ⇒ (distinct 2 1) & (or (q 2) (r (f 2)))  different terms
        ⇒ (or (q 2) (r (f 2)))   alternative 1
        ⇒ (q 2)   rule 3 with {}
        ⇒ □
        Answer: {?X/2}";
    // X is taken by the query, so the first use of the clause is a copy already.
    assert_eq!(found[1], squeeze(&last.replace("rule 5", "copy of rule 5")));
    assert_eq!(found.len(), 3);
    assert!(found[0].ends_with(&squeeze("⇒ (distinct 1 1) & (or (q 1) (r (f 1))) ⇒ failure")));
    let t = tree(&p, "both(X,Y)");
    let successes = t.leaves(0).into_iter().filter(|l| t.answers.contains_key(l));
    assert_eq!(successes.count(), 2);
}

#[test]
fn limits_cut_the_tree_but_lose_no_answer() {
    let p = program(NIM);
    let mut derivations = Derivations::new(&p, &[]).unwrap();
    let mut meter = Budget::unlimited().meter();
    let options = TreeOptions { nodes: 12, ..TreeOptions::default() };
    let tree = derivations.tree(&query(&p, "legal(white,L)"), &options, &mut meter).unwrap();
    assert!(tree.truncated && tree.nodes.iter().any(|n| n.kind == NodeKind::Cut));
    let mut meter = Budget::unlimited().with_work(300).meter();
    let query = query(&p, "legal(white,L)");
    let cut = derivations.tree(&query, &TreeOptions::default(), &mut meter).unwrap();
    assert!(cut.truncated && matches!(cut.stopped, Some(LimitError::Work { .. })), "{:?}", cut.stopped);
    // What is found before a limit follows all the same, and nothing unfinished is kept.
    let (all, stopped) = derivations.answers_within(&query, &mut Budget::unlimited().meter()).unwrap();
    assert_eq!(stopped, None);
    let mut ends = (0, 0);
    for work in 0..2_000 {
        let mut meter = Budget::unlimited().with_work(work).meter();
        let mut derivations = Derivations::new(derivations.program(), derivations.given()).unwrap();
        let (some, stopped) = derivations.answers_within(&query, &mut meter).unwrap();
        assert!(some.rows.iter().all(|row| all.rows.contains(row)));
        if stopped.is_none() {
            assert_eq!(some, all);
        }
        ends.0 += u32::from(stopped.is_some());
        ends.1 += u32::from(stopped.is_none());
    }
    assert!(ends.0 > 0 && ends.1 > 0, "{ends:?}");
}
