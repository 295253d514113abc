//! Analyses of matches that are over: what they find, for whom there are none, and that nothing of them is shown
//! while a match is played.

use axum::http::StatusCode;
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::Manager;
use ludex_server::model::{ClockPlan, MatchPlan, MatchStage, PlayerKind, SeatPlan};

use super::support::*;
use crate::manager_support::{stage, tic_tac_toe, wait, wait_for_end};

/// After the first move, which keeps the draw, black loses with the second: the rest is a forced win.
const LOST_BY_ONE_MOVE: [[&str; 2]; 7] = [
    ["(mark 2 2)", "noop"],
    ["noop", "(mark 1 2)"],
    ["(mark 1 1)", "noop"],
    ["noop", "(mark 3 3)"],
    ["(mark 2 1)", "noop"],
    ["noop", "(mark 2 3)"],
    ["(mark 3 1)", "noop"],
];

fn people(manager: &Manager) {
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
}

/// Makes these joint moves.
fn play(manager: &Manager, id: &str, moves: &[[&str; 2]]) {
    for (step, joint) in moves.iter().enumerate() {
        // Who waits is not asked.
        for (seat, action) in (0..).map(SeatNumber).zip(joint).filter(|(_, action)| **action != "noop") {
            wait("that the seat is asked", || {
                let view = manager.match_view(id, Viewer::Seat(seat)).unwrap();
                (view.awaited && view.snapshot.steps.len() == step).then_some(())
            });
            manager.submit_move(id, seat, step, action).unwrap();
        }
    }
}

/// A match of tic-tac-toe that black lost by one move.
fn lost_match(manager: &Manager) -> String {
    people(manager);
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap();
    play(manager, &id, &LOST_BY_ONE_MOVE);
    wait_for_end(manager, &id);
    id
}

#[tokio::test]
async fn a_match_that_was_lost_by_one_move_turned_with_it() {
    let (router, manager) = on_loopback();
    let id = lost_match(&manager);
    let found = get(&router, &format!("/api/matches/{id}/analysis")).await;
    assert_eq!(found.status, StatusCode::OK, "{}", found.text);
    let found = found.json();
    assert_eq!((found["steps"].as_u64(), found["complete"].as_bool()), (Some(7), Some(true)));
    let values: Vec<(Option<f64>, Option<u64>)> = found["course"]
        .as_array()
        .unwrap()
        .iter()
        .map(|point| (point["values"][1].as_f64(), point["proved"][1].as_u64()))
        .collect();
    assert_eq!(values.len(), 8);
    assert_eq!(values[1], (Some(50.0), Some(50)), "{values:?}");
    assert!(values[2..].iter().all(|value| *value == (Some(0.0), Some(0))), "{values:?}");
    let turn = &found["turn"];
    assert_eq!((turn["step"].as_u64(), turn["role"].as_str()), (Some(2), Some("black")), "{turn}");
    assert_eq!(turn["made"]["move"], "(mark 1 2)");
    assert_eq!((turn["before"].as_f64(), turn["after"].as_f64()), (Some(50.0), Some(0.0)));
    assert_eq!(turn["proved"], true);
    // Only a corner saves black after the centre.
    let best = turn["best"]["move"].as_str().unwrap();
    assert!(["(mark 1 1)", "(mark 1 3)", "(mark 3 1)", "(mark 3 3)"].contains(&best), "{best}");

    let at = get(&router, &format!("/api/matches/{id}/analysis?step=2")).await.json();
    let white = &at["roles"][0];
    assert_eq!((white["role"].as_str(), white["proved"].as_u64()), (Some("white"), Some(100)), "{at}");
    assert_eq!(white["moves"][0]["proved"], 100);
    assert_eq!(white["made"]["move"], "(mark 1 1)");
    assert_eq!(at["roles"][1]["choices"], 1);
    let over = get(&router, &format!("/api/matches/{id}/analysis?step=7")).await.json();
    assert_eq!((over["over"].as_bool(), over["roles"][0]["proved"].as_u64()), (Some(true), Some(100)));
    let none = get(&router, &format!("/api/matches/{id}/analysis?step=8")).await;
    assert_eq!(none.status, StatusCode::NOT_FOUND, "{}", none.text);
}

