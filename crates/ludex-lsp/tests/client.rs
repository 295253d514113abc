//! A client in the same process.

use std::collections::BTreeMap;
use std::thread::JoinHandle;
use std::time::Duration;

use lsp_server::{Connection, Message, Notification, Request, RequestId, Response};
use ludex_lsp::{End, serve};
use serde_json::{Value, json};

/// The longest that anything takes.
const PATIENCE: Duration = Duration::from_secs(60);

/// A client with its server.
pub struct Client {
    connection: Connection,
    server: Option<JoinHandle<End>>,
    last_id: i32,
    versions: BTreeMap<String, i32>,
    /// The last findings of each document, with the version that they are of.
    findings: BTreeMap<String, (i64, Vec<Value>)>,
    /// What came beside answers and findings.
    pub notifications: Vec<(String, Value)>,
    /// The answer to `initialize`.
    pub introduction: Value,
}

/// What most clients can do.
pub fn abilities() -> Value {
    json!({
        "capabilities": {
            "general": { "positionEncodings": ["utf-16"] },
            "textDocument": { "completion": { "completionItem": { "snippetSupport": true } } },
            "window": { "workDoneProgress": true },
        },
        "initializationOptions": { "results": "returned" },
    })
}

impl Client {
    /// A client that has introduced itself.
    pub fn new() -> Self {
        Self::with(abilities())
    }

    /// A client that introduces itself like this.
    pub fn with(introduction: Value) -> Self {
        let mut client = Self::silent();
        client.introduction = client.request("initialize", introduction).expect("an introduction");
        client.notify("initialized", json!({}));
        client
    }

    /// A client that has said nothing yet.
    pub fn silent() -> Self {
        let (connection, other) = Connection::memory();
        let server = std::thread::spawn(move || serve(other));
        Self {
            connection,
            server: Some(server),
            last_id: 0,
            versions: BTreeMap::new(),
            findings: BTreeMap::new(),
            notifications: Vec::new(),
            introduction: Value::Null,
        }
    }

    pub fn send(&self, message: impl Into<Message>) {
        self.connection.sender.send(message.into()).expect("the server lives");
    }

    pub fn notify(&self, method: &str, params: Value) {
        self.send(Notification { method: method.to_owned(), params });
    }

    /// Sends a request without waiting for its answer.
    pub fn begin(&mut self, method: &str, params: Value) -> RequestId {
        self.last_id += 1;
        let id = RequestId::from(self.last_id);
        self.send(Request { id: id.clone(), method: method.to_owned(), params });
        id
    }

    /// Waits for the answer to a request; its code and message where it is an error.
    pub fn wait(&mut self, id: &RequestId) -> Result<Value, (i32, String)> {
        loop {
            if let Some(Response { id: answered, response_result }) = self.next()
                && answered == *id
            {
                return response_result.map_err(|error| (error.code, error.message));
            }
        }
    }

    /// A message of the server, if it is an answer.
    fn next(&mut self) -> Option<Response> {
        let message = self.connection.receiver.recv_timeout(PATIENCE).expect("the server says something");
        match message {
            Message::Response(response) => return Some(response),
            Message::Notification(notification)
                if notification.method == "textDocument/publishDiagnostics" =>
            {
                let uri = notification.params["uri"].as_str().expect("an address").to_owned();
                let version = notification.params["version"].as_i64().unwrap_or(-1);
                let found = notification.params["diagnostics"].as_array().expect("a list").clone();
                self.findings.insert(uri, (version, found));
            }
            Message::Notification(notification) => {
                self.notifications.push((notification.method, notification.params));
            }
            Message::Request(request) => {
                self.notifications.push((request.method, request.params));
                self.send(Response { id: request.id, response_result: Ok(Value::Null) });
            }
        }
        None
    }

    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, (i32, String)> {
        let id = self.begin(method, params);
        self.wait(&id)
    }

    pub fn open(&mut self, uri: &str, language: &str, text: &str) {
        self.versions.insert(uri.to_owned(), 1);
        let document = json!({ "uri": uri, "languageId": language, "version": 1, "text": text });
        self.notify("textDocument/didOpen", json!({ "textDocument": document }));
    }

