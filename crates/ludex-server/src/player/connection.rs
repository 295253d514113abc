//! One connection: messages in, answers out.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

use ludex::logic::Clock;
use ludex::matches::referee::Moment;
use ludex::matches::service::{CallNumber, Event};
use socket2::{SockRef, TcpKeepalive};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout, timeout_at};

use super::actor::{ServiceActor, Verdict};
use super::options::WireLimits;
use super::reply::{CONTINUE, Reply, Status};
use crate::connections::Visitor;
use crate::http::{
    Body, BodyError, Head, HeadError, Length, Method, Progress, Version, head_end, parse_head,
};

/// After the last answer, what still comes is read for so long and thrown away, so that the answer is not
/// lost when the connection is closed.
const FAREWELL: Duration = Duration::from_secs(1);

/// After so long a silence the other machine is asked whether it is still there.
const VANISHED_AFTER: Duration = Duration::from_secs(20);

/// A connection and what was read from it.
struct Wire {
    stream: TcpStream,
    limits: WireLimits,
    /// Bytes that were read and not yet used.
    buffer: Vec<u8>,
    /// Whether the other side will send nothing more.
    is_ended: bool,
}

/// What came of waiting for bytes.
enum More {
    Bytes,
    End,
    Late,
}

/// A request, complete.
struct Received {
    head: Head,
    text: String,
    /// When its first byte came.
    since: Moment,
    keeps_alive: bool,
}

/// Serves a connection until it ends.
pub(super) async fn serve(stream: TcpStream, peer: SocketAddr, visitor: Visitor, actor: Arc<ServiceActor>) {
    // Answers are small and urgent. Where that cannot be said, they are a little later.
    let _ = stream.set_nodelay(true);
    // A message may be held back for as long as a match in real time lasts: whoever has vanished meanwhile is noticed.
    let alive = TcpKeepalive::new().with_time(VANISHED_AFTER).with_interval(VANISHED_AFTER / 4);
    if let Err(error) = SockRef::from(&stream).set_tcp_keepalive(&alive) {
        tracing::debug!(%peer, %error, "whoever vanishes is not noticed");
    }
    let limits = actor.limits().clone();
    let mut wire = Wire { stream, limits, buffer: Vec::new(), is_ended: false };
    let result = wire.converse(peer, &visitor, &actor).await;
    if let Err(error) = result {
        tracing::debug!(%peer, %error, "connection lost");
    }
}

impl Wire {
    async fn converse(
        &mut self,
        peer: SocketAddr,
        visitor: &Visitor,
        actor: &Arc<ServiceActor>,
    ) -> io::Result<()> {
        loop {
            visitor.listen();
            let received = match self.receive(actor).await? {
                None => return Ok(()),
                Some(Ok(received)) => received,
                Some(Err(refusal)) => {
                    tracing::warn!(%peer, status = refusal.status.line(), cause = refusal.text, "refused");
                    self.write(&refusal.bytes(Version::Http10, false)).await?;
                    return self.part().await;
                }
            };
            visitor.answer();
            let Received { head, text, since, keeps_alive } = received;
            let mut call = None;
            let unsigned = || if head.method == Method::Post { actor.unsigned(&head, &text) } else { None };
            let refusal = actor.refusal(&head).or_else(unsigned);
            // Only those that are not refused are told that they may read the answer.
            let origin = head.origins.first().filter(|_| refusal.is_none()).cloned();
            let reply = match (refusal, &head.method) {
                (Some(refusal), _) => {
                    tracing::warn!(%peer, cause = refusal.text, "refused");
                    refusal
                }
                (None, Method::Post) => {
                    let (number, answer) = actor.put(peer, head.sender.clone(), text, since);
                    call = Some(number);
                    match self.wait_for_answer(number, answer, actor).await {
                        Verdict::Answer(text) => Reply::new(Status::Ok, text),
                        Verdict::Refusal(cause) => Reply::new(Status::BadRequest, cause),
                    }
                }
                (None, _) => self.aside(&head, peer, since, actor).await,
            };
            let reply = Reply { origin, ..reply };
            let keeps_alive = keeps_alive && !actor.is_closing();
            let written = self.write(&reply.bytes(head.version, keeps_alive)).await;
            if let (Err(_), Some(call)) = (&written, call) {
                actor.on(Event::Undelivered(call));
            }
            written?;
            if !keeps_alive {
                visitor.listen();
                return self.part().await;
            }
        }
    }

