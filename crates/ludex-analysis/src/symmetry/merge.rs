//! One state for all that are symmetric.

use ludex_game::{Answer, JointMoves, Machine, PerftRow, Rules, State, perft_merging};
use ludex_logic::{Budget, LimitError, Meter, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Symmetries, Symmetry};
use crate::finding::Reason;

/// Chooses one state among those that symmetries which fix the roles take to each other. All of them are
/// worth the same to every role.
#[derive(Clone, Debug)]
pub struct Representatives {
    /// The propositions that are moved, in canonical order, with their numbers.
    numbers: FxHashMap<TermId, u32>,
    facts: Vec<TermId>,
    /// By proposition number its image: the elements of the group without the identity, or some of them.
    images: Vec<Box<[u32]>>,
    is_complete: bool,
}

impl Representatives {
    /// For the symmetries of a game that fix the roles. All elements of the group are listed when there
    /// are no more than `most`; in a larger group only the generators and their inverses are used, again
    /// and again: then what is chosen is symmetric to the state, but symmetric states may be given
    /// different ones.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn new(
        rules: &Rules,
        symmetries: &Symmetries,
        most: usize,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let generators = symmetries.fixing_roles();
        let terms = rules.signature().terms();
        let mut facts: Vec<TermId> = generators.iter().flat_map(|g| g.facts.keys().copied()).collect();
        facts.sort_by(|&a, &b| terms.compare(a, b));
        facts.dedup();
        let numbers: FxHashMap<TermId, u32> = facts.iter().copied().zip(0..).collect();
        let image = |generator: &Symmetry| -> Box<[u32]> {
            facts
                .iter()
                .map(|&fact| numbers.get(&generator.fact(fact)).copied().unwrap_or_default())
                .collect()
        };
        let generators: Vec<Box<[u32]>> = generators.iter().map(image).collect();
        let is_complete = symmetries.fixing_order().value().is_some_and(|order| order <= most as u128);
        let mut images = if is_complete {
            elements(facts.len(), &generators, meter)?
        } else {
            generators.iter().map(|generator| inverse(generator)).chain(generators.iter().cloned()).collect()
        };
        images.sort_unstable();
        images.dedup();
        Ok(Self { numbers, facts, images, is_complete })
    }

    /// Whether symmetric states always have the same representative.
    pub fn is_complete(&self) -> bool {
        self.is_complete
    }

    /// Whether every state is its own representative.
    pub fn is_trivial(&self) -> bool {
        self.images.is_empty()
    }

    /// The representative of a state, by its facts. Facts that no symmetry moves come first, in the order
    /// given.
    ///
    /// # Errors
    /// When the budget is spent.
    pub fn canonical(&self, facts: &[TermId], meter: &mut Meter) -> Result<Vec<TermId>, LimitError> {
        let mut chosen: Vec<TermId> =
            facts.iter().copied().filter(|fact| !self.numbers.contains_key(fact)).collect();
        let mut best: Vec<u32> = facts.iter().filter_map(|fact| self.numbers.get(fact).copied()).collect();
        best.sort_unstable();
        let mut image = Vec::with_capacity(best.len());
        let original = best.clone();
        loop {
            let from = if self.is_complete { original.clone() } else { best.clone() };
            let mut improved = false;
            for element in &self.images {
                meter.spend(1 + from.len() as u64)?;
                image.clear();
                image.extend(from.iter().map(|&number| element[number as usize]));
                image.sort_unstable();
                if image < best {
                    std::mem::swap(&mut best, &mut image);
                    improved = true;
                }
            }
            // With all elements one round is enough; without, each round makes the state smaller.
            if self.is_complete || !improved {
                break;
            }
        }
        chosen.extend(best.into_iter().map(|number| self.facts[number as usize]));
        Ok(chosen)
    }
}

