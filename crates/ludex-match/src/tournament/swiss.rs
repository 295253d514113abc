//! Swiss rounds: everybody plays in each, against somebody who has about as many points.

use super::encounter::{Decided, Decision, Encounter, EncounterReport, seated_first};
use super::event::EventError;
use super::field::{Field, Room};
use super::matching::cheapest_pairs;
use super::pairing_system::{PairingSystem, Place, pick};
use super::ranking::{Ledger, RankedPlayer};
use super::result::MatchResult;
use super::schedule::Fixture;

/// Swiss rounds.
#[derive(Clone, Debug)]
pub(super) struct Swiss {
    rounds: Vec<Round>,
    /// How much more often each player had the first seat than the other ones.
    balance: Vec<i32>,
}

#[derive(Clone, Debug)]
struct Round {
    encounters: Vec<Encounter>,
    bye: Option<usize>,
}

/// A player who had the first seat so much more often than the second, or less often, does not get
/// further away if another pairing can prevent it.
const BALANCE: i32 = 2;

impl Swiss {
    pub(super) fn new(field: &Field) -> Self {
        let mut swiss = Self { rounds: Vec::new(), balance: vec![0; field.size()] };
        swiss.advance(field);
        swiss
    }

    /// Pairs the next round if this one is over.
    fn advance(&mut self, field: &Field) {
        let over = |round: &Round| round.encounters.iter().all(|e| e.verdict().is_some());
        while self.rounds.last().is_none_or(over)
            && self.rounds.len() < field.tournament().rounds as usize
            && field.remaining().nth(1).is_some()
        {
            let round = self.pair(field);
            for encounter in &round.encounters {
                let [first, second] = encounter.players;
                self.balance[first] += encounter.imbalance();
                self.balance[second] -= encounter.imbalance();
            }
            self.rounds.push(round);
        }
    }

    fn pair(&self, field: &Field) -> Round {
        let number = self.rounds.len() as u32 + 1;
        let game = field.setup.game_of_round(number);
        let pairing = Pairing::new(self, field);
        let partners = pairing.partners();
        let mut round = Round { encounters: Vec::new(), bye: None };
        for (place, &player) in pairing.order.iter().enumerate() {
            let partner = partners[place];
            match pairing.order.get(partner) {
                Some(&other) if place < partner => {
                    let seated = seated_first(field, number, [player, other], &self.balance);
                    round.encounters.push(Encounter::new(field, number, game, seated));
                }
                Some(_) => {}
                None => round.bye = Some(player),
            }
        }
        round
    }

    fn ledger(&self, field: &Field) -> Ledger {
        let mut ledger = Ledger::new(field.size());
        for round in &self.rounds {
            for encounter in &round.encounters {
                ledger.add_encounter(encounter);
            }
            if let Some(player) = round.bye {
                ledger.give(player);
            }
        }
        ledger
    }
}

/// What a pairing depends on.
struct Pairing {
    /// Who is paired, those with most points first, then in the order of the players.
    order: Vec<usize>,
    /// For each of them in this order: points in halves, byes, and how often it had the first seat more.
    points: Vec<u32>,
    byes: Vec<u32>,
    balance: Vec<i32>,
    /// How often the one met the other.
    met: Vec<Vec<u32>>,
    /// Where the players with the same points begin, and how many they are.
    group: Vec<(usize, usize)>,
}

impl Pairing {
    fn new(swiss: &Swiss, field: &Field) -> Self {
        let ledger = swiss.ledger(field);
        let mut order: Vec<usize> = field.remaining().collect();
        order.sort_by_key(|&player| (std::cmp::Reverse(ledger.half_points(player)), player));
        let mut place_of = vec![usize::MAX; field.size()];
        order.iter().enumerate().for_each(|(place, &player)| place_of[player] = place);
        let count = order.len();
        let (mut met, mut byes) = (vec![vec![0; count]; count], vec![0; count]);
        for round in &swiss.rounds {
            for encounter in &round.encounters {
                let [a, b] = encounter.players.map(|player| place_of[player]);
                if a < count && b < count {
                    met[a][b] += 1;
                    met[b][a] += 1;
                }
            }
            if let Some(count) = round.bye.and_then(|player| byes.get_mut(place_of[player])) {
                *count += 1;
            }
        }
        let points: Vec<u32> = order.iter().map(|&player| ledger.half_points(player)).collect();
        let group = points.iter().map(|own| {
            let begin = points.partition_point(|other| other > own);
            (begin, points.partition_point(|other| other >= own) - begin)
        });
        Self {
            group: group.collect(),
            balance: order.iter().map(|&player| swiss.balance[player]).collect(),
            order,
            points,
            byes,
            met,
        }
    }

    /// The place of everybody's partner; who gets the bye has one behind the last.
    fn partners(&self) -> Vec<usize> {
        let count = self.order.len();
        let least_byes = self.byes.iter().copied().min().unwrap_or(0);
        let pairs = (0..count).flat_map(|a| (a + 1..count).map(move |b| (a, b)));
        let least_met = pairs.map(|(a, b)| self.met[a][b]).min().unwrap_or(0);
        cheapest_pairs(count.next_multiple_of(2), |a, b| {
            let (a, b) = (a.min(b), a.max(b));
            if b == count {
                self.cost_of_bye(a, least_byes).sum()
            } else {
                self.cost_of_pair(a, b, least_met).sum()
            }
        })
    }

    fn cost_of_bye(&self, place: usize, least_byes: u32) -> Cost {
        let last = self.points.len() - 1;
        Cost {
            byes: self.byes[place] - least_byes,
            points_of_bye: self.points[place] - self.points[last],
            order: (last - place) as u32,
            ..Cost::default()
        }
    }

