//! Matches of which players are told no rules.

use std::time::Duration;

use ludex_game::{Rng, RoleId, Rules};
use ludex_gdl::Notation;
use ludex_logic::Budget;
use ludex_match::blind::{Structure, StructureError};
use ludex_match::message::{Given, Last, Request, StartMessage, read_request, write_request};
use ludex_match::referee::{
    Entry, Patience, Referee, RefereeError, RefereeSetup, SeatNumber, SeatSetup, TimeBank,
};
use ludex_match::{Fault, MatchStatus, verify_match};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::bundled;
use crate::harness::{Harness, seconds, setup};

fn blind(rules: &Rules) -> RefereeSetup {
    let mut agreed = setup(rules);
    agreed.seats.iter_mut().for_each(|seat| seat.given = Given::Structure);
    agreed
}

fn start_to(harness: &Harness, seat: u32) -> StartMessage {
    let sent = harness.sent.iter().find(|sent| sent.seat == SeatNumber(seat));
    match sent.map(|sent| &sent.request) {
        Some(Request::Start(start)) => (**start).clone(),
        other => panic!("{other:?}"),
    }
}

fn last_to(harness: &Harness, seat: u32) -> (u32, Option<String>, Vec<String>) {
    match &harness.last_sent(seat).request {
        Request::Play { last: Last::Percepts { turn, action, percepts }, .. }
        | Request::Stop { last: Last::Percepts { turn, action, percepts }, .. } => {
            (*turn, action.clone(), percepts.clone())
        }
        other => panic!("{other:?}"),
    }
}

fn term() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9_]{0,4}|[0-9]{1,3}".prop_recursive(3, 8, 3, |inner| {
        ("[a-z]{1,4}", vec(inner, 1..3)).prop_map(|(name, parts)| format!("({name} {})", parts.join(" ")))
    })
}

proptest! {
    #[test]
    fn structures_are_read_as_they_are_written(
        roles in prop::collection::btree_map("[a-z]{1,5}", vec(term(), 0..4), 0..4),
        percepts in vec(term(), 0..5),
    ) {
        let (roles, actions) = roles.into_iter().unzip();
        let structure = Structure { roles, actions, percepts };
        prop_assert_eq!(Structure::read(&structure.text()).unwrap(), structure.clone());
        for notation in [Notation::Prefix, Notation::Infix] {
            let start = StartMessage {
                id: "m".into(),
                role: "a".into(),
                given: Given::Structure,
                rules: structure.text().into(),
                ..StartMessage::default()
            };
            let text = write_request(&Request::start(start), notation);
            let Ok(Request::Start(read)) = read_request(&text).map(|read| read.request) else {
                panic!("{text}")
            };
            prop_assert_eq!(Structure::read(&read.rules).unwrap(), structure.clone());
        }
    }

    #[test]
    fn no_text_breaks_the_reader(text in "[ -~\\n]{0,80}") {
        let _ = Structure::read(&text);
    }
}

#[test]
fn what_is_no_structure_is_refused() {
    for text in ["(role a", "(rule a)", "(role a b)", "(action b c)", "role", "(role a) (action a)", ")("] {
        assert!(matches!(Structure::read(text), Err(StructureError::Text(_))), "{text}");
    }
}

#[test]
fn the_messages_are_those_of_the_book() {
    let rules = bundled::rules("gdl/buttons-and-lights.gdl");
    let mut harness = Harness::new(&rules, blind(&rules));
    harness.begin();
    let start = start_to(&harness, 0);
    assert_eq!(start.given, Given::Structure);
    let structure = Structure::read(&start.rules).unwrap();
    assert_eq!(structure, Structure::of(&rules, RoleId(0), &Budget::unlimited()).unwrap());
    let text = write_request(&Request::start(start), Notation::Prefix);
    assert!(text.starts_with("(BLIND m23 white ((role white) (action white a) (action white b)"), "{text}");
    assert!(text.contains("(percept (true (step 1)))") && text.ends_with(") 10 10)"), "{text}");
    assert!(!text.contains("legal") && !text.contains("<="), "{text}");
    harness.answer(0, "ready");
    let (turn, action, percepts) = last_to(&harness, 0);
    assert_eq!((turn, action), (0, None));
    assert!(percepts.contains(&"(utility 0)".to_owned()) && percepts.contains(&"(true (step 1))".to_owned()));
    harness.answer(0, "a");
    let (turn, action, percepts) = last_to(&harness, 0);
    assert_eq!((turn, action.as_deref()), (1, Some("a")));
    assert!(percepts.contains(&"(does white a)".to_owned()), "{percepts:?}");
    let text = write_request(&harness.last_sent(0).request, Notation::Infix);
    assert!(text.starts_with("play(m23,1,a,[utility(0),true("), "{text}");
}

