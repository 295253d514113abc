//! What holds of every competition, whatever happens in it.

use std::collections::{BTreeMap, BTreeSet};
use std::num::NonZeroU32;

use crate::tournaments_support::*;
use ludex_game::Rng;
use ludex_match::tournament::{
    Fixture, Format, MatchResult, Ongoing, RunningTournament, Side, TournamentEvent, TournamentSetup,
};
use proptest::prelude::*;

/// How much may go wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Weather {
    /// Matches are played to the end.
    Calm,
    /// Matches are aborted.
    Aborts,
    /// Players go and come, the competition is paused, players are struck out.
    Storm,
}

fn terms() -> impl Strategy<Value = TournamentSetup> {
    let format = prop::sample::select(Format::ALL.to_vec());
    let games = prop::collection::vec(1usize..4, 1..3);
    let numbers = (2usize..8, 1u32..4, 1u32..4, 0u32..3, 1u32..3, 1u32..3);
    let simultaneous = prop::option::of((1u32..5).prop_map(number));
    (format, games, numbers, simultaneous, any::<u64>()).prop_map(
        |(format, mut games, numbers, simultaneous, seed)| {
            let (players, rounds, legs, replays, attempts, per_player) = numbers;
            if format.needs_opponents() {
                games.iter_mut().for_each(|seats| *seats = (*seats).max(2));
            }
            let mut tournament = tournament(players, &games, rounds);
            tournament.seed = seed;
            TournamentSetup {
                legs: number(legs),
                replays,
                attempts: number(attempts),
                per_player: number(per_player),
                simultaneous,
                ..TournamentSetup::new(tournament, format)
            }
        },
    )
}

/// A competition that is being run.
struct Run {
    competition: RunningTournament,
    events: Vec<TournamentEvent>,
    running: Vec<Fixture>,
    begun: BTreeSet<u64>,
    away: BTreeSet<usize>,
    rng: Rng,
}

impl Run {
    fn new(setup: TournamentSetup, seed: u64) -> Self {
        Self {
            competition: RunningTournament::new(setup).unwrap(),
            events: Vec::new(),
            running: Vec::new(),
            begun: BTreeSet::new(),
            away: BTreeSet::new(),
            rng: Rng::from_seed(seed),
        }
    }

    fn chance(&mut self, percent: u64) -> bool {
        self.rng.below(100) < percent
    }

    fn apply(&mut self, event: TournamentEvent) {
        self.competition.apply(&event).unwrap();
        self.events.push(event);
    }

    /// Begins what can begin, and looks at it.
    fn begin(&mut self) {
        let ongoing = Ongoing { running: self.running.clone(), busy: vec![] };
        let limit = self.rng.below(6) as usize;
        let next = self.competition.next(&ongoing, limit);
        assert_eq!(next, self.competition.next(&ongoing, limit), "asked twice");
        assert!(next.len() <= limit);
        let setup = self.competition.setup().clone();
        for fixture in next {
            assert!(self.competition.wants(&fixture));
            assert!(self.begun.insert(fixture.seed), "begun twice: {fixture:?}");
            let different: BTreeSet<usize> = fixture.seating.iter().copied().collect();
            assert_eq!(fixture.seating.len(), setup.tournament.games[fixture.game].seats);
            assert!(different.len() >= fixture.seating.len().min(2), "against itself: {fixture:?}");
            for &player in &different {
                assert!(!self.away.contains(&player), "away: {fixture:?}");
                assert!(!self.competition.is_struck_out(&setup.tournament.players[player]));
            }
            self.running.push(fixture);
        }
        if let Some(most) = setup.simultaneous {
            assert!(self.running.len() <= most.get() as usize);
        }
        for player in 0..setup.tournament.players.len() {
            let own = self.running.iter().filter(|fixture| fixture.seating.contains(&player)).count();
            assert!(own <= setup.per_player.get() as usize, "in too many matches at once");
        }
    }

