//! The net machine in real time: a circuit, and clocks beside it.
//!
//! The circuit is one of rules without lifetimes ([`TimedCircuit`]). An update has two parts. First the bases say what is
//! left of the state and what has expired, the moves are made, and the circuit tells from where facts get their next
//! lifetimes. Then the bases say what holds from then on, and the circuit tells what is legal, and whether the game is
//! over. Both times only the bases that change are flipped, so that an update costs what it changes, and a short list of
//! the lifetimes that end.

mod learned;
mod plan;
mod playout;
mod runner;
mod transitions;
mod update;
mod values;

use std::fmt;
use std::sync::Arc;

use ludex_game::{
    RoleId, TimedMachine, TimedRuleMachine, TimedRuleMachineOptions, TimedRunner, TimedState, longest_delay,
};
use ludex_gdl::{GameProgram, GameTime, Notation};
use ludex_logic::{Budget, TermId, Terms};
use ludex_propnet::{TimedCircuit, TimedNetError};
use rustc_hash::FxHashMap;

use super::build;
use super::charged;
use super::marking::Marking;
use super::wiring::Wiring;
use learned::Learned;
use plan::Plan;
use runner::TimedNetRunner;
use transitions::Packing;
use values::Values;

/// A game in real time as a circuit with clocks, ready to run: the same answers as those of [`TimedRuleMachine`], and
/// many times as fast.
///
/// ```
/// use ludex_engine::TimedNetMachine;
/// use ludex_game::{RoleId, TimedMachine};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). legal(you, defuse) ⇐ true(T, bomb). next(infinity, safe) ⇐ does(you, defuse).
///     terminal ⇐ expired(bomb). terminal ⇐ true(T, safe). goal(you, 100) ⇐ true(T, safe). goal(you, 0) ⇐ expired(bomb).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedNetMachine::new(&game, &Default::default())?;
/// let mut runner = machine.runner(&Default::default());
/// runner.update(GameTime::parse("2.5")?, &[])?;
/// assert_eq!((runner.terminal()?, runner.goal(RoleId(0))?), (true, Some(0)));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct TimedNetMachine {
    /// Knows the initial state, and finds the rules behind what messages tell.
    rules: TimedRuleMachine,
    wiring: Wiring,
    plan: Plan,
    /// The marking of the initial state, and its values.
    start: Marking,
    initial: Values,
    /// Per role, in canonical order.
    moves: Vec<Vec<TermId>>,
    positions: Vec<FxHashMap<TermId, u32>>,
    /// By move of `random`, the longest time by which it is delayed.
    delays: Vec<Option<GameTime>>,
    /// How moves become numbers, where updates are learned.
    packing: Option<Packing>,
    /// What the runners of the past have learned.
    tables: Learned,
    /// Whether anybody may ever be told anything.
    has_percepts: bool,
    /// Whether a state, or the legal moves or percepts of a role, can be too long to be written.
    is_charged: bool,
}

impl fmt::Debug for TimedNetMachine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimedNetMachine").field("bytes", &self.bytes()).finish_non_exhaustive()
    }
}

impl TimedNetMachine {
    /// Prepares a game to run.
    ///
    /// # Errors
    /// [`TimedNetError`]: for one thing, where what is left of a lifetime becomes part of a term, as in a chess clock.
    /// The rule machine may be able to run the game nevertheless.
    pub fn new(game: &GameProgram, options: &TimedRuleMachineOptions) -> Result<Self, TimedNetError> {
        let rules = TimedRuleMachine::new(game, options)?;
        let TimedCircuit { circuit, facts, bases, compared } =
            TimedCircuit::new(game, rules.initial(), &options.budget)?;
        let is_charged = charged::can_be_too_long(&circuit)?;
        let (wiring, mut start) = build::build(&circuit);
        let plan = Plan::new(&circuit.terms, facts, &bases, compared, rules.initial());
        let initial = plan.values(rules.initial(), &circuit.terms)?;
        let (mut held, mut over) = (Vec::new(), Vec::new());
        plan.clock_bases(&initial.clocks, &mut held);
        plan.over_bases(&initial.expired, &mut over);
        let mut words = Vec::new();
        plan.words(&initial.for_ever, &held, &over, &mut words);
        start.go_to(&wiring, &words);
        let moves = circuit.moves;
        let positions = moves.iter().map(|moves| moves.iter().copied().zip(0..).collect()).collect();
        let random = rules.random().map_or(&[][..], |random| &moves[random.index()]);
        let delays = random.iter().map(|&action| longest_delay(&rules, action)).collect();
        // Where the circuit reads lifetimes, what comes of an update depends on them.
        let packing = Packing::new(moves.iter().map(Vec::len)).filter(|_| !plan.tells_lifetimes());
        let has_percepts = wiring.percepts.iter().any(|(terms, _)| !terms.is_empty());
        let machine = Self {
            rules,
            wiring,
            plan,
            start,
            initial,
            moves,
            positions,
            delays,
            packing,
            tables: Learned::default(),
            has_percepts,
            is_charged,
        };
        let held = machine.bytes();
        options.budget.meter().check_memory(held, || "the net machine".to_owned())?;
        Ok(machine)
    }

    /// Bytes held, without the terms of the game and its rules.
    pub fn bytes(&self) -> usize {
        let moves: usize = self.moves.iter().map(Vec::len).sum();
        self.wiring.bytes() + self.start.bytes() + self.plan.bytes() + 20 * moves
    }

    /// Where a move stands among all moves of its role.
    fn position(&self, role: RoleId, action: TermId) -> Option<usize> {
        self.positions.get(role.index())?.get(&action).map(|&position| position as usize)
    }
}

impl TimedMachine for TimedNetMachine {
    fn terms(&self) -> &Arc<Terms> {
        self.rules.terms()
    }

    fn notation(&self) -> Notation {
        self.rules.notation()
    }

    fn roles(&self) -> &[TermId] {
        self.rules.roles()
    }

    fn random(&self) -> Option<RoleId> {
        self.rules.random()
    }

    fn initial(&self) -> &TimedState {
        self.rules.initial()
    }

    fn runner(&self, budget: &Budget) -> Box<dyn TimedRunner + '_> {
        if self.wiring.recursions.is_empty() {
            Box::new(TimedNetRunner::<false>::new(self, budget))
        } else {
            Box::new(TimedNetRunner::<true>::new(self, budget))
        }
    }
}
