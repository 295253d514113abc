//! The loop: messages in, messages out.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;

use crossbeam_channel::select;
use lsp_server::{Connection, ErrorCode, Message, Notification, Request, RequestId, Response};
use lsp_types::{
    CancelParams, Diagnostic, DiagnosticSeverity, DiagnosticTag, DidChangeConfigurationParams,
    DidChangeTextDocumentParams, DidCloseTextDocumentParams, DidOpenTextDocumentParams, ExecuteCommandParams,
    InitializeParams, MessageType, NumberOrString, ProgressParams, ProgressParamsValue,
    PublishDiagnosticsParams, ShowMessageParams, Uri, WorkDoneProgress, WorkDoneProgressBegin,
    WorkDoneProgressCancelParams, WorkDoneProgressEnd, WorkDoneProgressReport,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use crate::board::{Board, BoardParams, board};
use crate::capabilities::capabilities;
use crate::commands::{CommandName, CommandOptions, Unused, execute};
use crate::document::Document;
use crate::findings::findings;
use crate::prepared::Prepared;
use crate::requests::{Documents, Refusal, answer};
use crate::settings::{Settings, limit_of};
use crate::tasks::{Event, NewTask, TaskResult, Tasks};

/// How a session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With `shutdown` and `exit`.
    Ordered,
    /// Otherwise.
    Abrupt,
}

/// Speaks with a client until it says `exit`, or is gone.
pub fn serve(connection: Connection) -> End {
    let mut server = Server {
        connection,
        state: State::New,
        settings: Settings::default(),
        documents: Open::default(),
        changed: BTreeSet::new(),
        prepared: BTreeMap::new(),
        unused: BTreeMap::new(),
        tasks: Tasks::new(),
        last_token: 0,
    };
    let end = server.run();
    server.tasks.cancel_all();
    end
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    /// Before `initialize`.
    New,
    Running,
    /// After `shutdown`.
    ShutDown,
}

/// The open documents by their addresses.
#[derive(Default)]
struct Open(BTreeMap<String, Document>);

impl Documents for Open {
    fn document(&self, uri: &Uri) -> Option<&Document> {
        self.0.get(uri.as_str())
    }
}

struct Server {
    connection: Connection,
    state: State,
    settings: Settings,
    documents: Open,
    /// Documents whose findings are not published yet.
    changed: BTreeSet<String>,
    prepared: BTreeMap<String, Arc<Prepared>>,
    /// What random games never used.
    unused: BTreeMap<String, Vec<Unused>>,
    tasks: Tasks,
    last_token: u64,
}

impl Server {
    fn run(&mut self) -> End {
        loop {
            let mut inbox = VecDeque::new();
            let events = self.tasks.events().clone();
            select! {
                recv(self.connection.receiver) -> message => match message {
                    Ok(message) => inbox.push_back(message),
                    Err(_) => return End::Abrupt,
                },
                recv(events) -> event => {
                    if let Ok(event) = event {
                        self.event(event);
                    }
                }
            }
            // What waits already is taken together, and findings are worked out once.
            while let Ok(message) = self.connection.receiver.try_recv() {
                self.take(message, &mut inbox);
            }
            while let Some(message) = inbox.pop_front() {
                if let Some(end) = self.message(message) {
                    return end;
                }
            }
            self.publish();
        }
    }

    /// Puts a message behind the others; a request that is cancelled before its turn came is taken out.
    fn take(&mut self, message: Message, inbox: &mut VecDeque<Message>) {
        if let Message::Notification(notification) = &message
            && notification.method == "$/cancelRequest"
            && let Some(id) = cancelled(notification)
        {
            let waits = |message: &Message| matches!(message, Message::Request(request) if request.id == id);
            if let Some(at) = inbox.iter().position(waits) {
                inbox.remove(at);
                return self.refuse(id, ErrorCode::RequestCanceled as i32, "cancelled");
            }
        }
        inbox.push_back(message);
    }

    fn message(&mut self, message: Message) -> Option<End> {
        match message {
            Message::Notification(notification) if notification.method == "exit" => {
                return Some(if self.state == State::ShutDown { End::Ordered } else { End::Abrupt });
            }
            Message::Notification(notification) => {
                let work = AssertUnwindSafe(|| self.notification(notification));
                let _ = catch_unwind(work);
            }
            Message::Request(request) => {
                let id = request.id.clone();
                let work = AssertUnwindSafe(|| self.request(request));
                if catch_unwind(work).is_err() {
                    self.refuse(
                        id,
                        ErrorCode::InternalError as i32,
                        "this failed inside of the server: the log says where",
                    );
                }
            }
            Message::Response(_) => {}
        }
        None
    }

