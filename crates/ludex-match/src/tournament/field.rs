//! Who takes part in a competition, and who could begin a match now.

use rustc_hash::{FxHashMap, FxHashSet};

use super::schedule::{Fixture, Tournament};
use super::setup::TournamentSetup;

/// Who takes part.
#[derive(Clone, Debug)]
pub(super) struct Field {
    pub(super) setup: TournamentSetup,
    struck: Vec<bool>,
    away: Vec<bool>,
    numbers: FxHashMap<String, usize>,
}

impl Field {
    /// Everybody is there.
    pub(super) fn new(setup: TournamentSetup) -> Self {
        let players = &setup.tournament.players;
        Self {
            struck: vec![false; players.len()],
            away: vec![false; players.len()],
            numbers: players.iter().cloned().zip(0..).collect(),
            setup,
        }
    }

    pub(super) fn tournament(&self) -> &Tournament {
        &self.setup.tournament
    }

    /// How many players there are, with those who were struck out.
    pub(super) fn size(&self) -> usize {
        self.struck.len()
    }

    pub(super) fn name(&self, player: usize) -> &str {
        self.setup.tournament.players.get(player).map_or("", String::as_str)
    }

    pub(super) fn number(&self, name: &str) -> Option<usize> {
        self.numbers.get(name).copied()
    }

    /// Whether a player was not struck out.
    pub(super) fn is_in(&self, player: usize) -> bool {
        self.struck.get(player) == Some(&false)
    }

    /// Whoever was not struck out.
    pub(super) fn remaining(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.size()).filter(|&player| self.is_in(player))
    }

    /// One player more; its number.
    pub(super) fn enter(&mut self, name: &str) -> usize {
        let player = self.size();
        self.setup.tournament.players.push(name.to_owned());
        self.numbers.insert(name.to_owned(), player);
        self.struck.push(false);
        self.away.push(false);
        player
    }

    pub(super) fn strike(&mut self, player: usize) {
        self.struck[player] = true;
    }

    pub(super) fn set_away(&mut self, player: usize, away: bool) {
        self.away[player] = away;
    }

    /// Whether a player was not struck out and is there.
    pub(super) fn is_there(&self, player: usize) -> bool {
        self.is_in(player) && !self.away[player]
    }
}

/// What goes on while somebody asks which matches to begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ongoing {
    /// The matches of this competition that were begun and have given no result yet.
    pub running: Vec<Fixture>,
    /// Players who are at work elsewhere, by their numbers.
    pub busy: Vec<usize>,
}

/// How much can begin now. What is taken is gone.
#[derive(Clone, Debug)]
pub(super) struct Room {
    /// How many matches more each player can be in.
    free: Vec<u32>,
    /// Who is in a match of this competition, or waits for somebody who is.
    held: Vec<bool>,
    /// How many matches more there may be.
    left: usize,
    running: Vec<Fixture>,
    running_seeds: FxHashSet<u64>,
}

impl Room {
    pub(super) fn new(field: &Field, ongoing: &Ongoing, limit: usize) -> Self {
        let per_player = field.setup.per_player.get();
        let there = |player| if field.is_there(player) { per_player } else { 0 };
        let mut room = Self {
            free: (0..field.size()).map(there).collect(),
            held: vec![false; field.size()],
            left: limit,
            running: ongoing.running.clone(),
            running_seeds: ongoing.running.iter().map(|fixture| fixture.seed).collect(),
        };
        if let Some(most) = field.setup.simultaneous {
            room.left = room.left.min((most.get() as usize).saturating_sub(ongoing.running.len()));
        }
        for fixture in &ongoing.running {
            for player in distinct(&fixture.seating).filter(|&player| player < field.size()) {
                room.free[player] = room.free[player].saturating_sub(1);
                room.held[player] = true;
            }
        }
        for &player in &ongoing.busy {
            if let Some(free) = room.free.get_mut(player) {
                *free = 0;
            }
        }
        room
    }

    /// Whether nothing more can begin.
    pub(super) fn is_full(&self) -> bool {
        self.left == 0 || self.free.iter().all(|&free| free == 0)
    }

    /// Whether a player can be in one match more.
    pub(super) fn is_free(&self, player: usize) -> bool {
        self.free.get(player).is_some_and(|&free| free > 0)
    }

    /// Whether a player will be free when a match of this competition is over, and nobody waits for it.
    pub(super) fn will_be_free(&self, player: usize) -> bool {
        self.held.get(player) == Some(&true) && !self.is_free(player)
    }

    /// What was begun before.
    pub(super) fn running(&self) -> &[Fixture] {
        &self.running
    }

    /// Takes the players of a match, if all are free and it is not running; says whether it can begin.
    pub(super) fn take(&mut self, fixture: &Fixture) -> bool {
        let fits = self.left > 0
            && !self.running_seeds.contains(&fixture.seed)
            && distinct(&fixture.seating).all(|player| self.is_free(player));
        if fits {
            self.left -= 1;
            distinct(&fixture.seating).for_each(|player| self.free[player] -= 1);
        }
        fits
    }

    /// Keeps players for a match with each other that cannot begin yet.
    pub(super) fn keep(&mut self, players: &[usize]) {
        for &player in players {
            self.free[player] = 0;
            self.held[player] = false;
        }
    }
}

/// The players of a match, each once.
pub(super) fn distinct(seating: &[usize]) -> impl Iterator<Item = usize> + '_ {
    let first = |(place, player): &(usize, &usize)| !seating[..*place].contains(player);
    seating.iter().enumerate().filter(first).map(|(_, &player)| player)
}