#[tokio::test]
async fn the_replay_shows_an_analysis_to_who_asks_and_without_scripts() {
    let (router, manager) = on_loopback();
    let id = lost_match(&manager);
    let replay = format!("/matches/{id}/replay");
    let page = get(&router, &format!("{replay}?step=2")).await.text;
    assert!(page.contains("Analyse this position") && page.contains("name=\"step\" value=\"2\""), "{page}");
    assert!(!page.contains("can expect <") && !page.contains("data-course"), "nobody asked");
    let page = get(&router, &format!("{replay}?step=2&analysis=position")).await;
    assert_eq!(page.status, StatusCode::OK);
    let text = page.text;
    assert!(text.contains("After step 2") && text.contains("<span class=\"goal\">100</span>"), "{text}");
    assert!(
        text.contains("<span class=\"code\">(mark 1 1)</span> <span class=\"faint small\">played"),
        "{text}"
    );
    let page = get(&router, &format!("{replay}?step=2&analysis=match")).await.text;
    assert!(page.contains("data-course=\"7\"") && page.contains("The match turned with step"), "{page}");
    assert!(page.contains("which cost 50 points") && page.matches("<polyline").count() == 2, "{page}");
    assert!(!page.contains("style="), "the content policy allows no styles in the page");
    // For scripts there is the part alone.
    let part = get(&router, &format!("{replay}?step=2&analysis=match&part=1")).await.text;
    assert!(part.starts_with("<h3>") && !part.contains("<html"), "{part}");
    let odd = get(&router, &format!("{replay}?analysis=everything")).await;
    assert_eq!(odd.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn nobody_gets_help_while_a_match_is_played() {
    let (router, manager) = on_loopback();
    people(&manager);
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 60_000)).unwrap();
    play(&manager, &id, &LOST_BY_ONE_MOVE[..3]);
    wait("three steps", || (manager.match_detail(&id).unwrap().summary.steps == 3).then_some(()));
    for path in ["", "?step=0", "?step=2"] {
        let said = get(&router, &format!("/api/matches/{id}/analysis{path}")).await;
        assert_eq!(said.status, StatusCode::CONFLICT, "{}", said.text);
        assert!(said.text.contains("nobody gets help while it is played"), "{}", said.text);
    }
    for wish in ["", "&analysis=match", "&analysis=position"] {
        let page = get(&router, &format!("/matches/{id}/replay?step=1{wish}")).await;
        assert_eq!(page.status, StatusCode::OK);
        assert!(!page.text.contains("id=\"analysis\""), "{}", page.text);
        let part = get(&router, &format!("/matches/{id}/replay?step=1&part=1{wish}")).await;
        let status = if wish.is_empty() { StatusCode::OK } else { StatusCode::CONFLICT };
        assert_eq!(part.status, status, "{}", part.text);
    }
    let page = get(&router, &format!("/matches/{id}")).await.text;
    assert!(!page.contains("nalysis"), "{page}");
}

#[tokio::test]
async fn games_that_are_not_analysed_say_why() {
    let (router, manager) = on_loopback();
    people(&manager);
    let seat = |player: &str| SeatPlan { player: player.into(), ..SeatPlan::default() };
    for (game, why) in [
        ("blind-tic-tac-toe", "players do not see everything"),
        ("timed-tic-tac-toe", "in real time are not analysed"),
    ] {
        let seats = vec![seat("Anna"), seat("Bert")];
        let plan = MatchPlan::new(game, seats, ClockPlan::new(60_000, 60_000));
        let id = manager.schedule(&plan).unwrap();
        wait("that it runs", || (stage(&manager, &id) == MatchStage::Running).then_some(()));
        manager.abort_match(&id, "enough").unwrap();
        wait_for_end(&manager, &id);
        for wish in ["", "&analysis=match", "&analysis=position"] {
            let page = get(&router, &format!("/matches/{id}/replay?step=0{wish}")).await.text;
            assert!(page.contains("There is none:") && page.contains(why), "{page}");
            assert!(!page.contains("Analyse the match"), "{page}");
        }
        for path in ["", "?step=0"] {
            let said = get(&router, &format!("/api/matches/{id}/analysis{path}")).await;
            assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
            assert!(said.text.contains(why), "{}", said.text);
        }
    }
    assert_eq!(get(&router, "/api/matches/none/analysis").await.status, StatusCode::NOT_FOUND);
}
