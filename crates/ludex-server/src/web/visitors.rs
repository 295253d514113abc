//! What each address takes of the server, so that none takes all of it.

use std::collections::BTreeMap;
use std::net::{IpAddr, Ipv6Addr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::extract::Request;
use axum::http::{HeaderMap, StatusCode};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use super::failure::WebFailure;
use super::forward::Forwarded;
use super::listen::ConnectionLimits;
use crate::lock::lock;
use crate::manager::Manager;

/// What somebody has of the server for a while.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Share {
    /// A connection.
    Connection,
    /// A request that is under way.
    Request,
    /// Events as they happen.
    Stream,
    /// A list of records that is being sent.
    Download,
    /// An account that was made in the last hour.
    SignUp,
    /// A mail that was asked for in the last hour.
    Mail,
    /// A match that somebody made in the last hour without an account.
    GuestMatch,
}

/// So long counts what is done now and then.
const HOUR: Duration = Duration::from_secs(3600);
/// So much is done now and then in an hour by all addresses together.
const NOW_AND_THEN: usize = 10_000;

/// The address that a connection comes from.
#[derive(Clone, Copy, Debug)]
pub(super) struct Peer(pub(super) IpAddr);

/// Who has what.
#[derive(Clone, Debug)]
pub(super) struct Visitors {
    limits: ConnectionLimits,
    counts: Arc<Mutex<BTreeMap<(IpAddr, Share), usize>>>,
    /// Room for all who watch, and for all who download.
    streams: Arc<Semaphore>,
    most_streams: usize,
    downloads: Arc<Semaphore>,
    /// Room for what all do now and then.
    now_and_then: Arc<Semaphore>,
    /// Who knows the other servers, whose connections are those of many.
    manager: Option<Manager>,
}

/// A share that somebody has. It is given back with this.
#[derive(Debug)]
pub(super) struct Taken {
    counts: Arc<Mutex<BTreeMap<(IpAddr, Share), usize>>>,
    key: Option<(IpAddr, Share)>,
    _place: Option<OwnedSemaphorePermit>,
}

tokio::task_local! {
    /// The request that a task answers.
    static REQUEST: Arc<Taken>;
}

/// Answers a request as one that is under way.
pub(super) async fn answering<T>(request: &Arc<Taken>, answer: impl Future<Output = T>) -> T {
    REQUEST.scope(Arc::clone(request), answer).await
}

/// The request that is being answered, for what goes on when nobody waits for the answer any more; none in the
/// middle of a long answer, which has a share of its own.
pub(super) fn request_under_way() -> Option<Arc<Taken>> {
    REQUEST.try_with(Arc::clone).ok()
}

impl Drop for Taken {
    fn drop(&mut self) {
        let Some(key) = self.key else { return };
        let mut counts = lock(&self.counts);
        if let Some(count) = counts.get_mut(&key) {
            *count -= 1;
            if *count == 0 {
                counts.remove(&key);
            }
        }
    }
}

impl Visitors {
    pub(super) fn new(limits: ConnectionLimits) -> Self {
        // Whoever watches keeps a connection; others are to get through, too.
        let (streams, downloads) = ((limits.connections * 3 / 4).max(1), limits.connections / 8);
        Self {
            limits,
            counts: Arc::default(),
            streams: Arc::new(Semaphore::new(streams)),
            most_streams: streams,
            downloads: Arc::new(Semaphore::new(downloads.max(1))),
            now_and_then: Arc::new(Semaphore::new(NOW_AND_THEN)),
            manager: None,
        }
    }

    /// Does not count connections of the servers that share the store of this manager.
    pub(super) fn with_servers_of(self, manager: &Manager) -> Self {
        Self { manager: Some(manager.clone()), ..self }
    }

    /// How much of something one address may have.
    fn limit(&self, share: Share) -> usize {
        let all = self.limits.per_address;
        match share {
            Share::Connection | Share::Request => all,
            Share::Stream => (all / 2).max(1),
            Share::Download => (all / 16).max(1),
            Share::SignUp | Share::Mail => (all / 12).max(1),
            Share::GuestMatch => (all / 4).max(1),
        }
    }

    /// Takes a share for an address; `None` where it has as much as it may.
    fn take(&self, address: Option<IpAddr>, share: Share) -> Option<Taken> {
        let counted = address.filter(|_| self.limits.per_address > 0);
        let key = counted.map(|address| (network(address), share));
        if let Some(key) = key {
            let mut counts = lock(&self.counts);
            let count = counts.entry(key).or_default();
            if *count >= self.limit(share) {
                return None;
            }
            *count += 1;
        }
        Some(Taken { counts: Arc::clone(&self.counts), key, _place: None })
    }

    /// Something that is done now and then: it is the share of an address for an hour.
    ///
    /// # Errors
    /// Where the address, or all together, have done so too often.
    pub(super) fn now_and_then(&self, address: Option<IpAddr>, share: Share) -> Result<(), WebFailure> {
        let too_often = |status| WebFailure::new(status, "That was done too often. Try again in an hour.");
        let mut taken = self.take(address, share).ok_or_else(|| too_often(StatusCode::TOO_MANY_REQUESTS))?;
        let place = Arc::clone(&self.now_and_then).try_acquire_owned();
        taken._place = Some(place.map_err(|_| too_often(StatusCode::SERVICE_UNAVAILABLE))?);
        tokio::spawn(async move {
            tokio::time::sleep(HOUR).await;
            drop(taken);
        });
        Ok(())
    }

