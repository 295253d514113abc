//! The order of a column's values: from numbers, or from a successor relation of the rules.

use ludex_gdl::GameProgram;
use ludex_logic::{Id, Pattern, TermId, TermView, Terms};
use rustc_hash::{FxHashMap, FxHashSet};

use super::kinds::Row;

/// Why values are thought to be ordered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Evidence {
    /// Their names look like a sequence, such as `a`, `b`, `c` or `c1`, `c2`.
    Names,
    /// They are numbers without gaps, or one binary relation of the rules leads from each to the next.
    Rules,
}

/// The binary relations of a rulesheet that are given by facts.
pub(crate) struct Successors {
    relations: Vec<Chain>,
}

/// A relation that leads from each value to at most one, and to each from at most one.
struct Chain {
    next: FxHashMap<TermId, TermId>,
    previous: FxHashMap<TermId, TermId>,
}

impl Successors {
    /// The relations of a game.
    pub fn of(game: &GameProgram) -> Self {
        let program = &game.program;
        let mut facts: Vec<Option<Chain>> = program
            .relations
            .iter()
            .map(|r| {
                (r.arity == 2).then(|| Chain { next: FxHashMap::default(), previous: FxHashMap::default() })
            })
            .collect();
        for clause in program.clauses.iter().filter(|c| c.is_fact()) {
            let place = &mut facts[clause.head.relation.index()];
            let Some(chain) = place else { continue };
            match &*clause.head.args {
                [Pattern::Ground(a), Pattern::Ground(b)] => {
                    let one_to_one = chain.next.insert(*a, *b).is_none_or(|old| old == *b)
                        && chain.previous.insert(*b, *a).is_none_or(|old| old == *a);
                    if !one_to_one {
                        *place = None;
                    }
                }
                _ => *place = None,
            }
        }
        Self { relations: facts.into_iter().flatten().filter(|c| !c.next.is_empty()).collect() }
    }

    /// The pairs of cells that each relation links, for those that link some.
    pub fn links(&self, cells: &FxHashMap<Row, usize>) -> Vec<Vec<(usize, usize)>> {
        let cell = |t: TermId| cells.get(&[t][..]).copied();
        let mut found: Vec<Vec<(usize, usize)>> = Vec::new();
        for chain in &self.relations {
            let mut pairs: Vec<(usize, usize)> =
                chain.next.iter().filter_map(|(&a, &b)| Some((cell(a)?, cell(b)?))).collect();
            pairs.sort_unstable();
            if pairs.len() > 3 && !found.contains(&pairs) {
                found.push(pairs);
            }
        }
        found
    }

    /// The values in order, if there is one.
    pub fn order(&self, terms: &Terms, domain: &[TermId]) -> Option<(Vec<TermId>, Evidence)> {
        let numbers: Vec<u64> = domain.iter().map_while(|&t| terms.integer(t)).collect();
        if numbers.len() == domain.len() {
            let span = numbers
                .last()
                .zip(numbers.first())
                .map_or(0, |(l, f)| l.saturating_sub(*f).saturating_add(1));
            return (span <= domain.len() as u64 * 5 / 4).then(|| (domain.to_vec(), Evidence::Rules));
        }
        let mut chains = self.relations.iter().filter_map(|chain| chain.order(domain)).collect::<Vec<_>>();
        // Of a successor and a predecessor relation, the one that goes with the names.
        chains.sort_by_key(|values| values.windows(2).filter(|w| terms.compare(w[0], w[1]).is_gt()).count());
        if let Some(values) = chains.into_iter().next() {
            return Some((values, Evidence::Rules));
        }
        by_names(terms, domain).map(|values| (values, Evidence::Names))
    }
}

impl Chain {
    /// The domain in the order of the chain, if one run of it passes through all of the domain.
    fn order(&self, domain: &[TermId]) -> Option<Vec<TermId>> {
        let wanted: FxHashSet<TermId> = domain.iter().copied().collect();
        let first = *domain.first()?;
        let mut start = first;
        let mut steps = 0;
        while let Some(&before) = self.previous.get(&start) {
            if before == first || steps > self.next.len() {
                // A ring, as on a torus: begin at the value that comes first by name.
                start = first;
                break;
            }
            start = before;
            steps += 1;
        }
        let mut values = Vec::with_capacity(domain.len());
        let mut at = Some(start);
        let mut walked = 0;
        while let Some(value) = at {
            if wanted.contains(&value) {
                values.push(value);
            }
            walked += 1;
            at = self.next.get(&value).copied().filter(|&v| v != start && walked <= self.next.len());
        }
        (values.len() == domain.len() && walked <= 2 * domain.len() + 40).then_some(values)
    }
}

/// Single letters without large gaps, or names that differ in a number at the end only.
fn by_names(terms: &Terms, domain: &[TermId]) -> Option<Vec<TermId>> {
    let mut keyed: Vec<(u64, TermId)> = Vec::new();
    let mut stem: Option<&str> = None;
    for &term in domain {
        let TermView::Constant(symbol) = terms.view(term) else { return None };
        let name = terms.name(symbol);
        let head = name.trim_end_matches(|c: char| c.is_ascii_digit());
        let (head, number) = match name[head.len()..].parse::<u64>() {
            Ok(number) => (head, number),
            Err(_) if name.len() == 1 => ("", u64::from(name.as_bytes()[0])),
            Err(_) => return None,
        };
        if stem.is_some_and(|s| s != head) {
            return None;
        }
        stem = Some(head);
        keyed.push((number, term));
    }
    keyed.sort_unstable_by_key(|k| k.0);
    let span = keyed.last()?.0.saturating_sub(keyed.first()?.0).saturating_add(1);
    (span <= keyed.len() as u64 * 5 / 4).then(|| keyed.into_iter().map(|k| k.1).collect())
}
