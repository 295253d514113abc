//! How fast puzzles are solved: the games of the corpus that come with plans, which are not used.
//!
//! `cargo bench -p ludex-benches --bench puzzles [-- --bundled GAME...]`
//!
//! Each game is searched from its initial state until the best plan is proven, or for the time of
//! `LUDEX_BENCH_SECONDS`, 60 unless told. Preparing the machine is not counted. Plans are played to
//! check them. The exit code is 1 where one is wrong. `--bundled` takes the bundled games of one player.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use ludex_benches::{Stopwatch, has_option, seconds_or, table, wanted};
use ludex_game::{Goal, Machine, RoleId};
use ludex_logic::{Budget, Clock, TermId};
use ludex_players::{Arena, PuzzleSearch, Report, Resources, Strategy, Turn};
use ludex_testkit::corpus::{Corpus, stem};
use ludex_testkit::{bundled, net_machine, program_of, rule_machine};

/// The time on the wall since it was made.
struct Watch(Stopwatch);

impl Clock for Watch {
    fn now(&self) -> Duration {
        Duration::from_secs_f64(self.0.wall_seconds())
    }
}

fn main() -> std::process::ExitCode {
    let Some(paths) = games() else { return std::process::ExitCode::SUCCESS };
    let seconds = seconds_or(60.0);
    let mut rows = Vec::new();
    let mut solved = 0;
    let mut right = true;
    for path in paths.iter().filter(|path| wanted(&stem(path))) {
        let game = stem(path);
        match solve(path, seconds) {
            Ok(None) => {}
            Ok(Some((report, taken, goal))) => {
                let entry = |name| report.entry(name).unwrap_or("-").to_owned();
                solved += usize::from(goal == Some(100));
                let cells = [entry("proven"), format!("{taken:.3}"), entry("plan length"), entry("states")];
                let goal = goal.map_or("-".to_owned(), |goal| goal.to_string());
                rows.push([vec![game, goal], cells.to_vec(), vec![entry("method")]].concat());
            }
            Err(error) => {
                eprintln!("{game}: {error}");
                right = false;
            }
        }
    }
    println!("{}", table(&["game", "goal", "proven", "seconds", "plan length", "states", "method"], &rows));
    println!("{solved} of {} solved, in at most {seconds} s each on the wall, one thread", rows.len());
    if right { std::process::ExitCode::SUCCESS } else { 1.into() }
}

fn games() -> Option<Vec<PathBuf>> {
    if has_option("--bundled") {
        return Some(bundled());
    }
    let corpus = Corpus::find("the benchmark of puzzles")?;
    match corpus.plans() {
        Ok(plans) => Some(plans.iter().map(|p| corpus.path(&format!("gdl/{}.kif", p.game))).collect()),
        Err(error) => {
            eprintln!("{error}");
            None
        }
    }
}

/// Searches a game: what the search says, how long it took, and what its plan really brings. Nothing
/// for games of several players.
fn solve(path: &Path, seconds: f64) -> Result<Option<(Report, f64, Option<Goal>)>, String> {
    let program = program_of(path)?;
    let machine: Arc<dyn Machine> = match net_machine(&program) {
        Ok(machine) => Arc::new(machine),
        Err(_) => Arc::from(rule_machine(&program).map_err(|error| error.to_string())?),
    };
    if machine.signature().roles().len() != 1 {
        return Ok(None);
    }
    let arena = Arena::new(machine, RoleId(0), Resources::default());
    let state = arena.machine.initial();
    let mut runner = arena.machine.runner(&Budget::unlimited());
    let legal = runner.legal(arena.role).map_err(|error| error.to_string())?.to_vec();
    let clock: Arc<dyn Clock> = Arc::new(Watch(Stopwatch::start()));
    let budget = Budget::unlimited().with_time(Arc::clone(&clock), Duration::from_secs_f64(seconds));
    let mut turn = Turn::new(&arena, state, &legal, &budget, 1);
    let searched = PuzzleSearch::new().choose(&mut turn);
    let taken = clock.now().as_secs_f64();
    if let (Err(error), None) = (searched, turn.best()) {
        return Err(error.to_string());
    }
    let report = turn.into_report();
    let plan: Vec<TermId> = report.variation.iter().flatten().copied().collect();
    let goal = brings(&arena, &plan)?;
    match report.entry("expected goal") {
        Some(expected) if goal.is_none_or(|goal| goal.to_string() != expected) => {
            Err(format!("the plan was said to bring {expected}, and brings {goal:?}"))
        }
        _ => Ok(Some((report, taken, goal))),
    }
}

/// What a plan brings if it is legal and leads to the end of the game.
fn brings(arena: &Arena, plan: &[TermId]) -> Result<Option<Goal>, String> {
    let mut runner = arena.machine.runner(&Budget::unlimited());
    let text = |error: ludex_game::GameError| error.to_string();
    for &term in plan {
        let action = arena.signature().find_action(term).ok_or("an unknown move")?;
        if !runner.legal(arena.role).map_err(text)?.contains(&action) {
            return Err("an illegal move".to_owned());
        }
        runner.step_legal(&[action]).map_err(text)?;
    }
    if runner.terminal().map_err(text)? { runner.goal(arena.role).map_err(text) } else { Ok(None) }
}
