//! Playing one match of a tournament.

use std::sync::Arc;
use std::time::Duration;

use ludex_game::GameError;
use ludex_logic::{Budget, Clock, LimitError};
use ludex_players::{Resources, StrategyError};

use super::{Fixture, Tournament};
use crate::face::Game;
use crate::table::{Table, TableError};
use ludex_match::{Match, MatchSetup};

/// What holds for every match of a tournament.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FixtureOptions {
    /// The time to get ready.
    pub start_clock: Duration,
    /// The time for each move.
    pub play_clock: Duration,
    /// The match is aborted after this many steps.
    pub step_limit: u32,
    /// The memory of each player in bytes.
    pub memory: usize,
}

/// Why a match cannot even begin.
#[derive(Debug, thiserror::Error)]
pub enum FixtureError {
    /// A player's text names no strategy.
    #[error(transparent)]
    Strategy(#[from] StrategyError),
    /// The game has other seats than the tournament says, or the machine does not know the initial state.
    #[error(transparent)]
    Table(#[from] TableError),
    /// The time of the budget was over, or it was called off, before the match came to an end.
    #[error(transparent)]
    Limit(#[from] LimitError),
}

/// Plays a match with players made anew, each with one thread to search on. A match that the machine
/// cannot go on with is aborted. Clocks of the match are parts of a budget that is a
/// [whole](Budget::as_whole).
///
/// # Errors
/// [`FixtureError`] where it cannot begin, or not be played to an end within the budget.
pub fn play_fixture(
    tournament: &Tournament,
    fixture: &Fixture,
    game: &Game,
    options: &FixtureOptions,
    clock: Arc<dyn Clock>,
    budget: &Budget,
) -> Result<Match, FixtureError> {
    let names = tournament.seated(fixture);
    let setup = MatchSetup {
        id: format!("{}.{}.{}", game.short_name(), fixture.round, fixture.seed),
        seed: fixture.seed,
        start_clock: Some(options.start_clock),
        play_clock: Some(options.play_clock),
        step_limit: Some(options.step_limit),
        start_time: None,
        player_names: names.clone(),
    };
    let mut players = Vec::new();
    for (role, name) in game.seats().into_iter().zip(&names) {
        let resources = Resources { seed: setup.player_seed(role), memory: options.memory, threads: 1 };
        players.push(ludex_players::create(name, &resources)?);
    }
    let mut table = Table::new(game, setup, players, Some(clock), budget.clone())?;
    table.prepare();
    while !table.referee().is_over() {
        budget.meter().check()?;
        // Any other error ends the match, and the match says so.
        if let Err(GameError::Limit(limit @ (LimitError::Deadline | LimitError::Cancelled))) = table.step() {
            return Err(limit.into());
        }
    }
    Ok(table.into_match())
}
