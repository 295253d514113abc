//! Updates: what is left and what happens, then what holds from then on.

use ludex_game::{RoleId, TimedAnswer, TimedError, TimedMachine, TimedRunner};
use ludex_gdl::{GameTime, LifetimeError, TimeError};
use ludex_logic::{TEXT_LIMIT, TermId};
use smallvec::SmallVec;

use super::super::marking::Marking;
use super::super::runner::positions;
use super::super::wiring::{NONE, Wiring};
use super::plan::Source;
use super::runner::{TimedNetRunner, by_rules};
use super::values::shorten;

/// Updates between two looks at the limits.
const LOOK: u32 = 32;

/// Per role, what it is told.
type Percepts = Vec<Option<Vec<TermId>>>;

impl Marking {
    /// Flips the bases that are in one of two ascending lists and not in the other.
    #[inline]
    fn change_bases<const LOOPS: bool>(&mut self, wiring: &Wiring, before: &[u32], after: &[u32]) {
        let (mut old, mut new) = (0, 0);
        loop {
            let base = match (before.get(old), after.get(new)) {
                (None, None) => return,
                (Some(&was), Some(&is)) if was == is => {
                    (old, new) = (old + 1, new + 1);
                    continue;
                }
                (Some(&was), is) if is.is_none_or(|&is| was < is) => {
                    old += 1;
                    was
                }
                (_, Some(&is)) => {
                    new += 1;
                    is
                }
                // The third arm has taken this.
                (Some(_), None) => return,
            } as usize;
            let bit = 1 << (base % 64);
            self.state[base / 64] ^= bit;
            self.bits[wiring.difference.start + base / 64] ^= bit;
            self.flip::<LOOPS>(wiring, wiring.first_base + base);
        }
    }
}

