//! Chess in SDL against published numbers of move sequences.

use std::collections::HashMap;
use std::sync::Arc;

use ludex_game::{Machine, RuleMachine, Runner, perft};
use ludex_gdl::{LoadOptions, Source, load};
use ludex_logic::Budget;

/// The first position of the bundled rulesheet is between these.
const FIRST: [&str; 2] = ["% The first position.\n", "% What moves do.\n"];

/// The bundled rulesheet, from another position on: board, side to move, castling rights and en passant square as in FEN. Who may
/// not castle has moved before; a pawn that may be taken en passant has just jumped.
fn from_position(fen: &str) -> String {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/sdl/chess.gdl");
    let text = std::fs::read_to_string(file).unwrap();
    let (before, rest) = text.split_once(FIRST[0]).unwrap();
    let (_, after) = rest.split_once(FIRST[1]).unwrap();
    let fields: Vec<&str> = fen.split(' ').collect();
    let (board, white, rights, passed) = (fields[0], fields[1] == "w", fields[2], fields[3]);
    let mut facts = format!("true(control({}),1)\n", if white { "white" } else { "black" });
    for (row, rank) in board.split('/').zip((1..=8).rev()) {
        let pieces = row.chars().flat_map(|c| match c.to_digit(10) {
            Some(blanks) => vec!["b".to_owned(); blanks as usize],
            None => vec![format!("{}{}", if c.is_uppercase() { 'w' } else { 'b' }, c.to_lowercase())],
        });
        for (file, piece) in "abcdefgh".chars().zip(pieces) {
            facts.push_str(&format!("true(cell({file},{rank},{piece}),1)\n"));
        }
    }
    let rooks = [('K', 'h', 1), ('Q', 'a', 1), ('k', 'h', 8), ('q', 'a', 8)];
    for (_, file, rank) in rooks.iter().filter(|(right, ..)| !rights.contains(*right)) {
        facts.push_str(&format!("moved({file},{rank},1)\n"));
    }
    if passed != "-" {
        facts.push_str(&format!("passed({},{},1)\n", if white { "white" } else { "black" }, &passed[..1]));
    }
    format!("{before}{facts}{after}")
}

fn machine(fen: &str) -> RuleMachine {
    let checked = load(Arc::new(Source::new("chess", from_position(fen))), &LoadOptions::default());
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    RuleMachine::new(&Arc::new(checked.game.unwrap()), &Default::default()).unwrap()
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -";

#[test]
fn sequences_of_moves_are_as_many_as_published() {
    for (fen, counts) in [
        (START, &[20, 400, 8_902][..]),
        // Positions 2 to 5 of the collection at the Chess Programming Wiki, and its position of promotions.
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq -", &[48, 2_039]),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - -", &[14, 191, 2_812]),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq -", &[6, 264]),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ -", &[44, 1_486]),
        ("n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - -", &[24, 496]),
        // En passant would uncover the king: on the rank without both pawns, on a diagonal without the one that is taken.
        ("8/8/8/8/k2Pp2Q/8/8/3K4 b - d3", &[6]),
        ("4k3/8/8/8/3pP3/8/1B6/7K b - e3", &[7]),
    ] {
        let rows = perft(&machine(fen), counts.len() as u32, &Default::default()).unwrap();
        let paths: Vec<u128> = rows.iter().skip(1).map(|row| row.paths).collect();
        assert_eq!(paths, counts, "{fen}");
    }
}

/// Makes the moves of both sides in turn, written as the squares from and to, and gives those that are legal then.
fn legal_after(moves: &str) -> Vec<String> {
    let machine = machine(START);
    let signature = machine.signature();
    let mut runner = machine.runner(&Budget::unlimited());
    runner.set(machine.initial()).unwrap();
    let legal = |runner: &mut dyn Runner, role: usize| {
        let legal = runner.legal(signature.role_ids().nth(role).unwrap()).unwrap().to_vec();
        legal
            .into_iter()
            .map(|action| (action, signature.terms().prefix(signature.action(action))))
            .collect::<Vec<_>>()
    };
    for (number, word) in moves.split(' ').enumerate() {
        let text = match word.as_bytes() {
            [f, r, g, s] => format!("(move {} {} {} {})", *f as char, *r as char, *g as char, *s as char),
            _ => word.to_owned(),
        };
        let own = legal(&mut *runner, number % 2);
        let found = own
            .iter()
            .find(|(_, known)| *known == text)
            .unwrap_or_else(|| panic!("{text} of {moves}: {own:?}"));
        let other = legal(&mut *runner, 1 - number % 2)[0].0;
        let joint = if number % 2 == 0 { [found.0, other] } else { [other, found.0] };
        runner.step(&joint).unwrap();
    }
    legal(&mut *runner, moves.split(' ').count() % 2).into_iter().map(|(_, text)| text).collect()
}

