//! What the bases of a circuit mean, laid out for running.

use ludex_game::{GameError, TimedAnswer, TimedState};
use ludex_gdl::Lifetime;
use ludex_logic::{TermId, TermView, Terms};
use ludex_propnet::{Clock, TimedBase};
use rustc_hash::FxHashMap;

use super::super::wiring::NONE;
use super::values::{Clocks, Values, lifetime, of_fact};

/// From where a fact gets lifetimes.
#[derive(Clone, Debug)]
pub(super) enum Source {
    /// A constant, in units of [`GameTime`](ludex_gdl::GameTime).
    Constant(u64),
    /// A term that is no lifetime.
    NoLifetime(TermId),
    /// What is left of a fact, but for the lifetimes that are compared.
    Left(u32),
    /// What two others have in common.
    Common(Box<(Source, Source)>),
}

/// The facts of a game and where they stand in its circuit. Facts are numbers in canonical order.
#[derive(Debug)]
pub(super) struct Plan {
    pub facts: Vec<TermId>,
    places: FxHashMap<TermId, u32>,
    /// Per fact whether it can have a lifetime that ends.
    ends: Vec<bool>,
    /// Per fact the base that says that it holds for ever, or [`NONE`]; and so on.
    for_ever: Vec<u32>,
    running: Vec<u32>,
    over: Vec<u32>,
    /// Per fact and lifetime that is compared.
    exactly: Vec<u32>,
    /// The lifetimes that are compared, in units, ascending.
    compared: Vec<u64>,
    /// The bases that say that two sources have a lifetime in common, ascending.
    same: Vec<(u32, Source, Source)>,
    /// Per base the fact that it says something of.
    fact_of: Vec<u32>,
    /// The bases that say that a fact holds for ever.
    pub for_ever_bases: Vec<u64>,
    /// The bases that say from where facts get lifetimes.
    pub sets: Vec<u64>,
    /// Per base of those.
    sources: Vec<Option<Source>>,
}

impl Plan {
    pub fn new(
        terms: &Terms,
        facts: Vec<TermId>,
        bases: &[TimedBase],
        compared: Vec<Lifetime>,
        initial: &TimedState,
    ) -> Self {
        let none = || vec![NONE; facts.len()];
        let words = vec![0; bases.len().div_ceil(64)];
        let compared: Vec<u64> =
            compared.iter().filter_map(|lifetime| Some(lifetime.time()?.units())).collect();
        let mut plan = Self {
            places: facts.iter().copied().zip(0..).collect(),
            ends: vec![false; facts.len()],
            for_ever: none(),
            running: none(),
            over: none(),
            exactly: vec![NONE; facts.len() * compared.len()],
            compared,
            same: Vec::new(),
            fact_of: vec![NONE; bases.len()],
            for_ever_bases: words.clone(),
            sets: words,
            sources: vec![None; bases.len()],
            facts,
        };
        for (number, base) in (0u32..).zip(bases) {
            plan.place(terms, number, base);
        }
        for (lifetime, fact) in initial.facts() {
            if let Some(&place) = plan.places.get(fact) {
                plan.ends[place as usize] |= lifetime.time().is_some();
            }
        }
        plan
    }

    fn place(&mut self, terms: &Terms, number: u32, base: &TimedBase) {
        let bit = |words: &mut Vec<u64>| words[number as usize / 64] |= 1 << (number % 64);
        match base {
            TimedBase::ForEver(fact) => {
                self.for_ever[*fact as usize] = number;
                self.fact_of[number as usize] = *fact;
                bit(&mut self.for_ever_bases);
            }
            TimedBase::Running(fact) => self.running[*fact as usize] = number,
            TimedBase::Over(fact) => self.over[*fact as usize] = number,
            TimedBase::Exactly(fact, lifetime) => {
                let units = lifetime.time().map(|time| time.units());
                if let Some(at) = units.and_then(|units| self.compared.binary_search(&units).ok()) {
                    self.exactly[*fact as usize * self.compared.len() + at] = number;
                }
            }
            TimedBase::Set(fact, clock) => {
                self.fact_of[number as usize] = *fact;
                self.ends[*fact as usize] = true;
                self.sources[number as usize] = Some(source(terms, clock));
                bit(&mut self.sets);
            }
            TimedBase::Same(one, other) => {
                self.same.push((number, source(terms, one), source(terms, other)));
            }
        }
    }

    /// Bytes held, without the terms.
    pub fn bytes(&self) -> usize {
        self.facts.len() * 40
            + 4 * self.exactly.len()
            + self.sources.len() * (size_of::<Option<Source>>() + 4)
    }

    /// The fact that a base speaks of.
    pub fn fact_of(&self, base: usize) -> u32 {
        self.fact_of[base]
    }

    /// From where the fact of a base of [`Plan::sets`] gets lifetimes.
    pub fn source(&self, base: usize) -> Option<&Source> {
        self.sources[base].as_ref()
    }

