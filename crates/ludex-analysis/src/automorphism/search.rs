//! The search for automorphisms.

use ludex_logic::{LimitError, Meter};

use super::graph::ColouredGraph;
use super::group::{Automorphisms, BasePoint};
use super::partition::{Partition, Trace};
use super::permutation::Permutation;
use ludex_logic::UnionFind;

/// One choice on the way to a partition in which all vertices are told apart.
#[derive(Debug)]
pub(super) struct Level {
    /// The cell from which one vertex is taken.
    pub cell: u32,
    /// That vertex.
    pub vertex: u32,
    /// The splits made before.
    pub splits: usize,
    /// What refining said after the choice.
    pub trace: Vec<u64>,
}

/// The choices of the first vertex each time, to the end.
#[derive(Debug)]
pub(super) struct FirstPath {
    /// What refining by colours said.
    pub trace: Vec<u64>,
    /// The choices.
    pub levels: Vec<Level>,
}

impl FirstPath {
    /// Refines and chooses until all vertices are told apart.
    pub(super) fn walk(
        graph: &ColouredGraph,
        partition: &mut Partition,
        meter: &mut Meter,
    ) -> Result<Self, LimitError> {
        let mut path = Self { trace: Vec::new(), levels: Vec::new() };
        partition.refine(graph, Trace::Record(&mut path.trace), meter)?;
        let end = graph.vertex_count() as u32;
        let mut cell = 0;
        while let Some(open) = partition.first_open_cell(cell, end) {
            cell = open;
            // The smallest one, since the order within a cell is an accident.
            let members = partition.cell(cell);
            meter.spend(members.len() as u64)?;
            let vertex = members.iter().copied().min().unwrap_or_default();
            let splits = partition.split_count();
            let mut trace = Vec::new();
            partition.individualise(vertex);
            partition.refine(graph, Trace::Record(&mut trace), meter)?;
            path.levels.push(Level { cell, vertex, splits, trace });
        }
        Ok(path)
    }
}

/// Another choice on the way, with those that are left to try.
#[derive(Debug)]
pub(super) struct ChoicePoint {
    /// The level at which is chosen.
    pub level: usize,
    /// The splits made before.
    pub splits: usize,
    /// What is left to choose, the next one last.
    pub choices: Vec<u32>,
}

impl ChoicePoint {
    /// All vertices of a cell, `first` first if it is one of them.
    pub(super) fn new(level: usize, partition: &Partition, cell: u32, first: Option<u32>) -> Self {
        let mut choices = partition.cell(cell).to_vec();
        choices.sort_unstable_by_key(|&vertex| std::cmp::Reverse((Some(vertex) != first, vertex)));
        Self { level, splits: partition.split_count(), choices }
    }
}

/// The automorphisms of a graph, as they act on the vertices whose colours are below `colours`: two that
/// move these alike count as one. The first base points are those of the smallest colours, so the
/// automorphisms that fix all vertices of colour 0 are those that fix the base points among them.
///
/// # Errors
/// When the budget is spent; nothing is known then.
pub fn automorphisms(
    graph: &ColouredGraph,
    colours: u32,
    meter: &mut Meter,
) -> Result<Automorphisms, LimitError> {
    let mut partition = Partition::new(graph);
    let path = FirstPath::walk(graph, &mut partition, meter)?;
    let leaf = partition.vertices().to_vec();
    let mut places = vec![0; leaf.len()];
    for (position, &vertex) in leaf.iter().enumerate() {
        places[vertex as usize] = position as u32;
    }
    let last = graph.colours().iter().filter(|&&colour| colour < colours).count() as u32;
    let mut search = Search { graph, path, leaf, places, partition, meter };
    let mut orbits = UnionFind::new(graph.vertex_count());
    let mut found = Automorphisms::default();
    for level in (0..search.path.levels.len()).rev() {
        if search.path.levels[level].cell < last {
            let orbit = search.orbit(level, &mut orbits, &mut found.generators)?;
            found.base.push(BasePoint { vertex: search.path.levels[level].vertex, orbit });
        }
    }
    found.base.reverse();
    Ok(found)
}

