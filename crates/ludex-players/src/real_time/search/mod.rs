//! The player that looks ahead in real time.

mod instants;
mod node;
mod simulation;
mod tree;

use std::sync::Arc;

use ludex_game::{DecisionMoments, Moment, Rng};
use ludex_gdl::GameTime;
use ludex_logic::{Budget, TermId};

use self::tree::{ActionValue, Tree};
use super::knowledge::{PresentKnowledge, legal_in_most, next_expiry, timed_error};
use super::player::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat};
use crate::player::PlayerError;
use crate::report::{MoveRating, Report};

/// How a [`TimedSearchPlayer`] thinks.
#[derive(Clone, Debug, PartialEq)]
pub struct TimedSearchOptions {
    /// Decides all chances.
    pub seed: u64,
    /// So many playouts are made each time it is asked; `None` for as many as the budget allows.
    pub playouts: Option<u32>,
    /// How much game time that takes, where playouts are counted.
    pub slice: GameTime,
    /// How strongly moves are tried that were tried seldom, against values between 0 and 1.
    pub exploration: f64,
    /// For so many slices after something happened it thinks before it moves, if it is not urgent.
    pub patience: u32,
    /// The most nodes of the tree.
    pub nodes: usize,
}

impl Default for TimedSearchOptions {
    fn default() -> Self {
        let tenth = GameTime::from_units(GameTime::ONE.units() / 10).unwrap_or(GameTime::ONE);
        Self { seed: 1, playouts: None, slice: tenth, exploration: 0.7, patience: 4, nodes: 200_000 }
    }
}

/// Below so many visits nothing is decided.
const FEWEST_VISITS: u64 = 30;

/// Searches the tree of what may happen from now on, with waiting as one of the moves, and acts when that is worth at least
/// as much as to wait.
///
/// # The dilemma between thinking and acting
///
/// Time passes while it thinks, so to think on is to wait. The search compares both: a node is a moment, where each role may
/// make one of its moves or wait until the next moment at which it may decide. Those moments lie closer together in
/// the near future than later, and one is just before each expiry, early enough for a move to arrive ([`DecisionMoments`]). So the
/// tree says what it costs to wait: nothing where nothing happens, everything where a clock runs out. The player thinks
/// for some slices of time after each event, and moves earlier only where acting is surely worth more than waiting, or when
/// something is about to expire.
///
/// # The tree
///
/// All roles choose by upper confidence bounds, each for itself (decoupled UCT). Where everything is seen, each node keeps
/// its moment, so that only playouts need the machine. Otherwise each descent begins at one of the moments that are
/// possible, what chance does is drawn anew in each descent, the nodes are told apart by what the player itself does and
/// is told, and the others move at random.
pub struct TimedSearchPlayer {
    options: TimedSearchOptions,
    rng: Rng,
    match_in_progress: Option<Match>,
}

struct Match {
    seat: TimedSeat,
    knowledge: PresentKnowledge,
    tree: Tree,
    /// The time at which the tree has its root.
    root: GameTime,
    /// The slices of thinking since the last news.
    slices: u32,
    /// Until when a move is on its way, if one is: before it is heard of, nothing else is decided.
    sent: Option<GameTime>,
    decisions: DecisionMoments,
    slice: GameTime,
    /// Why the last news could not be taken in.
    lost: Option<PlayerError>,
}

impl TimedSearchPlayer {
    /// A player with these options.
    pub fn new(options: TimedSearchOptions) -> Self {
        let rng = Rng::from_seed(options.seed);
        Self { options, rng, match_in_progress: None }
    }
}

impl TimedPlayer for TimedSearchPlayer {
    fn prepare(&mut self, seat: TimedSeat, budget: &Budget) -> Result<(), PlayerError> {
        self.rng = Rng::from_seed(self.options.seed);
        let knowledge = PresentKnowledge::new(&seat, self.options.seed, budget)?;
        let machine = Arc::clone(&seat.machine);
        let mut runner = machine.runner(budget);
        let decisions = instants::measure(
            &*machine,
            &mut *runner,
            knowledge.moments(),
            &mut self.rng,
            seat.delay,
            self.options.slice,
        );
        let decisions = decisions.map_err(timed_error)?;
        drop(runner);
        let tree = Tree::new(seat.role, knowledge.is_known(), self.options.exploration, self.options.nodes);
        self.match_in_progress = Some(Match {
            seat,
            knowledge,
            tree,
            root: GameTime::ZERO,
            slices: 0,
            sent: None,
            decisions,
            slice: self.options.slice,
            lost: None,
        });
        Ok(())
    }

    fn observe(&mut self, news: &TimedNews) {
        let Some(game) = &mut self.match_in_progress else { return };
        game.lost = game.knowledge.observe(news, &Budget::unlimited()).err();
        game.tree.clear();
        game.slices = 0;
        let own = match news {
            TimedNews::Moved { moves, .. } => moves.iter().any(|&(role, _)| role == game.seat.role),
            TimedNews::Seen { own, .. } => own.is_some(),
            TimedNews::Refused { .. } => true,
        };
        if own {
            game.sent = None;
        }
    }

    fn note_delay(&mut self, delay: GameTime) {
        if let Some(game) = &mut self.match_in_progress {
            game.note_delay(delay);
        }
    }

