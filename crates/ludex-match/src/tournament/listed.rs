//! Formats whose matches are known from the beginning: round robin and cumulative score.

use rustc_hash::FxHashMap;

use super::event::EventError;
use super::field::{Field, Room, distinct};
use super::pairing_system::{PairingSystem, Place, pick};
use super::ranking::{Ledger, RankedPlayer, rank_by_goals};
use super::result::MatchResult;
use super::schedule::{Fixture, Tournament, TournamentError, seatings};
use super::setup::Format;

/// What has become of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum State {
    Open,
    /// Played, or aborted for good.
    Done,
    /// Somebody was struck out.
    Walkover,
}

/// A list of matches.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    format: Format,
    /// In the order in which they begin if they can; of each the attempt that is to be played.
    fixtures: Vec<Fixture>,
    states: Vec<State>,
    places: FxHashMap<u64, usize>,
    /// All before this one are decided.
    first_open: usize,
    open: usize,
}

impl Listed {
    pub(super) fn new(tournament: &Tournament, format: Format) -> Result<Self, TournamentError> {
        let fixtures = match format {
            Format::Cumulative => cumulative_fixtures(tournament),
            _ => tournament.schedule()?,
        };
        Ok(Self {
            format,
            states: vec![State::Open; fixtures.len()],
            places: fixtures.iter().map(|fixture| fixture.seed).zip(0..).collect(),
            first_open: 0,
            open: fixtures.len(),
            fixtures,
        })
    }

    fn decide(&mut self, place: usize, state: State) {
        self.states[place] = state;
        self.open -= 1;
        while self.states.get(self.first_open).is_some_and(|&state| state != State::Open) {
            self.first_open += 1;
        }
    }

    fn open_fixtures(&self) -> impl Iterator<Item = &Fixture> {
        let later = self.fixtures[self.first_open..].iter().zip(&self.states[self.first_open..]);
        later.filter(|(_, state)| **state == State::Open).map(|(fixture, _)| fixture)
    }

    /// The matches that somebody could not play because somebody else was struck out.
    fn walkovers<'s>(&'s self, field: &'s Field) -> impl Iterator<Item = (usize, &'s Fixture)> {
        let walked = self.fixtures.iter().zip(&self.states).filter(|(_, state)| **state == State::Walkover);
        walked.flat_map(move |(fixture, _)| {
            distinct(&fixture.seating).filter(|&p| field.is_in(p)).map(move |player| (player, fixture))
        })
    }
}

impl PairingSystem for Listed {
    fn cloned(&self) -> Box<dyn PairingSystem> {
        Box::new(self.clone())
    }

    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError> {
        let known = self.places.get(&result.seed).copied().filter(|&place| {
            self.states[place] == State::Open && result.is_of(field.tournament(), &self.fixtures[place])
        });
        let place = known.ok_or_else(|| EventError::no_match(result))?;
        let Fixture { game, round, ref seating, leg, attempt, .. } = self.fixtures[place];
        let next = attempt.saturating_add(1);
        if result.aborted.is_some() && next < field.setup.attempts.get() {
            let again = field.tournament().repeated_fixture(game, round, seating.clone(), leg, next);
            self.places.insert(again.seed, place);
            self.fixtures[place] = again;
        } else {
            self.decide(place, State::Done);
        }
        Ok((place as u64, 0, attempt))
    }

    fn entered(&mut self, field: &Field, player: usize) {
        let tournament = field.tournament();
        for round in 1..=tournament.rounds {
            for (game, entry) in tournament.games.iter().enumerate() {
                let seated = seatings(field.size(), entry.seats).into_iter();
                let is_new = |seating: &Vec<usize>| {
                    seating.contains(&player) && seating.iter().all(|&other| field.is_in(other))
                };
                for seating in seated.filter(is_new) {
                    let fixture = tournament.fixture(game, round, seating);
                    self.places.insert(fixture.seed, self.fixtures.len());
                    self.fixtures.push(fixture);
                    self.states.push(State::Open);
                    self.open += 1;
                }
            }
        }
    }

