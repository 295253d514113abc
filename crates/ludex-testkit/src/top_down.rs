//! Top-down derivation as a way of answering queries.

use ludex_game::{Answer, GameError};
use ludex_gdl::GameProgram;
use ludex_logic::derive::{Derivations, DeriveError, Query};
use ludex_logic::{Atom, Budget, Formula, GroundAtom, IdVec, Pattern, RelationId, TermId};

use crate::reference::{ReferenceMachine, Semantics};

/// Answers by deriving backwards from the query (book chapter 13).
#[derive(Clone, Debug)]
pub struct TopDown {
    /// What one query may spend.
    pub budget: Budget,
}

impl Semantics for TopDown {
    fn rows(
        &self,
        game: &GameProgram,
        given: &[GroundAtom],
        relation: RelationId,
    ) -> Answer<Vec<Box<[TermId]>>> {
        let program = &game.program;
        let mut variables = IdVec::new();
        let names = 0..program.relations[relation].arity;
        let args = names
            .map(|i| Pattern::Variable(variables.push(program.terms.symbol(&format!("x{i}")))))
            .collect();
        let query = Query { formula: Formula::Atom(Atom { relation, args }), variables };
        let answers = Derivations::new(program, given)
            .and_then(|mut derivations| derivations.answers(&query, &mut self.budget.meter()));
        match answers {
            Ok(answers) => Ok(answers.rows),
            Err(DeriveError::Limit(limit)) => Err(GameError::Limit(limit)),
            Err(error) => Err(GameError::Unrunnable { reason: error.to_string() }),
        }
    }
}

/// A machine by top-down derivation; `budget` holds for each question.
///
/// # Errors
/// [`GameError`] where the initial state cannot be found.
pub fn top_down_machine(game: &GameProgram, budget: &Budget) -> Answer<ReferenceMachine<TopDown>> {
    ReferenceMachine::new(game, TopDown { budget: budget.clone() })
}
