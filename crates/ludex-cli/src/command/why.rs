//! `ludex why`: a proof, or why there is none.

use std::io::Write;

use ludex::logic::derive::ExplainOptions;
use serde_json::json;

use crate::Context;
use crate::failure::Failure;
use crate::incomplete::{self, Asked, SightArguments};
use crate::query_text::read_query;
use crate::reasoning::{Reasoning, StateArguments, show_moment};
use crate::rulesheet::{ReadArguments, read_checked};

/// Arguments of `why`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex why tic-tac-toe 'legal(white,mark(1,1))'
  ludex why tic-tac-toe '(legal white (mark 1 1))' --moves 'mark(1,1)'
  ludex why connect-four 'terminal' --facts 'cell(1,1,red), control(red)'
  ludex why tic-tac-toe 'next(cell(1,1,x))' --does 'mark(1,1) noop'
  ludex why cheshire-cat 'legal(alice,M)' --moves 'advance 1.5'

In games in real time --moves says what happens, as in `ludex step`: parts are apart by
`;`, and moves that follow each other are made at the same moment, as in
'advance 0.5; xplayer does mark(1,1); next'. What depends on does, and next and sees, is
about the last update, or about that by the moves of --does: 'xplayer does mark(1,1)'.
All else is about the state that the last update made, with the lifetimes of then.
--facts has lifetimes: 'true(0.5,control(xplayer)), expired(bomb)'.

Where rules are sentences (IGDL), the atom may be any sentence. What is entailed or
refuted follows from the sentences that are listed, none of which can be left out; for
what is unknown there are two courses that differ. --moves and --sees say what somebody
knows of a course, with `?` for a move that is not known: --moves 'a; b' --sees '-; -; q'.

Rules are numbered by their lines and listed below the explanation.
--json: an object with atom, holds, text, rules (line and text); in real time also time,
and update (whether it is about an update).")]
pub struct WhyArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// What to explain, in either notation; variables ask for every instance
    #[arg(value_name = "ATOM")]
    atom: String,

    #[command(flatten)]
    state: StateArguments,

    #[command(flatten)]
    sight: SightArguments,

    /// Decides what `random` does in games in real time
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

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
    let WhyArguments { file, read, state, sight, seed, .. } = arguments;
    let checked = read_checked(file, read, context)?;
    if let Some(sentences) = incomplete::sentences_of(&checked, context)? {
        let asked = Asked { sentence: &arguments.atom, state, sight, as_json: arguments.json };
        return incomplete::why(&sentences, &asked, context);
    }
    let mut reasoning = Reasoning::new(file, read, state, *seed, context)?;
    let query = read_query(reasoning.game(), &arguments.atom, reasoning.notation)?;
    reasoning.turn_to(&query);
    let options = ExplainOptions { refutations: arguments.depth };
    let mut meter = context.limits.budget().meter();
    let (explanation, text) = reasoning.explanation(query, &options, &mut meter)?;
    let style = reasoning.style();
    let used = explanation.clauses();
    let console = &mut context.console;
    if arguments.json {
        let mut object = json!({
            "atom": arguments.atom, "holds": explanation.holds(), "text": text,
            "rules": reasoning.rules_json(&used),
        });
        if let Some(moment) = reasoning.moment() {
            moment.add_to(&mut object);
        }
        writeln!(console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    show_moment(&reasoning, console)?;
    console.write_all(text.as_bytes())?;
    let rules = reasoning.rules_text(&used, &style);
    if !rules.is_empty() {
        writeln!(console, "\n{}", console.dim("rules"))?;
        console.write_all(rules.as_bytes())?;
    }
    Ok(())
}
