//! From text to a syntax tree, in either notation.
//!
//! Parsing never fails: it yields what could be read, and one diagnostic (`L001`) for each thing that
//! could not. Neither parser recurses, so the depth of nesting is limited by memory alone.

mod foreign;
pub(crate) mod infix;
mod mixed;
mod notation;
mod outline;
pub(crate) mod prefix;

use std::sync::Arc;

pub use notation::detect_notation;
pub use outline::{Part, split};

use crate::diagnostic::{Code, Diagnostic, Severity};
use crate::source::{Source, Span};
use crate::tree::{NodeId, Notation, Rulesheet, Tree};
use notation::Survey;

/// The code of every syntax error.
pub const SYNTAX: Code = Code(1);

/// Spans count bytes in 32 bits.
const LONGEST_TEXT: usize = u32::MAX as usize - 1;

/// Reads a rulesheet; where no notation is given, it is found from the text. Only of a text that both could
/// read alike the name tells it: what is called `.kif` is prefix then.
///
/// The diagnostics are the syntax errors, in the order of the text: all of them, not only the first.
/// What they do not touch is read as usual. Where two notations are mixed, or the text is in a notation
/// that is not one of these, that is said and nothing else: all other errors would be echoes of it.
pub fn parse(source: Arc<Source>, notation: Option<Notation>) -> (Rulesheet, Vec<Diagnostic>) {
    let read = read(source, notation);
    (read.rulesheet, read.foreign.map_or(read.errors, |foreign| vec![foreign]))
}

/// A text that was read.
pub(crate) struct Read {
    pub(crate) rulesheet: Rulesheet,
    /// All or some of it is in another notation than it is read in.
    pub(crate) foreign: Option<Diagnostic>,
    /// The syntax errors, in the order of the text.
    pub(crate) errors: Vec<Diagnostic>,
}

/// As [`parse`], with the syntax errors of a text that is partly in another notation.
pub(crate) fn read(source: Arc<Source>, notation: Option<Notation>) -> Read {
    let too_long = source.text().len() > LONGEST_TEXT;
    let survey = if too_long { Survey::default() } else { Survey::of(source.text(), notation) };
    let by_name = if source.name().ends_with(".kif") { Notation::Prefix } else { Notation::Infix };
    let notation = notation.or(survey.notation()).unwrap_or(by_name);
    let mut rulesheet =
        Rulesheet { source, notation, tree: Tree::new(), items: Vec::new(), comments: Vec::new() };
    if too_long {
        let message = "the text is too long: at most 4 GiB can be read";
        let errors = vec![Diagnostic::new(SYNTAX, Severity::Error, Span::default(), message)];
        return Read { rulesheet, foreign: None, errors };
    }
    let source = rulesheet.source.clone();
    let mut errors = match notation {
        Notation::Prefix => prefix::parse(source.text(), &mut rulesheet),
        Notation::Infix => {
            let is_epilog = foreign::has_operations(source.text());
            let reading = if is_epilog { infix::Reading::Epilog } else { infix::Reading::Rulesheet };
            infix::parse(source.text(), &mut rulesheet, reading)
        }
    };
    errors.sort_by_key(|d| d.span.start);
    let other_family = foreign::find(source.text());
    let mixture = || {
        let found = survey.mixture(notation)?;
        let fix = mixed::converted(source.text(), found.span, notation);
        Some(found.fix(fix))
    };
    Read { rulesheet, foreign: other_family.or_else(mixture), errors }
}

/// Reads terms, atoms or literals, such as a user types them: separated by blanks in prefix, by
/// commas or full stops or on lines of their own in infix. Spans count from the start of `text`.
///
/// # Errors
/// The syntax errors; rules are not allowed here.
pub fn parse_terms(text: &str, notation: Option<Notation>) -> Result<(Tree, Vec<NodeId>), Vec<Diagnostic>> {
    let source = Arc::new(Source::new("", text));
    let notation = notation.unwrap_or_else(|| detect_notation(text));
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
        if item.body.is_some() || rulesheet.tree.head(item.head) == Some(("::", 2)) {
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
