//! One thread's current state of a game in real time, run as a circuit with clocks.

use std::cell::OnceCell;

use ludex_game::{
    Goal, PlayoutStart, Rng, RoleId, TimedAnswer, TimedError, TimedMachine, TimedPlayout,
    TimedPlayoutOptions, TimedRunner, TimedState, check_update, timed_playout,
};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, Meter, TermId};

use super::super::marking::Marking;
use super::super::runner::positions;
use super::TimedNetMachine;
use super::playout::play;
use super::transitions::TransitionTable;
use super::values::{Clocks, Values};

pub(super) struct TimedNetRunner<'m, const LOOPS: bool> {
    pub(super) machine: &'m TimedNetMachine,
    pub(super) marking: Marking,
    pub(super) meter: Meter,
    pub(super) budget: Budget,
    /// How many updates were made.
    pub(super) updates: u32,
    pub(super) values: Values,
    /// Whether the values are marked. What is asked of the circuit marks them.
    pub(super) is_marked: bool,
    pub(super) expiry: Option<GameTime>,
    /// The same as a state, where it was asked for.
    pub(super) state: OnceCell<TimedState>,
    /// The bases that hold by clocks, and by what has expired; ascending.
    pub(super) held: Vec<u32>,
    pub(super) over: Vec<u32>,
    /// Per role a bit for each legal move, where it was asked for in this state; and the last list made, with its bits.
    pub(super) legal: Vec<Vec<u64>>,
    is_legal_known: bool,
    lists: Vec<Vec<TermId>>,
    listed: Vec<Vec<u64>>,
    are_goals_known: bool,
    pub(super) percepts: Vec<Option<Vec<TermId>>>,
    /// The update that made the state, where it was not set.
    pub(super) last: Last,
    pub(super) is_made: bool,
    /// The state last set, and its values.
    anchor: (TimedState, Values),
    /// What random games have learned.
    pub(super) table: TransitionTable,
    /// Why the runner could not take the last state: then it has none.
    no_state: Option<TimedError>,
    pub(super) scratch: Scratch,
}

/// An update.
#[derive(Default)]
pub(super) struct Last {
    pub before: Values,
    pub elapsed: GameTime,
    pub moves: Vec<(RoleId, TermId)>,
}

/// Room to work in.
#[derive(Default)]
pub(super) struct Scratch {
    pub left: Clocks,
    pub next: Clocks,
    pub facts: Vec<u32>,
    pub bases: Vec<u32>,
    pub lifetimes: Vec<u64>,
    pub inputs: Vec<u32>,
    /// The bases that hold.
    pub words: Vec<u64>,
    /// The bases of facts that begin or cease to hold for ever.
    pub changed: Vec<u64>,
}

impl<'m, const LOOPS: bool> TimedNetRunner<'m, LOOPS> {
    pub(super) fn new(machine: &'m TimedNetMachine, budget: &Budget) -> Self {
        let roles = machine.moves.len();
        let words: Vec<Vec<u64>> =
            machine.moves.iter().map(|moves| vec![0; moves.len().div_ceil(64)]).collect();
        let wiring = &machine.wiring;
        let mut runner = Self {
            marking: machine.start.clone(),
            meter: budget.meter(),
            budget: budget.clone(),
            updates: 0,
            values: machine.initial.clone(),
            is_marked: false,
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
            last: Last { before: machine.initial.clone(), ..Last::default() },
            is_made: false,
            anchor: (machine.initial().clone(), machine.initial.clone()),
            table: machine.tables.take(),
            no_state: None,
            scratch: Scratch { changed: vec![0; wiring.difference.len()], ..Scratch::default() },
            machine,
        };
        runner.load();
        runner
    }

    /// Forgets what was found out about another state.
    pub(super) fn turn(&mut self) {
        self.expiry = self.values.expiry();
        self.state.take();
        self.is_legal_known = false;
        self.are_goals_known = false;
    }

    /// Marks the bases of the current values, whatever is marked.
    pub(super) fn load(&mut self) {
        let (plan, words) = (&self.machine.plan, &mut self.scratch.words);
        plan.over_bases(&self.values.expired, &mut self.over);
        plan.clock_bases(&self.values.clocks, &mut self.held);
        plan.words(&self.values.for_ever, &self.held, &self.over, words);
        self.marking.go_to(&self.machine.wiring, words);
        self.is_marked = true;
        self.turn();
    }

