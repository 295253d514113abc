//! Asks the generator for all there is to know.

use ludex_logic::{Budget, LimitError, Meter};
use ludex_propnet::Lasting;

use super::generator::Generator;
use super::sample::Samples;
use super::{GoalInhibition, Hold, Inhibition, LatchEffort, Latches, Standing, disjunction, succession};
use crate::finding::Reason;
use crate::{Faithful, Subject};

pub(super) fn find(subject: &Subject, effort: &LatchEffort, budget: &Budget) -> Result<Latches, Reason> {
    let faithful = subject.faithful(budget)?;
    let mut meter = budget.meter();
    let samples = Samples::draw(subject.rules(), &faithful, effort, &mut meter)?;
    let standings = vec![[Standing::Open; 2]; faithful.circuit.bases.len()];
    let mut latches = Latches {
        rules: subject.rules().clone(),
        numbers: faithful.base_numbers(),
        lasting: Lasting::new(&faithful.circuit),
        standings,
        successions: Vec::new(),
        disjunctions: Vec::new(),
        inhibitions: Vec::new(),
        goal_inhibitions: Vec::new(),
        at_first: Vec::new(),
        never: Vec::new(),
        samples,
        questions: 0,
        stopped: None,
        faithful: faithful.clone(),
    };
    let invariants = faithful.invariants(budget)?;
    let generator = Generator::new(&faithful, invariants, effort.conflicts, budget.meter())?;
    let mut search = Search { faithful: &faithful, latches: &mut latches, generator, meter, budget };
    let ended = search.run(effort);
    let questions = search.generator.questions;
    latches.questions = questions;
    latches.stopped = ended.err();
    Ok(latches)
}

struct Search<'a> {
    faithful: &'a Faithful,
    latches: &'a mut Latches,
    generator: Generator<'a>,
    meter: Meter,
    budget: &'a Budget,
}

/// A base with the value that may inhibit something.
#[derive(Clone, Copy)]
struct Source {
    base: u32,
    value: bool,
    latched: bool,
    /// The game is over wherever it holds.
    ends: bool,
}

