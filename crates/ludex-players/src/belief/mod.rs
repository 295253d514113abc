//! The states that a player holds possible (book 17.6, 17.7).

mod joints;

use ludex_game::{ActionId, GameError, Rng, Runner, State};
use ludex_logic::{Budget, LimitError, TermId};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::player::{News, PlayerError, Seat};
use crate::report::Report;
use joints::{Joints, Numbers};

/// How much a [`Belief`] keeps and tries.
#[derive(Clone, Debug)]
pub struct BeliefOptions {
    /// The most states kept.
    pub limit: usize,
    /// The most joint moves tried for one step; where there are more, that many are drawn.
    pub expansions: usize,
    /// The most joint moves tried to find states again from the beginning of the match.
    pub replays: usize,
    /// Decides which states are kept.
    pub seed: u64,
    /// Whether news that contradict the rules are passed over, so that there is always a state to go
    /// on from: a move that is unknown or not legal then stands for any legal one, and what was seen
    /// is not asked about. [`Belief::contradictions`] counts such steps.
    pub forgiving: bool,
}

impl BeliefOptions {
    /// What players use: they go on whatever they are told.
    pub(crate) fn of_player(seed: u64) -> Self {
        Self { seed, forgiving: true, ..Self::default() }
    }
}

impl Default for BeliefOptions {
    fn default() -> Self {
        Self { limit: 500, expansions: 5_000, replays: 50_000, seed: 0, forgiving: false }
    }
}

/// Why a player does not know what it may do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BeliefError {
    /// No state of the game fits what the player was told.
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

/// The states that fit what a player was told, or a bounded sample of them.
///
/// As long as there are few, these are all of them (the information set of book 17.6): every
/// combination of moves of the others is tried from every state, and what would have looked different
/// is left out. Where there are too many, a seeded sample is kept (17.7), each state as likely as any
/// other; when none of the sample fits any longer, the match is played through again, with steps
/// back, to find others.
///
/// In games of complete information there is just one state.
///
/// ```
/// use std::sync::Arc;
/// use ludex_players::{Belief, BeliefOptions, News, Seat};
///
/// // The rules are those of blind-tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("blind-tic-tac-toe")?;
/// let seat = Seat {
///     program: Arc::clone(rules.program()),
///     machine: Arc::clone(rules.machine()),
///     upgrade: None,
///     analysis: None,
///     role: rules.find_role("white").expect("a role"),
/// };
/// let mut belief = Belief::new(seat, BeliefOptions::default());
/// let (action, ok) = (rules.read_term("(mark 2 2)")?, rules.read_term("ok")?);
/// belief.observe(&News::Percepts { action, percepts: vec![ok] });
/// belief.update(&Default::default())?;
/// // The other one may have marked any of the nine cells, and tried this one in vain.
/// assert_eq!((belief.states().len(), belief.is_exact()), (9, true));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Belief {
    seat: Seat,
    options: BeliefOptions,
    rng: Rng,
    states: Vec<State>,
    exact: bool,
    news: Vec<News>,
    /// How many of the news the states account for.
    done: usize,
    /// Whether terminal states were left out after the last news.
    alive: bool,
    /// The steps whose news contradict the rules.
    passed_over: FxHashSet<usize>,
}

/// The part of the play clock that finding the possible states may take in GDL-II.
const BELIEF_SHARE: f64 = 0.4;
/// A sample smaller than this is filled up.
const FEW: usize = 25;

impl Belief {
    /// What a player knows at the beginning: the initial state.
    pub fn new(seat: Seat, options: BeliefOptions) -> Self {
        Self {
            states: vec![seat.machine.initial().clone()],
            rng: Rng::from_seed(options.seed),
            exact: true,
            news: Vec::new(),
            done: 0,
            alive: false,
            passed_over: FxHashSet::default(),
            seat,
            options,
        }
    }

    /// Whose belief it is.
    pub fn seat(&self) -> &Seat {
        &self.seat
    }

    /// Takes notice; the work is done by [`Belief::update`].
    pub fn observe(&mut self, news: &News) {
        self.news.push(news.clone());
        self.alive = false;
    }

