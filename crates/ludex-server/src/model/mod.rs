//! What a manager and its store speak of: games, players, matches and tournaments as they are agreed, listed and kept.
//!
//! Plain data, below the [store](crate::store) that keeps it and the [manager](crate::manager) that does something
//! with it.

mod account;
mod agreements;
mod analysis;
mod entries;
mod error;
mod features;
mod game;
mod kept_entry;
mod matches;
mod members;
mod page;
mod player;
mod ratings;
mod results;
mod rights;
mod rows;
mod seat_key;
mod tournament;

pub use account::{
    ACCOUNT_NAME, Account, AccountSummary, ApiToken, AuditEntry, Counted, HiddenThing, SecretDigest, Session,
    Thing, ThingKind, account_key, former_key,
};
pub use agreements::{Offer, OfferKind, Saying};
pub use analysis::{CoursePoint, MatchAnalysis, MoveAnalysis, PositionAnalysis, RoleAnalysis, TurningPoint};
pub use entries::MatchEntries;
pub use error::StoreError;
pub use features::{GameFeatures, GameTag};
pub use game::{
    GameCheck, GameDetail, GameFacts, GameFinding, GameQuery, GameSummary, GameVersion, NewGame, TextPlace,
};
pub use kept_entry::KeptEntry;
pub(crate) use matches::LAST_REVISION;
pub use matches::{
    ClockPlan, MatchDetail, MatchNews, MatchPlan, MatchQuery, MatchStage, MatchSummary, MatchTerms,
    MatchView, PersonSeat, RealTimeView, SeatPlan, SeatSummary, Sides, StepShown,
};
pub use members::{
    Claimed, Engagement, Member, MemberKind, MemberNumber, NewMember, Ownership, SharedNews, Unowned,
};
pub use page::{Page, PageRequest, all_pages};
pub(crate) use player::is_unnamed;
pub use player::{
    Availability, FRIEND, GUEST, PlayerKind, PlayerQuery, PlayerStatistics, PlayerSummary, Presence,
};
pub use ratings::{GameKind, PlayerRating, Population, RatingChange, RatingMoment, RatingQuery, RatingScope};
pub use results::{GameResults, Opening, OpponentResults, PlayerResults, SeatResults};
pub use rights::{Action, Actor, RIGHTS, Right, Role, Scope};
pub use rows::{GameRow, MatchEnd, MatchRow, StoreCounts, TournamentRow};
pub use seat_key::SeatKey;
pub use tournament::{TournamentDetail, TournamentPlan, TournamentQuery, TournamentStage, TournamentSummary};
