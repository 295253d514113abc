//! One match with its network, its disk and its players.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap, VecDeque};
use std::time::Duration;

use ludex_game::{Rng, TimedEvent, TimedRules};
use ludex_gdl::GameTime;
use ludex_match::message::{Last, News, Request};
use ludex_match::referee::real_time::{TimedEntry, TimedReferee, TimedSetup};
use ludex_match::referee::{
    Effect, EntryNumber, Event, MessageNumber, Moment, SeatNumber, SeatSetup, TimerNumber,
};
use ludex_match::{MatchStatus, TimedRecord, verify_timed_match};

use super::Sabotage;
use super::player::Player;

/// So many words a player says at most.
const WORDS: u32 = 14;

/// What came of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    pub record: TimedRecord,
    pub crashes: u32,
    /// How often a player's state was compared with the manager's.
    pub compared: u32,
}

/// Something that is to happen. What belongs to a life of the referee has its number.
enum Coming {
    Deliver { seat: usize, message: MessageNumber, request: Box<Request> },
    Reply { seat: usize, message: MessageNumber, text: String },
    Speak { seat: usize },
    Timer { life: u32, timer: TimerNumber },
    Written { life: u32, number: EntryNumber },
    Crash,
    Resume,
    Abort,
}

pub struct World<'r> {
    rules: &'r TimedRules,
    setup: TimedSetup,
    referee: TimedReferee,
    players: Vec<Player>,
    /// How much more each player says.
    words: Vec<u32>,
    journal: Vec<TimedEntry>,
    unwritten: VecDeque<TimedEntry>,
    now: Moment,
    life: u32,
    is_up: bool,
    is_done: bool,
    crashes: u32,
    compared: u32,
    rng: Rng,
    sabotage: Sabotage,
    heap: BinaryHeap<Reverse<(Moment, u64)>>,
    coming: std::collections::BTreeMap<u64, Coming>,
    next: u64,
    /// Numbers that were given to messages and timers.
    numbers: BTreeSet<(bool, u64)>,
    /// The last time that each seat was told in this life.
    told: Vec<GameTime>,
    /// What came in this life and was not considered: from whom, and when.
    waiting: VecDeque<(usize, GameTime)>,
}

/// Plays one match; what goes wrong, in words.
pub fn run(rules: &TimedRules, seed: u64, sabotage: Sabotage) -> Result<Outcome, String> {
    let mut rng = Rng::from_seed(seed);
    let setup = setup(rules, &mut rng);
    let referee = TimedReferee::new(rules.clone(), setup.clone()).map_err(|error| error.to_string())?;
    let seats = rules.seats();
    let mut world = World {
        rules,
        referee,
        players: seats.iter().map(|&role| Player::new(rules, role)).collect(),
        words: vec![WORDS; seats.len()],
        journal: Vec::new(),
        unwritten: VecDeque::new(),
        now: Duration::from_secs(1),
        life: 0,
        is_up: true,
        is_done: false,
        crashes: 0,
        compared: 0,
        rng,
        sabotage,
        heap: BinaryHeap::new(),
        coming: std::collections::BTreeMap::new(),
        next: 0,
        numbers: BTreeSet::new(),
        told: vec![GameTime::ZERO; seats.len()],
        waiting: VecDeque::new(),
        setup,
    };
    world.play()?;
    world.end()
}

fn setup(rules: &TimedRules, rng: &mut Rng) -> TimedSetup {
    let seat = |_| SeatSetup { player: "somebody".into(), ..SeatSetup::default() };
    TimedSetup {
        id: "m1".into(),
        seed: rng.below(1 << 32),
        start: Duration::from_secs(10),
        unit: Duration::from_millis(100 + rng.below(20_000)),
        grace: Duration::from_millis(rng.below(500)),
        seats: rules.seats().into_iter().map(seat).collect(),
        told: None,
        start_time: None,
    }
}

