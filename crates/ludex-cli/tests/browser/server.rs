//! `ludex serve` on a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

/// A server that runs, and ends with this.
pub struct Server {
    process: Child,
    address: String,
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself. Its players end when it does.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    pub fn start(folder: &Path) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ludex"));
        command.args(["serve", "--port", "0", "--log", "warn", "--data"]).arg(folder.join("data"));
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("`ludex serve` starts");
        let mut lines = BufReader::new(process.stdout.take().unwrap()).lines();
        let address = lines.next().expect("the server says its address").unwrap();
        Self { process, address }
    }

    pub fn address(&self) -> &str {
        &self.address
    }
}
