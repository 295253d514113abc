//! What is refused, and why.

use ludex_game::GameError;
use ludex_logic::{Budget, LimitError};
use ludex_players::equilibrium::{EquilibriumError, SequenceForm, UnrollOptions};

use super::unrolled;
use crate::matches::Game;

fn refusal(game: &Game) -> EquilibriumError {
    unrolled(game).unwrap_err()
}

#[test]
fn three_roles_are_refused() {
    for file in ["gdl/three-player-tic-tac-toe.kif", "gdl-ii/trading.gdl"] {
        let error = refusal(&Game::bundled(file));
        assert_eq!(error, EquilibriumError::Roles { roles: 3 });
        assert!(error.to_string().contains("3 roles beside chance"), "{error}");
    }
}

#[test]
fn goals_without_a_constant_sum_are_refused_with_two_endings() {
    let text = "(role a) (role b) (init begun) (<= (legal ?r yes) (role ?r)) (<= (legal ?r no) (role ?r))
        (<= (next (said ?r ?w)) (does ?r ?w)) (<= terminal (not (true begun)))
        (<= (goal ?r 70) (role ?r) (true (said ?r yes))) (<= (goal ?r 30) (role ?r) (true (said ?r no)))";
    let error = refusal(&Game::from_rules(text));
    let EquilibriumError::NotConstantSum { first, second } = &error else { panic!("{error}") };
    assert_ne!(first.goals.iter().sum::<u32>(), second.goals.iter().sum::<u32>());
    for ending in [first, second] {
        assert_eq!(ending.moves.len(), 1);
        let expected = |text: &str| if text == "yes" { 70 } else { 30 };
        let goals: Vec<u32> = ending.moves[0].iter().map(|text| expected(text)).collect();
        assert_eq!(goals, ending.goals);
    }
    assert!(error.to_string().contains("30 and 30 after `no no`"), "{error}");
    // The dilemma of prisoners is one.
    let error = refusal(&Game::from_rules(&text.replace("70", "60")));
    assert!(matches!(error, EquilibriumError::NotConstantSum { .. }));
}

#[test]
fn endings_without_a_goal_are_refused() {
    let text = "(role a) (role b) (init begun) (legal a go) (legal a wait) (legal b go)
        (<= (next gone) (does a go)) (<= terminal (not (true begun))) (<= (goal a 50) (true gone)) (goal b 50)";
    let error = refusal(&Game::from_rules(text));
    let EquilibriumError::NoGoal { role, moves } = &error else { panic!("{error}") };
    assert_eq!((role.as_str(), &moves[..]), ("a", &[vec!["wait".to_owned(), "go".to_owned()]][..]));
}

#[test]
fn a_role_that_cannot_know_its_moves_is_refused() {
    let text = "(role a) (role random) (init (step 1))
        (<= (legal random (draw red)) (true (step 1))) (<= (legal random (draw blue)) (true (step 1)))
        (<= (legal random noop) (true (step 2))) (<= (legal a noop) (true (step 1)))
        (<= (legal a ?c) (true (step 2)) (true (drawn ?c))) (<= (legal a pass) (true (step 2)))
        (<= (next (drawn ?c)) (does random (draw ?c))) (<= (next (step 2)) (true (step 1)))
        (<= (sees a ?c) (does a pass) (true (drawn ?c)))
        (<= terminal (not (true (step 1))) (not (true (step 2)))) (goal a 50)";
    let error = refusal(&Game::from_rules(text));
    let EquilibriumError::UnknownMoves { role, moves, legal, other } = &error else { panic!("{error}") };
    assert_eq!((role.as_str(), moves.len(), legal.len(), other.len()), ("a", 1, 2, 2));
    assert!(error.to_string().starts_with("`a` cannot know what it may do after `noop (draw "), "{error}");
}

#[test]
fn games_that_are_too_large_are_refused() {
    let game = Game::bundled("gdl-ii/high-card.gdl");
    let unroll = |max_nodes, budget: &Budget| {
        let options = UnrollOptions { max_nodes };
        SequenceForm::new(&game.program, &*game.machine, &options, budget).unwrap_err()
    };
    assert_eq!(unroll(1_000, &Budget::unlimited()), EquilibriumError::TooLarge { nodes: 1_000 });
    let limit = |error| match error {
        EquilibriumError::Game(GameError::Limit(limit)) => limit,
        other => panic!("{other}"),
    };
    let memory = limit(unroll(usize::MAX, &Budget::unlimited().with_memory(1 << 20)));
    assert!(matches!(memory, LimitError::Memory { .. }));
    assert!(matches!(
        limit(unroll(usize::MAX, &Budget::unlimited().with_work(100_000))),
        LimitError::Work { .. }
    ));
    let cancelled = Budget::unlimited();
    cancelled.cancel_flag().store(true, std::sync::atomic::Ordering::Relaxed);
    assert_eq!(limit(unroll(usize::MAX, &cancelled)), LimitError::Cancelled);
    // Nodes of a game that never ends are as many.
    let endless = Game::from_rules(
        "(role a) (role b) (init (at 0)) (legal a go) (legal a stay) (legal b go) (legal b stay)
        (<= (next (at 1)) (true (at 0))) (<= (next (at 0)) (true (at 1))) (<= terminal (true (at 2)))
        (goal a 50) (goal b 50)",
    );
    assert!(matches!(refusal(&endless), EquilibriumError::TooLarge { .. }));
}
