//! What holds for all pages, on a telephone and on a desk.

use serde_json::{Value, json};

use super::scheduling::{played, schedule};
use super::session::{Browser, browse, wait};

/// What is wrong with a page, whatever it is about.
const FAULTS: &str = "
    const faults = [];
    const all = selector => [...document.querySelectorAll(selector)];
    const root = document.documentElement;
    if (root.scrollWidth > root.clientWidth) {
        const wide = all('body *').filter(e => e.getBoundingClientRect().right > root.clientWidth + 1
            && !e.closest('.scroll, .moves, .bracket, pre, .unseen'));
        faults.push(`it is ${root.scrollWidth} wide: ` + wide.slice(0, 4).map(e => e.outerHTML.slice(0, 120)));
    }
    if (!document.title.trim() || document.title.startsWith(' ')) faults.push('no title');
    if (!root.lang) faults.push('no language');
    for (const one of ['main', 'h1']) if (all(one).length !== 1) faults.push(`${all(one).length} ${one}`);
    const ids = all('[id]').map(e => e.id);
    for (const id of new Set(ids)) if (ids.filter(other => other === id).length > 1) faults.push(`two #${id}`);
    const name = e => (e.getAttribute('aria-label') || e.title
        || [...e.querySelectorAll('[alt]')].map(i => i.alt).join('') || e.textContent).trim();
    for (const e of all('input:not([type=hidden]), select, textarea')) {
        if (!e.labels.length && !e.getAttribute('aria-label')) faults.push('no label: ' + e.outerHTML);
    }
    for (const e of all('a, button, [role=button], [role=region], summary')) {
        if (!name(e)) faults.push('no name: ' + e.outerHTML);
    }
    for (const e of all('img')) if (!e.hasAttribute('alt')) faults.push('no text for ' + e.outerHTML);
    for (const e of all('th')) if (!e.scope) faults.push('no scope: ' + e.outerHTML);
    return faults;";

/// Something of everything: the pages on which it can be seen, with names for pictures.
fn furnish(page: &Browser) -> Vec<(String, String)> {
    let over = played(page, "tic-tac-toe", &["random-player", "random-player"]);
    let wide = played(page, "checkers", &["random-player", "random-player"]);
    let tomorrow = page.script("return Date.now() + 86_400_000");
    page.api(
        "POST",
        "/api/matches",
        &json!({
            "game": "nim", "seats": [{ "player": "uct" }, { "player": "ludex" }], "begin": tomorrow,
            "clocks": { "start": 1000, "play": 1000 },
        }),
    );
    page.api(
        "POST",
        "/api/players",
        &json!({
            "name": "a-player-with-the-longest-name-there-is", "kind": "remote",
            "address": "http://127.0.0.1:1", "notation": "prefix",
        }),
    );
    let cup = |format: &str| {
        let competition = json!({
            "format": format,
            "players": ["uct", "random-player"], "rounds": 1, "seed": 3,
            "games": [{ "name": "tic-tac-toe", "seats": 2 }],
        });
        let clocks = json!({ "start": 1000, "play": 100, "grace": 1000 });
        let plan =
            json!({ "title": format!("The {format} cup"), "competition": competition, "clocks": clocks });
        page.api("POST", "/api/tournaments", &plan)["id"].as_str().unwrap().to_owned()
    };
    let cups = ["round-robin", "double-elimination"].map(cup);
    for id in &cups {
        wait("the end of a tournament", || {
            let detail = page.api("GET", &format!("/api/tournaments/{id}"), &Value::Null);
            (detail["summary"]["stage"] == "over").then_some(())
        });
    }
    let hidden = schedule(page, "blind-tic-tac-toe", &["guest", "random-player"]);
    let [league, knockout] = cups;
    [
        ("home", "/"),
        ("games", "/games"),
        ("game", "/games/checkers"),
        ("how-to-play", "/games/checkers/how-to-play"),
        ("games-found", "/games?kind=hidden&length=short"),
        ("matches-found", "/matches?stage=completed&from=2020-01-01"),
        ("new-game", "/games/new?from=tic-tac-toe"),
        ("players", "/players"),
        ("player", "/players/uct"),
        ("matches", "/matches"),
        ("new-match", "/matches/new?game=lowest-unique"),
        ("new-match-with-sheets", "/matches/new?game=minefield"),
        ("match", &format!("/matches/{over}")),
        ("match-checkers", &format!("/matches/{wide}")),
        ("replay", &format!("/matches/{over}/replay?step=3")),
        ("match-hidden", &format!("/matches/{}", hidden.id)),
        ("seat-hidden", hidden.seats[0]["path"].as_str().unwrap()),
        ("tournaments", "/tournaments"),
        ("new-tournament", "/tournaments/new"),
        ("round-robin", &format!("/tournaments/{league}")),
        ("double-elimination", &format!("/tournaments/{knockout}")),
        ("api", "/api"),
        ("login", "/login"),
        ("error", "/nowhere"),
    ]
    .map(|(name, path)| (name.to_owned(), path.to_owned()))
    .into()
}

#[test]
fn every_page_fits_and_can_be_used_by_everybody() {
    browse(|page| {
        page.expect_complaint("status of 404");
        page.open("/");
        let pages = furnish(page);
        for (size, width, height) in [("phone", 390, 844), ("desk", 1280, 900)] {
            page.set_size(width, height);
            for (name, path) in &pages {
                page.open(path);
                page.screenshot(&format!("{name}-{size}"));
                page.script("document.querySelectorAll('details').forEach(part => part.open = true)");
                assert_eq!(page.script(FAULTS), json!([]), "{path} at a width of {width}");
                page.check_log();
            }
        }
    });
}
