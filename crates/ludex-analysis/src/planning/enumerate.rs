//! All plans of one length.

use ludex_game::{Goal, RoleId};
use ludex_logic::Budget;

use super::courses::Courses;
use super::model::Model;
use super::replay::replayed;
use super::search::{Others, Stopped};
use crate::sat::Verdict;
use crate::{Reason, Subject, Witness};

/// Plans of one length.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plans {
    /// The plans, in the order of their moves' terms; each was replayed on the rules.
    pub plans: Vec<Witness>,
    /// Whether these are all, which is proved of the faithful circuit.
    pub are_all: bool,
}

/// All plans of a role with exactly so many steps that bring at least so much, up to a number of them.
///
/// Plans are as in [`plan`](super::plan): different joint moves are different plans, and the course
/// ends with the last one for the first time.
///
/// # Errors
/// When the rules are no net, or the budget is spent; no plan is given then.
pub fn plans(
    subject: &Subject,
    role: RoleId,
    least: Goal,
    length: usize,
    others: Others,
    most: usize,
    budget: &Budget,
) -> Result<Plans, Reason> {
    let model = Model::faithful(subject, budget)?;
    let search = Enumeration { subject, model: &model, role, least, others, budget };
    search.run(length, most).map_err(|Stopped(reason)| reason)
}

struct Enumeration<'s> {
    subject: &'s Subject,
    model: &'s Model,
    role: RoleId,
    least: Goal,
    others: Others,
    budget: &'s Budget,
}

impl Enumeration<'_> {
    fn run(&self, length: usize, most: usize) -> Result<Plans, Stopped> {
        let mut courses = Courses::new(self.model, self.role.index(), self.others, self.budget.meter());
        for _ in 0..length {
            courses.extend()?;
        }
        let won = courses.won(length, self.least)?;
        let mut plans = Vec::new();
        let mut are_all = false;
        while plans.len() < most {
            self.budget.report("listing plans", plans.len() as u64, None);
            if courses.unrolling.solve(&[won], u64::MAX)? != Verdict::Satisfiable {
                are_all = true;
                break;
            }
            let witness = Witness { steps: courses.steps(length) };
            let goal = replayed(self.subject, self.role, &witness)?;
            if goal.is_some_and(|goal| goal >= self.least) {
                plans.push(witness);
            }
            courses.exclude(length)?;
        }
        let terms = self.subject.signature().terms();
        let moves = |witness: &Witness| witness.steps.concat();
        plans.sort_by(|one, other| terms.compare_lists(&moves(one), &moves(other)));
        Ok(Plans { plans, are_all })
    }
}
