//! Whether remote players are there: asks them by info, less and less often where they do not answer.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use ludex::gdl::Notation;
use ludex::matches::message::{Expected, Request, Response, read_response, request_text};

use super::options::PingOptions;
use crate::clock::now;
use crate::driver::{HttpClient, PlayerAddress, signed_headers, unix_milliseconds};
use crate::lock::lock;
use crate::model::{Availability, PlayerKind, PlayerSummary, Presence};
use crate::signature::MessageSecret;

/// So many milliseconds after a match has begun a player knows that it plays.
const SETTLED: u64 = 2_000;

/// What is known of all remote players.
#[derive(Debug)]
pub(super) struct Watch {
    options: PingOptions,
    players: Mutex<BTreeMap<String, Watched>>,
}

#[derive(Debug)]
struct Watched {
    address: PlayerAddress,
    notation: Notation,
    secret: Option<MessageSecret>,
    known: Availability,
    /// When it is to be asked next.
    due: Instant,
    /// Whether it is being asked.
    asked: bool,
    /// Whether the store does not know yet what is known.
    news: bool,
}

/// A question to a player.
#[derive(Clone, Debug)]
pub(super) struct Ping {
    pub(super) name: String,
    address: PlayerAddress,
    notation: Notation,
    secret: Option<MessageSecret>,
    patience: Duration,
}

/// What a player answered, or why there is no answer.
type Answer = Result<(Presence, Vec<(String, String)>), String>;

impl Ping {
    /// Asks, and says how long it took.
    pub(super) async fn ask(&self, client: &Arc<HttpClient>) -> (Answer, Duration) {
        let body = request_text(&Request::Info, self.notation);
        let headers = signed_headers(&self.name, &body, &self.address, self.secret.as_ref());
        let begun = now();
        let asking = client.post(&self.address, &headers, &body);
        let answer = match tokio::time::timeout(self.patience, asking).await {
            Err(_) => Err(format!("no answer within {} s", self.patience.as_secs_f64())),
            Ok(Err(error)) => Err(error.to_string()),
            Ok(Ok(bytes)) => match read_response(&bytes, Expected::Info, self.notation) {
                Ok(Response::Available(says)) => Ok((Presence::Available, says)),
                Ok(Response::Busy) => Ok((Presence::Busy, Vec::new())),
                Ok(_) => Err("an answer that is none to info".to_owned()),
                Err(error) => Err(error.to_string()),
            },
        };
        (answer, begun.elapsed())
    }
}

impl Watch {
    pub(super) fn new(options: PingOptions) -> Self {
        Self { options, players: Mutex::default() }
    }

    /// Watches a player, if it is a remote one; from anew if it is another one than before.
    pub(super) fn watch(
        &self,
        name: &str,
        kind: &PlayerKind,
        secret: Option<MessageSecret>,
        known: &Availability,
    ) {
        let PlayerKind::Remote { address, notation } = kind else { return self.forget(name) };
        let Ok(address) = address.parse() else { return self.forget(name) };
        let (known, notation) = (known.clone(), Notation::from(*notation));
        let watched = Watched { address, notation, secret, known, due: now(), asked: false, news: false };
        lock(&self.players).insert(name.to_owned(), watched);
    }

    /// Watches all players that there are. Those that are what they were are watched as before.
    pub(super) fn watch_these(
        &self,
        all: &[PlayerSummary],
        secret_of: impl Fn(&str) -> Option<MessageSecret>,
    ) {
        for player in all {
            let PlayerKind::Remote { address, notation } = &player.kind else { continue };
            let (secret, notation) = (secret_of(&player.name), Notation::from(*notation));
            let as_before = lock(&self.players).get(&player.name).is_some_and(|watched| {
                watched.notation == notation
                    && watched.secret == secret
                    && address.parse().is_ok_and(|new| watched.address == new)
            });
            if !as_before {
                self.watch(&player.name, &player.kind, secret, &player.availability);
            }
        }
        let remote = |player: &&PlayerSummary| matches!(player.kind, PlayerKind::Remote { .. });
        let names: BTreeSet<&str> = all.iter().filter(remote).map(|player| player.name.as_str()).collect();
        lock(&self.players).retain(|name, _| names.contains(name.as_str()));
    }

    pub(super) fn forget(&self, name: &str) {
        lock(&self.players).remove(name);
    }

    /// What is known of a player that is watched.
    pub(super) fn known(&self, name: &str) -> Option<Availability> {
        lock(&self.players).get(name).map(|watched| watched.known.clone())
    }

