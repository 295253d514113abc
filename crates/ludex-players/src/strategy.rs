//! How to choose a move where the state is known: what a strategy is given, and what it says.

use std::fmt;
use std::sync::Arc;

use ludex_analysis::knowledge::Topics;
use ludex_game::{ActionId, Answer, Goal, Machine, MoveModel, News, Rng, RoleId, Signature, State, Told};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;
use rustc_hash::FxHashMap;

use crate::background_analysis::BackgroundAnalysis;
use crate::introduction::Introduction;
use crate::learned_evaluation::TrainedEvaluation;
use crate::machine_knowledge::MachineKnowledge;
use crate::report::{MoveRating, Report};

/// What a player may use beside time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resources {
    /// Decides all chances: equal seeds play equally, as long as work is counted and not timed.
    pub seed: u64,
    /// Bytes that trees and tables may take.
    pub memory: usize,
    /// How many threads may compute.
    pub threads: usize,
    /// Whether states that are possible are played by the simple method of book 17.7 alone: a sample of them, each as
    /// likely as any other, and each searched as if it were known.
    pub plain_sampling: bool,
}

impl Default for Resources {
    /// Seed 1, 1 GiB, one thread.
    fn default() -> Self {
        Self { seed: 1, memory: 1 << 30, threads: 1, plain_sampling: false }
    }
}

impl Resources {
    /// The default resources with this seed.
    pub fn from_seed(seed: u64) -> Self {
        Self { seed, ..Self::default() }
    }
}

/// The game as a strategy sees it: a machine, a role in it, and what may be used.
#[derive(Clone)]
pub struct Arena {
    /// What runs the game: a net where there is one. Its state is not that of any other machine.
    pub machine: Arc<dyn Machine>,
    /// The rules, where they are at hand.
    pub program: Option<Arc<GameProgram>>,
    /// The role to play.
    pub role: RoleId,
    /// What may be used beside time.
    pub resources: Resources,
    /// Who plays, what for, and what is remembered.
    pub introduction: Introduction,
    /// The newest snapshot of what is known of the game, of the topics that the strategy wants
    /// ([`Strategy::wants`]).
    pub knowledge_of_states: Option<Arc<MachineKnowledge>>,
    /// Where newer ones come from, and the topics that are wanted.
    source: Option<(Arc<BackgroundAnalysis>, Topics)>,
}

impl fmt::Debug for Arena {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { role, resources, .. } = self;
        f.debug_struct("Arena").field("role", role).field("resources", resources).finish_non_exhaustive()
    }
}

impl Arena {
    /// A machine and a role in it, with nothing known of the game.
    pub fn new(machine: Arc<dyn Machine>, role: RoleId, resources: Resources) -> Self {
        let introduction = Introduction::default();
        Self {
            machine,
            program: None,
            role,
            resources,
            introduction,
            knowledge_of_states: None,
            source: None,
        }
    }

    /// The same with the rules at hand.
    #[must_use]
    pub fn with_program(self, program: &Arc<GameProgram>) -> Self {
        Self { program: Some(Arc::clone(program)), ..self }
    }

    /// The same where this is known of the match.
    #[must_use]
    pub fn with_introduction(self, introduction: Introduction) -> Self {
        Self { introduction, ..self }
    }

    /// The same where some topics of what an analysis finds are known.
    #[must_use]
    pub fn with_analysis(mut self, analysis: &Arc<BackgroundAnalysis>, topics: Topics) -> Self {
        self.source = Some((Arc::clone(analysis), topics));
        self.knowledge_of_states = self.fresh_knowledge();
        self
    }

    /// What is known by now: a newer snapshot than [`Arena::knowledge_of_states`], where there is one.
    pub fn fresh_knowledge(&self) -> Option<Arc<MachineKnowledge>> {
        let Some((analysis, topics)) = &self.source else { return self.knowledge_of_states.clone() };
        let newest = analysis.newest();
        let is_known = |knowledge_of_states: &&Arc<MachineKnowledge>| {
            Arc::ptr_eq(knowledge_of_states.knowledge(), &newest)
                && Arc::ptr_eq(knowledge_of_states.machine(), &self.machine)
        };
        match self.knowledge_of_states.as_ref().filter(is_known) {
            Some(known) => Some(Arc::clone(known)),
            None => Some(Arc::new(MachineKnowledge::new(&self.machine, &newest, *topics))),
        }
    }

