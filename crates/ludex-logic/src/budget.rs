//! Explicit limits on work, time and memory.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Duration;

/// A clock that was passed in: the libraries never ask the system for the time.
pub trait Clock: Send + Sync {
    /// Time since a fixed but arbitrary moment; never decreases.
    fn now(&self) -> Duration;
}

/// Receives word of long-running work.
pub trait Progress: Send + Sync {
    /// `done` units of work of `total`, where that is known.
    fn report(&self, what: &str, done: u64, total: Option<u64>);
}

/// Why work stopped early.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LimitError {
    /// More steps of inference than allowed.
    #[error("stopped after {limit} steps of inference")]
    Work {
        /// The limit in steps.
        limit: u64,
    },
    /// The deadline passed.
    #[error("stopped at the time limit")]
    Deadline,
    /// A single piece of work took longer than allowed.
    #[error("stopped after {} s", limit.as_secs_f64())]
    Slow {
        /// The limit for a piece of work.
        limit: Duration,
    },
    /// More memory than allowed, by internal accounting.
    #[error("stopped at the memory limit of {limit} bytes while storing {what}")]
    Memory {
        /// The limit in bytes.
        limit: usize,
        /// What was growing, such as the name of a relation.
        what: String,
    },
    /// Something that would be too long as text ([`TEXT_LIMIT`](crate::TEXT_LIMIT)): terms whose parts
    /// are shared are small in memory and double on paper.
    #[error("{what} would take {} as text, and {limit} bytes is the most", bytes_text(*.bytes))]
    Text {
        /// What: a state, a move...
        what: &'static str,
        /// Its bytes in prefix notation; `u64::MAX` for that many or more.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// Somebody asked to stop.
    #[error("cancelled")]
    Cancelled,
}

fn bytes_text(bytes: u64) -> String {
    let more = if bytes == u64::MAX { "more than " } else { "" };
    format!("{more}{bytes} bytes")
}

/// Limits for one piece of work. Cloning shares the cancel flag.
///
/// A part of the work can be given a deadline and a cancel flag of its own. Those of the whole
/// ([`Budget::as_whole`]) hold for all its parts nevertheless.
#[derive(Clone)]
pub struct Budget {
    work: u64,
    memory: usize,
    deadline: Option<Duration>,
    clock: Option<Arc<dyn Clock>>,
    each: Option<(Arc<dyn Clock>, Duration)>,
    cancel: Arc<AtomicBool>,
    whole: Option<Arc<Whole>>,
    progress: Option<Arc<dyn Progress>>,
    total: Option<Arc<Total>>,
}

/// What the whole is held to that some work is a part of.
struct Whole {
    until: Option<(Arc<dyn Clock>, Duration)>,
    cancel: Arc<AtomicBool>,
    /// What that is a part of.
    outer: Option<Arc<Whole>>,
}

impl Whole {
    /// This one and those that it is a part of.
    fn all(innermost: Option<&Arc<Whole>>) -> impl Iterator<Item = &Whole> {
        std::iter::successors(innermost.map(|whole| &**whole), |whole| whole.outer.as_deref())
    }
}

/// What all meters of a budget spend together.
struct Total {
    limit: u64,
    spent: AtomicU64,
}

impl fmt::Debug for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Budget")
            .field("work", &self.work)
            .field("memory", &self.memory)
            .field("deadline", &self.deadline)
            .finish_non_exhaustive()
    }
}

impl Default for Budget {
    fn default() -> Self {
        Self::unlimited()
    }
}

impl Budget {
    /// No limit at all.
    pub fn unlimited() -> Self {
        Self {
            work: u64::MAX,
            memory: usize::MAX,
            deadline: None,
            clock: None,
            each: None,
            cancel: Arc::default(),
            whole: None,
            progress: None,
            total: None,
        }
    }

    /// At most this many steps of inference for each piece of work, which has a [`Meter`] of its own.
    #[must_use]
    pub fn with_work(mut self, steps: u64) -> Self {
        self.work = steps;
        self
    }

