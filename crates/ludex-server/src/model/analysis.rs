//! What the tournament player makes of matches that are over.

use serde::Serialize;

/// What a position of a match is worth, and which moves are good there.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct PositionAnalysis {
    /// How many steps led to it.
    pub step: usize,
    /// Whether the game is over there; the values are then its goals.
    pub over: bool,
    /// What there is to say for each role, in order; empty where nothing was found.
    pub roles: Vec<RoleAnalysis>,
    /// Random games that were played for it.
    pub playouts: u64,
    /// States that were looked at or kept.
    pub states: u64,
    /// Whether the time was over before all that was to be counted was: another time something else may be found.
    pub cut_short: bool,
}

impl PositionAnalysis {
    /// Whether several roles choose at the same time, chance among them.
    pub fn is_simultaneous(&self) -> bool {
        self.roles.iter().filter(|role| role.choices > 1).count() > 1
    }
}

/// What a position is worth to a role.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct RoleAnalysis {
    /// The role in prefix notation.
    pub role: String,
    /// The role as the rulesheet writes it.
    pub name: String,
    /// The goal that it can expect, 0 to 100; nothing for chance.
    pub value: Option<f64>,
    /// The goal that it gets when all play their best, where that is proved.
    pub proved: Option<u32>,
    /// How many legal moves it has.
    pub choices: usize,
    /// The best of its moves, best first, where it has a choice. Some may not have been looked at.
    pub moves: Vec<MoveAnalysis>,
    /// The move that it made.
    pub made: Option<MoveAnalysis>,
}

/// What a move is worth to whoever makes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MoveAnalysis {
    /// The move in prefix notation.
    #[serde(rename = "move")]
    pub action: String,
    /// The move as the rulesheet writes it.
    pub name: String,
    /// The goal that it promises; nothing where it was not looked at.
    pub value: Option<f64>,
    /// The goal that it brings for sure.
    pub proved: Option<u32>,
    /// How often the search tried it.
    pub visits: u64,
}

/// How a match went.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct MatchAnalysis {
    /// How many steps the match has.
    pub steps: usize,
    /// The roles in prefix notation.
    pub roles: Vec<String>,
    /// The roles as the rulesheet writes them.
    pub names: Vec<String>,
    /// What the positions are worth, in order.
    pub course: Vec<CoursePoint>,
    /// The move with which the match turned, if one did.
    pub turn: Option<TurningPoint>,
    /// Whether these are all positions; of a long match only some are looked at.
    pub complete: bool,
    /// Random games that were played.
    pub playouts: u64,
    /// Whether the time was over for one of the positions.
    pub cut_short: bool,
}

/// What a position is worth.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct CoursePoint {
    /// How many steps led to it.
    pub step: usize,
    /// The goal that each role can expect; nothing for chance, and where nothing was found.
    pub values: Vec<Option<f64>>,
    /// The goals that are proved.
    pub proved: Vec<Option<u32>>,
}

/// The move that cost its role most, against the best that it could have done there.
///
/// What a move costs is what the position is worth to its role, which is what its best move brings, less what the role
/// can expect after the move that it made: where no other role chose and chance did not, that is what the next position
/// is worth; where others did, it is what the search of the position before says of the move alone, so that nobody is
/// charged for what others did. The match turned with the move that cost most, the last of them where several did, as
/// long as it cost [`TurningPoint::LEAST`] points.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct TurningPoint {
    /// How many steps led to the position after the move.
    pub step: usize,
    /// The role whose move it was, in prefix notation.
    pub role: String,
    /// The role as the rulesheet writes it.
    pub name: String,
    /// The move.
    pub made: MoveAnalysis,
    /// The move that would have been best.
    pub best: Option<MoveAnalysis>,
    /// What the role could expect before it.
    pub before: f64,
    /// What it could expect after it.
    pub after: f64,
    /// Whether both are proved.
    pub proved: bool,
}

impl TurningPoint {
    /// A move that costs fewer points turns no match: searches as short as these are wrong by as much.
    pub const LEAST: f64 = 10.0;

    /// How many points the move cost.
    pub fn cost(&self) -> f64 {
        self.before - self.after
    }
}
