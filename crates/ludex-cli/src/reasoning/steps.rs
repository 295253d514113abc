//! Games in SDL: the rules as they are written, and all moves so far. So questions may be about any step until now, and
//! answers speak of steps as the rules do.

use std::collections::HashSet;
use std::sync::Arc;

use ludex::Position;
use ludex::gdl::{Checked, Dialect, HistoryProgram, Notation, Rulesheet, parse_terms};
use ludex::logic::derive::{Answers, Query};
use ludex::logic::{GroundAtom, IdVec, Pattern, RelationId, TermId};

use super::{Reasoning, StateArguments, refuse_errors, run_rules};
use crate::Context;
use crate::failure::Failure;
use crate::moves_text::{play_all, read_joint, text_or_file};
use crate::query_text::make_term;
use crate::rulesheet::ReadArguments;

/// Why no state of SDL is given by its facts.
pub const NO_FACTS_WITH_STEPS: &str =
    "in SDL a state is what the steps before it made: `--moves` leads there";

/// The steps of a game in SDL, of which only those that were reached can be asked about.
pub(super) struct Steps {
    /// Those that come after the last move.
    later: HashSet<TermId>,
    /// The last one that was reached.
    current: TermId,
    /// By relation: which argument is a step.
    argument: IdVec<RelationId, Option<usize>>,
}

impl Steps {
    /// The steps that the atoms of a query speak of.
    fn of_query<'q>(&self, query: &'q Query) -> Vec<&'q Pattern> {
        let mut found = Vec::new();
        query.formula.atoms(&mut |atom, _| {
            found.extend(self.argument[atom.relation].and_then(|place| atom.args.get(place)));
        });
        found
    }

    /// Leaves out the answers about steps that are still to come.
    pub(super) fn keep_reached(&self, query: &Query, answers: &mut Answers) {
        let asked = self.of_query(query);
        let is_step =
            |variable| asked.iter().any(|step| matches!(step, Pattern::Variable(v) if *v == variable));
        let columns: Vec<bool> = answers.variables.iter().map(|&variable| is_step(variable)).collect();
        answers.rows.retain(|row| {
            !row.iter().zip(&columns).any(|(term, &is_step)| is_step && self.later.contains(term))
        });
    }
}

impl Reasoning {
    /// Refuses to speak of steps that are still to come: what holds there depends on the moves until then.
    ///
    /// # Errors
    /// The query names such a step.
    pub fn refuse_later_steps(&self, query: &Query) -> Result<(), Failure> {
        let Some(steps) = &self.steps else { return Ok(()) };
        let is_later = |step: &&Pattern| step.ground().is_some_and(|step| steps.later.contains(&step));
        let Some(later) = steps.of_query(query).into_iter().find(is_later).and_then(Pattern::ground) else {
            return Ok(());
        };
        let message = format!(
            "step {} is still to come: after the moves so far it is step {}",
            self.text(later),
            self.text(steps.current)
        );
        Err(Failure::input(message).hint("`--moves` makes moves; in `ludex step` it is a number or a move"))
    }

    /// Makes the moves of a game in SDL.
    pub(super) fn in_steps(
        checked: Checked,
        read: &ReadArguments,
        state: &StateArguments,
        context: &Context,
    ) -> Result<Self, Failure> {
        if state.facts.is_some() {
            return Err(Failure::Usage(NO_FACTS_WITH_STEPS.into()));
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
        let HistoryProgram { game, steps, step_argument } =
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
        // After the last move it is the step after it, if there is one.
        let current = *steps.get(moves.len()).or(steps.last()).ok_or(Failure::Reported)?;
        let later = steps.iter().skip(moves.len() + 1);
        let later = later.copied().collect();
        let reasoning = Self::of(Arc::new(game), rulesheet.notation, atoms);
        Ok(Self { steps: Some(Steps { later, current, argument: step_argument }), ..reasoning })
    }
}
