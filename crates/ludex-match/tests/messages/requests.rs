//! How managers write their messages.

use ludex_gdl::{Notation, parse, same_rules};
use ludex_match::message::{
    Last, MessageProblem, Request, StartMessage, match_key, read_request, write_request,
};

fn read(text: &str) -> Request {
    read_request(text).unwrap_or_else(|error| panic!("{text}: {error}")).request
}

fn play(last: Last) -> Request {
    Request::Play { id: "m".into(), last }
}

fn joint(moves: &[&str]) -> Request {
    play(Last::Joint(moves.iter().map(|m| (*m).to_owned()).collect()))
}

fn percepts(turn: u32, action: Option<&str>, percepts: &[&str]) -> Request {
    let percepts = percepts.iter().map(|p| (*p).to_owned()).collect();
    play(Last::Percepts { turn, action: action.map(str::to_owned), percepts })
}

#[test]
fn play_in_many_ways() {
    for (texts, expected) in [
        (
            &[
                "( PLAY m NIL )",
                "(play m ())",
                "(Play m nil)",
                "play(m,nil)",
                "PLAY ( m , NIL )",
                "play(m,[]).",
            ][..],
            play(Last::Nothing),
        ),
        (
            &[
                "(PLAY m ((MARK 1 1) NOOP))",
                "  ( play\tm ( ( mark 1 1)noop ) ) ; last\r\n",
                "; first\n(play m ; second )\n((mark 1 1) noop))",
                "\u{feff}play(m,[mark(1,1),noop])",
                "Play( m , [ Mark(1, 1) , NOOP ] )",
                "% first\nplay(m, % second ]\n [mark(1,1),noop])\n",
            ],
            joint(&["(mark 1 1)", "noop"]),
        ),
        (&["(play m (move))", "play(m,[move])", "(play |m| (MOVE))", "play('m',[move])"], joint(&["move"])),
        (&["(play m (nil))", "play(m,[nil])"], joint(&["nil"])),
        (
            &["(PLAY m 0 NIL ())", "(play m 0 () nil)", "play(m,0,nil,[])", "play(m,0,[],nil)"],
            percepts(0, None, &[]),
        ),
        (
            &["(play m 1 (mark 1 1) (ok))", "play(m,1,mark(1,1),[ok])", "(PLAY m 1 (MARK 1 1) (OK))"],
            percepts(1, Some("(mark 1 1)"), &["ok"]),
        ),
        (
            &["(play m 2 nil ((see 1) (see 2)))", "play(m,2,nil,[see(1),see(2)])"],
            percepts(2, Some("nil"), &["(see 1)", "(see 2)"]),
        ),
    ] {
        for text in texts {
            assert_eq!(read(text), expected, "{text}");
        }
    }
}

#[test]
fn the_other_messages_in_many_ways() {
    for text in ["info", "INFO", "(INFO)", " ( info ) ", "info()", "Info ( )", "(info) ;)"] {
        assert_eq!(read(text), Request::Info, "{text}");
    }
    for text in ["(abort m)", "( ABORT m )", "abort(m)", "ABORT( m )"] {
        assert_eq!(read(text), Request::Abort { id: "m".into() }, "{text}");
    }
    for text in ["(preview ((role a)) 10)", "(PREVIEW ( (role a) ) 10.9)"] {
        assert_eq!(read(text), Request::Preview { rules: "(role a)".into(), clock: 10 }, "{text}");
    }
    assert_eq!(read("preview([role(a)],10)"), Request::Preview { rules: "role(a)".into(), clock: 10 });
    let last = Last::Joint(vec!["a".into(), "(b 1)".into()].into());
    for text in ["(STOP m (a (b 1)))", "stop(m,[a,b(1)])"] {
        assert_eq!(read(text), Request::Stop { id: "m".into(), last: last.clone() }, "{text}");
    }
    let last = Last::Percepts { turn: 3, action: Some("a".into()), percepts: Vec::new() };
    for text in ["(STOP m 3 a ())", "stop(m,3,a,[])"] {
        assert_eq!(read(text), Request::Stop { id: "m".into(), last: last.clone() }, "{text}");
    }
}

