//! Playing as a person.

use fantoccini::key::Key;

use super::session::{Browser, browse, wait};

/// Begins a match on the first page, as the first player.
fn begin(page: &Browser, game: &str, opponent: &str) {
    page.open("/");
    page.choose("#game", game);
    page.choose("#opponent", opponent);
    page.click("form[action='/quick'] button");
    page.wait_for_path("/matches/");
    page.script("window.same = true");
}

/// How it stands for whoever plays.
enum Turn {
    /// A move is to be made in the state after so many steps.
    Own(usize),
    Over,
}

/// Waits for the next turn after so many steps, where there is a choice.
fn next_turn(page: &Browser, after: Option<usize>) -> Turn {
    wait("the next turn", || {
        if page.count("main a[href$='/replay']") > 0 {
            return Some(Turn::Over);
        }
        let script = "const form = document.querySelector('form[data-stay]:has([name=step])');
            return form ? Number(form.querySelector('[name=step]').value) : null";
        let step = page.script(script).as_u64()? as usize;
        (after.is_none_or(|after| step > after)).then_some(Turn::Own(step))
    })
}

/// Plays until the match is over, each move in this way.
fn play(page: &Browser, mut make_move: impl FnMut(usize)) -> usize {
    let mut after = None;
    let mut moves = 0;
    while let Turn::Own(step) = next_turn(page, after) {
        make_move(step);
        moves += 1;
        after = Some(step);
    }
    assert!(page.text("h2").contains("The match is over: you got"), "{}", page.text("h2"));
    assert_eq!(page.script("return window.same"), true, "the page was loaded again");
    moves
}

/// The moves that can be chosen now.
fn offered(page: &Browser) -> Vec<String> {
    page.texts(".list > li:not(.hidden) button")
}

/// Makes the move that is shown so.
fn choose(page: &Browser, shown: &str) {
    let number = offered(page).iter().position(|offer| offer == shown);
    let number = number.unwrap_or_else(|| panic!("{shown} is not offered: {:?}", offered(page)));
    page.click(&format!(".list > li:nth-child({}) button", number + 1));
}

#[test]
fn tic_tac_toe_is_played_by_clicks_on_the_board() {
    browse(|page| {
        begin(page, "tic-tac-toe", "random-player");
        let moves = play(page, |step| {
            // Of nine cells, each step has taken one.
            assert_eq!(page.count(".spot.can"), 9 - step);
            assert_eq!(offered(page).len(), 9 - step);
            if step == 0 {
                page.screenshot("playing");
            }
            let board = page.board();
            page.click(".spot.can");
            wait("the mark on the board", || (page.board() != board).then_some(()));
        });
        assert!((3..=5).contains(&moves), "{moves}");
        assert_eq!(page.count(".spot.can"), 0);
        page.click("form[action$='/rematch'] button");
        page.wait_for_path("/matches/");
        wait("the rematch", || matches!(next_turn(page, None), Turn::Own(1)).then_some(()));
        assert!(page.text(".under").contains("You play black"), "sides are changed");
    });
}

#[test]
fn a_level_answers_and_nobody_is_hurried() {
    browse(|page| {
        begin(page, "connect-four", "strategy:level-2");
        let mut after = None;
        for step in 0..3 {
            let Turn::Own(at) = next_turn(page, after) else { panic!("it is over after {step} moves") };
            assert_eq!(page.count(".clock"), 0, "there is no clock");
            page.click(".spot.can");
            after = Some(at);
        }
        page.screenshot("playing-against-a-level");
    });
}

/// What somebody says beside moves: the button is beside the board.
fn say(page: &Browser, saying: &str) {
    wait("that it can be said", || (page.count(&format!(".say button[value={saying}]")) == 1).then_some(()));
    page.click(&format!(".say button[value={saying}]"));
}

