//! One thread's current state of a game in real time, run as a circuit with clocks.

use std::cell::OnceCell;

use ludex_game::{
    Goal, RoleId, TimedAnswer, TimedError, TimedMachine, TimedRunner, TimedState, check_update,
};
use ludex_gdl::{GameTime, LifetimeError, TimeError};
use ludex_logic::{Budget, Meter, TEXT_LIMIT, TermId};

use super::super::marking::Marking;
use super::super::runner::positions;
use super::super::wiring::NONE;
use super::TimedNetMachine;
use super::plan::Source;
use super::values::{Clocks, Values, shorten};

pub(super) struct TimedNetRunner<'m, const LOOPS: bool> {
    machine: &'m TimedNetMachine,
    marking: Marking,
    meter: Meter,
    budget: Budget,
    values: Values,
    expiry: Option<GameTime>,
    /// The same as a state, where it was asked for.
    state: OnceCell<TimedState>,
    /// The bases that hold by clocks, and by what has expired.
    held: Vec<u32>,
    over: Vec<u32>,
    /// Per role a bit for each legal move, where it was asked for in this state; and the last list made, with its bits.
    legal: Vec<Vec<u64>>,
    is_legal_known: bool,
    lists: Vec<Vec<TermId>>,
    listed: Vec<Vec<u64>>,
    are_goals_known: bool,
    percepts: Vec<Option<Vec<TermId>>>,
    /// The update that made the state, if it was not set; and the one that is tried.
    last: Option<Last>,
    tried: Last,
    /// Why the runner could not take the last state: then it has none.
    no_state: Option<TimedError>,
    scratch: Scratch,
}

/// An update.
#[derive(Default)]
struct Last {
    before: Values,
    elapsed: GameTime,
    moves: Vec<(RoleId, TermId)>,
}

/// Room to work in.
#[derive(Default)]
struct Scratch {
    left: Clocks,
    next: Clocks,
    facts: Vec<u32>,
    bases: Vec<u32>,
    lifetimes: Vec<u64>,
    inputs: Vec<u32>,
    /// Has a zero for each word between updates.
    forced: Vec<u64>,
    difference: Vec<u64>,
}

impl Marking {
    /// Flips the bases that are in one of two ascending lists and not in the other.
    fn change_bases<const LOOPS: bool>(
        &mut self,
        machine: &TimedNetMachine,
        mut before: &[u32],
        mut after: &[u32],
    ) {
        let wiring = &machine.wiring;
        while let Some(&base) = before.first().into_iter().chain(after.first()).min() {
            let (was, is) = (before.first() == Some(&base), after.first() == Some(&base));
            (before, after) = (&before[usize::from(was)..], &after[usize::from(is)..]);
            if was != is {
                let (word, bit) = (base as usize / 64, 1 << (base % 64));
                self.state[word] ^= bit;
                self.bits[wiring.difference.start + word] ^= bit;
                self.flip::<LOOPS>(wiring, wiring.first_base + base as usize);
            }
        }
    }
}

impl<'m, const LOOPS: bool> TimedNetRunner<'m, LOOPS> {
    pub(super) fn new(machine: &'m TimedNetMachine, budget: &Budget) -> Self {
        let roles = machine.moves.len();
        let words: Vec<Vec<u64>> =
            machine.moves.iter().map(|moves| vec![0; moves.len().div_ceil(64)]).collect();
        let wiring = &machine.wiring;
        let scratch = Scratch {
            forced: vec![0; wiring.moving.len()],
            difference: vec![0; wiring.difference.len()],
            ..Scratch::default()
        };
        let mut runner = Self {
            marking: machine.start.clone(),
            meter: budget.meter(),
            budget: budget.clone(),
            values: machine.initial.clone(),
            expiry: machine.initial.expiry(),
            state: OnceCell::new(),
            held: Vec::new(),
            over: Vec::new(),
            legal: words.clone(),
            is_legal_known: false,
            lists: vec![Vec::new(); roles],
            listed: words,
            are_goals_known: false,
            percepts: vec![None; roles],
            last: None,
            tried: Last::default(),
            no_state: None,
            scratch,
            machine,
        };
        runner.enter();
        runner
    }

