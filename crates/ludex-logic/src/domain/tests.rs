use super::{Arguments, DomainGraph, Edges, ReduceError, VertexId};
use crate::budget::Budget;
use crate::clause_text::{KING, program};
use crate::program::Program;

/// Book 2.5 with the missing `&` put in and `terminal` asking for a line of x or o.
const TIC_TAC_TOE: &str = "
    role(white) role(black)
    base(cell(M,N,x)) :- index(M) & index(N)
    base(cell(M,N,o)) :- index(M) & index(N)
    base(cell(M,N,b)) :- index(M) & index(N)
    base(control(white)) base(control(black))
    input(R,mark(M,N)) :- role(R) & index(M) & index(N)
    input(R,noop) :- role(R)
    index(1) index(2) index(3)
    init(cell(1,1,b)) init(cell(1,2,b)) init(cell(1,3,b))
    init(cell(2,1,b)) init(cell(2,2,b)) init(cell(2,3,b))
    init(cell(3,1,b)) init(cell(3,2,b)) init(cell(3,3,b))
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
    goal(white,100) :- line(x) & ~line(o)
    goal(white,50) :- ~line(x) & ~line(o)
    goal(white,0) :- ~line(x) & line(o)
    goal(black,100) :- ~line(x) & line(o)
    goal(black,50) :- ~line(x) & ~line(o)
    goal(black,0) :- line(x) & ~line(o)
    line(Z) :- row(M,Z)
    line(Z) :- column(N,Z)
    line(Z) :- diagonal(Z)
    row(M,Z) :- true(cell(M,1,Z)) & true(cell(M,2,Z)) & true(cell(M,3,Z))
    column(N,Z) :- true(cell(1,N,Z)) & true(cell(2,N,Z)) & true(cell(3,N,Z))
    diagonal(Z) :- true(cell(1,1,Z)) & true(cell(2,2,Z)) & true(cell(3,3,Z))
    diagonal(Z) :- true(cell(1,3,Z)) & true(cell(2,2,Z)) & true(cell(3,1,Z))
    terminal :- line(x)
    terminal :- line(o)
    terminal :- ~open
    open :- true(cell(M,N,b))";

fn graph(program: &Program, edges: Edges, arguments: Arguments) -> DomainGraph {
    DomainGraph::new(program, edges, arguments, &mut Budget::unlimited().meter()).unwrap()
}

fn row(program: &Program, graph: &DomainGraph, name: &str, arity: usize) -> String {
    graph.row(program, program.find_relation(name, arity).unwrap())
}

fn edges(program: &Program, graph: &DomainGraph) -> Vec<String> {
    let name = |v: VertexId| graph.name(program, v);
    graph.edges().iter().map(|&(a, b)| format!("{} {}", name(a), name(b))).collect()
}

#[test]
fn the_edges_of_figure_14_1() {
    let p = program("base(cell(M,N,x)) :- index(M) & index(N)");
    let g = graph(&p, Edges::Definition, Arguments::Shared);
    let mut found = edges(&p, &g);
    found.sort();
    let rule = ["cell base[1]", "index[1] cell[1]", "index[1] cell[2]", "x cell[3]"];
    // And the three that are always there.
    let feeds = ["base[1] true[1]", "input[1] does[1]", "input[2] does[2]"];
    let mut expected = [&rule[..], &feeds[..]].concat();
    expected.sort_unstable();
    assert_eq!(found, expected);
    assert!(g.dot(&p).contains("label=\"cell[3]\",shape=box"));
}