    /// A state in numbers.
    ///
    /// # Errors
    /// [`GameError::UnknownFact`].
    pub fn values(&self, state: &TimedState, terms: &Terms) -> TimedAnswer<Values> {
        let mut values = Values {
            for_ever: vec![0; self.for_ever_bases.len()],
            clocks: Vec::new(),
            expired: state.expired().to_vec(),
        };
        for (lifetime, fact) in state.facts() {
            let unknown = || GameError::UnknownFact { fact: terms.shown(*fact) };
            let &place = self.places.get(fact).ok_or_else(unknown)?;
            match lifetime.time() {
                Some(time) if self.ends[place as usize] => values.clocks.push((place, time.units())),
                None if self.for_ever[place as usize] != NONE => {
                    let base = self.for_ever[place as usize];
                    values.for_ever[base as usize / 64] |= 1 << (base % 64);
                }
                _ => return Err(unknown().into()),
            }
        }
        values.clocks.sort_unstable();
        Ok(values)
    }

    /// The state of such numbers.
    pub fn state(&self, values: &Values) -> TimedState {
        let endless = super::super::runner::positions(&values.for_ever);
        let endless = endless.map(|base| (self.fact_of[base], Lifetime::INFINITE));
        let ending = values.clocks.iter().map(|&(fact, units)| (fact, lifetime(units)));
        let mut facts: Vec<(u32, Lifetime)> = endless.chain(ending).collect();
        facts.sort_unstable();
        let facts = facts.into_iter().map(|(fact, lifetime)| (lifetime, self.facts[fact as usize]));
        TimedState::in_order(facts.collect(), values.expired.clone())
    }

    /// The bases that hold in a state: for ever, and those listed.
    pub fn words(&self, for_ever: &[u64], held: &[u32], over: &[u32], words: &mut Vec<u64>) {
        words.clear();
        words.extend_from_slice(for_ever);
        for &base in held.iter().chain(over) {
            words[base as usize / 64] |= 1 << (base % 64);
        }
    }

    /// The bases that say that these facts have just expired, ascending.
    pub fn over_bases(&self, expired: &[TermId], bases: &mut Vec<u32>) {
        let places = expired.iter().filter_map(|fact| self.places.get(fact));
        self.over_of(places.copied(), bases);
    }

    /// The same for facts by number.
    pub fn over_of(&self, facts: impl Iterator<Item = u32>, bases: &mut Vec<u32>) {
        bases.clear();
        bases.extend(facts.map(|fact| self.over[fact as usize]).filter(|&base| base != NONE));
        // Facts and bases have the same order, but not everybody has the facts in order.
        if !bases.is_sorted() {
            bases.sort_unstable();
        }
    }

    /// Whether bases say more of clocks than that they run.
    #[inline]
    pub fn tells_lifetimes(&self) -> bool {
        !self.compared.is_empty() || !self.same.is_empty()
    }

    /// The bases that hold by these clocks, ascending.
    #[inline]
    pub fn clock_bases(&self, clocks: &Clocks, bases: &mut Vec<u32>) {
        bases.clear();
        if !self.tells_lifetimes() {
            let running = clocks.iter().map(|&(fact, _)| self.running[fact as usize]);
            bases.extend(running.filter(|&base| base != NONE));
            // Facts and bases have the same order.
            bases.dedup();
            return;
        }
        self.telling_bases(clocks, bases);
    }

    fn telling_bases(&self, clocks: &Clocks, bases: &mut Vec<u32>) {
        for &(fact, units) in clocks {
            let fact = fact as usize;
            let base = match self.compared.binary_search(&units) {
                Ok(at) => self.exactly[fact * self.compared.len() + at],
                Err(_) => self.running[fact],
            };
            if base != NONE {
                bases.push(base);
            }
        }
        let mut lifetimes = Vec::new();
        for (base, one, other) in &self.same {
            self.meet(one, other, clocks, &mut lifetimes);
            if !lifetimes.is_empty() {
                bases.push(*base);
            }
            lifetimes.clear();
        }
        bases.sort_unstable();
        bases.dedup();
    }

    /// The lifetimes that come from a source, given what is left of all clocks. They are added to `lifetimes`.
    #[inline]
    pub fn read(&self, source: &Source, clocks: &Clocks, lifetimes: &mut Vec<u64>) {
        match source {
            Source::Constant(units) => lifetimes.push(*units),
            Source::NoLifetime(_) => {}
            Source::Left(fact) => {
                let all = of_fact(clocks, *fact);
                lifetimes.extend(all.filter(|units| self.compared.binary_search(units).is_err()));
            }
            Source::Common(both) => self.meet(&both.0, &both.1, clocks, lifetimes),
        }
    }

    fn meet(&self, one: &Source, other: &Source, clocks: &Clocks, lifetimes: &mut Vec<u64>) {
        let start = lifetimes.len();
        self.read(one, clocks, lifetimes);
        let mut others = Vec::new();
        self.read(other, clocks, &mut others);
        let mut kept = start;
        for at in start..lifetimes.len() {
            if others.contains(&lifetimes[at]) {
                lifetimes[kept] = lifetimes[at];
                kept += 1;
            }
        }
        lifetimes.truncate(kept);
    }
}

fn source(terms: &Terms, clock: &Clock) -> Source {
    match clock {
        Clock::Constant(term) => {
            let units = match terms.view(*term) {
                TermView::Constant(name) => Lifetime::parse(terms.name(name)).ok().and_then(Lifetime::time),
                TermView::Compound(..) => None,
            };
            units.map_or(Source::NoLifetime(*term), |time| Source::Constant(time.units()))
        }
        Clock::Left(fact) => Source::Left(*fact),
        Clock::Common(both) => {
            let (one, other) = &**both;
            Source::Common(Box::new((source(terms, one), source(terms, other))))
        }
    }
}
