//! Solving games: what a state is worth to each role when everybody plays as well as possible.

use std::sync::Arc;

use ludex_game::{ActionId, Answer, GameError, Machine, RoleId, State};
use ludex_logic::Budget;

use crate::explorer::Explorer;
use crate::minimax::{Conservative, MinimaxOptions, MinimaxSearch, Opponents, Pruning};
use crate::strategy::{Arena, Resources};

/// How to solve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SolveOptions {
    /// What each role thinks that the others want. [`Opponents::Paranoid`] gives what it can be sure of,
    /// and is fast; [`Opponents::MaxN`] what it gets where each plays for itself; and
    /// [`Opponents::Coalition`] what it gets where all others play together.
    pub opponents: Opponents,
    /// Bytes for the table of states.
    pub memory: usize,
    /// How many joint moves of the principal variation to give at most.
    pub variation_steps: usize,
}

impl Default for SolveOptions {
    /// What each role can be sure of; 1 GiB; up to 200 joint moves.
    fn default() -> Self {
        Self { opponents: Opponents::Paranoid, memory: 1 << 30, variation_steps: 200 }
    }
}

/// What a state is worth to each role, in the order of the roles; the role that moves at random (GDL-II)
/// has 0.
#[derive(Clone, Debug, PartialEq)]
pub enum Values {
    /// The most that the only role can get.
    Best(f64),
    /// The value in the sense of von Neumann: two roles that move in turn, whose goals have the same sum in
    /// all terminal states that the proof needs. Neither can do better against best play.
    ZeroSum(Vec<f64>),
    /// What each role can be sure of when it commits first in every state and all others do all they
    /// can against it (the book's minimax). With simultaneous moves, other goals or more roles than two,
    /// roles may get more than that together.
    Guaranteed(Vec<f64>),
    /// What each role gets where each plays for its own goal (max^n), by its own search: where moves
    /// are simultaneous or equally good, the values of different roles may belong to different lines.
    MaxN(Vec<f64>),
    /// What each role gets where all others play as one for the sum of their goals.
    AgainstCoalition(Vec<f64>),
    /// A limit stopped the search: the values that were found before, of the notion asked for.
    Undecided(Vec<Option<f64>>),
}

/// A state, solved.
#[derive(Clone, Debug, PartialEq)]
pub struct Solution {
    /// What the state is worth.
    pub values: Values,
    /// A line of best joint moves, as the first role sees it; as far as it was found before a limit.
    pub variation: Vec<Vec<ActionId>>,
    /// How many states were looked at (calls of `maxscore`), the variation included.
    pub nodes: u64,
    /// How many states the largest table held.
    pub table_len: usize,
    /// The bytes that it took.
    pub table_bytes: usize,
}

/// Finds the value of a state for each role, and a line of best play.
///
/// A line that comes back to a state it has been in counts 0 to all roles, as in
/// [`MinimaxSearch::run`].
///
/// ```
/// use ludex_players::{SolveOptions, Values, solve};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("tic-tac-toe")?;
/// let options = SolveOptions { memory: 64 << 20, ..SolveOptions::default() };
/// let solution = solve(rules.machine(), rules.initial(), &options, &Default::default())?;
/// assert_eq!(solution.values, Values::ZeroSum(vec![50.0, 50.0]));
/// assert_eq!(solution.variation.len(), 9, "a line of best play");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// What the machine answers. A limit is no error: what it stopped is [`Values::Undecided`].
pub fn solve(
    machine: &Arc<dyn Machine>,
    state: &State,
    options: &SolveOptions,
    budget: &Budget,
) -> Answer<Solution> {
    let roles = machine.signature().roles().len();
    let mut solver = Solver {
        machine,
        state,
        options,
        budget,
        values: vec![None; roles],
        solution: Solution {
            values: Values::Undecided(vec![None; roles]),
            variation: Vec::new(),
            nodes: 0,
            table_len: 0,
            table_bytes: 0,
        },
        is_zero_sum: false,
    };
    match solver.solve_roles() {
        Err(GameError::Limit(_)) | Ok(()) => Ok(solver.finish()),
        Err(error) => Err(error),
    }
}

