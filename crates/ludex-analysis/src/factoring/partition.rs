//! Which bases belong together.

use ludex_logic::Meter;
use ludex_propnet::{Circuit, Edge, Gate};
use rustc_hash::{FxHashMap, FxHashSet};

use super::effects::Effects;
use super::net::Net;
use super::turns::clock;
use crate::finding::Reason;
use crate::sat::{Origin, Unrolling, Verdict};
use ludex_logic::UnionFind;

/// With more parts than this, pairs of parts are not compared.
const MOST_PARTS: usize = 300;
/// The most combinations of classes that are looked at for moves that are missing.
const MOST_COMBINATIONS: usize = 1 << 16;
/// Conflicts for the question whether a missing combination could ever be wanted.
const CONFLICTS: u64 = 2_000;

/// Whether not all bases are of one part, but for those of the clock.
fn are_several(parts: &UnionFind, net: &Net, clock: &[bool]) -> bool {
    let bases = (0u32..).zip(&net.next);
    let mut roots = bases
        .filter(|(base, next)| next.is_some() && !clock[*base as usize])
        .map(|(base, _)| parts.root(base));
    roots.next().is_some_and(|first| roots.any(|root| root != first))
}

/// What a move is in one part: what it does there, and what its legality asks there.
pub(super) type Class = (Vec<(u32, Edge)>, Vec<Edge>);

/// A move, part by part; parts in which it is nothing are left out.
#[derive(Clone, Debug)]
pub(super) struct Taken {
    /// Role and position in the circuit's list.
    pub(super) role: u32,
    pub(super) number: u32,
    pub(super) classes: FxHashMap<u32, Class>,
}

/// Moves of one role that are legal at the same times, as far as the clock says.
#[derive(Clone, Debug)]
pub(super) struct Phase {
    pub(super) clock: Vec<Edge>,
    pub(super) moves: Vec<Taken>,
    /// Whether each move is something in one part at most.
    pub(super) single: bool,
}

impl Phase {
    /// Whether it makes no difference which of the moves is made. A move that has to be made may well be
    /// something in all parts, such as waiting for the other role where the rules say of each of its moves
    /// what that leaves as it is; it joins nothing.
    fn is_forced(&self) -> bool {
        let mut moves = self.moves.iter();
        moves.next().is_none_or(|first| moves.all(|taken| taken.classes == first.classes))
    }

    /// Whether moves are chosen in one part each.
    pub(super) fn is_single_choice(&self) -> bool {
        self.single || self.is_forced()
    }
}

/// The bases taken apart.
#[derive(Debug)]
pub(super) struct Partition {
    pub(super) parts: UnionFind,
    /// Per base whether it runs on by itself, whatever is done.
    pub(super) clock: Vec<bool>,
    pub(super) phases: Vec<Phase>,
    /// Per base whether moves usually leave it as it is: those that are made in other parts only do. It may
    /// stay as it is all the same, where no move does anything ([`Net::stays_alone`]).
    pub(super) keeps: Vec<bool>,
}

impl Partition {
    /// Whether there are several parts.
    pub(super) fn is_compound(&self, net: &Net) -> bool {
        are_several(&self.parts, net, &self.clock)
    }
}

pub(super) struct Divider<'a> {
    pub(super) net: &'a Net,
    /// What moves do, turn by turn.
    pub(super) effects: &'a [Effects],
    pub(super) circuit: &'a Circuit,
    pub(super) meter: &'a mut Meter,
}

