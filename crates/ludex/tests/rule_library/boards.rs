//! Boards by geometry, lines and chains by enumeration.

use std::collections::BTreeSet;

use ludex::gdl::Notation;

use super::{game, model, rules, texts};

/// Directions with what one step changes.
const DIRECTIONS: [(&str, i64, i64); 8] = [
    ("north", 0, 1),
    ("south", 0, -1),
    ("east", 1, 0),
    ("west", -1, 0),
    ("northeast", 1, 1),
    ("northwest", -1, 1),
    ("southeast", 1, -1),
    ("southwest", -1, -1),
];

/// Sizes of boards that are looked at.
const SIZES: [(u32, u32); 5] = [(1, 1), (1, 4), (3, 3), (4, 2), (5, 6)];

fn cells((width, height): (u32, u32)) -> impl Iterator<Item = (i64, i64)> {
    (1..=i64::from(width)).flat_map(move |x| (1..=i64::from(height)).map(move |y| (x, y)))
}

fn is_on((width, height): (u32, u32), x: i64, y: i64) -> bool {
    (1..=i64::from(width)).contains(&x) && (1..=i64::from(height)).contains(&y)
}

/// Pairs of cells for which something holds.
fn pairs(size: (u32, u32), holds: impl Fn(i64, i64) -> bool) -> BTreeSet<Vec<String>> {
    let all = cells(size).flat_map(|(x, y)| cells(size).map(move |(u, v)| (x, y, u, v)));
    texts(all.filter(|(x, y, u, v)| holds(u - x, v - y)).map(|(x, y, u, v)| [x, y, u, v].map(|n| n as u32)))
}

#[test]
fn neighbours_and_distances_are_as_in_geometry() {
    for size in SIZES {
        let set = [("width", size.0), ("height", size.1)];
        let is_one = |i: i64, j: i64| i.abs() <= 1 && j.abs() <= 1 && (i, j) != (0, 0);
        let board = |relation| model("board", relation, &set);
        assert_eq!(board("location"), texts(cells(size).map(|(x, y)| [x as u32, y as u32])));
        assert_eq!(board("adjacent"), pairs(size, |i, j| i.abs() + j.abs() == 1));
        assert_eq!(board("touching"), pairs(size, is_one));
        assert_eq!(board("hex_adjacent"), pairs(size, |i, j| is_one(i, j) && i != j));
        let distances = cells(size).flat_map(|(x, y)| {
            cells(size).map(move |(u, v)| [x, y, u, v, (x - u).abs() + (y - v).abs()].map(|n| n as u32))
        });
        assert_eq!(board("distance"), texts(distances));
    }
}

#[test]
fn steps_and_rays_lead_in_their_directions() {
    for size in SIZES {
        let set = [("width", size.0), ("height", size.1)];
        let (mut steps, mut rays) = (BTreeSet::new(), BTreeSet::new());
        for (x, y) in cells(size) {
            for (name, i, j) in DIRECTIONS {
                for far in 1..10 {
                    let (u, v) = (x + i * far, y + j * far);
                    if is_on(size, u, v) {
                        let tuple = [x, y, u, v].map(|n| n.to_string());
                        let tuple: Vec<String> = [name.to_owned()].into_iter().chain(tuple).collect();
                        if far == 1 {
                            steps.insert(tuple.clone());
                        }
                        rays.insert(tuple);
                    }
                }
            }
        }
        assert_eq!(model("board", "toward", &set), steps);
        assert_eq!(model("board", "ray", &set), rays);
    }
    for (relation, count) in [("straight", 4), ("diagonal", 4), ("hexagonal", 6)] {
        assert_eq!(model("board", relation, &[]).len(), count);
    }
}

#[test]
fn the_largest_board_has_all_its_cells() {
    let set = [("width", 19), ("height", 19)];
    assert_eq!(model("board", "location", &set).len(), 361);
    assert_eq!(model("board", "adjacent", &set).len(), 4 * 19 * 18);
}

/// The lines of some length on a board: direction, first cell, all cells.
fn lines(size: (u32, u32), length: u32, names: &[&str]) -> Vec<(String, Vec<(i64, i64)>)> {
    let mut found = Vec::new();
    for (name, i, j) in DIRECTIONS.into_iter().filter(|(name, ..)| names.contains(name)) {
        for (x, y) in cells(size) {
            let line: Vec<(i64, i64)> = (0..i64::from(length)).map(|n| (x + i * n, y + j * n)).collect();
            if line.iter().all(|&(x, y)| is_on(size, x, y)) {
                found.push((name.to_owned(), line));
            }
        }
    }
    found
}

const LINES: [(u32, &[&str]); 3] = [
    (4, &["east", "north"]),
    (6, &["east", "north", "southeast"]),
    (8, &["east", "north", "northeast", "southeast"]),
];

