//! A player at a table that was given records in place of rules.

use std::sync::Arc;

use ludex::Rules;
use ludex::game::{TimeTerms, sha256};
use ludex::learned::{LearnedGame, LearnedOptions, LearnedPlayer, MakePlayer};
use ludex::logic::{Budget, TermId};
use ludex::matches::Told;
use ludex::matches::message::{Last, StartMessage};
use ludex::matches::records::read_records;
use ludex::matches::service::{Follower, Heard};

use super::seat::Turn;
use super::worker::unbroken;
use crate::cache::Cache;

/// So many games are kept as they were learned.
const KEPT: usize = 4;

/// Games that were learned before, so that a rematch begins with what the last match showed.
#[derive(Debug)]
pub(super) struct LearnedGames(Cache<String, LearnedGame>);

impl Default for LearnedGames {
    fn default() -> Self {
        Self(Cache::of_few(KEPT, usize::MAX, |_| 0))
    }
}

impl LearnedGames {
    /// Keeps a game, unless more can be found out with more time.
    fn keep(&self, key: &str, learned: &LearnedGame) {
        if learned.is_whole() {
            self.0.put(key.to_owned(), &Arc::new(learned.clone()));
        }
    }
}

/// A player that learned from records, in a match.
pub(super) struct LearnedSeat {
    player: LearnedPlayer,
    /// The rules as they were learned before the match: moves are told in their terms.
    rules: Rules,
    follower: Follower,
    games: Arc<LearnedGames>,
    /// What is known of the records.
    key: String,
}

impl LearnedSeat {
    /// Learns, as far as the time for getting ready allows, and takes a role.
    ///
    /// # Errors
    /// The records cannot be read, nothing that is learned of them can be played, or there is no such role.
    pub(super) fn new(
        start: &StartMessage,
        options: LearnedOptions,
        make: MakePlayer,
        games: &Arc<LearnedGames>,
        budget: &Budget,
    ) -> Result<Self, String> {
        let key = sha256(&start.rules);
        let mut player = match games.0.get(&key) {
            Some(learned) => LearnedPlayer::with_learned((*learned).clone(), make),
            None => {
                let traces = read_records(&start.rules).map_err(|error| error.to_string())?;
                LearnedPlayer::new(traces, options, make)
            }
        };
        player.begin(&start.role, budget).map_err(|error| error.to_string())?;
        let learned = player.learned().ok_or("nothing was learned")?;
        let rules = learned.game().rules().clone();
        let role = rules.find_role(&start.role).ok_or("there is no such role")?;
        games.keep(&key, learned);
        let follower = Follower::new(rules.clone(), role);
        Ok(Self { player, rules, follower, games: Arc::clone(games), key })
    }

    /// Takes in what a message says happened.
    pub(super) fn hear(&mut self, last: &Last, answered: Option<String>, undelivered: bool) -> Turn {
        self.follower.answer(answered.clone());
        // What the rules say that were learned is no reason to take a message for one that came before.
        let (heard, doubts) = self.follower.hear(last, undelivered, &mut |_| true);
        for doubt in doubts {
            tracing::info!("{doubt}");
        }
        match (heard, answered) {
            (Heard::Same, Some(answered)) => Turn::Answered(answered),
            (Heard::Same, None) => Turn::Open,
            (Heard::Steps(steps), answered) => {
                let answered = answered.filter(|_| !undelivered);
                for told in steps {
                    if let Told::Joint(joint) = told {
                        let joint = texts(&self.rules, &joint);
                        if let Err(cause) = unbroken(|| self.player.hear(joint, answered.as_deref())) {
                            tracing::error!(cause, "the player broke down");
                        }
                    }
                }
                Turn::Open
            }
        }
    }

    /// A move that is legal as far as is known, or that is usual.
    pub(super) fn legal(&self) -> Option<String> {
        self.player.legal()
    }

    /// The player's move.
    pub(super) fn choose(&mut self, time: &TimeTerms, budget: &Budget) -> Result<String, String> {
        self.player.hear_time(time);
        let chosen = unbroken(|| self.player.choose(budget))?.ok_or("it knows of no move")?;
        tracing::info!("chose {chosen}");
        Ok(chosen)
    }

    /// Tells the player that the match is over, with what happened last where it was told.
    pub(super) fn finish(mut self, last: Option<&Last>, answered: Option<String>, budget: &Budget) {
        if let Some(last) = last {
            self.hear(last, answered, false);
        }
        if let Err(cause) = unbroken(|| self.player.finish(last.is_some(), Some(budget))) {
            tracing::error!(cause, "the player broke down");
        }
        if let Some(learned) = self.player.learned() {
            self.games.keep(&self.key, learned);
        }
    }
}

/// A joint move as the player knows moves.
fn texts(rules: &Rules, joint: &[TermId]) -> Vec<String> {
    joint.iter().map(|&action| rules.signature().terms().prefix(action)).collect()
}
