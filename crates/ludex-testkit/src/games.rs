//! Rulesheets to programs and machines, and the bundled games.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ludex_engine::{NetMachine, NetMachineError, NetOptions};
use ludex_game::{Answer, Machine, RuleMachine, RuleMachineOptions};
use ludex_gdl::{Check, Checked, GameProgram, Level, LoadOptions, Notation, Severity, Source, load};
use ludex_logic::Budget;

use crate::corpus::{read_text, stem};
use crate::rules::Rules;

/// Reads and checks a text. Two notations in one text are a warning: matches were held, and recorded, under
/// such rulesheets.
pub fn check_text(name: &str, text: &str, notation: Option<Notation>) -> Checked {
    let mixed = Check::find("mixed-notations").map(|check| (check.code, Level::Warn));
    let options = LoadOptions { notation, levels: mixed.into_iter().collect(), ..LoadOptions::default() };
    load(Arc::new(Source::new(name, text)), &options)
}

/// The program of a text that has no errors.
///
/// # Errors
/// The errors, one a line.
pub fn program(name: &str, text: &str, notation: Option<Notation>) -> Result<GameProgram, String> {
    let checked = check_text(name, text, notation);
    let source = Arc::clone(&checked.rulesheet.source);
    let errors: Vec<String> = checked
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error)
        .map(|d| format!("{name}:{}: {} {}", source.position(d.span.start as usize), d.code, d.message))
        .collect();
    match checked.game {
        Some(game) if errors.is_empty() => Ok(game),
        _ => Err(errors.join("\n")),
    }
}

/// The program of a file.
///
/// # Errors
/// That it cannot be read, or its errors, one a line.
pub fn program_of(path: &Path) -> Result<GameProgram, String> {
    let text = read_text(path).map_err(|e| e.to_string())?;
    program(&path.display().to_string(), &text, None)
}

/// The rule machine of a game, with default options.
///
/// # Errors
/// What [`RuleMachine::new`] answers.
pub fn rule_machine(game: &GameProgram) -> Answer<Box<dyn Machine>> {
    Ok(Box::new(RuleMachine::new(game, &RuleMachineOptions::default())?))
}

/// The net machine of a game, with default options.
///
/// # Errors
/// What [`NetMachine::new`] answers.
pub fn net_machine(game: &GameProgram) -> Result<NetMachine, NetMachineError> {
    NetMachine::new(game, &NetOptions::default())
}

/// The machine of a file's game.
///
/// # Errors
/// That the file cannot be read, has errors or cannot be run.
pub fn machine_of(path: &Path) -> Result<Box<dyn Machine>, String> {
    rule_machine(&program_of(path)?).map_err(|e| format!("{}: {e}", path.display()))
}

/// The rules of a text that has no errors, run by a net where they become one, else as they are.
///
/// # Errors
/// The errors, one a line, or that it cannot be run.
pub fn playable(name: &str, text: &str) -> Result<ludex_game::Rules, String> {
    let program = Arc::new(program(name, text, None)?);
    let mut checked = check_text(name, text, None);
    checked.game = None;
    let notation = checked.rulesheet.notation;
    let budget = Budget::unlimited().with_work(200_000_000);
    let net = NetMachine::new(&program, &NetOptions { budget, notation, ..NetOptions::default() });
    let (machine, engine): (Arc<dyn Machine>, _) = match net {
        Ok(net) => (Arc::new(net), "net"),
        Err(_) => {
            let options = RuleMachineOptions { notation, ..RuleMachineOptions::default() };
            (Arc::new(RuleMachine::new(&program, &options).map_err(|e| format!("{name}: {e}"))?), "rules")
        }
    };
    Ok(ludex_game::Rules::new(checked, program, machine, engine, Budget::unlimited()))
}

/// The rules of a file, as [`playable`].
///
/// # Errors
/// That the file cannot be read; else as [`playable`].
pub fn playable_file(path: &Path) -> Result<ludex_game::Rules, String> {
    playable(&path.display().to_string(), &read_text(path).map_err(|e| e.to_string())?)
}

/// The rules of a bundled game, by its name without the ending.
///
/// # Errors
/// That there is none; else as [`playable`].
pub fn playable_bundled(name: &str) -> Result<ludex_game::Rules, String> {
    let found = bundled().into_iter().find(|path| stem(path) == name);
    playable_file(&found.ok_or_else(|| format!("no bundled game `{name}`"))?)
}

/// The bundled rulesheets of games that go step by step, sorted by path.
pub fn bundled() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![Path::new(env!("CARGO_MANIFEST_DIR")).join("../../games")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                let in_real_time = path.file_name().is_some_and(|name| name == "rtgdl");
                folders.extend((!in_real_time).then_some(path));
            } else if path.extension().is_some_and(|e| e == "kif" || e == "gdl") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// Small bundled games of every kind: of one player, of two and three, with moves at the same time, with a random
/// role.
pub fn small_games() -> Vec<PathBuf> {
    let names = [
        "tic-tac-toe",
        "three-player-tic-tac-toe",
        "joint-tic-tac-toe",
        "rock-paper-scissors",
        "nim",
        "coins",
        "monty-hall",
        "high-card-stakes",
    ];
    bundled().into_iter().filter(|path| names.contains(&stem(path).as_str())).collect()
}

/// The bundled rulesheets in prefix notation, as rules that can be shuffled and mutated.
pub fn bundled_rules() -> Vec<(String, Rules)> {
    let prefix = bundled().into_iter().filter(|p| p.extension().is_some_and(|e| e == "kif"));
    let rules = |path: PathBuf| Some((path.display().to_string(), Rules::parse(&read_text(&path).ok()?)?));
    prefix.filter_map(rules).collect()
}

/// How many rounds of a seeded loop to make: `base`, times the number in `LUDEX_SOAK`.
pub fn rounds(base: u64) -> u64 {
    base.saturating_mul(number("LUDEX_SOAK").unwrap_or(1))
}

/// The seeds of a loop of [`rounds`]. Each value of `LUDEX_SEED` gives others; 0 unless told.
pub fn seeds(base: u64) -> Range<u64> {
    let first = number("LUDEX_SEED").unwrap_or(0).saturating_mul(1_000_000);
    first..first.saturating_add(rounds(base))
}

/// One of so many parts of all; which one, `LUDEX_SEED` says. All of them where `LUDEX_SOAK` wants more than one round. For
/// what takes long and is much the same in many games.
pub fn one_part_of<T>(parts: u64, all: impl IntoIterator<Item = T>) -> impl Iterator<Item = T> {
    let chosen = number("LUDEX_SEED").unwrap_or(0) % parts.max(1);
    let is_whole = rounds(1) > 1;
    let numbered = (0..).zip(all);
    numbered.filter(move |(number, _)| is_whole || number % parts.max(1) == chosen).map(|(_, one)| one)
}

fn number(variable: &str) -> Option<u64> {
    std::env::var(variable).ok()?.parse().ok()
}
