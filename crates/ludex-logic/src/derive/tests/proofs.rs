use super::{NIM, TIC_TAC_TOE, TRAPPED};
use crate::budget::Budget;
use crate::clause_text::{ground, program, query};
use crate::derive::{Derivations, ExplainOptions, Explanation, Node, Premise, Style};
use crate::program::{GroundAtom, Program};

fn explain(program: &Program, given: &[GroundAtom], text: &str) -> Explanation {
    let mut meter = Budget::unlimited().with_work(5_000_000).meter();
    let mut derivations = Derivations::new(program, given).unwrap();
    derivations.explain(&query(program, text), &ExplainOptions::default(), &mut meter).unwrap()
}

fn text(program: &Program, given: &[GroundAtom], query: &str) -> String {
    explain(program, given, query).text(&Style::new(program))
}

#[test]
fn a_proof_tree_ends_in_facts() {
    let p = program(NIM);
    let expected = "\
legal(white,reduce(a,0)): rule 1
  true(control(white)): rule 12
  true(heap(a,2)): rule 9
  smaller(0,2): rule 3
    succ(0,1): rule 4
    smaller(1,2): rule 2
      succ(1,2): rule 5
";
    assert_eq!(text(&p, &[], "legal(white,reduce(a,0))"), expected);
}

#[test]
fn proofs_are_well_founded_in_any_recursion() {
    let p = program(
        "path(X,Y) :- path(X,Z) & path(Z,Y)
         path(X,Y) :- edge(X,Y)
         path(X,Y) :- path(X,Y)
         p(X) :- q(X) q(X) :- (p(X) | r(X)) r(a) :- p(a) r(a) :- s s
         edge(a,b) edge(b,c) edge(c,a)",
    );
    for query in ["path(X,Y)", "p(a)", "q(X)", "path(a,a)"] {
        let explanation = explain(&p, &[], query);
        assert!(explanation.holds());
        // Every premise must be above its conclusion in some order: look for a cycle.
        let mut state = vec![0; explanation.nodes.len()];
        for &root in &explanation.roots {
            visit(&explanation, root, &mut state);
        }
    }
}

fn visit(explanation: &Explanation, node: usize, state: &mut [u8]) {
    assert_ne!(state[node], 1, "a proof uses its own conclusion");
    if state[node] == 2 {
        return;
    }
    state[node] = 1;
    if let Node::Holds { premises, .. } = &explanation.nodes[node] {
        for premise in premises {
            if let Premise::Holds(below) = premise {
                visit(explanation, *below, state);
            }
        }
    }
    state[node] = 2;
}

#[test]
fn negative_literals_carry_their_reason() {
    let p = program(TRAPPED);
    let expected = "\
goal(blue,100): rule 6
  role(blue): rule 2
  no trapped(blue)
    rule 5 fails at ~true(free(blue))
      true(free(blue)): rule 4
";
    assert_eq!(text(&p, &[], "goal(blue,100)"), expected);
    let expected = "\
no goal(red,100)
  rule 6 fails at ~trapped(red)
    trapped(red): rule 5
      role(red): rule 1
      no true(free(red))
";
    assert_eq!(text(&p, &[], "goal(red,100)"), expected);
}

#[test]
fn why_not_shows_how_far_each_rule_gets() {
    let p = program(
        "succ(1,2) succ(2,3)
         legal(P,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(P)) & ~terminal & distinct(X,Y)
         legal(P,noop) :- true(control(Q)) & distinct(P,Q)
         terminal :- (line(x) | line(o))
         line(Z) :- true(cell(1,1,Z)) & true(cell(2,2,Z))",
    );
    let state = ["true(cell(1,1,x))", "true(cell(2,2,b))", "true(cell(1,2,b))", "true(control(white))"]
        .map(|t| ground(&p, t));
    let expected = "\
no legal(white,mark(2,2))
  rule 3 fails at distinct(2,2)
  rule 4 does not apply
";
    assert_eq!(text(&p, &state, "legal(white,mark(2,2))"), expected);
    let expected = "\
no legal(black,mark(1,2))
  rule 3 fails at true(control(black))
  rule 4 does not apply
";
    assert_eq!(text(&p, &state, "legal(black,mark(1,2))"), expected);
    let expected = "\
no terminal
  rule 5 fails at (line(x) | line(o))
    no (line(x) | line(o))
      rule 5 fails at line(x)
        no line(x)
          rule 6 fails at true(cell(2,2,x))
      rule 5 fails at line(o)
        no line(o)
          rule 6 fails at true(cell(1,1,o))
";
    assert_eq!(text(&p, &state, "terminal"), expected);
    let expected = "\
legal(white,mark(1,2)): rule 3
  true(cell(1,2,b)): given
  true(control(white)): given
  no terminal
    rule 5 fails at (line(x) | line(o))
      no (line(x) | line(o))
        rule 5 fails at line(x)
          no line(x)
            rule 6 fails at true(cell(2,2,x))
        rule 5 fails at line(o)
          no line(o)
            rule 6 fails at true(cell(1,1,o))
  1 differs from 2
";
    assert_eq!(text(&p, &state, "legal(white,mark(1,2))"), expected);
}

#[test]
fn queries_with_variables_are_explained_answer_by_answer() {
    let p = program(TIC_TAC_TOE);
    assert_eq!(explain(&p, &[], "legal(white,L)").roots.len(), 3);
    let none = explain(&p, &[], "true(cell(X,X,z))");
    assert!(!none.holds() && none.roots.len() == 1);
}

#[test]
fn a_proof_of_thousands_of_steps() {
    let mut clauses = String::from("smaller(X,Y) :- succ(X,Y) smaller(X,Y) :- succ(X,Z) & smaller(Z,Y) ");
    (0..5000).for_each(|n| clauses.push_str(&format!("succ({n},{}) ", n + 1)));
    let p = program(&clauses);
    let explanation = explain(&p, &[], "smaller(0,5000)");
    assert_eq!(explanation.nodes.len(), 10_000);
    assert_eq!(explanation.text(&Style::new(&p)).lines().count(), 10_000);
}

#[test]
fn queries_of_several_literals_say_where_they_fail() {
    let p = program("p(a) p(b) q(X) :- p(X) & r(X) r(c) s :- p(a)");
    let expected = "\
no (p(V1) & q(V1))
  fails at q(a)
    no q(a)
      rule 3 fails at r(a)
";
    assert_eq!(text(&p, &[], "p(X) & q(X)"), expected);
    let expected = "\
no (p(a) & ~s)
  fails at ~s
    s: rule 5
      p(a): rule 1
";
    assert_eq!(text(&p, &[], "p(a) & ~s"), expected);
}

#[test]
fn every_alternative_of_a_query_that_fails_is_told() {
    let p = program("p(a) q(X) :- p(X) & r(X) r(c) s :- q(b)");
    let told = text(&p, &[], "q(a) | s");
    assert!(told.contains("fails at q(a)") && told.contains("fails at s"), "{told}");
    assert!(told.contains("rule 2 fails at r(a)"), "{told}");
}
