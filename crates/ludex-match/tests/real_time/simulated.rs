//! Matches at random times, with entries that take their time and referees that are cut off: whoever follows the messages
//! is always in the state of the manager.

use ludex_game::{Rng, RoleId, TimedEvent, TimedMachine, TimedRules, Timeline, TimelineOptions};
use ludex_gdl::GameTime;
use ludex_match::MatchStatus;
use ludex_match::message::{Last, News, Request};
use ludex_match::referee::Event;

use super::harness::{Harness, seconds, setup};
use super::{GUNS, bundled, parse};

/// A player who knows what it is told, and what time it is.
struct Follower<'m> {
    machine: &'m dyn TimedMachine,
    timeline: Timeline<'m>,
    /// When the last update was that it was told.
    told: Option<GameTime>,
    stopped: bool,
}

impl<'m> Follower<'m> {
    fn new(machine: &'m dyn TimedMachine) -> Self {
        let timeline = Timeline::new(machine, &TimelineOptions::default()).unwrap();
        Self { machine, timeline, told: None, stopped: false }
    }

    fn hear(&mut self, request: &Request) {
        let (Request::Play { last, .. } | Request::Stop { last, .. }) = request else { return };
        let Last::InTime { time, news } = last else { panic!("no time: {last:?}") };
        self.stopped |= matches!(request, Request::Stop { .. });
        match news {
            // What is said again after a break may be older than what is known.
            News::Nothing => self.timeline.advance_to((*time).max(self.timeline.now())).unwrap(),
            // Said again after a break.
            News::Moves(_) if self.told.is_some_and(|told| told >= *time) => {}
            News::Moves(moves) => {
                self.timeline.advance_to(*time).unwrap();
                let made = (0..).map(RoleId).zip(moves.iter()).filter_map(|(role, made)| {
                    let made = made.as_ref()?;
                    Some((role, self.machine.find_term(made).unwrap().expect("a move of the game")))
                });
                let made: Vec<_> = made.collect();
                self.timeline.submit(&made).unwrap();
                self.told = Some(*time);
            }
            News::Percepts { .. } => panic!("everybody knows everything"),
        }
    }
}

/// Plays until the end, with what players could say in the states that they know.
fn simulate(rules: &TimedRules, seed: u64) -> Harness {
    let mut rng = Rng::from_seed(seed);
    let machine = &**rules.machine();
    let seats = rules.seats();
    let mut players: Vec<Follower<'_>> = seats.iter().map(|_| Follower::new(machine)).collect();
    let mut match_ = Harness::started(rules, setup(rules));
    let mut heard = 0;
    let mut before = 0;
    for _ in 0..600 {
        if match_.referee.course().is_over() {
            // What ends the game is told with its end.
            match_.write();
        }
        for sent in &match_.sent[heard..] {
            let player = &mut players[sent.seat];
            player.hear(&sent.request);
            let known = player.timeline.history();
            assert!(match_.referee.course().events().starts_with(known), "{seed}: {known:?}");
        }
        heard = match_.sent.len();
        let course = match_.referee.course();
        for player in &mut players {
            // Its own clock shows what the manager's does.
            player.timeline.advance_to(course.now()).unwrap();
            assert_eq!(player.timeline.history(), course.events(), "{seed}");
            assert_eq!(player.timeline.state(), course.state(), "{seed}");
        }
        if course.is_over() {
            break;
        }
        match rng.below(12) {
            0 => match_.is_quick = !match_.is_quick,
            1 => match_.write(),
            2 if rng.below(4) == 0 => {
                // What is not written never was.
                before += match_.journal.len();
                let now = match_.now;
                match_ = Harness::resume(rules, &match_.journal);
                match_.now = now + seconds(rng.below(60));
                match_.on(Event::Begin);
                match_.write();
                heard = 0;
                continue;
            }
            3..=6 => match_.wait(std::time::Duration::from_nanos(rng.below(8_000_000_000))),
            _ => {
                let seat = rng.below(seats.len() as u64) as usize;
                let legal = players[seat].timeline.legal(seats[seat]).unwrap();
                let text =
                    rng.pick(legal).map_or("nonsense".to_owned(), |&action| machine.terms().prefix(action));
                match_.say(seat, &text);
            }
        }
        if rng.below(5) == 0 {
            match_.write();
        }
    }
    assert!(match_.journal.len() + before > 2);
    let is_completed = *match_.referee.status() == MatchStatus::Completed;
    assert!(players.iter().all(|player| player.stopped == is_completed), "{seed}");
    match_
}

#[test]
fn players_know_the_state_of_the_manager() {
    let mut updates = 0;
    let mut over = 0;
    for rules in [
        parse("guns.gdl", GUNS),
        bundled("timed-tic-tac-toe"),
        bundled("cheshire-cat"),
        bundled("respawning-armor"),
        bundled("construction"),
    ] {
        for seed in 0..8 {
            let match_ = simulate(&rules, seed);
            let course = match_.referee.course();
            over += usize::from(course.is_over());
            updates += course.events().iter().filter(|event| matches!(event, TimedEvent::Update(_))).count();
        }
    }
    assert!(updates > 300 && over >= 16, "{updates} updates, {over} matches that ended");
}
