//! Which clauses two rulesheets share, and which not.

use std::collections::BTreeMap;

use ludex_gdl::{Item, Rulesheet};
use rustc_hash::FxHashMap;

use super::NameMap;
use super::canonical::{canonical, outlines};

/// How the clauses of two rulesheets differ, by their numbers from 0.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ClauseChanges {
    /// Clauses of the first one that are not in the second one, nor anything much like them.
    pub removed: Vec<usize>,
    /// Clauses of the second one that are not in the first one.
    pub added: Vec<usize>,
    /// Clauses of the first one with what became of them in the second one: rules with the same head, most of whose
    /// literals are the same.
    pub changed: Vec<(usize, usize)>,
    /// How many clauses of the first one are in the second one.
    pub kept: usize,
}

impl ClauseChanges {
    /// Whether each clause of one rulesheet is in the other one: then both say the same.
    pub fn is_empty(&self) -> bool {
        self.removed.is_empty() && self.added.is_empty() && self.changed.is_empty()
    }
}

/// So many pairs of clauses under one head are compared to find what became of which.
const MOST_PAIRS: usize = 250_000;

/// Compares the clauses of two rulesheets, whatever their order, layout, notation, comments and variables, and the
/// order of literals. What could not be read is compared by its place. A clause that is written twice counts once.
///
/// ```
/// use std::sync::Arc;
/// use ludex_analysis::difference::{NameMap, clause_changes};
/// use ludex_gdl::{Source, parse};
///
/// let read = |name, text| parse(Arc::new(Source::new(name, text)), None).0;
/// let first = read("a.kif", "(q b) (<= (p ?x ?y) (q ?x) (r ?y ?x)) (<= (s ?x) (q ?x))");
/// let second = read("a.gdl", "p(A,B) :- r(B,A) & q(A)\ns(X) :- q(X) & ~t(X)\nq(b)");
/// let found = clause_changes(&first, &second, &NameMap::new());
/// assert_eq!((found.kept, found.changed), (2, vec![(2, 1)]));
/// ```
pub fn clause_changes(first: &Rulesheet, second: &Rulesheet, names: &NameMap) -> ClauseChanges {
    let none = NameMap::new();
    let texts = |sheet: &Rulesheet, names: &NameMap| -> Vec<String> {
        sheet.items.iter().map(|item| canonical(sheet, item, names)).collect()
    };
    let (here, there) = (texts(first, names), texts(second, &none));
    let missing = |texts: &[String], others: &[String]| -> Vec<usize> {
        let known: FxHashMap<&str, ()> = others.iter().map(|text| (text.as_str(), ())).collect();
        (0..texts.len()).filter(|&at| !known.contains_key(texts[at].as_str())).collect()
    };
    let mut changes = ClauseChanges {
        removed: missing(&here, &there),
        added: missing(&there, &here),
        ..ClauseChanges::default()
    };
    changes.kept = here.len() - changes.removed.len();
    changes.changed = pairs(first, second, names, &changes);
    for &(old, new) in &changes.changed {
        changes.removed.retain(|&at| at != old);
        changes.added.retain(|&at| at != new);
    }
    changes
}

/// What a clause is about: its relation, and that of which a keyword speaks.
fn about(sheet: &Rulesheet, item: &Item, names: &NameMap) -> Option<String> {
    let other = |name: &str| names.get(name).cloned().unwrap_or_else(|| name.to_owned());
    let (name, arity) = sheet.tree.head(item.head)?;
    let inner = match (name, sheet.tree.children(item.head)) {
        ("init" | "next" | "base", &[fact]) => sheet.tree.head(fact),
        ("legal" | "input" | "sees", &[_, action]) => sheet.tree.head(action),
        _ => None,
    };
    let inner = inner.map(|(name, arity)| format!(" {}/{arity}", other(name)));
    Some(format!("{}/{arity}{}", other(name), inner.unwrap_or_default()))
}

/// Clauses that are gone with those that have come in their places: those most alike first.
fn pairs(
    first: &Rulesheet,
    second: &Rulesheet,
    names: &NameMap,
    changes: &ClauseChanges,
) -> Vec<(usize, usize)> {
    let none = NameMap::new();
    let mut groups: BTreeMap<String, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
    for &at in &changes.removed {
        if let Some(about) = about(first, &first.items[at], names) {
            groups.entry(about).or_default().0.push(at);
        }
    }
    for &at in &changes.added {
        if let Some(about) = about(second, &second.items[at], &none) {
            groups.entry(about).or_default().1.push(at);
        }
    }
    let mut found = Vec::new();
    for (old, new) in groups.into_values() {
        if old.len().saturating_mul(new.len()) > MOST_PAIRS {
            continue;
        }
        let outline =
            |sheet: &Rulesheet, at: usize, names: &NameMap| outlines(sheet, &sheet.items[at], names);
        let here: Vec<Vec<u64>> = old.iter().map(|&at| outline(first, at, names)).collect();
        let there: Vec<Vec<u64>> = new.iter().map(|&at| outline(second, at, &none)).collect();
        let mut likely = Vec::new();
        for (i, one) in here.iter().enumerate() {
            for (j, other) in there.iter().enumerate() {
                let alike = shared(one, other);
                // More than half of the longer one.
                if 2 * alike >= one.len().max(other.len()) && alike > 0 {
                    likely.push((usize::MAX - alike, old[i], new[j]));
                }
            }
        }
        likely.sort_unstable();
        let (mut taken_old, mut taken_new) = (Vec::new(), Vec::new());
        for (_, i, j) in likely {
            if !taken_old.contains(&i) && !taken_new.contains(&j) {
                taken_old.push(i);
                taken_new.push(j);
                found.push((i, j));
            }
        }
    }
    found.sort_unstable();
    found
}

/// How many literals two clauses share, variables aside.
fn shared(one: &[u64], other: &[u64]) -> usize {
    let mut left = other.to_vec();
    let mut count = 0;
    for literal in one {
        if let Some(at) = left.iter().position(|found| found == literal) {
            left.swap_remove(at);
            count += 1;
        }
    }
    count
}