#[test]
fn tables_14_1_and_14_2() {
    let p = program(TIC_TAC_TOE);
    let cell = "cell({1,2,3}×{1,2,3}×{b,o,x})";
    let (state, moves) = (
        format!("{{{cell},control({{black,white}})}}"),
        "{black,white}×{noop,mark({1,2,3}×{1,2,3})}".to_string(),
    );
    for edges in [Edges::Definition, Edges::Extended, Edges::Closed] {
        let g = graph(&p, edges, Arguments::Shared);
        let row = |name, arity| row(&p, &g, name, arity);
        // Table 14.1, constants in canonical order.
        assert_eq!(row("line", 1), "{b,o,x}");
        assert_eq!(row("row", 2), "{1,2,3}×{b,o,x}");
        assert_eq!(row("column", 2), "{1,2,3}×{b,o,x}");
        assert_eq!(row("diagonal", 1), "{b,o,x}");
        // Table 14.2.
        assert_eq!(row("role", 1), "{black,white}");
        assert_eq!(row("index", 1), "{1,2,3}");
        for name in ["base", "true", "next"] {
            assert_eq!(row(name, 1), state, "{name}");
        }
        for name in ["input", "does", "legal"] {
            assert_eq!(row(name, 2), moves, "{name}");
        }
        assert_eq!(row("goal", 2), "{black,white}×{0,50,100}");
        let function = |name, arity| g.function_row(&p, p.terms.symbol(name), arity).unwrap();
        assert_eq!(function("cell", 3), "{1,2,3}×{1,2,3}×{b,o,x}");
        assert_eq!(function("control", 1), "{black,white}");
        assert_eq!(function("mark", 2), "{1,2,3}×{1,2,3}");
        // The table's row for init needs separate arguments; the graph shares those of cell.
        assert_eq!(row("init", 1), state);
    }
}

#[test]
fn separate_arguments_tell_init_from_next() {
    let p = program(TIC_TAC_TOE);
    let g = graph(&p, Edges::Definition, Arguments::Separate);
    let row = |name, arity| row(&p, &g, name, arity);
    assert_eq!(row("init", 1), "{cell({1,2,3}×{1,2,3}×{b}),control({white})}");
    assert_eq!(row("next", 1), "{cell({1,2,3}×{1,2,3}×{b,o,x}),control({black,white})}");
    assert_eq!(row("does", 2), "{black,white}×{noop,mark({1,2,3}×{1,2,3})}");
    let truth = g.argument(p.find_relation("true", 1).unwrap(), 0).unwrap();
    assert_eq!(g.size(truth), Some(29));
}

/// Exercise 14.1 with the misprints of the moves corrected.
const BLOCKS: &str = "
    block(a) block(b) block(c)
    base(table(X)) :- block(X)
    base(clear(X)) :- block(X)
    base(on(X,Y)) :- block(X) & block(Y)
    succ(1,2) succ(2,3) succ(3,4)
    base(step(1))
    base(step(N)) :- succ(M,N)
    role(robot)
    input(robot,stack(X,Y)) :- block(X) & block(Y)
    input(robot,unstack(X,Y)) :- block(X) & block(Y)
    init(table(a)) init(table(b)) init(on(c,a)) init(clear(b)) init(clear(c)) init(step(1))
    legal(robot,stack(X,Y)) :- true(clear(X)) & true(clear(Y)) & distinct(X,Y)
    legal(robot,unstack(X,Y)) :- true(clear(X)) & true(on(X,Y))
    next(on(X,Y)) :- does(robot,stack(X,Y))
    next(on(X,Y)) :- does(robot,unstack(U,V)) & true(on(X,Y)) & distinct(U,X)
    next(table(X)) :- does(robot,unstack(X,Y))
    next(clear(Y)) :- does(robot,unstack(X,Y))
    next(clear(Y)) :- does(robot,stack(U,V)) & true(clear(Y)) & distinct(V,Y)
    next(step(N)) :- true(step(M)) & succ(M,N)";

#[test]
fn exercise_14_1() {
    let p = program(BLOCKS);
    let shared = graph(&p, Edges::Definition, Arguments::Shared);
    let base = "{clear({a,b,c}),on({a,b,c}×{a,b,c}),step({1,2,3,4}),table({a,b,c})}";
    assert_eq!(row(&p, &shared, "base", 1), base);
    let input = "{robot}×{stack({a,b,c}×{a,b,c}),unstack({a,b,c}×{a,b,c})}";
    assert_eq!(row(&p, &shared, "input", 2), input);
    // (d): by Def. 14.1 step[1] is shared, so that step(1) stays; separately it is the one missing.
    assert_eq!(row(&p, &shared, "next", 1), base);
    let separate = graph(&p, Edges::Definition, Arguments::Separate);
    assert_eq!(row(&p, &separate, "base", 1), base);
    assert_eq!(row(&p, &separate, "next", 1), base.replace("{1,2,3,4}", "{2,3,4}"));
}

