//! The Game Manager as `ludex serve` runs it: how long its pages take over 10 000 matches, 1 000 players and 500 games, and
//! how much memory it holds with 200 finished and 20 running matches whose pages were all looked at.
//!
//! Needs the program, built before (`cargo build --release -p ludex-cli`). Arguments: `pages` or `memory` for one of the two,
//! and `--quick` for a twentieth of everything.

mod full_store;
mod serving;

use std::process::ExitCode;
use std::time::Duration;

use ludex_benches::{Stopwatch, table};
use serde_json::{Value, json};

use full_store::Sizes;
use serving::{Memory, Serving};

/// What is to be reached: milliseconds of a page, and bytes of the manager with the processes that work on rules.
const PAGE: f64 = 50.0;
const MEMORY: u64 = 150 << 20;
/// How often each page is asked for. The first time, it may have to be worked out.
const TIMES: usize = 11;
/// How long matches may take that have nothing to think about.
const PATIENCE: Duration = Duration::from_secs(900);

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let has = |word: &str| arguments.iter().any(|argument| argument == word);
    let part = if has("--quick") { 20 } else { 1 };
    let Some(program) = serving::program() else {
        eprintln!("there is no program `ludex` beside this one: cargo build --release -p ludex-cli");
        return ExitCode::FAILURE;
    };
    let mut fine = true;
    if !has("memory") {
        fine &= pages(&program, Sizes { matches: 10_000 / part, players: 1_000 / part, games: 500 / part });
    }
    if !has("pages") {
        fine &= memory(&program, 200 / part, 20 / part.min(4));
    }
    if fine { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How long pages take over a full store.
fn pages(program: &std::path::Path, sizes: Sizes) -> bool {
    let folder = tempfile::tempdir().expect("a folder for the database");
    let data = folder.path().join("data");
    let full = full_store::fill(&data, &sizes);
    let server = Serving::start(program, &data);
    let (game, player, id) = (&full.game, &full.player, &full.match_id);
    let paths = [
        "/".to_owned(),
        "/games".to_owned(),
        format!("/games/{game}"),
        "/games/new".to_owned(),
        "/players".to_owned(),
        format!("/players/{player}"),
        "/matches".to_owned(),
        format!("/matches?after={id}"),
        format!("/matches?game={game}"),
        format!("/matches/{id}"),
        format!("/matches/{id}/replay?step=3"),
        format!("/matches/new?game={game}"),
        "/tournaments".to_owned(),
        "/tournaments/new".to_owned(),
        "/api/status".to_owned(),
        "/api/games".to_owned(),
        "/api/players".to_owned(),
        "/api/matches".to_owned(),
        format!("/api/matches?player={player}"),
        "/metrics".to_owned(),
    ];
    let mut fine = true;
    let rows = paths.map(|path| {
        let mut times: Vec<f64> = (0..TIMES)
            .map(|_| {
                let watch = Stopwatch::start();
                server.get(&path);
                watch.wall_seconds() * 1000.0
            })
            .collect();
        let first = times[0];
        times.sort_by(f64::total_cmp);
        let middle = times[TIMES / 2];
        fine &= middle < PAGE;
        let bytes = server.get(&path).len();
        [
            path,
            format!("{first:.1}"),
            format!("{middle:.1}"),
            format!("{:.1}", times[TIMES - 1]),
            bytes.to_string(),
        ]
        .to_vec()
    });
    println!(
        "{} matches, {} players, {} games; milliseconds (wanted: {PAGE}):\n",
        sizes.matches, sizes.players, sizes.games
    );
    println!("{}", table(&["page", "first", "median", "most", "bytes"], &rows));
    fine
}

/// The games that are played to see how much memory matches leave behind: small and large ones, some with hidden parts.
const GAMES: [&str; 16] = [
    "tic-tac-toe",
    "connect-four",
    "breakthrough",
    "reversi",
    "checkers",
    "nim",
    "chomp",
    "goofspiel",
    "battleship",
    "light-cycles",
    "hanoi",
    "chess",
    "multiple-tic-tac-toe",
    "leduc-poker",
    "race",
    "ring-go",
];

/// How much memory the manager and its processes hold.
fn memory(program: &std::path::Path, finished: usize, running: usize) -> bool {
    let folder = tempfile::tempdir().expect("a folder for the database");
    let server = Serving::start(program, &folder.path().join("data"));
    let mut rows = vec![row("at the start", &server.memory())];
    let mut note = |what: &str| rows.push(row(what, &server.memory()));
    let seats: Vec<usize> = GAMES
        .iter()
        .map(|game| server.json(&format!("/api/games/{game}/facts"))["seats"].as_array().map_or(0, Vec::len))
        .collect();
    note("games described");
    server.post("/api/players", &json!({ "name": "Anna", "kind": "person" }));
    let plan = |number: usize, first: &str, clock: u64| {
        let place = number % GAMES.len();
        let players = (0..seats[place]).map(|seat| if seat == 0 { first } else { "random-player" });
        let players: Vec<Value> = players.map(|player| json!({ "player": player })).collect();
        json!({ "game": GAMES[place], "seats": players, "clocks": { "start": clock, "play": clock } })
    };
    let begin = |number, first, clock| {
        let said = server.post("/api/matches", &plan(number, first, clock));
        said["id"].as_str().expect("a match").to_owned()
    };
    let over: Vec<String> = (0..finished).map(|number| begin(number, "random-player", 60_000)).collect();
    let watch = Stopwatch::start();
    while server.json("/api/status")["running"].as_u64().unwrap_or(0)
        + server.json("/api/status")["waiting"].as_u64().unwrap_or(0)
        > 0
    {
        assert!(watch.wall_seconds() < PATIENCE.as_secs_f64(), "the matches do not end");
        std::thread::sleep(Duration::from_millis(500));
    }
    note(&format!("{finished} finished"));
    let run: Vec<String> = (0..running).map(|number| begin(number, "Anna", 3_600_000)).collect();
    for id in over.iter().chain(&run) {
        server.get(&format!("/matches/{id}"));
    }
    note(&format!("{running} running, all pages seen"));
    for id in &over {
        for step in [0, 1, 2, 3] {
            server.get(&format!("/matches/{id}/replay?step={step}"));
        }
    }
    note("four states of each replayed");
    let last = server.memory();
    println!(
        "{} finished and {} running matches; megabytes, shared pages counted in parts:\n",
        finished, running
    );
    println!("{}", table(&["when", "manager", "rules", "both", "players"], &rows));
    println!("manager and rules: {} MB (wanted: {} MB)", (last.manager + last.rules) >> 20, MEMORY >> 20);
    last.manager + last.rules < MEMORY
}

fn row(when: &str, memory: &Memory) -> Vec<String> {
    let megabytes = |bytes: u64| format!("{:.1}", bytes as f64 / f64::from(1 << 20));
    let both = memory.manager + memory.rules;
    [memory.manager, memory.rules, both, memory.players].map(megabytes).into_iter().fold(
        vec![when.to_owned()],
        |mut row, cell| {
            row.push(cell);
            row
        },
    )
}
