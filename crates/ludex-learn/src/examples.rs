//! The examples that are learned from at a time: few to begin with, and those more of which rules were wrong.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use crate::bits::Bits;
use crate::cover::{Conjunction, Tests};
use crate::language::{Language, Test};
use crate::observations::Target;
use crate::table::{Asked, Row};

/// So many states are looked at to begin with, and so many at most where positive or negative examples are rare.
const FEW_STATES: usize = 200;
const MANY_STATES: usize = 1000;
/// So many examples of which atoms hold, and of which they do not, are learned from to begin with.
const FIRST: [usize; 2] = [400, 600];
/// Where there are so few in all, they are learned from at once.
pub(crate) const FEW: usize = 2500;

/// So many examples of which atoms do not hold are learned from of a marked state.
const OTHERS_OF_MARKED: usize = 50;

/// A number that depends on these alone.
pub(crate) fn chance(seed: u64, first: u64, second: u64) -> u64 {
    let mut hasher = FxHasher::default();
    (seed, first, second).hash(&mut hasher);
    hasher.finish() >> 20
}

/// Rows with what is known of them, and of which of them each test of a language holds.
#[derive(Debug, Default)]
pub(crate) struct Examples {
    pub rows: Vec<Row>,
    pub held: Vec<bool>,
    answers: Vec<Bits>,
}

/// Tests that differ on the examples.
pub(crate) struct Distinct {
    pub tests: Tests,
    /// The examples of each side, by their rows.
    pub rows: [Vec<usize>; 2],
    /// Per test: which of the language it is.
    pub places: Vec<usize>,
    /// Per test of the language: which of these holds of the same examples; none where it holds of all or of none.
    pub number: Vec<Option<usize>>,
    /// Tests of the language that hold of all examples.
    pub always: Vec<bool>,
}

/// Some examples of these states, given as numbers in what was seen of the target.
pub(crate) fn first_examples(target: &Target, states: &[usize], seed: u64) -> Vec<(Row, bool)> {
    let is_few = states.len() * target.atoms.len() <= FEW;
    let first = if is_few { [FEW; 2] } else { FIRST };
    let few_states = if is_few { states.len() } else { FEW_STATES };
    let count = |&number: &usize| {
        let held = target.seen[number].1.len();
        [held, target.atoms.len() - held]
    };
    let mut order = states.to_vec();
    order.sort_by_key(|&number| (chance(seed, number as u64, 1), number));
    let mut chosen: Vec<usize> = Vec::new();
    let mut all = [0, 0];
    for number in order {
        let sides = count(&number);
        let is_needed = (0..2).any(|side| all[side] < first[side] && sides[side] > 0);
        if chosen.len() < few_states || is_needed && chosen.len() < MANY_STATES {
            chosen.push(number);
            all = [0, 1].map(|side| all[side] + sides[side]);
        }
    }
    chosen.sort_unstable();
    let mut examples = Vec::new();
    for number in chosen {
        let (state, held) = &target.seen[number];
        for atom in 0..target.atoms.len() as u32 {
            let is_held = held.binary_search(&atom).is_ok();
            let (room, of) = (first[usize::from(!is_held)] as u64, all[usize::from(!is_held)] as u64);
            if of <= room || chance(seed, 2 + *state as u64, u64::from(atom)) % of < room {
                examples.push(((*state, atom), is_held));
            }
        }
    }
    examples
}

/// Examples of states that are marked: what held, and some of what did not.
pub(crate) fn marked_examples(target: &Target, marked: &[usize], seed: u64) -> Vec<(Row, bool)> {
    let mut examples = Vec::new();
    for (state, held) in target.seen.iter().filter(|(state, _)| marked.contains(state)) {
        examples.extend(held.iter().map(|&atom| ((*state, atom), true)));
        let others = (0..target.atoms.len() as u32).filter(|atom| held.binary_search(atom).is_err());
        let mut others: Vec<u32> = others.collect();
        others.sort_by_key(|&atom| (chance(seed, 2 + *state as u64, u64::from(atom)), atom));
        examples.extend(others.into_iter().take(OTHERS_OF_MARKED).map(|atom| ((*state, atom), false)));
    }
    examples
}

