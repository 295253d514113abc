//! The size of the tree of a game in real time, where moves are made on a grid of times.

use std::io::Write;

use ludex::game::{TimedRules, timed_perft};
use ludex::gdl::GameTime;

use super::PerftArguments;
use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::limits::grouped;

/// Counts what can happen in a game in real time.
///
/// # Errors
/// A limit, or the output cannot be written.
pub fn run(arguments: &PerftArguments, rules: &TimedRules, context: &mut Context) -> Result<(), Failure> {
    if arguments.symmetry {
        return Err(Failure::Usage("`--symmetry` is for games that go step by step".into()));
    }
    let grid = arguments.grid.unwrap_or(GameTime::ONE);
    let rows = timed_perft(&**rules.machine(), arguments.depth, grid, context.limits.budget())?;
    let console = &mut context.console;
    if arguments.json {
        writeln!(console, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    let mut lines = vec![["DEPTH", "TIME", "PATHS", "DISTINCT", "TERMINALS"].map(str::to_owned).to_vec()];
    for row in &rows {
        lines.push(vec![
            row.depth.to_string(),
            row.time.to_string(),
            grouped(row.paths),
            grouped(row.distinct.into()),
            grouped(row.terminals),
        ]);
    }
    let text = table(console, &lines, &[true; 5]);
    console.write_all(text.as_bytes())?;
    if rows.len() <= arguments.depth as usize
        && let Some(last) = rows.last()
    {
        writeln!(console, "Every sequence ends by the time {}.", last.time)?;
    }
    Ok(())
}
