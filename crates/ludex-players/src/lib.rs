//! Players: strategies for any game, written once against a machine.
//!
//! A [`Player`] speaks ground terms, the one identity of moves and percepts, so it may run the game
//! on any engine. In a game of complete information it is told the joint move of each step; in
//! GDL-II only its own move and what it saw ([`News`]). [`Belief`] keeps the states that fit.
//!
//! A [`Strategy`] chooses a move in a state that is known; [`StrategyPlayer`] makes a player of it.
//! A [`Registry`] has all that are built in, and those of one's own, and makes players of them by name.
//!
//! What can be proved or guessed of a game before it is played is found out by a [`BackgroundAnalysis`] while it is
//! played; strategies ask for it through an [`MachineKnowledge`].
//!
//! What strategies are made of can be used on its own: [`Explorer`] walks about in a game,
//! [`MinimaxSearch`] is the search of the book's chapters 6 and 7, [`heuristics`] judge states,
//! [`PuzzleSearch`] plays games of one player. [`solve`] says what a game is worth, [`assess`] what a state seems to be
//! worth after so much search, [`prove`] what a role can force in it, [`check_plan`] what a plan is worth;
//! [`equilibrium`] has what a game is worth in which roles do not see everything.
#![forbid(unsafe_code)]

mod allotment;
mod assessment;
mod background_analysis;
mod breakdown;
mod engine_upgrade;
pub mod equilibrium;
mod explorer;
mod fingerprint;
mod gauge;
pub mod heuristics;
mod information_tree;
mod introduction;
mod known_moves;
mod learned_evaluation;
mod machine_knowledge;
mod minimax;
mod opponent_model;
mod pairing_strategy;
mod plan;
mod player;
mod proof;
mod proof_number;
mod puzzle;
pub mod real_time;
mod registry;
mod regret;
mod report;
mod rest_of_game;
mod simulation;
mod solve;
mod strategies;
mod strategy;
mod strategy_player;
mod time_use;
mod tree;
mod tree_drawing;

pub use assessment::{Assessment, AssessmentError, AssessmentOptions, RoleValue, assess};
pub use background_analysis::{AnalysisInterest, BackgroundAnalysis};
pub use explorer::{Explorer, Joints, OpenedState};
pub use introduction::{Aim, Introduction, PastMatch};
pub use learned_evaluation::{TrainedEvaluation, TrainedEvaluationError};
pub use ludex_game::{Belief, BeliefError, BeliefOptions, News, TimeBank, TimeTerms};
pub use machine_knowledge::{KnowledgeReader, MachineKnowledge};
pub use minimax::{
    Conservative, DEPTH_LIMIT, Horizon, HorizonNode, MinimaxOptions, MinimaxSearch, NODES_WITHOUT_LIMIT,
    Opponents, Pruning, RootMove, SearchResult, deepen_turn, search_turn,
};
pub use plan::{IllegalMove, Optimality, PlanError, PlanReport, PlanStep, Undecided, check_plan};
pub use player::{Choice, Outcome, Player, PlayerError, Seat, Upgrade};
pub use proof::{ForcedGoal, Proof, ProofOptions, prove};
pub use puzzle::PuzzleSearch;
pub use registry::{OptionInfo, Registry, StrategyError, StrategyInfo, StrategyOptions, create};
pub use report::{MoveRating, Report};
pub use solve::{Solution, SolveOptions, Values, solve};
pub use strategies::{LegalPlayer, RandomPlayer};
pub use strategy::{Arena, PossibleStates, Rating, Resources, Strategy, Turn};
pub use strategy_player::StrategyPlayer;
pub use tree::{Trained, TrainingError, TrainingOptions, TrainingProgress, train};
