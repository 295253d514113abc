//! Where joint moves lead from nodes in which several roles have a choice.

use std::hash::Hasher;

use rustc_hash::FxHasher;

use super::graph::{NONE, NodeId};
use super::index::Index;

/// A joint move of a node, by its number, and the node that it leads to.
#[derive(Clone, Copy, Debug)]
struct Way {
    parent: NodeId,
    child: NodeId,
    code: u64,
    /// The next way out of the same node, or the next place that is free.
    next: u32,
}

/// All ways; those of a node are a list, whose beginning the node knows.
#[derive(Debug)]
pub(super) struct Ways {
    list: Vec<Way>,
    /// The first place that is free.
    free: u32,
    in_use: usize,
    index: Index,
}

impl Default for Ways {
    fn default() -> Self {
        Self { list: Vec::new(), free: NONE, in_use: 0, index: Index::default() }
    }
}

fn hash(parent: NodeId, code: u64) -> u64 {
    let mut hasher = FxHasher::default();
    hasher.write_u32(parent);
    hasher.write_u64(code);
    hasher.finish()
}

impl Ways {
    /// Where a joint move of a node leads; [`NONE`] where that is not known.
    pub fn get(&self, parent: NodeId, code: u64) -> NodeId {
        self.find(parent, code).map_or(NONE, |place| self.list[place as usize].child)
    }

    fn find(&self, parent: NodeId, code: u64) -> Option<u32> {
        let is_it = |place: u32| {
            let way = &self.list[place as usize];
            way.parent == parent && way.code == code
        };
        self.index.find(hash(parent, code), is_it)
    }

    /// Notes where a joint move of a node leads. `first` is where the list of the node begins.
    pub fn set(&mut self, first: &mut u32, parent: NodeId, code: u64, child: NodeId) {
        if let Some(known) = self.find(parent, code) {
            self.list[known as usize].child = child;
            return;
        }
        let way = Way { parent, child, code, next: *first };
        let place = self.free;
        match self.list.get_mut(place as usize) {
            Some(free) => (self.free, *free) = (free.next, way),
            None => self.list.push(way),
        }
        *first = if place == NONE { self.list.len() as u32 - 1 } else { place };
        self.in_use += 1;
        self.index.insert(hash(parent, code), *first);
    }

    /// The numbers of the joint moves of a list, and where they lead.
    pub fn of(&self, first: u32) -> impl Iterator<Item = (u64, NodeId)> + '_ {
        let way = |place: u32| self.list.get(place as usize);
        std::iter::successors(way(first), move |known| way(known.next)).map(|way| (way.code, way.child))
    }

    /// Takes out a list; how many ways it had.
    pub fn remove(&mut self, first: u32) -> usize {
        let (mut place, mut count) = (first, 0);
        while place != NONE {
            let way = self.list[place as usize];
            self.index.remove(place);
            self.list[place as usize].next = self.free;
            self.free = place;
            (place, count) = (way.next, count + 1);
        }
        self.in_use -= count;
        count
    }

    /// Takes out everything.
    pub fn clear(&mut self) {
        self.list.clear();
        self.index.clear();
        (self.free, self.in_use) = (NONE, 0);
    }

    /// Bytes that are in use.
    pub fn bytes(&self) -> usize {
        self.in_use * Self::BYTES
    }

    /// Bytes that are held.
    pub fn held(&self) -> usize {
        self.list.capacity() * size_of::<Way>() + self.index.held()
    }

    /// What a way takes.
    const BYTES: usize = size_of::<Way>() + Index::BYTES;
}
