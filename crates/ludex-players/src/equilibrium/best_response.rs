//! The best that can be done against a strategy that is known.

use ludex_logic::Id;

use super::behaviour::BehaviourStrategy;
use super::information_sets::InformationSets;
use super::sequence_form::SequenceForm;

/// A best response.
#[derive(Clone, Debug, PartialEq)]
pub struct BestResponse {
    /// The goal that it brings on average.
    pub value: f64,
    /// What it does: in each information set one move for sure, the first of those that are as good.
    pub strategy: BehaviourStrategy,
}

/// The best that a role of a game, named by its place among [`SequenceForm::roles`], can do against a strategy of the
/// other role, by backward induction over its information sets. Alone against chance, it is the best plan, and there
/// is no other strategy to give.
///
/// ```
/// # use ludex_players::equilibrium::{SequenceForm, UnrollOptions, best_response};
/// // One of two doors has a prize, and looking behind the first one costs ten.
/// let text = "(role you) (role random) (init (step 1)) (door 1) (door 2)
///     (<= (legal random (hide ?d)) (door ?d) (true (step 1))) (<= (legal random noop) (not (true (step 1))))
///     (<= (legal you noop) (true (step 1)))
///     (<= (legal you look) (true (step 2))) (<= (legal you wait) (true (step 2)))
///     (<= (legal you (open ?d)) (door ?d) (true (step 3)))
///     (<= (next (prize ?d)) (does random (hide ?d))) (<= (next (prize ?d)) (true (prize ?d)))
///     (<= (next looked) (does you look)) (<= (next looked) (true looked))
///     (<= (next opened) (does you (open ?d)) (true (prize ?d)))
///     (<= (next (step 2)) (true (step 1))) (<= (next (step 3)) (true (step 2)))
///     (<= (sees you (prize ?d)) (does you look) (true (prize ?d)))
///     (<= terminal (not (true (step 1))) (not (true (step 2))) (not (true (step 3))))
///     (<= (goal you 90) (true opened) (true looked)) (<= (goal you 100) (true opened) (not (true looked)))
///     (<= (goal you 0) (not (true opened)))";
/// # let source = std::sync::Arc::new(ludex_gdl::Source::new("doors.kif", text));
/// # let game = ludex_gdl::load(source, &Default::default()).game.unwrap();
/// # let machine = ludex_game::RuleMachine::new(&game, &Default::default())?;
/// # let budget = ludex_logic::Budget::unlimited();
/// let form = SequenceForm::new(&game, &machine, &UnrollOptions::default(), &budget)?;
/// assert!((best_response(&form, 0, None).value - 90.0).abs() < 1e-9);
/// # Ok::<(), ludex_players::equilibrium::EquilibriumError>(())
/// ```
///
/// # Panics
/// Where there is no such role, or no strategy of the other role where there is one.
pub fn best_response(form: &SequenceForm, role: usize, other: Option<&BehaviourStrategy>) -> BestResponse {
    assert!(other.is_some() || form.roles().len() == 1, "the other role has a strategy");
    let mut gains = Vec::new();
    form.gains(role, &form.other_plan(role, other), &mut gains);
    let sets = &form.roles()[role];
    let mut strategy = BehaviourStrategy::uniform(sets);
    let value = respond(sets, &mut gains, |set, place| strategy.choose(sets, set, place));
    // A value is the role's own beyond half of the sum.
    let value = form.goal(0, value);
    BestResponse { value, strategy }
}

/// The value of a best response from what each sequence brings at its ends, which is added up on the way; says which
/// move it makes in which set.
pub(super) fn respond(
    sets: &InformationSets,
    gains: &mut [f64],
    mut choose: impl FnMut(super::SetId, usize),
) -> f64 {
    for set in sets.ids().rev() {
        let mut best = (0, f64::NEG_INFINITY);
        for (place, &gain) in gains[sets.sequences(set)].iter().enumerate() {
            if gain > best.1 {
                best = (place, gain);
            }
        }
        choose(set, best.0);
        gains[sets.parent(set).index()] += best.1;
    }
    gains[0]
}
