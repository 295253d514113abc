//! Known graphs, and every graph that is small enough to try all permutations.

use ludex_game::Rng;
use ludex_logic::Budget;

use super::*;

fn group(graph: &ColouredGraph) -> Automorphisms {
    let found = automorphisms(graph, u32::MAX, &mut Budget::unlimited().meter()).unwrap();
    assert!(found.generators().all(|generator| generator.is_automorphism(graph)));
    assert!(found.generators().all(|generator| !generator.is_identity()));
    for (level, generator) in &found.generators {
        assert!(found.base[..*level].iter().all(|point| generator.image(point.vertex) == point.vertex));
    }
    found
}

fn order(graph: &ColouredGraph) -> String {
    group(graph).order().to_string()
}

fn plain(count: u32, edges: impl IntoIterator<Item = (u32, u32)>) -> ColouredGraph {
    ColouredGraph::undirected(vec![0; count as usize], edges)
}

fn pairs(count: u32, joined: impl Fn(u32, u32) -> bool) -> ColouredGraph {
    let all = (0..count).flat_map(|a| (0..a).map(move |b| (a, b)));
    plain(count, all.filter(|&(a, b)| joined(a, b)).collect::<Vec<_>>())
}

fn petersen() -> ColouredGraph {
    let sets: Vec<u32> = (0..32u32).filter(|set| set.count_ones() == 2).collect();
    pairs(10, |a, b| sets[a as usize] & sets[b as usize] == 0)
}

/// Points of a 4x4 torus, joined by differences.
fn on_torus(differences: &[(u32, u32)]) -> ColouredGraph {
    let joined = |a: u32, b: u32| {
        let difference = ((4 + a / 4 - b / 4) % 4, (4 + a % 4 - b % 4) % 4);
        differences.contains(&difference)
    };
    pairs(16, joined)
}

fn shrikhande() -> ColouredGraph {
    on_torus(&[(0, 1), (0, 3), (1, 0), (3, 0), (1, 1), (3, 3)])
}

fn rook() -> ColouredGraph {
    on_torus(&[(0, 1), (0, 2), (0, 3), (1, 0), (2, 0), (3, 0)])
}

/// Numbers modulo a prime, joined where they differ by a square.
fn paley(prime: u32) -> ColouredGraph {
    let squares: Vec<u32> = (1..prime).map(|n| n * n % prime).collect();
    pairs(prime, |a, b| squares.contains(&((prime + a - b) % prime)))
}

#[test]
fn known_groups_have_their_orders() {
    assert_eq!(order(&plain(0, [])), "1");
    assert_eq!(order(&plain(1, [])), "1");
    for count in 3..12u32 {
        assert_eq!(order(&plain(count, (0..count).map(|v| (v, (v + 1) % count)))), (2 * count).to_string());
        let directed = (0..count).map(|v| (v, (v + 1) % count, 0));
        assert_eq!(order(&ColouredGraph::new(vec![0; count as usize], directed)), count.to_string());
    }
    assert_eq!(order(&pairs(8, |_, _| true)), "40320");
    assert_eq!(order(&plain(30, [])), "265252859812191058636308480000000");
    assert_eq!(order(&pairs(10, |a, b| a % 2 != b % 2)), (120 * 120 * 2).to_string());
    assert_eq!(order(&petersen()), "120");
    for (dimension, expected) in [(2, 8), (3, 48), (4, 384), (5, 3840), (6, 46080)] {
        assert_eq!(order(&pairs(1 << dimension, |a, b| (a ^ b).count_ones() == 1)), expected.to_string());
    }
    assert_eq!(order(&shrikhande()), "192");
    assert_eq!(order(&rook()), "1152");
    for (prime, expected) in [(5, 10), (13, 78), (17, 136), (29, 406), (37, 666)] {
        assert_eq!(order(&paley(prime)), expected.to_string());
    }
    // Clebsch: the half cube of dimension 5, joined at distance 4.
    let even: Vec<u32> = (0..32u32).filter(|v| v.count_ones() % 2 == 0).collect();
    assert_eq!(order(&pairs(16, |a, b| (even[a as usize] ^ even[b as usize]).count_ones() == 4)), "1920");
}

