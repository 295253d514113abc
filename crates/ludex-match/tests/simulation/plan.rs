//! What a world is like: all of it follows from the seed.

use std::num::NonZeroU32;
use std::time::Duration;

use ludex_game::Rules;
use ludex_gdl::{Notation, print};
use ludex_match::referee::{Clocks, Patience, RefereeSetup, SeatNotation, SeatSetup, TimeBank};
use ludex_match::tournament::{Fixture, Format, Tournament, TournamentGame, TournamentSetup};

use super::dice::Dice;
use super::games;

/// How a network behaves: how often things go wrong, of a thousand messages.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Weather {
    pub(crate) lost: u64,
    pub(crate) refused: u64,
    pub(crate) twice: u64,
    pub(crate) cut: u64,
    pub(crate) garbled: u64,
    pub(crate) slow: u64,
    /// How often an old answer is delivered once more.
    pub(crate) old: u64,
    /// How often a player hears that its answer did not arrive, where it did not.
    pub(crate) told: u64,
    /// Milliseconds on the way.
    pub(crate) latency: (u64, u64),
}

/// How a player behaves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Habit {
    /// As well as it can.
    Fair,
    /// Fair, but it thinks longer than it may.
    Slow,
    /// It answers moves that are not legal.
    Illegal,
    /// It answers anything.
    Garbage,
    /// It answers more than anybody reads.
    Flood,
    /// It answers nothing.
    Silent,
    /// It answers when it is too late.
    Late,
    /// It breaks the connection.
    Rude,
    /// A little of everything.
    Moody,
}

const HABITS: &[Habit] = &[
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Fair,
    Habit::Slow,
    Habit::Illegal,
    Habit::Garbage,
    Habit::Flood,
    Habit::Silent,
    Habit::Late,
    Habit::Rude,
    Habit::Moody,
    Habit::Moody,
];

/// What a world is like.
pub(crate) struct Plan {
    pub(crate) seed: u64,
    pub(crate) weather: Weather,
    /// A manager is cut off after at most so many effects; `None` where it never is.
    pub(crate) crashes: Option<usize>,
    /// How often a player dies, of a thousand messages to it.
    pub(crate) deaths: u64,
    /// How often somebody interferes with the competition, of a thousand entries.
    pub(crate) storms: u64,
    pub(crate) habits: Vec<Habit>,
    pub(crate) competition: TournamentSetup,
    /// No more matches begin after so many.
    pub(crate) matches: usize,
    /// Nothing goes wrong on the way: nobody who plays as well as it can may be blamed for anything.
    pub(crate) clean: bool,
}

impl Plan {
    pub(crate) fn new(seed: u64) -> Self {
        let mut dice = Dice::new(seed);
        let clean = dice.in_thousand(250);
        let weather = if clean {
            Weather { latency: (0, 4), told: 1_000, ..Weather::default() }
        } else {
            let often = *dice.pick(&[5, 30, 120]);
            Weather {
                lost: often,
                refused: often,
                twice: often,
                cut: often,
                garbled: often,
                slow: often,
                old: often,
                told: 700,
                latency: *dice.pick(&[(0, 0), (0, 20), (1, 400)]),
            }
        };
        let crashes = if dice.in_thousand(300) { None } else { Some(*dice.pick(&[15, 60, 300])) };
        let competition = competition(&mut dice);
        let players = competition.tournament.players.len();
        let habits = (0..players).map(|_| *dice.pick(HABITS)).collect();
        let deaths = if clean { 0 } else { *dice.pick(&[0, 10, 60]) };
        let storms = *dice.pick(&[0, 10, 40, 150]);
        Self { seed, weather, crashes, deaths, storms, habits, competition, matches: 10, clean }
    }

    /// What is agreed for a match. A manager that begins it again after a crash agrees the same.
    pub(crate) fn agree(&self, rules: &Rules, fixture: &Fixture, id: String) -> RefereeSetup {
        let mut dice = Dice::new(fixture.seed ^ self.seed);
        let names = self.competition.tournament.seated(fixture);
        let sheets = games::sheets(rules);
        let seats = names
            .into_iter()
            .enumerate()
            .map(|(number, player)| seat(rules, sheets.get(number).copied(), player, &mut dice))
            .collect();
        let bank = (!self.clean && dice.in_thousand(300))
            .then(|| TimeBank { total: dice.time((500, 20_000)), increment: dice.time((0, 1_000)) });
        let patience = match dice.below(4) {
            0 => Patience::Replace(1 + dice.below(3) as u32),
            1 => Patience::Abort(2 + dice.below(3) as u32),
            _ => Patience::Keep,
        };
        let told = dice.in_thousand(300).then(|| vec![("round".to_owned(), fixture.round.to_string())]);
        RefereeSetup {
            given: Vec::new(),
            records: None,
            id,
            seed: fixture.seed,
            clocks: Clocks {
                start: Duration::from_secs(1 + dice.below(10) as u64),
                play: Duration::from_secs(1 + dice.below(5) as u64),
                bank,
                grace: dice.time((0, 200)),
            },
            seats,
            patience,
            step_limit: Some(1 + dice.below(25) as u32),
            time_cost: dice.in_thousand(300).then_some(0.5),
            told,
            start_time: dice.in_thousand(700).then_some(1_700_000_000_000),
        }
    }
}

fn seat(rules: &Rules, sheet: Option<&str>, player: String, dice: &mut Dice) -> SeatSetup {
    let notation = *dice.pick(&[SeatNotation::Prefix, SeatNotation::Infix]);
    // The same rules in other words, or fewer of them: what a player is shown need not be what the referee goes by.
    let own = sheet.filter(|_| dice.in_thousand(700)).map(games::rules);
    let own = own.or_else(|| dice.in_thousand(200).then(|| rules.clone()));
    let rulesheet = own.map(|own| print(own.rulesheet(), *dice.pick(&[Notation::Prefix, Notation::Infix])));
    let scramble = dice.in_thousand(200).then(|| 1 + dice.below(3) as u64);
    SeatSetup { player, notation, rulesheet, scramble, ..SeatSetup::default() }
}

fn competition(dice: &mut Dice) -> TournamentSetup {
    let format = *dice.pick(&Format::ALL);
    let number = |number: usize| NonZeroU32::new(number as u32).expect("at least one");
    let mut paths = Vec::new();
    for _ in 0..1 + dice.below(3) {
        let alone = !format.needs_opponents() && dice.in_thousand(250);
        let path = *dice.pick(if alone { games::ALONE } else { games::TOGETHER });
        if !paths.contains(&path) {
            paths.push(path);
        }
    }
    let game =
        |path: &&str| TournamentGame { name: (*path).to_owned(), seats: games::rules(path).seats().len() };
    let tournament = Tournament {
        players: (0..2 + dice.below(3)).map(|player| format!("player{player}")).collect(),
        games: paths.iter().map(game).collect(),
        rounds: 1 + dice.below(2) as u32,
        seed: dice.bits() >> 11,
    };
    TournamentSetup {
        legs: number(1 + dice.below(2)),
        replays: dice.below(2) as u32,
        attempts: number(1 + dice.below(2)),
        per_player: number(1 + dice.below(3)),
        simultaneous: dice.in_thousand(500).then(|| number(1 + dice.below(4))),
        ..TournamentSetup::new(tournament, format)
    }
}
