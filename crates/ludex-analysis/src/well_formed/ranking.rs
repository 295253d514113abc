//! A proof that a game ends, without going through its states: propositions that only ever change one
//! way, in an order.
//!
//! The first of them only ever changes from true to false, or only ever from false to true. Each later
//! one only ever changes one way in steps that change none of those before it. If every step changes
//! one of them, no course goes on for ever: the first changes at most once; from then on the second
//! changes at most once, and so on. A step counter is such a list, as are the marks on a board that
//! fills, heaps that shrink, and pieces that only move forward.
//!
//! The list is grown by counterexamples: a step that changes none of it, and then steps that show why
//! what changes there may change back.

use ludex_logic::Budget;

use crate::finding::Reason;
use crate::sat::{Literal, Origin, Unrolling, Verdict};
use crate::subject::Faithful;

/// Conflicts that one question may cost.
const CONFLICTS: u64 = 20_000;
/// The most steps that are kept as counterexamples at a time.
const MOST_STEPS: usize = 4096;

/// A proposition of the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct OneWay {
    /// The base of the faithful circuit.
    pub(super) base: u32,
    /// What it only ever changes to.
    pub(super) to: bool,
}

/// A step: the bases that it changes, ascending, each with its value after it.
type Change = Vec<(u32, bool)>;

struct Search<'f> {
    unrolling: Unrolling<'f>,
    before: Vec<Literal>,
    after: Vec<Literal>,
    list: Vec<OneWay>,
    /// Steps that change none of the list.
    steps: Vec<Change>,
    /// Per base and direction whether one of `steps` changes it the other way.
    refuted: Vec<[bool; 2]>,
    /// Per base and direction whether the solver gave up on it.
    too_hard: Vec<[bool; 2]>,
}

/// The list, if there is one that the solver finds.
///
/// # Errors
/// The end of the budget.
pub(super) fn ranking(faithful: &Faithful, budget: &Budget) -> Result<Option<Vec<OneWay>>, Reason> {
    let mut search = Search::new(faithful, budget)?;
    loop {
        match search.unrolling.solve(&[], CONFLICTS)? {
            Verdict::Unsatisfiable => return Ok(Some(search.list)),
            Verdict::Satisfiable => search.add_step(),
            Verdict::TooHard => return Ok(None),
        }
        if !search.extend()? {
            return Ok(None);
        }
        let (found, all) = (search.list.len() as u64, search.before.len() as u64);
        budget.report("ordering propositions", found, Some(all));
    }
}

impl<'f> Search<'f> {
    fn new(faithful: &'f Faithful, budget: &Budget) -> Result<Self, Reason> {
        let invariants = faithful.invariants(budget)?;
        let circuit = &faithful.circuit;
        let mut unrolling = Unrolling::new(circuit, Origin::Any, budget.meter());
        unrolling.demand_invariants(0, invariants)?;
        unrolling.demand_step(0)?;
        let (mut before, mut after) = (Vec::new(), Vec::new());
        for base in 0..circuit.bases.len() as u32 {
            before.push(unrolling.base(0, base)?);
            after.push(unrolling.base(1, base)?);
        }
        let count = before.len();
        Ok(Self {
            unrolling,
            before,
            after,
            list: Vec::new(),
            steps: Vec::new(),
            refuted: vec![[false; 2]; count],
            too_hard: vec![[false; 2]; count],
        })
    }

    /// Keeps the step of the last model.
    fn add_step(&mut self) {
        if self.steps.len() >= MOST_STEPS {
            self.steps.remove(0);
        }
        let solver = self.unrolling.solver();
        let values = self.before.iter().zip(&self.after);
        let values = values.map(|(&before, &after)| (solver.value(before), solver.value(after)));
        let changed = (0u32..).zip(values).filter(|(_, (before, after))| before != after);
        let change: Change = changed.map(|(base, (_, after))| (base, after)).collect();
        for &(base, to) in &change {
            self.refuted[base as usize][usize::from(!to)] = true;
        }
        self.steps.push(change);
    }

    /// Finds one more proposition for the list among those that the steps change.
    fn extend(&mut self) -> Result<bool, Reason> {
        let mut at = self.steps.len();
        // Steps that are met on the way are looked at, too.
        while at > 0 {
            at -= 1;
            let change = self.steps[at].clone();
            for (base, to) in change {
                let (number, way) = (base as usize, usize::from(to));
                if self.refuted[number][way] || self.too_hard[number][way] {
                    continue;
                }
                let (before, after) = (self.before[number], self.after[number]);
                let back = if to { [before, !after] } else { [!before, after] };
                match self.unrolling.solve(&back, CONFLICTS)? {
                    Verdict::Unsatisfiable => {
                        self.add(OneWay { base, to })?;
                        return Ok(true);
                    }
                    Verdict::Satisfiable => {
                        self.add_step();
                        at = self.steps.len();
                    }
                    Verdict::TooHard => self.too_hard[number][way] = true,
                }
                if at == self.steps.len() {
                    break;
                }
            }
        }
        Ok(false)
    }

    /// Adds a proposition to the list: from now on, steps that change it are no longer looked at.
    fn add(&mut self, one_way: OneWay) -> Result<(), Reason> {
        let number = one_way.base as usize;
        let (before, after) = (self.before[number], self.after[number]);
        let solver = self.unrolling.solver();
        solver.equal_if(solver.truth(), before, after)?;
        self.list.push(one_way);
        self.steps.retain(|change| change.iter().all(|&(base, _)| base != one_way.base));
        self.refuted.fill([false; 2]);
        for &(base, to) in self.steps.iter().flatten() {
            self.refuted[base as usize][usize::from(!to)] = true;
        }
        // What was too hard may be easier among fewer steps.
        self.too_hard.fill([false; 2]);
        Ok(())
    }
}
