//! Finding games and matches, and what pages say of how games are played and how matches went.

use axum::http::{StatusCode, header};
use ludex_server::model::{MatchPlan, NewGame, PlayerKind};

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe, wait_for_end};

#[tokio::test]
async fn games_are_found_by_words_and_tags_without_a_script() {
    let (router, _manager) = on_loopback();
    let page = get(&router, "/games").await.text;
    assert!(page.contains("rel=\"next\"") && page.matches("<li class=\"tile\">").count() == 60, "{page}");
    let found = get(&router, "/games?text=tic&players=two-players&kind=hidden&length=short").await.text;
    assert!(found.contains(">blind-tic-tac-toe</a>") && !found.contains(">tic-tac-toe</a>"), "{found}");
    assert!(found.contains("<option value=\"hidden\" selected>Hidden information</option>"), "{found}");
    assert!(found.contains("<span class=\"tag\">two players</span>"));
    let none = get(&router, "/games?text=nothing-like-this&players=&kind=&length=").await.text;
    assert!(none.contains("No game is like that."), "{none}");
    // The pages of a list that is narrowed down are narrowed down, too.
    let next = get(&router, "/games?players=two-players&after=a").await.text;
    assert!(next.contains("href=\"/games?players=two-players\">← First"), "{next}");
    for wrong in ["/games?kind=odd", "/games?players='", "/games?page=2"] {
        assert_eq!(get(&router, wrong).await.status, StatusCode::BAD_REQUEST, "{wrong}");
    }
    let api = get(&router, "/api/games?tags=one-player,medium&size=500").await.json();
    let names: Vec<&str> =
        api["items"].as_array().unwrap().iter().map(|game| game["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"hanoi") && !names.contains(&"chess"), "{names:?}");
    assert_eq!(get(&router, "/api/games?tags=odd").await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_small_picture_of_the_board_is_kept_by_browsers() {
    let (router, _manager) = on_loopback();
    let list = get(&router, "/games?text=untwisty-corridor").await.text;
    assert!(!list.contains("board.svg"), "it has no board: {list}");
    let list = get(&router, "/games?text=breakthrough").await.text;
    let place = list.split("src=\"/games/breakthrough/board.svg").nth(1).unwrap().split('"').next().unwrap();
    let said = get(&router, &format!("/games/breakthrough/board.svg{place}")).await;
    assert_eq!(
        (said.status, &said.headers[header::CONTENT_TYPE]),
        (StatusCode::OK, &"image/svg+xml".parse().unwrap())
    );
    assert!(said.text.starts_with("<svg") && !said.text.contains("<script"));
    let tag = said.headers[header::ETAG].to_str().unwrap().to_owned();
    let again = get_with(&router, "/games/breakthrough/board.svg", &[("if-none-match", &tag)]).await;
    assert_eq!((again.status, again.text.as_str()), (StatusCode::NOT_MODIFIED, ""));
    assert_eq!(get(&router, "/games/none/board.svg").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn how_to_play_is_told_in_words() {
    let (router, manager) = on_loopback();
    let page = get(&router, "/games/tic-tac-toe/how-to-play").await;
    assert_eq!(page.status, StatusCode::OK);
    for part in [
        "three in a row on a board",
        "white and black take turns; white begins.",
        "what one gains, the other loses",
        "such as <code>(mark ",
        "Random games had 5 to 9 steps",
        "At the end of a random game",
        "<svg",
        "two players</span>",
    ] {
        assert!(page.text.contains(part), "{part}: {}", page.text);
    }
    assert!(!page.text.contains("Source:"), "where it comes from is not how it is played");
    let game = get(&router, "/games/tic-tac-toe").await.text;
    assert!(game.contains("href=\"/games/tic-tac-toe/how-to-play\""), "{game}");
    // What the author says stands in front.
    manager.describe_game("tic-tac-toe", "", "Mark three.\n\nThen you have won.").unwrap();
    let page = get(&router, "/games/tic-tac-toe/how-to-play").await.text;
    assert!(page.contains("<p>Mark three.</p><p>Then you have won.</p>"), "{page}");
    assert!(!page.contains("three in a row on a board"));
    let api = get(&router, "/api/games/tic-tac-toe/how-to-play").await.json();
    assert_eq!((&api["features"]["seats"], &api["features"]["hidden"]), (&2.into(), &false.into()));
    assert_eq!(get(&router, "/games/none/how-to-play").await.status, StatusCode::NOT_FOUND);
    // Of a game in real time the rules alone are told.
    let page = get(&router, "/games/timed-tic-tac-toe/how-to-play").await.text;
    assert!(page.contains("goes on in real time") && page.contains("real time</span>"), "{page}");
}

/// Names of the rules are shown as they are, and as nothing else.
#[tokio::test]
async fn an_uploaded_game_has_tags_and_a_page_whatever_its_words_are() {
    let (router, manager) = on_loopback();
    let text = "; <b>Bold</b> words.\n(role <i>) (init (at 0)) (legal <i> <script>) (legal <i> stay)
        (<= (next (at 1)) (does <i> <script>)) (<= (next (at 0)) (does <i> stay))
        (<= terminal (true (at 1))) (<= (goal <i> 100) (true (at 1))) (<= (goal <i> 0) (true (at 0)))";
    manager.add_game(&NewGame { name: "odd".into(), text: text.into(), ..NewGame::default() }).unwrap();
    let game = get(&router, "/games/odd").await.text;
    assert!(game.contains("<span class=\"tag\">one player</span>"), "{game}");
    let page = get(&router, "/games/odd/how-to-play").await.text;
    assert!(!page.contains("<b>Bold") && !page.contains("<i>") && !page.contains("<script>)"), "{page}");
    assert!(page.contains("Bold"), "{page}");
    let found = get(&router, "/games?players=one-player&text=odd").await.text;
    assert!(found.contains(">odd</a>"), "it is found by its tags from now on");
}

#[tokio::test]
async fn matches_are_narrowed_down_and_what_was_aborted_has_no_goals() {
    let (router, manager) = on_loopback();
    let programs = ["Program", "Other"].map(|name| (name, service("legal")));
    for (name, program) in &programs {
        manager.register_player(name, &remote(program)).unwrap();
    }
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let played = manager.schedule(&tic_tac_toe(&["Program", "Other"], 20_000)).unwrap();
    wait_for_end(&manager, &played);
    let aborted = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 60_000)).unwrap();
    manager.abort_match(&aborted, "it was enough").unwrap();
    wait_for_end(&manager, &aborted);
    let begin = Some(manager.match_detail(&played).unwrap().summary.created + 86_400_000);
    let later = MatchPlan { begin, ..tic_tac_toe(&["Anna", "Other"], 60_000) };
    let planned = manager.schedule(&later).unwrap();
    let rows = async |address: &str| {
        let page = get(&router, &format!("/matches{address}")).await;
        assert_eq!(page.status, StatusCode::OK, "{address}: {}", page.text);
        [&played, &aborted, &planned].map(|id| page.text.contains(&format!("href=\"/matches/{id}\"")))
    };
    assert_eq!(rows("").await, [true; 3]);
    assert_eq!(rows("?stage=completed").await, [true, false, false]);
    assert_eq!(rows("?player=anna&stage=").await, [false, true, true]);
    assert_eq!(rows("?game=nim").await, [false; 3]);
    assert_eq!(rows("?text=other").await, [true, false, true]);
    assert_eq!(rows("?from=1999-01-01&to=1999-12-31").await, [false; 3]);
    assert_eq!(rows("?from=2020-01-01&to=9999-01-01").await, [true; 3]);
    for wrong in ["?stage=odd", "?from=tomorrow", "?to=2024-02-30", "?page=1"] {
        assert_eq!(
            get(&router, &format!("/matches{wrong}")).await.status,
            StatusCode::BAD_REQUEST,
            "{wrong}"
        );
    }
    let page = get(&router, "/matches?stage=aborted").await.text;
    assert!(!page.contains("</a> <b>"), "{page}");
    let page = get(&router, "/matches?stage=completed").await.text;
    assert!(page.contains("<a class=\"quiet\" href=\"/players/Program\">Program</a> <b>"), "{page}");
    // What came of it stands on the pages of the game and of who played.
    let game = get(&router, "/games/tic-tac-toe").await.text;
    assert!(game.contains("First moves") && game.contains("(mark 1 1), noop"), "{game}");
    let player = get(&router, "/players/Program").await.text;
    for part in
        ["By game and seat", "By opponent", "href=\"/players/Other\"", "game=tic-tac-toe&#38;player=Program"]
    {
        assert!(player.contains(part), "{part}: {player}");
    }
    let players = get(&router, "/players?text=prog").await.text;
    assert!(players.contains(">Program</a>") && !players.contains(">Anna</a>"), "{players}");
    assert!(get(&router, "/players?text=nobody").await.text.contains("No player is called that."));
    let api = get(&router, "/api/players/Program/results").await.json();
    assert_eq!(api["opponents"][0]["opponent"], "Other", "{api}");
    let api = get(&router, "/api/games/tic-tac-toe/results").await.json();
    assert_eq!((&api["matches"], &api["openings"][0]["matches"]), (&1.into(), &1.into()), "{api}");
    let board = get(&router, &format!("/matches/{played}/board.svg")).await;
    assert!(board.status == StatusCode::OK && board.text.starts_with("<svg"), "{}", board.text);
}