impl World<'_> {
    fn play(&mut self) -> Result<(), String> {
        self.event(Event::Begin)?;
        let unit = self.setup.unit;
        for _ in 0..self.rng.below(4) {
            let at = unit.mul_f64(self.rng.below(500) as f64 / 100.0);
            self.after(at, Coming::Crash);
        }
        let end = unit.mul_f64(3.0 + self.rng.below(600) as f64 / 100.0) + Duration::from_secs(20);
        self.after(end, Coming::Abort);
        while let Some(Reverse((at, number))) = self.heap.pop() {
            let Some(coming) = self.coming.remove(&number) else { continue };
            self.now = at;
            self.happen(coming)?;
            self.look()?;
        }
        Ok(())
    }

    fn after(&mut self, wait: Duration, coming: Coming) {
        self.at(self.now + wait, coming);
    }

    fn at(&mut self, at: Moment, coming: Coming) {
        self.heap.push(Reverse((at.max(self.now), self.next)));
        self.coming.insert(self.next, coming);
        self.next += 1;
    }

    fn happen(&mut self, coming: Coming) -> Result<(), String> {
        match coming {
            Coming::Deliver { seat, message, request } => self.deliver(seat, message, &request),
            Coming::Reply { seat, message, text } if self.is_up => {
                if let Some(clock) = self.referee.clock()
                    && self.numbers_of_life(message)
                    && !matches!(text.as_str(), "" | "nil" | "ready")
                {
                    self.waiting.push_back((seat, clock.time(self.now)));
                }
                let bytes = text.into_bytes();
                self.event(Event::Reply { seat: SeatNumber(seat as u32), message, bytes })
            }
            Coming::Speak { seat } => {
                self.speak(seat);
                Ok(())
            }
            Coming::Timer { life, timer } if self.is_up && life == self.life => {
                self.event(Event::Timer(timer))
            }
            Coming::Written { life, number } if self.is_up && life == self.life => self.written(number),
            Coming::Crash if self.is_up && !self.is_done => {
                self.crash();
                Ok(())
            }
            Coming::Resume => self.resume(),
            Coming::Abort if self.is_up => self.event(Event::Abort("enough".into())),
            // It comes when somebody is there again.
            Coming::Abort => {
                self.after(Duration::from_secs(1), Coming::Abort);
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// Whether a message is one of this life of the referee to somebody.
    fn numbers_of_life(&self, message: MessageNumber) -> bool {
        // Every life writes an entry before it sends anything, and numbers follow the entries.
        let first = self
            .journal
            .iter()
            .rposition(|entry| matches!(entry, TimedEntry::Opened { .. } | TimedEntry::Resumed));
        first.is_some_and(|first| message.0 >> 32 > first as u64)
    }

    fn event(&mut self, event: Event) -> Result<(), String> {
        let mut effects = Vec::new();
        self.referee.on(self.now, event, &mut effects);
        for effect in effects {
            self.effect(effect)?;
        }
        Ok(())
    }

    fn effect(&mut self, effect: Effect<TimedEntry>) -> Result<(), String> {
        match effect {
            Effect::Write(number, entry) => {
                if number.0 != (self.journal.len() + self.unwritten.len()) as u64 {
                    return Err(format!("entry {number:?} is out of order"));
                }
                self.unwritten.push_back(*entry);
                let most = if self.rng.below(4) == 0 { 900_000 } else { 9_000 };
                let wait = Duration::from_micros(self.rng.below(most));
                self.after(wait, Coming::Written { life: self.life, number });
            }
            Effect::Send { seat, message, request, .. } => {
                if !self.unwritten.is_empty() {
                    return Err(format!("said before it was written: {request:?}"));
                }
                if !self.numbers.insert((true, message.0)) {
                    return Err(format!("a number came twice: {message:?}"));
                }
                self.send(seat.0 as usize, message, request)?;
            }
            Effect::Wake { timer, at } => self.at(at, Coming::Timer { life: self.life, timer }),
            Effect::Drop { .. } => {}
            Effect::Done if self.is_done => return Err("done twice".to_owned()),
            Effect::Done => self.is_done = true,
        }
        Ok(())
    }

    /// Messages are late, come twice, and overtake each other. One that is lost is sent again.
    fn send(&mut self, seat: usize, message: MessageNumber, mut request: Box<Request>) -> Result<(), String> {
        if let Request::Play { last: Last::InTime { time, news }, .. } = &mut *request {
            // Only what is said again after a break is old.
            let is_repeated = self.life > 0 && *time < self.referee.course().now();
            if *time < self.told[seat] && !is_repeated {
                return Err(format!("{time} after {}", self.told[seat]));
            }
            self.told[seat] = (*time).max(self.told[seat]);
            if self.sabotage == Sabotage::WrongTime && matches!(news, News::Moves(_)) {
                *time = time.checked_add(GameTime::ONE).unwrap_or(*time);
            }
        }
        let lost = self.rng.below(10) == 0;
        if lost && self.sabotage == Sabotage::Loss {
            return Ok(());
        }
        let retry = if lost { Duration::from_secs(1) } else { Duration::ZERO };
        for _ in 0..=u32::from(self.rng.below(8) == 0) {
            let wait = retry + self.delay();
            self.after(wait, Coming::Deliver { seat, message, request: request.clone() });
        }
        Ok(())
    }

    fn delay(&mut self) -> Duration {
        let most = if self.rng.below(3) == 0 { 400 } else { 20 };
        Duration::from_micros(self.rng.below(most * 1_000))
    }

    fn deliver(&mut self, seat: usize, message: MessageNumber, request: &Request) -> Result<(), String> {
        if matches!(request, Request::Start(_)) {
            let wait = self.delay() + Duration::from_millis(self.rng.below(11_000));
            self.after(wait, Coming::Reply { seat, message, text: "ready".into() });
            return Ok(());
        }
        self.players[seat]
            .hear(message, request)
            .map_err(|what| format!("seat {seat} cannot follow: {what}"))?;
        self.compare(seat)?;
        for _ in 0..self.rng.below(3) {
            let wait = self.setup.unit.mul_f64(self.rng.below(80) as f64 / 100.0);
            self.after(wait, Coming::Speak { seat });
        }
        Ok(())
    }

    /// A player says something, or several things at once.
    fn speak(&mut self, seat: usize) {
        let Some(message) = self.players[seat].message else { return };
        let burst = if self.rng.below(6) == 0 { 4 } else { 1 };
        for _ in 0..burst {
            if self.words[seat] == 0 || self.rng.below(12) == 0 {
                // Nothing to say any more, or lost on the way.
                continue;
            }
            self.words[seat] -= 1;
            let text = self.players[seat].word(&mut self.rng);
            let wait = self.delay();
            self.after(wait, Coming::Reply { seat, message, text });
        }
    }

    fn written(&mut self, number: EntryNumber) -> Result<(), String> {
        let Some(entry) = self.unwritten.pop_front() else { return Ok(()) };
        self.journal.push(entry);
        let before = self.referee.course().arrivals().len();
        self.event(Event::Written(number))?;
        // Moves are considered in the order in which they came, at the times at which they came.
        for came in &self.referee.course().arrivals()[before..] {
            let Some((seat, time)) = self.waiting.pop_front() else {
                return Err(format!("nobody sent the move at {}", came.time));
            };
            let late = came.time.checked_sub(time).ok_or(format!("a move of {time} at {}", came.time))?;
            if seat != came.seat.0 as usize || late.units() > u64::from(WORDS) * self.players.len() as u64 {
                return Err(format!("the move of seat {seat} at {time} became {came:?}"));
            }
        }
        Ok(())
    }

    /// The power is cut. What was not written never was; what is on its way may be lost.
    fn crash(&mut self) {
        self.is_up = false;
        self.crashes += 1;
        if self.rng.below(2) == 0 && !self.unwritten.is_empty() {
            // It was durable, and nobody heard of that.
            self.journal.extend(self.unwritten.pop_front());
        }
        self.unwritten.clear();
        self.waiting.clear();
        let mut lost: Vec<u64> = Vec::new();
        for (&number, coming) in &self.coming {
            if matches!(coming, Coming::Deliver { .. }) && self.rng.below(2) == 0 {
                lost.push(number);
            }
        }
        lost.iter().for_each(|number| drop(self.coming.remove(number)));
        let wait = Duration::from_millis(self.rng.below(5_000));
        self.after(wait, Coming::Resume);
    }

    fn resume(&mut self) -> Result<(), String> {
        self.referee = if self.journal.is_empty() {
            TimedReferee::new(self.rules.clone(), self.setup.clone())
        } else {
            TimedReferee::resume(self.rules.clone(), &self.journal)
        }
        .map_err(|error| format!("no way back: {error}"))?;
        (self.is_up, self.is_done) = (true, false);
        self.life += 1;
        self.told.fill(GameTime::ZERO);
        self.event(Event::Begin)
    }

    /// What must always be so: updates are not late.
    fn look(&self) -> Result<(), String> {
        let (course, Some(clock)) = (self.referee.course(), self.referee.clock()) else { return Ok(()) };
        if !self.is_up || !self.unwritten.is_empty() || course.is_over() {
            return Ok(());
        }
        let expiry = course.state().time_to_expiry().and_then(|left| course.updated().checked_add(left));
        match expiry {
            // Its timer may be the next that goes off at this very moment.
            Some(expiry) if clock.moment(expiry) < self.now => Err(format!("the update of {expiry} is late")),
            _ => Ok(()),
        }
    }

    /// What a player knows, where it was told everything up to a time, is what the manager knows of that time.
    fn compare(&mut self, seat: usize) -> Result<(), String> {
        let player = &self.players[seat];
        let under_way = self.coming.values().any(|coming| {
            matches!(coming, Coming::Deliver { seat: to, request, .. }
                if *to == seat && told_moves(request).is_some_and(|time| time <= player.follower.time()))
        });
        let events = self.referee.course().events();
        let is_known = |event: &&TimedEvent| match event {
            TimedEvent::Update(update) if !update.moves.is_empty() => {
                update.time < player.follower.time() || player.follower.moves().contains_key(&update.time)
            }
            event => event.time() <= player.follower.time(),
        };
        let count = events.iter().take_while(is_known).count();
        let told = events[..count]
            .iter()
            .filter(|event| matches!(event, TimedEvent::Update(update) if !update.moves.is_empty()));
        // What was lost in a crash comes again when somebody is there.
        let misses = !self.is_up || (self.crashes > 0 && told.count() != player.follower.moves().len());
        if under_way || misses {
            return Ok(());
        }
        if let Some(doubt) = player.follower.doubt() {
            return Err(format!("seat {seat} cannot follow: {doubt}"));
        }
        let known = self.players[seat].history();
        let player = &self.players[seat];
        if known != events[..count] {
            return Err(format!(
                "seat {seat} at {} knows {:?}, and not {:?}",
                player.follower.time(),
                known,
                &events[..count]
            ));
        }
        self.compared += 1;
        Ok(())
    }

    /// What must be so in the end.
    fn end(mut self) -> Result<Outcome, String> {
        let record = self.referee.record();
        if !self.is_done || !self.referee.has_ended() {
            return Err("the match has no end".to_owned());
        }
        let again =
            TimedReferee::resume(self.rules.clone(), &self.journal).map_err(|error| error.to_string())?;
        if again.record() != record {
            return Err("the journal is another match".to_owned());
        }
        let report = verify_timed_match(self.rules, &record);
        if !report.mismatches.is_empty() {
            return Err(format!("{:?}", report.mismatches));
        }
        let is_completed = *self.referee.status() == MatchStatus::Completed;
        let events = self.referee.course().events();
        for (seat, player) in self.players.iter_mut().enumerate() {
            let began = self.journal.iter().any(|entry| matches!(entry, TimedEntry::Ready { .. }));
            let knows_end = if is_completed { player.is_stopped } else { player.is_aborted };
            if began && !knows_end {
                return Err(format!("seat {seat} does not know that the game is over"));
            }
            let knows = events.iter().all(|event| match event {
                TimedEvent::Update(update) if !update.moves.is_empty() => {
                    player.follower.moves().contains_key(&update.time)
                }
                _ => true,
            });
            let known = player.history();
            if !knows || (is_completed && began && known != events) {
                return Err(format!("seat {seat} knows {known:?}, and not {events:?}"));
            }
        }
        Ok(Outcome { record, crashes: self.crashes, compared: self.compared })
    }
}

/// The time of the moves that a message tells.
fn told_moves(request: &Request) -> Option<GameTime> {
    match request {
        Request::Play { last: Last::InTime { time, news: News::Moves(_) }, .. }
        | Request::Stop { last: Last::InTime { time, news: News::Moves(_) }, .. } => Some(*time),
        _ => None,
    }
}
