//! Games made of games (book chapter 11): which parts of a game are independent of each other, and how
//! each is played on its own.
//!
//! 1. `net` writes the circuit anew without what is known, here from the initial state or from any state
//!    on: permanent facts are evaluated away, so that a game that falls apart only later is taken apart
//!    then (11.5, where the book knows no technique).
//! 2. `effects` says what each move does, base by base. Moves that do the same in a part are one class
//!    there (11.4).
//! 3. `partition` starts with bases that depend on each other and joins them until moves can be chosen
//!    freely: each move is something in one part only, or all combinations of classes are there (the
//!    lossless join). What runs on by itself, such as step counters and turns, is the *clock*; it
//!    belongs to every factor.
//!    Where they cannot, but the clock goes round in a few turns that tell moves apart, `turns` has them
//!    looked at turn by turn.
//! 4. `game` makes a circuit of a factor alone, `plan` solves games of one player factor by factor and
//!    puts the plans together (11.3).

#[cfg(test)]
mod corpus_tests;
mod effects;
mod game;
mod net;
mod partition;
mod plan;
#[cfg(test)]
mod random_tests;
#[cfg(test)]
mod tests;
mod turns;

use std::sync::Arc;

use ludex_game::{Goal, RoleId, Rules};
use ludex_logic::{Budget, Meter, TermId};
use ludex_propnet::{Circuit, Edge, Lasting};

pub use game::FactorGame;
pub use plan::{Evidence, FactorPlan, FactorSolution, Standing};

use crate::finding::Reason;
use crate::latches::Latches;
use crate::{Faithful, Subject};
use effects::{Effects, effects};
use net::Net;
use partition::{Class, Divider, Partition, Phase};
use turns::turns;

/// Moves of one role that are used in the same way in a factor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ActionClass {
    /// The moves, in canonical order.
    pub moves: Vec<TermId>,
    /// Whether they do nothing in the factor.
    pub idle: bool,
}

/// A game within the game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Factor {
    /// The propositions that belong to it alone.
    pub propositions: Vec<TermId>,
    /// Per role its moves, as classes.
    pub actions: Vec<Vec<ActionClass>>,
    /// Whether the end of the game depends on it.
    pub ends: bool,
    /// The goal values that depend on it.
    pub goals: Vec<(RoleId, Goal)>,
}

impl Factor {
    /// Whether it has to do with the end of the game or with goals; else it can be left alone (11.2).
    pub fn is_relevant(&self) -> bool {
        self.ends || !self.goals.is_empty()
    }
}

/// How moves are shared by the factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joining {
    /// Each move that is chosen is made in one factor at most (11.2, 11.3). A move that has to be made, as
    /// there is no other, may be something in several.
    Single,
    /// Moves are made in several factors at once, in all combinations (11.4).
    Joint,
}

/// What the end of the game asks of the factors (11.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Termination {
    /// Nothing: it comes with the clock, or never.
    Clock,
    /// It depends on one factor alone.
    Single,
    /// It comes as soon as one of several factors is over.
    Disjunctive,
    /// It comes when all of several factors are over.
    Conjunctive,
    /// Something else.
    Mixed,
}

impl Termination {
    /// One word for people and programs.
    pub fn word(self) -> &'static str {
        match self {
            Termination::Clock => "clock",
            Termination::Single => "single",
            Termination::Disjunctive => "disjunctive",
            Termination::Conjunctive => "conjunctive",
            Termination::Mixed => "mixed",
        }
    }
}

/// A game taken apart.
///
/// ```
/// use ludex_analysis::Subject;
/// use ludex_analysis::factoring::Factors;
///
/// // The rules are those of hodgepodge.
/// # let rules = ludex_testkit::playable_bundled("hodgepodge")?;
/// let factors = Factors::find(&Subject::new(&rules), &Default::default())?;
/// assert!(factors.is_compound());
/// assert_eq!(factors.relevant().count(), 2, "tic-tac-toe and nim");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Factors {
    rules: Rules,
    faithful: Arc<Faithful>,
    /// The state it was taken apart in, per base.
    state: Vec<bool>,
    net: Net,
    partition: Partition,
    /// Per factor its bases.
    bases: Vec<Vec<u32>>,
    factors: Vec<Factor>,
    clock: Vec<u32>,
    joining: Joining,
    termination: Termination,
}

impl Factors {
    /// Takes a game apart as it is from the initial state on.
    ///
    /// # Errors
    /// Where there is no net, it is too large, or the budget is spent.
    pub fn find(subject: &Subject, budget: &Budget) -> Result<Self, Reason> {
        let faithful = subject.faithful(budget)?;
        let circuit = &faithful.circuit;
        let state: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        let mut meter = budget.meter();
        let lasts =
            Lasting::new(circuit).from(circuit, |base| Some(state[base as usize]), |_| false, &mut meter)?;
        Self::divide(subject.rules(), &faithful, state, &lasts, budget)
    }

    /// Takes a game apart as it is from a state on: what latches and what they inhibit is left out, so
    /// that parts that were tied together by it come apart (11.5). `state` is per base of the net of the
    /// latches; see [`Latches::bits`].
    ///
    /// # Errors
    /// As [`Factors::find`].
    pub fn find_in(latches: &Latches, state: &[bool], budget: &Budget) -> Result<Self, Reason> {
        let forecast = latches.forecast(state, &mut budget.meter())?;
        Self::divide(latches.rules(), latches.faithful(), state.to_vec(), forecast.gates(), budget)
    }

