//! The greatest set of guessed facts that a step preserves.
//!
//! All facts that are left are assumed of the current state, and each is to be shown of the next
//! one. A fact that cannot be shown is dropped, and those whose proofs relied on it are tried again,
//! until nothing changes: then each fact left relies on facts left only. This is the induction of
//! van Eijk's equivalence checking, for facts that samples of reachable states did not refute.
//!
//! A search that meets questions that are too hard seldom proves much, however long it tries. So it is given
//! up at the second one ([`PASSES`]), and only then begun anew with what is easy: what is too hard for a pass is
//! left out of it, costs little, and nothing relies on it. A later pass assumes it again, with what was only refuted in
//! its absence. Proofs hold where more is assumed, so no later pass can lose what an earlier one has.

use ludex_game::Rng;
use ludex_logic::{Budget, LimitError, Meter};

use super::fact::Fact;
use super::guess::Guesses;
use super::step::{Answer, Step, Witness};
use super::types::{Effort, Statistics};
use crate::Circuit;
use crate::random_games::Lanes;

/// The first pass is the only one where no two questions are too hard, as in nearly all games.
const PASSES: [Pass; 3] = [
    Pass { conflicts: 1, work: 1, too_hard: 2 },
    Pass { conflicts: 50, work: 1, too_hard: u32::MAX },
    Pass { conflicts: 7, work: 8, too_hard: u32::MAX },
];

/// See [`PASSES`].
struct Pass {
    /// Which part of [`Effort::conflicts_per_query`] a question may take.
    conflicts: u64,
    /// Which part of [`Effort::work`] it may take, over that of the passes before.
    work: u64,
    /// At so many questions that were too hard it asks no more.
    too_hard: u32,
}

impl Pass {
    /// Whether it ends early where questions are too hard, so that others follow.
    fn can_be_given_up(&self) -> bool {
        self.too_hard < u32::MAX
    }
}

/// Where a fact stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Status {
    /// Assumed, and proved in the end.
    Left,
    Refuted,
    /// Given up at a limit.
    Undecided,
}

/// A fact that was proved, if those it relies on hold.
struct Proof {
    fact: u32,
    relies_on: Vec<u32>,
}

/// The induction over one circuit.
pub(super) struct Induction<'a, 'c> {
    effort: &'a Effort,
    guesses: Guesses<'a>,
    facts: Vec<Fact>,
    status: Vec<Status>,
    /// How many of the facts were put among the open ones.
    begun: usize,
    /// Facts that are to be proved.
    open: Vec<u32>,
    /// Facts that were too hard for a pass, and those refuted where they were not assumed.
    doubtful: Vec<u32>,
    /// How many conflicts a question may take in this pass, up to which work there are questions, and how
    /// many may still be too hard.
    conflicts: u64,
    work: u64,
    too_hard: u32,
    proofs: Vec<Proof>,
    step: Step<'c>,
    lanes: Lanes<'c>,
    rng: Rng,
    statistics: Statistics,
}

impl<'a, 'c> Induction<'a, 'c> {
    /// An induction that starts with all guesses.
    pub(super) fn new(
        circuit: &'c Circuit,
        effort: &'a Effort,
        mut guesses: Guesses<'a>,
        budget: &Budget,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let facts = guesses.all(meter)?;
        Ok(Self {
            effort,
            guesses,
            status: vec![Status::Left; facts.len()],
            facts,
            begun: 0,
            open: Vec::new(),
            doubtful: Vec::new(),
            conflicts: effort.conflicts_per_query,
            work: effort.work,
            too_hard: u32::MAX,
            proofs: Vec::new(),
            step: Step::new(circuit, budget.meter()),
            lanes: Lanes::new(circuit),
            rng: Rng::from_seed(effort.seed),
            statistics: Statistics::default(),
        })
    }

    /// Drops facts until the rest is preserved by every step.
    pub(super) fn run(mut self, meter: &mut Meter) -> Result<(Vec<Fact>, Statistics), LimitError> {
        for pass in PASSES {
            self.begin_pass(&pass);
            while self.begin_round(meter)? {
                while let Some(fact) = self.open.pop() {
                    self.prove(fact, meter)?;
                }
            }
            let was_given_up = self.too_hard == 0;
            if self.doubtful.is_empty() || pass.can_be_given_up() && !was_given_up {
                break;
            }
        }
        Ok(self.finish())
    }

    /// Assumes again what the pass before had doubts of.
    fn begin_pass(&mut self, pass: &Pass) {
        self.conflicts = self.effort.conflicts_per_query.div_ceil(pass.conflicts);
        let done = self.step.solver().work();
        self.work = self.effort.work.min(done.saturating_add(self.effort.work / pass.work));
        self.too_hard = pass.too_hard;
        for &fact in &self.doubtful {
            self.status[fact as usize] = Status::Left;
        }
        self.open.append(&mut self.doubtful);
    }

    fn is_left(&self, number: u32) -> bool {
        self.status[number as usize] == Status::Left
    }

    /// Opens facts that are new, and those whose proofs rely on facts that were dropped; false if there
    /// are none.
    fn begin_round(&mut self, meter: &mut Meter) -> Result<bool, LimitError> {
        self.open.extend(self.begun as u32..self.facts.len() as u32);
        self.begun = self.facts.len();
        for proof in std::mem::take(&mut self.proofs) {
            meter.spend(1 + proof.relies_on.len() as u64)?;
            if proof.relies_on.iter().all(|&other| self.is_left(other)) {
                self.proofs.push(proof);
            } else {
                self.open.push(proof.fact);
            }
        }
        self.open.reverse();
        self.statistics.rounds += u32::from(!self.open.is_empty());
        Ok(!self.open.is_empty())
    }

