//! `ludex solve --equilibrium`.

use std::io::Write;
use std::time::Duration;

use ludex::Game;
use ludex::game::GameError;
use ludex::players::equilibrium::{
    Equilibrium, EquilibriumError, EquilibriumOptions, SequenceForm, SetText, UnrollOptions,
    find_equilibrium, strategy_text,
};
use serde_json::{Map, Value, json};

use super::DEFAULT_TIME;
use crate::Context;
use crate::console::{Console, table, wrapped};
use crate::failure::{Failure, UNDECIDED};
use crate::limits::{duration_text, grouped};

/// Options of other questions.
pub(super) const OTHER_QUESTIONS: [&str; 12] = [
    "any", "all", "together", "force", "asp", "asp_out", "moves", "faithful", "role", "goal", "horizon",
    "models",
];

/// How exact an equilibrium is to be, and what is shown of it.
#[derive(Clone, Debug, clap::Args)]
pub struct EquilibriumArguments {
    /// Find strategies for two roles against which little can be won, or the best plan for one role against chance,
    /// where roles do not see everything or move at once
    #[arg(long, group = "mixed", conflicts_with_all = OTHER_QUESTIONS, help_heading = "Equilibrium")]
    pub equilibrium: bool,

    /// How much may be won against the strategies at most, in goal points, on average over both roles
    #[arg(long, value_name = "POINTS", default_value_t = EquilibriumOptions::default().exploitability,
          value_parser = points, allow_negative_numbers = true, requires = "mixed",
          help_heading = "Equilibrium")]
    exploitability: f64,

    /// The most iterations
    #[arg(long, value_name = "N", default_value_t = EquilibriumOptions::default().iterations,
          requires = "mixed", help_heading = "Equilibrium")]
    iterations: u64,

    /// The most nodes of the game tree
    #[arg(long, value_name = "N", default_value_t = UnrollOptions::default().max_nodes,
          requires = "mixed", help_heading = "Equilibrium")]
    max_nodes: usize,

    /// Show all of the strategies, and not only what fits on a screen
    #[arg(long, requires = "equilibrium", help_heading = "Equilibrium")]
    pub strategy: bool,
}

impl EquilibriumArguments {
    pub(super) fn options(&self) -> EquilibriumOptions {
        EquilibriumOptions { exploitability: self.exploitability, iterations: self.iterations }
    }
}

/// Reads goal points.
pub(super) fn points(text: &str) -> Result<f64, String> {
    let found = text.parse().ok().filter(|points: &f64| points.is_finite() && *points >= 0.0);
    found.ok_or_else(|| format!("`{text}` is not a number of goal points, such as 0.01"))
}

/// As many information sets as fit on a screen.
const SCREENFUL: usize = 20;
/// As many moves of a set are shown where not all is.
const FEW_MOVES: usize = 4;

/// What was found, or why nothing was.
type Answer = Result<(SequenceForm, Equilibrium), String>;

/// Looks for an equilibrium, and shows it.
pub fn run(game: &Game, arguments: &super::SolveArguments, context: &mut Context) -> Result<(), Failure> {
    let wanted = &arguments.equilibrium;
    let budget = context.limits.analysis_budget(DEFAULT_TIME);
    let began = context.limits.now();
    let answer = match unroll(game, wanted, &budget) {
        Ok(form) => {
            let found = find_equilibrium(&form, &wanted.options(), &budget);
            Ok((form, found))
        }
        Err(error) => Err(undecided(error)?),
    };
    let time = context.limits.now().saturating_sub(began);
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(game, wanted, &answer, time))?;
        writeln!(context.console, "{text}")?;
    } else {
        show(game, wanted, &answer, time, context)?;
    }
    match answer {
        Ok((_, found)) if found.exploitability <= wanted.exploitability => Ok(()),
        _ => Err(Failure::Code(UNDECIDED)),
    }
}

