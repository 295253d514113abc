//! A store in SQLite.

mod checkpoints;
mod connections;
mod fault;
mod games;
mod journal;
mod matches;
mod page;
mod players;
mod schema;
mod tournaments;

use std::path::Path;
use std::time::Duration;

use ludex::matches::referee::Entry;
use ludex::matches::tournament::TournamentEvent;
use rusqlite::Transaction;

use super::{Answer, GameRow, MatchEnd, MatchRow, RecordPiece, Store, StoreCounts, TournamentRow};
use crate::journal::Journal;
use crate::model::{
    Availability, GameDetail, GameQuery, GameSummary, MatchQuery, MatchSummary, Page, PageRequest,
    PlayerKind, PlayerQuery, PlayerSummary, SeatKey, TournamentStage, TournamentSummary,
};
use crate::private;
use connections::Connections;
use fault::natural;

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
    connections: std::sync::Arc<Connections>,
}

impl SqliteStore {
    /// The store in a folder, which is made if need be, and so is the file. A file of an older version is
    /// brought up to date.
    ///
    /// # Errors
    /// [`StoreError`](super::StoreError): the folder cannot be used or is in use; the file is something else,
    /// damaged, or of a newer version.
    pub fn open(folder: &Path, options: &SqliteOptions) -> Answer<Self> {
        Ok(Self { connections: Connections::open(folder, options)?.into() })
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

impl Store for SqliteStore {
    fn journal(&self) -> Answer<Box<dyn Journal>> {
        Ok(Box::new(journal::SqliteJournal::new(self.connections.clone())))
    }

    fn try_writing(&self) -> Answer<()> {
        self.connections.try_writing()
    }

    fn counts(&self) -> Answer<StoreCounts> {
        self.connections.watch(matches::counts)
    }

    fn put_game(&self, game: &GameRow) -> Answer<()> {
        self.connections.write(|connection| games::put(connection, game))
    }

    fn describe_game(&self, name: &str, title: &str, description: &str) -> Answer<()> {
        self.connections.write(|connection| games::describe(connection, name, title, description))
    }

    fn games(&self, query: &GameQuery) -> Answer<Page<GameSummary>> {
        self.connections.read(|connection| games::list(connection, query))
    }

    fn game(&self, name: &str, version: Option<&str>) -> Answer<GameDetail> {
        self.connections.read(|connection| games::find(connection, name, version))
    }

    fn description(&self, game: &str, sha256: &str, release: &str) -> Answer<Option<String>> {
        self.connections.read(|connection| games::description(connection, game, sha256, release))
    }

    fn keep_description(&self, game: &str, sha256: &str, release: &str, description: &str) -> Answer<()> {
        self.connections.write_lazily(|connection| {
            games::keep_description(connection, game, sha256, release, description)
        })
    }

    fn put_player(&self, name: &str, kind: &PlayerKind, registered: u64) -> Answer<()> {
        self.connections.write(|connection| players::put(connection, name, kind, registered))
    }

    fn retire_player(&self, name: &str, retired: bool) -> Answer<()> {
        self.connections.write(|connection| players::retire(connection, name, retired))
    }

    fn players(&self, query: &PlayerQuery) -> Answer<Page<PlayerSummary>> {
        self.connections.read(|connection| players::list(connection, query))
    }

    fn player(&self, name: &str) -> Answer<PlayerSummary> {
        self.connections.read(|connection| players::find(connection, name))
    }

    fn note_availability(&self, players: &[(String, Availability)]) -> Answer<()> {
        self.connections.write_lazily(|connection| players::note_availability(connection, players))
    }

    fn add_match(&self, row: &MatchRow) -> Answer<()> {
        self.connections.write(|connection| matches::add(connection, row))
    }

    fn find_match(&self, id: &str) -> Answer<MatchRow> {
        self.connections.read(|connection| matches::find(connection, id))
    }

    fn take_seat(&self, id: &str, seat: u32) -> Answer<()> {
        self.connections.write(|connection| matches::take_seat(connection, id, seat))
    }

    fn set_seat_key(&self, id: &str, seat: u32, key: &SeatKey) -> Answer<()> {
        self.connections.write(|connection| matches::set_key(connection, id, seat, key))
    }

    fn begin_resumption(&self, id: &str) -> Answer<u32> {
        self.connections.write(|connection| matches::begin_resumption(connection, id))
    }

    fn pause_resumption(&self, id: &str) -> Answer<()> {
        self.connections.write_lazily(|connection| matches::pause_resumption(connection, id))
    }

    fn end_resumption(&self, id: &str) -> Answer<()> {
        self.connections.write_lazily(|connection| matches::end_resumption(connection, id))
    }

    fn want_abort(&self, id: &str, why: &str) -> Answer<()> {
        self.connections.write(|connection| matches::want_abort(connection, id, why))
    }

    fn matches(&self, query: &MatchQuery) -> Answer<Page<MatchSummary>> {
        self.connections.read(|connection| matches::list(connection, query))
    }

    fn open_matches(&self) -> Answer<Vec<MatchRow>> {
        self.connections.read(matches::open)
    }

    fn begin_match(&self, id: &str, roles: &[String], began: u64) -> Answer<()> {
        self.connections.write_lazily(|connection| matches::begin(connection, id, roles, began))
    }

    fn entries(&self, id: &str) -> Answer<Vec<Entry>> {
        let texts = self.connections.read(|connection| journal::entries(connection, id))?;
        texts.iter().map(|text| journal::read_entry(id, text)).collect()
    }

    fn entry_count(&self, id: &str) -> Answer<u64> {
        self.connections.read(|connection| Ok(natural(journal::next_number(connection, id)?)))
    }

    fn end_match(&self, end: &MatchEnd) -> Answer<()> {
        let work = |connection: &Transaction<'_>| matches::end(connection, end);
        // What has a record has a journal that says the same.
        if end.record.is_some() { self.connections.write_lazily(work) } else { self.connections.write(work) }
    }

    fn record_piece(&self, id: &str, from: u64) -> Answer<Option<RecordPiece>> {
        self.connections.read(|connection| matches::record_piece(connection, id, from))
    }

    fn rules_of_match(&self, id: &str) -> Answer<Option<String>> {
        self.connections.read(|connection| matches::rules(connection, id))
    }

    fn add_tournament(&self, row: &TournamentRow) -> Answer<()> {
        self.connections.write(|connection| tournaments::add(connection, row))
    }

    fn tournament(&self, id: &str) -> Answer<TournamentRow> {
        self.connections.read(|connection| tournaments::find(connection, id))
    }

    fn tournaments(&self, page: &PageRequest) -> Answer<Page<TournamentSummary>> {
        self.connections.read(|connection| tournaments::list(connection, page))
    }

    fn open_tournaments(&self) -> Answer<Vec<TournamentRow>> {
        self.connections.read(tournaments::open)
    }

    fn tournament_events(&self, id: &str) -> Answer<Vec<TournamentEvent>> {
        self.connections.read(|connection| tournaments::events(connection, id))
    }

    fn add_tournament_event(&self, id: &str, number: u64, event: &TournamentEvent) -> Answer<()> {
        self.connections.write(|connection| tournaments::add_event(connection, id, number, event))
    }

    fn set_tournament_stage(&self, id: &str, stage: TournamentStage, at: u64) -> Answer<()> {
        self.connections.write(|connection| tournaments::set_stage(connection, id, stage, at))
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
        assert_eq!((record.match_id.as_str(), record.states[0].len()), ("m", RECORD_PIECE * 5 / 2));
        assert_eq!(store.record("other").unwrap(), None);
        assert!(RecordPieces::open(&store, "other").unwrap().is_none());
    }
}
