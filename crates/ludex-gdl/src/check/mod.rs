//! What can be wrong with a rulesheet beyond its syntax: one file per check.

mod arity;
mod binding;
mod capitalisation;
mod context;
mod dependency;
mod duplicate;
mod empty;
mod goal_value;
mod imperfect_information;
mod keyword;
mod missing;
mod negated_distinct;
mod recursion;
pub(crate) mod registry;
mod restriction;
mod role;
mod safety;
mod singleton;
mod stratification;
mod undefined;
mod unreachable;
mod unused;

use ludex_logic::{ClauseId, IdVec};

use crate::diagnostic::Diagnostic;
use crate::game_program::GameProgram;
use crate::tree::Rulesheet;
use context::Context;
pub use registry::{CHECKS, Check};

/// Runs all checks; the findings are ordered by place.
///
/// `game` must be what [`crate::lower`] made of `rulesheet`; its own diagnostics are not repeated.
pub fn check(rulesheet: &Rulesheet, game: &GameProgram) -> Vec<Diagnostic> {
    let whole = game.program.clauses.iter().map(|_| false).collect();
    check_lowered(rulesheet, game, &whole)
}

/// As [`check`], with the clauses that could not be read in full: the checks that need every
/// literal of a clause leave those alone.
pub(crate) fn check_lowered(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    broken: &IdVec<ClauseId, bool>,
) -> Vec<Diagnostic> {
    let context = Context::new(rulesheet, game, broken);
    let mut found = Vec::new();
    for check in [
        keyword::check,
        empty::check,
        negated_distinct::check,
        safety::check,
        stratification::check,
        recursion::check,
        arity::check,
        role::check,
        restriction::check,
        dependency::check,
        missing::check,
        goal_value::check,
        undefined::check,
        unused::check,
        unreachable::check,
        duplicate::check,
        singleton::check,
        capitalisation::check,
        imperfect_information::check,
    ] {
        check(&context, &mut found);
    }
    found.sort_by_key(|d: &Diagnostic| (d.span, d.code));
    found
}
