//! Strategies in words, for people and for programs.

use std::fmt;

use ludex_game::News;
use ludex_logic::{Id, TermId};
use serde::Serialize;

use super::behaviour::BehaviourStrategy;
use super::sequence_form::SequenceForm;

/// An information set in words, with what a strategy does there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SetText {
    /// What the role was told, step by step.
    pub told: Vec<StepText>,
    /// The moves with their probabilities, in canonical order.
    pub moves: Vec<MoveText>,
    /// The probability that the role comes here where everybody plays by the strategies.
    pub reach: f64,
}

/// What a role was told in a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepText {
    /// The moves that it was told: its own, or in GDL those of all roles.
    pub moves: Vec<String>,
    /// What it saw (GDL-II).
    pub percepts: Vec<String>,
    /// Whether it had several moves to choose from.
    pub chosen: bool,
}

/// A move with its probability.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveText {
    /// The move.
    #[serde(rename = "move")]
    pub action: String,
    /// How likely it is made.
    pub probability: f64,
}

/// A strategy for each information set of a role, named by its place among [`SequenceForm::roles`], in the order of
/// the sets. `write` writes terms: as the rulesheet does ([`text`](ludex_game::Signature::text)), or in prefix
/// notation for programs.
///
/// # Panics
/// If there are not as many strategies as roles, or they belong to another game.
pub fn strategy_text(
    form: &SequenceForm,
    role: usize,
    strategies: &[BehaviourStrategy],
    write: &dyn Fn(TermId) -> String,
) -> Vec<SetText> {
    assert_eq!(strategies.len(), form.roles().len(), "each role has a strategy");
    let sets = &form.roles()[role];
    let plan = strategies[role].plan(sets);
    let reach = form.reach(role, &form.other_plan(role, strategies.get(1 - role)));
    let step = |(news, chosen): (News, bool)| {
        let (moves, percepts) = match news {
            News::Joint(joint) => (joint, Vec::new()),
            News::Percepts { action, percepts } => (vec![action], percepts),
        };
        let texts = |terms: Vec<TermId>| terms.into_iter().map(write).collect();
        StepText { moves: texts(moves), percepts: texts(percepts), chosen }
    };
    let text = |set| {
        let moves = sets.moves(set).iter().zip(strategies[role].of(sets, set));
        SetText {
            told: sets.news(set).into_iter().zip(sets.had_choice(set)).map(step).collect(),
            moves: moves.map(|(&term, &probability)| MoveText { action: write(term), probability }).collect(),
            reach: plan[sets.parent(set).index()] * reach[set.index()],
        }
    };
    sets.ids().map(text).collect()
}

impl fmt::Display for SetText {
    /// What the role was told, in a line: steps apart by semicolons. In GDL-II its own moves are left out where it
    /// had no choice, and steps in which it then was told nothing.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps: Vec<String> =
            self.told.iter().map(ToString::to_string).filter(|step| !step.is_empty()).collect();
        if steps.is_empty() { f.write_str("nothing yet") } else { f.write_str(&steps.join("; ")) }
    }
}

impl fmt::Display for StepText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let is_shown = self.chosen || self.moves.len() > 1;
        let mut parts = if is_shown { vec![self.moves.join(" ")] } else { Vec::new() };
        if !self.percepts.is_empty() {
            parts.push(format!("sees {}", self.percepts.join(" ")));
        }
        f.write_str(&parts.join(", "))
    }
}
