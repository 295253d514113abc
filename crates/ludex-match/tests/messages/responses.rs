//! What players answer.

use ludex_gdl::Notation;
use ludex_match::message::{Expected, MessageProblem, Response, read_response, write_response};

fn read(text: &str, expected: Expected) -> Result<Response, MessageProblem> {
    read_response(text.as_bytes(), expected, Notation::Prefix).map_err(|error| error.problem)
}

fn action(text: &str) -> Result<Response, MessageProblem> {
    Ok(Response::Move(text.into()))
}

#[test]
fn moves_in_many_ways() {
    for (texts, expected) in [
        (
            &[
                "(mark 2 2)",
                "( MARK 2 2 )",
                " ( mark 2 2 ) \r\n",
                "\u{feff}(Mark\t2\n2)\0",
                "((mark 2 2))",
                "( ( mark 2 2 ) )",
                "mark(2,2)",
                "Mark( 2 , 2 )",
                "MARK(2,2).",
                "[mark(2,2)]",
                "[ MARK(2,2) ]",
                "\"(mark 2 2)\"",
                "'mark(2,2)'",
                "(mark 2 2) ; the centre",
                "(mark(2,2))",
            ][..],
            "(mark 2 2)",
        ),
        (&["noop", "NOOP", " noop\n", "[noop]", "\"noop\""], "noop"),
        // Which of both is legal is for the rules to say.
        (&["(noop)", "( NOOP )", "noop()"], "(noop)"),
        (&["ready", "READY"], "ready"),
        (&["(f (g a) (h))", "f(g(a),h())"], "(f (g a) (h))"),
        (&["(f(g a)(h b))"], "(f (g a) (h b))"),
        (&["-1", "[-1]"], "-1"),
        (&["(left-of 1/2 0.5)", "left-of(1/2,0.5)"], "(left-of 1/2 0.5)"),
        (&["|Left Hand|", "'Left Hand'"], "|Left Hand|"),
    ] {
        for text in texts {
            assert_eq!(read(text, Expected::Move), action(expected), "{text:?}");
        }
    }
}

#[test]
fn a_lone_word_is_in_the_notation_of_the_question() {
    let text = "moveLeft";
    let read = |notation| read_response(text.as_bytes(), Expected::Move, notation).unwrap();
    assert_eq!(read(Notation::Prefix), Response::Move("moveleft".into()));
    assert_eq!(read(Notation::Infix), Response::Move("|moveLeft|".into()));
    // Quotes in infix make a name of what would be no term, but are only quotes around a move.
    let read = |text: &str| read_response(text.as_bytes(), Expected::Move, Notation::Infix).unwrap();
    assert_eq!(read("'a(b'"), Response::Move("|a(b|".into()));
    assert_eq!(read("'a(b)'"), Response::Move("(a b)".into()));
}

#[test]
fn what_is_no_move() {
    use MessageProblem as P;
    let syntax = |message: &str| P::Syntax(message.into());
    for (text, problem) in [
        ("", P::Empty),
        (" \r\n", P::Empty),
        ("\"\"", P::Empty),
        ("; nothing", P::Empty),
        ("()", syntax("nothing stands between these brackets")),
        ("(mark 2 2", syntax("this `(` is never closed")),
        ("[mark(2,2)", syntax("this `[` is never closed")),
        ("mark 2 2", P::Trailing),
        ("(mark 2 2) (mark 1 1)", P::Trailing),
        ("(mark ?x 2)", P::Variable("(mark ?x 2)".into())),
        ("[mark(1,1),mark(2,2)]", syntax("`[` means nothing here")),
        ("HTTP/1.0 200 OK", P::Trailing),
    ] {
        assert_eq!(read(text, Expected::Move), Err(problem), "{text:?}");
    }
}

#[test]
fn words_in_many_ways() {
    for (expected, response, texts) in [
        (
            Expected::Ready,
            Response::Ready,
            &[
                "READY",
                "ready",
                " Ready\n",
                "(ready)",
                "[ready]",
                "\"READY\"",
                "'ready'",
                "ready.",
                "ready()",
            ][..],
        ),
        (Expected::Ready, Response::Busy, &["busy", "(BUSY)"]),
        (Expected::Done, Response::Done, &["DONE", "done", "( done )", "[DONE]"]),
        (Expected::Done, Response::Aborted, &["aborted", "ABORTED"]),
        (
            Expected::Info,
            Response::Busy,
            &["busy", "BUSY", "((name egghead) (status busy))", "[[status,BUSY]]"],
        ),
        (
            Expected::Info,
            Response::Available(Vec::new()),
            // Book 4.3 answers info with ready.
            &["available", "AVAILABLE", "(available)", "[available]", "ready", "READY"],
        ),
    ] {
        for text in texts {
            assert_eq!(read(text, expected).as_ref(), Ok(&response), "{text:?}");
        }
    }
    for (expected, text) in [
        (Expected::Ready, "(mark 1 1)"),
        (Expected::Ready, "not ready"),
        (Expected::Done, "ready"),
        (Expected::Info, "()"),
        (Expected::Info, "(available now)"),
        (Expected::Info, "done"),
        (Expected::Info, "[[name]]"),
    ] {
        assert_eq!(read(text, expected), Err(MessageProblem::Unexpected { found: text.into() }), "{text:?}");
    }
}

#[test]
fn players_say_what_they_are() {
    let expected =
        Response::Available(vec![("name".into(), "egghead".into()), ("status".into(), "available".into())]);
    for text in [
        "((name egghead) (status available))",
        "( ( NAME egghead ) ( STATUS AVAILABLE ) )",
        "[[name,egghead],[status,available]]",
        "[ [ name , Egghead ], [ Status, available ] ]",
    ] {
        assert_eq!(read(text, Expected::Info).as_ref(), Ok(&expected), "{text}");
    }
    let Ok(Response::Available(about)) =
        read("((name Egg  Head 2) (likes (chess 960)) (motto \"to win\") (icons ((a b) c)))", Expected::Info)
    else {
        panic!()
    };
    let about: Vec<(&str, &str)> = about.iter().map(|(name, value)| (&**name, &**value)).collect();
    let expected =
        [("name", "|Egg Head 2|"), ("likes", "(chess 960)"), ("motto", "|to win|"), ("icons", "|((a b) c)|")];
    assert_eq!(about, expected);
}

#[test]
fn answers_are_written_as_others_write_them() {
    let about = vec![("name".into(), "|Egg Head|".into()), ("status".into(), "available".into())];
    for (response, prefix, infix) in [
        (Response::Ready, "READY", "ready"),
        (Response::Busy, "busy", "busy"),
        (Response::Available(Vec::new()), "available", "available"),
        (
            Response::Available(about),
            "((name |Egg Head|) (status available))",
            "[[name,'Egg Head'],[status,available]]",
        ),
        (Response::Done, "DONE", "done"),
        (Response::Aborted, "aborted", "aborted"),
        (Response::Move("(mark 2 2)".into()), "(mark 2 2)", "mark(2,2)"),
        (Response::Move("|moveLeft|".into()), "|moveLeft|", "moveLeft"),
    ] {
        assert_eq!(write_response(&response, Notation::Prefix), prefix);
        assert_eq!(write_response(&response, Notation::Infix), infix);
    }
}
