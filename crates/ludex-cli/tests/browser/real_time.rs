//! Games in real time: two people play each other, each in a window of their own, and the match is seen again.

use serde_json::{Value, json};

use super::session::{Browser, browse, wait};

/// A match of two people in which a unit of time lasts four seconds: its name, and where the seats are.
fn begin(page: &Browser) -> (String, [String; 2]) {
    for name in ["Red", "Yellow"] {
        page.api("POST", "/api/players", &json!({ "name": name, "kind": "person" }));
    }
    let made = page.api(
        "POST",
        "/api/matches",
        &json!({
            "game": "rapid-connect-four", "seats": [{ "player": "Red" }, { "player": "Yellow" }],
            "clocks": { "start": 60_000, "play": 4_000 },
        }),
    );
    let path = |seat: usize| made["seats"][seat]["path"].as_str().unwrap().to_owned();
    (made["id"].as_str().unwrap().to_owned(), [path(0), path(1)])
}

/// Makes a move from the list, once it is legal.
fn drop_into(page: &Browser, column: usize) {
    page.click(&format!(".list button[value='(drop {column})']"));
}

/// How many discs of a colour are on the board, as the page says it in words.
fn discs(page: &Browser, colour: &str) -> usize {
    let words = page.script("return [...document.querySelectorAll('.unseen li')].map(e => e.textContent)");
    let words: Vec<&str> = words.as_array().unwrap().iter().filter_map(Value::as_str).collect();
    let of_colour = words.iter().find_map(|line| line.strip_prefix(&format!("{colour}: ")));
    of_colour.map_or(0, |places| places.split(';').count())
}

/// What is left of a lifetime by the bar of its fact.
fn left(page: &Browser, fact: &str) -> Option<f64> {
    let script = "const row = [...document.querySelectorAll('.lifetimes li')]
            .find(li => li.querySelector('.what').textContent === arguments[0]);
        return row ? row.querySelector('progress').value : null";
    page.script_with(script, vec![fact.into()]).as_f64()
}

#[test]
fn two_people_play_each_other_in_real_time() {
    browse(|page| {
        page.open("/");
        let (id, seats) = begin(page);
        let red = page.window();
        page.open(&seats[0]);
        page.script("window.same = true");
        let yellow = page.new_window();
        page.open(&seats[1]);
        page.script("window.same = true");
        page.wait_for_text("[data-news]", "You can move");

        // Who has moved waits for a unit of time, and sees it go by; the other one can move meanwhile.
        page.switch_to(&red);
        drop_into(page, 1);
        let cooldown = wait("the bar of the cooldown", || left(page, "cooldown(red)"));
        wait("the bar to go down", || left(page, "cooldown(red)").filter(|left| *left < cooldown));
        page.wait_for_text("[data-news]", "Watch");
        page.screenshot("real-time");
        page.switch_to(&yellow);
        wait("the disc of the other one", || (discs(page, "red") == 1).then_some(()));
        drop_into(page, 2);
        wait("the own disc", || (discs(page, "yellow") == 1).then_some(()));

        // Nobody sends anything, and the board moves on by itself.
        page.switch_to(&red);
        page.wait_for_text("[data-news]", "You can move");
        wait("the disc of the other one", || (discs(page, "yellow") == 1).then_some(()));
        let time = || page.text(".game-time").parse::<f64>().unwrap();
        let before = time();
        wait("the clock of the game", || (time() > before).then_some(()));
        page.wait_for_text("#latency", "latency");

        // The list of the move before may still be there when it is clicked again.
        for own in 2..=4 {
            drop_into(page, 1);
            wait("the own disc", || (discs(page, "red") == own).then_some(()));
        }
        page.wait_for_text("[data-news]", "you got 100");
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");
        page.switch_to(&yellow);
        page.wait_for_text("[data-news]", "you got 0");
        assert_eq!(page.script("return window.same"), true, "the page was loaded again");

        // The replay goes by the clock of the match, here twenty times as fast.
        page.open(&format!("/matches/{id}/replay"));
        assert_eq!(discs(page, "red"), 0);
        page.choose("[data-pace]", "20");
        page.click("[data-run]");
        let last = page.script("return document.getElementById('slider').max");
        wait("the end of the replay", || (page.text("#step-number") == last.as_str().unwrap()).then_some(()));
        wait("the last board", || (discs(page, "red") == 4).then_some(()));
        assert_eq!(discs(page, "yellow"), 1);
    });
}