#[test]
fn what_is_refused_is_replaced_and_no_fault_of_the_player() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let agreed = RefereeSetup { patience: Patience::Abort(1), ..blind(&rules) };
    let mut harness = Harness::ready(&rules, agreed);
    // It is not its turn.
    harness.answer_all(&["(mark 1 1)", "(mark 1 1)"]);
    assert_eq!(*harness.referee.status(), MatchStatus::Running);
    let Some(Entry::Stepped { faults, .. }) = harness.journal.last() else { panic!() };
    assert_eq!(faults[..], [None, Some(Fault::Illegal("(mark 1 1)".into()))]);
    assert_eq!(last_to(&harness, 1).1.as_deref(), Some("noop"), "it is told what was made");
    assert_eq!(harness.referee.record().errors.last().unwrap()[1], "IL (mark 1 1)");
    // No answer at all is a fault of a player without rules, too.
    harness.answer(0, "noop");
    harness.wait(seconds(10));
    assert!(matches!(harness.referee.status(), MatchStatus::Aborted(_)));
}

#[test]
fn in_gdl_ii_nobody_is_told_what_others_see() {
    let rules = bundled::rules("gdl-ii/monty-hall.gdl");
    let mut harness = Harness::ready(&rules, blind(&rules));
    let structure = Structure::read(&start_to(&harness, 0).rules).unwrap();
    assert!(structure.roles.contains(&"random".to_owned()));
    assert!(structure.percepts.iter().all(|percept| percept.starts_with("(sees ")), "{structure:?}");
    let mut moves = 0;
    while !harness.referee.has_ended() {
        let (turn, _, percepts) = last_to(&harness, 0);
        assert_eq!(turn, moves);
        assert!(
            percepts
                .iter()
                .all(|seen| ["(sees ", "(utility ", "(refused "].iter().any(|known| seen.starts_with(known)))
        );
        moves += 1;
        harness.answer(0, "noop");
    }
    let (_, _, percepts) = last_to(&harness, 0);
    assert!(percepts.iter().any(|seen| seen.starts_with("(utility ")), "{percepts:?}");
}

#[test]
fn scrambled_seats_are_told_everything_in_words_of_their_own() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut agreed = blind(&rules);
    agreed.seats[0].scramble = Some(3);
    let mut harness = Harness::new(&rules, agreed);
    harness.begin();
    let start = start_to(&harness, 0);
    let structure = Structure::read(&start.rules).unwrap();
    for word in ["white", "mark", "cell", "control", "noop"] {
        assert!(!start.rules.contains(word), "{word} in {}", start.rules);
    }
    assert_eq!(structure.actions[0].len(), 10);
    assert!(structure.roles.contains(&start.role));
    assert!(structure.percepts.iter().all(|percept| percept.starts_with("(true ")));
    harness.answer_all(&["ready", "ready"]);
    let (_, _, percepts) = last_to(&harness, 0);
    assert!(percepts.iter().any(|percept| percept.starts_with("(utility ")), "{percepts:?}");
    let known = |percept: &String| structure.percepts.contains(percept) || percept.starts_with("(utility ");
    assert!(percepts.iter().all(known), "{percepts:?} {structure:?}");
    let mark = structure.actions[0].iter().find(|action| action.starts_with('(')).unwrap();
    harness.answer(0, mark);
    harness.answer(1, "noop");
    assert_eq!(harness.referee.course().steps()[0].faults, [None, None]);
}

#[test]
fn who_knows_the_rules_is_told_as_ever() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut agreed = setup(&rules);
    agreed.seats[1].given = Given::Structure;
    let mut harness = Harness::ready(&rules, agreed);
    assert_eq!(start_to(&harness, 0).given, Given::Rules);
    harness.answer_all(&["(mark 2 2)", "noop"]);
    let Request::Play { last: Last::Joint(joint), .. } = &harness.last_sent(0).request else { panic!() };
    assert_eq!(joint[..], ["(mark 2 2)".to_owned(), "noop".to_owned()]);
    assert_eq!(last_to(&harness, 1).0, 1);
}

