//! What there is to say of a sequential plan (book 5.4 and problem 5.3).
//!
//! A plan is a sequence of moves from the initial state on. It is *legal* if every move is legal in the
//! state in which it is made; *complete* if it leads to a terminal state; *minimal* if no state before
//! the last one is terminal; *optimal* if no plan brings more.

use ludex_game::{ActionId, Answer, GameError, Goal, RoleId, Runner, State};
use ludex_logic::{Budget, TermId};

use crate::explorer::Explorer;
use crate::strategies::planning::{HIGHEST_GOAL, Method, Progress, Search};
use crate::strategy::Arena;

/// What was found out about a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanReport {
    /// The steps up to the end, or up to and with the first that is not legal: nothing is known of what
    /// comes after it.
    pub steps: Vec<PlanStep>,
    /// The first illegal move. `None` if the plan is legal.
    pub illegal: Option<IllegalMove>,
    /// Whether the plan leads to a terminal state. `None` after an illegal move.
    pub complete: Option<bool>,
    /// Whether no state before the last one is terminal. `None` where an illegal move leaves it open.
    pub minimal: Option<bool>,
    /// The number of moves after which the game is over for the first time.
    pub over_after: Option<usize>,
    /// What the last state is worth to the role, terminal or not. `None` after an illegal move, or where
    /// the rules do not give exactly one value.
    pub reward: Option<Goal>,
    /// Whether there is a better plan.
    pub optimality: Optimality,
    /// How many states the search for a better plan looked at.
    pub nodes: u64,
}

/// A step of a plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    /// The moves of all roles in order.
    pub joint: Vec<TermId>,
    /// Whether all of them are legal.
    pub legal: bool,
    /// Whether the state it leads to is terminal. `None` if it is not legal.
    pub terminal: Option<bool>,
    /// What that state is worth to the role, where the step is legal and the rules say exactly one value.
    pub goal: Option<Goal>,
}

/// The first move of a plan that is not legal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IllegalMove {
    /// The number of the step, the first being 1.
    pub step: usize,
    /// Whose move it is.
    pub role: TermId,
    /// The move.
    pub action: TermId,
    /// The moves that are legal instead, in canonical order.
    pub legal: Vec<TermId>,
}

/// Whether a plan is optimal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Optimality {
    /// No minimal plan brings more.
    Proved,
    /// There is a better plan.
    Refuted {
        /// The best plan that was found: for each step the moves of all roles.
        plan: Vec<Vec<TermId>>,
        /// What it brings.
        reward: Goal,
        /// Whether that plan is optimal.
        is_optimal: bool,
    },
    /// That could not be decided.
    Undecided(Undecided),
}

/// Why it could not be decided whether a plan is optimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Undecided {
    /// The plan has an illegal move, so that it brings nothing to compare.
    #[error("the plan is not legal")]
    Illegal,
    /// The plan does not end the game, so that it brings nothing yet.
    #[error("the plan is not complete")]
    Incomplete,
    /// The rules do not give the last state exactly one value.
    #[error("the rules do not give the last state exactly one value")]
    NoReward,
    /// The search was stopped by a limit on work, time or memory.
    #[error("the search for a better plan was stopped")]
    Stopped,
    /// Another role has a choice on the way, so that there is no best sequence of moves.
    #[error("other roles have a choice")]
    Contested,
}

/// Why nothing can be said of a plan.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PlanError {
    /// A step has neither one move nor one for each role.
    #[error("step {step} has {given} moves; it takes one, or {roles}, one for each role")]
    Width {
        /// The number of the step, the first being 1.
        step: usize,
        /// How many moves were given.
        given: usize,
        /// How many roles there are.
        roles: usize,
    },
    /// A step has only the player's move, and another role has not exactly one legal move.
    #[error("step {step} needs a move of `{role}`, which has {choices} legal ones")]
    MissingMove {
        /// The number of the step, the first being 1.
        step: usize,
        /// The other role, as the rules write it.
        role: String,
        /// How many legal moves it has.
        choices: usize,
    },
    /// What the machine answers; a limit that is reached while the plan is played.
    #[error(transparent)]
    Game(#[from] GameError),
}

/// Checks a plan of the arena's role from the initial state on.
///
/// Each step is the move of that role alone, where the others have just one legal move, or a move of
/// every role in order. A move that the game does not know is an illegal one. Moves after the end of the
/// game are judged by the rules like others: they make the plan not minimal.
///
/// Better plans are sought among the minimal ones, shortest first, within the budget and the memory of
/// the arena's resources; a plan that brings 100 needs no search. Goals count 0 where the rules give no
/// single value, except in the plan itself.
///
/// ```
/// use std::sync::Arc;
/// use ludex_players::{Arena, Optimality, Resources, check_plan};
///
/// // The rules are those of buttons-and-lights.
/// # let rules = ludex_testkit::playable_bundled("buttons-and-lights")?;
/// let white = rules.find_role("white").expect("a role");
/// let arena = Arena::new(Arc::clone(rules.machine()), white, Resources::default());
/// let moves = ["a", "b", "c", "a", "b", "a"].map(|press| rules.read_term(press).map(|press| vec![press]));
/// let plan = moves.into_iter().collect::<Result<Vec<_>, _>>()?;
/// let report = check_plan(&arena, &plan, &Default::default())?;
/// assert_eq!((report.reward, report.optimality), (Some(100), Optimality::Proved));
/// assert_eq!(check_plan(&arena, &plan[1..], &Default::default())?.complete, Some(false));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PlanError`]; a limit only while the plan itself is played.
pub fn check_plan(arena: &Arena, plan: &[Vec<TermId>], budget: &Budget) -> Result<PlanReport, PlanError> {
    let mut report = play(arena, plan, budget)?;
    let undecided = if report.illegal.is_some() {
        Some(Undecided::Illegal)
    } else if report.complete != Some(true) {
        Some(Undecided::Incomplete)
    } else if report.reward.is_none() {
        Some(Undecided::NoReward)
    } else {
        None
    };
    match (undecided, report.reward) {
        (Some(why), _) => report.optimality = Optimality::Undecided(why),
        (None, Some(reward)) if reward < HIGHEST_GOAL => {
            (report.optimality, report.nodes) = seek_better(arena, reward, budget)?;
        }
        _ => report.optimality = Optimality::Proved,
    }
    Ok(report)
}

