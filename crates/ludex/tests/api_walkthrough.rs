//! The whole interface, as a newcomer meets it.

use ludex::analysis::TextStyle;
use ludex::{
    Engine, Fault, Game, GameOptions, LoadError, Match, MatchRecord, MatchSetup, MatchStatus, MoveError,
    Table, players, replay_match, verify_match,
};
use ludex_gdl::{Dialect, Level, Notation};
use ludex_logic::Budget;

const COUNTDOWN: &str = "
    role(pilot)
    init(step(3))
    base(step(N)) :- next_of(N, M)
    base(step(0))
    input(pilot, count)
    input(pilot, launch)
    legal(pilot, count)
    legal(pilot, launch) :- true(step(1))
    next_of(3, 2)
    next_of(2, 1)
    next_of(1, 0)
    next(step(M)) :- does(pilot, count) & true(step(N)) & next_of(N, M)
    next(launched) :- does(pilot, launch)
    terminal :- true(step(0))
    terminal :- true(launched)
    goal(pilot, 100) :- true(launched)
    goal(pilot, 0) :- ~true(launched)
";

#[test]
fn a_newcomer_loads_a_game_and_looks_around() {
    // A rulesheet is text; reading files is the caller's business.
    let game = Game::parse("countdown.gdl", COUNTDOWN, &GameOptions::default()).unwrap();
    assert_eq!((game.name(), game.short_name()), ("countdown.gdl", "countdown"));
    assert_eq!(
        (game.notation(), game.dialect(), game.engine()),
        (Notation::Infix, Dialect::Gdl, Engine::Net)
    );
    assert_eq!(game.sha256().len(), 64);
    assert_eq!(game.role_names(), ["pilot"]);
    assert_eq!(game.program().program.clauses.len(), game.rulesheet().items.len());

    // Terms are written as the rulesheet writes them, and read in either notation.
    let pilot = game.find_role("pilot").unwrap();
    assert_eq!(game.fact_texts(game.initial()), ["step(3)"]);
    assert_eq!(game.read_term("(step 3)").unwrap(), game.read_term("step(3)").unwrap());
    assert_eq!(game.find_term("step(77)").unwrap(), None);

    // States answer questions.
    let one = game.read_state("step(1)").unwrap();
    assert_eq!(game.legal_texts(&one, pilot).unwrap(), ["count", "launch"]);
    let launch = game.find_legal(&one, pilot, "launch").unwrap().unwrap();
    let successor = game.successor(&one, &[launch]).unwrap();
    assert!(game.terminal(&successor.state).unwrap());
    assert_eq!(game.goals(&successor.state).unwrap(), [Some(100)]);

    // A position walks about.
    let mut position = game.start();
    position.play(&["count"]).unwrap();
    position.play_some(&[]).unwrap();
    assert_eq!((position.step(), position.fact_texts()), (2, vec!["step(1)".to_owned()]));
    let error = position.play_some(&[]).unwrap_err();
    assert_eq!(error.to_string(), "`pilot` has 2 legal moves, but none was given");
    assert!(matches!(position.play(&["jump"]), Err(MoveError::Illegal { .. })));
    position.play(&["launch"]).unwrap();
    assert_eq!(position.goals().unwrap(), [Some(100)]);
    assert_eq!(position.play(&["count"]), Err(MoveError::Over));
    assert!(position.back() && position.back() && !position.terminal().unwrap());
    assert!(position.forward() && position.jump(3) && !position.forward());
    assert_eq!(position.joints().len(), 3);

    // States can be drawn; a game without a board as a list.
    assert!(game.draw_text(&one, &TextStyle::PLAIN).contains("step"));
    assert!(game.draw_svg(&one).contains("<svg"));

    // Why is a move legal?
    let legal = game.program().vocabulary.legal;
    let atom =
        ludex_logic::GroundAtom { relation: legal, args: [game.read_term("pilot").unwrap(), launch].into() };
    let mut derivations = game.derivations(&one, None).unwrap();
    assert!(derivations.holds(&atom, &mut Budget::unlimited().meter()).unwrap());

    // Counting and playing at random are reproducible.
    let rows = game.perft(3, &Budget::unlimited()).unwrap();
    assert_eq!(rows.iter().map(|r| r.paths).collect::<Vec<_>>(), [1, 1, 1, 2]);
    let playout = game.random_playout(game.initial(), 5, 100).unwrap();
    assert_eq!(playout, game.random_playout(game.initial(), 5, 100).unwrap());
    let trace = game.record_playouts(2, 1, 100).unwrap();
    assert_eq!(trace.header.sha256.as_deref(), Some(game.sha256()));
    assert_eq!(game.verify(&trace).mismatches, []);
}

