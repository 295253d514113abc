//! The world: what is to happen, in order of time, and the account of what may not.

use std::collections::BTreeMap;
use std::sync::OnceLock;
use std::time::Duration;

use ludex::game::Rng;
use ludex::matches::message::{Last, Request};
use ludex::matches::referee::{
    Clocks, Effect, Entry, EntryNumber, Event, MessageNumber, Patience, Referee, RefereeSetup, SeatNumber,
    SeatSetup,
};
use ludex::{Game, GameOptions, Rules};
use ludex_server::membership::{Duty, LeaseOptions, Members, share};
use ludex_server::model::{MemberKind, MemberNumber, NewMember};

use super::Planted;
use super::server::{Answer, Question, Server, Table};
use super::store::{Store, Written};

const LEASE: Duration = Duration::from_secs(5);
/// From then on nothing goes wrong any more.
const CALM: Duration = Duration::from_secs(90);
/// Then all matches are over.
const END: Duration = Duration::from_secs(600);
/// How often a server looks what is to be done.
const TICK: Duration = Duration::from_millis(200);
/// A question that is not answered so long is given up.
const PATIENCE: Duration = Duration::from_secs(1);

/// Two players who choose at the same time, any of three moves, for some steps.
const RULES: &str = "
    (role x) (role y) (init (step 0)) (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6)
    (succ 6 7) (succ 7 8) (succ 8 9) (succ 9 10)
    (<= (next (step ?n)) (true (step ?m)) (succ ?m ?n))
    (<= (legal ?r a) (role ?r)) (<= (legal ?r b) (role ?r)) (<= (legal ?r c) (role ?r))
    (<= terminal (true (step 10))) (<= (goal ?r 50) (role ?r))";

fn rules() -> &'static Rules {
    static READ: OnceLock<Rules> = OnceLock::new();
    READ.get_or_init(|| Game::parse("choices", RULES, &GameOptions::default()).unwrap().rules().clone())
}

/// What may not happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Broken {
    /// Somebody wrote to a match of another server.
    LateWrite,
    /// A player was told what is not durable.
    ToldBeforeWritten,
    /// A player was told two things of one step.
    TwoHistories,
    /// A server told a player something when another one had the match.
    TwoSpeak,
    /// A journal is none that a referee could have written.
    Journal,
    /// A match does not end.
    Endless,
}

/// What became of a world.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) broken: Vec<Broken>,
    pub(crate) log: Vec<String>,
    pub(crate) matches: usize,
    pub(crate) takeovers: usize,
    pub(crate) refused: usize,
    pub(crate) lapsed: usize,
}

/// What is going to happen.
enum Happening {
    Tick {
        server: usize,
    },
    /// The store gets a question that a server has asked at a time by its clock.
    Asked {
        server: usize,
        process: u64,
        asked: Duration,
        question: Question,
    },
    Answered {
        server: usize,
        process: u64,
        asked: Duration,
        answer: Answer,
    },
    /// For a referee.
    Referee {
        server: usize,
        process: u64,
        place: usize,
        life: u64,
        event: Event,
    },
    /// Something goes wrong.
    Trouble,
}

struct World {
    now: Duration,
    agenda: BTreeMap<(Duration, u64), Happening>,
    scheduled: u64,
    rng: Rng,
    planted: Planted,
    options: LeaseOptions,
    /// Whether the clock of the store is set now and then: then leases say nothing about who is alive.
    clock_is_set: bool,
    clock: Duration,
    store: Store,
    servers: Vec<Server>,
    lives: u64,
    /// What each player was told of each step.
    told: BTreeMap<(usize, u32, usize), Vec<String>>,
    verbose: bool,
    out: Outcome,
}

