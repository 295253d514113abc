//! Nash equilibria of small games with hidden information or simultaneous moves, best responses, and how much can
//! be won against a player who is known.
//!
//! A game for two roles, or for one against chance, is unrolled from its machine ([`SequenceForm::new`]). Strategies
//! of it are [`BehaviourStrategy`]; [`best_response`] plays as well as possible against one that is known, and
//! [`find_equilibrium`] looks for a pair of which neither can be played against better than the other way round.
//! [`ask_player`] makes a strategy of a [`Player`](crate::Player), by asking it in every situation that it can tell
//! from others, so that a best response says how much can be won against it.
//!
//! ```
//! use ludex_players::equilibrium::{EquilibriumOptions, SequenceForm, UnrollOptions, find_equilibrium};
//!
//! // Odd gets 100 where the numbers of fingers differ, and even where they are the same.
//! let text = "(role odd) (role even) (init (step 1)) (<= (legal ?r (show 1)) (role ?r))
//!     (<= (legal ?r (show 2)) (role ?r)) (<= (next (shown ?r ?n)) (does ?r (show ?n)))
//!     (<= same (true (shown odd ?n)) (true (shown even ?n))) (<= terminal (not (true (step 1))))
//!     (<= (goal odd 100) (not same)) (<= (goal odd 0) same)
//!     (<= (goal even 100) same) (<= (goal even 0) (not same))";
//! # let source = std::sync::Arc::new(ludex_gdl::Source::new("fingers.kif", text));
//! # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
//! # let machine = ludex_game::RuleMachine::new(&game, &Default::default())?;
//! # let budget = ludex_logic::Budget::unlimited();
//! let form = SequenceForm::new(&game, &machine, &UnrollOptions::default(), &budget)?;
//! let found = find_equilibrium(&form, &EquilibriumOptions::default(), &budget);
//! assert!((found.values[0] - 50.0).abs() < 0.01 && found.exploitability <= 0.001);
//! # Ok::<(), ludex_players::equilibrium::EquilibriumError>(())
//! ```

mod behaviour;
mod best_response;
mod error;
mod game_tree;
mod information_sets;
mod matrix_game;
mod player_policy;
mod regret;
mod sequence_form;
mod stage_graph;
mod state_solution;
mod strategy_text;

pub use behaviour::BehaviourStrategy;
pub use best_response::{BestResponse, best_response};
pub use error::{Ending, EquilibriumError};
pub use game_tree::UnrollOptions;
pub use information_sets::{InformationSets, SequenceId, SetId};
pub use player_policy::{AskOptions, PlayerPolicy, ask_player};
pub use regret::{Equilibrium, EquilibriumOptions, find_equilibrium};
pub use sequence_form::SequenceForm;
pub(crate) use state_solution::{SolutionLimits, StateSolution, Unsolved};
pub use strategy_text::{MoveText, SetText, StepText, strategy_text};
