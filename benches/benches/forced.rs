//! Whether a player finds the right move in positions where few moves are right, and whether it chooses the same move
//! whatever its seed.
//!
//! `cargo bench -p ludex-benches --bench forced [-- GAME... --positions=forced --player=ludex:exploration=0.5
//! --leaves=10000,50000 --seeds=5 --json=PATH]`, or with `--clock=1 --start-clock=10` in place of `--leaves`
//!
//! Three sets of positions are there: `forced`, with forced wins and only moves that the search for proofs found
//! ([`ludex_testkit::forced_results`]); `solved`, of games that are solved ([`ludex_testkit::solved_positions`]); and
//! `corpus`, the positions of the corpus. Each player (`--player` may be given several times; `ludex` unless told)
//! searches so many leaves in each, once with each seed: work is counted and no clock is read, so that the figures are the
//! same on all machines with lanes as wide. With `--clock` it searches so many seconds instead, after `--start-clock`
//! seconds (none unless told) to get ready at the start of the game. A position is the same to a player where nine of ten
//! runs choose one move.

use std::time::Duration;

use ludex_benches::ask::{Clocks, choice};
use ludex_benches::{option_value, option_values, table, wanted};
use ludex_game::{Position, RoleId, Rules};
use ludex_testkit::corpus::{Corpus, PuzzlePosition};
use ludex_testkit::{ForcedResult, forced_results, playable_file, position_after, solved_positions};
use serde::Serialize;

/// So much of the runs have to choose one move, for the position to count as one in which the player knows its mind.
const SAME: f64 = 0.9;

/// A position with what is known of it.
struct Question {
    game: String,
    rules: Rules,
    position: Position,
    role: RoleId,
    /// The right moves.
    keeps: Vec<String>,
    legal: usize,
    /// What they bring, and after how many plies that shows, where it is known.
    value: Option<u32>,
    plies: Option<u32>,
}

impl Question {
    fn of_kept(kept: ForcedResult) -> Result<Self, String> {
        let rules = kept.rules()?;
        let position = kept.position(&rules)?;
        let role = rules.roles().find(|&role| rules.role_name(role) == kept.role).ok_or("no such role")?;
        let (keeps, legal, value, plies) = (kept.keeps, kept.legal, Some(kept.value), kept.plies);
        Ok(Self { game: kept.game, rules, position, role, keeps, legal, value, plies })
    }

    fn of_corpus(corpus: &Corpus, puzzle: PuzzlePosition) -> Result<Self, String> {
        let rules = playable_file(&corpus.path(&format!("gdl/{}.kif", puzzle.game)))?;
        let position =
            position_after(&rules, &puzzle.steps).map_err(|error| format!("{}: {error}", puzzle.case))?;
        let role = RoleId(puzzle.check.player.parse().map_err(|_| "no number of a role")?);
        let moves = position.legal_texts(role).map_err(|error| error.to_string())?;
        let legal = moves.len();
        let keeps = moves.into_iter().filter(|action| puzzle.check.accepts(action)).collect();
        Ok(Self { game: puzzle.game, rules, position, role, keeps, legal, value: None, plies: None })
    }
}

/// The positions that are asked for by name.
fn questions(name: &str) -> Result<Vec<Question>, String> {
    let kept = match name {
        "forced" => forced_results(),
        "solved" => solved_positions(),
        "corpus" => {
            let Some(corpus) = Corpus::find("the benchmark of positions") else { return Ok(Vec::new()) };
            let puzzles = corpus.positions().map_err(|error| error.to_string())?;
            return puzzles.into_iter().map(|puzzle| Question::of_corpus(&corpus, puzzle)).collect();
        }
        _ => return Err(format!("no positions `{name}`: forced, solved or corpus")),
    };
    kept.map_err(|error| error.to_string())?.into_iter().map(Question::of_kept).collect()
}

/// How long a player may search.
#[derive(Clone, Copy)]
enum Limit {
    Leaves(u64),
    Clocks(Clocks),
}

impl Limit {
    /// What the command line asks for: several numbers of leaves, or clocks.
    fn of_options() -> Result<Vec<Self>, String> {
        let seconds = |name: &str| {
            let time =
                |text: String| text.parse().ok().and_then(|time| Duration::try_from_secs_f64(time).ok());
            option_value(name)
                .map(|text| time(text).ok_or(format!("{name}: no number of seconds")))
                .transpose()
        };
        if let Some(play) = seconds("--clock")? {
            let start = seconds("--start-clock")?.unwrap_or_default();
            return Ok(vec![Self::Clocks(Clocks { start, play })]);
        }
        let leaves = option_value("--leaves").unwrap_or_else(|| "10000,50000".to_owned());
        let count = |text: &str| text.parse().map(Self::Leaves).map_err(|_| format!("no number: {text}"));
        leaves.split(',').map(count).collect()
    }