/// Runs the world of a seed to its end.
pub(crate) fn run(seed: u64, planted: Planted, verbose: bool) -> Outcome {
    let mut rng = Rng::from_seed(seed);
    let mut options = LeaseOptions::lasting(LEASE);
    if planted == Planted::NoMargin {
        options.margin = Duration::ZERO;
    }
    let matches = 5 + rng.below(6) as usize;
    let servers = 2 + rng.below(2) as usize;
    let clock_is_set = rng.below(3) == 0;
    let mut world = World {
        now: Duration::from_secs(1),
        agenda: BTreeMap::new(),
        scheduled: 0,
        rng,
        planted,
        options,
        clock_is_set,
        clock: Duration::from_secs(1_000_000),
        store: Store::new(matches, planted),
        servers: Vec::new(),
        lives: 0,
        told: BTreeMap::new(),
        verbose,
        out: Outcome { matches, ..Outcome::default() },
    };
    for server in 0..servers {
        let begun = world.new_server();
        world.servers.push(begun);
        world.after(Duration::from_millis(server as u64), Happening::Tick { server });
    }
    world.after(Duration::from_secs(3), Happening::Trouble);
    world.last()
}

impl World {
    fn last(mut self) -> Outcome {
        while let Some(((at, _), happening)) = self.agenda.pop_first() {
            self.now = at;
            if at > END || self.out.broken.len() > 5 || self.store.matches.iter().all(|kept| kept.over) {
                break;
            }
            self.store.members.set_time(self.now + self.clock);
            self.happen(happening);
        }
        for kept in &self.store.matches {
            let is_whole = Referee::resume(rules().clone(), &kept.journal).is_ok();
            if !kept.journal.is_empty() && !is_whole {
                self.out.broken.push(Broken::Journal);
            }
            if !kept.over && self.out.broken.is_empty() {
                self.out.broken.push(Broken::Endless);
            }
        }
        self.out
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.rng.below(bound)
    }

    fn milliseconds(&mut self, least: u64, most: u64) -> Duration {
        Duration::from_millis(least + self.below(most - least + 1))
    }

    fn after(&mut self, delay: Duration, happening: Happening) {
        self.scheduled += 1;
        self.agenda.insert((self.now + delay, self.scheduled), happening);
    }

    fn say(&mut self, line: impl FnOnce() -> String) {
        if self.verbose {
            self.out.log.push(format!("{:>8.3} {}", self.now.as_secs_f64(), line()));
        }
    }

    fn broken(&mut self, what: Broken, how: impl FnOnce() -> String) {
        self.say(|| format!("BROKEN {what:?}: {}", how()));
        self.out.broken.push(what);
    }

    fn new_server(&mut self) -> Server {
        // Clocks are up to a fifth wrong, for which the margin is just enough.
        let speed = [800, 1_000, 1_200][self.below(3) as usize];
        self.lives += 1;
        Server::new(self.options, speed, self.now, self.lives)
    }

    /// Whether a server sleeps: then this happens when it wakes up.
    fn sleeps(&mut self, server: usize, happening: Happening) -> Option<Happening> {
        let asleep = self.servers[server].asleep;
        if self.now >= asleep {
            return Some(happening);
        }
        self.after(asleep - self.now, happening);
        None
    }

    fn happen(&mut self, happening: Happening) {
        let server = match &happening {
            Happening::Tick { server }
            | Happening::Answered { server, .. }
            | Happening::Referee { server, .. } => *server,
            Happening::Asked { .. } | Happening::Trouble => {
                return match happening {
                    Happening::Asked { server, process, asked, question } => {
                        self.answer(server, process, asked, question);
                    }
                    _ => self.trouble(),
                };
            }
        };
        match self.sleeps(server, happening) {
            None => {}
            Some(Happening::Tick { .. }) => self.tick(server),
            Some(Happening::Answered { process, asked, answer, .. })
                if self.servers[server].process == process =>
            {
                self.answered(server, asked, answer);
            }
            Some(Happening::Referee { process, place, life, event, .. }) => {
                let own = &self.servers[server];
                if own.process == process && own.tables.get(&place).is_some_and(|table| table.life == life) {
                    self.tell_referee(server, place, event);
                }
            }
            Some(_) => {}
        }
    }

