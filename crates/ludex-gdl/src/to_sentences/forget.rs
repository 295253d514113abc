//! What a conversion is to leave open.

use std::sync::Arc;

use ludex_logic::relational::{Sentence, Universe};
use ludex_logic::{Budget, Id, Pattern, RelationId, TermId, Terms};

use super::definition::Condition;
use super::draft::{Draft, FALSE, Scope, TRUE, Variables, and, implies, not, or, quantified};
use super::shape::{Shape, differences};
use super::{Conversion, ToIgdlError};
use crate::check::instance::may_be_equal;
use crate::dialect::detect;
use crate::lower::{lower_atom, lower_sentences_over};
use crate::parse::parse;
use crate::source::Source;
/// So many things that could be meant are named.
const MOST_NAMED: usize = 12;
/// Steps and bytes of finding out what there is to forget.
const WORK: u64 = 50_000_000;
const MEMORY: usize = 1 << 28;

/// Instances of a relation of which nothing is to be said.
#[derive(Debug)]
pub(super) struct Forgotten {
    pub relation: RelationId,
    /// All instances of these.
    pub args: Box<[Pattern]>,
    /// The names of the variables in them.
    pub names: Vec<String>,
}

impl Forgotten {
    /// That an instance of a shape, whose holes are variables of the scope, is not forgotten; none where all are.
    pub fn exception(
        &self,
        terms: &Terms,
        shape: &Shape,
        variables: &mut Variables,
        scope: &Scope,
    ) -> Option<Sentence> {
        let Some(pairs) = differences(terms, &shape.args, &self.args) else {
            return Some(TRUE);
        };
        let condition = Condition::new(terms, &pairs, &self.names, variables, &mut scope.clone());
        let differ = condition.equations.into_iter().map(not);
        let some = quantified(&condition.others, or(differ.collect()), true);
        (some != FALSE).then_some(some)
    }
}

/// The sentence with exceptions for what is forgotten; none where it speaks of nothing else. The holes of the shape are
/// its first variables.
pub(super) fn without(
    terms: &Terms,
    mut draft: Draft,
    shape: &Shape,
    forgotten: &[&Forgotten],
) -> Option<Draft> {
    let scope = draft.variables.scope(shape.holes);
    let mut exceptions = Vec::new();
    for what in forgotten {
        exceptions.push(what.exception(terms, shape, &mut draft.variables, &scope)?);
    }
    let sentence = implies(and(exceptions), draft.sentence);
    Some(Draft { sentence, ..draft })
}

/// Reads what is to be forgotten, and finds out whether there is such a thing.
pub(super) fn read(conversion: &Conversion<'_>, forget: &[String]) -> Result<Vec<Forgotten>, ToIgdlError> {
    if forget.is_empty() {
        return Ok(Vec::new());
    }
    let there = There::of(conversion)?;
    let mut all = Vec::new();
    for what in forget {
        for forgotten in forgotten(conversion, what)? {
            there.check(conversion, &forgotten, what)?;
            all.push(forgotten);
        }
    }
    Ok(all)
}

/// What a text stands for: all relations of a name, or instances of one relation.
fn forgotten(conversion: &Conversion<'_>, what: &str) -> Result<Vec<Forgotten>, ToIgdlError> {
    let no_atom = || ToIgdlError::NoAtom { what: what.to_owned() };
    let (question, errors) = parse(Arc::new(Source::new("", what)), None);
    if !errors.is_empty() {
        return Err(no_atom());
    }
    let program = &conversion.game.program;
    let (name, atom, variables) = lower_atom(&question, program).ok_or_else(no_atom)?;
    let said = || conversion.said.iter().map(|(relation, _)| *relation);
    let found: Vec<Forgotten> = if atom.args.is_empty() {
        let called = said().filter(|&relation| program.relations[relation].name == name);
        let all = |relation: RelationId| {
            let arity = program.relations[relation].arity;
            let names = (0..arity).map(|number| format!("X{number}")).collect();
            Forgotten { relation, args: Pattern::first_variables(arity), names }
        };
        called.map(all).collect()
    } else {
        let names = variables.iter().map(|&name| program.terms.name(name).to_owned()).collect();
        let such = said().find(|&relation| relation == atom.relation);
        such.map(|relation| Forgotten { relation, args: atom.args, names }).into_iter().collect()
    };
    if found.is_empty() {
        let name = |relation: RelationId| {
            let arity = program.relations[relation].arity;
            format!("`{}` ({arity})", program.relation_name(relation))
        };
        let there = said().map(name).collect();
        return Err(ToIgdlError::NoRelation { what: what.to_owned(), there });
    }
    Ok(found)
}

/// What relations can be said of: the universe of the sentences where nothing is forgotten.
struct There {
    universe: Option<Universe>,
    /// By relation of the rules: the relation of the sentences.
    relations: Vec<Option<RelationId>>,
}

impl There {
    fn of(conversion: &Conversion<'_>) -> Result<Self, ToIgdlError> {
        let text = conversion.text(&[], &[])?;
        let (sheet, _) = parse(Arc::new(Source::new("", text)), Some(conversion.rulesheet.notation));
        let program = &conversion.game.program;
        let (sentences, _) = lower_sentences_over(&sheet, detect(&sheet).0, &program.terms);
        let Some(sentences) = sentences else { return Err(ToIgdlError::TooLarge) };
        let theory = &sentences.theory;
        let relations = program.relations.iter().zip(&conversion.names);
        let relations =
            relations.map(|(relation, name)| theory.find_relation(name, relation.arity)).collect();
        let budget = Budget::unlimited().with_work(WORK).with_memory(MEMORY);
        // Where there is no end of things, anything may be one.
        let universe = Universe::new(theory, &[], &mut budget.meter(), MEMORY).ok();
        Ok(Self { universe, relations })
    }

    fn check(&self, conversion: &Conversion<'_>, what: &Forgotten, text: &str) -> Result<(), ToIgdlError> {
        let relation = self.relations[what.relation.index()];
        let (Some(universe), Some(relation)) = (&self.universe, relation) else { return Ok(()) };
        let terms = conversion.terms();
        for (at, arg) in what.args.iter().enumerate() {
            let things = universe.met(relation, at);
            let is_such = |&&thing: &&TermId| {
                let mut left = usize::MAX;
                may_be_equal(terms, std::slice::from_ref(arg), &[Pattern::Ground(thing)], &mut left)
            };
            if !things.is_empty() && things.iter().find(is_such).is_none() {
                let mut there: Vec<TermId> = things.to_vec();
                there.sort_by(|&one, &other| terms.compare(one, other));
                let more = there.len() > MOST_NAMED;
                let notation = conversion.rulesheet.notation;
                let name = |&thing: &_| format!("`{}`", terms.shown_in(thing, notation));
                let mut there: Vec<String> = there.iter().take(MOST_NAMED).map(name).collect();
                there.extend(more.then(|| "...".to_owned()));
                return Err(ToIgdlError::NoInstance { what: text.to_owned(), argument: at + 1, there });
            }
        }
        Ok(())
    }
}
