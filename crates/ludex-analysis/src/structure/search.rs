//! Which columns of a kind of facts are coordinates.

use ludex_logic::{TermId, Terms};
use rustc_hash::FxHashSet;

use super::kinds::{Kinds, Row};
use super::order::{Evidence, Successors};

/// The facts of the sampled states by kind and state.
pub(crate) struct Seen {
    rows: Vec<Vec<Vec<Row>>>,
}

impl Seen {
    /// Sorts the facts of states.
    pub fn new(terms: &Terms, kinds: &Kinds, states: &[Vec<TermId>]) -> Self {
        let mut rows = vec![vec![Vec::new(); states.len()]; kinds.list().len()];
        let mut row = Row::new();
        for (at, state) in states.iter().enumerate() {
            for &fact in state {
                if let Some(kind) = kinds.row(terms, fact, &mut row) {
                    rows[kind][at].push(row.clone());
                }
            }
        }
        Self { rows }
    }

    /// The facts of a kind in each state.
    pub fn of(&self, kind: usize) -> &[Vec<Row>] {
        &self.rows[kind]
    }

    /// The most facts of a kind in one state.
    pub fn most(&self, kind: usize) -> usize {
        self.rows[kind].iter().map(Vec::len).max().unwrap_or(0)
    }

    /// The values of a column in the states, in canonical order.
    pub fn values(&self, terms: &Terms, kind: usize, column: usize) -> Vec<TermId> {
        let mut values: Vec<TermId> =
            self.rows[kind].iter().flatten().filter_map(|row| row.get(column).copied()).collect();
        values.sort_unstable_by(|&a, &b| terms.compare(a, b));
        values.dedup();
        values
    }

    /// Whether in all states the first column of a kind takes each value exactly once, as in a
    /// permutation.
    pub fn is_total_function(&self, kind: usize) -> bool {
        let sizes = self.spread(kind, &[0]);
        let always = self.rows[kind].iter().all(|rows| rows.len() == self.rows[kind][0].len());
        always && sizes.functional && self.most(kind) > 2
    }

    /// How the facts of a kind spread over some of its columns.
    pub fn spread(&self, kind: usize, columns: &[usize]) -> Spread {
        let (mut facts, mut cells, mut states, mut worst) = (0usize, 0usize, 0usize, 0usize);
        let mut found: FxHashSet<Row> = FxHashSet::default();
        for rows in self.rows[kind].iter().filter(|r| !r.is_empty()) {
            found.clear();
            found.extend(rows.iter().map(|row| project(row, columns)));
            facts += rows.len();
            cells += found.len();
            worst = worst.max(rows.len() - found.len());
            states += 1;
        }
        let per = |n: usize, d: usize| if d == 0 { 0.0 } else { n as f64 / d as f64 };
        Spread { facts_per_cell: per(facts, cells), cells: per(cells, states), functional: worst == 0 }
    }
}

/// See [`Seen::spread`].
pub(crate) struct Spread {
    /// Facts to a cell that is occupied at all.
    pub facts_per_cell: f64,
    /// Occupied cells in a state.
    pub cells: f64,
    /// Whether no cell ever had two facts.
    pub functional: bool,
}

/// Some columns of a row.
pub(crate) fn project(row: &[TermId], columns: &[usize]) -> Row {
    columns.iter().filter_map(|&c| row.get(c).copied()).collect()
}

/// Columns that look like the coordinates of a grid.
#[derive(Clone, Debug)]
pub(crate) struct Grid {
    /// The kind of facts.
    pub kind: usize,
    /// The two coordinates, in the order of the columns.
    pub pair: [usize; 2],
    /// Two coordinates more, when the board is a board of boards.
    pub outer: Option<[usize; 2]>,
    /// The column that tells several boards of one kind apart.
    pub panel: Option<usize>,
    /// The values of each column in order; empty for columns that are no coordinates.
    pub orders: Vec<Vec<TermId>>,
    /// How sure this is, to prefer one grid to another.
    pub score: f64,
}

/// The longest side of a board.
const LONGEST: usize = 64;

