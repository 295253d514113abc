//! Problems 3.1 to 3.3 of the book: what the Game Manager sends next.

use ludex_gdl::Notation;
use ludex_match::message::{MessageProblem, read_request};

use super::talk::{Talk, tokens};
use crate::bundled;

fn talk(seed: u64) -> Talk {
    Talk::new(&bundled::rules("gdl/tic-tac-toe.gdl"), "m23", seed, Notation::Infix)
}

/// 3.1: (c).
#[test]
fn the_first_message_after_ready() {
    assert_eq!(talk(1).next(0), "play(m23,nil)");
    // Neither (a), (b) nor (d) is a message at all.
    for (text, problem) in [
        ("play()", MessageProblem::Arguments { keyword: "play", found: 0 }),
        ("play(m23)", MessageProblem::Arguments { keyword: "play", found: 1 }),
        ("play(m23,noop)", MessageProblem::List("noop".into())),
    ] {
        assert_eq!(read_request(text).unwrap_err().problem, problem, "{text}");
    }
}

/// 3.2: (e), where x is on (1,1) and o on (1,2).
#[test]
fn the_message_after_two_moves_and_a_third() {
    let mut talk = talk(1);
    talk.answers(&["mark(1,1)", "noop"]);
    talk.answers(&["noop", "mark(1,2)"]);
    talk.answers(&["mark(2,2)", "noop"]);
    assert_eq!(tokens(&talk.next(0)), tokens("play(m23, [mark(2,2),noop])"));
    let error = read_request("play(m23,mark(2,2))").unwrap_err();
    assert_eq!(error.problem, MessageProblem::List("mark(2,2)".into()), "(c)");
}

/// 3.3: (c), where x is on (1,1) and (2,2), o on (1,2) and (2,3): mark(2,2) is not legal, and some legal
/// move is made for the player. Which one is left to chance; mark(3,3) would end the match.
#[test]
fn the_message_after_an_illegal_move() {
    let mut written: Vec<String> = (0..50)
        .map(|seed| {
            let mut talk = talk(seed);
            talk.answers(&["mark(1,1)", "noop"]);
            talk.answers(&["noop", "mark(1,2)"]);
            talk.answers(&["mark(2,2)", "noop"]);
            talk.answers(&["noop", "mark(2,3)"]);
            talk.answers(&["mark(2,2)", "noop"]);
            talk.next(0)
        })
        .collect();
    written.sort();
    written.dedup();
    let expected = [
        "play(m23,[mark(1,3),noop])",
        "play(m23,[mark(2,1),noop])",
        "play(m23,[mark(3,1),noop])",
        "play(m23,[mark(3,2),noop])",
        "stop(m23,[mark(3,3),noop])",
    ];
    assert_eq!(written, expected);
}
