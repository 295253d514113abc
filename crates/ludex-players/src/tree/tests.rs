//! The parts of the tree search, each by itself.

use crate::tree_drawing::Way;
use ludex_game::{ActionId, Goal, PlayoutRecord, RoleId};

use super::descent::{End, Paths, Tree};
use super::graph::{Bounds, Graph, NONE, NewNode, NodeId, SEVERAL, Shape};
use super::look_ahead::{Foresight, WIDEST_LEAF};
use super::options::TreeOptions;
use super::utility::UtilityType;

const A: ActionId = ActionId(0);
const B: ActionId = ActionId(1);
const WAIT: ActionId = ActionId(2);
const C: ActionId = ActionId(3);
const SHAPE: Shape = Shape { words: 1, edges: 3 };

/// A node of a two-player game: its number is its only word; `mover` has the moves A and B.
fn add(graph: &mut Graph, word: u64, mover: usize) -> NodeId {
    let new = NewNode { words: &[word], terminal: false, goals: &[None, None] };
    graph.add(&new, |role| if role == mover { &[A, B] } else { &[WAIT] })
}

fn add_end(graph: &mut Graph, word: u64, goals: [Goal; 2]) -> NodeId {
    let goals = goals.map(Some);
    graph.add(&NewNode { words: &[word], terminal: true, goals: &goals }, |_| &[])
}

fn tree(graph: Graph, utility: UtilityType) -> Tree {
    let mut tree = Tree::new(graph, &TreeOptions::default(), (RoleId(0), None));
    tree.set_utility(utility);
    tree.root = 0;
    tree
}

#[test]
fn states_are_found_again_and_ways_lead_to_them() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let (top, left) = (add(&mut graph, 7, 0), add(&mut graph, 8, 1));
    assert_eq!((graph.find(&[7]), graph.find(&[8]), graph.find(&[9])), (Some(top), Some(left), None));
    assert_eq!(graph.node(left).mover, 1);
    assert_eq!(graph.child(top, &[1, 0]), NONE);
    graph.set_child(top, &[1, 0], left);
    assert_eq!(graph.child(top, &[1, 0]), left);
    let mut joint = Vec::new();
    graph.joint(top, &[1, 0], &mut joint);
    assert_eq!(joint, [B, WAIT]);
}

#[test]
fn joint_moves_of_several_roles_have_ways_of_their_own() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let new = NewNode { words: &[1], terminal: false, goals: &[] };
    let top = graph.add(&new, |role| if role == 0 { &[A, B] } else { &[A, B, WAIT] });
    assert_eq!(graph.node(top).mover, SEVERAL);
    assert_eq!(graph.joint_count(top), 6);
    let below = add_end(&mut graph, 2, [100, 0]);
    graph.set_child(top, &[1, 2], below);
    let ways = (0..2).flat_map(|own| (0..3).map(move |other| [own, other]));
    let known: Vec<[u32; 2]> = ways.filter(|choices| graph.child(top, choices) != NONE).collect();
    assert_eq!(known, [[1, 2]]);
    let way = Way { from: top, moves: vec![B, WAIT], to: below, visits: 0 };
    assert_eq!(graph.joint_ways(top), [way]);
}

#[test]
fn what_cannot_be_reached_is_dropped() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 0);
    let (left, right) = (add(&mut graph, 2, 1), add(&mut graph, 3, 1));
    let end = add_end(&mut graph, 4, [0, 100]);
    graph.set_child(top, &[0, 0], left);
    graph.set_child(top, &[1, 0], right);
    graph.set_child(right, &[0, 1], end);
    graph.node_mut(right).visits = 5;
    graph.begin_tidying(right);
    while graph.tidying.is_some() {
        graph.tidy(1);
    }
    assert_eq!(graph.len(), 2);
    assert_eq!((graph.find(&[3]), graph.find(&[1]), graph.find(&[2])), (Some(right), None, None));
    assert_eq!(graph.node(right).visits, 5);
    let below = graph.child(right, &[0, 1]);
    assert_eq!(graph.state(below), [4]);
    assert_eq!(graph.bounds(below), [Bounds::exact(0), Bounds::exact(100)]);
}

#[test]
fn the_memory_limit_counts_what_would_be_needed_to_grow() {
    let graph = Graph::new(2, 1000, SHAPE);
    assert!(graph.has_room(1, 3));
    assert!(!graph.has_room(200, 3));
    let mut full = Graph::new(2, 1500, SHAPE);
    let mut word = 0;
    while full.has_room(1, 3) {
        add(&mut full, word, 0);
        word += 1;
    }
    assert!((2..20).contains(&word), "{word}");
    assert!(full.bytes() <= 1500, "{}", full.bytes());
}

