//! Whether a player finds forced wins and only moves, and whether it chooses the same move whatever its seed.
//!
//! `cargo bench -p ludex-benches --bench forced [-- GAME... --player=ludex:exploration=0.5 --leaves=10000,50000
//! --seeds=5 --json=PATH]`
//!
//! In each of the positions that are kept ([`ludex_testkit::forced_results`]) each player (`--player` may be given
//! several times; `ludex` unless told) searches so many leaves, once with each seed. Work is counted and no clock is
//! read, so that the figures are the same on all machines with lanes as wide. A position is the same to a player where
//! nine of ten runs choose one move.

use ludex_benches::ask::choice;
use ludex_benches::{option_value, option_values, table, wanted};
use ludex_testkit::{ForcedResult, forced_results};
use serde::Serialize;

/// So much of the runs have to choose one move, for the position to count as one in which the player knows its mind.
const SAME: f64 = 0.9;

/// What a player chose in a position.
#[derive(Debug, Serialize)]
struct Answers<'p> {
    player: &'p str,
    leaves: u64,
    /// The number of the position in the file.
    position: usize,
    game: &'p str,
    /// The moves it chose, one for each seed.
    moves: Vec<String>,
    /// How many of them keep what is proven.
    found: usize,
    /// The share of the runs that chose the most common move.
    same: f64,
}

fn main() -> Result<(), String> {
    let positions = forced_results().map_err(|error| error.to_string())?;
    let players = match option_values("--player") {
        none if none.is_empty() => vec!["ludex".to_owned()],
        some => some,
    };
    let leaves = option_value("--leaves").unwrap_or_else(|| "10000,50000".to_owned());
    let leaves: Vec<u64> = leaves
        .split(',')
        .map(|count| count.parse().map_err(|_| format!("no number: {count}")))
        .collect::<Result<_, _>>()?;
    let seeds =
        option_value("--seeds").map_or(Ok(5), |seeds| seeds.parse().map_err(|_| "no number of seeds"))?;
    let wanted: Vec<(usize, &ForcedResult)> =
        positions.iter().enumerate().filter(|(_, position)| wanted(&position.game)).collect();
    let mut answers = Vec::new();
    for &(number, position) in &wanted {
        for player in &players {
            for &leaves in &leaves {
                answers.push(ask(number, position, player, leaves, seeds)?);
            }
        }
    }
    show(&wanted, &answers, players.len() * leaves.len(), seeds);
    if let Some(path) = option_value("--json") {
        let json = serde_json::to_string_pretty(&answers).map_err(|error| error.to_string())?;
        std::fs::write(path, json).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Asks a player once with each seed.
fn ask<'p>(
    number: usize,
    position: &'p ForcedResult,
    player: &'p str,
    leaves: u64,
    seeds: u64,
) -> Result<Answers<'p>, String> {
    let rules = position.rules()?;
    let place = position.position(&rules)?;
    let role = rules.roles().find(|&role| rules.role_name(role) == position.role).ok_or("no such role")?;
    let text = with_leaves(player, leaves);
    let moves = (1..=seeds).map(|seed| Ok(rules.text(choice(&rules, &place.joints(), role, &text, seed)?)));
    let moves = moves.collect::<Result<Vec<String>, String>>()?;
    let found = moves.iter().filter(|chosen| position.keeps.contains(chosen)).count();
    let count = |chosen: &String| moves.iter().filter(|other| *other == chosen).count();
    let most = moves.iter().map(count).max().unwrap_or(0);
    let same = most as f64 / moves.len() as f64;
    Ok(Answers { player, leaves, position: number, game: &position.game, moves, found, same })
}

/// The text of a player that is to search so many leaves.
fn with_leaves(player: &str, leaves: u64) -> String {
    format!("{player}:leaves={leaves}")
}

/// Prints the answers by position, `columns` to each, and in all.
fn show(positions: &[(usize, &ForcedResult)], answers: &[Answers<'_>], columns: usize, seeds: u64) {
    let asked: Vec<String> =
        answers.iter().take(columns).map(|answer| with_leaves(answer.player, answer.leaves)).collect();
    let mut rows = Vec::new();
    for ((number, position), answers) in positions.iter().zip(answers.chunks(columns)) {
        let keeps = format!("{} of {}", position.keeps.len(), position.legal);
        let mut row = vec![
            number.to_string(),
            position.game.clone(),
            position.value.to_string(),
            position.plies.to_string(),
            keeps,
        ];
        let figure = |answer: &Answers<'_>| {
            format!("{}/{seeds}{}", answer.found, if answer.same >= SAME { "" } else { " *" })
        };
        row.extend(answers.iter().map(figure));
        rows.push(row);
    }
    let mut heading = vec!["", "game", "goal", "plies", "moves that keep it"];
    heading.extend(asked.iter().map(String::as_str));
    println!("{}\n* less than nine of ten runs chose one move\n", table(&heading, &rows));
    let mut rows = Vec::new();
    for (column, player) in asked.iter().enumerate() {
        let own: Vec<&Answers<'_>> = answers.iter().skip(column).step_by(columns).collect();
        let runs = (own.len() as u64 * seeds) as f64;
        let found = own.iter().map(|answer| answer.found).sum::<usize>() as f64;
        let always = own.iter().filter(|answer| answer.found as u64 == seeds).count();
        let same = own.iter().filter(|answer| answer.same >= SAME).count();
        let mean = own.iter().map(|answer| answer.same).sum::<f64>() / own.len() as f64;
        rows.push(vec![
            player.clone(),
            format!("{:.1} %", 100.0 * found / runs),
            format!("{always} of {}", own.len()),
            format!("{same} of {}", own.len()),
            format!("{:.1} %", 100.0 * mean),
        ]);
    }
    let heading = [
        "player",
        "runs that find it",
        "positions always found",
        "positions with one move",
        "share of the commonest move",
    ];
    println!("{}", table(&heading, &rows));
}
