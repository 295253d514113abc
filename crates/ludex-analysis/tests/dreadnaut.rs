//! Orders of automorphism groups as `dreadnaut` (nauty, by McKay and Piperno) finds them. Where it is not
//! installed, the tests say so and pass.

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::{Command, Stdio};

use ludex_analysis::automorphism::{ColouredGraph, automorphisms};
use ludex_game::Rng;
use ludex_logic::Budget;

/// A graph with arcs of one kind, as dreadnaut reads it.
fn input(graph: &ColouredGraph) -> String {
    let count = graph.vertex_count();
    let mut text = format!("As d n={count} -a\ng\n");
    let mut from_now = None;
    for (from, to, _) in graph.arcs() {
        if from_now != Some(from) {
            if from_now.is_some() {
                text.push_str(";\n");
            }
            let _ = write!(text, "{from} :");
            from_now = Some(from);
        }
        let _ = write!(text, " {to}");
    }
    text.push_str(".\nf=[");
    let mut vertices: Vec<u32> = (0..count as u32).collect();
    vertices.sort_by_key(|&vertex| graph.colour(vertex));
    let cells: Vec<String> = vertices
        .chunk_by(|&a, &b| graph.colour(a) == graph.colour(b))
        .map(|cell| cell.iter().map(ToString::to_string).collect::<Vec<_>>().join(","))
        .collect();
    let _ = write!(text, "{}]\nx\nq\n", cells.join("|"));
    text
}

/// The order that dreadnaut finds; `None` where there is no dreadnaut.
fn order(graph: &ColouredGraph) -> Option<f64> {
    let program = Command::new("dreadnaut").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut program = program.ok()?;
    program.stdin.take().unwrap().write_all(input(graph).as_bytes()).unwrap();
    let output = String::from_utf8(program.wait_with_output().unwrap().stdout).unwrap();
    let (_, after) = output.split_once("grpsize=").unwrap_or_else(|| panic!("{output}"));
    Some(after.split(';').next().unwrap().parse().unwrap())
}

/// Whether there is a dreadnaut; says so where there is none.
fn compare(graph: &ColouredGraph, name: &str) -> bool {
    let Some(expected) = order(graph) else {
        eprintln!("skipped {name}: no `dreadnaut` on the path (Debian package nauty)");
        return false;
    };
    let found = automorphisms(graph, u32::MAX, &mut Budget::unlimited().meter()).unwrap().order();
    let found: f64 = found.to_string().parse().unwrap();
    assert!((found / expected - 1.0).abs() < 1e-9, "{name}: {found}, not {expected}");
    true
}

#[test]
fn random_graphs_have_the_same_orders() {
    for seed in ludex_testkit::seeds(60) {
        let mut rng = Rng::from_seed(seed);
        let mut below = |bound: u32| rng.below(bound.into()) as u32;
        let (count, colours, sparse) = (2 + below(30), 1 + below(2), 1 + below(16));
        let mut arcs = Vec::new();
        for from in 0..count {
            for to in 0..count {
                if from != to && below(16) < sparse {
                    arcs.push((from, to));
                }
            }
        }
        let colours: Vec<u32> = (0..count).map(|_| below(colours)).collect();
        let directed = arcs.iter().map(|&(from, to)| (from, to, 0));
        let directed = ColouredGraph::new(colours.clone(), directed);
        // Few arcs in all leave many symmetries.
        let few = arcs.iter().take(count as usize / 2).copied();
        let undirected = ColouredGraph::undirected(colours, few);
        for graph in [directed, undirected] {
            if !compare(&graph, &format!("random graphs, seed {seed}")) {
                return;
            }
        }
    }
}
