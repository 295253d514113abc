//! A name and back again: the same game between, and the same text at the end.

use std::sync::Arc;

use ludex::gdl::{
    LoadOptions, OccurrenceKind, Occurrences, Renaming, Source, Symbol, load, same_rules, spell_constant,
    spell_variable,
};
use serde_json::{Value, json};

use crate::client::{Client, edited, position};

/// So many names of each game are changed.
const NAMES: usize = 10;

fn renamed(client: &mut Client, uri: &str, text: &str, at: usize, new: &str) -> Result<String, String> {
    let params = json!({ "textDocument": { "uri": uri }, "position": position(text, at), "newName": new });
    let changes = client.request("textDocument/rename", params).map_err(|(_, message)| message)?;
    Ok(edited(text, &changes["changes"][uri]))
}

#[test]
fn every_name_of_bundled_games_can_be_changed_and_changed_back() {
    let mut client = Client::new();
    let mut changed = 0;
    for game in ludex::library::all() {
        let uri = format!("file:///{}.gdl", game.name);
        let checked =
            load(Arc::new(Source::new(format!("{}.gdl", game.name), game.text)), &LoadOptions::default());
        let sheet = &checked.rulesheet;
        let names = Occurrences::of(sheet, checked.dialect);
        let mut symbols: Vec<Symbol> = names.symbols().collect();
        symbols.sort_unstable();
        let step = symbols.len().div_ceil(NAMES).max(1);
        client.open(&uri, "gdl-infix", game.text);
        for symbol in symbols.iter().step_by(step) {
            let old = sheet.tree.name(symbol.name);
            let is_variable = symbol.kind == OccurrenceKind::Variable;
            let spelled = if is_variable {
                spell_variable(old, sheet.notation)
            } else {
                spell_constant(old, sheet.notation)
            };
            // Names that are written in several ways come back in one.
            let is_plain = names.of_symbol(*symbol).all(|o| sheet.source.slice(o.span) == spelled);
            let first = names.of_symbol(*symbol).next().expect("a place");
            let new = if is_variable { "Zyx" } else { "zyx" };
            let there = match renamed(&mut client, &uri, game.text, first.span.start as usize, new) {
                Ok(there) => there,
                Err(why) => {
                    let is_refused = why.contains("word of the language") || why.contains("number");
                    assert!(is_refused, "{}: {old}: {why}", game.name);
                    continue;
                }
            };
            let after = load(
                Arc::new(Source::new(format!("{}.gdl", game.name), there.as_str())),
                &LoadOptions::default(),
            );
            let codes = |checked: &ludex::gdl::Checked| {
                let mut codes: Vec<_> = checked.diagnostics.iter().map(|d| d.code).collect();
                codes.sort_unstable();
                codes
            };
            assert_eq!(codes(&after), codes(&checked), "{}: {old}", game.name);
            assert_eq!(after.dialect, checked.dialect);
            let namesakes = symbols
                .iter()
                .filter(|s| s.name == symbol.name && (s.kind == OccurrenceKind::Variable) == is_variable);
            let by_name = if is_variable {
                sheet.clone()
            } else {
                Renaming::from_pairs([(old, new)], []).scramble_rules(sheet)
            };
            let is_alone = namesakes.count() == 1 || is_variable;
            if is_alone {
                assert!(same_rules(&after.rulesheet, &by_name), "{}: {old} to {new}\n{there}", game.name);
            }
            client.change(&uri, json!([{ "text": there }]));
            match renamed(&mut client, &uri, &there, first.span.start as usize, old) {
                Ok(back) if is_plain => assert_eq!(back, game.text, "{}: {old}", game.name),
                Ok(_) => {}
                // What is called the same as something else cannot be called so again.
                Err(why) => {
                    assert!(!is_alone && why.contains("something else"), "{}: {old}: {why}", game.name)
                }
            }
            client.change(&uri, json!([{ "text": game.text }]));
            changed += 1;
        }
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
    }
    assert!(changed > 300, "{changed}");
    client.quit();
}

#[test]
fn names_that_would_clash_are_refused() {
    let mut client = Client::new();
    let uri = "file:///x.gdl";
    let text = "role(a)\np(X) :- q(X,Y) & r(Y)\nq(1,2)\nr(2)\n";
    client.open(uri, "gdl-infix", text);
    let mut why = |word: &str, new: &str| {
        let at = text.find(word).expect("the word");
        renamed(&mut client, uri, text, at, new).expect_err("a refusal")
    };
    assert_eq!(why("X", "Y"), "another variable of this clause is called `Y`");
    assert_eq!(why("X", "y"), "`y` cannot be the name of a variable in infix notation");
    assert_eq!(why("q(X", "r"), "`r` is the name of something else in this rulesheet");
    assert_eq!(why("q(X", "sees"), "`sees` is a word of the language");
    assert_eq!(why("role", "player"), "`role` is a word of the language");
    assert_eq!(why("1", "one"), "`1` is a number");
    assert!(client.at("textDocument/prepareRename", uri, 1, 5).unwrap_err().1.contains("no name"));
    client.open(uri, "gdl-infix", "p(X) :- q(X");
    let found = client.request(
        "textDocument/rename",
        json!({ "textDocument": { "uri": uri }, "position": { "line": 0, "character": 2 }, "newName": "Z" }),
    );
    assert!(found.unwrap_err().1.contains("syntax"), "not all places are known");
    let _: Value = client.of("textDocument/codeLens", uri);
    client.quit();
}
