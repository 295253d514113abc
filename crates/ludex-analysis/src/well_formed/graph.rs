//! Questions to the graph of all states: can one go round for ever, who can force a win.

use std::collections::VecDeque;

use ludex_game::{RoleId, StateNumber, Step};
use ludex_logic::{LimitError, Meter};
use rustc_hash::FxHashSet;

use super::bits::Bits;
use super::space::Space;

/// States without a number.
const NONE: StateNumber = StateNumber::MAX;
/// The most states in all sets of the search for a sequence of moves.
const MOST_BELIEVED: usize = 20_000_000;

/// Whether courses end.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ends {
    /// There is no way around; the longest course has so many steps.
    Always(u32),
    /// The steps from the initial state to a state and around to it again.
    Not(Vec<Step>),
}

/// Looks for a way around among the states that were expanded (Kahn's algorithm from the initial
/// state; what it leaves over has one).
///
/// # Errors
/// When the budget is spent.
pub(super) fn ends(space: &Space, meter: &mut Meter) -> Result<Ends, LimitError> {
    let states = space.table.len();
    meter.spend(states as u64)?;
    let mut entries = vec![0u32; states];
    let expanded = 0..space.expanded() as StateNumber;
    for node in expanded.clone() {
        meter.spend(1 + space.children(node).len() as u64)?;
        space.children(node).iter().for_each(|&child| entries[child as usize] += 1);
    }
    let mut order: VecDeque<StateNumber> = VecDeque::new();
    let mut length = vec![0u32; states];
    let mut longest = 0;
    order.extend((entries[0] == 0).then_some(0));
    let mut done = 0;
    while let Some(node) = order.pop_front() {
        meter.spend(1 + space.children(node).len() as u64)?;
        done += 1;
        longest = longest.max(length[node as usize]);
        for &child in space.children(node) {
            length[child as usize] = length[child as usize].max(length[node as usize] + 1);
            entries[child as usize] -= 1;
            if entries[child as usize] == 0 {
                order.push_back(child);
            }
        }
    }
    if done == states {
        return Ok(Ends::Always(longest));
    }
    // A state is left over if and only if a state on a way around leads to it.
    let Some(node) = on_a_way_around(space, &entries, meter)? else { return Ok(Ends::Always(longest)) };
    let mut steps = space.table.path(node);
    steps.extend(around(space, node, &entries, meter)?);
    Ok(Ends::Not(steps))
}

/// A state on a way around among those left over, by a search in depth: the first state that is met
/// again while it is open.
fn on_a_way_around(
    space: &Space,
    left: &[u32],
    meter: &mut Meter,
) -> Result<Option<StateNumber>, LimitError> {
    let (mut seen, mut open) = (Bits::default(), vec![false; left.len()]);
    let mut stack: Vec<(StateNumber, usize)> = Vec::new();
    for start in (0..left.len() as StateNumber).filter(|&node| left[node as usize] > 0) {
        if seen.get(start) {
            continue;
        }
        seen.set(start);
        open[start as usize] = true;
        stack.push((start, 0));
        while let Some((node, at)) = stack.last_mut() {
            meter.spend(1)?;
            let Some(&child) = space.children(*node).get(*at) else {
                open[*node as usize] = false;
                stack.pop();
                continue;
            };
            *at += 1;
            if open[child as usize] {
                return Ok(Some(child));
            }
            if left[child as usize] > 0 && !seen.get(child) {
                seen.set(child);
                open[child as usize] = true;
                stack.push((child, 0));
            }
        }
    }
    Ok(None)
}

/// The shortest way from a state around to it.
fn around(
    space: &Space,
    from: StateNumber,
    left: &[u32],
    meter: &mut Meter,
) -> Result<Vec<Step>, LimitError> {
    let mut before: Vec<Step> = vec![(NONE, 0); left.len()];
    let mut queue = VecDeque::from([from]);
    while let Some(node) = queue.pop_front() {
        meter.spend(1 + space.children(node).len() as u64)?;
        for (joint, &child) in space.children(node).iter().enumerate() {
            if left[child as usize] == 0 || before[child as usize].0 != NONE {
                continue;
            }
            before[child as usize] = (node, joint as u32);
            if child == from {
                let mut steps = vec![before[from as usize]];
                while steps[steps.len() - 1].0 != from {
                    steps.push(before[steps[steps.len() - 1].0 as usize]);
                }
                steps.reverse();
                return Ok(steps);
            }
            queue.push_back(child);
        }
    }
    Ok(Vec::new())
}