    /// At most about this many steps of inference for everything together that is done within this budget
    /// and its clones from now on: a piece of work tells every few thousand steps what it took.
    #[must_use]
    pub fn with_total_work(mut self, steps: u64) -> Self {
        self.total = Some(Arc::new(Total { limit: steps, spent: AtomicU64::new(0) }));
        self
    }

    /// At most this many bytes, by internal accounting.
    #[must_use]
    pub fn with_memory(mut self, bytes: usize) -> Self {
        self.memory = bytes;
        self
    }

    /// Stop when `clock` is `limit` past now.
    #[must_use]
    pub fn with_time(mut self, clock: Arc<dyn Clock>, limit: Duration) -> Self {
        self.deadline = Some(clock.now().saturating_add(limit));
        self.clock = Some(clock);
        self
    }

    /// At most so long by `clock` for each piece of work, which has a [`Meter`] of its own: its time begins with
    /// the meter, and goes on when that is restarted. The clock may be one that only runs while the thread works
    /// that asks it, where pieces of work stay on their threads.
    #[must_use]
    pub fn with_time_each(mut self, clock: Arc<dyn Clock>, limit: Duration) -> Self {
        self.each = Some((clock, limit));
        self
    }

    /// Report progress here.
    #[must_use]
    pub fn with_progress(mut self, progress: Arc<dyn Progress>) -> Self {
        self.progress = Some(progress);
        self
    }

    /// The same limits, with nobody to tell of progress.
    #[must_use]
    pub fn without_progress(mut self) -> Self {
        self.progress = None;
        self
    }

    /// A flag that stops the work when set to true, from any thread.
    pub fn cancel_flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.cancel)
    }

    /// From now on the deadline and the cancel flag hold for everything that is done within this budget and what
    /// is made of it, whatever deadlines and flags the parts are given or do without; but for what is
    /// [detached](Budget::detached).
    #[must_use]
    pub fn as_whole(mut self) -> Self {
        let until = self.clock.clone().zip(self.deadline.take());
        let whole = Whole { until, cancel: Arc::clone(&self.cancel), outer: self.whole.take() };
        self.whole = Some(Arc::new(whole));
        self
    }

    /// The time left until the first deadline, if there is one; zero when it has passed.
    pub fn time_left(&self) -> Option<Duration> {
        let own = self.clock.as_ref().zip(self.deadline);
        let of_whole = Whole::all(self.whole.as_ref()).filter_map(|whole| whole.until.as_ref());
        let all = own.into_iter().chain(of_whole.map(|(clock, deadline)| (clock, *deadline)));
        all.map(|(clock, deadline)| deadline.saturating_sub(clock.now())).min()
    }

    /// The same limits with a deadline that is earlier by `margin`.
    #[must_use]
    pub fn earlier_by(self, margin: Duration) -> Self {
        match (self.time_left(), self.clock.clone()) {
            (Some(left), Some(clock)) => self.with_time(clock, left.saturating_sub(margin)),
            _ => self,
        }
    }

    /// The same limits, but to stop after `share` of the time that is left.
    #[must_use]
    pub fn with_share_of_time(self, share: f64) -> Self {
        match (self.time_left(), self.clock.clone()) {
            (Some(left), Some(clock)) => self.with_time(clock, left.mul_f64(share.clamp(0.0, 1.0))),
            _ => self,
        }
    }

    /// The same limits without a deadline of its own; that of the whole stays.
    #[must_use]
    pub fn without_deadline(mut self) -> Self {
        self.deadline = None;
        self
    }

    /// The same limits with a cancel flag of its own; that of the whole stays.
    #[must_use]
    pub fn with_own_cancel_flag(mut self) -> Self {
        self.cancel = Arc::default();
        self
    }

    /// The same limits on work and memory, without a deadline and with no cancel flag but its own: for what may
    /// outlive the whole that it was begun in.
    #[must_use]
    pub fn detached(mut self) -> Self {
        (self.deadline, self.whole) = (None, None);
        self.with_own_cancel_flag()
    }

    /// The clock that deadlines are measured with.
    pub fn clock(&self) -> Option<&Arc<dyn Clock>> {
        self.clock.as_ref()
    }

    /// The limit on steps of inference.
    pub fn work(&self) -> u64 {
        self.work
    }

    /// The limit on memory in bytes.
    pub fn memory(&self) -> usize {
        self.memory
    }

    /// Passes word of progress on, if anyone listens.
    pub fn report(&self, what: &str, done: u64, total: Option<u64>) {
        if let Some(progress) = &self.progress {
            progress.report(what, done, total);
        }
    }

    /// Starts spending.
    pub fn meter(&self) -> Meter {
        let until_check = CHECK_INTERVAL.min(self.work.saturating_add(1));
        let until = self.each.as_ref().map(|(clock, limit)| clock.now().saturating_add(*limit));
        Meter { budget: self.clone(), spent: 0, told: 0, until_check, until }
    }
}

