//! What things are called in GDL.

use ludex_logic::{IdVec, RelationId};
use rustc_hash::FxHashSet;

use super::placement::Version;
use crate::convert::free_name;
use crate::game_program::GameProgram;
use crate::tree::{NodeId, Rulesheet, Tree};

/// The names of facts, and of relations that lose their step.
pub(super) struct Names {
    /// The fact that says which step it is.
    pub step: String,
    /// What was so one step before.
    pub previous: String,
    /// What was so at some step before.
    pub once: String,
    /// What was so at a certain step before.
    pub past: String,
    /// Which facts are of these four kinds.
    pub remembered: String,
    /// Which of two steps is earlier.
    pub earlier: String,
    /// What holds on the next step, where rules ask for that, and on the first one.
    holds: [String; 2],
    /// By relation: its names without the step, of the next state, of the first one, and of the present one.
    relations: IdVec<RelationId, [String; 3]>,
}

impl Names {
    pub fn new(rulesheet: &Rulesheet, game: &GameProgram, has_step: impl Fn(RelationId) -> bool) -> Self {
        let tree = &rulesheet.tree;
        let functors: FxHashSet<&str> = functors(tree);
        let functor =
            |word: &str| if functors.contains(word) { free_name(tree, word) } else { word.to_owned() };
        let relation = |word: &str| free_name(tree, word);
        let program = &game.program;
        let mut taken: FxHashSet<(String, usize)> = program
            .relations
            .entries()
            .filter(|(id, _)| !has_step(*id))
            .map(|(id, relation)| (program.relation_name(id).to_owned(), relation.arity))
            .collect();
        let mut relations = IdVec::new();
        for (id, data) in program.relations.entries() {
            let mut name = program.relation_name(id).to_owned();
            if has_step(id) {
                let is_taken = |name: &str, taken: &FxHashSet<(String, usize)>| {
                    taken.contains(&(name.to_owned(), data.arity - 1))
                };
                if is_taken(&name, &taken) {
                    name = free_name(tree, &format!("{name}_now"));
                }
                taken.insert((name.clone(), data.arity - 1));
            }
            let version = |ending: &str| relation(&format!("{name}_{ending}"));
            relations.push([version("next"), version("first"), name.clone()]);
        }
        Self {
            step: functor("step"),
            previous: functor("previous"),
            once: functor("once"),
            past: functor("past"),
            remembered: relation("remembered"),
            earlier: relation("earlier"),
            holds: [relation("holds_next"), relation("holds_first")],
            relations,
        }
    }

    /// The name of a relation without its step.
    pub fn relation(&self, relation: RelationId, version: Version) -> &str {
        let [next, first, now] = &self.relations[relation];
        match version {
            Version::Now => now,
            Version::Next => next,
            Version::First => first,
        }
    }

    /// The names that no author wrote, each with the one that it is a version of.
    pub fn versions<'t>(&self, written: impl Fn(RelationId) -> &'t str) -> Vec<(String, String)> {
        let of = |id: RelationId, names: &[String]| {
            let written = written(id).to_owned();
            names
                .iter()
                .filter(|name| **name != written)
                .map(|name| (name.clone(), written.clone()))
                .collect::<Vec<_>>()
        };
        let helpers = self.holds.iter().map(|name| (name.clone(), "true".to_owned()));
        helpers.chain(self.relations.entries().flat_map(|(id, names)| of(id, names))).collect()
    }

    /// What holds in the next state or in the first one, where rules ask for that.
    pub fn holds(&self, version: Version) -> &str {
        let [next, first] = &self.holds;
        if version == Version::First { first } else { next }
    }
}

/// The names that stand for terms somewhere.
fn functors(tree: &Tree) -> FxHashSet<&str> {
    let mut found = FxHashSet::default();
    for node in (0..tree.len() as u32).map(NodeId) {
        if !matches!(tree.head(node), Some(("and" | "or" | "not", _))) {
            let terms = tree.children(node).iter().filter_map(|&child| tree.head(child));
            found.extend(terms.map(|(name, _)| name));
        }
    }
    found
}
