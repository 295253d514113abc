//! What a role can know of the state: the states that fit what it was told, and how likely each is (book 17.6, 17.7).

mod certain;
mod joints;
mod known;
mod recovery;
mod solved;
mod step;
mod told;
mod weighted;

use std::fmt;
use std::sync::Arc;

use ludex_logic::{Budget, LimitError, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::batch::{Batch, BatchOptions, Expansion, OneByOne};
use crate::error::GameError;
use crate::machine::{Machine, Runner};
use crate::rng::Rng;
use crate::signature::{ActionId, RoleId};
use crate::state::State;

pub use certain::Certain;
pub use known::{Likelihood, Likely};
use solved::{Asked, CourseEnd};
use told::ToldByRole;
pub use told::{MoveModel, Told};
use weighted::WeightedStates;

/// What a role learns after each step.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The moves of all roles in order: in games of complete information.
    Joint(Vec<TermId>),
    /// In GDL-II.
    Percepts {
        /// The role's own move, as it was made: the referee's, where the player's was not legal.
        action: TermId,
        /// What the role saw.
        percepts: Vec<TermId>,
    },
}

/// How much a [`Belief`] keeps and tries.
#[derive(Clone, Debug)]
pub struct BeliefOptions {
    /// The most states kept.
    pub limit: usize,
    /// The most joint moves tried for one step; where there are more, that many are drawn.
    pub expansions: usize,
    /// The most joint moves tried to find states again from the beginning of the match.
    pub replays: usize,
    /// The most conflicts of one question to a solver, where the machine has one ([`Machine::course_solver`]). It is
    /// asked for states that fit where so many replays found none, and for what is certain where the states are a
    /// sample ([`Belief::certain`]). With 0 it is never asked: then seeds lead to the same states on every engine, but
    /// there may be steps for which no state is found.
    pub conflicts: u64,
    /// Whether states are kept apart in which others were told different things: for who wants to know what others
    /// may know ([`Belief::told`]).
    pub notes_told: bool,
    /// Whether random steps are drawn by the machine ([`Batch::follow`]), where it is not noted what others were told:
    /// in lanes this is much faster, and other states are drawn than on other engines.
    pub drawn_by_machine: bool,
    /// Decides which states are kept.
    pub seed: u64,
    /// Whether news that contradict the rules are passed over, so that there is always a state to go
    /// on from: a move that is unknown or not legal then stands for any legal one, and what was seen
    /// is not asked about. [`Belief::contradictions`] counts such steps.
    pub forgiving: bool,
}

impl BeliefOptions {
    /// What players use: they go on whatever they are told.
    pub fn of_player(seed: u64) -> Self {
        Self { seed, forgiving: true, ..Self::default() }
    }
}

impl Default for BeliefOptions {
    fn default() -> Self {
        Self {
            limit: 2_000,
            expansions: 10_000,
            replays: 50_000,
            conflicts: 20_000,
            notes_told: false,
            drawn_by_machine: false,
            seed: 0,
            forgiving: false,
        }
    }
}

/// Why a role does not know what it may do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BeliefError {
    /// No state of the game fits what the role was told.
    #[error("no state of the game fits what the player was told")]
    Impossible,
    /// No state was found that fits; there may be some.
    #[error("no state was found that fits what the player was told")]
    Lost,
    /// There is no legal move.
    #[error("there is no legal move")]
    NoMove,
    /// The machine has no answer.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl From<LimitError> for BeliefError {
    fn from(limit: LimitError) -> Self {
        Self::Game(GameError::Limit(limit))
    }
}

/// The states that fit what a role was told, with their probabilities, or a bounded sample of them.
///
/// Chance makes each of its moves with equal likelihood, and every other role is taken to do so as well; the role
/// itself made the moves that it made. As long as there are few states, these are all (the information set of book
/// 17.6): every combination of moves of the others is tried from every state, what would have looked different is left
/// out, and what remains has the probability that it has by the rule of Bayes. Equal states are one, whatever led
/// there. Where there are too many, a seeded sample is kept (17.7): states are drawn by their probabilities, random
/// steps are made from them, and those that would have looked different are dropped (the bootstrap filter of Gordon,
/// Salmond and Smith, 1993). When none of the sample fits any longer, others are searched for from the beginning of
/// the match on: by random play with steps back, and where that finds none by a solver for formulas, if the machine has
/// one ([`Machine::course_solver`]). The solver also tells where there is no such state.
///
/// In games of complete information there is just one state.
pub struct Belief {
    machine: Arc<dyn Machine>,
    role: RoleId,
    options: BeliefOptions,
    rng: Rng,
    possible: WeightedStates,
    exact: bool,
    news: Vec<News>,
    /// How many of the news the states account for.
    done: usize,
    /// How many joint moves were made to find states.
    steps_made: u64,
    /// Whether terminal states were left out after the last news.
    alive: bool,
    /// The steps whose news contradict the rules.
    passed_over: FxHashSet<usize>,
    /// What the solver was asked since the last news, and what it said: it would say the same again.
    asked: FxHashMap<CourseEnd, Asked>,
    /// What is certain after the news, once that was asked for.
    certain: Option<Certain>,
}

