//! Games in real time: the rule machine, the net machine and Definition 1.

mod bundled;
mod playouts;
mod random_games;
mod refusals;

use std::sync::Arc;

use ludex_game::{RoleId, TimedMachine, TimedRunner, TimedState};
use ludex_gdl::{GameProgram, LoadOptions, Source, load};

/// The game of a text that has no errors.
fn game(text: &str) -> GameProgram {
    let checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{text}\n{:?}", checked.diagnostics);
    checked.game.unwrap()
}

/// The facts of a state as texts, `1.5 cell(1,1)`, and what expired, `-bell`; sorted.
fn texts(machine: &dyn TimedMachine, state: &TimedState) -> Vec<String> {
    let facts = state.facts().iter().map(|&(lifetime, fact)| format!("{lifetime} {}", machine.text(fact)));
    let expired = state.expired().iter().map(|&fact| format!("-{}", machine.text(fact)));
    let mut texts: Vec<String> = facts.chain(expired).collect();
    texts.sort();
    texts
}

/// Compares all that two runners of one game answer. Their machines have the same terms.
fn compare(machine: &dyn TimedMachine, one: &mut dyn TimedRunner, other: &mut dyn TimedRunner, what: &str) {
    assert_eq!(
        one.state(),
        other.state(),
        "{what}: {:?}",
        [one.state(), other.state()].map(|s| texts(machine, s))
    );
    assert_eq!(one.expired(), other.expired(), "{what}");
    assert_eq!(one.time_to_expiry(), other.time_to_expiry(), "{what}");
    assert_eq!(one.terminal(), other.terminal(), "{what}");
    for role in (0..machine.roles().len() as u32).map(RoleId) {
        assert_eq!(one.legal(role), other.legal(role), "{what}");
        assert_eq!(one.goal(role), other.goal(role), "{what}");
        assert_eq!(one.percepts(role), other.percepts(role), "{what}");
    }
}
