//! One match: carries events to its referee and does what the referee wants done.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::sync::Arc;
use std::time::Duration;

use ludex::matches::referee::{Effect, EntryNumber, Event, MessageNumber, Moment, SeatNumber, TimerNumber};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender};
use tokio::task::{AbortHandle, JoinError, JoinSet};

use super::clock::DriverClock;
use super::correspondent::Correspondent;
use super::match_referee::MatchReferee;
use super::outbox::{Outbox, Outcome};
use super::running::{MatchFailure, Referees, SendWatch, Watcher};
use crate::journal::{JournalError, JournalLine, JournalWriter, KeptEntry};

/// What a match hears of.
#[derive(Debug)]
pub(super) enum News {
    /// Something for the referee, and when it happened.
    Event(Moment, Event),
    /// The write under way has ended.
    Written(Result<(), Arc<JournalError>>),
    /// What could not be written may be tried again.
    Retry,
    /// What the referee wants written, and what it took for now.
    Entries(Moment, Result<Vec<(EntryNumber, KeptEntry)>, JournalError>),
}

/// How long it takes until a write that failed is tried once more.
const RETRY: Duration = Duration::from_millis(200);

/// So long players may take to hear what was said last.
const FAREWELL: Duration = Duration::from_secs(5);

/// So many messages of a match may wait for an answer from one seat. In real time nobody has to answer any of them, so
/// the oldest are given up.
const OPEN_QUESTIONS: usize = 64;

/// The referee and who looks over its shoulder. They go to another thread to work.
pub(super) struct WatchedReferee<R> {
    pub(super) referee: Box<R>,
    pub(super) watcher: Box<dyn Watcher<R>>,
    /// What the referee last took for now. Its time does not go back.
    pub(super) now: Moment,
}

/// A running match.
pub(super) struct MatchTask {
    pub(super) players: Vec<Arc<dyn Correspondent>>,
    pub(super) journal: Arc<JournalWriter>,
    pub(super) clock: DriverClock,
    pub(super) inbox: UnboundedReceiver<News>,
    pub(super) news: UnboundedSender<News>,
    outbox: Outbox,
    timers: BinaryHeap<Reverse<(Moment, TimerNumber)>>,
    /// What the referee has not heard yet; no moment where it counts when the referee hears of it.
    events: Vec<(Option<Moment>, Event)>,
    referees: Referees,
    /// Questions under way, and what else takes its time.
    errands: JoinSet<()>,
    asked: BTreeMap<(SeatNumber, MessageNumber), AbortHandle>,
    /// Since when a message is due that waits for a write, or for nothing.
    due: Option<Moment>,
    sends: Option<SendWatch>,
    /// Nothing can be written any more.
    hopeless: Option<Arc<JournalError>>,
    done: bool,
}

/// The referee at work: when it is done, it comes back with what it wants.
type Work<R> =
    tokio::task::JoinHandle<Result<(WatchedReferee<R>, Vec<Effect<<R as MatchReferee>::Entry>>), JoinError>>;

impl MatchTask {
    pub(super) fn new(
        match_id: String,
        players: Vec<Arc<dyn Correspondent>>,
        journal: Arc<JournalWriter>,
        clock: DriverClock,
        (news, inbox): (UnboundedSender<News>, UnboundedReceiver<News>),
        referees: Referees,
        sends: Option<SendWatch>,
    ) -> Self {
        Self {
            players,
            journal,
            clock,
            inbox,
            news,
            outbox: Outbox::new(match_id),
            timers: BinaryHeap::new(),
            events: Vec::new(),
            referees,
            errands: JoinSet::new(),
            asked: BTreeMap::new(),
            due: None,
            sends,
            hopeless: None,
            done: false,
        }
    }

    /// Runs the match to its end.
    pub(super) async fn run<R: MatchReferee>(
        mut self,
        watched: WatchedReferee<R>,
    ) -> Result<Box<R>, MatchFailure> {
        self.events.push((None, Event::Begin));
        let mut watched = Some(watched);
        loop {
            // The referee works off what came in, on another thread; meanwhile more may come in.
            let mut work = self.next_work(&mut watched);
            while let Some(under_way) = &mut work {
                tokio::select! {
                    biased;
                    finished = under_way => {
                        work = None;
                        let (back, effects) = finished.flatten().map_err(panicked)?;
                        self.carry_out(back.now, effects);
                        watched = Some(back);
                    }
                    () = self.hear() => {}
                }
            }
            if self.done
                && let Some(watched) = watched.take()
            {
                self.part().await;
                return Ok(watched.referee);
            }
            if let Some(error) = self.hopeless {
                return Err(MatchFailure::Journal(error));
            }
            if self.events.is_empty() {
                self.hear().await;
            }
        }
    }

    /// What was said is still on its way to the players. Who has not answered by then will not.
    async fn part(&mut self) {
        let all = async { while self.errands.join_next().await.is_some() {} };
        let _ = tokio::time::timeout(FAREWELL, all).await;
    }

    /// Gives the referee what has come in, if it has time and there is anything.
    fn next_work<R: MatchReferee>(&mut self, watched: &mut Option<WatchedReferee<R>>) -> Option<Work<R>> {
        if self.events.is_empty() {
            return None;
        }
        let mut watched = watched.take()?;
        let (events, clock, news) = (std::mem::take(&mut self.events), self.clock, self.news.clone());
        Some(self.referees.clone().work(move || {
            let mut effects = Vec::new();
            watched.watcher.works();
            for (at, event) in events {
                watched.now = watched.now.max(at.unwrap_or_else(|| clock.now()));
                watched.referee.on(watched.now, event, &mut effects);
            }
            // What is to be written does not wait for those who watch; who is asked next does, so that nobody answers
            // what was seen before.
            let (mut entries, mut others) = (Vec::new(), Vec::new());
            for effect in effects {
                match effect {
                    Effect::Write(number, entry) => {
                        entries.push(KeptEntry::of(&entry).map(|entry| (number, entry)));
                    }
                    other => others.push(other),
                }
            }
            let entries = entries.into_iter().collect::<Result<_, _>>().map_err(JournalError::from);
            let _ = news.send(News::Entries(watched.now, entries));
            watched.watcher.changed(&watched.referee);
            (watched, others)
        }))
    }

