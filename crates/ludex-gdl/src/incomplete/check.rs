//! What can be wrong with single sentences.

use crate::check::keyword::arity_of_keyword;
use crate::check::registry::{KEYWORD_ARITY, MISSING_KEYWORD};
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::Dialect;
use crate::source::Span;
use crate::tree::{NodeId, Rulesheet, Tree};

/// Keywords with the wrong number of arguments; no role.
pub(super) fn check(rulesheet: &Rulesheet, dialect: Dialect) -> Vec<Diagnostic> {
    let tree = &rulesheet.tree;
    let mut found = Vec::new();
    for item in &rulesheet.items {
        let whole = [item.head].into_iter().chain(item.body.iter().flatten().copied());
        whole.for_each(|node| atoms(tree, node, &mut |atom| found.extend(arity(tree, atom, dialect))));
    }
    let is_role = |node: NodeId| tree.head(node) == Some(("role", 1));
    if !rulesheet.items.iter().any(|item| item.body.is_none() && is_role(item.head)) {
        let example = rulesheet.notation.sentence("role", &["white"]);
        let message = "no sentence says who plays: `role` is missing";
        let hint = format!("add a fact such as `{example}`");
        found.push(MISSING_KEYWORD.at(Span::new(0, 0), message).hint(hint));
    }
    found
}

fn arity(tree: &Tree, atom: NodeId, dialect: Dialect) -> Option<Diagnostic> {
    let (name, given) = tree.head(atom)?;
    let wanted = arity_of_keyword(name, dialect).filter(|&wanted| wanted != given)?;
    let arguments = |count| match count {
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    };
    let message = format!("`{name}` takes {}, not {given}", arguments(wanted));
    let mut diagnostic = KEYWORD_ARITY.at(tree.span(atom), message);
    // The specification of 2006 does not know these two; as other relations they are harmless.
    if matches!(name, "base" | "input") {
        diagnostic.severity = Severity::Warning;
        diagnostic = diagnostic.hint("with this many arguments it is an ordinary relation");
    }
    Some(diagnostic)
}

/// Calls `visit` for each atom of a sentence.
fn atoms(tree: &Tree, sentence: NodeId, visit: &mut impl FnMut(NodeId)) {
    let mut open = vec![sentence];
    while let Some(node) = open.pop() {
        match tree.head(node) {
            Some(("and" | "or" | "not" | "=>" | "<=>", 1..)) => open.extend(tree.children(node).iter().rev()),
            Some(("A:" | "E:", 2)) => open.push(tree.children(node)[1]),
            Some(("=" | "distinct", 2)) | None => {}
            Some(_) => visit(node),
        }
    }
}
