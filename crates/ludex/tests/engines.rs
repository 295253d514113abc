//! Every engine gives the same answers through the face, and the automatic choice says why.

use ludex::game::{BatchOptions, Expansion, Jobs, Start, playthrough};
use ludex::{
    Engine, Game, GameOptions, LoadError, MatchRecord, MatchSetup, PlayoutOptions, Table, library, players,
    verify_match,
};
use ludex_logic::Budget;
use ludex_testkit::one_part_of;

/// Facts grow without end unless the right move is made in time: there are infinitely many ground rules.
const GROWING: &str = "
    role(you)
    init(stack(nil))
    legal(you, push)
    legal(you, stop)
    next(stack(s(X))) :- does(you, push) & true(stack(X))
    next(over) :- does(you, stop)
    terminal :- true(over)
    terminal :- true(stack(s(s(s(s(X))))))
    goal(you, 100) :- true(over)
    goal(you, 0) :- ~true(over)
";

fn options(engine: Engine) -> GameOptions {
    GameOptions { engine, ..GameOptions::default() }
}

fn record(game: &Game) -> MatchRecord {
    let setup = MatchSetup { id: "same".into(), seed: 11, step_limit: Some(12), ..MatchSetup::default() };
    let seated = game
        .seats()
        .into_iter()
        .map(|role| players::create("random", &players::Resources::from_seed(setup.player_seed(role))));
    let seated = seated.collect::<Result<_, _>>().unwrap();
    Table::new(game, setup, seated, None, Budget::unlimited()).unwrap().play().unwrap().record()
}

#[test]
fn every_bundled_game_is_the_same_on_every_engine() {
    for bundled in one_part_of(6, library::stepwise()) {
        // Its end depends on the moves, so that it is rejected.
        if bundled.name == "figure-9-3" {
            continue;
        }
        let load = |engine| {
            let mut options = options(engine);
            options.load.notation = Some(bundled.notation);
            let hasty = engine == Engine::Rules;
            Game::bundled(bundled.name, &GameOptions { hasty, ..options }).unwrap()
        };
        let (rules, net, lanes) = (load(Engine::Rules), load(Engine::Net), load(Engine::Lanes));
        assert_eq!([&rules, &net, &lanes].map(Game::engine), [Engine::Rules, Engine::Net, Engine::Lanes]);
        let expected = record(&rules);
        let found = record(&net);
        assert_eq!(found.engine.as_deref(), Some("net"));
        assert_eq!(MatchRecord { engine: expected.engine.clone(), ..found }, expected, "{}", bundled.file);
        assert_eq!(verify_match(lanes.rules(), &expected).mismatches, [], "{}", bundled.file);
        let hash = |game: &Game| {
            let played = playthrough(&**game.machine(), 3, 15, &Budget::unlimited()).unwrap();
            (played.hash, played.steps)
        };
        assert_eq!(hash(&net), hash(&rules), "{}", bundled.file);
        let trace = rules.record_playouts(1, 5, 15).unwrap();
        assert_eq!(net.verify(&trace).mismatches, [], "{}", bundled.file);
        assert_eq!(lanes.verify(&trace).mismatches, [], "{}", bundled.file);
    }
}

#[test]
fn what_cannot_be_grounded_is_run_by_its_rules() {
    let game = Game::parse("growing.gdl", GROWING, &GameOptions::default()).unwrap();
    let choice = game.choice();
    assert_eq!((choice.asked, choice.engine), (Engine::Auto, Engine::Rules));
    assert!(choice.reason.starts_with("cannot ground the rules: stopped"), "{choice}");
    assert!(choice.reason.contains("`true` had grown to "), "{choice}");
    assert!(choice.setup.is_none());
    let mut position = game.start();
    position.play(&["push"]).unwrap();
    assert_eq!(position.fact_texts(), ["stack(s(nil))"]);
    position.play(&["stop"]).unwrap();
    assert_eq!(position.goals().unwrap(), [Some(100)]);
    // What the attempt left behind is gone.
    assert!(game.signature().terms().bytes() < 32 << 20);

    let tight = GameOptions { budget: Budget::unlimited().with_work(100_000), ..options(Engine::Net) };
    let error = Game::parse("growing.gdl", GROWING, &tight).unwrap_err();
    assert!(matches!(error, LoadError::Net { .. }), "{error}");
    assert!(error.to_string().starts_with("growing.gdl: cannot ground the rules: "), "{error}");
}

