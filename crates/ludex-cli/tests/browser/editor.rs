//! The editor of rules: findings as one types, the board beside them, and a way about in the game.

use super::games::CORNERS;
use super::session::{Browser, browse, wait};

/// What is selected in the rules.
fn selected(page: &Browser) -> String {
    let script = "const text = document.getElementById('text');
        return text.value.slice(text.selectionStart, text.selectionEnd)";
    page.script(script).as_str().unwrap_or_default().to_owned()
}

fn pictures(page: &Browser, name: &str) {
    for (dark, light) in [(false, "light"), (true, "dark")] {
        page.set_dark(dark);
        page.set_size(1280, 900);
        page.screenshot(&format!("{name}-{light}-1280"));
        page.set_size(390, 844);
        let wide = "return document.documentElement.scrollWidth > innerWidth";
        assert_eq!(page.script(wide), false, "{name} is wider than a telephone");
        page.screenshot(&format!("{name}-{light}-390"));
        if dark {
            page.script("document.getElementById('state').scrollIntoView()");
            page.screenshot(&format!("{name}-{light}-390-below"));
        }
    }
    page.set_dark(false);
    page.set_size(1280, 900);
}

#[test]
fn findings_come_as_one_types_and_lead_to_their_places() {
    browse(|page| {
        page.open("/games/new");
        let wrong = CORNERS.replacen("(true (turn ?r)) (true (cell ?x", "(true (cell ?x", 1);
        page.fill("#text", &wrong);
        // Nobody has asked for it.
        page.wait_for_text("#findings", "line 6, column 12");
        assert_eq!(page.text(".gutter .error"), "6");
        assert_eq!(page.path(), "/games/new");
        page.click(".finding.error button.place");
        assert_eq!(selected(page), "?r");
        pictures(page, "editor-wrong");

        page.fill("#text", CORNERS);
        page.wait_for_text("#findings", "Nothing is wrong with these rules.");
        wait("the board", || page.board().contains("<svg").then_some(()));
        assert_eq!(page.count(".gutter .error"), 0);
        assert!(page.text("#state").contains("Step 0"));
    });
}

#[test]
fn one_steps_about_in_the_game_and_asks_why_a_move_is_legal() {
    browse(|page| {
        page.open("/games/new?from=tic-tac-toe");
        page.wait_for_text("#state", "Step 0");
        page.choose("#move-0", "(mark 2 2)");
        page.click("[data-role='0'] [data-why]");
        page.wait_for_text(".reasons", "(true (cell 2 2 b)): it is so in this state");
        // The rule it speaks of is a click away.
        page.click(".rules-used button");
        assert!(selected(page).contains("(legal ?"), "{}", selected(page));
        pictures(page, "editor-why");

        page.click("[data-step]");
        page.wait_for_text("#state", "Step 1");
        assert!(page.text("#state").contains("(mark 2 2), noop"), "{}", page.text("#state"));
        assert_eq!(page.count(".reasons"), 0);
        for step in 2..=9 {
            if page.text("#state").contains("The game is over") {
                break;
            }
            page.click("[data-random]");
            page.wait_for_text("#state", &format!("Step {step}"));
        }
        page.wait_for_text("#state", "The game is over");
        pictures(page, "editor-over");
        page.click("[data-back]");
        wait("the game to go on", || (!page.text("#state").contains("The game is over")).then_some(()));
        page.click("[data-first]");
        page.wait_for_text("#state", "Step 0");
    });
}

#[test]
fn in_real_time_one_lets_time_pass() {
    browse(|page| {
        page.open("/games/new?from=chess-clock");
        page.wait_for_text("#state", "Time 0");
        page.fill("#advance-by", "2.5");
        page.click("[data-advance]");
        page.wait_for_text("#state", "Time 2.5");
        // What was typed stays, for the next time.
        assert_eq!(page.script("return document.getElementById('advance-by').value"), "2.5");
        page.choose("#move-0", "(take 2)");
        page.click("[data-step]");
        page.wait_for_text("#state", "white does take(2)");
        pictures(page, "editor-real-time");
        page.click("[data-next]");
        page.wait_for_text("#state", "Time 122.5");
        page.wait_for_text("#state", "The game is over");
        page.click("[data-back]");
        page.wait_for_text("#state", "Time 2.5");
    });
}

#[test]
fn what_nobody_can_play_is_said_in_red_and_kept_as_a_draft() {
    browse(|page| {
        page.expect_complaint("status of 422");
        let endless = CORNERS.replacen("(not open)", "(true (cell 1 1 nobody))", 1);
        page.open("/games/new");
        page.type_into("#name", "never-over");
        page.fill("#text", &endless);
        page.click("button[value=add]");
        page.wait_for_text("[role=alert]", "legal move");
        assert_eq!(
            page.script(
                "return document.querySelector('[role=alert]').getBoundingClientRect().top < innerHeight"
            ),
            true
        );
        pictures(page, "editor-unplayable");
        page.click("button[value=draft]");
        page.wait_for_path("/games/never-over?version=");
        page.wait_for_text("main", "This version is a draft");
        assert_eq!(page.count("a.button[href^='/matches/new']"), 0);
        page.screenshot("draft");
        page.click(".notice.warn a");
        page.wait_for_path("/games/new?from=never-over");
        page.fill("#text", CORNERS);
        page.click("button[value=add]");
        page.wait_for_path("/games/never-over?added=1");
        assert_eq!(page.count("a.button[href^='/matches/new']"), 1);
    });
}
