//! The `ludex` command: rules in, match out.
//!
//! Exit codes: 0 fine; 1 the input is bad; 2 the command line is bad; 3 and 4 are answers of some commands.

mod clock;
mod command;
mod console;
mod diagnostics;
mod engine_arguments;
mod failure;
mod file_size;
mod input;
mod limits;
mod moves_text;
mod open_files;
mod picture;
mod player_text;
mod progress;
mod prompt;
mod query_text;
mod reasoning;
mod rulesheet;
mod trace_file;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;

use command::Command;
use console::{ColorChoice, Console};
use failure::Failure;
use limits::{LimitArguments, Limits};

/// General game playing: check, explain, run and play games from their rules.
#[derive(Debug, Parser)]
#[command(name = "ludex", version, max_term_width = 90, after_help = AFTER_HELP)]
struct Arguments {
    #[command(subcommand)]
    command: Command,

    #[command(flatten)]
    limits: LimitArguments,

    /// When to use colours
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", help_heading = "Global options")]
    color: ColorChoice,
}

const AFTER_HELP: &str = "\
FILE is a rulesheet in prefix (KIF) or infix notation, `-` for standard input, or the
name of a bundled game (`ludex games` lists them).

Examples:
  ludex play connect-four --all random
  ludex step tic-tac-toe
  ludex check my-game.kif
  ludex why tic-tac-toe 'legal(white,mark(1,1))'

Exit codes: 0 fine, 1 the input is bad, 2 the command line is bad. `plan`, `same`,
`solve` and `play --solve` have more.";

/// What every command needs.
pub struct Context {
    /// Where results go.
    pub console: Console,
    /// What may be used.
    pub limits: Limits,
}

fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help that nobody reads is no error.
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    file_size::let_writes_fail();
    let mut context =
        Context { console: Console::new(arguments.color), limits: Limits::new(&arguments.limits) };
    let result = arguments.command.run(&mut context);
    let flushed = context.console.flush().map_err(Failure::from);
    match result.and(flushed) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(context.console.error_color),
    }
}