    fn send(&self, message: impl Into<Message>) {
        // A client that is gone is noticed by the receiver.
        let _ = self.connection.sender.send(message.into());
    }

    fn notify(&self, method: &str, params: impl Serialize) {
        if let Ok(params) = serde_json::to_value(params) {
            self.send(Notification { method: method.to_owned(), params });
        }
    }

    fn reply(&self, id: RequestId, result: Value) {
        self.send(Response { id, response_result: Ok(result) });
    }

    fn refuse(&self, id: RequestId, code: i32, message: &str) {
        self.send(Response::new_err(id, code, message.to_owned()));
    }

    fn request(&mut self, request: Request) {
        let Request { id, method, params } = request;
        match (self.state, method.as_str()) {
            (State::New, "initialize") => self.initialize(id, params),
            (State::New, _) => {
                self.refuse(
                    id,
                    ErrorCode::ServerNotInitialized as i32,
                    "the first request has to be `initialize`",
                );
            }
            (State::ShutDown, _) => {
                self.refuse(id, ErrorCode::InvalidRequest as i32, "the server was shut down")
            }
            (State::Running, "initialize") => {
                self.refuse(id, ErrorCode::InvalidRequest as i32, "the server was initialized before");
            }
            (State::Running, "shutdown") => {
                self.state = State::ShutDown;
                self.tasks.cancel_all();
                self.reply(id, Value::Null);
            }
            (State::Running, "workspace/executeCommand") => self.execute(id, params),
            (State::Running, "ludex/board") => self.board(id, params),
            (State::Running, method) => match answer(method, params, &self.documents, &self.settings) {
                Ok(result) => self.reply(id, result),
                Err(Refusal::UnknownMethod) => {
                    self.refuse(
                        id,
                        ErrorCode::MethodNotFound as i32,
                        &format!("there is no request `{method}`"),
                    );
                }
                Err(Refusal::Params(error)) => {
                    self.refuse(
                        id,
                        ErrorCode::InvalidParams as i32,
                        &format!("the parameters of `{method}`: {error}"),
                    );
                }
                Err(Refusal::Failed(why)) => self.refuse(id, ErrorCode::RequestFailed as i32, &why),
            },
        }
    }

