//! One game through several engines: they must agree on everything.

use std::fmt;

use ludex_game::{
    Answer, GameError, Machine, Mismatch, Playthrough, RuleMachine, RuleMachineOptions, Trace, playthrough,
    record_playouts, verify,
};
use ludex_gdl::GameProgram;
use ludex_logic::Budget;

use crate::reference::oracle_machine;
use crate::top_down::top_down_machine;

/// A way of running a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Configuration {
    /// The rule machine: bottom-up, per state only what the question needs.
    Rules,
    /// The rule machine as it comes, without tuning.
    Untuned,
    /// The rule machine without tuning that asks every relation it can with bound arguments.
    Asked,
    /// Derivations, top-down.
    TopDown,
    /// The oracle: models by enumeration.
    Oracle,
}

impl fmt::Display for Configuration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Configuration::Rules => "rule machine",
            Configuration::Untuned => "untuned rule machine",
            Configuration::Asked => "rule machine that asks",
            Configuration::TopDown => "top-down",
            Configuration::Oracle => "oracle",
        })
    }
}

/// What one question may cost in a comparison.
const WORK: u64 = 3_000_000;

impl Configuration {
    /// All of them.
    pub const ALL: [Configuration; 5] = [
        Configuration::Rules,
        Configuration::Untuned,
        Configuration::Asked,
        Configuration::TopDown,
        Configuration::Oracle,
    ];

    /// The game as a machine.
    ///
    /// # Errors
    /// [`GameError`] where this engine cannot run it.
    pub fn machine(self, game: &GameProgram) -> Answer<Box<dyn Machine>> {
        Ok(match self {
            Configuration::Rules => crate::rule_machine(game)?,
            Configuration::Untuned => untuned(game, f64::INFINITY)?,
            Configuration::Asked => untuned(game, 0.0)?,
            Configuration::TopDown => Box::new(top_down_machine(game, &budget())?),
            Configuration::Oracle => Box::new(oracle_machine(game, WORK)?),
        })
    }
}

fn untuned(game: &GameProgram, asked_threshold: f64) -> Answer<Box<dyn Machine>> {
    let options = RuleMachineOptions {
        tune: false,
        asked_threshold,
        budget: budget(),
        ..RuleMachineOptions::default()
    };
    Ok(Box::new(RuleMachine::new(game, &options)?))
}

fn budget() -> Budget {
    Budget::unlimited().with_work(WORK).with_memory(1 << 28)
}

/// How a comparison ended, where the engines agree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Agreement {
    /// All played the same game.
    Same(Playthrough),
    /// All ran into the same dead end.
    Stuck(GameError),
    /// Some engine reached its limit first: this says nothing.
    Undecided(GameError),
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

/// Plays one seeded game of at most `limit` joint moves on each engine and compares all they say.
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
    for &configuration in configurations {
        let machine = configuration.machine(game);
        let played = machine.as_ref().map_err(Clone::clone).and_then(|m| play(&**m, seed, limit));
        if let Err(error @ GameError::Limit(_)) = played {
            return Ok(Agreement::Undecided(error));
        }
        let Some((leader, expected)) = &first else {
            first = Some((configuration, played));
            continue;
        };
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
