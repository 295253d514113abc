//! A match with the players that play it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use ludex_game::{Answer, GameError, RoleId, TimeBank, TimeTerms, TimedError};
use ludex_logic::{Budget, Clock, LimitError, Terms, begin_threads};
use ludex_match::{
    Fault, Match, MatchSetup, MatchStatus, MatchStep, MoveNote, MoveReport, RatedMove, Reply, Told,
};
use ludex_players::{Choice, Introduction, News, Outcome, Player, Report};

use crate::face::Game;

/// Why nobody can play.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableError {
    /// The players do not fit the game.
    #[error("the game has {seats} roles to play, but there are {players} players")]
    Players {
        /// The roles without `random`.
        seats: usize,
        /// The players.
        players: usize,
    },
    /// The machine has no answer about the initial state.
    #[error(transparent)]
    Game(#[from] GameError),
    /// The same of a game in real time.
    #[error(transparent)]
    Timed(#[from] TimedError),
}

/// A match and its players, who are asked one after the other.
///
/// ```
/// use ludex::players::{Registry, Resources};
/// use ludex::{Game, GameOptions, MatchSetup, Table};
///
/// let game = Game::bundled("hanoi", &GameOptions::default())?;
/// let player = Registry::default().create("puzzle", &Resources::default())?;
/// let mut table = Table::new(&game, MatchSetup::default(), vec![player], None, Default::default())?;
/// table.prepare();
/// while let Some(step) = table.step()? {
///     assert_eq!(step.faults, [None]);
/// }
/// assert_eq!(table.referee().goals(), [Some(100)]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// Without a clock nothing is timed. With one, each player gets a budget with a deadline, and what
/// comes after the deadline does not count. Where the time of all moves is limited, the deadline is no later than that,
/// and players hear how much is left ([`Player::hear_time`]).
pub struct Table {
    game: Game,
    referee: Match,
    players: Vec<(RoleId, Box<dyn Player>)>,
    /// What is left of the time for all moves of each player, where that is limited.
    banks: Vec<Option<TimeBank>>,
    clock: Option<Arc<dyn Clock>>,
    begun: Option<Duration>,
    budget: Budget,
    pondering: bool,
    /// What players are told of the match before they get ready, seat by seat.
    introductions: Vec<Introduction>,
    /// Whether a player had less time than the clocks say, because that of the budget was ending, and used it.
    hurried: bool,
    reports: Vec<Option<Report>>,
    replies: Vec<Reply>,
}

/// Pondering while somebody is asked who has all the time in the world ends after this.
const PONDER_LIMIT: Duration = Duration::from_secs(600);
/// With less time than this nobody begins to think.
const NO_TIME: Duration = Duration::from_millis(100);
/// So many players ponder at once at most, those first who are asked next: more would only take each other's time.
const MOST_PONDERING: usize = 16;

impl Table {
    /// Seats players: one for each role but `random`, in order. What each may spend on a question,
    /// apart from time, is in `budget`. Where that is a [whole](Budget::as_whole), the clocks are parts of its time,
    /// and the match is aborted when a player does not have as much as the clocks say and would need it.
    ///
    /// # Errors
    /// [`TableError`].
    pub fn new(
        game: &Game,
        setup: MatchSetup,
        players: Vec<Box<dyn Player>>,
        clock: Option<Arc<dyn Clock>>,
        budget: Budget,
    ) -> Result<Self, TableError> {
        let seats = game.seats();
        if seats.len() != players.len() {
            return Err(TableError::Players { seats: seats.len(), players: players.len() });
        }
        let banks = vec![setup.bank; players.len()];
        let referee = Match::new(game.rules().clone(), setup)?;
        let roles = game.roles().len();
        Ok(Self {
            banks,
            game: game.clone(),
            begun: clock.as_ref().map(|clock| clock.now()),
            players: seats.into_iter().zip(players).collect(),
            referee,
            clock,
            budget,
            pondering: false,
            introductions: Vec::new(),
            hurried: false,
            reports: vec![None; roles],
            replies: vec![Err(Fault::Timeout); roles],
        })
    }

    /// Whether players may think while another one is asked, each on a thread of its own, until that
    /// one has answered; as many as the system has threads for, and no more than 16 of those who are asked
    /// next. At first they may not.
    #[must_use]
    pub fn with_pondering(mut self, pondering: bool) -> Self {
        self.pondering = pondering;
        self
    }

    /// The same where the players of these seats, in order, are told who plays and what for.
    #[must_use]
    pub fn with_introductions(mut self, introductions: Vec<Introduction>) -> Self {
        self.introductions = introductions;
        self
    }

    /// The match.
    pub fn referee(&self) -> &Match {
        &self.referee
    }

    /// The match, to end it early.
    pub fn referee_mut(&mut self) -> &mut Match {
        &mut self.referee
    }

    /// What the player of a role said about its last move.
    pub fn report(&self, role: RoleId) -> Option<&Report> {
        self.reports.get(role.index()).and_then(Option::as_ref)
    }

    /// The tree of the last search of the first player who has one, as a graph in the language of
    /// Graphviz with at most `nodes` nodes; and the player's role.
    pub fn tree_dot(&self, nodes: usize) -> Option<(RoleId, String)> {
        self.players.iter().find_map(|(role, player)| Some((*role, player.tree_dot(nodes)?)))
    }

    /// Lets the players get ready. A player that fails is noted and stays.
    pub fn prepare(&mut self) {
        let game = self.game.clone();
        for (number, (role, player)) in self.players.iter_mut().enumerate() {
            if let Some(introduction) = self.introductions.get(number) {
                player.introduce(introduction);
            }
            let limit = self.referee.setup().start_clock;
            let (budget, deadline) = timed(&self.budget, self.clock.as_ref(), limit);
            let left = self.budget.time_left();
            let prepared = player.prepare(game.seat(*role), &budget);
            self.hurried |= hurried(left, self.budget.time_left(), limit);
            let fault = match prepared {
                _ if late(self.clock.as_ref(), deadline) => Some(Fault::Timeout),
                Ok(()) => None,
                Err(error) => Some(Fault::Failed(error.to_string())),
            };
            if let Some(fault) = fault {
                self.referee.note_start_fault(*role, fault);
            }
            // Where a match has a step before the first one, it was made already.
            if let Some(told) = self.referee.told(*role) {
                player.observe(&news(told));
            }
        }
    }

    /// Asks every player for a move, makes the step, and tells them what happened. `None` when the
    /// match is over; the players were then told so.
    ///
    /// # Errors
    /// What the machine answers; the match is then aborted.
    pub fn step(&mut self) -> Answer<Option<&MatchStep>> {
        if self.referee.is_over() {
            return Ok(None);
        }
        for number in 0..self.players.len() {
            let left = self.budget.time_left();
            let limit = self.limit(number);
            if !self.hurried {
                self.ask(number, limit);
            }
            self.hurried |= hurried(left, self.budget.time_left(), limit);
        }
        if self.hurried {
            let limit = LimitError::Deadline;
            self.referee.abort(limit.to_string());
            self.dismiss();
            return Err(limit.into());
        }
        let replies = std::mem::take(&mut self.replies);
        let made = self.make(&replies).map(drop);
        self.replies = replies;
        made?;
        Ok(self.referee.steps().last())
    }

    /// Makes a step with these replies, one for each role in order, without asking anybody, and tells the players
    /// what happened: for openings. `None` when the match is over.
    ///
    /// # Errors
    /// What the machine answers; the match is then aborted.
    pub fn make(&mut self, replies: &[Reply]) -> Answer<Option<&MatchStep>> {
        if self.referee.is_over() {
            return Ok(None);
        }
        let time = self.time();
        let made = self.referee.submit(replies, time).map(drop);
        if made.is_ok() {
            for (role, player) in &mut self.players {
                if let Some(told) = self.referee.told(*role) {
                    player.observe(&news(told));
                }
            }
        }
        if self.referee.is_over() {
            self.dismiss();
        }
        made?;
        Ok(self.referee.steps().last())
    }

    /// Tells the players that the match is over.
    fn dismiss(&mut self) {
        for (role, player) in &mut self.players {
            player.finish(&outcome(&self.referee, *role));
        }
    }

    /// How long a player may think about its next move.
    fn limit(&self, number: usize) -> Option<Duration> {
        let bank = self.banks[number].map(|bank| bank.total);
        self.referee.setup().play_clock.into_iter().chain(bank).min()
    }

    /// Asks a player for a move, and lets the others ponder meanwhile.
    fn ask(&mut self, number: usize, limit: Option<Duration>) {
        let time =
            TimeTerms { bank: self.banks[number], cost: self.referee.setup().time_cost.unwrap_or(0.0) };
        if time.are_thrifty() {
            self.players[number].1.hear_time(&time);
        }
        let (base, clock) = (&self.budget, self.clock.as_ref());
        let question = |player: &mut dyn Player| {
            // The player's time begins here, when everybody else is at work or at rest.
            let (budget, deadline) = timed(base, clock, limit);
            let asked = clock.map(|clock| clock.now());
            let chosen = player.choose(&budget);
            let answered = clock.map(|clock| clock.now());
            let in_time = deadline.zip(answered).is_none_or(|(deadline, now)| now <= deadline);
            let taken = answered.zip(asked).map(|(answered, asked)| answered.saturating_sub(asked));
            (chosen, in_time, taken)
        };
        let (chosen, in_time, taken) = if self.pondering && self.players.len() > 1 {
            let (meanwhile, _) = timed(base, clock, Some(limit.unwrap_or(PONDER_LIMIT)));
            while_others_ponder(&mut self.players, number, &meanwhile, question)
        } else {
            question(&mut *self.players[number].1)
        };
        self.banks[number] = self.banks[number].map(|bank| bank.after_move(taken.unwrap_or_default()));
        let role = self.players[number].0;
        let (reply, report) = match chosen {
            _ if !in_time => (Err(Fault::Timeout), None),
            Ok(Choice { action, report }) => (Ok(action), Some(report)),
            Err(error) => (Err(Fault::Failed(error.to_string())), None),
        };
        let terms = self.game.signature().terms();
        let said = report.as_ref().and_then(|report| said(report, terms));
        self.referee.note_move(role, MoveNote { time: taken, report: said });
        self.replies[role.index()] = reply;
        self.reports[role.index()] = report;
    }

    /// Plays to the end and gives back the match.
    ///
    /// # Errors
    /// What the machine answers.
    pub fn play(mut self) -> Answer<Match> {
        self.prepare();
        while self.step()?.is_some() {}
        Ok(self.referee)
    }

    /// Ends the sitting.
    pub fn into_match(self) -> Match {
        self.referee
    }

    fn time(&self) -> Option<u64> {
        let start = self.referee.setup().start_time?;
        let passed = self.clock.as_ref()?.now().saturating_sub(self.begun?);
        Some(start.saturating_add(u64::try_from(passed.as_millis()).unwrap_or(u64::MAX)))
    }
}

/// What a player is told, as players want it.
fn news(told: Told) -> News {
    match told {
        Told::Joint(joint) => News::Joint(joint),
        Told::Percepts { action, percepts } => News::Percepts { action, percepts },
    }
}

/// How the match ended for a role.
fn outcome(referee: &Match, role: RoleId) -> Outcome {
    Outcome {
        completed: *referee.status() == MatchStatus::Completed,
        goal: referee.goals().get(role.index()).copied().flatten(),
    }
}

/// A report in texts, as records keep it; `None` where it says nothing.
fn said(report: &Report, terms: &Terms) -> Option<MoveReport> {
    let thousandths = |value: f64| (value * 1000.0).round() / 1000.0;
    let texts = |joint: &Vec<_>| joint.iter().map(|&action| terms.prefix(action)).collect();
    let rated = report.moves.iter().map(|rating| RatedMove {
        action: terms.prefix(rating.action),
        visits: rating.visits,
        value: rating.value.filter(|value| value.is_finite()).map(thousandths),
        proven: rating.proven,
    });
    let entry = |(name, said): &(&str, String)| ((*name).to_owned(), said.as_str().into());
    let said = MoveReport {
        entries: report.entries.iter().map(entry).collect(),
        moves: rated.collect(),
        variation: report.variation.iter().map(texts).collect(),
    };
    (said != MoveReport::default()).then_some(said)
}

/// Puts a question to one player while the others ponder, and comes back when all have stopped.
fn while_others_ponder<T>(
    players: &mut [(RoleId, Box<dyn Player>)],
    asked: usize,
    budget: &Budget,
    question: impl FnOnce(&mut dyn Player) -> T,
) -> T {
    let budget = &budget.clone().with_own_cancel_flag();
    let (before, rest) = players.split_at_mut(asked);
    let (asked, after) = rest.split_at_mut(1);
    std::thread::scope(|scope| {
        let others = after.iter_mut().chain(before).take(MOST_PONDERING);
        begin_threads(scope, others.map(|(_, player)| move || player.ponder(budget)));
        // Whatever happens to the one who is asked, the others are not to go on for ever.
        let _stop = StopOnDrop(budget.cancel_flag());
        question(&mut *asked[0].1)
    })
}

/// Raises a flag when it goes.
struct StopOnDrop(Arc<AtomicBool>);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn timed(
    budget: &Budget,
    clock: Option<&Arc<dyn Clock>>,
    limit: Option<Duration>,
) -> (Budget, Option<Duration>) {
    match (clock, limit) {
        (Some(clock), Some(limit)) => {
            let deadline = clock.now().saturating_add(limit);
            (budget.clone().with_time(Arc::clone(clock), limit), Some(deadline))
        }
        _ => (budget.clone(), None),
    }
}

/// Whether somebody had less time than the limit, and used most of it or had next to none.
fn hurried(before: Option<Duration>, after: Option<Duration>, limit: Option<Duration>) -> bool {
    let (Some(before), Some(after), Some(limit)) = (before, after, limit) else { return false };
    before < limit && (after < before / 2 || before < NO_TIME)
}

fn late(clock: Option<&Arc<dyn Clock>>, deadline: Option<Duration>) -> bool {
    clock.zip(deadline).is_some_and(|(clock, deadline)| clock.now() > deadline)
}
