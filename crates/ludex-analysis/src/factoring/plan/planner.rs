//! Plans of factors, put together.

use ludex_game::{Goal, RoleId};
use ludex_logic::{Meter, TermId};
use ludex_propnet::{Edge, GateId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::super::game::Way;
use super::super::partition::Phase;
use super::super::{Class, Factors};
use super::outcome::Moment;
use super::search::Search;
use crate::finding::{Reason, Witness};

/// Combinations of what factors can come to that are looked at for one number of steps.
const MOST_COMBINATIONS: usize = 1 << 16;
/// Combinations that are tried on the rules before a number of steps is given up.
const MOST_TRIALS: usize = 64;

/// What the factors say of plans that end with a value.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Combined {
    /// There is one.
    Plan(Vec<TermId>),
    /// There is none.
    None,
    /// None was found, but there may be one.
    Open,
}

/// One node for each factor.
struct Combination {
    nodes: Vec<u32>,
    /// Whether the ways to these nodes, and waiting for the end where that can be done, have the number of
    /// steps that is asked for. It may be that other ways to the same nodes do.
    fits: bool,
}

/// The searches in all factors, and how their steps are those of the whole game.
pub(super) struct Planner<'f> {
    factors: &'f Factors,
    searches: Vec<Search>,
    /// Whether each step is one of all factors: because moves are made in several at once, or because the clock says
    /// in which one, and in the others nothing is done meanwhile. Else factors stand still while moves are
    /// made elsewhere, and so does the clock.
    together: bool,
    /// Whether every course of the game is, in each factor that matters, a course of that search.
    is_exact: bool,
    /// Per number of steps the clock.
    clock: Vec<Moment>,
    /// Moves that do nothing in any factor that matters: to wait for the end with. None where each step is one of
    /// all factors.
    waiting: FxHashSet<TermId>,
    meter: Meter,
}

impl<'f> Planner<'f> {
    /// Searches that go one step at a time in all factors or, where moves are made in one of them at a time,
    /// in one after another.
    ///
    /// # Errors
    /// When the meter's budget is spent.
    pub(super) fn new(factors: &'f Factors, meter: Meter) -> Result<Self, Reason> {
        Self::with(factors, factors.has_common_moves() || factors.go_by_clock(), meter)
    }

    /// Searches in which each step is one of all factors, whether or not something is done there. What moves
    /// elsewhere leave as it is stays, and what goes on by itself goes on; so no course is missed, but not
    /// all that go well in each factor go well together.
    ///
    /// # Errors
    /// When the meter's budget is spent.
    pub(super) fn step_by_step(factors: &'f Factors, meter: Meter) -> Result<Self, Reason> {
        Self::with(factors, true, meter)
    }

    fn with(factors: &'f Factors, together: bool, mut meter: Meter) -> Result<Self, Reason> {
        let goals = factors.net.goals[0].iter().map(|&(_, edge)| edge);
        let outcomes: Vec<Edge> = goals.chain([factors.net.terminal]).collect();
        let searches: Vec<Search> =
            (0..factors.bases.len()).map(|factor| Search::new(factors, &outcomes, factor)).collect();
        let waiting = if together { FxHashSet::default() } else { waiting_moves(factors, &searches) };
        let mut is_exact = true;
        for search in searches.iter().filter(|search| !together && search.matters()) {
            is_exact = is_exact && factors.stands_still(search.factor, &mut meter)?;
        }
        let clock = vec![factors.first_moment()];
        Ok(Self { factors, searches, together, is_exact, clock, waiting, meter })
    }

    /// Whether what it refutes is refuted: [`Combined::None`] is never said otherwise.
    pub(super) fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// Sets the limits, and forgets what was spent.
    pub(super) fn spend_from(&mut self, meter: Meter) {
        self.meter = meter;
    }

    /// States of factors that were looked at, all together.
    pub(super) fn nodes(&self) -> u64 {
        self.searches.iter().filter(|search| search.matters()).map(|s| s.nodes.len() as u64).sum()
    }

