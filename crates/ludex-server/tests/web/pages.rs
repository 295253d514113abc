//! Pages with real things on them: games, matches, replays, seats, players, tournaments.

use axum::http::{StatusCode, header};
use ludex::matches::tournament::{Format, Tournament, TournamentGame, TournamentSetup};
use ludex_server::model::{ClockPlan, MatchPlan, NewGame, PlayerKind, TournamentPlan, TournamentStage};

use super::support::*;
use crate::manager_support::{remote, service, tic_tac_toe, wait, wait_for_end};

/// Thousands of roles make no page that is long: what there is more of is counted.
#[tokio::test]
async fn pages_of_a_game_of_many_roles_are_short() {
    use std::fmt::Write as _;
    let (router, manager) = on_loopback();
    let mut text =
        String::from("(init start) (<= terminal (not (true start))) (<= (legal ?r wait) (role ?r))");
    text.push_str("(<= (goal ?r 50) (role ?r))");
    for number in 0..5000 {
        write!(text, "(role r{number})").unwrap();
    }
    let game = NewGame { name: "many".into(), text, ..Default::default() };
    manager.add_game(&game).unwrap();
    let page = get(&router, "/games/many").await.text;
    let (about, rules) = page.split_once("<summary>Rules</summary>").unwrap();
    assert!(
        about.contains("and 4968 more") && about.len() < 50_000 && rules.len() > 50_000,
        "{}",
        about.len()
    );
    let form = get(&router, "/matches/new?game=many").await.text;
    assert!(form.contains("and 4968 more") && form.len() < 200_000, "{}", form.len());
    // The form makes a match of all of them.
    let seats = "seat=guest&".repeat(32);
    let body = format!("game=many&{seats}others=guest&other_seats=4968&start_clock=600&play_clock=600");
    let said = send(&router, "/matches", &body).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let page = get(&router, &said.location()).await.text;
    assert!(page.contains("and 4968 more") && page.len() < 100_000, "{}", page.len());
    let list = get(&router, "/matches").await.text;
    assert!(list.contains("and 4992 more") && list.len() < 20_000, "{}", list.len());
}

#[tokio::test]
async fn players_can_be_told_less_than_all_rules() {
    let (router, manager) = on_loopback();
    assert!(!get(&router, "/matches/new?game=breakthrough").await.text.contains("name=\"sheet\""));
    let form = get(&router, "/matches/new?game=minefield").await.text;
    assert!(form.contains("id=\"sheet-1\"") && form.contains("<option value=\"minefield-white\">"), "{form}");
    let sheets = form.split("name=\"sheet\"").nth(1).unwrap().split("</select>").next().unwrap();
    assert!(!sheets.contains("closed-doors"), "its roles are others: {sheets}");
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    let body = |white: &str, black: &str| {
        format!(
            "game=minefield&seat=Program&sheet={white}&seat=Program&sheet={black}&start_clock=9&play_clock=9"
        )
    };
    let said = send(&router, "/matches", &body("minefield-white", "")).await;
    assert_eq!(said.status, StatusCode::SEE_OTHER, "{}", said.text);
    let id = said.location().rsplit('/').next().unwrap().to_owned();
    wait_for_end(&manager, &id);
    let told: Vec<Option<String>> =
        manager.match_detail(&id).unwrap().plan.seats.into_iter().map(|seat| seat.rulesheet).collect();
    assert_eq!(told, [Some(manager.game("minefield-white", None).unwrap().text), None]);
    // What players are told has to be true of the game.
    let text =
        manager.game("minefield-white", None).unwrap().text.replace("mine(1) | mine(2)\n", "mine(1)\n");
    manager.add_game(&NewGame { name: "hope".into(), text, ..NewGame::default() }).unwrap();
    let said = send(&router, "/matches", &body("minefield-white", "hope")).await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    let words = "The rules for Program cannot be told: `mine(1)` (line 16) is false at step 1";
    assert!(said.text.contains(words), "{}", said.text);
    assert!(said.text.contains("<option value=\"minefield-white\" selected>"), "what was chosen stays");
}