    /// Ends one of the running matches.
    fn end_one(&mut self, weather: Weather) {
        if self.running.is_empty() {
            return;
        }
        let place = self.rng.below(self.running.len() as u64) as usize;
        let fixture = self.running.swap_remove(place);
        let players = self.competition.tournament().players.len();
        let goals: Vec<u32> = (0..players).map(|_| 50 * self.rng.below(3) as u32).collect();
        let mut result = result(&self.competition, &fixture, |player| goals[player]);
        if weather != Weather::Calm && self.chance(15) {
            result = MatchResult::failed(self.competition.tournament(), &fixture, "stopped");
        }
        let event = TournamentEvent::Finished(result);
        if self.competition.wants(&fixture) {
            self.apply(event);
        } else {
            assert!(self.competition.apply(&event).is_err(), "it is of no use");
        }
    }

    fn something_else(&mut self) {
        let player = self.rng.below(self.competition.tournament().players.len() as u64) as usize;
        let name = self.competition.tournament().players[player].clone();
        match self.rng.below(11) {
            10 => {
                let players = &self.competition.tournament().players;
                let late = players.iter().filter(|player| player.starts_with("late")).count();
                let player = format!("late {late}");
                // With more and more players there would be no end.
                if late < 3 && self.competition.check_entry(&player).is_ok() {
                    self.apply(TournamentEvent::Entered { player });
                }
            }
            0 => self.apply(TournamentEvent::StruckOut { player: name }),
            1 | 2 => {
                self.away.insert(player);
                self.apply(TournamentEvent::Unavailable { player: name });
            }
            3..6 => {
                self.away.remove(&player);
                self.apply(TournamentEvent::Available { player: name });
            }
            6 => self.apply(TournamentEvent::Paused),
            _ => self.apply(TournamentEvent::Resumed),
        }
    }

    /// Runs to the end, or for some time where there is none.
    fn finish(&mut self, weather: Weather) {
        let mut idle = 0;
        for _ in 0..6_000 {
            if self.competition.is_over()
                || self.begun.len() > 150 && self.competition.setup().format.is_endless()
            {
                return;
            }
            let before = (self.begun.len(), self.running.len());
            if self.chance(60) {
                self.begin();
            } else {
                self.end_one(weather);
            }
            if weather == Weather::Storm && self.chance(4) {
                self.something_else();
            }
            idle = if before == (self.begun.len(), self.running.len()) { idle + 1 } else { 0 };
            if idle > 200 {
                assert!(weather == Weather::Storm, "nothing goes on, but it is not over");
                self.away.clear();
                self.apply(TournamentEvent::Resumed);
                for player in self.competition.tournament().players.clone() {
                    self.apply(TournamentEvent::Available { player });
                }
            }
        }
        panic!("no end: {} matches", self.begun.len());
    }

    /// How often each player had each seat of each game.
    fn seats(&self) -> BTreeMap<(usize, usize, usize), u32> {
        let mut seats = BTreeMap::new();
        let tournament = self.competition.tournament();
        for result in self.competition.results() {
            let game = tournament.games.iter().position(|game| game.name == result.game).unwrap();
            for (seat, name) in result.players.iter().enumerate() {
                let player = tournament.players.iter().position(|player| player == name).unwrap();
                *seats.entry((game, seat, player)).or_default() += 1;
            }
        }
        seats
    }
}

fn weather() -> impl Strategy<Value = Weather> {
    prop::sample::select(vec![Weather::Calm, Weather::Aborts, Weather::Storm])
}

