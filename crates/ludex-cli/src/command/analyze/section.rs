//! The sections of `ludex analyze`: one file each, one entry each in [`SECTIONS`].

use std::fmt::Display;

use ludex::Game;
use ludex::analysis::Reason;
use ludex::analysis::factoring::Factors;
use ludex::analysis::fuzzy::FuzzyOptions;
use ludex::analysis::latches::{LatchEffort, Latches};
use ludex::game::State;
use ludex::logic::{Budget, GroundAtom};
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
    /// Whether it says something about a state, and not only about the game as a whole.
    pub of_states: bool,
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
    /// The state.
    pub state: &'a State,
    /// How goals are evaluated.
    pub fuzzy: &'a FuzzyRequest,
    /// The section's share of the time, the command's memory, the command's progress line.
    pub budget: Budget,
    /// How many threads may search.
    pub threads: usize,
    /// Where the answer will be shown: its width and whether it takes colours.
    pub console: &'a Console,
}

/// How goals are evaluated, and whose truth is asked for beside them.
#[derive(Debug)]
pub struct FuzzyRequest {
    /// The norm and its parameters.
    pub options: FuzzyOptions,
    /// Atoms.
    pub atoms: Vec<GroundAtom>,
}

impl Request<'_> {
    /// Whether the state is the one that the game begins in.
    pub fn is_initial(&self) -> bool {
        self.state == self.game.initial()
    }

    /// The game taken apart as it is from the state on.
    ///
    /// # Errors
    /// Where there is no net, it is too large, or the budget is spent.
    pub fn factors(&self) -> Result<Factors, Reason> {
        let subject = self.game.subject();
        if self.is_initial() {
            return Factors::find(subject, &self.budget);
        }
        let latches = Latches::find(subject, &LatchEffort::default(), &self.budget)?;
        let bits = latches.bits(&self.game.facts(self.state));
        Factors::find_in(&latches, &bits, &self.budget)
    }
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

    /// Says that nothing more is known, and why.
    pub fn undecided(&mut self, why: &dyn Display) {
        self.undecided = true;
        self.text(format!("undecided: {why}"));
        self.field("reason", why.to_string());
    }

    /// Adds a field for programs.
    pub fn field(&mut self, name: &str, value: impl Into<Value>) {
        self.json.insert(name.to_owned(), value.into());
    }
}
