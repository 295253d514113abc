//! Tau and q, chosen from the structure of the goal formulas (book 16.5).
//!
//! Connectives are monotone, so intervals tell between which values the truth of a formula lies in any
//! state: from all of its literals false to all of them true. Tau and q *tell* a formula *apart* if these
//! are on both sides of 0.5. With the product and tau near 0.5, long conjunctions are hardly true even
//! where all of their parts are, and long disjunctions almost true where none is; near 1, states differ
//! by orders of magnitude, and small differences are lost. So the first tau from 0.9 on that tells all
//! formulas apart is taken.
//!
//! Yager's norms clip sums, so that for small q wide conjunctions are 0 as soon as a few of their parts are
//! false. There, the ends of the interval should not be 0 or 1 either, and the first such q is taken.

use ludex_logic::{LimitError, Meter};

use super::formulas::{Formulas, Literal};
use super::norm::{Connectives, Product, Yager};
use super::{FuzzyError, FuzzyOptions, MOST_SWEEPS, Norm, NormChoice, conjunction};

/// Tau for the product: 0.9 as in the book, then half as far from 1 each time.
fn product_taus() -> impl Iterator<Item = f64> {
    (0..12).map(|halved| 1.0 - 0.1 * 0.5f64.powi(halved))
}

/// Tau for Yager's norms. Values there do not fall with each false part as products do, so that there is
/// room for a smaller one.
const YAGER_TAU: f64 = 0.75;

/// Powers to choose from. With the last, a norm is the smallest and the greatest part, but for little.
fn powers() -> impl Iterator<Item = f64> {
    (2..=20).map(|half| 2f64.powf(f64::from(half) / 2.0))
}

/// Whether what is given is in range.
pub(super) fn check(options: &FuzzyOptions) -> Result<(), FuzzyError> {
    let is_truth = |tau: f64| tau > 0.5 && tau <= 1.0;
    if let Some(tau) = options.tau.filter(|&tau| !is_truth(tau)) {
        return Err(FuzzyError::Tau { tau });
    }
    if let Some(threshold) = options.threshold.filter(|&threshold| !is_truth(threshold)) {
        return Err(FuzzyError::Threshold { threshold, tau: options.tau.unwrap_or(1.0) });
    }
    match options.norm {
        NormChoice::Yager { q: Some(q) } if q.is_nan() || q <= 0.0 => Err(FuzzyError::Exponent { q }),
        _ => Ok(()),
    }
}

/// The norm and tau: what is given, and what tells the formulas apart of the rest. Where nothing does, the
/// last that was tried.
pub(super) fn choose(
    formulas: &Formulas,
    options: &FuzzyOptions,
    meter: &mut Meter,
) -> Result<(Norm, f64), LimitError> {
    let least = options.threshold.unwrap_or(0.5);
    let pairs: Vec<(Norm, f64)> = match options.norm {
        NormChoice::Product => {
            let taus = options.tau.map_or_else(|| product_taus().collect(), |tau| vec![tau]);
            taus.into_iter().map(|tau| (Norm::Product, tau)).collect()
        }
        NormChoice::Yager { q: Some(q) } => vec![(Norm::Yager { q }, options.tau.unwrap_or(YAGER_TAU))],
        NormChoice::Yager { q: None } => {
            let tau = options.tau.unwrap_or(YAGER_TAU);
            powers().map(|q| (Norm::Yager { q }, tau)).collect()
        }
    };
    // What was chosen is raised to a threshold that was given.
    let raised = |(norm, tau): (Norm, f64)| (norm, if options.tau.is_none() { tau.max(least) } else { tau });
    let mut pairs = pairs.into_iter().map(raised).peekable();
    let mut bounds = Bounds { formulas, threshold: options.threshold, low: Vec::new(), high: Vec::new() };
    let mut last = (Norm::Product, 1.0);
    while let Some((norm, tau)) = pairs.next() {
        last = (norm, tau);
        if pairs.peek().is_none() {
            break;
        }
        let apart = match norm {
            Norm::Product => bounds.tell_apart(&Product, tau, meter)?.0,
            Norm::Yager { q } => bounds.tell_apart(&Yager { q }, tau, meter)? == (true, true),
        };
        if apart {
            break;
        }
    }
    Ok(last)
}

/// Between which values the truth of each literal lies.
struct Bounds<'a> {
    formulas: &'a Formulas,
    threshold: Option<f64>,
    low: Vec<f64>,
    high: Vec<f64>,
}

impl Bounds<'_> {
    /// Whether each formula can be on both sides of 0.5, and whether none can be 0 or 1.
    fn tell_apart(
        &mut self,
        norm: &impl Connectives,
        tau: f64,
        meter: &mut Meter,
    ) -> Result<(bool, bool), LimitError> {
        let formulas = self.formulas;
        for bounds in [&mut self.low, &mut self.high] {
            bounds.clear();
            bounds.resize(2 * formulas.slot_count(), 0.0);
        }
        self.set(0, 0.0, 0.0);
        for leaf in 0..formulas.leaves.len() {
            self.set(Formulas::leaf_slot(leaf), 1.0 - tau, tau);
        }
        for stage in &formulas.stages {
            if stage.recursive {
                stage.nodes.clone().for_each(|node| self.set(formulas.node_slot(node), 0.0, 0.0));
            }
            for _ in 0..MOST_SWEEPS {
                let mut changed = false;
                for node in stage.nodes.clone() {
                    changed |= self.work_out(norm, node, stage.recursive, meter)?;
                }
                if !changed || !stage.recursive {
                    break;
                }
            }
        }
        let nodes = (0..formulas.node_count()).map(|node| Literal::of_slot(formulas.node_slot(node)).place());
        let (mut both, mut inside) = (true, true);
        for at in nodes {
            let (low, high) = (self.low[at], self.high[at]);
            if low == high {
                // The same in every state: there is nothing to tell apart.
                continue;
            }
            both &= low <= 0.5 && 0.5 <= high;
            inside &= 0.0 < low && high < 1.0;
        }
        Ok((both, inside))
    }

    /// Works out the bounds of a node; says whether they changed.
    fn work_out(
        &mut self,
        norm: &impl Connectives,
        node: usize,
        recursive: bool,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        let bodies = || self.formulas.bodies(node);
        meter.spend(bodies().map(|body| 1 + body.len() as u64).sum())?;
        let bound = |values: &[f64]| {
            let truths: Vec<f64> =
                bodies().map(|body| conjunction(norm, self.threshold, body, values)).collect();
            let truths = truths.iter().copied();
            if recursive { truths.fold(0.0, f64::max) } else { norm.any(truths) }
        };
        let (low, high) = (bound(&self.low), bound(&self.high));
        let slot = self.formulas.node_slot(node);
        let place = Literal::of_slot(slot).place();
        let changed = (self.low[place], self.high[place]) != (low, high);
        self.set(slot, low, high);
        Ok(changed)
    }

    fn set(&mut self, slot: usize, low: f64, high: f64) {
        let literal = Literal::of_slot(slot);
        let negated = literal.negated_if(true).place();
        self.low[literal.place()] = low;
        self.high[literal.place()] = high;
        self.low[negated] = 1.0 - high;
        self.high[negated] = 1.0 - low;
    }
}
