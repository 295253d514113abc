//! `ludex plan`: what there is to say of a plan.

use std::io::Write;

use ludex::Game;
use ludex::game::RoleId;
use ludex::logic::TermId;
use ludex::players::{Arena, Optimality, PlanError, PlanReport, Resources, Undecided, check_plan};
use serde_json::{Value, json};

use crate::Context;
use crate::console::wrapped;
use crate::failure::{Failure, ILLEGAL, UNDECIDED};
use crate::limits::{grouped, size};
use crate::moves_text::{split, text_or_file};
use crate::rulesheet::LoadArguments;

/// Arguments of `plan`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex plan buttons-and-lights --moves a,b,c,a,b,a
  ludex plan 8-puzzle --moves @plan.txt --max-time 1m

A plan is a sequence of moves of one role from the initial state on. It is legal if
every move is legal where it is made, complete if it ends the game, minimal if it
does not go on after the end, and optimal if no other plan brings more. Moves are
apart by commas or blanks. Where other roles have a choice, steps are apart by `;`
and have a move of each role.
--json: an object with game, role, moves, legal, illegal, complete, minimal, reward,
optimal, undecided, better, nodes.
Exit codes: 0 answered, 3 not decided whether it is optimal, 4 the plan is not legal.")]
pub struct PlanArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// The plan, or with a leading @ a file that has it
    #[arg(long, short, value_name = "MOVES")]
    moves: String,

    /// Whose plan it is; the first role where it is not given
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// The memory for the search for a better plan (512M, 4G)
    #[arg(long, value_name = "SIZE", default_value = "1G", value_parser = size)]
    memory: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    load: LoadArguments,
}

/// Checks a plan.
pub fn run(arguments: &PlanArguments, context: &mut Context) -> Result<(), Failure> {
    let game = arguments.load.game(&arguments.file, false, context)?;
    let role = planner(&game, arguments.role.as_deref())?;
    let words = steps(&text_or_file(&arguments.moves, &context.limits)?);
    // What the game does not know is an illegal move; its name is all there is to say of it.
    let term = |text: &String| -> Result<TermId, Failure> {
        let known = game.find_term(text).map_err(|e| Failure::input(e.to_string()))?;
        Ok(known.unwrap_or_else(|| game.signature().terms().constant(text)))
    };
    let plan: Vec<Vec<TermId>> =
        words.iter().map(|step| step.iter().map(term).collect()).collect::<Result<_, Failure>>()?;
    let resources = Resources { memory: arguments.memory, ..Resources::default() };
    let arena = Arena::new(game.machine().clone(), role, resources);
    let report = check_plan(&arena, &plan, context.limits.budget()).map_err(|error| match error {
        PlanError::Game(error) => error.into(),
        other => Failure::input(other.to_string())
            .hint(format!("a step may list the moves of {}", game.role_names().join(", "))),
    })?;
    if arguments.json {
        let text = serde_json::to_string_pretty(&object(&game, role, &words, &report))?;
        writeln!(context.console, "{text}")?;
    } else {
        show(&game, role, &words, &report, context)?;
    }
    match (&report.illegal, &report.optimality) {
        (Some(_), _) => Err(Failure::Code(ILLEGAL)),
        (None, Optimality::Undecided(Undecided::Stopped | Undecided::Contested)) => {
            Err(Failure::Code(UNDECIDED))
        }
        _ => Ok(()),
    }
}

/// The role of this name, if somebody plays it; the first such role without a name.
///
/// # Errors
/// There is no such role.
pub fn planner(game: &Game, name: Option<&str>) -> Result<RoleId, Failure> {
    let seats = game.seats();
    let known = || seats.iter().map(|&role| game.role_name(role)).collect::<Vec<_>>().join(", ");
    match name {
        None => seats.first().copied().ok_or_else(|| Failure::input("nobody plays in this game")),
        Some(name) => game.find_role(name).filter(|role| seats.contains(role)).ok_or_else(|| {
            Failure::Usage(format!("there is no role `{name}` to plan for; there are {}", known()))
        }),
    }
}

/// The moves of each step. A text without semicolons and line breaks has one move for each step.
fn steps(text: &str) -> Vec<Vec<String>> {
    let steps = split(text);
    match &steps[..] {
        [moves] if !text.trim_end().ends_with(';') => moves.iter().map(|word| vec![word.clone()]).collect(),
        _ => steps,
    }
}

