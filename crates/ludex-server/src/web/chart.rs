//! The chart of ratings over time, as SVG without any style of its own.

use std::fmt::Write as _;

use ludex::tournament::RatingPoint;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 52.0;
const RIGHT: f64 = 12.0;
const TOP: f64 = 12.0;
const BOTTOM: f64 = 38.0;
/// The style sheet has so many colours; then they begin again.
const SERIES: usize = 8;

/// Which colour a player's line has.
pub(super) fn series(player: usize) -> usize {
    player % SERIES
}

/// What ratings are measured from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum RatingScale {
    /// The mean of all: they have a sign.
    Relative,
    /// Nothing.
    Absolute,
}

/// Draws the ratings of players of a tournament with their intervals; empty where there are fewer than two points.
pub(super) fn draw(points: &[RatingPoint], players: usize) -> String {
    draw_on(RatingScale::Relative, points, players)
}

/// The same of any ratings.
pub(super) fn draw_on(scale: RatingScale, points: &[RatingPoint], players: usize) -> String {
    if points.len() < 2 || players == 0 {
        return String::new();
    }
    let axes = Axes::around(scale, points);
    let of = if players == 1 { "one player".to_owned() } else { format!("{players} players") };
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Ratings of {of} over {} matches\">",
        axes.last
    );
    axes.grid(&mut svg);
    for player in 0..players {
        axes.band(&mut svg, points, player);
    }
    for player in 0..players {
        axes.curve(&mut svg, points, player);
    }
    svg.push_str("</svg>");
    svg
}

/// What part of the numbers is shown.
struct Axes {
    scale: RatingScale,
    first: usize,
    last: usize,
    low: f64,
    high: f64,
    step: f64,
}

impl Axes {
    fn around(scale: RatingScale, points: &[RatingPoint]) -> Self {
        let ratings = || points.iter().flat_map(|point| &point.ratings);
        // Intervals are cut where they would press the lines flat.
        let low = ratings().map(|rating| rating.elo.min(rating.low.max(rating.elo - 250.0)));
        let high = ratings().map(|rating| rating.elo.max(rating.high.min(rating.elo + 250.0)));
        let (low, high) = (low.fold(f64::INFINITY, f64::min), high.fold(f64::NEG_INFINITY, f64::max));
        let (low, high) = if low.is_finite() && high > low { (low, high) } else { (-100.0, 100.0) };
        let step = [25.0, 50.0, 100.0, 200.0, 500.0, 1000.0, 2000.0, 5000.0]
            .into_iter()
            .find(|step| (high - low) / step <= 7.0)
            .unwrap_or(10_000.0);
        let (low, high) = ((low / step).floor() * step, (high / step).ceil() * step);
        let first = points.first().map_or(0, |point| point.matches);
        let last = points.last().map_or(1, |point| point.matches).max(first + 1);
        Self { scale, first, last, low, high, step }
    }

    fn x(&self, matches: usize) -> f64 {
        let part = matches.saturating_sub(self.first) as f64 / (self.last - self.first) as f64;
        LEFT + part * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, elo: f64) -> f64 {
        let part = (elo.clamp(self.low, self.high) - self.low) / (self.high - self.low);
        HEIGHT - BOTTOM - part * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, svg: &mut String) {
        let lines = ((self.high - self.low) / self.step).round() as usize;
        for line in 0..=lines {
            let elo = self.low + line as f64 * self.step;
            let (y, right) = (self.y(elo), WIDTH - RIGHT);
            // Writing to a string cannot fail, here and below.
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/><text \
                 x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 8.0,
                y + 4.0,
                self.label(elo)
            );
        }
        let bottom = HEIGHT - BOTTOM + 18.0;
        let marks = 5.min(self.last - self.first).max(1);
        for mark in 0..=marks {
            let matches = self.first + (self.last - self.first) * mark / marks;
            let _ = write!(
                svg,
                "<text x=\"{:.1}\" y=\"{bottom:.1}\" text-anchor=\"middle\">{matches}</text>",
                self.x(matches)
            );
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">matches</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 4.0
        );
    }

    fn label(&self, elo: f64) -> String {
        match self.scale {
            RatingScale::Relative => signed(elo),
            RatingScale::Absolute => format!("{elo:.0}"),
        }
    }

    fn band(&self, svg: &mut String, points: &[RatingPoint], player: usize) {
        let at = |end: fn(&ludex::tournament::Rating) -> f64| {
            let of = move |point: &RatingPoint| {
                point.ratings.get(player).map(|rating| (self.x(point.matches), self.y(end(rating))))
            };
            points.iter().filter_map(of).collect::<Vec<_>>()
        };
        let mut around = at(|rating| rating.high);
        around.extend(at(|rating| rating.low).into_iter().rev());
        let _ = write!(svg, "<polygon class=\"band area-{}\" points=\"{}\"/>", series(player), path(&around));
    }

    fn curve(&self, svg: &mut String, points: &[RatingPoint], player: usize) {
        let of = |point: &RatingPoint| {
            point.ratings.get(player).map(|rating| (self.x(point.matches), self.y(rating.elo)))
        };
        let line: Vec<(f64, f64)> = points.iter().filter_map(of).collect();
        let _ =
            write!(svg, "<polyline class=\"curve series-{}\" points=\"{}\"/>", series(player), path(&line));
    }
}

/// A rating with its sign; nought has none.
fn signed(elo: f64) -> String {
    if elo.abs() < 0.5 { "0".to_owned() } else { format!("{elo:+.0}") }
}

fn path(points: &[(f64, f64)]) -> String {
    let texts: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    texts.join(" ")
}
