//! Proofs by induction: what no state with the known invariants allows, or no path of a few steps through
//! such states, never comes about (k-induction: Sheeran, Singh and Stålmarck, 2000). On the way, courses
//! from the initial state are looked for (bounded model checking), which refute.

use ludex_game::{Goal, RoleId};
use ludex_logic::{Budget, LimitError};
use ludex_propnet::Circuit;

use super::claim::{Claim, WIN};
use crate::finding::{Reason, Witness};
use crate::sat::{Literal, Origin, Unrolling, Verdict};
use crate::subject::Faithful;

/// Conflicts that one question may cost.
const CONFLICTS: u64 = 20_000;
/// The most combinations of goal values that are written out.
const MOST_COMBINATIONS: usize = 20_000;

/// What became of a claim.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Proof {
    /// It never comes about: no path of so many steps through states with the invariants leads there.
    Never(usize),
    /// It comes about.
    Shown(Witness),
    /// Not known so far.
    Open,
}

/// A claim that is looked for.
struct Question {
    claim: Claim,
    /// Frame by frame, the literal that says so, from the initial state.
    base: Vec<Literal>,
    /// The same from any state.
    step: Vec<Literal>,
    /// Whether it was excluded for each of the courses from the initial state so far.
    is_based: bool,
    proof: Proof,
}

/// Courses of growing length, from the initial state and from any state with the invariants.
pub(crate) struct Induction<'f> {
    faithful: &'f Faithful,
    seats: Vec<RoleId>,
    /// From the initial state.
    base: Unrolling<'f>,
    /// From any state.
    step: Unrolling<'f>,
    /// The number of steps to be tried next.
    depth: usize,
    questions: Vec<Question>,
    /// The length of the longest course, where all are shorter than what was tried.
    longest: Option<usize>,
}

impl<'f> Induction<'f> {
    /// An induction for some claims; nothing is asked yet. [`Claim::Loops`] is none for it.
    ///
    /// # Errors
    /// The end of the budget.
    pub(crate) fn new(
        faithful: &'f Faithful,
        seats: &[RoleId],
        claims: impl IntoIterator<Item = Claim>,
        budget: &Budget,
    ) -> Result<Self, Reason> {
        let invariants = faithful.invariants(budget)?;
        let circuit = &faithful.circuit;
        let mut step = Unrolling::new(circuit, Origin::Any, budget.meter());
        step.demand_invariants(0, invariants)?;
        let question = |claim| Question {
            claim,
            base: Vec::new(),
            step: Vec::new(),
            is_based: true,
            proof: Proof::Open,
        };
        Ok(Self {
            faithful,
            seats: seats.to_vec(),
            base: Unrolling::new(circuit, Origin::Initial, budget.meter()),
            step,
            depth: 0,
            questions: claims.into_iter().filter(|&claim| claim != Claim::Loops).map(question).collect(),
            longest: None,
        })
    }

    /// Asks about courses of the next length: of no steps in the first call, then of one more in each.
    /// Answers whether a longer course may decide more.
    ///
    /// # Errors
    /// The end of the budget.
    pub(crate) fn deepen(&mut self) -> Result<bool, Reason> {
        let depth = self.depth;
        if self.longest.is_some() {
            return Ok(false);
        }
        if depth > 0 {
            self.base.demand_step(depth - 1)?;
            if self.base.solve(&[], CONFLICTS)? == Verdict::Unsatisfiable {
                self.longest = Some(depth - 1);
                let open = self.questions.iter_mut().filter(|q| q.is_based && q.proof == Proof::Open);
                open.for_each(|question| question.proof = Proof::Never(depth));
                return Ok(false);
            }
            self.step.demand_step(depth - 1)?;
        }
        for at in 0..self.questions.len() {
            if self.questions[at].proof == Proof::Open {
                self.questions[at].proof = self.ask(at, depth)?;
            }
        }
        self.depth += 1;
        Ok(self.is_open())
    }

