//! `ludex train`: learning a game beforehand.

mod against_before;
mod curve;

use std::io::Write;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use ludex::logic::{Budget, Clock};
use ludex::players::{Trained, TrainedEvaluation, TrainingError, TrainingOptions, TrainingProgress, train};
use ludex::tournament::SequentialReport;
use ludex::{Game, Playable};
use serde_json::{Value, json};

use crate::Context;
use crate::console::table;
use crate::failure::Failure;
use crate::interrupt::ended_by_interrupt;
use crate::limits::{duration, duration_text, grouped, thread_count};
use crate::output::{check_writable, write_file};
use crate::rulesheet::LoadArguments;
use crate::trained::find_trained;

/// Arguments of `train`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  ludex train breakthrough --for 10m -o breakthrough.json
  ludex train breakthrough --for 10m --threads 4 -o b.json --curve b.svg --test
  ludex train breakthrough --for 1h --from b.json -o better.json
  ludex tournament -p ludex:trained=b.json,ludex -g breakthrough -r 5 --clock 500ms
  ludex player --strategy ludex:trained=evaluations

A small network learns from games with itself what states are worth, by temporal
differences: 32 hidden units over the facts that hold, and where there is a board a table
for what stands on each few neighbouring cells. Where games are so slow that few can be
played, how many moves each role has may tell more, and is what it goes by. It is kept
with the rules, and used by the strategy `ludex` where the game is played again, also
where its names, variables and the order of its clauses are others (as `ludex same`
compares rules), and where it tells enough. trained=FOLDER takes the file that fits from
a folder.

How well it tells what comes of states is the correlation of what it said of states of its
last games, before it learned from them, with their results; beside it that of the mean of
32 random games from the same states. Its share is the part of it in the mixture of both
that comes nearest to the results: so much it counts in a search.

Ctrl-C ends the learning early, and what was learned until then is written.

--test plays matches against what was learned in the first tenth of the time, with the
same number of leaves for each move, until a sequential test says whether the rest was
worth 50 Elo or more, or nothing.
--json: an object with game, games, seconds, threads, told, told_by_random_games (null
where there was no time), share, goes_by (facts or moves), file, curve (a list of games,
seconds and told), test (null, or as `sprt` of `ludex tournament`).
Nothing can be learned where only one plays, where roles do not see everything, and of
rules that make no net.")]
pub struct TrainArguments {
    /// A rulesheet or the name of a bundled game
    #[arg(value_name = "FILE")]
    file: String,

    /// Learn for so long
    #[arg(long = "for", value_name = "TIME", default_value = "1m", value_parser = duration)]
    time: Duration,

    /// Learn from so many games at most; with one thread the same is learned each time, if there is time
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,

    /// Write what was learned to this file
    #[arg(long, short, value_name = "OUT")]
    output: String,

    /// Go on from what was learned before, of the same game: a file, or a folder that has it
    #[arg(long, value_name = "BEFORE")]
    from: Option<String>,

    /// Draw how well it tells what comes of states, over time
    #[arg(long, value_name = "SVG")]
    curve: Option<String>,

    /// Play against what it was after a tenth of the time
    #[arg(long)]
    test: bool,

    /// How many threads play
    #[arg(long, short, value_name = "N", default_value_t = 1, value_parser = thread_count())]
    threads: u16,

    /// Decides all chances
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    load: LoadArguments,
}

/// The part of the time after which what was learned is kept as the opponent of a test.
const BEFORE: f64 = 0.1;

/// A point of the learning curve.
#[derive(Clone, Copy, Debug)]
struct Point {
    time: Duration,
    games: u64,
    told: f64,
}

/// Learns.
pub fn run(arguments: &TrainArguments, context: &mut Context) -> Result<(), Failure> {
    let game = match arguments.load.playable(&arguments.file, false, context)? {
        Playable::InSteps(game) => game,
        Playable::InTime(_) => {
            return Err(Failure::input("games in real time are not learned beforehand".to_owned()));
        }
    };
    check_writable(&arguments.output)?;
    arguments.curve.as_deref().map_or(Ok(()), check_writable)?;
    let mut course = Course::begin(&game, arguments, context)?;
    let (trained, before) = course.learn()?;
    let seconds = context.limits.clock.now().saturating_sub(course.begun).as_secs_f64();
    let points = course.points;
    write_file(&arguments.output, &format!("{}\n", serde_json::to_string(&trained.evaluation)?))?;
    if let Some(file) = &arguments.curve {
        write_file(file, &curve::draw(game.short_name(), &points, trained.told_by_playouts))?;
    }
    let compare = |before| {
        let now = Arc::new(trained.evaluation.clone());
        against_before::test(&game, [now, before], arguments, context)
    };
    let test = before.map(compare).transpose()?;
    let report = Report { game: &game, arguments, trained: &trained, seconds, points: &points, test };
    if arguments.json {
        writeln!(context.console, "{}", serde_json::to_string_pretty(&report.json())?)?;
    } else {
        let text = report.text(context);
        context.console.write_all(text.as_bytes())?;
    }
    Ok(())
}

/// Learning, with its curve.
struct Course<'c> {
    game: &'c Game,
    arguments: &'c TrainArguments,
    budget: Budget,
    clock: Arc<dyn Clock>,
    begun: Duration,
    from: Vec<Arc<TrainedEvaluation>>,
    points: Vec<Point>,
}

