//! Games whose values are known: of chance and one role, at once, with cards.

use std::path::Path;

use ludex_logic::{Budget, LimitError};
use ludex_players::equilibrium::{
    EquilibriumOptions, SequenceForm, best_response, find_equilibrium, strategy_text,
};

use super::{assert_near, bundled, of_rules, probability, solved};

#[test]
fn matching_pennies_and_rock_paper_scissors_are_mixed_evenly() {
    let (game, form) = bundled("gdl/rock-paper-scissors.kif");
    let found = solved(&form, 0.01);
    assert_near(found.values[0], 50.0, 0.01);
    for action in ["rock", "paper", "scissors"] {
        assert_near(
            probability(&game, &form.roles()[0], &found.strategies[0], ("", action)),
            1.0 / 3.0,
            0.01,
        );
    }
    // Where winning with scissors brings more, rock is shown more often: 1, 2 and 1 of 4.
    let (game, form) = of_rules(
        "(role a) (role b) (init begun) (opponent a b) (opponent b a)
        (beats rock scissors) (beats scissors paper) (beats paper rock)
        (<= (legal ?r ?h) (role ?r) (beats ?h ?g)) (<= (next (shown ?r ?h)) (does ?r ?h))
        (<= terminal (not (true begun)))
        (<= (wins ?r ?h) (opponent ?r ?q) (true (shown ?r ?h)) (true (shown ?q ?g)) (beats ?h ?g))
        (gain rock 75 25) (gain paper 75 25) (gain scissors 100 0) (<= won (wins ?r ?h))
        (<= (goal ?r ?n) (wins ?r ?h) (gain ?h ?n ?m))
        (<= (goal ?r ?m) (opponent ?r ?q) (wins ?q ?h) (gain ?h ?n ?m))
        (<= (goal ?r 50) (role ?r) (not won))",
    );
    let found = solved(&form, 0.001);
    assert_near(found.values[0], 50.0, 0.002);
    for (action, expected) in [("rock", 0.5), ("paper", 0.25), ("scissors", 0.25)] {
        let actual = probability(&game, &form.roles()[1], &found.strategies[1], ("", action));
        assert_near(actual, expected, 0.01);
    }
}

#[test]
fn asking_about_the_bomb_and_switching_doors_are_best() {
    let (game, form) = bundled("gdl-ii/exploding-bomb.gdl");
    assert_eq!((form.roles().len(), form.sum()), (1, None));
    let plan = best_response(&form, 0, None);
    assert_near(plan.value, 90.0, 1e-9);
    let ask = probability(&game, &form.roles()[0], &plan.strategy, ("noop", "ask"));
    assert_near(ask, 1.0, 0.0);
    // The wire that the bomb is armed with explodes.
    let cut = ("noop ask red", "(cut blue)");
    assert_near(probability(&game, &form.roles()[0], &plan.strategy, cut), 1.0, 0.0);
    assert_near(solved(&form, 0.0).values[0], 90.0, 1e-9);

    let (game, form) = bundled("gdl-ii/monty-hall.gdl");
    let found = find_equilibrium(&form, &EquilibriumOptions::default(), &Budget::unlimited());
    assert_near(found.values[0], 200.0 / 3.0, 1e-9);
    assert_eq!((found.guaranteed, found.exploitability, found.iterations), (found.values.clone(), 0.0, 0));
    let switch = ("noop (choose 1) noop (opened 3)", "switch");
    assert_near(probability(&game, &form.roles()[0], &found.strategies[0], switch), 1.0, 0.0);
}

#[test]
fn nobody_tells_how_the_bomb_is_armed() {
    let (game, form) = bundled("gdl-ii/exploding-bomb-tell.gdl");
    let found = solved(&form, 0.001);
    assert_near(found.values[0], 50.0, 0.002);
    let [agent, opponent] = form.roles() else { panic!("two roles play") };
    for (color, other) in [("red", "blue"), ("blue", "red")] {
        let arm = format!("(arm {color})");
        assert_near(probability(&game, agent, &found.strategies[0], ("", &arm)), 0.5, 0.01);
        assert_near(probability(&game, agent, &found.strategies[0], (&arm, "noop")), 1.0, 0.01);
        let (told, cut) = (format!("noop noop {color}"), format!("(cut {other})"));
        assert_near(probability(&game, opponent, &found.strategies[1], (&told, &cut)), 1.0, 0.01);
        assert_near(probability(&game, opponent, &found.strategies[1], ("noop noop", &cut)), 0.5, 0.01);
    }
}

