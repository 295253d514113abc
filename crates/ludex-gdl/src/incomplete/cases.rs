//! The cases of what sentences leave open until a game begins.

use ludex_logic::relational::{Edge, Grounding, Moment, Reasoner};
use ludex_logic::{AtomId, Budget, GroundAtom, LimitError, TermId};

use super::GameSentences;
use crate::game_program::Vocabulary;

/// The most cases of what is left open.
const MOST_CASES: usize = 1024;

/// All combinations of values that some formulas can have at the first step, in order; none where they are too many.
pub(super) fn all(
    sentences: &GameSentences,
    grounding: &Grounding,
    of: &[Edge],
    budget: &Budget,
) -> Result<Option<Vec<Vec<bool>>>, LimitError> {
    let mut reasoner = Reasoner::granting_all(grounding, |_| false, budget.meter());
    let moment = reasoner.add_moment(grounding)?;
    demand_start(&mut reasoner, moment, grounding, &sentences.vocabulary)?;
    let literals = of.iter().map(|&edge| reasoner.literal(grounding, moment, edge));
    let literals = literals.collect::<Result<Vec<_>, _>>()?;
    let mut found = Vec::new();
    let complete = reasoner.combinations(&literals, &[], MOST_CASES, |values| found.push(values.to_vec()))?;
    found.sort_unstable();
    Ok(complete.then_some(found))
}

/// Atoms that are open, each with the fact that says it holds: `holds(A)`.
pub(super) fn with_facts(
    sentences: &GameSentences,
    grounding: &Grounding,
    open: Vec<AtomId>,
) -> Vec<(AtomId, TermId)> {
    let theory = &sentences.theory;
    let holds = theory.terms.symbol(&sentences.free_name("holds"));
    let fact = |atom: AtomId| {
        let ground = &grounding.atoms[atom];
        let name = theory.relations[ground.relation].name;
        (atom, theory.terms.compound(holds, &[theory.terms.compound(name, &ground.args)]))
    };
    open.into_iter().map(fact).collect()
}

/// The move that chooses a case, counted from 0.
pub(super) fn choice(sentences: &GameSentences, number: usize) -> TermId {
    let terms = &sentences.theory.terms;
    terms.compound(terms.symbol("case"), &[terms.constant(&(number + 1).to_string())])
}

/// Demands that what holds at a moment is what `init` says, as far as sentences speak of both: what is said of any
/// step is said of the first one, too. Where steps are arguments, nothing is said by `init`.
pub(super) fn demand_start(
    reasoner: &mut Reasoner,
    moment: Moment,
    grounding: &Grounding,
    v: &Vocabulary,
) -> Result<(), LimitError> {
    let pairs: Vec<[Edge; 2]> = grounding
        .universe
        .met(v.truth, 0)
        .iter()
        .filter_map(|&fact| {
            let edge = |relation| grounding.find_edge(&GroundAtom { relation, args: Box::new([fact]) });
            Some([edge(v.truth)?, edge(v.init)?])
        })
        .collect();
    for [truth, init] in pairs {
        let truth = reasoner.literal(grounding, moment, truth)?;
        let init = reasoner.literal(grounding, moment, init)?;
        let always = reasoner.solver().truth();
        reasoner.solver().equal_if(always, truth, init)?;
    }
    Ok(())
}
