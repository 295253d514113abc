//! Figures and exercises of book chapter 16, to the digits that are printed or, for exercises, known.

use ludex_game::RoleId;
use ludex_logic::{Budget, TermId};

use super::{Case, assert_digits};
use crate::Subject;
use crate::fuzzy::{FuzzyGoals, FuzzyOptions, FuzzyScratch, Inhibition, Norm, NormChoice, Prospect};

const WHITE: u32 = 0;
const BLACK: u32 = 1;

/// A board of tic-tac-toe with marks such as `x11`; all other cells are blank.
fn board(case: &Case, marks: &[&str]) -> Vec<TermId> {
    let cells = (1..=3).flat_map(|row| (1..=3).map(move |column| (row, column)));
    let fact = |(row, column)| {
        let place = format!("{row}{column}");
        let mark = marks.iter().find(|mark| mark[1..] == place).map_or("b", |mark| &mark[..1]);
        case.term(&format!("(cell {row} {column} {mark})"))
    };
    cells.map(fact).collect()
}

/// What a board is worth.
fn worth(case: &Case, goals: &FuzzyGoals, marks: &[&str]) -> f64 {
    goals.evaluate(&board(case, marks), &mut FuzzyScratch::default())
}

#[test]
fn the_state_of_figure_16_3() {
    let case = Case::bundled("tic-tac-toe");
    let goals = case.goals(WHITE, &FuzzyOptions::book());
    // The picture is missing in the text; the numbers are those of an o on any edge cell.
    for edge in ["o12", "o21", "o23", "o32"] {
        let mut scratch = FuzzyScratch::default();
        let value = goals.evaluate(&board(&case, &["x11", "x33", edge]), &mut scratch);
        let truth = |relation: &str, args: &[&str]| case.truth(&goals, &scratch, relation, args);
        assert_digits(truth("true", &["(cell 1 1 x)"]), "0.9");
        assert_digits(truth("true", &["(cell 2 2 x)"]), "0.1");
        assert_digits(truth("true", &["(cell 3 3 x)"]), "0.9");
        // Of two rules: 0.081 and 0.001.
        assert_digits(truth("diagonal", &["x"]), "0.081919");
        assert_digits(truth("line", &["x"]), "0.116296");
        assert_digits(truth("line", &["o"]), "0.023797");
        assert_digits(truth("goal", &["white", "100"]), "0.113529");
        assert_digits(truth("goal", &["white", "50"]), "0.862674");
        assert_digits(value, "49.589684");
        let truths: Vec<_> = goals.goal_truths(&scratch).collect();
        assert_eq!(truths.iter().map(|(goal, _)| *goal).collect::<Vec<_>>(), [50, 100]);
        assert_digits(truths[0].1, "0.862674");
    }
    // On a corner or in the centre it would be others.
    for other in ["o13", "o22"] {
        assert!((worth(&case, &goals, &["x11", "x33", other]) - 49.589684).abs() > 0.1);
    }
}

#[test]
fn the_first_moves_of_figure_16_4() {
    let case = Case::bundled("tic-tac-toe");
    let goals = case.goals(WHITE, &FuzzyOptions::book());
    assert_digits(worth(&case, &goals, &["x22"]), "49.693");
    for corner in ["x11", "x13", "x31", "x33"] {
        assert_digits(worth(&case, &goals, &[corner]), "49.663");
    }
    for edge in ["x12", "x21", "x23", "x32"] {
        assert_digits(worth(&case, &goals, &[edge]), "49.639");
    }
    // The same, asked at once.
    let initial = case.rules.initial();
    let opening = goals.outlook(&case.rules, initial, RoleId(WHITE), &Budget::unlimited()).unwrap();
    assert_eq!(opening.stopped, None);
    assert_digits(opening.worth, &format!("{:.6}", worth(&case, &goals, &[])));
    let printed: Vec<String> = opening.moves.iter().map(|made| format!("{:.3}", made.least)).collect();
    let [centre, corner, edge] = ["49.693", "49.663", "49.639"];
    assert_eq!(printed, [corner, edge, corner, edge, centre, edge, corner, edge, corner]);
    assert!(opening.moves.iter().all(|made| made.least == made.most), "the other role can only wait");
}

#[test]
fn exercise_16_2_black_replies_in_the_corner() {
    let case = Case::bundled("tic-tac-toe");
    let goals = case.goals(BLACK, &FuzzyOptions::book());
    let won = |marks: &[&str]| {
        let mut scratch = FuzzyScratch::default();
        goals.evaluate(&board(&case, marks), &mut scratch);
        case.truth(&goals, &scratch, "goal", &["black", "100"])
    };
    assert_digits(won(&["x22", "o13"]), "0.03037");
    assert_digits(won(&["x22", "o23"]), "0.02286");
    assert!(worth(&case, &goals, &["x22", "o13"]) > worth(&case, &goals, &["x22", "o23"]));
}