/// The ways into each state, and which move of the role each belongs to.
pub(crate) struct WaysBack {
    /// Where the ways into each state begin, and at the end where the last ones end.
    begins: Vec<usize>,
    /// Per way: the state it comes from, and the role's move in it, numbered through all states.
    ways: Vec<(StateNumber, u32)>,
    /// Per state the number of its first own move.
    first_move: Vec<u32>,
    /// Per own move the replies there are.
    replies: Vec<u32>,
}

impl WaysBack {
    /// The ways between all states that were expanded.
    ///
    /// # Errors
    /// When the budget is spent.
    pub(crate) fn new(space: &Space, role: RoleId, meter: &mut Meter) -> Result<Self, LimitError> {
        let states = space.table.len();
        let (mut first_move, mut replies) = (Vec::with_capacity(states), Vec::new());
        let mut begins = vec![0usize; states + 1];
        for node in 0..states as StateNumber {
            let children = space.children(node);
            meter.spend(1 + children.len() as u64)?;
            first_move.push(replies.len() as u32);
            children.iter().for_each(|&child| begins[child as usize + 1] += 1);
            if !children.is_empty() {
                let own = space.counts(node)[role.index()];
                replies.extend((0..own).map(|_| children.len() as u32 / own));
            }
        }
        for at in 0..states {
            begins[at + 1] += begins[at];
        }
        let bytes = begins[states] * size_of::<(StateNumber, u32)>();
        meter.check_memory(bytes, || "the ways between the states of the game".to_owned())?;
        let mut places = begins.clone();
        let mut ways = vec![(0, 0); begins[states]];
        for node in 0..states as StateNumber {
            let children = space.children(node);
            if children.is_empty() {
                continue;
            }
            meter.spend(children.len() as u64)?;
            let counts = space.counts(node);
            let after: usize = counts[role.index() + 1..].iter().map(|&count| count as usize).product();
            for (joint, &child) in children.iter().enumerate() {
                let own = (joint / after) as u32 % counts[role.index()];
                ways[places[child as usize]] = (node, first_move[node as usize] + own);
                places[child as usize] += 1;
            }
        }
        Ok(Self { begins, ways, first_move, replies })
    }

    /// Per state from which it can be forced: within how many steps, and by which move. Backwards from the
    /// states where it has come about (retrograde analysis): a state is won once all replies to a move lead to
    /// such states.
    ///
    /// # Errors
    /// When the budget is spent.
    pub(crate) fn forced(
        &self,
        is_won: impl Fn(StateNumber) -> bool,
        meter: &mut Meter,
    ) -> Result<Vec<Option<(u32, u32)>>, LimitError> {
        let states = self.first_move.len();
        let mut left = self.replies.clone();
        let mut forced: Vec<Option<(u32, u32)>> = vec![None; states];
        let mut queue = VecDeque::new();
        for node in (0..states as StateNumber).filter(|&node| is_won(node)) {
            forced[node as usize] = Some((0, 0));
            queue.push_back(node);
        }
        while let Some(node) = queue.pop_front() {
            let within = forced[node as usize].map_or(0, |(within, _)| within);
            let ways = &self.ways[self.begins[node as usize]..self.begins[node as usize + 1]];
            meter.spend(1 + ways.len() as u64)?;
            for &(from, made) in ways {
                left[made as usize] -= 1;
                if left[made as usize] == 0 && forced[from as usize].is_none() {
                    forced[from as usize] = Some((within + 1, made - self.first_move[from as usize]));
                    queue.push_back(from);
                }
            }
        }
        Ok(forced)
    }
}

/// The states from which a role wins whatever the others do, if it sees every state.
///
/// # Errors
/// When the budget is spent.
pub(super) fn forced(space: &Space, role: RoleId, meter: &mut Meter) -> Result<Bits, LimitError> {
    let mut forced = Bits::default();
    let won = &space.won[role.index()];
    let found = WaysBack::new(space, role, meter)?.forced(|node| won.get(node), meter)?;
    (0..).zip(&found).filter(|(_, found)| found.is_some()).for_each(|(node, _)| forced.set(node));
    Ok(forced)
}

