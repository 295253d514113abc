//! Relations that hold in all states and that nobody wrote down: orders of numbers and letters, sums of numbers, and what
//! can be done.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::observations::{Facts, Observations};
use crate::vocabulary::{Constant, Part, RelationId, Shape, Tuple, Vocabulary};

/// Orders of more elements are not compared with.
const LONGEST_ORDER: usize = 128;
/// Larger numbers are not added up.
const LARGEST_SUM: u64 = 100;
/// Fewer sums than these are none.
const FEWEST_SUMS: usize = 4;

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

/// The sums of the numbers that were seen, first, second and both together; with the relation that they are of. Nothing
/// where there are too few numbers to tell sums from orders.
pub(crate) fn sums(vocabulary: &mut Vocabulary) -> Option<(RelationId, Vec<(RelationId, Tuple)>)> {
    let numbers: Vec<(u64, Constant)> = (0..vocabulary.constants() as Constant)
        .filter_map(|constant| Some((vocabulary.name(constant).parse::<u64>().ok()?, constant)))
        .filter(|&(number, _)| number <= LARGEST_SUM)
        .collect();
    let by_number: FxHashMap<u64, Constant> = numbers.iter().copied().collect();
    let pairs = numbers.iter().flat_map(|first| numbers.iter().map(move |second| (first, second)));
    let sums: Vec<Tuple> = pairs
        .filter_map(|(first, second)| {
            Some([first.1, second.1, *by_number.get(&(first.0 + second.0))?].into_iter().collect())
        })
        .collect();
    // One and one are two: less than that is no sum.
    let is_sum = |sum: &&Tuple| sum[0] != sum[2] && sum[1] != sum[2];
    if sums.iter().filter(is_sum).count() < FEWEST_SUMS {
        return None;
    }
    let parts = ["(number_sum ", " ", " ", ")"].map(str::to_owned);
    let relation = vocabulary.relation(Shape::new(parts.to_vec()), Part::Static);
    Some((relation, sums.into_iter().map(|sum| (relation, sum)).collect()))
}