/// A point that moves through a cube with 32 768 places: a step of a net looks through all of them, one by the
/// rules asks where the point is.
#[test]
fn rules_are_chosen_where_they_are_quicker() {
    let digits = (0..32).map(|digit| format!("(succ {digit} {})\n", (digit + 1) % 32)).collect::<String>();
    let rules = "(role you) (init (at 0 0 0)) (init (left 20))
        (legal you x) (legal you y) (legal you z)
        (<= (next (at ?u ?y ?z)) (does you x) (true (at ?x ?y ?z)) (succ ?x ?u))
        (<= (next (at ?x ?u ?z)) (does you y) (true (at ?x ?y ?z)) (succ ?y ?u))
        (<= (next (at ?x ?y ?u)) (does you z) (true (at ?x ?y ?z)) (succ ?z ?u))
        (<= (next (left ?u)) (true (left ?v)) (succ ?u ?v))
        (<= terminal (true (left 0)))
        (<= (goal you 100) (true (at 5 5 10)))
        (<= (goal you 0) (not (true (at 5 5 10))))";
    let game = Game::parse("cube.gdl", &format!("{rules}\n{digits}"), &GameOptions::default()).unwrap();
    let choice = game.choice();
    assert_eq!(choice.engine, Engine::Rules, "{choice}");
    assert!(
        choice.reason.starts_with("a step takes ") && choice.reason.ends_with(" updates of the net"),
        "{choice}"
    );
    assert_eq!(game.auto_choice(&GameOptions::default()).to_string(), choice.to_string());
}

#[test]
fn the_choice_is_explained() {
    let load = |options| Game::bundled("nim", &options).unwrap();
    let auto = load(GameOptions::default());
    assert_eq!(auto.choice().to_string(), "net: the rules could be made a net");
    let setup = auto.choice().setup.as_ref().unwrap();
    assert!(setup.atoms > 10 && setup.rules > 10 && setup.passes.after.operations > 10, "{setup:?}");
    let hasty = GameOptions { hasty: true, ..GameOptions::default() };
    let rules = load(hasty.clone());
    assert_eq!(rules.choice().to_string(), "rules: a few questions are not worth making a net");
    assert_eq!(rules.auto_choice(&hasty).engine, Engine::Net);
    assert_eq!(load(options(Engine::Rules)).choice().to_string(), "rules: it was asked for");
    assert!(matches!(load(options(Engine::Lanes)).choice().engine, Engine::Lanes));
    let nothing = GameOptions { net_budget: Some(Budget::unlimited().with_work(10)), ..hasty };
    let choice = rules.auto_choice(&nothing);
    assert_eq!(choice.engine, Engine::Rules);
    assert!(choice.reason.contains("stopped after 10 steps of inference"), "{choice}");
}

#[test]
fn playouts_agree_in_distribution() {
    for engine in [Engine::Rules, Engine::Net, Engine::Lanes] {
        let game = Game::bundled("tic-tac-toe", &options(engine)).unwrap();
        let start = Start { state: game.initial().clone(), playouts: 20_000 };
        let one = PlayoutOptions { seed: 4, ..PlayoutOptions::default() };
        let outcomes = game.playouts(std::slice::from_ref(&start), &one).unwrap();
        let tally = &outcomes.tallies[0];
        assert_eq!((tally.finished, tally.playouts()), (20_000, 20_000));
        let white = tally.mean_goal(game.find_role("white").unwrap()).unwrap();
        let length = tally.steps as f64 / 20_000.0;
        assert!((white - 64.84).abs() < 1.2 && (length - 7.626).abs() < 0.05, "{engine}: {white} {length}");
        let three = PlayoutOptions { threads: 3, ..one };
        assert_eq!(game.playouts(&[start], &three).unwrap(), outcomes, "{engine}");
    }
}

