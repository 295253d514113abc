//! Two players who meet, in as many legs as were agreed.

use serde::{Deserialize, Serialize};

use super::event::EventError;
use super::field::Field;
use super::result::MatchResult;
use super::schedule::Fixture;

/// Two players who meet in a round. In games with more than two seats they share the seats: one has the
/// first, third, and so on, the other the rest; in the next leg they change.
#[derive(Clone, Debug)]
pub(super) struct Encounter {
    pub(super) round: u32,
    pub(super) game: usize,
    /// The first of them has the first seat in the first leg.
    pub(super) players: [usize; 2],
    legs: Vec<Leg>,
    verdict: Option<Verdict>,
}

#[derive(Clone, Debug)]
struct Leg {
    /// The attempt that is to be played.
    fixture: Fixture,
    /// What the players got; `None` while it is open, and where it was aborted for good.
    goals: Option<[f64; 2]>,
    open: bool,
}

/// How an encounter stands for who plays a match of it.
#[derive(Clone, Debug)]
pub(crate) struct Meeting {
    pub(crate) players: [String; 2],
    /// What both are compared by, in all legs that are over: goals, or rewards.
    pub(crate) worth: [f64; 2],
    /// How many of its matches are to be played beside this one, running ones counted.
    pub(crate) open_beside: u32,
}

/// What came of an encounter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Verdict {
    /// Which of the two players has won; `None` where neither has.
    pub(super) winner: Option<usize>,
    pub(super) how: Decision,
}

/// How an encounter was decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// By what the players got in its matches.
    Played,
    /// By a lot that the seed of the tournament drew, because no match decided.
    Lot,
    /// Because a player was struck out.
    Walkover,
    /// Because there was no opponent.
    Bye,
    /// It was not needed: the second final of a double elimination where the first has put somebody out.
    Unneeded,
}

/// Means of goals over seats are compared; sums that differ by less come from rounding.
const SAME: f64 = 1e-9;

impl Encounter {
    pub(super) fn new(field: &Field, round: u32, game: usize, players: [usize; 2]) -> Self {
        let mut encounter = Self { round, game, players, legs: Vec::new(), verdict: None };
        encounter.add_legs(field);
        encounter
    }

    fn add_legs(&mut self, field: &Field) {
        let tournament = field.tournament();
        let seats = tournament.games.get(self.game).map_or(0, |game| game.seats);
        let first = u32::try_from(self.legs.len()).unwrap_or(u32::MAX);
        for leg in (first..).take(field.setup.legs.get() as usize) {
            let seating = (0..seats).map(|seat| self.players[(seat + leg as usize) % 2]).collect();
            let fixture = tournament.repeated_fixture(self.game, self.round, seating, leg, 0);
            self.legs.push(Leg { fixture, goals: None, open: true });
        }
    }

    pub(super) fn verdict(&self) -> Option<Verdict> {
        self.verdict
    }

    /// The number of the winner, if there is one.
    pub(super) fn winner(&self) -> Option<usize> {
        self.verdict?.winner.map(|which| self.players[which])
    }

    /// How often the first player had the first seat more often than the second, in all legs so far.
    pub(super) fn imbalance(&self) -> i32 {
        (self.legs.len() % 2) as i32
    }

    /// The matches that are still to be played.
    pub(super) fn open_fixtures(&self) -> impl Iterator<Item = &Fixture> {
        let decided = self.verdict.is_some();
        self.legs.iter().filter(move |leg| leg.open && !decided).map(|leg| &leg.fixture)
    }

    /// What both got in all legs together.
    pub(super) fn goals(&self) -> [f64; 2] {
        let add = |[a, b]: [f64; 2], [c, d]: [f64; 2]| [a + c, b + d];
        self.legs.iter().filter_map(|leg| leg.goals).fold([0.0; 2], add)
    }

    /// How it stands for who plays one of its matches.
    pub(super) fn meeting(&self, field: &Field, fixture: &Fixture) -> Meeting {
        let others = self.open_fixtures().filter(|open| *open != fixture).count();
        Meeting {
            players: self.players.map(|player| field.name(player).to_owned()),
            worth: self.goals(),
            open_beside: u32::try_from(others).unwrap_or(u32::MAX),
        }
    }

    fn legs_played(&self) -> usize {
        self.legs.iter().filter(|leg| leg.goals.is_some()).count()
    }

