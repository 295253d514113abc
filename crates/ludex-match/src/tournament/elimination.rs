//! Single and double elimination: brackets being played.

use super::bracket::{Node, Source, double, single};
use super::encounter::{Decided, Decision, Encounter, EncounterReport, seated_first};
use super::event::EventError;
use super::field::{Field, Room};
use super::pairing_system::{PairingSystem, Place, pick};
use super::ranking::{Ledger, RankedPlayer};
use super::result::MatchResult;
use super::schedule::Fixture;
use super::setup::Format;

/// A bracket being played.
#[derive(Clone, Debug)]
pub(super) struct Elimination {
    nodes: Vec<Node>,
    /// What goes on at each node.
    courses: Vec<Course>,
    /// How much more often each player had the first seat than the other ones.
    balance: Vec<i32>,
}

/// What goes on at a node.
#[derive(Clone, Debug, Default)]
struct Course {
    encounter: Option<Encounter>,
    outcome: Option<Outcome>,
}

/// Who goes on where; `None` is nobody.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Outcome {
    winner: Option<usize>,
    loser: Option<usize>,
    how: Decision,
}

/// Who stands at an entry of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Entry {
    Unknown,
    Nobody,
    Player(usize),
}

impl Entry {
    fn of(player: Option<usize>) -> Self {
        player.map_or(Self::Nobody, Self::Player)
    }

    fn player(self) -> Option<usize> {
        if let Self::Player(player) = self { Some(player) } else { None }
    }
}

impl Elimination {
    pub(super) fn new(field: &Field) -> Self {
        let nodes = match field.setup.format {
            Format::DoubleElimination => double(field.size()),
            _ => single(field.size()),
        };
        let courses = nodes.iter().map(|_| Course::default()).collect();
        let mut elimination = Self { nodes, courses, balance: vec![0; field.size()] };
        elimination.advance(field);
        elimination
    }

    fn entries(&self, node: usize) -> [Entry; 2] {
        self.nodes[node].sources.map(|source| match source {
            Source::Seed(player) => Entry::of(player),
            Source::Winner(from) => {
                self.courses[from].outcome.map_or(Entry::Unknown, |o| Entry::of(o.winner))
            }
            Source::Loser(from) => self.courses[from].outcome.map_or(Entry::Unknown, |o| Entry::of(o.loser)),
        })
    }

    /// Takes in what is decided by now, and lets those meet who are known by now.
    fn advance(&mut self, field: &Field) {
        for node in 0..self.nodes.len() {
            if self.courses[node].outcome.is_some() {
                continue;
            }
            if self.courses[node].encounter.is_none() {
                self.courses[node].outcome = self.without_playing(node, field);
                if let ([Entry::Player(a), Entry::Player(b)], None) =
                    (self.entries(node), self.courses[node].outcome)
                {
                    self.begin(node, field, [a, b]);
                }
            }
            let course = &mut self.courses[node];
            if let Some(encounter) = &mut course.encounter {
                encounter.struck(field);
                if let Some(outcome) = outcome_of(encounter, field) {
                    course.outcome = Some(outcome);
                    let [first, second] = encounter.players;
                    self.balance[first] += encounter.imbalance();
                    self.balance[second] -= encounter.imbalance();
                }
            }
        }
    }

    fn begin(&mut self, node: usize, field: &Field, players: [usize; 2]) {
        let stage = self.nodes[node].stage;
        let seated = seated_first(field, stage, players, &self.balance);
        let game = field.setup.game_of_round(stage);
        self.courses[node].encounter = Some(Encounter::new(field, stage, game, seated));
    }

    /// What comes of a node where nothing is to be played.
    fn without_playing(&self, node: usize, field: &Field) -> Option<Outcome> {
        if let Some(first) = self.nodes[node].only_after {
            let before = self.courses[first].outcome?;
            let second = self.entries(first)[1].player();
            if before.loser.is_none() || before.winner != second {
                return Some(Outcome { how: Decision::Unneeded, ..before });
            }
        }
        let staying = |player: Option<usize>| player.filter(|&player| field.is_in(player));
        match self.entries(node) {
            [Entry::Nobody, Entry::Nobody] => Some(Outcome { winner: None, loser: None, how: Decision::Bye }),
            [Entry::Nobody, only @ Entry::Player(_)] | [only @ Entry::Player(_), Entry::Nobody] => {
                let winner = staying(only.player());
                let how = if winner.is_some() { Decision::Bye } else { Decision::Walkover };
                Some(Outcome { winner, loser: None, how })
            }
            _ => None,
        }
    }

