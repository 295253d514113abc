//! What records say against each other, and what they say nothing of.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::observations::{Facts, Observations, Target};
use crate::vocabulary::{Constant, Part, RelationId, Tuple, Vocabulary};

/// So many contradictions of one relation are told.
const MOST: usize = 100;

/// Two states with the same facts, and for what comes next with the same moves, of which something else was recorded.
/// In a game where moves decide everything, one of both is wrong, or there are facts that were not recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The one that was recorded first, by its number among the states.
    pub first: usize,
    /// The other one.
    pub second: usize,
    /// What holds of one of both only is of this relation.
    pub relation: RelationId,
}

/// The facts of a state, and its moves where they are asked for, in order.
fn facts<'a>(state: &'a Facts, with_moves: bool, vocabulary: &Vocabulary) -> Vec<(RelationId, &'a Tuple)> {
    let is_part = |relation: RelationId| match vocabulary.get(relation).part {
        Part::State => true,
        Part::Moves => with_moves,
        _ => false,
    };
    let mut facts: Vec<_> = state.iter().filter(|(relation, _)| is_part(*relation)).collect();
    facts.sort_unstable();
    facts
}

impl Observations {
    /// Where records contradict each other: at most a hundred times for each relation.
    pub fn contradictions(&self, vocabulary: &Vocabulary) -> Vec<Contradiction> {
        let classes = [false, true].map(|with_moves| self.classes(with_moves, vocabulary));
        let mut found = Vec::new();
        for target in self.targets.iter().filter(|target| target.is_whole) {
            let is_next = vocabulary.get(target.relation).shape.keyword() == "next";
            let mut first: FxHashMap<usize, (usize, &Vec<u32>)> = FxHashMap::default();
            let before = found.len();
            for (state, held) in &target.seen {
                let (known, known_held) =
                    *first.entry(classes[usize::from(is_next)][*state]).or_insert((*state, held));
                if known_held != held && found.len() - before < MOST {
                    found.push(Contradiction { first: known, second: *state, relation: target.relation });
                }
            }
        }
        found
    }

    /// Per state: the first one with the same facts.
    fn classes(&self, with_moves: bool, vocabulary: &Vocabulary) -> Vec<usize> {
        let mut by_hash: FxHashMap<u64, Vec<usize>> = FxHashMap::default();
        let class = |state: usize| {
            let mine = facts(&self.states[state], with_moves, vocabulary);
            let mut hasher = FxHasher::default();
            mine.hash(&mut hasher);
            let alike = by_hash.entry(hasher.finish()).or_default();
            let known = alike
                .iter()
                .copied()
                .find(|&other| facts(&self.states[other], with_moves, vocabulary) == mine);
            known.unwrap_or_else(|| {
                alike.push(state);
                state
            })
        };
        (0..self.states.len()).map(class).collect()
    }

    /// The states with the same facts as these.
    pub(crate) fn states_like(&self, state: &Facts, vocabulary: &Vocabulary) -> Vec<usize> {
        let mine = facts(state, false, vocabulary);
        (0..self.states.len())
            .filter(|&other| facts(&self.states[other], false, vocabulary) == mine)
            .collect()
    }
}

impl Observations {
    /// Of which values the records are silent: by column of a relation, those of states with which nothing of the
    /// relation ever held.
    pub fn silent(&self, target: &Target, vocabulary: &Vocabulary) -> Vec<(usize, Vec<Constant>)> {
        let columns = target.atoms.first().map_or(0, |atom| atom.len());
        let mut held = vec![false; target.atoms.len()];
        target.seen.iter().flat_map(|(_, atoms)| atoms).for_each(|&atom| held[atom as usize] = true);
        let of_states = self.states.iter().flat_map(|state| facts(state, true, vocabulary));
        let of_states: FxHashSet<Constant> = of_states.flat_map(|(_, fact)| fact.iter().copied()).collect();
        let of = |column: usize| {
            let values = |is_held: bool| {
                let atoms = target.atoms.iter().zip(&held).filter(move |(_, held)| **held || !is_held);
                let mut values: Vec<Constant> = atoms.map(|(atom, _)| atom[column]).collect();
                values.sort_unstable();
                values.dedup();
                values
            };
            let seen = values(true);
            let mut all = values(false);
            all.retain(|value| of_states.contains(value) && seen.binary_search(value).is_err());
            (column, all)
        };
        (0..columns).map(of).filter(|(_, values)| !values.is_empty()).collect()
    }
}
