//! The processes of a preparation, who of them is asked, and what was answered lately.

use std::sync::{Arc, Mutex};

use sha2::{Digest, Sha256};

use super::answer::Bench;
use super::failures::Failures;
use super::guide::Guide;
use super::process::{Process, Silence};
use super::question::{
    AssessWish, Assessed, Description, ExploreWish, Explored, KnowWish, Known, Question, Reply, Rulesheet,
    ShowWish, Shown, StatePicture, Wish, WorkLimits,
};
use super::{FAILURES, PreparationOptions, STACK};
use crate::cache::Cache;
use crate::gate::{Crowded, Gate, Turn};
use crate::lock::lock;

/// Steps of inference for rules that somebody is writing: whoever types does not wait long.
const EXPLORED: u64 = 50_000_000;

/// Whoever works on rules for a server.
#[derive(Debug)]
pub(crate) struct Preparation {
    options: Option<PreparationOptions>,
    limits: WorkLimits,
    /// Where there are no processes.
    bench: Bench,
    /// How many processes work at the same time.
    gate: Gate,
    /// Those that have nothing to do.
    idle: Mutex<Vec<Process>>,
    /// Answers that were given lately, by the digests of their questions.
    shown: Cache<[u8; 32], Shown>,
    /// What was asked in vain, by the digests of the questions, and of the rules alone where a process had to be
    /// ended because of them.
    failures: Failures,
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum PreparationFailure {
    /// The rules are too much: what is told of them.
    #[error("{0}")]
    Heavy(String),
    /// The rules are too much even for a process that is limited, which had to be ended: what is told of them.
    #[error("{0}")]
    Unbearable(String),
    /// It took longer than it should, because the machine is at other work.
    #[error("the server is too busy to work on these rules at present; try again in a minute")]
    Late,
    /// Too many wait.
    #[error("no more than {0} games that wait to be worked on are possible")]
    Crowded(u64),
}

impl Preparation {
    /// Of states that were drawn lately, so many bytes are kept.
    pub(crate) fn new(options: Option<PreparationOptions>, limits: WorkLimits, kept: usize) -> Self {
        let failures = options.as_ref().map_or(FAILURES, |options| options.failures);
        let (processes, waiting) =
            options.as_ref().map_or((1, 0), |options| (options.processes, options.waiting));
        Self {
            failures: Failures::new(failures),
            options,
            limits,
            bench: Bench::default(),
            gate: Gate::new(processes, waiting),
            idle: Mutex::default(),
            shown: Cache::new(kept, Shown::bytes),
        }
    }

    /// A preparation for work that takes long, in one process of its own, for which so many may wait. It keeps no states
    /// that were drawn.
    pub(crate) fn of_one_process(
        options: Option<PreparationOptions>,
        limits: WorkLimits,
        waiting: usize,
    ) -> Self {
        let own = |options: PreparationOptions| PreparationOptions { processes: 1, waiting, ..options };
        Self::new(options.map(own), limits, 0)
    }

    /// Ends the processes that have had nothing to do for long.
    pub(crate) fn tidy(&self) {
        let Some(options) = &self.options else { return };
        lock(&self.idle).retain(|process| process.used.elapsed() < options.idle);
    }

    /// Ends the processes that have nothing to do.
    pub(crate) fn stop(&self) {
        lock(&self.idle).clear();
    }

    /// What there is to say about a game.
    pub(crate) fn describe(&self, rules: Rulesheet) -> Result<Description, PreparationFailure> {
        let question = self.question(rules, Wish::Describe);
        match self.answer(&question, key(&question))? {
            Reply::Description(description) => Ok(*description),
            _ => Err(unexpected()),
        }
    }

    /// A state as it is shown.
    pub(crate) fn show(&self, rules: Rulesheet, wish: ShowWish) -> Result<Arc<Shown>, PreparationFailure> {
        let question = self.question(rules, Wish::Show(wish));
        let key = key(&question);
        if let Some(shown) = self.shown.get(&key) {
            return Ok(shown);
        }
        match self.answer(&question, key)? {
            Reply::Shown(shown) => {
                let shown: Arc<Shown> = Arc::from(shown);
                self.shown.put(key, &shown);
                Ok(shown)
            }
            _ => Err(unexpected()),
        }
    }

