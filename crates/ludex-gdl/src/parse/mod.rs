//! From text to a syntax tree, in either notation.
//!
//! Parsing never fails: it yields what could be read, and one diagnostic (`L001`) for each thing that
//! could not. Neither parser recurses, so the depth of nesting is limited by memory alone.

pub(crate) mod infix;
mod notation;
mod outline;
pub(crate) mod prefix;

use std::sync::Arc;

pub use notation::detect_notation;
pub use outline::{Part, split};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::{Source, Span};
use crate::tree::{NodeId, Notation, Rulesheet, Tree};

/// The code of every syntax error.
pub const SYNTAX: Code = Code(1);

/// Spans count bytes in 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize - 1;

/// Reads a rulesheet; where no notation is given, it is found from the text.
///
/// The diagnostics are the syntax errors, in the order of the text: all of them, not only the first.
/// What they do not touch is read as usual.
pub fn parse(source: Arc<Source>, notation: Option<Notation>) -> (Rulesheet, Vec<Diagnostic>) {
    let notation = notation.unwrap_or_else(|| detect_notation(source.name(), source.text()));
    let mut rulesheet =
        Rulesheet { source, notation, tree: Tree::new(), items: Vec::new(), comments: Vec::new() };
    if rulesheet.source.text().len() > LONGEST_TEXT {
        let message = "the text is too long: at most 4 GiB can be read";
        return (rulesheet, vec![Diagnostic::new(SYNTAX, Severity::Error, Span::default(), message)]);
    }
    let source = rulesheet.source.clone();
    let mut diagnostics = match notation {
        Notation::Prefix => prefix::parse(source.text(), &mut rulesheet),
        Notation::Infix => infix::parse(source.text(), &mut rulesheet, infix::Reading::Rulesheet),
    };
    diagnostics.sort_by_key(|d| d.span.start);
    (rulesheet, diagnostics)
}

/// Reads terms, atoms or literals, such as a user types them: separated by blanks in prefix, by
/// commas or full stops or on lines of their own in infix. Spans count from the start of `text`.
///
/// # Errors
/// The syntax errors; rules are not allowed here.
pub fn parse_terms(text: &str, notation: Option<Notation>) -> Result<(Tree, Vec<NodeId>), Vec<Diagnostic>> {
    let source = Arc::new(Source::new("", text));
    let notation = notation.unwrap_or_else(|| detect_notation("", text));
    let mut rulesheet = Rulesheet {
        source: source.clone(),
        notation,
        tree: Tree::new(),
        items: Vec::new(),
        comments: Vec::new(),
    };
    if text.len() > LONGEST_TEXT {
        return Err(vec![syntax_error(Span::default(), "the text is too long")]);
    }
    let mut diagnostics = match notation {
        Notation::Prefix => prefix::parse(text, &mut rulesheet),
        Notation::Infix => infix::parse(text, &mut rulesheet, infix::Reading::Terms),
    };
    for item in &rulesheet.items {
        if item.body.is_some() {
            diagnostics.push(syntax_error(item.span, "a rule cannot stand here, only a term"));
        }
    }
    if diagnostics.is_empty() {
        let nodes = rulesheet.items.iter().map(|item| item.head).collect();
        Ok((rulesheet.tree, nodes))
    } else {
        diagnostics.sort_by_key(|d| d.span.start);
        Err(diagnostics)
    }
}

/// Reads exactly one term, atom or literal, see [`parse_terms`].
///
/// # Errors
/// The syntax errors; also for no term, or for more than one.
pub fn parse_term(text: &str, notation: Option<Notation>) -> Result<(Tree, NodeId), Vec<Diagnostic>> {
    let (tree, nodes) = parse_terms(text, notation)?;
    match nodes[..] {
        [node] => Ok((tree, node)),
        [] => Err(vec![syntax_error(Span::new(0, text.len()), "a term is missing here")]),
        [_, second, ..] => {
            Err(vec![syntax_error(tree.span(second), "one term was expected, here starts another")])
        }
    }
}

fn syntax_error(span: Span, message: impl Into<String>) -> Diagnostic {
    Diagnostic::new(SYNTAX, Severity::Error, span, message)
}
