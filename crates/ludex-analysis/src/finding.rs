//! What an analysis says: proved, refuted with a witness, or undecided.

use ludex_game::{MoveError, Position, Rules};
use ludex_logic::{LimitError, TermId};

use crate::sat::UnrollError;

/// The answer to a question about a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Finding<T = ()> {
    /// It holds, with what there is to say of it.
    Proved(T),
    /// It does not hold, as this course of the game shows.
    Refuted(Witness),
    /// Not known.
    Undecided(Reason),
}

impl<T> Finding<T> {
    /// Whether it is known to hold.
    pub fn is_proved(&self) -> bool {
        matches!(self, Finding::Proved(_))
    }

    /// Whether it is known not to hold.
    pub fn is_refuted(&self) -> bool {
        matches!(self, Finding::Refuted(_))
    }

    /// Whether it is not known.
    pub fn is_undecided(&self) -> bool {
        matches!(self, Finding::Undecided(_))
    }

    /// What was proved.
    pub fn proved(&self) -> Option<&T> {
        if let Finding::Proved(value) = self { Some(value) } else { None }
    }

    /// What refutes it.
    pub fn witness(&self) -> Option<&Witness> {
        if let Finding::Refuted(witness) = self { Some(witness) } else { None }
    }

    /// One word for people and programs: `proved`, `refuted` or `undecided`.
    pub fn word(&self) -> &'static str {
        match self {
            Finding::Proved(_) => "proved",
            Finding::Refuted(_) => "refuted",
            Finding::Undecided(_) => "undecided",
        }
    }

    /// The same finding about something else.
    pub fn map<U>(self, map: impl FnOnce(T) -> U) -> Finding<U> {
        match self {
            Finding::Proved(value) => Finding::Proved(map(value)),
            Finding::Refuted(witness) => Finding::Refuted(witness),
            Finding::Undecided(reason) => Finding::Undecided(reason),
        }
    }
}

/// Why something is not known.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// A limit of the budget was reached.
    #[error("{0}")]
    Limit(#[from] LimitError),
    /// The solver met more conflicts than one question may cost.
    #[error("the solver gave up after {conflicts} conflicts")]
    Conflicts {
        /// The limit.
        conflicts: u64,
    },
    /// More states than may be kept.
    #[error("there are more than {states} states")]
    States {
        /// The limit.
        states: u64,
    },
    /// The rules cannot be made a net, which the proof would need.
    #[error("{0}")]
    NoNet(String),
    /// The methods there are decide it neither way.
    #[error("{0}")]
    Method(String),
}

impl From<UnrollError> for Reason {
    fn from(error: UnrollError) -> Self {
        match error {
            UnrollError::Limit(limit) => Reason::Limit(limit),
            other => Reason::Method(other.to_string()),
        }
    }
}

/// A course of a game that shows something: it replays on the rules.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Witness {
    /// The joint moves from the initial state on, each indexed by role.
    pub steps: Vec<Vec<TermId>>,
}

impl Witness {
    /// The position at its end.
    ///
    /// # Errors
    /// When a move is not legal where it is made, so that this is no witness of this game.
    pub fn replay(&self, rules: &Rules) -> Result<Position, MoveError> {
        let mut position = rules.start();
        for step in &self.steps {
            position.advance(step)?;
        }
        Ok(position)
    }

    /// Each joint move as the rulesheet would write it.
    pub fn texts(&self, rules: &Rules) -> Vec<Vec<String>> {
        self.steps.iter().map(|step| rules.texts(step)).collect()
    }
}
