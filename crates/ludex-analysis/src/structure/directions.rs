//! Which way moves such as `up` and `left` lead on a board: seen from what they do in a few random games.
//!
//! A thing that stands on one spot before a step and on another after it has moved. If a thing follows
//! the directions of a role's moves each time, the coordinate that `left` and `right` change runs
//! across, and `up` leads to the value that is drawn higher. Two things may change places, as a tile and
//! the gap it slides into; then the one that `right` takes to greater values is the one that moves,
//! since values run from left to right.

use ludex_game::{ActionId, Machine, Rng, State};
use ludex_logic::{Budget, TermId, TermView, Terms};
use rustc_hash::FxHashMap;

use super::kinds::{Kinds, Row};
use super::orientation::Orientation;
use super::search::project;

/// Random games to look at.
const GAMES: u64 = 8;
/// Steps of each game.
const STEPS: usize = 24;
/// Inference for one question to the machine.
const WORK: u64 = 60_000;
/// Facts in all states together.
const FACTS: usize = 100_000;
/// A thing has to follow so many moves at least.
const WITNESSES: usize = 3;

/// Whether some move in the initial state names a direction.
fn begins_with_directions(machine: &dyn Machine, budget: &Budget) -> bool {
    let signature = machine.signature();
    let mut runner = machine.runner(&budget.clone().with_work(budget.work().min(WORK)));
    let named = |&action: &ActionId| way(signature.terms(), signature.action(action)).is_some();
    runner.set(machine.initial()).is_ok()
        && signature.role_ids().any(|role| runner.legal(role).is_ok_and(|moves| moves.iter().any(named)))
}

/// A thing that follows the directions of a role's moves.
#[derive(Clone, Debug)]
pub(crate) struct Mover {
    /// The role.
    pub role: TermId,
    /// What tells it from other things; see [`things`].
    pub thing: Row,
    /// Whether it goes where the moves say, and not the other way.
    pub follows: bool,
}

/// A direction that a move names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// To the right, or to the left.
    Across { right: bool },
    /// Down, or up.
    Down { down: bool },
}

/// The names of right, left, down and up; in moves also after what is done, as in `push_left`.
const WORDS: [&[&str]; 4] = [
    &["right", "east", "moveright", "move_right"],
    &["left", "west", "moveleft", "move_left"],
    &["down", "south", "movedown", "move_down"],
    &["up", "north", "moveup", "move_up"],
];

impl Way {
    /// How many steps across and down the picture it leads.
    pub fn step(self) -> (i32, i32) {
        match self {
            Way::Across { right } => (if right { 1 } else { -1 }, 0),
            Way::Down { down } => (0, if down { 1 } else { -1 }),
        }
    }
}

fn way_of(name: &str) -> Option<Way> {
    // What a move does may stand before where it leads, as in `push_left`.
    let last = name.rsplit('_').next().unwrap_or(name);
    let word = WORDS.iter().position(|words| words.contains(&name) || words.contains(&last))?;
    Some(if word < 2 { Way::Across { right: word == 0 } } else { Way::Down { down: word == 2 } })
}

/// The one direction that a move names; none where it names several, or none.
pub(crate) fn way(terms: &Terms, action: TermId) -> Option<Way> {
    let mut found = None;
    let mut open = vec![action];
    while let Some(term) = open.pop() {
        let (name, arguments) = match terms.view(term) {
            TermView::Constant(name) => (name, &[][..]),
            TermView::Compound(name, arguments) => (name, arguments),
        };
        open.extend_from_slice(arguments);
        if let Some(way) = way_of(&terms.name(name).to_lowercase())
            && found.replace(way).is_some()
        {
            return None;
        }
    }
    found
}

/// Steps of random games in which moves named directions.
#[derive(Debug, Default)]
pub(crate) struct Directions {
    steps: Vec<Step>,
}

#[derive(Debug)]
struct Step {
    before: Vec<TermId>,
    after: Vec<TermId>,
    ways: Vec<(TermId, Way)>,
}

