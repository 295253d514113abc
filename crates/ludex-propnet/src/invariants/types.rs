//! The facts themselves, how hard to look for them, and what the search did.

use super::fact::Fact;

/// What always holds in the reachable states of a circuit's game.
///
/// A state is *reachable* if it is the initial state, or follows from a reachable state that is not
/// terminal by a joint move in which each role makes one legal move. Terminal states that are
/// reached are included. Every fact here is proved for all of these; facts that a state set from
/// outside may break (see `Machine::state_of`) are not excluded, so an engine that accepts any
/// state cannot rely on them for it.
///
/// Bases are numbers of [`Circuit::bases`](crate::Circuit::bases). Lists are sorted, and groups are
/// sorted by their first base. A base in `constants` is in no other list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Invariants {
    /// Bases that never change, each with its value.
    pub constants: Vec<(u32, bool)>,
    /// Bases that always equal another base, or its complement. Groups of two in `exactly_one` are
    /// here, too.
    pub equivalences: Vec<Equivalence>,
    /// Groups of at least two bases of which at most one is true in any state. No group is contained
    /// in another one, here or in `exactly_one`.
    pub exclusive: Vec<Vec<u32>>,
    /// Groups of at least two bases of which exactly one is true in any state.
    pub exactly_one: Vec<Vec<u32>>,
    /// How the facts were found.
    pub statistics: Statistics,
}

impl Invariants {
    /// All of these, one by one.
    pub(crate) fn facts(&self) -> impl Iterator<Item = Fact> + '_ {
        let constants = self.constants.iter().map(|&(base, value)| Fact::Constant { base, value });
        let equal = self.equivalences.iter().map(|found| Fact::Equal {
            base: found.base,
            other: found.same_as,
            complemented: found.complemented,
        });
        let at_most = self.exclusive.iter().chain(&self.exactly_one).cloned().map(Fact::AtMostOne);
        let at_least = self.exactly_one.iter().cloned().map(Fact::AtLeastOne);
        constants.chain(equal).chain(at_most).chain(at_least)
    }
}

/// `base` always equals `same_as`, or its complement.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Equivalence {
    /// The base that can be replaced.
    pub base: u32,
    /// The base it equals; smaller than `base`, and itself not the `base` of an equivalence.
    pub same_as: u32,
    /// Whether `base` is the complement of `same_as`.
    pub complemented: bool,
}

/// How hard to look for invariants. All limits are counts, so the same circuit and effort give the
/// same invariants on every machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Effort {
    /// Seed of the random playouts that refute wrong guesses.
    pub seed: u64,
    /// Steps of sampling at most; each step moves 64 playouts at once.
    pub sample_steps: u32,
    /// Limit on gates evaluated while sampling, 64 playouts counting once. A few steps are made in
    /// any case.
    pub sample_gates: u64,
    /// Limit on conflicts for the question about one fact; a harder one counts as not proved.
    pub conflicts_per_query: u64,
    /// Limit on the work of the solver (literals of clauses, and propagations); what is unproved then is
    /// given up. With 0 nothing is proved.
    pub work: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            seed: 1,
            sample_steps: 256,
            sample_gates: 20_000_000,
            conflicts_per_query: 1_000,
            work: 16_000_000,
        }
    }
}

/// What a search for invariants did.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// States sampled by random playouts.
    pub sampled_states: u64,
    /// Facts that all samples agree with: one for each constant, equivalence, group of at most one
    /// and group of at least one.
    pub candidates: u32,
    /// Candidates proved.
    pub proved: u32,
    /// Candidates given up because a step may break them.
    pub refuted: u32,
    /// Candidates given up because a limit was reached.
    pub undecided: u32,
    /// Questions about a step.
    pub queries: u64,
    /// Conflicts met on the way to the answers.
    pub conflicts: u64,
    /// Work of the solver, as [`Effort::work`] counts it.
    pub work: u64,
    /// Rounds of induction until nothing changed.
    pub rounds: u32,
}
