//! The sequence form of a game: what each pair of sequences of choices brings.

use ludex_game::{Goal, Machine};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, Csr, Id};

use super::behaviour::BehaviourStrategy;
use super::error::EquilibriumError;
use super::game_tree::{UnrollOptions, Unrolled, unroll};
use super::information_sets::{InformationSets, SequenceId};

/// What one leaf of the game tree adds to a pair of sequences.
#[derive(Clone, Copy, Debug)]
pub(super) struct Leaf {
    /// The last choices of the two roles.
    pub sequences: [SequenceId; 2],
    /// How likely chance is to play along, where both roles do.
    pub chance: f64,
    /// The goal of the first role, times that.
    pub gain: f64,
}

/// What a sequence brings against one of the other role.
#[derive(Clone, Copy, Debug)]
struct Payoff {
    /// The sequence of the other role.
    other: SequenceId,
    /// The likelihood of the leaves that both lead to, times what these bring the first role beyond half of the sum
    /// of goals.
    value: f64,
}

/// The sequence form of a game (von Stengel, Efficient computation of behavior strategies, 1996): the information
/// sets of each role, and for each pair of sequences of choices what comes of it, chance being averaged out. It is as
/// large as the game tree at most, and strategies are compared by products of vectors with a sparse matrix.
///
/// There are one or two roles beside chance. The goals of two roles have the same sum in all terminal states.
#[derive(Debug)]
pub struct SequenceForm {
    roles: Vec<InformationSets>,
    /// For each sequence of the first role, what it brings against which of the second, and the other way round.
    payoffs: [Csr<Payoff>; 2],
    /// The likelihoods of the leaves beside the payoffs of the first role.
    chances: Vec<f64>,
    /// The sum of the goals of two roles; 0 for one.
    sum: Goal,
    goals: (Goal, Goal),
    nodes: usize,
    leaves: usize,
}

impl SequenceForm {
    /// Unrolls a game from its initial state to all its ends.
    ///
    /// Chance draws each of its legal moves with equal likelihood. What a role can tell apart is what it is told
    /// ([`News`](crate::News)): joint moves in GDL, its own moves and percepts in GDL-II. Where roles move at once,
    /// each chooses without knowing the choices of the others. Courses of chance that lead to the same state, and
    /// about which each role was told the same, are one node.
    ///
    /// # Errors
    /// [`EquilibriumError`]: other languages, not one or two roles beside chance, goals without a constant sum, a
    /// role that cannot know its legal moves, more nodes than allowed, a limit, what the machine answers.
    pub fn new(
        program: &GameProgram,
        machine: &dyn Machine,
        options: &UnrollOptions,
        budget: &Budget,
    ) -> Result<Self, EquilibriumError> {
        Ok(Self::of(unroll(program, machine, options, budget)?))
    }

    /// Adds up the leaves of each pair of sequences, in an order that does not depend on how they were found.
    fn of(unrolled: Unrolled) -> Self {
        let Unrolled { roles, mut leaves, sum, goals, nodes } = unrolled;
        let leaf_count = leaves.len();
        leaves.sort_by_key(|leaf| leaf.sequences);
        leaves.dedup_by(|leaf, kept| {
            let is_same = leaf.sequences == kept.sequences;
            if is_same {
                kept.chance += leaf.chance;
                kept.gain += leaf.gain;
            }
            is_same
        });
        let half = f64::from(sum) / 2.0;
        let counts = [0, 1].map(|at| roles.get(at).map_or(1, InformationSets::sequence_count));
        let payoffs = [0, 1].map(|at: usize| {
            let payoff = |leaf: &Leaf| {
                let value = leaf.gain - half * leaf.chance;
                (leaf.sequences[at].index(), Payoff { other: leaf.sequences[1 - at], value })
            };
            Csr::from_pairs(counts[at], || leaves.iter().map(payoff))
        });
        let chances = leaves.iter().map(|leaf| leaf.chance).collect();
        Self { roles, payoffs, chances, sum, goals, nodes, leaves: leaf_count }
    }

    /// The information sets of the one or two roles beside chance, in the order of the rulesheet. Strategies and
    /// values are given in this order, and roles are named by their place in it.
    pub fn roles(&self) -> &[InformationSets] {
        &self.roles
    }

