//! The server in front of a player service.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use ludex::players::real_time::create_timed;
use ludex::players::{Resources, StrategyError};
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::oneshot;

use super::actor::ServiceActor;
use super::blind_players::plays_without_rules_only;
use super::connection::serve;
use super::options::PlayerOptions;
use super::reply::{Reply, Status};
use crate::connections::ConnectionBudget;
use crate::http::Version;
use crate::interruption::Interruption;

/// When no connection can be taken, the next try comes after this.
const BREATH: Duration = Duration::from_millis(50);
/// So long is waited for answers to leave and for players to stop when the service ends.
const FAREWELL: Duration = Duration::from_secs(2);

/// Why there is no player service.
#[derive(Debug, thiserror::Error)]
pub enum ServerError {
    /// There is no such player.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// Nothing can be listened to at this address.
    #[error("cannot listen on {address}: {cause}")]
    Listen {
        /// Where.
        address: SocketAddr,
        /// Why not.
        cause: io::Error,
    },
    /// The service cannot run.
    #[error("the service cannot run: {0}")]
    Run(#[from] io::Error),
}

/// A player service that listens, and answers once it [runs](PlayerServer::run).
pub struct PlayerServer {
    listener: StdListener,
    address: SocketAddr,
    actor: Arc<ServiceActor>,
}

impl PlayerServer {
    /// Listens at a port of an address; port 0 is any that is free.
    ///
    /// # Errors
    /// [`ServerError`].
    pub fn bind(host: IpAddr, port: u16, options: PlayerOptions) -> Result<Self, ServerError> {
        let made = options.registry.create(&options.strategy, &Resources::default()).map(|_| ());
        // Games in real time have strategies of their own, some of the same names.
        let made = made.or_else(|error| create_timed(&options.strategy, 1).map(|_| ()).map_err(|_| error));
        if !plays_without_rules_only(&options.strategy, &options.registry) {
            made?;
        }
        let address = SocketAddr::new(host, port);
        let failed = |cause| ServerError::Listen { address, cause };
        let listener = StdListener::bind(address).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        Ok(Self { listener, address, actor: Arc::new(ServiceActor::new(options, host.is_loopback())) })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Runs until the process is interrupted (Ctrl-C) or told to end, or for so long. Then whoever waits is
    /// answered, and all matches are left. Calls `begun` as soon as it can be asked to end: whoever is told
    /// the address may do that.
    ///
    /// # Errors
    /// [`ServerError::Run`], also where `begun` fails.
    pub fn run(
        self,
        limit: Option<Duration>,
        begun: impl FnOnce() -> io::Result<()>,
    ) -> Result<(), ServerError> {
        let runtime = runtime()?;
        let interruption = {
            let _inside = runtime.enter();
            Interruption::begin()
        };
        begun()?;
        let stop = async {
            match limit {
                // Whether it was interrupted or the time is over.
                Some(limit) => drop(tokio::time::timeout(limit, interruption.happens()).await),
                None => interruption.happens().await,
            }
        };
        Ok(runtime.block_on(self.serve(stop))?)
    }

    /// Runs on a thread of its own, until the handle goes.
    ///
    /// # Errors
    /// [`ServerError::Run`].
    pub fn start(self) -> Result<RunningPlayer, ServerError> {
        let runtime = runtime()?;
        let address = self.address;
        let (stop, stopped) = oneshot::channel();
        let thread = std::thread::Builder::new().name("player".to_owned()).spawn(move || {
            let stopped = async {
                // Whether it is told to stop or forgotten.
                let _ = stopped.await;
            };
            runtime.block_on(self.serve(stopped))
        })?;
        Ok(RunningPlayer { address, stop: Some(stop), thread: Some(thread) })
    }

    async fn serve(self, stop: impl Future<Output = ()>) -> io::Result<()> {
        let listener = TcpListener::from_std(self.listener)?;
        let budget = Arc::new(ConnectionBudget::default());
        let actor = self.actor;
        tokio::select! {
            () = stop => {}
            () = take_all(&listener, &budget, &actor) => {}
            () = actor.keep_time() => {}
        }
        drop(listener);
        tracing::info!("the service ends");
        actor.close();
        budget.dismiss_silent();
        let gone = async {
            while budget.count() > 0 {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
        };
        // Who does not take an answer does not get it.
        let _ = tokio::time::timeout(FAREWELL, gone).await;
        actor.join(FAREWELL);
        Ok(())
    }
}

/// One thread is enough for what is read and written.
fn runtime() -> io::Result<Runtime> {
    Builder::new_current_thread().enable_all().build()
}

/// Takes in everybody who connects, for ever.
async fn take_all(listener: &TcpListener, budget: &Arc<ConnectionBudget>, actor: &Arc<ServiceActor>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => take(stream, peer, budget, actor),
            Err(error) => {
                // Too many files are open, or somebody left before being let in.
                tracing::warn!(%error, "no connection could be taken");
                tokio::time::sleep(BREATH).await;
            }
        }
    }
}

fn take(mut stream: TcpStream, peer: SocketAddr, budget: &Arc<ConnectionBudget>, actor: &Arc<ServiceActor>) {
    let Some(mut visitor) = budget.enter(actor.limits().connections) else {
        tracing::warn!(%peer, "refused: too many connections");
        tokio::spawn(async move {
            let reply = Reply::new(Status::Unavailable, "too many connections");
            let reply = reply.bytes(Version::Http10, false);
            // It is told if it listens.
            let _ = tokio::time::timeout(BREATH, stream.write_all(&reply)).await;
        });
        return;
    };
    let actor = Arc::clone(actor);
    let (begin, begun) = oneshot::channel();
    let task = tokio::spawn(async move {
        // The task is known to the budget before it does anything.
        if let Ok(visitor) = begun.await {
            serve(stream, peer, visitor, actor).await;
        }
    });
    visitor.served_by(task.abort_handle());
    // The task waits for it.
    let _ = begin.send(visitor);
}

/// A player service on a thread of its own. It ends when this goes.
#[derive(Debug)]
pub struct RunningPlayer {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<io::Result<()>>>,
}

impl RunningPlayer {
    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for RunningPlayer {
    fn drop(&mut self) {
        drop(self.stop.take());
        if let Some(thread) = self.thread.take() {
            // It breaks down after it has ended, if at all.
            let _ = thread.join();
        }
    }
}
