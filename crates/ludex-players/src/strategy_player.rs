//! A player made of a strategy.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::{ActionId, GameError, Machine, Rng, State};
use ludex_logic::{Budget, LimitError, TermId};
use rustc_hash::FxHashMap;

use crate::belief::{Belief, BeliefError, BeliefOptions};
use crate::player::{Choice, News, Outcome, Player, PlayerError, Seat};
use crate::report::Report;
use crate::strategy::{Arena, Rating, Resources, Strategy, Turn};
use crate::workshop::Workshop;

/// In GDL-II so many of the states that are possible are searched at most.
const SEARCHED_STATES: usize = 12;
/// The part of the play clock that finding the possible states may take in GDL-II.
const BELIEF_SHARE: f64 = 0.4;

/// Plays by a [`Strategy`]: keeps the states that are possible, thinks with the fastest machine there
/// is, answers at once where there is no choice, and always within the clock.
pub struct StrategyPlayer<S> {
    strategy: S,
    resources: Resources,
    rng: Rng,
    table: Option<AtTable>,
}

/// What belongs to one match.
struct AtTable {
    belief: Belief,
    /// The machine whose states the belief has.
    machine: Arc<dyn Machine>,
    workshop: Workshop,
    arena: Arena,
    /// The last state that was chosen in, of the arena's machine.
    last: Option<State>,
}

impl<S: Strategy> StrategyPlayer<S> {
    /// A player.
    pub fn new(strategy: S, resources: &Resources) -> Self {
        Self { strategy, rng: Rng::from_seed(resources.seed), resources: resources.clone(), table: None }
    }
}

/// The time that is kept back for answering.
fn margin(budget: &Budget) -> Duration {
    let left = budget.time_left().unwrap_or_default();
    (left / 40 + Duration::from_millis(10)).min(Duration::from_millis(150)).min(left)
}

/// Whether a limit stopped it, which is no failure of a search.
fn is_limit(error: &GameError) -> bool {
    matches!(error, GameError::Limit(_))
}

impl<S: Strategy> Player for StrategyPlayer<S> {
    fn prepare(&mut self, seat: Seat, budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.resources.seed);
        let budget = budget.clone().earlier_by(margin(budget));
        let mut workshop = Workshop::new(seat.clone());
        workshop.begin(&budget);
        let options = BeliefOptions { seed: self.rng.bits(), ..BeliefOptions::default() };
        let arena = Arena {
            machine: Arc::clone(workshop.machine()),
            role: seat.role,
            resources: self.resources.clone(),
        };
        let machine = Arc::clone(&seat.machine);
        let belief = Belief::new(seat, options);
        self.strategy.sit(&arena);
        let state = arena.machine.initial().clone();
        let mut turn = Turn::new(&arena, &state, &[], &budget, self.rng.bits());
        let prepared = self.strategy.prepare(&mut turn);
        self.table = Some(AtTable { belief, machine, workshop, arena, last: None });
        match prepared {
            Err(error) if !is_limit(&error) => Err(error.into()),
            _ => Ok(()),
        }
    }

    fn choose(&mut self, budget: &Budget) -> Result<Choice, PlayerError> {
        let table = self.table.as_mut().ok_or(PlayerError::NotPrepared)?;
        let budget = &budget.clone().earlier_by(margin(budget));
        if table.workshop.look() {
            table.arena.machine = Arc::clone(table.workshop.machine());
            table.last = None;
            self.strategy.sit(&table.arena);
        }
        let (moves, mut report) = table.moves(budget)?;
        if let [only] = moves[..] {
            let state = table.states().next();
            table.last = state;
            return Ok(Choice { action: only, report: report.with("the only move", "yes") });
        }
        let fallback = *moves.first().ok_or(BeliefError::NoMove)?;
        if budget.time_left().is_some_and(|left| left.is_zero()) {
            return Ok(Choice { action: fallback, report: report.with("no time", "the first legal move") });
        }
        let states: Vec<State> = table.states().collect();
        if let [state] = &states[..] {
            let (best, said) = table.search(&mut self.strategy, state, budget, self.rng.bits())?;
            table.last = Some(state.clone());
            let found = best.filter(|best| moves.contains(best));
            report.entries.extend(said.entries);
            if found.is_none() {
                report.note("nothing found in time", "the first legal move");
            }
            let report = Report { entries: report.entries, ..said };
            return Ok(Choice { action: found.unwrap_or(fallback), report });
        }
        let values = table.search_sample(&mut self.strategy, &states, budget, &mut self.rng)?;
        let value = |action: &TermId| values.get(action).copied().unwrap_or(0.0);
        let best = moves.iter().copied().reduce(|a, b| if value(&b) > value(&a) { b } else { a });
        report.note("states searched", states.len().min(SEARCHED_STATES));
        Ok(Choice { action: best.unwrap_or(fallback), report })
    }

    fn observe(&mut self, news: &News) {
        if let Some(table) = &mut self.table {
            table.belief.observe(news);
        }
    }

    fn ponder(&mut self, budget: &Budget) {
        let Some(table) = &mut self.table else { return };
        let Some(state) = table.last.clone() else { return };
        let mut turn = Turn::new(&table.arena, &state, &[], budget, self.rng.bits());
        // A limit is how pondering ends; any other error will be met again when a move is asked for.
        let _ = self.strategy.ponder(&mut turn);
    }

    fn tree_dot(&self, nodes: usize) -> Option<String> {
        self.strategy.tree_dot(nodes)
    }

    fn finish(&mut self, _outcome: &Outcome) {
        self.table = None;
    }
}

