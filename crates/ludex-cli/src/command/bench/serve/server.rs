//! The server that is measured: a process of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};

use ludex_server::store::StorePlace;

use crate::failure::Failure;

/// A server that runs. It is killed when this goes.
pub(super) struct Server {
    process: Child,
    pub(super) address: SocketAddr,
}

/// What a server is started with.
#[derive(Clone, Debug)]
pub(super) struct Setup {
    /// A folder or an address, as it was given.
    pub(super) place: StorePlace,
    pub(super) store: String,
    /// How many matches may run at once.
    pub(super) matches: usize,
    pub(super) connections: usize,
    /// How many of them one address may have; 0 where that does not matter.
    pub(super) per_address: usize,
    pub(super) token: Option<&'static str>,
}

impl Server {
    pub(super) fn start(setup: &Setup) -> Result<Self, Failure> {
        let failed = |what: String| Failure::input(format!("the server cannot be started: {what}"));
        let program = std::env::current_exe().map_err(|error| failed(error.to_string()))?;
        let mut command = Command::new(program);
        command.args(["serve", "--port", "0", "--log", "error", "--players", "2"]);
        command.args(["--matches", &setup.matches.to_string()]);
        command.args(["--connections", &setup.connections.to_string()]);
        command.args(["--per-address", &setup.per_address.to_string()]);
        match &setup.place {
            StorePlace::Folder(folder) => command.arg("--data").arg(folder),
            _ => command.args(["--store", &setup.store]),
        };
        command.env_remove("LUDEX_TOKEN");
        if let Some(token) = setup.token {
            command.env("LUDEX_TOKEN", token);
        }
        let process = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn();
        let mut process = process.map_err(|error| failed(error.to_string()))?;
        let mut line = String::new();
        if let Some(output) = process.stdout.take() {
            BufReader::new(output).read_line(&mut line).map_err(|error| failed(error.to_string()))?;
        }
        let address = line.trim().strip_prefix("http://").and_then(|address| address.parse().ok());
        match address {
            Some(address) => Ok(Self { process, address }),
            None => {
                // What it says is on standard error.
                let _ = process.kill();
                let _ = process.wait();
                Err(failed("it did not say its address".to_owned()))
            }
        }
    }

    /// Ends it as a crash would, and waits until it is gone.
    pub(super) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.end();
    }
}