    /// Whether a description of a game can be told to one of its players; why not.
    pub(crate) fn compare(
        &self,
        rules: Rulesheet,
        sheet: String,
    ) -> Result<Result<(), String>, PreparationFailure> {
        let question = self.question(rules, Wish::Compare(sheet));
        match self.answer(&question, key(&question))? {
            Reply::Compared(compared) => Ok(compared),
            _ => Err(unexpected()),
        }
    }

    /// What there is to see of rules that somebody is writing.
    pub(crate) fn explore(
        &self,
        rules: Rulesheet,
        wish: ExploreWish,
    ) -> Result<Explored, PreparationFailure> {
        let limits = WorkLimits { work: self.limits.work.min(EXPLORED), ..self.limits };
        let question = Question { rules, limits, wish: Wish::Explore(wish) };
        match self.answer(&question, key(&question))? {
            Reply::Explored(explored) => Ok(*explored),
            _ => Err(unexpected()),
        }
    }

    /// What positions of a game are worth.
    pub(crate) fn assess(&self, rules: Rulesheet, wish: AssessWish) -> Result<Assessed, PreparationFailure> {
        let question = self.question(rules, Wish::Assess(wish));
        match self.answer(&question, key(&question))? {
            Reply::Assessed(assessed) => Ok(assessed),
            _ => Err(unexpected()),
        }
    }

    /// How a game is played.
    pub(crate) fn guide(&self, rules: Rulesheet) -> Result<Guide, PreparationFailure> {
        let question = self.question(rules, Wish::Guide);
        match self.answer(&question, key(&question))? {
            Reply::Guide(guide) => Ok(*guide),
            _ => Err(unexpected()),
        }
    }

    /// What a seat knows.
    pub(crate) fn know(&self, rules: Rulesheet, wish: KnowWish) -> Result<Known, PreparationFailure> {
        let question = self.question(rules, Wish::Know(wish));
        match self.answer(&question, key(&question))? {
            Reply::Known(known) => Ok(*known),
            _ => Err(unexpected()),
        }
    }

    fn question(&self, rules: Rulesheet, wish: Wish) -> Question {
        Question { rules, limits: self.limits, wish }
    }

    /// The answer to a question with this key, if it was not asked in vain lately.
    fn answer(&self, question: &Question, key: [u8; 32]) -> Result<Reply, PreparationFailure> {
        let rules = Sha256::digest(&question.rules.sha256).into();
        if let Some(failure) = [key, rules].iter().find_map(|asked| self.failures.get(asked)) {
            return Err(failure);
        }
        let answer = match &self.options {
            Some(options) => self.ask(options, question),
            None => Ok(self.answer_here(question)),
        };
        let failure = match answer {
            Ok(Reply::Refused(why)) => PreparationFailure::Heavy(why),
            Ok(Reply::Late) => PreparationFailure::Late,
            Err(failure) => failure,
            Ok(reply) => return Ok(reply),
        };
        match &failure {
            PreparationFailure::Heavy(_) => self.failures.put(key, &failure),
            PreparationFailure::Unbearable(_) | PreparationFailure::Late => {
                self.failures.put(rules, &failure)
            }
            // That passes by itself.
            PreparationFailure::Crowded(_) => {}
        }
        Err(failure)
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

    fn ask(&self, options: &PreparationOptions, question: &Question) -> Result<Reply, PreparationFailure> {
        // Plain data with text keys: JSON can always hold it.
        let line = serde_json::to_string(question).unwrap_or_default();
        let mut place = Place::wait(self, options, &question.rules.sha256)?;
        let heavy = |why: String| Err(PreparationFailure::Heavy(why));
        let unbearable = |why: String| Err(PreparationFailure::Unbearable(why));
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
                    return unbearable(format!(
                        "the rules need more than can be had: the process that worked on them ended, \
                         which may have {most} MiB of memory"
                    ));
                }
                Err(Silence::Late) => return Err(PreparationFailure::Late),
            }
        }
    }
}