    /// The states held possible when last updated, in no particular order.
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Whether these are all that are possible.
    pub fn is_exact(&self) -> bool {
        self.exact
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
        let seat = self.seat.clone();
        let mut runner = seat.machine.runner(budget);
        self.follow_news(&mut *runner, budget)?;
        let mut ended = Vec::new();
        if !self.alive {
            let mut kept = Vec::with_capacity(self.states.len());
            for state in &self.states {
                runner.set(state)?;
                if !runner.terminal()? {
                    kept.push(state.clone());
                }
            }
            if self.exact && kept.is_empty() {
                kept.append(&mut self.states);
            }
            ended = std::mem::replace(&mut self.states, kept);
            if !self.exact && !self.states.is_empty() && self.states.len() < FEW {
                // So few of a sample are likely to be all wrong.
                self.done = self.news.len();
                self.replay(&mut *runner, self.options.replays / 10, budget)?;
            }
            self.alive = true;
        }
        if self.states.is_empty() {
            if self.exact {
                return Err(BeliefError::Impossible);
            }
            self.done = self.news.len();
            self.replay(&mut *runner, self.options.replays, budget)?;
            if self.states.is_empty() {
                self.states = ended;
            }
            if self.states.is_empty() {
                return Err(BeliefError::Lost);
            }
        }
        Ok(())
    }

    /// Makes the states fit the news one after the other, until none fits.
    fn follow_news(&mut self, runner: &mut dyn Runner, budget: &Budget) -> Result<(), BeliefError> {
        while self.done < self.news.len() {
            let news = self.news[self.done].clone();
            let (mut states, mut all) = self.successors(runner, &news, budget)?;
            if states.is_empty() && self.options.forgiving {
                if !(self.exact && all) {
                    // What was left out of the sample may fit.
                    let before = std::mem::take(&mut self.states);
                    let replayed = self.replay(runner, self.options.replays, budget);
                    if replayed.is_ok() && !self.states.is_empty() {
                        (self.done, self.exact) = (self.news.len(), false);
                        break;
                    }
                    self.states = before;
                    replayed?;
                }
                self.passed_over.insert(self.done);
                (states, all) = self.pass_over(runner, &news, budget)?;
            }
            self.exact &= all;
            self.states = states;
            self.done += 1;
            if self.states.is_empty() {
                break;
            }
        }
        Ok(())
    }

