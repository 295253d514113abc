//! What a state seems to be worth, and which moves are good in it, by the search of the tournament player.

use std::sync::Arc;

use ludex_game::{Answer, GameError, Goal, Machine, RoleId, State};
use ludex_gdl::GameProgram;
use ludex_logic::{Budget, LimitError};

use crate::breakdown::unbroken;
use crate::explorer::{Explorer, OpenedState};
use crate::puzzle::PuzzleSearch;
use crate::report::MoveRating;
use crate::strategy::{Arena, Rating, Resources, Strategy, Turn};
use crate::tree::{ObjectiveOption, TreeOptions, TreeSearch, role_to_ask};

/// How much is spent on a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AssessmentOptions {
    /// The search ends after so many random games, or before, where the value is proven. In games of one player,
    /// which are not searched by random games, it ends after so many steps of inference times
    /// [`AssessmentOptions::PUZZLE_WORK`].
    pub playouts: u64,
    /// Bytes for the tree, and the search for proofs beside it.
    pub memory: usize,
    /// Decides all chances: equal seeds give equal assessments, as long as the budget has no clock and does not end.
    pub seed: u64,
}

impl AssessmentOptions {
    /// What stands for a random game in a game of one player, in steps of inference.
    pub const PUZZLE_WORK: u64 = 2_000;
}

impl Default for AssessmentOptions {
    /// 10 000 random games, 64 MiB, seed 1.
    fn default() -> Self {
        Self { playouts: 10_000, memory: 64 << 20, seed: 1 }
    }
}

/// What a state is worth to a role.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RoleValue {
    /// The goal that is expected, 0 to 100.
    pub value: f64,
    /// The goal that it surely leads to when all play their best, where that is proven.
    pub proven: Option<Goal>,
}

/// What a state seems to be worth.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Assessment {
    /// Whether the game is over there; its goals are then the values.
    pub is_over: bool,
    /// What it is worth to each role; `None` for chance, and where nothing was found.
    pub values: Vec<Option<RoleValue>>,
    /// For each role that has a choice what was found of its moves, best first. Moves that were not looked at are left
    /// out, and for roles without a choice there is nothing.
    pub moves: Vec<Vec<MoveRating>>,
    /// How many legal moves each role has, chance included; nothing where the game is over.
    pub choices: Vec<usize>,
    /// Random games that were played.
    pub playouts: u64,
    /// States that were looked at or kept.
    pub states: u64,
    /// Whether the time was over, or the search was called off, before it came to its end.
    pub is_cut_short: bool,
}

/// Why a state is not assessed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum AssessmentError {
    /// What it is worth depends on what each role knows of it.
    #[error("roles do not see everything in this game, so that a state alone has no value")]
    Hidden,
    /// The machine has no answer.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Finds what a state is worth to all roles, and which moves are good in it: by the tree search of the strategy `ludex`
/// where several roles play, each for its own goal, and by [`PuzzleSearch`] where one does.
///
/// ```
/// use ludex_players::{AssessmentOptions, assess};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let mut position = rules.start();
/// position.play(&["(mark 1 1)", "noop"])?;
/// position.play(&["noop", "(mark 1 2)"])?;
/// let options = AssessmentOptions::default();
/// let found = assess(rules.machine(), rules.program(), position.state(), &options, &Default::default())?;
/// let proven: Vec<_> = found.values.iter().map(|value| value.and_then(|value| value.proven)).collect();
/// assert_eq!(proven, [Some(100), Some(0)], "only the centre would have saved black");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`AssessmentError`]. A limit is no error: the assessment then says what was found until it was reached.
pub fn assess(
    machine: &Arc<dyn Machine>,
    program: &Arc<GameProgram>,
    state: &State,
    options: &AssessmentOptions,
    budget: &Budget,
) -> Result<Assessment, AssessmentError> {
    if !program.has_perfect_information() {
        return Err(AssessmentError::Hidden);
    }
    let resources = Resources { memory: options.memory, ..Resources::from_seed(options.seed) };
    let arena = Arena::new(Arc::clone(machine), RoleId(0), resources).with_program(program);
    let patient = budget.clone().without_deadline();
    let opened = Explorer::within(&arena, &patient).open(state)?;
    if opened.terminal {
        return Ok(ended(&arena, state, &patient)?);
    }
    if opened.legal.iter().any(Vec::is_empty) {
        // Nobody gets on from here.
        let roles = opened.legal.len();
        let (values, moves) = (vec![None; roles], vec![Vec::new(); roles]);
        let choices = opened.legal.iter().map(Vec::len).collect();
        return Ok(Assessment { values, moves, choices, ..Assessment::default() });
    }
    let searched = unbroken("the search", || match opened.legal.len() {
        1 => search_alone(&arena, &opened, options, budget),
        _ => search(arena, &opened, options, budget),
    });
    Ok(searched?)
}

