//! All pages of a server with very many matches, players and games.

use std::net::SocketAddr;

use ludex::game::Rng;
use ludex_server::store::{FillSizes, FilledKind, filled_name};
use serde_json::json;

use super::client::Connection;
use super::figures::{Figure, Times};
use super::matches::{gone, is_fine};
use crate::clock;
use crate::failure::Failure;

/// A page, with places for what is drawn anew each time: `{game}`, `{player}`, `{match}`, and their first ones, which have the
/// most matches, `{first-game}` and `{first-player}`.
pub(super) const PAGES: &[&str] = &[
    "/",
    "/login",
    "/healthz",
    "/metrics",
    "/api",
    "/api/openapi.json",
    "/api/status",
    "/static/ludex.js",
    "/games",
    "/games?after={game}",
    "/games?text=tic",
    "/games?text=number+17&players=two-players",
    "/games/new",
    "/games/{first-game}",
    "/games/{first-game}/rules",
    "/games/{first-game}/how-to-play",
    "/games/{first-game}/board.svg",
    "/games/{first-game}/describe",
    "/api/games",
    "/api/games?after={game}&size=500",
    "/api/games?text=no-such-game",
    "/api/games/{game}",
    "/api/games/{first-game}/facts",
    "/api/games/{first-game}/how-to-play",
    "/api/games/{first-game}/results",
    "/api/games/{game}/results",
    "/players",
    "/players?after={player}",
    "/players?text={player}",
    "/players/{player}",
    "/players/{first-player}",
    "/api/players",
    "/api/players?after={player}&size=500",
    "/api/players?text=no-such-player",
    "/api/players/{player}",
    "/api/players/{first-player}",
    "/api/players/{player}/results",
    "/api/players/{first-player}/results",
    "/matches",
    "/matches?after={match}",
    "/matches?game={game}",
    "/matches?game={first-game}&after={match}",
    "/matches?player={player}",
    "/matches?player={first-player}&after={match}",
    "/matches?stage=aborted&after={match}",
    "/matches?stage=running",
    "/matches?game={first-game}&stage=aborted",
    "/matches?game={game}&player={player}",
    "/matches?player={first-player}&stage=aborted&after={match}",
    "/matches?text={player}",
    "/matches?text={game}+{player}",
    "/matches?text=nobody-at-all",
    "/matches?from=2024-01-01&to=2024-03-01&player={first-player}",
    "/matches/new?game={first-game}",
    "/matches/{match}",
    "/matches/{match}/board.svg",
    "/matches/{match}/replay",
    "/matches/{match}/replay?step=3",
    "/matches/{match}/record.json",
    "/api/matches",
    "/api/matches?after={match}&size=500",
    "/api/matches?game={game}&stage=completed",
    "/api/matches?player={player}&stage=aborted",
    "/api/matches?text=nobody-at-all",
    "/api/matches?since=1700000000000&until=1700500000000",
    "/api/matches/{match}",
    "/api/matches/{match}/view",
    "/api/matches/{match}/steps/2",
    "/api/matches/{match}/record",
    "/ratings",
    "/api/ratings",
    "/api/players/{player}/ratings",
    "/api/players/{player}/ratings/history",
    "/api/matches/{match}/ratings",
    "/records.jsonl?size=5",
    "/api/records?size=5&after={match}",
    "/tournaments",
    "/tournaments/new",
    "/tournaments/{tournament}",
    "/tournaments/{tournament}/end",
    "/tournaments/{tournament}/records.jsonl",
    "/api/tournaments",
    "/api/tournaments/{tournament}",
    "/api/tournaments/{tournament}/ratings",
    "/api/tournaments/{tournament}/records",
];

/// Games differ in a comment only, so few of them stand for all where their rules are worked on.
const FIRST_GAMES: u64 = 4;
/// A page may be made at the first request, and kept.
const WARM: usize = 2;

/// What a page took.
#[derive(Clone, Debug)]
pub(super) struct PageTimes {
    pub(super) page: &'static str,
    pub(super) times: Times,
    /// What the first request took.
    pub(super) first: f64,
}