    /// The moves that are legal in all states held possible, in canonical order.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn legal_in_all(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        let count = self.count_legal(budget)?;
        let all = self.states.len();
        Ok(self.in_order(count.into_iter().filter(|&(_, n)| n == all).map(|(action, _)| action)))
    }

    /// The moves that are legal in as many of the states held possible as any other, in canonical order.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn legal_in_most(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        let count = self.count_legal(budget)?;
        let most = count.values().copied().max().unwrap_or(0);
        Ok(self.in_order(count.into_iter().filter(|&(_, n)| n == most).map(|(action, _)| action)))
    }

    /// The facts that hold in all states held possible, in canonical order: what the player knows.
    ///
    /// # Errors
    /// As [`Belief::update`].
    pub fn known_facts(&mut self, budget: &Budget) -> Result<Vec<TermId>, BeliefError> {
        self.update(budget)?;
        let (first, rest) = match self.states.split_first() {
            Some(parts) => parts,
            None => return Ok(Vec::new()),
        };
        let (mut known, mut facts) = (Vec::new(), Vec::new());
        self.seat.machine.facts(first, &mut known);
        for state in rest {
            self.seat.machine.facts(state, &mut facts);
            let here: FxHashSet<TermId> = facts.iter().copied().collect();
            known.retain(|fact| here.contains(fact));
        }
        Ok(known)
    }

    fn count_legal(&mut self, budget: &Budget) -> Result<FxHashMap<ActionId, usize>, BeliefError> {
        self.update(budget)?;
        let mut runner = self.seat.machine.runner(budget);
        let mut count: FxHashMap<ActionId, usize> = FxHashMap::default();
        for state in &self.states {
            runner.set(state)?;
            for &action in runner.legal(self.seat.role)? {
                *count.entry(action).or_default() += 1;
            }
        }
        Ok(count)
    }

    fn in_order(&self, actions: impl Iterator<Item = ActionId>) -> Vec<TermId> {
        let signature = self.seat.signature();
        let mut moves: Vec<TermId> = actions.map(|action| signature.action(action)).collect();
        moves.sort_by(|&a, &b| signature.terms().compare(a, b));
        moves
    }

    fn action_id(&self, term: TermId) -> Result<ActionId, BeliefError> {
        let signature = self.seat.signature();
        let found = signature.find_action(term);
        Ok(found.ok_or_else(|| GameError::UnknownAction { action: signature.text(term) })?)
    }

    /// The states after a step that fit its news, and whether these are all.
    fn successors(
        &mut self,
        runner: &mut dyn Runner,
        news: &News,
        budget: &Budget,
    ) -> Result<(Vec<State>, bool), BeliefError> {
        match news {
            News::Joint(joint) if self.options.forgiving => self.follow_legal(runner, joint, budget),
            News::Joint(joint) => {
                let joint: Vec<ActionId> =
                    joint.iter().map(|&action| self.action_id(action)).collect::<Result<_, _>>()?;
                Ok((self.follow(runner, &self.states, &joint, budget)?, true))
            }
            News::Percepts { action, percepts } => {
                let own = match self.action_id(*action) {
                    Err(_) if self.options.forgiving => return Ok((Vec::new(), true)),
                    own => own?,
                };
                self.expand(runner, own, percepts, budget)
            }
        }
    }

    /// The successors by a known joint move.
    fn follow(
        &self,
        runner: &mut dyn Runner,
        states: &[State],
        joint: &[ActionId],
        budget: &Budget,
    ) -> Result<Vec<State>, BeliefError> {
        let mut found = Found::new();
        let mut meter = budget.meter();
        for state in states {
            meter.check()?;
            runner.set(state)?;
            if self.options.forgiving {
                runner.step_legal(joint)?
            } else {
                runner.step(joint)?
            };
            found.add(runner);
        }
        Ok(found.states)
    }

    /// The successors by a joint move of the states in which it is legal.
    fn follow_legal(
        &self,
        runner: &mut dyn Runner,
        joint: &[TermId],
        budget: &Budget,
    ) -> Result<(Vec<State>, bool), BeliefError> {
        let signature = self.seat.signature();
        let known: Option<Vec<ActionId>> = joint.iter().map(|&term| signature.find_action(term)).collect();
        let Some(joint) = known.filter(|known| known.len() == signature.roles().len()) else {
            return Ok((Vec::new(), true));
        };
        let mut fitting = Vec::with_capacity(self.states.len());
        for state in &self.states {
            runner.set(state)?;
            let mut fits = true;
            for (role, action) in signature.role_ids().zip(&joint) {
                fits = fits && runner.legal(role)?.contains(action);
            }
            if fits {
                fitting.push(state.clone());
            }
        }
        Ok((self.follow(runner, &fitting, &joint, budget)?, true))
    }

    /// The states after a step whose news contradict the rules: a move that is unknown or not legal may
    /// have been any legal one. Where nobody can move, the states stay as they are.
    fn pass_over(
        &mut self,
        runner: &mut dyn Runner,
        news: &News,
        budget: &Budget,
    ) -> Result<(Vec<State>, bool), BeliefError> {
        let mut choices = Vec::with_capacity(self.states.len());
        for state in &self.states {
            if let Some(joints) = Joints::forgiving(runner, state, &self.seat, news)? {
                choices.push((state.clone(), joints));
            }
        }
        if choices.is_empty() {
            return Ok((self.states.clone(), true));
        }
        self.try_joints(runner, &choices, None, budget)
    }

    /// The successors by the player's own move and any moves of the others that fit the percepts;
    /// and whether these are all.
    fn expand(
        &mut self,
        runner: &mut dyn Runner,
        own: ActionId,
        percepts: &[TermId],
        budget: &Budget,
    ) -> Result<(Vec<State>, bool), BeliefError> {
        let mut meter = budget.meter();
        let mut choices = Vec::with_capacity(self.states.len());
        for state in &self.states {
            meter.check()?;
            if let Some(joints) = Joints::of(runner, state, &self.seat, own)? {
                choices.push((state.clone(), joints));
            }
        }
        self.try_joints(runner, &choices, Some(percepts), budget)
    }

    /// The successors by joint moves, of which there may be too many to try all, that fit the percepts,
    /// if they are known; and whether these are all.
    fn try_joints(
        &mut self,
        runner: &mut dyn Runner,
        choices: &[(State, Joints)],
        percepts: Option<&[TermId]>,
        budget: &Budget,
    ) -> Result<(Vec<State>, bool), BeliefError> {
        let role = self.seat.role;
        let fits =
            |runner: &dyn Runner| percepts.is_none_or(|percepts| same_set(runner.percepts(role), percepts));
        let mut meter = budget.meter();
        let total = choices.iter().fold(0u64, |total, (_, joints)| total.saturating_add(joints.count));
        let all = total <= self.options.expansions as u64;
        let tries = (self.options.expansions / choices.len().max(1)).max(1);
        let mut found = Found::new();
        let mut joint = Vec::new();
        for (state, joints) in choices {
            let enumerate = all || joints.count <= tries as u64;
            let count = if enumerate { joints.count } else { tries as u64 };
            for number in 0..count {
                meter.check()?;
                joints.get(if enumerate { number } else { self.rng.below(joints.count) }, &mut joint);
                runner.set(state)?;
                runner.step_legal(&joint)?;
                if fits(runner) {
                    found.add(runner);
                }
            }
        }
        if !all && found.states.len() < FEW {
            // The percepts are rare among the moves of the others: look through all of them, state by
            // state.
            let mut left = self.options.replays;
            for place in Numbers::all(choices.len() as u64, &mut self.rng) {
                let (state, joints) = &choices[place as usize];
                let enough = found.states.len() + FEW / 5;
                for number in Numbers::all(joints.count, &mut self.rng) {
                    if left == 0 || found.states.len() >= enough {
                        break;
                    }
                    left -= 1;
                    meter.check()?;
                    joints.get(number, &mut joint);
                    runner.set(state)?;
                    runner.step_legal(&joint)?;
                    if fits(runner) {
                        found.add(runner);
                    }
                }
                if left == 0 || found.states.len() >= FEW {
                    break;
                }
            }
        }
        let mut states = found.states;
        let kept = states.len() <= self.options.limit;
        if !kept {
            // Each is kept with equal likelihood.
            for place in 0..self.options.limit {
                let other = place + self.rng.below((states.len() - place) as u64) as usize;
                states.swap(place, other);
            }
            states.truncate(self.options.limit);
        }
        Ok((states, all && kept))
    }

    /// Plays the match through again, depth first with random moves of the others, until some more
    /// states were found that fit all news or enough was tried.
    fn replay(&mut self, runner: &mut dyn Runner, tries: usize, budget: &Budget) -> Result<(), BeliefError> {
        let mut found = Found::new();
        self.states.iter().for_each(|state| {
            found.insert(state);
        });
        let mut meter = budget.meter();
        let wanted = self.options.limit.min(2 * FEW);
        let mut left = if self.news.is_empty() { 0 } else { tries };
        let mut joint = Vec::new();
        while left > 0 && found.states.len() < wanted {
            let initial = self.seat.machine.initial().clone();
            let before = found.states.len();
            let mut path = vec![self.branch(runner, initial, 0)?];
            let mut complete = false;
            while let Some(top) = path.last_mut() {
                if left == 0 || found.states.len() > before {
                    break;
                }
                let Some(number) = top.numbers.next() else {
                    path.pop();
                    continue;
                };
                left -= 1;
                meter.check()?;
                top.joints.get(number, &mut joint);
                runner.set(&top.state)?;
                let depth = path.len();
                let news = &self.news[depth - 1];
                match news {
                    News::Percepts { .. } => runner.step_legal(&joint)?,
                    // It was told, and not asked for.
                    News::Joint(_) => match runner.step(&joint) {
                        Err(GameError::IllegalMove { .. } | GameError::Over) => continue,
                        made => made?,
                    },
                }
                let fits = match news {
                    _ if self.passed_over.contains(&(depth - 1)) => true,
                    News::Joint(_) => true,
                    News::Percepts { percepts, .. } => same_set(runner.percepts(self.seat.role), percepts),
                };
                if !fits {
                    continue;
                }
                let mut state = State::default();
                runner.save(&mut state);
                if depth == self.news.len() {
                    if !runner.terminal()? {
                        complete = true;
                        if !found.insert(&state) {
                            // Known already: start again for another one.
                            break;
                        }
                    }
                } else {
                    path.push(self.branch(runner, state, depth)?);
                }
            }
            if path.is_empty() && !complete {
                // Everything that was drawn led nowhere; what was not drawn may.
                left = left.saturating_sub(1);
            }
        }
        self.states = found.states;
        Ok(())
    }

    /// The joint moves to try from a state on the way, in random order.
    fn branch(&mut self, runner: &mut dyn Runner, state: State, step: usize) -> Result<Branch, BeliefError> {
        let joints = match &self.news[step] {
            news if self.passed_over.contains(&step) => Joints::forgiving(runner, &state, &self.seat, news)?,
            News::Joint(joint) if self.options.forgiving => {
                // The step was not looked at before: it may contradict the rules.
                let signature = self.seat.signature();
                let known = joint.iter().map(|&term| signature.find_action(term)).collect::<Option<_>>();
                known.map(Joints::only)
            }
            News::Joint(joint) => {
                let joint = joint.iter().map(|&a| self.action_id(a)).collect::<Result<_, _>>()?;
                Some(Joints::only(joint))
            }
            News::Percepts { action, .. } => match self.action_id(*action) {
                Err(_) if self.options.forgiving => None,
                own => Joints::of(runner, &state, &self.seat, own?)?,
            },
        };
        let joints = joints.unwrap_or_else(Joints::none);
        let numbers = Numbers::all(joints.count, &mut self.rng);
        Ok(Branch { state, joints, numbers })
    }
}

