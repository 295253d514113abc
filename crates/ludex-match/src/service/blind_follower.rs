//! What play messages say about the course of a match without rules.

use super::follower::Doubt;
use crate::message::Last;

/// What a message means to a player without rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BlindHeard {
    /// No step was made since the last message: the player is asked again.
    Same,
    /// The player knows nothing of the steps before: this is what it perceives first.
    Begun(Vec<String>),
    /// One step was made.
    Step {
        /// What the player did, which need not be what it answered.
        action: String,
        /// What it perceives now.
        percepts: Vec<String>,
    },
}

/// Follows a match by what its manager says, in the place of a player that knows no rules. All messages carry the number
/// of the turn.
///
/// ```
/// use ludex_match::message::Last;
/// use ludex_match::service::{BlindFollower, BlindHeard, Doubt};
///
/// let mut follower = BlindFollower::default();
/// let seen = |turn, action: Option<&str>| Last::Percepts {
///     turn,
///     action: action.map(str::to_owned),
///     percepts: vec!["(utility 0)".to_owned()],
/// };
/// assert!(matches!(follower.hear(&seen(0, None)).0, BlindHeard::Begun(_)));
/// follower.answer(Some("a".to_owned()));
/// assert!(matches!(follower.hear(&seen(0, None)).0, BlindHeard::Same));
/// // It was replaced.
/// let (heard, doubts) = follower.hear(&seen(1, Some("b")));
/// assert!(matches!(heard, BlindHeard::Step { action, .. } if action == "b"));
/// assert!(matches!(doubts[..], [Doubt::Replaced { .. }]));
/// // What is not known of two steps cannot be made up for.
/// let (heard, doubts) = follower.hear(&seen(4, Some("a")));
/// assert!(matches!(heard, BlindHeard::Begun(_)));
/// assert_eq!(doubts, [Doubt::Missed(2)]);
/// ```
#[derive(Clone, Debug, Default)]
pub struct BlindFollower {
    /// The turn of the last message.
    turn: Option<u32>,
    answered: Option<String>,
}

impl BlindFollower {
    /// Notes what was answered to the last message, a term in prefix notation.
    pub fn answer(&mut self, action: Option<String>) {
        self.answered = action;
    }

    /// Takes in what a message says happened.
    pub fn hear(&mut self, last: &Last) -> (BlindHeard, Vec<Doubt>) {
        let Last::Percepts { turn, action, percepts } = last else {
            return (BlindHeard::Same, vec![Doubt::Impossible]);
        };
        let begun = || BlindHeard::Begun(percepts.clone());
        let Some(known) = self.turn else {
            self.turn = Some(*turn);
            return (begun(), Vec::new());
        };
        if *turn <= known {
            return (BlindHeard::Same, vec![if *turn == known { Doubt::Again } else { Doubt::Old }]);
        }
        self.turn = Some(*turn);
        let answered = self.answered.take();
        let missed = turn - known - 1;
        if missed > 0 {
            return (begun(), vec![Doubt::Missed(missed)]);
        }
        let Some(made) = action.clone().or_else(|| answered.clone()) else {
            return (begun(), vec![Doubt::Impossible]);
        };
        let doubts = match answered {
            Some(answered) if answered != made => vec![Doubt::Replaced { answered, made: made.clone() }],
            _ => Vec::new(),
        };
        (BlindHeard::Step { action: made, percepts: percepts.clone() }, doubts)
    }
}
