//! Directed graphs whose vertices and arcs have colours.

/// A directed graph whose vertices have colours and whose arcs have kinds; of two vertices and a kind
/// there is one arc or none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColouredGraph {
    colours: Vec<u32>,
    /// `first[v]..first[v + 1]` are the ends at vertex `v`.
    first: Vec<u32>,
    /// The other vertex, and twice the kind of the arc, plus one where the arc comes in.
    ends: Vec<(u32, u32)>,
}

impl ColouredGraph {
    /// The graph with one vertex for each colour, and these arcs (from, to, kind).
    ///
    /// Vertices of small colours are told apart first by [`automorphisms`](super::automorphisms).
    /// Arcs from or to a vertex that is not there are left out.
    pub fn new(colours: Vec<u32>, arcs: impl IntoIterator<Item = (u32, u32, u32)>) -> Self {
        let count = colours.len() as u32;
        let mut ends: Vec<(u32, u32, u32)> = Vec::new();
        for (from, to, kind) in arcs {
            if from < count && to < count {
                ends.push((from, to, 2 * kind));
                ends.push((to, from, 2 * kind + 1));
            }
        }
        ends.sort_unstable();
        ends.dedup();
        let mut first = vec![0; colours.len() + 1];
        ends.iter().for_each(|&(from, ..)| first[from as usize + 1] += 1);
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let ends = ends.into_iter().map(|(_, to, kind)| (to, kind)).collect();
        Self { colours, first, ends }
    }

    /// The graph with these colours and arcs of one kind in both directions.
    pub fn undirected(colours: Vec<u32>, edges: impl IntoIterator<Item = (u32, u32)>) -> Self {
        Self::new(colours, edges.into_iter().flat_map(|(a, b)| [(a, b, 0), (b, a, 0)]))
    }

    /// The number of vertices.
    pub fn vertex_count(&self) -> usize {
        self.colours.len()
    }

    /// The number of arcs.
    pub fn arc_count(&self) -> usize {
        self.ends.len() / 2
    }

    /// The colour of a vertex.
    pub fn colour(&self, vertex: u32) -> u32 {
        self.colours[vertex as usize]
    }

    /// All colours, by vertex.
    pub fn colours(&self) -> &[u32] {
        &self.colours
    }

    /// All arcs (from, to, kind), ordered.
    pub fn arcs(&self) -> impl Iterator<Item = (u32, u32, u32)> + '_ {
        (0..self.colours.len() as u32).flat_map(move |from| {
            let out = self.ends(from).iter().filter(|(_, end)| end % 2 == 0);
            out.map(move |&(to, end)| (from, to, end / 2))
        })
    }

    /// The arcs at a vertex, ordered: the other vertex, and twice the kind, plus one for an arc that
    /// comes in.
    pub(crate) fn ends(&self, vertex: u32) -> &[(u32, u32)] {
        &self.ends[self.first[vertex as usize] as usize..self.first[vertex as usize + 1] as usize]
    }

    /// How many vertices there are of each colour, ordered by colour.
    pub fn histogram(&self) -> Vec<(u32, usize)> {
        let mut sorted = self.colours.clone();
        sorted.sort_unstable();
        sorted.chunk_by(|a, b| a == b).map(|run| (run[0], run.len())).collect()
    }
}
