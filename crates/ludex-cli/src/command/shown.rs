//! A match on the screen.

use std::io::Write;
use std::sync::Arc;

use ludex::game::State;
use ludex::{Match, MatchStatus, MatchStep, Rules};

use crate::Context;
use crate::failure::Failure;
use crate::picture::Picture;

/// How the match is shown.
pub struct Shown {
    /// What draws the states; nothing of them is shown where it is missing.
    pub picture: Option<Arc<Picture>>,
    /// Nobody at the table could see too much.
    pub alone: bool,
}

impl Shown {
    /// Shows a state.
    pub fn state(&self, game: &Rules, state: &State, context: &mut Context) -> Result<(), Failure> {
        let Some(picture) = self.picture.as_ref().filter(|_| self.alone) else { return Ok(()) };
        context.console.write_all(picture.draw(game, state).as_bytes())?;
        Ok(())
    }

    /// Shows the moves of a step, the first of which has the number 1, and what went wrong.
    pub fn moves(
        &self,
        game: &Rules,
        number: usize,
        step: &MatchStep,
        context: &mut Context,
    ) -> Result<(), Failure> {
        if self.picture.is_none() {
            return Ok(());
        }
        let moves = || -> Vec<String> {
            let each = game.roles().zip(&step.joint);
            each.map(|(role, &action)| format!("{} {}", game.role_name(role), game.text(action))).collect()
        };
        let console = &mut context.console;
        if self.alone {
            let number = console.bold(&format!("step {number}"));
            writeln!(console, "\n{number}  {}", moves().join(", "))?;
            for (role, percepts) in game.roles().zip(&step.percepts) {
                if !percepts.is_empty() {
                    let line = format!("{} sees {}", game.role_name(role), game.texts(percepts).join(", "));
                    writeln!(console, "{}", console.dim(&line))?;
                }
            }
        } else if self.is_open(game) {
            writeln!(console, "{}", console.dim(&format!("made: {}", moves().join(", "))))?;
        }
        for (role, fault) in game.roles().zip(&step.faults) {
            if let Some(fault) = fault {
                writeln!(console, "{}: {fault}; a random move was made", game.role_name(role))?;
            }
        }
        Ok(())
    }

    /// In games of complete information everybody may know everybody's moves; a human is shown the board
    /// when asked.
    pub fn is_open(&self, game: &Rules) -> bool {
        self.alone || !game.dialect().has_percepts()
    }

    /// Shows how the match ended; `left` where a person had enough.
    pub fn result(&self, referee: &Match, left: bool, context: &mut Context) -> Result<(), Failure> {
        let game = referee.rules();
        let console = &mut context.console;
        if let Some(picture) = self.picture.as_ref().filter(|_| !self.alone && !left) {
            writeln!(console)?;
            console.write_all(picture.draw(game, referee.history().state()).as_bytes())?;
        }
        let steps = referee.steps().len();
        let plural = if steps == 1 { "" } else { "s" };
        if self.picture.is_some() {
            writeln!(console)?;
        }
        match referee.status() {
            MatchStatus::Completed => {
                let goals: Vec<String> = game
                    .seats()
                    .into_iter()
                    .map(|role| {
                        let goal = referee.goals().get(role.index()).copied().flatten();
                        let goal = goal.map_or_else(|| "no single goal value".into(), |g| g.to_string());
                        format!("{} {goal}", game.role_name(role))
                    })
                    .collect();
                let result = console.bold(&format!("Result after {steps} step{plural}:"));
                writeln!(console, "{result} {}", goals.join(", "))?;
            }
            MatchStatus::Aborted(cause) if left => writeln!(console, "The match ended early: {cause}")?,
            MatchStatus::Aborted(cause) => {
                writeln!(console, "The match ended early after {steps} step{plural}: {cause}")?;
            }
            MatchStatus::Settled(settlement) => {
                let words = referee.in_words(*settlement);
                writeln!(console, "The match ended after {steps} step{plural}: {words}")?;
            }
            MatchStatus::Running => {}
        }
        if let Some(rewards) = referee.seat_rewards() {
            let each = game.seats().into_iter().zip(rewards);
            let each =
                each.filter_map(|(role, reward)| Some(format!("{} {:.1}", game.role_name(role), reward?)));
            writeln!(console, "less the time taken: {}", each.collect::<Vec<_>>().join(", "))?;
        }
        Ok(())
    }
}