impl Divider<'_> {
    pub(super) fn divide(&mut self) -> Result<Partition, Reason> {
        let clock = clock(self.net);
        let mut parts = UnionFind::new(self.net.next.len());
        for (base, next) in (0u32..).zip(&self.net.next) {
            if let Some(next) = next.filter(|_| !clock[base as usize]) {
                let needs = self.net.support(next).filter(|&other| !clock[other as usize]);
                parts.join_all(std::iter::once(base).chain(needs));
            }
        }
        for legal in self.effects.iter().flat_map(|effects| effects.legal.iter().flatten()) {
            for operand in conditions(self.net, *legal) {
                parts.join_all(self.net.support(operand).filter(|&base| !clock[base as usize]));
            }
        }
        let mut partition = Partition { parts, clock, phases: Vec::new(), keeps: Vec::new() };
        if let Some(single) = self.apart(&partition) {
            partition.parts = single;
        }
        loop {
            partition.phases = self.phases(&partition);
            self.meter.spend(partition.phases.iter().map(|phase| phase.moves.len() as u64).sum())?;
            if !self.join_phases(&mut partition)? {
                break;
            }
        }
        // Where a role has to play in one part or another, the others wait.
        let is_choice = |phase: &Phase| {
            if phase.is_forced() {
                return false;
            }
            let mut parts = phase.moves.iter().flat_map(|taken| taken.classes.keys());
            parts.next().is_some_and(|first| parts.any(|part| part != first))
        };
        let single = partition.phases.iter().all(Phase::is_single_choice);
        if single && partition.phases.iter().any(is_choice) {
            self.join_outcomes(&mut partition)?;
            partition.phases = self.phases(&partition);
        }
        partition.keeps = (0..self.net.next.len() as u32).map(|base| self.usually_keeps(base)).collect();
        Ok(partition)
    }

    /// Whether moves usually leave a base as it is.
    fn usually_keeps(&self, base: u32) -> bool {
        self.effects.iter().all(|effects| effects.keeps[base as usize])
    }

    /// Whether a base stays as it is while moves are made elsewhere.
    fn keeps(&mut self, base: u32) -> Result<bool, Reason> {
        Ok(self.usually_keeps(base) || self.net.stays_alone(base, self.meter)?)
    }

    /// The parts in which each move that is chosen is something in one of them only, where that leaves
    /// several.
    fn apart(&self, partition: &Partition) -> Option<UnionFind> {
        let mut parts = partition.parts.clone();
        let phases = self.phases(partition);
        for taken in phases.iter().filter(|phase| !phase.is_forced()).flat_map(|phase| &phase.moves) {
            parts.join_all(taken.classes.keys().copied());
        }
        are_several(&parts, self.net, &partition.clock).then_some(parts)
    }

    /// All moves that can be legal, part by part.
    fn phases(&self, partition: &Partition) -> Vec<Phase> {
        let mut phases: Vec<Phase> = Vec::new();
        let mut places: FxHashMap<(u32, Vec<Edge>), usize> = FxHashMap::default();
        for effects in self.effects {
            for (role, list) in (0u32..).zip(&effects.legal) {
                for (number, &legal) in (0u32..).zip(list).filter(|(_, legal)| **legal != Edge::FALSE) {
                    let (clock, classes) = self.divided(partition, effects, (role, number), legal);
                    let place = *places.entry((role, clock.clone())).or_insert(phases.len());
                    if place == phases.len() {
                        phases.push(Phase { clock, moves: Vec::new(), single: true });
                    }
                    phases[place].single &= classes.len() <= 1;
                    phases[place].moves.push(Taken { role, number, classes });
                }
            }
        }
        phases
    }

    /// What a move asks of the clock, and what it is in each part.
    fn divided(
        &self,
        partition: &Partition,
        effects: &Effects,
        (role, number): (u32, u32),
        legal: Edge,
    ) -> (Vec<Edge>, FxHashMap<u32, Class>) {
        let mut clock = effects.turn.clone();
        let mut classes: FxHashMap<u32, Class> = FxHashMap::default();
        for operand in conditions(self.net, legal) {
            match self.net.support(operand).find(|&base| !partition.clock[base as usize]) {
                Some(base) => classes.entry(partition.parts.root(base)).or_default().1.push(operand),
                None => clock.push(operand),
            }
        }
        for &(base, edge) in &effects.of[role as usize][number as usize] {
            classes.entry(partition.parts.root(base)).or_default().0.push((base, edge));
        }
        (clock, classes)
    }

    /// Joins parts whose moves cannot be chosen freely; whether there were any.
    fn join_phases(&mut self, partition: &mut Partition) -> Result<bool, Reason> {
        let mut joined = false;
        for phase in partition.phases.iter().filter(|phase| !phase.single) {
            let mut parts: Vec<u32> =
                phase.moves.iter().flat_map(|taken| taken.classes.keys().copied()).collect();
            parts.sort_unstable();
            parts.dedup();
            if parts.len() > MOST_PARTS {
                partition.parts.join_all(parts);
                joined = true;
                continue;
            }
            for (at, &one) in parts.iter().enumerate() {
                for &other in &parts[at + 1..] {
                    if partition.parts.root(one) != partition.parts.root(other)
                        && !self.is_lossless(phase, &[one, other])?
                    {
                        partition.parts.join(one, other);
                        joined = true;
                    }
                }
            }
            if !joined && !self.is_lossless(phase, &parts)? {
                partition.parts.join_all(parts);
                joined = true;
            }
        }
        Ok(joined)
    }

    /// The lossless join of book 11.4: whatever classes are chosen in these parts, one for each, there
    /// is a move that is in all of them; or it could never be legal.
    fn is_lossless(&mut self, phase: &Phase, parts: &[u32]) -> Result<bool, Reason> {
        let empty = Class::default();
        let mut lists: Vec<Vec<&Class>> = vec![Vec::new(); parts.len()];
        let mut numbers: Vec<FxHashMap<&Class, u32>> = vec![FxHashMap::default(); parts.len()];
        let mut present: FxHashSet<Vec<u32>> = FxHashSet::default();
        for taken in &phase.moves {
            let mut row = Vec::with_capacity(parts.len());
            for (place, part) in parts.iter().enumerate() {
                let class = taken.classes.get(part).unwrap_or(&empty);
                let next = lists[place].len() as u32;
                let number = *numbers[place].entry(class).or_insert(next);
                if number == next {
                    lists[place].push(class);
                }
                row.push(number);
            }
            present.insert(row);
        }
        self.meter.spend((phase.moves.len() * parts.len()) as u64)?;
        let all = lists.iter().try_fold(1usize, |all, list| all.checked_mul(list.len()));
        let Some(all) = all.filter(|&all| all == present.len() || all <= MOST_COMBINATIONS) else {
            return Ok(false);
        };
        if all == present.len() {
            return Ok(true);
        }
        // Far too many are missing for all of them to be impossible.
        if all - present.len() > present.len() {
            return Ok(false);
        }
        for number in 0..all {
            let mut left = number;
            let mut row = Vec::with_capacity(parts.len());
            for list in &lists {
                row.push((left % list.len()) as u32);
                left /= list.len();
            }
            if !present.contains(&row) {
                let chosen = row.iter().zip(&lists).flat_map(|(&at, list)| &list[at as usize].1);
                let wanted: Vec<Edge> = chosen.chain(&phase.clock).copied().collect();
                if !self.is_impossible(&wanted)? {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Whether these can never hold together in a state that is not terminal.
    fn is_impossible(&mut self, wanted: &[Edge]) -> Result<bool, Reason> {
        // The net has no frames; its few gates that matter are asked as a formula of their own.
        let mut unrolling = Unrolling::new(self.circuit, Origin::Any, self.meter.clone());
        let mut literals = FxHashMap::default();
        let terminal = self.encode(&mut unrolling, self.net.terminal, &mut literals)?;
        let mut assumptions = vec![!terminal];
        for &edge in wanted {
            assumptions.push(self.encode(&mut unrolling, edge, &mut literals)?);
        }
        Ok(unrolling.solve(&assumptions, CONFLICTS)? == Verdict::Unsatisfiable)
    }

    /// An edge of the net over the bases of the circuit's first frame.
    fn encode(
        &self,
        unrolling: &mut Unrolling<'_>,
        edge: Edge,
        literals: &mut FxHashMap<u32, crate::sat::Literal>,
    ) -> Result<crate::sat::Literal, Reason> {
        for gate in self.net.cone(edge, |gate| literals.contains_key(&gate.0)) {
            let literal = match self.net.gate(gate) {
                Gate::Base(base) => unrolling.base(0, *base)?,
                Gate::And(edges) => {
                    let part = |e: &Edge| {
                        let literal = literals[&e.gate().0];
                        if e.is_complemented() { !literal } else { literal }
                    };
                    let parts: Vec<_> = edges.iter().map(part).collect();
                    unrolling.solver().conjunction(&parts)?
                }
                Gate::False => unrolling.solver().constant(false),
                _ => unrolling.solver().variable(),
            };
            literals.insert(gate.0, literal);
        }
        let literal = literals[&edge.gate().0];
        Ok(if edge.is_complemented() { !literal } else { literal })
    }

    /// Joins parts that matter only together: what the end of the game, or a goal value, asks of several
    /// of them is taken apart where it is a choice between them (disjunctive termination, book 11.3), or
    /// asks for all of them and none of them changes while nobody plays there.
    fn join_outcomes(&mut self, partition: &mut Partition) -> Result<(), Reason> {
        let goals = self.net.goals.iter().flatten().map(|&(_, edge)| edge);
        let outcomes: Vec<Edge> = std::iter::once(self.net.terminal).chain(goals).collect();
        let outcomes: Vec<Edge> =
            outcomes.into_iter().map(|edge| self.net.without_clock(edge, &partition.clock)).collect();
        let choices: FxHashSet<_> =
            outcomes.iter().filter(|edge| edge.is_complemented()).map(|edge| edge.gate()).collect();
        for &outcome in &outcomes {
            let operands = match self.net.operands(outcome.gate()) {
                [] => vec![Edge::new(outcome.gate(), false)],
                inner => inner.to_vec(),
            };
            for &operand in &operands {
                let bases = self.net.support(operand).filter(|&base| !partition.clock[base as usize]);
                partition.parts.join_all(bases);
            }
            if !choices.contains(&outcome.gate()) {
                let bases: Vec<u32> =
                    self.net.support(outcome).filter(|&base| !partition.clock[base as usize]).collect();
                let mut all_stay = true;
                for &base in &bases {
                    all_stay = all_stay && self.keeps(base)?;
                }
                if !all_stay {
                    partition.parts.join_all(bases);
                }
            }
        }
        Ok(())
    }
}

/// What must all hold for an edge to.
fn conditions(net: &Net, edge: Edge) -> Vec<Edge> {
    match net.operands(edge.gate()) {
        _ if edge.constant().is_some() => Vec::new(),
        inner if !edge.is_complemented() && !inner.is_empty() => inner.to_vec(),
        _ => vec![edge],
    }
}
