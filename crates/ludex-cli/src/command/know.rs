//! `ludex know`: what a role can know of the state by what it was told.

use std::io::Write;

use ludex::Game;
use ludex::logic::TermId;
use ludex::players::News;

use crate::Context;
use crate::failure::Failure;
use crate::knowledge::{Known, MOST_STATES, options_for, role_that_knows};
use crate::limits::Limits;
use crate::moves_text::{split, text_or_file};
use crate::rulesheet::LoadArguments;

/// Arguments of `know`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex know blind-tic-tac-toe --role white --history '(mark 2 2) ok; (mark 1 3)'
  ludex know monty-hall --role candidate --history 'noop; choose(1); noop opened(3)'
  ludex know tic-tac-toe --role o --history 'mark(1,1) noop; noop mark(2,2)'

A history is a list of steps, divided by semicolons or line breaks. In GDL-II each is the
move of the role, and after it all that the role saw; in GDL it is the joint move. Chance
and the other roles are taken to make each legal move with equal likelihood.

Where there are more states than --limit, a sample of them stands for all. What holds in
all of the sample is then certain only where a solver proves that it holds in every state
that fits. For that the rules must be a net (--engine).

--json: an object with role, steps, states, all (whether these are all that are possible),
facts and moves (objects with term, likelihood, states and certain), over (likelihood and
certain), and with --states possible: a list of objects with likelihood and facts.")]
pub struct KnowArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Whose knowledge; the first role that is not random where it is not given
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// What the role did and saw, or with a leading @ a file with it
    #[arg(long, value_name = "STEPS", default_value = "")]
    history: String,

    /// Show the possible states, the likeliest first
    #[arg(long)]
    states: bool,

    /// The most states that are kept
    #[arg(long, value_name = "N", default_value_t = MOST_STATES)]
    limit: usize,

    /// Decides which states are kept where there are more
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    load: LoadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// Says what can be known.
pub fn run(arguments: &KnowArguments, context: &mut Context) -> Result<(), Failure> {
    let game = arguments.load.game(&arguments.file, false, context)?;
    let role = role_that_knows(&game, arguments.role.as_deref())?;
    let history = read_history(&game, &arguments.history, &context.limits)?;
    let options = options_for(arguments.limit, arguments.seed);
    let mut belief = game.seat(role).belief(options);
    history.iter().for_each(|news| belief.observe(news));
    let known = Known::of(&game, &mut belief, context)?;
    if arguments.json {
        let text = known.json(&game, &belief, arguments.states);
        writeln!(context.console, "{text:#}")?;
    } else {
        let text = known.text(&game, &belief, arguments.states, context);
        context.console.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// What the role did and saw, step by step.
fn read_history(game: &Game, text: &str, limits: &Limits) -> Result<Vec<News>, Failure> {
    let text = text_or_file(text, limits)?;
    let is_open = game.program().has_perfect_information();
    let mut history = Vec::new();
    for (number, step) in split(&text).into_iter().filter(|step| !step.is_empty()).enumerate() {
        let read = |term: &String| {
            game.read_term(term).map_err(|error| Failure::Usage(format!("step {}: {error}", number + 1)))
        };
        let mut terms = step.iter().map(read).collect::<Result<Vec<TermId>, Failure>>()?;
        let moves = if is_open { terms.len() } else { 1 };
        if let Some(&term) = terms[..moves].iter().find(|&&term| game.signature().find_action(term).is_none())
        {
            let text = game.text(term);
            return Err(Failure::Usage(format!("step {}: `{text}` is not a move of this game", number + 1)));
        }
        history.push(if is_open {
            News::Joint(terms)
        } else {
            let action = terms.remove(0);
            News::Percepts { action, percepts: terms }
        });
    }
    Ok(history)
}
