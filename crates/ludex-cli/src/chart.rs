//! Lines over something, as a picture.

use std::ops::Range;

use plotters::element::PathElement;
use plotters::prelude::{
    BLACK, ChartBuilder, Circle, Color, IntoDrawingArea, IntoFont, LineSeries, RGBColor, SVGBackend,
    SeriesLabelPosition, ShapeStyle, WHITE,
};

const SIZE: (u32, u32) = (720, 400);
/// The colours of lines, over and over.
const COLOURS: [RGBColor; 4] = [
    RGBColor(0x1f, 0x5f, 0xa8),
    RGBColor(0xb8, 0x5a, 0x12),
    RGBColor(0x2d, 0x7d, 0x46),
    RGBColor(0x8e, 0x3b, 0x8e),
];

/// What the picture is of.
pub struct Chart<'a> {
    /// Above it.
    pub caption: String,
    /// What is counted from left to right, and how far.
    pub x: (&'a str, Range<f64>),
    /// What is counted from bottom to top, and how far.
    pub y: (&'a str, Range<f64>),
    /// The lines.
    pub lines: Vec<Line>,
}

/// A line.
pub struct Line {
    /// What it is of.
    pub label: String,
    /// Where it goes.
    pub points: Vec<(f64, f64)>,
    /// Single points beside it.
    pub dots: Vec<(f64, f64)>,
}

impl Chart<'_> {
    /// As SVG. What cannot be drawn is an empty picture.
    pub fn svg(&self) -> String {
        let mut svg = String::new();
        // Writing to a string cannot fail.
        let _ = self.draw(&mut svg);
        svg
    }

    fn draw(&self, svg: &mut String) -> Result<(), Box<dyn std::error::Error>> {
        let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
        area.fill(&WHITE)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(&self.caption, ("sans-serif", 18).into_font())
            .margin(12)
            .x_label_area_size(42)
            .y_label_area_size(54)
            .build_cartesian_2d(self.x.1.clone(), self.y.1.clone())?;
        chart
            .configure_mesh()
            .light_line_style(ShapeStyle::from(&WHITE))
            .x_desc(self.x.0)
            .y_desc(self.y.0)
            .draw()?;
        for (line, &colour) in self.lines.iter().zip(COLOURS.iter().cycle()) {
            let dots = line.dots.iter().map(|&point| Circle::new(point, 2, colour.mix(0.25).filled()));
            chart.draw_series(dots)?;
            chart
                .draw_series(LineSeries::new(line.points.iter().copied(), colour.stroke_width(2)))?
                .label(&line.label)
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
}
