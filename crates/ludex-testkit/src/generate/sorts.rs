//! Sorts: what an argument may be.

use ludex_game::Rng;

/// A sort by its place in [`Sorts`].
pub(super) type SortId = usize;

/// The values of a sort.
#[derive(Clone, Debug)]
pub(super) enum Sort {
    /// These constants; `predicate` holds of each.
    Constants { predicate: String, values: Vec<String> },
    /// `(functor first second...)`.
    Compound { functor: String, fields: Vec<SortId> },
}

/// All sorts; compounds only of sorts before them.
#[derive(Clone, Debug, Default)]
pub(super) struct Sorts(pub(super) Vec<Sort>);

impl Sorts {
    /// A random ground term.
    pub(super) fn value(&self, sort: SortId, rng: &mut Rng) -> String {
        match &self.0[sort] {
            Sort::Constants { values, .. } => rng.pick(values).cloned().unwrap_or_default(),
            Sort::Compound { functor, fields } => {
                let fields: Vec<_> = fields.iter().map(|&f| self.value(f, rng)).collect();
                format!("({functor} {})", fields.join(" "))
            }
        }
    }

    /// Literals that hold exactly of the terms of the sort, with `term` being a variable; compounds
    /// cannot be tested so and are taken apart by the caller instead.
    pub(super) fn guard(&self, sort: SortId, term: &str) -> Option<String> {
        match &self.0[sort] {
            Sort::Constants { predicate, .. } => Some(format!("({predicate} {term})")),
            Sort::Compound { .. } => None,
        }
    }
}

/// `(name args)`, or `name` without arguments.
pub(super) fn apply(name: &str, args: &[String]) -> String {
    if args.is_empty() { name.to_owned() } else { format!("({name} {})", args.join(" ")) }
}