impl fmt::Debug for Belief {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, options, exact, done, .. } = self;
        f.debug_struct("Belief")
            .field("role", role)
            .field("options", options)
            .field("states", &self.possible.len())
            .field("exact", exact)
            .field("steps", done)
            .finish_non_exhaustive()
    }
}

/// A sample smaller than this is filled up.
const FEW: usize = 25;

impl Belief {
    /// What a role knows at the beginning: the initial state.
    pub fn new(machine: Arc<dyn Machine>, role: RoleId, options: BeliefOptions) -> Self {
        let roles = if options.notes_told { machine.signature().roles().len() } else { 0 };
        Self {
            possible: WeightedStates::only(machine.initial().clone(), told_nothing(roles)),
            rng: Rng::from_seed(options.seed),
            exact: true,
            news: Vec::new(),
            done: 0,
            steps_made: 0,
            alive: false,
            passed_over: FxHashSet::default(),
            asked: FxHashMap::default(),
            certain: None,
            machine,
            role,
            options,
        }
    }

    /// The machine that the states are of.
    pub fn machine(&self) -> &Arc<dyn Machine> {
        &self.machine
    }

    /// Whose belief it is.
    pub fn role(&self) -> RoleId {
        self.role
    }

    /// Goes on with another machine of the same game and the same terms. Whether it did: it stays with the one it has
    /// where the other knows none of the states.
    pub fn change_machine(&mut self, machine: &Arc<dyn Machine>) -> bool {
        if Arc::ptr_eq(machine, &self.machine) {
            return true;
        }
        let mut facts = Vec::new();
        let mut crossed = WeightedStates::default();
        let all = self.possible.states().iter().zip(self.possible.told()).zip(self.possible.weights());
        for ((state, told), &weight) in all {
            self.machine.facts(state, &mut facts);
            if let Ok(state) = machine.state_of(&facts) {
                crossed.add(state.tag(), state.words(), told, weight);
            }
        }
        let is_known = !crossed.is_empty();
        if is_known {
            // A state that no course of the game leads to may be missing.
            crossed.normalise();
            self.possible = crossed;
            self.machine = Arc::clone(machine);
            // The other one may have a solver.
            self.asked.clear();
            self.certain = None;
        }
        is_known
    }

    /// Takes notice; the work is done by [`Belief::update`].
    pub fn observe(&mut self, news: &News) {
        self.news.push(news.clone());
        self.alive = false;
        self.asked.clear();
        self.certain = None;
    }

    /// What the role was told, step by step.
    pub fn news(&self) -> &[News] {
        &self.news
    }

    /// The states held possible when last updated, in no particular order.
    pub fn states(&self) -> &[State] {
        self.possible.states()
    }

    /// The probability of each of the states; they sum to 1.
    pub fn weights(&self) -> &[f64] {
        self.possible.weights()
    }

    /// Whether it is noted what others were told.
    pub fn notes_told(&self) -> bool {
        self.options.notes_told
    }

    /// What a role was told where a state is the true one ([`BeliefOptions::notes_told`]).
    pub fn told(&self, state: usize, role: RoleId) -> Told {
        let told = self.possible.told().get(state).and_then(|told| told.get(role.index()));
        told.copied().unwrap_or_default()
    }

    /// Whether these are all that are possible.
    pub fn is_exact(&self) -> bool {
        self.exact
    }

    /// How many joint moves were made so far to find the states: what it cost.
    pub fn steps_made(&self) -> u64 {
        self.steps_made
    }

    /// How many steps were passed over because their news contradict the rules.
    pub fn contradictions(&self) -> usize {
        self.passed_over.len()
    }

    /// Makes the states fit all news. Where some of those that fit are not terminal, the match is taken to go on, and
    /// terminal ones are left out; where all are terminal, it is over, and they stay.
    ///
    /// # Errors
    /// [`BeliefError`]; after a limit it goes on where it stopped.
    pub fn update(&mut self, budget: &Budget) -> Result<(), BeliefError> {
        self.update_by(None, budget)
    }

