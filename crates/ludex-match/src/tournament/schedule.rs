//! Who plays whom, in which game, on which seats.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

use super::setup::Format;

/// Who is compared in what, and how often.
///
/// ```
/// use ludex_match::tournament::{Tournament, TournamentGame};
///
/// let games = vec![TournamentGame { name: "nim".into(), seats: 2 }];
/// let players = ["ludex", "uct", "random"].map(str::to_owned).into();
/// let tournament = Tournament { players, games, rounds: 1, seed: 3 };
/// // Three pairs, each on both seatings.
/// let fixtures = tournament.schedule()?;
/// assert_eq!(fixtures.len(), 6);
/// assert_eq!(tournament.seated(&fixtures[0]).len(), 2);
/// # Ok::<(), ludex_match::tournament::TournamentError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tournament {
    /// The players, as texts that name strategies.
    pub players: Vec<String>,
    /// The games.
    pub games: Vec<TournamentGame>,
    /// How often every pairing is played on every seating.
    pub rounds: u32,
    /// Decides all chances.
    pub seed: u64,
}

/// A game of a tournament.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TournamentGame {
    /// Its name, different from that of the others.
    pub name: String,
    /// How many roles somebody has to play.
    pub seats: usize,
}

/// A match that is to be played.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Fixture {
    /// Which of the games.
    pub game: usize,
    /// Which round, from 1.
    pub round: u32,
    /// Which of the players has each seat.
    pub seating: Vec<usize>,
    /// Which match of those that two players have to play with each other in this round, from 0.
    #[serde(default)]
    pub leg: u32,
    /// How often this match was begun and aborted before.
    #[serde(default)]
    pub attempt: u32,
    /// The seed of the match. It depends on the seed of the tournament, the game, the round, who sits
    /// where, the leg and the attempt, and on nothing else: a tournament that grows keeps the matches it
    /// has. No other match of the tournament has it.
    pub seed: u64,
}

/// Why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TournamentError {
    /// Two players, or two games, cannot be told apart.
    #[error("`{0}` is there twice")]
    Twice(String),
    /// There is nobody to compare.
    #[error("a tournament needs at least two players")]
    Players,
    /// There is nothing to play.
    #[error("a tournament needs at least one game")]
    Games,
    /// A game has no roles that somebody could play.
    #[error("nobody plays in `{0}`")]
    Seats(String),
    /// Nobody meets anybody in this game, but the format lets players meet.
    #[error("`{game}` is played alone: nobody meets anybody in it, as {format} needs it")]
    Alone {
        /// The game.
        game: String,
        /// The format.
        format: Format,
    },
    /// More than can be kept in mind.
    #[error("{number} {what} are more than the {limit} that are possible")]
    TooMany {
        /// What there is too much of.
        what: &'static str,
        /// How many.
        number: u64,
        /// How many there may be.
        limit: u64,
    },
}

/// No more matches than this are scheduled in advance.
const MATCH_LIMIT: u64 = 5_000_000;
/// All their seats together.
const SEAT_LIMIT: u64 = 4 * MATCH_LIMIT;

/// An error where there are more than `limit`.
pub(super) fn at_most(what: &'static str, number: u64, limit: u64) -> Result<(), TournamentError> {
    if number > limit { Err(TournamentError::TooMany { what, number, limit }) } else { Ok(()) }
}

impl Tournament {
    /// All matches, round by round and game by game.
    ///
    /// In games with two seats each pair of players meets twice a round, on either seating. In games with
    /// more seats one of the pair has one seat and the other has all others: each of the two has each of
    /// the seats alone once a round. In games with one seat each player plays once a round.
    ///
    /// # Errors
    /// [`TournamentError`].
    pub fn schedule(&self) -> Result<Vec<Fixture>, TournamentError> {
        self.check()?;
        self.check_number(|game| seating_count(self.players.len(), game.seats))?;
        let mut fixtures = Vec::new();
        for round in 1..=self.rounds {
            for (game, entry) in self.games.iter().enumerate() {
                let seated = seatings(self.players.len(), entry.seats);
                fixtures.extend(seated.into_iter().map(|seating| self.fixture(game, round, seating)));
            }
        }
        Ok(fixtures)
    }

    /// The names of the games.
    pub fn game_names(&self) -> Vec<String> {
        self.games.iter().map(|game| game.name.clone()).collect()
    }

    /// A match with its seed, the first of its kind.
    pub(super) fn fixture(&self, game: usize, round: u32, seating: Vec<usize>) -> Fixture {
        self.repeated_fixture(game, round, seating, 0, 0)
    }

