//! Which matches are under way, and which wait to begin.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use super::live::Live;
use super::quarantine::Resuming;
use crate::clock::unix_milliseconds;
use crate::lock::{lock, wait_for};
use crate::model::{MatchStage, MatchSummary};

/// How often a manager looks around when nobody wakes it.
const ROUND: Duration = Duration::from_millis(500);
/// Of many matches that are due together, so many begin at once, and the next ones after this.
const BEGIN_TOGETHER: usize = 2;
const BEGIN_GAP: Duration = Duration::from_millis(10);

/// Which matches are under way, and which wait to begin.
#[derive(Debug)]
pub(super) struct Scheduler {
    /// How many matches run at the same time.
    at_once: usize,
    matches: Mutex<Matches>,
    pub(super) resuming: Arc<Resuming>,
    /// Matches that were cut off because the store did not work; their players still know them.
    put_off: Mutex<BTreeSet<String>>,
    stopping: AtomicBool,
    wake: (Mutex<bool>, Condvar),
}

#[derive(Debug, Default)]
struct Matches {
    live: BTreeMap<String, Arc<Live>>,
    waiting: BTreeMap<String, Waiting>,
}

/// A match that waits.
#[derive(Clone, Debug)]
struct Waiting {
    /// In milliseconds since 1970.
    due: u64,
    players: Vec<String>,
    tournament: Option<String>,
    /// Whether it was under way before.
    begun: bool,
    /// Why it is to end as soon as it goes on.
    abort: Option<String>,
    /// Whether the server may have ended because of it when it was gone on with the last time.
    suspect: bool,
}

impl Matches {
    /// How many matches of tournaments are under way.
    fn held(&self) -> usize {
        self.live.values().filter(|live| live.tournament.is_some()).count()
    }
}

impl Waiting {
    /// Whether it belongs to no tournament and has not begun. What is only to end is no match that anybody plays.
    fn is_casual(&self) -> bool {
        self.tournament.is_none() && !self.begun && self.abort.is_none()
    }
}

/// What came of the wish that a match ends early.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum WantedAbort {
    /// It ends as soon as it can.
    Noted,
    /// It has not begun, and waits no more.
    NeverBegun,
    /// It is ending already.
    Ending,
}

impl Scheduler {
    pub(super) fn new(at_once: usize, resuming: Arc<Resuming>) -> Self {
        Self {
            at_once,
            matches: Mutex::default(),
            resuming,
            put_off: Mutex::default(),
            stopping: AtomicBool::new(false),
            wake: (Mutex::new(false), Condvar::new()),
        }
    }

    /// A match that is under way.
    pub(super) fn live(&self, id: &str) -> Option<Arc<Live>> {
        lock(&self.matches).live.get(id).cloned()
    }

    /// Whether a match is under way or waits.
    pub(super) fn has(&self, id: &str) -> bool {
        let matches = lock(&self.matches);
        matches.live.contains_key(id) || matches.waiting.contains_key(id)
    }

    /// How many matches are under way or wait.
    pub(super) fn len(&self) -> usize {
        let matches = lock(&self.matches);
        matches.live.len() + matches.waiting.len()
    }

    /// Whether no match is under way.
    pub(super) fn is_idle(&self) -> bool {
        lock(&self.matches).live.is_empty()
    }

    /// Whether a match waits, or is about to begin.
    pub(super) fn is_waiting(&self, id: &str) -> bool {
        lock(&self.matches).waiting.contains_key(id)
    }

    /// How many more matches of tournaments can begin beside those that wait. Other matches that wait begin after them.
    pub(super) fn room(&self) -> usize {
        let matches = lock(&self.matches);
        let waiting = matches.waiting.values().filter(|waiting| waiting.tournament.is_some()).count();
        let beside = self.at_once.saturating_sub(matches.live.len());
        beside.max(self.kept().saturating_sub(matches.held())).saturating_sub(waiting)
    }

    /// How many matches of ladders can begin: those for which there is room beside all that are under way or due, and a
    /// quarter more, which is left to others.
    pub(super) fn spare_room(&self) -> usize {
        let now = unix_milliseconds();
        let matches = lock(&self.matches);
        let due = matches.waiting.values().filter(|waiting| waiting.due <= now).count();
        self.at_once.saturating_sub(matches.live.len() + due + self.at_once / 4)
    }

