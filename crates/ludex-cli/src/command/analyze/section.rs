//! The sections of `ludex analyze`: one file each, one entry each in [`SECTIONS`].

use ludex::Game;
use ludex::logic::Budget;
use serde_json::{Map, Value};

use super::{boards, factors, goals, latches, structure, symmetries, well_formed};
use crate::console::Console;

/// One of the questions that `ludex analyze` answers.
pub struct Section {
    /// What `--only` and JSON call it.
    pub name: &'static str,
    /// Its heading.
    pub title: &'static str,
    /// What it says, for `--list`.
    pub about: &'static str,
    /// Answers.
    pub run: fn(&Request<'_>) -> Report,
}

/// All sections, in the order in which they are shown.
pub const SECTIONS: &[Section] = &[
    well_formed::SECTION,
    structure::SECTION,
    boards::SECTION,
    symmetries::SECTION,
    latches::SECTION,
    factors::SECTION,
    goals::SECTION,
];

/// What a section is asked about, and what it may use.
pub struct Request<'a> {
    /// The game. Its net for proofs ([`Game::subject`]) is shared by all sections.
    pub game: &'a Game,
    /// The section's share of the time, the command's memory, the command's progress line.
    pub budget: Budget,
    /// How many threads may search.
    pub threads: usize,
    /// Where the answer will be shown: its width and whether it takes colours.
    pub console: &'a Console,
}

/// What a section answers.
#[derive(Debug, Default)]
pub struct Report {
    /// For people: lines without line breaks, shown under the title, two blanks further in.
    pub lines: Vec<String>,
    /// For programs: the fields of the section's object. `undecided` is added.
    pub json: Map<String, Value>,
    /// Whether something could not be decided within the budget.
    pub undecided: bool,
}

impl Report {
    /// Adds lines of a text for people.
    pub fn text(&mut self, text: impl AsRef<str>) {
        self.lines.extend(text.as_ref().lines().map(str::to_owned));
    }

    /// Adds a field for programs.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.json.insert(name.to_owned(), value.into());
    }
}
