//! What can go wrong while deriving.

use crate::budget::LimitError;
use crate::ids::{ClauseId, RelationId};

/// Why a query has no answer, not even "no".
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DeriveError {
    /// A limit of the budget was reached.
    #[error(transparent)]
    Limit(#[from] LimitError),
    /// A negative literal or `distinct` still has variables when nothing else is left to do
    /// (book 13.6). `clause` is `None` for the query itself.
    #[error("the literal {literal} still has variables when it must be tested")]
    Floundering {
        /// The clause it stands in.
        clause: Option<ClauseId>,
        /// The literal as far as its variables are known.
        literal: String,
    },
    /// A rule or the query leaves a variable of its head without a value.
    #[error("{head} is derived with a variable that has no value")]
    NotGround {
        /// The rule; `None` for the query.
        clause: Option<ClauseId>,
        /// The head as far as its variables are known.
        head: String,
    },
    /// A relation depends on its own negation, so that there is no unique model.
    #[error("a relation depends on its own negation")]
    Unstratified {
        /// One such relation.
        relation: Option<RelationId>,
    },
    /// A formula is nested deeper than [`MAX_NESTING`](super::MAX_NESTING).
    #[error("a formula is nested too deeply")]
    TooDeep {
        /// The clause; `None` for the query.
        clause: Option<ClauseId>,
    },
    /// An atom has the wrong number of arguments, or a variable or relation is not of the program.
    #[error("the query does not fit the program")]
    Malformed,
}
