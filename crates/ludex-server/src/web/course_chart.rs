//! The chart of what the positions of a match are worth to each role, as SVG without any style of its own. Each step
//! is a link that leads to its position.

use std::fmt::Write as _;

use super::chart::series;
use crate::model::{CoursePoint, MatchAnalysis};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 240.0;
const LEFT: f64 = 40.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 40.0;
/// The goals that lines are drawn for.
const GOALS: [u32; 5] = [0, 25, 50, 75, 100];
/// As many marks have room below.
const MARKS: usize = 10;

/// Draws the course of a match for the roles of these numbers; `at` is the step that is shown beside it, and `link` what
/// stands before the number of a step in an address. Empty where there are fewer than two positions.
pub(super) fn draw(found: &MatchAnalysis, roles: &[usize], at: usize, link: &str) -> String {
    if found.course.len() < 2 || found.steps == 0 {
        return String::new();
    }
    let chart = CourseChart { last: found.steps };
    // The script moves the line of the step that is shown.
    let mut svg = format!(
        "<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"What each role could expect, step by step\" \
         data-course=\"{}\" data-left=\"{LEFT}\" data-right=\"{}\">",
        found.steps,
        WIDTH - RIGHT
    );
    chart.grid(&mut svg);
    // Writing to a string cannot fail, here and below.
    if let Some(turn) = &found.turn {
        let x = chart.x(turn.step);
        let (anchor, aside) = if x > WIDTH / 2.0 { ("end", -5.0) } else { ("start", 5.0) };
        let _ = write!(
            svg,
            "<line class=\"turn\" x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/><text class=\"turned\" \
             x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">turned</text>",
            HEIGHT - BOTTOM,
            x + aside,
            TOP + 9.0
        );
    }
    let x = chart.x(at.min(found.steps));
    let _ = write!(
        svg,
        "<line class=\"now\" data-now x1=\"{x:.1}\" x2=\"{x:.1}\" y1=\"{TOP}\" y2=\"{:.1}\"/>",
        HEIGHT - BOTTOM
    );
    for &role in roles {
        chart.curve(&mut svg, &found.course, role);
    }
    chart.links(&mut svg, found, roles, link);
    svg.push_str("</svg>");
    svg
}

/// Where things are.
struct CourseChart {
    /// The number of the last step.
    last: usize,
}

impl CourseChart {
    fn x(&self, step: usize) -> f64 {
        LEFT + step as f64 / self.last as f64 * (WIDTH - LEFT - RIGHT)
    }

    fn y(goal: f64) -> f64 {
        HEIGHT - BOTTOM - goal.clamp(0.0, 100.0) / 100.0 * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, svg: &mut String) {
        for goal in GOALS {
            let (y, right) = (Self::y(f64::from(goal)), WIDTH - RIGHT);
            let _ = write!(
                svg,
                "<line class=\"grid\" x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\"/><text x=\"{:.1}\" \
                 y=\"{:.1}\" text-anchor=\"end\">{goal}</text>",
                LEFT - 8.0,
                y + 4.0
            );
        }
        let bottom = HEIGHT - BOTTOM + 17.0;
        let marks = MARKS.min(self.last);
        for mark in 0..=marks {
            let step = self.last * mark / marks;
            let x = self.x(step);
            let _ = write!(svg, "<text x=\"{x:.1}\" y=\"{bottom:.1}\" text-anchor=\"middle\">{step}</text>");
        }
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">step</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - 5.0
        );
    }

    /// The line of a role through all that was found; a dot where its goal is proved.
    fn curve(&self, svg: &mut String, course: &[CoursePoint], role: usize) {
        let place = |point: &CoursePoint| {
            let value = point.values.get(role).copied().flatten()?;
            Some((self.x(point.step), Self::y(value)))
        };
        let series = series(role);
        let points: Vec<String> =
            course.iter().filter_map(place).map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let points = points.join(" ");
        let _ = write!(svg, "<polyline class=\"curve series-{series}\" points=\"{points}\"/>");
        let is_proved = |point: &&CoursePoint| point.proved.get(role).copied().flatten().is_some();
        for (x, y) in course.iter().filter(is_proved).filter_map(place) {
            let _ = write!(svg, "<circle class=\"area-{series}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\"/>");
        }
    }

    /// A link for each position, as wide as there is room.
    fn links(&self, svg: &mut String, found: &MatchAnalysis, roles: &[usize], link: &str) {
        let course = &found.course;
        let middle = |a: usize, b: usize| (self.x(a) + self.x(b)) / 2.0;
        for (number, point) in course.iter().enumerate() {
            let before = number.checked_sub(1).and_then(|before| course.get(before));
            let begin = before.map_or(LEFT - RIGHT, |before| middle(before.step, point.step));
            let end = course.get(number + 1).map_or(WIDTH, |next| middle(point.step, next.step));
            let step = point.step;
            let _ = write!(
                svg,
                "<a href=\"{link}{step}\" data-step=\"{step}\" tabindex=\"-1\"><rect class=\"hit\" x=\"{begin:.1}\" \
                 y=\"0\" width=\"{:.1}\" height=\"{HEIGHT}\"/><title>",
                end - begin
            );
            let _ = write!(svg, "Step {step}");
            for &role in roles {
                let name = found.names.get(role).map(String::as_str).unwrap_or_default();
                if let Some(value) = point.values.get(role).copied().flatten() {
                    let proved =
                        if point.proved.get(role).copied().flatten().is_some() { ", proved" } else { "" };
                    let _ = write!(svg, "; {}: {value:.0}{proved}", escaped(name));
                }
            }
            svg.push_str("</title></a>");
        }
    }
}

/// A text as it stands in SVG.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(values: &[Option<f64>]) -> MatchAnalysis {
        let point = |(step, value): (usize, &Option<f64>)| CoursePoint {
            step,
            values: vec![*value],
            proved: vec![value.filter(|value| *value >= 100.0).map(|value| value as u32)],
        };
        MatchAnalysis {
            steps: values.len() - 1,
            names: vec!["<b>".into()],
            course: values.iter().enumerate().map(point).collect(),
            ..MatchAnalysis::default()
        }
    }

    #[test]
    fn a_line_goes_through_what_is_known_and_has_dots_where_goals_are_proved() {
        let svg = draw(&found(&[Some(50.0), Some(60.0), None, Some(100.0)]), &[0], 1, "?step=");
        let line = svg.split("<polyline").nth(1).unwrap().split("points=").nth(1).unwrap();
        assert_eq!(line.split("/>").next().unwrap().matches(',').count(), 3, "{svg}");
        assert_eq!(svg.matches("<circle").count(), 1, "{svg}");
        assert_eq!(svg.matches("data-step=").count(), 4, "{svg}");
        assert!(svg.contains("Step 3; &lt;b&gt;: 100, proved"), "{svg}");
        assert!(!svg.contains("style="), "{svg}");
    }

    #[test]
    fn a_match_without_steps_has_no_chart() {
        assert_eq!(draw(&found(&[Some(50.0)]), &[0], 0, ""), "");
    }
}
