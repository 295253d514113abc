//! `ludex solve`: solves a game with logic.

mod asp;
mod clingo;
mod evolution;
mod forced;
mod planned;

use ludex::Game;
use ludex::analysis::planning::{Others, PlanOptions, Search, Target};
use ludex::game::RoleId;
use serde_json::Value;

use crate::Context;
use crate::command::plan::planner;
use crate::engine_arguments::EngineArguments;
use crate::failure::Failure;
use crate::rulesheet::{ReadArguments, load_game};

/// Arguments of `solve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex solve buttons-and-lights
  ludex solve 8-puzzle --all
  ludex solve hanoi --any --max-time 1m
  ludex solve my-puzzle.kif --goal best
  ludex solve nim --force --role black
  ludex solve coins --asp
  ludex solve coins --asp-out coins.lp --horizon 4
  ludex solve buttons-and-lights-copy --moves a,b,c

The game is written as a formula, step by step, and a solver for such formulas looks for
a plan: first for one without steps, then for one with a single step, and so on, so that
the first plan is a shortest one. --any looks at many lengths at once and is content with
any plan. Every plan is replayed on the rules before it is shown. Other roles must have
just one legal move all along the plan, or help (--together).

A plan as it is shown can be given to `ludex plan --moves`.

--force asks whether the role can force the goal against all others, who see its move
before they make theirs. The answer is a strategy, which is played through on the rules,
or a proof that there is none.

--asp asks an answer set solver instead: clingo where it is installed, else one of Ludex's
own. All roles work for this one. --asp-out only writes the program. --moves shows what
holds at which step of a course of moves, which need not be legal.

--json: an object with game, role, goal, result, moves, reward, shortest, best, plans,
reason, form, refuted_up_to, work, seconds; with --force, within and strategy;
with --asp, solver; with --moves, moves and rows.
Exit codes: 0 solved, 3 undecided within the limits, 4 proved that it cannot be done.")]
pub struct SolveArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Whose plan it is; the first role where it is not given
    #[arg(long, value_name = "ROLE")]
    role: Option<String>,

    /// What the plan is to bring at least, or `best` for as much as can be reached
    #[arg(long, value_name = "GOAL", default_value = "100", value_parser = target)]
    goal: Target,

    /// Any plan will do, however long
    #[arg(long)]
    any: bool,

    /// All plans that are as short as the first one and bring as much
    #[arg(long, conflicts_with = "any")]
    all: bool,

    /// The most plans for --all
    #[arg(long, value_name = "NUMBER", default_value_t = 1000, requires = "all")]
    most: usize,

    /// The most steps of a plan, or until what is forced has happened: 10000 where it is not given, and
    /// 25 with --asp-out
    #[arg(long, value_name = "STEPS")]
    horizon: Option<usize>,

    /// All roles work for this one
    #[arg(long)]
    together: bool,

    /// Find out whether the role can force it, whatever others do
    #[arg(long, conflicts_with_all = ["any", "all", "together"])]
    force: bool,

    /// Ask an answer set solver: clingo where it is installed
    #[arg(long, conflicts_with_all = ["any", "all", "force", "faithful"])]
    asp: bool,

    /// Write the game as an answer set program, for clingo, to this file (`-` for the output)
    #[arg(long, value_name = "FILE", conflicts_with_all = ["asp", "any", "all", "force", "json"])]
    asp_out: Option<String>,

    /// Show what holds at which step of these moves, or with a leading @ of those in a file
    #[arg(long, value_name = "MOVES", conflicts_with_all = ["asp", "asp_out", "any", "all", "force"])]
    moves: Option<String>,

    /// Search the rules as they are written and not the smaller ones that engines run
    #[arg(long)]
    faithful: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    read: ReadArguments,

    #[command(flatten)]
    engine: EngineArguments,
}

impl SolveArguments {
    /// The most steps.
    fn horizon(&self) -> usize {
        self.horizon.unwrap_or(MOST_STEPS)
    }

    fn options(&self) -> PlanOptions {
        PlanOptions {
            target: self.goal,
            search: if self.any { Search::Any } else { Search::Shortest },
            others: if self.together { Others::Helping } else { Others::Forced },
            horizon: self.horizon(),
            faithful: self.faithful,
        }
    }
}

/// The most steps where no other number is given.
const MOST_STEPS: usize = 10_000;

fn target(text: &str) -> Result<Target, String> {
    match text {
        "best" => Ok(Target::Best),
        _ => text.parse().map(Target::AtLeast).map_err(|_| "a goal is a number or `best`".to_owned()),
    }
}

/// Solves a game.
pub fn run(arguments: &SolveArguments, context: &mut Context) -> Result<(), Failure> {
    let game = load_game(&arguments.file, &arguments.read, &arguments.engine, false, context)?;
    let role = planner(&game, arguments.role.as_deref())?;
    let question = Question { game: &game, role, arguments };
    if let Some(moves) = &arguments.moves {
        return evolution::run(&question, moves, context);
    }
    if let Some(path) = &arguments.asp_out {
        return asp::write(&question, path, context);
    }
    if arguments.asp {
        return asp::run(&question, context);
    }
    if arguments.force {
        return forced::run(&question, context);
    }
    planned::run(&question, context)
}

/// What is asked.
struct Question<'q> {
    game: &'q Game,
    role: RoleId,
    arguments: &'q SolveArguments,
}

impl Question<'_> {
    /// The goal that was asked for, as JSON.
    fn goal(&self) -> Value {
        match self.arguments.goal {
            Target::AtLeast(goal) => Value::from(goal),
            Target::Best => Value::from("best"),
        }
    }
}
