//! What finished matches say about games and players.

use ludex::matches::tournament::Rating;

use super::{Answer, Manager};
use crate::model::{GameResults, PlayerResults, TournamentSummary};

/// How a player was rated in a tournament.
#[derive(Clone, Debug)]
pub(crate) struct TournamentRating {
    pub(crate) tournament: TournamentSummary,
    pub(crate) rating: Rating,
    pub(crate) matches: usize,
}

impl Manager {
    /// How a player did, by game and seat and by opponent, in matches that were played to the end.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`](crate::manager::ManagerError::NotFound),
    /// [`ManagerError::Store`](crate::manager::ManagerError::Store).
    pub fn player_results(&self, name: &str) -> Answer<PlayerResults> {
        let store = &self.core().store;
        let player = store.player(name)?;
        Ok(store.player_results(&player.name)?)
    }

    /// How matches of a version of a game, or of the present one, were played and ended: by seat, and by first moves.
    ///
    /// # Errors
    /// As [`Manager::player_results`].
    pub fn game_results(&self, name: &str, version: Option<&str>) -> Answer<GameResults> {
        let store = &self.core().store;
        let game = store.game(name, version)?;
        Ok(store.game_results(name, &game.version.sha256)?)
    }

    /// How a player was rated in its last tournaments, the oldest of them first. What cannot be read is left out.
    pub(crate) fn tournament_ratings(&self, player: &str, most: u64) -> Answer<Vec<TournamentRating>> {
        let core = self.core();
        let mut ratings = Vec::new();
        for id in core.store.tournaments_of(player, most)? {
            let Ok(state) = core.tournament_state(&id) else { continue };
            let standings = state.tournament.standings();
            let Some(line) = standings.players.iter().find(|line| line.player.eq_ignore_ascii_case(player))
            else {
                continue;
            };
            if line.matches > 0 {
                let (rating, matches) = (line.rating, line.matches);
                ratings.push(TournamentRating { tournament: state.row.summary.clone(), rating, matches });
            }
        }
        ratings.reverse();
        Ok(ratings)
    }
}
