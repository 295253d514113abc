//! What counts: step counters, what goes round by itself, and values that only rise or fall.

use ludex_logic::{Budget, TermId, TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Proofs;
use crate::finding::Reason;
use crate::sat::Literal;
use crate::structure::{BoardShape, Evidence, Structure, Successors};
use crate::subject::Subject;

/// The longest course of a clock that is followed.
const MOST_TICKS: usize = 4096;
/// Larger groups are boards or hands rather than counters.
const MOST_VALUES: usize = 512;
/// Groups that are asked about.
const MOST_GROUPS: usize = 64;

/// How the value of a counter that moves change may go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// It never falls.
    Rises,
    /// It never rises.
    Falls,
    /// Neither is proved.
    Both,
}

/// How a counter runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Course {
    /// By itself from the first value on, whatever is done, one value after each step; after the last one
    /// none of them holds, or the last one stays.
    Line,
    /// By itself, and again from the value at this position after the last one.
    Circle(usize),
    /// By moves. The values are in their order.
    Moves(Direction),
}

/// A group of propositions of which one at most is true, as the values of a counter. That they are such a
/// group is proved, and so is what [`Course`] says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counter {
    /// One proposition for each value, in the order in which they come.
    pub values: Vec<TermId>,
    /// How it runs.
    pub course: Course,
}

/// The counters, and after how many steps one of them surely ends the game.
pub(super) fn find(
    subject: &Subject,
    structure: &Structure,
    proofs: &mut Proofs<'_>,
    clock: &[TermId],
    budget: &Budget,
) -> Result<(Vec<Counter>, Option<usize>), Reason> {
    let invariants = proofs.faithful.invariants(budget)?.clone();
    let mut groups: Vec<&Vec<u32>> = invariants.exactly_one.iter().chain(&invariants.exclusive).collect();
    // Two that exclude each other are listed as equal to each other's complement.
    let pairs: Vec<Vec<u32>> = invariants
        .equivalences
        .iter()
        .filter(|equal| equal.complemented)
        .map(|equal| vec![equal.same_as, equal.base])
        .collect();
    groups.extend(pairs.iter().filter(|pair| !invariants.exactly_one.contains(pair)));
    groups.retain(|group| group.len() <= MOST_VALUES);
    let clock: FxHashSet<TermId> = clock.iter().copied().collect();
    let ticks = if clock.is_empty() { Ticks::default() } else { ticks(subject, &clock, budget)? };
    let (mut counters, mut bound) = (Vec::new(), None);
    let mut others = Vec::new();
    for group in groups {
        let members: Vec<TermId> = group.iter().map(|&base| proofs.faithful.base_term(base)).collect();
        if members.iter().all(|member| clock.contains(member)) {
            if let Some(counter) = clockwork(&members, &ticks.facts) {
                let ends = game_over(proofs, &counter)?;
                let is_whole = ticks.are_all || counter.values.len() == members.len();
                if counter.course == Course::Line && !is_whole && ends.is_none() {
                    // More values may follow where the game goes on in another way.
                    continue;
                }
                bound = [bound, ends].into_iter().flatten().min();
                counters.push(counter);
            }
        } else if !members.iter().any(|member| clock.contains(member)) {
            others.push((group.clone(), members));
        }
    }
    let steps = Successors::of(subject.rules().program());
    let on_boards = on_boards(structure);
    let mut asked = 0;
    for (group, members) in others.into_iter().filter(|(group, _)| group.len() > 2) {
        let Some(order) = ordered(subject, structure, &steps, &on_boards, &members) else { continue };
        asked += 1;
        if asked > MOST_GROUPS {
            break;
        }
        let bases: Vec<u32> = order.iter().map(|&at| group[at]).collect();
        let direction = direction(proofs, &bases)?;
        let values = order.iter().map(|&at| members[at]).collect();
        counters.push(Counter { values, course: Course::Moves(direction) });
    }
    Ok((counters, bound))
}

/// The course of the clock.
#[derive(Default)]
struct Ticks {
    /// What holds of it, step by step.
    facts: Vec<Vec<TermId>>,
    /// Whether it was followed until it came round or stood still; else the game could not go on before.
    are_all: bool,
}

/// The facts of the clock, step by step, until they come again or stay the same. Whatever moves are made,
/// they are these, so any will do; the end of the game is passed over.
fn ticks(subject: &Subject, clock: &FxHashSet<TermId>, budget: &Budget) -> Result<Ticks, Reason> {
    let rules = subject.rules();
    let error = |error: ludex_game::GameError| match error {
        ludex_game::GameError::Limit(limit) => Reason::Limit(limit),
        other => Reason::Method(other.to_string()),
    };
    let mut runner = rules.machine().runner(budget);
    let mut meter = budget.meter();
    let mut state = ludex_game::State::default();
    let (mut ticks, mut seen) = (Ticks::default(), FxHashSet::default());
    runner.set(rules.initial()).map_err(error)?;
    while ticks.facts.len() < MOST_TICKS {
        runner.save(&mut state);
        let facts: Vec<TermId> =
            rules.facts(&state).into_iter().filter(|fact| clock.contains(fact)).collect();
        meter.spend(16 + facts.len() as u64)?;
        meter.check()?;
        let is_new = seen.insert(facts.clone());
        ticks.facts.push(facts);
        if !is_new {
            ticks.are_all = true;
            break;
        }
        let mut joint = Vec::new();
        for role in rules.roles() {
            joint.extend(runner.legal(role).map_err(error)?.first().copied());
        }
        if joint.len() < rules.roles().len() {
            break;
        }
        runner.step_legal(&joint).map_err(error)?;
    }
    Ok(ticks)
}

