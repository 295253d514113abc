use super::{LIGHTS, NIM, TRAPPED};
use crate::budget::{Budget, LimitError};
use crate::clause_text::{ground, program, query};
use crate::derive::{Answers, Derivations, DeriveError};
use crate::program::Program;

fn answers(program: &Program, text: &str) -> Result<Answers, DeriveError> {
    let mut meter = Budget::unlimited().with_work(2_000_000).meter();
    Derivations::new(program, &[])?.answers(&query(program, text), &mut meter)
}

/// The answers as text, values separated by spaces.
fn rows(program: &Program, text: &str) -> Vec<String> {
    let found = answers(program, text).unwrap();
    let row =
        |row: &[crate::TermId]| row.iter().map(|&t| program.terms.infix(t)).collect::<Vec<_>>().join(" ");
    found.rows.iter().map(|r| row(r)).collect()
}

fn yes(program: &Program, text: &str) -> bool {
    answers(program, text).unwrap().is_yes()
}

const NIM_MOVES: [&str; 7] =
    ["reduce(a,0)", "reduce(a,1)", "reduce(c,0)", "reduce(c,1)", "reduce(c,2)", "reduce(c,3)", "reduce(c,4)"];

#[test]
fn nim_has_seven_legal_moves_however_smaller_recurses() {
    assert_eq!(rows(&program(NIM), "legal(white,L)"), NIM_MOVES);
    assert_eq!(rows(&program(NIM), "legal(black,L)"), [""; 0]);
    let with_16 = format!("{NIM} smaller(X,Y) :- smaller(X,Y)");
    assert_eq!(rows(&program(&with_16), "legal(white,L)"), NIM_MOVES);
    // Clause 5* of the book with the subgoal it must mean: succ(X,Z).
    let left = NIM.replace("succ(X,Z) & smaller(Z,Y)", "smaller(Z,Y) & succ(X,Z)");
    assert_eq!(rows(&program(&left), "legal(white,L)"), NIM_MOVES);
    // As printed, succ(X,Y) adds nothing to the clause before it.
    let printed = NIM.replace("succ(X,Z) & smaller(Z,Y)", "smaller(Z,Y) & succ(X,Y)");
    assert_eq!(rows(&program(&printed), "legal(white,L)"), ["reduce(a,1)", "reduce(c,4)"]);
}

#[test]
fn mutual_and_cyclic_recursion_ends() {
    let p = program(
        "edge(a,b) edge(b,c) edge(c,a) edge(c,d)
         even(X,Y) :- odd(X,Z) & edge(Z,Y)
         odd(X,Y) :- edge(X,Y)
         odd(X,Y) :- even(X,Z) & edge(Z,Y)
         path(X,Y) :- path(X,Z) & path(Z,Y)
         path(X,Y) :- edge(X,Y)",
    );
    assert_eq!(rows(&p, "path(a,X)"), ["a", "b", "c", "d"]);
    assert_eq!(rows(&p, "even(a,X)"), ["a", "b", "c", "d"]);
    assert_eq!(rows(&p, "path(X,X)"), ["a", "b", "c"]);
    assert!(!yes(&p, "path(d,X)"));
}

#[test]
fn negation_is_postponed_and_nested() {
    assert_eq!(rows(&program(LIGHTS), "next(p(Z))"), ["1", "3"]);
    let p = program(TRAPPED);
    assert!(yes(&p, "goal(blue,100)"));
    assert!(!yes(&p, "goal(red,100)") && !yes(&p, "goal(green,100)"));
    assert_eq!(rows(&p, "goal(W,100)"), ["blue"]);
    assert_eq!(rows(&p, "~trapped(R) & role(R)"), ["blue"]);
}