/// Everything that can be seen of a competition.
fn seen(competition: &RunningTournament) -> String {
    format!(
        "{competition:?} {:?} {:?} {:?}",
        competition.ranking(),
        competition.encounters(),
        competition.next(&Ongoing::default(), usize::MAX)
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 80, failure_persistence: None, ..ProptestConfig::default() })]

    /// Nobody plays against itself or twice at the same time, no match begins twice, and there is an end.
    #[test]
    fn competitions_end_in_order(setup in terms(), seed in any::<u64>(), weather in weather()) {
        let mut run = Run::new(setup, seed);
        run.finish(weather);
        let rows = run.competition.ranking();
        prop_assert_eq!(rows.len(), run.competition.tournament().players.len());
        prop_assert!(rows.windows(2).all(|pair| pair[0].rank <= pair[1].rank));
        if run.competition.is_over() {
            prop_assert_eq!(run.competition.open_matches(), 0);
            prop_assert!(run.competition.next(&Ongoing::default(), 100).is_empty());
        }
    }

    /// The fold of what has happened is the competition, at any moment.
    #[test]
    fn competitions_are_what_has_happened(setup in terms(), seed in any::<u64>()) {
        let mut run = Run::new(setup.clone(), seed);
        run.finish(Weather::Storm);
        let mut live = RunningTournament::new(setup.clone()).unwrap();
        let step = run.events.len() / 25 + 1;
        for (number, event) in run.events.iter().enumerate() {
            if number % step == 0 {
                let again = RunningTournament::resume(setup.clone(), &run.events[..number]).unwrap();
                prop_assert_eq!(seen(&again), seen(&live));
            }
            let text = serde_json::to_string(event).unwrap();
            live.apply(&serde_json::from_str(&text).unwrap()).unwrap();
        }
        prop_assert_eq!(seen(&live), seen(&run.competition));
    }

    /// Who is out has lost as often as the format says, and the winner has not.
    #[test]
    fn whoever_is_out_has_lost_once_or_twice(setup in terms(), seed in any::<u64>(), aborts in any::<bool>()) {
        for (format, losses) in [(Format::SingleElimination, 1), (Format::DoubleElimination, 2)] {
            let mut setup = TournamentSetup { format, ..setup.clone() };
            setup.tournament.games.iter_mut().for_each(|game| game.seats = game.seats.max(2));
            let mut run = Run::new(setup, seed);
            run.finish(if aborts { Weather::Aborts } else { Weather::Calm });
            let rows = run.competition.ranking();
            prop_assert!(rows[0].lost < losses && rows[0].rank == 1 && rows[1].rank == 2);
            prop_assert!(rows[1..].iter().all(|row| row.lost == losses), "{:?}", rows);
            let last = run.competition.encounters().pop().unwrap();
            prop_assert_eq!(last.decided.unwrap().winner, Some(rows[0].player.clone()));
        }
    }

    /// In round robin and cumulative score everybody has every seat equally often.
    #[test]
    fn everybody_has_every_seat_equally_often(setup in terms(), seed in any::<u64>()) {
        for format in [Format::RoundRobin, Format::Cumulative] {
            let mut run = Run::new(TournamentSetup { format, ..setup.clone() }, seed);
            run.finish(Weather::Calm);
            let tournament = run.competition.tournament();
            let seats = run.seats();
            for (number, game) in tournament.games.iter().enumerate() {
                let first = seats[&(number, 0, 0)];
                for seat in 0..game.seats {
                    for player in 0..tournament.players.len() {
                        prop_assert_eq!(seats[&(number, seat, player)], first);
                    }
                }
            }
        }
    }

    /// In Swiss rounds everybody plays in each, byes go round, nobody meets again without need, and seats
    /// are shared out.
    #[test]
    fn swiss_rounds_are_fair(players in 2usize..9, rounds in 1u32..9, seed in any::<u64>()) {
        let mut setup = setup(Format::Swiss, players, rounds);
        setup.tournament.seed = seed;
        let mut run = Run::new(setup, seed);
        run.finish(Weather::Calm);
        let names = run.competition.tournament().players.clone();
        let number = |name: &Option<String>| names.iter().position(|n| Some(n) == name.as_ref());
        let encounters = run.competition.encounters();
        let mut met = vec![vec![0u32; players]; players];
        let mut byes = vec![0u32; players];
        for round in 1..=rounds {
            let of_round = encounters.iter().filter(|e| e.round == round);
            let pairs: Vec<[Option<usize>; 2]> =
                of_round.map(|e| [number(&e.players[0]), number(&e.players[1])]).collect();
            let mut playing: Vec<usize> = pairs.iter().flatten().flatten().copied().collect();
            playing.sort_unstable();
            prop_assert_eq!(playing, (0..players).collect::<Vec<_>>());
            let again: u32 = pairs.iter().map(|pair| match *pair {
                [Some(a), Some(b)] => met[a][b].pow(2),
                _ => 0,
            }).sum();
            prop_assert_eq!(again, fewest(&(0..players).collect::<Vec<_>>(), &met, &byes));
            for pair in pairs {
                match pair {
                    [Some(a), Some(b)] => {
                        met[a][b] += 1;
                        met[b][a] += 1;
                    }
                    [Some(a), None] => byes[a] += 1,
                    _ => prop_assert!(false, "nobody"),
                }
            }
            prop_assert!(byes.iter().max().unwrap() - byes.iter().min().unwrap() <= 1);
        }
        let seats = run.seats();
        let had = |seat, player| i64::from(*seats.get(&(0, seat, player)).unwrap_or(&0));
        let worst = (0..players).map(|player| (had(0, player) - had(1, player)).abs()).max().unwrap();
        prop_assert!(worst <= 3, "{worst}");
    }

    /// In an open schedule what was played least is not left far behind.
    #[test]
    fn open_schedules_are_fair(players in 2usize..7, seats in 2usize..4, seed in any::<u64>()) {
        let mut setup = setup(Format::Open, players, 0);
        setup.tournament.seed = seed;
        setup.tournament.games[0].seats = seats;
        let mut run = Run::new(setup, seed);
        run.finish(Weather::Calm);
        let mut counts: BTreeMap<BTreeSet<String>, u32> = BTreeMap::new();
        for result in run.competition.results() {
            *counts.entry(result.players.iter().cloned().collect()).or_default() += 1;
        }
        let groups = players * (players - 1) / 2;
        prop_assert_eq!(counts.len(), groups, "everybody meets everybody");
        let (most, least) = (counts.values().max().unwrap(), counts.values().min().unwrap());
        prop_assert!(most - least <= 10, "{counts:?}");
    }
}