#[test]
fn only_the_vertices_that_matter_are_told_apart() {
    // Two squares: the second one's colour does not matter, and is free.
    let ring = |first: u32| (0..4).map(move |v| (first + v, first + (v + 1) % 4));
    let graph = ColouredGraph::undirected([vec![0; 4], vec![1; 4]].concat(), ring(0).chain(ring(4)));
    let count = |colours| {
        let found = automorphisms(&graph, colours, &mut Budget::unlimited().meter()).unwrap();
        found.order().value().unwrap()
    };
    assert_eq!((count(1), count(2)), (8, 64));
}

#[test]
fn fixing_the_first_base_points_leaves_the_stabiliser() {
    let found = group(&pairs(5, |_, _| true));
    assert_eq!(found.stabiliser_order(1).to_string(), "24");
    assert_eq!(found.stabiliser_order(2).to_string(), "6");
    let first = found.base()[0].vertex;
    assert!(found.stabiliser(1).all(|generator| generator.image(first) == first));
}

#[test]
fn kinds_and_directions_of_arcs_count() {
    let square = |kinds: [u32; 4]| {
        let arcs: Vec<(u32, u32, u32)> = (0..4).map(|v| (v, (v + 1) % 4, kinds[v as usize])).collect();
        ColouredGraph::new(vec![0; 4], arcs)
    };
    assert_eq!(order(&square([0, 0, 0, 0])), "4");
    assert_eq!(order(&square([0, 1, 0, 1])), "2");
    assert_eq!(order(&square([0, 0, 0, 1])), "1");
}

fn below(rng: &mut Rng, bound: u32) -> u32 {
    rng.below(bound.into()) as u32
}

fn random_graph(rng: &mut Rng, count: u32, colours: u32) -> (Vec<u32>, Vec<(u32, u32, u32)>) {
    let density = 1 + below(rng, 4);
    let kinds = 1 + below(rng, 2);
    let mut arcs = Vec::new();
    for from in 0..count {
        for to in 0..count {
            if below(rng, 5) < density {
                arcs.push((from, to, below(rng, kinds)));
            }
        }
    }
    ((0..count).map(|_| below(rng, colours)).collect(), arcs)
}

fn shuffled(rng: &mut Rng, count: u32) -> Vec<u32> {
    let mut images: Vec<u32> = (0..count).collect();
    for at in (1..count).rev() {
        images.swap(at as usize, below(rng, at + 1) as usize);
    }
    images
}

fn renamed(colours: &[u32], arcs: &[(u32, u32, u32)], images: &[u32]) -> ColouredGraph {
    let mut moved = vec![0; colours.len()];
    images.iter().zip(colours).for_each(|(&image, &colour)| moved[image as usize] = colour);
    let arcs = arcs.iter().map(|&(a, b, kind)| (images[a as usize], images[b as usize], kind));
    ColouredGraph::new(moved, arcs)
}

/// How many permutations are automorphisms, by trying all.
fn brute_force(graph: &ColouredGraph) -> u128 {
    let count = graph.vertex_count();
    let mut images: Vec<u32> = (0..count as u32).collect();
    let mut found = 0;
    // Heap's permutations.
    let mut counters = vec![0; count];
    let mut at = 0;
    let mut is_new = true;
    loop {
        if is_new {
            let pairs = images.iter().enumerate().map(|(from, &to)| (from as u32, to));
            found += u128::from(Permutation::new(pairs).unwrap().is_automorphism(graph));
            is_new = false;
        }
        if at >= count {
            return found;
        }
        if counters[at] < at {
            let other = if at % 2 == 0 { 0 } else { counters[at] };
            images.swap(other, at);
            counters[at] += 1;
            at = 0;
            is_new = true;
        } else {
            counters[at] = 0;
            at += 1;
        }
    }
}

#[test]
fn small_graphs_agree_with_all_permutations() {
    for seed in ludex_testkit::seeds(150) {
        let mut rng = Rng::from_seed(seed);
        let count = 1 + below(&mut rng, 6);
        let colours = 1 + below(&mut rng, 3);
        let (colours, arcs) = random_graph(&mut rng, count, colours);
        let graph = ColouredGraph::new(colours.clone(), arcs.iter().copied());
        let symmetric = ColouredGraph::undirected(colours, arcs.iter().map(|&(a, b, _)| (a, b)));
        for graph in [graph, symmetric] {
            assert_eq!(group(&graph).order().value(), Some(brute_force(&graph)), "seed {seed}: {graph:?}");
        }
    }
    let seven = pairs(7, |a, b| (a + b) % 3 == 0);
    assert_eq!(group(&seven).order().value(), Some(brute_force(&seven)));
}