    /// Searches all factors up to so many steps. Answers whether there may be courses of that length that
    /// come to something else than shorter ones.
    pub(super) fn reach(&mut self, steps: usize) -> Result<Reach, Reason> {
        while let Some(now) = self.clock.last().filter(|_| self.clock.len() <= steps) {
            self.clock.push(self.factors.next_moment(now));
        }
        for at in 0..self.searches.len() {
            while self.searches[at].layers.len() <= steps {
                self.extend(at)?;
            }
        }
        if self.together {
            let stuck = |matters: bool| {
                self.searches.iter().any(|search| search.matters() == matters && search.deepest() < steps)
            };
            return Ok(match (stuck(true), stuck(false)) {
                (true, _) => Reach::Nothing,
                // In factors that do not matter, one way to go on is looked at, and others may go further.
                (false, true) => Reach::Unknown,
                (false, false) => Reach::More,
            });
        }
        // One factor may move when the others are done. The clock goes on all the same.
        let matter = self.searches.iter().filter(|search| search.matters());
        let deepest = matter.map(Search::deepest).sum::<usize>();
        let is_over = deepest < steps && !self.factors.ends_by_clock();
        Ok(if is_over { Reach::Nothing } else { Reach::More })
    }

    /// One more layer of a factor.
    fn extend(&mut self, at: usize) -> Result<(), Reason> {
        let steps = self.searches[at].layers.len();
        let together = self.together;
        let from = self.searches[at].nodes.len();
        if steps > 0 {
            let parents = self.searches[at].layers[steps - 1].clone();
            let mut here = FxHashSet::default();
            for parent in parents {
                let outcome = self.searches[at].outcome(parent);
                if self.is_over_with(at, &outcome, steps - 1) {
                    continue;
                }
                let found = self.searches[at].successors(parent as u32, together);
                self.meter
                    .spend(self.searches[at].game.circuit.gates.len() as u64 * (1 + found.len() as u64))?;
                for mut node in found {
                    self.set_clock(at, &mut node.state, steps);
                    // Where all factors move together each has to move on, also in a circle.
                    let new = if together {
                        here.insert(node.state.clone())
                    } else {
                        self.searches[at].seen.insert(node.state.clone())
                    };
                    // A factor that does not matter only has to go on somehow.
                    let enough = !self.searches[at].matters() && self.searches[at].nodes.len() > from;
                    if new && !enough {
                        self.searches[at].nodes.push(node);
                    }
                }
            }
            let held: usize = self.searches.iter().map(|s| s.nodes.len() * s.game.bases.len()).sum();
            self.meter.check_memory(held, || "states of factors".to_owned())?;
        } else if !together {
            let start = self.searches[at].nodes[0].state.clone();
            self.searches[at].seen.insert(start);
        }
        let search = &mut self.searches[at];
        let layer = if steps == 0 { 0..1 } else { from..search.nodes.len() };
        let mut outcomes: Vec<(Vec<bool>, u32)> = Vec::new();
        let mut known = FxHashSet::default();
        for node in layer.clone() {
            let outcome = search.outcome(node);
            if known.insert(outcome.clone()) {
                outcomes.push((outcome, node as u32));
            }
        }
        search.layers.push(layer);
        search.outcomes.push(outcomes);
        Ok(())
    }

    /// Sets the clock in a state of a factor. Where factors move one at a time, how often the others have
    /// moved is not known: the clock stands still.
    fn set_clock(&self, at: usize, state: &mut [bool], steps: usize) {
        let steps = if self.together { steps } else { 0 };
        for &(base, value) in &self.clock[steps] {
            if let Ok(place) = self.searches[at].game.bases.binary_search(&base) {
                state[place] = value;
            }
        }
    }

    /// Whether the game is over after so many steps whatever the factors have come to.
    pub(super) fn is_over(&self, steps: usize) -> bool {
        let (terminal, moment) = (self.factors.net.terminal, &self.clock[steps]);
        self.factors.value_with(terminal, &FxHashMap::default(), Some(moment)) == Some(true)
    }

    /// Whether the game is over once a factor has come to this after so many steps of its own. Where
    /// factors move one at a time, that is so at whatever time that is.
    fn is_over_with(&self, at: usize, outcome: &[bool], steps: usize) -> bool {
        let given = self.searches[at].leaves.iter().copied().zip(outcome.iter().copied()).collect();
        let moment = self.together.then(|| &self.clock[steps]);
        self.factors.value_with(self.factors.net.terminal, &given, moment) == Some(true)
    }

