//! The protocol itself: beginnings, ends, encodings, cancelling, configuration.

use ludex_lsp::End;
use serde_json::{Value, json};

use crate::client::{Client, abilities};

const URI: &str = "file:///game.kif";

fn bundled(name: &str) -> &'static str {
    ludex::library::find(name).expect("a bundled game").text
}

#[test]
fn beginnings_and_ends() {
    assert_eq!(Client::new().quit(), End::Ordered);
    assert_eq!(Client::new().exit(), End::Abrupt, "without shutdown");
    assert_eq!(Client::new().vanish(), End::Abrupt);
    assert_eq!(Client::silent().exit(), End::Abrupt);
    let mut early = Client::silent();
    assert_eq!(early.request("textDocument/hover", json!({})).unwrap_err().0, -32002);
    assert_eq!(early.request("initialize", json!(3)).unwrap_err().0, -32602);
    let introduction = early.request("initialize", abilities()).expect("a second try");
    assert_eq!(introduction["serverInfo"]["name"], "ludex");
    early.request("shutdown", Value::Null).unwrap();
    assert_eq!(early.request("textDocument/hover", json!({})).unwrap_err().0, -32600);
    assert_eq!(early.exit(), End::Ordered);
}

#[test]
fn columns_count_what_was_agreed_on() {
    let text = "; ä𝄞\n(role |ä𝄞|) (role b)\n";
    for (offered, agreed, column) in
        [(json!(["utf-16"]), "utf-16", 13), (json!(["utf-16", "utf-8"]), "utf-8", 16)]
    {
        let mut client =
            Client::with(json!({ "capabilities": { "general": { "positionEncodings": offered } } }));
        assert_eq!(client.introduction["capabilities"]["positionEncoding"], agreed);
        client.open(URI, "gdl-prefix", text);
        let outline = client.of("textDocument/documentSymbol", URI);
        let clauses = &outline[0]["children"];
        assert_eq!(clauses[1]["range"]["start"]["character"], column, "{agreed}");
        let hover = client.at("textDocument/hover", URI, 1, column + 2).unwrap();
        assert_eq!(hover["range"]["start"], json!({ "line": 1, "character": column + 1 }));
        client.quit();
    }
    let client = Client::with(json!({ "capabilities": {} }));
    assert_eq!(client.introduction["capabilities"]["positionEncoding"], "utf-16");
}

#[test]
fn commands_can_be_cancelled_and_have_limits() {
    let mut client = Client::new();
    client.open(URI, "gdl-prefix", bundled("checkers"));
    client.findings(URI);
    let prove =
        |seconds: f64| json!({ "command": "ludex.proveEnds", "arguments": [URI, { "seconds": seconds }] });
    let id = client.begin("workspace/executeCommand", prove(3_000.0));
    // Meanwhile everything else goes on.
    assert!(client.at("textDocument/hover", URI, 40, 8).is_ok());
    client.notify("$/cancelRequest", json!({ "id": 3 }));
    let number: i32 = id.to_string().parse().unwrap();
    client.notify("$/cancelRequest", json!({ "id": number }));
    assert_eq!(client.wait(&id).unwrap_err().0, -32800);
    // By its progress.
    let mut params = prove(3_000.0);
    params["workDoneToken"] = json!("mine");
    let id = client.begin("workspace/executeCommand", params);
    assert!(client.at("textDocument/hover", URI, 40, 8).is_ok());
    client.notify("window/workDoneProgress/cancel", json!({ "token": "mine" }));
    assert_eq!(client.wait(&id).unwrap_err().0, -32800);
    let ends =
        client.notifications.iter().filter(|(_, p)| p["token"] == "mine" && p["value"]["kind"] == "end");
    assert_eq!(ends.count(), 1);
    // By its limit: what was found out until then.
    let found = client.request("workspace/executeCommand", prove(0.5)).unwrap();
    assert_eq!(found["ends"], Value::Null, "{found}");
    assert!(found["text"].as_str().unwrap().contains("open"), "{found}");
    client.quit();
}

#[test]
fn results_are_shown_unless_they_are_returned() {
    let mut client = Client::with(json!({ "capabilities": {} }));
    client.open(URI, "gdl-prefix", bundled("tic-tac-toe"));
    let params = json!({ "command": "ludex.showBoard", "arguments": [URI] });
    let shown = client.request("workspace/executeCommand", params).unwrap();
    assert!(shown["svg"].as_str().unwrap().contains("<svg"));
    let messages: Vec<_> =
        client.notifications.iter().filter(|(method, _)| method == "window/showMessage").collect();
    assert_eq!(messages.len(), 1);
    assert!(messages[0].1["message"].as_str().unwrap().contains("the board"));
    assert!(
        !client.notifications.iter().any(|(method, _)| method == "$/progress"),
        "it cannot show progress"
    );
    client.quit();
}