    /// Marks the bases of the current values, where they are not.
    #[inline]
    pub(super) fn mark(&mut self) {
        if !self.is_marked {
            self.load();
        }
    }

    /// Forgets the update that made the state, as if it had been set.
    pub(super) fn forget_update(&mut self) {
        if self.machine.has_percepts {
            self.percepts.fill(None);
        }
        self.is_made = false;
    }

    /// Fails where there is no state.
    #[inline]
    fn has_state(&self) -> TimedAnswer<()> {
        self.no_state.as_ref().map_or(Ok(()), |error| Err(error.clone()))
    }

    fn take(&mut self, state: &TimedState) -> TimedAnswer<()> {
        if self.anchor.0 != *state {
            let values = self.machine.plan.values(state, self.machine.terms())?;
            self.anchor = (state.clone(), values);
        }
        self.values.copy_from(&self.anchor.1);
        self.is_marked = false;
        self.turn();
        Ok(())
    }

    /// Brings the bits of legal moves up to date.
    #[inline]
    pub(super) fn find_legal_bits(&mut self) {
        self.mark();
        if !self.is_legal_known {
            for (legal, groups) in self.legal.iter_mut().zip(&self.machine.wiring.legal) {
                self.marking.find_legal(groups, legal);
            }
            self.is_legal_known = true;
        }
    }

    #[inline]
    fn find_legal(&mut self, role: usize) -> TimedAnswer<()> {
        self.find_legal_bits();
        if !self.listed[role].iter().eq(&self.legal[role]) {
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
        by_rules(machine, budget, &self.before, self.elapsed, &self.moves)
    }
}

/// An update by the rules: the runner after it, and what came of it.
pub(super) fn by_rules<'m>(
    machine: &'m TimedNetMachine,
    budget: &Budget,
    before: &Values,
    elapsed: GameTime,
    moves: &[(RoleId, TermId)],
) -> (Box<dyn TimedRunner + 'm>, TimedAnswer<()>) {
    let mut runner = machine.rules.runner(budget);
    let before = machine.plan.state(before);
    let result = runner.set(&before).and_then(|()| runner.update(elapsed, moves));
    (runner, result)
}

impl<const LOOPS: bool> TimedRunner for TimedNetRunner<'_, LOOPS> {
    fn set(&mut self, state: &TimedState) -> TimedAnswer<()> {
        self.forget_update();
        self.no_state = self.take(state).err();
        if self.no_state.is_some() {
            self.state = OnceCell::from(state.clone());
        }
        self.has_state()
    }

    fn state(&self) -> &TimedState {
        self.state.get_or_init(|| self.machine.plan.state(&self.values))
    }

    fn expired(&self) -> &[TermId] {
        &self.values.expired
    }

    #[inline]
    fn time_to_expiry(&self) -> Option<GameTime> {
        self.expiry
    }

    #[inline]
    fn terminal(&mut self) -> TimedAnswer<bool> {
        self.has_state()?;
        self.mark();
        Ok(self.marking.bit(self.machine.wiring.terminal))
    }

    #[inline]
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
        self.mark();
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
        self.advance(elapsed, moves)
    }

    fn percepts(&self, role: RoleId) -> Option<&[TermId]> {
        self.percepts.get(role.index())?.as_deref()
    }

    fn playout(
        &mut self,
        start: PlayoutStart,
        options: &TimedPlayoutOptions,
        rng: &mut Rng,
    ) -> TimedAnswer<TimedPlayout> {
        self.has_state()?;
        // Only states and moves say how long they are as text.
        if self.machine.is_charged {
            let played = timed_playout(self.machine, self, start, options, rng, |_, _| {});
            self.forget_update();
            return played;
        }
        play(self, start, options, rng)
    }

    fn rule_of_next_expiry(&self) -> Option<String> {
        if self.is_made {
            return self.last.repeat(self.machine, &self.budget).0.rule_of_next_expiry();
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

impl<const LOOPS: bool> Drop for TimedNetRunner<'_, LOOPS> {
    fn drop(&mut self) {
        self.machine.tables.put(std::mem::take(&mut self.table));
    }
}
