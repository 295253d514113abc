//! Games written a second time, in Rust, and compared with their rules along random matches.

use std::collections::BTreeSet;

use ludex_game::{Machine, Rng};

use super::table::Table;

/// Texts of moves or percepts.
pub type Texts = BTreeSet<String>;

/// A game of its own that should be the same as a rulesheet. Roles are numbered in the order of the rules.
pub trait Model {
    /// The legal moves of a role.
    fn legal(&self, role: usize) -> Texts;
    /// Makes moves that are legal, one for each role, and says what each role sees of them.
    fn step(&mut self, joint: &[String]) -> Vec<Texts>;
    /// What the roles other than chance have got, where the game is over.
    fn goals(&self) -> Option<Vec<u32>>;
}

/// Plays matches at random by the rules and the model, which must agree about everything.
pub fn compare<M: Model>(name: &str, matches: u64, start: impl Fn() -> M) {
    let table = Table::of(name);
    let signature = table.machine.signature();
    let roles: Vec<String> = signature.role_ids().map(|role| table.role_text(role)).collect();
    let mut runner = table.runner();
    for seed in 0..matches {
        runner.set(table.machine.initial()).unwrap();
        let (mut model, mut rng, mut course) = (start(), Rng::from_seed(seed), Vec::new());
        while !runner.terminal().unwrap() {
            assert_eq!(model.goals(), None, "{name} goes on after {course:?}");
            for (number, role) in roles.iter().enumerate() {
                let legal = table.legal(&mut *runner, role);
                assert_eq!(legal, model.legal(number), "{name}: moves of {role} after {course:?}");
            }
            let pick = |role| *rng.pick(runner.legal(role).unwrap()).unwrap();
            let joint: Vec<_> = signature.role_ids().map(pick).collect();
            let texts: Vec<String> =
                joint.iter().map(|&a| signature.terms().prefix(signature.action(a))).collect();
            runner.step(&joint).unwrap();
            let sight = model.step(&texts);
            course.push(texts);
            for (role, expected) in roles.iter().zip(sight) {
                let seen: Texts = table.percepts(&*runner, role).into_iter().collect();
                assert_eq!(seen, expected, "{name}: what {role} sees after {course:?}");
            }
        }
        let players = roles.iter().filter(|role| *role != "random");
        let goals = players.map(|role| table.goal(&mut *runner, role).unwrap()).collect();
        assert_eq!(model.goals(), Some(goals), "{name} after {course:?}");
    }
}

/// The words of a term, without parentheses.
pub fn words(text: &str) -> Vec<&str> {
    text.split([' ', '(', ')']).filter(|word| !word.is_empty()).collect()
}

/// The numbers in a term.
pub fn numbers(text: &str) -> Vec<usize> {
    words(text).iter().filter_map(|word| word.parse().ok()).collect()
}

/// Texts as a set.
pub fn texts<T: ToString>(list: impl IntoIterator<Item = T>) -> Texts {
    list.into_iter().map(|text| text.to_string()).collect()
}
