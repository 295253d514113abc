//! The `ludex` command: rules in, match out.
//!
//! Exit codes: 0 fine; 1 the input is bad; 2 the command line is bad; 3 and 4 are answers of some commands.
//!
//! A program with strategies of its own is this command with another registry: all that the command can do with
//! a player, it can do with those.
//!
//! ```no_run
//! use ludex::players::{LegalPlayer, Registry, StrategyInfo};
//!
//! fn main() -> std::process::ExitCode {
//!     let info = StrategyInfo { name: "first", description: "the first legal move", options: &[] };
//!     let registry = Registry::default();
//!     ludex_cli::main(registry.with(info, |_, resources| Ok(Box::new(LegalPlayer::new(resources.seed)))))
//! }
//! ```
#![deny(unsafe_code)]

mod chart;
mod clock;
mod command;
mod console;
mod diagnostics;
mod engine_arguments;
mod failure;
mod file_size;
#[cfg(feature = "server")]
mod freed_memory;
mod incomplete;
mod input;
mod interrupt;
mod knowledge;
mod limits;
#[cfg(feature = "server")]
mod log;
mod moves_text;
#[cfg(feature = "server")]
mod open_files;
mod output;
mod parquet;
mod picture;
mod player_text;
mod progress;
mod prompt;
mod query_text;
mod reasoning;
mod remembering;
mod repository;
mod rulesheet;
mod time_arguments;
mod timed_events;
mod timed_text;
mod trace_file;
mod trained;

use std::io::Write;
use std::process::ExitCode;

use clap::Parser;
use ludex::players::Registry;

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
struct Context {
    /// Where results go.
    pub console: Console,
    /// What may be used.
    pub limits: Limits,
}

/// Runs the command with the arguments of this process. These strategies can play, also in the processes that the
/// Game Manager starts: they are this program started again.
pub fn main(registry: Registry) -> ExitCode {
    player_text::set_registry(registry.with_trained(trained::find_trained));
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

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::Arguments;
    use ludex::players::Registry;

    /// The lines behind the options of a command's help.
    fn after_help(command: &clap::Command) -> String {
        command.get_after_help().map(ToString::to_string).unwrap_or_default()
    }

    /// A command line up to what is said about it, or what is done with its output; single quotes hold words
    /// together.
    fn words(line: &str) -> Vec<String> {
        let mut words = Vec::new();
        let mut parts = line.split('\'');
        while let Some(plain) = parts.next() {
            let shown = plain.find("  ").map_or(plain, |end| &plain[..end]);
            let mut found = shown.split(' ').filter(|word| !word.is_empty()).map(str::to_owned);
            let is_command = |word: &String| !["|", ">", "&&"].contains(&word.as_str());
            words.extend(found.by_ref().take_while(is_command));
            let is_over = shown != plain || found.next().is_some() || plain.contains(" > ");
            match parts.next() {
                Some(quoted) if !is_over => words.push(quoted.to_owned()),
                _ => break,
            }
        }
        words
    }

    #[test]
    fn the_arguments_are_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_command_has_examples_and_they_are_understood() {
        // What examples name is not there.
        crate::player_text::set_registry(Registry::default().with_trained(|_| Ok(Vec::new())));
        for command in Arguments::command().get_subcommands().filter(|command| !command.is_hide_set()) {
            let help = after_help(command);
            let examples: Vec<&str> = help
                .lines()
                .filter_map(|line| line.strip_prefix("  "))
                .filter(|l| l.starts_with("ludex "))
                .collect();
            assert!(!examples.is_empty(), "{}", command.get_name());
            for example in examples {
                let matched = Arguments::command().try_get_matches_from(words(example));
                assert!(matched.is_ok(), "{example}: {}", matched.unwrap_err());
            }
        }
    }

    /// Longer lines are broken where they end, and leave a word alone on the next one.
    #[test]
    fn the_lines_of_help_are_no_longer_than_the_help() {
        for command in Arguments::command().get_subcommands().chain([&Arguments::command()]) {
            for line in after_help(command).lines() {
                assert!(line.chars().count() <= 90, "{}: {line}", command.get_name());
            }
        }
    }
}