/// The sequence form of a game.
pub(super) fn unroll(
    game: &Game,
    arguments: &EquilibriumArguments,
    budget: &ludex::logic::Budget,
) -> Result<SequenceForm, EquilibriumError> {
    let options = UnrollOptions { max_nodes: arguments.max_nodes };
    SequenceForm::new(game.program(), &**game.machine(), &options, budget)
}

/// Why the game is not unrolled within the limits.
///
/// # Errors
/// What no limit would mend.
pub(super) fn undecided(error: EquilibriumError) -> Result<String, Failure> {
    match error {
        EquilibriumError::TooLarge { .. } => Ok(format!("{error}; `--max-nodes` allows more")),
        EquilibriumError::Game(GameError::Limit(limit)) => Ok(limit.to_string()),
        EquilibriumError::Game(error) => Err(error.into()),
        other => Err(Failure::input(other.to_string())),
    }
}

/// The names of the roles that decide, in order.
pub(super) fn names(game: &Game, form: &SequenceForm) -> Vec<String> {
    form.roles().iter().map(|sets| game.role_name(sets.role())).collect()
}

/// An expected goal.
pub(super) fn goal_text(value: f64) -> String {
    format!("{value:.4}")
}

/// A few goal points with as many digits as they need.
pub(super) fn points_text(points: f64) -> String {
    if points == 0.0 || points >= 0.01 { format!("{points:.4}") } else { format!("{points:.1e}") }
}

/// Values of roles in a line.
fn values_text(names: &[String], values: &[f64]) -> String {
    let each = names.iter().zip(values).map(|(name, &value)| format!("{name} {}", goal_text(value)));
    each.collect::<Vec<_>>().join(", ")
}

fn show(
    game: &Game,
    wanted: &EquilibriumArguments,
    answer: &Answer,
    time: Duration,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    let (form, found) = match answer {
        Ok(found) => found,
        Err(why) => {
            let title = format!("No equilibrium of {} was found", game.short_name());
            writeln!(console, "{}", console.bold(&title))?;
            return Ok(write!(console, "because      {}", wrapped(why, console.width(), 13))?);
        }
    };
    let names = names(game, form);
    let values = values_text(&names, &found.values);
    let title = match (form.sum(), found.exploitability <= wanted.exploitability) {
        (None, _) => format!("The best plan in {}: {values}", game.short_name()),
        (Some(_), true) => format!("An equilibrium of {}: {values}", game.short_name()),
        (Some(_), false) => format!("No equilibrium of {} that is as exact: {values}", game.short_name()),
    };
    writeln!(console, "{}", console.bold(&title))?;
    let mut lines = Vec::new();
    if form.sum().is_some() {
        let wanted = points_text(wanted.exploitability);
        let points = points_text(found.exploitability);
        lines.push((
            "exploitable",
            format!("by {points} goal points on average over both roles ({wanted} allowed)"),
        ));
        lines.push(("guaranteed", values_text(&names, &found.guaranteed)));
        lines.push(("iterations", grouped(found.iterations.into())));
    }
    lines.extend(found.stopped.iter().map(|limit| ("because", limit.to_string())));
    let sets = names.iter().zip(form.roles()).map(|(name, sets)| format!("{name} {}", sets.len()));
    let (nodes, ends) = (grouped(form.nodes() as u128), grouped(form.leaves() as u128));
    let sets = sets.collect::<Vec<_>>().join(", ");
    let size =
        format!("{nodes} nodes, {ends} of them ends; information sets: {sets}; {}", duration_text(time));
    lines.push(("looked at", size));
    let width = console.width();
    for (name, answer) in lines {
        write!(console, "{name:13}{}", wrapped(&answer, width, 13))?;
    }
    let texts: Vec<Vec<SetText>> = (0..names.len())
        .map(|role| strategy_text(form, role, &found.strategies, &|term| game.text(term)))
        .collect();
    show_strategies(&names, &texts, wanted.strategy, console)
}