#[test]
fn rules_and_no_rules_go_not_together() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut agreed = blind(&rules);
    agreed.seats[0].rulesheet = Some("(role white)".into());
    let refused = Referee::new(rules.clone(), agreed);
    assert!(matches!(refused, Err(RefereeError::RulesOfItsOwn { player }) if player == "Alpha"));
}

#[test]
fn journals_of_before_are_read_and_new_ones_say_what_was_told() {
    let plain = SeatSetup { player: "a".into(), ..SeatSetup::default() };
    let text = serde_json::to_string(&plain).unwrap();
    assert!(!text.contains("given"), "{text}");
    assert_eq!(serde_json::from_str::<SeatSetup>(&text).unwrap(), plain);
    let blind = SeatSetup { given: Given::Structure, ..plain };
    let text = serde_json::to_string(&blind).unwrap();
    assert!(text.contains(r#""given":"structure""#), "{text}");
    assert_eq!(serde_json::from_str::<SeatSetup>(&text).unwrap(), blind);
}

/// Players do whatever comes to their minds, answers are late, and the referee dies now and then.
#[test]
fn matches_go_well_whatever_players_do_and_however_often_the_referee_dies() {
    for (number, path) in (0..).zip(["gdl/tic-tac-toe.kif", "gdl/nim.kif", "gdl-ii/monty-hall.gdl"]) {
        let rules = bundled::rules(path);
        for seed in 0..20 {
            play_badly(&rules, &mut Rng::from_seed(1_000 * number + seed));
        }
    }
}

fn play_badly(rules: &Rules, rng: &mut Rng) {
    let mut agreed = setup(rules);
    for seat in &mut agreed.seats {
        seat.given = if rng.below(3) == 0 { Given::Rules } else { Given::Structure };
        seat.scramble = (rng.below(3) == 0).then(|| rng.below(100));
    }
    agreed.clocks.bank = Some(TimeBank { total: seconds(60), increment: Duration::ZERO });
    let mut harness = Harness::ready(rules, agreed);
    let mut turns = vec![None; rules.seats().len()];
    while !harness.referee.has_ended() {
        if rng.below(8) == 0 {
            let journal = harness.journal.clone();
            harness = Harness::resume(rules, &journal);
            harness.begin();
            // Those who answered are asked again, in the same turn.
            turns.iter_mut().for_each(|turn| *turn = None);
        }
        if rng.below(10) == 0 {
            harness.wait(seconds(11));
            turns.iter_mut().for_each(|turn| *turn = None);
            continue;
        }
        for seat in 0..turns.len() as u32 {
            if harness.referee.has_ended() {
                break;
            }
            let setup = &harness.referee.setup().seats[seat as usize];
            if setup.given == Given::Structure {
                let (turn, action, percepts) = last_to(&harness, seat);
                let steps = harness.referee.course().steps().len() as u32;
                assert_eq!((turn, action.is_some()), (steps, steps > 0));
                let known = turns[seat as usize].replace(turn);
                assert!(known.is_none_or(|known| turn == known + 1), "{known:?} {turn}");
                assert!(percepts.iter().all(|percept| percept.starts_with('(')), "{percepts:?}");
            }
            match rng.below(6) {
                0 => harness.answer(seat, "nonsense"),
                1 => harness.answer(seat, "("),
                2 => harness.fail(seat, "no connection"),
                _ => {
                    let role = rules.seats()[seat as usize];
                    let legal = harness.referee.course().legal(role);
                    let action = rules.text(legal[rng.below(legal.len() as u64) as usize]);
                    harness.answer(seat, &action);
                }
            }
        }
    }
    assert_eq!(*harness.referee.status(), MatchStatus::Completed);
    assert_eq!(verify_match(rules, &harness.referee.record()).mismatches, []);
    let another = harness.referee.another("m24".into(), 8, None).unwrap();
    assert_eq!(
        (another.setup().id.as_str(), another.entries(), another.course().steps().len()),
        ("m24", 0, 0)
    );
}
