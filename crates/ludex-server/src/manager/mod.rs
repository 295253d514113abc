//! The Game Manager without its pages: keeps games, players and records, and runs matches and tournaments.

mod archive;
mod contest;
mod contests;
mod core;
mod error;
mod excerpt;
mod face;
mod figures;
mod game;
mod live;
mod options;
mod page;
mod past;
mod plan;
mod player;
mod presence;
mod processes;
mod quarantine;
mod running;
mod seat_key;
mod shelf;

pub use contest::{TournamentDetail, TournamentPlan, TournamentStage, TournamentSummary};
pub use error::ManagerError;
pub(crate) use excerpt::{Excerpt, Room, WantedSteps};
pub use face::{Manager, ManagerStatus, RecordText};
pub use game::{
    GameCheck, GameDetail, GameFacts, GameFinding, GameQuery, GameSummary, GameVersion, NewGame, TextPlace,
};
pub use options::{BuiltInOptions, GameLimits, ManagerOptions, MatchLimits, PingOptions};
pub use page::{Page, PageRequest, all_pages};
pub use plan::{
    ClockPlan, MatchDetail, MatchNews, MatchPlan, MatchQuery, MatchStage, MatchSummary, MatchView,
    PersonSeat, SeatPlan, SeatSummary, StepShown,
};
pub use player::{Availability, PlayerKind, PlayerQuery, PlayerStatistics, PlayerSummary, Presence};
pub use seat_key::SeatKey;
pub(crate) use seat_key::drawn_seed;
