//! Grounding: from a program with variables to one without (book 14.1 to 14.4).
//!
//! The relaxed model says which atoms can hold at some time: negation of changing relations is
//! dropped, and what feeds a given relation (`next` feeds `true`, `legal` feeds `does`) is taken to
//! hold at once. The rules are then instantiated over that model; static literals and `distinct`
//! are evaluated away.
//!
//! Two transforms keep the instances few. Rules are split along a tree decomposition of their
//! variables ([`GroundOptions::split`]), and relations of which only some atoms are ever asked for
//! are grounded as far as something demands ([`GroundOptions::demand`]).

mod demand;
mod emit;
mod grounding;
mod model;
mod persistent;
mod program;
mod simplify;
mod split;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use crate::budget::{Budget, LimitError};
use crate::evaluator::EvaluatorError;
use crate::ids::{Id, IdVec, RelationId};
use crate::program::Program;
use crate::terms::Terms;
use model::{Model, relaxed_model, static_model};
use program::GroundingProgram;

pub use grounding::{GroundLiteral, GroundRule, Grounding};

/// How to ground.
#[derive(Clone, Debug)]
pub struct GroundOptions {
    /// Limits on work, time and memory.
    pub budget: Budget,
    /// Whether to split rules by a tree decomposition of the variables in their bodies.
    pub split: bool,
    /// Whether to ground relations only as far as something asks for their atoms.
    pub demand: bool,
    /// Whether to evaluate away atoms that always or never hold, and to drop what no asked atom
    /// depends on.
    pub simplify: bool,
}

impl GroundOptions {
    /// The fewest and smallest rules: for running the program.
    pub fn optimised() -> Self {
        Self { budget: Budget::unlimited(), split: true, demand: true, simplify: true }
    }

    /// One ground rule for each instance of a clause that can ever apply: for proofs and figures.
    pub fn faithful() -> Self {
        Self { budget: Budget::unlimited(), split: false, demand: false, simplify: false }
    }

    /// The same within other limits.
    #[must_use]
    pub fn with_budget(mut self, budget: Budget) -> Self {
        self.budget = budget;
        self
    }
}

impl Default for GroundOptions {
    fn default() -> Self {
        Self::optimised()
    }
}

/// Why a program cannot be grounded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GroundError {
    /// A limit was reached.
    #[error("{limit} while grounding; `{relation}` had grown to {rows} rows")]
    Limit {
        /// The limit.
        limit: LimitError,
        /// The relation with most rows at that moment.
        relation: String,
        /// How many it had.
        rows: usize,
    },
    /// The program cannot be evaluated, or a limit was reached before any relation grew.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl GroundError {
    /// Whether it was the limit on work that was reached, and nothing else.
    pub fn is_work_limit(&self) -> bool {
        let limit = match self {
            GroundError::Limit { limit, .. } | GroundError::Evaluator(EvaluatorError::Limit(limit)) => limit,
            GroundError::Evaluator(_) => return false,
        };
        matches!(limit, LimitError::Work { .. })
    }
}

impl GroundError {
    /// Names what had grown in an earlier try, where a later one met its limit before anything grew.
    fn naming(self, grown: Option<(String, usize)>) -> Self {
        match (self, grown) {
            (GroundError::Evaluator(EvaluatorError::Limit(limit)), Some((relation, rows))) => {
                GroundError::Limit { limit, relation, rows }
            }
            (error, _) => error,
        }
    }
}

impl From<LimitError> for GroundError {
    fn from(limit: LimitError) -> Self {
        GroundError::Evaluator(EvaluatorError::Limit(limit))
    }
}

/// With demand or without it: the tries one after the other, with the work that each may take. Which
/// of the two is cheaper is only known afterwards, and one that suits a game is seldom long.
const TRIES: [(bool, u64); 4] =
    [(false, 4_000_000), (true, 80_000_000), (false, 160_000_000), (true, u64::MAX)];
/// A result with more literals than this is worth a try with demand.
const MANY: usize = 60_000;

