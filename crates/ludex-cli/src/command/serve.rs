//! `ludex serve`: the Game Manager.

use std::io::Write;
use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use ludex_server::driver::AddressPolicy;
use ludex_server::manager::{BuiltInOptions, Manager, ManagerError, ManagerOptions, SharingOptions};
use ludex_server::membership::LeaseOptions;
use ludex_server::model::{PlayerKind, PlayerQuery};
use ludex_server::preparation::PreparationOptions;
use ludex_server::store::{Store, StorePlace};
use ludex_server::web::{BoundServer, ConnectionLimits, WebOptions};
use tracing_subscriber::filter::LevelFilter;

use super::account_arguments::AccountArguments;
use super::store::{store_failure, store_place};
use crate::Context;
use crate::failure::Failure;
use crate::limits::{duration, size};
use crate::player_text::registry;
use crate::{freed_memory, log, open_files};

/// Arguments of `serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex serve
  ludex serve --port 8000 --data ~/tournaments --players 4
  LUDEX_TOKEN=... ludex serve --host 0.0.0.0
  ludex serve --store postgres://ludex@localhost/ludex
  ludex serve --accounts --host 0.0.0.0 --mail-command 'sendmail -t'
  curl http://127.0.0.1:8080/api/status

Then open the address in a browser: play, watch, upload games, register players, run
tournaments. Programs find the same abilities below /api, and their description at
/api/openapi.json; /livez, /readyz, /healthz and /metrics are for who watches over it.
Everything is kept in the data folder, or with --store in a PostgreSQL database. Whatever
happens to the server, the next one on the same folder or database goes on with the
matches and tournaments that were running. `ludex store` copies from one to the other.
With --accounts it is for strangers: whoever changes something signs in, and may do what
the role of the account allows. `ludex account` makes the first administrator.
Any number of servers may have one database at the same time: each match runs on one of
them, any of them has the pages of all, and what one loses the others go on with.
The server can be reached from this machine only. With --host or --behind-proxy it can be
reached from elsewhere: whoever changes something then needs the token or an account, and
players at private addresses are refused. It speaks plain HTTP; for others put a proxy
with TLS before it.
The first line of the output is the address; the log goes to standard error, with --json
as lines of JSON. Ctrl-C ends the server; matches have --grace to end, and what is left
of them goes on the next time.")]
pub struct ServeArguments {
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 8080)]
    port: u16,

    /// The address to listen on; 0.0.0.0 or :: for all of this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,

    /// Where games, players and records are kept; made if need be
    #[arg(long, value_name = "FOLDER", default_value = "ludex-data")]
    data: PathBuf,

    /// Keep them in a PostgreSQL database instead: postgres://USER@HOST/DATABASE; the password may stand in PGPASSWORD
    #[arg(long, value_name = "ADDRESS", conflicts_with = "data")]
    store: Option<String>,

    /// Where other servers on the same database reach this one: HOST:PORT; where it listens
    /// unless something else is said
    #[arg(long, value_name = "ADDRESS", requires = "store")]
    internal_address: Option<String>,

    /// After how long without a sign other servers on the same database go on with what this
    /// one has
    #[arg(long, value_name = "TIME", default_value = "5s", value_parser = lease, requires = "store")]
    lease: Duration,

    /// What whoever changes something has to know: 12 characters or more
    #[arg(long, value_name = "TOKEN", env = "LUDEX_TOKEN", hide_env_values = true, value_parser = token)]
    token: Option<String>,

    #[command(flatten)]
    accounts: AccountArguments,

    /// How many processes of built-in players there may be at once; 0 for no built-in players
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(..=1000))]
    players: u16,

    /// The memory of each built-in player in each match (512M, 4G); 512M where it is not given, and less where
    /// the system gives processes little
    #[arg(long, value_name = "SIZE", value_parser = size)]
    player_memory: Option<usize>,

    /// The memory of each process that prepares, describes and draws games (1G, 2G)
    #[arg(long, value_name = "SIZE", default_value = "1536M", value_parser = size)]
    rules_memory: usize,

    /// How long it may take to prepare a game before whoever asked is told to try again; a process that takes much longer
    /// is ended
    #[arg(long, value_name = "TIME", default_value = "60s", value_parser = duration)]
    rules_time: Duration,

    /// How much processor time a step of a match may take; a match whose rules need more is aborted
    #[arg(long, value_name = "TIME", default_value = "10s", value_parser = duration)]
    step_time: Duration,

    /// How many matches run at the same time; the others wait
    #[arg(long, value_name = "N", default_value_t = 256, value_parser = clap::value_parser!(u32).range(1..=100_000))]
    matches: u32,

    /// How many connections there may be at once
    #[arg(long, value_name = "N", default_value_t = 512, value_parser = clap::value_parser!(u32).range(8..=100_000))]
    connections: u32,

    /// How many of them one address may have, half of them to watch live; 0 for any number
    #[arg(long, value_name = "N", default_value_t = 128)]
    per_address: u32,

    /// Others reach the server through a proxy, which names their addresses in X-Forwarded-For,
    /// and through nothing else
    #[arg(long)]
    behind_proxy: bool,

    /// How long running matches may take to end when the server ends
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    grace: Duration,

    /// How long the server goes on as before when it is to end, while /readyz asks for others to have the
    /// requests: longer than whoever shares them out takes to notice
    #[arg(long, value_name = "TIME", default_value = "0s", value_parser = duration)]
    drain: Duration,

    /// What to log; at `debug` also each request
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LevelFilter,

    /// Log lines of JSON
    #[arg(long)]
    json: bool,
}