#[test]
fn exercise_16_3_black_takes_a_corner_and_loses() {
    let case = Case::bundled("tic-tac-toe");
    let sides = [case.goals(WHITE, &FuzzyOptions::book()), case.goals(BLACK, &FuzzyOptions::book())];
    let facts = board(&case, &["x13", "x31", "o22"]);
    let facts: Vec<TermId> = facts.into_iter().chain([case.term("(control black)")]).collect();
    let mut state = case.rules.state_of(&facts).unwrap();
    let mut scratch = FuzzyScratch::default();
    let mut made = Vec::new();
    for side in [1, 0].into_iter().cycle() {
        if case.rules.terminal(&state).unwrap() {
            break;
        }
        let roles: Vec<_> = case.rules.roles().collect();
        let other = case.rules.legal(&state, roles[1 - side]).unwrap();
        assert_eq!(case.rules.texts(&other), ["noop"]);
        let options = case.rules.legal(&state, roles[side]).unwrap().into_iter().map(|mark| {
            let joint = if side == 0 { [mark, other[0]] } else { [other[0], mark] };
            let next = case.rules.successor(&state, &joint).unwrap().state;
            (sides[side].evaluate(&case.rules.facts(&next), &mut scratch), mark, next)
        });
        let best = options.max_by(|(a, ..), (b, ..)| a.total_cmp(b)).unwrap();
        made.push(case.rules.text(best.1));
        state = best.2;
    }
    // Black takes a corner, white the other one with two lines at once, of which black can block one at
    // best.
    let corner = |mark: &String| ["mark(1,1)", "mark(3,3)"].contains(&mark.as_str());
    assert!(corner(&made[0]) && corner(&made[1]) && made[0] != made[1], "{made:?}");
    assert_eq!(made.len(), 4, "{made:?}");
    assert_eq!(case.rules.goals(&state).unwrap(), [Some(100), Some(0)]);
}

/// The tiles in place on the boards of exercise 16.4, row by row; 0 is the empty cell.
const BOARDS: [[u32; 16]; 3] = [
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 0, 15],
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 0, 13, 14, 11, 15],
    [1, 2, 3, 4, 5, 6, 7, 8, 10, 13, 11, 12, 9, 14, 15, 0],
];

fn tiles(case: &Case, board: &[u32; 16]) -> Vec<TermId> {
    let fact = |(at, &tile): (usize, &u32)| {
        let tile = if tile == 0 { "b".to_owned() } else { tile.to_string() };
        case.term(&format!("(cell {} {} {tile})", at % 4 + 1, at / 4 + 1))
    };
    board.iter().enumerate().map(fact).collect()
}

#[test]
fn exercises_16_4_and_16_5() {
    let case = Case::bundled("15-puzzle");
    let truth = |options: &FuzzyOptions, board: &[u32; 16]| {
        let mut scratch = FuzzyScratch::default();
        let goals = case.goals(0, options);
        let value = goals.evaluate(&tiles(&case, board), &mut scratch);
        let truth = case.truth(&goals, &scratch, "goal", &["player", "100"]);
        assert!((value - 100.0 * truth).abs() < 1e-12, "the one positive goal has the full weight");
        truth
    };
    let plain = FuzzyOptions::book();
    assert_digits(truth(&plain, &BOARDS[0]), "0.022877");
    assert_digits(truth(&plain, &BOARDS[1]), "0.000282");
    assert_digits(truth(&plain, &BOARDS[2]), "0.000282");
    // 16.5 prints 0.20589 for 0.9 to the 15th, which is 0.205891...
    let solved: [u32; 16] = std::array::from_fn(|at| (at as u32 + 1) % 16);
    assert_digits(truth(&plain, &solved), "0.20589");
    // With the threshold read as printed, from the left, the second and third board would be worth 0.000486
    // and 0.000394; no order of the conjuncts is better than another, and here none matters.
    let threshold = FuzzyOptions { threshold: Some(0.6), ..plain };
    assert_digits(truth(&threshold, &BOARDS[0]), "0.0600");
    assert_digits(truth(&threshold, &BOARDS[1]), "0.000600");
    assert_digits(truth(&threshold, &BOARDS[2]), "0.000600");
    assert_digits(truth(&threshold, &solved), "0.6");
}

/// 16.2 and 16.6: positions are judged by how many tiles are in place.
#[test]
fn the_15_puzzle_is_judged_by_tiles_in_place() {
    let case = Case::bundled("15-puzzle");
    let yager = NormChoice::Yager { q: None };
    for options in [FuzzyOptions::default(), FuzzyOptions { norm: yager, ..FuzzyOptions::default() }] {
        let goals = case.goals(0, &options);
        let home = |tile: usize| {
            case.term(&format!("(cell {} {} {})", (tile - 1) % 4 + 1, (tile - 1) / 4 + 1, tile))
        };
        let homes: Vec<TermId> = (1..=15).map(home).collect();
        let mut scratch = FuzzyScratch::default();
        // The best and the worst value for each number of tiles in place, along a solution.
        let mut seen = [(f64::INFINITY, f64::NEG_INFINITY); 16];
        let mut position = case.rules.start();
        let solution = "left up right down down left down right up left down right right up up up right down \
                        left up right down down down";
        let mut moves = solution.split_whitespace();
        let last = loop {
            let facts = position.facts();
            let value = goals.evaluate(&facts, &mut scratch);
            let count = homes.iter().filter(|tile| facts.contains(tile)).count();
            seen[count] = (seen[count].0.min(value), seen[count].1.max(value));
            let Some(action) = moves.next() else { break value };
            position.play(&[action]).unwrap();
        };
        assert!(position.terminal().unwrap());
        let seen: Vec<(f64, f64)> = seen.into_iter().filter(|(least, _)| least.is_finite()).collect();
        assert!(seen.len() > 5, "{seen:?}");
        assert!(seen.iter().all(|(least, most)| most - least <= 1e-9 * most), "{seen:?}");
        assert!(seen.windows(2).all(|pair| pair[0].1 < pair[1].0), "{seen:?}");
        assert!(last > 50.0, "what is true is more than half true: {last}");
    }
}

