//! `ludex diff`: whether two versions of a game play alike.

mod json;
mod text;

use std::io::Write;

use ludex::analysis::difference::{
    Behaviour, ClauseChanges, DifferenceOptions, Divergence, NameMap, clause_changes, compare_play,
};
use ludex::gdl::Dialect;
use ludex::{Game, Playable};

use crate::Context;
use crate::failure::Failure;
use crate::rulesheet::LoadArguments;

/// Arguments of `diff`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex diff old.kif new.kif
  ludex diff tic-tac-toe my-game.gdl --map white=cross --map black=nought
  ludex diff old.kif new.kif --facts --max-time 1m

First come the clauses that were left out (-), added (+) or changed, whatever their order,
layout, notation and variables. Where there is none, the games are alike. Else both are
played side by side: all pairs of states, nearest first, as long as there are few; so the
moves that are shown are as few as can be, and no difference is a proof. Where there are
too many, random games go on.

What is compared is what players can notice: roles and their order, legal moves, the end,
goals (with --final-goals those at the end only) and percepts; facts only with --facts.
`ludex same` is for games under other names, whatever these are.

--json: an object with first, second, answer (alike, differ, not-found), proved, clauses
(kept; removed, added: lists of objects with line, column, text; changed: a list of pairs
of these), states, games, limit; where they differ also moves (a list of joint moves, each
a list of objects with role, first, second), shortest, differences (kind: roles, legal,
terminal, goal, sees or facts; role, first, second).
Exit codes: 0 no difference was found, 1 they differ.")]
pub struct DiffArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    first: String,

    /// Another version of it
    #[arg(value_name = "OTHER")]
    second: String,

    /// What is called OLD in the first game is NEW in the second one: a role, a move, any name
    #[arg(long, value_name = "OLD=NEW", value_parser = renamed)]
    map: Vec<(String, String)>,

    /// Compare the facts of states, too
    #[arg(long)]
    facts: bool,

    /// Compare goals at the end only
    #[arg(long)]
    final_goals: bool,

    /// The most pairs of states that are gone through one by one
    #[arg(long, value_name = "N", default_value_t = DifferenceOptions::default().most_states)]
    max_states: usize,

    /// How many random games are played, where there are more
    #[arg(long, value_name = "N", default_value_t = DifferenceOptions::default().games)]
    games: u32,

    /// The seed of random games
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    #[command(flatten)]
    load: LoadArguments,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

fn renamed(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((old, new)) if !old.is_empty() && !new.is_empty() => Ok((old.to_owned(), new.to_owned())),
        _ => Err("a name and its other name are needed, such as white=cross".into()),
    }
}

/// What was found out.
struct Found {
    first: Game,
    second: Game,
    changes: ClauseChanges,
    /// There is none where the clauses are the same.
    behaviour: Option<Behaviour>,
}

impl Found {
    fn divergence(&self) -> Option<&Divergence> {
        match &self.behaviour {
            Some(Behaviour::Differs(divergence)) => Some(divergence),
            _ => None,
        }
    }
}

/// Compares.
pub fn run(arguments: &DiffArguments, context: &mut Context) -> Result<(), Failure> {
    let (first, second) =
        (game(&arguments.first, arguments, context)?, game(&arguments.second, arguments, context)?);
    let names: NameMap = arguments.map.iter().cloned().collect();
    let changes = clause_changes(first.rules().rulesheet(), second.rules().rulesheet(), &names);
    let options = DifferenceOptions {
        seed: arguments.seed,
        games: arguments.games,
        most_states: arguments.max_states,
        most_moves: arguments.max_states.saturating_mul(10),
        facts: arguments.facts,
        final_goals: arguments.final_goals,
        names,
    };
    // Another language may say something else in the same words, and in Epilog the order of conditions says something.
    let dialect = first.rules().dialect();
    let unordered = dialect == second.rules().dialect() && dialect != Dialect::Epilog;
    let same = changes.is_empty() && unordered && same_roles(&first, &second, &options);
    let behaviour = if same {
        None
    } else {
        Some(compare_play(first.rules(), second.rules(), &options, context.limits.budget())?)
    };
    let found = Found { first, second, changes, behaviour };
    if arguments.json {
        let text = serde_json::to_string_pretty(&json::object(&found))?;
        writeln!(context.console, "{text}")?;
    } else {
        text::write(&found, context)?;
    }
    if found.divergence().is_some() { Err(Failure::Reported) } else { Ok(()) }
}

/// Whether the roles come in the same order: that of their clauses counts.
fn same_roles(first: &Game, second: &Game, options: &DifferenceOptions) -> bool {
    let other = |name: String| options.names.get(&name).cloned().unwrap_or(name);
    let here: Vec<String> = first.rules().role_names().into_iter().map(other).collect();
    here == second.rules().role_names()
}

fn game(file: &str, arguments: &DiffArguments, context: &Context) -> Result<Game, Failure> {
    match arguments.load.playable(file, false, context)? {
        Playable::InSteps(game) => Ok(game),
        Playable::InTime(_) => {
            Err(Failure::input(format!("`{file}` is in real time, and `diff` plays games in steps"))
                .hint("`ludex same` compares the clauses of games in real time"))
        }
    }
}
