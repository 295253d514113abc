//! What is written is read again.

use std::sync::Arc;

use ludex_gdl::{GameTime, Notation, Source, parse, same_rules};
use ludex_match::message::{
    Expected, Given, Last, News, Request, Response, StartMessage, read_request, read_response, write_request,
    write_response,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

/// Names, some of which need quotes in one of the notations or in both.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => "[a-z][a-z0-9_]{0,4}",
        2 => "[0-9]{1,3}",
        1 => "[a-zA-Z][a-zA-Z0-9_ ,.'()-]{0,5}[a-z]",
    ]
    .prop_map(|name| ludex_gdl::spell_constant(&name, Notation::Prefix))
}

/// Ground terms in prefix.
fn term() -> impl Strategy<Value = String> {
    name().prop_recursive(4, 16, 4, |inner| {
        (name(), vec(inner, 1..4)).prop_map(|(name, parts)| format!("({name} {})", parts.join(" ")))
    })
}

fn id() -> impl Strategy<Value = String> {
    prop_oneof![3 => "[a-z][a-zA-Z0-9]{0,8}", 1 => "[A-Z]{1,5}\\.[0-9]{1,9}", 1 => "[ -~ü]{1,6}"]
}

fn last() -> impl Strategy<Value = Last> {
    prop_oneof![
        Just(Last::Nothing),
        vec(term(), 1..4).prop_map(|joint| Last::Joint(joint.into())),
        Just(Last::Percepts { turn: 0, action: None, percepts: Vec::new() }),
        (1u32.., term(), vec(term(), 0..3)).prop_map(|(turn, action, percepts)| Last::Percepts {
            turn,
            action: Some(action),
            percepts,
        }),
        (any::<u64>(), news()).prop_map(|(units, news)| Last::InTime {
            time: GameTime::from_units(units).unwrap_or_default(),
            news,
        }),
    ]
}

fn news() -> impl Strategy<Value = News> {
    prop_oneof![
        Just(News::Nothing),
        vec(option::of(term()), 1..4).prop_map(|moves| News::Moves(moves.into())),
        (any::<u32>(), option::of(term()), option::of(vec(term(), 0..3)))
            .prop_map(|(turn, action, percepts)| News::Percepts { turn, action, percepts }),
    ]
}

/// What is told of a game; of rules nothing, since they are compared in another way.
fn told() -> impl Strategy<Value = (Given, String)> {
    let terms = || vec(term(), 0..4).prop_map(|terms| terms.join("\n"));
    prop_oneof![
        Just((Given::Rules, String::new())),
        terms().prop_map(|terms| (Given::Records, terms)),
        terms().prop_map(|terms| (Given::Structure, terms)),
    ]
}

fn request() -> impl Strategy<Value = Request> {
    let pairs = || vec((name(), term()), 0..3);
    prop_oneof![
        Just(Request::Info),
        (id(), last()).prop_map(|(id, last)| Request::Play { id, last }),
        (id(), last()).prop_map(|(id, last)| Request::Stop { id, last }),
        id().prop_map(|id| Request::Abort { id }),
        (id(), term(), any::<u32>(), any::<u32>(), pairs(), told()).prop_map(
            |(id, role, start_clock, play_clock, more, (given, rules))| {
                Request::Start(Box::new(StartMessage {
                    id,
                    role,
                    given,
                    rules: rules.into(),
                    start_clock,
                    play_clock,
                    exact_play_clock: None,
                    more: more.into(),
                }))
            }
        ),
        any::<u32>().prop_map(|clock| Request::Preview { rules: String::new().into(), clock }),
    ]
}

fn response() -> impl Strategy<Value = (Response, Expected)> {
    let about = vec((name(), term()), 0..3).prop_filter("busy players say so", |about| {
        !about.iter().any(|(name, value)| name == "status" && value == "busy")
    });
    prop_oneof![
        Just((Response::Ready, Expected::Ready)),
        Just((Response::Busy, Expected::Info)),
        about.prop_map(|about| (Response::Available(about), Expected::Info)),
        Just((Response::Done, Expected::Done)),
        Just((Response::Aborted, Expected::Done)),
        term().prop_map(|action| (Response::Move(action), Expected::Move)),
    ]
}

fn notation() -> impl Strategy<Value = Notation> {
    prop_oneof![Just(Notation::Prefix), Just(Notation::Infix)]
}

/// Rules with comments, in one of the notations.
fn rules() -> impl Strategy<Value = (String, Notation)> {
    let clause = (name(), vec(term(), 1..3), vec(term(), 0..3), option::of("[ -~]{0,9}"));
    (vec(clause, 0..5), notation()).prop_map(|(clauses, notation)| {
        let mut text = String::new();
        for (name, arguments, body, comment) in clauses {
            let head = format!("({name} {})", arguments.join(" "));
            text.push_str(&match body.len() {
                0 => head,
                _ => format!("(<= {head}\n  {})", body.join("\n  ")),
            });
            text.push_str(&comment.map_or(String::new(), |comment| format!(" ;{comment}")));
            text.push('\n');
        }
        match notation {
            Notation::Prefix => (text, notation),
            Notation::Infix => {
                let (sheet, _) = parse(Arc::new(Source::new("", text)), Some(Notation::Prefix));
                (ludex_gdl::print(&sheet, notation), notation)
            }
        }
    })
}

proptest! {
    #[test]
    fn requests(request in request(), notation in notation()) {
        let written = write_request(&request, notation);
        let read = read_request(&written).unwrap();
        prop_assert_eq!(&read.request, &request, "{}", written);
        prop_assert_eq!(read.notation, notation);
    }

    #[test]
    fn responses((response, expected) in response(), notation in notation()) {
        let written = write_response(&response, notation);
        prop_assert_eq!(read_response(written.as_bytes(), expected, notation), Ok(response), "{}", written);
    }

    #[test]
    fn rules_mean_the_same_at_the_other_end((rules, notation) in rules()) {
        let start = StartMessage {
            id: "m".into(), role: "a".into(), rules: rules.clone().into(), ..StartMessage::default()
        };
        let written = write_request(&Request::Start(Box::new(start)), notation);
        prop_assert!(!written.contains('\n'));
        let Request::Start(read) = read_request(&written).unwrap().request else { panic!() };
        let sheet = |text: &str| parse(Arc::new(Source::new("", text)), Some(notation)).0;
        prop_assert!(same_rules(&sheet(&rules), &sheet(&read.rules)), "{}\n{}", rules, written);
    }
}
