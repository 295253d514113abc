//! Making room in a full graph: what costs least to find out again is forgotten (after the collection of small trees:
//! Nagai, 1999).
//!
//! A state remembers how many descents came by. Below the root, states keep their children that many descents came
//! by; others become leaves again, with the numbers that they have. What is worked out needs no states below: it is
//! kept as the words of the state and its answers, wherever it is, as long as there is room for it.

use std::time::Duration;

use super::graph::{NONE, Node, ProofGraph, ProofId, state};
use crate::fingerprint::hash;

/// What making room takes for each state, at most.
pub(crate) const SWEEP_TIME: Duration = Duration::from_nanos(300);
/// What making room needs for each state beside the graph: its new number, its place in an order, and what becomes of it.
pub(super) const SWEEP_BYTES: usize = 2 * size_of::<ProofId>() + size_of::<Fate>();

/// This part of a full graph may stay as states that are being worked on, with their children...
const OPEN_SHARE: f64 = 0.5;
/// ... and this part as answers alone.
const ANSWERED_SHARE: f64 = 0.25;
/// Of each list, this part is to be free in the end.
const FREE_SHARE: f64 = 0.2;
/// Descents are told apart by their binary logarithm.
const CLASSES: usize = 33;

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

/// The class of states that so many descents came by.
fn class(work: u32) -> usize {
    (u32::BITS - work.leading_zeros()) as usize
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
    /// Takes note that a wave is under way, which knows states by their numbers.
    pub(super) fn begin_wave(&mut self) {
        self.waves += 1;
    }

    /// Takes note that a wave has ended.
    pub(super) fn end_wave(&mut self) {
        self.waves = self.waves.saturating_sub(1);
    }

    /// Makes room, unless waves are under way; whether it did.
    pub(super) fn make_room(&mut self) -> bool {
        if self.waves > 0 {
            return false;
        }
        let mut fates = vec![Fate::Forgotten; self.nodes.len()];
        let mut least = self.open_class();
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

    /// The least class of which states that are worked on keep their children.
    fn open_class(&self) -> usize {
        let mut counts = [0; CLASSES];
        let open = (0..self.nodes.len() as ProofId).filter(|&id| !self.is_answered(id));
        for node in open.map(|id| &self.nodes[id as usize]).filter(|node| node.children != NONE) {
            counts[class(node.work)] += node.count as usize;
        }
        let most = (OPEN_SHARE * self.nodes.len() as f64) as usize;
        least_class(&counts, most)
    }

    /// Decides what stays where states of this class and above keep their children.
    fn decide(&self, fates: &mut [Fate], least: usize) {
        fates.fill(Fate::Forgotten);
        let mut open = vec![self.root];
        fates[self.root as usize] = Fate::Leaf;
        while let Some(id) = open.pop() {
            let node = &self.nodes[id as usize];
            let is_worth_it = id == self.root || class(node.work) >= least && !self.is_answered(id);
            if node.children == NONE || !is_worth_it {
                continue;
            }
            fates[id as usize] = Fate::Inner;
            for &child in self.below(node) {
                if fates[child as usize] == Fate::Forgotten {
                    let is_answered = self.is_answered(child);
                    fates[child as usize] = if is_answered { Fate::Answered } else { Fate::Leaf };
                    if !is_answered {
                        open.push(child);
                    }
                }
            }
        }
        for &id in &self.answered {
            fates[id as usize] = fates[id as usize].max(Fate::Answered);
        }
        self.remember_answers(fates);
    }

    /// Lets the answers stay that most descents were made for.
    fn remember_answers(&self, fates: &mut [Fate]) {
        let mut counts = [0; CLASSES];
        let others =
            |fates: &[Fate], id: usize| fates[id] == Fate::Forgotten && self.is_answered(id as ProofId);
        for id in (0..self.nodes.len()).filter(|&id| others(fates, id)) {
            counts[class(self.nodes[id].work)] += 1;
        }
        // Ends of the game, which no descent is made for, are found again at no cost.
        counts[0] = self.nodes.len();
        let least = least_class(&counts, (ANSWERED_SHARE * self.nodes.len() as f64) as usize);
        for id in 0..self.nodes.len() {
            if others(fates, id) && class(self.nodes[id].work) >= least {
                fates[id] = Fate::Answered;
            }
        }
    }

    /// Whether one of the lists would be rather full.
    fn is_tight(&self, fates: &[Fate]) -> bool {
        let (mut nodes, mut words, mut moves, mut children) = (0, 0, 0, 0);
        for (id, &fate) in fates.iter().enumerate().filter(|&(_, &fate)| fate != Fate::Forgotten) {
            nodes += 1;
            words += self.state(id as ProofId).len();
            let count = self.nodes[id].count as usize;
            moves += if fate > Fate::Answered { self.roles() + count } else { 0 };
            children += if fate == Fate::Inner { count } else { 0 };
        }
        fn is_tight<T>(used: usize, list: &Vec<T>) -> bool {
            used as f64 > (1.0 - FREE_SHARE) * list.capacity() as f64
        }
        is_tight(nodes, &self.nodes)
            || is_tight(words, &self.words)
            || is_tight(moves, &self.moves)
            || is_tight(children, &self.children)
    }

    /// Forgets what is to be forgotten, and numbers the rest anew.
    fn keep(&mut self, fates: &[Fate]) {
        let is_kept = |&id: &ProofId| fates[id as usize] != Fate::Forgotten;
        self.compact_lists(fates);
        let kept = (0..self.nodes.len() as ProofId).filter(is_kept);
        let mut numbers = vec![NONE; self.nodes.len()];
        for (new, old) in kept.enumerate() {
            numbers[old as usize] = new as ProofId;
            self.nodes[new] = self.nodes[old as usize];
            self.numbers[new] = self.numbers[old as usize];
        }
        let count = fates.iter().filter(|&&fate| fate != Fate::Forgotten).count();
        self.nodes.truncate(count);
        self.numbers.truncate(count);
        self.children.iter_mut().for_each(|child| *child = numbers[*child as usize]);
        self.answered.iter_mut().for_each(|id| *id = numbers[*id as usize]);
        self.root = numbers[self.root as usize];
        self.table.clear();
        let (nodes, words) = (&self.nodes, &self.words);
        let hash_of = |&id: &ProofId| hash(state(nodes, words, id));
        for id in 0..nodes.len() as ProofId {
            self.table.insert_unique(hash_of(&id), id, hash_of);
        }
    }

    /// Closes the gaps in the lists that states have parts of.
    fn compact_lists(&mut self, fates: &[Fate]) {
        let mut to = 0;
        for (id, &fate) in fates.iter().enumerate() {
            let length = self.state(id as ProofId).len();
            let node = &mut self.nodes[id];
            let begin = node.words as usize;
            match fate {
                Fate::Forgotten => continue,
                Fate::Answered => (node.count, node.moves, node.children) = (0, 0, NONE),
                Fate::Leaf => node.children = NONE,
                Fate::Inner => {}
            }
            node.words = to as u32;
            self.words.copy_within(begin..begin + length, to);
            to += length;
        }
        self.words.truncate(to);
        self.compact_moves(fates);
        self.compact_children(fates);
    }

    fn compact_moves(&mut self, fates: &[Fate]) {
        // Ends of the game, and states after which nothing can be said, have no moves.
        let has_moves =
            |&id: &ProofId| fates[id as usize] > Fate::Answered && self.nodes[id as usize].count > 0;
        let mut order: Vec<ProofId> = (0..fates.len() as ProofId).filter(has_moves).collect();
        order.sort_unstable_by_key(|&id| self.nodes[id as usize].moves);
        let (roles, mut to) = (self.roles(), 0);
        for id in order {
            let node = &mut self.nodes[id as usize];
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
        order.sort_unstable_by_key(|&id| self.nodes[id as usize].children);
        let mut to = 0;
        for id in order {
            let node = &mut self.nodes[id as usize];
            let (begin, length) = (node.children as usize, node.count as usize);
            node.children = to as u32;
            self.children.copy_within(begin..begin + length, to);
            to += length;
        }
        self.children.truncate(to);
    }
}
