//! What somebody knows who plays a game in which players do not see everything.

use super::session::{browse, wait};

#[test]
fn what_a_player_knows_goes_along_with_the_match() {
    browse(|page| {
        page.open("/");
        page.choose("#game", "blind-tic-tac-toe");
        page.choose("#opponent", "random-player");
        page.click("form[action='/quick'] button");
        page.wait_for_path("/matches/");
        page.script("window.same = true");
        page.wait_for_text("#known", "you know the state");
        page.click(".list > li:nth-child(5) button");
        wait("what was done", || page.text("#known").contains("Step 1: you did").then_some(()));
        // Where both chose the same cell and the coin favoured the other, there is nothing else that could be.
        let told = page.text("#known");
        let knows = told.contains("one state fits");
        assert!(knows || page.count("#known .possible li") > 8, "{told}");
        assert!(page.count("#known svg") > 0, "a board of what is certain");
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");
        page.set_size(1280, 2000);
        page.screenshot("known");
        page.set_size(390, 3400);
        let script = "const page = document.documentElement; return page.scrollWidth > page.clientWidth";
        assert_eq!(page.script(script), false, "something is wider than the screen");
        page.screenshot("known-narrow");
    });
}
