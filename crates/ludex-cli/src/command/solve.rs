//! `ludex solve`: solves a game, or an answer set program, with logic; or finds an equilibrium.

mod asp;
mod clingo;
mod equilibrium;
mod evolution;
mod exploit;
mod forced;
mod planned;
mod program;

use std::time::Duration;

use ludex::Game;
use ludex::analysis::planning::{Others, PlanOptions, Search, Target};
use ludex::game::RoleId;
use serde_json::Value;

use crate::Context;
use crate::command::plan::planner;
use crate::failure::Failure;
use crate::incomplete::{self, PlanArguments};
use crate::rulesheet::{LoadArguments, read_checked};
use equilibrium::EquilibriumArguments;
use exploit::ExploitArguments;

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
  ludex solve my-program.lp --models 3
  ludex solve kuhn-poker --equilibrium
  ludex solve lights-alike
  ludex solve kuhn-poker --exploit ludex:playouts=1000

The game is written as a formula, step by step, and a solver for such formulas looks for
a plan: first for one without steps, then for one with a single step, and so on, so that
the first plan is a shortest one. --any looks at many lengths at once and is content with
any plan. Every plan is replayed on the rules before it is shown. Other roles must have
just one legal move all along the plan, or help (--together). Where courses get long, all
states are searched instead, if they are few enough: courses may go round for ever, and
states come to an end. Without --max-time, five minutes are the limit.

A plan as it is shown can be given to `ludex plan --moves`.

--force asks whether the role can force the goal against all others, who see its move
before they make theirs. The answer is a strategy, which is played through on the rules,
or a proof that there is none. Where roles do not see everything (GDL-II), nothing is
said.

--asp asks an answer set solver instead: clingo where it is installed, else one of Ludex's
own. All roles work for this one. --asp-out only writes the program. --moves shows what
holds at which step of a course of moves, which need not be legal.

--equilibrium is for games in which roles do not see everything, or move at once: of two
roles whose goals have a constant sum, or of one against chance. The game is unrolled to
all its ends, and CFR+ finds strategies that choose by chance, of which it is known how
much can be won against them. --exploit asks a player in every situation that it can
tell from others, and says what a best response wins against it beyond the value of the
game, on average over both roles; what it is sure to get; how many information sets
there are, how often it was asked, in how many sets it told its probabilities, and how
often it had no legal answer.

Where rules are sentences that leave things open (IGDL), the plan is a tree: what to do,
by what is seen. It guarantees as much as can be guaranteed whatever is the case, or with
--mean brings as much as can be had on average.

A file that ends in .lp is an answer set program itself, as clingo reads them: facts,
rules with `not`, choices with bounds and conditions, constraints, comparisons, sums,
intervals, `#const` and `#show`. Its models are shown.

--json: an object with game, rulesheet_sha256, role, goal, result, moves, reward,
shortest, best, plans, plans_are_all, reason, form, refuted_up_to, work, seconds;
with --force, within and strategy; with --asp, solver; with --moves, moves and rows. Of a
program: program, result, models, are_all, reason, atoms, rules, seconds. With
--equilibrium: game, rulesheet_sha256, result, reason, values, guaranteed,
exploitability, iterations, nodes, ends, information_sets, strategies, seconds. With
--exploit: game, rulesheet_sha256, player, result, reason, exploitability, goal_range,
part_of_range, part_of_pot, roles, strategies. In IGDL: role, worlds, guarantee, mean,
plans (each with sees, move and then).
Exit codes: 0 solved, 3 undecided within the limits, 4 proved that it cannot be done, or
that there is no answer set.")]
pub struct SolveArguments {
    /// A rulesheet, the name of a bundled game, or an answer set program (.lp)
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

    /// The most models of an answer set program (10; 0 for all)
    #[arg(long, value_name = "NUMBER")]
    models: Option<usize>,

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

    /// In IGDL: the plan with the best mean, where the best guarantee may be low
    #[arg(long)]
    mean: bool,

    /// In IGDL: the most worlds that may be possible at once
    #[arg(long, value_name = "NUMBER", default_value_t = 4096)]
    worlds: usize,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    equilibrium: EquilibriumArguments,

    #[command(flatten)]
    exploit: ExploitArguments,

    #[command(flatten)]
    load: LoadArguments,
}

impl SolveArguments {
    /// An option that was given and says nothing of programs.
    fn option_for_games(&self) -> Option<&'static str> {
        let given = [
            (self.role.is_some(), "--role"),
            (self.goal != Target::AtLeast(100), "--goal"),
            (self.any, "--any"),
            (self.all, "--all"),
            (self.horizon.is_some(), "--horizon"),
            (self.together, "--together"),
            (self.force, "--force"),
            (self.asp, "--asp"),
            (self.asp_out.is_some(), "--asp-out"),
            (self.moves.is_some(), "--moves"),
            (self.faithful, "--faithful"),
            (self.equilibrium.equilibrium, "--equilibrium"),
            (self.exploit.exploit.is_some(), "--exploit"),
        ];
        given.into_iter().find(|(is_given, _)| *is_given).map(|(_, option)| option)
    }

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

/// The time where no limit is given.
const DEFAULT_TIME: Duration = Duration::from_secs(300);

/// The most moves of a plan that waits for what is seen, where no other number is given.
const MOST_MOVES: usize = 64;

/// The most steps where no other number is given.
const MOST_STEPS: usize = 10_000;

fn target(text: &str) -> Result<Target, String> {
    match text {
        "best" => Ok(Target::Best),
        _ => text.parse().map(Target::AtLeast).map_err(|_| "a goal is a number or `best`".to_owned()),
    }
}

/// Solves a game, or a program.
pub fn run(arguments: &SolveArguments, context: &mut Context) -> Result<(), Failure> {
    if program::is_program(&arguments.file) {
        return program::run(arguments, context);
    }
    if arguments.models.is_some() {
        return Err(Failure::Usage("`--models` is for answer set programs (FILE.lp)".to_owned()));
    }
    let checked = read_checked(&arguments.file, &arguments.load.read, context)?;
    if let Some(sentences) = incomplete::sentences_of(&checked, context)? {
        let plan = PlanArguments {
            role: arguments.role.as_deref(),
            mean: arguments.mean,
            horizon: arguments.horizon.unwrap_or(MOST_MOVES),
            worlds: arguments.worlds,
            json: arguments.json,
        };
        return incomplete::plan(&sentences, &plan, context);
    }
    let game = arguments.load.game(&arguments.file, false, context)?;
    if arguments.equilibrium.equilibrium {
        return equilibrium::run(&game, arguments, context);
    }
    if let Some(player) = &arguments.exploit.exploit {
        return exploit::run(&game, player, arguments, context);
    }
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
