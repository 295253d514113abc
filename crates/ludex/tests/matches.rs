//! Matches: reproducible, recorded, and played by the rules.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ludex::players::{self, Choice, News, Player, PlayerError, Seat};
use ludex::{
    Game, GameOptions, Match, MatchRecord, MatchSetup, MatchStatus, Table, library, replay_match,
    verify_match,
};
use ludex_game::Rng;
use ludex_gdl::{Dialect, Level};
use ludex_logic::{Budget, Clock};
use ludex_testkit::corpus::{Corpus, read_text, stem};
use ludex_testkit::one_part_of;

fn bundled(name: &str) -> Game {
    Game::bundled(name, &GameOptions::default()).unwrap()
}

fn play(game: &Game, strategy: &str, seed: u64, limit: u32) -> Match {
    let setup = MatchSetup { id: "m".into(), seed, step_limit: Some(limit), ..MatchSetup::default() };
    let seated = game
        .seats()
        .into_iter()
        .map(|r| players::create(strategy, &players::Resources::from_seed(setup.player_seed(r))).unwrap());
    let seated = seated.collect();
    Table::new(game, setup, seated, None, Budget::unlimited()).unwrap().play().unwrap()
}

#[test]
fn one_seed_one_match() {
    for name in ["tic-tac-toe", "blind-tic-tac-toe", "race", "lowest-unique"] {
        let game = bundled(name);
        let record = |seed| play(&game, "random", seed, 100).record();
        assert_eq!(record(3), record(3), "{name}");
        let moves: Vec<_> = (0..10).map(|seed| record(seed).moves).collect();
        assert!(moves.iter().any(|m| *m != moves[0]), "{name}: seeds matter");
    }
}

#[test]
fn players_that_see_only_percepts_make_only_legal_moves() {
    let games = library::all().iter().filter(|g| g.dialect == Dialect::GdlII);
    let mut count = 0;
    for bundled in one_part_of(4, games) {
        let options = GameOptions { hasty: true, ..GameOptions::default() };
        let game = Game::parse(bundled.file, bundled.text, &options).unwrap();
        // Where a thousand fleets are possible, a match takes seconds.
        let random = if bundled.name == "battleship" { 1 } else { 6 };
        for (strategy, seeds) in [("legal", 2), ("random", random)] {
            for seed in 0..seeds {
                let played = play(&game, strategy, seed, 100);
                for (i, step) in played.steps().iter().enumerate() {
                    let faults: Vec<_> = step.faults.iter().flatten().map(ToString::to_string).collect();
                    assert_eq!(faults, [""; 0], "{}: {strategy}, seed {seed}, step {i}", bundled.file);
                }
                count += 1;
                if seed == 0 {
                    let record = MatchRecord::read(&played.record().write()).unwrap();
                    assert_eq!(verify_match(game.rules(), &record).mismatches, [], "{}", bundled.file);
                }
            }
        }
    }
    assert!(count >= 25);
}

#[test]
fn the_referee_draws_the_moves_of_chance() {
    let game = bundled("monty-hall");
    let random = game.random_role().unwrap();
    assert_eq!(game.seats().len() + 1, game.roles().len());
    let first = |seed| play(&game, "legal", seed, 100).steps()[0].joint[random.index()];
    let mut drawn: Vec<_> = (0..30).map(first).collect();
    drawn.sort();
    drawn.dedup();
    assert_eq!(drawn.len(), 3, "the car is behind each of the doors at times");
}

/// A clock that a player can wind on.
#[derive(Default)]
struct Wound(AtomicU64);

impl Clock for Wound {
    fn now(&self) -> Duration {
        Duration::from_millis(self.0.load(Ordering::Relaxed))
    }
}

/// Takes its time, then fails or plays something silly.
struct Slow {
    clock: Arc<Wound>,
    seat: Option<Seat>,
    asked: u32,
    heard: u32,
}

impl Player for Slow {
    fn prepare(&mut self, seat: Seat, _budget: &Budget) -> Result<(), PlayerError> {
        self.seat = Some(seat);
        Ok(())
    }
    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        self.asked += 1;
        assert!(budget.meter().check().is_ok());
        let terms = self.seat.as_ref().ok_or(PlayerError::NotPrepared)?.signature().terms();
        let action = terms.constant("nonsense");
        match self.asked {
            1 => {
                self.clock.0.fetch_add(5_000, Ordering::Relaxed);
                assert!(budget.meter().check().is_err());
                Ok(Choice { action, report: players::Report::default() })
            }
            2 => Err(PlayerError::Gone("asleep".into())),
            _ => Ok(Choice { action, report: players::Report::default() }),
        }
    }
    fn observe(&mut self, news: &News) {
        assert!(matches!(news, News::Joint(joint) if joint.len() == 2));
        self.heard += 1;
        assert_eq!(self.heard, self.asked);
    }
}

