//! Arcs that lead back run around the picture: out to the right, above or below everything, and in
//! again from the left.

use super::layers::Layers;

/// The distance of two lines side by side.
pub(super) const TRACK: f64 = 9.0;

/// An arc that leads back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Route {
    /// The item it leaves.
    pub(super) from: usize,
    /// The item it leads to.
    pub(super) to: usize,
    /// Whether it runs above the picture.
    pub(super) above: bool,
    /// How many lines lie between it and the picture, above or below.
    pub(super) track: usize,
    /// The same for its way down or up, in the gap after the column it leaves.
    pub(super) out: usize,
    /// And in the gap before the column it leads to.
    pub(super) back: usize,
}

/// The routes of all arcs that lead back, and how many lines run in the gaps: after each column (what
/// leaves it), before each column (what leads to it), above and below.
#[derive(Clone, Debug, Default)]
pub(super) struct Routes {
    pub(super) routes: Vec<Route>,
    pub(super) after: Vec<usize>,
    pub(super) before: Vec<usize>,
    pub(super) above: usize,
    pub(super) below: usize,
}

/// Chooses routes. Arcs from the upper half run above, nested so that few of them cross: what starts
/// farther from the edge runs farther out.
pub(super) fn routes(layers: &Layers, y: &[f64]) -> Routes {
    let mut column_of = vec![0usize; layers.items.len()];
    for (number, column) in layers.columns.iter().enumerate() {
        column.iter().for_each(|&item| column_of[item] = number);
    }
    let count = layers.columns.len();
    let mut found = Routes { after: vec![0; count], before: vec![0; count], ..Routes::default() };
    let top = y.iter().copied().fold(f64::INFINITY, f64::min);
    let bottom = y.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let middle = f64::midpoint(top, bottom);
    let mut arcs = layers.back.clone();
    // From the edge inwards: the longest way around lies outermost.
    let depth = |&(from, to): &(usize, usize)| {
        let of = |item: usize| if y[from] + y[to] < 2.0 * middle { y[item] - top } else { bottom - y[item] };
        of(from).max(of(to))
    };
    arcs.sort_by(|a, b| depth(a).total_cmp(&depth(b)));
    for (from, to) in arcs {
        let above = y[from] + y[to] < 2.0 * middle;
        let tracks = if above { &mut found.above } else { &mut found.below };
        let (after, before) = (&mut found.after[column_of[from]], &mut found.before[column_of[to]]);
        found.routes.push(Route { from, to, above, track: *tracks, out: *after, back: *before });
        *tracks += 1;
        *after += 1;
        *before += 1;
    }
    found
}