/// The fewest meetings more, squared and added up, that a pairing can do with.
fn fewest(left: &[usize], met: &[Vec<u32>], byes: &[u32]) -> u32 {
    let pairs_of = |rest: &[usize]| least_pairs(rest, met);
    if left.len().is_multiple_of(2) {
        return pairs_of(left);
    }
    let least = left.iter().map(|&player| byes[player]).min().unwrap();
    let without = |&player: &usize| {
        let rest: Vec<usize> = left.iter().copied().filter(|&other| other != player).collect();
        pairs_of(&rest)
    };
    left.iter().filter(|&&player| byes[player] == least).map(without).min().unwrap()
}

fn least_pairs(left: &[usize], met: &[Vec<u32>]) -> u32 {
    let Some((&first, rest)) = left.split_first() else { return 0 };
    let with = |place: usize| {
        let mut others = rest.to_vec();
        let other = others.remove(place);
        met[first][other].pow(2) + least_pairs(&others, met)
    };
    (0..rest.len()).map(with).min().unwrap()
}

#[test]
fn nobody_has_a_seat_much_more_often_in_swiss_rounds() {
    for seed in 0..12 {
        let mut setup = setup(Format::Swiss, 16, 9);
        setup.tournament.seed = seed;
        let mut run = Run::new(setup, seed);
        run.finish(Weather::Calm);
        let seats = run.seats();
        let had = |seat, player| i64::from(*seats.get(&(0, seat, player)).unwrap_or(&0));
        let worst = (0..16).map(|player| (had(0, player) - had(1, player)).abs()).max().unwrap();
        assert!(worst <= 2, "seed {seed}: {worst}");
    }
}

#[test]
fn favourites_do_not_meet_again_before_the_end_of_the_losers_side() {
    for players in [8, 16, 32, 64] {
        let mut competition = RunningTournament::new(setup(Format::DoubleElimination, players, 1)).unwrap();
        let names = competition.tournament().players.clone();
        let seed = |name: &str| names.iter().position(|other| other == name);
        play(&mut competition, |one, other| seed(one) < seed(other));
        let encounters = competition.encounters();
        let last = encounters.iter().rposition(|e| e.side == Side::Losers).unwrap();
        let mut met = BTreeSet::new();
        for encounter in &encounters[..last] {
            let mut pair = encounter.players.clone();
            pair.sort();
            assert!(met.insert(pair), "{players} players: {encounter:?}");
        }
    }
}

#[test]
fn a_large_competition_is_held_in_time() {
    for (format, players, rounds) in
        [(Format::Swiss, 128, 7), (Format::DoubleElimination, 500, 1), (Format::RoundRobin, 40, 2)]
    {
        let mut setup = setup(format, players, rounds);
        setup.per_player = NonZeroU32::MAX;
        let mut competition = RunningTournament::new(setup).unwrap();
        play(&mut competition, |one, other| one < other);
        assert_eq!(competition.ranking()[0].rank, 1);
        assert!(competition.encounters().iter().all(|e| e.side != Side::Winners || e.decided.is_some()));
    }
}
