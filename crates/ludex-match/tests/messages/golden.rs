//! The matches of the seed documents, message by message, compared as tokens.

use std::sync::Arc;

use ludex_gdl::{Notation, Renaming, Source, parse};
use ludex_match::message::{
    Expected, Request, Response, read_request, read_response, request_headers, response_headers,
};

use super::talk::{Talk, tokens};
use crate::bundled;

/// Specification, appendix B.
#[test]
fn the_maze_match() {
    let sent = include_str!("maze-start.txt");
    let received = read_request(sent).unwrap();
    assert_eq!(received.notation, Notation::Prefix);
    let Request::Start(start) = received.request else { panic!() };
    assert_eq!((start.id.as_str(), start.role.as_str()), ("MATCH.3316980891", "robot"));
    assert_eq!((start.start_clock, start.play_clock, start.more.len()), (30, 30, 0));
    assert!(start.rules.starts_with("(ROLE ROBOT)") && start.rules.ends_with("(TRUE (GOLD A)))"));
    let rules = bundled::parse("maze.kif", &start.rules);

    let mut talk = Talk::new(&rules, &start.id, 1, Notation::Prefix);
    assert_eq!(tokens(&talk.start(0, &start.rules, 30)), tokens(sent));
    // Beside each message its Content-length as printed. That of the start message, 1194, is one
    // less than what is printed there: that one is compared as tokens only.
    for (message, length, answer) in [
        ("(PLAY MATCH.3316980891 NIL)", 27, "MOVE"),
        ("(PLAY MATCH.3316980891 (MOVE))", 30, "MOVE"),
        ("(PLAY MATCH.3316980891 (MOVE))", 30, "GRAB"),
        ("(PLAY MATCH.3316980891 (GRAB))", 30, "MOVE"),
        ("(PLAY MATCH.3316980891 (MOVE))", 30, "MOVE"),
        ("(PLAY MATCH.3316980891 (MOVE))", 30, "DROP"),
    ] {
        let written = talk.next(0);
        assert_eq!((tokens(&written), written.len()), (tokens(message), length));
        assert_eq!(read_request(message), read_request(&written));
        talk.answers(&[answer]);
    }
    let written = talk.next(0);
    assert_eq!((tokens(&written), written.len()), (tokens("(STOP MATCH.3316980891 (DROP))"), 30));
    assert_eq!(talk.game.goals(), [Some(100)]);
    assert_eq!(read_response(b"READY", Expected::Ready, Notation::Prefix), Ok(Response::Ready));
}

/// Specification, appendix B: what a message of tic-tac-toe would look like.
#[test]
fn a_tic_tac_toe_message_on_the_wire() {
    let message = "(PLAY MATCH.3316980892 ((MARK 2 2) NOOP))";
    let mut talk = Talk::new(&bundled::rules("gdl/tic-tac-toe.kif"), "MATCH.3316980892", 1, Notation::Prefix);
    talk.answers(&["(MARK 2 2)", "noop"]);
    let written = talk.next(1);
    assert_eq!((tokens(&written), written.len()), (tokens(message), 41));
    assert_eq!(read_response(b"(MARK 2 2)", Expected::Move, Notation::Prefix).unwrap(), {
        Response::Move("(mark 2 2)".into())
    });
}

/// Specification 8 and appendix B.
#[test]
fn headers() {
    let headers = request_headers("GAMEPLAYER", 27).map(|(name, value)| format!("{name}: {value}"));
    let expected = [
        "Accept: text/delim",
        "Sender: GAMEMASTER",
        "Receiver: GAMEPLAYER",
        "Content-type: text/acl",
        "Content-length: 27",
    ];
    assert_eq!(headers, expected);
    assert_eq!(request_headers("evil\r\nHost: ü", 1)[2].1, "evil??Host: ?");
    let headers = response_headers(5).map(|(name, value)| format!("{name}: {value}"));
    assert_eq!(headers, ["Content-type: text/acl", "Content-length: 5"]);
}

/// Book 3.4. The roles are x and o there, white and black in chapter 2.
#[test]
fn the_tic_tac_toe_match() {
    let text =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/gdl/tic-tac-toe.gdl"));
    let (sheet, _) = parse(Arc::new(Source::new("tic-tac-toe", text.unwrap())), None);
    let names = Renaming::from_pairs([("white", "x"), ("black", "o")], []);
    let sheet = names.scramble_rules(&sheet);
    let rules = bundled::parse("tic-tac-toe", sheet.source.text());
    let mut talk = Talk::new(&rules, "m23", 1, Notation::Infix);
    // The second message is printed as `start(m23,y,...)`; the role is o.
    for (role, start) in [(0, "start(m23,x,[role(x),role(o),"), (1, "start(m23,o,[role(x),role(o),")] {
        let written = talk.start(role, sheet.source.text(), 10);
        assert!(tokens(&written).starts_with(&tokens(start)), "{written}");
        assert!(tokens(&written).ends_with(&tokens("],10,10)")), "{written}");
        let received = read_request(&written).unwrap();
        let Request::Start(read) = received.request else { panic!() };
        assert_eq!(bundled::parse("sent", &read.rules).sha256().len(), 64, "the rules can be read");
    }
    assert_eq!(read_response(b"ready", Expected::Ready, Notation::Infix), Ok(Response::Ready));
    for (message, answers) in [
        ("play(m23,nil)", ["mark(1,1)", "noop"]),
        ("play(m23,[mark(1,1),noop])", ["noop", "mark(1,2)"]),
        ("play(m23,[noop,mark(1,2)])", ["mark(2,2)", "noop"]),
        ("play(m23,[mark(2,2),noop])", ["noop", "mark(1,3)"]),
        ("play(m23,[noop,mark(1,3)])", ["mark(3,3)", "noop"]),
    ] {
        for role in 0..2 {
            assert_eq!(talk.next(role), message);
        }
        talk.answers(&answers);
    }
    for role in 0..2 {
        assert_eq!(tokens(&talk.next(role)), tokens("stop(m23, [mark(3,3),noop])"));
    }
    assert_eq!(talk.game.goals(), [Some(100), Some(0)]);
    assert_eq!(read_response(b"done", Expected::Done, Notation::Infix), Ok(Response::Done));
}

/// Book 17.5.
#[test]
fn the_blind_tic_tac_toe_match() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    // In the second step the coin has to fall for the first player.
    let mut talk = (0..100)
        .map(|seed| {
            let mut talk = Talk::new(&rules, "m23", seed, Notation::Infix);
            for role in 0..2 {
                assert_eq!(talk.next(role), "play(m23,0,nil,[])");
            }
            talk.answers(&["mark(1,1)", "mark(2,3)"]);
            assert_eq!(talk.next(0), "play(m23,1,mark(1,1),[ok])");
            assert_eq!(talk.next(1), "play(m23,1,mark(2,3),[ok])");
            talk.answers(&["mark(2,2)", "mark(2,2)"]);
            talk
        })
        .find(|talk| talk.next(0) == "play(m23,2,mark(2,2),[ok])")
        .unwrap();
    assert_eq!(talk.next(1), "play(m23,2,mark(2,2),[])");
    talk.answers(&["mark(3,3)", "mark(1,3)"]);
    assert_eq!(talk.next(0), "stop(m23,3,mark(3,3),[ok])");
    assert_eq!(talk.next(1), "stop(m23,3,mark(1,3),[ok])");
}