    /// Lists the bases of the current values.
    fn enter(&mut self) {
        let plan = &self.machine.plan;
        plan.over_bases(&self.values.expired, &mut self.over);
        plan.clock_bases(&self.values.clocks, &mut self.held);
        self.expiry = self.values.expiry();
        self.is_legal_known = false;
        self.are_goals_known = false;
    }

    /// Marks the bases of the current values, whatever is marked.
    fn load(&mut self) {
        let words = self.machine.plan.words(&self.values);
        self.marking.go_to(&self.machine.wiring, &words);
        self.enter();
    }

    /// Fails where there is no state.
    #[inline]
    fn has_state(&self) -> TimedAnswer<()> {
        self.no_state.as_ref().map_or(Ok(()), |error| Err(error.clone()))
    }

    /// The first half of an update: what is left, what has expired, and the moves. Afterwards the circuit tells from
    /// where facts get lifetimes.
    fn make(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) {
        let (machine, scratch) = (self.machine, &mut self.scratch);
        shorten(&self.values.clocks, elapsed, &mut scratch.left, &mut scratch.facts);
        machine.plan.over_of(scratch.facts.iter().copied(), &mut scratch.bases);
        self.marking.change_bases::<LOOPS>(machine, &self.over, &scratch.bases);
        std::mem::swap(&mut self.over, &mut scratch.bases);
        machine.plan.clock_bases(&scratch.left, &mut scratch.bases);
        self.marking.change_bases::<LOOPS>(machine, &self.held, &scratch.bases);
        std::mem::swap(&mut self.held, &mut scratch.bases);
        self.marking.settle::<LOOPS>(&machine.wiring);
        scratch.inputs.clear();
        for &(role, action) in moves {
            // They are legal, so they are in the list of all moves.
            let position = machine.position(role, action);
            let node = position.map_or(NONE, |at| machine.wiring.inputs[role.index()][at]);
            scratch.inputs.extend(Some(node).filter(|&node| node != NONE));
        }
        self.marking.make::<LOOPS>(&machine.wiring, &scratch.inputs, &mut scratch.forced);
        scratch.difference.copy_from_slice(&self.marking.bits[machine.wiring.difference.clone()]);
    }

    /// The next clocks, as the circuit tells; the term that is no lifetime, where there is one, with its fact.
    fn read_clocks(&mut self) -> Result<(), (TermId, u32)> {
        let (plan, scratch) = (&self.machine.plan, &mut self.scratch);
        scratch.next.clear();
        for (at, (&difference, &sets)) in scratch.difference.iter().zip(&plan.sets).enumerate() {
            let mut rest = difference & sets;
            while rest != 0 {
                let base = at * 64 + rest.trailing_zeros() as usize;
                rest &= rest - 1;
                let fact = plan.fact_of(base);
                match plan.source(base) {
                    Some(Source::Constant(units)) => scratch.next.push((fact, *units)),
                    Some(Source::NoLifetime(term)) => return Err((*term, fact)),
                    Some(source) => {
                        plan.read(source, &scratch.left, &mut scratch.lifetimes);
                        scratch.next.extend(scratch.lifetimes.drain(..).map(|units| (fact, units)));
                    }
                    None => {}
                }
            }
        }
        scratch.next.sort_unstable();
        scratch.next.dedup();
        Ok(())
    }

