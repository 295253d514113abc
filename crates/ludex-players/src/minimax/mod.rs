//! The search of chapters 6 and 7, written once: max nodes, min nodes and chance for any number of
//! roles and for simultaneous moves.
//!
//! In each state the roles commit one after the other: the player first, then the others in the order
//! of the rules, each knowing what was committed before, and chance last. That is the book's order: the
//! player has to hold against any reply. Where one role moves at a time it is simply the game tree.
//!
//! Every strategy of the two chapters is a [`MinimaxSearch`] with other [`MinimaxOptions`], another depth
//! and another [`Horizon`] (the book's `expfn` and `evalfn`). [`search_turn`] and [`deepen_turn`] run one
//! for a [`Turn`](crate::Turn) and tell it what they find:
//!
//! ```
//! use ludex_game::{Answer, RoleId};
//! use ludex_players::{Explorer, Horizon, HorizonNode};
//!
//! /// Fixed depth, and a state is worth its goal value (7.3, goal proximity).
//! struct GoalValue;
//!
//! impl Horizon for GoalValue {
//!     fn evaluate(
//!         &mut self,
//!         explorer: &mut Explorer<'_>,
//!         node: &HorizonNode<'_>,
//!         role: RoleId,
//!     ) -> Answer<f64> {
//!         Ok(f64::from(explorer.goal(&node.position.state, role)?))
//!     }
//! }
//! ```

mod ordering;
mod path_node;
mod search;
mod transposition_table;
mod turn;

use std::str::FromStr;

use ludex_game::{ActionId, Answer, RoleId};

use crate::explorer::{Explorer, OpenedState};

pub use search::MinimaxSearch;
pub(crate) use turn::tell;
pub use turn::{NODES_WITHOUT_LIMIT, deepen_turn, search_turn};

/// No path is followed further than this: the state there counts as one beyond the horizon.
pub const DEPTH_LIMIT: u32 = 10_000;

/// What the other roles are thought to want.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Opponents {
    /// To keep the player's goal low, whatever it brings them (book 6.2). The value of a state is what
    /// the player can be sure of.
    #[default]
    Paranoid,
    /// To raise the sum of their own goals, as one.
    Coalition,
    /// To raise their own goal, each role for itself (max^n: Luckhardt and Irani, 1986).
    ///
    /// Here and in a coalition, a role to which several moves are worth the same makes the one that is
    /// worst for the player, and the first of those. Roles that move at the same time commit in the
    /// order of this module, as if each knew the moves of those before it.
    MaxN,
}

impl FromStr for Opponents {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        match text {
            "paranoid" => Ok(Self::Paranoid),
            "coalition" => Ok(Self::Coalition),
            "max-n" => Ok(Self::MaxN),
            _ => Err(()),
        }
    }
}

/// What is left out because it cannot matter.
///
/// For [`Opponents::Coalition`] and [`Opponents::MaxN`] nothing is left out but moves of the player's own
/// after one that is worth 100, and those where there are bounds.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub enum Pruning {
    /// Nothing: minimax (6.2).
    #[default]
    None,
    /// What comes after a move of the player's in the first state that is surely worth 100, and nothing below
    /// (compulsive deliberation, 5.3).
    AtRoot,
    /// What cannot matter once the player has `high` or its opponents hold it to `low` (6.3). A value that
    /// is at least `high` says no more than that, and so does one that is at most `low`.
    Bounded {
        /// No reply below this is looked for.
        low: f64,
        /// The player is content with this.
        high: f64,
    },
    /// What cannot matter given what was found elsewhere (6.4), starting from these bounds.
    AlphaBeta {
        /// The first alpha.
        low: f64,
        /// The first beta.
        high: f64,
    },
}

/// How to search.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MinimaxOptions {
    /// What the other roles are thought to want.
    pub opponents: Opponents,
    /// What is left out.
    pub pruning: Pruning,
    /// Whether moves that did well elsewhere are tried first; otherwise moves are tried in canonical order.
    pub ordering: bool,
    /// Bytes for the transposition table; 0 for none.
    pub table_bytes: usize,
}

impl Default for MinimaxOptions {
    /// The book's minimax: paranoid, no pruning, canonical order, no table.
    fn default() -> Self {
        Self { opponents: Opponents::default(), pruning: Pruning::None, ordering: false, table_bytes: 0 }
    }
}

