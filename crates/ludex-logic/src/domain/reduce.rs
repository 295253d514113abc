//! Which of the instances that the domain graph allows can be derived at all (book 14.3).

use crate::budget::{Budget, LimitError};
use crate::evaluator::{Evaluator, EvaluatorError};
use crate::ids::{IdVec, RelationId, TermId};
use crate::program::{Atom, Clause, Formula, Pattern, Program, ProgramBuilder};

use super::{Domain, DomainGraph, DomainValue, declares};

/// The most instances of given relations that are tried.
const MOST_INSTANCES: usize = 1 << 18;

/// Why the instances cannot be reduced.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReduceError {
    /// The domain graph allows too many instances to begin with, or terms that grow without bound.
    #[error("the domain graph allows too many instances of `{relation}` to try them")]
    TooMany {
        /// The given relation they belong to.
        relation: String,
    },
    /// The rules cannot be evaluated, or a limit was reached.
    #[error(transparent)]
    Evaluator(#[from] EvaluatorError),
}

impl From<LimitError> for ReduceError {
    fn from(limit: LimitError) -> Self {
        ReduceError::Evaluator(limit.into())
    }
}

/// What is left of the instances that a domain graph allows.
#[derive(Clone, Debug)]
pub struct Reduction {
    counts: IdVec<RelationId, u64>,
    given: Vec<(RelationId, Vec<Vec<TermId>>)>,
    rounds: u32,
}

impl Reduction {
    /// How many instances of a relation are left.
    pub fn count(&self, relation: RelationId) -> u64 {
        self.counts[relation]
    }

    /// The instances of a given relation (`true`, `does`) that are left, as their arguments, in the
    /// order of the domains.
    pub fn instances(&self, given: RelationId) -> &[Vec<TermId>] {
        self.given.iter().find(|(relation, _)| *relation == given).map_or(&[], |(_, list)| list)
    }

    /// How often the procedure was gone through until nothing more was eliminated.
    pub fn rounds(&self) -> u32 {
        self.rounds
    }
}

impl DomainGraph {
    /// How many instances of a relation its domains allow: `None` where terms grow without bound.
    pub fn instance_count(&self, program: &Program, relation: RelationId) -> Option<u128> {
        let arity = program.relations[relation].arity;
        (0..arity).try_fold(1u128, |product, index| {
            Some(product.saturating_mul(self.size(self.argument(relation, index)?)?))
        })
    }

    /// The procedure of book 14.3, repeated until nothing more is eliminated: negative conditions are
    /// deleted, all instances of the given relations (`true`, `does`) that the graph allows are added as
    /// facts, and those of them are kept that can then be derived by what feeds them (`init`, `next`,
    /// `legal`).
    ///
    /// It starts from everything, so facts stay that support nothing but themselves, such as a block on
    /// itself that nobody moves. [`derivable`](crate::ground::derivable) starts from the initial state
    /// and does without them.
    ///
    /// # Errors
    /// [`ReduceError`].
    pub fn reduce(&self, program: &Program, budget: &Budget) -> Result<Reduction, ReduceError> {
        let mut meter = budget.meter();
        let mut given = Vec::new();
        for &relation in &program.interface.given {
            let few = self.instance_count(program, relation).filter(|&count| count <= MOST_INSTANCES as u128);
            let too_many = || ReduceError::TooMany { relation: program.relation_name(relation).to_owned() };
            let count = few.ok_or_else(too_many)?;
            meter.spend(u64::try_from(count).unwrap_or(u64::MAX))?;
            let arity = program.relations[relation].arity;
            let domains: Vec<Domain> = (0..arity).filter_map(|i| self.domain(relation, i)).collect();
            given.push((relation, tuples(&domains, program).ok_or_else(too_many)?));
        }
        let mut rounds = 0;
        loop {
            rounds += 1;
            budget.report("eliminating instances", u64::from(rounds), None);
            let extended = positive(program, &given);
            let evaluator = Evaluator::new(&extended, budget)?;
            let mut session = evaluator.session(budget);
            let mut changed = false;
            for (to, instances) in &mut given {
                let feeds = program.interface.feeds.iter();
                let from = feeds.filter(|f| f.to == *to && !declares(program, f.from)).map(|f| f.from);
                let mut derived = rustc_hash::FxHashSet::default();
                for from in from {
                    derived
                        .extend(evaluator.answers(&mut session, from)?.into_iter().map(|row| row.to_vec()));
                }
                let before = instances.len();
                meter.spend(before as u64)?;
                instances.retain(|instance| derived.contains(instance));
                changed |= instances.len() < before;
            }
            if changed {
                continue;
            }
            let mut counts = IdVec::new();
            for (relation, _) in program.relations.entries() {
                let mut count = 0;
                for table in evaluator.tables(relation) {
                    count += u64::from(session.count(table)?);
                }
                counts.push(count);
            }
            return Ok(Reduction { counts, given, rounds });
        }
    }
}

/// All combinations of the values of some domains; nothing where terms grow without bound.
fn tuples(domains: &[Domain], program: &Program) -> Option<Vec<Vec<TermId>>> {
    let mut rows: Vec<Vec<TermId>> = vec![Vec::new()];
    for domain in domains {
        let values = values(domain, program)?;
        rows = rows
            .iter()
            .flat_map(|row| values.iter().map(|&value| [row.as_slice(), &[value]].concat()))
            .collect();
    }
    Some(rows)
}

/// The trees of domains are not deep; see `table`.
fn values(domain: &Domain, program: &Program) -> Option<Vec<TermId>> {
    let mut found = Vec::new();
    for value in &domain.values {
        match value {
            DomainValue::Constant(symbol) => found.push(program.terms.constant_of(*symbol)),
            DomainValue::Function(symbol, arguments) => {
                let rows = tuples(arguments, program)?;
                found.extend(rows.iter().map(|row| program.terms.compound(*symbol, row)));
            }
            DomainValue::Unbounded(_) => return None,
        }
    }
    Some(found)
}

/// The program without negative conditions, and with nothing given from outside but these facts.
fn positive(program: &Program, given: &[(RelationId, Vec<Vec<TermId>>)]) -> Program {
    let mut builder = ProgramBuilder::over(program);
    for clause in program.clauses.iter() {
        builder.add(Clause { body: without_negation(&clause.body), ..clause.clone() });
    }
    for (relation, instances) in given {
        for instance in instances {
            let args = instance.iter().map(|&term| Pattern::Ground(term)).collect();
            builder.clause(Atom { relation: *relation, args }, Formula::TRUE, IdVec::new(), None);
        }
    }
    builder.interface().asked = program.interface.asked.clone();
    builder.finish()
}

/// Formulas are as deep as they were written, which reading limits.
fn without_negation(formula: &Formula) -> Formula {
    match formula {
        Formula::Not(_) => Formula::TRUE,
        Formula::And(parts) => Formula::And(parts.iter().map(without_negation).collect()),
        Formula::Or(parts) => Formula::Or(parts.iter().map(without_negation).collect()),
        other => other.clone(),
    }
}
