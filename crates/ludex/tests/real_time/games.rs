//! The six examples of the rtGDL paper, with its numbers.

use ludex::game::{Rng, RoleId, TimedMachine, TimedRuleMachine, Timeline, TimelineOptions};
use ludex::gdl::GameTime;
use ludex::library;
use ludex::{Game, GameOptions, LoadError};

use super::{Play, bundled, time};

#[test]
fn tic_tac_toe_has_one_unit_of_time_for_each_move() {
    let machine = bundled("timed-tic-tac-toe");
    let mut play = Play::of(&machine);
    play.act("0.4", "xplayer", "mark(2,2)");
    assert_eq!(
        (play.facts("control"), play.facts("2,2")),
        (vec!["1 control(oplayer)".to_owned()], vec!["infinity cell(2,2,xplayer)".to_owned()])
    );
    assert_eq!((play.legal("xplayer").len(), play.legal("oplayer").len()), (0, 8));
    play.advance("1.39").act("1.399999999", "oplayer", "mark(1,1)");
    play.act("1.5", "xplayer", "mark(1,2)").act("1.6", "oplayer", "mark(1,3)");
    play.act("2.5", "xplayer", "mark(3,2)");
    assert_eq!(play.result(), (true, vec![Some(100), Some(0)]));
    assert_eq!(play.times(), "0.4 1.399999999 1.5 1.6 2.5");
}

#[test]
fn whoever_is_late_at_tic_tac_toe_loses_at_once() {
    let machine = bundled("timed-tic-tac-toe");
    let mut play = Play::of(&machine);
    play.advance("0.999999999");
    assert!(!play.result().0);
    play.advance("1");
    assert_eq!(play.result(), (true, vec![Some(0), Some(100)]));
    assert_eq!(play.facts("blank").len(), 9, "blank cells are kept");

    // A move at the very moment when the time is over is too late.
    let mut play = Play::of(&machine);
    play.0.advance_before(time("1")).unwrap();
    play.act_now("xplayer", "mark(2,2)");
    assert_eq!((play.result(), play.facts("blank").len()), ((true, vec![Some(0), Some(100)]), 8));
}

#[test]
fn a_chess_clock_counts_all_moves_of_a_player() {
    let machine = bundled("chess-clock");
    let mut play = Play::of(&machine);
    assert_eq!(play.facts("clock"), ["120 clock"]);
    assert_eq!(play.facts("timer"), ["infinity timer(black,120)", "infinity timer(white,120)"]);
    play.act("30", "white", "take(1)");
    assert_eq!(play.facts("timer"), ["infinity timer(black,120)", "infinity timer(white,90)"]);
    play.act("50.5", "black", "take(3)");
    assert_eq!(play.facts("timer"), ["infinity timer(black,99.5)", "infinity timer(white,90)"]);
    assert_eq!(
        (play.facts("clock"), play.facts("control")),
        (vec!["90 clock".to_owned()], vec!["infinity control(white)".to_owned()])
    );
    play.advance("140.499999999");
    assert!(!play.0.is_over());
    play.advance("1000");
    assert_eq!((play.result(), play.0.now()), ((true, vec![Some(0), Some(100)]), time("140.5")));
    assert_eq!(play.facts("stones"), ["infinity stones(8)"]);
    // The last stone wins, however much time is left.
    let mut play = Play::of(&machine);
    for at in ["1", "2", "3", "4"] {
        play.act(at, if at == "1" || at == "3" { "white" } else { "black" }, "take(3)");
    }
    assert_eq!(play.result(), (true, vec![Some(0), Some(100)]));
}

#[test]
fn the_cheshire_cat_comes_and_goes() {
    let machine = bundled("cheshire-cat");
    let mut play = Play::of(&machine);
    play.advance("2");
    assert_eq!(play.facts("Cat"), ["2 disappear(cheshireCat)"]);
    assert_eq!(play.legal("alice"), ["stroke(cheshireCat)"]);
    play.advance("4.25");
    assert_eq!(
        (play.facts("Cat"), play.legal("alice").len()),
        (vec!["0.75 appear(cheshireCat)".to_owned()], 0)
    );
    play.advance("100");
    assert_eq!((play.times().as_str(), play.result()), ("1 4 5 8 8.5", (true, vec![Some(0)])));
    let mut play = Play::of(&machine);
    play.act("7.999999999", "alice", "stroke(cheshireCat)");
    assert_eq!(play.result(), (true, vec![Some(100)]));
}

