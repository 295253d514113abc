//! Diagnostics drawn with the source line underlined.

use std::ops::Range;

use codespan_reporting::diagnostic as drawn;
use codespan_reporting::files::{Error, Files};
use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};
use codespan_reporting::term::{Config, Styles, StylesWriter, emit_to_write_style};
use ludex::gdl::{Diagnostic, Severity, Source, Span, report};

/// A rulesheet as the drawing library wants it; lines end in all three ways.
struct OneFile<'a>(&'a Source);

impl<'a> Files<'a> for OneFile<'_> {
    type FileId = ();
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.0.name())
    }

    fn source(&'a self, (): ()) -> Result<&'a str, Error> {
        Ok(self.0.text())
    }

    fn line_index(&'a self, (): (), byte_index: usize) -> Result<usize, Error> {
        Ok(self.0.position(byte_index).line - 1)
    }

    fn line_range(&'a self, (): (), line: usize) -> Result<Range<usize>, Error> {
        let range = self
            .0
            .line_range(line)
            .ok_or(Error::LineTooLarge { given: line, max: self.0.line_count().saturating_sub(1) })?;
        let next = self.0.line_range(line + 1).map_or(self.0.text().len(), |next| next.start);
        Ok(range.start..next)
    }
}

/// Lines longer than this are drawn by the plain report, which cuts them.
const LONGEST_LINE: usize = 400;
/// So many diagnostics of one file are drawn.
const MOST: usize = 100;

/// The diagnostics as people read them, the first hundred of them.
pub fn draw(source: &Source, diagnostics: &[Diagnostic], color: bool) -> String {
    let mut out = Vec::new();
    let files = OneFile(source);
    for diagnostic in diagnostics.iter().take(MOST) {
        let drawn = fits(source, diagnostic)
            && if color {
                emit(&mut Ansi::new(&mut out), &files, diagnostic)
            } else {
                emit(&mut NoColor::new(&mut out), &files, diagnostic)
            };
        if !drawn {
            out.extend(report::plain(source, std::slice::from_ref(diagnostic)).into_bytes());
            out.push(b'\n');
        }
    }
    if diagnostics.len() > MOST {
        out.extend(format!("... and {} more\n", diagnostics.len() - MOST).into_bytes());
    }
    String::from_utf8_lossy(&out).into_owned()
}

/// Whether every line that would be drawn has a length that people can read.
fn fits(source: &Source, diagnostic: &Diagnostic) -> bool {
    let short = |span: Span| {
        let line = |offset: u32| source.position(offset as usize).line - 1;
        (line(span.start)..=line(span.end))
            .take(50)
            .all(|l| source.line_range(l).is_none_or(|range| range.len() <= LONGEST_LINE))
    };
    short(diagnostic.span) && diagnostic.labels.iter().all(|l| short(l.span))
}

fn emit(out: &mut impl WriteColor, files: &OneFile<'_>, diagnostic: &Diagnostic) -> bool {
    let severity = match diagnostic.severity {
        Severity::Error => drawn::Severity::Error,
        Severity::Warning => drawn::Severity::Warning,
        Severity::Note => drawn::Severity::Note,
    };
    let mut labels = vec![drawn::Label::primary((), first_line(files.0, diagnostic.span))];
    labels.extend(
        diagnostic
            .labels
            .iter()
            .map(|l| drawn::Label::secondary((), first_line(files.0, l.span)).with_message(&l.text)),
    );
    let mut shown = drawn::Diagnostic::new(severity)
        .with_code(diagnostic.code.to_string())
        .with_message(&diagnostic.message)
        .with_labels(labels);
    if let Some(hint) = &diagnostic.hint {
        shown = shown.with_notes(vec![format!("hint: {hint}")]);
    }
    let styles = Styles::default();
    let mut writer = StylesWriter::new(out, &styles);
    emit_to_write_style(&mut writer, &Config::default(), files, &shown).is_ok()
}

/// The part of a span on its first line: underlining a rule of ten lines helps nobody.
fn first_line(source: &Source, span: Span) -> Range<usize> {
    let length = source.text().len();
    let (start, end) = ((span.start as usize).min(length), (span.end as usize).min(length));
    let line = source.position(start).line - 1;
    let line_end = source.line_range(line).map_or(end, |range| range.end);
    start..end.min(line_end.max(start)).max(start)
}

/// Errors, warnings and notes, counted.
pub fn counts(diagnostics: &[Diagnostic]) -> [usize; 3] {
    let count = |severity| diagnostics.iter().filter(|d| d.severity == severity).count();
    [count(Severity::Error), count(Severity::Warning), count(Severity::Note)]
}
