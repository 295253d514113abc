//! Matches in real time between players of this program, in simulated time.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use ludex_game::{Goal, RoleId, TimedError, TimedEvent, TimedRules, Timeline, TimelineOptions};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, Clock, Meter, TermId};
use ludex_match::referee::SeatNumber;
use ludex_match::referee::real_time::{Arrival, Verdict};
use ludex_match::{Fault, TimedRecord, TimedRecordEvent, TimedRecordTerms};
use ludex_players::real_time::{AskAgain, TimedNews, TimedPlayer, TimedSeat};
use ludex_players::{Outcome, PlayerError, Report};

use crate::table::TableError;

/// How a [`TimedTable`] plays.
#[derive(Clone)]
pub struct TimedTableOptions {
    /// Decides what `random` does.
    pub seed: u64,
    /// How long each message is on its way, in units of game time.
    pub delay: GameTime,
    /// The match is aborted when the game has lasted so long.
    pub longest: GameTime,
    /// How long one unit of game time lasts, for players whose thinking is measured.
    pub unit: Duration,
    /// The clock by which thinking is measured.
    pub clock: Arc<dyn Clock>,
    /// How long a player may think before the match.
    pub start_clock: Duration,
    /// How long a player may think each time it is asked; it may then go on.
    pub slice: Duration,
    /// Limits on each question to the rules.
    pub budget: Budget,
}

impl TimedTableOptions {
    /// A slice of thinking where nothing else is wanted: a tenth of the time that one unit of game time lasts.
    pub fn usual_slice(unit: Duration) -> Duration {
        unit / 10
    }
}

/// A match in real time is over, or was ended.
#[derive(Clone, Debug)]
pub struct TimedResult {
    /// Everything that happened.
    pub history: Vec<TimedEvent>,
    /// Whether the game reached its end.
    pub completed: bool,
    /// The time at the end.
    pub time: GameTime,
    /// By role, what the last state is worth.
    pub goals: Vec<Option<Goal>>,
    /// Moves that came when they were not legal.
    pub refused: Vec<TimedRefusal>,
    /// What went wrong with players, in words.
    pub failures: Vec<(RoleId, String)>,
}

impl TimedResult {
    /// The match as a record.
    pub fn record(&self, rules: &TimedRules, terms: TimedRecordTerms) -> TimedRecord {
        let mut record = TimedRecord::begin(rules, terms);
        let seats = rules.seats();
        let seat = |role: RoleId| seats.iter().position(|&seat| seat == role).map(|at| SeatNumber(at as u32));
        let text = |action: TermId| rules.machine().terms().prefix(action);
        let arrival = |time, seat, verdict| Arrival { time, seat, verdict, taken: None, delay: None };
        for event in &self.history {
            record.events.push(TimedRecordEvent::of(rules, event));
            let TimedEvent::Update(update) = event else { continue };
            let made = update.moves.iter().filter_map(|&(role, action)| Some((seat(role)?, action)));
            let made = made.map(|(seat, action)| arrival(update.time, seat, Verdict::Made(text(action))));
            record.moves.extend(made);
        }
        for refusal in &self.refused {
            let verdict = Verdict::Refused(Fault::Illegal(text(refusal.action)));
            record.moves.extend(seat(refusal.role).map(|seat| arrival(refusal.time, seat, verdict)));
        }
        record.moves.sort_by_key(|arrival| arrival.time);
        record.time = self.time;
        record.is_completed = self.completed;
        record.is_aborted = !self.completed;
        record.goal_values = self.completed.then(|| self.goals.clone());
        record.abort_cause = record.is_aborted.then(|| "not played to the end".to_owned());
        record
    }
}

/// A move that came when it was not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimedRefusal {
    /// When it came.
    pub time: GameTime,
    /// Whose it was.
    pub role: RoleId,
    /// The move.
    pub action: TermId,
}

/// A player that decided on a move.
#[derive(Debug)]
pub struct TimedThought<'r> {
    /// The time at which it was asked.
    pub time: GameTime,
    /// Who.
    pub role: RoleId,
    /// The move.
    pub action: TermId,
    /// What it says.
    pub report: &'r Report,
}

/// What somebody who watches is shown.
#[derive(Debug)]
pub enum TimedScene<'r> {
    /// Something happened.
    Event(&'r TimedEvent),
    /// A player decided on a move, which now goes on its way.
    Thought(TimedThought<'r>),
}

/// Players at a table, for one match in real time.
///
/// Time is simulated: it passes while somebody thinks, as much as the thinking takes, for each player as if the others did
/// not exist; nobody waits. A player that counts its work plays the same match each time; the thinking of others is measured
/// by the clock. What is said of the Game Manager in section 4 of the rtGDL paper holds: moves are considered in the
/// order in which they arrive, each after all that expires by then, and no two at the same time; only its sender
/// hears of one that is not legal.
pub struct TimedTable<'m> {
    timeline: Timeline<'m>,
    seats: Vec<Seat>,
    options: TimedTableOptions,
    /// For the match as a whole.
    meter: Meter,
    hidden: bool,
    seen_events: usize,
    refused: Vec<TimedRefusal>,
    failures: Vec<(RoleId, String)>,
}

