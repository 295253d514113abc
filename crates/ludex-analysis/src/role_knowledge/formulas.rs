//! Courses that look the same, by a solver.

use ludex_game::Rules;
use ludex_logic::Budget;

use super::{Knows, Question, RoleKnowledge, RoleKnowledgeOptions, TwoCourses};
use crate::finding::{Reason, Witness};
use crate::sat::{DoubledCircuit, Lookalikes, Verdict};
use crate::subject::Faithful;

impl RoleKnowledge {
    /// Proves what it can by induction, and looks for two courses of each length for the rest.
    pub(super) fn ask_solver(
        &mut self,
        rules: &Rules,
        faithful: &Faithful,
        options: &RoleKnowledgeOptions,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let doubled = DoubledCircuit::new(&faithful.circuit);
        budget.meter().spend(doubled.circuit().gates.len() as u64)?;
        self.prove(&doubled, faithful, options, budget)?;
        if self.undecided().is_empty() {
            return Ok(());
        }
        let mut pairs = Lookalikes::from_start(&doubled, self.role.index(), budget.meter());
        // Questions that were too hard for some length: no proof comes of the others.
        let mut hard: Vec<Question> = Vec::new();
        while pairs.steps() < options.most_steps {
            pairs.add_step()?;
            for question in self.undecided() {
                match pairs.find(question, options.conflicts)? {
                    Verdict::Satisfiable => {
                        let [one, other] =
                            pairs.joint_moves().map(|steps| Witness { steps: faithful.joint_terms(&steps) });
                        self.refute(rules, question, TwoCourses { one, other });
                    }
                    Verdict::Unsatisfiable => {}
                    Verdict::TooHard => hard.push(question),
                }
            }
            let all = self.undecided();
            if all.is_empty() {
                return Ok(());
            }
            if pairs.any(options.conflicts)? == Verdict::Unsatisfiable {
                // All courses are over.
                for question in all.into_iter().filter(|question| !hard.contains(question)) {
                    *self.about_mut(question) = Knows::Always;
                }
                self.explain(&Reason::Conflicts { conflicts: options.conflicts });
                return Ok(());
            }
        }
        let steps = options.most_steps;
        self.explain(&Reason::Method(format!("courses of more than {steps} steps were not looked at")));
        Ok(())
    }

    /// What never differs between two states that are the same as far as the role always knows.
    fn prove(
        &mut self,
        doubled: &DoubledCircuit,
        faithful: &Faithful,
        options: &RoleKnowledgeOptions,
        budget: &Budget,
    ) -> Result<(), Reason> {
        let invariants = faithful.invariants(budget)?;
        let (role, conflicts) = (self.role.index(), options.conflicts);
        let found = Lookalikes::by_induction(doubled, role, invariants, conflicts, budget.meter())?;
        let Some(mut pairs) = found else { return Ok(()) };
        for question in self.undecided() {
            if pairs.find(question, conflicts)? == Verdict::Unsatisfiable {
                *self.about_mut(question) = Knows::Always;
            }
        }
        Ok(())
    }
}