/// Exercise 14.1(e): blocks are not stacked on themselves. Then one that is on itself only stays there
/// because it was there before, which forward instantiation does not believe.
#[test]
fn exercise_14_1_e_and_f() {
    let p = program(BLOCKS);
    let reduction = graph(&p, Edges::Definition, Arguments::Shared).reduce(&p, &Budget::unlimited()).unwrap();
    let relation = |name, arity| p.find_relation(name, arity).unwrap();
    let (legal, does, truth) = (relation("legal", 2), relation("does", 2), relation("true", 1));
    assert_eq!(graph(&p, Edges::Definition, Arguments::Shared).instance_count(&p, legal), Some(18));
    let texts = |given| -> Vec<String> {
        reduction.instances(given).iter().map(|row| p.terms.infix(row[row.len() - 1])).collect()
    };
    let left = texts(does);
    assert_eq!((reduction.count(legal), reduction.count(does), left.len()), (15, 15, 15));
    assert!(!left.iter().any(|text| ["stack(a,a)", "stack(b,b)", "stack(c,c)"].contains(&text.as_str())));
    assert!(left.contains(&"unstack(a,a)".to_owned()) && texts(truth).contains(&"on(a,a)".to_owned()));
    // In these tests base and input make things so; the rules alone say more.
    let rules = BLOCKS.lines().filter(|line| !["base", "input"].iter().any(|w| line.trim().starts_with(w)));
    let rules = program(&rules.collect::<Vec<_>>().join("\n"));
    let forward = crate::ground::derivable(&rules, &Budget::unlimited()).unwrap();
    let forward = |name, arity| forward[rules.find_relation(name, arity).unwrap()];
    assert_eq!((forward("legal", 2), forward("does", 2)), (12, 12));
    // Of 9 things on each other, 3 are gone.
    assert_eq!((reduction.count(truth), forward("true", 1)), (19, 16));
    // (f): 27 instances by the domains, 18 with V and Y distinct, 12 with what can be stacked; the book
    // says 6.
    let blocks = ["a", "b", "c"];
    let all = blocks.iter().flat_map(|u| blocks.iter().flat_map(move |v| blocks.map(|y| (*u, *v, y))));
    let distinct: Vec<_> = all.filter(|(_, v, y)| v != y).collect();
    let relevant = distinct.iter().filter(|(u, v, y)| {
        left.contains(&format!("stack({u},{v})")) && texts(truth).contains(&format!("clear({y})"))
    });
    assert_eq!((distinct.len(), relevant.count()), (18, 12));
}

/// Table 14.3, and what elimination leaves of it: 420 king moves would be right on the board (the book
/// says 444); as printed, the rules move between files and ranks, too, which makes it 1 680.
#[test]
fn table_14_3_and_its_elimination() {
    let p = program(KING);
    let g = graph(&p, Edges::Definition, Arguments::Shared);
    let all = "{1,2,3,4,5,6,7,8,a,b,c,d,e,f,g,h}";
    assert_eq!(row(&p, &g, "coordinate", 1), all);
    assert_eq!(row(&p, &g, "next_file", 2), "{a,b,c,d,e,f,g}×{b,c,d,e,f,g,h}");
    assert_eq!(row(&p, &g, "next_rank", 2), "{1,2,3,4,5,6,7}×{2,3,4,5,6,7,8}");
    assert_eq!(row(&p, &g, "adjacent", 2), [all; 2].join("×"));
    assert_eq!(row(&p, &g, "kingmove", 4), [all; 4].join("×"));
    let reduction = g.reduce(&p, &Budget::unlimited()).unwrap();
    let forward = crate::ground::derivable(&p, &Budget::unlimited()).unwrap();
    for (name, arity, allowed, left) in [
        ("next_file", 2, 49, 7),
        ("next_rank", 2, 49, 7),
        ("adjacent", 2, 256, 28),
        ("kingmove", 4, 65_536, 1680),
    ] {
        let relation = p.find_relation(name, arity).unwrap();
        assert_eq!(g.instance_count(&p, relation), Some(allowed), "{name}");
        assert_eq!((reduction.count(relation), forward[relation]), (left, left), "{name}");
    }
    let refused = g.reduce(&p, &Budget::unlimited().with_work(10));
    assert!(matches!(refused, Err(ReduceError::Evaluator(_))), "{refused:?}");
}