/// A process that works on rules has so much more time than it is told, and is ended then.
const FAREWELL: Duration = Duration::from_secs(60);

/// Beside the connections of the web side: one to each player of each running match.
const OPEN_FILES: u64 = 1024;
/// The memory of each built-in player where nothing else is said.
const PLAYER_MEMORY: usize = 512 << 20;

/// A lease that servers can keep.
fn lease(text: &str) -> Result<Duration, String> {
    let lease = duration(text)?;
    let possible = Duration::from_secs(1)..=Duration::from_secs(600);
    if possible.contains(&lease) { Ok(lease) } else { Err("a lease lasts from 1s to 10m".to_owned()) }
}

fn token(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.chars().count() {
        0..12 => Err("a token that nobody guesses has 12 characters or more".to_owned()),
        _ => Ok(text.to_owned()),
    }
}

/// Serves.
pub fn run(arguments: &ServeArguments, context: &mut Context) -> Result<(), Failure> {
    let token = arguments.token.as_deref();
    log::begin(arguments.log, arguments.json, &context.console);
    let allowed = open_files::raise_limit(
        OPEN_FILES + 2 * u64::from(arguments.matches) + u64::from(arguments.connections),
    );
    // The other half is for the database, and for players.
    let allowed = usize::try_from(allowed.unwrap_or(u64::MAX) / 2).unwrap_or(usize::MAX);
    let (mut connections, mut per_address) = (arguments.connections as usize, arguments.per_address as usize);
    if allowed < connections {
        // Nobody has all of the fewer that there are.
        (connections, per_address) = (allowed, per_address.min((allowed / 2).max(1)));
    }
    let limits = ConnectionLimits {
        connections,
        per_address,
        behind_proxy: arguments.behind_proxy,
        ..ConnectionLimits::default()
    };
    let web = match (is_private(arguments), token) {
        (false, None) if arguments.accounts.accounts => WebOptions::with_accounts(),
        (true, token) => WebOptions::loopback(token),
        (false, Some(token)) => WebOptions::public(token),
        (false, None) => {
            let text = "a server that others can reach, through a proxy or not, needs `--accounts`, or `--token`, or \
                        LUDEX_TOKEN in the environment";
            return Err(Failure::Usage(text.to_owned()));
        }
    };
    freed_memory::give_back_from_now_on();
    let web = web.with_limits(limits).with_drain(arguments.drain);
    let server = bind(arguments)?;
    let mut options = options(arguments, context)?;
    options.accounts = arguments.accounts.options(&format!("http://{}", server.address()));
    options.sharing = sharing(arguments, server.address());
    let manager = Manager::start(open_store(arguments)?, options);
    let manager = manager.map_err(|error| Failure::input(error.to_string()))?;
    has_administrator(&manager)?;
    writeln!(context.console, "http://{}", server.address())?;
    context.console.flush()?;
    if arguments.accounts.accounts {
        tracing::info!("whoever changes something signs in with an account");
    } else if is_private(arguments) {
        tracing::info!("only this machine can reach the server; `--host` with `--token` lets others in");
    } else {
        let through = if arguments.behind_proxy { "its proxy" } else { "it" };
        let address = server.address();
        tracing::warn!(%address, "everybody who can reach {through} can look on; the token is for changes");
    }
    if arguments.players > 0 {
        welcome(&manager).map_err(|error| Failure::input(error.to_string()))?;
    }
    let limit = context.limits.budget().time_left();
    server.run(&manager, web, arguments.grace, limit).map_err(|error| Failure::input(error.to_string()))
}

