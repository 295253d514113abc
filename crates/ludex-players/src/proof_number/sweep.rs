//! Making room in a full graph: what costs least to find out again is forgotten (after the collection of small trees:
//! Nagai, 1999).
//!
//! A state remembers how many descents came by. Below the root, states keep their children that many descents came
//! by; others become leaves again, with the numbers that they have. Most states of a graph are leaves that no descent
//! came by: they are forgotten where they are not children of states that stay, while states that descents came by are
//! remembered with their numbers also where nothing leads to them any more. They are met again when a state above is
//! expanded anew. What is worked out needs no moves either: it stays as the words of the state and its answers.

use std::time::Duration;

use super::graph::{NONE, Node, ProofGraph, ProofId};

/// What making room takes for each state, at most.
pub(crate) const SWEEP_TIME: Duration = Duration::from_nanos(300);
/// What making room needs for each state beside the graph: its new number, its place in an order, and what becomes of it.
pub(super) const SWEEP_BYTES: usize = 2 * size_of::<ProofId>() + size_of::<Fate>();

/// This part of a full graph may stay as states with their children...
const OPEN_SHARE: f64 = 0.3;
/// ... and this part as states that are only remembered.
const REMEMBERED_SHARE: f64 = 0.4;
/// Of each list, this part is to be free in the end.
const FREE_SHARE: f64 = 0.2;
/// Counts of descents are told apart by their binary logarithm, and by a quarter of each step.
const CLASSES: usize = 4 * 33;

/// What becomes of a state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    #[default]
    Forgotten,
    /// Its words and its answers stay.
    Answered,
    /// It becomes or remains a leaf.
    Leaf,
    /// Its children stay, too.
    Inner,
}

/// The class of states that so many descents came by; 0 where none did.
fn class(work: u32) -> usize {
    let bits = u32::BITS - work.leading_zeros();
    let quarter = if bits < 3 { 0 } else { work >> (bits - 3) & 3 };
    (4 * bits + quarter) as usize
}

/// The least class such that all states from there on are no more than `most`, where `counts` says how many are in
/// each.
fn least_class(counts: &[usize; CLASSES], most: usize) -> usize {
    let mut left = most;
    let too_many = (0..CLASSES).rev().find(|&class| match left.checked_sub(counts[class]) {
        Some(rest) => {
            left = rest;
            false
        }
        None => true,
    });
    too_many.map_or(0, |class| class + 1)
}

impl ProofGraph {
    /// Takes note that a batch is under way, which knows states by their numbers.
    pub(super) fn begin_batch(&mut self) {
        self.batches += 1;
    }

    /// Takes note that a batch has ended.
    pub(super) fn end_batch(&mut self) {
        self.batches = self.batches.saturating_sub(1);
    }

    /// Makes room, unless batches are under way; whether it did.
    pub(super) fn make_room(&mut self) -> bool {
        if self.batches > 0 {
            return false;
        }
        let mut fates = vec![Fate::Forgotten; self.nodes.len()];
        self.stay_below_root(&mut fates, 0);
        let mut least = self.open_class(&fates);
        self.decide(&mut fates, least);
        while self.is_tight(&fates) && least < CLASSES {
            least += 1;
            self.decide(&mut fates, least);
        }
        self.keep(&fates);
        self.is_full = false;
        true
    }

    fn below(&self, node: &Node) -> &[ProofId] {
        if node.children == NONE {
            &[]
        } else {
            &self.children[node.children as usize..][..node.count as usize]
        }
    }

    /// The least class of which states keep their children, where those that would otherwise are marked.
    fn open_class(&self, fates: &[Fate]) -> usize {
        let mut counts = [0; CLASSES];
        for (node, _) in self.nodes.values().iter().zip(fates).filter(|&(_, &fate)| fate == Fate::Inner) {
            counts[class(node.work)] += node.count as usize;
        }
        least_class(&counts, (OPEN_SHARE * self.nodes.len() as f64) as usize)
    }

    /// Decides what stays where states of this class and above keep their children.
    fn decide(&self, fates: &mut [Fate], least: usize) {
        self.stay_below_root(fates, least);
        for &id in &self.answered {
            fates[id as usize] = fates[id as usize].max(self.fate_at_least(id));
        }
        self.remember(fates);
    }

    /// Marks what is reached from the root by way of states of this class and above.
    fn stay_below_root(&self, fates: &mut [Fate], least: usize) {
        fates.fill(Fate::Forgotten);
        let mut open = vec![self.root];
        fates[self.root as usize] = Fate::Leaf;
        while let Some(id) = open.pop() {
            let node = self.nodes.value(id);
            let is_worth_it = id == self.root || class(node.work) >= least && !self.is_answered(id);
            if node.children == NONE || !is_worth_it {
                continue;
            }
            fates[id as usize] = Fate::Inner;
            for &child in self.below(node) {
                if fates[child as usize] == Fate::Forgotten {
                    fates[child as usize] = self.fate_at_least(child);
                    if !self.is_answered(child) {
                        open.push(child);
                    }
                }
            }
        }
    }

