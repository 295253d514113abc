//! `ludex serve` as a program, for tests.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

pub mod api;

pub use api::Api;

/// A running server. It is killed when this goes.
pub struct Server {
    pub child: Child,
    output: Option<BufReader<ChildStdout>>,
    log: PathBuf,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The command, with nothing of the environment that would change what it does.
pub fn command() -> Command {
    let mut command = Command::new(assert_cmd::cargo::cargo_bin("ludex"));
    command.env_remove("LUDEX_TOKEN").stdin(Stdio::null());
    command
}

impl Server {
    /// Starts a server at a free port on the folder `data`. The log goes to the file `log`.
    pub fn start(data: &Path, log: &Path, arguments: &[&str]) -> Self {
        let mut command = command();
        // Nothing depends on how quick the machine is.
        command.args(["serve", "--port", "0", "--rules-time", "10m"]);
        command.arg("--data").arg(data).args(arguments);
        Self::spawn(command, log)
    }

    /// Starts a command that is a server.
    pub fn spawn(mut command: Command, log: &Path) -> Self {
        command.stdout(Stdio::piped()).stderr(File::create(log).unwrap());
        let mut child = command.spawn().unwrap();
        let output = child.stdout.take().map(BufReader::new);
        Self { child, output, log: log.to_owned() }
    }

    /// Waits until it says where it is. Panics with the log where it ends instead.
    pub fn address(&mut self) -> SocketAddr {
        let mut line = String::new();
        let mut output = self.output.take().expect("its address is read once");
        output.read_line(&mut line).unwrap();
        // The server may write more, and should not find the pipe closed.
        self.output = Some(output);
        let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        address.unwrap_or_else(|| panic!("it said {line:?}\n{}", self.log()))
    }

    /// The interface of a server that has started.
    pub fn api(&mut self) -> Api {
        Api::at(self.address())
    }

    /// What it has logged so far.
    pub fn log(&self) -> String {
        std::fs::read_to_string(&self.log).unwrap_or_default()
    }

    /// Kills it, as a power cut would end it, and waits until all of it is gone.
    pub fn kill(&mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    /// Asks it to end, and waits until it has.
    pub fn terminate(mut self) -> (ExitStatus, String) {
        let number = self.child.id().to_string();
        assert!(Command::new("kill").args(["-TERM", &number]).status().unwrap().success());
        let status = wait("the end of the server", || self.child.try_wait().unwrap());
        (status, self.log())
    }
}

#[expect(clippy::disallowed_methods, reason = "tests look at the clock")]
pub fn now() -> Instant {
    Instant::now()
}

/// Waits until something is so, but not for ever.
pub fn wait<T>(what: &str, mut found: impl FnMut() -> Option<T>) -> T {
    let until = now() + Duration::from_secs(300);
    while now() < until {
        if let Some(found) = found() {
            return found;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    panic!("waited too long: {what}");
}
