//! What can be done with a manager.

use std::sync::Arc;
use std::time::Duration;

use ludex::MatchRecord;
use ludex::matches::referee::SeatNumber;
use ludex::matches::tournament::RatingPoint;
use ludex::matches::view::Viewer;
use serde::Serialize;
use tokio::sync::watch;

use super::*;

/// A Game Manager. Clones are the same manager; it ends with the last of them, or by [`Manager::shutdown`].
///
/// All methods may be called from any thread. They block: for the database, and where it is said so for
/// games that have to be prepared first. Asynchronous code calls them where blocking is allowed. The
/// receivers of news do not block.
#[derive(Clone, Debug)]
pub struct Manager(Arc<()>);

/// How a manager is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct ManagerStatus {
    /// Games in the library.
    pub games: u64,
    /// Players that were not removed.
    pub players: u64,
    /// Matches that run.
    pub running: u64,
    /// Matches that wait, for their time or for room.
    pub waiting: u64,
    /// Matches that were played to the end.
    pub completed: u64,
    /// Matches that ended early.
    pub aborted: u64,
    /// Tournaments that are not over.
    pub tournaments: u64,
    /// Games that are kept ready.
    pub ready_games: u64,
    /// Processes of built-in players.
    pub processes: u64,
    /// Steps of all matches since the manager started.
    pub steps: u64,
    /// What does not work at present, in plain words: the disk is full, a match could not be resumed.
    pub troubles: Vec<String>,
}

type Answer<T> = Result<T, ManagerError>;

impl Manager {
    /// How it is: for `/healthz` and `/metrics`.
    pub fn status(&self) -> Answer<ManagerStatus> {
        Err(ManagerError::Stopped)
    }

    /// Ends: no more matches begin; those that run have so long to end, and are then cut off, to be resumed
    /// when a manager starts on the same store. Everything else answers [`ManagerError::Stopped`] from now on.
    pub fn shutdown(&self, _grace: Duration) {}

    /// News that something in a list has changed: games, players, matches, tournaments. The number grows.
    pub fn changes(&self) -> watch::Receiver<u64> {
        watch::channel(0).1
    }

    // Games.

    /// The games of the library, by name.
    pub fn games(&self, _query: &GameQuery) -> Answer<Page<GameSummary>> {
        Err(ManagerError::Stopped)
    }

    /// A game with its description, versions and text, that of this version or the present one.
    pub fn game(&self, _name: &str, _version: Option<&str>) -> Answer<GameDetail> {
        Err(ManagerError::Stopped)
    }

    /// Roles, sizes and initial board of a game. Prepares the game, which may take as long as
    /// [`GameLimits::time`].
    pub fn game_facts(&self, _name: &str, _version: Option<&str>) -> Answer<GameFacts> {
        Err(ManagerError::Stopped)
    }

    /// A game that can be run: for pages, which draw boards on which people can click. Prepares the game.
    pub fn prepared_game(&self, _name: &str, _version: Option<&str>) -> Answer<ludex::Game> {
        Err(ManagerError::Stopped)
    }

    /// What the checks say about a rulesheet; nothing is kept. It is prepared, too.
    pub fn check_game(&self, _name: &str, _text: &str) -> Answer<GameCheck> {
        Err(ManagerError::Stopped)
    }

    /// Puts a game, or a new version of one, into the library. Returns what the checks say.
    ///
    /// # Errors
    /// [`ManagerError::Rejected`] with all findings where there are errors, or where it cannot be prepared.
    pub fn add_game(&self, _game: &NewGame) -> Answer<GameCheck> {
        Err(ManagerError::Stopped)
    }

