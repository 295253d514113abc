//! What a step is made of, as formulas.

use ludex_logic::relational::{Edge, Grounding};
use ludex_logic::{RelationId, TermId};

use super::game::Declared;
use ludex_gdl::GameSentences;

/// The keywords at one step, over the things that were declared ([`super::IncompleteGame`]). Without steps as arguments
/// (IGDL) it is the same at all steps.
#[derive(Clone, Debug)]
pub struct StepEdges {
    /// For each fact, whether it is true.
    pub truth: Vec<Edge>,
    /// For each fact, whether it is true at the next step; empty at a last step.
    pub next: Vec<Edge>,
    /// By role and move, whether the role makes it.
    pub does: Vec<Vec<Edge>>,
    /// By role and move, whether it is legal.
    pub legal: Vec<Vec<Edge>>,
    /// By role and percept, whether the role sees it.
    pub sees: Vec<Vec<Edge>>,
    /// By role and value, whether it is the role's.
    pub goal: Vec<Vec<Edge>>,
    /// Whether the game is over.
    pub terminal: Edge,
    /// Whether steps are arguments and there is none after this one, so that nobody moves, whatever holds.
    pub is_last: bool,
    /// Facts, moves and percepts that nobody declares: they are false.
    pub(super) undeclared: Vec<Edge>,
}

/// Makes the formulas of a step: `step` is its term where steps are arguments, with the term of the next one.
pub(super) fn step_edges(
    sentences: &GameSentences,
    declared: &Declared,
    grounding: &mut Grounding,
    step: Option<(TermId, Option<TermId>)>,
) -> StepEdges {
    let v = &sentences.vocabulary;
    let mut edge = |relation: RelationId, args: &[TermId], at: Option<TermId>| {
        let args: Vec<TermId> = args.iter().copied().chain(at).collect();
        grounding.edge(relation, &args)
    };
    let at = step.map(|(at, _)| at);
    let next = match step {
        None => declared.facts.iter().map(|&fact| edge(v.next, &[fact], None)).collect(),
        Some((_, Some(next))) => {
            declared.facts.iter().map(|&fact| edge(v.truth, &[fact], Some(next))).collect()
        }
        Some((_, None)) => Vec::new(),
    };
    let mut by_role = |relation: RelationId, things: &[Vec<TermId>]| -> Vec<Vec<Edge>> {
        let roles = sentences.roles.iter().zip(things);
        roles
            .map(|(&role, things)| things.iter().map(|&thing| edge(relation, &[role, thing], at)).collect())
            .collect()
    };
    let does = by_role(v.does, &declared.moves);
    let legal = by_role(v.legal, &declared.moves);
    let sees = by_role(v.sees, &declared.percepts);
    let goal = by_role(v.goal, &declared.goals);
    StepEdges {
        truth: declared.facts.iter().map(|&fact| edge(v.truth, &[fact], at)).collect(),
        next,
        does,
        legal,
        sees,
        goal,
        terminal: edge(v.terminal, &[], at),
        is_last: matches!(step, Some((_, None))),
        undeclared: Vec::new(),
    }
}
