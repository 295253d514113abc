//! What the book says of its examples, and what holds of every grounding.

use super::*;
use crate::clause_text::{KING, ground as atom, program};
use crate::ids::{TermId, VariableId};
use crate::program::{Atom, Clause, Formula, GroundAtom, Pattern};
use crate::terms::{TermView, Terms};

/// What is said with the rules of 14.3: squares, and a king to be moved over them.
const CHESS: &str = "
    init(go) init(cell(e,1,wk))
    next(near(X,Y)) :- true(go) & adjacent(X,Y)
    next(king(U,V,X,Y)) :- true(go) & kingmove(U,V,X,Y)
    legal(white,move(wk,U,V,X,Y)) :- true(cell(U,V,wk)) & kingmove(U,V,X,Y) & ~true(threatened(X,Y))
    next(threatened(X,Y)) :- does(white,move(wk,X,Y,X,Y))
    next(cell(X,Y,wk)) :- does(white,move(wk,U,V,X,Y))
    next(go) :- ~true(go)";

fn chess() -> String {
    [KING, CHESS].concat()
}

const TIC_TAC_TOE: &str = "
    role(white) role(black) index(1) index(2) index(3)
    init(cell(M,N,b)) :- index(M) & index(N)
    init(control(white))
    legal(W,mark(X,Y)) :- true(cell(X,Y,b)) & true(control(W))
    legal(white,noop) :- true(control(black))
    legal(black,noop) :- true(control(white))
    next(cell(M,N,x)) :- does(white,mark(M,N)) & true(cell(M,N,b))
    next(cell(M,N,o)) :- does(black,mark(M,N)) & true(cell(M,N,b))
    next(cell(M,N,W)) :- true(cell(M,N,W)) & distinct(W,b)
    next(cell(M,N,b)) :- does(W,mark(J,K)) & true(cell(M,N,b)) & distinct(M,J)
    next(cell(M,N,b)) :- does(W,mark(J,K)) & true(cell(M,N,b)) & distinct(N,K)
    next(control(white)) :- true(control(black))
    next(control(black)) :- true(control(white))
    row(M,Z) :- true(cell(M,1,Z)) & true(cell(M,2,Z)) & true(cell(M,3,Z))
    column(N,Z) :- true(cell(1,N,Z)) & true(cell(2,N,Z)) & true(cell(3,N,Z))
    line(Z) :- row(M,Z)
    line(Z) :- column(N,Z)
    next(won(Z)) :- line(Z) & ~line(b)
    next(open) :- ~line(x) & ~line(o)";

fn grounding(text: &str, options: &GroundOptions) -> (Program, Grounding) {
    let program = program(text);
    let grounding = ground(&program, options).unwrap();
    (program, grounding)
}

/// How many atoms of `relation` have `functor` as their last argument's functor.
fn count(program: &Program, grounding: &Grounding, relation: &str, arity: usize, functor: &str) -> usize {
    let relation = program.find_relation(relation, arity).unwrap();
    let is_it = |id: &crate::AtomId| {
        let last = grounding.atom(*id).and_then(|a| a.args.last().copied()).unwrap();
        program.terms.infix(last).split('(').next() == Some(functor)
    };
    grounding.atoms_of(relation).iter().filter(|id| is_it(id)).count()
}

#[test]
fn chess_has_as_many_instances_as_the_rules_allow() {
    for options in [GroundOptions::faithful(), GroundOptions::optimised()] {
        let (program, grounding) = grounding(&chess(), &options);
        let count = |relation, arity, functor| count(&program, &grounding, relation, arity, functor);
        assert_eq!(count("next", 1, "near"), 28);
        assert_eq!(count("next", 1, "king"), 1680, "as printed, the rules mix files and ranks");
        assert_eq!(count("legal", 2, "move"), 420, "on the board; the book says 444");
        assert_eq!(count("next", 1, "cell"), 64);
        assert_eq!(count("next", 1, "threatened"), 0, "no king moves to where it is");
    }
}

#[test]
fn tic_tac_toe_has_the_atoms_of_the_book() {
    let (program, grounding) = grounding(TIC_TAC_TOE, &GroundOptions::faithful());
    let size = |name, arity| grounding.atoms_of(program.find_relation(name, arity).unwrap()).len();
    assert_eq!((size("row", 2), size("column", 2), size("line", 1)), (9, 9, 3));
    assert_eq!(count(&program, &grounding, "true", 1, "cell"), 27);
    assert_eq!((size("does", 2), size("legal", 2)), (20, 20));
    let row = |text| grounding.rules_of(grounding.find(&atom(&program, text)).unwrap()).len();
    assert_eq!(row("row(2,x)"), 1);
    assert_eq!(row("line(o)"), 6);
    // Its mark, nobody's mark elsewhere in two ways each for two roles: 6 other rows, 6 other columns.
    assert_eq!(row("next(cell(1,1,b))"), 2 * (6 + 6));
    assert_eq!(row("next(cell(1,1,x))"), 2);
}

