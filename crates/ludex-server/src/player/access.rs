//! Whose requests a player answers: a page in a browser must not use up a player of the same machine.

use std::net::{IpAddr, Ipv6Addr};

use super::reply::{Reply, Status};
use crate::clock::unix_milliseconds;
use crate::http::Head;
use crate::signature::MessageSecret;

/// Who may ask beside programs that are no browsers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// The origins of pages, as browsers write them (`https://example.org`), that may ask; `*` for all.
    /// Pages of others are refused, since no manager that is a program of its own sends an origin.
    pub origins: Vec<String>,
    /// Names by which a player that listens on this machine only may be addressed, beside `localhost` and
    /// addresses of this machine. Under a name of its own, a page of somebody else could reach it as its
    /// own origin.
    pub hosts: Vec<String>,
    /// What the manager signs its messages with. Where there is a secret, messages that are not signed with it are refused.
    pub secret: Option<MessageSecret>,
}

impl Access {
    /// What a request is refused with, if it is. `is_local` says that the player listens on this machine
    /// only.
    pub(super) fn refusal(&self, head: &Head, is_local: bool) -> Option<Reply> {
        if let Some(origin) = head.origins.iter().find(|origin| !self.allows(origin)) {
            let text = format!("pages of {origin} are not answered; the option for it is --allow-origin");
            return Some(Reply::new(Status::Forbidden, text));
        }
        // Some requests of pages come without an origin.
        if head.is_cross_site && head.origins.is_empty() && !self.allows("*") {
            let text = "pages of others are not answered; the option for it is --allow-origin".to_owned();
            return Some(Reply::new(Status::Forbidden, text));
        }
        let host = head.hosts.iter().find(|host| is_local && !self.knows(host))?;
        let text = format!("this player is not called {host}; the option for it is --allow-host");
        Some(Reply::new(Status::Forbidden, text))
    }

    /// What a message is refused with that the manager has not signed, where it has to.
    pub(super) fn unsigned(&self, head: &Head, body: &str) -> Option<Reply> {
        let secret = self.secret.as_ref()?;
        let checked =
            secret.check(head.signature.as_deref(), unix_milliseconds(), "POST", &head.target, body);
        checked.err().map(|error| Reply::new(Status::Forbidden, error.to_string()))
    }

    fn allows(&self, origin: &str) -> bool {
        self.origins.iter().any(|known| known == "*" || known.eq_ignore_ascii_case(origin))
    }

    fn knows(&self, host: &str) -> bool {
        let name = without_port(host);
        let is_here = name.eq_ignore_ascii_case("localhost")
            || name.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
            || name.trim_matches(['[', ']']).parse::<Ipv6Addr>().is_ok_and(|ip| ip.is_loopback());
        is_here || self.hosts.iter().any(|known| known.eq_ignore_ascii_case(name))
    }
}

/// `[::1]:9147` is `[::1]`, `localhost:9147` is `localhost`.
fn without_port(host: &str) -> &str {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.is_empty() && port.bytes().all(|b| b.is_ascii_digit()) => {
            if name.contains(':') && !name.ends_with(']') { host } else { name }
        }
        _ => host,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_this_machine_are_known() {
        let access = Access { hosts: vec!["games.example".to_owned()], ..Access::default() };
        for host in ["localhost", "LOCALHOST:9147", "127.0.0.1:9147", "127.8.8.8", "[::1]:1", "[::1]", "::1"]
        {
            assert!(access.knows(host), "{host}");
        }
        assert!(access.knows("games.example:80"));
        for host in ["evil.example:9147", "localhost.evil.example", "10.0.0.1:9147", "127.0.0.1.evil"] {
            assert!(!access.knows(host), "{host}");
        }
    }
}
