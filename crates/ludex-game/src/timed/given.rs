//! What the rules are asked with, as atoms: for the machine, and for those who explain.

use ludex_gdl::{GameProgram, Lifetime};
use ludex_logic::{GroundAtom, TermId};

use crate::signature::RoleId;

/// Facts with their lifetimes, what expired and who makes which move, as facts of the program: `true(T,F)`, `expired(F)`,
/// `does(R,M)`, in this order.
///
/// ```
/// use ludex_game::{TimedMachine, TimedRuleMachine, timed_given};
/// use ludex_gdl::GameTime;
///
/// let text = "role(you). init(2.5, bomb). init(1, hint). legal(you, defuse) ⇐ true(T, bomb). next(T, F) ⇐ true(T, F).
///     terminal ⇐ expired(bomb). goal(you, 0).";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("bomb.gdl", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = TimedRuleMachine::new(&game, &Default::default())?;
/// // What the update is asked with at which the hint expires.
/// let left = machine.initial().after(GameTime::ONE);
/// let given = timed_given(&game, &left.facts, &left.expired, &[]);
/// let texts = given.iter().map(|atom| atom.args.iter().map(|&term| machine.text(term)).collect::<Vec<_>>().join(" "));
/// assert_eq!(texts.collect::<Vec<_>>(), ["1.5 bomb", "hint"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn timed_given(
    game: &GameProgram,
    facts: &[(Lifetime, TermId)],
    expired: &[TermId],
    moves: &[(RoleId, TermId)],
) -> Vec<GroundAtom> {
    let v = &game.vocabulary;
    let holds = facts.iter().map(|&(lifetime, fact)| {
        let args = Box::new([game.program.terms.constant(&lifetime.to_string()), fact]);
        GroundAtom { relation: v.truth, args }
    });
    let over = expired.iter().zip(v.expired.into_iter().cycle());
    let over = over.map(|(&fact, relation)| GroundAtom { relation, args: Box::new([fact]) });
    let made = moves.iter().filter_map(|&(role, action)| {
        Some(GroundAtom { relation: v.does, args: Box::new([*game.roles.get(role.index())?, action]) })
    });
    holds.chain(over).chain(made).collect()
}
