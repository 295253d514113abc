//! Where a game manager keeps games, players, matches and tournaments.
//!
//! A [`Store`] is all that has to last. [`SqliteStore`] is one in a file, or in memory for tests;
//! `PostgresStore` is one in a PostgreSQL database (feature `postgres`). The trait speaks the words of [`crate::model`], keeps what it is
//! given and finds it again; what may be done is for the manager to say. Whatever a method has written when it
//! comes back well is there after a power cut, and a method that fails has written nothing. Some methods say
//! that a power cut may take what they wrote: never without all that was written after it.

mod accounts;
mod copy;
mod filling;
mod place;
#[cfg(feature = "postgres")]
mod postgres;
mod ratings;
mod record;
mod shared;
mod sqlite;
mod tables;
mod values;

use ludex::AnyRecord;
use ludex::matches::tournament::TournamentEvent;

pub use accounts::AccountStore;
pub use copy::{CopyProgress, StoreDigest, TableDigest, check_store, copy_store};
pub use filling::{FillSample, FillSizes, FilledKind, fill_store, filled_name};
pub use place::StorePlace;
#[cfg(feature = "postgres")]
pub use postgres::{PostgresAddress, PostgresOptions, PostgresStore};
pub use ratings::RatingStore;
pub use record::{RECORD_PIECE, RecordPiece, RecordPieces};
pub use shared::{Shared, SharedStore};
pub use sqlite::{SqliteOptions, SqliteStore};

use crate::journal::Journal;
use crate::model::{
    Availability, GameDetail, GameFeatures, GameQuery, GameResults, GameRow, GameSummary, MatchEnd,
    MatchEntries, MatchQuery, MatchRow, MatchSummary, Page, PlayerKind, PlayerQuery, PlayerResults,
    PlayerSummary, SeatKey, StoreCounts, StoreError, TournamentQuery, TournamentRow, TournamentStage,
    TournamentSummary,
};

type Answer<T> = Result<T, StoreError>;

/// What a database is opened for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Purpose {
    /// To keep things in it; it is made if need be.
    Use,
    /// To be copied or checked; it has to be there.
    Source,
    /// To be copied to: it is empty, or has a part of the copy.
    Target,
}

