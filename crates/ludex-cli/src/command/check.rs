//! `ludex check`: everything that is wrong with rulesheets.

mod explain;

use std::io::{IsTerminal, Write};
use std::num::NonZeroUsize;
use std::thread::available_parallelism;
use std::time::Duration;

use ludex::analysis::well_formed::WellFormedOptions;
use ludex::analysis::{check_deeply, deep_undecided};
use ludex::game::GameError;
use ludex::gdl::{CHECKS, Checked, Code, Diagnostic, LoadOptions, report};
use ludex::logic::Budget;
use ludex::{Engine, Game, LoadError};
use serde_json::{Value, json};

use crate::Context;
use crate::console::table;
use crate::diagnostics::{counts, draw};
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::rulesheet::{ReadArguments, read_checked};

/// Arguments of `check`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex check my-game.kif
  ludex check --allow unused-relation --deny L034 *.kif
  ludex check --deep --max-time 5m my-game.kif
  ludex check --list                       every code with its meaning
  ludex check --explain L030               what it means, with an example and its mending

--deep looks for what only shows in the states of the game: courses that never end, roles
that get stuck or cannot win, goals, moves and propositions of no use. In GDL-II it also
looks for roles that cannot always know their moves, the end or their result. Each finding
is proved or comes with moves that show it. It may take a minute for each file, unless
--max-time is given; what was not found out by then is said in a note.

--json: one object per file, each on its line: file, dialect, ok, diagnostics; each of
these with code, name, severity, message, start and end (byte offsets), line, column,
hint, labels. With --explain a list of objects: code, name, severity, title, text,
example, diagnostics and drawn (of the example), mended.
Exit code 1 if any file has an error.")]
pub struct CheckArguments {
    /// Rulesheets or names of bundled games
    #[arg(value_name = "FILE", required_unless_present_any = ["list", "explain"])]
    files: Vec<String>,

    #[command(flatten)]
    read: ReadArguments,

    /// Look at the states of the game, too, which takes longer
    #[arg(long)]
    deep: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// Show errors only
    #[arg(long, short)]
    quiet: bool,

    /// List every kind of finding instead
    #[arg(long)]
    list: bool,

    /// Explain findings instead: codes such as L030, their names, or `all`
    #[arg(long, value_name = "CODE", num_args = 1.., value_delimiter = ',', conflicts_with = "files")]
    explain: Vec<String>,
}

/// Checks.
pub fn run(arguments: &CheckArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.list {
        return list(arguments.json, context);
    }
    if !arguments.explain.is_empty() {
        return explain::run(&arguments.explain, arguments.json, context);
    }
    let mut bad = false;
    let mut shown: Vec<Code> = Vec::new();
    for file in &arguments.files {
        let read = read_checked(file, &arguments.read, context).and_then(|checked| {
            if arguments.deep { deepen(checked, &arguments.read, context) } else { Ok(checked) }
        });
        let checked = match read {
            Ok(checked) => checked,
            // The other files are checked all the same.
            Err(failure @ Failure::Input { .. }) if arguments.files.len() > 1 => {
                context.console.flush()?;
                failure.report(context.console.error_color);
                bad = true;
                continue;
            }
            Err(other) => return Err(other),
        };
        let source = &checked.rulesheet.source;
        bad |= checked.has_errors();
        let mut diagnostics = checked.diagnostics.clone();
        if arguments.quiet {
            diagnostics.retain(|d| d.severity == ludex::gdl::Severity::Error);
        }
        if arguments.json {
            let mut object: Value = serde_json::from_str(&report::json(source, &diagnostics))?;
            let diagnostics = object.get_mut("diagnostics").map(Value::take);
            let line = json!({
                "file": source.name(),
                "dialect": checked.dialect.to_string(),
                "ok": !checked.has_errors(),
                "diagnostics": diagnostics,
            });
            writeln!(context.console, "{line}")?;
            continue;
        }
        let console = &mut context.console;
        console.write_all(draw(source, &diagnostics, console.color).as_bytes())?;
        shown.extend(diagnostics.iter().map(|found| found.code));
        if !arguments.quiet || checked.has_errors() {
            let text = summary(&counts(&checked.diagnostics));
            let style = if checked.has_errors() { "1;31" } else { "1;32" };
            let line = console.styled(style, &text);
            writeln!(console, "{} ({}): {line}", source.name(), checked.dialect)?;
        }
    }
    if !arguments.quiet && std::io::stdout().is_terminal() {
        explain::offer(shown, &mut context.console)?;
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}

/// The time for the states of one game where no limit is given.
const DEEP_TIME: Duration = Duration::from_secs(60);

/// Adds what only shows in the states of the game, where there are no errors.
fn deepen(checked: Checked, read: &ReadArguments, context: &Context) -> Result<Checked, Failure> {
    let budget = context.limits.analysis_budget(DEEP_TIME);
    deepened(checked, read.options()?, &budget, context)
}

/// The same within a budget.
///
/// # Errors
/// The game cannot be prepared.
pub(super) fn deepened(
    mut checked: Checked,
    load: LoadOptions,
    budget: &Budget,
    context: &Context,
) -> Result<Checked, Failure> {
    if checked.has_errors() {
        return Ok(checked);
    }
    let options = EngineArguments::from(Engine::Auto).options(load.clone(), false, context);
    let game = match Game::from_checked(checked.clone(), &options) {
        Ok(game) => game,
        Err(LoadError::Machine { cause: GameError::Limit(limit), .. }) => {
            // What a look at the rules shows is there all the same.
            let what = format!("what only shows in the states of the game ({limit})");
            let mut note: Vec<Diagnostic> =
                checked.game.iter().filter_map(|program| deep_undecided(program, &what)).collect();
            load.apply(&mut note);
            checked.diagnostics.extend(note);
            return Ok(checked);
        }
        Err(LoadError::Machine { cause, .. }) => return Err(cause.into()),
        Err(other) => return Err(Failure::input(other.to_string())),
    };
    let threads = available_parallelism().map_or(1, NonZeroUsize::get);
    let form = WellFormedOptions { threads, ..WellFormedOptions::default() };
    let mut deep = check_deeply(game.subject(), &form, budget);
    load.apply(&mut deep);
    checked.diagnostics.extend(deep);
    checked.diagnostics.sort_by_key(|diagnostic| (diagnostic.span, diagnostic.code));
    Ok(checked)
}

fn summary(counts: &[usize; 3]) -> String {
    let names = ["error", "warning", "note"];
    let parts: Vec<String> = counts
        .iter()
        .zip(names)
        .filter(|(count, _)| **count > 0)
        .map(|(count, name)| format!("{count} {name}{}", if *count == 1 { "" } else { "s" }))
        .collect();
    if parts.is_empty() { "no findings".into() } else { parts.join(", ") }
}

fn list(json: bool, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    if json {
        let all: Vec<Value> = CHECKS
            .iter()
            .map(|c| {
                json!({
                    "code": c.code.to_string(),
                    "name": c.name,
                    "severity": c.severity.to_string(),
                    "description": c.description,
                })
            })
            .collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    let mut rows = vec![["CODE", "NAME", "USUALLY", "WHAT IT FINDS"].map(str::to_owned).to_vec()];
    for check in CHECKS {
        rows.push(vec![
            check.code.to_string(),
            check.name.into(),
            check.severity.to_string(),
            check.description.into(),
        ]);
    }
    let text = table(console, &rows, &[]);
    console.write_all(text.as_bytes())?;
    Ok(())
}
