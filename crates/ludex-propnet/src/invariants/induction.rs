//! The greatest set of guessed facts that a step preserves.
//!
//! All facts that are left are assumed of the current state, and each is to be shown of the next
//! one. A fact that cannot be shown is dropped, and those that relied on it are tried again, until
//! nothing changes: then each fact left relies on facts left only. This is the induction of
//! van Eijk's equivalence checking, for facts that samples of reachable states did not refute.

use ludex_game::Rng;
use ludex_logic::{LimitError, Meter};

use super::fact::Fact;
use super::guess::Guesses;
use super::lanes::Lanes;
use super::prover::{Answer, Prover};
use super::rules::Rules;
use super::solver::{Solver, Verdict, Witness};
use super::types::{Effort, Statistics};

/// Where a fact stands.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Status {
    /// To be proved, or proved again.
    Open,
    /// Proved if the facts it relies on hold.
    Proved {
        relies_on: Vec<u32>,
        with_solver: bool,
    },
    Refuted,
    /// Given up at a limit.
    Undecided,
}

impl Status {
    fn is_left(&self) -> bool {
        matches!(self, Self::Open | Self::Proved { .. })
    }
}

/// What became of one attempt.
enum Attempt {
    Proved(Status),
    Refuted(Witness),
    Undecided,
}

/// The induction over one circuit.
pub(super) struct Induction<'a, 'c> {
    rules: &'a Rules<'c>,
    effort: &'a Effort,
    guesses: Guesses<'a>,
    facts: Vec<Fact>,
    status: Vec<Status>,
    solver: Solver<'a, 'c>,
    lanes: Lanes<'c>,
    rng: Rng,
    statistics: Statistics,
}

impl<'a, 'c> Induction<'a, 'c> {
    /// An induction that starts with all guesses.
    pub(super) fn new(
        rules: &'a Rules<'c>,
        effort: &'a Effort,
        mut guesses: Guesses<'a>,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let facts = guesses.all(meter)?;
        Ok(Self {
            rules,
            effort,
            guesses,
            status: vec![Status::Open; facts.len()],
            facts,
            solver: Solver::new(rules, effort.conflicts_per_query, effort.solver_work),
            lanes: Lanes::new(rules.circuit),
            rng: Rng::from_seed(effort.seed),
            statistics: Statistics::default(),
        })
    }

    /// Drops facts until the rest is preserved by every step.
    pub(super) fn run(mut self, meter: &mut Meter) -> Result<(Vec<Fact>, Statistics), LimitError> {
        let mut spent = 0;
        loop {
            // Facts that were added need a new prover.
            let constraints = (0..).zip(&self.facts).filter(|&(number, _)| self.is_left(number));
            let constraints =
                constraints.flat_map(|(number, fact)| self.rules.of_fact(number, fact)).collect();
            let mut prover = Prover::new(self.rules, constraints, self.facts.len(), spent);
            let known = self.facts.len();
            while self.facts.len() == known {
                if !self.round(&mut prover, meter)? {
                    self.statistics.steps = prover.steps();
                    return Ok(self.finish());
                }
            }
            spent = prover.steps();
        }
    }

    fn is_left(&self, number: u32) -> bool {
        self.status[number as usize].is_left()
    }

    /// Tries all open facts once; false if there was none.
    fn round(&mut self, prover: &mut Prover, meter: &mut Meter) -> Result<bool, LimitError> {
        let open: Vec<u32> =
            (0..self.facts.len() as u32).filter(|&n| self.status[n as usize] == Status::Open).collect();
        if open.is_empty() {
            return Ok(false);
        }
        self.statistics.rounds += 1;
        prover.restart(|number| self.is_left(number));
        for number in open {
            if self.status[number as usize] != Status::Open {
                continue;
            }
            match self.attempt(number, prover, meter)? {
                Attempt::Proved(status) => self.status[number as usize] = status,
                Attempt::Undecided => self.drop_fact(number, Status::Undecided, meter)?,
                Attempt::Refuted(witness) => self.refute(number, &witness, meter)?,
            }
        }
        for number in 0..self.facts.len() {
            if let Status::Proved { relies_on, .. } = &self.status[number] {
                meter.spend(1 + relies_on.len() as u64)?;
                if !relies_on.iter().all(|&other| self.is_left(other)) {
                    self.status[number] = Status::Open;
                }
            }
        }
        Ok(true)
    }

