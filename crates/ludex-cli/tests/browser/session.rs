//! A page in a browser, as a test sees it: what stands there, and what one can do.
//!
//! Parts of pages are replaced while one looks at them, so an element is found anew for everything that is
//! done with it, and whatever is expected is waited for.

use std::cell::RefCell;
use std::env;
use std::fs;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use fantoccini::actions::{InputSource, KeyAction, KeyActions};
use fantoccini::elements::Element;
use fantoccini::key::Key;
use fantoccini::wd::{Locator, WebDriverCompatibleCommand, WindowHandle};
use fantoccini::{Client, ClientBuilder};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};
use tokio::runtime::{Builder, Runtime};

use super::driver::{Driver, capabilities, programs};
use crate::server::Server;

/// How long something may take that is to come. The computer may be busy with other tests.
const PATIENCE: Duration = Duration::from_secs(90);
/// How often one looks.
const PAUSE: Duration = Duration::from_millis(20);

/// A browser that looks at a server.
pub struct Browser {
    client: Client,
    runtime: Runtime,
    _server: Server,
    /// Where the server is.
    address: SocketAddr,
    _driver: Driver,
    folder: tempfile::TempDir,
    /// What the browser may complain about.
    expected: RefCell<Vec<&'static str>>,
}

/// Does something with a browser and a server that are there for this alone. In the end the browser must not
/// have had anything to complain about.
pub fn browse(test: impl FnOnce(&Browser)) {
    let Some(programs) = programs() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (data, log) = (folder.path().join("data"), folder.path().join("log"));
    let mut server = Server::start(&data, &log, &["--log", "warn"]);
    let address = server.address();
    let driver = Driver::start(&programs);
    let wanted = capabilities(&programs, &folder.path().join("profile"), &folder.path().join("downloads"));
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let client = runtime.block_on(async {
        ClientBuilder::new(HttpConnector::new()).capabilities(wanted).connect(driver.address()).await
    });
    let client = client.expect("the browser starts");
    let expected = RefCell::default();
    let browser = Browser { client, runtime, _server: server, address, _driver: driver, folder, expected };
    let result = catch_unwind(AssertUnwindSafe(|| {
        test(&browser);
        browser.check_log();
    }));
    if result.is_err() {
        browser.screenshot("failure");
        eprintln!("at {}:\n{}", browser.path(), browser.text("body"));
        eprintln!("{}", fs::read_to_string(&log).unwrap_or_default());
    }
    // However it went, the browser has to go.
    let _ = browser.runtime.block_on(browser.client.clone().close());
    if let Err(panic) = result {
        resume_unwind(panic);
    }
}

#[expect(clippy::disallowed_methods, reason = "tests look at the clock")]
fn now() -> Instant {
    Instant::now()
}

/// Waits until something is so, but not for ever.
pub fn wait<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let until = now() + PATIENCE;
    loop {
        if let Some(found) = found() {
            return found;
        }
        assert!(now() < until, "waited too long: {what}");
        std::thread::sleep(PAUSE);
    }
}

impl Browser {
    /// Goes to a page of the server.
    pub fn open(&self, path: &str) {
        let address = format!("http://{}{path}", self.address);
        self.runtime.block_on(self.client.goto(&address)).unwrap_or_else(|error| panic!("{path}: {error}"));
    }

    /// Which page it is.
    pub fn path(&self) -> String {
        let path = self.script("return location.pathname + location.search");
        path.as_str().unwrap_or_default().to_owned()
    }

    /// Waits until a page is there whose path begins so; the whole path.
    pub fn wait_for_path(&self, start: &str) -> String {
        wait(&format!("the page {start}"), || Some(self.path()).filter(|path| path.starts_with(start)))
    }

    /// The window that is looked at.
    pub fn window(&self) -> WindowHandle {
        self.runtime.block_on(self.client.window()).unwrap()
    }

    /// Opens another window, and looks at it.
    pub fn new_window(&self) -> WindowHandle {
        let opened = self.runtime.block_on(self.client.new_window(false)).unwrap();
        self.switch_to(&opened.handle);
        opened.handle
    }