    /// Waits for the answer to a message, which may be held back for long. Where the connection ends meanwhile, or brings
    /// something else, it is not to be held back any longer.
    async fn wait_for_answer(
        &mut self,
        call: CallNumber,
        mut answer: oneshot::Receiver<Verdict>,
        actor: &Arc<ServiceActor>,
    ) -> Verdict {
        // Who said before that nothing more will come waits for the answer nevertheless.
        if !self.is_ended {
            let is_waiting = self.buffer.is_empty();
            tokio::select! {
                biased;
                verdict = &mut answer => return Verdict::of(verdict),
                () = self.next_bytes(), if is_waiting => {}
                () = std::future::ready(()), if !is_waiting => {}
            }
            actor.on(Event::Abandoned(call));
        }
        Verdict::of(answer.await)
    }

    /// Waits until something more comes, or the end.
    async fn next_bytes(&mut self) {
        let mut bytes = [0; 8192];
        match self.stream.read(&mut bytes).await {
            Ok(0) | Err(_) => self.is_ended = true,
            Ok(count) => self.buffer.extend_from_slice(&bytes[..count]),
        }
    }

    /// Answers what is no message: a look from a browser, or its question whether it may ask.
    async fn aside(&self, head: &Head, peer: SocketAddr, since: Moment, actor: &Arc<ServiceActor>) -> Reply {
        match head.method {
            Method::Options => {
                let private_network = head.asks_private_network && !head.origins.is_empty();
                Reply { private_network, ..Reply::new(Status::NoContent, "") }
            }
            Method::Get | Method::Head => {
                let (_, info) = actor.put(peer, head.sender.clone(), "(info)".to_owned(), since);
                let (Verdict::Answer(text) | Verdict::Refusal(text)) = Verdict::of(info.await);
                Reply { head_only: head.method == Method::Head, ..Reply::new(Status::Ok, text) }
            }
            _ => Reply::new(Status::MethodNotAllowed, "messages are sent with POST"),
        }
    }

    /// Reads a request; `None` where the connection ends without one.
    async fn receive(&mut self, actor: &ServiceActor) -> io::Result<Option<Result<Received, Reply>>> {
        if !self.wait_for_first_byte().await? {
            return Ok(None);
        }
        let since = actor.clock().now();
        let until = Instant::now() + self.limits.patience;
        let head = match self.receive_head(until).await? {
            Ok(head) => head,
            Err(refusal) => return Ok(Some(Err(refusal))),
        };
        if head.method != Method::Post {
            // What else belongs to it nobody wants to know.
            let is_bare = matches!(head.length, Length::Missing | Length::Bytes(0));
            let keeps_alive = head.keeps_alive && is_bare && self.buffer.is_empty();
            return Ok(Some(Ok(Received { head, text: String::new(), since, keeps_alive })));
        }
        let text = match self.receive_body(&head, until).await? {
            Ok(text) => text,
            Err(refusal) => return Ok(Some(Err(refusal))),
        };
        self.skip_blanks();
        // Who sends the next message before it has an answer gets one answer.
        let has_end = head.length != Length::Missing && !self.is_ended;
        let keeps_alive = head.keeps_alive && has_end && self.buffer.is_empty();
        Ok(Some(Ok(Received { head, text, since, keeps_alive })))
    }

    async fn wait_for_first_byte(&mut self) -> io::Result<bool> {
        let until = Instant::now() + self.limits.idle;
        loop {
            self.skip_blanks();
            if !self.buffer.is_empty() {
                return Ok(true);
            }
            if !matches!(self.more(until).await?, More::Bytes) {
                return Ok(false);
            }
        }
    }

