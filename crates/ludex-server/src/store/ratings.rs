//! Ratings in a store, whatever the database: how they follow from the matches that are over.
//!
//! A match that ends waits to be counted, noted in the transaction that keeps its end. Counting gives it a number, which
//! says for good after which others it counts: by when it ended, and by its name among those that ended at the same
//! moment, as far as they wait together. Then what has a number is counted in the order of the numbers, from a position
//! on that is kept: ratings, their history and the position change in one transaction, which holds a lock on the
//! position, so that of several who count one does, and whoever is cut off goes on where it was. From position 0 on the
//! same comes out again, to the last bit.

use std::collections::{BTreeMap, BTreeSet};

use ludex::matches::ratings::{Seat, Skill, periods_between, rate};

use super::{Answer, StoreError};
use crate::model::{
    GameFeatures, GameKind, Page, PlayerRating, RatingChange, RatingMoment, RatingQuery, RatingScope,
    is_unnamed,
};

/// Ratings of players over all matches.
pub trait RatingStore {
    /// Games and their versions of which matches wait to be counted, and of which it is not known what kind of games they
    /// are; so many at most.
    ///
    /// # Errors
    /// [`StoreError`].
    fn games_of_unknown_kind(&self, most: u64) -> Answer<Vec<(String, String)>>;

    /// Counts matches that are over, so many at most; how many there were. A power cut may take it, and they are counted
    /// again.
    ///
    /// # Errors
    /// [`StoreError`].
    fn count_ended_matches(&self, most: u64) -> Answer<u64>;

    /// How many matches are over, can be rated and are not counted yet.
    ///
    /// # Errors
    /// [`StoreError`].
    fn uncounted_matches(&self) -> Answer<u64>;

    /// Forgets all ratings, so that all matches are counted again in the same order.
    ///
    /// # Errors
    /// [`StoreError`].
    fn forget_ratings(&self) -> Answer<()>;

    /// Players by what their ratings are for sure, the strongest first, without those who are retired.
    ///
    /// # Errors
    /// [`StoreError::NotFound`] where the page is to begin behind a player who is not rated, and others.
    fn leaderboard(&self, query: &RatingQuery) -> Answer<Page<PlayerRating>>;

    /// The ratings of a player, those of most matches first, so many at most. Case does not matter in names.
    ///
    /// # Errors
    /// [`StoreError`].
    fn ratings_of(&self, player: &str, most: u64) -> Answer<Vec<PlayerRating>>;

    /// A rating of a player as it became, oldest first: all of the last matches, and of those before evenly spread ones.
    ///
    /// # Errors
    /// [`StoreError`].
    fn rating_moments(&self, player: &str, scope: &RatingScope) -> Answer<Vec<RatingMoment>>;

    /// What a match has changed in ratings; none where it is not counted.
    ///
    /// # Errors
    /// [`StoreError`].
    fn match_ratings(&self, id: &str) -> Answer<Vec<RatingChange>>;
}

/// So many of the last moments of a rating are all kept, and no more than twice as many of those before.
const MOMENTS: u64 = 256;

/// Which moments go when a rating is of so many matches: those behind the first of these and up to the second that are no
/// multiples of the third. What is older than the last ones becomes sparser with each doubling.
pub(super) fn moments_to_drop(matches: u64) -> Option<(u64, u64, u64)> {
    let old = matches.checked_sub(MOMENTS)?;
    let step = 1 << (matches / MOMENTS).ilog2();
    if step > 1 && matches == MOMENTS * step {
        Some((0, old, step))
    } else if !old.is_multiple_of(step) {
        Some((old - 1, old, step))
    } else {
        None
    }
}

/// A match that waits to be counted.
pub(super) struct WaitingMatch {
    pub(super) id: String,
    /// What is known of its game, where something is.
    pub(super) features: Option<GameFeatures>,
    /// What the match says of its game.
    pub(super) hidden: bool,
    pub(super) dialect: Option<String>,
    pub(super) seats: u32,
}

impl WaitingMatch {
    /// The kind of its game. As long as nobody has looked at the game, its language and its seats tell.
    pub(super) fn kind(&self) -> GameKind {
        let timed = |dialect: &String| dialect.to_ascii_lowercase().starts_with("rtgdl");
        GameKind::of(&self.features.unwrap_or(GameFeatures {
            seats: self.seats,
            hidden: self.hidden && self.seats > 1,
            real_time: self.dialect.as_ref().is_some_and(timed),
            ..GameFeatures::default()
        }))
    }
}

