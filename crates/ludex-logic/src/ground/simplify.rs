//! Ground rules made fewer: what always or never holds is evaluated away, what nothing asked for
//! depends on is dropped.

use super::emit::Raw;
use super::{GroundError, GroundLiteral};
use crate::budget::Budget;
use crate::csr::Csr;
use crate::ids::{AtomId, Id};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Truth {
    Unknown,
    Always,
    Never,
}

/// Simplifies in place.
pub(super) fn simplify(raw: &mut Raw, budget: &Budget) -> Result<(), GroundError> {
    budget.report("simplifying", 0, None);
    let truth = constants(raw, budget)?;
    let alive = needed(raw, &truth, budget)?;
    rebuild(raw, &truth, &alive);
    Ok(())
}

/// Which atoms always or never hold, as far as rules with constant bodies tell.
fn constants(raw: &Raw, budget: &Budget) -> Result<Vec<Truth>, GroundError> {
    let mut meter = budget.meter();
    let mut truth = vec![Truth::Unknown; raw.atoms.len()];
    let mut rules_left = vec![0u32; raw.atoms.len()];
    // In which rules each atom occurs, and whether negated.
    let occurrences = Csr::from_pairs(raw.atoms.len(), || {
        let bodies = raw.bodies.iter().enumerate();
        bodies.flat_map(|(rule, body)| body.iter().map(move |l| (l.atom().index(), (rule, l.is_negated()))))
    });
    let mut open: Vec<u32> = Vec::with_capacity(raw.heads.len());
    let mut dead = vec![false; raw.heads.len()];
    let mut queue = Vec::new();
    for (rule, head) in raw.heads.iter().enumerate() {
        rules_left[head.index()] += 1;
        open.push(raw.bodies[rule].len() as u32);
    }
    let settle = |atom: AtomId, value: Truth, truth: &mut Vec<Truth>, queue: &mut Vec<AtomId>| {
        if truth[atom.index()] == Truth::Unknown {
            truth[atom.index()] = value;
            queue.push(atom);
        }
    };
    for (rule, &count) in open.iter().enumerate() {
        if count == 0 {
            settle(raw.heads[rule], Truth::Always, &mut truth, &mut queue);
        }
    }
    for (atom, (&left, &is_given)) in rules_left.iter().zip(&raw.is_given).enumerate() {
        if left == 0 && !is_given {
            settle(AtomId::from_index(atom), Truth::Never, &mut truth, &mut queue);
        }
    }
    while let Some(atom) = queue.pop() {
        let holds = truth[atom.index()] == Truth::Always;
        for &(rule, negated) in &occurrences[atom.index()] {
            meter.spend(1)?;
            let head = raw.heads[rule];
            if dead[rule] {
                continue;
            }
            if holds != negated {
                open[rule] -= 1;
                if open[rule] == 0 {
                    settle(head, Truth::Always, &mut truth, &mut queue);
                }
            } else {
                dead[rule] = true;
                rules_left[head.index()] -= 1;
                if rules_left[head.index()] == 0 {
                    settle(head, Truth::Never, &mut truth, &mut queue);
                }
            }
        }
    }
    Ok(truth)
}

/// A rule that adds nothing: its head is decided, or its body can never hold.
fn is_idle(raw: &Raw, truth: &[Truth], rule: usize) -> bool {
    truth[raw.heads[rule].index()] != Truth::Unknown
        || raw.bodies[rule].iter().any(|l| match truth[l.atom().index()] {
            Truth::Unknown => false,
            Truth::Always => l.is_negated(),
            Truth::Never => !l.is_negated(),
        })
}

/// Which atoms some asked atom depends on.
fn needed(raw: &Raw, truth: &[Truth], budget: &Budget) -> Result<Vec<bool>, GroundError> {
    let mut meter = budget.meter();
    let by_head = Csr::from_pairs(raw.atoms.len(), || {
        raw.heads.iter().enumerate().map(|(rule, head)| (head.index(), rule))
    });
    let mut alive: Vec<bool> = raw.is_asked.iter().zip(&raw.is_given).map(|(&a, &g)| a || g).collect();
    let mut queue: Vec<usize> = (0..alive.len()).filter(|&a| alive[a]).collect();
    while let Some(atom) = queue.pop() {
        for &rule in &by_head[atom] {
            if is_idle(raw, truth, rule) {
                continue;
            }
            for literal in &raw.bodies[rule] {
                meter.spend(1)?;
                let below = literal.atom().index();
                if truth[below] == Truth::Unknown && !std::mem::replace(&mut alive[below], true) {
                    queue.push(below);
                }
            }
        }
    }
    Ok(alive)
}

/// Keeps the rules of needed atoms, without literals that always hold; an atom that always holds
/// keeps one rule without a body.
fn rebuild(raw: &mut Raw, truth: &[Truth], alive: &[bool]) {
    let (mut heads, mut origins, mut bodies) = (Vec::new(), Vec::new(), Csr::new());
    let mut is_stated = vec![false; raw.atoms.len()];
    for rule in 0..raw.heads.len() {
        let head = raw.heads[rule];
        if !alive[head.index()] {
            continue;
        }
        let is_idle = match truth[head.index()] {
            Truth::Always => std::mem::replace(&mut is_stated[head.index()], true),
            _ => is_idle(raw, truth, rule),
        };
        if is_idle {
            continue;
        }
        let is_open = |l: &&GroundLiteral| {
            truth[head.index()] != Truth::Always && truth[l.atom().index()] == Truth::Unknown
        };
        heads.push(head);
        origins.push(raw.origins[rule]);
        bodies.push_list(raw.bodies[rule].iter().filter(is_open).copied());
    }
    for (asked, truth) in raw.is_asked.iter_mut().zip(truth) {
        *asked &= *truth != Truth::Never;
    }
    (raw.heads, raw.origins, raw.bodies) = (heads, origins, bodies);
}
