//! Seats with their own notation, rules and words.

use std::sync::Arc;

use ludex_gdl::{Notation, Rulesheet, Source, parse, same_rules};
use ludex_match::message::{CodecError, Given, Last, Request, Response, SeatCodec, StartMessage};
use ludex_match::referee::{SeatNotation, SeatSetup};

use crate::bundled;

fn sheet(text: &str) -> Rulesheet {
    let (sheet, errors) = parse(Arc::new(Source::new("x", text)), None);
    assert_eq!(errors, []);
    sheet
}

fn seat(notation: SeatNotation, rulesheet: Option<&str>, scramble: Option<u64>) -> SeatSetup {
    SeatSetup {
        player: "egghead".into(),
        notation,
        rulesheet: rulesheet.map(str::to_owned),
        scramble,
        ..SeatSetup::default()
    }
}

fn start() -> Request {
    Request::Start(Box::new(StartMessage {
        id: "m".into(),
        role: "white".into(),
        rules: "of the match".into(),
        start_clock: 5,
        play_clock: 6,
        exact_play_clock: None,
        given: Given::Rules,
        more: vec![("opponents".into(), "(black egghead)".into())].into(),
    }))
}

fn play(joint: &[&str]) -> Request {
    let joint = joint.iter().map(|action| (*action).to_owned()).collect();
    Request::Play { id: "m".into(), last: Last::Joint(joint) }
}

#[test]
fn without_scrambling_only_the_rules_are_put_in() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    for (notation, wire) in [(SeatNotation::Prefix, Notation::Prefix), (SeatNotation::Infix, Notation::Infix)]
    {
        let codec = SeatCodec::new(rules.rulesheet(), &seat(notation, None, None)).unwrap();
        let Request::Start(sent) = codec.outgoing(start()) else { panic!() };
        assert_eq!((sent.role.as_str(), sent.play_clock), ("white", 6));
        assert_eq!(*sent.rules, codec.rules());
        let (read, errors) = parse(Arc::new(Source::new("", sent.rules.as_str())), Some(wire));
        assert_eq!(errors, []);
        assert!(same_rules(&read, rules.rulesheet()));
        let request = play(&["(mark 1 1)", "noop"]);
        assert_eq!(codec.outgoing(request.clone()), request);
        let response = Response::Move("(mark 1 1)".into());
        assert_eq!(codec.incoming(response.clone()), response);
    }
}

#[test]
fn a_scrambled_seat_hears_no_word_of_the_game() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let codec =
        |seed| SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Infix, None, Some(seed))).unwrap();
    let scrambled = codec(7);
    for word in ["white", "mark", "noop", "cell", "control", "line"] {
        assert!(!scrambled.rules().contains(word), "{word} in {}", scrambled.rules());
    }
    let Request::Start(sent) = scrambled.outgoing(start()) else { panic!() };
    assert!(sent.role != "white" && scrambled.rules().contains(&format!("role({})", sent.role)));
    assert!(!sent.more[0].1.contains("black") && sent.more[0].1.contains("egghead"));
    let Request::Play { last: Last::Joint(joint), .. } = scrambled.outgoing(play(&["(mark 1 2)", "noop"]))
    else {
        panic!()
    };
    assert!(!joint[0].contains("mark") && joint[0].ends_with(" 1 2)"), "numbers stay");
    assert_eq!(scrambled.incoming(Response::Move(joint[0].clone())), Response::Move("(mark 1 2)".into()));
    // The same words come back when the match goes on after a restart; another seat has others.
    assert_eq!(codec(7).rules(), scrambled.rules());
    assert_ne!(codec(8).rules(), scrambled.rules());
    // Words that mean nothing stay, so that a record shows what was sent.
    let odd = Response::Move("(abracadabra 1)".into());
    assert_eq!(scrambled.incoming(odd.clone()), odd);
    assert_eq!(scrambled.incoming(Response::Ready), Response::Ready);
}

#[test]
fn percepts_are_renamed_too() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let codec = SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Prefix, None, Some(1))).unwrap();
    let last = Last::Percepts { turn: 2, action: Some("(mark 2 2)".into()), percepts: vec!["ok".into()] };
    let Request::Stop { last: Last::Percepts { turn: 2, action: Some(action), percepts }, .. } =
        codec.outgoing(Request::Stop { id: "m".into(), last })
    else {
        panic!()
    };
    assert_eq!(codec.from_seat(&action), "(mark 2 2)");
    assert!(percepts[0] != "ok" && codec.from_seat(&percepts[0]) == "ok");
    assert!(codec.rules().contains("(role random)"), "a keyword in GDL-II");
}

/// Book 3.4 and 19.7: players may be told different rules.
#[test]
fn a_seat_has_rules_of_its_own() {
    let rules = bundled::rules("gdl/buttons-and-lights.kif");
    let own = "role(robot)\nlegal(robot,a) % what else is not told\nhidden(secret)";
    let plain = SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Prefix, Some(own), None)).unwrap();
    assert!(same_rules(&sheet(plain.rules()), &sheet(own)));
    let same = SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Infix, Some(own), None)).unwrap();
    assert_eq!(same.rules(), own, "as it is where nothing has to be done");
    let codec = SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Prefix, Some(own), Some(3))).unwrap();
    assert!(!codec.rules().contains("hidden") && !codec.rules().contains("told"));
    // The seat's rules do not know `b`, but moves told to it might.
    let told = codec.to_seat("b");
    assert!(told != "b" && codec.from_seat(&told) == "b");
    assert_eq!(codec.from_seat(&codec.to_seat("secret")), "secret");

    let broken = SeatCodec::new(rules.rulesheet(), &seat(SeatNotation::Prefix, Some("(role a"), None));
    let Err(CodecError::Rulesheet { player, position, .. }) = broken else { panic!() };
    assert_eq!((player.as_str(), position.to_string().as_str()), ("egghead", "1:1"));
}