    /// A match with its seed.
    pub(super) fn repeated_fixture(
        &self,
        game: usize,
        round: u32,
        seating: Vec<usize>,
        leg: u32,
        attempt: u32,
    ) -> Fixture {
        let name = self.games.get(game).map_or("", |game| game.name.as_str());
        let mut hash = self.hash(name, &seating);
        hash.add(&round.to_le_bytes());
        // Nothing is added for the first match: its seed is older than legs and attempts.
        if leg > 0 || attempt > 0 {
            hash.add(&leg.to_le_bytes());
            hash.add(&attempt.to_le_bytes());
        }
        Fixture { game, round, seating, leg, attempt, seed: hash.finish() }
    }

    /// The seed of the opening of a match: that of all matches of a game in a round, whoever has which seat.
    pub fn opening_seed(&self, fixture: &Fixture) -> u64 {
        let name = self.games.get(fixture.game).map_or("", |game| game.name.as_str());
        let mut hash = self.hash(name, &[]);
        hash.add(b"opening");
        hash.add(&fixture.round.to_le_bytes());
        hash.finish()
    }

    /// A number that stands for a question about players and depends on nothing but the seed and their
    /// names: what decides where everything else is equal.
    pub(super) fn lot(&self, question: &str, round: u32, players: &[usize]) -> u64 {
        let mut hash = self.hash(question, players);
        hash.add(b"lot");
        hash.add(&round.to_le_bytes());
        hash.finish()
    }

    fn hash(&self, text: &str, players: &[usize]) -> Hash {
        let names = players.iter().filter_map(|&player| self.players.get(player)).map(String::as_str);
        let mut hash = Hash::new(self.seed);
        for text in std::iter::once(text).chain(names) {
            hash.add(text.as_bytes());
        }
        hash
    }

    /// Whether all rounds together are few enough.
    pub(super) fn check_number(
        &self,
        in_a_round: impl Fn(&TournamentGame) -> u64,
    ) -> Result<(), TournamentError> {
        let a_round = self.games.iter().fold(0u64, |sum, game| sum.saturating_add(in_a_round(game)));
        at_most("matches", a_round.saturating_mul(self.rounds.into()), MATCH_LIMIT)?;
        let seats = self
            .games
            .iter()
            .fold(0u64, |sum, game| sum.saturating_add(in_a_round(game).saturating_mul(game.seats as u64)));
        at_most("seats of matches", seats.saturating_mul(self.rounds.into()), SEAT_LIMIT)
    }

    /// The names of the players of a match, seat by seat.
    pub fn seated(&self, fixture: &Fixture) -> Vec<String> {
        fixture.seating.iter().filter_map(|&player| self.players.get(player).cloned()).collect()
    }

    /// Whether there are players and games, and all different.
    pub(super) fn check(&self) -> Result<(), TournamentError> {
        if self.players.len() < 2 {
            return Err(TournamentError::Players);
        }
        if self.games.is_empty() {
            return Err(TournamentError::Games);
        }
        for names in [self.players.iter().collect::<Vec<_>>(), self.games.iter().map(|g| &g.name).collect()] {
            let mut seen = FxHashSet::default();
            if let Some(twice) = names.into_iter().find(|name| !seen.insert(*name)) {
                return Err(TournamentError::Twice(twice.clone()));
            }
        }
        match self.games.iter().find(|game| game.seats == 0) {
            Some(game) => Err(TournamentError::Seats(game.name.clone())),
            None => Ok(()),
        }
    }
}

/// Who has which seat in the matches of a round.
pub(super) fn seatings(players: usize, seats: usize) -> Vec<Vec<usize>> {
    if seats == 1 {
        return (0..players).map(|player| vec![player]).collect();
    }
    let mut all = Vec::new();
    for first in 0..players {
        for second in first + 1..players {
            // With two seats, to have one alone is to leave the other to the opponent.
            let lone = if seats == 2 { &[(first, second)][..] } else { &[(first, second), (second, first)] };
            for &(one, other) in lone {
                all.extend((0..seats).map(|seat| {
                    (0..seats).map(|s| if s == seat { one } else { other }).collect::<Vec<usize>>()
                }));
            }
        }
    }
    all
}

/// How many those are.
pub(super) fn seating_count(players: usize, seats: usize) -> u64 {
    let (players, seats) = (players as u64, seats as u64);
    match seats {
        1 => players,
        2 => players.saturating_mul(players.saturating_sub(1)),
        _ => players.saturating_mul(players.saturating_sub(1)).saturating_mul(seats),
    }
}

/// FNV-1a over texts, finished like SplitMix64. It is written out here because seeds in files must not
/// change with a library.
struct Hash(u64);

