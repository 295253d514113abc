//! The `ludex` command, with the strategies that come with it.

use std::process::ExitCode;

fn main() -> ExitCode {
    ludex_cli::main(ludex::players::Registry::default())
}
