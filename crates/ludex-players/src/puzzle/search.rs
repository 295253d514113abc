//! A strategy that finds a plan and plays it.

use std::fmt;

use ludex_analysis::knowledge::Topics;
use ludex_game::{ActionId, Answer, GameError, State};

use super::method::Incumbent;
use super::portfolio::Portfolio;
use super::space::Space;
use crate::strategy::{Arena, Rating, Strategy, Turn};

/// Without any limit the search ends by itself after so many states.
const STATES_WITHOUT_LIMIT: u64 = 4_000_000;
/// After a move that was not planned, so many ends of the old plan are tried in its place.
const ENDS_TRIED: usize = 16;

/// Searches a game of one player for the best plan by several methods in turns, keeps the best plan it
/// finds, and plays it (book chapter 5).
///
/// A plan that is surely best, because it brings 100 or because everything was looked at, is played
/// without further thought; any other is kept while the search goes on from each state for a better
/// one. A move that was not played as planned leads to a new search. In a game of several players the
/// others are taken to make their first legal moves: it is meant for games in which they have no choice.
#[derive(Default)]
pub struct PuzzleSearch {
    options: PuzzleOptions,
    portfolio: Option<Portfolio>,
    plan: Option<RootedPlan>,
}

/// What of what is known of a game a search uses.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PuzzleOptions {
    /// What it asks for.
    pub(crate) topics: Topics,
}

/// A plan on the way to be played.
struct RootedPlan {
    /// Where it begins.
    root: State,
    best: Incumbent,
}

impl RootedPlan {
    /// The plan on another machine; `None` where that does not know its states or moves.
    fn on_machine(self, old: &Arena, new: &Arena) -> Option<Self> {
        let mut facts = Vec::new();
        old.machine.facts(&self.root, &mut facts);
        let root = new.machine.state_of(&facts).ok()?;
        let known = |&action: &ActionId| new.signature().find_action(old.signature().action(action));
        let plan = self.best.plan.iter().map(known).collect::<Option<_>>()?;
        Some(Self { root, best: Incumbent { plan, ..self.best } })
    }
}

impl fmt::Debug for PuzzleSearch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PuzzleSearch").finish_non_exhaustive()
    }
}

impl PuzzleSearch {
    /// A search that knows nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// A search that uses what is known of the game.
    pub(crate) fn informed(options: PuzzleOptions) -> Self {
        Self { options, ..Self::default() }
    }

    /// Searches from the turn's state until the best plan is proven or the budget ends.
    fn search(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let mut space = Space::new(turn.arena, turn.budget);
        let best = self.known(turn.state, &mut space)?;
        if let Some(best) = &best {
            tell(turn, best, space.states());
            if best.proven {
                self.plan = Some(RootedPlan { root: turn.state.clone(), best: best.clone() });
                return Ok(());
            }
        }
        let portfolio = self.portfolio_at(turn, best, &mut space)?;
        let searched = run(portfolio, turn, &mut space);
        tell(turn, &portfolio.found, portfolio.states);
        if portfolio.found.goal.is_some() {
            self.plan = Some(RootedPlan { root: turn.state.clone(), best: portfolio.found.clone() });
        }
        searched
    }

    /// The search from the turn's state: the one that was begun there, or a new one.
    fn portfolio_at(
        &mut self,
        turn: &Turn<'_>,
        best: Option<Incumbent>,
        space: &mut Space<'_>,
    ) -> Answer<&mut Portfolio> {
        let words = turn.state.words();
        let begun = self.portfolio.take().filter(|portfolio| portfolio.root() == words);
        let portfolio = match begun {
            Some(portfolio) => portfolio,
            None => {
                space.go_to(words)?;
                let legal = space.legal().to_vec();
                let best = best.unwrap_or_default();
                Portfolio::new(words, &legal, &turn.arena.resources, turn.seed, best)
            }
        };
        Ok(self.portfolio.insert(portfolio))
    }

    /// What is left of the plan in this state, if the state lies on it; otherwise the best that an end
    /// of the plan brings from there.
    fn known(&self, state: &State, space: &mut Space<'_>) -> Answer<Option<Incumbent>> {
        let Some(RootedPlan { root, best }) = &self.plan else { return Ok(None) };
        space.go_to(root.words())?;
        for (at, &action) in best.plan.iter().enumerate() {
            if space.save() == state.words() {
                return Ok(Some(Incumbent { plan: best.plan[at..].to_vec(), ..best.clone() }));
            }
            space.make(action)?;
        }
        let mut repaired = Incumbent { others_choose: best.others_choose, ..Incumbent::default() };
        for begin in 0..best.plan.len().min(ENDS_TRIED) {
            repaired.try_plan(state.words(), &best.plan[begin..], "repaired plan", space)?;
        }
        Ok(repaired.goal.is_some().then_some(repaired))
    }
}

