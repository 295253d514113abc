//! What is wrong with a rulesheet, where, and what to do about it.

use std::fmt;

use crate::source::Span;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Severity {
    /// Worth knowing.
    Note,
    /// Probably a mistake; the meaning is clear.
    Warning,
    /// The rulesheet has no meaning, or no finite one.
    Error,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Note => "note",
            Severity::Warning => "warning",
            Severity::Error => "error",
        })
    }
}

/// The stable code of a kind of diagnostic, such as `L001`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Code(pub u16);

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "L{:03}", self.0)
    }
}

/// A second place that matters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Where.
    pub span: Span,
    /// What is there.
    pub text: String,
}

/// One finding about a rulesheet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind.
    pub code: Code,
    /// How bad.
    pub severity: Severity,
    /// What is wrong: one sentence, lower case, no full stop.
    pub message: String,
    /// Where.
    pub span: Span,
    /// Other places that matter.
    pub labels: Vec<Label>,
    /// What to do.
    pub hint: Option<String>,
}

impl Diagnostic {
    /// A diagnostic without labels and hint.
    pub fn new(code: Code, severity: Severity, span: Span, message: impl Into<String>) -> Self {
        Self { code, severity, message: message.into(), span, labels: Vec::new(), hint: None }
    }

    /// Adds a second place.
    #[must_use]
    pub fn label(mut self, span: Span, text: impl Into<String>) -> Self {
        self.labels.push(Label { span, text: text.into() });
        self
    }

    /// Says what to do.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}
