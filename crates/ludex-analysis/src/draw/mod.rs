//! Pictures of states: as text for a terminal, and as SVG.

mod canvas;
mod figures;
mod layout;
mod list;
mod panel;
mod picture;
mod piles;
mod short_moves;
mod spots;
mod svg;
mod text;
mod words;

use ludex_logic::TermId;

pub use picture::{Meaning, Picture, PictureStyle};
pub use spots::{NamedSpots, SpotName};

use crate::structure::{Owner, Structure};

/// How a state is drawn as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TextStyle {
    /// Whether pieces are coloured by side, with ANSI escape sequences.
    pub colour: bool,
    /// The width to keep to, in characters, as far as a board allows.
    pub width: usize,
}

impl TextStyle {
    /// Without colours, 80 characters wide.
    pub const PLAIN: Self = Self { colour: false, width: 80 };
    /// With ANSI colours, 80 characters wide.
    pub const ANSI: Self = Self { colour: true, width: 80 };
}

impl Default for TextStyle {
    fn default() -> Self {
        Self::PLAIN
    }
}

impl Structure {
    /// Draws a state, given by its facts, as lines of text: its boards side by side where they fit,
    /// then what the signs mean, and everything else as a list.
    ///
    /// Facts that no state was expected to hold are listed too, so nothing is ever left out.
    pub fn draw_text(&self, facts: &[TermId], style: &TextStyle) -> String {
        text::draw(self, facts, style)
    }

    /// Draws a state, given by its facts, as an SVG document of its own.
    pub fn draw_svg(&self, facts: &[TermId]) -> String {
        svg::draw(self, facts)
    }

    /// Draws a state, given by its facts, in parts that a page puts together: the boards as SVG, what signs
    /// mean, the facts on no board, and the same in words. With spots over the boards a page can let people
    /// click on what moves name ([`Self::spots_of`]).
    pub fn picture(&self, facts: &[TermId], style: &PictureStyle) -> Picture {
        svg::picture(self, facts, style)
    }
}

/// What a side is coloured by where its name is no colour: by its place among the roles.
const PALETTE: [&str; 8] = ["blue", "red", "green", "magenta", "orange", "teal", "purple", "yellow"];

/// The name of the colour to draw a side in.
fn colour_of(owner: &Owner) -> &str {
    match owner.name.as_str() {
        "light" => "white",
        "dark" => "black",
        "cyan" => "teal",
        name if crate::structure::COLOURS.contains(&name) => name,
        _ => PALETTE[owner.index % PALETTE.len()],
    }
}
