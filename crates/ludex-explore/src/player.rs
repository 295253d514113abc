//! What a player of games without rules does.

use ludex_logic::Budget;
use ludex_match::blind::Structure;

use crate::explorer::Explorer;
use crate::q_learning::{QLearner, QOptions};
use crate::random::RandomBlindPlayer;

/// A player of one game and role, of which it was told the structure and no rules. It plays one match after the other.
/// All terms are in prefix notation; percepts are those of [`ludex_match::blind::percepts`].
pub trait BlindPlayer: Send {
    /// Thinks about what was seen so far, before a match begins.
    fn prepare(&mut self, _budget: &Budget) {}

    /// A match begins, in which this is perceived first. A match that was not [ended](Self::end) is given up.
    fn begin(&mut self, percepts: &[String]);

    /// What to do now: one of the role's actions. What is not legal will be replaced.
    fn choose(&mut self, budget: &Budget) -> String;

    /// A step was made: what the player did, which need not be what it chose, and what it perceives now. Only where the
    /// percepts say so was its choice refused: it may also have been late.
    fn observe(&mut self, action: &str, percepts: &[String]);

    /// The last step that was observed ended the match.
    fn end(&mut self);
}

/// The names of all players of games without rules, the best first, with a line about each.
pub fn blind_players() -> &'static [(&'static str, &'static str)] {
    &[
        ("explorer", "learns the rules from what it sees, and plans with them; goes where it knows little"),
        ("q-learning", "a table of what actions were worth in states (Watkins 1989)"),
        ("random", "one of its actions, whatever it perceives"),
    ]
}

/// The player of a name, if there is one, and a role, which is a position in the structure.
pub fn blind_player(
    name: &str,
    structure: &Structure,
    role: usize,
    seed: u64,
) -> Option<Box<dyn BlindPlayer>> {
    structure.actions.get(role)?;
    match name {
        "explorer" => Some(Box::new(Explorer::new(structure, role, seed))),
        "q-learning" => Some(Box::new(QLearner::new(structure, role, seed, QOptions::default()))),
        "random" => Some(Box::new(RandomBlindPlayer::new(structure, role, seed))),
        _ => None,
    }
}