    /// The same with what is known by now.
    #[must_use]
    pub fn refreshed(&self) -> Self {
        Self { knowledge_of_states: self.fresh_knowledge(), ..self.clone() }
    }

    /// Roles, moves and propositions as terms.
    pub fn signature(&self) -> &Arc<Signature> {
        self.machine.signature()
    }
}

/// The states that a role holds possible, and what it was told.
#[derive(Clone, Copy, Debug)]
pub struct PossibleStates<'p> {
    /// States of the arena's machine.
    pub states: &'p [State],
    /// The probability of each of them, by their order.
    pub weights: &'p [f64],
    /// Whether these are all.
    pub exact: bool,
    /// The role that holds them possible, and what it was told, in short.
    pub role: RoleId,
    /// What it was told, in short.
    pub own_told: Told,
    /// What each role was told in each of the states, state by state; empty where that is not noted.
    pub told: &'p [Told],
    /// What the role was told, step by step.
    pub news: &'p [News],
}

impl PossibleStates<'_> {
    /// What a role was told where a state is the true one, in short.
    pub fn told(&self, state: usize, role: RoleId) -> Told {
        if role == self.role {
            return self.own_told;
        }
        let roles = self.told.len() / self.states.len().max(1);
        self.told.get(state * roles + role.index()).copied().unwrap_or_default()
    }

    /// The numbers of so many states, each drawn by its probability.
    pub fn draw(&self, count: usize, rng: &mut Rng) -> Vec<usize> {
        let mut sum = 0.0;
        let sums: Vec<f64> = self
            .weights
            .iter()
            .map(|weight| {
                sum += weight;
                sum
            })
            .collect();
        let last = self.states.len().saturating_sub(1);
        (0..count).map(|_| sums.partition_point(|&below| below <= rng.fraction() * sum).min(last)).collect()
    }
}