impl Search<'_> {
    fn run(&mut self, effort: &LatchEffort) -> Result<(), Reason> {
        self.constants()?;
        self.single_latches()?;
        self.goals_never_reached()?;
        self.only_at_first()?;
        let sources = self.sources(effort)?;
        for (done, &source) in sources.iter().enumerate() {
            self.budget.report("inhibitors", done as u64, Some(sources.len() as u64));
            self.goals_of(source)?;
            self.inhibited_by(source)?;
        }
        let invariants = self.faithful.invariants(self.budget)?;
        let (mut found, mut closed) = (Vec::new(), Vec::new());
        let ended = succession::find(self.latches, &mut self.generator, invariants, &mut found, &mut closed);
        self.latches.successions = found;
        ended.and(self.disjunctions(effort, closed))
    }

    /// Groups that latch together: besides those of successions pairs and others that random games suggest, in
    /// games where settings of all bases are asked for.
    fn disjunctions(&mut self, effort: &LatchEffort, closed: Vec<disjunction::Group>) -> Result<(), Reason> {
        let guess = self.bases().filter(|&base| !self.is_constant(base)).count() <= effort.most_bases;
        let mut found = Vec::new();
        let (generator, meter) = (&mut self.generator, &mut self.meter);
        let mut ended = Ok(());
        if guess {
            ended = disjunction::pairs(self.latches, generator, meter, &mut found);
        }
        for group in closed {
            if group.is_new(&found) {
                found.push(group);
            }
        }
        if guess && ended.is_ok() {
            ended = disjunction::larger(self.latches, generator, meter, &mut found);
        }
        found.sort_by_key(|group| group.members.len());
        self.latches.disjunctions = found;
        ended
    }

    /// Negative latches that no step ever turns on.
    fn only_at_first(&mut self) -> Result<(), Reason> {
        let mut candidates = Vec::new();
        for base in self.bases().filter(|&base| self.latches.is_latch(base, false)).collect::<Vec<_>>() {
            candidates.push((base, self.generator.base(1, base, true)?));
        }
        self.latches.at_first = self.generator.impossible(&[], candidates)?.proved;
        self.latches.at_first.sort_unstable();
        Ok(())
    }

    fn bases(&self) -> std::ops::Range<u32> {
        0..self.faithful.circuit.bases.len() as u32
    }

    /// Values that never change: proved by the invariants, or by spreading all that can change.
    fn constants(&mut self) -> Result<(), Reason> {
        let circuit = &self.faithful.circuit;
        let initial = |base: u32| Some(circuit.bases[base as usize].initial);
        let lasting = self.latches.lasting.from(circuit, initial, |_| false, &mut self.meter)?;
        let proved = &self.faithful.invariants(self.budget)?.constants;
        for base in self.bases() {
            let stored = &circuit.bases[base as usize];
            let gate = circuit.values[stored.proposition as usize].gate();
            let known = lasting[gate.index()].is_some()
                || proved.binary_search_by_key(&base, |&(base, _)| base).is_ok();
            if known {
                self.latches.standings[base as usize] = [Standing::Constant; 2];
            }
        }
        Ok(())
    }

    fn is_constant(&self, base: u32) -> bool {
        matches!(self.latches.standings[base as usize][1], Standing::Constant)
    }

    /// Positive and negative latches, in one go.
    fn single_latches(&mut self) -> Result<(), Reason> {
        let mut candidates = Vec::new();
        for base in self.bases().filter(|&base| !self.is_constant(base)).collect::<Vec<_>>() {
            for value in [false, true] {
                if let Some(moment) = self.latches.samples.leaving(base, value) {
                    self.latches.standings[base as usize][usize::from(value)] = Standing::Lost(moment);
                    continue;
                }
                let now = self.generator.base(0, base, value)?;
                let left = self.generator.base(1, base, !value)?;
                candidates.push(((base, value), self.generator.all(&[now, left])?));
            }
        }
        let asked: Vec<(u32, bool)> = candidates.iter().map(|(thing, _)| *thing).collect();
        let found = self.generator.impossible(&[], candidates)?;
        let mut set = |(base, value): (u32, bool), standing: Standing| {
            self.latches.standings[base as usize][usize::from(value)] = standing;
        };
        asked.into_iter().for_each(|thing| set(thing, Standing::NotInductive));
        found.open.into_iter().for_each(|thing| set(thing, Standing::Open));
        found.proved.into_iter().for_each(|thing| set(thing, Standing::Latch));
        Ok(())
    }

    /// Settings to ask about, latches first.
    fn sources(&mut self, effort: &LatchEffort) -> Result<Vec<Source>, Reason> {
        let changing: Vec<u32> = self.bases().filter(|&base| !self.is_constant(base)).collect();
        let mut sources = Vec::new();
        for &base in &changing {
            for value in [true, false] {
                if self.latches.is_latch(base, value) {
                    sources.push(Source { base, value, latched: true, ends: false });
                }
            }
        }
        if changing.len() <= effort.most_bases {
            let others = changing.iter().filter(|&&base| !self.latches.is_latch(base, true));
            sources.extend(others.map(|&base| Source { base, value: true, latched: false, ends: false }));
        }
        let mut candidates = Vec::new();
        for (place, source) in sources.iter().enumerate() {
            candidates.push((place, self.generator.base(0, source.base, source.value)?));
        }
        for place in self.generator.impossible(&[], candidates)?.proved {
            sources[place].ends = true;
        }
        Ok(sources)
    }

    fn goals(&self) -> Vec<(u32, u32)> {
        let goals = &self.faithful.circuit.goals;
        let of_role = |role: usize| (0..goals[role].len() as u32).map(move |goal| (role as u32, goal));
        (0..goals.len()).flat_map(of_role).collect()
    }

    fn goal_edge(&self, (role, goal): (u32, u32)) -> ludex_propnet::Edge {
        self.faithful.circuit.goals[role as usize][goal as usize].1
    }

    /// A goal value comes up in the step.
    fn goal_rises(&mut self, goal: (u32, u32)) -> Result<crate::sat::Literal, Reason> {
        let edge = self.goal_edge(goal);
        let (before, after) = (self.generator.edge(0, edge)?, self.generator.edge(1, edge)?);
        self.generator.all(&[!before, after])
    }

    fn goals_never_reached(&mut self) -> Result<(), Reason> {
        let mut candidates = Vec::new();
        for goal in self.goals() {
            let edge = self.goal_edge(goal);
            candidates.push((goal, self.generator.edge(1, edge)?));
        }
        self.latches.never = self.generator.impossible(&[], candidates)?.proved;
        self.latches.never.sort_unstable();
        Ok(())
    }

    /// The goal values that a setting inhibits.
    fn goals_of(&mut self, source: Source) -> Result<(), Reason> {
        let goals: Vec<(u32, u32)> =
            self.goals().into_iter().filter(|goal| self.latches.never.binary_search(goal).is_err()).collect();
        let after = self.generator.base(1, source.base, source.value)?;
        let mut candidates = Vec::new();
        for &goal in &goals {
            // Reachable states are the initial one, looked at here, and those after a step.
            if !(self.initially(source) && self.goal_at_first(goal)) {
                let edge = self.goal_edge(goal);
                candidates.push((goal, self.generator.edge(1, edge)?));
            }
        }
        let barred = self.generator.impossible(&[after], candidates)?.proved;
        let mut blocked = Vec::new();
        if source.latched {
            let now = self.generator.base(0, source.base, source.value)?;
            let mut candidates = Vec::new();
            for &goal in goals.iter().filter(|goal| !barred.contains(goal)) {
                candidates.push((goal, self.goal_rises(goal)?));
            }
            blocked = self.generator.impossible(&[now], candidates)?.proved;
            // What never comes up anyway is not due to this setting.
            let mut rising = Vec::new();
            for &goal in &blocked {
                rising.push((goal, self.goal_rises(goal)?));
            }
            let anyway = self.generator.impossible(&[], rising)?.proved;
            blocked.retain(|goal| !anyway.contains(goal));
            if !source.ends {
                // What holds wherever the setting does is not kept from coming up by it.
                let mut missing = Vec::new();
                for &goal in &blocked {
                    missing.push((goal, !self.generator.edge(0, self.goal_edge(goal))?));
                }
                let held = self.generator.impossible(&[now], missing)?.proved;
                blocked.retain(|goal| !held.contains(goal));
            }
        }
        let mut found: Vec<_> = barred.into_iter().map(|goal| (goal, Hold::Bars)).collect();
        found.extend(blocked.into_iter().map(|goal| (goal, Hold::Blocks)));
        found.sort_unstable();
        let Source { base, value, latched, ends } = source;
        let inhibition = |((role, goal), hold)| {
            let ends = ends && hold == Hold::Blocks;
            GoalInhibition { base, value, latched, role, goal, hold, ends }
        };
        self.latches.goal_inhibitions.extend(found.into_iter().map(inhibition));
        Ok(())
    }

    fn initially(&self, source: Source) -> bool {
        self.faithful.circuit.bases[source.base as usize].initial == source.value
    }

    /// Whether a goal value holds in the initial state; where that is not known, it is taken to.
    fn goal_at_first(&self, (role, goal): (u32, u32)) -> bool {
        let value = self.faithful.circuit.goals[role as usize][goal as usize].0;
        let goals = self.latches.rules.goals(self.latches.rules.initial());
        !matches!(goals.ok().and_then(|goals| goals.get(role as usize).copied().flatten()),
            Some(found) if found != value)
    }

    /// The propositions that a setting inhibits.
    fn inhibited_by(&mut self, source: Source) -> Result<(), Reason> {
        let Source { base, value, latched, ends } = source;
        let now = self.generator.base(0, base, value)?;
        let excludes = self.never_true(source, now)?;
        let mut blocks = Vec::new();
        if latched {
            let seen = self.latches.samples.following(base, value, true, &mut self.meter)?;
            let mut candidates = Vec::new();
            for other in self.others(source, &seen) {
                if !self.latches.is_latch(other, false) && !excludes.contains(&other) {
                    let before = self.generator.base(0, other, false)?;
                    let after = self.generator.base(1, other, true)?;
                    candidates.push((other, self.generator.all(&[before, after])?));
                }
            }
            blocks = self.generator.impossible(&[now], candidates)?.proved;
            if !ends {
                let mut missing = Vec::new();
                for &other in &blocks {
                    missing.push((other, self.generator.base(0, other, false)?));
                }
                let held = self.generator.impossible(&[now], missing)?.proved;
                blocks.retain(|other| !held.contains(other));
            }
            blocks.sort_unstable();
        }
        if !excludes.is_empty() || !blocks.is_empty() {
            self.latches.inhibitions.push(Inhibition { base, value, latched, excludes, blocks, ends });
        }
        Ok(())
    }

    fn never_true(&mut self, source: Source, now: crate::sat::Literal) -> Result<Vec<u32>, Reason> {
        let seen = self.latches.samples.following(source.base, source.value, false, &mut self.meter)?;
        let mut candidates = Vec::new();
        for other in self.others(source, &seen) {
            candidates.push((other, self.generator.base(1, other, true)?));
        }
        let mut excludes = self.generator.impossible(&[now], candidates)?.proved;
        excludes.sort_unstable();
        self.check_memory()?;
        Ok(excludes)
    }

    fn check_memory(&self) -> Result<(), LimitError> {
        let held: usize = self.latches.inhibitions.iter().map(|i| i.excludes.len() + i.blocks.len()).sum();
        self.meter.check_memory(held * size_of::<u32>(), || "inhibitors".to_owned())
    }

    /// The bases that a setting may inhibit: those that change, and were not seen to be true.
    fn others(&self, source: Source, seen: &[u64]) -> Vec<u32> {
        let unseen =
            |base: &u32| seen.get(*base as usize / 64).is_none_or(|word| word >> (base % 64) & 1 == 0);
        let itself = |base: u32| source.latched && base == source.base;
        let other = |base: &u32| {
            !self.is_constant(*base) && !itself(*base) && self.latches.at_first.binary_search(base).is_err()
        };
        self.bases().filter(|base| unseen(base) && other(base)).collect()
    }
}
