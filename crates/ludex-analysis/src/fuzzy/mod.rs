//! Goal heuristics: to what degree a state satisfies the goal formulas of a role (book chapter 16).
//!
//! An atom `true(p)` has the truth value tau where p holds and 1 - tau where it does not, and a norm says
//! what that makes of formulas. [`FuzzyGoals`] has the formulas of one role as flat lists, so that
//! evaluating a state takes one pass over them and no memory.
//!
//! What the book leaves open is decided so:
//!
//! * **The threshold** of 16.5 depends, as printed, on the order of the conjuncts. Here the conjuncts over
//!   0.5 count, all together, for the threshold at least, and the others are put to that.
//! * **The same in every state** (16.5) is what the grounding has evaluated away, and propositions that
//!   keep the value they have at first by their own `next` rules, such as walls: these are 1 or 0.
//! * **Rules that come out the same**, once that is evaluated away, count once.
//! * **Recursion**: among atoms that depend on each other, the best rule counts instead of the s-norm of
//!   all. Otherwise a formula would support itself around the cycle, and in a graph with many cycles all
//!   of it would come out as true. This is the least fixpoint: what the best derivation is worth. It is
//!   cut off after [`MOST_SWEEPS`] sweeps.
//! * **Moves**, on which goals must not depend, are taken not to be made.
//!
//! `norm` has the norms, `formulas` the flat lists, `choose` finds tau and q (16.5), `inhibition` the
//! propositions that can never hold any more (16.5 and chapter 12), `outlook` what a state
//! and the moves in it are worth (16.4).

mod choose;
mod formulas;
mod inhibition;
mod norm;
mod outlook;
#[cfg(test)]
mod tests;

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, GroundAtom, LimitError, TermId};
use rustc_hash::FxHashMap;

use crate::Faithful;
use formulas::{Formulas, Literal, Stage};
use inhibition::Inhibited;
use norm::{Connectives, Product, Yager};

pub use inhibition::Inhibition;
pub use norm::Norm;
pub use outlook::{NextMove, Outlook};

/// Sweeps over atoms that depend on each other, at most. Values of derivations that take more are cut
/// off, which makes them smaller.
pub const MOST_SWEEPS: usize = 1000;

/// How to evaluate.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct FuzzyOptions {
    /// Conjunction and disjunction.
    pub norm: NormChoice,
    /// The truth value of what holds, over 0.5 and at most 1, where values are those of plain logic. Where
    /// it is not given, it is chosen from the formulas.
    pub tau: Option<f64>,
    /// What a conjunction of parts over 0.5 is worth at least (book 16.5): over 0.5 and at most tau.
    pub threshold: Option<f64>,
}

/// A norm, or a family to choose from.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum NormChoice {
    /// [`Norm::Product`].
    #[default]
    Product,
    /// [`Norm::Yager`]. Where q is not given, it is chosen from the formulas.
    Yager {
        /// Over 0.
        q: Option<f64>,
    },
}

impl FuzzyOptions {
    /// What the figures of book 16.3 and 16.4 are computed with: the product, tau 0.9, no threshold.
    pub fn book() -> Self {
        Self { tau: Some(0.9), ..Self::default() }
    }

    /// Whether all that is given is in range, before any formula is looked at.
    ///
    /// # Errors
    /// [`FuzzyError`] for the first that is not.
    pub fn check(&self) -> Result<(), FuzzyError> {
        choose::check(self)?;
        match (self.threshold, self.tau) {
            (Some(threshold), Some(tau)) if threshold > tau => Err(FuzzyError::Threshold { threshold, tau }),
            _ => Ok(()),
        }
    }
}

/// Why there are no fuzzy goals.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum FuzzyError {
    /// A truth value that is not over 0.5 and at most 1.
    #[error("tau is {tau} and should be over 0.5 and at most 1")]
    Tau {
        /// The value.
        tau: f64,
    },
    /// A threshold that is not over 0.5 and at most tau.
    #[error("the threshold is {threshold} and should be over 0.5 and at most tau, which is {tau}")]
    Threshold {
        /// The value.
        threshold: f64,
        /// The truth value of what holds.
        tau: f64,
    },
    /// A parameter of Yager's norms that is not over 0.
    #[error("q is {q} and should be over 0")]
    Exponent {
        /// The value.
        q: f64,
    },
    /// A limit was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// What is known of a proposition in a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Prospect {
    /// It holds.
    Holds,
    /// It does not hold.
    Fails,
    /// It does not hold and never will again.
    Lost,
}

