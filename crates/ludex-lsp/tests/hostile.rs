//! Texts and messages that no author writes.

use std::time::Duration;

use ludex::SystemClock;
use ludex::logic::Clock;
use serde_json::{Value, json};

use crate::client::{Client, abilities};

/// Asks everything about a few places of a document.
pub(crate) fn ask_everything(client: &mut Client, uri: &str, places: &[(u32, u32)]) {
    for &(line, character) in places {
        for method in
            ["hover", "definition", "documentHighlight", "completion", "signatureHelp", "prepareRename"]
        {
            // What cannot be renamed is an answer, too.
            let _ = client.at(&format!("textDocument/{method}"), uri, line, character);
        }
        let position = json!({ "line": line, "character": character });
        let document = json!({ "uri": uri });
        let context = json!({ "includeDeclaration": false });
        let more = [
            ("references", json!({ "textDocument": document, "position": position, "context": context })),
            ("rename", json!({ "textDocument": document, "position": position, "newName": "zyx" })),
            ("selectionRange", json!({ "textDocument": document, "positions": [position] })),
            (
                "codeAction",
                json!({
                    "textDocument": document, "range": { "start": position, "end": position }, "context": { "diagnostics": [] }
                }),
            ),
            (
                "rangeFormatting",
                json!({
                    "textDocument": document, "range": { "start": position, "end": position },
                    "options": { "tabSize": 4, "insertSpaces": true }
                }),
            ),
        ];
        for (method, params) in more {
            match client.request(&format!("textDocument/{method}"), params) {
                Ok(_) => {}
                Err((code, message)) => assert_eq!(code, -32803, "{method}: {message}"),
            }
        }
    }
    for method in ["documentSymbol", "foldingRange", "codeLens", "semanticTokens/full"] {
        client.of(&format!("textDocument/{method}"), uri);
    }
    let range =
        json!({ "start": { "line": 0, "character": 0 }, "end": { "line": u32::MAX / 2, "character": 0 } });
    client
        .request("textDocument/inlayHint", json!({ "textDocument": { "uri": uri }, "range": range }))
        .expect("hints");
    let options = json!({ "tabSize": 4, "insertSpaces": true });
    client
        .request("textDocument/formatting", json!({ "textDocument": { "uri": uri }, "options": options }))
        .expect("a layout");
}

#[test]
fn hostile_texts() {
    let deep_term = format!("(p {}a{})", "(f ".repeat(200_000), ")".repeat(200_000));
    let texts = [
        ("brackets", "(".repeat(1_000_000)),
        ("closing", ")".repeat(1_000_000)),
        ("tokens", "(p a b) ".repeat(250_000)),
        ("infix", "p(a,b) & ".repeat(150_000)),
        ("nested", deep_term),
        ("nuls", "\0(role\0 white)\0".repeat(1_000)),
        ("returns", "(role white)\r(role black)\r;x\r\r".repeat(1_000)),
        ("wide", "(𝄞 𝄞) ".repeat(50_000)),
        ("variables", format!("(<= (p ?x) {})", "(q ?x) ".repeat(100_000))),
        ("not", format!("(<= p {}q{})", "(not ".repeat(100_000), ")".repeat(100_000))),
    ];
    let mut client = Client::new();
    for (name, text) in texts {
        let uri = format!("file:///{name}.kif");
        let begin = SystemClock::start();
        client.open(&uri, "gdl-prefix", &text);
        client.findings(&uri);
        let end = text.len() as u32;
        ask_everything(&mut client, &uri, &[(0, 3), (0, end / 2), (u32::MAX, u32::MAX)]);
        let change = json!([{ "range": { "start": { "line": 0, "character": 5 }, "end": { "line": 0, "character": 9 } }, "text": "(" }]);
        client.change(&uri, change);
        client.findings(&uri);
        client.request("ludex/board", json!({ "textDocument": { "uri": uri } })).expect("a refusal");
        client.notify("textDocument/didClose", json!({ "textDocument": { "uri": uri } }));
        eprintln!("{name}: {:?}", begin.now());
        assert!(begin.now() < Duration::from_secs(300), "{name} took {:?}", begin.now());
    }
    client.quit();
}

#[test]
fn messages_about_nothing() {
    let mut client = Client::new();
    ask_everything(&mut client, "file:///nowhere.kif", &[(0, 0)]);
    client.notify("textDocument/didClose", json!({ "textDocument": { "uri": "file:///nowhere.kif" } }));
    let version = json!({ "uri": "file:///nowhere.kif", "version": 3 });
    client.notify(
        "textDocument/didChange",
        json!({ "textDocument": version, "contentChanges": [{ "text": "x" }] }),
    );
    client.notify("textDocument/didChange", json!({ "garbage": true }));
    client.notify("something/else", json!(3));
    client.notify("$/cancelRequest", json!({ "id": 99 }));
    client.notify("$/cancelRequest", json!({ "id": {} }));
    let board =
        client.request("ludex/board", json!({ "textDocument": { "uri": "file:///nowhere.kif" } })).unwrap();
    assert!(board["error"].as_str().unwrap().contains("not open") && board["svg"].is_null());
    for (method, params, code) in [
        ("nothing/known", json!({}), -32601),
        ("textDocument/hover", json!({ "textDocument": 3 }), -32602),
        ("textDocument/hover", Value::Null, -32602),
        ("ludex/board", json!([]), -32602),
        ("workspace/executeCommand", json!({ "command": "rm", "arguments": [] }), -32602),
        (
            "workspace/executeCommand",
            json!({ "command": "ludex.showBoard", "arguments": ["file:///nowhere.kif"] }),
            -32602,
        ),
        ("workspace/executeCommand", json!({ "command": "ludex.showBoard", "arguments": [[3]] }), -32602),
        ("initialize", abilities(), -32600),
    ] {
        let (found, message) = client.request(method, params).unwrap_err();
        assert_eq!(found, code, "{method}: {message}");
    }
    client.quit();
}

#[test]
fn ranges_that_end_before_they_start_and_lie_outside() {
    let mut client = Client::new();
    let uri = "file:///ranges.kif";
    client.open(uri, "gdl-prefix", "(role a)\n(role b)\n");
    let far = json!({ "line": 900, "character": 900 });
    let near = json!({ "line": 0, "character": 3 });
    client.change(uri, json!([{ "range": { "start": far, "end": near }, "text": "x" }]));
    client.findings(uri);
    client.change(uri, json!([{ "range": { "start": far, "end": far }, "text": "\n(role c)" }]));
    let outline = client.of("textDocument/documentSymbol", uri);
    assert!(outline.to_string().contains("role"), "{outline}");
    client.quit();
}
