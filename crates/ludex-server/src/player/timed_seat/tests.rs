//! Messages in any order, and a player that writes down what it is told.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use ludex::gdl::{LoadOptions, Source, load};
use ludex::{Engine, timed_rules};

use super::*;
use crate::lock::lock;

/// Both may say a number at any time. A bell at 100 ends the game.
const NUMBERS: &str = "
    role(red) role(blue)
    init(100.0,bell)
    next(T,bell) :- true(T,bell)
    number(1) number(2) number(3)
    legal(R,say(N)) :- role(R) & number(N)
    says(R) :- does(R,say(N))
    next(infinity,said(R,N)) :- does(R,say(N))
    next(infinity,said(R,N)) :- true(infinity,said(R,N)) & ~says(R)
    terminal :- expired(bell)
    goal(R,100) :- true(infinity,said(R,3))
    goal(R,0) :- role(R) & ~three(R)
    three(R) :- true(infinity,said(R,3))
";

/// A number is heard by the other one only.
const WHISPERS: &str = "
    sees(red,N) :- does(blue,say(N))
    sees(blue,N) :- does(red,say(N))
";

/// A clock that a test sets, in milliseconds.
#[derive(Default)]
struct Hand(AtomicU64);

impl Clock for Hand {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// What a player was told, and the moves that it is going to make as soon as it is asked.
#[derive(Clone, Default)]
struct Notes {
    heard: Arc<Mutex<Vec<String>>>,
    moves: Arc<Mutex<VecDeque<&'static str>>>,
}

/// A player that makes the moves of its notes.
struct Writer {
    notes: Notes,
    seat: Option<TimedSeat>,
}

impl Writer {
    fn note(&self, text: String) {
        lock(&self.notes.heard).push(text);
    }

    fn text(&self, term: TermId) -> String {
        self.seat.as_ref().map_or_else(String::new, |seat| seat.machine.text(term))
    }
}

impl TimedPlayer for Writer {
    fn prepare(&mut self, seat: TimedSeat, _: &Budget) -> Result<(), PlayerError> {
        self.note("ready".to_owned());
        self.seat = Some(seat);
        Ok(())
    }

    fn observe(&mut self, news: &TimedNews) {
        let text = match news {
            TimedNews::Moved { time, moves } => {
                let made = moves.iter().map(|&(role, action)| format!("{}:{}", role.0, self.text(action)));
                format!("{time} {}", made.collect::<Vec<_>>().join(" "))
            }
            TimedNews::Seen { time, own, percepts } => {
                let own = own.map(|own| self.text(own));
                let seen = percepts.iter().flatten().map(|&percept| self.text(percept));
                format!("{time} {} {:?}", own.unwrap_or_default(), seen.collect::<Vec<_>>())
            }
            TimedNews::Refused { time, action } => format!("{time} refused {}", self.text(*action)),
        };
        self.note(text);
    }

    fn decide(&mut self, now: GameTime, _: &Budget) -> Result<Decision, PlayerError> {
        let machine = &self.seat.as_ref().ok_or(PlayerError::NotPrepared)?.machine;
        let next = lock(&self.notes.moves).pop_front();
        let action = next.and_then(|text| machine.make_term(text).ok().flatten());
        if action.is_some() {
            self.note(format!("asked at {now}"));
        }
        Ok(Decision { action, ..Decision::wait(AskAgain::OnNews) })
    }

    fn note_delay(&mut self, delay: GameTime) {
        self.note(format!("delay {delay}"));
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.note(format!("end {:?}", outcome.goal));
    }
}

/// Red at a table where one unit of time lasts ten seconds.
struct Table {
    seat: SeatInTime,
    notes: Notes,
    hand: Arc<Hand>,
}

impl Table {
    fn new(rules: &str) -> Self {
        let checked = load(Arc::new(Source::new("numbers.gdl", rules)), &LoadOptions::default());
        let rules = timed_rules(checked, Engine::Rules, &Budget::unlimited(), &Budget::unlimited()).unwrap();
        let notes = Notes::default();
        let player = Box::new(Writer { notes: notes.clone(), seat: None });
        let tempo = Tempo { unit: Duration::from_secs(10), margin: Duration::from_secs(1) };
        let hand = Arc::new(Hand::default());
        let here: Arc<dyn Clock> = hand.clone();
        let mut seat = SeatInTime::new(&rules, "red", player, tempo, (&here, &Budget::unlimited())).unwrap();
        seat.prepare(&Budget::unlimited());
        let mut table = Self { seat, notes, hand };
        assert_eq!(table.heard(), ["ready"]);
        table.set(1_000);
        table.hear("0", News::Nothing);
        table
    }

