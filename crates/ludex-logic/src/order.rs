//! The canonical order of ground terms, the same on every engine.

use std::cmp::Ordering;

use crate::ids::{SymbolId, TermId};
use crate::terms::{TermView, Terms};

impl Terms {
    /// The canonical order: numbers by value, then other constants by name, then functional terms
    /// by functor, number of arguments and arguments from left to right.
    ///
    /// Legal moves come in this order from every engine, so that one seed gives one playout.
    pub fn compare(&self, left: TermId, right: TermId) -> Ordering {
        let mut pairs = vec![(left, right)];
        while let Some((a, b)) = pairs.pop() {
            if a == b {
                continue;
            }
            match self.compare_heads(a, b) {
                Ordering::Equal => {}
                unequal => return unequal,
            }
            if let (TermView::Compound(_, x), TermView::Compound(_, y)) = (self.view(a), self.view(b)) {
                pairs.extend(x.iter().copied().zip(y.iter().copied()).rev());
            }
        }
        Ordering::Equal
    }

    /// The canonical order of lists of terms: by the first terms that differ, then by length.
    pub fn compare_lists(&self, left: &[TermId], right: &[TermId]) -> Ordering {
        let pairs = left.iter().zip(right).map(|(&x, &y)| self.compare(x, y));
        pairs.chain([left.len().cmp(&right.len())]).find(|order| order.is_ne()).unwrap_or(Ordering::Equal)
    }

    fn compare_heads(&self, a: TermId, b: TermId) -> Ordering {
        match (self.view(a), self.view(b)) {
            (TermView::Constant(x), TermView::Constant(y)) => self.compare_symbols(x, y),
            (TermView::Constant(_), TermView::Compound(..)) => Ordering::Less,
            (TermView::Compound(..), TermView::Constant(_)) => Ordering::Greater,
            (TermView::Compound(f, x), TermView::Compound(g, y)) => {
                self.compare_symbols(f, g).then(x.len().cmp(&y.len()))
            }
        }
    }

    /// Numbers by value before other names in byte order.
    pub fn compare_symbols(&self, a: SymbolId, b: SymbolId) -> Ordering {
        match (self.number(a), self.number(b)) {
            (Some(x), Some(y)) => x.cmp(&y),
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (None, None) => self.name(a).cmp(self.name(b)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_then_names_then_functional_terms() {
        let terms = Terms::new();
        let (f, g) = (terms.symbol("f"), terms.symbol("g"));
        let [two, ten, a, b] = ["2", "10", "a", "b"].map(|n| terms.constant(n));
        let ordered = [
            two,
            ten,
            a,
            b,
            terms.compound(f, &[b]),
            terms.compound(f, &[two, b]),
            terms.compound(f, &[ten, a]),
            terms.compound(g, &[two, a]),
        ];
        for (i, &x) in ordered.iter().enumerate() {
            for (j, &y) in ordered.iter().enumerate() {
                assert_eq!(terms.compare(x, y), i.cmp(&j), "{} {}", terms.prefix(x), terms.prefix(y));
            }
        }
    }
}
