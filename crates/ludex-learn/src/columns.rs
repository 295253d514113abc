//! What columns have to do with each other: which hold the same kind of thing, and which decide others.

use rustc_hash::FxHashSet;

use crate::bits::Bits;
use crate::observations::{Facts, Observations};
use crate::vocabulary::{Constant, Part, RelationId, Tuple, Vocabulary};

/// So many columns at most are asked together for what they decide...
const MOST_KEYS: usize = 3;
/// ... and of relations with more columns only one.
const MANY_COLUMNS: usize = 12;

/// So many values of a goal at least may be sums.
const FEWEST_GOALS: usize = 5;

/// A column of a relation.
pub(crate) type Column = (RelationId, usize);

/// What was found out about the columns of what was observed.
#[derive(Debug)]
pub(crate) struct Columns {
    values: Vec<Vec<Vec<Constant>>>,
    /// Per relation: the smallest sets of columns that decide the others, within one state.
    keys: Vec<Vec<Vec<usize>>>,
    /// Constants that stand in a column of one fact at most of each state.
    alone: Vec<(Column, Constant)>,
    tells_legal: bool,
    /// Per relation: whether two of its three values decide the third, whichever, as in sums.
    operations: Vec<bool>,
    /// The relation of sums that nobody wrote down.
    sums: Option<RelationId>,
    /// Per relation: the place of its first column among all.
    places: Vec<usize>,
    /// Per column: those that hold the same kind of thing.
    alike: Vec<Bits>,
}

impl Columns {
    /// Looks at what was observed.
    pub fn new(observed: &Observations, vocabulary: &Vocabulary, noise: f64) -> Self {
        let values = observed.column_values(vocabulary);
        let keys = (0..vocabulary.relations()).map(|relation| match vocabulary.get(relation).part {
            Part::Static => {
                keys(vocabulary.columns(relation), 0.0, || std::iter::once(observed.statics.of(relation)))
            }
            _ => {
                let lists = || observed.states.iter().map(|state| state.of(relation));
                keys(vocabulary.columns(relation), noise, lists)
            }
        });
        let keys = keys.collect();
        let alone = alone(observed, vocabulary, &values);
        let mut places = Vec::with_capacity(values.len());
        let mut all: Vec<&Vec<Constant>> = Vec::new();
        for columns in &values {
            places.push(all.len());
            all.extend(columns);
        }
        let like = |first: &&Vec<Constant>| Bits::of(all.len(), |second| are_alike(first, all[second]));
        let alike = all.iter().map(like).collect();
        let mut it = Self {
            values,
            keys,
            alone,
            tells_legal: observed.tells_legal,
            operations: Vec::new(),
            sums: observed.sums,
            places,
            alike,
        };
        it.operations = (0..vocabulary.relations())
            .map(|relation| vocabulary.get(relation).part == Part::Static && it.are_three_alike(relation))
            .collect();
        it
    }

    /// Whether a relation has three columns of one kind, of which any two decide the third.
    fn are_three_alike(&self, relation: RelationId) -> bool {
        self.keys[relation] == [vec![0, 1], vec![0, 2], vec![1, 2]]
            && self.are_alike((relation, 0), (relation, 1))
            && self.are_alike((relation, 1), (relation, 2))
    }

    /// Whether a relation that holds in all states leads from two values to a third and back, as sums do.
    pub fn is_operation(&self, relation: RelationId) -> bool {
        self.operations[relation]
    }

    /// Whether what comes next of a relation, or what a state is worth, may be a sum: a number that something else tells or
    /// that stands alone, and no coordinate.
    pub fn may_be_sums(&self, target: RelationId, vocabulary: &Vocabulary) -> bool {
        let shape = &vocabulary.get(target).shape;
        let is_number = |column: usize| {
            let mut operations = (0..self.operations.len()).filter(|&relation| self.operations[relation]);
            operations.any(|relation| self.are_alike((target, column), (relation, 2)))
        };
        let is_decided = |column: usize| match shape.keyword() {
            "goal" => self.values((target, column)).len() >= FEWEST_GOALS,
            _ => {
                let state = shape.under("next", "true").and_then(|shape| vocabulary.find(&shape));
                let is_by =
                    |key: &Vec<usize>| !key.contains(&column) && (!key.is_empty() || shape.columns() == 1);
                state.is_some_and(|state| self.keys(state).iter().any(is_by))
            }
        };
        (0..shape.columns()).any(|column| is_decided(column) && is_number(column))
    }

    /// The relation of sums that nobody wrote down.
    pub fn sums(&self) -> Option<RelationId> {
        self.sums
    }

    /// The constants in a column, in order.
    pub fn values(&self, (relation, column): Column) -> &[Constant] {
        &self.values[relation][column]
    }