impl AtTable {
    /// The moves to choose from. Finding them is not stopped by the clock where the state is known:
    /// without them nothing can be answered.
    fn moves(&mut self, budget: &Budget) -> Result<(Vec<TermId>, Report), PlayerError> {
        let patient = budget.clone().without_deadline();
        let is_known = self.belief.is_exact() && self.belief.states().len() == 1;
        let limits = if is_known { patient.clone() } else { budget.clone().with_share_of_time(BELIEF_SHARE) };
        match self.belief.update(&limits) {
            Ok(()) | Err(BeliefError::Game(GameError::Limit(LimitError::Deadline))) => {}
            Err(error) => return Err(error.into()),
        }
        crate::belief::moves_to_choose_from(&mut self.belief, &patient)
    }

    /// The states that are possible, as states of the arena's machine; those that it cannot have are
    /// left out.
    fn states(&self) -> impl Iterator<Item = State> {
        self.belief.states().iter().filter_map(|state| self.workshop.cross(&self.machine, state).ok())
    }

    /// Searches a state: the best move, and what the strategy says.
    fn search<S: Strategy>(
        &self,
        strategy: &mut S,
        state: &State,
        budget: &Budget,
        seed: u64,
    ) -> Result<(Option<TermId>, Report), PlayerError> {
        let legal = self.legal(state, budget)?;
        let mut turn = Turn::new(&self.arena, state, &legal, budget, seed);
        let searched = strategy.choose(&mut turn);
        if let Some(why) = self.workshop.refusal() {
            turn.note("runs on the rules", why);
        }
        let best = turn.best().map(|best| self.arena.signature().action(best));
        let mut report = turn.into_report();
        match searched {
            Ok(()) => {}
            Err(error) if is_limit(&error) => {}
            Err(error) if best.is_some() => report.note("stopped", error),
            Err(error) => return Err(error.into()),
        }
        Ok((best, report))
    }

    fn legal(&self, state: &State, budget: &Budget) -> Result<Vec<ActionId>, PlayerError> {
        let patient = budget.clone().without_deadline();
        let mut runner = self.arena.machine.runner(&patient);
        runner.set(state)?;
        Ok(runner.legal(self.arena.role)?.to_vec())
    }

    /// Searches a sample of states for an equal share of the time each: the sum of what each move is
    /// worth in them (book 17.7).
    fn search_sample<S: Strategy>(
        &self,
        strategy: &mut S,
        states: &[State],
        budget: &Budget,
        rng: &mut Rng,
    ) -> Result<FxHashMap<TermId, f64>, PlayerError> {
        let mut order: Vec<usize> = (0..states.len()).collect();
        for place in 0..order.len().min(SEARCHED_STATES) {
            let other = place + rng.below((order.len() - place) as u64) as usize;
            order.swap(place, other);
        }
        order.truncate(SEARCHED_STATES);
        let signature = self.arena.signature();
        let mut values: FxHashMap<TermId, f64> = FxHashMap::default();
        for (done, &number) in order.iter().enumerate() {
            let share = budget.clone().with_share_of_time(1.0 / (order.len() - done) as f64);
            let legal = self.legal(&states[number], budget)?;
            let mut turn = Turn::new(&self.arena, &states[number], &legal, &share, rng.bits());
            match strategy.choose(&mut turn) {
                Err(error) if !is_limit(&error) => return Err(error.into()),
                _ => {}
            }
            let best = turn.best();
            let rated: Vec<Rating> = turn.ratings().to_vec();
            for rating in &rated {
                *values.entry(signature.action(rating.action)).or_default() += rating.value;
            }
            if let (Some(best), true) = (best, rated.is_empty()) {
                *values.entry(signature.action(best)).or_default() += 100.0;
            }
        }
        Ok(values)
    }
}