    fn divide(
        rules: &Rules,
        faithful: &Arc<Faithful>,
        state: Vec<bool>,
        lasts: &[Option<bool>],
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let mut meter = budget.meter();
        let circuit = &faithful.circuit;
        let mut net = Net::new(circuit, lasts, &mut meter)?;
        let partition = partition(&mut net, circuit, &state, &mut meter)?;
        let single = partition.phases.iter().all(Phase::is_single_choice);
        let mut factors = Self {
            rules: rules.clone(),
            faithful: Arc::clone(faithful),
            state,
            bases: Vec::new(),
            factors: Vec::new(),
            clock: Vec::new(),
            joining: if single { Joining::Single } else { Joining::Joint },
            termination: Termination::Clock,
            net,
            partition,
        };
        factors.name_all();
        factors.termination = factors.find_termination();
        Ok(factors)
    }

    /// The factors, in the order of their first propositions.
    pub fn factors(&self) -> &[Factor] {
        &self.factors
    }

    /// The factors that matter.
    pub fn relevant(&self) -> impl Iterator<Item = &Factor> {
        self.factors.iter().filter(|factor| factor.is_relevant())
    }

    /// Whether there is more than one factor: several that matter, or one that does not.
    pub fn is_compound(&self) -> bool {
        self.factors.len() > 1
    }

    /// What runs on by itself whatever is done, and belongs to all factors.
    pub fn clock(&self) -> Vec<TermId> {
        self.clock.iter().map(|&base| self.faithful.base_term(base)).collect()
    }

    /// How moves are shared by the factors.
    pub fn joining(&self) -> Joining {
        self.joining
    }

    /// Whether some move is something in several factors at once, chosen or not.
    pub fn has_common_moves(&self) -> bool {
        self.partition.phases.iter().any(|phase| !phase.single)
    }

    /// What the end of the game asks of the factors.
    pub fn termination(&self) -> Termination {
        self.termination
    }

    /// The rules of the whole game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    fn name_all(&mut self) {
        let mut places: rustc_hash::FxHashMap<u32, usize> = rustc_hash::FxHashMap::default();
        for (base, next) in (0u32..).zip(&self.net.next) {
            if next.is_none() {
                continue;
            }
            if self.partition.clock[base as usize] {
                self.clock.push(base);
                continue;
            }
            let place = *places.entry(self.partition.parts.root(base)).or_insert(self.bases.len());
            if place == self.bases.len() {
                self.bases.push(Vec::new());
            }
            self.bases[place].push(base);
        }
        for place in 0..self.bases.len() {
            let factor = self.name(place);
            self.factors.push(factor);
        }
    }

    fn name(&self, place: usize) -> Factor {
        let bases = &self.bases[place];
        let depends = |edge: Edge| self.net.support(edge).any(|base| bases.binary_search(&base).is_ok());
        let goals = (0u32..).zip(&self.net.goals).flat_map(|(role, list)| {
            list.iter().filter(|(_, edge)| depends(*edge)).map(move |(value, _)| (RoleId(role), *value))
        });
        Factor {
            propositions: bases.iter().map(|&base| self.faithful.base_term(base)).collect(),
            actions: self.actions(self.partition.parts.root(bases[0])),
            ends: depends(self.net.terminal),
            goals: goals.collect(),
        }
    }

    /// Per role the classes of a part.
    fn actions(&self, part: u32) -> Vec<Vec<ActionClass>> {
        let empty = Class::default();
        let circuit = &self.faithful.circuit;
        let mut actions = vec![Vec::new(); circuit.moves.len()];
        for phase in &self.partition.phases {
            let mut places: rustc_hash::FxHashMap<&Class, usize> = rustc_hash::FxHashMap::default();
            for taken in &phase.moves {
                let class = taken.classes.get(&part).unwrap_or(&empty);
                let list: &mut Vec<ActionClass> = &mut actions[taken.role as usize];
                let place = *places.entry(class).or_insert(list.len());
                if place == list.len() {
                    list.push(ActionClass { moves: Vec::new(), idle: class.0.is_empty() });
                }
                list[place].moves.push(circuit.moves[taken.role as usize][taken.number as usize]);
            }
        }
        actions
    }

    /// The factors that an edge depends on, by position.
    fn factors_of(&self, edge: Edge) -> Vec<usize> {
        let mut found: Vec<usize> = self
            .net
            .support(edge)
            .filter(|&base| !self.partition.clock[base as usize])
            .filter_map(|base| self.bases.iter().position(|bases| bases.binary_search(&base).is_ok()))
            .collect();
        found.sort_unstable();
        found.dedup();
        found
    }

    fn find_termination(&self) -> Termination {
        let terminal = self.net.without_clock(self.net.terminal, &self.partition.clock);
        match self.factors_of(terminal).len() {
            0 => return Termination::Clock,
            1 => return Termination::Single,
            _ => {}
        }
        let operands = self.net.operands(terminal.gate());
        if operands.iter().any(|&operand| self.factors_of(operand).len() > 1) {
            return Termination::Mixed;
        }
        if terminal.is_complemented() { Termination::Disjunctive } else { Termination::Conjunctive }
    }
}

/// The bases taken apart, turn by turn where they do not come apart otherwise.
fn partition(
    net: &mut Net,
    circuit: &Circuit,
    state: &[bool],
    meter: &mut Meter,
) -> Result<Partition, Reason> {
    let at_any_time = [effects(net, &[], meter)?];
    let whole = Divider { net, effects: &at_any_time, circuit, meter }.divide()?;
    if whole.is_compound(net) {
        return Ok(whole);
    }
    let turns = turns(net, state, meter)?;
    if turns.is_empty() {
        return Ok(whole);
    }
    let by_turn: Result<Vec<Effects>, _> = turns.iter().map(|turn| effects(net, turn, meter)).collect();
    net.find_support(meter)?;
    Divider { net, effects: &by_turn?, circuit, meter }.divide()
}
