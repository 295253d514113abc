//! What may be seen of a match, and that nothing else is.

use crate::bundled;
use std::collections::{BTreeMap, BTreeSet};

use crate::harness::{Harness, seconds, setup};
use ludex_game::{Rng, Rules};
use ludex_logic::TermId;
use ludex_match::message::Request;
use ludex_match::referee::{Event, SeatNumber};
use ludex_match::view::{View, Viewer};
use ludex_match::{Match, MatchRecord, MatchSetup, MatchStatus};
use serde_json::json;

fn seat(number: u32) -> Viewer {
    Viewer::Seat(SeatNumber(number))
}

fn begun(rules: &Rules) -> Harness {
    let mut harness = Harness::new(rules, setup(rules));
    harness.begin();
    let seats = rules.seats().len();
    harness.answer_all(&vec!["ready"; seats]);
    harness
}

fn some(texts: &[&str]) -> Vec<Option<String>> {
    texts.iter().map(|&text| Some(text.to_owned())).collect()
}

#[test]
fn without_secrets_everybody_sees_everything() {
    let rules = bundled::rules("gdl/tic-tac-toe.kif");
    let mut harness = begun(&rules);
    harness.wait(seconds(2));
    harness.answer_all(&["mark(1,1)", "mark(9,9)"]);
    let all = harness.referee.view(harness.now, Viewer::Referee).snapshot();
    for viewer in [Viewer::Spectator, seat(0), seat(1), seat(7)] {
        let view = harness.referee.view(harness.now, viewer);
        assert!(!view.is_partial());
        assert_eq!(view.snapshot(), all);
    }
    assert_eq!(all.steps[0].moves, some(&["(mark 1 1)", "noop"]));
    assert_eq!(all.steps[0].errors, some(&["", "IL (mark 9 9)"]));
    assert_eq!(all.steps[0].times, [Some(2000), Some(2000)]);
    assert!(all.state.facts.unwrap().contains(&"(cell 1 1 x)".to_owned()));
    assert_eq!(all.state.legal[0], Some(vec!["noop".to_owned()]));
    assert_eq!(all.state.legal[1].as_ref().unwrap().len(), 8);
    assert_eq!(all.state.goals.unwrap().len(), 2);
    assert_eq!(all.state.time, Some(1_002_000));
    // The state before is still to be seen, one that is to come is not.
    let view = harness.referee.view(harness.now, Viewer::Spectator);
    assert!(view.state(0).unwrap().facts.unwrap().contains(&"(cell 1 1 b)".to_owned()));
    assert_eq!((view.state(2), view.step(1)), (None, None));
    // Moves are offered to who is to make them.
    assert_eq!(harness.referee.view(harness.now, seat(1)).own_moves().len(), 8);
    assert_eq!((view.own_moves(), view.own_role()), (Vec::new(), None));
    assert_eq!(harness.referee.view(harness.now, seat(1)).own_role(), Some(rules.seats()[1]));
    assert_eq!(harness.referee.view(harness.now, seat(7)).own_moves(), [""; 0]);
}

#[test]
fn clocks_run_for_all_to_see() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let mut harness = begun(&rules);
    harness.wait(seconds(4));
    harness.answer(1, "mark(1,1)");
    for viewer in [Viewer::Spectator, Viewer::Referee, seat(0), seat(1)] {
        let clocks = serde_json::to_value(harness.referee.view(harness.now, viewer).clocks()).unwrap();
        let expected = json!([
            { "seat": 0, "role": "white", "player": "Alpha", "left": 6000, "bank": null },
            { "seat": 1, "role": "black", "player": "Beta", "left": null, "bank": null },
        ]);
        assert_eq!(clocks, expected);
    }
}