#[test]
fn the_notation_is_that_of_the_message() {
    for (text, notation) in [
        ("info", Notation::Prefix),
        ("(info)", Notation::Prefix),
        ("info()", Notation::Infix),
        ("; (\n abort(m)", Notation::Infix),
        ("; abort(m)\n(abort m)", Notation::Prefix),
        ("% (abort m)\nabort(m)", Notation::Infix),
    ] {
        assert_eq!(read_request(text).unwrap().notation, notation, "{text}");
    }
}

fn start(text: &str) -> StartMessage {
    match read(text) {
        Request::Start(start) => *start,
        other => panic!("{other:?}"),
    }
}

#[test]
fn rules_come_as_they_were_sent() {
    let message =
        start("( start  Match.7 (the White) ( (ROLE (the white)) ; a (comment\n (<= |t X| p) ) 10 20)");
    assert_eq!(message.id, "Match.7");
    assert_eq!(message.role, "(the white)");
    assert_eq!(*message.rules, "(ROLE (the white)) ; a (comment\n (<= |t X| p)");
    assert_eq!((message.start_clock, message.play_clock), (10, 20));
}

#[test]
fn infix_rules_are_sentences() {
    let expected = "role(x). role(o). p(X) :- q(X) & ~r(X,1.5). t :- distinct(a,b).";
    let read_rules =
        |text: &str| parse(std::sync::Arc::new(ludex_gdl::Source::new("", text)), Some(Notation::Infix));
    for rules in [
        "role(x),role(o),p(X) :- q(X) & ~r(X,1.5),t:-distinct(a,b)",
        "role(x) % the first, of two\n , role(o), p(X) :-\n q(X) & ~r(X,1.5), t:-distinct(a,b)",
        "role(x).role(o).p(X) :- q(X), ~r(X,1.5). t:-distinct(a,b).",
        "role(x)., role(o)., p(X) :- q(X) & ~r(X,1.5)., t:-distinct(a,b).",
        "role(x),role(o),p(X) :- q(X) & ~r(X,1.5),t:-distinct(a,b).",
        "role(x)\nrole(o)\np(X) :- q(X) & ~r(X,1.5)\nt:-distinct(a,b)",
    ] {
        let message = start(&format!("start(m23,x,[{rules}],10,10)"));
        let (sheet, errors) = read_rules(&message.rules);
        assert_eq!(errors, [], "{}", message.rules);
        assert!(same_rules(&sheet, &read_rules(expected).0), "{}", message.rules);
    }
}

#[test]
fn clocks_are_forgiving() {
    for (clocks, expected) in [
        ("10 20", (10, 20)),
        ("10.9 20.0", (10, 20)),
        ("30", (30, 30)),
        ("0.4 00.5", (0, 0)),
        ("1e30 +5", (u32::MAX, 5)),
    ] {
        let message = start(&format!("(start m a ((role a)) {clocks})"));
        assert_eq!((message.start_clock, message.play_clock), expected, "{clocks}");
        let message = start(&format!("start(m,a,[role(a)],{})", clocks.replace(' ', ",")));
        assert_eq!((message.start_clock, message.play_clock), expected, "{clocks}");
    }
    for clock in ["-1", "ten", "nan", "inf", "1x", "()", "1:30"] {
        let error = read_request(&format!("(start m a ((role a)) 10 {clock})")).unwrap_err();
        assert_eq!(error.problem, MessageProblem::Clock(clock.into()));
        assert_eq!(error.position.column, 26, "{error}");
    }
}

