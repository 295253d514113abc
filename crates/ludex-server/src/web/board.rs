//! Boards in pages.

use crate::preparation::{FactGroup, StatePicture};

/// A state as pages show it.
#[derive(Default)]
pub(super) struct Drawing {
    /// The boards as SVG; empty where there are none.
    pub(super) boards: String,
    /// Whether the boards are so wide that they are not pressed into a small screen.
    pub(super) large: bool,
    /// Whether the boards are so small that they are not blown up to the whole width.
    pub(super) small: bool,
    /// Whether the board has spots to be chosen.
    pub(super) spots: bool,
    /// Signs as SVG, and what they mean.
    pub(super) legend: Vec<(String, String)>,
    /// What is on no board.
    pub(super) facts: Vec<FactGroup>,
    /// What the boards show, in words.
    pub(super) words: Vec<(String, String)>,
}

/// Boards that are wider than so many pixels keep a size in which their squares can be told apart.
const LARGE: u32 = 440;
/// Boards that are narrower than so many pixels.
const SMALL: u32 = 200;

impl Drawing {
    /// A picture; with spots it can be clicked.
    pub(super) fn of(picture: &StatePicture, spots: bool) -> Self {
        if *picture == StatePicture::default() {
            return Self::default();
        }
        let legend = picture.legend.iter().map(|(sign, name)| (hidden(sign), name.clone()));
        Self {
            boards: labelled(&picture.boards, spots),
            large: picture.width > LARGE,
            small: picture.width < SMALL,
            spots,
            legend: legend.collect(),
            facts: picture.facts.clone(),
            words: picture.words.clone(),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.boards.is_empty() && self.facts.is_empty()
    }
}

/// Screen readers are told that it is a picture, and get it in words; spots in it stay to be chosen.
fn labelled(svg: &str, spots: bool) -> String {
    let kind = if spots { "group" } else { "img" };
    svg.replacen("<svg ", &format!("<svg role=\"{kind}\" aria-label=\"Board\" "), 1)
}

/// What stands beside the squares of a picture that a page shows as an image, where the style sheet of the page does not
/// reach: as light on a dark page as there.
const ON_DARK: &str = "<style>@media (prefers-color-scheme: dark) { .ink { fill: #ece8de } .faint { fill: #a9a294 } \
                       .ink-line { stroke: #ece8de } }</style>";

/// A picture without a background as an image of its own.
pub(super) fn alone(svg: &str) -> String {
    match svg.split_once('>') {
        Some((start, rest)) => format!("{start}>{ON_DARK}{rest}"),
        None => svg.to_owned(),
    }
}

/// A picture beside its meaning.
fn hidden(svg: &str) -> String {
    svg.replacen("<svg ", "<svg aria-hidden=\"true\" ", 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_of_its_own_has_the_colours_of_the_page() {
        let picture = "<svg xmlns=\"http://www.w3.org/2000/svg\"><text class=\"faint\">1</text></svg>\n";
        let image = alone(picture);
        assert!(image.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"><style>@media"), "{image}");
        assert!(image.ends_with("</style><text class=\"faint\">1</text></svg>\n"), "{image}");
        let sheet = include_str!("../../static/style.css");
        for (name, colour) in [("--ink", "#ece8de"), ("--faint", "#a9a294")] {
            assert!(sheet.contains(&format!("{name}: {colour};")) && image.contains(colour), "{name}");
        }
    }
}
