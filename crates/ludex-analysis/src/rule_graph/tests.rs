//! Figures 14.4 to 14.8, exercise 14.3 and whole games.

use std::sync::Arc;

use ludex_gdl::{Dialect, GameProgram, Source, lower, parse};
use ludex_logic::Budget;

use super::*;

fn program(text: &str) -> GameProgram {
    let (sheet, errors) = parse(Arc::new(Source::new("test", text)), None);
    assert!(errors.is_empty(), "{errors:?}");
    lower(&sheet, Dialect::Gdl).0.unwrap()
}

fn graph_of(game: &GameProgram) -> RuleGraph {
    RuleGraph::new(game, &mut Budget::unlimited().meter()).unwrap()
}

fn graph(text: &str) -> RuleGraph {
    graph_of(&program(text))
}

fn symmetries(graph: &RuleGraph) -> Automorphisms {
    graph.symmetries(&mut Budget::unlimited().meter()).unwrap()
}

fn compare(a: &str, b: &str) -> Result<Names, Comparison> {
    graph(a).compare(&graph(b), &mut Budget::unlimited().meter()).unwrap()
}

fn sizes(graph: &RuleGraph) -> Vec<(usize, usize)> {
    let size = |step| {
        let (vertices, arcs) = graph.drawn(step);
        (vertices.len(), arcs.len())
    };
    DrawingStep::ALL.into_iter().map(size).collect()
}

const OPEN: &str = "open :- true(cell(M,N,b))";

#[test]
fn figures_14_4_to_14_7_have_these_vertices_and_arcs() {
    let graph = graph(OPEN);
    // 14.4: `:-`, open, true, cell, M, N, b. 14.5: cell[1] to cell[3] and from open to true. 14.6: open,
    // cell, b, M, N with an arc to each occurrence, and from cell to its arguments.
    assert_eq!(sizes(&graph), [(7, 6), (10, 10), (15, 18), (15, 18)]);
    // 14.7: one colour for each connective, keyword and type.
    assert_eq!(graph.graph().histogram().len(), 8);
    let dot = graph.dot(DrawingStep::Colours);
    assert!(dot.contains("label=\"cell[3]\"") && dot.matches(" -> ").count() == 18);
    assert!(!graph.dot(DrawingStep::Occurrences).contains("style="));
}

#[test]
fn figure_14_7_has_the_mirror_and_nothing_else() {
    let graph = graph(OPEN);
    let found = symmetries(&graph);
    assert_eq!(found.order().value(), Some(2));
    let generators: Vec<_> = found.generators().map(|g| graph.cycles(g)).collect();
    assert_eq!(generators, [[["cell[1]", "cell[2]"]]]);
}

#[test]
fn figure_14_8_is_its_own_mirror_image() {
    let graph = graph("init(cell(1,3,b)) init(cell(3,1,b))");
    // Twice init, cell, 1, 3, b; cell[1] to cell[3]; cell, 1, 3, b. Arcs: twice 4 + 3 + 4, and 3.
    assert_eq!(sizes(&graph)[3], (17, 25));
    let found = symmetries(&graph);
    let mut generators: Vec<_> = found.generators().map(|g| graph.cycles(g)).collect();
    generators.sort();
    assert_eq!(found.order().value(), Some(4));
    // The rotation and the mirror: both change the two facts into each other, or the names.
    let text = format!("{generators:?}");
    assert!(text.contains("cell[1]") && text.contains("\"1\", \"3\""), "{text}");
}

#[test]
fn the_tic_tac_toe_rules_of_chapter_2_have_four_symmetries() {
    for name in ["tic-tac-toe.gdl", "tic-tac-toe.kif"] {
        let path = ludex_testkit::bundled().into_iter().find(|p| p.ends_with(name)).unwrap();
        let graph = graph_of(&ludex_testkit::program_of(&path).unwrap());
        let found = symmetries(&graph);
        assert_eq!(found.order().value(), Some(4), "{name}");
        let cycles: Vec<_> = found.generators().map(|g| graph.cycles(g)).collect();
        let text = format!("{cycles:?}");
        assert!(text.contains("[\"1\", \"3\"]") && text.contains("\"cell[1]\", \"cell[2]\""), "{text}");
        assert_eq!(found.stabiliser_order(graph.role_points(&found)).value(), Some(4));
    }
}

