//! A competition as a state machine.

use std::num::NonZeroUsize;
use std::sync::Arc;

use super::elimination::Elimination;
use super::encounter::{EncounterReport, Meeting};
use super::event::{EventError, ResumeError, TournamentEvent};
use super::field::{Field, Ongoing, Room};
use super::history::{RatingPoint, rating_history};
use super::ladder::Ladder;
use super::listed::Listed;
use super::open::Open;
use super::pairing_system::{PairingSystem, Place};
use super::ranking::RankedPlayer;
use super::result::MatchResult;
use super::schedule::{Fixture, Tournament, TournamentError};
use super::setup::{Format, TournamentSetup};
use super::standings::Standings;
use super::swiss::Swiss;
use crate::ratings::Skill;

/// A competition: fed with what happens, it says which matches to begin and how it stands.
///
/// It is the fold of its [`TournamentEvent`]s: whoever runs it writes each event down before it is
/// applied, and after a crash [`RunningTournament::resume`] makes the same competition of them. Which matches
/// are running is no part of it, so that those that a crash ended are simply named by
/// [`RunningTournament::next`] again, with the same seeds.
///
/// **Round robin.** All matches of [`Tournament::schedule`], in that order as far as players are free.
///
/// **Cumulative score.** In each round each player has each seat of each game once, with different players
/// on the other seats as far as there are enough, who take turns; goals are added up.
///
/// **Swiss.** In each round everybody meets one other player, in the game whose turn it is. Players with
/// the same number of points meet, the upper half of them against the lower half. Worse than a difference
/// of points is, from bad to worse: to let somebody have the first seat, or not have it, more than twice
/// more often than the others had; to meet again; to have no opponent more often than somebody else. Of
/// all pairings the best is taken. Where the number of players is odd, one without a bye and with few
/// points has no opponent and gets a point. A win is a point, a draw one half.
///
/// **Single and double elimination.** A bracket in the order of the players, with byes for the first where
/// their number is no power of two. In the second final of a double elimination both players have lost
/// once; it is played only if the first final was won by whoever came from the losers' side.
///
/// **Open.** Whoever is free plays what was played least: by these players in this game, then in all
/// games, then on these seats. A player waits for one who is in a match rather than let the numbers drift
/// apart. There is no end, unless fewer than two players are left.
///
/// **Ladder.** Whoever is free plays without an end, and whoever has had least begins: in the game that it had least,
/// with players whose ratings are near its own and whom it has not just met, on the seats that it had least. The less is
/// known of a player, the more often it plays, up to four times as often as others. Ratings are those of
/// [`crate::ratings`]; players are ranked by what they are for sure. Who fails in two matches or more in a row rests, longer
/// each time ([`RunningTournament::resting`]). Only the last results are kept: the ratings have all others in them. There is
/// no end, unless fewer than two players are left.
///
/// In Swiss rounds and brackets two players meet in as many legs as were agreed, changing seats from one
/// to the next. Whoever got more goals in all legs together wins. The first seat in the first leg has
/// whoever had it less often so far. In games with more than two seats the two share the seats, one
/// having the first, third, and so on; goals on several seats count by their mean. In a bracket, equal
/// goals are played again, as often as was agreed, and then the lot decides.
///
/// **Struck-out players.** What they have played stays. What they should have played is won by those they
/// should have met: a point in round robin and Swiss rounds, a way through the bracket; in cumulative
/// score such seats count with the player's own mean. Matches that are running with them then are of no
/// more use ([`RunningTournament::wants`]).
///
/// **Late entries.** Whoever enters a round robin meets everybody as often as the others do, but for those
/// who were struck out before. In Swiss rounds it is paired from the next round on, without points for the
/// rounds that it missed; nobody enters when the last round is being played. In an open-ended schedule it
/// plays from now on, and is not waited for to catch up. The other formats admit nobody after the start.
///
/// **Aborted matches** are played again with another seed, as often as was agreed, and then count as
/// nothing: no goals, and no point in round robin. In an open-ended schedule and on a ladder they are not repeated.
///
/// ```
/// use ludex_match::tournament::{
///     Format, MatchResult, RunningTournament, Tournament, TournamentEvent, TournamentGame, TournamentSetup,
/// };
///
/// let games = vec![TournamentGame { name: "nim".into(), seats: 2 }];
/// let tournament = Tournament { players: vec!["Ada".into(), "Bob".into()], games, rounds: 1, seed: 3 };
/// let mut held = RunningTournament::new(TournamentSetup::new(tournament, Format::RoundRobin))?;
/// while let Some(fixture) = held.next(&Default::default(), 1).pop() {
///     // Whoever sits first wins.
///     let played = MatchResult::failed(held.tournament(), &fixture, "");
///     let result = MatchResult { goals: vec![Some(100), Some(0)], aborted: None, ..played };
///     held.apply(&TournamentEvent::Finished(result))?;
/// }
/// assert_eq!((held.is_over(), held.results().len()), (true, 2));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct RunningTournament {
    field: Field,
    plan: Box<dyn PairingSystem>,
    paused: bool,
    /// As they came; of a ladder the last ones.
    results: Vec<(Place, Arc<MatchResult>)>,
}

