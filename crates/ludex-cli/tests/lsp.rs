//! The language server as editors start it.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Editor {
    server: Child,
    reader: BufReader<ChildStdout>,
}

impl Editor {
    fn new(arguments: &[&str]) -> Self {
        let mut server = Command::new(env!("CARGO_BIN_EXE_ludex"))
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let reader = BufReader::new(server.stdout.take().unwrap());
        Self { server, reader }
    }

    fn write(&mut self, text: &str) {
        let input = self.server.stdin.as_mut().unwrap();
        input.write_all(text.as_bytes()).unwrap();
        input.flush().unwrap();
    }

    fn send(&mut self, mut message: Value) {
        message["jsonrpc"] = json!("2.0");
        let text = message.to_string();
        self.write(&format!("Content-Length: {}\r\n\r\n{text}", text.len()));
    }

    fn receive(&mut self) -> Value {
        let mut length = 0;
        loop {
            let mut line = String::new();
            self.reader.read_line(&mut line).unwrap();
            match line.trim_end().strip_prefix("Content-Length: ") {
                Some(number) => length = number.parse().unwrap(),
                None if line == "\r\n" => break,
                None => panic!("no header: {line:?}"),
            }
        }
        let mut body = vec![0; length];
        self.reader.read_exact(&mut body).unwrap();
        serde_json::from_slice(&body).unwrap()
    }

    /// What it wrote to standard error, and its exit code.
    fn end(mut self) -> (String, Option<i32>) {
        drop(self.server.stdin.take());
        let mut rest = String::new();
        self.reader.read_to_string(&mut rest).unwrap();
        assert_eq!(rest, "", "nothing but the protocol");
        let mut error = String::new();
        self.server.stderr.take().unwrap().read_to_string(&mut error).unwrap();
        (error, self.server.wait().unwrap().code())
    }
}

#[test]
fn a_session_over_standard_input_and_output() {
    let mut editor = Editor::new(&["lsp", "--stdio"]);
    editor.send(json!({ "id": 1, "method": "initialize", "params": { "capabilities": {} } }));
    let introduction = editor.receive();
    assert_eq!(introduction["result"]["serverInfo"]["name"], "ludex");
    editor.send(json!({ "method": "initialized", "params": {} }));
    let document =
        json!({ "uri": "file:///x.kif", "languageId": "gdl-prefix", "version": 7, "text": "(role ü" });
    editor.send(json!({ "method": "textDocument/didOpen", "params": { "textDocument": document } }));
    let findings = editor.receive();
    assert_eq!(findings["method"], "textDocument/publishDiagnostics");
    assert_eq!(
        (&findings["params"]["version"], &findings["params"]["diagnostics"][0]["code"]),
        (&json!(7), &json!("L001"))
    );
    editor.send(json!({ "id": "two", "method": "shutdown" }));
    assert_eq!(editor.receive()["id"], "two");
    editor.send(json!({ "method": "exit" }));
    assert_eq!(editor.end(), (String::new(), Some(0)));
}

#[test]
fn ends_that_are_not_in_order() {
    let mut editor = Editor::new(&["lsp"]);
    editor.send(json!({ "method": "exit" }));
    let (error, code) = editor.end();
    assert_eq!(code, Some(1));
    assert!(error.contains("without `shutdown`"), "{error}");

    let (error, code) = Editor::new(&["lsp"]).end();
    assert_eq!(code, Some(1), "{error}");

    for garbage in ["Content-Length: 8\r\n\r\n{\"id\": ]", "hello\n", "Content-Length: many\r\n\r\n{}"] {
        let mut editor = Editor::new(&["lsp"]);
        editor.write(garbage);
        let (error, code) = editor.end();
        assert_eq!(code, Some(1));
        assert!(error.contains("the connection failed"), "{error}");
    }
}
