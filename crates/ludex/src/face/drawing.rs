//! Pictures of states.

use ludex_analysis::{Structure, TextStyle};
use ludex_game::State;

use super::Game;

impl Game {
    /// The boards of the game, found the first time somebody asks.
    pub fn structure(&self) -> &Structure {
        let find = || Structure::find(self.program(), &**self.machine(), self.question_budget());
        self.0.structure.get_or_init(find)
    }

    /// Draws a state as lines of text: its boards, what the signs mean, and everything else as a list.
    ///
    /// ```
    /// use ludex::analysis::TextStyle;
    /// use ludex::{Game, GameOptions};
    ///
    /// let game = Game::bundled("tic-tac-toe", &GameOptions::default())?;
    /// let mut position = game.start();
    /// position.play(&["(mark 2 2)", "noop"])?;
    /// let picture = game.draw_text(position.state(), &TextStyle::PLAIN);
    /// assert!(picture.lines().any(|line| line.contains(" x ")), "{picture}");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn draw_text(&self, state: &State, style: &TextStyle) -> String {
        self.structure().draw_text(&self.facts(state), style)
    }

    /// Draws a state as an SVG document.
    pub fn draw_svg(&self, state: &State) -> String {
        self.structure().draw_svg(&self.facts(state))
    }
}