/// Gives the methods turns until the best plan is proven or nothing is left to do.
fn run(portfolio: &mut Portfolio, turn: &mut Turn<'_>, space: &mut Space<'_>) -> Answer<()> {
    let is_unlimited = turn.is_unlimited();
    while !portfolio.is_over() && (!is_unlimited || portfolio.states < STATES_WITHOUT_LIMIT) {
        space.refresh_knowledge();
        use_knowledge(portfolio, turn.arena, space)?;
        if portfolio.is_over() {
            tell(turn, &portfolio.found, portfolio.states);
            break;
        }
        portfolio.round(space, turn.arena)?;
        tell(turn, &portfolio.found, portfolio.states);
    }
    Ok(())
}

/// Takes the plan that the factors of the game give, where it begins here.
fn use_knowledge(portfolio: &mut Portfolio, arena: &Arena, space: &mut Space<'_>) -> Answer<()> {
    let Some(knowledge_of_states) = space.knowledge_of_states().cloned() else { return Ok(()) };
    if !portfolio.is_news(&knowledge_of_states) {
        return Ok(());
    }
    let root = portfolio.root().to_vec();
    if let Some((plan, _)) = knowledge_of_states.plan().filter(|_| arena.machine.initial().words() == root) {
        portfolio.found.try_plan(&root, plan, "factors", space)?;
    }
    portfolio.learn_knowledge(&knowledge_of_states);
    Ok(())
}

/// Tells the turn about a plan.
fn tell(turn: &mut Turn<'_>, best: &Incumbent, states: u64) {
    turn.note("states", states);
    let (Some(goal), Some(&action)) = (best.goal, best.plan.first()) else { return };
    let is_sure = best.proven && !best.others_choose;
    turn.forget_ratings();
    turn.rate(Rating { action, value: f64::from(goal), visits: states, proven: is_sure.then_some(goal) });
    turn.note("expected goal", goal);
    turn.note("proven", if is_sure { "yes" } else { "no" });
    turn.note("plan length", best.plan.len());
    turn.note("method", best.method);
    if turn.arena.signature().roles().len() == 1 {
        let joints: Vec<_> = best.plan.iter().map(|&action| vec![action]).collect();
        turn.expect(&joints);
    }
}

/// Whether an error is a limit that was reached.
fn is_limit<T>(answer: &Answer<T>) -> bool {
    matches!(answer, Err(GameError::Limit(_)))
}

impl Strategy for PuzzleSearch {
    fn wants(&self, _: &Arena) -> Topics {
        self.options.topics
    }

    fn sit(&mut self, _arena: &Arena) {
        *self = Self::informed(self.options);
    }

    /// Keeps the plan, in the moves of the new machine.
    fn change_machine(&mut self, old: &Arena, new: &Arena) {
        let plan = self.plan.take();
        self.sit(new);
        self.plan = plan.and_then(|plan| plan.on_machine(old, new));
    }

    fn prepare(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        self.search(turn)
    }

    /// The next move of the plan.
    fn first_thought(&mut self, turn: &Turn<'_>) -> Option<ActionId> {
        let mut space = Space::new(turn.arena, turn.budget);
        self.known(turn.state, &mut space).ok().flatten()?.plan.first().copied()
    }

    fn choose(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let clock = turn.budget.clock().cloned();
        let before = clock.as_ref().map(|clock| clock.now());
        let counted = self.portfolio.as_ref().map_or(0, |portfolio| portfolio.states);
        let searched = self.search(turn);
        if let (Some(clock), Some(before), Some(portfolio)) = (clock, before, &self.portfolio) {
            let seconds = clock.now().saturating_sub(before).as_secs_f64();
            let states = portfolio.states.saturating_sub(counted);
            if seconds > 0.0 && states > 0 {
                turn.note("states/s", format_args!("{:.0}", states as f64 / seconds));
            }
        }
        searched
    }

    /// Searches on from the state that the plan leads to, while the plan may still be bettered.
    fn ponder(&mut self, turn: &mut Turn<'_>) -> Answer<()> {
        let Some(made) = turn.made() else { return self.search(turn) };
        let mut space = Space::new(turn.arena, turn.budget);
        let Some(best) = self.known(turn.state, &mut space)? else { return Ok(()) };
        if best.plan.first() != Some(&made) {
            return Ok(());
        }
        let (Some(&action), false) = (best.plan.first(), best.proven) else { return Ok(()) };
        space.go_to(turn.state.words())?;
        if space.make(action)?.terminal || space.legal().is_empty() {
            return Ok(());
        }
        let legal = space.legal().to_vec();
        let words = space.save().to_vec();
        let rest = Incumbent { plan: best.plan[1..].to_vec(), ..best };
        let begun = self.portfolio.take().filter(|portfolio| portfolio.root() == words);
        let resources = &turn.arena.resources;
        let portfolio = self
            .portfolio
            .insert(begun.unwrap_or_else(|| Portfolio::new(&words, &legal, resources, turn.seed, rest)));
        let searched = run(portfolio, turn, &mut space);
        if is_limit(&searched) || searched.is_ok() {
            let root = turn.state.with_words(&words);
            self.plan = Some(RootedPlan { root, best: portfolio.found.clone() });
        }
        searched
    }
}
