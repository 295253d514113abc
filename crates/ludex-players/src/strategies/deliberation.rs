//! The strategy `deliberation`.

use ludex_game::{Answer, GameError};

use crate::explorer::Explorer;
use crate::minimax::{Conservative, MinimaxOptions, MinimaxSearch, Pruning, tell};
use crate::registry::BuiltIn;
use crate::strategy::{Strategy, Turn};
use crate::strategy_player::StrategyPlayer;

pub(crate) const INFO: BuiltIn = BuiltIn {
    name: "deliberation",
    description: "compulsive deliberation: searches the whole game tree anew on every step (5.3)",
    options: &[],
    make: |_, resources| Ok(Box::new(StrategyPlayer::new(Deliberation, resources))),
};

/// How many states are opened in a turn that nothing else limits.
pub(crate) const DEFAULT_NODES: u64 = 2_000_000;

/// Nothing beside a move that guarantees 100 or a reply that leaves 0 (book 6.3).
pub(crate) const NEEDED: Pruning = Pruning::Bounded { low: 0.0, high: 100.0 };

/// Compulsive deliberation (book 5.3): on every step the whole tree below, independent of the steps
/// before. A move that guarantees 100 ends it; below the root everything is looked at, as in the book's
/// `maxscore`.
///
/// In games of several roles the score of a move is what it guarantees: the others, who may act
/// together, answer as badly for the player as they can (minimax, 6.2), and a random role's moves are
/// averaged. Where there is one player, a search that is stopped plays the move below which it has
/// seen the best end; with several, the best of the moves that it has finished.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deliberation;

impl Strategy for Deliberation {
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let nodes = if turn.is_unlimited() { DEFAULT_NODES } else { u64::MAX };
        deliberate(turn, Pruning::AtRoot, nodes).map(drop)
    }
}

/// Rates all moves of a turn by minimax without a table, or as many as `nodes` states allow, and says whether it
/// finished.
///
/// # Errors
/// A limit, after telling the turn what was found out; or what the machine answers.
pub(crate) fn deliberate(turn: &mut Turn<'_>, pruning: Pruning, nodes: u64) -> Answer<bool> {
    if let Some(&first) = turn.legal.first() {
        turn.advise(first);
    }
    let mut explorer = Explorer::new(turn).up_to(nodes);
    let mut search = MinimaxSearch::new(MinimaxOptions { pruning, ..MinimaxOptions::default() });
    let state = turn.state;
    let found = search.run(&mut explorer, &mut Conservative, state, None, &mut |found| tell(turn, found));
    turn.note("nodes", explorer.nodes());
    match found {
        Ok(found) => Ok(found.is_complete),
        Err(GameError::Limit(_)) if explorer.is_spent() => Ok(false),
        Err(error) => Err(error),
    }
}
