//! `ludex bench serve`: what a Game Manager does under load, and what it goes through.

mod client;
mod figures;
mod flood;
mod matches;
mod pages;
mod server;
mod stubs;

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use ludex::game::Goal;
use ludex::players::{Registry, Resources};
use ludex::{Game, GameOptions, MatchRecord, MatchSetup, Table};
use ludex_server::model::GameFeatures;
use ludex_server::store::{CopyProgress, FillSample, FillSizes, StorePlace, fill_store};
use serde_json::json;
use tokio::runtime::Runtime;

use crate::Context;
use crate::clock;
use crate::command::store::{store_failure, store_place};
use crate::failure::Failure;
use crate::limits::duration;
use crate::open_files;
use client::Connection;
use figures::{Counts, Figure, Times, shown};
use matches::{Load, Piece, gone};
use server::{Server, Setup};

/// Arguments of `bench serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex bench serve
  ludex bench serve --rows matches,watchers --matches 200 --seconds 10
  ludex bench serve --store full-store --rows pages
  ludex bench serve --store postgres://ludex@localhost/bench --json

A server is started as a process of its own, on a folder that is removed afterwards, or on
--store. The load comes from this process, so both share the machine. Rows:
pages     each page and each answer to programs, over a store of --full matches, which
          have --players and --games; it is made where it is not there yet
matches   how much later than the last answer of a step the next message is there, at
          players who answer after --think; less what a message takes by itself (echo)
watchers  how much later than that the step is there for who watches, each one a match
flood     what others wait for a page while one address takes all that it can get
restart   how long it takes until all matches go on after the server was killed
Only a release build, on a machine that does nothing else, says what can be reached.
--json: an object with store, matches, watchers, full, seconds, and figures, a list of
objects with row, what, unit, samples, p50, p99, max, to_reach, counts, reached.")]
pub struct BenchServeArguments {
    /// A folder or postgres://USER@HOST/DATABASE; a folder that is removed afterwards where it is not given
    #[arg(long, value_name = "STORE")]
    store: Option<String>,

    /// What is measured, with commas between
    #[arg(long, value_name = "ROWS", value_enum, value_delimiter = ',')]
    rows: Vec<Row>,

    /// How many matches run at once
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    matches: u32,

    /// How many watch them
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    watchers: u32,

    /// How many matches run when the server is killed
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::value_parser!(u32).range(1..=20_000))]
    running: u32,

    /// How long players take for each move
    #[arg(long, value_name = "TIME", default_value = "1s", value_parser = duration)]
    think: Duration,

    /// How long is measured each time
    #[arg(long, value_name = "TIME", default_value = "20s", value_parser = duration)]
    seconds: Duration,

    /// The game that is played
    #[arg(long, value_name = "GAME", default_value = "connect-four")]
    game: String,

    /// How many matches the full store has
    #[arg(long, value_name = "N", default_value_t = 1_000_000, value_parser = clap::value_parser!(u64).range(1..=100_000_000))]
    full: u64,

    /// How many players it has
    #[arg(long, value_name = "N", default_value_t = 10_000, value_parser = clap::value_parser!(u64).range(4..=1_000_000))]
    players: u64,

    /// How many games it has
    #[arg(long, value_name = "N", default_value_t = 1000, value_parser = clap::value_parser!(u64).range(1..=100_000))]
    games: u64,

    /// How often each page is asked for
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    requests: u32,

    /// Show all pages, and not only the slowest
    #[arg(long)]
    all: bool,

    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What can be measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
enum Row {
    Pages,
    Matches,
    Watchers,
    Flood,
    Restart,
}

/// What is to be reached on two cores, in milliseconds.
const PAGE: f64 = 50.0;
const DELAY: f64 = 20.0;
const DELAY_POSTGRES: f64 = 30.0;
const ARRIVAL: f64 = 250.0;
/// Who watches may delay matches by so much.
const SLOWER: f64 = 5.0;
/// Others may wait so many times as long beside a flood.
const FLOOD: f64 = 2.0;
const RESTART: f64 = 5_000.0;

/// What is waited for before something is measured that has just begun.
const SETTLE: Duration = Duration::from_secs(3);
/// The token of the server that is flooded, so that others can try to guess it.
const TOKEN: &str = "the-token-of-the-bench";
/// So many courses of the game are drawn, of which the longer half is played.
const COURSES: u64 = 200;
/// Matches that may run beside those that are wanted: one that is over is so a moment later for the server.
const SPARE: usize = 64;
/// Connections beside those of who watches.
const CONNECTIONS: usize = 512;
/// Files of this process beside those of who watches, two for each match.
const FILES: u64 = 4096;