#[test]
fn negation_waits_for_recursive_tables() {
    // unreachable needs all of reach, which is found while other subgoals wait for it.
    let p = program(
        "edge(a,b) edge(b,c) edge(c,a) edge(d,e) node(a) node(b) node(c) node(d) node(e)
         reach(X,Y) :- edge(X,Y)
         reach(X,Y) :- edge(X,Z) & reach(Z,Y)
         apart(X,Y) :- node(X) & node(Y) & ~reach(X,Y)
         lone(X) :- node(X) & ~met(X)
         met(X) :- node(X) & node(Y) & ~apart(X,Y)
         both(X) :- reach(a,X) & ~apart(a,X) & reach(X,a)",
    );
    assert_eq!(rows(&p, "apart(a,X)"), ["d", "e"]);
    assert_eq!(rows(&p, "lone(X)"), ["e"]);
    assert_eq!(rows(&p, "both(X)"), ["a", "b", "c"]);
}

#[test]
fn nested_formulas() {
    let p = program(
        "p(1) p(2) p(3) q(2) r(3)
         either(X) :- p(X) & (q(X) | r(X))
         none(X) :- p(X) & ~(q(X) | r(X))
         notboth(X,Y) :- ~(q(X) & r(Y)) & p(X) & p(Y)
         twice(X) :- ~~q(X) & p(X)
         same(X,Y) :- p(X) & p(Y) & ~distinct(X,Y)
         deep(X) :- p(X) & (q(X) & ~r(X) | r(X) & (q(X) | distinct(X,2)))
         free(X) :- (q(X) | p(X)) & distinct(X,1)
         late(X) :- (r(X) | distinct(X,1)) & p(X)",
    );
    assert_eq!(rows(&p, "either(X)"), ["2", "3"]);
    assert_eq!(rows(&p, "none(X)"), ["1"]);
    assert_eq!(rows(&p, "notboth(X,Y)").len(), 8);
    assert_eq!(rows(&p, "twice(X)"), ["2"]);
    assert_eq!(rows(&p, "same(X,2)"), ["2"]);
    assert_eq!(rows(&p, "deep(X)"), ["2", "3"]);
    assert_eq!(rows(&p, "free(X)"), ["2", "3"]);
    assert_eq!(rows(&p, "late(X)"), ["2", "3"]);
    assert_eq!(rows(&p, "p(X) & (q(X) | ~r(X))"), ["1", "2"]);
}

#[test]
fn unsafe_queries_and_recursion_through_negation_are_errors() {
    let p = program(
        "q(1) q(2) p(X) :- ~q(X) equal(Z,Z)
         win(X) :- move(X,Y) & ~win(Y)
         move(a,b) move(b,c) move(c,d) move(e,e)
         two(X) :- (q(X) | q(Y)) & distinct(X,1)",
    );
    assert!(
        matches!(answers(&p, "p(X)"), Err(DeriveError::Floundering { clause: Some(_), literal }) if literal == "~q(X)")
    );
    assert!(!yes(&p, "p(1)"));
    assert!(yes(&p, "p(3)"));
    assert!(matches!(answers(&p, "distinct(X,1)"), Err(DeriveError::Floundering { clause: None, .. })));
    assert!(matches!(answers(&p, "two(X)"), Err(DeriveError::Floundering { .. })));
    // The specification's unsafe equal(Z,Z) can still be asked with one side known.
    assert_eq!(rows(&p, "equal(X,f(1))"), ["f(1)"]);
    assert!(matches!(answers(&p, "equal(X,Y)"), Err(DeriveError::NotGround { .. })));
    // Stratified where it is asked, though not as a program: positions that end.
    assert_eq!([yes(&p, "win(a)"), yes(&p, "win(b)"), yes(&p, "win(c)")], [true, false, true]);
    assert!(matches!(answers(&p, "win(e)"), Err(DeriveError::Unstratified { relation: Some(_) })));
}