/// What a question is known by.
fn key(question: &Question) -> [u8; 32] {
    // Plain data with text keys: JSON can always hold it.
    let wish = serde_json::to_string(&question.wish).unwrap_or_default();
    Sha256::new().chain_update(&question.rules.sha256).chain_update(&wish).finalize().into()
}

fn unexpected() -> PreparationFailure {
    PreparationFailure::Heavy("the answer about the rules is another one".to_owned())
}

/// A place among those who are asked; the process goes back to those that have nothing to do.
struct Place<'a> {
    preparation: &'a Preparation,
    process: Option<Process>,
    _turn: Turn<'a>,
}

impl<'a> Place<'a> {
    /// Waits for a place. A process that knows the rules is taken rather than another.
    fn wait(
        preparation: &'a Preparation,
        options: &PreparationOptions,
        rules: &str,
    ) -> Result<Self, PreparationFailure> {
        let turn = preparation.gate.enter().map_err(|Crowded(limit)| PreparationFailure::Crowded(limit))?;
        let mut idle = lock(&preparation.idle);
        let process = match idle.iter().position(|process| process.knows == rules) {
            Some(at) => Some(idle.swap_remove(at)),
            // A new one leaves the others what they know.
            None if idle.len() + preparation.gate.counts().inside <= options.processes => None,
            None => idle.pop(),
        };
        Ok(Self { preparation, process, _turn: turn })
    }
}

impl Drop for Place<'_> {
    fn drop(&mut self) {
        lock(&self.preparation.idle).extend(self.process.take());
    }
}

fn pair_bytes((first, second): &(String, String)) -> usize {
    first.len() + second.len() + 64
}

impl StatePicture {
    /// How many bytes it takes, by and large.
    fn bytes(&self) -> usize {
        let group = |group: &super::FactGroup| group.items.iter().map(|item| item.len() + 32).sum::<usize>();
        self.boards.len()
            + self.legend.iter().map(pair_bytes).sum::<usize>()
            + self.facts.iter().map(group).sum::<usize>()
            + self.words.iter().map(pair_bytes).sum::<usize>()
    }
}

impl Known {
    /// How many bytes it takes, by and large.
    pub(crate) fn bytes(&self) -> usize {
        let told = |told: &super::ToldStep| {
            told.action.len() + told.percepts.iter().map(|percept| percept.len() + 32).sum::<usize>() + 64
        };
        self.picture.bytes()
            + self.possible.iter().map(|fact| fact.fact.len() + 40).sum::<usize>()
            + self.told.iter().map(told).sum::<usize>()
    }
}