/// A runtime on the thread that calls it.
fn runtime() -> Result<Runtime, Failure> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.map_err(|error| Failure::input(format!("there are no sockets: {error}")))
}

/// What is measured, and what with.
struct Bench<'a> {
    arguments: &'a BenchServeArguments,
    context: &'a Context,
    place: StorePlace,
    store: String,
    runtime: Runtime,
    figures: Vec<Figure>,
}

/// Measures.
pub fn run(arguments: &BenchServeArguments, context: &mut Context) -> Result<(), Failure> {
    open_files::raise_limit(FILES + u64::from(arguments.watchers) + 2 * u64::from(arguments.matches));
    let folder = tempfile::tempdir().map_err(|error| Failure::input(format!("there is no room: {error}")))?;
    let (place, store) = match &arguments.store {
        Some(text) => {
            let place = store_place(text)?;
            let shown = place.path().display().to_string();
            (place, (text.clone(), shown))
        }
        None => {
            let path: PathBuf = folder.path().join("data");
            (StorePlace::Folder(path), ("sqlite".to_owned(), "sqlite".to_owned()))
        }
    };
    let (store, named) = store;
    let mut bench = Bench { arguments, context, place, store, runtime: runtime()?, figures: Vec::new() };
    bench.measure()?;
    let figures = bench.figures;
    let text = if arguments.json {
        json_text(arguments, &named, &figures)?
    } else {
        shown(&context.console, &figures)
    };
    context.console.write_all(text.as_bytes())?;
    Ok(())
}

fn json_text(arguments: &BenchServeArguments, store: &str, figures: &[Figure]) -> Result<String, Failure> {
    let figure = |figure: &Figure| {
        let mut value = serde_json::to_value(figure)?;
        value["reached"] = json!(figure.is_reached());
        Ok::<_, serde_json::Error>(value)
    };
    let figures = figures.iter().map(figure).collect::<Result<Vec<_>, _>>()?;
    let object = json!({
        "store": store, "matches": arguments.matches, "watchers": arguments.watchers, "full": arguments.full,
        "seconds": arguments.seconds.as_secs_f64(), "figures": figures,
    });
    Ok(serde_json::to_string_pretty(&object)? + "\n")
}

