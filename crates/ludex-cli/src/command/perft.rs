//! `ludex perft`: the size of the game tree.

mod timed;

use std::io::Write;

use ludex::analysis::Reason;
use ludex::analysis::symmetry::{Representatives, Scope, Symmetries, perft_of_classes};
use ludex::game::PerftRow;
use ludex::gdl::GameTime;
use ludex::logic::Budget;
use ludex::{Game, Playable};

use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::limits::grouped;
use crate::rulesheet::LoadArguments;

/// Arguments of `perft`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex perft tic-tac-toe --depth 9
  ludex perft tic-tac-toe --depth 9 --symmetry
  ludex perft timed-tic-tac-toe --depth 3 --grid 0.5

PATHS are sequences of joint moves, DISTINCT the different states at exactly that depth,
TERMINALS the sequences that end there. With --symmetry, CLASSES of symmetric states
take the place of DISTINCT; the rest is the same.

In games in real time, roles move or not at the times 0, T, 2T and so on (--grid). DEPTH
is how many of these moments have passed; what they choose at one makes a joint move.

--json: a list of objects with depth, paths, distinct (with --symmetry: classes),
terminals (in real time also time, as text).")]
pub struct PerftArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// How many joint moves deep; in real time, how many moments
    #[arg(long, short, value_name = "N", default_value_t = 4)]
    depth: u32,

    /// Count symmetric states once
    #[arg(long)]
    symmetry: bool,

    /// In real time: the time between two moments at which moves are made [default: 1]
    #[arg(long, value_name = "T", value_parser = GameTime::parse)]
    grid: Option<GameTime>,

    #[command(flatten)]
    load: LoadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// How many elements a group may have of which each is tried on each state.
const MOST_ELEMENTS: usize = 2000;

/// Counts.
pub fn run(arguments: &PerftArguments, context: &mut Context) -> Result<(), Failure> {
    let game = match arguments.load.playable(&arguments.file, false, context)? {
        Playable::InSteps(game) => game,
        Playable::InTime(rules) => return timed::run(arguments, &rules, context),
    };
    if arguments.grid.is_some() {
        return Err(Failure::Usage("`--grid` is for games in real time".into()));
    }
    let budget = context.limits.budget();
    let classes = if arguments.symmetry { Some(classes(&game, budget)?) } else { None };
    let rows = match &classes {
        Some(classes) => perft_of_classes(game.rules(), &classes.representatives, arguments.depth, budget)?,
        None => game.perft(arguments.depth, budget)?,
    };
    let console = &mut context.console;
    if arguments.json {
        let text = match &classes {
            Some(_) => serde_json::to_string_pretty(&rows.iter().map(ClassRow::from).collect::<Vec<_>>())?,
            None => serde_json::to_string_pretty(&rows)?,
        };
        writeln!(console, "{text}")?;
        return Ok(());
    }
    let states = if classes.is_some() { "CLASSES" } else { "DISTINCT" };
    let mut lines = vec![["DEPTH", "PATHS", states, "TERMINALS"].map(str::to_owned).to_vec()];
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
        let games = rows.iter().fold(0u128, |sum, row| sum.saturating_add(row.terminals));
        let depth = rows.len().saturating_sub(1);
        writeln!(console, "Every sequence ends by depth {depth}: {} in all.", grouped(games))?;
    }
    if let Some(classes) = &classes {
        writeln!(console, "{}", classes.said)?;
    }
    Ok(())
}

/// What makes classes of states.
struct Classes {
    representatives: Representatives,
    /// How many symmetries there are.
    said: String,
}

fn classes(game: &Game, budget: &Budget) -> Result<Classes, Failure> {
    budget.report("looking for symmetries", 0, None);
    let failure = |reason: Reason| match reason {
        Reason::Limit(limit) => Failure::from(limit),
        other => Failure::input(format!("the symmetries are not known: {other}")),
    };
    let symmetries = Symmetries::find(game.subject(), Scope::Game, budget).map_err(failure)?;
    let representatives =
        Representatives::new(game.rules(), &symmetries, MOST_ELEMENTS, &mut budget.meter())?;
    let order = symmetries.fixing_order();
    let said = if order.is_one() {
        "There are no symmetries that fix the roles.".to_owned()
    } else if representatives.is_complete() {
        format!("Each class is of states that {order} symmetries take to each other.")
    } else {
        format!(
            "There are {order} symmetries; some states that they take to each other count as two classes."
        )
    };
    Ok(Classes { representatives, said })
}

/// A row as JSON has it.
#[derive(serde::Serialize)]
struct ClassRow {
    depth: u32,
    paths: u128,
    classes: u64,
    terminals: u128,
}

impl From<&PerftRow> for ClassRow {
    fn from(row: &PerftRow) -> Self {
        Self { depth: row.depth, paths: row.paths, classes: row.distinct, terminals: row.terminals }
    }
}
