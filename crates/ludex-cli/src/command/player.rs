//! `ludex player`: strategies that game managers reach over HTTP.

use std::io::Write;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use ludex::matches::service::ServiceOptions;
use ludex::players::Resources;
use ludex_server::MessageSecret;
use ludex_server::player::{Access, PlayerOptions, PlayerServer, ServerError, plays_without_rules_only};
use tracing_subscriber::filter::LevelFilter;

use crate::Context;
use crate::clock::unix_milliseconds;
use crate::failure::Failure;
use crate::limits::{duration, size, thread_count};
use crate::player_text::{player_text, registry};
use crate::remembering::registry_with_memory;
use crate::{log, open_files};

/// Arguments of `player`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex player
  ludex player --port 9147 --strategy ludex --memory 4G --threads 2
  ludex player --port 0 --strategy uct:c=0.8 --name tester --log debug
  ludex player --ponder off                think only when it is asked
  curl -d '(info)' http://127.0.0.1:9147

STRATEGY is one that `ludex players` lists, with options if need be:
NAME:OPTION=VALUE. Messages of both notations and of GDL-II are answered, each in its
own notation. The first line of the output is the address, with --port 0 that of the
port that was chosen; everything else is logged on standard error, with --json as
lines of JSON.
An answer leaves in time whatever the strategy does: if it has not chosen, with a
legal move. In games in real time it leaves when the player moves, or with `nil` when
the next message comes. Rules that cannot be played and matches that are not known are
answered with `busy`. Ctrl-C ends the service after all who wait were answered.
The player listens on this machine only, and answers no pages in browsers. With --host
it can be reached from elsewhere, and then everybody who reaches it can let it play;
with --secret-file, or LUDEX_PLAYER_SECRET, only the manager that was told the same
secret and signs its messages with it.
A manager that is silent for longer than its clocks and 15 s gives way to others where
all places are taken, and is given up after --silence.")]
pub struct PlayerArguments {
    /// The port to listen on; 0 for any that is free
    #[arg(long, value_name = "PORT", default_value_t = 9147)]
    port: u16,

    /// The address to listen on; 0.0.0.0 or :: for all of this machine
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1")]
    host: IpAddr,

    /// Who plays
    #[arg(long, short, value_name = "STRATEGY", default_value = "ludex", value_parser = strategy)]
    strategy: String,

    /// What it calls itself; the name of the strategy where it is not given
    #[arg(long, value_name = "NAME", value_parser = name)]
    name: Option<String>,

    /// In how many matches it plays at once
    #[arg(long, value_name = "N", default_value_t = 4, value_parser = clap::value_parser!(u16).range(1..=1000))]
    matches: u16,

    /// The memory in each match for trees and tables (512M, 4G); 1G where it is not given, and less where the
    /// system gives the process little
    #[arg(long, value_name = "SIZE", value_parser = size)]
    memory: Option<usize>,

    /// Remember in this file what is learned of games and opponents, from match to match; see `ludex memory`
    #[arg(long, value_name = "FILE")]
    memory_file: Option<String>,

    /// How many threads it may use in each match
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = thread_count())]
    threads: u16,

    /// Think while others do, too (on) or only when asked (off); in real time a player always thinks
    #[arg(long, value_name = "on|off", default_value = "on", num_args = 0..=1, default_missing_value = "on")]
    ponder: Switch,

    /// The time kept back of each clock for the way to the manager; 5 % of the clock, at
    /// least 30ms and at most 250ms, where it is not given
    #[arg(long, value_name = "TIME", value_parser = duration)]
    margin: Option<Duration>,

    /// A match of which nothing is heard is left after this time and two play clocks
    #[arg(long, value_name = "TIME", default_value = "2m", value_parser = duration)]
    silence: Duration,

    /// The longest clock: where a manager gives a longer one, the answer leaves after this time
    #[arg(long, value_name = "TIME", default_value = "10m", value_parser = duration)]
    max_clock: Duration,

    /// Answer pages of this origin, such as https://example.org, in browsers; * for all
    #[arg(long, value_name = "ORIGIN")]
    allow_origin: Vec<String>,

    /// Answer when addressed by this name, too; only with --host any name will do
    #[arg(long, value_name = "NAME")]
    allow_host: Vec<String>,

    /// Play only for the manager that signs its messages with the secret in this file
    #[arg(long, value_name = "FILE", conflicts_with = "secret")]
    secret_file: Option<PathBuf>,

    /// The same secret from the environment
    #[arg(long, env = "LUDEX_PLAYER_SECRET", hide = true, hide_env_values = true)]
    secret: Option<String>,

    /// The longest message that is read
    #[arg(long, value_name = "SIZE", default_value = "8M", value_parser = size)]
    max_message: usize,

    /// Decides all chances; another number each time where it is not given
    #[arg(long, value_name = "N")]
    seed: Option<u64>,

    /// What to log
    #[arg(long, value_name = "LEVEL", default_value = "info")]
    log: LogLevel,

    /// Log lines of JSON
    #[arg(long)]
    json: bool,

    /// End at once when standard input ends: for a program that starts players and may be killed
    #[arg(long, hide = true)]
    until_input_ends: bool,
}