/// Whether nobody reaches the server but who is at this machine. What comes through a proxy may come from anywhere.
fn is_private(arguments: &ServeArguments) -> bool {
    arguments.host.is_loopback() && !arguments.behind_proxy
}

/// That somebody can look after accounts, where there are any.
fn has_administrator(manager: &Manager) -> Result<(), Failure> {
    let Some(accounts) = manager.accounts() else { return Ok(()) };
    if accounts.has_administrator().map_err(|error| Failure::input(error.to_string()))? {
        return Ok(());
    }
    let failure = Failure::input("nobody could look after the accounts: there is no administrator yet");
    Err(failure.hint("`ludex account add STORE NAME --role administrator` makes one"))
}

/// How the server is a member of a database that several share.
fn sharing(arguments: &ServeArguments, bound: SocketAddr) -> SharingOptions {
    let bound = if bound.ip().is_unspecified() { String::new() } else { bound.to_string() };
    let address = arguments.internal_address.clone().unwrap_or(bound);
    if address.is_empty() && arguments.store.is_some() {
        tracing::warn!("other servers on this database cannot reach this one without `--internal-address`");
    }
    SharingOptions { address, lease: LeaseOptions::lasting(arguments.lease) }
}

fn open_store(arguments: &ServeArguments) -> Result<Arc<dyn Store>, Failure> {
    let place = match &arguments.store {
        Some(address) => store_place(address)?,
        None => StorePlace::Folder(arguments.data.clone()),
    };
    place.open().map_err(|error| match place {
        StorePlace::Folder(_) => {
            Failure::input(error.to_string()).hint("`--data FOLDER` keeps everything somewhere else")
        }
        _ => store_failure(&error),
    })
}

/// Registers some built-in players where there is no player at all, so that there is somebody to play with.
fn welcome(manager: &Manager) -> Result<(), ManagerError> {
    if manager.players(&PlayerQuery::default())?.total > 0 {
        return Ok(());
    }
    for (name, strategy) in [("ludex", "ludex"), ("uct", "uct"), ("random-player", "random")] {
        let built_in = PlayerKind::BuiltIn { strategy: strategy.to_owned() };
        match manager.register_player(name, &built_in) {
            // Another server on the same database was quicker.
            Ok(_) | Err(ManagerError::Exists { .. }) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

fn bind(arguments: &ServeArguments) -> Result<BoundServer, Failure> {
    let address = SocketAddr::new(arguments.host, arguments.port);
    BoundServer::bind(address).map_err(|error| {
        let failure = Failure::input(format!("cannot listen at {address}: {error}"));
        match error.kind() {
            std::io::ErrorKind::AddrInUse => {
                failure.hint("another program listens there; `--port 0` takes a port that is free")
            }
            _ => failure,
        }
    })
}

fn options(arguments: &ServeArguments, context: &Context) -> Result<ManagerOptions, Failure> {
    let mut options =
        ManagerOptions { registry: registry().clone().without_trained(), ..ManagerOptions::default() };
    if !is_private(arguments) {
        options.policy = AddressPolicy::PublicOnly;
    }
    let program = std::env::current_exe()
        .map_err(|error| Failure::input(format!("cannot find the program for players and rules: {error}")))?;
    options.preparation = Some(PreparationOptions {
        memory: arguments.rules_memory as u64,
        patience: arguments.rules_time.saturating_add(FAREWELL),
        ..PreparationOptions::of(&program)
    });
    options.games.time = arguments.rules_time;
    options.games.step = arguments.step_time;
    options.matches.running = arguments.matches as usize;
    if arguments.players > 0 {
        let mut built_in = BuiltInOptions::of(program);
        built_in.processes = usize::from(arguments.players);
        let memory =
            arguments.player_memory.unwrap_or_else(|| context.limits.memory_of_each(PLAYER_MEMORY, 1));
        built_in.arguments = vec!["--memory".into(), memory.to_string()];
        options.built_in = Some(built_in);
    }
    options.games.memory = options.games.memory.min(context.limits.budget().memory());
    Ok(options)
}
