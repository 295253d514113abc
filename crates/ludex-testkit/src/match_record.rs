//! Matches that others played, as traces.

use std::path::Path;

use ludex_game::{ByRole, Trace, TraceHeader, TraceStep};
use quick_xml::Reader;
use quick_xml::events::Event;
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

/// A trace of the Dresden Game Controller: states, legal moves where a state is not terminal, joint moves,
/// goal values where it is. The file names the roles in an order of its own; `roles` is the game's.
///
/// # Errors
/// [`CorpusError`] where the file is not such a trace.
pub fn read_dresden(path: &Path, roles: &[String]) -> Result<MatchTrace, CorpusError> {
    let error = |e: &dyn std::fmt::Display| CorpusError::new(path, e);
    let text = read_text(path)?;
    let mut reader = Reader::from_str(&text);
    let mut steps: Vec<TraceStep> = Vec::new();
    let mut game = String::new();
    let seat = |role: &str| {
        roles.iter().position(|r| r == role).ok_or_else(|| error(&format!("`{role}` is not a role")))
    };
    let (mut role, mut content, mut chosen) = (String::new(), String::new(), false);
    loop {
        match reader.read_event().map_err(|e| error(&e))? {
            Event::Eof => break,
            Event::Start(start) => {
                content.clear();
                role.clear();
                for attribute in start.attributes().flatten() {
                    if attribute.key.as_ref() == b"role" {
                        role = String::from_utf8_lossy(&attribute.value).into_owned();
                    }
                }
                match start.name().as_ref() {
                    b"step" => steps.push(TraceStep {
                        playout: 0,
                        step: steps.len() as u32,
                        state: Vec::new(),
                        terminal: false,
                        legals: ByRole::default(),
                        goals: ByRole::default(),
                        joint: None,
                    }),
                    b"legal_moves" => chosen = false,
                    b"moves" => chosen = true,
                    _ => {}
                }
            }
            Event::Empty(empty) if empty.name().as_ref() == b"terminal" => {
                steps.last_mut().ok_or_else(|| error(&"no step"))?.terminal = true;
            }
            Event::Text(part) => content.push_str(&part.decode().map_err(|e| error(&e))?),
            Event::End(end) => {
                let text = content.trim().to_owned();
                match (end.name().as_ref(), steps.last_mut()) {
                    (b"game", _) => game = text,
                    (b"fluent", Some(step)) => step.state.push(normal(&text)),
                    (b"move", Some(step)) if chosen => {
                        let joint = step.joint.get_or_insert_with(|| vec![String::new(); roles.len()]);
                        joint[seat(&role)?] = normal(&text);
                    }
                    (b"move", Some(step)) => match step.legals.0.iter_mut().find(|(r, _)| *r == role) {
                        Some((_, moves)) => moves.push(normal(&text)),
                        None => step.legals.0.push((role.clone(), vec![normal(&text)])),
                    },
                    (b"goal_value", Some(step)) => {
                        let value = text.parse().map_err(|e| error(&e))?;
                        step.goals.0.push((role.clone(), Some(value)));
                    }
                    _ => {}
                }
            }
            _ => {}
        }
    }
    let last = steps.last().ok_or_else(|| error(&"no step"))?;
    let final_goals = roles.iter().filter_map(|r| last.goals.get(r).copied().flatten()).collect();
    let header = TraceHeader { game, file: None, sha256: None, roles: roles.to_vec() };
    Ok(MatchTrace { trace: Trace { header, steps }, final_goals })
}
