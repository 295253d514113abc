//! What is measured while a manager runs, for `/metrics`: how long things take, and what goes wrong.

use std::sync::Arc;
use std::time::Duration;

use ludex::matches::Fault;
use ludex::matches::message::Request;
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Registry, Unit};

use super::ManagerStatus;

use crate::clock::now;
use crate::driver::{Asking, Correspondent};
use crate::journal::{Journal, JournalError, JournalLine};
use crate::model::PlayerKind;

/// Bounds in seconds for what the manager itself takes.
const OWN: [f64; 11] = [0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0];
/// Bounds in seconds for what players take.
const PLAYERS: [f64; 13] = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0];

/// One label with its value.
type Label = [(&'static str, &'static str); 1];

/// What is measured.
#[derive(Debug)]
pub(super) struct Metrics {
    steps: Counter,
    sends: Histogram,
    commits: Histogram,
    answers: Family<Label, Histogram, fn() -> Histogram>,
    faults: Family<Label, Counter>,
    takeovers: Counter,
}

fn answer_times() -> Histogram {
    Histogram::new(PLAYERS)
}

/// Why players fail.
const CAUSES: [&str; 5] = ["late", "illegal", "malformed", "connection", "replaced"];

impl Default for Metrics {
    /// Whatever may be counted is counted from 0 on, so that its first time is a change.
    fn default() -> Self {
        let metrics = Self {
            steps: Counter::default(),
            sends: Histogram::new(OWN),
            commits: Histogram::new(OWN),
            answers: Family::new_with_constructor(answer_times),
            faults: Family::default(),
            takeovers: Counter::default(),
        };
        for cause in CAUSES {
            drop(metrics.faults.get_or_create(&[("cause", cause)]));
        }
        for kind in ["remote", "built-in", "person"] {
            drop(metrics.answers.get_or_create(&[("kind", kind)]));
        }
        metrics
    }
}

impl Metrics {
    /// So many steps were made.
    pub(super) fn stepped(&self, count: usize) {
        self.steps.inc_by(count as u64);
    }

    /// So many matches that ran with another server go on with this one.
    pub(super) fn took_over(&self, count: usize) {
        self.takeovers.inc_by(count as u64);
    }

    /// How many steps were made since the start.
    pub(super) fn steps(&self) -> u64 {
        self.steps.get()
    }

    /// A message went out so long after it was due.
    pub(super) fn sent(&self, delay: Duration) {
        self.sends.observe(delay.as_secs_f64());
    }

    /// A player did something wrong.
    pub(super) fn failed(&self, fault: &Fault) {
        let cause = match fault {
            Fault::Timeout => "late",
            Fault::Illegal(_) => "illegal",
            Fault::Malformed(_) => "malformed",
            Fault::Failed(_) => "connection",
            Fault::Replaced => "replaced",
        };
        self.faults.get_or_create(&[("cause", cause)]).inc();
    }

    /// All of it and what `others` adds, in the text format of Prometheus (OpenMetrics 1.0).
    pub(super) fn write(
        &self,
        status: &ManagerStatus,
        (members, owned): (usize, usize),
        others: impl FnOnce(&mut Registry),
    ) -> String {
        let mut registry = Registry::with_prefix("ludex");
        let gauges = [
            ("games", "Games in the library", status.games),
            ("players", "Registered players", status.players),
            ("matches_running", "Matches that run", status.running),
            ("matches_waiting", "Matches that wait for their time or for room", status.waiting),
            ("matches_completed", "Matches that were played to the end", status.completed),
            ("matches_aborted", "Matches that ended early", status.aborted),
            ("tournaments_open", "Tournaments that are not over", status.tournaments),
            ("games_ready", "Games that are kept ready", status.ready_games),
            ("player_processes", "Processes of built-in players", status.processes),
            ("members", "Servers and workers that share the store; 0 where it is not shared", members as u64),
            ("matches_owned", "Matches that this server has, running or waiting", owned as u64),
            ("troubles", "What does not work at present", status.troubles.len() as u64),
        ];
        for (name, help, value) in gauges {
            let gauge: Gauge = Gauge::default();
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
            registry.register(name, help, gauge);
        }
        registry.register("steps", "Steps of all matches since the start", self.steps.clone());
        registry.register("faults", "What players did wrong, by cause", self.faults.clone());
        let help = "Matches that this server went on with, of another one that ended or was lost";
        registry.register("takeovers", help, self.takeovers.clone());
        let mut times =
            |name, help, histogram| registry.register_with_unit(name, help, Unit::Seconds, histogram);
        times("send_delay", "From when a message of a match was due until it was sent", self.sends.clone());
        times("journal_commit", "What it takes to make entries of matches durable", self.commits.clone());
        let help = "What players take for their moves, by kind";
        registry.register_with_unit("answer_time", help, Unit::Seconds, self.answers.clone());
        others(&mut registry);
        let mut text = String::new();
        // Writing to a string cannot fail.
        let _ = encode(&mut text, &registry);
        text
    }
}

/// A journal whose writes are measured.
pub(super) struct MeasuredJournal {
    pub(super) journal: Box<dyn Journal>,
    pub(super) metrics: Arc<Metrics>,
}

impl Journal for MeasuredJournal {
    fn append(&mut self, lines: &[JournalLine]) -> Result<(), JournalError> {
        let begun = now();
        let done = self.journal.append(lines);
        self.metrics.commits.observe(begun.elapsed().as_secs_f64());
        done
    }
}

/// A player whose answers are measured, as far as they are moves and come.
pub(super) struct MeasuredPlayer {
    player: Arc<dyn Correspondent>,
    times: Histogram,
}

impl MeasuredPlayer {
    pub(super) fn new(metrics: &Metrics, kind: &PlayerKind, player: Arc<dyn Correspondent>) -> Self {
        let kind = match kind {
            PlayerKind::Remote { .. } => "remote",
            PlayerKind::BuiltIn { .. } => "built-in",
            PlayerKind::Person => "person",
        };
        Self { player, times: metrics.answers.get_or_create(&[("kind", kind)]).clone() }
    }
}

impl Correspondent for MeasuredPlayer {
    fn ask(&self, request: &Request) -> Asking {
        let asking = self.player.ask(request);
        if !matches!(request, Request::Play { .. }) {
            return asking;
        }
        let times = self.times.clone();
        Box::pin(async move {
            let begun = now();
            let answer = asking.await?;
            times.observe(begun.elapsed().as_secs_f64());
            Ok(answer)
        })
    }
}
