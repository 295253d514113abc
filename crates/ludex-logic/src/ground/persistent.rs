//! Given relations that stay as they were at first.
//!
//! Walls, maps and the like are often written as propositions that `next` only copies. What feeds
//! such a relation from elsewhere (`init`) is static, so the relation is, too; rules that test it are
//! evaluated away instead of being grounded for both cases.

use super::program::Kind;
use crate::evaluator::body::{FlatId, FlatRule, Literal};
use crate::evaluator::flat::FlatKey;
use crate::evaluator::front::{Front, Uses, uses};
use crate::ids::{Id, IdVec};
use crate::program::{Pattern, Program};

/// Which relations change. Adds rules for the given ones that do not, by which they hold what feeds
/// them.
///
/// With `is_faithful`, all given relations change.
pub(super) fn kinds(
    program: &Program,
    front: &Front,
    rules: &mut Vec<FlatRule>,
    is_faithful: bool,
) -> IdVec<FlatId, Kind> {
    let persistent = if is_faithful {
        vec![None; front.relations.len()].into()
    } else {
        persistent(program, front, rules)
    };
    let is_given =
        |id: FlatId| front.relations[id].key.as_ref().is_some_and(|k| program.is_given(k.relation));
    let mut kinds: IdVec<FlatId, Kind> = persistent
        .ids()
        .map(|id| if is_given(id) && persistent[id].is_none() { Kind::Changing } else { Kind::Static })
        .collect();
    for (to, sources) in persistent.entries() {
        let arity = front.relations[to].domains.len();
        rules.extend(sources.iter().flatten().map(|&from| FlatRule::copying(from, to, arity)));
    }
    let uses = uses(kinds.len(), rules);
    spread_change(&mut kinds, &uses);
    kinds
}

/// What uses a relation that is not static changes.
pub(super) fn spread_change(kinds: &mut IdVec<FlatId, Kind>, uses: &Uses) {
    let mut users: IdVec<FlatId, Vec<FlatId>> = vec![Vec::new(); kinds.len()].into();
    for (head, list) in uses.iter().enumerate() {
        list.iter().for_each(|u| users[FlatId::from_index(u.0)].push(FlatId::from_index(head)));
    }
    let mut queue: Vec<FlatId> = kinds.ids().filter(|&id| kinds[id] != Kind::Static).collect();
    while let Some(at) = queue.pop() {
        for &user in &users[at] {
            if kinds[user] == Kind::Static {
                kinds[user] = Kind::Changing;
                queue.push(user);
            }
        }
    }
}

/// Per given relation that stays as it was: what feeds it apart from its own copies.
fn persistent(program: &Program, front: &Front, rules: &[FlatRule]) -> IdVec<FlatId, Option<Vec<FlatId>>> {
    let mut by_head: IdVec<FlatId, Vec<&FlatRule>> = vec![Vec::new(); front.relations.len()].into();
    rules.iter().for_each(|r| by_head[r.head.relation].push(r));
    let mut found: IdVec<FlatId, Option<Vec<FlatId>>> = vec![None; front.relations.len()].into();
    for feed_to in &program.interface.given {
        for &to in &front.variants[feed_to.index()] {
            let Some(key) = &front.relations[to].key else { continue };
            let feeds = program.interface.feeds.iter().filter(|f| f.to == *feed_to && !f.is_bound);
            let sources: Vec<FlatId> = feeds
                .filter_map(|f| front.ids.get(&FlatKey { relation: f.from, slots: key.slots.clone() }))
                .copied()
                .collect();
            let is_copy = |from: &FlatId| {
                front.relations[*from].facts.is_empty() && by_head[*from].iter().all(|rule| copies(rule, to))
            };
            let (copies, others): (Vec<FlatId>, Vec<FlatId>) = sources.into_iter().partition(is_copy);
            let stays = others.iter().all(|&from| front.relations[from].level == 0);
            // Without a copy it is only there at first, and changes by that.
            let is_kept = copies.iter().any(|&from| !by_head[from].is_empty());
            if stays && is_kept {
                found[to] = Some(others);
            }
        }
    }
    found
}

/// Whether a rule says no more than that what holds in `from` goes on to hold.
fn copies(rule: &FlatRule, from: FlatId) -> bool {
    let [Literal::Positive(atom)] = rule.body.as_slice() else { return false };
    let mut seen = Vec::new();
    atom.relation == from
        && atom.args == rule.head.args
        && atom.args.iter().all(|arg| match arg {
            Pattern::Variable(v) => {
                seen.push(*v);
                seen.iter().filter(|s| *s == v).count() == 1
            }
            _ => false,
        })
}
