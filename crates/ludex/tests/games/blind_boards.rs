//! Boards on which one sees only what is one's own.

use std::collections::{BTreeMap, BTreeSet};

use super::model::{Model, Texts, compare, numbers, texts, words};
use super::news::possible;
use super::table::{Table, set};

const LINES: [[usize; 3]; 8] =
    [[0, 1, 2], [3, 4, 5], [6, 7, 8], [0, 3, 6], [1, 4, 7], [2, 5, 8], [0, 4, 8], [2, 4, 6]];

/// Krieg-tic-tac-toe: cell `3 * (m - 1) + n - 1` is in row m and column n.
struct Krieg {
    refusal_loses_turn: bool,
    marks: [Option<usize>; 9],
    tried: [[bool; 9]; 2],
    turn: usize,
}

impl Krieg {
    fn new(refusal_loses_turn: bool) -> Self {
        Self { refusal_loses_turn, marks: [None; 9], tried: [[false; 9]; 2], turn: 0 }
    }

    fn winner(&self) -> Option<usize> {
        let owner = |line: &[usize; 3]| {
            self.marks[line[0]].filter(|_| line.iter().all(|&c| self.marks[c] == self.marks[line[0]]))
        };
        LINES.iter().find_map(owner)
    }
}

impl Model for Krieg {
    fn legal(&self, role: usize) -> Texts {
        if role != self.turn {
            return texts(["noop"]);
        }
        let open = (0..9).filter(|&cell| !self.tried[role][cell]);
        open.map(|cell| format!("(mark {} {})", cell / 3 + 1, cell % 3 + 1)).collect()
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let mover = self.turn;
        let at = numbers(&joint[mover]);
        let cell = 3 * (at[0] - 1) + at[1] - 1;
        self.tried[mover][cell] = true;
        let set = self.marks[cell].is_none();
        if set {
            self.marks[cell] = Some(mover);
        }
        if set || self.refusal_loses_turn {
            self.turn = 1 - mover;
        }
        let mut sight = vec![Texts::new(); 2];
        for (role, sees) in sight.iter_mut().enumerate() {
            if role == mover || !self.refusal_loses_turn {
                sees.insert(if set { "set" } else { "refused" }.to_owned());
            }
            sees.extend(self.winner().map(|w| format!("(line_of {})", ["white", "black"][w])));
            if self.refusal_loses_turn && self.marks.iter().all(Option::is_some) {
                sees.insert("full".to_owned());
            }
        }
        sight
    }

    fn goals(&self) -> Option<Vec<u32>> {
        match self.winner() {
            Some(winner) => Some(vec![100 * (1 - winner as u32), 100 * winner as u32]),
            None if self.marks.iter().all(Option::is_some) => Some(vec![50, 50]),
            None => None,
        }
    }
}

#[test]
fn krieg_tic_tac_toe_is_as_written_in_rust() {
    compare("krieg-tic-tac-toe", 300, || Krieg::new(false));
    compare("krieg-tic-tac-toe-lost-turn", 300, || Krieg::new(true));
}

#[test]
fn a_refusal_tells_where_a_mark_is() {
    let table = Table::of("krieg-tic-tac-toe");
    let white: [(&str, &[&str]); 3] = [("(mark 2 2)", &["set"]), ("noop", &["refused"]), ("noop", &["set"])];
    assert_eq!(possible(&table, "white", &white[..1]).len(), 1);
    // Black can only have been refused in the centre, and then has one of eight cells.
    assert_eq!(possible(&table, "white", &white[..2]).len(), 1);
    assert_eq!(possible(&table, "white", &white).len(), 8);
    // Black knows nothing of nine cells, and after a refusal everything.
    let black: [(&str, &[&str]); 2] = [("noop", &["set"]), ("(mark 2 2)", &["refused"])];
    assert_eq!(possible(&table, "black", &black[..1]).len(), 9);
    assert_eq!(possible(&table, "black", &black).len(), 1);

    // Where nothing is said to white, black may have met the mark or set one of eight.
    let table = Table::of("krieg-tic-tac-toe-lost-turn");
    let white: [(&str, &[&str]); 2] = [("(mark 2 2)", &["set"]), ("noop", &[])];
    assert_eq!(possible(&table, "white", &white).len(), 9);
}

/// Blind breakthrough: pawns by column and row.
struct Breakthrough {
    pawns: BTreeMap<(usize, usize), usize>,
    refused: BTreeSet<(usize, usize)>,
    turn: usize,
}

