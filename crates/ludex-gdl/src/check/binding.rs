//! Which variables have a value whenever a formula holds.

use ludex_logic::{Atom, Formula, VariableId};

/// The variables that a formula binds, however it comes to hold.
pub(super) struct Bound {
    /// Whether the formula never holds, so that it binds whatever one likes.
    pub everything: bool,
    /// The variables, ordered.
    pub variables: Vec<VariableId>,
}

impl Bound {
    /// What `formula` binds when an atom binds the variables that `of_atom` lists. Lists and not
    /// bit sets: a rule may have a million variables, each in a subgoal of its own.
    pub fn by(formula: &Formula, of_atom: &impl Fn(&Atom, &mut Vec<VariableId>)) -> Self {
        let mut bound = Self { everything: false, variables: Vec::new() };
        bound.add(formula, of_atom);
        bound.variables.sort_unstable();
        bound.variables.dedup();
        bound
    }

    fn add(&mut self, formula: &Formula, of_atom: &impl Fn(&Atom, &mut Vec<VariableId>)) {
        match formula {
            Formula::Atom(atom) => of_atom(atom, &mut self.variables),
            Formula::Distinct(..) | Formula::Not(_) => {}
            Formula::And(parts) => parts.iter().for_each(|p| self.add(p, of_atom)),
            Formula::Or(parts) => {
                // What every branch binds comes as often as there are branches that can hold.
                let mut branches = 0;
                let mut all = Vec::new();
                for part in parts.iter().map(|p| Bound::by(p, of_atom)).filter(|b| !b.everything) {
                    branches += 1;
                    all.extend(part.variables);
                }
                self.everything |= branches == 0;
                all.sort_unstable();
                self.variables.extend(
                    all.chunk_by(|a, b| a == b).filter(|run| run.len() == branches).map(|run| run[0]),
                );
            }
        }
    }

    /// Whether the variable is among them.
    pub fn has(&self, variable: VariableId) -> bool {
        self.everything || self.variables.binary_search(&variable).is_ok()
    }
}