/// Asks for each page so often.
pub(super) async fn measure(
    server: SocketAddr,
    sizes: &FillSizes,
    requests: usize,
    report: &dyn Fn(u64),
) -> Result<Vec<PageTimes>, Failure> {
    let mut connection = Connection::open(None, server).await.map_err(gone)?;
    let tournament = tournament(&mut connection).await?;
    let mut dice = Rng::from_seed(1);
    let mut all = Vec::new();
    for (number, &page) in PAGES.iter().enumerate() {
        let mut found = PageTimes { page, times: Times::default(), first: 0.0 };
        for turn in 0..requests + WARM * usize::try_from(FIRST_GAMES).unwrap_or(1) {
            let path = path(page, sizes, &mut dice, turn as u64, &tournament);
            let asked = clock::now();
            let answer = connection.get(&path).await.map_err(gone)?;
            let took = asked.elapsed().as_secs_f64() * 1000.0;
            if !(200..400).contains(&answer.status) {
                let said = String::from_utf8_lossy(&answer.body).chars().take(300).collect::<String>();
                return Err(Failure::input(format!("{path} is answered with {}: {said}", answer.status)));
            }
            if turn == 0 {
                found.first = took;
            }
            if turn >= WARM * usize::try_from(FIRST_GAMES).unwrap_or(1) {
                found.times.add(took);
            }
        }
        all.push(found);
        report(number as u64 + 1);
    }
    // Its matches would take room from others.
    let path = format!("/api/tournaments/{tournament}/end");
    connection.send("POST", &path, &json!(null)).await.map_err(gone)?;
    Ok(all)
}

/// A path with something drawn in each place.
fn path(page: &str, sizes: &FillSizes, dice: &mut Rng, turn: u64, tournament: &str) -> String {
    let mut drawn = |kind, count: u64| filled_name(kind, dice.below(count.max(1)));
    page.replace("{game}", &drawn(FilledKind::Game, sizes.games))
        .replace("{player}", &drawn(FilledKind::Player, sizes.players))
        .replace("{match}", &drawn(FilledKind::Match, sizes.matches))
        .replace("{first-game}", &filled_name(FilledKind::Game, turn % FIRST_GAMES.min(sizes.games)))
        .replace("{first-player}", &filled_name(FilledKind::Player, 0))
        .replace("{tournament}", tournament)
}

/// A tournament to be looked at, of players that do not come.
async fn tournament(connection: &mut Connection) -> Result<String, Failure> {
    let players: Vec<String> = (0..4).map(|number| filled_name(FilledKind::Player, number)).collect();
    let plan = json!({
        "title": "To be looked at", "clocks": { "start": 60_000, "play": 60_000 },
        "competition": {
            "players": players, "games": [{ "name": "tic-tac-toe", "seats": 2 }], "rounds": 1, "seed": 1,
            "format": "round-robin",
        },
    });
    let (status, said) = connection.send("POST", "/api/tournaments", &plan).await.map_err(gone)?;
    is_fine(status, &said)?;
    let id = said["id"].as_str().unwrap_or_default().to_owned();
    let path = format!("/api/tournaments/{id}/pause");
    connection.send("POST", &path, &json!(null)).await.map_err(gone)?;
    Ok(id)
}

/// So many of the slowest pages are told of.
const SLOWEST: usize = 8;

/// What is to be told of all of them: the slowest, and each that takes too long.
pub(super) fn figures(mut pages: Vec<PageTimes>, limit: f64, all: bool) -> Vec<Figure> {
    let p99 = |page: &PageTimes| page.times.quantile(0.99).unwrap_or(f64::INFINITY);
    pages.sort_by(|one, other| p99(other).total_cmp(&p99(one)));
    let figure = |page: &PageTimes| {
        let figure = Figure::of("pages", page.page, &page.times).under(limit);
        if page.first > limit {
            figure.remark(format!("the first time {:.0} ms", page.first))
        } else {
            figure
        }
    };
    let told =
        pages.iter().enumerate().filter(|(number, page)| all || *number < SLOWEST || p99(page) >= limit);
    told.map(|(_, page)| figure(page)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_place_is_filled() {
        let sizes = FillSizes { matches: 10, players: 3, games: 2 };
        let mut dice = Rng::from_seed(2);
        for page in PAGES {
            let path = path(page, &sizes, &mut dice, 5, "t1");
            assert!(!path.contains(['{', '}']), "{path}");
        }
    }

    /// What is added to the interface is measured, too.
    #[test]
    fn every_path_of_the_interface_that_is_read_is_asked_for() {
        let text = include_str!("../../../../../ludex-server/static/openapi.json");
        let description: serde_json::Value = serde_json::from_str(text).unwrap();
        let plain = |path: &str| -> Vec<String> {
            let path = path.split('?').next().unwrap_or_default();
            let is_open = |part: &str| part.starts_with('{') || part.parse::<u32>().is_ok();
            path.split('/').map(|part| if is_open(part) { "*" } else { part }.to_owned()).collect()
        };
        let asked: Vec<Vec<String>> = PAGES.iter().map(|page| plain(page)).collect();
        // Searches take as long as they may; streams do not end; seats have keys; the server that is measured has no accounts.
        let others = [
            "/analysis",
            "/events",
            "/seats/{seat}",
            "/api/account",
            "/api/hidden",
            "/api/audit",
            "/api/owners",
        ];
        for (path, methods) in description["paths"].as_object().unwrap() {
            if methods.get("get").is_some() && !others.iter().any(|other| path.contains(other)) {
                assert!(asked.contains(&plain(path)), "{path}");
            }
        }
    }
}