impl Directions {
    /// Plays a few games, where moves name directions at all.
    pub fn watch(machine: &dyn Machine, budget: &Budget) -> Self {
        let mut found = Self::default();
        let terms = machine.signature().terms();
        let words = || WORDS.iter().copied().flatten().any(|word| terms.find_symbol(word).is_some());
        if words() || begins_with_directions(machine, budget) {
            let budget = budget.clone().with_work(budget.work().min(WORK));
            let mut held = 0;
            for seed in 0..GAMES {
                // A game that cannot go on, for whatever reason, ends there.
                if found.play(machine, seed, &budget, &mut held).is_none() {
                    break;
                }
            }
        }
        found
    }

    fn play(&mut self, machine: &dyn Machine, seed: u64, budget: &Budget, held: &mut usize) -> Option<()> {
        let mut runner = machine.runner(budget);
        let mut rng = Rng::from_seed(seed);
        let mut state = State::default();
        runner.set(machine.initial()).ok()?;
        let mut before = Vec::new();
        machine.facts(machine.initial(), &mut before);
        for _ in 0..STEPS {
            if *held > FACTS || runner.terminal().ok()? {
                break;
            }
            let mut joint = Vec::new();
            let mut ways = Vec::new();
            for role in machine.signature().role_ids() {
                let &action = rng.pick(runner.legal(role).ok()?)?;
                let named = way(machine.signature().terms(), machine.signature().action(action));
                ways.extend(named.map(|way| (machine.signature().roles()[role.index()], way)));
                joint.push(action);
            }
            runner.step_legal(&joint).ok()?;
            runner.save(&mut state);
            let mut after = Vec::new();
            machine.facts(&state, &mut after);
            if !ways.is_empty() {
                *held += before.len() + after.len();
                self.steps.push(Step { before, after: after.clone(), ways });
            }
            before = after;
        }
        Some(())
    }

    /// Which way round a board with these coordinates is drawn, as far as moves tell; `otherwise` where
    /// they do not.
    pub fn turn(
        &self,
        terms: &Terms,
        kinds: &Kinds,
        orders: [&[TermId]; 2],
        otherwise: Orientation,
    ) -> (Orientation, Vec<Mover>) {
        if self.steps.is_empty() {
            return (otherwise, Vec::new());
        }
        let mut votes: FxHashMap<(TermId, Row), Votes> = FxHashMap::default();
        for step in &self.steps {
            let (before, after) =
                (things(terms, kinds, orders, &step.before), things(terms, kinds, orders, &step.after));
            for (thing, from) in &before {
                let (Some(from), Some(Some(to))) = (from, after.get(thing)) else { continue };
                if let Some((axis, forward)) = moved(orders, *from, *to) {
                    for &(role, way) in &step.ways {
                        votes.entry((role, thing.clone())).or_default().add(way, axis, forward);
                    }
                }
            }
        }
        let mut best: Option<(usize, Orientation)> = None;
        let mut keys: Vec<_> = votes.into_iter().collect();
        // In an order of their own, so that the same game is always drawn the same way.
        keys.sort_by(|(a, _), (b, _)| a.0.cmp(&b.0).then_with(|| a.1.cmp(&b.1)));
        for (_, votes) in &keys {
            if let Some((turned, _)) = votes.orientation(otherwise)
                && best.is_none_or(|(count, _)| votes.count() > count)
            {
                best = Some((votes.count(), turned));
            }
        }
        let turned = best.map_or(otherwise, |(_, turned)| turned);
        // Of the tiles of a puzzle each moves against the gap at times: only what moves most goes as it is told.
        let most = |role: TermId| {
            let votes = keys
                .iter()
                .filter(|((other, _), votes)| *other == role && votes.orientation(turned).is_some());
            votes.map(|(_, votes)| votes.count()).max().unwrap_or(0)
        };
        let movers = keys.iter().filter_map(|((role, thing), votes)| {
            let (other, follows) = votes.orientation(turned)?;
            let steady = other == turned && votes.count() * 10 >= most(*role) * 9;
            steady.then(|| Mover { role: *role, thing: thing.clone(), follows })
        });
        (turned, movers.collect())
    }
}

