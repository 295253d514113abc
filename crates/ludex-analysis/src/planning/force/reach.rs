//! Whether a state can lead to what the role wants at all: a question for the solver.

use ludex_game::Goal;
use ludex_logic::Meter;

use super::cubes::Cube;
use crate::planning::courses::Courses;
use crate::planning::model::Model;
use crate::planning::search::{Others, Stopped};
use crate::sat::{Literal, Origin, Verdict};

/// For ever: no number of steps changes it.
pub(super) const FOREVER: u32 = u32::MAX;

/// What all roles together can reach from a state.
pub(super) enum Reach {
    /// What is wanted, beginning with this move of the role.
    Open { action: u32 },
    /// Not in any of these states, within so many steps.
    Closed { cube: Cube, steps: u32 },
}

/// The courses from any state on.
pub(super) struct Reachable<'m> {
    courses: Courses<'m>,
    role: usize,
    least: Goal,
    /// Per number of steps: what is wanted is reached within them.
    within: Vec<Literal>,
    pub(super) questions: u64,
}

impl<'m> Reachable<'m> {
    pub(super) fn new(model: &'m Model, role: usize, least: Goal, meter: Meter) -> Result<Self, Stopped> {
        let mut courses = Courses::from_origin(model, role, Others::Helping, Origin::Any, meter);
        courses.strengthen_first()?;
        Ok(Self { courses, role, least, within: Vec::new(), questions: 0 })
    }

    /// What can be reached within so many steps, at least 1, from a state that is not terminal.
    pub(super) fn ask(&mut self, state: &[bool], steps: u32) -> Result<Reach, Stopped> {
        while self.within.len() <= steps as usize {
            self.lengthen()?;
        }
        let mut assumptions = Vec::with_capacity(state.len() + 1);
        for (base, &value) in state.iter().enumerate() {
            let literal = self.courses.unrolling.base(0, base as u32)?;
            assumptions.push(if value { literal } else { !literal });
        }
        let mut core = Vec::new();
        assumptions.push(self.within[steps as usize]);
        if !self.is_refuted(&assumptions, &mut core)? {
            let action = self.courses.unrolling.joint_moves(1)[0][self.role];
            return Ok(Reach::Open { action });
        }
        assumptions.pop();
        assumptions.push(self.courses.going(steps as usize));
        let steps = if self.is_refuted(&assumptions, &mut core)? { FOREVER } else { steps };
        Ok(Reach::Closed { cube: Cube::around(state, core), steps })
    }

    /// Whether these assumptions fail together; then the bases among them that they fail for are added.
    fn is_refuted(&mut self, assumptions: &[Literal], core: &mut Vec<u32>) -> Result<bool, Stopped> {
        self.questions += 1;
        if self.courses.unrolling.solve(assumptions, u64::MAX)? != Verdict::Unsatisfiable {
            return Ok(false);
        }
        let solver = self.courses.unrolling.solver();
        let states = 0..assumptions.len() - 1;
        core.extend(states.filter(|&at| solver.is_in_core(assumptions[at])).map(|at| at as u32));
        Ok(true)
    }

    /// Takes one more step into account.
    fn lengthen(&mut self) -> Result<(), Stopped> {
        let frame = self.within.len();
        debug_assert_eq!(frame, self.courses.length());
        let won = self.courses.won(frame, self.least)?;
        let solver = self.courses.unrolling.solver();
        let within = match self.within.last() {
            Some(&before) => !solver.conjunction(&[!before, !won])?,
            None => won,
        };
        self.within.push(within);
        Ok(self.courses.extend_or_end()?)
    }
}
