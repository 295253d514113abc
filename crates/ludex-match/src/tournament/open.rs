//! The open-ended schedule: whoever is free plays what was played least.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::event::EventError;
use super::field::{Field, Room, distinct};
use super::pairing_system::{PairingSystem, Place};
use super::ranking::{Ledger, RankedPlayer};
use super::result::MatchResult;
use super::schedule::{Fixture, Tournament, seatings};
use super::standings::Standings;

/// Who is free waits for somebody who is not where they have had fewer matches with each other than it has
/// had with anybody else who is free, by more than this.
const LEAD: u32 = 2;

/// Matches without an end.
#[derive(Clone, Debug)]
pub(super) struct Open {
    /// Everything that can be played: games, and in each who sits where.
    choices: Vec<Choice>,
    /// Which of them it is, by game and seating.
    places: FxHashMap<(usize, Vec<usize>), usize>,
    /// How many matches each group of players had in each game; choices say which one is theirs.
    in_game: Vec<u32>,
    /// How many matches each group of players had in all games.
    in_all: Vec<u32>,
    finished: u64,
}

/// A game and who sits where in it.
#[derive(Clone, Debug)]
struct Choice {
    game: usize,
    seating: Vec<usize>,
    /// Who plays, each once.
    players: Vec<usize>,
    /// The number of this group in this game, and of this group.
    group_in_game: usize,
    group: usize,
    /// Decides between equals.
    lot: u64,
    rounds: Rounds,
}

/// Which rounds were played.
#[derive(Clone, Debug)]
struct Rounds {
    /// All before this one.
    next: u32,
    /// And these after it.
    later: BTreeSet<u32>,
}

impl Rounds {
    fn contains(&self, round: u32) -> bool {
        round < self.next || self.later.contains(&round)
    }

    fn add(&mut self, round: u32) {
        self.later.insert(round);
        while self.later.remove(&self.next) {
            self.next += 1;
        }
    }

    fn count(&self) -> u32 {
        self.next - 1 + self.later.len() as u32
    }
}

impl Open {
    pub(super) fn new(tournament: &Tournament) -> Self {
        let mut open = Self {
            choices: Vec::new(),
            places: FxHashMap::default(),
            in_game: Vec::new(),
            in_all: Vec::new(),
            finished: 0,
        };
        open.add_choices(tournament, |_| true, &vec![0; tournament.games.len()], 0);
        open
    }

    /// Adds what can be played by groups of players that are not known yet: those of seatings that are wanted. They
    /// begin as if they had had so many matches, in each game and in all.
    fn add_choices(
        &mut self,
        tournament: &Tournament,
        is_wanted: impl Fn(&Vec<usize>) -> bool,
        had_in_game: &[u32],
        had_in_all: u32,
    ) {
        let mut groups: FxHashMap<Vec<usize>, usize> = FxHashMap::default();
        for (game, (entry, &had)) in tournament.games.iter().zip(had_in_game).enumerate() {
            let mut groups_here: FxHashMap<usize, usize> = FxHashMap::default();
            for seating in seatings(tournament.players.len(), entry.seats).into_iter().filter(&is_wanted) {
                let mut players: Vec<usize> = distinct(&seating).collect();
                players.sort_unstable();
                let new = self.in_all.len();
                let group = *groups.entry(players.clone()).or_insert(new);
                if group == new {
                    self.in_all.push(had_in_all);
                }
                let new = self.in_game.len();
                let group_in_game = *groups_here.entry(group).or_insert(new);
                if group_in_game == new {
                    self.in_game.push(had);
                }
                let lot = tournament.lot(&entry.name, 0, &seating);
                self.places.insert((game, seating.clone()), self.choices.len());
                let rounds = Rounds { next: 1, later: BTreeSet::new() };
                self.choices.push(Choice { game, seating, players, group_in_game, group, lot, rounds });
            }
        }
    }

    /// The least matches that a group of those who are still in has had: in each game, and in all.
    fn least_counts(&self, field: &Field) -> (Vec<u32>, u32) {
        let is_in = |choice: &&Choice| choice.players.iter().all(|&player| field.is_in(player));
        let in_game = (0..field.tournament().games.len()).map(|game| {
            let here = self.choices.iter().filter(|choice| choice.game == game).filter(is_in);
            here.map(|choice| self.in_game[choice.group_in_game]).min().unwrap_or(0)
        });
        let in_all = self.choices.iter().filter(is_in).map(|choice| self.in_all[choice.group]);
        (in_game.collect(), in_all.min().unwrap_or(0))
    }

    /// The choice and the match that a result is of.
    fn place_of(&self, field: &Field, result: &MatchResult) -> Option<usize> {
        let game = field.tournament().games.iter().position(|game| game.name == result.game)?;
        let seating: Option<Vec<usize>> = result.players.iter().map(|name| field.number(name)).collect();
        let place = *self.places.get(&(game, seating?))?;
        let choice = &self.choices[place];
        let fixture = field.tournament().fixture(game, result.round, choice.seating.clone());
        let new = result.round > 0 && !choice.rounds.contains(result.round);
        (new && result.is_of(field.tournament(), &fixture)).then_some(place)
    }