#[test]
fn games_that_are_no_games_in_steps_are_said_to_be_so() {
    let mut client = Client::new();
    for (name, board_error, command_error) in [
        ("chicken", Value::Null, "real time"),
        ("lights-in-sentences", Value::Null, ""),
        ("closed-doors", Value::Null, ""),
    ] {
        let uri = format!("file:///{name}.gdl");
        client.open(&uri, "gdl-infix", bundled(name));
        let board = client.request("ludex/board", json!({ "textDocument": { "uri": uri } })).unwrap();
        if name == "chicken" {
            assert_eq!(board["error"], board_error, "{board}");
            assert!(board["svg"].is_string());
        }
        let params = json!({ "command": "ludex.playRandomGame", "arguments": [uri] });
        match client.request("workspace/executeCommand", params) {
            Ok(_) => assert_eq!(command_error, ""),
            Err((_, message)) => assert!(message.contains(command_error) && !message.is_empty(), "{message}"),
        }
    }
    client.quit();
}

#[test]
fn a_board_that_no_edit_changes_stays() {
    let mut client = Client::new();
    client.open(URI, "gdl-prefix", bundled("checkers"));
    let first = client.request("ludex/board", json!({ "textDocument": { "uri": URI } })).unwrap();
    assert_eq!(first["error"], Value::Null);
    for _ in 0..5 {
        let start = json!({ "line": 0, "character": 0 });
        client.change(URI, json!([{ "range": { "start": start, "end": start }, "text": "; a remark\n" }]));
        let again = client.request("ludex/board", json!({ "textDocument": { "uri": URI } })).unwrap();
        assert_eq!(again, first);
    }
    client.quit();
}

#[test]
fn several_documents_are_kept_apart() {
    let mut client = Client::new();
    client.open("file:///a.kif", "gdl-prefix", "(role a)");
    client.open("file:///b.gdl", "gdl-infix", "role(b)");
    assert_eq!(client.codes("file:///a.kif"), client.codes("file:///b.gdl"));
    let hover = client.at("textDocument/hover", "file:///b.gdl", 0, 5).unwrap();
    assert!(hover["contents"]["value"].as_str().unwrap().contains("`b`"), "{hover}");
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///a.kif" } }));
    assert!(client.next_findings("file:///a.kif").is_empty());
    assert!(client.at("textDocument/hover", "file:///b.gdl", 0, 5).unwrap().is_object());
    client.quit();
}

#[test]
fn the_whole_text_can_change_its_notation() {
    let mut client = Client::new();
    client.open(URI, "gdl-prefix", bundled("tic-tac-toe"));
    let start = json!({ "line": 0, "character": 0 });
    let params = json!({
        "textDocument": { "uri": URI }, "range": { "start": start, "end": start }, "context": { "diagnostics": [], "only": ["refactor"] }
    });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    assert_eq!(actions.as_array().unwrap().len(), 1);
    let text = actions[0]["edit"]["changes"][URI][0]["newText"].as_str().unwrap().to_owned();
    assert!(text.contains("legal(W,mark(X,Y)) :-"), "{text}");
    client.change(URI, json!([{ "text": text }]));
    assert_eq!(client.codes(URI), [""; 0]);
    client.quit();
}

#[test]
fn a_relation_that_is_missing_comes_from_a_library() {
    let rules = "role(you)\ninit(at(1))\nlegal(you,go)\nnext(at(N)) :- true(at(M)) & succ(M,N)\nterminal :- true(at(3))\ngoal(you,100)\n";
    let uri = "file:///walk.gdl";
    let mut client = Client::new();
    client.open(uri, "gdl-infix", rules);
    assert_eq!(client.codes(uri), ["L050"]);
    let range = client.findings(uri)[0]["range"].clone();
    let params = json!({ "textDocument": { "uri": uri }, "range": range, "context": { "diagnostics": [] } });
    let actions = client.request("textDocument/codeAction", params).unwrap();
    let actions = actions.as_array().unwrap();
    let titled = |words: &str| {
        actions
            .iter()
            .find(|action| action["title"].as_str().unwrap().contains(words))
            .unwrap_or_else(|| panic!("no {words}: {actions:?}"))
    };
    let edit = &titled("from the library `numbers`")["edit"]["changes"][uri][0];
    client.change(uri, json!([{ "range": edit["range"], "text": edit["newText"] }]));
    assert_eq!(client.codes(uri), [""; 0]);
    let board =
        client.request("ludex/board", json!({ "textDocument": { "uri": uri }, "moves": [["go"], ["go"]] }));
    assert_eq!(board.unwrap()["terminal"], true);

    // Of a text that is no game, too, it can be asked what a finding means.
    client.change(uri, json!([{ "text": rules }]));
    let command = &titled("Explain L050")["command"];
    let params = json!({ "command": command["command"], "arguments": command["arguments"] });
    let explained = client.request("workspace/executeCommand", params).unwrap();
    assert!(explained["text"].as_str().unwrap().contains("Mended:"), "{explained}");
    let params = json!({ "command": "ludex.explain", "arguments": [uri, { "finding": "L999" }] });
    let (_, refused) = client.request("workspace/executeCommand", params).unwrap_err();
    assert!(refused.contains("L999"), "{refused}");
    client.quit();
}
