//! `ludex lsp`: the language server for editors.

use ludex_lsp::serve_stdio;

use crate::Context;
use crate::failure::Failure;

/// Arguments of `lsp`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex lsp

Editors start it and speak with it over standard input and output: the Language Server
Protocol. Typed into a terminal it waits for an editor. It finds what is wrong while a
rulesheet is written, completes, explains and renames names, lays out, mends, shows the
board, plays random games and proves that the game ends.
Helix: in languages.toml,
  [language-server.ludex]
  command = \"ludex\"
  args = [\"lsp\"]
Neovim: vim.lsp.config('ludex', { cmd = { 'ludex', 'lsp' }, filetypes = { 'kif' } })
Emacs: (add-to-list 'eglot-server-programs '(gdl-mode . (\"ludex\" \"lsp\")))
The chapter \"In an editor\" of the book has all of it.
Exit code 1 if the editor ends the connection without `shutdown`, or sends what is no
message.")]
pub struct LspArguments {
    /// Speak over standard input and output, which is all it can: some editors say so
    #[arg(long)]
    stdio: bool,
}

/// Serves one editor.
pub fn run(_arguments: &LspArguments, _context: &mut Context) -> Result<(), Failure> {
    serve_stdio().map_err(|error| Failure::input(error.to_string()))
}
