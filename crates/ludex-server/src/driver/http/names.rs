//! Names of hosts that were looked up not long ago, so that it is not done anew for each message, on the
//! clock of the player.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Mutex;
use std::time::Duration;

use crate::lock::lock;
use tokio::time::Instant;

/// How long what was found is taken to be true.
const LIFE: Duration = Duration::from_secs(60);
/// So many names are remembered.
const MOST: usize = 1024;

/// What names of hosts stand for.
#[derive(Debug, Default)]
pub(super) struct Names(Mutex<BTreeMap<String, Found>>);

#[derive(Debug)]
struct Found {
    at: Instant,
    addresses: Vec<IpAddr>,
}

impl Names {
    /// The addresses of a host.
    pub(super) async fn look_up(&self, host: &str, port: u16) -> io::Result<Vec<SocketAddr>> {
        let with_port =
            |addresses: &[IpAddr]| addresses.iter().map(|&ip| SocketAddr::new(ip, port)).collect();
        if let Ok(ip) = host.parse() {
            return Ok(with_port(&[ip]));
        }
        if let Some(found) = lock(&self.0).get(host).filter(|found| found.at.elapsed() < LIFE) {
            return Ok(with_port(&found.addresses));
        }
        let addresses: Vec<IpAddr> = tokio::net::lookup_host((host, port)).await?.map(|a| a.ip()).collect();
        let mut known = lock(&self.0);
        if known.len() >= MOST {
            known.retain(|_, found| found.at.elapsed() < LIFE);
        }
        if known.len() < MOST {
            known.insert(host.to_owned(), Found { at: Instant::now(), addresses: addresses.clone() });
        }
        Ok(with_port(&addresses))
    }

    /// Nobody was met at the addresses of a host, so they may have changed.
    pub(super) fn forget(&self, host: &str) {
        lock(&self.0).remove(host);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn names_are_remembered_until_they_prove_wrong() {
        let names = Names::default();
        let first = names.look_up("localhost", 1).await.unwrap();
        assert!(first.iter().all(|address| address.ip().is_loopback() && address.port() == 1), "{first:?}");
        assert_eq!(lock(&names.0).len(), 1);
        assert_eq!(names.look_up("localhost", 2).await.unwrap().len(), first.len());
        names.forget("localhost");
        assert_eq!(lock(&names.0).len(), 0);
        assert_eq!(names.look_up("127.0.0.1", 3).await.unwrap(), ["127.0.0.1:3".parse().unwrap()]);
        assert_eq!(names.look_up("::1", 3).await.unwrap(), ["[::1]:3".parse().unwrap()]);
        assert_eq!(lock(&names.0).len(), 0, "numbers need no looking up");
    }
}
