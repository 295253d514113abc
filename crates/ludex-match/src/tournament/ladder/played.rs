//! What was played on a ladder: whom each player met last, which games it had, on which seats.

use std::collections::{BTreeSet, VecDeque};

use rustc_hash::FxHashMap;

use super::super::field::distinct;
use super::super::schedule::Fixture;

/// Whom a player met in so many of its last matches is known; it meets others first.
pub(super) const MEMORY: usize = 4;

/// What was played.
#[derive(Clone, Debug)]
pub(super) struct Played {
    /// How often each player had each game.
    games: Vec<Vec<u32>>,
    /// Whom each player met in its last matches, the last one at the end.
    met: Vec<VecDeque<Vec<usize>>>,
    /// How often a player had a seat of a game.
    seats: FxHashMap<(usize, usize, usize), u32>,
    /// Which matches of a game each seating had.
    rounds: FxHashMap<(usize, Vec<usize>), Rounds>,
}

/// Which rounds were played.
#[derive(Clone, Debug, Default)]
struct Rounds {
    /// All up to this one.
    all: u32,
    /// And these after it.
    later: BTreeSet<u32>,
}

impl Rounds {
    fn contains(&self, round: u32) -> bool {
        round <= self.all || self.later.contains(&round)
    }

    fn add(&mut self, round: u32) {
        self.later.insert(round);
        while self.later.remove(&(self.all + 1)) {
            self.all += 1;
        }
    }

    fn count(&self) -> u32 {
        self.all + self.later.len() as u32
    }
}

impl Played {
    pub(super) fn new(players: usize, games: usize) -> Self {
        Self {
            games: vec![vec![0; games]; players],
            met: vec![VecDeque::new(); players],
            seats: FxHashMap::default(),
            rounds: FxHashMap::default(),
        }
    }

    /// One player more.
    pub(super) fn enter(&mut self) {
        let games = self.games.first().map_or(0, Vec::len);
        self.games.push(vec![0; games]);
        self.met.push(VecDeque::new());
    }

    /// A match is over.
    pub(super) fn add(&mut self, fixture: &Fixture) {
        let Fixture { game, ref seating, round, .. } = *fixture;
        let players: Vec<usize> = distinct(seating).collect();
        for &player in &players {
            self.games[player][game] += 1;
            self.met[player].push_back(players.iter().copied().filter(|&other| other != player).collect());
            if self.met[player].len() > MEMORY {
                self.met[player].pop_front();
            }
        }
        for (seat, &player) in seating.iter().enumerate() {
            *self.seats.entry((player, game, seat)).or_default() += 1;
        }
        self.rounds.entry((game, seating.clone())).or_default().add(round);
    }

    /// Whether a match can still be played.
    pub(super) fn is_open(&self, fixture: &Fixture) -> bool {
        let rounds = self.rounds.get(&(fixture.game, fixture.seating.clone()));
        fixture.round > 0 && !rounds.is_some_and(|rounds| rounds.contains(fixture.round))
    }

    /// The first round of a seating that was neither played nor begun.
    pub(super) fn next_round<'f>(
        &self,
        game: usize,
        seating: &[usize],
        begun: impl Iterator<Item = &'f Fixture>,
    ) -> u32 {
        let same = begun.filter(|fixture| fixture.game == game && fixture.seating == seating);
        let begun: BTreeSet<u32> = same.map(|fixture| fixture.round).collect();
        let rounds = self.rounds.get(&(game, seating.to_vec()));
        let first = rounds.map_or(1, |rounds| rounds.all.saturating_add(1));
        let is_new = |round: &u32| !rounds.is_some_and(|r| r.contains(*round)) && !begun.contains(round);
        (first..).find(is_new).unwrap_or(u32::MAX)
    }

    /// How often a player had a game.
    pub(super) fn in_game(&self, player: usize, game: usize) -> u32 {
        self.games[player][game]
    }

    /// How often a player had a seat.
    pub(super) fn on_seat(&self, player: usize, game: usize, seat: usize) -> u32 {
        self.seats.get(&(player, game, seat)).copied().unwrap_or(0)
    }

    /// How often a game had this seating.
    pub(super) fn on_seating(&self, game: usize, seating: &[usize]) -> u32 {
        self.rounds.get(&(game, seating.to_vec())).map_or(0, Rounds::count)
    }

    /// In which of the last matches of a player it met another one: 1 for the last one; `None` where that is longer ago
    /// than is known.
    pub(super) fn last_met(&self, player: usize, other: usize) -> Option<usize> {
        let mut last = self.met[player].iter().rev();
        last.position(|met| met.contains(&other)).map(|place| place + 1)
    }
}
