//! Ratings of players over all matches.

use super::{Answer, Manager};
use crate::model::{Page, PlayerRating, RatingChange, RatingMoment, RatingQuery, RatingScope};

/// So many ratings of a player are told: over all matches, by kind, and by game those of most matches.
const RATINGS: u64 = 60;

impl Manager {
    /// Players by what their ratings are for sure, the strongest first.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`](crate::manager::ManagerError::NotFound) where the page is to begin behind a player who
    /// is not rated, [`ManagerError::Store`](crate::manager::ManagerError::Store).
    pub fn leaderboard(&self, query: &RatingQuery) -> Answer<Page<PlayerRating>> {
        Ok(self.core().store.leaderboard(query)?)
    }

    /// The ratings of a player, those of most matches first.
    ///
    /// # Errors
    /// [`ManagerError::NotFound`](crate::manager::ManagerError::NotFound),
    /// [`ManagerError::Store`](crate::manager::ManagerError::Store).
    pub fn player_ratings(&self, name: &str) -> Answer<Vec<PlayerRating>> {
        let store = &self.core().store;
        let player = store.player(name)?;
        Ok(store.ratings_of(&player.name, RATINGS)?)
    }

    /// A rating of a player as it became, at so many moments at most, the last one among them.
    ///
    /// # Errors
    /// As [`Manager::player_ratings`].
    pub fn rating_moments(&self, name: &str, scope: &RatingScope, most: usize) -> Answer<Vec<RatingMoment>> {
        let store = &self.core().store;
        let player = store.player(name)?;
        let all = store.rating_moments(&player.name, scope)?;
        let every = all.len().div_ceil(most.max(1)).max(1);
        let last = all.len().saturating_sub(1);
        let wanted = all.into_iter().enumerate().filter(|(number, _)| (last - number).is_multiple_of(every));
        Ok(wanted.map(|(_, moment)| moment).collect())
    }

    /// What a match has changed in ratings; nothing where it is not counted.
    ///
    /// # Errors
    /// As [`Manager::player_ratings`].
    pub fn match_ratings(&self, id: &str) -> Answer<Vec<RatingChange>> {
        let store = &self.core().store;
        store.find_match(id)?;
        Ok(store.match_ratings(id)?)
    }
}
