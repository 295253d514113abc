//! How long the lists of a record are: what follows from its steps and roles.

use super::replay::list_items;
use super::{MatchMismatch, MatchRecord};

/// The lists of a record whose length is not what its steps and roles call for. Lists that a record does not have are
/// not missed.
pub fn check_shape(record: &MatchRecord) -> Vec<MatchMismatch> {
    let mut shape = Shape { roles: &record.roles, steps: record.moves.len(), found: Vec::new() };
    let (steps, states) = (shape.steps, shape.steps + 1);
    shape.length("playerNamesFromHost", filled(&record.player_names_from_host), record.roles.len());
    shape.length("states", Some(&record.states), states);
    shape.length("stateTimes", record.state_times.as_deref(), states);
    shape.each("moves", Some(&record.moves), steps);
    shape.each("errors", filled(&record.errors), states);
    shape.legal_moves(record);
    shape.each("percepts", record.percepts.as_deref(), steps);
    shape.length("readyTimes", record.ready_times.as_deref(), record.roles.len());
    shape.each("moveTimes", record.move_times.as_deref(), steps);
    shape.each("reports", record.reports.as_deref(), steps);
    shape.each("goalHistory", record.goal_history.as_deref(), states);
    shape.length("goalValues", record.goal_values.as_deref(), record.roles.len());
    shape.length("rewards", record.rewards.as_deref(), record.roles.len());
    shape.each_once("percepts", record.percepts.as_deref().unwrap_or_default());
    shape.each_once("legalMoves", record.legal_moves.as_deref().unwrap_or_default());
    for (step, state) in record.states.iter().enumerate() {
        shape.once(step, |_| format!("states[{step}]"), list_items(state));
    }
    shape.found
}

/// A list that records of others may lack.
fn filled<T>(list: &[T]) -> Option<&[T]> {
    Some(list).filter(|list| !list.is_empty())
}

struct Shape<'a> {
    roles: &'a [String],
    steps: usize,
    found: Vec<MatchMismatch>,
}

impl Shape<'_> {
    fn differ(&mut self, step: usize, what: String, expected: String, found: String) {
        self.found.push(MatchMismatch { step: step as u32, what, expected, found });
    }

    fn length<T>(&mut self, field: &str, list: Option<&[T]>, wanted: usize) {
        if let Some(list) = list.filter(|list| list.len() != wanted) {
            let (expected, found) = (items(list.len()), self.called_for(wanted));
            self.differ(list.len().min(wanted), format!("length of {field}"), expected, found);
        }
    }

    /// A list of lists with an item for each role.
    fn each<T>(&mut self, field: &str, lists: Option<&[Vec<T>]>, wanted: usize) {
        self.length(field, lists, wanted);
        for (step, list) in lists.into_iter().flatten().enumerate() {
            if list.len() != self.roles.len() {
                let (expected, found) = (items(list.len()), self.called_for(self.roles.len()));
                self.differ(step, format!("length of {field}[{step}]"), expected, found);
            }
        }
    }

    /// They begin with those of the initial state twice. Others leave those of the last state out where it is
    /// terminal, so that nobody moves there.
    fn legal_moves(&mut self, record: &MatchRecord) {
        let Some(lists) = record.legal_moves.as_deref() else { return };
        let is_others = record.is_completed && record.recorded_by.is_none();
        let wanted = self.steps + 2 - usize::from(is_others && lists.len() == self.steps + 1);
        self.each("legalMoves", Some(lists), wanted);
        if let [before, first, ..] = lists
            && before != first
        {
            let text = |lists: &[Vec<String>]| {
                lists.iter().map(|list| list.join(" ")).collect::<Vec<_>>().join(" | ")
            };
            self.differ(
                0,
                "legalMoves[0], which is legalMoves[1] again".to_owned(),
                text(before),
                text(first),
            );
        }
    }

    /// What is in a list is there once.
    fn once(&mut self, step: usize, what: impl Fn(&Self) -> String, mut list: Vec<&str>) {
        list.sort_unstable();
        let twice = list.windows(2).find(|two| two[0] == two[1]);
        if let Some(&[twice, _]) = twice {
            let what = what(self);
            self.differ(step, what, format!("{twice} twice"), format!("{twice} once"));
        }
    }

    /// The same of the list of each role in each step.
    fn each_once(&mut self, field: &str, lists: &[Vec<Vec<String>>]) {
        for (step, lists) in lists.iter().enumerate() {
            for (role, list) in lists.iter().enumerate() {
                let what = |shape: &Self| format!("{field}[{step}] of {}", shape.role(role));
                self.once(step, what, list.iter().map(String::as_str).collect());
            }
        }
    }

    fn role(&self, role: usize) -> String {
        self.roles.get(role).cloned().unwrap_or_else(|| format!("role {}", role + 1))
    }

    fn called_for(&self, wanted: usize) -> String {
        let (steps, roles) = (self.steps, self.roles.len());
        format!("{}, with {steps} steps and {roles} roles", items(wanted))
    }
}

fn items(count: usize) -> String {
    if count == 1 { "1 item".to_owned() } else { format!("{count} items") }
}