#[test]
fn exercise_14_3() {
    // (a) A role is not an index: one is a keyword.
    assert!(compare("role(player)", "role(white)").is_ok());
    assert!(compare("role(player)", "index(1)").is_err());
    // (b) Names, variables and the order of subgoals do not matter.
    let names = compare(
        "next(on(X)) :- ~true(on(X)) & does(player,toggle(X))",
        "next(p(Y)) :- does(white,q(Y)) & ~true(p(Y))",
    );
    let names = names.unwrap();
    let expected = [("on", "p"), ("player", "white"), ("toggle", "q")];
    assert_eq!(names.renamed().collect::<Vec<_>>(), expected);
    assert_eq!(names.other("on"), Some("p"));
    assert!(names.arguments.is_empty());
    // (c) The buttons can be exchanged at will.
    let graph = graph(
        "role(player) index(1) index(2) index(3)
         base(on(X)) :- index(X)
         input(player,toggle(X)) :- index(X)
         legal(player,toggle(X)) :- index(X)
         next(on(X)) :- ~true(on(X)) & does(player,toggle(X))
         next(on(X)) :- true(on(X)) & ~does(player,toggle(X))
         terminal :- true(on(1)) & true(on(2)) & true(on(3))
         goal(player,100) :- true(on(1)) & true(on(2)) & true(on(3))",
    );
    assert_eq!(symmetries(&graph).order().value(), Some(6));
}

#[test]
fn goal_values_are_not_exchanged() {
    let rules =
        |first: &str, second: &str| format!("role(a) goal(a,{first}) :- true(p) goal(a,{second}) :- true(q)");
    // Def. 14.2 itself would find the exchange of p and q together with 0 and 100.
    assert_eq!(symmetries(&graph(&rules("0", "100"))).order().value(), Some(1));
    assert_eq!(symmetries(&graph(&rules("100", "100"))).order().value(), Some(2));
    assert!(compare(&rules("0", "100"), &rules("100", "0")).is_ok());
    assert!(compare(&rules("0", "100"), &rules("0", "50")).is_err());
    // Also where a rule computes them.
    let computed = "role(a) goal(a,V) :- worth(V) worth(0) :- true(p) worth(100) :- true(q)";
    assert_eq!(symmetries(&graph(computed)).order().value(), Some(1));
}

#[test]
fn arguments_in_another_order_are_translated() {
    let names = compare(
        "init(at(a,1)) succ(1,2) p(b) :- true(at(b,X)) & succ(X,Y) & q(Y)",
        "init(on(n1,k)) next1(n1,n2) r(m) :- true(on(X,m)) & next1(X,Y) & s(Y)",
    )
    .unwrap();
    assert_eq!(names.arguments, [("at".to_owned(), vec![1, 0])]);
    assert_eq!(names.other("succ"), Some("next1"));
}

#[test]
fn a_term_that_is_too_large_meets_the_limit() {
    // Sharing makes a small text of a term with 2^60 leaves.
    let game = program("init(a)");
    let terms = Arc::clone(&game.program.terms);
    let pair = terms.symbol("pair");
    let large = (0..60).fold(terms.constant("a"), |term, _| terms.compound(pair, &[term, term]));
    let mut builder = ludex_logic::ProgramBuilder::from_program(game.program.clone());
    let args = vec![ludex_logic::Pattern::Ground(large)].into();
    let head = ludex_logic::Atom { relation: game.vocabulary.init, args };
    builder.clause(head, ludex_logic::Formula::TRUE, ludex_logic::IdVec::new(), None);
    let game = GameProgram { program: builder.finish(), ..game };
    let budget = Budget::unlimited().with_work(100_000);
    assert!(RuleGraph::new(&game, &mut budget.meter()).is_err());
}
