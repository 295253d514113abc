//! The client: one connection, one message, one answer.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;

use ludex::matches::message::RequestText;
use tokio::io::{AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::net::tcp::ReadHalf;
use tokio::task::JoinSet;

use super::names::Names;
use crate::driver::address::{AddressPolicy, PlayerAddress};
use crate::http::{AnswerError, AnswerLimits, AnswerReader};
use crate::system_error::reason;

/// What an exchange with a player may take. Its time is limited by who asks: the clock of the match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HttpLimits {
    /// How long one address is tried that does not take a connection.
    pub connect: Duration,
    /// How much of an answer is read.
    pub answer: AnswerLimits,
}

impl Default for HttpLimits {
    fn default() -> Self {
        Self { connect: Duration::from_secs(10), answer: AnswerLimits::default() }
    }
}

/// Why there is no answer. The text is what records keep.
#[derive(Debug, thiserror::Error)]
pub enum HttpError {
    /// The name of the host stands for nothing.
    #[error("no host `{host}`: {}", reason(.cause))]
    Host {
        /// The host.
        host: String,
        /// What the system says.
        cause: io::Error,
    },
    /// The name of the host stands for no address at all.
    #[error("no address of `{0}`")]
    NoAddress(String),
    /// No address of the player may be connected to.
    #[error("{0} is not a public address, so it is not connected to")]
    Forbidden(SocketAddr),
    /// Nobody took the connection.
    #[error("no connection to {address}: {}", reason(.cause))]
    Connect {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        cause: io::Error,
    },
    /// The connection broke.
    #[error("the connection broke: {}", reason(.0))]
    Broken(#[source] io::Error),
    /// What came is not an answer.
    #[error(transparent)]
    Answer(#[from] AnswerError),
}

/// Sends messages to players.
#[derive(Debug, Default)]
pub struct HttpClient {
    policy: AddressPolicy,
    limits: HttpLimits,
    names: Names,
}

impl HttpClient {
    /// A client that connects only where it may.
    pub fn new(policy: AddressPolicy, limits: HttpLimits) -> Self {
        Self { policy, limits, names: Names::default() }
    }

    /// Sends a body with headers, of which its length is one, and waits for the body of the answer. Whoever does
    /// not want to wait any longer drops this; the connection is then closed.
    ///
    /// # Errors
    /// [`HttpError`].
    pub async fn post(
        &self,
        address: &PlayerAddress,
        headers: &[(&str, String)],
        body: &RequestText,
    ) -> Result<Vec<u8>, HttpError> {
        let head = head(address, headers);
        let mut stream = self.connect(address).await?;
        // A message is written at once, so nothing is gained by waiting for more of it.
        let _ = stream.set_nodelay(true);
        let (mut from, mut to) = stream.split();
        let mut reading = std::pin::pin!(read(&mut from, self.limits.answer));
        let writing = std::pin::pin!(write(&mut to, head, body));
        // Some players answer before they have read everything: what they say counts, too.
        let written = tokio::select! {
            biased;
            answer = &mut reading => return answer,
            written = writing => written,
        };
        match (reading.await, written) {
            // Why the player heard nothing says more than that it said nothing.
            (Err(HttpError::Broken(_) | HttpError::Answer(AnswerError::Nothing)), Err(cause)) => {
                Err(HttpError::Broken(cause))
            }
            (answer, _) => answer,
        }
    }

    /// Connects to the first address of a player that takes a connection.
    async fn connect(&self, address: &PlayerAddress) -> Result<TcpStream, HttpError> {
        let host = address.host();
        let found = self.names.look_up(host, address.port()).await;
        let found = found.map_err(|cause| HttpError::Host { host: host.to_owned(), cause })?;
        let (allowed, forbidden): (Vec<_>, Vec<_>) =
            found.into_iter().partition(|&address| self.policy.allows(address));
        let nowhere = match forbidden.first() {
            Some(&address) => HttpError::Forbidden(address),
            None => HttpError::NoAddress(host.to_owned()),
        };
        let connected = connect_to_one(allowed, self.limits.connect, nowhere).await;
        if connected.is_err() {
            self.names.forget(host);
        }
        connected
    }
}

/// An address that does not take a connection at once keeps the next one waiting for so long: some
/// machines have addresses that lead nowhere.
const HEAD_START: Duration = Duration::from_millis(250);

/// Tries addresses in turn, each for `limit` at most. The error is that of the last one that failed, or
/// `error` where there is none.
async fn connect_to_one(
    addresses: Vec<SocketAddr>,
    limit: Duration,
    mut error: HttpError,
) -> Result<TcpStream, HttpError> {
    let mut addresses = addresses.into_iter();
    let mut tries = JoinSet::new();
    loop {
        if let Some(address) = addresses.next() {
            tries.spawn(
                async move { (address, tokio::time::timeout(limit, TcpStream::connect(address)).await) },
            );
        }
        let patience = if addresses.len() > 0 { HEAD_START } else { Duration::MAX };
        let Ok(ended) = tokio::time::timeout(patience, tries.join_next()).await else { continue };
        match ended {
            None => return Err(error),
            Some(Ok((_, Ok(Ok(stream))))) => return Ok(stream),
            Some(Ok((address, Ok(Err(cause))))) => error = HttpError::Connect { address, cause },
            Some(Ok((address, Err(_)))) => {
                let cause = io::Error::new(io::ErrorKind::TimedOut, "timed out");
                error = HttpError::Connect { address, cause };
            }
            // A try neither panics nor is called off.
            Some(Err(_)) => {}
        }
    }
}

/// The bytes before the body of a message: HTTP/1.0, as the specification has it (appendix B), so that the answer does
/// not come in chunks and the connection ends with it.
fn head(address: &PlayerAddress, headers: &[(&str, String)]) -> Vec<u8> {
    let mut head = format!("POST {} HTTP/1.0\r\nHost: {}\r\n", address.path(), address.authority());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    head.push_str("\r\n");
    head.into_bytes()
}

/// So much of a message is put together and written at once: some players read but once. What is longer is written
/// from where it is, and not copied for each seat of a match.
const AT_ONCE: usize = 16 << 10;

async fn write(to: &mut (impl AsyncWrite + Unpin), head: Vec<u8>, body: &RequestText) -> io::Result<()> {
    let mut begun = head;
    for piece in body.pieces().map(str::as_bytes) {
        if begun.len() + piece.len() > AT_ONCE {
            to.write_all(&begun).await?;
            begun.clear();
        }
        if piece.len() > AT_ONCE {
            to.write_all(piece).await?;
        } else {
            begun.extend_from_slice(piece);
        }
    }
    to.write_all(&begun).await
}

/// So much is read at once.
const PIECE: usize = 4096;

async fn read(from: &mut ReadHalf<'_>, limits: AnswerLimits) -> Result<Vec<u8>, HttpError> {
    let mut reader = AnswerReader::new(limits);
    let mut piece = vec![0; PIECE];
    loop {
        let count = from.read(&mut piece).await.map_err(HttpError::Broken)?;
        if count == 0 {
            return Ok(reader.end()?);
        }
        if let Some(body) = reader.take(&piece[..count])? {
            return Ok(body);
        }
    }
}

#[cfg(test)]
mod tests {
    use ludex::gdl::Notation;
    use ludex::matches::message::{Last, Request, request_headers, request_text};

    use super::*;

    /// The size of a part that is not copied.
    const LONG: usize = AT_ONCE;

    fn nowhere() -> HttpError {
        HttpError::NoAddress("h".to_owned())
    }

    #[tokio::test]
    async fn the_first_address_that_takes_a_connection_is_taken() {
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let there = listener.local_addr().unwrap();
        let gone = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
        let limit = Duration::from_secs(60);
        let stream = connect_to_one(vec![gone, there], limit, nowhere()).await.unwrap();
        assert_eq!(stream.peer_addr().unwrap(), there);
        let error = connect_to_one(vec![gone], limit, nowhere()).await.unwrap_err().to_string();
        assert_eq!(error, format!("no connection to {gone}: connection refused"));
        assert!(matches!(connect_to_one(vec![], limit, nowhere()).await, Err(HttpError::NoAddress(_))));
    }

    #[tokio::test]
    async fn a_message_is_written_as_the_specification_has_it() {
        let address = "localhost:9147".parse().unwrap();
        let play = |last| Request::Play { id: "MATCH.3316980891".into(), last };
        let body = request_text(&play(Last::Nothing), Notation::Prefix);
        let mut bytes = Vec::new();
        let head = head(&address, &request_headers("GAMEPLAYER", body.length()));
        write(&mut bytes, head, &body).await.unwrap();
        // In pieces, where it is long.
        for length in [LONG / 2, LONG * 2] {
            let body = request_text(&play(Last::Joint(vec!["a".repeat(length)].into())), Notation::Prefix);
            let mut bytes = Vec::new();
            write(&mut bytes, Vec::new(), &body).await.unwrap();
            assert_eq!(bytes.len(), body.length());
            assert!(String::from_utf8(bytes).unwrap() == body.to_string());
        }
        assert_eq!(
            String::from_utf8(bytes).unwrap(),
            "POST / HTTP/1.0\r\nHost: localhost:9147\r\nAccept: text/delim\r\nSender: GAMEMASTER\r\n\
             Receiver: GAMEPLAYER\r\nContent-type: text/acl\r\nContent-length: 27\r\n\r\n\
             (PLAY MATCH.3316980891 NIL)"
        );
    }
}
