//! Heuristics: what a state that is not terminal may be worth, from what can be seen of it (book 7.3).
//!
//! A [`Feature`] is one measure, 0 to 100 for each role; there is a file for each kind. [`Learned`] is a
//! weighted combination of several, with weights that come from random games.

mod evaluation;
mod fuzzy;
mod goal_value;
mod learned;
mod mixture;
mod mobility;
mod proximity;
mod random_games;
mod reach;
mod weighting;

use ludex_analysis::knowledge::Topics;
use ludex_game::{Answer, Goal, RoleId, State};
use ludex_logic::Budget;

use crate::explorer::{Explorer, OpenedState};
use crate::strategy::Arena;

pub(crate) use evaluation::Evaluation;
pub use fuzzy::Fuzzy;
pub use goal_value::GoalValue;
pub use learned::{Learned, LearnedFrom};
pub use mixture::Mixture;
pub use mobility::Mobility;
pub use proximity::Proximity;
pub use reach::Reach;
pub use weighting::Regression;

/// A measure of states.
pub trait Feature: Send {
    /// Takes a seat: what is remembered in states or ids of another machine is to be forgotten.
    fn sit(&mut self, arena: &Arena) {
        let _ = arena;
    }

    /// What it would like to know of the game ([`Strategy::wants`](crate::Strategy::wants)).
    fn wants(&self) -> Topics {
        Topics::NONE
    }

    /// Hears that more is known of the game than before ([`Arena::knowledge_of_states`]).
    fn inform(&mut self, arena: &Arena) {
        let _ = arena;
    }

    /// What a state that is not terminal scores for a role, 0 to 100.
    ///
    /// # Errors
    /// A limit, or what the machine answers.
    fn score(&mut self, explorer: &mut Explorer<'_>, position: &OpenedState, role: RoleId) -> Answer<f64>;

    /// Learns from random games that it plays itself, before a match, within the budget; says from how
    /// many. Most features have nothing to learn.
    ///
    /// # Errors
    /// What the machine answers; limits are no errors here.
    fn learn(&mut self, arena: &Arena, budget: &Budget, seed: u64) -> Answer<LearnedFrom> {
        let _ = (arena, budget, seed);
        Ok(LearnedFrom::default())
    }

    /// Learns from how a random game ended. Most features have nothing to learn.
    fn analysis(&mut self, end: &State, goals: &[Goal]) {
        let _ = (end, goals);
    }
}

/// Whose view a feature takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Whose {
    /// The role's own.
    #[default]
    Own,
    /// The mean of all others', chance left out.
    Opponents,
}

impl Whose {
    /// The mean of what a measure is for those whose view it is; 0 where there is nobody.
    fn mean(
        self,
        explorer: &mut Explorer<'_>,
        role: RoleId,
        mut measure: impl FnMut(&mut Explorer<'_>, RoleId) -> Answer<f64>,
    ) -> Answer<f64> {
        if self == Self::Own {
            return measure(explorer, role);
        }
        let random = explorer.random();
        let (mut sum, mut count) = (0.0, 0);
        for other in explorer.roles().filter(|&other| other != role && Some(other) != random) {
            sum += measure(explorer, other)?;
            count += 1;
        }
        Ok(if count > 0 { sum / f64::from(count) } else { 0.0 })
    }
}

/// The names of the heuristics that can be asked for, with a word on each.
pub(crate) const NAMES: &str = "learned, mobility, focus, opponents-mobility, opponents-focus, reach, \
    narrowness, opponents-reach, opponents-narrowness, proximity, goal, fuzzy, opponents-fuzzy or \
    fuzzy-difference; several mixed as fuzzy+mobility, or with weights as 3*fuzzy+mobility";

/// How to make features of names.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeatureOptions {
    /// How far mobility and reach look ahead.
    pub(crate) steps: u32,
    /// Whether fuzzy goals are among what weights are learned for.
    pub(crate) fuzzy: bool,
}

/// The feature of this name, or a mixture.
pub(crate) fn feature(text: &str, options: FeatureOptions) -> Option<Box<dyn Feature>> {
    if !text.contains(['+', '*']) {
        return single(text, options);
    }
    let part = |part: &str| {
        let (weight, name) = part.split_once('*').unwrap_or(("1", part));
        Some((weight.trim().parse().ok()?, single(name.trim(), options)?))
    };
    let parts: Option<Vec<_>> = text.split('+').map(part).collect();
    Some(Box::new(Mixture::new(parts?)?))
}

fn single(name: &str, FeatureOptions { steps, fuzzy }: FeatureOptions) -> Option<Box<dyn Feature>> {
    let (whose, kind) = match name.strip_prefix("opponents-") {
        Some(kind) => (Whose::Opponents, kind),
        None => (Whose::Own, name),
    };
    Some(match kind {
        "mobility" => Box::new(Mobility::new(whose, steps)),
        "focus" => Box::new(Mobility::new(whose, steps).inverse()),
        "reach" => Box::new(Reach::new(whose, steps)),
        "narrowness" => Box::new(Reach::new(whose, steps).inverse()),
        "fuzzy" => Box::new(Fuzzy::new(whose)),
        "fuzzy-difference" if whose == Whose::Own => Box::new(Fuzzy::difference()),
        "proximity" if whose == Whose::Own => Box::new(Proximity::new(whose)),
        "goal" if whose == Whose::Own => Box::new(GoalValue::new(whose)),
        "learned" if whose == Whose::Own => Box::new(Learned::usual(fuzzy)),
        _ => return None,
    })
}