    /// What each role is told, which takes looking at what the same facts give without moves and expiry; nothing where
    /// nobody ever is. What has expired is marked again afterwards.
    fn find_percepts(&mut self) -> TimedAnswer<Option<Vec<Option<Vec<TermId>>>>> {
        let machine = self.machine;
        let wiring = &machine.wiring;
        if wiring.percepts.iter().all(|(terms, _)| terms.is_empty()) {
            return Ok(None);
        }
        let mut all = Vec::with_capacity(wiring.percepts.len());
        let bits = |marking: &Marking| -> Vec<Vec<u64>> {
            wiring.percepts.iter().map(|(_, words)| marking.bits[words.clone()].to_vec()).collect()
        };
        let with = bits(&self.marking);
        self.marking.change_bases::<LOOPS>(machine, &self.over, &[]);
        self.marking.settle::<LOOPS>(wiring);
        self.marking.make::<LOOPS>(wiring, &[], &mut self.scratch.forced);
        let without = bits(&self.marking);
        self.marking.change_bases::<LOOPS>(machine, &[], &self.over);
        for (role, (terms, _)) in wiring.percepts.iter().enumerate() {
            let told = (with[role] != without[role])
                .then(|| positions(&with[role]).map(|at| terms[at]).collect::<Vec<_>>());
            if machine.is_charged {
                let told = told.as_deref().unwrap_or_default().iter().copied();
                machine.terms().charge_text("what a role sees", told, TEXT_LIMIT)?;
            }
            all.push(told);
        }
        Ok(Some(all))
    }

    /// The second half of an update: what holds from now on.
    fn go_on(&mut self) {
        let (machine, scratch) = (self.machine, &mut self.scratch);
        let wiring = &machine.wiring;
        for (difference, &mask) in scratch.difference.iter_mut().zip(&machine.plan.for_ever_bases) {
            *difference &= mask;
        }
        self.marking.flip_bases::<LOOPS>(wiring, &scratch.difference);
        for (word, difference) in self.values.for_ever.iter_mut().zip(&scratch.difference) {
            *word ^= difference;
        }
        machine.plan.clock_bases(&scratch.next, &mut scratch.bases);
        self.marking.change_bases::<LOOPS>(machine, &self.held, &scratch.bases);
        std::mem::swap(&mut self.held, &mut scratch.bases);
        self.marking.settle::<LOOPS>(wiring);
        std::mem::swap(&mut self.values.clocks, &mut scratch.next);
        self.values.expired.clear();
        let facts = &machine.plan.facts;
        self.values.expired.extend(scratch.facts.iter().map(|&fact| facts[fact as usize]));
        self.expiry = self.values.expiry();
        self.state = OnceCell::new();
        self.is_legal_known = false;
        self.are_goals_known = false;
    }

    /// Both halves of an update. In an error the marking is left somewhere in between.
    fn advance(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        self.meter.restart();
        self.meter.check()?;
        self.make(elapsed, moves);
        if let Err((term, fact)) = self.read_clocks() {
            return Err(self.no_lifetime(term, fact));
        }
        let percepts = self.find_percepts()?;
        self.go_on();
        if self.machine.is_charged {
            let facts = self.state().facts().iter().map(|&(_, fact)| fact);
            self.machine.terms().charge_text("the state", facts, TEXT_LIMIT)?;
        }
        if let Some(percepts) = percepts {
            self.percepts = percepts;
        }
        Ok(())
    }

    /// The error for `next` with a term that is no lifetime, as the rules find it.
    fn no_lifetime(&self, term: TermId, fact: u32) -> TimedError {
        if let Err(error) = self.tried.repeat(self.machine, &self.budget).1 {
            return error;
        }
        let terms = self.machine.terms();
        TimedError::Lifetime {
            fact: terms.shown(self.machine.plan.facts[fact as usize]),
            lifetime: terms.shown(term),
            cause: LifetimeError::NoTime(TimeError::NoDecimal),
            rule: None,
        }
    }

