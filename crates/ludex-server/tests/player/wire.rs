//! Sockets and a tiny manager.

use std::io::{ErrorKind, Read, Write};
use std::net::{IpAddr, Ipv4Addr, Shutdown, SocketAddr, TcpStream};
use std::time::{Duration, Instant};

use ludex_server::player::{PlayerOptions, PlayerServer, RunningPlayer};

/// The time, to measure how long something takes.
#[expect(clippy::disallowed_methods, reason = "these tests are about real clocks")]
pub fn now() -> Instant {
    Instant::now()
}

/// A service with a strategy that needs no time.
pub fn service(strategy: &str) -> RunningPlayer {
    let mut options = PlayerOptions { strategy: strategy.to_owned(), ..PlayerOptions::default() };
    options.rules_memory = 256 << 20;
    options.resources.memory = 64 << 20;
    begin(options)
}

pub fn begin(options: PlayerOptions) -> RunningPlayer {
    let server = PlayerServer::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, options).unwrap();
    server.start().unwrap()
}

/// The machine may be busy with other things: what would not come at all is waited for so long.
pub const LONG: Duration = Duration::from_secs(120);

pub fn connect(address: SocketAddr) -> TcpStream {
    let stream = TcpStream::connect(address).unwrap();
    stream.set_read_timeout(Some(LONG)).unwrap();
    stream
}

/// Reads until the other side ends the connection.
pub fn read_all(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    match stream.read_to_end(&mut bytes) {
        Ok(_) => {}
        Err(error) if error.kind() == ErrorKind::ConnectionReset => {}
        Err(error) => panic!("{error}, after {}", String::from_utf8_lossy(&bytes)),
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Reads one answer of a connection that stays, by its length.
pub fn read_one(stream: &mut TcpStream) -> String {
    let mut bytes = Vec::new();
    let mut byte = [0];
    while !bytes.ends_with(b"\r\n\r\n") {
        assert_eq!(stream.read(&mut byte).unwrap(), 1, "{}", String::from_utf8_lossy(&bytes));
        bytes.push(byte[0]);
    }
    let head = String::from_utf8(bytes).unwrap();
    let length = head.lines().find_map(|line| line.strip_prefix("Content-Length: ")).unwrap_or("0");
    let mut body = vec![0; length.parse().unwrap()];
    stream.read_exact(&mut body).unwrap();
    head + &String::from_utf8(body).unwrap()
}

/// Sends bytes on a connection of their own and gives back all that comes.
pub fn exchange(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    // The other side may have heard enough.
    let _ = stream.write_all(bytes);
    read_all(&mut stream)
}

/// As [`exchange`], with the end of what is sent as the end of the connection in that direction.
pub fn exchange_half_closed(address: SocketAddr, bytes: &[u8]) -> String {
    let mut stream = connect(address);
    stream.write_all(bytes).unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    read_all(&mut stream)
}

/// A message as the specification has it.
pub fn message(body: &str) -> Vec<u8> {
    format!(
        "POST / HTTP/1.0\r\nAccept: text/delim\r\nSender: GAMEMASTER\r\nReceiver: GAMEPLAYER\r\n\
         Content-type: text/acl\r\nContent-length: {}\r\n\r\n{body}",
        body.len()
    )
    .into_bytes()
}

/// The body of an answer, which has to be a good one.
pub fn body(answer: &str) -> &str {
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no answer: {answer:?}"));
    assert!(head.contains(" 200 OK\r\n"), "{answer}");
    assert!(head.contains(&format!("Content-Length: {}", body.len())), "{answer}");
    body
}

/// Sends a message and gives the answer.
pub fn ask(address: SocketAddr, text: &str) -> String {
    body(&exchange(address, &message(text))).to_owned()
}

pub const INFO: &str = "((name ludex) (status available))";

/// That the service still answers.
pub fn is_well(address: SocketAddr) {
    assert_eq!(ask(address, "(info)"), INFO);
}

/// A rulesheet on one line, as managers send it.
pub fn rules(name: &str) -> String {
    let game = ludex::library::find(name).unwrap();
    let lines = game.text.lines().map(|line| line.split(';').next().unwrap_or_default());
    lines.collect::<Vec<_>>().join(" ")
}
