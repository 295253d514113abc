//! Going through a match that is over.

use fantoccini::key::Key;

use super::scheduling::played;
use super::session::{Browser, browse, wait};

/// Waits until this step is shown everywhere.
fn expect_step(page: &Browser, id: &str, step: usize) {
    let path = format!("/matches/{id}/replay?step={step}");
    wait(&format!("step {step}"), || {
        let now = page.texts(".moves tr.now th");
        let row = if step == 0 { now.is_empty() } else { now == [step.to_string()] };
        (row && page.path() == path).then_some(())
    });
    assert_eq!(page.text("#step-number"), step.to_string());
    assert_eq!(page.value("#slider"), step.to_string());
}

#[test]
fn the_slider_the_keys_and_the_moves_lead_to_states() {
    browse(|page| {
        page.open("/");
        let id = played(page, "tic-tac-toe", &["random-player", "random-player"]);
        page.open(&format!("/matches/{id}"));
        page.click("a[href$='/replay']");
        page.wait_for_path(&format!("/matches/{id}/replay"));
        page.script("window.same = true");
        let last: usize =
            page.script("return document.getElementById('slider').max").as_str().unwrap().parse().unwrap();
        assert!((5..=9).contains(&last), "{last}");
        let mut boards = vec![page.board()];

        // The buttons.
        for step in 1..=last {
            page.click("a[data-step=on]");
            expect_step(page, &id, step);
            let board = page.board();
            assert!(!boards.contains(&board), "step {step} looks like one before");
            boards.push(board);
        }
        page.click("a[data-step=on]");
        page.click("a[data-step=back]");
        expect_step(page, &id, last - 1);
        page.click("a[data-step='0'][aria-label]");
        expect_step(page, &id, 0);
        assert_eq!(page.board(), boards[0]);

        // The list of moves.
        page.click(".moves a[data-step='3']");
        expect_step(page, &id, 3);
        assert_eq!(page.board(), boards[3]);
        assert_eq!(page.focused("data-step"), "3", "whoever uses the keys stays at the list");

        // The keys, and the slider by its keys.
        page.press(Key::Right);
        expect_step(page, &id, 4);
        page.press(Key::Left);
        page.press(Key::Left);
        expect_step(page, &id, 2);
        page.script("document.getElementById('slider').focus()");
        page.press(Key::End);
        expect_step(page, &id, last);
        assert_eq!(page.board(), boards[last]);
        assert_eq!(page.count(".seat .goal"), 2);
        page.press(Key::Left);
        expect_step(page, &id, last - 1);
        page.press(Key::Home);
        expect_step(page, &id, 0);
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");

        // A link to a state leads there.
        page.open(&format!("/matches/{id}/replay?step=4"));
        expect_step(page, &id, 4);
        assert_eq!(page.board(), boards[4]);
        page.screenshot("replay");
    });
}
