//! `ludex play --solve`: what a game is worth when everybody plays as well as possible.

use std::io::Write;

use ludex::game::{ActionId, RoleId};
use ludex::players::equilibrium::{
    Equilibrium, EquilibriumOptions, SequenceForm, UnrollOptions, find_equilibrium,
};
use ludex::players::{Solution, SolveOptions, Values, solve};
use ludex::{Game, Position};
use serde_json::{Map, Value, json};

use super::PlayArguments;
use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, UNDECIDED};
use crate::limits::grouped;
use crate::moves_text::{play_all, text_or_file};

/// Solves instead of playing.
pub fn run(
    arguments: &PlayArguments,
    opponents: ludex::players::Opponents,
    context: &mut Context,
) -> Result<(), Failure> {
    let game = arguments.load.game(&arguments.file, false, context)?;
    if !game.has_perfect_information() {
        return run_hidden(arguments, &game, context);
    }
    let mut position = game.start();
    if let Some(text) = &arguments.moves {
        play_all(&mut position, &text_or_file(text, &context.limits)?)?;
    }
    let options = SolveOptions {
        opponents,
        memory: context.limits.memory_of_players(arguments.memory, 1),
        ..SolveOptions::default()
    };
    let solution = solve(game.machine(), position.state(), &options, context.limits.budget())?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(&game, &solution))?;
        writeln!(context.console, "{text}")?;
    } else {
        show(&game, &position, &solution, context)?;
    }
    match solution.values {
        Values::Undecided(_) => Err(Failure::Code(UNDECIDED)),
        _ => Ok(()),
    }
}

/// So many nodes are searched of games in which something is hidden: seconds.
const MOST_NODES: usize = 200_000;

/// Why nothing is said of games in which something is hidden, and which have no equilibrium here.
const HIDDEN: &str = "roles do not see everything, and what a state is worth to somebody who knows it is not \
                      what can be got without knowing it";

/// Where something is hidden, a small game is worth what an equilibrium brings from the beginning on.
fn run_hidden(arguments: &PlayArguments, game: &Game, context: &mut Context) -> Result<(), Failure> {
    if arguments.moves.is_some() {
        return decline(arguments, game, "what they saw of the moves is not known", context);
    }
    let budget = context.limits.budget();
    let options = UnrollOptions { max_nodes: MOST_NODES };
    let form = match SequenceForm::new(game.program(), &**game.machine(), &options, budget) {
        Ok(form) => form,
        Err(error) => return decline(arguments, game, &error.to_string(), context),
    };
    let options = EquilibriumOptions::default();
    let found = find_equilibrium(&form, &options, budget);
    if found.exploitability > options.exploitability {
        let stopped = found.stopped.map(|limit| limit.to_string());
        let why = stopped.unwrap_or_else(|| "no strategies were found that are exact enough".to_owned());
        return decline(arguments, game, &why, context);
    }
    if arguments.json {
        let text = serde_json::to_string_pretty(&hidden_object(game, &form, &found))?;
        return Ok(writeln!(context.console, "{text}")?);
    }
    let console = &mut context.console;
    let (_, sentence) = hidden_notion(&form);
    let values = hidden_values(game, &form, &found);
    let values: Vec<String> = values.map(|(role, value)| format!("{role} {}", number(value))).collect();
    writeln!(console, "{} {}", console.bold(&format!("{sentence}:")), values.join(", "))?;
    let nodes = grouped(form.nodes() as u128);
    let how = format!(
        "{nodes} nodes looked at; `ludex solve {} --equilibrium` has the strategies",
        game.short_name()
    );
    writeln!(console, "{}", console.dim(&how))?;
    Ok(())
}

/// A name for programs, and a sentence for people.
fn hidden_notion(form: &SequenceForm) -> (&'static str, &'static str) {
    match form.sum() {
        None => ("best", "The most that can be got"),
        Some(_) => ("zero-sum", "Value with best play"),
    }
}

/// What the roles get on average, by their names.
fn hidden_values<'v>(
    game: &'v Game,
    form: &'v SequenceForm,
    found: &'v Equilibrium,
) -> impl Iterator<Item = (String, f64)> + 'v {
    form.roles().iter().zip(&found.values).map(|(sets, &value)| (game.role_name(sets.role()), value))
}

fn hidden_object(game: &Game, form: &SequenceForm, found: &Equilibrium) -> Value {
    let (notion, _) = hidden_notion(form);
    let values = hidden_values(game, form, found).map(|(role, value)| (role, Value::from(value)));
    json!({
        "game": game.short_name(),
        "rulesheet_sha256": game.sha256(),
        "notion": notion,
        "reason": null,
        "values": values.collect::<Map<_, _>>(),
        "variation": [],
        "nodes": form.nodes(),
        "table_states": 0,
        "table_bytes": 0,
    })
}

