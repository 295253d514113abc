//! The rules with a relation for each part that holds where the part is used.

use ludex_game::Rules;
use ludex_gdl::{Item, NodeId, Rulesheet, Span};
use ludex_logic::{Atom, Clause, ClauseId, Formula, Id, Program, ProgramBuilder, RelationId};

use rustc_hash::FxHashSet;

use super::PartKind;

/// A part with the relation that holds where it is used.
#[derive(Clone, Debug)]
pub(super) struct Part {
    pub kind: PartKind,
    pub span: Span,
    pub relation: RelationId,
}

/// The program with the relations of its parts.
pub(super) fn with_parts(rules: &Rules, with_alternatives: bool) -> (Program, Vec<Part>) {
    let game = rules.program();
    let mut builder = ProgramBuilder::from_program(game.program.clone());
    let mut parts = Vec::new();
    // In SDL there are rules that nobody wrote.
    let has_steps = rules.dialect().has_steps();
    let items = rules.rulesheet().items.iter().filter(|item| item.body.is_some());
    let written: FxHashSet<Span> = items.map(|item| item.span).collect();
    for (id, clause) in game.program.clauses.entries() {
        let Some(&span) = game.spans.get(id) else { continue };
        if clause.is_fact() || (has_steps && !written.contains(&span)) {
            continue;
        }
        parts.push(add(&mut builder, (id, clause), clause.body.clone(), PartKind::Rule, span));
        // In SDL clauses are made of several items.
        let item = rules.rulesheet().items.get(id.index()).filter(|item| item.span == span);
        let Some(item) = item.filter(|_| with_alternatives && !has_steps) else { continue };
        for (body, span) in alternatives(rules.rulesheet(), item, &clause.body) {
            parts.push(add(&mut builder, (id, clause), body, PartKind::Alternative, span));
        }
    }
    (builder.finish(), parts)
}

fn add(
    builder: &mut ProgramBuilder,
    (id, clause): (ClauseId, &Clause),
    body: Formula,
    kind: PartKind,
    span: Span,
) -> Part {
    let relation = builder.helper(id, 0);
    let head = Atom { relation, args: Box::default() };
    builder.clause(head, body, clause.variables.clone(), Some(clause.origin));
    builder.interface().asked.push(relation);
    Part { kind, span, relation }
}

/// The body of a clause by each alternative of its disjunctions, with the place of the alternative.
fn alternatives(rulesheet: &Rulesheet, item: &Item, body: &Formula) -> Vec<(Formula, Span)> {
    let nodes = item.body.as_deref().unwrap_or_default();
    match body {
        Formula::And(parts) => in_conjunction(rulesheet, nodes, parts),
        _ => Vec::new(),
    }
}

fn in_conjunction(rulesheet: &Rulesheet, nodes: &[NodeId], parts: &[Formula]) -> Vec<(Formula, Span)> {
    let mut found = Vec::new();
    for (at, (&node, part)) in nodes.iter().zip(parts).enumerate() {
        for (changed, span) in in_formula(rulesheet, node, part) {
            let mut parts = parts.to_vec();
            parts[at] = changed;
            found.push((Formula::And(parts), span));
        }
    }
    found
}

/// A formula with one alternative in the place of a disjunction that is not negated.
fn in_formula(rulesheet: &Rulesheet, node: NodeId, formula: &Formula) -> Vec<(Formula, Span)> {
    let tree = &rulesheet.tree;
    let children = tree.children(node);
    match (formula, tree.head(node)) {
        (Formula::And(parts), Some(("and", count))) if count == parts.len() => {
            in_conjunction(rulesheet, children, parts)
        }
        (Formula::Or(parts), Some(("or", count))) if count == parts.len() => {
            let mut found = Vec::new();
            for (&child, part) in children.iter().zip(parts) {
                found.push((part.clone(), tree.span(child)));
                found.extend(in_formula(rulesheet, child, part));
            }
            found
        }
        _ => Vec::new(),
    }
}
