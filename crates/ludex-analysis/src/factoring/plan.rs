//! Games of one player, solved factor by factor (book 11.3 and 11.4): breadth first in each factor, and
//! the plans put together under the limits of the whole game. The states looked at are the sum over the
//! factors, and not the product.

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, Meter, TermId};
use ludex_propnet::{CircuitEvaluator, Edge, Gate, GateId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::game::{FactorGame, Way};
use super::partition::{Phase, all_of};
use super::{Factors, Joining};
use crate::finding::{Reason, Witness};

/// Combinations of what factors can come to that are looked at for one number of steps.
const MOST_COMBINATIONS: usize = 1 << 16;
/// Combinations that are tried on the rules before a number of steps is given up.
const MOST_TRIALS: usize = 64;

/// A plan for the whole game, verified on the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactorPlan {
    /// The moves, from the state in which the game was taken apart.
    pub moves: Vec<TermId>,
    /// What they lead to.
    pub value: Goal,
    /// States of factors that were looked at, all together.
    pub nodes: u64,
}

/// A state of a factor, and how it was reached.
struct Node {
    /// Bits of the factor's circuit, those of the clock included.
    state: Vec<bool>,
    parent: u32,
    /// Position in the circuit's moves, and which of its ways that was.
    action: u32,
    way: u32,
}

/// The search in one factor.
struct Search {
    factor: usize,
    game: FactorGame,
    /// The gates of the whole net that stand for what the factor has come to.
    leaves: Vec<GateId>,
    nodes: Vec<Node>,
    /// Per number of steps the nodes there.
    layers: Vec<std::ops::Range<usize>>,
    /// Per number of steps what can be reached, with a node that does.
    outcomes: Vec<Vec<(Vec<bool>, u32)>>,
    seen: FxHashSet<Vec<bool>>,
}

impl Factors {
    /// The best plan that the factors give, with the fewest steps for its value; for games of one player.
    /// No plan is given where the rules do not confirm one, though there may be one.
    ///
    /// # Errors
    /// [`Reason::Method`] for games of several players; when the budget is spent.
    pub fn plan(&self, most_steps: usize, budget: &Budget) -> Result<Option<FactorPlan>, Reason> {
        let circuit = &self.faithful.circuit;
        if circuit.moves.len() != 1 {
            return Err(Reason::Method("plans are for games of one player".to_owned()));
        }
        let initial: Vec<bool> = circuit.bases.iter().map(|base| base.initial).collect();
        if initial != self.state {
            return Err(Reason::Method("plans are made from the initial state".to_owned()));
        }
        let mut planner = Planner::new(self, budget.meter());
        let mut values: Vec<Goal> = self.net.goals[0].iter().map(|&(value, _)| value).collect();
        values.reverse();
        for value in values.into_iter().filter(|&value| value > 0) {
            for steps in 0..=most_steps {
                if !planner.reach(steps)? && planner.waiting.is_empty() {
                    break;
                }
                if let Some(moves) = planner.combine(value, steps)? {
                    return Ok(Some(FactorPlan { moves, value, nodes: planner.nodes() }));
                }
                if planner.is_over(steps) {
                    break;
                }
            }
        }
        Ok(None)
    }
}

struct Planner<'f> {
    factors: &'f Factors,
    searches: Vec<Search>,
    /// Whether each step is one of all factors: because moves are made in several at once, or because the clock says
    /// in which one, and in the others nothing is done meanwhile.
    together: bool,
    /// Per number of steps the bits of the clock, by base of the whole game.
    clock: Vec<Vec<(u32, bool)>>,
    /// Moves that do nothing in any factor that matters: to wait for the end with. None where each step is one of
    /// all factors.
    waiting: FxHashSet<TermId>,
    meter: Meter,
}

