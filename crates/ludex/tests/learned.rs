//! Playing by rules that were learned from records.

use ludex::game::Trace;
use ludex::learned::{
    LearnedError, LearnedGame, LearnedOptions, LearnedPlayer, LearnedPlayerAtTable, SeenMatch,
};
use ludex::logic::Budget;
use ludex::players::{Registry, Resources};
use ludex::{Game, GameOptions, MatchSetup, Table};

fn game(name: &str) -> Game {
    Game::bundled(name, &GameOptions { hasty: true, ..GameOptions::default() }).unwrap()
}

fn learned(records: Trace) -> LearnedGame {
    LearnedGame::learn(vec![records], LearnedOptions::default(), &Budget::unlimited()).unwrap()
}

fn player(learned: LearnedGame) -> LearnedPlayer {
    let make =
        || Registry::default().create("legal", &Resources::default()).map_err(|error| error.to_string());
    LearnedPlayer::with_learned(learned, Box::new(make))
}

/// A lamp with a button that switches it. In the third step, where it is off, one can also wait.
const LAMP: &str = "(role robot) (init (lamp off)) (init (step 1)) (succ 1 2) (succ 2 3) (succ 3 4)
    (switch on off) (switch off on) (legal robot press) (legal robot hold)
    (<= (legal robot wait) (true (step 3)) (true (lamp off)))
    (<= (next (lamp ?y)) (does robot press) (true (lamp ?x)) (switch ?x ?y))
    (<= (next (lamp ?x)) (true (lamp ?x)) (not (does robot press)))
    (<= (next (step ?y)) (true (step ?x)) (succ ?x ?y))
    (<= terminal (true (step 4))) (<= (goal robot 100) (true (lamp on))) (<= (goal robot 0) (true (lamp off)))";

#[test]
fn a_player_that_learned_plays_the_real_game() {
    let game = game("buttons-and-lights");
    let learned = learned(game.rules().record_playouts(10, 1, 100).unwrap());
    let setup = MatchSetup { seed: 3, ..MatchSetup::default() };
    let players = vec![Box::new(LearnedPlayerAtTable::new(player(learned))) as Box<_>];
    let mut table = Table::new(&game, setup, players, None, Budget::unlimited()).unwrap();
    table.prepare();
    while let Some(step) = table.step().unwrap() {
        assert_eq!(step.faults, [None]);
    }
    assert!(!table.referee().steps().is_empty());
}

#[test]
fn what_a_match_shows_is_learned() {
    let truth = Game::parse("lamp", LAMP, &GameOptions::default()).unwrap();
    let mut records = truth.rules().record_playouts(30, 1, 10).unwrap();
    // In none of the records the lamp was off in the third step.
    let has_waited = |playout: u32| {
        let third = records.steps.iter().find(|step| step.playout == playout && step.step == 2);
        third.is_some_and(|step| step.state.contains(&"(lamp off)".to_owned()))
    };
    let kept: Vec<u32> = (0..30).filter(|&playout| !has_waited(playout)).collect();
    records.steps.retain(|step| kept.contains(&step.playout));
    let mut learned = learned(records);
    assert!(!learned.rulesheet().contains("wait"), "{}", learned.rulesheet());
    let joints = [["hold"], ["hold"], ["wait"]].map(|joint| joint.map(str::to_owned).to_vec()).to_vec();
    let seen = SeenMatch { joints, ..SeenMatch::default() };
    let step = learned.contradiction(&seen).expect("by the rules nobody can wait");
    assert_eq!(step.legals.get("robot").map(Vec::len), Some(3));
    assert!(learned.correct(&seen, &Budget::unlimited()).unwrap());
    assert!(learned.rulesheet().contains("wait"), "{}", learned.rulesheet());
    assert!(learned.contradiction(&SeenMatch::default()).is_none(), "{}", learned.rulesheet());
}

#[test]
fn a_player_whose_rules_are_wrong_goes_on() {
    let truth = game("tic-tac-toe");
    // Two matches tell little.
    let learned = learned(truth.rules().record_playouts(2, 1, 100).unwrap());
    for seed in 0..3 {
        let learned = learned.clone();
        let other = Registry::default().create("random", &Resources::from_seed(seed)).unwrap();
        let setup = MatchSetup { seed, ..MatchSetup::default() };
        let players = vec![Box::new(LearnedPlayerAtTable::new(player(learned))) as Box<_>, other];
        let mut table = Table::new(&truth, setup, players, None, Budget::unlimited()).unwrap();
        table.prepare();
        while table.step().unwrap().is_some() {}
        assert!(table.referee().is_over());
    }
}

#[test]
fn records_of_nothing_are_refused() {
    let learn = |traces| LearnedGame::learn(traces, LearnedOptions::default(), &Budget::unlimited());
    assert!(matches!(learn(Vec::new()), Err(LearnedError::Observation(_))));
    let mut records = game("nim").rules().record_playouts(1, 1, 100).unwrap();
    records.steps.truncate(1);
    records.steps[0].joint = None;
    // One state that nothing follows.
    if let Ok(learned) = learn(vec![records]) {
        assert_eq!(learned.usual_move(ludex::game::RoleId(0)), None);
    }
}
