//! The engines by name, and which one was chosen.

use std::fmt;
use std::str::FromStr;

use ludex_engine::NetSetup;

/// What runs a game.
///
/// ```
/// use ludex::Engine;
///
/// assert_eq!("lanes".parse(), Ok(Engine::Lanes));
/// assert!("warp".parse::<Engine>().is_err());
/// assert_eq!(Engine::NAMES.map(|(name, ..)| name), ["auto", "rules", "net", "lanes"]);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The net machine where the rules can be made a net within limits, else the rule machine.
    #[default]
    Auto,
    /// The rule machine: it runs every game from its rules.
    Rules,
    /// The net machine: one state at a time as a propositional net, and batches in lanes.
    Net,
    /// Lanes for everything: batches in lanes of the width and backend that were chosen, and single
    /// states in one lane while the others play at random. For measuring and verifying lanes.
    Lanes,
}

/// There is no such engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{0}`; the engines are {names}", names = names())]
pub struct UnknownEngine(pub String);

fn names() -> String {
    Engine::NAMES.map(|(name, ..)| name).join(", ")
}

impl Engine {
    /// All engines, with the names that options take and a line about each.
    pub const NAMES: [(&'static str, Engine, &'static str); 4] = [
        ("auto", Engine::Auto, "the fastest engine that fits the game"),
        ("rules", Engine::Rules, "the rule machine, which runs every game from its rules"),
        ("net", Engine::Net, "the net machine, which runs the game as a propositional net"),
        ("lanes", Engine::Lanes, "hundreds of states of the net side by side"),
    ];

    /// The name that options take.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Rules => "rules",
            Engine::Net => "net",
            Engine::Lanes => "lanes",
        }
    }
}

impl fmt::Display for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Engine {
    type Err = UnknownEngine;

    fn from_str(name: &str) -> Result<Self, UnknownEngine> {
        let found = Self::NAMES.iter().find(|(known, ..)| *known == name);
        found.map(|(_, engine, _)| *engine).ok_or_else(|| UnknownEngine(name.to_owned()))
    }
}

/// Which engine runs a game, and why.
#[derive(Clone, Debug)]
pub struct EngineChoice {
    /// The engine that was asked for.
    pub asked: Engine,
    /// The engine in use; never [`Engine::Auto`].
    pub engine: Engine,
    /// Why, in a few words without a full stop, such as `the rules could be made a net`.
    pub reason: String,
    /// How the net came about, where there is one.
    pub setup: Option<NetSetup>,
}

impl fmt::Display for EngineChoice {
    /// The engine and the reason: `rules: it was asked for`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.engine, self.reason)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, engine, _) in Engine::NAMES {
            assert_eq!((name.parse(), engine.to_string().as_str()), (Ok(engine), name));
        }
        let unknown = "nets".parse::<Engine>().unwrap_err();
        assert_eq!(unknown.to_string(), "there is no engine `nets`; the engines are auto, rules, net, lanes");
    }
}
