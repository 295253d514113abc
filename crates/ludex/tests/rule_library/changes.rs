//! Libraries that say how facts change: cells, turns, steps, points, goals, dice, cards.

use ludex::gdl::Notation;
use ludex::rule_library::Selection;
use ludex::{Game, Position};

use super::game;

fn with(parts: &[(&str, &[&str])], set: &[(&str, &str)], own: &str) -> Game {
    let mut selection = Selection::new();
    for (name, value) in set {
        selection.set(name, value).unwrap();
    }
    for (library, parts) in parts {
        selection.add(library, parts).unwrap();
    }
    game(&(selection.text(Notation::Prefix).unwrap() + own))
}

fn facts(position: &Position) -> Vec<String> {
    position.fact_texts()
}

#[test]
fn turns_go_round_and_steps_run_out() {
    let own =
        "(<= (legal ?r move) (true (control ?r)))\n(<= terminal time_is_up)\n(<= (goal ?r 0) (role ?r))\n";
    let game = with(&[("turns", &["noop"]), ("steps", &[])], &[("roles", "a,b,c"), ("limit", "4")], own);
    let mut position = game.start();
    for (step, who) in ["a", "b", "c", "a", "b"].iter().enumerate() {
        assert!(facts(&position).contains(&format!("(control {who})")), "{step}");
        assert!(facts(&position).contains(&format!("(step {step})")));
        assert_eq!(position.terminal().unwrap(), step == 4);
        for role in game.roles() {
            let expected = if game.role_name(role) == *who { "move" } else { "noop" };
            assert_eq!(position.legal_texts(role).unwrap(), [expected]);
        }
        if step < 4 {
            let joint: Vec<&str> =
                ["a", "b", "c"].iter().map(|role| if role == who { "move" } else { "noop" }).collect();
            position.play_joint(&joint).unwrap();
        }
    }
}

#[test]
fn who_is_stuck_passes() {
    let own = "(<= (can_move a) (role a))\n(<= (legal ?r move) (true (control ?r)) (can_move ?r))\n\
               (<= terminal (true (control c)))\n(<= (goal ?r 0) (role ?r))\n";
    let game = with(&[("turns", &["noop", "pass"])], &[("roles", "a,b")], own);
    let mut position = game.start();
    let black = game.find_role("b").unwrap();
    position.play_joint(&["move", "noop"]).unwrap();
    assert_eq!(position.legal_texts(black).unwrap(), ["pass"]);
}

#[test]
fn cells_change_only_where_they_become_something() {
    let own = "(role you)\n(init (cell 1 1 a))\n(init (cell 2 1 b))\n(legal you go)\n(legal you stay)\n\
               (<= (becomes 1 1 c) (does you go))\n(<= terminal (true nothing))\n(goal you 0)\n";
    let game = with(&[("cells", &[])], &[], own);
    let mut position = game.start();
    position.play_joint(&["stay"]).unwrap();
    assert_eq!(facts(&position), ["(cell 1 1 a)", "(cell 2 1 b)"]);
    position.play_joint(&["go"]).unwrap();
    assert_eq!(facts(&position), ["(cell 1 1 c)", "(cell 2 1 b)"]);
}

#[test]
fn points_add_up_to_the_target() {
    let own = "(<= (legal ?r (take ?n)) (role ?r) (number ?n))\n(<= (gains ?r ?n) (does ?r (take ?n)))\n\
               (<= terminal (has_target ?r))\n(<= (goal ?r 0) (role ?r) (not (leads ?r)))\n(<= (goal ?r 100) (leads ?r))\n";
    let game = with(&[("scores", &[]), ("numbers", &["number"])], &[("target", "5")], own);
    let mut position = game.start();
    let mut scores = [0, 0];
    for (white, black) in [(2, 0), (1, 4), (0, 2), (2, 1)] {
        position.play_joint(&[format!("(take {white})"), format!("(take {black})")]).unwrap();
        for (score, gain) in scores.iter_mut().zip([white, black]) {
            // What would go past the target is lost.
            if *score + gain <= 5 {
                *score += gain;
            }
        }
        let found = facts(&position);
        assert!(found.contains(&format!("(score white {})", scores[0])), "{found:?}");
        assert!(found.contains(&format!("(score black {})", scores[1])), "{found:?}");
        let leads = |mine: u32, other: u32| Some(if mine > other { 100 } else { 0 });
        assert_eq!(position.goals().unwrap(), [leads(scores[0], scores[1]), leads(scores[1], scores[0])]);
        assert_eq!(position.terminal().unwrap(), scores.contains(&5));
    }
}