impl Shown {
    /// How many bytes it takes, by and large.
    fn bytes(&self) -> usize {
        let moves = |shown: &super::MoveShown| shown.text.len() + shown.shown.len() + shown.spots.len() + 96;
        self.picture.bytes()
            + self.plain.as_ref().map_or(0, pair_bytes)
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

    /// A preparation whose program is this script, and which remembers no failure.
    fn preparation(folder: &Path, script: &str, patience: Duration) -> Preparation {
        forgetful(folder, script, patience, Duration::ZERO)
    }

    fn forgetful(folder: &Path, script: &str, patience: Duration, failures: Duration) -> Preparation {
        let program = folder.join("program");
        std::fs::write(&program, format!("#!/bin/sh\n{script}\n")).unwrap();
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
        let options = PreparationOptions::of(program);
        let options = PreparationOptions { patience, processes: 1, waiting: 0, failures, ..options };
        let time = Duration::from_secs(600);
        let limits = WorkLimits { memory: 1 << 26, time, work: 1 << 40, step: time };
        Preparation::new(Some(options), limits, 1 << 20)
    }

    fn rules() -> Rulesheet {
        Rulesheet { name: "rows".into(), text: "(role a)".into(), sha256: "x".into() }
    }

    const LONG: Duration = Duration::from_secs(300);

    #[test]
    fn whoever_does_not_answer_is_ended_and_another_one_is_asked() {
        let folder = tempfile::tempdir().unwrap();
        let said = |preparation: &Preparation| preparation.describe(rules()).unwrap_err().to_string();
        let late = preparation(folder.path(), "read question; exec sleep 600", Duration::from_millis(50));
        assert_eq!(
            late.describe(rules()).unwrap_err(),
            PreparationFailure::Late,
            "which says nothing of the rules"
        );
        let dead = preparation(folder.path(), "read question; kill -9 $$", LONG);
        assert!(said(&dead).contains("the process that worked on them ended"), "{}", said(&dead));
        assert!(said(&dead).contains("1536 MiB"), "{}", said(&dead));
        let odd = preparation(folder.path(), "while read question; do echo rubbish; done", LONG);
        assert_eq!(said(&odd), "the answer about the rules cannot be read");
        let none = Preparation::new(Some(PreparationOptions::of(folder.path().join("none"))), odd.limits, 0);
        assert!(said(&none).contains("does not start"), "{}", said(&none));
    }

    /// What failed is not worked on again for a while: neither the same question, nor any about rules for which a
    /// process had to be ended.
    #[test]
    fn what_was_asked_in_vain_is_remembered_for_a_while() {
        let folder = tempfile::tempdir().unwrap();
        let asked = folder.path().join("asked");
        let script =
            |answer: &str| format!("while read line; do echo asked >> {}; {answer}; done", asked.display());
        let count = || std::fs::read_to_string(&asked).unwrap().lines().count();
        let wish = |spots: bool| ShowWish { spots, ..ShowWish::default() };
        let refuses = script(r#"echo '{"Refused":"so it is"}'"#);
        let refusing = forgetful(folder.path(), &refuses, LONG, LONG);
        for _ in 0..3 {
            assert_eq!(refusing.show(rules(), wish(false)).unwrap_err().to_string(), "so it is");
        }
        assert_eq!(count(), 1);
        refusing.show(rules(), wish(true)).unwrap_err();
        refusing.describe(rules()).unwrap_err();
        assert_eq!(count(), 3, "another question is another matter");
        let ending = forgetful(folder.path(), &script("kill -9 $$"), LONG, LONG);
        for spots in [false, true, false] {
            assert!(matches!(ending.show(rules(), wish(spots)), Err(PreparationFailure::Unbearable(_))));
        }
        assert_eq!(count(), 4);
        let other = Rulesheet { sha256: "y".into(), ..rules() };
        ending.describe(other).unwrap_err();
        assert_eq!(count(), 5);
    }

    /// A process answers many questions. One that has ended while it had nothing to do is no trouble.
    #[test]
    fn processes_are_kept_and_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let starts = folder.path().join("starts");
        let script = |answers: &str| format!("echo started >> {}\n{answers}", starts.display());
        let count = || std::fs::read_to_string(&starts).unwrap().lines().count();
        let answer = r#"echo '{"Refused":"so it is"}'"#;
        let steady =
            preparation(folder.path(), &script(&format!("while read line; do {answer}; done")), LONG);
        for _ in 0..3 {
            assert_eq!(steady.describe(rules()).unwrap_err(), PreparationFailure::Heavy("so it is".into()));
        }
        assert_eq!(count(), 1);
        drop(steady);
        let once = preparation(folder.path(), &script(&format!("read line; {answer}")), LONG);
        for _ in 0..3 {
            // Whether it is noticed before or after the question that it has ended, the next one is a new one.
            let failure = once.describe(rules()).unwrap_err().to_string();
            assert!(failure == "so it is" || failure.contains("ended"), "{failure}");
        }
        assert!(count() > 1);
    }

    /// Whoever has nothing to do for long ends, and takes with it what it knows.
    #[test]
    fn idle_processes_are_ended() {
        let folder = tempfile::tempdir().unwrap();
        let script = r#"while read line; do echo '{"Refused":"so it is"}'; done"#;
        let mut steady = preparation(folder.path(), script, LONG);
        steady.describe(rules()).unwrap_err();
        steady.tidy();
        assert_eq!(lock(&steady.idle).len(), 1, "it may be wanted again");
        steady.options.as_mut().unwrap().idle = Duration::ZERO;
        steady.tidy();
        assert_eq!(lock(&steady.idle).len(), 0);
    }
}
