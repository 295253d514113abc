//! A player in a match in real time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ludex::TimedTableOptions;
use ludex::game::{GameError, Goal, RoleId, TimedAnswer, TimedRules};
use ludex::gdl::GameTime;
use ludex::logic::{Budget, Clock, LimitError, TermId};
use ludex::matches::message::{Last, News};
use ludex::matches::referee::Moment;
use ludex::matches::service::TimedFollower;
use ludex::players::real_time::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat};
use ludex::players::{BeliefError, Outcome, PlayerError, Report};

use super::manager_clock::{Course, ManagerClock};
use super::own_moves::{OwnMoves, Settled, Word};
use super::timed_news::Narrator;
use super::worker::guarded;

/// So many delays of moves are remembered.
const REMEMBERED: usize = 8;
/// A move of which nothing is heard for so long, and one unit of game time, is taken to be lost.
const LOST_AFTER: Duration = Duration::from_secs(5);
/// Where so many moves wait for a message, the player is not asked for more.
const MOST_WAITING: usize = 16;
/// A player that has to begin anew gets at least so long to get ready.
const ANEW: Duration = Duration::from_secs(1);
/// A player that did not get ready tries again so often.
const TRIES: u32 = 3;

/// A player in a match in real time, with what is known of the match and of the manager's clock.
///
/// It takes messages in whatever order they come, and tells the player what happened in the order in which it happened. When
/// one was overtaken, or the clock of the manager stood still, the player begins anew and is told everything again. It then
/// knows nothing of its moves that are on their way, so it is not asked before it is known what became of them.
pub(super) struct SeatInTime {
    rules: TimedRules,
    role: RoleId,
    follower: TimedFollower,
    /// `None` when it broke down.
    player: Option<Box<dyn TimedPlayer>>,
    /// Whether it got ready, or need not try any more.
    is_ready: bool,
    tries: u32,
    here: Arc<dyn Clock>,
    /// Limits on everything in the match.
    budget: Budget,
    clock: ManagerClock,
    moves: OwnMoves,
    narrator: Narrator,
    ask: Ask,
    /// Whether the player began anew while moves were on their way.
    is_silenced: bool,
    /// How long its last moves were on their way.
    delays: VecDeque<GameTime>,
    /// How long it is before it was measured.
    first_delay: GameTime,
    /// How long the player may think before messages are looked at, if none comes meanwhile.
    slice: Duration,
}

/// How fast a match goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Tempo {
    /// How long one unit of game time lasts.
    pub(super) unit: Duration,
    /// How long a move is on its way, before anything is known about that.
    pub(super) margin: Duration,
}

/// When the player is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Ask {
    Now,
    At(GameTime),
    OnNews,
}

impl SeatInTime {
    /// A player that takes a role, with a clock and the limits on everything in the match.
    ///
    /// # Errors
    /// Where there is no such role, or the rules have no answer about the start.
    pub(super) fn new(
        rules: &TimedRules,
        role: &str,
        player: Box<dyn TimedPlayer>,
        Tempo { unit, margin }: Tempo,
        (here, budget): (&Arc<dyn Clock>, &Budget),
    ) -> Result<Self, String> {
        let rules = rules.within(budget.clone());
        let machine = rules.machine();
        let seats = rules.seats();
        let Some(role) = machine.find_role(role).filter(|role| seats.contains(role)) else {
            let names = seats.iter().map(|seat| machine.text(machine.roles()[seat.index()]));
            let names = names.collect::<Vec<_>>().join(", ");
            return Err(format!("there is no role `{role}` to be played; there are {names}"));
        };
        let follower = TimedFollower::new(rules.clone()).map_err(|error| error.to_string())?;
        let clock = ManagerClock::new(unit);
        Ok(Self {
            first_delay: clock.span(margin),
            slice: TimedTableOptions::usual_slice(unit).max(Duration::from_millis(1)),
            rules,
            role,
            follower,
            player: Some(player),
            is_ready: false,
            tries: TRIES,
            here: Arc::clone(here),
            budget: budget.clone(),
            clock,
            moves: OwnMoves::default(),
            narrator: Narrator::default(),
            ask: Ask::Now,
            is_silenced: false,
            delays: VecDeque::new(),
        })
    }

    /// What the clock here shows.
    pub(super) fn now(&self) -> Moment {
        self.here.now()
    }

    /// Lets the player get ready. Where that fails, it tries again when it is told something.
    pub(super) fn prepare(&mut self, budget: &Budget) {
        let seat = TimedSeat {
            machine: self.rules.machine().clone(),
            role: self.role,
            hidden: self.is_hidden(),
            delay: self.delay(),
        };
        let prepared = self.guarded(|player| player.prepare(seat, budget));
        self.tries = self.tries.saturating_sub(1);
        self.is_ready = !matches!(prepared, Some(Err(_))) || self.tries == 0;
        if let Some(Err(error)) = prepared {
            tracing::warn!(%error, "the player did not get ready");
        }
    }