    /// Something goes wrong, and more later.
    fn trouble(&mut self) {
        if self.now > CALM {
            return;
        }
        let server = self.below(self.servers.len() as u64) as usize;
        // Often for about as long as a lease lasts.
        let long = match self.below(2) {
            0 => self.milliseconds(4_500, 7_000),
            _ => self.milliseconds(500, 15_000),
        };
        match self.below(if self.clock_is_set { 5 } else { 4 }) {
            0 => {
                self.say(|| format!("server {server} stops for {long:?}"));
                self.servers[server].asleep = self.now + long;
            }
            1 => {
                self.say(|| format!("server {server} is cut off for {long:?}"));
                self.servers[server].cut_off = self.now + long;
            }
            2 => {
                self.say(|| format!("server {server} dies and another one comes after {long:?}"));
                let anew = self.new_server();
                self.servers[server] = Server { asleep: self.now + long, ..anew };
            }
            3 => {}
            _ => {
                let set = self.milliseconds(0, 120_000);
                self.clock =
                    if self.below(2) == 0 { self.clock + set } else { self.clock.saturating_sub(set) };
                self.say(|| format!("the clock of the store is set by {set:?}"));
            }
        }
        let next = self.milliseconds(500, 6_000);
        self.after(next, Happening::Trouble);
    }

    fn tick(&mut self, server: usize) {
        let now = self.servers[server].clock(self.now);
        if !self.servers[server].busy {
            match self.servers[server].membership.duty(now) {
                Duty::Rest(_) => {}
                Duty::Register => self.ask(server, Question::Register),
                Duty::Renew(number) => self.ask(server, Question::Renew(number)),
            }
        }
        if let Some(number) = self.servers[server].membership.number()
            && self.servers[server].membership.is_in(now)
        {
            for place in self.servers[server].put_off.clone() {
                self.ask(server, Question::Read(number, place));
            }
        }
        self.after(TICK, Happening::Tick { server });
    }

    /// A question goes to the store. It may be lost, or come late: also after the server has given it up.
    fn ask(&mut self, server: usize, question: Question) {
        let own = &mut self.servers[server];
        let (asked, process, cut_off) = (own.clock(self.now), own.process, own.cut_off);
        own.busy |= matches!(question, Question::Register | Question::Renew(_));
        // What takes several messages is not done when it is given up.
        let may_be_late = !matches!(question, Question::Look | Question::Claim(..) | Question::Read(..));
        let is_late = may_be_late && self.now < CALM && self.below(30) == 0;
        let way = if is_late { self.milliseconds(1_000, 20_000) } else { self.milliseconds(1, 300) };
        if is_late || self.now < cut_off {
            let nothing = match &question {
                Question::Append(number, place, entries) => {
                    let last = entries.last().map_or(EntryNumber(0), |(number, _)| *number);
                    Answer::Appended(*number, *place, last, Written::Misplaced)
                }
                _ => Answer::Nothing,
            };
            self.after(PATIENCE, Happening::Answered { server, process, asked, answer: nothing });
            // What was given up is done all the same, perhaps.
            if !is_late {
                return;
            }
            // Whoever gives it up hears nothing of it any more.
            return self.after(way, Happening::Asked { server, process: 0, asked, question });
        }
        self.after(way, Happening::Asked { server, process, asked, question });
    }

    /// The store does what it was asked for.
    fn answer(&mut self, server: usize, process: u64, asked: Duration, question: Question) {
        let members = self.store.members.clone();
        let answer = match question {
            Question::Register => {
                let about = NewMember {
                    kind: MemberKind::Server,
                    name: format!("{server}"),
                    address: String::new(),
                    release: String::new(),
                };
                let number = members.register(&about, LEASE).unwrap();
                self.say(|| format!("server {server} is number {number}"));
                Answer::Registered(number)
            }
            Question::Renew(number) => {
                let kept = members.renew(number, LEASE).unwrap();
                Answer::Renewed(kept)
            }
            Question::Look => Answer::Members(members.members().unwrap(), self.store.unowned()),
            Question::Remove(number, renewals) => {
                if members.remove(number, renewals).unwrap() {
                    self.say(|| format!("server {server} removes number {number}"));
                    self.store.removed(number);
                }
                Answer::Removed
            }
            Question::Claim(number, most) => Answer::Matches(number, self.store.claim(number, most)),
            Question::Read(number, place) => {
                let kept = &self.store.matches[place];
                let is_own = kept.owner == Some(number) && !kept.over;
                Answer::Read(number, place, is_own.then(|| kept.journal.clone()))
            }
            Question::Append(number, place, entries) => self.append(number, place, &entries),
        };
        // What has to be on the disk takes its time.
        let slowest = if matches!(answer, Answer::Appended(..)) { 1_500 } else { 300 };
        let way = self.milliseconds(1, slowest);
        self.after(way, Happening::Answered { server, process, asked, answer });
    }

