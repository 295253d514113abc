//! Matches in which the time of all moves is limited, or costs something.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use ludex::game::{TimeBank, TimeTerms};
use ludex::players::{Belief, BeliefOptions, Choice, News, Player, PlayerError, Report, Seat};
use ludex::{Game, GameOptions, Match, MatchSetup, Table};
use ludex_logic::{Budget, Clock};

/// A clock that a player can wind on.
#[derive(Default)]
struct Wound(AtomicU64);

impl Clock for Wound {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// What a player heard before each move, and how much time it had for it.
type Heard = Arc<Mutex<Vec<(TimeTerms, Option<Duration>)>>>;

/// Makes its first legal move after so many milliseconds.
struct Ponderous {
    clock: Arc<Wound>,
    takes: u64,
    belief: Option<Belief>,
    time: TimeTerms,
    heard: Heard,
}

impl Player for Ponderous {
    fn prepare(&mut self, seat: Seat, _: &Budget) -> Result<(), PlayerError> {
        self.belief = Some(seat.belief(BeliefOptions::default()));
        Ok(())
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.time = *terms;
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        self.heard.lock().unwrap().push((self.time, budget.time_left()));
        let belief = self.belief.as_mut().ok_or(PlayerError::NotPrepared)?;
        let action = belief.legal_in_all(&Budget::unlimited())?[0];
        self.clock.0.fetch_add(self.takes, Ordering::Relaxed);
        Ok(Choice { action, report: Report::default() })
    }

    fn observe(&mut self, news: &News) {
        if let Some(belief) = &mut self.belief {
            belief.observe(news);
        }
    }
}

/// A match of nim between players who take so many milliseconds for each step, and what they heard.
fn played(setup: MatchSetup, takes: [u64; 2]) -> (Match, [Heard; 2]) {
    let game = Game::bundled("nim", &GameOptions::default()).unwrap();
    let clock = Arc::new(Wound::default());
    let heard = [Heard::default(), Heard::default()];
    let seated = takes.iter().zip(&heard).map(|(&takes, heard)| {
        let (clock, heard) = (Arc::clone(&clock), Arc::clone(heard));
        let time = TimeTerms::default();
        Box::new(Ponderous { clock, takes, belief: None, time, heard }) as Box<dyn Player>
    });
    let table = Table::new(&game, setup, seated.collect(), Some(clock), Budget::unlimited());
    (table.unwrap().play().unwrap(), heard)
}

const fn milliseconds(milliseconds: u64) -> Duration {
    Duration::from_millis(milliseconds)
}

#[test]
fn a_bank_is_what_is_left_for_all_moves() {
    let bank = TimeBank { total: milliseconds(1_000), increment: milliseconds(50) };
    let setup =
        MatchSetup { play_clock: Some(milliseconds(500)), bank: Some(bank), seed: 1, ..Default::default() };
    let (course, [white, _]) = played(setup, [200, 10]);
    let white = white.lock().unwrap();
    let left: Vec<u64> = white.iter().map(|(time, _)| time.bank.unwrap().total.as_millis() as u64).collect();
    assert_eq!(left[..5], [1_000, 850, 700, 550, 400]);
    let limits: Vec<u64> = white.iter().map(|(_, left)| left.unwrap().as_millis() as u64).collect();
    assert_eq!(limits[..5], [500, 500, 500, 500, 400], "the clock of the move is the limit nevertheless");
    // Who has less than it takes is late, and then has what is added after each move.
    let record = course.record();
    assert_eq!((left[5], left[6], left[7]), (250, 100, 50));
    let faults: Vec<&str> = record.errors.iter().map(|of_step| of_step[0].as_str()).collect();
    assert_eq!(faults[1..9], ["", "", "", "", "", "", "TO", "TO"]);
    assert!(record.errors.iter().all(|of_step| of_step[1].is_empty()));
    assert_eq!(
        (record.time_bank, record.time_increment, record.time_cost),
        (Some(milliseconds(1_000)), Some(milliseconds(50)), None)
    );
}

#[test]
fn time_that_costs_is_taken_off_the_goal() {
    let setup = MatchSetup { time_cost: Some(5.0), seed: 1, ..MatchSetup::default() };
    let (course, [white, _]) = played(setup.clone(), [100, 300]);
    let steps = course.steps().len() as f64;
    let goals: Vec<f64> = course.goals().iter().map(|goal| f64::from(goal.unwrap())).collect();
    let reward = |role: usize, seconds: f64| Some((goals[role] - 5.0 * seconds * steps).max(0.0));
    assert_eq!(course.rewards(), Some(vec![reward(0, 0.1), reward(1, 0.3)]));
    assert_eq!(course.record().rewards, course.rewards());
    let (heard, limit) = white.lock().unwrap()[0];
    assert_eq!((heard, limit), (TimeTerms { bank: None, cost: 5.0 }, None));
    // Where time is worth nothing, nothing is heard of it.
    let (course, [white, _]) = played(MatchSetup { time_cost: None, ..setup }, [100, 300]);
    assert_eq!((course.rewards(), white.lock().unwrap()[0].0), (None, TimeTerms::default()));
}
