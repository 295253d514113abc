//! Watching a match that goes on.

use serde_json::{Value, json};

use super::scheduling::{Scheduled, schedule};
use super::session::{Browser, browse, wait};

/// Makes the first legal move of a person, as a program would, once it is asked for; `false` once the match is
/// over.
fn make_move(page: &Browser, id: &str, seat: &Value) -> bool {
    let path = format!("/api/matches/{id}/seats/{}", seat["seat"]);
    let key = seat["key"].as_str().unwrap();
    let view = wait("a move to be asked for", || {
        let view = page.api("GET", &format!("{path}?key={key}"), &Value::Null);
        (view["awaited"] == true || view["stage"] == "completed").then_some(view)
    });
    if view["stage"] == "completed" {
        return false;
    }
    let step = view["snapshot"]["steps"].as_array().unwrap().len();
    let action = &view["ownMoves"][0];
    page.api("POST", &format!("{path}/move?key={key}"), &json!({ "step": step, "move": action }));
    true
}

#[test]
fn the_board_the_moves_and_the_end_come_without_loading_the_page_again() {
    browse(|page| {
        page.open("/");
        let Scheduled { id, seats } = schedule(page, "tic-tac-toe", &["guest", "random-player"]);
        page.open(&format!("/matches/{id}"));
        page.script("window.same = true");
        page.wait_for_text(".tag", "running");
        wait("a clock", || (page.count(".seat .clock") > 0).then_some(()));
        let clock = page.text(".seat .clock");
        wait("the clock to run", || (page.text(".seat .clock") != clock).then_some(()));

        let mut board = page.board();
        let mut rows = 0;
        while make_move(page, &id, &seats[0]) {
            // Steps come one by one, but one may come while one looks.
            wait("a move", || (page.count(".moves tbody tr") > rows).then_some(()));
            wait("another board", || (page.board() != board).then_some(()));
            (board, rows) = (page.board(), page.count(".moves tbody tr"));
        }
        page.wait_for_text(".tag", "completed");
        assert!(page.count(".moves tbody tr") >= 5);
        assert_eq!(page.count(".seat .goal"), 2);
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");
        // What one can do with a match that is over is there now, and what one could do before is not.
        wait("the replay", || {
            page.texts(".actions").iter().any(|text| text.contains("Replay")).then_some(())
        });
        assert!(!page.text(".actions").contains("Abort") && !page.text(".actions").contains("Play"));
        page.click(".actions a[href$='/replay']");
        page.wait_for_path(&format!("/matches/{id}/replay"));
    });
}