    /// A connection. Those of a proxy and of other servers are not counted: they have them for many.
    pub(super) fn connection(&self, peer: IpAddr) -> Option<Taken> {
        let has_many = self.limits.behind_proxy
            || self.manager.as_ref().is_some_and(|manager| manager.is_address_of_another(peer));
        self.take((!has_many).then_some(peer), Share::Connection)
    }

    /// Whom a request comes from; `None` where it came through no socket.
    pub(super) fn address(&self, request: &Request) -> Option<IpAddr> {
        if let Some(Forwarded(visitor)) = request.extensions().get() {
            return *visitor;
        }
        let peer = request.extensions().get::<Peer>().map(|peer| peer.0);
        if self.limits.behind_proxy { forwarded(request.headers()).or(peer) } else { peer }
    }

    /// How many streams of events are open.
    pub(super) fn streams_open(&self) -> usize {
        self.most_streams.saturating_sub(self.streams.available_permits())
    }

    /// A request that is under way.
    pub(super) fn request(&self, address: Option<IpAddr>) -> Result<Arc<Taken>, WebFailure> {
        self.take(address, Share::Request).map(Arc::new).ok_or_else(|| too_many("requests are under way"))
    }

    /// Events as they happen, or a download.
    pub(super) fn long(&self, address: Option<IpAddr>, share: Share) -> Result<Taken, WebFailure> {
        let (all, doing) = match share {
            Share::Download => (&self.downloads, "records are sent"),
            _ => (&self.streams, "live events are sent"),
        };
        let mut taken = self.take(address, share).ok_or_else(|| too_many(doing))?;
        let place = Arc::clone(all).try_acquire_owned().map_err(|_| {
            let text = format!("Too many {doing} already. Try again later.");
            WebFailure::new(StatusCode::SERVICE_UNAVAILABLE, text)
        })?;
        taken._place = Some(place);
        Ok(taken)
    }
}

fn too_many(doing: &str) -> WebFailure {
    let text = format!("Too many {doing} for your address already.");
    WebFailure::new(StatusCode::TOO_MANY_REQUESTS, text)
}

/// Whom a proxy says that it asks for: the last address of `X-Forwarded-For`, which the proxy itself has added.
fn forwarded(headers: &HeaderMap) -> Option<IpAddr> {
    let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
    let last = last.rsplit(',').next()?.trim();
    let bare = last.strip_prefix('[').and_then(|rest| rest.split(']').next());
    let without_port = || last.rsplit_once(':').and_then(|(address, _)| address.parse().ok());
    bare.unwrap_or(last).parse().ok().or_else(without_port)
}

/// What counts as one address: of IPv6 the first half, because everybody has as many of the others as they like.
pub(super) fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from_bits(address.to_bits() & (u128::MAX << 64))),
        address => address,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitors(per_address: usize, behind_proxy: bool) -> Visitors {
        Visitors::new(ConnectionLimits { per_address, behind_proxy, ..ConnectionLimits::default() })
    }

    fn address(text: &str) -> Option<IpAddr> {
        Some(text.parse().unwrap())
    }

    #[test]
    fn no_address_takes_all_and_what_is_given_back_can_be_taken_again() {
        let visitors = visitors(32, false);
        let one = address("192.0.2.1");
        let mut streams: Vec<Taken> = (0..16).map(|_| visitors.long(one, Share::Stream).unwrap()).collect();
        assert_eq!(visitors.long(one, Share::Stream).unwrap_err().status, StatusCode::TOO_MANY_REQUESTS);
        assert!(visitors.long(one, Share::Download).is_ok(), "which is something else");
        assert!(visitors.long(address("192.0.2.2"), Share::Stream).is_ok(), "others get through");
        streams.pop();
        assert!(visitors.long(one, Share::Stream).is_ok());
        drop(streams);
        assert!(lock(&visitors.counts).is_empty(), "nothing is remembered of who is gone");
    }

    #[test]
    fn half_an_address_of_the_sixth_version_is_one_and_mapped_ones_are_what_they_stand_for() {
        let visitors = visitors(1, false);
        let held = visitors.request(address("2001:db8::1"));
        assert!(held.is_ok() && visitors.request(address("2001:db8::ffff:2")).is_err());
        assert!(visitors.request(address("2001:db8:0:1::1")).is_ok());
        let held = visitors.request(address("192.0.2.1"));
        assert!(held.is_ok() && visitors.request(address("::ffff:192.0.2.1")).is_err());
    }

    #[test]
    fn limits_can_be_left_out_and_a_proxy_says_whom_it_asks_for() {
        let free = visitors(0, false);
        let held: Vec<_> = (0..300).map(|_| free.request(address("127.0.0.1"))).collect();
        assert!(held.iter().all(Result::is_ok));
        let peer = Peer("127.0.0.1".parse().unwrap());
        let request = |header: &str| {
            let mut request = Request::new(axum::body::Body::empty());
            request.extensions_mut().insert(peer);
            request.headers_mut().insert("x-forwarded-for", header.parse().unwrap());
            request
        };
        let behind = visitors(8, true);
        for (header, wanted) in [
            ("192.0.2.7", "192.0.2.7"),
            ("10.0.0.1, 192.0.2.7", "192.0.2.7"),
            ("192.0.2.7:4711", "192.0.2.7"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]:80", "2001:db8::1"),
            ("rubbish", "127.0.0.1"),
        ] {
            assert_eq!(behind.address(&request(header)), address(wanted), "{header}");
            assert_eq!(free.address(&request(header)), address("127.0.0.1"), "nobody is believed");
        }
        let connections: Vec<_> = (0..100).map(|_| behind.connection(peer.0)).collect();
        assert!(connections.iter().all(Option::is_some), "a proxy has as many as it wants");
    }
}