/// A match that has its number.
pub(super) struct NumberedMatch {
    pub(super) number: u64,
    pub(super) id: String,
    pub(super) game: String,
    pub(super) kind: String,
    pub(super) ended: u64,
    pub(super) seats: Vec<EndedSeat>,
}

/// A seat of a match that is over.
pub(super) struct EndedSeat {
    pub(super) player: String,
    pub(super) goal: Option<u32>,
    pub(super) reward: Option<f64>,
}

/// A rating as it is kept.
#[derive(Clone, Copy, Debug)]
pub(super) struct KeptRating {
    pub(super) skill: Skill,
    pub(super) matches: u64,
    pub(super) last: u64,
}

/// What counting does with a database, in a transaction.
pub(super) trait RatingTables {
    type Error: From<StoreError>;

    /// How far has been counted. Nobody else counts until the transaction is over.
    fn position(&mut self) -> Result<u64, Self::Error>;
    fn set_position(&mut self, number: u64) -> Result<(), Self::Error>;
    /// The highest number that a match has.
    fn last_number(&mut self) -> Result<u64, Self::Error>;
    /// The first matches that wait, in the order in which they count.
    fn waiting(&mut self, most: u64) -> Result<Vec<WaitingMatch>, Self::Error>;
    /// A match waits no more.
    fn give_number(&mut self, number: u64, id: &str, kind: GameKind) -> Result<(), Self::Error>;
    /// The first matches behind a number.
    fn numbered(&mut self, behind: u64, most: u64) -> Result<Vec<NumberedMatch>, Self::Error>;
    fn rating(&mut self, scope: &str, player: &str) -> Result<Option<KeptRating>, Self::Error>;
    /// Whether somebody is rated over these matches.
    fn is_rated(&mut self, scope: &str) -> Result<bool, Self::Error>;
    fn put_rating(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Self::Error>;
    fn add_moment(&mut self, scope: &str, player: &str, kept: &KeptRating) -> Result<(), Self::Error>;
    /// As [`moments_to_drop`] says.
    fn drop_moments(&mut self, scope: &str, player: &str, which: (u64, u64, u64)) -> Result<(), Self::Error>;
    fn note_changes(&mut self, number: u64, changes: &str) -> Result<(), Self::Error>;
}

/// Counts so many matches at most.
pub(super) fn count<T: RatingTables>(tables: &mut T, most: u64) -> Result<u64, T::Error> {
    let position = tables.position()?;
    let mut last = tables.last_number()?;
    for waiting in tables.waiting(most)? {
        last += 1;
        tables.give_number(last, &waiting.id, waiting.kind())?;
    }
    let matches = tables.numbered(position, most)?;
    let mut counting =
        Counting { tables, known: BTreeMap::new(), changed: BTreeSet::new(), rated: BTreeSet::new() };
    for one in &matches {
        counting.count(one)?;
    }
    counting.keep()?;
    if let Some(last) = matches.last() {
        tables.set_position(last.number)?;
    }
    Ok(matches.len() as u64)
}

/// Ratings that are read once and written once for several matches.
struct Counting<'t, T> {
    tables: &'t mut T,
    /// By scope and by the player in small letters.
    known: BTreeMap<(String, String), Option<KeptRating>>,
    /// With the players as they are called.
    changed: BTreeSet<(String, String)>,
    rated: BTreeSet<String>,
}

