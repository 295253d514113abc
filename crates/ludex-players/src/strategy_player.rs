//! A player made of a strategy.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{
    ActionId, Answer, Belief, BeliefError, BeliefOptions, GameError, News, Rng, RoleId, State, TimeTerms,
    Told,
};
use ludex_logic::{Budget, TermId};
use rustc_hash::FxHashMap;

use crate::background_analysis::AnalysisInterest;
use crate::breakdown::unbroken;
use crate::engine_upgrade::EngineUpgrade;
use crate::introduction::Introduction;
use crate::known_moves::moves_to_choose_from;
use crate::learned_evaluation::TrainedEvaluation;
use crate::player::{Choice, Outcome, Player, PlayerError, Seat};
use crate::report::Report;
use crate::strategy::{Arena, PossibleStates, Rating, Resources, Strategy, Turn};
use crate::time_use::TimeUse;

/// In GDL-II so many of the states that are possible are searched at most.
const SEARCHED_STATES: usize = 12;

/// Plays by a [`Strategy`]: keeps the states that are possible, thinks with the fastest machine there
/// is, answers at once where there is no choice, and always within the clock.
pub struct StrategyPlayer<S> {
    strategy: S,
    resources: Resources,
    rng: Rng,
    /// What was said of the next match.
    introduction: Option<Introduction>,
    /// How the time of the match is used, where it is worth something beside the clock of a move.
    time: TimeUse,
    table: Option<AtTable>,
}

/// What belongs to one match.
struct AtTable {
    belief: Belief,
    upgrade: EngineUpgrade,
    arena: Arena,
    /// Whether all roles know the state at all times, so that what a search proves is so.
    is_open: bool,
    /// Where the match stands, as far as one state is known.
    stand: Option<Stand>,
    /// Whether there were news since the states were last made to fit them.
    has_news: bool,
    /// Why thinking on the time of others ended, where no limit did.
    trouble: Option<GameError>,
    /// Keeps the analysis of the game going.
    _attendance: Option<AnalysisInterest>,
}

/// The states that are possible as those of the arena's machine.
struct Settled {
    states: Vec<State>,
    /// The probability of each.
    weights: Vec<f64>,
    /// What each role was told in each of them, where that is noted.
    told: Vec<Told>,
}

/// A state of the arena's machine, and the player's move in it, once that is made.
struct Stand {
    state: State,
    made: Option<TermId>,
}

impl<S: Strategy> StrategyPlayer<S> {
    /// A player.
    pub fn new(strategy: S, resources: &Resources) -> Self {
        Self {
            strategy,
            rng: Rng::from_seed(resources.seed),
            resources: resources.clone(),
            introduction: None,
            time: TimeUse::default(),
            table: None,
        }
    }
}

/// The time that is kept back for answering.
fn margin(budget: &Budget) -> Duration {
    let left = budget.time_left().unwrap_or_default();
    (left / 40 + Duration::from_millis(10)).min(Duration::from_millis(150)).min(left)
}

/// What breaks down where a strategy panics.
const THINKING: &str = "the strategy";

/// Lets a strategy that panicked forget all that it may have left half done. Whether it did.
fn begin_anew_if_broken<S: Strategy, T>(strategy: &mut S, arena: &Arena, done: &Answer<T>) -> bool {
    let is_broken = matches!(done, Err(GameError::BrokeDown { .. }));
    if is_broken {
        strategy.sit(arena);
    }
    is_broken
}

/// Whether a limit stopped it, which is no failure of a search.
fn is_limit(error: &GameError) -> bool {
    matches!(error, GameError::Limit(_))
}

