//! What says nothing of any state, where all of them are known.
//!
//! The solver proves of any state that has the known invariants, so what it says may be empty: a latch that
//! never holds, what is excluded and never comes about anyway, ways that no course takes.

use ludex_logic::{Budget, LimitError, Meter};
use rustc_hash::FxHashSet;

use super::disjunction::Group;
use super::states::AllStates;
use super::succession::{MOST_MEMBERS, Ways, ways};
use super::{GoalInhibition, Hold, Inhibition, Latches, Standing};
use crate::finding::Reason;

impl Latches {
    /// Leaves out what says nothing of any state, given all of them: what never changes is a constant, what
    /// inhibits must hold somewhere, and what it inhibits must come about elsewhere. Ways are those that
    /// courses take.
    ///
    /// # Errors
    /// When the budget is spent; then all is left as it was.
    pub fn leave_out_vacuous(&mut self, all: &AllStates, budget: &Budget) -> Result<(), Reason> {
        let mut meter = budget.meter();
        let view = View::new(self, all, &mut meter)?;
        let inhibitions = view.inhibitions(self, &mut meter)?;
        let goal_inhibitions = view.goal_inhibitions(self, &mut meter)?;
        let (successions, mut groups) = view.successions(self, &mut meter)?;
        groups.extend(self.disjunctions.iter().cloned());
        self.disjunctions = view.disjunctions(groups);
        (self.inhibitions, self.goal_inhibitions) = (inhibitions, goal_inhibitions);
        self.successions = successions;
        for (base, standing) in self.standings.iter_mut().enumerate() {
            if view.holds[base].is_constant(all.len()) {
                *standing = [Standing::Constant; 2];
            }
        }
        Ok(())
    }
}

/// A set of states.
#[derive(Clone, Debug)]
struct Set(Vec<u64>);

impl Set {
    fn none(states: usize) -> Self {
        Self(vec![0; states.div_ceil(64)])
    }

    fn add(&mut self, state: usize) {
        self.0[state / 64] |= 1 << (state % 64);
    }

    fn has(&self, state: usize) -> bool {
        self.0[state / 64] >> (state % 64) & 1 == 1
    }

    /// Whether all `states` are in it, or none.
    fn is_constant(&self, states: usize) -> bool {
        let count: usize = self.0.iter().map(|word| word.count_ones() as usize).sum();
        count == 0 || count == states
    }
}

/// What comes about in a step, of one proposition or goal value.
#[derive(Clone, Copy, Debug, Default)]
struct Change {
    /// It holds after some step.
    after: bool,
    /// It does not hold before.
    rises: bool,
    /// It holds before, and no more.
    falls: bool,
}

/// All states, by what holds in them.
struct View<'a> {
    all: &'a AllStates,
    /// Per base the states in which it is true.
    holds: Vec<Set>,
    /// The states that others follow.
    goes_on: Set,
    /// Per base what becomes of it.
    changes: Vec<Change>,
    /// Per role and value, by position in the circuit's list, the states that have it.
    goals: Vec<Vec<Set>>,
}

impl<'a> View<'a> {
    fn new(latches: &Latches, all: &'a AllStates, meter: &mut Meter) -> Result<Self, LimitError> {
        let circuit = &latches.faithful.circuit;
        let (bases, states) = (circuit.bases.len(), all.len());
        let goal_count: usize = circuit.goals.iter().map(Vec::len).sum();
        meter.check_memory((bases + goal_count) * states.div_ceil(8), || "states".to_owned())?;
        let sets = |count: usize| vec![Set::none(states); count];
        let mut view = Self {
            all,
            holds: sets(bases),
            goes_on: Set::none(states),
            changes: Vec::new(),
            goals: circuit.goals.iter().map(|list| sets(list.len())).collect(),
        };
        for (number, (state, next)) in all.states().zip(all.all_next()).enumerate() {
            let bits = latches.bits(&latches.rules.facts(&state));
            (0..bases).filter(|&base| bits[base]).for_each(|base| view.holds[base].add(number));
            if !next.is_empty() {
                view.goes_on.add(number);
            }
            meter.spend(circuit.operand_count() as u64)?;
            let values = circuit.ternary_values(|base| Some(bits[base as usize]), |_, _| None);
            for (list, sets) in circuit.goals.iter().zip(&mut view.goals) {
                for ((_, edge), set) in list.iter().zip(sets) {
                    if values.get(*edge) == Some(true) {
                        set.add(number);
                    }
                }
            }
        }
        view.changes =
            (0..bases).map(|base| view.change(&view.holds[base], meter)).collect::<Result<_, _>>()?;
        Ok(view)
    }

    fn change(&self, set: &Set, meter: &mut Meter) -> Result<Change, LimitError> {
        let mut change = Change::default();
        for (before, next) in self.all.all_next().enumerate() {
            meter.spend(next.len() as u64)?;
            let was = set.has(before);
            for &after in next {
                let is = set.has(after as usize);
                change.after |= is;
                change.rises |= is && !was;
                change.falls |= was && !is;
            }
        }
        Ok(change)
    }