    fn struck(&mut self, _field: &Field, player: usize) {
        for place in self.first_open..self.fixtures.len() {
            if self.states[place] == State::Open && self.fixtures[place].seating.contains(&player) {
                self.decide(place, State::Walkover);
            }
        }
    }

    fn next(&self, _field: &Field, room: &mut Room) -> Vec<Fixture> {
        pick(self.open_fixtures(), room)
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        let place = self.places.get(&fixture.seed);
        place.is_some_and(|&place| self.states[place] == State::Open && self.fixtures[place] == *fixture)
    }

    fn may_play(&self, _field: &Field, player: usize) -> bool {
        self.open_fixtures().any(|fixture| fixture.seating.contains(&player))
    }

    fn open_matches(&self) -> usize {
        self.open
    }

    fn is_over(&self, _field: &Field) -> bool {
        self.open == 0
    }

    fn ranking(&self, field: &Field, results: &[&MatchResult]) -> Vec<RankedPlayer> {
        if self.format == Format::Cumulative {
            let mut missed = vec![0usize; field.size()];
            for (player, fixture) in self.walkovers(field) {
                missed[player] += fixture.seating.iter().filter(|&&seated| seated == player).count();
            }
            return rank_by_goals(field, results, &missed);
        }
        let mut ledger = Ledger::of_results(field, results);
        for (player, _) in self.walkovers(field) {
            ledger.give(player);
        }
        ledger.ranking(field, false)
    }
}

/// In each round each player has each seat of each game once: the players stand in a circle, drawn by lot
/// for each game, and to the one in the first seat come those so many places on. These distances grow by
/// one from seat to seat and from round to round, so that everybody meets everybody else.
fn cumulative_fixtures(tournament: &Tournament) -> Vec<Fixture> {
    let players = tournament.players.len();
    let mut fixtures = Vec::new();
    let circles: Vec<Vec<usize>> = tournament
        .games
        .iter()
        .map(|game| {
            let mut circle: Vec<usize> = (0..players).collect();
            circle.sort_by_cached_key(|&player| tournament.lot(&game.name, 0, &[player]));
            circle
        })
        .collect();
    for round in 1..=tournament.rounds {
        for (game, entry) in tournament.games.iter().enumerate() {
            let distance = |seat: usize| match seat {
                0 => 0,
                _ => (round as usize - 1 + seat - 1) % (players - 1) + 1,
            };
            for first in 0..players {
                let seating =
                    (0..entry.seats).map(|seat| circles[game][(first + distance(seat)) % players]).collect();
                fixtures.push(tournament.fixture(game, round, seating));
            }
        }
    }
    fixtures
}

#[cfg(test)]
mod tests {
    use super::super::schedule::TournamentGame;
    use super::*;

    fn tournament(players: usize, seats: usize, rounds: u32) -> Tournament {
        Tournament {
            players: (0..players).map(|player| format!("p{player}")).collect(),
            games: vec![TournamentGame { name: "g".into(), seats }],
            rounds,
            seed: 3,
        }
    }

    #[test]
    fn every_player_has_every_seat_once_a_round() {
        for (players, seats) in [(2, 1), (2, 2), (5, 2), (4, 3), (2, 3), (3, 5)] {
            let fixtures = cumulative_fixtures(&tournament(players, seats, 2));
            assert_eq!(fixtures.len(), 2 * players);
            for round in [1, 2] {
                for seat in 0..seats {
                    let here = fixtures.iter().filter(|fixture| fixture.round == round);
                    let mut seated: Vec<usize> = here.map(|fixture| fixture.seating[seat]).collect();
                    seated.sort_unstable();
                    assert_eq!(seated, (0..players).collect::<Vec<_>>());
                }
            }
            let own = fixtures.iter().all(|f| distinct(&f.seating).count() == seats.min(players));
            assert!(own, "as many different players as can be: {fixtures:?}");
        }
    }

    #[test]
    fn opponents_take_turns() {
        let fixtures = cumulative_fixtures(&tournament(5, 2, 4));
        let mut met: Vec<Vec<usize>> = fixtures.into_iter().map(|fixture| fixture.seating).collect();
        met.sort();
        met.dedup();
        assert_eq!(met.len(), 20, "in four rounds everybody meets everybody on both seatings");
    }
}
