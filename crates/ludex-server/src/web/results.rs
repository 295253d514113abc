//! What finished matches say about games and players, as tables.

use ludex::tournament::RatingPoint;

use super::api::path_part;
use super::text::decimal;
use super::{chart, players};
use crate::manager::{Manager, ManagerError};
use crate::model::{OpponentResults, SeatResults};

/// A row of results on a seat.
pub(super) struct SeatRow {
    pub(super) game: String,
    pub(super) role: String,
    /// Where the matches are that it is made of.
    pub(super) link: String,
    pub(super) matches: u64,
    pub(super) goal: String,
    pub(super) faults: u64,
}

impl SeatRow {
    fn new(results: SeatResults, link: String) -> Self {
        let faults = results.faults;
        Self {
            role: if results.role.is_empty() { format!("seat {}", results.seat + 1) } else { results.role },
            game: results.game,
            link,
            matches: results.matches,
            goal: decimal(results.goal),
            faults: faults.all(),
        }
    }
}

/// A row of results against somebody.
pub(super) struct OpponentRow {
    pub(super) name: String,
    pub(super) place: String,
    pub(super) matches: u64,
    pub(super) goal: String,
    pub(super) opponent_goal: String,
}

impl From<OpponentResults> for OpponentRow {
    fn from(results: OpponentResults) -> Self {
        Self {
            place: players::place(&results.opponent),
            name: results.opponent,
            matches: results.matches,
            goal: decimal(results.goal),
            opponent_goal: decimal(results.opponent_goal),
        }
    }
}

/// First moves with what came of them.
pub(super) struct OpeningRow {
    pub(super) moves: String,
    pub(super) matches: u64,
    pub(super) share: String,
    pub(super) goals: String,
}

/// How matches of a game went.
#[derive(Default)]
pub(super) struct GamePart {
    pub(super) matches: u64,
    pub(super) seats: Vec<SeatRow>,
    pub(super) openings: Vec<OpeningRow>,
}

/// How a player did.
pub(super) struct PlayerPart {
    pub(super) seats: Vec<SeatRow>,
    pub(super) opponents: Vec<OpponentRow>,
    pub(super) ratings: Vec<RatingRow>,
    /// The ratings as a curve; empty where there are not enough.
    pub(super) chart: String,
}

/// How a player was rated in a tournament.
pub(super) struct RatingRow {
    pub(super) id: String,
    pub(super) title: String,
    pub(super) matches: usize,
    pub(super) rating: String,
    pub(super) interval: String,
}

/// So many tournaments of a player are looked at.
const TOURNAMENTS: u64 = 12;
/// So many seats and first moves are shown of a game.
const SHOWN: usize = 8;
/// First moves that are longer are cut, in characters.
const LONG: usize = 120;

impl GamePart {
    pub(super) fn of(manager: &Manager, game: &str, version: &str) -> Result<Self, ManagerError> {
        let results = manager.game_results(game, Some(version))?;
        let total = results.matches;
        let link = format!("/matches?game={}&stage=completed", path_part(game));
        let seats = results.seats.into_iter().take(SHOWN).map(|seat| SeatRow::new(seat, link.clone()));
        let openings = results.openings.into_iter().take(SHOWN).map(|opening| OpeningRow {
            moves: cut(&opening.moves.join(", ")),
            matches: opening.matches,
            share: format!("{:.0} %", 100.0 * opening.matches as f64 / total.max(1) as f64),
            goals: opening
                .goals
                .iter()
                .take(SHOWN)
                .map(|&goal| decimal(goal))
                .collect::<Vec<_>>()
                .join(" : "),
        });
        Ok(Self { matches: total, seats: seats.collect(), openings: openings.collect() })
    }
}

/// The beginning of a text.
fn cut(text: &str) -> String {
    if text.chars().count() <= LONG {
        return text.to_owned();
    }
    let first: String = text.chars().take(LONG).collect();
    format!("{first} …")
}

impl PlayerPart {
    pub(super) fn of(manager: &Manager, name: &str) -> Result<Self, ManagerError> {
        let results = manager.player_results(name)?;
        let seat = |seat: SeatResults| {
            let link =
                format!("/matches?game={}&player={}&stage=completed", path_part(&seat.game), path_part(name));
            SeatRow::new(seat, link)
        };
        let ratings = manager.tournament_ratings(name, TOURNAMENTS)?;
        // The curve goes on from tournament to tournament, by matches.
        let mut played = 0;
        let points = ratings.iter().map(|rated| {
            played += rated.matches;
            RatingPoint { matches: played, ratings: vec![rated.rating] }
        });
        let points: Vec<RatingPoint> = points.collect();
        let rows = ratings.iter().rev().map(|rated| RatingRow {
            id: rated.tournament.id.clone(),
            title: rated.tournament.title.clone(),
            matches: rated.matches,
            rating: format!("{:+.0}", rated.rating.elo),
            interval: format!("{:+.0} to {:+.0}", rated.rating.low, rated.rating.high),
        });
        Ok(Self {
            seats: results.seats.into_iter().map(seat).collect(),
            opponents: results.opponents.into_iter().map(OpponentRow::from).collect(),
            ratings: rows.collect(),
            chart: chart::draw(&points, 1),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_first_moves_are_cut_between_characters() {
        assert_eq!(cut("(mark 1 1), noop"), "(mark 1 1), noop");
        assert_eq!(cut(&"é".repeat(500)).chars().count(), LONG + 2);
    }
}
