//! Games as answer set programs with time (book 15.2 and 15.3, with the refinement of exercise 15.2).
//!
//! `init(F)` becomes `true(F,1)`, `next(F)` becomes `true(F,T+1)`, and every other atom gets the time as
//! one more argument unless it depends on neither `true` nor `does`. Clauses keep their variables. What
//! is asked of the game follows after its clauses: moves are chosen, and the goal is a constraint.

mod clause;
mod names;
mod question;
mod reading;

use std::fmt::Write;

use ludex_game::Rules;
use ludex_gdl::GameProgram;
use ludex_logic::dependency::Dependencies;
use ludex_logic::{Formula, IdVec, RelationId};

use super::request::{Request, Task};
use clause::{Unbound, Writer};
use names::Names;
use question::Question;

pub use reading::ReadPlanError;

/// Why a game has no translation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TranslationError {
    /// A clause that says what `role` or `init` are depends on states or moves.
    #[error("line {line}: `{relation}` must not depend on states or moves")]
    Timeless {
        /// The line of the clause, from 1.
        line: usize,
        /// The relation.
        relation: String,
    },
    /// A variable that no positive subgoal binds.
    #[error("line {line}: no positive subgoal binds the variable `{variable}`")]
    Unbound {
        /// The line of the clause, from 1.
        line: usize,
        /// The variable.
        variable: String,
    },
    /// A term that does not occur in the rules.
    #[error("`{0}` has a name that the rules do not have")]
    UnknownName(String),
}

/// A game as an answer set program, with what is needed to read its models.
#[derive(Debug)]
pub struct Translation {
    /// The program, in the syntax of clingo.
    pub text: String,
    names: Names,
    does: RelationId,
}

/// Writes a game as an answer set program that asks for what is requested. The same rules and request
/// give the same text.
///
/// # Errors
/// [`TranslationError`].
pub fn translate(rules: &Rules, request: &Request) -> Result<Translation, TranslationError> {
    let game: &GameProgram = rules.program();
    let timed = timed(game)?;
    let program = &game.program;
    let mut names = Names::new(game, |relation| Writer::arity(program, &timed, relation));
    let own = Own::new(&mut names);
    let vocabulary = &game.vocabulary;
    let mut writer = Writer {
        program,
        names,
        timed,
        truth: vocabulary.truth,
        next: vocabulary.next,
        init: vocabulary.init,
        time: own.time.clone(),
    };
    let mut text = heading(rules, request, &writer.names, &own);
    clauses(game, &mut writer, &mut text)?;
    Question { rules, request, writer: &writer, own: &own }.write(&mut text)?;
    declare(game, &writer, &mut text);
    Ok(Translation { text, names: writer.names, does: vocabulary.does })
}

/// Names that are the translation's own.
struct Own {
    time: String,
    horizon: String,
    terminated: String,
    won: String,
}

impl Own {
    fn new(names: &mut Names) -> Self {
        let mut fresh = |name| names.fresh(name);
        Self {
            time: fresh("time"),
            horizon: fresh("horizon"),
            terminated: fresh("terminated"),
            won: fresh("won"),
        }
    }
}

/// Which relations get a time.
fn timed(game: &GameProgram) -> Result<IdVec<RelationId, bool>, TranslationError> {
    let v = &game.vocabulary;
    let dependencies = Dependencies::new(&game.program);
    let start = [v.truth, v.does, v.legal, v.next, v.goal, v.terminal, v.sees];
    let timed = dependencies.dependents(start);
    for relation in [v.role, v.init] {
        if timed[relation] {
            let clause = dependencies.uses(relation).iter().find(|edge| timed[edge.body]).map(|e| e.clause);
            let line = clause.map_or(0, |clause| line(game, clause));
            let relation = game.program.relation_name(relation).to_owned();
            return Err(TranslationError::Timeless { line, relation });
        }
    }
    Ok(timed)
}

fn line(game: &GameProgram, clause: ludex_logic::ClauseId) -> usize {
    game.spans.get(clause).map_or(0, |span| game.source.position(span.range().start).line)
}

fn heading(rules: &Rules, request: &Request, names: &Names, own: &Own) -> String {
    let asked = match &request.task {
        Task::Evolution(_) => "what a sequence of moves leads to",
        Task::PlanAsPrinted => "a plan, with a legal move at every time",
        Task::Plan => "a plan, with legal moves until the game is over",
    };
    let game: String = rules.short_name().chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    let mut out = format!("% {game} as an answer set program: {asked}.\n");
    if !names.renamed.is_empty() {
        out.push_str("% Names that had to be changed:\n");
        for (written, name) in &names.renamed {
            let name: String = name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            // Writing to a string cannot fail.
            let _ = writeln!(out, "%   {written} is {name}");
        }
    }
    let Own { time, horizon, .. } = own;
    let _ = write!(out, "\n#const {horizon} = {}.\n{time}(1..{horizon}).\n\n", request.horizon);
    out
}

/// The clauses of the game, each with where it is written.
fn clauses(game: &GameProgram, writer: &mut Writer, text: &mut String) -> Result<(), TranslationError> {
    let init = game.vocabulary.init;
    let mut keep_init = false;
    for clause in game.program.clauses.iter() {
        clause.body.atoms(&mut |atom, _| keep_init |= atom.relation == init);
    }
    for (id, clause) in game.program.clauses.entries() {
        let line = line(game, id);
        let rules = writer.clause(clause, keep_init).map_err(|Unbound(variable)| {
            let name = clause.variables.get(variable).map_or("", |&name| game.program.terms.name(name));
            TranslationError::Unbound { line, variable: name.to_owned() }
        })?;
        let _ = writeln!(text, "% line {line}");
        for rule in rules {
            text.push_str(&rule);
            text.push('\n');
        }
    }
    Ok(())
}

/// Tells the solver which relations are meant to be without rules.
fn declare(game: &GameProgram, writer: &Writer, text: &mut String) {
    let program = &game.program;
    let v = &game.vocabulary;
    let mut has_rules: IdVec<RelationId, bool> = program.relations.iter().map(|_| false).collect();
    let mut is_asked = has_rules.clone();
    for relation in [v.role, v.does, v.legal, v.goal, v.terminal] {
        is_asked[relation] = true;
    }
    for clause in program.clauses.iter() {
        let head = clause.head.relation;
        has_rules[if head == v.next || head == v.init { v.truth } else { head }] = true;
        has_rules[v.init] |= head == v.init;
        let mut ask = |formula: &Formula| formula.atoms(&mut |atom, _| is_asked[atom.relation] = true);
        ask(&clause.body);
    }
    for relation in program.relations.ids().filter(|&r| is_asked[r] && !has_rules[r] && r != v.next) {
        let arity = Writer::arity(program, &writer.timed, relation);
        let _ = writeln!(text, "#defined {}/{arity}.", writer.names.relation(relation));
    }
}