    /// Takes in a message whose first byte came at `since`.
    pub(super) fn hear(&mut self, since: Moment, time: GameTime, news: &News) {
        let course = self.clock.hear(since, time, time >= self.follower.time());
        if let Err(error) = self.follower.hear(time, news) {
            tracing::error!(%error, "the match cannot be followed any more");
            self.player = None;
            return;
        }
        if let Some(doubt) = self.follower.doubt() {
            tracing::info!("{doubt}");
        }
        if course == Course::StoodStill {
            tracing::warn!(%time, "the clock of the manager stood still");
            // What the manager got before, it says again. What it did not get is lost.
            while self.moves.give_up(GameTime::MAX).is_some() {}
            self.begin_anew();
        }
        if let Some(now) = self.clock.time(self.now()) {
            self.moves.open(now);
        }
        let word = self.word(time, news);
        let settled = word.and_then(|word| self.moves.hear(time, word));
        self.tell(self.now());
        match settled {
            Some(Settled::Made { delay }) => self.note_delay(delay),
            Some(Settled::Refused { action }) => {
                tracing::warn!(%time, "{} was refused", self.prefix(action));
                self.guarded(|player| player.observe(&TimedNews::Refused { time, action }));
            }
            None => {}
        }
        self.ask = Ask::Now;
        self.is_silenced &= self.moves.is_any_on_its_way();
    }

    /// What a message says about a move of the player.
    fn word(&self, time: GameTime, news: &News) -> Option<Word> {
        let made = match news {
            // The greeting at the start is about no move.
            News::Nothing => return (time > GameTime::ZERO).then_some(Word::Refused),
            News::Moves(moves) => moves.get(self.role.index())?.as_deref(),
            News::Percepts { action, .. } => action.as_deref(),
        };
        self.rules.machine().find_term(made?).ok().flatten().map(Word::Made)
    }

    /// Tells the player what happened, as far as it is known what came before.
    fn tell(&mut self, now: Moment) {
        if !self.is_ready {
            self.begin_anew();
        }
        let (machine, hidden) = (self.rules.machine().clone(), self.is_hidden());
        let story = self.narrator.go_on(&self.follower, &*machine, hidden, now);
        for text in &story.unknown {
            tracing::warn!("the game knows no {text}");
        }
        if story.anew {
            tracing::info!("a message was overtaken by others: the player hears everything again");
            self.prepare_anew();
        }
        if !story.news.is_empty() {
            self.ask = Ask::Now;
        }
        for news in story.news {
            self.guarded(|player| player.observe(&news));
        }
    }

    fn begin_anew(&mut self) {
        self.narrator.begin_anew();
        self.prepare_anew();
    }

    fn prepare_anew(&mut self) {
        let limit = self.clock.unit().max(ANEW);
        self.prepare(&self.budget.clone().with_time(Arc::clone(&self.here), limit));
        self.is_silenced = self.moves.is_any_on_its_way();
    }

    fn note_delay(&mut self, delay: GameTime) {
        if self.delays.len() == REMEMBERED {
            self.delays.pop_front();
        }
        self.delays.push_back(delay.min(GameTime::ONE));
        let delay = self.delay();
        tracing::debug!(%delay, "a move was on its way for so long");
        self.guarded(|player| player.note_delay(delay));
    }

    /// How long a move is on its way, with the time by which the clock here is behind.
    fn delay(&self) -> GameTime {
        self.delays.iter().max().copied().unwrap_or(self.first_delay)
    }

    /// When [`SeatInTime::go_on`] is due; `None` where nothing is to be done before the next message.
    pub(super) fn next_wake(&self) -> Option<Moment> {
        self.player.as_ref()?;
        let ask = match self.ask {
            _ if self.is_silenced || self.moves.waiting() >= MOST_WAITING => None,
            Ask::Now => self.clock.moment(GameTime::ZERO).map(|_| Moment::ZERO),
            Ask::At(time) => self.clock.moment(time),
            Ask::OnNews => None,
        };
        let lost = self.moves.oldest().and_then(|left| self.clock.moment(self.lost_at(left)));
        [ask, lost, self.narrator.next_wake()].into_iter().flatten().min()
    }

    /// A move that went out then is taken to be lost at this time.
    fn lost_at(&self, left: GameTime) -> GameTime {
        let patience = self.clock.span(LOST_AFTER).checked_add(GameTime::ONE);
        patience.and_then(|patience| left.checked_add(patience)).unwrap_or(GameTime::MAX)
    }

