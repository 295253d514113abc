//! `ludex analyze`: what can be found out about a game before it is played.

mod boards;
mod factors;
mod goals;
mod latches;
mod section;
mod structure;
mod symmetries;
mod well_formed;

use std::io::Write;
use std::thread::available_parallelism;
use std::time::Duration;

use ludex::Game;
use serde_json::{Map, Value, json};

use crate::Context;
use crate::console::{Console, table};
use crate::engine_arguments::EngineArguments;
use crate::failure::{Failure, UNDECIDED};
use crate::limits::thread_count;
use crate::rulesheet::{ReadArguments, load_game, nearest};
use section::{Request, SECTIONS, Section};

/// Arguments of `analyze`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex analyze tic-tac-toe
  ludex analyze nim --only boards
  ludex analyze my-game.kif --max-time 5m --json
  ludex analyze --list                      every section with what it says

What is said is proved, or refuted by moves that show it, or undecided. Each section gets
an equal share of the time that is left (--max-time, one minute where it is not given).
--json: an object with game, dialect, engine, roles, undecided, and sections: per section
an object with undecided and what the section found.
Exit codes: 0 answered, 3 something is undecided.")]
pub struct AnalyzeArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE", required_unless_present = "list")]
    file: Option<String>,

    /// Only these sections, apart by commas
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    only: Vec<String>,

    /// List the sections instead
    #[arg(long)]
    list: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    /// How many threads search; all of the machine's where it is not given
    #[arg(long, value_name = "N", value_parser = thread_count())]
    threads: Option<u16>,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,
}

/// The time for all sections where no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Analyses.
pub fn run(arguments: &AnalyzeArguments, context: &mut Context) -> Result<(), Failure> {
    // Clap demands a file unless the sections are to be listed.
    let Some(file) = arguments.file.as_deref().filter(|_| !arguments.list) else {
        return list(arguments.json, context);
    };
    let wanted = wanted(&arguments.only)?;
    let game = load_game(file, &arguments.read, &arguments.engine, false, context)?;
    let cores = || available_parallelism().map_or(1, std::num::NonZeroUsize::get);
    let threads = arguments.threads.map_or_else(cores, usize::from);
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    if !arguments.json {
        heading(&game, &mut context.console)?;
    }
    let mut undecided = false;
    let mut objects = Map::new();
    for (done, section) in wanted.iter().enumerate() {
        let share = budget.clone().with_share_of_time(1.0 / (wanted.len() - done) as f64);
        share.report(section.title, 0, None);
        let request = Request { game: &game, budget: share, threads, console: &context.console };
        let report = (section.run)(&request);
        undecided |= report.undecided;
        if arguments.json {
            let mut object = report.json;
            object.insert("undecided".to_owned(), Value::Bool(report.undecided));
            objects.insert(section.name.to_owned(), Value::Object(object));
            continue;
        }
        let console = &mut context.console;
        let title = console.bold(section.title);
        writeln!(console, "\n{title}")?;
        for line in &report.lines {
            writeln!(console, "{}", format!("  {line}").trim_end())?;
        }
        // Sections may take long; what is known is shown.
        console.flush()?;
    }
    if arguments.json {
        let object = json!({
            "game": game.short_name(),
            "dialect": game.dialect().to_string(),
            "engine": game.engine_name(),
            "roles": game.role_names(),
            "undecided": undecided,
            "sections": objects,
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    }
    if undecided { Err(Failure::Code(UNDECIDED)) } else { Ok(()) }
}

/// The sections of these names in their usual order, or all.
fn wanted(names: &[String]) -> Result<Vec<&'static Section>, Failure> {
    for name in names {
        if !SECTIONS.iter().any(|section| section.name == name) {
            let near = nearest(name, SECTIONS.iter().map(|section| section.name));
            let near = near.map(|near| format!("; did you mean `{near}`?"));
            let known: Vec<&str> = SECTIONS.iter().map(|section| section.name).collect();
            return Err(Failure::Usage(format!(
                "there is no section `{name}`{}; there are {}",
                near.unwrap_or_default(),
                known.join(", ")
            )));
        }
    }
    let is_wanted = |section: &&Section| names.is_empty() || names.iter().any(|name| section.name == name);
    Ok(SECTIONS.iter().filter(is_wanted).collect())
}

fn heading(game: &Game, console: &mut Console) -> Result<(), Failure> {
    let name = console.bold(game.short_name());
    let (roles, dialect, engine) = (game.role_names().join(", "), game.dialect(), game.engine_name());
    Ok(writeln!(console, "{name} ({dialect}), roles {roles}; run by {engine}")?)
}

fn list(json: bool, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    if json {
        let all: Vec<Value> = SECTIONS
            .iter()
            .map(|section| json!({ "name": section.name, "title": section.title, "about": section.about }))
            .collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&all)?)?;
        return Ok(());
    }
    let mut rows = vec![["SECTION", "WHAT IT SAYS"].map(str::to_owned).to_vec()];
    rows.extend(SECTIONS.iter().map(|section| vec![section.name.to_owned(), section.about.to_owned()]));
    let text = table(console, &rows, &[]);
    console.write_all(text.as_bytes())?;
    Ok(())
}