/// What the end of the game brings.
fn ended(arena: &Arena, state: &State, budget: &Budget) -> Answer<Assessment> {
    let mut runner = arena.machine.runner(budget);
    runner.set(state)?;
    let random = arena.signature().random();
    let mut values = Vec::new();
    for role in arena.signature().role_ids() {
        let goal = if Some(role) == random { None } else { runner.goal(role)? };
        values.push(goal.map(|goal| RoleValue { value: f64::from(goal), proven: Some(goal) }));
    }
    let moves = vec![Vec::new(); values.len()];
    Ok(Assessment { is_over: true, values, moves, ..Assessment::default() })
}

/// Whether there was no time for all of a search; other limits are how searches end.
fn is_cut_short(searched: Answer<()>) -> Answer<bool> {
    match searched {
        Ok(()) => Ok(false),
        Err(GameError::Limit(limit)) => Ok(matches!(limit, LimitError::Cancelled | LimitError::Deadline)),
        Err(error) => Err(error),
    }
}

/// Searches for all roles at once.
fn search(
    mut arena: Arena,
    opened: &OpenedState,
    options: &AssessmentOptions,
    budget: &Budget,
) -> Answer<Assessment> {
    let random = arena.signature().random().map(RoleId::index);
    let choices: Vec<usize> = opened.legal.iter().map(Vec::len).collect();
    arena.role = role_to_ask(&choices, random);
    let legal = &opened.legal[arena.role.index()];
    let turn = Turn::new(&arena, &opened.state, legal, budget, options.seed);
    let mut search = TreeSearch::new(TreeOptions {
        playouts: options.playouts,
        objective: ObjectiveOption::Own,
        wants_value: true,
        ..TreeOptions::default()
    });
    search.sit(&arena);
    let is_cut_short = is_cut_short(search.choose(&turn))?;
    let found = search.root_value();
    let roles = choices.len();
    let none = || (vec![None; roles], vec![Vec::new(); roles], 0, 0);
    let (values, moves, playouts, states) =
        found.map_or_else(none, |found| (found.values, found.moves, found.playouts, found.states));
    let moves = moves.iter().map(|rated| as_terms(&arena, rated)).collect();
    Ok(Assessment { is_over: false, values, moves, choices, playouts, states, is_cut_short })
}

/// Searches for the best plan of the only role.
fn search_alone(
    arena: &Arena,
    opened: &OpenedState,
    options: &AssessmentOptions,
    budget: &Budget,
) -> Answer<Assessment> {
    let work = options.playouts.saturating_mul(AssessmentOptions::PUZZLE_WORK);
    let budget = budget.clone().with_total_work(work);
    let mut turn = Turn::new(arena, &opened.state, &opened.legal[0], &budget, options.seed);
    let mut search = PuzzleSearch::new();
    search.sit(arena);
    let searched = search.choose(&mut turn);
    let is_cut_short = is_cut_short(searched)?;
    let rated = turn.ratings().to_vec();
    let has_choice = opened.legal[0].len() > 1;
    let best = rated.first().map(|best| RoleValue { value: best.value, proven: best.proven });
    Ok(Assessment {
        is_over: false,
        values: vec![best],
        moves: vec![if has_choice { as_terms(arena, &rated) } else { Vec::new() }],
        choices: vec![opened.legal[0].len()],
        playouts: 0,
        states: rated.first().map_or(0, |best| best.visits),
        is_cut_short,
    })
}

fn as_terms(arena: &Arena, rated: &[Rating]) -> Vec<MoveRating> {
    let signature = arena.signature();
    let rating = |rating: &Rating| MoveRating {
        action: signature.action(rating.action),
        value: Some(rating.value),
        visits: rating.visits,
        proven: rating.proven,
    };
    rated.iter().map(rating).collect()
}
