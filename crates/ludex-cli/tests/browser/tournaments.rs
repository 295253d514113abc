//! Tournaments: setting one up, watching it, and what can be done with one that runs.

use super::session::{Browser, browse, wait};

/// Fills in the form and starts the tournament: its page.
fn start(page: &Browser, name: &str, players: &[&str], rounds: &str) -> String {
    page.open("/tournaments/new");
    page.type_into("#name", name);
    page.fill("#rounds", rounds);
    for player in players {
        page.click(&format!("input[name=player][value='{player}']"));
    }
    page.click("input[name=game][value=tic-tac-toe]");
    page.fill("#start_clock", "20");
    page.fill("#play_clock", "10");
    page.click("details > summary");
    page.type_into("#simultaneous", "1");
    page.click("main form > button");
    let path = wait("the page of the tournament", || {
        Some(page.path()).filter(|path| path.starts_with("/tournaments/") && path != "/tournaments/new")
    });
    page.script("window.same = true");
    path
}

/// How many matches are finished.
fn finished(page: &Browser) -> usize {
    let text = page.text("#tournament > p");
    let count = text.split(" matches finished").next().and_then(|text| text.split(' ').next_back());
    count.and_then(|count| count.parse().ok()).unwrap_or_else(|| panic!("{text}"))
}

#[test]
fn a_tournament_runs_to_its_end_before_ones_eyes() {
    browse(|page| {
        let players = ["random-player", "strategy:legal", "strategy:alpha-beta"];
        start(page, "Spring cup", &players, "2");
        assert_eq!(page.text("h1"), "Spring cup");
        let before = finished(page);
        wait("the next result", || (finished(page) > before).then_some(()));
        page.wait_for_text("#tournament > p", "over");
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");
        wait("nothing to pause", || (!page.text(".actions").contains("Pause")).then_some(()));

        // Three players, each against each, from both sides, twice.
        assert_eq!(finished(page), 12);
        let standings = page.texts("[aria-label=Standings] tbody tr");
        assert_eq!(standings.len(), 3);
        assert!(standings[0].contains("alpha-beta"), "{standings:?}");
        assert_eq!(page.count(".cross tbody td:not(.self)"), 6);
        assert!(page.texts(".cross tbody td:not(.self)").iter().all(|cell| cell.contains("of 4")));
        assert_eq!(page.count(".chart .curve"), 3);
        assert_eq!(page.count(".keys li"), 3);
        assert_eq!(page.count("#tournament > section:last-child tbody tr"), 12);
        page.screenshot("tournament");
        page.open("/tournaments");
        assert!(page.text(".tile").contains("12 results"), "{}", page.text(".tile"));
    });
}

#[test]
fn a_tournament_is_paused_resumed_and_goes_on_without_a_player() {
    browse(|page| {
        let path =
            start(page, "Long league", &["random-player", "strategy:legal", "strategy:alpha-beta"], "500");
        wait("a result", || (finished(page) > 0).then_some(()));
        page.click("form[action$='/pause'] button");
        page.wait_for_text("#tournament > p", "paused");
        // The match that was running ends; no other begins.
        page.open("/matches");
        wait("the running match to end", || {
            page.open("/matches");
            (!page.text("main table").contains("running")).then_some(())
        });
        page.open(&path);
        let paused = finished(page);
        page.click("details:has(#strike) > summary");
        page.choose_text("#strike", "legal");
        page.click("form[action$='/strike'] button");
        page.say_yes();
        wait("the player to be struck out", || (page.texts(".struck") == ["legal"]).then_some(()));
        assert!(!page.texts("#strike option").contains(&"legal".to_owned()));
        page.click("form[action$='/resume'] button");
        page.wait_for_text("#tournament > p", "running");
        wait("the next result", || (finished(page) > paused).then_some(()));
        let last = page.texts("#tournament > section:last-child tbody tr").swap_remove(0);
        assert!(!last.contains("legal"), "{last}");
    });
}