/// Connections of managers, with room for those of several that hang.
const OPEN_FILES: u64 = 512;
/// The memory in each match where nothing else is said.
const MOST_MEMORY: usize = 1 << 30;

/// Whether something is done. The variants have no documentation of their own: it would stretch `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Switch {
    On,
    Off,
}

/// What to log. The variants have no documentation of their own: it would stretch `--help`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum LogLevel {
    Off,
    Error,
    Warn,
    Info,
    Debug,
}

impl LogLevel {
    fn filter(self) -> LevelFilter {
        match self {
            Self::Off => LevelFilter::OFF,
            Self::Error => LevelFilter::ERROR,
            Self::Warn => LevelFilter::WARN,
            Self::Info => LevelFilter::INFO,
            Self::Debug => LevelFilter::DEBUG,
        }
    }
}

/// A strategy, or a player that plays without rules only.
fn strategy(text: &str) -> Result<String, String> {
    if plays_without_rules_only(text, registry()) { Ok(text.to_owned()) } else { player_text(text) }
}

/// A name that is a constant in both notations.
fn name(text: &str) -> Result<String, String> {
    let begins = text.starts_with(|c: char| c.is_ascii_lowercase());
    if begins && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        Ok(text.to_owned())
    } else {
        Err("a name is made of letters, digits and _, a lower-case letter first".to_owned())
    }
}

/// Serves.
pub fn run(arguments: &PlayerArguments, context: &mut Context) -> Result<(), Failure> {
    log::begin(arguments.log.filter(), arguments.json, &context.console);
    open_files::raise_limit(OPEN_FILES);
    let server = PlayerServer::bind(arguments.host, arguments.port, options(arguments, context)?);
    let server = server.map_err(|error| failure(error, arguments.port))?;
    if !arguments.host.is_loopback() {
        tracing::warn!("everybody who can reach {} can let this player play", server.address());
    }
    if arguments.until_input_ends {
        let waiting = std::thread::Builder::new().spawn(end_with_input);
        waiting.map_err(|error| Failure::input(format!("no thread can be begun: {error}")))?;
    }
    let limit = context.limits.budget().time_left();
    let address = server.address();
    let begun = || {
        writeln!(context.console, "http://{address}")?;
        context.console.flush()
    };
    server.run(limit, begun).map_err(|error| failure(error, arguments.port))
}

/// Waits for the end of standard input, and ends the process.
fn end_with_input() {
    // Whether it ends or cannot be read any more.
    let _ = std::io::copy(&mut std::io::stdin().lock(), &mut std::io::sink());
    std::process::exit(0);
}

/// What the manager signs its messages with, if it is to. A player that a manager starts itself has that one only.
fn secret(arguments: &PlayerArguments) -> Result<Option<MessageSecret>, Failure> {
    if arguments.until_input_ends {
        return Ok(None);
    }
    let text = match &arguments.secret_file {
        Some(file) => Some(
            std::fs::read_to_string(file)
                .map_err(|error| Failure::input(format!("cannot read `{}`: {error}", file.display())))?,
        ),
        None => arguments.secret.clone(),
    };
    let secret = text.map(|text| MessageSecret::read(&text)).transpose();
    secret.map_err(|error| Failure::Usage(error.to_string()))
}

fn options(arguments: &PlayerArguments, context: &Context) -> Result<PlayerOptions, Failure> {
    let strategy = arguments.strategy.split(':').next().unwrap_or_default();
    let service = ServiceOptions {
        name: arguments.name.clone().unwrap_or_else(|| strategy.replace('-', "_")),
        matches: usize::from(arguments.matches),
        margin: arguments.margin,
        silence: arguments.silence,
        longest_clock: arguments.max_clock,
    };
    let (limits, matches) = (&context.limits, usize::from(arguments.matches));
    let mut options = PlayerOptions {
        service,
        strategy: arguments.strategy.clone(),
        registry: registry_with_memory(arguments.memory_file.as_deref())?,
        resources: Resources {
            seed: arguments.seed.unwrap_or_else(unix_milliseconds),
            memory: arguments.memory.unwrap_or_else(|| limits.memory_of_each(MOST_MEMORY, matches)),
            threads: usize::from(arguments.threads),
            ..Resources::default()
        },
        rules_memory: limits.rules_memory(matches),
        ponder: arguments.ponder == Switch::On,
        access: Access {
            origins: arguments.allow_origin.clone(),
            hosts: arguments.allow_host.clone(),
            secret: secret(arguments)?,
        },
        ..PlayerOptions::default()
    };
    options.wire.body = arguments.max_message;
    Ok(options)
}

fn failure(error: ServerError, port: u16) -> Failure {
    let error = match error {
        ServerError::Run(cause) if cause.kind() == std::io::ErrorKind::BrokenPipe => {
            return Failure::Output(cause);
        }
        error => error,
    };
    let is_taken = matches!(&error, ServerError::Listen { cause, .. }
        if cause.kind() == std::io::ErrorKind::AddrInUse);
    let failure = Failure::input(error.to_string());
    if is_taken && port != 0 {
        failure.hint("another program listens there; `--port 0` takes a port that is free")
    } else {
        failure
    }
}