    /// Waits for the next thing to happen, and takes in all that has happened since.
    async fn hear(&mut self) {
        let next = self.timers.peek().map(|Reverse((at, _))| self.clock.instant(*at));
        let timer = async {
            match next {
                Some(at) => tokio::time::sleep_until(at).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            // The match holds a sender itself, so the channel is never closed.
            Some(news) = self.inbox.recv() => {
                self.take(news);
                while let Ok(news) = self.inbox.try_recv() {
                    self.take(news);
                }
            }
            () = timer => {
                let now = self.clock.now();
                while let Some(&Reverse((at, timer))) = self.timers.peek()
                    && at <= now
                {
                    self.timers.pop();
                    self.events.push((Some(now), Event::Timer(timer)));
                }
            }
        }
        while self.errands.try_join_next().is_some() {}
    }

    fn take(&mut self, news: News) {
        match news {
            News::Event(at, event) => {
                if let Event::Reply { seat, message, .. } | Event::Fault { seat, message, .. } = &event {
                    self.asked.remove(&(*seat, *message));
                }
                self.events.push((Some(at), event));
            }
            News::Written(result) => {
                match self.outbox.written(result) {
                    Outcome::Durable(number) => self.events.push((None, Event::Written(number))),
                    // Nobody has a clock that runs while something is written, so waiting does no harm.
                    Outcome::Failed => {
                        let news = self.news.clone();
                        self.errands.spawn(async move {
                            tokio::time::sleep(RETRY).await;
                            let _ = news.send(News::Retry);
                        });
                    }
                    Outcome::Hopeless(error) => self.hopeless = Some(error),
                }
                let lines = self.outbox.next_write();
                self.write(lines);
            }
            News::Entries(heard, entries) => self.keep(heard, entries),
            News::Retry => {
                let lines = self.outbox.retry();
                self.write(lines);
            }
        }
    }

    /// Has written what the referee wants written since it has heard of something.
    fn keep(&mut self, heard: Moment, entries: Result<Vec<(EntryNumber, KeptEntry)>, JournalError>) {
        match entries {
            Ok(entries) if entries.is_empty() => {}
            Ok(entries) => {
                // What is written now is what the next messages wait for.
                self.due.get_or_insert(heard);
                entries.into_iter().for_each(|(number, entry)| self.outbox.push(number, entry));
                let lines = self.outbox.next_write();
                self.write(lines);
            }
            Err(error) => self.hopeless = Some(Arc::new(error)),
        }
    }

    /// Does what the referee wants done since it has heard of something, apart from what is written.
    fn carry_out<E>(&mut self, heard: Moment, effects: Vec<Effect<E>>) {
        let is_sent = effects.iter().any(|effect| matches!(effect, Effect::Send { .. }));
        // What is sent was waiting for the last write.
        let due = if is_sent { self.due.take().unwrap_or(heard) } else { heard };
        for effect in effects {
            match effect {
                // That is on its way already.
                Effect::Write(..) => {}
                Effect::Send { seat, message, request, until } => {
                    let Some(player) = self.players.get(seat.0 as usize) else { continue };
                    let (asking, news, clock) = (player.ask(&request), self.news.clone(), self.clock);
                    let (until, sends) = (clock.instant(until), self.sends.clone());
                    let question = async move {
                        if let Some(told) = sends {
                            told(clock.now().saturating_sub(due));
                        }
                        // The referee has a clock of its own for who is late; this only ends the wait.
                        let Ok(answer) = tokio::time::timeout_at(until, asking).await else { return };
                        let event = match answer {
                            Ok(bytes) => Event::Reply { seat, message, bytes },
                            Err(no_answer) => Event::Fault { seat, message, cause: no_answer.0 },
                        };
                        // A match that is over does not want to hear anything.
                        let _ = news.send(News::Event(clock.now(), event));
                    };
                    self.asked.insert((seat, message), self.errands.spawn(question));
                    self.give_up_oldest(seat);
                }
                Effect::Wake { timer, at } => self.timers.push(Reverse((at, timer))),
                Effect::Drop { seat, message } => {
                    if let Some(question) = self.asked.remove(&(seat, message)) {
                        question.abort();
                    }
                }
                Effect::Done => self.done = true,
            }
        }
    }

    fn give_up_oldest(&mut self, seat: SeatNumber) {
        let open = self.asked.range((seat, MessageNumber(0))..=(seat, MessageNumber(u64::MAX)));
        let (count, first) = (open.clone().count(), open.map(|(key, _)| *key).next());
        if let Some(oldest) = first.filter(|_| count > OPEN_QUESTIONS)
            && let Some(question) = self.asked.remove(&oldest)
        {
            question.abort();
        }
    }

    fn write(&self, lines: Option<Vec<JournalLine>>) {
        if let Some(lines) = lines {
            let news = self.news.clone();
            let written = move |result| {
                let _ = news.send(News::Written(result));
            };
            self.journal.submit(lines, Box::new(written));
        }
    }
}

fn panicked(error: JoinError) -> MatchFailure {
    if error.is_panic() { MatchFailure::Panicked } else { MatchFailure::Stopped }
}
