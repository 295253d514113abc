//! A manager: its library, its players, its matches.

use std::sync::Arc;
use std::time::Duration;

use ludex::matches::referee::SeatNumber;
use ludex::matches::view::Viewer;
use ludex_server::driver::{AddressPolicy, unix_milliseconds};
use ludex_server::manager::{GameLimits, Manager, ManagerError, ManagerOptions};
use ludex_server::model::{
    GameQuery, MatchPlan, MatchQuery, MatchStage, NewGame, PlayerKind, PlayerQuery, Presence, SeatPlan, Sides,
};
use ludex_server::store::SqliteStore;

use crate::manager_support::*;

fn new_game(name: &str, text: &str) -> NewGame {
    NewGame { name: name.to_owned(), text: text.to_owned(), ..NewGame::default() }
}

#[test]
fn a_rulesheet_with_errors_is_refused_with_all_findings() {
    let manager = manager();
    let text =
        "(role a)\n(init (p 1))\n(<= (legal a (m ?x)) (true (q ?y)))\n(<= terminal (not (true (p ?z))))";
    let Err(ManagerError::Rejected(check)) = manager.add_game(&new_game("bad", text)) else {
        panic!("it was taken");
    };
    assert!(!check.accepted);
    let lines: Vec<usize> =
        check.findings.iter().filter(|f| f.severity == "error").map(|f| f.place.line).collect();
    assert!(lines.contains(&3) && lines.contains(&4), "{check:?}");
    assert!(check.drawn.contains("(legal a (m ?x))"), "{}", check.drawn);
    assert!(matches!(manager.game("bad", None), Err(ManagerError::NotFound { what: "game", .. })));
    assert!(matches!(manager.add_game(&new_game("Bad name", text)), Err(ManagerError::Name { .. })));
    // Half a bracket is an error with a place, too.
    let check = manager.check_game("half", "(role a").unwrap();
    assert!(!check.accepted && check.findings[0].place.line == 1);
}

#[test]
fn a_game_has_versions_and_a_page() {
    let manager = manager();
    let text = ludex::library::find("nim").unwrap().text;
    let first = manager.add_game(&NewGame { title: "Nim".into(), ..new_game("nim", text) }).unwrap();
    let second = manager.add_game(&new_game("nim", &format!("{text}\n; again"))).unwrap();
    assert_ne!(first.sha256, second.sha256);
    let detail = manager.game("nim", None).unwrap();
    assert_eq!((detail.summary.version, detail.summary.versions), (second.sha256, 2));
    assert_eq!(detail.summary.title, "Nim");
    assert_eq!(manager.game("nim", Some(&first.sha256)).unwrap().text, text);
    let facts = manager.game_facts("tic-tac-toe", None).unwrap();
    assert_eq!(facts.roles, ["white", "black"]);
    assert_eq!((facts.initial_moves, facts.hidden), (vec![9, 1], false));
    assert!(facts.board_svg.starts_with("<svg") && !facts.board_text.is_empty());
    let query = GameQuery { text: "NIM".into(), ..GameQuery::default() };
    assert_eq!(manager.games(&query).unwrap().total, 1);
}

#[test]
fn a_game_that_is_too_heavy_takes_nobody_down() {
    let games = GameLimits { memory: 64 << 20, ..GameLimits::default() };
    let options = ManagerOptions { games, ..options() };
    let manager = Manager::start(Arc::new(SqliteStore::in_memory().unwrap()), options).unwrap();
    // More and more digits: there are billions of numbers.
    let digits: String = (0..10).map(|digit| format!("(d {digit})")).collect();
    let variables: Vec<String> = (0..10).map(|number| format!("?x{number}")).collect();
    let parts: String = variables.iter().map(|variable| format!("(d {variable})")).collect();
    let text = format!(
        "(role a) {digits} (<= (n {all}) {parts}) (<= (init (p {all})) (n {all})) (init (q 1))
         (<= (legal a go) (true (q 1))) (<= (next (q 1)) (true (q 1)))
         (<= terminal (true (q 2))) (goal a 100)",
        all = variables.join(" ")
    );
    match manager.add_game(&new_game("heavy", &text)) {
        Err(ManagerError::Rejected(check)) => assert!(check.heavy.is_some(), "{}", check.drawn),
        other => panic!("{other:?}"),
    }
    let long = "; ".repeat(GameLimits::default().text);
    assert!(matches!(manager.check_game("long", &long), Err(ManagerError::TooMany { .. })));
    add_bundled(&manager, "tic-tac-toe");
}

