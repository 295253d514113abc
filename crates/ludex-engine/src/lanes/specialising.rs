//! When lanes are specialised: from the start to what each turn of a round leaves open, and along the way
//! to what can no longer change in the states they play from.
//!
//! Nothing is timed. Work is counted as it is done; when so much was done that looking for facts costs
//! little beside it, they are looked for in what all starts since the last time have in common, and when
//! programs made of them would have saved as much as making them costs, they are made. What lanes play
//! does not depend on which program plays it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use ludex_logic::{Budget, Meter};
use ludex_propnet::{Circuit, Gate, Live, RoundFacts, RoundStart, Rounds};

use super::program::{Costs, LaneProgram};
use super::rounds::RoundProgram;

/// How many steps a game has at least for what is expected of rounds: lanes that wait for their turn miss
/// a part of so many.
const SHORT_GAME: u64 = 10;

/// A longer round has to save a tenth of the work, and so has a program in the place of another.
const WORTHWHILE: (u64, u64) = (9, 10);

/// Work that looking for facts takes, for each operand at each turn, in operations on blocks.
const LOOK: u64 = 16;

/// How many times as much was done before facts are looked for.
const PATIENCE: u64 = 10;

/// Work that making a program takes, for each of its operations (scheduling, machine code and its check).
const MAKE: u64 = 500;

/// The most operations of the programs that are made while games are played: making them takes some tens
/// of milliseconds, in which nobody looks at a clock.
const MOST_OPERATIONS: u64 = 200_000;

/// What some playouts are made with.
pub(super) struct Round {
    /// Nothing where the program of the game itself plays.
    pub program: Option<Arc<RoundProgram>>,
    /// The turn of each start.
    pub turn_of: Vec<usize>,
}

/// How the games of one program go round, and what it is specialised to.
#[derive(Debug)]
pub(super) struct LaneRounds {
    rounds: Rounds,
    /// How many turns a round has; 1 where nothing is gained by rounds.
    turns: usize,
    /// What runs from any state of the game; nothing where that is the program itself.
    always: Option<Arc<RoundProgram>>,
    /// What the parts of a step cost. The same for all programs of a game, so that when goals are looked
    /// at does not depend on the program.
    pub costs: Costs,
    /// See [`LOOK`] and [`MAKE`].
    prices: Prices,
    window: Mutex<Window>,
}

/// What specialising costs.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prices {
    /// The work after which facts are looked for.
    pub patience: u64,
    /// The work of making one operation.
    pub make: u64,
}

/// What has happened since facts were looked for.
#[derive(Debug, Default)]
struct Window {
    /// What was made last.
    latest: Option<Arc<RoundProgram>>,
    /// Per turn what the starts have in common: the first, and the bases in which others differ from it.
    seen: Vec<Option<Common>>,
    steps: u64,
    work: u64,
    /// The work after which facts are looked for.
    patience: u64,
}

impl Window {
    /// Adds what happened before.
    fn take_back(&mut self, before: Window) {
        self.steps += before.steps;
        self.work += before.work;
        self.seen.resize(before.seen.len(), None);
        for (own, before) in self.seen.iter_mut().zip(before.seen) {
            if let Some(before) = before {
                let other: Vec<u64> = before.other().collect();
                Common::meet(own, &before.words);
                Common::meet(own, &other);
            }
        }
    }
}

/// What looking for a program came to.
enum Found {
    Better(Arc<RoundProgram>),
    /// There is a better one, which would have cost more than it would have saved so far.
    TooSoon,
    Nothing,
}

/// What states have in common.
#[derive(Clone, Debug)]
struct Common {
    words: Vec<u64>,
    differing: Vec<u64>,
}