    /// How many matches are under way, and how many there may be.
    pub(super) fn load(&self) -> (usize, usize) {
        (lock(&self.matches).live.len(), self.at_once)
    }

    /// So many matches of tournaments may be under way however many others are: a quarter more than all.
    fn kept(&self) -> usize {
        self.at_once.div_ceil(4)
    }

    /// A match begins when it is due and there is room. One that is suspect may have ended the server the last time.
    pub(super) fn wait_for(&self, summary: &MatchSummary, due: u64, suspect: bool) {
        let players = summary.seats.iter().map(|seat| seat.player.clone()).collect();
        let begun = summary.stage == MatchStage::Running;
        let waiting =
            Waiting { due, players, tournament: summary.tournament.clone(), begun, abort: None, suspect };
        lock(&self.matches).waiting.insert(summary.id.clone(), waiting);
    }

    /// Everybody that a match has waited for has come, perhaps under other names: it begins when it is due.
    pub(super) fn seated(&self, summary: &MatchSummary) {
        if let Some(waiting) = lock(&self.matches).waiting.get_mut(&summary.id) {
            waiting.players = summary.seats.iter().map(|seat| seat.player.clone()).collect();
            waiting.due = summary.due;
        }
        self.wake();
    }

    /// A match that was under way waits until then, because the store does not work. What was wanted of it is still
    /// wanted. It is at no time neither under way nor waiting, and the store is not asked.
    pub(super) fn put_off(&self, live: &Live, due: u64) {
        lock(&self.put_off).insert(live.id.clone());
        let (players, tournament) = (live.players.clone(), live.tournament.clone());
        let mut matches = lock(&self.matches);
        let abort = live.is_to_be_aborted();
        let waiting = Waiting { due, players, tournament, begun: true, abort, suspect: false };
        matches.waiting.insert(live.id.clone(), waiting);
        matches.live.remove(&live.id);
    }

    /// A match that could not begin yet waits again.
    pub(super) fn wait_again(&self, live: &Live, due: u64) {
        let (players, tournament) = (live.players.clone(), live.tournament.clone());
        let mut matches = lock(&self.matches);
        let abort = live.is_to_be_aborted();
        let waiting = Waiting { due, players, tournament, begun: false, abort, suspect: false };
        matches.waiting.insert(live.id.clone(), waiting);
        matches.live.remove(&live.id);
    }

    /// Whether a match was put off since it began.
    pub(super) fn was_put_off(&self, id: &str) -> bool {
        lock(&self.put_off).contains(id)
    }

    /// A match is not under way any more: it is over, or the manager ends.
    pub(super) fn ended(&self, id: &str) {
        lock(&self.put_off).remove(id);
        lock(&self.matches).live.remove(id);
    }

    /// Has a match ended early that is under way or waits, where that can be: one that has never begun is to
    /// be given up by whoever asks, and does not wait any more.
    pub(super) fn want_abort(&self, id: &str, has_begun: bool, why: &str) -> WantedAbort {
        let mut matches = lock(&self.matches);
        if let Some(live) = matches.live.get(id) {
            live.abort(why);
            return WantedAbort::Noted;
        }
        let Some(found) = matches.waiting.get_mut(id) else { return WantedAbort::Ending };
        if !has_begun {
            matches.waiting.remove(id);
            return WantedAbort::NeverBegun;
        }
        found.abort = Some(why.to_owned());
        found.due = 0;
        drop(matches);
        self.wake();
        WantedAbort::Noted
    }