/// Counts joint-move sequences, endings and classes of states at each depth from 0 to `depth`: as
/// [`perft`](ludex_game::perft), with one state for all that are symmetric. Symmetric states have equally
/// many continuations, so paths and endings are the same as without; `distinct` is the number of classes,
/// or more where the representatives are not complete.
///
/// # Errors
/// As [`perft`](ludex_game::perft).
pub fn perft_of_classes(
    rules: &Rules,
    representatives: &Representatives,
    depth: u32,
    budget: &Budget,
) -> Answer<Vec<PerftRow>> {
    let machine: &dyn Machine = &**rules.machine();
    let mut meter = budget.meter();
    let mut facts = Vec::new();
    perft_merging(machine, depth, budget, |state| {
        if !representatives.is_trivial() {
            facts.clear();
            machine.facts(state, &mut facts);
            *state = machine.state_of(&representatives.canonical(&facts, &mut meter)?)?;
        }
        Ok(())
    })
}

fn inverse(images: &[u32]) -> Box<[u32]> {
    let mut inverse = vec![0; images.len()];
    images.iter().zip(0..).for_each(|(&image, number)| inverse[image as usize] = number);
    inverse.into()
}

/// All products of generators but the identity.
fn elements(
    count: usize,
    generators: &[Box<[u32]>],
    meter: &mut Meter,
) -> Result<Vec<Box<[u32]>>, LimitError> {
    let identity: Box<[u32]> = (0..count as u32).collect();
    let mut seen: FxHashSet<Box<[u32]>> = FxHashSet::default();
    seen.insert(identity.clone());
    let mut open = vec![identity.clone()];
    while let Some(element) = open.pop() {
        for generator in generators {
            meter.spend(count as u64)?;
            let product: Box<[u32]> = element.iter().map(|&image| generator[image as usize]).collect();
            if seen.insert(product.clone()) {
                open.push(product);
            }
        }
    }
    seen.remove(&identity);
    Ok(seen.into_iter().collect())
}

/// What merging saves at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergedRow {
    /// The number of joint moves made.
    pub depth: u32,
    /// The distinct states.
    pub distinct: u64,
    /// Those left when symmetric ones are one.
    pub merged: u64,
}

/// Counts the distinct states at each depth from 0 to `depth`, and how many are left when symmetric
/// states are merged. The list is shorter where all games have ended before, or where a depth has more
/// states than `most`.
///
/// # Errors
/// Why it is not known: the budget is spent, or a role has no move.
pub fn merged_states(
    rules: &Rules,
    representatives: &Representatives,
    depth: u32,
    most: usize,
    budget: &Budget,
) -> Result<Vec<MergedRow>, Reason> {
    let machine: &dyn Machine = &**rules.machine();
    let method = |error: ludex_game::GameError| match error {
        ludex_game::GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    };
    let mut meter = budget.meter();
    let mut runner = machine.runner(budget);
    let mut layer = vec![machine.initial().clone()];
    let mut rows = Vec::new();
    let mut facts = Vec::new();
    for at in 0..=depth {
        let mut merged = FxHashSet::default();
        let mut next: FxHashSet<State> = FxHashSet::default();
        for state in &layer {
            facts.clear();
            machine.facts(state, &mut facts);
            merged.insert(representatives.canonical(&facts, &mut meter)?);
            if at == depth {
                continue;
            }
            runner.set(state).map_err(method)?;
            if runner.terminal().map_err(method)? {
                continue;
            }
            let mut joints = JointMoves::new(&mut *runner, machine.signature()).map_err(method)?;
            let mut after = State::default();
            while let (Some(joint), true) = (joints.next(), next.len() <= most) {
                meter.spend(1)?;
                runner.set(state).map_err(method)?;
                runner.step_legal(joint).map_err(method)?;
                runner.save(&mut after);
                next.insert(after.clone());
            }
            meter.check_memory(next.len() * (facts.len() + 16) * 8, || "states".into())?;
        }
        rows.push(MergedRow { depth: at, distinct: layer.len() as u64, merged: merged.len() as u64 });
        if next.is_empty() || next.len() > most {
            break;
        }
        layer = next.into_iter().collect();
        layer.sort_unstable();
    }
    Ok(rows)
}
