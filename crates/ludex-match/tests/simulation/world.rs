//! The world: what is to happen, in order of time.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex_match::referee::{Moment, TimerNumber};
use ludex_match::service;
use ludex_match::tournament::Fixture;

use super::actor::MatchActor;
use super::dice::Dice;
use super::disk::{Disk, File};
use super::network::{Author, Letter};
use super::plan::Plan;
use super::player::Process;
use super::sabotage::Sabotage;
use super::watch::{Broken, Violation, Watch};

/// A world in which nothing ends is left after so many events.
const MOST_EVENTS: usize = 300_000;

/// No match takes longer than this once its manager is not cut off any more: 26 questions of at most six
/// seconds, 12 seconds to get ready, 4 to part, and two seconds for each entry.
const LONGEST_MATCH: Duration = Duration::from_secs(26 * 8 + 20);

/// After so many power cuts there are no more: somebody has to win.
const MOST_CRASHES: usize = 25;

/// At most so many processes of one player: as many as a game has seats.
pub(crate) const MOST_SEATS: usize = 8;

/// What is going to happen.
pub(crate) enum Happening {
    /// A message arrives at a player.
    Message { letter: Letter, process: usize, text: String },
    /// An answer arrives at the manager.
    Answer { letter: Letter, answer: Result<Vec<u8>, String>, author: Option<Author> },
    /// A player hears that its answer did not arrive.
    Bounced(Author),
    /// Something comes to a player's service.
    Player { process: usize, life: u64, event: service::Event },
    /// A player comes back.
    Revival { process: usize },
    /// A timer of a referee goes off.
    Timer { life: u64, number: usize, timer: TimerNumber },
    /// What was written is durable.
    Flushed { life: u64, file: File, upto: u64 },
    /// The manager comes back.
    Restart,
}

/// A match that was begun.
pub(crate) struct Agreed {
    pub(crate) fixture: Fixture,
    pub(crate) began: Moment,
}

/// The world.
pub(crate) struct World {
    pub(crate) plan: Plan,
    pub(crate) sabotage: Sabotage,
    pub(crate) now: Moment,
    agenda: BTreeMap<(Moment, u64), Happening>,
    scheduled: u64,
    pub(crate) dice: Dice,
    pub(crate) disk: Disk,
    /// The manager, while it is there.
    pub(crate) actor: Option<MatchActor>,
    /// How often the manager has come back.
    pub(crate) life: u64,
    pub(crate) since: Moment,
    /// The next power cut comes after so many effects.
    pub(crate) effects_left: Option<usize>,
    pub(crate) crashes: usize,
    pub(crate) matches: Vec<Agreed>,
    pub(crate) processes: Vec<Process>,
    pub(crate) watch: Watch,
    /// What happened, in words, where somebody wants to know.
    pub(crate) log: Option<Vec<String>>,
    pub(crate) finished: usize,
}

/// What became of a world.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) violations: Vec<Violation>,
    pub(crate) log: Vec<String>,
    /// Matches that were played to their end.
    pub(crate) matches: usize,
    pub(crate) steps: usize,
    pub(crate) replaced: usize,
    pub(crate) crashes: usize,
    pub(crate) sent: usize,
    pub(crate) events: usize,
    /// When it was over.
    pub(crate) end: Moment,
}

impl Outcome {
    pub(crate) fn has(&self, what: Broken) -> bool {
        self.violations.iter().any(|violation| violation.what == what)
    }
}

/// Runs the world of a seed to its end.
pub(crate) fn run(seed: u64, sabotage: Sabotage, verbose: bool) -> Outcome {
    World::new(Plan::new(seed), sabotage, verbose).last()
}

