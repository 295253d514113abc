//! What a server takes over of what nobody has, where several share a store, and who is at work elsewhere.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use super::core::Core;
use super::error::ManagerError;
use super::member::Membered;
use super::tournaments::HeldTournament;
use crate::clock::unix_milliseconds;
use crate::membership::share;
use crate::model::{
    Claimed, MatchRow, MatchStage, Ownership, SharedNews, StoreError, TournamentRow, Unowned,
};

/// No more is taken over at once.
const AT_ONCE: u64 = 256;
/// What is younger than so many milliseconds may be just being made here.
const BEING_MADE: u64 = 10_000;
/// So long news are waited for before it is looked whether the server ends.
const PATIENCE: Duration = Duration::from_millis(200);

/// Where something is that a request is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whereabouts {
    /// Here, or it does not matter.
    Here,
    /// With the server of this number, which is reached there: `host:port`.
    At(u64, String),
    /// Nobody has it just now; that passes.
    Nowhere,
}

impl Core {
    /// Takes up what the store has: tournaments, and matches that wait or run. Of a store that is shared, the rounds take
    /// what nobody has.
    pub(super) fn take_up(&self) -> Result<(), ManagerError> {
        if self.membered.is_some() {
            return self.claim().map(|_| ());
        }
        self.take(self.store.open_tournaments()?, self.store.open_matches()?);
        Ok(())
    }

    fn take(&self, tournaments: Vec<TournamentRow>, matches: Vec<MatchRow>) {
        for row in tournaments {
            let id = row.summary.id.clone();
            match HeldTournament::resume(row, &*self.store) {
                Ok(held) => self.tournaments.insert(held),
                Err(error) => self.trouble(&format!("tournament {id}"), Some(error.in_general())),
            }
        }
        for row in matches {
            if let (Some(tournament), Some(fixture)) = (&row.summary.tournament, &row.fixture) {
                let id = row.summary.id.clone();
                self.tournaments.change(tournament, |held| held.matches.insert(id, fixture.clone()));
            }
            self.scheduler.wait_for(&row.summary, self.due(&row), row.resumptions > 0);
        }
    }

    /// Takes over a share of what nobody has; whether there was something.
    pub(super) fn claim(&self) -> Result<bool, ManagerError> {
        let Some(membered) = self.membered.as_ref().filter(|membered| membered.holds()) else {
            return Ok(false);
        };
        if self.doubts.load(Ordering::SeqCst) {
            self.find_what_was_claimed(membered)?;
        }
        let unowned = membered.shared.unowned()?;
        if unowned == Unowned::default() {
            return Ok(false);
        }
        let servers = membered.lease.servers();
        let most = Unowned {
            tournaments: share(unowned.tournaments, servers, AT_ONCE),
            matches: share(unowned.matches, servers, AT_ONCE),
        };
        let claimed = membered.shared.claim(membered.number, most);
        // Nobody else takes what was claimed and not heard of.
        self.doubts.fetch_or(claimed.is_err(), Ordering::SeqCst);
        let Claimed { tournaments, matches } = claimed?;
        let running = matches.iter().filter(|row| row.summary.stage == MatchStage::Running).count();
        self.metrics.took_over(running);
        let is_any = !tournaments.is_empty() || !matches.is_empty();
        if is_any {
            tracing::info!(tournaments = tournaments.len(), matches = matches.len(), "taken over");
        }
        self.take(tournaments, matches);
        Ok(is_any)
    }

    /// Takes up what a claim took of which nobody heard what came of it. What was only just made here is not touched.
    fn find_what_was_claimed(&self, membered: &Membered) -> Result<(), ManagerError> {
        let Claimed { mut tournaments, mut matches } = membered.shared.owned(membered.number)?;
        tournaments.retain(|row| self.tournaments.ask(&row.summary.id, |_| ()).is_none());
        matches.retain(|row| !self.scheduler.has(&row.summary.id));
        let is_old = |created: u64| created.saturating_add(BEING_MADE) < unix_milliseconds();
        let all = tournaments.len() + matches.len();
        tournaments.retain(|row| is_old(row.summary.created));
        matches.retain(|row| is_old(row.summary.created));
        let is_all = tournaments.len() + matches.len() == all;
        self.take(tournaments, matches);
        self.doubts.store(!is_all, Ordering::SeqCst);
        Ok(())
    }

