//! What a preparation is asked, and what it answers: lines of JSON between processes of one version.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::model::GameCheck;

/// A question.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Question {
    pub(crate) rules: Rulesheet,
    pub(crate) limits: WorkLimits,
    pub(crate) wish: Wish,
}

/// The rules that it is about.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Rulesheet {
    /// What messages call it.
    pub(crate) name: String,
    pub(crate) text: String,
    /// The SHA-256 of the text, in hexadecimal.
    pub(crate) sha256: String,
}

/// Within what the work is done, by the libraries' own count.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub(crate) struct WorkLimits {
    /// Bytes, to prepare the game and for each question about it.
    pub(crate) memory: usize,
    /// To prepare the game: whoever takes longer is busy.
    pub(crate) time: Duration,
    /// Steps of inference to prepare the game, and for each question about it.
    pub(crate) work: u64,
    /// Processor time for all questions about one state.
    pub(crate) step: Duration,
}

/// What is wanted.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Wish {
    /// What there is to say about a game.
    Describe,
    /// A state of it.
    Show(ShowWish),
    /// Whether a description of it, as a text, can be told to one of its players.
    Compare(String),
    /// How it is played.
    Guide,
    /// What positions are worth.
    Assess(AssessWish),
    /// What a seat knows.
    Know(KnowWish),
    /// What the checks say, and a state that moves lead to.
    Explore(ExploreWish),
}

/// What is to be seen of rules that somebody is writing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExploreWish {
    /// What has happened so far.
    pub(crate) steps: Vec<ExploreStep>,
    /// A move of which it is asked why it is legal.
    pub(crate) why: Option<LegalAsked>,
}

/// What happens next in a game that somebody walks about in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ExploreStep {
    /// The moves of all roles in order, in prefix notation. In real time they are made at the same moment, and a role
    /// that has an empty one does not move.
    Moves(Vec<String>),
    /// In real time, so much time passes.
    Advance(String),
    /// In real time, time passes until something happens.
    Next,
}

/// A move of which it is asked why it is legal.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct LegalAsked {
    /// The number of the role.
    pub(crate) role: usize,
    /// The move, in prefix notation.
    pub(crate) action: String,
}

/// How a state is to be shown.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ShowWish {
    /// The facts that hold, in prefix notation, as far as they are known; `None` for the initial state.
    pub(crate) facts: Option<Vec<String>>,
    /// Moves whose places are marked.
    pub(crate) marked: Vec<String>,
    /// Whether places can be chosen.
    pub(crate) spots: bool,
    /// Moves that are offered.
    pub(crate) moves: Vec<String>,
    /// The seat that they are offered to, by its number.
    pub(crate) seat: Option<usize>,
    /// Terms to be written as the rulesheet would write them.
    pub(crate) terms: Vec<String>,
    /// Whether plain pictures are wanted, for programs, and not those of pages.
    pub(crate) plain: bool,
}

/// Positions of a match that are to be searched.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct AssessWish {
    pub(crate) positions: Vec<PositionWish>,
    /// For each position at most.
    pub(crate) playouts: u64,
    pub(crate) seed: u64,
    /// For all positions together; for what is cut short the time decides what is found.
    pub(crate) time: Duration,
}

/// A position that is to be searched.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PositionWish {
    /// The facts that hold, in prefix notation.
    pub(crate) facts: Vec<String>,
    /// The moves that were made there, for each role in order.
    pub(crate) made: Vec<Option<String>>,
}

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Description(Box<Description>),
    Shown(Box<Shown>),
    /// Whether a description can be told; why not.
    Compared(Result<(), String>),
    Assessed(Assessed),
    Known(Box<Known>),
    Explored(Box<Explored>),
    /// How it is played.
    Guide(Box<super::Guide>),
    /// It cannot be: why.
    Refused(String),
    /// It took longer than it should on a machine that has nothing else to do.
    Late,
}

/// What there is to say about a game.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Description {
    /// What the checks say.
    pub(crate) check: GameCheck,
    /// What can be said after preparing it, where that can be done.
    pub(crate) about: Option<About>,
}

/// What there is to see of rules that somebody is writing.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Explored {
    pub(crate) check: GameCheck,
    /// The state, where the rules can be run so far.
    pub(crate) state: Option<ExploredState>,
    /// Why not all of the moves could be made, or why there is no answer to why one is legal.
    pub(crate) problem: Option<String>,
}

/// A state that moves lead to.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct ExploredState {
    pub(crate) picture: StatePicture,
    /// What happened, as the rulesheet would write it: the moves of each step, or how time passed.
    pub(crate) made: Vec<Vec<String>>,
    /// In real time, the time.
    pub(crate) time: Option<String>,
    pub(crate) terminal: bool,
    pub(crate) roles: Vec<RoleMoves>,
    pub(crate) reasons: Option<Reasons>,
}

/// A role in a state.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct RoleMoves {
    pub(crate) name: String,
    /// What the state is worth to it, where the rules say so.
    pub(crate) goal: Option<String>,
    /// What it was told of the last step, as the rulesheet would write it.
    pub(crate) percepts: Vec<String>,
    /// Its legal moves: in prefix notation, and as the rulesheet would write them.
    pub(crate) moves: Vec<(String, String)>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// Why a move is legal.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Reasons {
    /// The atom that is explained.
    pub(crate) atom: String,
    /// Its derivation, a line for each part, indented.
    pub(crate) text: String,
    /// The rules that it speaks of: their lines, and their texts.
    pub(crate) rules: Vec<(usize, String)>,
}

