//! What a player can know (book 17.6).

use ludex::game::{ActionId, MoveModel, RoleId, Told};
use ludex::players::{Belief, BeliefError, BeliefOptions, News};
use ludex::{Game, GameOptions};
use ludex_logic::Budget;

/// White's belief in blind tic-tac-toe after marking these cells and seeing `ok` or nothing.
fn white(game: &Game, marks: &[(&str, bool)], options: BeliefOptions) -> Belief {
    let mut belief = game.seat(game.find_role("white").unwrap()).belief(options);
    for (mark, ok) in marks {
        let action = game.read_term(mark).unwrap();
        let percepts = if *ok { vec![game.read_term("ok").unwrap()] } else { Vec::new() };
        belief.observe(&News::Percepts { action, percepts });
    }
    belief
}

fn blind() -> Game {
    Game::bundled("blind-tic-tac-toe", &GameOptions::default()).unwrap()
}

fn count(game: &Game, marks: &[(&str, bool)]) -> usize {
    let mut belief = white(game, marks, BeliefOptions::default());
    belief.update(&Budget::unlimited()).unwrap();
    assert!(belief.is_exact());
    belief.states().len()
}

#[test]
fn figure_17_1() {
    let game = blind();
    assert_eq!(count(&game, &[("(mark 2 2)", true)]), 9);
    assert_eq!(count(&game, &[("(mark 2 2)", false)]), 1);
    // What follows in all of them is known.
    let budget = Budget::unlimited();
    let known = |ok| {
        let facts =
            white(&game, &[("(mark 2 2)", ok)], BeliefOptions::default()).known_facts(&budget).unwrap();
        game.texts(&facts)
    };
    assert!(known(true).contains(&"(cell 2 2 x)".to_owned()));
    assert!(known(false).contains(&"(cell 2 2 o)".to_owned()));
    assert_eq!(known(true).iter().filter(|f| f.starts_with("(cell")).count(), 1);
}

#[test]
fn exercise_17_1() {
    let game = blind();
    assert_eq!(count(&game, &[("(mark 2 2)", false), ("(mark 1 3)", true)]), 8);
    assert_eq!(count(&game, &[("(mark 2 2)", false), ("(mark 1 3)", false)]), 1);
    assert_eq!(count(&game, &[("(mark 2 2)", true), ("(mark 1 3)", false)]), 8);
}

#[test]
fn moves_that_are_surely_legal() {
    let game = blind();
    let marks = [("(mark 2 2)", true), ("(mark 1 3)", false)];
    let mut belief = white(&game, &marks, BeliefOptions::default());
    let moves = belief.legal_in_all(&Budget::unlimited()).unwrap();
    assert_eq!(moves.len(), 7, "all that white has not tried");
}

#[test]
fn what_cannot_be_is_said() {
    let game = blind();
    // The same cell twice is not legal.
    let marks = [("(mark 2 2)", true), ("(mark 2 2)", true)];
    let mut belief = white(&game, &marks, BeliefOptions::default());
    assert_eq!(belief.update(&Budget::unlimited()), Err(BeliefError::Impossible));
}

#[test]
fn a_sample_is_found_again_when_nothing_fits() {
    let game = blind();
    let marks = [("(mark 2 2)", true), ("(mark 1 3)", false), ("(mark 1 1)", false)];
    let exact = {
        let mut belief = white(&game, &marks, BeliefOptions::default());
        belief.update(&Budget::unlimited()).unwrap();
        assert!(belief.is_exact());
        belief.states().to_vec()
    };
    let mut replayed = 0;
    for seed in 0..30 {
        // One state of nine survives the first step, and most likely not the second.
        let options = BeliefOptions { limit: 1, expansions: 3, seed, ..BeliefOptions::default() };
        let mut belief = white(&game, &marks, options);
        belief.update(&Budget::unlimited()).unwrap();
        assert!(!belief.is_exact());
        assert_eq!(belief.states().len(), 1);
        assert!(belief.states().iter().all(|s| exact.contains(s)));
        replayed += 1;
    }
    assert_eq!(replayed, 30);
}

