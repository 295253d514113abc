//! How soon the language server has the findings after a change: the largest files of the corpus.
//!
//! `cargo bench -p ludex-benches --bench lsp [-- GAME...]`. A letter is typed in the middle of the text and taken away again,
//! over and over; the time counts from the message of the change to that of the findings.

use lsp_server::{Connection, Message, Notification, Request};
use ludex_benches::{Stopwatch, figure, table, wanted};
use ludex_lsp::serve;
use ludex_testkit::corpus::{Corpus, read_text, stem};
use serde_json::{Value, json};

const CHANGES: usize = 20;
const FILES: usize = 10;

fn main() {
    let Some(corpus) = Corpus::find("the benchmark of the language server") else { return };
    let paths = corpus.rulesheets().into_iter().filter(|path| wanted(&stem(path)));
    let mut files: Vec<(String, String)> =
        paths.filter_map(|path| Some((stem(&path), read_text(&path).ok()?))).collect();
    files.sort_by_key(|(_, text)| std::cmp::Reverse(text.len()));
    println!("Wall time of {CHANGES} changes a file\n");
    let rows: Vec<Vec<String>> = files.iter().take(FILES).map(|(name, text)| row(name, text)).collect();
    println!(
        "{}",
        table(&["largest files", "kB", "open ms", "change ms", "slowest ms", "hover after ms"], &rows)
    );
}

fn row(name: &str, text: &str) -> Vec<String> {
    let (client, server) = Connection::memory();
    let thread = std::thread::spawn(move || serve(server));
    request(&client, "initialize", json!({ "capabilities": {} }));
    let uri = format!("file:///{name}.kif");
    let document = json!({ "uri": uri, "languageId": "gdl-prefix", "version": 0, "text": text });
    let watch = Stopwatch::start();
    notify(&client, "textDocument/didOpen", json!({ "textDocument": document }));
    findings(&client);
    let opened = watch.wall_seconds();
    let line = text.lines().count() / 2;
    let place = |character: u32| json!({ "line": line, "character": character });
    let mut times = Vec::new();
    for version in 1..=CHANGES {
        let is_typed = version % 2 == 1;
        let range = json!({ "start": place(0), "end": place(if is_typed { 0 } else { 1 }) });
        let change = json!([{ "range": range, "text": if is_typed { "x" } else { "" } }]);
        let watch = Stopwatch::start();
        let document = json!({ "uri": uri, "version": version });
        notify(
            &client,
            "textDocument/didChange",
            json!({ "textDocument": document, "contentChanges": change }),
        );
        findings(&client);
        times.push(watch.wall_seconds());
    }
    let watch = Stopwatch::start();
    request(&client, "textDocument/hover", json!({ "textDocument": { "uri": uri }, "position": place(3) }));
    let hover = watch.wall_seconds();
    drop(client);
    // The server notices that nobody is there any more.
    let _ = thread.join();
    let mean = times.iter().sum::<f64>() / times.len() as f64;
    let slowest = times.iter().copied().fold(0.0, f64::max);
    let figures = [text.len() as f64 / 1e3, opened * 1e3, mean * 1e3, slowest * 1e3, hover * 1e3];
    std::iter::once(name.to_owned()).chain(figures.map(figure)).collect()
}

fn notify(client: &Connection, method: &str, params: Value) {
    let message = Notification { method: method.to_owned(), params };
    client.sender.send(message.into()).expect("the server lives");
}

fn request(client: &Connection, method: &str, params: Value) {
    let message = Request { id: 1.into(), method: method.to_owned(), params };
    client.sender.send(message.into()).expect("the server lives");
    while !matches!(client.receiver.recv().expect("an answer"), Message::Response(_)) {}
}

fn findings(client: &Connection) {
    let is_it = |message: &Message| matches!(message, Message::Notification(n) if n.method == "textDocument/publishDiagnostics");
    while !is_it(&client.receiver.recv().expect("findings")) {}
}
