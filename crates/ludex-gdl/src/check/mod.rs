//! What can be wrong with a rulesheet beyond its syntax: one file per check.

mod arity;
mod binding;
mod bound_later;
mod capitalisation;
mod context;
mod dependency;
mod duplicate;
mod empty;
mod explanation;
mod fact_rules;
mod goal_value;
pub(crate) mod instance;
pub(crate) mod keyword;
mod lifetime;
mod lost_fact;
mod missing;
mod negated_distinct;
mod no_time_passes;
pub(crate) mod perceiver;
mod random_role;
mod recursion;
pub(crate) mod registry;
mod restarted_lifetime;
mod restriction;
mod role;
mod safety;
mod several_lifetimes;
mod singleton;
mod start;
mod stratification;
mod undeclared;
mod undefined;
mod unreachable;
mod unused;

use ludex_logic::{ClauseId, IdVec};

use crate::diagnostic::Diagnostic;
use crate::game_program::{Dialect, GameProgram};
use crate::tree::Rulesheet;
use context::Context;
pub use explanation::Explanation;
pub use registry::{CHECKS, Check};

/// Runs all checks; the findings are ordered by place.
///
/// `game` must be what [`crate::lower`] made of `rulesheet`; its own diagnostics are not repeated.
pub fn check(rulesheet: &Rulesheet, game: &GameProgram) -> Vec<Diagnostic> {
    if game.dialect.is_incomplete() {
        return crate::incomplete::read(rulesheet, game.dialect).diagnostics;
    }
    if game.dialect.has_steps() {
        return crate::sdl::lower(rulesheet, game.dialect).findings;
    }
    if game.dialect == Dialect::Epilog {
        return crate::epilog::lower(rulesheet).findings;
    }
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
    const ALL: &[CheckFunction] = &[
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
        random_role::check,
        bound_later::check,
        undeclared::check,
        lifetime::check,
        lost_fact::check,
        restarted_lifetime::check,
        several_lifetimes::check,
        no_time_passes::check,
    ];
    let context = Context::new(rulesheet, game, broken);
    let mut found = run(ALL, &context);
    start::check(&context, &mut found);
    sorted(found)
}

type CheckFunction = fn(&Context<'_>, &mut Vec<Diagnostic>);

/// The checks of clauses as they are written in SDL, where dependencies go from step to step.
pub(crate) fn check_with_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    broken: &IdVec<ClauseId, bool>,
) -> Vec<Diagnostic> {
    const AS_WRITTEN: &[CheckFunction] = &[
        keyword::check,
        empty::check,
        negated_distinct::check,
        safety::check,
        arity::check,
        role::check,
        missing::check,
        goal_value::check,
        undefined::check,
        unused::check,
        duplicate::check,
        singleton::check,
        capitalisation::check,
        random_role::check,
        bound_later::check,
    ];
    sorted(run(AS_WRITTEN, &Context::new(rulesheet, game, broken)))
}

/// The other checks of a game in SDL, whose rules are here without their steps. One clause of the rulesheet may
/// be several here: what is said of one of them is said once.
pub(crate) fn check_without_steps(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    broken: &IdVec<ClauseId, bool>,
) -> Vec<Diagnostic> {
    const WITHOUT: &[CheckFunction] = &[stratification::check, recursion::check, dependency::check];
    let context = Context::new(rulesheet, game, broken);
    let mut found = run(WITHOUT, &context);
    start::check(&context, &mut found);
    // There are only so many steps: no state grows for ever.
    found.retain(|d| d.code != registry::GROWING_STATE.code);
    let mut found = sorted(found);
    found.dedup_by_key(|d| (d.span, d.code));
    found
}

/// The checks of a game in Epilog, whose rules are here as rules of GDL: what of them is the same there. One statement of the
/// sheet may be several clauses here: what is said of one of them is said once.
pub(crate) fn check_epilog(
    rulesheet: &Rulesheet,
    game: &GameProgram,
    broken: &IdVec<ClauseId, bool>,
) -> Vec<Diagnostic> {
    const OF_GDL: &[CheckFunction] = &[
        safety::check,
        stratification::check,
        recursion::check,
        role::check,
        dependency::check,
        missing::check,
        goal_value::check,
    ];
    let context = Context::new(rulesheet, game, broken);
    let mut found = run(OF_GDL, &context);
    start::check(&context, &mut found);
    let mut found = sorted(found);
    found.dedup_by_key(|d| (d.span, d.code));
    found
}

fn run(checks: &[CheckFunction], context: &Context<'_>) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    checks.iter().for_each(|check| check(context, &mut found));
    found
}

fn sorted(mut found: Vec<Diagnostic>) -> Vec<Diagnostic> {
    found.sort_by_key(|d: &Diagnostic| (d.span, d.code));
    found
}

/// The findings of one check about a rulesheet in prefix notation, drawn as [`crate::report::plain`]
/// does; GDL-II where something is seen, real time where it is detected. Rulesheets in tests may be anything but
/// complete.
#[cfg(test)]
fn drawn(check: &Check, text: &str) -> String {
    use std::sync::Arc;

    use crate::source::Source;
    use crate::tree::Notation;

    let text = text.trim_start_matches('\n');
    let (rulesheet, errors) =
        crate::parse::parse(Arc::new(Source::new("game", text)), Some(Notation::Prefix));
    assert_eq!(errors, []);
    let dialect = match crate::dialect::detect(&rulesheet).0 {
        timed if timed.is_timed() => timed,
        _ if text.contains("(sees ") => Dialect::GdlII,
        _ => Dialect::Gdl,
    };
    let lowered = crate::lower::lower_leniently(&rulesheet, dialect);
    let mut found = lowered.diagnostics;
    found.extend(check_lowered(&rulesheet, &lowered.game, &lowered.broken));
    found.retain(|d| d.code == check.code);
    format!("\n{}", crate::report::plain(&rulesheet.source, &found))
}
