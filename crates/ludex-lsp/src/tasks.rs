//! What runs on threads of its own: commands and boards.

use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crossbeam_channel::{Receiver, Sender, unbounded};
use lsp_server::RequestId;
use lsp_types::NumberOrString;
use ludex::SystemClock;
use ludex::logic::{Budget, Clock, Progress};

use crate::board::Board;
use crate::commands::{CommandName, Outcome};

/// So many tasks run at once; who asks for more is told to wait.
const MOST: usize = 8;
/// Between two reports of progress lies so much time.
const BETWEEN_REPORTS: Duration = Duration::from_millis(100);

/// What a task has to say.
#[derive(Debug)]
pub enum Event {
    /// It goes on.
    Progress {
        /// Which task.
        id: RequestId,
        /// What it is doing.
        message: String,
        /// How far it is, from 0 to 100.
        percentage: Option<u32>,
    },
    /// It is done.
    Done {
        /// Which task.
        id: RequestId,
        /// What came of it.
        result: TaskResult,
    },
}

/// What comes of a task.
#[derive(Debug)]
pub enum TaskResult {
    /// Of a command.
    Command(Result<Outcome, String>),
    /// Of a board.
    Board(Box<Board>),
}

/// What is known of a task that runs.
#[derive(Debug)]
pub struct Running {
    cancel: Arc<AtomicBool>,
    /// How the client knows its progress.
    pub token: Option<NumberOrString>,
    /// Of a command, which one.
    pub command: Option<CommandName>,
    /// The document and the version that it is about.
    pub about: (String, i32),
    is_cancelled: bool,
}

/// All tasks that run.
#[derive(Debug)]
pub struct Tasks {
    sender: Sender<Event>,
    receiver: Receiver<Event>,
    running: BTreeMap<RequestId, Running>,
}

/// A task as it begins.
pub struct NewTask {
    /// The request that it answers.
    pub id: RequestId,
    /// How long it may take.
    pub limit: Duration,
    /// How the client knows its progress.
    pub token: Option<NumberOrString>,
    /// Of a command, which one.
    pub command: Option<CommandName>,
    /// The document and the version that it is about.
    pub about: (String, i32),
}

impl Tasks {
    /// None yet.
    pub fn new() -> Self {
        let (sender, receiver) = unbounded();
        Self { sender, receiver, running: BTreeMap::new() }
    }

    /// What tasks have to say.
    pub fn events(&self) -> &Receiver<Event> {
        &self.receiver
    }

    /// Begins a task on a thread of its own.
    ///
    /// # Errors
    /// A sentence, where there are too many, or the system has no thread left.
    pub fn begin(
        &mut self,
        task: NewTask,
        work: impl FnOnce(&Budget) -> TaskResult + Send + 'static,
    ) -> Result<(), String> {
        if self.running.len() >= MOST {
            return Err("too much is going on: wait for what was asked before, or cancel it".to_owned());
        }
        let clock = Arc::new(SystemClock::start());
        let reports = Reports {
            id: task.id.clone(),
            sender: self.sender.clone(),
            clock: clock.clone(),
            last: Mutex::default(),
        };
        let budget =
            Budget::unlimited().with_time(clock, task.limit).as_whole().with_progress(Arc::new(reports));
        let cancel = budget.cancel_flag();
        let (sender, id) = (self.sender.clone(), task.id.clone());
        let is_command = task.command.is_some();
        let run = move || {
            let result = catch_unwind(AssertUnwindSafe(|| work(&budget))).unwrap_or_else(|_| {
                let sorry = "this failed inside of the server: the log says where";
                if is_command {
                    TaskResult::Command(Err(sorry.to_owned()))
                } else {
                    TaskResult::Board(Box::new(Board::refused(sorry)))
                }
            });
            let _ = sender.send(Event::Done { id, result });
        };
        let thread = std::thread::Builder::new().name("ludex-lsp-task".to_owned());
        thread.spawn(run).map_err(|error| format!("there is no thread for it: {error}"))?;
        let running = Running {
            cancel,
            token: task.token,
            command: task.command,
            about: task.about,
            is_cancelled: false,
        };
        self.running.insert(task.id, running);
        Ok(())
    }

    /// The task that answers a request.
    pub fn get(&self, id: &RequestId) -> Option<&Running> {
        self.running.get(id)
    }

    /// A task that is done; whether it was cancelled.
    pub fn finish(&mut self, id: &RequestId) -> Option<(Running, bool)> {
        let running = self.running.remove(id)?;
        let is_cancelled = running.is_cancelled;
        Some((running, is_cancelled))
    }

    /// Stops the task that answers a request; whether there is one.
    pub fn cancel(&mut self, id: &RequestId) -> bool {
        let Some(running) = self.running.get_mut(id) else { return false };
        running.is_cancelled = true;
        running.cancel.store(true, Ordering::Relaxed);
        true
    }

    /// Stops the task with this progress.
    pub fn cancel_progress(&mut self, token: &NumberOrString) {
        let found = self.running.iter().find(|(_, running)| running.token.as_ref() == Some(token));
        if let Some(id) = found.map(|(id, _)| id.clone()) {
            self.cancel(&id);
        }
    }

    /// Stops all of them.
    pub fn cancel_all(&mut self) {
        self.running.values().for_each(|running| running.cancel.store(true, Ordering::Relaxed));
    }
}

/// Tells the loop how a task gets on, not too often.
struct Reports {
    id: RequestId,
    sender: Sender<Event>,
    clock: Arc<SystemClock>,
    last: Mutex<Duration>,
}

impl Progress for Reports {
    fn report(&self, what: &str, done: u64, total: Option<u64>) {
        let now = self.clock.now();
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if now.saturating_sub(*last) < BETWEEN_REPORTS {
            return;
        }
        *last = now;
        let percentage = total
            .filter(|total| *total > 0)
            .map(|total| (done.min(total).saturating_mul(100) / total) as u32);
        let message = match total {
            Some(total) => format!("{what}: {done} of {total}"),
            None => format!("{what}: {done}"),
        };
        let _ = self.sender.send(Event::Progress { id: self.id.clone(), message, percentage });
    }
}
