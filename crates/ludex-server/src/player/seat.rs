//! A player at a table.

use ludex::game::{Answer, Goal, RoleId, State, TimeTerms};
use ludex::logic::{Budget, LimitError, TermId};
use ludex::matches::Told;
use ludex::matches::message::{Last, StartMessage};
use ludex::matches::service::{Follower, Heard};
use ludex::players::{Belief, BeliefError, BeliefOptions, Choice, News, Outcome, Player, Report};
use ludex::{Game, introduction_of};

use super::worker::guarded;

/// The part of the clock that looking for a legal move may take where the state is not known.
const LEGAL_SHARE: f64 = 0.15;
/// As much is kept of what is possible as a legal move needs; the player keeps more.
const POSSIBLE_STATES: usize = 50;

/// Steps of the expected course of a match that are logged.
const LOGGED_STEPS: usize = 8;

/// A player in a match, and what is known about the match apart from the player.
pub(super) struct Seat {
    game: Game,
    role: RoleId,
    follower: Follower,
    belief: Belief,
    /// `None` when it broke down.
    player: Option<Box<dyn Player>>,
    /// Whether it was said that the system has fewer threads left than the player may use.
    said_fewer_threads: bool,
}

/// What came of a play message.
pub(super) enum Turn {
    /// What was answered before is still the answer.
    Answered(String),
    /// A move is wanted.
    Open,
}

impl Seat {
    /// A player that takes a role.
    ///
    /// # Errors
    /// Where there is no such role.
    pub(super) fn new(game: Game, role: &str, player: Box<dyn Player>, seed: u64) -> Result<Self, String> {
        let Some(role) = game.find_role(role) else {
            return Err(format!("there is no role `{role}`; the roles are {}", game.role_names().join(", ")));
        };
        let options = BeliefOptions {
            limit: POSSIBLE_STATES,
            expansions: 10 * POSSIBLE_STATES,
            replays: 100 * POSSIBLE_STATES,
            seed,
            forgiving: true,
            ..BeliefOptions::default()
        };
        Ok(Self {
            follower: Follower::new(game.rules().clone(), role),
            belief: game.seat(role).belief(options),
            player: Some(player),
            said_fewer_threads: false,
            game,
            role,
        })
    }

    /// Tells the player what the start message says beside the rules: who else plays, and what it is played for.
    pub(super) fn introduce(&mut self, start: &StartMessage) {
        let introduction = introduction_of(&self.game, self.role, &start.more);
        self.guarded(|player| player.introduce(&introduction));
    }

    /// Lets the player get ready. Whatever comes of it, the player can be asked.
    pub(super) fn prepare(&mut self, budget: &Budget) {
        let seat = self.game.seat(self.role);
        if let Some(Err(error)) = self.guarded(|player| player.prepare(seat, budget)) {
            tracing::warn!(%error, "the player did not get ready");
        }
    }

    /// Takes in the moves with which the match begins.
    pub(super) fn begin_with(&mut self, start: &StartMessage) {
        let terms = self.game.signature().terms();
        let roles: Vec<String> =
            self.game.signature().roles().iter().map(|&role| terms.prefix(role)).collect();
        for joint in start.made_moves(&roles) {
            if let Some(Told::Joint(joint)) = self.follower.begin_with(&joint) {
                self.observe(&News::Joint(joint));
            }
        }
    }

    fn observe(&mut self, news: &News) {
        self.belief.observe(news);
        self.guarded(|player| player.observe(news));
    }

    /// Takes in what a message says happened. What it says is looked up in the rules within `budget`.
    pub(super) fn hear(
        &mut self,
        last: &Last,
        answered: Option<String>,
        undelivered: bool,
        budget: &Budget,
    ) -> Turn {
        self.follower.answer(answered.clone());
        let (game, belief) = (&self.game, &self.belief);
        let mut is_legal = |joint: &[TermId]| {
            belief.states().iter().any(|state| is_legal(game, state, joint, budget).unwrap_or(false))
        };
        let (heard, doubts) = self.follower.hear(last, undelivered, &mut is_legal);
        for doubt in doubts {
            tracing::warn!("{doubt}");
        }
        match (heard, answered) {
            (Heard::Same, Some(answered)) => Turn::Answered(answered),
            (Heard::Same, None) => Turn::Open,
            (Heard::Steps(steps), _) => {
                for told in steps {
                    let news = match told {
                        Told::Joint(joint) => News::Joint(joint),
                        Told::Percepts { action, percepts } => News::Percepts { action, percepts },
                    };
                    self.observe(&news);
                }
                Turn::Open
            }
        }
    }

