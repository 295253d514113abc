//! Whatever is typed: the server has the text that the client has, and says of it what a fresh reader says.

use std::sync::Arc;

use ludex::gdl::{LoadOptions, Source, load};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;
use serde_json::{Value, json};

use crate::client::{Client, position};

const PIECES: [&str; 22] = [
    "(",
    ")",
    "(<= (p ?x) (q ?x))",
    "role",
    " ",
    "\n",
    "\r\n",
    "\r",
    "?x",
    ";",
    "%",
    "𝄞ü",
    "'",
    "|",
    "p(X) :- q(X) & ~r(X)",
    ".",
    ",",
    "(role white)\n",
    "\0",
    "goal(white,100)\n",
    "terminal",
    "12",
];

/// Changes the text somewhere; the change as the protocol has it.
fn edit(text: &mut String, rng: &mut Xoshiro256PlusPlus) -> Value {
    let place = |rng: &mut Xoshiro256PlusPlus, text: &str, from: usize, most: usize| {
        let wish = from + rng.next_u64() as usize % (most + 1);
        let ok = |at: &usize| {
            // Between the two characters of a line end there is no position.
            let inside = text[..(*at).min(text.len())].ends_with('\r') && text[*at..].starts_with('\n');
            !inside
        };
        (0..=wish.min(text.len())).rev().find(|at| text.is_char_boundary(*at) && ok(at)).unwrap_or(0)
    };
    if rng.next_u64().is_multiple_of(40) {
        *text = PIECES[rng.next_u64() as usize % PIECES.len()].repeat(3);
        return json!({ "text": text.clone() });
    }
    let start = place(rng, text, 0, text.len());
    let end = if rng.next_u64().is_multiple_of(2) { start } else { place(rng, text, start, 12).max(start) };
    let new = PIECES[rng.next_u64() as usize % PIECES.len()];
    let range = json!({ "start": position(text, start), "end": position(text, end) });
    text.replace_range(start..end, new);
    json!({ "range": range, "text": new })
}

fn expected(name: &str, text: &str) -> Vec<String> {
    let checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
    checked.diagnostics.iter().map(|d| format!("{} {}", d.code, d.message)).collect()
}

#[test]
fn findings_are_those_of_the_whole_text_after_any_edits() {
    let mut client = Client::new();
    let games: Vec<&str> =
        ludex::library::all().iter().map(|game| game.text).filter(|text| text.len() < 4_000).collect();
    let mut compared = 0;
    for seed in 0..40 {
        let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
        let uri = format!("file:///fuzz-{seed}.kif");
        let mut text = if seed % 4 == 0 {
            String::new()
        } else {
            games[rng.next_u64() as usize % games.len()].to_owned()
        };
        client.open(&uri, "gdl-prefix", &text);
        for _ in 0..30 {
            // Several changes in one message, and messages that overtake the findings.
            for _ in 0..1 + rng.next_u64() % 3 {
                let changes: Vec<Value> =
                    (0..1 + rng.next_u64() % 3).map(|_| edit(&mut text, &mut rng)).collect();
                client.change(&uri, json!(changes));
            }
            let found: Vec<String> = client
                .findings(&uri)
                .iter()
                .map(|f| {
                    let message = f["message"].as_str().unwrap();
                    format!("{} {}", f["code"].as_str().unwrap(), message.split("\nhint: ").next().unwrap())
                })
                .collect();
            let expected = expected(&format!("fuzz-{seed}.kif"), &text);
            if expected.len() <= 1_000 {
                assert_eq!(found, expected, "seed {seed}:\n{text}");
                compared += 1;
            }
        }
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert!(compared > 1_000);
    client.quit();
}

#[test]
fn changes_that_wait_are_taken_together() {
    let mut client = Client::new();
    let uri = "file:///fast.kif";
    client.open(uri, "gdl-prefix", "");
    let mut text = String::new();
    for _ in 0..500 {
        let range = json!({ "start": position(&text, text.len()), "end": position(&text, text.len()) });
        client.change(uri, json!([{ "range": range, "text": "(p 1)\n" }]));
        text.push_str("(p 1)\n");
    }
    let found = client.findings(uri);
    assert!(found.iter().any(|finding| finding["code"] == "L053"));
    client.quit();
}
