//! Recorded matches, played again.

use ludex_game::{
    ByRole, MoveError, Position, RoleId, Rules, Trace, TraceHeader, TraceStep, VerifyReport, sha256,
};
use ludex_logic::TermId;
use serde::Serialize;

use super::{MatchRecord, check_shape};

/// Something in a record that the rules do not bear out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchMismatch {
    /// The number of joint moves made before.
    pub step: u32,
    /// What was compared, such as `legal white`.
    pub what: String,
    /// What the record says.
    pub expected: String,
    /// What the rules say.
    pub found: String,
}

/// How a record compares with a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct MatchReport {
    /// The states compared.
    pub steps: u64,
    /// All differences, by step.
    pub mismatches: Vec<MatchMismatch>,
}

/// Plays the moves of a record from the initial state.
///
/// ```
/// use ludex_match::{Match, MatchSetup, replay_match};
///
/// // The rules are those of nim.
/// # let rules = ludex_testkit::playable_bundled("nim")?;
/// # let mut course = Match::new(rules.clone(), MatchSetup::default())?;
/// # while !course.is_over() {
/// #     course.submit(&[], None)?;
/// # }
/// // `course` was played to its end.
/// let mut position = replay_match(&rules, &course.record())?;
/// assert!(position.terminal()? && position.jump(0) && !position.terminal()?);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// [`MoveError`] at the first move that is not legal.
pub fn replay_match(rules: &Rules, record: &MatchRecord) -> Result<Position, MoveError> {
    let mut position = rules.start();
    for joint in &record.moves {
        position.play(joint)?;
    }
    Ok(position)
}

/// Compares everything in a record with the rules: that they are those of its digest where it holds none, roles, states, legal moves,
/// that the moves made are legal, goals, percepts, whether the end is one, and that every list is as long as the
/// steps and roles call for.
///
/// ```
/// use ludex_match::{Match, MatchSetup, verify_match};
///
/// // The rules are those of nim.
/// # let rules = ludex_testkit::playable_bundled("nim")?;
/// # let mut course = Match::new(rules.clone(), MatchSetup::default())?;
/// # while !course.is_over() {
/// #     course.submit(&[], None)?;
/// # }
/// // `course` was played to its end.
/// let mut record = course.record();
/// assert_eq!(verify_match(&rules, &record).mismatches, []);
/// record.moves.swap(0, 1);
/// assert!(!verify_match(&rules, &record).mismatches.is_empty());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn verify_match(rules: &Rules, record: &MatchRecord) -> MatchReport {
    let trace = record.to_trace();
    let VerifyReport { steps, mismatches } = rules.verify(&trace);
    let from_trace = mismatches.into_iter().map(|m| MatchMismatch {
        step: m.step,
        what: m.what.to_string(),
        expected: m.expected,
        found: m.found,
    });
    let mut report = MatchReport { steps, mismatches: from_trace.collect() };
    follow(rules, record, &mut report);
    report.mismatches.extend(check_shape(record));
    report.mismatches.extend(other_rules(rules, record));
    report.mismatches.sort_by_key(|m| m.step);
    report
}

/// That the rules are not those of the digest in a record. Whoever compares a record that holds its own rules with
/// others wants that, such as with the same rules in the other notation.
fn other_rules(rules: &Rules, record: &MatchRecord) -> Option<MatchMismatch> {
    let said = record.rulesheet_sha256.as_ref()?;
    let is = |digest: &str| digest.eq_ignore_ascii_case(said);
    if is(rules.sha256()) || record.rulesheet.as_ref().is_some_and(|own| is(&sha256(own))) {
        return None;
    }
    let (what, expected, found) =
        ("SHA-256 of the rules".to_owned(), said.clone(), rules.sha256().to_owned());
    Some(MatchMismatch { step: 0, what, expected, found })
}

