//! A store in SQLite.

mod accounts;
mod checkpoints;
mod connections;
mod fault;
mod games;
mod guides;
mod journal;
mod match_list;
mod matches;
mod page;
mod players;
mod ratings;
mod results;
mod schema;
mod tables;
mod tournaments;

use std::path::Path;
use std::time::Duration;

use ludex::matches::tournament::TournamentEvent;
use rusqlite::Transaction;

use super::{
    AccountStore, Answer, GameRow, MatchEnd, MatchRow, Purpose, RatingStore, RecordPiece, SharedStore, Store,
    StoreCounts, TournamentRow, values,
};
use crate::journal::Journal;
use crate::model::{
    Availability, GameDetail, GameFeatures, GameQuery, GameResults, GameSummary, MatchEntries, MatchQuery,
    MatchSummary, Page, PlayerKind, PlayerQuery, PlayerRating, PlayerResults, PlayerSummary, RatingChange,
    RatingMoment, RatingQuery, RatingScope, SeatKey, TournamentQuery, TournamentStage, TournamentSummary,
};
use crate::private;
pub(super) use accounts::sql;
use connections::Connections;

/// How a database is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SqliteOptions {
    /// How long a lock of another program is waited for, and another manager that has the folder.
    pub patience: Duration,
    /// How many can read at the same time.
    pub readers: usize,
    /// The largest size of the database in bytes, if it is not to fill the disk.
    pub most_bytes: Option<u64>,
}

impl Default for SqliteOptions {
    /// 5 seconds, 4 readers, any size.
    fn default() -> Self {
        Self { patience: Duration::from_secs(5), readers: 4, most_bytes: None }
    }
}

/// A store in a file `ludex.db` of a folder. Every change is flushed to the disk before it counts (write-ahead
/// log, `synchronous=FULL`), but for those that the trait allows to be flushed with the next one
/// (`synchronous=NORMAL`): many matches that begin or end together would keep the others waiting. The folder is locked against other managers as long as the store is open.
#[derive(Debug)]
pub struct SqliteStore {
    pub(super) connections: std::sync::Arc<Connections>,
}

impl SqliteStore {
    /// The store in a folder, which is made if need be, and so is the file. A file of an older version is
    /// brought up to date.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError): the folder cannot be used or is in use; the file is something else,
    /// damaged, or of a newer version.
    pub fn open(folder: &Path, options: &SqliteOptions) -> Answer<Self> {
        Self::open_for(folder, options, Purpose::Use)
    }

    /// The store in a folder, to be copied or to be copied to.
    pub(super) fn open_for(folder: &Path, options: &SqliteOptions, purpose: Purpose) -> Answer<Self> {
        Ok(Self { connections: Connections::open(folder, options, purpose)?.into() })
    }

    /// A store in memory: for tests, and for whoever wants nothing kept.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError) where there is not even memory.
    pub fn in_memory() -> Answer<Self> {
        Ok(Self { connections: Connections::in_memory()?.into() })
    }

    /// A copy of the database as it is now, in another file, while it is in use. Others cannot read it either.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError): there is such a file already, no room.
    pub fn copy_to(&self, file: &Path) -> Answer<()> {
        let name = file.to_string_lossy().into_owned();
        if !file.exists() {
            let failed = |cause| super::StoreError::Folder { path: file.to_owned(), cause };
            private::make_file(file).map_err(failed)?;
        }
        self.connections.read(|connection| {
            connection.execute("VACUUM INTO ?1", [&name])?;
            Ok(())
        })
    }
}

/// Questions of the trait that a function answers: on a connection that reads, or that writes at once or lazily.
macro_rules! answered {
    ($($how:ident $function:path: fn $name:ident($($argument:ident: $kind:ty),*) -> $answer:ty;)+) => {
        $(fn $name(&self, $($argument: $kind),*) -> Answer<$answer> {
            self.connections.$how(|connection| $function(connection, $($argument),*))
        })+
    };
}

impl RatingStore for SqliteStore {
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

/// One server has it alone.
impl SharedStore for SqliteStore {}

impl Store for SqliteStore {
    fn journal(&self) -> Answer<Box<dyn Journal>> {
        Ok(Box::new(journal::SqliteJournal::new(self.connections.clone())))
    }

    fn accounts(&self) -> &dyn AccountStore {
        self
    }

    fn try_writing(&self) -> Answer<()> {
        self.connections.try_writing()
    }

    fn entries(&self, id: &str) -> Answer<MatchEntries> {
        let texts = self.connections.read(|connection| journal::entries(connection, id))?;
        values::read_entries(id, texts)
    }

    fn end_match(&self, end: &MatchEnd) -> Answer<()> {
        let work = |connection: &Transaction<'_>| matches::end(connection, end);
        // What has a record has a journal that says the same.
        if end.record.is_some() { self.connections.write_lazily(work) } else { self.connections.write(work) }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::store::{RECORD_PIECE, RecordPieces};

    /// A store with one connection that reads, and a record of two pieces and a half.
    fn store(folder: &Path) -> SqliteStore {
        let options = SqliteOptions { readers: 1, ..SqliteOptions::default() };
        let store = SqliteStore::open(&folder.join("data"), &options).unwrap();
        let text = format!("{{\"matchId\":\"m\",\"states\":[\"{}\"]}}", "x".repeat(RECORD_PIECE * 5 / 2));
        let keep = |connection: &Transaction<'_>| {
            connection.execute_batch(
                "INSERT INTO matches (id, game, version, stage, plan, hidden, created, due)
                 VALUES ('m', 'g', 'v', 'completed', '', 0, 0, 0)",
            )?;
            connection.execute("INSERT INTO records VALUES ('m', ?1)", [&text])?;
            Ok(())
        };
        store.connections.write(keep).unwrap();
        store
    }

    #[test]
    fn who_watches_over_the_server_waits_for_nobody_who_reads() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let counts = store.connections.read(|_| Ok(store.counts().unwrap())).unwrap();
        assert_eq!(counts.completed, 1);
    }

    #[test]
    fn no_connection_is_in_use_between_the_pieces_of_a_record_or_while_it_is_parsed() {
        let folder = tempfile::tempdir().unwrap();
        let store = store(folder.path());
        let mut pieces = RecordPieces::open(&store, "m").unwrap().unwrap();
        let mut lengths = Vec::new();
        assert_eq!(store.connections.reading(), 0);
        while let Some(piece) = pieces.next(&store).unwrap() {
            assert_eq!(store.connections.reading(), 0);
            lengths.push(piece.len());
        }
        assert_eq!(lengths[..2], [RECORD_PIECE; 2]);
        assert_eq!(lengths.len(), 3);
        let record = store.record("m").unwrap().unwrap();
        let record = record.in_steps().unwrap();
        assert_eq!((record.match_id.as_str(), record.states[0].len()), ("m", RECORD_PIECE * 5 / 2));
        assert_eq!(store.record("other").unwrap(), None);
        assert!(RecordPieces::open(&store, "other").unwrap().is_none());
    }
}