    fn set(&mut self, milliseconds: u64) {
        self.hand.0.store(milliseconds, Ordering::Relaxed);
    }

    /// A message comes now.
    fn hear(&mut self, time: &str, news: News) {
        self.seat.hear(self.seat.now(), GameTime::parse(time).unwrap(), &news);
    }

    /// What the player heard and was asked since this was asked last.
    fn heard(&mut self) -> Vec<String> {
        std::mem::take(&mut lock(&self.notes.heard))
    }

    /// The player makes a move as soon as it is asked.
    fn plan(&mut self, action: &'static str) {
        lock(&self.notes.moves).push_back(action);
    }

    /// Does what is due now.
    fn go_on(&mut self) -> Option<String> {
        let is_due = self.seat.next_wake().is_some_and(|wake| wake <= self.seat.now());
        if is_due { self.seat.go_on(&Budget::unlimited()) } else { None }
    }
}

fn moves(red: Option<&str>, blue: Option<&str>) -> News {
    News::Moves([red, blue].map(|made| made.map(str::to_owned)).to_vec().into())
}

fn seen(turn: u32, own: Option<&str>, percept: Option<&str>) -> News {
    let percepts = percept.map(|percept| vec![percept.to_owned()]);
    News::Percepts { turn, action: own.map(str::to_owned), percepts }
}

#[test]
fn the_player_hears_everything_in_order() {
    let mut table = Table::new(NUMBERS);
    table.set(22_000);
    table.hear("2", moves(None, Some("(say 2)")));
    assert_eq!(table.heard(), ["2 1:say(2)"]);
    table.hear("1", moves(None, Some("(say 1)")));
    assert_eq!(table.heard(), ["ready", "1 1:say(1)", "2 1:say(2)"], "it begins anew");
    table.hear("1", moves(None, Some("(say 1)")));
    table.hear("2", moves(None, Some("(say 3)")));
    table.hear("2.5", News::Nothing);
    assert!(
        table.heard().is_empty(),
        "what comes twice is known, and of two that differ the first one counts"
    );
    let state = table.seat.follower.with(|timeline| timeline.state().facts().len()).unwrap();
    assert_eq!(state, 2, "the bell and what blue said");
}

#[test]
fn the_player_is_asked_at_the_time_that_the_fastest_message_told() {
    let mut table = Table::new(NUMBERS);
    table.plan("say(1)");
    table.set(11_000);
    assert_eq!(table.go_on().as_deref(), Some("(say 1)"));
    assert_eq!(table.heard(), ["asked at 1"]);
    assert_eq!(table.go_on(), None, "it waits for news");
    table.plan("say(2)");
    table.set(12_000);
    table.hear("1.2", moves(Some("(say 1)"), None));
    assert_eq!(table.heard(), ["1.2 0:say(1)", "delay 0.2"]);
    assert_eq!(table.go_on().as_deref(), Some("(say 2)"));
    assert_eq!(table.heard(), ["asked at 1.2"], "the first message was slow");
}

#[test]
fn refused_moves_are_told_from_greetings() {
    let mut table = Table::new(NUMBERS);
    table.hear("0", News::Nothing);
    table.plan("say(1)");
    assert!(table.go_on().is_some());
    table.hear("0.1", News::Nothing);
    assert_eq!(table.heard(), ["asked at 0", "0.1 refused say(1)"]);
    table.hear("0.1", News::Nothing);
    table.hear("0.2", News::Nothing);
    assert!(table.heard().is_empty(), "it came twice, and there is none that it could be about");
}

/// Two moves, and what became of the second one is told first.
#[test]
fn after_an_overtaken_message_nothing_is_decided_before_moves_are_settled() {
    let mut table = Table::new(NUMBERS);
    table.plan("say(1)");
    assert!(table.go_on().is_some());
    table.hear("0.2", moves(None, Some("(say 2)")));
    table.heard();
    table.plan("say(3)");
    table.hear("0.1", moves(None, Some("(say 1)")));
    assert_eq!(table.heard(), ["ready", "0.1 1:say(1)", "0.2 1:say(2)"]);
    assert_eq!(table.go_on(), None, "the first move is on its way");
    table.hear("0.3", moves(Some("(say 1)"), None));
    assert_eq!(table.go_on().as_deref(), Some("(say 3)"));
}

#[test]
fn the_clock_of_a_manager_may_stand_still() {
    let mut table = Table::new(NUMBERS);
    table.hear("1", moves(None, Some("(say 1)")));
    table.plan("say(1)");
    assert!(table.go_on().is_some());
    table.heard();
    table.plan("say(2)");
    table.set(121_000);
    // It would be 13, and the manager goes on at 3.
    table.hear("3", News::Nothing);
    assert_eq!(
        table.heard(),
        ["ready", "1 1:say(1)"],
        "the move is lost, and nobody says that it was refused"
    );
    assert!(table.go_on().is_some());
    assert_eq!(table.heard(), ["asked at 3"]);
}

#[test]
fn a_move_of_which_nothing_is_heard_is_lost() {
    let mut table = Table::new(NUMBERS);
    table.plan("say(1)");
    table.go_on();
    table.heard();
    table.plan("say(2)");
    // One unit and five seconds.
    table.set(15_999);
    assert_eq!(table.go_on(), None);
    table.set(16_000);
    assert_eq!(table.go_on().as_deref(), Some("(say 2)"));
    assert_eq!(table.heard(), ["1.5 refused say(1)", "asked at 1.5"]);
    table.set(40_000);
    assert_eq!(table.go_on(), None, "this one waits for a message, and is not lost");
    assert_eq!(table.heard(), Vec::<String>::new());
}

#[test]
fn of_what_is_seen_a_gap_is_passed_over_after_a_while() {
    let mut table = Table::new(&format!("{NUMBERS}{WHISPERS}"));
    table.hear("1", seen(1, None, Some("1")));
    table.hear("3", seen(3, Some("(say 2)"), None));
    assert_eq!(table.heard(), [r#"1  ["1"]"#]);
    table.set(1_999);
    table.go_on();
    assert!(table.heard().is_empty());
    table.set(2_000);
    table.go_on();
    assert_eq!(table.heard(), ["3 say(2) []"]);
    table.hear("2", seen(2, None, Some("2")));
    assert_eq!(table.heard(), ["ready", r#"1  ["1"]"#, r#"2  ["2"]"#, "3 say(2) []"]);
}

#[test]
fn the_end_is_told_with_its_worth() {
    let mut table = Table::new(NUMBERS);
    table.hear("5", moves(Some("(say 3)"), None));
    table.heard();
    let [before, end] =
        ["99", "100"].map(|time| Last::InTime { time: GameTime::parse(time).unwrap(), news: News::Nothing });
    let budget = Budget::unlimited();
    assert_eq!(table.seat.finish(Some(&before), &budget), None, "that is not the end");
    assert_eq!(table.seat.finish(Some(&end), &budget).as_deref(), Some("100"));
    assert_eq!(table.seat.finish(None, &budget), None);
    assert_eq!(table.heard(), ["end None", "end Some(100)", "end None"]);
}

#[test]
fn there_must_be_such_a_role() {
    let checked = load(Arc::new(Source::new("numbers.gdl", NUMBERS)), &LoadOptions::default());
    let rules = timed_rules(checked, Engine::Rules, &Budget::unlimited(), &Budget::unlimited()).unwrap();
    let here: Arc<dyn Clock> = Arc::new(Hand::default());
    let player = Box::new(Writer { notes: Notes::default(), seat: None });
    let tempo = Tempo { unit: Duration::from_secs(1), margin: Duration::ZERO };
    let made = SeatInTime::new(&rules, "green", player, tempo, (&here, &Budget::unlimited()));
    assert_eq!(made.err().unwrap(), "there is no role `green` to be played; there are red, blue");
}