/// With all marks added, three blank cells in a row are a line, too (14.3); none of the nine rows and
/// columns goes.
#[test]
fn elimination_keeps_all_lines_of_tic_tac_toe() {
    let p = program(TIC_TAC_TOE);
    let g = graph(&p, Edges::Definition, Arguments::Shared);
    let reduction = g.reduce(&p, &Budget::unlimited()).unwrap();
    let count = |name, arity| reduction.count(p.find_relation(name, arity).unwrap());
    assert_eq!((count("row", 2), count("column", 2), count("line", 1)), (9, 9, 3));
    assert_eq!((count("true", 1), count("does", 2)), (29, 20));
    // Each player has a goal of 0, of 50 and of 100: without negation, lines are in nobody's way.
    assert_eq!(count("goal", 2), 6);
    assert_eq!(reduction.rounds(), 1);
    let unbounded = program("init(p(0)) next(p(s(X))) :- true(p(X)) base(p(0)) base(p(s(X))) :- base(p(X))");
    let g = graph(&unbounded, Edges::Definition, Arguments::Shared);
    assert!(matches!(g.reduce(&unbounded, &Budget::unlimited()), Err(ReduceError::TooMany { .. })));
}

#[test]
fn missing_base_and_input_are_made_up_for() {
    let text = "role(r) init(p(1)) succ(1,2) succ(2,3) legal(r,go(X)) :- true(p(X))
        next(p(Y)) :- true(p(X)) & does(r,go(X)) & succ(X,Y)";
    let p = program(text);
    let defined = graph(&p, Edges::Definition, Arguments::Shared);
    assert_eq!(row(&p, &defined, "true", 1), "{}");
    for arguments in [Arguments::Shared, Arguments::Separate] {
        let extended = graph(&p, Edges::Extended, arguments);
        assert_eq!(row(&p, &extended, "true", 1), "{p({1,2,3})}");
        assert_eq!(row(&p, &extended, "does", 2), "{r}×{go({1,2,3})}");
    }
    // A declaration counts even where the rules go beyond it; closed takes both.
    let p = program(&format!("{text} base(p(1))"));
    let separate = |edges| row(&p, &graph(&p, edges, Arguments::Separate), "true", 1);
    assert_eq!(separate(Edges::Extended), "{p({1})}");
    assert_eq!(separate(Edges::Closed), "{p({1,2,3})}");
}

#[test]
fn growing_terms_are_found() {
    let p = program(
        "nat(0) nat(s(X)) :- nat(X) list(nil) list(cons(X,L)) :- item(X) & list(L) item(a)
         flat(f(X)) :- item(X) twice(f(g(X))) :- item(X) pair(X) :- nat(X)",
    );
    for arguments in [Arguments::Shared, Arguments::Separate] {
        let g = graph(&p, Edges::Definition, arguments);
        let bounded = |name| g.is_bounded(g.argument(p.find_relation(name, 1).unwrap(), 0).unwrap());
        assert!(!bounded("nat") && !bounded("list") && !bounded("pair"));
        assert!(bounded("item"));
        assert!(row(&p, &g, "nat", 1).contains("s(...)") || row(&p, &g, "nat", 1).contains("s({0,s(...)})"));
    }
    let g = graph(&p, Edges::Definition, Arguments::Separate);
    assert_eq!(row(&p, &g, "flat", 1), "{f({a})}");
    assert_eq!(row(&p, &g, "twice", 1), "{f({g({a})})}");
}

#[test]
fn negated_occurrences_bind_only_by_the_letter_of_the_definition() {
    let p = program("a(1) b(2) p(X) :- a(X) & ~b(X) q(X) :- ~b(X)");
    let definition = graph(&p, Edges::Definition, Arguments::Shared);
    assert_eq!(row(&p, &definition, "p", 1), "{1,2}");
    let extended = graph(&p, Edges::Extended, Arguments::Shared);
    assert_eq!(row(&p, &extended, "p", 1), "{1}");
    assert_eq!(row(&p, &extended, "q", 1), "{2}");
}

#[test]
fn limits_and_depth() {
    let p = program(TIC_TAC_TOE);
    let mut meter = Budget::unlimited().with_work(20).meter();
    assert!(DomainGraph::new(&p, Edges::Closed, Arguments::Separate, &mut meter).is_err());
    // Functions in functions in functions: as many positions as there are functions on the way.
    let nested = |n: usize| (0..n).fold("0".to_string(), |t, i| format!("f{i}({t})"));
    let p = program(&format!("p({}) q(X) :- p(X)", nested(300)));
    let g = graph(&p, Edges::Closed, Arguments::Separate);
    let position = |name| g.argument(p.find_relation(name, 1).unwrap(), 0).unwrap();
    assert_eq!(g.size(position("q")), Some(1));
    assert!(row(&p, &g, "q", 1).contains("(...)"));
}
