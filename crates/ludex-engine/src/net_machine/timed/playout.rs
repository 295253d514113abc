//! Random games inside the machine: moves are positions, and nothing becomes a term or a state on the way.

use ludex_game::{
    Goal, PlayoutStart, PlayoutState, Rng, RoleId, TimedAnswer, TimedMachine, TimedPlayout,
    TimedPlayoutOptions, TimedRunner, run_playout,
};
use ludex_gdl::GameTime;
use ludex_logic::TermId;

use super::super::runner::{positions, select};
use super::plan::Source;
use super::runner::TimedNetRunner;
use super::transitions::{Event, NextClock, Transition};

/// Plays a random game on. What comes of it is as [`TimedRunner::playout`] says.
pub(super) fn play<const LOOPS: bool>(
    runner: &mut TimedNetRunner<'_, LOOPS>,
    start: PlayoutStart,
    options: &TimedPlayoutOptions,
    rng: &mut Rng,
) -> TimedAnswer<TimedPlayout> {
    let machine = runner.machine;
    let mut playing = Playing { runner, known: None, is_current: true, left: Vec::new(), next: Vec::new() };
    playing.begin();
    let played = run_playout(machine, &mut playing, start, options, rng);
    playing.finish();
    played
}

/// The state of a random game: the runner's, or a known one with clocks of its own.
struct Playing<'r, 'm, const LOOPS: bool> {
    runner: &'r mut TimedNetRunner<'m, LOOPS>,
    /// The place of the state in the table of those that are known.
    known: Option<u32>,
    /// Whether the runner has the state; where it is not known, it does.
    is_current: bool,
    /// By clock of the known state, what was left at the last update.
    left: Vec<u64>,
    /// Room for the same after the next update.
    next: Vec<u64>,
}

impl<const LOOPS: bool> Playing<'_, '_, LOOPS> {
    fn begin(&mut self) {
        if self.runner.machine.packing.is_some() {
            self.recognise();
        }
    }

    /// Looks up the runner's state, and learns it where it is new.
    fn recognise(&mut self) {
        let runner = &mut *self.runner;
        self.known = runner.table.place(&runner.values);
        if self.known.is_none() && runner.table.is_learning() {
            runner.mark();
            runner.find_legal_bits();
            let legal = runner.legal.iter().map(|bits| positions(bits).map(|at| at as u32).collect());
            let legal = legal.collect();
            let terminal = runner.marking.bit(runner.machine.wiring.terminal);
            self.known = runner.table.add(&runner.values, terminal, legal);
        }
        self.left.clear();
        self.left.extend(runner.values.clocks.iter().map(|&(_, units)| units));
    }

    /// Gives the runner the state.
    fn hand_over(&mut self) {
        let Some(known) = self.known.filter(|_| !self.is_current) else { return };
        let runner = &mut *self.runner;
        let state = &runner.table.states[known as usize];
        let values = &mut runner.values;
        values.for_ever.copy_from_slice(&state.for_ever);
        values.clocks.clear();
        values.clocks.extend(state.clocks.iter().copied().zip(self.left.iter().copied()));
        values.expired.clear();
        values.expired.extend_from_slice(&state.expired);
        runner.is_marked = false;
        runner.turn();
        self.is_current = true;
    }

    fn finish(&mut self) {
        self.hand_over();
        self.runner.forget_update();
    }

    fn event(&self, state: u32, elapsed: GameTime, moves: &[(RoleId, u32)]) -> Event {
        let mut expired = 0;
        for (number, &units) in self.left.iter().enumerate() {
            expired |= u64::from(units <= elapsed.units()) << number;
        }
        let packing = self.runner.machine.packing.as_ref();
        let share = |&(role, position): &(RoleId, u32)| {
            packing.map_or(0, |packing| packing.pack(role.index(), position))
        };
        // The shares have no bits in common.
        Event { state, expired, moves: moves.iter().map(share).fold(0, |all, share| all | share) }
    }

    /// Goes on to the state that is known to follow; whether one is.
    #[inline]
    fn follow(&mut self, event: Event, elapsed: GameTime) -> bool {
        let Some(Transition { to, clocks }) = self.runner.table.find(event) else { return false };
        self.next.clear();
        self.next.extend(clocks.iter().map(|clock| match *clock {
            NextClock::Constant(units) => units,
            NextClock::Left(number) => self.left[number as usize] - elapsed.units(),
        }));
        std::mem::swap(&mut self.left, &mut self.next);
        self.known = Some(*to);
        self.is_current = false;
        true
    }

    /// Makes an update by the circuit, and learns it where it begins in a known state.
    fn step(&mut self, event: Option<Event>, elapsed: GameTime, moves: &[(RoleId, u32)]) -> TimedAnswer<()> {
        self.hand_over();
        let runner = &mut *self.runner;
        runner.mark();
        runner.make(elapsed, moves);
        if let Err((term, fact)) = runner.read_next() {
            let error = runner.no_lifetime(elapsed, &runner.terms_of(moves), term, fact);
            runner.load();
            return Err(error);
        }
        let clocks = event.filter(|_| runner.table.is_learning()).and_then(|event| {
            let clocks = runner.next_clocks(&runner.table.states[event.state as usize].clocks)?;
            Some((event, clocks))
        });
        runner.go_on();
        self.known = None;
        if let Some((event, clocks)) = clocks {
            self.recognise();
            if let Some(to) = self.known {
                self.runner.table.learn(event, Transition { to, clocks });
            }
        }
        Ok(())
    }
}