/// Extends a substitution so that the pattern becomes the term, if that can be.
fn unify(terms: &Terms, pattern: &Pattern, term: TermId, bound: &mut Vec<(VariableId, TermId)>) -> bool {
    match pattern {
        Pattern::Ground(ground) => *ground == term,
        Pattern::Variable(v) => match bound.iter().find(|(known, _)| known == v) {
            Some(&(_, value)) => value == term,
            None => {
                bound.push((*v, term));
                true
            }
        },
        Pattern::Compound(functor, args) => match terms.view(term) {
            TermView::Compound(found, values) if found == *functor && values.len() == args.len() => {
                args.iter().zip(values).all(|(a, &value)| unify(terms, a, value, bound))
            }
            _ => false,
        },
    }
}

fn unify_atoms(terms: &Terms, a: &Atom, ground: &GroundAtom, bound: &mut Vec<(VariableId, TermId)>) -> bool {
    a.relation == ground.relation && a.args.iter().zip(&ground.args).all(|(p, &t)| unify(terms, p, t, bound))
}

/// Whether one substitution makes each of the ground literals a literal of the clause.
fn is_instance(
    terms: &Terms,
    clause: &Clause,
    rest: &[(&GroundAtom, bool)],
    bound: &[(VariableId, TermId)],
) -> bool {
    let Some((&(ground, negated), rest)) = rest.split_first() else { return true };
    clause.body.conjuncts().iter().any(|literal| {
        let (atom, is_negated) = match literal {
            Formula::Atom(atom) => (atom, false),
            Formula::Not(inner) => match &**inner {
                Formula::Atom(atom) => (atom, true),
                _ => return false,
            },
            _ => return false,
        };
        let mut bound = bound.to_vec();
        is_negated == negated
            && unify_atoms(terms, atom, ground, &mut bound)
            && is_instance(terms, clause, rest, &bound)
    })
}

#[test]
fn faithful_rules_are_instances_of_their_clauses() {
    for text in [&*chess(), TIC_TAC_TOE] {
        let (program, grounding) = grounding(text, &GroundOptions::faithful());
        let mut seen = 0;
        for rule in grounding.rules() {
            let Some(origin) = rule.origin else {
                assert!(rule.body.is_empty(), "{rule:?}");
                continue;
            };
            let clause = &program.clauses[origin];
            let head = grounding.atom(rule.head).expect("no rule is split");
            let body: Vec<_> =
                rule.body.iter().map(|l| (grounding.atom(l.atom()).unwrap(), l.is_negated())).collect();
            let mut bound = Vec::new();
            assert!(unify_atoms(&program.terms, &clause.head, head, &mut bound), "{rule:?}");
            assert!(is_instance(&program.terms, clause, &body, &bound), "{rule:?}");
            seen += 1;
        }
        assert!(seen > 200, "{seen} rules");
    }
}

#[test]
fn what_never_changes_is_evaluated_away() {
    let text = "cell(1) cell(2) cell(3) cell(4) succ(1,2) succ(2,3) succ(3,4)
        init(wall(2)) init(wall(4)) next(wall(X)) :- true(wall(X))
        init(at(1)) legal(r,go) legal(r,stay)
        next(at(Y)) :- true(at(X)) & succ(X,Y) & ~true(wall(Y)) & does(r,go)
        next(at(X)) :- true(at(X)) & does(r,stay)
        next(free(X)) :- cell(X) & ~true(wall(X)) & true(at(1))";
    let (program, grounding) = grounding(text, &GroundOptions::optimised());
    let has = |text: &str| grounding.find(&atom(&program, text)).is_some();
    assert!(has("next(free(1))") && has("next(free(3))") && !has("next(free(2))"));
    assert!(!has("next(at(2))"), "there is a wall from the beginning");
    let wall = program.terms.symbol("wall");
    let is_wall = |id| {
        let args = grounding.atom(id).map_or(&[][..], |a| &a.args);
        args.iter().any(|&t| matches!(program.terms.view(t), TermView::Compound(f, _) if f == wall))
    };
    assert!(grounding.rules().all(|r| r.body.iter().all(|l| !is_wall(l.atom()))), "no rule asks for walls");
}