impl<T: RatingTables> Counting<'_, T> {
    fn count(&mut self, ended: &NumberedMatch) -> Result<(), T::Error> {
        let Some(kind) = GameKind::named(&ended.kind) else { return Ok(()) };
        if ended.seats.iter().any(|seat| is_unnamed(&seat.player)) {
            return Ok(());
        }
        let rewards = ended.seats.iter().any(|seat| seat.reward.is_some());
        let worth = |seat: &EndedSeat| match rewards {
            true => seat.reward.unwrap_or(0.0),
            false => f64::from(seat.goal.unwrap_or(0)),
        };
        let names: Vec<String> = ended.seats.iter().map(|seat| seat.player.to_ascii_lowercase()).collect();
        let seats = ended.seats.iter().zip(&names);
        let seats: Vec<Seat<'_>> = seats.map(|(seat, player)| Seat { player, worth: worth(seat) }).collect();
        let scopes = RatingScope::of_match(kind, &ended.game);
        // Where all goals are the same in all matches of a game, they compare nobody: all play for one goal.
        let is_equal = seats.windows(2).all(|pair| pair[0].worth == pair[1].worth);
        if is_equal && !self.is_rated(&scopes[2].to_string())? {
            return Ok(());
        }
        let mut changes = Vec::new();
        for scope in scopes {
            self.count_in(&scope, ended, &seats, rewards, &mut changes)?;
        }
        if !changes.is_empty() {
            self.tables.note_changes(ended.number, &super::values::json(&changes)?)?;
        }
        Ok(())
    }

    fn count_in(
        &mut self,
        scope: &RatingScope,
        ended: &NumberedMatch,
        seats: &[Seat<'_>],
        rewards: bool,
        changes: &mut Vec<RatingChange>,
    ) -> Result<(), T::Error> {
        let key = scope.to_string();
        for seat in seats {
            let place = (key.clone(), seat.player.to_owned());
            if !self.known.contains_key(&place) {
                let found = self.tables.rating(&key, seat.player)?;
                self.known.insert(place, found);
            }
        }
        let known = |player: &str| {
            let kept = self.known.get(&(key.clone(), player.to_owned())).copied().flatten()?;
            Some((kept.skill, periods_between(kept.last, ended.ended)))
        };
        for rated in rate(seats, rewards, known) {
            let before = self.known.get(&(key.clone(), rated.player.to_owned())).copied().flatten();
            let kept = KeptRating {
                skill: rated.after,
                matches: before.map_or(0, |before| before.matches) + 1,
                // Clocks may go back; ratings do not.
                last: before.map_or(0, |before| before.last).max(ended.ended),
            };
            let seat = ended.seats.iter().find(|seat| seat.player.eq_ignore_ascii_case(rated.player));
            let player = seat.map_or(rated.player, |seat| seat.player.as_str());
            self.tables.add_moment(&key, player, &kept)?;
            if let Some(which) = moments_to_drop(kept.matches) {
                self.tables.drop_moments(&key, player, which)?;
            }
            changes.push(RatingChange {
                player: player.to_owned(),
                scope: scope.clone(),
                before: rated.before.rating,
                after: rated.after.rating,
                deviation: rated.after.deviation,
            });
            self.known.insert((key.clone(), rated.player.to_owned()), Some(kept));
            self.changed.insert((key.clone(), player.to_owned()));
            self.rated.insert(key.clone());
        }
        Ok(())
    }

    fn is_rated(&mut self, scope: &str) -> Result<bool, T::Error> {
        if !self.rated.contains(scope) && self.tables.is_rated(scope)? {
            self.rated.insert(scope.to_owned());
        }
        Ok(self.rated.contains(scope))
    }

    /// Writes the ratings that have changed.
    fn keep(&mut self) -> Result<(), T::Error> {
        for (scope, player) in std::mem::take(&mut self.changed) {
            let kept = self.known.get(&(scope.clone(), player.to_ascii_lowercase())).copied().flatten();
            if let Some(kept) = kept {
                self.tables.put_rating(&scope, &player, &kept)?;
            }
        }
        Ok(())
    }
}

/// What lists say of a rating.
pub(super) fn player_rating(
    (scope, player): (&str, String),
    kept: KeptRating,
    before: Option<f64>,
) -> Result<PlayerRating, StoreError> {
    let unknown = || super::values::broken("rating", &player, format!("of `{scope}`"));
    let scope = RatingScope::read(scope).ok_or_else(unknown)?;
    let KeptRating { skill, matches, last } = kept;
    Ok(PlayerRating {
        scope,
        low: skill.low(),
        provisional: skill.is_provisional(),
        trend: before.map(|before| skill.rating - before),
        skill,
        matches,
        last,
        player,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_moments_that_are_kept_are_few_and_spread() {
        let mut kept = BTreeSet::new();
        for matches in 1..=100_000 {
            kept.insert(matches);
            if let Some((behind, up_to, step)) = moments_to_drop(matches) {
                let old: Vec<u64> = kept.range(behind + 1..=up_to).copied().collect();
                for one in old.into_iter().filter(|one| one % step != 0) {
                    kept.remove(&one);
                }
            }
            assert!(kept.len() <= 3 * 256, "{}", kept.len());
        }
        assert!((99_745..=100_000).all(|matches| kept.contains(&matches)));
        let kept: Vec<u64> = kept.into_iter().collect();
        assert!(kept.windows(2).all(|pair| pair[1] - pair[0] <= 256));
    }
}