    /// Some of the matches that are due, which are under way from now on; and whether there are more of them, and room.
    /// Many that are due together begin one after the other, so that those under way do not wait for all of them. A
    /// match that belongs to no tournament waits as long as one of its players is needed by one.
    pub(super) fn begin_due(&self, needed: &BTreeSet<String>) -> (Vec<Arc<Live>>, bool) {
        // Of several that may have ended the server, it is known which one did when they go on one by one.
        let mut is_free = !self.resuming.is_any_under_way();
        let now = unix_milliseconds();
        let mut matches = lock(&self.matches);
        let (mut live, mut held) = (matches.live.len(), matches.held());
        let mut due: Vec<_> = matches.waiting.iter().filter(|(_, waiting)| waiting.due <= now).collect();
        due.retain(|(_, waiting)| {
            !waiting.is_casual() || !waiting.players.iter().any(|p| needed.contains(p))
        });
        due.sort_by_key(|(id, waiting)| (waiting.suspect, waiting.due, *id));
        due.retain(|(_, waiting)| !waiting.suspect || std::mem::take(&mut is_free));
        due.retain(|(_, waiting)| {
            let is_held = waiting.tournament.is_some();
            let fits = live < self.at_once || (is_held && held < self.kept());
            live += usize::from(fits);
            held += usize::from(fits && is_held);
            fits
        });
        let is_more_due = due.len() > BEGIN_TOGETHER;
        let due: Vec<String> = due.into_iter().take(BEGIN_TOGETHER).map(|(id, _)| id.clone()).collect();
        let mut begun = Vec::new();
        for id in due {
            let Some(waiting) = matches.waiting.remove(&id) else { continue };
            let live = Arc::new(Live::new(&id, waiting.players, waiting.tournament));
            if let Some(why) = waiting.abort {
                live.abort(&why);
            }
            matches.live.insert(id, Arc::clone(&live));
            begun.push(live);
        }
        (begun, is_more_due)
    }

    /// Who is in a match of another tournament than this one.
    pub(super) fn players_at_work(&self, tournament: &str) -> BTreeSet<String> {
        let now = unix_milliseconds();
        let is_other = |other: &Option<String>| other.as_ref().is_some_and(|other| other != tournament);
        let matches = lock(&self.matches);
        let live = matches.live.values().filter(|live| is_other(&live.tournament)).map(|live| &live.players);
        let waiting = matches.waiting.values();
        let waiting = waiting.filter(|waiting| is_other(&waiting.tournament) && waiting.due <= now);
        live.chain(waiting.map(|waiting| &waiting.players)).flatten().cloned().collect()
    }

    /// Who is in matches that belong to no tournament and are under way, and since when in the last one.
    pub(super) fn players_in_casual_matches(&self) -> BTreeMap<String, u64> {
        let matches = lock(&self.matches);
        let mut players = BTreeMap::new();
        for live in matches.live.values().filter(|live| live.tournament.is_none()) {
            for player in &live.players {
                let since = players.entry(player.clone()).or_insert(live.since);
                *since = live.since.max(*since);
            }
        }
        players
    }

    /// Who is to play in matches that belong to no tournament and are due.
    pub(super) fn players_of_due_casual_matches(&self) -> BTreeSet<String> {
        let now = unix_milliseconds();
        let matches = lock(&self.matches);
        let due = matches.waiting.values().filter(|waiting| waiting.is_casual() && waiting.due <= now);
        due.flat_map(|waiting| &waiting.players).cloned().collect()
    }

    /// Since when a player is in the last match that it began; none where it is in none.
    pub(super) fn plays_since(&self, player: &str) -> Option<u64> {
        let matches = lock(&self.matches);
        let own = matches.live.values().filter(|live| live.players.iter().any(|other| other == player));
        own.map(|live| live.since).max()
    }

    /// A match of a player that is under way and does not belong to this tournament, and since when.
    pub(super) fn match_elsewhere(&self, player: &str, tournament: &str) -> Option<(String, u64)> {
        let matches = lock(&self.matches);
        let elsewhere = matches.live.values().filter(|live| live.tournament.as_deref() != Some(tournament));
        let mut own = elsewhere.filter(|live| live.players.iter().any(|other| other == player));
        own.next().map(|live| (live.id.clone(), live.since))
    }

    /// Something may be to do.
    pub(super) fn wake(&self) {
        *lock(&self.wake.0) = true;
        self.wake.1.notify_all();
    }

    /// Waits until something may be to do.
    pub(super) fn rest(&self, is_more_due: bool) {
        let mut woken = lock(&self.wake.0);
        if !*woken {
            let time = if is_more_due { BEGIN_GAP } else { ROUND };
            woken = wait_for(&self.wake.1, woken, time);
        }
        *woken = false;
    }

    /// No more matches begin.
    pub(super) fn stop(&self) {
        self.stopping.store(true, Ordering::SeqCst);
        self.wake();
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.stopping.load(Ordering::SeqCst)
    }
}
