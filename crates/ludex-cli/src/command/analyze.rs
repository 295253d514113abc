//! `ludex analyze`: what can be found out about a game before it is played.

mod boards;
mod factors;
mod goals;
mod latches;
mod section;
mod state;
mod structure;
mod symmetries;
mod well_formed;

use std::io::Write;
use std::thread::available_parallelism;
use std::time::Duration;

use ludex::logic::{Formula, GroundAtom};
use ludex::{Engine, Game};
use serde_json::{Map, Value, json};

use crate::Context;
use crate::console::{Console, table};
use crate::engine_arguments::EngineArguments;
use crate::failure::{Failure, UNDECIDED};
use crate::limits::thread_count;
use crate::query_text::{read_query, shortened};
use crate::rulesheet::{ReadArguments, load_game, nearest};
use section::{FuzzyRequest, Request, SECTIONS, Section};
use state::{FuzzyArguments, PlaceArguments};

/// Arguments of `analyze`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex analyze tic-tac-toe
  ludex analyze nim --only boards
  ludex analyze my-game.kif --max-time 5m --json
  ludex analyze tic-tac-toe --only goals --moves 'mark(2,2) noop' --tau 0.9
  ludex analyze --list                      every section with what it says

What is said is proved, or refuted by moves that show it, or undecided. Each section gets
an equal share of the time that is left (--max-time, one minute where it is not given).
With --moves or --facts it is about that state: what boards, latches, factors and goals
say of it. Other sections are about the game as a whole.

--json: an object with game, dialect, engine, roles, undecided, and sections: per section
an object with undecided and what the section found; with --moves or --facts also state,
a list of facts.
Exit codes: 0 answered, 3 something is undecided.")]
pub struct AnalyzeArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE", required_unless_present = "list")]
    file: Option<String>,

    /// Only these sections, apart by commas
    #[arg(long, value_name = "SECTION", value_delimiter = ',')]
    only: Vec<String>,

    #[command(flatten)]
    place: PlaceArguments,

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

    #[command(flatten)]
    fuzzy: FuzzyArguments,
}

/// The time for all sections where no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(60);

/// Analyses.
pub fn run(arguments: &AnalyzeArguments, context: &mut Context) -> Result<(), Failure> {
    // Clap demands a file unless the sections are to be listed.
    let Some(file) = arguments.file.as_deref().filter(|_| !arguments.list) else {
        return list(arguments.json, context);
    };
    let wanted = wanted(&arguments.only, arguments.place.is_given())?;
    let options = arguments.fuzzy.options()?;
    let game = load_game(file, &arguments.read, &engine(arguments), false, context)?;
    let state = arguments.place.state(&game, &context.limits)?;
    let fuzzy = FuzzyRequest { options, atoms: atoms(&game, &arguments.fuzzy.truth)? };
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
        let request = Request {
            game: &game,
            state: &state,
            fuzzy: &fuzzy,
            budget: share,
            threads,
            console: &context.console,
        };
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
        let mut object = json!({
            "game": game.short_name(),
            "dialect": game.dialect().to_string(),
            "engine": game.engine_name(),
            "roles": game.role_names(),
            "undecided": undecided,
            "sections": objects,
        });
        if arguments.place.is_given() {
            object["state"] = json!(game.fact_texts(&state));
        }
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    }
    if undecided { Err(Failure::Code(UNDECIDED)) } else { Ok(()) }
}

/// The engine: facts that are given may be those of no state that can be reached, which only the rules take.
fn engine(arguments: &AnalyzeArguments) -> EngineArguments {
    let mut engine = arguments.engine.clone();
    if arguments.place.facts.is_some() && engine.engine == Engine::Auto {
        engine.engine = Engine::Rules;
    }
    engine
}

/// The atoms of these texts.
fn atoms(game: &Game, texts: &[String]) -> Result<Vec<GroundAtom>, Failure> {
    let read = |text: &String| {
        let query = read_query(game.program(), text, game.signature().notation())?;
        let atom = match &query.formula {
            Formula::Atom(atom) => atom.ground(),
            _ => None,
        };
        atom.ok_or_else(|| Failure::input(format!("`{}` is no atom without variables", shortened(text))))
    };
    texts.iter().map(read).collect()
}

/// The sections of these names in their usual order, or all; of those about a state where one is given.
fn wanted(names: &[String], of_state: bool) -> Result<Vec<&'static Section>, Failure> {
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
    let of_game =
        SECTIONS.iter().find(|section| !section.of_states && names.iter().any(|n| section.name == n));
    if let (Some(section), true) = (of_game, of_state) {
        let of_states: Vec<&str> = SECTIONS.iter().filter(|s| s.of_states).map(|s| s.name).collect();
        return Err(Failure::Usage(format!(
            "`{}` is about the game as a whole; about a state there are {}",
            section.name,
            of_states.join(", ")
        )));
    }
    let is_wanted = |section: &&Section| {
        let named = names.is_empty() || names.iter().any(|name| section.name == name);
        named && (section.of_states || !of_state)
    };
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
