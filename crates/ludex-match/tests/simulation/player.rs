//! Players: real player services, each with a thinker behind it that follows the match by the rules it was
//! sent, and with habits that spoil what it answers.

use std::collections::BTreeMap;
use std::time::Duration;

use ludex_game::{Position, RoleId};
use ludex_gdl::Notation;
use ludex_logic::TermId;
use ludex_match::Told;
use ludex_match::message::{Last, Request, StartMessage, read_request, term_text};
use ludex_match::referee::Moment;
use ludex_match::service::{
    CallNumber, Effect, Event, Follower, Heard, JobNumber, Pace, PlayerService, ServiceOptions, TableNumber,
};

use super::games;
use super::network::{Author, Letter};
use super::plan::Habit;
use super::sabotage::Sabotage;
use super::watch::Broken;
use super::world::{Happening, World};

/// A program that plays. A player has one for each seat it may have, since it may have several in one match.
pub(crate) struct Process {
    name: String,
    habit: Habit,
    silence: Duration,
    service: PlayerService,
    /// How often it has come back.
    life: u64,
    alive: bool,
    thinkers: BTreeMap<TableNumber, Thinker>,
    /// What waits for an answer, and when the manager stops waiting.
    calls: BTreeMap<CallNumber, (Letter, Option<Moment>)>,
    next_call: u64,
    wake: Option<Moment>,
    /// The longest play clock it was ever told.
    longest: Duration,
}

/// Who plays at one table.
struct Thinker {
    letter: Letter,
    role: RoleId,
    position: Position,
    follower: Follower,
}

impl Process {
    /// A player that waits so long for a manager of which nothing is heard.
    pub(crate) fn new(name: String, habit: Habit, silence: Duration) -> Self {
        Self {
            name,
            habit,
            silence,
            service: service(silence),
            life: 0,
            alive: true,
            thinkers: BTreeMap::new(),
            calls: BTreeMap::new(),
            next_call: 0,
            wake: None,
            longest: Duration::ZERO,
        }
    }
}

fn service(silence: Duration) -> PlayerService {
    PlayerService::new(ServiceOptions { matches: 12, silence, ..ServiceOptions::default() })
}

impl World {
    /// A message arrives at a player.
    pub(crate) fn message_arrives(&mut self, letter: Letter, process: usize, text: String) {
        let now = self.now;
        if self.dice.in_thousand(self.plan.deaths) && self.processes[process].alive {
            self.processes[process].alive = false;
            let delay = self.dice.time((10, 20_000));
            self.after(delay, Happening::Revival { process });
            self.say(|| format!("player {process} dies"));
        }
        let player = &mut self.processes[process];
        if !player.alive {
            let answer = Err("connection refused".to_owned());
            return self.after(Duration::ZERO, Happening::Answer { letter, answer, author: None });
        }
        let call = CallNumber(player.next_call);
        player.next_call += 1;
        let due = due(&text, &mut player.longest).map(|clock| now + clock);
        player.calls.insert(call, (letter, due));
        self.tell_service(process, Event::Message { call, text, since: now });
        if self.dice.in_thousand(self.plan.weather.old) {
            self.send_stray(process);
        }
    }

    /// Somebody else's message comes to a player, about a match that it does not know.
    fn send_stray(&mut self, process: usize) {
        let stray = ["(PLAY nothere NIL)", "stop(nothere,[a,b])", "(ABORT m999)", "(INFO)", "(PLAY m1"];
        let text = (*self.dice.pick(&stray)).to_owned();
        let mut out = Vec::new();
        let player = &mut self.processes[process];
        let call = CallNumber(player.next_call);
        player.next_call += 1;
        player.service.on(self.now, Event::Message { call, text: text.clone(), since: self.now }, &mut out);
        let answers = |effect: &Effect| matches!(effect, Effect::Answer { call: c, .. } | Effect::Refuse { call: c, .. } if *c == call);
        if out.iter().filter(|effect| answers(effect)).count() != 1 {
            self.watch.note(Broken::Service, format!("{text} was not answered once"));
        }
        out.retain(|effect| !answers(effect));
        self.serve(process, out);
    }

    /// A player comes back and remembers nothing.
    pub(crate) fn revive(&mut self, process: usize) {
        let player = &mut self.processes[process];
        let lost = std::mem::take(&mut player.calls);
        player.service = service(player.silence);
        player.thinkers.clear();
        player.life += 1;
        player.alive = true;
        player.wake = None;
        for (letter, _) in lost.into_values() {
            let answer = Err("connection reset".to_owned());
            self.after(Duration::ZERO, Happening::Answer { letter, answer, author: None });
        }
        self.say(|| format!("player {process} is back"));
    }

