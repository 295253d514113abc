//! What episodes are worth, as a picture.

use super::episodes::Episodes;
use crate::chart::{Chart, Line};

/// The running mean is one of so many parts of the episodes.
const PARTS: usize = 10;

/// Draws what each episode was worth on each seat, and the mean of the last episodes up to it.
pub fn draw(episodes: &Episodes) -> String {
    let count = episodes.all.len();
    let utilities = episodes.all.iter().flat_map(|episode| &episode.utilities).flatten();
    let high = f64::from(utilities.copied().max().unwrap_or_default().max(100));
    let line = |(seat, (role, player)): (usize, (&String, &String))| {
        let each = (1..).zip(&episodes.all);
        let worth = each
            .filter_map(|(number, episode)| Some((f64::from(number), f64::from(episode.utilities[seat]?))));
        let dots: Vec<(f64, f64)> = worth.collect();
        let points = running_mean(&dots, count.div_ceil(PARTS));
        Line { label: format!("{role}: {player}"), points, dots }
    };
    Chart {
        caption: format!("{} without rules", episodes.game),
        x: ("episode", 0.0..(count as f64).max(1.0)),
        y: ("utility", 0.0..1.05 * high),
        lines: episodes.roles.iter().zip(&episodes.players).enumerate().map(line).collect(),
    }
    .svg()
}

/// At each point the mean of it and those before, so many in all at most.
fn running_mean(points: &[(f64, f64)], window: usize) -> Vec<(f64, f64)> {
    let means = points.iter().enumerate().map(|(place, &(x, _))| {
        let last = &points[(place + 1).saturating_sub(window.max(1))..=place];
        (x, last.iter().map(|&(_, y)| y).sum::<f64>() / last.len() as f64)
    });
    means.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_run_over_a_window() {
        let points = [(1.0, 0.0), (2.0, 100.0), (3.0, 50.0)];
        assert_eq!(running_mean(&points, 2), [(1.0, 0.0), (2.0, 50.0), (3.0, 75.0)]);
        assert_eq!(running_mean(&points, 0), points);
        assert_eq!(running_mean(&[], 3), []);
    }
}
