//! The processes of a workshop, who of them is asked, and what was answered lately.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use sha2::{Digest, Sha256};

use super::answer::Bench;
use super::process::{Process, Silence};
use super::question::{Description, Question, Reply, Rulesheet, ShowWish, Shown, Wish, WorkLimits};
use super::{STACK, WorkshopOptions};
use crate::cache::Cache;

/// Answers that were given lately are kept as long as they take no more bytes together.
const KEPT: usize = 32 << 20;

/// Whoever works on rules for a server.
#[derive(Debug)]
pub(crate) struct Workshop {
    options: Option<WorkshopOptions>,
    limits: WorkLimits,
    /// Where there are no processes.
    bench: Bench,
    state: Mutex<State>,
    changed: Condvar,
    /// Answers that were given lately, by the digests of their questions.
    shown: Cache<[u8; 32], Shown>,
}

#[derive(Debug, Default)]
struct State {
    /// Those that have nothing to do.
    idle: Vec<Process>,
    busy: usize,
    waiting: usize,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum WorkshopFailure {
    /// The rules are too much: what is told of them.
    #[error("{0}")]
    Heavy(String),
    /// Too many wait.
    #[error("no more than {0} games that wait to be worked on are possible")]
    Crowded(u64),
}

impl Workshop {
    pub(crate) fn new(options: Option<WorkshopOptions>, limits: WorkLimits) -> Self {
        Self {
            options,
            limits,
            bench: Bench::default(),
            state: Mutex::default(),
            changed: Condvar::new(),
            shown: Cache::new(KEPT),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // What is in it is whole at all times.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the processes that have nothing to do.
    pub(crate) fn stop(&self) {
        self.state().idle.clear();
    }

    /// What there is to say about a game.
    pub(crate) fn describe(&self, rules: Rulesheet) -> Result<Description, WorkshopFailure> {
        match self.answer(rules, Wish::Describe)? {
            Reply::Description(description) => Ok(*description),
            other => Err(unexpected(other)),
        }
    }

    /// A state as it is shown.
    pub(crate) fn show(&self, rules: Rulesheet, wish: ShowWish) -> Result<Arc<Shown>, WorkshopFailure> {
        // Plain data with text keys: JSON can always hold it.
        let text = serde_json::to_string(&wish).unwrap_or_default();
        let key = Sha256::new().chain_update(&rules.sha256).chain_update(&text).finalize().into();
        if let Some(shown) = self.shown.get(&key) {
            return Ok(shown);
        }
        match self.answer(rules, Wish::Show(wish))? {
            Reply::Shown(shown) => {
                let shown: Arc<Shown> = Arc::from(shown);
                self.shown.put(key, &shown, shown.bytes());
                Ok(shown)
            }
            other => Err(unexpected(other)),
        }
    }

    fn answer(&self, rules: Rulesheet, wish: Wish) -> Result<Reply, WorkshopFailure> {
        let question = Question { rules, limits: self.limits, wish };
        match &self.options {
            Some(options) => self.ask(options, &question),
            None => Ok(self.answer_here(&question)),
        }
    }

    /// Answers in this process, on a thread with the stack that this takes.
    fn answer_here(&self, question: &Question) -> Reply {
        let refused = || Reply::Refused("the rules could not be worked on".to_owned());
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("bench".into()).stack_size(STACK);
            let answer = thread.spawn_scoped(scope, || self.bench.answer(question));
            answer.map_or_else(|_| refused(), |answer| answer.join().unwrap_or_else(|_| refused()))
        })
    }

    fn ask(&self, options: &WorkshopOptions, question: &Question) -> Result<Reply, WorkshopFailure> {
        // Plain data with text keys: JSON can always hold it.
        let line = serde_json::to_string(question).unwrap_or_default();
        let mut place = Place::wait(self, options, &question.rules.sha256)?;
        let heavy = |why: String| Err(WorkshopFailure::Heavy(why));
        loop {
            let mut process = match place.process.take().map_or_else(|| Process::start(options), Ok) {
                Ok(process) => process,
                Err(error) => {
                    let program = options.program.display();
                    return heavy(format!("`{program}`, which works on rules, does not start: {error}"));
                }
            };
            match process.ask(&line, options) {
                Ok(answer) => {
                    process.knows.clone_from(&question.rules.sha256);
                    place.process = Some(process);
                    let reply = serde_json::from_str(&answer);
                    return reply.or_else(|_| heavy("the answer about the rules cannot be read".to_owned()));
                }
                // It ended without anything to do with this: another one is asked.
                Err(Silence::Gone) => {}
                Err(Silence::Died) => {
                    let most = options.memory >> 20;
                    return heavy(format!(
                        "the rules need more than can be had: the process that worked on them ended, \
                         which may have {most} MiB of memory"
                    ));
                }
                Err(Silence::Late) => {
                    let most = options.patience.as_secs_f64();
                    return heavy(format!("the rules need more time than can be had: {most} s"));
                }
            }
        }
    }
}

fn unexpected(reply: Reply) -> WorkshopFailure {
    WorkshopFailure::Heavy(match reply {
        Reply::Refused(why) => why,
        Reply::Description(_) | Reply::Shown(_) => "the answer about the rules is another one".to_owned(),
    })
}

/// A place among those who are asked; the process goes back to those that have nothing to do.
struct Place<'a> {
    workshop: &'a Workshop,
    process: Option<Process>,
}