impl<S: Strategy> Player for StrategyPlayer<S> {
    fn introduce(&mut self, introduction: &Introduction) {
        self.introduction = Some(introduction.clone());
    }

    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.resources.seed);
        self.time = TimeUse::default();
        let budget = budget.clone().earlier_by(margin(budget));
        let mut upgrade = EngineUpgrade::new(seat.clone());
        upgrade.begin(&budget);
        let is_open = seat.program.has_perfect_information();
        let notes_told = !is_open && !self.resources.plain_sampling && self.strategy.asks_what_others_know();
        let options = BeliefOptions { notes_told, ..BeliefOptions::of_player(self.rng.bits()) };
        let mut arena = Arena::new(Arc::clone(upgrade.machine()), seat.role, self.resources.clone())
            .with_program(&seat.program)
            .with_introduction(self.introduction.take().unwrap_or_default());
        // The machine comes first: it matters most, and both take a core.
        let wanted = self.strategy.wants(&arena);
        let analysis = seat.analysis.as_ref().filter(|_| !wanted.is_empty());
        let attendance = analysis.map(|analysis| analysis.attend(wanted, &budget));
        if let Some(attendance) = &attendance {
            arena = arena.with_analysis(attendance.analysis(), wanted);
        }
        let belief = seat.belief(options);
        self.strategy.sit(&arena);
        let state = arena.machine.initial().clone();
        let mut turn = Turn::new(&arena, &state, &[], &budget, self.rng.bits());
        let prepared = self.strategy.prepare(&mut turn);
        self.table = Some(AtTable {
            belief,
            upgrade,
            stand: Some(Stand { state, made: None }),
            arena,
            is_open,
            has_news: false,
            trouble: None,
            _attendance: attendance,
        });
        match prepared {
            Err(error) if !is_limit(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn first_thought(&mut self, budget: &Budget) -> Option<TermId> {
        let table = self.table.as_mut()?;
        let thought = table.first_thought(&mut self.strategy, budget);
        thought.unwrap_or_else(|error| {
            table.trouble = Some(error);
            None
        })
    }

    fn hear_time(&mut self, terms: &TimeTerms) {
        self.time.hear(terms);
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let table = self.table.as_mut().ok_or(PlayerError::NotPrepared)?;
        let choice = table.choose(&mut self.strategy, &mut self.rng, &mut self.time, budget)?;
        if let Some(stand) = &mut table.stand {
            stand.made = Some(choice.action);
        }
        Ok(choice)
    }

    fn observe(&mut self, news: &News) {
        if let Some(table) = &mut self.table {
            table.belief.observe(news);
            table.has_news = true;
        }
    }

    fn ponder(&mut self, budget: &Budget) {
        let Some(table) = &mut self.table else { return };
        // A limit is how pondering ends.
        if let Err(error) = table.ponder(&mut self.strategy, budget, self.rng.bits())
            && !is_limit(&error)
        {
            table.trouble = Some(error);
        }
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.strategy.tree_dot(nodes)
    }

    fn learned(&self) -> Option<TrainedEvaluation> {
        self.table.as_ref().and_then(|_| self.strategy.learned())
    }

    fn finish(&mut self, _outcome: &Outcome) {
        self.table = None;
    }
}

impl AtTable {
    /// The move of a strategy that does not think, where the state is known.
    fn first_thought<S: Strategy>(&mut self, strategy: &mut S, budget: &Budget) -> Answer<Option<TermId>> {
        let is_known = self.belief.is_exact() && self.belief.states().len() == 1;
        let patient = budget.clone().without_deadline();
        // What is wrong is said where a move is chosen.
        if !is_known || self.belief.update(&patient).is_err() {
            return Ok(None);
        }
        self.has_news = false;
        let states = self.settle(strategy, &mut Report::default()).states;
        let [state] = &states[..] else { return Ok(None) };
        self.stand = Some(Stand { state: state.clone(), made: None });
        self.thought_of(strategy, state, budget)
    }

    /// What a strategy that does not think would do in a state.
    fn thought_of<S: Strategy>(
        &self,
        strategy: &mut S,
        state: &State,
        budget: &Budget,
    ) -> Answer<Option<TermId>> {
        let Ok(legal) = self.legal(state, budget) else { return Ok(None) };
        let turn = Turn::new(&self.arena, state, &legal, budget, 0);
        let thought = unbroken(THINKING, || Ok(strategy.first_thought(&turn)));
        begin_anew_if_broken(strategy, &self.arena, &thought);
        let thought = thought?.filter(|thought| legal.contains(thought));
        Ok(thought.map(|thought| self.arena.signature().action(thought)))
    }

    /// Chooses a move, and notes in which state.
    fn choose<S: Strategy>(
        &mut self,
        strategy: &mut S,
        rng: &mut Rng,
        time: &mut TimeUse,
        budget: &Budget,
    ) -> Result<Choice, PlayerError> {
        let budget = &budget.clone().earlier_by(margin(budget));
        self.stand = None;
        self.upgrade.look();
        if !self.is_open {
            // There is much to do to find the states that are possible.
            self.belief.change_machine(self.upgrade.machine());
        }
        // What the strategy knows of moves it knows by the ids of the machine that it sits at.
        let model = strategy.model().filter(|_| Arc::ptr_eq(self.belief.machine(), &self.arena.machine));
        let (moves, mut report) = moves_to_choose_from(&mut self.belief, model, budget)?;
        self.has_news = false;
        let Settled { states, weights, told } = self.settle(strategy, &mut report);
        if let [state] = &states[..] {
            self.stand = Some(Stand { state: state.clone(), made: None });
        }
        if let Some(trouble) = self.trouble.take() {
            report.note(Report::STOPPED, trouble);
        }
        if let [only] = moves[..] {
            return Ok(Choice { action: only, report: report.with("the only move", "yes") });
        }
        let fallback = *moves.first().ok_or(BeliefError::NoMove)?;
        let sitting = (&*self.arena.machine, self.arena.role);
        let allotment = time.allot(sitting, states.first(), budget, || rng.bits());
        if let Some(allotment) = allotment {
            time.note_choice(allotment);
        }
        if let (Some(Duration::ZERO), [state]) = (allotment, &states[..]) {
            let thought = self.thought_of(strategy, state, budget).ok().flatten();
            let thought = thought.filter(|thought| moves.contains(thought));
            let report = report.with("no time to think", "yes");
            return Ok(Choice { action: thought.unwrap_or(fallback), report });
        }
        let budget = &match (allotment, budget.clock()) {
            (Some(allotment), Some(clock)) => budget.clone().with_time(Arc::clone(clock), allotment),
            _ => budget.clone(),
        };
        let possible = PossibleStates {
            states: &states,
            weights: &weights,
            exact: self.belief.is_exact(),
            role: self.arena.role,
            own_told: self.own_told(),
            told: &told,
            news: self.belief.news(),
        };
        if !self.is_open
            && let Some((best, said)) =
                self.search_by_knowledge(strategy, &possible, &moves, (budget, time.cost()), rng.bits())
        {
            report.entries.extend(said.entries);
            return Ok(Choice { action: best, report: Report { entries: report.entries, ..said } });
        }
        if let [state] = &states[..] {
            let (best, said) = self.search(strategy, state, (budget, time.cost()), rng.bits());
            let said = if self.is_open { said } else { said.without_proofs() };
            let found = best.filter(|best| moves.contains(best));
            report.entries.extend(said.entries);
            if found.is_none() {
                report.note("nothing found in time", "the first legal move");
            }
            let report = Report { entries: report.entries, ..said };
            return Ok(Choice { action: found.unwrap_or(fallback), report });
        }
        let values = self.search_sample(strategy, &possible, budget, rng);
        let value = |action: &TermId| values.get(action).copied().unwrap_or(0.0);
        let best = moves.iter().copied().reduce(|a, b| if value(&b) > value(&a) { b } else { a });
        Ok(Choice { action: best.unwrap_or(fallback), report })
    }

    /// Thinks on from where the match stands: behind the player's move, or where there were news since, in the
    /// state that they lead to. Where several states are possible, there is none to go on from.
    fn ponder<S: Strategy>(&mut self, strategy: &mut S, budget: &Budget, seed: u64) -> Answer<()> {
        let made = self.stand.as_ref().and_then(|stand| stand.made).filter(|_| !self.has_news);
        if self.upgrade.look() || self.has_news {
            match self.belief.update(budget) {
                Ok(()) => self.has_news = false,
                Err(BeliefError::Game(error)) => return Err(error),
                // That is said where a move is asked for.
                Err(_) => return Ok(()),
            }
            let states = self.settle(strategy, &mut Report::default()).states;
            self.stand = match &states[..] {
                [state] => Some(Stand { state: state.clone(), made }),
                _ => None,
            };
        }
        let Some(Stand { state, made }) = &self.stand else { return Ok(()) };
        let signature = self.arena.signature();
        let legal = match made.and_then(|made| signature.find_action(made)) {
            Some(made) => vec![made],
            None => self.legal(state, budget)?,
        };
        let mut turn = Turn::new(&self.arena, state, &legal, budget, seed);
        let pondered = unbroken(THINKING, || strategy.ponder(&mut turn));
        begin_anew_if_broken(strategy, &self.arena, &pondered);
        pondered
    }

    /// Sits down at the fastest machine that knows a state that is possible, and gives the states as
    /// that machine's, with their probabilities; those that it cannot have are left out. Where the fast machine knows
    /// none, the seat's machine serves.
    fn settle<S: Strategy>(&mut self, strategy: &mut S, report: &mut Report) -> Settled {
        let (home, fast) = (self.belief.machine(), self.upgrade.machine());
        let mut refused = None;
        let mut states = Vec::with_capacity(self.belief.states().len());
        let mut kept = Vec::with_capacity(self.belief.states().len());
        for (number, state) in self.belief.states().iter().enumerate() {
            match self.upgrade.cross(home, state) {
                Ok(state) => {
                    states.push(state);
                    kept.push(number);
                }
                Err(error) => refused = Some(error),
            }
        }
        let mut machine = fast;
        if let (Some(why), true) = (refused, states.is_empty()) {
            report.note("runs on the rules", why);
            states = self.belief.states().to_vec();
            kept = (0..states.len()).collect();
            machine = home;
        }
        if !Arc::ptr_eq(machine, &self.arena.machine) {
            let old = self.arena.clone();
            self.arena.machine = Arc::clone(machine);
            self.arena.knowledge_of_states = self.arena.fresh_knowledge();
            strategy.change_machine(&old, &self.arena);
        } else {
            let fresh = self.arena.fresh_knowledge();
            let is_new = match (&fresh, &self.arena.knowledge_of_states) {
                (Some(fresh), Some(known)) => !Arc::ptr_eq(fresh, known),
                (fresh, known) => fresh.is_some() != known.is_some(),
            };
            if is_new {
                self.arena.knowledge_of_states = fresh;
                strategy.inform(&self.arena);
            }
        }
        let weights = kept.iter().map(|&number| self.belief.weights()[number]).collect();
        let roles = if self.belief.notes_told() { self.arena.signature().roles().len() } else { 0 };
        let told_there = |number: usize| (0..roles as u32).map(move |role| (number, RoleId(role)));
        let told = kept.iter().flat_map(|&number| told_there(number));
        let told = told.map(|(number, role)| self.belief.told(number, role)).collect();
        Settled { states, weights, told }
    }

    /// What the player was told, in short.
    fn own_told(&self) -> Told {
        self.belief.news().iter().fold(Told::NOTHING, |told, news| match news {
            News::Percepts { action, percepts } => told.and(*action, percepts),
            News::Joint(joint) => joint.iter().fold(told, |told, &action| told.and(action, &[])),
        })
    }

    /// Lets the strategy find a move by what is known: the move, if it did, and what it says.
    fn search_by_knowledge<S: Strategy>(
        &self,
        strategy: &mut S,
        possible: &PossibleStates<'_>,
        moves: &[TermId],
        (budget, time_cost): (&Budget, f64),
        seed: u64,
    ) -> Option<(TermId, Report)> {
        if self.arena.resources.plain_sampling {
            return None;
        }
        let signature = self.arena.signature();
        let legal: Vec<ActionId> = moves.iter().filter_map(|&term| signature.find_action(term)).collect();
        let turn = Turn::new(&self.arena, possible.states.first()?, &legal, budget, seed);
        let mut turn = turn.with_time_cost(time_cost);
        let searched = unbroken(THINKING, || strategy.choose_by_knowledge(&mut turn, possible));
        if begin_anew_if_broken(strategy, &self.arena, &searched) {
            turn.forget_ratings();
        }
        let has_chosen = match &searched {
            Ok(has_chosen) => *has_chosen,
            Err(error) => is_limit(error),
        };
        let best = signature.action(turn.best().filter(|_| has_chosen)?);
        Some((best, turn.into_report()))
    }

    /// Searches a state: the best move, if any was found, and what the strategy says.
    /// A failure of the search is told in the report: there are legal moves nevertheless.
    fn search<S: Strategy>(
        &self,
        strategy: &mut S,
        state: &State,
        (budget, time_cost): (&Budget, f64),
        seed: u64,
    ) -> (Option<TermId>, Report) {
        let legal = match self.legal(state, budget) {
            Ok(legal) => legal,
            Err(error) => return (None, Report::default().with(Report::STOPPED, error)),
        };
        let mut turn = Turn::new(&self.arena, state, &legal, budget, seed).with_time_cost(time_cost);
        let searched = unbroken(THINKING, || strategy.choose(&mut turn));
        if begin_anew_if_broken(strategy, &self.arena, &searched) {
            turn.forget_ratings();
        }
        if let Some(why) = self.upgrade.refusal() {
            turn.note("runs on the rules", why);
        }
        let best = turn.best().map(|best| self.arena.signature().action(best));
        let mut report = turn.into_report();
        if let Err(error) = searched
            && !is_limit(&error)
        {
            report.note(Report::STOPPED, error);
        }
        (best, report)
    }

    fn legal(&self, state: &State, budget: &Budget) -> Answer<Vec<ActionId>> {
        let patient = budget.clone().without_deadline();
        let mut runner = self.arena.machine.runner(&patient);
        runner.set(state)?;
        Ok(runner.legal(self.arena.role)?.to_vec())
    }

    /// Searches a sample of states for an equal share of the time each: the sum of what each move is
    /// worth in them (book 17.7). States are drawn by their probabilities, or as the book does, each as likely as any
    /// other.
    fn search_sample<S: Strategy>(
        &self,
        strategy: &mut S,
        possible: &PossibleStates<'_>,
        budget: &Budget,
        rng: &mut Rng,
    ) -> FxHashMap<TermId, f64> {
        let states = possible.states;
        let sample = if self.arena.resources.plain_sampling {
            even_sample(states.len(), rng)
        } else {
            weighted_sample(possible, rng)
        };
        let signature = self.arena.signature();
        let mut values: FxHashMap<TermId, f64> = FxHashMap::default();
        for (done, &(number, count)) in sample.iter().enumerate() {
            let share = budget.clone().with_share_of_time(1.0 / (sample.len() - done) as f64);
            // A state in which the search fails says nothing; the others still do.
            let Ok(legal) = self.legal(&states[number], budget) else { continue };
            let mut turn = Turn::new(&self.arena, &states[number], &legal, &share, rng.bits());
            let _ = strategy.choose(&mut turn);
            let best = turn.best();
            let rated: Vec<Rating> = turn.ratings().to_vec();
            for rating in &rated {
                *values.entry(signature.action(rating.action)).or_default() += count * rating.value;
            }
            if let (Some(best), true) = (best, rated.is_empty()) {
                *values.entry(signature.action(best)).or_default() += count * 100.0;
            }
        }
        values
    }
}

/// Numbers of some states, each as likely as any other, that count the same.
fn even_sample(states: usize, rng: &mut Rng) -> Vec<(usize, f64)> {
    let mut order: Vec<usize> = (0..states).collect();
    for place in 0..order.len().min(SEARCHED_STATES) {
        let other = place + rng.below((order.len() - place) as u64) as usize;
        order.swap(place, other);
    }
    order.truncate(SEARCHED_STATES);
    order.into_iter().map(|number| (number, 1.0)).collect()
}

/// Numbers of some states, drawn by their probabilities, with how often each was drawn.
fn weighted_sample(possible: &PossibleStates<'_>, rng: &mut Rng) -> Vec<(usize, f64)> {
    if possible.states.len() <= SEARCHED_STATES {
        return possible.weights.iter().copied().enumerate().collect();
    }
    let mut drawn = possible.draw(SEARCHED_STATES, rng);
    drawn.sort_unstable();
    let runs = drawn.chunk_by(|a, b| a == b);
    runs.filter_map(|run| Some((*run.first()?, run.len() as f64))).collect()
}