impl Clone for Box<dyn PairingSystem> {
    fn clone(&self) -> Self {
        (**self).cloned()
    }
}

impl RunningTournament {
    /// A competition in which nothing was played.
    ///
    /// # Errors
    /// [`TournamentError`] where it cannot be held on these terms.
    pub fn new(setup: TournamentSetup) -> Result<Self, TournamentError> {
        setup.check()?;
        let field = Field::new(setup);
        let plan: Box<dyn PairingSystem> = match field.setup.format {
            format @ (Format::RoundRobin | Format::Cumulative) => {
                Box::new(Listed::new(field.tournament(), format)?)
            }
            Format::Swiss => Box::new(Swiss::new(&field)),
            Format::SingleElimination | Format::DoubleElimination => Box::new(Elimination::new(&field)),
            Format::Open => Box::new(Open::new(field.tournament())),
            Format::Ladder => Box::new(Ladder::new(field.tournament())),
        };
        Ok(Self { field, plan, paused: false, results: Vec::new() })
    }

    /// The competition in which all this has happened.
    ///
    /// # Errors
    /// [`ResumeError`] where these are not the events of a competition on these terms.
    pub fn resume<'e>(
        setup: TournamentSetup,
        events: impl IntoIterator<Item = &'e TournamentEvent>,
    ) -> Result<Self, ResumeError> {
        let mut competition = Self::new(setup)?;
        for (event, number) in events.into_iter().zip(1..) {
            competition.apply(event).map_err(|error| ResumeError::Event { number, error })?;
        }
        Ok(competition)
    }

    /// Something happened.
    ///
    /// To strike out somebody who is out, and to pause or resume what is paused or not, changes nothing.
    ///
    /// # Errors
    /// [`EventError`] where it cannot have happened; nothing has changed then.
    pub fn apply(&mut self, event: &TournamentEvent) -> Result<(), EventError> {
        let number =
            |field: &Field, name: &str| field.number(name).ok_or_else(|| EventError::Player(name.to_owned()));
        match event {
            TournamentEvent::Finished(result) => {
                let place = self.plan.finished(&self.field, result)?;
                self.results.push((place, Arc::new(result.clone())));
                // A piece at a time, so that those that stay are not moved for each new one.
                let kept = self.plan.kept_results();
                if self.results.len() / 2 >= kept {
                    self.results.drain(..self.results.len() - kept);
                }
            }
            TournamentEvent::Entered { player } => {
                self.check_entry(player)?;
                let player = self.field.enter(player);
                self.plan.entered(&self.field, player);
            }
            TournamentEvent::StruckOut { player } => {
                let player = number(&self.field, player)?;
                if self.field.is_in(player) {
                    self.field.strike(player);
                    self.plan.struck(&self.field, player);
                }
            }
            TournamentEvent::Unavailable { player } => {
                let player = number(&self.field, player)?;
                self.field.set_away(player, true);
            }
            TournamentEvent::Available { player } => {
                let player = number(&self.field, player)?;
                self.field.set_away(player, false);
            }
            TournamentEvent::Paused => self.paused = true,
            TournamentEvent::Resumed => self.paused = false,
        }
        Ok(())
    }

    /// Whether a player can enter now.
    ///
    /// # Errors
    /// [`EventError::Entry`] where it cannot.
    pub fn check_entry(&self, player: &str) -> Result<(), EventError> {
        let refused = |why: &str| Err(EventError::Entry { player: player.to_owned(), why: why.to_owned() });
        if let Some(number) = self.field.number(player) {
            let is_in = self.field.is_in(number);
            return refused(if is_in { "it takes part already" } else { "it was struck out for good" });
        }
        if self.is_over() {
            return refused("everything is decided");
        }
        if let Some(why) = self.entry_refusal() {
            return refused(why);
        }
        let mut grown = self.field.setup.clone();
        grown.tournament.players.push(player.to_owned());
        grown.check().or_else(|error| refused(&error.to_string()))
    }

    /// Why nobody can enter now, where nobody can.
    pub fn entry_refusal(&self) -> Option<&'static str> {
        self.field.setup.format.entry_refusal().or_else(|| self.plan.entry_refusal(&self.field))
    }

    /// Whether a player may have matches to come: it takes part, is not out, and has not played everything.
    pub fn may_play(&self, player: &str) -> bool {
        let player = self.field.number(player).filter(|&player| self.field.is_in(player));
        !self.is_over() && player.is_some_and(|player| self.plan.may_play(&self.field, player))
    }

    /// Which matches to begin now, at most so many. It depends on nothing else: asked twice, it says the
    /// same. No player is in more matches at once than was agreed, those that are running counted.
    pub fn next(&self, ongoing: &Ongoing, limit: usize) -> Vec<Fixture> {
        if self.paused || self.is_over() {
            return Vec::new();
        }
        self.plan.next(&self.field, &mut Room::new(&self.field, ongoing, limit))
    }

    /// Who begins no match at this moment, in milliseconds since 1970, while these run: on a ladder, who rests because it
    /// failed again and again, or has had as many matches in 24 hours as was agreed. Their numbers; they are to be among
    /// those who are [busy](Ongoing::busy).
    pub fn resting(&self, now: u64, running: &[Fixture]) -> Vec<usize> {
        self.plan.resting(&self.field, now, running)
    }

    /// Until when a player rests, in milliseconds since 1970, where it does at this moment.
    pub fn rests_until(&self, player: &str, now: u64) -> Option<u64> {
        let player = self.field.number(player).filter(|&player| self.field.is_in(player))?;
        self.plan.rests_until(&self.field, player, now)
    }

    /// The rating of a player on a ladder.
    pub fn skill(&self, player: &str) -> Option<Skill> {
        self.plan.skill(self.field.number(player)?)
    }

    /// Whether a match that is running is still to be played. If not, it may be aborted; its result would
    /// be refused.
    pub fn wants(&self, fixture: &Fixture) -> bool {
        let there = fixture.seating.iter().all(|&player| self.field.is_in(player));
        there && self.plan.wants(fixture)
    }

    /// Whether everything is decided.
    pub fn is_over(&self) -> bool {
        self.plan.is_over(&self.field)
    }

    /// Whether no matches begin.
    pub fn is_paused(&self) -> bool {
        self.paused
    }

    /// What was agreed.
    pub fn setup(&self) -> &TournamentSetup {
        &self.field.setup
    }

    /// Who plays what.
    pub fn tournament(&self) -> &Tournament {
        self.field.tournament()
    }

    /// Whether a player was struck out.
    pub fn is_struck_out(&self, player: &str) -> bool {
        self.field.number(player).is_some_and(|player| !self.field.is_in(player))
    }

    /// How many matches that are known by now are still to be played. More may follow, unless the format
    /// is round robin or cumulative score.
    pub fn open_matches(&self) -> usize {
        self.plan.open_matches()
    }

    /// The results in the order of the schedule; of a ladder the last ones.
    pub fn results(&self) -> Vec<&MatchResult> {
        let mut results: Vec<&(Place, Arc<MatchResult>)> = self.results.iter().collect();
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| &**result).collect()
    }

    /// The results in the order in which they came; of a ladder the last ones.
    pub fn results_as_they_came(&self) -> impl ExactSizeIterator<Item = &MatchResult> {
        self.results.iter().map(|(_, result)| &**result)
    }

    /// Shares, ratings with intervals, and each player against each other (the cross table), from matches
    /// of two players and from games that are played alone.
    pub fn standings(&self) -> Standings {
        Standings::of(&self.tournament().players, &self.tournament().game_names(), self.results())
    }

    /// How it stands by the rules of the format, best first.
    pub fn ranking(&self) -> Vec<RankedPlayer> {
        self.plan.ranking(&self.field, &self.results())
    }

    /// Who met whom, or will meet: the rounds so far of a Swiss competition, the whole bracket of an
    /// elimination, and nothing for other formats.
    pub fn encounters(&self) -> Vec<EncounterReport> {
        self.plan.encounters(&self.field)
    }

    /// How it stands between the two who meet in a match that is still to be played, where the format has encounters.
    pub(crate) fn meeting(&self, fixture: &Fixture) -> Option<Meeting> {
        Some(self.plan.encounter_of(fixture)?.meeting(&self.field, fixture))
    }

    /// The ratings after every so many matches, in the order in which results came.
    pub fn rating_history(&self, every: NonZeroUsize) -> Vec<RatingPoint> {
        let Tournament { players, .. } = self.tournament();
        rating_history(players, &self.tournament().game_names(), self.results_as_they_came(), every)
    }
}
