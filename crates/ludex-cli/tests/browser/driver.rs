//! Chromium and its driver: finding them, and starting them.

use std::env;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use fantoccini::wd::Capabilities;
use serde_json::json;

/// The programs that the tests need.
pub struct Programs {
    chromedriver: PathBuf,
    chromium: PathBuf,
}

const CHROMIUM: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// The programs; `None` where the tests are to be skipped, which is said.
pub fn programs() -> Option<Programs> {
    let wish = env::var("LUDEX_BROWSER").unwrap_or_default();
    if wish == "skip" {
        eprintln!("skipped: LUDEX_BROWSER=skip");
        return None;
    }
    let chromium = CHROMIUM.iter().find_map(|name| find(name));
    match (find("chromedriver"), chromium) {
        (Some(chromedriver), Some(chromium)) => Some(Programs { chromedriver, chromium }),
        _ if wish == "required" => panic!("chromium and chromedriver are required, and one is missing"),
        _ => {
            eprintln!("skipped: there is no chromium, or no chromedriver");
            None
        }
    }
}

/// A program on the PATH.
fn find(name: &str) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    env::split_paths(&path).map(|folder| folder.join(name)).find(|program| program.is_file())
}

/// A driver that runs, and ends with this. The browsers that it started end with it.
pub struct Driver {
    process: Child,
    address: String,
}

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Driver {
    pub fn start(programs: &Programs) -> Self {
        let mut command = Command::new(&programs.chromedriver);
        command.arg("--port=0").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = command.spawn().expect("chromedriver starts");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines().map_while(Result::ok);
        let port = lines.find_map(|line| {
            let port = line.split("started successfully on port ").nth(1)?.trim_end_matches('.');
            port.parse::<u16>().ok()
        });
        let port = port.expect("chromedriver says its port");
        // What else it says is of no interest, but it must be able to say it.
        std::thread::spawn(move || lines.for_each(drop));
        Self { process, address: format!("http://127.0.0.1:{port}") }
    }

    pub fn address(&self) -> &str {
        &self.address
    }
}

/// A browser with nothing from before, which asks nobody on the network for anything.
pub fn capabilities(programs: &Programs, folder: &Path, downloads: &Path) -> Capabilities {
    let profile = format!("--user-data-dir={}", folder.display());
    let wanted = json!({
        "goog:loggingPrefs": { "browser": "ALL" },
        "goog:chromeOptions": {
            "binary": programs.chromium,
            "prefs": { "download.default_directory": downloads, "download.prompt_for_download": false },
            "args": [
                "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
                "--disable-background-networking", "--disable-component-update", "--disable-sync",
                "--disable-dev-shm-usage", "--window-size=1280,900", profile,
            ],
        },
    });
    wanted.as_object().unwrap().clone()
}
