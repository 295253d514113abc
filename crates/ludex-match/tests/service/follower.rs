//! What messages say about the course of a match.

use ludex_game::Rules;
use ludex_logic::TermId;
use ludex_match::Told;
use ludex_match::message::Last;
use ludex_match::service::{Doubt, Follower, Heard};

use crate::bundled::rules;

/// Follows a match in a state that is known.
struct Following {
    follower: Follower,
    rules: Rules,
    position: ludex_game::Position,
}

impl Following {
    fn new(path: &str, role: &str) -> Self {
        let rules = rules(path);
        let role = rules.find_role(role).unwrap();
        Self { follower: Follower::new(rules.clone(), role), position: rules.start(), rules }
    }

    fn answer(&mut self, action: &str) {
        self.follower.answer(Some(action.to_owned()));
    }

    /// How many steps a joint move is taken for.
    fn hear(&mut self, moves: &[&str], undelivered: bool) -> (usize, Vec<Doubt>) {
        let last = Last::Joint(moves.iter().map(|&m| m.to_owned()).collect());
        let (rules, state) = (&self.rules, self.position.state().clone());
        let mut is_legal = |joint: &[TermId]| {
            let mut roles = rules.roles().zip(joint);
            roles.all(|(role, action)| rules.legal(&state, role).unwrap().contains(action))
        };
        let (heard, doubts) = self.follower.hear(&last, undelivered, &mut is_legal);
        let Heard::Steps(steps) = heard else { return (0, doubts) };
        for told in &steps {
            let Told::Joint(joint) = told else { panic!("{told:?}") };
            // What is not possible is passed over.
            let _ = self.position.advance(joint);
        }
        (steps.len(), doubts)
    }
}

#[test]
fn steps_follow_each_other() {
    let mut match_ = Following::new("gdl/tic-tac-toe.kif", "white");
    match_.answer("(mark 1 1)");
    assert_eq!(match_.hear(&["(mark 1 1)", "noop"], false), (1, vec![]));
    match_.answer("noop");
    assert_eq!(match_.hear(&["noop", "(mark 2 2)"], false), (1, vec![]));
    assert_eq!(match_.follower.steps(), 2);
}

#[test]
fn moves_that_cannot_be_made_again_came_again() {
    let mut match_ = Following::new("gdl/tic-tac-toe.kif", "white");
    match_.answer("(mark 1 1)");
    match_.hear(&["(mark 1 1)", "noop"], false);
    match_.answer("noop");
    assert_eq!(match_.hear(&["(mark 1 1)", "noop"], false), (0, vec![Doubt::Again]));
    match_.answer("noop");
    match_.hear(&["noop", "(mark 2 2)"], false);
    assert_eq!(match_.hear(&["(mark 1 1)", "noop"], false), (0, vec![Doubt::Old]));
}

#[test]
fn moves_that_can_be_made_again_are_a_step_if_the_player_agrees() {
    let rock = ["rock", "rock"];
    let begin = |answer: &str| {
        let mut match_ = Following::new("gdl/rock-paper-scissors.kif", "left");
        match_.answer("rock");
        assert_eq!(match_.hear(&rock, false), (1, vec![]));
        match_.answer(answer);
        match_
    };
    assert_eq!(begin("rock").hear(&rock, false), (1, vec![]), "it made the same move again");
    assert_eq!(begin("paper").hear(&rock, false), (0, vec![Doubt::Again]), "it made another");
    assert_eq!(begin("rock").hear(&rock, true), (0, vec![Doubt::Again]), "its answer was lost");
}

#[test]
fn what_is_not_possible_is_told_with_a_doubt() {
    let mut match_ = Following::new("gdl/tic-tac-toe.kif", "black");
    assert_eq!(match_.hear(&["noop", "(mark 1 1)"], false), (1, vec![Doubt::Impossible]));
    assert_eq!(match_.hear(&["(mark 1 1)"], false), (1, vec![Doubt::Moves(1)]));
    assert_eq!(match_.hear(&["(((", "(unheard of)"], false), (1, vec![Doubt::Impossible]));
}

#[test]
fn a_replaced_move_is_noticed() {
    let mut match_ = Following::new("gdl/tic-tac-toe.kif", "white");
    match_.answer("(mark 1 1)");
    let replaced = Doubt::Replaced { answered: "(mark 1 1)".into(), made: "(mark 3 3)".into() };
    assert_eq!(match_.hear(&["(mark 3 3)", "noop"], false), (1, vec![replaced]));
}