    fn append(&mut self, number: MemberNumber, place: usize, entries: &[(EntryNumber, Entry)]) -> Answer {
        let owner = self.store.matches[place].owner;
        let written = self.store.append(number, place, entries);
        match written {
            Written::Kept if owner != Some(number) => {
                self.broken(Broken::LateWrite, || {
                    format!("number {number} writes to match {place} of {owner:?}")
                });
            }
            Written::Superseded => self.out.refused += 1,
            _ => {}
        }
        Answer::Appended(number, place, entries.last().map_or(EntryNumber(0), |(last, _)| *last), written)
    }

    fn answered(&mut self, server: usize, asked: Duration, answer: Answer) {
        let now = self.servers[server].clock(self.now);
        match answer {
            Answer::Registered(number) => {
                self.servers[server].busy = false;
                self.servers[server].membership.registered(asked, number);
                self.ask(server, Question::Look);
            }
            Answer::Renewed(kept) => {
                self.servers[server].busy = false;
                self.servers[server].membership.renewed(asked, kept);
                if kept {
                    return self.ask(server, Question::Look);
                }
                self.say(|| format!("server {server} begins anew"));
                self.servers[server].begin_anew();
            }
            Answer::Members(members, unowned) => {
                let own = &mut self.servers[server];
                for (number, renewals) in own.membership.whom_to_remove(asked, &members) {
                    self.ask(server, Question::Remove(number, renewals));
                }
                let own = &self.servers[server];
                let most = share(unowned as u64, members.len(), 4);
                if let Some(number) =
                    own.membership.number().filter(|_| own.membership.is_in(now) && most > 0)
                {
                    self.ask(server, Question::Claim(number, most));
                }
            }
            Answer::Removed => {}
            Answer::Matches(number, matches) => {
                // What was claimed by a number that one has no more is lost with it.
                if self.servers[server].membership.number() == Some(number) {
                    for (place, journal) in matches {
                        self.take(server, place, &journal);
                    }
                }
            }
            Answer::Read(number, place, journal) => {
                let own = &mut self.servers[server];
                let waits = own.put_off.iter().position(|other| *other == place);
                let Some(waits) = waits.filter(|_| own.membership.number() == Some(number)) else { return };
                own.put_off.swap_remove(waits);
                if let Some(journal) = journal {
                    self.take(server, place, &journal);
                }
            }
            Answer::Appended(number, place, last, written) => {
                self.appended(server, number, place, last, written);
            }
            Answer::Nothing => {
                self.servers[server].busy = false;
                self.servers[server].membership.failed(now);
            }
        }
    }

    /// A server goes on with a match.
    fn take(&mut self, server: usize, place: usize, journal: &[Entry]) {
        self.out.takeovers += usize::from(!journal.is_empty());
        self.say(|| format!("server {server} takes match {place} after {} entries", journal.len()));
        let referee = match journal {
            [] => Referee::new(rules().clone(), setup(place)),
            journal => Referee::resume(rules().clone(), journal),
        };
        let Ok(referee) = referee else { return self.broken(Broken::Journal, || format!("match {place}")) };
        self.lives += 1;
        let table = Table { referee, waiting: Vec::new(), writing: false, life: self.lives };
        self.servers[server].tables.insert(place, table);
        self.tell_referee(server, place, Event::Begin);
    }

    fn appended(
        &mut self,
        server: usize,
        number: MemberNumber,
        place: usize,
        last: EntryNumber,
        written: Written,
    ) {
        let own = &mut self.servers[server];
        let Some(table) = own.tables.get_mut(&place).filter(|table| table.writing) else { return };
        // An answer to a write of a table before.
        if own.membership.number() != Some(number) || table.waiting.iter().all(|(number, _)| *number != last)
        {
            return;
        }
        let may_tell = self.planted == Planted::NoGate || own.may_tell(self.now, number);
        if written != Written::Kept || !may_tell {
            // It is not told; what is there is read again as soon as that may be.
            self.out.lapsed += usize::from(written == Written::Kept);
            let own = &mut self.servers[server];
            own.tables.remove(&place);
            own.put_off.push(place);
            return;
        }
        if let Some(table) = self.servers[server].tables.get_mut(&place) {
            table.writing = false;
            table.waiting.retain(|(number, _)| *number > last);
        }
        self.tell_referee(server, place, Event::Written(last));
    }

