//! Rules for tests.

use std::sync::Arc;

use ludex_game::{RuleMachine, RuleMachineOptions, Rules};
use ludex_gdl::{LoadOptions, Source, load};
use ludex_logic::Budget;

/// The rules of a bundled rulesheet, such as `gdl/tic-tac-toe.kif`, on the rule machine.
pub fn rules(path: &str) -> Rules {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../games/");
    let text = std::fs::read_to_string(format!("{folder}{path}")).unwrap();
    parse(path, &text)
}

/// The rules of a text.
pub fn parse(name: &str, text: &str) -> Rules {
    let mut checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
    let program = Arc::new(checked.game.take().expect("the rulesheet has no errors"));
    let options =
        RuleMachineOptions { notation: checked.rulesheet.notation, tune: false, ..Default::default() };
    let machine = Arc::new(RuleMachine::new(&program, &options).unwrap());
    Rules::new(checked, program, machine, "rules", Budget::unlimited())
}
