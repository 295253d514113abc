//! Games in SDL: the rules as they are written, and all moves so far. So questions may be about any step until now, and
//! answers speak of steps as the rules do.

use std::sync::Arc;

use ludex::Position;
use ludex::gdl::{Checked, Dialect, HistoryProgram, Notation, Rulesheet, parse_terms};
use ludex::logic::{GroundAtom, TermId};

use super::{Reasoning, StateArguments, refuse_errors, run_rules};
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::{play_all, read_joint, text_or_file};
use crate::query_text::make_term;
use crate::rulesheet::ReadArguments;

impl Reasoning {
    /// Makes the moves of a game in SDL.
    pub(super) fn in_steps(
        checked: Checked,
        read: &ReadArguments,
        state: &StateArguments,
        context: &Context,
    ) -> Result<Self, Failure> {
        if state.facts.is_some() {
            return Err(Failure::Usage(
                "in SDL a state is what the steps before it made: `--moves` leads there".into(),
            ));
        }
        if state.moves.is_none() && state.does.is_none() {
            refuse_errors(&checked, context)?;
            return Self::over(&checked.rulesheet, checked.dialect, &[]);
        }
        let game = run_rules(checked, read, context)?;
        let mut position = game.start();
        if let Some(moves) = &state.moves {
            play_all(&mut position, &text_or_file(moves, &context.limits)?)?;
        }
        let joint =
            state.does.as_ref().map(|does| read_joint(&position, does, &context.limits)).transpose()?;
        Self::of_steps(&position, joint.as_deref())
    }

    /// What can be asked in a position of a game in SDL, and of all steps before it; perhaps with a joint move that is
    /// made there.
    ///
    /// # Errors
    /// There are more steps than the rules have.
    pub fn of_steps(position: &Position, joint: Option<&[TermId]>) -> Result<Self, Failure> {
        let rules = position.rules();
        let terms = &rules.program().program.terms;
        let text = |term: TermId| terms.written_within(term, Notation::Prefix, u64::MAX);
        let joints = position.joints();
        let moves: Vec<Vec<(String, String)>> = joints
            .iter()
            .map(Vec::as_slice)
            .chain(joint)
            .map(|joint| {
                rules
                    .signature()
                    .roles()
                    .iter()
                    .zip(joint)
                    .map(|(&role, &action)| (text(role), text(action)))
                    .collect()
            })
            .collect();
        Self::over(rules.rulesheet(), rules.dialect(), &moves)
    }

    /// The rules with the roles and moves of each step, in prefix notation.
    fn over(
        rulesheet: &Rulesheet,
        dialect: Dialect,
        moves: &[Vec<(String, String)>],
    ) -> Result<Self, Failure> {
        // Rules without a meaning were refused before.
        let HistoryProgram { game, steps } =
            HistoryProgram::new(rulesheet, dialect).ok_or(Failure::Reported)?;
        let mut atoms = Vec::new();
        for (number, moves) in moves.iter().enumerate() {
            let step = *steps.get(number).ok_or_else(|| Failure::input("there are more moves than steps"))?;
            for (role, action) in moves {
                let read = |text: &str| {
                    let (tree, nodes) =
                        parse_terms(text, Some(Notation::Prefix)).map_err(|_| Failure::Reported)?;
                    nodes.first().map(|&node| make_term(&game, &tree, node)).ok_or(Failure::Reported)?
                };
                let args = [read(role)?, read(action)?, step].into();
                atoms.push(GroundAtom { relation: game.vocabulary.does, args });
            }
        }
        Ok(Self::of(Arc::new(game), rulesheet.notation, atoms))
    }
}
