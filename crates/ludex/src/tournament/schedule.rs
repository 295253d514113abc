//! Who plays whom, in which game, on which seats.

use rustc_hash::FxHashSet;
use serde::{Deserialize, Serialize};

/// Who is compared in what, and how often.
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
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fixture {
    /// Which of the games.
    pub game: usize,
    /// Which round, from 1.
    pub round: u32,
    /// Which of the players has each seat.
    pub seating: Vec<usize>,
    /// The seed of the match. It depends on the seed of the tournament, the game, the round and who sits
    /// where, and on nothing else: a tournament that grows keeps the matches it has.
    pub seed: u64,
}

/// Why there is no schedule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
        let mut fixtures = Vec::new();
        for round in 1..=self.rounds {
            for (game, entry) in self.games.iter().enumerate() {
                for seating in seatings(self.players.len(), entry.seats) {
                    let seed = self.match_seed(entry, round, &seating);
                    fixtures.push(Fixture { game, round, seating, seed });
                }
            }
        }
        Ok(fixtures)
    }

    /// The names of the players of a match, seat by seat.
    pub fn seated(&self, fixture: &Fixture) -> Vec<String> {
        fixture.seating.iter().filter_map(|&player| self.players.get(player).cloned()).collect()
    }

    fn check(&self) -> Result<(), TournamentError> {
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

    fn match_seed(&self, game: &TournamentGame, round: u32, seating: &[usize]) -> u64 {
        let seated = seating.iter().map(|&player| self.players[player].as_str());
        let mut hash = Hash::new(self.seed);
        for text in std::iter::once(game.name.as_str()).chain(seated) {
            hash.add(text.as_bytes());
        }
        hash.add(&round.to_le_bytes());
        hash.finish()
    }
}

/// Who has which seat in the matches of a round.
fn seatings(players: usize, seats: usize) -> Vec<Vec<usize>> {
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
    fn what_cannot_be_compared_is_refused() {
        assert_eq!(tournament(&["a"], &[2], 1).schedule(), Err(TournamentError::Players));
        assert_eq!(tournament(&["a", "b"], &[], 1).schedule(), Err(TournamentError::Games));
        assert_eq!(tournament(&["a", "a"], &[2], 1).schedule(), Err(TournamentError::Twice("a".into())));
        assert_eq!(tournament(&["a", "b"], &[0], 1).schedule(), Err(TournamentError::Seats("g0".into())));
        assert_eq!(tournament(&["a", "b"], &[2], 0).schedule(), Ok(vec![]));
    }
}