    /// The same in each round; what does not work then, works later.
    pub(super) fn claim_in_round(&self) {
        match self.claim() {
            Ok(true) => {
                self.changed();
                self.scheduler.wake();
            }
            Ok(false) => {}
            Err(ManagerError::Store(StoreError::Superseded { .. })) => {}
            Err(error) => tracing::warn!(%error, "what nobody has cannot be taken over yet"),
        }
    }

    /// Hears what other members have changed, until the manager ends.
    pub(super) fn hear_news(self: &Arc<Self>) {
        let Some(membered) = &self.membered else { return };
        while !self.scheduler.is_stopping() {
            match membered.shared.news(PATIENCE) {
                Ok(news) => self.heard(&news),
                Err(error) => {
                    tracing::debug!(%error, "no news can be heard");
                    std::thread::sleep(PATIENCE);
                }
            }
        }
    }

    fn heard(&self, news: &[SharedNews]) {
        if news.is_empty() {
            return;
        }
        if news.contains(&SharedNews::Players)
            && let Err(error) = self.watch_players()
        {
            tracing::warn!(%error, "who is registered cannot be read");
        }
        if news.contains(&SharedNews::Members)
            && let Some(membered) = &self.membered
        {
            match membered.shared.members() {
                Ok(members) => membered.lease.saw(members),
                Err(error) => tracing::debug!(%error, "who shares the store cannot be read"),
            }
        }
        self.changed();
        self.scheduler.wake();
    }

    /// Where a match is.
    pub(super) fn where_is_match(&self, id: &str) -> Result<Whereabouts, ManagerError> {
        if self.scheduler.has(id) {
            return Ok(Whereabouts::Here);
        }
        self.whereabouts(|membered| membered.shared.owner_of_match(id))
    }

    /// Where a tournament is.
    pub(super) fn where_is_tournament(&self, id: &str) -> Result<Whereabouts, ManagerError> {
        if self.tournaments.ask(id, |_| ()).is_some() {
            return Ok(Whereabouts::Here);
        }
        self.whereabouts(|membered| membered.shared.owner_of_tournament(id))
    }

    fn whereabouts(
        &self,
        owner: impl FnOnce(&Membered) -> Result<Ownership, StoreError>,
    ) -> Result<Whereabouts, ManagerError> {
        let Some(membered) = &self.membered else { return Ok(Whereabouts::Here) };
        Ok(match owner(membered) {
            Err(StoreError::NotFound { .. }) | Ok(Ownership::Over) => Whereabouts::Here,
            Ok(Ownership::Member { number, .. }) if number == membered.number => Whereabouts::Here,
            Ok(Ownership::Nobody) => Whereabouts::Nowhere,
            Ok(Ownership::Member { address, .. }) if address.is_empty() => Whereabouts::Nowhere,
            Ok(Ownership::Member { number, address }) => Whereabouts::At(number.0, address),
            Err(error) => return Err(error.into()),
        })
    }

    /// Who is at work in matches of other servers: in other tournaments than this one, and in matches of none, since
    /// then.
    pub(super) fn engaged_elsewhere(&self, tournament: &str) -> (Vec<String>, BTreeMap<String, u64>) {
        let (mut held, mut casual) = (Vec::new(), BTreeMap::new());
        let Some(membered) = self.membered.as_ref().filter(|membered| membered.lease.servers() > 1) else {
            return (held, casual);
        };
        let engagements = membered.shared.engagements(membered.number).unwrap_or_else(|error| {
            // Whoever cannot be asked twice is not, when the match begins.
            tracing::warn!(%error, "who plays elsewhere is not known");
            Vec::new()
        });
        for engagement in engagements {
            match (engagement.tournament, engagement.began) {
                (Some(other), _) if other != tournament => held.push(engagement.player),
                (None, Some(began)) => {
                    let since = casual.entry(engagement.player).or_insert(began);
                    *since = began.max(*since);
                }
                _ => {}
            }
        }
        (held, casual)
    }
}
