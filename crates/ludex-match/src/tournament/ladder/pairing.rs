//! Who meets whom next on a ladder, in which game, on which seats.
//!
//! **Whose turn it is**: matches are shared out by start-time fair queuing (P. Goyal, H. M. Vin, H. Cheng, IEEE/ACM
//! Transactions on Networking 5, 1997): each player has had so much, each match adds to that, more for whoever is well
//! known, and whoever has had least comes next. So nobody starves, who is new plays up to four times as often, and who
//! was away has nothing to catch up with.
//!
//! **In which game**: the one that it had least.
//!
//! **With whom**: with whom it has not just met, among those with whoever is nearest in rating, and has had little.
//!
//! **On which seats**: on those that they had least, first with each other, then at all.

use super::super::field::Field;
use super::super::schedule::Fixture;
use super::form::Form;
use super::played::{MEMORY, Played};

/// So many points of difference weigh as much as one match that the other one has had more of one that is well known.
const POINTS: f64 = 200.0;

/// Chooses one match after another.
pub(super) struct Choosing<'a> {
    field: &'a Field,
    forms: &'a [Form],
    played: &'a Played,
    clock: f64,
    /// How many matches are over.
    finished: u64,
    /// What runs, and what was chosen.
    begun: Vec<Fixture>,
}

impl<'a> Choosing<'a> {
    pub(super) fn new(
        field: &'a Field,
        forms: &'a [Form],
        played: &'a Played,
        (clock, finished): (f64, u64),
        running: &[Fixture],
    ) -> Self {
        Self { field, forms, played, clock, finished, begun: running.to_vec() }
    }

    /// This match begins, too.
    pub(super) fn begun(&mut self, fixture: &Fixture) {
        self.begun.push(fixture.clone());
    }

    /// The next match between players who are free; `None` where there are not two.
    pub(super) fn choose(&self, is_free: impl Fn(usize) -> bool) -> Option<Fixture> {
        let free: Vec<usize> = self.field.remaining().filter(|&player| is_free(player)).collect();
        let first = self.least(&free, "turn", |player| (0, self.due(player)))?;
        let games: Vec<usize> = (0..self.field.tournament().games.len()).collect();
        let game = games.into_iter().min_by_key(|&game| {
            let begun = self.begun.iter().filter(|f| f.game == game && f.seating.contains(&first)).count();
            let had = u64::from(self.played.in_game(first, game)) + begun as u64;
            let name = self.field.tournament().games.get(game).map_or("", |game| game.name.as_str());
            (had, self.lot(name, &[first]))
        })?;
        let mut players = vec![first];
        while players.len() < self.field.tournament().games.get(game)?.seats {
            let others: Vec<usize> =
                free.iter().copied().filter(|player| !players.contains(player)).collect();
            let memory = MEMORY.min(others.len().saturating_sub(1));
            let cost = |other| (self.repeats(first, other, memory), self.cost(first, other));
            let Some(other) = self.least(&others, "opponent", cost) else { break };
            players.push(other);
        }
        if players.len() < 2 {
            return None;
        }
        let seating = self.seating(game, players);
        let round = self.played.next_round(game, &seating, self.begun.iter());
        Some(self.field.tournament().fixture(game, round, seating))
    }

    /// The player for whom this is least; then the lot decides.
    fn least(&self, players: &[usize], question: &str, key: impl Fn(usize) -> (usize, f64)) -> Option<usize> {
        let keyed = players.iter().map(|&player| (key(player), self.lot(question, &[player]), player));
        let least = keyed.min_by(|((a, x), lot, _), ((b, y), other, _)| {
            a.cmp(b).then(x.total_cmp(y)).then(lot.cmp(other))
        });
        least.map(|(.., player)| player)
    }

    /// How much a player has had.
    fn due(&self, player: usize) -> f64 {
        let running = self.begun.iter().filter(|fixture| fixture.seating.contains(&player)).count();
        self.forms[player].due(self.clock, running)
    }

    /// How bad it is to meet again: nothing where both have met so many others since, else more the sooner it is.
    fn repeats(&self, first: usize, other: usize, memory: usize) -> usize {
        let together = |f: &Fixture| f.seating.contains(&first) && f.seating.contains(&other);
        if self.begun.iter().any(together) {
            return memory + 1;
        }
        let last = [(first, other), (other, first)].map(|(a, b)| self.played.last_met(a, b));
        let last = last.into_iter().flatten().min().filter(|&last| last <= memory);
        last.map_or(0, |last| memory + 1 - last)
    }

    /// How little a player suits another one.
    fn cost(&self, first: usize, other: usize) -> f64 {
        let rating = |player: usize| self.forms[player].skill().rating;
        (rating(first) - rating(other)).abs() / POINTS + self.due(other) - self.due(first)
    }

    /// Who sits where. Where there are fewer players than seats, they take turns.
    fn seating(&self, game: usize, mut players: Vec<usize>) -> Vec<usize> {
        let seats = self.field.tournament().games[game].seats;
        let mut order = Vec::with_capacity(players.len());
        while !players.is_empty() {
            let seat = order.len();
            let keyed = players.iter().enumerate().map(|(place, &player)| {
                let key =
                    (self.with_these(game, player, &players, seats), self.had(player, game, seat, seats));
                (key, self.lot("seat", &[player]), place)
            });
            let Some((.., place)) = keyed.min() else { break };
            order.push(players.remove(place));
        }
        (0..seats).map(|seat| order[seat % order.len()]).collect()
    }

    /// Of two players: how much more often one had the first seat against the other than the other way round.
    fn with_these(&self, game: usize, player: usize, players: &[usize], seats: usize) -> i64 {
        let &[a, b] = players else { return 0 };
        let other = if a == player { b } else { a };
        let seated = |one: usize, two: usize| {
            let seating: Vec<usize> = (0..seats).map(|seat| if seat % 2 == 0 { one } else { two }).collect();
            let begun = self.begun.iter().filter(|f| f.game == game && f.seating == seating).count();
            i64::from(self.played.on_seating(game, &seating)) + begun as i64
        };
        seated(player, other) - seated(other, player)
    }

    /// How much more often a player had a seat than its share.
    fn had(&self, player: usize, game: usize, seat: usize, seats: usize) -> i64 {
        let mut own = i64::from(self.played.on_seat(player, game, seat));
        let mut all: i64 = (0..seats).map(|seat| i64::from(self.played.on_seat(player, game, seat))).sum();
        for fixture in self.begun.iter().filter(|fixture| fixture.game == game) {
            own += i64::from(fixture.seating.get(seat) == Some(&player));
            all += fixture.seating.iter().filter(|&&one| one == player).count() as i64;
        }
        own * seats as i64 - all
    }

    /// Decides between equals, otherwise after each match.
    fn lot(&self, question: &str, players: &[usize]) -> u64 {
        let matches = u32::try_from(self.finished + self.begun.len() as u64).unwrap_or(u32::MAX);
        self.field.tournament().lot(question, matches, players)
    }
}