struct Search<'g, 'm> {
    graph: &'g ColouredGraph,
    path: FirstPath,
    /// The vertices at the end of the first path, by position.
    leaf: Vec<u32>,
    /// The position of each vertex there.
    places: Vec<u32>,
    partition: Partition,
    meter: &'m mut Meter,
}

impl Search<'_, '_> {
    /// Finds out where automorphisms that fix the earlier choices can move that of a level. What moves
    /// later choices is known.
    fn orbit(
        &mut self,
        level: usize,
        orbits: &mut UnionFind,
        generators: &mut Vec<(usize, Permutation)>,
    ) -> Result<u32, LimitError> {
        self.partition.rewind(self.path.levels[level].splits);
        let vertex = self.path.levels[level].vertex;
        let mut members = self.partition.cell(self.path.levels[level].cell).to_vec();
        members.sort_unstable();
        let mut failed = Vec::new();
        for &image in &members {
            let root = orbits.root(image);
            if root == orbits.root(vertex) || failed.iter().any(|&other| orbits.root(other) == root) {
                continue;
            }
            match self.find(level, image)? {
                Some(automorphism) => {
                    automorphism.moved().iter().for_each(|&(from, to)| orbits.join(from, to));
                    generators.push((level, automorphism));
                }
                None => failed.push(image),
            }
        }
        let root = orbits.root(vertex);
        Ok(members.iter().filter(|&&member| orbits.root(member) == root).count() as u32)
    }

    /// An automorphism that fixes the choices before a level and takes that of the level to `image`.
    fn find(&mut self, level: usize, image: u32) -> Result<Option<Permutation>, LimitError> {
        let before = self.path.levels[level].splits;
        let mut choice_points = vec![ChoicePoint { level, splits: before, choices: vec![image] }];
        while let Some(choice_point) = choice_points.last_mut() {
            self.partition.rewind(choice_point.splits);
            let Some(choice) = choice_point.choices.pop() else {
                choice_points.pop();
                continue;
            };
            let level = choice_point.level;
            self.partition.individualise(choice);
            let trace = Trace::Compare(&self.path.levels[level].trace, 0);
            if !self.partition.refine(self.graph, trace, self.meter)? {
                continue;
            }
            if let Some(found) = self.candidate(before)? {
                return Ok(Some(found));
            }
            if let Some(next) = self.path.levels.get(level + 1) {
                let choice_point = ChoicePoint::new(level + 1, &self.partition, next.cell, Some(next.vertex));
                self.meter.spend(choice_point.choices.len() as u64)?;
                choice_points.push(choice_point);
            }
        }
        Ok(None)
    }

    /// The automorphism that takes single vertices of the first path to those that are here now and fixes
    /// all others, if it is one. Only cells that were split after the first splits, so many, can differ.
    fn candidate(&mut self, before: usize) -> Result<Option<Permutation>, LimitError> {
        let mut pairs = Vec::new();
        let mut steps = 0;
        for start in self.partition.cells_since(before) {
            let cell = self.partition.cell(start);
            steps += cell.len() as u64;
            if let &[vertex] = cell {
                pairs.push((self.leaf[start as usize], vertex));
                continue;
            }
            let range = start..start + cell.len() as u32;
            if !cell.iter().all(|&vertex| range.contains(&self.places[vertex as usize])) {
                self.meter.spend(steps)?;
                return Ok(None);
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        let Some(found) = Permutation::new(pairs) else { return Ok(None) };
        let arcs = found.moved().iter().map(|&(from, _)| 1 + self.graph.ends(from).len() as u64);
        self.meter.spend(steps + arcs.sum::<u64>())?;
        Ok(found.is_automorphism(self.graph).then_some(found))
    }
}
