//! Whole matches over sockets, with a tiny manager.

use std::io::Write;
use std::net::SocketAddr;
use std::time::Duration;

use ludex::matches::{Match, MatchSetup};
use ludex::{Game, GameOptions};
use ludex_server::player::PlayerOptions;

use super::wire::{ask, begin, connect, message, now, read_all, rules, service};

/// Plays a match: everybody is asked in turn, and makes the moves they answer.
fn play(id: &str, name: &str, clocks: &str, players: &[SocketAddr]) -> Match {
    let game = Game::bundled(name, &GameOptions { hasty: true, ..GameOptions::default() }).unwrap();
    let rules = rules(name);
    let seats = game.seats();
    for (role, &player) in seats.iter().zip(players) {
        let role = game.role_name(*role);
        assert_eq!(ask(player, &format!("(START {id} {role} ({rules}) {clocks})")), "READY");
    }
    let mut referee = Match::new(game.rules().clone(), MatchSetup { seed: 1, ..Default::default() }).unwrap();
    let mut turn = 0;
    let told = |referee: &Match, role, turn: u32| match referee.told(role) {
        None if game.random_role().is_some() => "0 NIL ()".to_owned(),
        None => "NIL".to_owned(),
        Some(ludex::matches::Told::Joint(joint)) => format!("({})", game.texts(&joint).join(" ")),
        Some(ludex::matches::Told::Percepts { action, percepts }) => {
            format!("{turn} {} ({})", game.text(action), game.texts(&percepts).join(" "))
        }
    };
    while !referee.is_over() {
        let mut replies = vec![Err(ludex::Fault::Timeout); game.roles().len()];
        for (&role, &player) in seats.iter().zip(players) {
            let answer = ask(player, &format!("(PLAY {id} {})", told(&referee, role, turn)));
            replies[role.index()] = game.read_term(&answer).map_err(|_| ludex::Fault::Illegal(answer));
        }
        let step = referee.submit(&replies, None).unwrap().unwrap();
        assert!(step.faults.iter().all(Option::is_none), "{:?}", step.faults);
        turn += 1;
    }
    for (&role, &player) in seats.iter().zip(players) {
        assert_eq!(ask(player, &format!("(STOP {id} {})", told(&referee, role, turn))), "DONE");
    }
    referee
}

#[test]
fn a_match_of_tic_tac_toe() {
    let (first, second) = (service("uct:playouts=50"), service("random"));
    let referee = play("m1", "tic-tac-toe", "1 1", &[first.address(), second.address()]);
    assert!(referee.steps().len() >= 5);
    super::wire::is_well(first.address());
}

#[test]
fn a_match_of_blind_tic_tac_toe() {
    let (first, second) = (service("random"), service("uct:playouts=20"));
    let referee = play("m2", "blind-tic-tac-toe", "1 1", &[first.address(), second.address()]);
    assert!(!referee.steps().is_empty());
}

#[test]
fn several_matches_at_once() {
    let (first, second) = (service("random"), service("legal"));
    let players = [first.address(), second.address()];
    std::thread::scope(|scope| {
        for (number, game) in ["nim", "tic-tac-toe", "race", "nim"].into_iter().enumerate() {
            scope.spawn(move || play(&format!("m{number}"), game, "2 1", &players));
        }
    });
    assert_eq!(ask(players[0], "(info)"), super::wire::INFO);
}

#[test]
fn the_clock_is_kept_by_a_player_that_thinks_for_ever() {
    let player = service("ludex");
    let address = player.address();
    let rules = rules("breakthrough");
    assert_eq!(ask(address, &format!("(start m white ({rules}) 1 5)")), "ready");
    let started = now();
    let answer = ask(address, "(play m nil)");
    let took = started.elapsed();
    // That it comes before the clock is over, to the millisecond, is tried where time is simulated.
    assert!(took > Duration::from_millis(500), "{took:?}");
    assert!(answer.starts_with("(move "), "{answer}");
    assert_eq!(ask(address, &format!("(play m ({answer} noop))")), "noop", "there is no choice");
    assert_eq!(ask(address, "(abort m)"), "done");
}

#[test]
fn the_clock_runs_from_the_first_byte() {
    let player = service("ludex");
    let address = player.address();
    ask(address, &format!("(start m red ({}) 1 10)", rules("connect-four")));
    let mut stream = connect(address);
    let text = message("(play m nil)");
    stream.write_all(&text[..20]).unwrap();
    std::thread::sleep(Duration::from_millis(9_000));
    let started = now();
    stream.write_all(&text[20..]).unwrap();
    let answer = read_all(&mut stream);
    // A second is left of ten, and nine more for a machine that is busy.
    assert!(started.elapsed() < Duration::from_millis(9_500), "{:?}: {answer}", started.elapsed());
}

#[test]
fn a_player_that_ponders_is_there_when_it_is_asked() {
    let mut options = PlayerOptions { ponder: true, ..PlayerOptions::default() };
    options.resources.memory = 64 << 20;
    let player = begin(options);
    let address = player.address();
    assert_eq!(ask(address, &format!("(start m white ({}) 1 1)", rules("tic-tac-toe"))), "ready");
    ask(address, "(play m nil)");
    std::thread::sleep(Duration::from_millis(100));
    assert_eq!(ask(address, "(stop m ((mark 1 1) noop))"), "done");
    drop(player);
}

/// A manager that lost an answer sends its message again.
#[test]
fn a_message_that_comes_again_gets_the_same_answer() {
    let player = service("random");
    let address = player.address();
    ask(address, &format!("(start m white ({}) 1 1)", rules("tic-tac-toe")));
    let first = ask(address, "(play m nil)");
    assert_eq!(ask(address, "(play m nil)"), first);
    let second = ask(address, &format!("(play m ({first} noop))"));
    assert_eq!(second, "noop");
    assert_eq!(ask(address, &format!("(play m ({first} noop))")), "noop", "it cannot be made again");
    let third = ask(address, "(play m (noop (mark 9 9)))");
    assert!(third == "noop" || third.starts_with("(mark "), "whatever it is told: {third}");
}

#[test]
fn both_notations_are_spoken() {
    let player = service("legal");
    let address = player.address();
    let rules = ludex::library::find_in("tic-tac-toe", ludex::gdl::Notation::Infix).unwrap().text;
    let lines = rules.lines().map(|line| line.split('%').next().unwrap_or_default());
    let rules = lines.collect::<Vec<_>>().join("\n");
    assert_eq!(ask(address, &format!("start(m,white,[{rules}],1,1)")), "ready");
    assert_eq!(ask(address, "play(m,nil)"), "mark(1,1)");
    assert_eq!(ask(address, "play(m,[mark(1,1),noop])"), "noop");
    assert_eq!(ask(address, "stop(m,[noop,mark(2,2)])"), "done");
}

#[test]
fn the_end_of_the_service_answers_those_who_wait() {
    let player = service("ludex");
    let address = player.address();
    ask(address, &format!("(start m red ({}) 1 600)", rules("connect-four")));
    let waiting = std::thread::spawn(move || {
        let mut stream = connect(address);
        stream.write_all(&message("(play m nil)")).unwrap();
        read_all(&mut stream)
    });
    std::thread::sleep(Duration::from_millis(300));
    drop(player);
    let answer = waiting.join().unwrap();
    assert!(super::wire::body(&answer).starts_with("(drop "), "{answer}");
}