#[test]
fn castling_goes_by_the_history_of_moves() {
    let may = |moves: &str| {
        let legal = legal_after(moves);
        ["castleshort", "castlelong"].map(|castling| legal.iter().any(|known| known == castling))
    };
    let free = "g1f3 g8f6 e2e4 e7e5 f1e2 f8e7";
    assert_eq!(may(free), [true, false]);
    // The king, or the rook, went and came back.
    assert_eq!(may(&format!("{free} e1f1 a7a6 f1e1 a6a5")), [false, false]);
    assert_eq!(may(&format!("{free} h1g1 a7a6 g1h1 a6a5")), [false, false]);
    // The other rook did, which does not matter here; the side of the queen is free.
    let wide = "b1c3 b8c6 d2d4 d7d5 c1f4 c8f5 d1d2 d8d7";
    assert_eq!(may(wide), [false, true]);
    assert_eq!(may(&format!("{wide} a1b1 a7a6 b1a1 a6a5")), [false, false]);
    assert_eq!(may(&format!("{wide} g1f3 a7a6 h1g1 a6a5")), [false, true]);
}

#[test]
fn en_passant_is_for_the_very_next_step() {
    let takes = |moves: &str| legal_after(moves).iter().any(|known| known == "(move e 5 d 6)");
    assert!(takes("e2e4 a7a6 e4e5 d7d5"));
    assert!(!takes("e2e4 a7a6 e4e5 d7d5 h2h3 h7h6"));
    assert!(!takes("e2e4 d7d6 e4e5 a7a6 h2h3 d6d5"));
}

/// The rulesheet with draws by history, from its first position on.
fn with_draws() -> RuleMachine {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/sdl/chess-draws.gdl");
    let checked = load(
        Arc::new(Source::new("chess-draws", std::fs::read_to_string(file).unwrap())),
        &LoadOptions::default(),
    );
    assert!(!checked.has_errors(), "{:?}", checked.diagnostics);
    RuleMachine::new(&Arc::new(checked.game.unwrap()), &Default::default()).unwrap()
}

/// After how many moves the game is over, and what it is worth to white then; `None` where it goes on after all moves.
fn end_of(machine: &RuleMachine, moves: &[String]) -> Option<(usize, u32)> {
    let signature = machine.signature();
    let mut runner = machine.runner(&Budget::unlimited());
    runner.set(machine.initial()).unwrap();
    for number in 0..=moves.len() {
        if runner.terminal().unwrap() {
            let white = signature.role_ids().next().unwrap();
            return Some((number, runner.goal(white).unwrap().unwrap()));
        }
        let word = moves.get(number)?.as_bytes();
        let text =
            format!("(move {} {} {} {})", word[0] as char, word[1] as char, word[2] as char, word[3] as char);
        let joint: Vec<_> = signature
            .role_ids()
            .enumerate()
            .map(|(role, id)| {
                let legal = runner.legal(id).unwrap();
                let is_wanted = |action: &&_| {
                    role != number % 2 || signature.terms().prefix(signature.action(**action)) == text
                };
                *legal.iter().find(is_wanted).unwrap_or_else(|| panic!("{text}, move {number}"))
            })
            .collect();
        runner.step(&joint).unwrap();
    }
    None
}

/// The moves of white and black in turn, so many in all: white's over and over again, and black's.
fn in_turn(white: &[&str], black: &[&str], count: usize) -> Vec<String> {
    let both = (0..count / 2).flat_map(|n| [white[n % white.len()], black[n % black.len()]]);
    both.map(str::to_owned).collect()
}