#[tokio::test]
async fn a_game_has_a_page_and_can_be_described() {
    let (router, manager) = on_loopback();
    let text = manager.game("nim", None).unwrap().text;
    let new = NewGame { name: "nim".into(), text: format!("{text}\n; again"), ..NewGame::default() };
    let version = manager.add_game(&new).unwrap().sha256;
    let page = get(&router, "/games/nim").await.text;
    assert!(page.contains("All 2 versions") && page.contains(&version[..12]) && page.contains("<svg"));
    let old = get(&router, &format!("/games/nim?version={version}")).await;
    assert_eq!(old.status, StatusCode::OK);
    assert_eq!(get(&router, "/games/nim?version=none").await.status, StatusCode::NOT_FOUND);
    let form = get(&router, "/games/nim/describe").await;
    assert!(form.text.contains("<textarea id=\"description\""), "{}", form.text);
    let said = send(&router, "/games/nim/describe", "title=Heaps&description=One%0D%0A%0D%0ATwo").await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, "/games/nim".to_owned()));
    let page = get(&router, "/games/nim").await.text;
    assert!(page.contains("Heaps") && page.contains("<p>One</p><p>Two</p>"), "{page}");
    let long = format!("title={}", "x".repeat(300));
    let said = send(&router, "/games/nim/describe", &long).await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(said.text.contains("at most 200 characters"), "what was typed stays");
    assert_eq!(send(&router, "/games/none/describe", "title=x").await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_match_is_shown_while_it_runs_and_replayed_when_it_is_over() {
    let (router, manager) = on_loopback();
    let programs = ["Program", "Other"].map(|name| (name, service("legal")));
    for (name, program) in &programs {
        manager.register_player(name, &remote(program)).unwrap();
    }
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let id = manager.schedule(&tic_tac_toe(&["Anna", "Program"], 60_000)).unwrap();
    wait("that it runs", || {
        manager
            .match_view(&id, ludex::matches::view::Viewer::Spectator)
            .unwrap()
            .snapshot
            .clocks
            .first()?
            .left
    });
    let page = get(&router, &format!("/matches/{id}")).await.text;
    for part in [">running<", "Anna", "Program", "No move yet", &format!("data-live=\"/matches/{id}/live\"")]
    {
        assert!(page.contains(part), "{part}: {page}");
    }
    assert!(get(&router, "/").await.text.contains(&id), "the first page shows what runs");
    assert_eq!(send(&router, &format!("/matches/{id}/abort"), "").await.location(), format!("/matches/{id}"));
    wait_for_end(&manager, &id);
    let page = get(&router, &format!("/matches/{id}")).await.text;
    assert!(page.contains(">aborted<") && page.contains("the organiser ended it"), "{page}");

    let id = manager.schedule(&tic_tac_toe(&["Program", "Other"], 20_000)).unwrap();
    let steps = wait_for_end(&manager, &id).snapshot.steps.len();
    let page = get(&router, &format!("/matches/{id}")).await.text;
    assert!(
        page.contains(">completed<") && page.contains("title=\"Goal value\"") && page.contains("Rematch")
    );
    assert!(!page.contains("data-live"), "nothing more will come");
    for step in [0, 1, steps, steps + 99] {
        let replay = get(&router, &format!("/matches/{id}/replay?step={step}")).await;
        let shown = step.min(steps);
        assert_eq!(replay.status, StatusCode::OK);
        assert!(replay.text.contains(&format!("{shown}</span>&nbsp;/&nbsp;{steps}<")), "{}", replay.text);
        let part = get(&router, &format!("/matches/{id}/replay?step={step}&part=1")).await.text;
        assert!(part.contains("<svg") && !part.contains("<html"), "{part}");
    }
    let record = get(&router, &format!("/matches/{id}/record.json")).await;
    assert_eq!(record.headers[header::CONTENT_DISPOSITION], format!("attachment; filename=\"{id}.json\""));
    assert_eq!(record.json()["matchId"], id);
    let lines = get(&router, "/records.jsonl").await.text;
    assert_eq!(lines.lines().count(), 2, "both that are over");
}

#[tokio::test]
async fn a_player_is_changed_retired_and_brought_back() {
    let (router, manager) = on_loopback();
    manager.register_player("Anna", &PlayerKind::Person).unwrap();
    let page = get(&router, "/players/Anna").await.text;
    assert!(page.contains("value=\"person\"") && page.contains("/players/Anna/retire"), "{page}");
    let said = send(&router, "/players/Anna/edit", "address=192.0.2.7%3A9147&notation=infix").await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, "/players/Anna".to_owned()));
    let kind = manager.player("Anna").unwrap().kind;
    assert!(matches!(&kind, PlayerKind::Remote { address, .. } if address == "192.0.2.7:9147"), "{kind:?}");
    let page = get(&router, "/players/Anna").await.text;
    assert!(page.contains("value=\"192.0.2.7:9147\"") && page.contains("<option value=\"infix\" selected"));
    let said = send(&router, "/players/Anna/edit", "address=not+an+address&notation=prefix").await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert!(said.text.contains("value=\"not an address\""), "what was typed stays");

    assert_eq!(send(&router, "/players/Anna/retire", "").await.location(), "/players/Anna");
    let page = get(&router, "/players/Anna").await.text;
    assert!(page.contains("/players/Anna/reactivate") && !page.contains("/players/Anna/edit"), "{page}");
    let players = get(&router, "/players").await.text;
    assert!(players.contains("Retired: <a href=\"/players/Anna\">Anna</a>"), "{players}");
    assert!(!get(&router, "/matches/new").await.text.contains("value=\"Anna\""), "it gets no more matches");
    let said = send(&router, "/players/Anna/edit", "address=person").await;
    assert_eq!(said.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(send(&router, "/players/Anna/reactivate", "").await.location(), "/players/Anna");
    assert!(!manager.player("Anna").unwrap().retired);
    assert!(matches!(manager.player("Anna").unwrap().kind, PlayerKind::Remote { .. }), "as what it was");
    assert_eq!(send(&router, "/players/Nobody/reactivate", "").await.status, StatusCode::NOT_FOUND);
}

