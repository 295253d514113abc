//! `ludex perft`: the size of the game tree.

use std::io::Write;

use crate::Context;
use crate::console::table;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::limits::grouped;
use crate::rulesheet::{ReadArguments, load_game};

/// Arguments of `perft`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example:
  ludex perft tic-tac-toe --depth 9

PATHS are sequences of joint moves, DISTINCT the different states at exactly that depth,
TERMINALS the sequences that end there.
--json: a list of objects with depth, paths, distinct, terminals.")]
pub struct PerftArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// How many joint moves deep
    #[arg(long, short, value_name = "N", default_value_t = 4)]
    depth: u32,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Counts.
pub fn run(arguments: &PerftArguments, context: &mut Context) -> Result<(), Failure> {
    let game = load_game(&arguments.file, &arguments.read, &arguments.engine, false, context)?;
    let rows = game.perft(arguments.depth, context.limits.budget())?;
    let console = &mut context.console;
    if arguments.json {
        writeln!(console, "{}", serde_json::to_string_pretty(&rows)?)?;
        return Ok(());
    }
    let mut lines = vec![["DEPTH", "PATHS", "DISTINCT", "TERMINALS"].map(str::to_owned).to_vec()];
    for row in &rows {
        lines.push(vec![
            row.depth.to_string(),
            grouped(row.paths),
            grouped(row.distinct.into()),
            grouped(row.terminals),
        ]);
    }
    let text = table(console, &lines, &[true; 4]);
    console.write_all(text.as_bytes())?;
    if rows.len() <= arguments.depth as usize {
        writeln!(console, "Every sequence ends by depth {}.", rows.len().saturating_sub(1))?;
    }
    Ok(())
}