/// A group of the clock as a counter, if its members follow each other.
fn clockwork(members: &[TermId], ticks: &[Vec<TermId>]) -> Option<Counter> {
    let mut values: Vec<TermId> = Vec::new();
    let mut is_over = false;
    for facts in ticks {
        let value = members.iter().find(|member| facts.contains(member));
        let Some(&value) = value.filter(|value| values.last() != Some(value)) else {
            is_over = true;
            continue;
        };
        if is_over {
            // It stands still for a while: it does not count steps.
            return None;
        }
        if let Some(again) = values.iter().position(|&before| before == value) {
            return (values.len() > 1).then_some(Counter { values, course: Course::Circle(again) });
        }
        values.push(value);
    }
    (values.len() > 2).then_some(Counter { values, course: Course::Line })
}

/// After how many steps the value of a counter leaves no state that is not terminal.
fn game_over(proofs: &mut Proofs<'_>, counter: &Counter) -> Result<Option<usize>, Reason> {
    if counter.course != Course::Line {
        return Ok(None);
    }
    let mut candidates = Vec::new();
    for (steps, value) in counter.values.iter().enumerate() {
        if let Some(&base) = proofs.numbers.get(value) {
            candidates.push((steps, proofs.generator.base(0, base, true)?));
        }
    }
    // The generator's first state is one in which the game goes on.
    Ok(proofs.generator.impossible(&[], candidates)?.proved.into_iter().min())
}

/// The kinds of facts that are coordinates rather than counters.
fn on_boards(structure: &Structure) -> FxHashSet<usize> {
    let boards = structure.boards.iter();
    let boards = boards.filter(|board| matches!(board.shape(), BoardShape::Grid | BoardShape::Hexagonal));
    boards.flat_map(|board| board.kinds().collect::<Vec<_>>()).collect()
}

/// The order of propositions that differ in one argument whose values are ordered.
fn ordered(
    subject: &Subject,
    structure: &Structure,
    steps: &Successors,
    on_boards: &FxHashSet<usize>,
    members: &[TermId],
) -> Option<Vec<usize>> {
    let terms = subject.signature().terms();
    let mut row = crate::structure::Row::new();
    let kind = structure.kinds.row(terms, members[0], &mut row)?;
    if on_boards.contains(&kind) {
        return None;
    }
    let arguments = |member: TermId| match terms.view(member) {
        TermView::Compound(functor, arguments) => Some((functor, arguments)),
        TermView::Constant(_) => None,
    };
    let (functor, first) = arguments(members[0])?;
    let mut varied: Option<usize> = None;
    for &member in &members[1..] {
        let (other, list) = arguments(member)?;
        if other != functor || list.len() != first.len() {
            return None;
        }
        for (at, _) in list.iter().zip(first).enumerate().filter(|(_, (a, b))| a != b) {
            if *varied.get_or_insert(at) != at {
                return None;
            }
        }
    }
    let varied = varied?;
    let mut domain = Vec::with_capacity(members.len());
    for &member in members {
        domain.push(arguments(member)?.1[varied]);
    }
    let places: FxHashMap<TermId, usize> = domain.iter().copied().zip(0..).collect();
    domain.sort_by(|&a, &b| terms.compare(a, b));
    let (order, evidence) = steps.order(terms, &domain)?;
    (evidence == Evidence::Rules).then(|| order.iter().map(|value| places[value]).collect())
}

/// Whether the value only rises or only falls, by one step from any state with the invariants.
fn direction(proofs: &mut Proofs<'_>, bases: &[u32]) -> Result<Direction, Reason> {
    let generator = &mut proofs.generator;
    let mut before: Vec<Literal> = Vec::new();
    let mut after: Vec<Literal> = Vec::new();
    for &base in bases {
        before.push(generator.base(0, base, true)?);
        after.push(generator.base(1, base, true)?);
    }
    let (up, down) = (passed(generator, &before, &after)?, passed(generator, &after, &before)?);
    let never = generator.impossible(&[], vec![(true, up), (false, down)])?.proved;
    Ok(match (never.contains(&true), never.contains(&false)) {
        (false, true) => Direction::Rises,
        (true, false) => Direction::Falls,
        _ => Direction::Both,
    })
}

/// That a lower one of the first row holds, and a higher one of the second.
fn passed(
    generator: &mut crate::latches::generator::Generator<'_>,
    low: &[Literal],
    high: &[Literal],
) -> Result<Literal, Reason> {
    let mut none_below: Option<Literal> = None;
    let mut never = Vec::new();
    for (&low, &high) in low.iter().zip(high) {
        if let Some(none_below) = none_below {
            never.push(!generator.all(&[!none_below, high])?);
        }
        none_below = Some(match none_below {
            None => !low,
            Some(none) => generator.all(&[none, !low])?,
        });
    }
    Ok(!generator.all(&never)?)
}