    /// Takes in a result. Where nobody got more, a Swiss encounter is drawn; one in a bracket is played
    /// again, and decided by lot in the end.
    pub(super) fn finished(&mut self, field: &Field, result: &MatchResult) -> Result<(u32, u32), EventError> {
        let tournament = field.tournament();
        let names = self.players.map(|player| field.name(player));
        let of = |leg: &&mut Leg| leg.open && result.is_of(tournament, &leg.fixture);
        let leg = self.legs.iter_mut().find(of).filter(|_| self.verdict.is_none());
        let leg = leg.ok_or_else(|| EventError::no_match(result))?;
        let Fixture { game, round, ref seating, leg: number, attempt, .. } = leg.fixture;
        let next = attempt.saturating_add(1);
        if result.aborted.is_some() && next < field.setup.attempts.get() {
            leg.fixture = tournament.repeated_fixture(game, round, seating.clone(), number, next);
        } else {
            leg.open = false;
            if result.aborted.is_none() {
                leg.goals = Some(names.map(|name| result.worth_to(name).unwrap_or(0.0)));
            }
            self.resolve(field);
        }
        Ok((number, attempt))
    }

    fn resolve(&mut self, field: &Field) {
        if self.legs.iter().any(|leg| leg.open) {
            return;
        }
        let [first, second] = self.goals();
        let setup = &field.setup;
        if (first - second).abs() > SAME {
            let winner = Some(usize::from(second > first));
            self.verdict = Some(Verdict { winner, how: Decision::Played });
        } else if !setup.format.is_elimination() {
            self.verdict = Some(Verdict { winner: None, how: Decision::Played });
        } else if self.legs.len() as u64 <= u64::from(setup.replays) * u64::from(setup.legs.get()) {
            self.add_legs(field);
        } else {
            let lot = setup.tournament.lot("winner", self.round, &self.players);
            self.verdict = Some(Verdict { winner: Some((lot % 2) as usize), how: Decision::Lot });
        }
    }

    /// A player was struck out: the other one wins, if there still is one.
    pub(super) fn struck(&mut self, field: &Field) {
        let staying = self.players.map(|player| field.is_in(player));
        if self.verdict.is_none() && staying != [true, true] {
            let winner = staying.iter().position(|&stays| stays);
            self.verdict = Some(Verdict { winner, how: Decision::Walkover });
        }
    }

    /// As it is shown.
    pub(super) fn report(&self, field: &Field) -> EncounterReport {
        let name = |player: usize| Some(field.name(player).to_owned());
        let decided = self.verdict.map(|verdict| Decided {
            winner: verdict.winner.and_then(|which| name(self.players[which])),
            how: verdict.how,
        });
        EncounterReport {
            round: self.round,
            game: field.tournament().games.get(self.game).map(|game| game.name.clone()),
            players: self.players.map(name),
            goals: self.goals(),
            matches: self.legs_played(),
            decided,
            ..EncounterReport::default()
        }
    }
}

/// Which of two players has the first seat: whoever had it less often, compared with how often others had
/// it; where both are equal, the lot says it. `balance` is how much more often each had it.
pub(super) fn seated_first(field: &Field, round: u32, players: [usize; 2], balance: &[i32]) -> [usize; 2] {
    let [a, b] = players;
    let turned = match balance[a].cmp(&balance[b]) {
        std::cmp::Ordering::Less => false,
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => field.tournament().lot("first", round, &players) % 2 == 1,
    };
    if turned { [b, a] } else { players }
}

/// Who met whom, or will meet.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct EncounterReport {
    /// Which part of the bracket; Swiss rounds and single elimination have one only.
    pub side: Side,
    /// The round in this part, from 1.
    pub round: u32,
    /// Which encounter of the round, from 1, in the order in which a bracket is drawn.
    pub number: u32,
    /// The game; `None` where nothing is to be played.
    pub game: Option<String>,
    /// Both players; `None` for somebody who is not known yet or, in a bye, for nobody.
    pub players: [Option<String>; 2],
    /// Where both come from.
    pub origins: [Origin; 2],
    /// What both got in all their matches together.
    pub goals: [f64; 2],
    /// How many of their matches were completed.
    pub matches: usize,
    /// What came of it, if it is over.
    pub decided: Option<Decided>,
}

/// What came of an encounter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decided {
    /// Who won; `None` for a draw in a Swiss round, and where nobody was left to win.
    pub winner: Option<String>,
    /// How.
    pub how: Decision,
}

/// A part of a bracket.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// Of those who have not lost.
    #[default]
    Winners,
    /// Of those who have lost once.
    Losers,
    /// Between the winners of both other parts; a second one follows where both have lost once then.
    Final,
}

/// Where a player of an encounter comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// From the seeding of the bracket, or the pairing of a round.
    #[default]
    Placed,
    /// The winner of the encounter at this place in the list, from 0.
    WinnerOf(usize),
    /// The loser of that encounter.
    LoserOf(usize),
}
