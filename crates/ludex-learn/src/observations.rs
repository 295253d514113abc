//! What was seen of a game: states, the moves in them, and what held of them.

use std::ops::Range;

use rustc_hash::FxHashMap;

use crate::vocabulary::{RelationId, Tuple, Vocabulary};

/// Facts by relation, each list in order and without repetition.
#[derive(Clone, Debug, Default)]
pub struct Facts(FxHashMap<RelationId, Vec<Tuple>>);

impl Facts {
    /// Those of these.
    pub fn new(facts: impl IntoIterator<Item = (RelationId, Tuple)>) -> Self {
        let mut by_relation: FxHashMap<RelationId, Vec<Tuple>> = FxHashMap::default();
        for (relation, tuple) in facts {
            by_relation.entry(relation).or_default().push(tuple);
        }
        for tuples in by_relation.values_mut() {
            tuples.sort_unstable();
            tuples.dedup();
        }
        Self(by_relation)
    }

    /// The facts of a relation.
    pub fn of(&self, relation: RelationId) -> &[Tuple] {
        self.0.get(&relation).map_or(&[], Vec::as_slice)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (RelationId, &Tuple)> {
        self.0.iter().flat_map(|(&relation, tuples)| tuples.iter().map(move |tuple| (relation, tuple)))
    }

    /// Adds those of another.
    pub fn extend(&mut self, other: Self) {
        *self = Self::new(self.iter().map(|(relation, tuple)| (relation, tuple.clone())).chain(
            other.0.into_iter().flat_map(|(relation, tuples)| tuples.into_iter().map(move |t| (relation, t))),
        ));
    }
}

/// What is to be learned of one relation: what held of it, state by state.
#[derive(Clone, Debug)]
pub struct Target {
    /// The relation.
    pub relation: RelationId,
    /// What could hold of it: all that is ever asked.
    pub atoms: Vec<Tuple>,
    /// Of each state in which it is known what held, that state and the numbers of those of `atoms`, in order.
    pub seen: Vec<(usize, Vec<u32>)>,
    /// Whether all that held of those states is known: of moves that were made, it is not known which others could
    /// have been.
    pub is_whole: bool,
    /// What is known not to hold, of other states: those states and numbers of `atoms`, in order.
    pub denied: Vec<(usize, Vec<u32>)>,
}

impl Target {
    /// A relation of which nothing was seen yet, and what could hold of it.
    pub fn new(relation: RelationId, atoms: Vec<Tuple>) -> Self {
        Self { relation, atoms, seen: Vec::new(), is_whole: true, denied: Vec::new() }
    }
}

/// What was seen of a game.
#[derive(Clone, Debug, Default)]
pub struct Observations {
    /// What holds in all states.
    pub statics: Facts,
    /// Relations among those that hold in all states that are the closure of another, by its number.
    pub closures: Vec<(RelationId, RelationId)>,
    /// The relation among those that hold in all states between two numbers and their sum, where there is one.
    pub sums: Option<RelationId>,
    /// Whether each state says which moves are legal in it.
    pub tells_legal: bool,
    /// States, with the moves that were made in them.
    pub states: Vec<Facts>,
    /// States that are all learned from at once, by their numbers: such as rules were wrong about.
    pub marked: Vec<usize>,
    /// What is to be learned.
    pub targets: Vec<Target>,
}

impl Observations {
    /// What was seen in these states alone; what could hold stays the same.
    pub fn part(&self, states: Range<usize>) -> Self {
        let inside = |of: &[(usize, Vec<u32>)]| {
            let inside = of.iter().filter(|(state, _)| states.contains(state));
            inside.map(|(state, held)| (state - states.start, held.clone())).collect()
        };
        let target = |target: &Target| Target {
            relation: target.relation,
            atoms: target.atoms.clone(),
            seen: inside(&target.seen),
            is_whole: target.is_whole,
            denied: inside(&target.denied),
        };
        Self {
            statics: self.statics.clone(),
            closures: self.closures.clone(),
            sums: self.sums,
            tells_legal: self.tells_legal,
            states: self.states[states.clone()].to_vec(),
            marked: self.marked.iter().filter(|it| states.contains(it)).map(|it| it - states.start).collect(),
            targets: self.targets.iter().map(target).collect(),
        }
    }

    /// The constants that stand in each column of each relation, in order.
    pub(crate) fn column_values(&self, vocabulary: &Vocabulary) -> Vec<Vec<Vec<u32>>> {
        let mut values: Vec<Vec<Vec<u32>>> = (0..vocabulary.relations())
            .map(|relation| vec![Vec::new(); vocabulary.columns(relation)])
            .collect();
        let mut met = vec![rustc_hash::FxHashSet::default(); vocabulary.relations()];
        let targets = self.targets.iter().flat_map(|t| t.atoms.iter().map(|atom| (t.relation, atom)));
        let facts = self.statics.iter().chain(self.states.iter().flat_map(Facts::iter)).chain(targets);
        for (relation, tuple) in facts {
            for (column, &constant) in tuple.iter().enumerate() {
                if met[relation].insert((column, constant)) {
                    values[relation][column].push(constant);
                }
            }
        }
        values.iter_mut().flatten().for_each(|column| column.sort_unstable());
        values
    }
}