impl World {
    fn new(plan: Plan, sabotage: Sabotage, verbose: bool) -> Self {
        let mut processes = Vec::new();
        // All power cuts together may take minutes, after which a player may rightly be gone.
        let silence = Duration::from_secs(if plan.clean { 3_600 } else { 120 });
        for (player, &habit) in plan.competition.tournament.players.iter().zip(&plan.habits) {
            let process = |seat| Process::new(format!("{player}/{seat}"), habit, silence);
            processes.extend((0..MOST_SEATS).map(process));
        }
        let mut world = Self {
            sabotage,
            now: Duration::from_secs(1),
            agenda: BTreeMap::new(),
            scheduled: 0,
            dice: Dice::new(plan.seed ^ 0x5eed),
            disk: Disk::new(sabotage == Sabotage::LyingDisk),
            actor: None,
            life: 0,
            since: Duration::ZERO,
            effects_left: None,
            crashes: 0,
            matches: Vec::new(),
            processes,
            watch: Watch::default(),
            log: verbose.then(Vec::new),
            finished: 0,
            plan,
        };
        world.restart();
        world
    }

    fn last(mut self) -> Outcome {
        let mut events = 0;
        while !self.is_over() {
            let Some(((at, _), happening)) = self.agenda.pop_first() else {
                self.watch.note(Broken::Endless, "nothing more happens, but it is not over");
                break;
            };
            self.now = self.now.max(at);
            self.happen(happening);
            events += 1;
            if events % 64 == 0 {
                self.check_services();
            }
            if events > MOST_EVENTS || self.takes_too_long() || self.watch.violations.len() > 20 {
                break;
            }
        }
        self.check_competition();
        let steps = self.watch.matches.iter().map(|observed| observed.truth.steps.len()).sum();
        Outcome {
            matches: self.finished,
            steps,
            replaced: self.watch.replaced,
            crashes: self.crashes,
            sent: self.watch.sent,
            events,
            end: self.now,
            violations: self.watch.violations,
            log: self.log.unwrap_or_default(),
        }
    }

    fn happen(&mut self, happening: Happening) {
        match happening {
            Happening::Message { letter, process, text } => {
                self.say(|| format!("player {process} <- {}", shown(&text)));
                self.message_arrives(letter, process, text);
            }
            Happening::Answer { letter, answer, author } => self.answer_arrives(letter, answer, author),
            Happening::Bounced(author) => self.bounced(author),
            Happening::Player { process, life, event } => self.tell_player(process, life, event),
            Happening::Revival { process } => self.revive(process),
            Happening::Timer { life, number, timer } => self.timer(life, number, timer),
            Happening::Flushed { life, file, upto } => self.flushed(life, file, upto),
            Happening::Restart => self.restart(),
        }
    }

    /// Whether a match is not over though it should be.
    fn takes_too_long(&mut self) -> bool {
        let Some(actor) = &self.actor else { return false };
        let late = |number: &usize| {
            self.now.saturating_sub(self.matches[*number].began.max(self.since)) > LONGEST_MATCH
        };
        let found = actor.tables.keys().copied().find(late);
        if let Some(number) = found {
            self.watch.endless(number, "it takes too long");
        }
        found.is_some()
    }

    pub(crate) fn after(&mut self, delay: Duration, happening: Happening) {
        self.scheduled += 1;
        self.agenda.insert((self.now + delay, self.scheduled), happening);
    }

    /// Notes something for whoever reads the log.
    pub(crate) fn say(&mut self, line: impl FnOnce() -> String) {
        if let Some(log) = &mut self.log {
            log.push(format!("{:>9.3} {}", self.now.as_secs_f64(), line()));
        }
    }

    /// How long the manager is away, and when its next power cut comes.
    pub(crate) fn next_crash(&mut self) -> Option<usize> {
        let most = self.plan.crashes.filter(|_| self.crashes < MOST_CRASHES)?;
        Some(1 + self.dice.below(most))
    }
}

/// The beginning of a text, on one line.
pub(crate) fn shown(text: &str) -> String {
    let mut short: String = text.chars().take(100).flat_map(char::escape_debug).collect();
    if text.chars().nth(100).is_some() {
        short.push_str("...");
    }
    short
}
