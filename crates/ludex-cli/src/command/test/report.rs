//! What became of cases, for people and for programs.

use std::io::Write;

use ludex::analysis::cases::{CaseFile, CaseReport, Outcome, Verdict};
use ludex::gdl::Source;
use serde_json::{Value, json};

use crate::console::{Console, NO_BREAK_SPACE, wrapped};
use crate::diagnostics::draw;
use crate::failure::Failure;
use crate::query_text::shortened;

/// Writes what became of each case, and how many are as expected.
pub fn text(
    cases: &CaseFile,
    tested: &[Option<CaseReport>],
    is_filtered: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let (mut good, mut bad) = (0, 0);
    for (case, report) in cases.cases.iter().zip(tested) {
        let Some(report) = report else { continue };
        if report.passed() {
            good += 1;
            writeln!(console, "{}      {}", console.styled("32", "ok"), case.name)?;
        } else {
            bad += 1;
            writeln!(console, "{}  {}", console.styled("1;31", "FAILED"), case.name)?;
        }
        for outcome in &report.outcomes {
            write_outcome(&cases.source, outcome, console)?;
        }
    }
    let others = cases.cases.len() - good - bad;
    let mut parts = vec![format!("{good} ok")];
    if bad > 0 {
        parts.push(format!("{bad} failed"));
    }
    if is_filtered {
        parts.push(format!("{others} left out"));
    }
    let style = if bad > 0 { "1;31" } else { "1;32" };
    let line = console.styled(style, &parts.join(", "));
    let count = cases.cases.len();
    writeln!(console, "{}: {count} case{}: {line}", cases.source.name(), if count == 1 { "" } else { "s" })?;
    Ok(())
}

fn write_outcome(source: &Source, outcome: &Outcome, console: &mut Console) -> Result<(), Failure> {
    let place = source.position(outcome.span.start as usize);
    match &outcome.verdict {
        Verdict::Passed => {
            if let Some(note) = &outcome.note {
                let line = format!("line {}: {note}", place.line);
                writeln!(console, "        {}", console.dim(&line))?;
            }
        }
        Verdict::Failed { expected, found } => {
            let line =
                shortened(&source.slice(outcome.span).split_whitespace().collect::<Vec<_>>().join(" "));
            writeln!(console, "  {}:{place}: {}", source.name(), console.bold(&line))?;
            for (name, said) in
                [("expected", Some(expected)), ("found", Some(found)), ("note", outcome.note.as_ref())]
            {
                let Some(said) = said else { continue };
                write!(
                    console,
                    "    {:<10}{}",
                    format!("{name}:"),
                    wrapped(&whole_terms(said), console.width(), 14)
                )?;
            }
        }
        Verdict::Refused(diagnostic) => {
            let text = draw(source, std::slice::from_ref(diagnostic), console.color);
            for line in text.trim_end().lines() {
                writeln!(console, "{}", format!("  {line}").trim_end())?;
            }
        }
    }
    Ok(())
}

/// A text whose terms are not broken over lines.
fn whole_terms(text: &str) -> String {
    let mut depth = 0usize;
    let keep = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            ' ' if depth > 0 => return NO_BREAK_SPACE,
            _ => {}
        }
        c
    };
    text.chars().map(keep).collect()
}

/// What became of the cases of a game, for programs.
pub fn json(file: &str, cases: Option<&CaseFile>, tested: &[Option<CaseReport>]) -> Value {
    let Some(cases) = cases else { return json!({"file": file, "cases": []}) };
    let source = &cases.source;
    let object = |(case, report): (&ludex::analysis::cases::Case, &Option<CaseReport>)| {
        let report = report.as_ref()?;
        let lines: Vec<Value> = report.outcomes.iter().map(|outcome| line_json(source, outcome)).collect();
        let line = source.position(case.span.start as usize).line;
        Some(json!({"name": case.name, "line": line, "ok": report.passed(), "lines": lines}))
    };
    let list: Vec<Value> = cases.cases.iter().zip(tested).filter_map(object).collect();
    json!({"file": file, "cases": list})
}

fn line_json(source: &Source, outcome: &Outcome) -> Value {
    let place = source.position(outcome.span.start as usize);
    let (mut expected, mut found, mut message, mut hint) = (None, None, None, None);
    match &outcome.verdict {
        Verdict::Passed => {}
        Verdict::Failed { expected: wanted, found: other } => (expected, found) = (Some(wanted), Some(other)),
        Verdict::Refused(diagnostic) => {
            (message, hint) = (Some(&diagnostic.message), diagnostic.hint.as_ref())
        }
    }
    json!({
        "line": place.line, "column": place.column, "text": source.slice(outcome.span),
        "ok": outcome.verdict == Verdict::Passed,
        "expected": expected, "found": found, "message": message, "hint": hint, "note": outcome.note,
    })
}
