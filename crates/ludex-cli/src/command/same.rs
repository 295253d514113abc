//! `ludex same`: whether two rulesheets are the same game under other names.

use std::io::Write;

use ludex::analysis::Reason;
use ludex::analysis::rule_graph::Names;
use ludex::analysis::sameness::{Difference, Sameness, Translation, compare, compare_clauses};
use ludex::game::RoleId;
use ludex::gdl::{Checked, GameProgram};
use ludex::{Engine, Game};
use serde_json::{Map, Value, json};

use crate::Context;
use crate::console::{table, wrapped};
use crate::failure::{DIFFERENT, Failure, UNDECIDED};
use crate::rulesheet::{ReadArguments, is_part, read_rules, run_checked};

/// Arguments of `same`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex same tic-tac-toe my-game.kif
  ludex convert tic-tac-toe --scramble 7 > other.kif && ludex same tic-tac-toe other.kif

The clauses are compared first, whatever their names, variables and order are. Where
they differ, the ground rules are compared, which takes longer; --max-time limits it. Of
rules that are no whole game only the clauses are compared. \"Different\" says that no
renaming makes one rulesheet of the other, and what differs.
--json: an object with first, second, answer (same, different, undecided), by (rules,
ground rules or null), symbols (each with its other name), arguments (of symbols that have
them in another order, from 1), roles, moves and propositions (where the ground rules were
compared), rules and ground (in what they differ), play (a difference in play), reason.
Exit codes: 0 the same, 3 not decided, 4 different.")]
pub struct SameArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    first: String,

    /// Another one
    #[arg(value_name = "OTHER")]
    second: String,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArguments,
}

/// Compares.
pub fn run(arguments: &SameArguments, context: &mut Context) -> Result<(), Failure> {
    let first = read_rules(&arguments.first, &arguments.read, context)?;
    let second = read_rules(&arguments.second, &arguments.read, context)?;
    let whole = |checked: &Checked| !checked.has_errors();
    let comparable = |checked: &Checked| whole(checked) || is_part(checked);
    let is_timed = first.dialect.is_timed() || second.dialect.is_timed();
    if let (Some(one), Some(other)) = (&first.game, &second.game)
        && comparable(&first)
        && comparable(&second)
        && (is_timed || !(whole(&first) && whole(&second)))
    {
        let why = if is_timed { "this is a game in real time" } else { "these rules are no whole game" };
        return compare_parts(one, other, why, arguments.json, context);
    }
    let game =
        |checked| run_checked(checked, arguments.read.options()?, &Engine::Rules.into(), true, context);
    let (first, second) = (game(first)?, game(second)?);
    let found = compare(first.subject(), second.subject(), context.limits.budget());
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(&first, &second, &found))?;
        writeln!(context.console, "{text}")?;
    } else {
        let text = text(&first, &second, &found, context);
        context.console.write_all(text.as_bytes())?;
    }
    exit_code(&found)
}

fn exit_code(found: &Sameness) -> Result<(), Failure> {
    match found {
        Sameness::Rules(_) | Sameness::Ground(_) => Ok(()),
        Sameness::Different(_) => Err(Failure::Code(DIFFERENT)),
        Sameness::Undecided { .. } => Err(Failure::Code(UNDECIDED)),
    }
}

/// Compares only the clauses of rules that are not played, and says why they are not.
fn compare_parts(
    first: &GameProgram,
    second: &GameProgram,
    why: &str,
    json: bool,
    context: &mut Context,
) -> Result<(), Failure> {
    let found = compare_clauses(first, second, context.limits.budget());
    if json {
        let names = [first.source.short_name(), second.source.short_name()];
        let more = match &found {
            Sameness::Rules(names) => names_object(names),
            Sameness::Different(difference) => difference_object(difference),
            Sameness::Undecided { reason, .. } => json!({ "rules": null, "reason": reason.to_string() }),
            Sameness::Ground(_) => json!({}),
        };
        let text = serde_json::to_string_pretty(&answer_object(names, &found, more))?;
        writeln!(context.console, "{text}")?;
        return exit_code(&found);
    }
    let text = match &found {
        Sameness::Rules(names) => same_clauses_text(names, context),
        Sameness::Different(difference) => {
            let title = context.console.bold("Different: no renaming makes one of the other.");
            let left = format!("not compared: {why}");
            format!(
                "{title}\n{}{}",
                line("clauses", &difference.rules, context),
                line("play", &left, context)
            )
        }
        Sameness::Undecided { reason, .. } => undecided_text(None, reason, context),
        Sameness::Ground(_) => String::new(),
    };
    context.console.write_all(text.as_bytes())?;
    exit_code(&found)
}

fn same_clauses_text(names: &Names, context: &Context) -> String {
    let console = &context.console;
    if names.is_identity() {
        return format!("{}\n", console.bold("The same game, under the same names."));
    }
    format!("{}\n\n{}", console.bold("The same game under other names."), names_text(names, context))
}

fn undecided_text(rules: Option<&str>, reason: &Reason, context: &Context) -> String {
    let title = context.console.bold("Not decided.");
    let rules = rules.map_or_else(String::new, |rules| line("clauses", rules, context));
    format!("{title}\n{rules}{}", line("because", &reason.to_string(), context))
}

