//! Facts sorted by functor, with the columns each functor has.

use ludex_logic::{SymbolId, TermId, TermView, Terms};
use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

/// The columns of one fact.
pub(crate) type Row = SmallVec<[TermId; 6]>;

/// A functor with the functors of its arguments, where they are functional terms: what facts must
/// have in common to be rows of one table.
type Key = SmallVec<[(Option<SymbolId>, u32); 6]>;

/// All facts `f(...)` with one functor and one shape.
#[derive(Clone, Debug)]
pub(crate) struct Kind {
    /// The functor, or the constant.
    pub functor: SymbolId,
    /// How many columns the facts have when functional arguments are laid flat.
    pub arity: usize,
    /// The values seen in each column, in canonical order.
    pub domains: Vec<Vec<TermId>>,
    /// How many different facts were seen or are known to be possible.
    pub possible: usize,
}

/// All kinds of facts of a game.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kinds {
    keys: FxHashMap<Key, usize>,
    list: Vec<Kind>,
}

/// The key and the columns of a fact: functional arguments are laid flat one level deep, as in
/// `at(robot, pos(1,2))`.
fn flatten(terms: &Terms, fact: TermId, row: &mut Row) -> Key {
    let mut key = Key::new();
    row.clear();
    match terms.view(fact) {
        TermView::Constant(name) => key.push((Some(name), u32::MAX)),
        TermView::Compound(functor, args) => {
            key.push((Some(functor), args.len() as u32));
            for &arg in args {
                match terms.view(arg) {
                    TermView::Constant(_) => {
                        key.push((None, 0));
                        row.push(arg);
                    }
                    TermView::Compound(inner, columns) if columns.len() <= 4 => {
                        key.push((Some(inner), columns.len() as u32));
                        row.extend_from_slice(columns);
                    }
                    TermView::Compound(..) => {
                        key.push((None, 0));
                        row.push(arg);
                    }
                }
            }
        }
    }
    key
}

impl Kinds {
    /// The kinds of all possible facts and of the facts of some states.
    pub fn new(terms: &Terms, propositions: &[TermId], states: &[Vec<TermId>]) -> Self {
        let mut kinds = Self::default();
        let mut values: Vec<Vec<FxHashSet<TermId>>> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut row = Row::new();
        for &fact in propositions.iter().chain(states.iter().flatten()) {
            if !seen.insert(fact) {
                continue;
            }
            let key = flatten(terms, fact, &mut row);
            let functor = key.first().and_then(|k| k.0).unwrap_or_else(|| terms.symbol(""));
            let next = kinds.list.len();
            let kind = *kinds.keys.entry(key).or_insert(next);
            if kind == next {
                kinds.list.push(Kind { functor, arity: row.len(), domains: Vec::new(), possible: 0 });
                values.push(vec![FxHashSet::default(); row.len()]);
            }
            kinds.list[kind].possible += 1;
            for (column, &value) in values[kind].iter_mut().zip(&row) {
                column.insert(value);
            }
        }
        for (kind, columns) in kinds.list.iter_mut().zip(values) {
            kind.domains = columns
                .into_iter()
                .map(|column| {
                    let mut domain: Vec<TermId> = column.into_iter().collect();
                    domain.sort_unstable_by(|&a, &b| terms.compare(a, b));
                    domain
                })
                .collect();
        }
        kinds
    }

    /// All kinds.
    pub fn list(&self) -> &[Kind] {
        &self.list
    }

    /// The kind and the columns of a fact; `None` for a kind that was never met.
    pub fn row(&self, terms: &Terms, fact: TermId, row: &mut Row) -> Option<usize> {
        let key = flatten(terms, fact, row);
        self.keys.get(&key).copied()
    }
}

/// Makes of most rows of all combinations of values all of them.
pub(super) fn complete(rows: &mut Vec<Row>) {
    let width = rows.first().map_or(0, Row::len);
    let column = |at: usize| {
        let mut values: Vec<TermId> = rows.iter().filter_map(|row| row.get(at).copied()).collect();
        values.sort_unstable();
        values.dedup();
        values
    };
    let columns: Vec<Vec<TermId>> = (0..width).map(column).collect();
    let all = columns.iter().try_fold(1usize, |product, column| product.checked_mul(column.len()));
    if width < 2 || !all.is_some_and(|all| all > rows.len() && all - rows.len() <= rows.len() / 4) {
        return;
    }
    let mut product: Vec<Row> = vec![Row::new()];
    for column in &columns {
        let extended = |row: &Row| {
            let row = row.clone();
            column.iter().map(move |&value| row.iter().copied().chain([value]).collect())
        };
        product = product.iter().flat_map(extended).collect();
    }
    *rows = product;
}
