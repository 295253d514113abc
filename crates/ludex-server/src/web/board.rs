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

/// A picture beside its meaning.
fn hidden(svg: &str) -> String {
    svg.replacen("<svg ", "<svg aria-hidden=\"true\" ", 1)
}