#[test]
fn lines_are_those_that_can_be_enumerated() {
    for (size, length) in [((3, 3), 3), ((4, 2), 2), ((1, 5), 4), ((6, 5), 5), ((10, 1), 10)] {
        for (directions, names) in LINES {
            let set = [("width", size.0), ("height", size.1), ("length", length), ("directions", directions)];
            let expected = lines(size, length, names);
            let first = expected
                .iter()
                .map(|(name, line)| vec![name.clone(), line[0].0.to_string(), line[0].1.to_string()]);
            assert_eq!(model("lines", "line", &set), first.collect());
            let on = expected.iter().flat_map(|(name, line)| {
                line.iter().map(|(u, v)| {
                    let numbers = [line[0].0, line[0].1, *u, *v].map(|n| n.to_string());
                    [name.clone()].into_iter().chain(numbers).collect()
                })
            });
            assert_eq!(model("lines", "on_line", &set), on.collect());
        }
    }
}

/// Legal moves `(claim R)` in a state with these pieces, where the rules say of whom a relation holds.
fn claims(text: &str, relation: &str, pieces: &[(i64, i64, &str)]) -> BTreeSet<String> {
    let cells: String = pieces.iter().map(|(x, y, role)| format!("(init (cell {x} {y} {role}))\n")).collect();
    let game = game(&format!(
        "{text}\n{cells}(role black)\n(role white)\n(legal white wait)\n(legal black wait)\n(init something)\n\
         (<= (legal white (claim ?r)) ({relation} ?r))\n(goal white 0)\n(goal black 0)\n\
         (<= terminal (true nothing))\n(<= (next (cell ?x ?y ?r)) (true (cell ?x ?y ?r)))\n"
    ));
    let white = game.find_role("white").unwrap();
    game.start().legal_texts(white).unwrap().into_iter().filter(|text| text != "wait").collect()
}

/// Pieces in all ways on a small board, or some of them where there are many.
fn positions(size: (u32, u32)) -> Vec<Vec<(i64, i64, &'static str)>> {
    let all: Vec<(i64, i64)> = cells(size).collect();
    let count = 3u64.pow(all.len() as u32);
    (0..count)
        .step_by((count / 150).max(1) as usize)
        .map(|mut number| {
            let mut pieces = Vec::new();
            for &(x, y) in &all {
                match number % 3 {
                    1 => pieces.push((x, y, "white")),
                    2 => pieces.push((x, y, "black")),
                    _ => {}
                }
                number /= 3;
            }
            pieces
        })
        .collect()
}

#[test]
fn who_has_a_line_is_who_owns_all_its_cells() {
    let size = (3, 3);
    let set = [("width", 3), ("height", 3), ("length", 3), ("directions", 8)];
    let text = rules(&[("lines", &["has_line"])], &set, Notation::Prefix);
    for pieces in positions(size) {
        let owns = |role: &str| {
            let lines = lines(size, 3, LINES[2].1);
            lines.iter().any(|(_, line)| {
                line.iter().all(|&(x, y)| {
                    pieces.contains(&(
                        x,
                        y,
                        match role {
                            "white" => "white",
                            _ => "black",
                        },
                    ))
                })
            })
        };
        let expected: BTreeSet<String> = ["white", "black"]
            .into_iter()
            .filter(|role| owns(role))
            .map(|role| format!("(claim {role})"))
            .collect();
        assert_eq!(claims(&text, "has_line", &pieces), expected, "{pieces:?}");
    }
}

#[test]
fn who_connects_has_a_chain_from_below_to_above() {
    let size = (3, 3);
    for neighbours in [4, 6, 8] {
        let set = [("width", 3), ("height", 3), ("neighbours", neighbours)];
        let own = "(<= (chain_start ?r ?x 1) (role ?r) (column ?x))\n\
                   (<= (chain_end ?r ?x 3) (role ?r) (column ?x))\n";
        let text = rules(&[("chains", &[]), ("board", &["column"])], &set, Notation::Prefix) + own;
        let is_beside = |i: i64, j: i64| match neighbours {
            4 => i.abs() + j.abs() == 1,
            6 => i.abs() <= 1 && j.abs() <= 1 && i != j,
            _ => i.abs() <= 1 && j.abs() <= 1 && (i, j) != (0, 0),
        };
        for pieces in positions(size) {
            let mut expected = BTreeSet::new();
            for role in ["white", "black"] {
                let own: Vec<(i64, i64)> =
                    pieces.iter().filter(|piece| piece.2 == role).map(|piece| (piece.0, piece.1)).collect();
                let mut reached: Vec<(i64, i64)> = own.iter().copied().filter(|cell| cell.1 == 1).collect();
                let mut at = 0;
                while at < reached.len() {
                    let (x, y) = reached[at];
                    at += 1;
                    let new: Vec<_> = own
                        .iter()
                        .filter(|(u, v)| is_beside(u - x, v - y) && !reached.contains(&(*u, *v)))
                        .copied()
                        .collect();
                    reached.extend(new);
                }
                if reached.iter().any(|cell| cell.1 == 3) {
                    expected.insert(format!("(claim {role})"));
                }
            }
            assert_eq!(claims(&text, "connects", &pieces), expected, "{neighbours}: {pieces:?}");
        }
    }
}