/// Plays the plan as far as it is legal.
fn play(arena: &Arena, plan: &[Vec<TermId>], budget: &Budget) -> Result<PlanReport, PlanError> {
    let mut runner = arena.machine.runner(budget);
    let mut is_over = runner.terminal()?;
    let mut report = PlanReport {
        steps: Vec::new(),
        illegal: None,
        complete: None,
        minimal: None,
        over_after: is_over.then_some(0),
        reward: None,
        optimality: Optimality::Proved,
        nodes: 0,
    };
    let mut meter = budget.meter();
    for (number, moves) in (1..).zip(plan) {
        meter.spend(64).map_err(GameError::from)?;
        let joint = complete_joint(arena, runner.as_mut(), number, moves)?;
        report.illegal = first_illegal(arena, runner.as_mut(), number, &joint)?;
        if report.illegal.is_some() {
            report.steps.push(PlanStep { joint, legal: false, terminal: None, goal: None });
            report.minimal = report.over_after.map(|_| false);
            return Ok(report);
        }
        let actions: Vec<ActionId> = joint.iter().map(|&term| arena.signature().action_id(term)).collect();
        runner.step_legal(&actions)?;
        is_over = runner.terminal()?;
        let goal = runner.goal(arena.role)?;
        report.steps.push(PlanStep { joint, legal: true, terminal: Some(is_over), goal });
        if is_over {
            report.over_after.get_or_insert(number);
        }
    }
    report.complete = Some(is_over);
    report.minimal = Some(report.over_after.is_none_or(|moves| moves == plan.len()));
    report.reward = runner.goal(arena.role)?;
    Ok(report)
}

/// The moves of all roles in a step, where the others' are given or without alternative.
fn complete_joint(
    arena: &Arena,
    runner: &mut dyn Runner,
    step: usize,
    moves: &[TermId],
) -> Result<Vec<TermId>, PlanError> {
    let roles = arena.signature().roles().len();
    if moves.len() == roles {
        return Ok(moves.to_vec());
    }
    let &[own] = moves else { return Err(PlanError::Width { step, given: moves.len(), roles }) };
    let mut joint = Vec::with_capacity(roles);
    for role in arena.signature().role_ids() {
        if role == arena.role {
            joint.push(own);
            continue;
        }
        match *runner.legal(role)? {
            [only] => joint.push(arena.signature().action(only)),
            ref several => {
                let name = arena.signature().text(arena.signature().roles()[role.index()]);
                return Err(PlanError::MissingMove { step, role: name, choices: several.len() });
            }
        }
    }
    Ok(joint)
}

fn first_illegal(
    arena: &Arena,
    runner: &mut dyn Runner,
    step: usize,
    joint: &[TermId],
) -> Answer<Option<IllegalMove>> {
    let signature = arena.signature();
    for (role, &action) in (0..).map(RoleId).zip(joint) {
        let legal: Vec<TermId> = runner.legal(role)?.iter().map(|&id| signature.action(id)).collect();
        if !legal.contains(&action) {
            let role = signature.roles()[role.index()];
            return Ok(Some(IllegalMove { step, role, action, legal }));
        }
    }
    Ok(None)
}

/// Whether a plan brings more than this, and how many states were looked at to find out.
fn seek_better(arena: &Arena, reward: Goal, budget: &Budget) -> Answer<(Optimality, u64)> {
    let root: &State = arena.machine.initial();
    let mut search = Search::new(Method::BreadthFirst, root, arena.role, arena.resources.memory);
    let mut explorer = Explorer::within(arena, budget);
    match search.run(&mut explorer, u64::MAX) {
        Err(error) if !matches!(error, GameError::Limit(_)) => return Err(error),
        // A limit leaves the search where it is, which says what is known.
        _ => {}
    }
    let better = search.best_complete().filter(|best| best.goal > reward);
    let optimality = match (better, search.progress()) {
        (Some(better), progress) => {
            let terms = |joint: &Vec<ActionId>| joint.iter().map(|&a| arena.signature().action(a)).collect();
            Optimality::Refuted {
                plan: better.joints.iter().map(terms).collect(),
                reward: better.goal,
                is_optimal: progress == Progress::Optimal,
            }
        }
        (None, Progress::Optimal) => Optimality::Proved,
        (None, Progress::Contested) => Optimality::Undecided(Undecided::Contested),
        (None, Progress::Searching | Progress::OutOfMemory) => Optimality::Undecided(Undecided::Stopped),
    };
    Ok((optimality, search.nodes()))
}