    /// Gives a game another title and description.
    pub fn describe_game(&self, _name: &str, _title: &str, _description: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    // Players.

    /// The registered players, by name.
    pub fn players(&self, _query: &PlayerQuery) -> Answer<Page<PlayerSummary>> {
        Err(ManagerError::Stopped)
    }

    /// A player, even one that was removed.
    pub fn player(&self, _name: &str) -> Answer<PlayerSummary> {
        Err(ManagerError::Stopped)
    }

    /// Registers a player. The name of one that was removed can be taken again.
    pub fn register_player(&self, _name: &str, _kind: &PlayerKind) -> Answer<PlayerSummary> {
        Err(ManagerError::Stopped)
    }

    /// Changes what a player is. It holds for matches that begin from now on.
    pub fn edit_player(&self, _name: &str, _kind: &PlayerKind) -> Answer<PlayerSummary> {
        Err(ManagerError::Stopped)
    }

    /// Removes a player. Its matches stay.
    ///
    /// # Errors
    /// [`ManagerError::InUse`] while a match or a tournament needs it.
    pub fn remove_player(&self, _name: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// Asks a remote player now whether it is there, and waits for the answer.
    pub fn ping_player(&self, _name: &str) -> Answer<Availability> {
        Err(ManagerError::Stopped)
    }

    // Matches.

    /// Plans a match, to begin now or later; the name of the match. Prepares the game.
    pub fn schedule(&self, _plan: &MatchPlan) -> Answer<String> {
        Err(ManagerError::Stopped)
    }

    /// The same match again, now: with the same game, players, clocks and options, and another seed; the name
    /// of the new match.
    pub fn rematch(&self, _id: &str) -> Answer<String> {
        Err(ManagerError::Stopped)
    }

    /// Ends a match that waits or runs, and says why.
    pub fn abort_match(&self, _id: &str, _why: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// Matches, newest first.
    pub fn matches(&self, _query: &MatchQuery) -> Answer<Page<MatchSummary>> {
        Err(ManagerError::Stopped)
    }

    /// A match without its course.
    pub fn match_detail(&self, _id: &str) -> Answer<MatchDetail> {
        Err(ManagerError::Stopped)
    }

    /// What somebody may see of a match now. A match that still waits shows its players and no state. Of a
    /// match that is over the record is read.
    pub fn match_view(&self, _id: &str, _viewer: Viewer) -> Answer<MatchView> {
        Err(ManagerError::Stopped)
    }

    /// What somebody may see of the state after so many steps, and of the step that follows.
    pub fn match_step(&self, _id: &str, _viewer: Viewer, _step: usize) -> Answer<StepShown> {
        Err(ManagerError::Stopped)
    }

    /// News of a match. Who is slow gets the latest news, and misses only what newer news replaces; of a match
    /// that is over there is one last piece of news, and then the channel is closed.
    pub fn watch_match(&self, _id: &str) -> Answer<watch::Receiver<MatchNews>> {
        Err(ManagerError::Stopped)
    }

    /// Makes the move of a person: in the state after so many steps, as views write it or in infix.
    ///
    /// # Errors
    /// [`ManagerError::Move`] where it is not asked for, made already, too late or not legal.
    pub fn submit_move(&self, _id: &str, _seat: SeatNumber, _step: usize, _action: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// The record of a match, as far as it was played.
    ///
    /// # Errors
    /// [`ManagerError::Hidden`] while a match runs in which players do not see everything.
    pub fn record(&self, _id: &str) -> Answer<MatchRecord> {
        Err(ManagerError::Stopped)
    }

    // Tournaments.

    /// Begins a tournament; its name. Prepares its games.
    pub fn create_tournament(&self, _plan: &TournamentPlan) -> Answer<String> {
        Err(ManagerError::Stopped)
    }

    /// Tournaments, newest first.
    pub fn tournaments(&self, _page: PageRequest) -> Answer<Page<TournamentSummary>> {
        Err(ManagerError::Stopped)
    }

    /// How a tournament stands.
    pub fn tournament(&self, _id: &str) -> Answer<TournamentDetail> {
        Err(ManagerError::Stopped)
    }

    /// The ratings over time, at so many points at most.
    pub fn rating_history(&self, _id: &str, _points: usize) -> Answer<Vec<RatingPoint>> {
        Err(ManagerError::Stopped)
    }

    /// No more matches of a tournament begin; those that run go on.
    pub fn pause_tournament(&self, _id: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// Matches of a tournament begin again.
    pub fn resume_tournament(&self, _id: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// Strikes a player out of a tournament. Its matches that run are aborted where they are of no more use.
    pub fn strike_out(&self, _id: &str, _player: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }

    /// Ends a tournament for good: no more matches begin, and those that run are aborted.
    pub fn end_tournament(&self, _id: &str) -> Answer<()> {
        Err(ManagerError::Stopped)
    }
}