    fn cost_of_pair(&self, a: usize, b: usize, least_met: u32) -> Cost {
        let met = self.met[a][b] - least_met;
        let (low, high) = (self.balance[a].min(self.balance[b]), self.balance[a].max(self.balance[b]));
        let imbalance = (low + 1).abs().max((high - 1).abs());
        // Within a group the upper half meets the lower half in the same order.
        let (_, size) = self.group[a];
        let wanted = if self.group[a] == self.group[b] { size / 2 } else { 1 };
        Cost {
            meetings: met,
            out_of_balance: u32::from(imbalance > BALANCE),
            points: self.points[a] - self.points[b],
            imbalance: u32::from(imbalance == BALANCE),
            order: (b - a).abs_diff(wanted) as u32,
            ..Cost::default()
        }
    }
}

/// What is to be avoided, the worst first: each part is worth more than all that follow, for all pairs
/// together.
#[derive(Debug, Default)]
struct Cost {
    /// Byes more than others had.
    byes: u32,
    /// Meetings more than others had.
    meetings: u32,
    /// Points, in halves, of the player without an opponent, above the least.
    points_of_bye: u32,
    /// Whether seats get out of balance.
    out_of_balance: u32,
    /// The difference of points, in halves; large ones are much worse than small ones.
    points: u32,
    /// Whether seats get near to that.
    imbalance: u32,
    /// How far away from the usual order.
    order: u32,
}

impl Cost {
    /// One number. Parts are cut off where they get very large, so that 2^9 players fit in.
    fn sum(&self) -> i128 {
        let square = |value: u32, most: u32| value.min(most).pow(2);
        let parts: [(u32, u32); 7] = [
            (self.byes.min(15), 4),
            (square(self.meetings, 31), 19),
            (self.points_of_bye.min(2047), 11),
            (self.out_of_balance, 9),
            (square(self.points, 255), 25),
            (self.imbalance, 9),
            (self.order, 18),
        ];
        parts.iter().fold(0, |sum, (value, bits)| (sum << bits) + i128::from(*value))
    }
}

impl PairingSystem for Swiss {
    fn cloned(&self) -> Box<dyn PairingSystem> {
        Box::new(self.clone())
    }

    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError> {
        let round = self.rounds.last_mut().ok_or_else(|| EventError::no_match(result))?;
        let found = round.encounters.iter_mut().enumerate().find_map(|(number, encounter)| {
            let place = encounter.finished(field, result).ok()?;
            Some((number as u64, place))
        });
        let (number, (leg, attempt)) = found.ok_or_else(|| EventError::no_match(result))?;
        let place = (((self.rounds.len() as u64) << 32) + number, leg, attempt);
        self.advance(field);
        Ok(place)
    }

    fn entry_refusal(&self, field: &Field) -> Option<&'static str> {
        let is_last = self.rounds.len() >= field.tournament().rounds as usize;
        is_last.then_some("the last round is being played")
    }

    fn entered(&mut self, _field: &Field, _player: usize) {
        self.balance.push(0);
    }

    fn struck(&mut self, field: &Field, _player: usize) {
        for encounter in self.rounds.last_mut().into_iter().flat_map(|round| &mut round.encounters) {
            encounter.struck(field);
        }
        self.advance(field);
    }

    fn next(&self, _field: &Field, room: &mut Room) -> Vec<Fixture> {
        let encounters = self.rounds.last().into_iter().flat_map(|round| &round.encounters);
        pick(encounters.flat_map(Encounter::open_fixtures), room)
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        let encounters = self.rounds.last().into_iter().flat_map(|round| &round.encounters);
        encounters.flat_map(Encounter::open_fixtures).any(|open| open == fixture)
    }

    fn encounter_of(&self, fixture: &Fixture) -> Option<&Encounter> {
        let mut encounters = self.rounds.last().into_iter().flat_map(|round| &round.encounters);
        encounters.find(|encounter| encounter.open_fixtures().any(|open| open == fixture))
    }

    fn may_play(&self, field: &Field, player: usize) -> bool {
        let Some(round) = self.rounds.last() else { return true };
        let is_in = |fixture: &Fixture| fixture.seating.contains(&player);
        // Who is not in the present round, or is done with it, is paired in the next one.
        self.rounds.len() < field.tournament().rounds as usize
            || round.encounters.iter().flat_map(Encounter::open_fixtures).any(is_in)
    }

    fn open_matches(&self) -> usize {
        let encounters = self.rounds.last().into_iter().flat_map(|round| &round.encounters);
        encounters.flat_map(Encounter::open_fixtures).count()
    }

    fn is_over(&self, field: &Field) -> bool {
        let all = self.rounds.len() >= field.tournament().rounds as usize;
        let decided = self.rounds.last().is_none_or(|r| r.encounters.iter().all(|e| e.verdict().is_some()));
        decided && (all || field.remaining().nth(1).is_none())
    }

    fn ranking(&self, field: &Field, _results: &[&MatchResult]) -> Vec<RankedPlayer> {
        self.ledger(field).ranking(field, true)
    }

    fn encounters(&self, field: &Field) -> Vec<EncounterReport> {
        let mut reports = Vec::new();
        for (round, number) in self.rounds.iter().zip(1u32..) {
            let before = reports.len();
            reports.extend(round.encounters.iter().map(|encounter| encounter.report(field)));
            if let Some(player) = round.bye {
                let name = Some(field.name(player).to_owned());
                reports.push(EncounterReport {
                    round: number,
                    players: [name.clone(), None],
                    decided: Some(Decided { winner: name, how: Decision::Bye }),
                    ..EncounterReport::default()
                });
            }
            reports[before..].iter_mut().zip(1..).for_each(|(report, number)| report.number = number);
        }
        reports
    }
}