    /// Something comes to the service of a player that is still the same.
    pub(crate) fn tell_player(&mut self, process: usize, life: u64, event: Event) {
        let player = &self.processes[process];
        if player.alive && player.life == life {
            self.tell_service(process, event);
        }
    }

    pub(crate) fn bounced(&mut self, author: Author) {
        self.tell_player(author.process, author.life, Event::Undelivered(author.call));
    }

    fn tell_service(&mut self, process: usize, event: Event) {
        if self.sabotage == Sabotage::Drowsy && event == Event::Tick {
            return;
        }
        let mut out = Vec::new();
        let player = &mut self.processes[process];
        if player.wake.is_some_and(|wake| wake <= self.now) {
            player.wake = None;
        }
        player.service.on(self.now, event, &mut out);
        self.serve(process, out);
        let player = &mut self.processes[process];
        let (life, wake) = (player.life, player.service.next_wake());
        if let Some(at) = wake
            && player.wake.is_none_or(|known| at < known)
        {
            player.wake = Some(at);
            let delay = at.saturating_sub(self.now);
            self.after(delay, Happening::Player { process, life, event: Event::Tick });
        }
    }

    fn serve(&mut self, process: usize, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Answer { call, text } => self.answer(process, call, Ok(text)),
                Effect::Refuse { call, cause } => {
                    self.answer(process, call, Err(format!("400 {cause}")));
                }
                Effect::Prepare { table, job, start, notation, .. } => {
                    self.prepare(process, table, job, &start, notation);
                }
                Effect::Preview { job, .. } => {
                    self.think_up(process, (1, 5), Event::Prepared { job, result: Ok(Pace::InSteps) });
                }
                Effect::Think { table, job, last, answered, undelivered, .. } => {
                    self.think(process, (table, job), &last, answered, undelivered);
                }
                Effect::Dismiss { table, .. } => {
                    self.processes[process].thinkers.remove(&table);
                }
                Effect::Tell { .. } => {
                    self.watch.note(Broken::Service, "a game in steps is told the time".to_owned())
                }
                Effect::Heard { .. } | Effect::CallOff(_) => {}
                Effect::Remark(remark) => self.say(|| format!("player {process}: {}: {remark}", remark.id)),
            }
        }
    }

    /// The service answers; what goes out is as the player's habit is.
    fn answer(&mut self, process: usize, call: CallNumber, answer: Result<String, String>) {
        let player = &mut self.processes[process];
        let Some((letter, due)) = player.calls.remove(&call) else {
            let text = format!("{} answers {call:?} twice", player.name);
            return self.watch.note(Broken::Service, text);
        };
        if due.is_some_and(|due| self.now > due) {
            let text = format!("{} answers {call:?} late", player.name);
            self.watch.note(Broken::Service, text);
        }
        let author = Author { process, life: player.life, call };
        let habit = match player.habit {
            Habit::Moody if self.dice.in_thousand(700) => Habit::Fair,
            Habit::Moody => *self.dice.pick(&[
                Habit::Illegal,
                Habit::Garbage,
                Habit::Flood,
                Habit::Silent,
                Habit::Late,
                Habit::Rude,
            ]),
            habit => habit,
        };
        let bytes = match habit {
            Habit::Fair | Habit::Slow | Habit::Moody | Habit::Late => answer.map(String::into_bytes),
            Habit::Illegal => Ok(self.illegal()),
            Habit::Garbage => Ok(self.garbage()),
            Habit::Flood => Ok(vec![*self.dice.pick(b"a( ["); 70_000]),
            Habit::Rude => Err("connection reset".to_owned()),
            Habit::Silent => return,
        };
        if habit == Habit::Late {
            let delay = self.dice.time((500, 20_000));
            return self.after(delay, Happening::Answer { letter, answer: bytes, author: Some(author) });
        }
        self.carry_answer(letter, author, bytes);
    }

    fn illegal(&mut self) -> Vec<u8> {
        let moves = ["(mark 9 9)", "noop", "mark(1,1)", "(fly to (the moon))", "nil", "READY", "(mark 1 1)"];
        self.dice.pick(&moves).as_bytes().to_vec()
    }

    fn garbage(&mut self) -> Vec<u8> {
        (0..self.dice.below(40)).map(|_| (self.dice.bits() >> 7) as u8).collect()
    }

    fn think_up(&mut self, process: usize, time: (u64, u64), event: Event) {
        let life = self.processes[process].life;
        let delay = self.dice.time(time);
        self.after(delay, Happening::Player { process, life, event });
    }

    fn prepare(
        &mut self,
        process: usize,
        table: TableNumber,
        job: JobNumber,
        start: &StartMessage,
        notation: Notation,
    ) {
        let player = &mut self.processes[process];
        let letter = player.calls.last_key_value().map(|(_, (letter, _))| *letter);
        let result = match (Thinker::begin(start, notation), letter) {
            (Ok((role, position)), Some(letter)) => {
                let follower = Follower::new(position.rules().clone(), role);
                player.thinkers.insert(table, Thinker { letter, role, position, follower });
                Ok(Pace::InSteps)
            }
            (Err(cause), _) => Err(cause),
            (_, None) => Err("nobody asked".to_owned()),
        };
        self.think_up(process, (1, 300), Event::Prepared { job, result });
    }

    fn think(
        &mut self,
        process: usize,
        (table, job): (TableNumber, JobNumber),
        last: &Last,
        answered: Option<String>,
        undelivered: bool,
    ) {
        let player = &mut self.processes[process];
        let time = if player.habit == Habit::Slow { (500, 8_000) } else { (1, 600) };
        let Some(thinker) = player.thinkers.get_mut(&table) else {
            return self.think_up(process, (0, 1), Event::Chosen { job, result: Err("no rules".into()) });
        };
        let legal = if thinker.position.rules().dialect().has_percepts() {
            // It always guesses right what it does not see.
            let Letter { number, seat, .. } = thinker.letter;
            self.watch.matches[number].truth.legal(seat.0 as usize).into_keys().collect()
        } else {
            thinker.hear(last, answered, undelivered)
        };
        let result = match &legal[..] {
            [] => Err("no legal move".to_owned()),
            some => {
                let action = self.dice.pick(some).clone();
                self.think_up(process, (0, 5), Event::Legal { job, action });
                Ok(self.dice.pick(some).clone())
            }
        };
        self.think_up(process, time, Event::Chosen { job, result });
    }

    /// Everybody who asked a living player was answered, or its clock is not over.
    pub(crate) fn check_services(&mut self) {
        let now = self.now;
        let owes = |player: &Process| {
            let mut dues = player.calls.values().filter_map(|(_, due)| *due);
            player.alive && dues.any(|due| due < now)
        };
        let silent: Vec<String> =
            self.processes.iter().filter(|player| owes(player)).map(|player| player.name.clone()).collect();
        for name in silent {
            self.watch.note(Broken::Service, format!("{name} has not answered in time"));
        }
    }
}

