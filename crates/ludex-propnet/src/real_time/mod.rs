//! Games in real time as circuits with clocks beside them.
//!
//! Rules seldom calculate with lifetimes: they give a fact a constant one, copy what is left of one, or compare it with
//! a constant. So they are rewritten as rules without lifetimes ([`lowering`]) and made a circuit as those of any other
//! game. The circuit says what holds, and *from where* each fact gets its next lifetime; how long that is, clocks
//! know.

mod error;
mod flow;
mod lowering;

use std::collections::BTreeSet;
use std::sync::Arc;

use ludex_game::TimedState;
use ludex_gdl::{GameProgram, Lifetime};
use ludex_logic::ground::{GroundOptions, ground};
use ludex_logic::{Budget, TermId, TermView, Terms};
use rustc_hash::FxHashMap;

use crate::passes::{Pass, PassSet, optimise};
use crate::{Circuit, CircuitFault, Propnet};
use flow::Flow;
use lowering::{Names, lower};

pub use error::TimedNetError;

/// A game in real time as a circuit, with what its bases mean.
///
/// Whoever runs it keeps the lifetimes of the facts that hold. An update sets the bases, as what is left of these says,
/// makes the moves and reads the next values of the bases of the kind [`TimedBase::Set`] and [`TimedBase::ForEver`]; all
/// other next values mean nothing. The state after an update is asked with the bases as the new lifetimes say, with what
/// expired at the update and without moves.
#[derive(Clone, Debug)]
pub struct TimedCircuit {
    /// The circuit. It has no initial state; propositions and bases are the same.
    pub circuit: Circuit,
    /// The facts that can hold in some state, in canonical order.
    pub facts: Vec<TermId>,
    /// What each base of the circuit says.
    pub bases: Vec<TimedBase>,
    /// The finite lifetimes that rules compare with, ascending: those for which there is [`TimedBase::Exactly`].
    pub compared: Vec<Lifetime>,
}

/// What a base of a [`TimedCircuit`] says. Facts are positions in [`TimedCircuit::facts`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimedBase {
    /// The fact holds with the infinite lifetime.
    ForEver(u32),
    /// The fact holds with a finite lifetime that is not among [`TimedCircuit::compared`].
    Running(u32),
    /// The fact holds with just this lifetime, one of [`TimedCircuit::compared`].
    Exactly(u32, Lifetime),
    /// The fact expired at the last update.
    Over(u32),
    /// In the next state the fact holds with these lifetimes. As a base it never holds.
    Set(u32, Clock),
    /// Two clocks have a lifetime in common.
    Same(Clock, Clock),
}

/// Lifetimes of a fact in terms of the lifetimes before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Clock {
    /// The lifetime that a term says, which may be none.
    Constant(TermId),
    /// The finite lifetimes of a fact that are not among [`TimedCircuit::compared`].
    Left(u32),
    /// Those that two clocks have in common.
    Common(Box<(Clock, Clock)>),
}

impl TimedCircuit {
    /// The circuit of a game with this initial state.
    ///
    /// # Errors
    /// [`TimedNetError`] says at which stage it failed.
    pub fn new(game: &GameProgram, initial: &TimedState, budget: &Budget) -> Result<Self, TimedNetError> {
        let flow = Flow::new(game)?;
        let lowered = lower(game, &flow);
        let grounding = ground(&lowered.program, &GroundOptions::optimised().with_budget(budget.clone()))?;
        budget.report("making the net", 0, None);
        budget.meter().check()?;
        let net = Propnet::new(&lowered, &grounding)?;
        drop(grounding);
        let mut circuit = Circuit::from_net(&net);
        drop(net);
        budget.meter().check()?;
        budget.report("shrinking the circuit", 0, None);
        // What other passes use does not hold here: that a role always moves, that moves are made in the state in
        // which they are legal, and that bases are what their next values said.
        let passes = [Pass::HashConsing, Pass::Flatten, Pass::Absorption, Pass::DeadCones];
        let passes = passes.into_iter().fold(PassSet::none(), PassSet::with);
        optimise(&mut circuit, &passes, budget)?;
        circuit.check()?;
        Self::with_meanings(circuit, initial, &flow)
    }

    fn with_meanings(circuit: Circuit, initial: &TimedState, flow: &Flow) -> Result<Self, TimedNetError> {
        let names = Names::new(&circuit.terms);
        let terms = Arc::clone(&circuit.terms);
        let said: Vec<TermId> =
            circuit.bases.iter().map(|base| circuit.propositions[base.proposition as usize]).collect();
        let reader = Reader { terms: &terms, names, places: FxHashMap::default() };
        let mut facts: BTreeSet<TermId> = initial.facts().iter().map(|&(_, fact)| fact).collect();
        facts.extend(said.iter().filter_map(|&term| reader.fact(term)));
        let mut facts: Vec<TermId> = facts.into_iter().collect();
        facts.sort_by(|&a, &b| terms.compare(a, b));
        let places = facts.iter().copied().zip(0..).collect();
        let reader = Reader { places, ..reader };
        let mut bases = Vec::with_capacity(said.len());
        for (number, &term) in (0u32..).zip(&said) {
            bases.push(reader.base(term).ok_or(CircuitFault::Source(number))?);
        }
        Ok(Self { circuit, facts, bases, compared: flow.compared.iter().copied().collect() })
    }
}

/// Reads what the facts of the lowered game say.
struct Reader<'a> {
    terms: &'a Terms,
    names: Names,
    places: FxHashMap<TermId, u32>,
}

impl Reader<'_> {
    /// The fact of the game in real time that a fact of the lowered one speaks of; none in `same`.
    fn fact(&self, term: TermId) -> Option<TermId> {
        let TermView::Compound(functor, args) = self.terms.view(term) else { return None };
        (functor != self.names.same).then(|| args.last().copied()).flatten()
    }

    fn base(&self, term: TermId) -> Option<TimedBase> {
        let TermView::Compound(functor, args) = self.terms.view(term) else { return None };
        let names = &self.names;
        if functor == names.same {
            return Some(TimedBase::Same(self.clock(*args.first()?)?, self.clock(*args.last()?)?));
        }
        let fact = *self.places.get(args.last()?)?;
        let first = *args.first()?;
        Some(if functor == names.for_ever {
            TimedBase::ForEver(fact)
        } else if functor == names.running {
            TimedBase::Running(fact)
        } else if functor == names.over {
            TimedBase::Over(fact)
        } else if functor == names.set {
            TimedBase::Set(fact, self.clock(first)?)
        } else {
            let TermView::Constant(name) = self.terms.view(first) else { return None };
            TimedBase::Exactly(fact, Lifetime::parse(self.terms.name(name)).ok()?)
        })
    }

    /// The clock of a value. Values are as deep as a rule has subgoals, or rules hand on to each other.
    fn clock(&self, term: TermId) -> Option<Clock> {
        match self.terms.view(term) {
            TermView::Compound(functor, &[fact]) if functor == self.names.left => {
                Some(Clock::Left(*self.places.get(&fact)?))
            }
            TermView::Compound(functor, &[one, other]) if functor == self.names.common => {
                Some(Clock::Common(Box::new((self.clock(one)?, self.clock(other)?))))
            }
            _ => Some(Clock::Constant(term)),
        }
    }
}