/// A bundled card game with a smaller deck, which leaves fewer rounds.
fn with_deck(name: &str, cards: &str) -> String {
    let path = Path::new("../../games/gdl-ii").join(name);
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<&str> = text.lines().filter(|line| !line.starts_with("next_card(")).collect();
    format!("{}\n{cards}\n", lines.join("\n"))
}

/// The card games of exercises 17.3 and 17.4.
#[test]
fn high_card_with_a_small_deck_is_solved() {
    // One round: bob wins with the highest card, and otherwise folds for nothing, which is a draw.
    let one_round = "next_card(2,3) next_card(3,4)";
    let (_, form) = of_rules(&with_deck("high-card.gdl", one_round));
    assert_near(solved(&form, 0.001).values[1], (100.0 + 50.0 + 50.0) / 3.0, 0.002);
    // Two rounds, in which both are first once.
    let two_rounds = "next_card(2,3) next_card(3,4) next_card(4,5) next_card(5,6)";
    let (_, form) = of_rules(&with_deck("high-card.gdl", two_rounds));
    assert!((0.0..=100.0).contains(&solved(&form, 0.5).values[0]));
    // With ten dollars each, a bet may be all that one has.
    let stakes = with_deck("high-card-stakes.gdl", one_round);
    let (_, form) = of_rules(&stakes.replace("init(money(P,100))", "init(money(P,10))"));
    solved(&form, 0.05);
}

#[test]
fn limits_end_the_search_with_what_was_found() {
    let (_, form) = bundled("gdl-ii/leduc-poker.gdl");
    let options = EquilibriumOptions { exploitability: 0.0, iterations: 10 };
    let found = find_equilibrium(&form, &options, &Budget::unlimited());
    assert_eq!((found.iterations, found.stopped.is_none()), (10, true));
    let more = EquilibriumOptions { iterations: 200, ..options.clone() };
    let later = find_equilibrium(&form, &more, &Budget::unlimited());
    assert!(
        later.exploitability < found.exploitability / 4.0,
        "{} {}",
        later.exploitability,
        found.exploitability
    );
    let stopped = find_equilibrium(&form, &more, &Budget::unlimited().with_work(2 * found.work));
    assert!(matches!(stopped.stopped, Some(LimitError::Work { .. })));
    assert!((10..200).contains(&stopped.iterations) && stopped.exploitability < found.exploitability);
}

#[test]
fn strategies_are_told_in_words() {
    let (game, form) = bundled("gdl-ii/kuhn-poker.gdl");
    let found = solved(&form, 0.01);
    let write = |term| game.machine.signature().terms().infix(term);
    let texts = |form: &SequenceForm, role| strategy_text(form, role, &found.strategies, &write);
    let alice = texts(&form, 0);
    let lines: Vec<String> = alice.iter().map(ToString::to_string).collect();
    assert_eq!(lines[0], "sees dealt(jack)");
    assert!(lines.contains(&"sees dealt(queen); check; sees move(bob,bet)".to_owned()), "{lines:?}");
    let first: f64 = alice.iter().filter(|set| set.told.len() == 1).map(|set| set.reach).sum();
    assert_near(first, 1.0, 1e-9);
    for set in &alice {
        assert_near(set.moves.iter().map(|action| action.probability).sum(), 1.0, 1e-9);
    }
    // Bob is asked after a check and after a bet: surely once, whatever alice does.
    assert_near(texts(&form, 1).iter().map(|set| set.reach).sum(), 1.0, 1e-9);
    // In games of simultaneous moves each hears what all did.
    let (game, form) = bundled("gdl/rock-paper-scissors.kif");
    let found = solved(&form, 1.0);
    let write = |term| game.machine.signature().text(term);
    let left = strategy_text(&form, 0, &found.strategies, &write);
    assert_eq!(left[0].to_string(), "nothing yet");
    assert!(left.iter().any(|set| set.to_string() == "paper rock; rock scissors"));
}