    /// Proves a fact, or drops it, if it is left.
    fn prove(&mut self, number: u32, meter: &mut Meter) -> Result<(), LimitError> {
        meter.spend(1)?;
        if !self.is_left(number) {
            return Ok(());
        }
        let left = |number: u32| self.status[number as usize] == Status::Left;
        let asks = self.too_hard > 0 && self.step.solver().work() < self.work;
        let answer = match asks {
            true => self.step.breaks(number, &self.facts, left, self.conflicts)?,
            false => Answer::Unknown,
        };
        match answer {
            Answer::No(relies_on) => self.proofs.push(Proof { fact: number, relies_on }),
            Answer::Yes(witness) => self.refute(number, &witness, meter)?,
            Answer::Unknown => {
                self.too_hard = self.too_hard.saturating_sub(1);
                self.drop_fact(number, Status::Undecided, meter)?;
            }
        }
        Ok(())
    }

    /// Gives a fact up; the smaller groups in a group are tried instead.
    fn drop_fact(&mut self, number: u32, status: Status, meter: &mut Meter) -> Result<(), LimitError> {
        self.status[number as usize] = status;
        if status == Status::Undecided || !self.doubtful.is_empty() {
            self.doubtful.push(number);
        }
        if let Fact::AtMostOne(members) = &self.facts[number as usize] {
            let smaller = self.guesses.smaller(members, meter)?;
            self.add(smaller);
        }
        Ok(())
    }

    fn add(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.facts.extend(facts);
        self.status.resize(self.facts.len(), Status::Left);
    }

    /// Drops a fact that a step breaks, and all others that this step or other steps from the same
    /// state break.
    fn refute(&mut self, number: u32, witness: &Witness, meter: &mut Meter) -> Result<(), LimitError> {
        let state: Vec<u64> = witness.state.iter().map(|&value| if value { u64::MAX } else { 0 }).collect();
        let count = self.facts.len() as u32;
        meter.spend(state.len() as u64 + u64::from(count))?;
        // The step does not know of loops what the lanes know, so the state may be impossible.
        let allowed = (0..count).all(|other| {
            !self.is_left(other) || self.facts[other as usize].violations(|b| state[b as usize]) == 0
        });
        self.lanes.set_state(&state, meter)?;
        let mut able = self.lanes.choose_moves(&mut self.rng, meter)?;
        if !self.lanes.set_first_moves(&witness.made) {
            able &= !1;
        }
        self.lanes.evaluate_moves(meter)?;
        let is_broken = |&other: &u32| {
            let breaks = || self.facts[other as usize].violations(|b| self.lanes.next(b)) & able != 0;
            self.is_left(other) && (other == number || allowed && breaks())
        };
        let broken: Vec<u32> = (0..count).filter(is_broken).collect();
        let mut apart: Vec<Fact> = Vec::new();
        for other in broken {
            let fact = self.facts[other as usize].clone();
            match &fact {
                Fact::Equal { .. } => self.regroup(&fact, &mut apart, able),
                Fact::AtMostOne(members) => self.shrink(members, able),
                _ => {}
            }
            self.drop_fact(other, Status::Refuted, meter)?;
        }
        Ok(())
    }

    /// Bases that are no longer equal to the same base may be equal to each other.
    fn regroup(&mut self, fact: &Fact, apart: &mut Vec<Fact>, able: u64) {
        let &Fact::Equal { base, other, complemented } = fact else { return };
        let again = apart.iter().find_map(|first| match *first {
            Fact::Equal { base: first, other: same, complemented: turned } if same == other => {
                let fact = Fact::Equal { base, other: first, complemented: complemented ^ turned };
                (fact.violations(|b| self.lanes.next(b)) & able == 0).then_some(fact)
            }
            _ => None,
        });
        match again {
            Some(fact) => self.add([fact]),
            None => apart.push(fact.clone()),
        }
    }

    /// Keeps the members of a group of which the lanes show no two true, if they are most of it.
    fn shrink(&mut self, members: &[u32], able: u64) {
        let mut seen = 0;
        let mut kept = members.to_vec();
        kept.retain(|&base| {
            let word = self.lanes.next(base) & able;
            let keep = word & seen == 0;
            seen |= if keep { word } else { 0 };
            keep
        });
        if kept.len() > 1 && kept.len() < members.len() && kept.len() * 2 > members.len() {
            self.add([Fact::AtMostOne(kept)]);
        }
    }

    fn finish(mut self) -> (Vec<Fact>, Statistics) {
        let statistics = &mut self.statistics;
        statistics.candidates = self.facts.len() as u32;
        for status in &self.status {
            match status {
                Status::Left => statistics.proved += 1,
                Status::Refuted => statistics.refuted += 1,
                Status::Undecided => statistics.undecided += 1,
            }
        }
        statistics.queries = self.step.queries();
        statistics.conflicts = self.step.solver().conflict_count();
        statistics.work = self.step.solver().work();
        let proved = self.facts.into_iter().zip(self.status).filter(|(_, status)| *status == Status::Left);
        (proved.map(|(fact, _)| fact).collect(), self.statistics)
    }
}
