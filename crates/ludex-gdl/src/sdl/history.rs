//! Rules with steps as they are written, for questions about any step so far.

use ludex_logic::{Formula, Id, IdVec, Pattern, Program, ProgramBuilder, RelationId, TermId};

use super::chain::{Chain, Facts};
use super::step_arguments::StepArguments;
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_leniently;
use crate::source::Span;
use crate::tree::Rulesheet;

/// A rulesheet in SDL (book 18) as a logic program with its steps: what holds on a step follows from it and from the moves
/// of the steps before, as facts of `does` with three arguments.
///
/// Clause `i` is item `i` of the rulesheet. Subgoals that say which step comes before which stand first in the bodies, so that
/// whoever goes from heads to bodies goes from later steps to earlier ones.
#[derive(Clone, Debug)]
pub struct HistoryProgram {
    /// The program; `true`, `does`, `sees`, `legal`, `goal` and `terminal` have the step as their last argument.
    pub game: GameProgram,
    /// The steps from the first one on, as terms of the program.
    pub steps: Vec<TermId>,
    /// By relation: which argument is the step that it speaks of, counted from 0; `None` where no state decides what holds of it.
    pub step_argument: IdVec<RelationId, Option<usize>>,
}

impl HistoryProgram {
    /// The program of a rulesheet that is read as SDL, or as SDL with percepts; `None` for other languages, and where the rules
    /// have no meaning.
    pub fn new(rulesheet: &Rulesheet, dialect: Dialect) -> Option<Self> {
        if !dialect.has_steps() || dialect.is_incomplete() {
            return None;
        }
        let lowered = lower_leniently(rulesheet, dialect);
        let is_whole = lowered.broken.iter().all(|&broken| !broken);
        let mut game = lowered.game;
        let (step, successor) =
            (game.program.find_relation("step", 1)?, game.program.find_relation("successor", 2)?);
        let facts =
            Facts::of(&game.program, &[step, successor], Span::default()).ok().filter(|_| is_whole)?;
        let steps = Chain::new(&game.program, &facts, step, successor, Span::default()).ok()?.steps;
        let arguments = StepArguments::new(&game);
        let relations = game.program.relations.entries();
        let step_argument = relations
            .map(|(relation, _)| arguments.current(relation).filter(|_| arguments.is_dynamic(relation)))
            .collect();
        game.program = steps_first(&game, &arguments);
        Some(Self { game, steps, step_argument })
    }
}

/// The program with the subgoals that relate steps in front.
fn steps_first(game: &GameProgram, arguments: &StepArguments) -> Program {
    let program = &game.program;
    let mut builder = ProgramBuilder::over(program);
    *builder.interface() = program.interface.clone();
    for clause in program.clauses.iter() {
        let mut clause = clause.clone();
        let is_step = arguments.variables_of(&clause);
        let relates = |relation: RelationId, args: &[Pattern]| {
            let step = |arg: &Pattern| matches!(arg, Pattern::Variable(v) if is_step[v.index()]);
            !arguments.is_dynamic(relation) && args.iter().any(step)
        };
        if let Formula::And(parts) = &mut clause.body {
            // The sort keeps the order of equals.
            parts.sort_by_key(
                |part| !matches!(part, Formula::Atom(atom) if relates(atom.relation, &atom.args)),
            );
        }
        builder.add(clause);
    }
    builder.finish()
}
