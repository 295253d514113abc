//! Matches whose players are told no rules, over sockets.

use ludex::Game;
use ludex::matches::message::Given;
use ludex::matches::records::records_text;
use ludex::matches::referee::{Referee, RefereeSetup};
use ludex::{GameOptions, MatchStatus};
use ludex_server::driver::{Driver, DriverOptions};
use ludex_server::journal::NoJournal;

use super::wire::{ask, is_well, service};
use crate::network::{job, milliseconds, over_http, rules, setup};

const LAMP: &str = "((role robot) (action robot press) (action robot wait) (percept (true (lamp on))))";

#[test]
fn a_player_without_rules_does_what_it_can_and_is_told_what_it_did() {
    let player = service("random");
    let address = player.address();
    assert_eq!(ask(address, &format!("(BLIND m1 robot {LAMP} 2 2)")), "READY");
    assert_eq!(ask(address, &format!("(BLIND m1 robot {LAMP} 2 2)")), "READY", "it came again");
    let first = ask(address, "(PLAY m1 0 NIL ((utility 0)))");
    assert!(["press", "wait"].contains(&first.as_str()), "{first}");
    assert_eq!(ask(address, "(PLAY m1 0 NIL ((utility 0)))"), first, "it came again");
    for turn in 1..10 {
        let answer = ask(address, &format!("(PLAY m1 {turn} press ((true (lamp on)) (utility 50)))"));
        assert!(["press", "wait"].contains(&answer.as_str()), "{answer}");
    }
    // Messages are missing, and what it is told is nothing it could have known.
    let answer = ask(address, "(PLAY m1 20 jump ((sees (a b)) (utility much)))");
    assert!(["press", "wait"].contains(&answer.as_str()), "{answer}");
    assert_eq!(ask(address, "(STOP m1 21 press ((utility 100)))"), "DONE");
    is_well(address);
}

#[test]
fn any_strategy_plays_without_rules() {
    let player = service("uct:playouts=10");
    let text = "blind(m1,robot,[role(robot),action(robot,press)],2,2)";
    assert_eq!(ask(player.address(), text), "ready");
    assert_eq!(ask(player.address(), "play(m1,0,nil,[])"), "press");
}

#[test]
fn what_is_no_game_is_refused() {
    let player = service("random");
    for told in [
        "()",
        "NIL",
        "((role king) (action king wait))",
        "((role robot))",
        "((role robot) (action robot press) (legal robot press))",
        "((role robot) (action king press))",
    ] {
        assert_eq!(ask(player.address(), &format!("(BLIND m1 robot {told} 2 2)")), "BUSY", "{told}");
    }
    for records in [
        "()",
        "((match (roles robot)))",
        "((match (roles robot) (step (facts a))))",
        "((match (roles king) (step (state a) (moves x)) (step (state b) terminal)))",
        "(nothing)",
    ] {
        assert_eq!(ask(player.address(), &format!("(LEARN m1 robot {records} 2 2)")), "BUSY", "{records}");
    }
    is_well(player.address());
}

#[test]
fn a_match_of_players_without_rules_and_with() {
    let (blind, knowing) = (service("random"), service("uct:playouts=30"));
    let mut agreed = setup("m1", milliseconds(5_000));
    agreed.seats[0].given = Given::Structure;
    agreed.seats[0].scramble = Some(5);
    let players = [&blind, &knowing].map(|player| over_http(&player.address().to_string()));
    let driver = Driver::start(Box::new(NoJournal), DriverOptions::default()).unwrap();
    let mut referee = Referee::new(rules("tic-tac-toe"), agreed).unwrap();
    for number in 0..3 {
        referee = *driver.run(job(referee, players.to_vec())).wait().unwrap();
        assert_eq!(*referee.status(), MatchStatus::Completed);
        let faults: Vec<String> = referee.record().errors.into_iter().flatten().collect();
        assert!(faults.iter().all(|fault| fault.is_empty() || fault.starts_with("IL ")), "{faults:?}");
        referee = referee.another(format!("m{}", number + 2), number, None).unwrap();
    }
}

#[test]
fn a_player_learns_from_records_and_plays() {
    let game =
        Game::bundled("buttons-and-lights", &GameOptions { hasty: true, ..GameOptions::default() }).unwrap();
    let records = game.rules().record_playouts(10, 1, 100).unwrap();
    let records = Some(records_text(&[records]));
    let mut agreed = RefereeSetup { records, ..setup("m1", milliseconds(60_000)) };
    agreed.seats.truncate(1);
    agreed.seats[0].given = Given::Records;
    let player = service("uct:playouts=50");
    let seated = vec![over_http(&player.address().to_string())];
    let driver = Driver::start(Box::new(NoJournal), DriverOptions::default()).unwrap();
    let referee = Referee::new(game.rules().clone(), agreed).unwrap();
    let referee = driver.run(job(referee, seated)).wait().unwrap();
    assert_eq!(*referee.status(), MatchStatus::Completed);
    let errors: Vec<String> = referee.record().errors.into_iter().flatten().collect();
    assert!(errors.iter().all(String::is_empty), "{errors:?}");
}

#[test]
fn records_that_contradict_each_other_are_no_end() {
    let player = service("random");
    let one =
        "(match (roles a) (step (state (lamp off)) (legal a x) (moves x)) (step (state (lamp on)) terminal))";
    let two = "(match (roles a) (step (state (lamp off)) (legal a y) (moves x)) (step (state (lamp off))))";
    let answer = ask(player.address(), &format!("(LEARN m1 a ({one} {two}) 5 5)"));
    assert!(["READY", "BUSY"].contains(&answer.as_str()), "{answer}");
    if answer == "READY" {
        let chosen = ask(player.address(), "(PLAY m1 NIL)");
        assert!(!chosen.is_empty());
        ask(player.address(), "(PLAY m1 (y))");
        ask(player.address(), "(PLAY m1 (z))");
        assert_eq!(ask(player.address(), "(STOP m1 (x))"), "DONE");
    }
    is_well(player.address());
}
