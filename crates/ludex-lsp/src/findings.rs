//! What is wrong with a rulesheet, as the protocol says it, and what to do about it.

use lsp_types::{
    CodeAction, CodeActionKind, CodeActionOrCommand, Command, Diagnostic, DiagnosticRelatedInformation,
    DiagnosticSeverity, DiagnosticTag, Location, NumberOrString, Range, TextEdit, WorkspaceEdit,
};
use ludex::gdl::{self, Fix, Notation, Severity, Span};
use serde_json::json;

use crate::commands::CommandName;
use crate::document::{Document, is_of};
use crate::library_fix::library_fix;

/// So many findings of one document are shown: an editor gains nothing from more.
const MOST: usize = 1_000;
/// Kinds of findings about something that could as well not be there.
const UNNECESSARY: [&str; 4] = ["unused-relation", "duplicate-clause", "unreachable-rule", "empty-brackets"];

/// The findings of a document, errors first where there are too many.
pub fn findings(document: &Document) -> Vec<Diagnostic> {
    let all = &document.checked().diagnostics;
    let mut chosen: Vec<&gdl::Diagnostic> = all.iter().collect();
    if chosen.len() > MOST {
        chosen.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        chosen.truncate(MOST);
        chosen.sort_by_key(|finding| (finding.span, finding.code));
    }
    chosen.into_iter().map(|finding| shown(document, finding)).collect()
}

fn shown(document: &Document, finding: &gdl::Diagnostic) -> Diagnostic {
    let message = match &finding.hint {
        Some(hint) => format!("{}\nhint: {hint}", finding.message),
        None => finding.message.clone(),
    };
    let related = finding.labels.iter().map(|label| DiagnosticRelatedInformation {
        location: Location { uri: document.uri().clone(), range: document.positions().range(label.span) },
        message: label.text.clone(),
    });
    Diagnostic {
        range: place(document, finding.span),
        severity: Some(match finding.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
            Severity::Note => DiagnosticSeverity::INFORMATION,
        }),
        code: Some(NumberOrString::String(finding.code.to_string())),
        source: Some("ludex".to_owned()),
        message,
        related_information: (!finding.labels.is_empty()).then(|| related.collect()),
        tags: is_of(finding, &UNNECESSARY).then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}

/// Where a finding is marked: an empty place is widened to a character, and of a long clause only the first line is marked, so
/// that the whole text does not turn red.
fn place(document: &Document, span: Span) -> Range {
    let mut range = document.positions().range(span);
    if range.end.line > range.start.line {
        let (_, end) = document.positions().line_bounds(range.start.line as usize);
        range.end = document.positions().position(end);
    }
    if range.start == range.end {
        let text = document.text();
        let at = (span.start as usize).min(text.len());
        let next = text.get(at..).and_then(|rest| rest.chars().next()).filter(|c| !matches!(c, '\n' | '\r'));
        match next {
            Some(c) => range.end = document.positions().position(at + c.len_utf8()),
            None => {
                let before = text.get(..at).and_then(|before| before.chars().next_back());
                let back = before.filter(|c| !matches!(c, '\n' | '\r')).map_or(0, char::len_utf8);
                range.start = document.positions().position(at - back);
            }
        }
    }
    range
}

/// What can be done about the findings in a range, and, where somebody asks for it, with the whole text.
pub fn actions(
    document: &Document,
    range: Range,
    only: Option<&[CodeActionKind]>,
    is_asked: bool,
) -> Vec<CodeActionOrCommand> {
    let wants = |kind: &CodeActionKind| {
        only.is_none_or(|only| {
            only.iter().any(|wanted| {
                kind.as_str() == wanted.as_str()
                    || kind.as_str().starts_with(&format!("{}.", wanted.as_str()))
                    || wanted.as_str().is_empty()
            })
        })
    };
    let mut actions = Vec::new();
    if wants(&CodeActionKind::QUICKFIX) {
        for finding in &document.checked().diagnostics {
            let marked = place(document, finding.span);
            if marked.start <= range.end && range.start <= marked.end && actions.len() < MOST {
                actions.extend(about(document, finding, is_asked));
            }
        }
    }
    if is_asked && wants(&CodeActionKind::REFACTOR_REWRITE) {
        actions.extend(conversion(document));
    }
    actions
}

/// What can be done about one finding: it is mended, or explained where somebody asks.
fn about(document: &Document, finding: &gdl::Diagnostic, is_asked: bool) -> Vec<CodeActionOrCommand> {
    let action = |title: &str| CodeAction {
        title: capitalised(title),
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![shown(document, finding)]),
        ..CodeAction::default()
    };
    let mut actions = Vec::new();
    if let Some(fix) = &finding.fix {
        let edit = Some(edit(document, fix));
        actions.push(CodeAction { edit, is_preferred: Some(true), ..action(&fix.title) });
    }
    if is_asked {
        if let Some(fix) = library_fix(document, finding) {
            actions.push(CodeAction { edit: Some(edit(document, &fix)), ..action(&fix.title) });
        }
        let (code, command) = (finding.code.to_string(), CommandName::Explain);
        let title = format!("{} {code}", command.title());
        let arguments = Some(vec![json!(document.uri().as_str()), json!({ "finding": code })]);
        let command = Command { title: title.clone(), command: command.as_str().to_owned(), arguments };
        actions.push(CodeAction { command: Some(command), ..action(&title) });
    }
    actions.into_iter().map(CodeActionOrCommand::CodeAction).collect()
}

/// The whole text in the other notation.
fn conversion(document: &Document) -> Option<CodeActionOrCommand> {
    let sheet = document.rulesheet();
    if sheet.items.is_empty() || !document.is_readable() {
        return None;
    }
    let (other, name) = match sheet.notation {
        Notation::Prefix => (Notation::Infix, "infix"),
        Notation::Infix => (Notation::Prefix, "prefix"),
    };
    // Operations of Epilog are written in infix only.
    if document.checked().dialect == gdl::Dialect::Epilog {
        return None;
    }
    let text = gdl::convert(sheet, other).source.text().to_owned();
    let fix =
        Fix::new(format!("write all of it in {name} notation"), Span::new(0, document.text().len()), text);
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title: capitalised(&fix.title),
        kind: Some(CodeActionKind::REFACTOR_REWRITE),
        edit: Some(edit(document, &fix)),
        ..CodeAction::default()
    }))
}

fn edit(document: &Document, fix: &Fix) -> WorkspaceEdit {
    let edit = |edit: &gdl::TextEdit| TextEdit {
        range: document.positions().range(edit.span),
        new_text: edit.text.clone(),
    };
    changes(document, fix.edits.iter().map(edit).collect())
}

/// Changes of one document.
#[expect(clippy::mutable_key_type, reason = "the protocol's type; addresses are compared by their text")]
pub fn changes(document: &Document, edits: Vec<TextEdit>) -> WorkspaceEdit {
    let changes = std::collections::HashMap::from([(document.uri().clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}