/// Steps between two looks at the clock and the cancel flag.
const CHECK_INTERVAL: u64 = 4096;

/// What one thread spends of a [`Budget`].
#[derive(Clone, Debug)]
pub struct Meter {
    budget: Budget,
    spent: u64,
    /// How much of it the total has heard of.
    told: u64,
    until_check: u64,
    /// When this piece of work is to end.
    until: Option<Duration>,
}

impl Meter {
    /// Spends some steps of inference.
    #[inline]
    pub fn spend(&mut self, steps: u64) -> Result<(), LimitError> {
        if steps < self.until_check {
            self.until_check -= steps;
            self.spent += steps;
            return Ok(());
        }
        self.spent = self.spent.saturating_add(steps);
        self.check()
    }

    /// Forgets what was spent, against the same limits.
    #[inline]
    pub fn restart(&mut self) {
        if self.budget.total.is_some() {
            self.tell();
        }
        (self.spent, self.told) = (0, 0);
        // Where the time of all questions counts, small ones together look at the clock, too.
        let next = if self.until.is_some() { self.until_check } else { CHECK_INTERVAL };
        self.until_check = next.min(self.budget.work.saturating_add(1));
    }

    /// Adds what was spent since to the total; whether that is over its limit.
    fn tell(&mut self) -> Option<u64> {
        let total = self.budget.total.as_ref()?;
        let news = self.spent - self.told;
        self.told = self.spent;
        let before = total.spent.fetch_add(news, Ordering::Relaxed);
        (before.saturating_add(news) > total.limit).then_some(total.limit)
    }

    /// Looks at every limit now.
    #[cold]
    pub fn check(&mut self) -> Result<(), LimitError> {
        if let Some(limit) = self.tell() {
            return Err(LimitError::Work { limit });
        }
        if self.spent > self.budget.work {
            return Err(LimitError::Work { limit: self.budget.work });
        }
        let wholes = || Whole::all(self.budget.whole.as_ref());
        let mut flags = wholes().map(|whole| &whole.cancel).chain([&self.budget.cancel]);
        if flags.any(|flag| flag.load(Ordering::Relaxed)) {
            return Err(LimitError::Cancelled);
        }
        if let (Some(deadline), Some(clock)) = (self.budget.deadline, &self.budget.clock)
            && clock.now() >= deadline
        {
            return Err(LimitError::Deadline);
        }
        let mut ends = wholes().filter_map(|whole| whole.until.as_ref());
        if ends.any(|(clock, deadline)| clock.now() >= *deadline) {
            return Err(LimitError::Deadline);
        }
        if let (Some(until), Some((clock, limit))) = (self.until, &self.budget.each)
            && clock.now() >= until
        {
            return Err(LimitError::Slow { limit: *limit });
        }
        self.until_check = CHECK_INTERVAL.min((self.budget.work - self.spent).saturating_add(1));
        Ok(())
    }

    /// Fails if `bytes` are over the limit; `what` names what was growing.
    #[inline]
    pub fn check_memory(&self, bytes: usize, what: impl FnOnce() -> String) -> Result<(), LimitError> {
        if bytes > self.budget.memory {
            return Err(LimitError::Memory { limit: self.budget.memory, what: what() });
        }
        Ok(())
    }

    /// The steps spent so far.
    pub fn spent(&self) -> u64 {
        self.spent
    }

