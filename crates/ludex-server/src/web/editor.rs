//! The editor of rules: what it shows beside a text that somebody is writing. It is asked again and again while they type.

use askama::Template;
use axum::Json;
use axum::response::IntoResponse;
use serde::{Deserialize, Serialize};

use super::asked::{Answer, Asked};
use super::board::Drawing;
use super::failure::{WebFailure, sentence};
use super::findings::{self, FindingView};
use crate::manager::Manager;
use crate::model::{Actor, GameFinding};
use crate::preparation::{ExploreStep, ExploreWish, Explored, ExploredState, LegalAsked, Reasons, RoleMoves};

/// What is asked about a text.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EditorQuestion {
    text: String,
    /// What has happened so far.
    #[serde(default)]
    steps: Vec<ExploreStep>,
    /// The number of a role, and a move of which it is asked why it is legal.
    why: Option<(usize, String)>,
}

/// What the editor is told.
#[derive(Serialize)]
struct EditorAnswer {
    /// The lines that findings are about, with the worst that is said of each.
    marks: Vec<(usize, String)>,
    /// The findings, as a part of the page.
    findings: String,
    /// The state, as a part of the page.
    state: String,
    /// How many of the steps could be made.
    made: usize,
}

#[derive(Template)]
#[template(path = "editor_findings.html")]
struct FindingsPart {
    findings: Vec<FindingView>,
    more: usize,
}

#[derive(Template)]
#[template(path = "editor_state.html")]
struct StatePart {
    problem: String,
    /// Whether there is a state.
    runs: bool,
    terminal: bool,
    board: Drawing,
    /// The number of steps, and what happened in the last of them.
    step: usize,
    last: Vec<String>,
    /// In real time, the time.
    time: Option<String>,
    roles: Vec<RoleMoves>,
    more_roles: usize,
    reasons: Option<Reasons>,
}

/// So many roles are shown, with their moves.
const ROLES: usize = 16;

pub(super) async fn answer(asked: Asked, Json(question): Json<EditorQuestion>) -> Answer {
    let actor = asked.actor().clone();
    asked.web.ask(move |manager| Ok(Json(told(manager, &actor, question)?).into_response())).await
}

fn told(manager: &Manager, actor: &Actor, question: EditorQuestion) -> Result<EditorAnswer, WebFailure> {
    // A form sends line ends as pairs; the rules are the same on every way in.
    let text = question.text.replace("\r\n", "\n");
    if text.trim().is_empty() {
        return Ok(EditorAnswer { marks: vec![], findings: String::new(), state: String::new(), made: 0 });
    }
    let why = question.why.map(|(role, action)| LegalAsked { role, action });
    let explored = manager.explore_game_for(actor, &text, ExploreWish { steps: question.steps, why })?;
    let Explored { check, state, problem } = explored;
    let shown = findings::views(&text, &check.findings);
    let more = check.findings.len() + check.left_out - shown.len();
    let made = state.as_ref().map_or(0, |state| state.made.len());
    Ok(EditorAnswer {
        marks: marks(&check.findings),
        findings: FindingsPart { findings: shown, more }.render()?,
        state: StatePart::of(state, problem).render()?,
        made,
    })
}

/// The lines that findings are about, with the worst severity of each, in order.
fn marks(findings: &[GameFinding]) -> Vec<(usize, String)> {
    let rank = |severity: &str| ["error", "warning", "note"].iter().position(|known| *known == severity);
    let placed = findings.iter().filter(|finding| finding.place.end > 0);
    let mut marks: Vec<(usize, String)> =
        placed.map(|finding| (finding.place.line, finding.severity.clone())).collect();
    marks.sort_by_key(|(line, severity)| (*line, rank(severity)));
    marks.dedup_by_key(|(line, _)| *line);
    marks
}

impl StatePart {
    fn of(state: Option<ExploredState>, problem: Option<String>) -> Self {
        let runs = state.is_some();
        let state = state.unwrap_or_default();
        let mut roles = state.roles;
        let more_roles = roles.len().saturating_sub(ROLES);
        roles.truncate(ROLES);
        Self {
            problem: problem.map(|problem| sentence(&problem)).unwrap_or_default(),
            runs,
            terminal: state.terminal,
            board: Drawing::of(&state.picture, false),
            step: state.made.len(),
            time: state.time,
            last: state.made.into_iter().last().unwrap_or_default(),
            roles,
            more_roles,
            reasons: state.reasons,
        }
    }

    /// Whether moves can be made: in steps each role has to have one.
    fn can_step(&self) -> bool {
        let mut roles = self.roles.iter().map(|role| !role.moves.is_empty());
        let has_moves = if self.time.is_some() { roles.any(|has| has) } else { roles.all(|has| has) };
        !self.terminal && self.more_roles == 0 && has_moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TextPlace;

    #[test]
    fn of_each_line_the_worst_is_marked() {
        let finding = |line: usize, severity: &str| GameFinding {
            code: "L000".to_owned(),
            severity: severity.to_owned(),
            message: String::new(),
            place: TextPlace {
                start: 0,
                end: usize::from(line > 0),
                line,
                column: 1,
                end_line: line,
                end_column: 2,
            },
            labels: Vec::new(),
            hint: None,
        };
        let findings = [
            finding(3, "note"),
            finding(3, "error"),
            finding(1, "warning"),
            finding(3, "warning"),
            finding(0, "error"),
        ];
        assert_eq!(marks(&findings), [(1, "warning".to_owned()), (3, "error".to_owned())]);
    }
}