    /// What the goals of the two roles add up to; `None` for one role.
    pub fn sum(&self) -> Option<Goal> {
        (self.roles.len() == 2).then_some(self.sum)
    }

    /// The lowest and the highest goal that the first role may end with.
    pub fn goal_range(&self) -> (Goal, Goal) {
        self.goals
    }

    /// How many nodes the game tree has, the ends included: states with what each role was told on the way.
    pub fn nodes(&self) -> usize {
        self.nodes
    }

    /// How many of the nodes are ends of the game.
    pub fn leaves(&self) -> usize {
        self.leaves
    }

    /// How many pairs of sequences lead to an end.
    pub fn pairs(&self) -> usize {
        self.chances.len()
    }

    /// What each role may expect where they play these strategies, one for each role.
    ///
    /// # Panics
    /// If there are not as many strategies as roles, or they belong to another game.
    pub fn values(&self, strategies: &[BehaviourStrategy]) -> Vec<f64> {
        assert_eq!(strategies.len(), self.roles.len(), "each role has a strategy");
        let plans: Vec<Vec<f64>> =
            self.roles.iter().zip(strategies).map(|(sets, strategy)| strategy.plan(sets)).collect();
        let mut gains = Vec::new();
        self.gains(0, plans.get(1).map_or(&ALONE, |plan| &plan[..]), &mut gains);
        let value = plans[0].iter().zip(&gains).map(|(own, gain)| own * gain).sum();
        (0..self.roles.len()).map(|role| self.goal(role, value)).collect()
    }

    /// A value of the first role beyond half of the sum, as an expected goal of a role.
    pub(super) fn goal(&self, role: usize, value: f64) -> f64 {
        let half = f64::from(self.sum) / 2.0;
        if role == 0 { half + value } else { half - value }
    }

    /// What each sequence of a role brings at the ends that it leads to, against a realisation plan of the other one:
    /// the gradient of the role's value beyond half of the sum. How many payoffs were added up: sequences that the
    /// other role never plays are passed over.
    pub(super) fn gains(&self, role: usize, other: &[f64], out: &mut Vec<f64>) -> usize {
        let sign = if role == 0 { 1.0 } else { -1.0 };
        out.clear();
        out.resize(self.payoffs[role].len(), 0.0);
        let mut count = 0;
        for (&weight, payoffs) in other.iter().zip(self.payoffs[1 - role].iter()) {
            if weight > 0.0 {
                let weight = sign * weight;
                for payoff in payoffs {
                    out[payoff.other.index()] += weight * payoff.value;
                }
                count += payoffs.len();
            }
        }
        count
    }

    /// How likely chance and the other role, who plays by this realisation plan, are to lead to each information set
    /// of a role, where the role does what it can to come there.
    pub(super) fn reach(&self, role: usize, other: &[f64]) -> Vec<f64> {
        let sets = &self.roles[role];
        let mut mass = vec![0.0; sets.sequence_count()];
        for (first, payoffs) in self.payoffs[0].iter().enumerate() {
            let chances = &self.chances[self.payoffs[0].range(first)];
            for (payoff, chance) in payoffs.iter().zip(chances) {
                let second = payoff.other.index();
                let [own, weight] = if role == 0 { [first, second] } else { [second, first] };
                mass[own] += chance * other[weight];
            }
        }
        // Every move of a set leads to ends with the likelihood that the set was reached with.
        let mut reach = vec![0.0; sets.len()];
        for set in sets.ids().rev() {
            let here = mass[sets.sequences(set).start];
            reach[set.index()] = here;
            mass[sets.parent(set).index()] += here;
        }
        reach
    }

    /// The realisation plan of the role beside a role: of its strategy, or what nobody does where it is alone.
    pub(super) fn other_plan(&self, role: usize, strategy: Option<&BehaviourStrategy>) -> Vec<f64> {
        match (self.roles.get(1 - role), strategy) {
            (Some(sets), Some(strategy)) => strategy.plan(sets),
            (Some(sets), None) => BehaviourStrategy::uniform(sets).plan(sets),
            (None, _) => ALONE.to_vec(),
        }
    }
}

/// The realisation plan of nobody: it has the empty sequence.
const ALONE: [f64; 1] = [1.0];