/// A move of role 0 above two moves of role 1: only the left side has an end for the worse reply.
fn two_levels(utility: UtilityType) -> Tree {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 0);
    let (left, right) = (add(&mut graph, 2, 1), add(&mut graph, 3, 1));
    graph.set_child(top, &[0, 0], left);
    graph.set_child(top, &[1, 0], right);
    let ends = [(left, 0, [50, 50]), (left, 1, [100, 0]), (right, 0, [0, 100])];
    for (number, (parent, choice, goals)) in ends.into_iter().enumerate() {
        let end = add_end(&mut graph, 10 + number as u64, goals);
        graph.set_child(parent, &[0, choice], end);
    }
    tree(graph, utility)
}

#[test]
fn where_goals_add_up_replies_are_the_worst_ones() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    assert!(tree.prove(1));
    assert!(tree.prove(2), "one reply is enough to know that this is lost");
    assert_eq!(tree.graph.bounds(1), [Bounds::exact(50), Bounds::exact(50)]);
    assert_eq!(tree.graph.bounds(2), [Bounds::exact(0), Bounds::exact(100)]);
    tree.graph.set_child(0, &[0, 0], 1);
    tree.graph.set_child(0, &[1, 0], 2);
    assert!(tree.prove(0));
    assert_eq!(tree.graph.bounds(0), [Bounds::exact(50), Bounds::exact(50)]);
    assert!(tree.is_decided());
    assert_eq!(tree.best_at_root(), Some(0));
    assert!(!tree.prove(0), "nothing more is known");
}

/// The search for proofs may know what the root is worth and forget which move it is that brings it.
#[test]
fn what_is_known_of_the_root_alone_is_doubted() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    tree.graph.edges_mut(0, 0)[1].visits = 3;
    tree.graph.bounds_mut(0).fill(Bounds::exact(50));
    assert_eq!(tree.best_at_root(), Some(1), "no move is known to bring it");
    tree.begin_proofs(None, 0, &[]);
    assert_eq!(tree.graph.bounds(0), [Bounds::OPEN, Bounds::OPEN]);
    assert!(!tree.is_decided());
}

/// Proofs may come before the first visit.
#[test]
fn the_only_move_that_is_not_lost_is_made() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    tree.graph.edges_mut(0, 0)[0].bounds = Bounds::exact(0);
    tree.graph.edges_mut(0, 0)[0].visits = 5;
    assert!(tree.is_decided());
    assert_eq!(tree.best_at_root(), Some(1));
}

#[test]
fn what_is_proven_is_no_end_where_others_may_err() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    assert!(!tree.resist(), "nothing is known yet");
    for edge in tree.graph.edges_mut(0, 0) {
        edge.bounds = Bounds::exact(0);
    }
    assert!(tree.prove(0) && tree.is_decided());
    assert!(tree.resist() && !tree.resist(), "it begins once");
    assert!(!tree.is_decided(), "two moves lose");
    assert_eq!(tree.graph.bounds(0)[0], Bounds::exact(0), "what is proven stays known");
    let mut paths = Paths::default();
    paths.clear(2);
    assert!(
        tree.descend(&mut paths, Foresight::Ends).is_some_and(|end| end != End::Exact(0)),
        "the search goes on"
    );
    // Another root, of which nothing is known: nobody has to err there.
    tree.root = 2;
    tree.reconsider();
    assert!(!tree.solver.resists);
}

#[test]
fn a_win_is_an_end() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    tree.graph.edges_mut(0, 0)[1].bounds = Bounds::exact(100);
    assert!(tree.prove(0) && tree.is_decided() && !tree.resist());
}

#[test]
fn moves_that_give_away_a_draw_are_not_hoped_for() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    let new = NewNode { words: &[99], terminal: false, goals: &[None, None] };
    tree.root = tree.graph.add(&new, |role| if role == 0 { &[A, B, C] } else { &[WAIT] });
    let root = tree.root;
    for (edge, goal) in tree.graph.edges_mut(root, 0).iter_mut().zip([50, 0, 50]) {
        edge.bounds = Bounds::exact(goal);
    }
    tree.prove(root);
    assert!(tree.is_decided() && tree.resist());
    for (edge, visits) in tree.graph.edges_mut(root, 0).iter_mut().zip([1, 9, 2]) {
        edge.visits = visits;
    }
    assert_eq!(tree.best_at_root(), Some(2));
    // Where one move alone is left, there is nothing to search for.
    tree.graph.edges_mut(root, 0)[2].bounds = Bounds::exact(0);
    assert!(tree.is_decided());
}

