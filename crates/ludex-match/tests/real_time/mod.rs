//! The Game Manager of rtGDL, with clocks that tests set.

mod chance;
mod conversation;
mod course;
mod follower;
mod harness;
mod records;
mod resume;
mod simulated;
mod views;
mod worlds;

use std::sync::Arc;

use ludex_game::{TimedRuleMachine, TimedRuleMachineOptions, TimedRules};
use ludex_gdl::{GameTime, LoadOptions, Source, load};
use ludex_logic::Budget;

/// The rules of a text.
pub fn parse(name: &str, text: &str) -> TimedRules {
    let mut checked = load(Arc::new(Source::new(name, text)), &LoadOptions::default());
    let game = checked.game.take().expect("the rulesheet has no errors");
    let options = TimedRuleMachineOptions {
        notation: checked.rulesheet.notation,
        ..TimedRuleMachineOptions::default()
    };
    let machine = Arc::new(TimedRuleMachine::new(&game, &options).unwrap());
    TimedRules::new(checked, machine, "rules", Budget::unlimited())
}

/// The rules of a bundled rulesheet, such as `xwing`.
pub fn bundled(name: &str) -> TimedRules {
    let path = format!("{}/../../games/rtgdl/{name}.gdl", env!("CARGO_MANIFEST_DIR"));
    parse(name, &std::fs::read_to_string(path).unwrap())
}

pub fn time(text: &str) -> GameTime {
    GameTime::parse(text).unwrap()
}

/// Two guns: blue's is loaded after 0.5 units of time, red's after 1.5, and again 1.5 after each shot. A bell at 3 ends
/// the game.
pub const GUNS: &str = "
    role(red) role(blue)
    init(1.5,loading(red)) init(0.5,loading(blue)) init(3.0,bell)
    next(T,loading(R)) :- true(T,loading(R))
    next(infinity,loaded(R)) :- expired(loading(R))
    next(T,loaded(R)) :- true(T,loaded(R)) & ~fired(R)
    next(1.5,loading(R)) :- fired(R)
    fired(R) :- does(R,fire)
    next(infinity,last(R)) :- fired(R)
    next(T,last(R)) :- true(T,last(R))
    next(T,bell) :- true(T,bell)
    legal(R,fire) :- true(T,loaded(R))
    terminal :- expired(bell)
    goal(R,100) :- true(T,last(R))
    goal(R,0) :- role(R) & ~ever(R)
    ever(R) :- true(T,last(R))
";