impl Bench<'_> {
    fn measure(&mut self) -> Result<(), Failure> {
        let wants = |row| self.arguments.rows.is_empty() || self.arguments.rows.contains(&row);
        let (pages, flood, restart) = (wants(Row::Pages), wants(Row::Flood), wants(Row::Restart));
        let (matches, watchers) = (wants(Row::Matches), wants(Row::Watchers));
        if pages {
            self.pages()?;
        }
        if matches || watchers {
            self.matches(watchers)?;
        }
        if flood {
            self.flood()?;
        }
        if restart {
            self.restart()?;
        }
        Ok(())
    }

    fn report(&self, what: &'static str, total: Option<u64>) -> impl Fn(u64) + use<> {
        let budget = self.context.limits.budget().clone();
        move |done| budget.report(what, done, total)
    }

    fn setup(&self) -> Setup {
        let arguments = self.arguments;
        Setup {
            place: self.place.clone(),
            store: self.store.clone(),
            matches: arguments.matches.max(arguments.running) as usize + SPARE,
            connections: CONNECTIONS + arguments.watchers as usize * 4 / 3,
            per_address: 0,
            token: None,
        }
    }

    fn pages(&mut self) -> Result<(), Failure> {
        let BenchServeArguments { full, players, games, .. } = *self.arguments;
        let sizes = FillSizes { matches: full, players, games };
        let budget = self.context.limits.budget();
        let mut report = |progress: CopyProgress| {
            budget.report(&format!("filling {}", progress.table), progress.done, Some(progress.total));
        };
        fill_store(&self.place, &sizes, &sample()?, &mut report).map_err(|error| store_failure(&error))?;
        let server = Server::start(&self.setup())?;
        let report = self.report("asking for pages", Some(pages::PAGES.len() as u64));
        let requests = self.arguments.requests as usize;
        let found = self.runtime.block_on(pages::measure(server.address, &sizes, requests, &report))?;
        let mut all = Times::default();
        found.iter().for_each(|page| all.append(page.times.clone()));
        let all = Figure::of("pages", format!("all {} pages", found.len()), &all).under(PAGE);
        self.figures.push(all);
        self.figures.extend(pages::figures(found, PAGE, self.arguments.all));
        Ok(())
    }

    fn matches(&mut self, watchers: bool) -> Result<(), Failure> {
        let arguments = self.arguments;
        let server = Server::start(&self.setup())?;
        let piece = piece(&arguments.game)?;
        let total = u64::from(arguments.matches);
        let (begin, keep) = (
            self.report("beginning matches", Some(total)),
            self.report("measuring", Some(arguments.seconds.as_secs())),
        );
        let is_postgres = !matches!(self.place, StorePlace::Folder(_));
        let limit = if is_postgres { DELAY_POSTGRES } else { DELAY };
        let figures = self.runtime.block_on(async {
            let mut load = Load::begin(server.address, &piece, arguments.think).await?;
            let echo = echo(&load, arguments.seconds).await?;
            let base = echo.quantile(0.5).unwrap_or(0.0);
            let mut figures = vec![Figure::of("matches", "echo: a message and its answer alone", &echo)];
            load.fill(arguments.matches as usize, &begin).await?;
            load.keep_on(SETTLE.min(arguments.seconds), &keep).await?;
            let alone = load.measure(arguments.seconds, &keep).await?.beyond(base);
            let what = format!("added delay, {} matches", arguments.matches);
            figures.push(Figure::of("matches", what, &alone).under(limit));
            if watchers {
                let watching = load.watch(arguments.watchers as usize);
                load.keep_on(SETTLE.min(arguments.seconds), &keep).await?;
                watching.begin_measuring();
                let beside = load.measure(arguments.seconds, &keep).await?.beyond(base);
                let open = watching.open();
                let (arrivals, broken) = watching.measured();
                let what = format!("a step reaches who watches, {open} streams");
                let figure = Figure::of("watchers", what, &arrivals).under(ARRIVAL);
                figures.push(match broken {
                    0 => figure,
                    broken => figure.remark(format!("{broken} streams broke or were refused")),
                });
                let slower = beside.quantile(0.99).unwrap_or(0.0) - alone.quantile(0.99).unwrap_or(0.0);
                figures.push(Figure::of("watchers", "added delay beside them", &beside));
                let slower = Figure::one("watchers", "p99 of the matches is later by", slower);
                figures.push(slower.under(SLOWER));
            }
            load.end().await?;
            Ok::<_, Failure>(figures)
        })?;
        self.figures.extend(figures);
        Ok(())
    }

    fn flood(&mut self) -> Result<(), Failure> {
        let server =
            Server::start(&Setup { per_address: 128, token: Some(TOKEN), connections: 512, ..self.setup() })?;
        let report = self.report("flooding", Some(2));
        let time = self.arguments.seconds;
        let (alone, beside, asked) = self.runtime.block_on(async {
            // One that is kept without a request is closed by the server after some time.
            let connect = async || {
                let connection = Connection::open(None, server.address).await.map_err(gone)?;
                Ok::<_, Failure>(connection.with_token(Some(TOKEN)))
            };
            let id = long_match(&mut connect().await?, &self.arguments.game).await?;
            let paths =
                ["/".to_owned(), "/games".to_owned(), "/api/matches".to_owned(), format!("/matches/{id}")];
            let measured = flood::measure(server.address, &paths, time, &report).await?;
            let path = format!("/api/matches/{id}/abort");
            connect().await?.send("POST", &path, &json!({})).await.map_err(gone)?;
            Ok::<_, Failure>(measured)
        })?;
        let limit = FLOOD * alone.quantile(0.99).unwrap_or(0.0);
        self.figures.push(Figure::of("flood", "a page for others, without a flood", &alone));
        let beside = Figure::of("flood", "a page for others, beside the flood", &beside).under(limit);
        self.figures.push(beside.remark(format!("one address asked {asked} times meanwhile")));
        Ok(())
    }

    fn restart(&mut self) -> Result<(), Failure> {
        let arguments = self.arguments;
        let setup = self.setup();
        let server = Server::start(&setup)?;
        let piece = piece(&arguments.game)?;
        let begin = self.report("beginning matches", Some(arguments.running.into()));
        let again = self.report("matches that go on", Some(arguments.running.into()));
        let (started, all) = self.runtime.block_on(async {
            // They think longer than it takes, so that nobody is asked twice meanwhile.
            let mut load = Load::begin(server.address, &piece, arguments.think).await?;
            load.fill(arguments.running as usize, &begin).await?;
            load.keep_on(SETTLE.min(arguments.seconds), &begin).await?;
            server.kill();
            let killed = clock::now();
            let server = Server::start(&setup)?;
            let started = killed.elapsed();
            load.move_to(server.address);
            load.until_all_are_asked(Some(killed), &again).await?;
            let all = killed.elapsed();
            load.end().await?;
            Ok::<_, Failure>((started, all))
        })?;
        let milliseconds = |time: Duration| time.as_secs_f64() * 1000.0;
        self.figures.push(Figure::one("restart", "the server answers again", milliseconds(started)));
        let what = format!("all of {} matches go on", arguments.running);
        self.figures.push(Figure::one("restart", what, milliseconds(all)).under(RESTART));
        debug_assert!(
            self.figures.iter().all(|figure| figure.row != "restart" || figure.counts == Counts::Max)
        );
        Ok(())
    }
}

