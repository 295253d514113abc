//! What is known of a game, found out on another thread, for all who play it.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread;

use ludex_analysis::Subject;
use ludex_analysis::knowledge::{Knowledge, Topics};
use ludex_logic::Budget;

/// Bytes of stack for the thread that analyses: as many as a command has.
const STACK: usize = 8 << 20;

/// Finds out what is known of a game while it is played, once for all its players, who are never made to
/// wait: they use what is there ([`BackgroundAnalysis::newest`]).
///
/// It goes on as long as somebody attends ([`BackgroundAnalysis::attend`]). When the last one leaves it stops, keeps
/// what it has, and goes on from there when somebody comes back.
pub struct BackgroundAnalysis {
    subject: Subject,
    progress: Mutex<Progress>,
    /// Held by whoever works: one at a time.
    work: Mutex<()>,
}

struct Progress {
    newest: Arc<Knowledge>,
    /// What anybody has asked for.
    wanted: Topics,
    attending: usize,
    /// Stops the thread that works, where there is one.
    cancel: Option<Arc<AtomicBool>>,
}

impl std::fmt::Debug for BackgroundAnalysis {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("BackgroundAnalysis").field("subject", &self.subject).finish_non_exhaustive()
    }
}

/// Somebody's wish that an analysis goes on; it ends when this is dropped.
#[derive(Debug)]
pub struct AnalysisInterest {
    analysis: Arc<BackgroundAnalysis>,
}

impl AnalysisInterest {
    /// What is attended.
    pub fn analysis(&self) -> &Arc<BackgroundAnalysis> {
        &self.analysis
    }
}

impl BackgroundAnalysis {
    /// An analysis of a game; nothing is known yet, and nobody works.
    pub fn new(subject: &Subject) -> Self {
        let progress = Progress { newest: Arc::default(), wanted: Topics::NONE, attending: 0, cancel: None };
        Self { subject: subject.clone(), progress: Mutex::new(progress), work: Mutex::new(()) }
    }

    /// What is known by now.
    pub fn newest(&self) -> Arc<Knowledge> {
        Arc::clone(&self.progress().newest)
    }

    /// Whether a thread works on it.
    pub fn is_working(&self) -> bool {
        self.progress().cancel.is_some()
    }

    /// Asks for some parts. With a clock they are found on another thread, and this returns at once.
    /// Without one, where work is counted, they are found here and now, so that what is known does not
    /// depend on time.
    pub fn attend(self: &Arc<Self>, wanted: Topics, budget: &Budget) -> AnalysisInterest {
        let attendance = {
            let mut progress = self.progress();
            progress.wanted = progress.wanted.and(wanted);
            progress.attending += 1;
            AnalysisInterest { analysis: Arc::clone(self) }
        };
        if budget.time_left().is_none() {
            self.work(wanted, budget);
        } else {
            self.begin(budget);
        }
        attendance
    }

    // What is noted there is whole at any time, so a panic elsewhere leaves nothing broken.
    fn progress(&self) -> MutexGuard<'_, Progress> {
        self.progress.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Has a thread work, unless one does or there is nothing to do.
    fn begin(self: &Arc<Self>, budget: &Budget) {
        // Others may attend for longer than the one who came first.
        let own = budget.clone().detached().with_work(u64::MAX);
        let flag = own.cancel_flag();
        {
            let mut progress = self.progress();
            let is_working = progress.cancel.as_ref().is_some_and(|flag| !flag.load(Ordering::Relaxed));
            if is_working || progress.newest.next(progress.wanted).is_none() {
                return;
            }
            progress.cancel = Some(Arc::clone(&flag));
        }
        let analysis = Arc::clone(self);
        let worker = thread::Builder::new().stack_size(STACK).spawn(move || analysis.work_on(&own));
        if worker.is_err() {
            // Without a thread there is no knowledge, and the game is played all the same.
            self.progress().cancel = None;
        }
    }

    /// Works until there is nothing left to find out, or nobody attends any more.
    fn work_on(&self, budget: &Budget) {
        let flag = budget.cancel_flag();
        loop {
            let wanted = self.progress().wanted;
            self.work(wanted, budget);
            let mut progress = self.progress();
            // More may have been asked for at the last moment.
            if flag.load(Ordering::Relaxed) || progress.newest.next(progress.wanted).is_none() {
                if progress.cancel.as_ref().is_some_and(|current| Arc::ptr_eq(current, &flag)) {
                    progress.cancel = None;
                }
                return;
            }
        }
    }

    fn work(&self, wanted: Topics, budget: &Budget) {
        let _alone = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        let known = self.newest();
        known.gather(&self.subject, wanted, budget, |more| self.progress().newest = Arc::clone(more));
    }
}

impl Drop for AnalysisInterest {
    fn drop(&mut self) {
        let mut progress = self.analysis.progress();
        progress.attending -= 1;
        if let (0, Some(flag)) = (progress.attending, &progress.cancel) {
            flag.store(true, Ordering::Relaxed);
        }
    }
}
