//! Asking a player for a move in a position: without a clock, what it says depends on its seed and nothing else.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{News, RoleId, Rules};
use ludex_logic::{Budget, TermId};
use ludex_players::{Player, Resources, Seat, create};
use ludex_testkit::within;

/// The time on the wall that a player has.
#[derive(Clone, Copy, Debug)]
pub struct Clocks {
    /// To get ready at the start of the game.
    pub start: Duration,
    /// For the move.
    pub play: Duration,
}

/// A player by its text in its seat at the start of a game, with this to get ready.
///
/// # Errors
/// That there is no such player, or why it cannot play.
pub fn seated(
    rules: &Rules,
    role: RoleId,
    player: &str,
    seed: u64,
    budget: &Budget,
) -> Result<Box<dyn Player>, String> {
    let resources = Resources { memory: 256 << 20, ..Resources::from_seed(seed) };
    let mut player = create(player, &resources).map_err(|error| error.to_string())?;
    let seat = Seat {
        program: Arc::clone(rules.program()),
        machine: Arc::clone(rules.machine()),
        upgrade: None,
        analysis: None,
        role,
    };
    player.prepare(seat, budget).map_err(|error| error.to_string())?;
    Ok(player)
}

/// The move that a player chooses after these joint moves; where no clock runs, when its own limits say so.
///
/// # Errors
/// As [`seated`], or why it has no answer.
pub fn choice(
    rules: &Rules,
    joints: &[Vec<TermId>],
    role: RoleId,
    player: &str,
    seed: u64,
    clocks: Option<Clocks>,
) -> Result<TermId, String> {
    let budget =
        |time: fn(Clocks) -> Duration| clocks.map_or_else(Budget::unlimited, |clocks| within(time(clocks)));
    let mut player = seated(rules, role, player, seed, &budget(|clocks| clocks.start))?;
    for joint in joints {
        player.observe(&News::Joint(joint.clone()));
    }
    let choice = player.choose(&budget(|clocks| clocks.play)).map_err(|error| error.to_string())?;
    Ok(choice.action)
}
