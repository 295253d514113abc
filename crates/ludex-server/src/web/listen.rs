//! Sockets: connections, their limits, and the end of the server.

use std::future::Future;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{oneshot, watch};
use tokio::task::JoinSet;
use tokio_io_timeout::TimeoutStream;
use tower::ServiceExt;

use super::presence::{Arriving, Leaving};
use super::visitors::{Peer, Visitors};
use crate::connections::{ConnectionBudget, Visitor};

/// What connections may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConnectionLimits {
    /// How many there are at once. Where there are as many, the one that has been without a complete request for
    /// longest is closed for a new one; where there is none, the new one is refused with 503. A few more may come
    /// from this machine, so that whoever watches over the server there always learns how it is.
    pub connections: usize,
    /// How many of them one address may have, and as many requests under way; half as many may be streams of
    /// events, and a sixteenth downloads of records. 0 where no address is counted.
    pub per_address: usize,
    /// How many requests are worked on at the same time. More wait, but for `/healthz`. No more than 400: there are
    /// 512 threads for them and for what watches over the server.
    pub questions: usize,
    /// Whether a proxy stands before the server and says in `X-Forwarded-For` whom it asks for: those addresses
    /// are counted then, and not that of the proxy. Only where nobody can reach the server but the proxy.
    pub behind_proxy: bool,
    /// A connection that takes nothing of an answer for so long is closed.
    pub write: Duration,
    /// How long the head of a request may take. A connection that is kept open for the next request has
    /// as long.
    pub head: Duration,
    /// A body of which nothing comes for so long is not waited for.
    pub body: Duration,
    /// How many headers a request may have.
    pub headers: usize,
    /// How many bytes the head of a request may have.
    pub head_bytes: usize,
    /// How long what is under way may take when the server ends.
    pub farewell: Duration,
}

impl Default for ConnectionLimits {
    fn default() -> Self {
        Self {
            connections: 512,
            per_address: 128,
            questions: 256,
            behind_proxy: false,
            write: Duration::from_secs(30),
            head: Duration::from_secs(15),
            body: Duration::from_secs(15),
            headers: 64,
            head_bytes: 32 * 1024,
            farewell: Duration::from_secs(5),
        }
    }
}

/// Nobody is waited for longer where there is no room.
const BREATH: Duration = Duration::from_millis(100);

/// So many connections more may come from this machine.
const FOR_WATCHERS: usize = 4;

/// What is said to who comes where all connections are being answered.
const FULL: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nRetry-After: 5\r\nConnection: close\r\n\
    Content-Length: 0\r\n\r\n";

/// Answers requests until `end` is there, and then for a little longer those that are under way.
pub(super) async fn listen(
    listener: TcpListener,
    router: Router,
    limits: ConnectionLimits,
    visitors: &Visitors,
    end: impl Future<Output = ()>,
) {
    let budget = Arc::new(ConnectionBudget::default());
    let (ending, ended) = watch::channel(false);
    let mut connections = JoinSet::new();
    let mut end = pin!(end);
    loop {
        let accepted = tokio::select! {
            () = &mut end => break,
            Some(_) = connections.join_next() => continue,
            accepted = accept(&listener) => accepted,
        };
        let Some((stream, peer)) = accepted else { continue };
        let Some(share) = visitors.connection(peer.ip()) else {
            tracing::debug!(%peer, "an address has as many connections as it may");
            continue;
        };
        // A proxy on this machine has the connections of others.
        let is_watcher = peer.ip().is_loopback() && !limits.behind_proxy;
        let most = limits.connections.max(1) + if is_watcher { FOR_WATCHERS } else { 0 };
        let Some(mut visitor) = budget.enter(most) else {
            tracing::warn!(%peer, "refused: all connections are being answered");
            connections.spawn(refuse(stream));
            continue;
        };
        let (router, ended) = (router.clone(), ended.clone());
        let (begin, begun) = oneshot::channel();
        let task = connections.spawn(async move {
            // The task is known to the budget before it does anything.
            if let Ok(visitor) = begun.await {
                serve_one(stream, peer, visitor, router, limits, ended).await;
            }
            drop(share);
        });
        visitor.served_by(task);
        // The task waits for it.
        let _ = begin.send(visitor);
    }
    drop(listener);
    // Nobody listens where no connection is open.
    let _ = ending.send(true);
    let all = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(limits.farewell, all).await.is_err() {
        tracing::warn!("some connections were cut off");
    }
}

/// The next connection.
async fn accept(listener: &TcpListener) -> Option<(TcpStream, SocketAddr)> {
    match listener.accept().await {
        Ok(accepted) => Some(accepted),
        Err(error) => {
            // Such as too many open files: it passes when others close.
            tracing::warn!(%error, "a connection could not be accepted");
            tokio::time::sleep(BREATH).await;
            None
        }
    }
}

/// Says that there is no room, to who listens.
async fn refuse(mut stream: TcpStream) {
    let _ = tokio::time::timeout(BREATH, stream.write_all(FULL)).await;
}

/// Waits for the end of the server.
pub(super) async fn over(ended: &mut watch::Receiver<bool>) {
    // Where nobody can say that it ends any more, it has ended.
    let _ = ended.wait_for(|&over| over).await;
}

async fn serve_one(
    stream: TcpStream,
    peer: SocketAddr,
    visitor: Visitor,
    router: Router,
    limits: ConnectionLimits,
    mut ended: watch::Receiver<bool>,
) {
    // Small answers are to leave at once; where that cannot be set they leave a little later.
    let _ = stream.set_nodelay(true);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(limits.head)
        .max_headers(limits.headers)
        .max_buf_size(limits.head_bytes.max(8192));
    // Who does not read what was asked for is not waited for.
    let mut stream = TimeoutStream::new(stream);
    stream.set_write_timeout(Some(limits.write));
    let visitor = Arc::new(visitor);
    let answered = Arc::clone(&visitor);
    let service = router
        .map_request(move |mut request: Request<Incoming>| {
            request.extensions_mut().insert(Peer(peer.ip()));
            request.map(|body| Arriving::new(body, Arc::clone(&visitor)))
        })
        .map_response(move |response| response.map(|body| Leaving::new(body, Arc::clone(&answered))));
    let service = TowerToHyperService::new(service);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Box::pin(stream)), service));
    let result = tokio::select! {
        result = &mut connection => result,
        () = over(&mut ended) => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    if let Err(error) = result {
        tracing::debug!(%peer, %error, "a connection broke");
    }
}
