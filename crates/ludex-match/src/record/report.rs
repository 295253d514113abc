//! What players said about their moves, as match records keep it.

use ludex_game::Goal;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a player said about a move. All terms are in prefix notation.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MoveReport {
    /// What the player wanted to say, by name, in the order of its saying.
    #[serde(skip_serializing_if = "Map::is_empty")]
    pub entries: Map<String, Value>,
    /// What it thought of its legal moves, best first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<RatedMove>,
    /// The joint moves it expected from there on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub variation: Vec<Vec<String>>,
}

impl MoveReport {
    /// What the player said under a name, where that is a text.
    pub fn entry(&self, name: &str) -> Option<&str> {
        self.entries.get(name)?.as_str()
    }
}

/// What a player thought of one of its legal moves.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RatedMove {
    /// The move.
    #[serde(rename = "move")]
    pub action: String,
    /// How often it was tried.
    pub visits: u64,
    /// What the player expected it to bring, 0 to 100, to a thousandth; null where it had no idea.
    pub value: Option<f64>,
    /// The goal that the move surely leads to; null where that was not proven.
    pub proven: Option<Goal>,
}
