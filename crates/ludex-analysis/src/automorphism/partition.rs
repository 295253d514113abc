//! Ordered partitions of vertices, refined and rewound.

use std::collections::VecDeque;

use ludex_logic::{LimitError, Meter};

use super::graph::ColouredGraph;

/// What happened while a partition was refined, as numbers that do not depend on the names of vertices.
#[derive(Debug)]
pub(super) enum Trace<'t> {
    /// Written down.
    Record(&'t mut Vec<u64>),
    /// Compared with what was written down before, from this place on.
    Compare(&'t [u64], usize),
}

impl Trace<'_> {
    /// Whether this has happened before, too.
    fn event(&mut self, event: u64) -> bool {
        match self {
            Trace::Record(events) => {
                events.push(event);
                true
            }
            Trace::Compare(events, at) => {
                *at += 1;
                events.get(*at - 1) == Some(&event)
            }
        }
    }

    /// Whether nothing is missing of what happened before.
    fn is_at_end(&self) -> bool {
        match self {
            Trace::Record(_) => true,
            Trace::Compare(events, at) => events.len() == *at,
        }
    }
}

/// An ordered partition: cells are ranges of positions, and the order of vertices in a cell means nothing.
#[derive(Debug)]
pub(super) struct Partition {
    /// The vertex at each position.
    vertices: Vec<u32>,
    /// The position of each vertex.
    positions: Vec<u32>,
    /// The first position of the cell of each vertex.
    cells: Vec<u32>,
    /// The length of the cell that begins at a position.
    lengths: Vec<u32>,
    /// The cells that were split off, with the cells that they were split from.
    splits: Vec<(u32, u32)>,
    /// What arcs from the current cell add up to at each vertex; 0 elsewhere.
    sums: Vec<u64>,
    is_touched: Vec<bool>,
    touched: Vec<u32>,
    queue: VecDeque<u32>,
    is_queued: Vec<bool>,
}