#[test]
fn bundled_games_are_there_from_the_start() {
    let store = Arc::new(SqliteStore::in_memory().unwrap());
    let manager = Manager::start(store.clone(), ManagerOptions::default()).unwrap();
    let count = manager.games(&GameQuery::default()).unwrap().total;
    let names: std::collections::BTreeSet<&str> = ludex::library::all().iter().map(|g| g.name).collect();
    assert_eq!(count as usize, names.len());
    let text = manager.game("nim", None).unwrap().text;
    manager.add_game(&new_game("nim", &format!("{text}\n; mine"))).unwrap();
    manager.shutdown(Duration::ZERO);
    assert!(matches!(manager.add_game(&new_game("nim", &text)), Err(ManagerError::Stopped)));
    drop(manager);
    let manager = Manager::start(store, ManagerOptions::default()).unwrap();
    assert!(manager.game("nim", None).unwrap().text.ends_with("; mine"), "what users did stays");
}

#[test]
fn players_are_registered_and_asked_whether_they_are_there() {
    let manager = manager();
    let service = service("legal");
    let player = manager.register_player("Alpha", &remote(&service)).unwrap();
    assert_eq!(player.name, "Alpha");
    let known = manager.ping_player("alpha").unwrap();
    assert_eq!((known.presence, known.failures), (Presence::Available, 0));
    assert!(matches!(
        manager.register_player("ALPHA", &PlayerKind::Person),
        Err(ManagerError::Exists { .. })
    ));
    for name in ["", "1st", "a b", "a\r\nX: y", "random", &"x".repeat(41)] {
        let refused = manager.register_player(name, &PlayerKind::Person);
        assert!(matches!(refused, Err(ManagerError::Name { .. })), "{name}");
    }
    // A port where nobody listens any more.
    let gone = remote(&service);
    drop(service);
    manager.edit_player("Alpha", &gone).unwrap();
    let known = manager.ping_player("Alpha").unwrap();
    assert_eq!(known.presence, Presence::Away);
    assert!(known.cause.is_some() && known.failures >= 1);
    let built_in = PlayerKind::BuiltIn { strategy: "ludex".into() };
    assert!(matches!(manager.register_player("Beta", &built_in), Err(ManagerError::Strategy(_))));
    manager.retire_player("Alpha").unwrap();
    assert_eq!(manager.players(&PlayerQuery::default()).unwrap().total, 0);
    manager.register_player("alpha", &PlayerKind::Person).unwrap();
}

#[test]
fn addresses_of_this_machine_are_refused_where_others_may_register_players() {
    let options = ManagerOptions { policy: AddressPolicy::PublicOnly, ..options() };
    let manager = Manager::start(Arc::new(SqliteStore::in_memory().unwrap()), options).unwrap();
    for address in ["127.0.0.1:80", "http://10.0.0.1", "[::1]:9147", "169.254.169.254"] {
        let kind = PlayerKind::Remote { address: address.into(), notation: Default::default() };
        assert!(matches!(manager.register_player("A", &kind), Err(ManagerError::Invalid(_))), "{address}");
    }
    // A name is found out when it is connected to.
    let service = service("legal");
    let address = format!("localhost:{}", service.address().port());
    manager.register_player("Alpha", &PlayerKind::Remote { address, notation: Default::default() }).unwrap();
    let known = manager.ping_player("Alpha").unwrap();
    assert!(known.cause.unwrap().contains("not a public address"));
}