impl Common {
    /// A state that differs from the first in all bases in which any does.
    fn other(&self) -> impl Iterator<Item = u64> + '_ {
        self.words.iter().zip(&self.differing).map(|(own, differ)| own ^ differ)
    }

    fn meet(place: &mut Option<Self>, words: &[u64]) {
        match place {
            Some(common) => {
                for ((differing, &own), &word) in common.differing.iter_mut().zip(&common.words).zip(words) {
                    *differing |= own ^ word;
                }
            }
            None => *place = Some(Self { words: words.to_vec(), differing: vec![0; words.len()] }),
        }
    }
}

impl LaneRounds {
    /// Finds out how many turns a round should have, by the work it saves; nothing where the rules let a
    /// state depend on moves.
    pub fn new(program: &LaneProgram, circuit: &Circuit) -> Option<Self> {
        let of_state = circuit.cone(circuit.state_outputs());
        let reads_moves = |(gate, needed): (&Gate, bool)| needed && matches!(gate, Gate::Input(..));
        if circuit.gates.iter().zip(of_state).any(reads_moves) {
            return None;
        }
        let rounds = Rounds::new(circuit);
        let found = best_round(program, circuit, &rounds);
        let mut meter = Budget::unlimited().meter();
        let always =
            found.as_ref().and_then(|facts| RoundProgram::new(program, circuit, facts, &mut meter).ok());
        let turns = always.as_ref().map_or(1, |always| always.turns.len());
        let costs = always.as_ref().map_or(program.costs, |always| Costs {
            step: always.step_cost(),
            assess: always.goals.costs.assess,
            ..program.costs
        });
        let patience = PATIENCE * LOOK * turns as u64 * circuit.operand_count() as u64;
        let window = Mutex::new(Window { patience, ..Window::default() });
        let prices = Prices { patience, make: MAKE };
        Some(Self { rounds, turns, always: always.map(Arc::new), costs, prices, window })
    }

    /// The same with other prices.
    #[cfg(test)]
    pub fn with_prices(self, prices: Prices) -> Self {
        let window = Mutex::new(Window { patience: prices.patience, ..Window::default() });
        Self { prices, window, ..self }
    }

    /// How many turns a round has.
    pub fn turns(&self) -> usize {
        self.turns
    }

    fn window(&self) -> MutexGuard<'_, Window> {
        self.window.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What to play with from these states; nothing where they are not what is known of all states of the
    /// game. Remembers what they have in common.
    pub fn round_from(&self, states: &[&[u64]]) -> Option<Round> {
        let turn_of = |program: &RoundProgram| -> Option<Vec<usize>> {
            states.iter().map(|words| program.turn_of(words)).collect()
        };
        let always = match &self.always {
            Some(program) => Some(turn_of(program)?),
            None => None,
        };
        let mut window = self.window();
        window.seen.resize(self.turns, None);
        for (number, words) in states.iter().enumerate() {
            let turn = always.as_ref().map_or(0, |turns| turns[number]);
            Common::meet(&mut window.seen[turn], words);
        }
        // Turns are told by what is known in all states of the game, so both programs tell the same.
        let latest = window.latest.as_ref().and_then(|program| Some((program, turn_of(program)?)));
        Some(match latest.or(self.always.as_ref().zip(always)) {
            Some((program, turn_of)) => Round { program: Some(Arc::clone(program)), turn_of },
            None => Round { program: None, turn_of: vec![0; states.len()] },
        })
    }

    /// Notes so many steps, with the work they took. Gives a program that takes less work, where it is
    /// worth making one: from states that fit it, lanes may go on with it at any time.
    pub fn note_work(
        &self,
        program: &LaneProgram,
        (steps, work): (u64, u64),
        budget: &Budget,
    ) -> Option<Arc<RoundProgram>> {
        let circuit = program.circuit()?;
        let taken = {
            let mut window = self.window();
            window.steps += steps;
            window.work += work;
            if window.work < window.patience {
                return None;
            }
            // Nobody waits while programs are made, and nobody else makes any.
            let latest = window.latest.clone();
            std::mem::replace(&mut *window, Window { latest, patience: u64::MAX, ..Window::default() })
        };
        let found = self.find(program, circuit, &taken, budget);
        let mut window = self.window();
        window.patience = self.prices.patience;
        match found {
            Found::Better(made) => {
                window.latest = Some(Arc::clone(&made));
                Some(made)
            }
            Found::Nothing => None,
            Found::TooSoon => {
                window.patience = taken.work.saturating_mul(2);
                window.take_back(taken);
                None
            }
        }
    }

