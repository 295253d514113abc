//! Facts that are on no board, as a tidy list.

use std::collections::BTreeMap;

use ludex_logic::{TermId, TermView};

use crate::structure::Structure;

/// Lines for one functor; more is cut off with a count.
const LINES: usize = 6;

/// Facts by functor: `control: white`, `coins: o 5, x 5`, and names that stand alone last.
pub(crate) fn grouped(structure: &Structure, facts: &[TermId]) -> Vec<(String, Vec<String>)> {
    let terms = &structure.terms;
    let mut groups: BTreeMap<(usize, usize), (String, Vec<String>)> = BTreeMap::new();
    let mut order: Vec<(ludex_logic::SymbolId, usize)> = Vec::new();
    let mut alone = Vec::new();
    for &fact in facts {
        match terms.view(fact) {
            TermView::Constant(name) => alone.push(terms.name(name).to_owned()),
            TermView::Compound(functor, args) => {
                let key = (functor, args.len());
                let at = order.iter().position(|k| *k == key).unwrap_or_else(|| {
                    order.push(key);
                    order.len() - 1
                });
                let text: Vec<String> = args.iter().map(|&a| structure.text(a)).collect();
                groups
                    .entry((at, 0))
                    .or_insert_with(|| (terms.name(functor).to_owned(), Vec::new()))
                    .1
                    .push(text.join(" "));
            }
        }
    }
    let mut found: Vec<(String, Vec<String>)> = groups.into_values().collect();
    if !alone.is_empty() {
        found.push((String::new(), alone));
    }
    found
}

/// The list as lines of at most this width, where single words allow.
pub(crate) fn lines(groups: &[(String, Vec<String>)], width: usize) -> Vec<String> {
    let mut out = Vec::new();
    for (name, items) in groups {
        let mut line = if name.is_empty() { String::new() } else { format!("{name}: ") };
        let mut written = 0;
        let first = out.len();
        for (at, item) in items.iter().enumerate() {
            let text = if at + 1 < items.len() { format!("{item}, ") } else { item.clone() };
            let long = line.chars().count() + text.trim_end().chars().count() > width;
            if long && !line.trim().is_empty() {
                out.push(line.trim_end().to_owned());
                line = "  ".to_owned();
                if out.len() - first >= LINES {
                    break;
                }
            }
            line.push_str(&text);
            written += 1;
        }
        if written < items.len() {
            line = format!("  ... and {} more", items.len() - written);
        }
        out.push(line.trim_end().to_owned());
    }
    out
}