    fn tell_referee(&mut self, server: usize, place: usize, event: Event) {
        let now = self.servers[server].clock(self.now);
        let Some(table) = self.servers[server].tables.get_mut(&place) else { return };
        let mut effects = Vec::new();
        table.referee.on(now, event, &mut effects);
        let life = table.life;
        let process = self.servers[server].process;
        for effect in effects {
            match effect {
                Effect::Write(number, entry) => {
                    if let Some(table) = self.servers[server].tables.get_mut(&place) {
                        table.waiting.push((number, *entry));
                    }
                }
                Effect::Send { seat, message, request, .. } => {
                    self.send(server, place, seat, message, &request)
                }
                Effect::Wake { timer, at } => {
                    let speed = self.servers[server].speed;
                    let delay = at.saturating_sub(now) * 1_000 / speed + Duration::from_millis(1);
                    let event = Event::Timer(timer);
                    self.after(delay, Happening::Referee { server, process, place, life, event });
                }
                Effect::Drop { .. } => {}
                Effect::Done => {
                    self.servers[server].tables.remove(&place);
                }
            }
        }
        let number = self.servers[server].membership.number();
        if let Some(table) = self.servers[server].tables.get_mut(&place)
            && !table.writing
            && !table.waiting.is_empty()
            && let Some(number) = number
        {
            table.writing = true;
            let entries = table.waiting.clone();
            self.ask(server, Question::Append(number, place, entries));
        }
    }

    /// A message goes to a player, who answers as it likes.
    fn send(
        &mut self,
        server: usize,
        place: usize,
        seat: SeatNumber,
        message: MessageNumber,
        request: &Request,
    ) {
        let Some(table) = self.servers[server].tables.get(&place) else { return };
        let (steps, life) = (table.referee.course().steps().len(), table.life);
        let own = self.servers[server].membership.number();
        let owner = self.store.matches[place].owner;
        if own != owner && !self.store.matches[place].over && !self.clock_is_set {
            self.broken(Broken::TwoSpeak, || {
                format!("server {server} speaks for match {place} of {owner:?}")
            });
        }
        if let Request::Play { last: Last::Joint(joint), .. }
        | Request::Stop { last: Last::Joint(joint), .. } = request
        {
            let steps_written = self.store.matches[place].journal.iter().filter_map(|entry| match entry {
                Entry::Stepped { joint, .. } => Some(joint),
                _ => None,
            });
            if steps_written.skip(steps - 1).map(|written| written[..] == joint[..]).next() != Some(true) {
                self.broken(Broken::ToldBeforeWritten, || format!("match {place}, step {steps}"));
            }
            let told = self.told.entry((place, seat.0, steps)).or_insert_with(|| joint.to_vec());
            if told[..] != joint[..] {
                self.broken(Broken::TwoHistories, || format!("match {place}, step {steps}"));
            }
        }
        let text = match request {
            Request::Start(_) => "ready",
            Request::Play { .. } => ["a", "b", "c"][self.below(3) as usize],
            _ => "done",
        };
        let delay = self.milliseconds(50, 2_500);
        let process = self.servers[server].process;
        let event = Event::Reply { seat, message, bytes: text.as_bytes().to_vec() };
        self.after(delay, Happening::Referee { server, process, place, life, event });
    }
}

fn setup(place: usize) -> RefereeSetup {
    let seat = |name: &str| SeatSetup { player: name.to_owned(), ..SeatSetup::default() };
    let clock = Duration::from_secs(3);
    RefereeSetup {
        given: Vec::new(),
        records: None,
        id: format!("m{place}"),
        seed: place as u64,
        clocks: Clocks { start: clock, play: clock, bank: None, grace: Duration::ZERO },
        seats: vec![seat("Anna"), seat("Bert")],
        patience: Patience::Keep,
        step_limit: None,
        time_cost: None,
        told: None,
        start_time: None,
    }
}
