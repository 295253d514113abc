//! Playouts of traces as records.

#[cfg(feature = "xml")]
use ludex_game::DresdenError;
use ludex_game::{Goal, Trace, TraceStep};

use super::MatchRecord;

impl MatchRecord {
    /// A playout of a trace as the record of a match. `None` where the trace has no such playout.
    ///
    /// What a trace does not hold is left out: who played, clocks and times. It counts as completed where
    /// its last state is terminal.
    pub fn of_playout(trace: &Trace, playout: u32) -> Option<Self> {
        let steps: Vec<&TraceStep> = trace.steps.iter().filter(|step| step.playout == playout).collect();
        let last = steps.last()?;
        let roles = &trace.header.roles;
        let legal_of = |step: &TraceStep| -> Option<Vec<Vec<String>>> {
            roles.iter().map(|role| step.legals.get(role).cloned()).collect()
        };
        let goals_of = |step: &TraceStep| -> Vec<Option<Goal>> {
            roles.iter().map(|role| step.goals.get(role).copied().flatten()).collect()
        };
        // Legal moves that are not known end the list, so that it says nothing about states without.
        let legal: Vec<Vec<Vec<String>>> = steps.iter().map_while(|step| legal_of(step)).collect();
        let with_goals = |step: &TraceStep| roles.iter().all(|role| step.goals.get(role).is_some());
        let moves: Vec<Vec<String>> = steps.iter().map_while(|step| step.joint.clone()).collect();
        Some(MatchRecord {
            game_name: Some(trace.header.game.clone()).filter(|game| !game.is_empty()),
            rulesheet_sha256: trace.header.sha256.clone(),
            roles: roles.clone(),
            states: steps.iter().map(|step| format!("({})", step.state.join(" "))).collect(),
            errors: vec![vec![String::new(); roles.len()]; moves.len() + 1],
            moves,
            legal_moves: (!legal.is_empty())
                .then(|| legal.first().into_iter().chain(&legal).cloned().collect()),
            goal_history: steps
                .iter()
                .all(|step| with_goals(step))
                .then(|| steps.iter().map(|step| goals_of(step)).collect()),
            goal_values: (last.terminal && with_goals(last)).then(|| goals_of(last)),
            is_completed: last.terminal,
            ..MatchRecord::default()
        })
    }

    /// Reads an XML trace of the Dresden Game Controller as the record of a match. Its roles are in no
    /// particular order: `roles` are those of the game in order, and may be left out where any order
    /// will do.
    ///
    /// # Errors
    /// [`DresdenError`] where the text is not such a trace.
    #[cfg(feature = "xml")]
    pub fn read_dresden(text: &str, roles: &[String]) -> Result<Self, DresdenError> {
        let mut trace = Trace::read_dresden(text)?;
        if !roles.is_empty() {
            trace.order_roles(roles);
        }
        Self::of_playout(&trace, 0).ok_or(DresdenError::NoStep)
    }
}
