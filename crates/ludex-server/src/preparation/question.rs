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
    /// What the checks say, and a state that moves lead to.
    Explore(ExploreWish),
}

/// What is to be seen of rules that somebody is writing.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ExploreWish {
    /// The joint moves so far, in prefix notation, one for each role in order.
    pub(crate) joints: Vec<Vec<String>>,
    /// A move of which it is asked why it is legal.
    pub(crate) why: Option<LegalAsked>,
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

/// What is answered.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) enum Reply {
    Description(Box<Description>),
    Shown(Box<Shown>),
    /// Whether a description can be told; why not.
    Compared(Result<(), String>),
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
    /// The joint moves that were made, as the rulesheet would write them.
    pub(crate) made: Vec<Vec<String>>,
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