#[test]
fn starts_keep_their_results_apart() {
    for engine in [Engine::Rules, Engine::Net] {
        let game = Game::bundled("tic-tac-toe", &options(engine)).unwrap();
        let mut position = game.start();
        for joint in [["(mark 1 1)", "noop"], ["noop", "(mark 2 1)"], ["(mark 1 2)", "noop"]] {
            position.play(&joint).unwrap();
        }
        let starts = [
            Start { state: game.initial().clone(), playouts: 3 },
            Start { state: position.state().clone(), playouts: 5 },
        ];
        let records = PlayoutOptions { records: true, threads: 2, ..PlayoutOptions::default() };
        let outcomes = game.playouts(&starts, &records).unwrap();
        assert_eq!(outcomes.tallies.iter().map(|t| t.finished).collect::<Vec<_>>(), [3, 5]);
        let of_starts: Vec<u32> = outcomes.records.iter().map(|record| record.start).collect();
        assert_eq!(of_starts, [0, 0, 0, 1, 1, 1, 1, 1]);
        assert!(outcomes.records[3..].iter().all(|record| record.steps <= 6));
        let late = PlayoutOptions { step_limit: 2, ..PlayoutOptions::default() };
        assert_eq!(game.playouts(&starts, &late).unwrap().tallies[0].over_limit, 3);
    }
}

#[test]
fn batches_expand_alike() {
    let successors = |engine| {
        let game = Game::bundled("connect-four", &options(engine)).unwrap();
        let roles: Vec<_> = game.roles().collect();
        let mut runner = game.runner();
        let lists: Vec<_> = roles.iter().map(|&role| runner.legal(role).unwrap().to_vec()).collect();
        let mut jobs = Jobs::default();
        let initial = jobs.add_state(game.initial().words());
        let joints = lists[0].iter().flat_map(|&a| lists[1].iter().map(move |&b| [a, b]));
        joints.for_each(|joint| jobs.add(initial, &joint));
        let mut out = Expansion::default();
        game.batch(&BatchOptions::default()).expand(&jobs, &mut out).unwrap();
        let actions = game.signature().actions();
        let legal = |at, role| out.legal(at, role).iter().map(|a| game.text(actions[a.index()]));
        let describe = |at| {
            let facts = game.fact_texts(&out.to_state(at));
            let legal: Vec<Vec<_>> = roles.iter().map(|&role| legal(at, role).collect()).collect();
            (facts, out.terminal(at), legal)
        };
        (0..out.len()).map(describe).collect::<Vec<_>>()
    };
    let expected = successors(Engine::Rules);
    assert_eq!(expected.len(), 7);
    assert_eq!(successors(Engine::Net), expected);
    assert_eq!(successors(Engine::Lanes), expected);
}

#[test]
fn limits_stop_playouts() {
    for engine in [Engine::Rules, Engine::Net] {
        let game = Game::bundled("nim", &options(engine)).unwrap();
        let cancelled = Budget::unlimited();
        cancelled.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
        let start = Start { state: game.initial().clone(), playouts: 100_000 };
        let playing = PlayoutOptions { budget: cancelled, threads: 2, ..PlayoutOptions::default() };
        assert!(game.playouts(&[start], &playing).is_err(), "{engine}");
        // Nothing at all to do is done at once.
        assert_eq!(game.playouts(&[], &PlayoutOptions::default()).unwrap(), Default::default());
    }
}