#[test]
fn a_seat_sees_what_is_its_own_and_a_spectator_waits_for_the_end() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let mut harness = begun(&rules);
    harness.answer_all(&["mark(1,1)", "mark(9,9)"]);
    harness.answer_all(&["mark(2,2)", "mark(2,2)"]);
    let white = harness.referee.view(harness.now, seat(0)).snapshot();
    assert_eq!(white.steps[0].moves, [Some("(mark 1 1)".into()), None, None]);
    assert_eq!(white.steps[0].errors, [Some(String::new()), None, None]);
    assert_eq!(white.state.facts, None);
    assert_eq!(white.state.goals, None);
    assert_eq!(white.state.legal[0].as_ref().unwrap().len(), 7);
    assert_eq!(white.state.legal[1..], [None, None]);
    let black = harness.referee.view(harness.now, seat(1)).snapshot();
    assert_eq!(black.steps[0].errors, [None, Some("IL (mark 9 9)".into()), None]);
    assert!(harness.referee.view(harness.now, Viewer::Spectator).is_partial());
    let spectator = harness.referee.view(harness.now, Viewer::Spectator).snapshot();
    assert_eq!(spectator.steps.len(), 2, "that steps are made is no secret");
    for step in &spectator.steps {
        assert_eq!((&step.moves[..], &step.errors[..]), (&[None, None, None][..], &[None, None, None][..]));
        assert_eq!(step.percepts, [None, None, None]);
    }
    assert_eq!((spectator.state.facts, &spectator.state.legal[..]), (None, &[None, None, None][..]));
    let everything = harness.referee.view(harness.now, Viewer::Referee).snapshot();
    assert!(everything.state.facts.is_some() && everything.steps[1].moves.iter().all(Option::is_some));
    // A record of a match that is not over tells no more.
    let record = harness.referee.record();
    for (viewer, told) in [(Viewer::Spectator, &spectator.steps), (seat(0), &white.steps)] {
        assert_eq!(&View::of_record(&record, viewer).snapshot().steps, told);
    }
    // In the end a spectator sees all; a seat sees what the match was worth.
    harness.on(Event::Abort("enough".into()));
    harness.write();
    let over = harness.referee.view(harness.now, Viewer::Spectator);
    assert!(over.clocks().iter().all(|clock| clock.left.is_none()));
    assert!(!over.is_partial());
    assert!(over.state(1).unwrap().facts.is_some());
    let white = harness.referee.view(harness.now, seat(0));
    assert!(white.is_partial());
    let last = white.state(2).unwrap();
    assert_eq!((last.facts, last.goals.map(|goals| goals.len())), (None, Some(3)));
    assert_eq!(white.state(1).unwrap().goals, None);
    assert_eq!(white.own_moves(), [""; 0]);
    assert_eq!(white.status(), MatchStatus::Aborted("enough".into()));
}

#[test]
fn a_record_shows_what_the_match_showed() {
    for game in ["gdl/tic-tac-toe.kif", "gdl-ii/blind-tic-tac-toe.gdl", "gdl-ii/monty-hall.gdl"] {
        let rules = bundled::rules(game);
        let mut harness = begun(&rules);
        while !harness.done {
            harness.wait(seconds(10));
        }
        let record = MatchRecord::read(&harness.referee.record().write()).unwrap();
        let mut viewers = vec![Viewer::Spectator, Viewer::Referee];
        viewers.extend((0..3).map(seat));
        for viewer in viewers {
            let live = View::of_match(harness.referee.course(), viewer);
            let replay = View::of_record(&record, viewer);
            assert_eq!(replay.snapshot(), live.snapshot(), "{game} {viewer:?}");
            for step in 0..=live.steps() {
                assert_eq!(replay.state(step), live.state(step), "{game} {viewer:?}");
            }
        }
    }
}

/// Two matches between which a seat cannot tell: whatever is said and shown to it is the same.
#[test]
fn what_a_seat_cannot_know_changes_nothing_of_what_it_is_told() {
    let rules = bundled::rules("gdl-ii/blind-tic-tac-toe.gdl");
    let told = |others: &[&str]| {
        let mut harness = begun(&rules);
        let mut shown = Vec::new();
        for (own, other) in ["mark(1,1)", "mark(1,2)", "mark(2,1)"].iter().zip(others) {
            harness.answer_all(&[own, other]);
            let view = harness.referee.view(harness.now, seat(0));
            let states: Vec<_> = (0..=view.steps()).map(|step| view.state(step)).collect();
            shown.push((view.snapshot(), states, view.own_moves(), view.start_errors()));
        }
        let sent: Vec<Request> = harness
            .sent
            .iter()
            .filter(|sent| sent.seat == SeatNumber(0))
            .map(|sent| sent.request.clone())
            .collect();
        (shown, sent, harness.referee.record().states)
    };
    let (shown, sent, states) = told(&["mark(3,1)", "mark(3,2)", "mark(2,3)"]);
    for others in [["mark(2,2)", "mark(3,3)", "mark(2,3)"], ["mark(3,3)", "nonsense((", "mark(3,2)"]] {
        let (other_shown, other_sent, other_states) = told(&others);
        if other_sent == sent {
            assert_ne!(states, other_states, "the matches were not the same");
            assert_eq!(shown, other_shown);
        } else {
            // The random move that replaced nonsense made a difference that white saw.
            assert_eq!(others[1], "nonsense((");
        }
    }
}