    /// A plan of this many steps that ends the game with this value, if the factors have one.
    pub(super) fn combine(&mut self, value: Goal, steps: usize) -> Result<Combined, Reason> {
        let wanted = self.factors.wanted(value);
        let (choices, are_all) = self.choices(&wanted, steps)?;
        let mut is_open = !are_all || !self.is_exact;
        let mut trials = 0;
        for choice in choices {
            self.meter.spend(1 + self.factors.net.operands(self.factors.net.terminal.gate()).len() as u64)?;
            if !self.holds(&wanted, &choice.nodes, steps) {
                continue;
            }
            is_open = true;
            if !choice.fits {
                continue;
            }
            self.meter.spend(steps as u64)?;
            let made = if self.together {
                self.side_by_side(&choice.nodes)
            } else {
                self.padded(self.one_after_another(&choice.nodes), steps)
            };
            if let Some(moves) = made.filter(|moves| self.is_confirmed(moves, value)) {
                return Ok(Combined::Plan(moves));
            }
            trials += 1;
            if trials >= MOST_TRIALS {
                break;
            }
        }
        Ok(if is_open { Combined::Open } else { Combined::None })
    }

    /// Per factor a node, in all combinations that take at most this many steps and may be what is wanted;
    /// and whether these are all.
    fn choices(&mut self, wanted: &[Edge], steps: usize) -> Result<(Vec<Combination>, bool), Reason> {
        let together = self.together;
        let mut are_all = true;
        // Nodes so far, with the steps they take together.
        let mut choices: Vec<(Vec<u32>, usize)> = vec![(Vec::new(), 0)];
        for at in 0..self.searches.len() {
            let lengths = match together {
                true => steps..=steps,
                // What does not matter is left alone where it can be.
                false if !self.searches[at].matters() => 0..=0,
                false => 0..=steps,
            };
            let mut options = Vec::new();
            let mut known = FxHashSet::default();
            for length in lengths {
                for (outcome, node) in self.searches[at].outcomes.get(length).map_or(&[][..], Vec::as_slice) {
                    let given =
                        self.searches[at].leaves.iter().copied().zip(outcome.iter().copied()).collect();
                    let moment = Some(&self.clock[steps]);
                    let may_be = |edge: &Edge| self.factors.value_with(*edge, &given, moment) != Some(false);
                    // The shortest way to an outcome will do.
                    if wanted.iter().all(may_be) && known.insert(outcome) {
                        options.push((*node, length));
                    }
                }
            }
            let mut more = Vec::new();
            for (choice, taken) in &choices {
                for &(node, length) in
                    options.iter().filter(|(_, length)| together || taken + length <= steps)
                {
                    let mut choice = choice.clone();
                    choice.push(node);
                    more.push((choice, taken + length));
                }
                if more.len() > MOST_COMBINATIONS {
                    more.truncate(MOST_COMBINATIONS);
                    are_all = false;
                    break;
                }
            }
            self.meter.spend(more.len() as u64)?;
            choices = more;
        }
        // What is done early waits for the step that ends the game.
        let may_wait = !self.waiting.is_empty() && self.is_over(steps);
        let combination =
            |(nodes, taken)| Combination { nodes, fits: together || may_wait || taken == steps };
        Ok((choices.into_iter().map(combination).collect(), are_all))
    }

    /// Whether what is wanted holds, as the factors see it.
    fn holds(&self, wanted: &[Edge], choice: &[u32], steps: usize) -> bool {
        let mut known: FxHashMap<GateId, bool> = FxHashMap::default();
        for (search, &node) in self.searches.iter().zip(choice) {
            known.extend(search.leaves.iter().copied().zip(search.outcome(node as usize)));
        }
        self.factors.all_hold(wanted, &known, &self.clock[steps])
    }

    /// Moves that are in the class that each factor wants, step by step.
    fn side_by_side(&self, choice: &[u32]) -> Option<Vec<TermId>> {
        let paths: Vec<Vec<&Way>> =
            self.searches.iter().zip(choice).map(|(search, &node)| search.path(node)).collect();
        let length = paths.first().map_or(0, Vec::len);
        let mut moves = Vec::with_capacity(length);
        for step in 0..length {
            let mut wanted = Vec::with_capacity(paths.len());
            for (search, path) in self.searches.iter().zip(&paths) {
                let part = self.factors.partition.parts.root(self.factors.bases[search.factor][0]);
                wanted.push((path[step].phase, part, &path[step].class));
            }
            let phase = wanted.first()?.0;
            if wanted.iter().any(|(other, ..)| *other != phase) {
                return None;
            }
            let empty = Class::default();
            let found = self.factors.partition.phases[phase].moves.iter().find(|taken| {
                wanted.iter().all(|(_, part, class)| taken.classes.get(part).unwrap_or(&empty) == *class)
            })?;
            moves.push(self.factors.faithful.circuit.moves[0][found.number as usize]);
        }
        Some(moves)
    }

