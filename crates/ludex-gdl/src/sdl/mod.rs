//! SDL, games with a memory (book 18), as games of GDL.
//!
//! A rule of SDL may speak of any step before its own. Each relation loses its step: it is about the present state, by
//! induction over the chain of steps. What a rule asks of earlier steps becomes facts of the state, and rules of `next` see to
//! them:
//!
//! - `previous(A)`: A was so one step before (and `previous(previous(A))` two steps before),
//! - `once(A)`: A was so at some step before,
//! - `past(A,S)`: A was so at step S.
//!
//! A relation that is carried on from step to step (`moved(P,N) :- moved(P,M) & successor(M,N)`) is so a fact that stays. The fact
//! `step(N)` says which step it is, and the game is over on the last one. What is so on the next step is `next`; where a rule asks
//! for something on the very step of a fact, there is a version of it for the next state (and for the first one).
//!
//! A percept of a step is told with that step, unless it depends on the moves of the step: then it is told after them, as in
//! GDL-II. There are none of the first step, which everybody knows by the rules.
//!
//! How the steps of a rule lie to each other is worked out from the relations that no state decides: their instances bound the
//! differences of steps ([`distances`]).

mod chain;
mod conversion;
mod distances;
mod generated;
mod history;
mod memory;
mod names;
mod placed_rule;
mod placement;
mod rule;
mod step_arguments;
#[cfg(test)]
mod tests;
mod writer;

use ludex_logic::{Atom, Id, Pattern, RelationId};
use rustc_hash::FxHashSet;

use self::chain::{Chain, Facts};
use self::conversion::Conversion;
use self::distances::Order;
pub use self::history::HistoryProgram;
use self::names::Names;
use self::rule::Rule;
use self::step_arguments::StepArguments;
use self::writer::Writer;
use crate::check::registry::{GIVEN_IN_HEAD, STEP_CHAIN, WITHOUT_STEP};
use crate::check::{check_with_steps, check_without_steps};
use crate::diagnostic::{Diagnostic, Severity};
use crate::game_program::{Dialect, GameProgram};
use crate::lower::lower_leniently;
use crate::source::Span;
use crate::tree::Rulesheet;

/// The rules of a game in SDL without steps. Places are those of the rulesheet in SDL.
pub(crate) struct WithoutSteps {
    /// The rules that the author wrote, followed by those that see to the state's memory.
    pub rulesheet: Rulesheet,
    /// So many are the author's.
    pub written: usize,
    pub diagnostics: Vec<Diagnostic>,
    /// The relations that no author wrote, each with the one that it is a version of.
    pub versions: Vec<(String, String)>,
}

/// What a rulesheet in SDL is as a game of GDL.
pub(crate) struct Lowered {
    /// The game, where the rules have a meaning.
    pub game: Option<GameProgram>,
    /// What was found out while the rules were read.
    pub diagnostics: Vec<Diagnostic>,
    /// What the checks found.
    pub findings: Vec<Diagnostic>,
}

/// Reads rules with steps, and checks them as they are written and without their steps.
pub(crate) fn lower(rulesheet: &Rulesheet, dialect: Dialect) -> Lowered {
    let written = lower_leniently(rulesheet, dialect);
    let mut diagnostics = written.diagnostics;
    let mut findings = check_with_steps(rulesheet, &written.game, &written.broken);
    if written.broken.iter().any(|&broken| broken) {
        return Lowered { game: None, diagnostics, findings };
    }
    let has_errors = findings.iter().any(|found| found.severity == Severity::Error);
    let without = match without_steps(rulesheet, &written.game) {
        Ok(without) => without,
        Err(errors) => {
            // What is wrong with a clause itself explains what follows from it.
            let wrong = |found: &&Diagnostic| found.severity == Severity::Error;
            let is_known =
                |error: &Diagnostic| findings.iter().filter(wrong).any(|found| found.span == error.span);
            diagnostics.extend(errors.into_iter().filter(|error| !is_known(error)));
            return Lowered { game: None, diagnostics, findings };
        }
    };
    diagnostics.extend(without.diagnostics);
    let plain = if dialect.has_percepts() { Dialect::GdlII } else { Dialect::Gdl };
    let mut lowered = lower_leniently(&without.rulesheet, plain);
    if !has_errors {
        let mut found = check_without_steps(&without.rulesheet, &lowered.game, &lowered.broken);
        found.iter_mut().for_each(|found| in_words_of_author(found, &without.versions));
        findings.extend(found);
    }
    lowered.game.dialect = dialect;
    Lowered { game: Some(lowered.game), diagnostics, findings }
}

