//! Where players are, and which places may be connected to.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::str::FromStr;

/// The port of a player whose address is only a host: the one that players have by custom. In a URL the
/// port that is not said is that of HTTP, as everywhere.
pub const DEFAULT_PORT: u16 = 9147;
const HTTP_PORT: u16 = 80;

/// Where a player is: `host`, `host:port` or `http://host:port/path`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct PlayerAddress {
    host: String,
    port: u16,
    path: String,
}

/// Why a text is not the address of a player.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// Nothing that could be a host.
    #[error("`{0}` names no host; players are written host:port or http://host:port")]
    NoHost(String),
    /// The port is no number from 1 to 65535.
    #[error("`{0}` has a port that is no number from 1 to 65535")]
    Port(String),
    /// Neither nothing nor `http`.
    #[error("`{text}`: players are reached by http, not by {scheme}")]
    Scheme {
        /// The address.
        text: String,
        /// What stands before `://`.
        scheme: String,
    },
    /// A character that no address has.
    #[error("`{0}` has a character that no address has")]
    Character(String),
}

impl PlayerAddress {
    /// The host: a name or a number, without the brackets of IPv6.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What is asked for there, beginning with `/`.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Host and port as they stand in a `Host` header.
    pub fn authority(&self) -> String {
        let Self { host, port, .. } = self;
        if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
    }
}

impl From<SocketAddr> for PlayerAddress {
    fn from(address: SocketAddr) -> Self {
        Self { host: address.ip().to_string(), port: address.port(), path: "/".to_owned() }
    }
}

impl FromStr for PlayerAddress {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        // What goes into a request must not be able to end a line of it.
        if !text.chars().all(|c| c.is_ascii_graphic() && !matches!(c, '"' | '<' | '>' | '\\' | '@' | '#')) {
            return Err(AddressError::Character(text.escape_debug().to_string()));
        }
        let (rest, default_port) = match text.split_once("://") {
            Some((scheme, rest)) if scheme.eq_ignore_ascii_case("http") => (rest, HTTP_PORT),
            Some((scheme, _)) => {
                return Err(AddressError::Scheme { text: text.to_owned(), scheme: scheme.to_owned() });
            }
            None => (text, DEFAULT_PORT),
        };
        let (authority, path) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let no_host = || AddressError::NoHost(text.to_owned());
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']').ok_or_else(no_host)?;
                host.parse::<Ipv6Addr>().map_err(|_| no_host())?;
                (host, rest.strip_prefix(':').or(Some("").filter(|_| rest.is_empty())).ok_or_else(no_host)?)
            }
            None if authority.parse::<Ipv6Addr>().is_ok() => (authority, ""),
            None => authority.split_once(':').unwrap_or((authority, "")),
        };
        if host.is_empty() || host.contains(['[', ']']) || authority.ends_with(':') && port.is_empty() {
            return Err(no_host());
        }
        let port = match port {
            "" => default_port,
            digits => {
                digits.parse().ok().filter(|&port| port > 0).ok_or(AddressError::Port(text.to_owned()))?
            }
        };
        let path = if path.starts_with('/') { path.to_owned() } else { format!("/{path}") };
        Ok(Self { host: host.to_ascii_lowercase(), port, path })
    }
}

impl fmt::Display for PlayerAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "http://{}{}", self.authority(), if self.path == "/" { "" } else { &self.path })
    }
}

/// Which addresses may be connected to. It is asked about each address that a name stands for, right
/// before that very address is connected to, so that a name cannot stand for something else in between.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum AddressPolicy {
    /// All: for whoever runs players of their own.
    #[default]
    Anywhere,
    /// Public ones: whoever may register players must not reach what is only for this machine and its
    /// network.
    PublicOnly,
}

impl AddressPolicy {
    /// Whether an address may be connected to.
    pub fn allows(self, address: SocketAddr) -> bool {
        match self {
            Self::Anywhere => true,
            Self::PublicOnly => match address.ip().to_canonical() {
                IpAddr::V4(ip) => is_public_v4(ip),
                IpAddr::V6(ip) => is_public_v6(ip),
            },
        }
    }
}

