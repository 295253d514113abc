//! Finding a game, reading how it is played, and what pages say of matches that were played.

use serde_json::json;

use super::scheduling::played;
use super::session::{browse, wait};

#[test]
fn a_game_is_found_by_its_tags_and_its_page_tells_how_it_is_played() {
    browse(|page| {
        for (name, width, height) in [("phone", 390, 844), ("desk", 1280, 900)] {
            page.set_size(width, height);
            page.open("/games");
            wait("a picture of a board", || {
                let loaded =
                    "return [...document.querySelectorAll('img.thumb')].some(i => i.naturalWidth > 0)";
                (page.script(loaded) == true).then_some(())
            });
            page.screenshot(&format!("library-{name}"));
        }
        page.type_into("#find", "breakthrough");
        page.choose("#players", "two-players");
        page.choose("#length", "medium");
        page.click(".filters button");
        wait("the list to be narrowed down", || (page.count(".tiles > li") < 5).then_some(()));
        assert_eq!(page.value("#find"), "breakthrough");
        page.open("/games/breakthrough");
        page.click("a[href='/games/breakthrough/how-to-play']");
        page.wait_for_path("/games/breakthrough/how-to-play");
        assert!(page.text("main").contains("take turns"), "{}", page.text("main"));
        assert_eq!(page.count(".drawing svg"), 2, "the start and an end");
        page.screenshot("how-to-play-desk");
        page.set_size(390, 844);
        page.open("/games/breakthrough/how-to-play");
        page.screenshot("how-to-play-phone");
        page.check_log();
    });
}

#[test]
fn players_and_games_show_what_came_of_their_matches() {
    browse(|page| {
        page.open("/");
        let legal = json!({ "name": "legal", "kind": "built-in", "strategy": "legal" });
        page.api("POST", "/api/players", &legal);
        for _ in 0..2 {
            played(page, "tic-tac-toe", &["random-player", "legal"]);
        }
        for (name, width, height) in [("phone", 390, 844), ("desk", 1280, 900)] {
            page.set_size(width, height);
            page.open("/games/tic-tac-toe");
            assert!(page.text("main").contains("First moves"));
            page.screenshot(&format!("game-results-{name}"));
            page.open("/players/legal");
            assert!(page.text("main").contains("By opponent"));
            page.screenshot(&format!("player-results-{name}"));
            page.open("/matches?player=legal&stage=completed");
            assert!(page.text("[role=status]").contains("2 matches"));
            page.screenshot(&format!("matches-found-{name}"));
        }
        page.click("td.players a[href='/players/random-player']");
        page.wait_for_path("/players/random-player");
        page.check_log();
    });
}