/// The goal formulas of a role, ready to evaluate. Shared by threads; each has its own
/// [`FuzzyScratch`].
#[derive(Clone, Debug)]
pub struct FuzzyGoals {
    formulas: Formulas,
    norm: Norm,
    tau: f64,
    threshold: Option<f64>,
    /// 100, or the greatest goal value if that is more.
    scale: f64,
    /// The bases that are looked at: those of the leaves, then others that inhibit leaves.
    watched: Vec<u32>,
    /// The propositions of the watched bases, with their place in `watched`.
    places: FxHashMap<TermId, u32>,
    inhibited: Vec<Inhibited>,
}

/// What evaluating needs room for. One made by `default` fits after its first use.
#[derive(Clone, Debug, Default)]
pub struct FuzzyScratch {
    prospects: Vec<Prospect>,
    values: Vec<f64>,
    parts: Vec<f64>,
}

impl FuzzyGoals {
    /// The positive goal formulas of a role; a role without any is worth 0 in every state.
    ///
    /// # Errors
    /// [`FuzzyError`] for options out of range, or when the budget is spent.
    pub fn new(
        faithful: &Faithful,
        role: RoleId,
        options: &FuzzyOptions,
        budget: &Budget,
    ) -> Result<Self, FuzzyError> {
        let mut meter = budget.meter();
        options.check()?;
        let formulas = formulas::compile(faithful, role, &mut meter)?;
        let (norm, tau) = choose::choose(&formulas, options, &mut meter)?;
        if let Some(threshold) = options.threshold.filter(|&threshold| threshold > tau) {
            return Err(FuzzyError::Threshold { threshold, tau });
        }
        let most = formulas.goals.iter().map(|&(value, _)| value).max().unwrap_or(0);
        let watched = formulas.leaves.clone();
        let places = (0..).zip(&watched).map(|(place, &base)| (faithful.base_term(base), place)).collect();
        Ok(Self {
            formulas,
            norm,
            tau,
            threshold: options.threshold,
            scale: f64::from(most.max(100)),
            watched,
            places,
            inhibited: Vec::new(),
        })
    }

    /// The truth value of what holds.
    pub fn tau(&self) -> f64 {
        self.tau
    }

    /// The norm.
    pub fn norm(&self) -> Norm {
        self.norm
    }

    /// What conjunctions of parts over 0.5 are worth at least.
    pub fn threshold(&self) -> Option<f64> {
        self.threshold
    }

    /// The numbers, in the faithful circuit, of the bases on which the value depends.
    pub fn bases(&self) -> &[u32] {
        &self.watched
    }

    /// Atoms and literals that one evaluation goes through.
    pub fn size(&self) -> usize {
        self.formulas.slot_count() + self.formulas.literal_count()
    }

    /// What the state with these facts is worth to the role, from 0 to 100: over all positive goal values
    /// the s-norm of their formulas' truth, weighted with the value (book 16.3). Facts that do not
    /// matter are passed over.
    pub fn evaluate(&self, facts: &[TermId], scratch: &mut FuzzyScratch) -> f64 {
        scratch.prospects.clear();
        scratch.prospects.resize(self.watched.len(), Prospect::Fails);
        for place in facts.iter().filter_map(|fact| self.places.get(fact)) {
            scratch.prospects[*place as usize] = Prospect::Holds;
        }
        self.finish(scratch)
    }

    /// The same, where `prospect` says for a base of the faithful circuit (one of
    /// [`FuzzyGoals::bases`], each asked once) whether it holds, and, where it does not, whether it is
    /// known never to hold again.
    pub fn evaluate_bases(&self, prospect: impl FnMut(u32) -> Prospect, scratch: &mut FuzzyScratch) -> f64 {
        scratch.prospects.clear();
        scratch.prospects.extend(self.watched.iter().copied().map(prospect));
        self.finish(scratch)
    }

