//! A store whose disk can be full for a while.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ludex::matches::tournament::TournamentEvent;
use ludex_server::journal::{Journal, JournalError, JournalLine};
use ludex_server::model::{
    Availability, GameDetail, GameFeatures, GameQuery, GameResults, GameRow, GameSummary, MatchEnd,
    MatchEntries, MatchQuery, MatchRow, MatchSummary, Page, PlayerKind, PlayerQuery, PlayerRating,
    PlayerResults, PlayerSummary, RatingChange, RatingMoment, RatingQuery, RatingScope, SeatKey, StoreCounts,
    StoreError, TournamentQuery, TournamentRow, TournamentStage, TournamentSummary,
};
use ludex_server::store::{AccountStore, RatingStore, RecordPiece, SharedStore, SqliteStore, Store};

/// Where the store says that it is, which is nobody's business.
pub const SECRET: &str = "/home/organiser/secret/ludex.db";

/// Keeps what it is given in memory, as long as there is room.
pub struct FaultyStore {
    inner: SqliteStore,
    full: Arc<AtomicBool>,
    held: Arc<Held>,
    slow: Arc<SlowEnds>,
}

/// Questions for tournaments that are not answered as long as this is closed.
#[derive(Default)]
pub struct Held {
    pub closed: AtomicBool,
    pub waiting: AtomicUsize,
}

/// Whether the end of a match takes as long to write as this is set, and how many are being written.
#[derive(Default)]
pub struct SlowEnds {
    pub on: AtomicBool,
    pub under_way: AtomicUsize,
}

impl SlowEnds {
    fn wait(&self) {
        self.under_way.fetch_add(1, Ordering::SeqCst);
        while self.on.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.under_way.fetch_sub(1, Ordering::SeqCst);
    }
}

impl FaultyStore {
    pub fn new() -> Self {
        let inner = SqliteStore::in_memory().unwrap();
        Self { inner, full: Arc::default(), held: Arc::default(), slow: Arc::default() }
    }

    /// Says how long it takes to write how a match ended.
    pub fn slow_ends(&self) -> Arc<SlowEnds> {
        Arc::clone(&self.slow)
    }

    /// Says whether there is room.
    pub fn switch(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.full)
    }

    /// What holds questions up.
    pub fn held(&self) -> Arc<Held> {
        Arc::clone(&self.held)
    }

    fn has_room(&self) -> Answer<()> {
        match self.full.load(Ordering::SeqCst) {
            true => Err(StoreError::Full { path: SECRET.into() }),
            false => Ok(()),
        }
    }
}

type Answer<T> = Result<T, StoreError>;

struct FaultyJournal {
    inner: Box<dyn Journal>,
    full: Arc<AtomicBool>,
}

impl Journal for FaultyJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        if self.full.load(Ordering::SeqCst) {
            return Err(JournalError::Store(Box::new(StoreError::Full { path: SECRET.into() })));
        }
        self.inner.append(lines)
    }
}

macro_rules! reads {
    ($(fn $name:ident($($value:ident: $kind:ty),*) -> $answer:ty;)*) => {
        $(fn $name(&self, $($value: $kind),*) -> Answer<$answer> { self.inner.$name($($value),*) })*
    };
}

macro_rules! writes {
    ($(fn $name:ident($($value:ident: $kind:ty),*);)*) => {
        $(fn $name(&self, $($value: $kind),*) -> Answer<()> {
            self.has_room()?;
            self.inner.$name($($value),*)
        })*
    };
}

impl RatingStore for FaultyStore {
    reads! {
        fn games_of_unknown_kind(most: u64) -> Vec<(String, String)>;
        fn uncounted_matches() -> u64;
        fn leaderboard(query: &RatingQuery) -> Page<PlayerRating>;
        fn ratings_of(player: &str, most: u64) -> Vec<PlayerRating>;
        fn rating_moments(player: &str, scope: &RatingScope) -> Vec<RatingMoment>;
        fn match_ratings(id: &str) -> Vec<RatingChange>;
    }

