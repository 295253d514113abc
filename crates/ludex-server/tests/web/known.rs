//! What somebody knows who plays a game in which players do not see everything: on the page of that seat, and nowhere
//! else.

use axum::http::StatusCode;
use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::manager::Manager;
use ludex_server::model::{ClockPlan, MatchPlan, PlayerKind, SeatPlan};

use super::support::*;
use crate::manager_support::wait;

struct Hidden {
    id: String,
    keys: Vec<String>,
}

/// A match of a game in which players do not see everything, between two people.
async fn hidden(router: &axum::Router, manager: &Manager, game: &str) -> Hidden {
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let seats = ["Anna", "Bert"].map(|player| SeatPlan { player: player.into(), ..SeatPlan::default() });
    let plan = MatchPlan::new(game, seats.to_vec(), ClockPlan::new(60_000, 60_000));
    let made = make_match(router, &MatchPlan { seed: Some(7), ..plan }).await;
    let id = made["id"].as_str().unwrap().to_owned();
    let keys = made["seats"].as_array().unwrap().iter().map(|seat| seat["key"].as_str().unwrap().to_owned());
    let hidden = Hidden { keys: keys.collect(), id };
    wait("that somebody is asked", || {
        manager.match_view(&hidden.id, Viewer::Seat(SeatNumber(0))).unwrap().awaited.then_some(())
    });
    hidden
}

impl Hidden {
    /// Lets the seats move, and waits for the step.
    fn step(&self, manager: &Manager, step: usize, moves: [&str; 2]) {
        for (seat, action) in (0..).zip(moves) {
            manager.submit_move(&self.id, SeatNumber(seat), step, action).unwrap();
        }
        wait("the step", || {
            let view = manager.match_view(&self.id, Viewer::Spectator).unwrap();
            (view.snapshot.steps.len() == step + 1).then_some(())
        });
    }

    async fn known_to(&self, router: &axum::Router, seat: usize) -> Said {
        let Self { id, keys } = self;
        get(router, &format!("/matches/{id}/seat/{seat}/known?key={}", keys[seat])).await
    }
}

/// Blind tic-tac-toe: whose cell it is that both wanted is drawn by lot, and each sees what became of its own try. After
/// two different cells each knows its own mark, and the other's is on one of eight cells.
#[tokio::test]
async fn a_seat_is_told_what_is_certain_and_what_is_possible() {
    let (router, manager) = on_loopback();
    let hidden = hidden(&router, &manager, "blind-tic-tac-toe").await;
    let before = hidden.known_to(&router, 0).await;
    assert_eq!(before.status, StatusCode::OK, "{}", before.text);
    assert!(
        before.text.contains("you know the state") && before.text.contains("Nothing yet"),
        "{}",
        before.text
    );
    hidden.step(&manager, 0, ["(mark 3 1)", "(mark 2 2)"]);
    let anna = hidden.known_to(&router, 0).await.text;
    assert!(anna.contains("you did <span class=\"code\">(mark 3 1)</span>"), "{anna}");
    assert!(anna.contains("Certain") && anna.contains("<svg"), "{anna}");
    let likely = |text: &str, fact: &str| {
        let row = text.split("<li>").find(|row| row.contains(&format!(">{fact}<")))?;
        let percent = row.split("<span class=\"number\">").nth(1)?.split('&').next()?;
        percent.parse::<u32>().ok()
    };
    // The other mark is on one of the eight other cells, each as likely.
    let others: Vec<u32> = (1..=3)
        .flat_map(|x| (1..=3).map(move |y| (x, y)))
        .filter(|&cell| cell != (3, 1))
        .filter_map(|(x, y)| likely(&anna, &format!("(cell {x} {y} o)")))
        .collect();
    assert_eq!(others.len(), 8, "{anna}");
    assert!(others.iter().all(|percent| (12..=13).contains(percent)), "{others:?}");
    assert_eq!(likely(&anna, "(cell 3 1 x)"), None, "that is certain");
    let bert = hidden.known_to(&router, 1).await.text;
    assert!(bert.contains("you did <span class=\"code\">(mark 2 2)</span>"), "{bert}");
    assert_eq!(likely(&bert, "(cell 3 1 x)"), Some(others[0]), "{bert}");
    // Who has no scripts finds it on the page, and who has some is told where to ask.
    let Hidden { id, keys } = &hidden;
    let page = get(&router, &format!("/matches/{id}/seat/0?known=1&key={}", keys[0])).await.text;
    assert!(page.contains("id=\"known\"") && page.contains("(cell 2 2 o)"), "{page}");
    let page = get(&router, &format!("/matches/{id}/seat/0?key={}", keys[0])).await.text;
    assert!(page.contains(&format!("data-known=\"/matches/{id}/seat/0/known\"")), "{page}");
    assert!(!page.contains("(cell 2 2 o)"), "it is found out when it is asked for");
}