fn text(first: &Game, second: &Game, found: &Sameness, context: &Context) -> String {
    let console = &context.console;
    match found {
        Sameness::Rules(names) => same_clauses_text(names, context),
        Sameness::Ground(translation) => {
            let title = console.bold("The same game, written in another way.");
            format!("{title}\n\n{}", translation_text(first, second, translation, context))
        }
        Sameness::Different(difference) => {
            let title = console.bold("Different: no renaming makes one of the other.");
            format!("{title}\n{}", difference_text(difference, context))
        }
        Sameness::Undecided { rules, reason } => undecided_text(rules.as_deref(), reason, context),
    }
}

fn line(name: &str, text: &str, context: &Context) -> String {
    format!("{name:14}{}", wrapped(text, context.console.width(), 14))
}

fn difference_text(difference: &Difference, context: &Context) -> String {
    let mut out = line("clauses", &difference.rules, context);
    if let Some(ground) = &difference.ground {
        out.push_str(&line("ground rules", ground, context));
    }
    match &difference.play {
        Some(play) => out.push_str(&line("play", &play.to_string(), context)),
        None => out.push_str(&line("play", "no difference in the first steps", context)),
    }
    out
}

fn names_text(names: &Names, context: &Context) -> String {
    let mut rows = vec![vec!["HERE".to_owned(), "THERE".to_owned()]];
    rows.extend(names.renamed().map(|(old, new)| vec![old.to_owned(), new.to_owned()]));
    for (symbol, places) in &names.arguments {
        let here: Vec<String> = (1..=places.len()).map(|at| at.to_string()).collect();
        let mut there = vec![String::new(); places.len()];
        places.iter().zip(&here).for_each(|(&place, at)| there[place].clone_from(at));
        let other = names.other(symbol).unwrap_or(symbol);
        rows.push(vec![format!("{symbol}(#{})", here.join(",#")), format!("{other}(#{})", there.join(",#"))]);
    }
    table(&context.console, &rows, &[])
}

fn translation_text(first: &Game, second: &Game, translation: &Translation, context: &Context) -> String {
    let heading = |what: &str| vec![what.to_owned(), "THERE".to_owned()];
    let mut roles = vec![heading("ROLE")];
    for (role, &there) in translation.roles.iter().enumerate() {
        roles.push(vec![first.role_name(RoleId(role as u32)), second.role_name(RoleId(there as u32))]);
    }
    let mut out = table(&context.console, &roles, &[]);
    let mut moves = vec![vec!["ROLE".to_owned(), "MOVE".to_owned(), "THERE".to_owned()]];
    for &(role, action, there) in &translation.moves {
        moves.push(vec![first.role_name(RoleId(role as u32)), first.text(action), second.text(there)]);
    }
    let mut facts = vec![heading("PROPOSITION")];
    facts.extend(translation.facts.iter().map(|&(fact, there)| vec![first.text(fact), second.text(there)]));
    for rows in [moves, facts] {
        out.push('\n');
        out.push_str(&table(&context.console, &rows, &[]));
    }
    out
}

fn object(first: &Game, second: &Game, found: &Sameness) -> Value {
    let more = match found {
        Sameness::Rules(names) => names_object(names),
        Sameness::Ground(translation) => translation_object(first, second, translation),
        Sameness::Different(difference) => difference_object(difference),
        Sameness::Undecided { rules, reason } => json!({ "rules": rules, "reason": reason.to_string() }),
    };
    answer_object([first.short_name(), second.short_name()], found, more)
}

fn difference_object(difference: &Difference) -> Value {
    json!({
        "rules": difference.rules,
        "ground": difference.ground,
        "play": difference.play.as_ref().map(ToString::to_string),
    })
}

fn answer_object([first, second]: [&str; 2], found: &Sameness, more: Value) -> Value {
    let mut object = Map::new();
    object.insert("first".into(), first.into());
    object.insert("second".into(), second.into());
    let (answer, by) = match found {
        Sameness::Rules(_) => ("same", Some("rules")),
        Sameness::Ground(_) => ("same", Some("ground rules")),
        Sameness::Different(_) => ("different", None),
        Sameness::Undecided { .. } => ("undecided", None),
    };
    object.insert("answer".into(), answer.into());
    object.insert("by".into(), by.into());
    if let Value::Object(more) = more {
        object.extend(more);
    }
    Value::Object(object)
}

fn names_object(names: &Names) -> Value {
    let symbols: Map<String, Value> =
        names.symbols.iter().map(|(old, new)| (old.clone(), new.as_str().into())).collect();
    let places = |places: &[usize]| places.iter().map(|place| place + 1).collect::<Vec<_>>();
    let arguments: Map<String, Value> =
        names.arguments.iter().map(|(symbol, found)| (symbol.clone(), places(found).into())).collect();
    json!({ "symbols": symbols, "arguments": arguments })
}

fn translation_object(first: &Game, second: &Game, translation: &Translation) -> Value {
    let role = |game: &Game, role: usize| game.role_name(RoleId(role as u32));
    let roles: Map<String, Value> = translation
        .roles
        .iter()
        .enumerate()
        .map(|(here, &there)| (role(first, here), role(second, there).into()))
        .collect();
    let moves: Vec<Value> = translation
        .moves
        .iter()
        .map(|&(of, action, there)| {
            json!({ "role": role(first, of), "move": first.text(action), "there": second.text(there) })
        })
        .collect();
    let facts: Map<String, Value> = translation
        .facts
        .iter()
        .map(|&(fact, there)| (first.text(fact), second.text(there).into()))
        .collect();
    json!({ "roles": roles, "moves": moves, "propositions": facts })
}