impl Hash {
    fn new(seed: u64) -> Self {
        let mut hash = Self(0xcbf2_9ce4_8422_2325);
        hash.add(&seed.to_le_bytes());
        hash
    }

    /// Adds bytes and their number, so that texts do not run into each other.
    fn add(&mut self, bytes: &[u8]) {
        for &byte in bytes.iter().chain(&(bytes.len() as u64).to_le_bytes()) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    /// 53 bits, which every reader of JSON keeps.
    fn finish(self) -> u64 {
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) >> 11
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tournament(players: &[&str], seats: &[usize], rounds: u32) -> Tournament {
        let game = |(number, &seats): (usize, &usize)| TournamentGame { name: format!("g{number}"), seats };
        Tournament {
            players: players.iter().map(|&p| p.to_owned()).collect(),
            games: seats.iter().enumerate().map(game).collect(),
            rounds,
            seed: 1,
        }
    }

    #[test]
    fn every_pair_meets_on_every_seating_once_a_round() {
        let fixtures = tournament(&["a", "b", "c"], &[2], 3).schedule().unwrap();
        for round in 1..=3 {
            let mut seated: Vec<Vec<usize>> =
                fixtures.iter().filter(|f| f.round == round).map(|f| f.seating.clone()).collect();
            seated.sort();
            assert_eq!(seated, [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]);
        }
        assert_eq!(fixtures.len(), 18);
    }

    #[test]
    fn with_more_seats_each_of_a_pair_has_each_seat_alone_once() {
        let fixtures = tournament(&["a", "b"], &[3], 1).schedule().unwrap();
        let mut seated: Vec<Vec<usize>> = fixtures.into_iter().map(|f| f.seating).collect();
        seated.sort();
        let expected = [[0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1], [1, 1, 0]];
        assert_eq!(seated, expected);
    }

    #[test]
    fn puzzles_are_played_alone() {
        let fixtures = tournament(&["a", "b", "c"], &[1], 2).schedule().unwrap();
        let seated: Vec<Vec<usize>> = fixtures.into_iter().map(|f| f.seating).collect();
        assert_eq!(seated, [[0], [1], [2], [0], [1], [2]]);
    }

    #[test]
    fn a_tournament_that_grows_keeps_its_matches() {
        let small = tournament(&["a", "b"], &[2], 2);
        let large = tournament(&["z", "a", "b"], &[2, 3, 1], 4);
        let known = |t: &Tournament| -> Vec<(u64, u32, Vec<String>)> {
            t.schedule().unwrap().iter().map(|f| (f.seed, f.round, t.seated(f))).collect()
        };
        let all = known(&large);
        assert!(known(&small).iter().all(|fixture| all.contains(fixture)));
        let mut seeds: Vec<u64> = all.iter().map(|(seed, ..)| *seed).collect();
        seeds.sort_unstable();
        seeds.dedup();
        assert_eq!(seeds.len(), all.len(), "each match has its own chances");
        let other = Tournament { seed: 2, ..small.clone() };
        assert_ne!(known(&small), known(&other));
    }

    #[test]
    fn seeds_of_matches_that_were_played_stay_what_they_were() {
        let seeds: Vec<u64> =
            tournament(&["a", "b"], &[2], 2).schedule().unwrap().iter().map(|f| f.seed).collect();
        assert_eq!(
            seeds,
            [3_065_855_860_517_462, 3_988_553_021_609_199, 3_829_666_282_030_380, 5_804_728_329_143_669]
        );
    }

    #[test]
    fn numbers_of_seatings_are_right() {
        for (players, seats) in [(2, 1), (2, 2), (3, 2), (5, 2), (2, 3), (4, 5)] {
            assert_eq!(seating_count(players, seats), seatings(players, seats).len() as u64);
        }
    }

    #[test]
    fn what_cannot_be_compared_is_refused() {
        assert_eq!(tournament(&["a"], &[2], 1).schedule(), Err(TournamentError::Players));
        assert_eq!(tournament(&["a", "b"], &[], 1).schedule(), Err(TournamentError::Games));
        assert_eq!(tournament(&["a", "a"], &[2], 1).schedule(), Err(TournamentError::Twice("a".into())));
        assert_eq!(tournament(&["a", "b"], &[0], 1).schedule(), Err(TournamentError::Seats("g0".into())));
        assert_eq!(tournament(&["a", "b"], &[2], 0).schedule(), Ok(vec![]));
        let endless = tournament(&["a", "b"], &[2], u32::MAX).schedule();
        assert!(matches!(endless, Err(TournamentError::TooMany { what: "matches", .. })));
    }
}
