//! `ludex step`: a game step by step, forward and back; a game in real time by moments.

mod session;
mod timed;

use std::io::Write;

use ludex::Playable;
use ludex::gdl::GameProgram;
use ludex::logic::Formula;
use ludex::logic::derive::{ExplainOptions, Query};

use crate::Context;
use crate::failure::Failure;
use crate::moves_text::{play_all, text_or_file};
use crate::prompt::Prompt;
use crate::reasoning::{NO_FACTS_WITH_STEPS, Reasoning, show_moment};
use crate::rulesheet::LoadArguments;
use session::Session;

/// Arguments of `step`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex step tic-tac-toe
  ludex step connect-four --moves 'drop(4); drop(4)'
  ludex step timed-tic-tac-toe --moves 'advance 0.5; xplayer does mark(1,1)'
  echo 'random 3
        why legal(white,noop)' | ludex step tic-tac-toe

At the prompt, a number or a move makes a step; `help` lists the commands. In games in
real time `advance 2.5` lets time pass, and `xplayer does mark(1,1)` makes a move.")]
pub struct StepArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Make these joint moves first: "mark(1,1) noop; noop mark(2,2)", or @FILE
    #[arg(long, value_name = "MOVES", conflicts_with = "facts")]
    moves: Option<String>,

    /// Begin in the state in which exactly these facts hold, or @FILE
    #[arg(long, value_name = "FACTS")]
    facts: Option<String>,

    /// Decides the moves that `random` makes
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    load: LoadArguments,
}

/// Steps.
pub fn run(arguments: &StepArguments, context: &mut Context) -> Result<(), Failure> {
    let game = match arguments.load.playable(&arguments.file, true, context)? {
        Playable::InSteps(game) => game,
        Playable::InTime(rules) => return timed::run(arguments, &rules, context),
    };
    let mut position = game.start();
    if let Some(facts) = &arguments.facts {
        if game.rules().dialect().has_steps() {
            return Err(Failure::Usage(NO_FACTS_WITH_STEPS.into()));
        }
        let state = game
            .read_state(&text_or_file(facts, &context.limits)?)
            .map_err(|e| Failure::input(e.to_string()))?;
        position = ludex::Position::starting_in(game.rules().clone(), state);
    }
    if let Some(moves) = &arguments.moves {
        play_all(&mut position, &text_or_file(moves, &context.limits)?)?;
    }
    converse(&mut Session::new(game, position, arguments.seed, context), context)
}

/// What happens after a command.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Flow {
    /// The next command.
    Stay,
    /// What is stepped through has changed and is shown.
    Show,
    /// The end.
    Quit,
}

/// What is stepped through at the prompt.
trait Stepper {
    /// Shows where it is.
    fn show(&mut self, context: &mut Context) -> Result<(), Failure>;
    /// Obeys one line.
    fn obey(&mut self, line: &str, context: &mut Context) -> Result<Flow, Failure>;
}

/// Obeys line after line. What the user got wrong is said and does not end it; the end of the time of the command does.
fn converse(stepper: &mut dyn Stepper, context: &mut Context) -> Result<(), Failure> {
    let mut prompt = Prompt::new();
    writeln!(context.console, "{}", context.console.dim("`help` lists the commands"))?;
    stepper.show(context)?;
    loop {
        context.console.flush()?;
        let Some(line) = prompt.ask("> ")? else { return Ok(()) };
        context.limits.budget().meter().check()?;
        let (message, hint) = match stepper.obey(line.trim(), context) {
            Ok(Flow::Quit) => return Ok(()),
            Ok(Flow::Show) => {
                stepper.show(context)?;
                continue;
            }
            Ok(Flow::Stay) => continue,
            Err(Failure::Input { message, hint }) => (message, hint),
            Err(Failure::Usage(message)) => (message, None),
            Err(other) => return Err(other),
        };
        context.limits.budget().meter().check()?;
        writeln!(context.console, "{message}")?;
        if let Some(hint) = hint {
            writeln!(context.console, "  hint: {hint}")?;
        }
    }
}

/// The atom after a command that needs one.
fn atom<'t>(command: &str, text: &'t str, example: &str) -> Result<&'t str, Failure> {
    if text.is_empty() {
        return Err(Failure::input(format!("`{command}` needs an atom, such as `{command} {example}`")));
    }
    Ok(text)
}

/// Makes a query for a fact of the state, which is given, one for what made it a fact, which is worth more. Whether the
/// query is about how the state came to be.
fn ask_for_cause(query: &mut Query, game: &GameProgram, at_start: bool) -> bool {
    let vocabulary = &game.vocabulary;
    let Formula::Atom(atom) = &mut query.formula else { return false };
    if atom.relation == vocabulary.truth {
        atom.relation = if at_start { vocabulary.init } else { vocabulary.next };
        return true;
    }
    atom.relation == vocabulary.next || atom.relation == vocabulary.sees
}

/// Explains an atom.
fn explain_to(context: &mut Context, reasoning: &Reasoning, query: Query) -> Result<(), Failure> {
    let options = ExplainOptions::default();
    let (text, rules) = reasoning.explain(query, &options, &mut context.limits.budget().meter())?;
    let console = &mut context.console;
    show_moment(reasoning, console)?;
    console.write_all(text.as_bytes())?;
    if !rules.is_empty() {
        writeln!(console, "{}", console.dim("rules"))?;
        console.write_all(rules.as_bytes())?;
    }
    Ok(())
}

/// Gives all answers to a query.
fn answer_to(context: &mut Context, reasoning: &Reasoning, query: &Query) -> Result<(), Failure> {
    let (answers, stopped) = reasoning.answers(query, &mut context.limits.budget().meter())?;
    if let Some(limit) = stopped {
        return Err(limit.into());
    }
    let text = reasoning.answers_text(query, &answers, true, &context.console);
    show_moment(reasoning, &mut context.console)?;
    context.console.write_all(text.as_bytes())?;
    Ok(())
}