#[test]
fn a_newcomer_meets_errors() {
    // All findings come with the error, and some errors can be waived by name.
    let text = COUNTDOWN
        .replace("goal(pilot, 0) :- ~true(launched)", "goal(pilot, 0) :- ~true(launched) & extra(X)");
    let mut options = GameOptions::default();
    options.load.set_level("undefined-relation", Level::Deny).unwrap();
    let error = Game::parse("countdown.gdl", &text, &options).unwrap_err();
    let LoadError::Rejected(checked) = &error else { panic!("{error}") };
    assert!(checked.has_errors() && checked.game.is_some());
    assert!(error.to_string().starts_with("error[L050] countdown.gdl:"), "{error}");
    options.load.set_level("undefined-relation", Level::Allow).unwrap();
    let game = Game::from_checked(*Box::new(checked.as_ref().clone()), &options);
    assert!(game.is_err(), "the levels were applied when the text was read");
    assert!(Game::parse("countdown.gdl", &text, &options).is_ok());

    let options = GameOptions::default();
    let error = Game::parse("x.kif", "(role", &options).unwrap_err();
    assert!(matches!(error, LoadError::Rejected(_)), "{error}");
    assert!(matches!(Game::bundled("no-such-game", &options), Err(LoadError::NotBundled { .. })));
    let tight = GameOptions { budget: Budget::unlimited().with_work(1), ..options };
    assert!(matches!(Game::bundled("reversi", &tight), Err(LoadError::Machine { .. })));
}

#[test]
fn a_newcomer_plays_a_match() {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    let setup = MatchSetup {
        id: "first".into(),
        seed: 7,
        player_names: vec!["Ada".into(), "Bob".into()],
        ..MatchSetup::default()
    };
    let registry = players::Registry::default();
    let names: Vec<&str> = registry.strategies().map(|s| s.name).collect();
    assert!(
        ["legal", "random", "minimax", "uct", "ludex"].iter().all(|name| names.contains(name)),
        "{names:?}"
    );
    let seated = ["legal", "random"]
        .iter()
        .zip(game.seats())
        .map(|(name, role)| {
            players::create(name, &players::Resources::from_seed(setup.player_seed(role))).unwrap()
        })
        .collect();
    let mut table = Table::new(&game, setup, seated, None, Budget::unlimited()).unwrap();
    table.prepare();
    let mut steps = 0;
    while let Some(step) = table.step().unwrap() {
        assert_eq!((step.joint.len(), &step.faults[..]), (2, &[None, None][..]));
        steps += 1;
        let picture = game.draw_text(table.referee().history().state(), &TextStyle::PLAIN);
        assert!(picture.lines().count() > 3, "{picture}");
    }
    let played = table.into_match();
    assert_eq!(played.status(), &MatchStatus::Completed);

    // The record is JSON, can be read again and be checked against the rules.
    let record = played.record();
    let read = MatchRecord::read(&record.write()).unwrap();
    assert_eq!(read, record);
    assert_eq!((read.states.len(), read.moves.len()), (steps + 1, steps));
    assert_eq!(read.player_names_from_host, ["Ada", "Bob"]);
    assert_eq!(verify_match(game.rules(), &read).mismatches, []);
    assert!(replay_match(game.rules(), &read).unwrap().terminal().unwrap());
}

#[test]
fn a_newcomer_referees_by_hand() {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    let mut referee = Match::new(game.rules().clone(), MatchSetup::default()).unwrap();
    let mark = game.read_term("(mark 2 2)").unwrap();
    let noop = game.read_term("noop").unwrap();
    let step = referee.submit(&[Ok(mark), Ok(noop)], None).unwrap().unwrap();
    assert_eq!(step.faults, [None, None]);
    let step = referee.submit(&[Err(Fault::Timeout), Ok(mark)], None).unwrap().unwrap().clone();
    assert_eq!(step.faults, [Some(Fault::Timeout), Some(Fault::Illegal("(mark 2 2)".into()))]);
    assert_eq!(step.joint[0], noop, "the only legal move takes its place");
    referee.abort("rain");
    assert_eq!(referee.submit(&[], None), Ok(None));
    let record = referee.record();
    assert_eq!(record.errors, [["", ""], ["", ""], ["TO", "IL (mark 2 2)"]]);
    assert_eq!((record.is_aborted, record.abort_cause.as_deref()), (true, Some("rain")));
}
