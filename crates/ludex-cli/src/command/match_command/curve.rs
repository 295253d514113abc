//! What episodes are worth, as a picture.

use plotters::element::PathElement;
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, IntoFont, LineSeries, RGBColor, SVGBackend,
    SeriesLabelPosition, ShapeStyle, WHITE,
};

use super::episodes::Episodes;

const SIZE: (u32, u32) = (720, 400);
/// The colours of the seats, over and over.
const SEATS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xb8, 0x5a, 0x12),
    RGBColor(0x2d, 0x7d, 0x46),
    RGBColor(0x8e, 0x3b, 0x8e),
];
/// The running mean is one of so many parts of the episodes.
const PARTS: usize = 10;

/// Draws what each episode was worth on each seat, and the mean of the last episodes up to it. What cannot be drawn is
/// an empty picture.
pub fn draw(episodes: &Episodes) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail, and the ranges below are never empty.
    let _ = chart(&mut svg, episodes);
    svg
}

fn chart(svg: &mut String, episodes: &Episodes) -> Result<(), Box<dyn std::error::Error>> {
    let count = episodes.all.len();
    let utilities = episodes.all.iter().flat_map(|episode| &episode.utilities).flatten();
    let high = f64::from(utilities.copied().max().unwrap_or_default().max(100));
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("{} without rules", episodes.game), ("sans-serif", 18).into_font())
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..(count as f64).max(1.0), 0.0..1.05 * high)?;
    chart
        .configure_mesh()
        .light_line_style(ShapeStyle::from(&WHITE))
        .x_desc("episode")
        .y_desc("utility")
        .draw()?;
    for (seat, (role, player)) in episodes.roles.iter().zip(&episodes.players).enumerate() {
        let colour = SEATS[seat % SEATS.len()];
        let values: Vec<(f64, f64)> = (1..)
            .zip(&episodes.all)
            .filter_map(|(number, episode)| Some((f64::from(number), f64::from(episode.utilities[seat]?))))
            .collect();
        chart.draw_series(values.iter().map(|&point| Circle::new(point, 2, colour.mix(0.25).filled())))?;
        chart
            .draw_series(LineSeries::new(
                running_mean(&values, count.div_ceil(PARTS)),
                colour.stroke_width(2),
            ))?
            .label(format!("{role}: {player}"))
            .legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2)));
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .border_style(BLACK.mix(0.3))
        .background_style(WHITE)
        .draw()?;
    drop(chart);
    area.present()?;
    Ok(())
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
