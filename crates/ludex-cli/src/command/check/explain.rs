//! `ludex check --explain`: what findings mean.

use std::io::Write;

use ludex::gdl::{self, CHECKS, Check, Code, Diagnostic, Explanation, LoadOptions, report};
use ludex::logic::Budget;
use serde_json::{Value, json};

use super::deepened;
use crate::Context;
use crate::console::{Console, wrapped};
use crate::diagnostics::draw;
use crate::failure::Failure;
use crate::rulesheet::nearest;

/// Steps of inference for looking at the states of an example.
const WORK: u64 = 50_000_000;
/// So many codes are offered to be explained.
const MOST_OFFERED: usize = 3;

/// Explains.
pub fn run(names: &[String], json: bool, context: &mut Context) -> Result<(), Failure> {
    let checks = chosen(names)?;
    if json {
        let all: Vec<Value> = checks.iter().map(|check| object(check, context)).collect::<Result<_, _>>()?;
        writeln!(context.console, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    for (at, check) in checks.iter().enumerate() {
        if at > 0 {
            writeln!(context.console)?;
        }
        let text = text(check, context)?;
        context.console.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// One line that says how to ask for explanations of what was found.
pub fn offer(mut codes: Vec<Code>, console: &mut Console) -> Result<(), Failure> {
    codes.sort_unstable();
    codes.dedup();
    if codes.is_empty() {
        return Ok(());
    }
    let codes: Vec<String> = codes.iter().take(MOST_OFFERED).map(ToString::to_string).collect();
    let line = console.dim(&format!("for an explanation: ludex check --explain {}", codes.join(" ")));
    writeln!(console, "{line}")?;
    Ok(())
}

fn chosen(names: &[String]) -> Result<Vec<&'static Check>, Failure> {
    if names.iter().any(|name| name == "all") {
        return Ok(CHECKS.to_vec());
    }
    let find = |name: &String| {
        Check::find(name).ok_or_else(|| {
            let near = nearest(name, CHECKS.iter().map(|check| check.name));
            let near = near.map_or_else(String::new, |near| format!("; did you mean `{near}`?"));
            Failure::Usage(format!("there is no check `{name}`{near}"))
        })
    };
    names.iter().map(find).collect()
}

/// The findings of the example that are explained.
fn findings(check: &Check, explanation: &Explanation, context: &Context) -> Result<Vec<Diagnostic>, Failure> {
    let load = LoadOptions::default();
    let mut checked = gdl::load(explanation.example_source(), &load);
    if check.needs_states() {
        // That something is not found out shows where hardly any work is allowed.
        let undecided = Check::find("deep-undecided").is_some_and(|undecided| undecided.code == check.code);
        let budget = Budget::unlimited().with_work(if undecided { 1 } else { WORK });
        checked = deepened(checked, load, &budget, context)?;
    }
    checked.diagnostics.retain(|found| found.code == check.code);
    Ok(checked.diagnostics)
}

fn text(check: &Check, context: &Context) -> Result<String, Failure> {
    let console = &context.console;
    let explanation = check.explanation();
    let title =
        console.bold(&format!("{} ({}, {}): {}", check.code, check.name, check.severity, explanation.title));
    let paragraphs = explanation.text.split("\n\n").map(|paragraph| {
        let words = paragraph.split_whitespace().collect::<Vec<_>>().join(" ");
        wrapped(&words, console.width(), 0)
    });
    let paragraphs: Vec<String> = paragraphs.collect();
    let drawn = draw(&explanation.example_source(), &findings(check, &explanation, context)?, console.color);
    let mended: String = explanation.mended.lines().map(|line| format!("  {line}\n")).collect();
    Ok(format!("{title}\n\n{}\n{drawn}{}\n\n{mended}", paragraphs.join("\n"), console.bold("Mended:")))
}

fn object(check: &Check, context: &Context) -> Result<Value, Failure> {
    let explanation = check.explanation();
    let found = findings(check, &explanation, context)?;
    let drawn: Value = serde_json::from_str(&report::json(&explanation.example_source(), &found))?;
    Ok(json!({
        "code": check.code.to_string(),
        "name": check.name,
        "severity": check.severity.to_string(),
        "title": explanation.title,
        "text": explanation.text.split_whitespace().collect::<Vec<_>>().join(" "),
        "example": explanation.example,
        "diagnostics": drawn.get("diagnostics"),
        "drawn": draw(&explanation.example_source(), &found, false),
        "mended": explanation.mended,
    }))
}