#[test]
fn the_parents_examples() {
    let book = program(
        "parent(art,bob) parent(art,bud) parent(bob,cal) parent(bob,coe) parent(cal,dan)
         grandparent(X,Z) :- parent(X,Y) & parent(Y,Z)
         ancestor(X,Y) :- parent(X,Y)
         ancestor(X,Z) :- ancestor(X,Y) & ancestor(Y,Z)",
    );
    let count = |text: &str| rows(&book, text).len();
    assert_eq!(count("parent(X,Y)") + count("grandparent(X,Y)") + count("ancestor(X,Y)"), 17);
    assert_eq!(rows(&book, "grandparent(X,Y)"), ["art cal", "art coe", "bob dan"]);
    // Appendix A.2, with person(..) and coe as parent of dan where it prints parent(..) and cal.
    let appendix = program(
        "parent(art,bob) parent(art,bud) parent(bob,cal) parent(bob,coe) parent(coe,dan)
         person(X) :- parent(X,Y)
         person(Y) :- parent(X,Y)
         ancestor(X,Y) :- parent(X,Y)
         ancestor(X,Z) :- parent(X,Y) & person(Z) & ancestor(Y,Z)
         isparent(X) :- parent(X,Y)
         childless(X) :- person(X) & ~isparent(X)",
    );
    assert_eq!(rows(&appendix, "person(X)"), ["art", "bob", "bud", "cal", "coe", "dan"]);
    let ancestors =
        ["art bob", "art bud", "art cal", "art coe", "art dan", "bob cal", "bob coe", "bob dan", "coe dan"];
    assert_eq!(rows(&appendix, "ancestor(X,Y)"), ancestors);
    assert_eq!(rows(&appendix, "childless(X)"), ["bud", "cal", "dan"]);
}

pub(super) const COINS: &str = "
    succ(1,2) succ(2,3) succ(3,4) succ(4,5) succ(5,6) succ(6,7) succ(7,8)
    is_row(1)
    is_row(Y) :- succ(X,Y)
    init(step(1))
    init(row(X,one_coin)) :- is_row(X)
    babbage(X,Y) :- succ(X,Y)
    babbage(X,Y) :- succ(X,Z) & true(row(Z,empty)) & babbage(Z,Y)
    lovelace(X,Y) :- succ(X,Z) & true(row(Z,empty)) & lovelace(Z,Y)
    lovelace(X,Y) :- succ(X,Z) & true(row(Z,one_coin)) & babbage(Z,Y)
    turing(X,Y) :- succ(X,Z) & true(row(Z,empty)) & turing(Z,Y)
    turing(X,Y) :- succ(X,Z) & true(row(Z,one_coin)) & lovelace(Z,Y)
    turing(X,Y) :- succ(X,Z) & true(row(Z,two_coins)) & babbage(Z,Y)
    legal(you,jump(X,Y)) :- true(row(X,one_coin)) & true(row(Y,one_coin)) & turing(X,Y)
    legal(you,jump(X,Y)) :- true(row(X,one_coin)) & true(row(Y,one_coin)) & turing(Y,X)";

#[test]
fn exercise_13_1() {
    let p = program(COINS);
    let expected: Vec<String> =
        (1..=8).map(|n| format!("row({n},one_coin)")).chain(["step(1)".into()]).collect();
    assert_eq!(rows(&p, "init(F)"), expected);
    let state: Vec<_> = [
        "true(row(1,one_coin))",
        "true(row(2,one_coin))",
        "true(row(3,empty))",
        "true(row(4,empty))",
        "true(row(5,one_coin))",
        "true(row(6,one_coin))",
        "true(row(7,two_coins))",
        "true(row(8,one_coin))",
    ]
    .map(|t| ground(&p, t))
    .into();
    let mut derivations = Derivations::new(&p, &state).unwrap();
    let mut meter = Budget::unlimited().meter();
    let queries = [
        ("babbage(2,5)", true),
        ("babbage(2,6)", false),
        ("lovelace(1,5)", true),
        ("lovelace(1,6)", false),
        ("turing(1,6)", true),
        ("turing(1,7)", false),
        ("turing(6,8)", true),
    ];
    for (text, expected) in queries {
        assert_eq!(derivations.holds(&ground(&p, text), &mut meter), Ok(expected), "{text}");
    }
    let initial: Vec<_> = (1..=8).map(|n| ground(&p, &format!("true(row({n},one_coin))"))).collect();
    let mut derivations = Derivations::new(&p, &initial).unwrap();
    let moves = derivations.answers(&query(&p, "legal(you,M)"), &mut meter).unwrap();
    assert_eq!(moves.rows.len(), 10);
}

