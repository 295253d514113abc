//! Connections that take and do not give: what they cost others, on real sockets.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ludex_server::manager::Manager;
use ludex_server::model::PlayerKind;
use ludex_server::store::{SqliteStore, Store};
use ludex_server::web::{ConnectionLimits, WebOptions, WebServer};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpSocket, TcpStream};
use tokio::task::JoinSet;

use super::support::*;
use crate::manager_support::faulty::FaultyStore;
use crate::manager_support::tic_tac_toe;

/// Waits so long for what has to come in the end.
const LONG: Duration = Duration::from_secs(300);

/// A server with these limits; it ends with the runtime of its test.
async fn serve(limits: ConnectionLimits) -> (SocketAddr, Manager) {
    serve_over(Arc::new(SqliteStore::in_memory().unwrap()), limits).await
}

async fn serve_over(store: Arc<dyn Store>, limits: ConnectionLimits) -> (SocketAddr, Manager) {
    let options = WebOptions::loopback(None).with_limits(limits);
    let (_, manager) = over(store, options.clone());
    let server = WebServer::new(manager.clone(), options);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    tokio::spawn(async move { server.serve(listener, std::future::pending()).await });
    (address, manager)
}

async fn ask(address: SocketAddr, path: &str) -> TcpStream {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    stream
}

/// The status of an answer; 0 where the connection was closed without any.
async fn status(mut stream: TcpStream) -> u16 {
    let mut line = Vec::new();
    while !line.ends_with(b"\r\n") {
        let mut byte = [0];
        match tokio::time::timeout(LONG, stream.read(&mut byte)).await.expect("an answer, in the end") {
            Ok(1) => line.push(byte[0]),
            Ok(_) | Err(_) => return 0,
        }
    }
    String::from_utf8_lossy(&line).split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0)
}

/// All connections ask for more than the system holds for them, and read nothing. Others get through when they
/// are closed.
#[tokio::test]
async fn who_does_not_read_is_not_waited_for() {
    let limits = ConnectionLimits {
        connections: 4,
        per_address: 0,
        write: Duration::from_millis(300),
        ..ConnectionLimits::default()
    };
    let (address, _manager) = serve(limits).await;
    let mut held = Vec::new();
    let requests = "GET /api/openapi.json HTTP/1.1\r\nHost: localhost\r\n\r\n".repeat(400);
    for _ in 0..4 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        // They need not all be taken.
        let _ = tokio::time::timeout(Duration::from_secs(2), stream.write_all(requests.as_bytes())).await;
        held.push(stream);
    }
    assert_eq!(status(ask(address, "/healthz").await).await, 200);
    drop(held);
}

/// One address has so many connections, streams and downloads, and no more; what others want is another thing.
#[tokio::test]
async fn an_address_has_its_share() {
    let limits = ConnectionLimits { per_address: 16, head: LONG, ..ConnectionLimits::default() };
    let (address, manager) = serve(limits).await;
    for name in ["Anna", "Bert"] {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Bert"], 3_600_000)).unwrap();
    let events = format!("/api/matches/{id}/events");
    let mut streams = Vec::new();
    for _ in 0..8 {
        let mut stream = ask(address, &events).await;
        let mut some = [0; 15];
        stream.read_exact(&mut some).await.unwrap();
        assert_eq!(&some, b"HTTP/1.1 200 OK");
        streams.push(stream);
    }
    assert_eq!(status(ask(address, &events).await).await, 429, "half of what it has");
    assert_eq!(status(ask(address, "/api/records").await).await, 200, "watching takes nothing from that");
    assert_eq!(status(ask(address, "/healthz").await).await, 200);
    // With the streams these are four too many, which are closed; the others are left alone.
    let mut idle = JoinSet::new();
    for _ in 0..12 {
        let mut stream = TcpStream::connect(address).await.unwrap();
        idle.spawn(async move { stream.read(&mut [0]).await });
    }
    for _ in 0..4 {
        let closed = tokio::time::timeout(LONG, idle.join_next()).await.expect("that one is closed");
        assert!(matches!(closed, Some(Ok(Ok(0) | Err(_)))), "{closed:?}");
    }
    drop((streams, idle));
    let mut answered = 0;
    while answered != 200 {
        answered = status(ask(address, "/healthz").await).await;
    }
}

/// Several addresses, each with what one may have, say nothing, begin a request, or send a body drop by drop. Who
/// comes from another one gets through at once.
#[tokio::test]
async fn addresses_together_keep_nobody_out() {
    let limits = ConnectionLimits {
        connections: 8,
        per_address: 4,
        head: LONG,
        body: LONG,
        ..ConnectionLimits::default()
    };
    let (address, _manager) = serve(limits).await;
    let unfinished =
        ["", "GET /healthz HTTP/1.1\r\nHost: loc", BEGUN_BODY, "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"];
    let mut held = Vec::new();
    for number in 2..12 {
        for text in unfinished {
            let socket = TcpSocket::new_v4().unwrap();
            socket.bind(SocketAddr::from(([127, 0, 0, number], 0))).unwrap();
            let mut stream = socket.connect(address).await.unwrap();
            stream.write_all(text.as_bytes()).await.unwrap();
            held.push(stream);
        }
    }
    for _ in 0..4 {
        assert_eq!(status(ask(address, "/healthz").await).await, 200);
    }
    drop(held);
}

const BEGUN_BODY: &str = "POST /api/matches HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
    Content-Length: 1000\r\n\r\n{";

/// Who asks for much and goes away has asked all the same: it counts until it is answered, and no more is worked on at
/// the same time than there is room for. Whether the server is well is told whatever others have asked.
#[tokio::test]
async fn what_nobody_waits_for_counts_until_it_is_answered() {
    let store = FaultyStore::new();
    let held = store.held();
    let limits = ConnectionLimits { per_address: 4, questions: 2, ..ConnectionLimits::default() };
    let (address, _manager) = serve_over(Arc::new(store), limits).await;
    held.closed.store(true, Ordering::SeqCst);
    let mut waiting = Vec::new();
    for count in 1..=2 {
        waiting.push(ask(address, "/tournaments").await);
        while held.waiting.load(Ordering::SeqCst) < count {
            tokio::task::yield_now().await;
        }
    }
    // One more waits for room, and is not asked.
    waiting.push(ask(address, "/tournaments").await);
    assert_eq!(status(ask(address, "/healthz").await).await, 200);
    drop(waiting);
    // They are gone by now, mostly; what they asked for is not.
    tokio::time::sleep(Duration::from_millis(300)).await;
    let (one, other) = (ask(address, "/tournaments").await, ask(address, "/tournaments").await);
    assert_eq!(held.waiting.load(Ordering::SeqCst), 2);
    let mut last = status(ask(address, "/healthz").await).await;
    while last == 200 {
        // The two that wait for room are on their way.
        last = status(ask(address, "/healthz").await).await;
    }
    assert_eq!(last, 429, "two that are worked on and two that wait are as many as it may have");
    held.closed.store(false, Ordering::SeqCst);
    assert_eq!((status(one).await, status(other).await), (200, 200));
}