impl<'f> Planner<'f> {
    fn new(factors: &'f Factors, meter: Meter) -> Self {
        let clock = factors.clock.iter().map(|&base| (base, factors.state[base as usize])).collect();
        let goals = factors.net.goals[0].iter().map(|&(_, edge)| edge);
        let outcomes: Vec<Edge> = goals.chain([factors.net.terminal]).collect();
        let mut searches = Vec::new();
        for factor in 0..factors.bases.len() {
            let leaves = leaves(factors, &outcomes, factor);
            let asked: Vec<Edge> = leaves.iter().map(|&gate| Edge::new(gate, false)).collect();
            let game = factors.game_with(factor, &asked);
            let state = game.circuit.bases.iter().map(|base| base.initial).collect();
            let nodes = vec![Node { state, parent: 0, action: 0, way: 0 }];
            let layers = Vec::new();
            let seen = FxHashSet::default();
            searches.push(Search { factor, game, leaves, nodes, layers, outcomes: Vec::new(), seen });
        }
        let together = factors.joining == Joining::Joint || factors.go_by_clock();
        let waiting = if together { FxHashSet::default() } else { waiting_moves(factors, &searches) };
        Self { factors, searches, together, clock: vec![clock], waiting, meter }
    }

    fn nodes(&self) -> u64 {
        self.searches.iter().filter(|s| !s.leaves.is_empty()).map(|s| s.nodes.len() as u64).sum()
    }

    /// Searches all factors up to so many steps; false where there are no plans of that length.
    fn reach(&mut self, steps: usize) -> Result<bool, Reason> {
        while self.clock.len() <= steps {
            let next = self.next_clock();
            self.clock.push(next);
        }
        for at in 0..self.searches.len() {
            while self.searches[at].layers.len() <= steps {
                self.extend(at)?;
            }
        }
        let deepest =
            |search: &Search| search.layers.iter().rposition(|layer| !layer.is_empty()).unwrap_or(0);
        Ok(if self.together {
            self.searches.iter().all(|search| deepest(search) >= steps)
        } else {
            // One factor may move when the others are done.
            self.searches.iter().map(deepest).sum::<usize>() >= steps
        })
    }

    fn next_clock(&self) -> Vec<(u32, bool)> {
        let Some(now) = self.clock.last() else { return Vec::new() };
        let net = &self.factors.net;
        let held: FxHashMap<u32, bool> = now.iter().copied().collect();
        let value = |base: u32| {
            let Some(next) = net.next[base as usize] else { return false };
            let mut given = sources(self.factors, next, |base| held.get(&base).copied());
            net.evaluate(next, &mut given)
        };
        now.iter().map(|&(base, _)| (base, value(base))).collect()
    }

