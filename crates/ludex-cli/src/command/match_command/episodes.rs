//! Matches one after the other between players that are told no rules (book 20.4).

use std::collections::BTreeMap;
use std::io::Write;
use std::sync::Arc;
use std::sync::mpsc::{self, Sender};

use ludex::game::Goal;
use ludex::matches::message::Given;
use ludex::matches::referee::{Referee, RefereeSetup};
use ludex::{Fault, Game, MatchStatus};
use ludex_server::driver::{Driver, MatchJob, Watcher};
use ludex_server::journal::NoJournal;
use serde_json::{Value, json};

use super::line_file::LineFile;
use super::{MatchArguments, Stop, curve, driver, interruption, opponent, watch};
use crate::Context;
use crate::clock::unix_milliseconds;
use crate::console::table;
use crate::failure::{FAULTY, Failure};
use crate::output::{check_writable, write_file};

/// One match.
#[derive(Debug)]
pub struct Episode {
    id: String,
    seed: u64,
    steps: usize,
    completed: bool,
    /// What it was worth on each seat; nothing where it was not played to its end.
    pub utilities: Vec<Option<Goal>>,
    /// How often each seat did something that is not legal.
    refused: Vec<usize>,
    /// How often the player of each seat failed otherwise.
    faults: Vec<usize>,
}

/// The matches so far, and who played them.
#[derive(Debug)]
pub struct Episodes {
    pub game: String,
    sha256: String,
    seed: u64,
    /// The names of the roles that are played.
    pub roles: Vec<String>,
    pub players: Vec<String>,
    /// Which of them are told no rules.
    blind: Vec<bool>,
    pub all: Vec<Episode>,
    /// Why there are not as many as there were to be.
    stopped: Option<String>,
}

/// Plays the episodes.
///
/// # Errors
/// Somebody cannot be seated, a file cannot be written, an episode ends early, or a player fails.
pub fn run(
    arguments: &MatchArguments,
    game: &Game,
    setup: RefereeSetup,
    context: &mut Context,
) -> Result<(), Failure> {
    arguments.svg.iter().try_for_each(|file| check_writable(file))?;
    let mut records = arguments.record.as_deref().map(LineFile::create).transpose()?;
    let mut episodes = Episodes::begin(game, &setup);
    let mut referee = begin(game, setup)?;
    let seats = opponent::seated(arguments, &referee.setup().seats, episodes.seed)?;
    let driver = driver(Box::new(NoJournal))?;
    let stop = Stop { interrupted: interruption(&driver), resumable: false, until: None };
    let id = referee.setup().id.clone();
    for number in 0..u64::from(arguments.episodes) {
        if number > 0 {
            let (id, seed) = (format!("{id}e{}", number + 1), episodes.seed.wrapping_add(number));
            referee = referee
                .another(id, seed, Some(unix_milliseconds()))
                .map_err(|error| Failure::input(error.to_string()))?;
        }
        referee = play(&driver, referee, &seats, &stop, context)?;
        let episode = Episode::of(&referee, &episodes.blind);
        if let Some(records) = &mut records {
            records.add(&referee.record().write())?;
        }
        if arguments.quiet || arguments.json {
            let total = Some(u64::from(arguments.episodes));
            context.limits.budget().report("episodes", number + 1, total);
        } else {
            writeln!(context.console, "episode {}: {}", number + 1, episode.line(&episodes.roles))?;
            context.console.flush()?;
        }
        episodes.all.push(episode);
        episodes.stopped = ended_early(&referee, arguments);
        if episodes.stopped.is_some() {
            break;
        }
    }
    finish(arguments, &episodes, context)
}

/// A referee of the first match.
fn begin(game: &Game, setup: RefereeSetup) -> Result<Referee, Failure> {
    Referee::new(game.rules().clone(), setup).map_err(|error| Failure::input(error.to_string()))
}

/// Why no more episodes follow: this one was aborted, and not since it had as many steps as it may have.
fn ended_early(referee: &Referee, arguments: &MatchArguments) -> Option<String> {
    let is_long = referee.course().steps().len() >= arguments.step_limit as usize;
    match referee.status() {
        MatchStatus::Aborted(cause) if !is_long => Some(cause.clone()),
        _ => None,
    }
}