    /// Whether a player is a remote one and may be able to play no more than one match, where it is in one since then:
    /// whoever was asked when the match was under way, and answered that it is available, can play another one.
    pub(super) fn plays_one(&self, name: &str, since: u64) -> bool {
        let players = lock(&self.players);
        let Some(Watched { known, .. }) = players.get(name) else { return false };
        let asked = known.last_asked.unwrap_or(0).saturating_sub(known.took.unwrap_or(0));
        known.presence != Presence::Available || asked <= since.saturating_add(SETTLED)
    }

    /// Of a remote player: in spite of a match that began before then, it can play another one, in milliseconds since
    /// 1970. See [`Watch::plays_one`].
    pub(super) fn settled(&self, name: &str) -> Option<u64> {
        let players = lock(&self.players);
        let Watched { known, .. } = players.get(name)?;
        let asked = known.last_asked.unwrap_or(0).saturating_sub(known.took.unwrap_or(0));
        let is_available = known.presence == Presence::Available;
        Some(if is_available { asked.saturating_sub(SETTLED) } else { 0 })
    }

    /// Whether a player is known not to be there.
    pub(super) fn is_away(&self, name: &str) -> bool {
        lock(&self.players).get(name).is_some_and(|watched| watched.known.presence == Presence::Away)
    }

    /// Whom to ask now. Each has to be followed by [`Watch::note`].
    pub(super) fn due(&self) -> Vec<Ping> {
        let now = now();
        let mut players = lock(&self.players);
        let under_way = players.values().filter(|watched| watched.asked).count();
        let room = self.options.at_once.saturating_sub(under_way);
        let due = players.iter_mut().filter(|(_, watched)| !watched.asked && watched.due <= now);
        due.take(room).map(|(name, watched)| watched.ping(name, self.options.patience)).collect()
    }

    /// It is to be known soon whether a player can play another match.
    pub(super) fn ask_soon(&self, name: &str) {
        if let Some(watched) = lock(&self.players).get_mut(name) {
            watched.due = now();
        }
    }

    /// A question to a player, now.
    pub(super) fn ping(&self, name: &str) -> Option<Ping> {
        let mut players = lock(&self.players);
        players.get_mut(name).map(|watched| watched.ping(name, self.options.patience))
    }

    /// Notes what came of a question.
    pub(super) fn note(&self, ping: &Ping, (answer, took): (Answer, Duration)) -> Option<Availability> {
        let mut players = lock(&self.players);
        let watched = players.get_mut(&ping.name)?;
        watched.asked = false;
        if watched.address != ping.address {
            return Some(watched.known.clone());
        }
        let known = &mut watched.known;
        let at = unix_milliseconds();
        known.last_asked = Some(at);
        known.asked += 1;
        match answer {
            Ok((presence, says)) => {
                known.presence = presence;
                known.last_seen = Some(at);
                known.answered += 1;
                known.failures = 0;
                known.cause = None;
                known.took = u64::try_from(took.as_millis()).ok();
                known.says = says;
            }
            Err(cause) => {
                known.presence = Presence::Away;
                known.failures = known.failures.saturating_add(1);
                known.cause = Some(cause);
                known.took = None;
            }
        }
        watched.due = now() + self.options.pause(known.failures);
        watched.news = true;
        Some(watched.known.clone())
    }

    /// What the store does not know yet. It counts as known from now on.
    pub(super) fn news(&self) -> Vec<(String, Availability)> {
        let mut players = lock(&self.players);
        let fresh = players.iter_mut().filter(|(_, watched)| watched.news);
        let told = |(name, watched): (&String, &mut Watched)| {
            watched.news = false;
            (name.clone(), watched.known.clone())
        };
        fresh.map(told).collect()
    }
}

impl Watched {
    fn ping(&mut self, name: &str, patience: Duration) -> Ping {
        self.asked = true;
        let (name, address, secret) = (name.to_owned(), self.address.clone(), self.secret.clone());
        Ping { name, address, notation: self.notation, secret, patience }
    }
}

impl PingOptions {
    /// How long to wait after so many failures in a row.
    fn pause(&self, failures: u32) -> Duration {
        let doubled = self.every.saturating_mul(2u32.saturating_pow(failures.min(20)));
        doubled.min(self.at_most.max(self.every))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_does_not_answer_is_asked_less_and_less_often() {
        let options = PingOptions::default();
        let pauses: Vec<u64> = (0..9).map(|failures| options.pause(failures).as_secs()).collect();
        assert_eq!(pauses, [30, 60, 120, 240, 480, 960, 1800, 1800, 1800]);
        assert_eq!(options.pause(u32::MAX).as_secs(), 1800);
    }
}