/// What can be said about a game that is ready.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct About {
    pub(crate) notation: String,
    pub(crate) roles: Vec<String>,
    pub(crate) seats: Vec<String>,
    pub(crate) hidden: bool,
    /// Whether it goes on in real time.
    #[serde(default)]
    pub(crate) real_time: bool,
    pub(crate) clauses: usize,
    pub(crate) initial_facts: usize,
    pub(crate) initial_moves: Vec<usize>,
    pub(crate) board_svg: String,
    pub(crate) board_text: String,
    pub(crate) picture: StatePicture,
}

/// A state as it is shown.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Shown {
    /// For pages.
    pub(crate) picture: StatePicture,
    /// For programs: the board as an SVG document, and as text.
    pub(crate) plain: Option<(String, String)>,
    /// The moves that are offered.
    pub(crate) moves: Vec<MoveShown>,
    /// The terms as the rulesheet would write them, in order.
    pub(crate) terms: Vec<String>,
    /// The same as moves in short.
    pub(crate) short_terms: Vec<String>,
    /// The roles that somebody plays: which one, and its name as the rulesheet would write it.
    pub(crate) seats: Vec<(usize, String)>,
}

/// A picture of a state for a page.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StatePicture {
    /// The boards as SVG; empty where there are none.
    pub(crate) boards: String,
    /// How wide they are, in pixels.
    pub(crate) width: u32,
    /// Signs as SVG, and what they mean.
    pub(crate) legend: Vec<(String, String)>,
    /// What is on no board.
    pub(crate) facts: Vec<FactGroup>,
    /// What the boards show, in words.
    pub(crate) words: Vec<(String, String)>,
}

/// Facts of one relation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct FactGroup {
    pub(crate) name: String,
    pub(crate) items: Vec<String>,
    /// How many more there are.
    pub(crate) more: usize,
}

/// A legal move as it is offered.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct MoveShown {
    /// The move in prefix notation, as it is sent.
    pub(crate) text: String,
    /// The move in short, or as the rulesheet would write it.
    pub(crate) shown: String,
    /// The spots of the board that it names, in order.
    pub(crate) spots: String,
    /// Whether any of the spots stands for it.
    pub(crate) any: bool,
}

/// What positions are worth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Assessed {
    /// The names of all roles as the rulesheet would write them.
    pub(crate) roles: Vec<String>,
    /// One for each position that was asked for.
    pub(crate) positions: Vec<PositionAssessed>,
}

/// What a position is worth. All lists go by role; they are empty where nothing was found.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct PositionAssessed {
    pub(crate) over: bool,
    /// Nothing for chance.
    pub(crate) values: Vec<Option<ValueAssessed>>,
    /// The best moves of each role that has a choice, best first.
    pub(crate) moves: Vec<Vec<MoveAssessed>>,
    /// The moves that were made.
    pub(crate) made: Vec<Option<MoveAssessed>>,
    /// How many legal moves there are.
    pub(crate) choices: Vec<usize>,
    pub(crate) playouts: u64,
    pub(crate) states: u64,
    /// Whether the time was over before the search was.
    pub(crate) cut_short: bool,
}

/// What something is worth to a role.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct ValueAssessed {
    /// The goal that is expected.
    pub(crate) value: f64,
    /// The goal that is proved.
    pub(crate) proved: Option<u32>,
}

/// What a move is worth to whoever makes it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct MoveAssessed {
    /// The move in prefix notation.
    pub(crate) text: String,
    /// The move as the rulesheet would write it.
    pub(crate) shown: String,
    pub(crate) value: Option<f64>,
    pub(crate) proved: Option<u32>,
    pub(crate) visits: u64,
}

/// What a seat was told: that, and nothing of the true state, is what its knowledge is worked out from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KnowWish {
    /// The number of the seat: of the role, without counting `random`.
    pub(crate) seat: usize,
    pub(crate) told: Vec<ToldWish>,
}

/// What a seat did and saw in a step, in prefix notation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToldWish {
    pub(crate) action: String,
    pub(crate) percepts: Vec<String>,
}

/// What a seat knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Known {
    pub(crate) outcome: KnownOutcome,
    /// Whether the states that were found are all that fit.
    pub(crate) exact: bool,
    /// How many were found.
    pub(crate) states: usize,
    /// How many facts are certain.
    pub(crate) certain: usize,
    /// The facts that are certain, as pages show a state.
    pub(crate) picture: StatePicture,
    /// What else is possible, the likeliest first.
    pub(crate) possible: Vec<PossibleFact>,
    /// How many more facts are possible.
    pub(crate) more: usize,
    /// What the seat did and saw, as the rulesheet would write it.
    pub(crate) told: Vec<ToldStep>,
}

/// What came of the search for states that fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) enum KnownOutcome {
    /// Some were found.
    #[default]
    Found,
    /// None fits, or none was found.
    Nothing,
    /// There was no time for it.
    Late,
}

/// A fact that is possible, and how likely it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PossibleFact {
    pub(crate) fact: String,
    pub(crate) percent: u32,
}

/// What a seat did and saw in a step, as the rulesheet would write it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToldStep {
    pub(crate) action: String,
    pub(crate) percepts: Vec<String>,
}