    /// One more layer of a factor.
    fn extend(&mut self, at: usize) -> Result<(), Reason> {
        let steps = self.searches[at].layers.len();
        let together = self.together;
        let over = |this: &Self, outcome: &[bool]| this.is_over_with(at, outcome, steps - 1);
        let from = self.searches[at].nodes.len();
        if steps > 0 {
            let parents = self.searches[at].layers[steps - 1].clone();
            let mut here = FxHashSet::default();
            for parent in parents {
                let outcome = self.searches[at].outcome(parent);
                if over(self, &outcome) {
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
                    let enough = self.searches[at].leaves.is_empty() && self.searches[at].nodes.len() > from;
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
    fn is_over(&self, steps: usize) -> bool {
        self.value_with(self.factors.net.terminal, &FxHashMap::default(), steps) == Some(true)
    }

    fn is_over_with(&self, at: usize, outcome: &[bool], steps: usize) -> bool {
        let given = self.searches[at].leaves.iter().copied().zip(outcome.iter().copied()).collect();
        self.value_with(self.factors.net.terminal, &given, steps) == Some(true)
    }

    /// The value of an edge of the whole net after so many steps, as far as some of the factors tell.
    fn value_with(&self, edge: Edge, given: &FxHashMap<GateId, bool>, steps: usize) -> Option<bool> {
        let net = &self.factors.net;
        let clock: FxHashMap<u32, bool> = self.clock[steps].iter().copied().collect();
        let mut known: FxHashMap<GateId, Option<bool>> = FxHashMap::default();
        let mut cone: Vec<GateId> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut open = vec![edge.gate()];
        while let Some(gate) = open.pop() {
            if seen.insert(gate) {
                cone.push(gate);
                if !given.contains_key(&gate) {
                    open.extend(net.operands(gate).iter().map(|e| e.gate()));
                }
            }
        }
        cone.sort_unstable();
        for gate in cone {
            let value = match (&net.gates[gate.index()], given.get(&gate)) {
                (_, Some(&value)) => Some(value),
                (Gate::Base(base), None) => clock.get(base).copied(),
                (Gate::And(edges), None) => all_of(edges, &known),
                _ => Some(false),
            };
            known.insert(gate, value);
        }
        all_of(&[edge], &known)
    }

    /// A plan of this many steps that ends the game with this value, if the factors have one.
    fn combine(&mut self, value: Goal, steps: usize) -> Result<Option<Vec<TermId>>, Reason> {
        let mut trials = 0;
        for choice in self.choices(value, steps)? {
            self.meter.spend(1 + self.factors.net.operands(self.factors.net.terminal.gate()).len() as u64)?;
            if !self.holds(value, &choice, steps) {
                continue;
            }
            self.meter.spend(steps as u64)?;
            let made = if self.together {
                self.side_by_side(&choice)
            } else {
                self.padded(self.one_after_another(&choice), steps)
            };
            if let Some(moves) = made.filter(|moves| self.is_confirmed(moves, value)) {
                return Ok(Some(moves));
            }
            trials += 1;
            if trials >= MOST_TRIALS {
                break;
            }
        }
        Ok(None)
    }

    /// Per factor a node, in all combinations that take this many steps and may be what is wanted.
    fn choices(&mut self, value: Goal, steps: usize) -> Result<Vec<Vec<u32>>, Reason> {
        let together = self.together;
        let wanted = self.wanted(value);
        // Nodes so far, with the steps they take together.
        let mut choices: Vec<(Vec<u32>, usize)> = vec![(Vec::new(), 0)];
        for at in 0..self.searches.len() {
            let lengths = match together {
                true => steps..=steps,
                // What does not matter is left alone where it can be.
                false if self.searches[at].leaves.is_empty() => 0..=0,
                false => 0..=steps,
            };
            let mut options = Vec::new();
            let mut known = FxHashSet::default();
            for length in lengths {
                for (outcome, node) in self.searches[at].outcomes.get(length).map_or(&[][..], Vec::as_slice) {
                    let given =
                        self.searches[at].leaves.iter().copied().zip(outcome.iter().copied()).collect();
                    let may_be = |edge: &Edge| self.value_with(*edge, &given, steps) != Some(false);
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
                    break;
                }
            }
            self.meter.spend(more.len() as u64)?;
            choices = more;
        }
        // What is done early waits for the step that ends the game.
        let may_wait = !self.waiting.is_empty() && self.is_over(steps);
        choices.retain(|(_, taken)| together || may_wait || *taken == steps);
        Ok(choices.into_iter().map(|(choice, _)| choice).collect())
    }

    /// The edges that are to be true in the end: it is the end, with this value.
    fn wanted(&self, value: Goal) -> Vec<Edge> {
        let net = &self.factors.net;
        let goal = net.goals[0].iter().find(|(found, _)| *found == value).map(|&(_, edge)| edge);
        std::iter::once(net.terminal).chain(goal).collect()
    }

    /// Whether the game is over with this value, as the factors see it.
    fn holds(&self, value: Goal, choice: &[u32], steps: usize) -> bool {
        let net = &self.factors.net;
        let mut known: FxHashMap<GateId, bool> = FxHashMap::default();
        for (search, &node) in self.searches.iter().zip(choice) {
            known.extend(search.leaves.iter().copied().zip(search.outcome(node as usize)));
        }
        let clock: FxHashMap<u32, bool> = self.clock[steps].iter().copied().collect();
        self.wanted(value).iter().all(|&edge| {
            let mut given = sources(self.factors, edge, |base| clock.get(&base).copied());
            given.extend(known.iter().map(|(&gate, &value)| (gate, value)));
            net.evaluate(edge, &mut given)
        })
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
                let part = self.factors.partition.parts.of(self.factors.bases[search.factor][0]);
                wanted.push((path[step].phase, part, &path[step].class));
            }
            let phase = wanted.first()?.0;
            if wanted.iter().any(|(other, ..)| *other != phase) {
                return None;
            }
            let empty = super::Class::default();
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

impl Search {
    /// What the factor has come to in a node.
    fn outcome(&self, node: usize) -> Vec<bool> {
        let values = CircuitEvaluator::new(&self.game.circuit).in_state(&self.nodes[node].state, &[]);
        self.game.asked.iter().map(|&edge| values.get(edge)).collect()
    }

    /// The states after the legal moves. Where factors move one at a time, moves elsewhere are none.
    fn successors(&self, parent: u32, together: bool) -> Vec<Node> {
        let evaluator = CircuitEvaluator::new(&self.game.circuit);
        let state = &self.nodes[parent as usize].state;
        let now = evaluator.in_state(state, &[]);
        let mut found = Vec::new();
        for (action, ways) in (0u32..).zip(&self.game.ways[0]) {
            for (way, made) in (0u32..).zip(ways) {
                let elsewhere = made.class.0.is_empty();
                if now.get(made.legal) && (together || !elsewhere) {
                    found.push(Node { state: evaluator.next(state, &[action]), parent, action, way });
                }
            }
        }
        found
    }

    /// The moves that lead to a node.
    fn path(&self, node: u32) -> Vec<&Way> {
        let mut made = Vec::new();
        let mut at = node;
        while at != 0 {
            let node = &self.nodes[at as usize];
            made.push(&self.game.ways[0][node.action as usize][node.way as usize]);
            at = node.parent;
        }
        made.reverse();
        made
    }
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
}

/// The moves that are nothing in the factors that matter.
fn waiting_moves(factors: &Factors, searches: &[Search]) -> FxHashSet<TermId> {
    let part = |search: &Search| factors.partition.parts.of(factors.bases[search.factor][0]);
    let idle: FxHashSet<u32> = searches.iter().filter(|s| s.leaves.is_empty()).map(part).collect();
    let phases = factors.partition.phases.iter().flat_map(|phase| &phase.moves);
    let waiting = phases.filter(|taken| taken.classes.keys().all(|part| idle.contains(part)));
    waiting.map(|taken| factors.faithful.circuit.moves[0][taken.number as usize]).collect()
}

/// The first gates on the way from the outcomes that depend on this factor and on nothing else.
fn leaves(factors: &Factors, outcomes: &[Edge], factor: usize) -> Vec<GateId> {
    let own = |edge: Edge| {
        let bases = &factors.bases[factor];
        let (mut any, mut all) = (false, true);
        for base in factors.net.support(edge) {
            let inside = bases.binary_search(&base).is_ok();
            any |= inside;
            all &= inside;
        }
        (any, any && all)
    };
    let mut found = Vec::new();
    let mut seen = FxHashSet::default();
    let mut open: Vec<GateId> = outcomes.iter().map(|edge| edge.gate()).collect();
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        match own(Edge::new(gate, false)) {
            (_, true) => found.push(gate),
            (true, false) => open.extend(factors.net.operands(gate).iter().map(|e| e.gate())),
            (false, _) => {}
        }
    }
    found.sort_unstable();
    found
}

/// The bases below an edge that are given, to evaluate it with.
fn sources(factors: &Factors, edge: Edge, value: impl Fn(u32) -> Option<bool>) -> FxHashMap<GateId, bool> {
    let mut given = FxHashMap::default();
    let mut seen = FxHashSet::default();
    let mut open = vec![edge.gate()];
    while let Some(gate) = open.pop() {
        if !seen.insert(gate) {
            continue;
        }
        if let Gate::Base(base) = factors.net.gates[gate.index()]
            && let Some(value) = value(base)
        {
            given.insert(gate, value);
        }
        open.extend(factors.net.operands(gate).iter().map(|e| e.gate()));
    }
    given
}
