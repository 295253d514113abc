//! States as people see them.

use ludex::Rules;
use ludex::analysis::{Board, Structure, TextStyle};
use ludex::game::State;
use ludex::logic::{Budget, TermId};

use crate::Context;
use crate::console::Console;

/// What is needed to draw the states of one game.
pub struct Picture {
    structure: Structure,
    style: TextStyle,
}

impl Picture {
    /// Finds the boards of a game.
    pub fn new(game: &Rules, context: &Context) -> Self {
        Self::within(game, context.limits.budget(), &context.console)
    }

    /// Finds the boards of a game within a budget, to be drawn for a console.
    pub fn within(game: &Rules, budget: &Budget, console: &Console) -> Self {
        let structure = Structure::find(game.program(), &**game.machine(), budget);
        Self { structure, style: style(console) }
    }

    /// The boards, the most important one first.
    pub fn boards(&self) -> &[Board] {
        self.structure.boards()
    }

    /// What is wrong with the author's hints about pictures.
    pub fn remarks(&self) -> &[String] {
        self.structure.remarks()
    }

    /// Draws a state; the text ends in a line break.
    pub fn draw(&self, game: &Rules, state: &State) -> String {
        self.draw_facts(&game.facts(state))
    }

    /// Draws what is known of a state.
    pub fn draw_facts(&self, facts: &[TermId]) -> String {
        let text = self.structure.draw_text(facts, &self.style);
        format!("{}\n", text.trim_end())
    }

    /// Draws a state as an SVG document.
    pub fn svg(&self, game: &Rules, state: &State) -> String {
        self.structure.draw_svg(&game.facts(state))
    }
}

/// How text is drawn for a console.
pub fn style(console: &Console) -> TextStyle {
    TextStyle { colour: console.color, width: console.width() }
}