/// A program that comes with the server takes nothing amiss: the move is gone, and it answers the next one.
#[test]
fn a_move_is_taken_back_and_a_match_given_up() {
    browse(|page| {
        begin(page, "connect-four", "strategy:level-2");
        let mut steps = None;
        let mut boards = Vec::new();
        for _ in 0..3 {
            let Turn::Own(at) = next_turn(page, steps) else { panic!("it is over") };
            boards.push(page.board());
            if boards.len() == 2 {
                page.screenshot("seat-with-sayings");
                say(page, "ask-back");
                wait("the board before", || (page.board() == boards[0]).then_some(()));
                steps = None;
            } else {
                page.click(".spot.can");
                steps = Some(at);
            }
        }
        let Turn::Own(at) = next_turn(page, steps) else { panic!("it is over") };
        assert_eq!(at, 2, "one move was made twice");
        assert_eq!(page.count(".moves tbody tr"), 2);
        assert!(!page.text(".moves").contains("noop"), "{}", page.text(".moves"));
        say(page, "resign");
        page.say_yes();
        page.wait_for_text("h2", "resigned, you got 0");
        page.click("main a[href$='/replay']");
        page.wait_for_text("h1", "Replay");
        page.press(Key::Right);
        wait("the first step", || (page.path().ends_with("?step=1")).then_some(()));
        page.click("details.card > summary");
        page.screenshot("play-on");
        page.click("form[action$='/play-on'] button");
        wait("the seat", || (page.count(".turn") == 1).then_some(()));
        let Turn::Own(at) = next_turn(page, None) else { panic!("it is over") };
        assert_eq!(at, 2, "the program has answered the move that was made before");
    });
}

/// A piece is dragged from its cell to another one, as by a pointer.
#[test]
fn a_piece_is_dragged() {
    const DRAG: &str = "const at = spot => { const r = spot.getBoundingClientRect();
            return { clientX: r.left + r.width / 2, clientY: r.top + r.height / 2, bubbles: true } };
        const from = document.querySelector('.spot.can'), start = at(from);
        from.dispatchEvent(new PointerEvent('pointerdown', start));
        const moved = { ...start, clientY: start.clientY - 12 };
        from.dispatchEvent(new PointerEvent('pointermove', moved));
        const to = document.querySelector('.spot.can');
        to.dispatchEvent(new PointerEvent('pointerup', at(to)));
        return document.querySelectorAll('.spot.chosen').length";
    browse(|page| {
        begin(page, "breakthrough", "strategy:level-1");
        let Turn::Own(first) = next_turn(page, None) else { panic!("it is over") };
        let board = page.board();
        page.script(DRAG);
        wait("the move on the board", || (page.board() != board).then_some(()));
        assert!(matches!(next_turn(page, Some(first)), Turn::Own(_)), "the match goes on");
    });
}

/// A friend follows the link; both are there, and one offers a draw.
#[test]
fn a_friend_comes_by_a_link() {
    browse(|page| {
        page.open("/");
        page.fill("#name", "Ann");
        page.choose("#opponent", "friend");
        page.click("form[action='/quick'] button");
        page.wait_for_path("/matches/");
        page.wait_for_text(".turn", "The match begins when everybody is here");
        let link = page.script("return document.querySelector('.invitation input').value");
        let link = link.as_str().unwrap().to_owned();
        assert!(link.starts_with("http://") && link.contains("/join?key="), "{link}");
        page.click(".invitation button");
        page.wait_for_text(".invitation button", "Copied");
        page.screenshot("invitation");
        let own = page.path();
        let join = &link[link.find("/matches/").unwrap()..];
        page.open(join);
        page.wait_for_text(".lead", "with Ann. You play black");
        page.screenshot("invited");
        page.fill("#name", "Tom");
        page.click("form[action$='/join'] button");
        page.wait_for_text(".under", "You play black");
        page.wait_for_text(".turn", "or are to move");
        assert_eq!(page.count(".invitation"), 0);
        say(page, "offer-draw");
        page.wait_for_text("[data-section=say]", "You offer a draw");
        page.open(&own);
        page.wait_for_text("[data-section=say]", "Tom offers a draw");
        page.wait_for_text("h2", "Your move");
        let title = page.script("return document.title");
        assert!(title.as_str().unwrap().contains("Your move"), "{title}");
        page.screenshot("draw-offered");
        say(page, "accept");
        page.wait_for_text("h2", "a draw was agreed, which black had offered, you got 50");
        page.open("/");
        let kept = "return document.getElementById('name').value";
        assert_eq!(page.script(kept), "Tom", "the last name that was typed in this browser");
    });
}

