//! Which relations change from step to step, and which of their arguments are steps.

use ludex_logic::dependency::Dependencies;
use ludex_logic::{Atom, Clause, Id, IdVec, Pattern, RelationId};

use crate::game_program::GameProgram;

/// Which arguments of relations are steps.
///
/// Those of the keywords are, and so are those in which a rule has the same variable. Relations that no state decides (`successor`, or
/// an arithmetic of the rulesheet's own) are left out: they may be about other things as well.
pub(super) struct StepArguments {
    is_dynamic: IdVec<RelationId, bool>,
    places: IdVec<RelationId, Vec<usize>>,
    /// `step` and `successor`, whose arguments are all steps.
    chain: [Option<RelationId>; 2],
}

impl StepArguments {
    pub fn new(game: &GameProgram) -> Self {
        let (program, v) = (&game.program, &game.vocabulary);
        let keywords = [v.truth, v.does, v.legal, v.goal, v.terminal, v.sees];
        let mut places: IdVec<RelationId, Vec<usize>> =
            program.relations.iter().map(|_| Vec::new()).collect();
        for keyword in keywords {
            places[keyword].push(program.relations[keyword].arity.saturating_sub(1));
        }
        let is_dynamic = Dependencies::new(program).dependents(keywords);
        let chain = [("step", 1), ("successor", 2)].map(|(name, arity)| program.find_relation(name, arity));
        let mut found = Self { is_dynamic, places, chain };
        loop {
            let mut changed = false;
            for clause in program.clauses.iter() {
                let variables = found.variables_of(clause);
                let mut mark = |atom: &Atom| {
                    if !found.is_dynamic[atom.relation] || keywords.contains(&atom.relation) {
                        return;
                    }
                    for (place, arg) in atom.args.iter().enumerate() {
                        let is_step = matches!(arg, Pattern::Variable(v) if variables[v.index()]);
                        if is_step && !found.places[atom.relation].contains(&place) {
                            found.places[atom.relation].push(place);
                            found.places[atom.relation].sort_unstable();
                            changed = true;
                        }
                    }
                };
                mark(&clause.head);
                clause.body.atoms(&mut |atom, _| mark(atom));
            }
            if !changed {
                return found;
            }
        }
    }

    /// Whether a relation depends on what holds or is done on some step.
    pub fn is_dynamic(&self, relation: RelationId) -> bool {
        self.is_dynamic[relation]
    }

    /// By variable of a clause: whether it stands for a step.
    pub fn variables_of(&self, clause: &Clause) -> Vec<bool> {
        let mut steps = vec![false; clause.variables.len()];
        let mut note = |atom: &Atom| {
            let is_chain = self.chain.contains(&Some(atom.relation));
            let all = 0..if is_chain { atom.args.len() } else { 0 };
            for place in self.places[atom.relation].iter().copied().chain(all) {
                if let Some(Pattern::Variable(variable)) = atom.args.get(place) {
                    steps[variable.index()] = true;
                }
            }
        };
        note(&clause.head);
        clause.body.atoms(&mut |atom, _| note(atom));
        steps
    }

    /// The argument that is the step a relation speaks of: the last one of those that are steps. Relations that no state
    /// decides speak of none.
    pub fn current(&self, relation: RelationId) -> Option<usize> {
        self.places[relation].last().copied()
    }

    /// All arguments that are steps.
    pub fn all(&self, relation: RelationId) -> &[usize] {
        &self.places[relation]
    }
}