    fn find_legal(&mut self, role: usize) -> TimedAnswer<()> {
        if !self.is_legal_known {
            for (legal, groups) in self.legal.iter_mut().zip(&self.machine.wiring.legal) {
                self.marking.find_legal(groups, legal);
            }
            self.is_legal_known = true;
        }
        if self.listed[role] != self.legal[role] {
            let moves = &self.machine.moves[role];
            self.lists[role].clear();
            self.lists[role].extend(positions(&self.legal[role]).map(|at| moves[at]));
            if self.machine.is_charged {
                self.machine.terms().charge_moves(self.lists[role].iter().copied())?;
            }
            self.listed[role].copy_from_slice(&self.legal[role]);
        }
        Ok(())
    }
}

impl Last {
    /// The update once more by the rules: the runner after it, and what came of it.
    fn repeat<'m>(
        &self,
        machine: &'m TimedNetMachine,
        budget: &Budget,
    ) -> (Box<dyn TimedRunner + 'm>, TimedAnswer<()>) {
        let mut runner = machine.rules.runner(budget);
        let before = machine.plan.state(&self.before);
        let result = runner.set(&before).and_then(|()| runner.update(self.elapsed, &self.moves));
        (runner, result)
    }
}

impl<const LOOPS: bool> TimedRunner for TimedNetRunner<'_, LOOPS> {
    fn set(&mut self, state: &TimedState) -> TimedAnswer<()> {
        self.percepts.fill(None);
        self.last = None;
        self.state = OnceCell::from(state.clone());
        match self.machine.plan.values(state, self.machine.terms()) {
            Ok(values) => {
                self.no_state = None;
                self.values = values;
                self.load();
            }
            Err(error) => self.no_state = Some(error),
        }
        self.has_state()
    }

    fn state(&self) -> &TimedState {
        self.state.get_or_init(|| self.machine.plan.state(&self.values))
    }

    fn expired(&self) -> &[TermId] {
        &self.values.expired
    }

    fn time_to_expiry(&self) -> Option<GameTime> {
        self.expiry
    }

    fn terminal(&mut self) -> TimedAnswer<bool> {
        self.has_state()?;
        Ok(self.marking.bit(self.machine.wiring.terminal))
    }

    fn legal(&mut self, role: RoleId) -> TimedAnswer<&[TermId]> {
        if role.index() >= self.lists.len() {
            return Ok(&[]);
        }
        self.has_state()?;
        self.find_legal(role.index())?;
        Ok(&self.lists[role.index()])
    }

    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>> {
        self.has_state()?;
        if !self.are_goals_known {
            self.marking.find_goals(&self.machine.wiring);
            self.are_goals_known = true;
        }
        let Some(goals) = self.machine.wiring.goals.get(role.index()) else { return Ok(None) };
        let mut held = goals.iter().filter(|&&(_, literal)| self.marking.holds(literal));
        let first = held.next();
        Ok(first.filter(|_| held.next().is_none()).map(|&(goal, _)| goal))
    }

    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        check_update(self.machine, self, elapsed, moves)?;
        let tried = &mut self.tried;
        tried.before.copy_from(&self.values);
        tried.elapsed = elapsed;
        tried.moves.clear();
        tried.moves.extend_from_slice(moves);
        if let Err(error) = self.advance(elapsed, moves) {
            self.values.copy_from(&self.tried.before);
            self.state = OnceCell::new();
            self.load();
            return Err(error);
        }
        std::mem::swap(self.last.get_or_insert_default(), &mut self.tried);
        Ok(())
    }

    fn percepts(&self, role: RoleId) -> Option<&[TermId]> {
        self.percepts.get(role.index())?.as_deref()
    }

    fn rule_of_next_expiry(&self) -> Option<String> {
        if let Some(last) = &self.last {
            return last.repeat(self.machine, &self.budget).0.rule_of_next_expiry();
        }
        let mut runner = self.machine.rules.runner(&self.budget);
        runner.set(self.state()).ok()?;
        runner.rule_of_next_expiry()
    }

    fn rule_of_move(&self, role: RoleId, action: TermId) -> Option<String> {
        let mut runner = self.machine.rules.runner(&self.budget);
        runner.set(self.state()).ok()?;
        runner.rule_of_move(role, action)
    }
}
