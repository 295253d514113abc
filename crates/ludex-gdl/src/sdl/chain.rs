//! The steps in their order, and what rules that depend on no state say of them.

use ludex_logic::dependency::Dependencies;
use ludex_logic::{Budget, IdVec, Program, ProgramBuilder, RelationId, TermId, TermView, evaluator};
use rustc_hash::FxHashMap;

use crate::check::registry::STEP_CHAIN;
use crate::diagnostic::Diagnostic;
use crate::source::Span;

/// Work for the relations that say something of steps; what takes more is no order of steps.
const WORK: u64 = 200_000_000;
const MEMORY: usize = 1 << 30;

/// The relations that no state decides, as far as steps are among their arguments.
pub(super) struct Facts {
    /// By relation, sorted.
    rows: IdVec<RelationId, Vec<Box<[TermId]>>>,
    /// By relation: whether all of its instances are there.
    is_known: IdVec<RelationId, bool>,
}

impl Facts {
    /// What holds of the wanted relations, none of which depends on the state.
    pub fn of(program: &Program, wanted: &[RelationId], at: Span) -> Result<Self, Diagnostic> {
        let needed = Dependencies::new(program).requirements(wanted.iter().copied());
        let mut builder = ProgramBuilder::over(program);
        for clause in program.clauses.iter().filter(|clause| needed[clause.head.relation]) {
            builder.add(clause.clone());
        }
        let budget = Budget::unlimited().with_total_work(WORK).with_memory(MEMORY);
        let model = evaluator::model(&builder.finish(), &[], &budget).map_err(|error| {
            STEP_CHAIN
                .at(at, format!("what holds of the steps cannot be worked out: {error}"))
                .hint("relations that steps are related by have to be small")
        })?;
        let mut rows: IdVec<RelationId, Vec<Box<[TermId]>>> =
            program.relations.iter().map(|_| Vec::new()).collect();
        for atom in model {
            rows[atom.relation].push(atom.args);
        }
        rows.iter_mut().for_each(|rows| rows.sort_unstable());
        Ok(Self { rows, is_known: needed })
    }

    /// Whether the instances of a relation were worked out: of others nothing is known.
    pub fn is_known(&self, relation: RelationId) -> bool {
        self.is_known[relation]
    }

    /// The instances of a relation.
    pub fn rows(&self, relation: RelationId) -> &[Box<[TermId]>] {
        &self.rows[relation]
    }

    /// Whether something is an instance of a relation.
    pub fn holds(&self, relation: RelationId, row: &[TermId]) -> bool {
        self.rows[relation].binary_search_by(|known| (**known).cmp(row)).is_ok()
    }
}

/// The steps of a game, from the first one on.
#[derive(Debug)]
pub(super) struct Chain {
    pub steps: Vec<TermId>,
    places: FxHashMap<TermId, i64>,
}

impl Chain {
    /// Follows `successor` from the one step that succeeds none.
    pub fn new(
        program: &Program,
        facts: &Facts,
        step: RelationId,
        successor: RelationId,
        at: Span,
    ) -> Result<Self, Diagnostic> {
        let text = |term: TermId| program.terms.shown(term);
        let wrong = |message: String| {
            Err(STEP_CHAIN
                .at(at, message)
                .hint("the steps have to follow one another, each once, from one first step on"))
        };
        let steps: Vec<TermId> = facts.rows(step).iter().map(|row| row[0]).collect();
        let mut next: FxHashMap<TermId, TermId> = FxHashMap::default();
        let mut before: FxHashMap<TermId, TermId> = FxHashMap::default();
        for row in facts.rows(successor) {
            let (from, to) = (row[0], row[1]);
            if let Some(&other) = next.get(&from) {
                return wrong(format!(
                    "two steps follow `{}`: `{}` and `{}`",
                    text(from),
                    text(other),
                    text(to)
                ));
            }
            if let Some(&other) = before.get(&to) {
                return wrong(format!(
                    "`{}` follows two steps: `{}` and `{}`",
                    text(to),
                    text(other),
                    text(from)
                ));
            }
            next.insert(from, to);
            before.insert(to, from);
        }
        let first: Vec<TermId> = steps.iter().copied().filter(|step| !before.contains_key(step)).collect();
        let first = match first[..] {
            [first] => first,
            [] if steps.is_empty() => {
                return wrong("no clauses say what the steps are, and which one follows which".into());
            }
            [] => return wrong("there is no first step: each one follows another".into()),
            [one, other, ..] => {
                return wrong(format!("two steps follow none: `{}` and `{}`", text(one), text(other)));
            }
        };
        if let Some(term) =
            steps.iter().find(|step| matches!(program.terms.view(**step), TermView::Compound(..)))
        {
            return wrong(format!("the step `{}` is no constant", text(*term)));
        }
        let mut chain = Self { steps: vec![first], places: FxHashMap::default() };
        let mut last = first;
        while let Some(&step) = next.get(&last).filter(|_| chain.steps.len() <= next.len()) {
            chain.steps.push(step);
            last = step;
        }
        chain.places = chain.steps.iter().enumerate().map(|(place, &step)| (step, place as i64)).collect();
        if let Some(&lost) = steps.iter().find(|step| chain.place(**step).is_none()) {
            return wrong(format!(
                "`{}` is a step, but cannot be reached from the first one, `{}`",
                text(lost),
                text(first)
            ));
        }
        let known: rustc_hash::FxHashSet<TermId> = steps.into_iter().collect();
        if let Some(&other) = chain.steps.iter().find(|step| !known.contains(step)) {
            return wrong(format!("`{}` follows a step, but is none", text(other)));
        }
        Ok(chain)
    }

    /// The place of a step, from 0; `None` for what is no step.
    pub fn place(&self, step: TermId) -> Option<i64> {
        self.places.get(&step).copied()
    }

    /// The step at a place.
    pub fn step(&self, place: i64) -> Option<TermId> {
        self.steps.get(usize::try_from(place).ok()?).copied()
    }

    /// The place of the last step.
    pub fn last(&self) -> i64 {
        self.steps.len() as i64 - 1
    }
}
