//! Ground rules made fewer: what always or never holds is evaluated away, what nothing asked for
//! depends on is dropped.

use super::emit::Raw;
use super::{GroundError, GroundLiteral};
use crate::budget::Budget;
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

fn body(raw: &Raw, rule: usize) -> &[GroundLiteral] {
    &raw.literals[raw.start[rule] as usize..raw.start[rule + 1] as usize]
}

/// Which atoms always or never hold, as far as rules with constant bodies tell.
fn constants(raw: &Raw, budget: &Budget) -> Result<Vec<Truth>, GroundError> {
    let mut meter = budget.meter();
    let mut truth = vec![Truth::Unknown; raw.atoms.len()];
    let mut rules_left = vec![0u32; raw.atoms.len()];
    let mut occurrences = Occurrences::new(raw);
    let mut open: Vec<u32> = Vec::with_capacity(raw.heads.len());
    let mut dead = vec![false; raw.heads.len()];
    let mut queue = Vec::new();
    for (rule, head) in raw.heads.iter().enumerate() {
        rules_left[head.index()] += 1;
        open.push(body(raw, rule).len() as u32);
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
        for &(rule, negated) in occurrences.of(atom) {
            meter.spend(1)?;
            let rule = rule as usize;
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

/// Where each atom occurs: in which rules, and whether negated.
struct Occurrences {
    first: Vec<u32>,
    rules: Vec<(u32, bool)>,
}

impl Occurrences {
    fn new(raw: &Raw) -> Self {
        let mut first = vec![0u32; raw.atoms.len() + 1];
        raw.literals.iter().for_each(|l| first[l.atom().index() + 1] += 1);
        for at in 1..first.len() {
            first[at] += first[at - 1];
        }
        let mut next = first.clone();
        let mut rules = vec![(0, false); raw.literals.len()];
        for rule in 0..raw.heads.len() {
            for literal in body(raw, rule) {
                let slot = &mut next[literal.atom().index()];
                rules[*slot as usize] = (rule as u32, literal.is_negated());
                *slot += 1;
            }
        }
        Self { first, rules }
    }

    fn of(&mut self, atom: AtomId) -> &[(u32, bool)] {
        &self.rules[self.first[atom.index()] as usize..self.first[atom.index() + 1] as usize]
    }
}

/// A rule that adds nothing: its head is decided, or its body can never hold.
fn is_idle(raw: &Raw, truth: &[Truth], rule: usize) -> bool {
    truth[raw.heads[rule].index()] != Truth::Unknown
        || body(raw, rule).iter().any(|l| match truth[l.atom().index()] {
            Truth::Unknown => false,
            Truth::Always => l.is_negated(),
            Truth::Never => !l.is_negated(),
        })
}

/// Which atoms some asked atom depends on.
fn needed(raw: &Raw, truth: &[Truth], budget: &Budget) -> Result<Vec<bool>, GroundError> {
    let mut meter = budget.meter();
    let mut first = vec![0u32; raw.atoms.len() + 1];
    raw.heads.iter().for_each(|h| first[h.index() + 1] += 1);
    for at in 1..first.len() {
        first[at] += first[at - 1];
    }
    let mut next = first.clone();
    let mut by_head = vec![0u32; raw.heads.len()];
    for (rule, head) in raw.heads.iter().enumerate() {
        by_head[next[head.index()] as usize] = rule as u32;
        next[head.index()] += 1;
    }
    let mut alive: Vec<bool> = raw.is_asked.iter().zip(&raw.is_given).map(|(&a, &g)| a || g).collect();
    let mut queue: Vec<usize> = (0..alive.len()).filter(|&a| alive[a]).collect();
    while let Some(atom) = queue.pop() {
        for &rule in &by_head[first[atom] as usize..first[atom + 1] as usize] {
            let rule = rule as usize;
            if is_idle(raw, truth, rule) {
                continue;
            }
            for literal in body(raw, rule) {
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
    let (mut heads, mut origins, mut start, mut literals) = (Vec::new(), Vec::new(), vec![0u32], Vec::new());
    let mut is_stated = vec![false; raw.atoms.len()];
    for rule in 0..raw.heads.len() {
        let head = raw.heads[rule];
        if !alive[head.index()] {
            continue;
        }
        if truth[head.index()] == Truth::Always {
            if std::mem::replace(&mut is_stated[head.index()], true) {
                continue;
            }
        } else if is_idle(raw, truth, rule) {
            continue;
        } else {
            literals.extend(body(raw, rule).iter().filter(|l| truth[l.atom().index()] == Truth::Unknown));
        }
        heads.push(head);
        origins.push(raw.origins[rule]);
        start.push(literals.len() as u32);
    }
    for (asked, truth) in raw.is_asked.iter_mut().zip(truth) {
        *asked &= *truth != Truth::Never;
    }
    (raw.heads, raw.origins, raw.start, raw.literals) = (heads, origins, start, literals);
}