/// What has to last. All methods may be called from any thread, and block.
pub trait Store: RatingStore + SharedStore + Send + Sync + 'static {
    /// The journal of all matches: what is appended are their entries. There is to be one writer at a time.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot be opened.
    fn journal(&self) -> Answer<Box<dyn Journal>>;

    /// Accounts, and what belongs to them.
    fn accounts(&self) -> &dyn AccountStore;

    /// Whether something can be written, by writing next to nothing. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`] where it cannot.
    fn try_writing(&self) -> Answer<()>;

    /// How much there is. It waits for no other question, so that whoever watches over a server hears from it
    /// whatever else is asked.
    ///
    /// # Errors
    /// [`StoreError`].
    fn counts(&self) -> Answer<StoreCounts>;

    /// Keeps a version of a game, and makes it the present one. One that is there already becomes the present
    /// one again.
    ///
    /// # Errors
    /// [`StoreError`].
    fn put_game(&self, game: &GameRow) -> Answer<()>;

    /// Gives a game another title and description.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn describe_game(&self, name: &str, title: &str, description: &str) -> Answer<()>;

    /// The games, by name.
    ///
    /// # Errors
    /// [`StoreError`].
    fn games(&self, query: &GameQuery) -> Answer<Page<GameSummary>>;

    /// A game with this version of its rules, or the present one.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail>;

    /// What this release of Ludex said of a version of a game, as it was kept; `None` where it has not yet.
    ///
    /// # Errors
    /// [`StoreError`].
    fn description(&self, game: &str, sha256: &str, release: &str) -> Answer<Option<String>>;

    /// Keeps what a release of Ludex says of a version of a game, in place of what others said. A power cut may
    /// take it: it can be found out again.
    ///
    /// # Errors
    /// [`StoreError`].
    fn keep_description(&self, game: &str, sha256: &str, release: &str, description: &str) -> Answer<()>;

    /// How a version of a game is played, as this release of Ludex said it and as it was kept; `None` where it has not
    /// yet.
    ///
    /// # Errors
    /// [`StoreError`].
    fn guide(&self, game: &str, sha256: &str, release: &str) -> Answer<Option<String>>;

    /// Keeps how a version of a game is played, in place of what other releases said of it. A power cut may take it: it
    /// can be found out again.
    ///
    /// # Errors
    /// [`StoreError`].
    fn keep_guide(&self, game: &str, sha256: &str, release: &str, guide: &str) -> Answer<()>;

    /// Keeps what tells a version of a game from others, by which lists find it. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`].
    fn keep_features(&self, game: &str, sha256: &str, features: &GameFeatures) -> Answer<()>;

    /// Registers a player, or changes what it is. One that was retired is not any more.
    ///
    /// # Errors
    /// [`StoreError`].
    fn put_player(&self, name: &str, kind: &PlayerKind, registered: u64) -> Answer<()>;

    /// Notes that a player is retired, or is not any more.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn retire_player(&self, name: &str, retired: bool) -> Answer<()>;

    /// The players, by name.
    ///
    /// # Errors
    /// [`StoreError`].
    fn players(&self, query: &PlayerQuery) -> Answer<Page<PlayerSummary>>;

    /// A player, even one that is retired. Case does not matter in names.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn player(&self, name: &str) -> Answer<PlayerSummary>;

    /// Notes whether players are there, all at once. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`].
    fn note_availability(&self, players: &[(String, Availability)]) -> Answer<()>;

    /// Keeps a match that is to be played.
    ///
    /// # Errors
    /// [`StoreError::Exists`] and others.
    fn add_match(&self, row: &MatchRow) -> Answer<()>;

    /// A match.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn find_match(&self, id: &str) -> Answer<MatchRow>;

    /// Notes that somebody has shown the key of a seat.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn take_seat(&self, id: &str, seat: u32) -> Answer<()>;

    /// Takes a seat that nobody has taken, all at once with the name of another player, where one is given and the match has
    /// not begun. Whether the seat was free.
    ///
    /// # Errors
    /// [`StoreError`].
    fn join(&self, id: &str, seat: u32, player: Option<&str>) -> Answer<bool>;

    /// Gives a seat that nobody has taken another key.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where there is no such seat, or it is taken, and others.
    fn set_seat_key(&self, id: &str, seat: u32, key: &SeatKey) -> Answer<()>;

    /// Counts that a match is about to be gone on with; how often that was so since it last came through, this
    /// time included.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn begin_resumption(&self, id: &str) -> Answer<u32>;

    /// Takes back the last time that [`Store::begin_resumption`] counted, and no other. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`].
    fn pause_resumption(&self, id: &str) -> Answer<()>;

    /// Notes that a match that was gone on with came through. A power cut may take it.
    ///
    /// # Errors
    /// [`StoreError`].
    fn end_resumption(&self, id: &str) -> Answer<()>;

    /// Notes that somebody wants a match to end, and why. What was wanted before stays.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn want_abort(&self, id: &str, why: &str) -> Answer<()>;

    /// Matches, newest first.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the page is to begin behind a match that is not there, and others.
    fn matches(&self, query: &MatchQuery) -> Answer<Page<MatchSummary>>;

    /// How a player did in matches that were played to the end.
    ///
    /// # Errors
    /// [`StoreError`].
    fn player_results(&self, name: &str) -> Answer<PlayerResults>;

    /// How matches of a version of a game ended that were played to the end.
    ///
    /// # Errors
    /// [`StoreError`].
    fn game_results(&self, game: &str, version: &str) -> Answer<GameResults>;

    /// The tournaments that a player had matches in lately, newest first, so many at most.
    ///
    /// # Errors
    /// [`StoreError`].
    fn tournaments_of(&self, player: &str, most: u64) -> Answer<Vec<String>>;

    /// All matches that are not over, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn open_matches(&self) -> Answer<Vec<MatchRow>>;

    /// Notes that a match runs, and which role each seat has. A power cut may take it: it is noted again when
    /// the match begins again.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn begin_match(&self, id: &str, roles: &[String], began: u64) -> Answer<()>;

    /// The journal of a match so far.
    ///
    /// # Errors
    /// [`StoreError`].
    fn entries(&self, id: &str) -> Answer<MatchEntries>;

    /// How many entries the journal of a match has.
    ///
    /// # Errors
    /// [`StoreError`].
    fn entry_count(&self, id: &str) -> Answer<u64>;

    /// Keeps how a match ended, and what it means for its tournament, all at once. Where there is a record, a
    /// power cut may take it: the journal of the match says how it ended, and is read again.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn end_match(&self, end: &MatchEnd) -> Answer<()>;

    /// The bytes of the record of a match that is over, as it is kept, from this one on, as many as a piece has;
    /// `None` where there is no record.
    ///
    /// # Errors
    /// [`StoreError`].
    fn record_piece(&self, id: &str, from: u64) -> Answer<Option<RecordPiece>>;

    /// The record of a match that is over, with its rules; `None` where there is none. Nothing of the store is in
    /// use while it is parsed.
    ///
    /// # Errors
    /// [`StoreError`].
    fn record(&self, id: &str) -> Answer<Option<AnyRecord>> {
        let Some(mut record) = record::parse(self, id)? else { return Ok(None) };
        let rules = self.rules_of_match(id)?;
        match &mut record {
            AnyRecord::InSteps(record) => record.rulesheet = rules,
            AnyRecord::InTime(record) => record.rulesheet = rules.unwrap_or_default(),
        }
        Ok(Some(record))
    }

    /// The rulesheet of a match; `None` where it is not kept.
    ///
    /// # Errors
    /// [`StoreError`].
    fn rules_of_match(&self, id: &str) -> Answer<Option<String>>;

    /// Keeps a tournament.
    ///
    /// # Errors
    /// [`StoreError::Exists`] and others.
    fn add_tournament(&self, row: &TournamentRow) -> Answer<()>;

    /// A tournament.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn tournament(&self, id: &str) -> Answer<TournamentRow>;

    /// Tournaments, newest first.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the page is to begin behind a tournament that is not there, and others.
    fn tournaments(&self, query: &TournamentQuery) -> Answer<Page<TournamentSummary>>;

    /// All tournaments that are not over, oldest first.
    ///
    /// # Errors
    /// [`StoreError`].
    fn open_tournaments(&self) -> Answer<Vec<TournamentRow>>;

    /// What has happened in a tournament, in order.
    ///
    /// # Errors
    /// [`StoreError`].
    fn tournament_events(&self, id: &str) -> Answer<Vec<TournamentEvent>>;

    /// Keeps that something has happened in a tournament: its event of this number, from 0.
    ///
    /// # Errors
    /// [`StoreError::Exists`] where there is such an event, and others.
    fn add_tournament_event(&self, id: &str, number: u64, event: &TournamentEvent) -> Answer<()>;

    /// Notes how far a tournament is.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] and others.
    fn set_tournament_stage(&self, id: &str, stage: TournamentStage, at: u64) -> Answer<()>;
}