#[test]
fn the_whole_board_is_on_the_screen() {
    // Where the board, whose turn it is and the list of moves end and begin, and how high the screen is.
    const PLACES: &str = "const at = selector => document.querySelector(selector).getBoundingClientRect();
        return [at('.drawing svg').bottom, at('.turn').bottom, at('.list').top, innerHeight]";
    browse(|page| {
        for game in ["tic-tac-toe", "connect-four", "breakthrough", "checkers", "chess", "8-puzzle"] {
            page.set_size(1280, 800);
            begin(page, game, "strategy:level-1");
            next_turn(page, None);
            let place = |at: usize| page.script(PLACES)[at].as_f64().unwrap();
            let [board, turn, list, screen] = [0, 1, 2, 3].map(place);
            assert!(
                board <= screen && turn < screen && list < screen,
                "{game}: {board} {turn} {list} of {screen}"
            );
            page.screenshot(&format!("seat-{game}-desk"));
            if !["checkers", "chess"].contains(&game) {
                page.set_size(390, 844);
                let [board, screen] = [0, 3].map(place);
                assert!(board <= screen, "{game}: {board} of {screen}");
                page.screenshot(&format!("seat-{game}-phone"));
            }
        }
    });
}

#[test]
fn tic_tac_toe_is_played_from_the_list() {
    browse(|page| {
        begin(page, "tic-tac-toe", "strategy:legal");
        play(page, |step| {
            if step == 0 {
                page.type_into("#find-move", "2 2");
                wait("the list to be filtered", || (offered(page) == ["2,2"]).then_some(()));
            }
            page.click(".list > li:not(.hidden) button");
        });
        assert!(page.text(".moves tbody tr:first-child").contains("2,2"));
    });
}

#[test]
fn tic_tac_toe_is_played_with_keys_alone() {
    browse(|page| {
        begin(page, "tic-tac-toe", "random-player");
        play(page, |_| {
            let mut steps = 0;
            while !page.focused("class").split(' ').any(|class| class == "can") {
                page.press(Key::Tab);
                steps += 1;
                assert!(steps < 60, "no cell of the board can be reached by the keys");
            }
            assert_eq!(page.focused("role"), "button");
            assert_ne!(page.focused("aria-label"), "", "nobody can hear which cell it is");
            page.press(Key::Enter);
        });
    });
}

#[test]
fn moves_made_at_the_same_time_are_chosen_from_the_list() {
    browse(|page| {
        begin(page, "rock-paper-scissors", "random-player");
        let moves = play(page, |_| {
            assert_eq!(offered(page), ["paper", "rock", "scissors"]);
            page.click(".list > li:nth-child(2) button");
        });
        assert_eq!(moves, 3);
        assert_eq!(page.count(".moves tbody tr"), 3);
    });
}

#[test]
fn what_a_player_cannot_know_is_not_on_the_page() {
    browse(|page| {
        begin(page, "monty-hall", "random-player");
        let hidden = || {
            let source = page.script("return document.documentElement.outerHTML");
            assert!(!source.as_str().unwrap().contains("hide_car"), "the page says where the car is");
        };
        let moves = play(page, |step| {
            hidden();
            let wanted = if step == 1 { "choose 1" } else { "switch" };
            if step == 3 {
                assert!(page.text(".moves").contains("saw opened("), "{}", page.text(".moves"));
                page.screenshot("hidden");
            }
            choose(page, wanted);
        });
        assert_eq!(moves, 2);
    });
}