/// One of two moves of the other wins for it, and the other draws: it makes the first far more often, but not always.
#[test]
fn others_err_the_less_the_more_they_lose_by_it() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 1);
    let (good, bad) = (add(&mut graph, 2, 0), add(&mut graph, 3, 0));
    graph.set_child(top, &[0, 0], good);
    graph.set_child(top, &[0, 1], bad);
    let mut tree = tree(graph, UtilityType::ConstantSum { sum: 100 });
    tree.solver.resists = true;
    let mut tried = |worth: [f64; 2]| {
        for edge in tree.graph.edges_mut(top, 1) {
            (edge.visits, edge.sum) = (0, 0.0);
        }
        for _ in 0..1000 {
            let edge = tree.fallible_edge(top, 1) as usize;
            let edge_tried = &mut tree.graph.edges_mut(top, 1)[edge];
            (edge_tried.visits, edge_tried.sum) = (edge_tried.visits + 1, edge_tried.sum + worth[edge]);
        }
        tree.graph.edges(top, 1)[1].visits
    };
    let [much, little, none] = [[1.0, 0.5], [0.6, 0.5], [0.5, 0.5]].map(&mut tried);
    assert!((4..20).contains(&much) && (230..310).contains(&little) && none == 500, "{much} {little} {none}");
}

#[test]
fn what_visits_brought_fades_and_its_mean_stays() {
    let mut tree = two_levels(UtilityType::General);
    let edge = &mut tree.graph.edges_mut(0, 0)[1];
    (edge.visits, edge.sum) = (160, 40.0);
    tree.graph.node_mut(0).visits = 1;
    tree.graph.sums_mut(0)[0] = 1.0;
    tree.graph.fade_visits();
    tree.graph.fade(0);
    let edge = tree.graph.edges(0, 0)[1];
    assert_eq!((edge.visits, edge.mean()), (10, Some(0.25)));
    assert_eq!((tree.graph.node(0).visits, tree.graph.sums(0)[0]), (1, 1.0));
    tree.graph.fade(0);
    assert_eq!(tree.graph.edges(0, 0)[1].visits, 10, "once");
    tree.graph.fade_visits();
    tree.graph.fade_visits();
    tree.graph.fade(0);
    assert_eq!(tree.graph.edges(0, 0)[1].visits, 1, "and for each time that was missed");
}

/// Where moves are made at once, what one role is sure of the other cannot get.
#[test]
fn what_one_is_sure_of_limits_the_other_also_at_once() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let new = NewNode { words: &[1], terminal: false, goals: &[] };
    let top = graph.add(&new, |_| &[A, B]);
    // The second role is sure of 100 by B, whatever the first does.
    for (choices, goals) in [([0, 0], [100, 0]), ([0, 1], [0, 100]), ([1, 0], [50, 50]), ([1, 1], [0, 100])] {
        let end = add_end(&mut graph, 10 + u64::from(choices[0] * 2 + choices[1]), goals);
        graph.set_child(top, &choices, end);
    }
    let mut tree = tree(graph, UtilityType::ConstantSum { sum: 100 });
    assert!(tree.prove(top));
    assert_eq!(tree.graph.bounds(top), [Bounds::exact(0), Bounds::exact(100)]);
}

#[test]
fn where_goals_do_not_add_up_others_may_be_kind() {
    let mut tree = two_levels(UtilityType::General);
    assert!(tree.prove(1));
    // The other takes its 50, but that is not proven to be what it does for us.
    assert_eq!(tree.graph.bounds(1), [Bounds { lower: 50, upper: 100 }, Bounds::exact(50)]);
    tree.prove(2);
    assert_eq!(tree.graph.bounds(2)[0], Bounds::OPEN, "the other reply is not known");
    assert_eq!(tree.graph.bounds(2)[1], Bounds { lower: 100, upper: 100 });
}

/// Goes down the only way that is left and takes note of its known end.
fn resolved(tree: &mut Tree) -> Option<NodeId> {
    let mut paths = Paths::default();
    paths.clear(2);
    let Some(End::Exact(id)) = tree.descend(&mut paths, Foresight::Ends) else { return None };
    let mut values = [0.0; 2];
    tree.exact_values(id, &mut values);
    tree.prove_upwards(&paths, 0..paths.len());
    tree.resolve_upwards(&paths, 0..paths.len(), id);
    tree.back_up(&paths, 0..paths.len(), id, &mut values);
    Some(id)
}

