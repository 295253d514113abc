//! Many states at once: playouts and expansions for search.

mod decisive_moves;
mod expansion;
mod follow;
mod moves_made;
mod one_by_one;
mod samples;

use crate::error::Answer;
use crate::signature::{Goal, RoleId};
use crate::state::State;

pub use decisive_moves::{DecisiveMoves, Stakes};
pub use expansion::{Expansion, Jobs, Wanted};
pub use follow::{Observation, Survivors};
pub use moves_made::MovesMade;
pub(crate) use one_by_one::OneByOne;
pub use one_by_one::one_by_one;
pub use samples::{Guide, OpenState, RandomGuide, SampleOptions, Samples};

/// How a [`Batch`] is set up.
#[derive(Clone, Debug)]
pub struct BatchOptions {
    /// Limits that hold for each single call.
    pub budget: ludex_logic::Budget,
    /// Whether to keep one [`PlayoutRecord`] per playout beside the tallies.
    pub records: bool,
}

impl Default for BatchOptions {
    fn default() -> Self {
        Self { budget: ludex_logic::Budget::unlimited(), records: false }
    }
}

/// A state to play from, and how often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Start {
    /// The state, of the machine the batch belongs to.
    pub state: State,
    /// How many playouts to make from it. All are finished, so short ones are not preferred.
    pub playouts: u32,
}

/// How playouts go: each legal move is as likely as any other, of those that the decisive moves leaves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    /// A playout ends after this many steps if it is not over by then.
    pub step_limit: u32,
    /// What a playout that ends so is worth.
    pub at_limit: AtLimit,
    /// What they see before they do, if anything.
    pub decisive_moves: Option<DecisiveMoves>,
    /// Whether to note which moves were made, in [`Outcomes::moves`].
    pub notes_moves: bool,
}

impl Policy {
    /// Each legal move with equal likelihood; a playout at the step limit is a fault.
    pub const fn uniform(step_limit: u32) -> Self {
        Self { step_limit, at_limit: AtLimit::Fault, decisive_moves: None, notes_moves: false }
    }
}

/// What a playout is worth that is not over at the step limit. It is counted as
/// [`Tally::over_limit`] and never as [`Tally::finished`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
pub enum AtLimit {
    /// Nothing: its goals are not looked at.
    #[default]
    Fault,
    /// The goals of the state reached, as if that were terminal: long games can be cut off early where
    /// the rules give goals to all states. A role without exactly one goal there gets none, as in
    /// terminal states.
    Goals,
}

/// Why a playout has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlayoutFault {
    /// A role had no legal move in a state that is not terminal.
    Stuck(RoleId),
    /// The step limit was reached.
    OverLimit,
}

/// How one playout went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayoutRecord {
    /// The number of the start it was played from.
    pub start: u32,
    /// Joint moves made.
    pub steps: u32,
    /// The goals of the last state, by role, where the rules give exactly one; empty after a fault,
    /// unless the fault is the step limit and the policy says [`AtLimit::Goals`].
    pub goals: Vec<Option<Goal>>,
    /// Why it did not end.
    pub fault: Option<PlayoutFault>,
}

/// What the playouts from one start came to.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Tally {
    /// Playouts that ended in a terminal state.
    pub finished: u32,
    /// Playouts in which a role had no legal move.
    pub stuck: u32,
    /// Playouts that reached the step limit, whether or not their goals count ([`AtLimit`]).
    pub over_limit: u32,
    /// Joint moves made, in all playouts.
    pub steps: u64,
    /// Sum of the squares of the lengths of all playouts.
    pub squared_steps: u64,
    /// Per role, how often each goal value was reached, in ascending order of the value. Playouts
    /// that end without exactly one value for the role are missing.
    pub goals: Vec<Vec<(Goal, u32)>>,
}

impl Tally {
    /// Playouts in all.
    pub fn playouts(&self) -> u32 {
        self.finished + self.stuck + self.over_limit
    }

    /// The mean goal of a role over the playouts that gave it one.
    pub fn mean_goal(&self, role: RoleId) -> Option<f64> {
        let list = self.goals.get(role.index())?;
        let count: u64 = list.iter().map(|&(_, n)| u64::from(n)).sum();
        let sum: u64 = list.iter().map(|&(goal, n)| u64::from(goal) * u64::from(n)).sum();
        (count > 0).then(|| sum as f64 / count as f64)
    }

    /// Adds what further playouts from the same start came to.
    pub fn merge(&mut self, other: &Tally) {
        self.finished += other.finished;
        self.stuck += other.stuck;
        self.over_limit += other.over_limit;
        self.steps += other.steps;
        self.squared_steps += other.squared_steps;
        self.goals.resize(other.goals.len().max(self.goals.len()), Vec::new());
        for (list, more) in self.goals.iter_mut().zip(&other.goals) {
            for &(goal, count) in more {
                match list.binary_search_by_key(&goal, |&(g, _)| g) {
                    Ok(at) => list[at].1 += count,
                    Err(at) => list.insert(at, (goal, count)),
                }
            }
        }
    }

