//! What players say about their moves.

use std::fmt;

use ludex_game::Goal;
use ludex_logic::TermId;

/// What a player thinks of one of its legal moves.
#[derive(Clone, Debug, PartialEq)]
pub struct MoveRating {
    /// The move.
    pub action: TermId,
    /// What the player expects to get, 0 to 100; `None` where it was not looked at.
    pub value: Option<f64>,
    /// How often the move was tried.
    pub visits: u64,
    /// The goal that the move surely leads to, if that was proven.
    pub proven: Option<Goal>,
}

/// What a player says about a move: names with values, for people and statistics.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The entries in the order of their making.
    pub entries: Vec<(&'static str, String)>,
    /// What it thinks of its legal moves, best first.
    pub moves: Vec<MoveRating>,
    /// The joint moves it expects from here on: for each step a move of each role.
    pub variation: Vec<Vec<TermId>>,
    /// The probabilities by which the move was drawn, where the player draws it; moves that are not listed have none.
    pub policy: Vec<(TermId, f64)>,
}

impl Report {
    /// The name of the entry that says why a search ended where no limit ended it: a fault of the program or of the
    /// rules, which whoever keeps a log had better write down.
    pub const STOPPED: &'static str = "stopped";
    /// The name of the entry that says how many threads searched, where the system had no more left.
    pub const FEWER_THREADS: &'static str = "threads that could be had";

    /// The report with one more entry, or with another value for the entry of this name.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl fmt::Display) -> Self {
        self.note(name, value);
        self
    }

    /// Adds an entry, or gives the entry of this name another value.
    pub fn note(&mut self, name: &'static str, value: impl fmt::Display) {
        let value = value.to_string();
        match self.entries.iter_mut().find(|(known, _)| *known == name) {
            Some(entry) => entry.1 = value,
            None => self.entries.push((name, value)),
        }
    }

    /// What a search of one state says where roles do not know the state for long: it proves nothing, since it
    /// lets all of them see everything from there on. Entries that say `proven` say of what.
    #[must_use]
    pub(crate) fn without_proofs(mut self) -> Self {
        self.moves.iter_mut().for_each(|rating| rating.proven = None);
        for (name, _) in &mut self.entries {
            *name = match *name {
                "proven" => "proven if all were seen",
                "proven ahead" => "proven ahead if all were seen",
                other => other,
            };
        }
        self
    }

    /// The value of an entry.
    pub fn entry(&self, name: &str) -> Option<&str> {
        self.entries.iter().find(|(known, _)| *known == name).map(|(_, value)| value.as_str())
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, (name, value)) in self.entries.iter().enumerate() {
            let comma = if i > 0 { ", " } else { "" };
            write!(f, "{comma}{name} {value}")?;
        }
        Ok(())
    }
}
