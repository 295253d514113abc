//! Which rule it was: for messages about lifetimes that are none, and about updates without end.

use ludex_gdl::GameProgram;
use ludex_logic::derive::{Derivations, ExplainOptions, Node, Query, Reason};
use ludex_logic::{Budget, GroundAtom, Id};

/// Steps of inference for a place in a message.
const WORK: u64 = 1_000_000;

/// The line and column of the clause that derives an atom from given facts; `None` where that takes too long to find.
pub(super) fn rule_place(game: &GameProgram, given: &[GroundAtom], atom: &GroundAtom) -> Option<String> {
    let mut meter = Budget::unlimited().with_work(WORK).meter();
    let mut derivations = Derivations::new(&game.program, given).ok()?;
    let options = ExplainOptions { refutations: 0 };
    let proof = derivations.explain(&Query::ground(atom), &options, &mut meter).ok()?;
    let Node::Holds { reason: Reason::Clause(clause), .. } = proof.nodes.get(*proof.roots.first()?)? else {
        return None;
    };
    let origin = game.program.clauses[*clause].origin;
    let written = if origin.index() < game.spans.len() { origin } else { *clause };
    let span = game.spans.get(written)?;
    Some(game.source.position(span.start as usize).to_string())
}
