//! A picture in parts, for pages.

use ludex_logic::TermId;

use super::spots::SpotName;

/// What a picture for a page has beside what is on the boards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PictureStyle {
    /// Whether there is a transparent shape of the class `spot` over each spot of a board, whose
    /// attribute `data-spot` is a [`SpotName`] and whose `aria-label` says what the spot is called and what
    /// is on it.
    pub spots: bool,
    /// Spots that are marked under what is on them, such as those of the last move.
    pub marked: Vec<SpotName>,
    /// Whether boards are drawn from their other side, half a turn around; see
    /// [`Structure::is_turned_for`](crate::Structure::is_turned_for).
    pub turned: bool,
    /// Facts that may hold beside those that are drawn, for somebody who does not know all of them: cards of which it is
    /// not known which they are lie face down.
    pub possible: Vec<TermId>,
}

/// A state as a page shows it. Nothing of it has colours of the page: what stands beside squares is of the
/// class `ink`, `faint` or `ink-line`, so that a style sheet can say otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Picture {
    /// The boards side by side, as an SVG document; empty where the game has none.
    pub boards: String,
    /// The width that the boards were drawn for, in pixels.
    pub width: u32,
    /// What those signs mean that do not speak for themselves, by name.
    pub legend: Vec<Meaning>,
    /// The facts on no board: a relation, and what it holds of. Facts without arguments stand together,
    /// under no name.
    pub facts: Vec<(String, Vec<String>)>,
    /// What the boards show, in words: a thing, and where it is. Empty spots are left out.
    pub words: Vec<(String, Vec<String>)>,
}

/// What a sign on a board means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The sign, as an SVG document.
    pub sign: String,
    /// What it stands for.
    pub name: String,
}
