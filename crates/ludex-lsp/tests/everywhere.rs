//! All features at many places of many games.

use std::sync::Arc;

use ludex::gdl::{LoadOptions, Source, load};
use ludex_testkit::corpus::{Corpus, read_text, stem};
use serde_json::Value;

use crate::client::{Client, offset, position};
use crate::hostile::ask_everything;

/// Every range of an answer is one of the text.
fn check_ranges(value: &Value, text: &str) {
    match value {
        Value::Object(map) => {
            if let (Some(start), Some(end)) = (map.get("start"), map.get("end"))
                && start.get("line").is_some()
            {
                assert!(offset(text, start) <= offset(text, end));
            }
            map.values().for_each(|value| check_ranges(value, text));
        }
        Value::Array(list) => list.iter().for_each(|value| check_ranges(value, text)),
        _ => {}
    }
}

fn look_everywhere(client: &mut Client, name: &str, text: &str, places: usize) {
    let uri = format!("file:///{name}");
    client.open(&uri, "", text);
    let found = client.findings(&uri);
    check_ranges(&Value::Array(found), text);
    let boundaries: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
    let step = boundaries.len().div_ceil(places).max(1);
    let places: Vec<(u32, u32)> = boundaries
        .iter()
        .step_by(step)
        .filter(|at| !(text[..**at].ends_with('\r') && text[**at..].starts_with('\n')))
        .map(|at| position(text, *at))
        .map(|place| (place["line"].as_u64().unwrap() as u32, place["character"].as_u64().unwrap() as u32))
        .collect();
    ask_everything(client, &uri, &places);
    for &(line, character) in &places {
        for method in ["hover", "definition", "documentHighlight"] {
            let answer =
                client.at(&format!("textDocument/{method}"), &uri, line, character).expect("an answer");
            check_ranges(&answer, text);
        }
    }
    for method in ["documentSymbol", "codeLens"] {
        check_ranges(&client.of(&format!("textDocument/{method}"), &uri), text);
    }
    check_tokens(&client.of("textDocument/semanticTokens/full", &uri), text);
    client.notify("textDocument/didClose", serde_json::json!({ "textDocument": { "uri": uri } }));
}

/// Tokens follow one another and lie in the text; each name has one.
fn check_tokens(tokens: &Value, text: &str) {
    let numbers: Vec<u64> =
        tokens["data"].as_array().expect("numbers").iter().map(|n| n.as_u64().unwrap()).collect();
    let lines: Vec<usize> = {
        let unified = text.replace("\r\n", "\n").replace('\r', "\n");
        unified.split('\n').map(|line| line.encode_utf16().count()).collect()
    };
    let (mut line, mut start, mut end) = (0usize, 0u64, 0u64);
    for token in numbers.chunks(5) {
        let &[delta_line, delta_start, length, kind, modifiers] = token else { panic!("five numbers each") };
        if delta_line > 0 {
            (line, start, end) = (line + delta_line as usize, 0, 0);
        }
        start += delta_start;
        assert!(start >= end && length > 0, "tokens overlap in line {line}");
        end = start + length;
        assert!(end as usize <= lines[line], "a token beyond line {line}");
        assert!(kind < 8 && modifiers < 4);
    }
}

#[test]
fn every_bundled_game() {
    let mut client = Client::new();
    for game in ludex::library::all() {
        look_everywhere(&mut client, game.name, game.text, 25);
    }
    client.quit();
}

#[test]
fn every_place_of_a_game() {
    let mut client = Client::new();
    for name in ["nim", "closed-doors", "chicken", "hexapawn"] {
        let game = ludex::library::find(name).expect("a bundled game");
        look_everywhere(&mut client, name, game.text, 700);
    }
    client.quit();
}

#[test]
fn games_of_the_corpus() {
    let Some(corpus) = Corpus::find("the language server") else { return };
    let mut client = Client::new();
    for path in corpus.rulesheets().into_iter().step_by(9) {
        if let Ok(text) = read_text(&path) {
            look_everywhere(&mut client, &stem(&path), &text, 4);
        }
    }
    client.quit();
}

/// Fixes for findings of whole games make them go away.
#[test]
fn fixes_of_real_findings() {
    let Some(corpus) = Corpus::find("the fixes of findings") else { return };
    let read = |text: &str| load(Arc::new(Source::new("game.kif", text)), &LoadOptions::default());
    let (mut tried, mut gone) = (0, 0);
    for path in corpus.rulesheets() {
        let Ok(text) = read_text(&path) else { continue };
        let before = read(&text);
        let mut seen = Vec::new();
        for finding in before.diagnostics.iter().filter(|d| d.fix.is_some()) {
            if seen.contains(&finding.code) || text.len() > 100_000 {
                continue;
            }
            seen.push(finding.code);
            let Some(fix) = &finding.fix else { continue };
            let after = read(&fix.apply(&text));
            let count = |checked: &ludex::gdl::Checked| {
                checked
                    .diagnostics
                    .iter()
                    .filter(|d| d.code == finding.code && d.message == finding.message)
                    .count()
            };
            tried += 1;
            // Of several clauses in another notation the first one is told.
            let is_next = |d: &ludex::gdl::Diagnostic| d.code.0 == 3 && d.span.start > finding.span.start;
            let is_gone = count(&after) < count(&before) || after.diagnostics.iter().any(is_next);
            gone += usize::from(is_gone);
            assert!(is_gone, "{}: {} {}: {:?}", path.display(), finding.code, finding.message, fix);
        }
    }
    eprintln!("{gone} of {tried} fixes");
}
