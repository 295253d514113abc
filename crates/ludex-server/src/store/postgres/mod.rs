//! A store in PostgreSQL.

mod accounts;
mod address;
mod connection;
mod connections;
mod fault;
mod games;
mod guides;
mod journal;
mod match_list;
mod matches;
mod members;
mod news;
mod ownership;
mod page;
mod players;
mod ratings;
mod results;
mod schema;
mod tables;
mod tournaments;

use std::sync::Arc;
use std::time::Duration;

use ludex::matches::tournament::TournamentEvent;

use super::{
    AccountStore, Answer, GameRow, MatchEnd, MatchRow, Purpose, RatingStore, RecordPiece, Store, StoreCounts,
    TournamentRow, values,
};
use crate::journal::Journal;
use crate::model::{
    Availability, GameDetail, GameFeatures, GameQuery, GameResults, GameSummary, MatchEntries, MatchQuery,
    MatchSummary, MemberNumber, Page, PlayerKind, PlayerQuery, PlayerRating, PlayerResults, PlayerSummary,
    RatingChange, RatingMoment, RatingQuery, RatingScope, SeatKey, TournamentQuery, TournamentStage,
    TournamentSummary,
};
pub(super) use accounts::sql;
pub use address::PostgresAddress;
use connection::Connection;
use connections::Connections;
use fault::Fault;

/// How a database is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PostgresOptions {
    /// How long a server that does not answer is waited for, a lock of another program, and somebody who copies the
    /// database.
    pub patience: Duration,
    /// How long the database may take for one question.
    pub question: Duration,
    /// How many can read at the same time.
    pub readers: usize,
}

impl Default for PostgresOptions {
    /// 5 seconds, 2 minutes, 4 readers.
    fn default() -> Self {
        Self { patience: Duration::from_secs(5), question: Duration::from_secs(120), readers: 4 }
    }
}

/// A store in the tables of a PostgreSQL database. Every change is flushed to the disk before it counts
/// (`synchronous_commit = on`), but for those that the trait allows to be flushed with the next one
/// (`synchronous_commit = off`). Any number of managers may have it at the same time, as members
/// ([`Shared`](super::Shared)); while it is copied, none has.
///
/// A connection that is lost is made again when it is needed, and what was begun on it is done again where nothing of it
/// was kept: nothing is written twice. As long as the server is away, methods fail with
/// [`StoreError::Unreachable`](super::StoreError::Unreachable).
#[derive(Clone, Debug)]
pub struct PostgresStore {
    pub(super) connections: Arc<Connections>,
    /// Who writes.
    member: Option<MemberNumber>,
}

impl PostgresStore {
    /// The store in a database; the first schema of its `search_path` is used. Tables of an older version are brought up
    /// to date, and made where there are none.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError): the server cannot be reached, the database is just copied, the schema
    /// holds something else or tables of a newer version.
    pub fn open(address: &PostgresAddress, options: &PostgresOptions) -> Answer<Self> {
        Self::open_for(address, options, Purpose::Use)
    }

    /// The store in a database, to be copied or to be copied to.
    pub(super) fn open_for(
        address: &PostgresAddress,
        options: &PostgresOptions,
        purpose: Purpose,
    ) -> Answer<Self> {
        Ok(Self { connections: Connections::open(address, options, purpose)?.into(), member: None })
    }