#[test]
fn goals_follow_from_who_has_won() {
    for (outcome, roles, winners, expected) in [
        ("draw", "a,b,c", "", vec![50, 50, 50]),
        ("draw", "a,b,c", "b", vec![0, 100, 0]),
        ("shared", "a,b,c", "a b", vec![50, 50, 0]),
        ("shared", "a,b,c", "c", vec![0, 0, 100]),
        ("alone", "a", "", vec![0]),
        ("alone", "a", "a", vec![100]),
    ] {
        let wins: String = winners.split_whitespace().map(|role| format!("(wins {role})\n")).collect();
        let own = format!(
            "{wins}(<= (wins ?r) (true (nothing ?r)))\n(<= (legal ?r wait) (role ?r))\n(<= terminal (true nothing))\n"
        );
        let game = with(&[("goals", &[])], &[("outcome", outcome), ("roles", roles)], &own);
        let goals: Vec<u32> = game.start().goals().unwrap().into_iter().map(Option::unwrap).collect();
        assert_eq!(goals, expected, "{outcome} {winners}");
    }
}

#[test]
fn a_die_is_thrown_and_seen() {
    let own =
        "(<= (legal ?r wait) (player ?r))\n(<= terminal (true nothing))\n(<= (goal ?r 0) (player ?r))\n";
    let game = with(&[("dice", &[])], &[("sides", "4")], own);
    let (white, random) = (game.find_role("white").unwrap(), game.random_role().unwrap());
    let mut position = game.start();
    assert_eq!(position.legal_texts(random).unwrap().len(), 4);
    position.play_joint(&["wait", "wait", "(throw 3)"]).unwrap();
    assert_eq!(game.rules().texts(position.percepts(white)), ["(throw 3)"]);
}

#[test]
fn cards_are_dealt_in_turn_seen_by_their_owners_and_played() {
    let own = "(<= terminal (true nothing))\n(<= (goal ?r 0) (player ?r))\n";
    let game = with(&[("cards", &[])], &[("ranks", "2"), ("hand", "2")], own);
    let roles = ["white", "black"].map(|name| game.find_role(name).unwrap());
    let random = game.random_role().unwrap();
    let mut position = game.start();
    let mut hands = [Vec::new(), Vec::new()];
    for step in 0..4 {
        assert_eq!(position.legal_texts(random).unwrap().len(), 4 - step);
        let card = position.legal_texts(random).unwrap().remove(0);
        position.play_joint(&["wait", "wait", &card]).unwrap();
        let seen = card.replace("deal", "card");
        assert_eq!(game.rules().texts(position.percepts(roles[step % 2])), [seen]);
        assert!(position.percepts(roles[(step + 1) % 2]).is_empty());
        hands[step % 2].push(card.replace("deal", "play"));
    }
    assert_eq!(position.legal_texts(random).unwrap(), ["wait"]);
    for (role, hand) in roles.into_iter().zip(&mut hands) {
        hand.sort();
        assert_eq!(position.legal_texts(role).unwrap(), *hand);
    }
    for _ in 0..2 {
        position.play_joint(&[hands[0].remove(0), hands[1].remove(0), "wait".into()]).unwrap();
    }
    assert_eq!(position.legal_texts(roles[0]).unwrap(), ["wait"]);
    assert!(facts(&position).iter().all(|fact| !fact.starts_with("(hand") && !fact.starts_with("(pack")));
}
