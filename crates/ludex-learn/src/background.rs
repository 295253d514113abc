//! Relations that hold in all states and that nobody wrote down: orders of numbers and letters, and what can be done.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::observations::{Facts, Observations};
use crate::vocabulary::{Constant, Part, RelationId, Shape, Tuple, Vocabulary};

/// Orders of more elements are not compared with.
const LONGEST_ORDER: usize = 128;

/// For each relation of legal moves, those that were ever legal.
pub(crate) fn possible_moves<'a>(
    held: impl Iterator<Item = &'a (RelationId, Tuple)>,
    vocabulary: &mut Vocabulary,
) -> Vec<(RelationId, Tuple)> {
    let met: FxHashSet<&(RelationId, Tuple)> = held.collect();
    let possible = met.into_iter().filter_map(|(relation, tuple)| {
        let shape = vocabulary.get(*relation).shape.under("legal", "possible")?;
        Some((vocabulary.relation(shape, Part::Static), tuple.clone()))
    });
    possible.collect()
}

/// For each order, a relation that leads from each element to the next, the relation between an element and all that
/// come after it.
pub(crate) fn add_closures(observed: &mut Observations, vocabulary: &mut Vocabulary) {
    let orders: Vec<RelationId> =
        (0..vocabulary.relations()).filter(|&it| is_order(observed.statics.of(it))).collect();
    for order in orders {
        let next: FxHashMap<Constant, Constant> =
            observed.statics.of(order).iter().map(|step| (step[0], step[1])).collect();
        let name = format!("before_by_{}", vocabulary.get(order).shape.name());
        let shape = Shape::new(vec![format!("({name} "), " ".to_owned(), ")".to_owned()]);
        let closure = vocabulary.relation(shape, Part::Static);
        let later =
            |&from: &Constant| std::iter::successors(next.get(&from).copied(), |at| next.get(at).copied());
        let pairs =
            next.keys().flat_map(|from| later(from).map(|to| [*from, to].into_iter().collect::<Tuple>()));
        let pairs: Vec<(RelationId, Tuple)> = pairs.map(|pair| (closure, pair)).collect();
        observed.statics.extend(Facts::new(pairs));
        observed.closures.push((closure, order));
    }
}

/// Whether these are the steps of orders that do not lead back: each element has one next element, and is that of one.
fn is_order(steps: &[Tuple]) -> bool {
    if steps.len() < 2 || steps.len() > LONGEST_ORDER || steps.iter().any(|step| step.len() != 2) {
        return false;
    }
    let next: FxHashMap<Constant, Constant> = steps.iter().map(|step| (step[0], step[1])).collect();
    let targets: FxHashSet<Constant> = steps.iter().map(|step| step[1]).collect();
    let is_one_to_one = next.len() == steps.len() && targets.len() == steps.len();
    // What leads back never ends.
    is_one_to_one && {
        let begins = next.keys().filter(|from| !targets.contains(from));
        let reached = begins.flat_map(|&from| std::iter::successors(next.get(&from), |at| next.get(at)));
        reached.count() == steps.len()
    }
}

/// Orders of the numbers and of the letters that were seen, where there are more than two and the facts that hold in
/// all states have none for them.
pub(crate) fn orders(statics: &Facts, vocabulary: &mut Vocabulary) -> Vec<(RelationId, Tuple)> {
    let mut numbers: Vec<(u64, Constant)> = Vec::new();
    let mut letters: Vec<(u64, Constant)> = Vec::new();
    for constant in 0..vocabulary.constants() as Constant {
        let name = vocabulary.name(constant);
        if let Ok(number) = name.parse::<u64>() {
            numbers.push((number, constant));
        } else if let &[letter @ b'a'..=b'z'] = name.as_bytes() {
            letters.push((u64::from(letter), constant));
        }
    }
    let known: Vec<RelationId> = (0..vocabulary.relations()).filter(|&it| is_order(statics.of(it))).collect();
    let mut found = Vec::new();
    for (name, mut members) in [("number_after", numbers), ("letter_after", letters)] {
        members.sort_unstable();
        let steps = members.windows(2).filter(|pair| pair[0].0 + 1 == pair[1].0);
        let steps: Vec<Tuple> = steps.map(|pair| [pair[0].1, pair[1].1].into_iter().collect()).collect();
        let is_known = |step: &Tuple| known.iter().any(|&order| statics.of(order).contains(step));
        if steps.len() > 1 && !steps.iter().all(is_known) {
            let shape = Shape::new(vec![format!("({name} "), " ".to_owned(), ")".to_owned()]);
            let relation = vocabulary.relation(shape, Part::Static);
            found.extend(steps.into_iter().map(|step| (relation, step)));
        }
    }
    found
}
