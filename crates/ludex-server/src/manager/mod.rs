//! The Game Manager without its pages: keeps games, players and records, and runs matches and tournaments.

mod accounts;
mod agreements;
mod analysis;
mod archive;
mod claims;
mod core;
mod error;
mod excerpt;
mod face;
mod game_cache;
mod in_turn;
mod knowledge;
mod live;
mod member;
mod metrics;
mod options;
mod past;
mod person;
mod presence;
mod processes;
mod quarantine;
mod ratings;
mod registry;
mod running;
mod scheduler;
mod seat_key;
mod seats;
mod setups;
mod timed_sight;
mod tournaments;

pub use accounts::{
    AccountData, AccountOptions, Accounts, CommandMail, FolderMail, Letter, Mail, NewToken, Quotas,
    SessionInfo, SignedIn, TokenInfo,
};
pub use claims::Whereabouts;
pub use error::ManagerError;
pub(crate) use excerpt::{Excerpt, Room, WantedSteps};
pub(crate) use face::NoAnalysis;
pub use face::{Manager, ManagerStatus, RecordText};
pub(crate) use face::{MatchWait, TournamentOutlook, TournamentWait};
pub use options::{BuiltInOptions, GameLimits, ManagerOptions, MatchLimits, PingOptions, SharingOptions};
pub(crate) use seat_key::drawn_seed;
