//! Depth first for puzzles of filling in: the choice with the fewest ways first.
//!
//! In many puzzles the moves fall into groups of which one move is made each: one digit in each cell,
//! one cell of each row for each digit. Where that is so, the order of the moves does not matter, and
//! it is enough to try the moves of the group that has the fewest left; a group that has none left
//! unused shows that something went wrong before. The groups are found by watching random games.

use ludex_game::{ActionId, Answer, Signature};
use ludex_logic::{SymbolId, TermId, TermView};
use rustc_hash::{FxHashMap, FxHashSet};

use super::method::{Incumbent, Method, Progress};
use super::sample::Sample;
use super::space::Space;

/// Moves with more arguments are not looked at.
const MOST_ARGUMENTS: usize = 7;

/// Groups are looked for in so many random games.
const GAMES: usize = 30;

/// A name of a group: what its moves have in common.
type Key = (SymbolId, u8, Vec<TermId>);

/// Depth-first search over groups of moves that exclude each other.
pub(super) struct Cover {
    root: Vec<u64>,
    groups: Groups,
    path: Vec<CoverNode>,
    begun: bool,
}

/// Which groups each move belongs to.
struct Groups {
    count: usize,
    of: FxHashMap<ActionId, Vec<u32>>,
}

/// A state on the way, and the moves still to try in it.
struct CoverNode {
    words: Vec<u64>,
    /// The next one last.
    moves: Vec<ActionId>,
    /// The move that is being tried.
    made: Option<ActionId>,
}

impl Groups {
    /// The groups that random games did not contradict; `None` where moves become legal that were not
    /// before, or where there are no groups.
    fn find(legal: &[ActionId], sample: &Sample, signature: &Signature) -> Option<Self> {
        let known: FxHashSet<ActionId> = legal.iter().copied().collect();
        let mut kinds: FxHashMap<(SymbolId, usize), Vec<ActionId>> = FxHashMap::default();
        let terms = signature.terms();
        for game in sample.games.iter().take(GAMES) {
            let is_known = |at: usize| game.legal(at).iter().all(|action| known.contains(action));
            if !(0..game.moves.len()).all(is_known) {
                return None;
            }
        }
        for &action in legal {
            if let TermView::Compound(functor, arguments) = terms.view(signature.action(action)) {
                kinds.entry((functor, arguments.len())).or_default().push(action);
            }
        }
        let mut numbers: FxHashMap<Key, u32> = FxHashMap::default();
        let mut of: FxHashMap<ActionId, Vec<u32>> = FxHashMap::default();
        let mut kinds: Vec<_> = kinds.into_iter().collect();
        kinds.sort_unstable_by_key(|(_, actions)| actions.first().copied());
        for ((functor, arity), actions) in kinds {
            for kept in exclusive(functor, arity.min(MOST_ARGUMENTS), &actions, sample, signature) {
                for &action in &actions {
                    let next = numbers.len() as u32;
                    let number = *numbers.entry(key(signature, action, functor, kept)?).or_insert(next);
                    of.entry(action).or_default().push(number);
                }
            }
        }
        (!of.is_empty()).then_some(Self { count: numbers.len(), of })
    }

    fn of(&self, action: ActionId) -> &[u32] {
        self.of.get(&action).map_or(&[], Vec::as_slice)
    }
}

/// What a move has in common with others of its functor, if only the arguments of these bits matter.
fn key(signature: &Signature, action: ActionId, functor: SymbolId, kept: u8) -> Option<Key> {
    match signature.terms().view(signature.action(action)) {
        TermView::Compound(own, arguments) if own == functor => {
            let kept_ones = arguments.iter().enumerate().filter(|(at, _)| kept >> at & 1 != 0);
            Some((functor, kept, kept_ones.map(|(_, &argument)| argument).collect()))
        }
        _ => None,
    }
}

/// The sets of arguments, as bits, such that of moves alike in them at most one was ever made, and none
/// was legal afterwards. Of sets within each other only the smallest.
fn exclusive(
    functor: SymbolId,
    arity: usize,
    actions: &[ActionId],
    sample: &Sample,
    signature: &Signature,
) -> Vec<u8> {
    let mut found: Vec<u8> = Vec::new();
    let mut sets: Vec<u8> = (0..1u8 << arity).collect();
    sets.sort_by_key(|kept| kept.count_ones());
    for kept in sets {
        if found.iter().any(|&smaller| smaller & !kept == 0) {
            continue;
        }
        let keys: FxHashMap<ActionId, Key> =
            actions.iter().filter_map(|&a| Some((a, key(signature, a, functor, kept)?))).collect();
        let distinct: FxHashSet<&Key> = keys.values().collect();
        // Groups of one move say nothing.
        if distinct.len() < actions.len()
            && sample.games.iter().take(GAMES).all(|game| {
                let mut used: FxHashSet<&Key> = FxHashSet::default();
                game.moves.iter().enumerate().all(|(at, action)| {
                    let clear = used.is_empty()
                        || game.legal(at).iter().all(|a| keys.get(a).is_none_or(|key| !used.contains(key)));
                    used.extend(keys.get(action));
                    clear
                })
            })
        {
            found.push(kept);
        }
    }
    found
}

impl Cover {
    /// A search from a state that is not terminal, where moves fall into groups.
    pub(super) fn find(
        root: &[u64],
        legal: &[ActionId],
        sample: &Sample,
        signature: &Signature,
    ) -> Option<Self> {
        let groups = Groups::find(legal, sample, signature)?;
        Some(Self { root: root.to_vec(), groups, path: Vec::new(), begun: false })
    }

    /// The moves of the group that has the fewest left, the next one last; none where a group that no
    /// move was made of has none left.
    fn choices(&self, legal: &[ActionId]) -> Vec<ActionId> {
        let mut left = vec![0u32; self.groups.count];
        for &action in legal {
            for &group in self.groups.of(action) {
                left[group as usize] += 1;
            }
        }
        let mut used = vec![false; self.groups.count];
        for action in self.path.iter().filter_map(|node| node.made) {
            for &group in self.groups.of(action) {
                used[group as usize] = true;
            }
        }
        let open = (0..self.groups.count).filter(|&group| !used[group]);
        let Some(best) = open.min_by_key(|&group| left[group]) else { return legal.to_vec() };
        let in_best = |action: &&ActionId| self.groups.of(**action).contains(&(best as u32));
        legal.iter().rev().filter(in_best).copied().collect()
    }

    fn plan(&self) -> Vec<ActionId> {
        self.path.iter().filter_map(|node| node.made).collect()
    }
}

impl Method for Cover {
    fn work(&mut self, space: &mut Space<'_>, found: &mut Incumbent, states: u64) -> Answer<Progress> {
        if !self.begun {
            space.go_to(&self.root)?;
            self.begun = true;
            let moves = self.choices(space.legal());
            self.path.push(CoverNode { words: self.root.clone(), moves, made: None });
        }
        let end = space.states() + states;
        while space.states() < end && !found.proven {
            let Some(top) = self.path.last_mut() else { return Ok(Progress::GaveUp) };
            top.made = top.moves.pop();
            let Some(action) = top.made else {
                self.path.pop();
                continue;
            };
            let look = space.make_from(&top.words, action).inspect_err(|_| top.moves.push(action))?;
            if look.terminal {
                found.offer(look.goal, "cover", || self.plan());
                continue;
            }
            let moves = self.choices(space.legal());
            if !moves.is_empty() {
                let words = space.save().to_vec();
                self.path.push(CoverNode { words, moves, made: None });
            }
        }
        Ok(Progress::Open)
    }
}