impl<'c> Course<'c> {
    fn begin(game: &'c Game, arguments: &'c TrainArguments, context: &Context) -> Result<Self, Failure> {
        let from = arguments.from.as_deref().map(find_trained).transpose().map_err(Failure::input)?;
        let clock = context.limits.clock.clone();
        Ok(Self {
            game,
            arguments,
            budget: ended_by_interrupt(context.limits.budget().clone()),
            begun: clock.now(),
            clock,
            from: from.unwrap_or_default(),
            points: Vec::new(),
        })
    }

    /// Learns for the time there is; with what was known after the first part of it, where that is asked for.
    fn learn(&mut self) -> Result<(Trained, Option<Arc<TrainedEvaluation>>), Failure> {
        let (time, from) = (self.arguments.time, std::mem::take(&mut self.from));
        if !self.arguments.test {
            return Ok((self.learn_for(time, self.arguments.games, from)?, None));
        }
        let part = |games: u64| ((games as f64 * BEFORE) as u64).max(1);
        let first = self.learn_for(time.mul_f64(BEFORE), self.arguments.games.map(part), from)?;
        if self.is_interrupted() {
            return Ok((first, None));
        }
        let before = Arc::new(first.evaluation.clone());
        let rest = self.arguments.games.map(|games| games.saturating_sub(first.progress.games).max(1));
        match self.learn_for(time.mul_f64(1.0 - BEFORE), rest, vec![Arc::clone(&before)]) {
            // Interrupted before a further game came to an end.
            Err(_) if self.is_interrupted() => Ok((first, None)),
            trained => Ok((trained?, Some(before))),
        }
    }

    fn is_interrupted(&self) -> bool {
        self.budget.cancel_flag().load(Ordering::Relaxed)
    }

    fn learn_for(
        &mut self,
        time: Duration,
        games: Option<u64>,
        from: Vec<Arc<TrainedEvaluation>>,
    ) -> Result<Trained, Failure> {
        let Self { game, arguments, budget, clock, begun, points, .. } = self;
        let known = points.last().map_or(0, |point| point.games);
        let budget = budget.clone().with_time(Arc::clone(clock), time);
        let seconds = arguments.time.as_secs();
        let options = TrainingOptions {
            games: games.unwrap_or(u64::MAX),
            threads: usize::from(arguments.threads),
            seed: arguments.seed.wrapping_add(known),
            from,
        };
        let mut note = |progress: &TrainingProgress| {
            let time = clock.now().saturating_sub(*begun);
            points.push(Point { time, games: known + progress.games, told: progress.told });
            budget.report("seconds of learning", time.as_secs(), Some(seconds));
        };
        let trained = train(game.machine(), game.program(), &options, &budget, &mut note);
        let trained = trained.map_err(|error| match error {
            TrainingError::Game(error) => error.into(),
            error => Failure::input(error.to_string()),
        })?;
        note(&trained.progress);
        Ok(trained)
    }
}

/// What is told at the end.
struct Report<'r> {
    game: &'r Game,
    arguments: &'r TrainArguments,
    trained: &'r Trained,
    seconds: f64,
    points: &'r [Point],
    test: Option<SequentialReport>,
}

/// So many points of the curve are shown as text.
const SHOWN: usize = 10;

impl Report<'_> {
    fn json(&self) -> Value {
        let point = |point: &Point| json!({ "games": point.games, "seconds": point.time.as_secs_f64(), "told": point.told });
        json!({
            "game": self.game.short_name(),
            "games": self.trained.evaluation.games(),
            "seconds": self.seconds,
            "threads": self.arguments.threads,
            "told": self.trained.progress.told,
            "told_by_random_games": self.trained.told_by_playouts,
            "share": self.trained.evaluation.share(),
            "goes_by": if self.trained.evaluation.goes_by_moves() { "moves" } else { "facts" },
            "file": self.arguments.output,
            "curve": self.points.iter().map(point).collect::<Vec<_>>(),
            "test": self.test,
        })
    }

    fn text(&self, context: &Context) -> String {
        let mut rows = vec![["TIME", "GAMES", "TOLD"].map(str::to_owned).to_vec()];
        let step = self.points.len().div_ceil(SHOWN).max(1);
        for point in self.points.iter().rev().step_by(step).rev() {
            let told = format!("{:.3}", point.told);
            rows.push(vec![duration_text(point.time), grouped(u128::from(point.games)), told]);
        }
        let mut out = table(&context.console, &rows, &[true, true, true]);
        let goes_by = match self.trained.evaluation.goes_by_moves() {
            true => "how many moves each role has",
            false => "what holds in states",
        };
        let random = match self.trained.told_by_playouts {
            Some(told) => format!("{told:.3} by 32 random games"),
            None => "there was no time for random games".to_owned(),
        };
        let lines = [
            ("learned from", format!("{} games", grouped(u128::from(self.trained.evaluation.games())))),
            ("told", format!("{:.3} of what came of states; {random}", self.trained.progress.told)),
            ("goes by", goes_by.to_owned()),
            ("share", format!("{:.0} % beside random games", 100.0 * self.trained.evaluation.share())),
            ("written to", self.arguments.output.clone()),
        ];
        out.push('\n');
        for (name, text) in lines {
            out.push_str(&format!("{name:14}{text}\n"));
        }
        if let Some(test) = &self.test {
            out.push_str(&format!("{:14}{}\n", "test", against_before::text(test)));
        }
        out
    }
}
