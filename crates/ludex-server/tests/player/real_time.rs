//! Matches in real time over sockets, with a tiny manager.
//!
//! Nothing here depends on how fast anything is: that a match in real time goes otherwise on a busy machine is no fault.

use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

use ludex::game::TimedRules;
use ludex::gdl::{LoadOptions, Notation, Source, load};
use ludex::logic::Budget;
use ludex::matches::MatchStatus;
use ludex::matches::message::{Last, News, Request, write_request};
use ludex::matches::referee::real_time::{TimedReferee, TimedSetup, Verdict};
use ludex::matches::referee::{
    Effect, EntryNumber, Event, MessageNumber, SeatNumber, SeatSetup, TimerNumber,
};
use ludex::matches::service::TimedFollower;
use ludex::{Engine, timed_rules};
use ludex_server::player::RunningPlayer;

use super::wire::{LONG, ask, body, exchange, exchange_half_closed, message, now, rules, service};

fn load_timed(name: &str) -> TimedRules {
    let game = ludex::library::find(name).unwrap();
    let checked = load(std::sync::Arc::new(Source::new(game.file, game.text)), &LoadOptions::default());
    timed_rules(checked, Engine::Auto, &Budget::unlimited(), &Budget::unlimited()).unwrap()
}

fn setup(rules: &TimedRules, unit: Duration) -> TimedSetup {
    let seat = || SeatSetup { player: "somebody".into(), ..SeatSetup::default() };
    TimedSetup {
        id: "m1".into(),
        seed: 7,
        start: Duration::from_secs(60),
        unit,
        grace: Duration::ZERO,
        seats: rules.seats().iter().map(|_| seat()).collect(),
        told: None,
        start_time: None,
    }
}

/// A manager of one match: each message has a connection of its own, on which its answer is waited for.
struct Manager<'p> {
    referee: TimedReferee,
    players: &'p [SocketAddr],
    begun: Instant,
    timers: Vec<(TimerNumber, Duration)>,
    answers: (Sender<Event>, Receiver<Event>),
    /// What each seat was told.
    told: Vec<Vec<Last>>,
    done: bool,
}

impl<'p> Manager<'p> {
    fn new(rules: &TimedRules, unit: Duration, players: &'p [SocketAddr]) -> Self {
        Self {
            referee: TimedReferee::new(rules.clone(), setup(rules, unit)).unwrap(),
            players,
            begun: now(),
            timers: Vec::new(),
            answers: channel(),
            told: vec![Vec::new(); players.len()],
            done: false,
        }
    }

    /// Plays until the match is over, or so much time is.
    fn play(&mut self, limit: Duration) {
        self.on(Event::Begin);
        let mut is_aborted = false;
        while !self.done {
            let next = self.timers.iter().map(|timer| timer.1).min().unwrap_or(Duration::MAX);
            let wait = next.saturating_sub(self.begun.elapsed()).min(Duration::from_millis(500));
            match self.answers.1.recv_timeout(wait) {
                Ok(event) => self.on(event),
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => unreachable!("one sender is kept"),
            }
            while let Some(due) = self.timers.iter().position(|timer| timer.1 <= self.begun.elapsed()) {
                let (timer, _) = self.timers.remove(due);
                self.on(Event::Timer(timer));
            }
            if self.begun.elapsed() > limit && !is_aborted {
                is_aborted = true;
                self.on(Event::Abort("it takes too long".to_owned()));
            }
        }
    }

    fn on(&mut self, event: Event) {
        let is_move = matches!(&event, Event::Reply { bytes, .. } if !is_word(bytes));
        let (was_over, before) = (self.referee.course().is_over(), self.referee.course().arrivals().len());
        let mut events = VecDeque::from([event]);
        while let Some(event) = events.pop_front() {
            let mut effects = Vec::new();
            self.referee.on(self.begun.elapsed(), event, &mut effects);
            for effect in effects {
                match effect {
                    // What is written is durable at once.
                    Effect::Write(number, _) => events.push_back(Event::Written(number)),
                    Effect::Send { seat, message, request, .. } => self.send(seat, message, &request),
                    Effect::Wake { timer, at } => self.timers.push((timer, at)),
                    Effect::Drop { .. } => {}
                    Effect::Done => self.done = true,
                }
            }
        }
        let course = self.referee.course();
        let came = course.arrivals().len() - before;
        assert_eq!(
            came,
            usize::from(is_move && !was_over && (came > 0 || !course.is_over())),
            "a move is lost"
        );
    }

    fn send(&mut self, seat: SeatNumber, number: MessageNumber, request: &Request) {
        if let Request::Play { last, .. } | Request::Stop { last, .. } = request {
            self.told[seat.0 as usize].push(last.clone());
        }
        let (address, answers) = (self.players[seat.0 as usize], self.answers.0.clone());
        let text = write_request(request, Notation::Prefix);
        std::thread::spawn(move || {
            let answer = exchange(address, &message(&text));
            let bytes = body(&answer).as_bytes().to_vec();
            // The match may be over.
            let _ = answers.send(Event::Reply { seat, message: number, bytes });
        });
    }
}

/// Whether an answer is none that makes a move.
fn is_word(answer: &[u8]) -> bool {
    matches!(answer, b"nil" | b"READY" | b"DONE")
}

