//! Whether terms may have a common instance, where each occurrence of a variable may have any value.

use ludex_logic::{Pattern, TermView, Terms};

/// Whether two lists of terms may be the same. Each comparison of two terms takes one of those that are
/// `left`; without any, everything may be the same.
pub(crate) fn may_be_equal(terms: &Terms, a: &[Pattern], b: &[Pattern], left: &mut usize) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| may_unify(terms, a, b, left))
}

fn may_unify(terms: &Terms, a: &Pattern, b: &Pattern, left: &mut usize) -> bool {
    if *left == 0 {
        return true;
    }
    *left -= 1;
    match (a, b) {
        (Pattern::Variable(_), _) | (_, Pattern::Variable(_)) => true,
        (Pattern::Ground(a), Pattern::Ground(b)) => a == b,
        (Pattern::Compound(f, a), Pattern::Compound(g, b)) => f == g && may_be_equal(terms, a, b, left),
        (Pattern::Ground(ground), Pattern::Compound(f, args))
        | (Pattern::Compound(f, args), Pattern::Ground(ground)) => match terms.view(*ground) {
            TermView::Compound(g, values) if *f == g && values.len() == args.len() => {
                let mut pairs = args.iter().zip(values);
                pairs.all(|(arg, &value)| may_unify(terms, arg, &Pattern::Ground(value), left))
            }
            _ => false,
        },
    }
}