/// Compares what traces do not hold: legality of the moves made, percepts, the result.
fn follow(rules: &Rules, record: &MatchRecord, report: &mut MatchReport) {
    let mut position = rules.start();
    for (step, joint) in record.moves.iter().enumerate() {
        let mut differ = |what: String, expected: String, found: String| {
            report.mismatches.push(MatchMismatch { step: step as u32, what, expected, found });
        };
        if let Err(error) = position.play(joint) {
            differ("moves".into(), joint.join(" "), error.to_string());
            return;
        }
        let Some(percepts) = record.percepts.as_ref().and_then(|p| p.get(step)) else { continue };
        for (role, expected) in rules.roles().zip(percepts) {
            let found = position.percepts(role);
            let known: Vec<Option<TermId>> =
                expected.iter().map(|text| rules.find_term(text).ok().flatten()).collect();
            let same = known.len() == found.len() && found.iter().all(|f| known.contains(&Some(*f)));
            if !same {
                let found = rules.texts(found).join(" ");
                differ(format!("percepts {}", rules.role_name(role)), expected.join(" "), found);
            }
        }
    }
    let step = record.moves.len() as u32;
    let mut differ = |what: &str, expected: String, found: String| {
        report.mismatches.push(MatchMismatch { step, what: what.into(), expected, found });
    };
    match position.terminal() {
        Ok(terminal) if terminal == record.is_completed => {}
        Ok(terminal) => differ("completed", record.is_completed.to_string(), terminal.to_string()),
        Err(error) => differ("completed", record.is_completed.to_string(), error.to_string()),
    }
    let Some(expected) = &record.goal_values else { return };
    match position.goals() {
        Ok(goals) if goals == *expected => {}
        Ok(goals) => differ("goal values", format!("{expected:?}"), format!("{goals:?}")),
        Err(error) => differ("goal values", format!("{expected:?}"), error.to_string()),
    }
}

impl MatchRecord {
    /// The record as a trace of one playout, for [`Rules::verify`].
    pub fn to_trace(&self) -> Trace {
        let roles = || self.roles.iter().cloned();
        let steps = self.states.iter().enumerate().map(|(i, state)| {
            let legals = self.legal_moves.as_ref().and_then(|lists| lists.get(i + 1)).into_iter().flatten();
            let goals = self.goal_history.as_ref().and_then(|lists| lists.get(i)).into_iter().flatten();
            TraceStep {
                playout: 0,
                step: i as u32,
                state: list_items(state).into_iter().map(str::to_owned).collect(),
                terminal: self.is_completed && i + 1 == self.states.len(),
                legals: ByRole(roles().zip(legals.cloned()).collect()),
                goals: ByRole(roles().zip(goals.copied()).collect()),
                joint: self.moves.get(i).cloned(),
            }
        });
        let header = TraceHeader {
            game: self.game_name.clone().unwrap_or_default(),
            file: None,
            sha256: self.rulesheet_sha256.clone(),
            roles: self.roles.clone(),
        };
        Trace { header, steps: steps.collect() }
    }

    /// What the last state is worth to a role, if the record says so.
    pub fn goal(&self, role: RoleId) -> Option<ludex_game::Goal> {
        self.goal_values.as_ref()?.get(role.index()).copied().flatten()
    }
}

/// The texts of the items of a list: `((cell 1 b) noop)` gives `(cell 1 b)` and `noop`.
pub(crate) fn list_items(text: &str) -> Vec<&str> {
    let text = text.trim();
    let inner = text.strip_prefix('(').and_then(|t| t.strip_suffix(')')).unwrap_or(text);
    let mut items = Vec::new();
    let (mut depth, mut start) = (0usize, None);
    for (i, c) in inner.char_indices() {
        match c {
            '(' => {
                if depth == 0 {
                    items.extend(start.take().map(|s: usize| &inner[s..i]));
                    start = Some(i);
                }
                depth += 1;
            }
            ')' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    items.extend(start.take().map(|s| &inner[s..=i]));
                }
            }
            c if c.is_whitespace() && depth == 0 => items.extend(start.take().map(|s| &inner[s..i])),
            _ if start.is_none() => start = Some(i),
            _ => {}
        }
    }
    items.extend(start.map(|s| &inner[s..]));
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_fall_apart_into_items() {
        assert_eq!(list_items("( ( cell 1 b ) noop (f (g a))x)"), ["( cell 1 b )", "noop", "(f (g a))", "x"]);
        assert_eq!(list_items("()"), [""; 0]);
        assert_eq!(list_items("(a"), ["(a"]);
    }
}