#[test]
fn an_alternative_may_hold_for_values_that_the_rule_cannot_have() {
    // `other(c)` is in an alternative, and `c` is nothing that `X` can be.
    let text = "pool(a) pool(b) other(b) other(c) init(on) next(on) :- ~true(on) init(kept(c))
        next(kept(X)) :- true(on) & other(X)
        next(p(X)) :- pool(X) & true(on) & ~(true(never) | other(X))
        next(q(X)) :- pool(X) & true(on) & (true(never) | ~other(X))
        next(s(X)) :- pool(X) & ~(true(kept(X)) | ~true(on))";
    for bits in 0..8 {
        let mut options = GroundOptions::faithful();
        (options.split, options.demand, options.simplify) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
        let (program, grounding) = grounding(text, &options);
        let has = |text: &str| grounding.find(&atom(&program, text)).is_some();
        // An atom that never holds is only found out by simplifying.
        let is_simple = options.simplify;
        assert!(has("next(p(a))") && !(is_simple && has("next(p(b))")) && !has("next(p(c))"));
        assert!(has("next(s(a))") && has("next(s(b))") && !has("next(s(c))"));
    }
}

#[test]
fn an_alternative_that_binds_nothing_keeps_to_the_values_of_the_rule() {
    // `wide(c)` binds no `X`, and what binds it then may have the `a` that `p` cannot have.
    for test in ["~(wide(c) | wide(X))", "(wide(a) | wide(X))"] {
        let text = format!(
            "wide(a) wide(b) p(b) p(X) :- wide(X) & p(X) & {test} q(X) :- p(X)
            init(on) next(on) :- ~true(on) next(r(X)) :- true(on) & q(X)"
        );
        for bits in 0..8 {
            let mut options = GroundOptions::faithful();
            (options.split, options.demand, options.simplify) = (bits & 1 != 0, bits & 2 != 0, bits & 4 != 0);
            let (program, grounding) = grounding(&text, &options);
            let has = |text: &str| grounding.find(&atom(&program, text)).is_some();
            assert!(has("next(r(b))") && !has("next(r(a))"), "{text}");
        }
    }
}

#[test]
fn what_grows_for_ever_is_named() {
    let text = "init(number(zero)) next(number(s(X))) :- true(number(X))";
    for budget in [
        Budget::unlimited().with_work(2_000_000),
        Budget::unlimited().with_work(1 << 40).with_memory(16 << 20),
    ] {
        for options in [GroundOptions::faithful(), GroundOptions::optimised()] {
            let program = program(text);
            let error = ground(&program, &options.with_budget(budget.clone())).unwrap_err();
            let GroundError::Limit { relation, rows, .. } = &error else { panic!("{error}") };
            assert!(["true", "next"].contains(&relation.as_str()), "{error}");
            assert!(*rows > 1000, "{error}");
        }
    }
}

#[test]
fn who_grounds_on_another_thread_takes_no_room_from_who_plays() {
    let program = program("init(n(z)) next(n(s(X))) :- true(n(X))");
    let terms = &program.terms;
    let (held, f) = (terms.len(), terms.symbol("f"));
    let budget = Budget::unlimited().with_work(100_000);
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for options in [GroundOptions::faithful(), GroundOptions::optimised()] {
                    assert!(ground(&program, &options.with_budget(budget.clone())).is_err());
                }
                derivable(&program, &budget).unwrap_err();
            });
        }
        let mut term = terms.constant("z");
        for _ in 0..20_000 {
            // Grounding may make 64 MiB; this is far from what this thread may.
            term = terms.try_compound(f, &[term], 1 << 30).unwrap();
        }
    });
    assert_eq!(terms.len(), held + 20_000, "what grounding made and nobody wants is gone");
}

#[test]
fn atoms_that_nobody_could_write_are_not_grounded() {
    let mut text = String::from("p0(a) next(s(X)) :- p40(X) & true(on) init(on) ");
    (0..40).for_each(|n| text.push_str(&format!("p{}(f(X,X)) :- p{n}(X) ", n + 1)));
    for options in [GroundOptions::faithful(), GroundOptions::optimised()] {
        let error = ground(&program(&text), &options).unwrap_err();
        let GroundError::Evaluator(EvaluatorError::Limit(LimitError::Text { bytes, .. })) = error else {
            panic!("{error}")
        };
        assert!(bytes > 1 << 40);
    }
}

#[test]
fn a_product_of_a_million_millions_is_named() {
    let mut text = String::from("init(on) next(on) :- ~true(on) next(few(A)) :- true(on) & d(A)\n");
    (0..1000).for_each(|n| text.push_str(&format!("d(n{n}) ")));
    text.push_str("next(f(A,B,C,D)) :- true(on) & d(A) & d(B) & d(C) & d(D)");
    let budget = Budget::unlimited().with_work(10_000_000).with_memory(64 << 20);
    for options in [GroundOptions::faithful(), GroundOptions::optimised()] {
        let error = ground(&program(&text), &options.with_budget(budget.clone())).unwrap_err();
        let GroundError::Limit { relation, rows, .. } = &error else { panic!("{error}") };
        assert!(["true", "next"].contains(&relation.as_str()), "{error}");
        assert!(*rows > 10_000, "{error}");
    }
}
