//! Matches that others played, as traces.

use std::path::Path;

use ludex_game::{ByRole, Trace, TraceHeader, TraceStep};
use serde::Deserialize;

use crate::corpus::{CorpusError, read_text, stem};
use crate::rules::Rules;

/// The match JSON of the GGP ecosystem, as far as a replay needs it.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct MatchJson {
    goal_history: Vec<Vec<u32>>,
    goal_values: Vec<u32>,
    legal_moves: Vec<Vec<Vec<String>>>,
    moves: Vec<Vec<String>>,
    roles: Vec<String>,
    states: Vec<String>,
}

/// A match JSON as a trace. `moves[i]` was chosen from `legalMoves[i+1]`, which belongs to `states[i]`;
/// where the list stops early, the legal moves of the last state are not compared.
///
/// # Errors
/// [`CorpusError`] where the file is not such a record.
pub fn read_match_json(path: &Path) -> Result<MatchTrace, CorpusError> {
    let error = |e: &dyn std::fmt::Display| CorpusError::new(path, e);
    let record: MatchJson = serde_json::from_str(&read_text(path)?).map_err(|e| error(&e))?;
    let steps = record.states.iter().enumerate().map(|(i, state)| {
        let facts = Rules::parse(state).ok_or_else(|| error(&"brackets"))?;
        let facts = facts.0.first().map_or(&[][..], |list| list.items());
        let legals = record.legal_moves.get(i + 1).map(|lists| {
            let lists = lists.iter().map(|l| l.iter().map(|m| normal(m)).collect::<Vec<_>>());
            ByRole(record.roles.iter().cloned().zip(lists).collect())
        });
        let goals = record.goal_history.get(i).map_or(&[][..], Vec::as_slice);
        let goals = record.roles.iter().cloned().zip(goals.iter().map(|&g| Some(g))).collect();
        Ok(TraceStep {
            playout: 0,
            step: i as u32,
            state: facts.iter().map(ToString::to_string).collect(),
            terminal: i + 1 == record.states.len(),
            legals: legals.unwrap_or_default(),
            goals: ByRole(goals),
            joint: record.moves.get(i).map(|joint| joint.iter().map(|m| normal(m)).collect()),
        })
    });
    let steps = steps.collect::<Result<_, CorpusError>>()?;
    let (file, game) = (stem(path), stem(path));
    let game = game.split('.').next().unwrap_or_default().to_owned();
    let header = TraceHeader { game, file: Some(file), sha256: None, roles: record.roles };
    Ok(MatchTrace { trace: Trace { header, steps }, final_goals: record.goal_values })
}

/// A match with its result.
#[derive(Clone, Debug)]
pub struct MatchTrace {
    /// The states; `legals` and `goals` hold only what was recorded.
    pub trace: Trace,
    /// The goal value of each role at the end.
    pub final_goals: Vec<u32>,
}

fn normal(text: &str) -> String {
    Rules::parse(text).and_then(|r| r.0.first().map(ToString::to_string)).unwrap_or_default()
}

/// A trace of the Dresden Game Controller, with the roles in the game's order.
///
/// # Errors
/// [`CorpusError`] where the file is not such a trace.
pub fn read_dresden(path: &Path, roles: &[String]) -> Result<MatchTrace, CorpusError> {
    let mut trace = Trace::read_dresden(&read_text(path)?).map_err(|e| CorpusError::new(path, e))?;
    trace.order_roles(roles);
    let goals = trace.steps.last().map(|last| last.goals.clone()).unwrap_or_default();
    let final_goals = trace.header.roles.iter().filter_map(|r| goals.get(r).copied().flatten()).collect();
    Ok(MatchTrace { trace, final_goals })
}