/// Strategies as tables: all of them, or the information sets that are reached most.
pub(super) fn show_strategies(
    names: &[String],
    texts: &[Vec<SetText>],
    all: bool,
    console: &mut Console,
) -> Result<(), Failure> {
    let mut reached: Vec<f64> = texts.iter().flatten().map(|set| set.reach).collect();
    let count = reached.len();
    reached.sort_by(|a, b| b.total_cmp(a));
    let mut room = if all { count } else { SCREENFUL };
    let least = reached.get(room.saturating_sub(1)).copied().unwrap_or(0.0);
    for (name, sets) in names.iter().zip(texts) {
        let mut rows = vec![["step", "reached", "moves", "after"].map(str::to_owned).to_vec()];
        for set in sets {
            if room > 0 && (all || set.reach >= least) {
                room -= 1;
                let step = (set.told.len() + 1).to_string();
                rows.push(vec![step, percent(set.reach), moves_text(set, all), set.to_string()]);
            }
        }
        if rows.len() > 1 {
            writeln!(console, "\n{}", console.bold(name))?;
            write!(console, "{}", table(console, &rows, &[true, true]))?;
        }
    }
    if !all && count > SCREENFUL {
        let left = grouped((count - SCREENFUL) as u128);
        writeln!(
            console,
            "\n{}",
            console.dim(&format!("{left} more information sets; `--strategy` shows all"))
        )?;
    }
    Ok(())
}

fn percent(probability: f64) -> String {
    format!("{:.1} %", 100.0 * probability)
}

/// The moves that are made at all, the likeliest first: all of them, or a few.
fn moves_text(set: &SetText, all: bool) -> String {
    let mut made: Vec<_> = set.moves.iter().filter(|action| action.probability >= 0.0005).collect();
    made.sort_by(|a, b| b.probability.total_cmp(&a.probability));
    let shown = if all { made.len() } else { FEW_MOVES };
    let texts =
        made.iter().take(shown).map(|action| format!("{} {}", action.action, percent(action.probability)));
    let mut text = texts.collect::<Vec<_>>().join(", ");
    if made.len() > shown {
        text.push_str(&format!(", {} more", made.len() - shown));
    }
    text
}

/// A strategy of each role as JSON, by role.
pub(super) fn strategies_json(
    game: &Game,
    form: &SequenceForm,
    strategies: &[ludex::players::equilibrium::BehaviourStrategy],
) -> Value {
    let terms = game.signature().terms();
    let of_role = |(number, name): (usize, String)| {
        let texts = strategy_text(form, number, strategies, &|term| terms.prefix(term));
        (name, json!(texts))
    };
    Value::Object(names(game, form).into_iter().enumerate().map(of_role).collect())
}

fn object(game: &Game, wanted: &EquilibriumArguments, answer: &Answer, time: Duration) -> Value {
    let seconds = (time.as_secs_f64() * 1000.0).round() / 1000.0;
    let (form, found) = match answer {
        Ok(found) => found,
        Err(why) => {
            return json!({
                "game": game.short_name(),
                "rulesheet_sha256": game.sha256(),
                "result": "undecided",
                "reason": why,
                "seconds": seconds,
            });
        }
    };
    let names = names(game, form);
    let by_role = |values: &[f64]| -> Map<String, Value> {
        names.iter().cloned().zip(values.iter().map(|&value| Value::from(value))).collect()
    };
    let sets = names.iter().cloned().zip(form.roles().iter().map(|sets| Value::from(sets.len())));
    let is_found = found.exploitability <= wanted.exploitability;
    json!({
        "game": game.short_name(),
        "rulesheet_sha256": game.sha256(),
        "result": if is_found { "found" } else { "undecided" },
        "reason": found.stopped.as_ref().map(ToString::to_string),
        "values": by_role(&found.values),
        "guaranteed": by_role(&found.guaranteed),
        "exploitability": found.exploitability,
        "iterations": found.iterations,
        "nodes": form.nodes(),
        "ends": form.leaves(),
        "information_sets": sets.collect::<Map<_, _>>(),
        "strategies": strategies_json(game, form, &found.strategies),
        "seconds": seconds,
    })
}