impl Breakthrough {
    fn new() -> Self {
        let rows = [(1, 0), (2, 0), (4, 1), (5, 1)];
        let pawns = rows.iter().flat_map(|&(y, owner)| (1..=5).map(move |x| ((x, y), owner))).collect();
        Self { pawns, refused: BTreeSet::new(), turn: 0 }
    }

    fn owner(&self, x: usize, y: usize) -> Option<usize> {
        self.pawns.get(&(x, y)).copied()
    }

    fn winner(&self) -> Option<usize> {
        let has = |role, y| (1..=5).any(|x| self.owner(x, y) == Some(role));
        let alive = |role| self.pawns.values().any(|&owner| owner == role);
        (0..2).find(|&role| has(role, [5, 1][role]) || !alive(1 - role))
    }
}

impl Model for Breakthrough {
    fn legal(&self, role: usize) -> Texts {
        if role != self.turn {
            return texts(["noop"]);
        }
        let mut moves = Texts::new();
        for (&(x, y), _) in self.pawns.iter().filter(|&(_, &owner)| owner == role) {
            let v = if role == 0 { y + 1 } else { y - 1 };
            for u in x - 1..=x + 1 {
                let straight_refused = u == x && self.refused.contains(&(x, y));
                if (1..=5).contains(&u) && self.owner(u, v) != Some(role) && !straight_refused {
                    moves.insert(format!("(move {x} {y} {u} {v})"));
                }
            }
        }
        moves
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let mover = self.turn;
        let at = numbers(&joint[mover]);
        let (x, y, u, v) = (at[0], at[1], at[2], at[3]);
        let met = self.owner(u, v);
        if met.is_some() && x == u {
            self.refused.insert((x, y));
            return vec![texts(["refused"]); 2];
        }
        self.pawns.remove(&(x, y));
        self.pawns.insert((u, v), mover);
        self.refused.clear();
        self.turn = 1 - mover;
        let mut said = texts(["moved"]);
        said.extend(met.map(|_| format!("(captured {u} {v})")));
        if v == [5, 1][mover] {
            said.insert(format!("(arrived {})", ["white", "black"][mover]));
        }
        vec![said; 2]
    }

    fn goals(&self) -> Option<Vec<u32>> {
        self.winner().map(|winner| vec![100 * (1 - winner as u32), 100 * winner as u32])
    }
}

#[test]
fn blind_breakthrough_is_as_written_in_rust() {
    compare("blind-breakthrough", 300, Breakthrough::new);
}

#[test]
fn a_pawn_that_is_met_is_refused_until_something_else_is_moved() {
    let table = Table::of("blind-breakthrough");
    // Each of white's thirteen moves leads to another state, none of which black can tell from the others.
    assert_eq!(possible(&table, "black", &[("noop", &["moved"])]).len(), 13);
    let moves: [&[&str]; 3] =
        [&["(move 3 2 3 3)", "noop"], &["noop", "(move 1 4 1 3)"], &["(move 3 3 3 4)", "noop"]];
    let mut runner = table.after(&table.joints(&moves));
    assert_eq!(table.percepts(&*runner, "white"), ["refused"]);
    assert_eq!(table.percepts(&*runner, "black"), ["refused"]);
    assert!(table.facts(&*runner).is_superset(&set(["(control white)", "(refused 3 3)"])));
    assert!(!table.legal(&mut *runner, "white").contains("(move 3 3 3 4)"));
    let capture = table.joints(&[&["(move 3 3 4 4)", "noop"]]);
    runner.step(&capture[0]).unwrap();
    assert_eq!(table.percepts(&*runner, "black"), ["moved", "(captured 4 4)"]);
    assert!(!table.facts(&*runner).iter().any(|fact| fact.starts_with("(refused")));
}

/// Column and row.
type Cell = (usize, usize);