    /// Asks about one claim after so many steps.
    fn ask(&mut self, at: usize, depth: usize) -> Result<Proof, Reason> {
        let claim = self.questions[at].claim;
        let base = literal(&mut self.base, claim, depth, &self.seats)?;
        let step = literal(&mut self.step, claim, depth, &self.seats)?;
        let question = &mut self.questions[at];
        question.base.push(base);
        question.step.push(step);
        match self.base.solve(&[base], CONFLICTS)? {
            Verdict::Satisfiable => {
                let moves = self.base.joint_moves(depth);
                return Ok(Proof::Shown(Witness { steps: self.faithful.joint_terms(&moves) }));
            }
            Verdict::Unsatisfiable => self.base.solver().clause([!base])?,
            Verdict::TooHard => question.is_based = false,
        }
        // A step can only lower a goal if there is one.
        if !question.is_based || (depth == 0 && matches!(claim, Claim::Falls(_))) {
            return Ok(Proof::Open);
        }
        let mut assumed: Vec<Literal> = question.step[..depth].iter().map(|&earlier| !earlier).collect();
        assumed.push(step);
        let verdict = self.step.solve(&assumed, CONFLICTS)?;
        Ok(if verdict == Verdict::Unsatisfiable { Proof::Never(depth) } else { Proof::Open })
    }

    /// Whether a claim is open.
    pub(super) fn is_open(&self) -> bool {
        self.questions.iter().any(|question| question.proof == Proof::Open)
    }

    /// What became of the claims.
    pub(crate) fn proofs(&self) -> impl Iterator<Item = (Claim, &Proof)> {
        self.questions.iter().map(|question| (question.claim, &question.proof))
    }

    /// The length of the longest course, if all courses were gone through: then the game ends always.
    pub(super) fn longest(&self) -> Option<usize> {
        self.longest
    }
}

/// The literal that says that a claim holds after so many steps, the last of which is `frame`.
fn literal(
    unrolling: &mut Unrolling<'_>,
    claim: Claim,
    frame: usize,
    seats: &[RoleId],
) -> Result<Literal, Reason> {
    let circuit = unrolling.circuit();
    let terminal = unrolling.literal(frame, circuit.terminal)?;
    let holds = match claim {
        Claim::Loops => return Ok(unrolling.solver().constant(false)),
        Claim::Falls(role) => return falls(unrolling, role, frame),
        Claim::Worth(role) => return any_goal(unrolling, role, frame, |goal| goal == WIN),
        Claim::Together => {
            let mut choices = Vec::with_capacity(seats.len());
            for &role in seats {
                choices.push(unrolling.has_choice(frame, role.index())?);
            }
            let two = unrolling.solver().two_of(&choices)?;
            return Ok(unrolling.solver().conjunction(&[!terminal, two])?);
        }
        Claim::Stuck(role) => {
            let mut all = vec![!terminal];
            for &legal in &circuit.legal[role.index()] {
                all.push(!unrolling.literal(frame, legal)?);
            }
            return Ok(unrolling.solver().conjunction(&all)?);
        }
        Claim::NoGoal(role) => {
            let mut none = Vec::new();
            for (_, given) in all_goals(unrolling, role, frame)? {
                none.push(!given);
            }
            unrolling.solver().conjunction(&none)?
        }
        Claim::SeveralGoals(role) => {
            let given: Vec<Literal> =
                all_goals(unrolling, role, frame)?.into_iter().map(|(_, given)| given).collect();
            unrolling.solver().two_of(&given)?
        }
        Claim::OutOfRange(role) => any_goal(unrolling, role, frame, |goal| goal > WIN)?,
        Claim::Wins(role) => any_goal(unrolling, role, frame, |goal| goal == WIN)?,
        Claim::OtherSum(usual) => other_sum(unrolling, usual, frame, seats)?,
    };
    Ok(unrolling.solver().conjunction(&[terminal, holds])?)
}

