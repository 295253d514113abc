//! Players without rules, from one match to the next.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::Duration;

use ludex::explore::{BlindPlayer, blind_player, blind_players};
use ludex::logic::Budget;
use ludex::matches::blind::Structure;
use ludex::players::Registry;
use ludex::players::real_time::create_timed;

use crate::lock::lock;

/// So many players are kept while they are in no match.
const KEPT: usize = 8;
/// How long a wait lasts before the limits are looked at again.
const GLANCE: Duration = Duration::from_millis(20);

/// The player without rules that a strategy stands for: the one of its name, or else the best.
pub(super) fn blind_name(strategy: &str) -> &'static str {
    let known = blind_players().iter().map(|(name, _)| *name);
    known.clone().find(|name| *name == strategy).or_else(|| known.clone().next()).unwrap_or_default()
}

/// Whether a strategy plays without rules only.
pub fn plays_without_rules_only(strategy: &str, registry: &Registry) -> bool {
    blind_players().iter().any(|(name, _)| *name == strategy)
        && registry.find(strategy).is_none()
        && create_timed(strategy, 1).is_err()
}

/// What a player knows is about a game as it was told of it, a role in it and a way to play.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Subject {
    pub(super) structure: Structure,
    pub(super) role: usize,
    pub(super) name: &'static str,
}

/// Players that know something of a game from matches before, and are kept for the next one.
#[derive(Default)]
pub(super) struct BlindPlayers {
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Default)]
struct State {
    /// Players in no match, the one that came last at the end.
    free: Vec<(Subject, Box<dyn BlindPlayer>)>,
    /// Of the players in matches what they know, and the flag that goes up when their match is over.
    lent: Vec<(Subject, Arc<AtomicBool>)>,
}

impl BlindPlayers {
    /// The player of a subject: one of a match before, if there is one. One whose match is over, but who has not yet come
    /// back from it, is waited for within `budget`. `over` is the flag of the new match.
    pub(super) fn take(
        self: &Arc<Self>,
        subject: Subject,
        seed: u64,
        over: Arc<AtomicBool>,
        budget: &Budget,
    ) -> Option<LentPlayer> {
        let mut state = lock(&self.state);
        let player = loop {
            if let Some(place) = state.free.iter().rposition(|(of, _)| *of == subject) {
                break state.free.remove(place).1;
            }
            let is_coming =
                |(of, over): &(Subject, Arc<AtomicBool>)| *of == subject && over.load(Ordering::Relaxed);
            if !state.lent.iter().any(is_coming) || budget.meter().check().is_err() {
                break blind_player(subject.name, &subject.structure, subject.role, seed)?;
            }
            // A lock that somebody broke down with is as good as any.
            state = match self.returned.wait_timeout(state, GLANCE) {
                Ok((state, _)) => state,
                Err(broken) => broken.into_inner().0,
            };
        };
        state.lent.push((subject.clone(), Arc::clone(&over)));
        Some(LentPlayer { players: Arc::clone(self), subject, over, player: Some(player) })
    }
}

/// A player in a match. It goes back when this goes.
pub(super) struct LentPlayer {
    players: Arc<BlindPlayers>,
    subject: Subject,
    over: Arc<AtomicBool>,
    /// `None` when it broke down.
    pub(super) player: Option<Box<dyn BlindPlayer>>,
}

impl LentPlayer {
    /// What its role can do.
    pub(super) fn actions(&self) -> &[String] {
        self.subject.structure.actions.get(self.subject.role).map_or(&[], Vec::as_slice)
    }
}

impl Drop for LentPlayer {
    fn drop(&mut self) {
        let mut state = lock(&self.players.state);
        state.lent.retain(|(_, over)| !Arc::ptr_eq(over, &self.over));
        if let Some(player) = self.player.take() {
            if state.free.len() == KEPT {
                state.free.remove(0);
            }
            state.free.push((self.subject.clone(), player));
        }
        drop(state);
        self.players.returned.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subject(actions: &[&str]) -> Subject {
        let actions = actions.iter().map(|&action| action.to_owned()).collect();
        let structure =
            Structure { roles: vec!["robot".to_owned()], actions: vec![actions], percepts: Vec::new() };
        Subject { structure, role: 0, name: "random" }
    }

    fn flag() -> Arc<AtomicBool> {
        Arc::new(AtomicBool::new(false))
    }

    /// A generator tells players apart: one that goes on gives other numbers than one that begins.
    fn drawn(player: &mut LentPlayer) -> Vec<String> {
        let player = player.player.as_mut().unwrap();
        (0..20).map(|_| player.choose(&Budget::unlimited())).collect()
    }

    #[test]
    fn players_are_kept_for_the_next_match() {
        let players = Arc::new(BlindPlayers::default());
        let budget = Budget::unlimited();
        let take = |subject, over| players.take(subject, 1, over, &budget).unwrap();
        let mut first = take(subject(&["a", "b"]), flag());
        let begun = drawn(&mut first);
        let mut beside = take(subject(&["a", "b"]), flag());
        assert_eq!(drawn(&mut beside), begun, "a match at the same time has a player of its own");
        beside.player = None;
        drop(beside);
        drop(first);
        let mut again = take(subject(&["a", "b"]), flag());
        assert_ne!(drawn(&mut again), begun, "it goes on");
        assert!(take(subject(&["c"]), flag()).actions() == ["c"]);
    }

    #[test]
    fn one_that_comes_back_is_waited_for() {
        let players = Arc::new(BlindPlayers::default());
        let over = flag();
        let mut first =
            players.take(subject(&["a", "b"]), 1, Arc::clone(&over), &Budget::unlimited()).unwrap();
        let begun = drawn(&mut first);
        over.store(true, Ordering::Relaxed);
        let thread = std::thread::spawn(move || drop(first));
        let mut second = players.take(subject(&["a", "b"]), 1, flag(), &Budget::unlimited()).unwrap();
        thread.join().unwrap();
        assert_ne!(drawn(&mut second), begun);
    }

    #[test]
    fn few_are_kept() {
        let players = Arc::new(BlindPlayers::default());
        for number in 0..3 * KEPT {
            let subject = subject(&[&format!("a{number}")]);
            drop(players.take(subject, 1, flag(), &Budget::unlimited()));
        }
        assert_eq!(lock(&players.state).free.len(), KEPT);
        assert!(lock(&players.state).lent.is_empty());
    }

    #[test]
    fn every_strategy_stands_for_a_player_without_rules() {
        assert_eq!(blind_name("random"), "random");
        assert_eq!(blind_name("uct:c=0.8"), blind_players()[0].0);
        assert!(!plays_without_rules_only("random", &Registry::default()));
        assert!(!plays_without_rules_only("nobody", &Registry::default()));
    }
}
