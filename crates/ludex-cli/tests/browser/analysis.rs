//! The analysis of a match that is over, below its replay.

use super::scheduling::played;
use super::session::{browse, wait};

#[test]
fn a_match_that_is_over_is_analysed_below_its_replay() {
    browse(|page| {
        page.open("/");
        let id = played(page, "tic-tac-toe", &["random-player", "random-player"]);
        page.open(&format!("/matches/{id}/replay?step=1"));
        page.script("window.same = true");
        assert_eq!(page.count("[data-course]"), 0, "nobody asked");

        // The whole match: a chart whose steps are links.
        page.click("#analysis button[value=match]");
        wait("the chart", || (page.count("#analysis-match [data-course]") == 1).then_some(()));
        assert!(page.text("#analysis-match").contains("positions were searched"));
        let line = || page.script("return document.querySelector('[data-now]').getAttribute('x1')");
        let before = line();
        page.script("document.querySelector('#analysis-match a[data-step=\"3\"] rect').scrollIntoView()");
        page.click("#analysis-match a[data-step='3'] rect");
        wait("step 3", || (page.value("#slider") == "3").then_some(()));
        assert_ne!(line(), before, "the line goes along");

        // A position: what was found stands there again when it is shown again.
        page.click("#analysis button[value=position]");
        page.wait_for_text("#analysis-position h3", "After step 3");
        assert!(page.text("#analysis-position").contains("can expect"));
        page.click("a[data-step=on]");
        wait("step 4", || (page.value("#slider") == "4").then_some(()));
        assert_eq!(page.count("#analysis-position h3"), 0);
        page.click("a[data-step=back]");
        page.wait_for_text("#analysis-position h3", "After step 3");
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");

        page.set_size(1280, 900);
        page.script("document.getElementById('analysis').scrollIntoView()");
        page.screenshot("analysis");
        page.set_size(390, 2600);
        let script = "const page = document.documentElement; return page.scrollWidth > page.clientWidth";
        assert_eq!(page.script(script), false, "something is wider than the screen");
        page.screenshot("analysis-narrow");
    });
}