#[test]
fn what_players_do_wrong_is_replaced_and_recorded() {
    let game = bundled("tic-tac-toe");
    let clock = Arc::new(Wound::default());
    let setup = MatchSetup {
        play_clock: Some(Duration::from_secs(1)),
        start_time: Some(1_000_000),
        step_limit: Some(3),
        ..MatchSetup::default()
    };
    let slow = Slow { clock: Arc::clone(&clock), seat: None, asked: 0, heard: 0 };
    let seated: Vec<Box<dyn Player>> =
        vec![Box::new(slow), players::create("legal", &players::Resources::from_seed(0)).unwrap()];
    let played = Table::new(&game, setup, seated, Some(clock), Budget::unlimited()).unwrap().play().unwrap();
    let record = played.record();
    let white: Vec<&str> = record.errors.iter().map(|e| e[0].as_str()).collect();
    assert_eq!(white, ["", "TO", "CE asleep", "IL nonsense"]);
    assert!(record.errors.iter().all(|e| e[1].is_empty()));
    assert_eq!(record.state_times, Some(vec![1_000_000, 1_005_000, 1_005_000, 1_005_000]));
    assert_eq!(played.status(), &MatchStatus::Aborted("stopped after 3 steps".into()));
    assert_eq!(verify_match(game.rules(), &record).mismatches, []);
}

#[test]
fn a_wrong_record_is_found_out() {
    let game = bundled("blind-tic-tac-toe");
    let record = play(&game, "random", 1, 100).record();
    assert_eq!(verify_match(game.rules(), &record).mismatches, []);
    let whats = |change: &dyn Fn(&mut MatchRecord)| {
        let mut changed = record.clone();
        change(&mut changed);
        let mismatches = verify_match(game.rules(), &changed).mismatches;
        mismatches.into_iter().map(|m| m.what).collect::<Vec<_>>()
    };
    assert_eq!(whats(&|r| r.states[1] = r.states[0].clone())[0], "state");
    // A net refuses the move at once, which is told of the trace and of the match.
    assert!(whats(&|r| r.moves[1] = r.moves[0].clone())[..2].contains(&"moves".to_owned()));
    assert_eq!(whats(&|r| r.is_completed = false), ["terminal", "completed"]);
    assert_eq!(whats(&|r| r.goal_values = Some(vec![Some(1), None, None])), ["goal values"]);
    let fewer = whats(&|r| r.legal_moves.as_mut().unwrap()[1][0].truncate(2));
    assert_eq!(fewer, ["legal white", "legalMoves[0], which is legalMoves[1] again"]);
    let sees = |r: &mut MatchRecord| r.percepts.as_mut().unwrap()[0][0] = vec!["ok".into(), "ok2".into()];
    assert_eq!(whats(&sees), ["percepts white"]);
    assert_eq!(whats(&|r| r.roles.swap(0, 1))[0], "roles");
}

#[test]
fn records_of_other_programs_are_read_replayed_and_written_again() {
    let Some(corpus) = Corpus::find("the JSON matches through the face") else { return };
    let mut count = 0;
    for kif in corpus.files("matches/ggp-json", ".kif") {
        let mut options = GameOptions { hasty: true, ..GameOptions::default() };
        // Two of these rulesheets have clauses of another language among the others.
        options.load.set_level("mixed-notations", Level::Warn).unwrap();
        let game = Game::parse(&kif.display().to_string(), &read_text(&kif).unwrap(), &options).unwrap();
        let ending = "-0.json";
        let of_game = corpus.files("matches/ggp-json", ending);
        for path in of_game.iter().filter(|p| stem(p).starts_with(&format!("{}.", stem(&kif)))) {
            let text = read_text(path).unwrap();
            let record = MatchRecord::read(&text).unwrap();
            let value = |text: &str| serde_json::from_str::<serde_json::Value>(text).unwrap();
            assert_eq!(value(&record.write()), value(&text), "nothing is lost: {}", path.display());
            assert_eq!(verify_match(game.rules(), &record).mismatches, [], "{}", path.display());
            let end = replay_match(game.rules(), &record).unwrap();
            assert_eq!(Some(end.goals().unwrap()), record.goal_values);
            count += 1;
        }
    }
    assert_eq!(count, 24);
}

/// Games of incomplete information by other authors, a few steps of each.
#[test]
fn players_keep_to_the_rules_of_games_that_others_wrote() {
    let Some(corpus) = Corpus::find("the GDL-II games through the face") else { return };
    let mut count = 0;
    for path in corpus.files("gdl-ii", ".gdl") {
        let options = GameOptions { hasty: true, ..GameOptions::default() };
        let game = Game::parse(&path.display().to_string(), &read_text(&path).unwrap(), &options).unwrap();
        if game.dialect() != Dialect::GdlII {
            continue;
        }
        let played = play(&game, "random", 1, 6);
        let faults: Vec<_> = played.steps().iter().flat_map(|s| s.faults.iter().flatten()).collect();
        assert!(faults.is_empty(), "{}: {faults:?}", stem(&path));
        count += 1;
    }
    assert_eq!(count, 11);
}

/// Games with and without percepts by other authors, to the end: no player has to keep a belief.
#[test]
fn games_that_others_wrote_are_played_to_the_end() {
    let Some(corpus) = Corpus::find("the GDL-II games to the end") else { return };
    let games = corpus.files("gdl-ii", ".gdl");
    assert_eq!(games.len(), 17);
    for path in games {
        let options = GameOptions { hasty: true, ..GameOptions::default() };
        let game = Game::parse(&path.display().to_string(), &read_text(&path).unwrap(), &options).unwrap();
        let mut runner = game.runner();
        for seed in 0..5 {
            runner.set(game.initial()).unwrap();
            let playout = runner.playout(&mut Rng::from_seed(seed), 2_000).unwrap();
            assert!(playout.terminal, "{} goes on after {} steps", stem(&path), playout.steps);
            for role in game.seats() {
                assert!(playout.goals[role.index()].is_some(), "{}: no goal, seed {seed}", stem(&path));
            }
        }
    }
}