    fn decide(&mut self, now: GameTime, budget: &Budget) -> Result<Decision, PlayerError> {
        let Some(game) = &mut self.match_in_progress else { return Err(PlayerError::NotPrepared) };
        if let Some(error) = game.lost.take() {
            return Err(error);
        }
        match game.sent {
            Some(until) if now < until => return Ok(Decision::wait(AskAgain::At(until))),
            // Nothing was heard of the move: it is lost.
            _ => game.sent = None,
        }
        match self.options.playouts {
            Some(_) => game.decide(now, &self.options, &mut self.rng, &budget.clone().without_deadline()),
            None => game.decide(now, &self.options, &mut self.rng, budget),
        }
    }
}

impl Match {
    /// Plans with moves that are on their way for so long.
    fn note_delay(&mut self, delay: GameTime) {
        self.seat.delay = delay;
        self.decisions.margin = self.lead();
    }

    /// How long it takes until a move arrives that is decided on now.
    fn lead(&self) -> GameTime {
        self.slice.checked_add(self.seat.delay).unwrap_or(self.slice)
    }

    fn decide(
        &mut self,
        now: GameTime,
        options: &TimedSearchOptions,
        rng: &mut Rng,
        budget: &Budget,
    ) -> Result<Decision, PlayerError> {
        self.knowledge.advance(now, budget)?;
        let machine = Arc::clone(&self.seat.machine);
        let mut runner = machine.runner(budget);
        // What is decided now is done when the thinking is over and the message has come through.
        let lead = self.lead();
        let moments = self.knowledge.moments_after(lead, budget)?;
        let is_other = |root: &Moment| moments.first().is_none_or(|moment| moment.state() != root.state());
        let since_root = now.checked_sub(self.root).unwrap_or_default();
        if since_root >= self.decisions.tick
            || !self.knowledge.is_known()
            || self.tree.root().is_none_or(is_other)
        {
            self.tree.clear();
            self.root = now;
        }
        let legal = legal_in_most(&moments, self.seat.role, &mut *runner)?;
        if legal.is_empty() {
            // Nothing can be done before something happens.
            let next = next_expiry(&moments).and_then(|next| next.checked_add(lead));
            let at = next.and_then(|next| now.checked_add(next)).filter(|&at| at > now);
            return Ok(Decision::wait(at.map_or(AskAgain::OnNews, AskAgain::At)));
        }
        let searched = self.tree.search(
            &*machine,
            &mut *runner,
            &moments,
            &self.decisions,
            options.playouts,
            rng,
            budget,
        );
        let playouts = searched.map_err(timed_error)?;
        self.slices = self.slices.saturating_add(1);
        let values = self.tree.values(self.seat.role);
        let next = next_expiry(&moments);
        let action = self.choice(&values, options, &legal, next);
        if action.is_some() {
            let back = lead.checked_add(lead).and_then(|time| time.checked_add(GameTime::ONE));
            self.sent = back.and_then(|back| now.checked_add(back));
        }
        let took = options.playouts.map(|_| self.slice);
        let again = if action.is_some() { AskAgain::OnNews } else { AskAgain::Now };
        Ok(Decision { action, took, again, report: report(&values, playouts) })
    }

    /// What to do by what the search says: a move, or `None` to think on.
    fn choice(
        &self,
        values: &[ActionValue],
        options: &TimedSearchOptions,
        legal: &[TermId],
        next: Option<GameTime>,
    ) -> Option<TermId> {
        let visits: u64 = values.iter().map(|value| value.visits).sum();
        let moves = values.iter().filter(|value| value.action.is_some_and(|action| legal.contains(&action)));
        let best = moves.max_by(|a, b| a.visits.cmp(&b.visits).then(a.mean.total_cmp(&b.mean)))?;
        let Some(wait) = values.iter().find(|value| value.action.is_none()) else {
            let decided = self.slices >= options.patience || legal.len() == 1;
            return best.action.filter(|_| decided && visits >= FEWEST_VISITS);
        };
        // Alone, and where nothing that was tried makes a difference, nothing speaks for what cannot be undone.
        let is_alone = self.seat.machine.seats().count() == 1;
        if is_alone && next.is_some() && values.iter().all(|value| value.mean == wait.mean) {
            return None;
        }
        // Half a standard error each of values between 0 and 1, at most.
        let error = |value: &ActionValue| 0.5 / (value.visits.max(1) as f64).sqrt();
        let surely = best.mean - wait.mean > error(best) + error(wait);
        let hardly = wait.mean - best.mean > (error(best) + error(wait)) / 4.0;
        // The next slice would be too late.
        let last = next.is_some_and(|next| next <= self.slice);
        let decided = surely || self.slices >= options.patience || (last && best.mean >= wait.mean);
        let enough = visits >= FEWEST_VISITS || last;
        best.action.filter(|_| enough && decided && !hardly)
    }
}

fn report(values: &[ActionValue], playouts: u32) -> Report {
    let mut report = Report::default().with("playouts", playouts);
    for value in values {
        match value.action {
            None => report.note("wait", format!("{:.1}", value.mean * 100.0)),
            Some(action) => report.moves.push(MoveRating {
                action,
                value: (value.visits > 0).then_some(value.mean * 100.0),
                visits: value.visits,
                proven: None,
            }),
        }
    }
    report.moves.sort_by_key(|rating| std::cmp::Reverse(rating.visits));
    report
}
