//! The server as a program: its socket, its thread, and its end.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use tokio::runtime::{Builder, Runtime};

use super::{WebOptions, WebServer, service_manager};
use crate::interruption::Interruption;
use crate::manager::Manager;

/// A web server that listens, and does not answer yet.
#[derive(Debug)]
pub struct BoundServer {
    listener: TcpListener,
    address: SocketAddr,
    runtime: Runtime,
    interruption: Interruption,
}

impl BoundServer {
    /// Listens at an address; with port 0 at one that is free. From now on the program ends by itself when it
    /// is asked to, as [`BoundServer::run`] has it.
    ///
    /// # Errors
    /// What the system says where that cannot be.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        let listener = TcpListener::bind(address)?;
        listener.set_nonblocking(true)?;
        let address = listener.local_addr()?;
        // Whatever takes time is done on other threads.
        let runtime = Builder::new_current_thread().thread_name("web").enable_all().build()?;
        let interruption = {
            let _inside = runtime.enter();
            Interruption::begin()
        };
        Ok(Self { listener, address, runtime, interruption })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Answers until the program is asked to end, by Ctrl-C or by the system, or until the limit is over, if
    /// there is one; then matches have so long to end, and what is left of them is resumed the next time.
    ///
    /// # Errors
    /// What the system says where there is no thread or socket to be had.
    pub fn run(
        self,
        manager: &Manager,
        options: WebOptions,
        grace: Duration,
        limit: Option<Duration>,
    ) -> io::Result<()> {
        let Self { listener, runtime, interruption, .. } = self;
        let server = WebServer::new(manager.clone(), options);
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener)?;
            let end = async {
                end(interruption, limit).await;
                tracing::info!("the server ends");
                service_manager::ending();
            };
            service_manager::ready();
            tokio::select! {
                () = server.serve(listener, end) => {}
                () = service_manager::alive() => {}
            }
            io::Result::Ok(())
        })?;
        manager.shutdown(grace);
        // A question to the manager that takes long is not waited for.
        runtime.shutdown_background();
        Ok(())
    }
}

/// Waits until the limit is over or somebody wants the program to end.
async fn end(interruption: Interruption, limit: Option<Duration>) {
    match limit {
        // A time-out is one of two ways to the same end.
        Some(limit) => drop(tokio::time::timeout(limit, interruption.happens()).await),
        None => interruption.happens().await,
    }
}
