//! Asking a player for a move in a position, without a clock: what it says depends on its seed and nothing else.

use std::sync::Arc;

use ludex_game::{News, RoleId, Rules};
use ludex_logic::{Budget, TermId};
use ludex_players::{Player, Resources, Seat, create};

/// A player by its text in its seat at the start of a game.
///
/// # Errors
/// That there is no such player, or why it cannot play.
pub fn seated(rules: &Rules, role: RoleId, player: &str, seed: u64) -> Result<Box<dyn Player>, String> {
    let resources = Resources { memory: 256 << 20, ..Resources::from_seed(seed) };
    let mut player = create(player, &resources).map_err(|error| error.to_string())?;
    let seat = Seat {
        program: Arc::clone(rules.program()),
        machine: Arc::clone(rules.machine()),
        upgrade: None,
        analysis: None,
        role,
    };
    player.prepare(seat, &Budget::unlimited()).map_err(|error| error.to_string())?;
    Ok(player)
}

/// The move that a player chooses after these joint moves.
///
/// # Errors
/// As [`seated`], or why it has no answer.
pub fn choice(
    rules: &Rules,
    joints: &[Vec<TermId>],
    role: RoleId,
    player: &str,
    seed: u64,
) -> Result<TermId, String> {
    let mut player = seated(rules, role, player, seed)?;
    for joint in joints {
        player.observe(&News::Joint(joint.clone()));
    }
    let choice = player.choose(&Budget::unlimited()).map_err(|error| error.to_string())?;
    Ok(choice.action)
}