    fn open_fixtures(&self) -> impl Iterator<Item = &Fixture> {
        self.courses.iter().filter_map(|course| course.encounter.as_ref()).flat_map(Encounter::open_fixtures)
    }

    /// The last stage that a player came to, and whether it is out.
    fn last_stage(&self, player: usize) -> (u32, bool) {
        let here = |&node: &usize| self.entries(node).contains(&Entry::Player(player));
        // Whoever wins the first final has won, but stands in the second one, too.
        let Some(node) = (0..self.nodes.len()).rev().find(here) else { return (0, true) };
        let out = self.courses[node].outcome.is_some_and(|outcome| outcome.winner != Some(player));
        (self.nodes[node].stage, out)
    }
}

/// Who goes on after an encounter. Whoever was struck out goes nowhere.
fn outcome_of(encounter: &Encounter, field: &Field) -> Option<Outcome> {
    let verdict = encounter.verdict()?;
    let winner = encounter.winner();
    let other = verdict.winner.map(|which| encounter.players[1 - which]);
    Some(Outcome { winner, loser: other.filter(|&player| field.is_in(player)), how: verdict.how })
}

impl PairingSystem for Elimination {
    fn cloned(&self) -> Box<dyn PairingSystem> {
        Box::new(self.clone())
    }

    fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<Place, EventError> {
        let courses = self.courses.iter_mut().enumerate();
        let mut open = courses.filter_map(|(node, course)| Some((node, course.encounter.as_mut()?)));
        let found = open.find_map(|(node, encounter)| {
            let place = encounter.finished(field, result).ok()?;
            Some((node as u64, place.0, place.1))
        });
        let place = found.ok_or_else(|| EventError::no_match(result))?;
        self.advance(field);
        Ok(place)
    }

    fn entered(&mut self, _field: &Field, _player: usize) {}

    fn struck(&mut self, field: &Field, _player: usize) {
        self.advance(field);
    }

    fn next(&self, _field: &Field, room: &mut Room) -> Vec<Fixture> {
        pick(self.open_fixtures(), room)
    }

    fn wants(&self, fixture: &Fixture) -> bool {
        self.open_fixtures().any(|open| open == fixture)
    }

    fn encounter_of(&self, fixture: &Fixture) -> Option<&Encounter> {
        let mut encounters = self.courses.iter().filter_map(|course| course.encounter.as_ref());
        encounters.find(|encounter| encounter.open_fixtures().any(|open| open == fixture))
    }

    fn may_play(&self, _field: &Field, player: usize) -> bool {
        !self.last_stage(player).1
    }

    fn open_matches(&self) -> usize {
        self.open_fixtures().count()
    }

    fn is_over(&self, _field: &Field) -> bool {
        self.courses.iter().all(|course| course.outcome.is_some())
    }

    fn ranking(&self, field: &Field, _results: &[&MatchResult]) -> Vec<RankedPlayer> {
        let mut ledger = Ledger::new(field.size());
        for course in &self.courses {
            match (&course.encounter, course.outcome) {
                (Some(encounter), _) => ledger.add_encounter(encounter),
                (None, Some(Outcome { winner: Some(player), how: Decision::Bye, .. })) => ledger.give(player),
                _ => {}
            }
        }
        // Who got further is better; those who are still in are better than those who are out.
        let key = |player: usize| match self.last_stage(player) {
            (stage, true) => stage,
            (_, false) => u32::MAX,
        };
        ledger.ranking_by(field, |player| f64::from(key(player)))
    }

    fn encounters(&self, field: &Field) -> Vec<EncounterReport> {
        let name = |player: usize| field.name(player).to_owned();
        let report = |(place, (node, course)): (usize, (&Node, &Course))| {
            let played = course.encounter.as_ref().map(|encounter| encounter.report(field));
            let origins = node.sources.map(Source::origin);
            let mut report = EncounterReport {
                side: node.side,
                round: node.round,
                number: node.number,
                origins,
                decided: course.outcome.map(|o| Decided { winner: o.winner.map(name), how: o.how }),
                ..played.unwrap_or_default()
            };
            // In the order of the bracket, whoever sits first.
            let players = self.entries(place).map(|entry| entry.player().map(name));
            if report.players[0] != players[0] {
                report.goals.reverse();
            }
            report.players = players;
            report
        };
        self.nodes.iter().zip(&self.courses).enumerate().map(report).collect()
    }
}
