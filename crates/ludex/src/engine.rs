//! The engines by name.

use std::fmt;
use std::str::FromStr;

/// What runs a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Engine {
    /// The fastest engine that fits the game.
    #[default]
    Auto,
    /// The rule machine: it runs every game from its rules.
    Rules,
}

/// There is no such engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no engine `{0}`")]
pub struct UnknownEngine(pub String);

impl Engine {
    /// All engines, with the names that options take and a line about each.
    pub const NAMES: [(&'static str, Engine, &'static str); 2] = [
        ("auto", Engine::Auto, "the fastest engine that fits the game"),
        ("rules", Engine::Rules, "the rule machine, which runs every game from its rules"),
    ];

    /// The name that options take.
    pub fn name(self) -> &'static str {
        match self {
            Engine::Auto => "auto",
            Engine::Rules => "rules",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for (name, engine, _) in Engine::NAMES {
            assert_eq!((name.parse(), engine.to_string().as_str()), (Ok(engine), name));
        }
        assert_eq!("net".parse::<Engine>(), Err(UnknownEngine("net".into())));
    }
}