/// The places (by their numbers on the two axes) of the things that stand on exactly one spot: by their kind and all that is no coordinate.
pub(crate) fn things(
    terms: &Terms,
    kinds: &Kinds,
    orders: [&[TermId]; 2],
    facts: &[TermId],
) -> FxHashMap<Row, Option<(usize, usize)>> {
    let mut found: FxHashMap<Row, Option<(usize, usize)>> = FxHashMap::default();
    let mut row = Row::new();
    for &fact in facts {
        let Some(kind) = kinds.row(terms, fact, &mut row) else { continue };
        let list = &kinds.list()[kind];
        let fits = |column: usize, axis: usize| list.domains[column].iter().all(|v| orders[axis].contains(v));
        let Some(column) = (1..list.arity).find(|&column| fits(column - 1, 0) && fits(column, 1)) else {
            continue;
        };
        let place = |axis: usize| orders[axis].iter().position(|value| *value == row[column - 1 + axis]);
        let (Some(first), Some(second)) = (place(0), place(1)) else { continue };
        let others: Vec<usize> = (0..list.arity).filter(|&c| c + 1 != column && c != column).collect();
        let mut thing = project(&row, &others);
        thing.push(terms.constant_of(list.functor));
        // What stands on several spots is no single thing.
        found.entry(thing).and_modify(|place| *place = None).or_insert(Some((first, second)));
    }
    found
}

/// Along which axis something moved, and whether to greater values. On a ring the long way round is the
/// other direction.
fn moved(orders: [&[TermId]; 2], from: (usize, usize), to: (usize, usize)) -> Option<(usize, bool)> {
    let (axis, from, to) = match (from.0 != to.0, from.1 != to.1) {
        (true, false) => (0, from.0, to.0),
        (false, true) => (1, from.1, to.1),
        _ => return None,
    };
    let is_around = 2 * from.abs_diff(to) > orders[axis].len();
    Some((axis, (to > from) != is_around))
}

/// How one thing moved when one role named directions.
#[derive(Clone, Copy, Debug, Default)]
struct Votes {
    /// Per word (across, down) and axis: how often it moved to greater values, to lesser ones, when the
    /// word was right or down; and the other way round.
    seen: [[[usize; 2]; 2]; 2],
}

impl Votes {
    fn add(&mut self, way: Way, axis: usize, forward: bool) {
        let (word, sign) = match way {
            Way::Across { right } => (0, right),
            Way::Down { down } => (1, down),
        };
        self.seen[word][axis][usize::from(forward == sign)] += 1;
    }

    fn count(&self) -> usize {
        self.seen.iter().flatten().flatten().sum()
    }

    /// The axis that a word changes and whether right, or down, goes to greater values; none where it was
    /// never named. `Err` where the thing does not follow the word.
    fn of(&self, word: usize) -> Result<Option<(usize, bool)>, ()> {
        let counts = self.seen[word];
        let total: usize = counts.iter().flatten().sum();
        if total == 0 {
            return Ok(None);
        }
        for (axis, signs) in counts.iter().enumerate() {
            for (sign, &count) in signs.iter().enumerate() {
                // Others may push it now and then.
                if count * 10 >= total * 9 {
                    return Ok(Some((axis, sign == 1)));
                }
            }
        }
        Err(())
    }

    /// Which way round the board is, and whether the thing goes where the words say.
    fn orientation(&self, otherwise: Orientation) -> Option<(Orientation, bool)> {
        if self.count() < WITNESSES {
            return None;
        }
        let (across, down) = (self.of(0).ok()?, self.of(1).ok()?);
        let first_across = match (across, down) {
            (Some((one, _)), Some((other, _))) if one == other => return None,
            (Some((axis, _)), _) => axis == 0,
            (None, Some((axis, _))) => axis == 1,
            (None, None) => return None,
        };
        // What `right` takes to lesser values moves the other way than the move says.
        let follows = across.is_none_or(|(_, forward)| forward);
        let upwards = match down {
            Some((_, forward)) => forward != follows,
            None => {
                if first_across == otherwise.first_across {
                    otherwise.upwards
                } else {
                    false
                }
            }
        };
        Some((Orientation { first_across, upwards }, follows))
    }
}