impl<const LOOPS: bool> TimedNetRunner<'_, LOOPS> {
    /// Makes an update that was checked. In an error the state is as before.
    pub(super) fn advance(&mut self, elapsed: GameTime, moves: &[(RoleId, TermId)]) -> TimedAnswer<()> {
        self.look_at_limits()?;
        let machine = self.machine;
        let places = moves.iter().filter_map(|&(role, action)| {
            // They are legal, so they are in the list of all moves.
            machine.position(role, action).map(|at| (role, at as u32))
        });
        let places: SmallVec<[(RoleId, u32); 4]> = places.collect();
        self.make(elapsed, &places);
        if let Err((term, fact)) = self.read_next() {
            let error = self.no_lifetime(elapsed, moves, term, fact);
            self.load();
            return Err(error);
        }
        let mut told = None;
        if self.machine.has_percepts {
            told = match self.find_percepts() {
                Ok(told) => Some(told),
                Err(error) => {
                    self.load();
                    return Err(error);
                }
            };
        }
        self.go_on();
        if self.machine.is_charged {
            let facts = self.state().facts().iter().map(|&(_, fact)| fact);
            if let Err(limit) = self.machine.terms().charge_text("the state", facts, TEXT_LIMIT) {
                std::mem::swap(&mut self.values, &mut self.last.before);
                self.is_made = false;
                self.load();
                return Err(limit.into());
            }
        }
        if let Some(told) = told {
            self.percepts = told;
        }
        self.last.elapsed = elapsed;
        self.last.moves.clear();
        self.last.moves.extend_from_slice(moves);
        self.is_made = true;
        Ok(())
    }

    /// Looks at the limits of the budget now and then: an update takes less time than that.
    #[inline]
    pub(super) fn look_at_limits(&mut self) -> TimedAnswer<()> {
        if self.updates.is_multiple_of(LOOK) {
            self.meter.restart();
            self.meter.check()?;
        }
        self.updates = self.updates.wrapping_add(1);
        Ok(())
    }

    /// The first half: what is left, what has expired, and the moves by their positions. Afterwards the circuit tells from where facts get
    /// lifetimes.
    #[inline]
    pub(super) fn make(&mut self, elapsed: GameTime, moves: &[(RoleId, u32)]) {
        let (machine, scratch) = (self.machine, &mut self.scratch);
        let (wiring, plan) = (&machine.wiring, &machine.plan);
        shorten(&self.values.clocks, elapsed, &mut scratch.left, &mut scratch.facts);
        plan.over_of(scratch.facts.iter().copied(), &mut scratch.bases);
        self.marking.change_bases::<LOOPS>(wiring, &self.over, &scratch.bases);
        std::mem::swap(&mut self.over, &mut scratch.bases);
        // Where nothing expires, the same facts hold as before.
        if !scratch.facts.is_empty() || plan.tells_lifetimes() {
            plan.clock_bases(&scratch.left, &mut scratch.bases);
            self.marking.change_bases::<LOOPS>(wiring, &self.held, &scratch.bases);
            std::mem::swap(&mut self.held, &mut scratch.bases);
        }
        self.marking.settle::<LOOPS>(wiring);
        scratch.inputs.clear();
        for &(role, at) in moves {
            let node = wiring.inputs[role.index()][at as usize];
            scratch.inputs.extend(Some(node).filter(|&node| node != NONE));
        }
        self.marking.make::<LOOPS>(wiring, &scratch.inputs);
    }

    /// The next clocks, as the circuit tells, and the facts that begin or cease to hold for ever; the term that is no
    /// lifetime, where there is one, with its fact.
    #[inline]
    pub(super) fn read_next(&mut self) -> Result<(), (TermId, u32)> {
        let (plan, scratch) = (&self.machine.plan, &mut self.scratch);
        scratch.next.clear();
        let bits = &self.marking.bits[self.machine.wiring.difference.clone()];
        for (at, (&difference, changed)) in bits.iter().zip(&mut scratch.changed).enumerate() {
            *changed = difference & plan.for_ever_bases[at];
            let mut rest = difference & plan.sets[at];
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
        if scratch.next.len() > 1 {
            scratch.next.sort_unstable();
            scratch.next.dedup();
        }
        Ok(())
    }

    /// What each role is told, which takes looking at what the same facts give without moves and expiry. What has expired
    /// is marked again afterwards.
    fn find_percepts(&mut self) -> TimedAnswer<Percepts> {
        let machine = self.machine;
        let wiring = &machine.wiring;
        let bits = |marking: &Marking| -> Vec<Vec<u64>> {
            wiring.percepts.iter().map(|(_, words)| marking.bits[words.clone()].to_vec()).collect()
        };
        let with = bits(&self.marking);
        self.marking.change_bases::<LOOPS>(wiring, &self.over, &[]);
        self.marking.settle::<LOOPS>(wiring);
        self.marking.make::<LOOPS>(wiring, &[]);
        let without = bits(&self.marking);
        self.marking.change_bases::<LOOPS>(wiring, &[], &self.over);
        let mut all = Vec::with_capacity(with.len());
        for ((with, without), (terms, _)) in with.iter().zip(&without).zip(&wiring.percepts) {
            let told = (with != without).then(|| positions(with).map(|at| terms[at]).collect::<Vec<_>>());
            if machine.is_charged {
                let told = told.as_deref().unwrap_or_default().iter().copied();
                machine.terms().charge_text("what a role sees", told, TEXT_LIMIT)?;
            }
            all.push(told);
        }
        Ok(all)
    }

    /// The second half: what holds from now on.
    #[inline]
    pub(super) fn go_on(&mut self) {
        let (machine, scratch, before) = (self.machine, &mut self.scratch, &mut self.last.before);
        let (wiring, plan) = (&machine.wiring, &machine.plan);
        for ((now, before), changed) in
            self.values.for_ever.iter_mut().zip(&mut before.for_ever).zip(&scratch.changed)
        {
            *before = *now;
            *now ^= changed;
        }
        self.marking.flip_bases::<LOOPS>(wiring, &scratch.changed);
        plan.clock_bases(&scratch.next, &mut scratch.bases);
        self.marking.change_bases::<LOOPS>(wiring, &self.held, &scratch.bases);
        std::mem::swap(&mut self.held, &mut scratch.bases);
        self.marking.settle::<LOOPS>(wiring);
        std::mem::swap(&mut before.clocks, &mut self.values.clocks);
        std::mem::swap(&mut self.values.clocks, &mut scratch.next);
        std::mem::swap(&mut before.expired, &mut self.values.expired);
        self.values.expired.clear();
        self.values.expired.extend(scratch.facts.iter().map(|&fact| plan.facts[fact as usize]));
        self.turn();
    }

    /// The error for `next` with a term that is no lifetime, as the rules find it.
    pub(super) fn no_lifetime(
        &self,
        elapsed: GameTime,
        moves: &[(RoleId, TermId)],
        term: TermId,
        fact: u32,
    ) -> TimedError {
        if let Err(error) = by_rules(self.machine, &self.budget, &self.values, elapsed, moves).1 {
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
}