    /// The truth value of an atom in the state that was evaluated last with this scratch; none for atoms
    /// on which no positive goal of the role depends.
    pub fn truth(&self, atom: &GroundAtom, scratch: &FuzzyScratch) -> Option<f64> {
        scratch.values.get(self.formulas.names.get(atom)?.place()).copied()
    }

    /// The positive goal values with the truth of their formulas in the state that was evaluated last
    /// with this scratch, values ascending.
    pub fn goal_truths<'a>(&'a self, scratch: &'a FuzzyScratch) -> impl Iterator<Item = (Goal, f64)> + 'a {
        let goals = self.formulas.goals.iter();
        goals.filter_map(|&(value, formula)| Some((value, *scratch.values.get(formula.place())?)))
    }

    fn finish(&self, scratch: &mut FuzzyScratch) -> f64 {
        for inhibited in &self.inhibited {
            inhibited.apply(&mut scratch.prospects);
        }
        // Every value is written before it is read: a node comes after what it depends on, and the
        // nodes of a recursive stage begin with 0.
        scratch.values.resize(2 * self.formulas.slot_count(), 0.0);
        set(&mut scratch.values, Literal::FALSE, 0.0);
        for (leaf, prospect) in scratch.prospects[..self.formulas.leaves.len()].iter().enumerate() {
            let value = match prospect {
                Prospect::Holds => self.tau,
                Prospect::Fails => 1.0 - self.tau,
                Prospect::Lost => 0.0,
            };
            set(&mut scratch.values, Literal::of_slot(Formulas::leaf_slot(leaf)), value);
        }
        match self.norm {
            Norm::Product => self.work_out(&Product, scratch),
            Norm::Yager { q } => self.work_out(&Yager { q }, scratch),
        }
    }

    /// Works out all nodes, and then the value of the state.
    fn work_out(&self, norm: &impl Connectives, scratch: &mut FuzzyScratch) -> f64 {
        for stage in &self.formulas.stages {
            if stage.recursive {
                self.sweep(norm, stage, &mut scratch.values);
                continue;
            }
            for node in stage.nodes.clone() {
                scratch.parts.clear();
                let values = &scratch.values;
                let truth = |body| conjunction(norm, self.threshold, body, values);
                scratch.parts.extend(self.formulas.bodies(node).map(truth));
                let value = norm.any(scratch.parts.iter().copied());
                set(&mut scratch.values, Literal::of_slot(self.formulas.node_slot(node)), value);
            }
        }
        scratch.parts.clear();
        let values = &scratch.values;
        let weighted =
            |&(value, formula): &(Goal, Literal)| f64::from(value) / self.scale * values[formula.place()];
        scratch.parts.extend(self.formulas.goals.iter().map(weighted));
        self.scale * norm.any(scratch.parts.iter().copied())
    }

    /// Works out nodes that depend on each other, forwards and backwards in turns, until nothing changes.
    fn sweep(&self, norm: &impl Connectives, stage: &Stage, values: &mut [f64]) {
        let slot = |node| Literal::of_slot(self.formulas.node_slot(node));
        stage.nodes.clone().for_each(|node| set(values, slot(node), 0.0));
        let count = stage.nodes.len();
        for sweep in 0..MOST_SWEEPS {
            let mut changed = false;
            for step in 0..count {
                let at = if sweep % 2 == 0 { step } else { count - 1 - step };
                let node = stage.nodes.start + at;
                let truth = |body| conjunction(norm, self.threshold, body, values);
                let best = self.formulas.bodies(node).map(truth).fold(0.0, f64::max);
                if best > values[slot(node).place()] {
                    set(values, slot(node), best);
                    changed = true;
                }
            }
            if !changed {
                break;
            }
        }
    }
}

/// The truth of a body.
fn conjunction(norm: &impl Connectives, threshold: Option<f64>, body: &[Literal], values: &[f64]) -> f64 {
    norm.conjunction(threshold, body.iter().map(|literal| values[literal.place()]))
}

/// Sets the value of a slot, and of its negation.
fn set(values: &mut [f64], slot: Literal, value: f64) {
    values[slot.place()] = value;
    values[slot.negated_if(true).place()] = 1.0 - value;
}
