//! Questions about games whose rules are sentences that may leave things open (book 19).

mod answers;
mod arguments;
mod plan;
mod shown;
mod texts;

use std::sync::Arc;

use ludex::game::incomplete::{IncompleteError, IncompleteGame};
use ludex::gdl::{Checked, GameSentences, Severity};
use ludex::logic::relational::{GroundingError, GroundingOptions, StatedSentence};

use crate::Context;
use crate::failure::Failure;
use crate::rulesheet::{is_part, show_errors};

pub use answers::{Asked, query, why};
pub use arguments::SightArguments;
pub use plan::{PlanArguments, plan};
pub use shown::show;

/// The sentences of a rulesheet, if it has sentences in place of rules. Some that are no whole game will do.
///
/// # Errors
/// They have errors.
pub fn sentences_of(checked: &Checked, context: &Context) -> Result<Option<Arc<GameSentences>>, Failure> {
    if !checked.dialect.is_incomplete() {
        return Ok(None);
    }
    // That sentences contradict each other is an answer of its own.
    let contradiction = ludex::gdl::Check::find("contradiction").map(|check| check.code);
    let mut errors = checked.diagnostics.iter().filter(|found| found.severity == Severity::Error);
    let is_fine = errors.all(|found| Some(found.code) == contradiction) || is_part(checked);
    match &checked.sentences {
        Some(sentences) if is_fine => Ok(Some(Arc::clone(sentences))),
        _ => {
            show_errors(checked, context);
            Err(Failure::Reported)
        }
    }
}

/// Gets sentences ready to be asked; `each_alone` where reasons are wanted.
///
/// # Errors
/// There is no finite universe; a limit.
pub fn game_of(
    sentences: &Arc<GameSentences>,
    questions: &[StatedSentence],
    each_alone: bool,
    context: &Context,
) -> Result<IncompleteGame, Failure> {
    let options = GroundingOptions { each_alone, budget: context.limits.budget().clone() };
    Ok(IncompleteGame::new(Arc::clone(sentences), questions, &options)?)
}

impl From<IncompleteError> for Failure {
    fn from(error: IncompleteError) -> Self {
        match error {
            IncompleteError::Limit(limit) | IncompleteError::Grounding(GroundingError::Limit(limit)) => {
                limit.into()
            }
            IncompleteError::TooManyWorlds { .. } => {
                Failure::input(error.to_string()).hint("`--worlds` allows for more")
            }
            other => Failure::input(other.to_string()),
        }
    }
}
