//! What an author says of all positions of a game: proved where that can be done, else tried in random games.
//!
//! The property becomes a part of the rules: a relation that holds in the states that break it, in the place of the goals
//! (`instrument`). So whatever runs games and proves things of them is asked, and no other way to evaluate formulas is needed.
//!
//! 1. `search`: random games look for a state that breaks it; then all states are gone through, as long as these are few.
//! 2. Where they are many, no state that breaks it can be reached by induction over the steps of the game
//!    (k-induction, with the solver and the invariants of the faithful net).

mod instrument;
pub(crate) mod search;
#[cfg(test)]
mod tests;

use std::sync::Arc;

use ludex_game::{GameError, Position, RoleId, RuleMachine, RuleMachineOptions, Rules, State, read_term};
use ludex_gdl::{Checked, Diagnostic, GameProgram, Span};
use ludex_logic::{Budget, TermId};

use crate::finding::Witness;
use crate::subject::Subject;
use crate::well_formed::{Claim, Induction, Proof};
use instrument::instrumented;
use search::{Search, Searched};

/// A formula as it is written in the notation of the rulesheet, with its place in some other text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FormulaText<'t> {
    /// The formula.
    pub text: &'t str,
    /// Where it stands; errors are about this text.
    pub span: Span,
}

/// What is said of all positions that can come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Property<'t> {
    /// The formula holds in each.
    Always(FormulaText<'t>),
    /// The formula holds in none.
    Never(FormulaText<'t>),
    /// The second formula holds after each joint move for which the first one holds.
    After(FormulaText<'t>, FormulaText<'t>),
}

/// How far is looked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PropertyOptions {
    /// The seed of random games.
    pub seed: u64,
    /// How many random games are played.
    pub games: u32,
    /// The most states that are gone through one by one.
    pub most_states: usize,
    /// The most joint moves that are made for that.
    pub most_moves: usize,
    /// The longest courses that are looked at with the solver; 0 for no solver.
    pub most_steps: usize,
}

impl Default for PropertyOptions {
    fn default() -> Self {
        Self { seed: 1, games: 100, most_states: 20_000, most_moves: 100_000, most_steps: 8 }
    }
}

/// What was found out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Established {
    /// It holds in all states there are: so many.
    AllStates(usize),
    /// It holds, by induction over so many steps.
    Induction(usize),
    /// It holds in so many states of so many random games, and nothing proves it.
    Games {
        /// How many games were played.
        games: u32,
        /// How many states were looked at.
        states: u64,
    },
    /// It does not hold after these joint moves from the position on.
    Refuted(Witness),
}

/// Why nothing is found out.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PropertyError {
    /// The formulas cannot be understood; places are those of the text they stand in.
    #[error("{}", .0.first().map_or("the formula cannot be read", |diagnostic| &diagnostic.message))]
    Formula(Vec<Diagnostic>),
    /// The engine has no answer.
    #[error(transparent)]
    Game(#[from] GameError),
}

impl Established {
    /// Whether nothing speaks against it.
    pub fn holds(&self) -> bool {
        !matches!(self, Self::Refuted(_))
    }

    /// Whether it is certain, either way.
    pub fn is_certain(&self) -> bool {
        !matches!(self, Self::Games { .. })
    }
}

