//! Thinking on the time of others, and what records keep of it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ludex::logic::{Budget, Clock, LimitError};
use ludex::players::{self, Choice, MoveRating, News, Player, PlayerError, Report, Resources, Seat};
use ludex::{Game, GameOptions, MatchRecord, MatchSetup, Table, replay_match, verify_match};

/// A clock that a player can wind on.
#[derive(Default)]
struct Wound(AtomicU64);

impl Clock for Wound {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// Plays what another one plays, and says so.
struct Talker {
    player: Box<dyn Player>,
    seat: Option<Seat>,
    clock: Arc<Wound>,
    takes: u64,
    ponders: Arc<AtomicU64>,
}

/// Far more than a test takes, far less than for ever.
const PATIENCE: u64 = 20_000_000_000;

impl Player for Talker {
    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.seat = Some(seat.clone());
        self.player.prepare(seat, budget)
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        self.clock.0.fetch_add(self.takes, Ordering::Relaxed);
        let action = self.player.choose(budget)?.action;
        let rating = MoveRating { action, value: Some(100.0 / 3.0), visits: 7, proven: Some(50) };
        let report =
            Report { moves: vec![rating], variation: vec![vec![action, action]], ..Report::default() };
        Ok(Choice { action, report: report.with("depth", 3) })
    }

    fn observe(&mut self, news: &News) {
        self.player.observe(news);
    }

    fn ponder(&mut self, budget: &Budget) {
        let mut meter = budget.clone().with_work(PATIENCE).meter();
        let stopped = loop {
            if let Err(limit) = meter.spend(1) {
                break limit;
            }
        };
        assert_eq!(stopped, LimitError::Cancelled, "pondering ends with the other's answer");
        self.ponders.fetch_add(1, Ordering::Relaxed);
    }
}

fn talker(clock: &Arc<Wound>, takes: u64, ponders: &Arc<AtomicU64>, seed: u64) -> Box<dyn Player> {
    let player = players::create("random", &Resources::from_seed(seed)).unwrap();
    Box::new(Talker { player, seat: None, clock: Arc::clone(clock), takes, ponders: Arc::clone(ponders) })
}

fn play(pondering: bool, talk: bool) -> (MatchRecord, u64) {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    let clock = Arc::new(Wound::default());
    let ponders = Arc::new(AtomicU64::new(0));
    let seated = match talk {
        true => vec![talker(&clock, 70, &ponders, 1), talker(&clock, 5, &ponders, 2)],
        false => [1, 2].map(|s| players::create("random", &Resources::from_seed(s)).unwrap()).into(),
    };
    let setup = MatchSetup { seed: 3, play_clock: Some(Duration::from_secs(1)), ..MatchSetup::default() };
    let table = Table::new(&game, setup, seated, Some(clock), Budget::unlimited()).unwrap();
    let played = table.with_pondering(pondering).play().unwrap();
    (played.record(), ponders.load(Ordering::Relaxed))
}

#[test]
fn pondering_ends_when_the_other_one_has_answered() {
    let (record, ponders) = play(true, true);
    assert_eq!(ponders, 2 * record.moves.len() as u64, "each ponders whenever the other one is asked");
    assert!(record.is_completed && record.errors.iter().flatten().all(String::is_empty));
    let (quiet, none) = play(false, true);
    assert_eq!((quiet, none), (record, 0), "and nothing else is different");
}

/// A crowd would only take each other's time, and the system's threads.
#[test]
fn of_many_players_those_ponder_who_are_asked_next() {
    let mut rules: String =
        (0..40).map(|n| format!("role(r{n})\nlegal(r{n},wait)\ngoal(r{n},100)\n")).collect();
    rules.push_str(
        "base(on) base(off) init(on)\ninput(R,wait) :- role(R)\nnext(off) :- true(on)\nterminal :- true(off)",
    );
    let game = Game::parse("crowd", &rules, &GameOptions::default()).unwrap();
    let clock = Arc::new(Wound::default());
    let counts: Vec<Arc<AtomicU64>> = (0..40).map(|_| Arc::default()).collect();
    let seated = (0..).zip(&counts).map(|(seed, count)| talker(&clock, 0, count, seed)).collect();
    let table = Table::new(&game, MatchSetup::default(), seated, None, Budget::unlimited()).unwrap();
    table.with_pondering(true).play().unwrap();
    let pondered: Vec<u64> = counts.iter().map(|count| count.load(Ordering::Relaxed)).collect();
    assert_eq!(pondered, [16; 40]);
}

#[test]
fn players_that_do_not_ponder_play_as_before() {
    assert_eq!(play(true, false), play(false, false));
}

#[test]
fn times_are_those_of_the_player_who_was_asked() {
    let (record, _) = play(true, true);
    let times = record.move_times.unwrap();
    assert_eq!(times.len(), record.moves.len());
    assert!(times.iter().all(|step| *step == [Some(70), Some(5)]), "{times:?}");
}

#[test]
fn reports_come_back_from_records_and_do_no_harm() {
    let (record, _) = play(false, true);
    let report = record.reports.as_ref().unwrap()[0][0].clone().unwrap();
    assert_eq!(report.entries["depth"], "3");
    let rated = &report.moves[0];
    assert_eq!(rated.action, record.moves[0][0]);
    assert_eq!((rated.visits, rated.value, rated.proven), (7, Some(33.333), Some(50)));
    assert_eq!(report.variation, [[record.moves[0][0].clone(), record.moves[0][0].clone()]]);
    let again = MatchRecord::read(&record.write()).unwrap();
    assert_eq!(again, record);
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    assert_eq!(verify_match(game.rules(), &again).mismatches, []);
    assert_eq!(Some(replay_match(game.rules(), &again).unwrap().goals().unwrap()), record.goal_values);
}

#[test]
fn who_says_nothing_and_is_not_timed_leaves_no_trace() {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    let seated = [1, 2].map(|s| players::create("random", &Resources::from_seed(s)).unwrap()).into();
    let record = Table::new(&game, MatchSetup::default(), seated, None, Budget::unlimited())
        .unwrap()
        .play()
        .unwrap()
        .record();
    assert_eq!((record.reports.clone(), record.move_times.clone()), (None, None));
    assert!(!record.write().contains("moveTimes") && !record.write().contains("reports"));
}