    /// The budget this meter spends.
    pub fn budget(&self) -> &Budget {
        &self.budget
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_work_limit_is_exact() {
        for limit in [0, 1, 5, 4095, 4096, 4097, 10_000] {
            let mut meter = Budget::unlimited().with_work(limit).meter();
            for _ in 0..limit {
                meter.spend(1).unwrap();
            }
            assert_eq!(meter.spend(1), Err(LimitError::Work { limit }));
        }
    }

    #[test]
    fn the_total_counts_what_all_pieces_of_work_take() {
        let budget = Budget::unlimited().with_total_work(30_000);
        let piece = |budget: &Budget| {
            let mut meter = budget.meter();
            (0..10_000).try_for_each(|_| meter.spend(1))
        };
        assert!(piece(&budget).is_ok() && piece(&budget.clone()).is_ok());
        let pieces = (0..20).find_map(|_| piece(&budget).err());
        assert_eq!(pieces, Some(LimitError::Work { limit: 30_000 }));
        assert!(piece(&Budget::unlimited()).is_ok());
        assert!(piece(&budget.with_total_work(30_000)).is_ok(), "a new total begins anew");
    }

    /// A clock that goes on each time it is looked at.
    struct Ticks(AtomicU64);

    impl Clock for Ticks {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.fetch_add(1, Ordering::Relaxed))
        }
    }

    #[test]
    fn each_piece_of_work_has_its_time_also_over_many_questions() {
        let limit = Duration::from_secs(3);
        let budget = Budget::unlimited().with_time_each(Arc::new(Ticks(AtomicU64::new(0))), limit);
        for _ in 0..2 {
            let mut meter = budget.meter();
            let mut question = || {
                meter.restart();
                (0..4).try_for_each(|_| meter.spend(CHECK_INTERVAL / 4))
            };
            assert_eq!([question(), question()], [Ok(()), Ok(())]);
            assert_eq!(question(), Err(LimitError::Slow { limit }));
        }
    }

    #[test]
    fn cancelling_stops_within_the_check_interval() {
        let budget = Budget::unlimited();
        let mut meter = budget.meter();
        meter.spend(1).unwrap();
        budget.cancel_flag().store(true, Ordering::Relaxed);
        let steps = (0..).find(|_| meter.spend(1).is_err()).unwrap();
        assert!(steps <= CHECK_INTERVAL);
    }

    /// A clock that is set by hand.
    #[derive(Default)]
    struct Hand(AtomicU64);

    impl Clock for Hand {
        fn now(&self) -> Duration {
            Duration::from_secs(self.0.load(Ordering::Relaxed))
        }
    }

    #[test]
    fn no_part_leaves_the_limits_of_the_whole() {
        let clock = Arc::new(Hand::default());
        let seconds = Duration::from_secs;
        let whole = Budget::unlimited().with_time(clock.clone(), seconds(10)).as_whole();
        let part = whole.clone().with_time(clock.clone(), seconds(60)).with_own_cancel_flag();
        let patient = part.clone().without_deadline().with_own_cancel_flag();
        let outlives = part.clone().detached();
        assert_eq!((part.time_left(), patient.time_left()), (Some(seconds(10)), Some(seconds(10))));
        assert_eq!(part.clone().with_share_of_time(0.5).time_left(), Some(seconds(5)));
        assert_eq!(patient.clone().earlier_by(seconds(1)).time_left(), Some(seconds(9)));
        assert_eq!(outlives.time_left(), None);
        let check = |budget: &Budget| budget.meter().check();
        assert_eq!((check(&part), check(&patient)), (Ok(()), Ok(())));
        part.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!((check(&part), check(&patient)), (Err(LimitError::Cancelled), Ok(())));
        clock.0.store(10, Ordering::Relaxed);
        assert_eq!((check(&patient), check(&outlives)), (Err(LimitError::Deadline), Ok(())));
        whole.cancel_flag().store(true, Ordering::Relaxed);
        assert_eq!((check(&patient), check(&outlives)), (Err(LimitError::Cancelled), Ok(())));
    }
}