#[test]
fn armour_is_there_again_after_its_time() {
    let machine = bundled("respawning-armor");
    let mut play = Play::of(&machine);
    play.act("0.5", "player", "go(2,3)").advance("1.5");
    assert_eq!(play.facts("ellow"), ["5.5 toRespawn(2,3,yellowArmor,5.5)"]);
    play.act("2", "player", "go(11,11)").advance("3");
    assert_eq!(play.facts("Armor"), ["4 toRespawn(2,3,yellowArmor,5.5)", "10 toRespawn(11,11,redArmor,10)"]);
    play.advance("6.999999999");
    assert_eq!(play.facts("onMap"), [""; 0]);
    play.advance("7");
    assert_eq!(play.facts("onMap"), ["infinity onMap(2,3,yellowArmor,5.5)"]);
    play.act("7", "player", "go(2,3)").advance("8");
    play.act("8", "player", "go(11,11)").advance("13");
    // Whoever stands where armour comes back takes it at the next update.
    assert_eq!(play.facts("onMap"), ["infinity onMap(11,11,redArmor,10)"]);
    assert_eq!(play.facts("taken"), ["infinity taken(3)"]);
    play.advance("30");
    assert_eq!(play.times(), "0.5 1.5 2 3 7 7 8 8 9 13 13.5");
    assert_eq!(play.result(), (true, vec![Some(100)]));
}

#[test]
fn the_xwing_moves_every_half_unit_of_time() {
    let machine = bundled("xwing");
    let mut play = Play::of(&machine);
    let mut at = |to: &str| play.advance(to).facts("space");
    assert_eq!(at("0.499999999"), ["infinity space(35,86,40,xwing)"]);
    assert_eq!(at("0.5"), ["infinity space(37,88,41,xwing)"]);
    assert_eq!(at("0.999999999"), ["infinity space(37,88,41,xwing)"]);
    assert_eq!(at("1"), ["infinity space(39,90,42,xwing)"]);
    assert_eq!(at("2.75"), ["infinity space(45,96,45,xwing)"]);
    play.act_now("gunner", "fire");
    assert_eq!(play.result(), (true, vec![Some(100)]));
    let mut play = Play::of(&machine);
    play.act("1.1", "gunner", "fire");
    assert_eq!(play.facts("refresh"), ["0.4 refresh"]);
    play.advance("10");
    assert_eq!((play.result(), play.0.now()), ((true, vec![Some(0)]), time("3.5")));
}

#[test]
fn buildings_take_their_time_and_cost_gold() {
    let machine = bundled("construction");
    let mut play = Play::of(&machine);
    assert_eq!(play.legal("player"), ["build(barracks)", "build(blacksmith)"]);
    play.act("0", "player", "build(barracks)");
    assert_eq!(play.facts("gold"), ["infinity gold(340)"]);
    assert_eq!(play.facts("underConstruction"), ["6 underConstruction(barracks)"]);
    play.act("0.5", "player", "build(blacksmith)");
    assert_eq!((play.facts("gold"), play.legal("player").len()), (vec!["infinity gold(200)".to_owned()], 0));
    assert_eq!(
        play.facts("underConstruction"),
        ["5.5 underConstruction(barracks)", "7 underConstruction(blacksmith)"]
    );
    play.advance("6");
    assert_eq!(play.facts("constructed"), ["infinity constructed(barracks)"]);
    play.advance("20");
    assert_eq!((play.times().as_str(), play.result()), ("0 0.5 6 7.5", (true, vec![Some(100)])));
    let mut play = Play::of(&machine);
    play.act("3.1", "player", "build(blacksmith)").advance("20");
    assert_eq!((play.times().as_str(), play.result()), ("3.1 10", (true, vec![Some(0)])));
}

/// Lets players move at random, at random times, and gives their goals.
fn play_at_random(machine: &TimedRuleMachine, seed: u64) -> Vec<Option<u32>> {
    let mut rng = Rng::from_seed(seed);
    let mut timeline =
        Timeline::new(machine, &TimelineOptions { seed, ..TimelineOptions::default() }).unwrap();
    let roles = (0..machine.roles().len() as u32).map(RoleId);
    let players: Vec<RoleId> = roles.filter(|&role| Some(role) != machine.random()).collect();
    while !timeline.is_over() {
        let wait = GameTime::from_units(rng.below(900_000_000)).unwrap();
        timeline.advance_to(timeline.now().checked_add(wait).unwrap()).unwrap();
        for &role in &players {
            if timeline.is_over() {
                break;
            }
            let legal = timeline.legal(role).unwrap();
            // Who waits sees more of the game.
            if rng.below(1 + seed % 8) > 0 {
                continue;
            }
            if let Some(&action) = rng.pick(legal) {
                timeline.submit(&[(role, action)]).unwrap();
            }
        }
    }
    players.iter().map(|&role| timeline.goal(role).unwrap()).collect()
}

#[test]
fn games_in_real_time_end_and_give_everybody_a_value() {
    for game in library::all().iter().filter(|game| game.dialect.is_timed()) {
        let machine = bundled(game.name);
        let mut best = 0;
        for seed in 0..64 {
            let goals = play_at_random(&machine, seed);
            assert!(goals.iter().all(Option::is_some), "{}: {goals:?}", game.name);
            assert_eq!(goals, play_at_random(&machine, seed), "one seed, one game");
            best = goals.into_iter().flatten().fold(best, u32::max);
        }
        assert!(best > 0, "{}", game.name);
    }
}

#[test]
fn what_goes_step_by_step_refuses_them() {
    let error = Game::bundled("xwing", &GameOptions::default()).unwrap_err();
    assert!(matches!(error, LoadError::Machine { .. }), "{error}");
    assert!(error.to_string().contains("a game in real time"), "{error}");
}