    fn initialize(&mut self, id: RequestId, params: Value) {
        let params: InitializeParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => {
                return self.refuse(
                    id,
                    ErrorCode::InvalidParams as i32,
                    &format!("the parameters of `initialize`: {error}"),
                );
            }
        };
        self.settings = Settings::of(&params.capabilities, params.initialization_options.as_ref());
        self.state = State::Running;
        let info = json!({ "name": "ludex", "version": env!("CARGO_PKG_VERSION") });
        let abilities = capabilities(self.settings.encoding);
        self.reply(id, json!({ "capabilities": abilities, "serverInfo": info }));
    }

    fn notification(&mut self, notification: Notification) {
        if self.state != State::Running {
            return;
        }
        let Notification { method, params } = notification;
        match method.as_str() {
            "textDocument/didOpen" => self.read(params, Self::open),
            "textDocument/didChange" => self.read(params, Self::change),
            "textDocument/didClose" => self.read(params, Self::close),
            "workspace/didChangeConfiguration" => self.read(params, Self::configure),
            "$/cancelRequest" => self.read(params, |server, params: CancelParams| {
                server.tasks.cancel(&request_id(params.id));
            }),
            "window/workDoneProgress/cancel" => {
                self.read(params, |server, params: WorkDoneProgressCancelParams| {
                    server.tasks.cancel_progress(&params.token);
                })
            }
            // Others are no business of this server, or come after what was said before.
            _ => {}
        }
    }

    /// A notification has no answer: what is wrong with it is logged by the client.
    fn read<T: DeserializeOwned>(&mut self, params: Value, then: impl FnOnce(&mut Self, T)) {
        match serde_json::from_value(params) {
            Ok(params) => then(self, params),
            Err(error) => {
                let message = format!("a notification could not be read: {error}");
                self.notify("window/logMessage", ShowMessageParams { typ: MessageType::WARNING, message });
            }
        }
    }

    fn open(&mut self, params: DidOpenTextDocumentParams) {
        let opened = params.text_document;
        let key = opened.uri.as_str().to_owned();
        let document = Document::new(
            opened.uri,
            &opened.language_id,
            opened.version,
            opened.text,
            self.settings.encoding,
        );
        self.documents.0.insert(key.clone(), document);
        self.unused.remove(&key);
        self.changed.insert(key);
    }

    fn change(&mut self, params: DidChangeTextDocumentParams) {
        let key = params.text_document.uri.as_str().to_owned();
        let Some(document) = self.documents.0.get_mut(&key) else { return };
        let replaced = document.change(params.text_document.version, params.content_changes);
        if let Some(unused) = self.unused.get_mut(&key) {
            for change in replaced {
                unused.retain_mut(|part| match change.moved(part.span) {
                    Some(span) => {
                        part.span = span;
                        true
                    }
                    None => false,
                });
            }
        }
        self.changed.insert(key);
    }

    fn close(&mut self, params: DidCloseTextDocumentParams) {
        let key = params.text_document.uri.as_str();
        if self.documents.0.remove(key).is_some() {
            self.changed.remove(key);
            self.prepared.remove(key);
            self.unused.remove(key);
            let empty = PublishDiagnosticsParams {
                uri: params.text_document.uri,
                diagnostics: Vec::new(),
                version: None,
            };
            self.notify("textDocument/publishDiagnostics", empty);
        }
    }

    fn configure(&mut self, params: DidChangeConfigurationParams) {
        let before = self.settings.inlay_hints;
        self.settings.update(&params.settings);
        if before != self.settings.inlay_hints && self.settings.inlay_hint_refresh {
            self.ask_client("workspace/inlayHint/refresh", Value::Null);
        }
    }

    fn ask_client(&mut self, method: &str, params: Value) {
        self.last_token += 1;
        let id = RequestId::from(format!("ludex-{}", self.last_token));
        self.send(Request { id, method: method.to_owned(), params });
    }

    /// Publishes the findings of the documents that changed.
    fn publish(&mut self) {
        for key in std::mem::take(&mut self.changed) {
            let Some(document) = self.documents.0.get(&key) else { continue };
            let found = catch_unwind(AssertUnwindSafe(|| findings(document)));
            let Ok(mut diagnostics) = found else { continue };
            let unused = self.unused.get(&key).map(Vec::as_slice).unwrap_or_default();
            diagnostics.extend(unused.iter().map(|part| mark(document, part)));
            let params = PublishDiagnosticsParams {
                uri: document.uri().clone(),
                diagnostics,
                version: Some(document.version()),
            };
            self.notify("textDocument/publishDiagnostics", params);
        }
    }

    fn execute(&mut self, id: RequestId, params: Value) {
        let params: ExecuteCommandParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => return self.refuse(id, ErrorCode::InvalidParams as i32, &error.to_string()),
        };
        let Some(name) = CommandName::find(&params.command) else {
            let message = format!("there is no command `{}`", params.command);
            return self.refuse(id, ErrorCode::InvalidParams as i32, &message);
        };
        let key = params.arguments.first().and_then(Value::as_str).unwrap_or_default().to_owned();
        if !self.documents.0.contains_key(&key) {
            let message = "the first argument has to be the address of an open document";
            return self.refuse(id, ErrorCode::InvalidParams as i32, message);
        }
        let options = params.arguments.get(1).cloned().filter(|options| !options.is_null());
        let options: CommandOptions = match options.map(serde_json::from_value).transpose() {
            Ok(options) => options.unwrap_or_default(),
            Err(error) => {
                return self.refuse(id, ErrorCode::InvalidParams as i32, &format!("the options: {error}"));
            }
        };
        if name == CommandName::ClearCoverage {
            self.unused.remove(&key);
            self.changed.insert(key);
            return self.reply(id, Value::Null);
        }
        let Some((prepared, version)) = self.prepare(&key) else { return self.reply(id, Value::Null) };
        let token = self.begin_progress(params.work_done_progress_params.work_done_token, name.title());
        let limit = limit_of(options.seconds).unwrap_or(self.settings.limit);
        let task = NewTask {
            id: id.clone(),
            limit,
            token: token.clone(),
            command: Some(name),
            about: (key, version),
        };
        let work = move |budget: &ludex::logic::Budget| {
            TaskResult::Command(execute(name, &prepared, &options, budget))
        };
        if let Err(why) = self.tasks.begin(task, work) {
            self.end_progress(token);
            self.refuse(id, ErrorCode::RequestFailed as i32, &why);
        }
    }

    fn board(&mut self, id: RequestId, params: Value) {
        let params: BoardParams = match serde_json::from_value(params) {
            Ok(params) => params,
            Err(error) => return self.refuse(id, ErrorCode::InvalidParams as i32, &error.to_string()),
        };
        let key = params.text_document.uri.as_str().to_owned();
        let Some((prepared, version)) = self.prepare(&key) else {
            return self.reply_board(id, &Board::refused("this document is not open"));
        };
        let task = NewTask {
            id: id.clone(),
            limit: self.settings.limit,
            token: None,
            command: None,
            about: (key, version),
        };
        let work = move |budget: &ludex::logic::Budget| {
            TaskResult::Board(Box::new(board(&prepared, &params, budget)))
        };
        if let Err(why) = self.tasks.begin(task, work) {
            self.reply_board(id, &Board::refused(why));
        }
    }

    fn reply_board(&self, id: RequestId, board: &Board) {
        self.reply(id, serde_json::to_value(board).unwrap_or_default());
    }

    /// The game of a document, which is kept while nothing changes it.
    fn prepare(&mut self, key: &str) -> Option<(Arc<Prepared>, i32)> {
        let document = self.documents.0.get(key)?;
        let checked = document.checked();
        let known = self
            .prepared
            .get(key)
            .filter(|known| Arc::ptr_eq(known.checked(), checked) || known.serves(checked));
        let prepared = match known {
            Some(known) => Arc::clone(known),
            None => Arc::new(Prepared::new(Arc::clone(checked))),
        };
        self.prepared.insert(key.to_owned(), Arc::clone(&prepared));
        Some((prepared, document.version()))
    }

    /// Says that something begins: under the client's token, or one of its own where the client takes those.
    fn begin_progress(&mut self, token: Option<NumberOrString>, title: &str) -> Option<NumberOrString> {
        let token = match token {
            Some(token) => token,
            None if self.settings.progress => {
                self.last_token += 1;
                let token = NumberOrString::String(format!("ludex-progress-{}", self.last_token));
                self.ask_client("window/workDoneProgress/create", json!({ "token": token }));
                token
            }
            None => return None,
        };
        let begin = WorkDoneProgressBegin {
            title: title.to_owned(),
            cancellable: Some(true),
            message: None,
            percentage: None,
        };
        self.progress(token.clone(), WorkDoneProgress::Begin(begin));
        Some(token)
    }

    fn end_progress(&self, token: Option<NumberOrString>) {
        if let Some(token) = token {
            self.progress(token, WorkDoneProgress::End(WorkDoneProgressEnd { message: None }));
        }
    }

    fn progress(&self, token: NumberOrString, value: WorkDoneProgress) {
        self.notify("$/progress", ProgressParams { token, value: ProgressParamsValue::WorkDone(value) });
    }

    fn event(&mut self, event: Event) {
        match event {
            Event::Progress { id, message, percentage } => {
                if let Some(token) = self.tasks.get(&id).and_then(|running| running.token.clone()) {
                    let report = WorkDoneProgressReport {
                        cancellable: Some(true),
                        message: Some(message),
                        percentage,
                    };
                    self.progress(token, WorkDoneProgress::Report(report));
                }
            }
            Event::Done { id, result } => self.done(id, result),
        }
    }

    fn done(&mut self, id: RequestId, result: TaskResult) {
        let Some((running, is_cancelled)) = self.tasks.finish(&id) else { return };
        self.end_progress(running.token);
        if is_cancelled {
            return self.refuse(id, ErrorCode::RequestCanceled as i32, "cancelled");
        }
        let outcome = match result {
            TaskResult::Board(board) => return self.reply_board(id, &board),
            TaskResult::Command(Err(why)) => return self.refuse(id, ErrorCode::RequestFailed as i32, &why),
            TaskResult::Command(Ok(outcome)) => outcome,
        };
        let (key, version) = running.about;
        let is_current = self.documents.0.get(&key).is_some_and(|document| document.version() == version);
        if running.command == Some(CommandName::Coverage) && is_current {
            self.unused.insert(key.clone(), outcome.marks.clone());
            self.changed.insert(key);
        }
        if !self.settings.results_returned {
            let message = format!("{}\n{}", outcome.title, outcome.text);
            self.notify("window/showMessage", ShowMessageParams { typ: MessageType::INFO, message });
        }
        self.reply(id, serde_json::to_value(&outcome).unwrap_or_default());
    }
}

fn cancelled(notification: &Notification) -> Option<RequestId> {
    let params: CancelParams = serde_json::from_value(notification.params.clone()).ok()?;
    Some(request_id(params.id))
}

fn request_id(id: NumberOrString) -> RequestId {
    match id {
        NumberOrString::Number(number) => number.into(),
        NumberOrString::String(text) => text.into(),
    }
}

/// What was never used, as editors show what is of no use.
fn mark(document: &Document, part: &Unused) -> Diagnostic {
    Diagnostic {
        range: document.positions().range(part.span),
        severity: Some(DiagnosticSeverity::HINT),
        source: Some("ludex coverage".to_owned()),
        message: part.message.clone(),
        tags: Some(vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}
