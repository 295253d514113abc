//! Sections 2.5 and 2.6 and problems 2.1 to 2.3 of the book.

use std::sync::Arc;

use ludex::library;
use ludex_game::{JointMoves, Machine, State, perft};
use ludex_gdl::{NodeId, NodeKind, Notation, Rulesheet, Source, parse};
use ludex_logic::Budget;
use rustc_hash::FxHashSet;

use super::table::{Table, set};

#[test]
fn section_2_6_plays_tic_tac_toe() {
    for game in library::all().iter().filter(|g| g.name == "tic-tac-toe") {
        let table = Table::bundled(game);
        let vocabulary = table.game.vocabulary;
        let roles = table.machine.signature().role_ids().map(|r| table.role_text(r));
        assert_eq!(roles.collect::<Vec<_>>(), ["white", "black"]);
        assert_eq!(table.extension(vocabulary.base).len(), 29);
        assert_eq!(table.extension(vocabulary.input).len(), 20);
        assert_eq!(table.extension(vocabulary.init).len(), 10);

        let mut runner = table.runner();
        assert!(!runner.terminal().unwrap());
        assert_eq!(table.goal(&mut *runner, "white"), Some(50));
        assert_eq!(table.goal(&mut *runner, "black"), Some(50));
        let marks = (1..=3).flat_map(|m| (1..=3).map(move |n| format!("(mark {m} {n})"))).collect();
        assert_eq!(table.legal(&mut *runner, "white"), marks);
        assert_eq!(table.legal(&mut *runner, "black"), set(["noop"]));

        let runner = table.after(&table.joints(&[&["(mark 1 1)", "noop"]]));
        let expected = [
            "(cell 1 1 x)",
            "(cell 1 2 b)",
            "(cell 1 3 b)",
            "(cell 2 1 b)",
            "(cell 2 2 b)",
            "(cell 2 3 b)",
            "(cell 3 1 b)",
            "(cell 3 2 b)",
            "(cell 3 3 b)",
            "(control black)",
        ];
        assert_eq!(table.facts(&*runner), set(expected));
    }
}

#[test]
fn problem_2_1() {
    let table = Table::of("problem-2-1");
    let signature = table.machine.signature();
    let mut runner = table.runner();
    let start = table.facts(&*runner).len();
    let legal = table.legal(&mut *runner, "white").len();
    let next = table.facts(&*table.after(&table.joints(&[&["a", "d"]]))).len();
    let counts = perft(&table.machine, 6, &Budget::unlimited()).unwrap();
    let shortest = counts.iter().position(|row| row.terminals > 0).unwrap();
    let answers = [
        signature.roles().len(),
        signature.known_propositions(),
        signature.known_actions(),
        legal,
        start,
        next,
        shortest,
    ];
    assert_eq!(answers, [2, 4, 4, 3, 1, 1, 4]);
}

#[test]
fn problem_2_2() {
    let table = Table::of("problem-2-1");
    let signature = table.machine.signature();
    let (mut seen, mut open) = (FxHashSet::default(), vec![table.machine.initial().clone()]);
    let (mut endless, mut best) = (false, vec![0; 2]);
    let mut runner = table.runner();
    while let Some(state) = open.pop() {
        if !seen.insert(state.clone()) {
            continue;
        }
        runner.set(&state).unwrap();
        if runner.terminal().unwrap() {
            for (best, role) in best.iter_mut().zip(signature.role_ids()) {
                *best = runner.goal(role).unwrap().unwrap().max(*best);
            }
            continue;
        }
        // Building the list fails where a role is stuck: the game is playable.
        let mut joints = JointMoves::new(&mut *runner, signature).unwrap();
        while let Some(joint) = joints.next() {
            runner.set(&state).unwrap();
            runner.step(joint).unwrap();
            let mut next = State::default();
            runner.save(&mut next);
            endless |= next == state && !runner.terminal().unwrap();
            open.push(next);
        }
    }
    assert!(endless, "white can stay where it is, so the game need not end and black cannot force it to");
    assert_eq!(best, [100, 100], "weakly winnable for both");
    // Black has one move only, so a sequence of white's moves that wins once wins always.
    let mut runner = table.after(&table.joints(&[&["a", "d"], &["b", "d"], &["c", "d"], &["b", "d"]]));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "white"), Some(100));
}

/// A rule with its subgoals in a list, variables as `?x` in lower case.
fn meaning(text: &str, notation: Notation) -> Vec<String> {
    fn write(rules: &Rulesheet, node: NodeId) -> String {
        let tree = &rules.tree;
        match &tree.node(node).kind {
            NodeKind::Constant(name) => tree.name(*name).to_owned(),
            NodeKind::Variable(name) => format!("?{}", tree.name(*name).to_lowercase()),
            NodeKind::Compound { name, .. } => {
                let args: Vec<_> = tree.children(node).iter().map(|&n| write(rules, n)).collect();
                format!("({} {})", tree.name(*name), args.join(" "))
            }
            NodeKind::Error => panic!("syntax error"),
        }
    }
    let (rules, diagnostics) = parse(Arc::new(Source::new("rule", text)), Some(notation));
    assert!(diagnostics.is_empty(), "{diagnostics:?}");
    let [item] = rules.items.as_slice() else { panic!("one rule was expected") };
    let mut parts = vec![write(&rules, item.head)];
    for &subgoal in item.body.as_deref().unwrap_or_default() {
        if rules.tree.head(subgoal).is_some_and(|(name, _)| name == "and") {
            parts.extend(rules.tree.children(subgoal).iter().map(|&n| write(&rules, n)));
        } else {
            parts.push(write(&rules, subgoal));
        }
    }
    parts
}

#[test]
fn problem_2_3() {
    let faithful =
        |infix: &str, prefix: &str| meaning(infix, Notation::Infix) == meaning(prefix, Notation::Prefix);
    assert!(faithful("r(a,b) :- p(a) & q(b)", "(<= (r a b) (and (p a) (q b)))"));
    assert!(faithful("r(a,b) :- p(a) & q(b)", "(<= (r a b) (p a) (q b))"));
    assert!(!faithful("r(x,y) :- p(x) & q(y)", "(<= (r ?x ?y) (p ?x) (q ?y))"));
    assert!(faithful("r(X,Y) :- p(X) & q(Y)", "(<= (r ?x ?y) (p ?x) (q ?y))"));
}
