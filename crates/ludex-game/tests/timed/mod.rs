//! Games in real time.

mod hostile;
mod runner;
mod timeline;

use std::sync::Arc;

use ludex_game::{TimedMachine, TimedRuleMachine, TimedState};
use ludex_gdl::{GameProgram, GameTime, LoadOptions, Source, load};

/// The game of a text that has no errors.
fn game(text: &str) -> GameProgram {
    let checked = load(Arc::new(Source::new("test", text)), &LoadOptions::default());
    assert!(!checked.has_errors(), "{text}\n{:?}", checked.diagnostics);
    checked.game.unwrap()
}

fn machine(text: &str) -> TimedRuleMachine {
    TimedRuleMachine::new(&game(text), &Default::default()).unwrap()
}

fn time(text: &str) -> GameTime {
    GameTime::parse(text).unwrap()
}

/// The facts of a state as texts, `1.5 cell(1,1)`, and what expired, `-bell`; sorted.
fn texts(machine: &dyn TimedMachine, state: &TimedState) -> Vec<String> {
    let facts = state.facts().iter().map(|&(lifetime, fact)| format!("{lifetime} {}", machine.text(fact)));
    let expired = state.expired().iter().map(|&fact| format!("-{}", machine.text(fact)));
    let mut texts: Vec<String> = facts.chain(expired).collect();
    texts.sort();
    texts
}
