//! Courses that fit what a role was told, by a solver over the circuit.

use ludex_game::{ActionId, Answer, Claim, Condition, CourseAnswer, CourseSolver, KnownStep, News, RoleId};
use ludex_logic::{Budget, TermId};
use ludex_propnet::sat::{CircuitStep, Courses, Literal, UnrollError, Verdict};

use super::{NetMachine, wiring};

/// The circuit relies on moves being legal and on states being reachable, and those of courses are. One in which gates
/// have parts in common is no easier for a solver.
pub(super) struct NetCourses<'m> {
    net: &'m NetMachine,
    courses: Courses<'m>,
    /// Something was told that is in no step of the game.
    is_impossible: bool,
    /// The formula became too large.
    is_unknown: bool,
}

impl<'m> NetCourses<'m> {
    pub fn new(net: &'m NetMachine, seed: Option<u64>, budget: &Budget) -> Self {
        let courses = Courses::new(&net.circuit, seed, budget.meter());
        Self { net, courses, is_impossible: false, is_unknown: false }
    }

    /// The position of a move in the circuit; `None` for one that is never legal.
    fn position(&self, role: RoleId, action: TermId) -> Option<usize> {
        let action = self.net.signature.find_action(action)?;
        let positions = self.net.positions.get(role.index())?;
        positions.get(action.index()).filter(|&&at| at != wiring::NONE).map(|&at| at as usize)
    }

    /// The position of a percept in the circuit; `None` for one that is never seen.
    fn percept(&self, role: RoleId, term: TermId) -> Option<usize> {
        self.net.circuit.percepts[role.index()].iter().position(|&(percept, _)| percept == term)
    }

    /// What is known of a step, in numbers; `None` where it is impossible.
    fn known(&self, step: &KnownStep<'_>) -> Option<CircuitStep> {
        let (moves, seen) = match step.news {
            News::Joint(joint) => ((0..).map(RoleId).zip(joint.iter().copied()).collect(), None),
            News::Percepts { action, percepts } => (vec![(step.role, *action)], Some(percepts)),
        };
        let mut known = CircuitStep { is_doubtful: step.is_passed_over, ..CircuitStep::default() };
        for (role, action) in moves {
            match self.position(role, action) {
                Some(number) => known.moves.push((role.index(), number)),
                None if step.is_passed_over => {}
                None => return None,
            }
        }
        if let Some(percepts) = seen.filter(|_| !step.is_passed_over) {
            let seen: Option<Vec<usize>> =
                percepts.iter().map(|&term| self.percept(step.role, term)).collect();
            known.seen = Some((step.role.index(), seen?));
        }
        Some(known)
    }

    /// A limit is an error, and a formula that is too large none: then nothing is known.
    fn unless_too_large<T>(&mut self, made: Result<T, UnrollError>) -> Answer<Option<T>> {
        match made {
            Ok(made) => Ok(Some(made)),
            Err(UnrollError::Limit(limit)) => {
                self.is_unknown = true;
                Err(limit.into())
            }
            Err(UnrollError::Recursion { .. }) => {
                self.is_unknown = true;
                Ok(None)
            }
        }
    }

    fn literal(&mut self, condition: Condition) -> Result<Literal, UnrollError> {
        let circuit = &self.net.circuit;
        let edge = match condition.claim {
            Claim::Over => Some(circuit.terminal),
            Claim::Legal(role, action) => {
                self.position(role, action).map(|number| circuit.legal[role.index()][number])
            }
            Claim::Fact(fact) => {
                let found = self.net.signature.find_proposition(fact);
                found.and_then(|id| circuit.values.get(id.index()).copied())
            }
        };
        let holds = match edge {
            Some(edge) => self.courses.at_end(edge)?,
            None => !self.courses.truth(),
        };
        Ok(if condition.holds { holds } else { !holds })
    }

    fn verdict(&mut self, demands: &[Vec<Condition>], conflicts: u64) -> Result<Verdict, UnrollError> {
        let mut literals = Vec::with_capacity(demands.len());
        for demand in demands {
            let one_of: Result<Vec<Literal>, _> = demand.iter().map(|&met| self.literal(met)).collect();
            literals.push(one_of?);
        }
        self.courses.find(&literals, conflicts)
    }

    fn joints(&self) -> Vec<Vec<ActionId>> {
        let action = |(role, &number): (usize, &u32)| self.net.actions[role][number as usize];
        let joint = |joint: &Vec<u32>| joint.iter().enumerate().map(action).collect();
        self.courses.joint_moves().iter().map(joint).collect()
    }
}

impl CourseSolver for NetCourses<'_> {
    fn add_step(&mut self, step: &KnownStep<'_>) -> Answer<()> {
        let Some(known) = self.known(step) else {
            self.is_impossible = true;
            return Ok(());
        };
        if self.is_impossible || self.is_unknown {
            return Ok(());
        }
        let made = self.courses.add_step(&known);
        self.unless_too_large(made).map(|_| ())
    }

    fn find(&mut self, demands: &[Vec<Condition>], conflicts: u64) -> Answer<CourseAnswer> {
        if self.is_impossible {
            return Ok(CourseAnswer::None);
        }
        if self.is_unknown {
            return Ok(CourseAnswer::Unknown);
        }
        let verdict = self.verdict(demands, conflicts);
        Ok(match self.unless_too_large(verdict)? {
            Some(Verdict::Satisfiable) => CourseAnswer::Found(self.joints()),
            Some(Verdict::Unsatisfiable) => CourseAnswer::None,
            Some(Verdict::TooHard) | None => CourseAnswer::Unknown,
        })
    }

    fn find_other(&mut self, demands: &[Vec<Condition>], conflicts: u64) -> Answer<CourseAnswer> {
        if !self.is_impossible && !self.is_unknown {
            let watched = self.courses.watch_ends();
            self.unless_too_large(watched)?;
        }
        let answer = self.find(demands, conflicts)?;
        if matches!(answer, CourseAnswer::Found(_)) {
            let excluded = self.courses.exclude_end();
            self.unless_too_large(excluded)?;
        }
        Ok(answer)
    }
}