impl<'a> Place<'a> {
    /// Waits for a place. A process that knows the rules is taken rather than another.
    fn wait(workshop: &'a Workshop, options: &WorkshopOptions, rules: &str) -> Result<Self, WorkshopFailure> {
        let mut state = workshop.state();
        if state.busy >= options.processes.max(1) {
            if state.waiting >= options.waiting {
                return Err(WorkshopFailure::Crowded(options.waiting as u64));
            }
            state.waiting += 1;
            while state.busy >= options.processes.max(1) {
                state = workshop.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            state.waiting -= 1;
        }
        let knowing = state.idle.iter().position(|process| process.knows == rules);
        let all = state.idle.len() + state.busy >= options.processes.max(1);
        let process = match knowing {
            Some(at) => Some(state.idle.swap_remove(at)),
            // A new one leaves the others what they know.
            None if !all => None,
            None => state.idle.pop(),
        };
        state.busy += 1;
        Ok(Self { workshop, process })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        let mut state = self.workshop.state();
        state.busy -= 1;
        state.idle.extend(self.process.take());
        drop(state);
        self.workshop.changed.notify_one();
    }
}

impl Shown {
    /// How many bytes it takes, by and large.
    fn bytes(&self) -> usize {
        let pair = |(first, second): &(String, String)| first.len() + second.len() + 64;
        let group = |group: &super::FactGroup| group.items.iter().map(|item| item.len() + 32).sum::<usize>();
        let moves = |shown: &super::MoveShown| shown.text.len() + shown.shown.len() + shown.spots.len() + 96;
        self.picture.boards.len()
            + self.picture.legend.iter().map(pair).sum::<usize>()
            + self.picture.facts.iter().map(group).sum::<usize>()
            + self.picture.words.iter().map(pair).sum::<usize>()
            + self.plain.as_ref().map_or(0, pair)
            + self.moves.iter().map(moves).sum::<usize>()
            + self.terms.iter().map(|term| term.len() + 32).sum::<usize>()
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::time::Duration;

    use super::*;

    /// A workshop whose program is this script.
    fn workshop(folder: &Path, script: &str, patience: Duration) -> Workshop {
        let program = folder.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let options = WorkshopOptions { patience, processes: 1, waiting: 0, ..WorkshopOptions::of(program) };
        let limits = WorkLimits { memory: 1 << 26, time: Duration::from_secs(600), work: 1 << 40 };
        Workshop::new(Some(options), limits)
    }

    fn rules() -> Rulesheet {
        Rulesheet { name: "rows".into(), text: "(role a)".into(), sha256: "x".into() }
    }

    const LONG: Duration = Duration::from_secs(300);

    #[test]
    fn whoever_does_not_answer_is_ended_and_another_one_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let said = |workshop: &Workshop| workshop.describe(rules()).unwrap_err().to_string();
        let late = workshop(folder.path(), "read question; exec sleep 600", Duration::from_millis(50));
        assert!(said(&late).starts_with("the rules need more time than can be had"), "{}", said(&late));
        let dead = workshop(folder.path(), "read question; kill -9 $$", LONG);
        assert!(said(&dead).contains("the process that worked on them ended"), "{}", said(&dead));
        assert!(said(&dead).contains("1536 MiB"), "{}", said(&dead));
        let odd = workshop(folder.path(), "while read question; do echo rubbish; done", LONG);
        assert_eq!(said(&odd), "the answer about the rules cannot be read");
        let none = Workshop::new(Some(WorkshopOptions::of(folder.path().join("none"))), odd.limits);
        assert!(said(&none).contains("does not start"), "{}", said(&none));
    }

    /// A process answers many questions. One that has ended while it had nothing to do is no trouble.
    #[test]
    fn processes_are_kept_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let starts = folder.path().join("starts");
        let script = |answers: &str| format!("echo started >> {}\n{answers}", starts.display());
        let count = || std::fs::read_to_string(&starts).unwrap().lines().count();
        let answer = r#"echo '{"Refused":"so it is"}'"#;
        let steady = workshop(folder.path(), &script(&format!("while read line; do {answer}; done")), LONG);
        for _ in 0..3 {
            assert_eq!(steady.describe(rules()).unwrap_err(), WorkshopFailure::Heavy("so it is".into()));
        }
        assert_eq!(count(), 1);
        drop(steady);
        let once = workshop(folder.path(), &script(&format!("read line; {answer}")), LONG);
        for _ in 0..3 {
            // Whether it is noticed before or after the question that it has ended, the next one is a new one.
            let failure = once.describe(rules()).unwrap_err().to_string();
            assert!(failure == "so it is" || failure.contains("ended"), "{failure}");
        }
        assert!(count() > 1);
    }
}