    /// Notes one playout: its steps, why it did not end if it did not, and its goals by role, or none
    /// at all where they do not count.
    pub fn add(&mut self, steps: u32, fault: Option<PlayoutFault>, goals: &[Option<Goal>]) {
        self.steps += u64::from(steps);
        self.squared_steps += u64::from(steps) * u64::from(steps);
        match fault {
            Some(PlayoutFault::Stuck(_)) => self.stuck += 1,
            Some(PlayoutFault::OverLimit) => self.over_limit += 1,
            None => self.finished += 1,
        }
        self.goals.resize(goals.len().max(self.goals.len()), Vec::new());
        for (list, goal) in self.goals.iter_mut().zip(goals) {
            let Some(goal) = *goal else { continue };
            match list.binary_search_by_key(&goal, |&(g, _)| g) {
                Ok(at) => list[at].1 += 1,
                Err(at) => list.insert(at, (goal, 1)),
            }
        }
    }
}

/// The results of [`Batch::playouts`].
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Outcomes {
    /// One per start.
    pub tallies: Vec<Tally>,
    /// One per playout where [`BatchOptions::records`] asks for them, sorted by start.
    pub records: Vec<PlayoutRecord>,
    /// Which moves were made in them, where the policy says [`Policy::notes_moves`]; else empty.
    pub moves: MovesMade,
}

/// Plays and expands many states at once: lanes on a net, one after the other on the rule machine.
///
/// ```
/// use ludex_game::{BatchOptions, Machine, RandomGuide, RuleMachine, Samples, Start};
///
/// let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
///     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (goal you 50)";
/// let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = RuleMachine::new(&game, &Default::default())?;
/// let start = Start { state: machine.initial().clone(), playouts: 100 };
/// let mut games = Samples::default();
/// let mut batch = machine.batch(&BatchOptions::default());
/// batch.sample(&[start], &Default::default(), &mut RandomGuide, &mut games)?;
/// assert_eq!((games.starts.len(), games.goals[0]), (100, Some(50)));
/// assert!((150..250).contains(&games.rows()), "two moves a game, on average");
/// # Ok::<(), ludex_game::GameError>(())
/// ```
pub trait Batch {
    /// How many states are worked on at once: fewer in a call are a waste.
    fn width(&self) -> usize {
        1
    }
    /// Plays random games from each start until all are over. One seed gives one result.
    ///
    /// # Errors
    /// A limit of the budget. Faults of single playouts are in the outcome.
    fn playouts(&mut self, from: &[Start], policy: &Policy, seed: u64, out: &mut Outcomes) -> Answer<()>;
    /// How much longer playouts with this decisive moves take for each step, about: 2 for twice as long. `None`
    /// where this cannot be told, where there was no time to prepare for it, where no move can win at once, or
    /// where the batch cannot look ahead and plays without decisive moves.
    fn decisive_cost(&mut self, _decisive_moves: &DecisiveMoves) -> Option<f64> {
        None
    }
    /// Makes each joint move in its state. After an error nothing is in `out`.
    ///
    /// # Errors
    /// As [`Runner::step`](crate::Runner::step), and [`GameError::ForeignState`](crate::GameError::ForeignState) for
    /// words that are no state.
    fn expand(&mut self, jobs: &Jobs, out: &mut Expansion) -> Answer<()>;
    /// Looks at states: whether they are terminal, what they are worth, what is legal. After an error nothing is in
    /// `out`.
    ///
    /// # Errors
    /// A limit of the budget, [`GameError::ForeignState`](crate::GameError::ForeignState).
    fn look(&mut self, states: &[&State], out: &mut Expansion) -> Answer<()>;
    /// Makes as many random steps from each start as it says, in which a role makes the move that it made and each
    /// other role each of its legal moves with equal likelihood, and keeps the states after which the role has seen
    /// what it saw: one step of a particle filter (book 17.7). Starts that are terminal, or in which somebody cannot
    /// move so, lead nowhere. One seed gives one result, though others on other engines. After an error nothing of
    /// use is in `out`.
    ///
    /// # Errors
    /// A limit of the budget, [`GameError::ForeignState`](crate::GameError::ForeignState).
    fn follow(
        &mut self,
        from: &[Start],
        observed: &Observation<'_>,
        seed: u64,
        out: &mut Survivors,
    ) -> Answer<()> {
        follow::follow(self, from, observed, seed, out)
    }
    /// Plays games from each start to their ends, and keeps each state with its legal moves, the joint move that was
    /// made there, and what came of the game. One seed gives one result, on every engine the same games.
    ///
    /// # Errors
    /// As [`Batch::expand`], where the guide makes moves that are not legal, too; limits hold for each step of up to
    /// 4096 games. The games that were played are then in `out`, those that were not over without goals.
    fn sample(
        &mut self,
        from: &[Start],
        options: &SampleOptions,
        guide: &mut dyn Guide,
        out: &mut Samples,
    ) -> Answer<()> {
        *out = Samples::default();
        samples::sample(self, from, options, guide, out)
    }
}