    pub fn change(&mut self, uri: &str, changes: Value) {
        let version = self.versions.get_mut(uri).expect("an open document");
        *version += 1;
        let document = json!({ "uri": uri, "version": version });
        self.notify("textDocument/didChange", json!({ "textDocument": document, "contentChanges": changes }));
    }

    /// The findings of the present version.
    pub fn findings(&mut self, uri: &str) -> Vec<Value> {
        let wanted = i64::from(self.versions[uri]);
        loop {
            if let Some((version, found)) = self.findings.get(uri)
                && *version == wanted
            {
                return found.clone();
            }
            self.next();
        }
    }

    /// The findings that come next.
    pub fn next_findings(&mut self, uri: &str) -> Vec<Value> {
        self.findings.remove(uri);
        while !self.findings.contains_key(uri) {
            self.next();
        }
        self.findings[uri].1.clone()
    }

    /// The codes of the findings, in their order.
    pub fn codes(&mut self, uri: &str) -> Vec<String> {
        let found = self.findings(uri);
        found.iter().map(|finding| finding["code"].as_str().unwrap_or("-").to_owned()).collect()
    }

    /// Asks about a place in a document.
    pub fn at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> Result<Value, (i32, String)> {
        let params =
            json!({ "textDocument": { "uri": uri }, "position": { "line": line, "character": character } });
        self.request(method, params)
    }

    /// Asks about a whole document.
    pub fn of(&mut self, method: &str, uri: &str) -> Value {
        self.request(method, json!({ "textDocument": { "uri": uri } })).expect("an answer")
    }

    /// Says goodbye.
    pub fn quit(mut self) -> End {
        self.request("shutdown", Value::Null).expect("it shuts down");
        self.exit()
    }

    /// Says `exit` and nothing else.
    pub fn exit(mut self) -> End {
        self.notify("exit", Value::Null);
        self.server.take().expect("a server").join().expect("it does not die")
    }

    /// Goes without a word.
    pub fn vanish(self) -> End {
        let Self { connection, server, .. } = self;
        drop(connection);
        server.expect("a server").join().expect("it does not die")
    }
}

/// The byte offset of a place, counted in UTF-16.
pub fn offset(text: &str, position: &Value) -> usize {
    let (line, character) = (
        position["line"].as_u64().expect("a line") as usize,
        position["character"].as_u64().expect("a column") as usize,
    );
    let mut start = 0;
    let bytes = text.as_bytes();
    for _ in 0..line {
        while start < bytes.len() && !matches!(bytes[start], b'\n' | b'\r') {
            start += 1;
        }
        start += if text[start..].starts_with("\r\n") { 2 } else { 1 };
        assert!(start <= text.len(), "there is no line {line}");
    }
    let mut units = 0;
    for (at, c) in text[start..].char_indices() {
        if units == character {
            return start + at;
        }
        assert!(!matches!(c, '\n' | '\r'), "no column {character} in line {line}");
        units += c.len_utf16();
    }
    assert_eq!(units, character, "no column {character} in line {line}");
    text.len()
}

/// The position of a byte offset, counted in UTF-16.
pub fn position(text: &str, offset: usize) -> Value {
    let before = &text[..offset];
    let unified = before.replace("\r\n", "\n").replace('\r', "\n");
    let line = unified.matches('\n').count();
    let last = unified.rsplit('\n').next().unwrap_or_default();
    json!({ "line": line, "character": last.encode_utf16().count() })
}

/// The text after some changes of the protocol, all of them of the same version.
pub fn edited(text: &str, edits: &Value) -> String {
    let mut edits: Vec<(usize, usize, String)> = edits
        .as_array()
        .expect("a list of changes")
        .iter()
        .map(|edit| {
            let range = &edit["range"];
            let new = edit["newText"].as_str().expect("a text").to_owned();
            (offset(text, &range["start"]), offset(text, &range["end"]), new)
        })
        .collect();
    edits.sort();
    let mut out = text.to_owned();
    for (start, end, new) in edits.into_iter().rev() {
        out.replace_range(start..end, &new);
    }
    out
}
