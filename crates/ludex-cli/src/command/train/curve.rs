//! The learning curve as a picture.

use super::Point;
use crate::chart::{Chart, Line};

/// Draws how well what was learned tells what comes of states, and the level of random games.
pub fn draw(game: &str, points: &[Point], random: Option<f64>) -> String {
    let minutes = |point: &Point| point.time.as_secs_f64() / 60.0;
    let last = points.last().map_or(1.0, minutes).max(1.0 / 60.0);
    let (unit, scale) = if last < 2.0 { ("seconds", 60.0) } else { ("minutes", 1.0) };
    let told = points.iter().map(|point| point.told).chain(random);
    let low = told.clone().fold(0.0, f64::min);
    let high = told.fold(0.1, f64::max);
    let line =
        |label: &str, points: Vec<(f64, f64)>| Line { label: label.to_owned(), points, dots: Vec::new() };
    let learned = points.iter().map(|point| (minutes(point) * scale, point.told)).collect();
    let random = random.map(|random| line("32 random games", vec![(0.0, random), (last * scale, random)]));
    Chart {
        caption: format!("What was learned of {game}"),
        x: (unit, 0.0..last * scale),
        y: ("correlation with results", low..(1.05 * high).min(1.0)),
        lines: [line("what was learned", learned)].into_iter().chain(random).collect(),
    }
    .svg()
}
