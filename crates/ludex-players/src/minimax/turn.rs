//! Searching for a move, and telling the turn what was found.

use std::fmt::Write;

use ludex_game::Answer;

use super::{DEPTH_LIMIT, Horizon, MinimaxSearch, RootMove, SearchResult};
use crate::explorer::{Explorer, STEPS_PER_NODE};
use crate::strategy::{Rating, Turn};

/// The states that a search looks at for one move where nothing else ends it.
pub const NODES_WITHOUT_LIMIT: u64 = 50_000;

/// The nodes of so many depths are noted; some games are searched to thousands.
const NOTED_DEPTHS: u32 = 100;

/// An explorer within the turn's budget, or within a number of nodes where that has no limits.
fn explorer<'t>(turn: &Turn<'t>) -> Explorer<'t> {
    if turn.is_unlimited() {
        let work = NODES_WITHOUT_LIMIT * STEPS_PER_NODE;
        return Explorer::within(turn.arena, &turn.budget.clone().with_work(work));
    }
    Explorer::new(turn)
}

/// Tells the turn what a move is worth.
pub(crate) fn tell(turn: &mut Turn<'_>, found: RootMove) {
    let proven = (found.is_proven && found.value.fract() == 0.0).then_some(found.value as u32);
    turn.rate(Rating { action: found.action, value: found.value, visits: 0, proven });
    if found.is_best {
        turn.advise(found.action);
    }
}

fn note_counts(turn: &mut Turn<'_>, search: &MinimaxSearch, nodes_before: u64) {
    turn.note("nodes", search.nodes() - nodes_before);
    if search.options().table_bytes > 0 {
        turn.note("table", search.table_len());
    }
}

/// Searches the turn's state to a depth, or to the end of the game where there is none, and tells the
/// turn the best move so far as it goes along; the nodes are noted also where a limit stops it.
///
/// # Errors
/// A limit, or what the machine answers.
pub fn search_turn(
    turn: &mut Turn<'_>,
    search: &mut MinimaxSearch,
    horizon: &mut dyn Horizon,
    limit: Option<u32>,
) -> Answer<SearchResult> {
    let mut explorer = explorer(turn);
    let (state, before) = (turn.state, search.nodes());
    let result = search.run(&mut explorer, horizon, state, limit, &mut |found| tell(turn, found));
    note_counts(turn, search, before);
    if let Ok(result) = &result {
        turn.note("value", result.value);
        turn.expect(std::slice::from_ref(&result.joint));
    }
    result
}

/// Searches the turn's state to depth 1, 2 and so on (iterative deepening, 7.2) until a limit stops it or
/// a search was complete, so that a deeper one would find the same. The nodes of each depth are noted.
///
/// # Errors
/// A limit, which is the usual end; or what the machine answers.
pub fn deepen_turn(
    turn: &mut Turn<'_>,
    search: &mut MinimaxSearch,
    horizon: &mut dyn Horizon,
    deepest: u32,
) -> Answer<SearchResult> {
    let mut explorer = explorer(turn);
    let (state, before) = (turn.state, search.nodes());
    let mut by_depth = String::new();
    let mut depth = 1;
    loop {
        let start = search.nodes();
        let result = search.run(&mut explorer, horizon, state, Some(depth), &mut |found| tell(turn, found));
        if depth <= NOTED_DEPTHS {
            // Writing to a string does not fail.
            let _ = write!(by_depth, "{}{}", if depth > 1 { " " } else { "" }, search.nodes() - start);
        }
        turn.note("nodes by depth", &by_depth);
        note_counts(turn, search, before);
        let result = result?;
        turn.note("depth", depth);
        turn.note("value", result.value);
        turn.expect(std::slice::from_ref(&result.joint));
        if result.is_complete || depth >= deepest.min(DEPTH_LIMIT) {
            return Ok(result);
        }
        depth += 1;
    }
}