    /// Looks for a program that takes less work than what was done in a window.
    fn find(&self, program: &LaneProgram, circuit: &Circuit, window: &Window, budget: &Budget) -> Found {
        let mut meter = budget.meter();
        let Some(facts) = self.facts(circuit, window, &mut meter) else { return Found::Nothing };
        let (mut operations, mut cost) = (0, 0);
        for live in (0..self.turns).map(|turn| facts.live(circuit, turn)) {
            operations += live.operations as u64;
            cost += step_cost(circuit, live);
        }
        let expected = cost / self.turns as u64 * window.steps;
        let gains = expected.saturating_mul(WORTHWHILE.1) < window.work.saturating_mul(WORTHWHILE.0);
        if !gains || operations > MOST_OPERATIONS {
            return Found::Nothing;
        }
        if window.work - expected < self.prices.make.saturating_mul(operations) {
            return Found::TooSoon;
        }
        let made = RoundProgram::new(program, circuit, &facts, &mut meter);
        made.map_or(Found::Nothing, |made| Found::Better(Arc::new(made)))
    }

    fn facts(&self, circuit: &Circuit, window: &Window, meter: &mut Meter) -> Option<RoundFacts> {
        let mut others = Vec::new();
        for (turn, common) in window.seen.iter().enumerate() {
            let Some(common) = common else { continue };
            others.push((turn, &common.words, common.other().collect::<Vec<u64>>()));
        }
        let starts = others.iter().flat_map(|(turn, first, other)| {
            [RoundStart { turn: *turn, words: first }, RoundStart { turn: *turn, words: other }]
        });
        let starts: Vec<RoundStart<'_>> = starts.collect();
        self.rounds.facts(circuit, self.turns, &starts, meter).ok().filter(|_| !starts.is_empty())
    }

    /// Bytes held.
    pub fn bytes(&self) -> usize {
        let latest = self.window().latest.as_ref().map_or(0, |program| program.bytes());
        latest + self.always.as_ref().map_or(0, |program| program.bytes())
    }
}

/// What holds at the turns of the round that takes least work from the initial state on; nothing where that
/// is a round of one turn.
fn best_round(program: &LaneProgram, circuit: &Circuit, rounds: &Rounds) -> Option<RoundFacts> {
    let initial = program.initial_words();
    let facts = |turns| {
        let start = RoundStart { turn: 0, words: &initial };
        rounds.facts(circuit, turns, &[start], &mut Budget::unlimited().meter()).ok()
    };
    let periods = rounds.periods(circuit);
    if periods.is_empty() {
        return None;
    }
    let mut best = cost(circuit, &facts(1)?);
    let mut found = None;
    for turns in periods {
        let Some(facts) = facts(turns).filter(|facts| facts.tells_turns(circuit)) else { continue };
        let cost = cost(circuit, &facts);
        if cost.saturating_mul(WORTHWHILE.1) < best.saturating_mul(WORTHWHILE.0) {
            best = cost;
            found = Some(facts);
        }
    }
    found
}

/// What a step costs on average, in operations on blocks, with what lanes miss that wait for their turn.
fn cost(circuit: &Circuit, facts: &RoundFacts) -> u64 {
    let turns = facts.turns() as u64;
    let costs = (0..facts.turns()).map(|turn| step_cost(circuit, facts.live(circuit, turn)));
    costs.sum::<u64>() * (2 * SHORT_GAME + turns - 1) / (2 * SHORT_GAME * turns)
}

fn step_cost(circuit: &Circuit, live: Live) -> u64 {
    Costs::of_step(live.operations as u64, live.moves as u64, circuit.bases.len() as u64)
}
