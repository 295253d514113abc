//! One game through several engines: they must agree on everything.

use std::fmt;

use ludex_game::{
    Answer, GameError, Machine, Mismatch, Playthrough, Trace, playthrough, record_playouts, verify,
};
use ludex_gdl::GameProgram;

use crate::configuration::{Configuration, budget};

/// How a comparison ended, where the engines agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All played the same game.
    Same(Playthrough),
    /// All ran into the same dead end.
    Stuck(GameError),
    /// Some engine reached its limit; the others agree.
    Undecided(GameError),
    /// All that ran it agree, and a net engine refused rules that others run, with a reason.
    Refused(GameError),
}

/// Two engines that differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Disagreement {
    /// The engine that was followed.
    pub expected_by: String,
    /// The engine that differs.
    pub found_by: String,
    /// How.
    pub difference: String,
}

impl fmt::Display for Disagreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} against {}: {}", self.expected_by, self.found_by, self.difference)
    }
}

/// Plays one seeded game of at most `limit` joint moves on each engine and compares all they say. Engines
/// that reach their own limits are left out, and the others compared nevertheless.
///
/// # Errors
/// [`Disagreement`] between the first engine and another one.
pub fn agree(
    game: &GameProgram,
    configurations: &[Configuration],
    seed: u64,
    limit: u32,
) -> Result<Agreement, Disagreement> {
    let mut first: Option<(Configuration, Answer<(Playthrough, Trace)>)> = None;
    let (mut limited, mut refused) = (None, None);
    for &configuration in configurations {
        let machine = configuration.machine(game);
        let played = machine.as_ref().map_err(Clone::clone).and_then(|m| play(&**m, seed, limit));
        if let Err(error @ GameError::Limit(_)) = played {
            limited = limited.or(Some(error));
            continue;
        }
        let Some((leader, expected)) = &first else {
            first = Some((configuration, played));
            continue;
        };
        let may_refuse = configuration.is_net() && !matches!(expected, Err(GameError::Unrunnable { .. }));
        if let (true, Err(error @ GameError::Unrunnable { .. })) = (may_refuse, &machine) {
            refused = refused.or_else(|| Some(error.clone()));
            continue;
        }
        let difference = match (expected, &played) {
            (Ok((ours, _)), Ok((theirs, _))) if ours == theirs => None,
            (Ok((ours, trace)), Ok((theirs, _))) => {
                let report = machine.ok().map(|m| verify(&*m, trace, &budget()).mismatches);
                let first = report.and_then(|m| m.first().map(describe));
                Some(first.unwrap_or_else(|| format!("{ours:?} became {theirs:?}")))
            }
            (Err(ours), Err(theirs)) if same_error(ours, theirs) => None,
            (Ok(_), Err(error)) => Some(format!("plays on, the other says: {error}")),
            (Err(error), Ok(_)) => Some(format!("{error}, the other plays on")),
            (Err(ours), Err(theirs)) => Some(format!("{ours}, the other says: {theirs}")),
        };
        if let Some(difference) = difference {
            let (expected_by, found_by) = (leader.to_string(), configuration.to_string());
            return Err(Disagreement { expected_by, found_by, difference });
        }
    }
    if let Some(error) = limited {
        return Ok(Agreement::Undecided(error));
    }
    if let Some(error) = refused {
        return Ok(Agreement::Refused(error));
    }
    Ok(match first {
        Some((_, Ok((playthrough, _)))) => Agreement::Same(playthrough),
        Some((_, Err(error))) => Agreement::Stuck(error),
        None => Agreement::Undecided(GameError::Unrunnable { reason: "no engine was named".into() }),
    })
}

fn play(machine: &dyn Machine, seed: u64, limit: u32) -> Answer<(Playthrough, Trace)> {
    let played = playthrough(machine, seed, limit, &budget())?;
    Ok((played, record_playouts(machine, "", 1, seed, limit, &budget())?))
}

/// Reasons why rules cannot be run are worded by each engine.
fn same_error(a: &GameError, b: &GameError) -> bool {
    matches!((a, b), (GameError::Unrunnable { .. }, GameError::Unrunnable { .. })) || a == b
}

fn describe(mismatch: &Mismatch) -> String {
    let Mismatch { step, what, expected, found, .. } = mismatch;
    format!("step {step}, {what}: expected `{expected}`, found `{found}`")
}

/// The trace with every name replaced, as after a consistent renaming of the rulesheet.
pub fn rename_trace(trace: &Trace, rename: &dyn Fn(&str) -> String) -> Trace {
    let text = |text: &String| -> String {
        let mut out = String::new();
        let mut name = String::new();
        for c in text.chars().chain([' ']) {
            if c.is_whitespace() || c == '(' || c == ')' {
                if !name.is_empty() {
                    out.push_str(&rename(&name));
                    name.clear();
                }
                out.push(c);
            } else {
                name.push(c);
            }
        }
        out.pop();
        out
    };
    let mut renamed = trace.clone();
    renamed.header.roles = trace.header.roles.iter().map(text).collect();
    for step in &mut renamed.steps {
        step.state = step.state.iter().map(text).collect();
        for (role, moves) in &mut step.legals.0 {
            *role = text(role);
            *moves = moves.iter().map(text).collect();
        }
        for (role, _) in &mut step.goals.0 {
            *role = text(role);
        }
        step.joint = step.joint.as_ref().map(|joint| joint.iter().map(text).collect());
    }
    renamed
}