fn cup(format: Format, players: [&str; 3]) -> TournamentPlan {
    let games = vec![TournamentGame { name: "tic-tac-toe".to_owned(), seats: 0 }];
    let players = players.map(str::to_owned).into();
    let tournament = Tournament { players, games, rounds: 1, seed: 3 };
    let competition = TournamentSetup::new(tournament, format);
    TournamentPlan::new(format!("Cup by {format:?}"), competition, ClockPlan::new(20_000, 20_000))
}

#[tokio::test]
async fn a_tournament_has_a_page_in_every_format() {
    let (router, manager) = on_loopback();
    let names = ["Alpha", "Beta", "Gamma"];
    let _programs = names.map(|name| {
        let program = service("random");
        manager.register_player(name, &remote(&program)).unwrap();
        program
    });
    for format in Format::ALL {
        let id = manager.create_tournament(&cup(format, names)).unwrap();
        wait("some results", || {
            let summary = manager.tournament(&id).unwrap().summary;
            (summary.results >= 3 || summary.stage == TournamentStage::Over).then_some(())
        });
        let page = get(&router, &format!("/tournaments/{id}")).await;
        assert_eq!(page.status, StatusCode::OK);
        for part in [&format!("Cup by {format:?}"), "Standings", "Cross table", "Gamma"] {
            assert!(page.text.contains(part), "{format:?} has no {part}");
        }
        let is_drawn = manager.rating_history(&id, 60).unwrap().len() > 1;
        assert!(!is_drawn || page.text.contains("Ratings over time"), "{format:?}");
        let has_rounds =
            matches!(format, Format::Swiss | Format::SingleElimination | Format::DoubleElimination);
        assert_eq!(page.text.contains("class=\"bracket\""), has_rounds, "{format:?}");
        assert_eq!(first_event(&router, &format!("/tournaments/{id}/live")).await.status, StatusCode::OK);
        let records = get(&router, &format!("/tournaments/{id}/records.jsonl")).await;
        assert!(records.text.lines().count() >= 1);
        let name = format!("attachment; filename=\"{id}.jsonl\"");
        assert_eq!(records.headers[header::CONTENT_DISPOSITION], name);
        if manager.tournament(&id).unwrap().summary.stage != TournamentStage::Over {
            manager.end_tournament(&id).unwrap();
        }
    }
    let list = get(&router, "/tournaments").await.text;
    assert_eq!(list.matches("Cup by ").count(), Format::ALL.len());
}