impl MinimaxOptions {
    /// Alpha-beta search between 0 and 100, with move ordering and a table of so many bytes.
    pub fn alpha_beta(table_bytes: usize) -> Self {
        Self {
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: true,
            table_bytes,
            ..Self::default()
        }
    }
}

/// A state that is not terminal, at which a search may stop.
#[derive(Clone, Copy, Debug)]
pub struct HorizonNode<'n> {
    /// The state and its legal moves.
    pub position: &'n OpenedState,
    /// The position before it on the path; `None` at the top.
    pub parent: Option<&'n OpenedState>,
    /// How many joint moves it is away from the top.
    pub level: u32,
    /// The depth that the search was asked for.
    pub limit: u32,
}

/// Where a search stops before the game is over, and what it thinks of the states there.
///
/// ```
/// use std::sync::Arc;
/// use ludex_game::{Answer, Machine, RoleId, RuleMachine};
/// use ludex_players::{
///     Arena, Explorer, Horizon, HorizonNode, MinimaxOptions, MinimaxSearch, Resources, Turn, search_turn,
/// };
///
/// /// The more moves, the better.
/// struct Freedom;
///
/// impl Horizon for Freedom {
///     fn evaluate(&mut self, _: &mut Explorer<'_>, node: &HorizonNode<'_>, role: RoleId) -> Answer<f64> {
///         Ok(node.position.legal[role.index()].len().min(100) as f64)
///     }
/// }
///
/// # let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
/// #     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (<= (goal you 50) (true (at 2)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine: Arc<dyn Machine> = Arc::new(RuleMachine::new(&game, &Default::default())?);
/// let arena = Arena::new(Arc::clone(&machine), RoleId(0), Resources::default());
/// let legal = machine.runner(&Default::default()).legal(RoleId(0))?.to_vec();
/// let budget = Default::default();
/// let mut turn = Turn::new(&arena, machine.initial(), &legal, &budget, 1);
/// let mut search = MinimaxSearch::new(MinimaxOptions::default());
/// assert_eq!(search_turn(&mut turn, &mut search, &mut Freedom, Some(2))?.value, 50.0);
/// # Ok::<(), ludex_game::GameError>(())
/// ```
pub trait Horizon {
    /// Whether to look beyond a state (the book's `expfn`, 7.4): by default up to the limit.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    fn expands(&mut self, explorer: &mut Explorer<'_>, node: &HorizonNode<'_>) -> Answer<bool> {
        let _ = explorer;
        Ok(node.level < node.limit)
    }

    /// What a state that is not looked beyond is worth to a role, 0 to 100 (the book's `evalfn`, 7.3).
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    fn evaluate(&mut self, explorer: &mut Explorer<'_>, node: &HorizonNode<'_>, role: RoleId) -> Answer<f64>;

    /// Whether [`Horizon::expands`] follows from the state and from how many levels are left to the
    /// limit. Where it does not (as when it compares with the parent), the table keeps only values that
    /// do not depend on the horizon.
    fn is_by_depth(&self) -> bool {
        true
    }
}

/// The horizon of depth-limited search: what is not known to be good counts 0 (7.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct Conservative;

impl Horizon for Conservative {
    fn evaluate(&mut self, _: &mut Explorer<'_>, _: &HorizonNode<'_>, _: RoleId) -> Answer<f64> {
        Ok(0.0)
    }
}

/// What a search found out about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct SearchResult {
    /// What the state is worth to the player, 0 to 100.
    pub value: f64,
    /// What it is worth to each role under [`Opponents::Coalition`] and [`Opponents::MaxN`]; empty under
    /// [`Opponents::Paranoid`].
    pub values: Vec<f64>,
    /// The joint move that leads there; empty where the state was not looked beyond.
    pub joint: Vec<ActionId>,
    /// Whether no state beyond the horizon had a part in the value: a deeper search finds the same.
    pub is_complete: bool,
}

/// What a search found out about one of the player's moves at the top.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RootMove {
    /// The move.
    pub action: ActionId,
    /// What it is worth to the player. Where moves are pruned and an earlier one is as good, this is an
    /// upper bound that is not above that one's value.
    pub value: f64,
    /// Whether it is the best so far: better than all moves before.
    pub is_best: bool,
    /// Whether the value is exact and sure, whatever the others do.
    pub is_proven: bool,
}