    /// Does what is due: asks the player, if it is to be asked, which thinks within a budget. Gives the move that it makes.
    pub(super) fn go_on(&mut self, budget: &Budget) -> Option<String> {
        let now = self.now();
        if self.narrator.next_wake().is_some_and(|wake| wake <= now) {
            self.tell(now);
        }
        let time = self.clock.time(now)?;
        self.give_up(time);
        self.is_silenced &= self.moves.is_any_on_its_way();
        let is_due = match self.ask {
            Ask::Now => true,
            Ask::At(at) => at <= time,
            Ask::OnNews => false,
        };
        if !is_due || self.is_silenced || self.moves.waiting() >= MOST_WAITING {
            return None;
        }
        let limits = budget.clone().with_time(Arc::clone(&self.here), self.slice);
        let decided = self.guarded(|player| player.decide(time, &limits))?;
        let done = self.clock.time(self.now()).unwrap_or(time);
        match decided {
            Ok(decision) => self.act(decision, done),
            Err(error) => {
                self.ask = self.after(&error);
                None
            }
        }
    }

    /// Moves of which nothing was heard for long are lost, as far as the player is concerned.
    fn give_up(&mut self, now: GameTime) {
        while let Some(left) = self.moves.oldest().filter(|&left| self.lost_at(left) <= now) {
            let before = left.checked_add(GameTime::from_units(1).unwrap_or(GameTime::ONE));
            let Some(action) = before.and_then(|before| self.moves.give_up(before)) else { break };
            tracing::warn!(time = %now, "nothing was heard of {}", self.prefix(action));
            self.guarded(|player| player.observe(&TimedNews::Refused { time: now, action }));
            self.ask = Ask::Now;
        }
    }

    fn act(&mut self, decision: Decision, now: GameTime) -> Option<String> {
        self.ask = match decision.again {
            AskAgain::Now => Ask::Now,
            AskAgain::At(time) if time <= now => Ask::Now,
            AskAgain::At(time) => Ask::At(time),
            AskAgain::OnNews => Ask::OnNews,
        };
        let action = decision.action?;
        let text = self.prefix(action);
        self.moves.decide(action, now);
        log(&text, action, now, &decision.report);
        Some(text)
    }

    /// When the player is asked again that had no answer. Where one slice was too short for it, the next ones are longer.
    fn after(&mut self, error: &PlayerError) -> Ask {
        match error {
            PlayerError::Belief(BeliefError::Game(GameError::Limit(LimitError::Cancelled))) => Ask::Now,
            PlayerError::Belief(BeliefError::Game(GameError::Limit(LimitError::Deadline)))
                if self.slice < self.clock.unit() =>
            {
                self.slice = (2 * self.slice).min(self.clock.unit());
                Ask::Now
            }
            _ => {
                tracing::warn!(%error, "the player does not know what to do");
                Ask::OnNews
            }
        }
    }

    /// Tells the player that the match is over, with what happened last where it was told. Gives what the end is worth to
    /// it, where that is known.
    pub(super) fn finish(&mut self, last: Option<&Last>, budget: &Budget) -> Option<String> {
        let end = match last {
            Some(Last::InTime { time, news }) => self.end(*time, news, budget).ok(),
            _ => None,
        };
        let goal = end.flatten();
        let outcome = Outcome { completed: last.is_some(), goal };
        self.guarded(|player| player.finish(&outcome));
        goal.map(|goal| goal.to_string())
    }

    /// What the end is worth, where it is the end as far as is known. What was heard so far is followed again, since the
    /// limits of the match are over with it.
    fn end(&mut self, time: GameTime, news: &News, budget: &Budget) -> TimedAnswer<Option<Goal>> {
        let mut follower = TimedFollower::new(self.rules.within(budget.clone()))?;
        for (&time, moves) in self.follower.moves() {
            follower.hear(time, &News::Moves(moves.clone().into()))?;
        }
        for (&number, (time, (action, percepts))) in self.follower.own_news() {
            let (action, percepts) = (action.clone(), percepts.clone());
            follower.hear(*time, &News::Percepts { turn: number, action, percepts })?;
        }
        follower.hear(time, news)?;
        self.follower = follower;
        self.tell(Moment::MAX);
        if self.is_hidden() || self.follower.doubt().is_some() {
            return Ok(None);
        }
        let role = self.role;
        self.follower.with(|timeline| if timeline.is_over() { timeline.goal(role) } else { Ok(None) })?
    }

    fn is_hidden(&self) -> bool {
        self.rules.dialect().has_percepts()
    }

    fn prefix(&self, action: TermId) -> String {
        self.rules.machine().terms().prefix(action)
    }

    /// What the player does; nothing, once it broke down.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut (dyn TimedPlayer + 'static)) -> T) -> Option<T> {
        guarded(&mut self.player, act)
    }
}

/// Writes down a move: in one line when it was decided on and what it is thought to be worth.
fn log(text: &str, action: TermId, time: GameTime, report: &Report) {
    for (name, value) in &report.entries {
        tracing::debug!("{name}: {value}");
    }
    let rated = report.moves.iter().find(|rated| rated.action == action);
    let value = rated.and_then(|rated| rated.value).map(|value| (10.0 * value).round() / 10.0);
    tracing::info!(%time, value, wait = report.entry("wait"), playouts = report.entry("playouts"), "moves {text}");
}

#[cfg(test)]
mod tests;