/// Lets two services play, and looks at what they said and were told.
fn play(name: &str, unit: Duration, players: [&RunningPlayer; 2]) {
    let rules = load_timed(name);
    let addresses = players.map(RunningPlayer::address);
    let mut manager = Manager::new(&rules, unit, &addresses);
    manager.play(LONG / 2);
    let course = manager.referee.course();
    match course.status() {
        MatchStatus::Completed => {}
        MatchStatus::Aborted(cause) => assert_eq!(cause, "it takes too long"),
        MatchStatus::Running | MatchStatus::Settled(_) => panic!("the match goes on"),
    }
    assert!(course.start_faults().iter().all(Option::is_none), "{:?}", course.start_faults());
    for (seat, told) in manager.told.iter().enumerate() {
        let own = course.arrivals().iter().filter(|arrival| arrival.seat.0 as usize == seat);
        let refused = own.filter(|arrival| matches!(arrival.verdict, Verdict::Refused(_)));
        for arrival in refused {
            let word = Last::InTime { time: arrival.time, news: News::Nothing };
            assert!(told.contains(&word), "nobody told of {arrival:?}");
        }
        if !rules.dialect().has_percepts() {
            let mut known = TimedFollower::new(rules.clone()).unwrap();
            for last in told {
                let Last::InTime { time, news } = last else { panic!("{last:?} tells no time") };
                known.hear(*time, news).unwrap();
                assert_eq!(known.doubt(), None);
            }
            if *course.status() == MatchStatus::Completed {
                let history = known.with(|timeline| timeline.history().to_vec()).unwrap();
                assert_eq!(history, course.events());
            }
        }
    }
    for address in addresses {
        assert!(ask(address, "(info)").contains("available"), "the place is free again");
    }
}

#[test]
fn the_race_to_the_cliff() {
    let (first, second) = (service("ludex:playouts=40"), service("random:mean=3"));
    play("chicken", Duration::from_millis(50), [&first, &second]);
}

#[test]
fn four_in_a_row_as_fast_as_one_can() {
    let (first, second) = (service("ludex"), service("random"));
    play("rapid-connect-four", Duration::from_millis(50), [&first, &second]);
}

/// A strategy that knows no time.
#[test]
fn a_strategy_for_games_in_steps_plays_games_with_turns() {
    let (first, second) = (service("uct:playouts=50"), service("legal"));
    play("timed-tic-tac-toe", Duration::from_secs(20), [&first, &second]);
}

#[test]
fn who_is_quicker() {
    let (first, second) = (service("ludex"), service("random:mean=2"));
    play("reaction", Duration::from_millis(20), [&first, &second]);
}

/// The message that begins a match of chicken for red, in which one unit of time lasts so many seconds.
fn start(seconds: u64) -> String {
    let rules = load_timed("chicken");
    let setup = setup(&rules, Duration::from_secs(seconds));
    let mut referee = TimedReferee::new(rules, setup).unwrap();
    let mut effects = Vec::new();
    referee.on(Duration::ZERO, Event::Begin, &mut effects);
    referee.on(Duration::ZERO, Event::Written(EntryNumber(0)), &mut effects);
    let start = effects.iter().find_map(|effect| match effect {
        Effect::Send { request, .. } => Some(write_request(request, Notation::Prefix)),
        _ => None,
    });
    start.unwrap()
}

/// A match in which a thousand seconds make one unit of time, so that nothing happens by itself.
fn begin(strategy: &str) -> (RunningPlayer, SocketAddr) {
    let player = service(strategy);
    let address = player.address();
    assert_eq!(ask(address, &start(1_000)), "READY");
    (player, address)
}

#[test]
fn messages_are_held_back_until_the_next_one_or_the_end() {
    let (_player, address) = begin("script");
    let hold = |text: &'static str| std::thread::spawn(move || ask(address, text));
    let held = ["(play m1 nil 0)", "(play m1 nil 0.5)", "(play m1 nil 1)"].map(hold);
    // Which of them comes last is not known. The end may even come before: then they are of a match that is not known.
    assert_eq!(ask(address, "(stop m1 nil 10)"), "done");
    for answer in held.map(|held| held.join().unwrap()) {
        assert!(matches!(&*answer, "nil" | "busy"), "{answer}");
    }
}

/// Whoever closes its side of the connection is not there to wait, as far as one can see.
#[test]
fn a_closed_connection_holds_nothing_back() {
    let (_player, address) = begin("script:moves=50@swerve");
    assert_eq!(body(&exchange_half_closed(address, &message("(play m1 nil 0)"))), "nil");
    assert_eq!(ask(address, "(play m1 nil 60)"), "swerve");
    assert_eq!(ask(address, "(play m1 nil)"), "busy", "that is none of a game in real time");
    assert_eq!(ask(address, "(abort m1)"), "done");
}

#[test]
fn what_cannot_be_played_is_refused() {
    let player = service("script:moves=1@swerve");
    let (address, start) = (player.address(), start(1_000));
    assert!(start.ends_with("60 1000)") && start.starts_with("(START m1 red "), "{start}");
    assert_eq!(ask(address, &start.replace("60 1000)", "60 0)")), "BUSY", "no time would pass");
    assert_eq!(ask(address, &start.replacen("red", "green", 1)), "BUSY");
    let steps = format!("(start m1 white ({}) 60 10)", rules("tic-tac-toe"));
    assert_eq!(ask(address, &steps), "busy", "the strategy knows no games in steps");
    let player = service("legal");
    let address = player.address();
    assert_eq!(ask(address, &steps), "ready");
    assert_eq!(ask(address, "(play m1 nil 0)"), "busy");
    assert_eq!(ask(address, "(play m1 nil)"), "(mark 1 1)");
}
