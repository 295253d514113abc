//! What random games never use.

use ludex::Game;
use ludex::analysis::coverage::{CoverageRecorder, PartKind};
use ludex::gdl::Span;
use ludex::logic::Budget;

use super::{CommandOptions, Outcome};

/// So many random games where nothing else is said.
const GAMES: u32 = 200;
/// So many things of one kind are named.
const SHOWN: usize = 20;

/// A part of the text that was never used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unused {
    /// Where it is written.
    pub span: Span,
    /// What is said of it.
    pub message: String,
}

/// Plays random games and looks at what is used. What a limit leaves of them is said.
pub(super) fn coverage(game: &Game, options: &CommandOptions, budget: &Budget) -> Result<Outcome, String> {
    let rules = game.rules().within(budget.clone());
    let mut recorder = CoverageRecorder::new(&rules, budget).map_err(|error| error.to_string())?;
    let games = options.games.unwrap_or(GAMES).min(1_000_000);
    let limit = recorder.note_random_games(games, options.seed.unwrap_or(1)).err();
    let found = recorder.coverage();
    let source = rules.source();
    let mut lines = Vec::new();
    let mut marks = Vec::new();
    for part in found.parts.iter().filter(|part| !part.is_used) {
        let what = match part.kind {
            PartKind::Rule => "rule",
            PartKind::Alternative => "alternative",
        };
        let message = format!("this {what} was never used in {} positions of random games", found.positions);
        marks.push(Unused { span: part.span, message });
        if lines.len() < SHOWN {
            let line = source.position(part.span.start as usize).line;
            let text = source.slice(part.span).split_whitespace().take(20).collect::<Vec<_>>().join(" ");
            lines.push(format!("never used, line {line}: {text}"));
        }
    }
    if marks.len() > SHOWN {
        lines.push(format!("and {} more", marks.len() - SHOWN));
    }
    for role in rules.roles() {
        let unmade = found.moves.iter().filter(|action| action.role == role && !action.was_made);
        let texts: Vec<String> = unmade.map(|action| rules.text(action.action)).collect();
        if !texts.is_empty() {
            let more = texts.len().saturating_sub(SHOWN);
            let more = if more > 0 { format!(" and {more} more") } else { String::new() };
            let few: Vec<String> = texts.into_iter().take(SHOWN).collect();
            lines.push(format!("never made by {}: {}{more}", rules.role_name(role), few.join(", ")));
        }
    }
    let used = found.parts.len() - marks.len();
    lines.push(format!(
        "{used} of {} rules and alternatives used in {} positions",
        found.parts.len(),
        found.positions
    ));
    if let Some(limit) = limit {
        lines.push(format!("fewer games than were asked for: {limit}"));
    }
    let mut outcome =
        Outcome::new(format!("{}: coverage of random games", rules.short_name()), lines.join("\n"));
    outcome.unused = Some(marks.len());
    outcome.marks = marks;
    Ok(outcome)
}
