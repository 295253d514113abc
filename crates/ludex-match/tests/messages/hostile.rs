//! Texts that are meant to do harm.

use ludex_gdl::Notation;
use ludex_match::message::{
    Expected, LONGEST_RESPONSE, Last, MessageProblem, Request, StartMessage, read_request, read_response,
    write_request,
};
use proptest::prelude::*;

const KINDS: [Expected; 4] = [Expected::Info, Expected::Ready, Expected::Move, Expected::Done];

#[test]
fn deep_and_long_requests_are_read_or_refused_quickly() {
    let deep = |open: &str, close: &str| open.repeat(500_000) + "a" + &close.repeat(500_000);
    let (terms, lists) = (deep("(f ", ")"), deep("(", ")"));
    let Request::Play { last: Last::Joint(joint), .. } =
        read_request(&format!("(play m ({terms} b))")).unwrap().request
    else {
        panic!()
    };
    assert_eq!((joint[0].len(), joint[1].as_str()), (terms.len(), "b"));
    assert!(read_request(&format!("(play m ({lists}))")).is_err());
    assert!(read_request(&format!("(start m a ({lists}) 10 10)")).is_ok(), "rules are not read here");
    let infix = deep("f(", ")");
    assert!(read_request(&format!("play(m,[{infix}])")).is_ok());
    assert!(read_request(&format!("play(m,{})", deep("[", "]"))).is_err());
    let ahead = format!("play(m,[f(b{}{}])", "\n b\n a(b".repeat(100_000), ")".repeat(100_001));
    assert!(read_request(&ahead).is_err());
    let wide = format!("(play m ({}))", "(mark 1 1) ".repeat(200_000));
    let Request::Play { last: Last::Joint(joint), .. } = read_request(&wide).unwrap().request else {
        panic!()
    };
    assert_eq!(joint.len(), 200_000);
    let capitals = format!("play(m,[{}NOOP])", "MARK(1,1),".repeat(200_000));
    assert!(read_request(&capitals).is_ok());
    let odd = format!("(start m a () 1 1 ({}))", "(a (1 (2)) ?x)".repeat(100_000));
    assert!(read_request(&odd).is_ok());
    for text in ["(".repeat(2_000_000), "[".repeat(2_000_000), "play(".repeat(500_000), "'".repeat(999_999)] {
        assert!(read_request(&text).is_err());
        assert!(read_request(&format!("start(m,a,[{text}],1,1)")).is_err());
    }
}

#[test]
fn long_and_broken_answers_are_refused() {
    for expected in KINDS {
        let read = |bytes: &[u8]| read_response(bytes, expected, Notation::Infix).map_err(|e| e.problem);
        let length = LONGEST_RESPONSE + 1;
        let too_long = MessageProblem::TooLong { length, limit: LONGEST_RESPONSE };
        assert_eq!(read(&vec![b'a'; length]), Err(too_long));
        assert_eq!(read(b"(mark \xff 1)"), Err(MessageProblem::NotText));
        assert_eq!(read(b""), Err(MessageProblem::Empty));
        for text in ["(", ")", "[", "f(", "((", "(]", "[)", "\"\"", "[]", "()", ";"] {
            assert!(read(text.as_bytes()).is_err(), "{expected:?} {text}");
        }
        for text in ["(", ")", "[", "f(", "f(\n", "'", "|", "\"", ";", "%", ".", ",", "a ", "a,", "\n"] {
            let _ = read(text.repeat(LONGEST_RESPONSE / text.len()).as_bytes());
        }
    }
    let odd = format!("({})", "(a ((b) c))".repeat(90_000));
    assert!(read_response(odd.as_bytes(), Expected::Info, Notation::Prefix).is_ok());
    let error = read_response(b"(mark\n \xc3\x28 1)", Expected::Move, Notation::Prefix).unwrap_err();
    assert_eq!(error.position.to_string(), "2:2");
    let long = format!("({})", "x".repeat(5_000));
    let error = read_response(long.as_bytes(), Expected::Ready, Notation::Prefix).unwrap_err();
    assert!(error.to_string().len() < 300, "errors show only the start of what came");
}

#[test]
fn nothing_breaks_out_of_the_message_it_stands_in() {
    let bad = ["a) (b", ")", "(", "", "a b", "'", "|", "],[", "x\n;y", "?x", "a,b", "%", "nil)"];
    for notation in [Notation::Prefix, Notation::Infix] {
        for bad in bad {
            let bad = bad.to_owned();
            for request in [
                Request::Abort { id: bad.clone() },
                Request::Play { id: bad.clone(), last: Last::Joint(vec![bad.clone(), "b".into()].into()) },
                Request::Start(Box::new(StartMessage {
                    id: bad.clone(),
                    role: bad.clone(),
                    rules: bad.clone().into(),
                    more: vec![(bad.clone(), bad.clone())].into(),
                    ..StartMessage::default()
                })),
            ] {
                let written = write_request(&request, notation);
                match (read_request(&written), &request) {
                    (Ok(read), Request::Abort { .. }) => assert_eq!(read.request, request),
                    (Ok(read), Request::Play { .. }) => {
                        let Request::Play { last: Last::Joint(joint), id } = read.request else { panic!() };
                        assert_eq!((joint.len(), id), (2, bad.clone()), "{written}");
                    }
                    (Ok(read), _) => {
                        let Request::Start(start) = read.request else { panic!() };
                        assert_eq!((start.more.len(), start.id), (1, bad.clone()), "{written}");
                    }
                    // A variable is still none where a term is wanted.
                    (Err(error), _) => {
                        assert!(matches!(error.problem, MessageProblem::Variable(_)), "{written}: {error}");
                    }
                }
            }
        }
    }
}

proptest! {
    #[test]
    fn nothing_panics(text in r#"(\PC|[()\[\],.;%|'"?a-zA-Z0-9 \n\\])*"#, notation in any::<bool>()) {
        let notation = if notation { Notation::Prefix } else { Notation::Infix };
        let _ = read_request(&text);
        let _ = read_request(&format!("(play m {text})"));
        let _ = read_request(&format!("play(m,[{text}])"));
        let _ = read_request(&format!("start(m,a,[{text}],1,1)"));
        for expected in KINDS {
            let _ = read_response(text.as_bytes(), expected, notation);
        }
    }
}
