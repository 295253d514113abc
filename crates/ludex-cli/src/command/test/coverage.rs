//! `ludex test --coverage`: what rules, alternatives and moves are of use.

use std::collections::BTreeMap;
use std::io::Write;

use ludex::analysis::cases::CaseReport;
use ludex::analysis::coverage::{Coverage, CoverageRecorder, PartCoverage, PartKind};
use ludex::game::Trace;
use ludex::{Game, Position};
use serde_json::{Value, json};

use super::TestArguments;
use crate::Context;
use crate::console::Console;
use crate::failure::Failure;
use crate::limits::grouped;
use crate::query_text::shortened;
use crate::trace_file::{Recorded, read};

/// Where the positions come from that are looked at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CoverageOf {
    /// Random games.
    Games,
    /// The cases.
    Cases,
    /// What others recorded.
    File(String),
}

impl CoverageOf {
    /// Reads `games`, `cases` or the name of a file.
    pub fn named(text: &str) -> Self {
        match text {
            "games" => Self::Games,
            "cases" => Self::Cases,
            file => Self::File(file.to_owned()),
        }
    }
}

/// Finds out what is used.
///
/// # Errors
/// A limit, or records that are not of this game.
pub fn coverage(
    of: &CoverageOf,
    game: &Game,
    tested: &[Option<CaseReport>],
    arguments: &TestArguments,
    context: &Context,
) -> Result<Coverage, Failure> {
    let budget = context.limits.budget();
    let mut recorder = CoverageRecorder::new(game.rules(), budget)?;
    match of {
        CoverageOf::Games => recorder.note_random_games(arguments.games, arguments.seed)?,
        CoverageOf::Cases => {
            for position in tested.iter().flatten().flat_map(|report| &report.positions) {
                recorder.note_position(position)?;
            }
        }
        CoverageOf::File(file) => {
            for recorded in read(file, &context.limits)? {
                let (name, recorded) = recorded?;
                for joints in joints_of(recorded)? {
                    recorder.note_position(&replayed(game, &name, &joints)?)?;
                }
            }
        }
    }
    Ok(recorder.coverage())
}

/// The joint moves of each game that was recorded.
fn joints_of(recorded: Recorded) -> Result<Vec<Vec<Vec<String>>>, Failure> {
    match recorded {
        Recorded::Match(record) => Ok(vec![record.moves]),
        Recorded::Trace(trace) | Recorded::Unordered(trace) => Ok(joints_of_trace(&trace)),
        Recorded::Timed(_) => Err(Failure::input("a record of a game in real time has no joint moves")),
    }
}

fn joints_of_trace(trace: &Trace) -> Vec<Vec<Vec<String>>> {
    let games = trace.steps.chunk_by(|a, b| a.playout == b.playout);
    games.map(|steps| steps.iter().filter_map(|step| step.joint.clone()).collect()).collect()
}

fn replayed(game: &Game, name: &str, joints: &[Vec<String>]) -> Result<Position, Failure> {
    let mut position = game.rules().start();
    for (step, joint) in joints.iter().enumerate() {
        position.play(joint).map_err(|error| Failure::input(format!("{name}, step {step}: {error}")))?;
    }
    Ok(position)
}

/// So many moves of one kind are named.
const SHOWN: usize = 8;

/// Writes what is never used, and how much is.
pub fn text(game: &Game, coverage: &Coverage, console: &mut Console) -> Result<(), Failure> {
    let source = game.rules().source();
    let rules = game.rules();
    for part in coverage.parts.iter().filter(|part| !part.is_used) {
        let place = source.position(part.span.start as usize);
        let text = source.slice(part.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let word = console.styled("33", "never");
        writeln!(console, "{word}   {}:{place}: {} {}", source.name(), word_of(part), shortened(&text))?;
    }
    let mut unmade: BTreeMap<(usize, &str), Vec<String>> = BTreeMap::new();
    for action in coverage.moves.iter().filter(|action| !action.was_made) {
        let said = if action.was_legal { "legal, never made" } else { "never legal" };
        unmade.entry((action.role.index(), said)).or_default().push(rules.text(action.action));
    }
    let roles = rules.role_names();
    for ((role, said), texts) in &unmade {
        let more = texts.len().saturating_sub(SHOWN);
        let more = if more > 0 { format!(", and {more} more") } else { String::new() };
        let shown = texts.iter().take(SHOWN).cloned().collect::<Vec<_>>().join(", ");
        let role = roles.get(*role).map_or("", String::as_str);
        writeln!(console, "{}   moves of {role} ({said}): {shown}{more}", console.styled("33", "never"))?;
    }
    let mut used = Vec::new();
    for (kind, name) in [(PartKind::Rule, "rules"), (PartKind::Alternative, "alternatives")] {
        let parts: Vec<&PartCoverage> = coverage.parts.iter().filter(|part| part.kind == kind).collect();
        if !parts.is_empty() {
            used.push(format!(
                "{} of {} {name}",
                parts.iter().filter(|part| part.is_used).count(),
                parts.len()
            ));
        }
    }
    let made = coverage.moves.iter().filter(|action| action.was_made).count();
    used.push(format!("{made} of {} moves", coverage.moves.len()));
    let positions = grouped(coverage.positions.into());
    writeln!(console, "{}: {} used in {positions} positions", source.name(), used.join(", "))?;
    Ok(())
}

fn word_of(part: &PartCoverage) -> &'static str {
    match part.kind {
        PartKind::Rule => "rule",
        PartKind::Alternative => "alternative",
    }
}

/// As an object for programs.
pub fn json(game: &Game, coverage: &Coverage) -> Value {
    let source = game.rules().source();
    let rules = game.rules();
    let part = |part: &PartCoverage| {
        let place = source.position(part.span.start as usize);
        json!({
            "kind": word_of(part), "used": part.is_used, "line": place.line, "column": place.column,
            "start": part.span.start, "end": part.span.end,
        })
    };
    let moves = coverage.moves.iter().map(|action| {
        json!({
            "role": rules.role_name(action.role), "move": rules.text(action.action),
            "legal": action.was_legal, "made": action.was_made,
        })
    });
    json!({
        "positions": coverage.positions,
        "parts": coverage.parts.iter().map(part).collect::<Vec<_>>(),
        "moves": moves.collect::<Vec<_>>(),
    })
}
