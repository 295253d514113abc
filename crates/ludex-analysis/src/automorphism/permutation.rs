//! Permutations of vertices, kept as what they move.

use super::graph::ColouredGraph;

/// A permutation of the vertices of a graph. Only the moved ones are kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Permutation {
    /// Each moved vertex with its image, ascending.
    moved: Box<[(u32, u32)]>,
}

impl Permutation {
    /// From vertices with their images; those that are missing stay. `None` when two vertices have one
    /// image, or one vertex two.
    pub fn new(pairs: impl IntoIterator<Item = (u32, u32)>) -> Option<Self> {
        let mut moved: Vec<(u32, u32)> = pairs.into_iter().filter(|(from, to)| from != to).collect();
        moved.sort_unstable();
        let mut images: Vec<u32> = moved.iter().map(|&(_, to)| to).collect();
        images.sort_unstable();
        let is_one_to_one = moved.iter().map(|&(from, _)| from).eq(images.iter().copied())
            && images.windows(2).all(|pair| pair[0] < pair[1]);
        is_one_to_one.then(|| Self { moved: moved.into() })
    }

    /// The image of a vertex.
    pub fn image(&self, vertex: u32) -> u32 {
        match self.moved.binary_search_by_key(&vertex, |&(from, _)| from) {
            Ok(at) => self.moved[at].1,
            Err(_) => vertex,
        }
    }

    /// Each moved vertex with its image, ascending.
    pub fn moved(&self) -> &[(u32, u32)] {
        &self.moved
    }

    /// Whether nothing is moved.
    pub fn is_identity(&self) -> bool {
        self.moved.is_empty()
    }

    /// The cycles of two and more vertices, each from its smallest vertex on.
    pub fn cycles(&self) -> Vec<Vec<u32>> {
        let mut seen = vec![false; self.moved.len()];
        let mut cycles = Vec::new();
        for at in 0..self.moved.len() {
            let mut cycle = Vec::new();
            let mut place = at;
            while !std::mem::replace(&mut seen[place], true) {
                let (from, to) = self.moved[place];
                cycle.push(from);
                // Images are moved themselves, since the permutation is one to one.
                let Ok(next) = self.moved.binary_search_by_key(&to, |&(from, _)| from) else { break };
                place = next;
            }
            if cycle.len() > 1 {
                cycles.push(cycle);
            }
        }
        cycles
    }

    /// Whether it keeps colours and arcs. The work is that of the arcs at moved vertices.
    pub fn is_automorphism(&self, graph: &ColouredGraph) -> bool {
        let mut images = Vec::new();
        self.moved.iter().all(|&(from, to)| {
            images.clear();
            images.extend(graph.ends(from).iter().map(|&(other, kind)| (self.image(other), kind)));
            images.sort_unstable();
            graph.colour(from) == graph.colour(to) && images == graph.ends(to)
        })
    }
}
