//! What there is to see of a match, whether it is running or recorded. Not to be had outside of views.

use ludex_game::{Goal, RoleId};
use ludex_gdl::Dialect;
use ludex_logic::TermId;

use crate::course::{Fault, Match, MatchStatus};
use crate::record::{MatchRecord, list_items};

/// The truth about a match. Terms are in prefix notation.
pub(super) trait Source {
    fn id(&self) -> String;
    fn game(&self) -> Option<String>;
    /// Whether players do not see everything (GDL-II).
    fn has_secrets(&self) -> bool;
    fn status(&self) -> MatchStatus;
    fn roles(&self) -> Vec<String>;
    fn random_role(&self) -> Option<usize>;
    fn players(&self) -> Vec<String>;
    fn steps(&self) -> usize;
    fn facts(&self, step: usize) -> Vec<String>;
    fn legal(&self, step: usize, role: RoleId) -> Vec<String>;
    fn goals(&self, step: usize) -> Vec<Option<Goal>>;
    fn time(&self, step: usize) -> Option<u64>;
    fn joint(&self, step: usize) -> Vec<String>;
    fn percepts(&self, step: usize) -> Vec<Vec<String>>;
    /// What went wrong in a step, or before the first one.
    fn errors(&self, step: Option<usize>) -> Vec<String>;
    fn times(&self, step: usize) -> Vec<Option<u64>>;
}

impl Source for &Match {
    fn id(&self) -> String {
        self.setup().id.clone()
    }

    fn game(&self) -> Option<String> {
        Some(self.rules().short_name().to_owned())
    }

    fn has_secrets(&self) -> bool {
        self.rules().dialect() == Dialect::GdlII
    }

    fn status(&self) -> MatchStatus {
        Match::status(self).clone()
    }

    fn roles(&self) -> Vec<String> {
        self.texts(self.rules().signature().roles())
    }

    fn random_role(&self) -> Option<usize> {
        self.rules().random_role().map(RoleId::index)
    }

    fn players(&self) -> Vec<String> {
        self.player_names()
    }

    fn steps(&self) -> usize {
        Match::steps(self).len()
    }

    fn facts(&self, step: usize) -> Vec<String> {
        let state = self.history().state_at(step);
        state.map_or_else(Vec::new, |state| self.texts(&self.rules().facts(state)))
    }

    fn legal(&self, step: usize, role: RoleId) -> Vec<String> {
        let legal = self.looks().get(step).and_then(|look| look.legal.get(role.index()));
        legal.map_or_else(Vec::new, |legal| self.texts(legal))
    }

    fn goals(&self, step: usize) -> Vec<Option<Goal>> {
        self.looks().get(step).map_or_else(Vec::new, |look| look.goals.clone())
    }

    fn time(&self, step: usize) -> Option<u64> {
        self.looks().get(step)?.time
    }

    fn joint(&self, step: usize) -> Vec<String> {
        let step = Match::steps(self).get(step);
        step.map_or_else(Vec::new, |step| self.texts(&step.joint))
    }

    fn percepts(&self, step: usize) -> Vec<Vec<String>> {
        let step = Match::steps(self).get(step);
        step.map_or_else(Vec::new, |step| step.percepts.iter().map(|seen| self.texts(seen)).collect())
    }

    fn errors(&self, step: Option<usize>) -> Vec<String> {
        let faults = match step {
            None => self.start_faults(),
            Some(step) => Match::steps(self).get(step).map_or(&[][..], |step| &step.faults),
        };
        faults.iter().map(|fault| fault.as_ref().map_or_else(String::new, Fault::code)).collect()
    }

    fn times(&self, step: usize) -> Vec<Option<u64>> {
        let notes = self.notes().get(step).map_or(&[][..], Vec::as_slice);
        let milliseconds = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        notes.iter().map(|note| note.time.map(milliseconds)).collect()
    }
}

impl Match {
    fn texts(&self, terms: &[TermId]) -> Vec<String> {
        let all = self.rules().signature().terms();
        terms.iter().map(|&term| all.prefix(term)).collect()
    }
}

impl Source for &MatchRecord {
    fn id(&self) -> String {
        self.match_id.clone()
    }

    fn game(&self) -> Option<String> {
        self.game_name.clone()
    }

    fn has_secrets(&self) -> bool {
        self.percepts.is_some() || self.dialect.as_ref().is_some_and(|d| *d == Dialect::GdlII.to_string())
    }

    fn status(&self) -> MatchStatus {
        if self.is_aborted {
            MatchStatus::Aborted(self.abort_cause.clone().unwrap_or_default())
        } else if self.is_completed {
            MatchStatus::Completed
        } else {
            MatchStatus::Running
        }
    }

    fn roles(&self) -> Vec<String> {
        self.roles.clone()
    }

    fn random_role(&self) -> Option<usize> {
        self.has_secrets().then(|| self.roles.iter().position(|role| role == "random")).flatten()
    }

    fn players(&self) -> Vec<String> {
        self.player_names_from_host.clone()
    }

    fn steps(&self) -> usize {
        self.moves.len()
    }

    fn facts(&self, step: usize) -> Vec<String> {
        let state = self.states.get(step).map_or("", String::as_str);
        list_items(state).into_iter().map(str::to_owned).collect()
    }

    fn legal(&self, step: usize, role: RoleId) -> Vec<String> {
        // The lists begin with those of the initial state twice.
        let legal = self.legal_moves.as_ref().and_then(|lists| lists.get(step + 1)?.get(role.index()));
        legal.cloned().unwrap_or_default()
    }

    fn goals(&self, step: usize) -> Vec<Option<Goal>> {
        let last = if step == self.moves.len() { self.goal_values.clone() } else { None };
        let goals = self.goal_history.as_ref().and_then(|lists| lists.get(step).cloned());
        goals.or(last).unwrap_or_default()
    }

    fn time(&self, step: usize) -> Option<u64> {
        self.state_times.as_ref()?.get(step).copied()
    }

    fn joint(&self, step: usize) -> Vec<String> {
        self.moves.get(step).cloned().unwrap_or_default()
    }

    fn percepts(&self, step: usize) -> Vec<Vec<String>> {
        self.percepts.as_ref().and_then(|lists| lists.get(step).cloned()).unwrap_or_default()
    }

    fn errors(&self, step: Option<usize>) -> Vec<String> {
        self.errors.get(step.map_or(0, |step| step + 1)).cloned().unwrap_or_default()
    }

    fn times(&self, step: usize) -> Vec<Option<u64>> {
        self.move_times.as_ref().and_then(|lists| lists.get(step).cloned()).unwrap_or_default()
    }
}
