//! What the rules give a role in a state where that is not exactly one goal value.

use std::sync::Arc;

use ludex_game::{RoleId, Rules, State};
use ludex_gdl::Span;
use ludex_logic::derive::{ExplainOptions, Node, Query, Reason as Origins};
use ludex_logic::{Atom, Formula, IdVec, LimitError, Meter, Pattern, TermId, VariableId};
use rustc_hash::FxHashMap;

use super::claim::Claim;
use crate::subject::Faithful;

/// The values of `goal` for a role in a state, each with the clause that gives it; `None` where that cannot be
/// told within the limits on questions.
pub(crate) fn goal_values(rules: &Rules, state: &State, role: RoleId) -> Option<Vec<(TermId, Span)>> {
    let program = rules.program();
    let relation = program.vocabulary.goal;
    let mut meter = rules.question_budget().meter();
    let mut derivations = rules.derivations(state, None).ok()?;
    let mut variables = IdVec::new();
    let value: VariableId = variables.push(program.program.terms.symbol("value"));
    let role = Pattern::Ground(rules.signature().roles()[role.index()]);
    let formula = Formula::Atom(Atom { relation, args: [role, Pattern::Variable(value)].into() });
    let options = ExplainOptions { refutations: 0 };
    let found = derivations.explain(&Query { formula, variables }, &options, &mut meter).ok()?;
    let values = found.roots.iter().filter_map(|&root| match found.nodes.get(root)? {
        Node::Holds { atom, reason: Origins::Clause(clause), .. } => {
            let span = program.spans[program.program.clauses[*clause].origin];
            Some((*atom.args.last()?, span))
        }
        _ => None,
    });
    Some(values.collect())
}

/// What is wrong with the goal of a role in a terminal state where it is not exactly one value. A value that is
/// no number is none.
pub(super) fn goal_fault(rules: &Rules, state: &State, role: RoleId) -> Option<Claim> {
    let several = goal_values(rules, state, role)?.len() > 1;
    Some(if several { Claim::SeveralGoals(role) } else { Claim::NoGoal(role) })
}

/// The same by the net, which is quicker where there are many states.
pub(super) struct FaultsByNet<'a> {
    rules: &'a Rules,
    faithful: Arc<Faithful>,
    numbers: FxHashMap<TermId, u32>,
}

impl<'a> FaultsByNet<'a> {
    pub(super) fn new(rules: &'a Rules, faithful: Arc<Faithful>) -> Self {
        Self { rules, numbers: faithful.base_numbers(), faithful }
    }

    /// As [`goal_fault`].
    ///
    /// # Errors
    /// When the budget is spent.
    pub(super) fn of(&self, state: &State, role: RoleId, meter: &mut Meter) -> Result<Claim, LimitError> {
        let circuit = &self.faithful.circuit;
        let mut bits = vec![false; circuit.bases.len()];
        for base in self.rules.facts(state).iter().filter_map(|fact| self.numbers.get(fact)) {
            bits[*base as usize] = true;
        }
        meter.spend(circuit.operand_count() as u64)?;
        let gates = circuit.ternary_values(|base| Some(bits[base as usize]), |_, _| None);
        let values = circuit.goals[role.index()].iter();
        let held = values.filter(|(_, edge)| gates.get(*edge) == Some(true)).count();
        Ok(if held > 1 { Claim::SeveralGoals(role) } else { Claim::NoGoal(role) })
    }
}
