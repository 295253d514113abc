//! Making room in a graph that goes on changing.

use std::collections::{BTreeMap, BTreeSet};

use ludex_game::{ActionId, Rng};

use super::graph::{Graph, NONE, NewNode, NodeId, SEVERAL, Shape};

const MOVES: [ActionId; 5] = [ActionId(0), ActionId(1), ActionId(2), ActionId(3), ActionId(4)];
const SHAPE: Shape = Shape { words: 2, edges: 5 };

/// How many moves the two roles have in the state of a number; both have several in some of them.
fn counts(state: u64) -> [usize; 2] {
    match state % 3 {
        0 => [2, 3],
        1 => [1 + (state % 5) as usize, 1],
        _ => [1, 1 + (state % 4) as usize],
    }
}

/// States are of different lengths, as those of the rule machine.
fn words(state: u64) -> Vec<u64> {
    vec![state; 1 + (state % 3) as usize]
}

fn add(graph: &mut Graph, state: u64) -> NodeId {
    let new = NewNode { words: &words(state), terminal: false, goals: &[None, None] };
    let id = graph.add(&new, |role| &MOVES[..counts(state)[role]]);
    graph.node_mut(id).visits = state as u32;
    for role in 0..2 {
        for (number, edge) in graph.edges_mut(id, role).iter_mut().enumerate() {
            edge.visits = mark(state, role, number);
        }
    }
    id
}

fn mark(state: u64, role: usize, number: usize) -> u32 {
    state as u32 * 100 + (role * 10 + number) as u32
}

/// The states that ought to be there, with where their moves lead.
#[derive(Default)]
struct Model {
    states: BTreeMap<u64, BTreeMap<[u32; 2], u64>>,
    root: u64,
}

impl Model {
    fn reachable(&self) -> BTreeSet<u64> {
        let (mut open, mut found) = (vec![self.root], BTreeSet::from([self.root]));
        while let Some(state) = open.pop() {
            for &child in self.states[&state].values() {
                if found.insert(child) {
                    open.push(child);
                }
            }
        }
        found
    }

    /// Compares all that can be reached.
    fn check(&self, graph: &Graph) {
        for state in self.reachable() {
            let id = graph.find(&words(state)).unwrap_or_else(|| panic!("{state} is lost"));
            assert_eq!((graph.state(id), graph.node(id).visits), (&words(state)[..], state as u32));
            for role in 0..2 {
                let visits: Vec<u32> = graph.edges(id, role).iter().map(|edge| edge.visits).collect();
                let expected: Vec<u32> =
                    (0..counts(state)[role]).map(|number| mark(state, role, number)).collect();
                assert_eq!(visits, expected, "{state}");
            }
            let [own, other] = counts(state).map(|count| count as u32);
            for choices in (0..own).flat_map(|a| (0..other).map(move |b| [a, b])) {
                let child = graph.child(id, &choices);
                let known = self.states[&state].get(&choices);
                assert_eq!(child == NONE, known.is_none(), "{state} {choices:?}");
                if let Some(&known) = known {
                    assert_eq!(graph.state(child), words(known), "{state} {choices:?}");
                }
            }
        }
    }
}

fn pick<T: Copy>(rng: &mut Rng, list: &[T]) -> T {
    list[rng.below(list.len() as u64) as usize]
}

/// Grows, links, moves its root and makes room, all at random and mixed; what can be reached is always there, and what
/// cannot is gone in the end.
#[test]
fn what_can_be_reached_stays_and_the_rest_goes() {
    for seed in 0..40 {
        let mut rng = Rng::from_seed(seed);
        let mut graph = Graph::new(2, 1 << 20, SHAPE);
        let mut model = Model::default();
        let mut next = 1;
        model.states.insert(0, BTreeMap::new());
        add(&mut graph, 0);
        for turn in 0..6 {
            for _ in 0..120 {
                let reachable: Vec<u64> = model.reachable().into_iter().collect();
                let parent = pick(&mut rng, &reachable);
                let choices = counts(parent).map(|count| rng.below(count as u64) as u32);
                let from = graph.find(&words(parent)).unwrap();
                let is_link = rng.below(3) == 0;
                let child = if is_link { rng.below(next) } else { next };
                let to = match graph.find(&words(child)) {
                    Some(known) => known,
                    None => {
                        // It was never there, or is gone with all that it led to.
                        model.states.insert(child, BTreeMap::new());
                        next = next.max(child + 1);
                        add(&mut graph, child)
                    }
                };
                if graph.child(from, &choices) == NONE {
                    graph.set_child(from, &choices, to);
                    model.states.get_mut(&parent).unwrap().insert(choices, child);
                }
                graph.tidy(rng.below(60) as usize);
            }
            model.check(&graph);
            let reachable: Vec<u64> = model.reachable().into_iter().collect();
            if turn % 2 == 0 {
                model.root = pick(&mut rng, &reachable);
            }
            let root = graph.find(&words(model.root)).unwrap();
            graph.begin_tidying(root);
        }
        while graph.tidying.is_some() {
            graph.tidy(10);
        }
        graph.begin_tidying(graph.find(&words(model.root)).unwrap());
        while graph.tidying.is_some() {
            graph.tidy(10);
        }
        model.check(&graph);
        assert_eq!(graph.len(), model.reachable().len(), "{seed}");
        let used: usize = model.reachable().into_iter().map(|state| words(state).len()).sum();
        assert_eq!(graph.words.len(), used);
        if seed == 0 {
            assert!(graph.nodes.iter().any(|node| node.mover == SEVERAL) && graph.len() > 20);
        }
    }
}

/// However many nodes there are, making room takes no more at a time than it is given.
#[test]
fn making_room_takes_a_little_at_a_time() {
    let mut graph = Graph::new(2, 64 << 20, SHAPE);
    let nodes = 30_000;
    let ids: Vec<NodeId> = (0..nodes).map(|number| add(&mut graph, 3 * number + 1)).collect();
    for (number, &id) in ids.iter().enumerate().skip(nodes as usize / 2) {
        if let Some(&child) = ids.get(number + 1) {
            graph.set_child(id, &[0, 0], child);
        }
    }
    let bytes = graph.bytes();
    graph.begin_tidying(ids[nodes as usize / 2]);
    let mut calls = 0u64;
    while graph.tidying.is_some() {
        graph.tidy(160);
        calls += 1;
        assert!(calls < 10 * nodes);
    }
    // One in two nodes is in use, and looked at twice; each costs 16 at least.
    assert!(calls >= nodes * 3 / 2 / 10, "{calls} calls");
    assert_eq!(graph.len() as u64, nodes / 2);
    assert!(graph.bytes() < bytes * 7 / 10, "{} of {bytes}", graph.bytes());
    // What became free is used again.
    let before = graph.nodes.len();
    for number in 0..nodes / 2 {
        add(&mut graph, 3 * (nodes + number) + 1);
    }
    assert_eq!(graph.nodes.len(), before);
}