    /// Whether there is a state in which a base has a value and this holds, too: by words of sets.
    fn some_with(&self, base: u32, value: bool, and: impl Fn(usize) -> u64) -> bool {
        let states = self.all.len();
        let word = |(at, &word): (usize, &u64)| {
            let within = if (at + 1) * 64 <= states { u64::MAX } else { (1 << (states % 64)) - 1 };
            (if value { word } else { !word }) & within & and(at)
        };
        self.holds[base as usize].0.iter().enumerate().any(|place| word(place) != 0)
    }

    fn inhibitions(&self, latches: &Latches, meter: &mut Meter) -> Result<Vec<Inhibition>, LimitError> {
        let mut left = Vec::new();
        for found in &latches.inhibitions {
            let Inhibition { base, value, .. } = *found;
            meter.spend(self.goes_on.0.len() as u64 * (1 + found.blocks.len() as u64))?;
            if !self.some_with(base, value, |at| self.goes_on.0[at]) {
                continue;
            }
            let may_rise = |&&other: &&u32| {
                let missing = |at: usize| self.goes_on.0[at] & !self.holds[other as usize].0[at];
                self.changes[other as usize].rises && self.some_with(base, value, missing)
            };
            let excludes: Vec<u32> =
                found.excludes.iter().filter(|other| self.changes[**other as usize].after).copied().collect();
            let blocks: Vec<u32> = found.blocks.iter().filter(may_rise).copied().collect();
            if !excludes.is_empty() || !blocks.is_empty() {
                left.push(Inhibition { excludes, blocks, ..found.clone() });
            }
        }
        Ok(left)
    }

    fn goal_inhibitions(
        &self,
        latches: &Latches,
        meter: &mut Meter,
    ) -> Result<Vec<GoalInhibition>, LimitError> {
        let mut changes = Vec::with_capacity(self.goals.len());
        for sets in &self.goals {
            let of_role = sets.iter().map(|set| self.change(set, meter)).collect::<Result<Vec<_>, _>>()?;
            changes.push(of_role);
        }
        let mut left = Vec::new();
        for found in &latches.goal_inhibitions {
            meter.spend(self.goes_on.0.len() as u64)?;
            let change = changes[found.role as usize][found.goal as usize];
            let given = &self.goals[found.role as usize][found.goal as usize];
            let says = match found.hold {
                Hold::Bars => change.after && self.some_with(found.base, found.value, |_| u64::MAX),
                Hold::Blocks => {
                    let missing = |at: usize| self.goes_on.0[at] & !given.0[at];
                    change.rises && self.some_with(found.base, found.value, missing)
                }
            };
            if says {
                left.push(*found);
            }
        }
        Ok(left)
    }

    /// The ways that courses take, and of them what only leads to itself.
    fn successions(
        &self,
        latches: &Latches,
        meter: &mut Meter,
    ) -> Result<(Vec<Ways>, Vec<Group>), LimitError> {
        let (mut left, mut closed) = (Vec::new(), Vec::new());
        for known in &latches.successions {
            let members = known.stages.iter().flat_map(|(members, _)| members);
            let mut group: Vec<u32> =
                members.copied().filter(|&base| self.some_with(base, true, |_| u64::MAX)).collect();
            group.sort_unstable();
            if !(3..=MOST_MEMBERS).contains(&group.len()) {
                continue;
            }
            let follows = self.followers(&group, meter)?;
            let ways = ways(&group, &follows);
            closed.extend(ways.closed(&follows, &group));
            if ways.stages.len() > 1 {
                left.push(ways);
            }
        }
        Ok((left, closed))
    }

    /// Per member of a group what follows it somewhere, by position; last, where there are such states,
    /// none of them.
    fn followers(&self, group: &[u32], meter: &mut Meter) -> Result<Vec<Vec<usize>>, LimitError> {
        let states = self.all.len();
        meter.spend((states * group.len()) as u64)?;
        let place = |state: usize| {
            let held = group.iter().position(|&base| self.holds[base as usize].has(state));
            held.unwrap_or(group.len())
        };
        let places: Vec<usize> = (0..states).map(place).collect();
        let count = group.len() + usize::from(places.contains(&group.len()));
        let mut follows: Vec<FxHashSet<usize>> = vec![FxHashSet::default(); count];
        for (before, next) in self.all.all_next().enumerate() {
            meter.spend(next.len() as u64)?;
            follows[places[before]].extend(next.iter().map(|&after| places[after as usize]));
        }
        let sorted = |set: FxHashSet<usize>| {
            let mut list: Vec<usize> = set.into_iter().collect();
            list.sort_unstable();
            list
        };
        Ok(follows.into_iter().map(sorted).collect())
    }

    /// The groups without members that never hold; those in which each member gives way to another one, and
    /// that no smaller one says more than.
    fn disjunctions(&self, groups: Vec<Group>) -> Vec<Group> {
        let mut left: Vec<Group> = Vec::new();
        let mut shrunk: Vec<Group> = groups
            .into_iter()
            .map(|mut group| {
                group.members.retain(|&base| self.some_with(base, true, |_| u64::MAX));
                group
            })
            .collect();
        shrunk.sort_by_key(|group| group.members.len());
        for group in shrunk {
            let gives_way = group.members.iter().all(|&base| self.changes[base as usize].falls);
            if group.members.len() > 1 && gives_way && group.is_new(&left) {
                left.push(group);
            }
        }
        left
    }
}
