//! The ladder: matches without an end, between players who are about as strong.

mod form;
mod pairing;
mod played;

use super::event::EventError;
use super::field::{Field, Room};
use super::pairing_system::{PairingSystem, Place};
use super::ranking::{Ledger, RankedPlayer};
use super::result::MatchResult;
use super::schedule::{Fixture, Tournament};
use crate::ratings::{Seat, Skill, rate};
use form::Form;
use pairing::Choosing;
use played::Played;

/// So many of the last results are kept, for tables and curves: all others are only in the ratings.
const RESULTS: usize = 2_000;

/// A ladder at work.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    /// How each player is doing.
    forms: Vec<Form>,
    played: Played,
    /// How far the fairest share of all has come: whoever enters or comes back begins here.
    clock: f64,
    finished: u64,
}

impl Ladder {
    pub(super) fn new(tournament: &Tournament) -> Self {
        let forms = vec![Form::new(0.0); tournament.players.len()];
        let played = Played::new(tournament.players.len(), tournament.games.len());
        Self { forms, played, clock: 0.0, finished: 0 }
    }

    /// Which match a result is of.
    fn fixture_of(&self, field: &Field, result: &MatchResult) -> Option<Fixture> {
        let game = field.tournament().games.iter().position(|game| game.name == result.game)?;
        let seating: Option<Vec<usize>> = result.players.iter().map(|name| field.number(name)).collect();
        let seating = seating.filter(|seating| seating.len() == field.tournament().games[game].seats)?;
        let fixture = field.tournament().fixture(game, result.round, seating);
        let is_new = self.played.is_open(&fixture) && fixture.seating.iter().all(|&one| field.is_in(one));
        (is_new && result.is_of(field.tournament(), &fixture)).then_some(fixture)
    }

    /// The ratings of those who have played.
    fn rate(&mut self, field: &Field, result: &MatchResult) {
        let seat = |(seat, player)| Seat { player, worth: result.worth_of_seat(seat) };
        let names = result.players.iter().map(String::as_str).enumerate();
        let seats: Vec<Seat<'_>> = names.map(seat).collect();
        let known = |name: &str| field.number(name).map(|player| self.forms[player].known(result.at));
        for rated in rate(&seats, result.rewards.is_some(), known) {
            if let Some(player) = field.number(rated.player) {
                self.forms[player].rated(rated.after, result.at);
            }
        }
    }

    /// The match has taken a part of what is due to each of its players.
    fn charge(&mut self, players: &[usize]) {
        let clock = self.clock;
        let begun = players.iter().map(|&player| self.forms[player].due(clock, 0));
        self.clock = clock.max(begun.fold(f64::INFINITY, f64::min));
        players.iter().for_each(|&player| self.forms[player].charge(clock));
    }
}

impl PairingSystem for Ladder {
    fn cloned(&self) -> Box<dyn PairingSystem> {
        Box::new(self.clone())
    }

    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError> {
        let fixture = self.fixture_of(field, result).ok_or_else(|| EventError::no_match(result))?;
        let players: Vec<usize> = super::field::distinct(&fixture.seating).collect();
        self.charge(&players);
        self.played.add(&fixture);
        if result.aborted.is_none() {
            self.rate(field, result);
        }
        for &player in &players {
            let own = (0..result.players.len()).filter(|&seat| fixture.seating[seat] == player);
            let failed = own.filter_map(|seat| result.faults.get(seat)).any(|faults| !faults.is_clean());
            self.forms[player].ended(failed, result.aborted.is_some(), result.at);
        }
        self.finished += 1;
        Ok((self.finished, 0, 0))
    }

    fn entered(&mut self, _field: &Field, _player: usize) {
        self.forms.push(Form::new(self.clock));
        self.played.enter();
    }

    fn struck(&mut self, _field: &Field, _player: usize) {}

    fn next(&self, field: &Field, room: &mut Room) -> Vec<Fixture> {
        let come = (self.clock, self.finished);
        let mut choosing = Choosing::new(field, &self.forms, &self.played, come, room.running());
        let mut picked = Vec::new();
        while !room.is_full() {
            let Some(fixture) = choosing.choose(|player| room.is_free(player)) else { break };
            if !room.take(&fixture) {
                break;
            }
            choosing.begun(&fixture);
            picked.push(fixture);
        }
        picked
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        self.played.is_open(fixture)
    }

    fn may_play(&self, _field: &Field, _player: usize) -> bool {
        true
    }

    fn open_matches(&self) -> usize {
        0
    }

    fn is_over(&self, field: &Field) -> bool {
        field.remaining().nth(1).is_none()
    }

    fn ranking(&self, field: &Field, results: &[&MatchResult]) -> Vec<RankedPlayer> {
        Ledger::of_results(field, results).ranking_by_skill(field, |player| self.forms[player].skill())
    }

    fn resting(&self, field: &Field, now: u64, running: &[Fixture]) -> Vec<usize> {
        let rests = |&player: &usize| {
            let running = running.iter().filter(|fixture| fixture.seating.contains(&player)).count();
            self.forms[player].rests_until(field.setup.per_day, now, running) > now
        };
        (0..field.size()).filter(rests).collect()
    }

    fn rests_until(&self, field: &Field, player: usize, now: u64) -> Option<u64> {
        let until = self.forms.get(player)?.rests_until(field.setup.per_day, now, 0);
        (until > now).then_some(until)
    }

    fn skill(&self, player: usize) -> Option<Skill> {
        self.forms.get(player).map(Form::skill)
    }

    fn kept_results(&self) -> usize {
        RESULTS
    }
}