/// Where the other role does not care, nothing is proven, but there is nothing left to search either.
#[test]
fn what_is_settled_is_left_for_what_is_not() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 0);
    let (left, right) = (add(&mut graph, 2, 1), add(&mut graph, 3, 1));
    graph.set_child(top, &[0, 0], left);
    let ends = [(left, 0, [80, 50]), (left, 1, [0, 50]), (right, 0, [60, 40]), (right, 1, [70, 40])];
    for (number, (parent, choice, goals)) in ends.into_iter().enumerate() {
        let end = add_end(&mut graph, 10 + number as u64, goals);
        graph.set_child(parent, &[0, choice], end);
    }
    let mut tree = tree(graph, UtilityType::General);
    tree.prove(left);
    tree.prove(right);
    tree.graph.set_child(top, &[0, 0], left);
    // As good as it looks, the first move is not gone on with for ever.
    tree.graph.edges_mut(top, 0)[0].sum = 1000.0;
    tree.graph.edges_mut(top, 0)[0].visits = 1000;
    assert!(resolved(&mut tree).is_some());
    assert!(tree.is_resolved(left) && !tree.is_resolved(top));
    assert_eq!(tree.graph.bounds(left)[0], Bounds { lower: 0, upper: 80 }, "nothing more was proven");
    let mut paths = Paths::default();
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Unknown));
    assert_eq!(paths.step(0).1, [1, 0], "the other move is not known");
    tree.release(&paths, &(0..1));
    tree.withdraw(&paths, 0..1);
    assert!(!tree.is_decided());
    tree.graph.set_child(top, &[1, 0], right);
    assert!(resolved(&mut tree).is_some());
    assert!(tree.is_resolved(right));
    resolved(&mut tree);
    assert!(tree.is_resolved(top) && tree.is_decided(), "there is nothing left to find out");
    let mut values = [0.0; 2];
    tree.exact_values(top, &mut values);
    assert!((values[0] - 0.8).abs() < 1e-6 && (values[1] - 0.5).abs() < 1e-6, "{values:?}");
    assert_eq!(tree.best_at_root(), Some(0));
}

#[test]
fn states_of_very_many_moves_are_looked_at_once_they_are_visited_again() {
    let mut graph = Graph::new(2, 1 << 24, Shape { words: 1, edges: 2 * WIDEST_LEAF });
    let top = add(&mut graph, 1, 1);
    let moves: Vec<ActionId> = (0..=WIDEST_LEAF as u32).map(ActionId).collect();
    let new = NewNode { words: &[7], terminal: false, goals: &[None, None] };
    let wide = graph.add(&new, |role| if role == 0 { &moves[..] } else { &moves[..1] });
    for choice in 0..2 {
        graph.set_child(top, &[0, choice], wide);
    }
    let mut tree = tree(graph, UtilityType::General);
    tree.graph.edges_mut(top, 1).iter_mut().for_each(|edge| edge.prior = 0.5);
    let mut paths = Paths::default();
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Unknown), "nobody asks for it");
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Moves), Some(End::Node(wide)));
    tree.graph.edges_mut(wide, 0).iter_mut().for_each(|edge| edge.prior = 0.5);
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Moves), Some(End::Unknown));
    assert_eq!(paths.len(), 2);
}

#[test]
fn untried_moves_are_chosen_by_what_was_played_behind_them() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 1);
    for (edge, prior) in graph.edges_mut(top, 1).iter_mut().zip([0.2, 0.7]) {
        edge.prior = prior;
    }
    let mut tree = tree(graph, UtilityType::General);
    let mut paths = Paths::default();
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Unknown));
    assert_eq!(paths.step(0).1, [0, 1], "the better move comes first");
}

#[test]
fn partners_share_what_is_proven() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let top = add(&mut graph, 1, 1);
    let end = add_end(&mut graph, 2, [80, 80]);
    graph.set_child(top, &[0, 1], end);
    let mut tree = tree(graph, UtilityType::Cooperative);
    assert!(tree.prove(top));
    assert_eq!(tree.graph.bounds(top), [Bounds { lower: 80, upper: 100 }; 2]);
}

