//! `ludex players`: the strategies.

use std::io::Write;

use ludex::players::{OptionInfo, StrategyInfo};
use serde_json::{Value, json};

use crate::Context;
use crate::console::{prose_table, wrapped};
use crate::failure::Failure;
use crate::player_text::registry;
use crate::rulesheet::nearest;

/// Arguments of `players`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex players
  ludex players random             one strategy with its options

Where a command takes a PLAYER, options follow the name: NAME:OPTION=VALUE:OPTION=VALUE.
--json: a list of objects with name, description and options, each of these with name,
default, description.")]
pub struct PlayersArguments {
    /// Describe this strategy only
    #[arg(value_name = "NAME")]
    name: Option<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Lists the strategies, or describes one.
pub fn run(arguments: &PlayersArguments, context: &mut Context) -> Result<(), Failure> {
    let shown: Vec<&StrategyInfo> = match &arguments.name {
        None => registry().strategies().collect(),
        Some(name) => vec![registry().find(name).ok_or_else(|| unknown(name))?],
    };
    if arguments.json {
        let list: Vec<Value> = shown.iter().map(|info| object(info)).collect();
        writeln!(context.console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    let console = &mut context.console;
    let heading = |names: [&str; 2]| names.map(str::to_owned).to_vec();
    if let (Some(_), [info]) = (&arguments.name, &shown[..]) {
        let text = wrapped(&format!("{}: {}", info.name, info.description), console.width(), 2);
        let rest = text.strip_prefix(info.name).unwrap_or(&text);
        write!(console, "{}{rest}", console.bold(info.name))?;
        if info.options.is_empty() {
            writeln!(console, "It has no options.")?;
            return Ok(());
        }
        let mut rows = vec![heading(["OPTION=DEFAULT", "MEANING"])];
        rows.extend(info.options.iter().map(|option| vec![setting(option), option.description.to_owned()]));
        write!(console, "\n{}", prose_table(console, &rows))?;
        return Ok(());
    }
    let mut rows = vec![heading(["NAME", "WHAT IT DOES"])];
    for info in shown {
        rows.push(vec![info.name.to_owned(), info.description.to_owned()]);
        let options: Vec<String> = info.options.iter().map(setting).collect();
        if !options.is_empty() {
            rows.push(vec![String::new(), options.join(" ")]);
        }
    }
    let text = prose_table(console, &rows);
    console.write_all(text.as_bytes())?;
    Ok(())
}

fn setting(option: &OptionInfo) -> String {
    format!("{}={}", option.name, option.default)
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::input(format!("there is no strategy `{name}`"));
    match nearest(name, registry().strategies().map(|info| info.name)) {
        Some(near) => failure.hint(format!("did you mean `{near}`?")),
        None => failure.hint("`ludex players` lists the strategies"),
    }
}

fn object(info: &StrategyInfo) -> Value {
    let options: Vec<Value> = info
        .options
        .iter()
        .map(|option| {
            json!({ "name": option.name, "default": option.default, "description": option.description })
        })
        .collect();
    json!({ "name": info.name, "description": info.description, "options": options })
}