    /// The next match of a choice that is not running.
    fn fixture<'f>(
        &self,
        field: &Field,
        place: usize,
        running: impl Iterator<Item = &'f Fixture>,
    ) -> Fixture {
        let Choice { game, seating, rounds, .. } = &self.choices[place];
        let same = running.filter(|fixture| fixture.game == *game && fixture.seating == *seating);
        let begun: BTreeSet<u32> = same.map(|fixture| fixture.round).collect();
        let new = |round: &u32| !rounds.contains(*round) && !begun.contains(round);
        let round = (rounds.next..).find(new).unwrap_or(u32::MAX);
        field.tournament().fixture(*game, round, seating.clone())
    }

    /// How often everything was played, with what is running.
    fn counts_with(&self, running: &[Fixture]) -> Counts {
        let mut counts = Counts {
            in_game: self.in_game.clone(),
            in_all: self.in_all.clone(),
            here: self.choices.iter().map(|choice| choice.rounds.count()).collect(),
        };
        for fixture in running {
            if let Some(&place) = self.places.get(&(fixture.game, fixture.seating.clone())) {
                counts.add(&self.choices[place], place);
            }
        }
        counts
    }

    /// What was played least comes first: by the group in this game, by the group in all games, on this
    /// seating; then the lot decides. Who could only play what is far ahead waits for somebody who is in
    /// a match.
    fn most_urgent(&self, field: &Field, room: &Room, counts: &Counts) -> Option<Urgent> {
        let can_begin = |choice: &Choice| choice.players.iter().all(|&player| room.is_free(player));
        let mut least = vec![u32::MAX; field.size()];
        for choice in self.choices.iter().filter(|choice| can_begin(choice)) {
            for &player in &choice.players {
                least[player] = least[player].min(counts.in_game[choice.group_in_game]);
            }
        }
        let pays_to_wait = |choice: &Choice| {
            let count = counts.in_game[choice.group_in_game].saturating_add(LEAD);
            let coming = |&player: &usize| field.is_there(player) && room.will_be_free(player);
            let behind =
                |&player: &usize| room.is_free(player) && least[player] != u32::MAX && count < least[player];
            choice.players.iter().any(behind)
                && choice.players.iter().all(|player| behind(player) || coming(player))
        };
        let urgent = self.choices.iter().enumerate().filter_map(|(place, choice)| {
            let what = if can_begin(choice) {
                Urgent::Begin(place)
            } else if pays_to_wait(choice) {
                Urgent::Wait(place)
            } else {
                return None;
            };
            let (in_game, in_all) = (counts.in_game[choice.group_in_game], counts.in_all[choice.group]);
            Some(((in_game, in_all, counts.here[place], choice.lot), what))
        });
        urgent.min_by_key(|(key, _)| *key).map(|(_, what)| what)
    }
}

/// How often everything was played.
struct Counts {
    /// By each group in each game.
    in_game: Vec<u32>,
    /// By each group in all games.
    in_all: Vec<u32>,
    /// Each choice.
    here: Vec<u32>,
}

impl Counts {
    fn add(&mut self, choice: &Choice, place: usize) {
        self.in_game[choice.group_in_game] += 1;
        self.in_all[choice.group] += 1;
        self.here[place] += 1;
    }
}

/// What to do about a choice.
enum Urgent {
    Begin(usize),
    /// Its players are kept for each other.
    Wait(usize),
}

impl PairingSystem for Open {
    fn cloned(&self) -> Box<dyn PairingSystem> {
        Box::new(self.clone())
    }

    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError> {
        let place = self.place_of(field, result).ok_or_else(|| EventError::no_match(result))?;
        let choice = &mut self.choices[place];
        if !choice.players.iter().all(|&player| field.is_in(player)) {
            return Err(EventError::no_match(result));
        }
        choice.rounds.add(result.round);
        self.in_game[choice.group_in_game] += 1;
        self.in_all[choice.group] += 1;
        self.finished += 1;
        Ok((self.finished, 0, 0))
    }

    fn entered(&mut self, field: &Field, player: usize) {
        // Nobody waits for it to catch up.
        let (in_game, in_all) = self.least_counts(field);
        let is_new = |seating: &Vec<usize>| seating.contains(&player);
        self.add_choices(field.tournament(), is_new, &in_game, in_all);
    }

    fn struck(&mut self, _field: &Field, _player: usize) {}

    fn next(&self, field: &Field, room: &mut Room) -> Vec<Fixture> {
        let mut counts = self.counts_with(room.running());
        let mut picked: Vec<Fixture> = Vec::new();
        while !room.is_full() {
            match self.most_urgent(field, room, &counts) {
                Some(Urgent::Begin(place)) => {
                    let running = room.running().iter().chain(&picked);
                    let fixture = self.fixture(field, place, running);
                    if !room.take(&fixture) {
                        break;
                    }
                    counts.add(&self.choices[place], place);
                    picked.push(fixture);
                }
                Some(Urgent::Wait(place)) => room.keep(&self.choices[place].players),
                None => break,
            }
        }
        picked
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        let place = self.places.get(&(fixture.game, fixture.seating.clone()));
        place.is_some_and(|&place| !self.choices[place].rounds.contains(fixture.round))
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
        let (players, games) = (&field.tournament().players, field.tournament().game_names());
        let standings = Standings::of(players, &games, results.iter().copied());
        Ledger::of_results(field, results).ranking_by_rating(field, &standings)
    }
}