/// Lives as long as its match runs.
struct Running(#[allow(dead_code, reason = "who waits hears when it goes")] Sender<()>);

impl Watcher for Running {
    fn changed(&mut self, _: &Referee) {}
}

fn play(
    driver: &Driver,
    referee: Referee,
    seats: &[opponent::Seated],
    stop: &Stop,
    context: &mut Context,
) -> Result<Referee, Failure> {
    let (running, over) = mpsc::channel();
    let players = seats.iter().map(|seat| Arc::clone(&seat.correspondent)).collect();
    let job = MatchJob { referee, players, watcher: Box::new(Running(running)) };
    let referee = watch(driver.run(job), &over, stop, &mut |(), _| Ok(()), context)?;
    Ok(*referee)
}

impl Episode {
    fn of(referee: &Referee, blind: &[bool]) -> Self {
        let course = referee.course();
        let completed = *referee.status() == MatchStatus::Completed;
        let (mut refused, mut faults) = (vec![0; blind.len()], vec![0; blind.len()]);
        for (seat, role) in course.rules().seats().into_iter().enumerate() {
            let at_start = course.start_faults().get(role.index()).into_iter().flatten();
            let in_steps = course.steps().iter().filter_map(|step| step.faults.get(role.index())?.as_ref());
            for fault in at_start.chain(in_steps) {
                let is_refused = blind[seat] && matches!(fault, Fault::Illegal(_));
                *(if is_refused { &mut refused[seat] } else { &mut faults[seat] }) += 1;
            }
        }
        let goals = course.seat_goals().into_iter();
        Self {
            id: referee.setup().id.clone(),
            seed: referee.setup().seed,
            steps: course.steps().len(),
            completed,
            utilities: goals.map(|goal| goal.filter(|_| completed)).collect(),
            refused,
            faults,
        }
    }

    /// In a line.
    fn line(&self, roles: &[String]) -> String {
        let steps = if self.steps == 1 { "step" } else { "steps" };
        let utility = |(role, utility): (&String, &Option<Goal>)| {
            format!("{role} {}", utility.map_or_else(|| "-".to_owned(), |utility| utility.to_string()))
        };
        let utilities: Vec<String> = roles.iter().zip(&self.utilities).map(utility).collect();
        let mut line = format!("{} after {} {steps}", utilities.join(", "), self.steps);
        for (what, counts) in [("refused", &self.refused), ("failed", &self.faults)] {
            let some = roles.iter().zip(counts).filter(|(_, count)| **count > 0);
            let some: Vec<String> = some.map(|(role, count)| format!("{role} {count}")).collect();
            if !some.is_empty() {
                line.push_str(&format!("; {what}: {}", some.join(", ")));
            }
        }
        line
    }
}

/// What came of all episodes on one seat. The first and the last tenth are rounded up to whole episodes.
#[derive(Debug)]
struct Summary {
    first: Option<f64>,
    last: Option<f64>,
    best: Option<Goal>,
    refused_first: f64,
    refused_last: f64,
}

impl Episodes {
    fn begin(game: &Game, setup: &RefereeSetup) -> Self {
        Self {
            game: game.short_name().to_owned(),
            sha256: game.rules().sha256().to_owned(),
            seed: setup.seed,
            roles: game.seats().into_iter().map(|role| game.role_name(role)).collect(),
            players: setup.seats.iter().map(|seat| seat.player.clone()).collect(),
            blind: setup.seats.iter().map(|seat| seat.given == Given::Structure).collect(),
            all: Vec::new(),
            stopped: None,
        }
    }

    fn summary(&self, seat: usize) -> Summary {
        let count = self.all.len().div_ceil(10);
        let (first, last) = (&self.all[..count], &self.all[self.all.len() - count..]);
        let mean = |part: &[Episode]| {
            let values: Vec<f64> =
                part.iter().filter_map(|episode| episode.utilities[seat].map(f64::from)).collect();
            (!values.is_empty()).then(|| values.iter().sum::<f64>() / values.len() as f64)
        };
        let refused = |part: &[Episode]| {
            let sum: usize = part.iter().map(|episode| episode.refused[seat]).sum();
            sum as f64 / part.len().max(1) as f64
        };
        Summary {
            first: mean(first),
            last: mean(last),
            best: self.all.iter().filter_map(|episode| episode.utilities[seat]).max(),
            refused_first: refused(first),
            refused_last: refused(last),
        }
    }

    fn by_role<T: Into<Value>>(&self, values: impl IntoIterator<Item = T>) -> Value {
        let pairs = self.roles.iter().cloned().zip(values.into_iter().map(Into::into));
        pairs.collect::<BTreeMap<String, Value>>().into_iter().collect()
    }

    fn object(&self) -> Value {
        let episode = |episode: &Episode| {
            json!({
                "match_id": episode.id,
                "seed": episode.seed,
                "steps": episode.steps,
                "completed": episode.completed,
                "utilities": self.by_role(episode.utilities.iter().copied()),
                "refused": self.by_role(episode.refused.iter().copied()),
                "faults": self.by_role(episode.faults.iter().copied()),
            })
        };
        let summary = |seat| {
            let summary = self.summary(seat);
            json!({
                "first_tenth": summary.first,
                "last_tenth": summary.last,
                "best": summary.best,
                "refused_first_tenth": summary.refused_first,
                "refused_last_tenth": summary.refused_last,
            })
        };
        let blind = self.roles.iter().zip(&self.blind).filter(|(_, blind)| **blind).map(|(role, _)| role);
        json!({
            "game": self.game,
            "rulesheet_sha256": self.sha256,
            "seed": self.seed,
            "blind": blind.collect::<Vec<_>>(),
            "players": self.by_role(self.players.iter().cloned()),
            "episodes": self.all.iter().map(episode).collect::<Vec<_>>(),
            "summary": self.by_role((0..self.roles.len()).map(summary)),
            "stopped": self.stopped,
        })
    }

    fn rows(&self) -> Vec<Vec<String>> {
        let heading =
            ["ROLE", "PLAYER", "FIRST TENTH", "LAST TENTH", "BEST", "REFUSED FIRST", "REFUSED LAST"];
        let mut rows = vec![heading.map(str::to_owned).to_vec()];
        let number = |value: Option<f64>| value.map_or_else(|| "-".to_owned(), |value| format!("{value:.1}"));
        for (seat, (role, player)) in self.roles.iter().zip(&self.players).enumerate() {
            let summary = self.summary(seat);
            let refused = |count: f64| if self.blind[seat] { format!("{count:.1}") } else { String::new() };
            rows.push(vec![
                role.clone(),
                player.clone(),
                number(summary.first),
                number(summary.last),
                summary.best.map_or_else(|| "-".to_owned(), |best| best.to_string()),
                refused(summary.refused_first),
                refused(summary.refused_last),
            ]);
        }
        rows
    }
}

fn finish(arguments: &MatchArguments, episodes: &Episodes, context: &mut Context) -> Result<(), Failure> {
    if let Some(file) = &arguments.svg {
        write_file(file, &curve::draw(episodes))?;
    }
    if arguments.json {
        writeln!(context.console, "{}", serde_json::to_string_pretty(&episodes.object())?)?;
    } else {
        let count = episodes.all.len();
        let plural = if count == 1 { "episode" } else { "episodes" };
        let heading = format!("{} without rules, {count} {plural} (seed {})", episodes.game, episodes.seed);
        let text = table(&context.console, &episodes.rows(), &[false, false, true, true, true, true, true]);
        write!(context.console, "{}\n{text}", context.console.bold(&heading))?;
    }
    if let Some(cause) = &episodes.stopped {
        let number = episodes.all.len();
        return Err(Failure::input(format!(
            "episode {number} of {} was aborted: {cause}",
            arguments.episodes
        )));
    }
    let failed = episodes.all.iter().flat_map(|episode| &episode.faults).any(|count| *count > 0);
    if failed { Err(Failure::Code(FAULTY)) } else { Ok(()) }
}