/// A way to choose moves in games whose state is known. [`StrategyPlayer`](crate::StrategyPlayer) makes
/// a player of it: it keeps the state, finds the best engine, answers at once where there is no choice,
/// watches the clock, and in GDL-II asks for the states that are possible.
///
/// ```
/// use std::sync::Arc;
/// use ludex_game::{Answer, RoleId, RuleMachine};
/// use ludex_players::{Explorer, Player, Resources, Seat, Strategy, StrategyPlayer, Turn};
///
/// /// Looks at what each of its moves comes to, alone.
/// struct NextGoal;
///
/// impl Strategy for NextGoal {
///     fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
///         let mut explorer = Explorer::new(turn);
///         for &action in turn.legal {
///             let next = explorer.successor(turn.state, &[action])?;
///             explorer.open(&next)?;
///             turn.value(action, f64::from(explorer.goal(&next, turn.arena.role)?));
///         }
///         Ok(())
///     }
/// }
///
/// # let text = "(role you) (init (at 1)) (legal you go) (legal you stay) (<= (next (at 2)) (does you go))
/// #     (<= (next (at 1)) (does you stay)) (<= terminal (true (at 2))) (<= (goal you 50) (true (at 2)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("walk.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// let machine = Arc::new(RuleMachine::new(&game, &Default::default())?);
/// let mut player = StrategyPlayer::new(NextGoal, &Resources::from_seed(1));
/// let program = Arc::new(game);
/// player.prepare(Seat { program, machine, upgrade: None, analysis: None, role: RoleId(0) }, &Default::default())?;
/// let choice = player.choose(&Default::default())?;
/// assert_eq!(choice.report.moves[0].value, Some(50.0));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Strategy: Send {
    /// What it would like to know of the game. It is found out while the game is played, and never waited
    /// for: [`Arena::knowledge_of_states`] has what is there. Asked before it takes a seat.
    fn wants(&self, arena: &Arena) -> Topics {
        let _ = arena;
        Topics::NONE
    }

    /// Hears that there is a newer [`Arena::knowledge_of_states`] than before, between moves: what follows from the
    /// old one may be forgotten.
    fn inform(&mut self, arena: &Arena) {
        let _ = arena;
    }

    /// Takes a seat before a match, and anew after a fault: all that is remembered is to be forgotten. Quick.
    fn sit(&mut self, arena: &Arena) {
        let _ = arena;
    }

    /// Goes on with another machine, of the same game and in the same seat. What is remembered in states or ids of the
    /// old one is worth nothing as it is; it may be kept by way of facts and terms, little by little. Quick. Without
    /// anything to keep this is to take a seat.
    fn change_machine(&mut self, old: &Arena, new: &Arena) {
        let _ = old;
        self.sit(new);
    }

    /// Gets ready (start clock), in the initial state. What `turn` is told is not used.
    ///
    /// # Errors
    /// A limit, which is no failure; or what the machine answers.
    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let _ = turn;
        Ok(())
    }

    /// Finds a move (play clock) among the legal ones, of which there are several. What the strategy
    /// thinks is told to `turn` as it goes along: when a limit stops it, the best so far is played.
    ///
    /// # Errors
    /// A limit, which is no failure; or what the machine answers.
    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()>;

    /// Whether it wants to know what others were told where a state is the true one ([`PossibleStates::told`]).
    fn asks_what_others_know(&self) -> bool {
        false
    }

    /// How others are taken to have moved, where that is asked to find the states that are possible; each move with
    /// equal likelihood at first.
    fn model(&self) -> Option<&dyn MoveModel> {
        None
    }

    /// Finds a move where it matters what is known: among the legal moves of the turn, whose state is one of those that
    /// are possible, in GDL-II. Says whether it did; where not, [`Strategy::choose`] is asked about some of the states, as
    /// if each were known (book 17.7).
    ///
    /// # Errors
    /// As [`Strategy::choose`]; what the turn was told by then counts.
    fn choose_by_knowledge(&mut self, turn: &mut Turn<'_>, possible: &PossibleStates<'_>) -> Answer<bool> {
        let _ = (turn, possible);
        Ok(false)
    }

    /// The move that what is kept from before says is best, without a search; `None` where nothing is kept. Quick.
    fn first_thought(&mut self, turn: &Turn<'_>) -> Option<ActionId> {
        let _ = turn;
        None
    }

    /// May use time that is nobody's turn, to think on from the last state that is known. [`Turn::legal`]
    /// has the move that was made there; all legal moves where none was made yet. It is called off at any
    /// moment, often as soon as it begins, which says nothing of what there is time for in a turn.
    ///
    /// # Errors
    /// As [`Strategy::choose`].
    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let _ = turn;
        Ok(())
    }

    /// What it has learned of the game of its seat that is of use in other matches; `None` from strategies that learn
    /// nothing.
    fn learned(&self) -> Option<TrainedEvaluation> {
        None
    }

    /// The top of the tree of the last search as a graph in the language of Graphviz, with at most
    /// `nodes` nodes; `None` from strategies without one.
    fn tree_dot(&self, nodes: usize) -> Option<String> {
        let _ = nodes;
        None
    }
}

/// A state to choose a move in, and what was found out about it.
pub struct Turn<'t> {
    /// The machine, the role and what may be used.
    pub arena: &'t Arena,
    /// The state.
    pub state: &'t State,
    /// The player's legal moves in canonical order, several in [`Strategy::choose`]; in [`Strategy::ponder`]
    /// the one that was made, where one was.
    pub legal: &'t [ActionId],
    /// Limits on the work; the deadline leaves time to answer.
    pub budget: &'t Budget,
    /// A number for the chances of this turn.
    pub seed: u64,
    /// Points of the goal that a second costs; 0 where it costs nothing.
    pub time_cost: f64,
    best: Option<ActionId>,
    ratings: Vec<Rating>,
    /// For each legal move, where its rating is among the ratings, if it has one.
    places: FxHashMap<ActionId, Option<usize>>,
    report: Report,
}

/// What is thought of a move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// The move.
    pub action: ActionId,
    /// What it is expected to bring, 0 to 100.
    pub value: f64,
    /// How often it was tried.
    pub visits: u64,
    /// What it surely brings, if that is proven.
    pub proven: Option<Goal>,
}