struct Seat {
    role: RoleId,
    player: Box<dyn TimedPlayer>,
    /// When it is asked next.
    ask: Option<GameTime>,
    /// Moves on their way: when they arrive.
    sent: VecDeque<(GameTime, TermId)>,
    /// What it will hear, and when.
    mail: VecDeque<(GameTime, TimedNews)>,
}

/// The least time between two moves, and the least that thinking takes.
fn instant() -> GameTime {
    GameTime::from_units(1).unwrap_or(GameTime::ONE)
}

impl<'m> TimedTable<'m> {
    /// A table with a player for each role but `random`, in the order of the roles.
    ///
    /// # Errors
    /// [`TableError`]: there are more or fewer players than roles, or the game cannot begin.
    pub fn new(
        rules: &'m TimedRules,
        players: Vec<Box<dyn TimedPlayer>>,
        options: TimedTableOptions,
    ) -> Result<Self, TableError> {
        let (machine, roles) = (rules.machine(), rules.seats());
        if roles.len() != players.len() {
            return Err(TableError::Players { seats: roles.len(), players: players.len() });
        }
        let hidden = rules.dialect().has_percepts();
        let timeline_options = TimelineOptions {
            seed: options.seed,
            budget: options.budget.clone(),
            ..TimelineOptions::default()
        };
        let timeline = Timeline::new(&**machine, &timeline_options)?;
        let budget = options.budget.clone().with_time(Arc::clone(&options.clock), options.start_clock);
        let mut table = Self {
            timeline,
            seats: Vec::new(),
            hidden,
            seen_events: 0,
            refused: Vec::new(),
            failures: Vec::new(),
            meter: options.budget.meter(),
            options,
        };
        for (role, mut player) in roles.into_iter().zip(players) {
            let seat = TimedSeat { machine: Arc::clone(machine), role, hidden, delay: table.options.delay };
            let prepared = player.prepare(seat, &budget);
            table.note_failure(role, prepared);
            let ask = Some(GameTime::ZERO);
            table.seats.push(Seat { role, player, ask, sent: VecDeque::new(), mail: VecDeque::new() });
        }
        Ok(table)
    }

    /// Plays to the end. `watch` is shown what happens.
    ///
    /// # Errors
    /// The rules fail, or the time of the budget is over: [`TimedError`].
    pub fn play(
        mut self,
        watch: &mut dyn FnMut(&Timeline<'m>, TimedScene<'_>),
    ) -> Result<TimedResult, TimedError> {
        self.tell(watch);
        while !self.timeline.is_over() && self.next(watch)? {}
        let goals = self.timeline.goals()?;
        let completed = self.timeline.is_over();
        for seat in &mut self.seats {
            let goal = goals.get(seat.role.index()).copied().flatten();
            seat.player.finish(&Outcome { completed, goal });
        }
        Ok(TimedResult {
            history: self.timeline.history().to_vec(),
            completed,
            time: self.timeline.now(),
            goals,
            refused: self.refused,
            failures: self.failures,
        })
    }

    /// Does what comes next; whether there was anything.
    fn next(&mut self, watch: &mut dyn FnMut(&Timeline<'m>, TimedScene<'_>)) -> Result<bool, TimedError> {
        self.meter.check()?;
        let arrival = self.first(|seat| seat.sent.front().map(|&(time, _)| time));
        let news = self.first(|seat| seat.mail.front().map(|&(time, _)| time));
        let ask = self.first(|seat| seat.ask);
        let event = self.timeline.next_event();
        let Some(time) = [arrival, news, ask].iter().flatten().map(|&(time, _)| time).chain(event).min()
        else {
            return Ok(false);
        };
        if time > self.options.longest {
            self.timeline.advance_to(self.options.longest)?;
            self.tell(watch);
            return Ok(false);
        }
        // What expires does so before anything else at its time; then moves arrive, then news, and then players think.
        if event == Some(time) {
            self.timeline.advance_to(time)?;
            self.tell(watch);
        } else if let Some((_, place)) = arrival.filter(|&(at, _)| at == time) {
            self.arrive(place, watch)?;
        } else if let Some((_, place)) = news.filter(|&(at, _)| at == time) {
            if let Some((_, news)) = self.seats[place].mail.pop_front() {
                self.seats[place].player.observe(&news);
                self.seats[place].ask = Some(time);
            }
        } else if let Some((_, place)) = ask {
            self.ask(place, time, watch);
        }
        Ok(true)
    }

