//! Pictures of real games: the shape is found without names, and every game has a picture.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use ludex_analysis::{BoardShape, Structure, TextStyle};
use ludex_game::{Machine, Rng, RuleMachine, RuleMachineOptions, State};
use ludex_logic::{Budget, Clock, TermId};
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::program_of;

/// The clock of the machine the tests run on.
struct Watch(Instant);

impl Clock for Watch {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }
}

fn budget(seconds: u64) -> Budget {
    #[expect(clippy::disallowed_methods, reason = "a test may look at the clock")]
    let watch = Arc::new(Watch(Instant::now()));
    Budget::unlimited().with_time(watch, Duration::from_secs(seconds))
}

/// A game with its structure.
struct Drawn {
    machine: RuleMachine,
    structure: Structure,
}

/// Reads a rulesheet and looks for its boards; `None` where the rules take too long to prepare.
fn find(path: &Path) -> Option<Drawn> {
    let game = program_of(path).unwrap_or_else(|e| panic!("{e}"));
    let options = RuleMachineOptions { budget: budget(20), tune: false, ..RuleMachineOptions::default() };
    let machine = RuleMachine::new(&game, &options).ok()?;
    let structure = Structure::find(&game, &machine, &budget(5));
    Some(Drawn { machine, structure })
}

/// The facts after some random moves of one seeded game; fewer where it ends or a limit is reached.
fn facts_after(machine: &RuleMachine, moves: usize, seconds: u64) -> Vec<TermId> {
    let budget = budget(seconds);
    let mut runner = machine.runner(&budget);
    let mut rng = Rng::from_seed(7);
    runner.set(machine.initial()).unwrap();
    'game: for _ in 0..moves {
        if !matches!(runner.terminal(), Ok(false)) {
            break;
        }
        let mut joint = Vec::new();
        for role in machine.signature().role_ids() {
            match runner.legal(role).map(|moves| rng.pick(moves).copied()) {
                Ok(Some(action)) => joint.push(action),
                _ => break 'game,
            }
        }
        if runner.step(&joint).is_err() {
            break;
        }
    }
    let mut state = State::default();
    runner.save(&mut state);
    let mut facts = Vec::new();
    machine.facts(&state, &mut facts);
    facts
}

/// Games of different kinds with the moves to make before the picture is taken.
const GALLERY: [(&str, usize); 24] = [
    ("ticTacToe", 5),
    ("connectFour", 20),
    ("breakthrough", 30),
    ("reversi", 20),
    ("checkers-mustjump", 20),
    ("chess_200", 16),
    ("hex", 20),
    ("chineseCheckers6", 12),
    ("copolymer_4", 12),
    ("pentago", 12),
    ("tictactoe_3d_2player", 16),
    ("nineBoardTicTacToe", 20),
    ("sudokuGrade4", 0),
    ("eightPuzzle", 12),
    ("queens31lg", 12),
    ("amazons_10x10", 12),
    ("pacman3p", 12),
    ("mummyMaze2p_2007", 12),
    ("dotsAndBoxesSuicide", 24),
    ("hanoi_6_disks", 0),
    ("blocksWorldParallel", 3),
    ("nim1", 2),
    ("rubiksCube", 5),
    ("biddingTicTacToe", 4),
];

#[test]
fn games_look_as_people_know_them() {
    let Some(corpus) = Corpus::find("games_look_as_people_know_them") else { return };
    for (name, moves) in GALLERY {
        let drawn = find(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
        let facts = facts_after(&drawn.machine, moves, 20);
        let picture = drawn.structure.draw_text(&facts, &TextStyle::PLAIN);
        insta::assert_snapshot!(name, picture);
    }
    let cards = find(&corpus.path("gdl-ii/small_dominion.gdl")).unwrap();
    let facts = facts_after(&cards.machine, 6, 20);
    insta::assert_snapshot!("small_dominion", cards.structure.draw_text(&facts, &TextStyle::PLAIN));
}

#[test]
fn every_game_has_a_picture() {
    let Some(corpus) = Corpus::find("every_game_has_a_picture") else { return };
    let mut boards = 0;
    for path in corpus.rulesheets() {
        let Some(drawn) = find(&path) else {
            eprintln!("{}: takes too long to prepare", stem(&path));
            continue;
        };
        for moves in [0, 2] {
            let facts = facts_after(&drawn.machine, moves, 1);
            let plain = drawn.structure.draw_text(&facts, &TextStyle::PLAIN);
            let coloured = drawn.structure.draw_text(&facts, &TextStyle::ANSI);
            let svg = drawn.structure.draw_svg(&facts);
            assert!(!plain.trim().is_empty() || facts.is_empty(), "{}", path.display());
            assert_eq!(plain, without_colours(&coloured), "{}", path.display());
            assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>\n"), "{}", path.display());
            let open = svg.matches("<g ").count() + svg.matches("<text ").count();
            let closed = svg.matches("</g>").count() + svg.matches("</text>").count();
            assert_eq!(open, closed, "{}", path.display());
        }
        boards += usize::from(!drawn.structure.boards().is_empty());
    }
    assert!(boards > 150, "only {boards} games have a board");
}

#[test]
fn boards_are_found_by_shape() {
    let Some(corpus) = Corpus::find("boards_are_found_by_shape") else { return };
    let shapes = |name: &str| {
        let drawn = find(&corpus.path(&format!("gdl/{name}.kif"))).unwrap();
        let board = |b: &ludex_analysis::Board| (b.name().to_owned(), b.shape(), b.spots());
        drawn.structure.boards().iter().map(board).collect::<Vec<_>>()
    };
    assert_eq!(shapes("ticTacToe"), [("cell".to_owned(), BoardShape::Grid, 9)]);
    assert_eq!(shapes("peg"), [("hole".to_owned(), BoardShape::Grid, 33)], "no cells in the corners");
    assert_eq!(shapes("hex")[0], ("cell".to_owned(), BoardShape::Hexagonal, 81));
    assert_eq!(shapes("chineseCheckers6"), [("cell".to_owned(), BoardShape::Hexagonal, 37)]);
    assert_eq!(shapes("hanoi_6_disks")[0].1, BoardShape::Towers);
    assert_eq!(shapes("nim1")[0].1, BoardShape::Heaps);
    assert_eq!(shapes("gt_prisoner"), []);
}

#[test]
fn facts_that_were_not_expected_are_listed() {
    let Some(corpus) = Corpus::find("facts_that_were_not_expected_are_listed") else { return };
    let drawn = find(&corpus.path("gdl/ticTacToe.kif")).unwrap();
    let terms = drawn.machine.signature().terms();
    let cell = terms.symbol("cell");
    let [one, nine, x] = ["1", "9", "x"].map(|n| terms.constant(n));
    let strange =
        [terms.compound(cell, &[one, nine, x]), terms.constant("odd"), terms.compound(cell, &[one])];
    let picture = drawn.structure.draw_text(&strange, &TextStyle::PLAIN);
    for text in ["1 9 x", "odd", "cell: 1"] {
        assert!(picture.contains(text), "{text} is missing from\n{picture}");
    }
    assert!(drawn.structure.draw_svg(&strange).contains("1 9 x"));
}

/// The text without escape sequences.
fn without_colours(text: &str) -> String {
    let mut out = String::new();
    let mut parts = text.split('\u{1b}');
    out.push_str(parts.next().unwrap_or(""));
    for part in parts {
        out.push_str(part.split_once('m').map_or("", |(_, rest)| rest));
    }
    out
}
