//! The courses of a game as a formula: which there are, and which reach what is wanted.

use ludex_game::Goal;
use ludex_logic::{Meter, TermId};

use super::model::Model;
use super::search::Others;
use crate::sat::{Literal, Origin, UnrollError, Unrolling};

/// The courses from one state on. No state but the last one is terminal.
pub(super) struct Courses<'m> {
    pub(super) unrolling: Unrolling<'m>,
    model: &'m Model,
    role: usize,
    others: Others,
    /// Per frame but the last one: whether the course goes on after it.
    going: Vec<Literal>,
}

impl<'m> Courses<'m> {
    /// Courses of no step.
    pub(super) fn new(model: &'m Model, role: usize, others: Others, meter: Meter) -> Self {
        Self::from_origin(model, role, others, Origin::Initial, meter)
    }

    /// Courses of no step from the initial state or from any.
    pub(super) fn from_origin(
        model: &'m Model,
        role: usize,
        others: Others,
        origin: Origin,
        meter: Meter,
    ) -> Self {
        let unrolling = Unrolling::new(model.circuit(), origin, meter);
        Self { unrolling, model, role, others, going: Vec::new() }
    }

    /// The number of steps the courses have, or may have at most.
    pub(super) fn length(&self) -> usize {
        self.going.len()
    }

    /// Whether the course goes on after a frame.
    pub(super) fn going(&self, frame: usize) -> Literal {
        self.going[frame]
    }

    /// Lets all courses go on for one more step. Those that end in the last frame are left out.
    pub(super) fn extend(&mut self) -> Result<(), UnrollError> {
        let always = self.unrolling.solver().truth();
        self.extend_if(always)
    }

    /// Lets courses go on for one more step or end where they are.
    pub(super) fn extend_or_end(&mut self) -> Result<(), UnrollError> {
        let going = self.unrolling.solver().variable();
        if let Some(&before) = self.going.last() {
            self.unrolling.solver().clause([!going, before])?;
        }
        self.extend_if(going)
    }

    fn extend_if(&mut self, going: Literal) -> Result<(), UnrollError> {
        let frame = self.length();
        let terminal = self.unrolling.literal(frame, self.model.circuit().terminal)?;
        self.unrolling.solver().clause([!going, !terminal])?;
        self.unrolling.demand_moves_if(frame, going)?;
        if self.others == Others::Forced {
            self.leave_no_choice(frame, going)?;
        }
        self.unrolling.add_frame();
        self.going.push(going);
        self.strengthen(frame + 1, going)
    }

    /// Demands that other roles have one legal move each.
    fn leave_no_choice(&mut self, frame: usize, going: Literal) -> Result<(), UnrollError> {
        let circuit = self.model.circuit();
        for (role, legal) in circuit.legal.iter().enumerate() {
            if role == self.role {
                continue;
            }
            let mut choices = Vec::with_capacity(legal.len());
            for &edge in legal {
                choices.push(self.unrolling.literal(frame, edge)?);
            }
            self.unrolling.solver().at_most_one_if(going, &choices)?;
        }
        Ok(())
    }

    /// Says of the first state that it can be reached: nobody else does where it may be any.
    pub(super) fn strengthen_first(&mut self) -> Result<(), UnrollError> {
        let always = self.unrolling.solver().truth();
        self.strengthen(0, always)
    }

    /// Says what is known of all reachable states.
    fn strengthen(&mut self, frame: usize, going: Literal) -> Result<(), UnrollError> {
        self.unrolling.demand_invariants_if(going, frame, self.model.invariants())
    }

    /// The literal of: the course ends in this frame, and with at least so much.
    pub(super) fn won(&mut self, frame: usize, least: Goal) -> Result<Literal, UnrollError> {
        let circuit = self.model.circuit();
        let mut parts = vec![self.unrolling.literal(frame, circuit.terminal)?];
        parts.extend(frame.checked_sub(1).map(|before| self.going[before]));
        let mut worse = Vec::new();
        for &(value, edge) in &circuit.goals[self.role] {
            let holds = self.unrolling.literal(frame, edge)?;
            if value >= least { worse.push(!holds) } else { parts.push(!holds) }
        }
        let solver = self.unrolling.solver();
        parts.push(!solver.conjunction(&worse)?);
        Ok(solver.conjunction(&parts)?)
    }

    /// The bases of the first frames, up to this one.
    pub(super) fn states(&mut self, last: usize) -> Result<Vec<Vec<Literal>>, UnrollError> {
        let bases = self.model.circuit().bases.len() as u32;
        let unrolling = &mut self.unrolling;
        let mut state = |frame| (0..bases).map(|base| unrolling.base(frame, base)).collect();
        (0..=last).map(&mut state).collect()
    }

    /// The first so many joint moves in the model of the last question.
    pub(super) fn steps(&self, length: usize) -> Vec<Vec<TermId>> {
        self.model.terms(&self.unrolling.joint_moves(length))
    }

    /// Leaves the course of the last question out, which ends after so many steps.
    pub(super) fn exclude(&mut self, length: usize) -> Result<(), UnrollError> {
        let steps = self.unrolling.joint_moves(length);
        let mut clause = Vec::new();
        for (frame, step) in steps.iter().enumerate() {
            let made = step.iter().enumerate();
            clause.extend(made.map(|(role, &number)| !self.unrolling.made(frame, role, number as usize)));
        }
        Ok(self.unrolling.solver().clause(clause)?)
    }
}