/// Not in one of the blocks that the registry of special-purpose addresses (RFC 6890) calls not global.
fn is_public_v4(ip: Ipv4Addr) -> bool {
    let [a, b, c, _] = ip.octets();
    let special = matches!(
        (a, b, c),
        (0 | 10 | 127, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 88, 99)
            | (192, 168, _)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
            | (224.., _, _)
    );
    !special
}

fn is_public_v6(ip: Ipv6Addr) -> bool {
    let words = ip.segments();
    let v4 = |high: u16, low: u16| Ipv4Addr::from((u32::from(high) << 16) | u32::from(low));
    match words {
        // Addresses that carry one of IPv4 are as public as that: translation (RFC 6052) and 6to4.
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => is_public_v4(v4(high, low)),
        [0x2002, high, low, ..] => is_public_v4(v4(high, low)),
        // Tunnels, benchmarks, documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // All that is handed out so far begins with the bits 001.
        [first, ..] => first & 0xe000 == 0x2000,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts(text: &str) -> Result<(String, u16, String), AddressError> {
        text.parse::<PlayerAddress>().map(|a| (a.host, a.port, a.path))
    }

    #[test]
    fn addresses_are_read() {
        for (text, host, port, path) in [
            ("localhost:9148", "localhost", 9148, "/"),
            ("localhost", "localhost", 9147, "/"),
            ("http://Player.example:80/", "player.example", 80, "/"),
            ("HTTP://10.0.0.1/play?a=b", "10.0.0.1", 80, "/play?a=b"),
            ("http://h:1?x", "h", 1, "/?x"),
            ("[::1]:9147", "::1", 9147, "/"),
            ("::1", "::1", 9147, "/"),
            ("http://[2001:db8::1]", "2001:db8::1", 80, "/"),
        ] {
            assert_eq!(parts(text), Ok((host.into(), port, path.into())), "{text}");
            let address: PlayerAddress = text.parse().unwrap();
            assert_eq!(address.to_string().parse(), Ok(address), "{text}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in ["", ":9147", "http://", "http:///x", "[::1", "[x]:1", "[::1]9147", "h:"] {
            assert!(matches!(parts(text), Err(AddressError::NoHost(_))), "{text}: {:?}", parts(text));
        }
        for text in ["h:0", "h:65536", "h:-1", "h:80x", "h:1:2"] {
            assert!(matches!(parts(text), Err(AddressError::Port(_))), "{text}");
        }
        for text in ["https://h:1", "ftp://h"] {
            assert!(matches!(parts(text), Err(AddressError::Scheme { .. })), "{text}");
        }
        for text in ["h\r\nX: y", "a b", "user@h", "h\0", "h#x", "hôte"] {
            assert!(matches!(parts(text), Err(AddressError::Character(_))), "{text}");
        }
    }

    #[test]
    fn private_addresses_are_not_public() {
        let policy = AddressPolicy::PublicOnly;
        let private = "127.0.0.1 127.8.8.8 0.0.0.0 10.1.2.3 172.16.0.1 172.31.255.255 192.168.1.1 \
             169.254.169.254 100.64.0.1 198.18.0.1 192.0.2.1 224.0.0.1 255.255.255.255 :: ::1 \
             fe80::1 fc00::1 fd12::1 ff02::1 ::ffff:127.0.0.1 ::ffff:10.0.0.1 ::127.0.0.1 \
             64:ff9b::7f00:1 2002:7f00:1:: 2001:db8::1 2001::1 fec0::1";
        for ip in private.split(' ') {
            let address = SocketAddr::new(ip.parse().unwrap(), 9147);
            assert!(!policy.allows(address), "{ip}");
            assert!(AddressPolicy::Anywhere.allows(address), "{ip}");
        }
        let public = "8.8.8.8 172.32.0.1 172.15.0.1 100.128.0.1 192.167.0.1 223.255.255.255 2606:4700::1111 \
             2a00:1450::1 ::ffff:8.8.8.8 64:ff9b::808:808 2002:808:808::";
        for ip in public.split(' ') {
            assert!(policy.allows(SocketAddr::new(ip.parse().unwrap(), 80)), "{ip}");
        }
    }
}