#[test]
fn a_limit_leaves_the_belief_as_it_was() {
    let game = blind();
    let mut belief = white(&game, &[("(mark 2 2)", true)], BeliefOptions::default());
    let cancelled = Budget::unlimited();
    cancelled.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert!(matches!(belief.update(&cancelled), Err(BeliefError::Game(_))));
    belief.update(&Budget::unlimited()).unwrap();
    assert_eq!(belief.states().len(), 9);
}

#[test]
fn complete_information_is_one_state() {
    let game = Game::bundled("tic-tac-toe", &GameOptions::default()).unwrap();
    let mut belief = game.seat(game.find_role("white").unwrap()).belief(BeliefOptions::default());
    let joint = ["(mark 2 2)", "noop"].map(|text| game.read_term(text).unwrap());
    belief.observe(&News::Joint(joint.to_vec()));
    belief.update(&Budget::unlimited()).unwrap();
    assert_eq!(belief.states(), [game.successor(game.initial(), &joint).unwrap().state]);
}

/// A role hides on one side, then knocks or does not; only the knock is heard.
const KNOCKING: &str = "
    role(watcher) role(hider) role(random)
    base(side(left)) base(side(right)) base(heard(knock)) base(heard(rest))
    input(hider, left) input(hider, right) input(hider, knock) input(hider, rest)
    input(watcher, wait) input(random, wait)
    chosen :- true(side(S))
    legal(watcher, wait) legal(random, wait)
    legal(hider, left) :- ~chosen
    legal(hider, right) :- ~chosen
    legal(hider, knock) :- chosen
    legal(hider, rest) :- chosen
    next(side(left)) :- does(hider, left)
    next(side(right)) :- does(hider, right)
    next(side(S)) :- true(side(S))
    next(heard(knock)) :- does(hider, knock)
    next(heard(rest)) :- does(hider, rest)
    sees(watcher, knock) :- does(hider, knock)
    terminal :- true(heard(N))
    goal(watcher, 50) :- role(watcher)
    goal(hider, 50) :- role(hider)";

/// Three times in four left, where it knocks rarely.
struct Habits<'g>(&'g Game);

impl MoveModel for Habits<'_> {
    fn weigh(&self, role: RoleId, told: Told, legal: &[ActionId], odds: &mut [f64]) {
        assert_eq!(self.0.role_name(role), "hider", "the others are chance and who believes");
        let term = |text| self.0.read_term(text).unwrap();
        let went_left = told == Told::NOTHING.and(term("left"), &[]);
        for (&action, odds) in legal.iter().zip(odds) {
            *odds = match self.0.text(self.0.signature().action(action)).as_str() {
                "left" => 0.75,
                "right" => 0.25,
                "knock" => {
                    if went_left {
                        0.1
                    } else {
                        0.6
                    }
                }
                _ => {
                    if went_left {
                        0.9
                    } else {
                        0.4
                    }
                }
            };
        }
    }
}

#[test]
fn a_model_of_the_others_weighs_what_they_may_have_done() {
    let game = Game::parse("knocking", KNOCKING, &GameOptions::default()).unwrap();
    let likelihood = |heard: bool, model: Option<&dyn MoveModel>| {
        let options = BeliefOptions { notes_told: true, ..BeliefOptions::default() };
        let mut belief = game.seat(game.find_role("watcher").unwrap()).belief(options);
        let budget = Budget::unlimited();
        for percepts in [&[][..], if heard { &["knock"] } else { &[] }] {
            let percepts = percepts.iter().map(|percept| game.read_term(percept).unwrap()).collect();
            belief.observe(&News::Percepts { action: game.read_term("wait").unwrap(), percepts });
            belief.update_by(model, &budget).unwrap();
        }
        assert!(belief.is_exact());
        let left = game.read_term("(side left)").unwrap();
        belief.facts(&budget).unwrap().iter().find(|fact| fact.term == left).unwrap().likelihood.weight
    };
    let habits = Habits(&game);
    for (heard, model, expected) in [
        (true, None, 0.5),
        (false, None, 0.5),
        // By the rule of Bayes: 0.075 of 0.225, and 0.675 of 0.775.
        (true, Some(&habits as &dyn MoveModel), 1.0 / 3.0),
        (false, Some(&habits), 27.0 / 31.0),
    ] {
        let found = likelihood(heard, model);
        assert!((found - expected).abs() < 1e-12, "{heard}: {found} for {expected}");
    }
}
