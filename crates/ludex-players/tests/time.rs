//! What players do with time that is limited for all moves together, or costs something. Clocks tick when they are looked
//! at, so that nothing depends on how fast the machine is.

use std::sync::Arc;
use std::sync::Mutex;
use std::time::Duration;

use crate::matches::{Game, Ticks};
use ludex_game::Answer;
use ludex_players::{
    Allotment, Player, Resources, Strategy, StrategyPlayer, TimeBank, TimeTerms, Turn, create,
};

/// What a strategy was given for a turn: what was allotted, and what was left of its budget.
type Given = Arc<Mutex<Vec<(Option<Allotment>, Option<Duration>)>>>;

/// Notes what time it has.
struct Noting(Given);

impl Strategy for Noting {
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        self.0.lock().unwrap().push((turn.allotment, turn.budget.time_left()));
        turn.advise(turn.legal[0]);
        Ok(())
    }
}

fn bank(total: u64, increment: u64) -> TimeTerms {
    let [total, increment] = [total, increment].map(Duration::from_millis);
    TimeTerms { bank: Some(TimeBank { total, increment }), cost: 0.0 }
}

/// What a strategy gets in the first turn of a game, within so many ticks.
fn given(file: &str, terms: &TimeTerms, ticks: u64) -> (Option<Allotment>, Duration) {
    let game = Game::bundled(file);
    let given = Given::default();
    let mut player = StrategyPlayer::new(Noting(Arc::clone(&given)), &Resources::from_seed(1));
    player.prepare(game.seat(0), &Ticks::budget(ticks)).unwrap();
    player.hear_time(terms);
    player.choose(&Ticks::budget(ticks)).unwrap();
    let (allotment, left) = given.lock().unwrap()[0];
    (allotment, left.unwrap())
}

#[test]
fn a_move_gets_an_even_share_of_what_is_left() {
    // Tic-tac-toe has five moves of the first player at most, and random games nearly so many.
    let (allotment, left) = given("gdl/tic-tac-toe.kif", &bank(100_000, 0), 1_000_000);
    let Allotment { usual, most, cost } = allotment.unwrap();
    assert!((20..30).contains(&usual.as_secs()), "{usual:?}");
    assert!(most > usual && most.as_secs() <= 35 && cost == 0.0, "{most:?}");
    assert!(left <= usual && left + Duration::from_secs(1) > usual, "that is the deadline: {left:?}");
    // Increments of all steps to come belong to it.
    let (allotment, _) = given("gdl/tic-tac-toe.kif", &bank(100_000, 10_000), 1_000_000);
    assert!(allotment.unwrap().usual > usual + Duration::from_secs(8));
    // The clock of the move is the limit.
    let (allotment, left) = given("gdl/tic-tac-toe.kif", &bank(100_000, 0), 3_000);
    assert!(allotment.unwrap().most <= Duration::from_secs(3) && left <= Duration::from_secs(3));
}

#[test]
fn where_time_is_worth_nothing_else_the_clock_is_all() {
    let (allotment, left) = given("gdl/tic-tac-toe.kif", &TimeTerms::default(), 3_000);
    assert_eq!(allotment, None);
    assert!(left > Duration::from_millis(2_700));
    let costly = TimeTerms { bank: None, cost: 2.0 };
    let allotment = given("gdl/tic-tac-toe.kif", &costly, 3_000).0.unwrap();
    assert_eq!((allotment.cost, allotment.usual), (2.0, allotment.most));
}

/// How many leaves a player looks at for the first move of connect four, where time is worth so much.
fn leaves(player: &str, terms: &TimeTerms) -> u64 {
    let game = Game::bundled("gdl/connect-four.kif");
    let mut player = create(player, &Resources::from_seed(1)).unwrap();
    player.prepare(game.seat(0), &Ticks::budget(2_000)).unwrap();
    player.hear_time(terms);
    let choice = player.choose(&Ticks::budget(60_000)).unwrap();
    choice.report.entry("leaves").unwrap().parse().unwrap()
}

#[test]
fn the_tournament_player_thinks_no_longer_than_it_pays() {
    let free = leaves("ludex", &TimeTerms::default());
    let of = |cost: f64| leaves("ludex", &TimeTerms { bank: None, cost });
    let (cheap, dear) = (of(0.01), of(100.0));
    assert!(dear < cheap && 10 * dear < free, "{dear} {cheap} {free}");
    assert!(dear > 0, "it looks at the game nevertheless");
    let even = leaves("ludex:time=even", &TimeTerms { bank: None, cost: 100.0 });
    assert!(2 * even > free, "{even} {free}");
}

#[test]
fn what_is_solved_is_answered_at_once_where_time_costs() {
    // Tic-tac-toe is drawn, which is soon proved; after that it is searched for what the other may get wrong.
    let left = |cost: f64| {
        let game = Game::bundled("gdl/tic-tac-toe.kif");
        let mut player = create("ludex", &Resources::from_seed(1)).unwrap();
        player.prepare(game.seat(0), &Ticks::budget(20_000)).unwrap();
        player.hear_time(&TimeTerms { bank: None, cost });
        let budget = Ticks::budget(1_000_000);
        player.choose(&budget).unwrap();
        budget.time_left().unwrap().as_secs()
    };
    let (free, priced) = (left(0.0), left(1e-9));
    assert!(free < 100 && priced > 500, "{free} {priced}");
}