    fn attempt(
        &mut self,
        number: u32,
        prover: &mut Prover,
        meter: &mut Meter,
    ) -> Result<Attempt, LimitError> {
        let mut relies_on = Vec::new();
        let mut with_solver = false;
        prover.begin();
        for at in 0..self.facts[number as usize].questions() {
            let question = self.facts[number as usize].question(at, self.rules.circuit);
            let before = prover.steps();
            if before >= self.effort.steps {
                return Ok(Attempt::Undecided);
            }
            self.statistics.queries += 1;
            let answer = prover.ask(&question, self.effort.steps_per_query);
            meter.spend(prover.steps() - before)?;
            if answer == Answer::No {
                continue;
            }
            let left = |number: u32| self.status[number as usize].is_left();
            match self.solver.ask(&question, &self.facts, left, meter)? {
                Verdict::No(facts) => relies_on.extend(facts),
                Verdict::Yes(witness) => return Ok(Attempt::Refuted(witness)),
                Verdict::Unknown => return Ok(Attempt::Undecided),
            }
            with_solver = true;
        }
        relies_on.extend_from_slice(prover.relied());
        relies_on.sort_unstable();
        relies_on.dedup();
        Ok(Attempt::Proved(Status::Proved { relies_on, with_solver }))
    }

    /// Gives a fact up; the smaller groups in a group are tried instead.
    fn drop_fact(&mut self, number: u32, status: Status, meter: &mut Meter) -> Result<(), LimitError> {
        self.status[number as usize] = status;
        if let Fact::AtMostOne(members) = &self.facts[number as usize] {
            let smaller = self.guesses.smaller(members, meter)?;
            self.add(smaller);
        }
        Ok(())
    }

    fn add(&mut self, facts: impl IntoIterator<Item = Fact>) {
        self.facts.extend(facts);
        self.status.resize(self.facts.len(), Status::Open);
    }

    /// Drops a fact that a step breaks, and all others that this step or other steps from the same
    /// state break.
    fn refute(&mut self, number: u32, witness: &Witness, meter: &mut Meter) -> Result<(), LimitError> {
        let state: Vec<u64> = witness.bases.iter().map(|&value| if value { u64::MAX } else { 0 }).collect();
        let count = self.facts.len() as u32;
        meter.spend(state.len() as u64 + u64::from(count))?;
        // The solver does not know of loops what the lanes know, so the state may be impossible.
        let allowed = (0..count).all(|other| {
            !self.is_left(other) || self.facts[other as usize].violations(|b| state[b as usize]) == 0
        });
        self.lanes.set_state(&state, meter)?;
        let mut able = self.lanes.choose_moves(&mut self.rng, meter)?;
        if !self.lanes.set_first_moves(&witness.inputs) {
            able &= !1;
        }
        self.lanes.evaluate_moves(meter)?;
        let mut broken = vec![number];
        if allowed {
            broken.extend(
                (0..count).filter(|&other| other != number && self.is_left(other)).filter(|&other| {
                    self.facts[other as usize].violations(|b| self.lanes.next(b)) & able != 0
                }),
            );
        }
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
                Status::Proved { with_solver: false, .. } => statistics.proved_by_prover += 1,
                Status::Proved { with_solver: true, .. } => statistics.proved_by_solver += 1,
                Status::Refuted => statistics.refuted += 1,
                Status::Open | Status::Undecided => statistics.undecided += 1,
            }
        }
        statistics.solver_queries = self.solver.queries();
        statistics.solver_conflicts = self.solver.conflicts();
        statistics.solver_work = self.solver.work();
        let proved =
            self.facts.into_iter().zip(self.status).filter(|(_, s)| matches!(s, Status::Proved { .. }));
        (proved.map(|(fact, _)| fact).collect(), self.statistics)
    }
}