#[tokio::test]
async fn what_a_seat_knows_is_on_no_other_page() {
    let (router, manager) = on_loopback();
    let hidden = hidden(&router, &manager, "blind-tic-tac-toe").await;
    hidden.step(&manager, 0, ["(mark 3 1)", "(mark 2 2)"]);
    let Hidden { id, keys } = &hidden;
    let own = format!("/matches/{id}/seat/0/known");
    for address in [own.clone(), format!("{own}?key={}", keys[1]), format!("{own}?key=")] {
        let said = get(&router, &address).await;
        assert_eq!(said.status, StatusCode::FORBIDDEN, "{address}: {}", said.text);
    }
    // Whatever has been found out by now is told to nobody else.
    assert!(hidden.known_to(&router, 0).await.text.contains("(mark 3 1)"));
    let others = [
        format!("/matches/{id}"),
        format!("/matches/{id}?known=1"),
        format!("/matches/{id}/replay"),
        format!("/matches/{id}/replay?step=1&part=1"),
        format!("/api/matches/{id}/view"),
        format!("/api/matches/{id}/steps/1"),
        format!("/api/matches/{id}"),
        format!("/api/matches/{id}/analysis"),
        format!("/api/matches/{id}/record"),
        "/matches".to_owned(),
        format!("/matches/{id}/seat/1?known=1&key={}", keys[1]),
        format!("/api/matches/{id}/seats/1?key={}", keys[1]),
    ];
    for path in others {
        let text = get(&router, &path).await.text;
        let is_seat = path.contains("/seat/1");
        // The other seat is offered that move, and finds the mark possible; that it was made it does not learn.
        let secret = if is_seat { "code\">(mark 3 1)" } else { "mark 3 1" };
        let is_offered = path.contains("/seats/1");
        assert!(is_offered || !text.contains(secret), "{path}: {text}");
        assert_eq!(text.contains("What you know"), is_seat, "{path}: {text}");
    }
    let live = first_event(&router, &format!("/matches/{id}/live")).await.text;
    assert!(!live.contains("What you know") && !live.contains("cell"), "{live}");
}

#[tokio::test]
async fn where_everything_is_seen_there_is_nothing_to_know() {
    let (router, manager) = on_loopback();
    let open = hidden(&router, &manager, "tic-tac-toe").await;
    let said = open.known_to(&router, 0).await;
    assert_eq!((said.status, said.text.as_str()), (StatusCode::OK, ""));
    let Hidden { id, keys } = &open;
    for known in ["", "known=1&"] {
        let page = get(&router, &format!("/matches/{id}/seat/0?{known}key={}", keys[0])).await.text;
        assert!(!page.contains("What you know"), "{page}");
    }
    // A match that is over is shown to everybody as a whole.
    manager.abort_match(id, "enough").unwrap();
    crate::manager_support::wait_for_end(&manager, id);
    assert_eq!(open.known_to(&router, 0).await.text, "");
}