    /// What stays of a state at least, if it stays: its moves where there is something to find out.
    fn fate_at_least(&self, id: ProofId) -> Fate {
        if self.is_answered(id) { Fate::Answered } else { Fate::Leaf }
    }

    /// Lets states be remembered that most descents came by. Answers count for twice as many: they are never improved.
    fn remember(&self, fates: &mut [Fate]) {
        let class_of = |id: usize| {
            let work = self.nodes.value(id as ProofId).work;
            class(if self.is_answered(id as ProofId) { work.saturating_mul(2) } else { work })
        };
        let mut counts = [0; CLASSES];
        let others = |fates: &[Fate], id: usize| {
            fates[id] == Fate::Forgotten && self.nodes.value(id as ProofId).work > 0
        };
        for id in (0..self.nodes.len()).filter(|&id| others(fates, id)) {
            counts[class_of(id)] += 1;
        }
        let least = least_class(&counts, (REMEMBERED_SHARE * self.nodes.len() as f64) as usize);
        for id in 0..self.nodes.len() {
            if others(fates, id) && class_of(id) >= least {
                fates[id] = self.fate_at_least(id as ProofId);
            }
        }
    }

    /// Whether one of the lists would be rather full.
    fn is_tight(&self, fates: &[Fate]) -> bool {
        let (mut nodes, mut words, mut moves, mut children) = (0, 0, 0, 0);
        for (id, &fate) in fates.iter().enumerate().filter(|&(_, &fate)| fate != Fate::Forgotten) {
            nodes += 1;
            words += self.state(id as ProofId).len();
            let count = self.nodes.value(id as ProofId).count as usize;
            moves += if fate > Fate::Answered { self.roles() + count } else { 0 };
            children += if fate == Fate::Inner { count } else { 0 };
        }
        let is_tight = |used: usize, room: usize| used as f64 > (1.0 - FREE_SHARE) * room as f64;
        let (room_for_nodes, room_for_words) = self.nodes.capacity();
        is_tight(nodes, room_for_nodes)
            || is_tight(words, room_for_words)
            || is_tight(moves, self.moves.capacity())
            || is_tight(children, self.children.capacity())
    }

    /// Forgets what is to be forgotten, and numbers the rest anew.
    fn keep(&mut self, fates: &[Fate]) {
        for (id, &fate) in (0..).zip(fates) {
            let node = self.nodes.value_mut(id);
            match fate {
                Fate::Answered => (node.count, node.moves, node.children) = (0, 0, NONE),
                Fate::Leaf => node.children = NONE,
                Fate::Forgotten | Fate::Inner => {}
            }
        }
        self.compact_moves(fates);
        self.compact_children(fates);
        let mut new_ids = vec![NONE; fates.len()];
        let mut count = 0;
        self.nodes.retain(|id, _| {
            let is_kept = fates[id as usize] != Fate::Forgotten;
            if is_kept {
                self.numbers[count as usize] = self.numbers[id as usize];
                new_ids[id as usize] = count;
                count += 1;
            }
            is_kept
        });
        self.numbers.truncate(count as usize);
        self.children.iter_mut().for_each(|child| *child = new_ids[*child as usize]);
        self.answered.iter_mut().for_each(|id| *id = new_ids[*id as usize]);
        self.root = new_ids[self.root as usize];
    }

    fn compact_moves(&mut self, fates: &[Fate]) {
        // Ends of the game, and states after which nothing can be said, have no moves.
        let has_moves = |&id: &ProofId| fates[id as usize] > Fate::Answered && self.nodes.value(id).count > 0;
        let mut order: Vec<ProofId> = (0..fates.len() as ProofId).filter(has_moves).collect();
        order.sort_unstable_by_key(|&id| self.nodes.value(id).moves);
        let (roles, mut to) = (self.roles(), 0);
        for id in order {
            let node = self.nodes.value_mut(id);
            let (begin, length) = (node.moves as usize, roles + node.count as usize);
            node.moves = to as u32;
            self.moves.copy_within(begin..begin + length, to);
            to += length;
        }
        self.moves.truncate(to);
    }

    fn compact_children(&mut self, fates: &[Fate]) {
        let has_children = |&id: &ProofId| fates[id as usize] == Fate::Inner;
        let mut order: Vec<ProofId> = (0..fates.len() as ProofId).filter(has_children).collect();
        order.sort_unstable_by_key(|&id| self.nodes.value(id).children);
        let mut to = 0;
        for id in order {
            let node = self.nodes.value_mut(id);
            let (begin, length) = (node.children as usize, node.count as usize);
            node.children = to as u32;
            self.children.copy_within(begin..begin + length, to);
            to += length;
        }
        self.children.truncate(to);
    }
}