/// Battleship: for each player the ships with their cells, and the cells that were fired at.
#[derive(Default)]
struct Battleship {
    ships: [Vec<(&'static str, Vec<Cell>)>; 2],
    shots: [BTreeSet<Cell>; 2],
}

/// The cells of a ship, where it fits.
fn cells(length: usize, x: usize, y: usize, across: bool) -> Option<Vec<Cell>> {
    let cell = |k| if across { (x + k, y) } else { (x, y + k) };
    let cells: Vec<_> = (0..length).map(cell).collect();
    cells.iter().all(|&(x, y)| x <= 5 && y <= 5).then_some(cells)
}

fn everywhere() -> impl Iterator<Item = Cell> {
    (1..=5).flat_map(|x| (1..=5).map(move |y| (x, y)))
}

impl Battleship {
    fn next_ship(&self) -> Option<(&'static str, usize)> {
        [("cruiser", 3), ("destroyer", 2)].get(self.ships[0].len()).copied()
    }

    fn is_sunk(&self, role: usize, ship: usize) -> bool {
        self.ships[role][ship].1.iter().all(|cell| self.shots[role].contains(cell))
    }
}

impl Model for Battleship {
    fn legal(&self, role: usize) -> Texts {
        let Some((name, length)) = self.next_ship() else {
            let open = everywhere().filter(|cell| !self.shots[1 - role].contains(cell));
            return open.map(|(x, y)| format!("(fire {x} {y})")).collect();
        };
        let taken: Vec<_> = self.ships[role].iter().flat_map(|(_, cells)| cells).collect();
        let mut moves = Texts::new();
        for (x, y) in everywhere() {
            for (across, direction) in [(true, "across"), (false, "up")] {
                let fits = cells(length, x, y, across);
                if fits.is_some_and(|cells| cells.iter().all(|cell| !taken.contains(&cell))) {
                    moves.insert(format!("(place {name} {x} {y} {direction})"));
                }
            }
        }
        moves
    }

    fn step(&mut self, joint: &[String]) -> Vec<Texts> {
        let at: Vec<_> = joint.iter().map(|text| (numbers(text)[0], numbers(text)[1])).collect();
        if let Some((name, length)) = self.next_ship() {
            for role in 0..2 {
                let across = words(&joint[role])[4] == "across";
                self.ships[role].push((name, cells(length, at[role].0, at[role].1, across).unwrap()));
            }
            return vec![Texts::new(); 2];
        }
        let before: Vec<Vec<bool>> =
            (0..2).map(|role| (0..2).map(|ship| self.is_sunk(role, ship)).collect()).collect();
        for (role, &cell) in at.iter().enumerate() {
            self.shots[1 - role].insert(cell);
        }
        let see = |role: usize| {
            let other = 1 - role;
            let hit = self.ships[other].iter().any(|(_, cells)| cells.contains(&at[role]));
            let mut sees = texts([if hit { "hit" } else { "miss" }]);
            sees.insert(format!("(fired_at {} {})", at[other].0, at[other].1));
            let sunk = (0..2).filter(|&ship| self.is_sunk(other, ship) && !before[other][ship]);
            sees.extend(sunk.map(|ship| format!("(sunk {})", self.ships[other][ship].0)));
            sees
        };
        (0..2).map(see).collect()
    }

    fn goals(&self) -> Option<Vec<u32>> {
        if self.next_ship().is_some() {
            return None;
        }
        let lost = [0, 1].map(|role| (0..2).all(|ship| self.is_sunk(role, ship)));
        match lost {
            [false, false] => None,
            [true, true] => Some(vec![50, 50]),
            [white, black] => Some(vec![100 * u32::from(black), 100 * u32::from(white)]),
        }
    }
}

#[test]
fn battleship_is_as_written_in_rust() {
    compare("battleship", 60, Battleship::default);
}

#[test]
fn a_fleet_can_lie_in_so_many_ways() {
    let mut fleets = BTreeSet::new();
    for ((x, y), (v, w)) in everywhere().flat_map(|at| everywhere().map(move |other| (at, other))) {
        for (one, other) in [(true, true), (true, false), (false, true), (false, false)] {
            let (Some(cruiser), Some(destroyer)) = (cells(3, x, y, one), cells(2, v, w, other)) else {
                continue;
            };
            if cruiser.iter().all(|cell| !destroyer.contains(cell)) {
                fleets.insert((cruiser, destroyer));
            }
        }
    }
    let table = Table::of("battleship");
    let own: [(&str, &[&str]); 3] = [
        ("(place cruiser 1 1 across)", &[]),
        ("(place destroyer 1 2 up)", &[]),
        ("(fire 3 3)", &["hit", "(fired_at 5 5)"]),
    ];
    assert_eq!(possible(&table, "bob", &own[..2]).len(), fleets.len());
    let hit =
        fleets.iter().filter(|(cruiser, destroyer)| cruiser.contains(&(3, 3)) || destroyer.contains(&(3, 3)));
    assert_eq!(possible(&table, "bob", &own).len(), hit.count());
}
