//! Solutions of the single-player games, and the ways to win that luck does not find.

use ludex_game::{ActionId, Machine};

use super::table::Table;

/// What the plan of a single player is worth; it must end the game.
#[track_caller]
fn worth<'a>(table: &Table, plan: impl IntoIterator<Item = &'a str>) -> Option<u32> {
    let mut runner = table.after_plan(plan);
    assert!(runner.terminal().unwrap(), "the plan is not complete");
    let role = table.machine.signature().role_ids().next().unwrap();
    runner.goal(role).unwrap()
}

/// All sequences of a single player's moves that win, with the number of all sequences.
fn solutions(table: &Table) -> (Vec<String>, usize) {
    let signature = table.machine.signature();
    let text = |path: &[Vec<ActionId>]| {
        let moves = path.iter().map(|joint| signature.terms().prefix(signature.action(joint[0])));
        moves.collect::<Vec<_>>().join(" ")
    };
    let (mut found, mut all) = (Vec::new(), 0);
    table.endings(&mut |path, goals| {
        all += 1;
        if goals == [Some(100)] {
            found.push(text(path));
        }
    });
    (found, all)
}

#[test]
fn eight_puzzle_plans_of_section_5_4() {
    let table = Table::of("8-puzzle");
    let worth = |plan: &str| worth(&table, plan.split(' '));
    assert_eq!(worth("right left right left right left right left"), Some(40));
    // The book says 50.
    assert_eq!(worth("right right left right left right left right"), Some(40));
    assert_eq!(worth("right down right down"), Some(100));
    assert_eq!(worth("right down left right right down"), Some(100));
    assert_eq!(worth("right down left right left right right down"), Some(100));
}

#[test]
fn fifteen_puzzle() {
    let plan = "left up right down down left down right up left down right right up up up right down \
                left up right down down down";
    assert_eq!(worth(&Table::of("15-puzzle"), plan.split(' ')), Some(100));
}

#[test]
fn blocks_world() {
    let (found, all) = solutions(&Table::of("blocks-world"));
    assert_eq!(found, ["(unstack c a) (stack b c) (stack a b)"]);
    assert_eq!(all, 14);
}

#[test]
fn hanoi_takes_31_moves() {
    fn tower(discs: u32, from: &str, to: &str, over: &str, plan: &mut Vec<String>) {
        if discs > 0 {
            tower(discs - 1, from, over, to, plan);
            plan.push(format!("(move {from} {to})"));
            tower(discs - 1, over, to, from, plan);
        }
    }
    let mut plan = Vec::new();
    tower(5, "a", "c", "b", &mut plan);
    assert_eq!(plan.len(), 31);
    assert_eq!(worth(&Table::of("hanoi"), plan.iter().map(String::as_str)), Some(100));
}

#[test]
fn buttons_and_lights_in_both_readings() {
    let (found, all) = solutions(&Table::of("buttons-and-lights"));
    assert_eq!((found.as_slice(), all), (["a b a c b a", "a b c a b a"].map(String::from).as_slice(), 729));
    // 29, and three models for each of them where the move after the end is counted: 87.
    let (found, all) = solutions(&Table::of("buttons-and-lights-copy"));
    assert_eq!((found.len(), all), (29, 729));
}

#[test]
fn compound_buttons_and_lights() {
    let pressed = |group: u32| "a b a c b a".split(' ').map(move |b| format!("({b} {group})"));
    let middle: Vec<_> = pressed(2).collect();
    let first: Vec<_> = pressed(1).collect();
    let plan = |moves: &[String], name: &str| worth(&Table::of(name), moves.iter().map(String::as_str));
    assert_eq!(plan(&middle, "multiple-buttons-and-lights"), Some(100));
    assert_eq!(plan(&middle, "best-buttons-and-lights"), Some(100));
    assert_eq!(plan(&first, "best-buttons-and-lights"), Some(100));
    let both: Vec<_> = first.iter().chain(&middle).cloned().collect();
    assert_eq!(plan(&both, "multiple-buttons-and-lights"), Some(100), "pressing leaves other groups alone");
    let joint = ["aaa", "bbb", "aac", "cca", "bbb", "aaa"];
    assert_eq!(worth(&Table::of("joint-buttons-and-lights"), joint), Some(100));
}

