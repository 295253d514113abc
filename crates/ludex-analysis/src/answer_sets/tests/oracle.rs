//! Models by trying every set of atoms: slow, and obviously right.

use super::super::{Head, Program, Rule};

/// A set of atoms, by position.
pub type Set = u32;

fn holds(rule: &Rule, set: Set) -> bool {
    let has = |atom: &super::super::Atom| set >> atom.index() & 1 == 1;
    rule.positive.iter().all(has) && !rule.negative.iter().any(has)
}

/// Whether the set satisfies all rules, read classically.
pub fn is_model(program: &Program, set: Set) -> bool {
    program.rules().iter().filter(|rule| holds(rule, set)).all(|rule| match &rule.head {
        Head::Constraint => false,
        Head::Atom(atom) => set >> atom.index() & 1 == 1,
        Head::Choice(choice) => {
            let mut atoms: Vec<usize> = choice.atoms.iter().map(|atom| atom.index()).collect();
            atoms.sort_unstable();
            atoms.dedup();
            let count = atoms.iter().filter(|&&atom| set >> atom & 1 == 1).count();
            count >= choice.at_least && choice.at_most.is_none_or(|most| count <= most)
        }
    })
}

fn heads(rule: &Rule) -> Vec<usize> {
    match &rule.head {
        Head::Constraint => Vec::new(),
        Head::Atom(atom) => vec![atom.index()],
        Head::Choice(choice) => choice.atoms.iter().map(|atom| atom.index()).collect(),
    }
}

/// Whether each atom of the set is the head of a rule whose body holds.
pub fn is_supported(program: &Program, set: Set) -> bool {
    let supported = |atom| program.rules().iter().any(|rule| holds(rule, set) && heads(rule).contains(&atom));
    (0..program.atoms().len()).all(|atom| set >> atom & 1 == 0 || supported(atom))
}

/// The least model of the reduct: negative literals as the set says, choices as far as the set goes.
fn least_model(program: &Program, set: Set) -> Set {
    let mut least: Set = 0;
    loop {
        let before = least;
        for rule in program.rules() {
            let allowed = rule.negative.iter().all(|atom| set >> atom.index() & 1 == 0);
            if allowed && rule.positive.iter().all(|atom| least >> atom.index() & 1 == 1) {
                for head in heads(rule) {
                    let is_free = matches!(rule.head, Head::Choice(_)) && set >> head & 1 == 0;
                    least |= Set::from(!is_free) << head;
                }
            }
        }
        if least == before {
            return least;
        }
    }
}

/// All sets.
fn sets(program: &Program) -> impl Iterator<Item = Set> + use<> {
    0..1 << program.atoms().len()
}

/// The models of which no proper subset is one.
pub fn minimal_models(program: &Program) -> Vec<Set> {
    let models: Vec<Set> = sets(program).filter(|&set| is_model(program, set)).collect();
    let minimal = |set: &Set| !models.iter().any(|&other| other != *set && other & set == other);
    models.iter().copied().filter(minimal).collect()
}

/// The answer sets.
pub fn answer_sets(program: &Program) -> Vec<Set> {
    sets(program).filter(|&set| is_model(program, set) && least_model(program, set) == set).collect()
}
