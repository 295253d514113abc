//! `ludex fmt`: rulesheets laid out tidily.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use ludex::gdl::{Notation, Rulesheet, Severity, Source, fmt, parse};

use crate::Context;
use crate::diagnostics::draw;
use crate::failure::{Failure, say};
use crate::output::write_file;
use crate::rulesheet::{ReadArguments, notation, read_source};

/// Arguments of `fmt`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex fmt my-game.kif              print the tidy text
  ludex fmt --write *.kif            tidy files in place
  ludex fmt --check *.kif            name those that are not tidy; exit code 1

Comments, names and the order of the rules are kept.")]
pub struct FmtArguments {
    /// Rulesheets, or `-` for standard input
    #[arg(value_name = "FILE", required = true)]
    files: Vec<String>,

    /// Only name the files that would change
    #[arg(long, conflicts_with = "write")]
    check: bool,

    /// Change the files
    #[arg(long, short)]
    write: bool,

    /// Read FILE in this notation instead of detecting it: prefix or infix
    #[arg(long, value_name = "NOTATION", value_parser = notation)]
    notation: Option<Notation>,
}

/// Reads a rulesheet that is to be written again, without asking what it means; syntax errors are drawn on
/// standard error.
///
/// # Errors
/// It cannot be read, has syntax errors, or is a game of another family of languages.
pub fn read_rulesheet(
    file: &str,
    notation: Option<Notation>,
    context: &Context,
) -> Result<Rulesheet, Failure> {
    let (source, options) =
        read_source(file, &ReadArguments { notation, ..ReadArguments::default() }, context)?;
    let source: Arc<Source> = Arc::new(source);
    let (rulesheet, errors) = parse(source, options.notation);
    if errors.iter().all(|found| found.severity != Severity::Error) {
        return Ok(rulesheet);
    }
    say(draw(&rulesheet.source, &errors, context.console.error_color).trim_end());
    Err(Failure::Reported)
}

/// Tidies.
pub fn run(arguments: &FmtArguments, context: &mut Context) -> Result<(), Failure> {
    if arguments.files.len() > 1 && !arguments.check && !arguments.write {
        return Err(Failure::Usage("several files need `--write` or `--check`".into()));
    }
    let mut bad = false;
    for file in &arguments.files {
        let rulesheet = match read_rulesheet(file, arguments.notation, context) {
            Ok(rulesheet) => rulesheet,
            // The other files are tidied all the same.
            Err(failure) if arguments.files.len() > 1 => {
                failure.report(context.console.error_color);
                bad = true;
                continue;
            }
            Err(failure) => return Err(failure),
        };
        let text = fmt(&rulesheet);
        let changed = text != rulesheet.source.text();
        if arguments.check {
            bad |= changed;
            if changed {
                writeln!(context.console, "{file}")?;
            }
        } else if arguments.write {
            if !Path::new(file).is_file() {
                return Err(Failure::input(format!("`{file}` is not a file that can be written")));
            }
            if changed {
                write_file(file, &text)?;
            }
        } else {
            context.console.write_all(text.as_bytes())?;
        }
    }
    if bad { Err(Failure::Reported) } else { Ok(()) }
}