#[test]
fn a_graph_is_found_again_under_other_names() {
    let meter = || Budget::unlimited().meter();
    for seed in ludex_testkit::seeds(100) {
        let mut rng = Rng::from_seed(seed);
        let count = 1 + below(&mut rng, 40);
        let colours = 1 + below(&mut rng, 2);
        let (colours, mut arcs) = random_graph(&mut rng, count, colours);
        let images = shuffled(&mut rng, count);
        let graph = ColouredGraph::new(colours.clone(), arcs.iter().copied());
        let other = renamed(&colours, &arcs, &images);
        let Comparison::Same(found) = isomorphism(&graph, &other, &mut meter()).unwrap() else {
            panic!("seed {seed}");
        };
        assert_eq!(renamed(&colours, &arcs, &found), other);
        // One arc less is another graph.
        if arcs.pop().is_some() {
            let fewer = ColouredGraph::new(colours, arcs);
            let answer = isomorphism(&fewer, &other, &mut meter()).unwrap();
            assert!(!matches!(answer, Comparison::Same(_)), "seed {seed}");
        }
    }
}

#[test]
fn graphs_that_look_alike_are_told_apart() {
    let compare =
        |a: &ColouredGraph, b: &ColouredGraph| isomorphism(a, b, &mut Budget::unlimited().meter()).unwrap();
    // Both strongly regular with parameters (16, 6, 2, 2).
    assert_eq!(compare(&shrikhande(), &rook()), Comparison::Search);
    assert!(matches!(compare(&rook(), &rook()), Comparison::Same(_)));
    // Two triangles and a hexagon.
    let triangles = plain(6, [(0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)]);
    let hexagon = plain(6, (0..6).map(|v| (v, (v + 1) % 6)));
    assert_eq!(compare(&triangles, &hexagon), Comparison::Search);
    let path = plain(6, (0..5).map(|v| (v, v + 1)));
    assert_eq!(compare(&path, &hexagon), Comparison::Arcs(10, 12));
    let coloured = |last| ColouredGraph::undirected(vec![0, 0, last], [(0, 1), (1, 2)]);
    assert_eq!(compare(&coloured(1), &coloured(0)), Comparison::Colours(vec![(0, 2, 3), (1, 1, 0)]));
    let star = plain(4, [(0, 1), (0, 2), (0, 3)]);
    assert_eq!(compare(&star, &plain(4, [(0, 1), (1, 2), (2, 3)])), Comparison::Neighbours);
}

#[test]
fn a_large_graph_takes_little_work() {
    // A torus of 40 x 40 points: 8 * 1,600 symmetries.
    let at = |row: u32, column: u32| row % 40 * 40 + column % 40;
    let points = (0..40).flat_map(|row| (0..40).map(move |column| (row, column)));
    let edges = points.flat_map(|(r, c)| [(at(r, c), at(r, c + 1)), (at(r, c), at(r + 1, c))]);
    let torus = plain(1600, edges.collect::<Vec<_>>());
    let mut meter = Budget::unlimited().with_work(1_000_000).meter();
    assert_eq!(automorphisms(&torus, 1, &mut meter).unwrap().order().value(), Some(12_800));
    // Three hundred pairs of twins.
    let twins = plain(600, (0..300).map(|v| (2 * v, 2 * v + 1)));
    let mut meter = Budget::unlimited().with_work(5_000_000).meter();
    let found = automorphisms(&twins, 1, &mut meter).unwrap();
    let orbits: Vec<u32> = found.base().iter().map(|point| point.orbit).collect();
    assert_eq!(orbits, (1..=300).rev().map(|pairs| 2 * pairs).collect::<Vec<u32>>());
    let error = automorphisms(&torus, 1, &mut Budget::unlimited().with_work(1000).meter());
    assert!(error.is_err());
}

#[test]
fn cycles_are_written_from_their_smallest_vertex() {
    let permutation = Permutation::new([(1, 3), (3, 2), (2, 1), (5, 4), (4, 5), (7, 7)]).unwrap();
    assert_eq!(permutation.cycles(), vec![vec![1, 3, 2], vec![4, 5]]);
    assert!(Permutation::new([(1, 2)]).is_none());
    assert!(Permutation::new([(1, 2), (2, 1), (3, 2)]).is_none());
    assert!(Permutation::default().is_identity());
}
