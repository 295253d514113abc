//! A server as people run it, and what it says and holds.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use serde_json::Value;

/// A server that runs, and ends with this.
pub struct Serving {
    process: Child,
    address: String,
}

/// What processes hold, in bytes. A page that several share counts in parts.
#[derive(Clone, Copy, Debug, Default)]
pub struct Memory {
    pub manager: u64,
    /// The processes that work on rules.
    pub rules: u64,
    /// Those of built-in players.
    pub players: u64,
}

/// The program, where it stands beside this one.
pub fn program() -> Option<PathBuf> {
    if let Some(named) = std::env::var_os("LUDEX") {
        return Some(named.into());
    }
    let own = std::env::current_exe().ok()?;
    let program = own.parent()?.parent()?.join("ludex");
    program.is_file().then_some(program)
}

impl Serving {
    pub fn start(program: &Path, data: &Path) -> Self {
        let mut command = Command::new(program);
        command.args(["serve", "--port", "0", "--log", "error", "--per-address", "0", "--data"]).arg(data);
        let mut process = command.stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut line = String::new();
        let output = process.stdout.take().expect("an output");
        BufReader::new(output).read_line(&mut line).expect("an address");
        let address = line.trim().trim_start_matches("http://").to_owned();
        Self { process, address }
    }

    /// The body of a page.
    pub fn get(&self, path: &str) -> String {
        self.ask(&format!("GET {path} HTTP/1.0\r\nHost: {}\r\n\r\n", self.address))
    }

    pub fn json(&self, path: &str) -> Value {
        serde_json::from_str(&self.get(path)).expect("JSON")
    }

    pub fn post(&self, path: &str, body: &Value) -> Value {
        let body = body.to_string();
        let (host, length) = (&self.address, body.len());
        let said = self.ask(&format!(
            "POST {path} HTTP/1.0\r\nHost: {host}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        serde_json::from_str(&said).expect("JSON")
    }

    fn ask(&self, request: &str) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("a connection");
        stream.write_all(request.as_bytes()).expect("a request");
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("an answer");
        let text = String::from_utf8_lossy(&bytes);
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).unwrap_or_default();
        assert!(status.starts_with('2'), "{request}: {text}");
        body.to_owned()
    }

    /// What the server and its processes hold now.
    pub fn memory(&self) -> Memory {
        let own = self.process.id();
        let mut memory = Memory { manager: held(own), ..Memory::default() };
        for (process, what) in children(own) {
            match what.as_str() {
                "preparation" => memory.rules += held(process),
                _ => memory.players += held(process),
            }
        }
        memory
    }
}

impl Drop for Serving {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// What a process holds, in bytes; 0 where the system does not say.
fn held(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/smaps_rollup")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("Pss:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) << 10
}

/// The processes that a process has started, with the command that each of them runs.
fn children(parent: u32) -> Vec<(u32, String)> {
    let Ok(all) = std::fs::read_dir("/proc") else { return Vec::new() };
    let processes = all.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok());
    let own = processes.filter(|process| {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        // The name may have blanks and brackets in it.
        let behind = stat.rsplit_once(") ").map_or("", |(_, behind)| behind);
        behind.split(' ').nth(1) == Some(&parent.to_string())
    });
    own.map(|process| {
        let line = std::fs::read_to_string(format!("/proc/{process}/cmdline")).unwrap_or_default();
        (process, line.split('\0').nth(1).unwrap_or_default().to_owned())
    })
    .collect()
}