#[test]
fn choosing_at_the_same_time_proves_only_what_no_reply_can_spoil() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let new = NewNode { words: &[1], terminal: false, goals: &[] };
    let top = graph.add(&new, |_| &[A, B]);
    // Matching pennies with a third of the way unknown: A is sure of 30, B may bring 0 or 100.
    for (choices, goals) in [([0, 0], [30, 70]), ([0, 1], [60, 40]), ([1, 0], [0, 100])] {
        let end = add_end(&mut graph, 10 + u64::from(choices[0] * 2 + choices[1]), goals);
        graph.set_child(top, &choices, end);
    }
    let mut tree = tree(graph, UtilityType::ConstantSum { sum: 100 });
    assert!(tree.prove(top));
    assert_eq!(tree.graph.edges(top, 0)[0].bounds, Bounds { lower: 30, upper: 60 });
    assert_eq!(tree.graph.edges(top, 0)[1].bounds, Bounds { lower: 0, upper: 100 });
    // The other is sure of 70 by its first move.
    assert_eq!(tree.graph.bounds(top), [Bounds::exact(30), Bounds::exact(70)]);
}

#[test]
fn an_odd_end_takes_back_what_was_proven() {
    let mut tree = two_levels(UtilityType::ConstantSum { sum: 100 });
    tree.prove(1);
    tree.check_utility(true, &[Some(0), Some(100)]);
    assert_eq!(tree.utility, UtilityType::ConstantSum { sum: 100 });
    tree.check_utility(true, &[Some(100), Some(100)]);
    assert_eq!(tree.utility, UtilityType::General);
    assert_eq!(tree.graph.bounds(1), [Bounds::OPEN; 2]);
    tree.set_utility(UtilityType::ConstantSum { sum: 100 });
    assert_eq!(tree.utility, UtilityType::General, "once disproved, it stays so");
}

#[test]
fn descents_under_way_are_avoided_and_can_be_taken_back() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    add(&mut graph, 1, 0);
    let mut tree = tree(graph, UtilityType::General);
    let mut paths = Paths::default();
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Unknown));
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Unknown));
    let choices: Vec<u32> = (0..2).map(|at| paths.step(at).1[0]).collect();
    assert_ne!(choices[0], choices[1], "the second takes the other move");
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), None, "both are busy");
    assert_eq!(paths.len(), 2);
    tree.withdraw(&paths, 0..1);
    tree.release(&paths, &(0..1));
    tree.release(&paths, &(1..2));
    tree.back_up(&paths, 1..2, NONE, &mut [1.0, 0.0]);
    let edges = tree.graph.edges(0, 0);
    assert!(edges.iter().all(|edge| edge.pending == 0));
    assert_eq!(edges[choices[1] as usize].mean(), Some(1.0));
    assert_eq!(edges[choices[0] as usize].mean(), None);
    assert_eq!((tree.graph.node(0).visits, tree.graph.sums(0)), (1, &[1.0, 0.0][..]));
}

#[test]
fn a_circle_ends_a_descent() {
    let mut graph = Graph::new(2, 1 << 20, SHAPE);
    let (top, below) = (add(&mut graph, 1, 0), add(&mut graph, 2, 1));
    for choice in 0..2 {
        graph.set_child(top, &[choice, 0], below);
        graph.set_child(below, &[0, choice], top);
    }
    let mut tree = tree(graph, UtilityType::General);
    let mut paths = Paths::default();
    paths.clear(2);
    assert_eq!(tree.descend(&mut paths, Foresight::Ends), Some(End::Node(top)));
    assert_eq!(paths.len(), 2);
}

fn record(goals: [Option<Goal>; 2]) -> PlayoutRecord {
    PlayoutRecord { start: 0, steps: 3, goals: goals.to_vec(), fault: None }
}

#[test]
fn playouts_tell_opponents_from_partners() {
    let of = |ends: &[[Goal; 2]]| {
        let records: Vec<PlayoutRecord> = (0..60).map(|i| record(ends[i % ends.len()].map(Some))).collect();
        UtilityType::of(&records, 2, None)
    };
    assert_eq!(of(&[[100, 0], [0, 100], [50, 50]]), UtilityType::ConstantSum { sum: 100 });
    assert_eq!(of(&[[50, 50]]), UtilityType::ConstantSum { sum: 100 });
    assert_eq!(of(&[[40, 40], [90, 90]]), UtilityType::Cooperative);
    assert_eq!(of(&[[100, 0], [100, 100]]), UtilityType::General);
    assert_eq!(of(&[[0, 0]]), UtilityType::General, "nothing was seen");
    let few: Vec<PlayoutRecord> = (0..9).map(|_| record([Some(100), Some(0)])).collect();
    assert_eq!(UtilityType::of(&few, 2, None), UtilityType::General);
    let unclear: Vec<PlayoutRecord> = (0..90).map(|_| record([Some(100), None])).collect();
    assert_eq!(UtilityType::of(&unclear, 2, None), UtilityType::General);
}