/// The first move of a role in a state all of whose successors are good.
pub(super) fn winning_move(
    space: &Space,
    role: RoleId,
    node: StateNumber,
    good: impl Fn(StateNumber) -> bool,
) -> Option<u32> {
    let children = space.children(node);
    if children.is_empty() {
        return None;
    }
    let is_good = |own: u32| space.replies(node, role, own).all(|joint| good(children[joint]));
    (0..space.counts(node)[role.index()]).find(|&own| is_good(own))
}

/// A sequence of moves.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sequence {
    /// These moves win: step by step the number of the move in some state that may then be the current
    /// one.
    Wins(Vec<(StateNumber, u32)>),
    /// There is none.
    None,
    /// The sets of states that would have to be kept are too large.
    TooLarge,
}

/// A set of states that may be the current one, and how it came about.
struct Belief {
    states: Box<[StateNumber]>,
    before: usize,
    made: (StateNumber, u32),
}

/// Looks for a sequence of moves of a role that is legal and wins whatever the others do, breadth
/// first over the sets of states that may be the current one. `forced` prunes: in other states not
/// even a strategy wins. Moves of several states are the same if `name` says so.
///
/// # Errors
/// When the budget is spent, or what `name` answers.
pub(super) fn sequence<E: From<LimitError>>(
    space: &Space,
    role: RoleId,
    forced: &Bits,
    mut names: impl FnMut(StateNumber) -> Result<Vec<u32>, E>,
    meter: &mut Meter,
) -> Result<Sequence, E> {
    if space.won[role.index()].get(0) {
        return Ok(Sequence::Wins(Vec::new()));
    }
    if !forced.get(0) {
        return Ok(Sequence::None);
    }
    let mut beliefs = vec![Belief { states: Box::new([0]), before: 0, made: (0, 0) }];
    let mut seen: FxHashSet<Box<[StateNumber]>> = FxHashSet::default();
    seen.insert(Box::new([0]));
    let (mut at, mut kept) = (0, 0);
    while at < beliefs.len() {
        let states = beliefs[at].states.clone();
        let legal: Vec<Vec<u32>> = states.iter().map(|&node| names(node)).collect::<Result<_, E>>()?;
        for (first_number, &name) in legal[0].iter().enumerate() {
            let Some(next) = believe(space, role, &states, &legal, name, forced, meter)? else { continue };
            let made = (states[0], first_number as u32);
            if next.is_empty() {
                return Ok(Sequence::Wins(steps(&beliefs, at, made)));
            }
            if !seen.contains(&next) {
                kept += next.len();
                if kept > MOST_BELIEVED {
                    return Ok(Sequence::TooLarge);
                }
                seen.insert(next.clone());
                beliefs.push(Belief { states: next, before: at, made });
            }
        }
        at += 1;
    }
    Ok(Sequence::None)
}

/// The states that may be current after a move; none at all where it is not legal in each state, or
/// the win is given away.
fn believe(
    space: &Space,
    role: RoleId,
    states: &[StateNumber],
    legal: &[Vec<u32>],
    name: u32,
    forced: &Bits,
    meter: &mut Meter,
) -> Result<Option<Box<[StateNumber]>>, LimitError> {
    let mut next = Vec::new();
    for (&node, names) in states.iter().zip(legal) {
        let Some(own) = names.iter().position(|&other| other == name) else { return Ok(None) };
        let children = space.children(node);
        meter.spend(1 + children.len() as u64)?;
        for joint in space.replies(node, role, own as u32) {
            // A state in which another role is stuck leads nowhere.
            let Some(&child) = children.get(joint) else { return Ok(None) };
            if !forced.get(child) {
                return Ok(None);
            }
            if !space.terminal.get(child) {
                next.push(child);
            }
        }
    }
    next.sort_unstable();
    next.dedup();
    Ok(Some(next.into()))
}

fn steps(beliefs: &[Belief], mut at: usize, last: (StateNumber, u32)) -> Vec<(StateNumber, u32)> {
    let mut steps = vec![last];
    while at != 0 {
        steps.push(beliefs[at].made);
        at = beliefs[at].before;
    }
    steps.reverse();
    steps
}