    /// Looks at a window.
    pub fn switch_to(&self, window: &WindowHandle) {
        self.runtime.block_on(self.client.switch_to_window(window.clone())).unwrap();
    }

    /// A folder for what the test needs.
    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// The file that the browser has downloaded.
    pub fn download(&self, name: &str) -> PathBuf {
        let file = self.folder.path().join("downloads").join(name);
        wait(&format!("the download {name}"), || file.is_file().then(|| file.clone()))
    }

    // What stands there.

    /// What a script says of the page.
    pub fn script(&self, script: &str) -> Value {
        self.script_with(script, vec![])
    }

    /// What a script says of the page, with these arguments.
    pub fn script_with(&self, script: &str, arguments: Vec<Value>) -> Value {
        let said = self.runtime.block_on(self.client.execute(script, arguments));
        said.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    /// The texts of all elements that match, as they are shown.
    pub fn texts(&self, selector: &str) -> Vec<String> {
        let script =
            "return [...document.querySelectorAll(arguments[0])].map(e => e.innerText ?? e.textContent)";
        let said = self.script_with(script, vec![selector.into()]);
        let text = |text: &Value| text.as_str().unwrap_or_default().to_owned();
        said.as_array().unwrap().iter().map(text).collect()
    }

    /// The text of the elements that match.
    pub fn text(&self, selector: &str) -> String {
        self.texts(selector).join("\n")
    }

    /// How many elements match.
    pub fn count(&self, selector: &str) -> usize {
        self.texts(selector).len()
    }

    /// Waits until something that matches says this.
    pub fn wait_for_text(&self, selector: &str, text: &str) {
        wait(&format!("{text:?} in {selector}"), || self.text(selector).contains(text).then_some(()));
    }

    /// The value of a field.
    pub fn value(&self, selector: &str) -> String {
        let said =
            self.script_with("return document.querySelector(arguments[0]).value", vec![selector.into()]);
        said.as_str().unwrap_or_default().to_owned()
    }

    /// The board as it is drawn: all that is text or picture in it, without what marks where one can click.
    pub fn board(&self) -> String {
        let script = "const board = document.querySelector('.drawing svg')?.cloneNode(true);
            board?.querySelectorAll('.spot').forEach(spot => spot.remove());
            return board?.outerHTML";
        self.script(script).as_str().unwrap_or_default().to_owned()
    }

    /// The title, the class, ... of the element that has the focus.
    pub fn focused(&self, property: &str) -> String {
        let script = "return String(document.activeElement?.getAttribute(arguments[0]) ?? '')";
        self.script_with(script, vec![property.into()]).as_str().unwrap_or_default().to_owned()
    }

    // What one can do.

    fn try_with(&self, what: &str, selector: &str, mut act: impl AsyncFnMut(&Element) -> bool) {
        wait(&format!("{what} {selector}"), || {
            let done = self.runtime.block_on(async {
                match self.client.find(Locator::Css(selector)).await {
                    Ok(element) => act(&element).await,
                    Err(_) => false,
                }
            });
            done.then_some(())
        });
    }

    /// Clicks on the first that matches, once it can be clicked.
    pub fn click(&self, selector: &str) {
        self.try_with("to click", selector, async |element| element.click().await.is_ok());
    }

    /// Types into a field, after what is there.
    pub fn type_into(&self, selector: &str, text: &str) {
        self.try_with("to type into", selector, async |element| element.send_keys(text).await.is_ok());
    }

    /// Types into a field, which is empty before.
    pub fn fill(&self, selector: &str, text: &str) {
        self.try_with("to clear", selector, async |element| element.clear().await.is_ok());
        self.type_into(selector, text);
    }

    /// Chooses from a list by value.
    pub fn choose(&self, selector: &str, value: &str) {
        self.try_with("to choose from", selector, async |element| {
            element.select_by_value(value).await.is_ok()
        });
    }

    /// Chooses from a list by what is shown.
    pub fn choose_text(&self, selector: &str, text: &str) {
        self.try_with("to choose from", selector, async |element| {
            element.select_by_label(text).await.is_ok()
        });
    }

    /// Sets a field that cannot be typed into in the same way everywhere, such as one for dates.
    pub fn set(&self, selector: &str, value: &str) {
        let script = "const field = document.querySelector(arguments[0]);
            field.value = arguments[1];
            field.dispatchEvent(new Event('input', { bubbles: true }));";
        self.script_with(script, vec![selector.into(), value.into()]);
    }

    /// Presses a key, wherever the focus is.
    pub fn press(&self, key: Key) {
        let value = char::from(key);
        let keys = KeyActions::new("keyboard".to_owned());
        let keys = keys.then(KeyAction::Down { value }).then(KeyAction::Up { value });
        self.runtime.block_on(self.client.perform_actions(keys)).unwrap();
    }

    /// Says yes to the question that the page asks.
    pub fn say_yes(&self) {
        wait("a question", || self.runtime.block_on(self.client.accept_alert()).ok());
    }

    /// Sets the width and height of the page, as on a telephone or on a desk.
    pub fn set_size(&self, width: u32, height: u32) {
        let parameters = json!({ "width": width, "height": height, "deviceScaleFactor": 1, "mobile": false });
        self.command(
            "goog/cdp/execute",
            json!({ "cmd": "Emulation.setDeviceMetricsOverride", "params": parameters }),
        );
    }

    /// Sets whether the system likes dark pages.
    pub fn set_dark(&self, dark: bool) {
        let value = if dark { "dark" } else { "light" };
        let parameters = json!({ "features": [{ "name": "prefers-color-scheme", "value": value }] });
        self.command(
            "goog/cdp/execute",
            json!({ "cmd": "Emulation.setEmulatedMedia", "params": parameters }),
        );
    }

    /// Says something to the server as a program does, from within the page: what it answers, as JSON.
    pub fn api(&self, method: &str, path: &str, body: &Value) -> Value {
        let script = "const [method, path, body, done] = arguments;
            const headers = { 'Content-Type': 'application/json' };
            fetch(path, { method, headers, body: method === 'GET' ? undefined : JSON.stringify(body) })
                .then(async answer => done({ ok: answer.ok, text: await answer.text() }))
                .catch(error => done({ ok: false, text: String(error) }));";
        let arguments = vec![method.into(), path.into(), body.clone()];
        let answer = self.runtime.block_on(self.client.execute_async(script, arguments)).unwrap();
        let text = answer["text"].as_str().unwrap_or_default();
        assert_eq!(answer["ok"], true, "{method} {path}: {text}");
        if text.is_empty() { Value::Null } else { serde_json::from_str(text).unwrap() }
    }

    /// Keeps a picture of the page, if pictures are wanted.
    pub fn screenshot(&self, name: &str) {
        let Some(folder) = env::var_os("LUDEX_SCREENSHOTS") else { return };
        fs::create_dir_all(&folder).unwrap();
        if let Ok(picture) = self.runtime.block_on(self.client.screenshot()) {
            fs::write(Path::new(&folder).join(format!("{name}.png")), picture).unwrap();
        }
    }

    // What the browser complains about.

    /// The browser may complain with these words.
    pub fn expect_complaint(&self, words: &'static str) {
        self.expected.borrow_mut().push(words);
    }

    /// What the console of the browser says since this was asked for last: errors of scripts, what the policy
    /// of the page forbids, answers that are failures.
    pub fn check_log(&self) {
        let log = self.command("se/log", json!({ "type": "browser" }));
        let expected = self.expected.borrow();
        let complaint = |entry: &&Value| {
            let message = entry["message"].as_str().unwrap_or_default();
            entry["level"] != "INFO" && !expected.iter().any(|words| message.contains(words))
        };
        let complaints: Vec<&Value> = log.as_array().unwrap().iter().filter(complaint).collect();
        assert!(complaints.is_empty(), "the browser complains at {}: {complaints:#?}", self.path());
    }

    fn command(&self, path: &'static str, body: Value) -> Value {
        let command = DriverCommand { path, body };
        self.runtime
            .block_on(self.client.issue_cmd(command))
            .unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

/// A command that only Chromium's driver has.
#[derive(Debug)]
struct DriverCommand {
    path: &'static str,
    body: Value,
}

impl WebDriverCompatibleCommand for DriverCommand {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/{}", session.unwrap_or_default(), self.path))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(self.body.to_string()))
    }
}
