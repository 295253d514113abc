//! What the end of the game and its goals come to, as far as factors and the clock tell.

use ludex_game::Goal;
use ludex_propnet::{Edge, Gate, GateId, ternary_and};
use rustc_hash::FxHashMap;

use super::super::Factors;

/// The bits of the clock, by base of the whole game.
pub(super) type Moment = Vec<(u32, bool)>;

impl Factors {
    /// The bits of the clock at first.
    pub(super) fn first_moment(&self) -> Moment {
        self.clock.iter().map(|&base| (base, self.state[base as usize])).collect()
    }

    /// The bits of the clock one step later.
    pub(super) fn next_moment(&self, now: &Moment) -> Moment {
        let held: FxHashMap<u32, bool> = now.iter().copied().collect();
        let value = |base: u32| {
            let Some(next) = self.net.next[base as usize] else { return false };
            let mut given = self.sources(next, |base| held.get(&base).copied());
            self.net.evaluate(next, &mut given)
        };
        now.iter().map(|&(base, _)| (base, value(base))).collect()
    }

    /// The edges that are to be true in the end: it is the end, with this value.
    pub(super) fn wanted(&self, value: Goal) -> Vec<Edge> {
        let goal = self.net.goals[0].iter().find(|(found, _)| *found == value).map(|&(_, edge)| edge);
        std::iter::once(self.net.terminal).chain(goal).collect()
    }

    /// The value of an edge of the whole net, as far as some of the factors tell, and the clock where it is
    /// known.
    pub(super) fn value_with(
        &self,
        edge: Edge,
        given: &FxHashMap<GateId, bool>,
        moment: Option<&Moment>,
    ) -> Option<bool> {
        let net = &self.net;
        let clock: FxHashMap<u32, bool> = moment.into_iter().flatten().copied().collect();
        let mut known = given.clone();
        for gate in net.cone(edge, |gate| given.contains_key(&gate)) {
            let value = match net.gate(gate) {
                Gate::Base(base) => clock.get(base).copied(),
                Gate::And(edges) => ternary_and(edges, |gate| known.get(&gate).copied()),
                _ => Some(false),
            };
            known.extend(value.map(|value| (gate, value)));
        }
        ternary_and(&[edge], |gate| known.get(&gate).copied())
    }

    /// Whether all of some edges hold, given gates that stand for what all factors have come to, and the
    /// clock.
    pub(super) fn all_hold(&self, edges: &[Edge], known: &FxHashMap<GateId, bool>, moment: &Moment) -> bool {
        let clock: FxHashMap<u32, bool> = moment.iter().copied().collect();
        edges.iter().all(|&edge| {
            let mut given = self.sources(edge, |base| clock.get(&base).copied());
            given.extend(known.iter().map(|(&gate, &value)| (gate, value)));
            self.net.evaluate(edge, &mut given)
        })
    }

    /// The bases below an edge that are given, to evaluate it with.
    fn sources(&self, edge: Edge, value: impl Fn(u32) -> Option<bool>) -> FxHashMap<GateId, bool> {
        let of_base = |gate: GateId| match *self.net.gate(gate) {
            Gate::Base(base) => Some((gate, value(base)?)),
            _ => None,
        };
        self.net.cone(edge, |_| false).into_iter().filter_map(of_base).collect()
    }

    /// Whether the clock has to do with the end or the goals.
    pub(super) fn ends_by_clock(&self) -> bool {
        let goals = self.net.goals[0].iter().map(|&(_, edge)| edge);
        goals.chain([self.net.terminal]).any(|edge| self.reads_clock(edge))
    }

    /// Whether an edge depends on the clock.
    pub(super) fn reads_clock(&self, edge: Edge) -> bool {
        self.net.support(edge).any(|base| self.partition.clock[base as usize])
    }
}
