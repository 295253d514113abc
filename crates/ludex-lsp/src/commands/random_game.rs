//! A game played at random.

use ludex::Game;
use ludex::analysis::TextStyle;
use ludex::game::Rng;
use ludex::logic::Budget;

use super::{CommandOptions, Outcome};
use crate::board::at_random;
use crate::prepared::Made;

/// A game is broken off after so many joint moves.
const LONGEST: usize = 1_000;

/// Plays until the game is over.
pub(super) fn play(
    game: &Game,
    made: &Made,
    options: &CommandOptions,
    budget: &Budget,
) -> Result<Outcome, String> {
    let rules = game.rules().within(budget.clone());
    let mut rng = Rng::from_seed(options.seed.unwrap_or(1));
    let mut position = rules.start();
    let mut ended_by = None;
    loop {
        if position.step() >= LONGEST {
            ended_by = Some(format!("broken off after {LONGEST} moves"));
            break;
        }
        budget.report("moves", position.step() as u64, None);
        match at_random(&mut position, &mut rng) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => {
                ended_by = Some(error);
                break;
            }
        }
    }
    let moves: Vec<Vec<String>> = position.joints().iter().map(|joint| rules.texts(joint)).collect();
    let mut lines: Vec<String> =
        moves.iter().enumerate().map(|(step, joint)| format!("{}. {}", step + 1, joint.join("  "))).collect();
    let facts = position.facts();
    lines.push(String::new());
    lines.push(made.structure.draw_text(&facts, &TextStyle::PLAIN).trim_end().to_owned());
    lines.push(String::new());
    match ended_by {
        Some(why) => lines.push(why),
        None => {
            let goals = position.goals().map_err(|error| error.to_string())?;
            for (role, goal) in rules.role_names().into_iter().zip(goals) {
                let value = goal.map_or_else(|| "no single goal value".to_owned(), |goal| goal.to_string());
                lines.push(format!("{role}: {value}"));
            }
        }
    }
    let mut outcome = Outcome::new(format!("{}: a random game", rules.short_name()), lines.join("\n"));
    outcome.svg = Some(made.structure.draw_svg(&facts));
    outcome.moves = moves;
    Ok(outcome)
}
