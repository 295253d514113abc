//! The command `ludex` with a strategy more: `own-strategy player --strategy worst-reply` is reached by game managers
//! over HTTP, `own-strategy play tic-tac-toe --all worst-reply` shows a match, `own-strategy serve` knows it, too.

use std::process::ExitCode;

fn main() -> ExitCode {
    ludex_cli::main(own_strategy::registry())
}