/// A 64-bit mixture (splitmix64): equal sums of these stem from equal counts, but for a chance of 2^-64,
/// and then cells are only coarser than they could be.
fn mix(value: u64) -> u64 {
    let mut z = value.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

fn mix_pair(a: u64, b: u64) -> u64 {
    mix(mix(a) ^ b)
}

impl Partition {
    /// One cell for each colour, in the order of colours, all waiting to refine the others.
    pub(super) fn new(graph: &ColouredGraph) -> Self {
        let count = graph.vertex_count();
        let mut vertices: Vec<u32> = (0..count as u32).collect();
        vertices.sort_by_key(|&vertex| graph.colour(vertex));
        let mut partition = Self {
            positions: vec![0; count],
            cells: vec![0; count],
            lengths: vec![0; count],
            splits: Vec::new(),
            sums: vec![0; count],
            is_touched: vec![false; count],
            touched: Vec::new(),
            queue: VecDeque::new(),
            is_queued: vec![false; count],
            vertices,
        };
        let mut start = 0;
        for position in 0..count {
            let vertex = partition.vertices[position];
            if graph.colour(vertex) != graph.colour(partition.vertices[start]) {
                start = position;
            }
            partition.positions[vertex as usize] = position as u32;
            partition.cells[vertex as usize] = start as u32;
            partition.lengths[start] += 1;
            if start == position {
                partition.enqueue(start as u32);
            }
        }
        partition
    }

    /// The vertices by position.
    pub(super) fn vertices(&self) -> &[u32] {
        &self.vertices
    }

    /// The vertices of the cell that begins at a position.
    pub(super) fn cell(&self, start: u32) -> &[u32] {
        &self.vertices[start as usize..][..self.lengths[start as usize] as usize]
    }

    /// The first cell with several vertices that begins in a range of positions. `start` must begin a
    /// cell.
    pub(super) fn first_open_cell(&self, mut start: u32, end: u32) -> Option<u32> {
        while start < end {
            let length = self.lengths[start as usize];
            if length > 1 {
                return Some(start);
            }
            start += length;
        }
        None
    }

    /// How many splits were made.
    pub(super) fn split_count(&self) -> usize {
        self.splits.len()
    }

    /// The cells that took part in the splits after the first so many; a cell may come several times.
    pub(super) fn cells_since(&self, splits: usize) -> impl Iterator<Item = u32> + '_ {
        self.splits[splits..].iter().flat_map(|&(new, old)| [new, old])
    }

    /// Takes back all but the first splits, so many.
    pub(super) fn rewind(&mut self, splits: usize) {
        while self.splits.len() > splits {
            let Some((new, old)) = self.splits.pop() else { break };
            let length = self.lengths[new as usize];
            for position in new..new + length {
                self.cells[self.vertices[position as usize] as usize] = old;
            }
            self.lengths[old as usize] += length;
        }
    }

    /// Makes a vertex a cell of its own, at the end of its old one, which waits to refine the others.
    pub(super) fn individualise(&mut self, vertex: u32) {
        let start = self.cells[vertex as usize];
        let last = start + self.lengths[start as usize] - 1;
        self.place(vertex, last);
        if last > start {
            self.split(start, last);
            self.enqueue(last);
        }
    }

    /// Refines until vertices of one cell have the same arcs from and to each cell. Whether the same
    /// happened as the trace says; where it did not, the partition is left half refined, to be rewound.
    ///
    /// # Errors
    /// When the budget is spent.
    pub(super) fn refine(
        &mut self,
        graph: &ColouredGraph,
        mut trace: Trace<'_>,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        while let Some(start) = self.queue.pop_front() {
            self.is_queued[start as usize] = false;
            if !self.refine_by(graph, start, &mut trace, meter)? {
                self.queue.drain(..).for_each(|start| self.is_queued[start as usize] = false);
                return Ok(false);
            }
        }
        Ok(trace.is_at_end())
    }

    /// Splits cells by their arcs from and to one cell.
    fn refine_by(
        &mut self,
        graph: &ColouredGraph,
        start: u32,
        trace: &mut Trace<'_>,
        meter: &mut Meter,
    ) -> Result<bool, LimitError> {
        let length = self.lengths[start as usize];
        let mut total = 0u64;
        let mut arcs = 1;
        for position in start..start + length {
            let vertex = self.vertices[position as usize];
            for &(other, kind) in graph.ends(vertex) {
                arcs += 1;
                let cell = self.cells[other as usize];
                if self.lengths[cell as usize] == 1 {
                    total = total.wrapping_add(mix_pair(u64::from(kind), u64::from(cell)));
                    continue;
                }
                let sum = &mut self.sums[other as usize];
                *sum = sum.wrapping_add(mix(u64::from(kind)));
                if !std::mem::replace(&mut self.is_touched[other as usize], true) {
                    self.touched.push(other);
                }
            }
        }
        meter.spend(arcs)?;
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable_by_key(|&vertex| (self.cells[vertex as usize], self.sums[vertex as usize]));
        let mut same = trace.event(mix_pair(mix_pair(u64::from(start), u64::from(length)), total));
        let mut rest = touched.as_slice();
        while let (true, Some(&first)) = (same, rest.first()) {
            let cell = self.cells[first as usize];
            let count = rest.partition_point(|&vertex| self.cells[vertex as usize] <= cell);
            let (group, others) = rest.split_at(count);
            same = self.split_by_sums(group, trace);
            rest = others;
        }
        for &vertex in &touched {
            self.sums[vertex as usize] = 0;
            self.is_touched[vertex as usize] = false;
        }
        touched.clear();
        self.touched = touched;
        Ok(same)
    }

    /// Splits one cell; `group` has its vertices with arcs, ordered by what these add up to. Those without
    /// stay at the front.
    fn split_by_sums(&mut self, group: &[u32], trace: &mut Trace<'_>) -> bool {
        let sum_of = |partition: &Self, vertex: u32| partition.sums[vertex as usize];
        let start = self.cells[group[0] as usize];
        let length = self.lengths[start as usize] as usize;
        let end = start as usize + length;
        // From the end on, so that a vertex that is swapped away to the front is placed later.
        for (at, &vertex) in group.iter().enumerate().rev() {
            self.place(vertex, (end - (group.len() - at)) as u32);
        }
        let rest = length - group.len();
        let mut starts: Vec<u32> = if rest > 0 { vec![start] } else { Vec::new() };
        let mut at = end - group.len();
        for run in group.chunk_by(|&a, &b| self.sums[a as usize] == self.sums[b as usize]) {
            starts.push(at as u32);
            at += run.len();
            let event = mix_pair(sum_of(self, run[0]), run.len() as u64);
            if !trace.event(mix_pair(event, u64::from(start))) {
                return false;
            }
        }
        if starts.len() == 1 {
            return true;
        }
        for &new in starts[1..].iter().rev() {
            self.split(start, new);
        }
        // Hopcroft: what the parts and the whole say, they say of one that is left out, too.
        let left_out = if self.is_queued[start as usize] {
            start
        } else {
            let longest = |&&a: &&u32, &&b: &&u32| {
                self.lengths[a as usize].cmp(&self.lengths[b as usize]).then(b.cmp(&a))
            };
            starts.iter().max_by(longest).copied().unwrap_or(start)
        };
        for part in starts.into_iter().filter(|&part| part != left_out) {
            self.enqueue(part);
        }
        true
    }

    fn enqueue(&mut self, start: u32) {
        if !std::mem::replace(&mut self.is_queued[start as usize], true) {
            self.queue.push_back(start);
        }
    }

    /// Swaps a vertex with the one at a position.
    fn place(&mut self, vertex: u32, position: u32) {
        let (from, other) = (self.positions[vertex as usize], self.vertices[position as usize]);
        self.vertices[from as usize] = other;
        self.positions[other as usize] = from;
        self.vertices[position as usize] = vertex;
        self.positions[vertex as usize] = position;
    }

    /// Makes the positions from `new` to the end of the cell at `old` a cell of its own.
    fn split(&mut self, old: u32, new: u32) {
        let length = self.lengths[old as usize] - (new - old);
        self.lengths[old as usize] = new - old;
        self.lengths[new as usize] = length;
        for position in new..new + length {
            self.cells[self.vertices[position as usize] as usize] = new;
        }
        self.splits.push((new, old));
    }
}