struct Solver<'s> {
    machine: &'s Arc<dyn Machine>,
    state: &'s State,
    options: &'s SolveOptions,
    budget: &'s Budget,
    values: Vec<Option<f64>>,
    solution: Solution,
    is_zero_sum: bool,
}

impl Solver<'_> {
    fn solve_roles(&mut self) -> Answer<()> {
        let random = self.machine.signature().random();
        let roles: Vec<RoleId> = self.machine.signature().role_ids().filter(|&r| Some(r) != random).collect();
        if let Some(random) = random {
            self.values[random.index()] = Some(0.0);
        }
        for (number, &role) in roles.iter().enumerate() {
            if self.values[role.index()].is_some() {
                continue;
            }
            let sum = self.solve_for(role, number == 0)?;
            if let (&[_, other], Some(sum), Some(value), None) =
                (&roles[..], sum, self.values[role.index()], random)
            {
                self.values[other.index()] = Some(sum - value);
                self.is_zero_sum = true;
            }
        }
        Ok(())
    }

    /// Finds what the state is worth to a role. The sum of goals, where the other of two roles certainly
    /// gets the rest: both strategies that prove the value lead only through states that were seen.
    fn solve_for(&mut self, role: RoleId, is_first: bool) -> Answer<Option<f64>> {
        let resources = Resources { memory: self.options.memory, ..Resources::default() };
        let arena = Arena::new(Arc::clone(self.machine), role, resources);
        let mut explorer = Explorer::within(&arena, self.budget);
        let mut search = MinimaxSearch::new(MinimaxOptions {
            opponents: self.options.opponents,
            pruning: Pruning::AlphaBeta { low: 0.0, high: 100.0 },
            ordering: true,
            table_bytes: self.options.memory,
        })
        .observing();
        let found = self.search(&mut search, &mut explorer, is_first);
        self.solution.nodes += search.nodes();
        self.solution.table_len = self.solution.table_len.max(search.table_len());
        self.solution.table_bytes = self.solution.table_bytes.max(search.table_bytes());
        let value = found?;
        self.values[role.index()] = value;
        let observed = search.observed();
        let is_settled = value.is_some()
            && self.options.opponents == Opponents::Paranoid
            && !observed.is_simultaneous
            && !observed.has_other_sums
            && !observed.has_ended_early;
        Ok(observed.sum.filter(|_| is_settled).map(|sum| sum as f64))
    }

    /// The value for the explorer's role; `None` where the end of the game is too far away. Follows
    /// the line of best play if wanted.
    fn search(
        &mut self,
        search: &mut MinimaxSearch,
        explorer: &mut Explorer<'_>,
        wants_line: bool,
    ) -> Answer<Option<f64>> {
        let result = search.run(explorer, &mut Conservative, self.state, None, &mut |_| {})?;
        let value = result.is_complete.then_some(result.value);
        if !wants_line {
            return Ok(value);
        }
        self.values[explorer.role().index()] = value;
        let (mut at, mut joint) = (self.state.clone(), result.joint);
        let mut visited = vec![at.clone()];
        while !joint.is_empty() && self.solution.variation.len() < self.options.variation_steps {
            at = explorer.successor(&at, &joint)?;
            self.solution.variation.push(joint);
            if visited.contains(&at) {
                break;
            }
            visited.push(at.clone());
            joint = search.run(explorer, &mut Conservative, &at, None, &mut |_| {})?.joint;
        }
        Ok(value)
    }

    fn finish(mut self) -> Solution {
        let known: Option<Vec<f64>> = self.values.iter().copied().collect();
        self.solution.values = match (known, self.options.opponents) {
            (None, _) => Values::Undecided(self.values),
            (Some(values), _) if values.len() == 1 => Values::Best(values[0]),
            (Some(values), _) if self.is_zero_sum => Values::ZeroSum(values),
            (Some(values), Opponents::Paranoid) => Values::Guaranteed(values),
            (Some(values), Opponents::MaxN) => Values::MaxN(values),
            (Some(values), Opponents::Coalition) => Values::AgainstCoalition(values),
        };
        self.solution
    }
}