#[test]
fn untwisty_corridor_has_one_way() {
    let (found, all) = solutions(&Table::of("untwisty-corridor"));
    assert_eq!((found.as_slice(), all), (["d d d d d d d".to_owned()].as_slice(), 16_384));
}

#[test]
fn a_knights_tour() {
    let cells = "23 15 34 55 43 51 32 44 25 13 21 42 54 35 14 22 41 53 45 24 12 33 52 31";
    let plan: Vec<_> = cells.split(' ').map(|c| format!("(move {} {})", &c[..1], &c[1..])).collect();
    assert_eq!(worth(&Table::of("knights-tour"), plan.iter().map(String::as_str)), Some(100));
}

#[test]
fn the_maze_has_a_way_of_twelve_steps() {
    let way = "east north west north east east east east north west north east".split(' ');
    assert_eq!(worth(&Table::of("maze"), way.clone()), Some(100));
    let longer = ["east", "west"].into_iter().chain(way);
    assert_eq!(worth(&Table::of("maze"), longer), Some(60));
}

#[test]
fn sudoku_has_its_solution() {
    let solution = "365897241784152639192346587547283196639514872\
                    218769354873421965426935718951678423";
    let table = Table::of("sudoku");
    let given = table.facts(&*table.runner());
    let mut plan = Vec::new();
    for (place, digit) in solution.chars().enumerate() {
        let (x, y) = (place % 9 + 1, place / 9 + 1);
        if given.contains(&format!("(cell {x} {y} b)")) {
            plan.push(format!("(mark {x} {y} {digit})"));
        } else {
            assert!(given.contains(&format!("(cell {x} {y} {digit})")));
        }
    }
    assert_eq!(worth(&table, plan.iter().map(String::as_str)), Some(100));
}

#[test]
fn defecting_against_a_cooperator_earns_all() {
    let table = Table::of("prisoners-dilemma");
    let mut runner = table.after(&table.joints(&[["defect", "cooperate"].as_slice(); 10]));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "left"), Some(100));
    assert_eq!(table.goal(&mut *runner, "right"), Some(0));
    let mut runner = table.after(&table.joints(&[["cooperate"; 2].as_slice(); 10]));
    assert_eq!(table.goal(&mut *runner, "right"), Some(60));
}

#[test]
fn the_lowest_unique_number_wins() {
    let table = Table::of("lowest-unique");
    let [two, four, six] = ["(choose 2)", "(choose 4)", "(choose 6)"];
    let round = [two, two, six, four, six, six];
    let mut runner = table.after(&table.joints(&[round.as_slice(); 5]));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "south"), Some(100));
    assert_eq!(table.goal(&mut *runner, "north"), Some(0));
}

#[test]
fn compound_games_end_with_their_parts() {
    // Only the middle board counts: a line on the first one changes nothing.
    let table = Table::of("multiple-tic-tac-toe");
    let moves: [[&str; 2]; 5] = [
        ["(mark 1 1 1)", "noop"],
        ["noop", "(mark 2 1 1)"],
        ["(mark 1 1 2)", "noop"],
        ["noop", "(mark 2 1 2)"],
        ["(mark 1 1 3)", "noop"],
    ];
    let joints: Vec<&[&str]> = moves.iter().map(<[_; 2]>::as_slice).collect();
    let mut runner = table.after(&table.joints(&joints));
    assert!(!runner.terminal().unwrap());
    runner.step(&[table.action("noop"), table.action("(mark 2 1 3)")]).unwrap();
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "black"), Some(100));

    // A line that is won with the centre.
    let table = Table::of("joint-tic-tac-toe");
    let moves: [[&str; 2]; 3] =
        [["(marks 2 2 4 2)", "noop"], ["noop", "(marks 1 1 5 1)"], ["(marks 3 2 7 1)", "noop"]];
    let joints: Vec<&[&str]> = moves.iter().map(<[_; 2]>::as_slice).collect();
    let mut runner = table.after(&table.joints(&joints));
    assert!(runner.terminal().unwrap());
    assert_eq!(table.goal(&mut *runner, "white"), Some(100));
}
