//! `ludex completions` and `ludex man`: what a shell and a reader are told of the command line, from its one definition.

use std::fs;
use std::io::Write;
use std::path::PathBuf;

use clap::CommandFactory;
use clap_complete::Shell;

use crate::failure::Failure;
use crate::{Arguments, Context};

/// Arguments of `completions`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex completions bash > ~/.local/share/bash-completion/completions/ludex
  ludex completions zsh > ~/.zfunc/_ludex
  ludex completions fish > ~/.config/fish/completions/ludex.fish")]
pub struct CompletionsArguments {
    /// The shell that reads them
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Writes a script that completes the command's words in a shell.
pub fn run(arguments: &CompletionsArguments, context: &mut Context) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut Arguments::command(), "ludex", &mut script);
    Ok(context.console.write_all(&script)?)
}

/// Arguments of `man`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex man > ludex.1
  ludex man --folder ~/.local/share/man/man1     a page for each command, too")]
pub struct ManArguments {
    /// Write a page for the command and one for each of its commands into this folder
    #[arg(long, value_name = "FOLDER")]
    folder: Option<PathBuf>,
}

/// Writes manual pages.
pub fn man(arguments: &ManArguments, context: &mut Context) -> Result<(), Failure> {
    let Some(folder) = &arguments.folder else {
        let mut page = Vec::new();
        clap_mangen::Man::new(Arguments::command()).render(&mut page)?;
        return Ok(context.console.write_all(&page)?);
    };
    fs::create_dir_all(folder)?;
    Ok(clap_mangen::generate_to(Arguments::command(), folder)?)
}
