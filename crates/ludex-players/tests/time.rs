//! What players do with time that is limited for all moves together, or costs something. Clocks tick when they are looked
//! at, so that nothing depends on how fast the machine is.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::matches::{Game, Ticks};
use ludex_game::Answer;
use ludex_players::{Player, Registry, Resources, Strategy, StrategyPlayer, TimeBank, TimeTerms, Turn};

/// What a strategy was given for a turn: what a second costs, and what was left of its budget.
type Given = Arc<Mutex<Vec<(f64, Option<Duration>)>>>;

/// Notes what time it has.
struct Noting(Given);

impl Strategy for Noting {
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        self.0.lock().unwrap().push((turn.time_cost, turn.budget.time_left()));
        turn.advise(turn.legal[0]);
        Ok(())
    }
}

fn bank(total: u64, increment: u64) -> TimeTerms {
    let [total, increment] = [total, increment].map(Duration::from_millis);
    TimeTerms { bank: Some(TimeBank { total, increment }), cost: 0.0 }
}

/// What a strategy gets in the first turn of tic-tac-toe, within so many ticks; nothing where it is not asked.
fn given(terms: &TimeTerms, ticks: u64) -> Option<(f64, Duration)> {
    let game = Game::bundled("gdl/tic-tac-toe.kif");
    let given = Given::default();
    let mut player = StrategyPlayer::new(Noting(Arc::clone(&given)), &Resources::from_seed(1));
    player.prepare(game.seat(0), &Ticks::budget(ticks)).unwrap();
    player.hear_time(terms);
    player.choose(&Ticks::budget(ticks)).unwrap();
    let first = given.lock().unwrap().first().copied();
    first.map(|(cost, left)| (cost, left.unwrap()))
}

#[test]
fn a_move_gets_an_even_share_of_what_is_left() {
    // The first player has five moves at most, and random games nearly so many.
    let share = given(&bank(100_000, 0), 1_000_000).unwrap().1;
    assert!((19..30).contains(&share.as_secs()), "{share:?}");
    // Increments of all steps to come belong to it.
    let more = given(&bank(100_000, 10_000), 1_000_000).unwrap().1;
    assert!(more > share + Duration::from_secs(8), "{more:?}");
    // The clock of the move is the limit.
    assert!(given(&bank(100_000, 0), 3_000).unwrap().1 <= Duration::from_secs(3));
    // Who has no time does not begin to search, and moves.
    assert_eq!(given(&bank(5, 0), 3_000), None);
}

#[test]
fn where_no_time_is_kept_the_clock_is_all() {
    let (cost, left) = given(&TimeTerms::default(), 3_000).unwrap();
    assert!(cost == 0.0 && left > Duration::from_millis(2_700), "{left:?}");
    let (cost, left) = given(&TimeTerms { bank: None, cost: 2.0 }, 3_000).unwrap();
    assert!(cost == 2.0 && left > Duration::from_millis(2_700), "{left:?}");
}

/// Both show a hand round after round, and get more for each that differs.
const ROUNDS: &str = "
    (role left) (role right) (init (round 1)) (init (won 0))
    (succ 0 1) (succ 1 2) (succ 2 3) (succ 3 4) (succ 4 5) (succ 5 6) (succ 6 7) (succ 7 8)
    (<= (legal ?r (show 1)) (role ?r)) (<= (legal ?r (show 2)) (role ?r))
    (<= (next (round ?n)) (true (round ?m)) (succ ?m ?n))
    (<= differ (does left (show 1)) (does right (show 2))) (<= differ (does left (show 2)) (does right (show 1)))
    (<= (next (won ?n)) differ (true (won ?m)) (succ ?m ?n))
    (<= (next (won ?m)) (not differ) (true (won ?m)))
    (<= terminal (true (round 8)))
    (<= (goal left 100) (true (won ?n)) (succ 3 ?n)) (<= (goal left 0) (not (true (won 4))))
    (<= (goal right 0) (true (won ?n)) (succ 3 ?n)) (<= (goal right 100) (not (true (won 4))))";

#[test]
fn plans_against_others_get_a_share_too() {
    let game = Game::from_rules(ROUNDS);
    let used = |terms: Option<TimeTerms>| {
        let mut player =
            Registry::default().create("adaptive:courses=1000000", &Resources::from_seed(1)).unwrap();
        player.prepare(game.seat(0), &Ticks::budget(20_000)).unwrap();
        if let Some(terms) = terms {
            player.hear_time(&terms);
        }
        let budget = Ticks::budget(60_000);
        player.choose(&budget).unwrap();
        60_000 - budget.time_left().unwrap().as_millis() as u64
    };
    // Seven choices are to come. Without a plan the base player gets all of the share.
    let used_of_bank = used(Some(bank(60_000, 0)));
    assert!(used_of_bank < 12_000, "{used_of_bank}");
    assert!(used(None) > 2 * used_of_bank, "the clock is all where nothing is kept");
}