/// A state on the way through a match, with the numbers of the joint moves still to try.
struct Branch {
    state: State,
    joints: Joints,
    numbers: Numbers,
}

/// Distinct states in the order they were found.
struct Found {
    states: Vec<State>,
    seen: FxHashSet<State>,
    scratch: State,
}

impl Found {
    fn new() -> Self {
        Self { states: Vec::new(), seen: FxHashSet::default(), scratch: State::default() }
    }

    fn add(&mut self, runner: &dyn Runner) {
        let mut state = std::mem::take(&mut self.scratch);
        runner.save(&mut state);
        self.insert(&state);
        self.scratch = state;
    }

    fn insert(&mut self, state: &State) -> bool {
        let new = !self.seen.contains(state);
        if new {
            self.seen.insert(state.clone());
            self.states.push(state.clone());
        }
        new
    }
}

fn same_set(found: &[TermId], expected: &[TermId]) -> bool {
    found.len() == expected.len() && found.iter().all(|term| expected.contains(term))
}

/// The moves a player may choose from: those legal in all states that it holds possible, or where
/// there is no such move, those legal in most of them. Also says how much the player knows.
///
/// Where the state is known the clock does not stop it: without a move nothing can be answered. In
/// GDL-II the search for states takes a share of the time.
pub(crate) fn moves_to_choose_from(
    belief: &mut Belief,
    budget: &Budget,
) -> Result<(Vec<TermId>, Report), PlayerError> {
    let patient = budget.clone().without_deadline();
    let is_known = belief.is_exact() && belief.states().len() == 1;
    let limits = if is_known { patient.clone() } else { budget.clone().with_share_of_time(BELIEF_SHARE) };
    match belief.update(&limits) {
        Ok(()) | Err(BeliefError::Game(GameError::Limit(LimitError::Deadline))) => {}
        Err(error) => return Err(error.into()),
    }
    let mut moves = belief.legal_in_all(&patient)?;
    let mut report = Report::default();
    if belief.states().len() != 1 || !belief.is_exact() {
        report = report.with("possible states", belief.states().len());
        report = report.with("all of them", if belief.is_exact() { "yes" } else { "no" });
    }
    if moves.is_empty() {
        moves = belief.legal_in_most(&patient)?;
        report = report.with("no move is surely legal", "the likeliest is taken");
    }
    if belief.contradictions() > 0 {
        report = report.with("steps that contradict the rules", belief.contradictions());
    }
    Ok((moves, report))
}