impl<const LOOPS: bool> TimedNetRunner<'_, LOOPS> {
    /// From where the clocks come that [`TimedNetRunner::read_next`] has read, by the clocks before; `None` where that is
    /// different for other lengths of these, or a fact has two lifetimes.
    fn next_clocks(&self, before: &[u32]) -> Option<Box<[NextClock]>> {
        let plan = &self.machine.plan;
        let mut clocks: Vec<(u32, NextClock)> = Vec::with_capacity(self.scratch.next.len());
        let bits = &self.marking.bits[self.machine.wiring.difference.clone()];
        for (at, (&difference, &sets)) in bits.iter().zip(&plan.sets).enumerate() {
            for base in positions(&[difference & sets]).map(|bit| at * 64 + bit) {
                let clock = match plan.source(base)? {
                    Source::Constant(units) => NextClock::Constant(*units),
                    Source::Left(fact) => {
                        // What has expired leaves nothing.
                        if self.scratch.facts.binary_search(fact).is_ok() {
                            continue;
                        }
                        match before.binary_search(fact) {
                            Ok(number) => NextClock::Left(number as u32),
                            Err(_) => continue,
                        }
                    }
                    Source::NoLifetime(_) | Source::Common(_) => return None,
                };
                clocks.push((plan.fact_of(base), clock));
            }
        }
        clocks.sort_by_key(|&(fact, _)| fact);
        clocks.dedup();
        let same = self.scratch.next.iter().map(|&(fact, _)| fact).eq(clocks.iter().map(|&(fact, _)| fact));
        same.then(|| clocks.into_iter().map(|(_, clock)| clock).collect())
    }

    /// Moves by their terms.
    fn terms_of(&self, moves: &[(RoleId, u32)]) -> Vec<(RoleId, TermId)> {
        moves.iter().map(|&(role, at)| (role, self.machine.moves[role.index()][at as usize])).collect()
    }
}

impl<const LOOPS: bool> PlayoutState for Playing<'_, '_, LOOPS> {
    type Move = u32;

    #[inline]
    fn is_terminal(&mut self) -> TimedAnswer<bool> {
        match self.known {
            Some(known) => Ok(self.runner.table.states[known as usize].terminal),
            None => self.runner.terminal(),
        }
    }

    #[inline]
    fn time_to_expiry(&self) -> Option<GameTime> {
        match self.known {
            Some(_) => self.left.iter().copied().min().and_then(GameTime::from_units),
            None => self.runner.time_to_expiry(),
        }
    }

    #[inline]
    fn move_count(&mut self, role: RoleId) -> TimedAnswer<usize> {
        if let Some(known) = self.known {
            return Ok(self.runner.table.states[known as usize].legal[role.index()].len());
        }
        self.runner.find_legal_bits();
        Ok(self.runner.legal[role.index()].iter().map(|word| word.count_ones() as usize).sum())
    }

    #[inline]
    fn move_at(&mut self, role: RoleId, number: usize) -> TimedAnswer<Option<u32>> {
        if let Some(known) = self.known {
            return Ok(self.runner.table.states[known as usize].legal[role.index()].get(number).copied());
        }
        self.runner.find_legal_bits();
        Ok(select(&self.runner.legal[role.index()], number as u32).map(|at| at as u32))
    }

    fn find_move(&self, role: RoleId, action: TermId) -> Option<u32> {
        self.runner.machine.position(role, action).map(|at| at as u32)
    }

    fn is_legal(&mut self, role: RoleId, action: u32) -> TimedAnswer<bool> {
        if let Some(known) = self.known {
            let legal = &self.runner.table.states[known as usize].legal[role.index()];
            return Ok(legal.binary_search(&action).is_ok());
        }
        self.runner.find_legal_bits();
        Ok(self.runner.legal[role.index()][action as usize / 64] >> (action % 64) & 1 == 1)
    }

    fn longest_delay(&self, _: RoleId, action: u32) -> Option<GameTime> {
        self.runner.machine.delays.get(action as usize).copied().flatten()
    }

    #[inline]
    fn update(&mut self, elapsed: GameTime, moves: &[(RoleId, u32)]) -> TimedAnswer<()> {
        self.runner.look_at_limits()?;
        let Some(known) = self.known else { return self.step(None, elapsed, moves) };
        let event = self.event(known, elapsed, moves);
        if self.follow(event, elapsed) { Ok(()) } else { self.step(Some(event), elapsed, moves) }
    }

    fn goal(&mut self, role: RoleId) -> TimedAnswer<Option<Goal>> {
        let Some(known) = self.known else { return self.runner.goal(role) };
        if let Some(goals) = &self.runner.table.states[known as usize].goals {
            return Ok(goals[role.index()]);
        }
        self.hand_over();
        let roles = (0..self.runner.machine.roles().len() as u32).map(RoleId);
        let goals = roles.map(|role| self.runner.goal(role)).collect::<TimedAnswer<Box<[_]>>>()?;
        let goal = goals[role.index()];
        self.runner.table.states[known as usize].goals = Some(goals);
        Ok(goal)
    }
}
