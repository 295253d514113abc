//! Descriptions of known games.

use super::*;

fn described(rules: &ludex_game::Rules) -> HowToPlay {
    let budget = Budget::unlimited().with_total_work(20_000_000);
    let structure = Structure::find(rules.program(), &**rules.machine(), &budget);
    HowToPlay::find(&Subject::new(rules), &structure, &HowToPlayOptions::default(), &budget)
}

fn bundled(name: &str) -> HowToPlay {
    described(&ludex_testkit::playable_bundled(name).unwrap())
}

fn text(found: &HowToPlay, topic: Topic) -> String {
    found.part(topic).map(Part::text).unwrap_or_default()
}

#[test]
fn breakthrough_is_told_from_its_rules() {
    let found = bundled("breakthrough");
    let aim = "Two players: white and black. They play against each other: what one gains, the other loses, and all \
               goals add up to 100. Each player has a goal value at the end, 0 or 100: the more, the better.\
               \n- ?p gets 100 if (won ?p)\n- ?p gets 0 if not (won ?p)";
    assert_eq!(text(&found, Topic::Aim), aim);
    assert_eq!(text(&found, Topic::Turns), "white and black take turns; white begins.");
    let moves = text(&found, Topic::Moves);
    assert!(moves.contains("- such as (move 1 2 1 3), from one square of the board to another: "), "{moves}");
    assert!(moves.ends_with("\n- noop: what a player does who has no choice"), "{moves}");
    assert_eq!(text(&found, Topic::End), "The game is over if this holds:\n- (won ?p)");
    let meaning = text(&found, Topic::Meaning);
    assert!(meaning.contains("(won white) if (cell ?x 8 white); "), "{meaning}");
    assert!(meaning.ends_with("(won ?p) if (opponent ?p ?q) and not (alive ?q)"), "{meaning}");
    let white = "- white brings onto the board by its moves: white (16 at first)";
    assert!(text(&found, Topic::Pieces).contains(white), "{}", text(&found, Topic::Pieces));
}

#[test]
fn what_is_simultaneous_or_left_to_chance_is_said() {
    let found = bundled("rock-paper-scissors");
    let turns = "left and right choose their moves at the same time, in every step.";
    assert_eq!(text(&found, Topic::Turns), turns);
    assert!(found.games.together);
    let moves = text(&found, Topic::Moves);
    assert!(moves.contains("- paper, rock, scissors: one of these words"), "{moves}");
    assert!(
        text(&found, Topic::End).starts_with("Whatever is done, it is over after 3 steps at the latest.")
    );
    assert_eq!(text(&found, Topic::Length), "Every random game had 3 steps.");
    let turns = text(&bundled("kuhn-poker"), Topic::Turns);
    assert!(
        turns.contains("Chance takes part") && turns.contains("Players do not see everything"),
        "{turns}"
    );
}

#[test]
fn one_player_has_no_opponents_and_no_turns() {
    let found = bundled("8-puzzle");
    assert!(text(&found, Topic::Aim).starts_with("One player plays alone."), "{}", text(&found, Topic::Aim));
    assert!(found.part(Topic::Turns).is_none());
    assert_eq!(found.games.usual_length(), Some(8));
}

#[test]
fn what_never_ends_is_said_and_has_no_end_to_be_shown() {
    let text_of = "role(a) init(p) legal(a,go) next(p) goal(a,50) terminal :- true(q)";
    let rules = ludex_testkit::playable("endless.gdl", text_of).unwrap();
    let found = described(&rules);
    assert_eq!(text(&found, Topic::Length), "No random game was over after 300 steps.");
    assert!(found.end.is_none());
    assert_eq!(found.games.usual_length(), Some(300));
    assert!(text(&found, Topic::Aim).contains("- a gets 50 in any case"), "{}", text(&found, Topic::Aim));
}

/// Where nothing may be spent, there is still an answer.
#[test]
fn without_a_budget_the_rules_are_told_alone() {
    let rules = ludex_testkit::playable_bundled("tic-tac-toe").unwrap();
    let structure = Structure::find(rules.program(), &**rules.machine(), &Budget::unlimited());
    let options = HowToPlayOptions::default();
    let none = Budget::unlimited().with_work(10).with_total_work(10);
    let found = HowToPlay::find(&Subject::new(&rules), &structure, &options, &none);
    assert!(
        text(&found, Topic::Aim).contains("white gets 100 if line(x) and not line(o)"),
        "{}",
        text(&found, Topic::Aim)
    );
    assert!(found.part(Topic::Length).is_none() && found.end.is_none());
}

#[test]
fn what_is_long_is_cut() {
    let many: String = (0..40).map(|n| format!("goal(a,{n}) :- true(at({n}))\n")).collect();
    let long: Vec<String> = (0..200).map(|n| format!("true(at({n}))")).collect();
    let text_of =
        format!("role(a) init(at(0)) legal(a,go) next(at(1)) {many} terminal :- {}", long.join(" & "));
    let found = described(&ludex_testkit::playable("long.gdl", &text_of).unwrap());
    let aim = found.part(Topic::Aim).unwrap();
    assert_eq!(aim.list.len(), 13);
    assert!(aim.text().ends_with("\n- and 28 more such rules"), "{}", aim.text());
    let end = text(&found, Topic::End);
    assert!(end.len() < 400 && end.ends_with(" …"), "{end}");
}