    pub(super) fn read<T: Send>(
        &self,
        question: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Answer<T> {
        self.connections.read(question)
    }

    pub(super) fn watch<T: Send>(
        &self,
        question: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Answer<T> {
        self.connections.watch(question)
    }

    pub(super) fn write<T: Send>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Answer<T> {
        self.connections.write(self.member, work)
    }

    pub(super) fn write_lazily<T: Send>(
        &self,
        work: impl Fn(&mut Connection) -> Result<T, Fault> + Send,
    ) -> Answer<T> {
        self.connections.write_lazily(self.member, work)
    }
}

/// Questions of the trait that a function answers: on a connection that reads, or that writes at once or lazily.
macro_rules! answered {
    ($($how:ident $function:path: fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)+) => {
        $(fn $name(&self, $($argument: $kind),*) -> Answer<$answer> {
            self.$how(|connection| $function(connection, $($argument),*))
        })+
    };
}

impl RatingStore for PostgresStore {
    answered! {
        read ratings::games_of_unknown_kind: fn games_of_unknown_kind(most: u64) -> Vec<(String, String)>;
        write_lazily ratings::count: fn count_ended_matches(most: u64) -> u64;
        read ratings::uncounted: fn uncounted_matches() -> u64;
        write ratings::forget: fn forget_ratings() -> ();
        read ratings::list: fn leaderboard(query: &RatingQuery) -> Page<PlayerRating>;
        read ratings::of_player: fn ratings_of(player: &str, most: u64) -> Vec<PlayerRating>;
        read ratings::moments: fn rating_moments(player: &str, scope: &RatingScope) -> Vec<RatingMoment>;
        read ratings::of_match: fn match_ratings(id: &str) -> Vec<RatingChange>;
    }
}

impl Store for PostgresStore {
    fn journal(&self) -> Answer<Box<dyn Journal>> {
        Ok(Box::new(journal::PostgresJournal::new(self.clone())))
    }

    fn accounts(&self) -> &dyn AccountStore {
        self
    }

    fn try_writing(&self) -> Answer<()> {
        self.write_lazily(|connection| connection.run("UPDATE ludex SET version = version"))
    }

    fn entries(&self, id: &str) -> Answer<MatchEntries> {
        let texts = self.read(|connection| journal::entries(connection, id))?;
        values::read_entries(id, texts)
    }

    fn end_match(&self, end: &MatchEnd) -> Answer<()> {
        let work = |connection: &mut Connection| matches::end(connection, end);
        // What has a record has a journal that says the same.
        if end.record.is_some() { self.write_lazily(work) } else { self.write(work) }
    }

    answered! {
        watch match_list::counts: fn counts() -> StoreCounts;
        write games::put: fn put_game(game: &GameRow) -> ();
        write games::describe: fn describe_game(name: &str, title: &str, description: &str) -> ();
        read games::list: fn games(query: &GameQuery) -> Page<GameSummary>;
        read games::find: fn game(name: &str, version: Option<&str>) -> GameDetail;
        read games::description: fn description(game: &str, sha256: &str, release: &str) -> Option<String>;
        write_lazily games::keep_description:
            fn keep_description(game: &str, sha256: &str, release: &str, description: &str) -> ();
        read guides::guide: fn guide(game: &str, sha256: &str, release: &str) -> Option<String>;
        write_lazily guides::keep: fn keep_guide(game: &str, sha256: &str, release: &str, guide: &str) -> ();
        write_lazily guides::keep_features: fn keep_features(game: &str, sha256: &str, features: &GameFeatures) -> ();
        write players::put: fn put_player(name: &str, kind: &PlayerKind, registered: u64) -> ();
        write players::retire: fn retire_player(name: &str, retired: bool) -> ();
        read players::list: fn players(query: &PlayerQuery) -> Page<PlayerSummary>;
        read players::find: fn player(name: &str) -> PlayerSummary;
        write_lazily players::note_availability:
            fn note_availability(players: &[(String, Availability)]) -> ();
        write matches::add: fn add_match(row: &MatchRow) -> ();
        read matches::find: fn find_match(id: &str) -> MatchRow;
        write matches::take_seat: fn take_seat(id: &str, seat: u32) -> ();
        write matches::join: fn join(id: &str, seat: u32, player: Option<&str>) -> bool;
        write matches::set_key: fn set_seat_key(id: &str, seat: u32, key: &SeatKey) -> ();
        write matches::begin_resumption: fn begin_resumption(id: &str) -> u32;
        write_lazily matches::pause_resumption: fn pause_resumption(id: &str) -> ();
        write_lazily matches::end_resumption: fn end_resumption(id: &str) -> ();
        write matches::want_abort: fn want_abort(id: &str, why: &str) -> ();
        read match_list::list: fn matches(query: &MatchQuery) -> Page<MatchSummary>;
        read results::of_player: fn player_results(name: &str) -> PlayerResults;
        read results::of_game: fn game_results(game: &str, version: &str) -> GameResults;
        read results::tournaments_of: fn tournaments_of(player: &str, most: u64) -> Vec<String>;
        read matches::open: fn open_matches() -> Vec<MatchRow>;
        write_lazily matches::begin: fn begin_match(id: &str, roles: &[String], began: u64) -> ();
        read journal::count: fn entry_count(id: &str) -> u64;
        read matches::record_piece: fn record_piece(id: &str, from: u64) -> Option<RecordPiece>;
        read matches::rules: fn rules_of_match(id: &str) -> Option<String>;
        write tournaments::add: fn add_tournament(row: &TournamentRow) -> ();
        read tournaments::find: fn tournament(id: &str) -> TournamentRow;
        read tournaments::list: fn tournaments(query: &TournamentQuery) -> Page<TournamentSummary>;
        read tournaments::open: fn open_tournaments() -> Vec<TournamentRow>;
        read tournaments::events: fn tournament_events(id: &str) -> Vec<TournamentEvent>;
        write tournaments::add_event:
            fn add_tournament_event(id: &str, number: u64, event: &TournamentEvent) -> ();
        write tournaments::set_stage:
            fn set_tournament_stage(id: &str, stage: TournamentStage, at: u64) -> ();
    }
}
