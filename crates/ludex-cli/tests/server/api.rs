//! The interface of a server for programs, as a program without any library for it uses it.

use std::io::{self, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

/// Asks a server.
#[derive(Clone, Debug)]
pub struct Api {
    address: SocketAddr,
    token: Option<String>,
    /// What else stands in the head of each request.
    headers: String,
}

/// What it answers.
#[derive(Clone, Debug)]
pub struct Answer {
    pub status: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    /// The value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        let pairs = self.head.lines().filter_map(|line| line.split_once(':'));
        pairs
            .map(|(found, value)| (found, value.trim()))
            .find(|(found, _)| found.eq_ignore_ascii_case(name))
            .map(|(_, value)| value)
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Api {
    pub fn at(address: SocketAddr) -> Self {
        Self { address, token: None, headers: String::new() }
    }

    /// As somebody who says this token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { token: Some(token.to_owned()), ..self.clone() }
    }

    /// With one more header in each request.
    pub fn with_header(&self, name: &str, value: &str) -> Self {
        Self { headers: format!("{}{name}: {value}\r\n", self.headers), ..self.clone() }
    }

    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Asks for a path.
    ///
    /// # Errors
    /// The server is gone, or goes in the middle of its answer.
    pub fn get(&self, path: &str) -> io::Result<Answer> {
        self.ask("GET", path, "")
    }

    /// Asks for a change.
    ///
    /// # Errors
    /// The server is gone, or goes in the middle of its answer: nobody knows then whether it was made.
    pub fn post(&self, path: &str, body: &Value) -> io::Result<Answer> {
        self.ask("POST", path, &body.to_string())
    }

    /// What stands at a path, as JSON.
    pub fn json(&self, path: &str) -> Value {
        let answer = self.get(path).unwrap();
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        answer.json()
    }

    /// The name of something new.
    pub fn create(&self, path: &str, body: &Value) -> String {
        let answer = self.post(path, body).unwrap();
        assert_eq!(answer.status, 201, "{path}: {answer:?}");
        answer.json()["id"].as_str().unwrap_or_default().to_owned()
    }

    fn ask(&self, method: &str, path: &str, body: &str) -> io::Result<Answer> {
        let mut stream = TcpStream::connect(self.address)?;
        stream.set_read_timeout(Some(Duration::from_secs(300)))?;
        // An answer to HTTP/1.0 ends with the connection.
        let mut head = format!(
            "{method} {path} HTTP/1.0\r\nHost: {}\r\nContent-Type: application/json\r\nContent-Length: {}\r\n",
            self.address,
            body.len()
        );
        if let Some(token) = &self.token {
            head += &format!("Authorization: Bearer {token}\r\n");
        }
        head += &format!("{}\r\n", self.headers);
        stream.write_all((head + body).as_bytes())?;
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes)?;
        let text = String::from_utf8_lossy(&bytes);
        let cut = || io::Error::new(io::ErrorKind::UnexpectedEof, "an answer that was cut off");
        let (head, body) = text.split_once("\r\n\r\n").ok_or_else(cut)?;
        let status = head.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(cut)?;
        let answer = Answer { status, head: head.to_owned(), body: body.to_owned() };
        let length = answer.header("content-length").and_then(|length| length.parse::<usize>().ok());
        if length.is_some_and(|length| body.len() < length) {
            return Err(cut());
        }
        Ok(answer)
    }
}