#[test]
fn the_third_time_of_a_position_is_a_draw() {
    let machine = with_draws();
    let knights = in_turn(&["g1f3", "f3g1"], &["g8f6", "f6g8"], 12);
    // The first position itself was the first time.
    assert_eq!(end_of(&machine, &knights), Some((8, 50)));
    assert_eq!(end_of(&machine, &knights[..7]), None);
    // Kings that have moved may not castle: the same pieces on the same squares are another position.
    let opened = ["e2e4", "e7e5"].map(str::to_owned);
    let kings = in_turn(&["e1e2", "e2e1"], &["e8e7", "e7e8"], 12);
    // Each position of the kings, who go out and come back, counts from their first move on.
    assert_eq!(end_of(&machine, &[&opened[..], &kings].concat()), Some((2 + 10, 50)));
    // A pawn that may be taken en passant makes a position of its own, one that may not does not.
    let advanced = ["e2e4", "a7a6", "e4e5", "d7d5"].map(str::to_owned);
    let away = in_turn(&["g1f3", "f3g1"], &["g8f6", "f6g8"], 16);
    assert_eq!(end_of(&machine, &[&advanced[..], &away].concat()), Some((4 + 9, 50)));
    let passed = ["a2a3", "a7a6", "h2h3", "d7d5"].map(str::to_owned);
    assert_eq!(end_of(&machine, &[&passed[..], &away].concat()), Some((4 + 8, 50)));
}

/// After how many moves a game is over in which no piece is taken, a pawn is moved only where that is said, and positions come back
/// as seldom as possible.
fn quiet_end(machine: &RuleMachine, move_of_pawn: Option<usize>) -> Option<usize> {
    let mut board: HashMap<String, char> = HashMap::new();
    for (file, piece) in "abcdefgh".chars().zip("rnbqkbnr".chars()) {
        board.extend([1, 8].map(|rank| (format!("{file}{rank}"), piece)));
        board.extend([2, 7].map(|rank| (format!("{file}{rank}"), 'p')));
    }
    let mut times: HashMap<String, usize> = HashMap::new();
    let signature = machine.signature();
    let roles: Vec<_> = signature.role_ids().collect();
    let mut runner = machine.runner(&Budget::unlimited());
    runner.set(machine.initial()).unwrap();
    for number in 0..160 {
        if runner.terminal().unwrap() {
            return Some(number);
        }
        let mut best: Option<(usize, _, HashMap<String, char>, String)> = None;
        for &action in runner.legal(roles[number % 2]).unwrap() {
            let text = signature.terms().prefix(signature.action(action));
            let words: Vec<&str> = text.trim_matches(['(', ')']).split(' ').collect();
            let ["move", f, r, g, s] = words[..] else { continue };
            let (from, to) = (format!("{f}{r}"), format!("{g}{s}"));
            if board.contains_key(&to) || (board[&from] == 'p') != (move_of_pawn == Some(number)) {
                continue;
            }
            let mut after = board.clone();
            let piece = after.remove(&from).unwrap();
            after.insert(to, piece);
            let mut cells: Vec<String> = after.iter().map(|(cell, piece)| format!("{cell}{piece}")).collect();
            cells.sort();
            let position = format!("{} {}", number % 2, cells.concat());
            let known = times.get(&position).copied().unwrap_or(0);
            if best.as_ref().is_none_or(|(least, ..)| known < *least) {
                best = Some((known, action, after, position));
            }
        }
        let (_, action, after, position) = best.unwrap();
        board = after;
        *times.entry(position).or_default() += 1;
        let mut joint = roles.iter().map(|&role| runner.legal(role).unwrap()[0]).collect::<Vec<_>>();
        joint[number % 2] = action;
        runner.step(&joint).unwrap();
    }
    None
}

#[test]
fn fifty_moves_of_each_player_without_progress_are_a_draw() {
    let machine = with_draws();
    assert_eq!(quiet_end(&machine, None), Some(100));
    // The move of a pawn is progress.
    assert_eq!(quiet_end(&machine, Some(40)), Some(41 + 100));
}