impl<'t> Turn<'t> {
    /// A turn that nothing was said about.
    pub fn new(
        arena: &'t Arena,
        state: &'t State,
        legal: &'t [ActionId],
        budget: &'t Budget,
        seed: u64,
    ) -> Self {
        Self {
            arena,
            state,
            legal,
            budget,
            seed,
            time_cost: 0.0,
            best: None,
            ratings: Vec::new(),
            places: legal.iter().map(|&action| (action, None)).collect(),
            report: Report::default(),
        }
    }

    /// The same where a second costs so many points.
    #[must_use]
    pub fn with_time_cost(self, time_cost: f64) -> Self {
        Self { time_cost, ..self }
    }

    /// The move that was made already or is the only one there is, if either is so.
    pub fn made(&self) -> Option<ActionId> {
        match self.legal {
            &[only] => Some(only),
            _ => None,
        }
    }

    /// Whether nothing but the strategy itself ends the search.
    pub fn is_unlimited(&self) -> bool {
        self.budget.time_left().is_none() && self.budget.work() == u64::MAX
    }

    /// Says that this is the best move so far.
    pub fn advise(&mut self, action: ActionId) {
        if self.places.contains_key(&action) {
            self.best = Some(action);
        }
    }

    /// Says what a move is thought to be worth, in place of what was said before. The best move is the
    /// one of the highest value, the first of equals, unless [`Turn::advise`] says otherwise.
    pub fn rate(&mut self, rating: Rating) {
        match self.places.get_mut(&rating.action) {
            Some(Some(place)) => self.ratings[*place] = rating,
            Some(place) => {
                *place = Some(self.ratings.len());
                self.ratings.push(rating);
            }
            None => {}
        }
    }

    /// Says what a move is thought to be worth, 0 to 100.
    pub fn value(&mut self, action: ActionId, value: f64) {
        self.rate(Rating { action, value, visits: 0, proven: None });
    }

    /// Forgets what was said about moves: for searches that begin anew.
    pub fn forget_ratings(&mut self) {
        self.ratings.clear();
        self.places.values_mut().for_each(|place| *place = None);
        self.best = None;
    }

    /// Says something about the search, in place of what was said under this name before.
    pub fn note(&mut self, name: &'static str, value: impl fmt::Display) {
        self.report.note(name, value);
    }

    /// Says by which probabilities the move that is advised was drawn.
    pub fn mix(&mut self, policy: &[(ActionId, f64)]) {
        let signature = self.arena.signature();
        self.report.policy = policy.iter().map(|&(action, part)| (signature.action(action), part)).collect();
    }

    /// Says which joint moves are expected from here on.
    pub fn expect(&mut self, variation: &[Vec<ActionId>]) {
        let signature = self.arena.signature();
        let terms = |joint: &Vec<ActionId>| joint.iter().map(|&action| signature.action(action)).collect();
        self.report.variation = variation.iter().map(terms).collect();
    }

    /// What is thought of moves.
    pub fn ratings(&self) -> &[Rating] {
        &self.ratings
    }

    /// The best move so far, if anything was said.
    pub fn best(&self) -> Option<ActionId> {
        self.best.or_else(|| {
            let mut best: Option<&Rating> = None;
            for rating in &self.ratings {
                if best.is_none_or(|known| rating.value > known.value) {
                    best = Some(rating);
                }
            }
            best.map(|rating| rating.action)
        })
    }

    /// What was said, for people: the moves best first.
    pub fn into_report(self) -> Report {
        let best = self.best();
        let signature = self.arena.signature();
        let Self { mut ratings, mut report, .. } = self;
        ratings.sort_by(|a, b| {
            let first = |r: &Rating| Some(r.action) == best;
            first(b).cmp(&first(a)).then(b.visits.cmp(&a.visits)).then(b.value.total_cmp(&a.value))
        });
        report.moves = ratings
            .iter()
            .map(|rating| MoveRating {
                action: signature.action(rating.action),
                value: Some(rating.value),
                visits: rating.visits,
                proven: rating.proven,
            })
            .collect();
        report
    }
}
