//! Symmetries as people read them.

use std::hash::Hash;

use ludex_game::{RoleId, Rules};
use ludex_logic::TermId;
use rustc_hash::{FxHashMap, FxHashSet};

use super::Symmetry;

impl Symmetry {
    /// The roles that are exchanged, as cycles of names.
    pub fn role_cycles(&self, rules: &Rules) -> Vec<Vec<String>> {
        let roles: Vec<u32> = (0..self.roles.len() as u32).collect();
        let cycles = cycles_of(&roles, |role| self.roles[role as usize]);
        let name = |role: u32| rules.role_name(RoleId(role));
        cycles.into_iter().map(|cycle| cycle.into_iter().map(name).collect()).collect()
    }

    /// The propositions that are exchanged, as cycles, in canonical order.
    pub fn fact_cycles(&self, rules: &Rules) -> Vec<Vec<String>> {
        let mut facts: Vec<TermId> = self.facts.keys().copied().collect();
        let terms = rules.signature().terms();
        facts.sort_by(|&a, &b| terms.compare(a, b));
        let cycles = cycles_of(&facts, |fact| self.fact(fact));
        cycles.into_iter().map(|cycle| rules.texts(&cycle)).collect()
    }

    /// The moves that are exchanged, as cycles, in canonical order. Where roles are exchanged or moves of
    /// the same name go different ways, each move is written with its role, `white: mark(1,1)`.
    pub fn move_cycles(&self, rules: &Rules) -> Vec<Vec<String>> {
        let mut moves: Vec<(u32, TermId)> = self.moves.keys().copied().collect();
        let terms = rules.signature().terms();
        moves.sort_by(|a, b| terms.compare(a.1, b.1).then(a.0.cmp(&b.0)));
        let image = |(role, action): (u32, TermId)| {
            (self.role(role as usize) as u32, self.action(role as usize, action))
        };
        let cycles = cycles_of(&moves, image);
        let names: Vec<Vec<String>> = if self.is_by_name() {
            let mut seen = FxHashSet::default();
            let texts = cycles.iter().map(|cycle| cycle.iter().map(|m| rules.text(m.1)).collect());
            texts.filter(|cycle: &Vec<String>| seen.insert(cycle.clone())).collect()
        } else {
            let text = |&(role, action): &(u32, TermId)| {
                format!("{}: {}", rules.role_name(RoleId(role)), rules.text(action))
            };
            cycles.iter().map(|cycle| cycle.iter().map(text).collect()).collect()
        };
        names
    }

    /// Whether roles stay, and a move of one name goes the same way for every role.
    fn is_by_name(&self) -> bool {
        let mut images: FxHashMap<TermId, TermId> = FxHashMap::default();
        self.fixes_roles()
            && self.moves.iter().all(|(&(_, action), &image)| *images.entry(action).or_insert(image) == image)
    }
}

/// The cycles of two and more among these, each from its first element on.
fn cycles_of<T: Copy + Eq + Hash>(elements: &[T], image: impl Fn(T) -> T) -> Vec<Vec<T>> {
    let mut seen = FxHashSet::default();
    let mut cycles = Vec::new();
    for &first in elements {
        let mut cycle = Vec::new();
        let mut at = first;
        while seen.insert(at) {
            cycle.push(at);
            at = image(at);
        }
        if cycle.len() > 1 {
            cycles.push(cycle);
        }
    }
    cycles
}