/// A message of GDL-II: what it is taken for, as texts.
fn hear(
    follower: &mut Follower,
    rules: &Rules,
    turn: u32,
    action: Option<&str>,
    seen: &[&str],
) -> (Vec<String>, Vec<Doubt>) {
    let percepts = seen.iter().map(|&p| p.to_owned()).collect();
    let last = Last::Percepts { turn, action: action.map(str::to_owned), percepts };
    let (heard, doubts) = follower.hear(&last, false, &mut |_| panic!("turns are numbered"));
    let Heard::Steps(steps) = heard else { return (Vec::new(), doubts) };
    let text = |told| match told {
        Told::Percepts { action, percepts } => {
            format!("{} {:?}", rules.text(action), rules.texts(&percepts))
        }
        Told::Joint(_) => panic!("nobody sees the joint move"),
    };
    (steps.into_iter().map(text).collect(), doubts)
}

#[test]
fn turns_are_counted() {
    let rules = rules("gdl-ii/blind-tic-tac-toe.kif");
    let mut follower = Follower::new(rules.clone(), rules.find_role("white").unwrap());
    let mut hear = |turn, action, seen: &[&str]| hear(&mut follower, &rules, turn, action, seen);
    assert_eq!(hear(0, None, &[]), (vec![], vec![]));
    assert_eq!(hear(1, Some("(mark 1 1)"), &["ok"]), (vec![r#"(mark 1 1) ["ok"]"#.to_owned()], vec![]));
    assert_eq!(hear(1, Some("(mark 1 1)"), &["ok"]), (vec![], vec![Doubt::Again]));
    assert_eq!(hear(0, None, &[]), (vec![], vec![Doubt::Old]));
    let (steps, doubts) = hear(4, Some("(mark 2 2)"), &[]);
    assert_eq!((steps.len(), doubts), (3, vec![Doubt::Missed(2)]), "the count of steps is kept");
    assert_eq!(steps[2], "(mark 2 2) []");
    assert_eq!(hear(5, Some("(mark 3 3)"), &["ok"]).0.len(), 1);
    let (steps, doubts) = hear(u32::MAX, Some("(mark 3 3)"), &[]);
    assert!(steps.len() < 100 && doubts.len() == 1);
}

#[test]
fn some_count_from_one() {
    let rules = rules("gdl-ii/blind-tic-tac-toe.kif");
    let mut follower = Follower::new(rules.clone(), rules.find_role("white").unwrap());
    assert_eq!(hear(&mut follower, &rules, 1, None, &[]), (vec![], vec![]));
    let second = hear(&mut follower, &rules, 2, Some("(mark 1 1)"), &[]);
    assert_eq!(second, (vec!["(mark 1 1) []".to_owned()], vec![]));
}

/// Whoever has a description with an opening is in the first state once the first message came (book 19.7).
#[test]
fn an_opening_is_made_with_the_first_message() {
    let rules = rules("igdl/lights-alike.gdl");
    let mut follower = Follower::new(rules.clone(), rules.find_role("robot").unwrap());
    let mut hear = |turn, action, seen: &[&str]| hear(&mut follower, &rules, turn, action, seen);
    assert_eq!(hear(0, None, &["q"]), (vec![r#"wait ["q"]"#.to_owned()], vec![]));
    assert_eq!(hear(0, None, &["q"]), (vec![], vec![]));
    assert_eq!(hear(1, Some("a"), &[]), (vec!["a []".to_owned()], vec![]));
    assert_eq!(hear(1, Some("a"), &[]), (vec![], vec![Doubt::Again]));
    assert_eq!(hear(2, Some("b"), &["q"]).0, [r#"b ["q"]"#]);
}

/// The manager's game has no percepts: what it tells of moves is what is seen.
#[test]
fn moves_are_percepts_where_the_description_has_them() {
    let rules = rules("igdl/minefield-white.gdl");
    let mut follower = Follower::new(rules.clone(), rules.find_role("white").unwrap());
    let mut hear = |last: &Last| {
        let (heard, doubts) = follower.hear(last, false, &mut |_| panic!("it has no say"));
        assert_eq!(doubts, []);
        let Heard::Steps(steps) = heard else { return Vec::new() };
        let text = |told| match told {
            Told::Percepts { action, percepts } => {
                format!("{} {}", rules.text(action), rules.texts(&percepts).join(" "))
            }
            Told::Joint(joint) => panic!("{joint:?}"),
        };
        steps.into_iter().map(text).collect::<Vec<_>>()
    };
    assert_eq!(hear(&Last::Nothing), ["wait "]);
    assert!(hear(&Last::Nothing).is_empty());
    let joint = |moves: &[&str]| Last::Joint(moves.iter().map(|&m| m.to_owned()).collect());
    let seen = hear(&joint(&["(take 3)", "noop"]));
    assert_eq!(seen, ["take(3) move(black,noop) move(white,take(3))"]);
    assert_eq!(hear(&joint(&["noop", "(take 4)"])).len(), 1);
}
