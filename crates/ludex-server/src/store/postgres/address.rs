//! The address of a database, which is told without its password.

use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use postgres::Config;
use postgres::config::{Host, SslMode};

use crate::model::StoreError;

/// How long nothing may be heard of a server before a connection to it is lost.
const SILENCE: Duration = Duration::from_secs(30);

/// Where a PostgreSQL database is, and as whom it is used: a URL `postgres://user:password@host:port/database`. With
/// `?host=/run/postgresql` it is reached by a socket of this machine, with `?options=-csearch_path%3DNAME` its tables
/// are in that schema.
#[derive(Clone)]
pub struct PostgresAddress {
    config: Config,
    place: PathBuf,
}

impl PostgresAddress {
    /// Whether a text is meant to be such an address.
    pub fn is_meant(text: &str) -> bool {
        text.starts_with("postgres://") || text.starts_with("postgresql://")
    }

    /// Reads an address; the password, where it has none and one is given.
    ///
    /// # Errors
    /// [`StoreError::Address`], which says nothing of the address: it may have a password.
    pub fn read(text: &str, password: Option<&str>) -> Result<Self, StoreError> {
        let refused = |cause: &str| StoreError::Address { cause: cause.to_owned() };
        let asks_for_more =
            ["sslmode=verify-ca", "sslmode=verify-full"].iter().any(|mode| text.contains(mode));
        let config = text.parse::<Config>().ok().filter(|_| Self::is_meant(text));
        let Some(mut config) = config.filter(|config| !config.get_hosts().is_empty()) else {
            return Err(if asks_for_more { no_tls() } else { refused(SHAPE) });
        };
        if config.get_ssl_mode() == SslMode::Require {
            return Err(no_tls());
        }
        if config.get_password().is_none()
            && let Some(password) = password
        {
            config.password(password);
        }
        config.application_name("ludex").tcp_user_timeout(SILENCE);
        config.keepalives_idle(SILENCE / 2).keepalives_interval(SILENCE / 6);
        let place = place(&config).into();
        Ok(Self { config, place })
    }

    /// Where it is, without the password.
    pub fn place(&self) -> &Path {
        &self.place
    }

    pub(super) fn config(&self) -> &Config {
        &self.config
    }

    /// Whether what is said goes over a network, where others can listen.
    pub(super) fn is_remote(&self) -> bool {
        self.config.get_hosts().iter().any(|host| match host {
            Host::Tcp(name) => {
                name != "localhost"
                    && !name.parse().is_ok_and(|address: std::net::IpAddr| address.is_loopback())
            }
            #[cfg(unix)]
            Host::Unix(_) => false,
        })
    }
}

const SHAPE: &str = "a PostgreSQL database has an address like `postgres://user@host/database`; signs like `/` and `@` \
                     in a password are written `%2F` and `%40`";

fn no_tls() -> StoreError {
    let cause = "ludex speaks to PostgreSQL without TLS: leave `sslmode` out and use a socket of this machine, a \
                 private network, or a tunnel (stunnel, SSH) to the server";
    StoreError::Address { cause: cause.to_owned() }
}

/// The address without the password.
fn place(config: &Config) -> String {
    let user = config.get_user().map(|user| format!("{user}@")).unwrap_or_default();
    let ports = config.get_ports();
    let hosts = config.get_hosts().iter().enumerate().map(|(number, host)| {
        let port = ports.get(number).or(ports.first()).map(|port| format!(":{port}")).unwrap_or_default();
        match host {
            Host::Tcp(name) if name.contains(':') => format!("[{name}]{port}"),
            Host::Tcp(name) => format!("{name}{port}"),
            #[cfg(unix)]
            Host::Unix(path) => format!("{}{port}", path.display()),
        }
    });
    let hosts = hosts.collect::<Vec<_>>().join(",");
    let name = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("postgres://{user}{hosts}/{name}")
}

/// Says nothing of the password.
impl fmt::Debug for PostgresAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PostgresAddress").field(&self.place).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_password_is_told_nowhere() {
        let address = PostgresAddress::read("postgres://anna:pa%2Fss@db.example:5433/ludex", None).unwrap();
        assert_eq!(address.place(), Path::new("postgres://anna@db.example:5433/ludex"));
        assert_eq!(address.config().get_password(), Some(&b"pa/ss"[..]));
        assert!(!format!("{address:?}").contains("pa/ss") && address.is_remote());
        let given = PostgresAddress::read("postgresql:///ludex?host=/run/postgresql&user=anna", Some("word"));
        let given = given.unwrap();
        assert_eq!(given.config().get_password(), Some(&b"word"[..]));
        assert!(!given.is_remote());
        // Nobody has to know how signs are written, as long as it is clear what is meant.
        let plain = PostgresAddress::read("postgres://anna:pass/word@host/db", None).unwrap();
        assert_eq!(plain.config().get_password(), Some(&b"pass/word"[..]));
        assert!(!format!("{plain:?}").contains("word"), "{plain:?}");
        for wrong in [
            "postgres://anna:password@",
            "postgres://anna:password@host:port/db",
            "postgres://anna:password@host/db?nothing=password",
            "postgres://anna:password@host/db?sslmode=require",
            "postgres://anna:password@host/db?sslmode=verify-full",
            "host=h password=password",
        ] {
            let error = PostgresAddress::read(wrong, None).expect_err(wrong).to_string();
            assert!(!error.contains("password@"), "{error}");
            assert_eq!(error.contains("TLS"), wrong.contains("sslmode"), "{error}");
        }
    }
}
