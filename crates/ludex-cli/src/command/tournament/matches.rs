//! Playing the matches of a tournament, some at once.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Mutex, PoisonError};

use ludex::Playable;
use ludex::logic::{LimitError, begin_threads};
use ludex::matches::MatchSetting;
use ludex::players::Registry;
use ludex::tournament::{
    Fixture, FixtureError, FixtureOptions, MatchResult, Ongoing, RunningTest, RunningTournament, Tournament,
    play_fixture, play_timed_fixture,
};

use crate::Context;
use crate::failure::Failure;
use crate::rulesheet::reason;

/// What every match is played with.
pub struct MatchSettings<'d> {
    pub tournament: &'d Tournament,
    pub games: &'d [Playable],
    pub options: &'d FixtureOptions,
    pub registry: &'d Registry,
    /// How many matches are played at once.
    pub threads: u16,
    /// Whether players are told who plays, and what the match is part of.
    pub introduces: bool,
    /// Where records go.
    pub records: Option<&'d Path>,
    pub context: &'d Context,
}

impl MatchSettings<'_> {
    /// Plays a match to its end.
    ///
    /// # Errors
    /// The limit of the command that ends it before.
    fn play(&self, Order { fixture, setting }: &Order) -> Result<Ended, LimitError> {
        let failed = |cause: String| (MatchResult::failed(self.tournament, fixture, cause), None);
        let Some(game) = self.games.get(fixture.game) else {
            return Ok(failed("there is no such game".to_owned()));
        };
        let clock = self.context.limits.clock.clone();
        // Progress is told of matches, not of what happens in them.
        let budget = self.context.limits.budget().clone().without_progress();
        let (tournament, registry) = (self.tournament, self.registry);
        let options = &FixtureOptions { setting: setting.clone(), ..self.options.clone() };
        let played = match game {
            Playable::InSteps(game) => {
                play_fixture(tournament, fixture, game, options, registry, clock, &budget).map(|played| {
                    (MatchResult::of(tournament, fixture, &played), Some(played.record().write()))
                })
            }
            Playable::InTime(rules) => {
                play_timed_fixture(tournament, fixture, rules, options, registry, clock, &budget)
                    .map(|(result, record)| (result, record.map(|record| record.write())))
                    .map_err(FixtureError::Limit)
            }
        };
        match played {
            Ok(ended) => Ok(ended),
            Err(FixtureError::Limit(limit)) => Err(limit),
            Err(error) => Ok(failed(error.to_string())),
        }
    }
}

/// What came of a match, and its record as text.
type Ended = (MatchResult, Option<String>);

/// A match that is to be played, and what its players are told of the tournament.
struct Order {
    fixture: Fixture,
    setting: Option<MatchSetting>,
}

/// What was played and what came of it: a worker's answer.
type Played = (Fixture, Result<Ended, LimitError>);

/// What is done with a result, which is to be applied, and with the record of the match, if there is one.
pub type Finished<'f> =
    dyn FnMut(&mut RunningTournament, MatchResult, Option<&str>) -> Result<(), Failure> + 'f;

/// Plays matches, some at once, and passes on each result as it comes, until a sequential
/// test is decided or all are played. Gives the limit that was reached before that.
pub fn play_all(
    competition: &mut RunningTournament,
    settings: &MatchSettings<'_>,
    test: &mut Option<RunningTest>,
    finished: &mut Finished<'_>,
) -> Result<Option<LimitError>, Failure> {
    let budget = settings.context.limits.budget();
    let (orders, work) = channel::<Order>();
    let (answers, played) = channel::<Played>();
    let work = Mutex::new(work);
    std::thread::scope(|scope| {
        // Workers end when nobody can give them anything to do.
        let orders = orders;
        let workers = (0..settings.threads).map(|_| {
            let (answers, work) = (answers.clone(), &work);
            move || while play_one(settings, work, &answers) {}
        });
        let workers = begin_threads(scope, workers).len();
        // Where the system has no thread left, this one plays.
        let own = (workers == 0).then_some(answers);
        let mut ongoing = Ongoing::default();
        let mut reached = None;
        let mut is_decided;
        loop {
            is_decided = test.as_ref().is_some_and(RunningTest::is_decided);
            reached = reached.or_else(|| budget.meter().check().err());
            if !is_decided && reached.is_none() {
                for fixture in competition.next(&ongoing, workers.max(1) - ongoing.running.len()) {
                    let setting = settings.introduces.then(|| MatchSetting::of(competition, &fixture));
                    if orders.send(Order { fixture: fixture.clone(), setting }).is_ok() {
                        ongoing.running.push(fixture);
                    }
                }
            }
            if ongoing.running.is_empty() {
                break;
            }
            if let Some(answers) = &own {
                play_one(settings, &work, answers);
            }
            let Ok((fixture, outcome)) = played.recv() else { break };
            ongoing.running.retain(|running| *running != fixture);
            let (result, record) = match outcome {
                Ok(ended) => ended,
                Err(limit) => {
                    reached = Some(limit);
                    continue;
                }
            };
            if let (Some(folder), Some(record)) = (settings.records, &record) {
                write_record(folder, &fixture, &result, record)?;
            }
            test.iter_mut().for_each(|test| test.add(&result));
            finished(competition, result, record.as_deref())?;
        }
        Ok(if is_decided || competition.is_over() { None } else { reached })
    })
}

/// Waits for the next match to play, and plays it; whether there may be another one.
fn play_one(settings: &MatchSettings<'_>, work: &Mutex<Receiver<Order>>, answers: &Sender<Played>) -> bool {
    let next = work.lock().unwrap_or_else(PoisonError::into_inner).recv();
    let Ok(order) = next else { return false };
    let outcome = settings.play(&order);
    answers.send((order.fixture, outcome)).is_ok()
}

/// Writes a record under a name that says who played what.
fn write_record(folder: &Path, fixture: &Fixture, result: &MatchResult, record: &str) -> Result<(), Failure> {
    let safe = |text: &str| -> String {
        text.chars().map(|c| if c.is_alphanumeric() || "-_.=+".contains(c) { c } else { '_' }).collect()
    };
    let players: Vec<String> = result.players.iter().map(|player| safe(player)).collect();
    let mut name = format!("{}.round-{}.{}", safe(&result.game), fixture.round, players.join("."));
    // File names have an end; the seed tells apart what was cut off.
    name.truncate(name.char_indices().nth(200).map_or(name.len(), |(at, _)| at));
    let path = folder.join(format!("{name}.{}.json", fixture.seed));
    std::fs::write(&path, format!("{record}\n"))
        .map_err(|e| Failure::input(format!("cannot write `{}`: {}", path.display(), reason(&e))))
}