/// Views show a seat its legal moves, since it knows them anyway: they follow from what it did and saw.
#[test]
fn legal_moves_of_bundled_games_are_no_news_to_who_makes_them() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/gdl-ii");
    let mut compared = 0;
    for file in std::fs::read_dir(folder).unwrap() {
        let name = file.unwrap().file_name().into_string().unwrap();
        // What `ludex test` runs is no rulesheet.
        if name.ends_with(".cases") {
            continue;
        }
        let rules = bundled::rules(&format!("gdl-ii/{name}"));
        // What each seat may do, by what it did and saw.
        let mut known: BTreeMap<String, Vec<TermId>> = BTreeMap::new();
        for seed in 0..150 {
            let agreed = MatchSetup { seed, ..MatchSetup::default() };
            let mut course = Match::new(rules.clone(), agreed).unwrap();
            let mut rng = Rng::from_seed(seed);
            let mut stories: Vec<String> = rules.roles().map(|role| format!("{role:?}")).collect();
            loop {
                for &role in &rules.seats() {
                    let legal = course.legal(role).to_vec();
                    let story = stories[role.index()].clone();
                    compared += usize::from(known.contains_key(&story));
                    let before = known.entry(story).or_insert_with(|| legal.clone());
                    assert_eq!(*before, legal, "{name}: {}", stories[role.index()]);
                }
                if course.is_over() {
                    break;
                }
                // Few different moves, so that stories come again.
                let pick =
                    |role| Ok(*rng.pick(&course.legal(role)[..course.legal(role).len().min(2)]).unwrap());
                let replies: Vec<_> = rules.roles().map(pick).collect();
                course.submit(&replies, None).unwrap();
                for role in rules.roles() {
                    stories[role.index()].push_str(&format!("{:?}", course.told(role)));
                }
            }
        }
    }
    assert!(compared > 1000, "stories came again: {compared}");
}

/// Everything that is said and shown to a seat, searched for what holds in the states and for what others
/// did and saw.
#[test]
fn no_hidden_fact_reaches_a_seat() {
    let games = [
        "blind-tic-tac-toe.gdl",
        "exploding-bomb.gdl",
        "high-card.gdl",
        "high-card-stakes.gdl",
        "trading.gdl",
        "battleship.kif",
        "blind-breakthrough.kif",
        "krieg-tic-tac-toe-lost-turn.gdl",
        "liars-dice.kif",
        "mastermind.kif",
        "signals.kif",
    ];
    let mut hidden = 0;
    for game in games {
        let rules = bundled::rules(&format!("gdl-ii/{game}"));
        for seed in 0..5 {
            let mut harness = Harness::new(&rules, {
                let mut agreed = setup(&rules);
                agreed.seed = seed;
                agreed
            });
            harness.begin();
            let mut rng = Rng::from_seed(seed);
            let mut shown: Vec<String> = vec![String::new(); rules.seats().len()];
            while !harness.done {
                for awaited in harness.referee.awaited() {
                    let number = awaited.seat.0;
                    let text = match &harness.last_sent(number).request {
                        Request::Start(_) => "ready".to_owned(),
                        Request::Play { .. } => {
                            let view = harness.referee.view(harness.now, seat(number));
                            rng.pick(&view.own_moves()).unwrap().clone()
                        }
                        _ => "done".to_owned(),
                    };
                    harness.answer(number, &text);
                    for (number, shown) in (0..).zip(&mut shown) {
                        if !harness.referee.has_ended() {
                            let view = harness.referee.view(harness.now, seat(number)).snapshot();
                            shown.push_str(&serde_json::to_string(&view).unwrap());
                        }
                    }
                }
            }
            for (number, shown) in (0..).zip(&mut shown) {
                for sent in harness.sent.iter().filter(|sent| sent.seat == SeatNumber(number)) {
                    if !matches!(sent.request, Request::Start(_)) {
                        shown.push_str(&format!("{:?}", sent.request));
                    }
                }
                hidden += search(&rules, &harness, number, shown);
            }
        }
    }
    assert!(hidden > 100, "there was something to be hidden: {hidden}");
}

/// Searches what a seat was told for what it must not know; gives back for how much.
fn search(rules: &Rules, harness: &Harness, number: u32, shown: &str) -> usize {
    let record = harness.referee.record();
    let own = rules.seats()[number as usize].index();
    let percepts = record.percepts.as_ref().unwrap();
    let own_legal = record.legal_moves.as_ref().unwrap().iter().flat_map(|by_role| &by_role[own]);
    let open: BTreeSet<&str> = percepts
        .iter()
        .flat_map(|by_role| &by_role[own])
        .chain(record.moves.iter().map(|joint| &joint[own]))
        .chain(own_legal)
        .chain(&record.roles)
        .map(String::as_str)
        .collect();
    let course = harness.referee.course();
    let terms = rules.signature().terms();
    let facts = (0..=course.steps().len()).flat_map(|step| {
        let state = course.history().state_at(step).unwrap();
        rules.facts(state).into_iter().map(|fact| terms.prefix(fact)).collect::<Vec<_>>()
    });
    let of_others = course.steps().iter().flat_map(|step| {
        let others = (0..step.joint.len()).filter(|&role| role != own);
        others.flat_map(|role| step.percepts[role].iter().chain([&step.joint[role]])).collect::<Vec<_>>()
    });
    let secrets: BTreeSet<String> = facts
        .chain(of_others.map(|&term| terms.prefix(term)))
        // Short words are part of many others.
        .filter(|text| text.starts_with('(') && !open.iter().any(|open| open.contains(text.as_str())))
        .collect();
    for secret in &secrets {
        assert!(!shown.contains(secret.as_str()), "seat {number} was told {secret}");
    }
    secrets.len()
}