    /// The plans of the factors, one after another.
    fn one_after_another(&self, choice: &[u32]) -> Vec<TermId> {
        let mut moves = Vec::new();
        for (search, &node) in self.searches.iter().zip(choice) {
            let term = |way: &Way| self.factors.faithful.circuit.moves[0][way.numbers[0] as usize];
            moves.extend(search.path(node).into_iter().map(term));
        }
        moves
    }

    /// The plan with moves that do nothing at its end, so that it has so many steps (the step limit of book
    /// 11.3); none where there is no such move.
    fn padded(&self, mut moves: Vec<TermId>, steps: usize) -> Option<Vec<TermId>> {
        if moves.len() == steps {
            return Some(moves);
        }
        let witness = Witness { steps: moves.iter().map(|&action| vec![action]).collect() };
        let mut position = witness.replay(&self.factors.rules).ok()?;
        while moves.len() < steps {
            let legal = position.legal(RoleId(0)).ok()?;
            let &action = legal.iter().find(|action| self.waiting.contains(action))?;
            position.advance(&[action]).ok()?;
            moves.push(action);
        }
        Some(moves)
    }

    /// Whether the rules agree: the game is over after these moves, and not before, with this value.
    fn is_confirmed(&self, moves: &[TermId], value: Goal) -> bool {
        let witness = Witness { steps: moves.iter().map(|&action| vec![action]).collect() };
        let Ok(end) = witness.replay(&self.factors.rules) else { return false };
        let goals = self.factors.rules.goals(end.state());
        end.terminal() == Ok(true)
            && goals.is_ok_and(|goals| goals.get(RoleId(0).index()) == Some(&Some(value)))
    }
}

/// How far the searches get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reach {
    /// There may be courses of so many steps that come to something new.
    More,
    /// There are none, nor longer ones.
    Nothing,
    /// Not known, and not looked at.
    Unknown,
}

impl Factors {
    /// Whether the clock says in which of several factors a move is made.
    fn go_by_clock(&self) -> bool {
        let parts = |phase: &Phase| {
            let parts: FxHashSet<u32> =
                phase.moves.iter().flat_map(|taken| taken.classes.keys().copied()).collect();
            parts
        };
        let phases: Vec<FxHashSet<u32>> = self.partition.phases.iter().map(parts).collect();
        let all: FxHashSet<u32> = phases.iter().flatten().copied().collect();
        all.len() > 1 && phases.iter().all(|parts| parts.len() <= 1)
    }

    /// Whether a factor stays as it is while moves are made in others, and is the same at all times: then
    /// what a course of the game does there are just the moves that are made there.
    fn stands_still(&self, factor: usize, meter: &mut Meter) -> Result<bool, Reason> {
        let bases = &self.bases[factor];
        let part = self.partition.parts.root(bases[0]);
        let is_timed = |phase: &Phase| {
            !phase.clock.is_empty() && phase.moves.iter().any(|taken| taken.classes.contains_key(&part))
        };
        let next = |&base: &u32| self.net.next[base as usize];
        if bases.iter().filter_map(next).any(|next| self.reads_clock(next))
            || self.partition.phases.iter().any(is_timed)
        {
            return Ok(false);
        }
        for &base in bases {
            if !self.partition.keeps[base as usize] && !self.net.stays_alone(base, meter)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

/// The moves that are nothing in the factors that matter.
fn waiting_moves(factors: &Factors, searches: &[Search]) -> FxHashSet<TermId> {
    let part = |search: &Search| factors.partition.parts.root(factors.bases[search.factor][0]);
    let idle: FxHashSet<u32> = searches.iter().filter(|s| !s.matters()).map(part).collect();
    let phases = factors.partition.phases.iter().flat_map(|phase| &phase.moves);
    let waiting = phases.filter(|taken| taken.classes.keys().all(|part| idle.contains(part)));
    waiting.map(|taken| factors.faithful.circuit.moves[0][taken.number as usize]).collect()
}
