//! `ludex why`: a proof, or why there is none.

use std::io::Write;

use ludex::logic::derive::ExplainOptions;
use serde_json::json;

use crate::Context;
use crate::failure::{Failure, say};
use crate::query_text::read_query;
use crate::reasoning::{Reasoning, StateArguments, rules_used};
use crate::rulesheet::ReadArguments;

/// Arguments of `why`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex why tic-tac-toe 'legal(white,mark(1,1))'
  ludex why tic-tac-toe '(legal white (mark 1 1))' --moves 'mark(1,1)'
  ludex why connect-four 'terminal' --facts 'cell(1,1,red), control(red)'
  ludex why tic-tac-toe 'next(cell(1,1,x))' --does 'mark(1,1) noop'

Rules are numbered by their lines and listed below the explanation.
--json: an object with atom, holds, text, rules (line and text).")]
pub struct WhyArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// What to explain, in either notation; variables ask for every instance
    #[arg(value_name = "ATOM")]
    atom: String,

    #[command(flatten)]
    state: StateArguments,

    /// How deep failures are followed into the failures they rest on
    #[arg(long, value_name = "N", default_value_t = ExplainOptions::default().refutations)]
    depth: usize,

    #[command(flatten)]
    read: ReadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Explains.
pub fn run(arguments: &WhyArguments, context: &mut Context) -> Result<(), Failure> {
    let reasoning = Reasoning::new(&arguments.file, &arguments.read, &arguments.state, context)?;
    let query = read_query(reasoning.program(), &arguments.atom, reasoning.notation)?;
    if reasoning.lacks_moves(&query) {
        say("note: this depends on moves, and none is made here: `--does` makes some");
    }
    let options = ExplainOptions { refutations: arguments.depth };
    let mut meter = context.limits.budget().meter();
    let (explanation, text) = reasoning.explanation(query, &options, &mut meter)?;
    let style = reasoning.style();
    let used = rules_used(&explanation);
    let console = &mut context.console;
    if arguments.json {
        let object = json!({
            "atom": arguments.atom, "holds": explanation.holds(), "text": text,
            "rules": reasoning.rules_json(&used),
        });
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    console.write_all(text.as_bytes())?;
    let rules = reasoning.rules_text(&used, &style);
    if !rules.is_empty() {
        writeln!(console, "\n{}", console.dim("rules"))?;
        console.write_all(rules.as_bytes())?;
    }
    Ok(())
}