/// Grounds a program.
///
/// With [`GroundOptions::demand`], it is tried first without demand, since restricting relations to
/// what is demanded seldom pays; where that takes long or comes out large, the smaller result counts.
/// Each try keeps to the whole budget.
///
/// ```
/// use std::sync::Arc;
/// use ludex_logic::{Atom, Budget, Formula, IdVec, Pattern, ProgramBuilder, Terms};
/// use ludex_logic::ground::{GroundOptions, ground};
///
/// // `size(1)`, `size(2)` and `big(X) :- size(X), distinct(X,1)`, of which `big` is asked.
/// let terms = Arc::new(Terms::new());
/// let mut builder = ProgramBuilder::new(Arc::clone(&terms));
/// let (size, big) = (builder.relation(terms.symbol("size"), 1), builder.relation(terms.symbol("big"), 1));
/// let number = |name| Pattern::Ground(terms.constant(name));
/// for name in ["1", "2"] {
///     builder.clause(Atom { relation: size, args: [number(name)].into() }, Formula::TRUE, IdVec::new(), None);
/// }
/// let args = Pattern::first_variables(1);
/// let test = Formula::Distinct(args[0].clone(), number("1"));
/// let body = Formula::And(vec![Formula::Atom(Atom { relation: size, args: args.clone() }), test]);
/// builder.clause(Atom { relation: big, args }, body, [terms.symbol("X")].into_iter().collect(), None);
/// builder.interface().asked.push(big);
///
/// let grounding = ground(&builder.finish(), &GroundOptions::optimised()).unwrap();
/// let atoms = grounding.atoms_of(big);
/// let args = grounding.atom(atoms[0]).map(|atom| terms.prefix(atom.args[0]));
/// assert_eq!((atoms.len(), args.as_deref()), (1, Some("2")));
/// ```
///
/// # Errors
/// When a clause is unsafe, negation is not stratified, or a limit is reached. Nothing is left half
/// done: there is a whole grounding or none.
pub fn ground(program: &Program, options: &GroundOptions) -> Result<Grounding, GroundError> {
    if !options.demand {
        return attempt(program, options);
    }
    let allowed = options.budget.work();
    let limited = |demand, work: u64| {
        let budget = options.budget.clone().with_work(work.min(allowed));
        attempt(program, &GroundOptions { budget, demand, ..options.clone() })
    };
    let mut grown = None;
    for (number, &(demand, work)) in TRIES.iter().enumerate() {
        match limited(demand, work) {
            Ok(grounding) if demand || number > 0 || grounding.literal_count() < MANY => {
                return Ok(grounding);
            }
            Ok(grounding) => {
                let other = limited(true, TRIES[1].1);
                let smaller = other.ok().filter(|g| g.literal_count() < grounding.literal_count());
                return Ok(smaller.unwrap_or(grounding));
            }
            Err(error) if work >= allowed || !error.is_work_limit() => return Err(error.naming(grown)),
            Err(GroundError::Limit { relation, rows, .. }) => grown = Some((relation, rows)),
            Err(_) => {}
        }
    }
    limited(true, u64::MAX).map_err(|error| error.naming(grown))
}

/// How many atoms of each relation can hold at some time, as the relaxed model says: what is derived
/// forward from the initial state, with negation of what changes dropped (book 14.3, begun from below).
/// Of relations that do not change it is the exact number.
///
/// # Errors
/// As [`ground`].
pub fn derivable(program: &Program, budget: &Budget) -> Result<IdVec<RelationId, u64>, GroundError> {
    let options = GroundOptions::faithful().with_budget(budget.clone());
    let program = &apart(program);
    let (rules, model) = modelled(program, &options)?;
    let count = |(relation, _): (RelationId, _)| {
        let variants = &rules.front.variants[relation.index()];
        variants.iter().map(|&id| u64::from(model.tables[id].len())).sum()
    };
    Ok(program.relations.entries().map(count).collect())
}

/// Bytes of terms that a relaxed model may make. Games build few terms; one that builds more usually has
/// no finite model.
const BUILT_TERMS: usize = 64 << 20;

/// The program over a tail of its terms: what is made while it is grounded goes when that is done.
fn apart(program: &Program) -> Program {
    program.over(Arc::new(Terms::tail(&program.terms, BUILT_TERMS)))
}

/// One try. Of the terms that it makes, only those of the atoms are there afterwards.
fn attempt(program: &Program, options: &GroundOptions) -> Result<Grounding, GroundError> {
    let budget = &options.budget;
    let apart = apart(program);
    let (rules, model) = modelled(&apart, options)?;
    let mut raw = emit::emit(&rules, &apart, &model, budget)?;
    if options.simplify {
        simplify::simplify(&mut raw, budget)?;
    }
    raw.finish(program, &apart, &rules, budget)
}

/// The rules as they are to be instantiated, with their relaxed model.
fn modelled(program: &Program, options: &GroundOptions) -> Result<(GroundingProgram, Model), GroundError> {
    let budget = &options.budget;
    budget.report("reading the rules", 0, None);
    let mut rules = GroundingProgram::new(program, !options.simplify, budget)?;
    if options.demand {
        demand::restrict(&mut rules, program, budget)?;
    }
    rules.settle_kinds();
    let statics = static_model(&rules, budget)?;
    if options.split {
        let sizes = statics.sizes(&rules);
        split::split(&mut rules, &sizes, budget)?;
    }
    budget.report("finding what can hold", 0, None);
    let model = relaxed_model(&rules, program, &statics, budget)?;
    Ok((rules, model))
}