    /// A move that is legal as far as is known.
    pub(super) fn legal(&mut self, budget: &Budget) -> Option<String> {
        let patient = budget.clone().without_deadline();
        let is_known = self.belief.is_exact() && self.belief.states().len() == 1;
        let limits = if is_known { patient.clone() } else { budget.clone().with_share_of_time(LEGAL_SHARE) };
        match self.belief.update(&limits) {
            Ok(()) => {}
            Err(BeliefError::Game(ludex::game::GameError::Limit(LimitError::Deadline))) => {}
            Err(error) => tracing::warn!(%error, "the state is not known"),
        }
        let surely = self.belief.legal_in_all(&patient).unwrap_or_default();
        let moves = if surely.is_empty() {
            self.belief.likeliest_legal(&patient).unwrap_or_default()
        } else {
            surely
        };
        moves.first().map(|&action| self.prefix(action))
    }

    /// The move that the player would make without any thought, if it knows one.
    pub(super) fn first_thought(&mut self, budget: &Budget) -> Option<String> {
        let thought = self.guarded(|player| player.first_thought(budget)).flatten()?;
        Some(self.prefix(thought))
    }

    /// The player's move.
    pub(super) fn choose(&mut self, time: &TimeTerms, budget: &Budget) -> Result<String, String> {
        if time.are_thrifty() {
            self.guarded(|player| player.hear_time(time));
        }
        match self.guarded(|player| player.choose(budget)) {
            Some(Ok(choice)) => {
                self.log(&choice);
                Ok(self.prefix(choice.action))
            }
            Some(Err(error)) => Err(error.to_string()),
            None => Err("the player broke down".to_owned()),
        }
    }

    /// Writes down a choice: in one line what the move is thought to be worth and how the match is expected to go
    /// on, and for who wants to know more, all that was said.
    fn log(&mut self, choice: &Choice) {
        let report = &choice.report;
        if let Some(cause) = report.entry(Report::STOPPED) {
            tracing::error!(cause, "the search was stopped");
        }
        if let (Some(threads), false) = (report.entry(Report::FEWER_THREADS), self.said_fewer_threads) {
            tracing::warn!(threads, "the system has fewer threads left than the player may use");
            self.said_fewer_threads = true;
        }
        for (name, value) in &report.entries {
            tracing::debug!("{name}: {value}");
        }
        let rated = report.moves.iter().find(|rated| rated.action == choice.action);
        let value = rated.and_then(|rated| rated.value).map(|value| (10.0 * value).round() / 10.0);
        let steps = report.variation.iter().take(LOGGED_STEPS);
        let texts = |joint: &Vec<TermId>| {
            joint.iter().map(|&action| self.prefix(action)).collect::<Vec<_>>().join(" ")
        };
        let line = steps.map(texts).collect::<Vec<_>>().join(", ");
        tracing::info!(
            value,
            proven = rated.and_then(|rated| rated.proven),
            line = (!line.is_empty()).then_some(line),
            playouts = report.entry("playouts"),
            pondered = report.entry("playouts while others thought"),
            lanes = report.entry("lanes"),
            "chose {}{}",
            self.prefix(choice.action),
            if report.entry("the only move").is_some() { ", the only move" } else { "" },
        );
    }

    /// Lets the player think while nobody asks it.
    pub(super) fn ponder(&mut self, budget: &Budget) {
        self.guarded(|player| player.ponder(budget));
    }

    /// Tells the player that the match is over, with what happened last where it was told. Gives what the
    /// end is worth to it, where that is known.
    pub(super) fn finish(
        &mut self,
        last: Option<&Last>,
        answered: Option<String>,
        budget: &Budget,
    ) -> Option<String> {
        if let Some(last) = last {
            self.hear(last, answered, false, budget);
        }
        // Without a limit, games in which states are hard to find would not end.
        let _ = self.belief.update(budget);
        let goal = match self.belief.states() {
            [state] if last.is_some() => self.goal(state, budget).ok().flatten(),
            _ => None,
        };
        let outcome = Outcome { completed: last.is_some(), goal };
        self.guarded(|player| player.finish(&outcome));
        goal.map(|goal| goal.to_string())
    }

    /// What a state is worth to the player.
    fn goal(&self, state: &State, budget: &Budget) -> Answer<Option<Goal>> {
        let mut runner = self.game.machine().runner(budget);
        runner.set(state)?;
        runner.goal(self.role)
    }

    fn prefix(&self, action: TermId) -> String {
        self.game.signature().terms().prefix(action)
    }

    /// What the player does; nothing, once it broke down.
    fn guarded<T>(&mut self, act: impl FnOnce(&mut (dyn Player + 'static)) -> T) -> Option<T> {
        guarded(&mut self.player, act)
    }
}

/// Whether a joint move is legal in a state.
fn is_legal(game: &Game, state: &State, joint: &[TermId], budget: &Budget) -> Answer<bool> {
    let mut runner = game.machine().runner(budget);
    runner.set(state)?;
    for (role, action) in game.roles().zip(joint) {
        let Some(action) = game.signature().find_action(*action) else { return Ok(false) };
        if !runner.legal(role)?.contains(&action) {
            return Ok(false);
        }
    }
    Ok(true)
}
