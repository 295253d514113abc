//! The seats of people: each is opened by its key alone, and nothing hidden is told to anybody else.

use axum::Router;
use axum::body::Body;
use axum::http::{StatusCode, header};
use ludex::matches::referee::{Patience, SeatNumber};
use ludex::matches::view::Viewer;
use ludex_server::manager::Manager;
use ludex_server::model::{MatchPlan, MatchStage, PlayerKind, SeatPlan};
use ludex_server::web::WebOptions;
use serde_json::Value;

use super::support::*;
use crate::manager_support::{tic_tac_toe, wait, wait_for_end};

/// Anna and Bert play a game in which they do not see everything, with a seed that must not be known.
const SEED: u64 = 7_264_518_930;

struct Blind {
    id: String,
    keys: [String; 2],
}

async fn blind(router: &Router, manager: &Manager) -> Blind {
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let plan = tic_tac_toe(&["Anna", "Bert"], 60_000);
    let plan = MatchPlan { game: "blind-tic-tac-toe".into(), seed: Some(SEED), ..plan };
    let made = make_match(router, &plan).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let key = |seat: usize| made["seats"][seat]["key"].as_str().unwrap().to_owned();
    assert_eq!((&made["seats"][1]["role"], &made["seats"][1]["player"]), (&"black".into(), &"Bert".into()));
    let keys = [key(0), key(1)];
    assert_ne!(keys[0], keys[1]);
    wait("that both are asked", || {
        let awaited = |seat| manager.match_view(&id, Viewer::Seat(SeatNumber(seat))).unwrap().awaited;
        (awaited(0) && awaited(1)).then_some(())
    });
    Blind { id, keys }
}

#[tokio::test]
async fn a_seat_is_opened_by_its_own_key_alone() {
    let (router, manager) = on_loopback();
    let Blind { id, keys } = blind(&router, &manager).await;
    let page = format!("/matches/{id}/seat/0");
    let api = format!("/api/matches/{id}/seats/0");
    for query in ["".to_owned(), "?key=".to_owned(), format!("?key={}", keys[1]), "?key=0".repeat(2)] {
        for path in [&page, &format!("{page}/live"), &api, &format!("{api}/events")] {
            let said = get(&router, &format!("{path}{query}")).await;
            assert!(said.status.is_client_error(), "{path}{query}: {}", said.status);
            assert!(!said.headers.contains_key(header::SET_COOKIE));
            assert!(!said.text.contains("mark"), "{}", said.text);
        }
        let said = send(&router, &format!("{api}/move{query}"), "{\"step\":0,\"move\":\"(mark 1 1)\"}").await;
        assert!(said.status.is_client_error());
        let said = send(&router, &format!("{page}/move{query}"), "step=0&move=(mark+1+1)").await;
        assert!(said.status.is_client_error());
    }
    let view = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
    assert!(view.awaited, "nobody has moved for Anna");

    let said = get(&router, &format!("{page}?key={}", keys[0])).await;
    assert_eq!(said.status, StatusCode::OK);
    assert!(said.text.contains("mark"), "her moves are there");
    let cookie = said.headers[header::SET_COOKIE].to_str().unwrap();
    assert!(
        cookie.ends_with(&format!("; Path={page}; HttpOnly; SameSite=Strict; Max-Age=2592000")),
        "{cookie}"
    );
    let cookie = cookie.split(';').next().unwrap();
    let own = [("cookie", cookie)];
    assert_eq!(get_with(&router, &page, &own).await.status, StatusCode::OK);
    let other = format!("/matches/{id}/seat/1");
    assert_eq!(get_with(&router, &other, &own).await.status, StatusCode::FORBIDDEN);
    // A browser that sends its cookie back goes on at an address without the key.
    let here = [("sec-fetch-site", "same-origin")];
    let said = get_with(&router, &format!("{page}?key={}", keys[0]), &here).await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, page.clone()));
    assert!(said.headers.contains_key(header::SET_COOKIE));

    let live = first_event(&router, &format!("{page}/live?key={}", keys[0])).await;
    assert!(live.text.contains("mark"), "{}", live.text);
    let body = "step=0&move=(mark+1+1)";
    let request = post(&format!("{page}/move"), body).header(header::COOKIE, cookie);
    let said = ask(&router, request.body(Body::from(body)).unwrap()).await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, page));
    let path = format!("/api/matches/{id}/seats/1/move?key={}", keys[1]);
    let said = send(&router, &path, "{\"step\":0,\"move\":\"mark(2,2)\"}").await;
    assert_eq!(said.status, StatusCode::NO_CONTENT, "{}", said.text);
    wait("the step", || {
        let view = manager.match_view(&id, Viewer::Spectator).unwrap();
        (view.snapshot.steps.len() == 1).then_some(())
    });
    let bert = get(&router, &format!("/api/matches/{id}/seats/1?key={}", keys[1])).await;
    assert!(bert.text.contains("(mark 2 2)") && !bert.text.contains("(mark 1 1)\"]"), "{}", bert.text);
    assert_eq!(bert.json()["snapshot"]["steps"][0]["moves"][0], Value::Null);
}