#[test]
fn a_person_plays_against_a_program() {
    let manager = manager();
    let service = service("legal");
    manager.register_player("Program", &remote(&service)).unwrap();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["anna", "Program"], 20_000)).unwrap();
    let (seat, own) = (SeatNumber(0), Viewer::Seat(SeatNumber(0)));
    let mut news = manager.watch_match(&id).unwrap();
    let mut asked = None;
    loop {
        let view = wait("Anna's turn", || {
            let view = manager.match_view(&id, own).unwrap();
            let is_new = asked != Some(view.snapshot.steps.len());
            (view.stage.is_over() || view.awaited && is_new).then_some(view)
        });
        if view.stage.is_over() {
            break;
        }
        let step = view.snapshot.steps.len();
        asked = Some(step);
        assert!(view.own_moves.len() > 1, "nobody is asked who has no choice");
        assert!(view.board_svg.is_some() && view.snapshot.clocks[0].left.is_some());
        let refused = manager.submit_move(&id, seat, step, "(mark 9 9)");
        assert!(matches!(refused, Err(ManagerError::Move(_))), "{refused:?}");
        assert!(matches!(manager.submit_move(&id, seat, step + 1, "noop"), Err(ManagerError::Move(_))));
        assert!(matches!(manager.submit_move(&id, SeatNumber(1), step, "noop"), Err(ManagerError::Move(_))));
        let action = view.own_moves.last().unwrap().clone();
        // In the other notation, too.
        let written = if step == 0 { action.replace("(mark ", "mark(").replace(' ', ",") } else { action };
        manager.submit_move(&id, seat, step, &written).unwrap();
        let again = manager.submit_move(&id, seat, step, &written);
        assert!(matches!(again, Err(ManagerError::Move(_) | ManagerError::Over { .. })), "{again:?}");
    }
    let view = wait_for_end(&manager, &id);
    assert_eq!(view.stage, MatchStage::Completed);
    assert!(view.snapshot.is_completed && view.snapshot.steps.len() >= 5);
    let record = manager.record(&id).unwrap().in_steps().unwrap();
    assert_eq!(record.player_names_from_host, ["Anna", "Program"]);
    assert!(record.errors.iter().flatten().all(String::is_empty), "{:?}", record.errors);
    let game = manager.prepared_game("tic-tac-toe", None).unwrap();
    let report = ludex::verify_match(game.in_steps().unwrap().rules(), &record);
    assert!(report.mismatches.is_empty(), "{report:?}");
    let shown = manager.match_step(&id, Viewer::Spectator, 1).unwrap();
    assert!(shown.board_svg.is_some() && shown.step.is_some());
    assert!(manager.match_step(&id, Viewer::Spectator, 99).is_err());
    assert!(matches!(manager.submit_move(&id, seat, 0, "noop"), Err(ManagerError::Over { .. })));
    // The news ends with the end, whether it was read or not.
    wait("the last news", || {
        news.borrow_and_update();
        news.has_changed().is_err().then_some(())
    });
    assert!(manager.match_detail(&id).unwrap().people == [seat]);
    let summary = manager.match_detail(&id).unwrap().summary;
    assert_eq!(summary.seats.iter().map(|seat| seat.goal.unwrap()).sum::<u32>(), 100);

    let again = manager.rematch(&id, Sides::Same).unwrap();
    assert_ne!(again, id);
    let players = |id: &str| {
        let seats = manager.match_detail(id).unwrap().summary.seats;
        seats.into_iter().map(|seat| (seat.role, seat.player)).collect::<Vec<_>>()
    };
    let (first, second) = (players(&id), players(&again));
    assert_eq!(first, second);
    let turned = manager.rematch(&id, Sides::Changed).unwrap();
    let third = players(&turned);
    assert_eq!((&third[0].1, &third[1].1), (&first[1].1, &first[0].1));
    assert_eq!((&third[0].0, &third[1].0), (&first[0].0, &first[1].0));
    manager.abort_match(&turned, "enough").unwrap();
    wait_for_end(&manager, &turned);
    assert!(matches!(manager.retire_player("Anna"), Err(ManagerError::InUse { .. })));
    manager.abort_match(&again, "enough").unwrap();
    let view = wait_for_end(&manager, &again);
    assert_eq!((view.stage, view.snapshot.aborted.as_deref()), (MatchStage::Aborted, Some("enough")));
    let query = MatchQuery { player: Some("ANNA".into()), ..MatchQuery::default() };
    assert_eq!(manager.matches(&query).unwrap().total, 3);
    manager.retire_player("Anna").unwrap();
}

