//! How a manager is set up.

use std::path::PathBuf;
use std::time::Duration;

use ludex::players::Registry;

use super::accounts::AccountOptions;
use crate::driver::{AddressPolicy, HttpLimits};
use crate::membership::LeaseOptions;
use crate::preparation::PreparationOptions;

/// How a manager is set up. All limits are there so that nobody takes more than there is.
#[derive(Clone, Debug)]
pub struct ManagerOptions {
    /// Which addresses of remote players may be connected to. [`AddressPolicy::PublicOnly`] is for managers
    /// that listen to others than this machine.
    pub policy: AddressPolicy,
    /// What an exchange with a player may take.
    pub http: HttpLimits,
    /// How built-in players are run; `None` where there are none.
    pub built_in: Option<BuiltInOptions>,
    /// How the processes are run that prepare, describe and draw games; `None` where this process does that
    /// itself, and any rules that somebody brings may bring it down.
    pub preparation: Option<PreparationOptions>,
    /// The strategies of built-in players.
    pub registry: Registry,
    /// How remote players are watched.
    pub ping: PingOptions,
    /// Limits on rulesheets and what is made of them.
    pub games: GameLimits,
    /// Limits on matches.
    pub matches: MatchLimits,
    /// Whether the games that come with Ludex are put into the library when a manager starts.
    pub bundled_games: bool,
    /// How many players may be registered.
    pub players: u64,
    /// How many tournaments there may be that are not over.
    pub tournaments: u64,
    /// How accounts are kept; none where there is one organiser, and nobody else has an account.
    pub accounts: Option<AccountOptions>,
    /// How a manager is a member of a store that several share.
    pub sharing: SharingOptions,
}

/// How a manager is a member of a store that several share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SharingOptions {
    /// Where the other servers reach its web side: `host:port`; empty where they do not.
    pub address: String,
    /// How long it may not be heard of before others go on with what it has.
    pub lease: LeaseOptions,
}

impl Default for ManagerOptions {
    /// Players anywhere, no built-in ones, no processes for rules, the bundled games, 2000 players, 100 tournaments,
    /// no accounts.
    fn default() -> Self {
        Self {
            policy: AddressPolicy::default(),
            http: HttpLimits::default(),
            built_in: None,
            preparation: None,
            registry: Registry::default(),
            ping: PingOptions::default(),
            games: GameLimits::default(),
            matches: MatchLimits::default(),
            bundled_games: true,
            players: 2_000,
            tournaments: 100,
            accounts: None,
            sharing: SharingOptions::default(),
        }
    }
}

/// How built-in players are run: each as a process of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltInOptions {
    /// The program: `ludex`. Its arguments are `player --port 0 --matches 64 --log off --strategy S
    /// --until-input-ends` and what follows below; it says its address on a line of its output.
    pub program: PathBuf,
    /// What else it is told, such as `--memory 1GB`.
    pub arguments: Vec<String>,
    /// How many such processes there may be. Those that are idle for longest make room.
    pub processes: usize,
    /// How long a process may take until it answers.
    pub start: Duration,
    /// How long a process may be idle before it is ended.
    pub idle: Duration,
}

impl BuiltInOptions {
    /// This program, without further arguments; 16 processes, 30 seconds to start, 5 minutes idle.
    pub fn of(program: impl Into<PathBuf>) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            processes: 16,
            start: Duration::from_secs(30),
            idle: Duration::from_secs(300),
        }
    }
}

/// How remote players are watched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PingOptions {
    /// How often a player is asked that answers.
    pub every: Duration,
    /// How seldom a player is asked in the end that does not: the time between two questions doubles each
    /// time up to this.
    pub at_most: Duration,
    /// How long an answer is waited for.
    pub patience: Duration,
    /// How many players are asked at the same time.
    pub at_once: usize,
}

impl Default for PingOptions {
    /// Every 30 seconds, at last every half hour; 5 seconds for an answer; 16 at once.
    fn default() -> Self {
        Self {
            every: Duration::from_secs(30),
            at_most: Duration::from_secs(1800),
            patience: Duration::from_secs(5),
            at_once: 16,
        }
    }
}

/// Limits on rulesheets and what is made of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameLimits {
    /// Bytes of a rulesheet.
    pub text: usize,
    /// Bytes that a game may take by internal accounting: to prepare it, and for each question.
    pub memory: usize,
    /// How long it may take to prepare a game. What is too much is counted ([`GameLimits::work`]); whoever takes longer
    /// than this is told that the server is busy, and may try again.
    pub time: Duration,
    /// Steps of inference to prepare a game, and for each question: legal moves, the next state.
    pub work: u64,
    /// How much processor time a step of a match may take: the next state, and what there is to say of it for all
    /// roles. A match whose rules need more is aborted.
    pub step: Duration,
    /// How many games are kept ready.
    pub ready: usize,
    /// How many bytes the games that are kept ready may take, by an estimate. The one that was asked for
    /// last is kept in any case.
    pub ready_bytes: usize,
    /// How many bytes the states may take that were drawn lately and are kept.
    pub shown_bytes: usize,
    /// How many games are prepared at the same time.
    pub at_once: usize,
    /// How many games may wait to be prepared. More are refused.
    pub waiting: usize,
    /// How many games there may be in the library, and versions of each.
    pub games: u64,
    /// How many versions a game may have.
    pub versions: u64,
}

impl Default for GameLimits {
    /// 1 MiB of text, 512 MiB, a minute, 200 million steps of inference, 10 seconds for a step of a match; 64
    /// games of 48 MiB ready, 8 MiB of states, 2 at once, 256 waiting; 10 000 games of 200 versions.
    fn default() -> Self {
        Self {
            text: 1 << 20,
            memory: 512 << 20,
            time: Duration::from_secs(60),
            work: 200_000_000,
            step: Duration::from_secs(10),
            ready: 64,
            ready_bytes: 48 << 20,
            shown_bytes: 8 << 20,
            at_once: 2,
            waiting: 256,
            games: 10_000,
            versions: 200,
        }
    }
}

/// Limits on matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatchLimits {
    /// How many matches run at the same time. The others wait, but for a quarter as many of tournaments: no casual match
    /// holds a tournament up.
    pub running: usize,
    /// How many matches may wait, those for later included. More are refused.
    pub waiting: u64,
    /// The longest clock: start clock, play clock, time bank.
    pub clock: Duration,
    /// The most steps of a match. Matches that agree on none have this limit.
    pub steps: u32,
    /// A match that was gone on with so often without coming through, because the server ended each time before
    /// anything more was written of it, is aborted.
    pub resumptions: u32,
    /// How many referees work things out at the same time; of one game no more than half of them.
    pub workers: usize,
    /// How many records are in memory at the same time beside those that are kept there: a record has up to
    /// 256 MiB.
    pub records_at_once: usize,
    /// How many may wait for a record. More are refused.
    pub records_waiting: usize,
    /// How many bytes the records may take, by an estimate, that were looked at lately and are kept in memory.
    pub record_bytes: usize,
}

impl Default for MatchLimits {
    /// 256 running and 10 000 waiting matches, clocks of a day, 10 000 steps, 3 resumptions, 16 workers; 2 records
    /// at once, 64 that are waited for, 24 MiB of those that were looked at.
    fn default() -> Self {
        Self {
            running: 256,
            waiting: 10_000,
            clock: Duration::from_secs(86_400),
            steps: 10_000,
            resumptions: 3,
            workers: 16,
            records_at_once: 2,
            records_waiting: 64,
            record_bytes: 24 << 20,
        }
    }
}