#[test]
fn limits_end_endless_derivations() {
    let p = program("nat(0) nat(s(X)) :- nat(X) down(X) :- down(s(X))");
    for text in ["nat(X)", "down(0)"] {
        let mut derivations = Derivations::new(&p, &[]).unwrap();
        let mut meter = Budget::unlimited().with_memory(1 << 20).meter();
        let error = derivations.answers(&query(&p, text), &mut meter).unwrap_err();
        assert!(matches!(error, DeriveError::Limit(LimitError::Memory { .. })), "{error}");
        let mut meter = Budget::unlimited().with_work(1000).meter();
        let error = derivations.answers(&query(&p, text), &mut meter).unwrap_err();
        assert_eq!(error, DeriveError::Limit(LimitError::Work { limit: 1000 }));
        // Nothing half done is left behind.
        let mut meter = Budget::unlimited().meter();
        assert!(derivations.answers(&query(&p, "nat(s(s(0)))"), &mut meter).unwrap().is_yes());
    }
}

#[test]
fn long_chains_and_deep_terms_need_no_stack() {
    let mut text = String::from("smaller(X,Y) :- succ(X,Y) smaller(X,Y) :- succ(X,Z) & smaller(Z,Y) ");
    for n in 0..3000 {
        text.push_str(&format!("succ({n},{}) ", n + 1));
    }
    let p = program(&text);
    assert!(yes(&p, "smaller(0,3000)"));
    assert!(!yes(&p, "smaller(3000,0)"));
    let p = program("even(0) even(s(s(X))) :- even(X)");
    let s = p.terms.symbol("s");
    let deep = (0..20_000).fold(p.terms.constant("0"), |t, _| p.terms.compound(s, &[t]));
    let even = p.find_relation("even", 1).unwrap();
    let mut derivations = Derivations::new(&p, &[]).unwrap();
    let mut meter = Budget::unlimited().meter();
    for (term, expected) in [(deep, true), (p.terms.compound(s, &[deep]), false)] {
        let atom = crate::GroundAtom { relation: even, args: [term].into() };
        assert_eq!(derivations.holds(&atom, &mut meter), Ok(expected));
    }
}

#[test]
fn nesting_has_a_limit_and_below_it_the_stack_suffices() {
    let nested = |depth: usize| {
        let mut text = String::from("p(1)");
        // Two steps add five levels.
        for i in 0..depth * 2 / 5 {
            text = if i % 2 == 0 { format!("(p(2) | p(1) & {text})") } else { format!("~(p(3) | ~{text})") };
        }
        text
    };
    let p = program(&format!("p(1) yes :- p(1) & {}", nested(580)));
    let mut meter = Budget::unlimited().meter();
    let mut derivations = Derivations::new(&p, &[]).unwrap();
    let query = query(&p, "yes");
    assert!(derivations.answers(&query, &mut meter).unwrap().is_yes());
    assert!(derivations.explain(&query, &Default::default(), &mut meter).unwrap().holds());
    assert!(!derivations.tree(&query, &Default::default(), &mut meter).unwrap().nodes.is_empty());
    let p = program(&format!("p(1) yes :- p(1) & {}", nested(1400)));
    let mut derivations = Derivations::new(&p, &[]).unwrap();
    let error = derivations.answers(&query, &mut meter).unwrap_err();
    assert!(matches!(error, DeriveError::TooDeep { clause: Some(_) }), "{error}");
}