#[test]
fn what_is_hidden_stays_hidden_until_the_end() {
    let manager = manager();
    let hidden =
        ludex::library::all().iter().find(|game| game.dialect == ludex::gdl::Dialect::GdlII).unwrap();
    add_bundled(&manager, hidden.name);
    let seats = manager.game_facts(hidden.name, None).unwrap().seats.len();
    let names: Vec<String> = (0..seats).map(|number| format!("p{number}")).collect();
    for name in &names {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let plan = MatchPlan { game: hidden.name.into(), ..tic_tac_toe(&names, 30_000) };
    let id = manager.schedule(&plan).unwrap();
    let view = wait("a view", || {
        let view = manager.match_view(&id, Viewer::Spectator).unwrap();
        // Lists know that it runs a moment before it does.
        (view.stage == MatchStage::Running && !view.snapshot.clocks.is_empty()).then_some(view)
    });
    assert!(view.partial && view.snapshot.state.facts.is_none() && view.board_svg.is_none());
    assert!(matches!(manager.record(&id), Err(ManagerError::Hidden)));
    assert!(manager.match_step(&id, Viewer::Spectator, 0).unwrap().state.facts.is_none());
    let own = manager.match_view(&id, Viewer::Seat(SeatNumber(0))).unwrap();
    assert!(!own.own_moves.is_empty() && own.board_svg.is_none());
    manager.abort_match(&id, "done").unwrap();
    wait_for_end(&manager, &id);
    assert!(manager.match_view(&id, Viewer::Spectator).unwrap().board_svg.is_some());
    assert!(manager.record(&id).is_ok());
}

#[test]
fn a_match_can_wait_for_its_time() {
    let manager = manager();
    let service = service("legal");
    manager.register_player("A", &remote(&service)).unwrap();
    manager.register_player("B", &remote(&service)).unwrap();
    let later = |milliseconds| MatchPlan {
        begin: Some(unix_milliseconds() + milliseconds),
        ..tic_tac_toe(&["A", "B"], 2_000)
    };
    let far = manager.schedule(&later(3_600_000)).unwrap();
    let near = manager.schedule(&later(300)).unwrap();
    assert_eq!(stage(&manager, &near), MatchStage::Planned);
    let view = manager.match_view(&near, Viewer::Spectator).unwrap();
    assert_eq!(view.snapshot.players, ["A", "B"]);
    assert_eq!(wait_for_end(&manager, &near).stage, MatchStage::Completed);
    assert_eq!(stage(&manager, &far), MatchStage::Planned);
    manager.abort_match(&far, "not needed").unwrap();
    assert_eq!(stage(&manager, &far), MatchStage::Aborted);
    assert!(matches!(manager.abort_match(&far, "again"), Err(ManagerError::Over { .. })));
    let wrong = [
        tic_tac_toe(&["A"], 1000),
        tic_tac_toe(&["A", "nobody"], 1000),
        tic_tac_toe(&["A", "B"], 0),
        MatchPlan { game: "none".into(), ..tic_tac_toe(&["A", "B"], 1000) },
        later(400 * 86_400_000),
    ];
    for plan in wrong {
        assert!(manager.schedule(&plan).is_err(), "{plan:?}");
    }
    let own = SeatPlan { player: "A".into(), rulesheet: Some("(role".into()), ..SeatPlan::default() };
    let mut plan = tic_tac_toe(&["A", "B"], 1000);
    plan.seats[0] = own;
    assert!(matches!(manager.schedule(&plan), Err(ManagerError::Referee(_))));
    assert_eq!(manager.status().unwrap().completed, 1);
}
