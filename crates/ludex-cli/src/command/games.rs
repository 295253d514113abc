//! `ludex games`: the bundled games.

use std::io::Write;

use ludex::library;
use serde_json::json;

use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::rulesheet::nearest;

/// Arguments of `games`.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:\n  ludex games\n  ludex games nim > nim.kif     the rules of one game\n\n\
--json: a list of objects with name, title, dialect, files.")]
pub struct GamesArguments {
    /// Print the rules of this game
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists the games, or prints one.
pub fn run(arguments: &GamesArguments, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    if let Some(name) = &arguments.name {
        let Some(game) = library::find(name) else {
            let failure = Failure::input(format!("no game named `{name}` comes with ludex"));
            return Err(match nearest(name, library::all().iter().map(|g| g.name)) {
                Some(near) => failure.hint(format!("did you mean `{near}`?")),
                None => failure.hint("`ludex games` lists them"),
            });
        };
        console.write_all(game.text.as_bytes())?;
        return Ok(());
    }
    let games: Vec<_> = library::all().chunk_by(|a, b| a.name == b.name).collect();
    if arguments.json {
        let list: Vec<_> = games
            .iter()
            .map(|twins| {
                let files: Vec<_> = twins.iter().map(|g| g.file).collect();
                json!({
                    "name": twins[0].name,
                    "title": twins[0].title,
                    "dialect": twins[0].dialect.to_string(),
                    "files": files,
                })
            })
            .collect();
        writeln!(console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    let mut rows = vec![["NAME", "LANGUAGE", "WHAT IT IS"].map(str::to_owned).to_vec()];
    for twins in games {
        rows.push(vec![twins[0].name.into(), twins[0].dialect.to_string(), twins[0].title.into()]);
    }
    let text = table(console, &rows, &[]);
    console.write_all(text.as_bytes())?;
    Ok(())
}