#[tokio::test]
async fn seats_are_offered_to_who_makes_matches_until_they_are_taken() {
    let (router, manager) = router(WebOptions::public(TOKEN));
    let Blind { id, keys } = blind(&router, &manager).await;
    let page = format!("/matches/{id}");
    let login = send(&router, "/login", "token=a+token+nobody+guesses").await;
    let operator = login.headers[header::SET_COOKIE].to_str().unwrap().split(';').next().unwrap().to_owned();
    let operator = [("cookie", operator.as_str())];
    let shown = get(&router, &page).await.text;
    assert!(!shown.contains("key=") && !shown.contains(&keys[0]) && !shown.contains(&keys[1]));
    let shown = get_with(&router, &page, &operator).await.text;
    assert!(shown.contains(&keys[0]) && shown.contains(&keys[1]));
    // The token opens no seat; the key does, without the token.
    let seat = format!("{page}/seat/0");
    assert_eq!(get_with(&router, &seat, &operator).await.status, StatusCode::FORBIDDEN);
    assert_eq!(get(&router, &format!("{seat}?key={}", keys[0])).await.status, StatusCode::OK);
    let shown = get_with(&router, &page, &operator).await.text;
    assert!(!shown.contains(&keys[0]) && shown.contains(&keys[1]), "Anna has her seat");
    assert!(shown.contains(&format!("href=\"{seat}\"")), "she finds the way back");
    let step = send(&router, &format!("{seat}/move?key={}", keys[0]), "step=0&move=(mark+3+1)").await;
    assert_eq!(step.status, StatusCode::SEE_OTHER, "{}", step.text);
    // What is not a move needs the token as ever.
    assert_eq!(send(&router, &format!("{page}/abort"), "").await.status, StatusCode::UNAUTHORIZED);
    assert_eq!(send(&router, &format!("{page}/rematch"), "").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn nobody_else_learns_anything_hidden_before_the_end() {
    let (router, manager) = on_loopback();
    let Blind { id, keys } = blind(&router, &manager).await;
    for (seat, action) in [(0, "(mark 3 1)"), (1, "(mark 3 2)")] {
        manager.submit_move(&id, SeatNumber(seat), 0, action).unwrap();
    }
    wait("the step", || {
        (manager.match_view(&id, Viewer::Spectator).unwrap().snapshot.steps.len() == 1).then_some(())
    });
    let open = [
        format!("/matches/{id}"),
        format!("/matches/{id}/replay"),
        format!("/matches/{id}/replay?step=1&part=1"),
        format!("/matches/{id}/record.json"),
        format!("/api/matches/{id}"),
        format!("/api/matches/{id}/view"),
        format!("/api/matches/{id}/steps/0"),
        format!("/api/matches/{id}/steps/1"),
        format!("/api/matches/{id}/record"),
        "/api/matches".to_owned(),
        "/api/records".to_owned(),
        "/records.jsonl".to_owned(),
        "/matches".to_owned(),
        "/players/Anna".to_owned(),
        "/api/players/Anna".to_owned(),
        "/metrics".to_owned(),
    ];
    let seed = SEED.to_string();
    let secrets = ["mark", "tried", "tiebreak", "cell(", "(cell", seed.as_str(), keys[1].as_str()];
    let is_open = |path: &str, text: &str| {
        for secret in secrets {
            assert!(!text.contains(secret), "{path} tells {secret}: {text}");
        }
    };
    for path in &open {
        // On loopback whoever may make matches is offered seats that are free; here none is.
        get(&router, &format!("/matches/{id}/seat/0?key={}", keys[0])).await;
        get(&router, &format!("/matches/{id}/seat/1?key={}", keys[1])).await;
        is_open(path, &get(&router, path).await.text);
    }
    for path in [format!("/matches/{id}/live"), format!("/api/matches/{id}/events")] {
        is_open(&path, &first_event(&router, &path).await.text);
    }
    assert_eq!(get(&router, &format!("/api/matches/{id}/record")).await.status, StatusCode::FORBIDDEN);

    manager.abort_match(&id, "done").unwrap();
    wait_for_end(&manager, &id);
    let record = get(&router, &format!("/matches/{id}/record.json")).await;
    assert!(record.text.contains("(mark 3 1)") && record.text.contains(&seed));
    let detail = get(&router, &format!("/api/matches/{id}")).await.json();
    assert_eq!(detail["plan"]["seed"], SEED);
    // What a seat could not see it does not see now; a replay is for everybody.
    let anna = get(&router, &format!("/api/matches/{id}/seats/0?key={}", keys[0])).await;
    let step = &anna.json()["snapshot"]["steps"][0];
    assert_eq!(step["moves"], serde_json::json!(["(mark 3 1)", null, null]));
}

#[tokio::test]
async fn the_seed_of_a_tournament_is_told_when_it_is_over() {
    let (router, manager) = on_loopback();
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    for (game, hidden) in [("blind-tic-tac-toe", true), ("tic-tac-toe", false)] {
        let body = format!(
            "{{\"title\":\"Cup\",\"competition\":{{\"players\":[\"Anna\",\"Bert\"],\"rounds\":1,\"seed\":{SEED},
              \"games\":[{{\"name\":\"{game}\",\"seats\":0}}]}},\"clocks\":{{\"start\":60000,\"play\":60000}}}}"
        );
        let said = send(&router, "/api/tournaments", &body).await;
        assert_eq!(said.status, StatusCode::CREATED, "{}", said.text);
        let id = said.json()["id"].as_str().unwrap().to_owned();
        let path = format!("/api/tournaments/{id}");
        let events = first_event(&router, &format!("{path}/events")).await.text;
        let found = wait("a match", || {
            manager.tournament(&id).unwrap().running.first().map(|found| found.id.clone())
        });
        for text in [
            get(&router, &path).await.text,
            events,
            get(&router, &format!("/tournaments/{id}")).await.text,
            get(&router, &format!("/api/matches/{found}")).await.text,
        ] {
            assert!(!hidden || !text.contains(&SEED.to_string()), "{text}");
        }
        assert_eq!(get(&router, &path).await.json()["plan"]["competition"]["seed"] == SEED, !hidden);
        manager.end_tournament(&id).unwrap();
        assert_eq!(get(&router, &path).await.json()["plan"]["competition"]["seed"], SEED);
    }
}

#[tokio::test]
async fn who_plays_now_has_no_clock_unless_one_is_chosen() {
    let (router, manager) = on_loopback();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let form = |seconds: &str| format!("game=tic-tac-toe&opponent=Anna&seat=1&play_clock={seconds}");
    for (seconds, clock, patience) in [
        ("", 4 * 3_600_000, Patience::Abort(1)),
        ("30", 30_000, Patience::Keep),
        ("2.5", 2_500, Patience::Keep),
    ] {
        let said = send(&router, "/quick", &form(seconds)).await;
        let id = said.location().split('/').nth(2).unwrap().to_owned();
        let plan = manager.match_detail(&id).unwrap().plan;
        assert_eq!((plan.terms.clocks.play, plan.terms.patience), (clock, patience), "{seconds}");
        assert!(plan.seats.iter().all(|seat| seat.awaited && seat.clocks.unwrap().play == clock));
        assert!(said.location().contains("/seat/1?key="), "{}", said.location());
        assert_eq!(plan.seats.iter().map(|seat| &*seat.player).collect::<Vec<_>>(), ["Anna", "guest"]);
    }
    for wrong in ["soon", "-1", "0"] {
        assert!(send(&router, "/quick", &form(wrong)).await.status.is_client_error(), "{wrong}");
    }
}

/// A program gets its usual time where a person has no clock; who has a name plays under it.
#[tokio::test]
async fn a_person_takes_time_and_a_program_does_not() {
    let (router, manager) = on_loopback();
    let gone = PlayerKind::Remote { address: "127.0.0.1:9".into(), notation: Default::default() };
    manager.register_player("Gone", &gone).unwrap();
    let said = send(&router, "/quick", "game=tic-tac-toe&opponent=Gone&seat=0&name=+Zoe+").await;
    let id = said.location().split('/').nth(2).unwrap().to_owned();
    let plan = manager.match_detail(&id).unwrap().plan;
    assert_eq!((plan.terms.clocks.play, plan.terms.patience), (10_000, Patience::Abort(3)));
    assert_eq!(plan.seats[0].player, "Zoe");
    assert_eq!(plan.seats[0].clocks.unwrap().play, 4 * 3_600_000);
    assert_eq!((plan.seats[1].clocks, plan.seats[1].awaited), (None, false));
    // Who comes again has the same name, and nobody that of a program.
    let again = send(&router, "/quick", "game=tic-tac-toe&opponent=Gone&name=zoe").await;
    assert_eq!(again.status, StatusCode::SEE_OTHER, "{}", again.text);
    let taken = send(&router, "/quick", "game=tic-tac-toe&opponent=Gone&name=gone").await;
    assert!(taken.status.is_client_error() && taken.text.contains("name of a program"), "{}", taken.text);
}

/// The link that invites opens the seat to the first who follows it, and shows the match to all others.
#[tokio::test]
async fn an_invitation_is_for_one_to_play_and_for_others_to_watch() {
    let (router, manager) = on_loopback();
    let said = send(&router, "/quick", "game=tic-tac-toe&opponent=friend&seat=0").await;
    let place = said.location();
    let own = get(&router, &place).await;
    let join = own.text.split("value=\"").find(|text| text.contains("/join?key=")).unwrap();
    let join = join.split('"').next().unwrap();
    let id = place.split('/').nth(2).unwrap();
    let asked = get(&router, join).await;
    assert!(
        asked.text.contains("with guest") && asked.text.contains("You play <b>black</b>"),
        "{}",
        asked.text
    );
    assert!(!manager.person_seats(id).unwrap()[1].taken, "to look at an invitation is not to sit down");
    let waiting = manager.match_view(id, Viewer::Spectator).unwrap();
    assert_eq!((waiting.stage, waiting.empty_seats), (MatchStage::Planned, vec![SeatNumber(1)]));

    let looked = get(&router, &format!("/matches/{id}")).await.text;
    assert!(looked.contains("nobody has come for black yet"), "{looked}");
    let key = join.split("key=").nth(1).unwrap();
    let path = format!("/matches/{id}/join");
    let unknown = send(&router, &path, "key=0&name=Nobody").await;
    assert!(unknown.status.is_client_error() && manager.player("Nobody").is_err());
    let robot = PlayerKind::Remote { address: "127.0.0.1:9".into(), notation: Default::default() };
    manager.register_player("Robot", &robot).unwrap();
    let program = send(&router, &path, &format!("key={key}&name=Robot")).await;
    assert!(program.status.is_client_error(), "{}", program.text);
    let first = send(&router, &path, &format!("key={key}&name=Tom")).await.location();
    assert!(first.contains("/seat/1?key="), "{first}");
    assert_eq!(get(&router, &first).await.status, StatusCode::OK);
    wait("that the match begins", || {
        manager.match_view(id, Viewer::Seat(SeatNumber(0))).unwrap().awaited.then_some(())
    });
    let view = manager.match_view(id, Viewer::Spectator).unwrap();
    assert_eq!(view.snapshot.players, ["guest", "Tom"]);
    assert!(manager.match_detail(id).unwrap().summary.seats.iter().any(|seat| seat.player == "Tom"));
    let again = send(&router, &path, &format!("key={key}&name=Else")).await;
    assert!(again.status.is_client_error(), "the seat is taken");
    assert_eq!(get(&router, join).await.location(), format!("/matches/{id}"));
    let wrong = get(&router, &format!("/matches/{id}/join?key=0")).await;
    assert!(wrong.status.is_client_error());
    assert!(!get(&router, &format!("/matches/{id}")).await.text.contains("/join?key="));
}

#[tokio::test]
async fn what_is_said_on_a_seat_needs_its_key() {
    let (router, manager) = on_loopback();
    let Blind { id, keys } = blind(&router, &manager).await;
    let page = format!("/matches/{id}/seat/0/say");
    for query in ["".to_owned(), format!("?key={}", keys[1])] {
        assert!(send(&router, &format!("{page}{query}"), "say=resign").await.status.is_client_error());
    }
    let with_key = format!("{page}?key={}", keys[0]);
    for wrong in ["say=ask-back", "say=accept", "say=shout", ""] {
        assert!(send(&router, &with_key, wrong).await.status.is_client_error(), "{wrong}");
    }
    let said = send(&router, &with_key, "say=resign").await;
    assert_eq!(said.location(), format!("/matches/{id}/seat/0"));
    assert!(wait_for_end(&manager, &id).snapshot.settled.is_some());
}

#[tokio::test]
async fn who_plays_alone_against_programs_goes_to_the_board() {
    let (router, manager) = on_loopback();
    let said =
        send(&router, "/matches", "game=tic-tac-toe&seat=guest&seat=guest&start_clock=1&play_clock=9").await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let place = said.location();
    assert!(!place.contains("seat"), "{place}: there are two seats to give out");
    let text = get(&router, &place).await.text;
    assert_eq!((text.matches("/join?key=").count(), text.matches("/seat/").count()), (2, 2), "{text}");
    let again = send(&router, &format!("{place}/rematch"), "").await;
    assert_ne!(again.location(), place);

    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let gone = PlayerKind::Remote { address: "127.0.0.1:9".into(), notation: Default::default() };
    manager.register_player("Gone", &gone).unwrap();
    let said =
        send(&router, "/matches", "game=tic-tac-toe&seat=Anna&seat=Gone&start_clock=0&play_clock=9").await;
    let place = said.location();
    assert!(place.contains("/seat/0?key="), "{place}");
    assert_eq!(get(&router, &place).await.status, StatusCode::OK);
    // A program's seat is nobody's to open, whatever is shown.
    let (seat, key) = place.split_once("?key=").unwrap();
    let other = seat.replace("/seat/0", "/seat/1");
    assert_eq!(get(&router, &format!("{other}?key={key}")).await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn seeds_that_nobody_chose_are_drawn() {
    let (_router, manager) = on_loopback();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let seats = vec![SeatPlan { player: "Anna".into(), ..SeatPlan::default() }; 2];
    let plan = MatchPlan { seed: None, seats, ..tic_tac_toe(&[], 60_000) };
    let seed = |id: &str| manager.match_detail(id).unwrap().plan.seed.unwrap();
    let (first, second) = (manager.schedule(&plan).unwrap(), manager.schedule(&plan).unwrap());
    assert_ne!(seed(&first), seed(&second));
    assert!(seed(&first) < 1 << 53, "a number that JSON keeps");
}

#[tokio::test]
async fn what_players_did_wrong_is_said_in_words() {
    let (router, manager) = on_loopback();
    let gone = PlayerKind::Remote { address: "127.0.0.1:9".into(), notation: Default::default() };
    manager.register_player("Gone", &gone).unwrap();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    // Nobody answers on one seat, and nobody in time on the other.
    let id = manager.schedule(&tic_tac_toe(&["Gone", "Anna"], 30)).unwrap();
    wait_for_end(&manager, &id);
    let page = get(&router, &format!("/matches/{id}")).await.text;
    assert!(page.contains("Gone&#39;s answer was missing"), "{page}");
    assert!(page.contains("Anna&#39;s answer was late"), "{page}");
    assert!(page.contains("; random legal moves were made instead."), "{page}");
    let seats = manager.match_detail(&id).unwrap().summary.seats;
    assert!(seats[0].faults.failed > 0 && seats[1].faults.late > 0, "{seats:?}");
}