fn show(
    game: &Game,
    role: RoleId,
    words: &[Vec<String>],
    report: &PlanReport,
    context: &mut Context,
) -> Result<(), Failure> {
    let console = &mut context.console;
    let plural = if words.len() == 1 { "" } else { "s" };
    let title = format!("A plan of {} with {} step{plural}", game.role_name(role), words.len());
    writeln!(console, "{}", console.bold(&title))?;
    let width = console.width();
    for (name, answer) in answers(game, words, report) {
        let answer = wrapped(&answer, width, 10);
        write!(console, "{name:10}{answer}")?;
    }
    Ok(())
}

/// What there is to say, each in a sentence.
fn answers(game: &Game, words: &[Vec<String>], report: &PlanReport) -> Vec<(&'static str, String)> {
    let mut answers = Vec::new();
    if let Some(illegal) = &report.illegal {
        let made = words.get(illegal.step - 1).map_or_else(String::new, |step| step.join(" "));
        let legal = game.texts(&illegal.legal);
        let shown = legal.iter().take(8).cloned().collect::<Vec<_>>().join(", ");
        let more = if legal.len() > 8 { format!(", and {} more", legal.len() - 8) } else { String::new() };
        let instead = if legal.is_empty() { "there is none".to_owned() } else { format!("{shown}{more}") };
        let role = game.text(illegal.role);
        answers
            .push(("legal", format!("no: step {} is `{made}`; legal for {role}: {instead}", illegal.step)));
    } else {
        answers.push(("legal", "yes".to_owned()));
    }
    if let Some(complete) = report.complete {
        answers.push((
            "complete",
            if complete { "yes" } else { "no: the last state is not terminal" }.to_owned(),
        ));
    }
    match (report.minimal, report.over_after) {
        (Some(false), Some(over)) => {
            answers.push(("minimal", format!("no: the game is over after step {over}")))
        }
        (Some(true), _) => answers.push(("minimal", "yes".to_owned())),
        _ => {}
    }
    if report.illegal.is_some() {
        return answers;
    }
    let reward = report.reward.map_or_else(|| "no single goal value".to_owned(), |goal| goal.to_string());
    answers.push(("reward", reward));
    let looked = format!("({} states looked at)", grouped(report.nodes.into()));
    answers.push((
        "optimal",
        match &report.optimality {
            Optimality::Proved if report.nodes == 0 => "yes: nothing is worth more".to_owned(),
            Optimality::Proved => format!("yes: no plan brings more {looked}"),
            Optimality::Refuted { plan, reward, is_optimal } => {
                let most = if *is_optimal { ", which is the most" } else { "" };
                let moves: Vec<String> = plan.iter().map(|joint| game.texts(joint).join(" ")).collect();
                format!(
                    "no: {} brings {reward}{most} {looked}",
                    moves.join(if game.roles().len() > 1 { "; " } else { ", " })
                )
            }
            Optimality::Undecided(why @ (Undecided::Stopped | Undecided::Contested)) => {
                format!("not decided: {why} {looked}")
            }
            Optimality::Undecided(why) => format!("no answer: {why}"),
        },
    ));
    answers
}

fn object(game: &Game, role: RoleId, words: &[Vec<String>], report: &PlanReport) -> Value {
    let terms = game.signature().terms();
    let prefix = |list: &[TermId]| list.iter().map(|&term| terms.prefix(term)).collect::<Vec<String>>();
    let illegal = report.illegal.as_ref().map(|illegal| {
        json!({
            "step": illegal.step,
            "role": terms.prefix(illegal.role),
            "legal": prefix(&illegal.legal),
        })
    });
    let (optimal, undecided, better) = match &report.optimality {
        Optimality::Proved => (Some(true), None, None),
        Optimality::Undecided(why) => (None, Some(why.to_string()), None),
        Optimality::Refuted { plan, reward, is_optimal } => {
            let moves: Vec<Vec<String>> = plan.iter().map(|joint| prefix(joint)).collect();
            (Some(false), None, Some(json!({ "moves": moves, "reward": reward, "optimal": is_optimal })))
        }
    };
    json!({
        "game": game.short_name(),
        "role": game.role_name(role),
        "moves": words,
        "legal": report.illegal.is_none(),
        "illegal": illegal,
        "complete": report.complete,
        "minimal": report.minimal,
        "reward": report.reward,
        "optimal": optimal,
        "undecided": undecided,
        "better": better,
        "nodes": report.nodes,
    })
}