/// Says that nothing is said, and why.
fn decline(arguments: &PlayArguments, game: &Game, why: &str, context: &mut Context) -> Result<(), Failure> {
    let why = format!("{HIDDEN}; {why}");
    if arguments.json {
        let object = json!({
            "game": game.short_name(),
            "rulesheet_sha256": game.sha256(),
            "notion": "undecided",
            "reason": why,
            "values": game.seats().iter().map(|&role| (game.role_name(role), Value::Null)).collect::<Map<_, _>>(),
            "variation": [],
            "nodes": 0,
            "table_states": 0,
            "table_bytes": 0,
        });
        writeln!(context.console, "{}", serde_json::to_string_pretty(&object)?)?;
    } else {
        let console = &mut context.console;
        writeln!(console, "{}", console.bold("Not solved: GDL-II"))?;
        let width = console.width();
        write!(console, "{}", wrapped(&format!("{why}."), width, 0))?;
    }
    Err(Failure::Code(UNDECIDED))
}

/// A name for programs, a sentence for people, and the values of all roles.
fn values(solution: &Solution) -> (&'static str, &'static str, Vec<Option<f64>>) {
    let known = |values: &[f64]| values.iter().copied().map(Some).collect();
    match &solution.values {
        Values::Best(value) => ("best", "The most that can be got", vec![Some(*value)]),
        Values::ZeroSum(values) => ("zero-sum", "Value with best play", known(values)),
        Values::Guaranteed(values) => ("guaranteed", "What each role can be sure of", known(values)),
        Values::MaxN(values) => ("max-n", "Value where each role plays for its own goal", known(values)),
        Values::AgainstCoalition(values) => {
            ("coalition", "What each role gets where all others play as one", known(values))
        }
        Values::Undecided(values) => ("undecided", "Not decided within the limits", values.clone()),
    }
}

fn object(game: &Game, solution: &Solution) -> Value {
    let (notion, _, values) = values(solution);
    let of_roles: Map<String, Value> = players_values(game, &values)
        .map(|(role, value)| (game.role_name(role), value.map_or(Value::Null, Value::from)))
        .collect();
    let texts = |joint: &Vec<ActionId>| -> Vec<String> {
        let terms = game.signature().terms();
        joint.iter().map(|&action| terms.prefix(game.signature().action(action))).collect()
    };
    json!({
        "game": game.short_name(),
        "rulesheet_sha256": game.sha256(),
        "notion": notion,
        "reason": (notion == "undecided").then_some("a limit was reached"),
        "values": of_roles,
        "variation": solution.variation.iter().map(texts).collect::<Vec<_>>(),
        "nodes": solution.nodes,
        "table_states": solution.table_len,
        "table_bytes": solution.table_bytes,
    })
}

/// The values of all roles but the one that moves at random.
fn players_values<'v>(
    game: &'v Game,
    values: &'v [Option<f64>],
) -> impl Iterator<Item = (RoleId, Option<f64>)> + 'v {
    let random = game.random_role();
    game.roles().zip(values.iter().copied()).filter(move |(role, _)| Some(*role) != random)
}

fn show(game: &Game, start: &Position, solution: &Solution, context: &mut Context) -> Result<(), Failure> {
    let console = &mut context.console;
    let (_, sentence, values) = values(solution);
    let of_roles: Vec<String> = players_values(game, &values)
        .map(|(role, value)| {
            let value = value.map_or_else(|| "unknown".to_owned(), number);
            format!("{} {value}", game.role_name(role))
        })
        .collect();
    writeln!(console, "{} {}", console.bold(&format!("{sentence}:")), of_roles.join(", "))?;
    let (nodes, states) = (grouped(solution.nodes.into()), grouped(solution.table_len as u128));
    writeln!(console, "{}", console.dim(&format!("{nodes} states looked at, {states} remembered")))?;
    if solution.variation.is_empty() {
        return Ok(());
    }
    writeln!(console, "\nA line of best play:")?;
    let digits = (start.step() + solution.variation.len()).to_string().len();
    for (step, joint) in (start.step() + 1..).zip(&solution.variation) {
        let moves: Vec<String> = game
            .roles()
            .zip(joint)
            .map(|(role, &action)| {
                format!("{} {}", game.role_name(role), game.text(game.signature().action(action)))
            })
            .collect();
        writeln!(console, "  {step:digits$}  {}", moves.join(", "))?;
    }
    Ok(())
}

/// A value without decimals where it has none.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}