impl Examples {
    /// Adds those of these that are new, and asks all tests of them; whether there are any.
    pub fn add(&mut self, mut more: Vec<(Row, bool)>, asked: Asked<'_>) -> bool {
        let known: FxHashSet<Row> = self.rows.iter().copied().collect();
        more.sort_unstable();
        more.dedup();
        more.retain(|(row, _)| !known.contains(row));
        if more.is_empty() {
            return false;
        }
        let (rows, held): (Vec<Row>, Vec<bool>) = more.into_iter().unzip();
        let tests: Vec<&Test> = asked.language.tests.iter().map(|(test, _)| test).collect();
        let answers = asked.answers(&tests, &rows);
        if self.answers.is_empty() {
            self.answers = answers;
        } else {
            let length = self.rows.len();
            self.answers
                .iter_mut()
                .zip(&answers)
                .for_each(|(bits, more)| bits.append(length, more, rows.len()));
        }
        self.rows.extend(rows);
        self.held.extend(held);
        true
    }

    /// The tests that differ, the cheapest of those that hold of the same examples; on the examples that differ, or on
    /// all of them where it matters how many there are.
    pub fn distinct(&self, language: &Language, are_all_counted: bool, noise: f32) -> Distinct {
        let (answers, held) = (&self.answers, &self.held);
        let mut cheapest: FxHashMap<&Bits, usize> = FxHashMap::default();
        for (place, bits) in answers.iter().enumerate() {
            let known = cheapest.entry(bits).or_insert(place);
            if language.tests[place].1 < language.tests[*known].1 {
                *known = place;
            }
        }
        let is_split = |place: usize| !answers[place].is_empty() && answers[place].count() < held.len();
        let mut places: Vec<usize> = cheapest.values().copied().filter(|&place| is_split(place)).collect();
        places.sort_unstable();
        let numbers: FxHashMap<usize, usize> =
            places.iter().enumerate().map(|(number, &place)| (place, number)).collect();
        let number = answers.iter().map(|bits| numbers.get(&cheapest[bits]).copied()).collect();
        let always = answers.iter().map(|bits| bits.count() == held.len()).collect();
        // Examples of which the same tests hold are one.
        let mut looks = vec![0_u64; held.len()];
        for (number, &place) in places.iter().enumerate() {
            let mark = (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
            let mark = (mark ^ mark >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            answers[place].iter().for_each(|row| looks[row] = looks[row].wrapping_add(mark));
        }
        let mut met = FxHashSet::default();
        let sides = [true, false].map(|side| {
            // How many there are is what tells a rule from an accident, so those of which atoms hold are all kept.
            let is_one =
                |&row: &usize| held[row] == side && (side || met.insert(looks[row]) || are_all_counted);
            (0..held.len()).filter(is_one).collect::<Vec<usize>>()
        });
        let alike = sides[0].iter().filter(|&&row| met.contains(&looks[row])).count();
        let of = |place: usize| {
            [&sides[0], &sides[1]].map(|rows| Bits::of(rows.len(), |row| answers[place].contains(rows[row])))
        };
        let holds = places.iter().map(|&place| of(place)).collect();
        let costs = places.iter().map(|&place| language.tests[place].1).collect();
        let tests = Tests { holds, costs, sizes: [sides[0].len(), sides[1].len()], alike, noise };
        Distinct { tests, rows: sides, places, number, always }
    }
}

impl Distinct {
    /// Conjunctions of tests of the language, as far as they hold of some of the examples.
    pub fn known(&self, conjunctions: &[Vec<usize>]) -> Vec<Conjunction> {
        let known = conjunctions.iter().filter_map(|tests| {
            let tests = tests.iter().filter(|&&place| !self.always[place]);
            let mut tests = tests.map(|&place| self.number[place]).collect::<Option<Vec<usize>>>()?;
            tests.sort_unstable();
            tests.dedup();
            Some(self.tests.conjunction(tests))
        });
        known.collect()
    }

    /// Conjunctions as tests of the language.
    pub fn remembered(&self, conjunctions: &[Conjunction]) -> Vec<Vec<usize>> {
        let places = |it: &Conjunction| it.tests.iter().map(|&test| self.places[test]).collect();
        conjunctions.iter().map(places).collect()
    }
}