/// The best pair of coordinates of a kind, if any is good enough.
///
/// `sides` are the roles: what belongs to a player stands in a table, not on a board.
pub(crate) fn grid(
    terms: &Terms,
    kinds: &Kinds,
    seen: &Seen,
    steps: &Successors,
    sides: &[TermId],
    kind: usize,
) -> Option<Grid> {
    let list = &kinds.list()[kind];
    if list.arity < 2 || list.arity > 6 {
        return None;
    }
    let order = |domain: &[TermId]| {
        let fits = (2..=LONGEST).contains(&domain.len()) && !domain.iter().any(|t| sides.contains(t));
        if fits { steps.order(terms, domain) } else { None }
    };
    // Rules may allow for more than ever happens; then the facts seen tell what a coordinate is.
    let orders: Vec<Option<(Vec<TermId>, Evidence)>> = (0..list.arity)
        .map(|c| order(&list.domains[c]).or_else(|| order(&seen.values(terms, kind, c))))
        .collect();
    let mut best: Option<Grid> = None;
    for i in 0..list.arity {
        for j in i + 1..list.arity {
            let (Some(a), Some(b)) = (&orders[i], &orders[j]) else { continue };
            let mut found = Grid {
                kind,
                pair: [i, j],
                outer: None,
                panel: None,
                orders: orders.iter().map(|o| o.as_ref().map_or_else(Vec::new, |o| o.0.clone())).collect(),
                score: 0.0,
            };
            extend(kinds, seen, &mut found);
            if let Some(score) = pair_score(seen, &found, a, b, list.arity)
                && best.as_ref().is_none_or(|g| score > g.score)
            {
                found.score = score;
                best = Some(found);
            }
        }
    }
    best
}

fn pair_score(
    seen: &Seen,
    grid: &Grid,
    a: &(Vec<TermId>, Evidence),
    b: &(Vec<TermId>, Evidence),
    arity: usize,
) -> Option<f64> {
    let (kind, pair, most) = (grid.kind, grid.pair, seen.most(grid.kind));
    let area = (a.0.len() * b.0.len()) as f64;
    if area < 4.0 || most < 1 {
        return None;
    }
    let same = a.0 == b.0;
    let mut columns: Vec<usize> = pair.to_vec();
    columns.extend(grid.panel);
    columns.extend(grid.outer.into_iter().flatten());
    let spread = seen.spread(kind, &columns);
    if spread.facts_per_cell > 6.0 || (arity == 2 && seen.is_total_function(kind)) {
        return None;
    }
    let mut score = f64::from(u8::from(a.1 == Evidence::Rules)) + f64::from(u8::from(b.1 == Evidence::Rules));
    score += if same { 3.0 } else { 0.0 };
    // Many small boards are rather one large one.
    let panels = grid.panel.map_or(0, |c| grid.orders[c].len());
    score -= if panels > a.0.len().min(b.0.len()) { 1.5 } else { 0.0 };
    score += 0.1 * area.log2();
    score += if spread.functional { 2.0 } else { -0.5 * (spread.facts_per_cell - 1.0).min(6.0) };
    score += 2.0 * (spread.cells / area).min(1.0);
    // Two or more things at once are on a board; one alone may be any pair of numbers.
    score += if most >= 3 { 1.0 } else { 0.0 };
    score -= 0.3 * (pair[0] + pair[1]) as f64 / arity as f64;
    // A grid that is nearly empty by its shape (a long counter beside a short one) is none.
    let ratio = a.0.len().max(b.0.len()) as f64 / a.0.len().min(b.0.len()) as f64;
    score -= if ratio > 4.0 { 3.0 } else { 0.0 };
    (score >= 3.0).then_some(score)
}

/// Adds outer coordinates or a panel column while several facts fall on one cell.
fn extend(kinds: &Kinds, seen: &Seen, grid: &mut Grid) {
    let list = &kinds.list()[grid.kind];
    let [i, j] = grid.pair;
    if seen.spread(grid.kind, &grid.pair).functional {
        return;
    }
    let others: Vec<usize> = (0..list.arity).filter(|&c| c != i && c != j).collect();
    // Four coordinates: two pairs with equal domains, the first pair outside.
    if i == 0 && j == 1 && list.arity >= 4 {
        let ordered = |c: usize| !grid.orders[c].is_empty() && grid.orders[c].len() <= 5;
        let all = [0, 1, 2, 3];
        if all.iter().all(|&c| ordered(c)) && list.arity == 5 && seen.spread(grid.kind, &all).functional {
            grid.outer = Some([0, 1]);
            grid.pair = [2, 3];
            return;
        }
    }
    for &c in &others {
        let domain = &list.domains[c];
        if !(2..=9).contains(&domain.len()) {
            continue;
        }
        let all = [i, j, c];
        let spread = seen.spread(grid.kind, &all);
        let area = (domain.len() * list.domains[i].len() * list.domains[j].len()) as f64;
        let ordered = !grid.orders[c].is_empty();
        if spread.functional && others.len() > 1 && (ordered || spread.cells / area > 0.5) {
            grid.panel = Some(c);
            if !ordered {
                grid.orders[c] = domain.clone();
            }
            return;
        }
    }
}