/// Finds out whether a property holds from a position on.
///
/// ```
/// use ludex_analysis::property::{Established, FormulaText, Property, PropertyOptions, examine};
///
/// // The rules are those of tic-tac-toe.
/// # let rules = ludex_testkit::playable_bundled("nim")?;
/// # let text = "(true (heap ?h ?n)) (true (heap ?h ?m)) (distinct ?n ?m)";
/// let never = Property::Never(FormulaText { text, span: Default::default() });
/// let found = examine(&rules.start(), never, &PropertyOptions::default(), &Default::default())?;
/// assert!(found.holds() && found.is_certain());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`PropertyError`]: the formulas have no meaning in this game, or a limit was reached before the first random game
/// was over.
pub fn examine(
    position: &Position,
    property: Property<'_>,
    options: &PropertyOptions,
    budget: &Budget,
) -> Result<Established, PropertyError> {
    let original = position.rules();
    let program = instrumented(original, property).map_err(PropertyError::Formula)?;
    let rules = run_by_rules(original, Arc::new(program), budget)?;
    let start = same_place(position, &rules)?;
    let is_initial = position.state() == original.initial();
    let mut search = Search::new(&rules, &start, budget);
    let games = match search.random_games(options)? {
        Searched::Broken(witness) => return Ok(Established::Refuted(in_terms_of(original, &rules, witness))),
        Searched::All { .. } | Searched::Some => search.tried(),
    };
    match search.all_states(options) {
        Ok(Searched::Broken(witness)) => {
            return Ok(Established::Refuted(in_terms_of(original, &rules, witness)));
        }
        Ok(Searched::All { states }) => return Ok(Established::AllStates(states)),
        // What could not be gone through may be proved all the same.
        Ok(Searched::Some) | Err(_) => {}
    }
    if is_initial && options.most_steps > 0 {
        match induction(&rules, options, budget) {
            Some(Proof::Never(steps)) => return Ok(Established::Induction(steps)),
            Some(Proof::Shown(witness)) if breaks(&rules, &witness) => {
                return Ok(Established::Refuted(in_terms_of(original, &rules, witness)));
            }
            _ => {}
        }
    }
    Ok(games)
}

/// A program of a rulesheet as rules that run it without a net.
pub(crate) fn run_by_rules(
    original: &Rules,
    program: Arc<GameProgram>,
    budget: &Budget,
) -> Result<Rules, GameError> {
    let options = RuleMachineOptions {
        tune: false,
        budget: budget.clone(),
        notation: original.notation(),
        ..RuleMachineOptions::default()
    };
    let machine = Arc::new(RuleMachine::new(&program, &options)?);
    let checked = Checked {
        rulesheet: original.rulesheet().clone(),
        dialect: original.dialect(),
        game: None,
        sentences: None,
        not_runnable: None,
        diagnostics: Vec::new(),
    };
    Ok(Rules::new(checked, program, machine, "rules", budget.clone()))
}

/// The state of a position as the instrumented rules have it.
fn same_place(position: &Position, rules: &Rules) -> Result<State, GameError> {
    let original = position.rules();
    let terms = original.signature().terms();
    let own = rules.signature().terms();
    let read = |term: TermId| {
        let text = terms.prefix(term);
        // What one game wrote the other one reads.
        read_term(own, &text).map_err(|_| GameError::UnknownFact { fact: text })
    };
    let first = position.history().state_at(0).unwrap_or(position.state());
    let mut there = if first == original.initial() {
        rules.start()
    } else {
        let facts = original.facts(first).into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        Position::starting_in(rules.clone(), rules.state_of(&facts)?)
    };
    for joint in position.joints() {
        let joint = joint.into_iter().map(read).collect::<Result<Vec<_>, _>>()?;
        there.advance(&joint).map_err(|error| GameError::Unrunnable { reason: error.to_string() })?;
    }
    Ok(there.state().clone())
}

/// A course of the instrumented rules in the terms of the game.
fn in_terms_of(original: &Rules, rules: &Rules, witness: Witness) -> Witness {
    let (from, to) = (rules.signature().terms(), original.signature().terms());
    let same = |term: TermId| read_term(to, &from.prefix(term)).unwrap_or(term);
    let steps = witness.steps.into_iter().map(|joint| joint.into_iter().map(same).collect());
    Witness { steps: steps.collect() }
}

/// The role whose goal 100 stands for a state that breaks the property.
const MARKED: RoleId = RoleId(0);

fn breaks(rules: &Rules, witness: &Witness) -> bool {
    Claim::Worth(MARKED).is_shown_by(witness, rules).unwrap_or(false)
}

/// What induction says; nothing at a limit.
fn induction(rules: &Rules, options: &PropertyOptions, budget: &Budget) -> Option<Proof> {
    let subject = Subject::new(rules);
    let faithful = subject.faithful(budget).ok()?;
    let mut induction = Induction::new(&faithful, &rules.seats(), [Claim::Worth(MARKED)], budget).ok()?;
    for _ in 0..=options.most_steps {
        if !induction.deepen().ok()? {
            break;
        }
    }
    induction.proofs().next().map(|(_, proof)| proof.clone())
}
