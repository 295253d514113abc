//! Whether two graphs are the same but for the names of their vertices.

use ludex_logic::{LimitError, Meter};

use super::graph::ColouredGraph;
use super::partition::{Partition, Trace};
use super::search::{ChoicePoint, FirstPath};

/// What comparing two graphs comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The vertex of the second graph for each vertex of the first.
    Same(Vec<u32>),
    /// Some colours do not occur equally often: each with how often in the first and the second graph.
    Colours(Vec<(u32, usize, usize)>),
    /// The numbers of arcs.
    Arcs(usize, usize),
    /// Vertices of the same colours have other neighbours.
    Neighbours,
    /// All choices were tried.
    Search,
}

/// Looks for a one-to-one mapping of the vertices of one graph to those of another that keeps colours,
/// arcs and the kinds of arcs.
///
/// # Errors
/// When the budget is spent; nothing is known then.
pub fn isomorphism(
    first: &ColouredGraph,
    second: &ColouredGraph,
    meter: &mut Meter,
) -> Result<Comparison, LimitError> {
    let colours = differing_colours(first, second);
    if !colours.is_empty() {
        return Ok(Comparison::Colours(colours));
    }
    if first.arc_count() != second.arc_count() {
        return Ok(Comparison::Arcs(first.arc_count(), second.arc_count()));
    }
    let mut partition = Partition::new(first);
    let path = FirstPath::walk(first, &mut partition, meter)?;
    let leaf = partition.vertices().to_vec();
    let mut partition = Partition::new(second);
    if !partition.refine(second, Trace::Compare(&path.trace, 0), meter)? {
        return Ok(Comparison::Neighbours);
    }
    let mut choice_points = Vec::new();
    let mut depth = 0;
    loop {
        match path.levels.get(depth) {
            Some(level) => choice_points.push(ChoicePoint::new(depth, &partition, level.cell, None)),
            None => {
                meter.spend((first.vertex_count() + first.arc_count()) as u64)?;
                if let Some(images) = mapping(first, second, &leaf, partition.vertices()) {
                    return Ok(Comparison::Same(images));
                }
            }
        }
        // On to the next choice that refines as on the path.
        depth = loop {
            let Some(choice_point) = choice_points.last_mut() else { return Ok(Comparison::Search) };
            partition.rewind(choice_point.splits);
            let Some(choice) = choice_point.choices.pop() else {
                choice_points.pop();
                continue;
            };
            let level = choice_point.level;
            meter.spend(1)?;
            partition.individualise(choice);
            if partition.refine(second, Trace::Compare(&path.levels[level].trace, 0), meter)? {
                break level + 1;
            }
        };
    }
}

fn differing_colours(first: &ColouredGraph, second: &ColouredGraph) -> Vec<(u32, usize, usize)> {
    let (first, second) = (first.histogram(), second.histogram());
    let count = |histogram: &[(u32, usize)], colour: u32| {
        histogram.binary_search_by_key(&colour, |&(colour, _)| colour).map_or(0, |at| histogram[at].1)
    };
    let mut colours: Vec<u32> = first.iter().chain(&second).map(|&(colour, _)| colour).collect();
    colours.sort_unstable();
    colours.dedup();
    let counts = colours.into_iter().map(|colour| (colour, count(&first, colour), count(&second, colour)));
    counts.filter(|(_, first, second)| first != second).collect()
}

/// The mapping from one order of vertices to another, if it keeps everything.
fn mapping(first: &ColouredGraph, second: &ColouredGraph, from: &[u32], to: &[u32]) -> Option<Vec<u32>> {
    let mut images = vec![0; from.len()];
    from.iter().zip(to).for_each(|(&vertex, &image)| images[vertex as usize] = image);
    let mut ends = Vec::new();
    let keeps = |vertex: &u32| {
        let image = images[*vertex as usize];
        ends.clear();
        ends.extend(first.ends(*vertex).iter().map(|&(other, kind)| (images[other as usize], kind)));
        ends.sort_unstable();
        first.colour(*vertex) == second.colour(image) && ends == second.ends(image)
    };
    from.iter().all(keeps).then_some(images)
}
