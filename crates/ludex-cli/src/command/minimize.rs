//! `ludex minimize`: the smallest rulesheet that still shows something.

mod shown;

use std::io::Write;
use std::sync::Arc;

use ludex::gdl::minimize::{Ended, MinimizeLimits, Minimized, Size, minimize};
use ludex::gdl::{self, LoadOptions, Source};
use serde_json::json;

use crate::Context;
use crate::failure::{Failure, say};
use crate::interrupt::ended_by_interrupt;
use crate::output::{check_writable, write_file};
use crate::rulesheet::{ReadArguments, read_source};
use shown::{Pair, Shown};

/// Arguments of `minimize`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex minimize my-game.kif                         its first error, or else warning
  ludex minimize my-game.kif --finding L050 --playable
  ludex minimize my-game.kif --differs rules,net
  ludex minimize my-game.kif --differs-from old.kif
  ludex minimize my-game.kif --test my-game.cases --case castling
  ludex minimize my-game.kif --command './my-player --rules {}'

Clauses, literals, alternatives and arguments are left out, terms, constants and variables
become simpler ones, until each such step loses what is to stay. Comments are left out.
The result is the same each time, unless time or --command decide otherwise.

Without an option the first error of `ludex check` stays, or else the first warning. What
stays of a finding is its code, whatever else is wrong then; --playable lets nothing else
become an error. --differs-from keeps the moves after which `ludex diff` finds a
difference, and what differs then. --test keeps the first line that is not as expected in
a file of cases. --command keeps that a command ends with exit code 0; `{}` is the file.

Ctrl-C and --max-time end it with what was found until then.
--json: an object with file, what, text, before and after (each with clauses, symbols,
names), tries, ended (minimal, tries or limit).
Exit code 1 if it is not there to begin with.")]
pub struct MinimizeArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// A finding stays: a code such as L030, or its name
    #[arg(long, value_name = "CODE", group = "what")]
    finding: Option<String>,

    /// Two engines differ in random games: two of rules, net and lanes
    #[arg(long, value_name = "ENGINE,ENGINE", group = "what")]
    differs: Option<Pair>,

    /// The game plays unlike another one
    #[arg(long, value_name = "OTHER", group = "what")]
    differs_from: Option<String>,

    /// A case of this file is not as expected
    #[arg(long, value_name = "CASES", group = "what")]
    test: Option<String>,

    /// The case; otherwise the first one that is not as expected
    #[arg(long, value_name = "NAME", requires = "test")]
    case: Option<String>,

    /// A command ends with exit code 0; {} stands for the file
    #[arg(long, value_name = "COMMAND", group = "what")]
    command: Option<String>,

    /// Nothing but the finding itself may be an error
    #[arg(long)]
    playable: bool,

    /// Make names shorter in the end
    #[arg(long)]
    rename: bool,

    /// The most rulesheets that are tried
    #[arg(long, value_name = "N", default_value_t = MinimizeLimits::default().tries)]
    max_tries: u64,

    /// The seed of random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// How many random games are played for each rulesheet
    #[arg(long, value_name = "N", default_value_t = 10)]
    games: u32,

    /// Write the result to this file
    #[arg(long, short, value_name = "FILE")]
    output: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArguments,
}

/// Minimises.
pub fn run(arguments: &MinimizeArguments, context: &mut Context) -> Result<(), Failure> {
    if let Some(file) = &arguments.output {
        check_writable(file)?;
    }
    let (source, load) = read_source(&arguments.file, &arguments.read, context)?;
    let (rulesheet, _) = gdl::parse(Arc::new(source), load.notation);
    // All that is tried is read as the first one is.
    let load = LoadOptions { notation: Some(rulesheet.notation), ..load };
    let shown = Shown::of(arguments, &rulesheet, load, context)?;
    let what = shown.to_string();
    let limits = MinimizeLimits {
        tries: arguments.max_tries,
        budget: ended_by_interrupt(context.limits.budget().clone()),
        rename: arguments.rename,
    };
    let found = {
        let mut question = shown.question(context);
        minimize(&rulesheet, &mut *question, &limits)
    };
    let mut found = found.map_err(|_| Failure::input(format!("{}: {what}: not there", arguments.file)))?;
    if !found.text.is_empty() && !found.text.ends_with('\n') && found.after.clauses > 0 {
        found.text.push('\n');
    }
    // What could not be read as clauses to begin with may be read now, or the other way round.
    let text = Source::new(rulesheet.source.name(), found.text.as_str());
    found.after.clauses = gdl::parse(Arc::new(text), Some(rulesheet.notation)).0.items.len();
    write(arguments, &what, &found, context)
}

fn write(
    arguments: &MinimizeArguments,
    what: &str,
    found: &Minimized,
    context: &mut Context,
) -> Result<(), Failure> {
    if let Some(file) = &arguments.output {
        write_file(file, &found.text)?;
    }
    if arguments.json {
        let size =
            |size: Size| json!({ "clauses": size.clauses, "symbols": size.symbols, "names": size.names });
        let object = json!({
            "file": arguments.file,
            "what": what,
            "text": found.text,
            "before": size(found.before),
            "after": size(found.after),
            "tries": found.tries,
            "ended": match found.ended {
                Ended::Minimal => "minimal",
                Ended::Tries => "tries",
                Ended::Limit(_) => "limit",
            },
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
        return Ok(());
    }
    if arguments.output.is_none() {
        context.console.write_all(found.text.as_bytes())?;
        context.console.flush()?;
    }
    let counted = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let size =
        |size: Size| format!("{}, {}", counted(size.clauses, "clause"), counted(size.symbols, "symbol"));
    let why = match &found.ended {
        Ended::Minimal => String::new(),
        Ended::Tries => "; --max-tries ended it early".into(),
        Ended::Limit(limit) => format!("; it ended early: {limit}"),
    };
    let (before, after) = (size(found.before), size(found.after));
    say(&format!(
        "{what}: {after}; before: {before}; {} tried{why}",
        counted(found.tries as usize, "rulesheet")
    ));
    Ok(())
}