/// 16.5, limitations: two of three marks are worth as much with a blocked third cell as with a blank one,
/// unless it is known that marks stay.
#[test]
fn what_an_active_latch_inhibits_is_false_for_good() {
    let case = Case::bundled("tic-tac-toe");
    let plain = case.goals(WHITE, &FuzzyOptions::book());
    let row = |goals: &FuzzyGoals, marks: &[&str]| {
        let mut scratch = FuzzyScratch::default();
        goals.evaluate(&board(&case, marks), &mut scratch);
        case.truth(goals, &scratch, "row", &["1", "x"])
    };
    let (open, blocked) = (["x11", "x12", "o33"], ["x11", "x12", "o13"]);
    assert_digits(row(&plain, &open), "0.081");
    assert_digits(row(&plain, &blocked), "0.081");
    let cells = (1..=3).flat_map(|row| (1..=3).map(move |column| (row, column)));
    let stays = cells.flat_map(|(row, column)| {
        let mark = |mark: &str| case.term(&format!("(cell {row} {column} {mark})"));
        [(mark("o"), mark("x")), (mark("x"), mark("o"))]
    });
    let inhibitions = stays.map(|(by, inhibited)| Inhibition { by, value: true, inhibited });
    let unlimited = Budget::unlimited();
    let knowing = plain.clone().with_inhibitions(&case.faithful, inhibitions, &unlimited).unwrap();
    // The proof finds the same.
    let effort = crate::latches::LatchEffort::default();
    let latches = crate::latches::Latches::find(&Subject::new(&case.rules), &effort, &unlimited).unwrap();
    let proved = plain.clone().with_latches(&latches, &unlimited).unwrap();
    for goals in [&knowing, &proved] {
        assert_digits(row(goals, &open), "0.081");
        assert_eq!(row(goals, &blocked), 0.0);
    }
    // The same by the bases.
    let lost = case.term("(cell 1 3 x)");
    let facts = board(&case, &blocked);
    let mut scratch = FuzzyScratch::default();
    plain.evaluate_bases(
        |base| match case.faithful.base_term(base) {
            term if facts.contains(&term) => Prospect::Holds,
            term if term == lost => Prospect::Lost,
            _ => Prospect::Fails,
        },
        &mut scratch,
    );
    assert_eq!(case.truth(&plain, &scratch, "row", &["1", "x"]), 0.0);
    assert_digits(case.truth(&plain, &scratch, "row", &["2", "x"]), "0.001");
}

#[test]
fn tau_and_q_follow_the_formulas() {
    let small = Case::bundled("tic-tac-toe");
    let long = Case::bundled("15-puzzle");
    // 0.9 will do for lines of three, and not for a conjunction of fifteen.
    assert_eq!(small.goals(WHITE, &FuzzyOptions::default()).tau(), 0.9);
    assert_eq!(long.goals(0, &FuzzyOptions::default()).tau(), 0.975);
    let yager = FuzzyOptions { norm: NormChoice::Yager { q: None }, ..FuzzyOptions::default() };
    let power = |case: &Case| match case.goals(0, &yager).norm() {
        Norm::Yager { q } => q,
        Norm::Product => panic!("another norm"),
    };
    // Fifteen false parts are not clipped; with the q before they would be.
    let clips = |q: f64| 15.0 * 0.75f64.powf(q) >= 1.0;
    assert!(!clips(power(&long)) && clips(power(&long) / 2f64.sqrt()), "{}", power(&long));
    // A q that is given stays, and then few false parts are as many.
    let coarse = FuzzyOptions { norm: NormChoice::Yager { q: Some(2.0) }, ..FuzzyOptions::book() };
    let goals = long.goals(0, &coarse);
    let worth = |board| goals.evaluate(&tiles(&long, board), &mut FuzzyScratch::default());
    assert!(worth(&BOARDS[0]) > worth(&BOARDS[1]));
    assert_eq!([worth(&BOARDS[1]), worth(&BOARDS[2])], [0.0, 0.0]);
    // Lines of three are clipped by no more than the alternatives of a line demand.
    assert!(power(&small) <= power(&long));
}