/// What a message and its answer take by themselves: a connection, a question, an answer, as between the server and its
/// players.
async fn echo(load: &Load, time: Duration) -> Result<Times, Failure> {
    /// So many are enough.
    const ECHOES: usize = 1000;
    let text = "(INFO)";
    let request = format!("POST / HTTP/1.0\r\nContent-length: {}\r\n\r\n{text}", text.len());
    let (mut times, begun) = (Times::default(), clock::now());
    let Some(&address) = load.stubs.addresses.first() else { return Ok(times) };
    while times.len() < ECHOES && begun.elapsed() < time {
        let asked = clock::now();
        let mut connection = Connection::open(None, address).await.map_err(gone)?;
        connection.write(request.as_bytes()).await.map_err(gone)?;
        connection.answer().await.map_err(gone)?;
        times.add(asked.elapsed().as_secs_f64() * 1000.0);
    }
    Ok(times)
}

/// A match of people who do not move.
async fn long_match(connection: &mut Connection, game: &str) -> Result<String, Failure> {
    let person = json!({ "name": "bench-person", "kind": "person" });
    let (status, said) = connection.send("POST", "/api/players", &person).await.map_err(gone)?;
    if status != 409 {
        matches::is_fine(status, &said)?;
    }
    let seats = json!([{ "player": "bench-person" }, { "player": "bench-person" }]);
    let plan = json!({ "game": game, "seats": seats, "clocks": { "start": 3_600_000, "play": 3_600_000 } });
    let (status, said) = connection.send("POST", "/api/matches", &plan).await.map_err(gone)?;
    matches::is_fine(status, &said)?;
    Ok(said["id"].as_str().unwrap_or_default().to_owned())
}

/// Courses of a game in which every seat moves by heart.
fn piece(game: &str) -> Result<Piece, Failure> {
    let scripts =
        played(game, COURSES)?.into_iter().skip(COURSES as usize / 2).map(|record| record.moves).collect();
    Ok(Piece { game: game.to_owned(), scripts })
}

/// So many random matches of a bundled game, the shortest first.
fn played(name: &str, courses: u64) -> Result<Vec<MatchRecord>, Failure> {
    let failed = |error: &dyn std::fmt::Display| Failure::input(format!("{name}: {error}"));
    let found = ludex::library::find(name);
    let found = found.ok_or_else(|| Failure::input(format!("there is no bundled game `{name}`")))?;
    let game = Game::parse(name, found.text, &GameOptions::default()).map_err(|error| failed(&error))?;
    let mut records = Vec::new();
    for seed in 0..courses {
        let player = |_| Registry::default().create("random", &Resources::default());
        let players = (0..game.roles().len()).map(player).collect::<Result<Vec<_>, _>>();
        let players = players.map_err(|error| failed(&error))?;
        let setup = MatchSetup { seed, ..MatchSetup::default() };
        let table =
            Table::new(&game, setup, players, None, Default::default()).map_err(|error| failed(&error))?;
        records.push(table.play().map_err(|error| failed(&error))?.record());
    }
    records.sort_by_key(|record| record.moves.len());
    Ok(records)
}

/// What all matches of a full store are like: short ones.
fn sample() -> Result<FillSample, Failure> {
    let record = played("tic-tac-toe", 1)?.pop();
    let record = record.ok_or_else(|| Failure::input("no match was played"))?;
    let text = ludex::library::find("tic-tac-toe").map_or("", |game| game.text);
    let features = GameFeatures {
        seats: 2,
        hidden: false,
        chance: false,
        simultaneous: false,
        real_time: false,
        steps: Some(9),
        board: true,
    };
    let goals = record.goal_values.clone().unwrap_or_default();
    let goals: Vec<Goal> = goals.into_iter().map(Option::unwrap_or_default).collect();
    let dialect = record.dialect.clone().unwrap_or_else(|| "gdl-i".to_owned());
    let record = MatchRecord { rulesheet: None, ..record };
    Ok(FillSample { text: text.to_owned(), dialect, features, record, goals })
}
