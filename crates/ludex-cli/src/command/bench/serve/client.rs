//! Requests to a server, many at a time and from any address of this machine.

use std::io;
use std::net::{IpAddr, SocketAddr};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};

/// A connection that is kept for the next request.
pub(super) struct Connection {
    stream: BufReader<TcpStream>,
    host: SocketAddr,
    token: Option<String>,
}

/// What was answered.
#[derive(Debug)]
pub(super) struct Answer {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// A connection from an address of this machine.
pub(super) async fn connect(from: Option<IpAddr>, to: SocketAddr) -> io::Result<TcpStream> {
    let socket = if to.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
    if let Some(from) = from {
        socket.bind(SocketAddr::new(from, 0))?;
    }
    let stream = socket.connect(to).await?;
    stream.set_nodelay(true)?;
    Ok(stream)
}

impl Connection {
    pub(super) async fn open(from: Option<IpAddr>, to: SocketAddr) -> io::Result<Self> {
        Ok(Self { stream: BufReader::new(connect(from, to).await?), host: to, token: None })
    }

    /// What changes something comes with this token.
    pub(super) fn with_token(self, token: Option<&str>) -> Self {
        Self { token: token.map(str::to_owned), ..self }
    }

    pub(super) async fn get(&mut self, path: &str) -> io::Result<Answer> {
        let request = format!("GET {path} HTTP/1.1\r\nHost: {}\r\n\r\n", self.host);
        self.ask(request.as_bytes()).await
    }

    /// Sends JSON; what comes back is JSON, too.
    pub(super) async fn send(&mut self, method: &str, path: &str, body: &Value) -> io::Result<(u16, Value)> {
        let body = body.to_string();
        let token =
            self.token.as_ref().map_or(String::new(), |token| format!("Authorization: Bearer {token}\r\n"));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\n{token}Accept: application/json\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.host,
            body.len()
        );
        let Answer { status, body } = self.ask(request.as_bytes()).await?;
        let value = if body.is_empty() { Value::Null } else { serde_json::from_slice(&body)? };
        Ok((status, value))
    }

    async fn ask(&mut self, request: &[u8]) -> io::Result<Answer> {
        self.stream.write_all(request).await?;
        self.answer().await
    }

    /// Sends bytes as they are, and waits for nothing.
    pub(super) async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.stream.write_all(bytes).await
    }

    /// The next answer.
    pub(super) async fn answer(&mut self) -> io::Result<Answer> {
        let status = self.line().await?;
        let status = status.split(' ').nth(1).and_then(|status| status.parse().ok()).ok_or_else(broken)?;
        let (mut length, mut is_chunked) = (0, false);
        loop {
            let line = self.line().await?;
            if line.is_empty() {
                break;
            }
            let Some((name, value)) = line.split_once(':') else { return Err(broken()) };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => length = value.trim().parse().map_err(|_| broken())?,
                "transfer-encoding" => is_chunked = value.trim() == "chunked",
                _ => {}
            }
        }
        let mut body = Vec::new();
        if is_chunked {
            loop {
                let size = usize::from_str_radix(&self.line().await?, 16).map_err(|_| broken())?;
                self.read(size, &mut body).await?;
                self.line().await?;
                if size == 0 {
                    break;
                }
            }
        } else {
            self.read(length, &mut body).await?;
        }
        Ok(Answer { status, body })
    }

    async fn read(&mut self, count: usize, body: &mut Vec<u8>) -> io::Result<()> {
        let begin = body.len();
        body.resize(begin + count, 0);
        self.stream.read_exact(&mut body[begin..]).await?;
        Ok(())
    }

    async fn line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        if self.stream.read_line(&mut line).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(line.trim_end().to_owned())
    }
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "not an answer of a server")
}