    async fn receive_head(&mut self, until: Instant) -> io::Result<Result<Head, Reply>> {
        let mut seen = 0;
        let end = loop {
            if !self.buffer.first().is_some_and(u8::is_ascii_alphabetic) {
                return Ok(Err(Reply::new(Status::BadRequest, HeadError::NotHttp.to_string())));
            }
            let end = head_end(&self.buffer, seen);
            if end.unwrap_or(self.buffer.len()) > self.limits.head {
                return Ok(Err(Reply::new(Status::HeadersTooLong, "the headers are too long")));
            }
            if let Some(end) = end {
                break end;
            }
            seen = self.buffer.len();
            match self.more(until).await? {
                More::Bytes => {}
                More::End => break self.buffer.len(),
                More::Late => return Ok(Err(late())),
            }
        };
        let head = parse_head(&self.buffer[..end], self.limits.headers);
        self.buffer.drain(..end);
        Ok(head.map_err(|error| Reply::new(status_of(error), error.to_string())))
    }

    async fn receive_body(&mut self, head: &Head, until: Instant) -> io::Result<Result<String, Reply>> {
        let refused = |error: BodyError| {
            let status = if error == BodyError::TooLong { Status::TooLong } else { Status::BadRequest };
            Ok(Err(Reply::new(status, error.to_string())))
        };
        let mut body = match Body::new(head.length, self.limits.body) {
            Ok(body) => body,
            Err(error) => return refused(error),
        };
        if head.expects_continue && self.buffer.is_empty() {
            self.write(CONTINUE).await?;
        }
        let is_closed = loop {
            if let Err(error) = body.feed(&std::mem::take(&mut self.buffer)) {
                return refused(error);
            }
            let silence = match body.progress() {
                Progress::Complete => break self.is_ended,
                Progress::More(silence) => silence,
            };
            if self.is_ended {
                break true;
            }
            let quiet = silence.map(|silence| Instant::now() + silence);
            let wait = quiet.map_or(until, |quiet| quiet.min(until));
            match self.more(wait).await? {
                More::Bytes => {}
                More::End => break true,
                More::Late if silence.is_some() => break false,
                More::Late => return Ok(Err(late())),
            }
        };
        match body.finish(is_closed) {
            Ok((text, rest)) => {
                self.buffer = rest;
                Ok(Ok(text))
            }
            Err(error) => refused(error),
        }
    }

    fn skip_blanks(&mut self) {
        let blanks = self.buffer.iter().take_while(|byte| byte.is_ascii_whitespace()).count();
        self.buffer.drain(..blanks);
    }

    async fn more(&mut self, until: Instant) -> io::Result<More> {
        if self.is_ended {
            return Ok(More::End);
        }
        let mut bytes = [0; 8192];
        match timeout_at(until, self.stream.read(&mut bytes)).await {
            Err(_) => Ok(More::Late),
            Ok(read) => match read? {
                0 => {
                    self.is_ended = true;
                    Ok(More::End)
                }
                count => {
                    self.buffer.extend_from_slice(&bytes[..count]);
                    Ok(More::Bytes)
                }
            },
        }
    }

    async fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        let late = |_| io::Error::from(io::ErrorKind::TimedOut);
        timeout(self.limits.patience, self.stream.write_all(bytes)).await.map_err(late)?
    }

    /// Ends the connection so that the last answer arrives.
    async fn part(&mut self) -> io::Result<()> {
        self.stream.shutdown().await?;
        let until = Instant::now() + FAREWELL;
        while matches!(self.more(until).await?, More::Bytes) {
            self.buffer.clear();
        }
        Ok(())
    }
}

fn late() -> Reply {
    Reply::new(Status::Timeout, "the message did not come in time")
}

fn status_of(error: HeadError) -> Status {
    match error {
        HeadError::NotHttp | HeadError::TwoLengths => Status::BadRequest,
        HeadError::Version => Status::Version,
        HeadError::TooManyHeaders => Status::HeadersTooLong,
        HeadError::Encoding => Status::Unsupported,
    }
}