    /// As [`Belief::update`], with others taken to move as a model says, which wants to be told what they were told
    /// ([`BeliefOptions::notes_told`]).
    ///
    /// # Errors
    /// As there.
    pub fn update_by(&mut self, model: Option<&dyn MoveModel>, budget: &Budget) -> Result<(), BeliefError> {
        let machine = Arc::clone(&self.machine);
        let mut runner = machine.runner(budget);
        let mut batch = batch_for(&*machine, self.is_hidden(), budget);
        self.follow_news((&mut *runner, &mut *batch), model, budget)?;
        let mut ended = WeightedStates::default();
        if !self.alive {
            ended = self.leave_out_ended(&mut *batch)?;
            if !self.exact && !self.possible.is_empty() && self.possible.len() < FEW {
                // So few of a sample are likely to be all wrong.
                self.done = self.news.len();
                self.recover(&mut *runner, self.options.replays / 10, budget)?;
            }
            self.alive = true;
        }
        if self.possible.is_empty() {
            if self.exact {
                return Err(BeliefError::Impossible);
            }
            self.done = self.news.len();
            self.recover(&mut *runner, self.options.replays, budget)?;
            self.take_solved_or(&mut *runner, ended, budget)?;
        }
        Ok(())
    }

    /// Leaves out the terminal states, unless all that are possible are terminal. Those that were left out.
    fn leave_out_ended(&mut self, batch: &mut dyn Batch) -> Result<WeightedStates, BeliefError> {
        let looked = self.look(batch)?;
        let all = std::mem::take(&mut self.possible);
        let (mut kept, mut ended) = all.partition(|place| !looked.terminal(place));
        if self.exact && kept.is_empty() {
            std::mem::swap(&mut kept, &mut ended);
        }
        kept.normalise();
        ended.normalise();
        self.possible = kept;
        Ok(ended)
    }

    /// Looks at all states.
    fn look(&self, batch: &mut dyn Batch) -> Result<Expansion, BeliefError> {
        let states: Vec<&State> = self.possible.states().iter().collect();
        let mut looked = Expansion::default();
        batch.look(&states, &mut looked)?;
        Ok(looked)
    }

    /// Makes the states fit the news one after the other, until none fits.
    fn follow_news(
        &mut self,
        (runner, batch): (&mut dyn Runner, &mut dyn Batch),
        model: Option<&dyn MoveModel>,
        budget: &Budget,
    ) -> Result<(), BeliefError> {
        while self.done < self.news.len() {
            let news = self.news[self.done].clone();
            let (mut found, mut all) = self.successors((runner, batch), &news, model, budget)?;
            if found.is_empty() && self.options.forgiving {
                // What was left out of the sample may fit.
                if !(self.exact && all) && self.finds_others(runner, budget)? {
                    continue;
                }
                self.passed_over.insert(self.done);
                (found, all) = self.pass_over(batch, &news, budget)?;
            }
            self.exact &= all;
            self.possible = found;
            self.possible.normalise();
            self.done += 1;
            if self.possible.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// Looks for other states that fit all news, or at least those up to the next; whether some were found. Otherwise
    /// the states are left as they are.
    fn finds_others(&mut self, runner: &mut dyn Runner, budget: &Budget) -> Result<bool, BeliefError> {
        let before = std::mem::take(&mut self.possible);
        let was_exact = std::mem::replace(&mut self.exact, false);
        let found = self.recover(runner, self.options.replays, budget).and_then(|()| {
            if self.possible.is_empty() { self.solve_news(runner, budget) } else { Ok(Some(self.news.len())) }
        });
        if let Ok(Some(done)) = found {
            self.done = done;
        } else {
            (self.possible, self.exact) = (before, was_exact);
        }
        Ok(found?.is_some())
    }

    /// That no role was told anything, where that is noted.
    fn nothing_told(&self) -> ToldByRole {
        let roles = self.machine.signature().roles().len();
        told_nothing(if self.options.notes_told { roles } else { 0 })
    }

    /// Whether the role was told of a step in which it did not see all moves: several states may be possible.
    fn is_hidden(&self) -> bool {
        self.possible.len() > 1 || self.news.iter().any(|news| matches!(news, News::Percepts { .. }))
    }

    fn action_id(&self, term: TermId) -> Result<ActionId, BeliefError> {
        let signature = self.machine.signature();
        let found = signature.find_action(term);
        Ok(found.ok_or_else(|| GameError::UnknownAction { action: signature.text(term) })?)
    }
}

/// That so many roles were told nothing.
fn told_nothing(roles: usize) -> ToldByRole {
    std::iter::repeat_n(Told::NOTHING, roles).collect()
}

/// What looks at states and expands them: lanes where there are many and the machine has lanes. A limit on work is one
/// for each question about one state.
fn batch_for<'m>(machine: &'m dyn Machine, are_many: bool, budget: &Budget) -> Box<dyn Batch + 'm> {
    let options = BatchOptions { budget: budget.clone().with_work(u64::MAX), ..BatchOptions::default() };
    if are_many {
        let batch = machine.batch(&options);
        if batch.width() > 1 {
            return batch;
        }
    }
    Box::new(OneByOne::new(machine.runner(budget), Arc::clone(machine.signature()), &options))
}