    /// The smallest sets of columns of a relation that decide all others.
    pub fn keys(&self, relation: RelationId) -> &[Vec<usize>] {
        &self.keys[relation]
    }

    /// Constants that decide a fact: where they stand in this column, there is one fact at most in each state.
    pub fn alone(&self) -> &[(Column, Constant)] {
        &self.alone
    }

    /// Whether each state says which moves are legal in it.
    pub fn tells_legal(&self) -> bool {
        self.tells_legal
    }

    /// Whether two columns hold the same kind of thing: most of what the smaller one has is in the other.
    pub fn are_alike(&self, first: Column, second: Column) -> bool {
        let [first, second] = [first, second].map(|(relation, column)| self.places[relation] + column);
        self.alike[first].contains(second)
    }
}

/// Whether most of the smaller one of two sets, each in order, is in the other.
pub(crate) fn are_alike(first: &[Constant], second: &[Constant]) -> bool {
    let (small, large) = if first.len() <= second.len() { (first, second) } else { (second, first) };
    let both = small.iter().filter(|constant| large.binary_search(constant).is_ok()).count();
    both > 0 && 2 * both >= small.len()
}

/// Constants of small columns that stand in one fact at most of each state, and where others do not.
fn alone(
    observed: &Observations,
    vocabulary: &Vocabulary,
    values: &[Vec<Vec<Constant>>],
) -> Vec<(Column, Constant)> {
    const MOST: usize = 16;
    let is_state = |&relation: &RelationId| {
        matches!(vocabulary.get(relation).part, Part::State | Part::Moves) && vocabulary.columns(relation) > 1
    };
    let mut found = Vec::new();
    for relation in (0..vocabulary.relations()).filter(is_state) {
        for (column, values) in values[relation].iter().enumerate().filter(|(_, values)| values.len() <= MOST)
        {
            let is_alone = |&constant: &Constant| {
                let count =
                    |facts: &Facts| facts.of(relation).iter().filter(|fact| fact[column] == constant).count();
                observed.states.iter().all(|state| count(state) <= 1)
            };
            found.extend(
                values.iter().copied().filter(is_alone).map(|constant| ((relation, column), constant)),
            );
        }
    }
    found
}

/// The smallest sets of columns that decide the others in each of these lists.
fn keys<'a, I: Iterator<Item = &'a [Tuple]>>(
    columns: usize,
    noise: f64,
    lists: impl Fn() -> I,
) -> Vec<Vec<usize>> {
    let mut found: Vec<Vec<usize>> = Vec::new();
    let most = if columns > MANY_COLUMNS { 1 } else { MOST_KEYS };
    for size in 0..=most.min(columns.saturating_sub(1)) {
        for set in sets(columns, size) {
            let is_known = found.iter().any(|key| key.iter().all(|column| set.contains(column)));
            if !is_known && decides(lists(), &set, noise) {
                found.push(set);
            }
        }
    }
    found
}

/// Whether no two of one list agree in these columns, but for a share of them all.
fn decides<'a>(lists: impl Iterator<Item = &'a [Tuple]>, columns: &[usize], noise: f64) -> bool {
    let mut met = FxHashSet::default();
    let (mut all, mut wrong) = (0_u64, 0_u64);
    for list in lists {
        met.clear();
        all += list.len() as u64;
        for tuple in list {
            wrong += u64::from(!met.insert(columns.iter().map(|&c| tuple[c]).collect::<Tuple>()));
        }
        if noise == 0.0 && wrong > 0 {
            return false;
        }
    }
    wrong as f64 <= noise * all as f64
}

/// All sets of so many of these columns.
fn sets(columns: usize, size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let shorter = sets(columns, size - 1);
    let longer = |set: Vec<usize>| {
        let from = set.last().map_or(0, |&last| last + 1);
        (from..columns).map(move |column| set.iter().copied().chain([column]).collect())
    };
    shorter.into_iter().flat_map(longer).collect()
}

#[cfg(test)]
mod tests {
    use smallvec::smallvec;

    use super::*;

    #[test]
    fn what_decides_is_found() {
        let board: Vec<Tuple> = vec![
            smallvec![1, 1, 7],
            smallvec![1, 2, 7],
            smallvec![2, 1, 8],
            smallvec![2, 2, 7],
            smallvec![1, 3, 8],
        ];
        assert_eq!(keys(3, 0.0, || std::iter::once(&board[..])), [vec![0, 1]]);
        let one: Vec<Tuple> = vec![smallvec![1, 5]];
        assert_eq!(keys(2, 0.0, || std::iter::once(&one[..])), [Vec::<usize>::new()]);
        let order: Vec<Tuple> = vec![smallvec![1, 2], smallvec![2, 3]];
        assert_eq!(keys(2, 0.0, || std::iter::once(&order[..])), [vec![0], vec![1]]);
    }
}
