//! Matches for now and for later.

use serde_json::{Value, json};

use super::session::{Browser, browse, wait};

/// A match that was made.
pub struct Scheduled {
    pub id: String,
    /// The seats of people, with their keys.
    pub seats: Value,
}

/// Makes a match between these players. People have a minute for each move.
pub fn schedule(page: &Browser, game: &str, players: &[&str]) -> Scheduled {
    if players.contains(&"guest") {
        page.api("POST", "/api/players", &json!({ "name": "guest", "kind": "person" }));
    }
    let seats: Vec<Value> = players.iter().map(|player| json!({ "player": player })).collect();
    let clocks = json!({ "start": 20_000, "play": 60_000 });
    let plan = json!({ "game": game, "seats": seats, "clocks": clocks, "seed": 5 });
    let made = page.api("POST", "/api/matches", &plan);
    Scheduled { id: made["id"].as_str().unwrap().to_owned(), seats: made["seats"].clone() }
}

/// Has a match played to its end between players that come with the server: its name.
pub fn played(page: &Browser, game: &str, players: &[&str]) -> String {
    let Scheduled { id, .. } = schedule(page, game, players);
    wait("the end of a match", || {
        let detail = page.api("GET", &format!("/api/matches/{id}"), &Value::Null);
        (detail["summary"]["stage"] == "completed").then_some(())
    });
    id
}

/// Fills in the form for a new match of a game for two.
fn fill_in(page: &Browser, game: &str, players: [&str; 2]) {
    page.open("/matches/new");
    page.choose("#game", game);
    page.wait_for_path(&format!("/matches/new?game={game}"));
    for (seat, player) in players.iter().enumerate() {
        page.choose(&format!("#seat-{seat}"), player);
    }
    page.fill("#start_clock", "20");
    page.fill("#play_clock", "10");
}

/// Waits for the page of the match that was made: its path.
fn wait_for_match(page: &Browser) -> String {
    page.wait_for_text(".seats", "random-player");
    page.path()
}

#[test]
fn a_match_begins_at_once_or_later() {
    browse(|page| {
        fill_in(page, "breakthrough", ["random-player", "strategy:legal"]);
        page.screenshot("new-match");
        page.click("main form[method=post] > button");
        let now = wait_for_match(page);
        page.wait_for_text(".tag", "completed");

        fill_in(page, "nim", ["uct", "random-player"]);
        page.click("details > summary");
        let day = "return new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)";
        let day = page.script(day).as_str().unwrap().to_owned();
        page.set("#start_at", &format!("{day}T23:59"));
        page.click("main form[method=post] > button");
        let later = wait_for_match(page);
        page.wait_for_text(".tag", "planned");
        assert!(page.count(".drawing svg") == 1);

        page.open("/matches");
        let rows = page.texts("tbody tr");
        assert!(rows[0].contains("planned") && rows[0].contains(&format!("due {day} 23:59")), "{rows:?}");
        assert!(rows[1].contains("completed"), "{rows:?}");
        let links = "return [...document.querySelectorAll('tbody th a')].map(a => a.getAttribute('href'))";
        assert_eq!(page.script(links), json!([later, now]));

        page.open(&later);
        page.click("form[action$='/abort'] button");
        page.say_yes();
        page.wait_for_text(".tag", "aborted");
    });
}