#[tokio::test]
async fn a_tournament_is_ended_from_its_page() {
    let (router, manager) = on_loopback();
    let names = ["Alpha", "Beta", "Gamma"];
    for name in names {
        manager.register_player(name, &PlayerKind::Person).unwrap();
    }
    let id = manager.create_tournament(&cup(Format::RoundRobin, names)).unwrap();
    let page = format!("/tournaments/{id}");
    let running = wait("a match", || manager.tournament(&id).unwrap().running.first().map(|m| m.id.clone()));
    assert!(get(&router, &page).await.text.contains(&format!("href=\"{page}/end\"")));
    manager.pause_tournament(&id).unwrap();
    let paused = get(&router, &page).await.text;
    assert!(paused.contains("The tournament is paused: no match begins until it is resumed."), "{paused}");
    manager.resume_tournament(&id).unwrap();
    // It is asked first, on a page that needs no script, and nothing has happened by then.
    let asked = get(&router, &format!("{page}/end")).await.text;
    assert!(asked.contains("The match that runs is aborted"), "{asked}");
    assert!(asked.contains(&format!("<form method=\"post\" action=\"{page}/end\">")));
    assert_eq!(manager.tournament(&id).unwrap().summary.stage, TournamentStage::Running);
    let said = send(&router, &format!("{page}/end"), "").await;
    assert_eq!((said.status, said.location()), (StatusCode::SEE_OTHER, page.clone()));
    assert_eq!(manager.tournament(&id).unwrap().summary.stage, TournamentStage::Over);
    let ended = wait_for_end(&manager, &running);
    assert_eq!(ended.snapshot.aborted.as_deref(), Some("the tournament was ended"));
    assert_eq!(
        get(&router, &format!("{page}/end")).await.location(),
        page,
        "there is nothing to end any more"
    );
    assert_eq!(send(&router, &format!("{page}/end"), "").await.status, StatusCode::CONFLICT);
    assert!(!get(&router, &page).await.text.contains(&format!("{page}/end")));
}

#[tokio::test]
async fn terms_that_double_on_paper_bring_down_no_page_and_no_match() {
    let (router, manager) = on_loopback();
    let rules = "(role w) (legal w go) (legal w stop) (<= (next zz) (does w stop)) (goal w 0) (<= terminal (true zz))";
    let chain: String = (0..60).map(|n| format!("(<= (p{} (f ?x ?x)) (p{n} ?x))\n", n + 1)).collect();
    let add = |name: &str, text: String| {
        manager.add_game(&NewGame { name: name.to_owned(), text, ..NewGame::default() })
    };
    // An initial state that nobody could write is refused, and the server says why.
    let endless = add("endless", format!("{rules} (p0 a) {chain} (<= (init (s ?x)) (p60 ?x))"));
    let Err(ludex_server::manager::ManagerError::Rejected(check)) = endless else {
        panic!("it was accepted")
    };
    let heavy = check.heavy.unwrap_or_default();
    assert!(heavy.contains("bytes as text, and 1048576 bytes is the most"), "{heavy}");
    // What is in no state does no harm.
    add("unseen", format!("{rules} (p0 a) {chain} (init (s a))")).unwrap();
    let page = get(&router, "/games/unseen").await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(page.text.len() < 200_000 && page.text.contains("class=\"fact\""), "{}", page.text);
    // A state that doubles ends the match with that cause, which the page and the record tell.
    add("doubling", format!("{rules} (init (c a)) (<= (next (c (f ?x ?x))) (true (c ?x)))")).unwrap();
    let program = service("legal");
    manager.register_player("Program", &remote(&program)).unwrap();
    let plan = MatchPlan { game: "doubling".to_owned(), ..tic_tac_toe(&["Program"], 20_000) };
    let id = manager.schedule(&plan).unwrap();
    wait_for_end(&manager, &id);
    let cause = "the state would take 1572864 bytes as text";
    for path in [format!("/matches/{id}"), format!("/matches/{id}/record.json")] {
        let page = get(&router, &path).await;
        assert!(page.text.contains(cause), "{path} {}", page.status);
        assert!(page.text.len() < 8 << 20, "{path}: {} bytes", page.text.len());
    }
}