#[test]
fn more_may_be_told() {
    let expected = [("opponents", "(are (black egghead))"), ("kind", "|round robin|")]
        .map(|(name, value)| (name.to_owned(), value.to_owned()));
    let text = "(START m white ((role white)) 10 10 ((opponents (Are (black egghead))) \
                (kind \"round robin\") (score (1 0))))";
    // `(1 0)` is a term as well: 1 of 0.
    let mut read = start(text).more.to_vec();
    assert_eq!(read.pop(), Some(("score".into(), "(1 0)".into())));
    assert_eq!(read, expected);
    let text = "start(m,white,[role(white)],10,10,[[opponents,are(black(egghead))],\
                [kind,'round robin'],[score,[1,0]]])";
    let mut read = start(text).more.to_vec();
    assert_eq!(read.pop(), Some(("score".into(), "[1,0]".into())));
    assert_eq!(read, expected);
    assert_eq!(*start("(start m a ((role a)) 1 1 nil)").more, []);
}

#[test]
fn names_of_matches_are_kept_and_compared_without_case() {
    for (text, id) in [
        ("(abort Match.3316)", "Match.3316"),
        ("(abort |A match (1)|)", "A match (1)"),
        ("abort(MATCH.3316.x)", "MATCH.3316.x"),
        ("abort('A match, the 1st')", "A match, the 1st"),
        ("(abort 42)", "42"),
    ] {
        let Request::Abort { id: read } = read(text) else { panic!() };
        assert_eq!(read, id);
        for notation in [Notation::Prefix, Notation::Infix] {
            let request = Request::Abort { id: id.into() };
            assert_eq!(self::read(&write_request(&request, notation)), request);
        }
    }
    assert_eq!(match_key("MATCH.x"), match_key("Match.X"));
    assert_ne!(match_key("m1"), match_key("m2"));
}

#[test]
fn errors_say_where_and_what() {
    use MessageProblem as P;
    for (text, problem, place) in [
        ("", P::Empty, "1:1"),
        (" ; only a comment", P::Empty, "1:1"),
        ("()", P::Empty, "1:1"),
        ("hello", P::Keyword("hello".into()), "1:1"),
        ("(hello m)", P::Keyword("hello".into()), "1:2"),
        ("((play) m nil)", P::Keyword("(play)".into()), "1:2"),
        ("(play m", P::Syntax("this `(` is never closed".into()), "1:1"),
        ("play(m,[a)", P::Syntax("a `]` should stand here".into()), "1:10"),
        ("(play m nil))", P::Syntax("this `)` closes nothing".into()), "1:13"),
        ("(info)\n(info)", P::Trailing, "2:1"),
        ("play(m,nil) now", P::Trailing, "1:5"),
        ("(info 1)", P::Arguments { keyword: "info", found: 1 }, "1:2"),
        ("(start m a ((role a)))", P::Arguments { keyword: "start", found: 3 }, "1:2"),
        ("(stop m 1 a)", P::List("1".into()), "1:9"),
        ("(stop m (a) soon)", P::Time("soon".into()), "1:13"),
        ("(stop m 1 a () 2 3)", P::Arguments { keyword: "stop", found: 6 }, "1:2"),
        ("(abort)", P::Arguments { keyword: "abort", found: 0 }, "1:2"),
        ("(abort (m))", P::Id("(m)".into()), "1:8"),
        ("(play m\n noop)", P::List("noop".into()), "2:2"),
        ("(play m (a ?x))", P::Variable("?x".into()), "1:12"),
        ("(play m (a (b ()) ))", P::Syntax("an empty list means nothing".into()), "1:15"),
        ("(play m one a ())", P::Turn("one".into()), "1:9"),
        ("(start m a rules 10 10)", P::List("rules".into()), "1:12"),
        ("(start m a ((role a)) 10 10 (x))", P::Pair("x".into()), "1:30"),
        ("play(m,,[a])", P::Syntax("nothing stands before this".into()), "1:8"),
    ] {
        let error = read_request(text).unwrap_err();
        assert_eq!((&error.problem, error.position.to_string().as_str()), (&problem, place), "{text}");
        assert!(!error.hint.is_empty());
    }
    let error = read_request("(play m noop)").unwrap_err().to_string();
    let expected = "`noop` is not a list (at 1:9): a list of the moves of all roles must stand here: \
                    brackets stand around it, `(... ...)`";
    assert_eq!(error, expected);
}