    /// A player that searches so long, as it is named.
    fn of_player(self, player: &str) -> String {
        match self {
            Self::Leaves(leaves) => format!("{player}:leaves={leaves}"),
            Self::Clocks(_) => player.to_owned(),
        }
    }

    fn clocks(self) -> Option<Clocks> {
        match self {
            Self::Leaves(_) => None,
            Self::Clocks(clocks) => Some(clocks),
        }
    }

    /// The same in words.
    fn heading(self, player: &str) -> String {
        match self {
            Self::Leaves(_) => self.of_player(player),
            Self::Clocks(clocks) => format!("{player}, {} s", clocks.play.as_secs_f64()),
        }
    }
}

/// What a player chose in a position.
#[derive(Debug, Serialize)]
struct Answers<'p> {
    player: &'p str,
    leaves: Option<u64>,
    seconds: Option<f64>,
    /// The number of the position in its set.
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
    let questions = questions(&option_value("--positions").unwrap_or_else(|| "forced".to_owned()))?;
    let players = match option_values("--player") {
        none if none.is_empty() => vec!["ludex".to_owned()],
        some => some,
    };
    let limits = Limit::of_options()?;
    let seeds =
        option_value("--seeds").map_or(Ok(5), |seeds| seeds.parse().map_err(|_| "no number of seeds"))?;
    let wanted: Vec<(usize, &Question)> =
        questions.iter().enumerate().filter(|(_, question)| wanted(&question.game)).collect();
    if wanted.is_empty() {
        eprintln!("no position of these games is there");
        return Ok(());
    }
    let columns: Vec<(&str, Limit)> =
        players.iter().flat_map(|player| limits.iter().map(|&limit| (player.as_str(), limit))).collect();
    let mut answers = Vec::new();
    for &(number, question) in &wanted {
        for &(player, limit) in &columns {
            answers.push(ask(number, question, player, limit, seeds)?);
        }
    }
    let headings: Vec<String> = columns.iter().map(|(player, limit)| limit.heading(player)).collect();
    show(&wanted, &answers, &headings, seeds);
    if let Some(path) = option_value("--json") {
        let json = serde_json::to_string_pretty(&answers).map_err(|error| error.to_string())?;
        std::fs::write(path, json).map_err(|error| error.to_string())?;
    }
    Ok(())
}

/// Asks a player once with each seed.
fn ask<'p>(
    number: usize,
    question: &'p Question,
    player: &'p str,
    limit: Limit,
    seeds: u64,
) -> Result<Answers<'p>, String> {
    let Question { game, rules, position, role, keeps, .. } = question;
    let (text, joints) = (limit.of_player(player), position.joints());
    let chosen = |seed| choice(rules, &joints, *role, &text, seed, limit.clocks());
    let moves = (1..=seeds).map(|seed| Ok(rules.text(chosen(seed)?)));
    let moves = moves.collect::<Result<Vec<String>, String>>()?;
    let found = moves.iter().filter(|chosen| keeps.contains(chosen)).count();
    let count = |chosen: &String| moves.iter().filter(|other| *other == chosen).count();
    let most = moves.iter().map(count).max().unwrap_or(0);
    let same = most as f64 / moves.len() as f64;
    let (leaves, seconds) = match limit {
        Limit::Leaves(leaves) => (Some(leaves), None),
        Limit::Clocks(clocks) => (None, Some(clocks.play.as_secs_f64())),
    };
    Ok(Answers { player, leaves, seconds, position: number, game, moves, found, same })
}

/// Prints the answers by position, one for each heading, and in all.
fn show(questions: &[(usize, &Question)], answers: &[Answers<'_>], headings: &[String], seeds: u64) {
    let number = |number: Option<u32>| number.map_or("-".to_owned(), |number| number.to_string());
    let mut rows = Vec::new();
    for ((at, question), answers) in questions.iter().zip(answers.chunks(headings.len())) {
        let mut row = vec![
            at.to_string(),
            question.game.clone(),
            number(question.value),
            number(question.plies),
            format!("{} of {}", question.keeps.len(), question.legal),
        ];
        let figure = |answer: &Answers<'_>| {
            format!("{}/{seeds}{}", answer.found, if answer.same >= SAME { "" } else { " *" })
        };
        row.extend(answers.iter().map(figure));
        rows.push(row);
    }
    let mut heading = vec!["", "game", "goal", "plies", "moves that keep it"];
    heading.extend(headings.iter().map(String::as_str));
    println!("{}\n* less than nine of ten runs chose one move\n", table(&heading, &rows));
    let mut rows = Vec::new();
    for (column, player) in headings.iter().enumerate() {
        let own: Vec<&Answers<'_>> = answers.iter().skip(column).step_by(headings.len()).collect();
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
