//! Ratings as they became, for a chart.

use std::num::NonZeroUsize;

use serde::{Deserialize, Serialize};

use super::rating::{Comparisons, Rating};
use super::result::MatchResult;
use super::standings::Comparer;

/// The ratings after so many matches.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RatingPoint {
    /// How many matches were completed.
    pub matches: usize,
    /// The rating of each player, in the order of the players.
    pub ratings: Vec<Rating>,
}

/// Each fit goes on from the one before, to within this; a hundredth of it could not be seen in a chart.
const TOLERANCE: f64 = 1e-6;

/// The ratings after every so many completed matches, and after the last, for results in the order in
/// which they came. Results of others, and matches that ended early, are passed over.
///
/// Takes time with the number of points times the cube of the number of players.
pub fn rating_history<'r>(
    players: &[String],
    games: &[String],
    results: impl IntoIterator<Item = &'r MatchResult>,
    every: NonZeroUsize,
) -> Vec<RatingPoint> {
    let mut comparer = Comparer::new(players, games);
    let mut comparisons = Comparisons::new(players.len());
    let mut strengths = vec![1.0; players.len()];
    let mut points: Vec<RatingPoint> = Vec::new();
    let mut matches = 0;
    let mut point = |matches: usize, comparisons: &Comparisons| RatingPoint {
        matches,
        ratings: comparisons.ratings_from(&mut strengths, TOLERANCE),
    };
    for result in results {
        if result.aborted.is_some() || !comparer.knows(result) {
            continue;
        }
        for compared in comparer.add(result) {
            comparisons.add(compared.players[0], compared.players[1], compared.share());
        }
        matches += 1;
        if matches % every == 0 {
            points.push(point(matches, &comparisons));
        }
    }
    if matches % every != 0 {
        points.push(point(matches, &comparisons));
    }
    points
}

#[cfg(test)]
mod tests {
    use ludex_game::Rng;

    use super::super::standings::Standings;
    use super::*;

    fn results(number: u32) -> Vec<MatchResult> {
        let mut rng = Rng::from_seed(8);
        let mut draw = |round: u32| {
            let one = rng.below(4) as usize;
            let other = (one + 1 + rng.below(3) as usize) % 4;
            let goal = rng.below(101) as u32;
            let alone = rng.below(5) == 0;
            let players = if alone { vec![one] } else { vec![one, other] };
            MatchResult {
                game: if alone { "puzzle" } else { "g" }.into(),
                round: if alone { round / 20 } else { round },
                players: players.iter().map(|p| format!("p{p}")).collect(),
                goals: if alone { vec![Some(goal)] } else { vec![Some(goal), Some(100 - goal)] },
                aborted: (rng.below(10) == 0).then(|| "stopped".to_owned()),
                ..MatchResult::default()
            }
        };
        (1..=number).map(&mut draw).collect()
    }

    fn names(prefix: &str, number: usize) -> Vec<String> {
        (0..number).map(|n| format!("{prefix}{n}")).collect()
    }

    #[test]
    fn each_point_is_what_standings_say_of_the_matches_so_far() {
        let (players, games) = (names("p", 4), vec!["g".to_owned(), "puzzle".to_owned()]);
        let results = results(300);
        let points = rating_history(&players, &games, &results, NonZeroUsize::new(40).unwrap());
        let completed: Vec<MatchResult> = results.iter().filter(|r| r.aborted.is_none()).cloned().collect();
        assert_eq!(points.len(), completed.len().div_ceil(40));
        assert_eq!(points.last().unwrap().matches, completed.len());
        for point in &points {
            let standings = Standings::of(&players, &games, &completed[..point.matches]);
            for standing in &standings.players {
                let number = players.iter().position(|name| *name == standing.player).unwrap();
                let rating = point.ratings[number];
                for (own, known) in [
                    (rating.elo, standing.rating.elo),
                    (rating.low, standing.rating.low),
                    (rating.high, standing.rating.high),
                ] {
                    assert!((own - known).abs() < 0.05, "{rating:?} is not {:?}", standing.rating);
                }
            }
        }
    }

    #[test]
    fn nothing_played_gives_no_points() {
        let every = NonZeroUsize::new(10).unwrap();
        assert!(rating_history(&names("p", 2), &["g".into()], &[], every).is_empty());
        assert!(rating_history(&names("x", 2), &["g".into()], &results(50), every).is_empty());
    }
}
