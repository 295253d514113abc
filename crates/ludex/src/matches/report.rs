//! What players said about their moves, as match records keep it.

use ludex_game::Goal;
use ludex_logic::Terms;
use ludex_players::Report;
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

impl MoveReport {
    /// A report in texts; `None` where it says nothing.
    pub fn of(report: &Report, terms: &Terms) -> Option<Self> {
        let thousandths = |value: f64| (value * 1000.0).round() / 1000.0;
        let texts = |joint: &Vec<_>| joint.iter().map(|&action| terms.prefix(action)).collect();
        let rated = report.moves.iter().map(|rating| RatedMove {
            action: terms.prefix(rating.action),
            visits: rating.visits,
            value: rating.value.filter(|value| value.is_finite()).map(thousandths),
            proven: rating.proven,
        });
        let said = Self {
            entries: report
                .entries
                .iter()
                .map(|(name, said)| ((*name).to_owned(), said.as_str().into()))
                .collect(),
            moves: rated.collect(),
            variation: report.variation.iter().map(texts).collect(),
        };
        (said != Self::default()).then_some(said)
    }
}
