//! Expanding states on several threads, with answers in the order of the questions.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

use ludex_game::{Answer, Batch, BatchOptions, Expansion, GameError, Jobs, Machine};
use ludex_logic::{Budget, LimitError, begin_threads};

/// So many questions may wait for each thread.
const AHEAD: usize = 3;

/// What was asked, and what it led to.
pub(super) type Expanded = (Jobs, Answer<Expansion>);

/// Expands jobs; answers come in the order in which jobs were given.
pub(super) struct Expander<'m> {
    kind: Kind<'m>,
}

enum Kind<'m> {
    /// On this thread, at once.
    Here { batch: Box<dyn Batch + 'm>, done: std::collections::VecDeque<Expanded> },
    /// On others.
    Threads {
        to: Sender<(u64, Jobs)>,
        from: Receiver<(u64, Expanded)>,
        /// Answers that came too early.
        early: BTreeMap<u64, Expanded>,
        asked: u64,
        answered: u64,
        most: usize,
    },
}

impl Expander<'_> {
    /// Calls `work` with an expander over so many threads beside this one, as far as the system has them; with one
    /// thread, over none.
    pub(super) fn with<R>(
        machine: &dyn Machine,
        threads: usize,
        budget: &Budget,
        work: impl FnOnce(Expander<'_>) -> R,
    ) -> R {
        let options = BatchOptions { budget: budget.clone(), ..BatchOptions::default() };
        let here = || Kind::Here { batch: machine.batch(&options), done: Default::default() };
        if threads < 2 {
            return work(Expander { kind: here() });
        }
        let (to, questions) = channel::<(u64, Jobs)>();
        let (answers, from) = channel();
        let questions = Arc::new(Mutex::new(questions));
        std::thread::scope(|scope| {
            let servants = (0..threads).map(|_| {
                let (questions, answers, options) = (Arc::clone(&questions), answers.clone(), &options);
                move || serve(machine, options, &questions, &answers)
            });
            let servants = begin_threads(scope, servants);
            if servants.is_empty() {
                return work(Expander { kind: here() });
            }
            // Threads end when there are no more questions: when `work` has dropped the expander.
            drop(answers);
            let most = AHEAD * servants.len();
            let kind = Kind::Threads { to, from, early: BTreeMap::new(), asked: 0, answered: 0, most };
            work(Expander { kind })
        })
    }

    /// Whether it makes sense to ask more before taking an answer.
    pub(super) fn has_room(&self) -> bool {
        match &self.kind {
            Kind::Here { done, .. } => done.is_empty(),
            Kind::Threads { asked, answered, most, .. } => asked - answered < *most as u64,
        }
    }

    /// Gives jobs to be expanded.
    pub(super) fn ask(&mut self, jobs: Jobs) {
        match &mut self.kind {
            Kind::Here { batch, done } => {
                let mut expansion = Expansion::default();
                let answer = batch.expand(&jobs, &mut expansion).map(|()| expansion);
                done.push_back((jobs, answer));
            }
            Kind::Threads { to, asked, .. } => {
                // The threads listen as long as this expander lives; where all have panicked, taking
                // the answer says so.
                let _ = to.send((*asked, jobs));
                *asked += 1;
            }
        }
    }

    /// The next answer; none where nothing was asked.
    pub(super) fn take(&mut self) -> Option<Expanded> {
        match &mut self.kind {
            Kind::Here { done, .. } => done.pop_front(),
            Kind::Threads { from, early, asked, answered, .. } => {
                if answered == asked {
                    return None;
                }
                let expanded = loop {
                    if let Some(found) = early.remove(answered) {
                        break found;
                    }
                    match from.recv() {
                        Ok((number, expanded)) => drop(early.insert(number, expanded)),
                        // All threads are gone, because they broke down.
                        Err(_) => {
                            break (Jobs::default(), Err(GameError::Limit(LimitError::Cancelled)));
                        }
                    }
                };
                *answered += 1;
                Some(expanded)
            }
        }
    }
}

/// One thread: takes questions until there are no more.
fn serve(
    machine: &dyn Machine,
    options: &BatchOptions,
    questions: &Mutex<Receiver<(u64, Jobs)>>,
    answers: &Sender<(u64, Expanded)>,
) {
    let mut batch = machine.batch(options);
    loop {
        let next = questions.lock().unwrap_or_else(PoisonError::into_inner).recv();
        let Ok((number, jobs)) = next else { return };
        // Who waits for this answer would wait for ever for that of a thread that is gone.
        let expanded = catch_unwind(AssertUnwindSafe(|| {
            let mut expansion = Expansion::default();
            batch.expand(&jobs, &mut expansion).map(|()| expansion)
        }));
        let is_broken = expanded.is_err();
        let answer = expanded.unwrap_or_else(|panic| {
            let text = panic.downcast_ref::<String>().map(String::as_str);
            let cause = text.or_else(|| panic.downcast_ref::<&str>().copied());
            let cause = cause.unwrap_or("no reason was given").to_owned();
            Err(GameError::BrokeDown { what: "a thread that looks at states".to_owned(), cause })
        });
        if answers.send((number, (jobs, answer))).is_err() || is_broken {
            return;
        }
    }
}
