//! What seats and spectators see.

use ludex_match::referee::SeatNumber;
use ludex_match::view::{Snapshot, Viewer};

use super::{Broken, Watch};
use crate::simulation::truth::Truth;

impl Watch {
    /// Somebody looks at a match.
    pub(crate) fn sees(&mut self, number: usize, viewer: Viewer, seen: &Snapshot) {
        let truth = &self.matches[number].truth;
        if seen.steps.len() > truth.steps.len() {
            let text = format!("m{number}: {viewer:?} sees {} steps", seen.steps.len());
            return self.note(Broken::ToldBeforeWritten, text);
        }
        let broken = compare(truth, viewer, seen);
        if let Some(text) = broken {
            self.note(Broken::Secret, format!("m{number}: {viewer:?}: {text}"));
        }
    }
}

/// What is shown that must not be, or not shown that should be.
fn compare(truth: &Truth, viewer: Viewer, seen: &Snapshot) -> Option<String> {
    let own = match viewer {
        Viewer::Seat(SeatNumber(seat)) => truth.roles.get(seat as usize).map(|role| role.index()),
        Viewer::Spectator | Viewer::Referee => None,
    };
    // Whether the match is over is said when it is written, be that with the last step.
    let over = seen.is_completed || seen.aborted.is_some();
    let open = !truth.has_secrets() || viewer == Viewer::Referee || (over && viewer == Viewer::Spectator);
    let may = |role: usize| open || own == Some(role);
    for (shown, step) in seen.steps.iter().zip(&truth.steps) {
        for (role, &action) in step.joint.iter().enumerate() {
            let seat = truth.roles.iter().position(|other| other.index() == role);
            let fault = seat.and_then(|seat| step.faults[seat].as_ref());
            let expected = may(role).then(|| truth.prefix(action));
            let percepts = step.percepts[role].iter().map(|&percept| truth.prefix(percept)).collect();
            let error = fault.map_or_else(String::new, ludex_match::Fault::code);
            if shown.moves[role] != expected
                || shown.percepts[role] != may(role).then_some(percepts)
                || shown.errors[role] != may(role).then_some(error)
            {
                return Some(format!("role {role}: {shown:?}, but it was {expected:?}"));
            }
        }
    }
    let state = &seen.state;
    if state.facts.is_some() != open {
        return Some(format!("facts {:?}", state.facts));
    }
    if !open && !over && state.goals.is_some() {
        return Some(format!("goals {:?}", state.goals));
    }
    let mut legal = state.legal.iter().enumerate();
    let hidden = legal.find(|(role, legal)| !may(*role) && legal.is_some());
    hidden.map(|(role, legal)| format!("role {role} may do {legal:?}"))
}
