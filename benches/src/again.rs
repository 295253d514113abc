//! One process for each game: what a game leaves behind in memory is not counted for the next, and a
//! game that takes too much harms no other.

use std::process::{Command, Stdio};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The word on the command line after which the name of a game follows.
const ONE: &str = "--one-game";

/// The game this process is for, if it is one of those that [`run_again`] starts.
pub fn only_game() -> Option<String> {
    let mut words = std::env::args().skip_while(|word| word != ONE);
    words.next()?;
    words.next()
}

/// Runs this program again for one game, and reads what it [`tell`]s.
///
/// # Errors
/// That it could not be started, that it failed, or that it did not tell anything.
pub fn run_again<T: DeserializeOwned>(game: &str) -> Result<T, String> {
    let program = std::env::current_exe().map_err(|error| error.to_string())?;
    let options = std::env::args().skip(1).filter(|word| word.starts_with("--"));
    let output = Command::new(program)
        .args(options)
        .args([ONE, game])
        .stderr(Stdio::inherit())
        .output()
        .map_err(|error| error.to_string())?;
    if !output.status.success() {
        return Err(format!("the process for {game} failed: {}", output.status));
    }
    serde_json::from_slice(&output.stdout).map_err(|error| format!("the process for {game}: {error}"))
}

/// Tells the process that started this one.
///
/// # Panics
/// If that one has gone.
pub fn tell(what: &impl Serialize) {
    println!("{}", serde_json::to_string(what).expect("figures can be written"));
}

/// Memory of this process in megabytes (1 MB = 1 000 000 bytes): in use now, and the most so far.
/// Not a number where the system does not tell.
pub fn resident_and_peak() -> (f64, f64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        let kilobytes = line.and_then(|rest| rest.split_whitespace().next()).and_then(|n| n.parse().ok());
        kilobytes.map_or(f64::NAN, |n: f64| n * 1024.0 / 1e6)
    };
    (field("VmRSS:"), field("VmHWM:"))
}
