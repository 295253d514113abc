//! A version of a rulesheet, ready to run: made when somebody first asks, and kept while nothing changes the game.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use ludex::analysis::Structure;
use ludex::gdl::{Checked, Severity, same_rules};
use ludex::logic::Budget;
use ludex::{Engine, GameOptions, Playable, SystemClock};

/// How long one question about a state may take.
const QUESTION: Duration = Duration::from_secs(5);
/// The memory that rules and states of one game may use.
const MEMORY: usize = 1 << 30;

/// The rules of one version.
#[derive(Debug)]
pub struct Prepared {
    checked: Arc<Checked>,
    made: Mutex<Option<Made>>,
}

/// What there is of a game.
#[derive(Clone, Debug)]
pub struct Made {
    /// The game.
    pub game: Playable,
    /// How its states are drawn.
    pub structure: Arc<Structure>,
}

impl Prepared {
    /// Nothing is made yet.
    pub fn new(checked: Arc<Checked>) -> Self {
        Self { checked, made: Mutex::new(None) }
    }

    /// What was read.
    pub fn checked(&self) -> &Arc<Checked> {
        &self.checked
    }

    /// Whether another version is the same game with the same pictures, so that this serves it as well.
    pub fn serves(&self, other: &Checked) -> bool {
        let own = &self.checked;
        let has_findings = |checked: &Checked| checked.has_errors() || checked.game.is_none();
        let is_same_name = own.rulesheet.source.name() == other.rulesheet.source.name();
        let is_same = is_same_name
            && own.dialect == other.dialect
            && own.rulesheet.notation == other.rulesheet.notation;
        is_same
            && !has_findings(own)
            && !has_findings(other)
            && hints(own) == hints(other)
            && same_rules(&own.rulesheet, &other.rulesheet)
    }

    /// The game, within a budget. What failed is tried again the next time.
    ///
    /// # Errors
    /// Why there is no game, in a sentence.
    pub fn made(&self, budget: &Budget) -> Result<Made, String> {
        let mut place = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(made) = &*place {
            return Ok(made.clone());
        }
        if let Some(error) = self.checked.diagnostics.iter().find(|d| d.severity == Severity::Error) {
            let line = self.checked.rulesheet.source.position(error.span.start as usize).line;
            return Err(format!("line {line}: {}", error.message));
        }
        if self.checked.game.is_none() {
            let why = self.checked.not_runnable.as_ref();
            return Err(why.map_or_else(|| "the rules are no game".to_owned(), |why| why.message.clone()));
        }
        let budget = budget.clone().with_memory(MEMORY);
        let question_budget =
            Budget::unlimited().with_memory(MEMORY).with_time_each(Arc::new(SystemClock::start()), QUESTION);
        let options = GameOptions {
            engine: Engine::Rules,
            hasty: true,
            budget: budget.clone(),
            question_budget,
            ..GameOptions::default()
        };
        let game =
            Playable::from_checked((*self.checked).clone(), &options).map_err(|error| error.to_string())?;
        let structure = match &game {
            Playable::InSteps(game) => Structure::find(game.program(), &**game.machine(), &budget),
            Playable::InTime(rules) => {
                let program = rules.program().ok_or("the rules have no program")?;
                Structure::find_in_time(program, &**rules.machine(), &budget)
            }
        };
        // Boards that were looked for in too little time are looked for again.
        let made = Made { game, structure: Arc::new(structure) };
        if budget.meter().check().is_ok() {
            *place = Some(made.clone());
        }
        Ok(made)
    }
}

/// The comments that say how states are drawn.
fn hints(checked: &Checked) -> Vec<&str> {
    let source = &checked.rulesheet.source;
    let comments = checked.rulesheet.comments.iter().map(|comment| source.slice(comment.span));
    comments.filter(|text| text.contains("ludex:")).collect()
}
