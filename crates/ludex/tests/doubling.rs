//! Terms whose parts are shared: small in memory, and doubled with each step on paper. Every engine refuses
//! them with a typed error before anybody has to write them.

use ludex::analysis::TextStyle;
use ludex::game::{GameError, playthrough};
use ludex::{Engine, Game, GameOptions, LoadError, MatchSetup, MatchStatus, Table, players};
use ludex_engine::NetMachineError;
use ludex_logic::{Budget, LimitError, TEXT_LIMIT};

/// The term in a fact doubles with each step.
const DOUBLING: &str = "(<= (next (c (f ?x ?x))) (true (c ?x))) (init (c a)) (role w) (legal w go) (goal w 0) \
                        (<= terminal (true zz))";

fn options(engine: Engine) -> GameOptions {
    GameOptions { engine, ..GameOptions::default() }
}

/// A game with `(p0 a)` to `(pN (f ... ))`, where each term is `times` the one before, and some rules more.
fn chain(count: usize, times: usize, rules: &str) -> String {
    let mut text = String::from("(role w) (<= terminal (true zz)) (goal w 0) (p0 a)\n");
    for n in 0..count {
        text.push_str(&format!("(<= (p{} (f{})) (p{n} ?x))\n", n + 1, " ?x".repeat(times)));
    }
    text + rules
}

fn text_error(error: &GameError) -> (&'static str, u64) {
    match error {
        GameError::Limit(LimitError::Text { what, bytes, limit: TEXT_LIMIT }) => (what, *bytes),
        other => panic!("{other}"),
    }
}

#[test]
fn a_state_that_doubles_is_refused_by_its_size_as_text() {
    let game = Game::parse("doubling", DOUBLING, &options(Engine::Rules)).unwrap();
    let before = game.signature().terms().bytes();
    // `(c X)`, a blank behind it, and an X of 6 * 2^n - 5 bytes after n steps.
    let last = playthrough(&**game.machine(), 1, 17, &Budget::unlimited()).unwrap();
    assert_eq!(last.steps, 17);
    let error = playthrough(&**game.machine(), 1, 1000, &Budget::unlimited()).unwrap_err();
    assert_eq!(text_error(&error), ("the state", 6 * (1 << 18) - 5 + 4 + 1));
    assert!(game.signature().terms().bytes() - before < 10_000);
}

#[test]
fn a_match_that_gets_too_long_is_aborted_with_that_cause() {
    let game = Game::parse("doubling", DOUBLING, &options(Engine::Auto)).unwrap();
    assert_eq!(game.engine(), Engine::Rules);
    let setup = MatchSetup { id: "m".into(), seed: 1, ..MatchSetup::default() };
    let random = players::create("random", &players::Resources::from_seed(1)).unwrap();
    let mut table = Table::new(&game, setup, vec![random], None, Budget::unlimited()).unwrap();
    table.prepare();
    let error = loop {
        match table.step() {
            Ok(made) => assert!(made.is_some(), "the game never ends by itself"),
            Err(error) => break error,
        }
    };
    assert_eq!(text_error(&error).0, "the state");
    let played = table.into_match();
    assert_eq!(*played.status(), MatchStatus::Aborted(error.to_string()));
    let record = played.record();
    assert_eq!(record.moves.len(), 17);
    assert!(serde_json::to_string(&record).unwrap().len() < 3 << 20);
}

#[test]
fn an_initial_state_that_is_too_long_is_no_game() {
    for times in [2, 3] {
        let text = chain(60, times, "(legal w go) (<= (init (s ?x)) (p60 ?x))");
        for engine in [Engine::Rules, Engine::Auto] {
            let error = Game::parse("sixty", &text, &options(engine)).unwrap_err();
            let LoadError::Machine { cause, .. } = &error else { panic!("{error}") };
            assert_eq!(text_error(cause).0, "the state");
        }
        let error = Game::parse("sixty", &text, &options(Engine::Net)).unwrap_err();
        let LoadError::Net { cause, .. } = &error else { panic!("{error}") };
        assert!(error.to_string().contains(" as text, and "), "{error}");
        assert!(!matches!(**cause, NetMachineError::Circuit(_)), "{error}");
    }
    // A term that is only deep is as long as it looks.
    let deep = chain(60, 1, "(legal w go) (<= (init (s ?x)) (p60 ?x))");
    for engine in [Engine::Rules, Engine::Net, Engine::Lanes] {
        let game = Game::parse("deep", &deep, &options(engine)).unwrap();
        let facts = game.facts(game.initial());
        assert_eq!(game.texts(&facts), [format!("(s {}a{})", "(f ".repeat(60), ")".repeat(60))]);
    }
}

#[test]
fn all_engines_refuse_the_same_state_move_and_percept() {
    // Each of the two facts may be written, and both together may not.
    let facts = "(legal w go) (<= (init (at 0))) (<= (next (s ?x)) (p16 ?x)) (<= (next (t ?x)) (p16 ?x) (true (s ?x)))
         (<= (next (u ?x)) (p16 ?x) (true (t ?x)))";
    // The legal moves are short at first.
    let moves = "(init (at 0)) (<= (next (at 1)) (does w go)) (<= (legal w go) (true (at 0)))
         (<= (legal w (say ?x)) (p20 ?x) (true (at 1)))";
    let percepts = "(init (at 0)) (legal w go) (<= (sees w (s ?x)) (p16 ?x) (does w go))
         (<= (sees w (t ?x)) (p16 ?x) (does w go)) (<= (sees w (u ?x)) (p16 ?x) (does w go))";
    for (rules, what) in [(facts, "the state"), (moves, "a move"), (percepts, "what a role sees")] {
        let text = chain(20, 2, rules);
        let game = Game::parse("rules", &text, &options(Engine::Rules)).unwrap();
        let expected = playthrough(&**game.machine(), 1, 6, &Budget::unlimited()).unwrap_err();
        assert_eq!(text_error(&expected).0, what);
        for engine in [Engine::Net, Engine::Lanes] {
            match Game::parse("net", &text, &options(engine)) {
                Ok(game) => {
                    let error = playthrough(&**game.machine(), 1, 6, &Budget::unlimited()).unwrap_err();
                    assert_eq!(error, expected, "{engine:?}");
                }
                // What alone is too long is seen when the net is made.
                Err(error) => {
                    let LoadError::Net { cause, .. } = &error else { panic!("{error}") };
                    let NetMachineError::Limit(LimitError::Text { what: found, .. }) = &**cause else {
                        panic!("{error}")
                    };
                    assert_eq!(*found, what);
                }
            }
        }
    }
}

#[test]
fn what_nobody_sees_may_be_endless_and_pictures_cut_it() {
    let rules = "(legal w go) (init (s a)) (<= (next (s ?x)) (true (s ?x)))";
    for engine in [Engine::Rules, Engine::Net] {
        let game = Game::parse("unseen", &chain(60, 2, rules), &options(engine)).unwrap();
        assert_eq!(playthrough(&**game.machine(), 1, 3, &Budget::unlimited()).unwrap().steps, 3);
        assert!(game.draw_svg(game.initial()).len() < 100_000);
        assert!(game.draw_text(game.initial(), &TextStyle::default()).len() < 100_000);
    }
}
