//! The learning curve as a picture.

use plotters::prelude::{
    BLACK, ChartBuilder, Color, IntoDrawingArea, IntoFont, LineSeries, RGBColor, SVGBackend,
    SeriesLabelPosition, ShapeStyle, WHITE,
};

use super::Point;

const SIZE: (u32, u32) = (720, 400);
const LEARNED: RGBColor = RGBColor(0x1f, 0x5f, 0xa8);
const RANDOM: RGBColor = RGBColor(0xb8, 0x5a, 0x12);

/// Draws how well what was learned tells what comes of states, and the level of random games. What cannot be drawn is
/// an empty picture.
pub fn draw(game: &str, points: &[Point], random: Option<f64>) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail, and the ranges below are never empty.
    let _ = chart(&mut svg, game, points, random);
    svg
}

fn chart(
    svg: &mut String,
    game: &str,
    points: &[Point],
    random: Option<f64>,
) -> Result<(), Box<dyn std::error::Error>> {
    let minutes = |point: &Point| point.time.as_secs_f64() / 60.0;
    let last = points.last().map_or(1.0, minutes).max(1.0 / 60.0);
    let (unit, scale) = if last < 2.0 { ("seconds", 60.0) } else { ("minutes", 1.0) };
    let told = points.iter().map(|point| point.told).chain(random);
    let low = told.clone().fold(0.0, f64::min);
    let high = told.fold(0.1, f64::max);
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    area.fill(&WHITE)?;
    let mut chart = ChartBuilder::on(&area)
        .caption(format!("What was learned of {game}"), ("sans-serif", 18).into_font())
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(54)
        .build_cartesian_2d(0.0..last * scale, low..(1.05 * high).min(1.0))?;
    chart
        .configure_mesh()
        .light_line_style(ShapeStyle::from(&WHITE))
        .x_desc(unit)
        .y_desc("correlation with results")
        .draw()?;
    let line = points.iter().map(|point| (minutes(point) * scale, point.told));
    chart
        .draw_series(LineSeries::new(line, LEARNED.stroke_width(2)))?
        .label("what was learned")
        .legend(|(x, y)| legend(x, y, LEARNED));
    if let Some(random) = random {
        chart
            .draw_series(LineSeries::new([(0.0, random), (last * scale, random)], RANDOM.stroke_width(2)))?
            .label("32 random games")
            .legend(|(x, y)| legend(x, y, RANDOM));
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

fn legend(x: i32, y: i32, colour: RGBColor) -> plotters::element::PathElement<(i32, i32)> {
    plotters::element::PathElement::new(vec![(x, y), (x + 18, y)], colour.stroke_width(2))
}
