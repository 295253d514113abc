//! The moves with which a match begins, among what a start message tells beside rules and clocks.
//!
//! A match may begin in the middle of a game: moves were taken back, or somebody goes on from a replay. No message of
//! the protocol says so, so the start message has a pair `(does 1 white)` with the move for each role of each step.
//! Players of others do not know these pairs, and are given no such matches.

use std::collections::BTreeMap;

use super::{StartMessage, match_key};

/// What a start message says of a move: its step, from 1, the role and the move, terms in prefix notation.
pub(crate) fn made_move(step: usize, role: &str, action: String) -> (String, String) {
    (format!("(does {step} {role})"), action)
}

impl StartMessage {
    /// The joint moves with which the match begins, in the order of these roles (terms in prefix notation); none in a
    /// match that begins with its first move. What is not a move of each role ends the list.
    pub fn made_moves(&self, roles: &[String]) -> Vec<Vec<String>> {
        let told: BTreeMap<String, &String> =
            self.more.iter().map(|(name, action)| (match_key(name), action)).collect();
        let find = |step: usize, role: &String| {
            let (name, _) = made_move(step, role, String::new());
            told.get(&match_key(&name)).map(|action| (*action).clone())
        };
        let joint = |step| roles.iter().map(|role| find(step, role)).collect::<Option<Vec<_>>>();
        (1..).map_while(joint).take_while(|joint| !joint.is_empty()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::{Request, read_request, write_request};
    use ludex_gdl::Notation;

    #[test]
    fn moves_come_through_a_message() {
        let roles = ["white".to_owned(), "black".to_owned()];
        let more = [("(player white)", "ann"), ("(does 1 white)", "(mark 1 1)"), ("(does 1 black)", "noop")];
        let more: Vec<(String, String)> = more.map(|(name, value)| (name.into(), value.into())).to_vec();
        let more = [more, vec![made_move(2, "white", "noop".into())]].concat();
        let start = StartMessage {
            id: "m1".into(),
            role: "white".into(),
            rules: "(role white)".to_owned().into(),
            start_clock: 1,
            play_clock: 1,
            more: more.into(),
            ..StartMessage::default()
        };
        for notation in [Notation::Prefix, Notation::Infix] {
            let text = write_request(&Request::Start(Box::new(start.clone())), notation);
            let Ok(Request::Start(read)) = read_request(&text).map(|read| read.request) else {
                panic!("{text}")
            };
            // The second step is not whole.
            assert_eq!(read.made_moves(&roles), [["(mark 1 1)", "noop"]], "{text}");
        }
        assert!(StartMessage::default().made_moves(&roles).is_empty());
        assert!(start.made_moves(&[]).is_empty(), "a game without roles has no moves");
    }
}