/// Rules without steps, of a program that was lowered with them.
///
/// # Errors
/// What is wrong with the steps.
pub(crate) fn without_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
) -> Result<WithoutSteps, Vec<Diagnostic>> {
    let program = &game.program;
    let start = rulesheet.items.first().map_or(Span::default(), |item| item.span);
    // Lowering has declared both.
    let (Some(step), Some(successor)) =
        (program.find_relation("step", 1), program.find_relation("successor", 2))
    else {
        return Err(Vec::new());
    };
    let arguments = StepArguments::new(game);
    let place = |relation: RelationId| {
        let found = program.clauses.iter().position(|clause| clause.head.relation == relation);
        found.and_then(|at| rulesheet.items.get(at)).map_or(start, |item| item.span)
    };
    for relation in [step, successor] {
        if arguments.is_dynamic(relation) {
            let message = format!(
                "`{}` depends on what holds on a step, which it must not",
                program.relation_name(relation)
            );
            return Err(vec![STEP_CHAIN.at(place(relation), message)]);
        }
    }
    without_init_and_next(rulesheet, game)?;
    with_steps(rulesheet, game, &arguments)?;
    let facts = Facts::of(program, &about_steps(game, &arguments, [step, successor]), place(step))
        .map_err(|error| vec![error])?;
    let chain =
        Chain::new(program, &facts, step, successor, place(successor)).map_err(|error| vec![error])?;
    let order = Order { arguments: &arguments, facts: &facts, chain: &chain };
    let has_rows =
        |atom: &Atom| !arguments.is_dynamic(atom.relation) && !facts.rows(atom.relation).is_empty();
    let rules = Rule::all(rulesheet, game, has_rows);
    let names = Names::new(rulesheet, game, |relation| arguments.is_dynamic(relation));
    let writer = Writer {
        game,
        order,
        names,
        notation: rulesheet.notation,
        tree: rulesheet.tree.clone(),
        needed: FxHashSet::default(),
        memories: Vec::new(),
        asks_earlier: false,
        asks_any_fact: false,
        found: Vec::new(),
    };
    Conversion::new(rulesheet, game, &rules, writer)?.convert()
}

/// Refuses relations that depend on what holds on a step, and have none among their arguments.
fn with_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    arguments: &StepArguments,
) -> Result<(), Vec<Diagnostic>> {
    let mut known = FxHashSet::default();
    let mut found = Vec::new();
    for (clause, item) in game.program.clauses.iter().zip(&rulesheet.items) {
        let relation = clause.head.relation;
        if relation == game.vocabulary.does {
            let message = "`does` cannot stand in a head";
            let hint = "what players may do is `legal`; what they do is given from outside";
            found.push(GIVEN_IN_HEAD.at(rulesheet.tree.span(item.head), message).hint(hint));
        }
        if arguments.is_dynamic(relation) && arguments.current(relation).is_none() && known.insert(relation) {
            let name = game.program.relation_name(relation);
            let message =
                format!("`{name}` depends on what holds on a step, but none of its arguments is one");
            let hint = "give it the step as its last argument, or leave out what depends on steps";
            found.push(WITHOUT_STEP.at(rulesheet.tree.span(item.head), message).hint(hint));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Refuses what GDL says of states: here every fact has its step.
fn without_init_and_next(rulesheet: &Rulesheet, game: &GameProgram) -> Result<(), Vec<Diagnostic>> {
    let program = &game.program;
    let mut found = Vec::new();
    for (clause, item) in program.clauses.iter().zip(&rulesheet.items) {
        let mut name = None;
        let mut look = |relation: RelationId| {
            let of_gdl = ["init", "next"].into_iter().find(|name| program.relation_name(relation) == *name);
            name = name.or(of_gdl);
        };
        look(clause.head.relation);
        clause.body.atoms(&mut |atom, _| look(atom.relation));
        if let Some(name) = name {
            let message = format!("`{name}` has no meaning where rules have steps");
            let hint = match name {
                "init" => "`true` with the first step as its last argument says what holds at the start",
                _ => "`true` says what holds on a step, `successor` which step is the next one",
            };
            found.push(WITHOUT_STEP.at(item.span, message).hint(hint));
        }
    }
    if found.is_empty() { Ok(()) } else { Err(found) }
}

/// Says what was found of a version of a relation of the relation that the author wrote.
fn in_words_of_author(found: &mut Diagnostic, versions: &[(String, String)]) {
    for (version, written) in versions {
        let quoted = format!("`{version}`");
        if found.message.contains(&quoted) {
            found.message = found.message.replace(&quoted, &format!("`{written}`"));
        }
    }
}

/// The relations that no state decides and in which rules have steps.
fn about_steps(game: &GameProgram, arguments: &StepArguments, always: [RelationId; 2]) -> Vec<RelationId> {
    let mut found: FxHashSet<RelationId> = always.into_iter().collect();
    for clause in game.program.clauses.iter() {
        let steps = arguments.variables_of(clause);
        clause.body.atoms(&mut |atom, _| {
            let is_step = |arg: &Pattern| matches!(arg, Pattern::Variable(v) if steps[v.index()]);
            if !arguments.is_dynamic(atom.relation) && atom.args.iter().any(is_step) {
                found.insert(atom.relation);
            }
        });
    }
    let mut found: Vec<RelationId> = found.into_iter().collect();
    found.sort_unstable();
    found
}