    writes! {
        fn forget_ratings();
    }

    fn count_ended_matches(&self, most: u64) -> Answer<u64> {
        self.has_room()?;
        self.inner.count_ended_matches(most)
    }
}

impl SharedStore for FaultyStore {}

impl Store for FaultyStore {
    fn accounts(&self) -> &dyn AccountStore {
        Store::accounts(&self.inner)
    }

    fn journal(&self) -> Answer<Box<dyn Journal>> {
        Ok(Box::new(FaultyJournal { inner: self.inner.journal()?, full: self.switch() }))
    }

    reads! {
        fn counts() -> StoreCounts;
        fn games(query: &GameQuery) -> Page<GameSummary>;
        fn game(name: &str, version: Option<&str>) -> GameDetail;
        fn description(game: &str, sha256: &str, release: &str) -> Option<String>;
        fn guide(game: &str, sha256: &str, release: &str) -> Option<String>;
        fn players(query: &PlayerQuery) -> Page<PlayerSummary>;
        fn player(name: &str) -> PlayerSummary;
        fn find_match(id: &str) -> MatchRow;
        fn matches(query: &MatchQuery) -> Page<MatchSummary>;
        fn player_results(name: &str) -> PlayerResults;
        fn game_results(game: &str, version: &str) -> GameResults;
        fn tournaments_of(player: &str, most: u64) -> Vec<String>;
        fn open_matches() -> Vec<MatchRow>;
        fn entries(id: &str) -> MatchEntries;
        fn entry_count(id: &str) -> u64;
        fn record_piece(id: &str, from: u64) -> Option<RecordPiece>;
        fn rules_of_match(id: &str) -> Option<String>;
        fn tournament(id: &str) -> TournamentRow;
        fn open_tournaments() -> Vec<TournamentRow>;
        fn tournament_events(id: &str) -> Vec<TournamentEvent>;
    }

    fn tournaments(&self, query: &TournamentQuery) -> Answer<Page<TournamentSummary>> {
        self.held.waiting.fetch_add(1, Ordering::SeqCst);
        while self.held.closed.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(5));
        }
        self.inner.tournaments(query)
    }

    fn end_match(&self, end: &MatchEnd) -> Answer<()> {
        self.slow.wait();
        self.has_room()?;
        self.inner.end_match(end)
    }

    fn join(&self, id: &str, seat: u32, player: Option<&str>) -> Answer<bool> {
        self.has_room()?;
        self.inner.join(id, seat, player)
    }

    fn begin_resumption(&self, id: &str) -> Answer<u32> {
        self.has_room()?;
        self.inner.begin_resumption(id)
    }

    writes! {
        fn try_writing();
        fn put_game(game: &GameRow);
        fn describe_game(name: &str, title: &str, description: &str);
        fn keep_description(game: &str, sha256: &str, release: &str, description: &str);
        fn keep_guide(game: &str, sha256: &str, release: &str, guide: &str);
        fn keep_features(game: &str, sha256: &str, features: &GameFeatures);
        fn put_player(name: &str, kind: &PlayerKind, registered: u64);
        fn retire_player(name: &str, retired: bool);
        fn note_availability(players: &[(String, Availability)]);
        fn add_match(row: &MatchRow);
        fn begin_match(id: &str, roles: &[String], began: u64);
        fn take_seat(id: &str, seat: u32);
        fn set_seat_key(id: &str, seat: u32, key: &SeatKey);
        fn pause_resumption(id: &str);
        fn end_resumption(id: &str);
        fn want_abort(id: &str, why: &str);
        fn add_tournament(row: &TournamentRow);
        fn add_tournament_event(id: &str, number: u64, event: &TournamentEvent);
        fn set_tournament_stage(id: &str, stage: TournamentStage, at: u64);
    }
}
