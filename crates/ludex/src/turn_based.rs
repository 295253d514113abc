//! Strategies for games in steps in games in real time that have turns.

use std::sync::Arc;

use ludex_game::{Position, RoleId, TimedRules};
use ludex_gdl::{GameTime, without_time};
use ludex_logic::{Budget, TermId};
use ludex_players::real_time::{AskAgain, Decision, TimedNews, TimedPlayer, TimedSeat, create_timed};
use ludex_players::{News, Outcome, Player, PlayerError, Registry, Resources, StrategyError};

use crate::face::{Game, GameOptions};

/// Lets a strategy for GDL play a game in real time as if no time passed.
///
/// The strategy plays the game [without time](ludex_gdl::without_time): there a step is over when everybody has moved who may.
/// So this is for games with turns, and those where all move at once; it knows nothing of clocks, but moves as soon as it is
/// asked and within the time that it is given.
pub struct TurnBasedPlayer {
    game: Game,
    player: Box<dyn Player>,
    seat: Option<TimedSeat>,
    position: Position,
    /// The move that is none with time.
    do_nothing: TermId,
    /// By role, the move of this step that was heard of.
    moved: Vec<Option<TermId>>,
    /// Whether the own move of this step was decided on.
    decided: bool,
    /// Why the game that is played is no longer the one without time.
    lost: Option<String>,
}

impl TurnBasedPlayer {
    /// A player of a strategy of the registry, written as for [`Registry::create`].
    ///
    /// # Errors
    /// In words: there is no such strategy, or the game without time cannot be run.
    pub fn new(
        rules: &TimedRules,
        text: &str,
        registry: &Registry,
        resources: &Resources,
    ) -> Result<Self, String> {
        let player = registry.create(text, resources).map_err(|error| error.to_string())?;
        let steps = without_time(rules.rulesheet()).map_err(|error| error.to_string())?;
        let checked =
            ludex_gdl::load(Arc::clone(&steps.rulesheet.source), &ludex_gdl::LoadOptions::default());
        let options = GameOptions { budget: rules.question_budget().clone(), ..GameOptions::default() };
        let game = Game::from_checked(checked, &options).map_err(|error| {
            format!("`{text}` cannot play `{}` as a game with turns: {error}", rules.short_name())
        })?;
        let position = game.start();
        let moved = vec![None; game.roles().len()];
        let do_nothing = game.machine().signature().terms().constant(&steps.do_nothing);
        Ok(Self { game, player, seat: None, position, do_nothing, moved, decided: false, lost: None })
    }

    /// The same term in the game without time.
    fn without_time(&self, action: TermId) -> Option<TermId> {
        let machine = &self.seat.as_ref()?.machine;
        let text = machine.terms().shown(action);
        ludex_game::find_term(self.game.machine().signature().terms(), &text).ok().flatten()
    }

    /// The same term in the game with time.
    fn in_time(&self, action: TermId) -> Option<TermId> {
        let machine = &self.seat.as_ref()?.machine;
        // It may be one that nobody has asked for yet.
        ludex_game::read_term(machine.terms(), &self.game.machine().signature().terms().shown(action)).ok()
    }

    /// Takes note of a move; where it was the last one of its step, the strategy hears of the step.
    fn hear(&mut self, role: RoleId, action: TermId) -> Result<(), String> {
        let action = self.without_time(action).ok_or("a move that it does not know")?;
        let Some(slot) = self.moved.get_mut(role.index()) else { return Ok(()) };
        *slot = Some(action);
        let mut joint = Vec::new();
        for (place, moved) in self.moved.iter().enumerate() {
            let legal = self.position.legal(RoleId(place as u32)).map_err(|error| error.to_string())?;
            match (moved, &legal[..]) {
                (Some(action), _) => joint.push(*action),
                (None, &[only]) if only == self.do_nothing => joint.push(only),
                (None, _) => return Ok(()),
            }
        }
        self.position.advance(&joint).map_err(|error| error.to_string())?;
        self.player.observe(&News::Joint(joint));
        self.moved.iter_mut().for_each(|moved| *moved = None);
        self.decided = false;
        Ok(())
    }
}

impl TimedPlayer for TurnBasedPlayer {
    fn prepare(&mut self, seat: TimedSeat, budget: &Budget) -> Result<(), PlayerError> {
        self.position = self.game.start();
        self.moved.iter_mut().for_each(|moved| *moved = None);
        (self.decided, self.lost) = (false, None);
        let role = seat.role;
        self.seat = Some(seat);
        self.player.prepare(self.game.seat(role), budget)
    }

    fn observe(&mut self, news: &TimedNews) {
        match news {
            TimedNews::Moved { moves, .. } => {
                for &(role, action) in moves {
                    if let Err(cause) = self.hear(role, action) {
                        self.lost.get_or_insert(cause);
                    }
                }
            }
            TimedNews::Refused { .. } => self.decided = false,
            TimedNews::Seen { .. } => {}
        }
    }

    fn decide(&mut self, _: GameTime, budget: &Budget) -> Result<Decision, PlayerError> {
        let Some(seat) = &self.seat else { return Err(PlayerError::NotPrepared) };
        if let Some(cause) = &self.lost {
            return Err(PlayerError::Gone(format!("this is no game with turns: {cause}")));
        }
        let role = seat.role;
        if self.decided || self.position.terminal()? || self.moved[role.index()].is_some() {
            return Ok(Decision::wait(AskAgain::OnNews));
        }
        let choice = self.player.choose(budget)?;
        if choice.action == self.do_nothing {
            return Ok(Decision::wait(AskAgain::OnNews));
        }
        let action =
            self.in_time(choice.action).ok_or_else(|| PlayerError::Gone("an unreadable move".into()))?;
        self.decided = true;
        Ok(Decision { action: Some(action), took: None, again: AskAgain::OnNews, report: choice.report })
    }

    fn finish(&mut self, outcome: &Outcome) {
        self.player.finish(outcome);
    }
}

/// A player of a game in real time: one of the strategies for that, or a strategy for GDL that plays it as a game with turns.
///
/// # Errors
/// In words.
pub fn create_timed_player(
    rules: &TimedRules,
    text: &str,
    registry: &Registry,
    resources: &Resources,
) -> Result<Box<dyn TimedPlayer>, String> {
    match create_timed(text, resources.seed) {
        Ok(player) => Ok(player),
        Err(StrategyError::Unknown { .. }) => {
            Ok(Box::new(TurnBasedPlayer::new(rules, text, registry, resources)?))
        }
        Err(error) => Err(error.to_string()),
    }
}
