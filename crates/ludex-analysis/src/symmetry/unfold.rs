//! Views put into the rules that use them, so that it matters less how rules are cut into pieces.

use ludex_logic::scc::components;
use ludex_logic::{LimitError, Meter};

use super::ground_rules::{AtomKind, GroundRules, Literal};

/// A conjunction of so many literals, or so many rules made of one, is worth it in any case.
const SHORT: usize = 8;
/// No rule becomes longer.
const MOST_LITERALS: usize = 256;

/// How often bodies mention an atom.
#[derive(Clone, Copy, Default)]
struct Uses {
    /// As the only literal, not negated.
    alone: usize,
    /// With others, not negated.
    joined: usize,
    negated: usize,
}

/// Replaces views that do not depend on themselves by their definitions: one that is a single conjunction
/// wherever it is not negated, and any other one where it is a rule's only condition. What all atoms mean
/// stays the same.
pub(super) fn unfold(rules: &mut GroundRules, meter: &mut Meter) -> Result<(), LimitError> {
    let first = rules.starts();
    let uses = uses(rules);
    let depends_on_itself = recursive(rules, &first);
    meter.spend((rules.kinds.len() + rules.rules.len()) as u64)?;
    let definition = |atom: u32| &rules.rules[first[atom as usize]..first[atom as usize + 1]];
    let unfolds = |atom: u32, is_alone: bool| {
        let (uses, rules_of) = (uses[atom as usize], definition(atom));
        rules.kinds[atom as usize] == AtomKind::View
            && !depends_on_itself[atom as usize]
            && match rules_of {
                [] => false,
                [(_, body)] => body.len() <= SHORT || uses.alone + uses.joined + uses.negated == 1,
                several => {
                    let is_only_use = uses.joined + uses.negated == 0 && uses.alone == 1;
                    is_alone && (several.len() * uses.alone <= SHORT || is_only_use)
                }
            }
    };
    let mut unfolded: Vec<(u32, Box<[Literal]>)> = Vec::with_capacity(rules.rules.len());
    for (head, body) in &rules.rules {
        meter.spend(1 + body.len() as u64)?;
        if let &[literal] = &**body
            && literal & 1 == 0
            && unfolds(literal >> 1, true)
        {
            let of = definition(literal >> 1);
            meter.spend(of.iter().map(|(_, body)| 1 + body.len() as u64).sum())?;
            unfolded.extend(of.iter().map(|(_, body)| (*head, body.clone())));
            continue;
        }
        let mut literals = Vec::with_capacity(body.len());
        for &literal in body {
            if literal & 1 == 0 && unfolds(literal >> 1, false) {
                definition(literal >> 1).iter().for_each(|(_, body)| literals.extend_from_slice(body));
            } else {
                literals.push(literal);
            }
        }
        meter.spend(literals.len() as u64)?;
        let is_short = literals.len() <= MOST_LITERALS.max(body.len());
        unfolded.push((*head, if is_short { literals.into() } else { body.clone() }));
    }
    rules.rules = unfolded;
    rules.tidy(meter)
}

fn uses(rules: &GroundRules) -> Vec<Uses> {
    let mut uses = vec![Uses::default(); rules.kinds.len()];
    for (_, body) in &rules.rules {
        for &literal in body {
            let of = &mut uses[(literal >> 1) as usize];
            match (literal & 1, body.len()) {
                (1, _) => of.negated += 1,
                (_, 1) => of.alone += 1,
                _ => of.joined += 1,
            }
        }
    }
    uses
}

/// Which atoms depend on themselves, directly or through others.
fn recursive(rules: &GroundRules, first: &[usize]) -> Vec<bool> {
    let below = |atom: usize| -> Vec<usize> {
        let of = rules.rules[first[atom]..first[atom + 1]].iter();
        of.flat_map(|(_, body)| body.iter().map(|literal| (literal >> 1) as usize)).collect()
    };
    let mut is_recursive = vec![false; rules.kinds.len()];
    for component in components(rules.kinds.len(), below) {
        if component.len() > 1 || below(component[0]).contains(&component[0]) {
            component.iter().for_each(|&atom| is_recursive[atom] = true);
        }
    }
    is_recursive
}
