//! `ludex players`: the strategies.

use std::io::Write;

use ludex::explore::blind_players;
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
Players without rules have no options: `ludex match --blind` lets them play.
--json: a list of objects with name, description, options, each of these with name,
default, description, and without_rules.")]
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
    let is_meant = |name: &str| arguments.name.as_deref().is_none_or(|wanted| wanted == name);
    let shown: Vec<&StrategyInfo> = registry().strategies().filter(|info| is_meant(info.name)).collect();
    let blind: Vec<&(&str, &str)> = blind_players().iter().filter(|(name, _)| is_meant(name)).collect();
    if let (Some(name), true) = (&arguments.name, shown.is_empty() && blind.is_empty()) {
        return Err(unknown(name));
    }
    if arguments.json {
        let list: Vec<Value> =
            shown.iter().map(|info| object(info)).chain(blind.iter().map(blind_object)).collect();
        writeln!(context.console, "{}", serde_json::to_string_pretty(&list)?)?;
        return Ok(());
    }
    match &arguments.name {
        Some(_) => describe(&shown, &blind, context),
        None => list(&shown, &blind, context),
    }
}

/// All that one name stands for.
fn describe(shown: &[&StrategyInfo], blind: &[&(&str, &str)], context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    for info in shown {
        let text = wrapped(&format!("{}: {}", info.name, info.description), console.width(), 2);
        let rest = text.strip_prefix(info.name).unwrap_or(&text);
        write!(console, "{}{rest}", console.bold(info.name))?;
        if info.options.is_empty() {
            writeln!(console, "It has no options.")?;
            continue;
        }
        let mut rows = vec![heading(["OPTION=DEFAULT", "MEANING"])];
        rows.extend(info.options.iter().map(|option| vec![setting(option), option.description.to_owned()]));
        write!(console, "\n{}", prose_table(console, &rows))?;
    }
    for (number, (name, description)) in blind.iter().enumerate() {
        if number + shown.len() > 0 {
            writeln!(console)?;
        }
        write!(console, "{}", wrapped(&format!("{name}: {description}"), console.width(), 2))?;
        writeln!(console, "It plays without rules, and has no options.")?;
    }
    Ok(())
}

fn list(shown: &[&StrategyInfo], blind: &[&(&str, &str)], context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    let mut rows = vec![heading(["NAME", "WHAT IT DOES"])];
    for info in shown {
        rows.push(vec![info.name.to_owned(), info.description.to_owned()]);
        let options: Vec<String> = info.options.iter().map(setting).collect();
        if !options.is_empty() {
            rows.push(vec![String::new(), options.join(" ")]);
        }
    }
    write!(console, "{}", prose_table(console, &rows))?;
    let mut rows = vec![heading(["WITHOUT RULES", "WHAT IT DOES"])];
    rows.extend(blind.iter().map(|(name, description)| heading([name, description])));
    write!(console, "\n{}", prose_table(console, &rows))?;
    Ok(())
}

fn heading(names: [&str; 2]) -> Vec<String> {
    names.map(str::to_owned).to_vec()
}

fn setting(option: &OptionInfo) -> String {
    format!("{}={}", option.name, option.default)
}

fn unknown(name: &str) -> Failure {
    let failure = Failure::input(format!("there is no strategy `{name}`"));
    let known = registry().strategies().map(|info| info.name);
    match nearest(name, known.chain(blind_players().iter().map(|(name, _)| *name))) {
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
    json!({
        "name": info.name, "description": info.description, "options": options, "without_rules": false
    })
}

fn blind_object((name, description): &&(&str, &str)) -> Value {
    json!({ "name": name, "description": description, "options": [], "without_rules": true })
}
