//! What a format has to know: a state machine that is fed with what happens.

use std::fmt::Debug;

use super::encounter::{Encounter, EncounterReport};
use super::event::EventError;
use super::field::{Field, Room};
use super::ranking::RankedPlayer;
use super::result::MatchResult;
use super::schedule::Fixture;
use crate::ratings::Skill;

/// Where a result stands among the others: they are shown in this order, whatever came first.
pub(super) type Place = (u64, u32, u32);

/// A format at work.
pub(super) trait PairingSystem: Debug + Send + Sync {
    /// The same, to go on from here on its own.
    fn cloned(&self) -> Box<dyn PairingSystem>;

    /// A match was played or aborted.
    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError>;

    /// Why nobody can enter now, where nobody can although the format admits late entries.
    fn entry_refusal(&self, _field: &Field) -> Option<&'static str> {
        None
    }

    /// A player has entered, the last one of the field. Asked of formats that admit late entries only.
    fn entered(&mut self, field: &Field, player: usize);

    /// A player was struck out.
    fn struck(&mut self, field: &Field, player: usize);

    /// Which matches to begin now: as many as there is room for.
    fn next(&self, field: &Field, room: &mut Room) -> Vec<Fixture>;

    /// Whether a match is still to be played.
    fn wants(&self, fixture: &Fixture) -> bool;

    /// Whether a player who was not struck out may have matches to come.
    fn may_play(&self, field: &Field, player: usize) -> bool;

    /// How many matches that can be named by now are not decided.
    fn open_matches(&self) -> usize;

    /// Whether everything is decided.
    fn is_over(&self, field: &Field) -> bool;

    /// How it stands, best first.
    fn ranking(&self, field: &Field, results: &[&MatchResult]) -> Vec<RankedPlayer>;

    /// Who begins no match now, however free it is: whoever rests, or has had enough for today. These matches run.
    fn resting(&self, _field: &Field, _now: u64, _running: &[Fixture]) -> Vec<usize> {
        Vec::new()
    }

    /// Until when a player begins no match, in milliseconds since 1970, where it rests now.
    fn rests_until(&self, _field: &Field, _player: usize, _now: u64) -> Option<u64> {
        None
    }

    /// The rating of a player, where the format has one of its own.
    fn skill(&self, _player: usize) -> Option<Skill> {
        None
    }

    /// How many of the last results are kept. The format has to know all that it needs of the others.
    fn kept_results(&self) -> usize {
        usize::MAX
    }

    /// The encounter of a match that is still to be played, where the format has encounters.
    fn encounter_of(&self, _fixture: &Fixture) -> Option<&Encounter> {
        None
    }

    /// Who met whom in which round, where the format has rounds of encounters.
    fn encounters(&self, _field: &Field) -> Vec<EncounterReport> {
        Vec::new()
    }
}

/// Picks matches in order as long as there is room.
pub(super) fn pick<'f>(fixtures: impl IntoIterator<Item = &'f Fixture>, room: &mut Room) -> Vec<Fixture> {
    let mut picked = Vec::new();
    if room.is_full() {
        return picked;
    }
    for fixture in fixtures {
        if room.take(fixture) {
            picked.push(fixture.clone());
            if room.is_full() {
                break;
            }
        }
    }
    picked
}