impl Thinker {
    /// The role and the rules that a start message names.
    fn begin(start: &StartMessage, notation: Notation) -> Result<(RoleId, Position), String> {
        let rules = games::rules_of(&start.rules, notation)?;
        let role = rules.find_role(&start.role).ok_or("no such role")?;
        Ok((role, rules.start()))
    }

    /// Follows the match, and says which moves it takes for legal.
    fn hear(&mut self, last: &Last, answered: Option<String>, undelivered: bool) -> Vec<String> {
        self.follower.answer(answered);
        let position = &self.position;
        let (heard, _) = self.follower.hear(last, undelivered, &mut |joint| is_legal(position, joint));
        if let Heard::Steps(steps) = heard {
            for step in steps {
                if let Told::Joint(joint) = step {
                    // What is not possible is not made; the player is lost then.
                    let _ = self.position.advance(&joint);
                }
            }
        }
        let terms = self.position.rules().signature().terms().clone();
        let legal = self.position.legal(self.role).unwrap_or_default();
        legal.into_iter().map(|action| term_text(&terms, action)).collect()
    }
}

fn is_legal(position: &Position, joint: &[TermId]) -> bool {
    let legal =
        |(role, action): (RoleId, &TermId)| position.legal(role).is_ok_and(|legal| legal.contains(action));
    position.terminal() == Ok(false) && position.rules().roles().zip(joint).all(legal)
}

/// How long a message leaves for its answer. `longest` is the longest play clock that was ever told.
fn due(text: &str, longest: &mut Duration) -> Option<Duration> {
    let least = Duration::from_millis(100);
    match read_request(text).ok()?.request {
        Request::Start(start) => {
            *longest = Duration::from_secs(start.play_clock.into()).max(*longest);
            Some(Duration::from_secs(start.start_clock.into()).max(least))
        }
        Request::Play { .. } => Some((*longest).max(least)),
        _ => Some(Duration::ZERO),
    }
}