/// Per goal value of a role, the literal that the rules give it.
fn all_goals(
    unrolling: &mut Unrolling<'_>,
    role: RoleId,
    frame: usize,
) -> Result<Vec<(Goal, Literal)>, Reason> {
    let circuit: &Circuit = unrolling.circuit();
    let mut each = Vec::new();
    for &(goal, edge) in &circuit.goals[role.index()] {
        each.push((goal, unrolling.literal(frame, edge)?));
    }
    Ok(each)
}

/// Per goal value of a role, the literal that it is the only one.
fn goals(unrolling: &mut Unrolling<'_>, role: RoleId, frame: usize) -> Result<Vec<(Goal, Literal)>, Reason> {
    let each = all_goals(unrolling, role, frame)?;
    let mut single = Vec::with_capacity(each.len());
    for &(goal, literal) in &each {
        let others = each.iter().filter(|&&(other, _)| other != goal).map(|&(_, literal)| !literal);
        let all: Vec<Literal> = others.chain([literal]).collect();
        single.push((goal, unrolling.solver().conjunction(&all)?));
    }
    Ok(single)
}

fn any_of(unrolling: &mut Unrolling<'_>, literals: &[Literal]) -> Result<Literal, LimitError> {
    let none: Vec<Literal> = literals.iter().map(|&literal| !literal).collect();
    Ok(!unrolling.solver().conjunction(&none)?)
}

fn any_goal(
    unrolling: &mut Unrolling<'_>,
    role: RoleId,
    frame: usize,
    wanted: impl Fn(Goal) -> bool,
) -> Result<Literal, Reason> {
    let single = goals(unrolling, role, frame)?;
    let wanted: Vec<Literal> =
        single.iter().filter(|(goal, _)| wanted(*goal)).map(|&(_, only)| only).collect();
    Ok(any_of(unrolling, &wanted)?)
}

/// The last step lowers the goal of a role.
fn falls(unrolling: &mut Unrolling<'_>, role: RoleId, frame: usize) -> Result<Literal, Reason> {
    let Some(before) = frame.checked_sub(1) else { return Ok(unrolling.solver().constant(false)) };
    let (was, is) = (goals(unrolling, role, before)?, goals(unrolling, role, frame)?);
    let mut ways = Vec::new();
    for &(high, first) in &was {
        for &(low, second) in is.iter().filter(|&&(low, _)| low < high) {
            debug_assert!(low < high);
            ways.push(unrolling.solver().conjunction(&[first, second])?);
        }
    }
    Ok(any_of(unrolling, &ways)?)
}

/// The goals of the players add up to something else than usual.
fn other_sum(
    unrolling: &mut Unrolling<'_>,
    usual: u64,
    frame: usize,
    seats: &[RoleId],
) -> Result<Literal, Reason> {
    let mut sums: Vec<(u64, Literal)> = vec![(0, unrolling.solver().truth())];
    for &role in seats {
        let single = goals(unrolling, role, frame)?;
        if sums.len().saturating_mul(single.len()) > MOST_COMBINATIONS {
            return Err(Reason::Method("goal values add up to too many sums".to_owned()));
        }
        let mut ways: Vec<(u64, Vec<Literal>)> = Vec::new();
        for &(so_far, literal) in &sums {
            for &(goal, only) in &single {
                let sum = so_far + u64::from(goal);
                let both = unrolling.solver().conjunction(&[literal, only])?;
                match ways.iter_mut().find(|(known, _)| *known == sum) {
                    Some((_, list)) => list.push(both),
                    None => ways.push((sum, vec![both])),
                }
            }
        }
        sums.clear();
        for (sum, list) in ways {
            sums.push((sum, any_of(unrolling, &list)?));
        }
    }
    let others: Vec<Literal> =
        sums.into_iter().filter(|&(sum, _)| sum != usual).map(|(_, literal)| literal).collect();
    Ok(any_of(unrolling, &others)?)
}