    fn first(&self, time: impl Fn(&Seat) -> Option<GameTime>) -> Option<(GameTime, usize)> {
        self.seats.iter().enumerate().filter_map(|(place, seat)| Some((time(seat)?, place))).min()
    }

    /// A move arrives.
    fn arrive(
        &mut self,
        place: usize,
        watch: &mut dyn FnMut(&Timeline<'m>, TimedScene<'_>),
    ) -> Result<(), TimedError> {
        let role = self.seats[place].role;
        let Some((time, action)) = self.seats[place].sent.pop_front() else { return Ok(()) };
        // No two moves have the same time.
        let moved = self.timeline.history().iter().rev().find_map(|event| match event {
            TimedEvent::Update(update) if !update.moves.is_empty() => Some(update.time),
            _ => None,
        });
        let after = moved.and_then(|moved| moved.checked_add(instant()));
        let time = after.map_or(time, |after| after.max(time));
        self.timeline.advance_to(time)?;
        self.tell(watch);
        if !self.timeline.is_over() && self.timeline.legal(role)?.contains(&action) {
            self.timeline.submit(&[(role, action)])?;
            self.tell(watch);
        } else {
            self.refused.push(TimedRefusal { time, role, action });
            self.send(place, time, TimedNews::Refused { time, action });
        }
        Ok(())
    }

    /// A player is asked.
    fn ask(&mut self, place: usize, now: GameTime, watch: &mut dyn FnMut(&Timeline<'m>, TimedScene<'_>)) {
        let budget =
            self.options.budget.clone().with_time(Arc::clone(&self.options.clock), self.options.slice);
        let begun = self.options.clock.now();
        let seat = &mut self.seats[place];
        seat.ask = None;
        let role = seat.role;
        let decision = match seat.player.decide(now, &budget) {
            Ok(decision) => decision,
            failed => return self.note_failure(role, failed),
        };
        let took = decision.took.unwrap_or_else(|| self.game_time(begun));
        let done = now.checked_add(took).unwrap_or(GameTime::MAX);
        let later = now.checked_add(instant()).unwrap_or(GameTime::MAX);
        let seat = &mut self.seats[place];
        if let Some(action) = decision.action {
            let arrival = done.checked_add(self.options.delay).unwrap_or(GameTime::MAX);
            seat.sent.push_back((arrival, action));
            let thought = TimedThought { time: now, role, action, report: &decision.report };
            watch(&self.timeline, TimedScene::Thought(thought));
        }
        seat.ask = match decision.again {
            AskAgain::Now => Some(done.max(later)),
            AskAgain::At(time) => Some(time.max(done).max(later)),
            AskAgain::OnNews => None,
        };
    }

    /// The game time that has passed since a moment of the clock.
    fn game_time(&self, begun: Duration) -> GameTime {
        let passed = self.options.clock.now().saturating_sub(begun).as_nanos();
        let unit = self.options.unit.as_nanos().max(1);
        let units = passed * u128::from(GameTime::ONE.units()) / unit;
        u64::try_from(units).ok().and_then(GameTime::from_units).unwrap_or(GameTime::MAX)
    }

    fn send(&mut self, place: usize, time: GameTime, news: TimedNews) {
        let at = time.checked_add(self.options.delay).unwrap_or(GameTime::MAX);
        self.seats[place].mail.push_back((at, news));
    }

    /// Tells of everything that happened since the last time.
    fn tell(&mut self, watch: &mut dyn FnMut(&Timeline<'m>, TimedScene<'_>)) {
        let events = self.timeline.history()[self.seen_events..].to_vec();
        self.seen_events += events.len();
        for event in &events {
            watch(&self.timeline, TimedScene::Event(event));
            let TimedEvent::Update(update) = event else { continue };
            for place in 0..self.seats.len() {
                let role = self.seats[place].role;
                let time = update.time;
                let own = update.moves.iter().find(|&&(mover, _)| mover == role).map(|&(_, action)| action);
                let percepts = update.told.get(role.index()).cloned().flatten();
                if self.hidden {
                    if own.is_some() || percepts.is_some() {
                        self.send(place, time, TimedNews::Seen { time, own, percepts });
                    }
                } else if !update.moves.is_empty() {
                    self.send(place, time, TimedNews::Moved { time, moves: update.moves.clone() });
                }
            }
        }
    }

    fn note_failure<T>(&mut self, role: RoleId, answer: Result<T, PlayerError>) {
        if let Err(error) = answer {
            self.failures.push((role, error.to_string()));
        }
    }
}
